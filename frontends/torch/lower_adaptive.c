/* Adaptive pooling: as many windows as the result has places, the first elements of which are as far apart as can be.
 *
 * Window i of m over n elements begins at floor(i n / m), and ends before ceil((i + 1) n / m). */
#include <string.h>

#include "frontends/base/along.h"
#include "frontends/torch/lower.h"

enum { MAX_POOLED = 3 };

/* Windows side by side: dimensions from `from` on as (place, position in the window). */
static bool side_by_side(const int64_t *dims, const int64_t *places, uint32_t rank, uint32_t n, int64_t *apart,
                         int64_t *over) {
  uint32_t at = 0, k = 0;
  for (uint32_t d = 0; d < rank; d++) {
    bool own = d + n >= rank;
    if (own && (places[d] < 1 || dims[d] % places[d])) return false;
    apart[at++] = own ? places[d] : dims[d];
    if (own) over[k++] = at, apart[at++] = dims[d] / places[d];
  }
  return true;
}

/* self output_size, where it divides the input's */
static LowerResult mean_side_by_side(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  int64_t apart[2 * TORCH_MAX_RANK], over[TORCH_MAX_RANK];
  uint32_t n = (uint32_t)(*l->text - '0');
  if (x == NO_NODE || t->rank < n || t->rank > TORCH_MAX_RANK - MAX_POOLED || node_of(l, x)->rank != t->rank ||
      !side_by_side(node_of(l, x)->dims, t->dims, t->rank, n, apart, over))
    return LOWER_OPAQUE;
  x = make_reshape(l, x, t->rank + n, apart);
  return done(l, make_reduce(l, "reduce_mean", t->dtype, x, over, n, NULL, 0));
}

/* grad_output self */
static LowerResult mean_side_by_side_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  int64_t apart[2 * TORCH_MAX_RANK], over[TORCH_MAX_RANK], place[TORCH_MAX_RANK], windows = 1;
  uint32_t n = (uint32_t)(*l->text - '0'), m = 0;
  if (g == NO_NODE || t->rank < n || t->rank > TORCH_MAX_RANK - MAX_POOLED || node_of(l, g)->rank != t->rank ||
      !side_by_side(t->dims, node_of(l, g)->dims, t->rank, n, apart, over))
    return LOWER_OPAQUE;
  for (uint32_t k = 0; k < n; k++) windows *= apart[over[k]];
  for (uint32_t d = 0, k = 0; d < t->rank + n; d++)
    if (k < n && over[k] == d) k++;
    else place[m++] = d;
  const Node in = *node_of(l, g);
  g = make_binary(l, "divide", g, make_splat(l, in.dtype, in.rank, in.dims, rat_int(windows)));
  Attr a = attr_ints(l, "dimensions", place, m);
  g = make(l, "broadcast", in.dtype, t->rank + n, apart, &g, 1, &a, 1);
  return done(l, make_reshape(l, g, t->rank, t->dims));
}

/* ---- windows that overlap */
static int64_t window_start(int64_t i, int64_t n, int64_t m) { return i * n / m; }
static int64_t window_end(int64_t i, int64_t n, int64_t m) { return ((i + 1) * n + m - 1) / m; }

/* Along a dimension of x the product with a matrix whose columns are means over windows, or (back) with its transpose. */
static NodeId means(Lower *l, NodeId x, uint32_t dim, int64_t n, int64_t m, bool back) {
  if (x == NO_NODE || n < 1 || m < 1 || n > ALONG_MAX / m) return NO_NODE;
  if (n == m) return x;
  Rat *w = ARENA_ARRAY(&l->arena, Rat, n * m);
  for (int64_t k = 0; k < n * m; k++) w[k] = RAT_0;
  for (int64_t i = 0; i < m; i++) {
    int64_t from = window_start(i, n, m), to = window_end(i, n, m);
    for (int64_t k = from; k < to; k++) w[k * m + i] = rat_frac(1, to - from);
  }
  const Node in = *node_of(l, x);
  NodeId table = compose_table(make_composer(l), in.dtype, 2, (int64_t[]){n, m}, w);
  return make_moved(l, make_dot(l, x, table, 0, dim, back), in.rank - 1u, dim);
}

static LowerResult by_matrices(Lower *l, bool back) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  uint32_t n = (uint32_t)(*l->text - '0');
  if (x == NO_NODE || t->rank < n || node_of(l, x)->rank != t->rank) return LOWER_OPAQUE;
  for (uint32_t d = t->rank - n; d < t->rank && x != NO_NODE; d++) {
    int64_t have = node_of(l, x)->dims[d], want = t->dims[d];
    x = means(l, x, d, back ? want : have, back ? have : want, back);
  }
  return done(l, x);
}

LowerResult lower_adaptive_pool(Lower *l) {
  LowerResult r = mean_side_by_side(l);
  return r == LOWER_OPAQUE ? by_matrices(l, false) : r;
}

LowerResult lower_adaptive_pool_backward(Lower *l) {
  LowerResult r = mean_side_by_side_backward(l);
  return r == LOWER_OPAQUE ? by_matrices(l, true) : r;
}

/* ---- maxima */
typedef struct Windows {
  int64_t n, m, most; /* elements, windows, the longest window */
  int64_t *place;     /* m of `most`: shorter ones repeat their last element */
} Windows;

static bool windows_of(Lower *l, int64_t n, int64_t m, Windows *w) {
  *w = (Windows){.n = n, .m = m};
  if (n < 1 || m < 1 || n > ALONG_MAX || m > ALONG_MAX) return false;
  for (int64_t i = 0; i < m; i++) {
    int64_t size = window_end(i, n, m) - window_start(i, n, m);
    if (size > w->most) w->most = size;
  }
  w->place = ARENA_ARRAY(&l->arena, int64_t, m * w->most);
  for (int64_t i = 0; i < m; i++)
    for (int64_t k = 0; k < w->most; k++) {
      int64_t at = window_start(i, n, m) + k, last = window_end(i, n, m) - 1;
      w->place[i * w->most + k] = at < last ? at : last;
    }
  return true;
}

/* Dimension d of x as (window, place in it). */
static NodeId in_windows(Lower *l, NodeId x, uint32_t d, const Windows *w) {
  if (x == NO_NODE) return NO_NODE;
  const Node in = *node_of(l, x);
  int64_t dims[TORCH_MAX_RANK + MAX_POOLED], n = w->m * w->most, along = d;
  memcpy(dims, in.dims, in.rank * sizeof *dims);
  if (w->n % w->m) {
    Rat *table = ARENA_ARRAY(&l->arena, Rat, n);
    for (int64_t k = 0; k < n; k++) table[k] = rat_int(w->place[k]);
    dims[d] = n;
    Attr a[] = {attr_dim(l, "first", along), attr_dim(l, "index_dims", along)};
    NodeId v[] = {x, compose_table(make_composer(l), DT_S64, 1, &n, table)};
    x = make(l, "take_1", in.dtype, in.rank, dims, v, 2, a, 2);
  }
  memmove(dims + d + 2, dims + d + 1, (in.rank - d - 1u) * sizeof *dims);
  dims[d] = w->m, dims[d + 1] = w->most;
  return make_reshape(l, x, in.rank + 1u, dims);
}

/* Where elements of all windows are in the map: [windows, places in them]. */
static NodeId places_in_map(Lower *l, const Windows *w, uint32_t n, int64_t windows, int64_t places) {
  if (windows > ALONG_MAX * 16 / places) return NO_NODE;
  Rat *table = ARENA_ARRAY(&l->arena, Rat, windows * places);
  for (int64_t i = 0; i < windows; i++)
    for (int64_t k = 0; k < places; k++) {
      int64_t flat = 0, rest_i = i, rest_k = k, stride = 1;
      for (uint32_t d = n; d-- > 0;) {
        flat += stride * w[d].place[rest_i % w[d].m * w[d].most + rest_k % w[d].most];
        rest_i /= w[d].m, rest_k /= w[d].most, stride *= w[d].n;
      }
      table[i * places + k] = rat_int(flat);
    }
  return compose_table(make_composer(l), DT_S64, 2, (int64_t[]){windows, places}, table);
}

/* self output_size: the largest of every window, and the first place in the map where it is. */
LowerResult lower_adaptive_max_pool(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  const TorchType *t = &l->node->outs[0];
  uint32_t n = (uint32_t)(*l->text - '0'), lead = t->rank - n, at = 0;
  Windows w[MAX_POOLED];
  int64_t perm[TORCH_MAX_RANK + MAX_POOLED], dims[TORCH_MAX_RANK], windows = 1, places = 1;
  if (x == NO_NODE || t->rank < n || t->rank > TORCH_MAX_RANK - MAX_POOLED || node_of(l, x)->rank != t->rank)
    return LOWER_OPAQUE;
  for (uint32_t k = 0; k < n; k++) {
    if (!windows_of(l, node_of(l, x)->dims[lead + k], t->dims[lead + k], &w[k])) return LOWER_OPAQUE;
    windows *= w[k].m, places *= w[k].most;
  }
  for (uint32_t k = n; k-- > 0;) x = in_windows(l, x, lead + k, &w[k]);
  for (uint32_t d = 0; d < lead; d++) perm[at++] = d;
  for (uint32_t side = 0; side < 2; side++)
    for (uint32_t k = 0; k < n; k++) perm[at++] = lead + 2 * k + side;
  memcpy(dims, t->dims, lead * sizeof *dims);
  dims[lead] = windows, dims[lead + 1] = places;
  x = make_reshape(l, make_transpose(l, x, perm), lead + 2, dims);
  if (x == NO_NODE) return LOWER_OPAQUE;
  int64_t over = lead + 1;
  if (l->node->n_outs > 1 && l->node->outs[1].tensor) {
    NodeId first = make_reduce(l, "argmax", DT_S64, x, &over, 1, NULL, 0);
    NodeId map = make_broadcast(l, places_in_map(l, w, n, windows, places), lead + 2, dims);
    dims[lead + 1] = 1;
    NodeId v[] = {map, make_reshape(l, first, lead + 2, dims)};
    Attr a = attr_dim(l, "dimensions", over);
    NodeId found = make(l, "take_along", l->node->outs[1].dtype, lead + 2, dims, v, 2, &a, 1);
    if (map == NO_NODE || found == NO_NODE) return LOWER_OPAQUE;
    set_result(l, 1, make_reshape(l, found, t->rank, t->dims));
  }
  return done(l, make_reshape(l, make_reduce(l, "reduce_max", t->dtype, x, &over, 1, NULL, 0), t->rank, t->dims));
}
