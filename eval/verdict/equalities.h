/* Equalities: tensors that rules of a model say are equal, as assumptions of a proof.
 *
 * They are used last, and only on outputs that neither a proof closes nor evaluation refutes.  Of two values of one
 * program one replaces the other, if it can the one with an equation; a distributed value that is said to be a sequential
 * one is read as that one, the same on every device.  Tensors of different shapes or types are never equal. */
#ifndef TVR_EQUALITIES_H
#define TVR_EQUALITIES_H
#include "eval/prove/prove.h"

typedef struct Equality {
  Side side[2];
  NodeId node[2];
} Equality;

typedef struct Equalities {
  uint32_t n;
  const Equality *at;
  const char *by; /* who says so: "the rules of model.tvr" */
} Equalities;

/* A proof of `p` under those that fit, or NULL if none does; the problem it is about lives in `a`. */
Proof *equalities_prove(const Problem *p, const Equalities *e, const ProveOptions *o, Arena *a);
/* Those that fit, in words, appended to a list of assumptions. */
const char **equalities_list(const Problem *p, const Equalities *e, const char *const *before, uint32_t *n, Arena *a);
#endif
