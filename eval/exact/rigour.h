/* rigour: single elements of a graph evaluated exactly, or in balls, on demand.
 *
 * Only what an element depends on is evaluated, once per node, class of devices and element.  Lazy where definitions
 * are: the other branch of a choice, and what a false guard multiplies, is not looked at.  An element that a
 * comparison, or the maximum of several, passes on is the same object, so "is this the maximum?" is decided even where
 * its value is only known up to a ball. */
#ifndef TVR_EXACT_RIGOUR_H
#define TVR_EXACT_RIGOUR_H
#include "eval/exact/field.h"
#include "eval/exact/num.h"

typedef struct Rigour Rigour;

/* `side` has been evaluated and outlives the result.  At most max_work operations, until `deadline` (clock_spent). */
Rigour *rigour_new(const GraphRun *side, long precision, uint64_t max_work, double deadline);
void rigour_free(Rigour *r);
/* Value of an element on a device, living as long as r; NULL when the budget is used up. */
const Num *rigour_value(Rigour *r, NodeId node, int64_t device, uint64_t element);
#endif
