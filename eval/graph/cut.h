/* Cut: a pair of graphs without what comes before values that are known to correspond.
 *
 * A distributed value is known to be a sequential one, through a layout.  Either both become an input of their programs
 * that the relation relates so: what is proved for any such inputs holds for what they are computed as.  Or the
 * distributed one alone is read as the sequential one, whose operators stay.  Nodes keep their numbers. */
#ifndef TVR_CUT_H
#define TVR_CUT_H
#include "eval/graph/graph.h"
#include "eval/graph/relation.h"

/* A distributed value that is so many times a sequential one, cut by the layout (without sums). */
typedef struct Waypoint {
  NodeId seq, dist;
  Layout layout;
  Rat factor;
  uint32_t number; /* among all that are proved on the way (Stage in eval/prove/waypoint.h) */
} Waypoint;

/* Its blocks are of one size and have nothing but the value. */
bool waypoint_is_even(const Waypoint *w, const Graph *const graph[2], const Mesh *mesh);

typedef struct Waypoints {
  uint32_t n;
  const Waypoint *at;
} Waypoints;

typedef struct Cut {
  Waypoints inputs; /* inputs of both graphs, behind the others */
  Waypoints ways;   /* the distributed ones are read as sequential ones, if they are no inputs */
  Waypoints claims; /* outputs in place of those of the relation; none: those are kept */
} Cut;

/* graph[0], sequential, and graph[1] become other graphs, *relation another relation, all in `a`; they point to what the
 * old ones point to.  What no output depends on is left out: a "parameter" without a number; and ways have no operands. */
void cut_pair(const Cut *cut, const Graph *graph[2], const Relation **relation, Arena *a);
static inline bool cut_left_out(const Node *n) { return n->param < 0 && n->op == sym("parameter"); }
/* The others of both. */
size_t cut_nodes(const Graph *const graph[2]);
#endif
