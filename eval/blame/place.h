/* Place: the source line that stands for an operator.
 *
 * Most say where they come from.  A literal, or what a compiler added, may not, or know a caller only: then it is the
 * line of the first operator that uses it. */
#ifndef TVR_PLACE_H
#define TVR_PLACE_H
#include "eval/graph/graph.h"

/* By node: the node whose source line stands for it, or NO_NODE. */
NodeId *place_nodes(const Graph *g, Arena *a);
#endif
