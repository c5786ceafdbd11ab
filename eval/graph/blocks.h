/* Blocks: tensors that a relation compares in another order of their blocks.
 *
 * The sequential graph is written for the rearranged tensors: such an input is taken apart into its blocks and put
 * together in their own order, such an output the other way round; what is computed from that reads it in the blocks.  A
 * permutation is a bijection, so this changes what inputs and outputs are called, not what is asked. */
#ifndef TVR_BLOCKS_H
#define TVR_BLOCKS_H
#include "eval/graph/graph.h"
#include "eval/graph/relation.h"

/* The graph for the blocks of a relation, which has none afterwards: `g` itself where there were none.  NULL after
 * errors, which are reported: blocks that do not fit, or another order of the same tensor. */
Graph *blocks_apply(Graph *g, Relation *r, Diags *diags);
bool blocks_same(const Blocks *a, const Blocks *b);
#endif
