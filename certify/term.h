/* Terms of the certificate checker.
 *
 * A *label* is an index with its size, or a constant.  A *definition* says what a field over numbered slots is, in
 * index notation over earlier definitions: a linear combination, a product of powers, a sum over indices, ...; the file
 * lists them, and whatever it lists is a definition.  An *atom* is a definition read at labels, a Num a rational times
 * an atom: equal atoms are equal values.  What is known of a definition (positive, integer, in a range) is derived
 * here. */
#ifndef TVR_CERTIFY_TERM_H
#define TVR_CERTIFY_TERM_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/arena.h"
#include "lang/base/intern.h"
#include "lang/base/rat.h"
#include "lang/base/vec.h"

typedef uint32_t Label, Atom, DefId;
#define LABEL_CONST 0x80000000u
static inline bool label_is_const(Label l) { return l & LABEL_CONST; }
static inline int64_t label_value(Label l) { return l & ~LABEL_CONST; }

typedef enum LabelKind { LABEL_DIM, LABEL_MESH, LABEL_BOUND, LABEL_GOAL, LABEL_INTEGER, LABEL_FORM } LabelKind;
typedef struct LabelInfo {
  uint32_t kind, a, b, unused; /* digit b of dimension a; mesh digit a; bound index a; index a of a goal */
  int64_t size; /* INTEGER: the integer; FORM: size * label a + label b.  These two only replace indices */
} LabelInfo;

/* c + sum k * label */
typedef struct Affine {
  int64_t c;
  uint32_t n;
  struct AffineTerm {
    int64_t k;
    Label l;
  } * t;
} Affine;

typedef enum DefKind {
#define DEF(id, text, tags, indices, least, most) DEF_##id,
#include "certify/def.def"
#undef DEF
  DEF_COUNT
} DefKind;

enum { NOT_ZERO = 1, FINITE = 2, NOT_NEGATIVE = 4 };
enum { IS_POS = 1, IS_NONNEG = 2, IS_PRED = 4, IS_INT = 8, MAY_INF = 16, HAS_GAP = 32, UNPADDED = 64 };

typedef struct DefArg {
  Rat tag; /* coefficient (LIN, MAX), power (MUL, SUM) */
  DefId def;
  uint32_t n;
  const int32_t *at; /* per slot of def: own slot, n_slots + bound slot, or -1 - constant */
} DefArg;

typedef struct Range { /* lo <= v, v <= hi */
  bool has_lo, has_hi;
  Rat lo, hi;
} Range;

typedef struct Def {
  uint8_t kind, flags;
  Sym fn;                     /* FN: the function; OPAQUE: the number of the operator */
  int64_t attr;               /* INPUT: parameter number; AT: the definition that is read */
  uint32_t n_slots, n_bound, n_args;
  const int64_t *sizes; /* slots, then bound slots */
  const DefArg *args;
  const uint32_t *mirror; /* the same value with slot i read as slot mirror[i]; NULL: none; then the next such .. */
  uint32_t n_mirrors;     /* .. of so many */
  const Rat *values;      /* TABLE, row-major */
  const Affine *forms;    /* AT: per slot of what is read, over own slots */
  DefId before;           /* AT: the one made before it; 0: none */
  Range range;
  Rat gap_lo, gap_hi; /* no value lies between */
  uint32_t chain;     /* how deep products stand in products, maxima in maxima */
  uint8_t assumed;    /* NOT_ZERO, ..: what the graphs do with it has no value else */
} Def;

typedef struct Item {
  Atom a;
  Rat k;
} Item;

typedef struct AtomInfo {
  DefId def;
  uint32_t n;
  const Label *at;
  const Item *args; /* if it binds nothing and was opened */
} AtomInfo;

typedef struct Num {
  Rat k;
  Atom a;
} Num;

typedef struct Index { /* from what something is to its number, in the order of first use */
  struct IndexSlot {
    uint32_t number, hash; /* from 1, 0: free; the upper half */
  } *slots;
  size_t n_slots;
  Vec(uint64_t) hashes; /* by number */
} Index;
/* The number of `key`: one that is it, or the next. */
uint32_t index_find(Index *x, uint64_t hash, bool (*is)(const void *all, uint32_t number, const void *key),
                    const void *all, const void *key);
void index_free(Index *x);

typedef struct Store {
  Arena arena, scratch;
  Vec(Def) defs;
  Vec(AtomInfo) atoms;
  Vec(LabelInfo) labels;
  Index label_index, atom_index;
  uint32_t fresh;
  DefId last_at;
  Vec(int64_t) whole; /* by number of an unknown function - 1: its values are whole numbers, 0 .. n - 1 unless n is 0 */
  uint32_t patience; /* how many sums are unfolded before two values count as different */
  uint32_t needs;    /* CertifyNeeds of what arithmetic assumed */
  uint64_t work;     /* atoms asked for */
  uint64_t looked;   /* how often the law of a step looked into values, of which a certificate may have some without end */
  bool overflow;     /* a number of a form is none any more: nothing is proved */
} Store;

enum { NOT_WHOLE = -1, MOST_LOOKED = 1 << 24 };
static inline bool store_tired(Store *s) { return ++s->looked > MOST_LOOKED; }
#define SCRATCH(s, T, n) ARENA_ARRAY(&(s)->scratch, T, n)
enum { MOST_UNFOLDED = 400, MOST_TERMS = 512, MOST_BITS = 1 << 14 };
/* Atoms 0 and 1 are the number one and minus infinity. */
enum { ATOM_ONE, ATOM_NEGINF };
static inline Num num(Rat k) { return (Num){k, ATOM_ONE}; }
static inline Num num_of(Atom a) { return (Num){RAT_1, a}; }
static inline Num num_scale(Rat k, Num v) { return (Num){rat_mul(k, v.k), v.a}; }
static inline bool num_is(Num v) { return v.a == ATOM_ONE || v.k == RAT_0; }
static inline bool num_same(Num v, Num w) { return v.k == w.k && (v.a == w.a || v.k == RAT_0); }

typedef struct DefShape { /* how a definition is written (def.def) */
  const char *text;
  bool tags, indices;
  uint32_t least, most;
} DefShape;
extern const DefShape def_shape[];

void store_init(Store *s);
void store_free(Store *s);
Label label_make(Store *s, LabelKind kind, uint32_t a, uint32_t b, int64_t size);
Label label_fresh(Store *s, int64_t size);
static inline int64_t label_size(const Store *s, Label l) { return s->labels.at[l].size; }
static inline bool label_is_form(const Store *s, Label l) {
  return !label_is_const(l) && s->labels.at[l].kind >= LABEL_INTEGER;
}
static inline bool label_among(const Label *l, uint32_t n, Label x) {
  while (n && l[n - 1] != x) n--;
  return n;
}
int label_compare(const Store *s, Label x, Label y);
/* A form as a label, for a slot of that size: a plain label or a constant where it is one; and back. */
Label label_of_form(Store *s, Affine f, int64_t size);
Affine label_open(Store *s, Label l);
Affine form_add(Store *s, Affine f, Affine g, int64_t k); /* f + k g */
bool form_inside(const Store *s, Affine f, int64_t size); /* 0 <= f < size wherever its labels are */
int64_t form_end(const Store *s, Affine f);               /* the least such size; 0: there is none */
/* The position of labels in mixed radix, major to minor. */
Affine form_digits(Store *s, const Label *l, uint32_t n);
/* Adds a definition (arrays are copied) and what is known of it.  It must be well-formed. */
DefId def_add(Store *s, Def d);
/* Notes that the definition, which was just added, is the same where slot i is read as slot turn[i], if it is so. */
bool def_symmetry(Store *s, DefId id, const uint32_t *turn);
/* The definition of an index of that size, made if there is none. */
DefId def_index(Store *s, int64_t size);
/* A number as a definition, found or made. */
DefId def_number(Store *s, Rat k);
/* A table of numbers, row-major, found or made; `values` must live as long as the store. */
DefId def_table(Store *s, const Rat *values, const int64_t *sizes, uint32_t n_slots);
/* `leaf` (an input, a table, what an unknown operator produces) at labels, constants and forms. */
Atom atom_read(Store *s, DefId leaf, const Label *at);
/* The labels at which AT definition d, itself at `at`, reads. */
void at_labels(Store *s, const Def *d, const Label *at, Label *out);
/* Slot i stands in no arg. */
bool def_produces(const Def *d, uint32_t i);
/* The definition of an atom. */
static inline const Def *def_of(const Store *s, Atom a) { return &s->defs.at[s->atoms.at[a].def]; }
static inline uint8_t flags_of(const Store *s, Atom a) { return def_of(s, a)->flags; }
/* An atom as a number, if its definition is one. */
static inline Num num_plain(const Store *s, Atom a) {
  const Def *d = def_of(s, a);
  bool number = d->kind == DEF_LIN && d->n_args == 1 && !d->args[0].def;
  return number ? num(d->args[0].tag) : num_of(a);
}
Atom atom_make(Store *s, DefId def, const Label *at, uint32_t n);
Atom atom_index(Store *s, Label l);
bool atom_has(const Store *s, Atom a, Label l);
/* The args of an atom with its labels; the bound slots get `bound` (n_bound labels).  In scratch, where it binds any. */
const Item *atom_open(Store *s, Atom a, const Label *bound);
Item *args_open(Store *s, Def d, const Label *slots, const Label *bound);
/* Fresh labels for the bound slots, in scratch. */
Label *atom_bound(Store *s, Atom a);

/* Derives what is known of a definition (range.c). */
void def_know(Store *s, Def *d);
/* The graphs divide by it, so it is not 0, nor are its factors; they take it away, so it is finite; or take a root of it:
 * all that at all labels.  What a certificate alone divides by may be 0, and 1 / 0 is then 0. */
void atom_assume(Store *s, Atom a, uint8_t what);
bool atom_not_zero(const Store *s, Atom a);
bool atom_not_negative(const Store *s, Atom a);
/* x ^ p is never negative. */
bool even_power(Rat p);
Range range_from(Rat lo, Rat hi);
Range range_scale(Range r, Rat k);
Range range_add(Range a, Range b);
Range range_meet(Range a, Range b); /* what is in both */
Range range_hull(Range a, Range b); /* what is in either */
/* Whether all of it is below 0 (less), or is 0: 1, 0; -1: some is. */
int range_decides(Range r, bool less);
Range num_bounds(const Store *s, Num v);
/* lo <= v <= hi; false: not both are known. */
bool num_range(const Store *s, Num v, Rat *lo, Rat *hi);
bool num_is_int(const Store *s, Num v);
bool num_is_pred(const Store *s, Num v);

/* The range of items[i] where the predicates among the other items hold (law_case.c). */
Range facts_range(Store *s, const Item *items, uint32_t n, uint32_t i);

/* Items without order: merged by atom, zeros dropped. */
typedef struct Poly {
  Item *at;
  uint32_t n, cap;
  bool undefined; /* infinities met with opposite signs */
} Poly;
void poly_put(Store *s, Poly *p, Atom a, Rat k);
void poly_add(Store *s, Poly *p, const Poly *q, Rat k);         /* k times q */
void poly_pack(Poly *p);                                        /* drops zeros */
Poly poly_minus(Store *s, const Poly *p, Rat k, const Poly *q); /* p - k q */
Rat poly_weight(const Poly *p, Atom a);
bool poly_equal(const Poly *p, const Poly *q);
/* scale * v as a sum of terms, linear combinations opened once. */
void poly_linear(Store *s, Poly *p, Rat scale, Num v);
/* A product: k * prod f; a number under a root is a factor. */
typedef struct Product {
  Rat k;
  Poly f;
} Product;
/* Multiplies by v^p; false: not within the laws of powers. */
bool product_put(Store *s, Product *p, Num v, Rat power);
#endif
