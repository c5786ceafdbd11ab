/* More operators that move values: dimensions in another order, shuffles, rolls, diagonals, windows, padding with
 * values of the tensor itself, resizing. */
#include <string.h>

#include "frontends/base/along.h"
#include "frontends/torch/lower.h"

/* self source destination: single dimensions or lists.  The others keep their order. */
LowerResult lower_movedim(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t perm[TORCH_MAX_RANK];
  bool taken[TORCH_MAX_RANK] = {0}, filled[TORCH_MAX_RANK] = {0};
  if (x == NO_NODE || !l->arg[1] || !l->arg[2] || l->arg[1]->kind != l->arg[2]->kind) return LOWER_OPAQUE;
  uint32_t rank = node_of(l, x)->rank, from, to;
  bool listed = l->arg[1]->kind == TA_LIST;
  if (rank > TORCH_MAX_RANK || (listed && l->arg[1]->n != l->arg[2]->n)) return LOWER_OPAQUE;
  for (uint32_t k = 0; k < (listed ? l->arg[1]->n : 1); k++) {
    if (!arg_dim(listed ? &l->arg[1]->list[k] : l->arg[1], 0, rank, &from) ||
        !arg_dim(listed ? &l->arg[2]->list[k] : l->arg[2], 0, rank, &to) || taken[from] || filled[to])
      return LOWER_OPAQUE;
    perm[to] = from;
    taken[from] = filled[to] = true;
  }
  for (uint32_t d = 0, k = 0; d < rank; d++) {
    if (filled[d]) continue;
    while (taken[k]) k++;
    perm[d] = k++;
  }
  return done(l, make_transpose(l, x, perm));
}

/* Every tensor of the list in the shape of its result. */
LowerResult lower_broadcast_tensors(Lower *l) {
  const TorchArg *list = l->arg[0];
  if (!list || list->kind != TA_LIST || list->ranks || list->n != l->node->n_outs) return LOWER_OPAQUE;
  for (uint32_t k = 0; k < list->n; k++) {
    const TorchType *t = &l->node->outs[k];
    if (arg_complex(l, &list->list[k])) return LOWER_OPAQUE;
    set_result(l, k, make_broadcast(l, arg_tensor(l, &list->list[k]), t->rank, t->dims));
  }
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}

/* Vector k runs along dimension k; "xy" exchanges the first two. */
LowerResult lower_meshgrid(Lower *l) {
  const TorchArg *list = l->arg[0], *mode = l->arg[1];
  if (!list || list->kind != TA_LIST || list->ranks || list->n != l->node->n_outs || arg_complex(l, list))
    return LOWER_OPAQUE;
  if (mode && (mode->kind != TA_STRING || mode->ranks)) return LOWER_OPAQUE;
  bool swapped = mode && !strcmp(sym_text(mode->s), "xy") && list->n > 1;
  if (mode && !swapped && strcmp(sym_text(mode->s), "ij") && strcmp(sym_text(mode->s), "xy")) return LOWER_OPAQUE;
  for (uint32_t k = 0; k < list->n; k++) {
    const TorchType *t = &l->node->outs[k];
    uint32_t at = swapped && k < 2 ? 1 - k : k;
    int64_t dims[TORCH_MAX_RANK];
    if (t->rank != list->n) return LOWER_OPAQUE;
    for (uint32_t d = 0; d < t->rank; d++) dims[d] = d == at ? t->dims[d] : 1;
    NodeId x = make_reshape(l, arg_tensor(l, &list->list[k]), t->rank, dims);
    set_result(l, k, make_broadcast(l, x, t->rank, t->dims));
  }
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}

/* Tensors of a list put together: "h" along their second dimension, "v" along the first, "d" along a third, "c" as
 * columns. Those with fewer get dimensions of size 1. */
LowerResult lower_put_together(Lower *l) {
  const TorchArg *list = l->arg[0];
  const TorchType *t = &l->node->outs[0];
  if (!list || list->kind != TA_LIST || list->ranks || !list->n || arg_complex(l, list)) return LOWER_OPAQUE;
  NodeId *parts = ARENA_ARRAY(&l->arena, NodeId, list->n);
  uint32_t dim = *l->text == 'v' ? 0 : *l->text == 'd' ? 2 : *l->text == 'h' && t->rank == 1 ? 0 : 1;
  for (uint32_t k = 0; k < list->n; k++) {
    NodeId x = make_convert(l, arg_tensor(l, &list->list[k]), t->dtype);
    if (x == NO_NODE || dim >= t->rank) return LOWER_OPAQUE;
    const Node n = *node_of(l, x);
    int64_t dims[TORCH_MAX_RANK];
    for (uint32_t d = 0; d < t->rank; d++) dims[d] = d < n.rank ? n.dims[d] : 1;
    if (n.rank == 1 && t->rank == 2 && *l->text == 'v') dims[0] = 1, dims[1] = n.dims[0];
    if (n.rank == 1 && t->rank == 3) dims[0] = 1, dims[1] = n.dims[0];
    if ((parts[k] = make_reshape(l, x, t->rank, dims)) == NO_NODE) return LOWER_OPAQUE;
  }
  return done(l, compose_concatenate(make_composer(l), parts, list->n, dim));
}

/* x[.., (i + n - shift) mod n, ..], the places counted as PyTorch's decomposition counts them. */
static NodeId rolled(Lower *l, NodeId x, uint32_t dim, int64_t shift) {
  if (x == NO_NODE || dim >= node_of(l, x)->rank) return NO_NODE;
  const Node in = *node_of(l, x);
  int64_t n = in.dims[dim];
  shift = n ? (shift % n + n) % n : 0;
  if (!shift) return x;
  NodeId v[] = {make_splat(l, DT_S64, 0, NULL, rat_int(n - shift)), make_splat(l, DT_S64, 0, NULL, RAT_1)};
  NodeId places = make(l, "arange", DT_S64, 1, &n, v, 2, NULL, 0);
  NodeId args[] = {x, make_binary(l, "remainder", places, make_splat(l, DT_S64, 1, &n, rat_int(n)))};
  Attr a[] = {attr_dim(l, "first", dim), attr_dim(l, "index_dims", dim)};
  return make(l, "take_1", in.dtype, in.rank, in.dims, args, 2, a, 2);
}

/* self shifts dims; without dims the flat tensor. */
LowerResult lower_roll(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  int64_t shifts[TORCH_MAX_RANK], all;
  uint32_t n, dim, n_dims = l->arg[2] && l->arg[2]->kind == TA_LIST ? l->arg[2]->n : 0;
  if (x == NO_NODE || arg_complex(l, l->arg[0]) || !arg_ints(l->arg[1], shifts, TORCH_MAX_RANK, &n) ||
      !arg_uniform(l->arg[2]) || (n_dims ? n != n_dims : n != 1))
    return LOWER_OPAQUE;
  if (!n_dims) {
    all = node_elements(node_of(l, x));
    return done(l, make_reshape(l, rolled(l, make_reshape(l, x, 1, &all), 0, shifts[0]), t->rank, t->dims));
  }
  for (uint32_t k = 0; k < n; k++) {
    if (!arg_dim(&l->arg[2]->list[k], 0, t->rank, &dim)) return LOWER_OPAQUE;
    x = rolled(l, x, dim, shifts[k]);
  }
  return done(l, x);
}

/* self k dims: k quarter turns from the first dimension to the second. */
LowerResult lower_rot90(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t turns, dims[2] = {0, 1}, perm[TORCH_MAX_RANK], reversed[2];
  uint32_t n = 2;
  if (x == NO_NODE || !arg_int(l->arg[1], 1, &turns) || (l->arg[2] && !arg_ints(l->arg[2], dims, 2, &n)) || n != 2)
    return LOWER_OPAQUE;
  const Node in = *node_of(l, x);
  for (int k = 0; k < 2; k++) dims[k] += dims[k] < 0 ? in.rank : 0;
  if (dims[0] < 0 || dims[1] < 0 || dims[0] >= in.rank || dims[1] >= in.rank || dims[0] == dims[1]) return LOWER_OPAQUE;
  turns = (turns % 4 + 4) % 4;
  uint32_t m = 0;
  if (turns != 1 && turns) reversed[m++] = dims[0];
  if (turns == 1 || turns == 2) reversed[m++] = dims[1];
  if (m == 2 && reversed[0] > reversed[1]) reversed[0] = dims[1], reversed[1] = dims[0];
  Attr a = attr_ints(l, "dimensions", reversed, m);
  if (m) x = make(l, "reverse", in.dtype, in.rank, in.dims, &x, 1, &a, 1);
  if (turns % 2 == 0) return done(l, x);
  for (int64_t d = 0; d < in.rank; d++) perm[d] = d == dims[0] ? dims[1] : d == dims[1] ? dims[0] : d;
  return done(l, make_transpose(l, x, perm));
}

/* self repeats dim: every element so many times; without a dimension the flat tensor's. */
LowerResult lower_repeat_interleave(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  int64_t times, all, dims[TORCH_MAX_RANK + 1];
  uint32_t dim = 0;
  if (x == NO_NODE || !l->arg[1] || !arg_int(l->arg[1], 0, &times)) return LOWER_OPAQUE;
  if (!l->arg[2]) all = node_elements(node_of(l, x)), x = make_reshape(l, x, 1, &all);
  if (x == NO_NODE || (l->arg[2] && !arg_dim(l->arg[2], 0, node_of(l, x)->rank, &dim)) || !node_of(l, x)->rank ||
      node_of(l, x)->rank >= TORCH_MAX_RANK)
    return LOWER_OPAQUE;
  uint32_t rank = node_of(l, x)->rank;
  for (uint32_t d = 0; d <= rank; d++)
    dims[d] = d <= dim ? node_of(l, x)->dims[d] : d == dim + 1 ? 1 : node_of(l, x)->dims[d - 1];
  x = make_reshape(l, x, rank + 1, dims);
  dims[dim + 1] = times;
  return done(l, make_reshape(l, make_broadcast(l, x, rank + 1, dims), t->rank, t->dims));
}

/* ---- dimensions cut, put in another order and put together.  [.., c, h, w] */
/* The last dimensions as `apart`, in the order `perm`, as the result. */
static LowerResult shuffled(Lower *l, NodeId x, uint32_t last, const int64_t *apart, const int64_t *perm, uint32_t n) {
  const TorchType *t = &l->node->outs[0];
  int64_t dims[TORCH_MAX_RANK + 8], order[TORCH_MAX_RANK + 8];
  if (x == NO_NODE || node_of(l, x)->rank < last || node_of(l, x)->rank > TORCH_MAX_RANK) return LOWER_OPAQUE;
  uint32_t lead = node_of(l, x)->rank - last;
  memcpy(dims, node_of(l, x)->dims, lead * sizeof *dims);
  for (uint32_t d = 0; d < lead; d++) order[d] = d;
  for (uint32_t k = 0; k < n; k++) dims[lead + k] = apart[k], order[lead + k] = lead + perm[k];
  return done(l, make_reshape(l, make_transpose(l, make_reshape(l, x, lead + n, dims), order), t->rank, t->dims));
}

/* "channel": (g, c) as (c, g); "up": (c, r, r) x h x w as c x (h, r) x (w, r); "down": back. */
LowerResult lower_shuffle(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t r;
  if (x == NO_NODE || !arg_int(l->arg[1], 0, &r) || r < 1) return LOWER_OPAQUE;
  const Node in = *node_of(l, x);
  if (*l->text == 'c') {
    if (in.rank < 3 || in.dims[1] % r) return LOWER_OPAQUE;
    int64_t dims[TORCH_MAX_RANK + 1] = {in.dims[0], r, in.dims[1] / r}, perm[TORCH_MAX_RANK + 1] = {0, 2, 1};
    for (uint32_t d = 2; d < in.rank && in.rank < TORCH_MAX_RANK; d++) dims[d + 1] = in.dims[d], perm[d + 1] = d + 1;
    x = make_transpose(l, make_reshape(l, x, in.rank + 1u, dims), perm);
    return done(l, make_reshape(l, x, in.rank, in.dims));
  }
  if (in.rank < 3) return LOWER_OPAQUE;
  int64_t c = in.dims[in.rank - 3], h = in.dims[in.rank - 2], w = in.dims[in.rank - 1];
  if (*l->text == 'u')
    return c % (r * r) ? LOWER_OPAQUE
                       : shuffled(l, x, 3, (int64_t[]){c / r / r, r, r, h, w}, (int64_t[]){0, 3, 1, 4, 2}, 5);
  return h % r || w % r ? LOWER_OPAQUE
                        : shuffled(l, x, 3, (int64_t[]){c, h / r, r, w / r, r}, (int64_t[]){0, 2, 4, 1, 3}, 5);
}

/* ---- diagonals: of two dimensions, which stand last then */
static NodeId last_two(Lower *l, NodeId x, uint32_t a, uint32_t b) {
  if (x == NO_NODE || a == b) return NO_NODE;
  uint32_t end = node_of(l, x)->rank - 1u;
  x = make_moved(l, x, a, end);
  return make_moved(l, x, b > a ? b - 1 : b, end);
}

/* self offset dim1 dim2; "trace" sums it, "embed" puts the last dimension there, "scatter" writes it (behind self). */
LowerResult lower_diagonal(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  bool embed = *l->text == 'e', write = *l->text == 's';
  NodeId x = arg_tensor(l, l->arg[0]), u = write ? arg_tensor(l, l->arg[1]) : NO_NODE;
  uint32_t first = write ? 2 : 1, a, b, rank = x == NO_NODE ? 0 : embed ? t->rank : node_of(l, x)->rank;
  int64_t offset, over;
  if (rank < 2 || !arg_int(l->arg[first], 0, &offset) || !arg_dim(l->arg[first + 1], embed ? -2 : 0, rank, &a) ||
      !arg_dim(l->arg[first + 2], embed ? -1 : 1, rank, &b) || a == b)
    return LOWER_OPAQUE;
  Attr at = attr_int("offset", offset);
  if (embed || write) {
    int64_t dims[TORCH_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t d = 0; d < rank; d++)
      if (d != a && d != b) dims[n++] = t->dims[d];
    dims[n] = t->dims[a], dims[n + 1] = t->dims[b];
    NodeId v[] = {embed ? x : make_convert(l, u, t->dtype), embed ? NO_NODE : last_two(l, x, a, b)};
    x = make(l, embed ? "diagonal_matrix" : "put_diagonal", t->dtype, rank, dims, v, embed ? 1 : 2, &at, 1);
    uint32_t low = a < b ? a : b, high = a < b ? b : a; /* dimensions a and b go back to their places */
    x = make_moved(l, x, rank - (a < b ? 2 : 1), low);
    return done(l, make_moved(l, x, rank - 1, high));
  }
  x = last_two(l, x, a, b);
  if (x == NO_NODE) return LOWER_OPAQUE;
  const Node in = *node_of(l, x);
  int64_t dims[TORCH_MAX_RANK], rows = in.dims[rank - 2] + (offset < 0 ? offset : 0);
  int64_t columns = in.dims[rank - 1] - (offset > 0 ? offset : 0), n = rows < columns ? rows : columns;
  memcpy(dims, in.dims, rank * sizeof *dims);
  dims[rank - 2] = n < 0 ? 0 : n;
  x = make(l, "diagonal", in.dtype, rank - 1, dims, &x, 1, &at, 1);
  if (*l->text != 't' || x == NO_NODE) return done(l, x);
  over = rank - 2;
  return done(l, make_reduce(l, "reduce_sum", t->dtype, make_convert(l, x, t->dtype), &over, 1, NULL, 0));
}

/* A vector as the diagonal of a matrix, or that of a matrix. */
LowerResult lower_diag(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  if (x == NO_NODE) return LOWER_OPAQUE;
  l->text = node_of(l, x)->rank == 1 ? "embed" : "";
  return lower_diagonal(l);
}

/* self dimension size step: windows of a dimension, the place in the window last. */
LowerResult lower_unfold(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  uint32_t dim;
  int64_t size, step;
  if (x == NO_NODE || !node_of(l, x)->rank || !arg_dim(l->arg[1], 0, node_of(l, x)->rank, &dim) ||
      !arg_int(l->arg[2], 0, &size) || !arg_int(l->arg[3], 0, &step) || size < 1 || step < 1)
    return LOWER_OPAQUE;
  const TorchType *t = &l->node->outs[0];
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d + 1 < t->rank; d++)
    if (d != dim) dims[n++] = t->dims[d];
  dims[n] = t->dims[dim], dims[n + 1] = t->dims[t->rank - 1];
  x = make_moved(l, x, dim, node_of(l, x)->rank - 1u);
  Attr a[] = {attr_int("size", size), attr_int("step", step)};
  x = make(l, "windows", t->dtype, t->rank, dims, &x, 1, a, 2);
  return done(l, make_moved(l, x, n, dim));
}

/* ---- padding.  Amounts stand last dimension first: before, after.  The text, or the argument `mode`, says with what
 */
static const char *pad_mode(const Lower *l) {
  const TorchArg *mode = arg_named(l, "mode");
  const char *name = *l->text ? l->text : !mode ? "constant" : mode->kind == TA_STRING ? sym_text(mode->s) : "";
  return !strcmp(name, "replicate") ? "edge" : !strcmp(name, "circular") ? "wrap" : name;
}

LowerResult lower_pad_by(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  int64_t pad[2 * TORCH_MAX_RANK];
  const char *mode = pad_mode(l);
  uint32_t n;
  if (!strcmp(mode, "constant")) return lower_pad(l);
  if (x == NO_NODE || !arg_ints(l->arg[1], pad, 2 * t->rank, &n) || n % 2) return LOWER_OPAQUE;
  for (uint32_t k = 0; 2 * k < n; k++)
    x = along_padded(make_composer(l), &l->arena, x, mode, t->rank - 1u - k, pad[2 * k], pad[2 * k + 1]);
  return done(l, x);
}

/* grad_output self padding: what stands for an element of self adds up. */
LowerResult lower_pad_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  int64_t pad[2 * TORCH_MAX_RANK];
  uint32_t n;
  if (g == NO_NODE || node_of(l, g)->rank != t->rank || !arg_ints(l->arg[2], pad, 2 * t->rank, &n) || n % 2)
    return LOWER_OPAQUE;
  for (uint32_t k = 0; 2 * k < n; k++) {
    uint32_t dim = t->rank - 1u - k;
    g = along_unpadded(make_composer(l), &l->arena, g, l->text, dim, t->dims[dim], pad[2 * k], pad[2 * k + 1]);
  }
  return done(l, g);
}

/* ---- resizing the last dimensions: "nearest", "exact" or "linear"; a scale that is given must be that of the sizes */
static bool plain_scale(Rat scale, int64_t n, int64_t m) { return scale == rat_frac(m, n); }

LowerResult lower_upsample(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  const TorchArg *factors = arg_named(l, "scale_factors");
  bool corners = false, linear = *l->text == 'l';
  if (x == NO_NODE || t->rank < 3 || node_of(l, x)->rank != t->rank) return LOWER_OPAQUE;
  if (linear && !arg_bool(arg_named(l, "align_corners"), false, &corners)) return LOWER_OPAQUE;
  static const char *const names[] = {"scales_d", "scales_h", "scales_w"};
  AlongResize how = {corners ? "align_corners" : *l->text == 'n' ? "asymmetric" : "half_pixel", "floor", linear};
  if (*l->text == 'e') how.nearest = "round_prefer_ceil";
  uint32_t n = t->rank - 2u;
  if (n > 3 || (factors && (factors->kind != TA_LIST || factors->n != n))) return LOWER_OPAQUE;
  for (uint32_t k = 0; k < n && x != NO_NODE; k++) {
    int64_t before = node_of(l, x)->dims[k + 2], after = t->dims[k + 2];
    const TorchArg *own = factors ? &factors->list[k] : arg_named(l, n == 1 ? "scales" : names[k + 3 - n]);
    if (before < 1 || after < 1 || before > ALONG_MAX || after > ALONG_MAX) return LOWER_OPAQUE;
    if (own && (own->ranks || (!corners && !plain_scale(own->r, before, after)))) return LOWER_OPAQUE;
    if (before != after) x = along_resized(make_composer(l), &l->arena, &how, x, k + 2, after, rat_frac(after, before));
  }
  return done(l, x);
}
