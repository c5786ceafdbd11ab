#include "frontends/base/products.h"

#include <string.h>

static bool few(const Composer *c, NodeId x, uint32_t dim) {
  return x != NO_NODE && dim < compose_node(c, x)->rank && compose_node(c, x)->dims[dim] <= PRODUCTS_MOST;
}

NodeId products_along(Composer *c, NodeId x, uint32_t dim) {
  if (!few(c, x, dim)) return NO_NODE;
  const Node in = *compose_node(c, x);
  int64_t dims[COMPOSE_MAX_RANK];
  for (uint32_t d = 0; d + 1 < in.rank; d++) dims[d] = in.dims[d + (d >= dim)];
  if (!in.dims[dim]) return compose_splat(c, in.dtype, in.rank - 1u, dims, RAT_1);
  NodeId y = NO_NODE;
  for (int64_t k = 0; k < in.dims[dim]; k++) {
    NodeId one = compose_reshape(c, compose_slice(c, x, dim, k, 1, 1), in.rank - 1u, dims);
    y = k ? compose_binary(c, "multiply", y, one) : one;
  }
  return y;
}

NodeId products_running(Composer *c, NodeId x, uint32_t dim, bool reverse) {
  NodeId y[PRODUCTS_MOST];
  if (!few(c, x, dim)) return NO_NODE;
  int64_t n = compose_node(c, x)->dims[dim];
  if (!n) return x;
  for (int64_t k = 0; k < n; k++) {
    int64_t at = reverse ? n - 1 - k : k;
    NodeId one = compose_slice(c, x, dim, at, 1, 1);
    y[at] = k ? compose_binary(c, "multiply", y[reverse ? at + 1 : at - 1], one) : one;
    if (y[at] == NO_NODE) return NO_NODE;
  }
  return compose_concatenate(c, y, (uint32_t)n, dim);
}

/* ------------------------------------------------------------------ operators */
static bool multiplies(const Node *n) {
  bool within = n->op == sym("reduce") || n->op == sym("reduce_window");
  bool across = n->op == sym("all_reduce") || n->op == sym("reduce_scatter");
  if ((!within && !across) || n->n_args != (within ? 2 : 1)) return false;
  if (node_attr_sym(n, sym("reducer"), 0) != sym("multiply")) return false;
  DKind kind = dtype_kind((DType)n->dtype);
  return kind == DK_FLOAT || kind == DK_INT || kind == DK_UINT;
}

/* How many devices are in a group; 0: it is not said, or there are many. */
static int64_t members(const Node *n, Attr *groups) {
  const Attr *a = node_attr(n, sym("replica_groups"));
  if (!a || a->kind != ATTR_GROUPS || a->i < 1 || a->i > PRODUCTS_MOST) return 0;
  *groups = *a;
  return a->i;
}

/* What all devices of a group have, along a new first dimension. */
static NodeId product_of_all(Composer *c, const Node *n, NodeId x) {
  Attr a[] = {{0}, attr_list("dimensions", (int64_t[]){0}, 1)};
  int64_t dims[COMPOSE_MAX_RANK + 1] = {1}, size = members(n, &a[0]);
  if (!size || n->rank >= COMPOSE_MAX_RANK || compose_node(c, x)->rank != n->rank) return NO_NODE;
  for (uint32_t d = 0; d < n->rank; d++) dims[d + 1] = n->dims[d];
  x = compose_reshape(c, x, n->rank + 1u, dims);
  dims[0] = size;
  return products_along(c, compose(c, "all_gather", n->dtype, n->rank + 1u, dims, &x, 1, a, 2), 0);
}

/* Every device is sent its part of what each has: the sender is a new dimension. */
static NodeId product_of_parts(Composer *c, const Node *n, NodeId x) {
  const Attr *along = node_attr(n, sym("dimensions"));
  const Node in = *compose_node(c, x);
  if (!along || along->kind != ATTR_INTS || along->n != 1 || in.rank != n->rank || n->rank >= COMPOSE_MAX_RANK)
    return NO_NODE;
  Attr a[] = {{0}, attr_list("dimensions", along->ints, 1)};
  int64_t dims[COMPOSE_MAX_RANK + 1], size = members(n, &a[0]), at = along->ints[0];
  if (!size || at < 0 || at >= n->rank || in.dims[at] != size * n->dims[at]) return NO_NODE;
  for (uint32_t d = 0; d <= n->rank; d++) dims[d] = d == at ? size : n->dims[d - (d > at)];
  x = compose(c, "all_to_all", n->dtype, in.rank, in.dims, &x, 1, a, 2);
  return products_along(c, compose_reshape(c, x, n->rank + 1u, dims), (uint32_t)at);
}

/* The dimensions that go become one, the first. */
static NodeId reduced(Composer *c, const Node *n, NodeId x) {
  const Attr *over = node_attr(n, sym("dimensions"));
  const Node in = *compose_node(c, x);
  int64_t perm[COMPOSE_MAX_RANK], dims[COMPOSE_MAX_RANK + 1];
  uint32_t at = 0;
  if (!over || over->kind != ATTR_INTS || in.rank > COMPOSE_MAX_RANK || n->rank + over->n != in.rank) return NO_NODE;
  uint64_t goes = 0;
  dims[0] = 1;
  for (uint32_t k = 0; k < over->n; k++) {
    int64_t d = over->ints[k];
    if (d < 0 || d >= in.rank || goes >> d & 1) return NO_NODE; /* an error, which is found later */
    goes |= UINT64_C(1) << d;
    if (__builtin_mul_overflow(dims[0], in.dims[d], &dims[0])) return NO_NODE;
  }
  for (int keep = 0; keep < 2; keep++)
    for (uint32_t d = 0; d < in.rank; d++)
      if ((goes >> d & 1) != (uint64_t)keep) perm[at++] = d;
  for (uint32_t d = 0; d < n->rank; d++) dims[d + 1] = n->dims[d];
  return products_along(c, compose_reshape(c, compose_transpose(c, x, perm), n->rank + 1u, dims), 0);
}

static int64_t entry(const Node *n, const char *name, uint32_t d, int64_t otherwise) {
  const Attr *a = node_attr(n, sym(name));
  return a && a->kind == ATTR_INTS && d < a->n ? a->ints[d] : otherwise;
}

/* Windows along one dimension.  Those over all of it that begin, or end, at every place of it are running products; others
 * are what stands at each of their places, with the initial value, which is 1, around x. */
static NodeId windowed(Composer *c, const Node *n, NodeId x, NodeId init) {
  uint32_t along = n->rank;
  int64_t low[COMPOSE_MAX_RANK] = {0}, high[COMPOSE_MAX_RANK] = {0}, size = 1;
  if (compose_node(c, x)->rank != n->rank || n->rank > COMPOSE_MAX_RANK) return NO_NODE;
  for (uint32_t d = 0; d < n->rank; d++) {
    int64_t at = entry(n, "window_size", d, 0);
    low[d] = entry(n, "window_low", d, 0), high[d] = entry(n, "window_high", d, 0);
    bool plain = entry(n, "window_strides", d, 1) == 1 && entry(n, "lhs_dilation", d, 1) == 1 &&
                 entry(n, "rhs_dilation", d, 1) == 1;
    if (!plain || n->dims[d] != compose_node(c, x)->dims[d] + low[d] + high[d] - at + 1) return NO_NODE;
    if (at == 1 && !low[d] && !high[d]) continue;
    if (along < n->rank) return NO_NODE;
    along = d, size = at;
  }
  if (along == n->rank) return x;
  int64_t all = compose_node(c, x)->dims[along];
  if (size == all && low[along] + high[along] == size - 1 && !(low[along] && high[along]))
    return products_running(c, x, along, !low[along]);
  if (size < 1 || size > PRODUCTS_MOST || low[along] < 0 || high[along] < 0) return NO_NODE;
  if (low[along] || high[along]) x = compose_pad(c, x, init, low, high);
  NodeId y = NO_NODE;
  for (int64_t k = 0; k < size && x != NO_NODE; k++) {
    NodeId one = compose_slice(c, x, along, k, n->dims[along], 1);
    y = k ? compose_binary(c, "multiply", y, one) : one;
    if (y == NO_NODE) return NO_NODE;
  }
  return y;
}

/* With the initial value; NO_NODE: the operator stays. */
static NodeId unfolded(Composer *c, const Node *n, const NodeId *args) {
  c->stamp = *n;
  if (n->op == sym("all_reduce")) return product_of_all(c, n, args[0]);
  if (n->op == sym("reduce_scatter")) return product_of_parts(c, n, args[0]);
  NodeId y = n->op == sym("reduce") ? reduced(c, n, args[0]) : windowed(c, n, args[0], args[1]);
  const Literal *init = compose_node(c, args[1])->literal;
  if (y == NO_NODE || (init && init->values[0] == RAT_1)) return y;
  if (n->op != sym("reduce")) return NO_NODE; /* it takes part more than once */
  return compose_binary(c, "multiply", y, compose_broadcast(c, args[1], n->rank, n->dims));
}

void products_unfold(Graph *g) {
  size_t n = g->nodes.len, first = 0;
  while (first < n && !multiplies(&g->nodes.at[first])) first++;
  if (first == n) return;
  NodeId *to = xcalloc(n, sizeof *to);
  Node *old = xcalloc(n, sizeof *old);
  memcpy(old, g->nodes.at, n * sizeof *old);
  for (size_t i = 0; i < first; i++) to[i] = (NodeId)i;
  g->nodes.len = first;
  Composer c = {.g = g};
  const NodeId *done = NULL; /* results of one operator share their list of operands */
  for (size_t i = first; i < n; i++) {
    NodeId *args = (NodeId *)old[i].args;
    for (uint32_t k = 0; args != done && k < old[i].n_args; k++) args[k] = to[args[k]];
    if (old[i].n_args) done = args;
    to[i] = multiplies(&old[i]) ? unfolded(&c, &old[i], args) : NO_NODE;
    if (to[i] != NO_NODE) continue;
    vec_push(&g->nodes, old[i]);
    to[i] = (NodeId)g->nodes.len - 1;
  }
  for (size_t k = 0; k < g->outputs.len; k++) g->outputs.at[k].node = to[g->outputs.at[k].node];
  for (size_t k = 0; k < g->passages.len; k++) g->passages.at[k].node = to[g->passages.at[k].node];
  for (size_t k = 0; k < g->oddities.len; k++) g->oddities.at[k].node = to[g->oddities.at[k].node];
  for (size_t k = 0; k < g->params.len; k++)
    if (g->params.at[k] != NO_NODE) g->params.at[k] = to[g->params.at[k]];
  free(to);
  free(old);
}
