/* Gap: where a sum over devices is missing.
 *
 * An operator that is missing has no line.  It belongs between the one that makes parts of a sum and the first that
 * uses them as if they were the whole, or the output: what only moves, scales or adds parts lies in between.  Where the
 * program sums other values over the same axes in the same place is a line to look at: a layer left out, a weight
 * forgotten. */
#ifndef TVR_GAP_H
#define TVR_GAP_H
#include "eval/blame/relatives.h"

typedef struct Gap {
  uint32_t axes;   /* mesh axes of the sum, as a set; 0: nothing is missing here */
  NodeId user;     /* the first operator that uses parts as the whole .. */
  uint32_t output; /* .. or, if NO_NODE, an output that they reach */
  Sym via;         /* the last source line on the way of another operator that only hands parts on, or 0 */
  NodeId alike;    /* a sum over the same axes that another value has in this place, or NO_NODE .. */
  NodeId alike_of; /* .. and that value */
} Gap;

/* `axes` are missing behind the `n` nodes (ascending), and open output `output` shows it.  `place`: see place.h. */
Gap gap_behind(Relatives *r, const NodeId *nodes, uint32_t n, uint32_t axes, uint32_t output, const NodeId *place);
#endif
