/* Keeping: which digits of a pair are kept, and which nodes have a small tensor then. */
#ifndef TVR_QUOTIENT_KEEPING_H
#define TVR_QUOTIENT_KEEPING_H
#include "eval/quotient/quotient.h"
#include "eval/quotient/mean.h"
#include "eval/quotient/shrink.h"

typedef enum NodeState { NODE_SMALL, NODE_VAGUE, NODE_ZERO, NODE_ROWS } NodeState; /* NODE_ROWS: which add up to 1 */

typedef struct Keeping {
  Arena arena;
  const Problem *problem;
  const bool *open; /* by output */
  QuotientOptions options;
  double deadline;
  Digits *digits;
  uint32_t n_sorts;
  bool *mesh, *whole, *blurred, *lean; /* by sort of digits: of an axis; kept whole; never whole; dropped */
  int64_t *size; /* by sort */
  Vec(uint32_t) needs;                 /* sorts that the node at hand needs whole */
  bool *zeroed;                        /* by sequential parameter */
  Fact *fact[SIDE_COUNT];              /* by node */
  uint8_t *state[SIDE_COUNT];          /* NodeState */
  bool *vague[SIDE_COUNT], *stuck[SIDE_COUNT]; /* .. as a flag; by its own equation */
  bool *idle[SIDE_COUNT];     /* no open output depends on it */
  bool *dear[SIDE_COUNT];     /* costs so much by itself that the outputs that need it are given up */
  bool gave_up;               /* .. some are */
  uint64_t *mean[SIDE_COUNT]; /* dimensions (bits) along which the small tensor is a mean (mean.h) */
  const Bounds *bounds[SIDE_COUNT];
  const Related **input[SIDE_COUNT];   /* by parameter */
  bool changed;
} Keeping;

/* NULL: the pair cannot be read in digits. */
Keeping *keeping_new(const Problem *p, const bool *open, const QuotientOptions *o);
/* Finds what can be represented; false: it would be too large. */
bool keeping_settle(Keeping *p);
/* Chooses inputs to be 0, so that more can: settle again. */
void keeping_zeros(Keeping *p);
/* An open output can be represented; some can. */
bool keeping_output(const Keeping *p, uint32_t k);
bool keeping_any_output(const Keeping *p);
void keeping_dim(const Keeping *p, Side side, NodeId node, uint32_t dim, Pattern *out);
/* The equation of a node that has a small tensor. */
bool keeping_shrink(Keeping *p, Side side, NodeId node, Arena *a, Instance *out);
void keeping_free(Keeping *p);
#endif
