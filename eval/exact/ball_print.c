/* ball_print: a ball as a decimal with its error, as Arb prints one: "[0.25000000000000000 +/- 1.20e-19]".  As many
 * digits, at most 17, as the radius leaves certain; what rounding them loses is added to it, and three of its digits are
 * rounded up. */
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/exact/ball.h"

enum { DIGITS = 17, FIXED = 16, LEAST_FIXED = -4 }; /* decimal exponents that are written out */

/* |hi + lo| = *m * 2^exponent */
static int64_t magnitude(Ball b, mpz_t m) {
  int e, f;
  double x = frexp(b.hi, &e), y = frexp(b.lo, &f);
  mpz_t low;
  if (!b.lo) f = e;
  mpz_init_set_d(low, ldexp(y, 53));
  mpz_set_d(m, ldexp(x, 53));
  mpz_mul_2exp(e > f ? m : low, e > f ? m : low, (mp_bitcnt_t)labs((long)e - f));
  mpz_add(m, m, low);
  mpz_abs(m, m);
  mpz_clear(low);
  return (e < f ? e : f) - 53;
}

/* round(m * 2^exponent * 10^scale), and *lost of what that is from it, rounded up. */
static void scaled(const mpz_t m, int64_t exponent, int scale, mpz_t out, double *lost) {
  mpz_t num, den;
  mpz_init_set(num, m);
  mpz_init_set_ui(den, 1);
  mpz_t ten;
  mpz_init(ten);
  mpz_ui_pow_ui(ten, 10, (unsigned long)abs(scale));
  mpz_mul(scale < 0 ? den : num, scale < 0 ? den : num, ten);
  mpz_mul_2exp(exponent < 0 ? den : num, exponent < 0 ? den : num, (mp_bitcnt_t)llabs(exponent));
  mpz_mul_2exp(ten, num, 1);
  mpz_add(ten, ten, den);
  mpz_fdiv_q(ten, ten, den);
  mpz_fdiv_q_2exp(out, ten, 1);
  mpz_submul(num, out, den);
  long shift, below;
  double rest = fabs(mpz_get_d_2exp(&shift, num)), whole = mpz_get_d_2exp(&below, den);
  *lost = ldexp(rest / whole, (int)(shift - below)) * (1 + 0x1p-50) + 0x1p-1060;
  mpz_clear(ten);
  mpz_clear(den);
  mpz_clear(num);
}

/* Three digits, not below x. */
static const char *error_text(double x, Arena *a) {
  const char *text = arena_printf(a, "%.2e", x);
  if (strtod(text, NULL) >= x) return text;
  return arena_printf(a, "%.2e", x + 0.005 * pow(10, strtol(strchr(text, 'e') + 1, NULL, 10)));
}

const char *ball_print(Ball b, Arena *a) {
  double top = fabs(b.hi);
  int order = top ? (int)floor(log10(top)) : 0, certain = DIGITS;
  if (b.rad > 0) certain = order - (int)floor(log10(b.rad));
  if (!top || certain < 1) return arena_printf(a, "[+/- %s]", error_text(top * (1 + 0x1p-50) + b.rad, a));
  if (certain > DIGITS) certain = DIGITS;
  mpz_t m, n;
  double lost;
  mpz_init(m);
  mpz_init(n);
  int64_t exponent = magnitude(b, m);
  scaled(m, exponent, certain - 1 - order, n, &lost);
  char *digits = mpz_get_str(NULL, 10, n);
  int scale = certain - 1 - order, have = (int)strlen(digits); /* one more where it was rounded up to a power of 10 */
  order = have - 1 - scale;
  double error = lost * pow(10, -scale) * (1 + 0x1p-48) + b.rad;
  const char *sign = b.hi < 0 ? "-" : "", *e = error_text(error, a), *text;
  if (order < LEAST_FIXED || order > FIXED)
    text = arena_printf(a, "[%s%c%s%se%+03d +/- %s]", sign, digits[0], have > 1 ? "." : "", digits + 1, order, e);
  else if (order < 0)
    text = arena_printf(a, "[%s0.%.*s%s +/- %s]", sign, -1 - order, "000", digits, e);
  else
    text = arena_printf(a, "[%s%.*s%s%s +/- %s]", sign, order + 1, digits, have > order + 1 ? "." : "",
                        have > order + 1 ? digits + order + 1 : "", e);
  void (*release)(void *, size_t);
  mp_get_memory_functions(NULL, NULL, &release);
  release(digits, strlen(digits) + 1);
  mpz_clear(n);
  mpz_clear(m);
  return text;
}
