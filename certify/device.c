/* What a permutation of the devices brings: the value of the device that sends to one, 0 where none does. */
#include "certify/walk.h"

Num value_of_source(Mean *m, Num v) {
  Walk *w = m->w;
  const Attr *pairs = node_attr(m->node, sym("source_target_pairs"));
  int64_t n = w->problem->relation->mesh.n_devices;
  if (!pairs || n > 4096) return goal_fail(w->p, "a permutation without pairs"), v;
  bool *has = SCRATCH(w->p->s, bool, n);
  Num *all = SCRATCH(w->p->s, Num, pairs->n / 2 + 1);
  uint32_t n_all = 0;
  for (uint32_t i = 0; i + 1 < pairs->n; i += 2) {
    int64_t from = pairs->ints[i], to = pairs->ints[i + 1];
    Subst here = {0}, there = {0};
    if (from < 0 || to < 0 || from >= n || to >= n || has[to]) return goal_fail(w->p, "pairs that fit no mesh"), v;
    has[to] = true;
    for (uint32_t k = 0; k < w->n_mesh; k++) {
      goal_put(&here, w->mesh[k], LABEL_CONST | (uint32_t)w->digit[to * w->n_mesh + k]);
      goal_put(&there, w->mesh[k], LABEL_CONST | (uint32_t)w->digit[from * w->n_mesh + k]);
    }
    all[n_all++] = on_devices(w, &here, goal_substitute(w->p, v, &there));
  }
  return goal_add(w->p, all, n_all);
}
