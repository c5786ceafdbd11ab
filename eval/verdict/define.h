/* Define: the lines with which definitions of the operators begin that nothing defines, so that somebody can write them. */
#ifndef TVR_DEFINE_H
#define TVR_DEFINE_H
#include "eval/prove/prove.h"

/* One line for each operator without a definition that results depend on: its operands with their dimensions, its
 * attributes, its results; *ops: these operators.  In the arena. */
const char **define_list(const Problem *p, const Proof *proof, Arena *a, uint32_t *n, const Sym **ops);
#endif
