/* Parameters whose values the files give (initialisers of ONNX models), as part of a relation.
 *
 * Those of one name with equal values are the same tensor; a relation need not list them.  Two that are related must have
 * equal values, or a proof for all values would say nothing about these. */
#ifndef TVR_FRONTENDS_WEIGHTS_H
#define TVR_FRONTENDS_WEIGHTS_H
#include "eval/graph/relation.h"

/* Relates every such parameter that is not related yet to that of the other graph, which gets one for it if it has none.
 * false after errors, which are reported. */
bool weights_relate(Relation *r, Graph *seq, Graph *dist, Diags *diags);
#endif
