/* Reductions, scans, and what is built on them. */
#include <string.h>

#include "frontends/torch/lower.h"

/* op over `dims` of x: those dimensions go.  Then the shape that the file says. */
static NodeId reduce(Lower *l, const char *op, NodeId x, const int64_t *dims, uint32_t n, uint32_t k,
                     const NodeId *more, uint32_t n_more) {
  if (x == NO_NODE) return NO_NODE;
  const TorchType *t = &l->node->outs[k];
  NodeId y = make_reduce(l, op, t->dtype, x, dims, n, more, n_more);
  return make_reshape(l, y, t->rank, t->dims);
}

/* sum, mean, amax ..: (self, dim, keepdim, dtype). */
LowerResult lower_reduce(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  bool logical = !strcmp(l->text, "reduce_any") || !strcmp(l->text, "reduce_all");
  if (x == NO_NODE || !arg_dims(l->arg[1], node_of(l, x)->rank, dims, &n)) return LOWER_OPAQUE;
  x = make_convert(l, x, logical ? DT_PRED : l->node->outs[0].dtype);
  return done(l, reduce(l, l->text, x, dims, n, 0, NULL, 0));
}

/* Position of the largest value, of several the first, as PyTorch documents it. */
static NodeId position(Lower *l, NodeId x, const char *op, const int64_t *dims, uint32_t n,
                       uint32_t k) { return reduce(l, op, x, dims, n, k, NULL, 0); }

/* max(self), max(self, other), max(self, dim, keepdim) -> (values, indices). */
LowerResult lower_max(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  bool max = l->text[1] == 'a';
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  const TorchType *t = &l->node->outs[0];
  if (x == NO_NODE) return LOWER_OPAQUE;
  if (l->arg[1] && l->arg[1]->kind == TA_TENSOR) {
    NodeId v[] = {arg_operand(l, l->arg[0], t->dtype, t->rank, t->dims),
                  arg_operand(l, l->arg[1], t->dtype, t->rank, t->dims)};
    return done(l, make_out(l, 0, max ? "maximum" : "minimum", v, 2, NULL, 0));
  }
  if (!arg_dims(l->arg[1], node_of(l, x)->rank, dims, &n)) return LOWER_OPAQUE;
  NodeId y = reduce(l, max ? "reduce_max" : "reduce_min", x, dims, n, 0, NULL, 0);
  if (l->node->n_outs == 2 && y != NO_NODE) {
    NodeId i = position(l, x, max ? "argmax" : "argmin", dims, n, 1);
    if (i == NO_NODE) return LOWER_OPAQUE;
    set_result(l, 1, i);
  }
  return done(l, y);
}

LowerResult lower_arg(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  if (x == NO_NODE) return LOWER_OPAQUE;
  if (!l->arg[1]) { /* in row-major order */
    int64_t all = node_elements(node_of(l, x));
    x = make_reshape(l, x, 1, &all);
  }
  if (!arg_dims(l->arg[1], node_of(l, x)->rank, dims, &n) || n != 1) return LOWER_OPAQUE;
  return done(l, position(l, x, l->text, dims, n, 0));
}

/* The norms of order 2, 1 and infinity. */
LowerResult lower_norm(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  if (x == NO_NODE || (l->arg[1] && l->arg[1]->ranks)) return LOWER_OPAQUE;
  Rat order = l->arg[1] ? l->arg[1]->r : RAT_INT(2);
  const char *op = order == RAT_INT(2) ? "norm_2" : order == RAT_1 ? "norm_1" : order == RAT_POS_INF ? "norm_max" : NULL;
  if (!op) return LOWER_OPAQUE;
  if (!arg_dims(l->arg[2], node_of(l, x)->rank, dims, &n)) return LOWER_OPAQUE;
  x = make_convert(l, x, l->node->outs[0].dtype);
  return done(l, reduce(l, op, x, dims, n, 0, NULL, 0));
}

/* var, and var_mean with the mean as its second result. */
LowerResult lower_var(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  static const TorchArg one = {.kind = TA_INT, .i = 1, .r = RAT_1};
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  if (x == NO_NODE || !arg_dims(l->arg[1], node_of(l, x)->rank, dims, &n)) return LOWER_OPAQUE;
  const TorchArg *correction = l->arg[2] ? l->arg[2] : &one;
  NodeId more[] = {make_reduce(l, "reduce_mean", t->dtype, x, dims, n, NULL, 0), arg_scalar(l, correction, t->dtype)};
  if (l->node->n_outs > 1 && more[0] != NO_NODE)
    set_result(l, 1, make_reshape(l, more[0], l->node->outs[1].rank, l->node->outs[1].dims));
  return done(l, reduce(l, "variance", x, dims, n, 0, more, 2));
}

/* Operators that keep the shape and run along one dimension. */
static LowerResult along(Lower *l, const char *op, const NodeId *args, uint32_t n_args, const TorchArg *at) {
  uint32_t dim;
  if (!l->node->outs[0].rank || !arg_dim(at, 0, l->node->outs[0].rank, &dim)) return LOWER_OPAQUE;
  Attr a = attr_dim(l, "dimensions", dim);
  return done(l, make_out(l, 0, op, args, n_args, &a, 1));
}

LowerResult lower_cumsum(Lower *l) {
  NodeId x = make_convert(l, arg_tensor(l, l->arg[0]), l->node->outs[0].dtype);
  return l->arg[1] ? along(l, "cumulative_sum", &x, 1, l->arg[1]) : LOWER_OPAQUE;
}

LowerResult lower_softmax(Lower *l) {
  NodeId x = make_convert(l, arg_tensor(l, l->arg[0]), l->node->outs[0].dtype);
  return l->arg[1] ? along(l, l->text, &x, 1, l->arg[1]) : LOWER_OPAQUE;
}

LowerResult lower_softmax_backward(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  NodeId v[] = {arg_operand(l, l->arg[0], t->dtype, t->rank, t->dims),
                arg_operand(l, l->arg[1], t->dtype, t->rank, t->dims)};
  return l->arg[2] ? along(l, l->text, v, 2, l->arg[2]) : LOWER_OPAQUE;
}

LowerResult lower_triangle(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  static const TorchArg zero = {.kind = TA_INT, .r = RAT_0};
  NodeId v[] = {x, arg_scalar(l, l->arg[1] ? l->arg[1] : &zero, DT_S64)};
  return done(l, make_out(l, 0, l->text, v, 2, NULL, 0));
}

static const int64_t *to_last(Lower *l, NodeId x, uint32_t dim, int64_t *perm) {
  uint32_t rank = node_of(l, x)->rank;
  for (uint32_t d = 0; d < rank; d++) perm[d] = d == rank - 1 ? dim : d == dim ? rank - 1 : d;
  return perm;
}

/* The first k values of x in order, along the dimension that `perm` makes the last one, where the library's topk runs:
 * their places, and x there.  Where values tie, PyTorch does not say which places come (any), unless it is stable. */
static LowerResult ordered(Lower *l, NodeId x, int64_t k, bool largest, bool any, const int64_t *perm) {
  uint32_t rank = node_of(l, x)->rank, n_outs = l->node->n_outs;
  int64_t dims[TORCH_MAX_RANK];
  x = make_transpose(l, x, perm);
  memcpy(dims, node_of(l, x)->dims, rank * sizeof *dims);
  dims[rank - 1] = k;
  Attr a[] = {attr_int("k", k), attr_int("largest", largest), attr_int("any_place", 1)};
  NodeId both[] = {x, make(l, "topk", l->node->outs[n_outs - 1].dtype, rank, dims, &x, 1, a, 2 + any)};
  if (both[1] == NO_NODE) return LOWER_OPAQUE;
  l->g->nodes.at[both[1]].result = 1;
  set_result(l, n_outs - 1, make_transpose(l, both[1], perm));
  if (n_outs == 1) return LOWER_DONE;
  Attr last = attr_dim(l, "dimensions", rank - 1);
  NodeId value = make(l, "take_along", l->node->outs[0].dtype, rank, dims, both, 2, &last, 1);
  if (value == NO_NODE) return LOWER_OPAQUE;
  set_result(l, 0, make_transpose(l, value, perm));
  return LOWER_DONE;
}

/* The library's topk runs along the last dimension. */
LowerResult lower_topk(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t k, perm[TORCH_MAX_RANK];
  uint32_t dim;
  bool largest, sorted;
  if (x == NO_NODE || !node_of(l, x)->rank || l->node->n_outs != 2) return LOWER_OPAQUE;
  uint32_t rank = node_of(l, x)->rank;
  if (!arg_int(l->arg[1], 0, &k) || !arg_dim(l->arg[2], -1, rank, &dim) || k < 0 || k > node_of(l, x)->dims[dim])
    return LOWER_OPAQUE;
  if (!arg_bool(l->arg[3], true, &largest) || !arg_bool(l->arg[4], true, &sorted) || !sorted) return LOWER_OPAQUE;
  return ordered(l, x, k, largest, true, to_last(l, x, dim, perm));
}

/* aten.sort, and argsort, its second result. */
LowerResult lower_sort(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t perm[TORCH_MAX_RANK];
  uint32_t dim;
  bool descending, stable;
  if (x == NO_NODE || !node_of(l, x)->rank || !arg_dim(l->arg[1], -1, node_of(l, x)->rank, &dim)) return LOWER_OPAQUE;
  if (!arg_bool(l->arg[2], false, &descending) || !arg_bool(l->arg[3], false, &stable)) return LOWER_OPAQUE;
  return ordered(l, x, node_of(l, x)->dims[dim], descending, !stable, to_last(l, x, dim, perm));
}
