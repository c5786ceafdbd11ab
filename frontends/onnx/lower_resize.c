/* Positions that are known: resizing, and padding with values of the tensor itself.
 *
 * Along one dimension, an element of the result is one of the operand (a table of places), or a mean of some (a table
 * of weights).  Places are computed exactly; repeating every element n times is a broadcast. */
#include <string.h>

#include "frontends/onnx/lower.h"

enum { MAX_ALONG = 65536 };

/* x[.., places[i], ..] along a dimension. */
static NodeId taken(OnnxLower *l, NodeId x, uint32_t dim, const int64_t *places, int64_t n) {
  if (x == NO_NODE) return NO_NODE;
  const Node in = *onnx_node(l, x);
  int64_t dims[COMPOSE_MAX_RANK], apart[COMPOSE_MAX_RANK], along = dim, m = in.dims[dim], f = m ? n / m : 0;
  memcpy(dims, in.dims, in.rank * sizeof *dims);
  bool same = n == m, repeats = f > 0 && f * m == n && in.rank < ONNX_MAX_RANK;
  for (int64_t k = 0; k < n; k++) same &= places[k] == k, repeats = repeats && places[k] == k / f;
  if (same) return x;
  dims[dim] = n;
  if (repeats) {
    for (uint32_t d = 0; d <= in.rank; d++) apart[d] = d <= dim ? in.dims[d] : d == dim + 1 ? 1 : in.dims[d - 1];
    x = compose_reshape(&l->c, x, in.rank + 1u, apart);
    apart[dim + 1] = f;
    return compose_reshape(&l->c, compose_broadcast(&l->c, x, in.rank + 1u, apart), in.rank, dims);
  }
  Attr a[] = {attr_list("first", &along, 1), attr_list("index_dims", &along, 1)};
  return compose(&l->c, "take_1", in.dtype, in.rank, dims, (NodeId[]){x, onnx_ints(l, places, (uint32_t)n)}, 2, a, 2);
}

/* ---- padding: reflect, edge, wrap */
static int64_t mirrored(int64_t at, int64_t n) {
  if (n == 1) return 0;
  int64_t period = 2 * (n - 1);
  at = (at % period + period) % period;
  return at < n ? at : period - at;
}

NodeId onnx_pad_by(OnnxLower *l, NodeId x, const char *mode, uint32_t dim, int64_t low, int64_t high) {
  if (x == NO_NODE) return NO_NODE;
  int64_t n = onnx_node(l, x)->dims[dim], size;
  bool reflect = !strcmp(mode, "reflect"), edge = !strcmp(mode, "edge"), wrap = !strcmp(mode, "wrap");
  if (!reflect && !edge && !wrap) return NO_NODE;
  if (n < 1 || n > MAX_ALONG || low < -n || high < -n || low > MAX_ALONG || high > MAX_ALONG) return NO_NODE;
  size = n + low + high;
  if (size < 0) return NO_NODE;
  int64_t *places = ARENA_ARRAY(&l->arena, int64_t, size + 1);
  for (int64_t k = 0; k < size; k++) {
    int64_t at = k - low;
    places[k] = reflect ? mirrored(at, n) : edge ? (at < 0 ? 0 : at >= n ? n - 1 : at) : (at % n + n) % n;
  }
  return taken(l, x, dim, places, size);
}

/* ---- resizing */
typedef struct Resize {
  const char *at;      /* how positions correspond */
  const char *nearest; /* how one between two is rounded */
  bool linear;
} Resize;

static Rat half(void) { return rat_frac(1, 2); }

/* The position in the operand (of n elements) of element k of the result (of m); false: not known how. */
static bool position(const Resize *r, int64_t k, int64_t n, int64_t m, Rat scale, Rat *out) {
  Rat x = rat_int(k);
  if (!strcmp(r->at, "asymmetric")) *out = rat_div(x, scale);
  else if (!strcmp(r->at, "align_corners")) *out = m > 1 ? rat_div(rat_mul(x, rat_int(n - 1)), rat_int(m - 1)) : RAT_0;
  else if (!strcmp(r->at, "pytorch_half_pixel") && m == 1) *out = RAT_0;
  else if (!strcmp(r->at, "half_pixel") || !strcmp(r->at, "pytorch_half_pixel"))
    *out = rat_sub(rat_div(rat_add(x, half()), scale), half());
  else return false;
  return rat_is_finite(*out);
}

static bool rounded(const Resize *r, Rat x, int64_t n, int64_t *out) {
  Rat v;
  if (!strcmp(r->nearest, "floor")) v = rat_floor(x);
  else if (!strcmp(r->nearest, "ceil")) v = rat_ceil(x);
  else if (!strcmp(r->nearest, "round_prefer_floor")) v = rat_ceil(rat_sub(x, half()));
  else if (!strcmp(r->nearest, "round_prefer_ceil")) v = rat_floor(rat_add(x, half()));
  else return false;
  if (!rat_to_int(v, out)) return false;
  *out = *out < 0 ? 0 : *out >= n ? n - 1 : *out;
  return true;
}

static NodeId resized_nearest(OnnxLower *l, const Resize *r, NodeId x, uint32_t dim, int64_t m, Rat scale) {
  int64_t n = onnx_node(l, x)->dims[dim], *places = ARENA_ARRAY(&l->arena, int64_t, m + 1);
  for (int64_t k = 0; k < m; k++) {
    Rat at;
    if (!position(r, k, n, m, scale, &at) || !rounded(r, at, n, &places[k])) return NO_NODE;
  }
  return taken(l, x, dim, places, m);
}

/* A product with a table of weights, whose rows have two neighbours at most. */
static NodeId resized_linear(OnnxLower *l, const Resize *r, NodeId x, uint32_t dim, int64_t m, Rat scale) {
  const Node in = *onnx_node(l, x);
  int64_t n = in.dims[dim], perm[COMPOSE_MAX_RANK];
  if (n * m > MAX_ALONG) return NO_NODE;
  Rat *w = ARENA_ARRAY(&l->arena, Rat, n * m + 1);
  for (int64_t k = 0; k < n * m; k++) w[k] = RAT_0;
  for (int64_t k = 0; k < m; k++) {
    Rat at, share;
    int64_t low;
    if (!position(r, k, n, m, scale, &at) || !rat_to_int(rat_floor(at), &low)) return NO_NODE;
    share = rat_sub(at, rat_int(low));
    int64_t a = low < 0 ? 0 : low >= n ? n - 1 : low, b = low + 1 < 0 ? 0 : low + 1 >= n ? n - 1 : low + 1;
    w[a * m + k] = rat_add(w[a * m + k], rat_sub(RAT_1, share));
    w[b * m + k] = rat_add(w[b * m + k], share);
  }
  NodeId table = compose_table(&l->c, in.dtype, 2, (int64_t[]){n, m}, w);
  NodeId y = compose_dot(&l->c, x, table, 0, dim, 0);
  for (uint32_t d = 0; d < in.rank; d++) perm[d] = d < dim ? d : d == dim ? in.rank - 1u : d - 1;
  return compose_transpose(&l->c, y, perm);
}

/* Sizes of the result and scales, by dimension. */
static bool sizes_of(const OnnxLower *l, const Node *in, int64_t *size, Rat *scale) {
  int64_t axes[ONNX_MAX_RANK], given[ONNX_MAX_RANK];
  uint32_t n = in->rank, m = 0, d;
  for (uint32_t k = 0; k < in->rank; k++) axes[k] = k, size[k] = in->dims[k], scale[k] = RAT_1;
  if (onnx_has(l, 3) && !onnx_attr_ints(l, 3, axes, ONNX_MAX_RANK, &n)) return false;
  NodeId scales = onnx_in(l, 2), sizes = onnx_in(l, 3);
  if (scales != NO_NODE && !node_elements(onnx_node(l, scales))) scales = NO_NODE;
  if ((scales == NO_NODE) == (sizes == NO_NODE)) return false;
  if (sizes != NO_NODE && (!onnx_known_ints(l, sizes, given, ONNX_MAX_RANK, &m) || m != n)) return false;
  for (uint32_t k = 0; k < n; k++) {
    if (!onnx_dim(axes[k], in->rank, &d) || !in->dims[d]) return false;
    if (sizes != NO_NODE) {
      size[d] = given[k];
      scale[d] = rat_frac(given[k], in->dims[d]);
    } else if (!onnx_known_at(l, scales, k, &scale[d]) || !rat_is_finite(scale[d]) || rat_sign(scale[d]) <= 0 ||
               !rat_to_int(rat_floor(rat_mul(scale[d], rat_int(in->dims[d]))), &size[d])) {
      return false;
    }
    if (size[d] < 1 || size[d] > MAX_ALONG || in->dims[d] > MAX_ALONG) return false;
  }
  return true;
}

/* mode coordinate_transformation_mode nearest_mode axes, and what is only of use for others. */
OnnxResult onnx_resize(OnnxLower *l) {
  const Node in = *onnx_node(l, l->in[0]);
  const char *mode, *policy;
  int64_t size[COMPOSE_MAX_RANK], antialias, outside;
  Rat scale[COMPOSE_MAX_RANK];
  Resize r;
  if (!onnx_attr_word(l, 0, "nearest", &mode) || !onnx_attr_word(l, 1, "half_pixel", &r.at) ||
      !onnx_attr_word(l, 2, "round_prefer_floor", &r.nearest) || !onnx_attr_int(l, 4, 0, &antialias) || antialias ||
      !onnx_attr_word(l, 5, "stretch", &policy) || strcmp(policy, "stretch") || !onnx_attr_int(l, 6, 0, &outside) ||
      outside || !sizes_of(l, &in, size, scale))
    return ONNX_OPAQUE;
  r.linear = !strcmp(mode, "linear");
  if (!r.linear && strcmp(mode, "nearest")) return ONNX_OPAQUE;
  NodeId x = l->in[0];
  for (uint32_t d = 0; d < in.rank && x != NO_NODE; d++)
    if (scale[d] != RAT_1) x = (r.linear ? resized_linear : resized_nearest)(l, &r, x, d, size[d], scale[d]);
  return onnx_done(l, x);
}
