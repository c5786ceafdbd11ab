#include "eval/verdict/doubt.h"

#include "eval/verdict/assume.h"

enum { MOST_WORK = 50000000, MOST_NUMBERS = 5000000 }; /* of a point */
enum { LITTLE_WORK = 300000 };                          /* of all later ones together */

/* Kinds of assumptions without which values may be missing. */
static bool rests_on_values(CheckReport *r, const CheckOptions *o) {
  static const Stated about[] = {STATED_NONZERO, STATED_FINITE, STATED_ROOTS, STATED_NARROWING};
  const Proof *const proofs[] = {r->proof, r->searched, r->assuming};
  uint32_t n = 0;
  for (size_t i = 0; i < sizeof about / sizeof *about && !n; i++)
    if (!(o->stated & 1u << about[i])) assume_kind(r->problem, proofs, 3, about[i], &r->arena, &n);
  return n > 0;
}

/* "out: with the inputs of seed 1, `divide` divide.7 (models/norm.py:12) of the distributed program has no value, where
 * the sequential one has" */
static const char *failing_text(CheckReport *r, uint64_t seed, const ExactLack *l, const CheckOutput *out) {
  static const char *const name[] = {"sequential", "distributed"};
  const Graph *g = r->problem->graph[l->dist];
  const Node *n = &g->nodes.at[l->node];
  Sym at = node_at(g, l->node);
  return arena_printf(&r->arena,
                      "%s: with the inputs of seed %llu, `%s` %s%s%s%s of the %s program has no value, where the %s one has",
                      sym_text(out->name), (unsigned long long)seed, sym_text(n->op), sym_text(n->name), at ? " (" : "",
                      sym_text(at), at ? ")" : "", name[l->dist], name[!l->dist]);
}

/* What fails at the point of a seed. */
static void doubt_at(CheckReport *r, CheckLack *lacks, const ExactRun *run, uint64_t seed) {
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    ExactLack lack;
    CheckOutput *out = &r->outputs[k];
    if (out->verdict != VERDICT_VERIFIED || !exact_lacks(run, out->related, &lack)) continue;
    out->verdict = VERDICT_UNPROVED;
    out->doubted = true;
    lacks[r->n_failing] = (CheckLack){lack.dist ? SIDE_DIST : SIDE_SEQ, lack.node, k};
    r->failing[r->n_failing++] = failing_text(r, seed, &lack, out);
  }
}

/* The point of a seed; how many element operations it took, 0: the pair is too large. */
static uint64_t doubt_seed(CheckReport *r, CheckLack *lacks, const ExactProblem *e, uint64_t seed) {
  const char *why;
  ExactRun *run = exact_run(e, seed, &why);
  doubt_at(r, lacks, run, seed);
  uint64_t work = why ? 0 : exact_work(run) + 1;
  exact_run_free(run);
  return work;
}

void doubt(CheckReport *r, const CheckOptions *o, ExactProblem e) {
  bool some = false;
  for (uint32_t k = 0; k < r->n_outputs; k++) some |= r->outputs[k].verdict == VERDICT_VERIFIED;
  if (!some || r->n_loops || !o->evaluate || !rests_on_values(r, o)) return;
  if (e.options.max_work > MOST_WORK) e.options.max_work = MOST_WORK;
  if (e.options.max_elements > MOST_NUMBERS) e.options.max_elements = MOST_NUMBERS;
  r->failing = ARENA_ARRAY(&r->arena, const char *, r->n_outputs + 1);
  CheckLack *lacks = ARENA_ARRAY(&r->arena, CheckLack, r->n_outputs + 1);
  r->lacks = lacks;
  const ExactOptions *x = &o->exact;
  uint64_t work = doubt_seed(r, lacks, &e, x->seed), most = (uint64_t)x->points + x->later_points;
  if (!work) return;
  doubt_seed(r, lacks, &e, x->seed | EXACT_LEAST);
  doubt_seed(r, lacks, &e, x->seed | EXACT_MOST);
  for (uint64_t i = 1; i < most && i <= LITTLE_WORK / work; i++) doubt_seed(r, lacks, &e, x->seed + i);
}
