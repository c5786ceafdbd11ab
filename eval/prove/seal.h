/* Seal: values that both programs have, taken as unknowns.
 *
 * What is proved whatever function stands around a value is proved of the value itself, the function being the identity.
 * So any values may be sealed; of use are those that both programs have and from which they go on in different ways (the
 * rotated keys before a ring passes them on): what made them then no longer gets in the way. */
#ifndef TVR_SEAL_H
#define TVR_SEAL_H
#include "eval/prove/prove.h"

/* By node of each side: to be sealed; allocated in `a`.  false: none. */
bool seal_choose(const Proof *p, Arena *a, const bool *sealed[SIDE_COUNT]);
#endif
