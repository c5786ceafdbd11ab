#include "eval/verdict/equalities.h"

#include <string.h>

static const Node *node_of(const Problem *p, const Equality *x, int k) {
  return &p->graph[x->side[k]]->nodes.at[x->node[k]];
}

static bool fits(const Problem *p, const Equality *x) {
  const Node *a = node_of(p, x, 0), *b = node_of(p, x, 1);
  return a->rank == b->rank && a->dtype == b->dtype && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) &&
         (x->side[0] != x->side[1] || x->node[0] != x->node[1]);
}

static NodeId root(NodeId *up, NodeId id) {
  while (up[id] != id) id = up[id] = up[up[id]];
  return id;
}

/* By node: what stands for it, the earliest one with an equation that it is said to equal, or the earliest. */
static NodeId *stand_ins(const Problem *p, const Equalities *e, Side side, Arena *a) {
  NodeId n = (NodeId)p->graph[side]->nodes.len;
  NodeId *up = ARENA_ARRAY(a, NodeId, n + 1), *best = ARENA_ARRAY(a, NodeId, n + 1);
  for (NodeId i = 0; i < n; i++) up[i] = i, best[i] = NO_NODE;
  for (uint32_t i = 0; i < e->n; i++) {
    const Equality *x = &e->at[i];
    if (x->side[0] != side || x->side[1] != side || !fits(p, x)) continue;
    NodeId s = root(up, x->node[0]), t = root(up, x->node[1]);
    up[s > t ? s : t] = s > t ? t : s;
  }
  for (NodeId i = 0; i < n; i++) {
    const Instance *in = p->instance[side][i];
    if (best[root(up, i)] == NO_NODE && in && !in->opaque) best[root(up, i)] = i;
  }
  NodeId *out = ARENA_ARRAY(a, NodeId, n + 1);
  for (NodeId i = 0; i < n; i++) out[i] = best[root(up, i)] != NO_NODE ? best[root(up, i)] : root(up, i);
  return out;
}

/* The graph with uses of a value replaced by uses of what stands for it, where that comes before. */
static const Graph *replaced(const Graph *g, const NodeId *stand_in, Arena *a) {
  bool any = false;
  for (NodeId i = 0; i < g->nodes.len; i++) any |= stand_in[i] != i;
  if (!any) return g;
  Graph *h = arena_copy(a, g, sizeof *g);
  h->nodes.at = arena_copy(a, g->nodes.at, g->nodes.len * sizeof *g->nodes.at);
  for (NodeId i = 0; i < g->nodes.len; i++) {
    Node *n = &h->nodes.at[i];
    NodeId *args = arena_copy(a, n->args, n->n_args * sizeof *args);
    for (uint32_t k = 0; k < n->n_args; k++)
      if (stand_in[args[k]] < i) args[k] = stand_in[args[k]];
    n->args = args;
  }
  h->outputs.at = arena_copy(a, g->outputs.at, g->outputs.len * sizeof *g->outputs.at);
  for (size_t i = 0; i < h->outputs.len; i++) h->outputs.at[i].node = stand_in[h->outputs.at[i].node];
  return h;
}

Proof *equalities_prove(const Problem *p, const Equalities *e, const ProveOptions *o, Arena *a) {
  Problem *q = arena_copy(a, p, sizeof *q);
  for (int side = 0; side < SIDE_COUNT; side++)
    q->graph[side] = replaced(p->graph[side], stand_ins(p, e, (Side)side, a), a);
  uint32_t known = p->waypoints ? p->waypoints->n : 0;
  Waypoint *at = ARENA_ARRAY(a, Waypoint, known + e->n + 1);
  Waypoints *all = ARENA_NEW(a, Waypoints);
  if (known) memcpy(at, p->waypoints->at, known * sizeof *at);
  *all = (Waypoints){known, at};
  bool any = q->graph[SIDE_SEQ] != p->graph[SIDE_SEQ] || q->graph[SIDE_DIST] != p->graph[SIDE_DIST];
  for (uint32_t i = 0; i < e->n; i++) {
    const Equality *x = &e->at[i];
    if (x->side[0] == x->side[1] || !fits(p, x)) continue;
    int s = x->side[0] == SIDE_SEQ ? 0 : 1;
    const Node *n = node_of(p, x, s);
    Waypoint w = {.seq = x->node[s], .dist = x->node[1 - s], .layout = {.rank = n->rank}, .factor = RAT_1};
    if (p->graph[SIDE_DIST]->nodes.at[w.dist].op == sym("parameter")) continue;
    w.layout.dims = arena_alloc(a, (n->rank + 1) * sizeof *w.layout.dims);
    memset(w.layout.dims, 0, n->rank * sizeof *w.layout.dims);
    at[all->n++] = w;
    any = true;
  }
  if (!any) return NULL;
  q->waypoints = all;
  return prove_direct(q, o);
}

static const char *text(const Problem *p, const Equality *x, int k, Arena *a) {
  const Node *n = node_of(p, x, k);
  return arena_printf(a, "%s.%s", x->side[k] == SIDE_SEQ ? "seq" : "dist", sym_text(n->name ? n->name : n->op));
}

const char **equalities_list(const Problem *p, const Equalities *e, const char *const *before, uint32_t *n, Arena *a) {
  const char **out = ARENA_ARRAY(a, const char *, *n + e->n + 1);
  if (*n) memcpy(out, before, *n * sizeof *out);
  for (uint32_t i = 0; i < e->n; i++)
    if (fits(p, &e->at[i]))
      out[(*n)++] = arena_printf(a, "%s equals %s: not proved, %s say so", text(p, &e->at[i], 0, a),
                                 text(p, &e->at[i], 1, a), e->by);
  return out;
}
