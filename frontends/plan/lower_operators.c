/* Operators of nnScaler's models that PyTorch has no operator for.  Dropout is the identity: copies of an operator drop
 * the same. */
#include <string.h>

#include "frontends/base/einsum.h"
#include "frontends/torch/lower.h"

static NodeId einsum(Lower *l, const char *text, NodeId x, NodeId y) {
  return einsum_compose(make_composer(l), &l->arena, text, (NodeId[]){x, y}, 2);
}

/* The tensor arguments 0 .. n-1, of these ranks. */
static bool operands(Lower *l, uint32_t n, const char *ranks, NodeId *out) {
  for (uint32_t k = 0; k < n; k++) {
    out[k] = arg_tensor(l, l->arg[k]);
    if (out[k] == NO_NODE || node_of(l, out[k])->rank != ranks[k] - '0') return false;
  }
  return true;
}

static int64_t size(const Lower *l, NodeId x, uint32_t d) { return node_of(l, x)->dims[d]; }

/* The parameter is no tensor, and does not matter: a chance of dropout, whether in training ("self.training"). */
static bool ignored(const Lower *l, const char *name) {
  const TorchArg *a = arg_named(l, name);
  return !a || a->kind == TA_INT || a->kind == TA_BOOL || a->kind == TA_FLOAT || a->kind == TA_STRING;
}

/* Whether the result has the size in dimension d that the operands give it: one repeats where the other has more. */
static bool is_repeated(const Lower *l, const NodeId *x, uint32_t d) {
  const TorchType *t = &l->node->outs[0];
  int64_t n = 1;
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t rank = x[k] == NO_NODE ? 0 : node_of(l, x[k])->rank;
    if (rank > t->rank) return false;
    if (d + rank >= t->rank && size(l, x[k], d + rank - t->rank) != 1) n = size(l, x[k], d + rank - t->rank);
  }
  return t->dims[d] == n;
}

/* Whether the plan says no other shape of an operator of two tensors, or of one and a number, than they give. */
static bool gives_shape(Lower *l) {
  NodeId x[2];
  for (uint32_t k = 0; k < 2; k++) {
    const TorchArg *a = l->arg[k];
    x[k] = a && a->kind == TA_TENSOR ? arg_tensor(l, a) : NO_NODE;
    if (a && a->kind == TA_TENSOR && x[k] == NO_NODE) return true;
  }
  for (uint32_t d = 0; d < l->node->outs[0].rank; d++)
    if (!is_repeated(l, x, d)) return lower_error(l, E_SHAPE, "its operands give dimension %u another size", d);
  return true;
}

LowerResult lower_plan_binary(Lower *l) { return gives_shape(l) ? lower_binary(l) : LOWER_FAILED; }

/* The dimensions that are summed are left out, or kept with size 1; a sum of all has one element. */
LowerResult lower_plan_reduce(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t over[TORCH_MAX_RANK];
  uint32_t n, rank = 0;
  bool keeps;
  if (x == NO_NODE || !arg_dims(l->arg[1], node_of(l, x)->rank, over, &n) || !arg_bool(l->arg[2], false, &keeps))
    return LOWER_OPAQUE;
  bool same = true, all = n == node_of(l, x)->rank && !keeps;
  for (uint32_t d = 0; same && d < node_of(l, x)->rank; d++) {
    bool gone = false;
    for (uint32_t k = 0; k < n; k++) gone |= over[k] == d;
    if (gone && !keeps) continue;
    same = rank < t->rank && t->dims[rank] == (gone ? 1 : size(l, x, d));
    rank++;
  }
  if (all ? t->rank > 1 || (t->rank && t->dims[0] != 1) : !same || rank != t->rank)
    return lower_error(l, E_SHAPE, "result 0 has not the shape that its operand and dimensions give it"), LOWER_FAILED;
  return lower_reduce(l);
}

/* alpha is mostly 1, and said. */
LowerResult lower_sum_of_two(Lower *l) {
  const TorchArg *a = l->arg[2];
  if (!gives_shape(l)) return LOWER_FAILED;
  if (a && !a->ranks && (a->kind == TA_INT || a->kind == TA_FLOAT) && a->r == RAT_1) l->arg[2] = NULL;
  return lower_add(l);
}

LowerResult lower_unless_inplace(Lower *l) {
  bool inplace;
  if (!arg_bool(arg_named(l, "inplace"), false, &inplace) || inplace || !ignored(l, "p") || !ignored(l, "training"))
    return LOWER_OPAQUE;
  return *l->text ? lower_unary(l) : lower_same(l);
}

/* A type may come as its name. */
LowerResult lower_plan_to(Lower *l) {
  static const struct { const char *name; DType type; } names[] = {
      {"torch.float32", DT_F32}, {"torch.float64", DT_F64}, {"torch.float16", DT_F16}, {"torch.bfloat16", DT_BF16}};
  const TorchArg *a = l->arg[1];
  for (size_t k = 0; a && a->kind == TA_STRING && k < sizeof names / sizeof *names; k++)
    if (!a->ranks && !strcmp(sym_text(a->s), names[k].name) && l->node->outs[0].dtype == names[k].type) l->arg[1] = NULL;
  return lower_to(l);
}

LowerResult lower_view(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n, open = 0;
  if (!arg_ints(l->arg[1], dims, TORCH_MAX_RANK, &n) || n != t->rank) return LOWER_OPAQUE;
  for (uint32_t d = 0; d < n; d++) {
    open += dims[d] == -1;
    if (dims[d] != -1 && dims[d] != t->dims[d]) return LOWER_OPAQUE;
  }
  return open > 1 ? LOWER_OPAQUE : lower_reshape(l);
}

LowerResult lower_multiref(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t n;
  if (x == NO_NODE || !arg_int(l->arg[1], l->node->n_outs, &n)) return LOWER_OPAQUE;
  if (n != l->node->n_outs)
    return lower_error(l, E_SHAPE, "it makes %lld results, and has %u", (long long)n, l->node->n_outs), LOWER_FAILED;
  for (uint32_t k = 0; k < l->node->n_outs; k++) set_result(l, k, x);
  return LOWER_DONE;
}

LowerResult lower_alias(Lower *l) { return done(l, compose_unary(make_composer(l), "copy", arg_tensor(l, l->arg[0]))); }

/* input weight normalized_shape bias eps: as PyTorch has it, with the parameters in another order. */
LowerResult lower_plan_layer_norm(Lower *l) {
  const TorchArg *w = l->arg[1], *b = l->arg[2], *shape = l->arg[3];
  NodeId x = arg_tensor(l, l->arg[0]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n;
  if (x == NO_NODE || !arg_ints(shape, dims, TORCH_MAX_RANK, &n) || n > node_of(l, x)->rank) return LOWER_OPAQUE;
  for (uint32_t k = 0; k < n; k++)
    if (dims[k] != size(l, x, node_of(l, x)->rank - n + k)) return LOWER_OPAQUE;
  l->arg[1] = shape, l->arg[2] = w, l->arg[3] = b;
  return lower_layer_norm(l);
}

/* from <= x < to: 1, elsewhere 0. */
static NodeId within(Lower *l, NodeId x, NodeId from, NodeId to) {
  if (x == NO_NODE) return NO_NODE;
  Node n = *node_of(l, x);
  Attr ge = attr_sym("direction", "GE"), lt = attr_sym("direction", "LT");
  NodeId low[] = {x, make_broadcast(l, from, n.rank, n.dims)}, high[] = {x, make_broadcast(l, to, n.rank, n.dims)};
  NodeId both[] = {make(l, "compare", DT_PRED, n.rank, n.dims, low, 2, &ge, 1),
                   make(l, "compare", DT_PRED, n.rank, n.dims, high, 2, &lt, 1)};
  return make(l, "and", DT_PRED, n.rank, n.dims, both, 2, NULL, 0);
}

/* x as the mask has it, at values of the last dimension together; 0 elsewhere. */
static NodeId where(Lower *l, NodeId mask, NodeId x) {
  if (mask == NO_NODE || x == NO_NODE) return NO_NODE;
  Node n = *node_of(l, x);
  int64_t dims[TORCH_MAX_RANK];
  memcpy(dims, n.dims, n.rank * sizeof *dims);
  if (node_of(l, mask)->rank < n.rank) {
    dims[n.rank - 1] = 1;
    mask = make_reshape(l, mask, n.rank, dims);
  }
  NodeId v[] = {make_broadcast(l, mask, n.rank, n.dims), x, make_splat(l, n.dtype, n.rank, n.dims, RAT_0)};
  return make(l, "select", n.dtype, n.rank, n.dims, v, 3, NULL, 0);
}

/* The rows [start, stop) of a larger table: row ids - start; 0 for other ids. */
LowerResult lower_part_embedding(Lower *l) {
  NodeId v[2], from, to;
  bool found = operands(l, 1, "2", v) || operands(l, 1, "1", v);
  v[1] = arg_tensor(l, l->arg[1]);
  if (!found || v[1] == NO_NODE || node_of(l, v[1])->rank != 2 || l->arg[2]) return LOWER_OPAQUE;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    int64_t start, stop;
    if (!arg_int_at(l->arg[3], r, 0, &start) || !arg_int_at(l->arg[4], r, size(l, v[1], 0), &stop) ||
        stop - start != size(l, v[1], 0))
      return LOWER_OPAQUE;
  }
  uint8_t t = node_of(l, v[0])->dtype;
  Node ids = *node_of(l, v[0]);
  from = arg_scalar_or(l, l->arg[3], RAT_0, t);
  to = arg_scalar_or(l, l->arg[4], rat_int(size(l, v[1], 0)), t);
  NodeId mask = within(l, v[0], from, to);
  NodeId own = make_binary(l, "subtract", v[0], make_broadcast(l, from, ids.rank, ids.dims));
  NodeId row = make_out(l, 0, "embedding", (NodeId[]){v[1], own}, 2, NULL, 0);
  return done(l, where(l, mask, row));
}

/* Pairs of the last dimension of x [batch, position, head, dim] as complex numbers, times those of the position. */
static NodeId rotated(Lower *l, NodeId x, NodeId table) {
  Node n = *node_of(l, x);
  int64_t dims[] = {n.dims[0], n.dims[1], n.dims[2], n.dims[3] / 2, 2}, own[] = {1, n.dims[1], 1, n.dims[3] / 2, 2};
  if (size(l, table, 0) != n.dims[1] || 2 * size(l, table, 1) != n.dims[3]) return NO_NODE;
  NodeId y = make_broadcast(l, make_reshape(l, table, 5, own), 5, dims);
  return make_reshape(l, make_binary(l, "complex_multiply", make_reshape(l, x, 5, dims), y), n.rank, n.dims);
}

LowerResult lower_rotary(Lower *l) {
  NodeId v[3];
  if (!operands(l, 3, "443", v) || arg_complex(l, l->arg[0]) || arg_complex(l, l->arg[1]) || !arg_complex(l, l->arg[2]) ||
      l->node->n_outs != 2)
    return LOWER_OPAQUE;
  for (uint32_t k = 0; k < 2; k++) {
    NodeId y = rotated(l, v[k], v[2]);
    if (y == NO_NODE) return LOWER_OPAQUE;
    set_result(l, k, y);
  }
  return LOWER_DONE;
}

/* -inf above the diagonal of the last two dimensions. */
LowerResult lower_create_mask(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  NodeId tokens = arg_tensor(l, l->arg[0]);
  if (tokens == NO_NODE || node_of(l, tokens)->rank != 2 || t->rank != 4) return LOWER_OPAQUE;
  int64_t n = size(l, tokens, 1), all[] = {1, 1, n, n};
  NodeId v[] = {make_splat(l, t->dtype, 2, (int64_t[]){n, n}, RAT_NEG_INF), make_splat(l, DT_S64, 0, NULL, RAT_1)};
  NodeId x = make(l, "upper_triangle", t->dtype, 2, (int64_t[]){n, n}, v, 2, NULL, 0);
  return done(l, make_reshape(l, x, 4, all));
}

/* ---- mixtures of experts */
/* x where the group of its column is one of the `keep` with the greatest maximum, elsewhere -inf. */
static NodeId best_groups(Lower *l, NodeId x, int64_t groups, int64_t keep) {
  uint8_t t = node_of(l, x)->dtype;
  int64_t n = size(l, x, 0), m = size(l, x, 1), last = 2;
  int64_t parts[] = {n, groups, m / groups}, best[] = {n, keep}, all[] = {n, groups}, along = 1, over[] = {0, 1};
  NodeId y = make_reduce(l, "reduce_max", t, make_reshape(l, x, 3, parts), &last, 1, NULL, 0);
  Attr a[] = {attr_int("k", keep), attr_int("largest", 1), attr_int("any_place", 1), attr_int("any_order", 1)};
  NodeId places = make(l, "topk", DT_S64, 2, best, &y, 1, a, keep > 1 ? 4 : 3);
  if (places == NO_NODE) return NO_NODE;
  l->g->nodes.at[places].result = 1;
  Attr to = attr_list("dimensions", &along, 1), leading = attr_list("dimensions", over, 2);
  NodeId kept[] = {make_splat(l, DT_PRED, 2, all, RAT_0), places, make_splat(l, DT_PRED, 0, NULL, RAT_1)};
  NodeId mask = make(l, "fill_along", DT_PRED, 2, all, kept, 3, &to, 1);
  mask = make_reshape(l, make(l, "broadcast", DT_PRED, 3, parts, &mask, 1, &leading, 1), 2, (int64_t[]){n, m});
  NodeId v[] = {mask, x, make_splat(l, t, 2, (int64_t[]){n, m}, RAT_NEG_INF)};
  return make(l, "select", t, 2, (int64_t[]){n, m}, v, 3, NULL, 0);
}

/* x weight -> weights of the chosen experts, and which they are. */
LowerResult lower_gate(Lower *l) {
  const TorchArg *score = l->arg[2];
  NodeId v[2];
  int64_t groups, keep, k, along = 1;
  if (!operands(l, 2, "22", v) || !score || score->kind != TA_STRING || score->ranks || l->arg[3] ||
      l->node->n_outs != 2 || !arg_int(l->arg[4], 1, &groups) || !arg_int(l->arg[5], 1, &keep) ||
      !arg_int(l->arg[6], 0, &k))
    return LOWER_OPAQUE;
  bool sigmoid = !strcmp(sym_text(score->s), "sigmoid");
  int64_t n = size(l, v[1], 0), chosen[] = {size(l, v[0], 0), k};
  uint8_t t = node_of(l, v[0])->dtype;
  if ((!sigmoid && strcmp(sym_text(score->s), "softmax")) || k < 1 || k > n || groups < 1 || n % groups || keep < 1 ||
      keep > groups)
    return LOWER_OPAQUE;
  Attr on = attr_list("dimensions", &along, 1);
  NodeId x = make_dot(l, v[0], v[1], 0, 1, 1);
  if (x == NO_NODE) return LOWER_OPAQUE;
  NodeId s = sigmoid ? compose_unary(make_composer(l), "logistic", x)
                     : make(l, "softmax", t, 2, (int64_t[]){chosen[0], n}, &x, 1, &on, 1);
  NodeId ranked = groups > 1 ? best_groups(l, s, groups, keep) : s;
  Attr a[] = {attr_int("k", k), attr_int("largest", 1), attr_int("any_place", 1), attr_int("any_order", 1)};
  NodeId places = make(l, "topk", DT_S64, 2, chosen, &ranked, 1, a, k > 1 ? 4 : 3);
  if (places == NO_NODE) return LOWER_OPAQUE;
  l->g->nodes.at[places].result = 1;
  NodeId w = make(l, "take_along", t, 2, chosen, (NodeId[]){s, places}, 2, &on, 1);
  if (sigmoid) {
    NodeId sum = make_reshape(l, make_reduce(l, "reduce_sum", t, w, &along, 1, NULL, 0), 2, (int64_t[]){chosen[0], 1});
    w = make_binary(l, "divide", w, make_broadcast(l, sum, 2, chosen));
  }
  NodeId scale = arg_scalar_or(l, l->arg[7], RAT_1, t);
  w = make_binary(l, "multiply", w, make_broadcast(l, scale, 2, chosen));
  if (w == NO_NODE) return LOWER_OPAQUE;
  set_result(l, 1, make_convert(l, places, l->node->outs[1].dtype));
  return done(l, w);
}

/* How much expert start + e < end weighs at each row: [row, e]. */
static NodeId expert_weights(Lower *l, NodeId idx, NodeId p, NodeId start, NodeId end, int64_t experts) {
  Node n = *node_of(l, idx), m = *node_of(l, p);
  int64_t dims[] = {n.dims[0], n.dims[1], experts}, column[] = {n.dims[0], n.dims[1], 1}, choice = 1;
  if (m.dims[0] != n.dims[0] || m.dims[1] != n.dims[1]) return NO_NODE;
  NodeId from[] = {make_convert(l, start, n.dtype), make_splat(l, n.dtype, 0, NULL, RAT_1)};
  NodeId e = make(l, "arange", n.dtype, 1, &experts, from, 2, NULL, 0);
  Attr eq = attr_sym("direction", "EQ");
  NodeId v[] = {make_broadcast(l, make_reshape(l, idx, 3, column), 3, dims), make_broadcast(l, e, 3, dims)};
  NodeId is = make(l, "compare", DT_PRED, 3, dims, v, 2, &eq, 1);
  if (end != NO_NODE) {
    NodeId own = within(l, v[1], from[0], make_convert(l, end, n.dtype));
    is = make(l, "and", DT_PRED, 3, dims, (NodeId[]){is, own}, 2, NULL, 0);
  }
  NodeId x[] = {is, make_broadcast(l, make_reshape(l, p, 3, column), 3, dims), make_splat(l, m.dtype, 3, dims, RAT_0)};
  return make_reduce(l, "reduce_sum", m.dtype, make(l, "select", m.dtype, 3, dims, x, 3, NULL, 0), &choice, 1, NULL, 0);
}

/* Every local expert at every row, weighed: 0 where it was not chosen. */
LowerResult lower_experts(Lower *l) {
  NodeId v[6];
  if (!operands(l, 6, "222333", v)) return LOWER_OPAQUE;
  int64_t n = size(l, v[3], 0);
  bool all = true;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    int64_t start, end;
    if (!l->arg[7] || !l->arg[8] || !arg_int_at(l->arg[7], r, 0, &start) || !arg_int_at(l->arg[8], r, 0, &end) ||
        end - start > n)
      return LOWER_OPAQUE;
    all &= end - start == n;
  }
  NodeId end = all ? NO_NODE : arg_scalar(l, l->arg[8], DT_S64);
  NodeId p = expert_weights(l, v[1], v[2], arg_scalar(l, l->arg[7], DT_S64), end, n);
  NodeId x = compose_unary(make_composer(l), "silu", einsum(l, "th,edh->ted", v[0], v[3]));
  x = make_binary(l, "multiply", x, einsum(l, "th,edh->ted", v[0], v[4]));
  if (p == NO_NODE || x == NO_NODE) return LOWER_OPAQUE;
  Node m = *node_of(l, x);
  int64_t column[] = {m.dims[0], m.dims[1], 1};
  x = make_binary(l, "multiply", x, make_broadcast(l, make_reshape(l, p, 3, column), 3, m.dims));
  return done(l, einsum(l, "ted,ehd->th", x, v[5]));
}

/* ---- GPT */
static NodeId with_bias(Lower *l, NodeId x, NodeId bias) {
  if (x == NO_NODE) return NO_NODE;
  Node n = *node_of(l, x);
  return make_binary(l, "add", x, make_broadcast(l, bias, n.rank, n.dims));
}

/* -10000 above the diagonal. */
static NodeId masked(Lower *l, NodeId x) {
  if (x == NO_NODE) return NO_NODE;
  Node n = *node_of(l, x);
  int64_t dims[] = {n.dims[2], n.dims[3]};
  NodeId ones[] = {make_splat(l, n.dtype, 2, dims, RAT_1), make_splat(l, DT_S64, 0, NULL, RAT_1)};
  NodeId above = make_convert(l, make(l, "upper_triangle", n.dtype, 2, dims, ones, 2, NULL, 0), DT_PRED);
  NodeId v[] = {make_broadcast(l, above, n.rank, n.dims), make_splat(l, n.dtype, n.rank, n.dims, RAT_INT(-10000)), x};
  return make(l, "select", n.dtype, n.rank, n.dims, v, 3, NULL, 0);
}

/* Rows of the first projection are head, dimension, and q, k or v, in this order. */
LowerResult lower_self_attention(Lower *l) {
  NodeId v[4], part[3];
  int64_t h, last = 3;
  bool mask;
  if (!operands(l, 4, "3212", v) || !arg_int(l->arg[4], 0, &h) || h < 1 || !arg_bool(l->arg[7], false, &mask) ||
      !ignored(l, "dropout_p") || !l->arg[5])
    return LOWER_OPAQUE;
  uint8_t t = node_of(l, v[0])->dtype;
  int64_t length = size(l, v[0], 0), batch = size(l, v[0], 1), rows = size(l, v[1], 0), d = rows / (3 * h);
  if (d * 3 * h != rows) return lower_error(l, E_SHAPE, "%lld rows are not 3 * %lld heads", (long long)rows, (long long)h),
                                LOWER_FAILED;
  int64_t all[] = {length, batch, h, d, 3};
  NodeId x = make_reshape(l, with_bias(l, einsum(l, "lne,fe->lnf", v[0], v[1]), v[2]), 5, all);
  for (int64_t k = 0; k < 3; k++)
    part[k] = make_reshape(l, compose_slice(make_composer(l), x, 4, k, 1, 1), 4, all);
  NodeId q = part[0], scale = arg_scalar(l, l->arg[5], t);
  q = make_binary(l, "multiply", q, make_broadcast(l, scale, 4, all));
  x = einsum(l, "lnhd,mnhd->nhlm", q, part[1]);
  if (mask) x = masked(l, x);
  if (x == NO_NODE) return LOWER_OPAQUE;
  Node s = *node_of(l, x);
  Attr on = attr_list("dimensions", &last, 1);
  x = make(l, "softmax", t, s.rank, s.dims, &x, 1, &on, 1);
  x = einsum(l, "nhlm,mnhd->lnhd", x, part[2]);
  x = make_reshape(l, x, 3, (int64_t[]){length, batch, h * d});
  return done(l, einsum(l, "lnf,ef->lne", x, v[3]));
}

LowerResult lower_feedforward(Lower *l) {
  NodeId v[4];
  if (!operands(l, 4, "3212", v) || !ignored(l, "dropout") || !ignored(l, "is_training")) return LOWER_OPAQUE;
  NodeId x = with_bias(l, einsum(l, "lne,he->lnh", v[0], v[1]), v[2]);
  return done(l, einsum(l, "lnh,eh->lne", compose_unary(make_composer(l), "gelu", x), v[3]));
}
