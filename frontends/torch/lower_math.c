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

/* The type two operands are computed in, where the result's type does not say: the wider kind. */
static uint8_t common_type(Lower *l, const TorchArg *a, const TorchArg *b) {
  uint8_t x = type_of(l, a), y = type_of(l, b);
  if (order_of(x) != order_of(y)) return order_of(x) > order_of(y) ? x : y;
  if (!a || a->kind != TA_TENSOR) return y;
  if (!b || b->kind != TA_TENSOR) return x;
  return dtype_bits((DType)x) >= dtype_bits((DType)y) ? x : y;
}

LowerResult lower_unary(Lower *l) {
  NodeId x = make_convert(l, arg_tensor(l, l->arg[0]), l->node->outs[0].dtype);
  return done(l, make_out(l, 0, l->text, &x, 1, NULL, 0));
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

/* Products of complex numbers; of other operators on them nothing is known. */
static LowerResult complex_binary(Lower *l) {
  int64_t dims[TORCH_MAX_RANK + 1];
  uint32_t rank = out_dims(l, 0, dims);
  NodeId v[2];
  if (strcmp(l->text, "multiply")) return lower_opaque(l, false);
  for (int k = 0; k < 2; k++) {
    if (!l->arg[k] || !arg_complex(l, l->arg[k])) return lower_opaque(l, false);
    v[k] = make_broadcast(l, arg_tensor(l, l->arg[k]), rank, dims);
  }
  return done(l, make_out(l, 0, "complex_multiply", v, 2, NULL, 0));
}

LowerResult lower_binary(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  if (t == DT_C64) return complex_binary(l);
  NodeId v[] = {operand(l, 0, t), operand(l, 1, t)};
  return done(l, make_out(l, 0, l->text, v, 2, NULL, 0));
}

/* self + alpha * other, self - alpha * other, other - alpha * self. */
LowerResult lower_add(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  NodeId v[] = {operand(l, 0, t->dtype), operand(l, 1, t->dtype)};
  bool swapped = *l->text == 'r';
  if (l->arg[2]) v[!swapped] = make_binary(l, "multiply", v[!swapped], operand(l, 2, t->dtype));
  NodeId w[] = {v[swapped], v[!swapped]};
  return done(l, make_out(l, 0, swapped ? "subtract" : l->text, w, 2, NULL, 0));
}

LowerResult lower_div(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  const char *op = "divide";
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
  if (e && !e->ranks && (e->kind == TA_INT || e->kind == TA_FLOAT) && rat_is_finite(e->r)) {
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

LowerResult lower_gelu(Lower *l) {
  uint32_t last = strcmp(l->text, "gelu") ? 2 : 1;
  const TorchArg *a = l->arg[last];
  const char *mode = !a ? "none" : a->kind == TA_STRING && !a->ranks ? sym_text(a->s) : "";
  uint8_t t = l->node->outs[0].dtype;
  if (strcmp(mode, "none") && strcmp(mode, "tanh")) return LOWER_OPAQUE;
  NodeId v[] = {operand(l, 0, t), last == 2 ? operand(l, 1, t) : NO_NODE};
  return done(l, make_out(l, 0, *mode == 'n' ? l->text : last == 2 ? "gelu_tanh_backward" : "gelu_tanh", v, last,
                          NULL, 0));
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

/* where(condition, self, other); masked_fill(self, mask, value). */
LowerResult lower_where(Lower *l) {
  uint8_t t = l->node->outs[0].dtype;
  bool fill = *l->text == 'f';
  NodeId v[] = {operand(l, fill ? 1 : 0, DT_PRED), operand(l, fill ? 2 : 1, t), operand(l, fill ? 0 : 2, t)};
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
