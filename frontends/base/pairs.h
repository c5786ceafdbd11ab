/* Pairs: complex numbers as pairs of reals.
 *
 * A complex tensor becomes a real one with a last dimension of size 2, real and imaginary part.  What only moves numbers
 * moves pairs; sums are sums of pairs, and are taken of the parts; products, parts and exponentials are the operators of
 * stdlib/complex.tvr, as are Fourier transforms, along one dimension after the other; a contraction is four of the parts.
 * All others become unknown operators of their own (`complex_tanh`), which no definition of real numbers fits. */
#ifndef TVR_FRONTENDS_PAIRS_H
#define TVR_FRONTENDS_PAIRS_H
#include "eval/graph/graph.h"

/* Rewrites the graph, whose node ids change.  Nothing is done if it takes or returns complex numbers: their files say no
 * more of them than that they are such. */
void pairs_apply(Graph *g);
#endif
