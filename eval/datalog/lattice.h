/* Merges of which some sets have no effect, and need not be gathered.
 *
 * Where a merge keeps the old value, or is a least or greatest of the two, a set that leaves the row's value as it is does
 * so whatever else the iteration sets: values only move on.  Unless the row goes: tables that something deletes from
 * are left out. */
#ifndef TVR_DATALOG_LATTICE_H
#define TVR_DATALOG_LATTICE_H
#include "eval/datalog/db.h"

/* Classifies the table's merge. */
void lattice_classify(Db *db, Table *t);
/* Tables that the block deletes from. */
void lattice_note_deletions(Db *db, const IrBlock *b);
/* May sets of this table have no effect? */
static inline bool lattice_may_absorb(const Table *t) {
  return !t->may_lose_rows && (t->lattice != IR_NONE || t->keeps_old);
}
/* Would setting this row (inputs, value), whose inputs have that hash, change nothing? */
bool lattice_absorbs(Db *db, const Table *t, const Val *cols, uint32_t hash);
/* Merges two values where the merge is a least or greatest; false where it is not. */
bool lattice_merge(Db *db, const Table *t, Val old, Val new, Val *out);
/* Does setting a row twice do what setting it once does? */
bool lattice_idempotent(const Table *t);
#endif
