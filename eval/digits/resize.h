/* Resize: the same pair of graphs with dimensions of other sizes.
 *
 * Sizes change by digits: all dimensions, of both graphs, that are cut into the digits of a sort follow, so what is
 * aligned stays so (contracted dimensions, both sides of a reshape, a block and what it is a block of: the constraints of
 * shape reduction in TrainVerify, 2025, Algorithm 1), and the places where slices begin and end. */
#ifndef TVR_REDUCE_RESIZE_H
#define TVR_REDUCE_RESIZE_H
#include "eval/reduce/part.h"

/* Sizes that digits get, by sort; 0: they keep theirs. */
typedef struct Resizing {
  const Digits *digits;
  const int64_t *size;
} Resizing;

/* false, and no part: nothing changes, or something does not follow. */
bool resize(const Part *from, const Resizing *to, Part *out);
/* The same pair on the devices of an axis's first `size` coordinates; false, and no part, where something does not
 * follow. */
bool resize_mesh(const Part *from, const Digits *d, uint32_t axis, int64_t size, Part *out);
/* The largest size of a digit, by sort: n of them, in `a`; 0 for mesh axes. */
int64_t *resize_sizes(const Part *p, const Digits *d, uint32_t *n, Arena *a);
#endif
