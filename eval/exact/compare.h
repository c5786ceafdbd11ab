/* compare: one output of both graphs at one point, in doubles. */
#ifndef TVR_EXACT_COMPARE_H
#define TVR_EXACT_COMPARE_H
#include "eval/exact/block.h"
#include "eval/exact/run.h"

#define COMPARE_KEPT 4
/* Magnitudes below this are noise of doubles next to inputs of ordinary size; values of an output without larger ones
 * count as equal when they differ by this part of it (the gradient of a bias before a softmax over keys is 0). */
#define COMPARE_SMALLEST 1e-12
#define COMPARE_NOISE 1e-3

/* An element of the output. */
typedef struct OutputElement {
  double difference;
  int64_t device;
  uint64_t in_block, in_whole;
} OutputElement;

typedef struct Comparison {
  const char *misfit;     /* the relation does not fit the graphs */
  double top;             /* largest magnitude */
  double difference;      /* largest difference / top */
  uint64_t n_known, n_unknown;
  uint64_t n_only[2];     /* of the unknown ones: that have a value in the sequential program alone, in the other alone */
  OutputElement lacking;  /* n_only[0]: the first of those */
  uint32_t n_kept;
  OutputElement kept[COMPARE_KEPT]; /* largest differences first */
} Comparison;

/* The output's node on either side; false if the relation does not fit. */
bool compare_nodes(const ExactRun *r, const Related *o, NodeId *seq, NodeId *dist);
/* Compares as `o` declares, but with partial sums over the axes `sums` (per mesh axis), the sequential value times
 * `factor`. */
Comparison compare_output(const ExactRun *r, const Related *o, const bool *sums, double factor);
/* The value of every device's sum: block element i of the sum that `device` takes part in. */
double compare_sum(const ExactRun *r, NodeId dist, const int64_t *devices, int64_t n, uint64_t i);
/* How an output that differs would be related: fills holds. */
void compare_explain(const ExactRun *r, const Related *o, double tolerance, Arena *a, ExactHolds *holds);
#endif
