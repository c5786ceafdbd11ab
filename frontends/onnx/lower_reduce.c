/* Reductions, scans, what picks the largest. */
#include <string.h>

#include "frontends/onnx/lower.h"

/* The dimensions come from an attribute (up to operator set 17) or an operand; none of them: all, or nothing is done. */
static bool reduced(const OnnxLower *l, uint32_t rank, int64_t *dims, uint32_t *n, bool *nothing) {
  int64_t axes[ONNX_MAX_RANK], noop;
  uint32_t m = 0, d;
  uint64_t set = 0;
  if (onnx_has(l, 0) ? !onnx_attr_ints(l, 0, axes, ONNX_MAX_RANK, &m)
                     : onnx_in(l, 1) != NO_NODE && !onnx_known_ints(l, l->in[1], axes, ONNX_MAX_RANK, &m))
    return false;
  if (!onnx_attr_int(l, 2, 0, &noop)) return false;
  for (uint32_t k = 0; k < m; k++) {
    if (!onnx_dim(axes[k], rank, &d)) return false;
    set |= UINT64_C(1) << d;
  }
  *nothing = !m && noop;
  *n = 0;
  for (d = 0; d < rank; d++)
    if (!m || set >> d & 1) dims[(*n)++] = d;
  return true;
}

/* With the dimensions that went as dimensions of size 1. */
static NodeId kept(OnnxLower *l, NodeId y, NodeId x, const int64_t *dims, uint32_t n) {
  if (y == NO_NODE) return NO_NODE;
  const Node in = *onnx_node(l, x);
  int64_t shape[COMPOSE_MAX_RANK];
  uint32_t at = 0;
  for (uint32_t d = 0; d < in.rank; d++) {
    bool gone = at < n && dims[at] == d;
    at += gone;
    shape[d] = gone ? 1 : in.dims[d];
  }
  return compose_reshape(&l->c, y, in.rank, shape);
}

/* "before|reduction|after": elementwise operators around it may be left out. */
OnnxResult onnx_reduce(OnnxLower *l) {
  NodeId x = onnx_in(l, 0), y;
  int64_t dims[ONNX_MAX_RANK], keep;
  uint32_t n;
  bool nothing;
  if (!reduced(l, onnx_node(l, x)->rank, dims, &n, &nothing) || !onnx_attr_int(l, 1, 1, &keep)) return ONNX_OPAQUE;
  size_t before = strcspn(l->text, "|"), op = strcspn(l->text + before + 1, "|");
  const char *after = l->text + before + op + 2;
  if (before) x = compose_unary(&l->c, arena_strdup(&l->arena, l->text, before), x);
  const char *name = arena_strdup(&l->arena, l->text + before + 1, op);
  y = nothing ? x : compose_reduce(&l->c, name, onnx_node(l, x)->dtype, x, dims, n, NULL, 0);
  if (keep && !nothing) y = kept(l, y, x, dims, n);
  return onnx_done(l, *after ? compose_unary(&l->c, after, y) : y);
}

/* The position of the largest; of several, the first. */
OnnxResult onnx_arg(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  int64_t keep, last;
  uint32_t dim;
  if (!onnx_attr_dim(l, 0, 0, onnx_node(l, x)->rank, &dim) || !onnx_attr_int(l, 1, 1, &keep) ||
      !onnx_attr_int(l, 2, 0, &last) || last)
    return ONNX_OPAQUE;
  int64_t along = dim;
  NodeId y = compose_reduce(&l->c, l->text, DT_S64, x, &along, 1, NULL, 0);
  return onnx_done(l, keep ? kept(l, y, x, &along, 1) : y);
}

/* Of the shape of the operand, along one dimension. */
static NodeId along(OnnxLower *l, const char *op, NodeId x, uint32_t dim) {
  const Node n = *onnx_node(l, x);
  int64_t d = dim;
  Attr a = attr_list("dimensions", &d, 1);
  return compose(&l->c, op, n.dtype, n.rank, n.dims, &x, 1, &a, 1);
}

OnnxResult onnx_softmax(OnnxLower *l) {
  uint32_t dim;
  NodeId x = onnx_in(l, 0);
  return onnx_attr_dim(l, 0, -1, onnx_node(l, x)->rank, &dim) ? onnx_done(l, along(l, l->text, x, dim)) : ONNX_OPAQUE;
}

OnnxResult onnx_cumsum(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  int64_t axis, exclusive, reverse;
  uint32_t dim, n;
  if (!onnx_known_ints(l, onnx_in(l, 1), &axis, 1, &n) || n != 1 || !onnx_dim(axis, onnx_node(l, x)->rank, &dim) ||
      !onnx_attr_int(l, 0, 0, &exclusive) || !onnx_attr_int(l, 1, 0, &reverse))
    return ONNX_OPAQUE;
  if (reverse) x = along(l, "reverse", x, dim);
  NodeId y = x == NO_NODE ? x : along(l, "cumulative_sum", x, dim);
  if (exclusive && y != NO_NODE) y = onnx_two(l, "subtract", y, x);
  return onnx_done(l, reverse && y != NO_NODE ? along(l, "reverse", y, dim) : y);
}

/* The library's topk runs along the last dimension. */
OnnxResult onnx_topk(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  uint32_t rank = onnx_node(l, x)->rank, dim, n;
  int64_t k, largest, sorted, perm[COMPOSE_MAX_RANK], dims[COMPOSE_MAX_RANK];
  if (!onnx_known_ints(l, onnx_in(l, 1), &k, 1, &n) || n != 1 || !onnx_attr_dim(l, 0, -1, rank, &dim) ||
      !onnx_attr_int(l, 1, 1, &largest) || !onnx_attr_int(l, 2, 1, &sorted) || !sorted || l->n_out > 2 || k < 0 ||
      k > onnx_node(l, x)->dims[dim])
    return ONNX_OPAQUE;
  for (uint32_t d = 0; d < rank; d++) perm[d] = d == rank - 1 ? dim : d == dim ? rank - 1 : d;
  x = compose_transpose(&l->c, x, perm);
  memcpy(dims, onnx_node(l, x)->dims, rank * sizeof *dims);
  dims[rank - 1] = k;
  Attr a[] = {attr_int("k", k), attr_int("largest", largest != 0)};
  for (uint32_t r = 0; r < l->n_out; r++) {
    NodeId y = compose(&l->c, "topk", r ? DT_S64 : onnx_node(l, x)->dtype, rank, dims, &x, 1, a, 2);
    if (y == NO_NODE) return ONNX_OPAQUE;
    l->g->nodes.at[y].result = (uint16_t)r;
    l->out[r] = compose_transpose(&l->c, y, perm);
  }
  return ONNX_DONE;
}
