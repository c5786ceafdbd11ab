#include "eval/verdict/layouts.h"

#include "eval/blame/counterpart.h"
#include "eval/prove/pair.h"

static void read_all(Layouts *l, Proof *proof) {
  const Graph *dist = proof->problem.graph[SIDE_DIST];
  const Axis *axes = proof->problem.relation->mesh.axes;
  ClassNodes classes = counterpart_classes(proof, SIDE_SEQ, &l->arena);
  for (NodeId id = 0; id < dist->nodes.len; id++) {
    Counterpart c = counterpart_among(proof, SIDE_DIST, id, &classes, &l->arena);
    if (c.node == NO_NODE || c.factor != RAT_1 || c.maximum) continue;
    NodeLayout n = {.seq = c.node, .dist = id, .equation = c.equation, .n_cuts = c.n_cuts, .n_addends = c.n_axes};
    n.cuts = arena_alloc(&l->arena, (c.n_cuts + 1) * sizeof *n.cuts);
    n.addends = ARENA_ARRAY(&l->arena, Sym, c.n_axes + 1);
    for (uint32_t k = 0; k < c.n_cuts; k++) n.cuts[k].dim = c.cuts[k].dim, n.cuts[k].axis = axes[c.cuts[k].axis].name;
    for (uint32_t k = 0; k < c.n_axes; k++) n.addends[k] = axes[c.axes[k]].name;
    vec_push(&l->all, n);
  }
}

bool layouts_read(Layouts *l, Library *library, const Graph *seq, const Graph *dist, const Relation *relation,
                  Diags *diags) {
  *l = (Layouts){0};
  Pair p = {0};
  bool ok = pair_make(&p, library, seq, dist, relation, diags);
  if (ok) {
    ProveOptions o = PROVE_OPTIONS;
    Proof *proof = prove_direct(&p.problem, &o);
    ok = !proof->limited || diag_error(diags, (Span){0, 0, 0}, E_LIMIT, "the layouts take too long to find");
    if (ok) read_all(l, proof);
    proof_free(proof);
  }
  pair_free(&p);
  return ok;
}

void layouts_free(Layouts *l) {
  vec_free(&l->all);
  arena_free(&l->arena);
}
