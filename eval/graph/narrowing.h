/* Narrowing: where a program may come to integers that their type does not hold.  Numbers are exact and never wrap, so what
 * is said of such a program holds as long as it does not; who says it says so as well. */
#ifndef TVR_GRAPH_NARROWING_H
#define TVR_GRAPH_NARROWING_H
#include "eval/graph/bounds.h"

typedef struct Narrowing {
  const Graph *graph[2];
  const Bounds *bounds[2];
  bool *reached[2]; /* nodes that outputs depend on: only their operators matter */
} Narrowing;

/* Conversions to integers that do not hold the bounds of the operand, which are known, get the attribute `wraps`. */
void narrowing_mark(Graph *g, const Relation *r, int side);
bool *graph_reached(const Graph *g, const Relation *r, int side, Arena *a);
void narrowing_begin(Narrowing *c, const Graph *const graph[2], const Relation *r, Arena *a);
/* What is assumed of a node that outputs depend on; NULL: nothing. */
const char *narrowing_text(const Narrowing *c, int side, NodeId id, Arena *a);
#endif
