/* What the files of laws share. */
#ifndef TVR_CERTIFY_LAW_H
#define TVR_CERTIFY_LAW_H
#include "certify/proof.h"

enum { MOST_CASES = 64, MOST_VALUES = 1024, MOST_POINTS = 1 << 16 };

/* *total times a size, if that is at most so many: sizes are as large as an int64_t is. */
static inline bool law_times(int64_t *total, int64_t size, int64_t most) {
  return !__builtin_mul_overflow(*total, size, total) && *total <= most;
}

/* That a value is another one is a goal about its terms, or about what it is the maximum of. */
Goal law_view(Store *s, const Goal *g);
/* The labels of a goal that are not bound, in order. */
uint32_t law_labels(const Store *s, const Goal *g, Label *out, uint32_t cap);
/* v == w, after sums in them are unfolded; the same of two lists, and of v summed over `bound`. */
bool law_same(Store *s, Num v, Num w);
/* |a|, or a if that is not negative. */
Atom law_absolute(Store *s, Atom a);
/* a is c times b, up to the numbers that are factors. */
bool law_multiple(Store *s, Atom a, Atom b, Rat *c);
bool same_sums(Store *s, const Num *x, uint32_t n, const Num *y, uint32_t m);
bool same_products(Store *s, const Product *x, const Product *y);
bool same_sum_over(Store *s, const Label *bound, uint32_t n_bound, Num v, Num w);
/* w is the sum of what `squares` is the sum of the squares of; of a truth value any power is that. */
bool law_sum_of_roots(Store *s, Atom squares, Num w);
bool law_match(Store *s, const Item *x, const Item *y, uint32_t n, const Label *bx, const Label *by, uint32_t n_bound);
/* A function of one of these names, up to NULL (range.c). */
bool function_among(Sym fn, const char *const *names);
bool constant_function(const char *fn, const Rat *x, uint32_t n, Rat *out);
Poly law_linear_of(Store *s, Num v);
Poly law_goal_terms(Store *s, const Goal *g);
/* The labels among `left` that form == 0 has at one value at most, whatever the others are: digits, or those at which
 * the places of a row are read, each of which is another one. */
uint32_t law_told_by(Store *s, Poly form, const Label *left, uint32_t n, Label *out);
/* .. that form == 0 has at just one value of all of `left`, whatever the others are: a row that takes all values. */
bool law_told_once(Store *s, Poly form, const Label *left, uint32_t n);
/* The bound index of a sum over places of a running count, and the index at which these predicates hold that are told. */
bool law_at_place(Replay *p, const Item *known, uint32_t n_known, const Goal *g, Subst *t);
/* The substitution that makes an atom another one of the same definition. */
bool law_instance(Store *s, Atom x, Atom y, const Label *bound, uint32_t n_bound, Subst *t);
/* Every item of the maximum v is one of the maximum w, at some values of its indices: v <= w. */
bool law_never_above(Replay *p, Num v, Num w);
/* A running count counts its own place, another one what these predicates tell, where they hold: it is at least 1. */
bool law_counts_itself(Replay *p, const Item *known, uint32_t n_known, Atom a);
/* x < 0 or x == 0 (`less` or not) is v, which says whether any of certain truth values is 1, or all are: x counts them. */
bool law_counted(Replay *p, Num x, bool less, Num v);
/* form = unit * place + rest, where place is that in these digits of bound indices, from the minor one up; rest has none. */
typedef struct Digits {
  uint32_t n;
  Label *at;
  int64_t places;
  Rat unit;
  Poly place, rest;
} Digits;
bool law_digits(Store *s, Poly form, const Goal *g, Digits *out);
bool law_solve(Store *s, Poly form, const Label *bound, uint32_t n_bound, Subst *t, Affine *beyond);
/* A product, or a sum of one, by its factors; there is room for one more. */
Goal law_factors(Store *s, const Goal *g);
Goal law_factors_of(Store *s, Atom a);
/* Without these bound labels. */
void law_drop(Goal *g, Store *s, const Label *gone, uint32_t n);
/* A sum among the factors of a product, or of a sum of it, is one of the product. */
Num law_flattened(Replay *p, Goal f, uint32_t at);
/* A product (or a sum of it) as the sum of what it is for the terms of factor `at`; the others are finite. */
uint32_t law_distributed(Replay *p, Goal f, uint32_t at, Num **out);
/* A sum with its index b at `size` of its values, from `at` on. */
Num law_piece(Replay *p, const Goal *g, uint32_t b, int64_t at, int64_t size);
/* The terms of what a comparison compares with 0. */
Poly law_form(Store *s, Atom a);
/* 1 - q: *a becomes q. */
bool law_not(Store *s, Atom *a);
Num law_sum(Replay *p, const Poly *t);
/* Where t is 0, its atom i is this. */
Num law_solved(Replay *p, const Poly *t, uint32_t i);

typedef bool Law(Replay *p, const Goal *g, Num v, const Choice *c);
/* Number i of a choice, 0 behind its end. */
static inline uint32_t choice_at(const Choice *c, uint32_t i) { return i < c->n ? c->at[i] : 0; }
enum {
#define LAW(name, goals, statements) LAW_##name,
#include "certify/law.def"
#undef LAW
};
#define LAW(name, goals, statements) Law law_##name;
#include "certify/law.def"
#undef LAW
#endif
