#include "eval/graph/blocks.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIMS = 64 };

static Attr ints(const char *name, const int64_t *v, uint32_t n) {
  return (Attr){.name = sym(name), .kind = ATTR_INTS, .ints = v, .n = n};
}

static NodeId add(Graph *g, const Node *like, const char *op, const int64_t *dims, uint32_t rank, const NodeId *args,
                  uint32_t n_args, const Attr *attrs, uint32_t n_attrs) {
  Node n = {.op = sym(op), .name = like->name, .dtype = like->dtype, .rank = (uint8_t)rank};
  n.dims = dims, n.args = args, n.n_args = n_args, n.attrs = attrs, n.n_attrs = n_attrs;
  n.frames = like->frames, n.line = like->line;
  return graph_add(g, &n);
}

static NodeId part_of(Graph *g, NodeId x, uint32_t along, int64_t from, int64_t size) {
  Node n = g->nodes.at[x];
  int64_t starts[MAX_DIMS] = {0}, limits[MAX_DIMS], ones[MAX_DIMS], dims[MAX_DIMS];
  for (uint32_t d = 0; d < n.rank; d++) limits[d] = dims[d] = n.dims[d], ones[d] = 1;
  starts[along] = from, limits[along] = from + size, dims[along] = size;
  Attr a[] = {ints("starts", starts, n.rank), ints("limits", limits, n.rank), ints("strides", ones, n.rank)};
  return add(g, &n, "slice", dims, n.rank, &x, 1, a, 3);
}

static NodeId joined(Graph *g, const NodeId *parts, uint32_t n_parts, int64_t along) {
  Node n = g->nodes.at[parts[0]];
  int64_t dims[MAX_DIMS];
  memcpy(dims, n.dims, n.rank * sizeof *dims);
  for (uint32_t k = 1; k < n_parts; k++) dims[along] += g->nodes.at[parts[k]].dims[along];
  Attr a = ints("dimensions", &along, 1);
  return add(g, &n, "concatenate", dims, n.rank, parts, n_parts, &a, 1);
}

/* x with dimension `along` as this many rows, or (0) that dimension and the next as one. */
static NodeId reshaped(Graph *g, NodeId x, uint32_t along, int64_t rows) {
  Node n = g->nodes.at[x];
  int64_t dims[MAX_DIMS + 1];
  uint32_t rank = 0;
  for (uint32_t d = 0; d < n.rank; d++) {
    if (d == along && rows) dims[rank++] = rows;
    dims[rank++] = d != along ? n.dims[d] : rows ? n.dims[d] / rows : n.dims[d] * n.dims[d + 1];
    d += d == along && !rows;
  }
  return add(g, &n, "reshape", dims, rank, &x, 1, NULL, 0);
}

typedef struct Segment { /* blocks at .. at + n - 1 of row r are blocks from + r n .. */
  uint32_t at, n, from;
} Segment;

/* The order as that of rows, each of which has its share of every segment (packed projections); 0: it is none. */
static uint32_t segments(const Blocks *b, uint32_t rows, Segment *out) {
  uint32_t width = b->n / rows, n = 0;
  for (uint32_t k = 0; k < width; k++) {
    if (!n || b->order[k] != out[n - 1].from + k - out[n - 1].at) out[n++] = (Segment){k, 0, (uint32_t)b->order[k]};
    out[n - 1].n++;
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t r = 1; r < rows; r++)
      for (uint32_t k = 0; k < out[i].n; k++)
        if (b->order[r * width + out[i].at + k] != out[i].from + r * out[i].n + k) return 0;
  return n;
}

static int by_from(const void *x, const void *y) {
  const Segment *a = x, *b = y;
  return a->from < b->from ? -1 : a->from > b->from;
}

/* x with zeros behind each block (or, inverted, without what is there). */
static NodeId padded(Graph *g, NodeId x, const Blocks *b, int64_t rows, bool invert) {
  x = reshaped(g, x, b->dim, b->n);
  if (invert) return reshaped(g, part_of(g, x, b->dim + 1, 0, rows), b->dim, 0);
  Node n = g->nodes.at[x];
  int64_t dims[MAX_DIMS + 1], none[MAX_DIMS + 1] = {0}, high[MAX_DIMS + 1] = {0};
  memcpy(dims, n.dims, n.rank * sizeof *dims);
  high[b->dim + 1] = b->padded - rows;
  dims[b->dim + 1] = b->padded;
  Literal zero = {.kind = LIT_SPLAT, .n = 1, .values = (const Rat[]){RAT_0}};
  Node c = {.op = sym("constant"), .name = n.name, .dtype = n.dtype, .literal = &zero, .line = n.line};
  NodeId args[] = {x, graph_add(g, &c)};
  Attr a[] = {ints("low", none, n.rank), ints("high", high, n.rank), ints("interior", none, n.rank)};
  return reshaped(g, add(g, &n, "pad", dims, n.rank, args, 2, a, 3), b->dim, 0);
}

/* x with block order[k] (or, inverted, the place of k in order) as block k. */
static NodeId rearrange(Graph *g, NodeId x, const Blocks *b, bool invert) {
  uint32_t along = b->dim, n = 0, rows = 1;
  int64_t size = g->nodes.at[x].dims[along] / b->n;
  NodeId *parts = xmalloc(b->n * sizeof *parts);
  Segment *s = xmalloc(b->n * sizeof *s);
  while (!n && ++rows < b->n)
    if (b->n % rows == 0) n = segments(b, rows, s);
  if (!n) {
    for (uint32_t k = 0; k < b->n; k++) {
      uint32_t from = (uint32_t)b->order[k];
      parts[invert ? from : k] = part_of(g, x, along, (invert ? k : from) * size, size);
    }
    x = joined(g, parts, b->n, along);
  } else if (invert) {
    qsort(s, n, sizeof *s, by_from);
    x = reshaped(g, x, along, rows);
    for (uint32_t i = 0; i < n; i++)
      parts[i] = reshaped(g, part_of(g, x, along + 1, s[i].at * size, s[i].n * size), along, 0);
    x = joined(g, parts, n, along);
  } else {
    for (uint32_t i = 0; i < n; i++)
      parts[i] = reshaped(g, part_of(g, x, along, s[i].from * size, s[i].n * rows * size), along, rows);
    x = reshaped(g, joined(g, parts, n, along + 1), along, 0);
  }
  free(parts);
  free(s);
  return x;
}

bool blocks_same(const Blocks *a, const Blocks *b) {
  return a->n == b->n && a->padded == b->padded &&
         (!a->n || (a->dim == b->dim && (a->padded || !memcmp(a->order, b->order, a->n * sizeof *a->order))));
}

/* The blocks of parameter (or output) `seq`, where they fit it; `of[seq]` has those that other entries say. */
static bool note(const Graph *g, NodeId id, const Related *r, const Related **of, Diags *diags) {
  const Node *n = &g->nodes.at[id];
  const Blocks *b = &r->blocks;
  if (*of && !blocks_same(&(*of)->blocks, b))
    return diag_error(diags, r->span, E_UNSUPPORTED, "\"%s\": its blocks are in another order where it is related before",
                      sym_text(r->name));
  *of = r;
  if (!b->n || (b->dim < n->rank && n->dims[b->dim] % b->n == 0)) return true;
  return diag_error(diags, r->span, E_RELATION_FIT, "\"%s\" has no dimension %u of %u equal blocks", sym_text(r->name),
                    b->dim, b->n);
}

/* x in the blocks of the relation, or (inverted) what is so as it was. */
static NodeId in_blocks(Graph *g, NodeId x, const Blocks *b, int64_t rows, bool invert) {
  return b->padded ? padded(g, x, b, rows, invert) : rearrange(g, x, b, invert);
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
  const Blocks **in = xcalloc(g->nodes.len + 1, sizeof *in); /* by node: the blocks that it is an output in */
  NodeId *laid = xmalloc((g->nodes.len + 1) * sizeof *laid); /* .. and it in those */
  for (size_t k = 0; k < g->outputs.len; k++) {
    const Related *r = of[g->params.len + k];
    if (r && r->blocks.n > 1) in[g->outputs.at[k].node] = &r->blocks;
  }
  for (NodeId id = 0; id < g->nodes.len; id++) {
    Node n = g->nodes.at[id];
    NodeId *args = xmalloc((n.n_args + 1) * sizeof *args);
    for (uint32_t k = 0; k < n.n_args; k++) args[k] = to[n.args[k]];
    n.args = args;
    const Related *r = n.op == sym("parameter") ? of[n.param] : NULL;
    int64_t dims[MAX_DIMS], rows = r && r->blocks.padded ? n.dims[r->blocks.dim] / r->blocks.n : 0;
    if (rows) {
      memcpy(dims, n.dims, n.rank * sizeof *dims);
      dims[r->blocks.dim] = r->blocks.n * r->blocks.padded;
      n.dims = dims;
    }
    to[id] = graph_add(h, &n);
    free(args);
    if (n.op == sym("parameter")) {
      while (h->params.len <= (size_t)n.param) vec_push(&h->params, NO_NODE);
      h->params.at[n.param] = to[id];
      if (r && r->blocks.n > 1) to[id] = in_blocks(h, to[id], &r->blocks, rows, true);
    }
    if (!in[id]) continue;
    rows = g->nodes.at[id].dims[in[id]->dim] / in[id]->n;
    laid[id] = in_blocks(h, to[id], in[id], rows, false);
    to[id] = in_blocks(h, laid[id], in[id], rows, true);
  }
  for (size_t k = 0; k < g->outputs.len; k++) {
    GraphOutput o = {to[g->outputs.at[k].node], g->outputs.at[k].name};
    const Related *r = of[g->params.len + k];
    const Blocks *b = r && r->blocks.n > 1 ? &r->blocks : NULL;
    if (b && blocks_same(b, in[g->outputs.at[k].node])) o.node = laid[g->outputs.at[k].node];
    else if (b) o.node = in_blocks(h, o.node, b, h->nodes.at[o.node].dims[b->dim] / b->n, false);
    vec_push(&h->outputs, o);
  }
  free(to);
  free(in);
  free(laid);
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
  for (uint32_t i = 0; i < r->n_inputs + r->n_outputs; i++) {
    Related *x = i < r->n_inputs ? &r->inputs[i] : &r->outputs[i - r->n_inputs];
    x->rearranged |= x->blocks.n > 1;
    x->blocks.n = 0;
  }
  return h;
}
