/* libFuzzer target: any bytes are read as an ONNX model, and once more as one that comes after itself. */
#include <stdlib.h>

#include "frontends/onnx/onnx.h"

typedef struct ReaderOptions {
  int64_t max_trips, max_nodes;
} ReaderOptions;

static Graph *read_model(Diags *diags, uint32_t id, const ReaderOptions *o) {
  OpenSizes sizes = {.list = "n=2,batch=3,x.0=2"};
  OnnxOptions options = {.max_nodes = o->max_nodes, .max_trips = 8, .max_weights = 100000, .sizes = &sizes};
  Graph *before = onnx_read(diags, id, &options);
  options.before = before;
  Graph *g = before ? onnx_read(diags, id, &options) : NULL;
  if (before && !g) abort();
  graph_free(before);
  vec_free(&sizes.known);
  return g;
}

#define READ read_model
#include "tests/fuzz/reader.h"
