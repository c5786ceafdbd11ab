/* Terms over a sum of several, put together where their numerators add up to it; a tactic, as they are written out by it:
 *
 * - a x d^-p + b x d^-p = x d^(1-p) where d = a + b;
 * - x d^(1-p) - a x d^-p = b x d^-p where d = a + b: what is merged by weights that add up to one;
 * - k x d^(1-p) + a x d^-p = (k + 1) x d^(1-p) - b x d^-p where d = a + b: of two ways to write it one. */
#include "eval/calculus/core.h"

enum { NO_MORE = 2 };

/* x / a for an addend a of a denominator: whether a's factors are among those of x, and the others. */
static bool without(Calculus *c, const Terms *x, RefId a, RefId denominator, Value *out) {
  Terms rest = {0}, fs = factors_of(c, a);
  for (uint32_t i = 0; i < x->n; i++) terms_add(c, &rest, x->at[i].ref, x->at[i].k);
  for (uint32_t i = 0; i < fs.n; i++) {
    Term *had = terms_find(&rest, fs.at[i].ref);
    if (!had || fs.at[i].ref == denominator || rat_cmp(had->k, fs.at[i].k) < 0) return false;
    had->k = rat_sub(had->k, fs.at[i].k);
  }
  Factor *f = SCRATCH(c, Factor, rest.n);
  for (uint32_t i = 0; i < rest.n; i++) f[i] = (Factor){one_of(rest.at[i].ref), rest.at[i].k};
  *out = mul(c, f, rest.n);
  return true;
}

/* A power of a sum that may be written out, at most its zeroth. */
static bool is_denominator(Calculus *c, const Term *f) {
  const Class *x = cls_of(c, f->ref);
  return x->kind == K_LIN && !(x->flags & F_PRED) && x->n_args <= c->options.expand && rat_sign(f->k) <= 0;
}

/* a x d^-p + b x d^-p = x d^(1-p) where d = a + b. */
static bool collect(Calculus *c, Terms *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    if (cls_of(c, t->at[i].ref)->kind != K_MUL || (flags_of(c, t->at[i].ref) & F_INFINITE)) continue;
    Terms fs = factors_of(c, t->at[i].ref);
    for (uint32_t j = 0; j < fs.n; j++) {
      RefId d = fs.at[j].ref;
      if (!is_denominator(c, &fs.at[j])) continue;
      Terms parts = terms_of(c, one_of(d));
      Value rest, *whole = SCRATCH(c, Value, parts.n);
      if (parts.n < 2 || !without(c, &fs, parts.at[0].ref, d, &rest)) continue;
      Rat k = rat_div(t->at[i].k, parts.at[0].k);
      bool all = true;
      for (uint32_t a = 0; a < parts.n && all; a++) {
        whole[a] = calc_mul2(c, val(rat_mul(k, parts.at[a].k), parts.at[a].ref), rest);
        const Term *had = terms_find(t, whole[a].ref);
        all = had && had->k == whole[a].k;
      }
      if (!all) continue;
      for (uint32_t a = 0; a < parts.n; a++) terms_find(t, whole[a].ref)->k = RAT_0;
      Terms u = terms_of(c, value_scale(k, calc_mul2(c, one_of(d), rest)));
      for (uint32_t a = 0; a < u.n; a++) terms_add(c, t, u.at[a].ref, u.at[a].k);
      terms_pack(t);
      return true;
    }
  }
  return false;
}

/* x d^(1-p) - a x d^-p = (d - a) x d^-p where that is no more terms than before; of a sum of two, where the first is left
 * over, with the second in place of the first. */
static bool complement_part(Calculus *c, Terms *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    if (cls_of(c, t->at[i].ref)->kind != K_MUL || (flags_of(c, t->at[i].ref) & F_INFINITE)) continue;
    Terms fs = factors_of(c, t->at[i].ref);
    for (uint32_t j = 0; j < fs.n; j++) {
      RefId d = fs.at[j].ref;
      if (!is_denominator(c, &fs.at[j])) continue;
      Terms parts = terms_of(c, one_of(d));
      for (uint32_t a = 0; a < parts.n; a++) {
        Value rest;
        if (!without(c, &fs, parts.at[a].ref, d, &rest)) continue;
        Value whole = calc_mul2(c, one_of(d), rest);
        Term *had = terms_find(t, whole.ref);
        Rat k = rat_neg(rat_div(t->at[i].k, parts.at[a].k));
        bool gone = had && had->k == rat_mul(k, whole.k);
        if (!had || !(gone || (parts.n == 2 && a == 1))) continue;
        Value others = calc_sub(c, one_of(d), val(parts.at[a].k, parts.at[a].ref));
        Terms u = terms_of(c, value_scale(k, calc_mul2(c, others, rest)));
        if (u.n > (gone ? NO_MORE : 1)) continue;
        had->k = rat_sub(had->k, rat_mul(k, whole.k));
        t->at[i].k = RAT_0;
        for (uint32_t n = 0; n < u.n; n++) terms_add(c, t, u.at[n].ref, u.at[n].k);
        terms_pack(t);
        return true;
      }
    }
  }
  return false;
}

bool collect_terms(Calculus *c, Terms *t) { return collect(c, t) || complement_part(c, t); }
