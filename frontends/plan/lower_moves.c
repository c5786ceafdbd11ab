/* What moves tensors in a plan, as nodes: collectives along any dimension. */
#include <string.h>

#include "frontends/torch/lower.h"

LowerResult lower_plan_splat(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  return done(l, make_splat(l, t->dtype, t->rank, t->dims, l->text[0] == '1' ? RAT_1 : RAT_0));
}

/* Also where nothing is made of the result: ranks may wait for each other. */
static LowerResult ranks_differ(Lower *l) {
  return lower_error(l, E_UNSUPPORTED, "its dimensions or devices differ from rank to rank"), LOWER_FAILED;
}

LowerResult lower_plan_along(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  uint32_t dim;
  Attr a[3] = {{0}};
  const TorchGroup *g = lower_group(l, l->arg[2], &a[0]);
  if (x == NO_NODE) return LOWER_OPAQUE;
  if (!g || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim)) return ranks_differ(l);
  int64_t had = node_of(l, x)->dims[dim], has = l->node->outs[0].dims[dim];
  bool gathers = !strcmp(l->text, "all_gather");
  a[1] = attr_dim(l, "dimensions", dim);
  a[2] = attr_sym("reducer", "add");
  if (gathers ? has != had * g->size : had != has * g->size)
    return lower_error(l, E_SHAPE, "%lld rows of each of %u devices do not make %lld", (long long)had, g->size,
                       (long long)has), LOWER_FAILED;
  return done(l, make_out(l, 0, l->text, &x, 1, a, gathers ? 2 : 3));
}

/* Dimension `cut` of x in n pieces, a dimension of their own in front. */
static NodeId pieces_first(Lower *l, NodeId x, uint32_t cut, int64_t n) {
  const Node *v = node_of(l, x);
  int64_t dims[TORCH_MAX_RANK + 2];
  if (v->rank > TORCH_MAX_RANK || v->dims[cut] % n) return NO_NODE;
  memcpy(dims, v->dims, cut * sizeof *dims);
  memcpy(dims + cut + 1, v->dims + cut, (v->rank - cut) * sizeof *dims);
  dims[cut] = n, dims[cut + 1] /= n;
  return make_moved(l, make_reshape(l, x, v->rank + 1u, dims), cut, 0);
}

LowerResult lower_plan_exchange(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  uint32_t cut, join;
  Attr a[] = {{0}, attr_dim(l, "dimensions", 0)};
  const TorchGroup *g = lower_group(l, l->arg[3], &a[0]);
  if (x == NO_NODE) return LOWER_OPAQUE;
  if (!g || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &cut) || !arg_dim(l->arg[2], 0, node_of(l, x)->rank, &join))
    return ranks_differ(l);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t rank = node_of(l, x)->rank;
  memcpy(dims, node_of(l, x)->dims, rank * sizeof *dims);
  x = pieces_first(l, x, cut, g->size);
  if (x == NO_NODE) return lower_error(l, E_SHAPE, "rows that are not cut into %u", g->size), LOWER_FAILED;
  Node v = *node_of(l, x);
  x = make(l, "all_to_all", v.dtype, v.rank, v.dims, &x, 1, a, 2);
  dims[cut] /= g->size;
  dims[join] *= g->size;
  return done(l, make_reshape(l, make_moved(l, x, 0, join), rank, dims));
}
