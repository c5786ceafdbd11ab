/* Blocks: tensors that a relation compares in another order of their blocks (zig-zag sequences, packed projections).
 *
 * The sequential graph is written for the rearranged tensors: such an input is taken apart into its blocks and put
 * together in their own order, such an output the other way round.  A permutation is a bijection, so this changes what
 * inputs and outputs are called, not what is asked. */
#ifndef TVR_FRONTENDS_BLOCKS_H
#define TVR_FRONTENDS_BLOCKS_H
#include "eval/graph/graph.h"

typedef struct Blocks {
  uint32_t dim, n; /* n == 0: as it is */
  int64_t *order;  /* block k of the rearranged tensor is block order[k] */
  bool plain;      /* used by relations: said to be as it is */
} Blocks;

/* `blocks`: by parameter number, then by output.  Takes `g` and returns it, or frees it and returns another. */
Graph *blocks_apply(Graph *g, const Blocks *blocks);
#endif
