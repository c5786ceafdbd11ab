/* Groups: the ways in which collectives of a graph group the devices, each with a name rules can compare.
 *
 * A grouping whose groups differ along some axes of the mesh only, in row-major order of them, is called by these axes
 * ("dp,tp"); another one by its groups ("{0,3},{1,2}"). */
#ifndef TVR_GROUPS_H
#define TVR_GROUPS_H
#include "eval/meaning/instance.h"

typedef struct Grouping {
  Sym name;
  const Attr *attr;
  int64_t members;
  const int64_t *place, *group; /* by device: its place in its group, the number of its group */
  uint32_t n_axes;              /* 0: these are no axes of the mesh */
  const uint32_t *axes;
} Grouping;

typedef struct Groupings {
  Arena arena;
  const Mesh *mesh; /* or NULL */
  int64_t n_devices;
  int64_t *scratch; /* n_devices, for whoever is called */
  Vec(Grouping) all;
  Vec(uint32_t) axes; /* what counts as an axis: groupings along one axis, or all where there is no mesh */
} Groupings;

/* Those of a graph and of the mesh; where the order within groups means nothing, as in a sum, it is that of the mesh.
 * false: an operator does not fit its definition, as is reported. */
bool groups_init(Groupings *s, const Graph *g, const Mesh *mesh, Instances *instances, Diags *diags);
void groups_free(Groupings *s);
/* NULL: no groups, or they do not fit the devices. */
const Grouping *groups_find(const Groupings *s, const Attr *groups);
/* Does a value that is known on every device differ between some of one group? */
bool groups_differ(const Groupings *s, const Grouping *g, const int64_t *by_device);
/* Is axis `k` (an entry of `axes`) inside the groups of `g`? */
bool groups_cover(const Groupings *s, const Grouping *g, const Grouping *axis);
#endif
