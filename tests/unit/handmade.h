/* Programs written by hand for unit tests: a graph and the equation of each of its nodes. */
#ifndef TVR_TEST_HANDMADE_H
#define TVR_TEST_HANDMADE_H
#include <stdarg.h>
#include <stdio.h>

#include "eval/digits/coord.h"

static int failures;
#define CHECK(x) \
  do { \
    if (!(x)) printf("%s:%d: %s\n", __FILE__, __LINE__, #x), failures++; \
  } while (0)

enum { MAX_X = 64, MAX_V = 16 };

typedef struct Hand {
  Graph *g;
  Vec(const Instance *) in;
  Arena arena;
  /* the equation being made */
  IxVar var[MAX_V];
  uint32_t n_vars;
  X x[MAX_X];
  uint32_t n_x;
  OutDim out[MAX_V];
  uint32_t n_out;
} Hand;

typedef struct Dims {
  uint8_t rank;
  int64_t at[8];
} Dims;
#define DIMS(...) ((Dims){sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), {__VA_ARGS__}})
#define SCALAR ((Dims){0})

static inline Hand *hand_new(int64_t n_devices) {
  Hand *h = xcalloc(1, sizeof *h);
  h->g = graph_new();
  h->g->n_devices = n_devices;
  return h;
}

static inline void hand_free(Hand *h) {
  graph_free(h->g);
  vec_free(&h->in);
  arena_free(&h->arena);
  free(h);
}

static inline Dims dims_of(const Hand *h, NodeId id) {
  Dims d = {.rank = h->g->nodes.at[id].rank};
  for (int i = 0; i < d.rank; i++) d.at[i] = h->g->nodes.at[id].dims[i];
  return d;
}

static inline VarId new_var(Hand *h, VarKind kind, int64_t size, uint32_t dim) {
  h->var[h->n_vars] = (IxVar){kind, size, dim, 0};
  return h->n_vars++;
}

/* Starts an equation; variable i is dimension i of the result. */
static inline void begin(Hand *h, Dims out) {
  h->n_vars = h->n_x = 0;
  h->n_out = out.rank;
  for (uint32_t i = 0; i < out.rank; i++) {
    VarId v = new_var(h, VAR_OUT, out.at[i], i);
    h->out[i] = (OutDim){1, arena_copy(&h->arena, &v, sizeof v)};
  }
}

static inline XId put(Hand *h, X x) {
  h->x[h->n_x] = x;
  return h->n_x++;
}

static inline NodeId end(Hand *h, const char *op, DType t, Dims dims, uint32_t n_args, const NodeId *args,
                         const Attr *groups, XId body) {
  Node n = {.op = sym(op), .dtype = t, .rank = dims.rank, .dims = dims.at, .n_args = n_args, .args = args};
  Instance in = {.n_vars = h->n_vars, .n_x = h->n_x, .body = body, .n_out = h->n_out, .groups = groups};
  in.vars = arena_copy(&h->arena, h->var, h->n_vars * sizeof *h->var);
  in.x = arena_copy(&h->arena, h->x, h->n_x * sizeof *h->x);
  in.out = arena_copy(&h->arena, h->out, h->n_out * sizeof *h->out);
  vec_push(&h->in, arena_copy(&h->arena, &in, sizeof in));
  return graph_add(h->g, &n);
}

/* constant + var * coef (+ dyn); var NO_VAR: none. */
static inline Ix form(Hand *h, int64_t constant, VarId var, int64_t coef, XId dyn) {
  IxTerm t = {var, coef};
  return (Ix){constant, var != NO_VAR, arena_copy(&h->arena, &t, sizeof t), dyn};
}
static inline Ix plain(Hand *h, VarId v) { return form(h, 0, v, 1, NO_X); }

static inline XId read_at(Hand *h, uint32_t operand, uint32_t n, const Ix *ix) {
  return put(h, (X){.kind = X_READ, .mode = READ_AT, .n = n, .operand = operand, .group = NO_VAR,
                    .ix = arena_copy(&h->arena, ix, n * sizeof *ix)});
}
/* Operand of one element, or read at the result's own indices. */
static inline XId read_same(Hand *h, uint32_t operand, uint32_t rank) {
  Ix ix[8];
  for (uint32_t i = 0; i < rank; i++) ix[i] = plain(h, i);
  return read_at(h, operand, rank, ix);
}
static inline XId rat(Hand *h, int64_t n) { return put(h, (X){.kind = X_RAT, .r = rat_int(n), .group = NO_VAR}); }
static inline XId node_x(Hand *h, XKind kind, const char *name, uint32_t n, const XId *args) {
  return put(h, (X){.kind = (uint8_t)kind, .name = name ? sym(name) : 0, .n = n, .group = NO_VAR,
                    .args = arena_copy(&h->arena, args, n * sizeof *args)});
}
#define NODE_X(h, kind, name, ...) \
  node_x(h, kind, name, sizeof((XId[]){__VA_ARGS__}) / sizeof(XId), (XId[]){__VA_ARGS__})

/* ---- operators */

static inline NodeId parameter(Hand *h, DType t, Dims d) {
  begin(h, d);
  NodeId id = end(h, "parameter", t, d, 0, NULL, NULL, NO_X);
  h->g->nodes.at[id].param = (int64_t)h->g->params.len;
  vec_push(&h->g->params, id);
  return id;
}

static inline NodeId constant(Hand *h, DType t, Dims d, const int64_t *values) {
  int64_t n = 1;
  for (int i = 0; i < d.rank; i++) n *= d.at[i];
  Rat *r = arena_alloc(&h->arena, (size_t)n * sizeof *r);
  for (int64_t i = 0; i < n; i++) r[i] = rat_int(values[i]);
  Literal l = {LIT_VALUES, (uint64_t)n, r};
  Node node = {.op = sym("constant"), .dtype = t, .rank = d.rank, .dims = d.at, .literal = &l};
  begin(h, d);
  Instance in = {.body = NO_X};
  vec_push(&h->in, arena_copy(&h->arena, &in, sizeof in));
  return graph_add(h->g, &node);
}
static inline NodeId integer(Hand *h, int64_t n) { return constant(h, DT_S32, SCALAR, &n); }

static inline NodeId device_number(Hand *h) {
  begin(h, SCALAR);
  return end(h, "partition_id", DT_U32, SCALAR, 0, NULL, NULL, put(h, (X){.kind = X_COORD, .group = NO_VAR}));
}

/* Elementwise; kind and name as in X.  */
static inline NodeId apply_n(Hand *h, XKind kind, const char *name, DType t, uint32_t n, const NodeId *args) {
  Dims d = dims_of(h, args[n - 1]);
  XId a[3];
  begin(h, d);
  for (uint32_t k = 0; k < n; k++) a[k] = read_same(h, k, d.rank);
  return end(h, "apply", t, d, n, args, NULL, node_x(h, kind, name, n, a));
}
#define APPLY(h, kind, name, t, ...) \
  apply_n(h, kind, name, t, sizeof((NodeId[]){__VA_ARGS__}) / sizeof(NodeId), (NodeId[]){__VA_ARGS__})
#define ADD(h, a, b) APPLY(h, X_ADD, NULL, DT_F32, a, b)

static inline NodeId reshape(Hand *h, NodeId a, Dims d) {
  begin(h, d);
  IxTerm t[8];
  int64_t stride = 1;
  for (uint32_t i = d.rank; i-- > 0; stride *= d.at[i]) t[i] = (IxTerm){i, stride};
  Ix ix = {0, d.rank, arena_copy(&h->arena, t, sizeof t), NO_X};
  XId r = put(h, (X){.kind = X_READ, .mode = READ_FLAT, .n = 1, .group = NO_VAR,
                     .ix = arena_copy(&h->arena, &ix, sizeof ix)});
  return end(h, "reshape", DT_F32, d, 1, &a, NULL, r);
}

/* y[i, j] = sum(k) a[i, k] * b[k, j] */
static inline NodeId matmul(Hand *h, NodeId a, NodeId b) {
  Dims d = DIMS(dims_of(h, a).at[0], dims_of(h, b).at[1]);
  begin(h, d);
  VarId k = new_var(h, VAR_BOUND, dims_of(h, b).at[0], 0);
  XId x = read_at(h, 0, 2, (Ix[]){plain(h, 0), plain(h, k)}), y = read_at(h, 1, 2, (Ix[]){plain(h, k), plain(h, 1)});
  XId product = NODE_X(h, X_MUL, NULL, x, y);
  XId s = NODE_X(h, X_SUM, NULL, product);
  h->x[s].n_vars = 1;
  h->x[s].vars = arena_copy(&h->arena, &k, sizeof k);
  return end(h, "dot", DT_F32, d, 2, (NodeId[]){a, b}, NULL, s);
}

/* y[.., o, ..] = a[.., start + stride * o, ..] in dimension `dim`, of size `size`. */
static inline NodeId slice(Hand *h, NodeId a, uint32_t dim, int64_t start, int64_t size, int64_t stride) {
  Dims d = dims_of(h, a);
  d.at[dim] = size;
  begin(h, d);
  Ix ix[8];
  for (uint32_t i = 0; i < d.rank; i++) ix[i] = i == dim ? form(h, start, i, stride, NO_X) : plain(h, i);
  return end(h, "slice", DT_F32, d, 1, &a, NULL, read_at(h, 0, d.rank, ix));
}

/* The same at clamp(0, s, n - size). */
static inline NodeId dynamic_slice(Hand *h, NodeId a, NodeId s, uint32_t dim, int64_t size) {
  Dims d = dims_of(h, a);
  int64_t room = d.at[dim] - size;
  d.at[dim] = size;
  begin(h, d);
  XId at = read_at(h, 1, 0, NULL);
  XId dyn = NODE_X(h, X_FN, "clamp", rat(h, 0), at, rat(h, room));
  Ix ix[8];
  for (uint32_t i = 0; i < d.rank; i++) ix[i] = i == dim ? form(h, 0, i, 1, dyn) : plain(h, i);
  return end(h, "dynamic_slice", h->g->nodes.at[a].dtype, d, 2, (NodeId[]){a, s}, NULL, read_at(h, 0, d.rank, ix));
}

/* Operands one after another in dimension `dim`. */
static inline NodeId concatenate(Hand *h, uint32_t dim, uint32_t n, const NodeId *args) {
  Dims d = dims_of(h, args[0]);
  XId read[8];
  int64_t at = 0;
  for (uint32_t k = 1; k < n; k++) d.at[dim] += dims_of(h, args[k]).at[dim];
  begin(h, d);
  for (uint32_t k = 0; k < n; k++) {
    Ix ix[8];
    for (uint32_t i = 0; i < d.rank; i++) ix[i] = i == dim ? form(h, -at, i, 1, NO_X) : plain(h, i);
    read[k] = read_at(h, k, d.rank, ix);
    at += dims_of(h, args[k]).at[dim];
  }
  return end(h, "concatenate", DT_F32, d, n, args, NULL, node_x(h, X_ADD, NULL, n, read));
}

static inline Attr *grouping(Hand *h, int64_t size, uint32_t n, const int64_t *devices) {
  Attr a = {.name = sym("replica_groups"), .kind = ATTR_GROUPS, .i = size, .n = n};
  a.ints = arena_copy(&h->arena, devices, n * sizeof *devices);
  return arena_copy(&h->arena, &a, sizeof a);
}

/* y[.., (h, i), ..] = a[h; .., i, ..] */
static inline NodeId all_gather(Hand *h, NodeId a, uint32_t dim, const Attr *groups) {
  Dims d = dims_of(h, a), out = d;
  out.at[dim] *= groups->i;
  begin(h, d);
  VarId q = new_var(h, VAR_OUT, groups->i, dim), list[2] = {q, dim};
  h->out[dim] = (OutDim){2, arena_copy(&h->arena, list, sizeof list)};
  XId r = read_same(h, 0, d.rank);
  h->x[r].group = q;
  return end(h, "all_gather", DT_F32, out, 1, &a, groups, r);
}

/* y[.., i, ..] = sum(h) a[h; .., (g, i), ..]; dim < 0: all_reduce */
static inline NodeId reduce_scatter(Hand *h, NodeId a, int dim, const Attr *groups) {
  Dims d = dims_of(h, a);
  if (dim >= 0) d.at[dim] /= groups->i;
  begin(h, d);
  VarId q = new_var(h, VAR_BOUND, groups->i, 0), own = new_var(h, VAR_GROUP, groups->i, 0);
  Ix ix[8];
  for (uint32_t i = 0; i < d.rank; i++) {
    ix[i] = plain(h, i);
    if ((int)i != dim) continue;
    IxTerm t[2] = {{i, 1}, {own, d.at[i]}};
    ix[i] = (Ix){0, 2, arena_copy(&h->arena, t, sizeof t), NO_X};
  }
  XId r = read_at(h, 0, d.rank, ix), s;
  h->x[r].group = q;
  s = NODE_X(h, X_SUM, NULL, r);
  h->x[s].n_vars = 1;
  h->x[s].vars = arena_copy(&h->arena, &q, sizeof q);
  return end(h, "reduce_scatter", DT_F32, d, 1, &a, groups, s);
}

static inline const Instance *hand_source(void *context, NodeId id) { return ((Hand *)context)->in.at[id]; }
#endif
