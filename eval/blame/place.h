/* Place: the source line that stands for an operator.
 *
 * Most say where they come from.  A literal, or what a compiler added, may not, or know a caller only: then it is the
 * line of the first operator that uses it.  A line that the other program runs, too, as that of a norm both call, is
 * hardly wrong by itself: what calls it is shown, unless much of the program is called from there. */
#ifndef TVR_PLACE_H
#define TVR_PLACE_H
#include "eval/graph/graph.h"

/* By node: the node whose source line stands for it, or NO_NODE. */
NodeId *place_nodes(const Graph *g, Arena *a);
/* Of a stack of frames: the index of the line to show. */
uint32_t place_shown(const Graph *g, const Graph *other, const Frames *f);
#endif
