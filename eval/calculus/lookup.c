/* Look-ups: what is read of a row at the place that data gives, sum(v) [y == v] a[v], where some v is y for sure.
 *
 * A tactic: a function of what is read is that function of the whole row, read. */
#include "eval/calculus/core.h"

enum { MOST_READ = 8, MOST_ARGUMENTS = 3 }; /* indices of a place; arguments of a maximum */

typedef struct LookUp {
  uint32_t n;
  Name at[MOST_READ]; /* the place, .. */
  Value there;        /* .. 1 where it is that, */
  Value inside;       /* and what is asked about, for the whole row */
} LookUp;

/* [y == v], y being data; its indices among the bound ones. */
static bool says_place(Calculus *c, const Term *x, const Opened *o, LookUp *out) {
  Terms e;
  if (x->k != RAT_1 || atom_of(c, x->ref, &e) != REL_EQ) return false;
  bool data = false;
  for (uint32_t i = 0; i < e.n; i++) data |= e.at[i].ref != c->one && cls_of(c, e.at[i].ref)->kind != K_IDX;
  out->n = 0;
  for (uint32_t b = 0; b < o->n_bound && data; b++) {
    if (!ref_has(c, x->ref, o->bound[b])) continue;
    if (out->n == MOST_READ) return false;
    out->at[out->n++] = o->bound[b];
  }
  Terms alone = {0};
  Value all;
  if (!out->n) return false;
  terms_add(c, &alone, x->ref, RAT_1);
  return sum_unity(c, &alone, out->at, out->n, &all) && value_same(all, VALUE_ONE);
}

/* What a look-up reads of: of its other factors the sum over the other indices. */
static bool opened(Calculus *c, RefId r, LookUp *out) {
  if (cls_of(c, r)->kind != K_RED || cls_of(c, r)->reach) return false;
  Opened o = node_open(c, r);
  uint32_t i = 0, n = 0, m = 0;
  while (i < o.n && !says_place(c, &o.args[i], &o, out)) i++;
  if (i == o.n) return false;
  Factor *f = SCRATCH(c, Factor, o.n);
  Name *others = SCRATCH(c, Name, o.n_bound);
  for (uint32_t k = 0; k < o.n; k++)
    if (k != i) f[n++] = (Factor){one_of(o.args[k].ref), o.args[k].k};
  for (uint32_t b = 0; b < o.n_bound; b++) {
    bool place = false;
    for (uint32_t k = 0; k < out->n; k++) place |= out->at[k] == o.bound[b];
    if (!place) others[m++] = o.bound[b];
  }
  out->there = one_of(o.args[i].ref);
  out->inside = calc_sum(c, others, m, mul(c, f, n));
  return true;
}

static bool find(Calculus *c, Value v, LookUp *out) {
  if (!c->options.rows || c->exhausted || value_is_num(v)) return false;
  Terms t = terms_of(c, v);
  for (uint32_t i = 0; i < t.n; i++) {
    Terms fs = factors_of(c, t.at[i].ref);
    for (uint32_t j = 0; j < fs.n; j++) {
      if (!opened(c, fs.at[j].ref, out)) continue;
      Factor *f = SCRATCH(c, Factor, fs.n);
      for (uint32_t k = 0; k < fs.n; k++) f[k] = (Factor){k == j ? out->inside : one_of(fs.at[k].ref), fs.at[k].k};
      Value *all = SCRATCH(c, Value, t.n);
      for (uint32_t k = 0; k < t.n; k++) all[k] = val(t.at[k].k, t.at[k].ref);
      all[i] = value_scale(t.at[i].k, mul(c, f, fs.n));
      out->inside = calc_add(c, all, t.n);
      return true;
    }
  }
  return false;
}

bool look_up_power(Calculus *c, RefId r, Rat q, Value *out) {
  LookUp l;
  if (!c->options.rows || !opened(c, r, &l)) return false;
  return *out = calc_sum(c, l.at, l.n, calc_mul2(c, l.there, calc_pow(c, l.inside, q))), true;
}

bool look_up_within(Calculus *c, const Value *v, uint32_t n, LookUpFunction *f, void *context, Value *out) {
  LookUp l;
  Value *all = SCRATCH(c, Value, n);
  for (uint32_t i = 0; i < n && n <= MOST_ARGUMENTS; i++) {
    if (!find(c, v[i], &l)) continue;
    for (uint32_t k = 0; k < n; k++) all[k] = k == i ? l.inside : v[k];
    return *out = calc_sum(c, l.at, l.n, calc_mul2(c, l.there, f(context, c, all, n))), true;
  }
  return false;
}
