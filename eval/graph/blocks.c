#include "eval/graph/blocks.h"

#include <string.h>

static Attr ints(const char *name, const int64_t *v, uint32_t n) {
  return (Attr){.name = sym(name), .kind = ATTR_INTS, .ints = v, .n = n};
}

/* x with block order[k] (or, inverted, the place of k in order) as block k. */
static NodeId rearrange(Graph *g, NodeId x, const Blocks *b, bool invert) {
  Node n = g->nodes.at[x];
  int64_t zero[64] = {0}, ones[64], dims[64], starts[64], limits[64], along = b->dim;
  NodeId *parts = xmalloc(b->n * sizeof *parts);
  memcpy(dims, n.dims, n.rank * sizeof *dims);
  dims[b->dim] /= b->n;
  for (uint32_t d = 0; d < n.rank; d++) ones[d] = 1;
  for (uint32_t k = 0; k < b->n; k++) {
    uint32_t from = (uint32_t)b->order[k];
    memcpy(starts, zero, sizeof starts);
    memcpy(limits, n.dims, n.rank * sizeof *limits);
    uint32_t at = invert ? k : from;
    starts[b->dim] = at * dims[b->dim];
    limits[b->dim] = starts[b->dim] + dims[b->dim];
    Attr a[] = {ints("starts", starts, n.rank), ints("limits", limits, n.rank), ints("strides", ones, n.rank)};
    NodeId part = graph_add(g, &(Node){.op = sym("slice"),
                                       .name = n.name,
                                       .dtype = n.dtype,
                                       .rank = n.rank,
                                       .dims = dims,
                                       .args = &x,
                                       .n_args = 1,
                                       .attrs = a,
                                       .n_attrs = 3,
                                       .frames = n.frames,
                                       .line = n.line});
    parts[invert ? from : k] = part;
  }
  Attr a = ints("dimensions", &along, 1);
  x = graph_add(g, &(Node){.op = sym("concatenate"),
                           .name = n.name,
                           .dtype = n.dtype,
                           .rank = n.rank,
                           .dims = n.dims,
                           .args = parts,
                           .n_args = b->n,
                           .attrs = &a,
                           .n_attrs = 1,
                           .frames = n.frames,
                           .line = n.line});
  free(parts);
  return x;
}

static bool same_blocks(const Blocks *a, const Blocks *b) {
  return a->n == b->n && (!a->n || (a->dim == b->dim && !memcmp(a->order, b->order, a->n * sizeof *a->order)));
}

/* The blocks of parameter (or output) `seq`, where they fit it; `of[seq]` has those that other entries say. */
static bool note(const Graph *g, NodeId id, const Related *r, const Related **of, Diags *diags) {
  const Node *n = &g->nodes.at[id];
  const Blocks *b = &r->blocks;
  if (*of && !same_blocks(&(*of)->blocks, b))
    return diag_error(diags, r->span, E_UNSUPPORTED, "\"%s\": its blocks are in another order where it is related before",
                      sym_text(r->name));
  *of = r;
  if (!b->n || (b->dim < n->rank && n->dims[b->dim] % b->n == 0)) return true;
  return diag_error(diags, r->span, E_RELATION_FIT, "\"%s\" has no dimension %u of %u equal blocks", sym_text(r->name),
                    b->dim, b->n);
}

static Graph *rearranged(const Graph *g, const Related *const *of) {
  Graph *h = graph_new();
  h->path = g->path, h->source = g->source, h->n_devices = g->n_devices, h->n_read = g->n_read;
  for (size_t k = 1; k < g->frames.len; k++) {
    Frames f = g->frames.at[k];
    f.at = arena_copy(&h->arena, f.at, f.n * sizeof *f.at);
    vec_push(&h->frames, f);
  }
  NodeId *to = xmalloc((g->nodes.len + 1) * sizeof *to);
  for (NodeId id = 0; id < g->nodes.len; id++) {
    Node n = g->nodes.at[id];
    NodeId *args = xmalloc((n.n_args + 1) * sizeof *args);
    for (uint32_t k = 0; k < n.n_args; k++) args[k] = to[n.args[k]];
    n.args = args;
    to[id] = graph_add(h, &n);
    free(args);
    if (n.op != sym("parameter")) continue;
    while (h->params.len <= (size_t)n.param) vec_push(&h->params, NO_NODE);
    h->params.at[n.param] = to[id];
    const Related *r = of[n.param];
    if (r && r->blocks.n > 1) to[id] = rearrange(h, to[id], &r->blocks, true);
  }
  for (size_t k = 0; k < g->outputs.len; k++) {
    GraphOutput o = {to[g->outputs.at[k].node], g->outputs.at[k].name};
    const Related *r = of[g->params.len + k];
    if (r && r->blocks.n > 1) o.node = rearrange(h, o.node, &r->blocks, false);
    vec_push(&h->outputs, o);
  }
  free(to);
  return h;
}

Graph *blocks_apply(Graph *g, Relation *r, Diags *diags) {
  const Related **of = xcalloc(g->params.len + g->outputs.len + 1, sizeof *of);
  bool ok = true, any = false;
  for (uint32_t i = 0; i < r->n_inputs + r->n_outputs; i++) {
    bool input = i < r->n_inputs;
    const Related *x = input ? &r->inputs[i] : &r->outputs[i - r->n_inputs];
    size_t n = input ? g->params.len : g->outputs.len, at = (size_t)x->seq;
    if (x->seq < 0 || at >= n || (input && g->params.at[at] == NO_NODE)) continue; /* relation_check reports it */
    NodeId id = input ? g->params.at[at] : g->outputs.at[at].node;
    ok &= note(g, id, x, &of[input ? at : g->params.len + at], diags);
    any |= x->blocks.n > 1;
  }
  Graph *h = !ok ? NULL : any ? rearranged(g, of) : g;
  free(of);
  for (uint32_t i = 0; i < r->n_inputs; i++) r->inputs[i].blocks.n = 0;
  for (uint32_t i = 0; i < r->n_outputs; i++) r->outputs[i].blocks.n = 0;
  return h;
}
