/* Mean: values that differ within a block, and whose mean over it is known.
 *
 * A row of a softmax is taken apart by a mask, but its sum is 1.  What is linear in such values has a known mean, too, and
 * where their positions are added up, a known value: so gradients flow through attention whose scores are all equal.  A
 * node has a *mean along* some dimensions if the mean over the blocks of these is the same at all other positions of a
 * block; the small tensor holds it. */
#ifndef TVR_QUOTIENT_MEAN_H
#define TVR_QUOTIENT_MEAN_H
#include "eval/quotient/shrink.h"

/* Dimensions (bits) along which the mean of a node alone is known, of its equation that shrinks; false: it is not. */
bool mean_of_node(const Shrinking *s, uint64_t *dims);
/* The dimension along which the elements of a node add up to 1, as its equation and those of its operands say; rank: none
 * is known. */
uint32_t mean_of_softmax(const Shrinking *s);
#endif
