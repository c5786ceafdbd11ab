/* trial_parts: what trial.c (running) and trial_value.c (what an edit gives) share. */
#ifndef TVR_EXACT_TRIAL_PARTS_H
#define TVR_EXACT_TRIAL_PARTS_H
#include "eval/exact/compare.h"
#include "eval/exact/trial.h"

enum { NODE_WORK = 300 }; /* what evaluating a node costs besides its elements, in element operations */

/* In a trial: as it was; to be evaluated again; evaluated, with the value it had; evaluated, with another one. */
typedef enum NodeState { NODE_CLEAN, NODE_TOUCHED, NODE_SAME, NODE_OTHER } NodeState;

struct Trial {
  ExactRun *run;
  bool borrowed;
  Field *base; /* by node: as the graph is */
  uint8_t *state;    /* by node: NodeState */
  uint64_t *reaches; /* by node: outputs that depend on it, numbered modulo 64 */
  uint64_t wrong;    /* .. those that are wrong */
  NodeId *last_use;  /* by node: the last one that has it as an operand */
  NodeId *changed;   /* nodes whose state is not clean, ascending */
  size_t n_changed;
  ArenaMark mark;
  uint64_t elements;
  bool over;
  int64_t *first; /* scratch of side_node */
  uint32_t n_outputs;
  Comparison *before, *after;
  uint32_t *checked, n_checked; /* outputs whose `after` is of the last trial */
  uint32_t *first_output, *next_output; /* outputs a node is, as a list: number + 1, by node and by output */
};

static inline const Graph *trial_graph(const Trial *t) { return t->run->dist.source->graph; }
static inline const Relation *trial_relation(const Trial *t) { return t->run->problem.relation; }
static inline int64_t trial_devices(const Trial *t) { return t->run->dist.n_devices; }

/* One node, given its operands; false if that is impossible or the work is used up. */
bool trial_evaluate(Trial *t, NodeId id, Arena *scratch);
/* Makes the edit at a node, the i-th of those it is made at, whose field holds the value without it. */
bool trial_apply(Trial *t, const TrialEdit *e, NodeId id, uint32_t i, Arena *scratch);
#endif
