/* Solver: Z3, in a child process that is limited in time and memory.
 *
 * A problem is SMT-LIB 2 text; the answer is what Z3 prints.  The library is loaded in the child only, so nothing else
 * of tvr depends on it: without it there is a reason instead of an answer. */
#ifndef TVR_LEMMA_SOLVER_H
#define TVR_LEMMA_SOLVER_H
#include "lang/base/arena.h"

typedef struct SolverLimits {
  double seconds; /* of the processor; the child ends then, or after ten times as long */
  int64_t megabytes;
} SolverLimits;

/* The answers, a line each, in `a`; NULL with *why when there are none. */
char *solver_ask(const char *problem, SolverLimits limits, Arena *a, const char **why);
/* The first problem to all questions of which the answer is unsat; -1: none within the limits of all together.  One
 * child asks them in order. */
int solver_first(const char *const *problems, uint32_t n, SolverLimits limits, Arena *a);
#endif
