#include "eval/quotient/zeros.h"

enum { MAX_SEARCH = 64, MAX_TRIED = 6 };

static bool may_be_zero(const Keeping *p, int64_t seq) {
  const Relation *rel = p->problem->relation;
  for (uint32_t k = 0; k < rel->n_inputs; k++) {
    const Related *r = &rel->inputs[k];
    if (r->seq != seq) continue;
    if (r->layout.n_partial || r->n_also || r->only_also) return false;
    if ((r->has_lo && rat_sign(r->lo) > 0) || (r->has_hi && rat_sign(r->hi) < 0)) return false;
  }
  return dtype_is_float((DType)p->problem->graph[SIDE_SEQ]->nodes.at[p->problem->graph[SIDE_SEQ]->params.at[seq]].dtype);
}

/* Would the sequential node be 0 if its operand were? */
static bool zero_by(Keeping *p, NodeId id, NodeId operand) {
  Fact had = p->fact[SIDE_SEQ][operand];
  p->fact[SIDE_SEQ][operand] = FACT_ZERO;
  Fact f = keeping_fact(p, SIDE_SEQ, id);
  p->fact[SIDE_SEQ][operand] = had;
  return fact_is_zero(&f);
}

/* Sequential nodes that are 0 once a parameter is, up to `most`. */
static uint32_t n_zero_by(Keeping *p, int64_t param, uint32_t most) {
  const Graph *g = p->problem->graph[SIDE_SEQ];
  Vec(NodeId) zero = {0};
  Vec(Fact) had = {0};
  bool *on = xcalloc(g->nodes.len, sizeof *on);
  for (NodeId id = g->params.at[param]; id < g->nodes.len && zero.len < most; id++) {
    bool first = id == g->params.at[param], reached = first;
    for (uint32_t k = 0; k < g->nodes.at[id].n_args && !reached; k++) reached = on[g->nodes.at[id].args[k]];
    if (!reached) continue;
    Fact f = first ? FACT_ZERO : keeping_fact(p, SIDE_SEQ, id);
    on[id] = fact_is_zero(&f) && !fact_is_zero(&p->fact[SIDE_SEQ][id]);
    if (!on[id]) continue;
    vec_push(&zero, id);
    vec_push(&had, p->fact[SIDE_SEQ][id]);
    p->fact[SIDE_SEQ][id] = f;
  }
  uint32_t n = (uint32_t)zero.len;
  for (uint32_t i = 0; i < n; i++) p->fact[SIDE_SEQ][zero.at[i]] = had.at[i];
  vec_free(&zero);
  vec_free(&had);
  free(on);
  return n;
}

/* Of the parameters near a sequential node that make it 0 the one that makes least else 0; -1: none. */
static int64_t zeroing(Keeping *p, NodeId id) {
  const Graph *g = p->problem->graph[SIDE_SEQ];
  NodeId queue[MAX_SEARCH];
  uint32_t head = 0, tail = 0, n_tried = 0, least = UINT32_MAX;
  int64_t best = -1;
  queue[tail++] = id;
  while (head < tail && n_tried < MAX_TRIED) {
    const Node *n = &g->nodes.at[queue[head++]];
    if (n->op == sym("parameter")) {
      uint32_t zero = may_be_zero(p, n->param) ? n_zero_by(p, n->param, least) : UINT32_MAX;
      if (zero < least) least = zero, best = n->param;
      n_tried++;
    }
    for (uint32_t k = 0; k < n->n_args && tail < MAX_SEARCH; k++)
      if (dtype_is_float((DType)g->nodes.at[n->args[k]].dtype) && zero_by(p, queue[head - 1], n->args[k]))
        queue[tail++] = n->args[k];
  }
  return best;
}

/* May a result depend on a vague sequential node?  Not if all that it reaches is 0 by other operands, which come before. */
static bool is_needed(Keeping *p, NodeId id) {
  const Graph *g = p->problem->graph[SIDE_SEQ];
  bool *on = xcalloc(g->nodes.len, sizeof *on), needed = false;
  uint32_t n_on = 1;
  on[id] = true;
  for (NodeId i = id + 1; i < g->nodes.len && n_on < MAX_SEARCH; i++) {
    for (uint32_t k = 0; k < g->nodes.at[i].n_args && !on[i]; k++) on[i] = on[g->nodes.at[i].args[k]];
    on[i] &= !p->idle[SIDE_SEQ][i];
    if (!on[i]) continue;
    Fact f = keeping_fact(p, SIDE_SEQ, i);
    on[i] = !fact_is_zero(&f);
    n_on += on[i];
    if (on[i]) p->fact[SIDE_SEQ][i] = f;
  }
  needed = n_on >= MAX_SEARCH;
  for (size_t k = 0; k < g->outputs.len; k++) needed |= on[g->outputs.at[k].node]; /* of those that are open */
  free(on);
  return needed;
}

/* Makes an input 0 that makes a vague node 0; false: none does. */
static bool zero_one(Keeping *p, NodeId id) {
  const Graph *g = p->problem->graph[SIDE_SEQ];
  const Node *n = &g->nodes.at[id];
  for (uint32_t k = 0; k < n->n_args; k++) {
    NodeId a = n->args[k];
    if (p->vague[SIDE_SEQ][a] || !dtype_is_float((DType)g->nodes.at[a].dtype) || !zero_by(p, id, a)) continue;
    int64_t param = zeroing(p, a);
    if (param < 0 || p->zeroed[param]) continue;
    p->zeroed[param] = true;
    for (NodeId i = g->params.at[param]; i <= id; i++) keeping_visit(p, SIDE_SEQ, i);
    return true;
  }
  return false;
}

void zeros_choose(Keeping *p) {
  const Graph *g = p->problem->graph[SIDE_SEQ];
  for (NodeId id = 0; id < g->nodes.len && !keeping_is_late(p); id++) {
    keeping_visit(p, SIDE_SEQ, id);
    if (p->vague[SIDE_SEQ][id] && !p->idle[SIDE_SEQ][id] && is_needed(p, id)) zero_one(p, id);
  }
}
