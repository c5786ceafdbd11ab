/* Facts: an imported graph as rows of the tables that stdlib/graph.tvr declares.
 *
 * Operators, operands, attributes, types, source lines are copied.  What a collective does to the axes of the mesh, and
 * which slices take the block at one's own place, follows from the equations of the operators (meaning/instance.h), not
 * from their names; whatever does not follow is left out, or said to vary. */
#ifndef TVR_FACTS_H
#define TVR_FACTS_H
#include "eval/graph/relation.h"
#include "lang/library.h"
#include "eval/program/program.h"

typedef struct FactGraph {
  Sym name;
  const Graph *graph;
  const Mesh *mesh;         /* NULL: not known; the groups of devices then stand for its axes */
  const Relation *relation; /* the layouts of its parameters, or NULL: they may vary over every axis */
} FactGraph;

/* Two graphs that correspond. */
typedef struct FactPair {
  Sym seq_name, dist_name;
  const Graph *seq, *dist;
  const Relation *relation;
} FactPair;

/* Rows of `lay`, `cut` and `addends`; both graphs are there.  false after errors, which are reported. */
bool facts_add_layouts(Program *e, const FactPair *pair, Library *library);

/* false after a limit or an operator that does not fit its definition, which is reported. */
bool facts_add(Program *e, const FactGraph *g, const Library *library);
#endif
