/* packed: several tensors one after the other in one buffer, as sharded data parallelism sends them.
 *
 * A piece of a concatenation is what was put there, a piece of a vector what was last written there; gathering or reducing
 * a concatenation is doing so to every part.  So the buffers of `fully_shard` and of gradients disappear as they are read,
 * and every parameter is a tensor of its own again.  What the program did to a whole buffer is left over then, and dropped;
 * what the program itself does not need is not. */
#include <string.h>

#include "frontends/torch/lower.h"

enum { MAX_WRITTEN = 4096 }; /* writes and factors that are looked through */

static bool is_op(const Lower *l, NodeId x, const char *op) { return x != NO_NODE && node_of(l, x)->op == sym(op); }

static bool packed_along(const Lower *l, NodeId x, int64_t dim) {
  return is_op(l, x, "concatenate") && node_of(l, x)->attrs[0].n == 1 && node_of(l, x)->attrs[0].ints[0] == dim;
}

static NodeId concatenate(Lower *l, const NodeId *parts, uint32_t n, uint32_t dim) {
  if (n == 1) return parts[0];
  int64_t dims[TORCH_MAX_RANK + 2], size = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (parts[k] == NO_NODE) return NO_NODE;
    size += node_of(l, parts[k])->dims[dim];
  }
  const Node *first = node_of(l, parts[0]);
  memcpy(dims, first->dims, first->rank * sizeof *dims);
  dims[dim] = size;
  Attr a = attr_dim(l, "dimensions", dim);
  return make(l, "concatenate", first->dtype, first->rank, dims, parts, n, &a, 1);
}

/* What multiplies or divides every element; NULL: x is no such product. */
static const Literal *scale_of(const Lower *l, NodeId x) {
  const Node *n = node_of(l, x);
  const Literal *by = n->n_args == 2 ? node_of(l, n->args[1])->literal : NULL;
  return by && by->kind == LIT_SPLAT && (n->op == sym("multiply") || n->op == sym("divide")) ? by : NULL;
}

static NodeId scaled(Lower *l, NodeId product, NodeId part) {
  if (part == NO_NODE) return NO_NODE;
  const char *op = sym_text(node_of(l, product)->op);
  const Node p = *node_of(l, part);
  return make_binary(l, op, part, make_splat(l, p.dtype, p.rank, p.dims, scale_of(l, product)->values[0]));
}

/* Part of a buffer that was multiplied or divided by numbers. */
static NodeId scaled_slice(Lower *l, NodeId x, uint32_t dim, int64_t start, int64_t size) {
  Vec(NodeId) products = {0};
  for (; scale_of(l, x) && products.len < MAX_WRITTEN; x = node_of(l, x)->args[0]) vec_push(&products, x);
  bool is = products.len && !is_op(l, x, "multiply") && !is_op(l, x, "divide");
  NodeId part = is ? packed_slice(l, x, dim, start, size) : NO_NODE;
  while (products.len) part = scaled(l, vec_pop(&products), part);
  vec_free(&products);
  return part;
}

typedef struct Pieces {
  Vec(NodeId) at;
  int steps;
} Pieces;

/* What stands in part of a vector that others were written into, piece by piece: of each what was written last. */
static bool pieces(Lower *l, NodeId x, int64_t start, int64_t size, Pieces *out) {
  int64_t end = start + size;
  for (; is_op(l, x, "dynamic_update_slice"); out->steps++) {
    const Node n = *node_of(l, x);
    const Literal *at = n.n_args == 3 && n.rank == 1 ? node_of(l, n.args[2])->literal : NULL;
    int64_t first;
    if (out->steps > MAX_WRITTEN || !at || !rat_to_int(at->values[0], &first)) return false;
    int64_t last = first + node_of(l, n.args[1])->dims[0];
    int64_t low = start > first ? start : first, high = end < last ? end : last;
    if (first < 0 || last > n.dims[0]) return false;
    x = n.args[0];
    if (low < high)
      return (low == start || pieces(l, x, start, low - start, out)) &&
          pieces(l, n.args[1], low - first, high - low, out) && (high == end || pieces(l, x, high, end - high, out));
  }
  if (scale_of(l, x)) {
    if (out->steps++ > MAX_WRITTEN) return false;
    size_t before = out->at.len;
    if (!pieces(l, node_of(l, x)->args[0], start, size, out)) return false;
    for (size_t k = before; k < out->at.len; k++) out->at.at[k] = scaled(l, x, out->at.at[k]);
    return true;
  }
  NodeId part = make_slice(l, x, 0, start, size, 1);
  if (part == NO_NODE) return false;
  const Node n = *node_of(l, part);
  bool several = packed_along(l, part, 0);
  for (uint32_t k = 0; k < (several ? n.n_args : 1); k++) vec_push(&out->at, several ? n.args[k] : part);
  return true;
}

static NodeId written_slice(Lower *l, NodeId x, int64_t start, int64_t size) {
  Pieces found = {0};
  NodeId y = pieces(l, x, start, size, &found) ? concatenate(l, found.at.at, (uint32_t)found.at.len, 0) : NO_NODE;
  vec_free(&found.at);
  return y;
}

NodeId packed_slice(Lower *l, NodeId x, uint32_t dim, int64_t start, int64_t size) {
  if (!size) return NO_NODE;
  if (is_op(l, x, "dynamic_update_slice")) return written_slice(l, x, start, size);
  if (is_op(l, x, "multiply") || is_op(l, x, "divide")) return scaled_slice(l, x, dim, start, size);
  if (!packed_along(l, x, dim)) return NO_NODE;
  const Node n = *node_of(l, x);
  uint32_t first = 0, end;
  int64_t at = 0;
  while (first < n.n_args && at < start) at += node_of(l, n.args[first++])->dims[dim];
  if (at != start) return NO_NODE;
  for (end = first; end < n.n_args && at < start + size; end++) at += node_of(l, n.args[end])->dims[dim];
  return at == start + size ? concatenate(l, n.args + first, end - first, dim) : NO_NODE;
}

/* The shape with its first dimension in rows and columns, of a device each; returns its rank. */
static uint32_t in_rows(const Node *n, int64_t rows, int64_t columns, int64_t *dims) {
  dims[0] = rows;
  dims[1] = columns;
  memcpy(dims + 2, n->dims + 1, (n->rank - 1) * sizeof *dims);
  return n->rank + 1u;
}

NodeId packed_gather(Lower *l, NodeId x, int64_t members, const Attr *a, uint32_t n_attrs) {
  if (!packed_along(l, x, 0) || node_of(l, x)->rank > TORCH_MAX_RANK) return NO_NODE;
  const Node whole = *node_of(l, x);
  NodeId *parts = ARENA_ARRAY(&l->arena, NodeId, whole.n_args);
  int64_t dims[TORCH_MAX_RANK + 2];
  for (uint32_t k = 0; k < whole.n_args; k++) {
    const Node n = *node_of(l, whole.args[k]);
    if (n.dims[0] > (INT64_C(1) << 56) / members) return NO_NODE;
    memcpy(dims, n.dims, n.rank * sizeof *dims);
    dims[0] = n.dims[0] * members;
    NodeId y = make(l, "all_gather", n.dtype, n.rank, dims, &whole.args[k], 1, a, n_attrs);
    uint32_t rank = in_rows(&n, members, n.dims[0], dims);
    parts[k] = make_reshape(l, y, rank, dims);
  }
  memcpy(dims, whole.dims, whole.rank * sizeof *dims);
  if (whole.dims[0] > (INT64_C(1) << 56) / members) return NO_NODE;
  dims[0] = whole.dims[0] * members;
  return make_reshape(l, concatenate(l, parts, whole.n_args, 1), whole.rank, dims);
}

uint32_t packed_parts(Lower *l, NodeId x, NodeId *parts, uint32_t most) {
  Pieces found = {0};
  uint32_t n = 0;
  if (node_of(l, x)->rank && pieces(l, x, 0, node_of(l, x)->dims[0], &found) && found.at.len <= most) {
    n = (uint32_t)found.at.len;
    memcpy(parts, found.at.at, n * sizeof *parts);
  }
  vec_free(&found.at);
  return n;
}

uint32_t packed_rows(Lower *l, NodeId x, int64_t members, NodeId *parts, uint32_t most) {
  NodeId rows = is_op(l, x, "reshape") ? node_of(l, x)->args[0] : NO_NODE;
  if (!packed_along(l, rows, 1) || node_of(l, rows)->dims[0] != members) return 0;
  const Node in = *node_of(l, rows), out = *node_of(l, x);
  int64_t dims[TORCH_MAX_RANK + 2];
  if (in.rank != out.rank + 1 || out.dims[0] != members * in.dims[1] || in.n_args > most) return 0;
  for (int d = 1; d < out.rank; d++)
    if (in.dims[d + 1] != out.dims[d]) return 0;
  for (uint32_t k = 0; k < in.n_args; k++) {
    const Node n = *node_of(l, in.args[k]);
    memcpy(dims, n.dims + 1, (n.rank - 1u) * sizeof *dims);
    dims[0] = members * n.dims[1];
    parts[k] = make_reshape(l, in.args[k], n.rank - 1u, dims);
  }
  return in.n_args;
}

NodeId packed_whole(Lower *l, const NodeId *parts, uint32_t n) { return concatenate(l, parts, n, 0); }

/* Both are reshapes of tensors of one shape. */
static bool reshaped_alike(const Lower *l, NodeId x, NodeId y) {
  if (!is_op(l, x, "reshape") || !is_op(l, y, "reshape")) return false;
  const Node *n = node_of(l, node_of(l, x)->args[0]), *m = node_of(l, node_of(l, y)->args[0]);
  return n->rank == m->rank && n->dtype == m->dtype && !memcmp(n->dims, m->dims, n->rank * sizeof *n->dims);
}

NodeId packed_on(Lower *l, const bool *on, NodeId y, NodeId x) {
  const Node n = *node_of(l, x), m = *node_of(l, y);
  if (reshaped_alike(l, x, y)) {
    NodeId inner = packed_on(l, on, m.args[0], n.args[0]);
    return inner == NO_NODE ? NO_NODE : make_reshape(l, inner, n.rank, n.dims);
  }
  int64_t dim = is_op(l, x, "concatenate") && n.attrs[0].n == 1 ? n.attrs[0].ints[0] : -1;
  if (dim < 0 || !packed_along(l, y, dim) || n.n_args != m.n_args) return NO_NODE;
  NodeId *parts = ARENA_ARRAY(&l->arena, NodeId, n.n_args);
  for (uint32_t k = 0; k < n.n_args; k++)
    if (node_of(l, n.args[k])->dims[dim] != node_of(l, m.args[k])->dims[dim]) return NO_NODE;
  for (uint32_t k = 0; k < n.n_args; k++) parts[k] = make_on(l, on, m.args[k], n.args[k]);
  return concatenate(l, parts, n.n_args, (uint32_t)dim);
}

/* ---- what unpacking leaves over */
typedef struct Needs {
  const TorchProgram *p;
  uint64_t first;  /* number of the first node */
  bool *node;      /* by node of a set: does an output need it? */
} Needs;

static void need(Needs *n, const TorchArg *a) {
  for (int64_t r = 0; a->ranks && r < n->p->n_ranks; r++) need(n, &a->ranks[r]);
  for (uint32_t k = 0; !a->ranks && a->kind == TA_LIST && k < a->n; k++) need(n, &a->list[k]);
  if (!a->ranks && a->kind == TA_TENSOR && (uint64_t)a->i >= n->first) n->node[(uint64_t)a->i - n->first] = true;
}

/* Name of the operator of the program that a node was made for: lower_node adds what it is. */
static Sym source_of(const Node *n) {
  const char *text = sym_text(n->name), *slash = n->name ? strrchr(text, '/') : NULL;
  return slash ? sym_n(text, (size_t)(slash - text)) : n->name;
}

void packed_drop(Lower *l) {
  Vec(bool) needed = {0}; /* by symbol of a node's name */
  for (uint32_t k = 0; k < l->p->n_sets; k++) {
    const TorchSet *s = &l->p->sets[k];
    Needs n = {l->p, (uint64_t)s->n_inputs + s->n_constants, ARENA_ARRAY(&l->arena, bool, s->n_nodes)};
    for (uint32_t i = 0; i < s->n_outputs; i++) need(&n, &s->outputs[i]);
    for (uint32_t i = s->n_nodes; i-- > 0;) {
      const TorchNode *x = &s->nodes[i];
      for (uint32_t a = 0; n.node[i] && a < x->n_args; a++) need(&n, &x->args[a]);
      for (uint32_t a = 0; n.node[i] && a < x->n_kwargs; a++) need(&n, &x->kwargs[a]);
      while (needed.len <= x->name) vec_push(&needed, false);
      needed.at[x->name] |= n.node[i];
    }
  }
  bool *keep = ARENA_ARRAY(&l->arena, bool, l->g->nodes.len);
  for (size_t k = 0; k < l->g->nodes.len; k++) {
    const Node *n = node_of(l, (NodeId)k);
    Sym from = source_of(n);
    keep[k] = !(n->name < needed.len && needed.at[n->name]) && !(from < needed.len && needed.at[from]);
  }
  graph_drop_unused(l->g, keep);
  vec_free(&needed);
}
