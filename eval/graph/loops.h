/* Loops: a pair of programs whose loops are read once, and what to prove of it.
 *
 * Induction over the iterations, laid out as a question without loops.  In both graphs what a loop carries is a
 * parameter as an iteration begins, and another after the last one.  An invariant says through which layout a carried
 * value of the distributed program is one of the sequential one.  The relation of the whole then has, for every
 * invariant,
 *
 *     inputs   the values as iteration t begins        are related so (t: the same on both sides, 0 .. trips - 1)
 *     outputs  the first values                        are related so: the base
 *     outputs  the values as iteration t ends          are related so: the step
 *     inputs   the values after the last iteration     are related so
 *
 * Where distributed values are a multiple, the graph is written for it: the parameters are the values divided, and
 * multiplied where they are used, the outputs are divided (loops_divided).
 *
 * If all outputs are, the programs' own among them, they are for the programs with their loops.  Nothing else is known
 * of the parameters.  A value without an invariant is any at all on every device: nothing is said of it, nothing to
 * prove. */
#ifndef TVR_LOOPS_H
#define TVR_LOOPS_H
#include "eval/graph/relation.h"

typedef struct Invariant {
  uint32_t loop;      /* the same number in both graphs */
  uint32_t seq, dist; /* among the values that the loop carries */
  Layout layout;
  int64_t divided; /* the distributed values are divided by this first; 1: they are not */
} Invariant;

/* It can be one: values of both graphs, their shapes cut evenly (what padding holds on one device says nothing of another),
 * and only numbers that can be divided are. */
bool loops_fit(const Graph *seq, const Graph *dist, const Mesh *mesh, const Invariant *v);
/* Why the loops of the two programs do not correspond one to one (number, nesting, iterations); NULL: they do. */
const char *loops_differ(const Graph *seq, const Graph *dist, Arena *a);
/* The relation of the whole, in `a`: it shares what `own` has. */
Relation loops_relation(const Graph *seq, const Graph *dist, const Relation *own, const Invariant *at, uint32_t n,
                        Arena *a);
/* The distributed graph as these invariants have it; the one given, if none divides. */
const Graph *loops_divided(const Graph *dist, const Invariant *at, uint32_t n, Arena *a);
/* The graph with every loop run once, and no loop any more but by its parameters' numbers; a loop that reads a row of what
 * an earlier one wrote reads the row it wrote.  A guess what loops carry, no proof. */
const Graph *loops_once(const Graph *g, Arena *a);
/* Operators that unrolling would add, at most INT64_MAX; iterations of the longest loop. */
uint64_t loops_unrolled(const Graph *g);
int64_t loops_longest(const Graph *g);
#endif
