/* Convolutions and pooling: windows over the dimensions behind batch and channel. */
#include <string.h>

#include "frontends/onnx/lower.h"

typedef struct Window {
  uint32_t n; /* dimensions */
  int64_t size[ONNX_MAX_RANK], stride[ONNX_MAX_RANK], dilation[ONNX_MAX_RANK], low[ONNX_MAX_RANK], high[ONNX_MAX_RANK];
  int64_t out[ONNX_MAX_RANK]; /* places it stands at */
  bool exact;                 /* it ends where the padded tensor does, or would not fit once more */
} Window;

/* A list of positive numbers, one for each dimension; all 1 if it is not given. */
static bool ones_or(const OnnxLower *l, uint32_t k, uint32_t n, int64_t *out) {
  uint32_t m = n;
  for (uint32_t d = 0; d < n; d++) out[d] = 1;
  if (onnx_has(l, k) && (!onnx_attr_ints(l, k, out, n, &m) || m != n)) return false;
  for (uint32_t d = 0; d < n; d++)
    if (out[d] < 1 || out[d] > INT32_MAX) return false;
  return true;
}

/* Attributes auto_pad, dilations, pads, strides at `at` .. `at` + 3; `w->size` is set, `dims` are those of the tensor. */
static bool read_window(const OnnxLower *l, uint32_t at, const int64_t *dims, bool ceil, Window *w) {
  const char *mode;
  int64_t pads[2 * ONNX_MAX_RANK];
  uint32_t m = 0;
  if (!onnx_attr_word(l, at, "NOTSET", &mode) || !ones_or(l, at + 1, w->n, w->dilation) ||
      !ones_or(l, at + 3, w->n, w->stride))
    return false;
  bool same = !strncmp(mode, "SAME_", 5), given = !strcmp(mode, "NOTSET");
  if (!same && !given && strcmp(mode, "VALID")) return false;
  if (given && onnx_has(l, at + 2) && (!onnx_attr_ints(l, at + 2, pads, 2 * w->n, &m) || m != 2 * w->n)) return false;
  w->exact = true;
  for (uint32_t d = 0; d < w->n; d++) {
    int64_t reach = (w->size[d] - 1) * w->dilation[d] + 1, s = w->stride[d];
    if (w->size[d] < 1 || w->size[d] > INT32_MAX || dims[d] > INT64_MAX / 4) return false;
    w->low[d] = m ? pads[d] : 0;
    w->high[d] = m ? pads[w->n + d] : 0;
    if (same) {
      int64_t all = ((dims[d] + s - 1) / s - 1) * s + reach - dims[d];
      all = all < 0 ? 0 : all;
      w->low[d] = !strcmp(mode, "SAME_LOWER") ? all - all / 2 : all / 2;
      w->high[d] = all - w->low[d];
    }
    if (w->low[d] < 0 || w->high[d] < 0 || w->low[d] > INT32_MAX || w->high[d] > INT32_MAX) return false;
    int64_t room = dims[d] + w->low[d] + w->high[d] - reach;
    if (room < 0) return false;
    w->out[d] = room / s + 1;
    w->exact &= !ceil || room % s == 0;
  }
  return true;
}

/* The window as attributes over `rank` dimensions, of which the last are its own. */
static uint32_t window_attrs(OnnxLower *l, const Window *w, uint32_t rank, Attr *a) {
  static const char *const names[] = {"window_size", "window_strides", "window_low", "window_high", "lhs_dilation",
                                      "rhs_dilation", "window_reversal"};
  const int64_t *const from[] = {w->size, w->stride, w->low, w->high, NULL, w->dilation, NULL};
  for (uint32_t k = 0; k < 7; k++) {
    int64_t *v = ARENA_ARRAY(&l->arena, int64_t, rank);
    for (uint32_t d = 0; d < rank; d++) {
      bool own = d + w->n >= rank;
      v[d] = own && from[k] ? from[k][d + w->n - rank] : k == 0 || k == 1 || k == 4 || k == 5;
    }
    a[k] = attr_list(names[k], v, rank);
  }
  return 7;
}

/* Zeros around a tensor are what a convolution takes to be there: a padding that is its operand's becomes its own. */
static NodeId without_padding(const OnnxLower *l, NodeId x, Window *w) {
  const Node n = *onnx_node(l, x);
  Rat value;
  if (n.op != sym("pad") || !onnx_known(l, n.args[1], &value) || value != RAT_0) return x;
  const int64_t *low = n.attrs[0].ints, *high = n.attrs[1].ints;
  for (uint32_t d = 0; d < n.rank; d++)
    if (low[d] < 0 || high[d] < 0 || low[d] > INT32_MAX || high[d] > INT32_MAX || (d < 2 && (low[d] || high[d]))) return x;
  for (uint32_t d = 0; d < w->n; d++) w->low[d] += low[d + 2], w->high[d] += high[d + 2];
  return n.args[0];
}

/* Where batch, features and space are; `in` and `out` are the dimensions of features of the kernel. */
static uint32_t conv_attrs(OnnxLower *l, uint32_t n, int64_t in, int64_t out, int64_t groups, Attr *a) {
  int64_t *space = ARENA_ARRAY(&l->arena, int64_t, n);
  for (uint32_t d = 0; d < n; d++) space[d] = 2 + d;
  const Attr all[] = {attr_int("input_batch_dimension", 0), attr_int("input_feature_dimension", 1),
                      attr_list("input_spatial_dimensions", space, n), attr_int("kernel_input_feature_dimension", in),
                      attr_int("kernel_output_feature_dimension", out), attr_list("kernel_spatial_dimensions", space, n),
                      attr_int("output_batch_dimension", 0), attr_int("output_feature_dimension", 1),
                      attr_list("output_spatial_dimensions", space, n), attr_int("feature_group_count", groups),
                      attr_int("batch_group_count", 1)};
  memcpy(a, all, sizeof all);
  return sizeof all / sizeof *all;
}

/* The third operand, by channel. */
static OnnxResult with_bias(OnnxLower *l, NodeId y) {
  if (onnx_in(l, 2) == NO_NODE || y == NO_NODE) return onnx_done(l, y);
  uint32_t rank = onnx_node(l, y)->rank;
  if (onnx_node(l, l->in[2])->rank != 1) return ONNX_OPAQUE;
  int64_t bias[COMPOSE_MAX_RANK] = {1, onnx_node(l, l->in[2])->dims[0]};
  for (uint32_t d = 2; d < rank; d++) bias[d] = 1;
  return onnx_done(l, onnx_two(l, "add", y, compose_reshape(&l->c, l->in[2], rank, bias)));
}

/* auto_pad dilations pads strides group kernel_shape */
OnnxResult onnx_conv(OnnxLower *l) {
  const Node x = *onnx_node(l, l->in[0]), k = *onnx_node(l, l->in[1]);
  int64_t groups, dims[COMPOSE_MAX_RANK];
  Window w = {.n = x.rank < 3 ? 0 : x.rank - 2u};
  uint32_t n = w.n;
  if (!w.n || k.rank != x.rank || !onnx_attr_int(l, 4, 1, &groups) || groups < 1) return ONNX_OPAQUE;
  if (onnx_has(l, 5) && (!onnx_attr_ints(l, 5, w.size, w.n, &n) || n != w.n)) return ONNX_OPAQUE;
  for (uint32_t d = 0; d < w.n; d++) {
    if (onnx_has(l, 5) && w.size[d] != k.dims[2 + d]) return ONNX_OPAQUE;
    w.size[d] = k.dims[2 + d];
  }
  if (x.dims[1] % groups || x.dims[1] / groups != k.dims[1] || k.dims[0] % groups) return ONNX_OPAQUE;
  if (!read_window(l, 0, x.dims + 2, false, &w)) return ONNX_OPAQUE;
  NodeId from = without_padding(l, l->in[0], &w);
  Attr a[20];
  uint32_t n_attrs = conv_attrs(l, w.n, 1, 0, groups, a);
  n_attrs += window_attrs(l, &w, w.n, a + n_attrs);
  dims[0] = x.dims[0], dims[1] = k.dims[0];
  memcpy(dims + 2, w.out, w.n * sizeof *dims);
  return with_bias(l, compose(&l->c, "convolution", x.dtype, x.rank, dims, (NodeId[]){from, l->in[1]}, 2, a, n_attrs));
}

/* k[(g, c), f, w] as k[c, (g, f), w]. */
static NodeId with_groups_behind(OnnxLower *l, NodeId kernel, int64_t groups) {
  const Node k = *onnx_node(l, kernel);
  int64_t dims[COMPOSE_MAX_RANK] = {groups, k.dims[0] / groups}, perm[COMPOSE_MAX_RANK] = {1, 0};
  for (uint32_t d = 1; d < k.rank; d++) dims[d + 1] = k.dims[d], perm[d + 1] = d + 1;
  NodeId x = compose_transpose(&l->c, compose_reshape(&l->c, kernel, k.rank + 1u, dims), perm);
  memmove(dims, dims + 1, k.rank * sizeof *dims);
  dims[1] *= groups;
  return compose_reshape(&l->c, x, k.rank, dims);
}

/* The gradient of a convolution: a convolution of values that stand a stride apart, with the kernel reversed. */
OnnxResult onnx_conv_transpose(OnnxLower *l) {
  const Node x = *onnx_node(l, l->in[0]), k = *onnx_node(l, l->in[1]);
  int64_t groups, dims[COMPOSE_MAX_RANK], more[ONNX_MAX_RANK] = {0}, one[ONNX_MAX_RANK], flip[ONNX_MAX_RANK];
  Window w = {.n = x.rank < 3 ? 0 : x.rank - 2u};
  uint32_t n = w.n;
  if (!w.n || k.rank != x.rank || x.rank >= ONNX_MAX_RANK || !onnx_attr_int(l, 4, 1, &groups) || groups < 1 ||
      x.dims[1] != k.dims[0] || k.dims[0] % groups)
    return ONNX_OPAQUE;
  if (onnx_has(l, 6) && (!onnx_attr_ints(l, 6, more, w.n, &n) || n != w.n)) return ONNX_OPAQUE;
  for (uint32_t d = 0; d < w.n; d++) w.size[d] = k.dims[2 + d], dims[d] = INT32_MAX; /* the window fits whatever it is */
  const char *mode;
  if (!onnx_attr_word(l, 0, "NOTSET", &mode) || !strncmp(mode, "SAME", 4) || !read_window(l, 0, dims, false, &w))
    return ONNX_OPAQUE;
  int64_t size[COMPOSE_MAX_RANK] = {x.dims[0], k.dims[1] * groups};
  for (uint32_t d = 0; d < w.n; d++) {
    int64_t reach = (w.size[d] - 1) * w.dilation[d];
    if (more[d] < 0 || more[d] > INT32_MAX || x.dims[2 + d] < 1 || x.dims[2 + d] > INT32_MAX) return ONNX_OPAQUE;
    w.low[d] = reach - w.low[d], w.high[d] = reach - w.high[d] + more[d];
    size[2 + d] = (x.dims[2 + d] - 1) * w.stride[d] + 1 + w.low[d] + w.high[d] - reach;
    one[d] = flip[d] = 1;
    if (size[2 + d] < 1) return ONNX_OPAQUE;
  }
  Attr a[20];
  uint32_t n_attrs = conv_attrs(l, w.n, 0, 1, groups, a);
  uint32_t first = n_attrs;
  n_attrs += window_attrs(l, &w, w.n, a + n_attrs);
  a[first + 4].ints = a[first + 1].ints; /* values of x apart, windows one after the other */
  a[first + 1].ints = one;
  a[first + 6].ints = flip;
  NodeId v[] = {l->in[0], with_groups_behind(l, l->in[1], groups)};
  return with_bias(l, compose(&l->c, "convolution", x.dtype, x.rank, size, v, 2, a, n_attrs));
}

static NodeId window_node(OnnxLower *l, const Window *w, NodeId x, const char *reducer, Rat init) {
  const Node in = *onnx_node(l, x);
  int64_t dims[COMPOSE_MAX_RANK] = {in.dims[0], in.dims[1]};
  memcpy(dims + 2, w->out, w->n * sizeof *dims);
  Attr a[8] = {attr_sym("reducer", reducer)};
  uint32_t n = 1 + window_attrs(l, w, in.rank, a + 1);
  NodeId args[] = {x, compose_splat(&l->c, in.dtype, 0, NULL, init)};
  return compose(&l->c, "reduce_window", in.dtype, in.rank, dims, args, 2, a, n);
}

/* auto_pad dilations pads strides kernel_shape ceil_mode count_include_pad storage_order */
OnnxResult onnx_pool(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  const Node in = *onnx_node(l, x);
  int64_t ceil, with_pad, dims[COMPOSE_MAX_RANK];
  Window w = {.n = in.rank < 3 ? 0 : in.rank - 2u};
  uint32_t n;
  bool padded = false;
  if (!w.n || l->n_out > 1 || !onnx_attr_ints(l, 4, w.size, w.n, &n) || n != w.n || !onnx_attr_int(l, 5, 0, &ceil) ||
      !onnx_attr_int(l, 6, 0, &with_pad) || !read_window(l, 0, in.dims + 2, ceil, &w) || !w.exact)
    return ONNX_OPAQUE;
  if (*l->text == 'm') return onnx_done(l, window_node(l, &w, x, "maximum", RAT_NEG_INF));
  NodeId sum = window_node(l, &w, x, "add", RAT_0), count;
  Rat size = RAT_1;
  for (uint32_t d = 0; d < w.n; d++) {
    padded |= w.low[d] || w.high[d];
    size = rat_mul(size, rat_int(w.size[d]));
  }
  memcpy(dims, in.dims, in.rank * sizeof *dims);
  if (padded && !with_pad) count = window_node(l, &w, compose_splat(&l->c, in.dtype, in.rank, dims, RAT_1), "add", RAT_0);
  else count = compose_splat(&l->c, in.dtype, 0, NULL, size);
  return onnx_done(l, onnx_two(l, "divide", sum, count));
}

/* Over all positions, which stay as dimensions of size 1. */
OnnxResult onnx_global_pool(OnnxLower *l) {
  const Node in = *onnx_node(l, l->in[0]);
  int64_t over[COMPOSE_MAX_RANK], dims[COMPOSE_MAX_RANK];
  if (in.rank < 2) return ONNX_OPAQUE;
  for (uint32_t d = 0; d < in.rank; d++) {
    dims[d] = d < 2 ? in.dims[d] : 1;
    if (d >= 2) over[d - 2] = d;
  }
  NodeId y = compose_reduce(&l->c, l->text, in.dtype, l->in[0], over, in.rank - 2u, NULL, 0);
  return onnx_done(l, compose_reshape(&l->c, y, in.rank, dims));
}
