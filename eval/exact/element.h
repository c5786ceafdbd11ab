/* element: single elements of an evaluated point, exactly: as rationals where they are, else in balls. */
#ifndef TVR_EXACT_ELEMENT_H
#define TVR_EXACT_ELEMENT_H
#include "eval/exact/exact.h"

typedef struct ExactElements ExactElements;

/* Of a run that outlives it and has values; at most max_work operations on either graph, for `seconds`. */
ExactElements *exact_elements_new(const ExactRun *r, uint32_t precision, uint64_t max_work, double seconds);
void exact_elements_free(ExactElements *e);
/* "7/3 = 2.333..", "[0.25 +/- 1e-30]", "unknown"; NULL when the budget is used up. */
const char *exact_element(ExactElements *e, bool dist, NodeId node, int64_t device, uint64_t element, Arena *a);
#endif
