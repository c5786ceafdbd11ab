/* Write: an equation between two values as a lemma of the language, for a user to paste.
 *
 * Inputs, results of unknown functions and terms that both sides share become parameters; indices keep their names.  It
 * is a suggestion: nothing depends on it. */
#ifndef TVR_CALCULUS_WRITE_H
#define TVR_CALCULUS_WRITE_H
#include "eval/calculus/calculus.h"

/* "lemma NAME(x0[i, a], ..): LEFT == RIGHT", in `a`; NULL if that cannot be written in a few lines. */
char *calc_write_lemma(Calculus *c, const char *name, Value left, Value right, Arena *a, NameText *name_text,
                       void *context);
#endif
