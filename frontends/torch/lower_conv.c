/* Convolutions, and their gradients, as convolutions of the library.
 *
 * y[b, f, t] = sum(c, w) x[b, c, s t + d w - p] k[f, c, w].  The gradient of k is the convolution of x, its batch read
 * as features, with the gradient of y, whose steps are s and windows d apart; that of x is the convolution of the
 * gradient of y, its values s apart, with k reversed.  Groups are digits of f, and of the channels of x: for the
 * gradient of k they group what is read as its batch; for that of x they move from the outputs of k to its inputs.  A
 * transposed convolution is that gradient; its own are the convolution, and the same for k with x and gradient exchanged. */
#include <string.h>

#include "frontends/torch/lower.h"

enum { MAX_SPATIAL = 3 };

/* The same number for all spatial dimensions, or one each. */
typedef struct Window {
  uint32_t n;
  int64_t stride[MAX_SPATIAL], low[MAX_SPATIAL], dilation[MAX_SPATIAL], groups;
} Window;

static bool spread(const TorchArg *a, uint32_t n, int64_t *out) {
  uint32_t have;
  if (!a || !arg_ints(a, out, MAX_SPATIAL, &have) || (have != n && have != 1)) return false;
  for (uint32_t k = have; k < n; k++) out[k] = out[0];
  return true;
}

/* Arguments `at`..: stride padding dilation transposed output_padding groups. */
static bool window_of(Lower *l, uint32_t at, uint32_t n, Window *w) {
  w->n = n;
  if (n < 1 || n > MAX_SPATIAL || !spread(l->arg[at], n, w->stride) || !spread(l->arg[at + 1], n, w->low) ||
      !spread(l->arg[at + 2], n, w->dilation) || !arg_int(l->arg[at + 5], 1, &w->groups))
    return false;
  for (uint32_t k = 0; k < n; k++)
    if (w->stride[k] < 1 || w->dilation[k] < 1) return false;
  return true;
}

/* One convolution of the library: where batch and feature stand in x, kernel and result, and its windows. */
typedef struct Conv {
  int64_t batch, feature, kernel_in, kernel_out, out_batch, out_feature, groups, batch_groups, reversal;
  const int64_t *stride, *low, *high, *base, *dilation; /* base: how far apart the values of x stand; NULL: 1 */
} Conv;

static NodeId convolve(Lower *l, NodeId x, NodeId kernel, uint8_t dtype, const int64_t *dims, uint32_t n,
                       const Conv *c) {
  int64_t space[MAX_SPATIAL], one[MAX_SPATIAL], reversal[MAX_SPATIAL];
  for (uint32_t k = 0; k < n; k++) space[k] = k + 2, one[k] = 1, reversal[k] = c->reversal;
  Attr attrs[] = {attr_int("input_batch_dimension", c->batch),
                  attr_int("input_feature_dimension", c->feature),
                  attr_ints(l, "input_spatial_dimensions", space, n),
                  attr_int("kernel_input_feature_dimension", c->kernel_in),
                  attr_int("kernel_output_feature_dimension", c->kernel_out),
                  attr_ints(l, "kernel_spatial_dimensions", space, n),
                  attr_int("output_batch_dimension", c->out_batch),
                  attr_int("output_feature_dimension", c->out_feature),
                  attr_ints(l, "output_spatial_dimensions", space, n),
                  attr_int("feature_group_count", c->groups),
                  attr_int("batch_group_count", c->batch_groups),
                  attr_ints(l, "window_strides", c->stride ? c->stride : one, n),
                  attr_ints(l, "window_low", c->low, n),
                  attr_ints(l, "window_high", c->high, n),
                  attr_ints(l, "lhs_dilation", c->base ? c->base : one, n),
                  attr_ints(l, "rhs_dilation", c->dilation, n),
                  attr_ints(l, "window_reversal", reversal, n)};
  NodeId args[] = {x, kernel};
  return make(l, "convolution", dtype, n + 2, dims, args, 2, attrs, sizeof attrs / sizeof *attrs);
}

static NodeId kernel_gradient(Lower *l, NodeId g, NodeId x, const TorchType *t, const Window *w) {
  int64_t high[MAX_SPATIAL];
  for (uint32_t k = 0; k < w->n; k++) {
    int64_t reach = (t->dims[k + 2] - 1) * w->dilation[k] + (node_of(l, g)->dims[k + 2] - 1) * w->stride[k] + 1;
    high[k] = reach - node_of(l, x)->dims[k + 2] - w->low[k];
  }
  Conv c = {1, 0, 0, 1, 1, 0, 1, w->groups, 0, w->dilation, w->low, high, NULL, w->stride};
  return convolve(l, x, g, t->dtype, t->dims, w->n, &c);
}

/* The convolution of x with as many windows as the result has. */
static NodeId output_of(Lower *l, NodeId x, NodeId kernel, const TorchType *t, const Window *w) {
  int64_t high[MAX_SPATIAL];
  for (uint32_t k = 0; k < w->n; k++) {
    int64_t reach = (t->dims[k + 2] - 1) * w->stride[k] + (node_of(l, kernel)->dims[k + 2] - 1) * w->dilation[k] + 1;
    high[k] = reach - node_of(l, x)->dims[k + 2] - w->low[k];
  }
  Conv c = {0, 1, 1, 0, 0, 1, w->groups, 1, 0, w->stride, w->low, high, NULL, w->dilation};
  return convolve(l, x, kernel, t->dtype, t->dims, w->n, &c);
}

/* k[(g, f), c, w] as k[f, (g, c), w]. */
static NodeId exchange_groups(Lower *l, NodeId kernel, const Window *w) {
  if (w->groups == 1) return kernel;
  Node k = *node_of(l, kernel);
  if (w->groups < 1 || k.dims[0] % w->groups) return NO_NODE;
  int64_t dims[MAX_SPATIAL + 3] = {w->groups, k.dims[0] / w->groups, k.dims[1]}, perm[] = {1, 0, 2, 3, 4, 5};
  for (uint32_t i = 0; i < w->n; i++) dims[3 + i] = k.dims[2 + i];
  NodeId x = make_transpose(l, make_reshape(l, kernel, w->n + 3, dims), perm);
  int64_t whole[MAX_SPATIAL + 2] = {dims[1], dims[0] * dims[2]};
  for (uint32_t i = 0; i < w->n; i++) whole[2 + i] = dims[3 + i];
  return make_reshape(l, x, w->n + 2, whole);
}

static NodeId input_gradient(Lower *l, NodeId g, NodeId kernel, const TorchType *t, const Window *w) {
  int64_t low[MAX_SPATIAL], high[MAX_SPATIAL];
  for (uint32_t k = 0; k < w->n; k++) {
    int64_t window = w->dilation[k] * (node_of(l, kernel)->dims[k + 2] - 1);
    low[k] = window - w->low[k];
    high[k] = t->dims[k + 2] - 1 - (node_of(l, g)->dims[k + 2] - 1) * w->stride[k] + window - low[k];
  }
  Conv c = {0, 1, 0, 1, 0, 1, w->groups, 1, 1, NULL, low, high, w->stride, w->dilation};
  NodeId k = exchange_groups(l, kernel, w);
  return k == NO_NODE ? NO_NODE : convolve(l, g, k, t->dtype, t->dims, w->n, &c);
}

/* y + bias[f], if there is one: its dimension is that of the features, the first but for the batch. */
static LowerResult with_bias(Lower *l, NodeId y) {
  const TorchType *t = &l->node->outs[0];
  if (!l->arg[2]) return done(l, y);
  NodeId bias = arg_tensor(l, l->arg[2]);
  if (bias == NO_NODE || node_of(l, bias)->rank != 1 || node_of(l, bias)->dims[0] != t->dims[1]) return LOWER_OPAQUE;
  int64_t dims[MAX_SPATIAL + 1] = {t->dims[1], 1, 1, 1};
  bias = make_reshape(l, make_convert(l, bias, t->dtype), t->rank - 1u, dims);
  return done(l, make_binary(l, "add", y, make_broadcast(l, bias, t->rank, t->dims)));
}

static LowerResult convolution(Lower *l, NodeId x, NodeId kernel, const Window *w, const int64_t *high,
                               bool transposed) {
  const TorchType *t = &l->node->outs[0];
  if (transposed) return with_bias(l, input_gradient(l, x, kernel, t, w));
  Conv c = {0, 1, 1, 0, 0, 1, w->groups, 1, 0, w->stride, w->low, high, NULL, w->dilation};
  return with_bias(l, convolve(l, x, kernel, t->dtype, t->dims, w->n, &c));
}

static bool operands(Lower *l, NodeId *x, NodeId *kernel) {
  const TorchType *t = &l->node->outs[0];
  *x = arg_tensor(l, l->arg[0]), *kernel = arg_tensor(l, l->arg[1]);
  return *x != NO_NODE && *kernel != NO_NODE && node_of(l, *x)->rank == t->rank &&
         node_of(l, *kernel)->rank == t->rank && t->rank >= 3 && t->rank - 2 <= MAX_SPATIAL;
}

/* input weight bias, and the window. */
LowerResult lower_convolution(Lower *l) {
  NodeId x, kernel;
  Window w;
  bool transposed;
  if (!arg_bool(l->arg[6], false, &transposed) || !operands(l, &x, &kernel) ||
      !window_of(l, 3, l->node->outs[0].rank - 2u, &w))
    return LOWER_OPAQUE;
  return convolution(l, x, kernel, &w, w.low, transposed);
}

static bool spread_or(const TorchArg *a, uint32_t n, int64_t otherwise, int64_t *out) {
  for (uint32_t k = 0; !a && k < n; k++) out[k] = otherwise;
  return !a || spread(a, n, out);
}

/* input weight bias stride padding dilation groups: padding may be "valid" (none) or "same" (as much as keeps the size,
 * the odd one behind). */
static LowerResult conv(Lower *l, bool transposed) {
  NodeId x, kernel;
  Window w = {.n = l->node->outs[0].rank - 2u};
  int64_t high[MAX_SPATIAL];
  const TorchArg *padding = arg_named(l, "padding");
  bool word = padding && padding->kind == TA_STRING && !padding->ranks;
  bool same = word && !strcmp(sym_text(padding->s), "same");
  if (!operands(l, &x, &kernel) || w.n != (uint32_t)(*l->text - '0') ||
      !spread_or(arg_named(l, "stride"), w.n, 1, w.stride) ||
      !spread_or(arg_named(l, "dilation"), w.n, 1, w.dilation) || !arg_int(arg_named(l, "groups"), 1, &w.groups) ||
      !spread_or(word ? NULL : padding, w.n, 0, w.low))
    return LOWER_OPAQUE;
  for (uint32_t k = 0; k < w.n; k++) {
    if (w.stride[k] < 1 || w.dilation[k] < 1) return LOWER_OPAQUE;
    int64_t all = w.dilation[k] * (node_of(l, kernel)->dims[k + 2] - 1);
    if (same) w.low[k] = all / 2;
    high[k] = same ? all - all / 2 : w.low[k];
  }
  return convolution(l, x, kernel, &w, high, transposed);
}

LowerResult lower_conv(Lower *l) { return conv(l, false); }
LowerResult lower_conv_transpose(Lower *l) { return conv(l, true); }

/* grad_output input weight bias_sizes, the window, and which results are wanted. */
LowerResult lower_convolution_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]), x = arg_tensor(l, l->arg[1]), kernel = arg_tensor(l, l->arg[2]);
  Window w;
  bool transposed;
  if (g == NO_NODE || x == NO_NODE || kernel == NO_NODE || l->node->n_outs != 3) return LOWER_OPAQUE;
  uint32_t rank = node_of(l, g)->rank;
  if (rank < 3 || node_of(l, x)->rank != rank || node_of(l, kernel)->rank != rank ||
      !arg_bool(l->arg[7], false, &transposed) || !window_of(l, 4, rank - 2, &w))
    return LOWER_OPAQUE;
  const TorchType *t = l->node->outs;
  int64_t all[MAX_SPATIAL + 1] = {0, 2, 3, 4};
  NodeId dx = !t[0].tensor ? NO_NODE : (transposed ? output_of : input_gradient)(l, g, kernel, &t[0], &w);
  if (t[0].tensor && dx == NO_NODE) return LOWER_OPAQUE;
  if (t[0].tensor) set_result(l, 0, dx);
  if (t[1].tensor) set_result(l, 1, kernel_gradient(l, transposed ? x : g, transposed ? g : x, &t[1], &w));
  if (t[2].tensor) set_result(l, 2, make_reduce(l, "reduce_sum", t[2].dtype, g, all, w.n + 1, NULL, 0));
  return LOWER_DONE;
}
