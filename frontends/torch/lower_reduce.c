/* Reductions, scans, and what is built on them. */
#include <string.h>

#include "frontends/base/products.h"
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
static NodeId position(Lower *l, NodeId x, const char *op, const int64_t *dims, uint32_t n, uint32_t k) {
  const TorchType *t = &l->node->outs[k];
  if (!node_of(l, x)->rank) return make_splat(l, t->dtype, t->rank, t->dims, RAT_0);
  return reduce(l, op, x, dims, n, k, NULL, 0);
}

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
  if (!arg_dims(l->arg[1], node_of(l, x)->rank, dims, &n) || n > 1) return LOWER_OPAQUE;
  return done(l, position(l, x, l->text, dims, n, 0));
}

static NodeId norm(Lower *l, NodeId x, Rat order, const int64_t *dims, uint32_t n) {
  const char *op = order == RAT_INT(2)    ? "norm_2"
                   : order == RAT_1       ? "norm_1"
                   : order == RAT_POS_INF ? "norm_max"
                   : order == RAT_NEG_INF ? "norm_min"
                                          : "norm_of_order";
  if (x == NO_NODE || (rat_is_finite(order) && rat_sign(order) <= 0)) return NO_NODE;
  const TorchType *t = &l->node->outs[0];
  int64_t out[TORCH_MAX_RANK];
  const Node in = *node_of(l, x);
  uint32_t rank = 0;
  for (uint32_t d = 0, k = 0; d < in.rank; d++) {
    if (k < n && dims[k] == d) k++;
    else out[rank++] = in.dims[d];
  }
  Attr a[] = {attr_ints(l, "dimensions", dims, n), attr_rat("order", order)};
  x = make(l, op, in.dtype, rank, out, &x, 1, a, op[5] == 'o' ? 2 : 1);
  return make_reshape(l, x, t->rank, t->dims);
}

static bool order_of(const TorchArg *a, Rat *out) {
  *out = a ? a->r : RAT_INT(2);
  return !a || (!a->ranks && (a->kind == TA_INT || a->kind == TA_FLOAT) && a->r != RAT_NAN);
}

/* self, its order, dim: norms of vectors.  "matrix": of two dimensions, by the name of the norm. */
LowerResult lower_norm(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  Rat order;
  bool named = l->arg[1] && l->arg[1]->kind == TA_STRING;
  if (named && strcmp(sym_text(l->arg[1]->s), "fro")) return LOWER_OPAQUE;
  if (*l->text == 'm' && l->arg[1] && !named) return LOWER_OPAQUE;
  if (x == NO_NODE || !order_of(named ? NULL : l->arg[1], &order) ||
      !arg_dims(l->arg[2], node_of(l, x)->rank, dims, &n))
    return LOWER_OPAQUE;
  if (*l->text == 'm' && !l->arg[2]) {
    if (node_of(l, x)->rank < 2) return LOWER_OPAQUE;
    n = 2, dims[0] = node_of(l, x)->rank - 2, dims[1] = dims[0] + 1;
  }
  return done(l, norm(l, make_convert(l, x, l->node->outs[0].dtype), order, dims, n));
}

/* self dim: the root of the sum of squares. */
LowerResult lower_frobenius(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  if (x == NO_NODE || !arg_dims(l->arg[1], node_of(l, x)->rank, dims, &n)) return LOWER_OPAQUE;
  return done(l, norm(l, make_convert(l, x, l->node->outs[0].dtype), RAT_INT(2), dims, n));
}

/* self ord dim: without an order that of vectors; an order of two dimensions is one of matrices. */
LowerResult lower_linalg_norm(Lower *l) {
  const TorchArg *order = l->arg[1], *dim = l->arg[2];
  NodeId x = arg_tensor(l, l->arg[0]);
  if (x == NO_NODE) return LOWER_OPAQUE;
  bool two = dim ? dim->kind == TA_LIST && dim->n > 1 : node_of(l, x)->rank > 1;
  if (order && two && (order->kind != TA_STRING || (!dim && node_of(l, x)->rank > 2))) return LOWER_OPAQUE;
  return lower_norm(l);
}

/* x y dim: sums of products. */
LowerResult lower_vecdot(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  const TorchType *t = &l->node->outs[0];
  int64_t dims[TORCH_MAX_RANK], over;
  uint32_t rank, dim;
  if (!common_shape(l, x, y, &rank, dims) || !rank || !arg_dim(l->arg[2], -1, rank, &dim) || t->dtype == DT_C64)
    return LOWER_OPAQUE;
  over = dim;
  x = make_broadcast(l, x, rank, dims);
  x = make_binary(l, "multiply", x, make_broadcast(l, y, rank, dims));
  return done(l, make_reduce(l, "reduce_sum", t->dtype, x, &over, 1, NULL, 0));
}

/* x1 x2 p eps: the norm of the difference.  "all": of everything; "last": of the last dimension, with eps added;
 * "pairs": of each row of one with each of the other. */
LowerResult lower_distance(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  uint8_t dtype = l->node->outs[0].dtype;
  int64_t dims[TORCH_MAX_RANK], over[TORCH_MAX_RANK];
  uint32_t rank, n = 1;
  Rat order;
  if (x == NO_NODE || y == NO_NODE || !order_of(l->arg[2], &order)) return LOWER_OPAQUE;
  bool bytes = dtype_is_int((DType)node_of(l, x)->dtype) || dtype_is_int((DType)node_of(l, y)->dtype);
  if (bytes) return LOWER_OPAQUE; /* differences may wrap */
  if (*l->text == 'p') { /* [.., i, 1, k] and [.., 1, j, k] */
    for (int side = 0; side < 2; side++) {
      const Node m = *node_of(l, side ? y : x);
      if (m.rank < 2 || m.rank >= TORCH_MAX_RANK) return LOWER_OPAQUE;
      memcpy(dims, m.dims, m.rank * sizeof *dims);
      dims[m.rank] = m.dims[m.rank - 1];
      dims[m.rank - 1] = side ? m.dims[m.rank - 2] : 1;
      dims[m.rank - 2] = side ? 1 : m.dims[m.rank - 2];
      *(side ? &y : &x) = make_reshape(l, side ? y : x, m.rank + 1u, dims);
    }
  }
  if (!common_shape(l, x, y, &rank, dims) || !rank) return LOWER_OPAQUE;
  x = make_broadcast(l, make_convert(l, x, dtype), rank, dims);
  y = make_broadcast(l, make_convert(l, y, dtype), rank, dims);
  NodeId d = make_binary(l, "subtract", x, y);
  if (*l->text == 'l' && d != NO_NODE)
    d = make_binary(l, "add", d,
                    make_broadcast(l, arg_scalar_or(l, l->arg[3], rat_frac(1, 1000000), dtype), rank, dims));
  over[0] = rank - 1;
  for (uint32_t k = 0; *l->text == 'a' && k < rank; k++) over[k] = k, n = rank;
  return done(l, norm(l, d, order, over, n));
}

/* x1 x2 dim eps: the product of both, each divided by its norm, or by eps if that is larger. */
LowerResult lower_cosine(Lower *l) {
  uint8_t dtype = l->node->outs[0].dtype;
  int64_t dims[TORCH_MAX_RANK];
  uint32_t rank, dim;
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  if (!common_shape(l, x, y, &rank, dims) || !rank || !arg_dim(l->arg[2], 1, rank, &dim)) return LOWER_OPAQUE;
  NodeId v[] = {make_broadcast(l, make_convert(l, x, dtype), rank, dims),
                make_broadcast(l, make_convert(l, y, dtype), rank, dims),
                arg_scalar_or(l, l->arg[3], rat_frac(1, 100000000), dtype)};
  Attr a = attr_dim(l, "dimensions", dim);
  return done(l, make_out(l, 0, "cosine_similarity", v, 3, &a, 1));
}

/* var and std, and with the mean as a second result.  A truth value in place of the dimensions, or of the correction,
 * says whether one is subtracted from the count. */
LowerResult lower_var(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  bool flag = l->arg[1] && l->arg[1]->kind == TA_BOOL && !l->arg[2];
  const TorchArg *correction = flag ? l->arg[1] : l->arg[2];
  if (x == NO_NODE || !arg_dims(flag ? NULL : l->arg[1], node_of(l, x)->rank, dims, &n)) return LOWER_OPAQUE;
  int64_t count = 1;
  for (uint32_t k = 0; k < n; k++) count *= node_of(l, x)->dims[dims[k]];
  if (correction && (correction->ranks || rat_cmp(correction->r, rat_int(count)) > 0)) return LOWER_OPAQUE; /* not below 0 */
  NodeId more[] = {make_reduce(l, "reduce_mean", t->dtype, x, dims, n, NULL, 0),
                   arg_scalar_or(l, correction, RAT_1, t->dtype)};
  if (l->node->n_outs > 1 && more[0] != NO_NODE)
    set_result(l, 1, make_reshape(l, more[0], l->node->outs[1].rank, l->node->outs[1].dims));
  NodeId y = reduce(l, "variance", x, dims, n, 0, more, 2);
  return done(l, *l->text == 's' && y != NO_NODE ? compose_unary(make_composer(l), "sqrt", y) : y);
}

LowerResult lower_prod(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  uint32_t dim = 0;
  if (x == NO_NODE || arg_complex(l, l->arg[0])) return LOWER_OPAQUE;
  int64_t all = node_elements(node_of(l, x));
  if (!l->arg[1]) x = make_reshape(l, x, 1, &all);
  else if (!node_of(l, x)->rank || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim)) return LOWER_OPAQUE;
  NodeId y = products_along(make_composer(l), make_convert(l, x, t->dtype), dim);
  return done(l, make_reshape(l, y, t->rank, t->dims));
}

/* self dim */
LowerResult lower_cumprod(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  uint32_t dim;
  if (x == NO_NODE || arg_complex(l, l->arg[0]) || !l->arg[1]) return LOWER_OPAQUE;
  x = make_convert(l, x, t->dtype);
  if (!t->rank) return done(l, x);
  return arg_dim(l->arg[1], 0, t->rank, &dim) ? done(l, products_running(make_composer(l), x, dim, false)) : LOWER_OPAQUE;
}

/* self dim keepdim: both ends. */
LowerResult lower_aminmax(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  if (x == NO_NODE || !arg_dims(l->arg[1], node_of(l, x)->rank, dims, &n) || l->node->n_outs != 2) return LOWER_OPAQUE;
  NodeId most = reduce(l, "reduce_max", x, dims, n, 1, NULL, 0);
  if (most == NO_NODE) return LOWER_OPAQUE;
  set_result(l, 1, most);
  return done(l, reduce(l, "reduce_min", x, dims, n, 0, NULL, 0));
}

/* self n dim: neighbours subtracted, n times. */
LowerResult lower_diff(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t times;
  uint32_t dim;
  if (x == NO_NODE || l->arg[3] || l->arg[4] || !arg_int(l->arg[1], 1, &times) || times < 1 || times > 8 ||
      !node_of(l, x)->rank || !arg_dim(l->arg[2], -1, node_of(l, x)->rank, &dim))
    return LOWER_OPAQUE;
  if (node_of(l, x)->dtype == DT_PRED) return LOWER_OPAQUE;
  for (; times && x != NO_NODE; times--) {
    int64_t n = node_of(l, x)->dims[dim];
    if (n < 1) return LOWER_OPAQUE;
    NodeId next = make_slice(l, x, dim, 1, n - 1, 1);
    x = make_binary(l, "subtract", next, make_slice(l, x, dim, 0, n - 1, 1));
  }
  return done(l, x);
}

/* How many are not 0. */
LowerResult lower_count_nonzero(Lower *l) {
  NodeId x = make_convert(l, make_convert(l, arg_tensor(l, l->arg[0]), DT_PRED), l->node->outs[0].dtype);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  if (x == NO_NODE || !arg_dims(l->arg[1], node_of(l, x)->rank, dims, &n)) return LOWER_OPAQUE;
  return done(l, reduce(l, "reduce_sum", x, dims, n, 0, NULL, 0));
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
  return l->arg[1] ? along(l, l->text, &x, 1, l->arg[1]) : LOWER_OPAQUE;
}

/* The largest value so far, or the least, and where it is. */
LowerResult lower_cummax(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  uint32_t dim;
  bool max = l->text[1] == 'a';
  if (x == NO_NODE || !l->arg[1] || l->node->n_outs != 2 || t->dtype == DT_PRED) return LOWER_OPAQUE;
  if (!t->rank) return set_result(l, 1, make_splat(l, l->node->outs[1].dtype, 0, NULL, RAT_0)), done(l, x);
  if (!arg_dim(l->arg[1], 0, t->rank, &dim)) return LOWER_OPAQUE;
  Attr a = attr_dim(l, "dimensions", dim);
  NodeId at = make_out(l, 1, max ? "cumulative_argmax" : "cumulative_argmin", &x, 1, &a, 1);
  if (at == NO_NODE) return LOWER_OPAQUE;
  set_result(l, 1, at);
  return done(l, make_out(l, 0, max ? "cumulative_max" : "cumulative_min", &x, 1, &a, 1));
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

typedef enum Ordered { ORDERED_STABLE, ORDERED_ALL, ORDERED_TIES_ANY, ORDERED_NOT } Ordered;

/* The first k values of x in order, along the dimension that `perm` makes the last one, where the library's topk runs:
 * their places, and x there.  Where values tie, PyTorch does not say which places come, unless it is stable; nor in which
 * order, if it need not sort.  Of all places it does not say how those of equal values stand. */
static LowerResult ordered(Lower *l, NodeId x, int64_t k, bool largest, Ordered how, const int64_t *perm) {
  uint32_t rank = node_of(l, x)->rank, n_outs = l->node->n_outs;
  int64_t dims[TORCH_MAX_RANK];
  x = make_transpose(l, x, perm);
  memcpy(dims, node_of(l, x)->dims, rank * sizeof *dims);
  dims[rank - 1] = k;
  Attr a[] = {attr_int("k", k), attr_int("largest", largest), attr_int(how == ORDERED_ALL ? "any_ties" : "any_place", 1),
              attr_int("any_order", 1)};
  uint32_t n_attrs = 2 + (how != ORDERED_STABLE) + (how == ORDERED_NOT && k > 1);
  NodeId both[] = {x, make(l, "topk", l->node->outs[n_outs - 1].dtype, rank, dims, &x, 1, a, n_attrs)};
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
  if (!arg_bool(l->arg[3], true, &largest) || !arg_bool(l->arg[4], true, &sorted)) return LOWER_OPAQUE;
  return ordered(l, x, k, largest, sorted ? ORDERED_TIES_ANY : ORDERED_NOT, to_last(l, x, dim, perm));
}

/* The k-th least value along a dimension, or the middle one, the lower of two; and a place where it stands, any of them. */
LowerResult lower_kth(Lower *l) {
  bool middle = *l->text == 'm';
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t k = 0, perm[TORCH_MAX_RANK], dims[TORCH_MAX_RANK];
  uint32_t dim;
  if (x == NO_NODE || !node_of(l, x)->rank || l->node->n_outs != 2) return LOWER_OPAQUE;
  uint32_t rank = node_of(l, x)->rank;
  if (!arg_dim(l->arg[middle ? 1 : 2], -1, rank, &dim)) return LOWER_OPAQUE;
  int64_t n = node_of(l, x)->dims[dim];
  if (middle) k = (n + 1) / 2;
  else if (!arg_int(l->arg[1], 0, &k)) return LOWER_OPAQUE;
  if (k < 1 || k > n) return LOWER_OPAQUE;
  x = make_transpose(l, x, to_last(l, x, dim, perm));
  memcpy(dims, node_of(l, x)->dims, rank * sizeof *dims);
  dims[rank - 1] = k;
  Attr a[] = {attr_int("k", k), attr_int("largest", 0), attr_int("any_place", 1)};
  Attr last = attr_dim(l, "dimensions", rank - 1);
  NodeId both[] = {x, make(l, "topk", l->node->outs[1].dtype, rank, dims, &x, 1, a, 3)};
  if (both[1] == NO_NODE) return LOWER_OPAQUE;
  l->g->nodes.at[both[1]].result = 1;
  both[1] = make_slice(l, both[1], rank - 1, k - 1, 1, 1);
  dims[rank - 1] = 1;
  NodeId found[] = {make(l, "take_along", l->node->outs[0].dtype, rank, dims, both, 2, &last, 1), both[1]};
  for (uint32_t i = 0; i < 2; i++) {
    const TorchType *t = &l->node->outs[i];
    NodeId y = found[i] == NO_NODE ? NO_NODE : make_reshape(l, make_transpose(l, found[i], perm), t->rank, t->dims);
    if (y == NO_NODE) return LOWER_OPAQUE;
    set_result(l, i, y);
  }
  return LOWER_DONE;
}

/* aten.sort, and argsort, its second result. */
LowerResult lower_sort(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t perm[TORCH_MAX_RANK];
  uint32_t dim;
  bool descending, stable;
  if (x == NO_NODE || !node_of(l, x)->rank || !arg_dim(l->arg[1], -1, node_of(l, x)->rank, &dim)) return LOWER_OPAQUE;
  if (!arg_bool(l->arg[2], false, &descending) || !arg_bool(l->arg[3], false, &stable)) return LOWER_OPAQUE;
  return ordered(l, x, node_of(l, x)->dims[dim], descending, stable ? ORDERED_STABLE : ORDERED_ALL,
                 to_last(l, x, dim, perm));
}

/* self dim keepdim: the most frequent value, and where it is.  The library's mode runs along the last dimension. */
LowerResult lower_mode(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  uint32_t dim;
  if (x == NO_NODE || !node_of(l, x)->rank || !arg_dim(l->arg[1], -1, node_of(l, x)->rank, &dim) || l->node->n_outs != 2)
    return LOWER_OPAQUE;
  x = make_moved(l, x, dim, node_of(l, x)->rank - 1u);
  if (x == NO_NODE) return LOWER_OPAQUE;
  for (uint32_t k = 0; k < 2; k++) {
    const Node in = *node_of(l, x);
    const TorchType *t = &l->node->outs[k];
    NodeId y = make(l, "mode", t->dtype, in.rank - 1u, in.dims, &x, 1, NULL, 0);
    if (y == NO_NODE) return LOWER_OPAQUE;
    l->g->nodes.at[y].result = (uint16_t)k;
    set_result(l, k, make_reshape(l, y, t->rank, t->dims));
  }
  return LOWER_DONE;
}
