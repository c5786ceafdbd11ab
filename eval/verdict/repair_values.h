/* Values: changes that put another value in the place of an operand, or of an operator's result.
 *
 * What the sequential program computes and no distributed value amounts to, though its operands have counterparts, may
 * be what an operator was to compute (another function, a wrong operand), or what should stand between a value and its
 * use (an operator that was dropped). */
#ifndef TVR_REPAIR_VALUES_H
#define TVR_REPAIR_VALUES_H
#include "eval/verdict/repair_edits.h"

/* Operators to change together: lists of those that one source line became. */
typedef struct ValueSites {
  const Sites *sites;
  const Proof *proof;
  const bool *region;         /* by node: where to look */
  const NodeId *next, *first; /* by node: of its line and kind, the next one, the first */
  Arena *a;
} ValueSites;

/* Tries an edit; true: enough was found. */
typedef bool ValueTry(void *context, TrialEdit *e, const NodeId *nodes, uint32_t n);
/* As the sequential program has it; true if enough was found. */
bool values_like(const ValueSites *v, ValueTry *try, void *context);
#endif
