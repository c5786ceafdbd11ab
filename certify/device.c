/* What a permutation of the devices brings: the value of the device that sends to one, 0 where none does. */
#include "certify/walk.h"

/* Device by device along the digits in which some device differs from its source; those alike in them have sources that
 * are, and else the digits of their own. */
static Num moved(Walk *w, Num v, const int64_t *source) {
  Store *s = w->p->s;
  int64_t n = w->problem->relation->mesh.n_devices, total = 1;
  bool *by = SCRATCH(s, bool, w->n_mesh);
  for (uint32_t i = 0; i < w->n_mesh; i++) {
    for (int64_t d = 0; d < n; d++)
      by[i] |= source[d] >= 0 && w->digit[source[d] * w->n_mesh + i] != w->digit[d * w->n_mesh + i];
    if (by[i]) total *= label_size(s, w->mesh[i]);
  }
  Num *all = SCRATCH(s, Num, total);
  int64_t *first = SCRATCH(s, int64_t, total); /* 1 + the first device with these digits */
  uint32_t n_all = 0;
  for (int64_t d = 0; d < n; d++) {
    int64_t k = 0, from = source[d];
    Subst here = {0}, there = {0};
    for (uint32_t i = 0; i < w->n_mesh; i++) {
      if (!by[i]) continue;
      k = k * label_size(s, w->mesh[i]) + w->digit[d * w->n_mesh + i];
      goal_put(&here, w->mesh[i], LABEL_CONST | (uint32_t)w->digit[d * w->n_mesh + i]);
      if (from >= 0) goal_put(&there, w->mesh[i], LABEL_CONST | (uint32_t)w->digit[from * w->n_mesh + i]);
    }
    if (!first[k]) {
      first[k] = d + 1;
      if (from >= 0) all[n_all++] = on_devices(w, &here, goal_substitute(w->p, v, &there));
      continue;
    }
    int64_t was = source[first[k] - 1];
    bool alike = (was < 0) == (from < 0);
    for (uint32_t i = 0; i < w->n_mesh && alike && was >= 0; i++)
      alike = !by[i] || w->digit[was * w->n_mesh + i] == w->digit[from * w->n_mesh + i];
    if (!alike) return goal_fail(w->p, "a permutation that is not one of digits of the mesh"), v;
  }
  return goal_add(w->p, all, n_all);
}

Num value_of_source(Mean *m, Num v) {
  Walk *w = m->w;
  const Attr *pairs = node_attr(m->node, sym("source_target_pairs"));
  int64_t n = w->problem->relation->mesh.n_devices, *source = SCRATCH(w->p->s, int64_t, n);
  if (!pairs || n > 4096) return goal_fail(w->p, "a permutation without pairs"), v;
  for (int64_t d = 0; d < n; d++) source[d] = -1;
  for (uint32_t i = 0; i + 1 < pairs->n; i += 2) {
    int64_t from = pairs->ints[i], to = pairs->ints[i + 1];
    if (from < 0 || to < 0 || from >= n || to >= n || source[to] >= 0) return goal_fail(w->p, "pairs that fit no mesh"), v;
    source[to] = from;
  }
  return moved(w, v, source);
}
