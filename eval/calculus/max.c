/* Maxima: n-ary, idempotent, over bound indices; a minimum is a negated maximum.  Minus infinity is the neutral
 * element; a repeated or dominated argument disappears, and an index the argument does not have counts for nothing. */
#include <string.h>

#include "eval/calculus/core.h"

enum { FEW = 4 };

typedef struct Maximum {
  struct MaxItem {
    Rat k;
    RefId r;
  } * at;
  uint32_t n, cap;
  NameVec bound;
  bool has_const;
  Rat constant;
} Maximum;

static void push_item(Calculus *c, Maximum *m, Rat k, RefId r) {
  for (uint32_t i = 0; i < m->n; i++)
    if (m->at[i].k == k && m->at[i].r == r) return;
  if (m->n == m->cap) {
    struct MaxItem *more = SCRATCH(c, struct MaxItem, m->cap = m->cap ? m->cap * 2 : 8);
    if (m->n) memcpy(more, m->at, m->n * sizeof *more);
    m->at = more;
  }
  m->at[m->n++] = (struct MaxItem){k, r};
}

/* Where p, x, and minus infinity elsewhere, which is no argument at all. */
static bool is_guarded(Calculus *c, Value v, Value *p, Value *x) {
  if (value_is_num(v) || cls_of(c, v.ref)->kind != K_SEL) return false;
  Opened o = node_open(c, v.ref);
  Value a = value_scale(v.k, unwrapped(c, o.args[1].ref)), b = value_scale(v.k, unwrapped(c, o.args[2].ref));
  bool yes = b.ref == c->neginf && rat_sign(b.k) > 0;
  if (!yes && !(a.ref == c->neginf && rat_sign(a.k) > 0)) return false;
  *p = unwrapped(c, o.args[0].ref);
  if (!yes) *p = calc_not(c, *p);
  *x = yes ? a : b;
  return true;
}

static bool is_finite_positive(const Calculus *c, const Term *factor) {
  return positive_factor(c, factor) && !(flags_of(c, factor->ref) & F_INFINITE);
}

/* The one maximum in a product of it and positive numbers, opened; *rest: these. */
static bool scaled_maximum(Calculus *c, Value v, Opened *o, Value *rest) {
  if (!c->options.expand || cls_of(c, v.ref)->kind != K_MUL || rat_sign(v.k) < 0) return false;
  Terms fs = factors_of(c, v.ref);
  Factor *others = SCRATCH(c, Factor, fs.n);
  uint32_t at = fs.n, n = 0;
  for (uint32_t i = 0; i < fs.n; i++) {
    if (at == fs.n && fs.at[i].k == RAT_1 && cls_of(c, fs.at[i].ref)->kind == K_MAX) at = i;
    else if (is_finite_positive(c, &fs.at[i])) others[n++] = (Factor){one_of(fs.at[i].ref), fs.at[i].k};
    else return false;
  }
  if (at == fs.n) return false;
  *o = node_open(c, fs.at[at].ref);
  *rest = value_scale(v.k, mul(c, others, n));
  return true;
}

static void add_item(Calculus *c, Maximum *m, Value v) {
  if (v.ref == c->neginf && rat_sign(v.k) > 0) return;
  if (value_is_num(v)) {
    if (!m->has_const || rat_cmp(v.k, m->constant) > 0) m->constant = v.k;
    m->has_const = true;
    return;
  }
  const Class *x = cls_of(c, v.ref);
  if (x->kind == K_MAX && rat_sign(v.k) > 0) {
    Opened o = node_open(c, v.ref);
    for (uint32_t i = 0; i < o.n_bound; i++) vec_push(&m->bound, o.bound[i]);
    for (uint32_t i = 0; i < o.n; i++) add_item(c, m, val(rat_mul(v.k, o.args[i].k), o.args[i].ref));
    return;
  }
  Value p, inner;
  Opened scaled;
  if (scaled_maximum(c, v, &scaled, &p)) {
    for (uint32_t i = 0; i < scaled.n_bound; i++) vec_push(&m->bound, scaled.bound[i]);
    for (uint32_t i = 0; i < scaled.n; i++) add_item(c, m, calc_mul2(c, p, val(scaled.args[i].k, scaled.args[i].ref)));
    return;
  }
  if (masked_pieces(c, v, &p, &inner)) v = calc_select(c, p, inner, one_of(c->neginf));
  bool guarded = rat_sign(v.k) > 0 && is_guarded(c, v, &p, &inner) && !value_is_num(inner);
  if (guarded && cls_of(c, inner.ref)->kind == K_MAX && rat_sign(inner.k) > 0) {
    Opened o = node_open(c, inner.ref); /* if p then max(n) x, or else nothing, is max(n) of the choices */
    for (uint32_t i = 0; i < o.n_bound; i++) vec_push(&m->bound, o.bound[i]);
    for (uint32_t i = 0; i < o.n; i++) {
      Value a = val(rat_mul(inner.k, o.args[i].k), o.args[i].ref);
      add_item(c, m, calc_select(c, p, a, one_of(c->neginf)));
    }
    return;
  }
  if (rat_sign(v.k) < 0 && is_guarded(c, v, &p, &inner) && !value_is_num(inner) && cls_of(c, inner.ref)->kind != K_MAX)
    v = calc_select(c, p, inner, one_of(c->neginf));
  push_item(c, m, v.k, v.ref);
}

/* max over n of select(n == f, x[n], -inf) = x[f] */
static bool place_max(Calculus *c, const Maximum *m, Value *out) {
  Value *all = SCRATCH(c, Value, m->n + 1);
  bool placed = false;
  for (uint32_t i = 0; i < m->n; i++) {
    Value p, x;
    all[i] = val(m->at[i].k, m->at[i].r);
    if (!m->bound.len || !is_guarded(c, all[i], &p, &x) || p.k != RAT_1) continue;
    Terms fs = factors_of(c, p.ref);
    for (uint32_t k = 0; k < fs.n; k++) {
      Subst s = {0};
      if (fs.at[k].k != RAT_1 || !sum_place(c, fs.at[k].ref, m->bound.at, (uint32_t)m->bound.len, &s, NULL)) continue;
      all[i] = calc_rename(c, all[i], &s);
      placed = true;
      break;
    }
  }
  if (m->has_const) all[m->n] = value_num(m->constant);
  if (placed) *out = calc_max(c, all, m->n + m->has_const, m->bound.at, (uint32_t)m->bound.len);
  return placed;
}

/* max over n of select(lo <= n < hi, x, -inf) = max over the shorter range, under what else there is. */
static bool trim_max(Calculus *c, const Maximum *m, Value *out) {
  Value p, x;
  if (!is_guarded(c, val(m->at[0].k, m->at[0].r), &p, &x) || p.k != RAT_1) return false;
  Terms fs = factors_of(c, p.ref);
  Factor *others = SCRATCH(c, Factor, fs.n + 1);
  Name name = 0;
  int64_t lo = 0, hi = INT64_MAX;
  bool is_bound = false;
  uint32_t n_others = 0;
  for (uint32_t i = 0; i < fs.n; i++) {
    Name n = 0;
    int64_t a, b;
    bool unary = fs.at[i].k == RAT_1 && unary_of(c, fs.at[i].ref, &n, &a, &b), here = unary && is_bound && n == name;
    for (uint32_t k = 0; unary && !is_bound && k < m->bound.len; k++) here |= m->bound.at[k] == n;
    if (!here) {
      others[n_others++] = (Factor){one_of(fs.at[i].ref), fs.at[i].k};
      continue;
    }
    is_bound = true;
    name = n;
    if (a > lo) lo = a;
    if (b < hi) hi = b;
  }
  if (!is_bound) return false;
  if (n_others) x = calc_select(c, mul(c, others, n_others), x, one_of(c->neginf));
  NameVec rest = {0};
  for (uint32_t i = 0; i < m->bound.len; i++)
    if (m->bound.at[i] != name) vec_push(&rest, m->bound.at[i]);
  if (hi <= lo) {
    *out = one_of(c->neginf);
  } else {
    Subst s = {0};
    if (hi - lo == 1) {
      subst_put(&s, name, name_at(c, lo));
    } else {
      Name j = calculus_fresh(c, hi - lo);
      vec_push(&rest, j);
      subst_put(&s, name, calculus_form(c, (Form){lo, 1, &(FormTerm){1, j}}));
    }
    Value v = calc_rename(c, x, &s);
    *out = calc_max(c, &v, 1, rest.at, (uint32_t)rest.len);
  }
  vec_free(&rest);
  return true;
}

/* max(w) select(p(w), x[w + f], -inf) = max(k) select(p(k - f) and k - f in range, x[k], -inf), where p keeps w + f in the
 * range of k. */
static bool moved_max(Calculus *c, const Maximum *m, Value *out) {
  Value p, x;
  if (!is_guarded(c, val(m->at[0].k, m->at[0].r), &p, &x) || cls_of(c, x.ref)->kind != K_AT) return false;
  AtSpec at = c->ats.at[cls_of(c, x.ref)->attr];
  for (uint32_t i = 0; i < m->bound.len; i++) {
    Name w = m->bound.at[i], *names = SCRATCH(c, Name, m->bound.len);
    uint32_t times = 0, slot = 0;
    Form f = {0};
    int64_t sign = 0;
    for (uint32_t s = 0; s < at.n; s++) {
      Form g = {at.slots[s].offset, 0, SCRATCH(c, FormTerm, at.slots[s].n + 1)};
      for (uint32_t k = 0; k < at.slots[s].n; k++) {
        struct AtTerm t = at.slots[s].terms[k];
        g.terms[g.n++] = (FormTerm){t.coef, ref(c, x.ref)->names[t.slot]};
        if (g.terms[k].name == w) times++, slot = s, sign = t.coef;
      }
      if (times && slot == s) f = g;
    }
    if (times != 1 || (sign != 1 && sign != -1)) continue;
    int64_t size = cls(c, at.base)->sizes[slot];
    Value there = form_value(c, &f), inside = calc_inside(c, there, 0, size);
    if (value_same(inside, VALUE_ONE) || !value_same(calc_mul2(c, p, inside), p)) continue;
    Name k = calculus_fresh(c, size);
    f.constant *= -sign;
    for (uint32_t j = 0; j < f.n; j++) {
      bool here = f.terms[j].name == w;
      f.terms[j] = here ? (FormTerm){sign, k} : (FormTerm){-sign * f.terms[j].coef, f.terms[j].name};
    }
    Subst s = {0};
    subst_put(&s, w, calculus_form(c, f));
    inside = calc_inside(c, form_value(c, &f), 0, name_size(c, w));
    Value v = calc_select(c, calc_mul2(c, calc_rename(c, p, &s), inside), calc_rename(c, x, &s), one_of(c->neginf));
    memcpy(names, m->bound.at, m->bound.len * sizeof *names);
    names[i] = k;
    return *out = calc_max(c, &v, 1, names, (uint32_t)m->bound.len), true;
  }
  return false;
}

/* One form for max(i) of max(x[i], y[i]) and for the maximum of both maxima: no two arguments share an index. */
static void names_apart(Calculus *c, Maximum *m) {
  uint32_t n_bound = (uint32_t)m->bound.len;
  for (uint32_t b = 0; b < n_bound; b++) {
    bool used = false;
    for (uint32_t i = 0; i < m->n; i++) {
      if (!ref_has(c, m->at[i].r, m->bound.at[b])) continue;
      if (used) {
        Subst s = {1, {{m->bound.at[b], calculus_fresh(c, name_size(c, m->bound.at[b]))}}};
        Value v = calc_rename(c, one_of(m->at[i].r), &s);
        m->at[i] = (struct MaxItem){rat_mul(m->at[i].k, v.k), v.ref};
        vec_push(&m->bound, s.at[0].to);
      }
      used = true;
    }
  }
}

static Props props_of_max(const Calculus *c, const Term *t, uint32_t n) {
  Props p = {F_INTEGER | F_RANGE, 0, 0};
  for (uint32_t i = 0; i < n; i++) {
    Value v = val(t[i].k, t[i].ref);
    Rat lo, hi;
    if (!integer_value(c, v)) p.flags &= (uint16_t)~F_INTEGER;
    if (!range_of(c, v, &lo, &hi)) {
      p.flags &= (uint16_t)~F_RANGE;
    } else if (p.flags & F_RANGE) {
      if (!i || rat_cmp(lo, p.lo) > 0) p.lo = lo;
      if (!i || rat_cmp(hi, p.hi) > 0) p.hi = hi;
    }
    uint16_t f = flags_of(c, t[i].ref);
    if (rat_sign(v.k) > 0) p.flags |= f & (F_POS | F_NONNEG);
    if (v.ref == c->one && rat_sign(v.k) <= 0) p.flags |= v.k == RAT_0 ? F_NONNEG : 0;
  }
  bool pred = n > 0;
  for (uint32_t i = 0; i < n; i++) pred &= t[i].k == RAT_1 && (flags_of(c, t[i].ref) & F_PRED);
  if (pred) p = (Props){F_PRED | F_INTEGER | F_RANGE | F_NONNEG, RAT_0, RAT_1};
  return p;
}

/* Not negative by its parts. */
static bool not_negative(Calculus *c, Value v) {
  return (rat_sign(v.k) > 0 && (flags_of(c, v.ref) & F_NONNEG)) || spread_not_negative(c, v);
}

/* min(1 / x, 2 / y) = 1 / max(x, y / 2) of positive numbers, not all of them known. */
static bool inverse_max(Calculus *c, const Maximum *m, Value *out) {
  Value *all = SCRATCH(c, Value, m->n + 1);
  if (m->bound.len || (m->has_const && rat_sign(m->constant) >= 0)) return false;
  for (uint32_t i = 0; i < m->n; i++) {
    if (rat_sign(m->at[i].k) > 0 || cls_of(c, m->at[i].r)->kind != K_MUL) return false;
    Terms fs = factors_of(c, m->at[i].r);
    for (uint32_t j = 0; j < fs.n; j++)
      if (rat_sign(fs.at[j].k) > 0 || !positive_factor(c, &fs.at[j])) return false;
    all[i] = calc_pow(c, val(rat_neg(m->at[i].k), m->at[i].r), RAT_NEG1);
  }
  if (m->has_const) all[m->n] = value_num(rat_inv(rat_neg(m->constant)));
  *out = value_neg(calc_pow(c, calc_max(c, all, m->n + m->has_const, NULL, 0), RAT_NEG1));
  return true;
}

/* Tactic, where sums are expanded: max(n) (2 x[n] + y) = y + 2 max(n) x[n]. */
static bool move_out(Calculus *c, const Maximum *m, Value *out) {
  RefId r = m->at[0].r;
  Rat k = m->at[0].k;
  if (flags_of(c, r) & (F_INFINITE | F_INTEGER)) return false;
  if (k != RAT_1 && k != RAT_NEG1) {
    Value v = val(rat_sign(k) > 0 ? RAT_1 : RAT_NEG1, r);
    *out = value_scale(rat_abs(k), calc_max(c, &v, 1, m->bound.at, (uint32_t)m->bound.len));
    return true;
  }
  if (cls_of(c, r)->kind != K_LIN) return false;
  Terms t = terms_of(c, val(m->at[0].k, r));
  Value *all = SCRATCH(c, Value, t.n + 1), *inside = SCRATCH(c, Value, t.n);
  uint32_t n = 0, n_inside = 0;
  for (uint32_t i = 0; i < t.n; i++) {
    bool varies = false;
    for (uint32_t b = 0; b < m->bound.len && !varies; b++) varies = ref_has(c, t.at[i].ref, m->bound.at[b]);
    if (varies) inside[n_inside++] = val(t.at[i].k, t.at[i].ref);
    else all[n++] = val(t.at[i].k, t.at[i].ref);
  }
  if (!n) return false;
  Value v = calc_add(c, inside, n_inside);
  all[n++] = calc_max(c, &v, 1, m->bound.at, (uint32_t)m->bound.len);
  *out = calc_add(c, all, n);
  return true;
}

/* What one item is without a factor of the first one. */
static bool without_factor(Calculus *c, struct MaxItem x, const Term *factor, Value *out) {
  if (cls_of(c, x.r)->kind != K_MUL) return false;
  Terms fs = factors_of(c, x.r);
  Factor *others = SCRATCH(c, Factor, fs.n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < fs.n; i++)
    if (fs.at[i].ref != factor->ref || fs.at[i].k != factor->k)
      others[n++] = (Factor){one_of(fs.at[i].ref), fs.at[i].k};
  *out = value_scale(x.k, mul(c, others, n));
  return n + 1 == fs.n;
}

/* Tactic, where sums are expanded: max(n) y x[n] = y max(n) x[n] for y > 0. */
static bool factor_out(Calculus *c, const Maximum *m, Value *out) {
  if (cls_of(c, m->at[0].r)->kind != K_MUL || (m->has_const && m->constant != RAT_0)) return false;
  Terms fs = factors_of(c, m->at[0].r);
  Value *all = SCRATCH(c, Value, m->n + 1);
  for (uint32_t k = 0; k < fs.n; k++) {
    bool common = is_finite_positive(c, &fs.at[k]);
    for (uint32_t b = 0; b < m->bound.len && common; b++) common = !ref_has(c, fs.at[k].ref, m->bound.at[b]);
    for (uint32_t i = 0; i < m->n && common; i++) common = without_factor(c, m->at[i], &fs.at[k], &all[i]);
    if (!common) continue;
    if (m->has_const) all[m->n] = VALUE_ZERO;
    Value v = calc_max(c, all, m->n + m->has_const, m->bound.at, (uint32_t)m->bound.len);
    return *out = calc_mul2(c, calc_pow(c, one_of(fs.at[k].ref), fs.at[k].k), v), true;
  }
  return false;
}

/* What is read from its end alone is read from its beginning. */
static bool backward_max(Calculus *c, const Maximum *m, Value *out) {
  Value v = val(m->at[0].k, m->at[0].r);
  for (uint32_t i = 0; i < m->bound.len; i++) {
    Subst s;
    Name *bound = SCRATCH(c, Name, m->bound.len);
    memcpy(bound, m->bound.at, m->bound.len * sizeof *bound);
    if (!breaks_backward(c, v, bound[i], &s, &bound[i])) continue;
    v = calc_rename(c, v, &s);
    *out = calc_max(c, &v, 1, bound, (uint32_t)m->bound.len);
    return true;
  }
  return false;
}

/* max(i) [i == k] = sum(i) [i == k], at most one of which holds. */
static bool one_holds(Calculus *c, const Maximum *m, Value *out) {
  if (m->n != 1 || m->has_const || m->at[0].k != RAT_1 || !(flags_of(c, m->at[0].r) & F_PRED)) return false;
  Terms fs = factors_of(c, m->at[0].r);
  return m->bound.len && sum_unity(c, &fs, m->bound.at, (uint32_t)m->bound.len, out);
}

/* max(n) (p[n] - 1) = max(n) p[n] - 1, p a truth value. */
static bool none_holds(Calculus *c, Value v, const Name *bound, uint32_t n, Value *out) {
  Terms t = terms_of(c, v);
  const Term *one = terms_find(&t, c->one);
  if (t.n != 2 || !one) return false;
  Value p = val(t.at[t.at[0].ref == c->one].k, t.at[t.at[0].ref == c->one].ref);
  if (p.k != RAT_1 || !(flags_of(c, p.ref) & F_PRED)) return false;
  return *out = calc_add2(c, value_num(one->k), calc_max(c, &p, 1, bound, n)), true;
}

/* Of comparisons with one value; tactic, where rows are ordered or sums expanded: of an increasing function. */
static bool monotone(Calculus *c, const Maximum *m, Value *out) {
  if (m->has_const || m->n + m->bound.len < 2) return false;
  Value *all = SCRATCH(c, Value, m->n);
  uint32_t n = (uint32_t)m->bound.len;
  for (uint32_t i = 0; i < m->n; i++) all[i] = val(m->at[i].k, m->at[i].r);
  bool tactic = c->options.orders || c->options.expand;
  if (tactic && monotone_max(c, all, m->n, m->bound.at, n, out)) return true;
  return m->n == 1 && (monotone_any(c, *all, m->bound.at, n, out) || none_holds(c, *all, m->bound.at, n, out));
}

static Value maximum(Calculus *c, Maximum *m) {
  bool dominated = m->has_const && m->n > 0;
  for (uint32_t i = 0; i < m->n; i++) {
    Rat lo, hi;
    bool r = range_of(c, val(m->at[i].k, m->at[i].r), &lo, &hi);
    if (m->has_const && (r ? rat_cmp(lo, m->constant) >= 0
                           : rat_sign(m->constant) <= 0 && not_negative(c, val(m->at[i].k, m->at[i].r)))) {
      m->has_const = false;
      dominated = false;
      break;
    }
    dominated &= r && rat_cmp(hi, m->constant) <= 0;
  }
  if (m->has_const && (dominated || !m->n)) return value_num(m->constant);
  if (!m->n) return one_of(c->neginf);
  uint32_t n_bound = 0;
  for (uint32_t b = 0; b < m->bound.len; b++) {
    bool used = false;
    for (uint32_t i = 0; i < m->n && !used; i++) used = ref_has(c, m->at[i].r, m->bound.at[b]);
    if (used) m->bound.at[n_bound++] = m->bound.at[b];
  }
  m->bound.len = n_bound;
  Value out;
  if (place_max(c, m, &out) || one_holds(c, m, &out) || monotone(c, m, &out)) return out;
  if (c->options.flat && m->n == 1 && n_bound && !m->has_const) {
    RefId r = sum_recombine(c, &m->bound, m->at[0].r);
    if (r != m->at[0].r) {
      Value v = val(m->at[0].k, r);
      return calc_max(c, &v, 1, m->bound.at, (uint32_t)m->bound.len);
    }
    if (trim_max(c, m, &out) || moved_max(c, m, &out)) return out;
  }
  if (c->backward && m->n == 1 && !m->has_const && backward_max(c, m, &out)) return out;
  if (m->n > 1) names_apart(c, m);
  if (m->n == 1 && n_bound && !m->has_const && pick_max(c, &m->bound, val(m->at[0].k, m->at[0].r), &out)) return out;
  if (m->n == 1 && !n_bound && !m->has_const) return val(m->at[0].k, m->at[0].r);
  if (inverse_max(c, m, &out)) return out;
  if (c->options.expand && m->n == 1 && n_bound && !m->has_const && move_out(c, m, &out)) return out;
  if (c->options.expand && factor_out(c, m, &out)) return out;
  Term *t = SCRATCH(c, Term, m->n + 1);
  uint32_t n = 0;
  for (; n < m->n; n++) t[n] = (Term){m->at[n].r, m->at[n].k};
  if (m->has_const) t[n++] = (Term){c->one, m->constant};
  return one_of(canon(c, K_MAX, 0, t, n, m->bound.at, (uint32_t)m->bound.len, props_of_max(c, t, n)));
}

/* Whether one of a few truth values is 1, each of another condition at its position: is any component out of range? */
static bool few_truths(const Calculus *c, Value v, Name n) {
  return v.k == RAT_1 && (flags_of(c, v.ref) & F_PRED) && name_size(c, n) <= FEW && value_selects(c, v, n);
}

/* A maximum of few truth values is written out; as a tactic, one over an index of a split sort. */
static bool split_max(Calculus *c, const Value *v, uint32_t n, const Name *bound, uint32_t n_bound, Value *out) {
  for (uint32_t b = 0; b < n_bound; b++) {
    bool split = false;
    for (uint32_t i = 0; i < n && !split; i++) split = writes_out(c, v[i].ref, bound[b]);
    split = split || (n == 1 && few_truths(c, *v, bound[b]));
    int64_t size = name_size(c, bound[b]);
    if (!split) continue;
    Name *rest = SCRATCH(c, Name, n_bound);
    uint32_t n_rest = 0;
    for (uint32_t i = 0; i < n_bound; i++)
      if (i != b) rest[n_rest++] = bound[i];
    Value *all = SCRATCH(c, Value, (uint64_t)size * n);
    for (int64_t x = 0; x < size; x++)
      for (uint32_t i = 0; i < n; i++) {
        Subst s = {1, {{bound[b], name_const(x)}}};
        all[x * n + i] = calc_rename(c, v[i], &s);
      }
    *out = calc_max(c, all, (uint32_t)(size * n), rest, n_rest);
    return true;
  }
  return false;
}

static Value max_of_row(void *context, Calculus *c, const Value *v, uint32_t n) {
  (void)context;
  return calc_max(c, v, n, NULL, 0);
}

Value calc_max(Calculus *c, const Value *v, uint32_t n, const Name *bound, uint32_t n_bound) {
  step(c);
  if (c->broken) return VALUE_ZERO;
  Frame mark = frame_enter(c);
  Value out;
  bool row = !n_bound && n > 1 && look_up_within(c, v, n, max_of_row, NULL, &out);
  if (!row && !split_max(c, v, n, bound, n_bound, &out)) {
    Maximum m = {0};
    for (uint32_t i = 0; i < n_bound; i++) vec_push(&m.bound, bound[i]);
    for (uint32_t i = 0; i < n; i++) add_item(c, &m, v[i]);
    out = maximum(c, &m);
    vec_free(&m.bound);
  }
  frame_leave(c, mark);
  return out;
}
