/* order: operators that pick values by their order.
 *
 * `topk` has no equation, but its meaning is certain as long as no two candidates tie: result 0 holds the k largest
 * (smallest) values of the last dimension in order, result 1 their positions.  Where values tie the positions are
 * unknown.  Everything else that the library calls opaque stays unknown. */
#ifndef TVR_EXACT_ORDER_H
#define TVR_EXACT_ORDER_H
#include "eval/graph.h"

/* Whether the node is one of these. */
bool order_known(const Graph *g, const Node *n);
/* Order of candidates i and j of one row: -1, 0 or 1; 2 if undecided. */
typedef int OrderCompare(void *context, int64_t i, int64_t j);
/* Candidate of the row of `size` that stands at place `place` of the result; -1 if undecided.  *tied: another candidate
 * has the same value. */
int64_t order_pick(const Node *n, int64_t size, int64_t place, OrderCompare *compare, void *context, bool *tied);
#endif
