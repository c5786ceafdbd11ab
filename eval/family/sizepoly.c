#include "eval/family/sizepoly.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MONOMIALS = 24, DEGREE = 3 };

/* ---- monomials */

typedef uint8_t Powers[SIZES_MAX];

/* One, every size alone up to DEGREE, products of two and of a square and another. */
static uint32_t monomials(uint32_t n_sizes, Powers *out) {
  uint32_t n = 1;
  memset(out, 0, MOST_MONOMIALS * sizeof *out);
  for (uint8_t d = 1; d <= DEGREE; d++)
    for (uint32_t i = 0; i < n_sizes && n < MOST_MONOMIALS; i++) out[n++][i] = d;
  for (uint32_t i = 0; i < n_sizes; i++)
    for (uint32_t j = i + 1; j < n_sizes && n < MOST_MONOMIALS; j++) out[n][i] = 1, out[n++][j] = 1;
  for (uint32_t i = 0; i < n_sizes; i++)
    for (uint32_t j = 0; j < n_sizes && n < MOST_MONOMIALS; j++)
      if (i != j) out[n][i] = 2, out[n++][j] = 1;
  return n;
}

static Rat monomial_value(const uint8_t *power, uint32_t n_sizes, const int64_t *at) {
  Rat v = RAT_1;
  for (uint32_t i = 0; i < n_sizes; i++)
    if (power[i]) v = rat_mul(v, rat_pow(rat_int(at[i]), power[i]));
  return v;
}

/* ---- fitting */

/* Solves for the coefficients of n monomials at the first n points; false: those points do not say. */
static bool solve(uint32_t n, uint32_t n_sizes, const int64_t *const *points, const Rat *values, SizePoly *p) {
  Rat m[SIZEPOLY_TERMS][SIZEPOLY_TERMS + 1];
  for (uint32_t r = 0; r < n; r++) {
    for (uint32_t c = 0; c < n; c++) m[r][c] = monomial_value(p->power[c], n_sizes, points[r]);
    m[r][n] = values[r];
  }
  for (uint32_t c = 0; c < n; c++) {
    uint32_t r = c;
    while (r < n && m[r][c] == RAT_0) r++;
    if (r == n) return false;
    for (uint32_t k = 0; k <= n; k++) {
      Rat x = m[r][k];
      m[r][k] = m[c][k];
      m[c][k] = x;
    }
    for (uint32_t i = 0; i < n; i++) {
      Rat f = i == c ? RAT_0 : rat_div(m[i][c], m[c][c]);
      for (uint32_t k = 0; k <= n && f != RAT_0; k++) m[i][k] = rat_sub(m[i][k], rat_mul(f, m[c][k]));
    }
  }
  for (uint32_t c = 0; c < n; c++) {
    p->coef[c] = rat_div(m[c][n], m[c][c]);
    if (p->coef[c] == RAT_0) return false; /* fewer monomials do */
  }
  return true;
}

static bool holds(const SizePoly *p, uint32_t n_sizes, uint32_t n_points, const int64_t *const *points,
                  const Rat *values) {
  Rat v;
  for (uint32_t i = 0; i < n_points; i++)
    if (!sizepoly_value(p, n_sizes, points[i], &v) || v != values[i]) return false;
  return true;
}

/* Some choice of n monomials from number `first` on, besides those chosen. */
static bool choose(SizePoly *p, uint32_t n, uint32_t have, uint32_t first, const Powers *all, uint32_t n_all,
                   uint32_t n_sizes, uint32_t n_points, const int64_t *const *points, const Rat *values) {
  if (have == n) return solve(n, n_sizes, points, values, p) && holds(p, n_sizes, n_points, points, values);
  for (uint32_t k = first; k < n_all; k++) {
    memcpy(p->power[have], all[k], sizeof p->power[have]);
    if (choose(p, n, have + 1, k + 1, all, n_all, n_sizes, n_points, points, values)) return true;
  }
  return false;
}

static bool fit(uint32_t n_sizes, uint32_t n_points, const int64_t *const *points, const Rat *values, SizePoly *out) {
  Powers all[MOST_MONOMIALS];
  uint32_t n_all = monomials(n_sizes, all);
  *out = (SizePoly){0};
  if (holds(out, n_sizes, n_points, points, values)) return true;
  for (uint8_t n = 1; n <= SIZEPOLY_TERMS && n + 2u <= n_points; n++) {
    *out = (SizePoly){.n = n};
    if (choose(out, n, 0, 0, (const Powers *)all, n_all, n_sizes, n_points, points, values)) return true;
  }
  return false;
}

bool sizepoly_fit(uint32_t n_sizes, uint32_t n_points, const int64_t *const *points, const Rat *values, SizePoly *out) {
  if (n_points > 64) n_points = 64;
  if (fit(n_sizes, n_points, points, values, out)) return true;
  Rat inverse[64];
  for (uint32_t i = 0; i < n_points; i++) {
    if (values[i] == RAT_0) return false;
    inverse[i] = rat_inv(values[i]);
  }
  if (!fit(n_sizes, n_points, points, inverse, out)) return false;
  return out->inverse = true;
}

/* ---- use */

bool sizepoly_value(const SizePoly *p, uint32_t n_sizes, const int64_t *at, Rat *out) {
  Rat v = RAT_0;
  for (uint32_t k = 0; k < p->n; k++) v = rat_add(v, rat_mul(p->coef[k], monomial_value(p->power[k], n_sizes, at)));
  if (p->inverse && v == RAT_0) return false;
  *out = p->inverse ? rat_inv(v) : v;
  return true;
}

static bool constant_term(const uint8_t *power) {
  for (uint32_t i = 0; i < SIZES_MAX; i++)
    if (power[i]) return false;
  return true;
}

bool sizepoly_is_constant(const SizePoly *p) {
  for (uint32_t k = 0; k < p->n; k++)
    if (!constant_term(p->power[k])) return false;
  return true;
}

/* Fits come in one order of monomials. */
bool sizepoly_equal(const SizePoly *p, const SizePoly *q, uint32_t n_sizes) {
  if (p->n != q->n || p->inverse != q->inverse) return false;
  for (uint32_t k = 0; k < p->n; k++)
    if (p->coef[k] != q->coef[k] || memcmp(p->power[k], q->power[k], n_sizes)) return false;
  return true;
}

const char *sizepoly_print(const SizePoly *p, const Sizes *s, Arena *a) {
  const char *out = "";
  for (uint32_t k = p->n; k-- > 0;) {
    bool minus = rat_sign(p->coef[k]) < 0, first = !*out, whole = constant_term(p->power[k]);
    Rat c = rat_abs(p->coef[k]);
    char number[128] = "";
    if (whole || c != RAT_1) rat_print(c, number, sizeof number);
    out = arena_printf(a, "%s%s%s", out, first ? (minus ? "-" : "") : minus ? " - " : " + ", number);
    for (uint32_t i = 0; i < s->n; i++)
      for (uint8_t d = 0; d < p->power[k][i]; d++) {
        bool glue = *number || d;
        for (uint32_t j = 0; j < i && !glue; j++) glue = p->power[k][j] > 0;
        out = arena_printf(a, "%s%s%s", out, glue ? "*" : "", sym_text(s->names[i]));
      }
  }
  if (!p->n) out = "0";
  return p->inverse ? arena_printf(a, "1/(%s)", out) : out;
}

/* ---- where two of them meet */

/* Coefficients of p - q by power of one size; the others are numbers. */
static void along(const SizePoly *p, uint32_t n_sizes, const int64_t *at, uint32_t axis, Rat sign, Rat *c) {
  for (uint32_t k = 0; k < p->n; k++) {
    uint8_t rest[SIZES_MAX];
    memcpy(rest, p->power[k], sizeof rest);
    rest[axis] = 0;
    Rat v = rat_mul(rat_mul(sign, p->coef[k]), monomial_value(rest, n_sizes, at));
    c[p->power[k][axis]] = rat_add(c[p->power[k][axis]], v);
  }
}

static int sign_at(const Rat *c, uint32_t degree, int64_t x) {
  Rat v = RAT_0;
  for (uint32_t k = degree + 1; k-- > 0;) v = rat_add(rat_mul(v, rat_int(x)), c[k]);
  return rat_sign(v);
}

/* Between roots of the derivative the sign changes once at most: halving finds where. */
static uint32_t roots(const Rat *c, uint32_t degree, int64_t most, int64_t *out, uint32_t cap) {
  while (degree && c[degree] == RAT_0) degree--;
  if (!degree) return 0;
  Rat slope[DEGREE + 1];
  int64_t turns[64];
  for (uint32_t k = 1; k <= degree; k++) slope[k - 1] = rat_mul(rat_int(k), c[k]);
  uint32_t n_turns = roots(slope, degree - 1, most, turns, 62), n = 0;
  turns[n_turns++] = most;
  int64_t lo = 1;
  for (uint32_t i = 0; i < n_turns && n < cap; i++) {
    int64_t hi = turns[i];
    if (hi < lo) continue;
    int from = sign_at(c, degree, lo), to = sign_at(c, degree, hi);
    if (!from) out[n++] = lo;
    while (from * to < 0 && hi - lo > 1) {
      int64_t mid = lo + (hi - lo) / 2;
      int s = sign_at(c, degree, mid);
      if (s == from) lo = mid;
      else hi = mid, to = s ? to : 0;
    }
    if (from * to < 0 && n < cap) out[n++] = lo;
    else if (from && !to && n < cap) out[n++] = hi;
    lo = turns[i];
    /* A root may lie between a turn and the integer after it. */
    if (i + 1 < n_turns && n < cap) out[n++] = lo;
  }
  return n;
}

uint32_t sizepoly_roots(const SizePoly *p, const SizePoly *q, uint32_t n_sizes, const int64_t *at, uint32_t axis,
                        int64_t most, int64_t *out, uint32_t cap) {
  Rat c[DEGREE + 1] = {RAT_0, RAT_0, RAT_0, RAT_0};
  if (p->inverse != q->inverse) { /* 1/p is q where p is 1/q: a number; literals are not compared with sizes */
    const SizePoly *over = p->inverse ? p : q, *number = p->inverse ? q : p;
    along(number, n_sizes, at, axis, RAT_1, c);
    bool moves = c[0] == RAT_0;
    for (uint32_t k = 1; k <= DEGREE; k++) moves = moves || c[k] != RAT_0;
    if (moves) return 0;
    c[0] = rat_neg(rat_inv(c[0]));
    along(over, n_sizes, at, axis, RAT_1, c);
    return roots(c, DEGREE, most, out, cap);
  }
  along(p, n_sizes, at, axis, RAT_1, c);
  along(q, n_sizes, at, axis, RAT_NEG1, c);
  return roots(c, DEGREE, most, out, cap);
}
