/* Reader of ONNX models, https://onnx.ai, operator sets 13 and later. */
#ifndef TVR_FRONTENDS_ONNX_H
#define TVR_FRONTENDS_ONNX_H
#include "eval/graph/graph.h"
#include "frontends/base/opensizes.h"

typedef struct OnnxOptions {
  int64_t max_nodes;   /* operators that inlining functions may make */
  int64_t max_trips;   /* iterations a loop is unrolled to */
  int64_t max_weights; /* elements of all initialisers together */
  OpenSizes *sizes; /* that the file leaves open, or NULL */
  bool weights_by_value; /* initialisers are constants, not inputs whose values are known */
  bool exact_literals;   /* an initialiser is no rounded value of what the model before computes */
  const Graph *before; /* the other model of the question, read before: its initialisers are found again here */
} OnnxOptions;
#define ONNX_OPTIONS ((OnnxOptions){.max_nodes = 2000000, .max_trips = 256, .max_weights = INT64_C(1) << 27})

/* Does the file look like an ONNX model?  (Its name ends in .onnx, or it begins as they are written.) */
bool onnx_is(const Source *source);
/* NULL after errors, which are reported. */
Graph *onnx_read(Diags *diags, uint32_t source, const OnnxOptions *options);
#endif
