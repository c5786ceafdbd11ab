/* tvr check: the verdict on two graphs and a relation, or on what a model asks. */
#include <string.h>
#include <unistd.h>

#include "eval/lemma/lemma_check.h"
#include "eval/lemma/missing.h"
#include "eval/verdict/assume.h"
#include "eval/verdict/check.h"
#include "eval/verdict/invariant.h"
#include "eval/verdict/report.h"
#include "eval/witness/witness.h"
#include "eval/witness/witness_search.h"
#include "frontends/cli/ask.h"
#include "frontends/cli/family.h"
#include "frontends/cli/graphs.h"
#include "frontends/cli/packed.h"
#include "lang/base/clock.h"
#include "lang/nearest.h"

static const Span nowhere = {0, 0, 0};

typedef struct Progress {
  double since;
  bool shown;
} Progress;

/* Long runs say what they are at, to people only. */
static void tell(void *context, Phase phase) {
  Progress *p = context;
  double spent = clock_passed() - p->since;
  if (spent > 2 && isatty(STDERR_FILENO)) fprintf(stderr, "tvr: %s after %.0f s\n", phase_text(phase), spent);
}

static bool one_of(Cli *cli, const char *option, const char *value, const char *a, const char *b) {
  if (!strcmp(value, a) || !strcmp(value, b)) return true;
  return diag_error(cli->diags, nowhere, E_USAGE, "--%s is %s or %s, not '%s'", option, a, b, value);
}

/* --assume=nonzero,finite: kinds, as flags. */
static bool read_stated(Cli *cli, const char *text, uint32_t *stated) {
  const char *names[STATED_COUNT];
  for (int k = 0; k < STATED_COUNT; k++) names[k] = stated_text((Stated)k);
  for (const char *at = text; *at;) {
    size_t n = strcspn(at, ",");
    const char *word = arena_strdup(&cli->arena, at, n);
    int k = 0;
    while (k < STATED_COUNT && strcmp(names[k], word)) k++;
    if (k == STATED_COUNT) {
      diag_error(cli->diags, nowhere, E_USAGE, "--assume knows no '%s'", word);
      const char *near = suggest_name(word, names, STATED_COUNT);
      if (near) diag_hint(cli->diags, "did you mean %s?", near);
      else diag_hint(cli->diags, "'tvr check --help' lists what it knows");
      return false;
    }
    *stated |= 1u << k;
    at += n + (at[n] == ',');
  }
  return true;
}

static bool read_options(Cli *cli, CheckOptions *o) {
  const Options *given = &cli->options;
  *o = check_defaults();
  const char *loops = given->loops;
  if (strcmp(loops, "auto") && strcmp(loops, "invariant") && strcmp(loops, "unroll"))
    return diag_error(cli->diags, nowhere, E_USAGE, "--loops is auto, invariant or unroll, not '%s'", loops);
  if (!cli_literals(cli, &o->prove.literals) || !one_of(cli, "tactics", given->tactics, "on", "off") ||
      !read_stated(cli, given->assume, &o->stated))
    return false;
  o->strict = given->strict;
  o->keeps = given->certificate;
  o->prove.seconds = (double)given->seconds;
  o->refuted_seconds = (double)given->refuted_seconds;
  o->prove.attempt_seconds = (double)given->attempt_seconds;
  o->prove.attempt_bytes = (uint64_t)given->attempt_megabytes << 20;
  o->tactics = !strcmp(given->tactics, "on");
  o->evaluate = given->points > 0;
  o->exact.points = (uint32_t)given->points;
  o->exact.coarse_points = (uint32_t)given->coarse_points;
  o->exact.later_points = (uint32_t)given->later_points;
  o->exact.seed = (uint64_t)given->seed;
  o->exact.max_work = (uint64_t)given->max_work;
  o->exact.max_elements = (uint64_t)given->max_numbers;
  return true;
}

static Exit report(Cli *cli, const CheckReport *r, const char *path, double read_seconds) {
  const char *sources = cli->options.sources ? cli->options.sources : ask_folder(&cli->arena, path);
  ReportStyle style = {.colour = cli_colour(cli, STDOUT_FILENO),
                       .folder = sources,
                       .read_seconds = read_seconds,
                       .details = (uint32_t)cli->options.details};
  static const Exit code[] = {EXIT_VERIFIED, EXIT_REFUTED, EXIT_UNPROVED, EXIT_BROKEN};
  if (cli->options.json) report_json(r, &style, stdout);
  else report_text(r, &style, stdout);
  return code[r->verdict];
}

static bool names_lemma(const CheckReport *r, const char *start) {
  for (uint32_t i = 0; i < r->n_assumptions; i++)
    if (strstr(r->assumptions[i], start)) return true;
  return false;
}

/* A lemma that a verdict rests on, which is true where it is used: for all sizes, or at those of each use.  *said: how it
 * stands. */
static bool lemma_serves(Cli *cli, const Asked *a, const CheckReport *r, const LemmaReport *l, const LemmaOptions *o,
                         const char **said) {
  const EquationUses *uses = r->problem->equations->uses;
  const char *where = NULL;
  uint32_t n = 0;
  *said = lemma_standing(l, &cli->arena);
  if (l->status <= LEMMA_PROVED && l->all_sizes) return true;
  for (size_t i = 0; i < uses->len; i++) {
    if (uses->at[i].lemma != l->item) continue;
    n++;
    if (!lemma_holds_at(&uses->at[i], a->library, o, &cli->arena, cli->diags, &where)) return false;
  }
  if (!n) return false;
  *said = arena_printf(&cli->arena, "proved at the sizes at which it is used%s%s", where ? ", where " : "",
                       where ? where : "");
  return true;
}

/* What is known of the lemmas that a verdict rests on becomes part of the report; what rests on one that is not proved is
 * unproved, if it was not stated.  false: one is not true. */
static bool check_lemmas(Cli *cli, const Asked *a, CheckReport *r, uint32_t stated) {
  Arena *arena = &cli->arena;
  uint32_t n_lemmas, n = r->n_assumptions;
  const AstItem *const *lemmas = library_lemmas(a->library, &n_lemmas);
  LemmaOptions options = lemma_defaults();
  options.solver = cli_solver(cli);
  LemmaKnown known = {0};
  options.known = &known;
  Vec(const AstItem *) used = {0};
  for (uint32_t i = 0; i < n_lemmas; i++) {
    const char *start = arena_printf(arena, "lemma %s:", sym_text(lemmas[i]->name));
    if (!library_is_axiom(a->library, lemmas[i]) && names_lemma(r, start)) vec_push(&used, lemmas[i]);
  }
  const char **said = ARENA_ARRAY(arena, const char *, n + used.len);
  memcpy(said, r->assumptions, n * sizeof *said);
  bool ok = true;
  for (size_t i = 0; i < used.len; i++) {
    LemmaReport l = lemma_check(used.at[i], a->library, &options, arena, cli->diags);
    if (l.status == LEMMA_FALSE || l.status == LEMMA_WRONG) {
      ok = diag_error(cli->diags, used.at[i]->span, E_LEMMA_FALSE, "the proof used lemma `%s`, which is not true",
                      sym_text(l.name));
      diag_hint(cli->diags, "`tvr prove` shows where its sides differ");
      continue;
    }
    const char *standing;
    bool serves = lemma_serves(cli, a, r, &l, &options, &standing);
    said[n++] = arena_printf(arena, "lemma %s is %s", sym_text(l.name), standing);
    if (!serves && !(stated & 1u << STATED_LEMMAS)) check_refuse(r, STATED_LEMMAS, said[n - 1]);
  }
  r->assumptions = said;
  r->n_assumptions = n;
  vec_free(&used);
  vec_free(&known);
  return ok;
}

/* Definitions that stand before those of the library for operators of the graphs are what the verdict is about. */
static void tell_definitions(Cli *cli, const Asked *a, CheckReport *r) {
  const Graph *graph[] = {a->seq, a->dist};
  Vec(Sym) seen = {0};
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < graph[side]->nodes.len; i++) {
      Sym op = graph[side]->nodes.at[i].op;
      bool known = false;
      for (size_t k = 0; k < seen.len && !known; k++) known = seen.at[k] == op;
      if (known) continue;
      vec_push(&seen, op);
      const AstItem *own = library_replaced(a->library, op);
      if (!own) continue;
      const char **said = ARENA_ARRAY(&cli->arena, const char *, r->n_assumptions + 1);
      if (r->n_assumptions) memcpy(said, r->assumptions, r->n_assumptions * sizeof *said);
      said[r->n_assumptions++] =
          arena_printf(&cli->arena, "`%s` means what %s says, not the library", sym_text(op),
                       sources_get(cli->sources, own->span.source)->path);
      r->assumptions = said;
    }
  vec_free(&seen);
}

static bool has_operator(const Asked *a, Sym op) {
  bool has = false;
  for (size_t i = 0; i < a->seq->nodes.len && !has; i++) has = a->seq->nodes.at[i].op == op;
  for (size_t i = 0; i < a->dist->nodes.len && !has; i++) has = a->dist->nodes.at[i].op == op;
  return has;
}

/* Definitions of operators that no graph has, where a name is close to one that is not known. */
static void tell_misspelt(Cli *cli, const Asked *a, const CheckReport *r) {
  uint32_t n_files;
  const AstFile *const *files = library_added(a->library, &n_files);
  for (uint32_t i = 0; i < n_files && r->n_define; i++)
    for (uint32_t k = 0; k < files[i]->n_items; k++) {
      const AstItem *item = files[i]->items[k];
      if (item->kind != ITEM_OP || has_operator(a, item->name)) continue;
      Nearest near = {.word = sym_text(item->name), .len = sym_len(item->name)};
      for (uint32_t d = 0; d < r->n_define; d++) nearest_try(&near, sym_text(r->unknown[d]));
      if (!near.best) continue;
      diag_warning(cli->diags, item->name_span, W_UNUSED, "no graph has an operator `%s`", sym_text(item->name));
      diag_hint(cli->diags, "did you mean `%s`?", near.best);
    }
}

/* Writes the proof down; what the checker does not know is said, and leaves the verdict as it is. */
static void write_certificate(Cli *cli, const Asked *a, const CheckReport *r, const Invariants *loops) {
  CertifyProblem p = {.graph = {a->seq, a->dist}, .relation = a->relation, .n_kept = loops->n, .kept = loops->at};
  p.library = a->library;
  if (r->verdict != VERDICT_VERIFIED) {
    diag_warning(cli->diags, nowhere, W_CERTIFICATE, "no certificate: not everything was verified");
    return;
  }
  const Options *o = &cli->options;
  Certificate *c = witness_make(r, &p, (WitnessLimits){(double)o->certificate_seconds, (uint64_t)o->certificate_megabytes});
  if (c->beyond) diag_warning(cli->diags, nowhere, W_CERTIFICATE, "the certificate is no proof: %s", c->beyond);
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  certificate_write(c, &p, out);
  fclose(out);
  if (!packed_write(cli->options.certificate, text, len))
    diag_error(cli->diags, nowhere, E_FILE, "cannot write '%s'", cli->options.certificate);
  free(text);
  certificate_free(c);
}

/* What a question is answered with: alone, or as one point of a family. */
typedef struct Answering {
  CheckOptions options;
  Progress progress;
  FamilyRun *family; /* or NULL */
} Answering;

static Exit tell_verdict(Cli *cli, const Asked *a, CheckReport *r, Answering *how, double read_seconds) {
  missing_try(r, a->library, &cli->arena, cli->diags);
  if (how->family) return family_take(how->family, a, r);
  return report(cli, r, sym_text(a->dist->path), read_seconds);
}

/* Loops that were read once are worth it, and correspond. */
static bool by_invariant(Cli *cli, const Asked *a) {
  uint64_t n = loops_unrolled(a->seq) + loops_unrolled(a->dist);
  bool worth = strcmp(cli->options.loops, "auto") || n >= (uint64_t)cli->options.loop_nodes;
  return worth && !a->infer && !loops_differ(a->seq, a->dist, &cli->arena);
}

static bool can_unroll(const Cli *cli, const Graph *g) {
  return loops_longest(g) <= cli->options.max_trips && loops_unrolled(g) <= (uint64_t)cli->options.max_nodes;
}

static bool reads_addends(const Invariants *v) {
  for (uint32_t i = 0; i < v->n; i++)
    if (v->at[i].layout.n_partial) return true;
  return false;
}

/* Programs whose loops were read once: the whole by an invariant; or it is to be asked again. */
static Exit answer_loops(Cli *cli, const Asked *a, Answering *answering) {
  CheckOptions own = answering->family ? *answering->family->options : answering->options;
  Asked asked = *a;
  Relation whole;
  Pair pair = {0};
  Exit code = EXIT_BAD;
  CheckReport *r = NULL;
  if (!by_invariant(cli, a)) return EXIT_BAD;
  double read_seconds = clock_passed() - answering->progress.since;
  if (pair_make(&pair, a->library, a->seq, a->dist, a->relation, cli->diags)) { /* what does not fit is reported */
    Invariants found = invariant_find(a->library, a->seq, a->dist, a->relation, &own.prove, cli->sources, &cli->arena);
    bool again = can_unroll(cli, a->seq) && can_unroll(cli, a->dist);
    if (again && cli->options.certificate && !strcmp(cli->options.loops, "auto") && reads_addends(&found)) {
      pair_free(&pair);
      return EXIT_BAD; /* the checker knows no inputs that are addends: unrolled, it may */
    }
    whole = loops_relation(a->seq, a->dist, a->relation, found.at, found.n, &cli->arena);
    asked.relation = &whole;
    asked.dist = loops_divided(a->dist, found.at, found.n, &cli->arena);
    pair_free(&pair);
    if (pair_make(&pair, a->library, a->seq, asked.dist, &whole, cli->diags) &&
        pair_check_outputs(a->relation, cli->diags)) {
      if (again) own.blame = false, own.refuted_seconds = 0;
      r = check_run(&pair.problem, &own);
      *a->unroll = again && r->verdict != VERDICT_VERIFIED;
      tell_definitions(cli, a, r);
      if (!*a->unroll && check_lemmas(cli, a, r, own.stated)) code = tell_verdict(cli, &asked, r, answering, read_seconds);
      if (code != EXIT_BAD && cli->options.certificate) write_certificate(cli, &asked, r, &found);
    }
  }
  check_report_free(r);
  pair_free(&pair);
  return code;
}

static Exit answer(Cli *cli, const Asked *a, void *context) {
  if (a->seq->loops.len || a->dist->loops.len) return answer_loops(cli, a, context);
  Answering *answering = context;
  CheckOptions own = answering->family ? *answering->family->options : answering->options, *options = &own;
  Exit code = EXIT_BAD;
  Pair pair = {0};
  Inference *how = NULL;
  bool ok = pair_make(&pair, a->library, a->seq, a->dist, a->relation, cli->diags);
  if (ok && a->infer)
    ok = infer_outputs(&pair.problem, a->relation, &options->prove, &pair.arena, &how, a->at, cli->diags);
  Equalities equalities = {0};
  if (ok && a->model) ok = cli_model_equalities(cli, a->model, a->seq, a->dist, &equalities);
  options->equalities = &equalities;
  if (ok && pair_check_outputs(a->relation, cli->diags)) {
    options->inferred = how;
    double read_seconds = clock_passed() - answering->progress.since;
    CheckReport *r = check_run(&pair.problem, options);
    tell_definitions(cli, a, r);
    tell_misspelt(cli, a, r);
    if (check_lemmas(cli, a, r, options->stated)) code = tell_verdict(cli, a, r, answering, read_seconds);
    if (code != EXIT_BAD && cli->options.certificate) write_certificate(cli, a, r, &(Invariants){0});
    check_report_free(r);
  }
  pair_free(&pair);
  return code;
}

Exit command_check(Cli *cli) {
  Answering how = {.progress = {.since = clock_passed()}};
  FamilyRun family;
  if (!read_options(cli, &how.options)) return EXIT_BAD;
  cli->open_loops = strcmp(cli->options.loops, "unroll");
  cli->faults = cli->n_args == 2;
  how.options.progress = tell;
  how.options.context = &how.progress;
  if (!family_open(&family, cli)) return diag_errors(cli->diags) ? EXIT_BAD : ask_each(cli, cli->n_args, answer, &how);
  how.family = &family;
  cli->open_loops = false;
  family.options = &how.options;
  family.answer = answer;
  family.context = &how;
  Exit code = family_check(&family);
  family_close(&family);
  return code;
}
