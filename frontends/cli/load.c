/* What commands read: files, graphs by their format, the library of operators. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontends/cli/cli.h"
#include "frontends/hlo/hlo.h"
#include "frontends/onnx/onnx.h"
#include "frontends/plan/plan.h"
#include "frontends/stablehlo/stablehlo.h"
#include "frontends/torch/pt2.h"
#include "frontends/torch/torch.h"
#include "lang/lang.h"

uint32_t cli_load(Cli *cli, const char *path) {
  const char *why = NULL;
  const Source *had;
  for (uint32_t k = cli->loaded; k && (had = sources_get(cli->sources, k)); k++)
    if (!strcmp(had->path, path)) return cli->loaded = k + 1, k;
  uint32_t id = sources_load(cli->sources, path, &why);
  if (!id) diag_error(cli->diags, (Span){0, 0, 0}, E_FILE, "cannot read '%s': %s", path, why);
  return id;
}

Graph *cli_graph(Cli *cli, const char *path) { return cli_graph_over(cli, path, 0, NULL); }

uint32_t cli_sizes(Cli *cli, const Sizes *sizes, int64_t *at) {
  uint32_t i = 0;
  while (i < sizes->n && (at[i] = opensizes_number(cli->options.sizes, sym_text(sizes->names[i])))) i++;
  return i;
}

bool cli_literals(Cli *cli, Literals *out) {
  static const char *const names[] = {"exact", "fractions", "masks"};
  uint32_t i = 0;
  while (i < 3 && strcmp(cli->options.literals, names[i])) i++;
  *out = (Literals)i;
  return i < 3 || diag_error(cli->diags, (Span){0, 0, 0}, E_USAGE, "--literals is fractions, exact or masks, not '%s'",
                             cli->options.literals);
}

SolverLimits cli_solver(const Cli *cli) {
  return (SolverLimits){(double)cli->options.z3_seconds, cli->options.z3_megabytes};
}

/* The sizes at hand as --sizes has them, before those given. */
static OpenSizes *open_sizes(Cli *cli) {
  const char *out = cli->options.sizes ? cli->options.sizes : "";
  for (uint32_t i = 0; cli->sizes && i < cli->sizes->n; i++)
    out = arena_printf(&cli->arena, "%s=%lld%s%s", sym_text(cli->sizes->names[i]), (long long)cli->sizes_at[i],
                       *out ? "," : "", out);
  cli->open.list = *out ? out : NULL;
  return &cli->open;
}

/* A name in --sizes that no file has asked for, or NULL. */
static const char *unknown_size(Cli *cli) {
  for (const char *at = cli->options.sizes; at && *at;) {
    size_t n = strcspn(at, ",");
    const char *name = arena_strdup(&cli->arena, at, strcspn(at, "="));
    if (!opensizes_known(&cli->open, sym(name))) return name;
    at += n + (at[n] == ',');
  }
  return NULL;
}

static bool no_such_size(Cli *cli, const char *option, const char *name) {
  const char *list = "";
  for (size_t k = 0; k < cli->open.known.len; k++)
    list = arena_printf(&cli->arena, "%s%s%s", list, *list ? ", " : "", sym_text(cli->open.known.at[k]));
  if (*list) {
    diag_error(cli->diags, (Span){0}, E_USAGE, "--%s: there is no size `%s`", option, name);
    diag_hint(cli->diags, "what is open is %s", list);
  } else {
    diag_error(cli->diags, (Span){0}, E_USAGE, "no file leaves a size open");
    if (cli->command->run != command_check) return false;
    diag_hint(cli->diags, "files of a family have its sizes in their names, in braces: seq-{s}.hlo");
  }
  return false;
}

bool cli_sizes_known(Cli *cli) {
  for (uint32_t i = 0; cli->sizes && i < cli->sizes->n; i++) {
    Sym name = cli->sizes->names[i];
    if (!opensizes_known(&cli->open, name)) return no_such_size(cli, "family", sym_text(name));
  }
  const char *unknown = unknown_size(cli);
  return !unknown || no_such_size(cli, "sizes", unknown);
}

/* A size without a number may be one whose name is misspelt in --sizes. */
static Graph *read_or_note(Cli *cli, Graph *g) {
  const char *unknown = g || !cli->open.missed ? NULL : unknown_size(cli);
  if (unknown) diag_note(cli->diags, (Span){0}, "--sizes has `%s`, which no size found so far is called", unknown);
  return g;
}

static Graph *read_onnx(Cli *cli, uint32_t id, const Graph *before) {
  const Options *o = &cli->options;
  bool by_value = !strcmp(o->weights, "values");
  if (!by_value && strcmp(o->weights, "inputs")) {
    diag_error(cli->diags, (Span){0, 0, 0}, E_USAGE, "--weights is inputs or values, not '%s'", o->weights);
    return NULL;
  }
  OnnxOptions options = {.max_nodes = o->max_nodes, .max_trips = o->max_trips, .max_weights = o->max_weights,
                         .sizes = open_sizes(cli), .weights_by_value = by_value, .before = before,
                         .exact_literals = !strcmp(o->literals, "exact")};
  return read_or_note(cli, onnx_read(cli->diags, id, &options));
}

static Graph *read_plan(Cli *cli, uint32_t id) {
  const char *pieces = cli->options.pieces;
  PlanOptions options = {.by_index = !strcmp(pieces, "indices")};
  if (!options.by_index && strcmp(pieces, "ranks")) {
    if (!diag_errors(cli->diags)) /* once for both files */
      diag_error(cli->diags, (Span){0, 0, 0}, E_USAGE, "--pieces is ranks or indices, not '%s'", pieces);
    return NULL;
  }
  return plan_read(cli->diags, id, &options);
}

/* A graph holds nothing of its text. */
static Graph *read_text(Cli *cli, uint32_t id, int64_t n_devices) {
  const Source *source = sources_get(cli->sources, id);
  HloOptions options = {cli->options.max_trips, cli->options.max_nodes, cli->open_loops, n_devices};
  StablehloOptions mlir = {options.max_trips, options.max_nodes, cli->open_loops, n_devices};
  Graph *g = plan_is(source)        ? read_plan(cli, id)
             : torch_is(source)     ? torch_read(cli->diags, id)
             : stablehlo_is(source) ? stablehlo_read(cli->diags, id, &mlir)
                                    : hlo_read(cli->diags, id, &options);
  sources_drop(cli->sources, id);
  return g;
}

Graph *cli_graph_over(Cli *cli, const char *path, int64_t n_devices, const Graph *before) {
  uint32_t id = cli_load(cli, path);
  if (!id) return NULL;
  if (pt2_is(sources_get(cli->sources, id))) id = pt2_unpack(cli->sources, cli->diags, id, open_sizes(cli));
  if (!id) return read_or_note(cli, NULL);
  Graph *g = onnx_is(sources_get(cli->sources, id)) ? read_onnx(cli, id, before) : read_text(cli, id, n_devices);
  if (!g || !g->fault || cli->faults) return g;
  cli_fault(cli, g);
  graph_free(g);
  return NULL;
}

bool cli_fault(Cli *cli, const Graph *g) {
  return diag_error(cli->diags, (Span){.source = g->source}, E_COLLECTIVE, "the program does not run to its end: %s",
                    g->fault->text);
}

bool cli_colour(const Cli *cli, int out) {
  return !strcmp(cli->options.colour, "always") || (!strcmp(cli->options.colour, "auto") && isatty(out));
}

/* Files of --with, separated by commas. */
static bool add_own(Cli *cli, Library *library) {
  char *names = arena_strdup(&cli->arena, cli->options.with, strlen(cli->options.with));
  for (char *rest = names, *name; (name = strsep(&rest, ","));) {
    uint32_t id = *name ? cli_load(cli, name) : 0, n;
    if (!id) return *name ? false : diag_error(cli->diags, (Span){0}, E_USAGE, "--with has an empty name");
    AstFile *file = lang_parse(&cli->arena, cli->diags, id);
    const AstFile *const *files = library_files(library, &n);
    if (diag_errors(cli->diags) || !lang_check(file, files, n, cli->diags)) return false;
    library_add(library, file);
  }
  return true;
}

Library *cli_library(Cli *cli) {
  const char *dir = cli->options.stdlib ? cli->options.stdlib : getenv("TVR_STDLIB");
  Library *library = library_load(dir, cli->diags);
  if (!library || !cli->options.with || add_own(cli, library)) return library;
  library_free(library);
  return NULL;
}
