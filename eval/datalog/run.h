/* Running: rules, iterations, schedules, checks and top-level actions. */
#ifndef TVR_DATALOG_RUN_H
#define TVR_DATALOG_RUN_H
#include "eval/datalog/db.h"

void rule_free(Rule *r);
#endif
