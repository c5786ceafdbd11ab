/* The index calculus: hash-consed normal forms of tensor fields.
 *
 * A *class* is a field over index slots, each with a size; classes are stored up to the naming of their slots.  A
 * *reference* is a class and one *name* per slot.  A *value* is a rational times a reference.  Names stand for digits
 * of the dimensions of the tensor being described, for mesh digits, for bound indices of a sum, or for constants.
 * Every constructor returns the normal form: two values are proved equal when they are the same (k, ref).
 *
 * Semantics is over the reals.  A leaf is extended to all integers by unknown reals (the filler), so that reading it
 * out of range means something, but nothing a proof may use; they are as is said of its values where nothing in a
 * program stands there (LeafInfo.unpadded).  0 * x = 0 for every x (also filler), f/f = 1 where f is
 * a denominator (assumed not zero; see calculus_assumptions).  Constructors may only return values equal for all
 * values of all indices.  Sources: slotted e-graphs (Schneider et al., PLDI 2025) for references. */
#ifndef TVR_CALCULUS_H
#define TVR_CALCULUS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lang/base/intern.h"
#include "lang/base/rat.h"
#include "lang/base/vec.h"

typedef uint32_t ClassId;
typedef uint32_t RefId;
typedef uint32_t Name;
typedef uint32_t Sort; /* which dimension of the model an index runs over; 0: unknown */

/* A name is an index with its size, or a constant. */
#define NAME_CONST 0x80000000u
#define NAME_FORM 0x40000000u /* only as the target of a substitution: an affine form */
static inline bool name_is_const(Name n) { return n & NAME_CONST; }
static inline uint32_t name_value(Name n) { return n & 0x7fffffffu; }
/* A name has room for a constant below INT32_MAX: what may be larger is asked first, or is a form. */
static inline bool name_has_room(int64_t v) { return v >= 0 && v < INT32_MAX; }
static inline Name name_const(int64_t v) { return NAME_CONST | (uint32_t)v; }

typedef enum NameKind {
  NAME_DIM,   /* digit b of dimension a */
  NAME_MESH,  /* mesh digit a */
  NAME_BOUND, /* bound index, a-th of its scope */
  NAME_SLOT,  /* slot a of a class taken by itself */
  NAME_TEMP,  /* a: place holder of a caller */
} NameKind;

typedef struct NameInfo {
  uint8_t kind;
  uint32_t a, b;
  int64_t size;
} NameInfo;

typedef struct Value {
  Rat k;
  RefId ref;
} Value;

/* constant + sum coef * name: what an index may be replaced by. */
typedef struct FormTerm {
  int64_t coef;
  Name name;
} FormTerm;
typedef struct Form {
  int64_t constant;
  uint32_t n;
  FormTerm *terms;
} Form;

typedef struct Calculus Calculus;

typedef struct CalculusOptions {
  uint32_t expand;    /* tactic: products are distributed over sums of up to this many terms; 0: never */
  bool cases;         /* tactic: what runs over an index by which cases are told is written out */
  bool spread;        /* values are compared as sums of products, too */
  bool written;       /* and with sums over few values written out */
  bool fractions;     /* and as fractions of polynomials */
  bool orders;        /* tactic: what is read at its places in order, and what is sorted, is by rank */
  bool rows;          /* tactic: a function of what is looked up is looked up */
  bool outside;       /* tactic: one-hot factors substitute an index also by what may leave its range, where it does not */
  bool flat;          /* some dimension is flat, or cut in two ways: recombination, trimming and range folding are on */
  uint64_t max_steps; /* constructor calls before calculus_exhausted; 0: no limit */
  double max_seconds;
  uint64_t max_bytes; /* of classes and references; 0: no limit */
} CalculusOptions;

Calculus *calculus_new(void);
void calculus_free(Calculus *c);
/* Terms of about so many operators follow: tables are made large enough at once. */
void calculus_expect(Calculus *c, size_t n_nodes);
void calculus_set(Calculus *c, const CalculusOptions *o);
/* Sums over indices of these sorts are written out and literals of them never folded (tactic: split an axis). */
void calculus_split(Calculus *c, const Sort *sorts, uint32_t n);
/* While set, function `fn` is read as what `f` gives (which may not use it); f == NULL takes that back. */
typedef Value CalculusRewrite(void *context, Calculus *c, const Value *args, uint32_t n);
void calculus_rewrite(Calculus *c, Sym fn, CalculusRewrite *f, void *context);
/* True once a limit of the options was reached: values are still right, but no longer in normal form. */
bool calculus_exhausted(const Calculus *c);
/* It was the limit of memory. */
bool calculus_full(const Calculus *c);
/* True once a term was too deep for the stack: values made since then mean nothing.  Exhausted too. */
bool calculus_broken(const Calculus *c);
/* Starts a new scope of bound names: call between nodes of a graph. */
void calculus_scope(Calculus *c);

Name calculus_name(Calculus *c, NameKind kind, uint32_t a, uint32_t b, int64_t size);
Name calculus_fresh(Calculus *c, int64_t size);
const NameInfo *calculus_name_info(const Calculus *c, Name n);

extern const Value VALUE_ONE, VALUE_ZERO;
Value value_num(Rat k);
static inline bool value_same(Value a, Value b) { return a.k == b.k && (a.ref == b.ref || a.k == RAT_0); }
Value value_neg(Value v);
Value value_scale(Rat k, Value v);
/* -infinity, as masks and initial values of a maximum use it. */
Value value_neginf(const Calculus *c);
bool value_is_num(Value v);

/* leaves */
typedef struct LeafInfo {
  bool integer, has_range, has_gap;
  bool unpadded; /* no program holds anything out of its range, so the filler may be chosen: among its values */
  bool has_lo; /* lo is known; hi, too, if has_range */
  Rat lo, hi;
  Rat gap_lo, gap_hi; /* has_gap: no value lies strictly between these, both within lo .. hi */
  bool distinct;      /* of an unknown function: values at different places of what it produces differ */
  bool partial;       /* no number, or perhaps none: as minus infinity is none */
  int order;          /* and are the first places of argument 0's values, consumed, ascending (1) or descending (-1) */
} LeafInfo;
/* The tensor `name` at these indices (constants allowed).  sorts may be NULL. */
Value calc_leaf(Calculus *c, Sym name, const Name *names, const int64_t *sizes, const Sort *sorts, uint32_t n,
                LeafInfo info);
/* A table of numbers, row-major over the names; becomes a number or an affine form where it is one. */
Value calc_table(Calculus *c, const Rat *values, uint64_t n_values, const Name *names, const int64_t *sizes, uint32_t n,
                 bool integer);
/* The index itself as a number. */
Value calc_idx(Calculus *c, Name n, int64_t size);
/* An unknown function: attrs identifies it; `consumed` names are bound, `out` names produced by it (both in order).  What
 * is known of its values must follow from attrs. */
Value calc_opaque(Calculus *c, Sym attrs, const Value *args, uint32_t n, const Name *consumed, uint32_t n_consumed,
                  const Name *out, uint32_t n_out, LeafInfo info);

/* The element of x over these names, all of which it has, that is in this place from the largest down, an integer from 0. */
/* What a row x is ordered by: its values along `over` are less, equal or greater as those of x are. */
Value calc_order_key(Calculus *c, Value x, const Name *over, uint32_t n);
Value calc_largest(Calculus *c, Value x, Value place, const Name *over, uint32_t n);

/* constructors */
Value calc_add(Calculus *c, const Value *v, uint32_t n);
Value calc_add2(Calculus *c, Value a, Value b);
Value calc_sub(Calculus *c, Value a, Value b);
Value calc_mul(Calculus *c, const Value *v, uint32_t n);
Value calc_mul2(Calculus *c, Value a, Value b);
/* The same, as a program multiplies: calc_mul is 0 where a truth value is, whatever stands beside it, and here that is
 * assumed to be finite. */
Value calc_product(Calculus *c, const Value *v, uint32_t n);
Value calc_pow(Calculus *c, Value v, Rat p);
Value calc_sum(Calculus *c, const Name *bound, uint32_t n, Value v);
Value calc_max(Calculus *c, const Value *v, uint32_t n, const Name *bound, uint32_t n_bound);
typedef enum CmpOp { CMP_LT, CMP_EQ, CMP_NE, CMP_GE, CMP_GT, CMP_LE } CmpOp;
Value calc_cmp(Calculus *c, CmpOp op, Value a, Value b);
/* 1 - p for a 0/1 value. */
Value calc_not(Calculus *c, Value p);
Value calc_select(Calculus *c, Value p, Value a, Value b);
Value calc_fn(Calculus *c, Sym fn, const Value *v, uint32_t n);
/* An unknown function of v; v itself where it is a number, a leaf or such a value already. */
Value calc_seal(Calculus *c, Value v);
/* The 0/1 value is 1 everywhere, as far as the signs of its parts say. */
bool calc_holds(Calculus *c, Value p);
/* lo <= e < hi */
Value calc_inside(Calculus *c, Value e, int64_t lo, int64_t hi);

/* substitution of names by names, constants or affine forms, simultaneously */
typedef struct Subst {
  uint32_t n;
  struct SubstPair {
    Name from, to;
  } at[192];
} Subst;
Name calculus_form(Calculus *c, Form f); /* a form as the target of a substitution; valid until the scope ends */
void subst_put(Subst *s, Name from, Name to);
Value calc_rename(Calculus *c, Value v, const Subst *s);

/* looking at values */
uint32_t value_names(const Calculus *c, Value v, const Name **names);
bool value_has(const Calculus *c, Value v, Name n);
bool value_is_integer(const Calculus *c, Value v);
bool value_is_truth(const Calculus *c, Value v); /* 0 or 1 */
/* It may not be a number, as it divides by what is not known to be positive, or minus infinity occurs in it other than below
 * an exponential. */
bool value_is_partial(const Calculus *c, Value v);
/* Under which assumptions (below) it is a number, as far as what occurs in it shows. */
uint32_t value_conditions(const Calculus *c, Value v);
/* An integer value affine in indices, as a form allocated in `a`; false otherwise. */
bool value_affine(const Calculus *c, Value v, Arena *a, Form *out);
ClassId value_class(const Calculus *c, Value v);
/* Some case below v is told by this index alone: [n == 3], or a table of integers read at n. */
bool value_selects(const Calculus *c, Value v, Name n);
Sort value_sort_of(const Calculus *c, Value v, Name n);
/* Sorts (with size) of the literal constants below v, each once, up to `max`. */
typedef struct LitSort {
  Sort sort;
  int64_t size;
} LitSort;
uint32_t value_literal_sorts(const Calculus *c, Value v, LitSort *out, uint32_t max);

/* Equal as normal forms, or on every piece between the breakpoints of the predicates of either side, within a budget
 * of splits. */
bool calc_equal(Calculus *c, Value a, Value b, uint32_t splits);

/* What was assumed on the way, as a set of flags. */
typedef enum Assumption {
  ASSUME_NONZERO = 1,     /* a value divided by itself is 1 */
  ASSUME_FINITE = 2,      /* 0 * x = 0 */
  ASSUME_LEFT = 8,        /* so, and masks leave something of x */
  ASSUME_NONNEG_ROOT = 4, /* x^(p/q) with q even: x >= 0 */
} Assumption;
uint32_t calculus_assumptions(const Calculus *c);
void calculus_assume(Calculus *c, uint32_t flags);
/* Nothing else is: values made since were only looked at, and no equation of them is used. */
void calculus_assumed_only(Calculus *c, uint32_t flags);

typedef struct CalculusStats {
  uint64_t classes, refs, steps, folds, walked, memory; /* walked: pairs of terms that were compared to be folded */
} CalculusStats;
CalculusStats calculus_stats(const Calculus *c);

/* Prints a value as a term over indices, to a depth; ends a little after `longest` characters, within the term.
 * name_text may be NULL; with `conditions` those of indices are shown however deep. */
typedef const char *NameText(void *ctx, Name n, char *buf, size_t size);
char *value_print(Calculus *c, Value v, uint32_t depth, bool conditions, size_t longest, Arena *a, NameText *name_text,
                  void *ctx);
#endif
