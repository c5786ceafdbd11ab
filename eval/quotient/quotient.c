#include "eval/quotient/quotient.h"

#include "eval/quotient/intern.h"
#include "eval/quotient/keeping.h"
#include "eval/quotient/zeros.h"

#define DAMPED 4 /* errors do not grow from layer to layer */

struct Quotient {
  Keeping *keeping;
  Arena arena;
  Graph *graph[SIDE_COUNT];
  const Instance **instance[SIDE_COUNT];
  Intern *equations; /* of both */
  Relation relation;
  uint32_t *number;      /* by output of it: which of the large pair's */
  const double **given;  /* by sequential parameter: zeros, or NULL */
  const char **shapes;   /* by sequential parameter: its shape, and how it repeats what is drawn */
  double whole, small;   /* numbers of both graphs */
};

/* ---- the small graphs */

static const int64_t *small_dims(Quotient *q, Side side, NodeId id) {
  const Node *n = &q->keeping->problem->graph[side]->nodes.at[id];
  int64_t *dims = ARENA_ARRAY(&q->arena, int64_t, n->rank + 1u);
  for (uint32_t d = 0; d < n->rank; d++) {
    Pattern p;
    keeping_dim(q->keeping, side, id, d, &p);
    dims[d] = q->keeping->state[side][id] == NODE_VAGUE ? 1 : pattern_small(&p);
  }
  return dims;
}

static void make_constant(Quotient *q, Node *n, const Instance **in, Rat value) {
  static const Instance none = {.body = NO_X};
  Literal literal = {LIT_SPLAT, 1, arena_copy(&q->arena, &value, sizeof value)};
  n->op = sym("constant");
  n->literal = arena_copy(&q->arena, &literal, sizeof literal);
  n->n_attrs = 0; /* operands stay: a witness names what the value depends on */
  *in = &none;
}

static bool make_node(Quotient *q, Side side, NodeId id) {
  static const Instance vague = {.opaque = true, .why_opaque = "it depends on positions", .body = NO_X};
  Node *n = &q->graph[side]->nodes.at[id];
  const Instance *from = q->keeping->problem->instance[side][id], **in = &q->instance[side][id];
  uint64_t mean = q->keeping->mean[side][id];
  int64_t row = mean ? n->dims[__builtin_ctzll(mean)] : 1;
  q->whole += (double)node_elements(n);
  n->dims = small_dims(q, side, id);
  q->small += (double)node_elements(n);
  *in = from;
  if (q->keeping->state[side][id] == NODE_VAGUE) *in = &vague, n->literal = NULL;
  else if (q->keeping->state[side][id] == NODE_ZERO) make_constant(q, n, in, RAT_0);
  else if (q->keeping->state[side][id] == NODE_ROWS) make_constant(q, n, in, rat_frac(1, row));
  else if (from && (from->opaque || from->body != NO_X)) {
    Instance *made = ARENA_NEW(&q->arena, Instance);
    if (!keeping_shrink(q->keeping, side, id, &q->arena, made)) return false;
    *in = intern(q->equations, made);
  }
  return true;
}

static bool make_graph(Quotient *q, Side side) {
  const Graph *from = q->keeping->problem->graph[side];
  Graph *g = q->graph[side] = arena_copy(&q->arena, from, sizeof *from);
  g->nodes.at = arena_copy(&q->arena, from->nodes.at, from->nodes.len * sizeof *from->nodes.at);
  q->instance[side] = ARENA_ARRAY(&q->arena, const Instance *, from->nodes.len + 1);
  bool ok = true;
  for (NodeId id = 0; id < from->nodes.len && ok; id++) ok = make_node(q, side, id);
  return ok;
}

static bool is_move(const Instance *in) { return in && !in->opaque && in->body != NO_X && in->x[in->body].kind == X_READ; }

static bool is_contraction(const Instance *in) {
  const X *body = in && !in->opaque && in->body != NO_X ? &in->x[in->body] : NULL;
  return body && body->kind == X_SUM && in->x[body->args[0]].kind == X_MUL;
}

/* By sequential node: it is a parameter, moved or not, that is an operand of a contraction. */
static bool *find_weights(const Quotient *q, Arena *a) {
  const Problem *p = q->keeping->problem;
  const Graph *g = p->graph[SIDE_SEQ];
  bool *on = ARENA_ARRAY(a, bool, g->nodes.len + 1);
  for (NodeId id = (NodeId)g->nodes.len; id-- > 0;) {
    const Instance *in = p->instance[SIDE_SEQ][id];
    const Node *n = &g->nodes.at[id];
    for (uint32_t k = 0; k < n->n_args; k++) on[n->args[k]] |= is_contraction(in) || (is_move(in) && on[id]);
  }
  return on;
}

/* So many equal numbers are added up where one of its dimensions is contracted. */
static double multiplicity(const Quotient *q, NodeId seq) {
  const Node *n = &q->keeping->problem->graph[SIDE_SEQ]->nodes.at[seq], *small = &q->graph[SIDE_SEQ]->nodes.at[seq];
  double most = 1;
  for (uint32_t d = 0; d < n->rank; d++) {
    double times = (double)n->dims[d] / (double)small->dims[d];
    if (times > most) most = times;
  }
  return most;
}

/* Axes whose blocks are all the same cut nothing. */
static void drop_axes(Quotient *q, Layout *l) {
  *l = layout_copy(l, &q->arena);
  for (uint32_t d = 0; d < l->rank; d++) {
    uint8_t n = 0;
    for (uint32_t k = 0; k < l->dims[d].n; k++)
      if (keeping_axis(q->keeping, l->dims[d].axes[k])) l->dims[d].axes[n++] = l->dims[d].axes[k];
    l->dims[d].n = n;
  }
}

static void make_relation(Quotient *q) {
  const Relation *from = q->keeping->problem->relation;
  Relation *r = &q->relation;
  const bool *weights = find_weights(q, &q->arena);
  *r = *from;
  r->inputs = arena_copy(&q->arena, from->inputs, from->n_inputs * sizeof *from->inputs);
  r->outputs = arena_copy(&q->arena, from->outputs, from->n_outputs * sizeof *from->outputs);
  r->n_outputs = 0;
  q->number = ARENA_ARRAY(&q->arena, uint32_t, from->n_outputs + 1);
  for (uint32_t k = 0; k < from->n_outputs; k++) {
    if (!keeping_output(q->keeping, k)) continue;
    q->number[r->n_outputs] = k;
    r->outputs[r->n_outputs++] = from->outputs[k];
  }
  for (uint32_t k = 0; k < r->n_inputs; k++) {
    Related *x = &r->inputs[k];
    x->seq_shape = x->dist_shape = NULL;
    NodeId seq = q->graph[SIDE_SEQ]->params.at[x->seq];
    if (!(x->scale > 0)) x->scale = 1;
    if (weights[seq]) x->scale /= DAMPED * multiplicity(q, seq);
  }
  for (uint32_t k = 0; k < r->n_outputs; k++) r->outputs[k].seq_shape = r->outputs[k].dist_shape = NULL;
  for (uint32_t k = 0; k < r->n_inputs; k++) drop_axes(q, &r->inputs[k].layout);
  for (uint32_t k = 0; k < r->n_outputs; k++) drop_axes(q, &r->outputs[k].layout);
}

/* ---- inputs */

static const char *shape_text(const Node *n, const int64_t *dims, Arena *a) {
  const char *s = arena_printf(a, "%s[", dtype_text((DType)n->dtype));
  for (uint32_t d = 0; d < n->rank; d++) s = arena_printf(a, "%s%s%lld", s, d ? "," : "", (long long)dims[d]);
  return arena_printf(a, "%s]", s);
}

/* "f32[8,4096], of [i, j] that of [i, j / 2048] of f32[8,2]"; NULL: nothing is repeated. */
static const char *repeated(Quotient *q, NodeId id) {
  const Node *n = &q->keeping->problem->graph[SIDE_SEQ]->nodes.at[id];
  const int64_t *dims = small_dims(q, SIDE_SEQ, id);
  Arena *a = &q->arena;
  const char *whole = "", *small = "";
  bool repeats = false;
  for (uint32_t d = 0; d < n->rank; d++) {
    Pattern p;
    const char *name = n->rank <= 8 ? arena_printf(a, "%c", "ijklmnop"[d]) : arena_printf(a, "i%u", d);
    keeping_dim(q->keeping, SIDE_SEQ, id, d, &p);
    whole = arena_printf(a, "%s%s%s", whole, d ? ", " : "", name);
    small = arena_printf(a, "%s%s%s", small, d ? ", " : "", pattern_text(&p, name, a));
    repeats |= !pattern_is_whole(&p);
  }
  if (!repeats) return NULL;
  return arena_printf(a, "%s, at [%s] that at [%s] of %s", shape_text(n, n->dims, a), whole, small, shape_text(n, dims, a));
}

static void make_inputs(Quotient *q) {
  const Graph *g = q->keeping->problem->graph[SIDE_SEQ];
  q->given = ARENA_ARRAY(&q->arena, const double *, g->params.len + 1);
  q->shapes = ARENA_ARRAY(&q->arena, const char *, g->params.len + 1);
  for (size_t i = 0; i < g->params.len; i++) {
    NodeId id = g->params.at[i];
    if (id == NO_NODE) continue;
    bool zero = q->keeping->zeroed[i];
    if (zero) q->given[i] = ARENA_ARRAY(&q->arena, double, node_elements(&q->graph[SIDE_SEQ]->nodes.at[id]) + 1);
    q->shapes[i] = zero ? shape_text(&g->nodes.at[id], g->nodes.at[id].dims, &q->arena) : repeated(q, id);
  }
}

/* ---- all of it */

Quotient *quotient_new(const Problem *p, const bool *open, const QuotientOptions *o) {
  Keeping *keeping = keeping_new(p, open, o);
  bool ok = keeping && keeping_settle(keeping);
  if (ok && o->zeros) zeros_choose(keeping), ok = keeping_settle(keeping);
  if (!ok || !keeping_any_output(keeping)) return keeping_free(keeping), NULL;
  Quotient *q = xcalloc(1, sizeof *q);
  q->keeping = keeping;
  q->equations = intern_new();
  if (make_graph(q, SIDE_SEQ) && make_graph(q, SIDE_DIST)) {
    make_relation(q);
    make_inputs(q);
    return q;
  }
  quotient_free(q);
  return NULL;
}

ExactProblem quotient_problem(const Quotient *q) {
  return (ExactProblem){.seq = {q->graph[SIDE_SEQ], q->instance[SIDE_SEQ]},
                        .dist = {q->graph[SIDE_DIST], q->instance[SIDE_DIST]},
                        .relation = &q->relation,
                        .given = q->given,
                        .shapes = q->shapes};
}

uint32_t quotient_output(const Quotient *q, uint32_t k) { return q->number[k]; }

bool quotient_is_mean(const Quotient *q, Side side, NodeId node) { return q->keeping->mean[side][node]; }

bool quotient_represents(const Quotient *q, Side side, NodeId node) { return q->keeping->state[side][node] != NODE_VAGUE; }

void quotient_pattern(const Quotient *q, Side side, NodeId node, uint32_t dim, Pattern *out) {
  keeping_dim(q->keeping, side, node, dim, out);
}

static const int64_t *lift(const Quotient *q, Side side, NodeId id, const int64_t *at, Arena *a) {
  uint32_t rank = q->graph[side]->nodes.at[id].rank;
  int64_t *to = ARENA_ARRAY(a, int64_t, rank + 1u);
  for (uint32_t d = 0; d < rank; d++) {
    Pattern p;
    keeping_dim(q->keeping, side, id, d, &p);
    to[d] = pattern_expand(&p, at[d]);
  }
  return to;
}

void quotient_lift(const Quotient *q, uint32_t k, ExactWitness *w, Arena *a) {
  const Related *o = &q->relation.outputs[k];
  w->at = lift(q, SIDE_SEQ, q->graph[SIDE_SEQ]->outputs.at[o->seq].node, w->at, a);
  w->at_dist = lift(q, SIDE_DIST, q->graph[SIDE_DIST]->outputs.at[o->dist].node, w->at_dist, a);
}

const char *quotient_text(const Quotient *q, Arena *a) {
  uint32_t zeros = 0;
  for (size_t i = 0; i < q->graph[SIDE_SEQ]->params.len; i++) zeros += q->keeping->zeroed[i];
  const char *some = zeros ? arena_printf(a, ", %u of them 0", zeros) : "";
  return arena_printf(a, "inputs are constant in blocks%s: %.3g numbers stand for %.3g", some, q->small, q->whole);
}

void quotient_free(Quotient *q) {
  if (!q) return;
  keeping_free(q->keeping);
  intern_free(q->equations);
  arena_free(&q->arena);
  free(q);
}
