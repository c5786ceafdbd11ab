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

/* Where v is minus infinity, and what it is elsewhere: of a mask by indices, of one under conditions (0 where these do
 * not hold), or a sum of such over indices, for at most one value of which it is. */
static bool masked_piece(Calculus *c, Value v, Value *where, Value *rest) {
  const Class *x = cls_of(c, v.ref);
  if (rat_sign(v.k) < 0 || (x->kind != K_RED && x->kind != K_MUL && x->kind != K_SEL)) return false;
  Opened o = node_open(c, v.ref);
  if (x->kind == K_SEL) {
    bool first = o.args[1].ref == c->neginf;
    Value q = unwrapped(c, o.args[0].ref);
    *where = first ? q : calc_not(c, q);
    *rest = value_scale(v.k, unwrapped(c, o.args[first ? 2 : 1].ref));
    bool finite = value_is_num(*rest) || !(flags_of(c, rest->ref) & F_INFINITE);
    return finite && is_mask(c, v.ref) && index_predicate(c, o.args[0].ref);
  }
  Factor *f = SCRATCH(c, Factor, o.n);
  uint32_t at = o.n;
  for (uint32_t i = 0; i < o.n; i++) {
    f[i] = (Factor){one_of(o.args[i].ref), o.args[i].k};
    if (o.args[i].k == RAT_1 && (flags_of(c, o.args[i].ref) & F_PRED)) continue;
    if (at < o.n || o.args[i].k != RAT_1) return false;
    at = i;
  }
  Value q, y;
  if (at == o.n || !masked_piece(c, f[at].v, &q, &y)) return false;
  f[at].v = q;
  *where = calc_sum(c, o.bound, o.n_bound, mul(c, f, o.n));
  f[at].v = y;
  *rest = value_scale(v.k, calc_sum(c, o.bound, o.n_bound, mul(c, f, o.n)));
  return where->k == RAT_0 || (where->k == RAT_1 && (flags_of(c, where->ref) & F_PRED));
}

/* All terms but one are under conditions: else that one is a mask, of all that it is added to. */
static bool beside_pieces(const Calculus *c, const Terms *t, uint32_t but) {
  for (uint32_t i = 0; i < t->n; i++)
    if (i != but && !has_condition(c, t->at[i].ref)) return false;
  return true;
}

/* Pieces side by side, some of which are minus infinity somewhere, are so as a whole: p (q ? -infinity : x) + y is
 * p q ? -infinity : p x + y. */
bool masked_pieces(Calculus *c, Value v, Value *p, Value *x) {
  if (value_is_num(v) || rat_sign(v.k) < 0 || cls_of(c, v.ref)->kind != K_LIN) return false;
  Terms t = terms_of(c, v);
  Value *all = SCRATCH(c, Value, t.n);
  Factor *finite = SCRATCH(c, Factor, t.n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < t.n; i++) {
    Value where;
    all[i] = val(t.at[i].k, t.at[i].ref);
    if (!(flags_of(c, t.at[i].ref) & F_INFINITE)) continue;
    bool piece = cls_of(c, t.at[i].ref)->kind != K_SEL || beside_pieces(c, &t, i);
    if (!piece || !masked_piece(c, all[i], &where, &all[i])) return false;
    finite[n++] = (Factor){calc_not(c, where), RAT_1};
  }
  if (!n) return false;
  *p = mul(c, finite, n);
  *x = calc_add(c, all, t.n);
  return true;
}

/* What a is where p holds: of terms under conditions, those that p says are dropped. */
Value where_holds(Calculus *c, Value p, Value a) {
  if (value_is_num(a) || (flags_of(c, a.ref) & F_PARTIAL)) return a;
  Terms t = terms_of(c, a), conditions = factors_of(c, p.ref);
  Value *all = SCRATCH(c, Value, t.n);
  bool some = false;
  for (uint32_t i = 0; i < t.n; i++) {
    all[i] = val(t.at[i].k, t.at[i].ref);
    if (cls_of(c, t.at[i].ref)->kind != K_MUL || !has_condition(c, t.at[i].ref)) continue;
    Value v = calc_mul2(c, p, all[i]);
    Terms fs = v.k == RAT_0 ? (Terms){0} : factors_of(c, v.ref);
    for (uint32_t k = 0; k < fs.n; k++)
      if (terms_find(&conditions, fs.at[k].ref)) fs.at[k].k = RAT_0;
    terms_pack(&fs);
    all[i] = value_scale(v.k, mul_terms(c, &fs, NO_REF));
    some = true;
  }
  return some ? calc_add(c, all, t.n) : a;
}
