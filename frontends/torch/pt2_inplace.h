/* Operators of an archive that write into an argument and might as well not: nothing else reads it.
 *
 * torch.export keeps relu_ of nn.ReLU(inplace=True).  Where what it writes into was made by an operator that makes a tensor
 * of its own (no view), and this is its only reader, the result is all that is left of it, and that is relu's. */
#ifndef TVR_FRONTENDS_TORCH_PT2_INPLACE_H
#define TVR_FRONTENDS_TORCH_PT2_INPLACE_H
#include <jansson.h>

/* Renames such operators in a graph ("torch.ops.aten.relu_.default" to "torch.ops.aten.relu.default"). */
void pt2_without_writes(json_t *graph);
#endif
