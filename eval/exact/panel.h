/* panel: sums of products, some neighbouring results at a time.
 *
 * Where one factor does not change along the innermost axis of the result, as in a matrix product, what the other holds
 * for a few neighbouring results is laid out in the order of the terms, a panel, once for all rows that multiply it; the
 * results of a row are then formed in the lanes of vectors.  Every sum has its terms in the order it has elsewhere. */
#ifndef TVR_EXACT_PANEL_H
#define TVR_EXACT_PANEL_H
#include "eval/exact/view.h"

/* out (dense over `over`) = sum over `under` of the product of two views without guards; false, and out is not valid, if
 * this is not such a sum or not worth it. */
bool panel_contract(const Arithmetic *a, const Walk *over, const Walk *under, Arena *scratch, double *out);
#endif
