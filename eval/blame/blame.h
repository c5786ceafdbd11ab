/* Blame: which operators a missing proof points at.
 *
 * From an open output one walks back through unrelated values only (relatives.h); an unrelated value all of whose
 * operands are related is where things part.  If the output itself is related, the operators that made it out of the
 * last related value of another class are named.  The difference of the two normal forms (calculus/diff.h) says what is
 * wanted and what is there, and names the operator whose value is the smallest differing term.  What a proved output
 * depends on is hardly to blame.  Where evaluation refutes, changes are tried that undo a mistake (repair.h); those that
 * help are named first. */
#ifndef TVR_BLAME_H
#define TVR_BLAME_H
#include "eval/blame/gap.h"
#include "eval/blame/scene.h"
#include "eval/calculus/diff.h"
#include "eval/exact/exact.h"
#include "eval/prove/prove.h"

typedef struct Blamed {
  Side side;
  NodeId node;
  NodeId place;     /* the node whose source line stands for it, or NO_NODE */
  uint32_t shown;   /* of its frames: the line to look at (place.h) */
  uint32_t output;  /* an output it explains */
  const char *why;  /* or NULL: only the fix speaks */
  const char *want, *have; /* terms, or NULL */
  const char *fix;  /* "summed over tp, every output is right", or NULL */
  uint32_t n_group; /* operators of its line that are changed with it, itself first .. */
  const NodeId *group; /* .. or 0 and NULL */
  Gap gap;          /* where a sum is missing behind it */
  Scene scene;
} Blamed;

typedef struct OutputBlame {
  const char *difference; /* "the sum over tp is missing", or NULL */
  const char *want, *have; /* the smallest differing terms, or NULL */
  const char *lemma;       /* that they are equal, as a lemma, or NULL */
  bool holds;              /* as a partial sum, times a factor: */
  uint32_t n_partial;
  const uint32_t *partial; /* mesh axes */
  Rat factor;
} OutputBlame;

typedef struct Blame {
  Arena arena;
  uint32_t n;
  Blamed *at;           /* the likeliest first */
  uint32_t n_outputs;
  OutputBlame *outputs; /* by output */
} Blame;

/* `open[k]`: output k is to be explained.  The proof's calculus gets more classes, nothing else of it changes.  With the
 * problem that `evaluated` refuted, changes that would repair it are looked for, too. */
Blame *blame_find(Proof *proof, const bool *open, const ExactProblem *problem, const ExactReport *evaluated);
void blame_free(Blame *b);
/* One more suspect: before those there are, or behind them, unless it is among them or there are enough. */
void blame_add(Blame *b, Proof *proof, bool first, Side side, NodeId id, uint32_t output, const char *why);
/* A value with the names of dimensions (i, j, ..) and mesh axes, to a depth, less deep where that gets long. */
char *blame_term(Proof *proof, Value v, uint32_t depth, Arena *a);
#endif
