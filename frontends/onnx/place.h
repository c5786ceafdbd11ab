/* Places: which element of its operand an element of a movement is.
 *
 * Constants are moved about when they are folded (known.c: exactly; worth.c: in doubles, with their errors).  Both ask
 * here.  Elements are numbered row-major. */
#ifndef TVR_ONNX_PLACE_H
#define TVR_ONNX_PLACE_H
#include "eval/graph/graph.h"

enum { PLACE_MAX_RANK = 64 };

/* The numbers of an attribute; NULL: it has none of that name. */
const int64_t *place_list(const Node *n, const char *name);
/* Element k as one position a dimension, at[rank], and back. */
void place_split(const Node *n, int64_t k, int64_t *at);
int64_t place_flat(const Node *n, const int64_t *at);
/* Is it a reshape, transpose, broadcast, slice or reverse?  Then element k of it is this one of its operand x. */
bool place_moves(const Node *n);
int64_t place_source(const Node *n, const Node *x, int64_t k);
/* Which element of the concatenation n element k of its operand x is, whose first row is row `from` of n. */
int64_t place_joined(const Node *n, const Node *x, int64_t from, int64_t k);
#endif
