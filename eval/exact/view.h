/* view: strided numbers over index variables, and the loops over them.
 *
 * A number is one double, or a ball of two (eval/exact/ball.h): its width.  Strides count doubles. */
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
  uint32_t n_axes, n_views, width;
  int64_t size[VIEW_MAX_VARS];
  int64_t stride[VIEW_MAX_ARGS][VIEW_MAX_VARS];
  const double *at[VIEW_MAX_ARGS];
  bool guard[VIEW_MAX_ARGS];
} Walk;

/* `axes` are variables, outermost first; neighbouring axes that are contiguous in every view become one. */
void walk_start(Walk *w, const Instance *in, uint32_t width, const VarId *axes, uint32_t n_axes,
                const View *const *views, uint32_t n_views);
/* Number of points; 0 if an axis is empty. */
uint64_t walk_points(const Walk *w);
/* Next point of the first n axes, the views' places in at[]; false after the last. */
bool walk_advance(const Walk *w, uint32_t n, int64_t *index, const double **at);
/* One run along the innermost axis: `count` points, view k advancing by stride[k], into count numbers at `out`. */
typedef void WalkRun(void *context, uint32_t n_views, const double *const *at, const int64_t *stride, int64_t count,
                     double *out);
void walk_runs(const Walk *w, WalkRun *run, void *context, double *out);


/* Terms of sums of products in lanes: see panel.h. */
/* Lays out `lanes` neighbours, `stride` apart, of every term; those that lack are 0.  False if they need another way. */
typedef bool PanelPack(const double *held, int64_t stride, int64_t lanes, const int64_t *terms, uint64_t n,
                       double *panel);
/* The sums of a row, whose terms stand at `row`, with a panel. */
typedef void PanelRow(const double *row, const int64_t *terms, uint64_t n, const double *panel, int64_t lanes,
                      double *out);

/* The runs of an arithmetic. */
typedef struct Arithmetic {
  uint32_t width;
  WalkRun *copy, *add, *select;
  WalkRun *mul;     /* context: the Walk, for its guards */
  WalkRun *fn;      /* context: const FnImpl * */
  WalkRun *power;   /* context: const Rat *, the exponent */
  WalkRun *compare; /* context: const FnCompare * */
  WalkRun *dot;     /* context: const Contract *; one result at a time, the bound variables inside */
  WalkRun *axpy;    /* the same, a run of results at a time; NULL: always dot */
  uint32_t lanes, panel; /* of a panel, and its doubles for a term */
  PanelPack *pack;
  PanelRow *row;
} Arithmetic;

/* A reduction being run; inner->at is not used. */
typedef struct Contract {
  XKind kind;        /* X_SUM, X_MAX or X_MIN */
  const Walk *inner; /* over the bound variables */
  bool empty;        /* no value of the bound variables at all */
  bool plain;        /* a sum of products of one or two views without guards */
} Contract;

extern const Arithmetic arithmetic_double, arithmetic_ball;

/* out (dense over `outer`) = reduction over `inner` of the product of the views. */
void view_contract(const Arithmetic *a, const Instance *in, XKind kind, const VarId *outer, uint32_t n_outer,
                   const VarId *inner, uint32_t n_inner, const View *const *views, uint32_t n_views, Arena *scratch,
                   double *out);
#endif
