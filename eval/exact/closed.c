/* closed: see closed.h. */
#include "eval/exact/closed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/exact/ball.h"
#include "eval/exact/copies.h"
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
  uint64_t times; /* as much room, and work */
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
    whole = n->literal->values[i] != RAT_NAN && (!rat_is_finite(n->literal->values[i]) || rat_is_int(n->literal->values[i]));
  return whole;
}

static Budget budget(const Closed *c) {
  return (Budget){.max_work = c->times * MAX_WORK, .max_elements = c->times * MAX_NUMBERS};
}

static bool is_small(const Closed *c, const Node *n) { return (uint64_t)node_elements(n) <= c->times * MAX_TABLE; }

Closed *closed_new(const Graph *g, const Instance *const *instances, int64_t n_devices, uint64_t times) {
  Closed *c = xcalloc(1, sizeof *c);
  c->times = times;
  c->source = (ExactSide){g, instances};
  c->budget = budget(c);
  c->run = (GraphRun){.how = &arithmetic_ball,
                      .problem = &c->problem,
                      .source = &c->source,
                      .n_devices = n_devices,
                      .arena = &c->values,
                      .budget = &c->budget};
  c->run.fields = ARENA_ARRAY(&c->arena, Field, g->nodes.len + 1);
  c->state = ARENA_ARRAY(&c->arena, uint8_t, g->nodes.len + 1);
  c->value = ARENA_ARRAY(&c->arena, const int64_t **, g->nodes.len + 1);
  c->first = ARENA_ARRAY(&c->arena, int64_t, n_devices);
  Sym parameter = sym("parameter");
  for (size_t i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    bool closed = n->op != parameter && instances[i] && !instances[i]->opaque;
    for (uint32_t k = 0; k < n->n_args && closed; k++) closed = c->state[n->args[k]] == IS_CLOSED;
    c->state[i] = closed ? IS_CLOSED : DEPENDS;
  }
  c->same = copies_find(&c->source, &c->arena);
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
  c->budget = budget(c);
}

bool closed_is(const Closed *c, NodeId id) { return c->state[id] != DEPENDS; }

/* Evaluates a node whose operands have fields. */
static void evaluate_one(Closed *c, NodeId id) {
  const Node *n = &c->source.graph->nodes.at[id];
  bool ok = is_small(c, n) && is_whole(n);
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
    for (uint32_t k = 0; k < n->n_args && c->state[at] == IS_CLOSED && is_small(c, n); k++)
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

/* The field of the first copy of *id, which that becomes; NULL: none. */
static const Field *field_of(Closed *c, NodeId *id) {
  *id = c->same[*id];
  if (c->state[*id] == DEPENDS) return NULL;
  if (c->values.used > c->times * MAX_BYTES && c->state[*id] == IS_CLOSED) closed_forget(c);
  if (c->state[*id] == IS_CLOSED) evaluate(c, *id);
  return c->state[*id] == HAS_FIELD ? &c->run.fields[*id] : NULL;
}

const double *closed_balls(Closed *c, NodeId id, int64_t device) {
  const Field *f = field_of(c, &id);
  return f ? field_at(f, device) : NULL;
}

const int64_t *closed_values(Closed *c, NodeId id, int64_t device) {
  if (!dtype_is_whole((DType)c->source.graph->nodes.at[id].dtype)) return NULL;
  const Field *f = field_of(c, &id);
  if (!f) return NULL;
  if (!c->value[id]) {
    const int64_t **v = ARENA_ARRAY(&c->values, const int64_t *, f->n_classes);
    for (uint32_t k = 0; k < f->n_classes; k++) v[k] = integers(c, f->at[k], f->n);
    c->value[id] = v;
  }
  return c->value[id][field_class(f, device)];
}
