/* mask: what is added to scores so that their exponentials are 0, times a number. */
#include "eval/calculus/core.h"

/* p ? a : -infinity, or the other way around. */
static bool is_mask(Calculus *c, RefId r) {
  if (cls_of(c, r)->kind != K_SEL) return false;
  Opened o = node_open(c, r);
  return o.args[1].ref == c->neginf || o.args[2].ref == c->neginf;
}

/* The product of t with v in the place of factor `at`, a positive number: infinity stays as it is. */
static Value instead(Calculus *c, const Terms *t, uint32_t at, Value v) {
  if (v.ref == c->neginf) return v;
  Factor *f = SCRATCH(c, Factor, t->n);
  for (uint32_t i = 0; i < t->n; i++) f[i] = (Factor){i == at ? v : one_of(t->at[i].ref), t->at[i].k};
  return mul(c, f, t->n);
}

/* A positive number times a mask, or times a sum with one, goes to the terms that it changes. */
bool scaled_mask(Calculus *c, const Terms *t, Value *out) {
  uint32_t at = UINT32_MAX;
  for (uint32_t i = 0; i < t->n; i++) {
    const Class *x = cls_of(c, t->at[i].ref);
    if (x->kind == K_LIN && !x->n_slots && (x->flags & F_POS) && !(x->flags & F_INFINITE)) continue;
    if (at != UINT32_MAX || t->at[i].k != RAT_1 || !(x->flags & F_INFINITE)) return false;
    at = i;
  }
  if (at == UINT32_MAX || t->n < 2) return false;
  RefId r = t->at[at].ref;
  if (is_mask(c, r)) {
    Opened o = node_open(c, r);
    Value a = instead(c, t, at, one_of(o.args[1].ref)), b = instead(c, t, at, one_of(o.args[2].ref));
    return *out = calc_select(c, one_of(o.args[0].ref), a, b), true;
  }
  Terms u = terms_of(c, one_of(r));
  bool masked = false;
  for (uint32_t j = 0; j < u.n && cls_of(c, r)->kind == K_LIN; j++) masked |= is_mask(c, u.at[j].ref);
  if (!masked) return false;
  Value *all = SCRATCH(c, Value, u.n);
  for (uint32_t j = 0; j < u.n; j++) all[j] = value_scale(u.at[j].k, instead(c, t, at, one_of(u.at[j].ref)));
  return *out = calc_add(c, all, u.n), true;
}
