/* Graphs, instances and relations written by hand, for the tests of exact evaluation. */
#ifndef TVR_TEST_EXACT_BUILD_H
#define TVR_TEST_EXACT_BUILD_H
#include "eval/exact/exact.h"

typedef struct B {
  Arena arena;
  Graph *g;
  Vec(const Instance *) instances;
  /* the instance being made */
  Vec(IxVar) vars;
  Vec(X) x;
  Vec(OutDim) out;
} B;

#define LIST(T, ...) (T[]){__VA_ARGS__}, sizeof((T[]){__VA_ARGS__}) / sizeof(T)
#define DIMS(...) LIST(int64_t, __VA_ARGS__)

static inline B *b_new(void) {
  B *b = xcalloc(1, sizeof *b);
  b->g = graph_new();
  return b;
}
static inline void b_free(B *b) {
  graph_free(b->g);
  arena_free(&b->arena);
  vec_free(&b->instances);
  vec_free(&b->vars);
  vec_free(&b->x);
  vec_free(&b->out);
  free(b);
}

static inline VarId b_var(B *b, VarKind kind, int64_t size) {
  vec_push(&b->vars, (IxVar){.kind = (uint8_t)kind, .size = size});
  return (VarId)b->vars.len - 1;
}
static inline XId b_x(B *b, X x) {
  if (x.kind != X_READ) x.group = NO_VAR;
  vec_push(&b->x, x);
  return (XId)b->x.len - 1;
}
/* An output dimension read as one index. */
static inline VarId b_out(B *b, int64_t size) {
  VarId v = b_var(b, VAR_OUT, size);
  vec_push(&b->out, (OutDim){1, arena_copy(&b->arena, &v, sizeof v)});
  return v;
}
static inline void b_out2(B *b, VarId major, VarId minor) {
  vec_push(&b->out, (OutDim){2, arena_copy(&b->arena, (VarId[]){major, minor}, 2 * sizeof(VarId))});
}

static inline Ix ix(B *b, VarId v) { return (Ix){0, 1, arena_copy(&b->arena, &(IxTerm){v, 1}, sizeof(IxTerm)), NO_X}; }
static inline Ix ix_plus(B *b, VarId v, int64_t c) {
  Ix r = ix(b, v);
  r.constant = c;
  return r;
}
static inline Ix ix_pair(B *b, VarId major, VarId minor) {
  IxTerm t[2] = {{major, b->vars.at[minor].size}, {minor, 1}};
  if (t[0].var > t[1].var) {
    IxTerm s = t[0];
    t[0] = t[1];
    t[1] = s;
  }
  return (Ix){0, 2, arena_copy(&b->arena, t, sizeof t), NO_X};
}
static inline Ix ix_dyn(XId x) { return (Ix){0, 0, NULL, x}; }

static inline XId b_read_from(B *b, uint32_t operand, VarId group, const Ix *at, size_t n) {
  return b_x(b, (X){.kind = X_READ, .n = (uint32_t)n, .operand = operand, .group = group,
                    .ix = arena_copy(&b->arena, at, n * sizeof *at)});
}
#define b_read(b, operand, ...) b_read_from(b, operand, NO_VAR, LIST(Ix, __VA_ARGS__))
#define b_read0(b, operand) b_read_from(b, operand, NO_VAR, NULL, 0)
static inline XId b_op_(B *b, XKind kind, const char *name, const XId *args, size_t n) {
  return b_x(b, (X){.kind = (uint8_t)kind, .name = name ? sym(name) : 0, .n = (uint32_t)n,
                    .args = arena_copy(&b->arena, args, n * sizeof *args)});
}
#define b_op(b, kind, name, ...) b_op_(b, kind, name, LIST(XId, __VA_ARGS__))
static inline XId b_rat(B *b, Rat r) { return b_x(b, (X){.kind = X_RAT, .r = r}); }
static inline XId b_index(B *b, Ix i) {
  return b_x(b, (X){.kind = X_INDEX, .n = 1, .ix = arena_copy(&b->arena, &i, sizeof i)});
}
static inline XId b_reduce(B *b, XKind kind, VarId v, XId body) {
  return b_x(b, (X){.kind = (uint8_t)kind, .n = 1, .args = arena_copy(&b->arena, &body, sizeof body), .n_vars = 1,
                    .vars = arena_copy(&b->arena, &v, sizeof v)});
}

/* Adds the node whose instance has been made. */
static inline NodeId b_node_(B *b, const char *op, DType t, const int64_t *dims, size_t rank, const NodeId *args,
                             size_t n_args, XId body, Attr *groups, Attr *pairs) {
  Node n = {.op = sym(op), .name = sym(op), .dtype = (uint8_t)t, .rank = (uint8_t)rank, .dims = dims,
            .n_args = (uint32_t)n_args, .args = args, .param = -1};
  Instance in = {.n_vars = (uint32_t)b->vars.len, .n_x = (uint32_t)b->x.len, .body = body,
                 .n_out = (uint32_t)b->out.len, .groups = groups, .pairs = pairs};
  in.vars = arena_copy(&b->arena, b->vars.at, b->vars.len * sizeof(IxVar));
  in.x = arena_copy(&b->arena, b->x.at, b->x.len * sizeof(X));
  in.out = arena_copy(&b->arena, b->out.at, b->out.len * sizeof(OutDim));
  in.opaque = body == NO_X;
  vec_push(&b->instances, arena_copy(&b->arena, &in, sizeof in));
  vec_clear(&b->vars);
  vec_clear(&b->x);
  vec_clear(&b->out);
  return graph_add(b->g, &n);
}
#define ARGS(...) LIST(NodeId, __VA_ARGS__)
static inline NodeId b_node(B *b, const char *op, DType t, const int64_t *dims, size_t rank, const NodeId *args,
                            size_t n_args, XId body) {
  return b_node_(b, op, t, dims, rank, args, n_args, body, NULL, NULL);
}

static inline NodeId b_param(B *b, DType t, const int64_t *dims, size_t rank) {
  Node n = {.op = sym("parameter"), .name = sym("p"), .dtype = (uint8_t)t, .rank = (uint8_t)rank, .dims = dims,
            .param = (int64_t)b->g->params.len};
  vec_push(&b->instances, NULL);
  NodeId id = graph_add(b->g, &n);
  vec_push(&b->g->params, id);
  return id;
}
static inline NodeId b_const(B *b, DType t, Rat value) {
  Literal l = {LIT_SPLAT, 1, arena_copy(&b->arena, &value, sizeof value)};
  Node n = {.op = sym("constant"), .name = sym("c"), .dtype = (uint8_t)t, .literal = &l, .param = -1};
  vec_push(&b->instances, NULL);
  return graph_add(b->g, &n);
}
static inline void b_output(B *b, NodeId id) { vec_push(&b->g->outputs, (GraphOutput){id, 0}); }

/* ---- operators ---- */

static inline const Node *b_at(B *b, NodeId id) { return &b->g->nodes.at[id]; }

/* [m, k] x [k, n] */
static inline NodeId op_matmul(B *b, NodeId x, NodeId y) {
  int64_t m = b_at(b, x)->dims[0], k = b_at(b, x)->dims[1], n = b_at(b, y)->dims[1];
  VarId i = b_out(b, m), j = b_out(b, n), s = b_var(b, VAR_BOUND, k);
  XId p = b_op(b, X_MUL, NULL, b_read(b, 0, ix(b, i), ix(b, s)), b_read(b, 1, ix(b, s), ix(b, j)));
  return b_node(b, "dot", DT_F32, DIMS(m, n), ARGS(x, y), b_reduce(b, X_SUM, s, p));
}
/* name(x), or x combined with y, matrices. */
static inline NodeId op_map(B *b, XKind kind, const char *name, DType t, NodeId x, NodeId y) {
  const Node *n = b_at(b, x);
  int64_t dims[2] = {n->dims[0], n->dims[1]};
  VarId i = b_out(b, dims[0]), j = b_out(b, dims[1]);
  XId a = b_read(b, 0, ix(b, i), ix(b, j));
  if (y == NO_NODE) return b_node(b, "map", t, dims, 2, ARGS(x), b_op(b, kind, name, a));
  XId c = b_at(b, y)->rank == 2 ? b_read(b, 1, ix(b, i), ix(b, j)) :
          b_at(b, y)->rank == 1 ? b_read(b, 1, ix(b, i)) : b_read0(b, 1);
  return b_node(b, "map", t, dims, 2, ARGS(x, y), b_op(b, kind, name, a, c));
}
/* Over the last dimension of a matrix. */
static inline NodeId op_reduce(B *b, XKind kind, NodeId x) {
  int64_t m = b_at(b, x)->dims[0], n = b_at(b, x)->dims[1];
  VarId i = b_out(b, m), j = b_var(b, VAR_BOUND, n);
  XId body = b_reduce(b, kind, j, b_read(b, 0, ix(b, i), ix(b, j)));
  return b_node(b, "reduce", DT_F32, DIMS(m), ARGS(x), body);
}
static inline NodeId op_softmax(B *b, NodeId x, bool shifted) {
  if (shifted) {
    NodeId m = op_reduce(b, X_MAX, x);
    int64_t dims[2] = {b_at(b, x)->dims[0], b_at(b, x)->dims[1]};
    VarId i = b_out(b, dims[0]), j = b_out(b, dims[1]);
    XId minus = b_op(b, X_MUL, NULL, b_rat(b, RAT_NEG1), b_read(b, 1, ix(b, i)));
    XId body = b_op(b, X_ADD, NULL, b_read(b, 0, ix(b, i), ix(b, j)), minus);
    x = b_node(b, "subtract", DT_F32, dims, 2, ARGS(x, m), body);
  }
  NodeId e = op_map(b, X_FN, "exp", DT_F32, x, NO_NODE), s = op_reduce(b, X_SUM, e);
  int64_t dims[2] = {b_at(b, e)->dims[0], b_at(b, e)->dims[1]};
  VarId i = b_out(b, dims[0]), j = b_out(b, dims[1]);
  XId den = b_x(b, (X){.kind = X_POW, .n = 1, .r = RAT_NEG1,
                       .args = arena_copy(&b->arena, (XId[]){b_read(b, 1, ix(b, i))}, sizeof(XId))});
  XId body = b_op(b, X_MUL, NULL, b_read(b, 0, ix(b, i), ix(b, j)), den);
  return b_node(b, "divide", DT_F32, dims, 2, ARGS(e, s), body);
}
static inline Attr *b_groups(B *b, const int64_t *devices, size_t n, int64_t size) {
  Attr a = {.kind = ATTR_GROUPS, .i = size, .n = (uint32_t)n,
            .ints = arena_copy(&b->arena, devices, n * sizeof *devices)};
  return arena_copy(&b->arena, &a, sizeof a);
}
static inline NodeId op_all_reduce(B *b, NodeId x, XKind kind, Attr *groups) {
  int64_t dims[2] = {b_at(b, x)->dims[0], b_at(b, x)->dims[1]};
  VarId i = b_out(b, dims[0]), j = b_out(b, dims[1]), h = b_var(b, VAR_BOUND, groups->i);
  XId r = b_read_from(b, 0, h, (Ix[]){ix(b, i), ix(b, j)}, 2);
  return b_node_(b, "all_reduce", DT_F32, dims, 2, ARGS(x), b_reduce(b, kind, h, r), groups, NULL);
}
/* Along dimension 1. */
static inline NodeId op_all_gather(B *b, NodeId x, Attr *groups) {
  int64_t m = b_at(b, x)->dims[0], n = b_at(b, x)->dims[1];
  VarId i = b_out(b, m), h = b_var(b, VAR_OUT, groups->i), j = b_var(b, VAR_OUT, n);
  b_out2(b, h, j);
  XId r = b_read_from(b, 0, h, (Ix[]){ix(b, i), ix(b, j)}, 2);
  return b_node_(b, "all_gather", DT_F32, DIMS(m, n * groups->i), ARGS(x), r, groups, NULL);
}
static inline NodeId op_permute(B *b, NodeId x, const int64_t *pairs, size_t n) {
  int64_t dims[2] = {b_at(b, x)->dims[0], b_at(b, x)->dims[1]};
  VarId i = b_out(b, dims[0]), j = b_out(b, dims[1]);
  XId r = b_read(b, 0, ix(b, i), ix(b, j));
  b->x.at[r].permuted = true;
  Attr a = {.kind = ATTR_PAIRS, .n = (uint32_t)n, .ints = arena_copy(&b->arena, pairs, n * sizeof *pairs)};
  return b_node_(b, "collective_permute", DT_F32, dims, 2, ARGS(x), r, NULL, arena_copy(&b->arena, &a, sizeof a));
}

/* ---- relations ---- */

typedef struct Rel {
  Relation r;
  Related inputs[8], outputs[8];
} Rel;

/* One mesh of axes a0, a1, .. */
static inline Rel *rel_new(const int64_t *sizes, size_t n) {
  Rel *r = xcalloc(1, sizeof *r);
  r->r.inputs = r->inputs;
  r->r.outputs = r->outputs;
  Mesh *m = &r->r.mesh;
  m->n_axes = (uint32_t)n;
  m->axes = ARENA_ARRAY(&r->r.arena, Axis, n + 1);
  m->n_devices = 1;
  for (size_t i = 0; i < n; i++) {
    m->axes[i] = (Axis){sym_of((char[]){'a', (char)('0' + i), 0}), sizes[i]};
    m->n_devices *= sizes[i];
  }
  m->device_order = ARENA_ARRAY(&r->r.arena, int64_t, m->n_devices);
  for (int64_t i = 0; i < m->n_devices; i++) m->device_order[i] = i;
  return r;
}
static inline void rel_free(Rel *r) {
  arena_free(&r->r.arena);
  free(r);
}
/* Each dimension's axes are a digit string ("", "0", "01"); partial likewise. */
static inline Layout rel_layout(Rel *r, const char *const *dims, size_t rank, const char *partial) {
  Layout l = {.rank = (uint8_t)rank, .n_partial = (uint8_t)strlen(partial)};
  l.dims = arena_alloc(&r->r.arena, (rank + 1) * sizeof *l.dims);
  for (size_t d = 0; d < rank; d++) {
    l.dims[d].n = (uint8_t)strlen(dims[d]);
    l.dims[d].axes = ARENA_ARRAY(&r->r.arena, uint32_t, 8);
    for (size_t k = 0; dims[d][k]; k++) l.dims[d].axes[k] = (uint32_t)(dims[d][k] - '0');
  }
  l.partial = ARENA_ARRAY(&r->r.arena, uint32_t, 8);
  for (size_t k = 0; partial[k]; k++) l.partial[k] = (uint32_t)(partial[k] - '0');
  return l;
}
#define AXES(...) LIST(const char *, __VA_ARGS__)
static inline Related *rel_input(Rel *r, Layout l) {
  Related *x = &r->inputs[r->r.n_inputs];
  *x = (Related){.seq = r->r.n_inputs, .dist = r->r.n_inputs, .layout = l, .scale = 1};
  r->r.n_inputs++;
  return x;
}
static inline Related *rel_output(Rel *r, Layout l) {
  Related *x = &r->outputs[r->r.n_outputs];
  *x = (Related){.seq = r->r.n_outputs, .dist = r->r.n_outputs, .layout = l};
  r->r.n_outputs++;
  return x;
}
static inline ExactProblem problem_of(B *s, B *d, Rel *r) {
  return (ExactProblem){.seq = {s->g, s->instances.at}, .dist = {d->g, d->instances.at}, .relation = &r->r,
                        .options = exact_defaults()};
}
#endif
