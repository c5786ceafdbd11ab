/* SizeTerm: expressions of sizes as questions to Z3, in integers only.
 *
 * A number is a quotient of two integer terms over s0, s1, ..; the lower one is positive by its form (sizes are), so
 * comparisons multiply by it and floors are integer divisions. */
#ifndef TVR_FAMILY_SIZETERM_H
#define TVR_FAMILY_SIZETERM_H
#include "eval/family/sizepoly.h"

typedef struct SizeTerm {
  const char *num, *den; /* num NULL: it cannot be written; den NULL: 1 */
} SizeTerm;

SizeTerm sizeterm_of(const Sizes *s, const AstExpr *e, Arena *a);
SizeTerm sizeterm_of_poly(const SizePoly *p, uint32_t n_sizes, Arena *a);
/* A condition; NULL: it cannot be written. */
const char *sizeterm_truth(const Sizes *s, const AstExpr *e, Arena *a);
/* "the one is less" */
const char *sizeterm_less(SizeTerm x, SizeTerm y, Arena *a);
/* "the two differ, or one has no value", "x is no integer", "x is negative" */
const char *sizeterm_differ(SizeTerm x, SizeTerm y, Arena *a);
const char *sizeterm_broken(SizeTerm x, Arena *a);
const char *sizeterm_negative(SizeTerm x, Arena *a);
#endif
