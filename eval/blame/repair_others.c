/* Values of the distributed program in the place of others: see repair_values.h.  What was mistaken or forgotten is
 * looked for among the values computed shortly before or after. */
#include <math.h>
#include <string.h>

#include "eval/blame/repair_values.h"

enum { MOST_TOGETHER = 64, WINDOW = 32, MOST_PAIRS = 2, MOST_TRIED = 3000, FAR = 512 };

static const Node *node(const ValueSites *v, NodeId id) { return &v->sites->g->nodes.at[id]; }
static bool is_float(const Node *n) { return dtype_is_float((DType)n->dtype); }
static bool over(const ValueSites *v, uint32_t *tried) {
  return trial_exhausted(v->sites->trial) || trial_work(v->sites->trial) > v->end || ++*tried > MOST_TRIED;
}

static bool hands_on(const ValueSites *v, NodeId id) {
  return v->sites->hints->moves[id] || node(v, id)->op == sym("broadcast") || node(v, id)->op == sym("reshape");
}

static bool same_type(const Node *x, const Node *y) {
  return x->dtype == y->dtype && x->rank == y->rank && !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims);
}

static Sym line_of(const ValueSites *v, NodeId id) {
  NodeId at = v->sites->hints->place[id];
  return at == NO_NODE ? 0 : node_at(v->sites->g, at);
}

/* The value that is to `id` what `other` is to another operator of its line: the next of its kind, before or after. */
static NodeId counterpart(const ValueSites *v, NodeId id, NodeId other, bool before) {
  NodeId k = id;
  for (uint32_t far = 0; far < FAR && (before ? k-- > 0 : ++k < v->sites->g->nodes.len); far++)
    if (node(v, k)->op == node(v, other)->op && line_of(v, k) == line_of(v, other) &&
        same_type(node(v, k), node(v, other)))
      return k;
  return NO_NODE;
}

/* The operators of the line of `id`, and for each the value that is to it what `other` is to `id`. */
static uint32_t together(const ValueSites *v, NodeId id, NodeId other, NodeId *nodes, NodeId *with) {
  uint32_t n = 0;
  bool sends = node_attr(node(v, other), sym("source_target_pairs"));
  for (NodeId i = v->first[id]; i != NO_NODE && n < MOST_TOGETHER; i = v->next[i]) {
    if (!same_type(node(v, i), node(v, id))) continue;
    NodeId k = i == id || sends ? other : counterpart(v, i, other, other < id);
    if (k == NO_NODE) return 0;
    nodes[n] = i;
    with[n++] = k;
  }
  return n;
}

/* At the line, then at `id` alone. */
static bool try_both(const ValueSites *v, ValueTry *try, void *context, TrialEdit e, NodeId id, NodeId other) {
  NodeId nodes[MOST_TOGETHER], with[MOST_TOGETHER];
  uint32_t n = v->first[id] == id ? together(v, id, other, nodes, with) : 0;
  e.with = with;
  if (n > 1 && try(context, &e, nodes, n)) return true;
  e.with = &other;
  return try(context, &e, &id, 1);
}

/* May stand before a sum or a mask of its own. */
static bool may_lack_factor(const ValueSites *v, NodeId id, bool mask) {
  const Node *n = node(v, id);
  if (!v->region[id] || !is_float(n) || hands_on(v, id)) return false;
  return mask || n->op == sym("add") || n->op == sym("subtract");
}

/* Values computed shortly before `id`, or after it but not from it, nearest first; at most 2 * WINDOW.  Those that only
 * hand on another count with `all`. */
static uint32_t nearby(const ValueSites *v, NodeId id, bool all, NodeId *out) {
  uint32_t n = 0;
  for (NodeId k = id; k-- > 0 && n < WINDOW;)
    if (all || (node(v, k)->n_args && !hands_on(v, k))) out[n++] = k;
  bool depends[4 * WINDOW + 1] = {true}; /* of nodes from `id` on */
  uint32_t end = n + WINDOW / 2;
  for (NodeId k = id + 1; k < v->sites->g->nodes.len && k - id <= 4 * WINDOW && n < end; k++) {
    const Node *x = node(v, k);
    for (uint32_t j = 0; j < x->n_args; j++) depends[k - id] |= x->args[j] >= id && depends[x->args[j] - id];
    if (!depends[k - id] && (all || (x->n_args && !hands_on(v, k)))) out[n++] = k;
  }
  return n;
}

bool values_times(const ValueSites *v, ValueTry *try, void *context) {
  uint32_t tried = 0;
  NodeId others[2 * WINDOW];
  for (NodeId i = 0; i < v->sites->g->nodes.len; i++) {
    const Node *n = node(v, i);
    uint32_t n_others = may_lack_factor(v, i, true) ? nearby(v, i, false, others) : 0;
    for (uint32_t q = 0; q < n_others; q++) {
      NodeId k = others[q];
      bool mask = dtype_kind((DType)node(v, k)->dtype) == DK_BOOL || trial_clamped(v->sites->g, k) != NO_NODE;
      if (!may_lack_factor(v, i, mask) || !(mask || is_float(node(v, k))) || node_elements(node(v, k)) < 2) continue;
      for (uint32_t j = 0; j < n->n_args && j < 3; j++) {
        if (over(v, &tried)) return false;
        if (n->args[j] == k || !is_float(node(v, n->args[j])) || !isnan(v->sites->number[n->args[j]])) continue;
        TrialEdit e = {.kind = TRIAL_TIMES, .operand = (int32_t)j};
        if (try_both(v, try, context, e, i, k)) return true;
      }
    }
  }
  return false;
}

/* Permutations that differ in whom they send to. */
static uint32_t list_pairs(const ValueSites *v, NodeId pairs[MOST_PAIRS]) {
  uint32_t n = 0;
  for (NodeId i = 0; i < v->sites->g->nodes.len && n < MOST_PAIRS; i++) {
    const Attr *a = node_attr(node(v, i), sym("source_target_pairs"));
    bool known = !a;
    for (uint32_t k = 0; k < n && a; k++) {
      const Attr *b = node_attr(node(v, pairs[k]), sym("source_target_pairs"));
      known |= a->n == b->n && !memcmp(a->ints, b->ints, a->n * sizeof *a->ints);
    }
    if (!known) pairs[n++] = i;
  }
  return n;
}

static NodeId origin(const ValueSites *v, NodeId id) {
  while (hands_on(v, id) && node(v, id)->n_args) id = node(v, id)->args[0];
  return id;
}

/* All operators of the line use the same value there, which might have been sent on from one to the next. */
static bool stays(const ValueSites *v, NodeId id, uint32_t operand) {
  NodeId last = id;
  for (NodeId i = v->first[id]; i != NO_NODE; last = i, i = v->next[i]) {
    if (operand >= node(v, i)->n_args) return false;
    if (origin(v, node(v, i)->args[operand]) != origin(v, node(v, id)->args[operand])) return false;
  }
  return v->first[id] == id && last != id;
}

bool values_rotated(const ValueSites *v, ValueTry *try, void *context) {
  uint32_t tried = 0;
  NodeId pairs[MOST_PAIRS], nodes[MOST_TOGETHER], with[MOST_TOGETHER];
  uint32_t n_pairs = list_pairs(v, pairs);
  for (int line = 1; line >= 0; line--)
    for (NodeId i = 0; i < v->sites->g->nodes.len && n_pairs; i++) {
      const Node *n = node(v, i);
      for (uint32_t j = 0; j < n->n_args && v->region[i] && is_float(n) && !hands_on(v, i); j++) {
        if (!isnan(v->sites->number[n->args[j]]) || (line && !stays(v, i, j))) continue;
        for (uint32_t k = 0; k < n_pairs * (line ? 2 : 1); k++) {
          if (over(v, &tried)) return false;
          TrialEdit e = {
              .kind = TRIAL_ROTATE, .operand = (int32_t)j, .number = line ? -(double)(k % 2) : 1, .with = with};
          with[0] = pairs[line ? k / 2 : k];
          nodes[0] = i;
          if (try(context, &e, nodes, line ? together(v, i, with[0], nodes, with) : 1)) return true;
        }
      }
    }
  return false;
}

bool values_other(const ValueSites *v, ValueTry *try, void *context) {
  uint32_t tried = 0;
  NodeId others[2 * WINDOW];
  for (NodeId i = 0; i < v->sites->g->nodes.len; i++) {
    const Node *n = node(v, i);
    uint32_t n_others = v->region[i] && !v->sites->hints->given[i] ? nearby(v, i, true, others) : 0;
    for (uint32_t j = 0; j < n->n_args && n_others; j++) {
      const Node *x = node(v, n->args[j]);
      for (uint32_t q = 0; q < n_others && node_elements(x) > 1; q++) {
        if (over(v, &tried)) return false;
        if (others[q] == n->args[j] || !same_type(node(v, others[q]), x)) continue;
        TrialEdit e = {.kind = TRIAL_OTHER, .operand = (int32_t)j};
        if (try_both(v, try, context, e, i, others[q])) return true;
      }
    }
  }
  return false;
}
