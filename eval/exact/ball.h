/* ball: real numbers enclosed by a middle of about 106 bits, the unevaluated sum of two doubles, and a radius.
 *
 * The radius grows by a bound of every rounding error, so the real value surely lies inside; it is 0 where a number is
 * exact.  Operations and bounds: Joldes, Muller, Popescu, Tight and rigorous error bounds for basic building blocks of
 * double-word arithmetic (TOMS 2017); sums: Ogita, Rump, Oishi, Accurate sum and dot product (SISC 2005).  A NAN in the
 * middle is unknown, an infinite middle has radius 0. */
#ifndef TVR_EXACT_BALL_H
#define TVR_EXACT_BALL_H
#include "eval/exact/num.h"

typedef struct Ball {
  double hi, lo, rad; /* |lo| is at most half a unit in the last place of hi */
} Ball;

#define BALL_WIDTH 3     /* doubles of a ball in an array */
#define BALL_PRECISION 106

Ball ball_add(Ball a, Ball b);
Ball ball_mul(Ball a, Ball b);
/* -1, 0 or 1 as a <, =, > b; 2 if undecided. */
int ball_compare(Ball a, Ball b);
/* The value of an integer type that a ball encloses; unknown unless it is the only one inside. */
Ball ball_integer(Ball a);
Ball ball_from_rat(Rat r);
void ball_to_num(Ball a, Num *out);
Ball ball_from_num(const Num *x);

static inline Ball ball_at(const double *at) { return (Ball){at[0], at[1], at[2]}; }
#endif
