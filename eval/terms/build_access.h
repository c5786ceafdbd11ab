/* Inside of the builder: index forms over names, and reading an operand at them.  Only eval/build*.c includes it. */
#ifndef TVR_BUILD_ACCESS_H
#define TVR_BUILD_ACCESS_H
#include "eval/terms/build.h"

typedef Vec(Name) NameList;

/* A flat output dimension of two variables: its major digits have no names of their own. */
typedef struct Major {
  Name whole;        /* position in the flat dimension */
  int64_t block;     /* size of the minor part */
  uint32_t first, n; /* its place holders in Scope.pending */
} Major;

/* Names, sizes and sorts of all digits of a node, row-major. */
typedef struct Slots {
  uint32_t n;
  Name *names;
  int64_t *sizes;
  Sort *sorts;
} Slots;

/* Indices that are not digits: the sum over all positions v of [v == index] times what is there. */
typedef struct Lookup {
  Name bound[64];
  uint32_t n_bound;
  Vec(Value) guards;
} Lookup;

/* One node being built. */
typedef struct Scope {
  Build *b;
  Side side;
  NodeId id;
  const Node *node;
  const Instance *in;
  Form *var;         /* by variable: its value over names */
  DigitList *digits; /* by variable */
  Value *memo;       /* by expression */
  bool *done;
  MeshList position; /* own position in the replica group */
  bool regular;
  const char *failed; /* why the node cannot be read; NULL: fine */
  Subst pending;      /* major digits of flat output dimensions, still to be eliminated (from == to) */
  Vec(Major) majors;
  bool looks_up; /* what is not aligned with digits is looked up */
  Lookup own;    /* the output dimensions for which this is so */
} Scope;

/* sum of coef * stride * name over the digits of a list whose names are given, major to minor. */
Form access_digits(Arena *a, const DigitList *l, const Name *names, int64_t coef);
Form access_scale(Arena *a, Form f, int64_t k);
Form access_add(Arena *a, Form f, Form g);
Value access_value(Build *b, Form f);
/* Adds to `s` what the digits (named `names`) of a dimension become when it is read at `f`.  false: not in these digits;
 * with `forms`, the major one may be any affine form. */
bool access_match(Build *b, const DigitList *l, const Name *names, Form f, bool forms, Subst *s);
/* Digits with new names, bound by the look-up; false: too many. */
bool access_bind(Build *b, Lookup *k, const DigitList *l, Name *names);
/* The sum of v over what the look-up binds, which is freed. */
Value access_looked_up(Build *b, Lookup *k, Value v);
/* Marks a dimension as one to be made flat in the next round. */
void access_ask(Build *b, Side side, NodeId node, uint32_t dim);

/* Binds the variables of the instance, or sets s->failed; the value is what it comes to once `build_unbind` has freed it of
 * those that are no digits of the result. */
void build_bind(Scope *s);
Value build_unbind(Scope *s, Value v);
/* Value of an expression of the scope's instance; s->failed is set when it cannot be read. */
Value build_expression(Scope *s, XId x);
/* Arithmetic of an expression whose arguments have these values. */
Value build_apply(Calculus *c, const X *x, const Value *args);
Slots build_slots(Build *b, Side side, NodeId id);
/* The value of a node of an integer type that depends on no input, from its numbers (closed.h): an affine form or a band
 * of ones, or if it must be a table.  false: it is none of these, or not known, or too large. */
bool build_closed(Build *b, Side side, NodeId id, bool table, Value *out);
Value build_permuted(Scope *s, Value v);
Value build_opaque(Build *b, Side side, NodeId id, const Instance *in);
#endif
