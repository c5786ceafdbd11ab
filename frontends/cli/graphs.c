#include "frontends/cli/graphs.h"

#include "eval/rules/script.h"
#include "eval/rules/tensors.h"
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

static Script model_script(Cli *cli, const AskModel *m) {
  const AstFile **file = ARENA_NEW(&cli->arena, const AstFile *);
  *file = m->file;
  Script s = {.n_files = 1, .files = file, .library = m->library};
  s.graphs = cli_model_graphs(cli, m, &s.n_graphs);
  s.pairs = cli_model_pairs(cli, m, &s.n_pairs);
  return s;
}

static bool has_rules(const AstFile *f) {
  for (uint32_t i = 0; i < f->n_items; i++)
    if (ast_is_clause(f->items[i])) return true;
  return false;
}

/* Which side of the pair a graph is on; SIDE_COUNT: neither. */
static Side side_of(const FactGraph *g, const Graph *seq, const Graph *dist) {
  return g->graph == seq ? SIDE_SEQ : g->graph == dist ? SIDE_DIST : SIDE_COUNT;
}

bool cli_model_equalities(Cli *cli, const AskModel *m, const Graph *seq, const Graph *dist, Equalities *out) {
  *out = (Equalities){0};
  if (!has_rules(m->file)) return true;
  Script script = model_script(cli, m);
  TensorUnions unions = {.n_graphs = script.n_graphs, .graphs = script.graphs};
  script.finish = tensors_unions;
  script.context = &unions;
  ProgramOptions options = cli_program_options(cli);
  options.quiet = true;
  ProgramResult end = script_run(&script, cli->diags, &options, stdout);
  Equality *at = ARENA_ARRAY(&cli->arena, Equality, unions.all.len + 1);
  for (size_t i = 0; i < unions.all.len; i++) {
    const TensorUnion *u = &unions.all.at[i];
    Side a = side_of(&script.graphs[u->graph[0]], seq, dist), b = side_of(&script.graphs[u->graph[1]], seq, dist);
    if (a != SIDE_COUNT && b != SIDE_COUNT) at[out->n++] = (Equality){{a, b}, {u->node[0], u->node[1]}};
  }
  vec_free(&unions.all);
  out->at = at;
  out->by = arena_printf(&cli->arena, "the rules of %s",
                         sources_get(cli->sources, m->file->source)->path);
  return end == PROGRAM_OK;
}

Exit cli_run_rules(Cli *cli, bool list) {
  AskModel m;
  Exit code = EXIT_BAD;
  if (ask_open(cli, cli->args[0], &m)) {
    Script script = model_script(cli, &m);
    ProgramOptions options = cli_program_options(cli);
    Printed out;
    cli_program_begin(cli, &out, &options);
    if (list && cli->options.derived) script.derived = out.to[PRINTED_DERIVED];
    else if (list) script.rules = out.to[PRINTED_RULES];
    script.json = cli->options.json;
    options.quiet |= list;
    Diags *diags = diags_new(cli->sources);
    ProgramResult result = script_run(&script, diags, &options, out.to[PRINTED_MESSAGES]);
    code = cli_program_end(cli, &out, diags, result);
  }
  ask_close(&m);
  return code;
}
