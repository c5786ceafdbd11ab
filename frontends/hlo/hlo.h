/* HLO text to Graph: every generation of the printed format, from operand shapes to compact tuple elements.
 *
 * Calls and fusions are inlined, tuples are taken apart (one node per result), loops whose condition folds to constants
 * are unrolled.  What a node means is the business of stdlib; here it only gets its name and attributes.  Anything
 * that is not exactly understood stays an opaque operator or is refused: nothing is guessed. */
#ifndef TVR_FRONTENDS_HLO_H
#define TVR_FRONTENDS_HLO_H
#include "eval/graph/graph.h"

typedef struct HloOptions {
  int64_t max_trips; /* --max-trips: iterations a loop is unrolled to */
  int64_t max_nodes; /* --max-nodes: operators that inlining and unrolling may add to what the file holds */
  bool open_loops;   /* loops of known length are read once (Graph.loops) instead of unrolled */
  int64_t n_devices; /* number of partitions where the file does not say; 0: as the file says */
} HloOptions;

#define HLO_OPTIONS ((HloOptions){.max_trips = 1024, .max_nodes = 2000000})

/* Reads text `source` of the diagnostics' sources.  NULL after errors, which are reported; the caller frees it. */
Graph *hlo_read(Diags *diags, uint32_t source, const HloOptions *options);
#endif
