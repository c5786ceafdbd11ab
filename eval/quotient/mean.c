#include "eval/quotient/mean.h"

#include <string.h>

#include "eval/meaning/fn.h"

enum { MAX_RANK = 16, MAX_MOVES = 32, MAX_EXPRESSIONS = 256, NOWHERE = -1, SUMMED = 1000 };

static uint64_t bit(uint32_t i) { return i < 64 ? UINT64_C(1) << i : 0; }

/* ---- what is linear */

/* Variables along which the mean is known, and those that the value may vary with in a block; of none: it is one value. */
typedef struct Mean {
  uint64_t along, varies;
} Mean;

typedef struct Means {
  const Shrinking *s;
  const Graph *g;
  const Node *node;
  const Instance *in;
  uint64_t dropped, paired; /* variables with dropped digits; those of them that are compared with another one */
  bool unknown;
} Means;

static Mean mean(Means *m, XId id);

static Mean no_mean(Means *m) {
  m->unknown = true;
  return (Mean){0, 0};
}

static uint64_t dropped_in(const Means *m, const Ix *ix) {
  uint64_t vars = 0;
  for (uint32_t t = 0; t < ix->n_terms; t++) vars |= bit(ix->terms[t].var);
  return vars & m->dropped;
}

/* Each element of a range of this size is read once as the indices run. */
static bool reads_all(const Means *m, const Ix *ix, int64_t size) {
  int64_t n = 1;
  for (uint32_t t = 0; t < ix->n_terms; t++) n *= m->in->vars[ix->terms[t].var].size;
  return !ix->constant && ix->dyn == NO_X && n == size;
}

static Mean read_mean(Means *m, const X *x) {
  Mean r = {0, 0};
  for (uint32_t i = 0; i < x->n; i++)
    if (x->ix[i].dyn != NO_X && mean(m, x->ix[i].dyn).along) return no_mean(m);
  NodeId arg = m->node->args[x->operand];
  const Node *n = &m->g->nodes.at[arg];
  for (uint32_t i = 0; i < x->n && m->s->mean[arg]; i++) {
    uint64_t vars = dropped_in(m, &x->ix[i]);
    bool flat = x->mode == READ_FLAT;
    Pattern p = {0};
    if (!flat) m->s->dim(m->s->context, m->s->side, arg, i, &p);
    if ((flat || !pattern_is_whole(&p)) && !reads_all(m, &x->ix[i], flat ? node_elements(n) : n->dims[i])) return no_mean(m);
    if (r.varies & vars) return no_mean(m); /* a diagonal */
    r.varies |= vars;
    if (flat || m->s->mean[arg] & bit(i)) r.along |= vars;
  }
  return r;
}

/* The mean of a product is the product of the means if that of one factor is taken first, where the other does not vary. */
static Mean product_mean(Means *m, const X *x) {
  Mean r = {0, 0};
  for (uint32_t k = 0; k < x->n; k++) {
    Mean f = mean(m, x->args[k]);
    if (r.along & f.varies && f.along & r.varies) return no_mean(m);
    r.along |= f.along;
    r.varies |= f.varies;
  }
  return r;
}

static Mean any_mean(Means *m, const X *x, uint32_t from) {
  Mean r = {0, 0};
  for (uint32_t k = from; k < x->n; k++) {
    Mean a = mean(m, x->args[k]);
    r.along |= a.along;
    r.varies |= a.varies;
  }
  return r;
}

static Mean sum_mean(Means *m, const X *x) {
  Mean r = mean(m, x->args[0]);
  uint64_t over = 0;
  for (uint32_t k = 0; k < x->n_vars; k++) over |= bit(x->vars[k]);
  if (r.varies & over & m->paired) return no_mean(m);
  r.along &= ~over;
  r.varies = r.along ? r.varies & ~over : 0;
  return r;
}

static Mean mean(Means *m, XId id) {
  const X *x = &m->in->x[id];
  const Fact *f = m->s->facts;
  if (m->unknown || fact_is_zero(&f[id]) || f[id].position) return (Mean){0, 0};
  switch (x->kind) {
    case X_RAT:
    case X_INF:
    case X_INDEX:
    case X_COORD: return (Mean){0, 0};
    case X_READ: return read_mean(m, x);
    case X_ADD: return any_mean(m, x, 0);
    case X_MUL: return product_mean(m, x);
    case X_SUM: return sum_mean(m, x);
    case X_SELECT:
      if (fact_is_number(&f[x->args[0]]) && f[x->args[0]].hi == 0) return mean(m, x->args[2]);
      if (fact_is_number(&f[x->args[0]]) && f[x->args[0]].lo == 1) return mean(m, x->args[1]);
      return mean(m, x->args[0]).along ? no_mean(m) : any_mean(m, x, 1);
    default: return any_mean(m, x, 0).along ? no_mean(m) : (Mean){0, 0};
  }
}

static void find_vars(Means *m) {
  for (VarId v = 0; v < m->in->n_vars; v++) {
    Pattern p;
    m->s->var(m->s->context, m->s->side, m->s->node, v, &p);
    if (!pattern_is_whole(&p)) m->dropped |= bit(v);
  }
  for (XId i = 0; i < m->in->n_x; i++) {
    const X *x = &m->in->x[i];
    for (uint32_t k = 0; x->kind == X_CMP && k < x->n; k++)
      if (m->s->facts[x->args[k]].position) m->paired |= bit(m->s->facts[x->args[k]].position - 1) & m->dropped;
  }
}

bool mean_of_node(const Shrinking *s, uint64_t *dims) {
  Means m = {.s = s, .g = s->problem->graph[s->side], .in = s->problem->instance[s->side][s->node]};
  m.node = &m.g->nodes.at[s->node];
  bool any = false;
  *dims = 0;
  for (uint32_t k = 0; k < m.node->n_args; k++) any |= s->mean[m.node->args[k]];
  if (!any) return true;
  if (m.in->opaque || m.in->n_vars > 64) return false;
  find_vars(&m);
  uint64_t along = mean(&m, m.in->body).along;
  for (uint32_t d = 0; d < m.in->n_out; d++)
    for (uint32_t k = 0; k < m.in->out[d].n; k++)
      if (along & bit(m.in->out[d].vars[k])) *dims |= bit(d);
  return !m.unknown;
}

/* ---- softmax */

/* An element of a node: each dimension is at a variable of the equation that asks, at SUMMED, or NOWHERE else to be. */
typedef struct Place {
  NodeId node;
  uint32_t rank;
  int32_t at[MAX_RANK];
} Place;

typedef struct Tracer {
  const Shrinking *s;
  const Graph *g;
} Tracer;

static const Instance *equation_at(const Tracer *t, NodeId id) {
  const Instance *in = t->s->problem->instance[t->s->side][id];
  return in && !in->opaque && in->body != NO_X ? in : NULL;
}

static int32_t var_at(const Instance *in, const int32_t *of, VarId v) { return in->vars[v].size == 1 ? NOWHERE : of[v]; }

/* What a read of node `id` reads where its variables stand for `of`; false: not one element per index. */
static bool read_place(const Tracer *t, NodeId id, const X *x, const int32_t *of, Place *out) {
  const Instance *in = equation_at(t, id);
  const Node *n = &t->g->nodes.at[id];
  if (x->kind != X_READ || x->group != NO_VAR || x->permuted || x->operand >= n->n_args) return false;
  *out = (Place){.node = n->args[x->operand]};
  const Node *arg = &t->g->nodes.at[out->node];
  out->rank = arg->rank;
  if (arg->rank > MAX_RANK) return false;
  int64_t stride = 1;
  for (uint32_t d = arg->rank; d-- > 0;) {
    const Ix *ix = &x->ix[x->mode == READ_FLAT ? 0 : d];
    int64_t coef = x->mode == READ_FLAT ? stride : 1;
    uint32_t found = ix->n_terms, others = 0;
    for (uint32_t k = 0; k < ix->n_terms; k++) {
      if (in->vars[ix->terms[k].var].size == 1) continue;
      if (ix->terms[k].coef == coef && in->vars[ix->terms[k].var].size == arg->dims[d]) found = k;
      else others++;
    }
    bool single = arg->dims[d] == 1, alone = x->mode == READ_FLAT || !others;
    if (ix->constant || ix->dyn != NO_X || !alone || (!single && found == ix->n_terms)) return false;
    out->at[d] = single ? NOWHERE : var_at(in, of, ix->terms[found].var);
    stride *= arg->dims[d];
  }
  return true;
}

/* Where the variables of a node's equation stand if its result is at a place; those that are summed are SUMMED. */
static bool enter(const Tracer *t, const Place *p, int32_t *of) {
  const Instance *in = equation_at(t, p->node);
  if (!in || in->n_vars > 64 || in->n_out != p->rank) return false;
  for (VarId v = 0; v < in->n_vars; v++) of[v] = SUMMED;
  for (uint32_t d = 0; d < in->n_out; d++) {
    if (in->out[d].n > 1) return false;
    if (in->out[d].n == 1) of[in->out[d].vars[0]] = p->at[d];
  }
  return true;
}

/* Follows nodes that only move elements. */
static void resolve(const Tracer *t, Place *p) {
  int32_t of[64];
  Place next;
  for (int i = 0; i < MAX_MOVES; i++) {
    const Instance *in = equation_at(t, p->node);
    if (!in || !enter(t, p, of) || !read_place(t, p->node, &in->x[in->body], of, &next)) return;
    *p = next;
  }
}

static bool same_place(const Place *a, const Place *b, uint32_t *summed) {
  uint32_t apart = 0;
  bool same = a->node == b->node && a->rank == b->rank;
  for (uint32_t d = 0; d < a->rank && same; d++) {
    if (a->at[d] == b->at[d]) continue;
    same = b->at[d] == SUMMED && a->at[d] >= 0;
    *summed = d;
    apart++;
  }
  return same && apart == 1;
}

/* Is the place the sum of elements of another node along one of its dimensions? */
static bool is_sum(const Tracer *t, const Place *p, Place *of_what) {
  const Instance *in = equation_at(t, p->node);
  int32_t of[64];
  if (!in || !enter(t, p, of)) return false;
  XId body = in->body;
  if (in->x[body].kind == X_ADD && in->x[body].n == 2) { /* from 0 on */
    const X *add = &in->x[body];
    for (uint32_t k = 0; k < 2; k++) {
      const X *x = &in->x[add->args[k]];
      bool zero = x->kind == X_READ && fact_is_zero(&t->s->fact[t->g->nodes.at[p->node].args[x->operand]]);
      if (zero) body = add->args[1 - k];
    }
  }
  const X *sum = &in->x[body];
  if (sum->kind != X_SUM || !read_place(t, p->node, &in->x[sum->args[0]], of, of_what)) return false;
  uint32_t n = 0, summed = 0;
  for (uint32_t k = 0; k < sum->n_vars; k++) n += in->vars[sum->vars[k]].size > 1;
  for (uint32_t d = 0; d < of_what->rank; d++) summed += of_what->at[d] == SUMMED;
  return n == 1 && summed == 1;
}

/* The same expression with other variables: map[v] for v. */
static bool same_mapped(const Instance *in, XId a, XId b, VarId *map) {
  const X *x = &in->x[a], *y = &in->x[b];
  if (x->kind != y->kind || x->mode != y->mode || x->n != y->n || x->r != y->r || x->name != y->name) return false;
  if (x->operand != y->operand || x->n_vars != y->n_vars || x->group != y->group || x->permuted || y->permuted) return false;
  for (uint32_t k = 0; k < x->n_vars; k++) {
    if (in->vars[x->vars[k]].size != in->vars[y->vars[k]].size) return false;
    map[x->vars[k]] = y->vars[k];
  }
  for (uint32_t k = 0; k < x->n; k++) {
    if (x->kind != X_READ && x->kind != X_INDEX) {
      if (!same_mapped(in, x->args[k], y->args[k], map)) return false;
      continue;
    }
    const Ix *i = &x->ix[k], *j = &y->ix[k];
    if (i->constant != j->constant || i->dyn != NO_X || j->dyn != NO_X) return false;
    if (i->n_terms > 1 || j->n_terms != i->n_terms) return false;
    if (i->n_terms && (i->terms->coef != j->terms->coef || map[i->terms->var] != j->terms->var)) return false;
  }
  return true;
}

static bool same_but(const Instance *in, XId a, XId b, VarId v, VarId w) {
  VarId map[64];
  for (VarId i = 0; i < in->n_vars; i++) map[i] = i;
  map[v] = w;
  return same_mapped(in, a, b, map);
}

static bool mentions(const Instance *in, XId id, VarId v) {
  const X *x = &in->x[id];
  bool found = false;
  for (uint32_t k = 0; k < x->n && !found; k++) {
    bool index = x->kind == X_READ || x->kind == X_INDEX;
    for (uint32_t t = 0; index && t < x->ix[k].n_terms; t++) found |= x->ix[k].terms[t].var == v;
    XId next = index ? x->ix[k].dyn : x->args[k];
    found |= next != NO_X && mentions(in, next, v);
  }
  return found;
}

uint32_t mean_of_softmax(const Shrinking *s) {
  Tracer t = {s, s->problem->graph[s->side]};
  const Node *n = &t.g->nodes.at[s->node];
  const Instance *in = equation_at(&t, s->node);
  const X *body = in ? &in->x[in->body] : NULL;
  if (!in || body->kind != X_MUL || body->n != 2 || in->n_out != n->rank || in->n_vars > 64) return n->rank;
  for (uint32_t k = 0; k < 2; k++) {
    const X *by = &in->x[body->args[1 - k]];
    XId part = body->args[k];
    if (by->kind != X_POW || by->r != RAT_NEG1) continue;
    const X *whole = &in->x[by->args[0]];
    for (uint32_t d = 0; d < n->rank; d++) {
      if (in->out[d].n != 1 || n->dims[d] == 1) continue;
      VarId v = in->out[d].vars[0];
      if (whole->kind == X_SUM && whole->n_vars == 1 && in->vars[whole->vars[0]].size == in->vars[v].size &&
          !mentions(in, by->args[0], v) && same_but(in, part, whole->args[0], v, whole->vars[0]))
        return d;
    }
    int32_t of[64];
    Place here = {.node = s->node, .rank = n->rank}, a, b, summed;
    uint32_t at = 0;
    if (n->rank > MAX_RANK) return n->rank;
    for (uint32_t d = 0; d < n->rank; d++) here.at[d] = n->dims[d] == 1 ? NOWHERE : (int32_t)d;
    if (!enter(&t, &here, of) || !read_place(&t, s->node, &in->x[part], of, &a)) continue;
    if (!read_place(&t, s->node, whole, of, &b)) continue;
    resolve(&t, &a);
    resolve(&t, &b);
    if (!is_sum(&t, &b, &summed)) continue;
    resolve(&t, &summed);
    if (!same_place(&a, &summed, &at)) continue;
    uint32_t dim = (uint32_t)a.at[at], times = 0;
    for (uint32_t d = 0; d < a.rank; d++) times += a.at[d] == (int32_t)dim;
    if (times == 1) return dim;
  }
  return n->rank;
}
