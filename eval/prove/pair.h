/* Pair: two graphs and a relation made ready to prove or to evaluate: the equations of all nodes, what they compute
 * from the device number alone, and the problem that names it all. */
#ifndef TVR_PAIR_H
#define TVR_PAIR_H
#include "eval/digits/digits.h"
#include "eval/prove/equation.h"
#include "lang/library.h"

typedef struct Pair {
  Arena arena;
  Instances *instances;
  EquationUses uses; /* of lemmas, by what was proved with the problem */
  Problem problem;   /* which points to the uses: a pair is not copied */
} Pair;

/* Checks that the relation fits the graphs and makes the equations.  false after errors, which are reported; free it
 * either way.  Everything given must outlive the pair; the sides of lemmas are added to the library. */
bool pair_make(Pair *p, Library *library, const Graph *seq, const Graph *dist, const Relation *relation, Diags *diags);
/* Some output is declared: it is what a verdict is about. */
bool pair_check_outputs(const Relation *relation, Diags *diags);
void pair_free(Pair *p);
#endif
