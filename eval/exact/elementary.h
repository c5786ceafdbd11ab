/* elementary: exp, log, tanh, sin and cos of balls, in double-words.
 *
 * As rigorous as Arb, which is asked where these give up: arguments too large for the reduction, radii that are not
 * small, infinities.  Reduction by Cody and Waite, Taylor's polynomial with Lagrange's remainder; the bounds are in the
 * source, and tests/unit/test_ball.c checks them against Arb.  They are here because evaluation takes them by the ten
 * thousands: Arb's take ten times as long, and loading it as long as a small graph's whole evaluation. */
#ifndef TVR_EXACT_ELEMENTARY_H
#define TVR_EXACT_ELEMENTARY_H
#include <stdbool.h>

#include "eval/exact/ball.h"

/* *out = f(*a); false: not decided here. */
bool ball_exp(const Ball *a, Ball *out);
bool ball_log(const Ball *a, Ball *out);
bool ball_tanh(const Ball *a, Ball *out);
bool ball_sin(const Ball *a, Ball *out);
bool ball_cos(const Ball *a, Ball *out);
/* a[0]^a[1]: by products for small whole a[1] >= 0, as e^(a[1] log a[0]) otherwise. */
bool ball_power(const Ball *a, Ball *out);
#endif
