/* The target of a graph reader: any bytes are read, and a graph that comes out is in order.  The includer defines READ and
 * ReaderOptions. */
#ifndef TVR_TESTS_FUZZ_READER_H
#define TVR_TESTS_FUZZ_READER_H

#include <stdlib.h>

#include "eval/graph/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ReaderOptions options = {.max_trips = 8, .max_nodes = 5000};
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Graph *g = READ(diags, sources_add(sources, "a", (const char *)data, size), &options);
  if (!g != (diag_errors(diags) > 0)) abort();
  for (size_t i = 0; g && i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    for (uint32_t k = 0; k < n->n_args; k++)
      if (n->args[k] >= i) abort();
    if (n->literal && n->literal->kind == LIT_VALUES && n->literal->n != (uint64_t)node_elements(n)) abort();
    if (n->frames >= g->frames.len) abort();
  }
  graph_free(g);
  diags_free(diags);
  sources_free(sources);
  return 0;
}

#endif
