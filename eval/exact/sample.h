/* sample: random inputs of both graphs that obey the relation, reproducible from a seed.
 *
 * Every tensor is a formula of its positions (draw.h).  Integers lie in their assumed range, or in one that suits their
 * use.  Blocks of the distributed graph are cut from the sequential tensor; addends of a partial input are random with
 * the right sum; padding holds arbitrary numbers. */
#ifndef TVR_EXACT_SAMPLE_H
#define TVR_EXACT_SAMPLE_H
#include "eval/exact/field.h"

typedef Vec(const char *) Notes;

/* Fields of all parameters, by number, into *seq and *dist, all in `a`.  Parameters without an entry in the relation
 * get values of their own (sequential) or are unknown (distributed).  Notes (may be NULL): which choices were made. */
void sample_inputs(const ExactProblem *p, uint64_t seed, Arena *a, Field **seq, Field **dist, Notes *notes);
/* The formula of a sequential parameter, of its row-major position "p". */
const char *sample_formula(const ExactProblem *p, uint64_t seed, const Node *parameter, Arena *a);
#endif
