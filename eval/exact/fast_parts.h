/* fast_parts: what fast.c (expressions) and fast_read.c (operands and indices) share. */
#ifndef TVR_EXACT_FAST_PARTS_H
#define TVR_EXACT_FAST_PARTS_H
#include "eval/exact/ball.h"
#include "eval/exact/field.h"

/* A node being evaluated on a device. */
typedef struct Fast {
  GraphRun *side;
  const Arithmetic *how;
  const Node *node;
  const Instance *in;
  int64_t device;
  Peers peers;
  Arena *scratch;
  const View **memo;           /* by expression, for the current `fixed` */
  int64_t fixed[VIEW_MAX_VARS]; /* value of a variable that does not range now, or -1 */
  uint32_t depth;
  double *into;                /* where the result goes if it is dense over these variables; NULL: it is used */
  const VarId *order;
  uint32_t n_into;
  bool over;                   /* budget used up */
} Fast;


/* The value of an expression; unknown where it has none. */
const View *fast_eval(Fast *f, XId x);
const View *fast_unknown(Fast *f);
View *fast_scalar(Fast *f, Ball x);
/* Numbers at `at` over `vars`; the strides are to be filled in. */
View *fast_view(Fast *f, const double *at, uint64_t vars);
/* A dense temporary over `vars`, `first` (NO_VAR: none) outermost; its axes into order[].  NULL if it is too large, or
 * `work` is. */
View *fast_table(Fast *f, uint64_t vars, VarId first, VarId *order, uint32_t *n_order, double work);
double fast_points(const Fast *f, uint64_t vars);
/* Runs `run` over the union of the views' variables. */
const View *fast_zip(Fast *f, const View *const *views, uint32_t n, WalkRun *run, void *context);

/* X_READ and X_INDEX. */
const View *fast_read(Fast *f, const X *x);
const View *fast_index(Fast *f, const Ix *ix);
/* The operand's numbers on a device; NULL without a value. */
const double *fast_numbers(const Fast *f, uint32_t operand, int64_t device);
extern const double fast_no_value[BALL_WIDTH];
#endif
