/* Waypoints: intermediate values proved equal on the way to the outputs.
 *
 * A tactic that closes a value may not close what is computed from it (ring attention by itself, but not inside a block):
 * written out and expanded, the rest explodes.  So where outputs stay open although evaluation agrees, the earliest
 * distributed value without a counterpart that agrees with some sequential value, through some layout, is proved by
 * itself; from then on it is read as that sequential value.  Evaluation only proposes; the proof decides. */
#ifndef TVR_WAYPOINT_H
#define TVR_WAYPOINT_H
#include "eval/exact/exact.h"
#include "eval/prove/prove.h"

/* Looks for waypoints and proves the rest again; replaces *proof where that proves more.  The inputs of evaluation are those
 * of `e`; `a` must outlive the proof. */
void waypoint_search(Proof **proof, const ProveOptions *o, const ExactProblem *e, Arena *a);
#endif
