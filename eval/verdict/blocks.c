#include "eval/verdict/blocks.h"

#include <math.h>

#include "eval/exact/compare.h"
#include "eval/quotient/quotient.h"

/* As if all devices held other values, which few do: a second try may cost more, where the first says nothing. */
enum { MOST_NUMBERS = 40000000, MOST_WORK = 400000000, MORE = 2, SECONDS = 3, MANY_DEVICES = 8 };
enum { SHORT_BITS = 12, STEADY = 4 };
#define PERTURBED 1e-6

/* Outputs that are open, and whose relation is no guess. */
static bool *open_outputs(const CheckReport *r, bool *any) {
  bool *open = xcalloc(r->n_outputs + 1, sizeof *open);
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    const CheckOutput *out = &r->outputs[k];
    open[k] = out->verdict == VERDICT_UNPROVED && out->inferred != INFER_GUESS;
    *any |= open[k];
  }
  return open;
}

/* ---- rounded literals

 * At such inputs much is 0 by cancellation, and what is left of it is what literals were rounded by: a difference that
 * other roundings would change by much is none. */

static bool is_rounded(Rat r) {
  int exponent;
  double x = rat_is_finite(r) ? ldexp(frexp(rat_to_double(r), &exponent), SHORT_BITS) : 0;
  return x != floor(x);
}

/* The distributed program with other roundings; false: it has no rounded literals. */
static bool perturb(ExactProblem *e, Arena *a) {
  Graph *g = arena_copy(a, e->dist.graph, sizeof *g);
  bool any = false;
  g->nodes.at = arena_copy(a, g->nodes.at, g->nodes.len * sizeof *g->nodes.at);
  for (NodeId id = 0; id < g->nodes.len; id++) {
    Node *n = &g->nodes.at[id];
    bool splat = n->literal && n->literal->kind == LIT_SPLAT && dtype_is_float((DType)n->dtype);
    if (!splat || !is_rounded(n->literal->values[0])) continue;
    Rat other = rat_from_double(rat_to_double(n->literal->values[0]) * (id % 2 ? 1 + PERTURBED : 1 - PERTURBED));
    Literal *l = arena_copy(a, n->literal, sizeof *l);
    l->values = arena_copy(a, &other, sizeof other);
    n->literal = l;
    any = true;
  }
  e->dist.graph = g;
  return any;
}

/* Outputs that differ by a rounding count as not different. */
static void drop_rounded(const ExactProblem *from, ExactReport *report) {
  Arena a = {0};
  ExactProblem e = *from;
  bool any = false;
  for (uint32_t k = 0; k < report->n_outputs; k++) any |= report->outputs[k].status == EXACT_DIFFER;
  e.literals = LITERALS_EXACT;
  for (uint64_t seed = e.options.seed; any && seed < e.options.seed + e.options.points && perturb(&e, &a); seed++) {
    const char *why;
    ExactRun *run = exact_run(&e, seed, &why);
    for (uint32_t k = 0; k < report->n_outputs && !why; k++) {
      ExactOutput *o = &report->outputs[k];
      if (o->status != EXACT_DIFFER || o->witness.seed != seed) continue;
      bool *sums = ARENA_ARRAY(&a, bool, e.relation->mesh.n_axes + 1);
      const Layout *l = &e.relation->outputs[k].layout;
      for (uint32_t i = 0; i < l->n_partial; i++) sums[l->partial[i]] = true;
      Comparison c = compare_output(run, &e.relation->outputs[k], sums, 1);
      if (fabs(c.difference - o->difference) > o->difference / STEADY) o->status = EXACT_NEAR;
    }
    exact_run_free(run);
    e.dist = from->dist;
  }
  arena_free(&a);
}

static void take(CheckReport *r, const Quotient *q, ExactReport *report) {
  const char *how = quotient_text(q, &r->arena);
  for (uint32_t k = 0; k < report->n_outputs; k++) {
    CheckOutput *out = &r->outputs[quotient_output(q, k)];
    ExactOutput *is = &report->outputs[k];
    bool rebuildable = out->inferred == INFER_ONLY && is->holds.found && is->holds.factor == RAT_1;
    if (is->status != EXACT_DIFFER || rebuildable) continue;
    quotient_lift(q, k, &is->witness, &report->arena);
    out->exact = is;
    out->blocks = how;
    out->verdict = VERDICT_REFUTED;
  }
}

static uint32_t n_reached(const Graph *g, NodeId output) {
  bool *on = xcalloc(output + 1u, sizeof *on);
  uint32_t n = 0;
  on[output] = true;
  for (NodeId id = output + 1; id-- > 0;) {
    n += on[id];
    for (uint32_t k = 0; on[id] && k < g->nodes.at[id].n_args; k++) on[g->nodes.at[id].args[k]] = true;
  }
  free(on);
  return n;
}

/* Of the outputs that differ in doubles, or of all where these are too many to be evaluated, the one that least has to be
 * evaluated for; n_outputs: none does. */
static uint32_t nearest(const CheckReport *r, const Quotient *q, const ExactReport *report) {
  const Graph *g = r->problem->graph[SIDE_DIST];
  uint32_t best = r->n_outputs, least = UINT32_MAX;
  for (uint32_t k = 0; k < report->n_outputs; k++) {
    uint32_t at = quotient_output(q, k);
    if (report->outputs[k].status == EXACT_DIFFER) return r->n_outputs;
    bool differs = report->outputs[k].status == EXACT_UNKNOWN && report->outputs[k].difference > 0;
    if (!differs && !report->not_evaluated) continue;
    uint32_t n = n_reached(g, g->outputs.at[r->outputs[at].related->dist].node);
    if (n < least) least = n, best = at;
  }
  return best;
}

typedef struct Try {
  uint64_t times; /* as many numbers, as much work */
  bool zeros, axes;
} Try;

/* At inputs of which some may be 0, or none; of all open outputs, or of that one. */
static uint32_t evaluate(CheckReport *r, const ExactProblem *whole, Try how, uint32_t only) {
  uint32_t next = r->n_outputs;
  bool any = false, *open = open_outputs(r, &any);
  for (uint32_t k = 0; k < r->n_outputs && only < r->n_outputs; k++) open[k] &= k == only;
  QuotientOptions o = {how.times * MOST_NUMBERS, how.times * MOST_WORK, SECONDS, how.zeros, how.axes, 0};
  Quotient *q = any ? quotient_new(r->problem, open, &o) : NULL;
  if (q) {
    ExactProblem e = quotient_problem(q);
    e.options = whole->options;
    e.literals = whole->literals;
    e.options.aside = false;
    e.numbers_only = true; /* a quotient may have no value at such inputs alone */
    ExactReport *report = exact_compare(&e);
    drop_rounded(&e, report);
    vec_push(&r->blocks, report);
    take(r, q, report);
    next = nearest(r, q, report);
  }
  quotient_free(q);
  free(open);
  return next;
}

static bool any_refuted(const CheckReport *r) {
  for (uint32_t k = 0; k < r->n_outputs; k++)
    if (r->outputs[k].verdict == VERDICT_REFUTED) return true;
  return false;
}

void blocks_evaluate(CheckReport *r, const ExactProblem *whole) {
  bool many = r->problem->relation->mesh.n_devices >= MANY_DEVICES;
  for (uint32_t k = 0; k < (many ? 8 : 4) && !any_refuted(r); k++) {
    Try how = {k & 2 ? MORE : 1, k & 1, k & 4};
    uint32_t only = evaluate(r, whole, how, r->n_outputs);
    if (only < r->n_outputs) evaluate(r, whole, how, only); /* what is too large for all may do for one */
  }
}
