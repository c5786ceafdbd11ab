/* aside: the differences of one point made certain by another process, while this one goes on.
 *
 * Doubles say which outputs differ; balls, which make that certain, take several times as long.  Both processes see the
 * same inputs, and either would find the same.  The other one may begin before doubles are there (aside_early): it
 * evaluates what may be asked for, and hears later what differs. */
#ifndef TVR_EXACT_ASIDE_H
#define TVR_EXACT_ASIDE_H
#include "eval/exact/certify.h"

typedef struct Aside Aside;

/* Begins, for a run that is not evaluated, with the outputs that are `open`, of n.  NULL: there is no other process, or it
 * would not pay: the graphs are small, large, or rational. */
Aside *aside_early(ExactRun *r, const bool *open, uint32_t n, double deadline);
/* Begins, for a run that is evaluated, with the outputs that are `wanted`, as compared; or asks one that has begun early.
 * NULL: there is no other process; an early one is ended. */
Aside *aside_start(Aside *early, ExactRun *r, const bool *wanted, const Comparison *compared, uint32_t n, double deadline,
                   bool refuted);
/* Waits; the witness of every wanted output, in `a`, into outputs.  false: one of them has none. */
bool aside_finish(Aside *x, Arena *a, ExactOutput *outputs);
/* Returns the run. */
ExactRun *aside_free(Aside *x);
#endif
