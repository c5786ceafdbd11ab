/* Products of few elements, over dimensions or devices or as running ones, as multiplications: a product over an index
 * has no normal form, one of factors has. */
#ifndef TVR_FRONTENDS_PRODUCTS_H
#define TVR_FRONTENDS_PRODUCTS_H
#include "frontends/base/compose.h"

enum { PRODUCTS_MOST = 64 };

/* x[0] * x[1] * .. along a dimension of at most PRODUCTS_MOST, which goes. */
NodeId products_along(Composer *c, NodeId x, uint32_t dim);
/* x[0], x[0] * x[1], .. along it; from its end if `reverse`. */
NodeId products_running(Composer *c, NodeId x, uint32_t dim, bool reverse);
/* Puts these in the place of `reduce`, `reduce_window`, `all_reduce` and `reduce_scatter` by `multiply`, where they are
 * of few; renumbers the nodes. */
void products_unfold(Graph *g);
#endif
