/* Model: what a .tvr file says about graphs, as problems to check.
 *
 * The file's mesh, graphs, givens, expectations and assumptions become the same Relation that an exporter writes as a
 * file.  How graphs and relation files are read is the caller's business (ModelReaders).  Tensors are named by
 * parameter or result number, by the name of the instruction, by its label, or by the last word of the label (`w1` for
 * "p['w1']"), as long as that says one tensor only. */
#ifndef TVR_MODEL_H
#define TVR_MODEL_H
#include "eval/graph/relation.h"
#include "lang/ast.h"

typedef struct ModelReaders {
  void *context;
  /* NULL after an error, which is reported; the model frees the graph.  n_devices: 1, or those of the mesh. */
  Graph *(*graph)(void *context, Sym reader, Sym path, int64_t n_devices, Span at);
  Relation *(*relation)(void *context, Sym path, Span at);
} ModelReaders;

typedef enum Question { ASK_REFINES, ASK_EQUAL, ASK_EXPECTED, ASK_LINEAGE } Question;

typedef struct ModelCheck {
  Question question;
  const Graph *seq, *dist;
  Relation relation; /* lives in the model's arena */
  bool infer;        /* outputs that are not declared: see infer.h */
  Span span;
} ModelCheck;

typedef struct ModelGraph {
  Sym name;
  Graph *graph;
  bool over; /* it runs on the mesh */
} ModelGraph;

typedef struct Model {
  Arena arena;
  Vec(ModelGraph) graphs;
  Mesh mesh;
  Vec(Relation *) files;
  uint32_t n_checks;
  ModelCheck *checks;
} Model;

/* false after errors, which are reported; free it either way.  `file` was checked (lang_check). */
bool model_make(Model *m, const AstFile *file, const ModelReaders *readers, Diags *diags);
void model_free(Model *m);
#endif
