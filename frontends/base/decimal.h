/* Decimal literals to the exact value they have in an element type.
 *
 * A float literal is rounded once, to nearest even, into its type, and the result is the rational its bits stand for.
 * The neighbours are found in double arithmetic; only where that lands exactly between two values of the
 * type is the decimal compared exactly.  Integers must be in range. */
#ifndef TVR_FRONTENDS_DECIMAL_H
#define TVR_FRONTENDS_DECIMAL_H
#include "eval/graph/graph.h"

typedef enum DecimalResult { DECIMAL_OK, DECIMAL_MALFORMED, DECIMAL_RANGE } DecimalResult;

/* `s` is the literal alone ("-1.5e-3", "inf", "true"); the byte behind it must be readable and no part of a number. */
DecimalResult decimal_read(const char *s, size_t len, DType type, Rat *out);
/* The value of `type` nearest to a double (finite, infinite or NaN); `exact` is the number the double approximates, or
 * NULL if the double is meant.  DECIMAL_RANGE if it rounds beyond the largest finite value. */
DecimalResult decimal_round(double x, const Rat *exact, DType type, Rat *out);
#endif
