/* Nodes with their shapes: see compose.h. */
#include "frontends/base/compose.h"

#include <string.h>

bool compose_elements(uint32_t rank, const int64_t *dims, int64_t *out) {
  *out = 1;
  for (uint32_t d = 0; d < rank; d++) {
    if (dims[d] < 0 || (dims[d] && *out > COMPOSE_MAX_ELEMENTS / dims[d])) return false;
    *out *= dims[d];
  }
  return true;
}

NodeId compose_add(Composer *c, Node *n) {
  int64_t elements;
  for (uint32_t k = 0; k < n->n_args; k++)
    if (n->args[k] == NO_NODE) return NO_NODE;
  if (!compose_elements(n->rank, n->dims, &elements)) return NO_NODE;
  n->name = c->stamp.name;
  n->label = c->stamp.label;
  n->line = c->stamp.line;
  n->frames = c->stamp.frames;
  return graph_add(c->g, n);
}

NodeId compose(Composer *c, const char *op, uint8_t dtype, uint32_t rank, const int64_t *dims, const NodeId *args,
               uint32_t n_args, const Attr *attrs, uint32_t n_attrs) {
  if (rank > COMPOSE_MAX_RANK) return NO_NODE;
  return compose_add(c, &(Node){.op = sym(op), .dtype = dtype, .rank = (uint8_t)rank, .dims = dims, .args = args,
                                .n_args = n_args, .attrs = attrs, .n_attrs = n_attrs});
}

NodeId compose_splat(Composer *c, uint8_t dtype, uint32_t rank, const int64_t *dims, Rat value) {
  Literal lit = {.kind = LIT_SPLAT, .n = 1, .values = &value};
  return compose_add(c, &(Node){.op = sym("constant"), .dtype = dtype, .rank = (uint8_t)rank, .dims = dims,
                                .literal = &lit});
}

NodeId compose_table(Composer *c, uint8_t dtype, uint32_t rank, const int64_t *dims, const Rat *values) {
  int64_t n;
  if (!compose_elements(rank, dims, &n)) return NO_NODE;
  Literal lit = {.kind = LIT_VALUES, .n = (uint64_t)n, .values = values};
  return compose_add(c, &(Node){.op = sym("constant"), .dtype = dtype, .rank = (uint8_t)rank, .dims = dims,
                                .literal = &lit});
}

NodeId compose_reshape(Composer *c, NodeId x, uint32_t rank, const int64_t *dims) {
  int64_t elements;
  if (x == NO_NODE || rank > COMPOSE_MAX_RANK || !compose_elements(rank, dims, &elements)) return NO_NODE;
  const Node *n = compose_node(c, x);
  if (elements != node_elements(n)) return NO_NODE;
  if (n->op == sym("reshape")) n = compose_node(c, x = n->args[0]);
  if (n->rank == rank && (!rank || !memcmp(n->dims, dims, rank * sizeof *dims))) return x;
  return compose(c, "reshape", n->dtype, rank, dims, &x, 1, NULL, 0);
}

NodeId compose_transpose(Composer *c, NodeId x, const int64_t *perm) {
  if (x == NO_NODE) return NO_NODE;
  const Node *n = compose_node(c, x);
  int64_t dims[COMPOSE_MAX_RANK];
  uint64_t seen = 0;
  bool same = true;
  for (int d = 0; d < n->rank; d++) {
    if (perm[d] < 0 || perm[d] >= n->rank || (seen >> perm[d] & 1)) return NO_NODE;
    seen |= UINT64_C(1) << perm[d];
    dims[d] = n->dims[perm[d]];
    same &= perm[d] == d;
  }
  if (same) return x;
  Attr a = attr_list("dimensions", perm, n->rank);
  return compose(c, "transpose", n->dtype, n->rank, dims, &x, 1, &a, 1);
}

NodeId compose_convert(Composer *c, NodeId x, uint8_t dtype) {
  if (x == NO_NODE || compose_node(c, x)->dtype == dtype) return x;
  const Node *n = compose_node(c, x);
  return compose(c, "convert", dtype, n->rank, n->dims, &x, 1, NULL, 0);
}

NodeId compose_broadcast(Composer *c, NodeId x, uint32_t rank, const int64_t *dims) {
  if (x == NO_NODE || rank > COMPOSE_MAX_RANK || compose_node(c, x)->rank > rank) return NO_NODE;
  const Node *n = compose_node(c, x);
  int64_t kept[COMPOSE_MAX_RANK], place[COMPOSE_MAX_RANK];
  uint32_t lead = rank - n->rank, n_kept = 0;
  bool same = !lead;
  for (int d = 0; d < n->rank; d++) {
    if (n->dims[d] == dims[lead + (uint32_t)d]) {
      kept[n_kept] = n->dims[d];
      place[n_kept++] = lead + d;
    } else if (n->dims[d] != 1) {
      return NO_NODE;
    }
    same &= n->dims[d] == dims[lead + (uint32_t)d];
  }
  if (same) return x;
  uint8_t dtype = n->dtype;
  x = compose_reshape(c, x, n_kept, kept);
  Attr a = attr_list("dimensions", place, n_kept);
  return compose(c, "broadcast", dtype, rank, dims, &x, 1, &a, 1);
}

NodeId compose_slice(Composer *c, NodeId x, uint32_t dim, int64_t start, int64_t size, int64_t step) {
  if (x == NO_NODE || dim >= compose_node(c, x)->rank) return NO_NODE;
  const Node *n = compose_node(c, x);
  int64_t dims[COMPOSE_MAX_RANK], starts[COMPOSE_MAX_RANK], limits[COMPOSE_MAX_RANK], strides[COMPOSE_MAX_RANK];
  if (start < 0 || size < 0 || step < 1 || step > n->dims[dim] + 1 ||
      (size && (start >= n->dims[dim] || (size - 1) > (n->dims[dim] - 1 - start) / step))) return NO_NODE;
  if (size == n->dims[dim] && step == 1) return x;
  for (uint32_t d = 0; d < n->rank; d++) dims[d] = limits[d] = n->dims[d], starts[d] = 0, strides[d] = 1;
  dims[dim] = size, starts[dim] = start, strides[dim] = step;
  limits[dim] = size ? start + (size - 1) * step + 1 : start;
  Attr a[] = {attr_list("starts", starts, n->rank), attr_list("limits", limits, n->rank),
              attr_list("strides", strides, n->rank)};
  return compose(c, "slice", n->dtype, n->rank, dims, &x, 1, a, 3);
}

NodeId compose_pad(Composer *c, NodeId x, NodeId value, const int64_t *low, const int64_t *high) {
  if (x == NO_NODE || value == NO_NODE) return NO_NODE;
  const Node *n = compose_node(c, x);
  int64_t dims[COMPOSE_MAX_RANK], none[COMPOSE_MAX_RANK] = {0};
  bool same = true;
  for (int d = 0; d < n->rank; d++) {
    if (__builtin_add_overflow(n->dims[d], low[d], &dims[d]) || __builtin_add_overflow(dims[d], high[d], &dims[d]))
      return NO_NODE;
    same &= !low[d] && !high[d];
  }
  if (same) return x;
  Attr a[] = {attr_list("low", low, n->rank), attr_list("high", high, n->rank), attr_list("interior", none, n->rank)};
  return compose(c, "pad", n->dtype, n->rank, dims, (NodeId[]){x, value}, 2, a, 3);
}

NodeId compose_unary(Composer *c, const char *op, NodeId x) {
  if (x == NO_NODE) return NO_NODE;
  const Node *n = compose_node(c, x);
  return compose(c, op, n->dtype, n->rank, n->dims, &x, 1, NULL, 0);
}

NodeId compose_binary(Composer *c, const char *op, NodeId x, NodeId y) {
  if (x == NO_NODE || y == NO_NODE) return NO_NODE;
  const Node *n = compose_node(c, x);
  return compose(c, op, n->dtype, n->rank, n->dims, (NodeId[]){x, y}, 2, NULL, 0);
}

NodeId compose_concatenate(Composer *c, const NodeId *parts, uint32_t n, uint32_t dim) {
  int64_t dims[COMPOSE_MAX_RANK], size = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (parts[k] == NO_NODE || dim >= compose_node(c, parts[k])->rank) return NO_NODE;
    if (__builtin_add_overflow(size, compose_node(c, parts[k])->dims[dim], &size)) return NO_NODE;
  }
  if (n <= 1) return n ? parts[0] : NO_NODE;
  const Node *first = compose_node(c, parts[0]);
  memcpy(dims, first->dims, first->rank * sizeof *dims);
  dims[dim] = size;
  int64_t along = dim;
  Attr a = attr_list("dimensions", &along, 1);
  return compose(c, "concatenate", first->dtype, first->rank, dims, parts, n, &a, 1);
}

NodeId compose_reduce(Composer *c, const char *op, uint8_t dtype, NodeId x, const int64_t *dims, uint32_t n,
                      const NodeId *more, uint32_t n_more) {
  if (x == NO_NODE || n_more > 3) return NO_NODE;
  const Node *in = compose_node(c, x);
  int64_t kept[COMPOSE_MAX_RANK];
  uint32_t n_kept = 0, at = 0;
  for (uint32_t d = 0; d < in->rank; d++) {
    if (at < n && dims[at] == d) at++;
    else kept[n_kept++] = in->dims[d];
  }
  NodeId args[4] = {x};
  for (uint32_t i = 0; i < n_more; i++) args[1 + i] = more[i];
  Attr a = attr_list("dimensions", dims, n);
  return compose(c, op, dtype, n_kept, kept, args, 1 + n_more, &a, 1);
}

NodeId compose_dot(Composer *c, NodeId x, NodeId y, uint32_t batch, int64_t dx, int64_t dy) {
  if (x == NO_NODE || y == NO_NODE) return NO_NODE;
  const Node *a = compose_node(c, x), *b = compose_node(c, y);
  int64_t dims[2 * COMPOSE_MAX_RANK], shared[COMPOSE_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < batch; d++) {
    if (a->dims[d] != b->dims[d]) return NO_NODE;
    shared[d] = d;
    dims[n++] = a->dims[d];
  }
  if (a->dims[dx] != b->dims[dy]) return NO_NODE;
  for (uint32_t d = batch; d < a->rank; d++)
    if (d != dx) dims[n++] = a->dims[d];
  for (uint32_t d = batch; d < b->rank; d++)
    if (d != dy) dims[n++] = b->dims[d];
  Attr at[] = {attr_list("lhs_batch_dims", shared, batch), attr_list("rhs_batch_dims", shared, batch),
               attr_list("lhs_contracting_dims", &dx, 1), attr_list("rhs_contracting_dims", &dy, 1)};
  return compose(c, "dot", a->dtype, n, dims, (NodeId[]){x, y}, 2, at, 4);
}

bool compose_distinct(const Composer *c, NodeId id, uint32_t dim) {
  for (int steps = 0; steps < 64; steps++) {
    const Node *n = compose_node(c, id);
    const char *op = sym_text(n->op);
    if (!n->rank) return false;
    if (n->dims[dim] == 1) return true;
    if (!strcmp(op, "arange")) {
      const Node *step = compose_node(c, n->args[1]);
      return step->literal && step->literal->kind == LIT_SPLAT && step->literal->values[0] != RAT_0;
    }
    if (!strcmp(op, "topk")) return n->result == 1 && dim == n->rank - 1u;
    if (!strcmp(op, "transpose")) {
      dim = (uint32_t)n->attrs[0].ints[dim];
    } else if (!strcmp(op, "reshape")) { /* one dimension of a size, alone */
      const Node *x = compose_node(c, n->args[0]);
      uint32_t k = 0, d = 0;
      for (uint32_t i = 0; i < n->rank; i++) k += n->dims[i] != 1;
      for (uint32_t i = 0; i < x->rank; i++) k += x->dims[i] != 1, d = x->dims[i] != 1 ? i : d;
      if (k != 2) return false;
      dim = d;
    } else if (strcmp(op, "convert") || !dtype_is_int((DType)compose_node(c, n->args[0])->dtype)) {
      return false;
    }
    id = n->args[0];
  }
  return false;
}
