#include "frontends/blocks.h"

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

Graph *blocks_apply(Graph *g, const Blocks *blocks) {
  bool any = false;
  for (size_t k = 0; k < g->params.len + g->outputs.len; k++) any |= blocks[k].n > 1;
  if (!any) return g;
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
    if (blocks[n.param].n > 1) to[id] = rearrange(h, to[id], &blocks[n.param], true);
  }
  for (size_t k = 0; k < g->outputs.len; k++) {
    GraphOutput o = {to[g->outputs.at[k].node], g->outputs.at[k].name};
    const Blocks *b = &blocks[g->params.len + k];
    if (b->n > 1) o.node = rearrange(h, o.node, b, false);
    vec_push(&h->outputs, o);
  }
  free(to);
  graph_free(g);
  return h;
}
