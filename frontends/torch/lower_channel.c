/* Normalisation by channel: batch and group normalisation, [batch, channel, ..].
 *
 * Both are layer normalisation over other dimensions: those of a channel over the batch, or those of a group of channels,
 * which becomes a dimension of its own. */
#include <string.h>

#include "frontends/torch/lower.h"

/* A vector by channel in the shape of x. */
static NodeId by_channel(Lower *l, const TorchArg *a, const Node *x) {
  NodeId v = arg_tensor(l, a);
  int64_t dims[TORCH_MAX_RANK];
  if (v == NO_NODE || x->rank < 2 || node_of(l, v)->rank != 1 || node_of(l, v)->dims[0] != x->dims[1]) return NO_NODE;
  for (int d = 0; d < x->rank; d++) dims[d] = d == 1 ? x->dims[1] : 1;
  return make_broadcast(l, make_convert(l, make_reshape(l, v, x->rank, dims), x->dtype), x->rank, x->dims);
}

/* All dimensions but that of the channels. */
static uint32_t over_batch(const Node *x, int64_t *dims) {
  uint32_t n = 0;
  for (int d = 0; d < x->rank; d++)
    if (d != 1) dims[n++] = d;
  return n;
}

/* (x - m) * r for statistics m and r without the dimensions `dims`. */
static NodeId normal(Lower *l, NodeId x, NodeId m, NodeId r, const int64_t *dims, uint32_t n) {
  const Node in = *node_of(l, x);
  Attr a = attr_ints(l, "dimensions", dims, n);
  return make(l, "layer_norm_rows", in.dtype, in.rank, in.dims, (NodeId[]){x, m, r}, 3, &a, 1);
}

static NodeId scale_of(Lower *l, NodeId x, NodeId eps, const int64_t *dims, uint32_t n) {
  return eps == NO_NODE ? NO_NODE : make_reduce(l, "layer_norm_scale", node_of(l, x)->dtype, x, dims, n, &eps, 1);
}

/* Result k, if it is a tensor; one of no elements where nothing was saved. */
static void set_saved(Lower *l, uint32_t k, NodeId id) {
  if (k >= l->node->n_outs || !l->node->outs[k].tensor) return;
  const TorchType *t = &l->node->outs[k];
  bool empty = t->rank == 1 && t->dims[0] == 0;
  set_result(l, k, empty ? make_splat(l, t->dtype, t->rank, t->dims, RAT_0) : make_reshape(l, id, t->rank, t->dims));
}

/* y * weight + bias, each perhaps left out. */
static NodeId affine(Lower *l, NodeId y, const TorchArg *weight, const TorchArg *bias) {
  if (y == NO_NODE) return NO_NODE;
  const Node n = *node_of(l, y);
  if (weight) y = make_binary(l, "multiply", y, by_channel(l, weight, &n));
  return bias && y != NO_NODE ? make_binary(l, "add", y, by_channel(l, bias, &n)) : y;
}

/* rate * new + (1 - rate) * old. */
static NodeId running(Lower *l, const TorchArg *old, NodeId new, const TorchArg *rate) {
  NodeId before = arg_tensor(l, old);
  if (before == NO_NODE || new == NO_NODE) return NO_NODE;
  const Node n = *node_of(l, before);
  NodeId r = make_broadcast(l, arg_scalar(l, rate, n.dtype), n.rank, n.dims);
  return make(l, "lerp", n.dtype, n.rank, n.dims, (NodeId[]){before, make_convert(l, new, n.dtype), r}, 3, NULL, 0);
}

/* Running statistics change in place: what reads them later would not see it. */
static LowerResult writes_statistics(Lower *l) {
  lower_error(l, E_UNSUPPORTED, "%s writes into the running statistics", sym_text(l->node->op));
  diag_hint(l->p->diags, "save program.run_decompositions(), in which the new ones are results");
  return LOWER_FAILED;
}

/* input weight bias running_mean running_var .. momentum eps; "training": they stand behind a truth value, else they are
 * used as they are.  Results: normalised, mean, 1 / deviation, and perhaps the new running ones. */
LowerResult lower_batch_norm(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  bool flag = *l->text == 't', training = false;
  const TorchArg *momentum = l->arg[flag ? 6 : 5], *epsilon = l->arg[flag ? 7 : 6];
  int64_t dims[TORCH_MAX_RANK];
  if (x == NO_NODE || node_of(l, x)->rank < 2 || !epsilon) return LOWER_OPAQUE;
  if (flag && (!l->arg[5] || l->arg[5]->kind != TA_BOOL || !arg_bool(l->arg[5], false, &training))) return LOWER_OPAQUE;
  if (training && l->arg[3] && strcmp(sym_text(l->node->op), "aten._native_batch_norm_legit_functional.default"))
    return writes_statistics(l);
  const Node in = *node_of(l, x);
  uint32_t n = over_batch(&in, dims);
  NodeId eps = arg_scalar(l, epsilon, in.dtype), m, r;
  if (training) {
    m = make_reduce(l, "reduce_mean", in.dtype, x, dims, n, NULL, 0);
    r = scale_of(l, x, eps, dims, n);
  } else {
    m = make_convert(l, arg_tensor(l, l->arg[3]), in.dtype);
    NodeId v = make_convert(l, arg_tensor(l, l->arg[4]), in.dtype);
    if (m == NO_NODE || v == NO_NODE || eps == NO_NODE) return LOWER_OPAQUE;
    v = make_binary(l, "add", v, make_broadcast(l, eps, 1, node_of(l, v)->dims));
    r = make(l, "rsqrt", in.dtype, 1, &in.dims[1], &v, 1, NULL, 0);
  }
  set_saved(l, 1, m);
  set_saved(l, 2, r);
  if (l->node->n_outs > 3) {
    NodeId more[] = {m, make_splat(l, in.dtype, 0, NULL, RAT_1)};
    NodeId v = training ? make_reduce(l, "variance", in.dtype, x, dims, n, more, 2) : NO_NODE;
    set_saved(l, 3, training ? running(l, l->arg[3], m, momentum) : arg_tensor(l, l->arg[3]));
    set_saved(l, 4, training ? running(l, l->arg[4], v, momentum) : arg_tensor(l, l->arg[4]));
  }
  set_saved(l, 0, affine(l, normal(l, x, m, r, dims, n), l->arg[1], l->arg[2]));
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}

/* Gradients of x, weight and bias: u is the gradient before the weight, h the normalised x; its statistics depend on x. */
static LowerResult gradients(Lower *l, NodeId g, NodeId u, NodeId h, NodeId r, const int64_t *dims, uint32_t n) {
  if (g == NO_NODE || u == NO_NODE || h == NO_NODE || r == NO_NODE) return LOWER_OPAQUE;
  const Node in = *node_of(l, h);
  NodeId uh = make_binary(l, "multiply", u, h);
  NodeId args[] = {u, h, r, make_reduce(l, "reduce_mean", in.dtype, uh, dims, n, NULL, 0),
                   make_reduce(l, "reduce_mean", in.dtype, u, dims, n, NULL, 0)};
  Attr a = attr_ints(l, "dimensions", dims, n);
  set_saved(l, 0, make(l, "layer_norm_backward", in.dtype, in.rank, in.dims, args, 5, &a, 1));
  return LOWER_DONE;
}

/* Sums over everything but the channels: of g * h and of g. */
static void set_sums(Lower *l, NodeId g, NodeId h) {
  const Node in = *node_of(l, g);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = over_batch(&in, dims);
  set_saved(l, 1, make_reduce(l, "reduce_sum", in.dtype, make_binary(l, "multiply", g, h), dims, n, NULL, 0));
  set_saved(l, 2, make_reduce(l, "reduce_sum", in.dtype, g, dims, n, NULL, 0));
}

/* grad_out input weight running_mean running_var save_mean save_invstd train eps output_mask */
LowerResult lower_batch_norm_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]), x = arg_tensor(l, l->arg[1]), m, r;
  bool training;
  int64_t dims[TORCH_MAX_RANK];
  if (g == NO_NODE || x == NO_NODE || node_of(l, x)->rank < 2 || !arg_bool(l->arg[7], false, &training))
    return LOWER_OPAQUE;
  const Node in = *node_of(l, x);
  uint32_t n = over_batch(&in, dims);
  m = make_convert(l, arg_tensor(l, l->arg[training ? 5 : 3]), in.dtype);
  r = make_convert(l, arg_tensor(l, l->arg[training ? 6 : 4]), in.dtype);
  NodeId eps = arg_scalar(l, l->arg[8], in.dtype), u = affine(l, g, l->arg[2], NULL);
  if (!training && r != NO_NODE && eps != NO_NODE) {
    r = make_binary(l, "add", r, make_broadcast(l, eps, 1, &in.dims[1]));
    r = make(l, "rsqrt", in.dtype, 1, &in.dims[1], &r, 1, NULL, 0);
  }
  NodeId h = normal(l, x, m, r, dims, n);
  if (h == NO_NODE || u == NO_NODE) return LOWER_OPAQUE;
  if (training) {
    if (gradients(l, g, u, h, r, dims, n) != LOWER_DONE) return LOWER_OPAQUE;
  } else {
    int64_t shape[TORCH_MAX_RANK];
    for (int d = 0; d < in.rank; d++) shape[d] = d == 1 ? in.dims[1] : 1;
    set_saved(l, 0, make_binary(l, "multiply", u, make_broadcast(l, make_reshape(l, r, in.rank, shape), in.rank, in.dims)));
  }
  set_sums(l, g, h);
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}

/* ---- groups of channels */
/* x as [batch, group, channel of it, ..]; dims: what is normalised over. */
static NodeId in_groups(Lower *l, NodeId x, int64_t groups, int64_t *dims, uint32_t *n) {
  if (x == NO_NODE) return NO_NODE;
  const Node in = *node_of(l, x);
  int64_t shape[TORCH_MAX_RANK + 1];
  if (in.rank < 2 || in.rank >= TORCH_MAX_RANK || groups < 1 || in.dims[1] % groups) return NO_NODE;
  shape[0] = in.dims[0], shape[1] = groups, shape[2] = in.dims[1] / groups;
  memcpy(shape + 3, in.dims + 2, (in.rank - 2u) * sizeof *shape);
  *n = in.rank - 1u;
  for (uint32_t d = 0; d < *n; d++) dims[d] = d + 2;
  return make_reshape(l, x, in.rank + 1u, shape);
}

/* Of input, weight and bias; with "c" every channel is a group of its own, and nothing is kept from batch to batch. */
LowerResult lower_group_norm(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchArg *weight = arg_named(l, "weight"), *bias = arg_named(l, "bias"), *stats = arg_named(l, "use_input_stats");
  int64_t groups, dims[TORCH_MAX_RANK];
  uint32_t n;
  if (x == NO_NODE || node_of(l, x)->rank < 2) return LOWER_OPAQUE;
  const Node in = *node_of(l, x);
  bool alone = *l->text == 'c', fresh;
  if (alone) groups = in.dims[1];
  else if (!arg_int(arg_named(l, "group"), 0, &groups)) return LOWER_OPAQUE;
  if (alone && (!arg_bool(stats, true, &fresh) || !fresh)) return LOWER_OPAQUE;
  if (alone && arg_named(l, "running_mean")) return writes_statistics(l);
  NodeId y = in_groups(l, x, groups, dims, &n);
  if (y == NO_NODE) return LOWER_OPAQUE;
  NodeId m = make_reduce(l, "reduce_mean", in.dtype, y, dims, n, NULL, 0);
  NodeId r = scale_of(l, y, arg_scalar_or(l, arg_named(l, "eps"), rat_frac(1, 100000), in.dtype), dims, n);
  set_saved(l, 1, m);
  set_saved(l, 2, r);
  y = make_reshape(l, normal(l, y, m, r, dims, n), in.rank, in.dims);
  set_saved(l, 0, affine(l, y, weight, bias));
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}

/* grad_out input mean rstd weight N C HxW group output_mask */
LowerResult lower_group_norm_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]), x = arg_tensor(l, l->arg[1]);
  int64_t groups, dims[TORCH_MAX_RANK];
  uint32_t n;
  if (g == NO_NODE || x == NO_NODE || !arg_int(l->arg[8], 0, &groups)) return LOWER_OPAQUE;
  const Node in = *node_of(l, x);
  NodeId y = in_groups(l, x, groups, dims, &n), m, r;
  if (y == NO_NODE) return LOWER_OPAQUE;
  m = make_reshape(l, arg_tensor(l, l->arg[2]), 2, node_of(l, y)->dims);
  r = make_reshape(l, arg_tensor(l, l->arg[3]), 2, node_of(l, y)->dims);
  NodeId h = normal(l, y, m, r, dims, n), u = in_groups(l, affine(l, g, l->arg[4], NULL), groups, dims, &n);
  if (gradients(l, g, u, h, r, dims, n) != LOWER_DONE) return LOWER_OPAQUE;
  set_sums(l, g, make_reshape(l, h, in.rank, in.dims));
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}
