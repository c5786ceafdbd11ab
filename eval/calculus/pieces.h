/* Pieces: values that are defined by cases on an argument (abs, maximum, comparisons, choices) are equal if they are
 * equal wherever the argument lies: below, at and between the numbers at which a case changes.
 *
 * The argument is any term that is not an index; it is known by its reference, and every case by the linear form
 * k * argument + c that changes sign there.  On a piece those signs are known; at a point the argument is a number. */
#ifndef TVR_PIECES_H
#define TVR_PIECES_H
#include "eval/calculus/calculus.h"

/* Equal on every piece of at most `depth` arguments, one after the other; `*budget` parts of terms looked at. */
bool calc_equal_on_pieces(Calculus *c, Value a, Value b, uint32_t depth, uint32_t *budget);
#endif
