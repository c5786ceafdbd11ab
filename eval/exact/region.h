/* region: the computation an operator applies to pairs of elements, where it only compares and chooses.
 *
 * Front ends give a region as a canonical text, an instruction a line (attribute `region`).  Regions made of parameters,
 * constants, comparisons, logic, `select` and tuples are understood; they pick operands by their order, like the
 * comparator of a sort or the region of an argmax.  Of a few functions only that they are there is. */
#ifndef TVR_EXACT_REGION_H
#define TVR_EXACT_REGION_H
#include "eval/graph/graph.h"

#define REGION_MAX_RESULTS 4

/* A value inside: a truth value, a parameter, a constant, or unknown. */
typedef struct RegionValue {
  enum { REGION_UNKNOWN, REGION_TRUTH, REGION_PARAM, REGION_CONSTANT } kind;
  int64_t which; /* the parameter's number, or 0 and 1 */
  Rat constant;
} RegionValue;

typedef struct Region Region;

/* In `a`; NULL if it is not understood. */
const Region *region_parse(Sym text, uint32_t n_params, Arena *a);
uint32_t region_results(const Region *r);
/* Order of two parameters or constants: -1, 0 or 1; 2 if undecided. */
typedef int RegionCompare(void *context, RegionValue a, RegionValue b);
/* Result number k. */
RegionValue region_apply(const Region *r, uint32_t k, RegionCompare *compare, void *context);
/* The region of an argmax or argmin: of two pairs (value, index) it gives the one with the larger (smaller) value, and
 * where these tie, the smaller index.  "largest_pair", "smallest_pair", or 0. */
Sym region_reducer(Sym text);
/* The region of a running log(sum(exp(x))): log(exp(a) + exp(b)) of two values, written so that nothing overflows.
 * "logaddexp", or 0. */
Sym region_sum(Sym text);
#endif
