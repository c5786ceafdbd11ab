/* MeshDigits: the axes of a mesh, cut into the digits that programs tell apart.
 *
 * A device is its position in the mesh (row-major over the axes, through device_order), read in mixed radix.  An axis
 * stays one digit unless a replica grouping, a rank table or a tensor dimension needs it cut (tp = 4 as 2 x 2).  Digits
 * are numbered major to minor over the whole mesh, so those of an axis are consecutive; axes of size 1 have none.
 *
 * Invariant: the cuts of an axis form a divisibility chain; a cut that does not fit is refused, and the grouping or
 * table that wanted it is then irregular or not affine: both answers are checked on every device, never assumed. */
#ifndef TVR_MESHDIGITS_H
#define TVR_MESHDIGITS_H
#include "eval/graph/relation.h"

typedef struct MeshDigits MeshDigits;

typedef struct MeshDigit {
  uint32_t axis;  /* index into mesh.axes */
  int64_t size;   /* > 1 */
  int64_t stride; /* the digit of a device is position / stride % size */
} MeshDigit;

/* Some digits, major to minor. */
typedef struct MeshList {
  uint32_t n;
  const uint32_t *digit;
} MeshList;

/* constant + sum weight[i] * digit i, over all digits of the mesh. */
typedef struct MeshForm {
  int64_t constant;
  const int64_t *weight;
} MeshForm;

/* `m` must outlive the result; one digit per axis at first. */
MeshDigits *meshdigits_new(const Mesh *m);
void meshdigits_free(MeshDigits *md);

/* Phase 1: cuts.  Each asks for the cuts that make something expressible; false if one was refused. */
bool meshdigits_need_groups(MeshDigits *md, const Attr *groups);
bool meshdigits_need_values(MeshDigits *md, const int64_t *by_device);
bool meshdigits_need_cut(MeshDigits *md, uint32_t axis, int64_t stride); /* stride within the axis */
/* Renumbers the digits after cuts; lists handed out before are of the old numbering. */
void meshdigits_settle(MeshDigits *md);

/* Phase 2: questions. */
uint32_t meshdigits_count(const MeshDigits *md);
const MeshDigit *meshdigits_get(const MeshDigits *md, uint32_t digit);
/* Digits of an axis: consecutive, from `*first`. */
uint32_t meshdigits_axis(const MeshDigits *md, uint32_t axis, uint32_t *first);
/* Value of a digit on a device. */
int64_t meshdigits_value(const MeshDigits *md, uint32_t digit, int64_t device);
/* Reads a replica grouping (ATTR_GROUPS) as digits: true if in every group the device at position p has exactly the
 * digits of p in `out` (mixed radix), and all else in common; every device is in one group.  False: irregular.
 * Answers are kept; the list lives until the next settle. */
bool meshdigits_position(MeshDigits *md, const Attr *groups, MeshList *out);
/* Fits a vector over devices exactly; false: not affine.  Weights are allocated in `a`. */
bool meshdigits_refit(const MeshDigits *md, const int64_t *by_device, Arena *a, MeshForm *out);
#endif
