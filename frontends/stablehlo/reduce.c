/* Reductions, windows and sorting: operators with a region applied to elements. */
#include "frontends/stablehlo/flow.h"

bool become_reduce(Low *l) {
  const int64_t *dims;
  uint32_t n;
  if (l->op->n_args % 2) return LOW_ERROR(l, E_SHAPE, "reduce has %u operands", l->op->n_args);
  for (uint32_t k = 0; k < l->op->n_attrs; k++) /* `across` */
    if (text_equals(l->op->attrs[k].name, ATTR_WORD)) l->used |= UINT64_C(1) << k;
  if (!low_ints(l, "dimensions", NULL, true, &dims, &n)) return false;
  low_add_ints(l, "dimensions", dims, n);
  return region_add(l) && low_results(l);
}

/* The six lists of a window; `size` is under this name, absent lists are all `otherwise`. */
static bool window(Low *l) {
  static const struct { const char *from, *to; int64_t otherwise; } lists[] = {
      {"window_dimensions", "window_size", 1}, {"window_strides", "window_strides", 1},
      {"base_dilations", "lhs_dilation", 1},   {"window_dilations", "rhs_dilation", 1}};
  uint32_t n = low_type(l, 0)->rank, have;
  int64_t fill[2 * MAX_RANK], low[MAX_RANK], high[MAX_RANK];
  const int64_t *v;
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    if (!low_ints(l, lists[k].from, NULL, k == 0, &v, &have)) return false;
    for (uint32_t d = 0; d < n; d++) fill[d] = v && have == n ? v[d] : lists[k].otherwise;
    if (v && have != n) return LOW_ERROR(l, E_ATTRIBUTE, "'%s' has not an entry per dimension", lists[k].from);
    low_add_ints(l, lists[k].to, fill, n);
  }
  if (!low_ints(l, "padding", NULL, false, &v, &have)) return false;
  if (v && have != 2 * n) return LOW_ERROR(l, E_ATTRIBUTE, "'padding' has not two entries per dimension");
  for (uint32_t d = 0; d < n; d++) low[d] = v ? v[2 * d] : 0, high[d] = v ? v[2 * d + 1] : 0;
  low_add_ints(l, "window_low", low, n);
  low_add_ints(l, "window_high", high, n);
  memset(fill, 0, sizeof fill);
  low_add_ints(l, "window_reversal", fill, n);
  return true;
}

bool become_window(Low *l) {
  if (l->op->n_args % 2) return LOW_ERROR(l, E_SHAPE, "reduce_window has %u operands", l->op->n_args);
  if (l->op->n_args > 2) l->what = sym("reduce_window_tuple");
  return window(l) && region_add(l) && low_results(l);
}

bool become_select_and_scatter(Low *l) { return window(l) && region_pair(l) && low_results(l); }

bool become_sort(Low *l) {
  int64_t d, stable;
  if (!low_int(l, "dimension", NULL, false, -1, &d)) return false;
  if (d < 0) d += low_type(l, 0)->rank;
  const MlirAttr *a = low_attr(l, "is_stable", NULL);
  stable = a && !text_equals(a->value, "false");
  low_add_ints(l, "dimensions", &d, 1);
  low_add_int(l, "is_stable", stable);
  return region_add(l) && low_results(l);
}
