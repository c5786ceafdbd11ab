#include "eval/blame/scene.h"

#include "eval/blame/blame_words.h"
#include "eval/blame/counterpart.h"

enum { MOST_OPERANDS = 3, MOST_USERS = 2 };

static const Node *node(const Proof *p, Side s, NodeId id) { return &p->problem.graph[s]->nodes.at[id]; }

static const char *words(Proof *p, Side side, NodeId id, const Counterpart *c, Arena *a) {
  Side other = side == SIDE_SEQ ? SIDE_DIST : SIDE_SEQ;
  Value v = p->build.value[side][id];
  char buf[128];
  if (value_is_num(v) && v.k == RAT_NAN) return "not known";
  if (value_is_num(v)) return arena_printf(a, "== %s", rat_print(v.k, buf, sizeof buf));
  if (c->node == NO_NODE) return "no counterpart";
  const char *sum = !c->n_axes ? ""
                               : arena_printf(a, "%s(%s) ", c->maximum ? "max" : "sum",
                                              blame_axes(&p->problem.relation->mesh, c->axes, c->n_axes, a));
  const char *factor = c->factor == RAT_1 ? "" : arena_printf(a, "%s * ", rat_print(c->factor, buf, sizeof buf));
  return arena_printf(a, "%s== %s%s%s", sum, factor, sym_text(node(p, other, c->node)->name),
                      c->turned ? " transposed" : "");
}

static SceneRow row(Proof *p, Side side, SceneRole role, NodeId id, Arena *a) {
  Counterpart c = counterpart_find(p, side, id, a);
  return (SceneRow){role, id, c.node, words(p, side, id, &c, a)};
}

static bool same_class(const Proof *p, Value v, Value w) {
  if (value_is_num(v) || value_is_num(w)) return value_same(v, w);
  return value_class(p->calc, v) == value_class(p->calc, w);
}

NodeId scene_alike(const Proof *p, Side side, NodeId id) {
  Side other = side == SIDE_SEQ ? SIDE_DIST : SIDE_SEQ;
  const Node *n = node(p, side, id);
  for (size_t i = 0; n->n_args && i < p->problem.graph[other]->nodes.len; i++) {
    const Node *m = node(p, other, (NodeId)i);
    bool same = m->op == n->op && m->n_args == n->n_args;
    for (uint32_t k = 0; same && k < n->n_args; k++)
      same = same_class(p, p->build.value[side][n->args[k]], p->build.value[other][m->args[k]]);
    if (same) return (NodeId)i;
  }
  return NO_NODE;
}

/* The operator only hands on the value. */
static bool hands_on(const Proof *p, Side side, NodeId id, NodeId value) {
  Value v = p->build.value[side][id], w = p->build.value[side][value];
  return !value_is_num(v) && !value_is_num(w) && v.k == w.k && value_class(p->calc, v) == value_class(p->calc, w);
}

/* What uses it; and where that only hands it on, what comes next. */
static void add_users(Proof *p, Side side, NodeId id, Scene *s, SceneRow *rows, Arena *a) {
  const Graph *g = p->problem.graph[side];
  bool *carries = xcalloc(g->nodes.len, 1);
  carries[id] = true;
  uint32_t users = 0, next = 0;
  for (size_t j = id + 1; j < g->nodes.len && (users < MOST_USERS || !next); j++) {
    const Node *n = &g->nodes.at[j];
    bool direct = false, uses = false;
    for (uint32_t k = 0; k < n->n_args; k++) direct |= n->args[k] == id, uses |= carries[n->args[k]];
    if (!uses) continue;
    carries[j] = hands_on(p, side, (NodeId)j, id);
    bool last = !carries[j];
    if (direct ? users < MOST_USERS : last && !next) {
      rows[s->n++] = row(p, side, SCENE_USER, (NodeId)j, a);
      users += direct;
      next += last;
    }
  }
  free(carries);
}

Scene scene_of(Proof *p, Side side, NodeId id, Arena *a) {
  const Graph *g = p->problem.graph[side];
  const Node *n = &g->nodes.at[id];
  SceneRow *rows = ARENA_ARRAY(a, SceneRow, MOST_OPERANDS + 1 + MOST_USERS + 1);
  Scene s = {.rows = rows, .like = NO_NODE};
  for (uint32_t k = 0; k < n->n_args && s.n < MOST_OPERANDS; k++) {
    bool seen = false;
    for (uint32_t j = 0; j < k; j++) seen |= n->args[j] == n->args[k];
    if (!seen) rows[s.n++] = row(p, side, SCENE_OPERAND, n->args[k], a);
  }
  rows[s.n++] = row(p, side, SCENE_SELF, id, a);
  s.like = rows[s.n - 1].twin != NO_NODE ? rows[s.n - 1].twin : scene_alike(p, side, id);
  add_users(p, side, id, &s, rows, a);
  return s;
}
