/* Signs: of maxima and sums, and of what is chosen where something else has one. */
#include "eval/calculus/core.h"

/* v >= 0 wherever defined, or v > 0; maxima and minima included. */
static bool not_below(Calculus *c, Value v, bool strict) {
  if (value_is_num(v)) return rat_sign(v.k) > 0 || (!strict && v.k == RAT_0);
  const Class *x = cls_of(c, v.ref);
  if (rat_sign(v.k) > 0 && x->flags & (strict ? F_POS : F_NONNEG)) return true;
  if ((x->kind != K_MAX && x->kind != K_LIN) || !step(c)) return false;
  bool maximum = x->kind == K_MAX && rat_sign(v.k) > 0, some = false;
  Opened o = node_open(c, v.ref);
  for (uint32_t i = 0; i < o.n; i++) {
    Value part = val(rat_mul(v.k, o.args[i].k), o.args[i].ref);
    if (o.args[i].ref == c->one) part = value_num(part.k);
    bool least = not_below(c, part, x->kind == K_LIN ? false : strict);
    if (maximum && least) return true;
    if (!maximum && !least) return false;
    some |= x->kind == K_LIN && not_below(c, part, strict);
  }
  return !maximum && (x->kind == K_MAX || !strict || some);
}

bool calc_holds(Calculus *c, Value p) {
  if (value_is_num(p)) return p.k == RAT_1;
  Frame m = frame_enter(c);
  Terms f = factors_of(c, p.ref), form;
  bool holds = p.k == RAT_1 && f.n > 0;
  for (uint32_t i = 0; i < f.n && holds; i++) {
    Rel rel = atom_of(c, f.at[i].ref, &form);
    Value v = rel == REL_NONE ? VALUE_ZERO : add_terms(c, &form);
    holds = rel == REL_LT || rel == REL_NE ? not_below(c, value_neg(v), true) : rel == REL_GE && not_below(c, v, false);
    if (rel == REL_NE) holds |= not_below(c, v, true);
  }
  frame_leave(c, m);
  return holds;
}

/* What there is beside a positive multiple of e. */
static bool beside(Calculus *c, Value v, Value e, Value *rest) {
  Terms all = terms_of(c, v), of = terms_of(c, e);
  for (uint32_t i = 0; i < of.n; i++) {
    const Term *t = of.at[i].ref == c->one ? NULL : terms_find(&all, of.at[i].ref);
    if (!t || rat_sign(t->k) * rat_sign(of.at[i].k) <= 0) continue;
    *rest = calc_sub(c, v, value_scale(rat_div(t->k, of.at[i].k), e));
    return true;
  }
  return false;
}

uint16_t sign_where(Calculus *c, Value p, Value v) {
  uint16_t known = v.k != RAT_0 && rat_sign(v.k) > 0 ? flags_of(c, v.ref) & (F_POS | F_NONNEG) : 0;
  if (known || value_is_num(v) || p.k != RAT_1) return known;
  Terms all = factors_of(c, p.ref), form;
  for (uint32_t i = 0; i < all.n && !(known & F_POS); i++) {
    Rel rel = atom_of(c, all.at[i].ref, &form);
    if (rel != REL_LT && rel != REL_GE) continue;
    Value e = add_terms(c, &form), rest;
    if (value_is_num(e) || !beside(c, v, rel == REL_LT ? value_neg(e) : e, &rest)) continue;
    if (not_below(c, rest, false)) known |= F_NONNEG | (rel == REL_LT || not_below(c, rest, true) ? F_POS : 0);
  }
  return known;
}
