/* Along: see along.h.  Places are computed exactly; repeating every element n times is a broadcast. */
#include "frontends/base/along.h"

#include <string.h>

/* x[.., places[i], ..] along a dimension. */
static NodeId along_taken(Composer *c, Arena *a, NodeId x, uint32_t dim, const int64_t *places, int64_t n) {
  if (x == NO_NODE) return NO_NODE;
  const Node in = *compose_node(c, x);
  int64_t dims[COMPOSE_MAX_RANK], apart[COMPOSE_MAX_RANK], along = dim, m = in.dims[dim], f = m ? n / m : 0;
  memcpy(dims, in.dims, in.rank * sizeof *dims);
  bool same = n == m, repeats = f > 0 && f * m == n && in.rank < COMPOSE_MAX_RANK;
  for (int64_t k = 0; k < n; k++) same &= places[k] == k, repeats = repeats && places[k] == k / f;
  if (same) return x;
  dims[dim] = n;
  if (repeats) {
    for (uint32_t d = 0; d <= in.rank; d++) apart[d] = d <= dim ? in.dims[d] : d == dim + 1 ? 1 : in.dims[d - 1];
    x = compose_reshape(c, x, in.rank + 1u, apart);
    apart[dim + 1] = f;
    return compose_reshape(c, compose_broadcast(c, x, in.rank + 1u, apart), in.rank, dims);
  }
  Rat *table = ARENA_ARRAY(a, Rat, n + 1);
  for (int64_t k = 0; k < n; k++) table[k] = rat_int(places[k]);
  Attr attrs[] = {attr_list("first", &along, 1), attr_list("index_dims", &along, 1)};
  NodeId args[] = {x, compose_table(c, DT_S64, 1, &n, table)};
  return args[1] == NO_NODE ? NO_NODE : compose(c, "take_1", in.dtype, in.rank, dims, args, 2, attrs, 2);
}

/* ---- padding: reflect, edge, wrap */
static int64_t mirrored(int64_t at, int64_t n) {
  if (n == 1) return 0;
  int64_t period = 2 * (n - 1);
  at = (at % period + period) % period;
  return at < n ? at : period - at;
}

/* Where each of `*size` elements comes from; NULL: it is not known. */
static int64_t *pad_places(Arena *a, const char *mode, int64_t n, int64_t low, int64_t high, int64_t *all) {
  int64_t size;
  bool reflect = !strcmp(mode, "reflect"), edge = !strcmp(mode, "edge"), wrap = !strcmp(mode, "wrap");
  if (!reflect && !edge && !wrap) return NULL;
  if (n < 1 || n > ALONG_MAX || low < -n || high < -n || low > ALONG_MAX || high > ALONG_MAX) return NULL;
  *all = size = n + low + high;
  if (size < 0 || (low < 0 && high > 0) || (low > 0 && high < 0)) return NULL; /* is what is cut off repeated? */
  int64_t *places = ARENA_ARRAY(a, int64_t, size + 1);
  for (int64_t k = 0; k < size; k++) {
    int64_t at = k - low;
    places[k] = reflect ? mirrored(at, n) : edge ? (at < 0 ? 0 : at >= n ? n - 1 : at) : (at % n + n) % n;
  }
  return places;
}

NodeId along_padded(Composer *c, Arena *a, NodeId x, const char *mode, uint32_t dim, int64_t low, int64_t high) {
  if (x == NO_NODE) return NO_NODE;
  int64_t size, *places = pad_places(a, mode, compose_node(c, x)->dims[dim], low, high, &size);
  return places ? along_taken(c, a, x, dim, places, size) : NO_NODE;
}

NodeId along_unpadded(Composer *c, Arena *a, NodeId g, const char *mode, uint32_t dim, int64_t n, int64_t low,
                      int64_t high) {
  if (g == NO_NODE) return NO_NODE;
  const Node in = *compose_node(c, g);
  int64_t size, dims[COMPOSE_MAX_RANK], along = dim, *places = pad_places(a, mode, n, low, high, &size);
  if (!places || size != in.dims[dim]) return NO_NODE;
  if (!low && !high) return g;
  memcpy(dims, in.dims, in.rank * sizeof *dims);
  dims[dim] = n;
  Rat *table = ARENA_ARRAY(a, Rat, size + 1);
  for (int64_t k = 0; k < size; k++) table[k] = rat_int(places[k]);
  Attr attrs[] = {attr_list("first", &along, 1), attr_list("index_dims", &along, 1)};
  NodeId args[] = {compose_splat(c, in.dtype, in.rank, dims, RAT_0), g, compose_table(c, DT_S64, 1, &size, table)};
  return args[2] == NO_NODE ? NO_NODE : compose(c, "add_1", in.dtype, in.rank, dims, args, 3, attrs, 2);
}

/* ---- resizing */
static Rat half(void) { return rat_frac(1, 2); }

/* The position in the operand (of n elements) of element k of the result (of m); false: not known how. */
static bool position(const AlongResize *r, int64_t k, int64_t n, int64_t m, Rat scale, Rat *out) {
  Rat x = rat_int(k);
  if (!strcmp(r->at, "asymmetric")) *out = rat_div(x, scale);
  else if (!strcmp(r->at, "align_corners")) *out = m > 1 ? rat_div(rat_mul(x, rat_int(n - 1)), rat_int(m - 1)) : RAT_0;
  else if (!strcmp(r->at, "pytorch_half_pixel") && m == 1) *out = RAT_0;
  else if (!strcmp(r->at, "half_pixel") || !strcmp(r->at, "pytorch_half_pixel"))
    *out = rat_sub(rat_div(rat_add(x, half()), scale), half());
  else return false;
  return rat_is_finite(*out);
}

static bool rounded(const AlongResize *r, Rat x, int64_t n, int64_t *out) {
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

static NodeId resized_nearest(Composer *c, Arena *a, const AlongResize *r, NodeId x, uint32_t dim, int64_t m,
                              Rat scale) {
  int64_t n = compose_node(c, x)->dims[dim], *places = ARENA_ARRAY(a, int64_t, m + 1);
  for (int64_t k = 0; k < m; k++) {
    Rat at;
    if (!position(r, k, n, m, scale, &at) || !rounded(r, at, n, &places[k])) return NO_NODE;
  }
  return along_taken(c, a, x, dim, places, m);
}

/* A product with a table of weights, whose rows have two neighbours at most. */
static NodeId resized_linear(Composer *c, Arena *a, const AlongResize *r, NodeId x, uint32_t dim, int64_t m,
                             Rat scale) {
  const Node in = *compose_node(c, x);
  int64_t n = in.dims[dim], perm[COMPOSE_MAX_RANK];
  if (n * m > ALONG_MAX) return NO_NODE;
  Rat *w = ARENA_ARRAY(a, Rat, n * m + 1);
  for (int64_t k = 0; k < n * m; k++) w[k] = RAT_0;
  for (int64_t k = 0; k < m; k++) {
    Rat at, share;
    int64_t low;
    if (!position(r, k, n, m, scale, &at) || !rat_to_int(rat_floor(at), &low)) return NO_NODE;
    share = rat_sub(at, rat_int(low));
    int64_t i = low < 0 ? 0 : low >= n ? n - 1 : low, j = low + 1 < 0 ? 0 : low + 1 >= n ? n - 1 : low + 1;
    w[i * m + k] = rat_add(w[i * m + k], rat_sub(RAT_1, share));
    w[j * m + k] = rat_add(w[j * m + k], share);
  }
  NodeId table = compose_table(c, in.dtype, 2, (int64_t[]){n, m}, w);
  NodeId y = compose_dot(c, x, table, 0, dim, 0);
  for (uint32_t d = 0; d < in.rank; d++) perm[d] = d < dim ? d : d == dim ? in.rank - 1u : d - 1;
  return compose_transpose(c, y, perm);
}

NodeId along_resized(Composer *c, Arena *a, const AlongResize *r, NodeId x, uint32_t dim, int64_t m, Rat scale) {
  return x == NO_NODE ? NO_NODE : (r->linear ? resized_linear : resized_nearest)(c, a, r, x, dim, m, scale);
}
