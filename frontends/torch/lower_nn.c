/* Normalisation over the last dimensions (layer and root mean square normalisation), and of weights. */
#include <string.h>

#include "frontends/torch/lower.h"

static uint32_t normalized(Lower *l, NodeId x, const TorchArg *shape, int64_t *dims) {
  if (x == NO_NODE || !shape || shape->kind != TA_LIST || shape->n > node_of(l, x)->rank) return 0;
  for (uint32_t k = 0; k < shape->n; k++) dims[k] = node_of(l, x)->rank - shape->n + k;
  return shape->n;
}

/* A statistic of the rows: the normalised dimensions go, or stand with size 1 as the file says for result k. */
static NodeId statistic(Lower *l, const char *op, NodeId x, NodeId eps, const int64_t *dims, uint32_t n) {
  if (x == NO_NODE) return NO_NODE;
  Node in = *node_of(l, x);
  NodeId args[] = {x, eps};
  Attr a = attr_ints(l, "dimensions", dims, n);
  return make(l, op, in.dtype, in.rank - n, in.dims, args, eps == NO_NODE ? 1 : 2, &a, 1);
}

static NodeId mean(Lower *l, NodeId x, const int64_t *dims, uint32_t n) {
  return statistic(l, "reduce_mean", x, NO_NODE, dims, n);
}

static NodeId times(Lower *l, NodeId y, const TorchArg *w, const char *op) {
  if (!w || y == NO_NODE) return y;
  Node n = *node_of(l, y);
  return make_binary(l, op, y, arg_operand(l, w, n.dtype, n.rank, n.dims));
}

static void set_statistic(Lower *l, uint32_t k, NodeId id) {
  const TorchType *t = &l->node->outs[k];
  if (k < l->node->n_outs && t->tensor) set_result(l, k, make_convert(l, make_reshape(l, id, t->rank, t->dims), t->dtype));
}

LowerResult lower_layer_norm(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), eps;
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = normalized(l, x, l->arg[1], dims);
  if (!n || (eps = arg_scalar_or(l, l->arg[4], rat_frac(1, 100000), node_of(l, x)->dtype)) == NO_NODE) return LOWER_OPAQUE;
  NodeId m = statistic(l, "reduce_mean", x, NO_NODE, dims, n), r = statistic(l, "layer_norm_scale", x, eps, dims, n);
  NodeId args[] = {x, m, r};
  Attr a = attr_ints(l, "dimensions", dims, n);
  NodeId y = make_out(l, 0, "layer_norm_rows", args, 3, &a, 1);
  set_statistic(l, 1, m);
  set_statistic(l, 2, r);
  return done(l, times(l, times(l, y, l->arg[2], "multiply"), l->arg[3], "add"));
}

/* Statistics as the forward pass saved them, without the dimensions of size 1. */
static NodeId saved(Lower *l, const TorchArg *a, NodeId x, uint32_t n) {
  Node in = *node_of(l, x);
  return make_convert(l, make_reshape(l, arg_tensor(l, a), in.rank - n, in.dims), in.dtype);
}

/* Sum over the rows of result k, if it is wanted. */
static void set_sum(Lower *l, uint32_t k, NodeId x, uint32_t n) {
  if (k >= l->node->n_outs || !l->node->outs[k].tensor || x == NO_NODE) return;
  Node in = *node_of(l, x);
  int64_t rows[TORCH_MAX_RANK];
  for (uint32_t d = 0; d + n < in.rank; d++) rows[d] = d;
  Attr a = attr_ints(l, "dimensions", rows, in.rank - n);
  NodeId sum = make(l, "reduce_sum", in.dtype, n, in.dims + in.rank - n, &x, 1, &a, 1);
  set_result(l, k, make_convert(l, sum, l->node->outs[k].dtype));
}

LowerResult lower_layer_norm_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]), x = arg_tensor(l, l->arg[1]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = normalized(l, x, l->arg[2], dims);
  if (!n || g == NO_NODE || !l->arg[3] || !l->arg[4]) return LOWER_OPAQUE;
  Attr a = attr_ints(l, "dimensions", dims, n);
  NodeId m = saved(l, l->arg[3], x, n), r = saved(l, l->arg[4], x, n), rows[] = {x, m, r};
  NodeId h = make(l, "layer_norm_rows", node_of(l, x)->dtype, node_of(l, x)->rank, node_of(l, x)->dims, rows, 3, &a, 1);
  NodeId u = times(l, g, l->arg[5], "multiply"), uh = make_binary(l, "multiply", u, h);
  NodeId args[] = {u, h, r, mean(l, uh, dims, n), mean(l, u, dims, n)};
  if (l->node->outs[0].tensor) set_result(l, 0, make_out(l, 0, "layer_norm_backward", args, 5, &a, 1));
  set_sum(l, 1, make_binary(l, "multiply", g, h), n);
  set_sum(l, 2, g, n);
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}

LowerResult lower_rms_norm(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), eps;
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = normalized(l, x, l->arg[1], dims);
  if (!n) return LOWER_OPAQUE;
  int bits = node_of(l, x)->dtype == DT_F64 ? -52 : -23; /* halves are computed with in single precision */
  if ((eps = arg_scalar_or(l, l->arg[3], rat_pow(RAT_INT(2), bits), node_of(l, x)->dtype)) == NO_NODE)
    return LOWER_OPAQUE;
  NodeId r = statistic(l, "rms_norm_scale", x, eps, dims, n), args[] = {x, r};
  Attr a = attr_ints(l, "dimensions", dims, n);
  set_statistic(l, 1, r);
  return done(l, times(l, make_out(l, 0, "rms_norm_rows", args, 2, &a, 1), l->arg[2], "multiply"));
}

LowerResult lower_rms_norm_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]), x = arg_tensor(l, l->arg[1]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = normalized(l, x, l->arg[2], dims);
  if (!n || g == NO_NODE || !l->arg[3]) return LOWER_OPAQUE;
  Attr a = attr_ints(l, "dimensions", dims, n);
  NodeId r = saved(l, l->arg[3], x, n), rows[] = {x, r};
  NodeId h = make(l, "rms_norm_rows", node_of(l, x)->dtype, node_of(l, x)->rank, node_of(l, x)->dims, rows, 2, &a, 1);
  NodeId u = times(l, g, l->arg[4], "multiply"), args[] = {u, h, r, mean(l, make_binary(l, "multiply", u, h), dims, n)};
  if (l->node->outs[0].tensor) set_result(l, 0, make_out(l, 0, "rms_norm_backward", args, 4, &a, 1));
  set_sum(l, 1, make_binary(l, "multiply", g, h), n);
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}

/* A weight v with norms over all dimensions but `dim` (over all, with -1), and what has the shape of those. */
typedef struct Directions {
  Node in;
  int64_t over[TORCH_MAX_RANK], kept[TORCH_MAX_RANK];
  uint32_t n;
} Directions;

static bool directions(Lower *l, NodeId v, const TorchArg *along, Directions *out) {
  int64_t dim;
  *out = (Directions){0};
  if (v == NO_NODE || !arg_int(along, 0, &dim)) return false;
  out->in = *node_of(l, v);
  if (dim < -1 || dim >= out->in.rank) return false;
  for (int64_t d = 0; d < out->in.rank; d++) {
    out->kept[d] = d == dim ? out->in.dims[d] : 1;
    if (d != dim) out->over[out->n++] = d;
  }
  return true;
}

/* One number a direction, or as it is broadcast, everywhere; NO_NODE if `x` has another shape. */
static NodeId of_directions(Lower *l, const Directions *d, NodeId x) {
  if (x == NO_NODE) return NO_NODE;
  if (!node_of(l, x)->rank && d->n == d->in.rank) x = make_reshape(l, x, d->in.rank, d->kept);
  bool fits = node_of(l, x)->rank == d->in.rank;
  for (uint32_t k = 0; k < d->in.rank && fits; k++)
    fits = node_of(l, x)->dims[k] == 1 || node_of(l, x)->dims[k] == d->in.dims[k];
  return fits ? make_broadcast(l, make_convert(l, x, d->in.dtype), d->in.rank, d->in.dims) : NO_NODE;
}

static NodeId over_directions(Lower *l, const Directions *d, const char *op, NodeId x) {
  return make_reshape(l, make_reduce(l, op, d->in.dtype, x, d->over, d->n, NULL, 0), d->in.rank, d->kept);
}

/* v g dim: g * v / |v|; |v| is result 1. */
LowerResult lower_weight_norm(Lower *l) {
  NodeId v = arg_tensor(l, l->arg[0]), g = arg_tensor(l, l->arg[1]);
  Directions d;
  if (!directions(l, v, l->arg[2], &d) || g == NO_NODE) return LOWER_OPAQUE;
  NodeId norm = over_directions(l, &d, "norm_2", v), gain = of_directions(l, &d, g);
  if (gain == NO_NODE) return LOWER_OPAQUE;
  set_statistic(l, 1, norm);
  return done(l, make_binary(l, "multiply", v, make_binary(l, "divide", gain, of_directions(l, &d, norm))));
}

/* grad_w saved_v saved_g saved_norms dim: (grad_w - u s) g / |v| and s, with the unit vectors u = v / |v| and s = sum of
 * grad_w u over each. */
LowerResult lower_weight_norm_backward(Lower *l) {
  NodeId y = arg_tensor(l, l->arg[0]), v = arg_tensor(l, l->arg[1]), g = arg_tensor(l, l->arg[2]);
  Directions d;
  if (y == NO_NODE || !directions(l, v, l->arg[4], &d)) return LOWER_OPAQUE;
  NodeId gain = of_directions(l, &d, g), norm = of_directions(l, &d, arg_tensor(l, l->arg[3]));
  if (gain == NO_NODE || norm == NO_NODE) return LOWER_OPAQUE;
  NodeId u = make_binary(l, "divide", v, norm), s = over_directions(l, &d, "reduce_sum", make_binary(l, "multiply", y, u));
  NodeId across = make_binary(l, "subtract", y, make_binary(l, "multiply", u, of_directions(l, &d, s)));
  set_result(l, 0, make_binary(l, "multiply", across, make_binary(l, "divide", gain, norm)));
  set_statistic(l, 1, s);
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}
