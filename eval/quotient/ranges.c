#include "eval/quotient/ranges.h"

#include "eval/exact/range.h"

const Relation *ranges_stated(const Problem *p, Arena *a) {
  Relation *r = arena_copy(a, p->relation, sizeof *p->relation);
  const Graph *g = p->graph[SIDE_SEQ];
  ExactProblem e = {.seq = {g, p->instance[SIDE_SEQ]}, .dist = {p->graph[SIDE_DIST], p->instance[SIDE_DIST]}, .relation = r};
  r->inputs = arena_copy(a, r->inputs, r->n_inputs * sizeof *r->inputs);
  for (size_t i = 0; i < g->params.len; i++) {
    const char *why;
    int64_t lo, hi;
    if (g->params.at[i] == NO_NODE || !dtype_is_whole((DType)g->nodes.at[g->params.at[i]].dtype)) continue;
    Related stated = relation_input(r, g, p->graph[SIDE_DIST], (int64_t)i, a);
    if (stated.has_lo || stated.has_hi || stated.n_also || stated.only_also) continue;
    range_of_input(&e, (int64_t)i, &lo, &hi, &why);
    for (uint32_t k = 0; k < r->n_inputs; k++) {
      Related *x = &r->inputs[k];
      if (x->seq == (int64_t)i) x->has_lo = x->has_hi = true, x->lo = rat_int(lo), x->hi = rat_int(hi);
    }
  }
  return r;
}
