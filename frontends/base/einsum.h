/* Einsum: products summed over the letters that the result does not have, as dots of the library.
 *
 * The notation of NumPy, https://numpy.org/doc/stable/reference/generated/numpy.einsum.html: "bij,bjk->bik", with "..."
 * for dimensions that have no letter, and without an arrow the letters that occur once. */
#ifndef TVR_FRONTENDS_EINSUM_H
#define TVR_FRONTENDS_EINSUM_H
#include "frontends/base/compose.h"

/* NO_NODE: the text, or an operand, is not read (a letter that stands twice in one operand, sizes that differ). */
NodeId einsum_compose(Composer *c, Arena *a, const char *text, const NodeId *in, uint32_t n);
#endif
