/* run: both graphs evaluated at one point; what exact_run returns. */
#ifndef TVR_EXACT_RUN_H
#define TVR_EXACT_RUN_H
#include "eval/exact/field.h"
#include "eval/exact/sample.h"

struct ExactRun {
  Arena arena;
  ExactProblem problem; /* graphs, instances and relation are the caller's */
  uint64_t seed;
  const char *why; /* not evaluated */
  uint64_t least;  /* numbers that both graphs have at least */
  Budget budget;
  GraphRun seq, dist;
};

/* The inputs at one point, and which choices their sampling made (notes may be NULL; texts in the run's arena): graphs
 * without values yet. */
ExactRun *run_begin(const ExactProblem *p, uint64_t seed, Notes *notes);
/* Evaluates both graphs in doubles; false: r->why. */
bool run_evaluate(ExactRun *r);
/* Both, as exact_run. */
ExactRun *run_new(const ExactProblem *p, uint64_t seed);
#endif
