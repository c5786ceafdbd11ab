/* exact: compares all outputs at several points; see exact.h. */
#include "eval/exact/exact.h"

#include <math.h>

#include "eval/exact/certify.h"
#include "eval/exact/rigour.h"

/* Axes over which output o is declared a sum. */
static bool *declared_sums(const Mesh *m, const Related *o) {
  bool *sums = xcalloc(m->n_axes + 1, sizeof *sums);
  for (uint32_t k = 0; k < o->layout.n_partial; k++) sums[o->layout.partial[k]] = true;
  return sums;
}

/* Why an output has unknown elements: the last operator before it that has no value at all. */
static const char *cause(const ExactRun *r, const Related *o, Arena *a) {
  NodeId nodes[2];
  if (!compare_nodes(r, o, &nodes[0], &nodes[1])) return "the relation does not fit the outputs of the graphs";
  const char *found = NULL;
  for (int side = 0; side < 2 && !found; side++) {
    const Side *s = side ? &r->dist : &r->seq;
    const Graph *g = s->source->graph;
    bool *on = xcalloc(g->nodes.len, sizeof *on);
    on[nodes[side]] = true;
    for (NodeId i = nodes[side] + 1; i-- > 0;) {
      if (!on[i]) continue;
      const Node *n = &g->nodes.at[i];
      const Instance *in = s->source->instances[i];
      for (uint32_t k = 0; k < n->n_args; k++) on[n->args[k]] = true;
      bool unknown = true;
      for (uint32_t c = 0; c < s->fields[i].n_classes; c++) unknown = unknown && !s->fields[i].at[c];
      if (unknown && n->n_args + (in != NULL) > 0)
        found = arena_printf(a, "depends on `%s` (%s), %s", sym_text(n->op), sym_text(n->name),
                             in && in->opaque && in->why_opaque ? in->why_opaque : "which cannot be evaluated");
    }
    free(on);
  }
  return found ? found : "undefined somewhere: a division by 0, an undecided comparison, infinities that cancel";
}

/* Certifies the largest differences of one output at one point. */
static void settle(Certifier *certifier, const Related *o, const Comparison *c, Arena *a, ExactOutput *out) {
  bool equal = true;
  for (uint32_t k = 0; k < c->n_kept && out->status != EXACT_DIFFER; k++) {
    const char *why = NULL;
    Certified v = certify(certifier, o, c, &c->kept[k], a, &out->witness, &why);
    if (v == CERTIFIED_DIFFERENT) {
      out->status = EXACT_DIFFER;
      out->why = NULL;
    } else if (v == CERTIFIED_UNKNOWN) {
      equal = false;
      out->status = EXACT_UNKNOWN;
      out->why = arena_printf(a, "differs in doubles, but this could not be made certain: %s", why);
    }
  }
  if (equal && out->status != EXACT_DIFFER && out->status != EXACT_UNKNOWN)
    out->difference = 0; /* noise of doubles */
}

static void compare_at(const ExactRun *r, const Related *o, Certifier *certifier, Arena *a, ExactOutput *out) {
  const ExactOptions *opt = &r->problem.options;
  bool *sums = declared_sums(&r->problem.relation->mesh, o);
  Comparison c = compare_output(r, o, sums, 1);
  free(sums);
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
    settle(certifier, o, &c, a, out);
    if (out->difference == 0) out->difference = before;
    if (out->status == EXACT_DIFFER || out->status == EXACT_UNKNOWN)
      compare_explain(r, o, fmin(opt->differ, 1e-6), a, &out->holds);
  } else if (c.difference > opt->agree && out->status == EXACT_AGREE) {
    out->status = EXACT_NEAR;
  }
}

ExactReport *exact_compare(const ExactProblem *p) {
  ExactReport *rep = xcalloc(1, sizeof *rep);
  const Relation *rel = p->relation;
  double deadline = rigour_clock() + p->options.seconds;
  rep->n_outputs = rel->n_outputs;
  rep->outputs = ARENA_ARRAY(&rep->arena, ExactOutput, rel->n_outputs + 1);
  for (uint32_t i = 0; i < rel->n_outputs; i++) {
    rep->outputs[i].name = rel->outputs[i].name;
    rep->outputs[i].holds.factor = RAT_1;
  }
  Notes notes = {0};
  bool more = true;
  for (uint32_t point = 0; point < p->options.points && more; point++) {
    if (point > 0 && rigour_clock() > deadline) break;
    ExactRun *r = run_new(p, p->options.seed + point, point == 0 ? &notes : NULL);
    Certifier *certifier = certifier_new(r, deadline);
    rep->work += r->budget.work;
    if (r->why) {
      rep->not_evaluated = arena_printf(&rep->arena, "%s", r->why);
      more = false;
    }
    for (uint32_t i = 0; i < rel->n_outputs && !r->why; i++)
      if (rep->outputs[i].status != EXACT_DIFFER)
        compare_at(r, &rel->outputs[i], certifier, &rep->arena, &rep->outputs[i]);
    if (point == 0) {
      rep->notes = ARENA_ARRAY(&rep->arena, const char *, notes.len + 1);
      for (size_t i = 0; i < notes.len; i++) rep->notes[rep->n_notes++] = arena_printf(&rep->arena, "%s", notes.at[i]);
    }
    certifier_free(certifier);
    exact_run_free(r);
  }
  vec_free(&notes);
  for (uint32_t i = 0; i < rel->n_outputs; i++)
    if (rep->outputs[i].points == 0 && rep->outputs[i].status == EXACT_AGREE) {
      rep->outputs[i].status = EXACT_UNKNOWN;
      rep->outputs[i].why = rep->not_evaluated ? rep->not_evaluated : "out of time";
    }
  return rep;
}

void exact_report_free(ExactReport *r) {
  if (!r) return;
  arena_free(&r->arena);
  free(r);
}
