#include "eval/blame/gap.h"

#include <stdlib.h>

static const Graph *dist(const Relatives *r) { return r->proof->problem.graph[SIDE_DIST]; }
static const Node *node(const Relatives *r, NodeId id) { return &dist(r)->nodes.at[id]; }

/* Mesh axes that the groups of a sum run over, as a set; 0 for other operators and other groups. */
static uint32_t summed_over(const Relatives *r, const Node *n) {
  const Mesh *m = &r->proof->problem.relation->mesh;
  const Attr *groups = node_attr(n, sym("replica_groups"));
  bool sums = n->op == sym("all_reduce") || n->op == sym("reduce_scatter");
  if (!sums || !groups || groups->i < 2 || node_attr_sym(n, sym("reducer"), 0) != sym("add") || m->n_axes > 31)
    return 0;
  int64_t first[32], at[32], size = 1;
  uint32_t set = 0;
  mesh_coordinate(m, groups->ints[0], first);
  for (int64_t k = 1; k < groups->i && k < groups->n; k++) {
    mesh_coordinate(m, groups->ints[k], at);
    for (uint32_t x = 0; x < m->n_axes; x++) set |= at[x] != first[x] ? 1u << x : 0;
  }
  for (uint32_t x = 0; x < m->n_axes; x++) size *= set >> x & 1 ? m->axes[x].size : 1;
  return size == groups->i ? set : 0;
}

static Sym line_of(const Relatives *r, const NodeId *place, NodeId id) {
  return place[id] == NO_NODE ? 0 : node_at(dist(r), place[id]);
}

static bool moves(const Relatives *r, NodeId id) { return relatives_moved(r, id) != NO_NODE; }

/* What made the elements that `id` only moves. */
static NodeId origin(const Relatives *r, NodeId id) {
  for (NodeId from; (from = relatives_moved(r, id)) != NO_NODE;) id = from;
  return id;
}

static bool same_origin(const Relatives *r, const NodeId *place, NodeId x, NodeId y) {
  return x != y && node(r, x)->op == node(r, y)->op && line_of(r, place, x) &&
         line_of(r, place, x) == line_of(r, place, y);
}

/* Sums, and multiples by numbers, of parts: a sum over devices may come after as well as before. */
static bool gathers(const Relatives *r, const Node *n, const bool *parts) {
  bool adds = n->op == sym("add") || n->op == sym("subtract") || n->op == sym("reduce_sum") ||
              (n->op == sym("reduce") && node_attr_sym(n, sym("reducer"), 0) == sym("add"));
  bool scales = n->op == sym("negate") || n->op == sym("convert") || n->op == sym("multiply") || n->op == sym("divide");
  if (!dtype_is_float((DType)n->dtype) || (!adds && !scales)) return false;
  for (uint32_t k = 0; k < n->n_args; k++) {
    Value v = r->proof->build.value[SIDE_DIST][n->args[k]];
    bool number = value_is_num(v) && (scales ? k > 0 || n->op == sym("multiply") : v.k == RAT_0);
    if (!parts[n->args[k]] && !number) return false;
  }
  return true;
}

/* Follows parts forward. */
static void follow(const Relatives *r, Gap *g, const NodeId *nodes, uint32_t n_nodes, const NodeId *place) {
  const Graph *d = dist(r);
  bool *parts = xcalloc(d->nodes.len, 1);
  for (uint32_t i = 0; i < n_nodes; i++) parts[nodes[i]] = true;
  Sym own = line_of(r, place, nodes[0]);
  for (size_t j = nodes[0] + 1; j < d->nodes.len && g->user == NO_NODE; j++) {
    const Node *n = node(r, (NodeId)j);
    bool uses = false;
    for (uint32_t k = 0; k < n->n_args; k++) uses |= parts[n->args[k]];
    if (!uses || parts[j] || summed_over(r, n)) continue;
    if (moves(r, (NodeId)j) || gathers(r, n, parts)) {
      parts[j] = true;
      if (line_of(r, place, (NodeId)j) != own) g->via = line_of(r, place, (NodeId)j);
    } else {
      g->user = (NodeId)j;
    }
  }
  const Relation *relation = r->proof->problem.relation;
  for (uint32_t k = relation->n_outputs; k-- > 0;)
    if (parts[d->outputs.at[relation->outputs[k].dist].node]) g->output = k;
  for (size_t k = 0; k < d->passages.len; k++) {
    Sym at = d->frames.at[d->passages.at[k].frames].at[0];
    if (parts[d->passages.at[k].node] && at != own) g->via = at;
  }
  if (g->user != NO_NODE && g->via == line_of(r, place, g->user)) g->via = 0;
  free(parts);
}

/* An output that is `id`, but for what moves its elements or multiplies it. */
static bool becomes_output(const Relatives *r, NodeId id) {
  size_t len = dist(r)->nodes.len;
  for (size_t j = id + 1, left = 64; j < len && left; j++) {
    const Node *n = node(r, (NodeId)j);
    bool uses = false;
    for (uint32_t k = 0; k < n->n_args; k++) uses |= n->args[k] == id;
    if (!uses) continue;
    if (!moves(r, (NodeId)j) && n->op != sym("divide") && n->op != sym("multiply")) return false;
    id = (NodeId)j;
    left--;
  }
  for (size_t k = 0; k < dist(r)->outputs.len; k++)
    if (dist(r)->outputs.at[k].node == id) return true;
  return false;
}

/* The first operator that does more than move what `id` is. */
static NodeId first_use(const Relatives *r, NodeId id) {
  for (size_t j = id + 1; j < dist(r)->nodes.len; j++) {
    const Node *n = node(r, (NodeId)j);
    bool uses = false;
    for (uint32_t k = 0; k < n->n_args; k++) uses |= n->args[k] == id;
    if (!uses) continue;
    if (!moves(r, (NodeId)j)) return (NodeId)j;
    id = (NodeId)j;
  }
  return NO_NODE;
}

/* The sum whose operand is made, or whose result is used, by the same line; for an output, one that is one, too. */
static void find_alike(const Relatives *r, Gap *g, NodeId id, const NodeId *place) {
  enum { OUTPUT = 1, USER, ORIGIN };
  int best = 0;
  NodeId from = origin(r, id);
  for (NodeId i = 0; i < dist(r)->nodes.len; i++) {
    const Node *n = node(r, i);
    if (summed_over(r, n) != g->axes || !n->n_args) continue;
    NodeId of = origin(r, n->args[0]), user = g->user == NO_NODE ? NO_NODE : first_use(r, i);
    int like = same_origin(r, place, of, from)                                            ? ORIGIN
               : user != NO_NODE && same_origin(r, place, user, g->user)                  ? USER
               : g->user == NO_NODE && n->op == sym("all_reduce") && becomes_output(r, i) ? OUTPUT
                                                                                          : 0;
    if (like <= best) continue;
    best = like;
    g->alike = i;
    g->alike_of = of;
  }
}

Gap gap_behind(Relatives *r, const NodeId *nodes, uint32_t n, uint32_t axes, uint32_t output, const NodeId *place) {
  Gap g = {.axes = axes, .user = NO_NODE, .output = output, .alike = NO_NODE, .alike_of = NO_NODE};
  follow(r, &g, nodes, n, place);
  find_alike(r, &g, nodes[0], place);
  return g;
}
