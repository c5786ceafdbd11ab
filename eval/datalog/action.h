/* Actions: operations of a block, what they gather, and the merge at the end of an epoch.
 *
 * Missing constructor and relation rows are appended at once, unions enter the union-find at once; neither is seen by
 * the matching still under way, which looks at rows of earlier epochs only.  Sets, deletions and subsumptions wait in
 * their tables for action_merge: deletions first, then sets, then subsumptions. */
#ifndef TVR_DATALOG_ACTION_H
#define TVR_DATALOG_ACTION_H
#include "eval/datalog/db.h"

/* Runs the operations; regs has room for n_regs + widest + 1 words.  False after an error. */
bool action_run(Db *db, const IrBlock *block, Val *regs);
/* Matches wait in a batch until there are some.  Each operation is then run for all of them before the next: the table
 * slots it looks at are far apart in memory and are asked for together, before the first is needed. */
enum { ACTION_BATCH = 32 };
typedef struct ActionBatch {
  Val *regs;      /* ACTION_BATCH times `stride` words, each as for action_run */
  uint32_t stride, n;
  uint32_t reason[ACTION_BATCH], hash[ACTION_BATCH];
} ActionBatch;
/* An empty batch for a block with these constants; release its `regs` with free. */
ActionBatch action_batch(const IrBlock *block, const Val *regs);
bool action_run_batch(Db *db, const IrBlock *block, ActionBatch *batch);
/* Output of the row, found or created (with output `as` unless VAL_NONE); 0 for relations. */
Val action_make(Db *db, Table *t, const Val *in, Val as);
void action_set(Db *db, Table *t, const Val *cols);
void action_delete(Db *db, Table *t, const Val *in);
void action_union(Db *db, SortId sort, Val a, Val b);
/* Stores a row, combining it with one of equal inputs. */
bool action_put(Db *db, Table *t, const Val *cols, uint32_t meta);
/* Applies what was gathered. */
bool action_merge(Db *db);
/* Forgets it, after an error. */
void action_drop(Db *db);
static inline uint32_t action_n_registers(const IrBlock *b) { return b->n_regs + b->widest + 2; }
/* Registers of a block with its constants and globals in place; release with free. */
Val *action_registers(Db *db, const IrBlock *block);
#endif
