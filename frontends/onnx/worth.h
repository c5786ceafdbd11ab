/* Worth: values that depend on no input, in doubles, each with how far the precision of its type may be off.
 *
 * A graph pass computes such values in the precision of the model and writes them down.  To tell whether a number in a
 * file is one of them, both are needed: the value, and a bound of the rounding on the way to it (running error
 * analysis: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 3.3).  Sums are taken to be rounded as often
 * as sums by halves are. */
#ifndef TVR_ONNX_WORTH_H
#define TVR_ONNX_WORTH_H
#include "eval/graph/graph.h"

/* The values of a node, row-major; error == NULL: they are exact. */
typedef struct Worth {
  const double *value, *error; /* value == NULL: not known */
} Worth;

/* Half a unit in the last place, relative: how much one rounding to the type may change a value. */
double worth_unit(DType t);
/* The values of a node of `g` whose operands have the values of[their id]; arrays in `a`.  value == NULL: it has an operator
 * that is not known here, or computes what is no number.  Infinite values are those of masks. */
Worth worth_node(const Graph *g, NodeId id, const Worth *of, Arena *a);
#endif
