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

/* At inputs of which some may be 0, or none. */
static void evaluate(CheckReport *r, const ExactProblem *whole, bool zeros) {
  bool any = false, *open = open_outputs(r, &any);
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
  }
  quotient_free(q);
  free(open);
}

void blocks_evaluate(CheckReport *r, const ExactProblem *whole) {
  evaluate(r, whole, false);
  evaluate(r, whole, true);
}
