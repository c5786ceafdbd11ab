/* Known: integers that are computed from shapes, and the graph nodes that compute them.
 *
 * Exporters compute sizes in the graph: Shape, Gather, Concat, Mul, Range, .., Reshape.  A node of integers or truth
 * values whose operands are all constants becomes a constant itself, unless it is large.  Real numbers are moved and
 * counted with, but not computed with: that is left to the calculus, which does not round. */
#include <string.h>

#include "frontends/base/fold.h"
#include "frontends/onnx/lower.h"
#include "frontends/onnx/place.h"

enum { MAX_KNOWN = 4096 };

static Rat literal_at(const Node *n, int64_t k) { return n->literal->values[n->literal->kind == LIT_SPLAT ? 0 : k]; }

bool onnx_known_ints(const OnnxLower *l, NodeId x, int64_t *out, uint32_t most, uint32_t *n) {
  if (x == NO_NODE) return false;
  const Node *c = onnx_node(l, x);
  if (!c->literal || node_elements(c) > most || dtype_is_float((DType)c->dtype)) return false;
  *n = (uint32_t)node_elements(c);
  for (uint32_t k = 0; k < *n; k++)
    if (!rat_is_finite(literal_at(c, k)) || !rat_to_int(literal_at(c, k), &out[k])) return false;
  return true;
}

bool onnx_known(const OnnxLower *l, NodeId x, Rat *out) {
  if (x == NO_NODE) return false;
  const Node *c = onnx_node(l, x);
  if (!c->literal || !(c->literal->kind == LIT_SPLAT || c->literal->n == 1)) return false;
  *out = c->literal->values[0];
  return true;
}

bool onnx_known_at(const OnnxLower *l, NodeId x, uint32_t k, Rat *out) {
  const Node *c = onnx_node(l, x);
  if (!c->literal || k >= node_elements(c)) return false;
  *out = literal_at(c, k);
  return true;
}

NodeId onnx_ints(OnnxLower *l, const int64_t *v, uint32_t n) {
  Rat *values = ARENA_ARRAY(&l->arena, Rat, n);
  int64_t size = n;
  for (uint32_t k = 0; k < n; k++) values[k] = rat_int(v[k]);
  return compose_table(&l->c, DT_S64, 1, &size, values);
}

static bool fold_concatenate(const OnnxLower *l, const Node *n, Rat *out) {
  int64_t from = 0, dim = place_list(n, "dimensions")[0];
  for (uint32_t i = 0; i < n->n_args; i++) {
    const Node *x = onnx_node(l, n->args[i]);
    for (int64_t k = 0; k < node_elements(x); k++) out[place_joined(n, x, from, k)] = literal_at(x, k);
    from += x->dims[dim];
  }
  return true;
}

/* x[i, *o] for i of a table, as ONNX's Gather along a dimension that was moved to the front. */
static bool fold_take(const OnnxLower *l, const Node *n, Rat *out) {
  const Node *x = onnx_node(l, n->args[0]), *ids = onnx_node(l, n->args[1]);
  if (x->rank != 1) return false;
  for (int64_t k = 0; k < node_elements(n); k++) {
    int64_t i;
    if (!rat_to_int(literal_at(ids, k), &i)) return false;
    i = i < 0 ? i + x->dims[0] : i;
    if (i < 0 || i >= x->dims[0]) return false;
    out[k] = literal_at(x, i);
  }
  return true;
}

/* start + step * i, and looking up. */
static bool fold_other(const OnnxLower *l, const Node *n, Rat *out) {
  if (n->op == sym("arange")) {
    Rat start = literal_at(onnx_node(l, n->args[0]), 0), step = literal_at(onnx_node(l, n->args[1]), 0);
    if (!rat_is_finite(start) || !rat_is_finite(step)) return false;
    for (int64_t k = 0; k < node_elements(n); k++) out[k] = rat_add(start, rat_mul(step, rat_int(k)));
    return true;
  }
  return n->op == sym("take_1") && fold_take(l, n, out);
}

/* Integers as real numbers; single precision has those up to 2^24, halves up to 2^11 and 2^8. */
static bool fold_to_real(const OnnxLower *l, const Node *n, Rat *out) {
  const Node *x = onnx_node(l, n->args[0]);
  int64_t v, most = INT64_C(1) << (n->dtype == DT_BF16 ? 8 : n->dtype == DT_F16 ? 11 : 24);
  for (int64_t k = 0; k < node_elements(n); k++) {
    out[k] = literal_at(x, k);
    if (!rat_is_finite(out[k]) || !rat_to_int(out[k], &v) || v > most || v < -most) return false;
  }
  return true;
}

/* Real numbers as integers: what stands behind the point is dropped. */
static bool fold_to_integer(const OnnxLower *l, const Node *n, Rat *out) {
  const Node *x = onnx_node(l, n->args[0]);
  for (int64_t k = 0; k < node_elements(n); k++) {
    Rat v = literal_at(x, k);
    int64_t i;
    if (!rat_is_finite(v)) return false;
    v = rat_sign(v) < 0 ? rat_neg(rat_floor(rat_neg(v))) : rat_floor(v);
    if (!rat_to_int(v, &i) || i > INT32_MAX || i < -INT32_MAX) return false;
    out[k] = v;
  }
  return true;
}

static bool fold_each(const OnnxLower *l, const Node *n, Rat *out) {
  int64_t x[3], v;
  uint32_t args = n->n_args;
  bool real = dtype_is_float((DType)n->dtype);
  if (n->op == sym("convert") && real) return fold_to_real(l, n, out);
  if (n->op == sym("convert") && dtype_is_int((DType)n->dtype) && dtype_bits((DType)n->dtype) >= 32 &&
      dtype_is_float((DType)onnx_node(l, n->args[0])->dtype))
    return fold_to_integer(l, n, out);
  for (uint32_t k = 0; k < args; k++) real |= dtype_is_float((DType)onnx_node(l, n->args[k])->dtype);
  DType type = n->op == sym("compare") || !args ? DT_PRED : (DType)n->dtype;
  if (args > 3 || real) return false;
  for (int64_t k = 0; k < node_elements(n); k++) {
    for (uint32_t i = 0; i < args; i++) {
      const Node *a = onnx_node(l, n->args[i]);
      if (node_elements(a) != node_elements(n) || !rat_is_finite(literal_at(a, k)) || !rat_to_int(literal_at(a, k), &x[i]))
        return false;
    }
    if (!fold_scalar(n->op, type, node_attr_sym(n, sym("direction"), 0), x, args, &v)) return false;
    out[k] = rat_int(v);
  }
  return true;
}

static bool fold_node(const OnnxLower *l, const Node *n, Rat *out) {
  if (n->op == sym("concatenate")) return fold_concatenate(l, n, out);
  if (n->op == sym("arange") || n->op == sym("take_1")) return fold_other(l, n, out);
  if (!place_moves(n)) return fold_each(l, n, out);
  const Node *x = onnx_node(l, n->args[0]);
  for (int64_t k = 0; k < node_elements(n); k++) out[k] = literal_at(x, place_source(n, x, k));
  return true;
}

void onnx_fold(OnnxLower *l, NodeId first) {
  Rat *out = NULL;
  for (NodeId id = first; id < l->g->nodes.len; id++) {
    Node *n = &l->g->nodes.at[id];
    bool known = n->n_args && node_elements(n) <= MAX_KNOWN;
    for (uint32_t k = 0; k < n->n_args && known; k++) {
      const Node *x = onnx_node(l, n->args[k]);
      known = x->literal && node_elements(x) <= MAX_KNOWN;
    }
    if (!known) continue;
    if (!out) out = ARENA_ARRAY(&l->arena, Rat, MAX_KNOWN);
    if (!fold_node(l, n, out)) continue;
    Literal *lit = ARENA_NEW(&l->g->arena, Literal);
    int64_t all = node_elements(n), same = 0;
    while (same < all && out[same] == out[0]) same++;
    lit->kind = all && same == all ? LIT_SPLAT : LIT_VALUES;
    lit->n = lit->kind == LIT_SPLAT ? 1 : (uint64_t)all;
    lit->values = arena_copy(&l->g->arena, out, lit->n * sizeof *out);
    n->literal = lit;
    n->op = sym("constant");
    n->n_args = n->n_attrs = 0;
  }
}
