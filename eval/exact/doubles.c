/* doubles: the arithmetic of single doubles; NAN is unknown. */
#include <math.h>
#include <string.h>

#include "eval/exact/fn_eval.h"
#include "eval/exact/view.h"
#include "eval/exact/word.h"

LOOP static void run_copy(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                          double *restrict out) {
  (void)context;
  (void)n;
  const double *a = at[0];
  for (int64_t i = 0, s = stride[0]; i < count; i++) out[i] = a[i * s];
}

LOOP static void run_add(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                         double *restrict out) {
  const double *a = at[0], *b = at[n > 1];
  int64_t s = stride[0], t = stride[n > 1];
  if (n < 2) run_copy(context, n, at, stride, count, out);
  else
    for (int64_t i = 0; i < count; i++) out[i] = a[i * s] + b[i * t];
  for (uint32_t k = 2; k < n; k++) {
    a = at[k], s = stride[k];
    for (int64_t i = 0; i < count; i++) out[i] += a[i * s];
  }
}

LOOP static void run_mul(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                         double *restrict out) {
  const Walk *w = context;
  const double *a = at[0], *b = at[n > 1];
  int64_t s = stride[0], t = stride[n > 1];
  if (n < 2) run_copy(context, n, at, stride, count, out);
  else
    for (int64_t i = 0; i < count; i++) out[i] = a[i * s] * b[i * t];
  for (uint32_t k = 2; k < n; k++) {
    a = at[k], s = stride[k];
    for (int64_t i = 0; i < count; i++) out[i] *= a[i * s];
  }
  for (uint32_t k = 0; k < n; k++) {
    if (!w->guard[k]) continue;
    a = at[k], s = stride[k];
    for (int64_t i = 0; i < count; i++) out[i] = a[i * s] == 0 ? 0 : out[i];
  }
}

LOOP static void run_select(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                            double *restrict out) {
  (void)context;
  (void)n;
  const double *c = at[0], *a = at[1], *b = at[2];
  int64_t s = stride[0], t = stride[1], u = stride[2];
  for (int64_t i = 0; i < count; i++) out[i] = isnan(c[i * s]) ? NAN : c[i * s] != 0 ? a[i * t] : b[i * u];
}

static void run_fn(void *context, uint32_t n, const double *const *at, const int64_t *s, int64_t count, double *out) {
  const FnImpl *fn = context;
  (void)n;
  if (fn->arity == 1)
    for (int64_t i = 0; i < count; i++) out[i] = fn->f1(at[0][i * s[0]]);
  else if (fn->arity == 2)
    for (int64_t i = 0; i < count; i++) out[i] = fn->f2(at[0][i * s[0]], at[1][i * s[1]]);
  else
    for (int64_t i = 0; i < count; i++) out[i] = fn->f3(at[0][i * s[0]], at[1][i * s[1]], at[2][i * s[2]]);
}

LOOP static void run_power(void *context, uint32_t n, const double *const *at, const int64_t *s, int64_t count,
                           double *restrict out) {
  FnPower *power = fn_power(*(const Rat *)context);
  (void)n;
  if (*(const Rat *)context == RAT_NEG1) { /* a quotient */
    for (int64_t i = 0; i < count; i++) out[i] = at[0][i * s[0]] == 0 ? NAN : 1 / at[0][i * s[0]];
    return;
  }
  for (int64_t i = 0; i < count; i++) out[i] = power(at[0][i * s[0]], *(const Rat *)context);
}

static void run_compare(void *context, uint32_t n, const double *const *at, const int64_t *s, int64_t count,
                        double *out) {
  const FnCompare *c = context;
  (void)n;
  for (int64_t i = 0; i < count; i++) out[i] = fn_compare_double(*c, at[0][i * s[0]], at[1][i * s[1]]);
}

/* ---- contraction ---- */

static double reduce(XKind kind, double a, double b) {
  if (kind == X_SUM) return a + b;
  if (isnan(a) || isnan(b)) return NAN;
  return kind == X_MAX ? (a > b ? a : b) : (a < b ? a : b);
}

static double identity(XKind kind) { return kind == X_SUM ? 0 : kind == X_MAX ? -INFINITY : INFINITY; }

enum { BLOCK = 64 };

/* `count` products from there on, at most BLOCK. */
static void products(const Walk *w, uint32_t n, const double *const *at, const int64_t *stride, int64_t from,
                     int64_t count, double *out) {
  const double *p[VIEW_MAX_ARGS];
  for (uint32_t k = 0; k < n; k++) p[k] = at[k] + from * stride[k];
  run_mul((void *)w, n, p, stride, count, out);
}

static int64_t block_of(int64_t count, int64_t from) { return count - from < BLOCK ? count - from : BLOCK; }

/* One result: the terms in their order, products formed by blocks where they are not plain. */
LOOP static void run_dot(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                         double *restrict out) {
  const Contract *c = context;
  const Walk *w = c->inner;
  uint32_t last = w->n_axes - 1;
  int64_t m = w->size[last], step[VIEW_MAX_ARGS];
  for (uint32_t k = 0; k < n; k++) step[k] = w->stride[k][last];
  for (int64_t i = 0; i < count; i++) out[i] = identity(c->kind);
  for (int64_t i = 0; i < count && !c->empty; i++) {
    const double *p[VIEW_MAX_ARGS];
    int64_t index[VIEW_MAX_VARS];
    for (uint32_t d = 0; d < w->n_axes; d++) index[d] = 0;
    for (uint32_t k = 0; k < n; k++) p[k] = at[k] + i * stride[k];
    double r = identity(c->kind), t[BLOCK];
    do {
      if (c->plain && n > 1)
        for (int64_t j = 0; j < m; j++) r += p[0][j * step[0]] * p[1][j * step[1]];
      else if (c->plain)
        for (int64_t j = 0; j < m; j++) r += p[0][j * step[0]];
      for (int64_t from = 0; from < m && !c->plain; from += BLOCK) {
        int64_t some = block_of(m, from);
        products(w, n, p, step, from, some, t);
        for (int64_t j = 0; j < some; j++) r = reduce(c->kind, r, t[j]);
      }
    } while (walk_advance(w, last, index, p));
    out[i] = r;
  }
}

/* A run of results at a time: bound variables outside, the result's innermost axis inside. */
LOOP static void run_axpy(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                          double *restrict out) {
  const Contract *c = context;
  const Walk *w = c->inner;
  const double *p[VIEW_MAX_ARGS];
  int64_t index[VIEW_MAX_VARS] = {0};
  for (uint32_t k = 0; k < n; k++) p[k] = at[k];
  for (int64_t i = 0; i < count; i++) out[i] = identity(c->kind);
  if (c->empty) return;
  do {
    bool skip = false;
    for (uint32_t k = 0; k < n && !skip; k++) skip = c->kind == X_SUM && w->guard[k] && stride[k] == 0 && *p[k] == 0;
    if (skip) continue;
    if (c->plain) {
      const double *a = p[0], *b = n > 1 ? p[1] : NULL;
      int64_t s = stride[0], t = n > 1 ? stride[1] : 0;
      if (!b)
        for (int64_t i = 0; i < count; i++) out[i] += a[i * s];
      else if (s == 0 && t == 1)
        for (int64_t i = 0; i < count; i++) out[i] += *a * b[i];
      else if (s == 1 && t == 0)
        for (int64_t i = 0; i < count; i++) out[i] += a[i] * *b;
      else
        for (int64_t i = 0; i < count; i++) out[i] += a[i * s] * b[i * t];
      continue;
    }
    for (int64_t from = 0; from < count; from += BLOCK) {
      double t[BLOCK];
      int64_t some = block_of(count, from);
      products(w, n, p, stride, from, some, t);
      for (int64_t i = 0; i < some; i++) out[from + i] = reduce(c->kind, out[from + i], t[i]);
    }
  } while (walk_advance(w, w->n_axes, index, p));
}

/* ---- in lanes ---- */

enum { LANES = 8 };

static bool pack(const double *held, int64_t stride, int64_t lanes, const int64_t *terms, uint64_t n, double *panel) {
  for (uint64_t i = 0; i < n; i++, panel += LANES) {
    const double *at = held + terms[i];
    for (int64_t k = 0; k < LANES; k++) panel[k] = k < lanes ? at[k * stride] : 0;
  }
  return true;
}

LOOP static void row_products(const double *row, const int64_t *terms, uint64_t n, const double *panel, int64_t lanes,
                              double *out) {
  Lanes sum[2] = {{0}, {0}};
  for (uint64_t i = 0; i < n; i++, panel += LANES) {
    double x = row[terms[i]];
    sum[0] += x * *(const Lanes *)panel;
    sum[1] += x * *(const Lanes *)(panel + 4);
  }
  memcpy(out, sum, (size_t)lanes * sizeof *out);
}

const Arithmetic arithmetic_double = {.width = 1,
                                      .copy = run_copy,
                                      .add = run_add,
                                      .select = run_select,
                                      .mul = run_mul,
                                      .fn = run_fn,
                                      .power = run_power,
                                      .compare = run_compare,
                                      .dot = run_dot,
                                      .axpy = run_axpy,
                                      .lanes = LANES,
                                      .panel = LANES,
                                      .pack = pack,
                                      .row = row_products};
