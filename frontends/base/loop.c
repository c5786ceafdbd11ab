/* See loop.h.  The number of iterations: the first t at which the condition no longer holds. */
#include "frontends/base/loop.h"

#include <string.h>

#include "frontends/base/fold.h"

static NodeId fresh(Opening *o, Node like, Sym name) {
  Graph *g = o->g;
  Node n = {.op = sym("parameter"),
            .name = name,
            .dtype = like.dtype,
            .rank = like.rank,
            .dims = like.dims,
            .frames = o->place.frames,
            .line = o->place.line,
            .param = (int64_t)g->params.len};
  NodeId id = graph_add(g, &n);
  vec_push(&g->params, id);
  return id;
}

static NodeId constant(Opening *o, uint8_t dtype, uint8_t rank, const int64_t *dims, int64_t value) {
  Rat v = rat_int(value);
  Literal l = {LIT_SPLAT, 1, &v};
  Node n = {.op = sym("constant"),
            .name = o->place.name,
            .dtype = dtype,
            .rank = rank,
            .dims = dims,
            .literal = &l,
            .frames = o->place.frames,
            .line = o->place.line};
  return graph_add(o->g, &n);
}

static NodeId binary(Opening *o, const char *op, NodeId x, NodeId y) {
  Node like = o->g->nodes.at[x];
  NodeId args[] = {x, y};
  Node n = {.op = sym(op),
            .name = o->place.name,
            .dtype = like.dtype,
            .rank = like.rank,
            .dims = like.dims,
            .args = args,
            .n_args = 2,
            .frames = o->place.frames,
            .line = o->place.line};
  return graph_add(o->g, &n);
}

/* "while.14[2]" */
static Sym value_name(const Opening *o, uint32_t k, const char *when) {
  return sym(arena_printf(&o->g->arena, "%s[%u]%s", sym_text(o->place.name), k, when));
}

GraphEnd graph_end(const Graph *g) { return (GraphEnd){g->nodes.len, g->params.len, g->loops.len}; }

void graph_cut(Graph *g, GraphEnd end) {
  g->nodes.len = end.nodes;
  g->params.len = end.params;
  g->loops.len = end.loops;
}

void opening_drop(Opening *o) { graph_cut(o->g, o->end); }

void opening_begin(Opening *o, Graph *g, const NodeId *init, uint32_t n, const Node *place, uint32_t within) {
  *o = (Opening){.g = g,
                 .place = *place,
                 .n = n,
                 .within = within,
                 .end = graph_end(g)};
  o->of = ARENA_ARRAY(&g->arena, OpenValue, n + 1);
  o->value = ARENA_ARRAY(&g->arena, NodeId, n + 1);
  for (uint32_t k = 0; k < n; k++) {
    o->of[k].init = init[k];
    o->value[k] = NO_NODE;
    if (init[k] != NO_NODE) o->value[k] = fresh(o, g->nodes.at[init[k]], value_name(o, k, ""));
    o->of[k].trial = o->value[k];
  }
}

static NodeId original(const Graph *g, NodeId id) {
  for (int steps = 0; steps < 8 && g->nodes.at[id].op == sym("copy") && g->nodes.at[id].n_args == 1; steps++)
    id = g->nodes.at[id].args[0];
  return id;
}

/* x + c, c + x, x - c for a constant c. */
static bool steps_by(const Graph *g, NodeId next, NodeId x, int64_t *step) {
  const Node *n = &g->nodes.at[next];
  bool minus = n->op == sym("subtract");
  if ((!minus && n->op != sym("add")) || n->n_args != 2) return false;
  NodeId a = original(g, n->args[0]), b = original(g, n->args[1]);
  if (a != x && !minus) b = a, a = original(g, n->args[1]);
  if (a != x || !fold_known(g, b, step) || *step == INT64_MIN) return false;
  if (minus) *step = -*step;
  return true;
}

static bool same_type(const Graph *g, NodeId x, NodeId y) {
  const Node *a = &g->nodes.at[x], *b = &g->nodes.at[y];
  return a->dtype == b->dtype && a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

/* Sorts the values; false if one changes its type. */
static bool sort_values(Opening *o, const NodeId *next) {
  for (uint32_t k = 0; k < o->n; k++) {
    OpenValue *v = &o->of[k];
    if (v->init == NO_NODE) {
      v->kept = true;
      continue;
    }
    if (next[k] == NO_NODE || !same_type(o->g, v->init, next[k])) return false;
    const Node *x = &o->g->nodes.at[v->init];
    v->kept = original(o->g, next[k]) == v->trial;
    v->counted = !v->kept && dtype_is_int(x->dtype) && node_elements(x) == 1 && fold_known(o->g, v->init, &v->start) &&
                 steps_by(o->g, next[k], v->trial, &v->step);
  }
  return true;
}

static int64_t quotient_up(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/* Iterations while start + t * step COMPARES with limit; -1: not known, or without end. */
static int64_t count_trips(const char *direction, int64_t start, int64_t step, int64_t limit) {
  const int64_t most = INT64_C(1) << 40;
  if (start > most || start < -most || limit > most || limit < -most || step > most || step < -most || !step) return -1;
  if (!strcmp(direction, "LE")) limit++;
  if (!strcmp(direction, "GE")) limit--;
  bool up = !strcmp(direction, "LT") || !strcmp(direction, "LE"),
       down = !strcmp(direction, "GT") || !strcmp(direction, "GE");
  if (!strcmp(direction, "NE"))
    return (limit - start) % step || (limit - start) / step < 0 ? -1 : (limit - start) / step;
  if (up) return start >= limit ? 0 : step > 0 ? quotient_up(limit - start, step) : -1;
  return !down ? -1 : start <= limit ? 0 : step < 0 ? quotient_up(start - limit, -step) : -1;
}

/* The value that a condition's operand is, or NULL; the constant that it is. */
static const OpenValue *value_of(const Opening *o, NodeId x, int64_t *constant_value, bool *known) {
  x = original(o->g, x);
  *known = fold_known(o->g, x, constant_value);
  for (uint32_t k = 0; k < o->n; k++) {
    if (o->of[k].trial != x || x == NO_NODE) continue;
    if (o->of[k].kept) *known = fold_known(o->g, o->of[k].init, constant_value);
    return &o->of[k];
  }
  return NULL;
}

static int64_t trips_of(const Opening *o, NodeId flag) {
  if (flag == NO_NODE) return -1;
  const Node *n = &o->g->nodes.at[original(o->g, flag)];
  if (n->op != sym("compare") || n->n_args != 2) return -1;
  static const char *const mirror[][2] = {{"LT", "GT"}, {"LE", "GE"}, {"GT", "LT"}, {"GE", "LE"}, {"NE", "NE"}};
  const char *direction = sym_text(node_attr_sym(n, sym("direction"), sym("EQ")));
  int64_t x, y;
  bool x_known, y_known;
  const OpenValue *a = value_of(o, n->args[0], &x, &x_known), *b = value_of(o, n->args[1], &y, &y_known);
  if (a && a->counted && y_known) return count_trips(direction, a->start, a->step, y);
  for (size_t i = 0; b && b->counted && x_known && i < sizeof mirror / sizeof *mirror; i++)
    if (!strcmp(mirror[i][0], direction)) return count_trips(mirror[i][1], b->start, b->step, x);
  return -1;
}

/* No integer leaves its type on the way. */
static bool all_fit(const Opening *o, int64_t trips) {
  for (uint32_t k = 0; k < o->n; k++) {
    const OpenValue *v = &o->of[k];
    int64_t grown, end;
    if (v->counted && (__builtin_mul_overflow(v->step, trips, &grown) ||
                       __builtin_add_overflow(v->start, grown, &end) || !fold_fits(o->g->nodes.at[v->init].dtype, end)))
      return false;
  }
  return true;
}

/* start + t * step */
static NodeId counted_value(Opening *o, const OpenValue *v, NodeId t) {
  const Node x = o->g->nodes.at[v->init];
  NodeId c = t;
  if (o->g->nodes.at[t].dtype != x.dtype || x.rank) {
    Node n = {.op = sym("convert"), .name = o->place.name, .dtype = x.dtype, .args = &t, .n_args = 1};
    c = o->g->nodes.at[t].dtype == x.dtype ? t : graph_add(o->g, &n);
    n = (Node){
        .op = sym("reshape"), .name = o->place.name, .dtype = x.dtype, .rank = x.rank, .dims = x.dims, .args = &c};
    n.n_args = 1;
    if (x.rank) c = graph_add(o->g, &n);
  }
  if (v->step != 1) c = binary(o, "multiply", c, constant(o, x.dtype, x.rank, x.dims, v->step));
  if (v->start) c = binary(o, "add", c, constant(o, x.dtype, x.rank, x.dims, v->start));
  return c;
}

bool opening_again(Opening *o, NodeId flag, const NodeId *next) {
  bool fine = sort_values(o, next);
  int64_t trips = fine ? trips_of(o, flag) : -1;
  uint64_t size = o->g->nodes.len - o->end.nodes;
  opening_drop(o);
  if (trips < 1 || !all_fit(o, trips)) return false;
  Graph *g = o->g;
  o->index = (uint32_t)g->loops.len;
  Loop loop = {.name = o->place.name,
               .frames = o->place.frames,
               .line = o->place.line,
               .within = o->within,
               .counter = (uint32_t)g->params.len,
               .trips = trips,
               .size = size};
  uint8_t type = DT_S64; /* of the first integer that counts, so that few are converted */
  for (uint32_t k = o->n; k-- > 0;)
    if (o->of[k].counted) type = g->nodes.at[o->of[k].init].dtype;
  NodeId t = fresh(o, (Node){.dtype = type}, sym(arena_printf(&g->arena, "%s[]", sym_text(o->place.name))));
  loop.carried = ARENA_ARRAY(&g->arena, Carried, o->n + 1);
  for (uint32_t k = 0; k < o->n; k++) {
    const OpenValue *v = &o->of[k];
    if (v->kept || v->counted) {
      o->value[k] = v->kept ? v->init : counted_value(o, v, t);
      continue;
    }
    Sym name = value_name(o, k, "");
    loop.carried[loop.n++] = (Carried){.name = name, .number = k, .first = v->init, .before = (uint32_t)g->params.len};
    o->value[k] = fresh(o, g->nodes.at[v->init], name);
  }
  vec_push(&g->loops, loop);
  return true;
}

bool opening_end(Opening *o, const NodeId *next) {
  Graph *g = o->g;
  Loop *loop = &g->loops.at[o->index];
  bool fine = true;
  for (uint32_t i = 0; fine && i < loop->n; i++) {
    uint32_t k = loop->carried[i].number;
    fine = next[k] != NO_NODE && same_type(g, o->of[k].init, next[k]);
  }
  if (!fine) return opening_drop(o), false;
  for (uint32_t k = 0, i = 0; k < o->n; k++) {
    const OpenValue *v = &o->of[k];
    if (v->kept) {
      o->value[k] = v->init;
    } else if (v->counted) {
      const Node x = g->nodes.at[v->init];
      o->value[k] = constant(o, x.dtype, x.rank, x.dims, v->start + v->step * loop->trips);
    } else {
      Carried *c = &loop->carried[i++];
      c->next = next[k];
      c->after = (uint32_t)g->params.len;
      o->value[k] = fresh(o, g->nodes.at[v->init], value_name(o, k, " after"));
    }
  }
  return true;
}

static uint32_t add_output(Graph *g, NodeId node, Sym name, const char *when) {
  vec_push(&g->outputs, ((GraphOutput){node, sym(arena_printf(&g->arena, "%s %s", sym_text(name), when))}));
  return (uint32_t)g->outputs.len - 1;
}

void loops_finish(Graph *g) {
  for (size_t i = 0; i < g->loops.len; i++)
    for (uint32_t k = 0; k < g->loops.at[i].n; k++) {
      Carried *c = &g->loops.at[i].carried[k];
      c->first = add_output(g, c->first, c->name, "at first");
      c->next = add_output(g, c->next, c->name, "after an iteration");
    }
}
