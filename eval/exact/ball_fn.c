/* ball_fn: see ball_fn.h.  Middles are formed in double-words, whose errors are bounded beforehand; what a radius becomes
 * is bounded apart.
 *
 * exp(x) = 2^k (1 + q)^256 where x = k ln 2 + r, |r| < 0.35, and q = expm1(r / 256) by its series: of degree 9 it lacks
 * less than 6e-36.  Its last four coefficients are doubles: they count for 2^-47 of the sum.  The 8 steps
 * q := 2 q + q^2 double an error, so 256 * 1.42 times that of the series, less than 2e-34, and 17 UNIT2 of their own
 * arrive, which is less than 40 UNIT2 of the result; k ln 2 adds (3 + k / 3) UNIT2. */
#include "eval/exact/ball_fn.h"

#include "eval/exact/word.h"

#define LEAST -600.0 /* arguments of exp in whose range nothing underflows or overflows */
#define MOST 700.0
#define WIDEST 0.5

static Ball number(double x) { return (Ball){x, 0, 0}; }
static bool is_exactly(Ball x, double value) { return x.hi == value && x.lo == 0 && x.rad == 0; }

static inline Word expm1_small(Word s) {
  static const Word c[] = {{0x1p-1, 0},
                           {0x1.5555555555555p-3, 0x1.5555555555555p-57},
                           {0x1.5555555555555p-5, 0x1.5555555555555p-59},
                           {0x1.1111111111111p-7, 0x1.1111111111111p-63}}; /* 1/2!, .. 1/5! */
  double t = ((s.hi / 362880 + 1. / 40320) * s.hi + 1. / 5040) * s.hi + 1. / 720;
  Word q = word_add(c[3], word_mul(s, (Word){t, 0}));
  for (int i = 2; i >= 0; i--) q = word_add(c[i], word_mul(s, q));
  return word_add(s, word_mul(word_mul(s, s), q));
}

LOOP bool ball_exp(Ball x, Ball *out) {
  static const Word ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  if (!(x.hi >= LEAST && x.hi <= MOST && x.rad <= WIDEST)) return false;
  if (is_exactly(x, 0)) return *out = number(1), true;
  double k = nearbyint(x.hi / ln2.hi), e, p = two_product(k, ln2.hi, &e);
  Word r = word_add(word_add((Word){x.hi, x.lo}, (Word){-p, -e}), (Word){-k * ln2.lo, 0});
  Word q = expm1_small((Word){r.hi / 256, r.lo / 256});
  for (int i = 0; i < 8; i++) q = word_add((Word){2 * q.hi, 2 * q.lo}, word_mul(q, q));
  Word w = word_add((Word){1, 0}, q);
  double scale = ldexp(1, (int)k), own = (128 + fabs(k)) * UNIT2;
  /* exp(x + d) - exp(x) is at most exp(x) (d + d^2) for 0 <= d < 1 */
  *out = (Ball){w.hi * scale, w.lo * scale, w.hi * scale * (own + x.rad * (1 + x.rad) * (1 + 0x1p-40))};
  return true;
}

/* log(x) = y + log(1 + t) for any y near it, t = x exp(-y) - 1; the series of degree 2 lacks less than |t|^3. */
bool ball_log(Ball x, Ball *out) {
  Ball inverse;
  if (!(x.hi > 0x1p-800 && x.hi < 0x1p800 && x.rad < x.hi * 0x1p-20)) return false;
  if (is_exactly(x, 1)) return *out = number(0), true;
  double y = log(x.hi);
  if (!ball_exp(number(-y), &inverse)) return false;
  Ball t = ball_add(ball_mul(x, inverse), number(-1)), square = ball_mul(t, t);
  double far = fabs(t.hi) * (1 + 0x1p-40) + t.rad;
  if (!(far < 0x1p-15)) return false;
  *out = ball_add(ball_add(number(y), t), ball_mul(square, number(-0.5)));
  out->rad += far * far * far * (1 + 0x1p-40);
  return true;
}

/* 1 - 2 / (exp(2 x) + 1); of small arguments more digits are wanted than that has. */
bool ball_tanh(Ball x, Ball *out) {
  Ball e, inverse;
  if (is_exactly(x, 0)) return *out = x, true;
  if (!(fabs(x.hi) < 300 && fabs(x.hi) > 0x1p-12)) return false;
  if (!ball_exp((Ball){2 * x.hi, 2 * x.lo, 2 * x.rad}, &e)) return false;
  inverse = ball_inverse(ball_add(e, number(1)));
  *out = ball_add(number(1), ball_mul(number(-2), inverse));
  return true;
}
