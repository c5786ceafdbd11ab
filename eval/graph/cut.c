#include "eval/graph/cut.h"

#include <string.h>

static NodeId node_of(const Waypoint *w, int side) { return side ? w->dist : w->seq; }
static bool is_parameter(const Node *n) { return n->op == sym("parameter"); }

static void make_parameter(Node *n, int64_t number) {
  n->op = sym("parameter");
  n->n_args = n->n_attrs = 0;
  n->literal = NULL;
  n->param = number;
}

/* A list by number of parameter, NULL for those that are new. */
static const void *longer(const void *list, size_t had, size_t n, Arena *a) {
  return list ? memcpy(ARENA_ARRAY(a, const void *, n + 1), list, had * sizeof(const void *)) : NULL;
}

static Graph *copy_graph(const Graph *from, int side, const Cut *c, Arena *a) {
  Graph *g = arena_copy(a, from, sizeof *g);
  size_t had = from->params.len, most = had + c->inputs.n;
  g->nodes.at = arena_copy(a, from->nodes.at, from->nodes.len * sizeof *from->nodes.at);
  g->params.at = ARENA_ARRAY(a, NodeId, most + 1);
  memcpy(g->params.at, from->params.at, had * sizeof *from->params.at);
  g->param_on = longer(from->param_on, had, most, a);
  g->param_sizes = longer(from->param_sizes, had, most, a);
  if (!c->claims.n) return g;
  g->outputs.at = ARENA_ARRAY(a, GraphOutput, c->claims.n);
  g->outputs.len = c->claims.n;
  for (uint32_t i = 0; i < c->claims.n; i++) g->outputs.at[i].node = node_of(&c->claims.at[i], side);
  g->output_on = NULL;
  g->output_sizes = NULL;
  return g;
}

/* The number of the input that the node is from now on. */
static int64_t input_of(Graph *g, NodeId id) {
  Node *n = &g->nodes.at[id];
  if (is_parameter(n)) return n->param;
  g->params.at[g->params.len++] = id;
  make_parameter(n, (int64_t)g->params.len - 1);
  return n->param;
}

static Relation *relation_of(const Relation *from, const Cut *c, Graph *graph[2], Arena *a) {
  Relation *r = arena_copy(a, from, sizeof *r);
  r->inputs = ARENA_ARRAY(a, Related, from->n_inputs + c->inputs.n + 1);
  if (from->n_inputs) memcpy(r->inputs, from->inputs, from->n_inputs * sizeof *r->inputs);
  for (uint32_t i = 0; i < c->inputs.n; i++) {
    const Waypoint *w = &c->inputs.at[i];
    r->inputs[r->n_inputs++] = (Related){.name = graph[0]->nodes.at[w->seq].name,
                                         .seq = input_of(graph[0], w->seq),
                                         .dist = input_of(graph[1], w->dist),
                                         .layout = w->layout,
                                         .factor = w->factor,
                                         .scale = 1};
  }
  if (!c->claims.n) return r;
  r->outputs = ARENA_ARRAY(a, Related, c->claims.n);
  r->n_outputs = c->claims.n;
  for (uint32_t i = 0; i < c->claims.n; i++)
    r->outputs[i] = (Related){
        .seq = i, .dist = i, .layout = c->claims.at[i].layout, .factor = c->claims.at[i].factor, .scale = 1};
  return r;
}

/* `also`: nodes that are needed besides the outputs, or NULL. */
static void leave_out(Graph *g, const bool *also, Arena *a) {
  bool *needed = ARENA_ARRAY(a, bool, g->nodes.len + 1);
  if (also) memcpy(needed, also, g->nodes.len * sizeof *needed);
  for (size_t i = 0; i < g->outputs.len; i++) needed[g->outputs.at[i].node] = true;
  for (size_t i = g->nodes.len; i-- > 0;) {
    Node *n = &g->nodes.at[i];
    for (uint32_t k = 0; k < n->n_args && needed[i]; k++) needed[n->args[k]] = true;
    if (!needed[i] && !is_parameter(n)) make_parameter(n, -1);
  }
}

void cut_pair(const Cut *c, const Graph *graph[2], const Relation **relation, Arena *a) {
  Graph *g[2];
  for (int side = 0; side < 2; side++) g[side] = copy_graph(graph[side], side, c, a);
  *relation = relation_of(*relation, c, g, a);
  for (uint32_t i = 0; i < c->ways.n; i++) g[1]->nodes.at[c->ways.at[i].dist].n_args = 0;
  leave_out(g[1], NULL, a);
  bool *read = ARENA_ARRAY(a, bool, g[0]->nodes.len + 1);
  for (uint32_t i = 0; i < c->ways.n; i++)
    if (!is_parameter(&g[1]->nodes.at[c->ways.at[i].dist])) read[c->ways.at[i].seq] = true;
  leave_out(g[0], read, a);
  for (int side = 0; side < 2; side++) graph[side] = g[side];
}

size_t cut_nodes(const Graph *const graph[2]) {
  size_t n = 0;
  for (int side = 0; side < 2; side++)
    for (NodeId id = 0; id < graph[side]->nodes.len; id++) n += !cut_left_out(&graph[side]->nodes.at[id]);
  return n;
}

bool waypoint_is_even(const Waypoint *w, const Graph *const graph[2], const Mesh *mesh) {
  const Node *whole = &graph[0]->nodes.at[w->seq], *block = &graph[1]->nodes.at[w->dist];
  if (whole->rank != block->rank) return false;
  for (uint32_t d = 0; d < whole->rank; d++) {
    int64_t size = block->dims[d];
    for (uint32_t k = 0; k < w->layout.dims[d].n && size; k++) {
      int64_t by = mesh->axes[w->layout.dims[d].axes[k]].size;
      size = size <= whole->dims[d] / by ? size * by : 0;
    }
    if (size != whole->dims[d]) return false;
  }
  return true;
}
