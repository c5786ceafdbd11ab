/* Rules of reverse-mode differentiation, one per operator of the library.  What PyTorch's backward pass has an operator of
 * its own for is made that operator. */
#include "frontends/plan/vjp.h"

#include <string.h>

typedef struct Vjp {
  Composer *c;
  const VjpRange *r;
  NodeId *gradient; /* by node of the range, then by operand */
  bool *active;     /* the same: a wanted operand, or computed from one */
  /* the node whose rule runs */
  Node n;
  NodeId node, g; /* it, and its gradient */
} Vjp;

/* Gives its operands their gradients; false: this case has no rule. */
typedef bool Rule(Vjp *v);

/* Where the gradient of a node is kept; UINT32_MAX: it has none. */
static uint32_t place(const VjpRange *r, NodeId id) {
  for (uint32_t k = 0; k < r->n_operands; k++)
    if (r->operand[k] == id) return r->to - r->from + k;
  return id >= r->from && id < r->to ? id - r->from : UINT32_MAX;
}

static bool is_active(const Vjp *v, NodeId id) {
  uint32_t at = place(v->r, id);
  return at != UINT32_MAX && v->active[at];
}

static void flow(Vjp *v, NodeId id, NodeId g) {
  NodeId *at = &v->gradient[place(v->r, id)];
  *at = *at == NO_NODE ? g : compose_binary(v->c, "add", *at, g);
}

static bool needs(const Vjp *v, uint32_t k) { return is_active(v, v->n.args[k]); }
static Node arg_node(const Vjp *v, uint32_t k) { return *compose_node(v->c, v->n.args[k]); }

/* The gradient of operand k of the node, which is active. */
static bool give(Vjp *v, uint32_t k, NodeId g) {
  if (g == NO_NODE) return false;
  flow(v, v->n.args[k], g);
  return true;
}

static NodeId number(Vjp *v, Rat value) { return compose_splat(v->c, v->n.dtype, v->n.rank, v->n.dims, value); }
static NodeId times(Vjp *v, NodeId x, NodeId y) { return compose_binary(v->c, "multiply", x, y); }
static NodeId zeros_like(Vjp *v, const Node *x) { return compose_splat(v->c, x->dtype, x->rank, x->dims, RAT_0); }

/* ---- elementwise */
static bool same_rule(Vjp *v) { return give(v, 0, v->g); }
static bool negate_rule(Vjp *v) { return give(v, 0, compose_unary(v->c, "negate", v->g)); }
static bool add_rule(Vjp *v) {
  for (uint32_t k = 0; k < 2; k++)
    if (needs(v, k) && !give(v, k, v->g)) return false;
  return true;
}
static bool subtract_rule(Vjp *v) {
  return (!needs(v, 0) || give(v, 0, v->g)) && (!needs(v, 1) || give(v, 1, compose_unary(v->c, "negate", v->g)));
}
static bool multiply_rule(Vjp *v) {
  for (uint32_t k = 0; k < 2; k++)
    if (needs(v, k) && !give(v, k, times(v, v->g, v->n.args[1 - k]))) return false;
  return true;
}
static bool divide_rule(Vjp *v) {
  if (needs(v, 0) && !give(v, 0, compose_binary(v->c, "divide", v->g, v->n.args[1]))) return false;
  if (!needs(v, 1)) return true;
  NodeId y = compose_binary(v->c, "divide", times(v, v->g, v->node), v->n.args[1]);
  return give(v, 1, compose_unary(v->c, "negate", y));
}
static bool power_of_rule(Vjp *v) {
  Rat e = node_attr(&v->n, sym("exponent"))->r, less = rat_sub(e, RAT_1);
  Attr a = attr_rat("exponent", less);
  NodeId x = v->n.args[0];
  if (less == RAT_0) return give(v, 0, v->g);
  if (less != RAT_1) x = compose(v->c, "power_of", v->n.dtype, v->n.rank, v->n.dims, &x, 1, &a, 1);
  return give(v, 0, times(v, v->g, times(v, x, number(v, e))));
}
static bool power_rule(Vjp *v) {
  NodeId y = v->n.args[1], args[] = {v->n.args[0], compose_binary(v->c, "subtract", y, number(v, RAT_1))};
  if (needs(v, 1)) return false;
  NodeId x = compose_binary(v->c, "power", args[0], args[1]);
  return give(v, 0, times(v, v->g, times(v, x, y)));
}
static bool exponential_rule(Vjp *v) { return give(v, 0, times(v, v->g, v->node)); }
static bool log_rule(Vjp *v) { return give(v, 0, compose_binary(v->c, "divide", v->g, v->n.args[0])); }
static bool sqrt_rule(Vjp *v) {
  return give(v, 0, compose_binary(v->c, "divide", v->g, times(v, v->node, number(v, RAT_INT(2)))));
}
static bool rsqrt_rule(Vjp *v) {
  Attr a = attr_rat("exponent", RAT_INT(3));
  NodeId cube = compose(v->c, "power_of", v->n.dtype, v->n.rank, v->n.dims, &v->node, 1, &a, 1);
  return give(v, 0, times(v, times(v, v->g, number(v, rat_frac(-1, 2))), cube));
}
static bool tanh_rule(Vjp *v) { return give(v, 0, compose_binary(v->c, "tanh_backward", v->g, v->node)); }
static bool logistic_rule(Vjp *v) { return give(v, 0, compose_binary(v->c, "sigmoid_backward", v->g, v->node)); }
static bool silu_rule(Vjp *v) { return give(v, 0, compose_binary(v->c, "silu_backward", v->g, v->n.args[0])); }
static bool gelu_rule(Vjp *v) { return give(v, 0, compose_binary(v->c, "gelu_backward", v->g, v->n.args[0])); }
static bool gelu_tanh_rule(Vjp *v) {
  return give(v, 0, compose_binary(v->c, "gelu_tanh_backward", v->g, v->n.args[0]));
}
static bool convert_rule(Vjp *v) { return give(v, 0, compose_convert(v->c, v->g, arg_node(v, 0).dtype)); }
static bool select_rule(Vjp *v) {
  NodeId zero = zeros_like(v, &v->n);
  for (uint32_t k = 1; k < 3; k++) {
    NodeId args[] = {v->n.args[0], k == 1 ? v->g : zero, k == 1 ? zero : v->g};
    if (needs(v, k) && !give(v, k, compose(v->c, "select", v->n.dtype, v->n.rank, v->n.dims, args, 3, NULL, 0)))
      return false;
  }
  return true;
}
static bool complex_multiply_rule(Vjp *v) {
  for (uint32_t k = 0; k < 2; k++)
    if (needs(v, k) && !give(v, k, compose_binary(v->c, "complex_multiply", v->g,
                                                  compose_unary(v->c, "complex_conjugate", v->n.args[1 - k]))))
      return false;
  return true;
}

/* ---- what moves values */
static bool reshape_rule(Vjp *v) {
  Node x = arg_node(v, 0);
  return give(v, 0, compose_reshape(v->c, v->g, x.rank, x.dims));
}
static bool transpose_rule(Vjp *v) {
  const Attr *a = node_attr(&v->n, sym("dimensions"));
  int64_t perm[COMPOSE_MAX_RANK];
  for (uint32_t d = 0; d < a->n; d++) perm[a->ints[d]] = d;
  return give(v, 0, compose_transpose(v->c, v->g, perm));
}
static bool broadcast_rule(Vjp *v) {
  const Attr *a = node_attr(&v->n, sym("dimensions"));
  int64_t over[COMPOSE_MAX_RANK];
  uint32_t n = 0, k = 0;
  for (uint32_t d = 0; d < v->n.rank; d++) {
    if (k < a->n && a->ints[k] == d) k++;
    else over[n++] = d;
  }
  return k == a->n && give(v, 0, compose_reduce(v->c, "reduce_sum", v->n.dtype, v->g, over, n, NULL, 0));
}
static bool slice_rule(Vjp *v) {
  Node x = arg_node(v, 0);
  const Attr *start = node_attr(&v->n, sym("starts")), *step = node_attr(&v->n, sym("strides"));
  int64_t high[COMPOSE_MAX_RANK];
  for (uint32_t d = 0; d < x.rank; d++) {
    if (step->ints[d] != 1) return false;
    high[d] = x.dims[d] - start->ints[d] - v->n.dims[d];
  }
  return give(v, 0, compose_pad(v->c, v->g, compose_splat(v->c, x.dtype, 0, NULL, RAT_0), start->ints, high));
}
static bool pad_rule(Vjp *v) {
  Node x = arg_node(v, 0);
  const Attr *low = node_attr(&v->n, sym("low")), *interior = node_attr(&v->n, sym("interior"));
  NodeId g = v->g;
  if (needs(v, 1)) return false;
  for (uint32_t d = 0; d < x.rank; d++)
    g = interior->ints[d] ? NO_NODE : compose_slice(v->c, g, d, low->ints[d], x.dims[d], 1);
  return give(v, 0, g);
}
static bool concatenate_rule(Vjp *v) {
  uint32_t dim = (uint32_t)node_attr(&v->n, sym("dimensions"))->ints[0];
  int64_t at = 0;
  for (uint32_t k = 0; k < v->n.n_args; k++) {
    int64_t size = arg_node(v, k).dims[dim];
    if (needs(v, k) && !give(v, k, compose_slice(v->c, v->g, dim, at, size, 1))) return false;
    at += size;
  }
  return true;
}
static bool embedding_rule(Vjp *v) {
  Node table = arg_node(v, 0);
  Attr a = attr_int("padding", -1);
  return table.rank == 2 && give(v, 0, compose(v->c, "embedding_backward", table.dtype, 2, table.dims,
                                               (NodeId[]){v->g, v->n.args[1]}, 2, &a, 1));
}
static bool take_along_rule(Vjp *v) {
  Node x = arg_node(v, 0);
  const Attr *a = node_attr(&v->n, sym("dimensions"));
  return give(v, 0, compose(v->c, "add_along", x.dtype, x.rank, x.dims,
                            (NodeId[]){zeros_like(v, &x), v->n.args[1], v->g}, 3, a, 1));
}

/* ---- sums and products */
/* The gradient at every value that was summed. */
static NodeId spread(Vjp *v) {
  Node x = arg_node(v, 0);
  const Attr *over = node_attr(&v->n, sym("dimensions"));
  int64_t kept[COMPOSE_MAX_RANK];
  uint32_t n = 0, k = 0;
  for (uint32_t d = 0; d < x.rank; d++) {
    if (k < over->n && over->ints[k] == d) k++;
    else kept[n++] = d;
  }
  Attr a = attr_list("dimensions", kept, n);
  return over->n ? compose(v->c, "broadcast", x.dtype, x.rank, x.dims, &v->g, 1, &a, 1) : v->g;
}
static bool reduce_sum_rule(Vjp *v) { return give(v, 0, spread(v)); }
static bool reduce_mean_rule(Vjp *v) {
  Node x = arg_node(v, 0);
  int64_t count = node_elements(&x) / node_elements(&v->n);
  NodeId by = compose_splat(v->c, x.dtype, x.rank, x.dims, rat_int(count));
  return give(v, 0, compose_binary(v->c, "divide", spread(v), by));
}

/* Dimensions of one operand of a dot: those shared with the other, those summed, those of its own. */
typedef struct Side {
  const Attr *batch, *over;
  uint8_t rank;
  int64_t own[COMPOSE_MAX_RANK];
  uint32_t n_own;
} Side;

static Side side(const Vjp *v, uint32_t k) {
  Side s = {.batch = node_attr(&v->n, sym(k ? "rhs_batch_dims" : "lhs_batch_dims")),
            .over = node_attr(&v->n, sym(k ? "rhs_contracting_dims" : "lhs_contracting_dims")),
            .rank = arg_node(v, k).rank};
  for (int64_t d = 0; d < s.rank; d++) {
    bool taken = false;
    for (uint32_t i = 0; i < s.batch->n; i++) taken |= s.batch->ints[i] == d;
    for (uint32_t i = 0; i < s.over->n; i++) taken |= s.over->ints[i] == d;
    if (!taken) s.own[s.n_own++] = d;
  }
  return s;
}

/* The gradient of operand k is that of the product times the other operand, summed over the other's own dimensions; then
 * its dimensions are the shared ones, its own, and those that were summed, in the order of the other. */
static bool dot_side(Vjp *v, uint32_t k) {
  Side x = side(v, k), y = side(v, 1 - k);
  Node in = arg_node(v, k), other = arg_node(v, 1 - k);
  int64_t shared[COMPOSE_MAX_RANK], over[COMPOSE_MAX_RANK], dims[COMPOSE_MAX_RANK], perm[COMPOSE_MAX_RANK];
  uint32_t n = 0, first = x.batch->n + (k ? 0 : x.n_own); /* of the other's dimensions in the product */
  for (uint32_t i = 0; i < x.batch->n; i++) shared[i] = i;
  for (uint32_t i = 0; i < y.n_own; i++) over[i] = first + i;
  for (uint32_t i = 0; i < x.batch->n; i++) perm[x.batch->ints[i]] = n, dims[n++] = in.dims[x.batch->ints[i]];
  for (uint32_t i = 0; i < x.n_own; i++) perm[x.own[i]] = n, dims[n++] = in.dims[x.own[i]];
  for (int64_t d = 0; d < other.rank; d++)
    for (uint32_t i = 0; i < y.over->n; i++)
      if (y.over->ints[i] == d) perm[x.over->ints[i]] = n, dims[n++] = other.dims[d];
  Attr a[] = {attr_list("lhs_batch_dims", shared, x.batch->n), attr_list("rhs_batch_dims", y.batch->ints, y.batch->n),
              attr_list("lhs_contracting_dims", over, y.n_own), attr_list("rhs_contracting_dims", y.own, y.n_own)};
  NodeId g = compose(v->c, "dot", in.dtype, n, dims, (NodeId[]){v->g, v->n.args[1 - k]}, 2, a, 4);
  return give(v, k, compose_transpose(v->c, g, perm));
}
static bool dot_rule(Vjp *v) { return (!needs(v, 0) || dot_side(v, 0)) && (!needs(v, 1) || dot_side(v, 1)); }

/* ---- rows */
static bool softmax_rule(Vjp *v) {
  const Attr *a = node_attr(&v->n, sym("dimensions"));
  return give(v, 0, compose(v->c, "softmax_backward", v->n.dtype, v->n.rank, v->n.dims, (NodeId[]){v->g, v->node}, 2,
                            a, 1));
}

/* x, its mean and its scale: the gradient of x through all three is one operator. */
static bool layer_norm_rule(Vjp *v) {
  NodeId x = v->n.args[0];
  Node in = arg_node(v, 0), m = arg_node(v, 1), r = arg_node(v, 2);
  const Attr *a = node_attr(&v->n, sym("dimensions")), *b = node_attr(&m, sym("dimensions")),
             *c = node_attr(&r, sym("dimensions"));
  if (m.op != sym("reduce_mean") || r.op != sym("layer_norm_scale") || m.args[0] != x || r.args[0] != x ||
      is_active(v, r.args[1]) || a->n != b->n || a->n != c->n || memcmp(a->ints, b->ints, a->n * sizeof *a->ints) ||
      memcmp(a->ints, c->ints, a->n * sizeof *a->ints))
    return false;
  NodeId gh = times(v, v->g, v->node);
  NodeId args[] = {v->g, v->node, v->n.args[2],
                   compose_reduce(v->c, "reduce_mean", in.dtype, gh, a->ints, a->n, NULL, 0),
                   compose_reduce(v->c, "reduce_mean", in.dtype, v->g, a->ints, a->n, NULL, 0)};
  return give(v, 0, compose(v->c, "layer_norm_backward", in.dtype, in.rank, in.dims, args, 5, a, 1));
}

static const struct {
  const char *op;
  Rule *rule;
} rules[] = {
    {"copy", same_rule},
    {"negate", negate_rule},
    {"add", add_rule},
    {"subtract", subtract_rule},
    {"multiply", multiply_rule},
    {"divide", divide_rule},
    {"power_of", power_of_rule},
    {"power", power_rule},
    {"exponential", exponential_rule},
    {"log", log_rule},
    {"sqrt", sqrt_rule},
    {"rsqrt", rsqrt_rule},
    {"tanh", tanh_rule},
    {"logistic", logistic_rule},
    {"silu", silu_rule},
    {"gelu", gelu_rule},
    {"gelu_tanh", gelu_tanh_rule},
    {"convert", convert_rule},
    {"select", select_rule},
    {"complex_multiply", complex_multiply_rule},
    {"reshape", reshape_rule},
    {"transpose", transpose_rule},
    {"broadcast", broadcast_rule},
    {"slice", slice_rule},
    {"pad", pad_rule},
    {"concatenate", concatenate_rule},
    {"embedding", embedding_rule},
    {"take_along", take_along_rule},
    {"reduce_sum", reduce_sum_rule},
    {"reduce_mean", reduce_mean_rule},
    {"dot", dot_rule},
    {"softmax", softmax_rule},
    {"layer_norm_rows", layer_norm_rule},
};

static Rule *rule_of(const Node *n) {
  for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
    if (n->op == sym(rules[k].op)) return rules[k].rule;
  return NULL;
}

bool vjp_separate(const Composer *c, const VjpRange *r) {
  uint32_t n = r->to - r->from;
  for (uint32_t k = 0; k < r->n_operands; k++)
    if (place(r, r->operand[k]) != n + k) return false;
  for (uint32_t k = 0; k < r->n_results; k++)
    if (place(r, r->result[k]) == UINT32_MAX) return false;
  for (NodeId id = r->from; id < r->to; id++) {
    const Node *x = compose_node(c, id);
    if (place(r, id) >= n) continue;
    for (uint32_t k = 0; k < x->n_args; k++)
      if (place(r, x->args[k]) == UINT32_MAX && compose_node(c, x->args[k])->op != sym("partition_id")) return false;
  }
  return true;
}

static void mark_active(Vjp *v, const bool *wanted) {
  const VjpRange *r = v->r;
  uint32_t n = r->to - r->from;
  for (uint32_t k = 0; k < r->n_operands; k++) v->active[n + k] = wanted[k];
  for (NodeId id = r->from; id < r->to; id++) {
    const Node *x = compose_node(v->c, id);
    for (uint32_t k = 0; dtype_is_float((DType)x->dtype) && place(r, id) < n && k < x->n_args; k++)
      v->active[id - r->from] |= is_active(v, x->args[k]);
  }
}

static const char *backwards(Vjp *v) {
  for (NodeId id = v->r->to; id-- > v->r->from;) {
    v->g = v->gradient[id - v->r->from];
    if (v->g == NO_NODE || !is_active(v, id) || place(v->r, id) != id - v->r->from) continue;
    v->n = *compose_node(v->c, v->node = id);
    Rule *rule = rule_of(&v->n);
    if (!rule || !rule(v)) return sym_text(v->n.op);
  }
  return NULL;
}

const char *vjp(Composer *c, const VjpRange *r, const NodeId *gradient, const bool *wanted, NodeId *out) {
  uint32_t n = r->to - r->from, all = n + r->n_operands;
  Vjp v = {.c = c, .r = r, .gradient = xcalloc(all + 1, sizeof *v.gradient), .active = xcalloc(all + 1, sizeof *v.active)};
  for (uint32_t k = 0; k < all; k++) v.gradient[k] = NO_NODE;
  mark_active(&v, wanted);
  for (uint32_t k = 0; k < r->n_results; k++)
    if (gradient[k] != NO_NODE && is_active(&v, r->result[k])) flow(&v, r->result[k], gradient[k]);
  const char *missing = backwards(&v);
  for (uint32_t k = 0; k < r->n_operands && !missing; k++) {
    if (!wanted[k]) continue;
    const Node x = *compose_node(c, r->operand[k]);
    out[k] = v.gradient[n + k] != NO_NODE ? v.gradient[n + k] : zeros_like(&v, &x);
  }
  free(v.gradient);
  free(v.active);
  return missing;
}
