/* See loops.h. */
#include "eval/graph/loops.h"

#include <inttypes.h>
#include <string.h>

const char *loops_differ(const Graph *seq, const Graph *dist, Arena *a) {
  if (seq->loops.len != dist->loops.len)
    return arena_printf(a, "one program has %zu loops, the other %zu", seq->loops.len, dist->loops.len);
  for (size_t i = 0; i < seq->loops.len; i++) {
    const Loop *s = &seq->loops.at[i], *d = &dist->loops.at[i];
    if (s->trips != d->trips)
      return arena_printf(a, "%s runs %" PRId64 " times, %s %" PRId64 " times", sym_text(s->name), s->trips,
                          sym_text(d->name), d->trips);
    if (s->within != d->within)
      return arena_printf(a, "%s and %s are not nested alike", sym_text(s->name), sym_text(d->name));
  }
  return NULL;
}

bool loops_fit(const Graph *seq, const Graph *dist, const Mesh *mesh, const Invariant *v) {
  if (v->loop >= seq->loops.len || v->loop >= dist->loops.len) return false;
  const Loop *s = &seq->loops.at[v->loop], *d = &dist->loops.at[v->loop];
  if (v->seq >= s->n || v->dist >= d->n) return false;
  const Node *x = &seq->nodes.at[seq->params.at[s->carried[v->seq].before]];
  const Node *y = &dist->nodes.at[dist->params.at[d->carried[v->dist].before]];
  bool fits = x->rank == y->rank && x->rank == v->layout.rank && (v->divided == 1 || dtype_is_float(y->dtype));
  for (uint32_t k = 0; fits && k < x->rank; k++) {
    int64_t size = y->dims[k];
    for (uint32_t j = 0; fits && j < v->layout.dims[k].n; j++)
      fits = v->layout.dims[k].axes[j] < mesh->n_axes &&
             !__builtin_mul_overflow(size, mesh->axes[v->layout.dims[k].axes[j]].size, &size);
    fits = fits && size == x->dims[k];
  }
  return fits && v->divided >= 1;
}

static Related row(const Invariant *v, Sym name, uint32_t seq, uint32_t dist, Arena *a) {
  return (Related){.name = name,
                   .seq = seq,
                   .dist = dist,
                   .layout = layout_copy(&v->layout, a),
                   .loop = v->loop + 1,
                   .divided = v->divided > 1 ? v->divided : 0,
                   .scale = 1};
}

static Related counter_row(const Graph *seq, const Graph *dist, uint32_t i) {
  const Loop *s = &seq->loops.at[i], *d = &dist->loops.at[i];
  Related r = {.seq = s->counter, .dist = d->counter, .loop = i + 1, .scale = 1, .has_lo = true, .has_hi = true};
  r.name = seq->nodes.at[seq->params.at[s->counter]].name;
  r.lo = RAT_0;
  r.hi = rat_int(s->trips - 1);
  return r;
}

Relation loops_relation(const Graph *seq, const Graph *dist, const Relation *own, const Invariant *at, uint32_t n,
                        Arena *a) {
  Relation out = *own;
  uint32_t loops = (uint32_t)seq->loops.len, n_in = own->n_inputs, n_out = own->n_outputs;
  Related *in = ARENA_ARRAY(a, Related, n_in + loops + 2 * (size_t)n + 1);
  Related *results = ARENA_ARRAY(a, Related, n_out + 2 * (size_t)n + 1);
  memset(&out.arena, 0, sizeof out.arena);
  if (n_in) memcpy(in, own->inputs, n_in * sizeof *in);
  if (n_out) memcpy(results, own->outputs, n_out * sizeof *results);
  for (uint32_t i = 0; i < loops; i++) in[n_in++] = counter_row(seq, dist, i);
  for (uint32_t i = 0; i < n; i++) {
    const Invariant *v = &at[i];
    const Carried *s = &seq->loops.at[v->loop].carried[v->seq], *d = &dist->loops.at[v->loop].carried[v->dist];
    in[n_in++] = row(v, d->name, s->before, d->before, a);
    in[n_in++] = row(v, dist->nodes.at[dist->params.at[d->after]].name, s->after, d->after, a);
    results[n_out++] = row(v, dist->outputs.at[d->first].name, s->first, d->first, a);
    results[n_out++] = row(v, dist->outputs.at[d->next].name, s->next, d->next, a);
  }
  out.inputs = in;
  out.outputs = results;
  out.n_inputs = n_in;
  out.n_outputs = n_out;
  return out;
}

/* A copy of the graph in `a` that shares what does not change; room for `more` nodes. */
static Graph *copied(const Graph *g, size_t more, Arena *a) {
  Graph *h = arena_copy(a, g, sizeof *g);
  h->nodes.cap = g->nodes.len + more;
  h->nodes.at = ARENA_ARRAY(a, Node, h->nodes.cap + 1);
  memcpy(h->nodes.at, g->nodes.at, g->nodes.len * sizeof *g->nodes.at);
  h->params.at = arena_copy(a, g->params.at, g->params.len * sizeof *g->params.at);
  h->outputs.at = arena_copy(a, g->outputs.at, g->outputs.len * sizeof *g->outputs.at);
  return h;
}

static NodeId *renamed(const Node *n, const NodeId *to, Arena *a) {
  NodeId *args = arena_copy(a, n->args, n->n_args * sizeof *args);
  for (uint32_t k = 0; k < n->n_args; k++) args[k] = to[args[k]];
  return args;
}

static const Literal *literal_of(Rat value, Arena *a) {
  Literal *l = ARENA_NEW(a, Literal);
  *l = (Literal){LIT_SPLAT, 1, arena_copy(a, &value, sizeof value)};
  return l;
}

const Graph *loops_once(const Graph *g, Arena *a) {
  Graph *h = copied(g, 0, a);
  NodeId *to = ARENA_ARRAY(a, NodeId, g->nodes.len + 1);
  const Node **written = ARENA_ARRAY(a, const Node *, g->nodes.len + 1); /* the write of a row, of what a loop leaves */
  for (NodeId i = 0; i < g->nodes.len; i++) to[i] = i, written[i] = NULL;
  for (size_t i = 0; i < g->loops.len; i++) {
    const Loop *l = &g->loops.at[i];
    Node *t = &h->nodes.at[g->params.at[l->counter]];
    t->op = sym("constant");
    t->literal = literal_of(RAT_0, a);
    h->params.at[l->counter] = NO_NODE;
    for (uint32_t k = 0; k < l->n; k++) {
      to[g->params.at[l->carried[k].before]] = g->outputs.at[l->carried[k].first].node;
      NodeId after = g->params.at[l->carried[k].after], next = g->outputs.at[l->carried[k].next].node;
      to[after] = next;
      if (g->nodes.at[next].op == sym("dynamic_update_slice")) written[after] = &g->nodes.at[next];
    }
  }
  for (NodeId i = 0; i < g->nodes.len; i++) { /* what stands for a value comes before it */
    if (to[i] < i) to[i] = to[to[i]];
    const Node *n = &g->nodes.at[i], *w = n->n_args ? written[n->args[0]] : NULL;
    NodeId *args = renamed(n, to, a);
    if (w && n->op == sym("dynamic_slice")) /* reads the row that is there */
      for (uint32_t k = 1; k < n->n_args; k++) args[k] = to[w->args[k + 1]];
    h->nodes.at[i].args = args;
  }
  for (size_t i = 0; i < g->outputs.len; i++) h->outputs.at[i].node = to[g->outputs.at[i].node];
  return h;
}

/* x times a number, as two nodes behind the others. */
static NodeId multiple(Graph *h, NodeId x, Rat factor, Arena *a) {
  Node n = h->nodes.at[x];
  NodeId *args = ARENA_ARRAY(a, NodeId, 2), at = (NodeId)h->nodes.len;
  args[0] = x;
  args[1] = at;
  Node product = {.op = sym("multiply"),
                  .name = n.name,
                  .dtype = n.dtype,
                  .rank = n.rank,
                  .dims = n.dims,
                  .args = args,
                  .n_args = 2,
                  .frames = n.frames,
                  .line = n.line};
  Node constant = product;
  constant.op = sym("constant");
  constant.n_args = 0;
  constant.literal = literal_of(factor, a);
  h->nodes.at[h->nodes.len++] = constant;
  h->nodes.at[h->nodes.len++] = product;
  return at + 1;
}

const Graph *loops_divided(const Graph *dist, const Invariant *at, uint32_t n, Arena *a) {
  uint32_t some = 0;
  int64_t *by = ARENA_ARRAY(a, int64_t, dist->nodes.len + 1); /* of parameters */
  for (uint32_t i = 0; i < n; i++) {
    const Carried *c = &dist->loops.at[at[i].loop].carried[at[i].dist];
    some += at[i].divided > 1;
    by[dist->params.at[c->before]] = by[dist->params.at[c->after]] = at[i].divided;
  }
  if (!some) return dist;
  Graph *h = copied(dist, 8 * (size_t)some, a);
  NodeId *to = ARENA_ARRAY(a, NodeId, dist->nodes.len + 1);
  h->nodes.len = 0;
  for (NodeId i = 0; i < dist->nodes.len; i++) {
    Node x = dist->nodes.at[i];
    x.args = renamed(&x, to, a);
    to[i] = (NodeId)h->nodes.len;
    h->nodes.at[h->nodes.len++] = x;
    if (x.op == sym("parameter")) h->params.at[x.param] = to[i];
    if (by[i] > 1) to[i] = multiple(h, to[i], rat_int(by[i]), a);
  }
  for (size_t i = 0; i < dist->outputs.len; i++) h->outputs.at[i].node = to[dist->outputs.at[i].node];
  for (uint32_t i = 0; i < n; i++) {
    const Carried *c = &dist->loops.at[at[i].loop].carried[at[i].dist];
    NodeId *first = &h->outputs.at[c->first].node, *next = &h->outputs.at[c->next].node;
    if (at[i].divided <= 1) continue;
    *first = multiple(h, *first, rat_div(RAT_1, rat_int(at[i].divided)), a);
    *next = multiple(h, *next, rat_div(RAT_1, rat_int(at[i].divided)), a);
  }
  return h;
}

static uint64_t times(uint64_t x, uint64_t y) {
  uint64_t z;
  return __builtin_mul_overflow(x, y, &z) || z > INT64_MAX ? INT64_MAX : z;
}

uint64_t loops_unrolled(const Graph *g) {
  uint64_t n = 0;
  for (size_t i = 0; i < g->loops.len; i++) {
    uint64_t here = times(g->loops.at[i].size, (uint64_t)g->loops.at[i].trips);
    for (uint32_t k = g->loops.at[i].within; k != NO_LOOP; k = g->loops.at[k].within)
      here = times(here, (uint64_t)g->loops.at[k].trips);
    n = n + here > INT64_MAX ? INT64_MAX : n + here;
  }
  return n;
}

int64_t loops_longest(const Graph *g) {
  int64_t most = 0;
  for (size_t i = 0; i < g->loops.len; i++)
    if (g->loops.at[i].trips > most) most = g->loops.at[i].trips;
  return most;
}
