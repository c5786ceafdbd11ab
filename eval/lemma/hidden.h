/* Hidden: whether a lemma may change at sizes that none of its numbers names.
 *
 * Proofs at tried sizes stand for all where sizes are ranges of indices and factors alone; what a number says of a size
 * shows at sizes about that number, which are tried (shape.h).  Not so of numbers that are put together: `size(i) == 5 *
 * 7`, `i * i == 81`, `mod(size(i), 7) == 5`, that stand in a function's body, beside a rank, or, if they are large, beside
 * several sizes: `size(i) == 5 and size(j) == 7`.  Such lemmas are proved for all sizes, or only tested. */
#ifndef TVR_LEMMA_HIDDEN_H
#define TVR_LEMMA_HIDDEN_H
#include "lang/ast.h"

bool hidden_numbers(const AstItem *lemma);
#endif
