#include "eval/reduce/submesh.h"

/* From a mesh to the part of it where an axis has coordinates below `size`. */
typedef struct Submesh {
  int64_t devices;           /* there were */
  int64_t old, size, stride; /* of the axis; between devices that are next to each other along it */
} Submesh;

static int64_t along(const Submesh *s, int64_t device) { return device / s->stride % s->old; }

/* The device's number in the part, or -1. */
static int64_t moved(const Submesh *s, int64_t device) {
  int64_t major = device / (s->stride * s->old), minor = device % s->stride, at = along(s, device);
  return at < s->size ? (major * s->size + at) * s->stride + minor : -1;
}

static bool smaller_groups(const Submesh *s, Attr *a, Arena *arena) {
  if (a->i < 1 || a->n % (uint64_t)a->i) return false;
  int64_t *to = ARENA_ARRAY(arena, int64_t, a->n + 1), members = -1;
  uint32_t n = 0;
  for (uint32_t g = 0; g < a->n; g += (uint32_t)a->i) {
    uint32_t had = n;
    for (uint32_t k = 0; k < (uint32_t)a->i; k++)
      if (moved(s, a->ints[g + k]) >= 0) to[n++] = moved(s, a->ints[g + k]);
    if (n == had) continue;
    if (members >= 0 && members != n - had) return false;
    members = n - had;
  }
  a->ints = to;
  a->n = n;
  a->i = members;
  return members > 0;
}

/* A shift along the axis stays one; of other permutations what is within the part. */
static void smaller_pairs(const Submesh *s, Attr *a, Arena *arena) {
  int64_t *to = ARENA_ARRAY(arena, int64_t, a->n + 1), shift = 0;
  bool shifts = a->n == 2 * s->devices;
  for (uint32_t k = 0; k + 1 < a->n; k += 2) {
    int64_t by = (along(s, a->ints[k + 1]) - along(s, a->ints[k]) + s->old) % s->old;
    if (!k) shift = by;
    shifts &=
        by == shift && a->ints[k + 1] - a->ints[k] == (along(s, a->ints[k + 1]) - along(s, a->ints[k])) * s->stride;
  }
  if (2 * shift > s->old) shift -= s->old;
  uint32_t n = 0;
  for (uint32_t k = 0; k + 1 < a->n; k += 2) {
    int64_t source = moved(s, a->ints[k]), target = moved(s, a->ints[k + 1]), at = along(s, a->ints[k]);
    if (shifts) target = source + (((at + shift) % s->size + s->size) % s->size - at) * s->stride;
    if (source < 0 || target < 0) continue;
    to[n++] = source;
    to[n++] = target;
  }
  a->ints = to;
  a->n = n;
}

static bool smaller_node(const Submesh *s, Graph *g, Node *n) {
  Attr *attrs = arena_copy(&g->arena, n->attrs, n->n_attrs * sizeof *attrs);
  for (uint32_t k = 0; k < n->n_attrs; k++) {
    if (attrs[k].kind == ATTR_GROUPS && !smaller_groups(s, &attrs[k], &g->arena)) return false;
    if (attrs[k].kind == ATTR_PAIRS) smaller_pairs(s, &attrs[k], &g->arena);
  }
  n->attrs = attrs;
  return true;
}

bool submesh_take(Graph *g, Mesh *m, uint32_t axis, int64_t size) {
  Submesh s = {m->n_devices, m->axes[axis].size, size, 1};
  for (uint32_t k = axis + 1; k < m->n_axes; k++) s.stride *= m->axes[k].size;
  for (int64_t k = 0; k < m->n_devices; k++)
    if (m->device_order[k] != k) return false;
  m->axes[axis].size = size;
  m->n_devices = g->n_devices = s.devices / s.old * size;
  for (NodeId i = 0; i < g->nodes.len; i++)
    if (!smaller_node(&s, g, &g->nodes.at[i])) return false;
  return true;
}
