/* Compose: operators of the library put together as nodes of a graph, with the shapes of their results.
 *
 * For readers of formats whose operators are compositions of the library's (PyTorch, ONNX).  A node that cannot be made
 * (sizes that do not fit, too many elements) is NO_NODE, and so is everything made from it; nothing is reported.  Nodes
 * get the name, label, line and frames of `stamp`. */
#ifndef TVR_FRONTENDS_COMPOSE_H
#define TVR_FRONTENDS_COMPOSE_H
#include "eval/graph/graph.h"

enum { COMPOSE_MAX_RANK = 62 };
#define COMPOSE_MAX_ELEMENTS (INT64_C(1) << 56)

typedef struct Composer {
  Graph *g;
  Node stamp;
} Composer;

static inline const Node *compose_node(const Composer *c, NodeId id) { return &c->g->nodes.at[id]; }
/* Product of sizes; false if one is negative or there are too many elements. */
bool compose_elements(uint32_t rank, const int64_t *dims, int64_t *out);
/* The node as it stands, with the stamp. */
NodeId compose_add(Composer *c, Node *n);
/* `dims`, `args` and `attrs` are copied. */
NodeId compose(Composer *c, const char *op, uint8_t dtype, uint32_t rank, const int64_t *dims, const NodeId *args,
               uint32_t n_args, const Attr *attrs, uint32_t n_attrs);
/* Attributes; lists are not copied before the node is made. */
static inline Attr attr_list(const char *name, const int64_t *v, uint32_t n) {
  return (Attr){.name = sym(name), .kind = ATTR_INTS, .ints = v, .n = n};
}
static inline Attr attr_int(const char *name, int64_t v) { return (Attr){.name = sym(name), .kind = ATTR_INT, .i = v}; }
static inline Attr attr_sym(const char *name, const char *v) {
  return (Attr){.name = sym(name), .kind = ATTR_SYM, .s = sym(v)};
}
static inline Attr attr_rat(const char *name, Rat v) { return (Attr){.name = sym(name), .kind = ATTR_RAT, .r = v}; }

NodeId compose_splat(Composer *c, uint8_t dtype, uint32_t rank, const int64_t *dims, Rat value);
NodeId compose_table(Composer *c, uint8_t dtype, uint32_t rank, const int64_t *dims, const Rat *values);
NodeId compose_reshape(Composer *c, NodeId x, uint32_t rank, const int64_t *dims);
NodeId compose_transpose(Composer *c, NodeId x, const int64_t *perm);
NodeId compose_convert(Composer *c, NodeId x, uint8_t dtype);
/* Last dimensions against last, sizes of 1 are repeated. */
NodeId compose_broadcast(Composer *c, NodeId x, uint32_t rank, const int64_t *dims);
NodeId compose_slice(Composer *c, NodeId x, uint32_t dim, int64_t start, int64_t size, int64_t step);
/* With entries of `value` (a scalar node) before and after; negative amounts crop. */
NodeId compose_pad(Composer *c, NodeId x, NodeId value, const int64_t *low, const int64_t *high);
NodeId compose_unary(Composer *c, const char *op, NodeId x);
NodeId compose_binary(Composer *c, const char *op, NodeId x, NodeId y); /* of equal shapes */
NodeId compose_concatenate(Composer *c, const NodeId *parts, uint32_t n, uint32_t dim);
/* op over the dimensions `dims` (increasing) of x, which go. */
NodeId compose_reduce(Composer *c, const char *op, uint8_t dtype, NodeId x, const int64_t *dims, uint32_t n,
                      const NodeId *more, uint32_t n_more);
/* Contraction of one dimension of each; `batch` leading dimensions are shared. */
NodeId compose_dot(Composer *c, NodeId x, NodeId y, uint32_t batch, int64_t dx, int64_t dy);
/* Do the entries of x certainly differ along dimension `dim` (places of a topk, or counted)? */
bool compose_distinct(const Composer *c, NodeId x, uint32_t dim);
#endif
