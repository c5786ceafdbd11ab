/* Why a rule does not match: its query is matched against the tables as they are, fact by fact, each joined to those
 * before it, and how many partial matches got past each is counted.  The first that none gets past is to blame. */
#ifndef TVR_DATALOG_WHY_NOT_H
#define TVR_DATALOG_WHY_NOT_H
#include "eval/datalog/db.h"

typedef struct WhyNotStep {
  uint32_t atom;
  uint64_t passed;   /* partial matches that it let through */
  uint64_t subsumed; /* rows that fitted but are hidden from rules */
} WhyNotStep;

typedef struct WhyNot {
  const IrBlock *block;
  uint32_t n;
  WhyNotStep *steps;
  uint32_t failing; /* step that nothing passes, n if the query matches */
  Val *regs;        /* a partial match that reaches it; */
  bool *bound;      /* which of its registers have a value */
  bool cut;         /* the budget ended before all partial matches were counted */
} WhyNot;

/* Looks at no more than `budget` rows.  Release with why_not_free. */
WhyNot *why_not(Db *db, const IrBlock *query, uint64_t budget);
void why_not_free(WhyNot *w);
#endif
