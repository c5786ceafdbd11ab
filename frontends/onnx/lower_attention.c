/* Attention and rotary positions, of ONNX (operator sets 23 and later) and of ONNX Runtime.
 *
 * All forms come down to tensors [batch, heads, positions, features]; heads of queries that share one of keys are
 * neighbours.  What depends on lengths that are data (caches, padded keys) stays unknown, and so does what ONNX Runtime
 * hides with a large negative number (unidirectional). */
#include <math.h>
#include <string.h>

#include "frontends/onnx/lower.h"

/* [b, s, heads * d] as [b, heads, s, d]; [b, heads, s, d] as it is. */
static NodeId split_heads(OnnxLower *l, NodeId x, int64_t heads) {
  if (x == NO_NODE) return NO_NODE;
  const Node n = *onnx_node(l, x);
  if (n.rank == 4) return x;
  if (n.rank != 3 || heads < 1 || n.dims[2] % heads) return NO_NODE;
  x = compose_reshape(&l->c, x, 4, (int64_t[]){n.dims[0], n.dims[1], heads, n.dims[2] / heads});
  return compose_transpose(&l->c, x, (int64_t[]){0, 2, 1, 3});
}

static NodeId join_heads(OnnxLower *l, NodeId x) {
  if (x == NO_NODE) return NO_NODE;
  x = compose_transpose(&l->c, x, (int64_t[]){0, 2, 1, 3});
  if (x == NO_NODE) return NO_NODE;
  const Node n = *onnx_node(l, x);
  return compose_reshape(&l->c, x, 3, (int64_t[]){n.dims[0], n.dims[1], n.dims[2] * n.dims[3]});
}

/* Attention as it is computed: scores, mask, weights, values. */
typedef struct Attend {
  NodeId q, k, v; /* [b, h, s, d]; k and v have as many heads, or fewer */
  NodeId bias;    /* added to the scores, or (truth values) which of them count; or NO_NODE */
  double scale;   /* 0: one over the root of d */
  bool causal;
} Attend;

static NodeId masked(OnnxLower *l, NodeId scores, const Attend *a) {
  const Node n = *onnx_node(l, scores);
  if (a->causal) {
    if (n.dims[2] != n.dims[3]) return NO_NODE;
    scores = compose_unary(&l->c, "causal_mask", scores);
  }
  if (a->bias == NO_NODE) return scores;
  if (onnx_node(l, a->bias)->dtype != DT_PRED) return onnx_two(l, "add", scores, a->bias);
  NodeId v[] = {compose_broadcast(&l->c, a->bias, 4, n.dims), scores,
                compose_splat(&l->c, n.dtype, 4, n.dims, RAT_NEG_INF)};
  return compose(&l->c, "select", n.dtype, 4, n.dims, v, 3, NULL, 0);
}

/* The scale is that of the file; one over a root is written as such. */
static NodeId scale_node(OnnxLower *l, double scale, int64_t d) {
  if (scale != 0) return onnx_scalar(l, scale);
  return compose_unary(&l->c, "rsqrt", compose_splat(&l->c, DT_F32, 0, NULL, rat_int(d)));
}

static NodeId attend(OnnxLower *l, const Attend *a) {
  if (a->q == NO_NODE || a->k == NO_NODE || a->v == NO_NODE) return NO_NODE;
  const Node q = *onnx_node(l, a->q), k = *onnx_node(l, a->k), v = *onnx_node(l, a->v);
  if (q.rank != 4 || k.rank != 4 || v.rank != 4 || !k.dims[1] || q.dims[1] % k.dims[1] || k.dims[1] != v.dims[1] ||
      q.dims[0] != k.dims[0] || k.dims[0] != v.dims[0] || k.dims[2] != v.dims[2] || q.dims[3] != k.dims[3])
    return NO_NODE;
  int64_t dims[] = {q.dims[0], q.dims[1], q.dims[2], k.dims[2]}, last = 3;
  NodeId x = compose(&l->c, "attention_scores", q.dtype, 4, dims,
                     (NodeId[]){a->q, a->k, scale_node(l, a->scale, q.dims[3])}, 3, NULL, 0);
  if (x == NO_NODE || (x = masked(l, x, a)) == NO_NODE) return NO_NODE;
  Attr over = attr_list("dimensions", &last, 1);
  x = compose(&l->c, "softmax", q.dtype, 4, dims, &x, 1, &over, 1);
  dims[3] = v.dims[3];
  return compose(&l->c, "attention_values", q.dtype, 4, dims, (NodeId[]){x, a->v}, 2, NULL, 0);
}

static bool scale_of(const OnnxLower *l, uint32_t k, double *out) {
  *out = onnx_has(l, k) ? l->attr[k].f : 0;
  return !onnx_has(l, k) || (l->attr[k].kind == ONNX_FLOAT && isfinite(*out) && *out != 0);
}

/* q_num_heads kv_num_heads scale is_causal softmax_precision; query, key, value, mask.  Caches, softcap and the scores
 * as a result are not read. */
OnnxResult onnx_attention(OnnxLower *l) {
  int64_t heads, kv, causal, precision;
  Attend a = {.bias = onnx_in(l, 3)};
  if (!onnx_attr_int(l, 0, 0, &heads) || !onnx_attr_int(l, 1, 0, &kv) || !scale_of(l, 2, &a.scale) ||
      !onnx_attr_int(l, 3, 0, &causal) || !onnx_attr_int(l, 4, 0, &precision) || l->n_out != 1)
    return ONNX_OPAQUE;
  bool flat = onnx_node(l, l->in[0])->rank == 3;
  a.q = split_heads(l, l->in[0], heads), a.k = split_heads(l, l->in[1], kv), a.v = split_heads(l, l->in[2], kv);
  a.causal = causal != 0;
  NodeId y = attend(l, &a);
  return onnx_done(l, flat ? join_heads(l, y) : y);
}

/* Columns k * size .. of the last dimension. */
static NodeId part(OnnxLower *l, NodeId x, int64_t start, int64_t size) {
  return x == NO_NODE ? NO_NODE : compose_slice(&l->c, x, onnx_node(l, x)->rank - 1u, start, size, 1);
}

/* Of ONNX Runtime: num_heads scale unidirectional mask_filter_value; query, key, value, bias, padding, added to scores.
 */
OnnxResult onnx_multi_head(OnnxLower *l) {
  int64_t heads, causal;
  NodeId v[3] = {onnx_in(l, 0), onnx_in(l, 1), onnx_in(l, 2)}, bias = onnx_in(l, 3);
  Attend a = {.bias = onnx_in(l, 5)};
  if (!onnx_attr_int(l, 0, 0, &heads) || !scale_of(l, 1, &a.scale) || !onnx_attr_int(l, 2, 0, &causal) || causal ||
      l->n_out != 1 || onnx_in(l, 4) != NO_NODE || onnx_node(l, v[0])->rank != 3)
    return ONNX_OPAQUE;
  int64_t at = 0;
  for (uint32_t k = 0; k < 3 && bias != NO_NODE; k++) {
    const Node n = *onnx_node(l, v[k]);
    if (n.rank != 3 && n.rank != 4) return ONNX_OPAQUE;
    int64_t size = n.rank == 3 ? n.dims[2] : n.dims[1] * n.dims[3];
    NodeId b = part(l, bias, at, size);
    at += size;
    if (n.rank == 4) b = compose_reshape(&l->c, b, 3, (int64_t[]){n.dims[1], 1, n.dims[3]});
    if (b == NO_NODE || (v[k] = onnx_two(l, "add", v[k], b)) == NO_NODE) return ONNX_OPAQUE;
  }
  a.q = split_heads(l, v[0], heads), a.k = split_heads(l, v[1], heads), a.v = split_heads(l, v[2], heads);
  return onnx_done(l, join_heads(l, attend(l, &a)));
}

/* Of ONNX Runtime: num_heads scale unidirectional qkv_hidden_sizes mask_filter_value; x, packed weight and bias, mask,
 * cache, added to scores. */
OnnxResult onnx_packed_attention(OnnxLower *l) {
  NodeId x = onnx_in(l, 0), weight = onnx_in(l, 1), v[3];
  int64_t heads, causal, size[3], at = 0;
  uint32_t n = 3;
  Attend a = {.bias = onnx_in(l, 5)};
  if (!onnx_attr_int(l, 0, 0, &heads) || !scale_of(l, 1, &a.scale) || !onnx_attr_int(l, 2, 0, &causal) || causal ||
      l->n_out != 1 || onnx_in(l, 3) != NO_NODE || onnx_in(l, 4) != NO_NODE || onnx_node(l, x)->rank != 3 ||
      onnx_node(l, weight)->rank != 2)
    return ONNX_OPAQUE;
  for (uint32_t k = 0; k < 3; k++) size[k] = onnx_node(l, weight)->dims[1] / 3;
  if (onnx_has(l, 3) && (!onnx_attr_ints(l, 3, size, 3, &n) || n != 3)) return ONNX_OPAQUE;
  NodeId y = compose_dot(&l->c, x, weight, 0, 2, 0);
  if (y != NO_NODE && onnx_in(l, 2) != NO_NODE) y = onnx_two(l, "add", y, l->in[2]);
  for (uint32_t k = 0; k < 3; k++) {
    v[k] = split_heads(l, part(l, y, at, size[k]), heads);
    at += size[k];
  }
  if (at != onnx_node(l, weight)->dims[1]) return ONNX_OPAQUE;
  a.q = v[0], a.k = v[1], a.v = v[2];
  return onnx_done(l, join_heads(l, attend(l, &a)));
}

/* ---- rotary positions */
/* A table over positions, as [b or 1, 1, s, d / 2]: rows that the positions choose, or given for each. */
static NodeId rows_of(OnnxLower *l, NodeId table, NodeId positions, int64_t s) {
  if (positions != NO_NODE && onnx_node(l, positions)->rank == 1) { /* where they begin */
    Attr first = attr_int("iota_dimension", 0);
    NodeId i = compose(&l->c, "iota", onnx_node(l, positions)->dtype, 1, &s, NULL, 0, &first, 1);
    positions = onnx_two(l, "add", i, positions);
    if (positions == NO_NODE || onnx_node(l, positions)->dims[0] != s) return NO_NODE;
    positions = compose_reshape(&l->c, positions, 2, (int64_t[]){1, s});
  }
  const Node t = *onnx_node(l, table);
  if (positions != NO_NODE) {
    const Node p = *onnx_node(l, positions);
    int64_t first = 0, places[] = {0, 1};
    if (p.rank != 2 || t.rank != 2 || p.dims[1] != s) return NO_NODE;
    Attr a[] = {attr_list("first", &first, 1), attr_list("index_dims", places, 2)};
    table = compose(&l->c, "take_1", t.dtype, 3, (int64_t[]){p.dims[0], s, t.dims[1]}, (NodeId[]){table, positions}, 2,
                    a, 2);
  }
  const Node r = *onnx_node(l, table);
  return r.rank == 3 && r.dims[1] == s ? compose_reshape(&l->c, table, 4, (int64_t[]){r.dims[0], 1, s, r.dims[2]})
                                       : NO_NODE;
}

/* Pairs of features as a dimension of their own, last; the reverse. */
static NodeId pairs(OnnxLower *l, NodeId x, bool interleaved) {
  const Node n = *onnx_node(l, x);
  int64_t half = n.dims[3] / 2;
  int64_t apart[] = {n.dims[0], n.dims[1], n.dims[2], interleaved ? half : 2, interleaved ? 2 : half};
  x = compose_reshape(&l->c, x, 5, apart);
  return interleaved ? x : compose_transpose(&l->c, x, (int64_t[]){0, 1, 2, 4, 3});
}

static NodeId rotated(OnnxLower *l, NodeId x, NodeId cosine, NodeId sine, bool interleaved) {
  const Node n = *onnx_node(l, x);
  if (n.dims[3] % 2) return NO_NODE;
  NodeId p = pairs(l, x, interleaved), v[2], out[2], first;
  int64_t flat[] = {n.dims[0], n.dims[1], n.dims[2], n.dims[3] / 2}, one[] = {flat[0], flat[1], flat[2], flat[3], 1};
  for (uint32_t k = 0; k < 2; k++) v[k] = compose_reshape(&l->c, compose_slice(&l->c, p, 4, k, 1, 1), 4, flat);
  first = onnx_two(l, "multiply", v[0], cosine);
  out[0] = onnx_two(l, "subtract", first, onnx_two(l, "multiply", v[1], sine));
  first = onnx_two(l, "multiply", v[0], sine);
  out[1] = onnx_two(l, "add", first, onnx_two(l, "multiply", v[1], cosine));
  for (uint32_t k = 0; k < 2; k++) out[k] = compose_reshape(&l->c, out[k], 5, one);
  p = compose_concatenate(&l->c, out, 2, 4);
  if (p != NO_NODE && !interleaved) p = compose_transpose(&l->c, p, (int64_t[]){0, 1, 2, 4, 3});
  return compose_reshape(&l->c, p, 4, n.dims);
}

/* interleaved num_heads rotary_embedding_dim; x, and the tables and positions in the order of ONNX, or of ONNX Runtime.
 */
OnnxResult onnx_rotary(OnnxLower *l) {
  bool runtime = *l->text == 'r';
  NodeId x = onnx_in(l, 0), positions = onnx_in(l, runtime ? 1 : 3), cosine = onnx_in(l, runtime ? 2 : 1),
         sine = onnx_in(l, runtime ? 3 : 2);
  int64_t interleaved, heads, some;
  if (!onnx_attr_int(l, 0, 0, &interleaved) || !onnx_attr_int(l, 1, 0, &heads) || !onnx_attr_int(l, 2, 0, &some))
    return ONNX_OPAQUE;
  bool flat = onnx_node(l, x)->rank == 3;
  const Node table = *onnx_node(l, cosine);
  if (flat && !heads && table.rank == 2 && table.dims[1]) heads = onnx_node(l, x)->dims[2] / (2 * table.dims[1]);
  x = split_heads(l, x, heads);
  if (x == NO_NODE || onnx_node(l, x)->rank != 4) return ONNX_OPAQUE;
  const Node n = *onnx_node(l, x);
  int64_t d = some ? some : n.dims[3];
  cosine = rows_of(l, cosine, positions, n.dims[2]), sine = rows_of(l, sine, positions, n.dims[2]);
  if (cosine == NO_NODE || sine == NO_NODE || d < 2 || d > n.dims[3] || onnx_node(l, cosine)->dims[3] * 2 != d)
    return ONNX_OPAQUE;
  NodeId y[] = {rotated(l, compose_slice(&l->c, x, 3, 0, d, 1), cosine, sine, interleaved != 0),
                d < n.dims[3] ? compose_slice(&l->c, x, 3, d, n.dims[3] - d, 1) : NO_NODE};
  if (y[0] == NO_NODE) return ONNX_OPAQUE;
  NodeId whole = d < n.dims[3] ? compose_concatenate(&l->c, y, 2, 3) : y[0];
  return onnx_done(l, flat ? join_heads(l, whole) : whole);
}
