/* Part: a pair of graphs of its own that computes one output of a larger pair.
 *
 * Values that correspond may become inputs of both graphs; the relation of the part says how.  Names are made fit for a
 * `.tvr` file. */
#ifndef TVR_REDUCE_PART_H
#define TVR_REDUCE_PART_H
#include "eval/digits/digits.h"
#include "eval/graph/relation.h"

typedef struct Part {
  Graph *graph[SIDE_COUNT];
  Relation relation;
} Part;

/* A distributed value that is so many times a sequential one under a layout. */
typedef struct Link {
  NodeId node[SIDE_COUNT];
  Rat factor;
  Related related;
} Link;
typedef Vec(Link) Links;

/* The pair that computes one output from its parameters and the values cut (or NULL). */
Part part_slice(const Graph *const graph[SIDE_COUNT], const Relation *rel, uint32_t output, const Links *links);
Part part_copy(const Part *p);
void part_free(Part *p);
/* Operators of both graphs. */
size_t part_size(const Part *p);
/* Operators that an output of a pair depends on. */
size_t part_cone(const Graph *const graph[SIDE_COUNT], const Related *o);
#endif
