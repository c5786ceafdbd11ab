/* Quotient: a pair that is too large to be evaluated, at inputs that are constant in blocks.
 *
 * Every dimension of both graphs is read in digits (digits.h), of which a few are kept: inputs depend on these alone.  Then
 * so does, by the equations (shrink.h), every value that treats no dropped digit by its position, and a tensor is
 * represented by a small one over the kept digits.  The small tensors of both graphs are those of a pair with small
 * dimensions and the same nodes, and its values *are* values of the large one, so a difference found there is one.
 *
 * Digits that are treated by position (a mask, a gather) are kept whole where that is affordable.  Where it is not, values
 * that depend on them are *vague*: nothing is known of them but facts (fact.h).  Inputs that are 0 may keep the results from
 * depending on these: a product with 0 is 0. */
#ifndef TVR_QUOTIENT_H
#define TVR_QUOTIENT_H
#include "eval/digits/digits.h"
#include "eval/exact/exact.h"
#include "eval/quotient/pattern.h"

typedef struct Quotient Quotient;

typedef struct QuotientOptions {
  uint64_t max_numbers, max_work; /* of the small pair, on all devices */
  double seconds;                 /* to find it in */
  bool zeros;                     /* some inputs may be 0 everywhere */
  bool axes;                      /* inputs may be the same in all blocks of an axis */
  uint64_t scramble;              /* digits kept at random, by this seed; 0: as few as are worth it */
} QuotientOptions;

/* NULL: no output that is `open` (by output of the relation) has a small tensor. */
Quotient *quotient_new(const Problem *p, const bool *open, const QuotientOptions *o);
/* The small pair.  Options are the caller's. */
ExactProblem quotient_problem(const Quotient *q);
/* Which output of the relation its k-th is. */
uint32_t quotient_output(const Quotient *q, uint32_t k);
/* The node has a small tensor, and how its dimension `dim` is shrunk. */
bool quotient_represents(const Quotient *q, Side side, NodeId node);
void quotient_pattern(const Quotient *q, Side side, NodeId node, uint32_t dim, Pattern *out);
/* What it holds are means over blocks. */
bool quotient_is_mean(const Quotient *q, Side side, NodeId node);
/* Where a witness of the small pair stands in the large one. */
void quotient_lift(const Quotient *q, uint32_t k, ExactWitness *w, Arena *a);
/* "1.2e+12 numbers at 3.4e+05": how much smaller it is. */
const char *quotient_text(const Quotient *q, Arena *a);
void quotient_free(Quotient *q);
#endif
