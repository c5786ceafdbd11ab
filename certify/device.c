/* What a permutation of the devices brings: the value of the device that sends to one, 0 where none does. */
#include "certify/walk.h"

typedef struct Pairs {
  const Walk *w;
  int64_t n, *source, *stride; /* by the place of a device over the digits of the mesh: 1 + that of its sender, or 0 */
  uint32_t *as;                /* the digit of the receiver that one of the sender is; n_mesh: it is told for each pair */
} Pairs;

static int64_t digit_of(const Pairs *x, int64_t place, uint32_t k) {
  return place / x->stride[k] % label_size(x->w->p->s, x->w->mesh[k]);
}

/* Whether pairs are alike at all values of digit j of the receiver, but for the digits of the sender that it is. */
static bool carries(Pairs *x, uint32_t j) {
  const Walk *w = x->w;
  int64_t size = label_size(w->p->s, w->mesh[j]), step = 0;
  bool alike = true, *is = SCRATCH(w->p->s, bool, w->n_mesh);
  for (uint32_t k = 0; k < w->n_mesh; k++) {
    is[k] = label_size(w->p->s, w->mesh[k]) == size;
    for (int64_t to = 0; to < x->n && is[k]; to++)
      is[k] = !x->source[to] || digit_of(x, x->source[to] - 1, k) == digit_of(x, to, j);
    if (is[k]) step += x->stride[k];
  }
  for (int64_t to = 0; to < x->n && alike; to++) {
    int64_t digit = digit_of(x, to, j), next = (digit + 1) % size - digit, from = x->source[to];
    alike = x->source[to + next * x->stride[j]] == (from ? from + next * step : 0);
  }
  for (uint32_t k = 0; k < w->n_mesh; k++)
    if (alike && is[k]) x->as[k] = j;
  return alike;
}

Num value_of_source(Mean *m, Num v) {
  Walk *w = m->w;
  Store *s = w->p->s;
  const Attr *pairs = node_attr(m->node, sym("source_target_pairs"));
  int64_t n = w->problem->relation->mesh.n_devices, stride = 1;
  if (!pairs || n > 4096) return goal_fail(w->p, "a permutation without pairs"), v;
  Pairs x = {w, n, SCRATCH(s, int64_t, n), SCRATCH(s, int64_t, w->n_mesh), SCRATCH(s, uint32_t, w->n_mesh)};
  bool *carried = SCRATCH(s, bool, w->n_mesh);
  Num *all = SCRATCH(s, Num, pairs->n / 2 + 1);
  uint32_t n_all = 0;
  for (uint32_t i = 0; i + 1 < pairs->n; i += 2) {
    int64_t from = pairs->ints[i], to = pairs->ints[i + 1];
    if (from < 0 || to < 0 || from >= n || to >= n || x.source[walk_place(w, to)])
      return goal_fail(w->p, "pairs that fit no mesh"), v;
    x.source[walk_place(w, to)] = 1 + walk_place(w, from);
  }
  for (uint32_t k = w->n_mesh; k-- > 0; stride *= label_size(s, w->mesh[k])) x.as[k] = w->n_mesh, x.stride[k] = stride;
  for (uint32_t j = 0; j < w->n_mesh; j++) carried[j] = carries(&x, j);
  for (int64_t to = 0; to < n; to++) {
    Subst here = {0}, there = {0};
    bool first = x.source[to] > 0;
    for (uint32_t k = 0; k < w->n_mesh && first; k++) {
      int64_t digit = digit_of(&x, to, k), from = digit_of(&x, x.source[to] - 1, k);
      first = !carried[k] || !digit;
      if (!carried[k]) goal_put(&here, w->mesh[k], LABEL_CONST | (uint32_t)digit);
      goal_put(&there, w->mesh[k], x.as[k] < w->n_mesh ? w->mesh[x.as[k]] : LABEL_CONST | (uint32_t)from);
    }
    if (first) all[n_all++] = on_devices(w, &here, goal_substitute(w->p, v, &there));
  }
  return goal_add(w->p, all, n_all);
}
