/* Integer arithmetic on known scalars: what turns the counter of an unrolled loop, and everything computed from it,
 * into constants.  Division truncates; what does not fit the type is not folded. */
#ifndef TVR_FRONTENDS_FOLD_H
#define TVR_FRONTENDS_FOLD_H
#include "eval/graph/graph.h"

/* The value of a scalar integer or truth operator of `n` known operands with a result of type t; `direction` is that of
 * a comparison, or 0.  False if it has none, or it does not fit the type. */
bool fold_scalar(Sym op, DType t, Sym direction, const int64_t *x, uint32_t n, int64_t *out);
/* The integer a node is known to be: a constant, or a copy of one. */
bool fold_known(const Graph *g, NodeId id, int64_t *out);
/* Which of its operands "and" or "or" of truth values of one shape is, as one of them is known; NO_NODE: not so. */
NodeId fold_truth(const Graph *g, Sym op, DType t, const NodeId *args);
/* The type holds it. */
bool fold_fits(DType t, int64_t v);
#endif
