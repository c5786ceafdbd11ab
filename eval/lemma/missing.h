/* The lemma that an unproved output seems to lack: two terms, their parts read as tensors of any values.  Where these are
 * what matters, as the places that a sort gives, it is no lemma, and small shapes tell at once. */
#ifndef TVR_MISSING_H
#define TVR_MISSING_H
#include "eval/verdict/check.h"

/* Tries to break the lemma of each output (of several, the first ones); one whose sides have different values is marked.
 * Where a side has none, a condition may be all that it lacks.  `a` must live as long as the library. */
void missing_try(CheckReport *r, Library *library, Arena *a, Diags *diags);
#endif
