/* Shrink: the equation of a node over the small indices of its tensors.
 *
 * Where every operand is the same at positions that agree in the kept digits of its dimensions, so is the result, if each
 * index stands as a subscript alone: a read at a mixed radix of indices is one at the kept digits of these, and a sum over
 * an index is one over its kept digits, times the number of positions that share them.  Whatever treats an index as a
 * number (a position, a comparison, an odd slice) needs it whole. */
#ifndef TVR_SHRINK_H
#define TVR_SHRINK_H
#include "eval/digits/digits.h"
#include "eval/quotient/fact.h"
#include "eval/quotient/pattern.h"

typedef struct Shrinking {
  const Problem *problem;
  Side side;
  NodeId node;
  /* Of a dimension of a node of the side, and of a variable of the equation. */
  void (*dim)(void *context, Side side, NodeId node, uint32_t dim, Pattern *out);
  void (*var)(void *context, Side side, NodeId node, VarId var, Pattern *out);
  /* Told of what must be kept whole. */
  void (*need_dim)(void *context, Side side, NodeId node, uint32_t dim);
  void (*need_var)(void *context, Side side, NodeId node, VarId var);
  void *context;
  const Fact *facts;    /* of the expressions */
  const Fact *fact;     /* by node of the side */
  const bool *vague;    /* it has no small tensor */
  const uint64_t *mean; /* dimensions (bits) along which that is a mean (mean.h) */
} Shrinking;

typedef enum Shrunk {
  SHRUNK,       /* *out is the equation */
  SHRINK_NEEDS, /* some index is not kept whole, as it must be */
  SHRINK_VAGUE, /* an operand is vague */
} Shrunk;

/* In `a`.  Expressions that are 0 everywhere read nothing. */
Shrunk shrink(const Shrinking *s, Arena *a, Instance *out);
#endif
