/* tvr check: the verdict on two graphs and a relation, or on what a model asks. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "eval/model.h"
#include "eval/report.h"
#include "frontends/cli/cli.h"
#include "frontends/relation.h"
#include "lang/lang.h"

static const Span nowhere = {0, 0, 0};

typedef struct Progress {
  double since;
  bool shown;
} Progress;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Long runs say what they are at, to people only. */
static void tell(void *context, Phase phase) {
  Progress *p = context;
  double spent = now() - p->since;
  if (spent > 2 && isatty(STDERR_FILENO)) fprintf(stderr, "tvr: %s after %.0f s\n", phase_text(phase), spent);
}

static bool one_of(Cli *cli, const char *option, const char *value, const char *a, const char *b) {
  if (!strcmp(value, a) || !strcmp(value, b)) return true;
  return diag_error(cli->diags, nowhere, E_USAGE, "--%s is %s or %s, not '%s'", option, a, b, value);
}

static bool read_options(Cli *cli, CheckOptions *o) {
  const Options *given = &cli->options;
  *o = check_defaults();
  if (!one_of(cli, "literals", given->literals, "fractions", "exact") || !one_of(cli, "tactics", given->tactics, "on", "off")) return false;
  o->prove.exact_literals = !strcmp(given->literals, "exact");
  o->prove.seconds = (double)given->seconds;
  o->prove.attempt_seconds = (double)given->attempt_seconds;
  o->tactics = !strcmp(given->tactics, "on");
  o->evaluate = given->points > 0;
  o->exact.points = (uint32_t)given->points;
  o->exact.seed = (uint64_t)given->seed;
  o->exact.max_work = (uint64_t)given->max_work;
  return true;
}

/* The folder of a path, without the slash; "." if it has none. */
static const char *folder_of(Arena *a, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_strdup(a, path, (size_t)(slash - path)) : ".";
}

static Exit report(Cli *cli, const CheckReport *r, const char *path, double read_seconds) {
  bool colour = !strcmp(cli->options.colour, "always") || (!strcmp(cli->options.colour, "auto") && isatty(STDOUT_FILENO));
  ReportStyle style = {.colour = colour, .folder = folder_of(&cli->arena, path), .read_seconds = read_seconds};
  static const Exit code[] = {EXIT_VERIFIED, EXIT_REFUTED, EXIT_UNPROVED, EXIT_BROKEN};
  if (cli->options.json) report_json(r, &style, stdout);
  else report_text(r, &style, stdout);
  return code[r->verdict];
}

/* What the verdict is asked of, however it was said. */
typedef struct Asked {
  Library *library;
  const Graph *seq, *dist;
  Relation *relation;
  bool infer; /* the outputs */
  Span at;
} Asked;

static Exit answer(Cli *cli, const Asked *a, CheckOptions *options) {
  Exit code = EXIT_BAD;
  Pair pair = {0};
  Inference *how = NULL;
  bool ok = pair_make(&pair, a->library, a->seq, a->dist, a->relation, cli->diags);
  if (ok && a->infer) ok = infer_outputs(&pair.problem, a->relation, &options->prove, &pair.arena, &how, a->at, cli->diags);
  if (ok && pair_check_outputs(a->relation, a->seq, cli->diags)) {
    const Progress *progress = options->context;
    options->inferred = how;
    double read_seconds = now() - progress->since;
    CheckReport *r = check_run(&pair.problem, options);
    code = report(cli, r, sym_text(a->dist->path), read_seconds);
    check_report_free(r);
  }
  pair_free(&pair);
  return code;
}

/* ---- two graphs and a relation file */

static Relation *read_relation(Cli *cli, const char *path) {
  uint32_t id = cli_load(cli, path);
  return id ? relation_read(cli->diags, id) : NULL;
}

/* Everything is read even after an error, so that one run shows several. */
static Exit check_files(Cli *cli, CheckOptions *options) {
  if (!cli->options.relation) {
    diag_error(cli->diags, nowhere, E_USAGE, "how do the two graphs correspond?");
    diag_hint(cli->diags, "give --relation=relation.json");
    return EXIT_BAD;
  }
  Relation *relation = read_relation(cli, cli->options.relation);
  Graph *seq = cli_graph(cli, cli->args[0]);
  Graph *dist = cli_graph_over(cli, cli->args[1], relation ? relation->mesh.n_devices : 0);
  Library *library = cli_library(cli);
  Exit code = EXIT_BAD;
  if (relation && seq && dist && library) code = answer(cli, &(Asked){library, seq, dist, relation, false, nowhere}, options);
  relation_free(relation);
  graph_free(seq);
  graph_free(dist);
  library_free(library);
  return code;
}

/* ---- a model */

typedef struct ModelFiles {
  Cli *cli;
  const char *folder;
} ModelFiles;

/* Paths are relative to the model. */
static const char *beside(const ModelFiles *f, Sym path) {
  bool here = *sym_text(path) == '/' || !strcmp(f->folder, ".");
  return here ? sym_text(path) : arena_printf(&f->cli->arena, "%s/%s", f->folder, sym_text(path));
}

static Graph *model_graph(void *context, Sym reader, Sym path, int64_t n_devices, Span at) {
  ModelFiles *f = context;
  if (reader == sym("hlo")) return cli_graph_over(f->cli, beside(f, path), n_devices);
  diag_error(f->cli->diags, at, E_UNSUPPORTED, "there is no reader `%s`", sym_text(reader));
  diag_hint(f->cli->diags, "there is: hlo");
  return NULL;
}

static Relation *model_relation(void *context, Sym path, Span at) {
  (void)at;
  ModelFiles *f = context;
  return read_relation(f->cli, beside(f, path));
}

/* Of several answers the gravest is the exit code. */
static int gravity(Exit e) { return e == EXIT_UNPROVED ? 1 : e == EXIT_REFUTED ? 2 : e ? 3 + (int)e : 0; }

static Exit check_model(Cli *cli, CheckOptions *options) {
  uint32_t id = cli_load(cli, cli->args[0]);
  Library *library = id ? cli_library(cli) : NULL;
  if (!library) return EXIT_BAD;
  AstFile *file = lang_parse(&cli->arena, cli->diags, id);
  uint32_t n;
  const AstFile *const *files = library_files(library, &n);
  Exit code = EXIT_BAD;
  Model model = {0};
  ModelFiles context = {cli, folder_of(&cli->arena, cli->args[0])};
  ModelReaders readers = {&context, model_graph, model_relation};
  if (!diag_errors(cli->diags) && lang_check(file, files, n, cli->diags) && model_make(&model, file, &readers, cli->diags)) {
    library_add(library, file);
    code = EXIT_VERIFIED;
    for (uint32_t i = 0; i < model.n_checks; i++) {
      ModelCheck *c = &model.checks[i];
      Exit one = answer(cli, &(Asked){library, c->seq, c->dist, &c->relation, c->infer, c->span}, options);
      if (gravity(one) > gravity(code)) code = one;
    }
  }
  model_free(&model);
  library_free(library);
  return code;
}

Exit command_check(Cli *cli) {
  CheckOptions options;
  Progress progress = {.since = now()};
  if (!read_options(cli, &options)) return EXIT_BAD;
  options.progress = tell;
  options.context = &progress;
  if (cli->n_args == 2) return check_files(cli, &options);
  if (!cli->options.relation) return check_model(cli, &options);
  diag_error(cli->diags, nowhere, E_USAGE, "a relation file goes with two graphs");
  diag_hint(cli->diags, "tvr check seq.hlo dist.hlo --relation=%s", cli->options.relation);
  return EXIT_BAD;
}
