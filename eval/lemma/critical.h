/* Values at which what a lemma says of elements may change: the numbers that it names, of either sign, what lies between
 * two of them, before the first and beyond the last, and far beyond, where an exponential or a square has them. */
#ifndef TVR_LEMMA_CRITICAL_H
#define TVR_LEMMA_CRITICAL_H
#include "lang/ast.h"

enum { MOST_NAMED = 9, MOST_CRITICAL = 8 * MOST_NAMED };

typedef struct Critical {
  uint32_t n;
  double at[MOST_CRITICAL]; /* ascending; none twice */
} Critical;

/* Of a lemma that names many numbers the first ones count. */
Critical critical_values(const AstLemma *l);
/* Elements of the parameter that are x meet what the condition says of the parameter alone, as far as that compares with
 * numbers. */
bool critical_allows(const AstLemma *l, Sym param, double x);
#endif
