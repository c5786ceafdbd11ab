/* Places: integer tensors whose elements count a dimension.  What is read at them, the indices they are compared with
 * and the dimensions an iota counts are one dimension, and cut alike: the experts that a router chooses among, that a
 * one-hot names and that weights stand along.  A table of places that is a transposition of digits cuts both its own
 * dimension and the one it counts into these.  As all of digits, this proposes and proves nothing. */
#ifndef TVR_PLACES_H
#define TVR_PLACES_H
#include "eval/digits/cuts.h"
#include "eval/meaning/instance.h"

/* base: per node the number of its first dimension; then come its variables. */
void places_link(const Graph *g, const Instance *const *instance, const CutDim *base, Cuts *cuts);
#endif
