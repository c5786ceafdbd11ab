/* The target of a graph reader: any bytes are read, and a graph that comes out is in order.  The includer defines READ and
 * ReaderOptions, and LOOPS where loops of known length can be read once: then that is tried too. */
#ifndef TVR_TESTS_FUZZ_READER_H
#define TVR_TESTS_FUZZ_READER_H

#include <stdlib.h>

#include "eval/graph/loops.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(const Graph *g) {
  for (size_t i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    for (uint32_t k = 0; k < n->n_args; k++)
      if (n->args[k] >= i) abort();
    if (n->literal && n->literal->kind == LIT_VALUES && n->literal->n != (uint64_t)node_elements(n)) abort();
    if (n->frames >= g->frames.len) abort();
  }
  for (size_t k = 0; k < g->outputs.len; k++)
    if (g->outputs.at[k].node >= g->nodes.len) abort();
}

/* What a loop counts with and carries are parameters and outputs of the graph; loops stand inside earlier ones. */
static void check_loops(const Graph *g) {
  for (size_t i = 0; i < g->loops.len; i++) {
    const Loop *l = &g->loops.at[i];
    bool ok = (l->within == NO_LOOP || l->within < i) && l->trips >= 1 && l->counter < g->params.len;
    for (uint32_t k = 0; ok && k < l->n; k++) {
      const Carried *c = &l->carried[k];
      ok = c->before < g->params.len && c->after < g->params.len && c->first < g->outputs.len && c->next < g->outputs.len;
    }
    if (!ok) abort();
  }
  Arena a = {0};
  const Graph *once = loops_once(g, &a);
  check_graph(once);
  if (loops_longest(g) < 0 || (g->loops.len && loops_longest(g) < 1)) abort();
  arena_free(&a);
}

static void read_so(const uint8_t *data, size_t size, const ReaderOptions *options) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Graph *g = READ(diags, sources_add(sources, "a", (const char *)data, size), options);
  if (!g != (diag_errors(diags) > 0)) abort();
  if (g) check_graph(g);
  if (g) check_loops(g);
  graph_free(g);
  diags_free(diags);
  sources_free(sources);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ReaderOptions options = {.max_trips = 8, .max_nodes = 5000};
  read_so(data, size, &options);
#ifdef LOOPS
  options.open_loops = true;
  read_so(data, size, &options);
#endif
  return 0;
}

#endif
