/* Along: positions of one dimension that are known: padding with values of the tensor itself, and resizing.
 *
 * An element of the result is one of the operand (a table of places), or a mean of two (a table of weights). */
#ifndef TVR_FRONTENDS_ALONG_H
#define TVR_FRONTENDS_ALONG_H
#include "frontends/base/compose.h"

enum { ALONG_MAX = 65536 }; /* elements of the dimension */

typedef struct AlongResize {
  const char *at;      /* how positions correspond: asymmetric, align_corners, half_pixel, pytorch_half_pixel */
  const char *nearest; /* how one between two is rounded: floor, ceil, round_prefer_floor, round_prefer_ceil */
  bool linear;
} AlongResize;

/* `mode`: reflect, edge, wrap.  Negative amounts crop. */
NodeId along_padded(Composer *c, Arena *a, NodeId x, const char *mode, uint32_t dim, int64_t low, int64_t high);
/* The gradient of that, of n elements: those that came from one are added. */
NodeId along_unpadded(Composer *c, Arena *a, NodeId g, const char *mode, uint32_t dim, int64_t n, int64_t low, int64_t high);
/* To m elements; `scale` is how many stand for one. */
NodeId along_resized(Composer *c, Arena *a, const AlongResize *r, NodeId x, uint32_t dim, int64_t m, Rat scale);
#endif
