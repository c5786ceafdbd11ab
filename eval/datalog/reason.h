/* Reasons: why each row and each union is there, always recorded.
 *
 * One array of words holds records in order of time; a reason is the offset of one, 0 is none.
 *     rule, registers ...                            a match that changed something: its registers when it was done
 *     REASON_GIVEN, source, offset, table, row ...   a row of a top-level action; no table: its unions, and rows of
 *                                                    relations without ids
 *     REASON_CALL, match, operation, table, row ...  a row (no table: a union) made inside a primitive or subsumption of
 *                                                    a match, or (operation IR_NONE) inside a merge
 *     REASON_CONGRUENT, table, inputs ...            a union: two rows whose inputs became equal
 *     REASON_MERGED, table, unions, inputs ..., registers ...   a value that a merge computed
 * A record is written when something first changes, and shared by all a match changes.  In a match, a register that got
 * the output of a row holds REASON_MADE as well if the row is one that this operation appended; in a row of its own
 * record the output does if it is a fresh id.  A row rewritten because classes merged keeps its reason: the union-find
 * explains the difference, and claims.h what the row was called when it was made.
 *
 * `times` says, for every iteration that recorded anything, where its matches begin and end and how many unions there
 * were before: their premises held then. */
#ifndef TVR_DATALOG_REASON_H
#define TVR_DATALOG_REASON_H
#include "eval/datalog/db.h"

#define REASON_GIVEN UINT32_MAX
#define REASON_CALL (UINT32_MAX - 1)
#define REASON_CONGRUENT (UINT32_MAX - 2)
#define REASON_MERGED (UINT32_MAX - 3)
#define REASON_MADE 0x80000000u

/* The same for what primitives, merges and top-level actions do: a row (`fresh`: its output is a new id), a union. */
uint32_t reason_row(Db *db, const Table *t, const Val *cols, bool fresh);
uint32_t reason_union(Db *db);
uint32_t reason_congruent(Db *db, const Table *t, const Val *in);
uint32_t reason_merged(Db *db, const Table *t, const Val *in, const Val *regs);
/* The operation has run: its result becomes known to the match's record. */
static inline void reason_result(Db *db, uint32_t reason, Reg dst, Val out, bool made) {
  db->reasons.at[reason + 1 + dst] = out | (made ? REASON_MADE : 0);
}
/* The operations of a match from `first` on have not run. */
void reason_cut(Db *db, uint32_t reason, const IrBlock *b, uint32_t first);
/* What follows has the reason given, until the next match. */
static inline void reason_set(Db *db, uint32_t reason) { db->now.reason = reason; }
/* An iteration begins; its matches are over. */
void reason_begin_epoch(Db *db);
void reason_end_search(Db *db);
/* Number of words of the record at `at`. */
uint32_t reason_length(const Db *db, uint32_t at);
#endif
