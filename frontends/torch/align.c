/* Align: what programs of several sets have in common, as two texts have lines: E. W. Myers, An O(ND) difference algorithm
 * and its variations (1986).
 *
 * The ranks at both ends of a row that exchange halos have programs of their own; what stands behind the exchange is the
 * same again, and is run once for all (threads.c).  Stages of a pipeline, which have other inputs, have nothing in
 * common. */
#include "frontends/torch/program.h"

enum { MOST_APART = 1000 /* operators that two programs do not share */ };

/* Nodes of g and h that correspond, at[i]: 1 + that of h for node i of g, or 0.  false: too few do. */
static bool align_two(const TorchSet *g, const TorchSet *h, uint32_t *at, Arena *a) {
  int64_t n = g->n_nodes, m = h->n_nodes, most = n + m < MOST_APART ? n + m : MOST_APART, d = 0;
  int64_t *end = ARENA_ARRAY(a, int64_t, 2 * most + 3); /* by diagonal: the furthest node of g reached */
  int64_t **before = ARENA_ARRAY(a, int64_t *, most + 1);
  end += most + 1;
  for (bool found = false; !found; d++) {
    if (d > most) return false;
    before[d] = (int64_t *)arena_copy(a, end - d - 1, (size_t)(2 * d + 3) * sizeof *end) + d + 1;
    for (int64_t k = -d; k <= d && !found; k += 2) {
      int64_t x = k == -d || (k != d && end[k - 1] < end[k + 1]) ? end[k + 1] : end[k - 1] + 1;
      while (x < n && x - k < m && torch_same_node(g, h, &g->nodes[x], &h->nodes[x - k])) x++;
      end[k] = x;
      found = x >= n && x - k >= m;
    }
  }
  for (int64_t x = n, y = m; d-- > 0;) {
    int64_t k = x - y, *from = before[d];
    int64_t other = k == -d || (k != d && from[k - 1] < from[k + 1]) ? k + 1 : k - 1;
    int64_t start = d ? from[other] + (other < k) : 0;
    for (; x > start && y > start - k; x--, y--) at[x - 1] = (uint32_t)y;
    x = d ? from[other] : 0, y = x - other;
  }
  return true;
}

uint32_t *const *torch_align(const TorchProgram *p, Arena *a) {
  const TorchSet *g = &p->sets[0];
  uint32_t **joint = ARENA_ARRAY(a, uint32_t *, p->n_sets), **at = ARENA_ARRAY(a, uint32_t *, p->n_sets);
  if (p->n_sets < 2) return NULL;
  for (uint32_t s = 0; s < p->n_sets; s++) {
    const TorchSet *h = &p->sets[s];
    joint[s] = ARENA_ARRAY(a, uint32_t, h->n_nodes + 1);
    at[s] = ARENA_ARRAY(a, uint32_t, g->n_nodes + 1);
    for (uint32_t i = 0; i < h->n_nodes; i++) /* its forward operator is one of its own program */
      if (h->nodes[i].op == sym("plan.backward")) return NULL;
    if (!torch_same_inputs(g, h) || !align_two(g, h, at[s], a)) return NULL;
  }
  for (uint32_t i = 0, n = 0; i < g->n_nodes; i++) {
    bool all = !torch_group(&g->nodes[i]); /* sends, receives and collectives have a time of their own */
    for (uint32_t s = 0; s < p->n_sets; s++) all &= at[s][i] != 0;
    n += all;
    for (uint32_t s = 0; s < p->n_sets && all; s++) joint[s][at[s][i] - 1] = n;
  }
  return joint;
}
