/* Vector-Jacobian products: from the gradients of results to those of operands, through nodes of a graph.
 *
 * Plans say of a backward operator only which forward operator it is of: what it computes is derived here from the nodes
 * that the forward operator was lowered to, by the rule of each node's operator (vjp.c). */
#ifndef TVR_PLAN_VJP_H
#define TVR_PLAN_VJP_H
#include "frontends/base/compose.h"

/* Nodes [from, to) compute results from operands (nodes before `from`, or results of one operand handed on).  gradient[i]
 * is that of result[i], NO_NODE: none flows.  out[k] becomes the gradient of operand[k], of its type and shape: zeros if
 * none reaches it.  New nodes get the composer's stamp.  The name of an operator that has no rule, which a gradient meets;
 * NULL: all is well. */
const char *vjp(Composer *c, NodeId from, NodeId to, const NodeId *result, const NodeId *gradient, uint32_t n_results,
                const NodeId *operand, uint32_t n_operands, NodeId *out);
#endif
