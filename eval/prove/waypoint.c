#include "eval/prove/waypoint.h"

#include <math.h>
#include <string.h>

#include "lang/base/clock.h"

enum { MAX_WAYPOINTS = 8, MAX_TRIES = 8, MAX_AXES = 4 };

/* Distributed values that are no sequential value, up to a factor and the names of indices. */
static bool *without_counterpart(Proof *p, Arena *a) {
  const Graph *seq = p->problem.graph[SIDE_SEQ], *dist = p->problem.graph[SIDE_DIST];
  for (NodeId d = 0; d < dist->nodes.len; d++) build_value(&p->build, SIDE_DIST, d);
  uint32_t n_classes = (uint32_t)calculus_stats(p->calc).classes;
  bool *known = ARENA_ARRAY(a, bool, n_classes), *open = ARENA_ARRAY(a, bool, dist->nodes.len);
  for (NodeId s = 0; s < seq->nodes.len; s++) known[value_class(p->calc, p->build.value[SIDE_SEQ][s])] = true;
  for (NodeId d = 0; d < dist->nodes.len; d++) open[d] = !known[value_class(p->calc, p->build.value[SIDE_DIST][d])];
  return open;
}

static bool close_to(double x, double y) { return fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y)) + 1e-12; }

/* Every device's block is that of the layout.  Constant tensors agree with too much to mean anything. */
static bool agrees(const ExactRun *run, const Problem *p, NodeId s, NodeId d, const Layout *l) {
  const Node *sn = &p->graph[SIDE_SEQ]->nodes.at[s], *dn = &p->graph[SIDE_DIST]->nodes.at[d];
  const Mesh *mesh = &p->relation->mesh;
  const double *x = exact_value(run, false, s, 0);
  int64_t n = node_elements(dn), at[MAX_AXES];
  bool varies = false;
  if (!x) return false;
  for (int64_t device = 0; device < mesh->n_devices; device++) {
    const double *y = exact_value(run, true, d, device);
    if (!y) return false;
    mesh_coordinate(mesh, device, at);
    for (int64_t k = 0; k < n; k++) {
      int64_t rest = k, index = 0, stride = 1;
      for (int i = dn->rank; i-- > 0; stride *= sn->dims[i]) {
        int64_t block = 0;
        for (uint32_t j = 0; j < l->dims[i].n; j++)
          block = block * mesh->axes[l->dims[i].axes[j]].size + at[l->dims[i].axes[j]];
        index += (block * dn->dims[i] + rest % dn->dims[i]) * stride;
        rest /= dn->dims[i];
      }
      if (!(fabs(x[index]) < INFINITY) || !close_to(x[index], y[k])) return false;
      varies |= y[k] != y[0];
    }
  }
  return varies;
}

/* Layouts in which blocks of the distributed shape make up the sequential one: every axis cuts a dimension or none. */
static bool find_layout(const ExactRun *run, const Problem *p, NodeId s, NodeId d, Layout *out, Arena *a) {
  const Node *sn = &p->graph[SIDE_SEQ]->nodes.at[s], *dn = &p->graph[SIDE_DIST]->nodes.at[d];
  const Mesh *mesh = &p->relation->mesh;
  int64_t choices = 1;
  for (uint32_t i = 0; i < mesh->n_axes; i++) choices *= dn->rank + 1;
  for (int64_t c = 0; c < choices; c++) {
    int64_t rest = c, cut[8];
    for (int i = 0; i < dn->rank; i++) cut[i] = dn->dims[i];
    Layout l = {.rank = dn->rank, .dims = arena_alloc(a, dn->rank * sizeof *l.dims)};
    for (uint32_t i = 0; i < mesh->n_axes; i++, rest /= dn->rank + 1) {
      int64_t dim = rest % (dn->rank + 1);
      if (dim == dn->rank) continue;
      if (!l.dims[dim].axes) l.dims[dim].axes = ARENA_ARRAY(a, uint32_t, mesh->n_axes);
      l.dims[dim].axes[l.dims[dim].n++] = i;
      cut[dim] *= mesh->axes[i].size;
    }
    bool fits = true;
    for (int i = 0; i < dn->rank && fits; i++) fits = cut[i] == sn->dims[i];
    if (fits && agrees(run, p, s, d, &l)) return *out = l, true;
  }
  return false;
}

/* The two nodes as a problem of their own: graphs that end there. */
static Problem *between(const Problem *p, const Waypoint *w, Arena *a) {
  Problem *q = arena_copy(a, p, sizeof *q);
  NodeId node[] = {w->seq, w->dist};
  for (int side = 0; side < SIDE_COUNT; side++) {
    Graph *g = arena_copy(a, p->graph[side], sizeof *g);
    g->nodes.len = node[side] + 1;
    g->outputs.at = ARENA_ARRAY(a, GraphOutput, 1);
    g->outputs.at[0] = (GraphOutput){node[side], 0};
    g->outputs.len = g->outputs.cap = 1;
    for (size_t i = 0; i < g->params.len; i++) /* parameters may stand behind it */
      if (g->params.at[i] != NO_NODE && g->params.at[i] >= g->nodes.len) g->nodes.len = g->params.at[i] + 1;
    const Waypoints *known = p->waypoints; /* and so may what is known of earlier values */
    for (uint32_t i = 0; side == SIDE_SEQ && known && i < known->n; i++)
      if (known->at[i].seq >= g->nodes.len) g->nodes.len = known->at[i].seq + 1;
    q->graph[side] = g;
  }
  Relation *r = arena_copy(a, p->relation, sizeof *r);
  r->n_outputs = 1;
  r->outputs = ARENA_ARRAY(a, Related, 1);
  r->outputs[0] = (Related){.layout = w->layout};
  q->relation = r;
  return q;
}

typedef struct Finder {
  Problem *problem;
  const ProveOptions *options;
  const ExactRun *run;
  Arena *arena;
  double until;
  uint32_t tries, assumed; /* assumed: by the proofs of waypoints */
  const char *lemmas;
  Waypoint found[MAX_WAYPOINTS];
  Waypoints all;
} Finder;

static bool prove_waypoint(Finder *f, const Waypoint *w) {
  ProveOptions o = *f->options;
  double left = f->until - clock_spent();
  if (left <= 0) return false;
  if (o.seconds > left) o.seconds = left;
  if (o.attempt_seconds > left) o.attempt_seconds = left;
  f->tries++;
  Proof *p = prove_direct(between(f->problem, w, f->arena), &o);
  prove_tactics(&p, &o);
  bool proved = proof_complete(p);
  if (proved) {
    f->assumed |= calculus_assumptions(p->calc);
    if (p->lemmas)
      f->lemmas = arena_printf(f->arena, f->lemmas ? "%s; %s" : "%s%s", f->lemmas ? f->lemmas : "", p->lemmas);
  }
  proof_free(p);
  return proved;
}

/* The earliest open value after `from` that agrees with a sequential one and is proved; false: none. */
static bool next_waypoint(Finder *f, Proof *p, NodeId from, Waypoint *out) {
  const Problem *q = f->problem;
  const bool *open = without_counterpart(p, f->arena);
  for (NodeId d = from; d < q->graph[SIDE_DIST]->nodes.len && f->tries < MAX_TRIES && clock_spent() < f->until; d++) {
    const Node *dn = &q->graph[SIDE_DIST]->nodes.at[d];
    if (!open[d] || !dtype_is_float(dn->dtype) || !dn->rank || dn->rank > 8 || node_elements(dn) < 2) continue;
    for (NodeId s = 0; s < q->graph[SIDE_SEQ]->nodes.len; s++) {
      const Node *sn = &q->graph[SIDE_SEQ]->nodes.at[s];
      Waypoint w = {s, d, {0}};
      if (!dtype_is_float(sn->dtype) || sn->rank != dn->rank || !find_layout(f->run, q, s, d, &w.layout, f->arena))
        continue;
      if (prove_waypoint(f, &w)) return *out = w, true;
      break; /* other nodes of the same value would fare no better */
    }
  }
  return false;
}

void waypoint_search(Proof **proof, const ProveOptions *o, const ExactProblem *e, Arena *a) {
  if (proof_complete(*proof) || (*proof)->problem.relation->mesh.n_axes > MAX_AXES || !prove_can_go_on(*proof)) return;
  const char *why = NULL;
  ExactRun *run = exact_run(e, e->options.seed, &why);
  Problem *q = arena_copy(a, &(*proof)->problem, sizeof *q);
  q->flat = arena_copy(a, q->flat, q->n_flat * sizeof *q->flat);
  Finder f = {.problem = q, .options = o, .run = run, .arena = a, .until = clock_spent() + o->seconds};
  NodeId from = 0;
  Waypoint w;
  while (!why && f.all.n < MAX_WAYPOINTS && !proof_complete(*proof) && next_waypoint(&f, *proof, from, &w)) {
    from = w.dist + 1;
    f.found[f.all.n] = w;
    Waypoints *next = ARENA_NEW(a, Waypoints);
    *next = (Waypoints){f.all.n + 1, arena_copy(a, f.found, (f.all.n + 1) * sizeof w)};
    f.all = *next;
    q->waypoints = next;
    Proof *p = prove_direct(q, o);
    prove_tactics(&p, o);
    const char *old = (*proof)->tactic;
    p->tactic = arena_printf(&p->arena, "%s, after proving that %s (dist) is %s (seq)",
                             p->tactic ? p->tactic
                             : old     ? old
                                       : "normal forms",
                             sym_text(q->graph[SIDE_DIST]->nodes.at[w.dist].name),
                             sym_text(q->graph[SIDE_SEQ]->nodes.at[w.seq].name));
    if (p->n_proved < (*proof)->n_proved) {
      proof_free(p);
      continue;
    }
    calculus_assume(p->calc, f.assumed);
    if (f.lemmas)
      p->lemmas =
          p->lemmas ? arena_printf(&p->arena, "%s; %s", p->lemmas, f.lemmas) : arena_printf(&p->arena, "%s", f.lemmas);
    proof_free(*proof);
    *proof = p;
  }
  exact_run_free(run);
}
