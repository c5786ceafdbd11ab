/* Tensors: which rows of graphs a value of sort Tensor stands for, at the end of a script. */
#ifndef TVR_TENSORS_H
#define TVR_TENSORS_H
#include "eval/datalog/value.h"
#include "eval/rules/facts.h"

typedef struct TensorAt {
  Val tensor;
  uint32_t graph; /* which of the graphs */
  NodeId node;
} TensorAt;

typedef struct Tensors {
  Vec(TensorAt) all; /* by tensor, graph and node: rules that equated tensors put several together */
} Tensors;

void tensors_read(Tensors *t, Program *e, uint32_t n_graphs, const FactGraph *graphs);
void tensors_free(Tensors *t);
/* The first of a tensor, or NULL. */
const TensorAt *tensors_find(const Tensors *t, Val tensor);

/* Two that rules equated. */
typedef struct TensorUnion {
  uint32_t graph[2];
  NodeId node[2];
} TensorUnion;

typedef struct TensorUnions {
  uint32_t n_graphs;
  const FactGraph *graphs;
  Vec(TensorUnion) all;
} TensorUnions;

/* For Script.finish; the context is a TensorUnions whose graphs are set. */
void tensors_unions(void *context, Program *e);
#endif
