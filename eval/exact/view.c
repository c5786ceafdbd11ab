/* view: see view.h.  Loops are odometers over merged axes around runs along the innermost one. */
#include "eval/exact/view.h"

#include <math.h>

static int64_t stride_of(const View *v, VarId var) { return v->vars >> var & 1 ? v->stride[var] : 0; }

void walk_start(Walk *w, const Instance *in, const VarId *axes, uint32_t n_axes, const View *const *views,
                uint32_t n_views) {
  w->n_axes = 0;
  w->n_views = n_views;
  for (uint32_t k = 0; k < n_views; k++) {
    w->at[k] = views[k]->at;
    w->guard[k] = views[k]->guard;
  }
  for (uint32_t i = 0; i < n_axes; i++) {
    int64_t size = in->vars[axes[i]].size;
    bool merge = w->n_axes > 0;
    for (uint32_t k = 0; k < n_views && merge; k++)
      merge = w->stride[k][w->n_axes - 1] == stride_of(views[k], axes[i]) * size;
    uint32_t a = merge ? w->n_axes - 1 : w->n_axes++;
    w->size[a] = merge ? w->size[a] * size : size;
    for (uint32_t k = 0; k < n_views; k++) w->stride[k][a] = stride_of(views[k], axes[i]);
  }
  if (w->n_axes == 0) {
    w->n_axes = 1;
    w->size[0] = 1;
    for (uint32_t k = 0; k < n_views; k++) w->stride[k][0] = 0;
  }
}

uint64_t walk_points(const Walk *w) {
  uint64_t n = 1;
  for (uint32_t a = 0; a < w->n_axes; a++) n *= (uint64_t)w->size[a];
  return n;
}

/* Next point of axes[0..n); false after the last. */
static bool advance(const Walk *w, uint32_t n, int64_t *index, const double **at) {
  for (uint32_t a = n; a-- > 0;) {
    for (uint32_t k = 0; k < w->n_views; k++) at[k] += w->stride[k][a];
    if (++index[a] < w->size[a]) return true;
    for (uint32_t k = 0; k < w->n_views; k++) at[k] -= w->stride[k][a] * w->size[a];
    index[a] = 0;
  }
  return false;
}

void walk_runs(const Walk *w, WalkRun *run, void *context, double *out) {
  if (walk_points(w) == 0) return;
  uint32_t last = w->n_axes - 1;
  int64_t index[VIEW_MAX_VARS] = {0}, stride[VIEW_MAX_ARGS];
  const double *at[VIEW_MAX_ARGS];
  for (uint32_t k = 0; k < w->n_views; k++) {
    at[k] = w->at[k];
    stride[k] = w->stride[k][last];
  }
  do {
    run(context, w->n_views, at, stride, w->size[last], out);
    out += w->size[last];
  } while (advance(w, last, index, at));
}

void run_copy(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count, double *out) {
  (void)context;
  (void)n;
  const double *a = at[0];
  for (int64_t i = 0, s = stride[0]; i < count; i++) out[i] = a[i * s];
}

void run_add(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count, double *out) {
  run_copy(context, 1, at, stride, count, out);
  for (uint32_t k = 1; k < n; k++) {
    const double *a = at[k];
    for (int64_t i = 0, s = stride[k]; i < count; i++) out[i] += a[i * s];
  }
}

void run_mul(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count, double *out) {
  const Walk *w = context;
  run_copy(context, 1, at, stride, count, out);
  for (uint32_t k = 1; k < n; k++) {
    const double *a = at[k];
    for (int64_t i = 0, s = stride[k]; i < count; i++) out[i] *= a[i * s];
  }
  for (uint32_t k = 0; k < n; k++) {
    const double *a = at[k];
    if (!w->guard[k]) continue;
    for (int64_t i = 0, s = stride[k]; i < count; i++)
      if (a[i * s] == 0) out[i] = 0;
  }
}

void run_select(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count, double *out) {
  (void)context;
  (void)n;
  const double *c = at[0], *a = at[1], *b = at[2];
  int64_t s = stride[0], t = stride[1], u = stride[2];
  for (int64_t i = 0; i < count; i++) out[i] = isnan(c[i * s]) ? NAN : c[i * s] != 0 ? a[i * t] : b[i * u];
}

/* ---- contraction ---- */

static double product(const Walk *w, uint32_t n, const double *const *at) {
  double p = 1;
  for (uint32_t k = 0; k < n; k++) {
    if (w->guard[k] && *at[k] == 0) return 0;
    p *= *at[k];
  }
  return p;
}

static double reduce(XKind kind, double a, double b) {
  if (kind == X_SUM) return a + b;
  if (isnan(a) || isnan(b)) return NAN;
  return kind == X_MAX ? (a > b ? a : b) : (a < b ? a : b);
}

static double identity(XKind kind) { return kind == X_SUM ? 0 : kind == X_MAX ? -INFINITY : INFINITY; }

typedef struct Contract {
  XKind kind;
  const Walk *inner; /* over the bound variables; its `at` are not used */
  bool plain;        /* a sum of products of one or two views without guards */
} Contract;

/* One output at a time: all bound variables inside. */
static void run_dot(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                    double *out) {
  const Contract *c = context;
  const Walk *w = c->inner;
  uint32_t last = w->n_axes - 1;
  for (int64_t i = 0; i < count; i++) {
    const double *p[VIEW_MAX_ARGS];
    int64_t index[VIEW_MAX_VARS] = {0};
    for (uint32_t k = 0; k < n; k++) p[k] = at[k] + i * stride[k];
    double r = identity(c->kind);
    do {
      int64_t m = w->size[last];
      if (c->plain) {
        int64_t s = w->stride[0][last], t = n > 1 ? w->stride[1][last] : 0;
        const double *a = p[0], *b = n > 1 ? p[1] : NULL;
        if (b) for (int64_t j = 0; j < m; j++) r += a[j * s] * b[j * t];
        else for (int64_t j = 0; j < m; j++) r += a[j * s];
      } else {
        for (int64_t j = 0; j < m; j++) {
          r = reduce(c->kind, r, product(w, n, p));
          for (uint32_t k = 0; k < n; k++) p[k] += w->stride[k][last];
        }
        for (uint32_t k = 0; k < n; k++) p[k] -= w->stride[k][last] * m;
      }
    } while (advance(w, last, index, p));
    out[i] = r;
  }
}

/* A run of outputs at a time: bound variables outside, the output's innermost axis inside. */
static void run_axpy(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count,
                     double *out) {
  const Contract *c = context;
  const Walk *w = c->inner;
  const double *p[VIEW_MAX_ARGS];
  int64_t index[VIEW_MAX_VARS] = {0};
  for (uint32_t k = 0; k < n; k++) p[k] = at[k];
  for (int64_t i = 0; i < count; i++) out[i] = identity(c->kind);
  do {
    bool skip = false;
    for (uint32_t k = 0; k < n && !skip; k++) skip = c->kind == X_SUM && w->guard[k] && stride[k] == 0 && *p[k] == 0;
    if (skip) continue;
    if (c->plain) {
      const double *a = p[0], *b = n > 1 ? p[1] : NULL;
      int64_t s = stride[0], t = n > 1 ? stride[1] : 0;
      if (!b) for (int64_t i = 0; i < count; i++) out[i] += a[i * s];
      else if (s == 0 && t == 1) for (int64_t i = 0; i < count; i++) out[i] += *a * b[i];
      else if (s == 1 && t == 0) for (int64_t i = 0; i < count; i++) out[i] += a[i] * *b;
      else for (int64_t i = 0; i < count; i++) out[i] += a[i * s] * b[i * t];
      continue;
    }
    for (int64_t i = 0; i < count; i++) {
      const double *q[VIEW_MAX_ARGS];
      for (uint32_t k = 0; k < n; k++) q[k] = p[k] + i * stride[k];
      out[i] = reduce(c->kind, out[i], product(w, n, q));
    }
  } while (advance(w, w->n_axes, index, p));
}

void view_contract(const Instance *in, XKind kind, const VarId *outer, uint32_t n_outer, const VarId *inner,
                   uint32_t n_inner, const View *const *views, uint32_t n_views, double *out) {
  Walk over, under;
  walk_start(&over, in, outer, n_outer, views, n_views);
  walk_start(&under, in, inner, n_inner, views, n_views);
  Contract c = {kind, &under, kind == X_SUM && n_views <= 2};
  for (uint32_t k = 0; k < n_views; k++) c.plain = c.plain && !over.guard[k];
  uint64_t points = walk_points(&over);
  if (walk_points(&under) == 0) {
    for (uint64_t i = 0; i < points; i++) out[i] = identity(kind);
    return;
  }
  bool axpy = over.size[over.n_axes - 1] >= under.size[under.n_axes - 1];
  walk_runs(&over, axpy ? run_axpy : run_dot, &c, out);
}
