/* tvr prove: every lemma of files and folders, broken or proved. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eval/lemma/cache.h"
#include "eval/lemma/crew.h"
#include "eval/lemma/lemma_json.h"
#include "frontends/cli/cli.h"
#include "lang/lang.h"

/* What is proved, and how it went so far. */
typedef struct Run {
  Cli *cli;
  Library *library;
  LemmaOptions options;
  LemmaKnown known;
  Cache *cache;
  json_t *all;
  uint32_t count[LEMMA_N_STATUS], all_sizes;
} Run;

static const char *colour_of(const Cli *cli, LemmaStatus s) {
  if (!cli_colour(cli, STDOUT_FILENO)) return NULL;
  return s <= LEMMA_AXIOM ? "\033[32m" : s >= LEMMA_FALSE ? "\033[31m" : "\033[33m";
}

static void print_counterexample(const LemmaReport *r) {
  if (*r->shape) printf("  on %s\n", r->shape);
  printf("  at %s the left side is %s, the right side %s\n", r->at, r->left, r->right);
  for (const char *line = r->inputs_text; line && *line;) { /* one input a line */
    const char *end = strchr(line, '\n');
    printf("  %s %.*s\n", line == r->inputs_text ? "with" : "    ", (int)(end ? (size_t)(end - line) : strlen(line)),
           line);
    line = end ? end + 1 : NULL;
  }
  if (r->missing) printf("  it could not be broken under the condition: when %s\n", r->missing);
}

static void print_text(const Cli *cli, const LemmaReport *r) {
  const char *colour = colour_of(cli, r->status);
  bool more = r->status <= LEMMA_PROVED || colour;
  printf("%s%-8s%s %-*s", colour ? colour : "", lemma_status_text(r->status), colour ? "\033[0m" : "", more ? 32 : 0,
         sym_text(r->name));
  if (r->status <= LEMMA_PROVED && r->all_sizes) printf(" all sizes%s%s", *r->all_sizes ? ", " : "", r->all_sizes);
  else if (r->status <= LEMMA_PROVED) printf(" %u shape%s", r->proved, r->proved == 1 ? "" : "s");
  if (colour && r->cached) printf("  known");
  else if (colour) printf("  %.1f ms", r->seconds * 1e3);
  printf("\n");
  if (r->conditions && r->status <= LEMMA_AXIOM) printf("  where %s\n", r->conditions);
  if (r->how) printf("  by %s\n", r->how);
  if (r->status == LEMMA_FALSE) print_counterexample(r);
  if (r->status != LEMMA_TESTED) return;
  printf("  the sides agree on %u inputs at %u shape%s, but are not proved equal%s%s\n", r->inputs, r->shapes,
         r->shapes == 1 ? "" : "s", r->why ? ": " : "", r->why ? r->why : "");
  if (r->want) printf("    left  %s\n    right %s\n", r->want, r->have);
}

static void take(Run *run, const LemmaReport *r) {
  run->count[r->status]++;
  run->all_sizes += r->status <= LEMMA_PROVED && r->all_sizes;
  if (run->all) json_array_append_new(run->all, lemma_json(r));
  else print_text(run->cli, r);
  fflush(stdout);
}

/* Lemmas, in order; those before may serve those after. */
static void prove_all(Run *run, const AstItem *const *lemmas, uint32_t n) {
  Arena *a = &run->cli->arena;
  LemmaReport *known = ARENA_ARRAY(a, LemmaReport, n);
  const AstItem **asked = ARENA_ARRAY(a, const AstItem *, n);
  uint32_t n_asked = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!(known[i].cached = cache_find(run->cache, lemmas[i], a, &known[i]))) asked[n_asked++] = lemmas[i];
  Crew *crew = crew_start(asked, n_asked, run->library, &run->options, run->cli->diags);
  for (uint32_t i = 0, k = 0; i < n; i++) {
    bool fresh = !known[i].cached;
    if (fresh) known[i] = crew_report(crew, k++, a);
    if (fresh) cache_keep(run->cache, lemmas[i], &known[i]);
    take(run, &known[i]);
  }
  crew_end(crew);
}

typedef Vec(const AstItem *) Lemmas;

static void add_lemmas(Lemmas *to, const AstFile *file) {
  for (uint32_t i = 0; i < file->n_items; i++)
    if (file->items[i]->kind == ITEM_LEMMA) vec_push(to, file->items[i]);
}

static void prove_file(Run *run, const AstFile *file) {
  Lemmas lemmas = {0};
  add_lemmas(&lemmas, file);
  prove_all(run, lemmas.at, (uint32_t)lemmas.len);
  vec_free(&lemmas);
}

static Exit finish(Run *run) {
  uint32_t n = 0;
  LemmaStatus worst = LEMMA_NORMAL;
  for (int s = 0; s < LEMMA_N_STATUS; s++) {
    n += run->count[s];
    if (run->count[s]) worst = (LemmaStatus)s;
  }
  if (run->all) {
    if (!diag_errors(run->cli->diags)) { /* else they are the whole answer */
      json_dumpf(run->all, stdout, JSON_INDENT(1));
      printf("\n");
    }
    json_decref(run->all);
  } else {
    printf("%u lemma%s", n, n == 1 ? "" : "s");
    for (int s = 0; s < LEMMA_N_STATUS; s++)
      if (run->count[s]) printf(", %u %s", run->count[s], lemma_status_text((LemmaStatus)s));
    printf(run->all_sizes ? "; %u for all sizes\n" : "\n", run->all_sizes);
  }
  if (worst == LEMMA_WRONG) return EXIT_BAD;
  return worst <= LEMMA_AXIOM ? EXIT_VERIFIED : worst == LEMMA_FALSE ? EXIT_REFUTED : EXIT_UNPROVED;
}

static bool is_folder(const char *path) {
  struct stat s;
  return !stat(path, &s) && S_ISDIR(s.st_mode);
}

/* The file is one of the library's, as it is built in. */
static const AstFile *built_in(Run *run, uint32_t source) {
  const Source *mine = sources_get(run->cli->sources, source);
  uint32_t n;
  const AstFile *const *files = library_files(run->library, &n);
  for (uint32_t i = 0; i < n; i++) {
    const Source *s = sources_get(run->cli->sources, files[i]->source);
    if (s && s->len == mine->len && !memcmp(s->text, mine->text, s->len)) return files[i];
  }
  return NULL;
}

/* A file, which may use what the files before it define; false after errors. */
static bool prove_path(Run *run, const char *path) {
  size_t before = diag_errors(run->cli->diags);
  uint32_t id = cli_load(run->cli, path), n;
  if (!id) return false;
  const AstFile *file = built_in(run, id);
  if (!file) {
    file = lang_parse(&run->cli->arena, run->cli->diags, id);
    const AstFile *const *files = library_files(run->library, &n);
    if (diag_errors(run->cli->diags) != before || !lang_check(file, files, n, run->cli->diags)) return false;
    library_add(run->library, file);
  }
  prove_file(run, file);
  return true;
}

static void prove_library(Run *run) {
  Lemmas lemmas = {0};
  uint32_t n;
  const AstFile *const *files = library_files(run->library, &n);
  for (uint32_t i = 0; i < n; i++) add_lemmas(&lemmas, files[i]);
  prove_all(run, lemmas.at, (uint32_t)lemmas.len);
  vec_free(&lemmas);
}

/* A folder is a library of its own. */
static bool prove_folder(Run *run, const char *path) {
  Library *other = library_load(path, run->cli->diags), *own = run->library;
  if (!other) return false;
  run->library = other;
  cache_library(run->cache, other);
  prove_library(run);
  library_free(other);
  run->library = own;
  cache_library(run->cache, own);
  return true;
}

Exit command_prove(Cli *cli) {
  Run run = {.cli = cli, .library = cli_library(cli), .options = lemma_defaults()};
  if (!run.library) return EXIT_BAD;
  library_add_lemmas(run.library, cli->diags);
  run.options.known = &run.known;
  run.options.solver = cli_solver(cli);
  run.cache = cache_open(cli->options.cache, run.library, cli->sources, cli->diags);
  if (cli->options.json) run.all = json_array();
  bool good = run.cache || !cli->options.cache;
  for (uint32_t i = 0; i < cli->n_args && good; i++)
    good = is_folder(cli->args[i]) ? prove_folder(&run, cli->args[i]) : prove_path(&run, cli->args[i]);
  if (!cli->n_args && good) prove_library(&run);
  Exit code = good ? finish(&run) : EXIT_BAD;
  if (!good && run.all) json_decref(run.all);
  cache_close(run.cache);
  vec_free(&run.known);
  library_free(run.library);
  return code;
}
