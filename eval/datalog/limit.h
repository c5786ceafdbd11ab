/* Limits: rows, matches, seconds and bytes, looked at inside a rule and not only between iterations.  Reaching one is
 * an error; what has been derived until then stays readable.  The same glances show progress to who watches. */
#ifndef TVR_DATALOG_LIMIT_H
#define TVR_DATALOG_LIMIT_H
#include "eval/datalog/db.h"

/* Is all well?  Cheap enough for every few hundred rows. */
bool limit_check(Db *db);
/* The same exactly, for the end of an iteration. */
bool limit_look(Db *db);
/* Is one more iteration allowed? */
bool limit_iteration(Db *db);
#endif
