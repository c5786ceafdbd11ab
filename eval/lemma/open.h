/* Open: the sides of a lemma as terms in which sizes are names.
 *
 * A term is a number, a variable (a size, an attribute, an index, all of them integers), an element of a parameter at
 * the row-major position of each dimension, or built from others; a sum or maximum runs over one variable from 0 below
 * a size.  Bound variables are numbered by how deep they stand, so sums that differ in names only are the same term.
 * What an element is beyond its dimension is not said: two terms that are equal are so for all functions of the
 * integers.  Exponentials of sums are products, the logarithm undoes them (the axioms of the library).
 *
 * How much is done to a sum as it is made is a level, since the laws of sums are proved by what comes before them. */
#ifndef TVR_LEMMA_OPEN_H
#define TVR_LEMMA_OPEN_H
#include "eval/lemma/shape.h"
#include "eval/meaning/fn.h"

typedef enum OpenKind {
  OPEN_NUMBER, /* k */
  OPEN_VAR,    /* id */
  OPEN_READ,   /* id: parameter; args: a position for each dimension */
  OPEN_ADD,
  OPEN_MUL,
  OPEN_POWER, /* args[0] ^ k */
  OPEN_FN,    /* id: FnId */
  OPEN_LESS,  /* args[0] < args[1]; and so on: truth values */
  OPEN_EQUAL,
  OPEN_NOT,
  OPEN_AND,
  OPEN_IF,
  OPEN_SUM, /* id: the bound variable; args: its size, what is added up */
  OPEN_MAX,
} OpenKind;

typedef enum OpenType { OPEN_REAL, OPEN_INT, OPEN_TRUTH } OpenType;

typedef struct OpenTerm OpenTerm;
struct OpenTerm {
  uint8_t kind, type;
  uint16_t depth; /* of bound variables in it */
  uint32_t weight; /* terms in it, each as often as it stands there: all of them are walked */
  Rat k;
  uint32_t id, n;
  const OpenTerm *const *args;
};

/* Variables: sizes and attributes by number of the name; free indices and what stands for any index; bound ones. */
enum { OPEN_INDEX = 1000, OPEN_ANY = 2000, OPEN_BOUND = 100000 };

typedef enum OpenLevel {
  OPEN_PLAIN,  /* sums stay as they are */
  OPEN_LINEAR, /* of a sum they are sums, a factor without the variable moves out */
  OPEN_POINT,  /* and the index is put where an equation has it; a comparison cuts its range; it runs upwards */
} OpenLevel;

/* What a proof may take for granted where a side stands outside of sums and maxima: sides without a value. */
typedef enum OpenAssumption { OPEN_NONZERO = 1, OPEN_ROOTS = 2, OPEN_NONEMPTY = 4 } OpenAssumption;

typedef struct OpenTerms {
  Arena *a;
  OpenLevel level;
  uint32_t steps;  /* a budget */
  const char *why; /* what could not be said, or NULL */
} OpenTerms;

const OpenTerm *open_number(OpenTerms *o, Rat k);
const OpenTerm *open_var(OpenTerms *o, uint32_t id);
const OpenTerm *open_read(OpenTerms *o, uint32_t param, OpenType type, const OpenTerm *const *at, uint32_t n);
const OpenTerm *open_add(OpenTerms *o, const OpenTerm *x, const OpenTerm *y);
const OpenTerm *open_sub(OpenTerms *o, const OpenTerm *x, const OpenTerm *y);
const OpenTerm *open_mul(OpenTerms *o, const OpenTerm *x, const OpenTerm *y);
const OpenTerm *open_power(OpenTerms *o, const OpenTerm *x, Rat k);
const OpenTerm *open_fn(OpenTerms *o, FnId fn, const OpenTerm *const *args, uint32_t n);
/* kind: OPEN_LESS or OPEN_EQUAL. */
const OpenTerm *open_compare(OpenTerms *o, OpenKind kind, const OpenTerm *x, const OpenTerm *y);
const OpenTerm *open_not(OpenTerms *o, const OpenTerm *x);
const OpenTerm *open_and(OpenTerms *o, const OpenTerm *x, const OpenTerm *y);
const OpenTerm *open_if(OpenTerms *o, const OpenTerm *p, const OpenTerm *x, const OpenTerm *y);
/* kind: OPEN_SUM or OPEN_MAX. */
const OpenTerm *open_fold(OpenTerms *o, OpenKind kind, uint32_t var, const OpenTerm *size, const OpenTerm *body);
bool open_equal(const OpenTerm *x, const OpenTerm *y);
bool open_has(const OpenTerm *t, uint32_t var);
/* t with another term for a variable; sums and maxima up to just `last` are those up to the one before, and the last
 * (last = NULL: none). */
const OpenTerm *open_put(OpenTerms *o, const OpenTerm *t, uint32_t var, const OpenTerm *by, const OpenTerm *last);
/* What a sum adds up at an index. */
const OpenTerm *open_at(OpenTerms *o, const OpenTerm *fold, const OpenTerm *at);

/* A lemma: both sides, and what holds where they are compared. */
typedef struct OpenLemma {
  const OpenTerm *left, *right;
  Vec(const OpenTerm *) where; /* truth values: conditions, sizes are not negative, indices are in range */
  Vec(uint32_t) sizes;         /* variables that are sizes of any number */
  Vec(const OpenTerm *) value; /* truth values: both sides have a value, as far as it is asked outside of sums */
  uint32_t assumptions;        /* of which kinds these are: of OpenAssumption */
} OpenLemma;

/* false: o->why. */
bool open_lemma(OpenTerms *o, const Shapes *s, const Library *library, OpenLemma *out);
#endif
