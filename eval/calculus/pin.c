/* Predicates of a product that leave one position: of an index, of a form, of several indices together.  They are
 * equations then, which the other factors can be read at. */
#include "eval/calculus/core.h"

enum { MOST_INDICES = 4, MOST_PLACES = 256, MOST_PREDICATES = 16 };

/* Ranges of one index that meet in a single position: [1 <= i] [i < 2] = [i == 1]. */
static bool pin_index(Calculus *c, const Terms *fs, Value *rest, bool *zero) {
  for (uint32_t i = 0; i < fs->n; i++) {
    Name n, m;
    int64_t lo, hi, a, b;
    if (!(flags_of(c, fs->at[i].ref) & F_PRED) || !unary_of(c, fs->at[i].ref, &n, &lo, &hi)) continue;
    uint32_t met = 1;
    for (uint32_t j = i + 1; j < fs->n; j++) {
      if (!(flags_of(c, fs->at[j].ref) & F_PRED) || !unary_of(c, fs->at[j].ref, &m, &a, &b) || m != n) continue;
      if (a > lo) lo = a;
      if (b < hi) hi = b;
      met++;
    }
    if (hi <= lo) return *zero = true;
    if (met == 1 || hi - lo > 1) continue;
    Factor *f = SCRATCH(c, Factor, fs->n + 1);
    uint32_t k = 0;
    for (uint32_t j = 0; j < fs->n; j++) {
      bool mine = (flags_of(c, fs->at[j].ref) & F_PRED) && unary_of(c, fs->at[j].ref, &m, &a, &b) && m == n;
      if (!mine) f[k++] = (Factor){one_of(fs->at[j].ref), fs->at[j].k};
    }
    f[k++] = (Factor){calc_cmp(c, CMP_EQ, calc_idx(c, n, name_size(c, n)), value_num(rat_int(lo))), RAT_1};
    *rest = mul(c, f, k);
    *zero = rest->k == RAT_0;
    return true;
  }
  return false;
}

/* 0 <= f < 1 for an integer form is f == 0, and so is 0 <= f <= 0. */
static bool pin_form(Calculus *c, const Terms *fs, Value *rest, bool *zero) {
  for (uint32_t i = 0; i < fs->n; i++) {
    Terms lo, hi;
    if (!(flags_of(c, fs->at[i].ref) & F_PRED) || atom_of(c, fs->at[i].ref, &lo) != REL_GE || !integer_terms(c, &lo))
      continue;
    for (uint32_t j = 0; j < fs->n; j++) {
      if (j == i || !(flags_of(c, fs->at[j].ref) & F_PRED)) continue;
      Rel rel = atom_of(c, fs->at[j].ref, &hi);
      if (rel != REL_LT && rel != REL_GE) continue;
      bool below = rel == REL_LT; /* f - 1 < 0; otherwise -f >= 0 */
      Terms diff = {0};
      for (uint32_t k = 0; k < lo.n; k++) terms_add(c, &diff, lo.at[k].ref, lo.at[k].k);
      for (uint32_t k = 0; k < hi.n; k++) terms_add(c, &diff, hi.at[k].ref, below ? rat_neg(hi.at[k].k) : hi.at[k].k);
      terms_pack(&diff);
      if (below ? diff.n != 1 || diff.at[0].ref != c->one || diff.at[0].k != RAT_1 : diff.n != 0) continue;
      Factor *f = SCRATCH(c, Factor, fs->n);
      uint32_t n = 0;
      for (uint32_t k = 0; k < fs->n; k++)
        if (k != i && k != j) f[n++] = (Factor){one_of(fs->at[k].ref), fs->at[k].k};
      f[n++] = (Factor){calc_cmp(c, CMP_EQ, lin(c, &lo), VALUE_ZERO), RAT_1};
      *rest = mul(c, f, n);
      *zero = rest->k == RAT_0;
      return true;
    }
  }
  return false;
}

/* A comparison of a form of few indices, with their weights. */
typedef struct Held {
  Rel rel;
  Rat constant;
  uint32_t n;
  Name names[MOST_INDICES];
  Rat weights[MOST_INDICES];
} Held;

static bool held_of(Calculus *c, RefId r, Held *h) {
  Terms t;
  if (!(flags_of(c, r) & F_PRED)) return false;
  *h = (Held){.rel = atom_of(c, r, &t), .constant = RAT_0};
  for (uint32_t i = 0; i < t.n && h->rel != REL_NONE; i++) {
    if (t.at[i].ref == c->one) {
      h->constant = t.at[i].k;
      continue;
    }
    if (h->n == MOST_INDICES || cls_of(c, t.at[i].ref)->kind != K_IDX) return false;
    h->names[h->n] = ref(c, t.at[i].ref)->names[0];
    h->weights[h->n++] = t.at[i].k;
  }
  return h->rel != REL_NONE && h->n;
}

static bool holds_at(const Held *h, const Name *names, const int64_t *at, uint32_t n) {
  Rat e = h->constant;
  for (uint32_t i = 0; i < h->n; i++)
    for (uint32_t j = 0; j < n; j++)
      if (h->names[i] == names[j]) e = rat_add(e, rat_mul(h->weights[i], rat_int(at[j])));
  int s = rat_sign(e);
  return h->rel == REL_LT ? s < 0 : h->rel == REL_GE ? s >= 0 : h->rel == REL_EQ ? s == 0 : s != 0;
}

/* At how many places all of them hold, up to two; the last is left in `place`. */
static uint32_t places(const Held *h, uint32_t n_held, const Name *names, const int64_t *size, uint32_t n,
                       uint64_t total, int64_t *place) {
  uint32_t found = 0;
  for (uint64_t k = 0; k < total && found < 2; k++) {
    int64_t at[MOST_INDICES];
    uint64_t rest = k;
    for (uint32_t i = 0; i < n; i++, rest /= (uint64_t)size[i - 1]) at[i] = (int64_t)(rest % (uint64_t)size[i]);
    bool all = true;
    for (uint32_t i = 0; i < n_held && all; i++) all = holds_at(&h[i], names, at, n);
    for (uint32_t i = 0; i < n && all; i++) place[i] = at[i];
    found += all;
  }
  return found;
}

static bool all_among(const Held *h, const Held *of) {
  for (uint32_t i = 0; i < h->n; i++) {
    bool is = false;
    for (uint32_t j = 0; j < of->n; j++) is |= h->names[i] == of->names[j];
    if (!is) return false;
  }
  return true;
}

/* Comparisons of several indices together that hold at one place: [1 <= i] [2 i + j < 3] = [i == 1] [j == 0] where j is
 * 0 or 1. */
static bool pin_place(Calculus *c, const Terms *fs, Value *rest, bool *zero) {
  for (uint32_t i = 0; i < fs->n; i++) { /* a comparison alone stays: [j < i] for all sizes alike */
    Held h[MOST_PREDICATES];
    if (!held_of(c, fs->at[i].ref, &h[0]) || h[0].n < 2) continue;
    int64_t size[MOST_INDICES], place[MOST_INDICES];
    uint64_t total = 1;
    for (uint32_t k = 0; k < h[0].n && total <= MOST_PLACES; k++) {
      size[k] = name_size(c, h[0].names[k]);
      total *= size[k] > MOST_PLACES ? MOST_PLACES + 1 : (uint64_t)size[k];
    }
    if (total > MOST_PLACES) continue;
    bool *used = SCRATCH(c, bool, fs->n);
    uint32_t n = 1;
    used[i] = true;
    for (uint32_t j = 0; j < fs->n && n < MOST_PREDICATES; j++)
      if (j != i && held_of(c, fs->at[j].ref, &h[n]) && all_among(&h[n], &h[0])) used[j] = true, n++;
    if (n < 2) continue;
    uint32_t found = places(h, n, h[0].names, size, h[0].n, total, place);
    if (!found) return *zero = true;
    if (found > 1) continue;
    Factor *f = SCRATCH(c, Factor, fs->n + MOST_INDICES);
    uint32_t m = 0;
    for (uint32_t j = 0; j < fs->n; j++)
      if (!used[j]) f[m++] = (Factor){one_of(fs->at[j].ref), fs->at[j].k};
    for (uint32_t k = 0; k < h[0].n; k++) {
      Value index = calc_idx(c, h[0].names[k], size[k]);
      f[m++] = (Factor){calc_cmp(c, CMP_EQ, index, value_num(rat_int(place[k]))), RAT_1};
    }
    *rest = mul(c, f, m);
    *zero = rest->k == RAT_0;
    return true;
  }
  return false;
}

bool pin(Calculus *c, const Terms *fs, Value *rest, bool *zero) {
  return pin_index(c, fs, rest, zero) || pin_form(c, fs, rest, zero) || pin_place(c, fs, rest, zero);
}
