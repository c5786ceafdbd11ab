#include "eval/blame/slices.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SLICES = 64 };

typedef struct Slice {
  uint32_t sort; /* of the digit */
  Name at;       /* a constant */
} Slice;

/* The class of a sequential node at a slice. */
typedef struct Sliced {
  Value value;
  NodeId seq;
  uint32_t sort;
} Sliced;

typedef struct Slices {
  Relatives *r;
  Calculus *c;
  uint32_t n;
  Slice all[MAX_SLICES];
  uint32_t *of_node, *of_class; /* by distributed node, by class: 1 + the sort of the digit, or 0 */
  Vec(Sliced) found;
} Slices;

static Value value(const Slices *s, Side side, NodeId id) { return s->r->proof->build.value[side][id]; }

/* The sort of the digit of a sequential node that a name of its value is; false: it is none. */
static bool sort_of(const Slices *s, NodeId id, Name name, uint32_t *sort) {
  if (name_is_const(name)) return false;
  const NameInfo *info = calculus_name_info(s->c, name);
  if (info->kind != NAME_DIM || info->a >= s->r->proof->problem.graph[SIDE_SEQ]->nodes.at[id].rank) return false;
  DigitList l = digits_dim(s->r->proof->digits, SIDE_SEQ, id, info->a);
  if (info->b >= l.n) return false;
  return *sort = l.sort[info->b], true;
}

static void add(Slices *s, uint32_t sort, Name at) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->all[i].sort == sort && s->all[i].at == at) return;
  if (s->n < MAX_SLICES) s->all[s->n++] = (Slice){sort, at};
}

/* Where a distributed value is a sequential one at fixed digits. */
static void find(Slices *s, NodeId dist) {
  Value v = value(s, SIDE_DIST, dist);
  if (value_is_num(v) || !relatives_known(s->r, SIDE_SEQ, value_class(s->c, v))) return;
  NodeId seq = s->r->node_of[SIDE_SEQ][value_class(s->c, v)];
  const Name *there, *own;
  uint32_t sort, n = value_names(s->c, v, &there), m = value_names(s->c, value(s, SIDE_SEQ, seq), &own);
  for (uint32_t k = 0; k < n && n == m; k++)
    if (name_is_const(there[k]) && sort_of(s, seq, own[k], &sort)) add(s, sort, there[k]), s->of_node[dist] = sort + 1;
}

static void relate(Slices *s, NodeId seq, const Slice *at) {
  Value v = value(s, SIDE_SEQ, seq);
  const Name *names;
  uint32_t sort, n = value_names(s->c, v, &names);
  Subst to = {0};
  for (uint32_t k = 0; k < n; k++)
    if (sort_of(s, seq, names[k], &sort) && sort == at->sort) subst_put(&to, names[k], at->at);
  if (!to.n) return;
  Value w = calc_rename(s->c, v, &to);
  if (!value_is_num(w)) vec_push(&s->found, ((Sliced){w, seq, at->sort}));
}

/* Slices may have classes that no node has: parts of which nobody made the whole. */
static void take_found(Slices *s) {
  Relatives *r = s->r;
  size_t had = r->n_classes;
  for (size_t i = 0; i < s->found.len; i++)
    if (value_class(s->c, s->found.at[i].value) >= r->n_classes)
      r->n_classes = value_class(s->c, s->found.at[i].value) + 1u;
  for (Side side = 0; side < SIDE_COUNT; side++) {
    NodeId *all = ARENA_ARRAY(r->arena, NodeId, r->n_classes + 1);
    memset(all, 0xff, r->n_classes * sizeof *all);
    if (had) memcpy(all, r->node_of[side], had * sizeof *all);
    r->node_of[side] = all;
  }
  s->of_class = ARENA_ARRAY(r->arena, uint32_t, r->n_classes + 1);
  r->slice = ARENA_ARRAY(r->arena, Rat, r->n_classes + 1);
  for (size_t i = 0; i <= r->n_classes; i++) r->slice[i] = RAT_0;
  for (size_t i = 0; i < s->found.len; i++) {
    const Sliced *x = &s->found.at[i];
    ClassId class = value_class(s->c, x->value);
    if (r->node_of[SIDE_SEQ][class] != NO_NODE) continue;
    r->node_of[SIDE_SEQ][class] = x->seq;
    r->slice[class] = x->value.k;
    s->of_class[class] = x->sort + 1;
  }
  vec_free(&s->found);
}

/* ---- parts of sums */

static const Graph *dist(const Slices *s) { return s->r->proof->problem.graph[SIDE_DIST]; }

/* Has the dimension one place of a digit that it has in the sequential program? */
static bool is_sliced(const Slices *s, NodeId id, uint32_t dim) {
  Value v = value(s, SIDE_DIST, id);
  if (value_is_num(v) || !relatives_known(s->r, SIDE_SEQ, value_class(s->c, v))) return false;
  uint32_t sort = s->of_node[id] ? s->of_node[id] : s->of_class[value_class(s->c, v)];
  NodeId seq = s->r->node_of[SIDE_SEQ][value_class(s->c, v)];
  if (!sort || s->r->proof->problem.graph[SIDE_SEQ]->nodes.at[seq].rank != dist(s)->nodes.at[id].rank) return false;
  DigitList l = digits_dim(s->r->proof->digits, SIDE_SEQ, seq, dim);
  for (uint32_t j = 0; j < l.n; j++)
    if (l.sort[j] == sort - 1) return true;
  return false;
}

/* Does an operand have slices along an index of the equation? */
static bool reads_slice(const Slices *s, NodeId id, const Instance *in, VarId var) {
  const Node *n = &dist(s)->nodes.at[id];
  for (XId i = 0; i < in->n_x; i++) {
    const X *x = &in->x[i];
    for (uint32_t d = 0; x->kind == X_READ && x->mode == READ_AT && x->operand < n->n_args && d < x->n; d++)
      for (uint32_t t = 0; t < x->ix[d].n_terms; t++)
        if (x->ix[d].terms[t].var == var && is_sliced(s, n->args[x->operand], d)) return true;
  }
  return false;
}

static bool sums_slice(const Slices *s, NodeId id) {
  const Instance *in = s->r->proof->problem.instance[SIDE_DIST][id];
  for (XId i = 0; in && !in->opaque && i < in->n_x; i++)
    for (uint32_t k = 0; in->x[i].kind == X_SUM && k < in->x[i].n_vars; k++)
      if (reads_slice(s, id, in, in->x[i].vars[k])) return true;
  return false;
}

static bool is_op(const Node *n, const char *op) { return n->op == sym(op); }

/* Sums of parts are parts, but for the last of them, which should be all. */
static void find_parts(Slices *s) {
  const Graph *g = dist(s);
  bool *part = s->r->part, *goes_on = xcalloc(g->nodes.len + 1, sizeof *goes_on);
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Node *n = &g->nodes.at[id];
    bool moves = is_op(n, "reshape") || is_op(n, "transpose") || is_op(n, "convert"), adds = is_op(n, "add");
    bool all = (moves || adds) && n->n_args;
    for (uint32_t k = 0; k < n->n_args && all; k++) all = part[n->args[k]];
    part[id] = all || sums_slice(s, id);
  }
  for (NodeId id = (NodeId)g->nodes.len; id-- > 0;) {
    const Node *n = &g->nodes.at[id];
    part[id] &= !is_op(n, "add") || goes_on[id];
    for (uint32_t k = 0; k < n->n_args && is_op(n, "add"); k++) goes_on[n->args[k]] = true;
  }
  free(goes_on);
}

void slices_relate(Relatives *r) {
  Slices s = {.r = r, .c = r->proof->calc};
  s.of_node = ARENA_ARRAY(r->arena, uint32_t, r->proof->problem.graph[SIDE_DIST]->nodes.len + 1);
  r->part = ARENA_ARRAY(r->arena, bool, r->proof->problem.graph[SIDE_DIST]->nodes.len + 1);
  size_t n = r->proof->problem.graph[SIDE_SEQ]->nodes.len;
  for (NodeId id = 0; id < r->proof->problem.graph[SIDE_DIST]->nodes.len; id++) find(&s, id);
  bool tired = false;
  for (NodeId id = 0; id < n && s.n; id++)
    for (uint32_t k = 0; k < s.n && !tired && !value_is_num(value(&s, SIDE_SEQ, id)); k++) {
      tired = calculus_exhausted(s.c) || calculus_stats(s.c).steps > r->last_step;
      if (!tired) relate(&s, id, &s.all[k]);
    }
  take_found(&s);
  if (s.n) find_parts(&s);
}
