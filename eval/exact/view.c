/* view: see view.h.  Loops are odometers over merged axes around runs along the innermost one. */
#include "eval/exact/view.h"

#include "eval/exact/panel.h"

static int64_t stride_of(const View *v, VarId var) { return v->vars >> var & 1 ? v->stride[var] : 0; }

void walk_start(Walk *w, const Instance *in, uint32_t width, const VarId *axes, uint32_t n_axes,
                const View *const *views, uint32_t n_views) {
  w->n_axes = 0;
  w->width = width;
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

bool walk_advance(const Walk *w, uint32_t n, int64_t *index, const double **at) {
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
    out += w->size[last] * w->width;
  } while (walk_advance(w, last, index, at));
}

void view_contract(const Arithmetic *a, const Instance *in, XKind kind, const VarId *outer, uint32_t n_outer,
                   const VarId *inner, uint32_t n_inner, const View *const *views, uint32_t n_views, Arena *scratch,
                   double *out) {
  Walk over, under;
  walk_start(&over, in, a->width, outer, n_outer, views, n_views);
  walk_start(&under, in, a->width, inner, n_inner, views, n_views);
  Contract c = {kind, &under, walk_points(&under) == 0, kind == X_SUM && n_views <= 2};
  for (uint32_t k = 0; k < n_views; k++) c.plain = c.plain && !over.guard[k];
  if (c.plain && panel_contract(a, &over, &under, scratch, out)) return;
  bool axpy = a->axpy && over.size[over.n_axes - 1] >= under.size[under.n_axes - 1];
  walk_runs(&over, axpy ? a->axpy : a->dot, &c, out);
}
