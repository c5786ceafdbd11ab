#include "lang/base/rat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/base/vec.h"

static struct {
  Vec(mpq_ptr) big;
  uint32_t *slots;
  size_t n_slots;
} table;

static inline bool is_big(Rat a) { return a & 1; }
static inline int64_t num(Rat a) { return (int32_t)(a >> 32); }
static inline int64_t den(Rat a) { return (int64_t)((a >> 1) & 0x7fffffff); }
static inline bool small_fits(int64_t n, int64_t d) {
  return n >= INT32_MIN + 1 && n <= INT32_MAX && d <= 0x7fffffff;
}
static inline Rat pack(int64_t n, int64_t d) {
  return (uint64_t)(uint32_t)(int32_t)n << 32 | (uint64_t)d << 1;
}

static inline int64_t gcd64(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
  while (y) {
    uint64_t t = x % y;
    x = y;
    y = t;
  }
  return (int64_t)x;
}

static uint64_t hash_mpz(const mpz_t z, uint64_t h) {
  h ^= (uint64_t)(int64_t)z->_mp_size * 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < mpz_size(z); i++) h = (h ^ mpz_getlimbn(z, (mp_size_t)i)) * 0xff51afd7ed558ccdu;
  return h ^ h >> 29;
}

static uint64_t hash_mpq(const mpq_t q) { return hash_mpz(mpq_denref(q), hash_mpz(mpq_numref(q), 7)); }

static void grow(void) {
  size_t n = table.n_slots ? table.n_slots * 2 : 256;
  free(table.slots);
  table.slots = xcalloc(n, sizeof *table.slots);
  table.n_slots = n;
  for (size_t i = 0; i < table.big.len; i++) {
    size_t k = hash_mpq(table.big.at[i]) & (n - 1);
    while (table.slots[k]) k = (k + 1) & (n - 1);
    table.slots[k] = (uint32_t)i + 1;
  }
}

Rat rat_set(const mpq_t q) {
  if (mpz_fits_slong_p(mpq_numref(q)) && mpz_fits_slong_p(mpq_denref(q)) &&
      small_fits(mpz_get_si(mpq_numref(q)), mpz_get_si(mpq_denref(q))))
    return pack(mpz_get_si(mpq_numref(q)), mpz_get_si(mpq_denref(q)));
  if ((table.big.len + 1) * 2 > table.n_slots) grow();
  size_t k = hash_mpq(q) & (table.n_slots - 1);
  for (; table.slots[k]; k = (k + 1) & (table.n_slots - 1))
    if (mpq_equal(table.big.at[table.slots[k] - 1], q)) return (Rat)(table.slots[k] - 1) << 1 | 1;
  mpq_ptr p = xmalloc(sizeof *p);
  mpq_init(p);
  mpq_set(p, q);
  vec_push(&table.big, p);
  table.slots[k] = (uint32_t)table.big.len;
  return (Rat)(table.big.len - 1) << 1 | 1;
}

void rat_get(Rat a, mpq_t out) {
  if (is_big(a)) mpq_set(out, table.big.at[a >> 1]);
  else mpq_set_si(out, num(a), (unsigned long)den(a));
}

Rat rat_frac(int64_t n, int64_t d) {
  int64_t g = gcd64(n, d);
  if (g > 1) {
    n /= g;
    d /= g;
  }
  if (d > 0 && small_fits(n, d)) return pack(n, d);
  if (d < 0 && d != INT64_MIN && n != INT64_MIN && small_fits(-n, -d)) return pack(-n, -d);
  mpq_t q;
  mpq_init(q);
  mpz_set_si(mpq_numref(q), n);
  mpz_set_si(mpq_denref(q), d);
  mpq_canonicalize(q);
  Rat r = rat_set(q);
  mpq_clear(q);
  return r;
}

Rat rat_int(int64_t n) { return small_fits(n, 1) ? pack(n, 1) : rat_frac(n, 1); }

typedef void (*MpqOp)(mpq_ptr, mpq_srcptr, mpq_srcptr);

static Rat big_op(MpqOp f, Rat a, Rat b) {
  mpq_t x, y;
  mpq_init(x);
  mpq_init(y);
  rat_get(a, x);
  rat_get(b, y);
  f(x, x, y);
  Rat r = rat_set(x);
  mpq_clear(x);
  mpq_clear(y);
  return r;
}

/* |numerators| < 2^31 and denominators < 2^31, so the cross products stay below 2^63. */
Rat rat_add(Rat a, Rat b) {
  if (is_big(a) || is_big(b)) return big_op(mpq_add, a, b);
  if (den(a) == 1 && den(b) == 1) return rat_int(num(a) + num(b));
  return rat_frac(num(a) * den(b) + num(b) * den(a), den(a) * den(b));
}

Rat rat_mul(Rat a, Rat b) {
  if (is_big(a) || is_big(b)) return big_op(mpq_mul, a, b);
  if (a == RAT_1) return b;
  if (b == RAT_1) return a;
  return rat_frac(num(a) * num(b), den(a) * den(b));
}

Rat rat_neg(Rat a) {
  if (!is_big(a)) return pack(-num(a), den(a));
  return big_op(mpq_sub, RAT_0, a);
}

Rat rat_sub(Rat a, Rat b) { return rat_add(a, rat_neg(b)); }

Rat rat_inv(Rat a) {
  if (!is_big(a)) return num(a) < 0 ? rat_frac(-den(a), -num(a)) : rat_frac(den(a), num(a));
  return big_op(mpq_div, RAT_1, a);
}

Rat rat_div(Rat a, Rat b) { return rat_mul(a, rat_inv(b)); }

Rat rat_abs(Rat a) { return rat_sign(a) < 0 ? rat_neg(a) : a; }

size_t rat_bits(Rat a) {
  mpq_ptr x = is_big(a) ? table.big.at[a >> 1] : NULL;
  return x ? mpz_sizeinbase(mpq_numref(x), 2) + mpz_sizeinbase(mpq_denref(x), 2) : 62;
}

int rat_sign(Rat a) {
  if (is_big(a)) return mpq_sgn(table.big.at[a >> 1]);
  return (num(a) > 0) - (num(a) < 0);
}

int rat_cmp(Rat a, Rat b) {
  if (a == b) return 0;
  if (!is_big(a) && !is_big(b)) {
    int64_t x = num(a) * den(b), y = num(b) * den(a);
    return (x > y) - (x < y);
  }
  return rat_sign(rat_sub(a, b));
}

Rat rat_pow(Rat a, int64_t n) {
  if (n < 0) return rat_inv(rat_pow(a, -n));
  Rat r = RAT_1;
  for (Rat b = a; n; n >>= 1) {
    if (n & 1) r = rat_mul(r, b);
    if (n > 1) b = rat_mul(b, b);
  }
  return r;
}

bool rat_root(Rat a, int64_t n, Rat *root) {
  if (n == 1) return *root = a, true;
  if (rat_sign(a) < 0 || n > 64) return false;
  mpq_t q;
  mpq_init(q);
  rat_get(a, q);
  bool ok = mpz_root(mpq_numref(q), mpq_numref(q), (unsigned long)n);
  ok &= mpz_root(mpq_denref(q), mpq_denref(q), (unsigned long)n) != 0;
  if (ok) *root = rat_set(q);
  mpq_clear(q);
  return ok;
}

uint32_t rat_factors(Rat a, Rat base[RAT_FACTORS], int64_t power[RAT_FACTORS]) {
  if (is_big(a) || rat_sign(a) <= 0) return 0;
  uint32_t n = 0;
  for (int side = 0; side < 2; side++) {
    int64_t left = side ? den(a) : num(a);
    for (int64_t p = 2; left > 1; p++) {
      if (p * p > left || p == 1000) p = left;
      if (left % p) continue;
      base[n] = rat_int(p);
      power[n] = 0;
      for (; left % p == 0; left /= p) power[n] += side ? -1 : 1;
      n++;
    }
  }
  return n;
}

bool rat_is_int(Rat a) {
  if (is_big(a)) return mpz_cmp_ui(mpq_denref(table.big.at[a >> 1]), 1) == 0;
  return den(a) == 1;
}

bool rat_to_int(Rat a, int64_t *out) {
  if (!rat_is_int(a)) return false;
  if (!is_big(a)) return *out = num(a), true;
  mpz_srcptr z = mpq_numref(table.big.at[a >> 1]);
  if (!mpz_fits_slong_p(z)) return false;
  *out = mpz_get_si(z);
  return true;
}

static Rat rounded(Rat a, void (*f)(mpz_ptr, mpz_srcptr, mpz_srcptr)) {
  if (rat_is_int(a)) return a;
  mpq_t q;
  mpq_init(q);
  rat_get(a, q);
  f(mpq_numref(q), mpq_numref(q), mpq_denref(q));
  mpz_set_ui(mpq_denref(q), 1);
  Rat r = rat_set(q);
  mpq_clear(q);
  return r;
}

Rat rat_floor(Rat a) { return rounded(a, mpz_fdiv_q); }
Rat rat_ceil(Rat a) { return rounded(a, mpz_cdiv_q); }

/* floor(n / d / 2^unit); *exact: without a rest. */
static void quotient(mpz_ptr out, mpz_srcptr n, mpz_srcptr d, long unit, bool *exact) {
  mpz_t by;
  mpz_init(by);
  mpz_mul_2exp(out, n, unit < 0 ? (mp_bitcnt_t)-unit : 0);
  mpz_mul_2exp(by, d, unit > 0 ? (mp_bitcnt_t)unit : 0);
  mpz_tdiv_qr(out, by, out, by);
  *exact = mpz_sgn(by) == 0;
  mpz_clear(by);
}

/* The nearest, of two the even one: twice as many units as fit in the digits of a double, so that the last tells. */
static double nearest(mpq_srcptr q) {
  enum { DIGITS = 53, LEAST = -1074, MOST = 1024 };
  mpz_srcptr n = mpq_numref(q), d = mpq_denref(q);
  long size = (long)mpz_sizeinbase(n, 2) - (long)mpz_sizeinbase(d, 2); /* 2^(size - 1) < |q| < 2^(size + 1) */
  if (size > MOST) return mpz_sgn(n) < 0 ? -INFINITY : INFINITY;
  long unit = size - DIGITS < LEAST ? LEAST : size - DIGITS;
  mpz_t m;
  mpz_init(m);
  mpz_abs(m, n);
  bool exact;
  quotient(m, m, d, unit - 1, &exact);
  if (mpz_sizeinbase(m, 2) > DIGITS + 1) {
    exact &= mpz_even_p(m);
    mpz_fdiv_q_2exp(m, m, 1);
    unit++;
  }
  bool up = mpz_odd_p(m) && (!exact || mpz_tstbit(m, 1));
  mpz_fdiv_q_2exp(m, m, 1);
  double x = ldexp(mpz_get_d(m) + up, (int)unit);
  mpz_clear(m);
  return mpz_sgn(n) < 0 ? -x : x;
}

double rat_to_double(Rat a) {
  if (!is_big(a)) return (double)num(a) / (double)den(a);
  return nearest(table.big.at[a >> 1]);
}

Rat rat_from_double(double x) {
  mpq_t q;
  mpq_init(q);
  mpq_set_d(q, isfinite(x) ? x : 0);
  Rat r = rat_set(q);
  mpq_clear(q);
  return r;
}

enum { MAX_EXPONENT = 10000 };

static bool digits_only(const char *s, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (s[i] < '0' || s[i] > '9') return false;
  return n > 0;
}

/* [digits][.digits][e[+-]digits] */
static bool parse_decimal(const char *s, size_t len, mpq_t q) {
  size_t e = 0;
  while (e < len && s[e] != 'e' && s[e] != 'E') e++;
  long exponent = 0;
  if (e < len) {
    size_t k = e + 1;
    bool neg = k < len && s[k] == '-';
    if (k < len && (s[k] == '-' || s[k] == '+')) k++;
    if (!digits_only(s + k, len - k) || len - k > 6) return false;
    for (; k < len; k++) exponent = exponent * 10 + (s[k] - '0');
    if (exponent > MAX_EXPONENT) return false;
    if (neg) exponent = -exponent;
  }
  char small[64], *d = e + 1 <= sizeof small ? small : xmalloc(e + 1);
  size_t n = 0;
  bool point = false, ok = true;
  for (size_t i = 0; i < e && ok; i++) {
    if (s[i] == '.' && !point) point = true;
    else if (s[i] >= '0' && s[i] <= '9') d[n++] = s[i], exponent -= point;
    else ok = false;
  }
  d[n] = 0;
  ok = ok && n > 0 && mpz_set_str(mpq_numref(q), d, 10) == 0;
  if (d != small) free(d);
  if (!ok) return false;
  mpz_t p;
  mpz_init(p);
  mpz_ui_pow_ui(p, 10, (unsigned long)labs(exponent));
  if (exponent >= 0) mpz_mul(mpq_numref(q), mpq_numref(q), p);
  else mpz_set(mpq_denref(q), p);
  mpz_clear(p);
  mpq_canonicalize(q);
  return true;
}

bool rat_parse(const char *s, size_t len, Rat *out) {
  bool neg = len && s[0] == '-';
  if (len && (s[0] == '-' || s[0] == '+')) s++, len--;
  if (len && len <= 9 && digits_only(s, len)) {
    int64_t n = 0;
    for (size_t i = 0; i < len; i++) n = n * 10 + (s[i] - '0');
    return *out = rat_int(neg ? -n : n), true;
  }
  const char *slash = memchr(s, '/', len);
  mpq_t q, d;
  mpq_init(q);
  mpq_init(d);
  bool ok;
  if (slash) {
    size_t n = (size_t)(slash - s);
    ok = parse_decimal(s, n, q) && parse_decimal(slash + 1, len - n - 1, d) && mpq_sgn(d) != 0;
    if (ok) mpq_div(q, q, d);
  } else {
    ok = parse_decimal(s, len, q);
  }
  if (ok && neg) mpq_neg(q, q);
  if (ok) *out = rat_set(q);
  mpq_clear(q);
  mpq_clear(d);
  return ok;
}

bool rat_shortest(double x, Rat *out) {
  char buf[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(buf, sizeof buf, "%.*g", digits, x);
    if (strtod(buf, NULL) == x) break;
  }
  return rat_parse(buf, strlen(buf), out);
}

char *rat_print(Rat a, char *buf, size_t size) {
  if (!is_big(a)) {
    if (den(a) == 1) snprintf(buf, size, "%lld", (long long)num(a));
    else snprintf(buf, size, "%lld/%lld", (long long)num(a), (long long)den(a));
  } else {
    char *s = mpq_get_str(NULL, 10, table.big.at[a >> 1]);
    snprintf(buf, size, "%s", s);
    void (*release)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &release);
    release(s, strlen(s) + 1);
  }
  return buf;
}

Rat rat_gcd(Rat a, Rat b) {
  if (!is_big(a) && !is_big(b)) return rat_int(gcd64(num(a), num(b)));
  mpq_t x, y;
  mpq_init(x);
  mpq_init(y);
  rat_get(a, x);
  rat_get(b, y);
  mpz_gcd(mpq_numref(x), mpq_numref(x), mpq_numref(y));
  mpz_set_ui(mpq_denref(x), 1);
  Rat r = rat_set(x);
  mpq_clear(x);
  mpq_clear(y);
  return r;
}
