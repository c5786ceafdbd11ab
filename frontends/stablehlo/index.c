/* gather and scatter: dimension numbers into `component`, `batch` and `window_component` of the library.
 *
 *     #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2> */
#include "frontends/stablehlo/flow.h"

typedef struct Ints {
  const int64_t *at;
  uint32_t n;
} Ints;

typedef struct Indices {
  Ints window, dropped, batch, index_batch, map;
  int64_t vector;
} Indices;

static const char *const gather_names[] = {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                                           "start_indices_batching_dims", "start_index_map"};
static const char *const scatter_names[] = {"update_window_dims", "inserted_window_dims", "input_batching_dims",
                                            "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};

static bool in_list(Ints a, int64_t v, uint32_t *at) {
  for (uint32_t k = 0; k < a.n; k++)
    if (a.at[k] == v) return *at = k, true;
  return false;
}

/* Distinct dimensions below `rank`. */
static bool check_list(Low *l, Ints a, int64_t rank, const char *name) {
  uint64_t seen = 0;
  for (uint32_t k = 0; k < a.n; k++) {
    if (a.at[k] < 0 || a.at[k] >= rank || seen >> a.at[k] & 1)
      return LOW_ERROR(l, E_ATTRIBUTE, "%s: %lld is no dimension, or stands twice", name, (long long)a.at[k]);
    seen |= UINT64_C(1) << a.at[k];
  }
  return true;
}

static bool read_numbers(Low *l, const char *attr, const char *const names[5], Indices *out) {
  const MlirAttr *a = low_attr(l, attr, NULL);
  Ints *const to[] = {&out->window, &out->dropped, &out->batch, &out->index_batch, &out->map};
  const int64_t *v;
  uint32_t n;
  if (!a) return LOW_ERROR(l, E_ATTRIBUTE, "the attribute '%s' is missing", attr);
  for (int k = 0; k < 5; k++) {
    Text t = {0};
    text_field(&l->f->m->scan, a->value, names[k], &t);
    if (!dense_ints(l->f->m, t, &to[k]->at, &to[k]->n, NULL)) return false;
  }
  Text t = {0};
  text_field(&l->f->m->scan, a->value, "index_vector_dim", &t);
  if (!dense_ints(l->f->m, t, &v, &n, NULL)) return false;
  out->vector = n ? v[0] : 0; /* the printer leaves 0 out */
  return true;
}

/* The operand's dimensions are window, dropped or batching ones; the outer tensor's are window or index ones. */
static bool check_ranks(Low *l, const Indices *i, const char *const names[5], const MlirType *x, const MlirType *ids,
                        const MlirType *outer) {
  uint32_t k;
  if (i->vector < 0 || i->vector > ids->rank)
    return LOW_ERROR(l, E_ATTRIBUTE, "index_vector_dim is no dimension of the indices");
  if (!check_list(l, i->window, outer->rank, names[0]) || !check_list(l, i->dropped, x->rank, names[1]) ||
      !check_list(l, i->batch, x->rank, names[2]) || !check_list(l, i->index_batch, ids->rank, names[3]) ||
      !check_list(l, i->map, x->rank, names[4]))
    return false;
  for (uint32_t d = 0; d < i->batch.n; d++)
    if (in_list(i->dropped, i->batch.at[d], &k))
      return LOW_ERROR(l, E_ATTRIBUTE, "a dimension is dropped and batching");
  if (i->batch.n != i->index_batch.n)
    return LOW_ERROR(l, E_ATTRIBUTE, "the batching dimensions of operand and indices differ in number");
  if (i->window.n + i->dropped.n + i->batch.n != x->rank ||
      i->window.n + (ids->rank - (i->vector < ids->rank)) != outer->rank)
    return LOW_ERROR(l, E_SHAPE, "the dimensions of %.*s do not add up", (int)l->op->op.len, l->op->op.at);
  if (i->map.n != (i->vector == ids->rank ? 1 : (uint64_t)ids->dims[i->vector]))
    return LOW_ERROR(l, E_SHAPE, "the index vector has not as many components as %s", names[4]);
  return true;
}

/* `sizes[d]`: the extent taken of operand dimension d; `at`: the operand that holds the indices. */
static bool finish(Low *l, const Indices *i, const char *const names[5], const MlirType *x, const MlirType *ids,
                   const int64_t *sizes, uint32_t at) {
  int64_t out[MAX_RANK], dims[MAX_RANK + 1];
  uint32_t k, n = 0;
  bool whole = true;
  for (int j = 0; j < 3; j++) {
    const Ints *list = j == 0 ? &i->window : j == 1 ? &i->dropped : &i->batch;
    low_add_ints(l, names[j], list->at, list->n);
  }
  for (uint32_t d = 0; d < i->dropped.n; d++) out[d] = in_list(i->map, i->dropped.at[d], &k) ? (int64_t)k : -1;
  low_add_ints(l, "component", out, i->dropped.n);
  for (uint32_t d = 0; d < i->index_batch.n; d++) {
    if (i->index_batch.at[d] == i->vector)
      return LOW_ERROR(l, E_ATTRIBUTE, "a batching dimension is the index vector's");
    out[d] = i->index_batch.at[d] - (i->index_batch.at[d] > i->vector);
  }
  low_add_ints(l, "batch", out, i->index_batch.n);
  for (int64_t d = 0; d < x->rank; d++) {
    if (in_list(i->dropped, d, &k) || in_list(i->batch, d, &k)) continue;
    out[n] = in_list(i->map, d, &k) ? (int64_t)k : -1;
    whole &= out[n] < 0 && sizes[d] == x->dims[d];
    n++;
  }
  if (!whole) low_add_ints(l, "window_component", out, n);
  low_add_int(l, "index_vector_dim", i->vector);
  if (i->vector == ids->rank) { /* the index vector becomes a dimension of size 1 */
    if (ids->rank == MAX_RANK) return LOW_ERROR(l, E_SIZE, "the indices have too many dimensions");
    memcpy(dims, ids->dims, ids->rank * sizeof *dims);
    dims[ids->rank] = 1;
    NodeId *args = arena_copy(l->f->arena, l->args, l->n_args * sizeof *args);
    args[at] = low_reshape(l, args[at], dims, ids->rank + 1u);
    l->args = args;
  }
  return true;
}

bool become_gather(Low *l) {
  Indices i;
  const MlirType *x = low_type(l, 0), *ids = low_type(l, 1), *out = low_out(l);
  Ints sizes;
  if (!read_numbers(l, "dimension_numbers", gather_names, &i) || !check_ranks(l, &i, gather_names, x, ids, out))
    return false;
  if (!low_ints(l, "slice_sizes", NULL, true, &sizes.at, &sizes.n)) return false;
  if (sizes.n != x->rank) return LOW_ERROR(l, E_ATTRIBUTE, "slice_sizes has not one entry per dimension");
  for (uint32_t d = 0, w = 0, k; d < x->rank; d++) {
    bool inner = in_list(i.dropped, d, &k) || in_list(i.batch, d, &k);
    int64_t want = inner ? 1 : out->dims[i.window.at[w++]];
    if (sizes.at[d] != want || want > x->dims[d])
      return LOW_ERROR(l, E_SHAPE, "slice_sizes: %lld does not fit dimension %u", (long long)sizes.at[d], d);
  }
  return finish(l, &i, gather_names, x, ids, sizes.at, 1) && low_results(l);
}

bool become_scatter(Low *l) {
  Indices i;
  if (l->op->n_args % 2 == 0) return LOW_ERROR(l, E_SHAPE, "scatter has %u operands", l->op->n_args);
  uint32_t n = l->op->n_args / 2;
  const MlirType *x = low_type(l, 0), *ids = low_type(l, n), *updates = low_type(l, n + 1);
  int64_t sizes[MAX_RANK], unique;
  if (!read_numbers(l, "scatter_dimension_numbers", scatter_names, &i)) return false;
  if (!check_ranks(l, &i, scatter_names, x, ids, updates)) return false;
  for (uint32_t d = 0, w = 0, k; d < x->rank; d++) {
    bool inner = in_list(i.dropped, d, &k) || in_list(i.batch, d, &k);
    sizes[d] = inner ? 1 : updates->dims[i.window.at[w++]];
    if (sizes[d] > x->dims[d] && !inner) return LOW_ERROR(l, E_SHAPE, "an update is larger than dimension %u", d);
  }
  const MlirAttr *u = low_attr(l, "unique_indices", NULL);
  unique = u && !text_equals(u->value, "false");
  if (unique) low_add_int(l, "unique_indices", 1);
  return region_add(l) && finish(l, &i, scatter_names, x, ids, sizes, n) && low_results(l);
}
