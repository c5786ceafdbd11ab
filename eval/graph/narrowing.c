#include "eval/graph/narrowing.h"

bool *graph_reached(const Graph *g, const Relation *r, int side, Arena *a) {
  bool *on = ARENA_ARRAY(a, bool, g->nodes.len + 1);
  for (uint32_t k = 0; k < r->n_outputs; k++) on[g->outputs.at[side ? r->outputs[k].dist : r->outputs[k].seq].node] = true;
  for (size_t i = g->nodes.len; i-- > 0;)
    for (uint32_t k = 0; on[i] && k < g->nodes.at[i].n_args; k++) on[g->nodes.at[i].args[k]] = true;
  return on;
}

void narrowing_begin(Narrowing *c, const Graph *const graph[2], const Relation *r, Arena *a) {
  for (int side = 0; side < 2; side++) {
    c->graph[side] = graph[side];
    c->bounds[side] = graph_bounds(graph[side], r, side, a);
    c->reached[side] = graph_reached(graph[side], r, side, a);
  }
}

static bool converts(const Graph *g, const bool *on, DType to) {
  for (size_t i = 0; i < g->nodes.len; i++) {
    const Node *x = &g->nodes.at[i];
    if (on[i] && x->op == sym("convert") && x->dtype == to && dtype_is_float(g->nodes.at[x->args[0]].dtype)) return true;
  }
  return false;
}

/* Whether a conversion is to integers that do not hold every value of its operand; of signed integers to unsigned ones it
 * wraps.  No integers hold all reals; where both programs convert reals to the usual ones, they lose the same. */
static bool narrows(const Narrowing *c, int side, const Node *x) {
  if (x->n_args != 1 || x->op != sym("convert") || !dtype_is_int(x->dtype)) return false;
  DType from = (DType)c->graph[side]->nodes.at[x->args[0]].dtype, to = (DType)x->dtype;
  if (dtype_is_float(from)) return dtype_bits(to) < 32 || !converts(c->graph[!side], c->reached[!side], to);
  if (!dtype_is_int(from) || bounds_fit(&c->bounds[side][x->args[0]], to)) return false;
  if (dtype_kind(from) == DK_INT) return dtype_kind(to) == DK_INT && dtype_bits(to) < dtype_bits(from);
  return dtype_bits(to) < dtype_bits(from) + (dtype_kind(to) == DK_INT);
}

/* Positions along a dimension that is longer than their type counts. */
static bool counts_too_far(const Node *x) {
  if (x->op != sym("iota") || !dtype_is_int(x->dtype)) return false;
  int64_t d = node_attr_int(x, sym("iota_dimension"), 0);
  int bits = dtype_bits(x->dtype) - (dtype_kind(x->dtype) == DK_INT);
  return d >= 0 && d < x->rank && bits < 63 && x->dims[d] > INT64_C(1) << bits;
}

const char *narrowing_text(const Narrowing *c, int side, NodeId id, Arena *a) {
  const Node *x = &c->graph[side]->nodes.at[id];
  if (counts_too_far(x)) return arena_printf(a, "no value overflows in an iota of %s", dtype_text((DType)x->dtype));
  if (c->bounds[side][id].exceeds && x->op != sym("convert"))
    return arena_printf(a, "no value overflows in a %s of %s", sym_text(x->op), dtype_text((DType)x->dtype));
  if (!narrows(c, side, x)) return NULL;
  return arena_printf(a, "no value overflows when %s is converted to %s",
                      dtype_text((DType)c->graph[side]->nodes.at[x->args[0]].dtype), dtype_text((DType)x->dtype));
}
