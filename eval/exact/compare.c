/* compare: see compare.h. */
#include "eval/exact/compare.h"

#include <math.h>

bool compare_nodes(const ExactRun *r, const Related *o, NodeId *seq, NodeId *dist) {
  const Graph *g = r->problem.seq.graph, *h = r->problem.dist.graph;
  if (o->seq < 0 || (size_t)o->seq >= g->outputs.len || o->dist < 0 || (size_t)o->dist >= h->outputs.len) return false;
  *seq = g->outputs.at[o->seq].node;
  *dist = h->outputs.at[o->dist].node;
  return g->nodes.at[*seq].rank == h->nodes.at[*dist].rank && o->layout.rank == g->nodes.at[*seq].rank;
}

double compare_sum(const ExactRun *r, NodeId dist, const int64_t *devices, int64_t n, uint64_t i) {
  double sum = 0;
  for (int64_t k = 0; k < n; k++) {
    const double *at = field_at(&r->dist.fields[dist], devices[k]);
    if (!at) return NAN;
    sum = n == 1 ? at[i] : sum + at[i];
  }
  return sum;
}

static void keep(Comparison *c, OutputElement p) {
  uint32_t i = c->n_kept < COMPARE_KEPT ? c->n_kept++ : COMPARE_KEPT;
  if (i == COMPARE_KEPT) {
    if (c->kept[COMPARE_KEPT - 1].difference >= p.difference) return;
    i = COMPARE_KEPT - 1;
  }
  for (; i > 0 && c->kept[i - 1].difference < p.difference; i--) c->kept[i] = c->kept[i - 1];
  c->kept[i] = p;
}

static double largest(const double *at, uint64_t n, double top) {
  for (uint64_t i = 0; at && i < n; i++)
    if (isfinite(at[i]) && fabs(at[i]) > top) top = fabs(at[i]);
  return top;
}

/* Compares one block, its sum being over devices[0..n). */
static void compare_block(const ExactRun *r, Comparison *c, const double *want, NodeId dist, const uint64_t *positions,
                          uint64_t elements, const int64_t *devices, int64_t n, double factor) {
  for (uint64_t i = 0; i < elements; i++) {
    if (positions[i] == BLOCK_PADDING) continue;
    double a = want ? want[positions[i]] * factor : NAN, b = compare_sum(r, dist, devices, n, i);
    if (isnan(a) || isnan(b)) {
      c->n_unknown++;
      if (isnan(a) == isnan(b)) continue;
      if (!isnan(a) && !c->n_only[0]) c->lacking = (OutputElement){0, devices[0], i, positions[i]};
      c->n_only[isnan(a)]++;
      continue;
    }
    c->n_known++;
    double d = a == b ? 0 : fabs(a - b) / c->top;
    if (d > c->difference) c->difference = d;
    if (d > 0 && (c->n_kept < COMPARE_KEPT || d > c->kept[COMPARE_KEPT - 1].difference))
      keep(c, (OutputElement){d, devices[0], i, positions[i]});
  }
}

Comparison compare_output(const ExactRun *r, const Related *o, const bool *sums, double factor) {
  Comparison c = {0};
  NodeId seq, dist;
  if (!compare_nodes(r, o, &seq, &dist)) {
    c.misfit = "the relation does not fit the outputs of the graphs";
    return c;
  }
  const Mesh *m = &r->problem.relation->mesh;
  const Node *whole = &r->problem.seq.graph->nodes.at[seq], *block = &r->problem.dist.graph->nodes.at[dist];
  const double *want = field_at(&r->seq.fields[seq], 0);
  const Field *got = &r->dist.fields[dist];
  uint64_t n = (uint64_t)node_elements(block);
  c.top = largest(want, (uint64_t)node_elements(whole), COMPARE_SMALLEST);
  Arena scratch = {0};
  int64_t *at = ARENA_ARRAY(&scratch, int64_t, m->n_axes + 1), n_devices = r->dist.n_devices;
  int64_t *devices = ARENA_ARRAY(&scratch, int64_t, n_devices);
  uint64_t *positions = ARENA_ARRAY(&scratch, uint64_t, n + 1);
  /* Devices with the same block and a value of the same class need no second look. */
  size_t width = whole->rank + 1u;
  int64_t *keys = ARENA_ARRAY(&scratch, int64_t, width * (size_t)n_devices), n_keys = 0;
  bool any_sum = false;
  for (uint32_t a = 0; a < m->n_axes; a++) any_sum = any_sum || sums[a];
  for (int64_t k = 0; k < n_devices; k++) {
    int64_t device = m->n_devices ? m->device_order[k] : 0, seen = 0, *key = keys + width * (size_t)n_keys;
    bool first = true;
    block_coordinate(m, device, at);
    for (uint32_t a = 0; a < m->n_axes; a++) first = first && !(sums[a] && at[a] != 0);
    if (!first) continue;
    for (uint32_t d = 0; d < whole->rank; d++) key[d] = block_number(&o->layout, m, d, at);
    key[whole->rank] = any_sum ? device : (int64_t)field_class(got, device);
    while (seen < n_keys && memcmp(keys + width * (size_t)seen, key, width * sizeof *key) != 0) seen++;
    if (seen < n_keys) continue;
    n_keys++;
    int64_t n_addends = block_addends(m, at, sums, devices);
    block_positions(&o->layout, m, at, whole, block, positions);
    compare_block(r, &c, want, dist, positions, n, devices, n_addends, factor);
  }
  arena_free(&scratch);
  return c;
}
