/* Balls of doubles against Arb: the real result of every operation lies in the ball it gives. */
#include <math.h>
#include <stdio.h>

#include "eval/exact/ball.h"
#include "eval/exact/fn_eval.h"
#include "eval/exact/view.h"
#include "lang/base/library.h"

/* Functions of Arb that only this test calls. */
#define ARB(name, params, args) LIBRARY_FUNCTION("libflint-arb.so.2", void, name, params, args)
ARB(arb_pow_fmpz, (arb_t z, const arb_t x, const fmpz_t n, slong p), (z, x, n, p))
ARB(arb_sqrt, (arb_t y, const arb_t x, slong p), (y, x, p))
ARB(arb_ui_div, (arb_t z, ulong n, const arb_t x, slong p), (z, n, x, p))
ARB(arb_set_si, (arb_t y, slong n), (y, n))
ARB(arb_div_si, (arb_t z, const arb_t x, slong n, slong p), (z, x, n, p))

enum { ROUNDS = 20000, TERMS = 40, BITS = 4000 };

static int failures;
static uint64_t state = 1;

static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* A ball of many kinds: integers, zeros, huge, tiny and close ones, exact or not. */
static Ball draw_ball(int reach) {
  if (draw() % 8 == 0) return (Ball){(double)(int64_t)(draw() % 21) - 10, 0, 0};
  double hi = ldexp((double)(int64_t)(draw() >> 1) * (draw() % 2 ? 1 : -1),
                    (int)(draw() % (2 * (uint64_t)reach + 1)) - reach - 62);
  double lo = draw() % 3 ? hi * ldexp((double)(draw() % 1000), -64) : 0;
  Ball b = ball_add((Ball){hi, 0, 0}, (Ball){lo, 0, 0});
  if (draw() % 3) b.rad = fabs(hi) * ldexp((double)(draw() % 1000), -10 - (int)(draw() % 90));
  return b;
}

/* A real number inside. */
static void inside(arb_t out, Ball b) {
  arb_t t;
  arb_init(t);
  arb_set_d(out, b.hi);
  arb_set_d(t, b.lo);
  arb_add(out, out, t, BITS);
  static const double where[] = {0, 1, -1, 0.5, -0.25};
  arb_set_d(t, b.rad);
  arb_t u;
  arb_init(u);
  arb_set_d(u, where[draw() % 5]);
  arb_mul(t, t, u, BITS);
  arb_add(out, out, t, BITS);
  arb_clear(u);
  arb_clear(t);
}

static void check(const char *what, const arb_t x, Ball b) {
  if (isnan(b.hi)) return; /* unknown is never wrong */
  arb_t d, t;
  arb_init(d);
  arb_init(t);
  arb_set_d(d, b.hi);
  arb_set_d(t, b.lo);
  arb_add(d, d, t, BITS);
  arb_sub(d, x, d, BITS);
  arb_abs(d, d);
  arb_set_d(t, b.rad);
  if (arb_gt(d, t)) {
    printf("test_ball.c: %s: the result lies outside [%.17g + %.17g +/- %.17g]\n", what, b.hi, b.lo, b.rad);
    failures++;
  }
  arb_clear(t);
  arb_clear(d);
}

/* One number through a run of the arithmetic. */
static Ball through(WalkRun *run, void *context, uint32_t n, const Ball *args) {
  const double *at[3];
  int64_t stride[3] = {0};
  double out[BALL_WIDTH];
  for (uint32_t k = 0; k < n; k++) at[k] = &args[k].hi;
  run(context, n, at, stride, 1, out);
  return ball_at(out);
}

static void check_functions(int reach) {
  static const FnId fns[] = {FN_EXP, FN_LOG, FN_TANH, FN_SIN, FN_COS, FN_ERF, FN_ABS, FN_SIGN};
  static const Rat powers[] = {RAT_NEG1, RAT_INT(2), RAT_INT(3), RAT_INT(-2)};
  Ball a[2] = {draw_ball(reach), draw_ball(reach)};
  arb_t x, y, z;
  arb_init(x);
  arb_init(y);
  arb_init(z);
  inside(x, a[0]);
  inside(y, a[1]);
  arb_add(z, x, y, BITS);
  check("add", z, ball_add(a[0], a[1]));
  arb_mul(z, x, y, BITS);
  check("mul", z, ball_mul(a[0], a[1]));
  arb_max(z, x, y, BITS);
  check("max", z, through(arithmetic_ball.fn, (void *)fn_impl(FN_MAXIMUM), 2, a));
  arb_min(z, x, y, BITS);
  check("min", z, through(arithmetic_ball.fn, (void *)fn_impl(FN_MINIMUM), 2, a));
  int order = ball_compare(a[0], a[1]);
  arb_sub(z, x, y, BITS);
  if ((order == 0 && !arb_is_zero(z)) || (order == 1 && !arb_is_positive(z)) || (order == -1 && !arb_is_negative(z))) {
    printf("test_ball.c: a wrong order %d\n", order);
    failures++;
  }
  Rat half[3] = {rat_frac(1, 2), rat_frac(-1, 2), rat_frac(3, 2)};
  for (int k = 0; k < 7; k++) {
    Rat r = k < 4 ? powers[k] : half[k - 4];
    if (arb_is_zero(x)) continue;
    if (k < 4)
      arb_pow_fmpz(z, x, (fmpz[]){k == 0 ? -1 : k == 1 ? 2 : k == 2 ? 3 : -2}, BITS);
    else
      arb_sqrt(z, x, BITS);
    if (k == 5) arb_inv(z, z, BITS);
    if (k == 6) arb_mul(z, z, x, BITS);
    if (arb_is_finite(z)) check("power", z, through(arithmetic_ball.power, &r, 1, a));
  }
  if (fabs(a[0].hi) < 700) {
    uint32_t k = (uint32_t)(draw() % (sizeof fns / sizeof *fns));
    Num in, out;
    const Num *args[] = {&in};
    num_init(&in);
    num_init(&out);
    arb_set(num_set_ball(&in), x);
    fn_impl(fns[k])->num(&out, args, 300);
    if (out.kind == NUM_BALL) check("function", &out.b, through(arithmetic_ball.fn, (void *)fn_impl(fns[k]), 1, a));
    num_clear(&out);
    num_clear(&in);
  }
  arb_clear(z);
  arb_clear(y);
  arb_clear(x);
}

/* Elementary functions at a double: enclosed, and closely; powers to small whole numbers. */
static void check_elementary(double reach) {
  static const FnId fns[] = {FN_EXP, FN_LOG, FN_TANH, FN_SIN, FN_COS};
  FnId fn = fns[draw() % 5];
  Ball a[2] = {{ldexp((double)(draw() >> 12), -52) * reach, 0, 0}, {(double)(1 + draw() % 9), 0, 0}};
  if (draw() % 2 && fn != FN_LOG) a[0].hi = -a[0].hi;
  Num in, out;
  const Num *args[] = {&in};
  arb_t x;
  arb_init(x);
  num_init(&in);
  num_init(&out);
  arb_set_d(num_set_ball(&in), a[0].hi);
  fn_impl(fn)->num(&out, args, 300);
  Ball r = through(arithmetic_ball.fn, (void *)fn_impl(fn), 1, a);
  if (out.kind == NUM_BALL) check("elementary function", &out.b, r);
  if (reach < 600 && !(r.rad <= 0x1p-95 * (fabs(r.hi) + (fn != FN_EXP)))) {
    printf("test_ball.c: function %d at %.17g is not close\n", (int)fn, a[0].hi);
    failures++;
  }
  arb_pow_fmpz(x, &in.b, (fmpz[]){(fmpz)a[1].hi}, BITS);
  check("whole power", x, through(arithmetic_ball.fn, (void *)fn_impl(FN_POW), 2, a));
  Ball b[2] = {a[0], {ldexp((double)(draw() >> 12), -52) * 4 - 2, 0, 0}};
  if (a[0].hi > 0) {
    arb_t e;
    arb_init(e);
    arb_set_d(e, b[1].hi);
    arb_pow(x, &in.b, e, BITS);
    check("power", x, through(arithmetic_ball.fn, (void *)fn_impl(FN_POW), 2, b));
    arb_clear(e);
  }
  num_clear(&out);
  num_clear(&in);
  arb_clear(x);
}

/* A sum of products, plain or with a third factor. */
static void check_sum(uint32_t n_views, int reach) {
  Ball terms[3][TERMS];
  Walk w = {.n_axes = 1, .n_views = n_views, .width = BALL_WIDTH, .size = {TERMS}};
  Contract c = {X_SUM, &w, false, n_views <= 2};
  arb_t sum, x, y;
  arb_init(sum);
  arb_init(x);
  arb_init(y);
  for (uint32_t i = 0; i < TERMS; i++) {
    arb_one(x);
    for (uint32_t k = 0; k < n_views; k++) {
      terms[k][i] = draw_ball(reach);
      if (i % 2 && draw() % 2) { /* cancels the one before, almost */
        terms[k][i] = terms[k][i - 1];
        if (k == 0) terms[k][i].hi = -terms[k][i].hi, terms[k][i].lo = -terms[k][i].lo;
      }
      inside(y, terms[k][i]);
      arb_mul(x, x, y, BITS);
    }
    arb_add(sum, sum, x, BITS);
  }
  const double *at[3];
  int64_t stride[3] = {0};
  double out[BALL_WIDTH];
  for (uint32_t k = 0; k < n_views; k++) {
    at[k] = &terms[k][0].hi;
    w.stride[k][0] = BALL_WIDTH;
  }
  arithmetic_ball.dot(&c, n_views, at, stride, 1, out);
  check("sum of products", sum, ball_at(out));
  arb_clear(y);
  arb_clear(x);
  arb_clear(sum);
}

/* Sums of products in lanes: as many results as there are, some factors 0. */
static void check_lanes(int reach) {
  const Arithmetic *a = &arithmetic_ball;
  Ball row[TERMS], held[TERMS][4];
  int64_t terms[TERMS], at[TERMS], lanes = 1 + (int64_t)(draw() % a->lanes);
  double panel[TERMS * 16], out[4 * BALL_WIDTH];
  for (int64_t i = 0; i < TERMS; i++) {
    terms[i] = (TERMS - 1 - i) * BALL_WIDTH, at[i] = i * 4 * BALL_WIDTH;
    row[i] = draw() % 8 ? draw_ball(reach) : (Ball){0, 0, 0};
    for (int k = 0; k < 4; k++) held[i][k] = draw() % 8 ? draw_ball(reach) : (Ball){0, 0, 0};
  }
  if (a->lanes > 4 || a->panel > 16 || !a->pack(&held[0][0].hi, BALL_WIDTH, lanes, at, TERMS, panel)) {
    puts("test_ball.c: no panel");
    failures++;
    return;
  }
  a->row(&row[0].hi, terms, TERMS, panel, lanes, out);
  arb_t sum, x, y;
  arb_init(sum);
  arb_init(x);
  arb_init(y);
  for (int64_t k = 0; k < lanes; k++) {
    arb_set_si(sum, 0);
    for (int i = 0; i < TERMS; i++) {
      inside(x, row[TERMS - 1 - i]);
      inside(y, held[i][k]);
      arb_mul(x, x, y, BITS);
      arb_add(sum, sum, x, BITS);
    }
    check("sum of products in lanes", sum, ball_at(out + k * BALL_WIDTH));
  }
  arb_clear(y);
  arb_clear(x);
  arb_clear(sum);
}

/* Small integers and their sums of two stay exact, and rationals as literals are enclosed. */
static void check_exact(void) {
  Ball a = {(double)(draw() % 1000), 0, 0}, b = {(double)(draw() % 1000), 0, 0}, s = ball_add(a, b), p = ball_mul(a, b);
  if (s.hi != a.hi + b.hi || s.lo != 0 || s.rad != 0 || p.hi != a.hi * b.hi || p.lo != 0 || p.rad != 0) {
    puts("test_ball.c: integers are not exact");
    failures++;
  }
  int64_t n = (int64_t)(draw() % 100000), d = 1 + (int64_t)(draw() % 100000);
  arb_t x;
  arb_init(x);
  arb_set_si(x, n);
  arb_div_si(x, x, d, BITS);
  Ball r = ball_from_rat(rat_frac(n, d));
  check("literal", x, r);
  if (!(r.rad <= 0x1p-100 * fabs(r.hi))) {
    puts("test_ball.c: a literal is not close");
    failures++;
  }
  arb_clear(x);
}

/* Powers next to those that are formed by products, and functions of what is next to the largest double. */
static void check_edges(void) {
  static const struct {
    int64_t over, under;
  } powers[] = {{(INT64_C(3) << 60) + 1, INT64_C(1) << 60}, {(INT64_C(7) << 59) + 2, INT64_C(1) << 60}, {65, 1}, {-129, 2}};
  for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
    Rat r = rat_frac(powers[k].over, powers[k].under);
    Ball four = {4, 0, 0};
    arb_t x, e, z;
    arb_init(x);
    arb_init(e);
    arb_init(z);
    arb_set_d(x, 4);
    arb_set_si(e, powers[k].over);
    arb_div_si(e, e, powers[k].under, BITS);
    arb_pow(z, x, e, BITS);
    check("a power next to a whole one", z, through(arithmetic_ball.power, &r, 1, &four));
    arb_clear(z);
    arb_clear(e);
    arb_clear(x);
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    Ball huge = {sign * 1e308, 0, 0}, t = through(arithmetic_ball.fn, (void *)fn_impl(FN_TANH), 1, &huge);
    if (t.rad == 0 && fabs(t.hi) == 1 && t.lo == 0) {
      puts("test_ball.c: tanh is 1");
      failures++;
    }
  }
}

int main(void) {
  check_edges();
  for (int i = 0; i < ROUNDS && failures < 10; i++) {
    check_functions(i % 3 == 0 ? 3 : i % 3 == 1 ? 40 : 500);
    if (i % 10 == 0) check_sum(1 + (uint32_t)i / 10 % 3, i % 20 ? 4 : 300);
    if (i % 10 == 0) check_lanes(i % 20 ? 4 : 300);
    check_elementary(i % 5 == 0 ? 0x1p-30 : i % 5 == 1 ? 1 : i % 5 == 2 ? 20 : i % 5 == 3 ? 500 : 1e9);
    check_exact();
  }
  return failures != 0;
}
