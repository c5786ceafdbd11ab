/* PyTorch's .pt2 archives (torch.export.save) as the text of a tvr-graph file.
 *
 * An archive is a ZIP file: models/NAME.json holds the graph, data/constants the values of its constants.  Parameters and
 * buffers become inputs under their names in the model; weights are not read.  Source: torch/_export/serde/schema.py,
 * version 8. */
#ifndef TVR_FRONTENDS_TORCH_PT2_H
#define TVR_FRONTENDS_TORCH_PT2_H
#include "frontends/base/opensizes.h"
#include "lang/base/arena.h"
#include "lang/base/diag.h"

/* Does the file start as a ZIP archive does? */
bool pt2_is(const Source *source);
/* Adds the graph of archive `source` as a text of its own, under the same path; returns its id, or 0 after a report.
 * `sizes`: numbers for those it leaves open, or NULL. */
uint32_t pt2_unpack(Sources *sources, Diags *diags, uint32_t source, OpenSizes *sizes);
/* Conditions on the sizes that it leaves open, as `assume` has them, in `a`; "" if there are none, or it cannot be read. */
const char *pt2_open_sizes(const Source *source, Arena *a);
#endif
