/* Edits: the changes that would undo a common mistake at an operator, by stage: the surest and cheapest first. */
#ifndef TVR_REPAIR_EDITS_H
#define TVR_REPAIR_EDITS_H
#include "eval/blame/repair.h"
#include "eval/exact/trial.h"

typedef enum Stage {
  STAGE_SUM,        /* a sum over mesh axes that gives a sequential value */
  STAGE_PARTIAL,    /* a sum that an output lacks, anywhere */
  STAGE_COLLECTIVE, /* a collective too many, over other devices, a mean; what every device adds */
  STAGE_LITERAL,
  STAGE_ORDER,      /* comparisons, slices, signs, orders of operands and of dimensions */
  STAGE_DROP,       /* an operator too many */
  STAGE_OFFSET,
  STAGE_LIKE,       /* as the sequential program has it */
  STAGE_TIMES,      /* times another value */
  STAGE_ROTATE,     /* sent on */
  STAGE_OTHER,      /* another value */
  STAGE_ANY,        /* a sum or a factor anywhere */
  STAGE_COUNT
} Stage;

enum { MAX_EDITS = 24 }; /* of one node at one stage */

typedef struct Edits {
  uint32_t n;
  TrialEdit at[MAX_EDITS];
} Edits;

/* What is known of the distributed graph. */
typedef struct Sites {
  const Graph *g, *seq;
  const Relation *relation;
  const RepairHints *hints;
  Trial *trial;
  double *number;   /* by node: the one number it is, made of literals alone, or NAN */
  uint32_t *varies; /* by node: axes along which it differs; UINT32_MAX: not asked yet */
  bool *own;        /* by node: an operator of the same source line uses it */
  bool *summing;    /* by node: every use is a collective, directly or not */
} Sites;

/* The graph as `trial` evaluated it. */
void sites_make(Sites *s, const Proof *proof, const RepairHints *hints, Trial *trial, Arena *a);
void edits_of(const Sites *s, Stage stage, NodeId id, Edits *x);
/* "summed over tp" */
const char *edit_text(const Sites *s, const TrialEdit *e, NodeId id, Arena *a);
enum { EDIT_PLAIN = 5 };
/* How well the change explains a mistake where several would do; larger is better, EDIT_PLAIN is nothing special. */
int edit_weight(const Sites *s, const TrialEdit *e, NodeId id);
/* TRIAL_LITERAL: the number that stands there. */
double edit_literal(const Sites *s, const TrialEdit *e, NodeId id);
#endif
