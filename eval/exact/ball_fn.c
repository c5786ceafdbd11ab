/* ball_fn: see ball_fn.h.  Middles of exponentials are formed in double-words, whose errors are bounded beforehand; what a
 * radius becomes is bounded apart.  All else is made of balls, which bound their own errors.
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
static Ball negative(Ball a) { return (Ball){-a.hi, -a.lo, a.rad}; }
static Ball sub(Ball a, Ball b) { return ball_add(a, negative(b)); }
static bool is_double(Ball x) { return x.lo == 0 && x.rad == 0; }
static bool is_exactly(Ball x, double value) { return x.hi == value && is_double(x); }
/* With a bound of what a series lacks. */
static Ball widened(Ball x, double by) { return (Ball){x.hi, x.lo, (x.rad + by) * (1 + 0x1p-48)}; }
/* A bound of the magnitude. */
static double reach(Ball x) { return (fabs(x.hi) + x.rad) * (1 + 0x1p-48); }

/* ---- exponentials ---- */

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

LOOP static bool exponential(Ball x, Ball *out) {
  static const Word ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  if (x.hi + x.rad < LEAST) return *out = (Ball){0, 0, isinf(x.hi) ? 0 : 0x1p-864}, true;
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

static bool fn_exp(const Ball *x, Ball *out) { return exponential(*x, out); }

/* log(x) = y + log(1 + t) for any y near it, t = x exp(-y) - 1; the series of degree 2 lacks less than |t|^3. */
static bool logarithm(Ball x, Ball *out) {
  Ball over;
  if (!(x.hi > 0x1p-800 && x.hi < 0x1p800 && x.rad < x.hi * 0x1p-20)) return false;
  if (is_exactly(x, 1)) return *out = number(0), true;
  double y = log(x.hi);
  if (!exponential(number(-y), &over)) return false;
  Ball t = sub(ball_mul(x, over), number(1));
  double far = reach(t);
  if (!(far < 0x1p-15)) return false;
  *out = widened(ball_add(number(y), sub(t, ball_mul(ball_mul(t, t), number(0.5)))), far * far * far);
  return true;
}

static bool fn_log(const Ball *x, Ball *out) { return logarithm(*x, out); }

/* 1 - 2 / (exp(2 x) + 1); of small arguments more digits are wanted than that has. */
static bool fn_tanh(const Ball *x, Ball *out) {
  Ball e;
  if (is_exactly(*x, 0)) return *out = *x, true;
  if (!(fabs(x->hi) < 300 && fabs(x->hi) > 0x1p-30)) return false;
  if (!exponential((Ball){2 * x->hi, 2 * x->lo, 2 * x->rad}, &e)) return false;
  *out = sub(number(1), ball_mul(number(2), ball_inverse(ball_add(e, number(1)))));
  return true;
}

/* ---- powers ---- */

static bool power_int(Ball x, int64_t n, Ball *out) {
  enum { LARGEST = 64 };
  if (n > LARGEST || n < -LARGEST || !isfinite(x.hi)) return false;
  if (!n) return *out = number(1), true;
  Ball p = x;
  for (int64_t i = n < 0 ? -n : n; i > 1; i--) p = ball_mul(p, x);
  *out = n < 0 ? ball_inverse(p) : p;
  return isfinite(out->hi);
}

/* x ^ y = exp(y log(x)) */
static bool power(Ball x, Ball y, Ball *out) {
  if (is_double(y) && y.hi == trunc(y.hi)) return fabs(y.hi) < 0x1p31 && power_int(x, (int64_t)y.hi, out);
  Ball log;
  return isfinite(y.hi) && logarithm(x, &log) && exponential(ball_mul(y, log), out);
}

static bool fn_pow(const Ball *a, Ball *out) { return power(a[0], a[1], out); }
bool ball_power(Ball x, Rat r, Ball *out) { return power(x, ball_from_rat(r), out); }

/* ---- angles ---- */

/* sin (first = 1) or cos (first = 0) of |r| < 0.8: 14 terms lack less than 0.8^28 / 28!. */
static Ball series(Ball r, int first) {
  Ball square = negative(ball_mul(r, r)), p = number(1);
  for (int n = 26 + first; n > first; n -= 2)
    p = ball_add(number(1), ball_mul(ball_mul(square, p), ball_inverse(number(n * (n - 1)))));
  return widened(first ? ball_mul(r, p) : p, 0x1p-106);
}

/* sin(x + quarters * pi / 2) */
static bool sine(Ball x, int quarters, Ball *out) {
  static const Ball quarter = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, 0x1p-109};
  if (!(fabs(x.hi) < 0x1p30)) return false;
  double k = nearbyint(x.hi / quarter.hi);
  Ball r = sub(x, ball_mul(number(k), quarter));
  if (!(reach(r) < 0.8)) return false;
  int64_t turn = (int64_t)k + quarters;
  *out = series(r, !(turn & 1));
  if (turn & 2) *out = negative(*out);
  return true;
}

static bool fn_sin(const Ball *x, Ball *out) { return is_exactly(*x, 0) ? (*out = *x, true) : sine(*x, 0, out); }
static bool fn_cos(const Ball *x, Ball *out) { return is_exactly(*x, 0) ? (*out = number(1), true) : sine(*x, 1, out); }

/* ---- what only chooses and counts ---- */

static bool small_integer(Ball b, int64_t *out) {
  if (!is_double(b) || !(fabs(b.hi) < 0x1p53) || b.hi != trunc(b.hi)) return false;
  *out = (int64_t)b.hi;
  return true;
}

/* Quotients of integers, as index arithmetic has them. */
static bool quotient(const Ball *args, bool floors, bool rest, Ball *out) {
  int64_t a, b;
  if (!small_integer(args[0], &a) || !small_integer(args[1], &b) || !b) return false;
  int64_t q = a / b, r = a % b;
  if (floors && r && (r < 0) != (b < 0)) q--, r += b;
  *out = number((double)(rest ? r : q));
  return true;
}

static bool fn_abs(const Ball *a, Ball *out) { return *out = a->hi < 0 ? negative(*a) : *a, true; }
static bool fn_clamp(const Ball *a, Ball *out) { return *out = ball_extreme(ball_extreme(a[0], a[1], 1), a[2], -1), true; }
static bool fn_maximum(const Ball *a, Ball *out) { return *out = ball_extreme(a[0], a[1], 1), true; }
static bool fn_minimum(const Ball *a, Ball *out) { return *out = ball_extreme(a[0], a[1], -1), true; }
static bool fn_truncdiv(const Ball *a, Ball *out) { return quotient(a, false, false, out); }
static bool fn_rem(const Ball *a, Ball *out) { return quotient(a, false, true, out); }
static bool fn_floordiv(const Ball *a, Ball *out) { return quotient(a, true, false, out); }
static bool fn_mod(const Ball *a, Ball *out) { return quotient(a, true, true, out); }

static bool fn_provided(const Ball *a, Ball *out) {
  int64_t p;
  return small_integer(a[0], &p) && p == 1 && (*out = a[1], true);
}

BallFn *ball_fn(FnId fn) {
  static BallFn *const table[FN_COUNT] = {
      [FN_EXP] = fn_exp,           [FN_LOG] = fn_log,         [FN_TANH] = fn_tanh,         [FN_SIN] = fn_sin,
      [FN_COS] = fn_cos,           [FN_POW] = fn_pow,         [FN_ABS] = fn_abs,           [FN_CLAMP] = fn_clamp,
      [FN_MAXIMUM] = fn_maximum,   [FN_MINIMUM] = fn_minimum, [FN_TRUNCDIV] = fn_truncdiv, [FN_REM] = fn_rem,
      [FN_FLOORDIV] = fn_floordiv, [FN_MOD] = fn_mod,         [FN_PROVIDED] = fn_provided};
  return fn < FN_COUNT ? table[fn] : NULL;
}
