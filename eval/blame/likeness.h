/* likeness: which sequential value a sum over mesh axes could be, by numbers.
 *
 * Forming the sum of a value in the calculus costs much, and most sums are nothing that the sequential graph has.  Both
 * graphs were evaluated at a point: values of one class, whose indices all run over all they can, take the same numbers
 * there up to a factor, so the least divided by the largest is the same.  Where that cannot be said, anything is alike.
 */
#ifndef TVR_LIKENESS_H
#define TVR_LIKENESS_H
#include "eval/exact/exact.h"
#include "eval/prove/prove.h"

typedef struct Likeness {
  const Proof *proof;
  const ExactRun *run;
  double *ratios; /* of sequential classes, ascending */
  uint32_t n;
  bool usable;
  uint32_t masked; /* sums of masked values called alike */
} Likeness;

/* `run` may be NULL: then anything is alike. */
void likeness_make(Likeness *l, const Proof *proof, const ExactRun *run, Arena *a);
/* Whether the sum of a distributed value over some of its mesh names may be a sequential class up to a factor. */
bool likeness_of_sum(Likeness *l, NodeId dist, const Name *names, uint32_t n, uint32_t set, Arena *scratch);
#endif
