/* tvr check: the verdict on two graphs and a relation. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "eval/report.h"
#include "frontends/cli/cli.h"
#include "frontends/relation.h"

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

static Exit report(Cli *cli, const CheckReport *r, double read_seconds) {
  bool colour = !strcmp(cli->options.colour, "always") || (!strcmp(cli->options.colour, "auto") && isatty(STDOUT_FILENO));
  ReportStyle style = {.colour = colour, .folder = folder_of(&cli->arena, cli->args[1]), .read_seconds = read_seconds};
  static const Exit code[] = {EXIT_VERIFIED, EXIT_REFUTED, EXIT_UNPROVED, EXIT_BROKEN};
  if (cli->options.json) report_json(r, &style, stdout);
  else report_text(r, &style, stdout);
  return code[r->verdict];
}

typedef struct Given {
  Relation *relation;
  Graph *seq, *dist;
  Library *library;
} Given;

/* Everything is read even after an error, so that one run shows several. */
static bool read_given(Cli *cli, Given *g) {
  if (!cli->options.relation) {
    diag_error(cli->diags, nowhere, E_USAGE, "how do the two graphs correspond?");
    diag_hint(cli->diags, "give --relation=relation.json");
    return false;
  }
  uint32_t id = cli_load(cli, cli->options.relation);
  g->relation = id ? relation_read(cli->diags, id) : NULL;
  g->seq = cli_graph(cli, cli->args[0]);
  g->dist = cli_graph_over(cli, cli->args[1], g->relation ? g->relation->mesh.n_devices : 0);
  g->library = cli_library(cli);
  return g->relation && g->seq && g->dist && g->library && !diag_errors(cli->diags);
}

static void free_given(Given *g) {
  relation_free(g->relation);
  graph_free(g->seq);
  graph_free(g->dist);
  library_free(g->library);
}

Exit command_check(Cli *cli) {
  Given given = {0};
  CheckOptions options;
  Progress progress = {.since = now()};
  Exit code = EXIT_BAD;
  if (!read_options(cli, &options)) return EXIT_BAD;
  options.progress = tell;
  options.context = &progress;
  Pair pair = {0};
  if (read_given(cli, &given) && pair_make(&pair, given.library, given.seq, given.dist, given.relation, cli->diags)) {
    double read_seconds = now() - progress.since;
    CheckReport *r = check_run(&pair.problem, &options);
    code = report(cli, r, read_seconds);
    check_report_free(r);
  }
  pair_free(&pair);
  free_given(&given);
  return code;
}
