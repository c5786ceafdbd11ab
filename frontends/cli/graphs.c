#include "frontends/cli/graphs.h"

#include "eval/rules/script.h"
#include "frontends/cli/program.h"

FactGraph *cli_model_graphs(Cli *cli, const AskModel *m, uint32_t *n) {
  *n = (uint32_t)m->model.graphs.len;
  FactGraph *out = ARENA_ARRAY(&cli->arena, FactGraph, *n + 1);
  for (uint32_t i = 0; i < *n; i++) {
    const ModelGraph *g = &m->model.graphs.at[i];
    out[i] = (FactGraph){.name = g->name, .graph = g->graph};
    for (uint32_t k = 0; k < m->model.n_checks; k++) {
      const ModelCheck *c = &m->model.checks[k];
      if (c->dist == g->graph && c->relation.mesh.n_axes) out[i].relation = &c->relation, out[i].mesh = &c->relation.mesh;
    }
    if (!out[i].mesh && g->over) out[i].mesh = &m->model.mesh;
    if (!out[i].mesh) out[i].mesh = g->graph->mesh;
  }
  return out;
}

FactPair *cli_model_pairs(Cli *cli, const AskModel *m, uint32_t *n) {
  FactPair *out = ARENA_ARRAY(&cli->arena, FactPair, m->model.n_checks + 1);
  *n = m->model.n_checks;
  for (uint32_t k = 0; k < *n; k++) {
    const ModelCheck *c = &m->model.checks[k];
    out[k] = (FactPair){.seq = c->seq, .dist = c->dist, .relation = &c->relation};
    for (size_t i = 0; i < m->model.graphs.len; i++) {
      const ModelGraph *g = &m->model.graphs.at[i];
      if (g->graph == c->seq) out[k].seq_name = g->name;
      if (g->graph == c->dist) out[k].dist_name = g->name;
    }
  }
  return out;
}

Exit cli_run_rules(Cli *cli, FILE *rules) {
  static const EggResult as_program[] = {EGG_OK, EGG_FAILED, EGG_FAILED, EGG_LIMIT};
  AskModel m;
  Exit code = EXIT_BAD;
  if (ask_open(cli, cli->args[0], &m)) {
    Script script = {.n_files = 1, .files = (const AstFile *const[]){m.file}, .library = m.library};
    script.rules = rules;
    script.json = cli->options.json;
    script.graphs = cli_model_graphs(cli, &m, &script.n_graphs);
    script.pairs = cli_model_pairs(cli, &m, &script.n_pairs);
    EggOptions options = cli_program_options(cli);
    options.quiet |= rules != NULL;
    Diags *diags = diags_new(cli->sources);
    ScriptEnd end = script_run(&script, diags, &options, stdout);
    code = cli_program_end(cli, diags, as_program[end]);
    if (end == SCRIPT_BAD) code = EXIT_BAD;
  }
  ask_close(&m);
  return code;
}
