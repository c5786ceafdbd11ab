/* Powers of one value: of numbers, of products under a root, of sums under conditions. */
#include "eval/calculus/core.h"

/* k^(n/d) for a number: exact when the root is rational, otherwise a rational and roots of prime numbers.  A negative
 * one has no root: its square is not k. */
static Value power_of_number(Calculus *c, Rat k, Rat q) {
  int64_t e, d;
  if (k == RAT_0 && rat_sign(q) < 0)
    return undefined(c, DIVISION_BY_ZERO);
  if (small_power(q, &e)) return value_num(rat_pow(k, e));
  if (rat_sign(k) < 0 && !rat_is_int(q)) return undefined(c, "undefined: root of a negative number");
  mpq_t m;
  mpq_init(m);
  rat_get(q, m);
  bool fits = mpz_fits_slong_p(mpq_denref(m)) && mpz_fits_slong_p(mpq_numref(m));
  d = fits ? mpz_get_si(mpq_denref(m)) : 0;
  e = fits ? mpz_get_si(mpq_numref(m)) : 0;
  mpq_clear(m);
  Rat root;
  if (fits && d < 64 && e > -MOST_POWER && e < MOST_POWER && rat_root(k, d, &root)) return value_num(rat_pow(root, e));
  Rat base[RAT_FACTORS];
  int64_t power[RAT_FACTORS];
  uint32_t n = fits ? rat_factors(k, base, power) : 0;
  if (n) {
    Factor f[RAT_FACTORS];
    for (uint32_t i = 0; i < n; i++)
      f[i] = (Factor){one_of(ref_of(c, value_num(base[i]))), rat_mul(q, rat_int(power[i]))};
    return mul(c, f, n);
  }
  Term t = {ref_of(c, value_num(k)), q};
  Props p = {rat_sign(k) > 0 ? F_POS | F_NONNEG : 0, RAT_0, RAT_0};
  return one_of(canon(c, K_MUL, 0, &t, 1, NULL, 0, p));
}

/* (k * prod x^p)^q = k^q * prod x^(pq): needs every x >= 0, or p with an even denominator (then x >= 0 as it is); x^p where
 * p is even is |x|^p. */
static bool root_distributes(Calculus *c, Terms *fs) {
  if (fs->n == 1 && fs->at[0].k == RAT_1) return true;
  for (uint32_t i = 0; i < fs->n; i++)
    if ((fs->at[i].ref = under_root(c, &fs->at[i])) == NO_REF) return false;
  return true;
}

/* A sum under conditions, k p (x + y): its root is that of k (x + y), under them. */
static bool root_of_sum(Calculus *c, Value v, Rat q, const Terms *fs, Value *out) {
  uint32_t at = fs->n;
  for (uint32_t i = 0; i < fs->n; i++) {
    if (flags_of(c, fs->at[i].ref) & F_PRED) continue;
    if (at < fs->n || fs->at[i].k != RAT_1 || cls_of(c, fs->at[i].ref)->kind != K_LIN) return false;
    at = i;
  }
  if (at == fs->n || fs->n < 2) return false;
  Factor *f = SCRATCH(c, Factor, fs->n);
  for (uint32_t i = 0; i < fs->n; i++) f[i] = (Factor){one_of(fs->at[i].ref), q};
  f[at] = (Factor){calc_pow(c, val(v.k, fs->at[at].ref), q), RAT_1};
  *out = mul(c, f, fs->n);
  return true;
}

static Value power_of_row(void *q, Calculus *c, const Value *v, uint32_t n) { return (void)n, calc_pow(c, *v, *(Rat *)q); }

Value calc_pow(Calculus *c, Value v, Rat q) {
  if (q == RAT_1) return v;
  if (q == RAT_0) return VALUE_ONE;
  Frame m = frame_enter(c);
  Value out;
  bool sum = !value_is_num(v) && cls_of(c, v.ref)->kind == K_LIN;
  if (sum && look_up_within(c, &v, 1, power_of_row, &q, &out)) {
  } else if (value_is_num(v)) {
    out = power_of_number(c, v.k, q);
  } else if (rat_is_int(q) || (v.k == RAT_1 && (flags_of(c, v.ref) & F_PRED))) {
    Factor f = {v, q};
    out = mul(c, &f, 1);
  } else {
    if (rat_sign(v.k) < 0 || !(flags_of(c, v.ref) & F_NONNEG)) calculus_assume(c, ASSUME_NONNEG_ROOT);
    Terms fs = factors_of(c, v.ref);
    Kind kind = cls_of(c, v.ref)->kind; /* of any one value where sums are expanded: else roots of numbers are everywhere */
    bool leaves = kind == K_MUL || (kind != K_LIN && c->options.expand);
    Value k = leaves && rat_sign(v.k) > 0 ? power_of_number(c, v.k, q) : VALUE_ZERO;
    if (kind == K_MUL && root_of_sum(c, v, q, &fs, &out)) {
    } else if (k.k != RAT_0 && root_distributes(c, &fs)) {
      Factor *f = SCRATCH(c, Factor, fs.n);
      for (uint32_t i = 0; i < fs.n; i++) {
        assume_turned(c, &fs.at[i], q);
        f[i] = (Factor){one_of(fs.at[i].ref), rat_mul(fs.at[i].k, q)};
      }
      out = calc_mul2(c, k, mul(c, f, fs.n));
    } else {
      Term t = {ref_of(c, v), q};
      Terms ts = {&t, 1, 1, NULL, 0};
      out = one_of(canon(c, K_MUL, 0, &t, 1, NULL, 0, props_of_product(c, &ts)));
    }
  }
  frame_leave(c, m);
  return out;
}
