#include "eval/prove/pair.h"

#include "eval/exact/closed.h"

bool pair_check_outputs(const Relation *r, Diags *diags) {
  if (r->n_outputs) return true;
  return diag_error(diags, (Span){0}, E_RELATION_FIT, "the relation names no outputs: there is nothing to check");
}

bool pair_make(Pair *p, Library *library, const Graph *seq, const Graph *dist, const Relation *relation, Diags *diags) {
  *p = (Pair){.problem = {.graph = {seq, dist}, .relation = relation, .library = library, .sources = diags_sources(diags)}};
  if (!relation_check(relation, seq, dist, diags)) return false;
  size_t before = diag_errors(diags);
  p->instances = instances_new(library);
  instances_mesh(p->instances, &relation->mesh);
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = p->problem.graph[side];
    const Instance **in = ARENA_ARRAY(&p->arena, const Instance *, g->nodes.len);
    for (NodeId id = 0; id < g->nodes.len; id++) in[id] = instance_of(p->instances, g, id, diags);
    p->problem.instance[side] = in;
    int64_t n_devices = side == SIDE_DIST ? relation->mesh.n_devices : 1;
    p->problem.coord[side] = coord_new(g, p->instances, n_devices);
    p->problem.closed[side] = closed_new(g, in, n_devices > 0 ? n_devices : 1, 1);
  }
  Rewrites *rewrites = ARENA_NEW(&p->arena, Rewrites);
  *rewrites = lemma_rewrites(library, p->instances, &p->arena, diags);
  p->problem.rewrites = rewrites;
  Equations *equations = ARENA_NEW(&p->arena, Equations);
  *equations = equations_of(library, p->instances, &p->uses, &p->arena, diags);
  p->problem.equations = equations;
  return diag_errors(diags) == before;
}

void pair_free(Pair *p) {
  for (int side = 0; side < SIDE_COUNT; side++) {
    if (p->problem.coord[side]) coord_free(p->problem.coord[side]);
    closed_free(p->problem.closed[side]);
  }
  vec_free(&p->uses);
  if (p->instances) instances_free(p->instances);
  arena_free(&p->arena);
}
