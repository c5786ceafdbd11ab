/* libFuzzer target: any bytes are read as a relation; one that comes out can be printed and has a place for each entry. */
#include <stdlib.h>

#include "frontends/base/relation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Relation *r = relation_read(diags, sources_add(sources, "a.json", (const char *)data, size));
  if (!r != (diag_errors(diags) > 0)) abort();
  for (uint32_t k = 0; r && k < r->n_inputs; k++) {
    if (r->inputs[k].span.lo >= size || r->inputs[k].span.hi > size) abort();
    layout_print(&r->inputs[k].layout, &r->mesh, &r->arena);
  }
  relation_free(r);
  diags_free(diags);
  sources_free(sources);
  return 0;
}
