/* Execution of a plan: nested loops over cursors, without recursion. */
#ifndef TVR_DATALOG_JOIN_H
#define TVR_DATALOG_JOIN_H
#include "eval/datalog/plan.h"

typedef struct Join {
  Db *db;
  const IrBlock *block;
  Plan *plan;
  Val *regs;          /* n_regs + widest + 2 words, constants in place */
  uint32_t since;     /* epoch from which rows are new */
  uint32_t until;     /* rows of this epoch and later are not seen */
  bool see_subsumed;
  uint64_t visited;   /* rows looked at */
  /* Called for every match; false stops. */
  bool (*match)(struct Join *j);
  void *ctx;
} Join;

/* False if a match stopped it or an error occurred. */
bool join_run(Join *j);
#endif
