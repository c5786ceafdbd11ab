/* written: graphs that stand in a .tvr file themselves, and graphs as such text.
 *
 *     graph dist over (tp) {
 *       x: f32[5, 5] = parameter(0);
 *       y: f32[5, 18] = all_reduce(x, groups: [[0, 1, 2]], reducer: add, at: "models/matmul.py:11");
 *       return y
 *     }
 *
 * Operands are names of earlier values, attributes stand behind them by name: an integer, a fraction (7/1), a word or a
 * string, a list of integers, groups [[0, 1], [2, 3]], pairs [(0, 1)].  `constant(v)` is one number everywhere,
 * `constant([..])` all of them, row-major.  `at` is the place in the source, or a list of them, innermost first;
 * `result` the number of a result of an operator with several; `label` the name in the model. */
#ifndef TVR_GRAPH_WRITTEN_H
#define TVR_GRAPH_WRITTEN_H
#include <stdio.h>

#include "eval/graph/relation.h"
#include "lang/ast.h"

/* NULL after errors, which are reported.  n_devices: those of the mesh it runs over, else 1. */
Graph *written_read(const AstItem *item, uint32_t source, int64_t n_devices, const Sources *sources, Diags *diags);
/* The graph as an item; `over`: it runs over the mesh. */
void written_graph(FILE *out, const char *name, const Graph *g, const Mesh *over);
/* Mesh, given and expect items of a relation between the graphs `seq` and `dist`, whose parameters and results go by
 * the names of their nodes. */
void written_mesh(FILE *out, const Mesh *m);
void written_relation(FILE *out, const Relation *r, const Graph *seq, const Graph *dist);
#endif
