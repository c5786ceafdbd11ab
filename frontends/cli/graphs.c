#include "frontends/cli/graphs.h"

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
