/* Operations on balls, inlined: loops over numbers come twice (word.h), and each has its own.  Bounds: see ball.h. */
#ifndef TVR_EXACT_BALL_OPS_H
#define TVR_EXACT_BALL_OPS_H
#include "eval/exact/ball.h"
#include "eval/exact/word.h"

#define SMALL 0x1p-900      /* from here on no rounding error of a product underflows .. */
#define TINY 0x1p-1000      /* .. which loses less than this */
#define SLACK (1 + 0x1p-48) /* covers the roundings of a radius' own few operations */

static inline Ball unknown(void) { return (Ball){NAN, 0, 0}; }
static inline Ball exactly(double x) { return (Ball){x, 0, 0}; }
static inline bool is_zero(Ball a) { return a.hi == 0 && a.rad == 0; }
static inline bool is_double(Ball a) { return a.lo == 0 && a.rad == 0; }

/* A middle hi + lo with a radius before slack; an overflow is no value. */
static inline Ball made(double hi, double lo, double rad) {
  if (!(fabs(hi + lo) + rad < INFINITY)) return unknown();
  Word w = word_of(hi, lo);
  return (Ball){w.hi, w.lo, rad * SLACK};
}

static inline Ball add(Ball a, Ball b) {
  if (!isfinite(a.hi) || !isfinite(b.hi)) return exactly(a.hi + b.hi);
  double e, f, s = two_sum(a.hi, b.hi, &e), t = two_sum(a.lo, b.lo, &f);
  double v = s + (e += t), w = f + (e - (v - s));
  bool exact = a.lo == 0 && b.lo == 0;
  return made(v, w, a.rad + b.rad + (exact ? 0 : fabs(v) * 4 * UNIT2 + TINY));
}

static inline Ball negative(Ball a) { return (Ball){-a.hi, -a.lo, a.rad}; }
static inline double magnitude(Ball a) { return fabs(a.hi) * (1 + UNIT * 4) + a.rad; }
static inline bool may_be_zero(Ball a) { return !(fabs(a.hi) * (1 - UNIT * 4) > a.rad); }

static inline Ball mul(Ball a, Ball b) {
  double e, p = two_product(a.hi, b.hi, &e);
  if (isinf(a.hi) || isinf(b.hi)) return may_be_zero(a) || may_be_zero(b) ? unknown() : exactly(p);
  if (is_zero(a) || is_zero(b)) return exactly(p);
  if (is_double(a) && is_double(b) && fabs(p) >= SMALL) return made(p, e, 0);
  e += a.hi * b.lo + a.lo * b.hi;
  double spread = magnitude(a) * b.rad + magnitude(b) * a.rad;
  return made(p, e, spread + fabs(p) * 8 * UNIT2 + TINY);
}

static inline Ball inverse(Ball a) {
  double m = fabs(a.hi), inside = m * (1 - UNIT * 4) - a.rad, c = 1 / a.hi;
  if (!(inside > 0) || isinf(m) || isinf(c)) return unknown();
  double rest = fma(-c, a.hi, 1) - c * a.lo;
  double error = rest == 0 && is_double(a) ? 0 : fabs(c) * 64 * UNIT2 + TINY;
  return made(c, rest / a.hi, error + (a.rad != 0 ? a.rad / m / inside * (1 + 0x1p-40) : 0));
}

static inline Ball square_root(Ball a) {
  if (is_zero(a)) return a;
  if (may_be_zero(a) || a.hi < 0 || isinf(a.hi)) return unknown();
  double s = sqrt(a.hi), rest = fma(-s, s, a.hi) + a.lo;
  double error = a.hi > SMALL && rest == 0 && is_double(a) ? 0 : s * 64 * UNIT2 + (a.hi > SMALL ? TINY : s * 4 * UNIT);
  return made(s, rest / (2 * s), error + a.rad / s * (1 + 0x1p-40));
}

#endif
