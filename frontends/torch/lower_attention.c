/* Attention, [batch, head, position, feature], in all forms that PyTorch has: they differ in which results they keep
 * for the backward pass, and in how parameters are called.
 *
 * Scores are scaled, a mask is added (or chosen by, if it holds truth values), and a causal one counts positions from
 * the first of both; that of flash attention, which counts from the last, is known where there are as many.  Fewer heads
 * of keys than of queries stand for several each.  With dropout the result is unknown.
 */
#include <string.h>

#include "frontends/torch/lower.h"

typedef struct Attention {
  NodeId q, k, v, scale, scores;
  int64_t causal;
  uint32_t rank; /* of the operands: 3 without heads, 4 */
} Attention;

/* [batch, 1, position, feature] for operands without heads. */
static NodeId with_heads(Lower *l, const TorchArg *a) {
  NodeId x = arg_tensor(l, a);
  if (x == NO_NODE || node_of(l, x)->rank != 3) return x;
  const int64_t *d = node_of(l, x)->dims, dims[] = {d[0], 1, d[1], d[2]};
  return make_reshape(l, x, 4, dims);
}

static const TorchArg *either(const Lower *l, const char *one, const char *other) {
  const TorchArg *a = arg_named(l, one);
  return a ? a : arg_named(l, other);
}

static bool drops(const Lower *l) {
  const TorchArg *p = arg_named(l, "dropout_p");
  return (p && (p->ranks || p->r != RAT_0)) || arg_named(l, "dropout_mask");
}

static NodeId scale_of(Lower *l, const Node *q) {
  if (arg_named(l, "scale")) return arg_scalar(l, arg_named(l, "scale"), q->dtype);
  NodeId width = make_splat(l, q->dtype, 0, NULL, rat_int(q->dims[3]));
  return make(l, "rsqrt", q->dtype, 0, NULL, &width, 1, NULL, 0);
}

/* Counts the positions of a causal mask from the last. */
static bool counts_from_end(const Lower *l) {
  const char *op = sym_text(l->node->op), *flash = "aten._scaled_dot_product_flash_attention";
  return !strncmp(op, flash, strlen(flash)) && !strstr(op, "for_cpu");
}

/* Scores with the mask, [batch, head, query, key]; the causal mask is not applied yet. */
static bool scores(Lower *l, Attention *t) {
  bool causal;
  const TorchArg *mask = either(l, "attn_mask", "attn_bias");
  NodeId given = arg_tensor(l, arg_named(l, "query"));
  t->q = with_heads(l, arg_named(l, "query")), t->k = with_heads(l, arg_named(l, "key"));
  t->v = with_heads(l, arg_named(l, "value"));
  if (given == NO_NODE || t->q == NO_NODE || t->k == NO_NODE || t->v == NO_NODE || drops(l)) return false;
  t->rank = node_of(l, given)->rank;
  Node q = *node_of(l, t->q), k = *node_of(l, t->k), v = *node_of(l, t->v);
  if (q.rank != 4 || k.rank != 4 || v.rank != 4) return false;
  if (q.dims[0] != k.dims[0] || q.dims[3] != k.dims[3] || memcmp(k.dims, v.dims, 3 * sizeof *k.dims)) return false;
  if (!k.dims[1] || q.dims[1] % k.dims[1] || !arg_bool(arg_named(l, "is_causal"), false, &causal)) return false;
  int64_t dims[] = {q.dims[0], q.dims[1], q.dims[2], k.dims[2]};
  t->causal = causal;
  if (causal && q.dims[2] != k.dims[2] && counts_from_end(l)) return false;
  if ((t->scale = scale_of(l, &q)) == NO_NODE) return false;
  t->scores = make(l, "attention_scores", q.dtype, 4, dims, (NodeId[]){t->q, t->k, t->scale}, 3, NULL, 0);
  if (mask) {
    NodeId m = arg_tensor(l, mask);
    if (m == NO_NODE) return false;
    bool chosen = node_of(l, m)->dtype == DT_PRED;
    if (t->rank == 3 && node_of(l, m)->rank == 3) m = with_heads(l, mask);
    m = make_broadcast(l, chosen ? m : make_convert(l, m, q.dtype), 4, dims);
    NodeId choice[] = {m, t->scores, make_splat(l, q.dtype, 4, dims, RAT_NEG_INF)};
    t->scores = chosen ? make(l, "select", q.dtype, 4, dims, choice, 3, NULL, 0) : make_binary(l, "add", t->scores, m);
  }
  return t->scores != NO_NODE;
}

/* The text is what result 1 is: "logsumexp" of the scores, the "weights", or "" (there is none). */
LowerResult lower_attention(Lower *l) {
  Attention t;
  if (drops(l)) return lower_opaque(l, true);
  /* what is kept for dropout in the backward pass stays unknown */
  if (l->node->n_outs > 2 && lower_opaque(l, true) == LOWER_FAILED) return LOWER_FAILED;
  if (!scores(l, &t)) return LOWER_OPAQUE;
  Node s = *node_of(l, t.scores);
  if (t.causal) t.scores = make(l, "causal_mask", s.dtype, 4, s.dims, &t.scores, 1, NULL, 0);
  Attr last = attr_dim(l, "dimensions", 3);
  NodeId p = make(l, "softmax", s.dtype, 4, s.dims, &t.scores, 1, &last, 1), args[] = {p, t.v};
  if (l->node->n_outs > 1 && l->node->outs[1].tensor) {
    const TorchType *o = &l->node->outs[1];
    NodeId other = p;
    if (*l->text == 'l') other = make(l, "log_sum_exp", o->dtype, 3, s.dims, &t.scores, 1, &last, 1);
    if (*l->text == 'l' && o->rank && o->dims[o->rank - 1] == 0) /* it is not wanted */
      other = make_splat(l, o->dtype, o->rank, o->dims, RAT_0);
    if (!*l->text || (other = make_reshape(l, other, o->rank, o->dims)) == NO_NODE) return LOWER_OPAQUE;
    set_result(l, 1, other);
  }
  const TorchType *out = &l->node->outs[0];
  int64_t dims[] = {s.dims[0], s.dims[1], s.dims[2], node_of(l, t.v)->dims[3]};
  NodeId y = make(l, "attention_values", s.dtype, 4, dims, args, 2, NULL, 0);
  return done(l, make_convert(l, make_reshape(l, y, out->rank, out->dims), out->dtype));
}

/* From the saved output and logsumexp, as the kernel does.  The gradient of a mask is that of the scores. */
LowerResult lower_attention_backward(Lower *l) {
  Attention t;
  NodeId g = arg_tensor(l, either(l, "grad_out", "grad_out_")), out = arg_tensor(l, arg_named(l, "out"));
  NodeId lse = arg_tensor(l, arg_named(l, "logsumexp"));
  if (g == NO_NODE || out == NO_NODE || lse == NO_NODE || !scores(l, &t) || t.rank != 4 || l->node->n_outs < 3)
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
