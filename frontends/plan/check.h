/* Whether the tables of a plan are in order: what later passes may rely on. */
#ifndef TVR_PLAN_CHECK_H
#define TVR_PLAN_CHECK_H
#include "frontends/plan/make.h"

/* Indices are in range, operators and their mirrors agree, segments hold operators and adapters, each once, a step gives
 * as many tensors of the same shapes as its node has, devices are those of the plan.  false after reports. */
bool plan_check(const Plan *p);
#endif
