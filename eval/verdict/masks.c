#include "eval/verdict/masks.h"

#include "eval/graph/literal.h"

enum { LOW = -1000 }; /* what may be meant to be below all others */

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

bool masks_low(const Problem *p) {
  bool low = false;
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId id = 0; id < p->graph[side]->nodes.len && !low; id++) {
      const Node *n = &p->graph[side]->nodes.at[id];
      uint64_t many = !n->literal ? 0 : n->literal->kind == LIT_SPLAT ? 1 : n->literal->n;
      for (uint64_t i = 0; i < many && !low && dtype_is_float((DType)n->dtype); i++)
        low = rat_is_finite(n->literal->values[i]) && rat_cmp(n->literal->values[i], RAT_INT(LOW)) <= 0;
    }
  return low;
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
