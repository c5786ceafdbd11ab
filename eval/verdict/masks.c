#include "eval/verdict/masks.h"

#include "eval/graph/literal.h"

/* A mask of a graph, rather than minus infinity, which maxima begin with; 0: it has none. */
static Rat mask_of(const Graph *g) {
  Rat mask = RAT_0;
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Node *n = &g->nodes.at[id];
    for (uint64_t i = 0; n->literal && i < (n->literal->kind == LIT_SPLAT ? 1 : n->literal->n); i++) {
      if (literal_is_mask(n->literal->values[i], n->dtype)) return n->literal->values[i];
      if (n->literal->values[i] == RAT_NEG_INF) mask = RAT_NEG_INF;
    }
  }
  return mask;
}

static bool is_number(Rat mask) { return mask != RAT_0 && mask != RAT_NEG_INF; }

bool masks(const Problem *p, bool *differ) {
  Rat m[SIDE_COUNT];
  for (int side = 0; side < SIDE_COUNT; side++) m[side] = mask_of(p->graph[side]);
  *differ = m[SIDE_SEQ] != RAT_0 && m[SIDE_DIST] != RAT_0 && m[SIDE_SEQ] != m[SIDE_DIST];
  return is_number(m[SIDE_SEQ]) || is_number(m[SIDE_DIST]);
}

bool masks_stand(const Proof *p) {
  bool ok = !(calculus_assumptions(p->calc) & (ASSUME_LEFT | ASSUME_NONZERO));
  for (uint32_t k = 0; k < p->n_outputs && ok; k++) {
    const ProofOutput *o = &p->outputs[k];
    ok = !o->proved || !(value_is_partial(p->calc, o->want) || value_is_partial(p->calc, o->got));
  }
  return ok;
}
