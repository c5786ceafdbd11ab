/* Functions that increase, or decrease, strictly with one of their parts: exp, log, tanh, powers of what is not negative,
 * what is added, and factors that are positive.
 *
 * - they commute with the k-th largest value, the first and the last of which are a maximum and a minimum;
 * - a row is ordered as what grows with it, and equal values stay equal: the places that a sort gives are those of the part;
 * - the largest of comparisons with one value is a comparison with the largest. */
#include "eval/calculus/core.h"

static bool varies(Calculus *c, RefId r, const Name *over, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (ref_has(c, r, over[i])) return true;
  return false;
}

/* A function of one argument that increases where it is a number, as it is. */
static bool increases(const Calculus *c, const Class *f) {
  if (f->kind != K_FN || f->n_args != 1) return false;
  bool log = f->attr == c->fn.log && (cls(c, f->args[0].cls)->flags & F_POS);
  return log || f->attr == c->fn.exp || f->attr == c->fn.tanh || f->attr == c->fn.erf;
}

/* The one factor that varies, where the others are positive numbers and it is in the domain of its power. */
static bool factor_of(Calculus *c, RefId r, const Name *over, uint32_t n, Monotone *out) {
  Terms fs = factors_of(c, r);
  bool found = false;
  for (uint32_t i = 0; i < fs.n; i++) {
    uint16_t f = flags_of(c, fs.at[i].ref);
    if (!varies(c, fs.at[i].ref, over, n)) {
      if (!positive_factor(c, &fs.at[i]) || (f & F_INFINITE)) return false;
      continue;
    }
    bool any = fs.at[i].k == RAT_1, positive = rat_sign(fs.at[i].k) > 0 ? f & F_NONNEG : f & F_POS;
    if (found || !(any || positive) || (!any && (f & F_INFINITE))) return false;
    out->part = one_of(fs.at[i].ref);
    out->falls ^= rat_sign(fs.at[i].k) < 0;
    found = true;
  }
  return found;
}

/* What varies of a sum. */
static bool addends_of(Calculus *c, RefId r, const Name *over, uint32_t n, Monotone *out) {
  Terms t = terms_of(c, one_of(r)), part = {0};
  for (uint32_t i = 0; i < t.n; i++)
    if (varies(c, t.at[i].ref, over, n)) terms_add(c, &part, t.at[i].ref, t.at[i].k);
    else if (flags_of(c, t.at[i].ref) & F_INFINITE) return false;
  if (part.n == t.n || !part.n) return false;
  out->part = lin(c, &part);
  return true;
}

bool monotone_of(Calculus *c, Value x, const Name *over, uint32_t n, Monotone *out) {
  if (value_is_num(x) || !varies(c, x.ref, over, n)) return false;
  *out = (Monotone){.x = x, .falls = rat_sign(x.k) < 0};
  const Class *f = cls_of(c, x.ref);
  if (f->kind == K_MUL) return factor_of(c, x.ref, over, n, out);
  if (f->kind == K_LIN) return addends_of(c, x.ref, over, n, out);
  if (!increases(c, f)) return false;
  out->part = unwrapped(c, node_open(c, x.ref).args[0].ref);
  return true;
}

Value monotone_at(Calculus *c, const Monotone *m, const Name *over, uint32_t n, Value part) {
  const Class *f = cls_of(c, m->x.ref);
  Value v = part;
  if (f->kind == K_FN) {
    v = calc_fn(c, f->attr, &part, 1);
  } else if (f->kind == K_MUL) {
    Terms fs = factors_of(c, m->x.ref);
    Factor *all = SCRATCH(c, Factor, fs.n);
    for (uint32_t i = 0; i < fs.n; i++)
      all[i] = (Factor){varies(c, fs.at[i].ref, over, n) ? part : one_of(fs.at[i].ref), fs.at[i].k};
    v = mul(c, all, fs.n);
  } else {
    Terms t = terms_of(c, one_of(m->x.ref)), rest = {0};
    for (uint32_t i = 0; i < t.n; i++)
      if (!varies(c, t.at[i].ref, over, n)) terms_add(c, &rest, t.at[i].ref, t.at[i].k);
    v = calc_add2(c, lin(c, &rest), part);
  }
  return value_scale(m->x.k, v);
}

Value calc_order_key(Calculus *c, Value x, const Name *over, uint32_t n) {
  Frame mark = frame_enter(c);
  Monotone m;
  bool found = true;
  while (found) {
    if (!value_is_num(x) && rat_abs(x.k) != RAT_1) x.k = rat_int(rat_sign(x.k));
    found = monotone_of(c, x, over, n, &m);
    if (found) x = m.falls ? value_neg(m.part) : m.part;
  }
  frame_leave(c, mark);
  return x;
}

bool monotone_max(Calculus *c, const Value *v, uint32_t n, const Name *bound, uint32_t n_bound, Value *out) {
  const Class *f = n ? cls_of(c, v[0].ref) : NULL;
  Value *parts = SCRATCH(c, Value, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    const Class *g = cls_of(c, v[i].ref);
    if (v[i].k != RAT_1 || !increases(c, g) || g->attr != f->attr) return false;
    parts[i] = unwrapped(c, node_open(c, v[i].ref).args[0].ref);
  }
  Value most = calc_max(c, parts, n, bound, n_bound);
  if (n) *out = calc_fn(c, cls_of(c, v[0].ref)->attr, &most, 1);
  return n;
}

/* The terms of [e < 0] are not indices alone; e is split into what varies and what does not. */
static bool split(Calculus *c, Value p, const Name *bound, uint32_t n, Terms *inside, Terms *rest) {
  Terms t;
  bool data = false;
  if (p.k != RAT_1 || cls_of(c, p.ref)->kind != K_CMP || atom_of(c, p.ref, &t) != REL_LT) return false;
  for (uint32_t i = 0; i < t.n; i++) {
    bool in = varies(c, t.at[i].ref, bound, n);
    if (flags_of(c, t.at[i].ref) & F_INFINITE) return false;
    data |= in && cls_of(c, t.at[i].ref)->kind != K_IDX;
    terms_add(c, in ? inside : rest, t.at[i].ref, t.at[i].k);
  }
  return data;
}

bool monotone_any(Calculus *c, Value p, const Name *bound, uint32_t n, Value *out) {
  Terms inside = {0}, rest = {0};
  if (!split(c, p, bound, n, &inside, &rest)) return false;
  Value least = value_neg(lin(c, &inside));
  least = value_neg(calc_max(c, &least, 1, bound, n));
  *out = calc_cmp(c, CMP_LT, calc_add2(c, least, lin(c, &rest)), VALUE_ZERO);
  return true;
}
