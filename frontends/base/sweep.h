/* Dropping nodes that no output needs: what unrolling folded away, and dead instructions. */
#ifndef TVR_FRONTENDS_SWEEP_H
#define TVR_FRONTENDS_SWEEP_H
#include "eval/graph/graph.h"

/* Renumbers the nodes that stay; parameters always stay.  Results of one operator may share one list of operands if
 * they stand next to each other. */
void sweep_graph(Graph *g);
#endif
