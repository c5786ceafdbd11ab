/* order: operators that pick values by their order: topk, sort, reductions by a region such as argmax.
 *
 * They have no equation, but for given operands often only one result is possible, and only then they are evaluated:
 *
 * topk     result 0 the largest (smallest) values in order; result 1 their positions, of equal values the first ones,
 *          with `any_place` unknown where values tie; `any_order` is evaluated as if it were in order, and `any_ties` as
 *          if equal values stood in theirs, which they may
 * sort     the comparator must order the candidates of a row; candidates that tie stand as a stable sort leaves them
 * reduce   the region must give one of its two candidates for every pair, and one candidate must win against all others
 *          from both sides: then every order of reducing ends with it
 *
 * Everything else that the library calls opaque stays unknown. */
#ifndef TVR_EXACT_ORDER_H
#define TVR_EXACT_ORDER_H
#include "eval/graph/graph.h"

/* How one element of the result is picked: candidate i of operand k is element base + i * stride of the node's argument
 * k; candidate `size` is argument n_operands + k, a reduction's initial value. */
typedef struct OrderRow {
  int64_t size, stride;
  int64_t places, place; /* of the result along the row, `stride` apart too; this element's */
  uint64_t base;
  uint32_t n_operands;
  bool has_init;
  bool position; /* the result is the number of the candidate, not its value */
} OrderRow;

/* Whether the node may be one of these. */
bool order_known(const Graph *g, const Node *n);
/* Of a topk or a sort: the dimension it works along; rows along it do not meet. */
bool order_along(const Graph *g, const Node *n, uint32_t *along);
/* Its values along that dimension are different places of a row of *size, in some order. */
bool order_places(const Graph *g, const Node *n, int64_t *size);
/* It puts rows of its first operand in ascending (1) or descending (-1) order, whatever comes of equal values; 0: that is
 * not known. */
int order_direction(const Graph *g, const Node *n);
/* It does, and equal values stay as they stand. */
bool order_keeps(const Graph *g, const Node *n);
/* Its values are those of its first operand in that order. */
bool order_values(const Graph *g, const Node *n);
OrderRow order_row(const Graph *g, const Node *n, uint64_t element);

/* A candidate of an operand, or a constant (operand -1). */
typedef struct OrderValue {
  int64_t operand, candidate;
  Rat constant;
} OrderValue;
/* -1, 0 or 1; 2 if undecided. */
typedef int OrderCompare(void *context, OrderValue a, OrderValue b);
/* Operations that picking takes per pair of candidates, about. */
#define ORDER_WORK 16u
/* The candidates of all places of a row, -1 where one is not certain, into picks[row->places]. */
void order_pick(const Graph *g, const Node *n, const OrderRow *row, OrderCompare *compare, void *context,
                int64_t *picks);
#endif
