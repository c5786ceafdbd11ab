/* Operators that move values. */
#include <string.h>

#include "frontends/torch/lower.h"

LowerResult lower_same(Lower *l) { return done(l, arg_tensor(l, l->arg[0])); }

LowerResult lower_to(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  if (l->arg[1] && (l->arg[1]->ranks || (l->arg[1]->kind != TA_DTYPE && l->arg[1]->kind != TA_TENSOR))) return LOWER_OPAQUE;
  if (arg_complex(l, l->arg[0])) return t->dtype == DT_C64 ? done(l, arg_tensor(l, l->arg[0])) : LOWER_OPAQUE;
  if (t->dtype == DT_C64) {
    NodeId x = arg_operand(l, l->arg[0], real_type(t->dtype), t->rank, t->dims);
    return x == NO_NODE ? LOWER_OPAQUE : done(l, make_out(l, 0, "complex_of_real", &x, 1, NULL, 0));
  }
  return done(l, arg_operand(l, l->arg[0], t->dtype, t->rank, t->dims));
}

LowerResult lower_copy(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  return done(l, arg_operand(l, l->arg[1], t->dtype, t->rank, t->dims));
}

LowerResult lower_reshape(Lower *l) {
  int64_t dims[TORCH_MAX_RANK + 1];
  uint32_t rank = out_dims(l, 0, dims);
  NodeId x = arg_tensor(l, l->arg[0]);
  if (x == NO_NODE || node_of(l, x)->dtype != real_type(l->node->outs[0].dtype)) return LOWER_OPAQUE; /* view.dtype */
  return done(l, make_reshape(l, x, rank, dims));
}

LowerResult lower_transpose(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  if (x == NO_NODE) return LOWER_OPAQUE;
  uint32_t whole = node_of(l, x)->rank, n = whole - arg_complex(l, l->arg[0]), a, b, len;
  int64_t perm[TORCH_MAX_RANK + 2];
  for (uint32_t d = 0; d < whole; d++) perm[d] = d;
  if (*l->text == 's') {
    if (!arg_dim(l->arg[1], 0, n, &a) || !arg_dim(l->arg[2], 0, n, &b)) return LOWER_OPAQUE;
    if (n) perm[a] = b, perm[b] = a;
  } else if (*l->text == 'l') {
    if (n < 2) return LOWER_OPAQUE;
    perm[n - 2] = n - 1, perm[n - 1] = n - 2;
  } else if (*l->text == 'p') {
    if (!arg_ints(l->arg[1], perm, n, &len) || len != n) return LOWER_OPAQUE;
    for (uint32_t d = 0; d < n; d++) perm[d] += perm[d] < 0 ? n : 0;
  } else {
    if (*l->text == 't' && n > 2) return LOWER_OPAQUE;
    for (uint32_t d = 0; d < n; d++) perm[d] = n - 1 - d;
  }
  return done(l, make_transpose(l, x, perm));
}

LowerResult lower_expand(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t dims[TORCH_MAX_RANK + 1];
  uint32_t rank = out_dims(l, 0, dims);
  if (x == NO_NODE || (arg_complex(l, l->arg[0]) && rank != node_of(l, x)->rank)) return LOWER_OPAQUE;
  return done(l, make_broadcast(l, x, rank, dims));
}

/* x repeated: every dimension (r, d) with r first. */
LowerResult lower_repeat(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t times[TORCH_MAX_RANK], dims[2 * TORCH_MAX_RANK];
  uint32_t n;
  const TorchType *t = &l->node->outs[0];
  if (x == NO_NODE || !arg_ints(l->arg[1], times, TORCH_MAX_RANK / 2, &n) || n > t->rank ||
      t->rank > TORCH_MAX_RANK / 2 || node_of(l, x)->rank > t->rank)
    return LOWER_OPAQUE;
  for (; n < t->rank; n++) { /* the first dimensions are not repeated */
    memmove(times + 1, times, n * sizeof *times);
    times[0] = 1;
  }
  const Node *in = node_of(l, x);
  uint32_t lead = n - in->rank;
  int64_t one[TORCH_MAX_RANK];
  for (uint32_t d = 0; d < n; d++) {
    one[2 * d] = 1;
    dims[2 * d] = times[d];
    one[2 * d + 1] = dims[2 * d + 1] = d < lead ? 1 : in->dims[d - lead];
  }
  x = make_broadcast(l, make_reshape(l, x, 2 * n, one), 2 * n, dims);
  return done(l, make_reshape(l, x, t->rank, t->dims));
}

LowerResult lower_flip(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  if (x == NO_NODE || (!l->arg[1] && !*l->text) || !arg_dims(l->arg[1], node_of(l, x)->rank, dims, &n))
    return LOWER_OPAQUE;
  bool none = l->arg[1] && l->arg[1]->kind == TA_LIST && !l->arg[1]->n; /* not all of them, as where sums are taken */
  if (none) return done(l, x);
  if (*l->text) n = 1, dims[0] = *l->text - '0'; /* this one */
  if (*l->text && dims[0] >= node_of(l, x)->rank) return LOWER_OPAQUE;
  Attr a = attr_ints(l, "dimensions", dims, n);
  return done(l, make_out(l, 0, "reverse", &x, 1, &a, 1));
}

/* ---- slices.  Python's ends: counted from the end if negative, cut to the size. */
static int64_t bound(int64_t v, int64_t n) {
  if (v < 0) v += n;
  return v < 0 ? 0 : v > n ? n : v;
}

/* Starts on all ranks of slices of equal size with step 1; `uniform` if they are equal. */
static bool ranges(Lower *l, const TorchArg *start, const TorchArg *end, int64_t n, int64_t size, int64_t step,
                   Rat *out, bool *uniform) {
  *uniform = true;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    int64_t lo, hi;
    if (!arg_int_at(start, r, 0, &lo) || !arg_int_at(end, r, n, &hi)) return false;
    lo = bound(lo, n), hi = bound(hi, n);
    if ((hi > lo ? (hi - lo + step - 1) / step : 0) != size) return false;
    out[r] = rat_int(size ? lo : 0);
    *uniform &= out[r] == out[0];
  }
  return true;
}

/* Starts as rows and columns of a table with `step` columns. */
static void in_table(Lower *l, const Rat *starts, int64_t step, Rat **rows, Rat **columns) {
  *rows = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  *columns = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    int64_t start = 0;
    (void)rat_to_int(starts[r], &start); /* a size of the file */
    (*rows)[r] = rat_int(start / step);
    (*columns)[r] = rat_int(start % step);
  }
}

/* A tensor of these sizes, but one dimension cut in two, or two made one. */
static NodeId recut(Lower *l, NodeId x, uint32_t dim, uint32_t from, uint32_t to, const int64_t *sizes) {
  int64_t dims[TORCH_MAX_RANK + 1];
  if (x == NO_NODE || node_of(l, x)->rank + to - from > TORCH_MAX_RANK) return NO_NODE;
  const Node *in = node_of(l, x);
  memcpy(dims, in->dims, dim * sizeof *dims);
  memcpy(dims + dim, sizes, to * sizeof *dims);
  memcpy(dims + dim + to, in->dims + dim + from, (in->rank - dim - from) * sizeof *dims);
  return make_reshape(l, x, in->rank + to - from, dims);
}

/* Every step-th element, from another one on each rank: a column of a table where the step divides the dimension. */
static NodeId strided_by_rank(Lower *l, NodeId x, uint32_t dim, const Rat *starts, int64_t size, int64_t step) {
  int64_t n = node_of(l, x)->dims[dim];
  Rat *rows, *columns;
  if (n % step)
    return make_slice(l, make_dynamic_slice(l, x, dim, make_by_rank(l, DT_S64, starts), (size - 1) * step + 1), dim, 0,
                      size, step);
  in_table(l, starts, step, &rows, &columns);
  x = recut(l, x, dim, 1, 2, (int64_t[]){n / step, step});
  if (x != NO_NODE) x = make_dynamic_slice(l, x, dim + 1, make_by_rank(l, DT_S64, columns), 1);
  x = recut(l, x, dim, 2, 1, (int64_t[]){n / step});
  return x == NO_NODE || size == n / step ? x : make_dynamic_slice(l, x, dim, make_by_rank(l, DT_S64, rows), size);
}

static NodeId slice_at(Lower *l, NodeId x, uint32_t dim, const Rat *starts, bool uniform, int64_t size, int64_t step) {
  int64_t start;
  if (uniform) return rat_to_int(starts[0], &start) ? make_slice(l, x, dim, start, size, step) : NO_NODE;
  if (step > 1 && size > 1) return strided_by_rank(l, x, dim, starts, size, step);
  return make_dynamic_slice(l, x, dim, make_by_rank(l, DT_S64, starts), size);
}

LowerResult lower_slice(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  Rat *starts = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  int64_t step;
  uint32_t dim;
  bool uniform;
  if (x == NO_NODE || !arg_dim(l->arg[1], 0, l->node->outs[0].rank, &dim) || !arg_int(l->arg[4], 1, &step) || step < 1)
    return LOWER_OPAQUE;
  if (dim >= l->node->outs[0].rank || dim >= node_of(l, x)->rank) return LOWER_OPAQUE;
  int64_t n = node_of(l, x)->dims[dim], size = l->node->outs[0].dims[dim];
  if (!ranges(l, l->arg[2], l->arg[3], n, size, step, starts, &uniform)) return LOWER_OPAQUE;
  return done(l, slice_at(l, x, dim, starts, uniform, size, step));
}

/* One index of a dimension of n, as starts; `behind`: or where it ends. */
static bool indices(Lower *l, const TorchArg *index, int64_t n, bool behind, Rat *out, bool *uniform) {
  *uniform = true;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    int64_t i;
    if (!index || !arg_int_at(index, r, 0, &i) || i < -n || i >= n + behind) return false;
    out[r] = rat_int(i < 0 ? i + n : i);
    *uniform &= out[r] == out[0];
  }
  return true;
}

LowerResult lower_narrow(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  Rat *starts = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  int64_t size;
  uint32_t dim;
  bool uniform;
  if (x == NO_NODE || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim) || !arg_int(l->arg[3], 0, &size))
    return LOWER_OPAQUE;
  if (!node_of(l, x)->rank || !indices(l, l->arg[2], node_of(l, x)->dims[dim], true, starts, &uniform))
    return LOWER_OPAQUE;
  return done(l, slice_at(l, x, dim, starts, uniform, size, 1));
}

LowerResult lower_select(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  Rat *starts = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  uint32_t dim;
  bool uniform;
  if (x == NO_NODE || !arg_rank(l, l->arg[0]) || !arg_dim(l->arg[1], 0, arg_rank(l, l->arg[0]), &dim)) return LOWER_OPAQUE;
  if (!indices(l, l->arg[2], node_of(l, x)->dims[dim], false, starts, &uniform)) return LOWER_OPAQUE;
  int64_t dims[TORCH_MAX_RANK + 1];
  uint32_t rank = out_dims(l, 0, dims);
  return done(l, make_reshape(l, slice_at(l, x, dim, starts, uniform, 1, 1), rank, dims));
}

/* Sizes as the file has them for the results: they are checked against the operand there. */
LowerResult lower_split(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  uint32_t dim, n = l->node->n_outs;
  TorchArg own = {.kind = TA_INT, .i = *l->text - '0'}; /* a dimension that the operator stands for */
  if (x == NO_NODE || !arg_dim(*l->text ? &own : l->arg[2], 0, node_of(l, x)->rank, &dim) || !arg_uniform(l->arg[1]))
    return LOWER_OPAQUE;
  int64_t *sizes = ARENA_ARRAY(&l->arena, int64_t, n), total = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (!l->node->outs[k].tensor || dim >= l->node->outs[k].rank) return LOWER_OPAQUE;
    total += sizes[k] = l->node->outs[k].dims[dim];
  }
  if (total != node_of(l, x)->dims[dim]) return LOWER_OPAQUE;
  return set_pieces(l, x, dim, sizes, n, arg_complex(l, l->arg[0]));
}

LowerResult lower_unbind(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  uint32_t dim, n = l->node->n_outs;
  if (x == NO_NODE || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim) || n != node_of(l, x)->dims[dim])
    return LOWER_OPAQUE;
  for (uint32_t k = 0; k < n; k++) {
    const TorchType *t = &l->node->outs[k];
    NodeId y = make_reshape(l, make_slice(l, x, dim, k, 1, 1), t->rank, t->dims);
    if (y == NO_NODE) return LOWER_OPAQUE;
    set_result(l, k, y);
  }
  return LOWER_DONE;
}

/* ---- writing into a tensor */
/* y of x's shape with u from `starts` on along a dimension. */
static NodeId write_at(Lower *l, NodeId x, NodeId u, uint32_t dim, const Rat *starts) {
  return make_update(l, x, u, dim, make_by_rank(l, DT_S64, starts));
}

/* x with zeros behind it along a dimension. */
static NodeId lengthened(Lower *l, NodeId x, uint32_t dim, int64_t more) {
  int64_t high[TORCH_MAX_RANK] = {0}, none[TORCH_MAX_RANK] = {0}, dims[TORCH_MAX_RANK];
  Node n = *node_of(l, x);
  memcpy(dims, n.dims, n.rank * sizeof *dims);
  dims[dim] += high[dim] = more;
  NodeId args[] = {x, make_splat(l, n.dtype, 0, NULL, RAT_0)};
  Attr a[] = {attr_ints(l, "low", none, n.rank), attr_ints(l, "high", high, n.rank),
              attr_ints(l, "interior", none, n.rank)};
  return make(l, "pad", n.dtype, n.rank, dims, args, 2, a, 3);
}

/* y of x's shape with u at every step-th place from `starts` on: in a column of a table with `step` columns. */
static NodeId write_strided(Lower *l, NodeId x, NodeId u, uint32_t dim, const Rat *starts, int64_t step) {
  if (x == NO_NODE || u == NO_NODE) return NO_NODE;
  int64_t n = node_of(l, x)->dims[dim], size = node_of(l, u)->dims[dim], missing = (step - n % step) % step;
  Rat *rows, *columns;
  if (missing) return make_slice(l, write_strided(l, lengthened(l, x, dim, missing), u, dim, starts, step), dim, 0, n, 1);
  in_table(l, starts, step, &rows, &columns);
  x = recut(l, x, dim, 1, 2, (int64_t[]){n / step, step});
  u = recut(l, u, dim, 1, 2, (int64_t[]){size, 1});
  if (x == NO_NODE || u == NO_NODE) return NO_NODE;
  NodeId at = make_by_rank(l, DT_S64, columns);
  if (size < n / step) u = write_at(l, make_dynamic_slice(l, x, dim + 1, at, 1), u, dim, rows);
  return recut(l, make_update(l, x, u, dim + 1, at), dim, 2, 1, (int64_t[]){n});
}

/* Zeros around u. */
static NodeId pad_to_out(Lower *l, NodeId u, uint32_t dim, const Rat *starts, bool uniform) {
  const TorchType *t = &l->node->outs[0];
  if (u == NO_NODE || node_of(l, u)->rank != t->rank) return NO_NODE;
  uint8_t dtype = node_of(l, u)->dtype;
  if (!uniform) return write_at(l, make_splat(l, dtype, t->rank, t->dims, RAT_0), u, dim, starts);
  int64_t low[TORCH_MAX_RANK] = {0}, high[TORCH_MAX_RANK] = {0}, none[TORCH_MAX_RANK] = {0};
  if (!rat_to_int(starts[0], &low[dim])) return NO_NODE;
  high[dim] = t->dims[dim] - low[dim] - node_of(l, u)->dims[dim];
  NodeId args[] = {u, make_splat(l, dtype, 0, NULL, RAT_0)};
  Attr a[] = {attr_ints(l, "low", low, t->rank), attr_ints(l, "high", high, t->rank),
              attr_ints(l, "interior", none, t->rank)};
  return make_out(l, 0, "pad", args, 2, a, 3);
}

/* g at every step-th place from a start on, zeros elsewhere. */
static NodeId spread_to_out(Lower *l, NodeId g, uint32_t dim, int64_t start, int64_t step) {
  const TorchType *t = &l->node->outs[0];
  int64_t low[TORCH_MAX_RANK] = {0}, high[TORCH_MAX_RANK] = {0}, interior[TORCH_MAX_RANK] = {0};
  int64_t n = node_of(l, g)->dims[dim];
  if (n < 1 || step > t->dims[dim]) return NO_NODE;
  low[dim] = start, interior[dim] = step - 1, high[dim] = t->dims[dim] - start - (n - 1) * step - 1;
  NodeId args[] = {g, make_splat(l, node_of(l, g)->dtype, 0, NULL, RAT_0)};
  Attr a[] = {attr_ints(l, "low", low, t->rank), attr_ints(l, "high", high, t->rank),
              attr_ints(l, "interior", interior, t->rank)};
  return high[dim] < 0 ? NO_NODE : make_out(l, 0, "pad", args, 2, a, 3);
}

LowerResult lower_slice_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  Rat *starts = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  int64_t step;
  uint32_t dim;
  bool uniform;
  if (g == NO_NODE || !t->rank || !arg_dim(l->arg[2], 0, t->rank, &dim) || !arg_int(l->arg[5], 1, &step) || step < 1)
    return LOWER_OPAQUE;
  if (node_of(l, g)->rank != t->rank) return LOWER_OPAQUE;
  if (!ranges(l, l->arg[3], l->arg[4], t->dims[dim], node_of(l, g)->dims[dim], step, starts, &uniform))
    return LOWER_OPAQUE;
  int64_t start;
  if (step > 1 && !uniform && node_of(l, g)->dims[dim] > 1) {
    NodeId zeros = make_splat(l, node_of(l, g)->dtype, t->rank, t->dims, RAT_0);
    return done(l, write_strided(l, zeros, g, dim, starts, step));
  }
  if (step > 1 && uniform && !rat_to_int(starts[0], &start)) return LOWER_OPAQUE;
  if (step > 1 && uniform) return done(l, spread_to_out(l, g, dim, start, step));
  return done(l, pad_to_out(l, g, dim, starts, uniform));
}

/* The dimension that a selection has lost. */
static NodeId with_dim(Lower *l, NodeId g, uint32_t dim) {
  int64_t dims[TORCH_MAX_RANK];
  const TorchType *t = &l->node->outs[0];
  memcpy(dims, t->dims, t->rank * sizeof *dims);
  dims[dim] = 1;
  return make_reshape(l, g, t->rank, dims);
}

LowerResult lower_select_backward(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  Rat *starts = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  uint32_t dim;
  bool uniform;
  if (!t->rank || !arg_dim(l->arg[2], 0, t->rank, &dim) || !indices(l, l->arg[3], t->dims[dim], false, starts, &uniform))
    return LOWER_OPAQUE;
  return done(l, pad_to_out(l, with_dim(l, arg_tensor(l, l->arg[0]), dim), dim, starts, uniform));
}

LowerResult lower_slice_scatter(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), u = arg_tensor(l, l->arg[1]);
  const TorchType *t = &l->node->outs[0];
  Rat *starts = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  int64_t step;
  uint32_t dim;
  bool uniform;
  if (x == NO_NODE || u == NO_NODE || !t->rank || !arg_dim(l->arg[2], 0, t->rank, &dim) ||
      !arg_int(l->arg[5], 1, &step) || step < 1)
    return LOWER_OPAQUE;
  if (node_of(l, u)->rank != t->rank) return LOWER_OPAQUE;
  int64_t size = node_of(l, u)->dims[dim];
  if (!ranges(l, l->arg[3], l->arg[4], t->dims[dim], size, step, starts, &uniform)) return LOWER_OPAQUE;
  u = make_convert(l, u, t->dtype);
  return done(l, step > 1 && size > 1 ? write_strided(l, x, u, dim, starts, step) : write_at(l, x, u, dim, starts));
}

LowerResult lower_select_scatter(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), u = arg_tensor(l, l->arg[1]);
  const TorchType *t = &l->node->outs[0];
  Rat *starts = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  uint32_t dim;
  bool uniform;
  if (!t->rank || !arg_dim(l->arg[2], 0, t->rank, &dim) || !indices(l, l->arg[3], t->dims[dim], false, starts, &uniform))
    return LOWER_OPAQUE;
  return done(l, write_at(l, x, make_convert(l, with_dim(l, u, dim), t->dtype), dim, starts));
}

/* Amounts stand last dimension first: before, after. */
LowerResult lower_pad(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  int64_t pad[2 * TORCH_MAX_RANK], low[TORCH_MAX_RANK] = {0}, high[TORCH_MAX_RANK] = {0}, none[TORCH_MAX_RANK] = {0};
  uint32_t n;
  if (x == NO_NODE || !arg_ints(l->arg[1], pad, 2 * t->rank, &n) || n % 2) return LOWER_OPAQUE;
  for (uint32_t k = 0; 2 * k < n; k++) low[t->rank - 1 - k] = pad[2 * k], high[t->rank - 1 - k] = pad[2 * k + 1];
  TorchArg zero = {.kind = TA_INT, .r = RAT_0};
  NodeId args[] = {x, arg_scalar(l, arg_named(l, "value") ? arg_named(l, "value") : &zero, t->dtype)};
  Attr a[] = {attr_ints(l, "low", low, t->rank), attr_ints(l, "high", high, t->rank),
              attr_ints(l, "interior", none, t->rank)};
  return done(l, make_out(l, 0, "pad", args, 2, a, 3));
}

/* ---- putting tensors together */
/* All equal pieces of one tensor in order, put together along another dimension: the number of the piece moves from one
 * dimension to the other.  NO_NODE: they are not. */
static NodeId regroup(Lower *l, const TorchArg *list, uint32_t to) {
  NodeId x = NO_NODE;
  uint32_t from = 0;
  int64_t size = 0, n = list->n;
  for (uint32_t k = 0; k < list->n; k++) {
    const TorchArg *a = &list->list[k];
    if (a->kind != TA_TENSOR || a->ranks) return NO_NODE;
    const LowerValue *v = &l->results.at[l->first[a->i] + a->result];
    if (k == 0) x = v->whole, from = v->dim, size = v->size;
    if (v->whole == NO_NODE || v->whole != x || v->dim != from || v->size != size || v->at != k * size) return NO_NODE;
  }
  if (x == NO_NODE || n < 2 || node_of(l, x)->dims[from] != n * size) return NO_NODE;
  if (from == to) return x;
  Node in = *node_of(l, x);
  int64_t dims[TORCH_MAX_RANK + 2], perm[TORCH_MAX_RANK + 2], out[TORCH_MAX_RANK + 2];
  uint32_t m = 0;
  for (uint32_t d = 0; d < in.rank; d++) { /* the piece as a dimension before `from`, then before `to` */
    if (d == from) dims[m++] = n;
    dims[m++] = d == from ? size : in.dims[d];
  }
  m = 0;
  for (uint32_t d = 0; d < in.rank; d++) {
    if (d == to) perm[m++] = from;
    perm[m++] = d < from ? d : d + 1;
    out[d] = (d == from ? size : in.dims[d]) * (d == to ? n : 1);
  }
  x = make_transpose(l, make_reshape(l, x, in.rank + 1u, dims), perm);
  return make_reshape(l, x, in.rank, out);
}

LowerResult lower_cat(Lower *l) {
  const TorchArg *list = l->arg[0];
  const TorchType *t = &l->node->outs[0];
  bool complex = t->dtype == DT_C64;
  uint32_t dim, n = 0;
  if (!list || list->kind != TA_LIST || list->ranks || !t->rank || !arg_dim(l->arg[1], 0, t->rank, &dim))
    return LOWER_OPAQUE;
  NodeId *args = ARENA_ARRAY(&l->arena, NodeId, list->n), whole = regroup(l, list, dim);
  if (whole != NO_NODE && node_of(l, whole)->dtype == t->dtype && !complex) return done(l, whole);
  for (uint32_t k = 0; k < list->n; k++) {
    NodeId x = arg_tensor(l, &list->list[k]);
    if (x == NO_NODE || arg_complex(l, &list->list[k]) != complex) return LOWER_OPAQUE;
    const Node *m = node_of(l, x);
    if (m->rank - complex == 1 && m->dims[0] == 0 && t->rank != 1) continue; /* PyTorch takes such tensors in any company */
    if (m->rank - complex != t->rank) return LOWER_OPAQUE;
    if (m->dims[dim]) args[n++] = make_convert(l, x, real_type(t->dtype));
  }
  if (n == 1) return done(l, args[0]);
  Attr a = attr_dim(l, "dimensions", dim);
  if (n) return done(l, make_out(l, 0, "concatenate", args, n, &a, 1));
  return complex ? LOWER_OPAQUE : done(l, make_splat(l, t->dtype, t->rank, t->dims, RAT_0));
}

LowerResult lower_stack(Lower *l) {
  const TorchArg *list = l->arg[0];
  const TorchType *t = &l->node->outs[0];
  int64_t dims[TORCH_MAX_RANK + 1];
  bool complex = t->dtype == DT_C64;
  uint32_t dim, rank = out_dims(l, 0, dims);
  if (!list || list->kind != TA_LIST || list->ranks || !list->n || !t->rank || !arg_dim(l->arg[1], 0, t->rank, &dim))
    return LOWER_OPAQUE;
  NodeId *args = ARENA_ARRAY(&l->arena, NodeId, list->n);
  dims[dim] = 1;
  for (uint32_t k = 0; k < list->n; k++) {
    NodeId x = arg_tensor(l, &list->list[k]);
    if (x == NO_NODE || arg_complex(l, &list->list[k]) != complex) return LOWER_OPAQUE;
    args[k] = make_convert(l, make_reshape(l, x, rank, dims), real_type(t->dtype));
  }
  Attr a = attr_dim(l, "dimensions", dim);
  return list->n == 1 ? done(l, args[0]) : done(l, make_out(l, 0, "concatenate", args, list->n, &a, 1));
}

/* ---- new tensors */
/* "0", "1", or "a" and the number of the parameter that has the value. */
LowerResult lower_fill(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  if (t->dtype == DT_C64) {
    int64_t dims[TORCH_MAX_RANK + 1];
    uint32_t rank = out_dims(l, 0, dims);
    uint8_t real = real_type(t->dtype);
    const TorchArg *a = *l->text == 'a' ? l->arg[l->text[1] - '0'] : NULL;
    if (a && arg_complex(l, a)) return done(l, make_broadcast(l, arg_tensor(l, a), rank, dims));
    if (*l->text == '0') return done(l, make_splat(l, real, rank, dims, RAT_0));
    NodeId x = a ? arg_operand(l, a, real, t->rank, t->dims) : make_splat(l, real, t->rank, t->dims, RAT_1);
    return x == NO_NODE ? LOWER_OPAQUE : done(l, make_out(l, 0, "complex_of_real", &x, 1, NULL, 0));
  }
  if (*l->text != 'a') return done(l, make_splat(l, t->dtype, t->rank, t->dims, *l->text == '1' ? RAT_1 : RAT_0));
  return done(l, arg_operand(l, l->arg[l->text[1] - '0'], t->dtype, t->rank, t->dims));
}

/* arange(end), arange(start, end), arange(start, end, step): start + step * i. */
LowerResult lower_arange(Lower *l) {
  static const TorchArg zero = {.kind = TA_INT, .r = RAT_0}, one = {.kind = TA_INT, .i = 1, .r = RAT_1};
  const TorchArg *start = l->node->n_args >= 2 ? l->arg[0] : &zero, *step = l->arg[2] ? l->arg[2] : &one;
  const TorchType *t = &l->node->outs[0];
  if (l->node->n_args < 1 || t->rank != 1) return LOWER_OPAQUE;
  for (int64_t r = 0; r < l->p->n_ranks; r++) { /* the size is as many steps as fit below the end */
    const TorchArg *end = l->node->n_args >= 2 ? l->arg[1] : l->arg[0], *s = start, *d = step;
    if (!end) return LOWER_OPAQUE;
    end = end->ranks ? &end->ranks[r] : end, s = s->ranks ? &s->ranks[r] : s, d = d->ranks ? &d->ranks[r] : d;
    if (!rat_is_finite(end->r) || !rat_is_finite(s->r) || !rat_is_finite(d->r) || !rat_sign(d->r)) return LOWER_OPAQUE;
    if (rat_ceil(rat_div(rat_sub(end->r, s->r), d->r)) != rat_int(t->dims[0])) return LOWER_OPAQUE;
  }
  NodeId args[] = {arg_scalar(l, start, t->dtype), arg_scalar(l, step, t->dtype)};
  return done(l, make_out(l, 0, "arange", args, 2, NULL, 0));
}

/* start end steps: both ends are among the values. */
LowerResult lower_linspace(Lower *l) {
  const TorchArg *start = l->arg[0], *end = l->arg[1];
  const TorchType *t = &l->node->outs[0];
  if (!start || !end || !arg_uniform(start) || !arg_uniform(end) || start->kind == TA_TENSOR ||
      end->kind == TA_TENSOR || t->rank != 1 || !dtype_is_float((DType)t->dtype) || !rat_is_finite(start->r) ||
      !rat_is_finite(end->r))
    return LOWER_OPAQUE;
  Rat step = t->dims[0] > 1 ? rat_div(rat_sub(end->r, start->r), rat_int(t->dims[0] - 1)) : RAT_0;
  NodeId v[] = {make_splat(l, t->dtype, 0, NULL, start->r), make_splat(l, t->dtype, 0, NULL, step)};
  return done(l, make_out(l, 0, "arange", v, 2, NULL, 0));
}

LowerResult lower_eye(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  if (t->rank != 2 || t->dtype == DT_C64) return LOWER_OPAQUE;
  return done(l, make_convert(l, make(l, "identity", DT_PRED, 2, t->dims, NULL, 0, NULL, 0), t->dtype));
}

/* Values that are not a function of anything: another unknown for each operator and device. */
LowerResult lower_unknown(Lower *l) { return lower_opaque(l, true); }

/* Memory that nothing has written. */
LowerResult lower_uninitialized(Lower *l) {
  if (l->node->outs[0].dtype == DT_C64) return lower_opaque(l, true);
  Attr a = unique_attr(l);
  NodeId device = make_partition_id(l);
  return done(l, make_out(l, 0, "uninitialized", &device, 1, &a, 1));
}

/* A function that is unknown: of its operands, or one that drops some of them by chance. */
LowerResult lower_chance(Lower *l) {
  const TorchArg *p = arg_named(l, "dropout");
  bool train;
  return lower_opaque(l, (!arg_bool(arg_named(l, "train"), true, &train) || train) && (!p || p->ranks || p->r != RAT_0));
}

/* input p train: nothing is dropped but in training, with a chance.  Result 1 is what is kept. */
LowerResult lower_dropout(Lower *l) {
  const TorchArg *p = l->arg[1];
  bool train;
  if (!arg_bool(l->arg[2], true, &train) || (train && (!p || p->ranks || p->r != RAT_0))) return lower_opaque(l, true);
  if (l->node->n_outs > 1)
    set_result(l, 1, make_splat(l, l->node->outs[1].dtype, l->node->outs[1].rank, l->node->outs[1].dims, RAT_1));
  return done(l, arg_tensor(l, l->arg[0]));
}

LowerResult lower_complex(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  if (*l->text != 'c' || !arg_complex(l, l->arg[0])) return done(l, x);
  return done(l, make_out(l, 0, "complex_conjugate", &x, 1, NULL, 0));
}

/* A complex number of two real ones: absolute value and angle, or its parts. */
LowerResult lower_complex_pair(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  uint8_t real = real_type(t->dtype);
  NodeId v[] = {arg_operand(l, l->arg[0], real, t->rank, t->dims), arg_operand(l, l->arg[1], real, t->rank, t->dims)};
  if (arg_complex(l, l->arg[0]) || arg_complex(l, l->arg[1])) return LOWER_OPAQUE;
  return done(l, make_out(l, 0, l->text, v, 2, NULL, 0));
}
