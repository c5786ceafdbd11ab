/* A pass from the outputs back to their operands, and one that moves what was reached to the front. */
#include "frontends/base/sweep.h"

void sweep_graph(Graph *g) {
  size_t n = g->nodes.len, kept = 0;
  NodeId *to = xcalloc(n, sizeof *to); /* first 1 for nodes in use, then the new number */
  for (size_t k = 0; k < g->outputs.len; k++) to[g->outputs.at[k].node] = 1;
  for (size_t k = 0; k < g->params.len; k++)
    if (g->params.at[k] != NO_NODE) to[g->params.at[k]] = 1;
  for (size_t i = n; i-- > 0;)
    if (to[i])
      for (uint32_t k = 0; k < g->nodes.at[i].n_args; k++) to[g->nodes.at[i].args[k]] = 1;
  for (size_t i = 0; i < n; i++) to[i] = to[i] ? (NodeId)kept++ : NO_NODE;
  if (kept == n) {
    free(to);
    return;
  }
  const NodeId *done = NULL; /* results of one operator share their list of operands */
  for (size_t i = 0; i < n; i++) {
    if (to[i] == NO_NODE) continue;
    Node *x = &g->nodes.at[i];
    NodeId *args = (NodeId *)x->args;
    for (uint32_t k = 0; args != done && k < x->n_args; k++) args[k] = to[args[k]];
    if (x->n_args) done = args;
    g->nodes.at[to[i]] = *x;
  }
  g->nodes.len = kept;
  for (size_t k = 0; k < g->outputs.len; k++) g->outputs.at[k].node = to[g->outputs.at[k].node];
  for (size_t k = 0; k < g->params.len; k++)
    if (g->params.at[k] != NO_NODE) g->params.at[k] = to[g->params.at[k]];
  free(to);
}
