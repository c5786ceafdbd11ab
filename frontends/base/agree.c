#include "frontends/base/agree.h"

#include <string.h>

/* The groups of devices that wait for each other; of exchanges between pairs, all devices. */
static bool groups_of(const Graph *g, const Node *n, Attr *out, Arena *a) {
  const Attr *groups = node_attr(n, sym("replica_groups")), *pairs = node_attr(n, sym("source_target_pairs"));
  if (groups && groups->kind == ATTR_GROUPS) *out = *groups;
  else if (pairs && g->n_devices > 0) {
    int64_t *all = ARENA_ARRAY(a, int64_t, g->n_devices);
    for (int64_t d = 0; d < g->n_devices; d++) all[d] = d;
    *out = (Attr){.kind = ATTR_GROUPS, .i = g->n_devices, .ints = all, .n = (uint32_t)g->n_devices};
  } else {
    return false;
  }
  out->name = sym("replica_groups");
  return out->i != 1;
}

NodeId agree_on(Composer *c, NodeId value, NodeId chosen_by, size_t first, size_t last) {
  Vec(Attr) all = {0};
  for (size_t i = first; i < last && value != NO_NODE; i++) {
    Attr a;
    bool known = !groups_of(c->g, &c->g->nodes.at[i], &a, &c->g->arena);
    for (size_t k = 0; k < all.len && !known; k++) {
      const Attr *b = &all.at[k];
      known = b->i == a.i && b->n == a.n && (b->ints == a.ints || !memcmp(b->ints, a.ints, a.n * sizeof *a.ints));
    }
    if (known) continue;
    vec_push(&all, a);
    const Node x = *compose_node(c, value);
    value = compose(c, "agreed", x.dtype, x.rank, x.dims, (NodeId[]){value, chosen_by}, 2, &a, 1);
  }
  vec_free(&all);
  return value;
}
