/* Plausible: whether two terms may be equal, by their values at a few points.
 *
 * Where two terms differ is looked for from the outside in, and what is found inside of erf(-x) and -erf(x) is -x and x:
 * these are not what has to be proved equal.  Every input is a small whole number at these points, since it may be one of
 * integers; a term without a value there says nothing. */
#ifndef TVR_PLAUSIBLE_H
#define TVR_PLAUSIBLE_H
#include "eval/calculus/calculus.h"

/* false: they have different values at one of the points.  A guess for reports: nothing rests on it. */
bool plausible_equal(const Calculus *c, Value x, Value y);
#endif
