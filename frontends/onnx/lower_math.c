/* Elementwise operators, with the broadcasting of numpy. */
#include <stdlib.h>
#include <string.h>

#include "frontends/onnx/lower.h"

/* Shape that both broadcast to; false: they do not fit. */
static bool onnx_broadcast_shape(const OnnxLower *l, const NodeId *x, uint32_t n, uint32_t *rank, int64_t *dims) {
  *rank = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (x[k] == NO_NODE) return false;
    if (onnx_node(l, x[k])->rank > *rank) *rank = onnx_node(l, x[k])->rank;
  }
  for (uint32_t d = 0; d < *rank; d++) dims[d] = 1;
  for (uint32_t k = 0; k < n; k++) {
    const Node *m = onnx_node(l, x[k]);
    for (uint32_t d = 0; d < m->rank; d++) {
      int64_t *at = &dims[*rank - m->rank + d];
      if (*at != m->dims[d] && *at != 1 && m->dims[d] != 1) return false;
      if (m->dims[d] != 1) *at = m->dims[d];
    }
  }
  return true;
}

/* Operands in the shape they broadcast to. */
static bool spread(OnnxLower *l, NodeId *x, uint32_t n) {
  uint32_t rank;
  int64_t dims[COMPOSE_MAX_RANK];
  if (!onnx_broadcast_shape(l, x, n, &rank, dims)) return false;
  for (uint32_t k = 0; k < n; k++) x[k] = compose_broadcast(&l->c, x[k], rank, dims);
  return true;
}

static NodeId each(OnnxLower *l, const char *op, uint8_t dtype, const NodeId *x, uint32_t n, const Attr *a, uint32_t n_a) {
  if (x[0] == NO_NODE) return NO_NODE;
  const Node *m = onnx_node(l, x[0]);
  return compose(&l->c, op, dtype, m->rank, m->dims, x, n, a, n_a);
}

NodeId onnx_scalar(OnnxLower *l, double v) {
  Rat r = rat_from_double(v);
  return rat_is_finite(r) ? compose_splat(&l->c, DT_F32, 0, NULL, r) : NO_NODE;
}

NodeId onnx_two(OnnxLower *l, const char *op, NodeId x, NodeId y) {
  NodeId v[] = {x, y};
  if (!spread(l, v, 2)) return NO_NODE;
  return each(l, op, onnx_node(l, v[0])->dtype, v, 2, NULL, 0);
}

OnnxResult onnx_same(OnnxLower *l) { return onnx_done(l, onnx_in(l, 0)); }
OnnxResult onnx_unary(OnnxLower *l) { return onnx_done(l, compose_unary(&l->c, l->text, onnx_in(l, 0))); }
OnnxResult onnx_binary(OnnxLower *l) {
  uint32_t rank;
  int64_t dims[COMPOSE_MAX_RANK];
  if (!onnx_broadcast_shape(l, l->in, 2, &rank, dims))
    return onnx_lower_error(l, E_SHAPE, "its operands do not broadcast to one shape"), ONNX_FAILED;
  return onnx_done(l, onnx_two(l, l->text, l->in[0], l->in[1]));
}

/* Sum, Max, Min, Mean of any number. */
OnnxResult onnx_variadic(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  bool mean = !strcmp(l->text, "mean");
  for (uint32_t k = 1; k < l->n_in; k++) x = onnx_two(l, mean ? "add" : l->text, x, l->in[k]);
  return onnx_done(l, mean && l->n_in > 1 ? onnx_two(l, "divide", x, onnx_scalar(l, l->n_in)) : x);
}

OnnxResult onnx_compare(OnnxLower *l) {
  NodeId v[] = {onnx_in(l, 0), onnx_in(l, 1)};
  Attr a = attr_sym("direction", l->text);
  return spread(l, v, 2) ? onnx_done(l, each(l, "compare", DT_PRED, v, 2, &a, 1)) : ONNX_OPAQUE;
}

/* A value is NaN if it is not itself: never, over the reals. */
OnnxResult onnx_is_nan(OnnxLower *l) {
  NodeId v[] = {onnx_in(l, 0), onnx_in(l, 0)};
  Attr a = attr_sym("direction", "NE");
  return onnx_done(l, each(l, "compare", DT_PRED, v, 2, &a, 1));
}

OnnxResult onnx_mod(OnnxLower *l) {
  int64_t fmod;
  if (!onnx_attr_int(l, 0, 0, &fmod)) return ONNX_OPAQUE;
  return onnx_done(l, onnx_two(l, fmod ? "remainder" : "floor_remainder", onnx_in(l, 0), onnx_in(l, 1)));
}

/* A whole number to a power that is none: computed in the exponent's type, and cut to a whole one. */
static OnnxResult power_cut(OnnxLower *l, NodeId x, NodeId y) {
  uint8_t whole = onnx_node(l, x)->dtype, real = onnx_node(l, y)->dtype;
  return onnx_done(l, compose_convert(&l->c, onnx_two(l, "power", compose_convert(&l->c, x, real), y), whole));
}

/* An exponent that is one number is part of the operator. */
OnnxResult onnx_pow(OnnxLower *l) {
  NodeId x = onnx_in(l, 0), y = onnx_in(l, 1);
  Rat e;
  uint32_t rank;
  int64_t dims[COMPOSE_MAX_RANK];
  if (x == NO_NODE || y == NO_NODE) return ONNX_OPAQUE;
  bool known = onnx_known(l, y, &e) && rat_is_finite(e);
  bool whole = dtype_is_int((DType)onnx_node(l, x)->dtype) && !(known && rat_is_int(e) && rat_sign(e) >= 0);
  if (whole && dtype_is_float((DType)onnx_node(l, y)->dtype)) return power_cut(l, x, y);
  if (whole || !known) return onnx_binary(l);
  if (!onnx_broadcast_shape(l, l->in, 2, &rank, dims)) return ONNX_OPAQUE;
  Attr a = attr_rat("exponent", e);
  x = compose_broadcast(&l->c, x, rank, dims);
  return onnx_done(l, each(l, "power_of", onnx_node(l, x)->dtype, &x, 1, &a, 1));
}

OnnxResult onnx_clip(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  if (onnx_in(l, 1) != NO_NODE) x = onnx_two(l, "maximum", x, l->in[1]);
  if (onnx_in(l, 2) != NO_NODE) x = onnx_two(l, "minimum", x, l->in[2]);
  return onnx_done(l, x);
}

OnnxResult onnx_where(OnnxLower *l) {
  NodeId v[] = {onnx_in(l, 0), onnx_in(l, 1), onnx_in(l, 2)};
  return spread(l, v, 3) ? onnx_done(l, each(l, "select", onnx_node(l, v[1])->dtype, v, 3, NULL, 0)) : ONNX_OPAQUE;
}

OnnxResult onnx_cast(OnnxLower *l) {
  int64_t to;
  if (!onnx_attr_int(l, 0, 0, &to)) return ONNX_OPAQUE;
  DType type = *l->text ? (DType)onnx_node(l, onnx_in(l, 1))->dtype : onnx_dtype(to);
  return type == DT_OPAQUE ? ONNX_OPAQUE : onnx_done(l, compose_convert(&l->c, onnx_in(l, 0), (uint8_t)type));
}

/* One parameter, a float: an operand of the library's operator. */
OnnxResult onnx_with_alpha(OnnxLower *l) {
  char *end;
  double otherwise = (double)strtof(l->text, &end);
  NodeId v[] = {onnx_in(l, 0), onnx_attr_scalar(l, 0, otherwise)};
  return onnx_done(l, each(l, end + 1, onnx_node(l, v[0])->dtype, v, 2, NULL, 0));
}

/* Two of them. */
OnnxResult onnx_with_two(OnnxLower *l) {
  char *end;
  double a = (double)strtof(l->text, &end), b = (double)strtof(end + 1, &end);
  NodeId v[] = {onnx_in(l, 0), onnx_attr_scalar(l, 0, a), onnx_attr_scalar(l, 1, b)};
  return onnx_done(l, each(l, end + 1, onnx_node(l, v[0])->dtype, v, 3, NULL, 0));
}

OnnxResult onnx_gelu(OnnxLower *l) {
  const char *mode;
  if (!onnx_attr_word(l, 0, "none", &mode) || (strcmp(mode, "none") && strcmp(mode, "tanh"))) return ONNX_OPAQUE;
  return onnx_done(l, compose_unary(&l->c, *mode == 'n' ? "gelu" : "gelu_tanh", onnx_in(l, 0)));
}

/* Of ONNX Runtime: a bias is added first. */
OnnxResult onnx_bias_gelu(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  if (onnx_in(l, 1) != NO_NODE) x = onnx_two(l, "add", x, l->in[1]);
  return onnx_done(l, compose_unary(&l->c, l->text, x));
}

/* Without training nothing is dropped, and the mask is all ones. */
OnnxResult onnx_dropout(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  Rat training = RAT_0;
  if (onnx_in(l, 2) != NO_NODE && !onnx_known(l, l->in[2], &training)) return onnx_opaque(l, true);
  if (training != RAT_0) return onnx_opaque(l, true);
  const Node *n = onnx_node(l, x);
  if (l->n_out > 1) l->out[1] = compose_splat(&l->c, DT_PRED, n->rank, n->dims, RAT_1);
  return onnx_done(l, x);
}

OnnxResult onnx_random(OnnxLower *l) { return onnx_opaque(l, true); }

/* (x - zero point) * scale, for all or by position along an axis. */
OnnxResult onnx_dequantize(OnnxLower *l) {
  NodeId x = onnx_in(l, 0), scale = onnx_in(l, 1), zero = onnx_in(l, 2);
  const Node n = *onnx_node(l, x), s = *onnx_node(l, scale);
  int64_t block, to, dims[COMPOSE_MAX_RANK];
  uint32_t axis = 0;
  if (!onnx_attr_int(l, 1, 0, &block) || block || !onnx_attr_int(l, 2, 0, &to) || s.rank > 1) return ONNX_OPAQUE;
  if (s.rank == 1 && (!onnx_attr_dim(l, 0, 1, n.rank, &axis) || s.dims[0] != n.dims[axis])) return ONNX_OPAQUE;
  for (uint32_t d = 0; d < n.rank; d++) dims[d] = s.rank == 1 && d == axis ? s.dims[0] : 1;
  x = compose_convert(&l->c, x, s.dtype);
  if (zero != NO_NODE)
    x = onnx_two(l, "subtract", x, compose_reshape(&l->c, compose_convert(&l->c, zero, s.dtype), n.rank, dims));
  return onnx_done(l, onnx_two(l, "multiply", x, compose_reshape(&l->c, scale, n.rank, dims)));
}
