/* ball_print: decimals of a ball by integers: five digits more than are printed, rounded down; what that and rounding
 * to those printed lost, and the radius, add up to the printed one, of three digits, rounded up. */
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/exact/ball.h"

enum { DIGITS = 17, MORE = 5, RADIUS_DIGITS = 3, APART = 400 };

/* An integer times a power of two. */
static void parts(double x, mpz_t m, int *exponent) {
  mpz_set_d(m, ldexp(frexp(x, exponent), 53));
  *exponent -= 53;
}

/* |a| 10^shift, rounded down; false if its two doubles are too far apart. */
static bool scaled(Ball a, int shift, mpz_t out) {
  int e, f;
  mpz_t by;
  mpz_init(by);
  parts(a.hi, out, &e);
  parts(a.lo, by, &f);
  bool near = a.lo == 0 || (e >= f && e - f < APART);
  if (a.lo != 0 && near) {
    mpz_mul_2exp(out, out, (mp_bitcnt_t)(e - f));
    mpz_add(out, out, by);
    e = f;
  }
  mpz_abs(out, out);
  mpz_ui_pow_ui(by, 10, (unsigned long)abs(shift));
  if (shift > 0) mpz_mul(out, out, by);
  if (e > 0) mpz_mul_2exp(out, out, (mp_bitcnt_t)e);
  if (shift < 0) mpz_mul_2exp(by, by, e < 0 ? (mp_bitcnt_t)-e : 0), mpz_fdiv_q(out, out, by);
  else if (e < 0) mpz_fdiv_q_2exp(out, out, (mp_bitcnt_t)-e);
  mpz_clear(by);
  return near;
}

/* x as `digits` times 10^*dropped, rounded to the nearest or up, and how far that is off. */
static const char *rounded(mpz_t x, size_t digits, bool up, int *dropped, Arena *a) {
  size_t size = mpz_sizeinbase(x, 10) + 2;
  char *text = mpz_get_str(arena_alloc(a, size), 10, x);
  size_t len = strlen(text);
  *dropped = len > digits ? (int)(len - digits) : 0;
  mpz_t unit, q, rest;
  mpz_inits(unit, q, rest, NULL);
  mpz_ui_pow_ui(unit, 10, (unsigned long)*dropped);
  mpz_fdiv_qr(q, rest, x, unit);
  mpz_mul_2exp(unit, rest, 1);
  bool next = mpz_sgn(rest) && (up || (*dropped && text[digits] >= '5'));
  if (next) mpz_add_ui(q, q, 1);
  mpz_get_str(text, 10, q);
  mpz_ui_pow_ui(unit, 10, (unsigned long)*dropped);
  if (next) mpz_sub(rest, unit, rest);
  mpz_set(x, rest);
  mpz_clears(unit, q, rest, NULL);
  return strlen(text) > digits ? NULL : text;
}

/* Digits with a point: the first stands for 10^exponent. */
static const char *decimal(const char *digits, int exponent, int least, int most, Arena *a) {
  if (exponent >= least && exponent < 0) return arena_printf(a, "0.%.*s%s", -exponent - 1, "0000", digits);
  if (exponent >= least && exponent <= most && exponent + 1 < (int)strlen(digits))
    return arena_printf(a, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
  return arena_printf(a, "%c%s%se%+d", *digits, digits[1] ? "." : "", digits + 1, exponent);
}

/* How many digits of x to print: as many as are off by at most one in the last place, with what rounding adds. */
static size_t n_sure(const mpz_t x, const mpz_t radius, Arena *a) {
  const char *digits = mpz_get_str(arena_alloc(a, mpz_sizeinbase(x, 10) + 2), 10, x);
  const char *off = mpz_get_str(arena_alloc(a, mpz_sizeinbase(radius, 10) + 2), 10, radius);
  if (strlen(digits) <= strlen(off)) return 0;
  size_t n = strlen(digits) - strlen(off);
  int next = digits[n] - '0', first = *off - '0';
  if ((next < 5 ? next + 1 : 10 - next) + first + 1 > 10) n--;
  return n < DIGITS ? n : DIGITS;
}

char *ball_print(Ball a, Arena *arena) {
  if (a.hi == 0 && a.lo == 0 && a.rad == 0) return arena_printf(arena, "0");
  if (!(fabs(a.hi) < 1e60) || !(fabs(a.hi) > 1e-60) || (a.lo == 0 && a.rad == 0)) return NULL;
  int e, dropped, lost;
  if (fabs(frexp(a.hi, &e)) == 0.5) return NULL; /* which power of two is below it depends on the second double */
  int shift = (int)floor(DIGITS + MORE - e * log10(2));
  double units = ceil(a.rad * pow(10, shift) * (1 + 0x1p-29) + 0x1p-12) + 1;
  if (!(units < 1e20)) return NULL;
  mpz_t x, radius;
  mpz_init(x);
  mpz_init_set_d(radius, units);
  const char *digits = NULL, *off = NULL;
  size_t n = scaled(a, shift, x) ? n_sure(x, radius, arena) : 0;
  if (n && (digits = rounded(x, n, false, &dropped, arena))) {
    mpz_add(radius, radius, x);
    off = rounded(radius, RADIUS_DIGITS, true, &lost, arena);
  }
  mpz_clears(x, radius, NULL);
  if (!off) return NULL;
  int first = (int)strlen(digits) - 1 + dropped - shift, last = (int)strlen(off) - 1 + lost - shift;
  return arena_printf(arena, "[%s%s +/- %s]", a.hi < 0 ? "-" : "", decimal(digits, first, -4, DIGITS - 1, arena),
                      decimal(off, last, -2, 2, arena));
}
