/* Tables: constants that both graphs hold are cut alike.
 *
 * A model's buffers (a causal mask, positions) are constants of both programs; nothing else says that a dimension of
 * one is that of the other.  The k-th constant of some shape and values is taken for the k-th of the other graph. */
#ifndef TVR_TABLES_H
#define TVR_TABLES_H
#include "eval/digits/cuts.h"
#include "eval/graph/graph.h"

/* base: per node, the number of its first dimension in `cuts`. */
void tables_link(const Graph *const graph[2], CutDim *const base[2], Cuts *cuts);
#endif
