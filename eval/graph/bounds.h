/* Bounds: between which integers the values of a node lie, by interval arithmetic from the ranges of a relation.
 *
 * Unsigned integers wrap as their type says, and so does what is converted from known bounds.  Other signed ones that their
 * type may not hold are of no known bounds, as those of operators that are not listed here are. */
#ifndef TVR_GRAPH_BOUNDS_H
#define TVR_GRAPH_BOUNDS_H
#include "eval/graph/relation.h"

typedef __int128 Wide __attribute__((aligned(8))); /* as arenas align */

typedef struct Bounds {
  bool known;
  bool exceeds; /* the exact value may be one that the signed type of the node does not hold */
  Wide lo, hi;
} Bounds;

/* Of every node of a graph of the relation; in the arena. */
const Bounds *graph_bounds(const Graph *g, const Relation *r, int side, Arena *a);
bool bounds_fit(const Bounds *b, DType t);
#endif
