/* num: see num.h.  Rationals are FLINT fmpq (small ones without memory of their own), balls are Arb. */
#include "eval/exact/num.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

#include "eval/graph/graph.h"

/* Rationals larger than this become balls: exactness is not worth the growth of long chains of products. */
#define RATIONAL_BITS 2048

void num_init(Num *x) {
  x->kind = NUM_RATIONAL;
  fmpq_init(&x->q);
}

static void become(Num *x, NumKind kind) {
  if (x->kind == kind) return;
  num_clear(x);
  x->kind = (uint8_t)kind;
  if (kind == NUM_RATIONAL) fmpq_init(&x->q);
  if (kind == NUM_BALL) arb_init(&x->b);
}

void num_clear(Num *x) {
  if (x->kind == NUM_RATIONAL) fmpq_clear(&x->q);
  if (x->kind == NUM_BALL) arb_clear(&x->b);
  x->kind = NUM_UNKNOWN;
  x->lack = LACK_UNSURE;
}

void num_set(Num *out, const Num *x) {
  if (out == x) return;
  become(out, x->kind);
  if (x->kind == NUM_UNKNOWN) out->lack = x->lack;
  if (x->kind == NUM_RATIONAL) fmpq_set(&out->q, &x->q);
  if (x->kind == NUM_BALL) arb_set(&out->b, &x->b);
}

void num_set_int(Num *out, int64_t n) {
  become(out, NUM_RATIONAL);
  fmpz_set_si(fmpq_numref(&out->q), n);
  fmpz_one(fmpq_denref(&out->q));
}

static void lack(Num *out, NumLack how) {
  become(out, NUM_UNKNOWN);
  out->lack = (uint8_t)how;
}

void num_set_unknown(Num *out) { lack(out, LACK_UNSURE); }
void num_set_undefined(Num *out) { lack(out, LACK_NONE); }
void num_set_nan(Num *out, bool literal) { lack(out, literal ? LACK_LITERAL : LACK_NAN); }

/* Unknown, and certainly without a value, or not a number, if an operand is. */
static void inherit(Num *out, const Num *a, const Num *b) {
  uint8_t x = a->kind == NUM_UNKNOWN ? a->lack : LACK_UNSURE, y = b->kind == NUM_UNKNOWN ? b->lack : LACK_UNSURE;
  lack(out, (NumLack)(x > y ? x : y));
}

void num_set_infinity(Num *out, int sign) { become(out, sign < 0 ? NUM_NEG_INF : NUM_POS_INF); }

void num_set_rat(Num *out, Rat r) {
  int64_t n;
  if (!rat_is_finite(r)) {
    if (r == RAT_NAN) num_set_unknown(out);
    else num_set_infinity(out, r == RAT_POS_INF ? 1 : -1);
  } else if (rat_to_int(r, &n)) {
    num_set_int(out, n);
  } else {
    mpq_t q;
    mpq_init(q);
    rat_get(r, q);
    become(out, NUM_RATIONAL);
    fmpq_set_mpq(&out->q, q);
    mpq_clear(q);
  }
}

void num_set_double(Num *out, double x) {
  if (isnan(x)) {
    num_set_unknown(out);
  } else if (isinf(x)) {
    num_set_infinity(out, x < 0 ? -1 : 1);
  } else if (x == floor(x) && fabs(x) < 0x1p62) {
    num_set_int(out, (int64_t)x);
  } else {
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, x);
    become(out, NUM_RATIONAL);
    fmpq_set_mpq(&out->q, q);
    mpq_clear(q);
  }
}

arb_ptr num_set_ball(Num *out) {
  become(out, NUM_BALL);
  return &out->b;
}

arb_srcptr num_ball(const Num *x, arb_t t, long precision) {
  if (x->kind == NUM_BALL) return &x->b;
  arb_set_fmpq(t, &x->q, precision);
  return t;
}

void num_finish(Num *out) {
  if (out->kind == NUM_BALL && !arb_is_finite(&out->b)) num_set_unknown(out);
}

/* A rational result that grew too large goes on as a ball. */
static void shrink(Num *out, long precision) {
  if (!COEFF_IS_MPZ(*fmpq_numref(&out->q)) && !COEFF_IS_MPZ(*fmpq_denref(&out->q))) return;
  if (fmpz_bits(fmpq_numref(&out->q)) + fmpz_bits(fmpq_denref(&out->q)) <= RATIONAL_BITS) return;
  arb_t t;
  arb_init(t);
  arb_set_fmpq(t, &out->q, precision);
  become(out, NUM_BALL);
  arb_swap(&out->b, t);
  arb_clear(t);
}

typedef void RationalOp(fmpq_t, const fmpq_t, const fmpq_t);
typedef void BallOp(arb_t, const arb_t, const arb_t, slong);

static void binary(Num *out, const Num *a, const Num *b, long precision, RationalOp *exact, BallOp *ball) {
  if (a->kind == NUM_RATIONAL && b->kind == NUM_RATIONAL) {
    become(out, NUM_RATIONAL); /* as it is if it is one of them */
    exact(&out->q, &a->q, &b->q);
    shrink(out, precision);
    return;
  }
  arb_t s, t, r;
  arb_init(s);
  arb_init(t);
  arb_init(r);
  ball(r, num_ball(a, s, precision), num_ball(b, t, precision), precision);
  become(out, NUM_BALL);
  arb_swap(&out->b, r);
  num_finish(out);
  arb_clear(r);
  arb_clear(t);
  arb_clear(s);
}

static int infinity_of(const Num *a) { return a->kind == NUM_POS_INF ? 1 : a->kind == NUM_NEG_INF ? -1 : 0; }

void num_add(Num *out, const Num *a, const Num *b, long precision) {
  if (num_is_finite(a) && num_is_finite(b)) {
    binary(out, a, b, precision, fmpq_add, arb_add);
    return;
  }
  int i = infinity_of(a), j = infinity_of(b);
  if (i * j < 0) num_set_nan(out, false);
  else if (a->kind == NUM_UNKNOWN || b->kind == NUM_UNKNOWN) inherit(out, a, b);
  else num_set_infinity(out, i ? i : j);
}

void num_neg(Num *out, const Num *a) {
  if (!num_is_finite(a)) {
    if (a->kind == NUM_UNKNOWN) inherit(out, a, a);
    else num_set_infinity(out, -infinity_of(a));
    return;
  }
  num_set(out, a);
  if (out->kind == NUM_RATIONAL) fmpq_neg(&out->q, &out->q);
  else arb_neg(&out->b, &out->b);
}

void num_sub(Num *out, const Num *a, const Num *b, long precision) {
  if (num_is_finite(a) && num_is_finite(b)) {
    binary(out, a, b, precision, fmpq_sub, arb_sub);
    return;
  }
  int i = infinity_of(a), j = -infinity_of(b);
  if (i * j < 0) num_set_nan(out, false);
  else if (a->kind == NUM_UNKNOWN || b->kind == NUM_UNKNOWN) inherit(out, a, b);
  else num_set_infinity(out, i ? i : j);
}

/* Sign of a finite or infinite number: 2 if undecided. */
static int sign_of(const Num *a) {
  switch (a->kind) {
    case NUM_RATIONAL: return fmpq_sgn(&a->q);
    case NUM_BALL: return arb_is_positive(&a->b) ? 1 : arb_is_negative(&a->b) ? -1 : arb_is_zero(&a->b) ? 0 : 2;
    case NUM_POS_INF: return 1;
    case NUM_NEG_INF: return -1;
    default: return 2;
  }
}

void num_mul(Num *out, const Num *a, const Num *b, long precision) {
  if (num_is_finite(a) && num_is_finite(b)) {
    if (num_is_zero(a) || num_is_zero(b)) num_set_int(out, 0);
    else binary(out, a, b, precision, fmpq_mul, arb_mul);
    return;
  }
  int i = sign_of(a), j = sign_of(b);
  if (a->kind == NUM_UNKNOWN || b->kind == NUM_UNKNOWN) inherit(out, a, b);
  else if (i == 0 || j == 0) num_set_nan(out, false); /* times an infinity */
  else if (i == 2 || j == 2) num_set_unknown(out);
  else num_set_infinity(out, i * j);
}

void num_div(Num *out, const Num *a, const Num *b, long precision) {
  if (num_is_finite(a) && num_is_finite(b)) {
    int s = sign_of(b);
    if (num_is_zero(b)) lack(out, num_is_zero(a) ? LACK_NAN : LACK_NONE);
    else if (s == 0 || s == 2) num_set_unknown(out);
    else binary(out, a, b, precision, fmpq_div, arb_div);
    return;
  }
  int i = infinity_of(a), j = sign_of(b);
  bool no_limit = (i && infinity_of(b)) || j == 2 || j == 0;
  if (i && infinity_of(b)) num_set_nan(out, false);
  else if (a->kind == NUM_UNKNOWN || b->kind == NUM_UNKNOWN || no_limit) inherit(out, a, b);
  else if (!i) num_set_int(out, 0);
  else num_set_infinity(out, i * j);
}

void num_addmul(Num *out, const Num *a, const Num *b, long precision) {
  if (out->kind == NUM_BALL && a->kind == NUM_BALL && b->kind == NUM_BALL) {
    arb_addmul(&out->b, &a->b, &b->b, precision);
    num_finish(out);
    return;
  }
  Num t;
  num_init(&t);
  num_mul(&t, a, b, precision);
  num_add(out, out, &t, precision);
  num_clear(&t);
}

void num_power_int(Num *out, const Num *a, int64_t n, long precision) {
  if (n < 0) {
    Num one;
    num_init(&one);
    num_set_int(&one, 1);
    num_div(out, &one, a, precision);
    num_clear(&one);
    if (n == INT64_MIN) num_set_unknown(out);
    else num_power_int(out, out, -n, precision);
    return;
  }
  if (n == 0) {
    if (num_is_finite(a)) num_set_int(out, 1);
    else lack(out, num_is_undefined(a) ? LACK_NONE : LACK_UNSURE); /* a NaN to the power of 0 is 1 */
    return;
  }
  if (!num_is_finite(a)) {
    int i = infinity_of(a);
    if (!i) inherit(out, a, a);
    else num_set_infinity(out, n % 2 ? i : 1);
    return;
  }
  if (a->kind == NUM_RATIONAL) {
    double bits = (double)fmpz_bits(fmpq_numref(&a->q)) + (double)fmpz_bits(fmpq_denref(&a->q));
    if (bits * (double)n <= 4 * RATIONAL_BITS) {
      Num t;
      num_init(&t);
      fmpz_pow_ui(fmpq_numref(&t.q), fmpq_numref(&a->q), (ulong)n);
      fmpz_pow_ui(fmpq_denref(&t.q), fmpq_denref(&a->q), (ulong)n);
      num_clear(out);
      *out = t;
      shrink(out, precision);
      return;
    }
  }
  arb_t t, r;
  arb_init(t);
  arb_init(r);
  arb_pow_ui(r, num_ball(a, t, precision), (ulong)n, precision);
  become(out, NUM_BALL);
  arb_swap(&out->b, r);
  num_finish(out);
  arb_clear(r);
  arb_clear(t);
}

void num_max(Num *out, const Num *a, const Num *b, int sign, long precision) {
  if (a->kind == NUM_UNKNOWN || b->kind == NUM_UNKNOWN) { /* some maxima leave out what is not a number */
    lack(out, num_is_undefined(a) || num_is_undefined(b) ? LACK_NONE : LACK_UNSURE);
    return;
  }
  int c = num_compare(a, b, precision);
  if (c != 2) {
    num_set(out, c * sign >= 0 ? a : b);
    return;
  }
  binary(out, a, b, precision, NULL, sign > 0 ? arb_max : arb_min); /* undecided: at least one is a ball */
}

bool num_is_zero(const Num *x) { return x->kind == NUM_RATIONAL && fmpq_is_zero(&x->q); }

int num_compare(const Num *a, const Num *b, long precision) {
  if (a->kind == NUM_UNKNOWN || b->kind == NUM_UNKNOWN) return 2;
  if (a == b) return 0;
  if (a->kind == NUM_RATIONAL && b->kind == NUM_RATIONAL) {
    int c = fmpq_cmp(&a->q, &b->q);
    return c < 0 ? -1 : c > 0;
  }
  int i = infinity_of(a), j = infinity_of(b);
  if (i || j) return i < j ? -1 : i > j;
  arb_t s, t;
  arb_init(s);
  arb_init(t);
  arb_srcptr p = num_ball(a, s, precision), q = num_ball(b, t, precision);
  int c = arb_lt(p, q) ? -1 : arb_gt(p, q) ? 1 : arb_eq(p, q) ? 0 : 2;
  arb_clear(t);
  arb_clear(s);
  return c;
}

bool num_to_int(const Num *x, int64_t *out) {
  if (x->kind != NUM_RATIONAL || !fmpz_is_one(fmpq_denref(&x->q)) || !fmpz_fits_si(fmpq_numref(&x->q))) return false;
  *out = fmpz_get_si(fmpq_numref(&x->q));
  return true;
}

bool num_differ(const Num *a, const Num *b, long precision) {
  int c = num_compare(a, b, precision);
  return c == -1 || c == 1;
}

char *num_print(const Num *x, Arena *a) {
  switch (x->kind) {
    case NUM_POS_INF: return arena_printf(a, "inf");
    case NUM_NEG_INF: return arena_printf(a, "-inf");
    case NUM_UNKNOWN: return arena_printf(a, x->lack >= LACK_NAN ? "NaN" : "unknown");
    case NUM_BALL: {
      char *s = arb_get_str(&x->b, 17, 0);
      char *r = arena_printf(a, "%s", s);
      flint_free(s);
      return r;
    }
    default: break;
  }
  bool whole = fmpz_is_one(fmpq_denref(&x->q));
  size_t bits = fmpz_bits(fmpq_numref(&x->q)) + fmpz_bits(fmpq_denref(&x->q));
  arb_t t;
  arb_init(t);
  arb_set_fmpq(t, &x->q, 128);
  char *decimal = arb_get_str(t, 17, ARB_STR_NO_RADIUS), *r;
  if (bits > 128) {
    r = arena_printf(a, "%s (exact, %zu bits)", decimal, bits);
  } else {
    char *n = fmpz_get_str(NULL, 10, fmpq_numref(&x->q)), *d = fmpz_get_str(NULL, 10, fmpq_denref(&x->q));
    r = whole ? arena_printf(a, "%s", n) : arena_printf(a, "%s/%s = %s", n, d, decimal);
    flint_free(n);
    flint_free(d);
  }
  flint_free(decimal);
  arb_clear(t);
  return r;
}
