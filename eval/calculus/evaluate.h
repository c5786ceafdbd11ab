/* Values of the calculus at points: what a normal form says, as a number.
 *
 * An evaluation walks the classes below a value and knows nothing of the laws that made them, so it can be held against
 * them.  Arithmetic is in doubles over the extended reals.  NAN means undefined or undecided: a division by 0, infinity
 * minus infinity, the root of a negative number, a comparison too close to call, a number too large, a limit reached.
 * A product with a factor 0 is 0, whatever the other factors are, as the calculus has it. */
#ifndef TVR_CALCULUS_EVALUATE_H
#define TVR_CALCULUS_EVALUATE_H
#include "eval/calculus/calculus.h"

/* The element of the leaf `name` at these indices, which may be out of its range: the filler, any real number (any
 * integer for an integer leaf).  Equal arguments must give equal results. */
typedef double EvaluateLeaf(void *context, Sym name, const int64_t *at, uint32_t n);

typedef struct Evaluation Evaluation;

/* `leaf` gives the leaves; `budget` bounds how often classes are read, afterwards everything is NAN.  The calculus is
 * borrowed and may grow meanwhile. */
Evaluation *evaluate_new(const Calculus *c, EvaluateLeaf *leaf, void *context, uint64_t budget);
void evaluate_free(Evaluation *e);
/* exp of large negative numbers is 0 from now on, as in doubles; without it, undecided. */
void evaluate_underflow(Evaluation *e);
/* Forgets what was computed: for leaves with other values. */
void evaluate_reset(Evaluation *e, uint64_t budget);
/* Nothing is left of the budget: some value was not found for want of it. */
bool evaluate_spent(const Evaluation *e);

typedef struct NamedIndex {
  Name name;
  int64_t at;
} NamedIndex;
/* v where every name it has is among `names`; NAN if one is missing. */
double evaluate_value(Evaluation *e, Value v, const NamedIndex *names, uint32_t n);
/* The class at these indices of its slots, which may be out of range. */
double evaluate_class(Evaluation *e, ClassId id, const int64_t *at);
/* Opaque operators are taken for s + s^2/4, where s sums what they consume with weights like this one, in -1 .. 1. */
double evaluate_weight(uint64_t seed);
#endif
