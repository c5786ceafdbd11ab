/* trial: what if an operator of the distributed graph did something else?
 *
 * Both graphs are evaluated at one random point in doubles.  A trial gives some nodes other values, evaluates what
 * depends on them again and compares the outputs as declared.  Which change makes wrong outputs right tells where a
 * mistake is: a hint for people, never a proof. */
#ifndef TVR_EXACT_TRIAL_H
#define TVR_EXACT_TRIAL_H
#include "eval/exact/exact.h"

typedef enum TrialKind {
  TRIAL_SUM,     /* the sum over mesh axes of an operand, or of the node's own value, times `number` */
  TRIAL_SUMMED,  /* as if the operand were its sum over mesh axes */
  TRIAL_MAX,     /* the maximum over mesh axes of the node's value */
  TRIAL_SCALE,   /* the node's value times `number` */
  TRIAL_SHIFT,   /* .. plus `number`, times the coordinate along the axes that are set, if any */
  TRIAL_OPERAND, /* the numbers of an operand, in row-major order */
  TRIAL_LITERAL, /* as if the operand, or the node's own value, were `number` everywhere */
  TRIAL_SWAP,    /* the first and the last operand exchanged */
  TRIAL_FACTOR,  /* as if the operand were `number` times itself */
  TRIAL_DIVIDE,  /* the whole quotient of its two operands */
  TRIAL_PERMUTE, /* a transposition that takes the operand's dimensions in the order numbered `dim` */
  TRIAL_COMPARE, /* a comparison by `direction` */
  TRIAL_SLICE,   /* a slice that starts `number` further along dimension `dim`, times the coordinate if axes are set */
  TRIAL_REVERSE, /* a permutation of devices the other way round */
  TRIAL_UNSENT,  /* .. without what is sent to device `dim`, which has zeros then */
  TRIAL_ONLY,    /* as if the operand were 0 but where the coordinate along the axes is `number` */
  TRIAL_OTHER,   /* as if the operand were another value of the distributed graph, of the same shape */
  TRIAL_TIMES,   /* as if the operand were itself times another value, whose last or first dimensions may be missing; of
                    clamped indices: 0 where they are not what they were, as trial_clamped knows */
  TRIAL_ROTATE,  /* as if the operand had been sent like the permutations `with`, `number` times; 0: as often as the
                    node's place among those that are edited says, -1: once more */
  TRIAL_LIKE,    /* as if the operand, or the node's own value, were a value of the sequential graph times `number` */
} TrialKind;

typedef struct TrialEdit {
  TrialKind kind;
  int32_t operand; /* -1: the node's own value */
  uint32_t axes;   /* set of mesh axes, by bit */
  uint32_t dim;
  double number;
  Sym direction;         /* of a comparison: "<", .. */
  const NodeId *with;    /* the other value, for each of the nodes that are edited (not made from it) .. */
  const int64_t *blocks; /* .. and of a sequential one where the part of a device starts: see trial_blocks */
} TrialEdit;

typedef struct Trial Trial;

/* NULL if the graphs cannot be evaluated at this point.  Trials together may take `max_work` element operations.  A run
 * at this point, if there is one already, is worked on and put back. */
Trial *trial_new(const ExactProblem *p, uint64_t seed, ExactRun *run, uint64_t max_work);
void trial_free(Trial *t);
/* Makes the edit at these nodes (ascending) and evaluates.  False if it cannot be made, if the work is used up, and as
 * soon as an output that was right is not; with `whole` also as soon as one that was wrong still is. */
bool trial_run(Trial *t, const TrialEdit *e, const NodeId *nodes, uint32_t n, bool whole);
bool trial_exhausted(const Trial *t);
/* Work done so far. */
uint64_t trial_work(const Trial *t);
/* From now on at most so much work. */
void trial_limit(Trial *t, uint64_t max_work);

typedef enum TrialOutput { TRIAL_RIGHT, TRIAL_WRONG, TRIAL_UNKNOWN } TrialOutput;
/* Of the graph as it is, where what hardly differs is unknown, and after the last trial. */
TrialOutput trial_before(const Trial *t, uint32_t output);
TrialOutput trial_after(const Trial *t, uint32_t output);
/* What the element that was most wrong is too large by, relative to the output's size: as the graph is, or after the
 * last trial. */
double trial_error(const Trial *t, uint32_t output, bool after);

/* Of the graph as it is: the one number that a node holds everywhere, or NAN. */
double trial_number(const Trial *t, NodeId node);
/* Mesh axes along which a node's value differs between devices, as a set. */
uint32_t trial_varies(const Trial *t, NodeId node);

/* What a node clamps, if that are indices; else NO_NODE. */
NodeId trial_clamped(const Graph *g, NodeId id);
/* Where in a sequential value the block starts that a distributed one holds, by device and dimension, if on every
 * device it is a block of it.  `blocks` has room for rank * devices. */
bool trial_blocks(Trial *t, NodeId dist, NodeId seq, int64_t *blocks);
/* The same from shapes alone, for a value that is wrong: dimensions are cut along the first axes that fit, but `skip`.
 */
bool trial_blocks_by_shape(const Trial *t, NodeId dist, NodeId seq, uint32_t skip, int64_t *blocks);
int64_t trial_n_devices(const Trial *t);
#endif
