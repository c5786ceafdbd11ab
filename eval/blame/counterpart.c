#include "eval/blame/counterpart.h"

#include "eval/blame/blame.h"
#include "eval/blame/blame_words.h"

enum { MAX_SUBSETS = 64 };

uint32_t counterpart_mesh_names(const Calculus *c, Value v, Name *out, uint32_t cap) {
  const Name *names;
  uint32_t n = value_names(c, v, &names), m = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (name_is_const(names[i]) || calculus_name_info(c, names[i])->kind != NAME_MESH) continue;
    bool seen = false;
    for (uint32_t j = 0; j < m; j++) seen |= out[j] == names[i];
    if (!seen && m < cap) out[m++] = names[i];
  }
  return m;
}

Value counterpart_reduce(Calculus *c, Value v, const Name *names, uint32_t n, uint32_t set, bool maximum) {
  Subst s = {0};
  Name bound[32];
  uint32_t m = 0;
  calculus_scope(c);
  for (uint32_t i = 0; i < n && m < 32; i++) {
    if (!(set >> i & 1)) continue;
    bound[m] = calculus_fresh(c, calculus_name_info(c, names[i])->size);
    subst_put(&s, names[i], bound[m++]);
  }
  Value w = calc_rename(c, v, &s);
  return maximum ? calc_max(c, &w, 1, bound, m) : calc_sum(c, bound, m, w);
}

static NodeId first_of_class(const Proof *p, Side side, Value v, const ClassNodes *known) {
  if (value_is_num(v)) return NO_NODE;
  if (known) return value_class(p->calc, v) < known->n ? known->first[value_class(p->calc, v)] : NO_NODE;
  for (size_t i = 0; i < p->problem.graph[side]->nodes.len; i++) {
    Value w = p->build.value[side][i];
    if (!value_is_num(w) && w.k != RAT_0 && value_class(p->calc, w) == value_class(p->calc, v)) return (NodeId)i;
  }
  return NO_NODE;
}

/* Indices of a node, each digit as the name that `v` has in the slot of it; `as` is the node's own value. */
static const char *indices(Proof *p, Side side, NodeId id, Value as, Value v, Arena *a) {
  const Node *n = &p->problem.graph[side]->nodes.at[id];
  const Name *own, *there;
  uint32_t m = value_names(p->calc, as, &own);
  value_names(p->calc, v, &there);
  const char *out = n->rank ? "[" : "";
  for (uint32_t k = 0; k < m; k++) { /* on the device where a coordinate is an index */
    bool moved = own[k] != there[k] && !name_is_const(own[k]) && calculus_name_info(p->calc, own[k])->kind == NAME_MESH;
    const char *here = moved ? blame_name(p, own[k], a) : NULL;
    if (moved) out = arena_printf(a, "%s%s=%s; ", *out ? out : "[", here, blame_name(p, there[k], a));
  }
  for (uint32_t d = 0; d < n->rank; d++) {
    DigitList l = digits_dim(p->digits, side, id, d);
    const char *digits = NULL;
    for (uint32_t j = 0; j < l.n; j++) {
      const char *text = "_"; /* the value does not depend on it */
      Name name = calculus_name(p->calc, NAME_DIM, d, j, l.size[j]);
      for (uint32_t k = 0; k < m; k++)
        if (own[k] == name) text = blame_name(p, there[k], a);
      digits = digits ? arena_printf(a, "%s, %s", digits, text) : text;
    }
    out = arena_printf(a, l.n > 1 ? "%s%s(%s)" : "%s%s%s", out, d ? ", " : "", l.n ? digits : "0");
  }
  return *out ? arena_printf(a, "%s]", out) : out;
}

static const char *name_of(const Proof *p, Side side, NodeId id, Arena *a) {
  const char *graph = side == SIDE_SEQ ? "seq" : "dist", *name = sym_text(p->problem.graph[side]->nodes.at[id].name);
  return arena_printf(a, strchr(name, '.') || strchr(name, '-') ? "%s.\"%s\"" : "%s.%s", graph, name);
}

static const char *equation(Proof *p, Side side, NodeId id, Value v, const Counterpart *c, Arena *a) {
  Side other = side == SIDE_SEQ ? SIDE_DIST : SIDE_SEQ;
  Value own = p->build.value[side][id], there = p->build.value[other][c->node];
  char buf[128];
  const char *left = arena_printf(a, "%s%s", name_of(p, side, id, a), indices(p, side, id, own, own, a));
  if (c->n_axes)
    left = arena_printf(a, "%s(%s) %s", c->maximum ? "max" : "sum",
                        blame_axes(&p->problem.relation->mesh, c->axes, c->n_axes, a), left);
  const char *factor = c->factor == RAT_1 ? "" : arena_printf(a, "%s * ", rat_print(c->factor, buf, sizeof buf));
  return arena_printf(a, "%s == %s%s%s", left, factor, name_of(p, other, c->node, a),
                      indices(p, other, c->node, there, v, a));
}

static void set_axes(Proof *p, Counterpart *c, const Name *names, uint32_t n, uint32_t set, Arena *a) {
  uint32_t *axes = ARENA_ARRAY(a, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t axis = meshdigits_get(digits_mesh(p->digits), calculus_name_info(p->calc, names[i])->a)->axis;
    bool seen = !(set >> i & 1);
    for (uint32_t j = 0; j < c->n_axes; j++) seen |= axes[j] == axis;
    if (!seen) axes[c->n_axes++] = axis;
  }
  c->axes = axes;
}

ClassNodes counterpart_classes(const Proof *p, Side side, Arena *a) {
  const Value *value = p->build.value[side];
  size_t n_nodes = p->problem.graph[side]->nodes.len;
  uint32_t n = 0;
  for (size_t i = 0; i < n_nodes; i++)
    if (!value_is_num(value[i]) && value_class(p->calc, value[i]) >= n) n = value_class(p->calc, value[i]) + 1;
  NodeId *first = ARENA_ARRAY(a, NodeId, n + 1);
  for (uint32_t k = 0; k < n; k++) first[k] = NO_NODE;
  for (size_t i = n_nodes; i-- > 0;)
    if (!value_is_num(value[i]) && value[i].k != RAT_0) first[value_class(p->calc, value[i])] = (NodeId)i;
  return (ClassNodes){n, first};
}

/* Which dimensions of the counterpart an index of the mesh cuts; v is the value by its names. */
static void set_cuts(Proof *p, Side other, Value v, Counterpart *c, Arena *a) {
  const Node *n = &p->problem.graph[other]->nodes.at[c->node];
  const Name *own, *there;
  uint32_t m = value_names(p->calc, p->build.value[other][c->node], &own);
  value_names(p->calc, v, &there);
  c->cuts = ARENA_ARRAY(a, CounterpartCut, m + 1);
  for (uint32_t d = 0; d < n->rank; d++) {
    DigitList l = digits_dim(p->digits, other, c->node, d);
    for (uint32_t j = 0; j < l.n; j++) {
      Name name = calculus_name(p->calc, NAME_DIM, d, j, l.size[j]);
      for (uint32_t k = 0; k < m; k++) {
        if (own[k] != name || name_is_const(there[k])) continue;
        if (calculus_name_info(p->calc, there[k])->kind != NAME_MESH) continue;
        uint32_t digit = calculus_name_info(p->calc, there[k])->a;
        c->cuts[c->n_cuts++] = (CounterpartCut){d, meshdigits_get(digits_mesh(p->digits), digit)->axis};
      }
    }
  }
}

/* Whether digits of dimensions stand in another order in the counterpart than in v, the value by its names. */
static bool is_turned(const Proof *p, Value counterpart, Value v) {
  const Name *own, *there;
  uint32_t m = value_names(p->calc, counterpart, &own);
  value_names(p->calc, v, &there);
  for (uint32_t i = 0; i < m; i++)
    for (uint32_t k = 0; k < i; k++) {
      if (name_is_const(own[i]) || name_is_const(own[k]) || name_is_const(there[i]) || name_is_const(there[k])) continue;
      const NameInfo *x = calculus_name_info(p->calc, own[i]), *y = calculus_name_info(p->calc, own[k]);
      const NameInfo *u = calculus_name_info(p->calc, there[i]), *w = calculus_name_info(p->calc, there[k]);
      bool dims = x->kind == NAME_DIM && y->kind == NAME_DIM && u->kind == NAME_DIM && w->kind == NAME_DIM;
      if (dims && x->a != y->a && u->a != w->a && (x->a < y->a) != (u->a < w->a)) return true;
    }
  return false;
}

Counterpart counterpart_find(Proof *p, Side side, NodeId id, Arena *a) {
  return counterpart_among(p, side, id, NULL, a);
}

Counterpart counterpart_among(Proof *p, Side side, NodeId id, const ClassNodes *known, Arena *a) {
  Side other = side == SIDE_SEQ ? SIDE_DIST : SIDE_SEQ;
  Value v = p->build.value[side][id];
  Counterpart out = {.node = NO_NODE, .factor = RAT_1};
  Name names[16];
  uint32_t n = side == SIDE_DIST ? counterpart_mesh_names(p->calc, v, names, 16) : 0;
  for (uint32_t set = 0; set < 1u << n && set <= MAX_SUBSETS && out.node == NO_NODE; set++) {
    for (int maximum = 0; maximum < (set ? 2 : 1) && out.node == NO_NODE; maximum++) {
      Value w = set ? counterpart_reduce(p->calc, v, names, n, set, maximum) : v;
      out.node = first_of_class(p, other, w, known);
      if (out.node == NO_NODE || w.k == RAT_0) continue;
      out.factor = rat_div(w.k, p->build.value[other][out.node].k);
      out.maximum = maximum;
      out.turned = is_turned(p, p->build.value[other][out.node], w);
      set_axes(p, &out, names, n, set, a);
      set_cuts(p, other, w, &out, a);
      out.equation = equation(p, side, id, w, &out, a);
    }
  }
  return out;
}
