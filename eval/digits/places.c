#include "eval/digits/places.h"

#include <string.h>

enum { MAX_DEPTH = 8, NONE = UINT32_MAX };

/* Integer values that count the same dimension: a class of nodes, and the first dimension that was found. */
typedef struct Places {
  const Graph *graph;
  const Instance *const *instance;
  const CutDim *base;
  Cuts *cuts;
  NodeId *parent;
  CutDim *counts; /* by root; NONE: not known */
} Places;

static NodeId root(Places *p, NodeId id) {
  while (p->parent[id] != id) id = p->parent[id] = p->parent[p->parent[id]];
  return id;
}

static void count_dim(Places *p, NodeId id, CutDim dim) {
  NodeId r = root(p, id);
  if (p->counts[r] == NONE) p->counts[r] = dim;
  else if (cuts_size(p->cuts, dim) == cuts_size(p->cuts, p->counts[r])) cuts_same(p->cuts, dim, p->counts[r]);
}

static void join(Places *p, NodeId a, NodeId b) {
  a = root(p, a), b = root(p, b);
  if (a == b) return;
  CutDim dim = p->counts[b];
  p->parent[b] = a;
  if (dim != NONE) count_dim(p, a, dim);
}

static bool counts(const Graph *g, NodeId id) { return dtype_is_int((DType)g->nodes.at[id].dtype); }

/* The one operand whose elements an expression moves into range, or whatever else it does to them; NONE: several. */
static uint32_t operand_of(const Instance *in, XId id, uint32_t depth) {
  const X *x = &in->x[id];
  if (depth > MAX_DEPTH || x->kind == X_SUM || x->kind == X_MAX || x->kind == X_MIN || x->kind == X_MUL) return NONE;
  if (x->kind == X_READ) return x->operand;
  uint32_t found = NONE;
  for (uint32_t i = 0; i < x->n && x->kind != X_INDEX; i++) {
    uint32_t k = operand_of(in, x->args[i], depth + 1);
    if (k != NONE && found != NONE && k != found) return NONE;
    if (k != NONE) found = k;
  }
  return found;
}

/* A dimension read at elements of an operand: these count it. */
static void read_at(Places *p, NodeId id, const Instance *in, const X *x) {
  const Node *n = &p->graph->nodes.at[id];
  for (uint32_t i = 0; x->mode == READ_AT && x->operand < n->n_args && i < x->n; i++) {
    if (x->ix[i].dyn == NO_X || x->ix[i].constant) continue;
    bool alone = true;
    for (uint32_t t = 0; t < x->ix[i].n_terms; t++) alone = alone && in->vars[x->ix[i].terms[t].var].size == 1;
    uint32_t k = alone ? operand_of(in, x->ix[i].dyn, 0) : NONE;
    if (k < n->n_args && counts(p->graph, n->args[k])) count_dim(p, n->args[k], p->base[n->args[x->operand]] + i);
  }
}

/* A number that an operand of one element is known to hold. */
static bool number_of(const Graph *g, const Node *n, const X *x, Rat *out) {
  if (x->kind == X_RAT) return *out = x->r, true;
  if (x->kind != X_READ || x->operand >= n->n_args) return false;
  const Node *a = &g->nodes.at[n->args[x->operand]];
  if (!a->literal || a->literal->kind != LIT_SPLAT) return false;
  return *out = a->literal->values[0], true;
}

/* An index as a number: by itself, or as 0 + 1 * i. */
static CutDim index_of(const Graph *g, const Instance *in, const Node *n, XId id, CutDim vars, uint32_t depth) {
  const X *x = &in->x[id];
  if (x->kind == X_INDEX)
    return x->ix->n_terms == 1 && !x->ix->constant && x->ix->dyn == NO_X && x->ix->terms->coef == 1
               ? vars + x->ix->terms->var
               : NONE;
  CutDim index = NONE;
  if ((x->kind != X_ADD && x->kind != X_MUL) || depth > MAX_DEPTH) return NONE;
  for (uint32_t i = 0; i < x->n; i++) {
    Rat r;
    if (number_of(g, n, &in->x[x->args[i]], &r)) {
      if (r != (x->kind == X_ADD ? RAT_0 : RAT_1)) return NONE;
    } else if (index != NONE || (index = index_of(g, in, n, x->args[i], vars, depth + 1)) == NONE) {
      return NONE;
    }
  }
  return index;
}

/* Elements of an operand, or an index as a number: a dimension of the result, or a variable. */
static uint32_t element(const Graph *g, const Instance *in, const Node *n, XId id, CutDim vars, CutDim *index) {
  const X *x = &in->x[id];
  if (x->kind == X_READ && x->operand < n->n_args) return x->operand;
  CutDim at = index_of(g, in, n, id, vars, 0);
  if (at != NONE) *index = at;
  return NONE;
}

static void compare(Places *p, NodeId id, const Instance *in, const X *x, CutDim vars) {
  const Node *n = &p->graph->nodes.at[id];
  CutDim index = NONE;
  if (x->n != 2 || strcmp(sym_text(x->name), "==")) return;
  uint32_t a = element(p->graph, in, n, x->args[0], vars, &index),
           b = element(p->graph, in, n, x->args[1], vars, &index);
  if (a != NONE && !counts(p->graph, n->args[a])) return;
  if (b != NONE && !counts(p->graph, n->args[b])) return;
  if (a != NONE && b != NONE) join(p, n->args[a], n->args[b]);
  if ((a == NONE) != (b == NONE) && index != NONE) count_dim(p, n->args[a != NONE ? a : b], index);
}

/* values[i] = values[0] + the sum of c[k] * digit k of i, where the digits of place b[k] are told by their steps, the lowest
 * first; how many there are, 0: it is not so. */
static uint32_t in_digits(const Rat *values, int64_t n, int64_t *b, Rat *c) {
  uint32_t k = 1;
  b[0] = 1, c[0] = rat_sub(values[1], values[0]);
  for (int64_t i = 2; i < n; i++) {
    Rat step = rat_sub(values[i], values[0]);
    for (uint32_t j = 0; j < k; j++) step = rat_sub(step, rat_mul(c[j], rat_int((j + 1 < k ? i % b[j + 1] : i) / b[j])));
    if (step == RAT_0) continue;
    if (k == MAX_DEPTH || n % i || i % b[k - 1]) return 0;
    b[k] = i, c[k++] = rat_sub(values[i], values[0]);
  }
  return k;
}

/* A table of places in digits, as a transposition has them (0, 2, 4, 1, 3, 5), reads digits of the dimension it counts:
 * that and its own are cut. */
static void cut_table(Places *p, NodeId id) {
  const Node *n = &p->graph->nodes.at[id];
  uint32_t along = 0;
  for (uint32_t k = 0; k < n->rank; k++)
    if (n->dims[k] > 1) along = k;
  if (!n->literal || n->literal->kind != LIT_VALUES || !counts(p->graph, id) || n->literal->n < 4 ||
      (int64_t)n->literal->n != n->dims[along])
    return;
  int64_t b[MAX_DEPTH], step;
  Rat c[MAX_DEPTH];
  CutDim counted = p->counts[root(p, id)];
  uint32_t k = in_digits(n->literal->values, (int64_t)n->literal->n, b, c);
  for (uint32_t j = 0; j < k && k > 1; j++) {
    cuts_want(p->cuts, p->base[id] + along, b[j]);
    if (counted != NONE && rat_to_int(c[j], &step)) cuts_want(p->cuts, counted, step);
  }
}

void places_link(const Graph *g, const Instance *const *instance, const CutDim *base, Cuts *cuts) {
  Places p = {g, instance, base, cuts, xcalloc(g->nodes.len + 1, sizeof *p.parent),
              xcalloc(g->nodes.len + 1, sizeof *p.counts)};
  for (NodeId id = 0; id < g->nodes.len; id++) p.parent[id] = id, p.counts[id] = NONE;
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Instance *in = instance[id];
    const Node *n = &g->nodes.at[id];
    if (!in || in->opaque || in->body == NO_X) continue;
    CutDim vars = base[id] + n->rank, index = NONE;
    uint32_t of = counts(g, id) ? element(g, in, n, in->body, vars, &index) : NONE;
    if (of != NONE && counts(g, n->args[of])) join(&p, n->args[of], id); /* moved, not changed */
    if (index != NONE) count_dim(&p, id, index);
    for (uint32_t k = 0; k < in->n_x; k++) {
      if (in->x[k].kind == X_READ) read_at(&p, id, in, &in->x[k]);
      if (in->x[k].kind == X_CMP) compare(&p, id, in, &in->x[k], vars);
    }
  }
  for (NodeId id = 0; id < g->nodes.len; id++) cut_table(&p, id);
  free(p.parent);
  free(p.counts);
}
