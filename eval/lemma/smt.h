/* Smt: what a lemma says at one shape, as a question to Z3 about real numbers.
 *
 * Every element of every parameter is an unknown real (or integer, or truth value); sums are written out.  A quotient
 * is a new unknown q with q * d = 1 where d is not 0, a root one with s * s = u where u is not negative.  exp is a new
 * positive unknown for every argument, in the order of these, exp of a sum a product, log the other way round, of a
 * product of positive factors a sum, tanh the quotient that the axiom tanh_logistic names; of functions without an
 * equation it is only known that equal arguments give equal values.  So Z3 knows less than is true: "unsat" is a proof,
 * "sat" is nothing.
 *
 * Two questions for every element of the result: can both sides have values that differ; can one have a value and the
 * other none?  Source: reference encodings of rational-function identities with positive unknowns for exponentials. */
#ifndef TVR_LEMMA_SMT_H
#define TVR_LEMMA_SMT_H
#include "eval/meaning/instance.h"

typedef struct Smt {
  const char *text;     /* SMT-LIB 2 */
  uint32_t n_questions; /* those whose answer is not seen at once */
  const bool *defined;  /* by question: whether both sides have a value or none; else whether they can differ */
  const char *axioms;   /* what it says of functions rests on these, or NULL */
  const char *why;      /* no text: what cannot be asked */
} Smt;

/* left and right: the only nodes that are no parameters, of graphs with the same parameters. */
Smt smt_of(const Graph *left, const Instance *const *in_left, const Graph *right, const Instance *const *in_right,
           Arena *a);
#endif
