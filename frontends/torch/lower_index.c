/* Look-ups and what is written at places that are data.
 *
 * Writing without accumulation has a meaning only where no two values meet: for sure where the places differ (counted by
 * arange, or chosen by topk); elsewhere it is an unknown function, evaluated where it has one. */
#include <string.h>

#include "frontends/torch/lower.h"

enum { MAX_INDEXED = 3 };

static Attr may_meet(void) {
  return attr_sym("why", "it writes at places that may coincide, and which of the values stays is not defined: add them up "
                         "(accumulate), or write at places that certainly differ, as those of an arange or of topk");
}

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
  if (x == NO_NODE || !arg_rank(l, l->arg[0]) || !arg_dim(l->arg[1], 0, arg_rank(l, l->arg[0]), &dim)) return LOWER_OPAQUE;
  if (arg_complex(l, l->arg[0]) && i != NO_NODE) { /* both parts from one place */
    int64_t dims[TORCH_MAX_RANK + 1];
    uint32_t rank = out_dims(l, 0, dims);
    dims[rank - 1] = 1;
    i = make_reshape(l, i, rank, dims);
    dims[rank - 1] = 2;
    i = make_broadcast(l, i, rank, dims);
  }
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
      !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim))
    return LOWER_OPAQUE;
  Node n = *node_of(l, i), m = *node_of(l, x);
  if (n.rank != m.rank || !node_elements(&n)) return LOWER_OPAQUE;
  for (uint32_t d = 0; d < n.rank; d++)
    if (d != dim && n.dims[d] != m.dims[d]) return LOWER_OPAQUE;
  NodeId u = arg_tensor(l, l->arg[3]);
  for (uint32_t d = 0; u != NO_NODE && d < n.rank; d++) u = make_slice(l, u, d, 0, n.dims[d], 1);
  if (!add && l->arg[3]->kind != TA_TENSOR) { /* one value: it does not matter how often it is written */
    NodeId w[] = {x, i, arg_scalar(l, l->arg[3], m.dtype)};
    if (n.dims[dim] == m.dims[dim] && compose_distinct(&l->composer, i, dim)) /* to every place */
      return done(l, make_broadcast(l, w[2], m.rank, m.dims));
    Attr at = attr_dim(l, "dimensions", dim);
    return done(l, make_out(l, 0, "fill_along", w, 3, &at, 1));
  }
  NodeId v[] = {x, i, u};
  Attr a[] = {attr_dim(l, "dimensions", dim), may_meet()};
  if (add || compose_distinct(&l->composer, i, dim))
    return done(l, make_out(l, 0, add ? "add_along" : "put_along", v, 3, a, 1));
  return done(l, make_out(l, 0, "write_along", v, 3, a, 2));
}

/* ------------------------------------------------------------------ x[i, :, j]: indexed dimensions of x */
typedef struct Indexed {
  uint32_t n, rank;         /* index tensors; dimensions of their common shape */
  NodeId at[MAX_INDEXED];   /* broadcast to it */
  int64_t dim[MAX_INDEXED]; /* dimension of x each one counts */
  int64_t shape[TORCH_MAX_RANK];
  int64_t place[TORCH_MAX_RANK]; /* of the common shape in the result */
} Indexed;

/* false: no such reading (masks, of truth values or bytes; too many indices). */
static bool indexed(Lower *l, NodeId x, const TorchArg *list, Indexed *out) {
  NodeId id[MAX_INDEXED];
  bool together = true;
  *out = (Indexed){0};
  if (x == NO_NODE || !list || list->kind != TA_LIST || list->ranks || list->n > node_of(l, x)->rank) return false;
  for (uint32_t k = 0; k < list->n; k++) {
    if (list->list[k].kind == TA_NONE && !list->list[k].ranks) continue;
    NodeId i = arg_tensor(l, &list->list[k]);
    if (i == NO_NODE || out->n == MAX_INDEXED) return false;
    DType t = (DType)node_of(l, i)->dtype; /* of u8, a mask */
    if (!dtype_is_int(t) || t == DT_U8) return false;
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
  if (x == NO_NODE || i == NO_NODE || node_of(l, i)->rank != 1 || !arg_rank(l, l->arg[0])) return LOWER_OPAQUE;
  if (!arg_dim(l->arg[1], 0, arg_rank(l, l->arg[0]), &dim)) return LOWER_OPAQUE;
  NodeId v[] = {x, i};
  Attr a[] = {attr_dim(l, "first", dim), attr_dim(l, "index_dims", dim)};
  return done(l, make_out(l, 0, "take_1", v, 2, a, 2));
}

/* self dim index source alpha, or a value: "add" it, "copy" it, "fill" with it, along one dimension. */
LowerResult lower_index_write(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), i = arg_tensor(l, l->arg[2]), u = arg_tensor(l, l->arg[3]);
  uint32_t dim;
  if (x == NO_NODE || i == NO_NODE || node_of(l, i)->rank != 1 || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim) ||
      !node_of(l, x)->rank || !node_of(l, i)->dims[0])
    return LOWER_OPAQUE;
  const Node in = *node_of(l, x);
  Attr a[] = {attr_dim(l, "first", dim), attr_dim(l, "index_dims", dim), may_meet()};
  if (*l->text == 'f')
    return done(l, make_out(l, 0, "fill_1", (NodeId[]){x, i, arg_scalar(l, l->arg[3], in.dtype)}, 3, a, 1));
  if (u == NO_NODE || node_of(l, u)->rank != in.rank) return LOWER_OPAQUE;
  uint32_t n_attrs = *l->text == 'c' && !compose_distinct(&l->composer, i, 0) ? 3 : 2;
  u = make_convert(l, u, in.dtype);
  const Node from = *node_of(l, u);
  if (l->arg[4]) u = make_binary(l, "multiply", u, arg_operand(l, l->arg[4], in.dtype, from.rank, from.dims));
  return done(l, make_out(l, 0, *l->text == 'a' ? "add_1" : "put_1", (NodeId[]){x, u, i}, 3, a, n_attrs));
}

/* self index: places in the flat tensor. */
LowerResult lower_take(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), i = arg_tensor(l, l->arg[1]);
  int64_t all, place[TORCH_MAX_RANK];
  if (x == NO_NODE || i == NO_NODE || arg_complex(l, l->arg[0]) || !dtype_is_int((DType)node_of(l, i)->dtype))
    return LOWER_OPAQUE;
  all = node_elements(node_of(l, x));
  for (uint32_t d = 0; d < node_of(l, i)->rank; d++) place[d] = d;
  Attr a[] = {attr_dim(l, "first", 0), attr_ints(l, "index_dims", place, node_of(l, i)->rank)};
  return done(l, make_out(l, 0, "take_1", (NodeId[]){make_reshape(l, x, 1, &all), i}, 2, a, 2));
}

/* self indices dim: sizes of 1 are repeated in the other dimensions; without a dimension both are flat. */
LowerResult lower_take_along(Lower *l) {
  NodeId v[] = {arg_tensor(l, l->arg[0]), arg_tensor(l, l->arg[1])};
  const TorchType *t = &l->node->outs[0];
  uint32_t dim = 0;
  for (int k = 0; k < 2; k++) {
    if (v[k] == NO_NODE || arg_complex(l, l->arg[k])) return LOWER_OPAQUE;
    int64_t all = node_elements(node_of(l, v[k]));
    if (!l->arg[2]) v[k] = make_reshape(l, v[k], 1, &all);
  }
  if (l->arg[2] &&
      (!arg_dim(l->arg[2], 0, t->rank, &dim) || node_of(l, v[0])->rank != t->rank || node_of(l, v[1])->rank != t->rank))
    return LOWER_OPAQUE;
  for (int k = 0; k < 2 && l->arg[2]; k++) {
    int64_t dims[TORCH_MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[dim] = node_of(l, v[k])->dims[dim];
    if ((v[k] = make_broadcast(l, v[k], t->rank, dims)) == NO_NODE) return LOWER_OPAQUE;
  }
  Attr a = attr_dim(l, "dimensions", dim);
  return done(l, make_out(l, 0, "gather_elements", v, 2, &a, 1)); /* places count from the end too */
}

/* self dim index src reduce include_self: what u brings to each place i of x is reduced. */
static LowerResult reduce_along(Lower *l, NodeId x, NodeId i, NodeId u, uint32_t dim) {
  static const char *const names[][2] = {
      {"sum", "add_along"}, {"mean", "mean_along"}, {"amax", "max_along"}, {"amin", "min_along"}};
  const char *op = NULL;
  bool own;
  if (x == NO_NODE || i == NO_NODE || u == NO_NODE || !l->arg[4] || l->arg[4]->kind != TA_STRING || l->arg[4]->ranks ||
      !arg_bool(l->arg[5], true, &own))
    return LOWER_OPAQUE;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (!strcmp(sym_text(l->arg[4]->s), names[k][0])) op = names[k][1];
  const Node n = *node_of(l, i), m = *node_of(l, x);
  if (!op || n.rank != m.rank || !node_elements(&n) || !dtype_is_float((DType)m.dtype)) return LOWER_OPAQUE;
  for (uint32_t d = 0; d < n.rank; d++)
    if (d != dim && n.dims[d] != m.dims[d]) return LOWER_OPAQUE;
  for (uint32_t d = 0; u != NO_NODE && d < n.rank; d++) u = make_slice(l, u, d, 0, n.dims[d], 1);
  Attr a[] = {attr_dim(l, "dimensions", dim), attr_int("own", own)};
  if (own) return done(l, make_out(l, 0, op, (NodeId[]){x, i, u}, 3, a, *op == 'a' ? 1 : 2));
  if (*op == 'a') op = "sum_along";
  return done(l, make_out(l, 0, op, (NodeId[]){x, i, u}, 3, a, 2));
}

LowerResult lower_scatter_reduce(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  uint32_t dim;
  if (x == NO_NODE || !node_of(l, x)->rank || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim)) return LOWER_OPAQUE;
  return reduce_along(l, x, arg_tensor(l, l->arg[2]), arg_tensor(l, l->arg[3]), dim);
}

/* The same with one place for a whole row of u. */
LowerResult lower_index_reduce(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), i = arg_tensor(l, l->arg[2]), u = arg_tensor(l, l->arg[3]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t dim;
  if (x == NO_NODE || i == NO_NODE || u == NO_NODE || node_of(l, i)->rank != 1 || !node_of(l, x)->rank ||
      node_of(l, u)->rank != node_of(l, x)->rank || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim))
    return LOWER_OPAQUE;
  const Node to = *node_of(l, u);
  for (uint32_t d = 0; d < to.rank; d++) dims[d] = d == dim ? to.dims[d] : 1;
  if (node_of(l, i)->dims[0] != to.dims[dim]) return LOWER_OPAQUE;
  return reduce_along(l, x, make_broadcast(l, make_reshape(l, i, to.rank, dims), to.rank, to.dims), u, dim);
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
  Attr a[MAX_INDEXED + 2];
  if (x == NO_NODE || value == NO_NODE || !list || list->kind != TA_LIST || !arg_bool(l->arg[3], false, &accumulate))
    return LOWER_OPAQUE;
  if (list->n == 1 && !accumulate) {
    NodeId mask = arg_tensor(l, &list->list[0]);
    if (mask != NO_NODE && node_of(l, mask)->dtype == DT_PRED) return put_mask(l, x, mask, value);
  }
  if (!indexed(l, x, list, &i) || i.n > 2 || i.place[0] != i.dim[0]) return LOWER_OPAQUE;
  int64_t dims[2 * TORCH_MAX_RANK]; /* of the value: the indexed dimensions of x give way to the common shape */
  Node n = *node_of(l, x);
  uint32_t rank = 0;
  for (uint32_t d = 0; d < n.rank; d++) {
    if (d == i.dim[0])
      for (uint32_t k = 0; k < i.rank; k++) dims[rank++] = i.shape[k];
    if (d != i.dim[0] && d != i.dim[i.n - 1]) dims[rank++] = n.dims[d];
  }
  NodeId v[] = {x, make_broadcast(l, make_convert(l, value, n.dtype), rank, dims), i.at[0], i.at[1]};
  uint32_t n_attrs = index_attrs(l, &i, a);
  if (!accumulate && !injective(l, list, &i)) a[n_attrs++] = may_meet();
  return done(l, make_out(l, 0, (accumulate ? add : put)[i.n - 1], v, 2 + i.n, a, n_attrs));
}
