#include "eval/blame/relatives.h"

#include <string.h>

#include "eval/blame/counterpart.h"
#include "eval/blame/slices.h"
#include "eval/calculus/view.h"

enum {
  MAX_SUBSETS = 64,  /* of mesh digits a value is summed over */
  MAX_SUMMED = 4000, /* values summed, per blame */
  NODE_STEPS = 20,   /* of the calculus for all sums, per distributed node .. */
  LEAST_STEPS = 10000 /* .. but always so many */
};

static const Graph *graph(const Relatives *r, Side s) { return r->proof->problem.graph[s]; }
static const Node *node(const Relatives *r, NodeId id) { return &graph(r, SIDE_DIST)->nodes.at[id]; }
static Value value(const Relatives *r, Side s, NodeId id) { return r->proof->build.value[s][id]; }

bool relatives_known(const Relatives *r, Side s, ClassId id) {
  return id < r->n_classes && r->node_of[s][id] != NO_NODE;
}

void relatives_make(Relatives *r, Proof *proof, const ExactRun *run, bool differ, Arena *a) {
  *r = (Relatives){.proof = proof, .arena = a};
  likeness_make(&r->likeness, proof, run, a);
  r->n_classes = calculus_stats(r->proof->calc).classes;
  for (Side s = 0; s < SIDE_COUNT; s++) {
    r->node_of[s] = ARENA_ARRAY(r->arena, NodeId, r->n_classes);
    memset(r->node_of[s], 0xff, r->n_classes * sizeof(NodeId));
    for (size_t i = graph(r, s)->nodes.len; i-- > 0;) {
      Value v = value(r, s, (NodeId)i);
      if (!value_is_num(v)) r->node_of[s][value_class(r->proof->calc, v)] = (NodeId)i;
    }
  }
  size_t len = graph(r, SIDE_DIST)->nodes.len;
  r->last_step = calculus_stats(proof->calc).steps + (NODE_STEPS * len > LEAST_STEPS ? NODE_STEPS * len : LEAST_STEPS);
  slices_relate(r);
  r->summed_from_dist = ARENA_ARRAY(r->arena, bool, r->n_classes);
  r->summed = ARENA_ARRAY(r->arena, uint32_t, graph(r, SIDE_DIST)->nodes.len);
  r->maxed = ARENA_ARRAY(r->arena, uint32_t, graph(r, SIDE_DIST)->nodes.len);
  r->relatedness = ARENA_ARRAY(r->arena, uint8_t, graph(r, SIDE_DIST)->nodes.len);
  r->numbers = numbers_new(proof, differ ? run : NULL, a);
  r->alike = ARENA_ARRAY(r->arena, Alike, graph(r, SIDE_DIST)->nodes.len);
  for (NodeId i = 0; i < graph(r, SIDE_DIST)->nodes.len; i++) r->alike[i].factor = RAT_0;
  r->from_inputs = ARENA_ARRAY(r->arena, bool, graph(r, SIDE_DIST)->nodes.len);
  for (NodeId i = 0; i < graph(r, SIDE_DIST)->nodes.len; i++) {
    r->from_inputs[i] = node(r, i)->op == sym("parameter");
    for (uint32_t k = 0; k < node(r, i)->n_args; k++) r->from_inputs[i] |= r->from_inputs[node(r, i)->args[k]];
  }
}

static uint32_t axes_of(const Relatives *r, const Name *names, uint32_t n, uint32_t set) {
  uint32_t axes = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t axis =
        meshdigits_get(digits_mesh(r->proof->digits), calculus_name_info(r->proof->calc, names[i])->a)->axis;
    if (set >> i & 1 && axis < 32) axes |= 1u << axis;
  }
  return axes;
}

/* Whether a sum or maximum over some mesh digits is known on the sequential side; notes what it sums up to. */
static bool sums_up(Relatives *r, NodeId node_id, Value v) {
  Name names[16];
  uint32_t n = counterpart_mesh_names(r->proof->calc, v, names, 16);
  if (!n || r->n_summed++ > MAX_SUMMED || calculus_exhausted(r->proof->calc)) return false;
  if (calculus_stats(r->proof->calc).steps > r->last_step) return false;
  bool found = false;
  bool is_maximum = view_class(r->proof->calc, value_class(r->proof->calc, v)).kind == K_MAX;
  for (uint32_t set = 1; set < 1u << n && set <= MAX_SUBSETS; set++) {
    bool alike = likeness_of_sum(&r->likeness, node_id, names, n, set, r->arena);
    for (int maximum = !alike; maximum <= is_maximum; maximum++) {
      Value w = counterpart_reduce(r->proof->calc, v, names, n, set, maximum);
      if (value_is_num(w)) continue;
      ClassId id = value_class(r->proof->calc, w);
      if (id < r->n_classes) r->summed_from_dist[id] = true;
      bool hit = relatives_known(r, SIDE_SEQ, id);
      uint32_t *axes = maximum ? &r->maxed[node_id] : &r->summed[node_id];
      if (hit && !*axes) *axes = axes_of(r, names, n, set);
      found |= hit;
    }
  }
  return found;
}

bool relatives_index_only(Relatives *r, Value v) {
  Form form;
  ArenaMark m = arena_mark(r->arena);
  bool affine = value_affine(r->proof->calc, v, r->arena, &form);
  arena_reset(r->arena, m);
  if (affine) return true;
  if (!value_is_integer(r->proof->calc, v)) return false;
  const Name *names;
  uint32_t n = value_names(r->proof->calc, v, &names);
  for (uint32_t i = 0; i < n; i++)
    if (name_is_const(names[i]) || calculus_name_info(r->proof->calc, names[i])->kind != NAME_MESH) return false;
  return n > 0;
}

/* It has all elements of its operand. */
static bool keeps_all(const Node *n) {
  static const char *const ops[] = {"reshape", "transpose", "broadcast", "convert", "copy"};
  bool is = false;
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) is |= n->op == sym(ops[k]);
  return is;
}

/* By numbers, unless it is read at indices that are not those of the sequential program, which has these numbers at others.
 * That value is not lost then. */
static bool is_alike(Relatives *r, NodeId id) {
  Alike x;
  for (uint32_t k = 0; k < node(r, id)->n_args; k++) {
    NodeId arg = node(r, id)->args[k];
    bool tells = keeps_all(node(r, id)) || !dtype_is_float((DType)node(r, arg)->dtype);
    if (tells && relatives_of(r, arg) > REL_ALIKE) return false;
  }
  if (!numbers_find(r->numbers, id, &x.seq, &x.axes, &x.factor)) return false;
  Value v = value(r, SIDE_SEQ, x.seq);
  if (!value_is_num(v) && value_class(r->proof->calc, v) < r->n_classes)
    r->summed_from_dist[value_class(r->proof->calc, v)] = true;
  r->alike[id] = x;
  r->summed[id] = x.axes;
  return true;
}

Relatedness relatives_of(Relatives *r, NodeId id) {
  if (r->relatedness[id]) return r->relatedness[id];
  Value v = value(r, SIDE_DIST, id);
  Relatedness is = REL_NO;
  bool given = node(r, id)->op == sym("parameter"); /* its layout was declared */
  if (given || value_is_num(v) || relatives_known(r, SIDE_SEQ, value_class(r->proof->calc, v))) is = REL_SAME;
  else if (!r->from_inputs[id] && relatives_index_only(r, v)) is = REL_INDEX;
  else if (!build_is_costly(&r->proof->build, id) && sums_up(r, id, v)) is = REL_SUMMED;
  else if (r->part[id]) is = REL_PART;
  else if (is_alike(r, id)) is = r->alike[id].axes ? REL_SUMMED : REL_ALIKE;
  return r->relatedness[id] = (uint8_t)is;
}

bool relatives_equal(const Relatives *r, NodeId id) {
  Value v = value(r, SIDE_DIST, id);
  if (value_is_num(v)) return false;
  ClassId c = value_class(r->proof->calc, v);
  return relatives_known(r, SIDE_SEQ, c) && value(r, SIDE_SEQ, r->node_of[SIDE_SEQ][c]).k == v.k;
}

NodeId relatives_moved(const Relatives *r, NodeId id) {
  Value v = value(r, SIDE_DIST, id);
  const Node *n = node(r, id);
  for (uint32_t k = 0; k < n->n_args && !value_is_num(v); k++) {
    Value w = value(r, SIDE_DIST, n->args[k]);
    if (!value_is_num(w) && w.k == v.k && value_class(r->proof->calc, w) == value_class(r->proof->calc, v))
      return n->args[k];
  }
  return NO_NODE;
}

/* Distributed nodes of a class as lists: from the class's first node on. */
static NodeId *list_classes(Relatives *r) {
  size_t len = graph(r, SIDE_DIST)->nodes.len;
  NodeId *next = ARENA_ARRAY(r->arena, NodeId, len + 1), *last = ARENA_ARRAY(r->arena, NodeId, r->n_classes + 1);
  for (NodeId i = 0; i < len; i++) {
    next[i] = NO_NODE;
    Value v = value(r, SIDE_DIST, i);
    if (value_is_num(v) || value_class(r->proof->calc, v) >= r->n_classes) continue;
    ClassId id = value_class(r->proof->calc, v);
    if (r->node_of[SIDE_DIST][id] != i) next[last[id]] = i;
    last[id] = i;
  }
  return next;
}

uint32_t relatives_lost(Relatives *r, const bool *asked, NodeId *out, uint32_t cap) {
  const Graph *g = graph(r, SIDE_SEQ);
  NodeId *next = list_classes(r);
  bool *lost = ARENA_ARRAY(r->arena, bool, g->nodes.len + 1);
  uint32_t n = 0;
  for (NodeId i = 0; i < g->nodes.len && n < cap; i++) {
    Value v = value(r, SIDE_SEQ, i);
    if (value_is_num(v) || g->nodes.at[i].op == sym("parameter")) continue;
    ClassId id = value_class(r->proof->calc, v);
    lost[i] = id < r->n_classes && !r->summed_from_dist[id] && !relatives_index_only(r, v);
    for (NodeId k = lost[i] ? r->node_of[SIDE_DIST][id] : NO_NODE; k != NO_NODE && lost[i]; k = next[k])
      lost[i] = value(r, SIDE_DIST, k).k != v.k;
    bool first = asked[i] && lost[i];
    for (uint32_t k = 0; k < g->nodes.at[i].n_args && first; k++) first = !lost[g->nodes.at[i].args[k]];
    if (first) out[n++] = i;
  }
  return n;
}
