/* Linear combinations: flat, sorted, scaled so that a canonical term has coefficient one (integer forms: so that the
 * coefficients have no common factor, sign by the constant).  Only exponentials are factored out of a sum: they are
 * invertible; pulling out anything else would stop later sums from distributing. */
#include <string.h>

#include "eval/calculus/core.h"

enum { LINEAR_SEARCH = 12, OPENED = 256, JOINED = 64, COMMON = 12, PREDICATES = 4 };

/* ------------------------------------------------------------------ maps from references to rationals */
static void index_terms(Calculus *c, Terms *t, uint32_t n_slots) {
  t->n_slots = n_slots;
  t->slots = SCRATCH(c, uint32_t, n_slots);
  for (uint32_t i = 0; i < t->n; i++) {
    uint32_t k = (uint32_t)mix(t->at[i].ref, 5) & (n_slots - 1);
    while (t->slots[k]) k = (k + 1) & (n_slots - 1);
    t->slots[k] = i + 1;
  }
}

Term *terms_find(const Terms *t, RefId r) {
  if (t->n_slots) {
    for (uint32_t k = (uint32_t)mix(r, 5) & (t->n_slots - 1); t->slots[k]; k = (k + 1) & (t->n_slots - 1))
      if (t->at[t->slots[k] - 1].ref == r) return &t->at[t->slots[k] - 1];
    return NULL;
  }
  for (uint32_t i = 0; i < t->n; i++)
    if (t->at[i].ref == r) return &t->at[i];
  return NULL;
}

void terms_add(Calculus *c, Terms *t, RefId r, Rat k) {
  Term *found = terms_find(t, r);
  if (found) {
    found->k = rat_add(found->k, k);
    return;
  }
  if (t->n == t->cap) {
    uint32_t cap = t->cap ? t->cap * 2 : 8;
    Term *more = SCRATCH(c, Term, cap);
    if (t->n) memcpy(more, t->at, t->n * sizeof *more);
    t->at = more;
    t->cap = cap;
  }
  t->at[t->n++] = (Term){r, k};
  if (t->n > LINEAR_SEARCH && t->n * 2 > t->n_slots) {
    index_terms(c, t, 64 > t->n * 4 ? 64 : t->n_slots * 2);
  } else if (t->n_slots) {
    uint32_t s = (uint32_t)mix(r, 5) & (t->n_slots - 1);
    while (t->slots[s]) s = (s + 1) & (t->n_slots - 1);
    t->slots[s] = t->n;
  }
}

void terms_pack(Terms *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n; i++)
    if (t->at[i].k != RAT_0) t->at[n++] = t->at[i];
  if (n == t->n) return;
  t->n = n;
  if (t->n_slots) {
    memset(t->slots, 0, t->n_slots * sizeof *t->slots);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t k = (uint32_t)mix(t->at[i].ref, 5) & (t->n_slots - 1);
      while (t->slots[k]) k = (k + 1) & (t->n_slots - 1);
      t->slots[k] = i + 1;
    }
  }
}

Terms terms_of(Calculus *c, Value v) {
  Terms t = {0};
  if (v.k == RAT_0) return t;
  if (cls_of(c, v.ref)->kind != K_LIN) {
    terms_add(c, &t, v.ref, v.k);
    return t;
  }
  Opened o = node_open(c, v.ref);
  for (uint32_t i = 0; i < o.n; i++) terms_add(c, &t, o.args[i].ref, rat_mul(v.k, o.args[i].k));
  return t;
}

/* ------------------------------------------------------------------ values */
Value value_num(Rat k) { return (Value){k, 0}; }
Value value_neg(Value v) { return (Value){rat_neg(v.k), v.ref}; }
Value value_scale(Rat k, Value v) { return (Value){rat_mul(k, v.k), v.ref}; }
bool value_is_num(Value v) { return v.ref == 0 || v.k == RAT_0; }
Value value_neginf(const Calculus *c) { return one_of(c->neginf); }

bool integer_value(const Calculus *c, Value v) {
  return rat_is_int(v.k) && (value_is_num(v) || (flags_of(c, v.ref) & F_INTEGER));
}

bool integer_terms(const Calculus *c, const Terms *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (!integer_value(c, val(t->at[i].k, t->at[i].ref))) return false;
  return true;
}

bool range_of(const Calculus *c, Value v, Rat *lo, Rat *hi) {
  if (v.k == RAT_0) return *lo = *hi = RAT_0, true;
  const Class *x = cls_of(c, v.ref);
  if (!(x->flags & F_RANGE)) return false;
  Rat a = rat_mul(v.k, x->lo), b = rat_mul(v.k, x->hi);
  bool up = rat_sign(v.k) > 0;
  *lo = up ? a : b;
  *hi = up ? b : a;
  return true;
}

/* What follows for a sum of terms. */
static Props props_of_sum(const Calculus *c, const Term *t, uint32_t n) {
  Props p = {F_INTEGER | F_RANGE | F_NONNEG, RAT_0, RAT_0};
  bool pos = false;
  for (uint32_t i = 0; i < n; i++) {
    uint16_t f = flags_of(c, t[i].ref);
    if (!(f & F_INTEGER) || !rat_is_int(t[i].k)) p.flags &= (uint16_t)~F_INTEGER;
    if (!(f & F_NONNEG) || rat_sign(t[i].k) < 0) p.flags &= (uint16_t)~F_NONNEG;
    pos |= (f & F_POS) && rat_sign(t[i].k) > 0;
    Rat lo, hi;
    if (!(p.flags & F_RANGE)) continue;
    if (range_of(c, val(t[i].k, t[i].ref), &lo, &hi)) {
      p.lo = rat_add(p.lo, lo);
      p.hi = rat_add(p.hi, hi);
    } else {
      p.flags &= (uint16_t)~F_RANGE;
    }
  }
  if (n == 2) {
    uint32_t one = t[0].ref == 0 ? 0 : 1;
    if (t[one].ref == 0 && t[one].k == RAT_1 && t[!one].k == RAT_NEG1 && (flags_of(c, t[!one].ref) & F_PRED)) {
      p.flags |= F_PRED | F_RANGE;
      p.lo = RAT_0;
      p.hi = RAT_1;
    }
  }
  if ((p.flags & F_NONNEG) && pos) p.flags |= F_POS; /* every term is non-negative, and one is positive */
  if ((p.flags & F_RANGE) && rat_sign(p.lo) >= 0) p.flags |= F_NONNEG;
  if ((p.flags & F_RANGE) && rat_sign(p.lo) > 0) p.flags |= F_POS;
  return p;
}

RefId ref_of(Calculus *c, Value v) {
  if (v.k == RAT_1) return v.ref;
  Terms t = terms_of(c, v);
  if (!t.n) terms_add(c, &t, 0, RAT_0);
  return canon(c, K_LIN, 0, t.at, t.n, NULL, 0, props_of_sum(c, t.at, t.n));
}

Value unwrapped(Calculus *c, RefId r) {
  Terms t = terms_of(c, one_of(r));
  return lin(c, &t);
}

/* ------------------------------------------------------------------ normal form */
bool is_exp(const Calculus *c, RefId r) {
  const Class *x = cls_of(c, r);
  return x->kind == K_FN && x->attr == c->fn.exp;
}

static bool has_exp(const Calculus *c, RefId r) {
  const Class *x = cls_of(c, r);
  if (x->kind == K_FN) return x->attr == c->fn.exp;
  if (x->kind != K_MUL) return false;
  for (uint32_t i = 0; i < x->n_args; i++) {
    const Class *a = cls(c, x->args[i].cls);
    if (a->kind == K_FN && a->attr == c->fn.exp) return true;
  }
  return false;
}

/* Exponentials common to all terms are factored out: e^(2a) x + e^a y = e^a (e^a x + y).  In a sum of nothing but numbers
 * and exponentials, absent ones count as power 0: 1 + e^-a = e^-a (e^a + 1), so that 1/(1 + e^-a) and e^a/(1 + e^a) are one
 * form.  (Other sums, a residual stream for one, would be scaled by what one addend is divided by.) */
static bool extract(Calculus *c, const Terms *t, Value *out) {
  bool some = false;
  for (uint32_t i = 0; i < t->n && !some; i++) some = has_exp(c, t->at[i].ref);
  if (!some) return false;
  Terms least = {0}, *fs = SCRATCH(c, Terms, t->n);
  bool pure = true;
  for (uint32_t i = 0; i < t->n; i++) {
    fs[i] = factors_of(c, t->at[i].ref);
    for (uint32_t j = 0; j < fs[i].n; j++) pure &= is_exp(c, fs[i].at[j].ref);
  }
  for (uint32_t i = 0; i < (pure ? t->n : 1); i++)
    for (uint32_t j = 0; j < fs[i].n; j++) {
      RefId r = fs[i].at[j].ref;
      if (!is_exp(c, r) || terms_find(&least, r)) continue;
      Rat low = fs[i].at[j].k, high = low;
      for (uint32_t k = 0; k < t->n; k++) {
        const Term *f = terms_find(&fs[k], r);
        Rat p = f ? f->k : RAT_0;
        if (rat_cmp(p, low) < 0) low = p;
        if (rat_cmp(p, high) > 0) high = p;
      }
      if (pure || rat_sign(low) > 0) terms_add(c, &least, r, low);
      else if (rat_sign(high) < 0) terms_add(c, &least, r, high);
    }
  terms_pack(&least);
  if (!least.n) return false;
  Factor *f = SCRATCH(c, Factor, least.n + 1);
  Value *inner = SCRATCH(c, Value, t->n);
  for (uint32_t i = 0; i < t->n; i++) {
    f[0] = (Factor){one_of(t->at[i].ref), RAT_1};
    for (uint32_t j = 0; j < least.n; j++) f[j + 1] = (Factor){one_of(least.at[j].ref), rat_neg(least.at[j].k)};
    inner[i] = value_scale(t->at[i].k, mul(c, f, least.n + 1));
  }
  f[0] = (Factor){calc_add(c, inner, t->n), RAT_1};
  for (uint32_t j = 0; j < least.n; j++) f[j + 1] = (Factor){one_of(least.at[j].ref), least.at[j].k};
  *out = mul(c, f, least.n + 1);
  return true;
}

typedef struct ScaleKey {
  ClassId cls;
  Rat k;
  uint64_t places;
} ScaleKey;

static int by_class_then_tag(const void *a, const void *b) {
  const ScaleKey *x = a, *y = b;
  if (x->cls != y->cls) return x->cls < y->cls ? -1 : 1;
  if (x->k != y->k) return x->k < y->k ? -1 : 1;
  return x->places < y->places ? -1 : x->places > y->places;
}

/* Which of its indices are numbers, and which; whatever the names of the others. */
static uint64_t places_of(const Calculus *c, RefId r) {
  const Ref *x = ref(c, r);
  uint64_t h = 0;
  for (uint32_t i = 0; i < x->n; i++) h = h * 1000003 + (name_is_const(x->names[i]) ? name_value(x->names[i]) + 1u : 0);
  return h;
}

/* (class, coefficient / s, places) of every term, sorted: which of several scales is canonical, so that x[1] - x[0] is
 * -1 times x[0] - x[1]. */
static ScaleKey *scale_key(Calculus *c, const Terms *t, Rat s) {
  ScaleKey *key = SCRATCH(c, ScaleKey, t->n);
  for (uint32_t i = 0; i < t->n; i++)
    key[i] = (ScaleKey){ref(c, t->at[i].ref)->cls, rat_div(t->at[i].k, s), places_of(c, t->at[i].ref)};
  qsort(key, t->n, sizeof *key, by_class_then_tag);
  return key;
}

/* Coefficients a canonical term may be scaled by: those of the terms of the least class. */
static Rat canonical_scale(Calculus *c, const Terms *t) {
  const Term *constant = terms_find(t, 0);
  ClassId lead = UINT32_MAX;
  for (uint32_t i = 0; i < t->n; i++)
    if (t->at[i].ref && ref(c, t->at[i].ref)->cls < lead) lead = ref(c, t->at[i].ref)->cls;
  bool integer = integer_terms(c, t);
  Rat g = RAT_0;
  for (uint32_t i = 0; integer && i < t->n; i++) g = rat_gcd(g, t->at[i].k);
  if (integer && constant) return rat_sign(constant->k) > 0 ? g : rat_neg(g);
  Rat best = RAT_0;
  ScaleKey *best_key = NULL;
  for (uint32_t i = 0; i < t->n; i++) {
    if (ref(c, t->at[i].ref)->cls != lead) continue;
    Rat s = integer ? (rat_sign(t->at[i].k) > 0 ? g : rat_neg(g)) : t->at[i].k;
    if (s == best) continue;
    if (best == RAT_0) {
      best = s;
      continue;
    }
    if (!best_key) best_key = scale_key(c, t, best);
    ScaleKey *key = scale_key(c, t, s);
    for (uint32_t j = 0; j < t->n; j++) {
      int d = by_class_then_tag(&key[j], &best_key[j]);
      if (!d) continue;
      if (d < 0) best = s, best_key = key;
      break;
    }
  }
  return best;
}

/* Minus infinity absorbs what is finite; infinities of both signs have no sum. */
static bool infinite(Calculus *c, Terms *t, Value *out) {
  const Term *inf = terms_find(t, c->neginf);
  if (!inf) return false;
  for (uint32_t i = 0; i < t->n; i++)
    if (t->at[i].ref != c->neginf && (flags_of(c, t->at[i].ref) & F_INFINITE)) return false;
  *out = rat_sign(inf->k) > 0 ? one_of(c->neginf) : val(RAT_NEG1, c->neginf);
  return inf->k != RAT_0;
}

/* k - k [i == v] with two positions is k [i == 1 - v]: one form for both. */
static bool complement(Calculus *c, const Terms *t, Value *out) {
  if (t->n != 2) return false;
  const Term *one = t->at[0].ref == c->one ? &t->at[0] : &t->at[1], *p = one == t->at ? &t->at[1] : t->at;
  Name n;
  uint32_t v;
  if (one->ref != c->one || p->k != rat_neg(one->k) || !point_of(c, p->ref, &n, &v) || name_size(c, n) != 2)
    return false;
  *out = value_scale(one->k, calc_cmp(c, CMP_EQ, calc_idx(c, n, 2), value_num(rat_int(1 - (int64_t)v))));
  return true;
}

/* Power of a factor without indices that all terms have, of one sign; 0: not common. */
static Rat common_power(const Calculus *c, const Terms *fs, uint32_t n, RefId r) {
  Rat p = RAT_0;
  if (cls_of(c, r)->n_slots) return p;
  for (uint32_t i = 0; i < n; i++) {
    const Term *f = terms_find(&fs[i], r);
    if (!f || (i && rat_sign(f->k) != rat_sign(p))) return RAT_0;
    if (!i || rat_cmp(rat_abs(f->k), rat_abs(p)) < 0) p = f->k;
  }
  return p;
}

/* q, [n == v], and one of the terms is for another position of n: q selects none of it. */
static bool others_stand_apart(Calculus *c, const Terms *t, const Terms *fs, RefId q) {
  Name n, m;
  uint32_t v, w;
  if (!point_of(c, q, &n, &v)) return false;
  for (uint32_t i = 0; i < t->n; i++)
    for (uint32_t j = 0; j < fs[i].n; j++)
      if ((flags_of(c, fs[i].at[j].ref) & F_PRED) && point_of(c, fs[i].at[j].ref, &m, &w) && m == n && w != v) return true;
  return false;
}

/* Every term is zero where q is: q t = t. */
static bool selects_all(Calculus *c, const Terms *t, const Terms *fs, RefId q) {
  if (others_stand_apart(c, t, fs, q)) return false;
  for (uint32_t i = 0; i < t->n; i++)
    if (!terms_find(&fs[i], q) && !value_same(calc_mul2(c, one_of(q), one_of(t->at[i].ref)), one_of(t->at[i].ref)))
      return false;
  return true;
}

/* What all terms have in common and no later sum looks into moves out: factors without indices, and predicates. */
static bool content(Calculus *c, const Terms *t, Value *out) {
  if (t->n > COMMON || c->options.expand || terms_find(t, c->one) || integer_terms(c, t)) return false;
  Terms *fs = SCRATCH(c, Terms, t->n), common = {0};
  uint32_t tried = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    if (flags_of(c, t->at[i].ref) & F_INFINITE) return false;
    fs[i] = factors_of(c, t->at[i].ref);
  }
  for (uint32_t j = 0; j < fs[0].n; j++) {
    Rat p = common_power(c, fs, t->n, fs[0].at[j].ref);
    if (p != RAT_0) terms_add(c, &common, fs[0].at[j].ref, p);
  }
  for (uint32_t i = 0; i < t->n && tried < PREDICATES; i++)
    for (uint32_t j = 0; j < fs[i].n && tried < PREDICATES; j++) {
      RefId q = fs[i].at[j].ref;
      if (!(flags_of(c, q) & F_PRED) || fs[i].at[j].k != RAT_1 || terms_find(&common, q)) continue;
      tried++;
      if (selects_all(c, t, fs, q)) terms_add(c, &common, q, RAT_1);
    }
  if (!common.n) return false;
  Factor *f = SCRATCH(c, Factor, fs[0].n + common.n + 1);
  Value *inner = SCRATCH(c, Value, t->n);
  for (uint32_t i = 0; i < t->n; i++) {
    f = SCRATCH(c, Factor, fs[i].n);
    uint32_t n = 0;
    for (uint32_t j = 0; j < fs[i].n; j++) {
      const Term *x = terms_find(&common, fs[i].at[j].ref);
      Rat p = x ? rat_sub(fs[i].at[j].k, x->k) : fs[i].at[j].k;
      if (p != RAT_0) f[n++] = (Factor){one_of(fs[i].at[j].ref), p};
    }
    inner[i] = value_scale(t->at[i].k, mul(c, f, n));
  }
  f = SCRATCH(c, Factor, common.n + 1);
  for (uint32_t j = 0; j < common.n; j++) f[j] = (Factor){one_of(common.at[j].ref), common.at[j].k};
  f[common.n] = (Factor){calc_add(c, inner, t->n), RAT_1};
  *out = mul(c, f, common.n + 1);
  return true;
}

Value lin(Calculus *c, Terms *t) {
  if (!t->n || c->broken) return VALUE_ZERO; /* a limit may be reached while terms are put together */
  if (t->n == 1) return val(t->at[0].k, t->at[0].ref);
  Value v;
  if (infinite(c, t, &v)) return v;
  if (extract(c, t, &v) || complement(c, t, &v) || content(c, t, &v)) return v;
  Rat s = canonical_scale(c, t);
  Term *items = SCRATCH(c, Term, t->n);
  for (uint32_t i = 0; i < t->n; i++) items[i] = (Term){t->at[i].ref, rat_div(t->at[i].k, s)};
  return val(s, canon(c, K_LIN, 0, items, t->n, NULL, 0, props_of_sum(c, items, t->n)));
}

/* The terms of q (A + B) are q A and q B, for what `content` and `extract` move out. */
static void add_opened(Calculus *c, Terms *t, RefId r, Rat k) {
  Terms fs = {0};
  uint32_t at = UINT32_MAX;
  if (cls_of(c, r)->kind == K_MUL) fs = factors_of(c, r);
  for (uint32_t i = 0; i < fs.n; i++) {
    const Class *x = cls_of(c, fs.at[i].ref);
    bool number = !x->n_slots && x->kind != K_LIN && !(x->flags & F_INFINITE);
    if ((x->flags & F_PRED) || number || is_exp(c, fs.at[i].ref)) continue;
    bool sum = x->kind == K_LIN && fs.at[i].k == RAT_1 && at == UINT32_MAX && x->n_args <= OPENED;
    if (!sum || (x->flags & F_INFINITE)) fs.n = 0;
    at = i;
  }
  if (!fs.n || at == UINT32_MAX) {
    terms_add(c, t, r, k);
    return;
  }
  Terms u = terms_of(c, one_of(fs.at[at].ref));
  Factor *f = SCRATCH(c, Factor, fs.n);
  for (uint32_t j = 0; j < u.n; j++) {
    for (uint32_t i = 0; i < fs.n; i++)
      f[i] = i == at ? (Factor){one_of(u.at[j].ref), RAT_1} : (Factor){one_of(fs.at[i].ref), fs.at[i].k};
    Value v = mul(c, f, fs.n);
    Terms w = terms_of(c, v);
    for (uint32_t i = 0; i < w.n; i++) terms_add(c, t, w.at[i].ref, rat_mul(rat_mul(k, u.at[j].k), w.at[i].k));
  }
}

/* The complement of a predicate that is written as one: q of 1 - q. */
static bool complement_of(Calculus *c, RefId r, RefId *q) {
  const Class *x = cls_of(c, r);
  if (x->kind != K_LIN || !(x->flags & F_PRED) || x->n_args != 2) return false;
  Value v = calc_not(c, one_of(r));
  *q = v.ref;
  return v.k == RAT_1;
}

/* k (1 - q) x + l q x = k x + (l - k) q x */
static bool join_cases(Calculus *c, Terms *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    if (cls_of(c, t->at[i].ref)->kind != K_MUL || !has_condition(c, t->at[i].ref)) continue;
    Terms fs = factors_of(c, t->at[i].ref);
    for (uint32_t j = 0; j < fs.n; j++) {
      RefId q;
      if (!complement_of(c, fs.at[j].ref, &q)) continue;
      Value x = mul_terms(c, &fs, fs.at[j].ref), other = calc_mul2(c, one_of(q), x);
      Term *with = other.k == RAT_0 ? NULL : terms_find(t, other.ref);
      if (!with || with->k == RAT_0) continue;
      Rat k = t->at[i].k;
      with->k = rat_sub(with->k, rat_mul(k, other.k));
      t->at[i].k = RAT_0;
      Terms u = terms_of(c, x);
      for (uint32_t a = 0; a < u.n; a++) terms_add(c, t, u.at[a].ref, rat_mul(k, u.at[a].k));
      terms_pack(t);
      return true;
    }
  }
  return false;
}

Value add_terms(Calculus *c, Terms *t) {
  terms_pack(t);
  for (int i = 0; c->options.expand && !c->exhausted && i < JOINED && t->n > 1 && collect_terms(c, t); i++) {
  }
  for (int i = 0; i < JOINED && t->n > 1 && (even_join(c, t) || join_cases(c, t)); i++) {
  }
  if (t->n > 1) fold(c, t);
  return lin(c, t);
}

static Value sum_of(Calculus *c, const Value *v, uint32_t n) {
  Terms t = {0};
  bool plus = false, minus = false;
  for (uint32_t i = 0; i < n; i++) {
    Terms u = terms_of(c, v[i]);
    for (uint32_t j = 0; j < u.n; j++) {
      if (u.at[j].ref == c->neginf) *(rat_sign(u.at[j].k) > 0 ? &plus : &minus) = true;
      if (n > 1)
        add_opened(c, &t, u.at[j].ref, u.at[j].k);
      else
        terms_add(c, &t, u.at[j].ref, u.at[j].k);
    }
  }
  for (uint32_t i = 0; i < t.n; i++) { /* x - x = 0 */
    uint16_t gone = t.at[i].k == RAT_0 ? flags_of(c, t.at[i].ref) : 0;
    if (gone & (F_INFINITE | F_LOGS) && !is_left(c, t.at[i].ref)) calculus_assume(c, ASSUME_FINITE | ASSUME_LEFT);
    if (gone & F_DIVIDES) calculus_assume(c, ASSUME_NONZERO);
  }
  if (plus && minus) return undefined(c, "undefined: infinity minus infinity");
  Value out = add_terms(c, &t);
  uint16_t had = 0, left = value_is_num(out) ? 0 : flags_of(c, out.ref);
  for (uint32_t i = 0; i < n; i++) had |= value_is_num(v[i]) ? 0 : flags_of(c, v[i].ref);
  had &= (uint16_t)~left; /* what joined first, and cancelled then */
  assume_number(c, had & (F_LOGS | F_DIVIDES));
  return out;
}

enum { SUM = 6 }; /* tag of keys of the memo */

Value calc_add(Calculus *c, const Value *v, uint32_t n) {
  step(c);
  if (c->broken) return VALUE_ZERO;
  Frame m = frame_enter(c);
  uint64_t *key = SCRATCH(c, uint64_t, 2 * n), h;
  for (uint32_t i = 0; i < n; i++) key[2 * i] = (uint64_t)v[i].ref << 8 | SUM, key[2 * i + 1] = v[i].k;
  Value *known = memo_find(c, key, 2 * n, &h), out;
  if (known) {
    out = *known;
  } else {
    out = sum_of(c, v, n);
    if (!c->exhausted && !c->counting) memo_put(c, key, 2 * n, h, out);
  }
  frame_leave(c, m);
  return out;
}

Value calc_add2(Calculus *c, Value a, Value b) { return calc_add(c, (Value[]){a, b}, 2); }
Value calc_sub(Calculus *c, Value a, Value b) { return calc_add(c, (Value[]){a, value_neg(b)}, 2); }
