/* Words of a report on a missing proof: terms with readable indices, and what a difference is called. */
#ifndef TVR_BLAME_WORDS_H
#define TVR_BLAME_WORDS_H
#include "eval/blame/blame.h"

/* "the sum over tp is missing"; NULL if there is nothing to say. */
const char *blame_difference(Proof *proof, const Diff *d, Arena *a);
/* An index: i, j, .. for dimensions, an axis, a letter or a number. */
const char *blame_name(Proof *proof, Name n, Arena *a);
/* The equation of two terms as a lemma, or NULL. */
const char *blame_lemma(Proof *proof, Value want, Value have, Arena *a);
/* "tp and dp" */
const char *blame_axes(const Mesh *m, const uint32_t *axes, uint32_t n, Arena *a);
#endif
