/* numbers: which sequential value a distributed one is, or a sum of it over mesh axes, by the numbers of one point.
 *
 * A normal form may not tell that two values are one, where a tactic proves it: what seems to be the first value without a
 * counterpart, a halo put together or a flat dimension, is none.  For blame numbers are as good. */
#ifndef TVR_NUMBERS_H
#define TVR_NUMBERS_H
#include "eval/exact/exact.h"
#include "eval/prove/prove.h"

typedef struct Numbers Numbers;

/* `run`: both graphs at a point; NULL, or too many axes: nothing is found. */
Numbers *numbers_new(const Proof *proof, const ExactRun *run, Arena *a);
/* Is it `*factor` times the value of *seq, after it was summed over `*summed`, mesh axes as a set? */
bool numbers_find(Numbers *n, NodeId dist, NodeId *seq, uint32_t *summed, Rat *factor);
#endif
