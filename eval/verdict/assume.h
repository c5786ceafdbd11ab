/* Assume: everything a verdict rests on besides the definitions, in words. */
#ifndef TVR_ASSUME_H
#define TVR_ASSUME_H
#include "eval/prove/prove.h"

/* Ranges of inputs, readings of literals, side conditions of the calculus, tactics, flat dimensions, opaque operators.
 * `more` may be NULL: a second proof whose outputs count as well.  The list lives in `a`. */
const char **assume_list(const Problem *p, const Proof *proof, const Proof *more, Arena *a, uint32_t *n);

/* What a user may state beforehand: kinds of assumptions, as a set of flags 1 << id. */
typedef enum Stated {
#define STATED(id, name) STATED_##id,
#include "eval/verdict/stated.def"
#undef STATED
  STATED_COUNT
} Stated;
const char *stated_text(Stated s);
/* Those of the lists of these proofs (NULL: none) that are of a kind: none are ranges of inputs, which are always stated,
 * or tactics and unknown functions, which assume nothing. */
const char **assume_kind(const Problem *p, const Proof *const *proofs, uint32_t n_proofs, Stated kind, Arena *a,
                         uint32_t *n);
#endif
