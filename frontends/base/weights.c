/* See weights.h. */
#include "frontends/base/weights.h"

#include <string.h>

static const double *values_of(const Graph *g, int64_t k) {
  return g->param_values && k >= 0 && (size_t)k < g->params.len ? g->param_values[k] : NULL;
}

static const Node *node_of(const Graph *g, int64_t k) { return &g->nodes.at[g->params.at[k]]; }

static bool equal(const Graph *g, int64_t i, const Graph *h, int64_t k) {
  const Node *a = node_of(g, i), *b = node_of(h, k);
  return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) &&
         !memcmp(values_of(g, i), values_of(h, k), (size_t)node_elements(a) * sizeof(double));
}

/* The parameter of `to` of that name and value, perhaps a new one. */
static int64_t counterpart(Graph *to, const Graph *from, int64_t k) {
  const Node *n = node_of(from, k);
  for (size_t i = 0; i < to->params.len; i++)
    if (to->params.at[i] != NO_NODE && node_of(to, (int64_t)i)->name == n->name && values_of(to, (int64_t)i) &&
        equal(to, (int64_t)i, from, k))
      return (int64_t)i;
  Node copy = *n;
  size_t number = to->params.len;
  copy.param = (int64_t)number;
  copy.line = copy.frames = 0;
  vec_push(&to->params, graph_add(to, &copy));
  const double **values = ARENA_ARRAY(&to->arena, const double *, number + 1);
  for (size_t i = 0; i < number; i++) values[i] = values_of(to, (int64_t)i);
  values[number] = arena_copy(&to->arena, values_of(from, k), (size_t)node_elements(n) * sizeof(double));
  to->param_values = values;
  return (int64_t)number;
}

static void relate(Relation *r, const Graph *seq, int64_t i, int64_t k) {
  const Node *n = node_of(seq, i);
  Layout plain = {.rank = n->rank, .dims = arena_alloc(&r->arena, n->rank * sizeof *plain.dims)};
  r->inputs[r->n_inputs++] = (Related){.name = n->name, .seq = i, .dist = k, .layout = plain, .scale = 1};
}

bool weights_relate(Relation *r, Graph *seq, Graph *dist, Diags *diags) {
  if (!seq->param_values && !dist->param_values) return true;
  size_t n_seq = seq->params.len, n_dist = dist->params.len;
  bool *have = ARENA_ARRAY(&r->arena, bool, n_seq), *had = ARENA_ARRAY(&r->arena, bool, n_dist), ok = true;
  for (uint32_t i = 0; i < r->n_inputs; i++) {
    const Related *e = &r->inputs[i];
    if (e->dist < 0 || (size_t)e->dist >= n_dist || e->seq < 0 || (size_t)e->seq >= n_seq) continue;
    have[e->seq] = had[e->dist] = true;
    if (!values_of(dist, e->dist) || !values_of(seq, e->seq) || equal(seq, e->seq, dist, e->dist)) continue;
    ok = diag_error(diags, e->span, E_RELATION_FIT, "input \"%s\": the files give it different values", sym_text(e->name));
    diag_hint(diags, "with --weights=values they are constants, which no relation speaks of");
  }
  Related *all = ARENA_ARRAY(&r->arena, Related, r->n_inputs + n_seq + n_dist);
  memcpy(all, r->inputs, r->n_inputs * sizeof *all);
  r->inputs = all;
  for (size_t k = 0; ok && k < n_dist; k++) {
    if (had[k] || !values_of(dist, (int64_t)k)) continue;
    int64_t i = counterpart(seq, dist, (int64_t)k);
    if ((size_t)i < n_seq) have[i] = true;
    relate(r, seq, i, (int64_t)k);
  }
  for (size_t i = 0; ok && i < n_seq; i++)
    if (!have[i] && values_of(seq, (int64_t)i)) relate(r, seq, (int64_t)i, counterpart(dist, seq, (int64_t)i));
  return ok;
}
