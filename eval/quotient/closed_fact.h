/* Facts of values that depend on no input (closed.h), from their numbers: a mask that is cut up and gathered again still has
 * a number in each row, which no fact of its pieces says. */
#ifndef TVR_QUOTIENT_CLOSED_FACT_H
#define TVR_QUOTIENT_CLOSED_FACT_H
#include "eval/exact/closed.h"
#include "eval/quotient/fact.h"

/* Of all values of the node on devices 0 .. n_devices - 1; FACT_NONE where they are not known. */
Fact fact_of_closed(Closed *c, const Node *n, NodeId id, int64_t n_devices);
#endif
