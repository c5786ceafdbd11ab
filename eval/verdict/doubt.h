/* Doubt: assumptions that a proof lists are tried at a few points within the ranges of the inputs.
 *
 * Where one program has a value and the other none (it divides by 0, subtracts infinities, or exceeds its integers), some
 * assumption does not hold there, and what was proved says nothing of such inputs: it is no more than unproved. */
#ifndef TVR_DOUBT_H
#define TVR_DOUBT_H
#include "eval/verdict/check.h"

/* Verified outputs that fail become unproved and are listed (r->failing).  Kinds that the user states (o->stated) are
 * believed, as is all of what is too large to be evaluated, and of programs whose loops were read once.  `e`: the pair. */
void doubt(CheckReport *r, const CheckOptions *o, ExactProblem e);
#endif
