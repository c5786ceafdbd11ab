/* Losses: one number for each element, and their sum or mean.
 *
 * PyTorch writes how as a number: 0 each by itself, 1 the mean, 2 the sum. */
#include <string.h>

#include "frontends/torch/lower.h"

enum { EACH, MEAN, SUM };

static bool reduction_of(const Lower *l, int64_t *out) {
  return arg_int(arg_named(l, "reduction"), MEAN, out) && *out >= EACH && *out <= SUM;
}

static NodeId over_all(Lower *l, const char *op, NodeId x) {
  int64_t all[TORCH_MAX_RANK];
  if (x == NO_NODE) return NO_NODE;
  for (uint32_t d = 0; d < node_of(l, x)->rank; d++) all[d] = d;
  return make_reduce(l, op, node_of(l, x)->dtype, x, all, node_of(l, x)->rank, NULL, 0);
}

static NodeId reduced(Lower *l, NodeId each, int64_t how) {
  return how == EACH ? each : over_all(l, how == MEAN ? "reduce_mean" : "reduce_sum", each);
}

/* Operands in one shape and the result's type; numbers are attributes of their parameter's name, but `weight`, which is
 * a factor, and `reduction`. */
LowerResult lower_loss(Lower *l) {
  uint8_t dtype = l->node->outs[0].dtype;
  NodeId v[LOWER_MAX_PARAMS];
  Attr attrs[LOWER_MAX_PARAMS];
  int64_t dims[TORCH_MAX_RANK], how;
  uint32_t rank = 0, n = 0, n_attrs = 0, k = 0;
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  const TorchArg *weight = arg_named(l, "weight");
  if (!reduction_of(l, &how) || !common_shape(l, x, y, &rank, dims)) return LOWER_OPAQUE;
  for (const char *p = l->params; *p; k++) {
    size_t len = strcspn(p, " ");
    const TorchArg *a = l->arg[k];
    Sym name = sym_n(p, len);
    p += len + (p[len] == ' ');
    if (!a || a == weight || name == sym("reduction")) continue;
    if (a->kind == TA_TENSOR) {
      v[n++] = arg_operand(l, a, dtype, rank, dims);
      continue;
    }
    Attr *to = &attrs[n_attrs++];
    *to = (Attr){.name = name, .kind = ATTR_RAT};
    if (a->ranks || !number_in(a, dtype, &to->r) || !rat_is_finite(to->r)) return LOWER_OPAQUE;
  }
  NodeId each = make(l, l->text, dtype, rank, dims, v, n, attrs, n_attrs);
  if (weight) each = make_binary(l, "multiply", each, arg_operand(l, weight, dtype, rank, dims));
  return done(l, reduced(l, each, how));
}

/* ------------------------------------------------------------------ negative log likelihood of labels */
typedef struct Labels {
  int64_t along;                 /* dimension of the classes */
  NodeId target, ignore, weight; /* of each label; NO_NODE: all count as much */
  Node shape;                    /* of the labels */
} Labels;

/* Labels of scores: of the parameters target, weight and ignore_index. */
static bool labels_of(Lower *l, NodeId scores, Labels *out) {
  const TorchArg *weight = arg_named(l, "weight");
  out->target = arg_tensor(l, arg_named(l, "target"));
  out->ignore = arg_scalar_or(l, arg_named(l, "ignore_index"), RAT_INT(-100), DT_S64);
  out->weight = NO_NODE;
  if (scores == NO_NODE || out->target == NO_NODE || out->ignore == NO_NODE) return false;
  const Node s = *node_of(l, scores);
  out->shape = *node_of(l, out->target);
  if (!s.rank || out->shape.rank != s.rank - 1 || !dtype_is_int((DType)out->shape.dtype)) return false;
  out->along = s.rank == 1 ? 0 : 1;
  if (!weight) return true;
  NodeId v[] = {make_convert(l, arg_tensor(l, weight), s.dtype), out->target, out->ignore};
  out->weight = make(l, "nll_weight", s.dtype, out->shape.rank, out->shape.dims, v, 3, NULL, 0);
  return out->weight != NO_NODE;
}

static NodeId weighted(Lower *l, const Labels *t, NodeId each) {
  return t->weight == NO_NODE ? each : make_binary(l, "multiply", each, t->weight);
}

static NodeId loss_of(Lower *l, const Labels *t, NodeId scores, uint8_t dtype) {
  NodeId v[] = {scores, t->target, t->ignore};
  Attr a = attr_dim(l, "dimensions", t->along);
  return weighted(l, t, make(l, "nll_each", dtype, t->shape.rank, t->shape.dims, v, 3, &a, 1));
}

/* How much all labels count together. */
static NodeId total_of(Lower *l, const Labels *t, uint8_t dtype) {
  if (t->weight != NO_NODE) return over_all(l, "reduce_sum", t->weight);
  return make(l, "nll_count", dtype, 0, NULL, (NodeId[]){t->target, t->ignore}, 2, NULL, 0);
}

/* The loss of labels, and perhaps their total as result 1. */
LowerResult lower_nll(Lower *l) {
  Labels t;
  NodeId x = arg_tensor(l, l->arg[0]);
  uint8_t dtype = l->node->outs[0].dtype;
  int64_t how;
  if (!labels_of(l, x, &t) || !reduction_of(l, &how)) return LOWER_OPAQUE;
  NodeId each = loss_of(l, &t, x, dtype), loss = each, total = how == EACH ? NO_NODE : total_of(l, &t, dtype);
  if (how != EACH) loss = over_all(l, "reduce_sum", each);
  if (how == MEAN) loss = make_binary(l, "divide", loss, total);
  if (l->node->n_outs > 1) set_result(l, 1, how == EACH ? make_splat(l, dtype, 0, NULL, RAT_0) : total);
  return done(l, loss);
}

LowerResult lower_nll_backward(Lower *l) {
  Labels t;
  NodeId g = arg_tensor(l, l->arg[0]), total = arg_tensor(l, arg_named(l, "total_weight"));
  int64_t how;
  if (g == NO_NODE || total == NO_NODE || !labels_of(l, arg_tensor(l, l->arg[1]), &t) || !reduction_of(l, &how))
    return LOWER_OPAQUE;
  if (how == MEAN) g = make_binary(l, "divide", g, total);
  NodeId v[] = {weighted(l, &t, make_broadcast(l, g, t.shape.rank, t.shape.dims)), t.target, t.ignore};
  Attr a = attr_dim(l, "dimensions", t.along);
  return done(l, make_out(l, 0, "nll_backward", v, 3, &a, 1));
}

/* ------------------------------------------------------------------ cross entropy of scores */
/* x times a vector over the classes, if there is one. */
static NodeId by_class(Lower *l, NodeId x, int64_t along) {
  const TorchArg *weight = arg_named(l, "weight");
  if (!weight || x == NO_NODE) return x;
  const Node n = *node_of(l, x);
  NodeId w = make_convert(l, arg_tensor(l, weight), n.dtype);
  Attr a = attr_dim(l, "dimensions", along);
  return make_binary(l, "multiply", x, make(l, "broadcast", n.dtype, n.rank, n.dims, &w, 1, &a, 1));
}

/* Of probabilities: -sum(target * log p), the mean over everything but the classes.  Smoothing mixes in equal ones. */
static NodeId of_chances(Lower *l, NodeId logs, NodeId smoothing, int64_t how) {
  const Node n = *node_of(l, logs);
  int64_t along = n.rank == 1 ? 0 : 1;
  NodeId t = arg_operand(l, arg_named(l, "target"), n.dtype, n.rank, n.dims);
  if (smoothing != NO_NODE) {
    NodeId even = make_splat(l, n.dtype, n.rank, n.dims, rat_frac(1, n.dims[along]));
    NodeId v[] = {t, even, make_broadcast(l, smoothing, n.rank, n.dims)};
    t = make(l, "lerp", n.dtype, n.rank, n.dims, v, 3, NULL, 0);
  }
  NodeId x = by_class(l, make_binary(l, "multiply", logs, t), along);
  x = make_reduce(l, "reduce_sum", n.dtype, x, &along, 1, NULL, 0);
  return x == NO_NODE ? NO_NODE : reduced(l, compose_unary(make_composer(l), "negate", x), how);
}

/* What smoothing mixes in: the mean over the classes of -log p, where the label counts. */
static NodeId smoothed(Lower *l, const Labels *t, NodeId logs, NodeId loss, NodeId smoothing, int64_t how) {
  const Node n = *node_of(l, logs);
  NodeId x = by_class(l, logs, t->along), v[] = {t->target, make_broadcast(l, t->ignore, t->shape.rank, t->shape.dims)};
  x = make_reduce(l, "reduce_mean", n.dtype, x, &t->along, 1, NULL, 0);
  Attr equal = attr_sym("direction", "NE");
  NodeId counts = make(l, "compare", DT_PRED, t->shape.rank, t->shape.dims, v, 2, &equal, 1);
  x = make_binary(l, "multiply", x, make_convert(l, counts, n.dtype));
  if (x == NO_NODE || loss == NO_NODE) return NO_NODE;
  x = compose_unary(make_composer(l), "negate", x);
  if (how != EACH) x = over_all(l, "reduce_sum", x);
  if (how == MEAN) x = make_binary(l, "divide", x, total_of(l, t, n.dtype));
  const Node out = *node_of(l, loss);
  NodeId mixed[] = {loss, x, make_broadcast(l, smoothing, out.rank, out.dims)};
  return make(l, "lerp", out.dtype, out.rank, out.dims, mixed, 3, NULL, 0);
}

/* self target weight reduction ignore_index label_smoothing */
LowerResult lower_cross_entropy(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]), smoothing = NO_NODE;
  const TorchArg *share = arg_named(l, "label_smoothing");
  int64_t how;
  Labels t;
  if (x == NO_NODE || y == NO_NODE || !node_of(l, x)->rank || !reduction_of(l, &how)) return LOWER_OPAQUE;
  const Node n = *node_of(l, x);
  Attr a = attr_dim(l, "dimensions", n.rank == 1 ? 0 : 1);
  NodeId logs = make(l, "log_softmax", n.dtype, n.rank, n.dims, &x, 1, &a, 1);
  if (share && (smoothing = arg_scalar(l, share, n.dtype)) == NO_NODE) return LOWER_OPAQUE;
  if (dtype_is_float((DType)node_of(l, y)->dtype)) return done(l, of_chances(l, logs, smoothing, how));
  if (!labels_of(l, logs, &t)) return LOWER_OPAQUE;
  NodeId loss = loss_of(l, &t, logs, n.dtype);
  if (how != EACH) loss = over_all(l, "reduce_sum", loss);
  if (how == MEAN) loss = make_binary(l, "divide", loss, total_of(l, &t, n.dtype));
  return done(l, smoothing == NO_NODE ? loss : smoothed(l, &t, logs, loss, smoothing, how));
}
