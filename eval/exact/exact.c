/* exact: compares all outputs at several points; see exact.h. */
#include "eval/exact/exact.h"

#include <math.h>
#include <string.h>

#include "eval/exact/aside.h"
#include "eval/exact/element.h"
#include "eval/exact/rigour.h"
#include "lang/base/clock.h"

/* Points added when an output differs by little. */
#define NEAR_POINTS 3

#define NAN_POINTS 12 /* others at which a NaN must be there as well */

#define LACK_PRECISION 128 /* bits, for an element without a value in doubles .. */
#define LACK_WORK 1000000  /* .. element operations on either graph .. */
#define LACK_SECONDS 1     /* .. beyond which it is taken for none */

/* Axes over which output o is declared a sum. */
static bool *declared_sums(const Mesh *m, const Related *o) {
  bool *sums = xcalloc(m->n_axes + 1, sizeof *sums);
  for (uint32_t k = 0; k < o->layout.n_partial; k++) sums[o->layout.partial[k]] = true;
  return sums;
}

/* "`divide` divide.7 (models/norm.py:12)" */
static const char *node_text(const Graph *g, NodeId id, Arena *a) {
  const Node *n = &g->nodes.at[id];
  Sym at = node_at(g, id);
  return arena_printf(a, "`%s` %s%s%s%s", sym_text(n->op), sym_text(n->name), at ? " (" : "", sym_text(at), at ? ")" : "");
}

static const char *unknown(const Instance *in, Arena *a) {
  const char *why = in->why_opaque ? in->why_opaque : "no definition";
  bool missing = !strcmp(why, "no definition");
  return arena_printf(a, "is an unknown function: %s%s", why, missing ? " (--with=FILE.tvr adds one)" : "");
}

/* The first operator with unknown elements that node `id` depends on; NO_NODE: none has some. */
static NodeId first_unknown(const GraphRun *s, NodeId id) {
  const Graph *g = s->source->graph;
  bool *on = xcalloc(g->nodes.len, sizeof *on);
  NodeId found = NO_NODE;
  on[id] = true;
  for (NodeId i = id + 1; i-- > 0;)
    for (uint32_t k = 0; on[i] && k < g->nodes.at[i].n_args; k++) on[g->nodes.at[i].args[k]] = true;
  for (NodeId i = 0; i <= id && found == NO_NODE; i++)
    if (on[i] && field_lacks(&s->fields[i])) found = i;
  free(on);
  return found;
}

/* Why an output has unknown elements: the first operator it depends on that has some. */
static const char *cause(const ExactRun *r, const Related *o, Arena *a) {
  NodeId nodes[2];
  if (!compare_nodes(r, o, &nodes[0], &nodes[1])) return "the relation does not fit the outputs of the graphs";
  for (int side = 0; side < 2; side++) {
    const GraphRun *s = side ? &r->dist : &r->seq;
    NodeId i = first_unknown(s, nodes[side]);
    if (i == NO_NODE) continue;
    const Instance *in = s->source->instances[i];
    return arena_printf(a, "%s of the %s graph %s", node_text(s->source->graph, i, a), side ? "distributed" : "sequential",
                        !in ? "does not fit its definition" :
                        !in->opaque ? "is undefined somewhere" :
                        unknown(in, a));
  }
  return "sums of infinities";
}

static Comparison compare_declared(const ExactRun *r, const Related *o) {
  bool *sums = declared_sums(&r->problem.relation->mesh, o);
  Comparison c = compare_output(r, o, sums, 1);
  free(sums);
  return c;
}

/* Whether an operator that gave some doubles no value gives none: not if one was merely too large for a double. */
static bool is_undefined(const ExactRun *r, bool dist, NodeId id) {
  const GraphRun *s = dist ? &r->dist : &r->seq;
  const Field *f = &s->fields[id];
  int64_t device = 0;
  uint64_t i = 0;
  while (device < s->n_devices && (i = field_first_nan(f, field_class(f, device))) == f->n) device++;
  if (device == s->n_devices) return false;
  Arena a = {0};
  ExactElements *e = exact_elements_new(r, LACK_PRECISION, LACK_WORK, LACK_SECONDS);
  const char *value = exact_element(e, dist, id, device, i, &a);
  bool undefined = !value || !strcmp(value, "unknown") || !strcmp(value, "NaN");
  exact_elements_free(e);
  arena_free(&a);
  return undefined;
}

bool exact_lacks(const ExactRun *r, const Related *o, ExactLack *out) {
  NodeId nodes[2];
  if (r->why || !compare_nodes(r, o, &nodes[0], &nodes[1])) return false;
  Comparison c = compare_declared(r, o);
  if (c.misfit || (!c.n_only[0] && !c.n_only[1])) return false;
  out->dist = c.n_only[0] > 0;
  const GraphRun *s = out->dist ? &r->dist : &r->seq;
  out->node = first_unknown(s, nodes[out->dist]);
  const Instance *in = out->node == NO_NODE ? NULL : s->source->instances[out->node];
  return in && !in->opaque && is_undefined(r, out->dist, out->node);
}

/* Certifies an output at one point. */
static void settle(Certifier *certifier, const Related *o, const Comparison *c, Arena *a, ExactOutput *out) {
  const char *why = NULL;
  Difference d = {0};
  Certified v = certify(certifier, o, c, a, &d, &why);
  if (v == CERTIFIED_DIFFERENT) {
    out->status = EXACT_DIFFER;
    out->why = NULL;
    out->witness = certify_witness(certifier, o, c, &d, a);
  } else if (v == CERTIFIED_UNKNOWN) {
    out->status = EXACT_UNKNOWN;
    out->why = arena_printf(a, "differs in doubles, but this could not be made certain: %s", why);
  } else if (out->status != EXACT_UNKNOWN) {
    out->difference = 0; /* noise of doubles */
  }
}

/* Points at which NaNs count: where many values are equal, a quotient that is another form of a number may be 0 / 0. */
static bool is_random(uint64_t seed) { return !(seed & (EXACT_COARSE | EXACT_LEAST | EXACT_MOST | EXACT_FAR)); }

/* Whether no unknown function is the cause. */
static bool is_known(const ExactRun *r, const Related *o) {
  NodeId seq, dist;
  if (!compare_nodes(r, o, &seq, &dist) || (dist = first_unknown(&r->dist, dist)) == NO_NODE) return false;
  const Instance *in = r->dist.source->instances[dist];
  return in ? !in->opaque : r->dist.source->graph->nodes.at[dist].literal != NULL;
}

/* At other points the element is missing as well: it does not hang on the inputs, as where a mask happens to be empty. */
static bool is_missing_always(const ExactRun *r, const Related *o, const OutputElement *p, double deadline) {
  bool missing = true;
  for (uint64_t i = 1; i <= NAN_POINTS && missing; i++) {
    const char *why;
    ExactRun *at = exact_run(&r->problem, r->seed + i, &why);
    NodeId seq, dist;
    missing = !why && compare_nodes(at, o, &seq, &dist) && clock_spent() < deadline;
    const double *want = missing ? field_at(&at->seq.fields[seq], 0) : NULL;
    missing = want && !isnan(want[p->in_whole]) && isnan(compare_sum(at, dist, &p->device, 1, p->in_block));
    exact_run_free(at);
  }
  return missing;
}

/* The sequential program has a number where the other one has a NaN: one that is written there, or whatever the inputs. */
static void take_nan(const ExactRun *r, const Related *o, const Comparison *c, double deadline, Arena *a, ExactOutput *out) {
  Difference d = {0};
  Certifier *certifier = certifier_new(r, NULL, deadline, true);
  if (certify_nan(certifier, o, c, a, &d) && (d.literal || is_missing_always(r, o, &c->lacking, deadline))) {
    out->status = EXACT_DIFFER;
    out->why = NULL;
    out->witness = certify_witness(certifier, o, c, &d, a);
  }
  certifier_free(certifier);
}

/* Without a certifier a difference will be made certain later. */
static void take(const ExactRun *r, const Related *o, Comparison c, Certifier *certifier, double deadline, Arena *a,
                 bool settled, ExactOutput *out) {
  const ExactOptions *opt = &r->problem.options;
  out->n_unknown += c.n_unknown;
  if (c.misfit) {
    out->status = EXACT_UNKNOWN;
    out->why = c.misfit;
    return;
  }
  out->points++;
  if (c.n_unknown && out->status == EXACT_AGREE) {
    out->status = EXACT_UNKNOWN;
    out->why = cause(r, o, a);
  }
  double before = out->difference;
  if (c.difference > out->difference) out->difference = c.difference;
  if (c.difference >= opt->differ) {
    if (certifier) settle(certifier, o, &c, a, out);
    else out->status = EXACT_DIFFER, out->why = NULL;
    if (out->difference == 0) out->difference = before;
    if ((out->status == EXACT_DIFFER || out->status == EXACT_UNKNOWN) && clock_spent() < deadline)
      compare_explain(r, o, fmin(opt->differ, 1e-6), a, &out->holds);
  } else if (c.difference > opt->agree && out->status == EXACT_AGREE) {
    out->status = EXACT_NEAR;
  }
  bool nan = c.n_only[0] && out->status != EXACT_DIFFER && !settled && !o->layout.n_partial && is_random(r->seed);
  nan = nan && r->problem.literals != LITERALS_MASKS; /* which reads numbers as infinities */
  nan = nan && !r->problem.numbers_only;
  if (nan && is_known(r, o)) take_nan(r, o, &c, deadline, a, out);
}

/* Whether output i is to be compared at this point. */
static bool is_asked(const ExactProblem *p, const ExactReport *rep, uint64_t seed, uint32_t i) {
  return rep->outputs[i].status != EXACT_DIFFER && !(seed & EXACT_COARSE && p->settled && p->settled[i]);
}

/* Outputs that are not proved are likely to differ. */
static Aside *begin_aside(ExactRun *r, double deadline) {
  const ExactProblem *p = &r->problem;
  bool *open = xcalloc(p->relation->n_outputs + 1, sizeof *open);
  for (uint32_t i = 0; i < p->relation->n_outputs; i++) open[i] = !(p->settled && p->settled[i]);
  Aside *x = aside_early(r, open, p->relation->n_outputs, deadline);
  free(open);
  return x;
}

/* One point; false when the problem cannot be evaluated. */
static bool compare_point(const ExactProblem *p, uint64_t seed, double deadline, Notes *notes, ExactReport *rep) {
  ExactRun *r = run_begin(p, seed, notes);
  bool *wanted = xcalloc(rep->n_outputs + 1, sizeof *wanted);
  Comparison *compared = xcalloc(rep->n_outputs + 1, sizeof *compared);
  Aside *aside = p->options.aside && seed == p->options.seed ? begin_aside(r, deadline) : NULL;
  bool ok = run_evaluate(r);
  rep->work += r->budget.work;
  if (!ok) rep->not_evaluated = arena_printf(&rep->arena, "%s", r->why);
  for (uint32_t i = 0; i < rep->n_outputs && ok; i++) {
    if (!is_asked(p, rep, seed, i)) continue;
    compared[i] = compare_declared(r, &p->relation->outputs[i]);
    wanted[i] = compared[i].difference >= p->options.differ;
  }
  bool refuted = false;
  for (uint32_t i = 0; i < rep->n_outputs; i++) refuted |= rep->outputs[i].status == EXACT_DIFFER;
  if (p->options.aside) aside = aside_start(aside, r, wanted, compared, rep->n_outputs, deadline, refuted);
  Certifier *certifier = aside ? NULL : certifier_new(r, wanted, deadline, refuted);
  for (uint32_t i = 0; i < rep->n_outputs && ok; i++)
    if (is_asked(p, rep, seed, i))
      take(r, &p->relation->outputs[i], compared[i], certifier, deadline, &rep->arena, p->settled && p->settled[i],
           &rep->outputs[i]);
  if (notes) {
    rep->notes = ARENA_ARRAY(&rep->arena, const char *, notes->len + 1);
    for (size_t i = 0; i < notes->len; i++) rep->notes[rep->n_notes++] = arena_printf(&rep->arena, "%s", notes->at[i]);
  }
  certifier_free(certifier);
  free(wanted);
  free(compared);
  if (aside) vec_push(&rep->asides, aside);
  if (ok && seed == p->options.seed) rep->first = r;
  else if (!aside) exact_run_free(r);
  return ok;
}

/* Whether another point could tell more. */
static bool worth_a_point(const ExactProblem *p, const ExactReport *rep, bool extra) {
  for (uint32_t i = 0; i < rep->n_outputs; i++)
    if (p->settled && p->settled[i] && rep->outputs[i].points) continue;
    else if (extra ? rep->outputs[i].status == EXACT_NEAR : rep->outputs[i].status != EXACT_DIFFER) return true;
  return rep->n_outputs == 0;
}

ExactReport *exact_compare(const ExactProblem *p) {
  ExactReport *rep = xcalloc(1, sizeof *rep);
  const Relation *rel = p->relation;
  double deadline = clock_spent() + p->options.seconds;
  rep->n_outputs = rel->n_outputs;
  rep->outputs = ARENA_ARRAY(&rep->arena, ExactOutput, rel->n_outputs + 1);
  for (uint32_t i = 0; i < rel->n_outputs; i++) {
    rep->outputs[i].name = rel->outputs[i].name;
    rep->outputs[i].holds.factor = RAT_1;
  }
  Notes notes = {0};
  for (uint32_t point = 0; point < p->options.points + NEAR_POINTS; point++) {
    if (point > 0 && clock_spent() > deadline) break;
    /* After the points asked for, a few more decide whether a small difference stays small. */
    if (!worth_a_point(p, rep, point >= p->options.points)) break;
    if (!compare_point(p, p->options.seed + point, deadline, point == 0 ? &notes : NULL, rep)) break;
  }
  vec_free(&notes);
  for (uint32_t i = 0; i < rel->n_outputs; i++)
    if (rep->outputs[i].points == 0 && rep->outputs[i].status == EXACT_AGREE) {
      rep->outputs[i].status = EXACT_UNKNOWN;
      rep->outputs[i].why = rep->not_evaluated ? rep->not_evaluated : "out of time";
    }
  return rep;
}

static void drop_asides(ExactReport *r) {
  for (size_t i = 0; i < r->asides.len; i++) {
    ExactRun *run = aside_free(r->asides.at[i]);
    if (run != r->first) exact_run_free(run);
  }
  vec_free(&r->asides);
}

bool exact_settle(ExactReport *r) {
  bool ok = true;
  for (size_t i = 0; i < r->asides.len && ok; i++) ok = aside_finish(r->asides.at[i], &r->arena, r->outputs);
  drop_asides(r);
  return ok;
}

void exact_report_free(ExactReport *r) {
  if (!r) return;
  drop_asides(r);
  exact_run_free(r->first);
  arena_free(&r->arena);
  free(r);
}
