/* Assume: everything a verdict rests on besides the definitions, in words. */
#ifndef TVR_ASSUME_H
#define TVR_ASSUME_H
#include "eval/prove/prove.h"

/* Ranges of inputs, readings of literals, side conditions of the calculus, tactics, flat dimensions, opaque operators.
 * `more` may be NULL: a second proof whose outputs count as well.  The list lives in `a`. */
const char **assume_list(const Problem *p, const Proof *proof, const Proof *more, Arena *a, uint32_t *n);
#endif
