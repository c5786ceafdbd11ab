/* State of flattening, shared by its files.  See flatten.c. */
#ifndef TVR_FRONTENDS_HLO_FLATTEN_H
#define TVR_FRONTENDS_HLO_FLATTEN_H
#include "frontends/hlo/module.h"

typedef struct Flat {
  HloModule *m;
  Graph *g;
  Arena *arena;
  Diags *diags;
  uint32_t source;
  const HloOptions *options;
  Vec(NodeId) values; /* stack of leaves: one range per computation being inlined */
  uint64_t copied;    /* instructions of computations inlined before */
  unsigned loops;     /* loops being unrolled around the current place */
  uint32_t within;    /* the innermost loop around it that is read once, or NO_LOOP */
  uint32_t frames;    /* of the call being inlined: where instructions come from that do not say so themselves */
  NodeId device;      /* the node of the device's number, or NO_NODE */
} Flat;

Span flat_span(const Flat *f, const HloInstr *i);
/* Leaves of operand k of an instruction whose computation starts at `base`. */
static inline size_t flat_arg(const Flat *f, const HloInstr *i, uint32_t k, size_t base) {
  return base + hlo_args(f->m, i)[k].leaf;
}
/* All leaves of all operands as nodes; tokens are left out.  NULL after an error. */
NodeId *flat_args(Flat *f, const HloInstr *i, size_t base, uint32_t *n);
/* A node with the instruction's name and place. */
NodeId flat_node(Flat *f, const HloInstr *i, Sym op, const HloShape *leaf, uint32_t result, const NodeId *args,
                 uint32_t n_args, const Attr *attrs, uint32_t n_attrs);
/* The same for operators the instruction is made up of. */
NodeId flat_made(Flat *f, const HloInstr *i, const char *op, DType dtype, const int64_t *dims, size_t rank,
                 const NodeId *args, uint32_t n_args, const Attr *attrs, uint32_t n_attrs);
NodeId flat_reshape(Flat *f, const HloInstr *i, NodeId x, const int64_t *dims, size_t rank);
NodeId flat_constant(Flat *f, const HloInstr *i, const HloShape *leaf, int64_t value);
/* The integer a node is known to be. */
bool flat_known(const Flat *f, NodeId id, int64_t *out);
/* Inlines a computation: arguments at `args`, results to `out`, both places in f->values. */
bool flat_run(Flat *f, uint32_t comp, size_t args, size_t out);
/* All results of the instruction as nodes with the same operands. */
bool flat_results(Flat *f, const HloInstr *i, size_t base, const Attr *extra, uint32_t n_extra, bool with_device);
/* What is no function of its operands: it differs from every other node, and from device to device.  `why` it is not read
 * otherwise, or NULL. */
bool flat_unique(Flat *f, const HloInstr *i, size_t base, const char *why);

/* control.c */
bool control_while(Flat *f, const HloInstr *i, size_t base);
bool control_conditional(Flat *f, const HloInstr *i, size_t base);
bool control_call(Flat *f, const HloInstr *i, size_t base, size_t out);
/* collective.c: results to `out`. */
bool collective_flatten(Flat *f, const HloInstr *i, Sym op, size_t base, size_t out, const HloShape *shape);
/* custom.c: a call of a library function that is one of our operators; false, and nothing done, if it is none. */
bool custom_known(Flat *f, const HloInstr *i, const char *target, size_t base);
/* topk with these attributes. */
bool custom_topk(Flat *f, const HloInstr *i, const Attr *attrs, uint32_t n_attrs, size_t base);
/* bitcast.c */
bool bitcast_flatten(Flat *f, const HloInstr *i, size_t base);
#endif
