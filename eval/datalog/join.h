/* Execution of a plan: nested loops over cursors, without recursion.
 *
 * Only matches that differ in what the actions use are found, if acting twice is the same as once.  Rows of a chain come
 * from the latest to the oldest, or the other way round where the actions depend on the order. */
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
  bool every;         /* of matches that differ in nothing the actions use, too */
  uint64_t visited;   /* rows looked at */
  uint64_t most;      /* gives up when it has looked at so many and found no match; 0: never */
  uint64_t look_up_at; /* rows visited when limits are looked at again */
  bool matched, gave_up, stop; /* stop: it gave up or there is an error */
  Vec(uint32_t) pending; /* rows of chains in order of age */
  /* Called for every match; false stops. */
  bool (*match)(struct Join *j);
  void *ctx;
} Join;

/* False if a match stopped it, it gave up or an error occurred. */
bool join_run(Join *j);
#endif
