/* Primitives of the base sorts: i64, f64, bool, String, BigInt, BigRat, and those of every sort. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "eval/datalog/number.h"
#include "eval/datalog/prim.h"

#define DEFINE(name) bool prim_##name(Db *db, const Prim *p, const Val *a, uint32_t n, Val *out)
#define UNUSED (void)db, (void)p, (void)n, (void)a
#define I(k) val_get_int(&db->values, a[k])
#define F(k) val_get_float(&db->values, a[k])
#define Q(k) val_get_rat(&db->values, a[k])
#define GIVE_INT(e) return UNUSED, *out = val_int(&db->values, (e)), true
#define GIVE_FLOAT(e) return UNUSED, *out = val_float(&db->values, (e)), true
#define GIVE_RAT(e) return UNUSED, give_rat(db, (e), out)
#define GIVE_BOOL(e) return UNUSED, *out = (e), true
#define GIVE_IF(e) return UNUSED, *out = 0, (e)

/* Numbers that double at every step would eat the memory before any other limit is seen. */
static bool give_rat(Db *db, Rat r, Val *out) {
  enum { MOST_LIMBS = 1 << 20 };
  if (r & 1) {
    mpq_t q;
    mpq_init(q);
    rat_get(r, q);
    size_t limbs = mpz_size(mpq_numref(q)) + mpz_size(mpq_denref(q));
    mpq_clear(q);
    if (limbs > MOST_LIMBS) return db_fail(db, (Span){0, 0, 0}, "a number of more than %d bits", MOST_LIMBS * 64);
  }
  *out = val_rat(&db->values, r);
  return true;
}

DEFINE(any_ne) { GIVE_IF(a[0] != a[1]); }
DEFINE(any_eq) { GIVE_IF(a[0] == a[1]); }
DEFINE(any_bool_ne) { GIVE_BOOL(a[0] != a[1]); }
DEFINE(any_bool_eq) { GIVE_BOOL(a[0] == a[1]); }
DEFINE(any_min) { GIVE_BOOL(a[0] < a[1] ? a[0] : a[1]); }
DEFINE(any_max) { GIVE_BOOL(a[0] > a[1] ? a[0] : a[1]); }

#define CHECKED(name, builtin)                      \
  DEFINE(name) {                                    \
    int64_t r;                                      \
    if (builtin(I(0), I(1), &r)) return false;      \
    GIVE_INT(r);                                    \
  }
CHECKED(int_add, __builtin_add_overflow)
CHECKED(int_sub, __builtin_sub_overflow)
CHECKED(int_mul, __builtin_mul_overflow)

static bool divides(int64_t x, int64_t y) { return y != 0 && !(x == INT64_MIN && y == -1); }
DEFINE(int_div) {
  if (!divides(I(0), I(1))) return false;
  GIVE_INT(I(0) / I(1));
}
DEFINE(int_rem) {
  if (!divides(I(0), I(1))) return false;
  GIVE_INT(I(0) % I(1));
}
DEFINE(int_and) { GIVE_INT(I(0) & I(1)); }
DEFINE(int_or) { GIVE_INT(I(0) | I(1)); }
DEFINE(int_xor) { GIVE_INT(I(0) ^ I(1)); }
DEFINE(int_shl) {
  if (I(1) < 0 || I(1) >= 64) return false;
  GIVE_INT((int64_t)((uint64_t)I(0) << I(1)));
}
DEFINE(int_shr) {
  if (I(1) < 0 || I(1) >= 64) return false;
  GIVE_INT(I(0) >> I(1));
}
DEFINE(int_not) { GIVE_INT(~I(0)); }
DEFINE(int_log2) {
  if (I(0) <= 0) return false;
  GIVE_INT(63 - __builtin_clzll((uint64_t)I(0)));
}
DEFINE(int_abs) {
  if (I(0) == INT64_MIN) return false;
  GIVE_INT(I(0) < 0 ? -I(0) : I(0));
}
DEFINE(int_min) { GIVE_BOOL(I(0) <= I(1) ? a[0] : a[1]); }
DEFINE(int_max) { GIVE_BOOL(I(0) >= I(1) ? a[0] : a[1]); }
DEFINE(int_lt) { GIVE_IF(I(0) < I(1)); }
DEFINE(int_gt) { GIVE_IF(I(0) > I(1)); }
DEFINE(int_le) { GIVE_IF(I(0) <= I(1)); }
DEFINE(int_ge) { GIVE_IF(I(0) >= I(1)); }
DEFINE(int_beq) { GIVE_BOOL(a[0] == a[1]); }
DEFINE(int_blt) { GIVE_BOOL(I(0) < I(1)); }
DEFINE(int_bgt) { GIVE_BOOL(I(0) > I(1)); }
DEFINE(int_ble) { GIVE_BOOL(I(0) <= I(1)); }
DEFINE(int_bge) { GIVE_BOOL(I(0) >= I(1)); }
DEFINE(int_text) {
  char buf[32];
  int len = snprintf(buf, sizeof buf, "%lld", (long long)I(0));
  GIVE_BOOL(sym_n(buf, (size_t)len));
}
DEFINE(int_float) { GIVE_FLOAT((double)I(0)); }

/* Total order: NaN equals itself and is above all else. */
static int order(double x, double y) {
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return x < y ? -1 : x > y;
}
DEFINE(float_add) { GIVE_FLOAT(F(0) + F(1)); }
DEFINE(float_sub) { GIVE_FLOAT(F(0) - F(1)); }
DEFINE(float_mul) { GIVE_FLOAT(F(0) * F(1)); }
DEFINE(float_div) {
  if (F(1) == 0) return false;
  GIVE_FLOAT(F(0) / F(1));
}
DEFINE(float_rem) {
  if (F(1) == 0) return false;
  GIVE_FLOAT(fmod(F(0), F(1)));
}
DEFINE(float_pow) { GIVE_FLOAT(pow(F(0), F(1))); }
DEFINE(float_neg) { GIVE_FLOAT(-F(0)); }
DEFINE(float_abs) { GIVE_FLOAT(fabs(F(0))); }
DEFINE(float_exp) { GIVE_FLOAT(exp(F(0))); }
DEFINE(float_log) {
  if (order(F(0), 0) <= 0) return false;
  GIVE_FLOAT(log(F(0)));
}
DEFINE(float_sqrt) {
  if (order(F(0), 0) < 0) return false;
  GIVE_FLOAT(sqrt(F(0)));
}
DEFINE(float_min) { GIVE_BOOL(order(F(0), F(1)) <= 0 ? a[0] : a[1]); }
DEFINE(float_max) { GIVE_BOOL(order(F(0), F(1)) >= 0 ? a[0] : a[1]); }
DEFINE(float_lt) { GIVE_IF(order(F(0), F(1)) < 0); }
DEFINE(float_gt) { GIVE_IF(order(F(0), F(1)) > 0); }
DEFINE(float_le) { GIVE_IF(order(F(0), F(1)) <= 0); }
DEFINE(float_ge) { GIVE_IF(order(F(0), F(1)) >= 0); }
DEFINE(float_int) {
  double x = F(0);
  GIVE_INT(isnan(x) ? 0 : x >= 9223372036854775808.0 ? INT64_MAX : x < -9223372036854775808.0 ? INT64_MIN : (int64_t)x);
}
DEFINE(float_text) {
  char buf[NUMBER_TEXT];
  number_float_debug(F(0), buf);
  GIVE_BOOL(sym(buf));
}

DEFINE(bool_not) { GIVE_BOOL(!a[0]); }
DEFINE(bool_and) { GIVE_BOOL(a[0] & a[1]); }
DEFINE(bool_xor) { GIVE_BOOL(a[0] ^ a[1]); }
DEFINE(bool_implies) { GIVE_BOOL(!a[0] || a[1]); }
DEFINE(bool_or) {
  Val r = 0;
  for (uint32_t i = 0; i < n; i++) r |= a[i];
  GIVE_BOOL(r);
}
DEFINE(bool_guard) { GIVE_IF(a[0] != 0); }

DEFINE(string_add) {
  UNUSED;
  size_t len = 0;
  for (uint32_t i = 0; i < n; i++) len += sym_len(a[i]);
  if (len > (size_t)1 << 28) return db_fail(db, (Span){0, 0, 0}, "a string of more than 2^28 bytes");
  char *buf = xmalloc(len + 1);
  len = 0;
  for (uint32_t i = 0; i < n; i++) {
    memcpy(buf + len, sym_text(a[i]), sym_len(a[i]));
    len += sym_len(a[i]);
  }
  *out = sym_n(buf, len);
  free(buf);
  return true;
}

/* Length of the UTF-8 character at s: what an empty pattern steps over. */
static size_t step_over(const char *s, const char *end) {
  size_t k = 1;
  while (s + k < end && ((unsigned char)s[k] & 0xc0) == 0x80) k++;
  return k;
}

/* The first occurrence of a string that is not empty; NULL if there is none. */
static const char *find(const char *s, const char *end, const char *what, size_t n) {
  const char first = *what;
  for (; (size_t)(end - s) >= n && (s = memchr(s, first, (size_t)(end - s) - n + 1)); s++)
    if (!memcmp(s, what, n)) return s;
  return NULL;
}

DEFINE(string_replace) {
  UNUSED;
  const char *s = sym_text(a[0]), *end = s + sym_len(a[0]), *from = sym_text(a[1]), *to = sym_text(a[2]);
  size_t n_from = sym_len(a[1]), n_to = sym_len(a[2]);
  if (n_to && sym_len(a[0]) > ((size_t)1 << 28) / n_to)
    return db_fail(db, (Span){0, 0, 0}, "a string of more than 2^28 bytes");
  Vec(char) buf = {0};
#define PUT(q, k)                               \
  do {                                          \
    size_t k_ = (k);                            \
    vec_reserve(&buf, buf.len + k_ + 1);        \
    memcpy(buf.at + buf.len, (q), k_);          \
    buf.len += k_;                              \
  } while (0)
  PUT("", 0);
  for (const char *at; n_from && (at = find(s, end, from, n_from)); s = at + n_from) {
    PUT(s, (size_t)(at - s));
    PUT(to, n_to);
  }
  for (size_t k; !n_from && s < end; s += k) {
    k = step_over(s, end);
    PUT(to, n_to);
    PUT(s, k);
  }
  if (!n_from) PUT(to, n_to);
  PUT(s, (size_t)(end - s));
#undef PUT
  *out = sym_n(buf.at, buf.len);
  vec_free(&buf);
  return true;
}

DEFINE(string_count) {
  const char *s = sym_text(a[0]), *end = s + sym_len(a[0]), *what = sym_text(a[1]);
  size_t n_what = sym_len(a[1]);
  int64_t count = 0;
  if (!n_what) {
    for (count = 1; s < end; s += step_over(s, end)) count++;
    GIVE_INT(count);
  }
  for (; (s = find(s, end, what, n_what)); s += n_what) count++;
  GIVE_INT(count);
}

DEFINE(big_make) { GIVE_RAT(rat_int(I(0))); }
DEFINE(big_parse) {
  const char *s = sym_text(a[0]), *q = s + (*s == '-' || *s == '+');
  if (!*q || strlen(s) != sym_len(a[0])) return false;
  for (const char *c = q; *c; c++)
    if (*c < '0' || *c > '9') return false;
  mpq_t r;
  mpq_init(r);
  mpz_set_str(mpq_numref(r), *s == '+' ? q : s, 10);
  Rat v = rat_set(r);
  mpq_clear(r);
  GIVE_RAT(v);
}
DEFINE(rat_plus) { GIVE_RAT(rat_add(Q(0), Q(1))); }
DEFINE(rat_minus) { GIVE_RAT(rat_sub(Q(0), Q(1))); }
DEFINE(rat_times) { GIVE_RAT(rat_mul(Q(0), Q(1))); }
DEFINE(rat_quot) {
  if (!rat_sign(Q(1))) return false;
  GIVE_RAT(rat_div(Q(0), Q(1)));
}
DEFINE(rat_min) { GIVE_BOOL(rat_cmp(Q(0), Q(1)) <= 0 ? a[0] : a[1]); }
DEFINE(rat_max) { GIVE_BOOL(rat_cmp(Q(0), Q(1)) >= 0 ? a[0] : a[1]); }
DEFINE(rat_lt) { GIVE_IF(rat_cmp(Q(0), Q(1)) < 0); }
DEFINE(rat_gt) { GIVE_IF(rat_cmp(Q(0), Q(1)) > 0); }
DEFINE(rat_le) { GIVE_IF(rat_cmp(Q(0), Q(1)) <= 0); }
DEFINE(rat_ge) { GIVE_IF(rat_cmp(Q(0), Q(1)) >= 0); }
DEFINE(rat_blt) { GIVE_BOOL(rat_cmp(Q(0), Q(1)) < 0); }
DEFINE(rat_bgt) { GIVE_BOOL(rat_cmp(Q(0), Q(1)) > 0); }
DEFINE(rat_ble) { GIVE_BOOL(rat_cmp(Q(0), Q(1)) <= 0); }
DEFINE(rat_bge) { GIVE_BOOL(rat_cmp(Q(0), Q(1)) >= 0); }

typedef void MpzFn(mpz_ptr, mpz_srcptr, mpz_srcptr);
static Rat with_mpz(MpzFn *f, Rat x, Rat y) {
  mpq_t a, b;
  mpq_inits(a, b, NULL);
  rat_get(x, a);
  rat_get(y, b);
  f(mpq_numref(a), mpq_numref(a), mpq_numref(b));
  Rat r = rat_set(a);
  mpq_clears(a, b, NULL);
  return r;
}
static void not_mpz(mpz_ptr r, mpz_srcptr x, mpz_srcptr y) {
  (void)y;
  mpz_com(r, x);
}
static void shl_mpz(mpz_ptr r, mpz_srcptr x, mpz_srcptr y) { mpz_mul_2exp(r, x, mpz_get_ui(y)); }
static void shr_mpz(mpz_ptr r, mpz_srcptr x, mpz_srcptr y) { mpz_fdiv_q_2exp(r, x, mpz_get_ui(y)); }
static void bits_mpz(mpz_ptr r, mpz_srcptr x, mpz_srcptr y) {
  (void)y;
  mpz_set_ui(r, mpz_sgn(x) ? mpz_sizeinbase(x, 2) : 0);
}
DEFINE(big_div) {
  if (!rat_sign(Q(1))) return false;
  GIVE_RAT(with_mpz(mpz_tdiv_q, Q(0), Q(1)));
}
DEFINE(big_rem) {
  if (!rat_sign(Q(1))) return false;
  GIVE_RAT(with_mpz(mpz_tdiv_r, Q(0), Q(1)));
}
DEFINE(big_and) { GIVE_RAT(with_mpz(mpz_and, Q(0), Q(1))); }
DEFINE(big_or) { GIVE_RAT(with_mpz(mpz_ior, Q(0), Q(1))); }
DEFINE(big_xor) { GIVE_RAT(with_mpz(mpz_xor, Q(0), Q(1))); }
DEFINE(big_not) { GIVE_RAT(with_mpz(not_mpz, Q(0), RAT_0)); }
DEFINE(big_shl) {
  if (I(1) < 0 || I(1) >= (int64_t)1 << 32) return false;
  if (rat_sign(Q(0)) && I(1) > (int64_t)1 << 26)
    return db_fail(db, (Span){0, 0, 0}, "a number of more than 2^26 bits");
  GIVE_RAT(with_mpz(shl_mpz, Q(0), rat_int(I(1))));
}
DEFINE(big_shr) {
  if (I(1) < 0 || I(1) >= (int64_t)1 << 32) return false;
  GIVE_RAT(with_mpz(shr_mpz, Q(0), rat_int(I(1))));
}
DEFINE(big_bits) { GIVE_RAT(with_mpz(bits_mpz, Q(0), RAT_0)); }
DEFINE(big_text) {
  UNUSED;
  char *s = number_rat_text(Q(0));
  *out = sym(s);
  free(s);
  return true;
}

static Rat part(Rat x, bool denominator) {
  mpq_t q;
  mpq_init(q);
  rat_get(x, q);
  if (denominator) mpz_set(mpq_numref(q), mpq_denref(q));
  mpz_set_ui(mpq_denref(q), 1);
  Rat r = rat_set(q);
  mpq_clear(q);
  return r;
}
DEFINE(rat_numer) { GIVE_RAT(part(Q(0), false)); }
DEFINE(rat_denom) { GIVE_RAT(part(Q(0), true)); }
DEFINE(rat_negate) { GIVE_RAT(rat_neg(Q(0))); }
DEFINE(rat_absolute) { GIVE_RAT(rat_abs(Q(0))); }
DEFINE(rat_floored) { GIVE_RAT(rat_floor(Q(0))); }
DEFINE(rat_ceiled) { GIVE_RAT(rat_ceil(Q(0))); }
DEFINE(rat_rounded) {
  Rat half = rat_frac(1, 2), x = Q(0);
  GIVE_RAT(rat_sign(x) < 0 ? rat_ceil(rat_sub(x, half)) : rat_floor(rat_add(x, half)));
}
DEFINE(rat_power) {
  int64_t k;
  Rat x = Q(0);
  if (!rat_to_int(Q(1), &k) || (!rat_sign(x) && k < 0)) return false;
  if (!k) GIVE_RAT(RAT_1);
  if (!rat_sign(x) || rat_cmp(x, RAT_1) == 0) GIVE_RAT(x);
  if (rat_cmp(x, RAT_NEG1) == 0) GIVE_RAT(k & 1 ? x : RAT_1);
  if (k > 1 << 20 || k < -(1 << 20)) return false;
  GIVE_RAT(rat_pow(x, k));
}
DEFINE(rat_sqrt) {
  Rat r;
  if (rat_sign(Q(0)) <= 0 || !rat_root(Q(0), 2, &r)) return false;
  GIVE_RAT(r);
}
DEFINE(rat_log) {
  if (rat_cmp(Q(0), RAT_1)) return false;
  GIVE_RAT(RAT_0);
}
DEFINE(rat_cbrt) {
  if (rat_cmp(Q(0), RAT_1)) return false;
  GIVE_RAT(RAT_1);
}
DEFINE(rat_float) { GIVE_FLOAT(rat_to_double(Q(0))); }
DEFINE(rat_int64) {
  int64_t x;
  if (!rat_to_int(Q(0), &x)) return false;
  GIVE_INT(x);
}
