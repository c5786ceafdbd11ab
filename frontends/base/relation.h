/* relation.json, by number: a mesh, and the layout of every parameter and result, as exporters write it.
 *
 *     {"mesh": {"axes": [["dp", 2], ["tp", 4]], "device_order": [0, 1, ..]},
 *      "inputs": [{"name": "w", "seq": 0, "dist": 0, "dtype": "f32", "seq_shape": [20, 28], "dist_shape": [20, 7],
 *                  "spec": [[], ["tp"]], "partial": [], "blocks": {"dim": 0, "order": [0, 3, 1, 2]},
 *                  "assume": {"range": [0, 32]}}, ..],
 *      "outputs": [..]}
 *
 * `axes` may be an object, `device_order` is 0, 1, .. if left out.
 *
 * By name: the mesh is that of the distributed graph's file (none for one device); placements are DTensor's, one per
 * axis.
 *
 *     {"inputs": [{"seq": "w", "dist": "w", "placements": {"dp": "R", "tp": "S(0)"}, "order": ["tp", "dp"],
 *                  "blocks": {"dim": 0, "order": [0, 3, 1, 2]}, "assume": {"range": [0, 32], "or": [-100]}}, ..],
 *      "outputs": [..]}
 *
 * "P(sum)" and "P(avg)": the tensor is the sum, the mean over the axis.  Several axes on one dimension cut it in the order
 * of the mesh, or of `order`.  `blocks`: the sequential tensor is cut into equal blocks along a dimension and these are
 * put in an order first.  `assume`: a range, other values besides (`or`), or only some `values`.  Ranges of integer
 * tensors leave their end out.  `on`: {axis: place}, the only ranks that have it; an output is then read there. */
#ifndef TVR_FRONTENDS_RELATION_H
#define TVR_FRONTENDS_RELATION_H
#include <jansson.h>

#include "eval/graph/relation.h"

/* {"dim": 1, "order": [0, 3, 1, 2]}, in `a`; what is wrong with it, or NULL. */
const char *relation_blocks(const json_t *blocks, Arena *a, Blocks *out);
/* NULL after errors, which are reported; the caller frees the relation, and applies its blocks (blocks.h). */
Relation *relation_read(Diags *diags, uint32_t source);
/* Is it one by name? */
bool relation_is_named(Diags *diags, uint32_t source);
/* The same by name.  Where blocks are in another order, the inputs and outputs of `*seq` become the rearranged
 * tensors: the graph is replaced by one that takes them apart again.  `dist` gets a node for every output that only some
 * ranks have. */
Relation *relation_read_named(Diags *diags, uint32_t source, Graph **seq, Graph *dist);
/* An output of the sequential program that no device has, of a distributed one that says which its own are; or NULL. */
const Fault *relation_missing(const Graph *seq, const Graph *dist, Arena *a);
/* That of two programs for one device: parameters of one name are the same tensor; results correspond by name if both
 * have the same names, else in order.  Parameters whose values are in the files are left to weights_relate. */
Relation *relation_of_names(Diags *diags, const Graph *seq, const Graph *dist);
#endif
