/* Functions of balls by their series, without a library: most of what models use.
 *
 * A series is summed with balls, so roundings and the argument's radius need no proof of their own; what it leaves out
 * is bounded by Taylor's theorem.  False where there is none for this argument: Arb has one for every other. */
#ifndef TVR_EXACT_BALL_FN_H
#define TVR_EXACT_BALL_FN_H
#include "eval/exact/ball.h"

bool ball_exp(Ball a, Ball *out);
bool ball_log(Ball a, Ball *out);
bool ball_tanh(Ball a, Ball *out);
bool ball_sin(Ball a, Ball *out);
bool ball_cos(Ball a, Ball *out);
bool ball_power(Ball a, Ball exponent, Ball *out);
#endif
