/* Blocks: a pair that is too large to be evaluated, at inputs that are constant in blocks (quotient.h). */
#ifndef TVR_VERDICT_BLOCKS_H
#define TVR_VERDICT_BLOCKS_H
#include "eval/verdict/check.h"

/* Outputs that are unproved and certainly differ there are refuted. */
void blocks_evaluate(CheckReport *r, const ExactProblem *whole);
#endif
