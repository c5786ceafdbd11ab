/* view: strided numbers over index variables, and the loops over them. */
#ifndef TVR_EXACT_VIEW_H
#define TVR_EXACT_VIEW_H
#include "eval/meaning/instance.h"

#define VIEW_MAX_VARS 64
#define VIEW_MAX_ARGS 64

typedef struct View {
  const double *at;
  uint64_t vars;  /* the variables it depends on */
  bool guard;     /* where it is 0 a product is 0 */
  int64_t stride[]; /* by variable */
} View;

/* A walk over some variables in order, several views in step; the result is dense in that order. */
typedef struct Walk {
  uint32_t n_axes, n_views;
  int64_t size[VIEW_MAX_VARS];
  int64_t stride[VIEW_MAX_ARGS][VIEW_MAX_VARS];
  const double *at[VIEW_MAX_ARGS];
  bool guard[VIEW_MAX_ARGS];
} Walk;

/* `axes` are variables, outermost first; neighbouring axes that are contiguous in every view become one. */
void walk_start(Walk *w, const Instance *in, const VarId *axes, uint32_t n_axes, const View *const *views,
                uint32_t n_views);
/* Number of points; 0 if an axis is empty. */
uint64_t walk_points(const Walk *w);
/* One run along the innermost axis: `count` points, view k advancing by stride[k], into out[0..count). */
typedef void WalkRun(void *context, uint32_t n_views, const double *const *at, const int64_t *stride, int64_t count,
                     double *out);
void walk_runs(const Walk *w, WalkRun *run, void *context, double *out);

/* Runs for common operations. */
void run_copy(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count, double *out);
void run_add(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count, double *out);
/* context: the Walk, for its guards. */
void run_mul(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count, double *out);
void run_select(void *context, uint32_t n, const double *const *at, const int64_t *stride, int64_t count, double *out);

/* out (dense over `outer`) = reduction over `inner` of the product of the views; kind is X_SUM, X_MAX or X_MIN. */
void view_contract(const Instance *in, XKind kind, const VarId *outer, uint32_t n_outer, const VarId *inner,
                   uint32_t n_inner, const View *const *views, uint32_t n_views, double *out);
#endif
