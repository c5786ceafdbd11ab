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
  bool *axis; /* of an axis that is dropped with all its digits, unless they are needed */
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
  struct Closed *closed[SIDE_COUNT];
  Fact *closed_fact[SIDE_COUNT]; /* what the numbers of a node say that depends on no input .. */
  bool *closed_known[SIDE_COUNT]; /* .. once it was asked for */
  const Related **input[SIDE_COUNT];   /* by parameter */
  bool changed;
} Keeping;

/* NULL: the pair cannot be read in digits. */
Keeping *keeping_new(const Problem *p, const bool *open, const QuotientOptions *o);
/* Finds what can be represented; false: it would be too large. */
bool keeping_settle(Keeping *p);
/* The time for it is over. */
bool keeping_is_late(const Keeping *p);
/* What is known of a node by what is known of its operands; what is left of it, by what is left of them. */
Fact keeping_fact(const Keeping *p, Side side, NodeId id);
void keeping_visit(Keeping *p, Side side, NodeId id);
/* An open output can be represented; some can. */
bool keeping_output(const Keeping *p, uint32_t k);
bool keeping_any_output(const Keeping *p);
/* Blocks of the axis are told apart. */
bool keeping_axis(const Keeping *p, uint32_t axis);
void keeping_dim(const Keeping *p, Side side, NodeId node, uint32_t dim, Pattern *out);
/* The equation of a node that has a small tensor. */
bool keeping_shrink(Keeping *p, Side side, NodeId node, Arena *a, Instance *out);
void keeping_free(Keeping *p);
#endif
