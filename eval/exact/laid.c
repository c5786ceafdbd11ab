#include "eval/exact/laid.h"

#include <math.h>

enum { MOST_TIMES = 4096 };

static bool close_to(double x, double y) { return fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y)) + 1e-12; }

Rat laid_multiple(double x, double y) {
  bool inverse = fabs(y) < fabs(x);
  double r = round(inverse ? x / y : y / x);
  if (!(fabs(r) >= 1 && fabs(r) <= MOST_TIMES) || !(inverse ? close_to(r * y, x) : close_to(r * x, y))) return RAT_0;
  return inverse ? rat_frac(1, (int64_t)r) : rat_int((int64_t)r);
}

/* Where element k of the block of the device at these coordinates is in the whole; -1: in padding. */
static int64_t place_in_whole(const Laid *q, const Layout *l, const int64_t *at, int64_t k) {
  int64_t index = 0, stride = 1;
  for (int i = q->dist->rank; i-- > 0; stride *= q->seq->dims[i]) {
    int64_t block = 0;
    for (uint32_t j = 0; j < l->dims[i].n; j++)
      block = block * q->mesh->axes[l->dims[i].axes[j]].size + at[l->dims[i].axes[j]];
    int64_t at_dim = block * q->dist->dims[i] + k % q->dist->dims[i];
    if (at_dim >= q->seq->dims[i]) return -1;
    index += at_dim * stride;
    k /= q->dist->dims[i];
  }
  return index;
}

/* Every device's block is that of the layout, but for a factor, which the largest element shows: small ones may be noise.
 * Constant tensors agree with too much to mean anything. */
static bool agrees(const Laid *q, const Layout *l, Rat *factor) {
  int64_t n = node_elements(q->dist), at[LAID_MAX_AXES];
  const double *x = q->whole;
  double largest = 0, times = 1;
  bool varies = false;
  *factor = RAT_1;
  for (int64_t pass = 0; pass < 2; pass++)
    for (int64_t device = 0; device < q->mesh->n_devices; device++) {
      const double *y = q->block[device];
      if (!x || !y) return false;
      mesh_coordinate(q->mesh, device, at);
      for (int64_t k = 0; k < n; k++) {
        int64_t index = place_in_whole(q, l, at, k);
        if (index < 0) continue;
        if (!(fabs(x[index]) < INFINITY)) return false;
        varies |= !close_to(y[k], y[0]);
        if (pass && !close_to(times * x[index], y[k])) return false;
        if (pass || !(fabs(x[index]) > largest)) continue;
        largest = fabs(x[index]);
        *factor = laid_multiple(x[index], y[k]);
        times = rat_to_double(*factor);
      }
      if (*factor == RAT_0) return false;
    }
  return varies;
}

bool laid_find(const Laid *q, bool padded, Layout *out, Rat *factor, Arena *a) {
  const Node *sn = q->seq, *dn = q->dist;
  const Mesh *mesh = q->mesh;
  if (!dtype_is_float((DType)sn->dtype) || sn->rank != dn->rank || sn->rank > LAID_MAX_RANK) return false;
  for (int i = 0; i < dn->rank; i++)
    if (!dn->dims[i] || sn->dims[i] < dn->dims[i]) return false;
  int64_t choices = 1;
  for (uint32_t i = 0; i < mesh->n_axes; i++) choices *= dn->rank + 1;
  for (int64_t c = 0; c < choices; c++) {
    int64_t rest = c, cut[LAID_MAX_RANK];
    uint32_t axes[LAID_MAX_RANK][LAID_MAX_AXES], n[LAID_MAX_RANK] = {0};
    for (int i = 0; i < dn->rank; i++) cut[i] = 1;
    for (uint32_t i = 0; i < mesh->n_axes; i++, rest /= dn->rank + 1) {
      int64_t dim = rest % (dn->rank + 1);
      if (dim == dn->rank) continue;
      axes[dim][n[dim]++] = i;
      cut[dim] *= mesh->axes[i].size;
    }
    bool fits = true, several = false, padding = false;
    struct LayoutDim dims[LAID_MAX_RANK];
    for (int i = 0; i < dn->rank; i++) {
      fits = fits && (sn->dims[i] + cut[i] - 1) / cut[i] == dn->dims[i];
      padding |= cut[i] * dn->dims[i] > sn->dims[i];
      several |= n[i] > 1;
      dims[i] = (struct LayoutDim){.n = n[i], .axes = axes[i]};
    }
    Layout l = {.rank = dn->rank, .dims = dims};
    for (int turn = 0; fits && padding == padded && turn <= several; turn++) {
      for (int i = 0; turn && i < dn->rank; i++)
        for (uint32_t j = 0; 2 * j + 1 < n[i]; j++) {
          uint32_t axis = axes[i][j];
          axes[i][j] = axes[i][n[i] - 1 - j], axes[i][n[i] - 1 - j] = axis;
        }
      if (agrees(q, &l, factor)) return *out = layout_copy(&l, a), true;
    }
  }
  return false;
}
