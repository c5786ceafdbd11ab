/* Pairs: complex numbers as pairs of reals.
 *
 * A complex tensor becomes a real one with a last dimension of size 2, real and imaginary part.  What only moves numbers
 * moves pairs; sums are sums of pairs; products, parts and exponentials are the operators of stdlib/complex.tvr.  All
 * others become unknown operators of their own (`complex_divide`), which no definition of real numbers fits. */
#ifndef TVR_FRONTENDS_PAIRS_H
#define TVR_FRONTENDS_PAIRS_H
#include "eval/graph/graph.h"

/* Rewrites the graph, whose node ids change.  Nothing is done if it takes or returns complex numbers: their files say no
 * more of them than that they are such. */
void pairs_apply(Graph *g);
#endif
