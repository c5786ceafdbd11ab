/* Back-off: rules that match too often are held back for some iterations, so that others get their turn
 * (Willsey et al., egg, POPL 2021, section 4.1), as egglog's scheduler does it.
 *
 * A scheduler looks for matches by itself: what a rule has matched outside of it does not count.  All matches that it
 * finds in one iteration act together, or wait together: a rule whose matches wait finds no others.  While they wait
 * they follow unions, and matches that have become one are one; after the ban they are counted again. */
#ifndef TVR_DATALOG_BACKOFF_H
#define TVR_DATALOG_BACKOFF_H
#include "eval/datalog/db.h"

/* A rule under a scheduler. */
typedef struct Held {
  uint64_t iteration; /* of its ruleset under this scheduler */
  uint64_t until;    /* first iteration in which its matches may act */
  uint32_t times;    /* it has been held back */
  uint32_t last;     /* epoch of its latest search; 0: never */
  bool waits;        /* with the matches below */
  Vec(Val) matches;  /* registers of the query, one match after another */
  size_t n;
} Held;

/* Valid until another rule is asked for. */
Held *backoff_rule(IrBackOff *b, RuleId rule);
/* An iteration begins for a rule: may it search or act? */
bool backoff_begin(Held *h);
/* Its matches, as they are now and each once, may act; else they wait. */
bool backoff_lets_through(Db *db, const IrBackOff *b, Held *h, const IrBlock *block);
/* Of those that differ in nothing the actions use one acts: the others are dropped. */
void backoff_distinct(Held *h, const IrBlock *block);
/* An iteration of these rules has changed nothing: their next one is the first in which one of them is free again.
 * False if none is held back. */
bool backoff_skip(IrBackOff *b, const RuleId *rules, size_t n);
#endif
