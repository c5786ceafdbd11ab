/* Layouts: which sequential tensor every distributed one is, and how it is cut.
 *
 * Read off the classes of a direct proof (counterpart.h); what has no counterpart has no entry, nor what is a multiple of
 * one.  Says nothing of the calculus, so that tables of rules can be filled from it. */
#ifndef TVR_LAYOUTS_H
#define TVR_LAYOUTS_H
#include "eval/graph/relation.h"
#include "lang/library.h"

typedef struct NodeLayout {
  NodeId seq, dist;
  const char *equation; /* "dist.y[i, j] == seq.y[i, (tp, j)]" */
  uint32_t n_cuts, n_addends;
  struct {
    uint32_t dim; /* of the sequential tensor */
    Sym axis;
  } *cuts;
  Sym *addends; /* axes over which the values are summed */
} NodeLayout;

typedef struct Layouts {
  Arena arena;
  Vec(NodeLayout) all; /* by distributed node */
} Layouts;

/* false after errors or a limit, which are reported; free it either way. */
bool layouts_read(Layouts *l, Library *library, const Graph *seq, const Graph *dist, const Relation *relation,
                  Diags *diags);
void layouts_free(Layouts *l);
#endif
