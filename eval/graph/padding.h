/* Padding: what stands in the last blocks of a dimension that its size does not fill.
 *
 * A relation says nothing of it: any number stands there.  Where a tensor has one copy, its padding is as good as more
 * of the tensor.  Copies may be padded differently: those that another parameter holds, and those of other devices, if
 * anything goes from one of these to the other. */
#ifndef TVR_PADDING_H
#define TVR_PADDING_H
#include "eval/graph/relation.h"

/* For every input of the relation whether its padding may differ from that of a copy that meets it, or of an input before
 * it, or cannot be told from the tensor by digits of positions; in `a`. */
bool *padding_differs(const Relation *r, const Graph *seq, const Graph *dist, Arena *a);
/* Whether some block of an input is padded. */
bool padding_in(const Relation *r, const Related *x, const Graph *seq, const Graph *dist);
/* .. of any input, for every parameter of the sequential graph; in `a`. */
bool *padding_of(const Relation *r, const Graph *seq, const Graph *dist, Arena *a);
#endif
