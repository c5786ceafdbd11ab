/* Causes: the operators that a verdict points at, from blame (blame.h), from what has no value, and from what the file of a
 * program says itself. */
#ifndef TVR_VERDICT_CAUSES_H
#define TVR_VERDICT_CAUSES_H
#include "eval/verdict/check.h"

/* Into r->blame, of a report that is refuted or unproved; `whole` is what was evaluated. */
void causes_find(CheckReport *r, const ExactProblem *whole);
#endif
