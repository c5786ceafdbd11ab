/* aside: the differences of one point made certain by another process, while this one goes on.
 *
 * Doubles say which outputs differ; balls, which make that certain, take several times as long.  Both processes see the
 * same run, and either would find the same. */
#ifndef TVR_EXACT_ASIDE_H
#define TVR_EXACT_ASIDE_H
#include "eval/exact/certify.h"

typedef struct Aside Aside;

/* Begins with the outputs that are `wanted`, of n, as compared; both are copied.  NULL: there is no other process, or it
 * would not pay. */
Aside *aside_start(ExactRun *r, const bool *wanted, const Comparison *compared, uint32_t n, double deadline, bool refuted);
/* Waits; the witness of every wanted output, in `a`, into outputs.  false: one of them has none. */
bool aside_finish(Aside *x, Arena *a, ExactOutput *outputs);
/* Returns the run. */
ExactRun *aside_free(Aside *x);
#endif
