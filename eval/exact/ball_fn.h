/* ball_fn: functions of balls that need no library.
 *
 * Loading FLINT takes as long as a small proof, and an exponential of its own arithmetic twenty times what it takes
 * here.  Arguments that are out of the ordinary are left to it. */
#ifndef TVR_EXACT_BALL_FN_H
#define TVR_EXACT_BALL_FN_H
#include "eval/exact/ball.h"
#include "eval/meaning/fn.h"

/* False where another way is needed. */
typedef bool BallFn(const Ball *args, Ball *out);
/* NULL: there is none. */
BallFn *ball_fn(FnId fn);
/* x ^ r */
bool ball_power(Ball x, Rat r, Ball *out);
#endif
