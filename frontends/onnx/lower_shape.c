/* Operators that move values, and those about shapes. */
#include <string.h>

#include "frontends/base/along.h"
#include "frontends/onnx/lower.h"

OnnxResult onnx_reshape(OnnxLower *l) {
  const Node *n = onnx_node(l, onnx_in(l, 0));
  int64_t dims[COMPOSE_MAX_RANK], allow_zero, known = 1, all = node_elements(n);
  uint32_t rank, open = UINT32_MAX;
  if (!onnx_attr_int(l, 0, 0, &allow_zero)) return ONNX_OPAQUE;
  if (!onnx_known_ints(l, onnx_in(l, 1), dims, ONNX_MAX_RANK, &rank)) return ONNX_OPAQUE;
  for (uint32_t d = 0; d < rank; d++) {
    if (dims[d] == 0 && !allow_zero) {
      if (d >= n->rank) return ONNX_OPAQUE;
      dims[d] = n->dims[d];
    }
    if (dims[d] == -1 && open == UINT32_MAX) open = d;
    else if (dims[d] < 0 || __builtin_mul_overflow(known, dims[d], &known)) return ONNX_OPAQUE;
  }
  if (open != UINT32_MAX && (!known || all % known)) return ONNX_OPAQUE;
  if (open != UINT32_MAX) dims[open] = all / known;
  return onnx_done(l, compose_reshape(&l->c, onnx_in(l, 0), rank, dims));
}

OnnxResult onnx_flatten(OnnxLower *l) {
  const Node *n = onnx_node(l, onnx_in(l, 0));
  int64_t axis, dims[] = {1, 1};
  if (!onnx_attr_int(l, 0, 1, &axis) || axis < -(int64_t)n->rank || axis > n->rank) return ONNX_OPAQUE;
  if (axis < 0) axis += n->rank;
  for (int d = 0; d < n->rank; d++) dims[d >= axis] *= n->dims[d];
  return onnx_done(l, compose_reshape(&l->c, onnx_in(l, 0), 2, dims));
}

/* Dimensions of a tensor of `rank`, from an operand; as a set. */
static bool axes_of(const OnnxLower *l, NodeId x, uint32_t rank, uint64_t *set) {
  int64_t axes[COMPOSE_MAX_RANK];
  uint32_t n, d;
  *set = 0;
  if (!onnx_known_ints(l, x, axes, ONNX_MAX_RANK, &n)) return false;
  for (uint32_t k = 0; k < n; k++) {
    if (!onnx_dim(axes[k], rank, &d) || *set >> d & 1) return false;
    *set |= UINT64_C(1) << d;
  }
  return true;
}

OnnxResult onnx_squeeze(OnnxLower *l) {
  const Node *n = onnx_node(l, onnx_in(l, 0));
  int64_t dims[COMPOSE_MAX_RANK];
  uint64_t set = 0;
  uint32_t rank = 0;
  bool all = onnx_in(l, 1) == NO_NODE;
  if (!all && !axes_of(l, l->in[1], n->rank, &set)) return ONNX_OPAQUE;
  for (int d = 0; d < n->rank; d++) {
    bool gone = all ? n->dims[d] == 1 : set >> d & 1;
    if (gone && n->dims[d] != 1) return ONNX_OPAQUE;
    if (!gone) dims[rank++] = n->dims[d];
  }
  return onnx_done(l, compose_reshape(&l->c, onnx_in(l, 0), rank, dims));
}

OnnxResult onnx_unsqueeze(OnnxLower *l) {
  const Node *n = onnx_node(l, onnx_in(l, 0));
  int64_t dims[COMPOSE_MAX_RANK], axes[COMPOSE_MAX_RANK];
  uint64_t set;
  uint32_t m, from = 0;
  if (!onnx_known_ints(l, onnx_in(l, 1), axes, ONNX_MAX_RANK, &m) || n->rank + m > ONNX_MAX_RANK ||
      !axes_of(l, onnx_in(l, 1), n->rank + m, &set))
    return ONNX_OPAQUE;
  for (uint32_t d = 0; d < n->rank + m; d++) dims[d] = set >> d & 1 ? 1 : n->dims[from++];
  return onnx_done(l, compose_reshape(&l->c, onnx_in(l, 0), n->rank + m, dims));
}

OnnxResult onnx_transpose(OnnxLower *l) {
  uint32_t rank = onnx_node(l, onnx_in(l, 0))->rank, n = rank;
  int64_t perm[COMPOSE_MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) perm[d] = rank - 1 - d;
  if (onnx_has(l, 0) && (!onnx_attr_ints(l, 0, perm, ONNX_MAX_RANK, &n) || n != rank)) return ONNX_OPAQUE;
  return onnx_done(l, compose_transpose(&l->c, onnx_in(l, 0), perm));
}

OnnxResult onnx_concat(OnnxLower *l) {
  uint32_t dim, rank = onnx_node(l, onnx_in(l, 0))->rank;
  if (!onnx_has(l, 0) || !onnx_attr_dim(l, 0, 0, rank, &dim)) return ONNX_OPAQUE;
  const Node *first = onnx_node(l, l->in[0]);
  for (uint32_t k = 0; k < l->n_in; k++) {
    const Node *n = l->in[k] == NO_NODE ? NULL : onnx_node(l, l->in[k]);
    if (!n || n->rank != rank || n->dtype != first->dtype) return ONNX_OPAQUE;
    for (uint32_t d = 0; d < rank; d++)
      if (d != dim && n->dims[d] != first->dims[d]) return ONNX_OPAQUE;
  }
  return onnx_done(l, compose_concatenate(&l->c, l->in, l->n_in, dim));
}

/* Sizes from an operand, or as equal as they can be, the last one smaller. */
OnnxResult onnx_split(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  uint32_t dim, n = l->n_out;
  int64_t *sizes = ARENA_ARRAY(&l->arena, int64_t, n + 1), count, at = 0;
  if (!onnx_attr_dim(l, 0, 0, onnx_node(l, x)->rank, &dim) || !onnx_attr_int(l, 1, n, &count)) return ONNX_OPAQUE;
  int64_t all = onnx_node(l, x)->dims[dim], each = n ? (all + n - 1) / n : 0;
  if (onnx_in(l, 1) != NO_NODE) {
    if (!onnx_known_ints(l, l->in[1], sizes, l->n_out, &n)) return ONNX_OPAQUE;
  } else {
    if (count != n || !n || (!onnx_has(l, 1) && all % n) || each * (n - 1) > all) return ONNX_OPAQUE;
    for (uint32_t k = 0; k < n; k++) sizes[k] = k + 1 < n ? each : all - each * (n - 1);
  }
  if (n != l->n_out) return ONNX_OPAQUE;
  for (uint32_t k = 0; k < n; k++) {
    if (sizes[k] < 0 || sizes[k] > all - at) return ONNX_OPAQUE;
    l->out[k] = compose_slice(&l->c, x, dim, at, sizes[k], 1);
    at += sizes[k];
  }
  return at == all ? ONNX_DONE : ONNX_OPAQUE;
}

static int64_t within(int64_t v, int64_t lo, int64_t hi) { return v < lo ? lo : v > hi ? hi : v; }

/* axis keepdims; equal pieces, the last one smaller, or of given sizes. */
OnnxResult onnx_split_to_sequence(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  int64_t keep, sizes[COMPOSE_MAX_RANK], each = 1, at = 0;
  uint32_t dim, n = 0;
  if (!onnx_attr_dim(l, 0, 0, onnx_node(l, x)->rank, &dim) || !onnx_attr_int(l, 1, 1, &keep)) return ONNX_OPAQUE;
  const Node in = *onnx_node(l, x);
  bool given = onnx_in(l, 1) != NO_NODE, listed = given && onnx_node(l, l->in[1])->rank == 1;
  if (given && (!onnx_known_ints(l, l->in[1], sizes, COMPOSE_MAX_RANK, &n) || n < 1)) return ONNX_OPAQUE;
  if (given && !listed) each = sizes[0];
  int64_t count = listed ? n : each < 1 ? -1 : (in.dims[dim] + each - 1) / each;
  if (count < 0 || count > ONNX_MAX_OUTPUTS || l->n_out != 1) return ONNX_OPAQUE;
  OnnxList out = {ARENA_ARRAY(&l->arena, NodeId, count), (uint32_t)count};
  for (uint32_t k = 0; k < out.n; k++) {
    int64_t size = listed ? sizes[k] : within(each, 0, in.dims[dim] - at);
    if (size < 0 || size > in.dims[dim] - at) return ONNX_OPAQUE;
    NodeId y = compose_slice(&l->c, x, dim, at, size, 1);
    if (!given && !keep) { /* pieces of one, without the dimension */
      int64_t dims[COMPOSE_MAX_RANK];
      uint32_t m = 0;
      for (uint32_t d = 0; d < in.rank; d++)
        if (d != dim) dims[m++] = in.dims[d];
      y = compose_reshape(&l->c, y, m, dims);
    }
    if ((out.at[k] = y) == NO_NODE) return ONNX_OPAQUE;
    at += size;
  }
  if (at != in.dims[dim]) return ONNX_OPAQUE;
  vec_push(&l->lists, out);
  l->out[0] = ONNX_LIST + (NodeId)l->lists.len - 1;
  return ONNX_DONE;
}

OnnxResult onnx_sequence_at(OnnxLower *l) {
  int64_t at;
  uint32_t n;
  if (!onnx_is_list(l->in[0]) || onnx_is_list(l->in[1]) || !onnx_known_ints(l, l->in[1], &at, 1, &n) || n != 1)
    return onnx_lower_error(l, E_UNSUPPORTED, "the sequence or the position is not known"), ONNX_FAILED;
  const OnnxList *list = &l->lists.at[l->in[0] - ONNX_LIST];
  at += at < 0 ? list->n : 0;
  if (at < 0 || at >= list->n) return onnx_lower_error(l, E_SHAPE, "there is no element %lld", (long long)at), ONNX_FAILED;
  return onnx_done(l, list->at[at]);
}

static NodeId reversed(OnnxLower *l, NodeId x, int64_t dim) {
  if (x == NO_NODE) return NO_NODE;
  const Node *n = onnx_node(l, x);
  Attr a = attr_list("dimensions", &dim, 1);
  return compose(&l->c, "reverse", n->dtype, n->rank, n->dims, &x, 1, &a, 1);
}

/* One dimension of Slice; a negative step runs backwards. */
static NodeId sliced(OnnxLower *l, NodeId x, uint32_t dim, int64_t start, int64_t end, int64_t step) {
  if (x == NO_NODE || !step || step == INT64_MIN) return NO_NODE;
  int64_t n = onnx_node(l, x)->dims[dim];
  start += start < 0 ? n : 0;
  end += end < 0 ? n : 0;
  if (step > 0) {
    start = within(start, 0, n), end = within(end, start, n);
    if (step > n) step = n ? n : 1; /* one element at most */
    return compose_slice(&l->c, x, dim, start, (end - start + step - 1) / step, step);
  }
  start = within(start, -1, n - 1), end = within(end, -1, start);
  step = -step > n ? (n ? n : 1) : -step;
  int64_t size = (start - end + step - 1) / step;
  if (!size) return compose_slice(&l->c, x, dim, 0, 0, 1);
  return reversed(l, compose_slice(&l->c, x, dim, start - (size - 1) * step, size, step), dim);
}

OnnxResult onnx_slice(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  int64_t starts[ONNX_MAX_RANK], ends[ONNX_MAX_RANK], axes[ONNX_MAX_RANK], steps[ONNX_MAX_RANK];
  uint32_t rank = onnx_node(l, x)->rank, n, m = 0, dim;
  uint64_t seen = 0;
  if (!onnx_known_ints(l, onnx_in(l, 1), starts, ONNX_MAX_RANK, &n)) return ONNX_OPAQUE;
  if (!onnx_known_ints(l, onnx_in(l, 2), ends, ONNX_MAX_RANK, &m) || m != n) return ONNX_OPAQUE;
  for (uint32_t k = 0; k < n; k++) axes[k] = k, steps[k] = 1;
  if (onnx_in(l, 3) != NO_NODE && (!onnx_known_ints(l, l->in[3], axes, ONNX_MAX_RANK, &m) || m != n)) return ONNX_OPAQUE;
  if (onnx_in(l, 4) != NO_NODE && (!onnx_known_ints(l, l->in[4], steps, ONNX_MAX_RANK, &m) || m != n))
    return ONNX_OPAQUE;
  for (uint32_t k = 0; k < n; k++) {
    if (!onnx_dim(axes[k], rank, &dim) || seen >> dim & 1) return ONNX_OPAQUE;
    seen |= UINT64_C(1) << dim;
    x = sliced(l, x, dim, starts[k], ends[k], steps[k]);
  }
  return onnx_done(l, x);
}

/* x[.., ids, ..]: the dimensions of the indices stand in the place of the one that they index. */
OnnxResult onnx_gather(OnnxLower *l) {
  NodeId x = onnx_in(l, 0), ids = onnx_in(l, 1);
  const Node *n = onnx_node(l, x), *i = onnx_node(l, ids);
  int64_t dims[2 * COMPOSE_MAX_RANK], places[COMPOSE_MAX_RANK], only;
  uint32_t dim, at = 0, one;
  if (!onnx_attr_dim(l, 0, 0, n->rank, &dim) || n->rank + i->rank > ONNX_MAX_RANK) return ONNX_OPAQUE;
  if (i->rank == 0 && onnx_known_ints(l, ids, &only, 1, &one)) {
    only += only < 0 ? n->dims[dim] : 0;
    for (uint32_t d = 0; d < n->rank; d++)
      if (d != dim) dims[at++] = n->dims[d];
    return onnx_done(l, compose_reshape(&l->c, compose_slice(&l->c, x, dim, only, 1, 1), at, dims));
  }
  for (uint32_t d = 0; d < i->rank; d++) places[d] = dim + d;
  for (uint32_t d = 0; d < n->rank; d++) {
    if (d != dim) dims[at++] = n->dims[d];
    for (uint32_t k = 0; d == dim && k < i->rank; k++) dims[at++] = i->dims[k];
  }
  int64_t first = dim;
  Attr a[] = {attr_list("first", &first, 1), attr_list("index_dims", places, i->rank)};
  return onnx_done(l, compose(&l->c, "take_1", n->dtype, at, dims, l->in, 2, a, 2));
}

OnnxResult onnx_gather_elements(OnnxLower *l) {
  const Node *n = onnx_node(l, onnx_in(l, 0)), *i = onnx_node(l, onnx_in(l, 1));
  uint32_t dim;
  if (!onnx_attr_dim(l, 0, 0, n->rank, &dim) || i->rank != n->rank) return ONNX_OPAQUE;
  for (uint32_t d = 0; d < n->rank; d++)
    if (d != dim && i->dims[d] != n->dims[d]) return ONNX_OPAQUE;
  int64_t along = dim;
  Attr a = attr_list("dimensions", &along, 1);
  return onnx_done(l, compose(&l->c, "gather_elements", n->dtype, i->rank, i->dims, l->in, 2, &a, 1));
}

OnnxResult onnx_expand(OnnxLower *l) {
  const Node *n = onnx_node(l, onnx_in(l, 0));
  int64_t want[COMPOSE_MAX_RANK], dims[COMPOSE_MAX_RANK];
  uint32_t m, rank;
  if (!onnx_known_ints(l, onnx_in(l, 1), want, ONNX_MAX_RANK, &m)) return ONNX_OPAQUE;
  rank = m > n->rank ? m : n->rank;
  for (uint32_t d = 0; d < rank; d++) {
    int64_t have = d + n->rank >= rank ? n->dims[d + n->rank - rank] : 1, to = d + m >= rank ? want[d + m - rank] : 1;
    if (have != to && have != 1 && to != 1) return ONNX_OPAQUE;
    dims[d] = have == 1 ? to : have;
  }
  return onnx_done(l, compose_broadcast(&l->c, onnx_in(l, 0), rank, dims));
}

/* Copies one after the other: a dimension of its own before each, merged with it. */
OnnxResult onnx_tile(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  uint32_t rank = onnx_node(l, x)->rank, m;
  int64_t repeats[ONNX_MAX_RANK], dims[COMPOSE_MAX_RANK], apart[COMPOSE_MAX_RANK], whole[COMPOSE_MAX_RANK];
  if (!onnx_known_ints(l, onnx_in(l, 1), repeats, ONNX_MAX_RANK, &m) || m != rank || 2 * rank > COMPOSE_MAX_RANK)
    return ONNX_OPAQUE;
  for (uint32_t d = 0; d < rank; d++) {
    int64_t size = onnx_node(l, x)->dims[d];
    if (repeats[d] < 0 || __builtin_mul_overflow(size, repeats[d], &whole[d])) return ONNX_OPAQUE;
    apart[2 * d] = 1, apart[2 * d + 1] = size;
    dims[2 * d] = repeats[d], dims[2 * d + 1] = size;
  }
  x = compose_broadcast(&l->c, compose_reshape(&l->c, x, 2 * rank, apart), 2 * rank, dims);
  return onnx_done(l, compose_reshape(&l->c, x, rank, whole));
}

OnnxResult onnx_pad(OnnxLower *l) {
  NodeId x = onnx_in(l, 0), value = onnx_in(l, 2);
  const Node *n = onnx_node(l, x);
  int64_t pads[2 * ONNX_MAX_RANK], axes[ONNX_MAX_RANK], low[ONNX_MAX_RANK] = {0}, high[ONNX_MAX_RANK] = {0};
  uint32_t m, k = n->rank, d;
  const char *mode;
  if (!onnx_attr_word(l, 0, "constant", &mode)) return ONNX_OPAQUE;
  for (uint32_t i = 0; i < n->rank; i++) axes[i] = i;
  if (onnx_in(l, 3) != NO_NODE && !onnx_known_ints(l, l->in[3], axes, ONNX_MAX_RANK, &k)) return ONNX_OPAQUE;
  if (!onnx_known_ints(l, onnx_in(l, 1), pads, 2 * ONNX_MAX_RANK, &m) || m != 2 * k) return ONNX_OPAQUE;
  for (uint32_t i = 0; i < k; i++) {
    if (!onnx_dim(axes[i], n->rank, &d)) return ONNX_OPAQUE;
    low[d] = pads[i], high[d] = pads[k + i];
  }
  if (strcmp(mode, "constant")) {
    for (d = 0; d < onnx_node(l, l->in[0])->rank && x != NO_NODE; d++)
      if (low[d] || high[d]) x = along_padded(&l->c, &l->arena, x, mode, d, low[d], high[d]);
    return onnx_done(l, x);
  }
  value = value == NO_NODE ? compose_splat(&l->c, n->dtype, 0, NULL, RAT_0) : compose_reshape(&l->c, value, 0, NULL);
  return onnx_done(l, compose_pad(&l->c, x, value, low, high));
}

/* ---- about shapes */
OnnxResult onnx_shape(OnnxLower *l) {
  const Node *n = onnx_node(l, onnx_in(l, 0));
  int64_t start, end;
  if (!onnx_attr_int(l, 0, 0, &start) || !onnx_attr_int(l, 1, n->rank, &end)) return ONNX_OPAQUE;
  start = within(start < 0 ? start + n->rank : start, 0, n->rank);
  end = within(end < 0 ? end + n->rank : end, start, n->rank);
  return onnx_done(l, onnx_ints(l, n->dims + start, (uint32_t)(end - start)));
}

OnnxResult onnx_size(OnnxLower *l) {
  return onnx_done(l, compose_splat(&l->c, DT_S64, 0, NULL, rat_int(node_elements(onnx_node(l, onnx_in(l, 0))))));
}

/* value, value_float, value_floats, value_int, value_ints: one of them. */
OnnxResult onnx_value(OnnxLower *l) {
  Sym name = l->scope->function ? 0 : l->scope->body->names[l->node->out[0]];
  const OnnxAttr *a = l->attr;
  if (a[0].kind == ONNX_TENSOR) {
    NodeId x = name ? onnx_initialiser(l, a[0].t, name) : onnx_constant(l, a[0].t);
    l->out[0] = x;
    return x == NO_NODE ? ONNX_FAILED : ONNX_DONE;
  }
  if (a[1].kind == ONNX_FLOAT) return onnx_done(l, onnx_scalar(l, a[1].f));
  if (a[3].kind == ONNX_INT) return onnx_done(l, compose_splat(&l->c, DT_S64, 0, NULL, rat_int(a[3].i)));
  if (a[4].kind == ONNX_INTS) return onnx_done(l, onnx_ints(l, a[4].ints, a[4].n));
  if (a[2].kind != ONNX_FLOATS) return ONNX_OPAQUE;
  Rat *v = ARENA_ARRAY(&l->arena, Rat, a[2].n);
  int64_t n = a[2].n;
  for (int64_t k = 0; k < n; k++) v[k] = rat_from_double(a[2].floats[k]);
  return onnx_done(l, compose_table(&l->c, DT_F32, 1, &n, v));
}

OnnxResult onnx_constant_of_shape(OnnxLower *l) {
  int64_t dims[COMPOSE_MAX_RANK];
  uint32_t rank;
  if (!onnx_known_ints(l, onnx_in(l, 0), dims, ONNX_MAX_RANK, &rank)) return ONNX_OPAQUE;
  if (!onnx_has(l, 0)) return onnx_done(l, compose_splat(&l->c, DT_F32, rank, dims, RAT_0));
  const OnnxTensor *t = l->attr[0].kind == ONNX_TENSOR ? l->attr[0].t : NULL;
  if (!t || t->n != 1 || t->dtype == DT_OPAQUE) return ONNX_OPAQUE;
  return onnx_done(l, compose_splat(&l->c, t->dtype, rank, dims, onnx_tensor_rat(t, 0)));
}

OnnxResult onnx_range(OnnxLower *l) {
  Rat start, limit, step;
  if (!onnx_known(l, onnx_in(l, 0), &start) || !onnx_known(l, onnx_in(l, 1), &limit) ||
      !onnx_known(l, onnx_in(l, 2), &step) || !rat_is_finite(start) || !rat_is_finite(limit) || !rat_is_finite(step) ||
      !rat_sign(step))
    return ONNX_OPAQUE;
  int64_t n;
  if (!rat_to_int(rat_ceil(rat_div(rat_sub(limit, start), step)), &n)) return ONNX_OPAQUE;
  n = n < 0 ? 0 : n;
  return onnx_done(l, compose(&l->c, "arange", onnx_node(l, l->in[0])->dtype, 1, &n,
                              (NodeId[]){compose_reshape(&l->c, l->in[0], 0, NULL),
                                         compose_reshape(&l->c, l->in[2], 0, NULL)}, 2, NULL, 0));
}

OnnxResult onnx_trilu(OnnxLower *l) {
  int64_t upper;
  NodeId x = onnx_in(l, 0), k = onnx_in(l, 1);
  if (!onnx_attr_int(l, 0, 1, &upper) || onnx_node(l, x)->rank < 2) return ONNX_OPAQUE;
  k = k == NO_NODE ? compose_splat(&l->c, DT_S64, 0, NULL, RAT_0) : compose_reshape(&l->c, k, 0, NULL);
  const Node *n = onnx_node(l, x);
  return onnx_done(l, compose(&l->c, upper ? "upper_triangle" : "lower_triangle", n->dtype, n->rank, n->dims,
                              (NodeId[]){x, k}, 2, NULL, 0));
}

/* Blocks of channels as blocks of space, or the reverse: digits of one dimension become digits of others. */
OnnxResult onnx_depth_space(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  const Node *n = onnx_node(l, x);
  int64_t s;
  const char *mode;
  if (n->rank != 4 || !onnx_attr_int(l, 0, 0, &s) || s < 1 || s > INT32_MAX || !onnx_attr_word(l, 1, "DCR", &mode))
    return ONNX_OPAQUE;
  int64_t b = n->dims[0], c = n->dims[1], h = n->dims[2], w = n->dims[3];
  if (*l->text == 's') {
    if (h % s || w % s) return ONNX_OPAQUE;
    x = compose_reshape(&l->c, x, 6, (int64_t[]){b, c, h / s, s, w / s, s});
    x = compose_transpose(&l->c, x, (int64_t[]){0, 3, 5, 1, 2, 4});
    return onnx_done(l, compose_reshape(&l->c, x, 4, (int64_t[]){b, c * s * s, h / s, w / s}));
  }
  bool crd = !strcmp(mode, "CRD");
  if (c % (s * s) || (!crd && strcmp(mode, "DCR"))) return ONNX_OPAQUE;
  c /= s * s;
  x = crd ? compose_reshape(&l->c, x, 6, (int64_t[]){b, c, s, s, h, w})
          : compose_reshape(&l->c, x, 6, (int64_t[]){b, s, s, c, h, w});
  x = compose_transpose(&l->c, x, crd ? (int64_t[]){0, 1, 4, 2, 5, 3} : (int64_t[]){0, 3, 4, 1, 5, 2});
  return onnx_done(l, compose_reshape(&l->c, x, 4, (int64_t[]){b, c, h * s, w * s}));
}
