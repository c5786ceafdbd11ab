/* Limits: rows, matches, seconds and bytes, looked at inside a rule and not only between iterations.  Reaching one is
 * an error whose text names the rules that grew most; what has been derived until then stays readable. */
#ifndef TVR_DATALOG_LIMIT_H
#define TVR_DATALOG_LIMIT_H
#include "eval/datalog/db.h"

/* Is all well?  Cheap enough for every few hundred rows. */
bool limit_check(Db *db);
double limit_now(void);
#endif
