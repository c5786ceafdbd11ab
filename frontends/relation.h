/* relation.json: a mesh, and the layout of every parameter and result, as exporters write it.
 *
 *     {"mesh": {"axes": [["dp", 2], ["tp", 4]], "device_order": [0, 1, ..]},
 *      "inputs": [{"name": "w", "seq": 0, "dist": 0, "dtype": "f32", "seq_shape": [20, 28], "dist_shape": [20, 7],
 *                  "spec": [[], ["tp"]], "partial": [], "assume": {"range": [0, 32]}}, ..],
 *      "outputs": [..]}
 *
 * `axes` may be an object, `device_order` is 0, 1, .. if left out.  Ranges of integer tensors leave their end out. */
#ifndef TVR_FRONTENDS_RELATION_H
#define TVR_FRONTENDS_RELATION_H
#include "eval/relation.h"

/* NULL after errors, which are reported; the caller frees the relation. */
Relation *relation_read(Diags *diags, uint32_t source);
#endif
