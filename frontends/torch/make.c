/* Nodes, and arguments as nodes.  A node that cannot be made is NO_NODE, and so is everything made from it. */
#include <string.h>

#include "frontends/base/decimal.h"
#include "frontends/torch/lower.h"

static uint32_t frames_of(Lower *l, Sym at) {
  if (!at) return 0;
  while (l->frame_of.len <= at) vec_push(&l->frame_of, 0);
  if (!l->frame_of.at[at]) {
    uint32_t n = 1;
    for (const char *c = sym_text(at); *c; c++) n += *c == '\n';
    Sym *list = arena_alloc(&l->g->arena, n * sizeof *list);
    const char *from = sym_text(at);
    for (uint32_t k = 0; k < n; k++) {
      size_t len = strcspn(from, "\n");
      list[k] = sym_n(from, len);
      from += len + (from[len] == '\n');
    }
    vec_push(&l->g->frames, (Frames){n, list});
    l->frame_of.at[at] = (uint32_t)l->g->frames.len - 1;
  }
  return l->frame_of.at[at];
}

uint32_t make_frames(Lower *l) { return frames_of(l, l->node->at); }

Composer *make_composer(Lower *l) {
  l->composer.g = l->g;
  l->composer.stamp = (Node){0};
  if (l->node)
    l->composer.stamp = (Node){.name = l->node->name, .label = l->node->module, .line = l->node->line,
                               .frames = frames_of(l, l->node->at)};
  return &l->composer;
}

NodeId make(Lower *l, const char *op, uint8_t dtype, uint32_t rank, const int64_t *dims, const NodeId *args,
            uint32_t n_args,
            const Attr *attrs, uint32_t n_attrs) {
  return compose(make_composer(l), op, dtype, rank, dims, args, n_args, attrs, n_attrs);
}

NodeId make_out(Lower *l, uint32_t k, const char *op, const NodeId *args, uint32_t n_args, const Attr *attrs,
                uint32_t n_attrs) {
  int64_t dims[TORCH_MAX_RANK + 1];
  uint32_t rank = out_dims(l, k, dims);
  return make(l, op, real_type(l->node->outs[k].dtype), rank, dims, args, n_args, attrs, n_attrs);
}

Attr attr_ints(Lower *l, const char *name, const int64_t *v, uint32_t n) {
  return (Attr){.name = sym(name), .kind = ATTR_INTS, .ints = arena_copy(&l->arena, v, n * sizeof *v), .n = n};
}
Attr attr_dim(Lower *l, const char *name, int64_t d) { return attr_ints(l, name, &d, 1); }

NodeId make_splat(Lower *l, uint8_t dtype, uint32_t rank, const int64_t *dims, Rat value) {
  return compose_splat(make_composer(l), dtype, rank, dims, value);
}
NodeId make_reshape(Lower *l, NodeId x, uint32_t rank, const int64_t *dims) {
  return compose_reshape(make_composer(l), x, rank, dims);
}
NodeId make_transpose(Lower *l, NodeId x, const int64_t *perm) { return compose_transpose(make_composer(l), x, perm); }
NodeId make_convert(Lower *l, NodeId x, uint8_t dtype) { return compose_convert(make_composer(l), x, dtype); }
NodeId make_broadcast(Lower *l, NodeId x, uint32_t rank, const int64_t *dims) {
  return compose_broadcast(make_composer(l), x, rank, dims);
}
NodeId make_moved(Lower *l, NodeId x, uint32_t from, uint32_t to) {
  int64_t perm[TORCH_MAX_RANK + 2];
  if (x == NO_NODE) return NO_NODE;
  uint32_t rank = node_of(l, x)->rank;
  if (from >= rank || to >= rank) return NO_NODE;
  for (uint32_t d = 0, k = 0; d < rank; d++) {
    if (d == to) {
      perm[d] = from;
    } else {
      k += k == from;
      perm[d] = k++;
    }
  }
  return make_transpose(l, x, perm);
}
bool common_shape(const Lower *l, NodeId x, NodeId y, uint32_t *rank, int64_t *dims) {
  if (x == NO_NODE || y == NO_NODE) return false;
  const Node *n = node_of(l, x), *m = node_of(l, y);
  *rank = n->rank > m->rank ? n->rank : m->rank;
  for (uint32_t d = 0; d < *rank; d++) {
    int64_t a = d + n->rank < *rank ? 1 : n->dims[d + n->rank - *rank];
    int64_t b = d + m->rank < *rank ? 1 : m->dims[d + m->rank - *rank];
    if (a != b && a != 1 && b != 1) return false;
    dims[d] = a == 1 ? b : a;
  }
  return true;
}
NodeId make_slice(Lower *l, NodeId x, uint32_t dim, int64_t start, int64_t size, int64_t step) {
  bool piece = x != NO_NODE && dim < node_of(l, x)->rank && start >= 0 && size >= 0 && step == 1 &&
      size < node_of(l, x)->dims[dim] && start <= node_of(l, x)->dims[dim] - size;
  NodeId part = piece ? packed_slice(l, x, dim, start, size) : NO_NODE;
  return part != NO_NODE ? part : compose_slice(make_composer(l), x, dim, start, size, step);
}
NodeId make_binary(Lower *l, const char *op, NodeId x, NodeId y) { return compose_binary(make_composer(l), op, x, y); }
NodeId make_dot(Lower *l, NodeId x, NodeId y, uint32_t batch, int64_t dx, int64_t dy) {
  return compose_dot(make_composer(l), x, y, batch, dx, dy);
}
NodeId make_reduce(Lower *l, const char *op, uint8_t dtype, NodeId x, const int64_t *dims, uint32_t n,
                   const NodeId *more, uint32_t n_more) {
  return compose_reduce(make_composer(l), op, dtype, x, dims, n, more, n_more);
}

static void starts_at(Lower *l, uint32_t rank, uint32_t dim, NodeId start, NodeId *out) {
  NodeId zero = rank > 1 ? make_splat(l, node_of(l, start)->dtype, 0, NULL, RAT_0) : NO_NODE;
  for (uint32_t d = 0; d < rank; d++) out[d] = d == dim ? start : zero;
}

NodeId make_dynamic_slice(Lower *l, NodeId x, uint32_t dim, NodeId start, int64_t size) {
  if (x == NO_NODE || start == NO_NODE || dim >= node_of(l, x)->rank || size > node_of(l, x)->dims[dim]) return NO_NODE;
  Node n = *node_of(l, x);
  NodeId args[TORCH_MAX_RANK + 3] = {x};
  int64_t dims[TORCH_MAX_RANK + 2];
  memcpy(dims, n.dims, n.rank * sizeof *dims);
  dims[dim] = size;
  starts_at(l, n.rank, dim, start, args + 1);
  return make(l, "dynamic_slice", n.dtype, n.rank, dims, args, n.rank + 1u, NULL, 0);
}

NodeId make_update(Lower *l, NodeId x, NodeId u, uint32_t dim, NodeId start) {
  if (x == NO_NODE || u == NO_NODE || start == NO_NODE) return NO_NODE;
  Node n = *node_of(l, x), m = *node_of(l, u);
  if (n.rank != m.rank || dim >= n.rank) return NO_NODE;
  for (uint32_t d = 0; d < n.rank; d++)
    if (d == dim ? m.dims[d] > n.dims[d] : m.dims[d] != n.dims[d]) return NO_NODE;
  NodeId args[TORCH_MAX_RANK + 4] = {x, u};
  starts_at(l, n.rank, dim, start, args + 2);
  return make(l, "dynamic_update_slice", n.dtype, n.rank, n.dims, args, n.rank + 2u, NULL, 0);
}

NodeId make_partition_id(Lower *l) {
  if (l->partition == NO_NODE) l->partition = make(l, "partition_id", DT_U32, 0, NULL, NULL, 0, NULL, 0);
  return l->partition;
}

/* After so many ranks the values repeat. */
static int64_t period_of(const Rat *values, int64_t n) {
  for (int64_t p = 1; p < n; p++) {
    bool same = n % p == 0;
    for (int64_t r = p; r < n && same; r++) same = values[r] == values[r - p];
    if (same) return p;
  }
  return n;
}

NodeId make_by_rank(Lower *l, uint8_t dtype, const Rat *values) {
  int64_t n = period_of(values, l->p->n_ranks);
  if (n == 1) return make_splat(l, dtype, 0, NULL, values[0]);
  NodeId table = compose_table(make_composer(l), dtype, 1, &n, values), rank = make_partition_id(l);
  if (n < l->p->n_ranks) rank = make_binary(l, "remainder", rank, make_splat(l, DT_U32, 0, NULL, rat_int(n)));
  return make_reshape(l, make_dynamic_slice(l, table, 0, rank, 1), 0, NULL);
}

/* ------------------------------------------------------------------ arguments */
/* Result k of a value as a node: pieces are cut when they are asked for. */
static NodeId result_node(Lower *l, int64_t value, uint32_t k) {
  LowerValue *v = &l->results.at[l->first[value] + k];
  if (v->node == NO_NODE && v->whole != NO_NODE) {
    NodeId id = make_slice(l, v->whole, v->dim, v->at, v->size, 1);
    l->results.at[l->first[value] + k].node = id;
    return id;
  }
  return v->node;
}

/* What the argument is on every rank; whole: all are pieces of one, and so one part of it. */
static NodeId *values_by_rank(Lower *l, const TorchArg *a, NodeId *whole) {
  int64_t n = l->p->n_ranks;
  const LowerValue first = l->results.at[l->first[a->ranks[0].i] + a->ranks[0].result];
  Rat *starts = ARENA_ARRAY(&l->arena, Rat, n);
  NodeId *out = ARENA_ARRAY(&l->arena, NodeId, n);
  bool pieces = first.whole != NO_NODE;
  for (int64_t r = 0; r < n; r++) {
    const LowerValue *v = &l->results.at[l->first[a->ranks[r].i] + a->ranks[r].result];
    pieces &= v->whole == first.whole && v->size == first.size;
    starts[r] = rat_int(v->at);
  }
  *whole = pieces ? make_dynamic_slice(l, first.whole, first.dim, make_by_rank(l, DT_S64, starts), first.size) : NO_NODE;
  for (int64_t r = 0; r < n; r++) out[r] = pieces ? *whole : result_node(l, a->ranks[r].i, a->ranks[r].result);
  return out;
}

/* How many different nodes: one, two, of which *other is not the first, or many. */
typedef enum Kinds { KINDS_ONE = 1, KINDS_TWO, KINDS_MANY } Kinds;
static Kinds kinds(const Lower *l, const NodeId *of, NodeId *other) {
  Kinds n = KINDS_ONE;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    if (of[r] == of[0] || (n == KINDS_TWO && of[r] == *other)) continue;
    if (n == KINDS_TWO) return KINDS_MANY;
    n = KINDS_TWO, *other = of[r];
  }
  return n;
}

/* One of two, or read from all of them stacked. */
static NodeId stacked(Lower *l, const NodeId *of) {
  int64_t n = l->p->n_ranks;
  if (of[0] == NO_NODE) return NO_NODE;
  NodeId other;
  if (kinds(l, of, &other) == KINDS_TWO) {
    bool *on = ARENA_ARRAY(&l->arena, bool, n);
    for (int64_t r = 0; r < n; r++) on[r] = of[r] == other;
    return make_on(l, on, other, of[0]);
  }
  NodeId *parts = ARENA_ARRAY(&l->arena, NodeId, n);
  Rat *starts = ARENA_ARRAY(&l->arena, Rat, n);
  Node like = *node_of(l, of[0]);
  int64_t dims[TORCH_MAX_RANK + 2] = {1};
  if (like.rank > TORCH_MAX_RANK) return NO_NODE;
  memcpy(dims + 1, like.dims, like.rank * sizeof *dims);
  for (int64_t r = 0; r < n; r++) {
    if (of[r] == NO_NODE || node_of(l, of[r])->dtype != like.dtype || node_of(l, of[r])->rank != like.rank) return NO_NODE;
    parts[r] = make_reshape(l, of[r], like.rank + 1u, dims);
    starts[r] = rat_int(r);
  }
  dims[0] = n;
  Attr along = attr_dim(l, "dimensions", 0);
  NodeId x = make(l, "concatenate", like.dtype, like.rank + 1u, dims, parts, (uint32_t)n, &along, 1);
  return make_reshape(l, make_dynamic_slice(l, x, 0, make_by_rank(l, DT_S64, starts), 1), like.rank, like.dims);
}

/* Another value on every rank. */
static NodeId varying_result(Lower *l, const TorchArg *a) {
  NodeId x, *of = values_by_rank(l, a, &x);
  if (x == NO_NODE) x = messages_by_rank(l, of);
  return x == NO_NODE ? stacked(l, of) : x;
}

NodeId make_on(Lower *l, const bool *on, NodeId y, NodeId x) {
  if (x == NO_NODE || y == NO_NODE) return NO_NODE;
  if (x == y) return x;
  Node n = *node_of(l, x), m = *node_of(l, y);
  if (n.rank != m.rank || n.dtype != m.dtype || (n.rank && memcmp(n.dims, m.dims, n.rank * sizeof *n.dims)))
    return NO_NODE;
  NodeId *of = ARENA_ARRAY(&l->arena, NodeId, l->p->n_ranks), made = packed_on(l, on, y, x);
  for (int64_t r = 0; r < l->p->n_ranks; r++) of[r] = on[r] ? y : x;
  if (made == NO_NODE) made = messages_by_rank(l, of);
  if (made != NO_NODE) return made;
  Rat *values = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  for (int64_t r = 0; r < l->p->n_ranks; r++) values[r] = on[r] ? RAT_1 : RAT_0;
  NodeId args[] = {make_by_rank(l, DT_PRED, values), y, x};
  return make(l, "select", n.dtype, n.rank, n.dims, args, 3, NULL, 0);
}

const TorchArg *arg_named(const Lower *l, const char *name) {
  size_t n = strlen(name);
  uint32_t k = 0;
  for (const char *p = l->params; *p; k++) {
    size_t len = strcspn(p, " ");
    if (len == n && !memcmp(p, name, n)) return l->arg[k];
    p += len + (p[len] == ' ');
  }
  return NULL;
}

NodeId arg_tensor(Lower *l, const TorchArg *a) {
  if (!a || a->kind != TA_TENSOR) return NO_NODE;
  return a->ranks ? varying_result(l, a) : result_node(l, a->i, a->result);
}

const NodeId *arg_by_rank(Lower *l, const TorchArg *a) {
  NodeId other, x = NO_NODE, *of = a->ranks ? values_by_rank(l, a, &x) : ARENA_ARRAY(&l->arena, NodeId, l->p->n_ranks);
  if (a->ranks && kinds(l, of, &other) != KINDS_MANY) return of;
  x = a->ranks ? stacked(l, of) : arg_tensor(l, a);
  for (int64_t r = 0; r < l->p->n_ranks; r++) of[r] = x;
  return of;
}

bool arg_complex(const Lower *l, const TorchArg *a) {
  if (!a) return false;
  if (a->kind == TA_LIST) {
    for (uint32_t k = 0; k < a->n; k++)
      if (arg_complex(l, &a->list[k])) return true;
    return false;
  }
  return a->kind == TA_TENSOR && l->results.at[l->first[a->i] + a->result].complex;
}

uint32_t arg_rank(Lower *l, const TorchArg *a) { return node_of(l, arg_tensor(l, a))->rank - arg_complex(l, a); }

bool arg_uniform(const TorchArg *a) {
  if (!a) return true;
  if (a->ranks) return false;
  for (uint32_t k = 0; k < a->n; k++)
    if (!arg_uniform(&a->list[k])) return false;
  return true;
}

bool arg_int_at(const TorchArg *a, int64_t r, int64_t otherwise, int64_t *out) {
  if (a && a->ranks) a = &a->ranks[r];
  *out = !a || a->kind == TA_NONE ? otherwise : a->i;
  return !a || a->kind == TA_INT || a->kind == TA_NONE || a->kind == TA_BOOL;
}

bool arg_int(const TorchArg *a, int64_t otherwise, int64_t *out) {
  return (!a || !a->ranks) && arg_int_at(a, 0, otherwise, out);
}

bool arg_bool(const TorchArg *a, bool otherwise, bool *out) {
  int64_t i;
  if (!arg_int(a, otherwise, &i)) return false;
  *out = i != 0;
  return true;
}

bool arg_dim(const TorchArg *a, int64_t otherwise, uint32_t rank, uint32_t *out) {
  int64_t d;
  if (!arg_int(a, otherwise, &d)) return false;
  int64_t n = rank ? rank : 1;
  if (d < -n || d >= n) return false;
  *out = (uint32_t)(d < 0 ? d + n : d);
  return true;
}

bool arg_ints(const TorchArg *a, int64_t *out, uint32_t max, uint32_t *n) {
  if (!a || a->kind != TA_LIST || a->n > max || !arg_uniform(a)) return false;
  for (uint32_t k = 0; k < a->n; k++) {
    if (a->list[k].kind != TA_INT) return false;
    out[k] = a->list[k].i;
  }
  *n = a->n;
  return true;
}

bool arg_dims(const TorchArg *a, uint32_t rank, int64_t *out, uint32_t *n) {
  uint64_t set = 0;
  if (!arg_uniform(a) || rank > TORCH_MAX_RANK) return false;
  if (a && a->kind != TA_INT && a->kind != TA_LIST) return false;
  uint32_t len = a && a->kind == TA_LIST ? a->n : a ? 1 : 0, d;
  for (uint32_t k = 0; k < len; k++) {
    if (!arg_dim(a->kind == TA_LIST ? &a->list[k] : a, 0, rank, &d)) return false;
    set |= UINT64_C(1) << d;
  }
  if (!len) set = ~UINT64_C(0);
  *n = 0;
  for (d = 0; d < rank; d++)
    if (set >> d & 1) out[(*n)++] = d;
  return true;
}

/* PyTorch takes -1 for 255 where bytes are meant. */
static bool in_type(Rat x, DType t) {
  bool sign = dtype_kind(t) == DK_INT;
  Rat end = rat_pow(RAT_INT(2), dtype_bits(t) - sign);
  return rat_cmp(x, sign ? rat_neg(end) : RAT_0) >= 0 && rat_cmp(x, end) < 0;
}

/* Halves are computed with in single precision: a number that such an operator takes is one of that. */
static uint8_t precision(uint8_t dtype) { return dtype == DT_F64 || !dtype_is_float((DType)dtype) ? dtype : DT_F32; }

bool number_in(const TorchArg *a, uint8_t dtype, Rat *out) {
  if (!a || (a->kind != TA_INT && a->kind != TA_BOOL && a->kind != TA_FLOAT)) return false;
  *out = a->r;
  if (dtype == DT_PRED) return *out = a->r == RAT_0 ? RAT_0 : RAT_1, true;
  if (!rat_is_finite(a->r)) return dtype_is_float((DType)dtype) && a->r != RAT_NAN;
  if (!dtype_is_float((DType)dtype)) return rat_is_int(a->r) && in_type(a->r, (DType)dtype);
  return decimal_round(rat_to_double(a->r), NULL, (DType)precision(dtype), out) == DECIMAL_OK;
}

NodeId arg_scalar(Lower *l, const TorchArg *a, uint8_t dtype) {
  if (!a) return NO_NODE;
  if (a->kind == TA_TENSOR) {
    NodeId x = arg_tensor(l, a);
    return x != NO_NODE && node_of(l, x)->rank == 0 ? make_convert(l, x, dtype) : NO_NODE;
  }
  Rat *v = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  for (int64_t r = 0; r < l->p->n_ranks; r++)
    if (!number_in(a->ranks ? &a->ranks[r] : a, dtype, &v[r])) return NO_NODE;
  return make_convert(l, make_by_rank(l, precision(dtype), v), dtype);
}

NodeId arg_scalar_or(Lower *l, const TorchArg *a, Rat otherwise, uint8_t dtype) {
  TorchArg number = {.kind = TA_FLOAT, .r = otherwise};
  return arg_scalar(l, a ? a : &number, dtype);
}

NodeId arg_operand(Lower *l, const TorchArg *a, uint8_t dtype, uint32_t rank, const int64_t *dims) {
  Rat r;
  if (!a) return NO_NODE;
  if (a->kind == TA_TENSOR) return make_broadcast(l, make_convert(l, arg_tensor(l, a), dtype), rank, dims);
  if (a->ranks) return make_broadcast(l, arg_scalar(l, a, dtype), rank, dims);
  return number_in(a, dtype, &r) ? make_convert(l, make_splat(l, precision(dtype), rank, dims, r), dtype) : NO_NODE;
}
