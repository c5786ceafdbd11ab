/* certify: is a difference seen in doubles a real one? */
#ifndef TVR_EXACT_CERTIFY_H
#define TVR_EXACT_CERTIFY_H
#include "eval/exact/compare.h"

typedef struct Certifier Certifier;

typedef enum Certified {
  CERTIFIED_DIFFERENT,
  CERTIFIED_EQUAL,   /* as exact rationals, or up to rounding noise of doubles */
  CERTIFIED_UNKNOWN, /* `why` */
} Certified;

/* Evaluates elements of `r`, which outlives it, until `deadline` (clock_spent): of outputs that are `wanted`, by output
 * of the relation; NULL: all. */
Certifier *certifier_new(const ExactRun *r, const bool *wanted, double deadline);
void certifier_free(Certifier *c);
/* Decides about one element of output `o`; a witness in `a`, always the same, if different. */
Certified certify(Certifier *c, const Related *o, const Comparison *in, const OutputElement *p, Arena *a,
                  ExactWitness *witness, const char **why);
#endif
