/* Averages: tensors of a distributed graph whose mean over devices is the sequential tensor (DTensor's Partial("avg")).
 *
 * A relation knows addends, so the graph is written for them: an output divided by the number of devices is an addend, and
 * an input is so many times the addend that stands in its place. */
#ifndef TVR_FRONTENDS_AVERAGES_H
#define TVR_FRONTENDS_AVERAGES_H
#include "eval/graph/graph.h"

/* A new node: x / n. */
NodeId average_part(Graph *g, NodeId x, int64_t n);
/* `times`: by parameter; where it is more than 1, the parameter becomes the addend, and what used it uses so many times it.
 * Ids of nodes change. */
void averages_apply(Graph *g, const int64_t *times);
#endif
