/* Smaller: a pair that is too large to be evaluated, at sizes that can be.
 *
 * The same operators on the same mesh, node by node (resize.h); only dimensions are shorter.  What holds there is
 * evidence for nothing about the pair itself: it tells which values are worth a proof (waypoint.h), and where to look for a
 * mistake. */
#ifndef TVR_SMALLER_H
#define TVR_SMALLER_H
#include "eval/exact/exact.h"
#include "eval/prove/prove.h"

typedef struct Smaller Smaller;

/* NULL: some dimension does not follow. */
Smaller *smaller_new(const Problem *p, const ExactOptions *o);
/* All outputs are the same there. */
bool smaller_agrees(const Smaller *s);
/* Outputs that are not, in doubles. */
uint32_t smaller_n_differ(const Smaller *s);
/* Live as long as that. */
const ExactProblem *smaller_evaluated(const Smaller *s);
const Problem *smaller_problem(const Smaller *s);
void smaller_free(Smaller *s);
#endif
