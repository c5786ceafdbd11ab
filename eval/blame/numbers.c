#include "eval/blame/numbers.h"

#include <math.h>

#include "eval/exact/laid.h"

enum { MOST_LOOKED = 20000000 /* elements that are compared, per blame */ };

struct Numbers {
  const Graph *const *graph;
  const Mesh *mesh;
  const ExactRun *run;
  Arena *arena;
  double *largest; /* by sequential node: its largest magnitude, NAN where it has none */
  double *own;     /* sums, a block for each device */
  const double **block;
  int64_t left;
};

static double largest_of(const double *x, int64_t n, double so_far) {
  for (int64_t k = 0; k < n; k++) so_far = !x || isnan(x[k]) ? NAN : fmax(so_far, fabs(x[k]));
  return x ? so_far : NAN;
}

Numbers *numbers_new(const Proof *proof, const ExactRun *run, Arena *a) {
  const Graph *seq = proof->problem.graph[SIDE_SEQ];
  const Mesh *mesh = &proof->problem.relation->mesh;
  if (!run || mesh->n_axes > LAID_MAX_AXES) return NULL;
  Numbers *n = ARENA_NEW(a, Numbers);
  *n = (Numbers){proof->problem.graph, mesh, run, a, .left = MOST_LOOKED};
  n->largest = ARENA_ARRAY(a, double, seq->nodes.len + 1);
  n->block = ARENA_ARRAY(a, const double *, mesh->n_devices + 1);
  for (NodeId i = 0; i < seq->nodes.len; i++) {
    const Node *x = &seq->nodes.at[i];
    bool counts = dtype_is_float((DType)x->dtype) && x->n_args; /* a wrong piece of an input is one, too */
    n->largest[i] = counts ? largest_of(exact_value(run, false, i, 0), node_elements(x), 0) : NAN;
  }
  return n;
}

/* Every device gets the sum over the axes; false: not every one has a value. */
static bool add_up(Numbers *n, NodeId dist, uint32_t axes, double *sums) {
  int64_t size = node_elements(&n->graph[SIDE_DIST]->nodes.at[dist]), at[LAID_MAX_AXES];
  for (int64_t d = 0; d < n->mesh->n_devices; d++) {
    const double *x = exact_value(n->run, true, dist, d);
    int64_t first = 0;
    if (!x) return false;
    mesh_coordinate(n->mesh, d, at);
    for (uint32_t k = 0; k < n->mesh->n_axes; k++) first = first * n->mesh->axes[k].size + (axes >> k & 1 ? 0 : at[k]);
    for (int64_t k = 0; k < size; k++) sums[first * size + k] += x[k];
    n->block[d] = sums + first * size;
  }
  return true;
}

/* No device has all of a dimension, and so others nothing, whose numbers would not be looked at. */
static bool is_cut(const Laid *q, const Layout *l) {
  bool cut = true;
  for (uint32_t k = 0; k < l->rank; k++) cut &= !l->dims[k].n || q->seq->dims[k] > q->dist->dims[k];
  return cut;
}

static bool find_sum(Numbers *n, NodeId dist, uint32_t axes, NodeId *seq, Rat *factor) {
  const Graph *s = n->graph[SIDE_SEQ];
  const Node *x = &n->graph[SIDE_DIST]->nodes.at[dist];
  int64_t size = node_elements(x), devices = n->mesh->n_devices;
  double *sums = ARENA_ARRAY(n->arena, double, size * devices + 1), largest = 0;
  if (!add_up(n, dist, axes, sums)) return false;
  for (int64_t d = 0; d < devices; d++) largest = largest_of(n->block[d], size, largest);
  for (NodeId i = 0; i < s->nodes.len && !isnan(largest) && n->left > 0; i++) {
    Laid q = {&s->nodes.at[i], x, exact_value(n->run, false, i, 0), n->block, n->mesh};
    Layout layout;
    if (isnan(n->largest[i]) || n->largest[i] == 0 || laid_multiple(n->largest[i], largest) == RAT_0) continue;
    n->left -= size * devices;
    bool even = laid_find(&q, false, &layout, factor, n->arena);
    if (even || (laid_find(&q, true, &layout, factor, n->arena) && is_cut(&q, &layout))) return *seq = i, true;
  }
  return false;
}

bool numbers_find(Numbers *n, NodeId dist, NodeId *seq, uint32_t *summed, Rat *factor) {
  const Node *x = n ? &n->graph[SIDE_DIST]->nodes.at[dist] : NULL;
  if (!n || !dtype_is_float((DType)x->dtype) || x->literal || node_elements(x) < 2) return false;
  for (uint32_t axes = 0; axes < 1u << n->mesh->n_axes && n->left > 0; axes++) {
    ArenaMark mark = arena_mark(n->arena);
    bool found = find_sum(n, dist, axes, seq, factor);
    arena_reset(n->arena, mark);
    n->left -= node_elements(x) * n->mesh->n_devices;
    if (found) return *summed = axes, true;
  }
  return false;
}
