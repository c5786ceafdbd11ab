/* The order of things: prove, evaluate, search, blame. */
#include "eval/verdict/check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "eval/verdict/assume.h"
#include "eval/verdict/blocks.h"
#include "eval/verdict/causes.h"
#include "eval/verdict/define.h"
#include "eval/verdict/doubt.h"
#include "eval/verdict/masks.h"
#include "eval/prove/waypoint.h"
#include "lang/base/clock.h"

enum { LARGE = 500 }; /* nodes of both graphs from which on parts are proved before the whole is tried again */
enum { MANY = 8000 }; /* .. up to which causes are looked for at smaller sizes */
enum { BRIEF = 16 }; /* that part of its time the search takes for a first look */
enum { WHOLE = 32 };  /* .. and at most that part for all of a small pair, before its parts */
enum { FAR_POINTS = 8 }; /* at which a few numbers are large */
enum { FEW_POINTS = 4 }; /* more of them, where the first ones leave outputs open */
enum { LATER_WORK = 50000000 }; /* element operations of all points at which what is open is evaluated at last */

const char *verdict_text(Verdict v) {
  static const char *const text[] = {"verified", "refuted", "unproved", "internal error"};
  return text[v];
}

const char *phase_text(Phase p) {
  static const char *const text[PHASE_COUNT] = {"proving", "evaluating", "searching", "blaming"};
  return text[p];
}

CheckOptions check_defaults(void) {
  CheckOptions o = {.prove = PROVE_OPTIONS,
                    .exact = exact_defaults(),
                    .refuted_seconds = 2,
                    .tactics = true,
                    .evaluate = true,
                    .blame = true};
  o.exact.aside = true;
  return o;
}

typedef struct Checker {
  CheckReport *r;
  const CheckOptions *o;
  Phase phase;
  double since;
} Checker;

static void begin(Checker *k, Phase phase) {
  k->phase = phase;
  k->since = clock_passed();
  if (k->o->progress) k->o->progress(k->o->context, phase);
}

static void end(Checker *k) { k->r->seconds[k->phase] += clock_passed() - k->since; }

/* "dimension 1 is cut over tp; a sum over dp" */
static const char *layout_words(const Layout *l, int64_t divided, const Mesh *m, Arena *a) {
  const char *out = NULL;
  for (uint32_t d = 0; d < l->rank; d++) {
    for (uint32_t k = 0; k < l->dims[d].n; k++) {
      const char *axis = sym_text(m->axes[l->dims[d].axes[k]].name);
      out = k ? arena_printf(a, "%s, then %s", out, axis)
              : arena_printf(a, "%s%sdimension %u is cut over %s", out ? out : "", out ? "; " : "", d, axis);
    }
  }
  for (uint32_t k = 0; k < l->n_partial; k++)
    out = arena_printf(a, "%s%s%s", out ? out : "", !k ? (out ? "; the sum over " : "the sum over ") : ", ",
                       sym_text(m->axes[l->partial[k]].name));
  if (out && divided) return arena_printf(a, "%s of the devices' values, divided by %lld", out, (long long)divided);
  if (out) return l->n_partial ? arena_printf(a, "%s of the devices' values", out) : out;
  return m->n_devices > 1 ? "the same on every device" : "equal";
}

/* As the language writes it: a word, or a string. */
static const char *written(Sym name, Arena *a) {
  const char *s = sym_text(name);
  bool word = *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(s) &&
              !(*s >= '0' && *s <= '9');
  return word ? s : arena_printf(a, "\"%s\"", s);
}

/* "dist.y[i, j] == seq.y[i, (tp, j)]", with the sum over the axes of which the values are addends; the names of both.
 */
static const char *equation(const Related *o, Sym dist, Sym seq, const Mesh *m, Arena *a) {
  Layout whole = o->layout,
         plain = {.rank = o->layout.rank, .dims = arena_alloc(a, o->layout.rank * sizeof *plain.dims)};
  whole.n_partial = 0;
  const char *sum = "";
  for (uint32_t k = 0; k < o->layout.n_partial; k++)
    sum = arena_printf(a, "%s%s%s", sum, k ? ", " : "sum(", sym_text(m->axes[o->layout.partial[k]].name));
  const char *open = o->layout.rank ? layout_print(&plain, m, a) : "";
  const char *by = o->divided ? arena_printf(a, " / %lld", (long long)o->divided) : "";
  return arena_printf(a, "%s%sdist.%s%s%s == seq.%s%s", sum, *sum ? ") " : "", written(dist, a), open, by,
                      written(seq, a), *open ? layout_print(&whole, m, a) : "");
}

/* Values that loops carry have names of their own in either graph. */
static Sym seq_name(const CheckReport *r, const Related *x, Sym otherwise) {
  return x->loop ? r->problem->graph[SIDE_SEQ]->outputs.at[x->seq].name : otherwise;
}

/* Base and step stand next to each other behind the outputs of the programs (loops_relation). */
static void describe_loops(CheckReport *r) {
  const Graph *seq = r->problem->graph[SIDE_SEQ], *dist = r->problem->graph[SIDE_DIST];
  r->n_loops = (uint32_t)dist->loops.len;
  r->loops = ARENA_ARRAY(&r->arena, CheckLoop, r->n_loops);
  for (uint32_t i = 0; i < r->n_loops; i++) {
    const Loop *l = &dist->loops.at[i];
    const Frames *f = &dist->frames.at[l->frames];
    r->loops[i] = (CheckLoop){.name = l->name, .at = f->n ? f->at[0] : 0, .trips = l->trips};
    r->loops[i].invariants = ARENA_ARRAY(&r->arena, CheckInvariant, l->n + 1);
  }
  for (uint32_t k = r->n_results; k + 1 < r->n_outputs; k += 2) {
    const CheckOutput *base = &r->outputs[k];
    const Related *x = base->related;
    const Loop *s = &seq->loops.at[x->loop - 1], *d = &dist->loops.at[x->loop - 1];
    CheckLoop *l = &r->loops[x->loop - 1];
    uint32_t i = 0, j = 0;
    while (s->carried[i].first != x->seq) i++;
    while (d->carried[j].first != x->dist) j++;
    const char *relation = equation(x, d->carried[j].name, s->carried[i].name, &r->problem->relation->mesh, &r->arena);
    l->invariants[l->n++] = (CheckInvariant){relation, base->words, base, base + 1};
  }
}

static void list_unrelated(CheckReport *r) {
  const Relation *rel = r->problem->relation;
  const Graph *seq = r->problem->graph[SIDE_SEQ];
  r->unrelated = ARENA_ARRAY(&r->arena, const char *, graph_n_results(seq) + 1);
  for (size_t i = 0; i < graph_n_results(seq); i++) {
    bool related = false;
    for (uint32_t k = 0; k < rel->n_outputs && !related; k++) related = rel->outputs[k].seq == (int64_t)i;
    if (related) continue;
    Sym name = seq->outputs.at[i].name ? seq->outputs.at[i].name : seq->nodes.at[seq->outputs.at[i].node].name;
    r->unrelated[r->n_unrelated++] = arena_printf(&r->arena, "result %zu of the sequential program, %s", i, sym_text(name));
  }
}

static void describe(CheckReport *r, const CheckOptions *o) {
  const Relation *rel = r->problem->relation;
  r->n_outputs = rel->n_outputs;
  r->outputs = ARENA_ARRAY(&r->arena, CheckOutput, r->n_outputs);
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    const Related *x = &rel->outputs[k];
    CheckOutput *out = &r->outputs[k];
    out->related = x;
    out->inferred = o->inferred ? o->inferred[k] : INFER_DECLARED;
    out->name = x->name ? x->name : sym(arena_printf(&r->arena, "output %u", k));
    out->words = layout_words(&x->layout, x->divided, &rel->mesh, &r->arena);
    if (x->rearranged) out->words = arena_printf(&r->arena, "%s, its blocks in the order of the relation", out->words);
    Sym dist_name = x->dist_name ? x->dist_name : out->name;
    out->relation = equation(x, dist_name, seq_name(r, x, out->name), &rel->mesh, &r->arena);
    out->verdict = r->proof->outputs[k].proved ? VERDICT_VERIFIED : VERDICT_UNPROVED;
    if (r->proof->outputs[k].proved) out->tactic = r->proof->tactic;
    r->n_results += !x->loop;
  }
  if (r->n_results < r->n_outputs) describe_loops(r);
  list_unrelated(r);
}

/* A guessed relation that does not hold refutes nothing while another one might: one of several that fit the shapes, or
 * one that was seen to hold. */
static bool rebuildable(const CheckOutput *o) {
  const ExactHolds *h = &o->exact->holds;
  return o->inferred == INFER_GUESS || (o->inferred == INFER_ONLY && h->found && h->factor == RAT_1);
}

static ExactProblem exact_problem(const Problem *p, const CheckOptions *o) {
  ExactProblem e = {.relation = p->relation, .options = o->exact, .literals = o->prove.literals};
  e.seq = (ExactSide){p->graph[SIDE_SEQ], p->instance[SIDE_SEQ]};
  e.dist = (ExactSide){p->graph[SIDE_DIST], p->instance[SIDE_DIST]};
  return e;
}

/* Evaluates both graphs; what certainly differs is refuted, unless it was proved: then tvr is wrong. */
static void evaluate(CheckReport *r, const CheckOptions *o) {
  const Problem *p = r->problem;
  ExactProblem e = exact_problem(p, o);
  bool *settled = ARENA_ARRAY(&r->arena, bool, r->n_outputs + 1);
  for (uint32_t k = 0; k < r->n_outputs; k++) settled[k] = r->outputs[k].verdict == VERDICT_VERIFIED;
  e.settled = settled;
  r->exact = exact_compare(&e);
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    r->outputs[k].exact = &r->exact->outputs[k];
    if (r->exact->outputs[k].status != EXACT_DIFFER || rebuildable(&r->outputs[k])) continue;
    r->outputs[k].verdict = r->outputs[k].verdict == VERDICT_VERIFIED ? VERDICT_BROKEN : VERDICT_REFUTED;
  }
}

/* Once more, by this process alone. */
static void evaluate_surely(CheckReport *r, const CheckOptions *o) {
  CheckOptions own = *o;
  own.exact.aside = false;
  for (uint32_t k = 0; k < r->n_outputs; k++)
    r->outputs[k].verdict = r->proof->outputs[k].proved ? VERDICT_VERIFIED : VERDICT_UNPROVED;
  exact_report_free(r->exact);
  evaluate(r, &own);
}

/* Outputs that are open still, as a problem of their own; number[k] is which output its k-th is. */
static Problem *open_problem(CheckReport *r, uint32_t *number) {
  const Relation *rel = r->problem->relation;
  Relation *open = ARENA_NEW(&r->arena, Relation);
  *open = *rel;
  open->outputs = ARENA_ARRAY(&r->arena, Related, r->n_outputs);
  open->n_outputs = 0;
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    if (r->outputs[k].verdict != VERDICT_UNPROVED) continue;
    number[open->n_outputs] = k;
    open->outputs[open->n_outputs++] = rel->outputs[k];
  }
  Problem *p = arena_copy(&r->arena, r->problem, sizeof *p);
  p->relation = open;
  return p;
}

static void take_proved(CheckReport *r, const Proof *p, const uint32_t *number, const char *tactic) {
  for (uint32_t k = 0; k < p->n_outputs; k++) {
    if (!p->outputs[k].proved) continue;
    r->outputs[number[k]].verdict = VERDICT_VERIFIED;
    r->outputs[number[k]].tactic = tactic;
  }
}

static uint32_t n_outputs_of(const CheckReport *r, Verdict v) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < r->n_outputs; k++) n += r->outputs[k].verdict == v;
  return n;
}

/* What evaluation does not refute is worth any number of steps; beside what it refutes, as much as search is. */
static void prove_the_rest(CheckReport *r, ProveOptions o, double seconds) {
  bool refuted = n_outputs_of(r, VERDICT_REFUTED) > 0;
  if (refuted && seconds <= 0) return;
  o.hasty = false;
  if (refuted && seconds < o.attempt_seconds) o.attempt_seconds = seconds;
  Proof *all = prove_direct(r->problem, &o);
  if (refuted && all->n_proved <= r->proof->n_proved) return proof_free(all); /* the other one shows where they part */
  r->proof = proof_join(all, r->proof); /* what the first one alone has proved rests on what it assumed */
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    if (!r->proof->outputs[k].proved || r->outputs[k].verdict != VERDICT_UNPROVED) continue;
    r->outputs[k].verdict = VERDICT_VERIFIED;
    r->outputs[k].tactic = r->proof->tactic;
  }
}

/* Seconds of the search: where one output is refuted, or differs at smaller sizes, what becomes of the others changes
 * little. */
static double search_seconds(const CheckReport *r, const CheckOptions *o) {
  bool wrong = n_outputs_of(r, VERDICT_REFUTED) || (r->smaller && smaller_n_differ(r->smaller));
  return wrong && o->refuted_seconds < o->prove.seconds ? o->refuted_seconds : o->prove.seconds;
}

/* What is left of the time for the search; no attempt may take more. */
static bool time_left(ProveOptions *p, double until) {
  p->seconds = until - clock_spent();
  if (p->attempt_seconds > p->seconds) p->attempt_seconds = p->seconds;
  return p->seconds > 0;
}

static size_t n_nodes(const Problem *p) { return p->graph[SIDE_SEQ]->nodes.len + p->graph[SIDE_DIST]->nodes.len; }

/* All that may prove a problem by itself, joined with what is proved of it. */
static void attempt(Proof **proof, const Problem *p, const ProveOptions *o, bool tactics, double until) {
  ProveOptions left = *o;
  if ((*proof && proof_complete(*proof)) || !time_left(&left, until)) return;
  Proof *own = prove_direct(p, &left);
  if (tactics && time_left(&left, until)) prove_tactics(&own, &left);
  *proof = *proof ? proof_join(*proof, own) : own;
}

/* Values on the way, and what they leave open by tactics. */
static void prove_parts(CheckReport *r, const CheckOptions *o, Problem *p, const ProveOptions *prove, double until) {
  ProveOptions left = *prove;
  if ((r->searched && proof_complete(r->searched)) || !time_left(&left, until)) return;
  ExactProblem e = r->exact->not_evaluated ? *smaller_evaluated(r->smaller) : exact_problem(p, o);
  waypoint_search(&r->searched, p, &left, &e, o->keeps ? &r->stages : NULL, &r->arena);
  Problem rest = r->searched ? r->searched->problem : *p;
  rest.n_flat = 0;
  if (rest.waypoints != p->waypoints) attempt(&r->searched, &rest, prove, true, until - left.seconds / 2);
}

/* The whole, or nothing, by what takes little. */
static void attempt_briefly(CheckReport *r, const CheckOptions *o, const Problem *p, Literals literals, double until) {
  ProveOptions left = o->prove;
  Proof *own = NULL;
  left.literals = literals;
  left.few = true;
  attempt(&own, p, &left, o->tactics, clock_spent() + (until - clock_spent()) / BRIEF);
  if (!own || !proof_complete(own)) return proof_free(own);
  proof_free(r->searched);
  r->searched = own;
}

static bool is_evaluated(const CheckReport *r) { return r->exact && !r->exact->not_evaluated; }

/* What is open: what is small by cases, by parts, what is left by tactics, then the whole by tactics. */
static void search_reading(CheckReport *r, const CheckOptions *o, Problem *p, Literals literals, double until) {
  ProveOptions left = o->prove;
  left.literals = literals;
  bool by_parts = o->tactics && (is_evaluated(r) || (r->smaller && smaller_agrees(r->smaller)));
  bool large = n_nodes(p) > LARGE, again = literals != o->prove.literals;
  left.few = true;
  if (large && again && o->tactics && time_left(&left, until)) prove_sent(&r->searched, p, &left);
  double now = clock_spent();
  if (!by_parts || !large) attempt(&r->searched, p, &left, by_parts, by_parts ? now + (until - now) / WHOLE : until);
  else attempt_briefly(r, o, p, literals, until);
  left.few = false;
  if (by_parts) prove_parts(r, o, p, &left, until);
  attempt(&r->searched, p, &left, o->tactics, until);
}

static bool is_proved(const CheckReport *r) { return r->searched && proof_complete(r->searched); }

/* The search under another reading of literals, if that proves more than `r` has: no proof may join two readings. */
static void search_again(CheckReport *r, const CheckOptions *o, Problem *p, Literals literals, double until) {
  if (is_proved(r)) return;
  Proof *other = r->searched;
  Stages stages = r->stages;
  r->searched = NULL;
  r->stages = (Stages){0};
  search_reading(r, o, p, literals, until);
  uint32_t proved = r->searched ? r->searched->n_proved : 0, before = other ? other->n_proved : 0;
  bool more = proved > before || (!other && literals == o->prove.literals);
  bool stands = !more || literals == o->prove.literals || masks_stand(r->searched); /* what was asked for, or is found */
  if (more && stands) {
    proof_free(other);
    stages_free(&stages);
  } else {
    proof_free(r->searched);
    stages_free(&r->stages);
    r->searched = other;
    r->stages = stages;
  }
  if (!stands) r->hint = "--literals=masks reads all masks as minus infinity and says nothing of what is masked wholly";
  if (is_proved(r)) r->hint = NULL;
}

static void search(CheckReport *r, const CheckOptions *o) {
  uint32_t *number = ARENA_ARRAY(&r->arena, uint32_t, r->n_outputs + 1);
  Problem *p = open_problem(r, number);
  bool agrees = is_evaluated(r), differ, masked = masks(r->problem, &differ);
  masked &= agrees && o->prove.literals == LITERALS_FRACTIONS;
  differ &= masked;
  bool more = masked || r->proof->build.n_left || prove_can_go_on(r->proof);
  if (!p->relation->n_outputs) return;
  if (r->exact && !is_evaluated(r) && !r->smaller) r->smaller = smaller_new(p, &o->exact);
  if (!more) return;
  double until = clock_spent() + search_seconds(r, o);
  if (differ) search_again(r, o, p, LITERALS_MASKS, until - (until - clock_spent()) / 2); /* as numbers, two values */
  search_again(r, o, p, o->prove.literals, until);
  if (masked && !differ) search_again(r, o, p, LITERALS_MASKS, until);
  if (r->searched) take_proved(r, r->searched, number, r->searched->tactic);
}

/* What is too large to be evaluated as it is: where smaller sizes agree, the search comes first, and else a brief one. */
static void evaluate_large(CheckReport *r, const CheckOptions *o, const ExactProblem *whole) {
  uint32_t *number = ARENA_ARRAY(&r->arena, uint32_t, r->n_outputs + 1);
  Problem *p = open_problem(r, number);
  r->smaller = smaller_new(p, &o->exact);
  if (r->smaller && smaller_agrees(r->smaller)) return;
  attempt_briefly(r, o, p, o->prove.literals, clock_spent() + fmin(o->prove.seconds, BRIEF / 2));
  if (r->searched) take_proved(r, r->searched, number, r->searched->tactic);
  else blocks_evaluate(r, whole);
}

/* What proof and search leave open, at more points from a seed on, one by one, until something differs. */
static void evaluate_later(CheckReport *r, const CheckOptions *o, uint64_t seed, uint64_t points) {
  if (!r->exact || r->exact->not_evaluated || !n_outputs_of(r, VERDICT_UNPROVED)) return;
  ExactProblem e = exact_problem(r->problem, o);
  bool *settled = ARENA_ARRAY(&r->arena, bool, r->n_outputs + 1);
  for (uint32_t k = 0; k < r->n_outputs; k++) settled[k] = r->outputs[k].verdict != VERDICT_UNPROVED;
  e.settled = settled;
  e.options.points = 1;
  e.options.aside = false;
  bool found = false;
  for (uint64_t i = 0; i < points && !found; i++) {
    e.options.seed = seed + i;
    ExactReport *at = exact_compare(&e);
    for (uint32_t k = 0; k < r->n_outputs; k++) {
      CheckOutput *out = &r->outputs[k];
      if (settled[k] || at->outputs[k].status != EXACT_DIFFER || rebuildable(out)) continue;
      out->exact = &at->outputs[k];
      out->verdict = VERDICT_REFUTED;
      found = true;
    }
    if (!found) exact_report_free(at);
    else if (!r->later.len) r->later_seed = e.options.seed;
    if (found) vec_push(&r->later, at);
  }
}

/* So many points, or as many of them as cost little. */
static uint64_t affordable(const CheckReport *r, const CheckOptions *o, uint64_t points) {
  uint64_t each = r->exact ? r->exact->work / (o->exact.points + 1) + 1 : 1, most = LATER_WORK / each;
  return most < points ? most : points;
}

static void evaluate_more(CheckReport *r, const CheckOptions *o, uint64_t points) {
  evaluate_later(r, o, o->exact.seed + o->exact.points, affordable(r, o, points));
}

/* Coarse points, where programs differ for equal values alone; the edges of what is allowed, as where a mask keeps nothing;
 * then others: a choice among values may differ for few of them; at last a few large numbers, which pass thresholds. */
static void evaluate_again(CheckReport *r, const CheckOptions *o) {
  if (r->again) return;
  evaluate_later(r, o, o->exact.seed | EXACT_COARSE, o->exact.coarse_points);
  if (o->exact.later_points) evaluate_later(r, o, o->exact.seed | EXACT_LEAST, 1);
  if (o->exact.later_points) evaluate_later(r, o, o->exact.seed | EXACT_MOST, 1);
  evaluate_more(r, o, o->exact.later_points);
  bool far = o->exact.later_points && !masks_low(r->problem);
  if (far) evaluate_later(r, o, o->exact.seed | EXACT_FAR, affordable(r, o, FAR_POINTS));
  r->again = true;
}

/* Some output is refuted, and another one differs but not for certain: other points are likely to tell. */
static bool refuted_in_part(const CheckReport *r) {
  bool differs = false;
  for (uint32_t k = 0; k < r->n_outputs && r->exact; k++)
    differs |= r->outputs[k].verdict == VERDICT_UNPROVED && r->outputs[k].exact->status == EXACT_UNKNOWN &&
               r->outputs[k].exact->difference > 0;
  return differs && n_outputs_of(r, VERDICT_REFUTED);
}

/* What rules say about tensors comes last: only where all else leaves an output open, and evaluation sees no difference. */
static void assume(CheckReport *r, const CheckOptions *o) {
  for (uint32_t k = 0; k < r->n_outputs; k++)
    if (r->outputs[k].verdict == VERDICT_UNPROVED && r->outputs[k].exact && r->outputs[k].exact->status == EXACT_DIFFER)
      return;
  uint32_t *number = ARENA_ARRAY(&r->arena, uint32_t, r->n_outputs + 1);
  r->assuming = equalities_prove(open_problem(r, number), o->equalities, &o->prove, &r->arena);
  if (r->assuming) take_proved(r, r->assuming, number, "equalities that rules assume");
}

static Verdict worst(const CheckReport *r) {
  static const Verdict order[] = {VERDICT_BROKEN, VERDICT_REFUTED, VERDICT_UNPROVED};
  for (int i = 0; i < 3; i++)
    for (uint32_t k = 0; k < r->n_outputs; k++)
      if (r->outputs[k].verdict == order[i]) return order[i];
  return r->n_outputs ? VERDICT_VERIFIED : VERDICT_UNPROVED;
}

static bool any_open(const CheckReport *r) { return n_outputs_of(r, VERDICT_UNPROVED) > 0; }

/* Refuted outputs are explained; where there are none, the unproved ones. */
/* Where the programs differ at smaller sizes, evaluation tells there what to blame; that of many layers takes long. */
static void blame_smaller(CheckReport *r, const CheckOptions *o) {
  if (is_evaluated(r) || !r->smaller || !smaller_n_differ(r->smaller) || n_nodes(r->problem) > MANY) return;
  CheckOptions own = *o;
  own.inferred = NULL;
  own.equalities = NULL;
  own.progress = NULL;
  own.keeps = own.strict = false;
  r->at_smaller = check_run(smaller_problem(r->smaller), &own);
  if (r->at_smaller->verdict == VERDICT_REFUTED && r->at_smaller->blame && r->at_smaller->blame->n) return;
  check_report_free(r->at_smaller);
  r->at_smaller = NULL;
}

const CheckReport *check_causes(const CheckReport *r) { return r->at_smaller ? r->at_smaller : r; }

/* What loops carry was made up, so that where they are read once a difference is none of the programs. */
static const char *at_smaller_sizes(CheckReport *r) {
  if (n_outputs_of(r, VERDICT_REFUTED)) return "outputs are refuted at inputs that are constant in blocks";
  uint32_t n = r->smaller && !r->n_loops ? smaller_n_differ(r->smaller) : 0;
  if (r->smaller && smaller_agrees(r->smaller)) return "the same programs at smaller sizes, which are no proof, agree";
  if (!n) return "`tvr reduce` tries smaller sizes";
  return arena_printf(&r->arena, "the same programs at smaller sizes, which are no proof, differ in %u output%s: "
                                   "`tvr reduce` writes such a pair", n, n == 1 ? "" : "s");
}

static void name_limits(CheckReport *r, const CheckOptions *o) {
  r->limits = ARENA_ARRAY(&r->arena, const char *, 4);
  if (!any_open(r)) return;
  if (r->proof->limited)
    r->limits[r->n_limits++] =
        r->proof->full ? arena_printf(&r->arena, "the proof stopped at %" PRIu64 " megabytes (--attempt-megabytes)",
                                      o->prove.attempt_bytes >> 20)
                       : arena_printf(&r->arena, "the proof stopped after %g seconds (--attempt-seconds)",
                                      o->prove.attempt_seconds);
  if (r->searched && (r->searched->limited || r->searched->full))
    r->limits[r->n_limits++] = r->searched->full ? "an attempt of the search stopped early (--attempt-megabytes)"
                                                 : "an attempt of the search stopped early (--attempt-seconds)";
  double most = search_seconds(r, o);
  if (r->searching >= most && most < o->prove.seconds)
    r->limits[r->n_limits++] =
        arena_printf(&r->arena, "%s, %u still open, stopped after %g seconds (--refuted-seconds)",
                     n_outputs_of(r, VERDICT_REFUTED) ? "an output is refuted: the search for the others"
                 : r->n_loops                        ? "the search"
                                                     : "outputs differ at smaller sizes: the search",
                     n_outputs_of(r, VERDICT_UNPROVED), most);
  else if (r->searching >= most && r->searched && !proof_complete(r->searched))
    r->limits[r->n_limits++] =
        arena_printf(&r->arena, "the search stopped after %g seconds (--seconds)", o->prove.seconds);
  if (r->exact && r->exact->not_evaluated)
    r->limits[r->n_limits++] = arena_printf(&r->arena, "not evaluated: %s (--max-work, --max-numbers); %s",
                                            r->exact->not_evaluated, at_smaller_sizes(r));
}

static void list_assumptions(CheckReport *r, const CheckOptions *o) {
  r->assumptions = assume_list(r->problem, r->proof, r->searched, &r->arena, &r->n_assumptions);
  if (!r->assuming || !r->assuming->n_proved) return;
  uint32_t n, first = r->n_assumptions;
  const char **more = assume_list(r->problem, r->assuming, NULL, &r->arena, &n);
  const char **all = ARENA_ARRAY(&r->arena, const char *, first + n + 1);
  if (first) memcpy(all, r->assumptions, first * sizeof *all);
  for (uint32_t i = 0; i < n; i++) {
    bool known = false;
    for (uint32_t k = 0; k < first; k++) known |= !strcmp(all[k], more[i]);
    if (!known) all[r->n_assumptions++] = more[i];
  }
  r->assumptions = equalities_list(r->problem, o->equalities, all, &r->n_assumptions, &r->arena);
}

void check_refuse(CheckReport *r, Stated kind, const char *text) {
  const char **all = ARENA_ARRAY(&r->arena, const char *, r->n_refused + 1);
  if (r->n_refused) memcpy(all, r->refused, r->n_refused * sizeof *all);
  all[r->n_refused++] = arena_printf(&r->arena, "%s", text);
  r->refused = all;
  r->refused_kinds |= 1u << kind;
  for (uint32_t k = 0; k < r->n_outputs; k++)
    if (r->outputs[k].verdict == VERDICT_VERIFIED) r->outputs[k].verdict = VERDICT_UNPROVED;
  r->verdict = worst(r);
}

/* A proof that rests on what nobody stated is none. */
static void refuse(CheckReport *r, const CheckOptions *o) {
  bool rules = r->assuming && r->assuming->n_proved;
  const Proof *proofs[] = {r->proof, r->searched, rules ? r->assuming : NULL};
  for (uint32_t kind = 0; kind < STATED_COUNT; kind++) {
    uint32_t n;
    if (o->stated & 1u << kind) continue;
    const char **texts = assume_kind(r->problem, proofs, 3, (Stated)kind, &r->arena, &n);
    for (uint32_t i = 0; i < n; i++) check_refuse(r, (Stated)kind, texts[i]);
    if (kind == STATED_RULES && rules) check_refuse(r, STATED_RULES, "equalities that rules of the model say");
  }
}

/* Values that loops carry were made up: where the programs differ then, no inputs of theirs are known that show it; and
 * what is proved is proved if the loops carry them so. */
static void withdraw(CheckReport *r) {
  bool kept = true;
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    if (r->outputs[k].verdict == VERDICT_REFUTED) r->outputs[k].verdict = VERDICT_UNPROVED;
    kept &= k < r->n_results || r->outputs[k].verdict == VERDICT_VERIFIED;
  }
  for (uint32_t k = 0; k < r->n_results && !kept; k++) {
    r->outputs[k].if_loops = r->outputs[k].verdict == VERDICT_VERIFIED;
    if (r->outputs[k].if_loops) r->outputs[k].verdict = VERDICT_UNPROVED;
  }
  r->verdict = worst(r);
}

/* A pipeline is soon proved with its stages written out, and not otherwise. */
static Proof *prove_first(const Problem *p, const CheckOptions *o, const ProveOptions *first) {
  Proof *sent = NULL;
  if (n_nodes(p) > LARGE && o->tactics) prove_sent(&sent, p, first);
  if (sent && proof_complete(sent)) return sent;
  Proof *direct = prove_direct(p, first);
  return sent ? proof_join(direct, sent) : direct;
}

static CheckReport *run(const Problem *problem, const CheckOptions *options, bool *settled) {
  CheckReport *r = xcalloc(1, sizeof *r);
  Checker k = {r, options, PHASE_PROVE, 0};
  r->problem = problem;
  begin(&k, PHASE_PROVE);
  ProveOptions first = options->prove;
  first.hasty = options->evaluate;
  first.rounds = 1; /* flat rounds and tactics come after evaluation: most graphs that do not close are wrong */
  r->proof = prove_first(problem, options, &first);
  describe(r, options);
  end(&k);
  if (any_open(r) && options->evaluate) {
    begin(&k, PHASE_EVALUATE);
    evaluate(r, options);
    if (any_open(r) && !exact_settle(r->exact)) evaluate_surely(r, options); /* all that follows would rest on it */
    ExactProblem whole = exact_problem(problem, options);
    if (r->exact->not_evaluated) evaluate_large(r, options, &whole);
    end(&k);
  }
  if (refuted_in_part(r)) {
    begin(&k, PHASE_EVALUATE);
    evaluate_again(r, options);
    end(&k);
  } else if (any_open(r) && options->evaluate) { /* before the search, which takes long where programs differ */
    begin(&k, PHASE_EVALUATE);
    evaluate_more(r, options, options->exact.later_points < FEW_POINTS ? options->exact.later_points : FEW_POINTS);
    end(&k);
  }
  bool waiting = first.rounds < options->prove.rounds;
  if (any_open(r) && (options->tactics || waiting) && worst(r) != VERDICT_BROKEN) {
    begin(&k, PHASE_TACTICS);
    double start = clock_spent();
    search(r, options);
    r->searching = clock_spent() - start;
    end(&k);
  }
  if (any_open(r) && r->proof->build.n_left && worst(r) != VERDICT_BROKEN) {
    begin(&k, PHASE_PROVE);
    prove_the_rest(r, first, search_seconds(r, options) - r->searching);
    end(&k);
  }
  if (any_open(r) && r->exact && r->exact->not_evaluated && !r->blocks.len && worst(r) != VERDICT_BROKEN) {
    begin(&k, PHASE_EVALUATE);
    ExactProblem whole = exact_problem(problem, options);
    blocks_evaluate(r, &whole);
    end(&k);
  }
  if (any_open(r) && options->equalities && options->equalities->n && worst(r) == VERDICT_UNPROVED) {
    begin(&k, PHASE_TACTICS);
    assume(r, options);
    end(&k);
  }
  if (any_open(r) && options->evaluate && worst(r) != VERDICT_BROKEN) {
    begin(&k, PHASE_EVALUATE);
    evaluate_again(r, options);
    end(&k);
  }
  begin(&k, PHASE_EVALUATE);
  doubt(r, options, exact_problem(problem, options));
  /* what has no value there may be a NaN whatever the inputs */
  if (r->n_failing && r->exact) evaluate_later(r, options, options->exact.seed, 1);
  else if (r->n_failing) evaluate(r, options);
  end(&k);
  r->verdict = worst(r);
  if (options->blame && (r->verdict == VERDICT_REFUTED || r->verdict == VERDICT_UNPROVED)) {
    begin(&k, PHASE_BLAME);
    ExactProblem whole = exact_problem(problem, options);
    causes_find(r, &whole);
    if (!r->problem->graph[SIDE_DIST]->oddities.len) blame_smaller(r, options);
    end(&k);
  }
  if (r->n_loops) withdraw(r);
  list_assumptions(r, options);
  if (r->verdict == VERDICT_UNPROVED)
    r->define = define_list(r->problem, r->searched ? r->searched : r->proof, &r->arena, &r->n_define, &r->unknown);
  name_limits(r, options);
  if (options->strict) refuse(r, options);
  if (r->exact && r->exact->asides.len) {
    begin(&k, PHASE_EVALUATE);
    *settled = exact_settle(r->exact);
    end(&k);
  }
  return r;
}

CheckReport *check_run(const Problem *problem, const CheckOptions *options) {
  bool settled = true;
  CheckReport *r = run(problem, options, &settled);
  if (settled) return r;
  check_report_free(r); /* a difference in doubles is none: rarely */
  CheckOptions own = *options;
  own.exact.aside = false;
  return run(problem, &own, &settled);
}

void check_report_free(CheckReport *r) {
  if (!r) return;
  check_report_free(r->at_smaller);
  blame_free(r->blame);
  proof_free(r->proof);
  proof_free(r->searched);
  proof_free(r->assuming);
  stages_free(&r->stages);
  smaller_free(r->smaller);
  exact_report_free(r->exact);
  for (size_t i = 0; i < r->blocks.len; i++) exact_report_free(r->blocks.at[i]);
  vec_free(&r->blocks);
  for (size_t i = 0; i < r->later.len; i++) exact_report_free(r->later.at[i]);
  vec_free(&r->later);
  arena_free(&r->arena);
  free(r);
}
