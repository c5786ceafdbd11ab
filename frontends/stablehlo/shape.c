/* Operators that move data, their attributes under the names of either form. */
#include "frontends/stablehlo/flow.h"

static int64_t elements(const MlirType *t) {
  int64_t n = 1;
  for (int d = 0; d < t->rank; d++) n *= t->dims[d];
  return n;
}

bool become_reshape(Low *l) {
  if (elements(low_type(l, 0)) != elements(low_out(l)))
    return LOW_ERROR(l, E_SHAPE, "reshape changes the number of elements");
  return low_results(l);
}

/* Dimensions of size 1 that are repeated are dropped by a reshape first. */
bool become_broadcast(Low *l) {
  const int64_t *dims;
  uint32_t n, kept = 0;
  const MlirType *x = low_type(l, 0), *out = low_out(l);
  int64_t place[MAX_RANK], size[MAX_RANK];
  if (!low_ints(l, "dims", "broadcast_dimensions", true, &dims, &n)) return false;
  if (n != x->rank) return LOW_ERROR(l, E_ATTRIBUTE, "dims has not one entry per dimension of the operand");
  for (uint32_t k = 0; k < n; k++) {
    if (dims[k] < 0 || dims[k] >= out->rank)
      return LOW_ERROR(l, E_ATTRIBUTE, "dims: %lld is no dimension", (long long)dims[k]);
    if (x->dims[k] == 1 && out->dims[dims[k]] != 1) continue;
    place[kept] = dims[k];
    size[kept++] = x->dims[k];
  }
  NodeId id = l->args[0];
  if (kept < n) id = low_reshape(l, id, size, kept);
  l->args = &id;
  low_attr(l, "known_expanding_dimensions", NULL);
  low_add_ints(l, "dimensions", place, kept);
  return low_results(l);
}

static bool dimensions(Low *l, const char *pretty, const char *generic) {
  const int64_t *dims;
  uint32_t n;
  if (!low_ints(l, pretty, generic, true, &dims, &n)) return false;
  low_add_ints(l, "dimensions", dims, n);
  return low_results(l);
}

bool become_transpose(Low *l) { return dimensions(l, "dims", "permutation"); }
bool become_reverse(Low *l) { return dimensions(l, "dims", "dimensions"); }
bool become_concatenate(Low *l) { return dimensions(l, "dim", "dimension"); }

bool become_iota(Low *l) {
  int64_t d;
  if (!low_int(l, "dim", "iota_dimension", true, 0, &d)) return false;
  low_add_int(l, "iota_dimension", d);
  return low_results(l);
}

/* [0:4, 1:9:2] or three lists. */
bool become_slice(Low *l) {
  static const char *const from[] = {"start_indices", "limit_indices", "strides"};
  static const char *const to[] = {"starts", "limits", "strides"};
  const MlirAttr *a = low_attr(l, ATTR_RANGES, NULL);
  int64_t at[3][MAX_RANK];
  uint32_t n = 0;
  if (!a) {
    for (int k = 0; k < 3; k++) {
      const int64_t *ints;
      if (!low_ints(l, from[k], NULL, true, &ints, &n)) return false;
      low_add_ints(l, to[k], ints, n);
    }
    return low_results(l);
  }
  Scan s = l->f->m->scan;
  s.p = a->value.at + 1;
  while (!scan_try(&s, ']')) {
    if (n == MAX_RANK) return LOW_ERROR(l, E_SIZE, "a slice has more than %d ranges", MAX_RANK);
    if (n && !scan_expect(&s, ',', "between ranges")) return false;
    at[2][n] = 1;
    if (!scan_int(&s, &at[0][n]) || !scan_expect(&s, ':', "within a range") || !scan_int(&s, &at[1][n])) return false;
    if (scan_try(&s, ':') && !scan_int(&s, &at[2][n])) return false;
    n++;
  }
  for (int k = 0; k < 3; k++) low_add_ints(l, to[k], at[k], n);
  return low_results(l);
}

bool become_pad(Low *l) {
  static const char *const pretty[] = {"low", "high", "interior"};
  static const char *const generic[] = {"edge_padding_low", "edge_padding_high", "interior_padding"};
  for (int k = 0; k < 3; k++) {
    const int64_t *ints;
    uint32_t n;
    if (!low_ints(l, pretty[k], generic[k], true, &ints, &n)) return false;
    low_add_ints(l, pretty[k], ints, n);
  }
  return low_results(l);
}

bool become_dynamic_slice(Low *l) {
  const int64_t *sizes;
  uint32_t n;
  const MlirType *out = low_out(l);
  if (!low_ints(l, "sizes", "slice_sizes", true, &sizes, &n)) return false;
  if (n != out->rank || memcmp(sizes, out->dims, n * sizeof *sizes))
    return LOW_ERROR(l, E_SHAPE, "the sizes are not the dimensions of the result");
  return low_results(l);
}

bool become_identity(Low *l) {
  if (l->op->n_args != l->op->n_results) return LOW_ERROR(l, E_SHAPE, "as many results as operands are expected");
  for (uint32_t k = 0; k < l->op->n_args; k++) {
    if (!mlir_type_equal(low_type(l, k), l->op->types[k]))
      return LOW_ERROR(l, E_SHAPE, "result %u has not the type of its operand", k);
    l->f->values.at[l->base + l->op->result + k] = l->f->values.at[l->base + l->op->args[k]];
  }
  return true;
}
