/* ball: real numbers enclosed by a middle of about 106 bits, the unevaluated sum of two doubles, and a radius.
 *
 * The radius grows by a bound of every rounding error, so the real value surely lies inside; it is 0 where a number is
 * exact.  Operations and bounds: Joldes, Muller, Popescu, Tight and rigorous error bounds for basic building blocks of
 * double-word arithmetic (TOMS 2017); sums: Ogita, Rump, Oishi, Accurate sum and dot product (SISC 2005).  A NAN in the
 * middle is unknown, an infinite middle has radius 0. */
#ifndef TVR_EXACT_BALL_H
#define TVR_EXACT_BALL_H
#include <math.h>

#include "eval/exact/num.h"
#include "eval/exact/word.h"

typedef struct Ball {
  double hi, lo, rad; /* |lo| is at most half a unit in the last place of hi */
} Ball;

#define BALL_WIDTH 3     /* doubles of a ball in an array */
#define BALL_PRECISION 106

#define TINY 0x1p-1000      /* more than an underflow loses */
#define SLACK (1 + 0x1p-48) /* covers the roundings of a radius' own few operations */

static inline Ball ball_unknown(void) { return (Ball){NAN, 0, 0}; }
static inline Ball ball_exactly(double x) { return (Ball){x, 0, 0}; }

/* A middle hi + lo with a radius before slack; an overflow is no value. */
static inline Ball ball_made(double hi, double lo, double rad) {
  if (!(fabs(hi + lo) + rad < INFINITY)) return ball_unknown();
  Word w = word_of(hi, lo);
  return (Ball){w.hi, w.lo, rad * SLACK};
}

Ball ball_add(Ball a, Ball b);
Ball ball_mul(Ball a, Ball b);
Ball ball_inverse(Ball a);
/* -1, 0 or 1 as a <, =, > b; 2 if undecided. */
int ball_compare(Ball a, Ball b);
/* The value of an integer type that a ball encloses; unknown unless it is the only one inside. */
Ball ball_integer(Ball a);
Ball ball_from_rat(Rat r);
void ball_to_num(Ball a, Num *out);
/* A whole number, or 19 digits and a bound of what they leave out: "[0.125 +/- 7.24e-20]".  NULL: as num_print does. */
const char *ball_print(Ball a, Arena *arena);

static inline Ball ball_at(const double *at) { return (Ball){at[0], at[1], at[2]}; }
#endif
