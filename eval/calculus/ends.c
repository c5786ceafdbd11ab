/* Ends of ranges: one form for what holds at an end alone, or everywhere else; and what is read at a place that is given
 * apart, since an index ends there, joins what is read before. */
#include "eval/calculus/core.h"

enum { MOST_ENDS = 5 }; /* indices of a comparison */

/* Of indices that all grow with e, or fall: where e is at an end of its range. */
static bool at_the_edge(Calculus *c, Value e, Rat *lo, Rat *hi) {
  if (!integer_value(c, e) || !range_of(c, e, lo, hi)) return false;
  Terms t = terms_of(c, e);
  int sign = 0;
  for (uint32_t i = 0; i < t.n; i++) {
    if (t.at[i].ref == c->one) continue;
    if (cls_of(c, t.at[i].ref)->kind != K_IDX || rat_sign(t.at[i].k) == -sign) return false;
    sign = rat_sign(t.at[i].k);
  }
  return true;
}

static bool is_guard(const Calculus *c, Value e) { return c->options.flat && cls_of(c, e.ref)->n_slots > 1; }

/* With flat dimensions it is a guard, whose indices become one: [i + j == 0] = 1 - [i + j > 0]. */
bool edge_guard(Calculus *c, Value e, Value *out) {
  Rat lo, hi;
  if (!is_guard(c, e) || !at_the_edge(c, e, &lo, &hi)) return false;
  if (lo == RAT_0) return *out = calc_not(c, calc_cmp(c, CMP_GT, e, VALUE_ZERO)), true;
  if (hi == RAT_0) return *out = calc_not(c, calc_cmp(c, CMP_LT, e, VALUE_ZERO)), true;
  return false;
}

/* A position of digits below the next to the first is the first, and one that is below the last is not it: one form for
 * a single position, [2t + i < 1] = [2t + i == 0]. */
bool edge_point(Calculus *c, Value e, Value *out) {
  Rat lo, hi;
  if (is_guard(c, e) || !at_the_edge(c, e, &lo, &hi)) return false;
  if (lo == RAT_NEG1) return *out = calc_cmp(c, CMP_EQ, e, value_num(RAT_NEG1)), true;
  if (hi == RAT_0) return *out = calc_not(c, calc_cmp(c, CMP_EQ, e, VALUE_ZERO)), true;
  return false;
}

/* The same of a whole number that is data: y < 4 of one that is at most 4 is that it is not 4. */
bool edge_value(Calculus *c, Value e, Value *out) {
  Rat lo, hi;
  Terms t = terms_of(c, e);
  uint32_t data = 0, others = 0;
  for (uint32_t i = 0; i < t.n; i++) {
    if (t.at[i].ref == c->one) continue;
    Kind kind = cls_of(c, t.at[i].ref)->kind;
    if (kind == K_LEAF || kind == K_AT) data++;
    else others++;
  }
  if (data != 1 || others || !integer_value(c, e) || !range_of(c, e, &lo, &hi)) return false;
  if (lo == RAT_NEG1) return *out = calc_cmp(c, CMP_EQ, e, value_num(RAT_NEG1)), true;
  if (hi == RAT_0) return *out = calc_not(c, calc_cmp(c, CMP_EQ, e, VALUE_ZERO)), true;
  return false;
}

/* A comparison that holds only where each of its indices is at an end of its range: where. */
static bool at_ends(Calculus *c, RefId p, Subst *out) {
  Terms e;
  Rel rel = atom_of(c, p, &e);
  Rat constant = RAT_0, sum_lo = RAT_0, sum_hi = RAT_0;
  if (rel == REL_NONE || rel == REL_NE || e.n > MOST_ENDS) return false;
  for (uint32_t i = 0; i < e.n; i++) {
    if (e.at[i].ref == c->one) {
      constant = e.at[i].k;
      continue;
    }
    if (cls_of(c, e.at[i].ref)->kind != K_IDX || !rat_is_int(e.at[i].k)) return false;
    Rat last = rat_mul(e.at[i].k, rat_int(name_size(c, ref(c, e.at[i].ref)->names[0]) - 1));
    Rat *sum = rat_sign(last) < 0 ? &sum_lo : &sum_hi;
    *sum = rat_add(*sum, last);
  }
  Rat lo = rat_add(constant, sum_lo), hi = rat_add(constant, sum_hi);
  bool least = rel == REL_LT ? lo == RAT_NEG1 : rel == REL_EQ && lo == RAT_0;
  if (!least && (rel == REL_LT || hi != RAT_0)) return false;
  for (uint32_t i = 0; i < e.n; i++) {
    if (e.at[i].ref == c->one) continue;
    Name n = ref(c, e.at[i].ref)->names[0];
    bool first = (rat_sign(e.at[i].k) > 0) == least;
    subst_put(out, n, name_at(c, first ? 0 : name_size(c, n) - 1));
  }
  return out->n > 0;
}

/* The predicates of a product, and what they are of. */
static void conditions(Calculus *c, RefId r, Value *p, Value *x) {
  Terms fs = factors_of(c, r);
  Factor *f = SCRATCH(c, Factor, fs.n), *g = SCRATCH(c, Factor, fs.n);
  uint32_t n = 0, m = 0;
  for (uint32_t i = 0; i < fs.n; i++) {
    bool pred = fs.at[i].k == RAT_1 && (flags_of(c, fs.at[i].ref) & F_PRED);
    *(pred ? &f[n++] : &g[m++]) = (Factor){one_of(fs.at[i].ref), fs.at[i].k};
  }
  *p = mul(c, f, n), *x = mul(c, g, m);
}

/* r of q = (1 - e) r, if e r is p: what r has besides follows from p, and p has nothing but e besides. */
static bool elsewhere(Calculus *c, RefId e, Value p, Value q, Value *r) {
  Value other = calc_not(c, one_of(e));
  if (value_is_num(q) || other.k != RAT_1) return false;
  Terms ps = factors_of(c, p.ref), fs = factors_of(c, q.ref);
  Facts *facts = facts_of(c, &ps);
  if (!terms_find(&fs, other.ref)) return false;
  for (uint32_t i = 0; i < fs.n; i++)
    if (fs.at[i].ref != other.ref && !terms_find(&ps, fs.at[i].ref) && !facts_imply(facts, fs.at[i].ref)) return false;
  for (uint32_t i = 0; i < ps.n; i++)
    if (ps.at[i].ref != e && !terms_find(&fs, ps.at[i].ref)) return false;
  return *r = mul_terms(c, &fs, other.ref), true;
}

/* [i + j >= 7] x[6] + [i + j < 7] x[i + j - 1], where i + j is at most 7, is x[i + j - 1]. */
bool fold_ends(Calculus *c, Terms *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    if (cls_of(c, t->at[i].ref)->kind != K_MUL || !has_condition(c, t->at[i].ref)) continue;
    Terms fs = factors_of(c, t->at[i].ref);
    for (uint32_t k = 0; k < fs.n; k++) {
      Subst s = {0};
      Value p, x;
      if (fs.at[k].k != RAT_1 || !at_ends(c, fs.at[k].ref, &s)) continue;
      conditions(c, t->at[i].ref, &p, &x);
      for (uint32_t j = 0; j < t->n; j++) {
        Value q, y, r;
        if (j == i || t->at[j].k != t->at[i].k || cls_of(c, t->at[j].ref)->kind != K_MUL) continue;
        conditions(c, t->at[j].ref, &q, &y);
        if (value_is_num(y) || !value_same(calc_rename(c, y, &s), calc_rename(c, x, &s)) ||
            !elsewhere(c, fs.at[k].ref, p, q, &r))
          continue;
        Terms u = terms_of(c, value_scale(t->at[i].k, calc_mul2(c, r, y)));
        t->at[i].k = t->at[j].k = RAT_0;
        for (uint32_t l = 0; l < u.n; l++) terms_add(c, t, u.at[l].ref, u.at[l].k);
        terms_pack(t);
        return true;
      }
    }
  }
  return false;
}
