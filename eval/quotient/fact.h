/* Fact: what is known of all values of a node, on every device, before anything is evaluated.
 *
 * By intervals, whose ends count for the sign and, where they are integers, as numbers.  This is what lets a factor that is
 * 0 everywhere make a product 0 whatever the other factor is, once that is known to be a number. */
#ifndef TVR_FACT_H
#define TVR_FACT_H
#include "eval/graph/bounds.h"
#include "eval/meaning/instance.h"

typedef struct Fact {
  double lo, hi;   /* every value lies between them .. */
  bool has;        /* .. and there is one: no division by 0, no root of a negative number, .. */
  bool down, up;   /* it may be minus, plus infinity */
  bool nonzero;
  /* By dimension of a node, or variable of an equation (bits): whatever the other indices are, somewhere along it the
   * value is a number; is not 0. */
  uint64_t some, some_nonzero;
  uint32_t position; /* 1 + the dimension or variable whose index the value is; 0: it is none */
} Fact;

/* Facts about the operands of a node, by argument. */
typedef struct FactContext {
  const Graph *g;
  const Node *node;
  const Instance *in;
  const Fact *of; /* by node */
  int64_t n_devices;
} FactContext;

static inline bool fact_is_number(const Fact *f) { return f->has && !f->down && !f->up; }
static inline bool fact_is_zero(const Fact *f) { return fact_is_number(f) && f->lo == 0 && f->hi == 0; }
extern const Fact FACT_NONE, FACT_ZERO;

/* Of all expressions of a node's equation, at any values of its indices; into out[in->n_x]. */
void fact_expressions(const FactContext *c, Fact *out);
/* Of a node with the fact of its body; `bounds` are those of its integers, or NULL. */
Fact fact_of_node(const Node *n, const Instance *in, Fact body, const Bounds *bounds);
/* Of a constant. */
Fact fact_of_literal(const Literal *l);
/* Of the sequential or distributed parameter `n`, which `r` is about. */
Fact fact_of_parameter(const Related *r, const Node *n);
#endif
