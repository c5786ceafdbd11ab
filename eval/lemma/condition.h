/* Condition: which side condition a false lemma lacks.
 *
 * Candidates are what lemmas usually lack: `size(i) > 0`, denominators that are not 0, logarithms of positive numbers
 * and roots of numbers that are not negative, the sign of a scalar, the order of two.  The first one with which the
 * lemma can no longer be broken, though it still says something, is proposed. */
#ifndef TVR_LEMMA_CONDITION_H
#define TVR_LEMMA_CONDITION_H
#include "eval/lemma/breaker.h"

/* "size(i) > 0", or NULL. */
const char *condition_missing(const AstItem *lemma, Library *library, uint32_t *number, Arena *a, Diags *diags);
#endif
