/* given: values of inputs from a JSON file, {"x": [[1, 2], [3, 4]], "lr": 0.1}: nested lists as deep as the tensor has
 * dimensions, of numbers, booleans, and null for what has no value. */
#ifndef TVR_FRONTENDS_GIVEN_H
#define TVR_FRONTENDS_GIVEN_H
#include "eval/graph/relation.h"

/* Fills out[n] for the n parameters of the graph, in `a`: row-major, or NULL where the file says nothing.  A parameter is
 * named as its relation, its instruction or its label is.  False after errors, which are reported. */
bool given_read(Diags *diags, uint32_t source, const Graph *g, const Relation *relation, Arena *a,
                const double *const **out);
#endif
