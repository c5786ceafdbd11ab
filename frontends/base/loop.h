/* Loops read once instead of unrolled.
 *
 * The body is read for one iteration, the t-th, with fresh parameters for t and for what the loop carries.  It is read
 * twice: first to see which values stay as they are, and which are integers that grow by a constant (the counter is
 * one); these need no parameter.  The condition must compare such an integer with a constant, so that the number of
 * iterations is known: a loop of another form is left to unrolling.
 *
 *     Opening o;
 *     opening_begin(&o, g, init, n, place);      read condition and body at o.value
 *     opening_again(&o, flag, next);             read the body at o.value again
 *     opening_end(&o, next);                     o.value are the results
 *
 * Where a call is false nothing of the loop is left in the graph. */
#ifndef TVR_FRONTENDS_LOOP_H
#define TVR_FRONTENDS_LOOP_H
#include "eval/graph/graph.h"

typedef struct OpenValue {
  NodeId init, trial;
  bool kept, counted; /* the same in every iteration; start + t * step */
  int64_t start, step;
} OpenValue;

/* How far a graph is written, and back to there: what was read meanwhile goes, loops that were read once with it. */
typedef struct GraphEnd {
  size_t nodes, params, loops;
} GraphEnd;
GraphEnd graph_end(const Graph *g);
void graph_cut(Graph *g, GraphEnd end);

typedef struct Opening {
  Graph *g;
  Node place; /* name, frames, line of the loop */
  uint32_t n, within, index;
  GraphEnd end; /* before */
  OpenValue *of;
  NodeId *value; /* n: what condition and body are to be read at; in the end the results */
} Opening;

/* `within`: the loop around it that is being read (index in g->loops), or NO_LOOP. */
void opening_begin(Opening *o, Graph *g, const NodeId *init, uint32_t n, const Node *place, uint32_t within);
/* `flag`: of the condition; NO_NODE: it was not read. */
bool opening_again(Opening *o, NodeId flag, const NodeId *next);
bool opening_end(Opening *o, const NodeId *next);
/* Takes everything back. */
void opening_drop(Opening *o);
/* Once all outputs of the program are there: adds those of its loops. */
void loops_finish(Graph *g);
#endif
