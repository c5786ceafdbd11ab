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
  Budget budget;
  GraphRun seq, dist;
};

/* exact_run, also telling which choices the sampling made (notes may be NULL; texts in the run's arena). */
ExactRun *run_new(const ExactProblem *p, uint64_t seed, Notes *notes);
#endif
