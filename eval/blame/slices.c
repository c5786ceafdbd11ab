#include "eval/blame/slices.h"

enum { MAX_SLICES = 64 };

typedef struct Slice {
  uint32_t sort; /* of the digit */
  Name at;       /* a constant */
} Slice;

typedef struct Slices {
  Relatives *r;
  Calculus *c;
  uint32_t n;
  Slice all[MAX_SLICES];
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
    if (name_is_const(there[k]) && sort_of(s, seq, own[k], &sort)) add(s, sort, there[k]);
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
  ClassId class = value_is_num(w) ? s->r->n_classes : value_class(s->c, w);
  if (class < s->r->n_classes && s->r->node_of[SIDE_SEQ][class] == NO_NODE) s->r->node_of[SIDE_SEQ][class] = seq;
}

void slices_relate(Relatives *r) {
  Slices s = {.r = r, .c = r->proof->calc};
  size_t n = r->proof->problem.graph[SIDE_SEQ]->nodes.len;
  for (NodeId id = 0; id < r->proof->problem.graph[SIDE_DIST]->nodes.len; id++) find(&s, id);
  for (NodeId id = 0; id < n && s.n; id++)
    for (uint32_t k = 0; k < s.n && !value_is_num(value(&s, SIDE_SEQ, id)); k++) {
      if (calculus_exhausted(s.c) || calculus_stats(s.c).steps > r->last_step) return;
      relate(&s, id, &s.all[k]);
    }
}
