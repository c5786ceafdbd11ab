/* Repair: a small change of the distributed graph after which outputs that are wrong are right.
 *
 * Changes are tried in doubles at random points (exact/trial.h), those first that undo common mistakes: a sum over a
 * mesh axis that is missing, a collective too many or over other devices, an operator too many, another literal, another
 * comparison, an offset.  A change that spoils a right output is none.  Within a budget of work, so that the search is
 * deterministic and costs little; what it finds is a hint where the mistake is, never a proof. */
#ifndef TVR_REPAIR_H
#define TVR_REPAIR_H
#include "eval/exact/exact.h"
#include "eval/prove/prove.h"

typedef struct Repair {
  uint32_t n;          /* operators of one source line that the change is made at */
  const NodeId *nodes;
  const char *text;    /* "summed over tp" */
  uint32_t n_fixed;    /* wrong outputs that are right then .. */
  const bool *fixed;   /* .. by output */
  bool whole;          /* all that were wrong .. */
  bool every;          /* .. and the others are known to be right */
  uint32_t summed;     /* mesh axes that what the operators make is summed over, as a set */
} Repair;

typedef struct RepairHints {
  const NodeId *place;    /* by distributed node: see place.h */
  /* By distributed node: mesh axes the sum, the maximum over which is a sequential value, as a set. */
  const uint32_t *summed, *maxed;
  const bool *moves;      /* by distributed node: only moves the elements of an operand */
  const bool *settled;    /* by distributed node: computes what is a sequential value */
  const bool *near;       /* by distributed node: a suspect, or next to one: tried first */
  const bool *index;      /* by distributed node: index arithmetic */
  const bool *given;      /* by distributed node: an input, or a copy of one */
  const bool *related;    /* by distributed node: it has a counterpart, or sums up to one */
  const NodeId *lost;     /* sequential nodes that nothing distributed amounts to, though their operands have counterparts */
  uint32_t n_lost;
  uint32_t partial;       /* mesh axes the sum over which makes some output right, as a set */
  Rat factor;             /* what some output is too large by, or 1 */
} RepairHints;

enum {
  REPAIR_MOST = 3,
  REPAIR_LOST = 12,
  REPAIR_LARGEST = 500000000, /* element operations of an evaluation from which on trials would cost too much */
};
/* The changes that together make most outputs right, the one that helps most first; their number.  `first` is the run at
 * the first point, or NULL. */
uint32_t repair_find(const Proof *proof, const ExactProblem *e, ExactRun *first, const RepairHints *hints, Arena *a,
                     Repair out[REPAIR_MOST]);
#endif
