/* Elementwise operators, with PyTorch's broadcasting and promotion of types. */
#include <string.h>

#include "frontends/torch/lower.h"

/* The operand as a tensor of the result's shape, in a type. */
static NodeId operand(Lower *l, uint32_t k, uint8_t dtype) {
  const TorchType *t = &l->node->outs[0];
  return arg_operand(l, l->arg[k], dtype, t->rank, t->dims);
}

static uint8_t type_of(Lower *l, const TorchArg *a) {
  NodeId x = arg_tensor(l, a);
  if (x != NO_NODE) return node_of(l, x)->dtype;
  return !a ? DT_PRED : a->kind == TA_FLOAT ? DT_F32 : a->kind == TA_INT ? DT_S64 : DT_PRED;
}

static int order_of(uint8_t dtype) { return dtype_is_float((DType)dtype) ? 2 : dtype == DT_PRED ? 0 : 1; }

/* The type two operands are computed in, where the result's type does not say: the wider kind, and one that holds the
 * values of both. */
uint8_t common_type(Lower *l, const TorchArg *a, const TorchArg *b) {
  uint8_t x = type_of(l, a), y = type_of(l, b);
  if (order_of(x) != order_of(y)) return order_of(x) > order_of(y) ? x : y;
  if (!a || a->kind != TA_TENSOR) return y;
  if (!b || b->kind != TA_TENSOR) return x;
  if ((x == DT_U8 && y == DT_S8) || (x == DT_S8 && y == DT_U8)) return DT_S16;
  return dtype_bits((DType)x) >= dtype_bits((DType)y) ? x : y;
}

/* Absolute values, directions, negatives and reciprocals of complex numbers; nothing is known of other functions. */
static LowerResult complex_unary(Lower *l) {
  static const char *const known[][2] = {{"abs", "complex_abs"}, {"sign", "complex_sign"}, {"negate", "negate"}};
  NodeId x = arg_tensor(l, l->arg[0]);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (!strcmp(l->text, known[k][0])) return done(l, make_out(l, 0, known[k][1], &x, 1, NULL, 0));
  if (strcmp(l->text, "reciprocal")) return LOWER_OPAQUE;
  const TorchType *t = &l->node->outs[0];
  NodeId one = make_splat(l, real_type(t->dtype), t->rank, t->dims, RAT_1);
  NodeId v[] = {make_out(l, 0, "complex_of_real", &one, 1, NULL, 0), x};
  return done(l, make_out(l, 0, "complex_divide", v, 2, NULL, 0));
}

LowerResult lower_unary(Lower *l) {
  if (arg_complex(l, l->arg[0])) return complex_unary(l);
  NodeId x = make_convert(l, arg_tensor(l, l->arg[0]), l->node->outs[0].dtype);
  return done(l, make_out(l, 0, l->text, &x, 1, NULL, 0));
}

/* Of x as it is, not as the truth value that the result is: masks hold infinities. */
LowerResult lower_finite(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  return done(l, make_out(l, 0, "is_finite", &x, 1, NULL, 0));
}

/* Zero has no sign: values are real numbers. */
LowerResult lower_signbit(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  if (x == NO_NODE) return LOWER_OPAQUE;
  const Node n = *node_of(l, x);
  NodeId v[] = {x, make_splat(l, n.dtype, n.rank, n.dims, RAT_0)};
  Attr a = attr_sym("direction", "LT");
  return done(l, make_out(l, 0, "compare", v, 2, &a, 1));
}

/* Tensors are operands in the result's type; a number is an attribute of the parameter's name. */
LowerResult lower_pointwise(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  NodeId v[LOWER_MAX_PARAMS];
  Attr attrs[LOWER_MAX_PARAMS];
  uint32_t n = 0, n_attrs = 0, k = 0;
  for (const char *p = l->params; *p; k++) {
    size_t len = strcspn(p, " ");
    const TorchArg *a = l->arg[k];
    if (a && a->kind == TA_TENSOR) {
      v[n++] = operand(l, k, t);
    } else if (a) {
      Attr *x = &attrs[n_attrs++];
      *x = (Attr){.name = sym_n(p, len), .kind = ATTR_RAT};
      if (a->ranks || !number_in(a, t, &x->r) || !rat_is_finite(x->r)) return LOWER_OPAQUE;
    }
    p += len + (p[len] == ' ');
  }
  return done(l, make_out(l, 0, l->text, v, n, attrs, n_attrs));
}

/* An operand beside a complex one: its parts, or a real number twice. */
static NodeId parts_of(Lower *l, uint32_t k) {
  const TorchType *t = &l->node->outs[0];
  int64_t dims[TORCH_MAX_RANK + 1];
  uint32_t rank = out_dims(l, 0, dims);
  if (arg_complex(l, l->arg[k])) return make_broadcast(l, arg_tensor(l, l->arg[k]), rank, dims);
  int64_t last = dims[rank - 1];
  NodeId x = arg_operand(l, l->arg[k], real_type(t->dtype), t->rank, t->dims);
  dims[rank - 1] = 1;
  x = make_reshape(l, x, rank, dims);
  dims[rank - 1] = last;
  return make_broadcast(l, x, rank, dims);
}

/* A complex operand, or a real one as such. */
static NodeId as_complex(Lower *l, uint32_t k) {
  const TorchType *t = &l->node->outs[0];
  if (arg_complex(l, l->arg[k])) return parts_of(l, k);
  NodeId x = arg_operand(l, l->arg[k], real_type(t->dtype), t->rank, t->dims);
  return x == NO_NODE ? NO_NODE : make_out(l, 0, "complex_of_real", &x, 1, NULL, 0);
}

/* Complex numbers are added and subtracted by parts, multiplied and divided; by a real number by parts. */
static LowerResult complex_binary(Lower *l, const char *op) {
  bool is[2], product = !strcmp(op, "multiply"), quotient = !strcmp(op, "divide");
  for (int k = 0; k < 2; k++) is[k] = l->arg[k] && arg_complex(l, l->arg[k]);
  bool sum = !strcmp(op, "add") || !strcmp(op, "subtract"), scaled = product ? !is[0] || !is[1] : quotient && !is[1];
  if (l->arg[2] || (!sum && !product && !quotient)) return lower_opaque(l, false);
  NodeId v[] = {scaled ? parts_of(l, 0) : as_complex(l, 0), scaled ? parts_of(l, 1) : as_complex(l, 1)};
  const char *of_both = product ? "complex_multiply" : quotient ? "complex_divide" : op;
  return done(l, make_out(l, 0, scaled ? op : of_both, v, 2, NULL, 0));
}

LowerResult lower_binary(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  if (t == DT_C64) return complex_binary(l, l->text);
  NodeId v[] = {operand(l, 0, t), operand(l, 1, t)};
  return done(l, make_out(l, 0, l->text, v, 2, NULL, 0));
}

LowerResult lower_shift_right(Lower *l) {
  bool sign = dtype_kind((DType)l->node->outs[0].dtype) != DK_UINT;
  l->text = sign ? "shift_right_arithmetic" : "shift_right_logical";
  return lower_binary(l);
}

/* self + alpha * other, self - alpha * other, other - alpha * self. */
LowerResult lower_add(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  if (t->dtype == DT_C64) return complex_binary(l, l->text);
  NodeId v[] = {operand(l, 0, t->dtype), operand(l, 1, t->dtype)};
  bool swapped = *l->text == 'r';
  if (l->arg[2]) v[!swapped] = make_binary(l, "multiply", v[!swapped], operand(l, 2, t->dtype));
  NodeId w[] = {v[swapped], v[!swapped]};
  return done(l, make_out(l, 0, swapped ? "subtract" : l->text, w, 2, NULL, 0));
}

LowerResult lower_div(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  const char *op = "divide";
  if (t == DT_C64) return complex_binary(l, op);
  if (l->arg[2]) {
    const char *mode = l->arg[2]->kind == TA_STRING && !l->arg[2]->ranks ? sym_text(l->arg[2]->s) : "";
    if (strcmp(mode, "floor") && strcmp(mode, "trunc")) return LOWER_OPAQUE;
    op = *mode == 'f' ? "floor_divide" : "truncated_divide";
  }
  NodeId v[] = {operand(l, 0, t), operand(l, 1, t)};
  return done(l, make_out(l, 0, op, v, 2, NULL, 0));
}

/* An exponent that is a literal is part of the operator. */
LowerResult lower_pow(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  const TorchArg *e = l->arg[1];
  bool exact = e && !e->ranks && (e->kind == TA_INT || e->kind == TA_FLOAT) && rat_is_finite(e->r);
  if (exact && rat_is_int(rat_mul(RAT_INT(12), e->r))) { /* others may be rounded fractions */
    NodeId x = operand(l, 0, t);
    Attr a = {.name = sym("exponent"), .kind = ATTR_RAT, .r = e->r};
    return done(l, make_out(l, 0, "power_of", &x, 1, &a, 1));
  }
  NodeId v[] = {operand(l, 0, t), operand(l, 1, t)};
  return done(l, make_out(l, 0, "power", v, 2, NULL, 0));
}

LowerResult lower_compare(Lower *l) {
  uint8_t t = common_type(l, l->arg[0], l->arg[1]);
  NodeId v[] = {operand(l, 0, t), operand(l, 1, t)};
  Attr a = attr_sym("direction", l->text);
  return done(l, make_out(l, 0, "compare", v, 2, &a, 1));
}

LowerResult lower_logical(Lower *l) {
  NodeId v[] = {operand(l, 0, DT_PRED), *l->text == 'n' ? NO_NODE : operand(l, 1, DT_PRED)};
  return done(l, make_out(l, 0, l->text, v, *l->text == 'n' ? 1 : 2, NULL, 0));
}

/* To so many decimals. */
LowerResult lower_round(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  int64_t decimals;
  NodeId x = operand(l, 0, t->dtype);
  if (x == NO_NODE || !arg_int(l->arg[1], 0, &decimals) || decimals < -9 || decimals > 9) return LOWER_OPAQUE;
  if (!decimals) return done(l, make_out(l, 0, "round_nearest_even", &x, 1, NULL, 0));
  NodeId unit = make_splat(l, t->dtype, t->rank, t->dims, rat_pow(RAT_INT(10), (int)decimals));
  x = compose_unary(make_composer(l), "round_nearest_even", make_binary(l, "multiply", x, unit));
  return done(l, make_binary(l, "divide", x, unit));
}

/* The constants are those of the paper (Klambauer et al., 2017), as PyTorch has them. */
LowerResult lower_selu(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  TorchArg alpha = {.kind = TA_FLOAT, .r = rat_frac(INT64_C(16732632423543772), INT64_C(10000000000000000))};
  TorchArg scale = {.kind = TA_FLOAT, .r = rat_frac(INT64_C(10507009873554805), INT64_C(10000000000000000))};
  Attr a[] = {attr_rat("alpha", RAT_1), attr_rat("scale", RAT_1), attr_rat("input_scale", RAT_1)};
  NodeId x = operand(l, 0, t);
  if (!number_in(&alpha, t, &a[0].r) || !number_in(&scale, t, &a[1].r)) return LOWER_OPAQUE;
  return done(l, make_out(l, 0, "elu", &x, 1, a, 3));
}

/* self noise lower upper training: in training the slope is random, else the mean, and the noise stays what it is. */
LowerResult lower_rrelu(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  bool training;
  TorchArg low = {.kind = TA_FLOAT, .r = rat_frac(1, 8)}, high = {.kind = TA_FLOAT, .r = rat_frac(1, 3)};
  const TorchArg *lower = arg_named(l, "lower"), *upper = arg_named(l, "upper");
  if (lower) low = *lower;
  if (upper) high = *upper;
  if (!arg_bool(arg_named(l, "training"), false, &training) || training) return lower_opaque(l, true);
  TorchArg slope = {.kind = TA_FLOAT, .r = rat_mul(rat_add(low.r, high.r), rat_frac(1, 2))};
  Attr a = attr_rat("negative_slope", RAT_0);
  NodeId x = operand(l, 0, t);
  if (low.ranks || high.ranks || !number_in(&slope, t, &a.r)) return LOWER_OPAQUE;
  if (l->node->n_outs > 1) {
    NodeId noise = arg_tensor(l, arg_named(l, "noise"));
    if (noise == NO_NODE) return LOWER_OPAQUE;
    set_result(l, 1, noise);
  }
  return done(l, make_out(l, 0, "leaky_relu", &x, 1, &a, 1));
}

/* self weight: one slope, or one for every channel (dimension 1). */
LowerResult lower_prelu(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  NodeId w = arg_tensor(l, l->arg[1]);
  int64_t dims[TORCH_MAX_RANK];
  if (w == NO_NODE) return LOWER_OPAQUE;
  if (node_of(l, w)->rank == 1 && node_of(l, w)->dims[0] > 1) {
    if (t->rank < 2) return LOWER_OPAQUE;
    for (uint32_t d = 0; d < t->rank; d++) dims[d] = d == 1 ? node_of(l, w)->dims[0] : 1;
    w = make_reshape(l, w, t->rank, dims);
  } else if (node_of(l, w)->rank == 1) {
    w = make_reshape(l, w, 0, NULL);
  }
  NodeId v[] = {operand(l, 0, t->dtype), make_broadcast(l, make_convert(l, w, t->dtype), t->rank, t->dims)};
  return done(l, make_out(l, 0, "prelu", v, 2, NULL, 0));
}

/* self dim: the first half, as far as the second lets it through. */
LowerResult lower_glu(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  uint32_t dim;
  if (x == NO_NODE || !node_of(l, x)->rank || !arg_dim(l->arg[1], -1, node_of(l, x)->rank, &dim)) return LOWER_OPAQUE;
  int64_t n = node_of(l, x)->dims[dim] / 2;
  NodeId gate = make_slice(l, x, dim, n, n, 1);
  if (gate == NO_NODE) return LOWER_OPAQUE;
  x = make_slice(l, x, dim, 0, n, 1);
  return done(l, make_binary(l, "multiply", x, compose_unary(make_composer(l), "logistic", gate)));
}

LowerResult lower_gelu(Lower *l) {
  uint32_t last = strcmp(l->text, "gelu") ? 2 : 1;
  const TorchArg *a = l->arg[last];
  const char *mode = !a ? "none" : a->kind == TA_STRING && !a->ranks ? sym_text(a->s) : "";
  uint8_t t = l->node->outs[0].dtype;
  if (strcmp(mode, "none") && strcmp(mode, "tanh")) return LOWER_OPAQUE;
  NodeId v[] = {operand(l, 0, t), last == 2 ? operand(l, 1, t) : NO_NODE};
  return done(l, make_out(l, 0,
                          *mode == 'n' ? l->text
                          : last == 2  ? "gelu_tanh_backward"
                                       : "gelu_tanh",
                          v, last, NULL, 0));
}

/* 0 where self is at most the threshold. */
LowerResult lower_threshold_backward(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  NodeId v[] = {operand(l, 0, t), operand(l, 1, t), operand(l, 2, t)};
  return done(l, make_out(l, 0, "threshold_backward", v, 3, NULL, 0));
}

LowerResult lower_clamp(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  NodeId x = operand(l, 0, t);
  bool upper = *l->text == 'm'; /* only the upper bound is given */
  if (l->arg[1]) {
    NodeId v[] = {x, operand(l, 1, t)};
    x = make_out(l, 0, upper ? "minimum" : "maximum", v, 2, NULL, 0);
  }
  if (l->arg[2]) {
    NodeId v[] = {x, operand(l, 2, t)};
    x = make_out(l, 0, "minimum", v, 2, NULL, 0);
  }
  return done(l, x);
}

static bool is_all(const Lower *l, NodeId x, Rat value) {
  const Literal *lit = x == NO_NODE ? NULL : node_of(l, x)->literal;
  return lit && lit->kind == LIT_SPLAT && lit->values[0] == value;
}

/* Past the operator `op`, if it is that. */
static bool past(const Lower *l, NodeId *x, const char *op) {
  if (node_of(l, *x)->op != sym(op)) return false;
  *x = node_of(l, *x)->args[0];
  return true;
}

/* PyTorch writes _safe_softmax(x) as "0 for rows of nothing but -inf, else softmax(x)".  Such rows have no softmax over
 * real numbers, so this is the softmax itself: is y one, over one dimension of x, and `empty` not(any(not(x == -inf)))
 * there? */
static bool is_safe_softmax(const Lower *l, NodeId empty, NodeId y) {
  if (y == NO_NODE || empty == NO_NODE || node_of(l, y)->op != sym("softmax")) return false;
  const Node *soft = node_of(l, y);
  const Attr *along = node_attr(soft, sym("dimensions")), *places = NULL;
  while (node_of(l, empty)->op == sym("reshape") || node_of(l, empty)->op == sym("broadcast")) {
    if (node_of(l, empty)->op == sym("broadcast")) places = node_attr(node_of(l, empty), sym("dimensions"));
    empty = node_of(l, empty)->args[0];
  }
  if (!places || !along || along->n != 1 || !past(l, &empty, "not")) return false;
  while (node_of(l, empty)->op == sym("reshape")) empty = node_of(l, empty)->args[0];
  const Attr *over = node_attr(node_of(l, empty), sym("dimensions"));
  if (!over || over->n != 1 || over->ints[0] != along->ints[0] || !past(l, &empty, "reduce_any") ||
      !past(l, &empty, "not"))
    return false;
  for (uint32_t d = 0, k = 0; d < soft->rank; d++) { /* the other dimensions, each at its place */
    if ((int64_t)d == along->ints[0]) continue;
    if (k < places->n && places->ints[k] == d) k++;
    else if (soft->dims[d] != 1) return false;
  }
  const Node *equal = node_of(l, empty);
  const Attr *direction = node_attr(equal, sym("direction"));
  return equal->op == sym("compare") && direction && direction->s == sym("EQ") && equal->args[0] == soft->args[0] &&
         is_all(l, equal->args[1], RAT_NEG_INF);
}

/* where(condition, self, other); masked_fill(self, mask, value). */
LowerResult lower_where(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  bool fill = *l->text == 'f';
  NodeId v[] = {operand(l, fill ? 1 : 0, DT_PRED), operand(l, fill ? 2 : 1, t), operand(l, fill ? 0 : 2, t)};
  if (!fill && is_all(l, v[1], RAT_0) && is_safe_softmax(l, v[0], v[2])) return done(l, v[2]);
  return done(l, make_out(l, 0, "select", v, 3, NULL, 0));
}

/* Three operands and, for two of the operators, a factor that is 1 if left out. */
LowerResult lower_ternary(Lower *l) {
  static const TorchArg one = {.kind = TA_INT, .i = 1, .r = RAT_1};
  uint8_t t = l->node->outs[0].dtype;
  if (!strcmp(l->text, "lerp")) {
    NodeId v[] = {operand(l, 0, t), operand(l, 1, t), operand(l, 2, t)};
    return done(l, make_out(l, 0, "lerp", v, 3, NULL, 0));
  }
  NodeId v[] = {operand(l, 0, t), operand(l, 1, t), operand(l, 2, t), arg_scalar(l, l->arg[3] ? l->arg[3] : &one, t)};
  return done(l, make_out(l, 0, l->text, v, 4, NULL, 0));
}
