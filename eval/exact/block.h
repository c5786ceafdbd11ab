/* block: where a device's block lies in the whole tensor, as a layout says. */
#ifndef TVR_EXACT_BLOCK_H
#define TVR_EXACT_BLOCK_H
#include "eval/graph/relation.h"

#define BLOCK_PADDING UINT64_MAX

/* Coordinate of a device along every mesh axis, into at[n_axes]. */
void block_coordinate(const Mesh *m, int64_t device, int64_t *at);
/* Number of the block along dimension d of the device at a coordinate. */
int64_t block_number(const Layout *l, const Mesh *m, uint32_t d, const int64_t *at);
/* Row-major position in `whole` of every element of the block there, BLOCK_PADDING where it has none. */
void block_positions(const Layout *l, const Mesh *m, const int64_t *at, const Node *whole, const Node *block,
                     uint64_t *out);
/* Devices whose values add up to that at a coordinate, over the axes with sums[axis] true: their number, into devices[]
 * (room for all devices), in order of coordinates. */
int64_t block_addends(const Mesh *m, const int64_t *at, const bool *sums, int64_t *devices);
/* Row-major position to index. */
void block_index(const Node *n, uint64_t position, int64_t *index);
#endif
