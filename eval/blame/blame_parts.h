/* The parts of blame: a list of suspects that several ways of looking add to (blame.c, blame_repair.c). */
#ifndef TVR_BLAME_PARTS_H
#define TVR_BLAME_PARTS_H
#include "eval/blame/blame.h"
#include "eval/blame/relatives.h"

enum { SURE = 100 /* score of what repairs */ };

enum { MAX_TURNED = 4 };

typedef struct Finder {
  Proof *p;
  Calculus *c;
  const bool *open;
  bool refuted;
  Blame *b;
  Relatives rel;
  NodeId *place[SIDE_COUNT]; /* by node: see place.h */
  bool *innocent;            /* distributed nodes that a proved output depends on */
  bool *cleared;             /* .. that nothing is, but that a related value is made from */
  bool *fed;                 /* indices and masks of unrelated values whose other operands are related */
  Vec(Blamed) found;
  Vec(uint32_t) score;
  Vec(uint32_t) times; /* accused again */
  uint32_t n_turned;
  NodeId turned[MAX_TURNED]; /* sequential nodes, the transpose of which the distributed program makes in their place */
} Finder;

static inline const Graph *graph(const Finder *f, Side s) { return f->p->problem.graph[s]; }
static inline const Node *node(const Finder *f, Side s, NodeId id) { return &graph(f, s)->nodes.at[id]; }
static inline Value value(const Finder *f, Side s, NodeId id) { return f->p->build.value[s][id]; }

static inline NodeId output_node(const Finder *f, Side s, uint32_t k) {
  const Related *r = &f->p->problem.relation->outputs[k];
  return graph(f, s)->outputs.at[s == SIDE_SEQ ? r->seq : r->dist].node;
}

/* Adds a suspect, or raises the score of one that is there. */
void blame_accuse(Finder *f, Side side, NodeId id, uint32_t output, uint32_t score, const char *why, const char *want,
                  const char *have);
/* Notes that a sum over mesh axes, as a set, is missing behind a suspect. */
void blame_misses_sum(Finder *f, NodeId id, uint32_t axes);
/* A list of axes as a set. */
uint32_t blame_axis_set(const uint32_t *axes, uint32_t n);
/* Changes that make outputs right point at the mistake better than anything else. */
void blame_repairs(Finder *f, const ExactProblem *e, const ExactReport *report);
#endif
