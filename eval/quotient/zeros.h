/* Zeros: which inputs are 0, so that more of a pair has a small one. */
#ifndef TVR_QUOTIENT_ZEROS_H
#define TVR_QUOTIENT_ZEROS_H
#include "eval/quotient/keeping.h"

/* Chooses them, into p->zeroed: settle again. */
void zeros_choose(Keeping *p);
#endif
