/* elementary: see elementary.h.  u stands for UNIT; bounds of sums and products of double-words: word.h. */
#include "eval/exact/elementary.h"

#include <math.h>

#include "eval/exact/word.h"

#define LARGEST 600 /* arguments: a power of e and its lower half stay normal, a multiple of a constant's part exact */
#define LOST 700    /* e^-(LOST - 1) < TINY */
#define NEAR 0x1p-20
#define STEPS 64        /* to 1 in the table of exponentials */
#define MOST_FACTORS 64 /* of a power that is formed by products */

/* Parts of 42 bits and a rest: the first two times a whole number below 2^11 are exact, what is missing of the third
 * comes to less than 2^-128 then. */
static const double ln2[3] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76000p-45, 0x1.cc01f97b57a08p-87};
static const double half_pi[3] = {0x1.921fb54442800p+0, 0x1.4611a62633000p-42, 0x1.45c06e0e68948p-86};

/* 1/j! within u^2 of itself. */
static const Word inverse_factorial[] = {
    {1, 0}, {1, 0}, {0x1p-1, 0}, {0x1.5555555555555p-3, 0x1.5555555555555p-57},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59}, {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65}, {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76}, {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},
    {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76}, {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83}, {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
    {0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92}, {0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97},
    {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101}, {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
    {0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107}, {0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112},
    {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120}, {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
    {0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124}, {0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130},
    {0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135}, {0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139},
    {0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd16540p-143}, {0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149},
    {0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153},
};

/* sum of x^i / (first + i step)! up to (last)!, by Horner. */
static inline Word series(Word x, int first, int last, int step) {
  Word s = inverse_factorial[last];
  for (int j = last - step; j >= first; j -= step) s = word_add(inverse_factorial[j], word_mul(s, x));
  return s;
}

/* The middle of a less k times a constant: |result| <= 0.8, so three sums and what is missing make 8 u^2 at most. */
static inline Word reduced(const Ball *a, double k, const double *parts) {
  Word r = {a->hi, a->lo};
  for (int i = 0; i < 3; i++) r = word_add(r, (Word){-k * parts[i], 0});
  return r;
}

static inline Word times(Word a, double power_of_2) { return (Word){a.hi * power_of_2, a.lo * power_of_2}; }

/* e^(i / STEPS) of |i| <= STEPS / 2, by the polynomial of degree 27: within 40 u^2 of itself. */
static inline Word exp_of_step(int i) {
  static Word known[STEPS + 1];
  Word *e = &known[i + STEPS / 2];
  if (e->hi == 0) *e = series((Word){(double)i / STEPS, 0}, 0, 27, 1);
  return *e;
}

/* With r = x - k ln 2 and s = r - i / STEPS: e^x = 2^k e^(i / STEPS) (1 + p) with p = e^s - 1, |s| <= 2^-7, whose polynomial
 * of degree 11 is within 2^-112; its terms from s^7 on come to less than 2^-61 and are doubles, which lose 2^-112.  What
 * rounds in the others comes to 12 u^2 of p, and r's own error adds 8, the last product and sum 11. */
LOOP bool ball_exp(const Ball *a, Ball *out) {
  if (a->hi == -INFINITY) return *out = ball_exactly(0), true;
  if (a->hi < -LOST && a->rad < 1) return *out = (Ball){0, 0, TINY}, true;
  if (!(fabs(a->hi) <= LARGEST) || !(a->rad < 1)) return false;
  if (a->hi == 0 && a->rad == 0) return *out = ball_exactly(1), true;
  double k = nearbyint(a->hi / M_LN2), far = 0;
  Word r = reduced(a, k, ln2);
  int i = (int)nearbyint(r.hi * STEPS);
  Word s = word_add(r, (Word){-(double)i / STEPS, 0}), step = exp_of_step(i);
  for (int j = 11; j > 6; j--) far = far * s.hi + inverse_factorial[j].hi;
  Word p = {far, 0};
  for (int j = 6; j > 0; j--) p = word_add(inverse_factorial[j], word_mul(p, s));
  p = word_add(step, word_mul(step, word_mul(p, s)));
  p = times(p, ldexp(1, (int)k));
  double spread = a->rad * (1 + a->rad); /* e^rad - 1 at most */
  *out = ball_made(p.hi, p.lo, p.hi * (spread + 128 * UNIT2) * (1 + 0x1p-40) + TINY);
  return true;
}

/* y + log(1 + t) with y = log(x) as it rounds, whatever its error, and 1 + t = x e^-y; t - t^2/2 is off by |t|^3 at most. */
bool ball_log(const Ball *a, Ball *out) {
  double y = a->hi > 0 ? log(a->hi) : NAN;
  Ball x = ball_exactly(-y), e;
  if (!(fabs(y) < LARGEST) || !ball_exp(&x, &e)) return false;
  Ball t = ball_add(ball_mul(*a, e), ball_exactly(-1)), s = ball_mul(t, t);
  double most = fabs(t.hi) * (1 + 0x1p-40) + t.rad;
  if (!(most < NEAR)) return false;
  Ball sum = ball_add(ball_add(ball_exactly(y), t), (Ball){-s.hi / 2, -s.lo / 2, s.rad / 2});
  *out = most == 0 ? sum : ball_made(sum.hi, sum.lo, sum.rad + most * most * most + TINY);
  return true;
}

/* (1 - e) / (1 + e) with e = e^(-2|x|), and the sign of x. */
bool ball_tanh(const Ball *a, Ball *out) {
  double sign = a->hi < 0 ? 1 : -1;
  Ball twice = {2 * sign * a->hi, 2 * sign * a->lo, 2 * a->rad}, e;
  if (!isfinite(twice.hi) || !ball_exp(&twice, &e)) return false; /* or it is infinite, or so large that its double is */
  Ball over = ball_inverse(ball_add(ball_exactly(1), e));
  Ball rest = ball_add(ball_exactly(1), (Ball){-e.hi, -e.lo, e.rad}), t = ball_mul(rest, over);
  *out = (Ball){-sign * t.hi, -sign * t.lo, t.rad};
  return true;
}

/* sin(x + quarters pi/2).  Of r = x - k pi/2, polynomials of degree 27 and 28 are within 2^-112 and computed within
 * 15 u^2; r's own error and x's radius come to that. */
LOOP static bool sine(const Ball *a, int quarters, Ball *out) {
  if (!(fabs(a->hi) <= LARGEST) || !(a->rad < 1)) return false;
  double k = nearbyint(a->hi / M_PI_2);
  Word r = reduced(a, k, half_pi), square = times(word_mul(r, r), -1);
  int turn = ((int)k + quarters) & 3;
  Word s = turn & 1 ? series(square, 0, 28, 2) : word_mul(r, series(square, 1, 27, 2));
  s = times(s, turn & 2 ? -1 : 1);
  *out = ball_made(s.hi, s.lo, a->rad + 64 * UNIT2);
  return true;
}

bool ball_sin(const Ball *a, Ball *out) {
  if (a->hi == 0 && a->rad == 0) return *out = *a, true;
  return sine(a, 0, out);
}

bool ball_cos(const Ball *a, Ball *out) {
  if (a->hi == 0 && a->rad == 0) return *out = ball_exactly(1), true;
  return sine(a, 1, out);
}

static Ball whole_power(Ball a, int n) {
  Ball out = ball_exactly(1);
  for (; n; n >>= 1) {
    if (n & 1) out = ball_mul(out, a);
    if (n > 1) a = ball_mul(a, a);
  }
  return out;
}

bool ball_power(const Ball *a, Ball *out) {
  bool exponent = a[1].lo == 0 && a[1].rad == 0;
  double n = a[1].hi;
  if (!isfinite(a[0].hi) || !isfinite(n)) return false;
  if (exponent && n >= 0 && n <= MOST_FACTORS && n == trunc(n)) return *out = whole_power(a[0], (int)n), true;
  Ball log, product;
  if (!ball_log(&a[0], &log)) return false;
  product = ball_mul(log, a[1]);
  return ball_exp(&product, out);
}
