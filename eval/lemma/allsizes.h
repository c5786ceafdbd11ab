/* All sizes: does a lemma hold whatever its sizes and attributes are?
 *
 * Z3 is asked with integers for sizes and indices and functions of them for parameters, without quantifiers: first as
 * it is, then by induction on one size, where a sum or maximum up to n + 1 is the one up to n and its last element.  Of
 * sums and maxima it is told, for the indices at hand: nothing adds up to 0, positive elements to more; equal elements,
 * equal sums; an element is not above the maximum, and some element is it; a sum without its last element, or without
 * its first.  It is asked with little of this first, since the more it is told the more it tries.
 *
 * What is proved is stronger than the lemma: elements beyond a dimension, quotients by 0 and roots of negative numbers
 * are any values.  Only where that does not do, sides without a value are left out, and it is said so.  Source: the
 * reference's encodings with symbolic sizes (quantifier-free, schemas instantiated). */
#ifndef TVR_LEMMA_ALLSIZES_H
#define TVR_LEMMA_ALLSIZES_H
#include "eval/lemma/open.h"
#include "eval/lemma/solver.h"

/* How ("by induction on i", or "" without), in `a`, or NULL: not found.  *assumptions: of OpenAssumption, what it takes
 * for granted. */
const char *allsizes_prove(const Shapes *s, const Library *library, SolverLimits limits, Arena *a,
                           uint32_t *assumptions);
#endif
