/* Laid: through which layout a distributed value is a sequential one, by their numbers at a point.
 *
 * It proposes and proves nothing. */
#ifndef TVR_LAID_H
#define TVR_LAID_H
#include "eval/graph/graph.h"
#include "eval/graph/relation.h"

enum { LAID_MAX_AXES = 4, LAID_MAX_RANK = 8 };

typedef struct Laid {
  const Node *seq, *dist;     /* their shapes, of those that were evaluated */
  const double *whole;        /* elements of the sequential value; NULL: not evaluated */
  const double *const *block; /* by device in the order of the mesh, elements of the distributed one; any may be NULL */
  const Mesh *mesh;           /* at most LAID_MAX_AXES axes */
} Laid;

/* y as a multiple of x by a whole number, or its inverse; RAT_0: none that gradients and means come with. */
Rat laid_multiple(double x, double y);
/* Every axis cuts a dimension or none, in the order of the mesh or the other way round; last blocks are padded, or no block
 * is.  The distributed value is *factor times the sequential one, and no constant.  false: there is none. */
bool laid_find(const Laid *q, bool padded, Layout *out, Rat *factor, Arena *a);
#endif
