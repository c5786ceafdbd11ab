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
 * of the relation; NULL: all.  `refuted`: some output is known to differ, so others are worth less. */
Certifier *certifier_new(const ExactRun *r, const bool *wanted, double deadline, bool refuted);
void certifier_free(Certifier *c);
/* Evaluates both graphs in balls now, rather than when one is asked for.  This alone serves runs that are not evaluated. */
void certifier_fill(Certifier *c);
/* Elements of the output come first, one by one: it is a rational function of the inputs in both graphs, or these are
 * large. */
bool certify_one_by_one(const ExactRun *r, const Related *o);
/* Two values that differ. */
typedef struct Difference {
  uint32_t kept;         /* number of the element among those of the comparison; n_kept: `lacking` */
  uint32_t precision;    /* of the balls; 0: exact rationals */
  const char *seq, *dist; /* as texts */
  bool literal;           /* the NaN is one that the program has as a literal */
} Difference;
/* Decides about the largest differences of output `o`, until one is certain: *out, always the same, with texts in `a`. */
Certified certify(Certifier *c, const Related *o, const Comparison *in, Arena *a, Difference *out, const char **why);
/* Whether the sequential program has a number for in->lacking, and the other one none in floating point either: a NaN. */
bool certify_nan(Certifier *c, const Related *o, const Comparison *in, Arena *a, Difference *out);
/* The witness that a difference is, in `a`. */
ExactWitness certify_witness(Certifier *c, const Related *o, const Comparison *in, const Difference *d, Arena *a);
#endif
