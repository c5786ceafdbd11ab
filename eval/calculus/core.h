/* Inside of the calculus: classes, references and the helpers its normal forms share.  Only eval/calculus includes it. */
#ifndef TVR_CALCULUS_CORE_H
#define TVR_CALCULUS_CORE_H
#include "eval/calculus/calculus.h"
#include "eval/calculus/view.h"

enum {
  F_POS = 1,    /* > 0 wherever defined */
  F_NONNEG = 2, /* >= 0 wherever defined; set with F_POS too */
  F_PRED = 4,   /* 0 or 1 */
  F_INTEGER = 8,
  F_RANGE = 16, /* lo <= value <= hi */
  F_INFINITE = 32, /* may be infinite: minus infinity occurs below */
  F_GAP = 64,      /* a leaf with no value strictly between gap_lo and gap_hi */
  F_DISTINCT = 128, /* of an unknown function: different at different places of what it produces */
  F_ASCENDS = 256,  /* F_DISTINCT: the first places of a row's values in ascending order, the row being argument 0 */
  F_DIVIDES = 512,  /* may divide by zero: something below does that is not known to be positive */
  F_LOGS = 1024,   /* may have a logarithm, or a power with any exponent, of what is not known to be positive */
  F_NORMAL = 2048, /* a linear combination of which `lin` makes itself */
  F_SIGNED = 4096, /* whether it is positive was asked for every value of an index */
  F_DESCENDS = 8192, /* F_DISTINCT: .. in descending order */
  F_UNPADDED = 16384, /* a leaf that is among its values out of range too (LeafInfo) */
  F_PARTIAL = F_INFINITE | F_DIVIDES | F_LOGS, /* may not be a number: true of whatever has such a term */
};

typedef struct Lit {
  Sort sort;
  uint32_t value;
  int64_t size;
} Lit;

typedef struct Class {
  uint8_t kind, reach;
  uint16_t flags;
  uint16_t n_slots, n_bound, n_sym, n_pairs;
  uint32_t attr, n_args, n_lits, lit_set; /* lit_set: number of the set `lits` */
  const Arg *args;
  const int64_t *sizes; /* slots, then bound slots */
  const Sort *sorts;    /* per slot */
  const bool *selects;  /* per slot: some case below is told by this index alone; NULL: none */
  const Perm *sym;
  const uint16_t (*pairs)[2]; /* slots (q, c) that some view reads as w*size(c)*q + w*c */
  const Lit *lits;            /* literal constants below, sorted */
  uint64_t skel;              /* structure without names, constants, offsets */
  uint64_t hash;
  Rat lo, hi, gap_lo, gap_hi;
} Class;

typedef struct Ref {
  ClassId cls;
  uint16_t n;
  const Name *names;
} Ref;

/* One slot of an AtSpec's base: a constant, or a form over the class's own slots. */
typedef struct AtSlot {
  bool is_const;
  uint32_t value;
  int64_t offset;
  uint32_t n;
  struct AtTerm {
    int64_t coef;
    uint32_t slot;
  } * terms;
} AtSlot;
typedef struct AtSpec {
  ClassId base;
  uint32_t n;
  AtSlot *slots;
  uint64_t hash;
} AtSpec;

typedef struct Term {
  RefId ref;
  Rat k;
} Term;
typedef struct Terms { /* insertion ordered map ref -> rational, in scratch */
  Term *at;
  uint32_t n, cap, *slots, n_slots;
} Terms;

typedef Vec(Name) NameVec;

typedef struct Props {
  uint16_t flags;
  Rat lo, hi, gap_lo, gap_hi;
} Props;

typedef struct LitSet { /* interned: equal sets have one number; 0 is empty */
  const Lit *at;
  uint32_t n;
  uint64_t hash;
} LitSet;

typedef struct Table { /* values of a table leaf */
  const Rat *values;
  uint64_t n;
  Sym name;
} Table;

typedef struct Marks Marks; /* where predicates below a class change (breaks.c) */

typedef struct Memo {
  struct MemoEntry {
    uint64_t hash;
    uint32_t n;
    const uint64_t *key;
    Value value;
  } * at;
  size_t n, cap;
} Memo;

typedef struct FnRewrite {
  Sym fn;
  CalculusRewrite *f;
  void *context;
} FnRewrite;

typedef struct FnSyms {
  Sym exp, log, abs, clamp, truncdiv, rem, floordiv, mod, trunc, ceil, round_even, round_afz, pow, sign, floor, sin, cos,
      maximum, minimum, band, shl, shr, largest, tanh, erf;
} FnSyms;

enum { LATELY = 1024, LATELY_ARGS = 4 };

struct Calculus {
  Arena arena, scratch, form_arena;
  Vec(Class) classes;
  uint32_t *class_slots;
  size_t n_class_slots;
  Vec(Ref) refs;
  uint64_t *ref_slots; /* high half of the hash, 1 + id */
  size_t n_ref_slots;
  Vec(NameInfo) names;
  uint32_t *name_slots;
  size_t n_name_slots;
  Vec(AtSpec) ats;
  uint32_t *at_slots;
  size_t n_at_slots;
  Vec(Form) forms;
  Vec(Table) tables;
  Vec(LitSet) lit_sets;
  uint32_t *lit_slots;
  size_t n_lit_slots;
  Memo memo;
  struct Lately { /* what was opened last, by reference modulo LATELY; at first the number one, which has no args */
    RefId ref;
    Term args[LATELY_ARGS];
  } lately[LATELY];
  Vec(const Marks *) marks; /* by class; NULL: not looked for */
  Vec(ClassId) sorts;       /* that put a row in ascending order */
  uint32_t fresh;
  const char *stack_end; /* lowest address the stack may reach */
  CalculusOptions options;
  Vec(FnRewrite) rewrites;
  Sort *split;
  uint32_t n_split;
  CalculusStats stats;
  uint32_t assumed;
  bool masked[2]; /* a quotient was multiplied by a condition, and chosen by one */
  bool guarded;  /* a product or a root is compared with 0 */
  bool backward; /* something is read from its end: an index and another add up to a constant */
  bool exhausted, broken, counting; /* counting: what is known is being looked at for a count */
  double deadline;
  uint32_t asked; /* how often for the time */
  RefId one, neginf;
  FnSyms fn;
};

/* ---- classes and references (class.c) */
static inline const Class *cls(const Calculus *c, ClassId id) { return &c->classes.at[id]; }
static inline const Ref *ref(const Calculus *c, RefId id) { return &c->refs.at[id]; }
static inline const Class *cls_of(const Calculus *c, RefId id) { return cls(c, ref(c, id)->cls); }
/* Data that says where something stands: a value of an unknown function, as a whole number. */
static inline bool is_place(const Class *x) { return x->kind == K_OP && (x->flags & F_INTEGER); }
static inline uint16_t flags_of(const Calculus *c, RefId id) { return cls_of(c, id)->flags; }
/* A whole number of which sums and differences of two fit in 64 bits. */
#define MOST_SMALL (INT64_MAX / 2)
static inline bool small_int(Rat x, int64_t *out) {
  return rat_to_int(x, out) && *out >= -MOST_SMALL && *out <= MOST_SMALL;
}
static inline int64_t name_size(const Calculus *c, Name n) { return c->names.at[n].size; }
RefId ref_make(Calculus *c, ClassId id, const Name *names, uint32_t n);
bool ref_has(const Calculus *c, RefId r, Name n);
bool ref_has_const(const Calculus *c, RefId r);
typedef struct ClassKey {
  Kind kind;
  uint32_t attr;
  const Arg *args;
  uint32_t n_args;
  const int64_t *sizes;
  uint32_t n_slots, n_bound;
} ClassKey;
/* Finds or makes; *made says which. */
ClassId class_make(Calculus *c, const ClassKey *key, Props p, bool *made);
/* A tensor, or a table of numbers; sorts may be NULL. */
ClassId leaf_class(Calculus *c, uint32_t attr, const int64_t *sizes, uint32_t n, const Sort *sorts, Props p);
/* Whether it may be plus infinity, as far as choices, maxima and signs show: then its exponential is no number. */
bool class_exceeds(const Calculus *c, ClassId id);
/* After making: symmetries, sorts (in place, before anything refers to the class). */
void class_set_sym(Calculus *c, ClassId id, const uint16_t *perms, uint32_t n_perms);
void class_set_sorts(Calculus *c, ClassId id, const Sort *sorts);
void class_set_pairs(Calculus *c, ClassId id, const uint16_t (*pairs)[2], uint32_t n);
/* The names at which argument i of a class is read, given those of its slots and bound slots. */
static inline Name arg_name(const Arg *a, uint32_t p, const Name *names) {
  return a->ix[p] >= 0 ? names[a->ix[p]] : name_const(-1 - a->ix[p]);
}
/* Arguments of the defining node with actual names; bound slots get fresh names.  Arrays live in scratch. */
typedef struct Opened {
  uint32_t n;
  Term *args; /* ref and tag */
  uint32_t n_bound;
  Name *bound;
} Opened;
Opened node_open(Calculus *c, RefId r);
uint64_t mix(uint64_t a, uint64_t b);

/* ---- canonical naming (canon.c) */
RefId sym_least(Calculus *c, RefId r);
RefId canon(Calculus *c, Kind kind, uint32_t attr, const Term *items, uint32_t n, const Name *bound, uint32_t n_bound,
            Props p);
RefId ordered(Calculus *c, Kind kind, uint32_t attr, const RefId *refs, uint32_t n, const Name *bound, uint32_t n_bound,
              const Name *out, uint32_t n_out, Props p);

/* ---- substitution (subst.c) */
Value push(Calculus *c, ClassId id, const Name *names, uint32_t n);
/* A class at these names: by itself, or where more may be known, as two are the same, pushed through it. */
Value at_names(Calculus *c, ClassId id, const Name *names, uint32_t n);
/* What the class of `id` was made of as an instance, with `name` instead of the nth constant `value` of this size. */
bool instance_origin(Calculus *c, RefId id, int64_t size, uint32_t value, uint32_t nth, Name name, Value *out);
RefId at_make(Calculus *c, ClassId base, const Name *names, uint32_t n);
Value rename_ref(Calculus *c, RefId r, const Subst *s);
/* Rebuilds a node of the kind of `k` through the constructors; names: its slots (for operators that produce some). */
Value node_make(Calculus *c, ClassId k, const Value *vals, const Rat *tags, uint32_t n, const Name *bound,
                uint32_t n_bound, const Name *names);
Value *memo_find(Calculus *c, const uint64_t *key, uint32_t n, uint64_t *hash);
void memo_put(Calculus *c, const uint64_t *key, uint32_t n, uint64_t hash, Value v);
static inline Name target(const Subst *s, Name n) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->at[i].from == n) return s->at[i].to;
  return n;
}
/* A constant as the target of a substitution, whatever its size. */
Name name_at(Calculus *c, int64_t v);
Value form_value(Calculus *c, const Form *f);

/* ---- terms and linear combinations (lin.c) */
Term *terms_find(const Terms *t, RefId r);
void terms_add(Calculus *c, Terms *t, RefId r, Rat k);
void terms_pack(Terms *t); /* drops zero entries */
Terms terms_of(Calculus *c, Value v);
Value lin(Calculus *c, Terms *t);
bool is_exp(const Calculus *c, RefId r); /* what `lin` moves out of all terms */
RefId ref_of(Calculus *c, Value v); /* a scaled reference becomes a one-term linear node */
Value unwrapped(Calculus *c, RefId r); /* what ref_of wrapped */
Value add_terms(Calculus *c, Terms *t);
bool range_of(const Calculus *c, Value v, Rat *lo, Rat *hi);
bool integer_value(const Calculus *c, Value v);
bool integer_terms(const Calculus *c, const Terms *t);

/* ---- terms over one denominator (collect.c) */
/* Tactic: some are put together; false: none. */
bool collect_terms(Calculus *c, Terms *t);

/* ---- absolute values that cancel (even.c); each says whether it applies */
/* Beside a maximum of two values, the absolute value of their difference, as terms of a combination. */
bool even_join(Calculus *c, Terms *t);
/* The logarithm of 1 plus an exponential of an absolute value. */
bool even_log(Calculus *c, RefId sum, Value *out);

/* ---- variances (spread.c) */
/* Sums of squares less the square of the sum, so much that it is not negative. */
bool spread_not_negative(Calculus *c, Value v);

/* ---- products (mul.c) */
typedef struct Factor {
  Value v;
  Rat p;
} Factor;
Terms factors_of(Calculus *c, RefId r);
/* A factor, with its power, that is > 0 wherever defined. */
bool positive_factor(const Calculus *c, const Term *t);
/* A product with a predicate among its factors, or a predicate. */
bool is_undefined(const Calculus *c, RefId r);
bool has_condition(const Calculus *c, RefId r);
/* Each term of a combination stands under a condition: where none holds, it is 0. */
bool is_masked(const Calculus *c, RefId r);
/* A value nothing is known of, where the definition has none. */
Value undefined(Calculus *c, const char *why);
#define DIVISION_BY_ZERO "undefined: division by zero"
enum { MOST_POWER = 4096 }; /* to which numbers are raised */
bool small_power(Rat p, int64_t *e);
Props props_of_product(Calculus *c, const Terms *t);
/* What stands as x^k under a root, by a base that is not negative: x, or |x| where k is even; NO_REF: there is none. */
RefId under_root(Calculus *c, const Term *x);
/* 1 / (1 / x) */
void assume_turned(Calculus *c, const Term *x, Rat p);
Value mul(Calculus *c, const Factor *f, uint32_t n);
/* Tactic: sin(x)^2 = 1 - cos(x)^2 (fn.c). */
bool circular_power(Calculus *c, const Terms *t, Value *out);
/* A product of positive numbers with p ? x : -infinity, or with a sum that has such a term. */
bool scaled_mask(Calculus *c, const Terms *t, Value *out);
Value where_holds(Calculus *c, Value p, Value a); /* what is chosen by p, simpler where p says so */
bool masked_pieces(Calculus *c, Value v, Value *p, Value *x); /* v is p ? x : -infinity */
/* What has these flags is a number. */
void assume_number(Calculus *c, uint16_t flags);
/* Of p x and of p ? x : 0, which are one value here, x may divide by 0 where p is 0: assumed not to where programs have
 * both. */
void assume_masked(Calculus *c, uint16_t flags, bool chosen);
bool positive_numbers(Calculus *c, RefId r); /* one for each of the few values of an index, as 1 - 2^(-5 - h) is */
Value mul_terms(Calculus *c, const Terms *t, RefId except); /* product of the factors but `except` (UINT32_MAX: all) */
#define NO_REF UINT32_MAX

/* ---- predicates (pred.c) */
typedef enum Rel { REL_NONE, REL_LT, REL_GE, REL_EQ, REL_NE } Rel;
/* A predicate as a relation of a linear form to 0. */
Rel atom_of(Calculus *c, RefId r, Terms *form);
/* sign.c: what the sign of v is where p holds, of F_POS and F_NONNEG. */
uint16_t sign_where(Calculus *c, Value p, Value v);
/* A comparison of indices as the sum of at most three products of others: [w a + b < 0] = [a < 0] + [a == 0] [b < 0] where
 * -w <= b < w, [-a < 0] = 1 - [a < 0] - [a == 0], [a + k < 0] = [a + k - 1 < 0] - [a + k == 0] where k > 0, and 1 - p. */
bool compare_parts(Calculus *c, RefId r, Value *parts, uint32_t *n);
/* w x + k where x has a gap in its values; with_indices: besides terms of indices, which are left out. */
bool gap_form(Calculus *c, const Terms *t, bool with_indices, Term *x, Rat *k);
/* The comparison of an integer form with 0, by digits: of those below each weight the range decides.  false: it does not
 * split. */
typedef bool RangeOf(void *context, Calculus *c, Value v, Rat *lo, Rat *hi);
bool split_digits(Calculus *c, CmpOp op, Value e, RangeOf *range, void *context, Value *out);
/* [index == constant] */
bool point_of(Calculus *c, RefId r, Name *n, uint32_t *value);
/* lo <= index < hi */
bool unary_of(Calculus *c, RefId r, Name *n, int64_t *lo, int64_t *hi);
bool index_predicate(Calculus *c, RefId r);
Value within(Calculus *c, Value f, int64_t n);

/* ---- facts (facts.c): simplification of a factor under the predicates of its product */
bool facts_context(Calculus *c, Terms *factors, Value *rest, bool *zero);
/* Range of factor i where the predicates among the others hold. */
bool facts_range_of(Calculus *c, const Terms *factors, uint32_t i, Rat *lo, Rat *hi);
/* What the predicates among the factors say; in scratch. */
typedef struct Facts Facts;
Facts *facts_of(Calculus *c, const Terms *factors);
/* The predicate holds where they do. */
bool facts_imply(Facts *f, RefId r);

/* ---- predicates that leave one position (pin.c) */
/* Says whether it applies to a product of these factors; *zero: they leave none. */
bool pin(Calculus *c, const Terms *fs, Value *rest, bool *zero);

/* ---- guards of denominators (guard.c) */
/* v without guards of roots in what is divided by them: that these are not 0 is assumed by who uses it.  false: it has
 * none. */
bool guard_drop(Calculus *c, Value *v);

/* ---- where predicates change (breaks.c) */
enum { MAX_BREAKS = 64 };
typedef struct Breaks { /* of one index */
  int64_t at[MAX_BREAKS]; /* ascending; with points inside, both ends too */
  uint32_t n;
  int64_t row;            /* the index is compared by rows of so many, i - row k; 0: it is not */
  int64_t phase;          /* where the first row begins, below row */
  bool overflow;          /* there are more points */
  bool backward, forward; /* it is read from its end, by i + j == k; as it stands, or by i - j == k */
} Breaks;
Breaks breaks_at(Calculus *c, Value v, Name n);
/* What is read from its end alone, by an index n of a sum or maximum: the same index from the other end. */
bool breaks_backward(Calculus *c, Value v, Name n, Subst *s, Name *index);
/* The first free name of a and b, in order of names, at which predicates of either change. */
bool breaks_first(Calculus *c, Value a, Value b, Name *n, Breaks *out);
/* A name of whose values a quotient or remainder by a number is made, and where it changes. */
bool breaks_quotient(Calculus *c, Value a, Value b, Name *n, Breaks *out);
/* The first name of a and b that is read by rows: the points, if any, before the first whole row and after the last;
 * else n as row * index[0] + index[1]. */
bool breaks_rows(Calculus *c, Value a, Value b, Name *n, Breaks *out);
Subst breaks_by_rows(Calculus *c, Name n, int64_t row, Name *index);
/* n as lo + an index below hi - lo: a fresh one, or a constant if they are neighbours. */
Subst breaks_piece(Calculus *c, Name n, int64_t lo, int64_t hi, Name *index);

/* ---- sums (sum.c, sum_index.c) */
/* sum w_i (k_i - j_i) == 0, bound k_i, mixed radix w: every k_i is j_i; as a form, and as a predicate. */
bool sum_delta_of(Calculus *c, const Terms *form, const Name *bound, uint32_t n, Subst *out);
bool sum_delta(Calculus *c, RefId r, const Name *bound, uint32_t n, Subst *out);
/* [k == f], k bound digits in mixed radix, f an affine form of other indices that stays in their range: the digits of f. */
bool sum_place(Calculus *c, RefId r, const Name *bound, uint32_t n, Subst *out, Value *inside);
/* All predicates of a product hold at an element, whatever the indices around. */
bool sum_has_element(Calculus *c, const Terms *product, const Name *bound, uint32_t n);
bool sum_unity(Calculus *c, const Terms *comp, const Name *bound, uint32_t n, Value *out);
bool sum_trim(Calculus *c, NameVec *bound, const Terms *fs, Value *out);
/* Of an index that runs within a window that other indices move, e <= d < e + m, the place in the window. */
bool sum_window(Calculus *c, NameVec *bound, const Terms *fs, Value *out);
RefId sum_recombine(Calculus *c, NameVec *bound, RefId r);
bool is_split(const Calculus *c, Sort s);
/* Tactic: a sum or maximum over this index of r is written out. */
bool writes_out(const Calculus *c, RefId r, Name n);
Sort sort_of(const Calculus *c, RefId r, Name n);

/* ---- positions of a largest value (pick.c); each says whether it applies */
/* max over `bound` of v, one that is chosen at some position. */
bool pick_max(Calculus *c, const NameVec *bound, Value v, Value *out);
/* [x == m] [m == n] = [x == n] where m is the maximum of x, and n of m. */
bool pick_join(Calculus *c, const Terms *fs, Value *rest, bool *zero);
/* [e == 0] where e has minus infinity, or a choice of it, and numbers. */
bool pick_equal(Calculus *c, Value e, Value *out);
/* [e < 0] where e compares x with its maximum. */
bool pick_less(Calculus *c, Value e, Value *out);
/* sum over `bound` of a product, one of whose factors is [k == a position of a largest value]. */
bool pick_read(Calculus *c, const Name *bound, uint32_t n, const Terms *fs, Value *out);

/* A number, as are inputs: masks leave something of it (fn.c). */
bool is_left(Calculus *c, RefId r);
/* ---- integer quotients and distances (fn.c) */
/* Quotients and remainders of whole numbers. */
static inline bool fn_divides(const Calculus *c, Sym fn) {
  return fn == c->fn.truncdiv || fn == c->fn.floordiv || fn == c->fn.rem || fn == c->fn.mod;
}
/* A multiple of d by which k is a whole number; 0 if none is small. */
Rat common_parts(Rat d, Rat k);
/* [e < 0] or [e == 0] where e has a quotient by a number: a comparison of what is divided. */
bool quotient_compare(Calculus *c, CmpOp op, Value e, Value *out);
/* k x (e^a - e^b), x an exponential or 1: k (a - b), which has its sign. */
bool exp_difference(Calculus *c, Value v, Value *out);
/* [e < 0] where e is a difference of exponentials, or has the absolute value of a form of indices, of which both signs are
 * compared. */
bool distance_compare(Calculus *c, CmpOp op, Value e, Value *out);

/* ---- places that a sort gives (order.c); each says whether it applies */
/* sum over `bound` of [form == 0], which holds at one place of a row, or at none. */
bool order_once(Calculus *c, const Terms *form, const Name *bound, uint32_t n, Value *out);
/* [e == 0] where e compares places. */
bool order_equal(Calculus *c, Value e, Value *out);
/* [e < 0] where e compares a place with how many values of a row are at most one. */
bool order_less(Calculus *c, Value e, Value *out);
/* Tactic: sum over `bound` of a product, one of whose factors is [k == a place of the row x in order], others x at k. */
bool order_read(Calculus *c, const Name *bound, uint32_t n, const Terms *fs, Value *out);

/* ---- fractions of polynomials (fractions.c) */
/* Whether they are found equal; what that rests on is assumed. */
bool fractions_equal(Calculus *c, Value a, Value b);

/* ---- functions that increase or decrease strictly with a part of theirs (monotone.c) */
/* x grows with its part, or falls, along the names `over`; all else of x is the same for all of them. */
typedef struct Monotone {
  Value x, part;
  bool falls;
} Monotone;
bool monotone_of(Calculus *c, Value x, const Name *over, uint32_t n, Monotone *out);
/* x with this instead of its part. */
Value monotone_at(Calculus *c, const Monotone *m, const Name *over, uint32_t n, Value part);
/* The maximum of values of one increasing function. */
bool monotone_max(Calculus *c, const Value *v, uint32_t n, const Name *bound, uint32_t n_bound, Value *out);
/* max over `bound` of p = [x < y], one of the two the same for all, and not of indices alone. */
bool monotone_any(Calculus *c, Value p, const Name *bound, uint32_t n, Value *out);

/* ---- counts (count.c) */
/* Index n is among what the unknown function at r produces. */
bool produced(Calculus *c, RefId r, Name n);
typedef struct Given { /* predicates that hold */
  Terms all;
  Facts *facts; /* NULL: not looked at yet */
} Given;
/* p and q are equations of one class.  Where both hold, and all that is known, the indices of q are those of p: *to. */
bool count_apart(Calculus *c, RefId p, RefId q, Given *given, Subst *to);
/* D(a) D(b) = [a == b] D(a), where no two places have D; says whether it applies. */
bool count_join(Calculus *c, const Terms *fs, Value *rest, bool *zero);
/* At how many values of the bound indices a product of predicates may hold. */
Rat count_most(Calculus *c, const Terms *fs, const Name *bound, uint32_t n);
/* A product of predicates counts, over the bound indices, what is there at one of them whatever else holds: at least 1. */
bool count_itself(Calculus *c, const Terms *fs, const Name *bound, uint32_t n);
/* Narrows the range of a count where the predicates that are known hold. */
void count_range(Calculus *c, RefId r, Given *given, Rat *lo, Rat *hi);

/* ---- look-ups (lookup.c): f(sum(v) [y == v] a[v], ..) is sum(v) [y == v] f(a[v], ..) where some v is y.  Tactic. */
typedef Value LookUpFunction(void *context, Calculus *c, const Value *v, uint32_t n);
bool look_up_power(Calculus *c, RefId r, Rat q, Value *out);
bool look_up_within(Calculus *c, const Value *v, uint32_t n, LookUpFunction *f, void *context, Value *out);

/* ---- folding copies (fold.c, antiunify.c) */
void fold(Calculus *c, Terms *t);
/* ends.c: with flat dimensions, once; whether it did. */
bool fold_ends(Calculus *c, Terms *t);
/* [e == 0] or [e < 0] of a form of indices, or of data, at an end of its range. */
bool edge_guard(Calculus *c, Value e, Value *out);
bool edge_point(Calculus *c, Value e, Value *out);
bool edge_value(Calculus *c, Value e, Value *out);
bool antiunify(Calculus *c, RefId a, RefId b, Lit key, Name name, Value *out);
/* Both have the same literals of other sizes, as any two instances of an anti-unification over `size` have. */
bool lits_alike(Calculus *c, RefId r, RefId s, int64_t size);

/* Everything temporary of a constructor: scratch memory, fresh names, forms.  Its result holds none of them, so names are
 * used again, and the references made of them are found instead of made. */
typedef struct Frame {
  ArenaMark scratch, form_arena;
  uint32_t fresh;
  size_t n_forms;
} Frame;
static inline Frame frame_enter(Calculus *c) {
  return (Frame){arena_mark(&c->scratch), arena_mark(&c->form_arena), c->fresh, c->forms.len};
}
static inline void frame_leave(Calculus *c, Frame f) {
  arena_reset(&c->scratch, f.scratch);
  arena_reset(&c->form_arena, f.form_arena);
  c->fresh = f.fresh;
  c->forms.len = f.n_forms;
}

static inline Value val(Rat k, RefId r) { return (Value){k, r}; }
static inline Value one_of(RefId r) { return (Value){RAT_1, r}; }
/* Nothing more is to be begun: for what takes long between steps. */
bool is_late(Calculus *c);
bool step(Calculus *c); /* counts; false once exhausted */
#define SCRATCH(c, T, n) ARENA_ARRAY(&(c)->scratch, T, n)
#endif
