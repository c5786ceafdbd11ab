#include "eval/graph/narrowing.h"

#include <string.h>

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

static bool is_conversion(const Graph *g, const Node *x) {
  return x->n_args == 1 && x->op == sym("convert") && dtype_is_int(x->dtype) && dtype_is_int(g->nodes.at[x->args[0]].dtype);
}

static bool holds_all(DType to, DType from) {
  if (dtype_kind(to) == dtype_kind(from)) return dtype_bits(to) >= dtype_bits(from);
  return dtype_kind(from) == DK_UINT && dtype_bits(to) > dtype_bits(from);
}

/* Whether a conversion is to numbers of 8 bits, or to integers that may not hold a value of its operand, and does not wrap:
 * of signed integers to unsigned ones it does, as where it is marked.  No integers hold all reals. */
static bool narrows(const Narrowing *c, int side, const Node *x) {
  const Graph *g = c->graph[side];
  DType to = (DType)x->dtype, from = x->n_args == 1 ? (DType)g->nodes.at[x->args[0]].dtype : to;
  if (x->op == sym("convert") && dtype_is_float(to) && dtype_bits(to) == 8 && dtype_bits(from) > 8) return true;
  if (x->op == sym("convert") && x->n_args == 1 && dtype_is_int(to) && dtype_is_float(from)) return true;
  if (!is_conversion(g, x) || node_attr(x, sym("wraps")) || holds_all(to, from)) return false;
  bool wraps = dtype_kind(from) == DK_INT && dtype_kind(to) == DK_UINT;
  return !wraps && !bounds_fit(&c->bounds[side][x->args[0]], to);
}

void narrowing_mark(Graph *g, const Relation *r, int side) {
  Arena arena = {0};
  const Bounds *b = graph_bounds(g, r, side, &arena);
  for (size_t i = 0; i < g->nodes.len; i++) {
    Node *x = &g->nodes.at[i];
    if (!is_conversion(g, x) || node_attr(x, sym("wraps"))) continue;
    if (!b[x->args[0]].known || bounds_fit(&b[x->args[0]], (DType)x->dtype)) continue;
    Attr *all = ARENA_ARRAY(&g->arena, Attr, x->n_attrs + 1);
    if (x->n_attrs) memcpy(all, x->attrs, x->n_attrs * sizeof *all);
    all[x->n_attrs++] = (Attr){.name = sym("wraps"), .kind = ATTR_INT, .i = 1};
    x->attrs = all;
  }
  arena_free(&arena);
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
