/* Submesh: a program for fewer devices along one axis of the mesh, as far as groups and permutations go. */
#ifndef TVR_SUBMESH_H
#define TVR_SUBMESH_H
#include "eval/graph/relation.h"

/* Keeps the devices whose coordinate along the axis is below `size` (at least 1, less than the axis has): the mesh, the
 * groups and pairs of all nodes.  Dimensions are the caller's.  false: some groups would differ in size, or the mesh is
 * not in the order of its numbers; graph and mesh are then of no use. */
bool submesh_take(Graph *g, Mesh *m, uint32_t axis, int64_t size);
#endif
