/* Operators without an equation: an unknown function of the operands, the same for the same operator, types, shapes and
 * attributes.  Dimensions that its definition calls independent (`batch`) keep their labels; the others are consumed,
 * those of the result produced.  Of an operator whose equation cannot be used, those are independent at which every
 * operand is read at the index of the result.
 */
#include "certify/walk.h"

typedef struct Unknown {
  Mean *m;
  const Node *node;
  bool batch[64];
  int32_t arg_dim[64][64]; /* [operand][dimension of the result]; -1: none */
} Unknown;

/* Dimension at which position i of the index `name` stands alone in a bracket; -1: nowhere. */
static int32_t stands_at(const Bracket *b, Sym name, uint32_t i) {
  for (uint32_t p = 0; p < b->n; p++)
    if (b->patterns[p].n == 1 && b->patterns[p].digit[0].name == name && i < b->start[p + 1] - b->start[p])
      return (int32_t)b->dim[b->start[p] + i];
  return -1;
}

static const Cuts *cuts_at(const Unknown *u, NodeId node, uint32_t d) {
  return &u->m->w->part->dims[u->m->side][node][d];
}
static NodeId self(const Unknown *u) { return (NodeId)(u->node - u->m->w->problem->graph[u->m->side]->nodes.at); }

/* An index is nowhere in the equation but where operands are read, and there it stands as in their brackets. */
static bool reads_rows(const Mean *m, const AstExpr *e, Sym name) {
  uint32_t p = e->kind == EX_READ ? lay_param(m, e->name) : m->op->n_params;
  const AstParam *q = p < m->op->n_params ? &m->op->params[p] : NULL;
  if (e->name == name || e->n_devices || (q && q->n_dims != e->n_args)) return false;
  for (uint32_t i = 0; i < e->n_binders; i++)
    if (e->binders[i].name == name || (e->binders[i].size && !reads_rows(m, e->binders[i].size, name))) return false;
  for (uint32_t i = 0; i < e->n_args; i++) {
    const AstExpr *x = e->args[i];
    bool row = q && q->dims[i].n == 1 && q->dims[i].digit[0].name == name,
         here = (x->kind == EX_NAME || x->kind == EX_GROUP) && x->name == name && !x->at;
    if (row != here || (!here && !reads_rows(m, x, name))) return false;
  }
  return true;
}

static bool is_batch(const Mean *m, Sym name) {
  bool listed = m->op->opaque ? false : m->result->body && !m->op->over && reads_rows(m, m->result->body, name);
  for (uint32_t i = 0; i < m->op->n_batch; i++) listed |= m->op->batch[i].name == name;
  return listed;
}

static void find_batch(Unknown *u) {
  Mean *m = u->m;
  for (uint32_t i = 0; m->op && i < m->out.n; i++) {
    const AstPattern *at = &m->out.patterns[i];
    int32_t d;
    if (at->n != 1 || !is_batch(m, at->digit[0].name)) continue;
    for (uint32_t k = 0; (d = stands_at(&m->out, at->digit[0].name, k)) >= 0; k++) {
      u->batch[d] = true;
      for (uint32_t j = 0; j < u->node->n_args; j++)
        u->arg_dim[j][d] = stands_at(&m->param[j < m->variadic ? j : m->variadic], at->digit[0].name, k);
    }
  }
  for (uint32_t j = 0; j < u->node->n_args; j++) /* cut alike, or not independent */
    for (uint32_t d = 0; d < u->node->rank; d++) {
      if (!u->batch[d] || u->arg_dim[j][d] < 0) continue;
      const Cuts *x = cuts_at(u, u->node->args[j], (uint32_t)u->arg_dim[j][d]), *y = cuts_at(u, self(u), d);
      if (x->n != y->n || (x->n && memcmp(x->size, y->size, x->n * sizeof *x->size))) u->batch[d] = false;
    }
}

static int32_t result_dim(const Unknown *u, uint32_t operand, uint32_t p) {
  for (uint32_t d = 0; d < u->node->rank; d++)
    if (u->batch[d] && u->arg_dim[operand][d] == (int32_t)p) return (int32_t)d;
  return -1;
}

/* The dimension along which it puts values in order; false: it does not. */
static bool order_along(const Unknown *u, uint32_t *dim) {
  const Node *n = u->node, *x = n->n_args ? walk_node(u->m->w, u->m->side, n->args[0]) : NULL;
  const Attr *a = node_attr(n, sym("dimensions"));
  if (n->op == sym("topk") && n->n_args == 1 && n->rank && x->rank == n->rank) return *dim = n->rank - 1u, true;
  bool sort = n->op == sym("sort") && x && a && a->kind == ATTR_INTS && a->n == 1;
  if (!sort || a->ints[0] < 0 || a->ints[0] >= x->rank || n->result >= n->n_args) return false;
  return *dim = (uint32_t)a->ints[0], true;
}

/* It puts every row in order alike, however many dimensions count the rows. */
static bool by_rows(const Unknown *u, uint32_t *dim) {
  bool rows = (!u->m->op || u->m->op->opaque) && order_along(u, dim);
  for (uint32_t d = 0; d < u->node->rank && rows; d++) rows = u->batch[d] == (d != *dim);
  return rows;
}

/* An integer type that has 0 .. size - 1. */
static bool has_places(DType type, int64_t size) {
  DKind kind = dtype_kind(type);
  return (kind == DK_INT || kind == DK_UINT) && (size - 1) >> (dtype_bits(type) - 1) == 0;
}

/* What is known of its values (Store): those of an integer type are whole numbers; some are places of a row, each of
 * them another one. */
static int64_t whole_of(const Unknown *u) {
  const Node *n = u->node;
  uint32_t dim;
  if (!has_places(n->dtype, 1) || (u->m->op && !u->m->op->opaque)) return NOT_WHOLE;
  if (!by_rows(u, &dim)) return 0;
  int64_t size = walk_node(u->m->w, u->m->side, n->args[0])->dims[dim];
  if (n->op == sym("topk")) return n->result == 1 && has_places(n->dtype, size) ? size : 0;
  const Node *x = walk_node(u->m->w, u->m->side, n->args[n->result]); /* sorted along with the keys: the places */
  while (x->op == sym("convert") && has_places(x->dtype, size)) x = walk_node(u->m->w, u->m->side, x->args[0]);
  bool places = x->op == sym("iota") && has_places(x->dtype, size) && x->rank > dim && x->dims[dim] == size;
  return places && node_attr_int(x, sym("iota_dimension"), -1) == (int64_t)dim ? size : 0;
}

/* Everything the unknown function may depend on, as a text. */
static const char *identity(const Unknown *u) {
  const Node *n = u->node;
  Arena *a = &u->m->w->p->s->scratch;
  const void *equation = u->m->op && !u->m->op->opaque ? u->m->op : NULL; /* which one holds may depend on sizes */
  const char *s = arena_printf(a, "%s#%u %s %p %lld", sym_text(n->op), n->result, dtype_text(n->dtype), equation,
                               (long long)whole_of(u));
  uint32_t dim;
  bool rows = by_rows(u, &dim);
  const char *batch = rows ? "%s" : "%s,*";
  for (uint32_t d = 0; d < n->rank; d++)
    s = arena_printf(a, u->batch[d] ? batch : "%s,%lld", s, (long long)n->dims[d]);
  for (uint32_t k = 0; k < n->n_args; k++) {
    const Node *arg = walk_node(u->m->w, u->m->side, n->args[k]);
    s = arena_printf(a, "%s;%s", s, dtype_text(arg->dtype));
    for (uint32_t p = 0; p < arg->rank; p++)
      s = arena_printf(a, result_dim(u, k, p) >= 0 ? batch : "%s,%lld", s, (long long)arg->dims[p]);
  }
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    const Attr *t = &n->attrs[i];
    if (rows && t->name == sym("dimensions")) continue;
    const char *text = t->kind == ATTR_SYM ? sym_text(t->s) : "";
    bool whole = t->kind == ATTR_INT || t->kind == ATTR_GROUPS;
    s = arena_printf(a, "%s %s=%u:%zu:%s %lld %llu", s, sym_text(t->name), t->kind, strlen(text), text,
                     whole ? (long long)t->i : 0, t->kind == ATTR_RAT ? (unsigned long long)t->r : 0);
    for (uint32_t j = 0; j < t->n; j++) s = arena_printf(a, "%s,%lld", s, (long long)t->ints[j]);
  }
  return s;
}

/* The number of the function: in the order in which they are met.  What the file says of its values must be so. */
static Sym number_of(Walk *w, Sym identity, int64_t whole) {
  Store *s = w->p->s;
  size_t i = 0;
  while (i < w->unknown.len && w->unknown.at[i] != identity) i++;
  if (i == w->unknown.len) vec_push(&w->unknown, identity);
  if (w->p->oracle && i == s->whole.len) vec_push(&s->whole, w->p->oracle->plain ? NOT_WHOLE : whole);
  if (i < s->whole.len && s->whole.at[i] != NOT_WHOLE && s->whole.at[i] != whole)
    goal_fail(w->p, "the values of an unknown function are not the whole numbers that the certificate says");
  return (Sym)i + 1;
}

Num unknown_operator(Mean *m, const Node *node) {
  Walk *w = m->w;
  Store *s = w->p->s;
  Unknown *u = ARENA_NEW(&s->scratch, Unknown);
  u->m = m, u->node = node;
  memset(u->arg_dim, -1, sizeof u->arg_dim);
  if (node->n_args > 64 || node->rank > 64) return goal_fail(w->p, "too many operands"), num(RAT_0);
  find_batch(u);
  for (uint32_t i = 0; i < node->n_attrs; i++)
    if (node->attrs[i].kind == ATTR_GROUPS || node->attrs[i].kind == ATTR_PAIRS)
      return goal_fail(w->p, "an unknown function of what is on other devices"), num(RAT_0);
  GoalItem items[192];
  Label bound[64];
  uint32_t n = 0, n_bound = 0;
  for (uint32_t k = 0; k < node->n_args; k++) {
    Subst t = {0};
    const Node *arg = walk_node(w, m->side, node->args[k]);
    for (uint32_t p = 0; p < arg->rank; p++) {
      const Cuts *c = cuts_at(u, node->args[k], p);
      int32_t d = result_dim(u, k, p);
      for (uint32_t j = 0; j < c->n; j++) {
        if (n_bound == 60) return goal_fail(w->p, "too many digits"), num(RAT_0);
        Label to = d >= 0 ? dim_label(w, (uint32_t)d, j, c->size[j]) : (bound[n_bound++] = label_fresh(s, c->size[j]));
        if (!goal_put(&t, dim_label(w, p, j, c->size[j]), to)) return goal_fail(w->p, "too many digits"), num(RAT_0);
      }
    }
    Num v = goal_substitute(w->p, w->value[m->side][node->args[k]], &t);
    items[n++] = (GoalItem){v, RAT_1};
  }
  for (uint32_t d = 0; d < node->rank; d++) {
    const Cuts *c = cuts_at(u, self(u), d);
    for (uint32_t j = 0; j < c->n && !u->batch[d]; j++) {
      if (n == 190) return goal_fail(w->p, "too many digits"), num(RAT_0);
      items[n++] = (GoalItem){num_of(atom_index(s, dim_label(w, d, j, c->size[j]))), RAT_0};
    }
  }
  Sym number = number_of(w, sym(identity(u)), whole_of(u));
  if (w->p->failed) return num(RAT_0);
  return goal_prove(w->p, &(Goal){GOAL_OPAQUE, number, n, n_bound, items, bound});
}
