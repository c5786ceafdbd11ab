/* Reduce: the smallest part of a failing pair that still fails the same way, to be read by a person.
 *
 * One output is kept and what it depends on.  Values that are proved to correspond become inputs of both graphs, as
 * near to the failure as goes; then axes of the mesh shrink, and sizes: all dimensions of a sort of digits, in both
 * graphs, first all sorts at once.  Every step is tried: it counts only if the verdict stays and the cause is one
 * of the likely causes there were.  What was too large to be evaluated, and so unproved, may be refuted on the
 * way.  Inputs that replace computed values are free of each other, and sizes are not those of the large pair, so
 * the small pair shows the failure and is no part of a proof about the large one.
 *
 * The idea of cutting at corresponding values, and the search for those that must not be cut: Zeller and
 * Hildebrandt, Simplifying and isolating failure-inducing input (TSE 2002), with the proof to say which
 * correspond.  Shape reduction: TrainVerify (2025), Algorithm 1, whose constraints on shapes hold here by the
 * digits that dimensions share, so nothing is left to an optimiser. */
#ifndef TVR_REDUCE_H
#define TVR_REDUCE_H
#include "eval/verdict/check.h"

typedef struct Reduction {
  Graph *seq, *dist;
  Relation relation;
  Verdict verdict; /* of it: refuted or unproved */
  Verdict was;     /* of all: unproved, it may be refuted now that it is small enough to be evaluated */
  uint32_t n_tried;
  bool limited; /* time ran out */
  size_t before[SIDE_COUNT];
} Reduction;

/* NULL if the pair is verified.  At most `seconds`.  Reports about parts that do not fit are dropped: `sources` are
 * those of the graphs. */
Reduction *reduce_run(Library *library, const Problem *p, const CheckOptions *o, double seconds, Sources *sources);
void reduce_free(Reduction *r);
#endif
