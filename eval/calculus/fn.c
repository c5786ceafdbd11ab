/* Elementwise functions.  exp turns sums into products and log turns exponential factors into sums; integer division
 * and remainder by a number are solved by digits; all others are uninterpreted (equal arguments, equal values). */
#include "eval/calculus/core.h"

static Value plain(Calculus *c, Sym name, const Value *v, uint32_t n, Props p) {
  RefId *refs = SCRATCH(c, RefId, n);
  for (uint32_t i = 0; i < n; i++) refs[i] = ref_of(c, v[i]);
  return one_of(ordered(c, K_FN, name, refs, n, NULL, 0, NULL, 0, p));
}

static Value exp_of(Calculus *c, Value v);

/* p x, at places outside of p: a number, whatever x is there. */
static bool is_outside(Calculus *c, RefId r, Terms *where) {
  Terms all = factors_of(c, r);
  for (uint32_t i = 0; i < all.n; i++) {
    Value q = flags_of(c, all.at[i].ref) & F_PRED ? calc_not(c, one_of(all.at[i].ref)) : VALUE_ZERO;
    if (q.k != RAT_1 || !(flags_of(c, q.ref) & F_PRED)) continue;
    Terms fs = factors_of(c, ref_of(c, q));
    for (uint32_t k = 0; k < fs.n; k++) terms_add(c, where, fs.at[k].ref, RAT_1);
    return true;
  }
  return false;
}

/* Where these predicates hold (in *p), masks leave what is a number.  `outside`: rather where what they are multiplied by
 * is 0. */
static bool unmasked(Calculus *c, RefId r, bool outside, Terms *p) {
  if (!(flags_of(c, r) & F_INFINITE)) return true;
  if (outside && cls_of(c, r)->kind == K_MUL) return is_outside(c, r, p);
  Opened o = node_open(c, r);
  if (cls_of(c, r)->kind == K_SEL) {
    Value q = one_of(o.args[0].ref);
    uint32_t left = o.args[1].ref == c->neginf ? 2 : 1;
    Terms all = factors_of(c, ref_of(c, left == 1 ? q : calc_not(c, q)));
    for (uint32_t i = 0; i < all.n; i++) {
      if (!(flags_of(c, all.at[i].ref) & F_PRED)) return false; /* it is not asked where that holds */
      terms_add(c, p, all.at[i].ref, RAT_1);
    }
    return unmasked(c, o.args[left].ref, outside, p);
  }
  bool ok = cls_of(c, r)->kind == K_LIN;
  for (uint32_t i = 0; i < o.n && ok; i++) ok = unmasked(c, o.args[i].ref, outside, p);
  return ok;
}

/* A maximum that one member keeps above minus infinity. */
static bool is_bounded(Calculus *c, RefId r) {
  bool is = false;
  Opened o = cls_of(c, r)->kind == K_MAX ? node_open(c, r) : (Opened){0};
  for (uint32_t i = 0; i < 2 * o.n && !is; i++) {
    const Term *x = &o.args[i / 2];
    Terms p = {0};
    is = rat_sign(x->k) > 0 && unmasked(c, x->ref, i % 2, &p) && sum_has_element(c, &p, o.bound, o.n_bound);
  }
  return is;
}

bool is_left(Calculus *c, RefId r) {
  uint16_t f = flags_of(c, r) & F_PARTIAL;
  return !f || (f == F_INFINITE && is_bounded(c, r) && !class_exceeds(c, ref(c, r)->cls));
}

static Value exp_atom(Calculus *c, RefId r) {
  if (r == c->neginf) return VALUE_ZERO;
  const Class *x = cls_of(c, r);
  if (x->kind == K_FN && x->attr == c->fn.log && (cls(c, x->args[0].cls)->flags & F_NONNEG)) {
    Opened o = node_open(c, r);
    return one_of(o.args[0].ref);
  }
  if (x->kind == K_SEL) { /* exp(p ? a : -infinity) = p exp(a) */
    Opened o = node_open(c, r);
    Value q = one_of(o.args[0].ref), a = one_of(o.args[1].ref), b = one_of(o.args[2].ref);
    if (b.ref == c->neginf && !(flags_of(c, a.ref) & F_INFINITE)) return calc_mul2(c, q, exp_of(c, a));
    if (a.ref == c->neginf && !(flags_of(c, b.ref) & F_INFINITE)) return q = calc_not(c, q), calc_mul2(c, q, exp_of(c, b));
  }
  bool finite = !(x->flags & F_INFINITE) || is_bounded(c, r); /* exp(-infinity) is 0 */
  Props p = {finite ? F_POS | F_NONNEG : F_NONNEG, 0, 0};
  return one_of(ordered(c, K_FN, c->fn.exp, &r, 1, NULL, 0, NULL, 0, p));
}

/* exp(k x), k < 0, as exp(x)^k.  Where x may be minus infinity it is no power of exp(x), which may be p exp(a), and 0
 * where p does not hold.  But a maximum that is taken from what it is the largest of must be a number. */
static Factor exp_of_negative(Calculus *c, Term t, bool from_infinite) {
  const Class *x = cls_of(c, t.ref);
  if (x->kind == K_MAX || !(x->flags & F_INFINITE)) {
    bool finite = !(x->flags & F_INFINITE) || from_infinite || is_bounded(c, t.ref);
    if (!finite) calculus_assume(c, ASSUME_FINITE | ASSUME_LEFT);
    Value v = exp_atom(c, t.ref);
    Terms fs = factors_of(c, v.ref);
    bool condition = false; /* of a truth value's logarithm */
    for (uint32_t i = 0; i < fs.n; i++) condition |= (flags_of(c, fs.at[i].ref) & F_PRED) != 0;
    if (!condition) return (Factor){v, t.k};
  }
  RefId r = ref_of(c, val(t.k, t.ref));
  return (Factor){one_of(ordered(c, K_FN, c->fn.exp, &r, 1, NULL, 0, NULL, 0, (Props){F_NONNEG | F_INFINITE, 0, 0})), RAT_1};
}

/* A sum of indices and numbers. */
static bool is_form(const Calculus *c, RefId r) {
  const Class *x = cls_of(c, r);
  bool all = x->kind == K_LIN && x->n_slots;
  for (uint32_t i = 0; i < x->n_args && all; i++)
    all = cls(c, x->args[i].cls)->kind == K_IDX || cls(c, x->args[i].cls)->kind == K_ONE;
  return all;
}

/* (i - j) x is i x - j x, x being a number: powers of one base meet whatever their exponents are made of. */
static Terms with_forms_spread(Calculus *c, Value v) {
  Terms t = terms_of(c, v), out = {0};
  for (uint32_t i = 0; i < t.n; i++) {
    Terms fs = cls_of(c, t.at[i].ref)->kind == K_MUL ? factors_of(c, t.at[i].ref) : (Terms){0};
    uint32_t at = 0;
    while (at < fs.n && !(fs.at[at].k == RAT_1 && is_form(c, fs.at[at].ref))) at++;
    bool spreads = at < fs.n && !(flags_of(c, t.at[i].ref) & F_INFINITE);
    Terms form = spreads ? terms_of(c, one_of(fs.at[at].ref)) : (Terms){0};
    Value rest = spreads ? mul_terms(c, &fs, fs.at[at].ref) : VALUE_ONE;
    for (uint32_t j = 0; j < form.n; j++) {
      Value x = calc_mul2(c, value_scale(t.at[i].k, val(form.at[j].k, form.at[j].ref)), rest);
      Terms part = terms_of(c, x);
      for (uint32_t k = 0; k < part.n; k++) terms_add(c, &out, part.at[k].ref, part.at[k].k);
    }
    if (!form.n) terms_add(c, &out, t.at[i].ref, t.at[i].k);
  }
  terms_pack(&out);
  return out;
}

static Value exp_of_row(void *context, Calculus *c, const Value *v, uint32_t n) {
  (void)context, (void)n;
  return exp_of(c, *v);
}

static Value exp_of(Calculus *c, Value v) {
  Value row;
  if (v.k == RAT_0) return VALUE_ONE;
  if (look_up_within(c, &v, 1, exp_of_row, NULL, &row)) return row;
  if (v.ref == c->neginf) return rat_sign(v.k) > 0 ? VALUE_ZERO : undefined(c, "undefined: exponential of infinity");
  Terms t = with_forms_spread(c, v);
  Factor *f = SCRATCH(c, Factor, t.n);
  bool from_infinite = false;
  for (uint32_t i = 0; i < t.n; i++)
    from_infinite |= rat_sign(t.at[i].k) > 0 && (flags_of(c, t.at[i].ref) & F_INFINITE);
  for (uint32_t i = 0; i < t.n; i++)
    f[i] = rat_sign(t.at[i].k) < 0 ? exp_of_negative(c, t.at[i], from_infinite)
                                   : (Factor){exp_atom(c, t.at[i].ref), t.at[i].k};
  return mul(c, f, t.n);
}

/* By prime numbers: log(3/4) is log(3) - 2 log(2). */
static Value log_of_number(Calculus *c, Rat k) {
  Rat base[RAT_FACTORS];
  int64_t power[RAT_FACTORS];
  uint32_t n = rat_sign(k) > 0 ? rat_factors(k, base, power) : 0;
  if (!n) base[0] = k, power[0] = 1, n = k != RAT_1;
  Value term[RAT_FACTORS];
  for (uint32_t i = 0; i < n; i++) {
    Value v = value_num(base[i]);
    bool positive = rat_cmp(base[i], RAT_1) > 0;
    term[i] = value_scale(rat_int(power[i]), plain(c, c->fn.log, &v, 1, (Props){positive ? F_POS | F_NONNEG : 0, 0, 0}));
  }
  return calc_add(c, term, n);
}

/* log(k prod f^p) = log k + sum p log f for positive factors. */
static bool log_of_powers(Calculus *c, Value v, Value *out) {
  if (value_is_num(v) || rat_sign(v.k) <= 0 || !(flags_of(c, v.ref) & F_POS)) return false;
  Terms fs = factors_of(c, v.ref);
  if (v.k == RAT_1 && fs.n == 1 && fs.at[0].k == RAT_1) return false;
  Value *sum = SCRATCH(c, Value, fs.n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < fs.n; i++) {
    if (!(flags_of(c, fs.at[i].ref) & F_POS)) return false;
    Value f = one_of(fs.at[i].ref);
    sum[n++] = value_scale(fs.at[i].k, calc_fn(c, c->fn.log, &f, 1));
  }
  if (v.k != RAT_1) sum[n++] = log_of_number(c, v.k);
  *out = calc_add(c, sum, n);
  return true;
}

/* log(x / a + y) = log(x + y a) - log a where a is positive. */
static bool log_of_quotient(Calculus *c, Value v, Value *out) {
  if (cls_of(c, v.ref)->kind != K_LIN || (flags_of(c, v.ref) & F_INFINITE)) return false;
  Terms t = terms_of(c, v);
  RefId a = NO_REF;
  Rat p = RAT_0;
  for (uint32_t i = 0; i < t.n && a == NO_REF; i++) {
    Terms fs = factors_of(c, t.at[i].ref);
    for (uint32_t j = 0; j < fs.n && a == NO_REF; j++)
      if (rat_sign(fs.at[j].k) < 0 && (flags_of(c, fs.at[j].ref) & F_POS) && !is_exp(c, fs.at[j].ref))
        a = fs.at[j].ref, p = rat_neg(fs.at[j].k);
  }
  if (a == NO_REF) return false;
  Value *all = SCRATCH(c, Value, t.n);
  for (uint32_t i = 0; i < t.n; i++)
    all[i] = mul(c, (Factor[]){{val(t.at[i].k, t.at[i].ref), RAT_1}, {one_of(a), p}}, 2);
  Value whole = calc_add(c, all, t.n), by = one_of(a);
  whole = calc_fn(c, c->fn.log, &whole, 1), by = calc_fn(c, c->fn.log, &by, 1);
  *out = calc_sub(c, whole, value_scale(p, by));
  return true;
}

static Value log_of(Calculus *c, Value v) {
  Value out;
  if (value_is_num(v)) return log_of_number(c, v.k);
  Terms fs = factors_of(c, v.ref);
  Factor *rest = SCRATCH(c, Factor, fs.n + 1);
  Value *sum = SCRATCH(c, Value, fs.n + 1);
  uint32_t n_rest = 1, n_sum = 0;
  rest[0] = (Factor){value_num(v.k), RAT_1};
  for (uint32_t i = 0; i < fs.n; i++) {
    const Class *x = cls_of(c, fs.at[i].ref);
    if (x->kind == K_FN && x->attr == c->fn.exp) {
      Opened o = node_open(c, fs.at[i].ref);
      sum[n_sum++] = value_scale(fs.at[i].k, one_of(o.args[0].ref));
    } else {
      rest[n_rest++] = (Factor){one_of(fs.at[i].ref), fs.at[i].k};
    }
  }
  if (n_sum) {
    Value r = mul(c, rest, n_rest);
    sum[n_sum++] = calc_fn(c, c->fn.log, &r, 1);
    return calc_add(c, sum, n_sum);
  }
  if (log_of_powers(c, v, &out) || log_of_quotient(c, v, &out) || (v.k == RAT_1 && even_log(c, v.ref, &out))) return out;
  return plain(c, c->fn.log, &v, 1, (Props){0});
}

static Value clamp_of(Calculus *c, const Value *v) {
  Rat lo, lo2, x, x2, hi, hi2;
  bool bounds = range_of(c, v[0], &lo, &lo2) && range_of(c, v[2], &hi, &hi2);
  if (bounds && range_of(c, v[1], &x, &x2) && rat_cmp(x, lo2) >= 0 && rat_cmp(x2, hi) <= 0) return v[1];
  if (value_is_num(v[0]) && value_is_num(v[1]) && value_is_num(v[2]))
    return calc_fn(c, c->fn.minimum, (Value[]){calc_fn(c, c->fn.maximum, v, 2), v[2]}, 2);
  Props p = {0};
  if (bounds && rat_cmp(lo2, hi) <= 0) p = (Props){F_RANGE, lo, hi2};
  if (integer_value(c, v[0]) && integer_value(c, v[1]) && integer_value(c, v[2])) p.flags |= F_INTEGER;
  return plain(c, c->fn.clamp, v, 3, p);
}

/* What a remainder by d is of, where the quotient is rounded down. */
static bool remainder_of(Calculus *c, RefId r, Rat d, Value *x) {
  const Class *q = cls_of(c, r);
  if (q->kind != K_FN || q->attr != c->fn.mod) return false;
  Opened o = node_open(c, r);
  Terms t = terms_of(c, one_of(o.args[0].ref)), by = terms_of(c, one_of(o.args[1].ref));
  *x = lin(c, &t);
  return by.n == 1 && by.at[0].ref == c->one && by.at[0].k == d && integer_value(c, *x);
}

/* mod(x + k mod(y, d), d) = mod(x + k y, d) for a whole k; false if there is none. */
static bool strip_remainders(Calculus *c, Value v, Rat d, Value *out) {
  Terms t = terms_of(c, v), sum = {0};
  bool some = false;
  for (uint32_t i = 0; i < t.n; i++) {
    Value x;
    if (!rat_is_int(t.at[i].k) || !remainder_of(c, t.at[i].ref, d, &x)) {
      terms_add(c, &sum, t.at[i].ref, t.at[i].k);
      continue;
    }
    some = true;
    Terms inner = terms_of(c, value_scale(t.at[i].k, x));
    for (uint32_t j = 0; j < inner.n; j++) terms_add(c, &sum, inner.at[j].ref, inner.at[j].k);
  }
  terms_pack(&sum);
  if (some) *out = lin(c, &sum);
  return some;
}

/* Division of integers by a number, truncating or down, where the digits show quotient and remainder. */
static Value division(Calculus *c, Sym name, const Value *v) {
  int64_t d, k;
  Rat lo, hi;
  if (!value_is_num(v[1]) || !small_int(v[1].k, &d) || d <= 0 || !integer_value(c, v[0]))
    return plain(c, name, v, 2, (Props){integer_value(c, v[0]) && integer_value(c, v[1]) ? F_INTEGER : 0, 0, 0});
  bool quotient = name == c->fn.truncdiv || name == c->fn.floordiv;
  Value whole;
  if (name == c->fn.mod && strip_remainders(c, v[0], v[1].k, &whole))
    return calc_fn(c, name, (Value[]){whole, v[1]}, 2);
  Terms t = terms_of(c, v[0]), q = {0}, r = {0};
  for (uint32_t i = 0; i < t.n; i++) {
    if (!small_int(t.at[i].k, &k)) return plain(c, name, v, 2, (Props){F_INTEGER, 0, 0});
    if (k % d == 0) {
      terms_add(c, &q, t.at[i].ref, rat_int(k / d));
    } else if (t.at[i].ref == c->one) {
      int64_t f = k / d - (k % d < 0);
      terms_add(c, &q, c->one, rat_int(f));
      terms_add(c, &r, c->one, rat_int(k - f * d));
    } else {
      terms_add(c, &r, t.at[i].ref, t.at[i].k);
    }
  }
  terms_pack(&q);
  terms_pack(&r);
  Value rem = lin(c, &r);
  bool known = range_of(c, v[0], &lo, &hi), nonneg = known && rat_sign(lo) >= 0;
  bool down = nonneg || name == c->fn.floordiv || name == c->fn.mod;
  Rat least, most;
  bool digits = rem.k == RAT_0 || (down && range_of(c, rem, &least, &most) && rat_sign(least) >= 0 &&
                                   rat_cmp(most, rat_int(d)) < 0);
  if (digits) return quotient ? lin(c, &q) : rem;
  Props p = {F_INTEGER, 0, 0};
  if (!quotient)
    p = (Props){F_INTEGER | F_RANGE, down ? RAT_0 : rat_int(1 - d), rat_int(d - 1)};
  else if (known && down)
    p = (Props){F_INTEGER | F_RANGE, rat_floor(rat_div(lo, rat_int(d))), rat_floor(rat_div(hi, rat_int(d)))};
  if (nonneg) p.flags |= F_NONNEG;
  return plain(c, name, v, 2, p);
}

enum { MOST_BITS = 62 };

/* The lowest bits of an integer, all others, and itself moved up: a remainder by a power of 2, a quotient, a multiple. */
static bool by_power_of_2(Calculus *c, Sym name, const Value *v, Value *out) {
  int64_t k;
  bool band = name == c->fn.band;
  Value x = v[0], n = v[1];
  if (band && value_is_num(x)) x = v[1], n = v[0];
  if (!value_is_num(n) || !rat_to_int(n.k, &k) || k < 0 || !integer_value(c, x)) return false;
  if (band ? (k & (k + 1)) != 0 || k >> MOST_BITS : k > MOST_BITS) return false;
  Value power = value_num(rat_int(band ? k + 1 : INT64_C(1) << k));
  if (name == c->fn.shl) *out = value_scale(power.k, x);
  else *out = calc_fn(c, band ? c->fn.mod : c->fn.floordiv, (Value[]){x, power}, 2);
  return true;
}

enum { MOST_PARTS = 1024 }; /* of a whole that is divided by a factor */

Rat common_parts(Rat d, Rat k) {
  int64_t m = 1;
  k = rat_mul(k, d);
  while (m <= MOST_PARTS && !rat_is_int(rat_mul(k, rat_int(m)))) m++;
  d = rat_mul(d, rat_int(m));
  return rat_cmp(d, rat_int(MOST_PARTS)) > 0 ? RAT_0 : d;
}

/* A multiple of an integer by a fraction, as i / 2: the integer, and what it is divided by. */
static bool part_of_integer(Calculus *c, Value v, Value parts[2]) {
  Terms t = terms_of(c, v);
  Rat d = RAT_1;
  for (uint32_t i = 0; i < t.n && d != RAT_0; i++) d = common_parts(d, t.at[i].k);
  parts[0] = value_scale(d, v);
  parts[1] = value_num(d);
  return d != RAT_0 && d != RAT_1 && integer_value(c, parts[0]);
}

/* A quotient, rounded down, by a whole number. */
static bool quotient_of(Calculus *c, RefId r, Value *x, Rat *d) {
  const Class *q = cls_of(c, r);
  if (q->kind != K_FN || (q->attr != c->fn.floordiv && q->attr != c->fn.truncdiv)) return false;
  bool down = q->attr == c->fn.floordiv;
  Opened o = node_open(c, r);
  Terms t = terms_of(c, one_of(o.args[0].ref)), by = terms_of(c, one_of(o.args[1].ref));
  *x = lin(c, &t);
  *d = by.n == 1 && by.at[0].ref == c->one && rat_is_int(by.at[0].k) ? by.at[0].k : RAT_0;
  Rat lo, hi;
  return rat_sign(*d) > 0 && (down || (range_of(c, *x, &lo, &hi) && rat_sign(lo) >= 0));
}

bool quotient_compare(Calculus *c, CmpOp op, Value e, Value *out) {
  Terms t = terms_of(c, e), rest = {0};
  Value x = VALUE_ZERO;
  Rat d = RAT_0;
  int sign = 0;
  for (uint32_t i = 0; i < t.n; i++) {
    if (!sign && rat_abs(t.at[i].k) == RAT_1 && quotient_of(c, t.at[i].ref, &x, &d))
      sign = rat_sign(t.at[i].k);
    else
      terms_add(c, &rest, t.at[i].ref, t.at[i].k);
  }
  if (!sign) return false;
  Value f = value_scale(rat_int(-sign), lin(c, &rest)), from = value_scale(d, f);
  if (op == CMP_EQ) { /* q == f */
    Value after = calc_cmp(c, CMP_GE, x, from), before = calc_cmp(c, CMP_LT, x, calc_add2(c, from, value_num(d)));
    *out = calc_mul2(c, after, before);
  } else if (sign > 0) /* q < f */
    *out = calc_cmp(c, CMP_LT, x, from);
  else /* q > f */
    *out = calc_cmp(c, CMP_GE, x, calc_add2(c, from, value_num(d)));
  return true;
}

/* A product of exponentials alone, as what it is the exponential of. */
static bool exponent_of(Calculus *c, RefId r, Value *out) {
  Terms fs = factors_of(c, r);
  Value *all = SCRATCH(c, Value, fs.n);
  for (uint32_t i = 0; i < fs.n; i++) {
    if (!is_exp(c, fs.at[i].ref)) return false;
    all[i] = value_scale(fs.at[i].k, one_of(node_open(c, fs.at[i].ref).args[0].ref));
  }
  return *out = calc_add(c, all, fs.n), true;
}

bool exp_difference(Calculus *c, Value v, Value *out) {
  Terms fs = factors_of(c, v.ref);
  RefId sum = NO_REF;
  if (value_is_num(v) || (flags_of(c, v.ref) & F_INFINITE)) return false;
  for (uint32_t i = 0; i < fs.n; i++) {
    if (is_exp(c, fs.at[i].ref)) continue;
    if (sum != NO_REF || fs.at[i].k != RAT_1 || cls_of(c, fs.at[i].ref)->kind != K_LIN) return false;
    sum = fs.at[i].ref;
  }
  if (sum == NO_REF || cls_of(c, sum)->n_args != 2) return false;
  Terms t = terms_of(c, one_of(sum));
  Value a, b;
  if (t.at[0].k != rat_neg(t.at[1].k) || !exponent_of(c, t.at[0].ref, &a) || !exponent_of(c, t.at[1].ref, &b)) return false;
  return *out = value_scale(rat_mul(v.k, t.at[0].k), calc_sub(c, a, b)), true;
}

/* The absolute value of a form of indices. */
static bool distance_of(Calculus *c, RefId r, Value *x) {
  const Class *f = cls_of(c, r);
  if (f->kind != K_FN || f->attr != c->fn.abs) return false;
  Opened o = node_open(c, r);
  Terms t = terms_of(c, one_of(o.args[0].ref));
  bool index = true;
  for (uint32_t i = 0; i < t.n && index; i++)
    index = t.at[i].ref == c->one || cls_of(c, t.at[i].ref)->kind == K_IDX;
  *x = lin(c, &t);
  return index;
}

bool distance_compare(Calculus *c, CmpOp op, Value e, Value *out) {
  Value x = VALUE_ZERO;
  if (exp_difference(c, e, &x)) return *out = calc_cmp(c, op, x, VALUE_ZERO), true;
  Terms t = terms_of(c, e), rest = {0};
  Rat k = RAT_0;
  if (op != CMP_LT) return false;
  for (uint32_t i = 0; i < t.n; i++)
    if (k == RAT_0 && distance_of(c, t.at[i].ref, &x)) k = t.at[i].k;
    else terms_add(c, &rest, t.at[i].ref, t.at[i].k);
  if (k == RAT_0) return false;
  Value f = lin(c, &rest);
  CmpOp side = rat_sign(k) > 0 ? CMP_LT : CMP_GE;
  Value above = calc_cmp(c, side, calc_add2(c, f, value_scale(k, x)), VALUE_ZERO);
  Value below = calc_cmp(c, side, calc_add2(c, f, value_scale(rat_neg(k), x)), VALUE_ZERO);
  *out = calc_mul2(c, above, below);
  if (side == CMP_GE) *out = calc_add2(c, VALUE_ONE, value_neg(*out));
  return true;
}

/* minimum(hi, maximum(lo, x)) and maximum(lo, minimum(hi, x)), with numbers lo <= hi, of an integer are a clamp. (A
 * clamp of a real is defined as such a minimum.) */
static bool is_clamp(Calculus *c, Sym name, const Value *v, Value *out) {
  bool upper = name == c->fn.minimum;
  for (uint32_t i = 0; i < 2; i++) {
    Value bound = v[i], inner = upper ? v[1 - i] : value_neg(v[1 - i]);
    if (!value_is_num(bound) || value_is_num(inner) || inner.k != RAT_1) continue;
    const Class *m = cls_of(c, inner.ref);
    if (m->kind != K_MAX || m->n_bound) continue;
    Opened o = node_open(c, inner.ref);
    for (uint32_t j = 0; o.n == 2 && j < 2; j++) {
      Value other = val(o.args[j].k, o.args[j].ref), x = val(o.args[1 - j].k, o.args[1 - j].ref);
      if (!value_is_num(other)) continue;
      if (!upper) other = value_neg(other), x = value_neg(x);
      Value lo = upper ? other : bound, hi = upper ? bound : other;
      if (!integer_value(c, x) || !rat_is_finite(lo.k) || !rat_is_finite(hi.k) || rat_cmp(lo.k, hi.k) > 0) return false;
      return *out = calc_fn(c, c->fn.clamp, (Value[]){lo, x, hi}, 3), true;
    }
  }
  return false;
}

static bool is_positive(Calculus *c, Value v) {
  Terms fs = factors_of(c, v.ref);
  bool all = rat_sign(v.k) > 0;
  for (uint32_t i = 0; i < fs.n && all; i++) {
    RefId r = fs.at[i].ref;
    all = (flags_of(c, r) & (F_POS | F_INFINITE)) == F_POS || positive_numbers(c, r);
  }
  return all;
}

/* x^y = exp(y log x), term by term of y. */
static Value power_of(Calculus *c, Value x, Value y) {
  Terms t = terms_of(c, y);
  Value *term = SCRATCH(c, Value, t.n), log = log_of(c, x);
  for (uint32_t i = 0; i < t.n; i++) term[i] = calc_mul2(c, val(t.at[i].k, t.at[i].ref), log);
  return exp_of(c, calc_add(c, term, t.n));
}

enum { MOST_ANGLES = 4 };

/* Tactic: cos(x + y) = cos x cos y - sin x sin y, sin(x + y) = sin x cos y + cos x sin y; 2 x is x + x. */
static bool angle_sum(Calculus *c, bool sine, Value v, Value *out) {
  Terms t = terms_of(c, v);
  int64_t k;
  bool multiple = t.at[0].ref != c->one && rat_to_int(t.at[0].k, &k) && k > 1;
  bool sum = multiple ? k <= MOST_ANGLES : t.n > 1;
  if (!sum || t.n > MOST_ANGLES || (flags_of(c, v.ref) & F_INFINITE)) return false;
  Value x = val(multiple ? RAT_1 : t.at[0].k, t.at[0].ref), y = calc_sub(c, v, x), of[2][2];
  for (int i = 0; i < 2; i++) {
    of[i][0] = calc_fn(c, c->fn.cos, i ? &y : &x, 1);
    of[i][1] = calc_fn(c, c->fn.sin, i ? &y : &x, 1);
  }
  Value one = calc_mul2(c, of[0][sine], of[1][0]), other = calc_mul2(c, of[0][!sine], of[1][1]);
  return *out = sine ? calc_add2(c, one, other) : calc_sub(c, one, other), true;
}

bool circular_power(Calculus *c, const Terms *t, Value *out) {
  for (uint32_t i = 0; i < t->n; i++) {
    const Class *x = cls_of(c, t->at[i].ref);
    Rat p = t->at[i].k;
    if (x->kind != K_FN || x->attr != c->fn.sin || !rat_is_int(p) || rat_cmp(p, RAT_INT(2)) < 0) continue;
    Value angle = one_of(node_open(c, t->at[i].ref).args[0].ref), cosine = calc_fn(c, c->fn.cos, &angle, 1);
    Factor *f = SCRATCH(c, Factor, t->n + 1);
    for (uint32_t j = 0; j < t->n; j++) f[j] = (Factor){one_of(t->at[j].ref), t->at[j].k};
    f[i].p = rat_sub(f[i].p, RAT_INT(2));
    f[t->n] = (Factor){calc_sub(c, VALUE_ONE, calc_mul2(c, cosine, cosine)), RAT_1};
    return *out = mul(c, f, t->n + 1), true;
  }
  return false;
}

/* |x y^2| = |x| y^2, |x / y| = |x| / |y| */
static bool abs_of_product(Calculus *c, RefId r, Value *out) {
  if (cls_of(c, r)->kind != K_MUL) return false;
  Terms fs = factors_of(c, r);
  Factor *f = SCRATCH(c, Factor, fs.n);
  for (uint32_t i = 0; i < fs.n; i++) {
    Value x = one_of(fs.at[i].ref);
    if (!rat_is_int(fs.at[i].k) && !(flags_of(c, x.ref) & F_NONNEG)) return false;
    f[i] = (Factor){calc_fn(c, c->fn.abs, &x, 1), fs.at[i].k};
  }
  return *out = mul(c, f, fs.n), true;
}

static Value apply(Calculus *c, Sym name, const Value *v, uint32_t n) {
  const FnSyms *f = &c->fn;
  for (size_t i = 0; i < c->rewrites.len; i++)
    if (c->rewrites.at[i].fn == name) return c->rewrites.at[i].f(c->rewrites.at[i].context, c, v, n);
  if (n == 1 && name == f->exp) return exp_of(c, v[0]);
  if (n == 1 && name == f->log) return log_of(c, v[0]);
  if (n == 1 && name == f->abs) {
    if (value_is_num(v[0])) return value_num(rat_abs(v[0].k));
    if (flags_of(c, v[0].ref) & F_NONNEG) return val(rat_abs(v[0].k), v[0].ref);
    Value x = one_of(v[0].ref);
    Props p = {F_NONNEG | (integer_value(c, x) ? F_INTEGER : 0), 0, 0};
    if (!abs_of_product(c, x.ref, &x)) x = plain(c, name, &x, 1, p);
    return value_scale(rat_abs(v[0].k), x);
  }
  if (n == 1 && name == f->sign) {
    if (value_is_num(v[0])) return value_num(rat_int(rat_sign(v[0].k)));
    if (flags_of(c, v[0].ref) & F_POS) return value_num(rat_int(rat_sign(v[0].k)));
    if ((flags_of(c, v[0].ref) & F_NONNEG) && rat_sign(v[0].k) > 0) return calc_cmp(c, CMP_GT, v[0], VALUE_ZERO);
    return plain(c, name, v, 1, (Props){F_INTEGER | F_RANGE, RAT_NEG1, RAT_1});
  }
  if (n == 1 && (name == f->trunc || name == f->floor)) {
    if (integer_value(c, v[0])) return v[0];
    Value parts[2];
    if (part_of_integer(c, v[0], parts)) return division(c, name == f->floor ? f->floordiv : f->truncdiv, parts);
    return plain(c, name, v, 1, (Props){F_INTEGER, 0, 0});
  }
  if (n == 1 && (name == f->ceil || name == f->round_even || name == f->round_afz))
    return integer_value(c, v[0]) ? v[0] : plain(c, name, v, 1, (Props){F_INTEGER, 0, 0});
  if (n == 1 && (name == f->sin || name == f->cos)) { /* sin(-x) = -sin(x), cos(-x) = cos(x) */
    if (v[0].k == RAT_0) return name == f->cos ? VALUE_ONE : VALUE_ZERO;
    Value x = val(rat_abs(v[0].k), v[0].ref), y;
    bool expand = c->options.expand && !c->exhausted;
    if (!expand || !angle_sum(c, name == f->sin, x, &y)) y = plain(c, name, &x, 1, (Props){0});
    return name == f->sin && rat_sign(v[0].k) < 0 ? value_neg(y) : y;
  }
  if (n == 2 && name == f->pow && value_is_num(v[1])) return calc_pow(c, v[0], v[1].k);
  if (n == 2 && name == f->pow && is_positive(c, v[0])) return power_of(c, v[0], v[1]);
  if (n == 2 && (name == f->maximum || name == f->minimum)) {
    Value clamped;
    if (is_clamp(c, name, v, &clamped)) return clamped;
  }
  if (n == 2 && name == f->maximum) return calc_max(c, v, 2, NULL, 0);
  if (n == 2 && name == f->minimum)
    return value_neg(calc_max(c, (Value[]){value_neg(v[0]), value_neg(v[1])}, 2, NULL, 0));
  if (n == 3 && name == f->clamp) return clamp_of(c, v);
  if (n == 2 && fn_divides(c, name)) return division(c, name, v);
  Value whole;
  if (n == 2 && (name == f->band || name == f->shl || name == f->shr) && by_power_of_2(c, name, v, &whole)) return whole;
  return plain(c, name, v, n, (Props){0});
}

static Value apply_to_row(void *name, Calculus *c, const Value *v, uint32_t n) { return apply(c, *(Sym *)name, v, n); }

Value calc_fn(Calculus *c, Sym name, const Value *v, uint32_t n) {
  step(c);
  if (c->broken) return VALUE_ZERO;
  Frame m = frame_enter(c);
  Value out;
  if (n != 1 || !look_up_within(c, v, 1, apply_to_row, &name, &out)) out = apply(c, name, v, n);
  frame_leave(c, m);
  return out;
}

Value calc_seal(Calculus *c, Value v) {
  Sym name = sym("(sealed)"); /* nothing else has such a name */
  const Class *x = cls_of(c, v.ref);
  if (value_is_num(v) || x->kind == K_LEAF || x->kind == K_AT || (x->kind == K_FN && x->attr == name)) return v;
  return calc_fn(c, name, &v, 1);
}
