/* Inside of the reader: one graph of a file, before it is laid over the others.  Only program.c and parse.c include it. */
#ifndef TVR_TORCH_PARSE_H
#define TVR_TORCH_PARSE_H
#include "frontends/torch/program.h"

typedef struct TorchGraph {
  Sym name;
  int64_t rank;
  uint32_t n_inputs, n_constants, n_nodes, n_outputs;
  TorchInput *inputs;
  TorchConstant *constants; /* values[0] */
  TorchNode *nodes;
  TorchArg *outputs;
  Sym *output_names;
} TorchGraph;

typedef struct TorchPlace {
  uint32_t stamp, value;
} TorchPlace;

typedef struct TorchParser {
  JsonDoc doc;
  TorchProgram *p;
  Arena *arena;
  /* by symbol: the value of that name, valid if stamp is that of the graph being read */
  Vec(TorchPlace) places;
  uint32_t stamp;
  const char *where; /* graph and node being read, for messages */
  const json_t *at;
  unsigned errors;
} TorchParser;

/* Reports at the value being read; always false. */
bool parse_error(TorchParser *q, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* One element of "graphs".  `lines`: the numbers of its nodes' and constants' lines are wanted. */
bool parse_graph(TorchParser *q, const json_t *graph, TorchGraph *out, bool lines);
#endif
