/* Relatives: which values of one graph are related to values of the other.
 *
 * A value of the distributed graph is *related* if its class is that of some sequential value, up to a factor, or
 * becomes one when summed (or maximised) over some mesh axes, or if it depends on the coordinate alone. */
#ifndef TVR_RELATIVES_H
#define TVR_RELATIVES_H
#include "eval/blame/likeness.h"
#include "eval/blame/numbers.h"

/* REL_ALIKE: a sequential value by numbers alone (numbers.h).  REL_PART: one of the addends that a sequential sum has, as
 * slices.h tells. */
typedef enum Relatedness { REL_UNKNOWN, REL_SAME, REL_ALIKE, REL_INDEX, REL_SUMMED, REL_PART, REL_NO } Relatedness;

typedef struct Alike { /* a distributed value, summed over `axes` (a set), is `factor` times a sequential one */
  NodeId seq;
  uint32_t axes;
  Rat factor;
} Alike;

typedef struct Relatives {
  Proof *proof;
  Arena *arena;
  size_t n_classes;            /* when it began */
  NodeId *node_of[SIDE_COUNT]; /* first node of a class, or NO_NODE */
  Rat *slice;                  /* by class: how many times it a slice of the node's value is; 0: it is no such class */
  bool *summed_from_dist;      /* classes that distributed values sum up to */
  uint8_t *relatedness;        /* Relatedness of distributed nodes, as far as asked */
  uint32_t *summed, *maxed;    /* by distributed node: mesh axes whose sum, maximum relates it, as a set */
  bool *from_inputs;           /* by distributed node: made from an input */
  bool *part;                  /* by distributed node: REL_PART, if it is nothing else */
  uint32_t n_summed;
  uint64_t last_step; /* of the calculus: no sums after it */
  Likeness likeness;
  Numbers *numbers;
  Alike *alike; /* by distributed node: what numbers say; factor 0: nothing */
} Relatives;

/* `run`: both graphs at a point, or NULL; `differ`: they do there, and numbers tell what does not. */
void relatives_make(Relatives *r, Proof *proof, const ExactRun *run, bool differ, Arena *a);
/* The class is that of a node of this side. */
bool relatives_known(const Relatives *r, Side s, ClassId id);
/* Of a distributed node. */
Relatedness relatives_of(Relatives *r, NodeId id);
/* Affine in indices, or an integer that depends on the coordinate alone. */
bool relatives_index_only(Relatives *r, Value v);
/* A distributed node that is a sequential value, factor and all; not a number, which says nothing. */
bool relatives_equal(const Relatives *r, NodeId id);
/* Sequential nodes, of those asked for, that no distributed one is, factor and all, or sums up to, while their operands
 * are: the first `cap`, ascending; their number.  Only sums that relatives_of was asked about are known. */
uint32_t relatives_lost(Relatives *r, const bool *asked, NodeId *out, uint32_t cap);
/* The operand whose elements a distributed node only moves, or NO_NODE. */
NodeId relatives_moved(const Relatives *r, NodeId id);
#endif
