/* copies: nodes that compute what an earlier one does.
 *
 * Every layer of a model makes its positions and masks again, and every microbatch of a pipeline does the same work; at
 * inputs that are equal, all but the first of these are copies. */
#ifndef TVR_EXACT_COPIES_H
#define TVR_EXACT_COPIES_H
#include "eval/exact/exact.h"

/* By node: the first constant of its value, or node of its equation, types and operands; where there is none, itself. */
NodeId *copies_find(const ExactSide *s, Arena *a);
#endif
