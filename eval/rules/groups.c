#include "eval/rules/groups.h"

#include <string.h>

enum { MOST_SPELLED = 256, MOST_DEVICES = 1 << 16 };

/* Places and groups by device; false if a device is missing, stands twice or does not exist. */
static bool read_groups(Groupings *s, Grouping *g, const int64_t *ints, uint32_t n, int64_t members) {
  if (members < 1 || n != s->n_devices) return false;
  int64_t *place = ARENA_ARRAY(&s->arena, int64_t, n), *group = ARENA_ARRAY(&s->arena, int64_t, n);
  for (uint32_t i = 0; i < n; i++) place[i] = -1;
  for (uint32_t i = 0; i < n; i++) {
    if (ints[i] < 0 || ints[i] >= n || place[ints[i]] >= 0) return false;
    place[ints[i]] = i % members;
    group[ints[i]] = i / members;
  }
  g->members = members;
  g->place = place;
  g->group = group;
  return n % members == 0;
}

/* Same devices together, each at the same place. */
static bool agree(const Groupings *s, const Grouping *a, const Grouping *b) {
  if (a->members != b->members) return false;
  int64_t *to = s->scratch;
  for (int64_t d = 0; d < s->n_devices; d++) to[d] = -1;
  for (int64_t d = 0; d < s->n_devices; d++) {
    int64_t *t = &to[a->group[d]];
    if (*t < 0) *t = b->group[d];
    if (*t != b->group[d] || a->place[d] != b->place[d]) return false;
  }
  return true;
}

/* The axes along which the members of device 0's group differ, if these are what all groups are. */
static void find_axes(Groupings *s, Grouping *g) {
  const Mesh *m = s->mesh;
  if (!m) return;
  uint32_t *axes = ARENA_ARRAY(&s->arena, uint32_t, m->n_axes + 1), n = 0, size;
  int64_t *at = ARENA_ARRAY(&s->arena, int64_t, m->n_axes + 1);
  bool *moves = ARENA_ARRAY(&s->arena, bool, m->n_axes + 1);
  int64_t *first = ARENA_ARRAY(&s->arena, int64_t, m->n_axes + 1);
  memset(moves, 0, m->n_axes * sizeof *moves);
  mesh_coordinate(m, 0, first);
  for (int64_t d = 0; d < s->n_devices; d++) {
    if (g->group[d] != g->group[0]) continue;
    mesh_coordinate(m, d, at);
    for (uint32_t k = 0; k < m->n_axes; k++) moves[k] |= at[k] != first[k];
  }
  for (uint32_t k = 0; k < m->n_axes; k++)
    if (moves[k]) axes[n++] = k;
  Grouping want = {0};
  const int64_t *ints = mesh_groups(m, axes, n, &s->arena, &size);
  if (!read_groups(s, &want, ints, (uint32_t)s->n_devices, size) || !agree(s, g, &want)) return;
  g->axes = axes;
  g->n_axes = n;
}

static Sym grouping_name(Groupings *s, const Grouping *g) {
  const char *text = "";
  if (g->n_axes) {
    for (uint32_t i = 0; i < g->n_axes; i++)
      text = arena_printf(&s->arena, "%s%s%s", text, i ? "," : "", sym_text(s->mesh->axes[g->axes[i]].name));
    return sym(text);
  }
  if (g->members == 1) return sym("none");
  if (g->attr->n > MOST_SPELLED) return sym(arena_printf(&s->arena, "groups %zu", s->all.len));
  for (uint32_t i = 0; i < g->attr->n; i++)
    text = arena_printf(&s->arena, "%s%s%lld%s", text, i % g->members ? "," : i ? ",{" : "{",
                        (long long)g->attr->ints[i], (i + 1) % g->members ? "" : "}");
  return sym(text);
}

const Grouping *groups_find(const Groupings *s, const Attr *a) {
  for (size_t i = 0; a && i < s->all.len; i++) {
    const Grouping *g = &s->all.at[i];
    if (g->attr->n == a->n && g->attr->i == a->i && !memcmp(g->attr->ints, a->ints, a->n * sizeof *a->ints)) return g;
  }
  return NULL;
}

static void add(Groupings *s, const Attr *a) {
  Grouping g = {.attr = a};
  if (groups_find(s, a) || !read_groups(s, &g, a->ints, a->n, a->i)) return;
  find_axes(s, &g);
  g.name = grouping_name(s, &g);
  vec_push(&s->all, g);
}

static void add_axis(Groupings *s, uint32_t axis) {
  uint32_t size;
  Attr *a = ARENA_NEW(&s->arena, Attr);
  *a = (Attr){.kind = ATTR_GROUPS, .n = (uint32_t)s->n_devices};
  a->ints = mesh_groups(s->mesh, &axis, 1, &s->arena, &size);
  a->i = size;
  add(s, a);
}

bool groups_init(Groupings *s, const Graph *g, const Mesh *mesh, Instances *instances, Diags *diags) {
  *s = (Groupings){.mesh = mesh, .n_devices = mesh ? mesh->n_devices : g->n_devices};
  for (size_t i = 0; i < g->nodes.len && !mesh; i++)
    for (uint32_t k = 0; k < g->nodes.at[i].n_attrs; k++) {
      const Attr *a = &g->nodes.at[i].attrs[k];
      if (a->kind == ATTR_GROUPS && a->n > s->n_devices) s->n_devices = a->n;
    }
  if (s->n_devices < 1) s->n_devices = 1;
  if (s->n_devices > MOST_DEVICES) return true;
  s->scratch = ARENA_ARRAY(&s->arena, int64_t, s->n_devices);
  for (uint32_t k = 0; mesh && k < mesh->n_axes; k++)
    if (mesh->axes[k].size > 1) add_axis(s, k);
  for (uint32_t i = 0; mesh && i < s->all.len; i++) vec_push(&s->axes, i);
  for (NodeId i = 0; i < g->nodes.len; i++) {
    bool some = node_attr(&g->nodes.at[i], sym("replica_groups"));
    const Instance *in = some ? instance_of(instances, g, i, diags) : NULL;
    if (some && !in) return false;
    if (in && in->groups) add(s, in->groups);
  }
  for (uint32_t i = 0; !mesh && i < s->all.len; i++)
    if (s->all.at[i].members > 1) vec_push(&s->axes, i);
  return true;
}

void groups_free(Groupings *s) {
  vec_free(&s->all);
  vec_free(&s->axes);
  arena_free(&s->arena);
}

bool groups_differ(const Groupings *s, const Grouping *g, const int64_t *by_device) {
  int64_t *seen = s->scratch;
  for (int64_t d = 0; d < s->n_devices; d++)
    if (!g->place[d]) seen[g->group[d]] = by_device[d];
  for (int64_t d = 0; d < s->n_devices; d++)
    if (seen[g->group[d]] != by_device[d]) return true;
  return false;
}

bool groups_cover(const Groupings *s, const Grouping *g, const Grouping *axis) { return !groups_differ(s, axis, g->group); }
