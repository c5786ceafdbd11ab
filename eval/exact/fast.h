/* fast: one instance on one device in doubles, or in balls of them, a tensor at a time.
 *
 * Every expression is a view: numbers with a stride per index variable.  Reads at affine indices in range are views of
 * the operand itself; everything else is computed into a dense temporary over the variables it depends on, except that
 * a sum of products runs as a contraction.  Reads out of range give NAN; a guard (a comparison, or the condition of
 * `if p then x else 0`) that is 0 annihilates its product whatever the rest is, which makes laziness unnecessary. */
#ifndef TVR_EXACT_FAST_H
#define TVR_EXACT_FAST_H
#include "eval/exact/field.h"

/* Value of node `id` on a device: in the side's arena, or an operand's own numbers; NULL: unknown everywhere.
 * False when the budget is used up. */
bool fast_node(GraphRun *side, NodeId id, int64_t device, Arena *scratch, const double **out);
#endif
