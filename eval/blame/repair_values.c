#include "eval/blame/repair_values.h"

#include <math.h>
#include <string.h>

#include "eval/blame/place.h"

enum { MOST_TOGETHER = 64, MOST_TRIED = 300, MOST_USERS = 4 };

typedef struct Liker {
  const ValueSites *v;
  ValueTry *try;
  void *context;
  const NodeId *place;        /* of sequential nodes */
  NodeId lost[MOST_TOGETHER]; /* the sequential operator, and others of its line and kind, in order */
  uint32_t n_lost;
  int64_t *blocks;
  uint32_t tried;
} Liker;

static const Graph *graph(const Liker *l, Side s) { return l->v->proof->problem.graph[s]; }
static const Node *node(const Liker *l, Side s, NodeId id) { return &graph(l, s)->nodes.at[id]; }

static bool same_value(const Liker *l, NodeId dist, NodeId seq) {
  const Proof *p = l->v->proof;
  Value x = p->build.value[SIDE_DIST][dist], y = p->build.value[SIDE_SEQ][seq];
  return !value_is_num(x) && !value_is_num(y) && x.k == y.k && value_class(p->calc, x) == value_class(p->calc, y);
}

static bool same_dims(const Node *x, const Node *y) {
  return x->rank == y->rank && !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims);
}

static void find_line(Liker *l, NodeId lost) {
  const Graph *g = graph(l, SIDE_SEQ);
  const Node *n = &g->nodes.at[lost];
  Sym at = l->place[lost] == NO_NODE ? 0 : node_at(g, l->place[lost]);
  uint32_t before = 0;
  l->n_lost = 0;
  for (NodeId i = 0; i < g->nodes.len && l->n_lost < MOST_TOGETHER; i++) {
    bool alike = at && g->nodes.at[i].op == n->op && l->place[i] != NO_NODE && node_at(g, l->place[i]) == at;
    if (i != lost && !(alike && same_dims(&g->nodes.at[i], n))) continue;
    before += i < lost;
    l->lost[l->n_lost++] = i;
  }
  if (before) l->lost[0] = lost, l->n_lost = 1; /* other operators of the line are right */
}

/* Wherever the line stands that `id` came from, if that is as often as the sequential one does; else there alone. */
static bool try_together(Liker *l, TrialEdit e, NodeId id) {
  if (l->tried++ >= MOST_TRIED) return false;
  NodeId nodes[MOST_TOGETHER];
  uint32_t n = 0;
  const Node *own = node(l, SIDE_DIST, id);
  for (NodeId i = l->v->first[id]; i != NO_NODE && n < MOST_TOGETHER; i = l->v->next[i])
    if (i >= id && same_dims(node(l, SIDE_DIST, i), own)) nodes[n++] = i;
  e.with = l->lost;
  e.blocks = l->blocks;
  if (n > 1 && n == l->n_lost && l->try(l->context, &e, nodes, n)) return true;
  return l->try(l->context, &e, &id, 1);
}

/* The value as it is, or as the addends of a sum over an axis. */
static bool try_value(Liker *l, int32_t operand, NodeId id, bool partial) {
  TrialEdit e = {.kind = TRIAL_LIKE, .operand = operand, .number = 1};
  if (try_together(l, e, id)) return true;
  const Mesh *m = &l->v->sites->relation->mesh;
  for (uint32_t k = 0; k < m->n_axes && partial; k++) {
    e.number = 1 / (double)m->axes[k].size;
    if (m->axes[k].size > 1 && try_together(l, e, id)) return true;
  }
  return false;
}

/* What its result is to be can be told from its operands. */
static bool well_fed(const Liker *l, NodeId id) {
  const Node *n = node(l, SIDE_DIST, id);
  for (uint32_t k = 0; k < n->n_args; k++)
    if (!l->v->sites->hints->related[n->args[k]]) return false;
  return true;
}

/* In place of an operand, or of the result, of `id`; `a` is an operand of the lost operator that is the value `x`. */
static bool try_at(Liker *l, NodeId id, int32_t operand, NodeId x, NodeId a) {
  Trial *t = l->v->sites->trial;
  NodeId lost = l->lost[0];
  const Node *n = node(l, SIDE_DIST, id), *in = node(l, SIDE_DIST, x);
  bool kept = same_dims(node(l, SIDE_SEQ, lost), node(l, SIDE_SEQ, a)) && trial_blocks(t, x, a, l->blocks);
  if (kept && try_value(l, operand, id, false)) return true;
  if (operand < 0 || !well_fed(l, id)) return false;
  if (kept && same_dims(n, in)) return try_value(l, -1, id, false);
  return trial_blocks_by_shape(t, id, lost, 0, l->blocks) && try_value(l, -1, id, n->op == node(l, SIDE_SEQ, lost)->op);
}

static bool like(Liker *l, NodeId lost) {
  const Node *want = node(l, SIDE_SEQ, lost);
  const Trial *t = l->v->sites->trial;
  find_line(l, lost);
  for (NodeId i = 0; i < graph(l, SIDE_DIST)->nodes.len; i++) {
    const Node *n = node(l, SIDE_DIST, i);
    if (trial_work(t) > l->v->end) return false;
    if (!l->v->region[i]) continue;
    bool met = false;
    for (uint32_t j = 0; j < want->n_args; j++) {
      if (n->n_args && same_value(l, i, want->args[j]) && try_at(l, i, -1, i, want->args[j])) return true;
      for (uint32_t k = 0; k < n->n_args; k++) {
        if (!same_value(l, n->args[k], want->args[j])) continue;
        met = true;
        if (try_at(l, i, (int32_t)k, n->args[k], want->args[j])) return true;
      }
    }
    if (met || n->op != want->op || !well_fed(l, i) || !trial_blocks_by_shape(t, i, lost, 0, l->blocks)) continue;
    if (try_value(l, -1, i, n->rank == want->rank)) return true;
  }
  return false;
}

/* Its users know other operands, by which they are found where none of its own are in use any more. */
static bool like_users(Liker *l, NodeId lost) {
  const Graph *g = graph(l, SIDE_SEQ);
  uint32_t tried = 0;
  for (NodeId i = lost + 1; i < g->nodes.len && tried < MOST_USERS; i++) {
    const Node *n = &g->nodes.at[i];
    bool uses = false, others = false;
    for (uint32_t k = 0; k < n->n_args; k++) {
      uses |= n->args[k] == lost;
      others |= n->args[k] != lost && !value_is_num(l->v->proof->build.value[SIDE_SEQ][n->args[k]]);
    }
    if (uses && others && ++tried && like(l, i)) return true;
  }
  return false;
}

bool values_like(const ValueSites *v, ValueTry *try, void *context) {
  const RepairHints *h = v->sites->hints;
  Liker l = {.v = v, .try = try, .context = context, .place = place_nodes(v->proof->problem.graph[SIDE_SEQ], v->a)};
  uint32_t rank = 1;
  for (size_t i = 0; i < v->sites->g->nodes.len; i++)
    if (v->sites->g->nodes.at[i].rank > rank) rank = v->sites->g->nodes.at[i].rank;
  l.blocks = ARENA_ARRAY(v->a, int64_t, (size_t)trial_n_devices(v->sites->trial) * rank);
  for (uint32_t k = 0; k < h->n_lost; k++)
    if (like(&l, h->lost[k])) return true;
  for (uint32_t k = 0; k < h->n_lost; k++)
    if (like_users(&l, h->lost[k])) return true;
  return false;
}
