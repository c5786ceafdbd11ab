/* Reasons: why each row and each union is there, always recorded.
 *
 * A reason is an index into one array of words:
 *     rule, values of the registers of its query      a match of a rule
 *     REASON_GIVEN, source, offset                    a top-level action
 *     REASON_CONGRUENT, table, row, row               two rows whose inputs became equal
 * It is written when a match first changes something, and shared by all it changes; 0 is no reason.  A row rewritten
 * because classes merged keeps its reason: the union-find explains the difference. */
#ifndef TVR_DATALOG_REASON_H
#define TVR_DATALOG_REASON_H
#include "eval/datalog/db.h"

#define REASON_GIVEN UINT32_MAX
#define REASON_CONGRUENT (UINT32_MAX - 1)

/* Reason of what is being done now, recorded when first asked for. */
uint32_t reason_now(Db *db);
uint32_t reason_congruent(Db *db, const Table *t, const Val *a, const Val *b);
/* No match is under way any more: what follows has the reason given, until the next match. */
static inline void reason_set(Db *db, uint32_t reason) { db->now.reason = reason; }
#endif
