/* See folded.h. */
#include "frontends/onnx/folded.h"

#include <string.h>

#define MAX_COMPUTED (INT64_C(1) << 27) /* elements, and products in sums of them */

/* A product with a weight, and what became of its result since: at channel k of dimension `dim` it is the product with
 * weight[k], and bias[k] added. */
typedef struct Chain {
  NodeId weight, bias; /* in the graph of folded values; bias NO_NODE: none yet; weight NO_NODE: no such product */
  uint32_t out;        /* dimension of the weight that is the channels */
  int dim;             /* of the result; -1: no one dimension any more */
} Chain;
static const Chain no_chain = {NO_NODE, NO_NODE, 0, -1};

typedef struct Walk {
  Folded *f;
  const Graph *before;
  NodeId *at;   /* by node before: the same value in the graph of folded values, or NO_NODE */
  Chain *chain; /* by node before */
} Walk;

static const Node *node_of(const Folded *f, NodeId id) { return &f->g->nodes.at[id]; }

static int64_t cost(const Graph *g, const Node *n) {
  int64_t all = node_elements(n), more = 1;
  const Attr *a = node_attr(n, sym("lhs_contracting_dims"));
  if (!a) a = node_attr(n, sym("dimensions"));
  bool sums = n->op == sym("dot") || n->op == sym("reduce_sum") || n->op == sym("reduce_mean");
  for (uint32_t k = 0; a && sums && k < a->n; k++) more *= g->nodes.at[n->args[0]].dims[a->ints[k]];
  return __builtin_mul_overflow(all, more, &all) ? INT64_MAX : all;
}

/* Values of nodes that are new; false: one has none, and is of no use. */
static bool value_new(Folded *f) {
  bool all = true;
  while (f->worth.len < f->g->nodes.len) {
    NodeId id = (NodeId)f->worth.len;
    int64_t c = cost(f->g, node_of(f, id));
    Worth w = {0};
    if (c <= f->left) {
      f->left -= c;
      w = worth_node(f->g, id, f->worth.at, &f->arena);
    }
    vec_push(&f->worth, w);
    all &= w.value != NULL;
  }
  return all;
}

/* ---- what depends on no input */
static NodeId add_parameter(Folded *f, const Graph *before, const Node *n) {
  const double *values = before->param_values ? before->param_values[n->param] : NULL;
  if (!values) return NO_NODE;
  NodeId id = graph_add(f->g, n);
  vec_push(&f->worth, (Worth){values, NULL});
  return id;
}

static NodeId add_closed(Walk *w, const Node *n) {
  if (n->op == sym("parameter")) return add_parameter(w->f, w->before, n);
  Node copy = *n;
  NodeId *args = ARENA_ARRAY(&w->f->arena, NodeId, n->n_args + 1);
  for (uint32_t k = 0; k < n->n_args; k++)
    if ((args[k] = w->at[n->args[k]]) == NO_NODE) return NO_NODE;
  copy.args = args;
  copy.line = copy.frames = 0;
  NodeId id = graph_add(w->f->g, &copy);
  return value_new(w->f) ? id : NO_NODE;
}

/* ---- what is done in channels */
/* An operand of shape n->dims that depends on dimension `dim` alone, as a vector over it (dim < 0: that is one number,
 * as a scalar); else NO_NODE. */
static NodeId along(Walk *w, const Node *n, NodeId operand, int dim) {
  const Node *x = &w->before->nodes.at[operand];
  NodeId y = w->at[operand];
  bool spread = x->op == sym("broadcast");
  const int64_t *places = spread ? node_attr(x, sym("dimensions"))->ints : NULL, one = 1;
  const int64_t *shape = dim < 0 ? &one : &n->dims[dim];
  if (spread) y = w->at[x->args[0]], x = &w->before->nodes.at[x->args[0]];
  if (y == NO_NODE) return NO_NODE;
  if (x->literal && x->literal->kind == LIT_SPLAT)
    return compose_splat(&w->f->c, x->dtype, dim >= 0, shape, x->literal->values[0]);
  for (int d = 0; d < x->rank; d++)
    if (x->dims[d] != 1 && (spread ? places[d] : d) != dim) return NO_NODE;
  int64_t size = node_elements(x);
  if (size != 1 && (dim < 0 || size != n->dims[dim])) return NO_NODE;
  return compose_broadcast(&w->f->c, compose_reshape(&w->f->c, y, size != 1, &size), dim >= 0, shape);
}

/* x with a vector over its dimension `dim`, or a scalar. */
static NodeId apply(Folded *f, const char *op, NodeId x, NodeId v, uint32_t dim) {
  if (x == NO_NODE || v == NO_NODE) return NO_NODE;
  const Node n = *node_of(f, x);
  int64_t ones[COMPOSE_MAX_RANK];
  for (uint32_t d = 0; d < n.rank; d++) ones[d] = d == dim ? node_elements(node_of(f, v)) : 1;
  v = compose_broadcast(&f->c, compose_reshape(&f->c, v, n.rank, ones), n.rank, n.dims);
  return compose_binary(&f->c, op, x, v);
}

static Chain chain_binary(Walk *w, const Node *n) {
  bool scales = n->op == sym("multiply") || n->op == sym("divide"), minus = n->op == sym("subtract");
  if ((!scales && !minus && n->op != sym("add")) || n->n_args != 2) return no_chain;
  bool commutes = n->op == sym("add") || n->op == sym("multiply");
  uint32_t k = w->chain[n->args[0]].weight == NO_NODE && commutes;
  Chain c = w->chain[n->args[k]];
  if (c.weight == NO_NODE || w->at[n->args[1 - k]] == NO_NODE) return no_chain;
  NodeId v = along(w, n, n->args[1 - k], c.dim);
  if (v == NO_NODE) return no_chain;
  const char *op = sym_text(n->op);
  if (scales) c.weight = apply(w->f, op, c.weight, v, c.out);
  if (c.bias != NO_NODE) c.bias = apply(w->f, op, c.bias, v, 0);
  else if (!scales) c.bias = minus ? compose_unary(&w->f->c, "negate", v) : v;
  if (c.weight == NO_NODE || !value_new(w->f)) return no_chain;
  return c;
}

/* The only dimension of the weight that is not summed. */
static Chain chain_dot(Walk *w, const Node *n) {
  const Attr *batch = node_attr(n, sym("lhs_batch_dims"));
  bool left = w->at[n->args[0]] != NO_NODE;
  NodeId weight = w->at[n->args[left ? 0 : 1]];
  if (weight == NO_NODE || (batch && batch->n)) return no_chain;
  const Attr *over = node_attr(n, sym(left ? "lhs_contracting_dims" : "rhs_contracting_dims"));
  const Node *x = node_of(w->f, weight);
  if (!over || over->n != 1 || x->rank != 2) return no_chain;
  return (Chain){weight, NO_NODE, over->ints[0] == 0, left ? 0 : n->rank - 1};
}

static Chain chain_moved(Walk *w, const Node *n) {
  Chain c = w->chain[n->args[0]];
  const Node *x = &w->before->nodes.at[n->args[0]];
  if (c.weight == NO_NODE || c.dim < 0) return c;
  int64_t before = 1, at = 1;
  int dim = -1;
  for (int d = 0; d < c.dim; d++) before *= x->dims[d];
  for (int d = 0; d < n->rank; at *= n->dims[d++])
    if (n->op == sym("transpose") ? node_attr(n, sym("dimensions"))->ints[d] == c.dim
                                  : at == before && n->dims[d] == x->dims[c.dim])
      dim = d;
  c.dim = dim;
  return c;
}

static Chain chain_of(Walk *w, const Node *n) {
  if (n->op == sym("dot")) return chain_dot(w, n);
  if (n->op == sym("convolution") && w->at[n->args[1]] != NO_NODE)
    return (Chain){w->at[n->args[1]], NO_NODE, (uint32_t)node_attr_int(n, sym("kernel_output_feature_dimension"), 0),
                   (int)node_attr_int(n, sym("output_feature_dimension"), 1)};
  if (n->op == sym("reshape") || n->op == sym("transpose")) return chain_moved(w, n);
  return chain_binary(w, n);
}

Folded *folded_new(const Graph *before) {
  Folded *f = xcalloc(1, sizeof *f);
  f->g = graph_new();
  f->c.g = f->g;
  f->left = MAX_COMPUTED;
  size_t n = before->nodes.len;
  Walk w = {f, before, xcalloc(n + 1, sizeof *w.at), xcalloc(n + 1, sizeof *w.chain)};
  for (size_t k = 0; k < n; k++) {
    const Node *x = &before->nodes.at[k];
    w.at[k] = add_closed(&w, x);
    w.chain[k] = w.at[k] == NO_NODE && x->n_args ? chain_of(&w, x) : no_chain;
  }
  free(w.at);
  free(w.chain);
  return f;
}

void folded_free(Folded *f) {
  if (!f) return;
  graph_free(f->g);
  arena_free(&f->arena);
  vec_free(&f->worth);
  free(f);
}
