/* StableHLO text to Graph: pretty form and generic form, with regions, locations and Shardy's annotations.
 *
 * Calls are inlined and loops whose condition folds to constants are unrolled, as with HLO.  A program with
 * `sdy.manual_computation` (a lowered shard_map) is read as the program of one device: parameters are the blocks that
 * `in_shardings` cut, results those that `out_shardings` put together.  What is not exactly understood stays an opaque
 * operator or is refused. */
#ifndef TVR_FRONTENDS_STABLEHLO_H
#define TVR_FRONTENDS_STABLEHLO_H
#include "eval/graph/graph.h"

typedef struct StablehloOptions {
  int64_t max_trips; /* --max-trips: iterations a loop is unrolled to */
  int64_t max_nodes; /* --max-nodes: operators that inlining and unrolling may add to what the file holds */
  bool open_loops;   /* loops of known length are read once (Graph.loops) instead of unrolled */
  int64_t n_devices; /* number of devices where the file does not say; 0: as the file says */
} StablehloOptions;

#define STABLEHLO_OPTIONS ((StablehloOptions){.max_trips = 1024, .max_nodes = 2000000})

/* Does the text begin as MLIR does? */
bool stablehlo_is(const Source *source);
/* Reads text `source` of the diagnostics' sources.  NULL after errors, which are reported; the caller frees it. */
Graph *stablehlo_read(Diags *diags, uint32_t source, const StablehloOptions *options);
#endif
