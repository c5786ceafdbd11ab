/* Counterpart: which value of the other graph a value equals, and through which layout.
 *
 * Two values are one field if their class is the same; how the indices of one are those of the other is read off their
 * references.  A distributed value may also be one part of a field: its sum or maximum over mesh digits is looked up.
 */
#ifndef TVR_COUNTERPART_H
#define TVR_COUNTERPART_H
#include "eval/prove/prove.h"

/* Mesh digits a value depends on, each once, at most `cap`. */
uint32_t counterpart_mesh_names(const Calculus *c, Value v, Name *out, uint32_t cap);
/* Sum or maximum over those of the names that are in the set. */
Value counterpart_reduce(Calculus *c, Value v, const Name *names, uint32_t n, uint32_t set, bool maximum);

typedef struct CounterpartCut { /* dimension `dim` of the counterpart is cut over an axis */
  uint32_t dim, axis;
} CounterpartCut;

typedef struct Counterpart {
  NodeId node;         /* of the other graph; NO_NODE: none */
  Rat factor;          /* the value is so many times its counterpart */
  uint32_t n_axes;     /* .. after it was summed (or maximised) over these axes */
  const uint32_t *axes;
  bool maximum;
  bool turned;         /* its dimensions stand in another order there */
  uint32_t n_cuts;
  CounterpartCut *cuts;
  const char *equation; /* "dist.y[i, j] == 2 * seq.y[i, (tp, j)]" */
} Counterpart;

/* The earliest node of a graph in every class: makes many searches cheap. */
typedef struct ClassNodes {
  uint32_t n;
  const NodeId *first;
} ClassNodes;
ClassNodes counterpart_classes(const Proof *p, Side side, Arena *a);
/* counterpart_find with the classes of the other graph (or NULL). */
Counterpart counterpart_among(Proof *p, Side side, NodeId id, const ClassNodes *known, Arena *a);
/* The earliest counterpart of a node in the other graph. */
Counterpart counterpart_find(Proof *p, Side side, NodeId id, Arena *a);
#endif
