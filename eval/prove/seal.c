#include "eval/prove/seal.h"

#include "eval/calculus/view.h"

/* A sum, a product or a contraction of real numbers: what a proof would look into. */
static bool composite(const Calculus *c, Value v) {
  Kind k = view_class(c, value_class(c, v)).kind;
  return (k == K_LIN || k == K_MUL || k == K_RED) && !value_is_num(v) && !value_is_integer(c, v);
}

/* Classes of values that nodes of this side have. */
static bool *classes_of(const Proof *p, Side side, Arena *a) {
  bool *had = ARENA_ARRAY(a, bool, calculus_stats(p->calc).classes + 1);
  for (NodeId id = 0; id < p->problem.graph[side]->nodes.len; id++) {
    Value v = p->build.value[side][id];
    if (!value_is_num(v)) had[value_class(p->calc, v)] = true;
  }
  return had;
}

bool seal_choose(const Proof *p, Arena *a, const bool *sealed[SIDE_COUNT]) {
  const bool *had[SIDE_COUNT];
  bool *last = ARENA_ARRAY(a, bool, calculus_stats(p->calc).classes + 1), some = false;
  for (int side = 0; side < SIDE_COUNT; side++) had[side] = classes_of(p, (Side)side, a);
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = p->problem.graph[side];
    const Value *value = p->build.value[side];
    for (NodeId id = 0; id < g->nodes.len; id++) {
      ClassId own = value_class(p->calc, value[id]);
      if (value_is_num(value[id]) || (had[SIDE_SEQ][own] && had[SIDE_DIST][own])) continue;
      for (uint32_t i = 0; i < g->nodes.at[id].n_args; i++) { /* the first value that one program alone has */
        Value v = value[g->nodes.at[id].args[i]];
        ClassId k = value_class(p->calc, v);
        if (had[SIDE_SEQ][k] && had[SIDE_DIST][k] && composite(p->calc, v)) last[k] = some = true;
      }
    }
  }
  for (int side = 0; side < SIDE_COUNT && some; side++) {
    const Graph *g = p->problem.graph[side];
    bool *at = ARENA_ARRAY(a, bool, g->nodes.len + 1);
    for (NodeId id = 0; id < g->nodes.len; id++) {
      Value v = p->build.value[side][id];
      at[id] = !value_is_num(v) && dtype_is_float(g->nodes.at[id].dtype) && last[value_class(p->calc, v)];
    }
    sealed[side] = at;
  }
  return some;
}
