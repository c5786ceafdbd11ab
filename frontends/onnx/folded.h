/* Folded: values that a graph pass may have computed from the weights of the model before.
 *
 * These are what the model before computes from weights alone, and what it does to the result of a product with a
 * weight (a convolution, a matrix) in the channels of that result: scaled, W becomes W * s; shifted, its bias becomes b
 * + t. So batch normalisation folds into a convolution.  They are nodes of a graph of their own, with their values. */
#ifndef TVR_ONNX_FOLDED_H
#define TVR_ONNX_FOLDED_H
#include "frontends/base/compose.h"
#include "frontends/onnx/worth.h"

typedef struct Folded {
  Graph *g; /* parameters are numbered as in the graph before */
  Composer c;
  Arena arena;
  Vec(Worth) worth; /* by node */
  int64_t left;     /* elements that may still be computed */
} Folded;

Folded *folded_new(const Graph *before);
void folded_free(Folded *f);
#endif
