/* Mutations: one place of a graph is changed the way programs go wrong.
 *
 * A mutant is a copy of the graph in which one node has become something else of the same type and shape; whatever
 * used the node uses that.  Nothing says that a mutant computes something else: that is for evaluation to find out. */
#ifndef TVR_TESTS_MUTATION_H
#define TVR_TESTS_MUTATION_H
#include "eval/graph/graph.h"

typedef enum Mutation {
#define MUTATION(id, what) MUTATION_##id,
#include "tests/mutate/mutation.def"
#undef MUTATION
  MUTATION_COUNT
} Mutation;

const char *mutation_name(Mutation m);
/* The mutant of `g` at node `id`; NULL if the mutation does not apply there.  `changed` gets the node in its place. */
Graph *mutation_make(const Graph *g, NodeId id, Mutation m, NodeId *changed);
#endif
