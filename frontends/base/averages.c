/* See averages.h. */
#include "frontends/base/averages.h"

#include <string.h>

static NodeId scaled(Graph *g, NodeId x, const char *op, int64_t by) {
  const Node n = g->nodes.at[x];
  Rat value = rat_int(by);
  Literal lit = {.kind = LIT_SPLAT, .n = 1, .values = &value};
  Node y = {.op = sym("constant"), .name = n.name, .dtype = n.dtype, .rank = n.rank, .dims = n.dims, .literal = &lit,
            .frames = n.frames, .line = n.line};
  NodeId args[] = {x, graph_add(g, &y)};
  y.op = sym(op);
  y.literal = NULL;
  y.args = args;
  y.n_args = 2;
  return graph_add(g, &y);
}

NodeId average_part(Graph *g, NodeId x, int64_t n) { return scaled(g, x, "divide", n); }

void averages_apply(Graph *g, const int64_t *times) {
  bool any = false;
  for (size_t k = 0; k < g->params.len; k++) any |= times[k] > 1;
  if (!any) return;
  size_t n = g->nodes.len;
  Node *old = g->nodes.at;
  NodeId *to = xmalloc((n + 1) * sizeof *to);
  memset(&g->nodes, 0, sizeof g->nodes);
  for (NodeId id = 0; id < n; id++) {
    Node x = old[id];
    NodeId *args = ARENA_ARRAY(&g->arena, NodeId, x.n_args);
    for (uint32_t k = 0; k < x.n_args; k++) args[k] = to[x.args[k]];
    x.args = args;
    to[id] = (NodeId)g->nodes.len;
    vec_push(&g->nodes, x);
    if (x.op != sym("parameter") || x.param < 0 || (size_t)x.param >= g->params.len) continue;
    g->params.at[x.param] = to[id];
    if (times[x.param] > 1) to[id] = scaled(g, to[id], "multiply", times[x.param]);
  }
  for (size_t k = 0; k < g->outputs.len; k++) g->outputs.at[k].node = to[g->outputs.at[k].node];
  free(to);
  free(old);
}
