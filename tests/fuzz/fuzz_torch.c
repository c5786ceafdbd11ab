/* libFuzzer target: any bytes are read as a tvr-graph file; a graph that comes out is in order.  A relation by name may
 * follow behind a NUL byte. */
#include <stdlib.h>
#include <string.h>

#include "lang/library.h"
#include "eval/prove/pair.h"
#include "frontends/base/relation.h"
#include "frontends/torch/torch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const Graph *g) {
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
  size_t n = nul ? (size_t)(nul - data) : size;
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  uint32_t text = sources_add(sources, "a.json", (const char *)data, n);
  Graph *g = torch_read(diags, text);
  if (!g != (diag_errors(diags) > 0)) abort();
  if (g) check(g);
  if (g && nul) { /* the program against itself */
    Graph *h = torch_read(diags, text);
    uint32_t id = sources_add(sources, "r.json", (const char *)nul + 1, size - n - 1);
    Relation *r = relation_read_named(diags, id, &h, g);
    if (!r != (diag_errors(diags) > 0)) abort();
    check(g);
    check(h);
    relation_free(r);
    graph_free(h);
  }
  graph_free(g);
  diags_free(diags);
  sources_free(sources);
  return 0;
}
