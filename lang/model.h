/* Model: what the model items of a file state, as data: mesh, graphs, layouts, assumptions, questions.
 *
 * `given` and `expect` become layouts, whichever way they are written: an equation over indices is read as one where it
 * says no more than that equal blocks of dimensions lie on the devices, in order, or that values are addends.  Names of
 * tensors are not looked up here, as no graph is read. */
#ifndef TVR_LANG_MODEL_H
#define TVR_LANG_MODEL_H
#include "lang/ast.h"

typedef enum ModelQuestion { MODEL_REFINES, MODEL_EQUAL, MODEL_EXPECTED, MODEL_LINEAGE } ModelQuestion;

typedef struct ModelAxis {
  Sym name;
  int64_t size;
} ModelAxis;

/* A tensor of a graph: a parameter of that name, or the output of that name or number. */
typedef struct ModelTensor {
  Sym graph, name;
  Span span;
} ModelTensor;

typedef struct ModelDim {
  uint32_t n;
  const uint32_t *axes; /* indices into axes, major to minor */
} ModelDim;

/* How a tensor of the distributed graph is cut from one of the sequential graph. */
typedef struct ModelRelated {
  ModelTensor dist, seq;
  bool expect; /* `expect`, else `given` */
  bool open;   /* there may be more dimensions than n_dims; they are whole */
  uint32_t n_dims, n_partial;
  const ModelDim *dims;
  const uint32_t *partial; /* axes over which the values are addends */
  Span span;
} ModelRelated;

typedef struct ModelRange {
  ModelTensor tensor;
  bool has_lo, has_hi;
  Rat lo, hi; /* both inclusive */
  Span span;
} ModelRange;

typedef struct ModelCheck {
  Sym left, right;
  ModelQuestion question;
  Span span;
} ModelCheck;

typedef struct Model {
  uint32_t n_axes, n_graphs, n_related, n_ranges, n_checks, n_files;
  const ModelAxis *axes;
  const int64_t *devices;       /* device number at each coordinate, last axis fastest; NULL: 0, 1, 2, .. */
  const AstItem *const *graphs; /* ITEM_GRAPH */
  const ModelRelated *related;
  const ModelRange *ranges;
  const ModelCheck *checks;
  const AstItem *const *files;  /* ITEM_RELATION: name is the path */
  Span mesh_span;
} Model;

/* The model of a file that lang_check found no error in, in `arena`; NULL if something was reported. */
const Model *model_of(Arena *arena, const AstFile *file, Diags *diags);
/* The graph of that name, or NULL. */
const AstGraph *model_graph(const Model *m, Sym name);
#endif
