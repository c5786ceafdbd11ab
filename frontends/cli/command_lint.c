/* tvr lint: what a distributed graph does for nothing, found by the rules of stdlib/lint.tvr and of the model. */
#include <string.h>

#include "eval/rules/lint.h"
#include "eval/rules/script.h"
#include "frontends/base/relation.h"
#include "frontends/cli/graphs.h"
#include "frontends/cli/program.h"

static const Span nowhere = {0, 0, 0};

/* `dp=2,tp=4` */
static Mesh *read_mesh(Cli *cli, const char *text) {
  Mesh *m = ARENA_NEW(&cli->arena, Mesh);
  *m = (Mesh){.axes = ARENA_ARRAY(&cli->arena, Axis, strlen(text) / 2 + 1), .n_devices = 1};
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "=,");
    char *end;
    long long size = p[n] == '=' ? strtoll(p + n + 1, &end, 10) : 0;
    if (!n || size < 1 || size > 1 << 24 || m->n_devices > (1 << 24) / size || (*end && *end != ',')) {
      diag_error(cli->diags, nowhere, E_USAGE, "'%s' is no mesh", text);
      diag_hint(cli->diags, "write --mesh=dp=2,tp=4");
      return NULL;
    }
    m->axes[m->n_axes++] = (Axis){sym_n(p, n), size};
    m->n_devices *= size;
    p = *end ? end + 1 : end;
  }
  m->device_order = ARENA_ARRAY(&cli->arena, int64_t, m->n_devices);
  for (int64_t d = 0; d < m->n_devices; d++) m->device_order[d] = d;
  return m;
}

/* Runs the lints over the graphs of a script, and `own` after them. */
static Exit lint(Cli *cli, Script script, const AstFile *own) {
  const AstFile *files[2] = {script_library_file(script.library, "lint.tvr", cli->diags), own};
  if (!files[0]) return EXIT_BAD;
  LintReport report = {.n_graphs = script.n_graphs, .graphs = script.graphs};
  script.n_files = own ? 2 : 1;
  script.n_library = 1;
  script.files = files;
  script.finish = lint_collect;
  script.context = &report;
  ProgramOptions options = cli_program_options(cli);
  Diags *diags = diags_new(cli->sources);
  ProgramResult end = script_run(&script, diags, &options, stdout);
  Exit code = cli_program_end(cli, NULL, diags, end);
  if (end == PROGRAM_OK) {
    cli->options.json ? lint_print_json(&report, stdout) : lint_print(&report, (size_t)cli->options.most, stdout);
    code = report.findings.len ? EXIT_REFUTED : EXIT_VERIFIED;
  }
  lint_free(&report);
  return code;
}

static Exit lint_graph(Cli *cli) {
  Relation *relation = NULL;
  const Mesh *mesh = NULL;
  if (cli->options.relation) {
    uint32_t id = cli_load(cli, cli->options.relation);
    relation = id ? relation_read(cli->diags, id) : NULL;
    if (!relation) return EXIT_BAD;
    mesh = &relation->mesh;
  }
  if (cli->options.mesh && !relation && !(mesh = read_mesh(cli, cli->options.mesh))) return EXIT_BAD;
  Graph *g = cli_graph_over(cli, cli->args[0], mesh ? mesh->n_devices : 0, NULL);
  Library *library = g && cli_sizes_known(cli) ? cli_library(cli) : NULL;
  Exit code = EXIT_BAD;
  if (library) {
    FactGraph of = {sym("graph"), g, mesh ? mesh : g->mesh, relation};
    bool fits = !of.mesh || g->n_devices <= 1 || g->n_devices == of.mesh->n_devices;
    if (fits) code = lint(cli, (Script){.n_graphs = 1, .graphs = &of, .library = library}, NULL);
    else diag_error(cli->diags, nowhere, E_MESH, "the graph is for %lld devices, the mesh has %lld",
                    (long long)g->n_devices, (long long)of.mesh->n_devices);
  }
  library_free(library);
  graph_free(g);
  relation_free(relation);
  return code;
}

static Exit lint_pair(Cli *cli, const Asked *a, void *context) {
  (void)context;
  FactGraph of = {sym("dist"), a->dist, &a->relation->mesh, a->relation};
  return lint(cli, (Script){.n_graphs = 1, .graphs = &of, .library = a->library}, NULL);
}

Exit command_lint(Cli *cli) {
  size_t n = strlen(cli->args[0]);
  if (cli->n_args == 2) return ask_each(cli, 2, lint_pair, NULL);
  if (n < 4 || strcmp(cli->args[0] + n - 4, ".tvr") != 0) return lint_graph(cli);
  AskModel m;
  Exit code = EXIT_BAD;
  if (ask_open(cli, cli->args[0], &m)) {
    Script script = {.library = m.library};
    script.graphs = cli_model_graphs(cli, &m, &script.n_graphs);
    script.pairs = cli_model_pairs(cli, &m, &script.n_pairs);
    if (script.n_graphs) code = lint(cli, script, m.file);
    else diag_error(cli->diags, (Span){m.file->source, 0, 0}, E_RELATION, "the model names no graph");
  }
  ask_close(&m);
  return code;
}
