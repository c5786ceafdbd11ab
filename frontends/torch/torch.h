/* PyTorch graphs (tvr-graph files) to Graph: one sequential graph, or those of all ranks as one program of all devices. */
#ifndef TVR_FRONTENDS_TORCH_H
#define TVR_FRONTENDS_TORCH_H
#include "eval/graph/graph.h"

/* Does the text look like a tvr-graph file? */
bool torch_is(const Source *source);
/* Reads text `source` of the diagnostics' sources; its mesh is that of the graph (Graph.mesh).  NULL after errors, which
 * are reported; the caller frees it. */
Graph *torch_read(Diags *diags, uint32_t source);
#endif
