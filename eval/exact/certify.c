/* certify: see certify.h.  Precision is doubled while the balls of the two values overlap without being narrow. */
#include "eval/exact/certify.h"

#include <math.h>

#include "eval/exact/rigour.h"

#define LEVELS 8
#define PRINTED_INPUTS 16   /* inputs listed .. */
#define PRINTED_ELEMENTS 8   /* .. and how large one may be to be printed whole, not as a formula */

struct Certifier {
  const ExactRun *run;
  double deadline;
  Rigour *seq[LEVELS], *dist[LEVELS]; /* by doublings of the precision */
};

Certifier *certifier_new(const ExactRun *r, double deadline) {
  Certifier *c = xcalloc(1, sizeof *c);
  c->run = r;
  c->deadline = deadline;
  return c;
}

void certifier_free(Certifier *c) {
  if (!c) return;
  for (int i = 0; i < LEVELS; i++) {
    rigour_free(c->seq[i]);
    rigour_free(c->dist[i]);
  }
  free(c);
}

/* ---- the witness ---- */

/* Parameters that node `id` depends on, in order of their number. */
static bool *reached_parameters(const Graph *g, NodeId id) {
  bool *on = xcalloc(g->nodes.len, sizeof *on), *params = xcalloc(g->params.len, sizeof *params);
  on[id] = true;
  for (NodeId i = id + 1; i-- > 0;) {
    if (!on[i]) continue;
    const Node *n = &g->nodes.at[i];
    for (uint32_t k = 0; k < n->n_args; k++) on[n->args[k]] = true;
    if (strcmp(sym_text(n->op), "parameter") == 0 && n->param >= 0 && (size_t)n->param < g->params.len)
      params[n->param] = true;
  }
  free(on);
  return params;
}

static const char *shape_text(const Node *n, Arena *a) {
  const char *s = arena_printf(a, "%s[", dtype_text((DType)n->dtype));
  for (uint32_t d = 0; d < n->rank; d++) s = arena_printf(a, "%s%s%lld", s, d ? "," : "", (long long)n->dims[d]);
  return arena_printf(a, "%s]", s);
}

static const char *inputs_text(const ExactRun *r, NodeId output, Arena *a) {
  const Graph *g = r->problem.seq.graph;
  bool *params = reached_parameters(g, output);
  const char *text = "";
  uint32_t n_listed = 0, n_more = 0;
  for (size_t i = 0; i < g->params.len; i++) {
    if (!params[i] || g->params.at[i] == NO_NODE) continue;
    if (n_listed++ >= PRINTED_INPUTS) {
      n_more++;
      continue;
    }
    const Node *n = &g->nodes.at[g->params.at[i]];
    Sym name = n->name;
    for (uint32_t k = 0; k < r->problem.relation->n_inputs; k++)
      if (r->problem.relation->inputs[k].seq == (int64_t)i && r->problem.relation->inputs[k].name)
        name = r->problem.relation->inputs[k].name;
    text = arena_printf(a, "%s%s%s: %s", text, *text ? "\n" : "", sym_text(name), shape_text(n, a));
    int64_t count = node_elements(n);
    const double *at = exact_value(r, false, g->params.at[i], 0);
    if (at && count <= PRINTED_ELEMENTS)
      for (int64_t e = 0; e < count; e++) text = arena_printf(a, "%s%s%.17g", text, e ? " " : " = ", at[e]);
    else
      text = arena_printf(a, "%s = %s", text, sample_formula(&r->problem, r->seed, n, a));
  }
  free(params);
  if (n_more) text = arena_printf(a, "%s\nand %u more", text, n_more);
  return text;
}

static void fill_witness(const ExactRun *r, const Related *o, const OutputElement *p, const Num *want, const Num *got,
                         uint32_t precision, Arena *a, ExactWitness *w) {
  NodeId seq, dist;
  if (!compare_nodes(r, o, &seq, &dist)) return;
  const Node *whole = &r->problem.seq.graph->nodes.at[seq], *block = &r->problem.dist.graph->nodes.at[dist];
  int64_t *at = ARENA_ARRAY(a, int64_t, whole->rank + 1u), *at_dist = ARENA_ARRAY(a, int64_t, whole->rank + 1u);
  int64_t *coordinate = ARENA_ARRAY(a, int64_t, r->problem.relation->mesh.n_axes + 1);
  block_index(whole, p->in_whole, at);
  block_index(block, p->in_block, at_dist);
  block_coordinate(&r->problem.relation->mesh, p->device, coordinate);
  bool exact = want->kind != NUM_BALL && got->kind != NUM_BALL;
  *w = (ExactWitness){.seed = r->seed, .rank = whole->rank, .at = at, .at_dist = at_dist, .device = p->device,
                      .coordinate = coordinate, .seq = num_print(want, a), .dist = num_print(got, a),
                      .precision = exact ? 0 : precision, .inputs = inputs_text(r, seq, a)};
}

/* ---- the decision ---- */

/* Upper bound of |a - b|; infinite if there is none. */
static double distance(const Num *a, const Num *b, long precision) {
  Num d;
  num_init(&d);
  num_sub(&d, a, b, precision);
  double result = INFINITY;
  if (num_is_finite(&d)) {
    arb_t t;
    mag_t m;
    arb_init(t);
    mag_init(m);
    arb_get_mag(m, num_ball(&d, t, precision));
    result = mag_get_d(m);
    mag_clear(m);
    arb_clear(t);
  }
  num_clear(&d);
  return result;
}

/* The distributed value: summed over the partial axes. NULL when the budget is used up. */
static bool distributed_value(Certifier *c, Rigour *rigour, const Related *o, NodeId dist, const OutputElement *p, Num *sum,
                              long precision) {
  const Mesh *m = &c->run->problem.relation->mesh;
  int64_t *at = xcalloc(m->n_axes + 1, sizeof *at), *devices = xcalloc((size_t)c->run->dist.n_devices, sizeof *devices);
  bool *sums = xcalloc(m->n_axes + 1, sizeof *sums), ok = true;
  for (uint32_t k = 0; k < o->layout.n_partial; k++) sums[o->layout.partial[k]] = true;
  block_coordinate(m, p->device, at);
  int64_t n = block_addends(m, at, sums, devices);
  for (int64_t k = 0; k < n && ok; k++) {
    const Num *v = rigour_value(rigour, dist, devices[k], p->in_block);
    ok = v != NULL;
    if (ok && k == 0) num_set(sum, v);
    else if (ok) num_add(sum, sum, v, precision);
  }
  free(at);
  free(devices);
  free(sums);
  return ok;
}

Certified certify(Certifier *c, const Related *o, const Comparison *in, const OutputElement *p, Arena *a,
                  ExactWitness *witness, const char **why) {
  const ExactOptions *opt = &c->run->problem.options;
  NodeId seq, dist;
  if (!compare_nodes(c->run, o, &seq, &dist)) return CERTIFIED_UNKNOWN;
  Certified result = CERTIFIED_UNKNOWN;
  *why = "undecided at the largest precision";
  Num got;
  num_init(&got);
  uint32_t precision = opt->precision < 64 ? 64 : opt->precision;
  for (int level = 0; level < LEVELS && result == CERTIFIED_UNKNOWN; level++, precision *= 2) {
    if (level > 0 && precision > opt->max_precision) break;
    if (rigour_clock() > c->deadline) {
      *why = "out of time";
      break;
    }
    if (!c->seq[level]) c->seq[level] = rigour_new(&c->run->seq, precision, opt->max_exact, c->deadline);
    if (!c->dist[level]) c->dist[level] = rigour_new(&c->run->dist, precision, opt->max_exact, c->deadline);
    const Num *want = rigour_value(c->seq[level], seq, 0, p->in_whole);
    if (!want || !distributed_value(c, c->dist[level], o, dist, p, &got, precision)) {
      *why = "too large to evaluate exactly";
      break;
    }
    if (want->kind == NUM_UNKNOWN || got.kind == NUM_UNKNOWN) {
      *why = "it depends on an undecidable comparison or an undefined value";
    } else if (num_differ(want, &got, precision)) {
      result = CERTIFIED_DIFFERENT;
      fill_witness(c->run, o, p, want, &got, precision, a, witness);
    } else if (num_compare(want, &got, precision) == 0 || distance(want, &got, precision) <= opt->agree * in->top) {
      result = CERTIFIED_EQUAL;
    }
  }
  num_clear(&got);
  return result;
}
