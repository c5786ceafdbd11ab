/* Model: an ONNX file as tables.
 *
 * Values (inputs, initialisers, results) of a graph or function are numbered in the order in which they are defined, and
 * every use is of a value before.  A graph inside (of If, Loop, Scan) numbers its own; what it reads from outside is a
 * value of its own as well, captured.  An attribute keeps its bytes.  Since the
 * file is binary, operators have lines of a listing, which takes its place among the sources.  Source: onnx.proto
 * (github.com/onnx/onnx, IR version 13), proto2 and proto3 encodings alike. */
#ifndef TVR_ONNX_MODEL_H
#define TVR_ONNX_MODEL_H
#include "eval/graph/graph.h"
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/wire.h"

enum { ONNX_MAX_DEPTH = 16, ONNX_MAX_RANK = 32, ONNX_LATEST_OPSET = 28, ONNX_FIRST_OPSET = 13 };
#define ONNX_NONE UINT32_MAX

/* TensorProto.DataType as element types; DT_OPAQUE: one that is not read. */
DType onnx_dtype(int64_t code);

typedef struct OnnxTensor {
  Sym name;
  uint8_t dtype; /* DType; DT_OPAQUE: of a kind that is not read */
  uint32_t rank;
  const int64_t *dims;
  int64_t n;  /* elements */
  Bytes data; /* little-endian, one after the other; 4-bit integers two a byte, low half first */
} OnnxTensor;

typedef enum OnnxAttrKind {
  ONNX_FLOAT = 1, ONNX_INT, ONNX_STRING, ONNX_TENSOR, ONNX_GRAPH, ONNX_FLOATS, ONNX_INTS, ONNX_STRINGS
} OnnxAttrKind;

typedef struct OnnxAttr {
  Sym name;
  uint8_t kind; /* OnnxAttrKind, or a number of a kind that is not read */
  double f;
  int64_t i;
  Sym s;
  Bytes text; /* of a string that is no name as well */
  const OnnxTensor *t;
  uint32_t n; /* of a list */
  const int64_t *ints;
  const double *floats;
  const Bytes *strings;
  struct OnnxBody *g; /* a graph inside */
  Sym ref;    /* in a function: stands for an attribute of the call */
  Bytes raw;  /* the message */
} OnnxAttr;

typedef struct OnnxType {
  bool known; /* a tensor of this element type and rank */
  uint8_t dtype;
  uint32_t rank;
  int64_t *dims;    /* -1: not a number */
  const Sym *names; /* of those, or 0 */
} OnnxType;

typedef struct OnnxNode {
  Sym op, domain, overload, name;
  Sym at; /* source places, innermost first, a line each; or 0 */
  uint32_t n_in, n_out, n_attrs;
  const uint32_t *in, *out; /* values; ONNX_NONE: left out */
  const OnnxAttr *attrs;
  uint32_t line;
} OnnxNode;

/* A value of a graph inside that is one of the graph around it. */
typedef struct OnnxCapture {
  uint32_t inner, outer;
} OnnxCapture;

typedef struct OnnxBody {
  uint32_t n_values;
  Sym *names;                  /* of values */
  OnnxType *types;             /* of values */
  const OnnxTensor **initial;  /* of values: an initialiser, or NULL */
  uint32_t *lines;             /* of values: those of inputs and initialisers */
  uint32_t n_nodes, n_inputs, n_outputs;
  OnnxNode *nodes;
  uint32_t *inputs, *outputs;  /* values */
  uint32_t n_captures;
  OnnxCapture *captures;
} OnnxBody;

typedef struct OnnxOpset {
  Sym domain; /* "" as 0 */
  int64_t version;
} OnnxOpset;

typedef struct OnnxFunction {
  Sym name, domain, overload;
  uint32_t n_defaults, n_opsets;
  const OnnxAttr *defaults;
  const OnnxOpset *opsets;
  OnnxBody body;
} OnnxFunction;

typedef struct OnnxModel {
  Arena arena;
  Diags *diags;
  uint32_t source;  /* the file */
  uint32_t listing; /* its operators, a line each */
  const OnnxOptions *options;
  uint32_t n_opsets, n_functions;
  OnnxOpset *opsets;
  OnnxFunction *functions;
  OnnxBody main;
  Vec(uint32_t) external; /* sources: files of external data */
  Vec(uint32_t) value_of; /* by symbol: value + 1, of the innermost body being read that has it */
  Vec(uint32_t) depth_of; /* by symbol: which of those */
  uint32_t n_open;        /* bodies being read, the innermost last */
  OnnxBody *open[ONNX_MAX_DEPTH];
} OnnxModel;

/* false after errors, which are reported.  Free it either way. */
bool onnx_model_read(OnnxModel *m, Diags *diags, uint32_t source, const OnnxOptions *options);
void onnx_model_free(OnnxModel *m);
/* The version of the operators of a domain; 0: none is imported. */
int64_t onnx_opset(const OnnxOpset *opsets, uint32_t n, Sym domain);
/* Reports at a line of the listing (0: no place). */
bool onnx_error(OnnxModel *m, uint32_t line, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* ---- tensors (tensor.c) */
bool onnx_tensor_read(OnnxModel *m, Bytes message, OnnxTensor *out);
/* Element k as it stands; integers and truth values exactly, floats as their bits say. */
Rat onnx_tensor_rat(const OnnxTensor *t, int64_t k);
double onnx_tensor_double(const OnnxTensor *t, int64_t k);
/* Bytes of a file of the model's folder, or false after a report: absolute paths, `..` and links that leave the folder
 * are not followed. */
bool onnx_external(OnnxModel *m, Sym tensor, Bytes location, Bytes *out);

/* ---- names and lists (field.c) */
/* UTF-8 without control characters? */
bool onnx_plain(Bytes b);
/* A name: UTF-8 without control characters; false after a report. */
bool onnx_name(OnnxModel *m, Bytes b, Sym *out);
/* Ends a loop over the fields of a message: false after a report if it was malformed. */
bool onnx_whole(OnnxModel *m, const Wire *w);
/* The numbers of a repeated field (packed or not) of a message, into the arena; false after a report. */
bool onnx_numbers(OnnxModel *m, Bytes message, uint32_t field, WireType type, const uint64_t **out, size_t *n);
/* How often a field occurs in a message. */
size_t onnx_count(Bytes message, uint32_t field);
/* The operators of all bodies, as a text among the sources. */
void onnx_list(OnnxModel *m);
#endif
