/* ball_fn: functions of balls that need no library. */
#ifndef TVR_EXACT_BALL_FN_H
#define TVR_EXACT_BALL_FN_H
#include "eval/exact/ball.h"

/* False where there is no short way: the argument is large, tiny or wide. */
bool ball_exp(Ball x, Ball *out);
bool ball_log(Ball x, Ball *out);
bool ball_tanh(Ball x, Ball *out);
#endif
