/* Inside of the reader: one graph of a file, before it is laid over the others.  Only program.c and parse.c include it. */
#ifndef TVR_TORCH_PARSE_H
#define TVR_TORCH_PARSE_H
#include "frontends/torch/program.h"

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
  const json_t *first; /* nodes of the first graph: those that are written as integers are the ones there */
  const char *where; /* graph and node being read, for messages */
  const json_t *at;
  unsigned errors;
} TorchParser;

/* Reports at the value being read; always false. */
bool parse_error(TorchParser *q, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* One element of "graphs", as a set of one; constants have values[0]. */
bool parse_graph(TorchParser *q, const json_t *graph, TorchSet *out);
/* Line numbers of its nodes and constants. */
void parse_lines(TorchParser *q, const json_t *graph, TorchSet *g);
#endif
