#include "eval/quotient/shrink.h"

#include <string.h>

enum { MAX_TERMS = 64 };

typedef struct Maker {
  const Shrinking *s;
  const Graph *g;
  const Node *node;
  const Instance *in;
  Arena *arena;
  Pattern *var;
  bool *paired; /* by variable: an equality with another one is a factor of what is summed over it */
  XId *made; /* by expression; NO_X: not yet */
  Vec(X) x;
  const X *over; /* the sum at hand */
  bool needs, vague;
} Maker;

static XId make(Maker *m, XId id);

static XId put(Maker *m, X x) {
  vec_push(&m->x, x);
  return (XId)(m->x.len - 1);
}

static XId put_rat(Maker *m, Rat r) { return put(m, (X){.kind = X_RAT, .r = r, .group = NO_VAR}); }

static XId put_product(Maker *m, Rat factor, XId x) {
  if (factor == RAT_1) return x;
  XId args[2] = {put_rat(m, factor), x};
  return put(m, (X){.kind = X_MUL, .n = 2, .args = arena_copy(m->arena, args, sizeof args), .group = NO_VAR});
}

static void need_var(Maker *m, VarId v) {
  m->needs = true;
  m->s->need_var(m->s->context, m->s->side, m->s->node, v);
}

static void need_dim(Maker *m, NodeId node, uint32_t dim) {
  m->needs = true;
  m->s->need_dim(m->s->context, m->s->side, node, dim);
}

/* ---- indices */

/* What is read: dimensions first .. first + n - 1 of a node, as one range. */
typedef struct Range {
  NodeId node;
  uint32_t first, n;
  Pattern pattern;
} Range;

static Range range_of(Maker *m, NodeId node, uint32_t first, uint32_t n) {
  Range r = {node, first, n, {0}};
  for (uint32_t i = n; i-- > 0;) {
    Pattern dim = {0};
    m->s->dim(m->s->context, m->s->side, node, first + i, &dim);
    pattern_append(&r.pattern, &dim);
  }
  return r;
}

static Ix with_terms(Maker *m, int64_t constant, const IxTerm *terms, uint32_t n, XId dyn) {
  IxTerm sorted[MAX_TERMS];
  uint32_t k = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = k++;
    for (; at > 0 && sorted[at - 1].var > terms[i].var; at--) sorted[at] = sorted[at - 1];
    sorted[at] = terms[i];
  }
  return (Ix){constant, n, arena_copy(m->arena, sorted, n * sizeof *sorted), dyn};
}

/* Terms of a form that vary, ascending by coefficient; false: too many. */
static bool varying(const Maker *m, const Ix *ix, IxTerm *terms, uint32_t *n) {
  *n = 0;
  for (uint32_t i = 0; i < ix->n_terms; i++) {
    if (m->in->vars[ix->terms[i].var].size <= 1) continue;
    if (*n == MAX_TERMS) return false;
    uint32_t at = (*n)++;
    for (; at > 0 && terms[at - 1].coef > ix->terms[i].coef; at--) terms[at] = terms[at - 1];
    terms[at] = ix->terms[i];
  }
  return true;
}

/* Takes a digit off the pattern that the form holds at `digit`. */
static bool take_fixed(Pattern *rest, int64_t size, int64_t digit, int64_t *constant, int64_t *weight) {
  Pattern gap;
  if (!pattern_take(rest, size, &gap)) return false;
  *constant += pattern_shrink(&gap, digit) * *weight;
  *weight *= pattern_small(&gap);
  return true;
}

/* The range is read at a mixed radix of indices with fixed digits between them. */
static bool read_radix(Maker *m, const Pattern *pattern, const Ix *ix, Ix *out) {
  IxTerm terms[MAX_TERMS], made[MAX_TERMS];
  uint32_t n, n_made = 0;
  Pattern rest = *pattern;
  int64_t at = 1, weight = 1, constant = 0, total = pattern_whole(pattern);
  if (ix->dyn != NO_X || ix->constant < 0 || ix->constant >= total || !varying(m, ix, terms, &n)) return false;
  for (uint32_t i = 0; i < n; i++) {
    int64_t size = m->in->vars[terms[i].var].size, coef = terms[i].coef;
    Pattern own;
    if (coef < at || coef % at || ix->constant / coef % size) return false;
    if (coef > at && !take_fixed(&rest, coef / at, ix->constant / at % (coef / at), &constant, &weight)) return false;
    if (!pattern_take(&rest, size, &own) || !pattern_same(&own, &m->var[terms[i].var])) return false;
    at = coef * size;
    int64_t small = pattern_small(&own);
    if (small > 1) made[n_made++] = (IxTerm){terms[i].var, weight};
    weight *= small;
  }
  constant += pattern_shrink(&rest, ix->constant / at) * weight;
  *out = with_terms(m, constant, made, n_made, NO_X);
  return true;
}

/* Every index of the form is whole, and the range is. */
static bool read_whole(Maker *m, const Pattern *pattern, const Ix *ix, Ix *out) {
  if (!pattern_is_whole(pattern)) return false;
  for (uint32_t i = 0; i < ix->n_terms; i++)
    if (!pattern_is_whole(&m->var[ix->terms[i].var])) return false;
  *out = *ix;
  if (ix->dyn != NO_X) out->dyn = make(m, ix->dyn);
  return true;
}

/* A window that begins at a multiple of its size, on each device at its own: o + dyn. */
static bool read_block(Maker *m, const Pattern *pattern, const Ix *ix, Ix *out) {
  IxTerm terms[MAX_TERMS];
  uint32_t n;
  Coord *coord = m->s->problem->coord[m->s->side];
  if (ix->dyn == NO_X || ix->constant || !coord || !varying(m, ix, terms, &n) || n != 1 || terms->coef != 1) return false;
  const int64_t *at = coord_expression(coord, m->s->node, m->in, ix->dyn);
  int64_t size = m->in->vars[terms->var].size, total = pattern_whole(pattern);
  for (int64_t i = 0; at && i < coord_n_devices(coord); i++)
    if (at[i] < 0 || at[i] % size || at[i] + size > total) at = NULL;
  Pattern rest = *pattern, own;
  if (!at || !pattern_take(&rest, size, &own) || !pattern_same(&own, &m->var[terms->var]) || !pattern_is_whole(&rest))
    return false;
  int64_t small = pattern_small(&own);
  IxTerm term = {terms->var, 1};
  XId dyn = make(m, ix->dyn), args[2] = {dyn, put_rat(m, rat_int(size / small))};
  X by = {.kind = X_FN, .n = 2, .args = arena_copy(m->arena, args, sizeof args), .name = sym("floordiv"), .group = NO_VAR};
  *out = with_terms(m, 0, &term, small > 1, small == size ? dyn : put(m, by));
  return true;
}

static Ix read_index(Maker *m, const Range *r, const Ix *ix) {
  Ix out = *ix;
  if (read_radix(m, &r->pattern, ix, &out) || read_whole(m, &r->pattern, ix, &out) || read_block(m, &r->pattern, ix, &out))
    return out;
  for (uint32_t d = 0; d < r->n; d++) need_dim(m, r->node, r->first + d);
  for (uint32_t i = 0; i < ix->n_terms; i++) need_var(m, ix->terms[i].var);
  m->needs = true;
  return out;
}

/* ---- expressions */

static X copy_args(Maker *m, const X *from) {
  X x = *from;
  XId *args = ARENA_ARRAY(m->arena, XId, x.n + 1);
  for (uint32_t k = 0; k < x.n; k++) args[k] = make(m, from->args[k]);
  x.args = args;
  return x;
}

static XId make_read(Maker *m, const X *from) {
  X x = *from;
  if (x.operand >= m->node->n_args) return m->vague = true, 0;
  NodeId arg = m->node->args[x.operand];
  const Node *n = &m->g->nodes.at[arg];
  if (m->s->vague[arg]) return m->vague = true, 0;
  if (x.group != NO_VAR && !pattern_is_whole(&m->var[x.group])) need_var(m, x.group);
  Ix *ix = ARENA_ARRAY(m->arena, Ix, x.n + 1);
  for (uint32_t i = 0; i < x.n; i++) {
    Range r = x.mode == READ_FLAT ? range_of(m, arg, 0, n->rank) : range_of(m, arg, i, 1);
    ix[i] = read_index(m, &r, &from->ix[i]);
  }
  x.ix = ix;
  return put(m, x);
}

/* ---- sums

 * A sum over v of what has a factor [v == w] is its value at w: of the positions that share the kept digits of v one
 * counts. */

static VarId plain_index(const Maker *m, XId id) { return m->s->facts[id].position ? m->s->facts[id].position - 1 : NO_VAR; }

static XId put_index(Maker *m, VarId v) {
  IxTerm term = {v, 1};
  Ix ix = with_terms(m, 0, &term, 1, NO_X);
  return put(m, (X){.kind = X_INDEX, .n = 1, .ix = arena_copy(m->arena, &ix, sizeof ix), .group = NO_VAR});
}

static bool is_summed(const Maker *m, VarId v) {
  bool is = false;
  for (uint32_t k = 0; k < m->over->n_vars; k++) is |= m->over->vars[k] == v;
  return is;
}

/* Is it a comparison that pairs an index of the sum with another? */
static bool pair(Maker *m, XId id) {
  const X *x = &m->in->x[id];
  if (x->kind != X_CMP || x->n != 2 || strcmp(sym_text(x->name), "==")) return false;
  for (int side = 0; side < 2; side++) {
    VarId v = plain_index(m, x->args[side]), w = plain_index(m, x->args[1 - side]);
    if (v == NO_VAR || w == NO_VAR || v == w || !is_summed(m, v) || m->paired[v] || m->paired[w]) continue;
    if (!pattern_same(&m->var[v], &m->var[w])) continue;
    m->paired[v] = true;
    return true;
  }
  return false;
}

static bool is_nothing(const Maker *m, XId id) { return m->in->x[id].kind == X_RAT && m->in->x[id].r == RAT_0; }

/* A factor of what is summed, or all of it: where `if p then x else 0` is p * x. */
static XId make_factor(Maker *m, XId id) {
  const X *x = &m->in->x[id];
  if (fact_is_zero(&m->s->facts[id])) return make(m, id);
  bool chosen = x->kind == X_SELECT && is_nothing(m, x->args[2]);
  if (x->kind == X_MUL || chosen) {
    X y = *x;
    XId *args = ARENA_ARRAY(m->arena, XId, x->n + 1);
    for (uint32_t k = 0; k < x->n; k++) args[k] = make_factor(m, x->args[k]);
    y.args = args;
    return put(m, y);
  }
  if (!pair(m, id)) return make(m, id);
  X y = *x;
  XId args[2];
  for (int k = 0; k < 2; k++) args[k] = put_index(m, plain_index(m, x->args[k]));
  y.args = arena_copy(m->arena, args, sizeof args);
  return put(m, y);
}

/* So many positions share the kept digits. */
static XId make_reduction(Maker *m, const X *from) {
  X x = *from;
  const X *outer = m->over;
  m->over = from;
  XId body = x.kind == X_SUM ? make_factor(m, from->args[0]) : make(m, from->args[0]);
  m->over = outer;
  x.args = arena_copy(m->arena, &body, sizeof body);
  Rat factor = RAT_1;
  for (uint32_t k = 0; k < x.n_vars; k++) {
    const Pattern *p = &m->var[x.vars[k]];
    if (!m->paired[x.vars[k]]) factor = rat_mul(factor, rat_int(pattern_whole(p) / pattern_small(p)));
  }
  XId reduced = put(m, x);
  return x.kind == X_SUM ? put_product(m, factor, reduced) : reduced;
}

static XId make_index(Maker *m, const X *from) {
  X x = *from;
  Ix *ix = arena_copy(m->arena, from->ix, sizeof *ix);
  for (uint32_t i = 0; i < ix->n_terms; i++)
    if (!pattern_is_whole(&m->var[ix->terms[i].var])) need_var(m, ix->terms[i].var);
  if (ix->dyn != NO_X) ix->dyn = make(m, ix->dyn);
  x.ix = ix;
  return put(m, x);
}

static XId make_here(Maker *m, XId id) {
  const X *x = &m->in->x[id];
  VarId position = plain_index(m, id);
  if (fact_is_zero(&m->s->facts[id])) return put_rat(m, RAT_0);
  if (position != NO_VAR && !pattern_is_whole(&m->var[position])) return need_var(m, position), put_rat(m, RAT_0);
  if (position != NO_VAR) return put_index(m, position);
  const Fact *c = x->kind == X_SELECT ? &m->s->facts[x->args[0]] : NULL;
  if (c && fact_is_number(c) && (c->hi == 0 || c->lo == 1)) return make(m, x->args[c->hi == 0 ? 2 : 1]);
  switch (x->kind) {
    case X_RAT:
    case X_INF:
    case X_COORD: return put(m, *x);
    case X_INDEX: return make_index(m, x);
    case X_READ: return make_read(m, x);
    case X_SUM:
    case X_MAX:
    case X_MIN: return make_reduction(m, x);
    default: return put(m, copy_args(m, x));
  }
}

static XId make(Maker *m, XId id) {
  if (m->made[id] == NO_X) m->made[id] = make_here(m, id);
  return m->made[id];
}

/* ---- the equation */

static void make_vars(Maker *m, Instance *out) {
  IxVar *vars = arena_copy(m->arena, m->in->vars, m->in->n_vars * sizeof *vars);
  m->var = ARENA_ARRAY(m->arena, Pattern, m->in->n_vars + 1);
  m->paired = ARENA_ARRAY(m->arena, bool, m->in->n_vars + 1);
  for (VarId v = 0; v < m->in->n_vars; v++) {
    m->s->var(m->s->context, m->s->side, m->s->node, v, &m->var[v]);
    bool fits = pattern_whole(&m->var[v]) == vars[v].size;
    if (!fits || (vars[v].kind == VAR_GROUP && !pattern_is_whole(&m->var[v]))) need_var(m, v);
    vars[v].size = pattern_small(&m->var[v]);
  }
  out->vars = vars;
}

/* A dimension has the digits of the indices that it is made of. */
static void check_dims(Maker *m) {
  for (uint32_t d = 0; d < m->in->n_out; d++) {
    const OutDim *o = &m->in->out[d];
    Pattern dim = {0}, all = {0};
    m->s->dim(m->s->context, m->s->side, m->s->node, d, &dim);
    for (uint32_t k = o->n; k-- > 0;) pattern_append(&all, &m->var[o->vars[k]]);
    if (pattern_same(&dim, &all)) continue;
    need_dim(m, m->s->node, d);
    for (uint32_t k = 0; k < o->n; k++) need_var(m, o->vars[k]);
  }
}

/* Dimensions that an unknown function treats one by one are kept alike in every operand, others whole. */
static void check_opaque(Maker *m) {
  const Node *n = m->node;
  for (uint32_t d = 0; d < n->rank; d++) {
    Pattern dim = {0};
    m->s->dim(m->s->context, m->s->side, m->s->node, d, &dim);
    bool free = m->in->batch && m->in->batch[d] && m->in->batch_arg;
    for (uint32_t k = 0; k < n->n_args && free; k++) {
      int32_t at = m->in->batch_arg[k][d];
      Pattern other = {0};
      if (at >= 0) m->s->dim(m->s->context, m->s->side, n->args[k], (uint32_t)at, &other);
      free = at >= 0 && pattern_same(&dim, &other);
    }
    if (!free && !pattern_is_whole(&dim)) need_dim(m, m->s->node, d);
  }
  for (uint32_t k = 0; k < n->n_args; k++) {
    if (m->s->vague[n->args[k]]) m->vague = true;
    for (uint32_t i = 0; i < m->g->nodes.at[n->args[k]].rank; i++) {
      bool free = false;
      for (uint32_t d = 0; d < n->rank && m->in->batch && m->in->batch_arg; d++)
        free |= m->in->batch[d] && m->in->batch_arg[k][d] == (int32_t)i;
      Pattern dim = {0};
      m->s->dim(m->s->context, m->s->side, n->args[k], i, &dim);
      if (!free && !pattern_is_whole(&dim)) need_dim(m, n->args[k], i);
    }
  }
}

Shrunk shrink(const Shrinking *s, Arena *a, Instance *out) {
  Maker m = {.s = s, .g = s->problem->graph[s->side], .in = s->problem->instance[s->side][s->node], .arena = a};
  m.node = &m.g->nodes.at[s->node];
  *out = *m.in;
  make_vars(&m, out);
  if (m.in->opaque) {
    check_opaque(&m);
  } else {
    m.made = ARENA_ARRAY(a, XId, m.in->n_x + 1);
    for (XId i = 0; i < m.in->n_x; i++) m.made[i] = NO_X;
    check_dims(&m);
    out->body = make(&m, m.in->body);
    out->n_x = (uint32_t)m.x.len;
    out->x = arena_copy(a, m.x.at, m.x.len * sizeof *m.x.at);
    vec_free(&m.x);
  }
  return m.vague ? SHRINK_VAGUE : m.needs ? SHRINK_NEEDS : SHRUNK;
}
