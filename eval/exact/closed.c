/* closed: see closed.h. */
#include "eval/exact/closed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "eval/exact/ball.h"
#include "eval/exact/field.h"

enum {
  MAX_TABLE = 1 << 14,   /* elements of a node */
  MAX_NUMBERS = 1 << 17, /* of all nodes */
  MAX_WORK = 1 << 24,    /* element operations */
  MAX_BYTES = 1 << 19,   /* of values that are kept; beyond, all are given up before another one is computed */
};

/* By node: its fate, and then its values. */
enum { DEPENDS, IS_CLOSED, HAS_FIELD, IS_REFUSED };

struct Closed {
  Arena arena, scratch, values;
  ExactProblem problem; /* without a relation: nothing here reads one */
  ExactSide source;
  Budget budget;
  GraphRun run;
  NodeId *same;           /* by node: the first closed one with this equation and these operands */
  uint8_t *state;         /* by node, as the rest: of the first */
  const int64_t ***value; /* by node: by class of devices; NULL: not asked for */
  int64_t *first;         /* room for all devices */
};

/* Of a type that is evaluated; no literal of it is rounded. */
static bool is_whole(const Node *n) {
  if (dtype_is_whole((DType)n->dtype)) return true;
  bool whole = dtype_is_float((DType)n->dtype);
  uint64_t count = !n->literal ? 0 : n->literal->kind == LIT_SPLAT ? 1 : n->literal->n;
  for (uint64_t i = 0; i < count && whole; i++)
    whole = rat_is_finite(n->literal->values[i]) && rat_is_int(n->literal->values[i]);
  return whole;
}

/* ---- copies: every layer of a model computes its positions and masks again ---- */

static size_t literal_bytes(const Literal *l) {
  return sizeof *l->values * (l->kind == LIT_VALUES ? l->n : l->kind == LIT_SPLAT);
}

static uint64_t hash_node(const Closed *c, NodeId id) {
  const Node *n = &c->source.graph->nodes.at[id];
  uint64_t h = XXH3_64bits(&c->source.instances[id], sizeof c->source.instances[id]);
  for (uint32_t k = 0; k < n->n_args; k++) h = XXH3_64bits_withSeed(&c->same[n->args[k]], sizeof *c->same, h);
  const Literal *l = n->literal;
  return l ? XXH3_64bits_withSeed(l->values, literal_bytes(l), h) : h;
}

static bool same_literal(const Literal *a, const Literal *b) {
  if (!a || !b) return a == b;
  size_t n = literal_bytes(a);
  return a->kind == b->kind && n == literal_bytes(b) && (!n || !memcmp(a->values, b->values, n));
}

static bool same_node(const Closed *c, NodeId x, NodeId y) {
  const Node *a = &c->source.graph->nodes.at[x], *b = &c->source.graph->nodes.at[y];
  if (c->source.instances[x] != c->source.instances[y] || a->op != b->op || a->result != b->result) return false;
  if (a->dtype != b->dtype || a->rank != b->rank || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims)) return false;
  if (a->n_args != b->n_args || !same_literal(a->literal, b->literal)) return false;
  for (uint32_t k = 0; k < a->n_args; k++)
    if (c->same[a->args[k]] != c->same[b->args[k]]) return false;
  return true;
}

static void find_copies(Closed *c) {
  size_t n = c->source.graph->nodes.len, mask = 15;
  while (mask < 2 * n) mask = 2 * mask + 1;
  NodeId *slot = xcalloc(mask + 1, sizeof *slot); /* + 1 */
  for (NodeId i = 0; i < n; i++) {
    c->same[i] = i;
    if (c->state[i] != IS_CLOSED) continue;
    size_t k = hash_node(c, i) & mask;
    while (slot[k] && !same_node(c, slot[k] - 1, i)) k = (k + 1) & mask;
    if (slot[k]) c->same[i] = slot[k] - 1;
    else slot[k] = i + 1;
  }
  free(slot);
}

Closed *closed_new(const Graph *g, const Instance *const *instances, int64_t n_devices) {
  Closed *c = xcalloc(1, sizeof *c);
  c->source = (ExactSide){g, instances};
  c->budget = (Budget){.max_work = MAX_WORK, .max_elements = MAX_NUMBERS};
  c->run = (GraphRun){.how = &arithmetic_ball,
                      .problem = &c->problem,
                      .source = &c->source,
                      .n_devices = n_devices,
                      .arena = &c->values,
                      .budget = &c->budget};
  c->run.fields = ARENA_ARRAY(&c->arena, Field, g->nodes.len + 1);
  c->state = ARENA_ARRAY(&c->arena, uint8_t, g->nodes.len + 1);
  c->same = ARENA_ARRAY(&c->arena, NodeId, g->nodes.len + 1);
  c->value = ARENA_ARRAY(&c->arena, const int64_t **, g->nodes.len + 1);
  c->first = ARENA_ARRAY(&c->arena, int64_t, n_devices);
  Sym parameter = sym("parameter");
  for (size_t i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    bool closed = n->op != parameter && instances[i] && !instances[i]->opaque;
    for (uint32_t k = 0; k < n->n_args && closed; k++) closed = c->state[n->args[k]] == IS_CLOSED;
    c->state[i] = closed ? IS_CLOSED : DEPENDS;
  }
  find_copies(c);
  return c;
}

void closed_free(Closed *c) {
  if (!c) return;
  arena_free(&c->scratch);
  arena_free(&c->values);
  arena_free(&c->arena);
  free(c);
}

void closed_forget(Closed *c) {
  if (!c) return;
  size_t n = c->source.graph->nodes.len;
  for (size_t i = 0; i < n; i++) {
    if (c->state[i] != DEPENDS) c->state[i] = IS_CLOSED;
    c->run.fields[i] = (Field){0};
    c->value[i] = NULL;
  }
  arena_free(&c->scratch);
  arena_free(&c->values);
  c->budget = (Budget){.max_work = MAX_WORK, .max_elements = MAX_NUMBERS};
}

bool closed_is(const Closed *c, NodeId id) { return c->state[id] != DEPENDS; }

/* Evaluates a node whose operands have fields. */
static void evaluate_one(Closed *c, NodeId id) {
  const Node *n = &c->source.graph->nodes.at[id];
  bool ok = node_elements(n) <= MAX_TABLE && is_whole(n);
  for (uint32_t k = 0; k < n->n_args && ok; k++) {
    ok = c->state[c->same[n->args[k]]] == HAS_FIELD;
    c->run.fields[n->args[k]] = c->run.fields[c->same[n->args[k]]];
  }
  ArenaMark mark = arena_mark(&c->scratch);
  if (ok) ok = side_node(&c->run, id, &c->scratch, c->first);
  arena_reset(&c->scratch, mark);
  c->state[id] = ok ? HAS_FIELD : IS_REFUSED;
}

/* The node, and first what it is computed from: on a stack, as graphs are deep. */
static void evaluate(Closed *c, NodeId id) {
  Vec(NodeId) stack = {0};
  vec_push(&stack, id);
  while (stack.len) {
    NodeId at = vec_last(&stack);
    const Node *n = &c->source.graph->nodes.at[at];
    size_t before = stack.len;
    for (uint32_t k = 0; k < n->n_args && c->state[at] == IS_CLOSED && node_elements(n) <= MAX_TABLE; k++)
      if (c->state[c->same[n->args[k]]] == IS_CLOSED) vec_push(&stack, c->same[n->args[k]]);
    if (stack.len > before) continue;
    if (c->state[at] == IS_CLOSED) evaluate_one(c, at);
    (void)vec_pop(&stack);
  }
  vec_free(&stack);
}

/* As integers; NULL unless all of them are known exactly. */
static const int64_t *integers(Closed *c, const double *at, uint64_t n) {
  int64_t *v = at ? ARENA_ARRAY(&c->values, int64_t, n + 1) : NULL;
  for (uint64_t i = 0; v && i < n; i++) {
    Ball b = ball_at(at + BALL_WIDTH * i);
    bool exact = b.rad == 0 && b.lo == 0 && fabs(b.hi) < 0x1p53 && b.hi == trunc(b.hi);
    if (!exact) return NULL;
    v[i] = (int64_t)b.hi;
  }
  return v;
}

const int64_t *closed_values(Closed *c, NodeId id, int64_t device) {
  if (!dtype_is_whole((DType)c->source.graph->nodes.at[id].dtype)) return NULL;
  id = c->same[id];
  if (c->values.used > MAX_BYTES && !c->value[id]) closed_forget(c);
  if (c->state[id] == IS_CLOSED) evaluate(c, id);
  if (c->state[id] != HAS_FIELD) return NULL;
  const Field *f = &c->run.fields[id];
  if (!c->value[id]) {
    const int64_t **v = ARENA_ARRAY(&c->values, const int64_t *, f->n_classes);
    for (uint32_t k = 0; k < f->n_classes; k++) v[k] = integers(c, f->at[k], f->n);
    c->value[id] = v;
  }
  return c->value[id][field_class(f, device)];
}
