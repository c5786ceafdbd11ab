/* Look-ups and what is written at places that are data.
 *
 * Writing without accumulation has a meaning only where no two values meet: where the places certainly differ (counted
 * by arange, or chosen by topk). */
#include <string.h>

#include "frontends/torch/lower.h"

enum { MAX_INDEXED = 3 };

LowerResult lower_embedding(Lower *l) {
  NodeId v[] = {arg_tensor(l, l->arg[0]), arg_tensor(l, l->arg[1])};
  return done(l, make_out(l, 0, "embedding", v, 2, NULL, 0));
}

LowerResult lower_embedding_backward(Lower *l) {
  NodeId v[] = {arg_tensor(l, l->arg[0]), arg_tensor(l, l->arg[1])};
  int64_t padding;
  bool by_count;
  if (!arg_int(l->arg[3], -1, &padding) || !arg_bool(l->arg[4], false, &by_count) || by_count) return LOWER_OPAQUE;
  Attr a = attr_int("padding", padding);
  return done(l, make_out(l, 0, "embedding_backward", v, 2, &a, 1));
}

/* The part of x that an index tensor of this shape reaches: other dimensions may be longer in x. */
static NodeId cut_to(Lower *l, NodeId x, NodeId like, uint32_t dim) {
  if (x == NO_NODE || like == NO_NODE || node_of(l, x)->rank != node_of(l, like)->rank) return NO_NODE;
  for (uint32_t d = 0; x != NO_NODE && d < node_of(l, x)->rank; d++)
    if (d != dim) x = make_slice(l, x, d, 0, node_of(l, like)->dims[d], 1);
  return x;
}

LowerResult lower_gather(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), i = arg_tensor(l, l->arg[2]);
  uint32_t dim;
  if (x == NO_NODE || !node_of(l, x)->rank || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim)) return LOWER_OPAQUE;
  NodeId v[] = {cut_to(l, x, i, dim), i};
  Attr a = attr_dim(l, "dimensions", dim);
  return done(l, make_out(l, 0, "take_along", v, 2, &a, 1));
}

/* scatter(self, dim, index, src or value), scatter_add. */
LowerResult lower_scatter(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), i = arg_tensor(l, l->arg[2]);
  uint32_t dim;
  bool add = *l->text == 'a';
  if (x == NO_NODE || i == NO_NODE || !l->arg[3] || !node_of(l, x)->rank ||
      !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim)) return LOWER_OPAQUE;
  Node n = *node_of(l, i), m = *node_of(l, x);
  if (n.rank != m.rank || !node_elements(&n)) return LOWER_OPAQUE;
  for (uint32_t d = 0; d < n.rank; d++)
    if (d != dim && n.dims[d] != m.dims[d]) return LOWER_OPAQUE;
  NodeId u = arg_tensor(l, l->arg[3]);
  for (uint32_t d = 0; u != NO_NODE && d < n.rank; d++) u = make_slice(l, u, d, 0, n.dims[d], 1);
  if (!add && l->arg[3]->kind == TA_TENSOR && !compose_distinct(&l->composer, i, dim)) return LOWER_OPAQUE;
  if (!add && l->arg[3]->kind != TA_TENSOR) { /* one value: it does not matter how often it is written */
    NodeId w[] = {x, i, arg_scalar(l, l->arg[3], m.dtype)};
    Attr at = attr_dim(l, "dimensions", dim);
    return done(l, make_out(l, 0, "fill_along", w, 3, &at, 1));
  }
  NodeId v[] = {x, i, u};
  Attr a = attr_dim(l, "dimensions", dim);
  return done(l, make_out(l, 0, add ? "add_along" : "put_along", v, 3, &a, 1));
}

/* ------------------------------------------------------------------ x[i, :, j]: indexed dimensions of x */
typedef struct Indexed {
  uint32_t n, rank;           /* index tensors; dimensions of their common shape */
  NodeId at[MAX_INDEXED];     /* broadcast to it */
  int64_t dim[MAX_INDEXED];   /* dimension of x each one counts */
  int64_t shape[TORCH_MAX_RANK];
  int64_t place[TORCH_MAX_RANK]; /* of the common shape in the result */
} Indexed;

/* false: no such reading (masks, too many indices). */
static bool indexed(Lower *l, NodeId x, const TorchArg *list, Indexed *out) {
  NodeId id[MAX_INDEXED];
  bool together = true;
  *out = (Indexed){0};
  if (x == NO_NODE || !list || list->kind != TA_LIST || list->ranks || list->n > node_of(l, x)->rank) return false;
  for (uint32_t k = 0; k < list->n; k++) {
    if (list->list[k].kind == TA_NONE && !list->list[k].ranks) continue;
    NodeId i = arg_tensor(l, &list->list[k]);
    if (i == NO_NODE || out->n == MAX_INDEXED || !dtype_is_int((DType)node_of(l, i)->dtype)) return false;
    together &= !out->n || out->dim[out->n - 1] == (int64_t)k - 1;
    id[out->n] = i;
    out->dim[out->n++] = k;
    if (node_of(l, i)->rank > out->rank) out->rank = node_of(l, i)->rank;
  }
  if (!out->n || out->rank + node_of(l, x)->rank > TORCH_MAX_RANK) return false;
  for (uint32_t d = 0; d < out->rank; d++) out->shape[d] = 1;
  for (uint32_t k = 0; k < out->n; k++) {
    const Node *i = node_of(l, id[k]);
    for (uint32_t d = 0; d < i->rank; d++)
      if (i->dims[d] != 1) out->shape[out->rank - i->rank + d] = i->dims[d];
  }
  for (uint32_t k = 0; k < out->n; k++)
    if ((out->at[k] = make_broadcast(l, id[k], out->rank, out->shape)) == NO_NODE) return false;
  for (uint32_t d = 0; d < out->rank; d++) out->place[d] = (together ? out->dim[0] : 0) + d;
  return true;
}

static uint32_t index_attrs(Lower *l, const Indexed *i, Attr *out) {
  static const char *const names[] = {"first", "second", "third"};
  for (uint32_t k = 0; k < i->n; k++) out[k] = attr_dim(l, names[k], i->dim[k]);
  out[i->n] = attr_ints(l, "index_dims", i->place, i->rank);
  return i->n + 1;
}

LowerResult lower_index(Lower *l) {
  static const char *const ops[] = {"take_1", "take_2", "take_3"};
  NodeId x = arg_tensor(l, l->arg[0]), v[1 + MAX_INDEXED] = {x};
  Indexed i;
  Attr a[MAX_INDEXED + 1];
  if (!indexed(l, x, l->arg[1], &i)) return LOWER_OPAQUE;
  memcpy(v + 1, i.at, i.n * sizeof *v);
  uint32_t n = index_attrs(l, &i, a);
  return done(l, make_out(l, 0, ops[i.n - 1], v, 1 + i.n, a, n));
}

LowerResult lower_index_select(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), i = arg_tensor(l, l->arg[2]);
  uint32_t dim;
  if (x == NO_NODE || i == NO_NODE || node_of(l, i)->rank != 1 || !node_of(l, x)->rank) return LOWER_OPAQUE;
  if (!arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim)) return LOWER_OPAQUE;
  NodeId v[] = {x, i};
  Attr a[] = {attr_dim(l, "first", dim), attr_dim(l, "index_dims", dim)};
  return done(l, make_out(l, 0, "take_1", v, 2, a, 2));
}

/* x with one value wherever a mask over its leading dimensions holds. */
static LowerResult put_mask(Lower *l, NodeId x, NodeId mask, NodeId value) {
  Node n = *node_of(l, x), m = *node_of(l, mask);
  int64_t dims[TORCH_MAX_RANK];
  if (value == NO_NODE || node_of(l, value)->rank || m.rank > n.rank) return LOWER_OPAQUE;
  for (uint32_t d = 0; d < n.rank; d++) dims[d] = d < m.rank ? m.dims[d] : 1;
  NodeId v[] = {make_broadcast(l, make_reshape(l, mask, n.rank, dims), n.rank, n.dims),
                make_broadcast(l, make_convert(l, value, n.dtype), n.rank, n.dims), x};
  return done(l, make_out(l, 0, "select", v, 3, NULL, 0));
}

/* One of the indices counts the positions of every dimension that it alone tells apart. */
static bool injective(Lower *l, const TorchArg *list, const Indexed *i) {
  uint64_t told = 0;
  for (uint32_t k = 0; k < i->n; k++) {
    NodeId id = arg_tensor(l, &list->list[i->dim[k]]);
    const Node *n = node_of(l, id);
    uint32_t lead = i->rank - n->rank, longer = 0, at = 0;
    for (uint32_t d = 0; d < n->rank; d++)
      if (n->dims[d] != 1) longer++, at = d;
    if (longer == 1 && compose_distinct(&l->composer, id, at)) told |= UINT64_C(1) << (lead + at);
  }
  for (uint32_t d = 0; d < i->rank; d++)
    if (i->shape[d] != 1 && !(told >> d & 1)) return false;
  return true;
}

LowerResult lower_index_put(Lower *l) {
  static const char *const put[] = {"put_1", "put_2"}, *const add[] = {"add_1", "add_2"};
  NodeId x = arg_tensor(l, l->arg[0]), value = arg_tensor(l, l->arg[2]);
  const TorchArg *list = l->arg[1];
  bool accumulate;
  Indexed i;
  Attr a[MAX_INDEXED + 1];
  if (x == NO_NODE || value == NO_NODE || !list || list->kind != TA_LIST || !arg_bool(l->arg[3], false, &accumulate))
    return LOWER_OPAQUE;
  if (list->n == 1 && !accumulate) {
    NodeId mask = arg_tensor(l, &list->list[0]);
    if (mask != NO_NODE && node_of(l, mask)->dtype == DT_PRED) return put_mask(l, x, mask, value);
  }
  if (!indexed(l, x, list, &i) || i.n > 2 || i.place[0] != i.dim[0] || (!accumulate && !injective(l, list, &i)))
    return LOWER_OPAQUE;
  int64_t dims[2 * TORCH_MAX_RANK]; /* of the value: the indexed dimensions of x give way to the common shape */
  Node n = *node_of(l, x);
  uint32_t rank = 0;
  for (uint32_t d = 0; d < n.rank; d++) {
    if (d == i.dim[0])
      for (uint32_t k = 0; k < i.rank; k++) dims[rank++] = i.shape[k];
    if (d < i.dim[0] || d >= i.dim[0] + i.n) dims[rank++] = n.dims[d];
  }
  NodeId v[] = {x, make_broadcast(l, make_convert(l, value, n.dtype), rank, dims), i.at[0], i.at[1]};
  uint32_t n_attrs = index_attrs(l, &i, a);
  return done(l, make_out(l, 0, (accumulate ? add : put)[i.n - 1], v, 2 + i.n, a, n_attrs));
}

/* ------------------------------------------------------------------ negative log likelihood */
typedef struct Nll {
  int64_t classes[1], reduction;
  NodeId scores, target, ignore;
} Nll;

/* Parameters from `self` on: self, target, weight, reduction, ignore_index.  Class weights are not read. */
static bool nll(Lower *l, uint32_t first, Nll *out) {
  static const TorchArg hundred = {.kind = TA_INT, .i = -100, .r = RAT_INT(-100)};
  out->scores = arg_tensor(l, l->arg[first]);
  out->target = arg_tensor(l, l->arg[first + 1]);
  out->ignore = arg_scalar(l, l->arg[first + 4] ? l->arg[first + 4] : &hundred, DT_S64);
  if (out->scores == NO_NODE || out->target == NO_NODE || l->arg[first + 2] ||
      !arg_int(l->arg[first + 3], 1, &out->reduction)) return false;
  uint32_t rank = node_of(l, out->scores)->rank;
  if (!rank || node_of(l, out->target)->rank != rank - 1 || out->reduction < 0 || out->reduction > 2) return false;
  out->classes[0] = rank == 1 ? 0 : 1;
  return true;
}

LowerResult lower_nll(Lower *l) {
  Nll n;
  if (!nll(l, 0, &n) || l->node->n_outs != 2) return LOWER_OPAQUE;
  Node t = *node_of(l, n.target);
  uint8_t dtype = l->node->outs[0].dtype;
  Attr a = attr_dim(l, "dimensions", n.classes[0]);
  NodeId v[] = {n.scores, n.target, n.ignore}, w[] = {n.target, n.ignore};
  NodeId each = make(l, "nll_each", dtype, t.rank, t.dims, v, 3, &a, 1);
  NodeId total = make(l, "nll_count", dtype, 0, NULL, w, 2, NULL, 0);
  int64_t all[TORCH_MAX_RANK];
  for (uint32_t d = 0; d < t.rank; d++) all[d] = d;
  Attr over = attr_ints(l, "dimensions", all, t.rank);
  NodeId loss = n.reduction ? make(l, "reduce_sum", dtype, 0, NULL, &each, 1, &over, 1) : each;
  if (n.reduction == 1) loss = make_binary(l, "divide", loss, total);
  set_result(l, 1, n.reduction == 1 || n.reduction == 2 ? total : make_splat(l, dtype, 0, NULL, RAT_0));
  return done(l, loss);
}

LowerResult lower_nll_backward(Lower *l) {
  Nll n;
  NodeId g = arg_tensor(l, l->arg[0]), total = arg_tensor(l, l->arg[6]);
  if (g == NO_NODE || total == NO_NODE || !nll(l, 1, &n)) return LOWER_OPAQUE;
  Node t = *node_of(l, n.target);
  if (n.reduction == 1) g = make_binary(l, "divide", g, total);
  NodeId v[] = {make_broadcast(l, g, t.rank, t.dims), n.target, n.ignore};
  Attr a = attr_dim(l, "dimensions", n.classes[0]);
  return done(l, make_out(l, 0, "nll_backward", v, 3, &a, 1));
}
