/* Collectives: over several operands they are so many collectives.
 *
 * all-to-all without dimensions sends operand k to member k of the group: the operands stacked along a new first
 * dimension, exchanged along it, and taken apart again. */
#include "frontends/hlo/flatten.h"

static const Attr *find_attr(const HloInstr *i, Sym name) {
  for (uint32_t k = 0; k < i->n_attrs; k++)
    if (i->attrs[k].name == name) return &i->attrs[k];
  return NULL;
}

static Attr ints(Flat *f, const char *name, const int64_t *v, size_t n) {
  return (Attr){.name = sym(name), .kind = ATTR_INTS, .n = (uint32_t)n, .ints = arena_copy(f->arena, v, n * sizeof *v)};
}

/* The exchange of a list of operands. */
static bool exchange(Flat *f, const HloInstr *i, size_t out, const HloShape *shape, const NodeId *args, uint32_t n) {
  const HloShape *leaf = hlo_shape_leaf(shape, 0);
  const Attr *groups = find_attr(i, sym("replica_groups"));
  int64_t dims[256], zero = 0, one[256], low[256], high[256];
  uint32_t rank = leaf->rank + 1u;
  bool ok = groups && groups->i == (int64_t)n;
  for (uint32_t k = 0; ok && k < n; k++) {
    const Node *x = &f->g->nodes.at[args[k]];
    ok = x->rank == leaf->rank && !memcmp(x->dims, leaf->dims, leaf->rank * sizeof *dims) &&
        hlo_shape_equal(hlo_shape_leaf(shape, k), leaf);
  }
  if (!ok)
    return diag_error(f->diags, flat_span(f, i), E_SHAPE,
                      "an exchange of operands needs one of the same shape for each member of the group");
  memcpy(dims + 1, leaf->dims, leaf->rank * sizeof *dims);
  memcpy(high + 1, leaf->dims, leaf->rank * sizeof *dims);
  for (uint32_t d = 0; d < rank; d++) one[d] = 1, low[d] = 0;
  NodeId *parts = ARENA_ARRAY(f->arena, NodeId, n);
  dims[0] = 1;
  for (uint32_t k = 0; k < n; k++) parts[k] = flat_reshape(f, i, args[k], dims, rank);
  dims[0] = n;
  Attr along = ints(f, "dimensions", &zero, 1), both[2] = {*groups, along};
  NodeId all = flat_made(f, i, "concatenate", leaf->dtype, dims, rank, parts, n, &along, 1);
  all = flat_made(f, i, "all_to_all", leaf->dtype, dims, rank, &all, 1, both, 2);
  dims[0] = 1;
  for (uint32_t k = 0; k < n; k++) {
    low[0] = k;
    high[0] = k + 1;
    Attr range[3] = {ints(f, "starts", low, rank), ints(f, "limits", high, rank), ints(f, "strides", one, rank)};
    NodeId piece = flat_made(f, i, "slice", leaf->dtype, dims, rank, &all, 1, range, 3);
    f->values.at[out + k] = flat_reshape(f, i, piece, leaf->dims, leaf->rank);
  }
  return true;
}

bool collective_flatten(Flat *f, const HloInstr *i, Sym op, size_t base, size_t out, const HloShape *shape) {
  uint32_t n;
  NodeId *args = flat_args(f, i, base, &n);
  if (!args) return false;
  if (n != shape->n_leaves)
    return diag_error(f->diags, flat_span(f, i), E_SHAPE, "%u operands and %u results", n, shape->n_leaves);
  if (op == sym("all_to_all") && !find_attr(i, sym("dimensions")) && n) return exchange(f, i, out, shape, args, n);
  for (uint32_t k = 0; k < n; k++)
    f->values.at[out + k] = flat_node(f, i, op, hlo_shape_leaf(shape, k), 0, &args[k], 1, i->attrs, i->n_attrs);
  return true;
}
