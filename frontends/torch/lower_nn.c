/* Products of matrices, normalisation, attention. */
#include <string.h>

#include "frontends/torch/lower.h"

/* x @ y with equal leading dimensions. */
static NodeId matmul(Lower *l, NodeId x, NodeId y) {
  if (x == NO_NODE || y == NO_NODE) return NO_NODE;
  uint32_t n = node_of(l, x)->rank, m = node_of(l, y)->rank;
  if (n < 2 || n != m) return NO_NODE;
  return make_dot(l, x, y, n - 2, n - 1, n - 2);
}

LowerResult lower_matmul(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  if (x == NO_NODE || y == NO_NODE) return LOWER_OPAQUE;
  uint32_t n = node_of(l, x)->rank, m = node_of(l, y)->rank;
  if (n == m) return done(l, matmul(l, x, y));
  if (m == 2 && n > 2) return done(l, make_dot(l, x, y, 0, n - 1, 0));
  return LOWER_OPAQUE;
}

static NodeId scaled(Lower *l, NodeId x, const TorchArg *factor) {
  if (!factor || x == NO_NODE) return x;
  const Node *n = node_of(l, x);
  return make_binary(l, "multiply", x, arg_operand(l, factor, n->dtype, n->rank, n->dims));
}

/* beta * self + alpha * (x @ y); beta == 0 leaves self out, whatever it holds. */
LowerResult lower_addmm(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  NodeId p = scaled(l, matmul(l, arg_tensor(l, l->arg[1]), arg_tensor(l, l->arg[2])), l->arg[4]);
  if (p == NO_NODE || node_of(l, p)->rank != t->rank) return LOWER_OPAQUE;
  if (l->arg[3] && !l->arg[3]->ranks && l->arg[3]->r == RAT_0) return done(l, p);
  NodeId c = scaled(l, arg_operand(l, l->arg[0], t->dtype, t->rank, t->dims), l->arg[3]);
  return done(l, make_binary(l, "add", p, c));
}

LowerResult lower_linear(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  NodeId x = arg_tensor(l, l->arg[0]), w = arg_tensor(l, l->arg[1]);
  if (x == NO_NODE || w == NO_NODE || node_of(l, w)->rank != 2 || !node_of(l, x)->rank) return LOWER_OPAQUE;
  NodeId y = make_dot(l, x, w, 0, node_of(l, x)->rank - 1, 1);
  return done(l, l->arg[2] ? make_binary(l, "add", y, arg_operand(l, l->arg[2], t->dtype, t->rank, t->dims)) : y);
}

/* ------------------------------------------------------------------ normalisation: over the last dimensions */
static uint32_t normalized(Lower *l, NodeId x, const TorchArg *shape, int64_t *dims) {
  if (x == NO_NODE || !shape || shape->kind != TA_LIST || shape->n > node_of(l, x)->rank) return 0;
  for (uint32_t k = 0; k < shape->n; k++) dims[k] = node_of(l, x)->rank - shape->n + k;
  return shape->n;
}

/* A statistic of the rows: the normalised dimensions go, or stand with size 1 as the file says for result k. */
static NodeId statistic(Lower *l, const char *op, NodeId x, NodeId eps, const int64_t *dims, uint32_t n) {
  if (x == NO_NODE) return NO_NODE;
  Node in = *node_of(l, x);
  NodeId args[] = {x, eps};
  Attr a = attr_ints(l, "dimensions", dims, n);
  return make(l, op, in.dtype, in.rank - n, in.dims, args, eps == NO_NODE ? 1 : 2, &a, 1);
}

static NodeId mean(Lower *l, NodeId x, const int64_t *dims, uint32_t n) {
  return statistic(l, "reduce_mean", x, NO_NODE, dims, n);
}

static NodeId times(Lower *l, NodeId y, const TorchArg *w, const char *op) {
  if (!w || y == NO_NODE) return y;
  Node n = *node_of(l, y);
  return make_binary(l, op, y, arg_operand(l, w, n.dtype, n.rank, n.dims));
}

static void set_statistic(Lower *l, uint32_t k, NodeId id) {
  const TorchType *t = &l->node->outs[k];
  if (k < l->node->n_outs && t->tensor) set_result(l, k, make_reshape(l, id, t->rank, t->dims));
}

LowerResult lower_layer_norm(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), eps;
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = normalized(l, x, l->arg[1], dims);
  if (!n || (eps = arg_scalar(l, l->arg[4], node_of(l, x)->dtype)) == NO_NODE) return LOWER_OPAQUE;
  NodeId m = statistic(l, "reduce_mean", x, NO_NODE, dims, n), r = statistic(l, "layer_norm_scale", x, eps, dims, n);
  NodeId args[] = {x, m, r};
  Attr a = attr_ints(l, "dimensions", dims, n);
  NodeId y = make_out(l, 0, "layer_norm_rows", args, 3, &a, 1);
  set_statistic(l, 1, m);
  set_statistic(l, 2, r);
  return done(l, times(l, times(l, y, l->arg[2], "multiply"), l->arg[3], "add"));
}

/* Statistics as the forward pass saved them, without the dimensions of size 1. */
static NodeId saved(Lower *l, const TorchArg *a, NodeId x, uint32_t n) {
  Node in = *node_of(l, x);
  return make_reshape(l, arg_tensor(l, a), in.rank - n, in.dims);
}

/* Sum over the rows of result k, if it is wanted. */
static void set_sum(Lower *l, uint32_t k, NodeId x, uint32_t n) {
  if (k >= l->node->n_outs || !l->node->outs[k].tensor || x == NO_NODE) return;
  Node in = *node_of(l, x);
  int64_t rows[TORCH_MAX_RANK];
  for (uint32_t d = 0; d + n < in.rank; d++) rows[d] = d;
  Attr a = attr_ints(l, "dimensions", rows, in.rank - n);
  set_result(l, k, make(l, "reduce_sum", in.dtype, n, in.dims + in.rank - n, &x, 1, &a, 1));
}

static bool results_set(Lower *l) {
  for (uint32_t k = 0; k < l->node->n_outs; k++)
    if (l->node->outs[k].tensor && l->results.at[l->first[l->value] + k].node == NO_NODE) return false;
  return true;
}

LowerResult lower_layer_norm_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]), x = arg_tensor(l, l->arg[1]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = normalized(l, x, l->arg[2], dims);
  if (!n || g == NO_NODE || !l->arg[3] || !l->arg[4]) return LOWER_OPAQUE;
  Attr a = attr_ints(l, "dimensions", dims, n);
  NodeId m = saved(l, l->arg[3], x, n), r = saved(l, l->arg[4], x, n), rows[] = {x, m, r};
  NodeId h = make(l, "layer_norm_rows", node_of(l, x)->dtype, node_of(l, x)->rank, node_of(l, x)->dims, rows, 3, &a, 1);
  NodeId u = times(l, g, l->arg[5], "multiply"), uh = make_binary(l, "multiply", u, h);
  NodeId args[] = {u, h, r, mean(l, uh, dims, n), mean(l, u, dims, n)};
  if (l->node->outs[0].tensor) set_result(l, 0, make_out(l, 0, "layer_norm_backward", args, 5, &a, 1));
  set_sum(l, 1, make_binary(l, "multiply", g, h), n);
  set_sum(l, 2, g, n);
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}

LowerResult lower_rms_norm(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), eps;
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = normalized(l, x, l->arg[1], dims);
  static const TorchArg epsilon = {.kind = TA_FLOAT, .r = 0};
  TorchArg least = epsilon;
  least.r = rat_pow(RAT_INT(2), -23);
  if (!n || (eps = arg_scalar(l, l->arg[3] ? l->arg[3] : &least, node_of(l, x)->dtype)) == NO_NODE) return LOWER_OPAQUE;
  if (!l->arg[3] && node_of(l, x)->dtype != DT_F32) return LOWER_OPAQUE;
  NodeId r = statistic(l, "rms_norm_scale", x, eps, dims, n), args[] = {x, r};
  Attr a = attr_ints(l, "dimensions", dims, n);
  set_statistic(l, 1, r);
  return done(l, times(l, make_out(l, 0, "rms_norm_rows", args, 2, &a, 1), l->arg[2], "multiply"));
}

LowerResult lower_rms_norm_backward(Lower *l) {
  NodeId g = arg_tensor(l, l->arg[0]), x = arg_tensor(l, l->arg[1]);
  int64_t dims[TORCH_MAX_RANK];
  uint32_t n = normalized(l, x, l->arg[2], dims);
  if (!n || g == NO_NODE || !l->arg[3]) return LOWER_OPAQUE;
  Attr a = attr_ints(l, "dimensions", dims, n);
  NodeId r = saved(l, l->arg[3], x, n), rows[] = {x, r};
  NodeId h = make(l, "rms_norm_rows", node_of(l, x)->dtype, node_of(l, x)->rank, node_of(l, x)->dims, rows, 2, &a, 1);
  NodeId u = times(l, g, l->arg[4], "multiply"), args[] = {u, h, r, mean(l, make_binary(l, "multiply", u, h), dims, n)};
  if (l->node->outs[0].tensor) set_result(l, 0, make_out(l, 0, "rms_norm_backward", args, 4, &a, 1));
  set_sum(l, 1, make_binary(l, "multiply", g, h), n);
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}

/* ------------------------------------------------------------------ attention: [batch, head, position, feature] */
typedef struct Attention {
  NodeId q, k, v, scale, scores;
  int64_t causal;
} Attention;

/* Scores as they enter the softmax.  `first`: position of `query` among the parameters; the four behind `options` are
 * dropout_p, is_causal, attn_mask, scale. */
static bool scores(Lower *l, Attention *t, uint32_t first, uint32_t options) {
  bool causal;
  t->q = arg_tensor(l, l->arg[first]), t->k = arg_tensor(l, l->arg[first + 1]), t->v = arg_tensor(l, l->arg[first + 2]);
  if (t->q == NO_NODE || t->k == NO_NODE || t->v == NO_NODE) return false;
  Node q = *node_of(l, t->q), k = *node_of(l, t->k);
  const TorchArg *dropout = l->arg[options], *mask = l->arg[options + 2], *scale = l->arg[options + 3];
  if (q.rank != 4 || k.rank != 4 || node_of(l, t->v)->rank != 4 ||
      (dropout && (dropout->ranks || dropout->r != RAT_0))) return false;
  if (!k.dims[1] || q.dims[1] % k.dims[1] || !arg_bool(l->arg[options + 1], false, &causal)) return false;
  int64_t dims[] = {q.dims[0], q.dims[1], q.dims[2], k.dims[2]};
  t->causal = causal;
  t->scale = scale ? arg_scalar(l, scale, q.dtype) : NO_NODE;
  if (scale && t->scale == NO_NODE) return false;
  if (!scale) {
    NodeId width = make_splat(l, q.dtype, 0, NULL, rat_int(q.dims[3]));
    t->scale = make(l, "rsqrt", q.dtype, 0, NULL, &width, 1, NULL, 0);
  }
  NodeId args[] = {t->q, t->k, t->scale};
  t->scores = make(l, "attention_scores", q.dtype, 4, dims, args, 3, NULL, 0);
  if (mask) {
    NodeId m = arg_tensor(l, mask);
    if (m == NO_NODE || !dtype_is_float((DType)node_of(l, m)->dtype)) return false;
    t->scores = make_binary(l, "add", t->scores, make_broadcast(l, m, 4, dims));
  }
  return t->scores != NO_NODE;
}

LowerResult lower_attention(Lower *l) {
  Attention t;
  if (l->arg[3] && (l->arg[3]->ranks || l->arg[3]->r != RAT_0)) return lower_opaque(l, true); /* dropout */
  if (!scores(l, &t, 0, 3) || l->node->n_outs != 2) return LOWER_OPAQUE;
  const TorchType *o = &l->node->outs[1];
  Node s = *node_of(l, t.scores);
  if (t.causal) t.scores = make(l, "causal_mask", s.dtype, 4, s.dims, &t.scores, 1, NULL, 0);
  Attr last = attr_dim(l, "dimensions", 3);
  NodeId p = make(l, "softmax", s.dtype, 4, s.dims, &t.scores, 1, &last, 1), args[] = {p, t.v};
  NodeId lse = make(l, "log_sum_exp", o->dtype, 3, s.dims, &t.scores, 1, &last, 1);
  set_result(l, 1, make_reshape(l, lse, o->rank, o->dims));
  return done(l, make_out(l, 0, "attention_values", args, 2, NULL, 0));
}

/* From the saved output and logsumexp, as the kernel does. */
LowerResult lower_attention_backward(Lower *l) {
  Attention t;
  NodeId g = arg_tensor(l, l->arg[0]), out = arg_tensor(l, l->arg[4]), lse = arg_tensor(l, l->arg[5]);
  if (g == NO_NODE || out == NO_NODE || lse == NO_NODE || !scores(l, &t, 1, 6) || l->node->n_outs != 3)
    return LOWER_OPAQUE;
  Node s = *node_of(l, t.scores);
  if (node_of(l, lse)->rank != 3) return LOWER_OPAQUE;
  NodeId of_p[] = {t.scores, make_convert(l, lse, s.dtype)};
  Attr causal = attr_int("causal", t.causal);
  NodeId p = make(l, "attention_weights", s.dtype, 4, s.dims, of_p, 2, &causal, 1);
  NodeId of_s[] = {p, g, out, t.v, t.scale};
  NodeId ds = make(l, "attention_scores_backward", s.dtype, 4, s.dims, of_s, 5, NULL, 0);
  NodeId of_q[] = {ds, t.k}, of_k[] = {ds, t.q}, of_v[] = {p, g};
  if (l->node->outs[0].tensor) set_result(l, 0, make_out(l, 0, "attention_values", of_q, 2, NULL, 0));
  if (l->node->outs[1].tensor) set_result(l, 1, make_out(l, 1, "attention_backward", of_k, 2, NULL, 0));
  if (l->node->outs[2].tensor) set_result(l, 2, make_out(l, 2, "attention_backward", of_v, 2, NULL, 0));
  return results_set(l) ? LOWER_DONE : LOWER_OPAQUE;
}
