/* Vector-Jacobian products: from the gradients of results to those of operands, through nodes of a graph.
 *
 * Plans say of a backward operator only which forward operator it is of: what it computes is derived here from the nodes
 * that the forward operator was lowered to, by the rule of each node's operator (vjp.c).  What is no floating-point number
 * has no gradient. */
#ifndef TVR_PLAN_VJP_H
#define TVR_PLAN_VJP_H
#include "frontends/base/compose.h"

/* Nodes [from, to) compute results from operands, which are nodes before `from`, or the first of these. */
typedef struct VjpRange {
  NodeId from, to;
  const NodeId *result, *operand;
  uint32_t n_results, n_operands;
} VjpRange;

/* Do the nodes use the operands, and nothing else that depends on them?  Not so where composing saw through an operand (a
 * reshape of a reshape), or where two operands are one node. */
bool vjp_separate(const Composer *c, const VjpRange *r);
/* gradient[i] is that of result[i], NO_NODE: none flows.  out[k] becomes the gradient of operand[k], of its type and shape,
 * if it is wanted: zeros if none reaches it.  New nodes get the composer's stamp.  The name of an operator that has no
 * rule, which a gradient meets; NULL: all is well. */
const char *vjp(Composer *c, const VjpRange *r, const NodeId *gradient, const bool *wanted, NodeId *out);
#endif
