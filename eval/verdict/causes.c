#include "eval/verdict/causes.h"

static void find_blame(CheckReport *r, const ExactProblem *whole) {
  bool *open = ARENA_ARRAY(&r->arena, bool, r->n_outputs);
  for (uint32_t k = 0; k < r->n_outputs; k++) open[k] = r->outputs[k].verdict == r->verdict && !r->outputs[k].doubted;
  bool evaluated = r->exact && !r->exact->not_evaluated && r->verdict == VERDICT_REFUTED;
  ExactProblem e = *whole;
  const ExactReport *report = r->exact;
  bool later = r->later.len;
  for (uint32_t k = 0; k < r->n_outputs && later; k++)
    later = !open[k] || r->exact->outputs[k].status != EXACT_DIFFER; /* nothing differs elsewhere */
  if (later) report = r->later.at[0], e.options.seed = r->later_seed;
  r->blame = blame_find(r->proof, open, evaluated ? &e : NULL, report);
  for (uint32_t k = 0; k < r->n_outputs; k++)
    if (open[k]) r->outputs[k].blame = &r->blame->outputs[k];
}

/* What has no value where the other program has one: the likeliest cause, if nothing is refuted. */
static void blame_lacks(CheckReport *r) {
  bool first = r->verdict == VERDICT_UNPROVED;
  for (uint32_t i = 0; i < r->n_failing; i++) {
    const CheckLack *l = &r->lacks[first ? r->n_failing - 1 - i : i]; /* each comes before the others: the last one first */
    blame_add(r->blame, r->proof, first, l->side, l->node, l->output,
              l->side == SIDE_DIST ? "has no value where the sequential program has one"
                                   : "has no value where the distributed program has one");
  }
}

static bool reaches(const Graph *g, NodeId from, NodeId to) {
  bool *on = xcalloc(to + 1u, sizeof *on), is;
  if (from <= to) on[from] = true;
  for (NodeId id = from + 1; id <= to; id++)
    for (uint32_t k = 0; k < g->nodes.at[id].n_args && !on[id]; k++) on[id] = on[g->nodes.at[id].args[k]];
  is = on[to];
  free(on);
  return is;
}

/* The first value before a failing output that its file says otherwise. */
static void blame_oddity(CheckReport *r) {
  const Graph *g = r->problem->graph[SIDE_DIST];
  for (size_t i = 0; i < g->oddities.len; i++)
    for (uint32_t k = 0; k < r->n_outputs; k++) {
      const CheckOutput *out = &r->outputs[k];
      const Oddity *x = &g->oddities.at[i];
      if (out->verdict != r->verdict || !reaches(g, x->node, g->outputs.at[out->related->dist].node)) continue;
      blame_add(r->blame, r->proof, true, SIDE_DIST, x->node, k, x->why);
      return;
    }
}

void causes_find(CheckReport *r, const ExactProblem *whole) {
  find_blame(r, whole);
  blame_lacks(r);
  blame_oddity(r);
}
