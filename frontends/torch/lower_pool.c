/* Pooling over the last dimensions, and its gradients.
 *
 * A maximum or a sum over windows is reduce_window.  The gradient of a maximum is defined by the positions that the forward
 * pass saved. */
#include <string.h>

#include "frontends/torch/lower.h"

enum { MAX_POOLED = 3 };

typedef struct Pool {
  uint32_t n; /* pooled dimensions, the last */
  int64_t size[MAX_POOLED], stride[MAX_POOLED], pad[MAX_POOLED], dilation[MAX_POOLED];
} Pool;

/* A number for all dimensions, or one each; left out or []: `otherwise`. */
static bool spread(const TorchArg *a, uint32_t n, const int64_t *otherwise, int64_t least, int64_t *out) {
  uint32_t have = 0;
  int64_t one;
  if (a && a->kind == TA_INT) {
    if (!arg_int(a, 0, &one)) return false;
    out[0] = one, have = 1;
  } else if (a && !arg_ints(a, out, MAX_POOLED, &have)) {
    return false;
  }
  if (have && have != 1 && have != n) return false;
  for (uint32_t k = 0; k < n; k++) {
    if (!have) out[k] = otherwise[k];
    else if (have == 1) out[k] = out[0];
    if (out[k] < least || out[k] > INT32_MAX) return false;
  }
  return true;
}

/* kernel_size stride padding at `at`..; dilation, or NULL; windows that would end outside (ceil_mode) are not known. */
static bool pool_of(Lower *l, uint32_t at, uint32_t n, const TorchArg *dilation, const TorchArg *ceil, Pool *p) {
  static const int64_t ones[MAX_POOLED] = {1, 1, 1}, zeros[MAX_POOLED] = {0};
  bool up;
  p->n = n;
  return n >= 1 && n <= MAX_POOLED && l->arg[at] && spread(l->arg[at], n, ones, 1, p->size) &&
         spread(l->arg[at + 1], n, p->size, 1, p->stride) && spread(l->arg[at + 2], n, zeros, 0, p->pad) &&
         spread(dilation, n, ones, 1, p->dilation) && arg_bool(ceil, false, &up) && !up;
}

/* The window over all dimensions of a tensor of `rank`. */
static void window_attrs(Lower *l, const Pool *p, uint32_t rank, Attr *a) {
  int64_t v[4][TORCH_MAX_RANK], one[TORCH_MAX_RANK], none[TORCH_MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) {
    bool own = d + p->n >= rank;
    uint32_t k = own ? d + p->n - rank : 0;
    v[0][d] = own ? p->size[k] : 1, v[1][d] = own ? p->stride[k] : 1;
    v[2][d] = own ? p->pad[k] : 0, v[3][d] = own ? p->dilation[k] : 1;
    one[d] = 1, none[d] = 0;
  }
  a[0] = attr_ints(l, "window_size", v[0], rank), a[1] = attr_ints(l, "window_strides", v[1], rank);
  a[2] = attr_ints(l, "window_low", v[2], rank), a[3] = attr_ints(l, "window_high", v[2], rank);
  a[4] = attr_ints(l, "lhs_dilation", one, rank), a[5] = attr_ints(l, "rhs_dilation", v[3], rank);
  a[6] = attr_ints(l, "window_reversal", none, rank);
}

static NodeId window(Lower *l, const Pool *p, NodeId x, const char *reducer, Rat init, uint32_t rank, const int64_t *dims) {
  DType dtype = l->node->outs[0].dtype;
  Attr a[8];
  window_attrs(l, p, rank, a);
  a[7] = attr_sym("reducer", reducer);
  NodeId args[] = {x, make_splat(l, dtype, 0, NULL, init)};
  return make(l, "reduce_window", dtype, rank, dims, args, 2, a, 8);
}

/* Result 1 of the maximum: where it is. */
static NodeId positions(Lower *l, const Pool *p, NodeId x) {
  uint32_t rank = node_of(l, x)->rank;
  int64_t dims[MAX_POOLED];
  Attr a[8];
  if (p->n == 2) {
    a[0] = attr_int("rows", p->size[0]), a[1] = attr_int("columns", p->size[1]);
    a[2] = attr_int("row_stride", p->stride[0]), a[3] = attr_int("column_stride", p->stride[1]);
    a[4] = attr_int("row_low", p->pad[0]), a[5] = attr_int("column_low", p->pad[1]);
    a[6] = attr_int("row_step", p->dilation[0]), a[7] = attr_int("column_step", p->dilation[1]);
    return make_out(l, 1, "max_pool_positions", &x, 1, a, 8);
  }
  for (uint32_t k = 0; k < p->n; k++) dims[k] = rank - p->n + k;
  window_attrs(l, p, rank, a);
  a[7] = attr_ints(l, "dimensions", dims, p->n);
  return make_out(l, 1, "max_pool_positions", &x, 1, a, 8);
}

/* self kernel_size stride padding dilation ceil_mode; the text is how many dimensions are pooled. */
LowerResult lower_max_pool(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  Pool p;
  uint32_t n = (uint32_t)(*l->text - '0');
  if (x == NO_NODE || node_of(l, x)->rank < n || !pool_of(l, 1, n, l->arg[4], l->arg[5], &p)) return LOWER_OPAQUE;
  if (l->node->n_outs > 1 && l->node->outs[1].tensor) {
    NodeId at = positions(l, &p, x);
    if (at == NO_NODE) return LOWER_OPAQUE;
    set_result(l, 1, at);
  }
  return done(l, window(l, &p, x, "maximum", RAT_NEG_INF, t->rank, t->dims));
}

/* grad_output, indices: positions within the pooled dimensions. */
LowerResult lower_max_pool_backward(Lower *l) {
  NodeId v[] = {arg_tensor(l, l->arg[0]), arg_tensor(l, arg_named(l, "indices"))};
  const TorchType *t = &l->node->outs[0];
  uint32_t n = (uint32_t)(*l->text - '0');
  int64_t dims[MAX_POOLED], flat[TORCH_MAX_RANK] = {0};
  if (v[0] == NO_NODE || v[1] == NO_NODE || t->rank < n) return LOWER_OPAQUE;
  uint32_t rank = t->rank - n;
  memcpy(flat, t->dims, rank * sizeof *flat);
  flat[rank] = 1;
  for (uint32_t k = 0; k < n; k++) {
    dims[k] = rank + k;
    flat[rank] *= t->dims[rank + k];
  }
  Attr a = attr_ints(l, "dimensions", dims, n);
  NodeId x = make(l, "max_pool_backward", t->dtype, rank + 1, flat, v, 2, &a, 1);
  return done(l, make_reshape(l, x, t->rank, t->dims));
}

/* What sums over windows are divided by, at each of them; NO_NODE: not known.  `in` is what is pooled, `out` its windows. */
static NodeId divisor(Lower *l, const Pool *p, const TorchArg *count_include_pad, const TorchArg *override, const Node *in,
                      const Node *out) {
  DType dtype = l->node->outs[0].dtype;
  bool padded = false, with_pad;
  Rat n = RAT_1;
  if (!arg_bool(count_include_pad, true, &with_pad)) return NO_NODE;
  for (uint32_t k = 0; k < p->n; k++) {
    padded |= p->pad[k] != 0;
    n = rat_mul(n, rat_int(p->size[k]));
  }
  if (override && !number_in(override, dtype, &n)) return NO_NODE;
  if (override || !padded || with_pad) return make_splat(l, dtype, out->rank, out->dims, n);
  return window(l, p, make_splat(l, dtype, in->rank, in->dims, RAT_1), "add", RAT_0, out->rank, out->dims);
}

/* self kernel_size stride padding ceil_mode count_include_pad divisor_override */
LowerResult lower_avg_pool(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  uint32_t n = (uint32_t)(*l->text - '0');
  Pool p;
  if (x == NO_NODE || node_of(l, x)->rank < n || !pool_of(l, 1, n, NULL, l->arg[4], &p)) return LOWER_OPAQUE;
  const TorchType *t = &l->node->outs[0];
  NodeId sum = window(l, &p, x, "add", RAT_0, t->rank, t->dims);
  if (sum == NO_NODE) return LOWER_OPAQUE;
  const Node in = *node_of(l, x), out = *node_of(l, sum);
  return done(l, make_binary(l, "divide", sum, divisor(l, &p, l->arg[5], l->arg[6], &in, &out)));
}

/* grad_output self kernel_size stride padding ceil_mode count_include_pad divisor_override */
LowerResult lower_avg_pool_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]), x = arg_tensor(l, l->arg[1]);
  uint32_t n = (uint32_t)(*l->text - '0');
  Pool p;
  Attr a[4];
  int64_t dims[MAX_POOLED];
  if (g == NO_NODE || x == NO_NODE || node_of(l, g)->rank < n || !pool_of(l, 2, n, NULL, l->arg[5], &p))
    return LOWER_OPAQUE;
  const Node in = *node_of(l, x), out = *node_of(l, g);
  if (in.rank != out.rank) return LOWER_OPAQUE;
  g = make_binary(l, "divide", g, divisor(l, &p, l->arg[6], l->arg[7], &in, &out));
  if (g == NO_NODE) return LOWER_OPAQUE;
  for (uint32_t k = 0; k < n; k++) dims[k] = in.rank - n + k;
  a[0] = attr_ints(l, "dimensions", dims, n), a[1] = attr_ints(l, "size", p.size, n);
  a[2] = attr_ints(l, "stride", p.stride, n), a[3] = attr_ints(l, "low", p.pad, n);
  return done(l, make_out(l, 0, "sum_pool_backward", &g, 1, a, 4));
}
