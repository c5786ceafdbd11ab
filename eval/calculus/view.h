/* Classes as they are stored: for who writes a proof down (eval/witness/witness.c). */
#ifndef TVR_VIEW_H
#define TVR_VIEW_H
#include "eval/calculus/calculus.h"

typedef enum Kind {
  K_ONE,    /* the number 1 */
  K_NEGINF, /* minus infinity */
  K_LEAF,   /* an input tensor or a table; attr: Sym of its name */
  K_IDX,    /* the index of its one slot */
  K_LIN,    /* sum of tag * arg; no arg is K_LIN, at least two terms (or one, under a root) */
  K_MUL,    /* product of arg ^ tag */
  K_RED,    /* sum over the bound slots of the product of arg ^ tag */
  K_MAX,    /* maximum over the bound slots and over the args of tag * arg */
  K_CMP,    /* attr CMP_LT or CMP_EQ: arg < 0, arg == 0 */
  K_SEL,    /* arg0 ? arg1 : arg2 */
  K_FN,     /* attr: Sym of an elementwise function */
  K_OP,     /* attr: Sym of an opaque operator; slots no arg uses are produced by it */
  K_AT,     /* leaf (or produced slots of an operator) at affine forms; attr: index of its AtSpec */
} Kind;

typedef struct Arg {
  Rat tag; /* coefficient (lin, max), exponent (mul, red), position (others) */
  ClassId cls;
  uint32_t n;
  const int32_t *ix; /* per slot of cls: own slot, n_slots + bound slot, or -1 - constant */
} Arg;

typedef struct Perm { /* a symmetry: slot i may be read as slot at[i] */
  const uint16_t *at;
} Perm;

typedef struct ClassView {
  Kind kind;
  uint32_t attr, n_slots, n_bound, n_args, n_sym;
  const Perm *sym;
  const int64_t *sizes; /* slots, then bound slots */
  const Arg *args;
  const Rat *values; /* of a table, row-major; NULL: no table */
} ClassView;

/* constant + sum coef * slot */
typedef struct ViewForm {
  int64_t constant;
  uint32_t n;
  struct ViewTerm {
    int64_t coef;
    uint32_t slot;
  } * terms;
} ViewForm;

ClassView view_class(const Calculus *c, ClassId id);
/* What AT class `id` reads, and where: form i over its own slots, in `a`. */
ClassId view_at(const Calculus *c, ClassId id, Arena *a, uint32_t *n, ViewForm **forms);
/* The class at these names (or constants). */
Value view_value(Calculus *c, ClassId id, const Name *names, uint32_t n);
/* Work may go on for so many seconds, whatever limit was reached. */
void view_renew(Calculus *c, double seconds);
#endif
