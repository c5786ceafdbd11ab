/* Resize: the same pair of graphs with dimensions of other sizes.
 *
 * Sizes change by digits: all dimensions, of both graphs, that are cut into the digits of a sort follow, so what is
 * aligned stays so (contracted dimensions, both sides of a reshape, a block and what it is a block of: the constraints of
 * shape reduction in TrainVerify, 2025, Algorithm 1), and where slices begin and end, and what is padded.  Integers that
 * are a size that changes, the last place, or so many times the size (where a device's block begins) are what that
 * becomes; those up to the number of devices stay. */
#ifndef TVR_RESIZE_H
#define TVR_RESIZE_H
#include "eval/digits/digits.h"

/* Sizes that digits get, by sort; 0: they keep theirs. */
typedef struct Resizing {
  const Digits *digits;
  const int64_t *size;
} Resizing;

/* In place: dimensions, attributes and literals are new ones in `a`.  false: nothing changes, or something does not
 * follow; the graphs are then of no use.  Bounds of inputs change as integers do. */
bool resize(Graph *const graph[SIDE_COUNT], Relation *relation, const Resizing *to, Arena *a);
/* Makes sizes larger (`size` is that of `to`), as far as goes, so that dimensions of one size stay of one size: then it is
 * plain what integers become. */
void resize_alike(const Graph *const graph[SIDE_COUNT], const Resizing *to, int64_t *size);
/* The largest size of a digit, by sort: n of them, in `a`; 0 for mesh axes. */
int64_t *resize_sizes(const Graph *const graph[SIDE_COUNT], const Digits *d, const Mesh *mesh, uint32_t *n, Arena *a);
#endif
