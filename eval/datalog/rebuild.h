/* Rebuilding: after unions, every stored id is replaced by its representative, rows that become equal are combined, and
 * so on until nothing moves.  Work is proportional to the rows that hold a merged id (through column indexes), or a
 * scan of the table where so many ids merged that a scan is cheaper. */
#ifndef TVR_DATALOG_REBUILD_H
#define TVR_DATALOG_REBUILD_H
#include "eval/datalog/db.h"

/* Completes even after an error, its own included: false then. */
bool rebuild(Db *db);
/* Squeezes out dead rows where they are the majority, of all or of those since the latest push. */
void rebuild_compact(Db *db);
#endif
