/* What a permutation of the devices brings: the value of the device that sends to one, 0 where none does. */
#include "certify/walk.h"

/* v where it comes from, device by device along the digits `by`; digit i of the source is digit like[i] of one's own,
 * or (n_mesh) none.  false: other digits matter. */
static bool moved(Mean *m, Num v, const int64_t *source, const uint32_t *like, const bool *by, Num *out) {
  Walk *w = m->w;
  int64_t n = w->problem->relation->mesh.n_devices, total = 1;
  for (uint32_t i = 0; i < w->n_mesh; i++) total *= by[i] ? label_size(w->p->s, w->mesh[i]) : 1;
  Num *all = SCRATCH(w->p->s, Num, n);
  int64_t *first = SCRATCH(w->p->s, int64_t, total); /* 1 + the first device with these digits */
  uint32_t n_all = 0;
  for (int64_t d = 0; d < n; d++) {
    const int64_t *own = w->digit + d * w->n_mesh, *from = w->digit + (source[d] < 0 ? 0 : source[d]) * w->n_mesh;
    int64_t k = 0;
    for (uint32_t i = 0; i < w->n_mesh; i++)
      if (by[i]) k = k * label_size(w->p->s, w->mesh[i]) + own[i];
    if (first[k]) {
      int64_t was = source[first[k] - 1];
      if ((was < 0) != (source[d] < 0)) return false;
      for (uint32_t i = 0; i < w->n_mesh && was >= 0; i++)
        if (like[i] == w->n_mesh && w->digit[was * w->n_mesh + i] != from[i]) return false;
      continue;
    }
    first[k] = d + 1;
    if (source[d] < 0) continue;
    Subst here = {0}, there = {0};
    for (uint32_t i = 0; i < w->n_mesh; i++) {
      uint32_t j = like[i];
      Label to = j < w->n_mesh && !by[j] ? w->mesh[j] : LABEL_CONST | (uint32_t)from[i];
      if (!goal_put(&there, w->mesh[i], to)) return false;
      if (by[i]) goal_put(&here, w->mesh[i], LABEL_CONST | (uint32_t)own[i]);
    }
    all[n_all++] = on_devices(w, &here, goal_substitute(w->p, v, &there));
  }
  *out = goal_add(w->p, all, n_all);
  return true;
}

Num value_of_source(Mean *m, Num v) {
  Walk *w = m->w;
  const Attr *pairs = node_attr(m->node, sym("source_target_pairs"));
  int64_t n = w->problem->relation->mesh.n_devices, *source = ARENA_ARRAY(&w->p->s->scratch, int64_t, n), d;
  bool *by = SCRATCH(w->p->s, bool, w->n_mesh), none = false;
  uint32_t *like = SCRATCH(w->p->s, uint32_t, w->n_mesh);
  if (!pairs || n > 4096) return goal_fail(w->p, "a permutation without pairs"), v;
  for (d = 0; d < n; d++) source[d] = -1;
  for (uint32_t i = 0; i + 1 < pairs->n; i += 2) {
    int64_t from = pairs->ints[i], to = pairs->ints[i + 1];
    if (from < 0 || to < 0 || from >= n || to >= n || source[to] >= 0) return goal_fail(w->p, "pairs that fit no mesh"), v;
    source[to] = from;
  }
  for (d = 0; d < n; d++) none |= source[d] < 0;
  for (uint32_t i = 0; i < w->n_mesh; i++) {
    like[i] = w->n_mesh;
    for (uint32_t j = w->n_mesh + 1; j-- > 0;) { /* its own digit at last */
      uint32_t k = j ? j - 1 : i;
      bool same = label_size(w->p->s, w->mesh[k]) == label_size(w->p->s, w->mesh[i]);
      for (d = 0; d < n && same; d++)
        same = source[d] < 0 || w->digit[source[d] * w->n_mesh + i] == w->digit[d * w->n_mesh + k];
      if (same) like[i] = k;
    }
    by[i] = like[i] == w->n_mesh || (none && like[i] != i);
  }
  Num out;
  if (moved(m, v, source, like, by, &out)) return out;
  for (uint32_t i = 0; i < w->n_mesh; i++) by[i] = true;
  return moved(m, v, source, like, by, &out) ? out : (goal_fail(w->p, "too many digits"), v);
}
