/* ball: see ball.h. */
#include "eval/exact/ball.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "eval/exact/elementary.h"
#include "eval/exact/fn_eval.h"
#include "eval/exact/view.h"
#include "eval/exact/word.h"

#define SMALL 0x1p-900 /* from here on no rounding error of a product underflows (TINY) */
#define PRECISION 128  /* of functions that have no formula here */

static bool is_zero(Ball a) { return a.hi == 0 && a.rad == 0; }
static bool is_double(Ball a) { return a.lo == 0 && a.rad == 0; }

static inline Ball add(Ball a, Ball b) {
  if (!isfinite(a.hi) || !isfinite(b.hi)) return ball_exactly(a.hi + b.hi);
  double e, f, s = two_sum(a.hi, b.hi, &e), t = two_sum(a.lo, b.lo, &f);
  double v = s + (e += t), w = f + (e - (v - s));
  bool exact = a.lo == 0 && b.lo == 0;
  return ball_made(v, w, a.rad + b.rad + (exact ? 0 : fabs(v) * 4 * UNIT2 + TINY));
}

Ball ball_add(Ball a, Ball b) { return add(a, b); }

static Ball negative(Ball a) { return (Ball){-a.hi, -a.lo, a.rad}; }
static double magnitude(Ball a) { return fabs(a.hi) * (1 + UNIT * 4) + a.rad; }
static bool may_be_zero(Ball a) { return !(fabs(a.hi) * (1 - UNIT * 4) > a.rad); }

static inline Ball mul(Ball a, Ball b) {
  double e, p = two_product(a.hi, b.hi, &e);
  if (isinf(a.hi) || isinf(b.hi)) return may_be_zero(a) || may_be_zero(b) ? ball_unknown() : ball_exactly(p);
  if (is_zero(a) || is_zero(b)) return ball_exactly(p);
  if (is_double(a) && is_double(b) && fabs(p) >= SMALL) return ball_made(p, e, 0);
  e += a.hi * b.lo + a.lo * b.hi;
  double spread = magnitude(a) * b.rad + magnitude(b) * a.rad;
  return ball_made(p, e, spread + fabs(p) * 8 * UNIT2 + TINY);
}

Ball ball_mul(Ball a, Ball b) { return mul(a, b); }

Ball ball_inverse(Ball a) {
  double m = fabs(a.hi), inside = m * (1 - UNIT * 4) - a.rad, c = 1 / a.hi;
  if (!(inside > 0) || isinf(m) || isinf(c)) return ball_unknown();
  double rest = fma(-c, a.hi, 1) - c * a.lo;
  double error = rest == 0 && is_double(a) ? 0 : fabs(c) * 64 * UNIT2 + TINY;
  return ball_made(c, rest / a.hi, error + (a.rad != 0 ? a.rad / m / inside * (1 + 0x1p-40) : 0));
}

static Ball square_root(Ball a) {
  if (is_zero(a)) return a;
  if (may_be_zero(a) || a.hi < 0 || isinf(a.hi)) return ball_unknown();
  double s = sqrt(a.hi), rest = fma(-s, s, a.hi) + a.lo;
  double error = a.hi > SMALL && rest == 0 && is_double(a) ? 0 : s * 64 * UNIT2 + (a.hi > SMALL ? TINY : s * 4 * UNIT);
  return ball_made(s, rest / (2 * s), error + a.rad / s * (1 + 0x1p-40));
}

int ball_compare(Ball a, Ball b) {
  if (isnan(a.hi) || isnan(b.hi)) return 2;
  if (isinf(a.hi) || isinf(b.hi)) return (a.hi > b.hi) - (a.hi < b.hi);
  Ball d = ball_add(a, negative(b));
  if (d.hi == 0 && d.rad == 0) return 0;
  return may_be_zero(d) ? 2 : d.hi < 0 ? -1 : 1;
}

Ball ball_integer(Ball a) {
  if (is_double(a)) return a;
  double n = nearbyint(a.hi);
  if (!(fabs(a.hi) < 0x1p50) || !(a.rad < 0.25)) return ball_unknown();
  return may_be_zero(ball_add(a, ball_exactly(-n))) ? ball_exactly(n) : ball_unknown();
}

/* The larger (sign 1) or the smaller (-1). */
static Ball extreme(Ball a, Ball b, int sign) {
  int order = ball_compare(a, b);
  if (order != 2) return order * sign >= 0 ? a : b;
  if (isnan(a.hi) || isnan(b.hi)) return ball_unknown();
  Ball r = (a.hi > b.hi || (a.hi == b.hi && a.lo > b.lo)) == (sign > 0) ? a : b;
  r.rad = fmax(a.rad, b.rad);
  return r;
}

Ball ball_from_rat(Rat r) {
  if (!rat_is_finite(r)) return ball_exactly(r == RAT_POS_INF ? INFINITY : r == RAT_NEG_INF ? -INFINITY : NAN);
  double hi = rat_to_double(r), lo;
  if (!isfinite(hi)) return ball_unknown();
  Rat rest = rat_sub(r, rat_from_double(hi));
  lo = rat_to_double(rest);
  return ball_made(hi, lo, rat_from_double(lo) == rest ? 0 : fabs(lo) * 2 * UNIT + TINY);
}

void ball_to_num(Ball a, Num *out) {
  if (isnan(a.hi) || is_double(a)) {
    num_set_double(out, a.hi);
    return;
  }
  arb_t t;
  arb_init(t);
  arb_set_d(t, a.lo);
  mag_set_d(arb_radref(t), a.rad);
  arb_ptr b = num_set_ball(out);
  arb_set_d(b, a.hi);
  arb_add(b, b, t, PRECISION);
  arb_clear(t);
}

static Ball ball_from_num(const Num *x) {
  if (x->kind == NUM_POS_INF || x->kind == NUM_NEG_INF) return ball_exactly(x->kind == NUM_POS_INF ? INFINITY : -INFINITY);
  if (x->kind == NUM_UNKNOWN) return ball_unknown();
  arb_t t;
  arf_t rest;
  arb_init(t);
  arf_init(rest);
  arb_srcptr b = num_ball(x, t, PRECISION);
  double hi = arf_get_d(arb_midref(b), ARF_RND_NEAR), rad = mag_is_zero(arb_radref(b)) ? 0 : mag_get_d(arb_radref(b)) + TINY;
  Ball r = ball_unknown();
  if (isfinite(hi)) {
    arf_set_d(rest, hi);
    arf_sub(rest, arb_midref(b), rest, ARF_PREC_EXACT, ARF_RND_NEAR);
    double lo = arf_get_d(rest, ARF_RND_NEAR);
    bool exact = rad == 0 && arf_equal_d(rest, lo);
    r = ball_made(hi, lo, exact ? 0 : rad + fabs(lo) * UNIT + TINY);
  }
  arf_clear(rest);
  arb_clear(t);
  return r;
}

const char *ball_print(Ball a, Arena *arena) {
  if (is_double(a) && a.hi == trunc(a.hi) && fabs(a.hi) < 0x1p53) return arena_printf(arena, "%.0f", a.hi + 0);
  if (a.rad == 0 || !isfinite(a.hi) || (a.hi != 0 && fabs(a.hi) < SMALL)) return NULL;
  long double x = (long double)a.hi + a.lo; /* rounded once, and once more when printed */
  double error = (fabs(a.hi) * (5.1e-19 + LDBL_EPSILON) + a.rad) * 1.01; /* of which 3 digits are printed */
  return arena_printf(arena, "[%.19Lg +/- %.2e]", x, error);
}

/* ---- runs: a number is three doubles ---- */

static void put(double *out, int64_t i, Ball b) { memcpy(out + BALL_WIDTH * i, &b, sizeof b); }

static void run_copy(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                     double *out) {
  (void)context;
  (void)n;
  for (int64_t i = 0; i < count; i++) put(out, i, ball_at(at[0] + i * stride[0]));
}

LOOP static void run_add(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                         double *out) {
  if (n < 2) run_copy(context, n, at, stride, count, out);
  else
    for (int64_t i = 0; i < count; i++)
      put(out, i, add(ball_at(at[0] + i * stride[0]), ball_at(at[1] + i * stride[1])));
  for (uint32_t k = 2; k < n; k++)
    for (int64_t i = 0; i < count; i++) put(out, i, add(ball_at(out + BALL_WIDTH * i), ball_at(at[k] + i * stride[k])));
}

LOOP static void run_mul(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                         double *out) {
  const Walk *w = context;
  if (n < 2) run_copy(context, n, at, stride, count, out);
  else
    for (int64_t i = 0; i < count; i++)
      put(out, i, mul(ball_at(at[0] + i * stride[0]), ball_at(at[1] + i * stride[1])));
  for (uint32_t k = 2; k < n; k++)
    for (int64_t i = 0; i < count; i++) put(out, i, mul(ball_at(out + BALL_WIDTH * i), ball_at(at[k] + i * stride[k])));
  for (uint32_t k = 0; k < n; k++)
    for (int64_t i = 0; w->guard[k] && i < count; i++)
      if (is_zero(ball_at(at[k] + i * stride[k]))) put(out, i, ball_exactly(0));
}

static void run_select(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                       double *out) {
  (void)context;
  (void)n;
  for (int64_t i = 0; i < count; i++) {
    Ball c = ball_at(at[0] + i * stride[0]);
    bool known = c.rad == 0 && !isnan(c.hi);
    put(out, i, known ? ball_at(c.hi != 0 ? at[1] + i * stride[1] : at[2] + i * stride[2]) : ball_unknown());
  }
}

/* A function through Arb. */
static Ball apply(const FnImpl *fn, const Ball *args) {
  Num out, x[3];
  const Num *p[3];
  num_init(&out);
  for (uint32_t k = 0; k < fn->arity; k++) {
    num_init(&x[k]);
    ball_to_num(args[k], &x[k]);
    p[k] = &x[k];
  }
  fn->num(&out, p, PRECISION);
  Ball r = ball_from_num(&out);
  for (uint32_t k = 0; k < fn->arity; k++) num_clear(&x[k]);
  num_clear(&out);
  return r;
}

static bool small_integer(Ball b, int64_t *out) {
  if (b.rad != 0 || b.lo != 0 || !(fabs(b.hi) < 0x1p53) || b.hi != trunc(b.hi)) return false;
  *out = (int64_t)b.hi;
  return true;
}

/* Quotients of integers, as index arithmetic has them: no library is asked. */
static bool quotient(const Ball *args, bool floors, bool rest, Ball *out) {
  int64_t a, b;
  if (!small_integer(args[0], &a) || !small_integer(args[1], &b) || !b) return false;
  int64_t q = a / b, r = a % b;
  if (floors && r && (r < 0) != (b < 0)) q--, r += b;
  *out = ball_exactly((double)(rest ? r : q));
  return true;
}

/* Ways without a library; false where there is none. */
typedef bool Way(const Ball *args, Ball *out);
static bool way_abs(const Ball *a, Ball *out) { return *out = a->hi < 0 ? negative(*a) : *a, true; }
static bool way_clamp(const Ball *a, Ball *out) { return *out = extreme(extreme(a[0], a[1], 1), a[2], -1), true; }
static bool way_maximum(const Ball *a, Ball *out) { return *out = extreme(a[0], a[1], 1), true; }
static bool way_minimum(const Ball *a, Ball *out) { return *out = extreme(a[0], a[1], -1), true; }
static bool way_sign(const Ball *a, Ball *out) {
  *out = ball_exactly((a->hi > 0) - (a->hi < 0));
  return is_zero(*a) || !may_be_zero(*a);
}
static bool way_truncdiv(const Ball *a, Ball *out) { return quotient(a, false, false, out); }
static bool way_rem(const Ball *a, Ball *out) { return quotient(a, false, true, out); }
static bool way_floordiv(const Ball *a, Ball *out) { return quotient(a, true, false, out); }
static bool way_mod(const Ball *a, Ball *out) { return quotient(a, true, true, out); }

static bool way_provided(const Ball *a, Ball *out) {
  int64_t p;
  return small_integer(a[0], &p) && p == 1 && (*out = a[1], true);
}

static Way *way_of(const FnImpl *fn) {
  static const struct {
    FnId fn;
    Way *way;
  } ways[] = {{FN_ABS, way_abs},           {FN_CLAMP, way_clamp},       {FN_MAXIMUM, way_maximum},
              {FN_MINIMUM, way_minimum},   {FN_TRUNCDIV, way_truncdiv}, {FN_REM, way_rem},
              {FN_FLOORDIV, way_floordiv}, {FN_MOD, way_mod},           {FN_PROVIDED, way_provided},
              {FN_EXP, ball_exp},          {FN_LOG, ball_log},          {FN_TANH, ball_tanh},
              {FN_SIN, ball_sin},          {FN_COS, ball_cos},          {FN_POW, ball_power},
              {FN_SIGN, way_sign}};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
    if (fn == fn_impl(ways[k].fn)) return ways[k].way;
  return NULL;
}

static void run_fn(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                   double *out) {
  const FnImpl *fn = context;
  Way *way = way_of(fn);
  (void)n;
  for (int64_t i = 0; i < count; i++) {
    Ball a[3], q;
    for (uint32_t k = 0; k < fn->arity; k++) a[k] = ball_at(at[k] + i * stride[k]);
    put(out, i, way && way(a, &q) ? q : apply(fn, a));
  }
}

/* Whole powers and those of roots by products, others through Arb. */
static Ball power(Ball a, Rat r) {
  Rat times = rat_is_int(r) ? r : rat_mul(r, RAT_INT(2));
  Ball base = rat_is_int(r) ? a : square_root(a), result;
  int64_t n;
  bool whole = rat_to_int(times, &n) && fabs((double)n) < 0x1p53; /* exactly that double */
  whole = whole && ball_power((Ball[]){base, ball_exactly(fabs((double)n))}, &result);
  if (whole) return n < 0 ? ball_inverse(result) : result;
  Num x, y;
  num_init(&x);
  num_init(&y);
  ball_to_num(a, &x);
  fn_power_num(&y, &x, r, PRECISION);
  result = ball_from_num(&y);
  num_clear(&x);
  num_clear(&y);
  return result;
}

static void run_power(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                      double *out) {
  Rat r = *(const Rat *)context;
  bool square = r == rat_int(2), root = r == rat_frac(1, 2), over = r == RAT_NEG1, both = r == rat_frac(-1, 2);
  (void)n;
  for (int64_t i = 0; i < count; i++) {
    Ball a = ball_at(at[0] + i * stride[0]);
    put(out, i,
        square ? mul(a, a)
        : over ? ball_inverse(a)
        : root ? square_root(a)
        : both ? ball_inverse(square_root(a))
               : power(a, r));
  }
}

static void run_compare(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                        double *out) {
  const FnCompare *c = context;
  (void)n;
  for (int64_t i = 0; i < count; i++) {
    int order = ball_compare(ball_at(at[0] + i * stride[0]), ball_at(at[1] + i * stride[1]));
    put(out, i, order == 2 ? ball_unknown() : ball_exactly(fn_compare_double(*c, order, 0)));
  }
}

/* ---- contraction ---- */

/* A sum being formed, in twice the precision of doubles: how many terms are not exactly 0, their magnitudes and radii.
 * While all are doubles, and all sums too, nothing is rounded: counts and positions stay integers. */
typedef struct Sum {
  double hi, lo, magnitude, rad, n;
  bool rounded;
  double infinite; /* the infinities among the terms: 0 for none, NaN for both */
} Sum;

/* Every correction is at most 2 UNIT of the magnitude, and n of them are added with n roundings. */
static Ball sum_ball(const Sum *s) {
  if (s->infinite != 0) return ball_exactly(isfinite(s->hi) ? s->infinite : NAN);
  double n = 3 * (s->n + 2), error = n * n * UNIT2 * s->magnitude + s->n * TINY;
  if (s->n < 2 || !s->rounded) error = 0;
  return ball_made(s->hi, s->lo, s->rad * (1 + s->n * 0x1p-50) + error);
}

static void sum_term(Sum *sum, Ball x) {
  double e;
  if (is_zero(x)) return;
  if (isinf(x.hi)) {
    sum->infinite += x.hi;
    return;
  }
  sum->hi = two_sum(sum->hi, x.hi, &e);
  sum->lo += e + x.lo;
  sum->rounded |= e != 0 || x.lo != 0;
  sum->magnitude += fabs(x.hi);
  sum->rad += x.rad;
  sum->n++;
}

/* m terms of a product of two views without guards; one counts as two, since the products round too. */
LOOP static void sum_products(Sum *sum, const double *a, int64_t s, const double *b, int64_t t, int64_t m) {
  Sum r = *sum;
  r.rounded = true;
  for (int64_t j = 0; j < m; j++, a += s, b += t) {
    if ((is_zero(ball_at(a)) && isfinite(b[0])) || (is_zero(ball_at(b)) && isfinite(a[0]))) continue;
    double e, f, p = two_product(a[0], b[0], &f);
    r.hi = two_sum(r.hi, p, &e);
    r.lo += e + (f + (a[0] * b[1] + a[1] * b[0]));
    r.magnitude += fabs(p);
    r.rad += fabs(a[0]) * b[2] + (fabs(b[0]) + b[2]) * a[2];
    r.n += 2;
  }
  *sum = r;
}

static Ball product(const Walk *w, uint32_t n, const double *const *at) {
  Ball p = ball_exactly(1);
  for (uint32_t k = 0; k < n; k++)
    if (w->guard[k] && is_zero(ball_at(at[k]))) return ball_exactly(0);
  for (uint32_t k = 0; k < n; k++) p = ball_mul(p, ball_at(at[k]));
  return p;
}

static Ball contract(const Contract *c, uint32_t n, const double **p) {
  const Walk *w = c->inner;
  uint32_t last = w->n_axes - 1;
  int64_t index[VIEW_MAX_VARS] = {0}, m = w->size[last];
  Ball best = ball_exactly(c->kind == X_SUM ? 0 : c->kind == X_MAX ? -INFINITY : INFINITY);
  Sum sum = {0};
  if (c->empty) return best;
  do {
    if (c->plain) {
      if (n > 1) sum_products(&sum, p[0], w->stride[0][last], p[1], w->stride[1][last], m);
      else
        for (int64_t j = 0; j < m; j++) sum_term(&sum, ball_at(p[0] + j * w->stride[0][last]));
      continue;
    }
    for (int64_t j = 0; j < m; j++) {
      Ball x = product(w, n, p);
      if (c->kind == X_SUM) sum_term(&sum, x);
      else best = extreme(best, x, c->kind == X_MAX ? 1 : -1);
      for (uint32_t k = 0; k < n; k++) p[k] += w->stride[k][last];
    }
    for (uint32_t k = 0; k < n; k++) p[k] -= w->stride[k][last] * m;
  } while (walk_advance(w, last, index, p));
  return c->kind == X_SUM ? sum_ball(&sum) : best;
}

LOOP static void run_dot(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                         double *out) {
  for (int64_t i = 0; i < count; i++) {
    const double *p[VIEW_MAX_ARGS];
    for (uint32_t k = 0; k < n; k++) p[k] = at[k] + i * stride[k];
    put(out, i, contract(context, n, p));
  }
}

/* ---- in lanes ---- */

/* Of a term, four numbers each: the halves of the middle, the radius, and 2 where it is not exactly 0. */
enum { LANES = 4, PANEL = 4 * LANES };

static bool pack(const double *held, int64_t stride, int64_t lanes, const int64_t *terms, uint64_t n, double *panel) {
  for (uint64_t i = 0; i < n; i++, panel += PANEL) {
    const double *at = held + terms[i];
    for (int64_t k = 0; k < LANES; k++, at += stride) {
      Ball b = k < lanes ? ball_at(at) : ball_exactly(0);
      if (!isfinite(b.hi)) return false; /* times 0 it is unknown */
      panel[k] = b.hi, panel[LANES + k] = b.lo, panel[2 * LANES + k] = b.rad, panel[3 * LANES + k] = is_zero(b) ? 0 : 2;
    }
  }
  return true;
}

#define ABS(x) ((Lanes){fabs((x)[0]), fabs((x)[1]), fabs((x)[2]), fabs((x)[3])})
/* x * y - p, rounded once. */
#define REST(x, y, p) \
  ((Lanes){fma(x, (y)[0], -(p)[0]), fma(x, (y)[1], -(p)[1]), fma(x, (y)[2], -(p)[2]), fma(x, (y)[3], -(p)[3])})

/* As sum_products, in lanes. */
LOOP static void row_products(const double *row, const int64_t *terms, uint64_t n, const double *panel, int64_t lanes,
                              double *out) {
  Lanes hi = {0}, lo = {0}, magnitude = {0}, rad = {0}, count = {0};
  for (uint64_t i = 0; i < n; i++, panel += PANEL) {
    const double *a = row + terms[i];
    if (a[0] == 0 && a[2] == 0) continue;
    Lanes b = *(const Lanes *)panel, b_lo = *(const Lanes *)(panel + LANES),
          b_rad = *(const Lanes *)(panel + 2 * LANES);
    Lanes p = a[0] * b, f = REST(a[0], b, p), s = hi + p, t = s - hi, e = (hi - (s - t)) + (p - t);
    hi = s;
    lo += e + (f + (a[0] * b_lo + a[1] * b));
    magnitude += ABS(p);
    rad += fabs(a[0]) * b_rad + (ABS(b) + b_rad) * a[2];
    count += *(const Lanes *)(panel + 3 * LANES);
  }
  for (int64_t k = 0; k < lanes; k++) put(out, k, sum_ball(&(Sum){hi[k], lo[k], magnitude[k], rad[k], count[k], true, 0}));
}

const Arithmetic arithmetic_ball = {.width = BALL_WIDTH,
                                    .copy = run_copy,
                                    .add = run_add,
                                    .select = run_select,
                                    .mul = run_mul,
                                    .fn = run_fn,
                                    .power = run_power,
                                    .compare = run_compare,
                                    .dot = run_dot,
                                    .lanes = LANES,
                                    .panel = PANEL,
                                    .pack = pack,
                                    .row = row_products};
