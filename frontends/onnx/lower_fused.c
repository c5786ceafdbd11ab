/* Of ONNX Runtime: an operator with an activation behind it, and losses. */
#include <math.h>
#include <string.h>

#include "frontends/onnx/lower.h"

/* Activation by name; parameters of it are attributes, one by one or in a list (`at` .. `at` + 2, or `list`). */
static NodeId activated(OnnxLower *l, NodeId y, const char *name, const double *p, uint32_t n) {
  static const char *const names[][2] = {{"Relu", "relu"},         {"Tanh", "tanh"}, {"Sigmoid", "logistic"},
                                         {"Softplus", "softplus"}, {"Gelu", "gelu"}, {"HardSwish", "hard_swish"}};
  if (y == NO_NODE || !*name) return y;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (!strcmp(names[k][0], name)) return compose_unary(&l->c, names[k][1], y);
  const Node m = *onnx_node(l, y);
  NodeId v[] = {y, n > 0 ? onnx_scalar(l, p[0]) : NO_NODE, n > 1 ? onnx_scalar(l, p[1]) : NO_NODE};
  if (!strcmp(name, "LeakyRelu") && n) return compose(&l->c, "leaky_relu", m.dtype, m.rank, m.dims, v, 2, NULL, 0);
  if (!strcmp(name, "Elu") && n) return compose(&l->c, "elu", m.dtype, m.rank, m.dims, v, 2, NULL, 0);
  if (!strcmp(name, "HardSigmoid") && n > 1)
    return compose(&l->c, "hard_sigmoid", m.dtype, m.rank, m.dims, v, 3, NULL, 0);
  if (strcmp(name, "Clip") || n < 2 || v[1] == NO_NODE || v[2] == NO_NODE) return NO_NODE;
  return onnx_two(l, "minimum", onnx_two(l, "maximum", y, v[1]), v[2]);
}

/* auto_pad dilations pads strides group kernel_shape activation activation_params; a tensor is added first. */
OnnxResult onnx_fused_conv(OnnxLower *l) {
  const char *name;
  if (!onnx_attr_word(l, 6, "", &name) || (onnx_has(l, 7) && l->attr[7].kind != ONNX_FLOATS)) return ONNX_OPAQUE;
  if (onnx_conv(l) != ONNX_DONE) return ONNX_OPAQUE;
  NodeId y = onnx_in(l, 3) == NO_NODE ? l->out[0] : onnx_two(l, "add", l->out[0], l->in[3]);
  return onnx_done(l, activated(l, y, name, l->attr[7].floats, onnx_has(l, 7) ? l->attr[7].n : 0));
}

/* alpha beta transA transB activation activation_alpha activation_beta activation_gamma */
OnnxResult onnx_fused_gemm(OnnxLower *l) {
  const char *name;
  double p[2];
  uint32_t n = 0;
  if (!onnx_attr_word(l, 4, "", &name) || onnx_has(l, 7)) return ONNX_OPAQUE;
  for (; n < 2 && onnx_has(l, 5 + n); n++) {
    if (l->attr[5 + n].kind != ONNX_FLOAT) return ONNX_OPAQUE;
    p[n] = l->attr[5 + n].f;
  }
  return onnx_gemm(l) == ONNX_DONE ? onnx_done(l, activated(l, l->out[0], name, p, n)) : ONNX_OPAQUE;
}

/* channels_last epsilon groups activation; x, scale, shift. */
OnnxResult onnx_runtime_group_norm(OnnxLower *l) {
  int64_t last, swish, perm[COMPOSE_MAX_RANK], back[COMPOSE_MAX_RANK];
  const Node n = *onnx_node(l, l->in[0]);
  OnnxAttr groups = l->attr[2], eps = l->attr[1];
  if (!onnx_attr_int(l, 0, 1, &last) || !onnx_attr_int(l, 3, 0, &swish) || n.rank < 3) return ONNX_OPAQUE;
  for (uint32_t d = 0; d < n.rank; d++) {
    perm[d] = !last || d == 0 ? d : d == 1 ? n.rank - 1u : d - 1;
    back[perm[d]] = d;
  }
  l->in[0] = compose_transpose(&l->c, l->in[0], perm);
  l->attr[0] = eps, l->attr[1] = groups;
  l->text = "group";
  l->opset = 21;
  NodeId x = l->in[0];
  if (x == NO_NODE || onnx_group_norm(l) != ONNX_DONE) return ONNX_OPAQUE;
  NodeId y = compose_transpose(&l->c, l->out[0], back);
  return onnx_done(l, swish ? compose_unary(&l->c, "silu", y) : y);
}

/* axis p: of order 2 or 1. */
OnnxResult onnx_lp_normalization(OnnxLower *l) {
  NodeId x = onnx_in(l, 0);
  const Node n = *onnx_node(l, x);
  int64_t p, one[COMPOSE_MAX_RANK], along;
  uint32_t dim;
  if (!onnx_attr_dim(l, 0, -1, n.rank, &dim) || !onnx_attr_int(l, 1, 2, &p) || (p != 1 && p != 2)) return ONNX_OPAQUE;
  along = dim;
  NodeId s = compose_reduce(&l->c, "reduce_sum", n.dtype, compose_unary(&l->c, p == 1 ? "abs" : "square", x), &along, 1,
                            NULL, 0);
  if (p == 2) s = compose_unary(&l->c, "sqrt", s);
  for (uint32_t d = 0; d < n.rank; d++) one[d] = d == dim ? 1 : n.dims[d];
  return onnx_done(l, onnx_two(l, "divide", x, compose_reshape(&l->c, s, n.rank, one)));
}

/* reduction ignore_index; scores (for SoftmaxCrossEntropyLoss before log softmax), labels.  Weights of classes are not
 * read. */
OnnxResult onnx_cross_entropy(OnnxLower *l) {
  NodeId x = onnx_in(l, 0), t = onnx_in(l, 1);
  const Node n = *onnx_node(l, x), labels = *onnx_node(l, t);
  int64_t ignore, classes = 1, all[COMPOSE_MAX_RANK];
  const char *mode;
  if (onnx_in(l, 2) != NO_NODE || n.rank < 2 || labels.rank != n.rank - 1 || !onnx_attr_word(l, 0, "mean", &mode) ||
      !onnx_attr_int(l, 1, INT64_MIN, &ignore))
    return ONNX_OPAQUE;
  if (ignore == INT64_MIN) ignore = -1; /* no label is */
  Attr a = attr_list("dimensions", &classes, 1);
  if (*l->text == 's') x = compose(&l->c, "log_softmax", n.dtype, n.rank, n.dims, &x, 1, &a, 1);
  if (l->n_out > 1) l->out[1] = x;
  NodeId none = compose_splat(&l->c, labels.dtype, 0, NULL, rat_int(ignore));
  NodeId each = compose(&l->c, "nll_of_label", n.dtype, labels.rank, labels.dims, (NodeId[]){x, t, none}, 3, &a, 1);
  if (!strcmp(mode, "none")) return onnx_done(l, each);
  bool mean = !strcmp(mode, "mean");
  if (!mean && strcmp(mode, "sum")) return ONNX_OPAQUE;
  for (uint32_t d = 0; d < labels.rank; d++) all[d] = d;
  NodeId sum = compose_reduce(&l->c, "reduce_sum", n.dtype, each, all, labels.rank, NULL, 0);
  if (!mean) return onnx_done(l, sum);
  NodeId total = onnx_has(l, 1) ? compose(&l->c, "nll_count", n.dtype, 0, NULL, (NodeId[]){t, none}, 2, NULL, 0)
                                : compose_splat(&l->c, n.dtype, 0, NULL, rat_int(node_elements(&labels)));
  return onnx_done(l, onnx_two(l, "divide", sum, total));
}
