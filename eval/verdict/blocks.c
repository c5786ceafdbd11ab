#include "eval/verdict/blocks.h"

#include "eval/quotient/quotient.h"

enum { MOST_NUMBERS = 40000000, MOST_WORK = 400000000, SECONDS = 3 };

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

/* Of the outputs that differ in doubles the one that least has to be evaluated for; n_outputs: none does. */
static uint32_t nearest(const CheckReport *r, const Quotient *q, const ExactReport *report) {
  const Graph *g = r->problem->graph[SIDE_DIST];
  uint32_t best = r->n_outputs, least = UINT32_MAX;
  for (uint32_t k = 0; k < report->n_outputs; k++) {
    uint32_t at = quotient_output(q, k);
    if (report->outputs[k].status == EXACT_DIFFER) return r->n_outputs;
    if (report->outputs[k].status != EXACT_UNKNOWN || !(report->outputs[k].difference > 0)) continue;
    uint32_t n = n_reached(g, g->outputs.at[r->outputs[at].related->dist].node);
    if (n < least) least = n, best = at;
  }
  return best;
}

/* At inputs of which some may be 0, or none; of all open outputs, or of that one. */
static uint32_t evaluate(CheckReport *r, const ExactProblem *whole, bool zeros, uint32_t only) {
  uint32_t next = r->n_outputs;
  bool any = false, *open = open_outputs(r, &any);
  for (uint32_t k = 0; k < r->n_outputs && only < r->n_outputs; k++) open[k] &= k == only;
  QuotientOptions o = {MOST_NUMBERS, MOST_WORK, SECONDS, zeros, 0};
  Quotient *q = any ? quotient_new(r->problem, open, &o) : NULL;
  if (q) {
    ExactProblem e = quotient_problem(q);
    e.options = whole->options;
    e.literals = whole->literals;
    e.options.aside = false;
    e.numbers_only = true; /* a quotient may have no value at such inputs alone */
    ExactReport *report = exact_compare(&e);
    vec_push(&r->blocks, report);
    take(r, q, report);
    next = nearest(r, q, report);
  }
  quotient_free(q);
  free(open);
  return next;
}

void blocks_evaluate(CheckReport *r, const ExactProblem *whole) {
  for (int zeros = 0; zeros < 2; zeros++) {
    uint32_t only = evaluate(r, whole, zeros, r->n_outputs);
    if (only < r->n_outputs) evaluate(r, whole, zeros, only); /* what is too large for all may do for one */
  }
}
