/* Masks: what programs add to scores so that their exponentials are 0. */
#ifndef TVR_MASKS_H
#define TVR_MASKS_H
#include "eval/prove/prove.h"

/* A program masks by a number; `differ`: the other by another one: only read as minus infinity they are one value. */
bool masks(const Problem *p, bool *differ);
/* Some number is low enough to be meant as less than all values: large ones are no fair question then. */
bool masks_low(const Problem *p);
/* Where a mask is read as minus infinity: no proof of what may be a mask itself or compares masks, and none where something
 * must be left: of what is masked wholly a number has a value, and infinity none. */
bool masks_stand(const Proof *p);
#endif
