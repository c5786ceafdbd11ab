/* Values at places that are data: one-hot rows, scattering, look-ups by several indices at once.
 *
 * Scattering without a reduction has a meaning only where no two places are the same: those of a TopK, or known ones.
 */
#include <stdlib.h>
#include <string.h>

#include "frontends/onnx/lower.h"

enum { MAX_PLACES = 4096, MAX_INDEXED = 2 };

/* axis; indices, depth, [off, on]. */
OnnxResult onnx_one_hot(OnnxLower *l) {
  NodeId ids = onnx_in(l, 0), values = onnx_in(l, 2);
  const Node n = *onnx_node(l, ids);
  int64_t depth, dims[COMPOSE_MAX_RANK];
  Rat d;
  uint32_t at;
  if (!onnx_known(l, onnx_in(l, 1), &d) || !rat_to_int(d, &depth) || depth < 1 || n.rank >= ONNX_MAX_RANK ||
      !onnx_attr_dim(l, 0, -1, n.rank + 1u, &at) || onnx_node(l, values)->rank != 1 ||
      onnx_node(l, values)->dims[0] != 2)
    return ONNX_OPAQUE;
  for (uint32_t k = 0; k <= n.rank; k++) dims[k] = k < at ? n.dims[k] : k == at ? depth : n.dims[k - 1];
  NodeId off = compose_reshape(&l->c, compose_slice(&l->c, values, 0, 0, 1, 1), 0, NULL);
  NodeId on = compose_reshape(&l->c, compose_slice(&l->c, values, 0, 1, 1, 1), 0, NULL);
  int64_t place = at;
  Attr a = attr_list("dimensions", &place, 1);
  return onnx_done(
      l, compose(&l->c, "one_hot", onnx_node(l, values)->dtype, n.rank + 1u, dims, (NodeId[]){ids, off, on}, 3, &a, 1));
}

/* All known, and along dimension `dim` no two the same. */
static bool known_distinct(OnnxLower *l, NodeId id, uint32_t dim, int64_t size) {
  const Node *n = onnx_node(l, id);
  int64_t *v = ARENA_ARRAY(&l->arena, int64_t, MAX_PLACES), step = 1;
  uint32_t all;
  if (!onnx_known_ints(l, id, v, MAX_PLACES, &all)) return false;
  for (uint32_t d = dim + 1; d < n->rank; d++) step *= n->dims[d];
  for (uint32_t i = 0; i < all; i++)
    for (uint32_t j = i + (uint32_t)step; j < all && (j - i) / step < n->dims[dim]; j += (uint32_t)step) {
      if (i / step / n->dims[dim] != j / step / n->dims[dim]) break;
      if ((v[i] < 0 ? v[i] + size : v[i]) == (v[j] < 0 ? v[j] + size : v[j])) return false;
    }
  return true;
}

/* axis reduction; data, indices, updates of their shape. */
OnnxResult onnx_scatter_elements(OnnxLower *l) {
  NodeId x = onnx_in(l, 0), ids = onnx_in(l, 1), u = onnx_in(l, 2);
  const Node n = *onnx_node(l, x), i = *onnx_node(l, ids);
  const char *mode;
  uint32_t dim;
  if (!n.rank || i.rank != n.rank || !onnx_attr_dim(l, 0, 0, n.rank, &dim) || !onnx_attr_word(l, 1, "none", &mode) ||
      !node_elements(&i))
    return ONNX_OPAQUE;
  for (uint32_t d = 0; d < n.rank; d++)
    if (onnx_node(l, u)->rank != n.rank || onnx_node(l, u)->dims[d] != i.dims[d] ||
        (d != dim && i.dims[d] != n.dims[d]))
      return ONNX_OPAQUE;
  bool add = !strcmp(mode, "add"), put = !strcmp(mode, "none");
  if (!add && !(put && (known_distinct(l, ids, dim, n.dims[dim]) || compose_distinct(&l->c, ids, dim))))
    return ONNX_OPAQUE;
  int64_t along = dim;
  Attr a = attr_list("dimensions", &along, 1);
  return onnx_done(
      l, compose(&l->c, add ? "scatter_add" : "scatter_put", n.dtype, n.rank, n.dims, (NodeId[]){x, ids, u}, 3, &a, 1));
}

/* Component k of index vectors, which are the last dimension. */
static NodeId component(OnnxLower *l, NodeId ids, uint32_t k) {
  const Node n = *onnx_node(l, ids);
  NodeId x = compose_slice(&l->c, ids, n.rank - 1u, k, 1, 1);
  return compose_reshape(&l->c, x, n.rank - 1u, n.dims);
}

/* Index vectors over the first dimensions of x, whose components are `at`. */
static bool vectors(OnnxLower *l, NodeId x, NodeId ids, NodeId *at, uint32_t *n) {
  const Node i = *onnx_node(l, ids);
  if (!i.rank) return false;
  *n = (uint32_t)i.dims[i.rank - 1];
  if (*n < 1 || *n > MAX_INDEXED || *n > onnx_node(l, x)->rank || i.rank + onnx_node(l, x)->rank > ONNX_MAX_RANK)
    return false;
  for (uint32_t k = 0; k < *n; k++) at[k] = component(l, ids, k);
  return true;
}

/* take, add or put at index tensors of one shape. */
static NodeId nd_node(OnnxLower *l, const char *const *ops, uint32_t n, NodeId x, NodeId u, const NodeId *at,
                      uint32_t rank, const int64_t *dims) {
  static const char *const names[] = {"first", "second"};
  int64_t first[MAX_INDEXED], places[COMPOSE_MAX_RANK];
  NodeId args[2 + MAX_INDEXED] = {x};
  uint32_t n_args = 1, of = onnx_node(l, at[0])->rank;
  Attr a[MAX_INDEXED + 1];
  if (u != NO_NODE) args[n_args++] = u;
  for (uint32_t k = 0; k < n; k++) {
    first[k] = k;
    a[k] = attr_list(names[k], &first[k], 1);
    args[n_args++] = at[k];
  }
  for (uint32_t d = 0; d < of; d++) places[d] = d;
  a[n] = attr_list("index_dims", places, of);
  return compose(&l->c, ops[n - 1], onnx_node(l, x)->dtype, rank, dims, args, n_args, a, n + 1);
}

/* batch_dims: not read. */
OnnxResult onnx_gather_nd(OnnxLower *l) {
  static const char *const ops[] = {"take_1", "take_2"};
  NodeId x = onnx_in(l, 0), ids = onnx_in(l, 1), at[MAX_INDEXED];
  int64_t batch, dims[2 * COMPOSE_MAX_RANK];
  uint32_t n, rank = 0;
  if (!onnx_attr_int(l, 0, 0, &batch) || batch || !vectors(l, x, ids, at, &n)) return ONNX_OPAQUE;
  const Node in = *onnx_node(l, x), i = *onnx_node(l, ids);
  for (uint32_t d = 0; d + 1 < i.rank; d++) dims[rank++] = i.dims[d];
  for (uint32_t d = n; d < in.rank; d++) dims[rank++] = in.dims[d];
  return onnx_done(l, nd_node(l, ops, n, x, NO_NODE, at, rank, dims));
}

/* Known index vectors as numbers of places in the dimensions that they index; false: not known, or outside. */
static bool places_of(OnnxLower *l, const Node *x, const Node *i, NodeId ids, uint32_t n, int64_t *out) {
  int64_t *v = ARENA_ARRAY(&l->arena, int64_t, MAX_PLACES);
  uint32_t all;
  if (!onnx_known_ints(l, ids, v, MAX_PLACES, &all)) return false;
  for (uint32_t k = 0; k < all / n; k++) {
    out[k] = 0;
    for (uint32_t d = 0; d < n; d++) {
      int64_t at = v[k * n + d];
      at += at < 0 ? x->dims[d] : 0;
      if (at < 0 || at >= x->dims[d]) return false;
      out[k] = out[k] * x->dims[d] + at;
    }
  }
  return i->rank > 0;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* u in the place of x[start .. start + count]. */
static NodeId overwrite(OnnxLower *l, NodeId x, NodeId u, int64_t start, int64_t count, int64_t size) {
  NodeId parts[3];
  uint32_t n = 0;
  if (start > 0) parts[n++] = compose_slice(&l->c, x, 0, 0, start, 1);
  parts[n++] = u;
  if (start + count < size) parts[n++] = compose_slice(&l->c, x, 0, start + count, size - start - count, 1);
  return compose_concatenate(&l->c, parts, n, 0);
}

/* reduction; data, index vectors, updates.  Places of any number of components that are all known are places of the
 * dimensions that they index, as one. */
OnnxResult onnx_scatter_nd(OnnxLower *l) {
  static const char *const add[] = {"add_1", "add_2"}, *const put[] = {"put_1", "put_2"};
  NodeId x = onnx_in(l, 0), ids = onnx_in(l, 1), u = onnx_in(l, 2), at[MAX_INDEXED];
  const Node in = *onnx_node(l, x), i = *onnx_node(l, ids);
  const char *mode;
  if (!i.rank || !onnx_attr_word(l, 0, "none", &mode) || (strcmp(mode, "none") && strcmp(mode, "add")))
    return ONNX_OPAQUE;
  int64_t n = i.dims[i.rank - 1], size = 1, dims[COMPOSE_MAX_RANK];
  if (n < 1 || n > in.rank) return ONNX_OPAQUE;
  int64_t *places = ARENA_ARRAY(&l->arena, int64_t, MAX_PLACES), count = node_elements(&i) / n;
  uint32_t m;
  if (!places_of(l, &in, &i, ids, (uint32_t)n, places)) { /* data */
    if (strcmp(mode, "add") || !vectors(l, x, ids, at, &m)) return ONNX_OPAQUE;
    return onnx_done(l, nd_node(l, add, m, x, u, at, in.rank, in.dims));
  }
  NodeId to = onnx_ints(l, places, (uint32_t)count);
  bool run = count > 0;
  for (int64_t k = 1; k < count; k++) run &= places[k] == places[0] + k;
  int64_t start = places[0];
  qsort(places, (size_t)count, sizeof *places, by_number);
  for (int64_t k = 1; k < count; k++)
    if (*mode == 'n' && places[k] == places[k - 1]) return ONNX_OPAQUE;
  for (int64_t d = 0; d < n; d++) size *= in.dims[d];
  dims[0] = size;
  memcpy(dims + 1, in.dims + n, (size_t)(in.rank - n) * sizeof *dims);
  uint32_t rank = in.rank - (uint32_t)n + 1;
  x = compose_reshape(&l->c, x, rank, dims);
  dims[0] = count;
  u = compose_reshape(&l->c, u, rank, dims);
  if (x == NO_NODE || u == NO_NODE || !count) return ONNX_OPAQUE;
  dims[0] = size;
  NodeId y = *mode == 'n' && run ? overwrite(l, x, u, start, count, size)
                                 : nd_node(l, *mode == 'n' ? put : add, 1, x, u, &to, rank, dims);
  return onnx_done(l, compose_reshape(&l->c, y, in.rank, in.dims));
}
