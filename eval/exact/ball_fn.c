/* ball_fn: see ball_fn.h. */
#include "eval/exact/ball_fn.h"

#include "eval/exact/ball_ops.h"

/* 1/k!, each to the last bit of two doubles. */
static const Word inverse_factorial[] = {
    {0x1p+0, 0}, {0x1p+0, 0}, {0x1p-1, 0}, {0x1.5555555555555p-3, 0x1.5555555555555p-57},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59}, {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65}, {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76}, {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
    {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76}, {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83}, {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
    {0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92}, {0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97},
    {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101}, {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
    {0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107}, {0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112},
    {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120}, {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
    {0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124}, {0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130},
    {0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135}, {0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139},
    {0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd1654p-143}, {0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149},
    {0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153},
};
static const Ball ln_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1p-110};
static const Ball half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, 0x1p-109};

static inline Ball coefficient(uint32_t k) {
  Word w = inverse_factorial[k];
  return (Ball){w.hi, w.lo, k < 3 ? 0 : w.hi * 0x1p-105};
}

/* The sum of x^i / (first + i step)! as far as last!. */
static inline Ball series(Ball x, uint32_t first, uint32_t step, uint32_t last) {
  Ball s = coefficient(last);
  for (uint32_t k = last; k > first;) s = add(coefficient(k -= step), mul(x, s));
  return s;
}

/* At least |a|. */
static inline double reach(Ball a) { return magnitude(a) * SLACK; }

/* At least what Taylor's theorem says is left out of degree n and more, for |x| and derivatives up to `most`. */
static inline double left_out(double x, uint32_t n, double most) {
  for (uint32_t k = 1; k <= n; k++) most *= x / k;
  return most * (1 + 0x1p-40) + TINY;
}

/* e^a = 2^k (e^t)^4 */
LOOP bool ball_exp(Ball a, Ball *out) {
  if (isnan(a.hi)) return *out = unknown(), true;
  if (isinf(a.hi)) return *out = exactly(a.hi > 0 ? INFINITY : 0), true;
  if (is_zero(a)) return *out = exactly(1), true;
  if (a.hi * (1 - 0x1p-40) + a.rad < -750) return *out = (Ball){0, 0, TINY}, true;
  if (!(fabs(a.hi) < 600) || !(a.rad < 0.5)) return false;
  double k = nearbyint(a.hi / ln_2.hi), scale = ldexp(1, (int)k);
  Ball t = add(a, mul(exactly(-k), ln_2));
  t = (Ball){t.hi / 4, t.lo / 4, t.rad / 4 + TINY};
  Ball s = series(t, 0, 1, 18);
  s.rad += left_out(reach(t), 19, 1.25); /* |t| < 0.22 */
  for (int i = 0; i < 2; i++) s = mul(s, s);
  *out = made(s.hi * scale, s.lo * scale, s.rad * scale + TINY);
  return true;
}

/* By one step of Newton's method from what doubles give: log a = y + log(1 + u), 1 + u = a e^-y. */
LOOP bool ball_log(Ball a, Ball *out) {
  if (is_double(a) && a.hi == 1) return *out = exactly(0), true;
  if (!(a.hi > SMALL) || !(a.hi < 1 / SMALL) || !(a.rad < a.hi * 0x1p-20)) return false;
  double y = log(a.hi);
  Ball e;
  if (fabs(y) < 0x1p-16 || !ball_exp(exactly(-y), &e)) return false;
  Ball u = add(mul(a, e), exactly(-1));
  double x = reach(u);
  if (!(x < 0x1p-18)) return false;
  Ball v = add(u, mul(exactly(-0.5), mul(u, u)));
  v.rad += x * x * x / 2; /* at least |u|^3 / (3 (1 - |u|)^3) */
  *out = add(exactly(y), v);
  return true;
}

/* Of e^2a - 1, which has a series of its own where it is small. */
LOOP bool ball_tanh(Ball a, Ball *out) {
  Ball t = {2 * a.hi, 2 * a.lo, 2 * a.rad}, e;
  if (is_zero(a)) return *out = exactly(0), true;
  if (!(fabs(a.hi) > TINY) || !(fabs(a.hi) < 250)) return false;
  if (fabs(a.hi) > 0x1p-4 || a.rad > 0x1p-4) {
    if (!ball_exp(t, &e)) return false;
    e = add(e, exactly(-1));
  } else {
    e = mul(t, series(t, 1, 1, 19));
    e.rad += left_out(reach(t), 20, 1.3);
  }
  *out = mul(e, inverse(add(e, exactly(2))));
  return true;
}

/* The sine of a and so many quarter turns. */
LOOP static bool turned(Ball a, int quarters, Ball *out) {
  if (!(fabs(a.hi) < 0x1p20) || !(a.rad < 0.1)) return false;
  double k = nearbyint(a.hi / half_pi.hi);
  Ball r = add(a, mul(exactly(-k), half_pi)), minus = negative(mul(r, r));
  double x = reach(r);
  bool cosine = ((int64_t)k + quarters) & 1, other = ((int64_t)k + quarters) & 2;
  if (!(x < 1)) return false;
  Ball s = cosine ? series(minus, 0, 2, 28) : mul(r, series(minus, 1, 2, 27));
  s.rad += left_out(x, cosine ? 30 : 29, 1);
  *out = other ? negative(s) : s;
  return true;
}

bool ball_sin(Ball a, Ball *out) { return is_zero(a) ? *out = exactly(0), true : turned(a, 0, out); }
bool ball_cos(Ball a, Ball *out) { return is_zero(a) ? *out = exactly(1), true : turned(a, 1, out); }

LOOP bool ball_power(Ball a, Ball exponent, Ball *out) {
  double n = fabs(exponent.hi);
  if (!isfinite(a.hi) || !isfinite(exponent.hi)) return false;
  if (is_double(exponent) && n <= 64 && n == trunc(n)) {
    Ball r = exactly(1), square = a;
    for (int left = (int)n; left; left /= 2, square = mul(square, square))
      if (left % 2) r = mul(r, square);
    *out = exponent.hi < 0 ? inverse(r) : r;
    return true;
  }
  Ball l;
  return a.hi > 0 && ball_log(a, &l) && ball_exp(mul(exponent, l), out);
}
