/* Products: factor -> rational power, flat, sorted, the coefficient outside.  Division, roots and squares are powers.
 * Powers distribute over a product when they are integers or the factors are known not to be negative. */
#include <string.h>

#include "eval/calculus/core.h"

enum { MOST_HEADS = 64 };
enum { MOST_VALUES = 16, SIGN_INDICES = 2 }; /* of an index, for each of which a sign is asked; and of how many indices */
enum { MOST_CASES = 64 }; /* in which terms are looked at */


Terms factors_of(Calculus *c, RefId r) {
  Terms t = {0};
  if (r == c->one) return t;
  if (cls_of(c, r)->kind != K_MUL) {
    terms_add(c, &t, r, RAT_1);
    return t;
  }
  Opened o = node_open(c, r);
  for (uint32_t i = 0; i < o.n; i++) terms_add(c, &t, o.args[i].ref, o.args[i].k);
  return t;
}

Value undefined(Calculus *c, const char *why) {
  Value v = calc_leaf(c, sym(why), NULL, NULL, NULL, 0, (LeafInfo){0});
  c->classes.at[value_class(c, v)].flags |= F_DIVIDES;
  return v;
}

bool is_undefined(const Calculus *c, RefId r) {
  return cls_of(c, r)->kind == K_LEAF && (flags_of(c, r) & F_DIVIDES);
}

Value mul_terms(Calculus *c, const Terms *t, RefId except) {
  Factor *f = SCRATCH(c, Factor, t->n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n; i++)
    if (t->at[i].ref != except) f[n++] = (Factor){one_of(t->at[i].ref), t->at[i].k};
  return mul(c, f, n);
}

/* x ^ p is not negative whatever the sign of x. */
static bool even_power(Rat p) {
  if (rat_is_int(p)) return rat_is_int(rat_div(p, RAT_INT(2)));
  mpq_t q;
  mpq_init(q);
  rat_get(p, q);
  bool even = mpz_even_p(mpq_denref(q));
  mpq_clear(q);
  return even;
}

bool positive_factor(const Calculus *c, const Term *t) {
  uint16_t f = flags_of(c, t->ref);
  bool pos = (f & F_POS) || (rat_sign(t->k) < 0 && ((f & F_NONNEG) || even_power(t->k)));
  return pos && !((f & F_INFINITE) && rat_sign(t->k) < 0); /* 1 / infinity is 0 */
}

Props props_of_product(Calculus *c, const Terms *t) {
  Props p = {F_POS | F_NONNEG | F_PRED | F_INTEGER, RAT_0, RAT_1};
  for (uint32_t i = 0; i < t->n; i++) {
    uint16_t f = flags_of(c, t->at[i].ref);
    Rat e = t->at[i].k;
    bool pos = positive_factor(c, &t->at[i]);
    if (!pos) p.flags &= (uint16_t)~F_POS;
    if (!pos && !(f & F_NONNEG) && !even_power(e)) p.flags &= (uint16_t)~F_NONNEG;
    if (!(f & F_PRED) || e != RAT_1) p.flags &= (uint16_t)~F_PRED;
    if (!(f & F_INTEGER) || !rat_is_int(e) || rat_sign(e) < 0) p.flags &= (uint16_t)~F_INTEGER;
    if (!(f & F_POS) && rat_sign(e) < 0) p.flags |= F_DIVIDES;
  }
  if (!(p.flags & F_NONNEG)) p.flags &= (uint16_t)~F_POS;
  if (p.flags & F_PRED) return p.flags |= F_RANGE, p;
  /* intervals; that of a factor where the predicates hold */
  Rat lo = RAT_1, hi = RAT_1;
  bool known = true;
  for (uint32_t i = 0; i < t->n && known; i++) {
    Rat a, b;
    known = t->at[i].k == RAT_1 && facts_range_of(c, t, i, &a, &b);
    if (!known) break;
    Rat q[4] = {rat_mul(lo, a), rat_mul(lo, b), rat_mul(hi, a), rat_mul(hi, b)};
    lo = hi = q[0];
    for (int j = 1; j < 4; j++) {
      if (rat_cmp(q[j], lo) < 0) lo = q[j];
      if (rat_cmp(q[j], hi) > 0) hi = q[j];
    }
  }
  if (known) p.flags |= F_RANGE, p.lo = lo, p.hi = hi;
  return p;
}

static bool conditional(const Calculus *c, ClassId id) {
  const Class *x = cls(c, id);
  bool some = (x->flags & F_PRED) && x->kind != K_ONE;
  for (uint32_t i = 0; x->kind == K_MUL && i < x->n_args && !some; i++) some = (cls(c, x->args[i].cls)->flags & F_PRED) != 0;
  return some;
}

bool has_condition(const Calculus *c, RefId r) { return conditional(c, ref(c, r)->cls); }

bool is_masked(const Calculus *c, RefId r) {
  const Class *x = cls_of(c, r);
  bool all = x->kind == K_LIN;
  for (uint32_t i = 0; i < x->n_args && all; i++) all = conditional(c, x->args[i].cls);
  return all;
}

/* What is divided by, a sum or an exponential, is positive if it is seen to be so for every value of some index, or of so
 * many of them: a term for which a mask leaves something may be another one for each. */
static void find_sign(Calculus *c, RefId r, uint32_t indices) {
  uint16_t f = flags_of(c, r);
  Kind kind = (Kind)cls_of(c, r)->kind;
  if ((kind != K_LIN && kind != K_FN) || !(f & F_NONNEG) || (f & (F_POS | F_INFINITE | F_SIGNED | F_PRED))) return;
  c->classes.at[ref(c, r)->cls].flags |= F_SIGNED;
  bool positive = false;
  for (uint32_t k = 0; k < ref(c, r)->n && !positive; k++) {
    Name n = ref(c, r)->names[k];
    if (name_is_const(n) || name_size(c, n) > MOST_VALUES) continue;
    positive = true;
    for (int64_t v = 0; v < name_size(c, n) && positive; v++) {
      Subst s = {0};
      subst_put(&s, n, name_at(c, v));
      Value at = rename_ref(c, r, &s);
      if (indices > 1 && rat_sign(at.k) > 0) find_sign(c, at.ref, indices - 1);
      positive = value_is_num(at) ? rat_sign(at.k) > 0 : rat_sign(at.k) > 0 && (flags_of(c, at.ref) & F_POS);
    }
  }
  if (positive) c->classes.at[ref(c, r)->cls].flags |= F_POS;
}

/* A truth value p to a power is p; 1 / p is 1, not one more p that cancels: p may be the condition under which 1 / p is
 * read, and p / p is p in `p ? x / p : 0`. */
static void put(Calculus *c, Terms *t, RefId r, Rat p) {
  if (flags_of(c, r) & F_PRED) {
    if (rat_sign(p) > 0) terms_add(c, t, r, RAT_1);
    else calculus_assume(c, ASSUME_NONZERO);
    return;
  }
  const Term *had = terms_find(t, r);
  if (rat_sign(p) < 0 || (had && rat_sign(had->k) < 0)) find_sign(c, r, SIGN_INDICES);
  had = terms_find(t, r);
  if (had && rat_sign(had->k) * rat_sign(p) < 0 && !(flags_of(c, r) & F_POS)) calculus_assume(c, ASSUME_NONZERO);
  terms_add(c, t, r, p);
}

bool small_power(Rat p, int64_t *e) { return rat_to_int(p, e) && *e > -MOST_POWER && *e < MOST_POWER; }

static bool by_zero(Factor f) { return f.v.k == RAT_0 && rat_sign(f.p) < 0; }

/* A product with a factor 0 is 0 where the others are numbers: of 0 * x what x must be is assumed; 0 / 0 has no value. */
static bool vanishes(Calculus *c, const Factor *f, uint32_t n) {
  bool zero = false;
  uint16_t others = 0;
  for (uint32_t i = 0; i < n && !zero; i++) zero = f[i].v.k == RAT_0;
  for (uint32_t i = 0; i < n; i++) {
    if (by_zero(f[i]) || is_undefined(c, f[i].v.ref)) return false;
    if (f[i].v.k == RAT_0) continue;
    if (rat_sign(f[i].p) < 0 && zero) find_sign(c, f[i].v.ref, SIGN_INDICES);
    others |= flags_of(c, f[i].v.ref);
    if (rat_sign(f[i].p) < 0 && !(flags_of(c, f[i].v.ref) & F_POS)) /* an exponential is 0 at minus infinity alone */
      others |= is_exp(c, f[i].v.ref) ? F_INFINITE : F_DIVIDES;
  }
  if (zero) assume_number(c, others);
  return zero;
}

/* Roots of numbers that make up a whole power: p^(3/2) = p p^(1/2). */
static void whole_roots(Calculus *c, Rat *k, Terms *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    const Class *x = cls_of(c, t->at[i].ref);
    int64_t e;
    if (x->kind != K_LIN || x->n_args != 1 || x->args[0].cls != ref(c, c->one)->cls) continue;
    if (rat_sign(x->args[0].tag) <= 0 || !small_power(rat_floor(t->at[i].k), &e) || !e) continue;
    *k = rat_mul(*k, rat_pow(x->args[0].tag, e));
    t->at[i].k = rat_sub(t->at[i].k, rat_int(e));
  }
  terms_pack(t);
}

/* |x|^2 = x^2, |x| x^2 = |x|^3 */
static void even_powers_of_abs(Calculus *c, Terms *t) {
  bool some = false;
  for (uint32_t i = 0; i < t->n; i++) {
    RefId r = t->at[i].ref;
    Rat p = t->at[i].k;
    if (cls_of(c, r)->kind != K_FN || cls_of(c, r)->attr != c->fn.abs || !rat_is_int(p)) continue;
    RefId x = node_open(c, r).args[0].ref;
    Term *had = even_power(p) ? &t->at[i] : terms_find(t, x);
    if (!had || !rat_is_int(had->k) || !even_power(had->k)) continue;
    Rat q = had->k;
    had->k = RAT_0;
    put(c, t, had == &t->at[i] ? x : r, q);
    some = true;
  }
  if (some) terms_pack(t);
}

RefId under_root(Calculus *c, const Term *x) {
  uint16_t f = flags_of(c, x->ref);
  if ((f & F_NONNEG) || (!rat_is_int(x->k) && even_power(x->k))) return x->ref;
  if (!even_power(x->k) || (f & F_INFINITE)) return NO_REF;
  Value v = one_of(x->ref);
  return calc_fn(c, c->fn.abs, &v, 1).ref;
}

void assume_turned(Calculus *c, const Term *x, Rat p) {
  bool turned = rat_sign(p) < 0 && rat_sign(x->k) < 0;
  if (turned && !(flags_of(c, x->ref) & F_POS)) calculus_assume(c, ASSUME_NONZERO);
}

/* A combination without the predicates that all of its terms have; false: they have none in common. */
static bool without_conditions(Calculus *c, RefId r, Value *out) {
  Terms t = terms_of(c, one_of(r));
  Terms *fs = SCRATCH(c, Terms, t.n);
  bool some = false;
  for (uint32_t i = 0; i < t.n; i++) fs[i] = factors_of(c, t.at[i].ref);
  for (uint32_t j = 0; j < fs[0].n; j++) {
    RefId q = fs[0].at[j].ref;
    bool common = (flags_of(c, q) & F_PRED) != 0;
    for (uint32_t i = 1; i < t.n && common; i++) common = terms_find(&fs[i], q) && terms_find(&fs[i], q)->k != RAT_0;
    for (uint32_t i = 0; i < t.n && common; i++) terms_find(&fs[i], q)->k = RAT_0;
    some |= common;
  }
  Value *all = SCRATCH(c, Value, t.n);
  for (uint32_t i = 0; i < t.n && some; i++) {
    terms_pack(&fs[i]);
    all[i] = value_scale(t.at[i].k, mul_terms(c, &fs[i], NO_REF));
  }
  if (some) *out = calc_add(c, all, t.n);
  return some;
}

/* Coefficient and factors of a list of powers; false: the product is zero. */
static bool gather(Calculus *c, const Factor *f, uint32_t n, Rat *k, Terms *t) {
  if (vanishes(c, f, n)) return false;
  for (uint32_t i = 0; i < n; i++) {
    Value v = f[i].v;
    Rat p = f[i].p;
    if (by_zero(f[i]) || (v.ref == c->neginf && p != RAT_1)) {
      v = undefined(c, by_zero(f[i]) ? DIVISION_BY_ZERO : "undefined: power of infinity");
      p = RAT_1;
    } else if (v.k == RAT_0) { /* 0 / 0 */
      continue;
    }
    if (rat_sign(p) < 0 && is_masked(c, v.ref) && !(flags_of(c, v.ref) & F_PRED)) { /* as for 1 / p, see `put` */
      Value u;
      if (without_conditions(c, v.ref, &u)) v = value_scale(v.k, u), calculus_assume(c, ASSUME_NONZERO);
    }
    RefId r = v.ref;
    int64_t e;
    if (small_power(p, &e) || (rat_is_int(p) && v.k == RAT_1))
      *k = rat_mul(*k, v.k == RAT_1 ? RAT_1 : rat_pow(v.k, e));
    else
      r = ref_of(c, v);
    if (r == c->one) continue;
    if (cls_of(c, r)->kind == K_MUL) {
      Terms inner = factors_of(c, r);
      bool distributes = rat_is_int(p);
      if (!distributes) {
        distributes = true;
        for (uint32_t j = 0; j < inner.n && distributes; j++) {
          inner.at[j].ref = under_root(c, &inner.at[j]);
          distributes = inner.at[j].ref != NO_REF;
        }
      }
      if (distributes) {
        for (uint32_t j = 0; j < inner.n; j++) {
          assume_turned(c, &inner.at[j], p);
          put(c, t, inner.at[j].ref, rat_mul(p, inner.at[j].k));
        }
        continue;
      }
    }
    put(c, t, r, p);
  }
  terms_pack(t);
  even_powers_of_abs(c, t);
  whole_roots(c, k, t);
  return true;
}

static bool has_other(const Terms *t, const Calculus *c, RefId r) {
  for (uint32_t i = 0; i < t->n; i++)
    if (t->at[i].ref != r && !(cls_of(c, t->at[i].ref)->kind == K_FN && cls_of(c, t->at[i].ref)->attr == c->fn.exp))
      return true;
  return false;
}

/* The place at which a factor [n == v] puts the product; NO_REF: it has none. */
static RefId stands_at(Calculus *c, const Terms *fs, Name n, uint32_t *v) {
  Name m;
  for (uint32_t i = 0; i < fs->n; i++)
    if (point_of(c, fs->at[i].ref, &m, v) && m == n) return fs->at[i].ref;
  return NO_REF;
}

/* (sum_v [n == v] x_v)^p = sum_v [n == v] x_v^p, for one index or several: no two terms stand at the same position, and
 * one at each if p < 0. */
static bool power_of_cases(Calculus *c, Terms *t, Value *out) {
  for (uint32_t i = 0; i < t->n; i++) {
    RefId r = t->at[i].ref;
    const Class *x = cls_of(c, r);
    if (t->at[i].k == RAT_1 || (x->flags & F_PRED) || x->n_args > MOST_CASES || !is_masked(c, r)) continue;
    Terms u = terms_of(c, one_of(r)), first = factors_of(c, u.at[0].ref);
    uint32_t n = 0, *at = SCRATCH(c, uint32_t, u.n * first.n); /* by index, then term */
    RefId *point = SCRATCH(c, RefId, u.n * first.n);
    uint64_t positions = 1;
    for (uint32_t k = 0; k < first.n; k++) {
      Name index;
      uint32_t v;
      if (!point_of(c, first.at[k].ref, &index, &v)) continue;
      bool all = true;
      for (uint32_t j = 0; j < u.n && all; j++) {
        Terms fs = factors_of(c, u.at[j].ref);
        all = (point[n * u.n + j] = stands_at(c, &fs, index, &at[n * u.n + j])) != NO_REF;
      }
      if (!all) continue;
      if (positions <= MOST_CASES) positions *= (uint64_t)name_size(c, index);
      n++;
    }
    bool apart = n > 0;
    for (uint32_t j = 1; j < u.n && apart; j++)
      for (uint32_t k = 0; k < j && apart; k++) {
        bool found = false;
        for (uint32_t m = 0; m < n; m++) found |= at[m * u.n + j] != at[m * u.n + k];
        apart = found;
      }
    if (!apart || (rat_sign(t->at[i].k) < 0 && u.n < positions)) continue;
    Value *all = SCRATCH(c, Value, u.n);
    for (uint32_t j = 0; j < u.n; j++) {
      Terms fs = factors_of(c, u.at[j].ref);
      Factor *f = SCRATCH(c, Factor, fs.n);
      uint32_t left = 0, had = 0;
      Value *where = SCRATCH(c, Value, n + 1);
      for (uint32_t k = 0; k < fs.n; k++) {
        bool is_point = false;
        for (uint32_t m = 0; m < n; m++) is_point |= point[m * u.n + j] == fs.at[k].ref;
        if (is_point)
          where[had++] = one_of(fs.at[k].ref);
        else
          f[left++] = (Factor){one_of(fs.at[k].ref), fs.at[k].k};
      }
      where[had++] = calc_pow(c, value_scale(u.at[j].k, mul(c, f, left)), t->at[i].k);
      all[j] = calc_mul(c, where, had);
    }
    Factor *f = SCRATCH(c, Factor, t->n);
    for (uint32_t j = 0; j < t->n; j++) f[j] = (Factor){one_of(t->at[j].ref), t->at[j].k};
    f[i] = (Factor){calc_add(c, all, u.n), RAT_1};
    Terms joined = factors_of(c, f[i].v.ref);
    if (terms_find(&joined, t->at[i].ref)) return false; /* cases that fold into the power again */
    *out = mul(c, f, t->n);
    return true;
  }
  return false;
}

/* Made of numbers and indices alone; *n_fn: by so many functions besides sums and products. */
static bool is_closed(const Calculus *c, ClassId id, uint32_t *n_fn) {
  const Class *x = cls(c, id);
  bool fn = x->kind == K_FN && (x->attr == c->fn.exp || x->attr == c->fn.log);
  bool all = x->kind == K_LIN || x->kind == K_MUL || fn;
  *n_fn += fn;
  for (uint32_t i = 0; i < x->n_args && all; i++) all = is_closed(c, x->args[i].cls, n_fn);
  return all || x->kind == K_ONE || x->kind == K_IDX;
}

bool positive_numbers(Calculus *c, RefId r) {
  uint32_t n_fn = 0;
  Name n = ref(c, r)->n == 1 ? ref(c, r)->names[0] : name_const(0);
  if (name_is_const(n) || name_size(c, n) > MOST_HEADS || !is_closed(c, ref(c, r)->cls, &n_fn) || !n_fn) return false;
  bool all = (flags_of(c, r) & (F_POS | F_SIGNED)) == 0;
  for (int64_t k = 0; all && k < name_size(c, n); k++) {
    Subst s = {0};
    subst_put(&s, n, name_at(c, k));
    Value at = rename_ref(c, r, &s);
    all = value_is_num(at) && rat_sign(at.k) > 0;
  }
  c->classes.at[ref(c, r)->cls].flags |= F_SIGNED | (all ? F_POS | F_NONNEG : 0);
  return flags_of(c, r) & F_POS;
}

/* Tactic: distribute the product over a sum among its factors, unless its powers are those of a number for each value of
 * an index. */
static bool expand(Calculus *c, const Terms *t, Value *out) {
  for (uint32_t i = 0; i < t->n; i++)
    if (flags_of(c, t->at[i].ref) & F_INFINITE) return false; /* infinity times 0 is 0, times 1 - 1 nothing */
  for (uint32_t i = 0; i < t->n; i++) {
    RefId r = t->at[i].ref;
    const Class *x = cls_of(c, r);
    Rat p = t->at[i].k;
    if (x->kind != K_LIN || (x->flags & F_PRED) || x->n_args > c->options.expand) continue;
    if (positive_numbers(c, r)) continue;
    bool power = (p == RAT_INT(2) || p == RAT_INT(3)) && x->n_args <= 4 && !(x->flags & F_NONNEG); /* a denominator */
    if (p != RAT_1 && !power) continue;
    if (p == RAT_1 && !has_other(t, c, r)) continue;
    Terms u = terms_of(c, one_of(r));
    Factor *f = SCRATCH(c, Factor, t->n + 1);
    uint32_t n = 1;
    for (uint32_t j = 0; j < t->n; j++)
      if (t->at[j].ref != r) f[n++] = (Factor){one_of(t->at[j].ref), t->at[j].k};
    if (p != RAT_1) f[n++] = (Factor){one_of(r), rat_sub(p, RAT_1)};
    Value *v = SCRATCH(c, Value, u.n);
    for (uint32_t j = 0; j < u.n; j++) {
      f[0] = (Factor){val(u.at[j].k, u.at[j].ref), RAT_1};
      v[j] = mul(c, f, n);
    }
    *out = calc_add(c, v, u.n);
    return true;
  }
  return false;
}

/* Tactic: of d = x / a + y under a negative power, the least powers of the factors of its terms: d = (x + y a) / a. */
static bool clear(Calculus *c, const Terms *t, Value *out) {
  for (uint32_t i = 0; i < t->n; i++) {
    RefId d = t->at[i].ref;
    const Class *x = cls_of(c, d);
    if (x->kind != K_LIN || rat_sign(t->at[i].k) > 0 || !rat_is_int(t->at[i].k) || (x->flags & (F_PRED | F_INFINITE)) ||
        x->n_args > c->options.expand)
      continue;
    Terms u = terms_of(c, one_of(d)), least = {0};
    bool plain = true;
    for (uint32_t j = 0; j < u.n && plain; j++) {
      Terms fs = factors_of(c, u.at[j].ref);
      for (uint32_t k = 0; k < fs.n && plain; k++) {
        plain = !(flags_of(c, fs.at[k].ref) & F_PRED); /* what is divided by may be zero where another case holds */
        if (rat_sign(fs.at[k].k) > 0 || is_exp(c, fs.at[k].ref) || is_masked(c, fs.at[k].ref)) continue;
        Term *had = terms_find(&least, fs.at[k].ref);
        if (!had) terms_add(c, &least, fs.at[k].ref, fs.at[k].k);
        else if (rat_cmp(fs.at[k].k, had->k) < 0) had->k = fs.at[k].k;
      }
    }
    if (!plain || !least.n) continue;
    Factor *f = SCRATCH(c, Factor, t->n + least.n + 1);
    Value *all = SCRATCH(c, Value, u.n);
    for (uint32_t k = 0; k < least.n; k++) {
      if (!(flags_of(c, least.at[k].ref) & F_POS)) calculus_assume(c, ASSUME_NONZERO);
      f[k + 1] = (Factor){one_of(least.at[k].ref), rat_neg(least.at[k].k)};
    }
    for (uint32_t j = 0; j < u.n; j++) {
      f[0] = (Factor){val(u.at[j].k, u.at[j].ref), RAT_1};
      all[j] = mul(c, f, least.n + 1);
    }
    uint32_t n = 0;
    for (uint32_t j = 0; j < t->n; j++)
      if (j != i) f[n++] = (Factor){one_of(t->at[j].ref), t->at[j].k};
    for (uint32_t k = 0; k < least.n; k++)
      f[n++] = (Factor){one_of(least.at[k].ref), rat_mul(least.at[k].k, t->at[i].k)};
    f[n++] = (Factor){calc_add(c, all, u.n), t->at[i].k};
    *out = mul(c, f, n);
    return true;
  }
  return false;
}

/* [n == e], n an index of the sum, or digits of one, and e data. */
static bool says_place(Calculus *c, RefId p, const Opened *sum) {
  Terms form;
  bool data = false, bound = false;
  if (cls_of(c, p)->kind != K_CMP || atom_of(c, p, &form) != REL_EQ) return false;
  for (uint32_t i = 0; i < form.n; i++) data |= form.at[i].ref != c->one && cls_of(c, form.at[i].ref)->kind != K_IDX;
  for (uint32_t j = 0; j < sum->n_bound; j++) bound |= ref_has(c, p, sum->bound[j]);
  return data && bound;
}

/* sum(a) [a == e] x[a] times sum(b) [b == e] y[b], as one sum: where a is e, the other one is y[a]. */
static bool same_place(Calculus *c, const Opened *a, RefId p, RefId other, Value *out) {
  if (!says_place(c, p, a)) return false;
  Value v = calc_mul2(c, one_of(p), one_of(other));
  Terms fs = factors_of(c, v.ref);
  if (value_is_num(v) || terms_find(&fs, other)) return false;
  Factor *f = SCRATCH(c, Factor, a->n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->n; i++) f[n++] = (Factor){one_of(a->args[i].ref), a->args[i].k};
  f[n++] = (Factor){v, RAT_1};
  *out = calc_sum(c, a->bound, a->n_bound, mul(c, f, n));
  return true;
}

static bool is_look_up(const Calculus *c, RefId r) {
  const Class *x = cls_of(c, r);
  return x->kind == K_RED && !x->reach && !(x->flags & F_INFINITE);
}

/* Tactic: two sums with one element at most, and that at the same place, are one; a power of what is looked up is looked
 * up. */
static bool look_up_once(Calculus *c, const Terms *t, Value *out) {
  Value power;
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->at[i].k != RAT_1 && is_look_up(c, t->at[i].ref) && look_up_power(c, t->at[i].ref, t->at[i].k, &power))
      return *out = calc_mul2(c, power, mul_terms(c, t, t->at[i].ref)), true;
    for (uint32_t j = 0; j < i; j++) {
      RefId r[] = {t->at[i].ref, t->at[j].ref};
      bool sums = true;
      for (int k = 0; k < 2; k++) sums &= is_look_up(c, r[k]);
      if (!sums || t->at[i].k != RAT_1 || t->at[j].k != RAT_1) continue;
      Opened a = node_open(c, r[0]);
      Value both;
      bool one = false;
      for (uint32_t p = 0; p < a.n && !one; p++) one = same_place(c, &a, a.args[p].ref, r[1], &both);
      if (!one) continue;
      Factor *f = SCRATCH(c, Factor, t->n);
      uint32_t n = 0;
      f[n++] = (Factor){both, RAT_1};
      for (uint32_t k = 0; k < t->n; k++)
        if (k != i && k != j) f[n++] = (Factor){one_of(t->at[k].ref), t->at[k].k};
      *out = mul(c, f, n);
      return true;
    }
  }
  return false;
}

/* A scaled form that was kept under a root and is now at an integer power is normalised again. */
static bool rescale(Calculus *c, const Terms *t, Value *out) {
  int64_t e;
  for (uint32_t i = 0; i < t->n; i++) {
    RefId r = t->at[i].ref;
    if (cls_of(c, r)->kind != K_LIN || (flags_of(c, r) & (F_PRED | F_NORMAL)) || !small_power(t->at[i].k, &e)) continue;
    Terms u = terms_of(c, one_of(r));
    Value v = lin(c, &u);
    if (v.k == RAT_1 && v.ref == r) {
      c->classes.at[ref(c, r)->cls].flags |= F_NORMAL;
      continue;
    }
    Factor *f = SCRATCH(c, Factor, t->n);
    for (uint32_t j = 0; j < t->n; j++) f[j] = (Factor){j == i ? v : one_of(t->at[j].ref), t->at[j].k};
    *out = mul(c, f, t->n);
    return true;
  }
  return false;
}

/* A scaled form under a root takes up what is at whole powers: (k x)^(1/2) x = (k x)^(3/2) / k. */
static void join_root(Calculus *c, Rat *k, Terms *t) {
  bool joined = false;
  for (uint32_t i = 0; i < t->n; i++) {
    const Class *x = cls_of(c, t->at[i].ref);
    if (x->kind != K_LIN || rat_is_int(t->at[i].k) || (x->flags & (F_PRED | F_NORMAL))) continue;
    bool near = false;
    for (uint32_t j = 0; j < t->n && !near; j++)
      near = rat_is_int(t->at[j].k) && (x->n_args == 1 || cls_of(c, t->at[j].ref)->n_args == x->n_args);
    if (!near) continue;
    Terms u = terms_of(c, one_of(t->at[i].ref));
    Value v = lin(c, &u);
    Term *had = v.ref == t->at[i].ref ? NULL : terms_find(t, v.ref);
    int64_t e;
    if (!had || !small_power(had->k, &e)) continue;
    had->k = RAT_0;
    *k = rat_mul(*k, rat_pow(v.k, -e));
    put(c, t, t->at[i].ref, rat_int(e));
    joined = true;
  }
  if (joined) terms_pack(t);
}

enum { PRODUCT = 5 }; /* tag of keys of the memo; subst.c has 1 and 4, fold.c 2 and 3 */

/* The product of packed factors, each under what the others say. */
static Value in_context(Calculus *c, Terms *t) {
  Value v;
  bool zero = false;
  if (facts_context(c, t, &v, &zero)) return v;
  if (zero) return VALUE_ZERO;
  if (!t->n) return VALUE_ONE;
  if (t->n == 1 && t->at[0].k == RAT_1) return one_of(t->at[0].ref);
  return one_of(canon(c, K_MUL, 0, t->at, t->n, NULL, 0, props_of_product(c, t)));
}

/* The same; products with masks are remembered, since many are asked for again. */
static Value remembered(Calculus *c, Terms *t) {
  uint64_t *key = SCRATCH(c, uint64_t, 2 * t->n), h;
  for (uint32_t i = 0; i < t->n; i++) key[2 * i] = (uint64_t)t->at[i].ref << 8 | PRODUCT, key[2 * i + 1] = t->at[i].k;
  uint32_t n = 2 * t->n;
  Value *known = memo_find(c, key, n, &h);
  if (known) return *known;
  Value v = in_context(c, t);
  if (!c->exhausted) memo_put(c, key, n, h, v);
  return v;
}

static Value product(Calculus *c, const Factor *f, uint32_t n) {
  Rat k = RAT_1;
  Terms t = {0};
  Value v;
  if (!gather(c, f, n, &k, &t)) return VALUE_ZERO;
  if (c->options.expand && !c->exhausted &&
      (look_up_once(c, &t, &v) || circular_power(c, &t, &v) || expand(c, &t, &v) || clear(c, &t, &v)))
    return value_scale(k, v);
  if (rescale(c, &t, &v)) return value_scale(k, v);
  join_root(c, &k, &t);
  if (power_of_cases(c, &t, &v) || scaled_mask(c, &t, &v)) return value_scale(k, v);
  bool masked = false;
  for (uint32_t i = 0; i < t.n; i++) {
    if (!(flags_of(c, t.at[i].ref) & F_PRED)) continue;
    t.at[i].k = RAT_1;
    masked = t.n > 1;
  }
  return value_scale(k, masked ? remembered(c, &t) : in_context(c, &t));
}

Value mul(Calculus *c, const Factor *f, uint32_t n) {
  step(c);
  if (c->broken) return VALUE_ZERO;
  Frame m = frame_enter(c);
  Value v = product(c, f, n);
  frame_leave(c, m);
  return v;
}

Value calc_mul(Calculus *c, const Value *v, uint32_t n) {
  Frame m = frame_enter(c);
  Factor *f = SCRATCH(c, Factor, n);
  for (uint32_t i = 0; i < n; i++) f[i] = (Factor){v[i], RAT_1};
  Value out = mul(c, f, n);
  frame_leave(c, m);
  return out;
}

void assume_masked(Calculus *c, uint16_t flags, bool chosen) {
  c->masked[chosen] |= (flags & F_DIVIDES) != 0;
  if (c->masked[0] && c->masked[1]) calculus_assume(c, ASSUME_NONZERO);
}

Value calc_product(Calculus *c, const Value *v, uint32_t n) {
  Frame m = frame_enter(c);
  bool infinite = false, zero = false;
  for (uint32_t i = 0; i < n; i++) {
    uint16_t f = flags_of(c, v[i].ref);
    if (v[i].k == RAT_0 || !(f & (F_INFINITE | F_POS))) zero = true;
    else infinite |= (f & F_INFINITE) != 0;
    bool condition = false;
    for (uint32_t j = 0; j < n && (f & (F_DIVIDES | F_LOGS)); j++) condition |= j != i && has_condition(c, v[j].ref);
    if (condition) assume_number(c, f & F_LOGS); /* where it is 0, too */
    if (condition) assume_masked(c, f, false);
  }
  if (infinite && zero) calculus_assume(c, ASSUME_FINITE | ASSUME_LEFT);
  frame_leave(c, m);
  return calc_mul(c, v, n);
}

Value calc_mul2(Calculus *c, Value a, Value b) { return calc_mul(c, (Value[]){a, b}, 2); }
