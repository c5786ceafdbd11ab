/* Waypoints: intermediate values proved equal on the way to the outputs.
 *
 * A tactic that closes a value may not close what is computed from it: a sequence that is passed around a ring, or a
 * dimension that is cut in two ways, is soon proved by itself, but not below two layers and their gradients.  So where
 * outputs stay open although evaluation agrees, the first distributed values without a counterpart that agree with some
 * sequential value, through some layout, are proved by themselves: as claims about graphs that begin at the nearest
 * values that do have a counterpart.  From then on they are read as those sequential values, and the whole is built again.
 * Evaluation only proposes; the proof decides. */
#ifndef TVR_WAYPOINT_H
#define TVR_WAYPOINT_H
#include "eval/exact/exact.h"
#include "eval/prove/prove.h"

/* A proof of claims about a problem cut so: of graphs that begin at `inputs`, or of the whole, read from `ways` on. */
typedef struct Stage {
  Proof *proof; /* its problem may have more outputs than the claims */
  Cut cut;
} Stage;

/* Stages rest on earlier ones alone; their claims have numbers. */
typedef struct Stages {
  Vec(Stage) at;
  uint32_t n_claims;
} Stages;

/* Looks for waypoints and proves the rest again: `whole` is the problem, *proof an attempt at it, or NULL, which is replaced
 * where that proves more.  `e` is what is evaluated: the same graphs, or smaller ones, node by node (smaller.h).
 * Layouts whose last blocks are padded count, too, once others lead nowhere.  `kept` gets the stages (NULL: nobody asks for
 * them) and must outlive the proof, like `a`. */
void waypoint_search(Proof **proof, const Problem *whole, const ProveOptions *o, const ExactProblem *e, Stages *kept,
                     Arena *a);
void stages_free(Stages *s);
#endif
