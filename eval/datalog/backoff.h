/* Back-off: rules that match too often are held back for some iterations, so that others get their turn
 * (Willsey et al., egg, POPL 2021, section 4.1). */
#ifndef TVR_DATALOG_BACKOFF_H
#define TVR_DATALOG_BACKOFF_H
#include "eval/datalog/db.h"

/* An iteration of this scheduler begins. */
void backoff_begin(IrBackOff *b);
/* Is the rule held back now? */
bool backoff_holds(const IrBackOff *b, RuleId rule);
/* How many matches the rule may have without being held back. */
uint64_t backoff_limit(const IrBackOff *b, RuleId rule);
void backoff_ban(IrBackOff *b, RuleId rule);
/* Nothing has changed: the next iteration is the first in which a rule is free again.  False if none is held back. */
bool backoff_skip(IrBackOff *b);
#endif
