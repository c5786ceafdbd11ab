#include "eval/meaning/equation.h"

enum { DEEPEST = 500, ANY = -1, NOT = -2 }; /* degrees: of 0, of what is no such sum */

static const Node *operand_of(const Equation *e, const X *x) { return &e->g->nodes.at[e->node->args[x->operand]]; }

/* Is the position `v`, or `v` and minor digits, over all of an extent? */
static bool is_major(const Instance *in, const Ix *ix, VarId v, int64_t extent) {
  int64_t coef = 0, rest = 0;
  if (ix->constant || ix->dyn != NO_X) return false;
  for (uint32_t i = 0; i < ix->n_terms; i++) {
    const IxTerm *t = &ix->terms[i];
    if (t->coef <= 0) return false;
    if (t->var == v) coef = t->coef;
    else rest += t->coef * (in->vars[t->var].size - 1);
  }
  return coef && rest == coef - 1 && coef * in->vars[v].size == extent;
}

static bool mentions(const Ix *ix, VarId v) {
  for (uint32_t i = 0; i < ix->n_terms; i++)
    if (ix->terms[i].var == v) return true;
  return false;
}

/* The dimension of an operand that a read has v in: -1 for none, -2 if there is no saying. */
static int64_t place_in(const Equation *e, const X *x, VarId v) {
  const Node *arg = operand_of(e, x);
  int64_t found = -1;
  for (uint32_t d = 0; d < x->n; d++) {
    if (!mentions(&x->ix[d], v)) continue;
    if (found != -1 || x->mode != READ_AT || x->n != arg->rank || !is_major(e->in, &x->ix[d], v, arg->dims[d]))
      return -2;
    found = d;
  }
  return found;
}

bool equation_places(const Equation *e, VarId v, int64_t *dims) {
  const Instance *in = e->in;
  bool some = false;
  for (uint32_t k = 0; k < e->node->n_args; k++) dims[k] = -2;
  for (uint32_t i = 0; i < in->n_x; i++) {
    const X *x = &in->x[i];
    if (x->kind == X_COORD || (x->kind == X_INDEX && mentions(&x->ix[0], v))) return false;
    if (x->kind != X_READ) continue;
    int64_t at = x->group == v ? -2 : place_in(e, x, v);
    if (at == -2 || (dims[x->operand] != -2 && dims[x->operand] != at)) return false;
    dims[x->operand] = at;
    some |= at >= 0;
  }
  for (uint32_t k = 0; k < e->node->n_args; k++)
    if (dims[k] == -2) dims[k] = -1; /* not read at all */
  return some;
}

bool equation_ignores(const Equation *e, VarId v) {
  for (uint32_t i = 0; i < e->in->n_x; i++) {
    const X *x = &e->in->x[i];
    bool indexed = x->kind == X_READ || x->kind == X_INDEX;
    if (x->kind == X_READ && x->group == v) return false;
    for (uint32_t d = 0; indexed && d < x->n; d++)
      if (mentions(&x->ix[d], v)) return false;
  }
  return true;
}

/* ---- linear ---- */

static int degree(const Equation *e, XId id, uint64_t mask, uint32_t depth);

/* That of all arguments, added up or equal. */
static int degree_of_all(const Equation *e, const X *x, uint64_t mask, uint32_t depth, bool product, uint32_t from) {
  int all = product ? 0 : ANY;
  for (uint32_t i = from; i < x->n; i++) {
    int one = degree(e, x->args[i], mask, depth);
    if (one == NOT) return NOT;
    if (product) all = all == ANY || one == ANY ? ANY : all + one;
    else if (all != ANY && one != ANY && all != one) return NOT;
    else if (one != ANY) all = one;
  }
  return all;
}

/* How many factors of the operands in the mask every addend has. */
static int degree(const Equation *e, XId id, uint64_t mask, uint32_t depth) {
  const X *x = &e->in->x[id];
  if (depth > DEEPEST) return NOT;
  depth++;
  switch ((XKind)x->kind) {
    case X_RAT: return x->r == RAT_0 ? ANY : 0;
    case X_INF:
    case X_INDEX: return 0;
    case X_COORD: return NOT;
    case X_READ:
      for (uint32_t i = 0; i < x->n; i++)
        if (x->ix[i].dyn != NO_X && degree(e, x->ix[i].dyn, mask, depth) != 0) return NOT;
      return x->permuted && !(mask >> x->operand & 1) ? NOT : (int)(mask >> x->operand & 1);
    case X_ADD: return degree_of_all(e, x, mask, depth, false, 0);
    case X_MUL: return degree_of_all(e, x, mask, depth, true, 0);
    case X_SUM: return degree(e, x->args[0], mask, depth);
    case X_SELECT: {
      int chosen = degree_of_all(e, x, mask, depth, false, 1);
      return degree(e, x->args[0], mask, depth) == 0 ? chosen : NOT;
    }
    default: {
      int all = degree_of_all(e, x, mask, depth, true, 0);
      return all == 0 ? 0 : NOT;
    }
  }
}

bool equation_is_linear(const Equation *e, uint64_t mask) { return degree(e, e->in->body, mask, 0) == 1; }

/* ---- element by element ---- */

/* Read at the own element. */
static bool is_own(const Equation *e, const X *x) {
  const Node *n = e->node, *arg = operand_of(e, x);
  if (x->mode != READ_AT || x->n != n->rank || arg->rank != n->rank || x->permuted) return false;
  for (uint32_t d = 0; d < x->n; d++) {
    const OutDim *out = &e->in->out[d];
    const Ix *ix = &x->ix[d];
    if (arg->dims[d] != n->dims[d] || ix->constant || ix->dyn != NO_X) return false;
    if (!out->n && !ix->n_terms) continue;
    if (out->n != 1 || ix->n_terms != 1 || ix->terms[0].coef != 1 || ix->terms[0].var != out->vars[0]) return false;
  }
  return true;
}

bool equation_is_elementwise(const Equation *e) {
  const Instance *in = e->in;
  if (in->opaque || in->body == NO_X || e->node->n_args != 1) return false;
  for (uint32_t i = 0; i < in->n_x; i++) {
    const X *x = &in->x[i];
    if (x->kind == X_COORD || x->kind == X_INDEX) return false;
    if (x->kind == X_READ && (x->group != NO_VAR || !is_own(e, x))) return false;
  }
  return true;
}

static bool same_function(const Instance *a, XId i, const Instance *b, XId k, uint32_t depth) {
  const X *x = &a->x[i], *y = &b->x[k];
  if (depth > DEEPEST || x->kind != y->kind) return false;
  if (x->kind == X_READ) return x->operand == y->operand;
  bool same = x->n == y->n && x->name == y->name && x->n_vars == 0 && y->n_vars == 0 && x->r == y->r;
  for (uint32_t n = 0; same && n < x->n; n++) same = same_function(a, x->args[n], b, y->args[n], depth + 1);
  return same;
}

bool equation_same_function(const Equation *a, const Equation *b) {
  return same_function(a->in, a->in->body, b->in, b->in->body, 0);
}

bool equation_moves(const Equation *e) {
  const X *x = &e->in->x[e->in->body];
  if (x->kind != X_READ || x->permuted) return false;
  for (uint32_t i = 0; i < x->n; i++)
    if (x->ix[i].dyn != NO_X) return false;
  return true;
}

/* ---- collectives ---- */

/* The read under the sum over the own group that the equation is, or the equation itself; NULL: neither. */
static const X *read_of_group(const Equation *e, bool *sum) {
  const X *body = &e->in->x[e->in->body], *x = body;
  *sum = body->kind == X_SUM && body->n_vars == 1;
  if (*sum) x = &e->in->x[body->args[0]];
  if (x->kind != X_READ || x->permuted || x->mode != READ_AT || x->group == NO_VAR) return NULL;
  return !*sum || x->group == body->vars[0] ? x : NULL;
}

bool equation_sums_devices(const Equation *e) {
  bool sum;
  const X *x = read_of_group(e, &sum);
  return x && sum && is_own(e, x);
}

/* The dimension of the result whose major index is v, or -1. */
static int64_t result_dim(const Instance *in, VarId v) {
  for (uint32_t o = 0; o < in->n_out; o++)
    if (in->out[o].n && in->out[o].vars[0] == v) return o;
  return -1;
}

bool equation_exchange(const Equation *e, int64_t *from, int64_t *to) {
  const Instance *in = e->in;
  bool sum;
  const X *x = e->node->n_args == 1 && in->groups ? read_of_group(e, &sum) : NULL;
  *from = *to = -1;
  for (uint32_t d = 0; x && d < x->n; d++) {
    const Ix *ix = &x->ix[d];
    int64_t extent = operand_of(e, x)->dims[d];
    VarId own = NO_VAR, other = NO_VAR;
    for (uint32_t i = 0; i < ix->n_terms; i++)
      *(in->vars[ix->terms[i].var].kind == VAR_GROUP ? &own : &other) = ix->terms[i].var;
    if (own != NO_VAR) { /* the own block: (own, other) */
      if (*to != -1 || ix->n_terms != 2 || other == NO_VAR || !is_major(in, ix, own, extent)) return false;
      if ((*to = result_dim(in, other)) == -1) return false;
    } else if (!sum && other != NO_VAR && ix->n_terms == 1 && is_major(in, ix, other, extent)) {
      for (uint32_t o = 0; o < in->n_out; o++) /* what the result has as (device, other) */
        if (in->out[o].n == 2 && in->out[o].vars[0] == x->group && in->out[o].vars[1] == other) *from = d;
    }
  }
  return x && *to != -1 && (sum || *from != -1);
}
