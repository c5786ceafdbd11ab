/* Products of matrices, and normalisation. */
#include <string.h>

#include "frontends/onnx/lower.h"

/* A dimension of size 1 before or behind. */
static NodeId with_one(OnnxLower *l, NodeId x, bool behind) {
  const Node n = *onnx_node(l, x);
  int64_t dims[COMPOSE_MAX_RANK] = {1};
  memcpy(dims + !behind, n.dims, n.rank * sizeof *dims);
  if (behind) dims[n.rank] = 1;
  return compose_reshape(&l->c, x, n.rank + 1u, dims);
}

/* numpy's matmul: vectors are rows or columns, leading dimensions broadcast. */
static NodeId product(OnnxLower *l, NodeId x, NodeId y) {
  uint32_t n = onnx_node(l, x)->rank, m = onnx_node(l, y)->rank, rank;
  int64_t dims[COMPOSE_MAX_RANK], last;
  if (!n || !m || n > ONNX_MAX_RANK || m > ONNX_MAX_RANK) return NO_NODE;
  if (m <= 2) return compose_dot(&l->c, x, y, 0, n - 1, 0);
  bool row = n == 1;
  if (row) x = with_one(l, x, false), n = 2;
  const Node a = *onnx_node(l, x), b = *onnx_node(l, y);
  rank = (n > m ? n : m) - 2;
  for (uint32_t d = 0; d < rank; d++) {
    int64_t p = d + n >= rank + 2 ? a.dims[d + n - rank - 2] : 1, q = d + m >= rank + 2 ? b.dims[d + m - rank - 2] : 1;
    dims[d] = p == 1 ? q : p; /* what does not fit is found below */
  }
  last = b.dims[m - 1];
  dims[rank] = a.dims[n - 2], dims[rank + 1] = a.dims[n - 1];
  x = compose_broadcast(&l->c, x, rank + 2, dims);
  dims[rank] = b.dims[m - 2], dims[rank + 1] = last;
  y = compose_broadcast(&l->c, y, rank + 2, dims);
  NodeId z = compose_dot(&l->c, x, y, rank, rank + 1, rank);
  if (!row) return z;
  dims[rank] = last;
  return compose_reshape(&l->c, z, rank + 1, dims);
}

OnnxResult onnx_matmul(OnnxLower *l) { return onnx_done(l, product(l, onnx_in(l, 0), onnx_in(l, 1))); }

/* The last two dimensions exchanged. */
static NodeId turned(OnnxLower *l, NodeId x, int64_t turn) {
  if (x == NO_NODE) return NO_NODE;
  uint32_t n = onnx_node(l, x)->rank;
  int64_t perm[COMPOSE_MAX_RANK];
  if (!turn) return x;
  if (n < 2) return NO_NODE;
  for (uint32_t d = 0; d < n; d++) perm[d] = d;
  perm[n - 2] = n - 1, perm[n - 1] = n - 2;
  return compose_transpose(&l->c, x, perm);
}

/* A factor that is a float attribute; 1 is left out. */
static NodeId scaled(OnnxLower *l, NodeId x, uint32_t k) {
  if (!onnx_has(l, k) || (l->attr[k].kind == ONNX_FLOAT && l->attr[k].f == 1)) return x;
  return onnx_two(l, "multiply", x, onnx_attr_scalar(l, k, 1));
}

/* alpha * A' B' + beta * C. */
OnnxResult onnx_gemm(OnnxLower *l) {
  int64_t ta, tb;
  if (!onnx_attr_int(l, 2, 0, &ta) || !onnx_attr_int(l, 3, 0, &tb)) return ONNX_OPAQUE;
  if (onnx_node(l, l->in[0])->rank != 2 || onnx_node(l, l->in[1])->rank != 2) return ONNX_OPAQUE;
  NodeId y = compose_dot(&l->c, l->in[0], l->in[1], 0, ta ? 0 : 1, tb ? 1 : 0);
  y = y == NO_NODE ? NO_NODE : scaled(l, y, 0);
  if (onnx_in(l, 2) != NO_NODE) y = onnx_two(l, "add", y, scaled(l, l->in[2], 1));
  return onnx_done(l, y);
}

/* Of ONNX Runtime: the batch stands before the last dimension; moved to the front it is. */
static NodeId batch_behind(OnnxLower *l, NodeId x, int64_t turn) {
  uint32_t n = onnx_node(l, x)->rank;
  int64_t perm[COMPOSE_MAX_RANK];
  if (!turn || n < 3) return x;
  for (uint32_t d = 0; d < n; d++) perm[d] = d + 2 < n ? d + 1 : d;
  perm[n - 2] = 0;
  return compose_transpose(&l->c, x, perm);
}

/* Of ONNX Runtime: alpha * op(A) op(B), by matrices. */
OnnxResult onnx_fused_matmul(OnnxLower *l) {
  int64_t ta, tb, batch_a, batch_b;
  if (!onnx_attr_int(l, 1, 0, &ta) || !onnx_attr_int(l, 2, 0, &tb) || !onnx_attr_int(l, 3, 0, &batch_a) ||
      !onnx_attr_int(l, 4, 0, &batch_b))
    return ONNX_OPAQUE;
  if (onnx_node(l, l->in[0])->rank > ONNX_MAX_RANK || onnx_node(l, l->in[1])->rank > ONNX_MAX_RANK) return ONNX_OPAQUE;
  NodeId x = turned(l, batch_behind(l, onnx_in(l, 0), batch_a), ta);
  NodeId y = turned(l, batch_behind(l, onnx_in(l, 1), batch_b), tb);
  if (x == NO_NODE || y == NO_NODE || (x = product(l, x, y)) == NO_NODE) return ONNX_OPAQUE;
  return onnx_done(l, scaled(l, x, 0));
}

/* ------------------------------------------------------------------ normalisation */
/* Dimensions from `axis` on. */
static bool tail(OnnxLower *l, uint32_t k, uint32_t rank, int64_t *dims, uint32_t *n) {
  uint32_t first;
  if (!onnx_attr_dim(l, k, -1, rank, &first)) return false;
  for (*n = 0; first + *n < rank; ++*n) dims[*n] = first + *n;
  return true;
}

/* Statistics of normalisation and what they are applied to. */
static NodeId onnx_mean(OnnxLower *l, NodeId x, const int64_t *dims, uint32_t n) {
  return compose_reduce(&l->c, "reduce_mean", onnx_node(l, x)->dtype, x, dims, n, NULL, 0);
}

static NodeId rows(OnnxLower *l, const char *op, NodeId x, const NodeId *more, uint32_t n_more, const int64_t *dims,
                   uint32_t n) {
  const Node in = *onnx_node(l, x);
  NodeId args[3] = {x, more[0], n_more > 1 ? more[1] : NO_NODE};
  Attr a = attr_list("dimensions", dims, n);
  return compose(&l->c, op, in.dtype, in.rank, in.dims, args, 1 + n_more, &a, 1);
}

/* A statistic as a result: what it is over has size 1. */
static void set_statistic(OnnxLower *l, uint32_t k, NodeId s, NodeId x, uint32_t n) {
  if (k >= l->n_out || s == NO_NODE) return;
  const Node in = *onnx_node(l, x);
  int64_t shape[COMPOSE_MAX_RANK];
  for (uint32_t d = 0; d < in.rank; d++) shape[d] = d + n >= in.rank ? 1 : in.dims[d];
  l->out[k] = compose_reshape(&l->c, s, in.rank, shape);
}

static NodeId affine(OnnxLower *l, NodeId y, NodeId scale, NodeId bias) {
  if (scale != NO_NODE) y = onnx_two(l, "multiply", y, scale);
  return bias == NO_NODE ? y : onnx_two(l, "add", y, bias);
}

/* x, scale, bias; the statistics, where they are results, are number `at` and `at` + 1. */
static OnnxResult layer_norm(OnnxLower *l, NodeId x, NodeId scale, NodeId bias, NodeId eps, const int64_t *dims,
                             uint32_t n, uint32_t at) {
  NodeId m = onnx_mean(l, x, dims, n);
  NodeId r = compose_reduce(&l->c, "layer_norm_scale", onnx_node(l, x)->dtype, x, dims, n, &eps, 1);
  set_statistic(l, at, m, x, n);
  set_statistic(l, at + 1, r, x, n);
  return onnx_done(l, affine(l, rows(l, "layer_norm_rows", x, (NodeId[]){m, r}, 2, dims, n), scale, bias));
}

static OnnxResult rms_norm(OnnxLower *l, NodeId x, NodeId scale, NodeId eps, const int64_t *dims, uint32_t n) {
  NodeId r = compose_reduce(&l->c, "rms_norm_scale", onnx_node(l, x)->dtype, x, dims, n, &eps, 1);
  return onnx_done(l, affine(l, rows(l, "rms_norm_rows", x, &r, 1, dims, n), scale, NO_NODE));
}

/* LayerNormalization, and without its mean RMSNormalization. */
OnnxResult onnx_layer_norm(OnnxLower *l) {
  NodeId x = onnx_in(l, 0), eps = onnx_attr_scalar(l, 1, (double)1e-5f);
  int64_t dims[COMPOSE_MAX_RANK];
  uint32_t n;
  if (eps == NO_NODE || !tail(l, 0, onnx_node(l, x)->rank, dims, &n)) return ONNX_OPAQUE;
  if (*l->text == 'r') return l->n_out > 1 ? ONNX_OPAQUE : rms_norm(l, x, l->in[1], eps, dims, n);
  return layer_norm(l, x, l->in[1], onnx_in(l, 2), eps, dims, n, 1);
}

/* Of ONNX Runtime: of a sum, which is the fourth result. */
OnnxResult onnx_skip_norm(OnnxLower *l) {
  bool rms = *l->text == 'r';
  NodeId x = onnx_two(l, "add", onnx_in(l, 0), onnx_in(l, 1)), eps = onnx_attr_scalar(l, 0, (double)1e-5f);
  NodeId bias = onnx_in(l, rms ? 3 : 4);
  if (x == NO_NODE || eps == NO_NODE || onnx_in(l, 2) == NO_NODE) return ONNX_OPAQUE;
  if (bias != NO_NODE) x = onnx_two(l, "add", x, bias);
  if (x == NO_NODE) return ONNX_OPAQUE;
  int64_t last = onnx_node(l, x)->rank - 1;
  if (l->n_out > 3) l->out[3] = x;
  if (rms && l->n_out > 1) { /* the mean is not computed, but has a place among the results */
    NodeId r = compose_reduce(&l->c, "rms_norm_scale", onnx_node(l, x)->dtype, x, &last, 1, &eps, 1);
    l->out[1] = compose_splat(&l->c, DT_F32, 0, NULL, RAT_0);
    set_statistic(l, 2, r, x, 1);
  }
  return rms ? rms_norm(l, x, l->in[2], eps, &last, 1)
             : layer_norm(l, x, l->in[2], onnx_in(l, 3), eps, &last, 1, 1);
}

/* A vector over dimension `dim` of `rank`. */
static NodeId at_dim(OnnxLower *l, NodeId v, uint32_t dim, uint32_t rank) {
  int64_t shape[COMPOSE_MAX_RANK];
  if (v == NO_NODE || onnx_node(l, v)->rank != 1) return NO_NODE;
  for (uint32_t d = 0; d < rank; d++) shape[d] = d == dim ? onnx_node(l, v)->dims[0] : 1;
  return compose_reshape(&l->c, v, rank, shape);
}

/* With statistics that are given. */
OnnxResult onnx_batch_norm(OnnxLower *l) {
  const Node n = *onnx_node(l, l->in[0]);
  int64_t training;
  NodeId eps = onnx_attr_scalar(l, 0, (double)1e-5f), v[5] = {l->in[0], l->in[1], l->in[2], l->in[3], l->in[4]};
  if (!onnx_attr_int(l, 2, 0, &training) || training || l->n_out > 1 || n.rank < 2 || eps == NO_NODE) return ONNX_OPAQUE;
  for (uint32_t k = 1; k < 5; k++)
    if ((v[k] = at_dim(l, v[k], 1, n.rank)) == NO_NODE) return ONNX_OPAQUE;
  NodeId scale = compose_unary(&l->c, "rsqrt", onnx_two(l, "add", v[4], eps));
  NodeId y = onnx_two(l, "multiply", onnx_two(l, "subtract", v[0], v[3]), scale);
  return onnx_done(l, affine(l, y, v[1], v[2]));
}

/* Channels in groups, each normalised with its positions; one group for each channel is InstanceNormalization.  From
 * operator set 21 on scale and bias are by channel, before by group. */
OnnxResult onnx_group_norm(OnnxLower *l) {
  const Node n = *onnx_node(l, l->in[0]);
  int64_t groups = 0, dims[COMPOSE_MAX_RANK], over[COMPOSE_MAX_RANK];
  bool instance = *l->text == 'i';
  NodeId eps = onnx_attr_scalar(l, 0, (double)1e-5f), scale = l->in[1], bias = l->in[2];
  if (n.rank < 2 || eps == NO_NODE || (!instance && (!onnx_attr_int(l, 1, 0, &groups) || groups < 1))) return ONNX_OPAQUE;
  if (instance) groups = n.dims[1];
  if (!groups || n.dims[1] % groups) return ONNX_OPAQUE;
  uint32_t rank = n.rank + 1u;
  dims[0] = n.dims[0], dims[1] = groups, dims[2] = n.dims[1] / groups;
  memcpy(dims + 3, n.dims + 2, (n.rank - 2u) * sizeof *dims);
  for (uint32_t d = 2; d < rank; d++) over[d - 2] = d;
  NodeId x = compose_reshape(&l->c, l->in[0], rank, dims), m = onnx_mean(l, x, over, rank - 2);
  NodeId r = compose_reduce(&l->c, "layer_norm_scale", n.dtype, x, over, rank - 2, &eps, 1);
  NodeId y = rows(l, "layer_norm_rows", x, (NodeId[]){m, r}, 2, over, rank - 2);
  bool by_group = !instance && l->opset < 21;
  if (!by_group) y = compose_reshape(&l->c, y, n.rank, n.dims);
  if ((scale = at_dim(l, scale, 1, by_group ? rank : n.rank)) == NO_NODE) return ONNX_OPAQUE;
  if ((bias = at_dim(l, bias, 1, by_group ? rank : n.rank)) == NO_NODE) return ONNX_OPAQUE;
  return onnx_done(l, compose_reshape(&l->c, affine(l, y, scale, bias), n.rank, n.dims));
}
