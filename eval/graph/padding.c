#include "eval/graph/padding.h"

#include <stdlib.h>

static const Node *param(const Graph *g, int64_t k) {
  bool there = k >= 0 && (size_t)k < g->params.len && g->params.at[k] != NO_NODE;
  return there ? &g->nodes.at[g->params.at[k]] : NULL;
}

bool padding_in(const Relation *r, const Related *x, const Graph *seq, const Graph *dist) {
  const Node *whole = param(seq, x->seq), *block = param(dist, x->dist);
  if (!whole || !block || whole->rank != block->rank || x->layout.rank != whole->rank) return false;
  for (uint32_t d = 0; d < whole->rank; d++) {
    int64_t total = block->dims[d];
    for (uint32_t k = 0; k < x->layout.dims[d].n; k++) total *= r->mesh.axes[x->layout.dims[d].axes[k]].size;
    if (total > whole->dims[d]) return true;
  }
  return false;
}

/* A digit of an axis may count in multiples of the size: digits of a position do not tell blocks that are padding alone. */
static bool is_hidden(const Relation *r, const Related *x, const Graph *seq, const Graph *dist) {
  const Node *whole = param(seq, x->seq), *block = param(dist, x->dist);
  for (uint32_t d = 0; d < whole->rank; d++) {
    int64_t stride = block->dims[d];
    for (uint32_t k = x->layout.dims[d].n; k-- > 0;) {
      int64_t size = r->mesh.axes[x->layout.dims[d].axes[k]].size;
      for (int64_t digit = 1; digit < size && whole->dims[d]; digit++)
        if (size % digit == 0 && stride * digit % whole->dims[d] == 0) return true;
      stride *= size;
    }
  }
  return false;
}

static int64_t root(int64_t *up, int64_t d) {
  while (up[d] != d) d = up[d] = up[up[d]];
  return d;
}

/* Outputs that are addends meet where they are added up. */
static void add_outputs(const Relation *r, int64_t *up, Arena *a) {
  int64_t *at = ARENA_ARRAY(a, int64_t, r->mesh.n_axes + 1);
  for (uint32_t k = 0; k < r->n_outputs; k++)
    for (int64_t d = 0; d < r->mesh.n_devices && r->outputs[k].layout.n_partial; d++) {
      mesh_coordinate(&r->mesh, d, at);
      for (uint32_t i = 0; i < r->outputs[k].layout.n_partial; i++) at[r->outputs[k].layout.partial[i]] = 0;
      up[root(up, d)] = root(up, mesh_device(&r->mesh, at));
    }
}

/* One number for all devices between which collectives carry something, perhaps in several steps, or outputs are added
 * up. */
static int64_t *reach(const Graph *g, const Relation *r, Arena *a) {
  int64_t n_devices = r->mesh.n_devices, *up = ARENA_ARRAY(a, int64_t, n_devices);
  const int64_t *last = NULL;
  for (int64_t d = 0; d < n_devices; d++) up[d] = d;
  for (NodeId id = 0; id < g->nodes.len; id++)
    for (uint32_t k = 0; k < g->nodes.at[id].n_attrs; k++) {
      const Attr *x = &g->nodes.at[id].attrs[k];
      int64_t each = x->kind == ATTR_PAIRS ? 2 : x->kind == ATTR_GROUPS ? x->i : 0;
      if (each < 1 || x->ints == last) continue;
      last = x->ints;
      for (uint32_t i = 0; i < x->n; i++) {
        int64_t one = x->ints[i - i % (uint32_t)each], other = x->ints[i];
        if (one >= 0 && other >= 0 && one < n_devices && other < n_devices) up[root(up, one)] = root(up, other);
      }
    }
  add_outputs(r, up, a);
  for (int64_t d = 0; d < n_devices; d++) up[d] = root(up, d);
  return up;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Whether two devices that reach each other hold the same block. */
static bool copies_meet(const Mesh *m, const Layout *l, const int64_t *reached, Arena *a) {
  int64_t *at = ARENA_ARRAY(a, int64_t, m->n_axes), *stride = ARENA_ARRAY(a, int64_t, m->n_axes), blocks = 1;
  int64_t *place = ARENA_ARRAY(a, int64_t, m->n_devices);
  for (uint32_t d = 0; d < l->rank; d++)
    for (uint32_t k = 0; k < l->dims[d].n; k++) {
      stride[l->dims[d].axes[k]] = blocks;
      blocks *= m->axes[l->dims[d].axes[k]].size;
    }
  if (blocks == m->n_devices) return false;
  for (int64_t d = 0; d < m->n_devices; d++) {
    mesh_coordinate(m, d, at);
    for (uint32_t k = 0; k < m->n_axes; k++) place[d] += at[k] * stride[k];
    place[d] = place[d] * m->n_devices + reached[d];
  }
  qsort(place, (size_t)m->n_devices, sizeof *place, by_number);
  for (int64_t d = 1; d < m->n_devices; d++)
    if (place[d] == place[d - 1]) return true;
  return false;
}

bool *padding_differs(const Relation *r, const Graph *seq, const Graph *dist, Arena *a) {
  bool *differs = ARENA_ARRAY(a, bool, r->n_inputs + 1), *padded = ARENA_ARRAY(a, bool, seq->params.len + 1);
  int64_t *reached = NULL;
  for (uint32_t k = 0; k < r->n_inputs; k++) {
    const Related *x = &r->inputs[k];
    differs[k] = padding_in(r, x, seq, dist);
    if (!differs[k]) continue;
    if (!reached) reached = reach(dist, r, a);
    differs[k] =
        padded[x->seq] || is_hidden(r, x, seq, dist) || copies_meet(&r->mesh, &x->layout, reached, a);
    padded[x->seq] = true;
  }
  return differs;
}

bool *padding_of(const Relation *r, const Graph *seq, const Graph *dist, Arena *a) {
  bool *padded = ARENA_ARRAY(a, bool, seq->params.len + 1);
  for (uint32_t i = 0; i < r->n_inputs; i++)
    if (padding_in(r, &r->inputs[i], seq, dist)) padded[r->inputs[i].seq] = true;
  return padded;
}
