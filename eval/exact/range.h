/* range: which values suit an integer input that the relation says nothing about. */
#ifndef TVR_EXACT_RANGE_H
#define TVR_EXACT_RANGE_H
#include "eval/exact/exact.h"

/* Values lo .. hi for sequential parameter `number`, from how it is used: as an index of a gather or slice, or compared
 * with an iota.  0 .. 7 when nothing says.  *why is a static text, or NULL. */
void range_of_input(const ExactProblem *p, int64_t number, int64_t *lo, int64_t *hi, const char **why);
#endif
