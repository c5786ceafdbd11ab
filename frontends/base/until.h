/* Until: loops that may end early, as "at most 8 times, until it has converged".
 *
 * Iterations are read up to where the condition is known not to hold.  Before each of which it is not known whether it runs,
 * what the loop carries is kept; in the end the results are chosen, from the last iteration back to the first. */
#ifndef TVR_FRONTENDS_UNTIL_H
#define TVR_FRONTENDS_UNTIL_H
#include "frontends/base/compose.h"

/* Why a loop that cannot be read so is unknown. */
#define UNTIL_WHY "how often the loop runs is not known"

typedef struct Turn {
  NodeId flag;
  size_t end;           /* of the graph, as the iteration begins */
  const NodeId *before; /* what is carried */
} Turn;

typedef struct Until {
  size_t begin; /* of the loop's nodes */
  Vec(Turn) turns;
} Until;

/* The n values carried are `before` (copied), and the next iteration runs if `flag` holds.  false: too many, or of too many
 * nodes, to be read at all. */
bool until_turn(Until *u, Graph *g, NodeId flag, const NodeId *before, uint32_t n);
/* values[k]: after the last iteration that was read; becomes what the loop gives. */
void until_choose(const Until *u, Composer *c, NodeId *values, uint32_t n);
void until_free(Until *u);
#endif
