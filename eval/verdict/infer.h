/* Infer: how outputs that no one declared are related.
 *
 * For every sequential output all layouts that fit the shapes are tried (which axes cut which dimension, which are
 * summed over), by comparing normal forms: an output so found is proved already.  Where none closes, the first one
 * that fits is compared, and the answer says that it was guessed. */
#ifndef TVR_INFER_H
#define TVR_INFER_H
#include "eval/prove/prove.h"

typedef enum Inference {
  INFER_DECLARED,
  INFER_FOUND,
  INFER_ONLY,  /* guessed: no other layout fits the shapes, but for sums */
  INFER_GUESS, /* guessed among several */
} Inference;

/* Adds to `relation`, the one of the problem, the outputs of the sequential graph that it does not declare; `how` gets
 * one entry for each of its outputs.  Both live in `a`.  false (reported) if no layout fits some output. */
bool infer_outputs(const Problem *p, Relation *relation, const ProveOptions *o, Arena *a, Inference **how, Span at,
                   Diags *diags);
/* All layouts through which a distributed node may be a sequential one, by their shapes, few sums first; in `a`. */
Layout *infer_fitting(const Problem *p, NodeId seq, NodeId dist, Arena *a, uint32_t *n);
/* A layout through which a distributed value is so many times the sequential one, by their normal forms; it lives in
 * `a`. */
bool infer_layout(Proof *p, NodeId seq, NodeId dist, Arena *a, Layout *out, Rat *factor);
#endif
