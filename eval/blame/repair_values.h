/* Values: changes that put another value in the place of an operand, or of an operator's result.
 *
 * Of the sequential program (repair_values.c): what it computes and no distributed value amounts to, though its operands
 * have counterparts, may be what an operator was to compute (another function, a wrong operand), or what should stand
 * between a value and its use (an operator that was dropped).  Of the distributed program itself (repair_others.c): a
 * factor or a mask that was forgotten, the wrong one of two values, a value that was not sent on. */
#ifndef TVR_REPAIR_VALUES_H
#define TVR_REPAIR_VALUES_H
#include "eval/blame/repair_edits.h"

/* Operators to change together: lists of those that one source line became. */
typedef struct ValueSites {
  const Sites *sites;
  const Proof *proof;
  const bool *region;         /* by node: where to look */
  const NodeId *next, *first; /* by node: of its line and kind, the next one, the first */
  uint64_t end;               /* work at which to stop */
  Arena *a;
} ValueSites;

/* Tries an edit; true: enough was found. */
typedef bool ValueTry(void *context, TrialEdit *e, const NodeId *nodes, uint32_t n);
/* As the sequential program has it; true if enough was found. */
bool values_like(const ValueSites *v, ValueTry *try, void *context);
/* An operand times another value; as sent on; another value in its place. */
bool values_times(const ValueSites *v, ValueTry *try, void *context);
bool values_rotated(const ValueSites *v, ValueTry *try, void *context);
bool values_other(const ValueSites *v, ValueTry *try, void *context);
#endif
