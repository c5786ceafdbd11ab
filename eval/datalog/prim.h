/* Primitives: registration and overloads.  A primitive is a partial function on values; false means it fails. */
#ifndef TVR_DATALOG_PRIM_H
#define TVR_DATALOG_PRIM_H
#include "eval/datalog/db.h"

typedef bool PrimFn(Db *db, const Prim *p, const Val *a, uint32_t n, Val *out);

#define PRIM(name, sig, fn) PrimFn prim_##fn;
#define BOX(kind, name, sig, fn) PrimFn prim_##fn;
#include "eval/datalog/prim.def"
PrimFn prim_fn_make, prim_fn_apply, prim_vec_map, prim_row_make;
PrimFn prim_multi_map, prim_multi_filter, prim_multi_filter_not, prim_multi_reduce, prim_multi_flat_map;
PrimFn prim_multi_fill, prim_multi_clear, prim_multi_sum_all;

/* The primitives of the base sorts. */
void prim_register_base(Db *db);
/* Those that exist because sort s has been declared, with all sorts declared before it. */
void prim_register_sort(Db *db, SortId s);
/* Reports that p failed on these arguments, as far as they are numbers and strings; false. */
bool prim_failed(Db *db, const Prim *p, const Val *arg, uint32_t n, Span at);
/* Applies a function value; `failed` aside, false also when the primitive fails or the row is missing. */
bool prim_apply(Db *db, Val fn, const Val *a, uint32_t n, Val *out);
/* The function that finds argument `k` of p from its result and its other argument, given in the order `result, other`
 * or, if *swapped, `other, result`; NULL if there is none.  At most one value can be the answer. */
PrimFn *prim_inverse(const Prim *p, uint32_t k, bool *swapped);
/* A least or greatest of two: commutative, associative, of equal values that value, and of base values only. */
bool prim_is_lattice(const Prim *p);
/* Does it take or give a function value? */
bool prim_is_higher(const Db *db, const Prim *p);
/* Forgets the primitives from n on. */
void prim_truncate(Db *db, size_t n);
#endif
