#include "eval/blame/likeness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/calculus/view.h"

#define TOLERANCE 1e-6
enum {
  MOST_LOOKS = 200, /* at classes, for comparisons */
  MOST_MASKED = 64  /* sums that only a comparison makes alike: hardly any is a sequential value */
};

typedef struct Extent {
  double least, largest;
  bool known;
} Extent;

static void widen(Extent *e, const double *at, int64_t n) {
  double least = e->least, largest = e->largest, zero = 0;
  for (int64_t i = 0; at && i < n; i++) {
    zero += at[i] * 0; /* NAN for what is not finite */
    least = at[i] < least ? at[i] : least;
    largest = at[i] > largest ? at[i] : largest;
  }
  *e = (Extent){least, largest, e->known && at && zero == 0};
}

/* The one of smaller magnitude divided by the other; NAN where that says nothing. */
static double ratio_of(const Extent *e) {
  double a = e->least, b = e->largest, top = fmax(fabs(a), fabs(b));
  if (!e->known || !(top > 1e-300)) return NAN;
  return fabs(a) < fabs(b) ? a / b : b / a;
}

/* Every index of the class is a name of its own. */
static bool runs_over_all(const Calculus *c, Value v) {
  const Name *names;
  uint32_t n = value_names(c, v, &names);
  for (uint32_t i = 0; i < n; i++) {
    if (name_is_const(names[i])) return false;
    for (uint32_t j = 0; j < i; j++)
      if (names[i] == names[j]) return false;
  }
  return true;
}

/* Has a comparison that depends on the slots `on` as a factor or an addend: its sum over them may be a value at one
 * index, which takes fewer numbers.  True as well when that would be a long way to go. */
static bool masked(const Calculus *c, ClassId id, uint64_t on, uint32_t *left) {
  if (!on) return false;
  ClassView v = view_class(c, id);
  if (v.kind == K_CMP || v.n_slots > 64 || !*left) return true;
  --*left;
  bool looks = v.kind == K_MUL || v.kind == K_LIN || v.kind == K_RED || v.kind == K_SEL || v.kind == K_AT;
  for (uint32_t k = 0; looks && k < v.n_args; k++) {
    uint64_t inside = 0;
    for (uint32_t i = 0; i < v.args[k].n && i < 64; i++)
      if (v.args[k].ix[i] >= 0 && v.args[k].ix[i] < (int32_t)v.n_slots && on >> v.args[k].ix[i] & 1)
        inside |= UINT64_C(1) << i;
    if (masked(c, v.args[k].cls, inside, left)) return true;
  }
  return false;
}

/* The slots of a value whose names are summed over. */
static uint64_t slots_of(const Calculus *c, Value v, const Name *names, uint32_t n, uint32_t set) {
  const Name *own;
  uint32_t m = value_names(c, v, &own);
  uint64_t on = 0;
  for (uint32_t i = 0; i < m && i < 64; i++)
    for (uint32_t k = 0; k < n; k++)
      if (set >> k & 1 && own[i] == names[k]) on |= UINT64_C(1) << i;
  return on;
}

static int ascending(const void *p, const void *q) {
  double a = *(const double *)p, b = *(const double *)q;
  return (a > b) - (a < b);
}

void likeness_make(Likeness *l, const Proof *proof, const ExactRun *run, Arena *a) {
  const Graph *g = proof->problem.graph[SIDE_SEQ];
  *l = (Likeness){.proof = proof, .run = run, .usable = run && g->nodes.len && exact_value(run, false, 0, 0)};
  if (!l->usable) return;
  size_t n_classes = calculus_stats(proof->calc).classes;
  enum { ABSENT, HIDDEN, SEEN };
  uint8_t *class = ARENA_ARRAY(a, uint8_t, n_classes + 1);
  l->ratios = ARENA_ARRAY(a, double, g->nodes.len + 1);
  for (NodeId i = 0; i < g->nodes.len && l->usable; i++) {
    Value v = proof->build.value[SIDE_SEQ][i];
    if (value_is_num(v)) continue;
    ClassId id = value_class(proof->calc, v);
    bool all = runs_over_all(proof->calc, v);
    if (all && class[id] == SEEN) continue;
    Extent e = {INFINITY, -INFINITY, true};
    widen(&e, exact_value(run, false, i, 0), node_elements(&g->nodes.at[i]));
    double ratio = ratio_of(&e);
    if (class[id] != SEEN) class[id] = all ? SEEN : HIDDEN;
    if (!isnan(ratio)) l->ratios[l->n++] = ratio; /* nor has a sum that is of this class */
  }
  for (size_t i = 0; i < n_classes; i++)
    if (class[i] == HIDDEN) l->usable = false;
  qsort(l->ratios, l->n, sizeof *l->ratios, ascending);
}

static bool has_ratio(const Likeness *l, double ratio) {
  uint32_t lo = 0, hi = l->n;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (l->ratios[mid] < ratio - TOLERANCE) lo = mid + 1;
    else hi = mid;
  }
  return lo < l->n && l->ratios[lo] <= ratio + TOLERANCE;
}

bool likeness_of_sum(Likeness *l, NodeId dist, const Name *names, uint32_t n, uint32_t set, Arena *scratch) {
  Value v = l->proof->build.value[SIDE_DIST][dist];
  const Calculus *c = l->proof->calc;
  uint32_t left = MOST_LOOKS;
  if (!l->usable || !runs_over_all(c, v)) return true;
  if (l->masked < MOST_MASKED && masked(c, value_class(c, v), slots_of(c, v, names, n, set), &left))
    return l->masked++, true;
  const MeshDigits *digits = digits_mesh(l->proof->digits);
  const Mesh *m = &l->proof->problem.relation->mesh;
  int64_t count = node_elements(&l->proof->problem.graph[SIDE_DIST]->nodes.at[dist]);
  ArenaMark mark = arena_mark(scratch);
  double **sums = ARENA_ARRAY(scratch, double *, m->n_devices + 1);
  Extent e = {INFINITY, -INFINITY, true};
  for (int64_t i = 0; i < m->n_devices && e.known; i++) {
    const double *x = exact_value(l->run, true, dist, m->device_order[i]);
    if (!(e.known = x)) break;
    int64_t first = i; /* where the digits of the set are 0 */
    for (uint32_t k = 0; k < n; k++) {
      const MeshDigit *d = meshdigits_get(digits, calculus_name_info(c, names[k])->a);
      if (set >> k & 1) first -= i / d->stride % d->size * d->stride;
    }
    if (!sums[first]) sums[first] = ARENA_ARRAY(scratch, double, count + 1);
    for (int64_t j = 0; j < count; j++) sums[first][j] += x[j];
  }
  for (int64_t i = 0; i < m->n_devices && e.known; i++)
    if (sums[i]) widen(&e, sums[i], count);
  arena_reset(scratch, mark);
  double ratio = ratio_of(&e);
  return isnan(ratio) || has_ratio(l, ratio);
}
