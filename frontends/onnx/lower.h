/* Lower: operators of ONNX as operators of the library.
 *
 * onnx.def is the table: per operator its attributes, a handler, and what the handler is to make.  A handler binds what
 * it understands exactly; anything else (an unknown operator, an attribute it does not know, a shape that is computed
 * from data) becomes an unknown function of all operands.  Integers that are computed from shapes alone are computed
 * here. */
#ifndef TVR_ONNX_LOWER_H
#define TVR_ONNX_LOWER_H
#include "frontends/base/compose.h"
#include "frontends/onnx/model.h"

enum { ONNX_MAX_ATTRS = 12, ONNX_MAX_CALLS = 64, ONNX_MAX_OUTPUTS = 1024 };

/* A body on its way through the graph. */
typedef struct OnnxScope {
  const OnnxBody *body;
  const struct OnnxScope *caller;
  const OnnxFunction *function; /* NULL: the model itself */
  const OnnxNode *call;
  NodeId *node; /* by value; NO_NODE: none yet */
  uint32_t depth;
} OnnxScope;

/* A sequence: tensors one after the other. */
typedef struct OnnxList {
  NodeId *at;
  uint32_t n;
} OnnxList;
#define ONNX_LIST (UINT32_C(1) << 31)
static inline bool onnx_is_list(NodeId x) { return x >= ONNX_LIST && x != NO_NODE; }

typedef struct OnnxLower {
  OnnxModel *m;
  Graph *g;
  Composer c;
  Arena arena;
  const OnnxScope *scope;
  int64_t n_lowered;
  Vec(const double *) weights; /* by parameter: known values, or NULL */
  Vec(OnnxList) lists;         /* sequences: a value from ONNX_LIST on */
  Vec(uint32_t) frame_of;      /* by symbol of a source place: its frames */
  struct Folded *folded;       /* what the model before gives without its inputs; NULL until it is asked for */
  NodeId *folded_at;           /* by node of it: the same here, or NO_NODE */
  /* the operator being lowered */
  const OnnxNode *node;
  int64_t opset;
  const char *text;           /* what the row says to make */
  uint32_t n_in, n_out;
  NodeId *in;                 /* NO_NODE: left out */
  NodeId *out;
  OnnxAttr attr[ONNX_MAX_ATTRS]; /* by place in the row; kind 0: not given */
} OnnxLower;

typedef enum OnnxResult {
  ONNX_DONE,
  ONNX_OPAQUE, /* not understood: nothing was set */
  ONNX_FAILED, /* reported */
} OnnxResult;
typedef OnnxResult OnnxHandler(OnnxLower *l);

static inline const Node *onnx_node(const OnnxLower *l, NodeId id) { return &l->g->nodes.at[id]; }
/* Operand k, or NO_NODE. */
static inline NodeId onnx_in(const OnnxLower *l, uint32_t k) { return k < l->n_in ? l->in[k] : NO_NODE; }
static inline OnnxResult onnx_done(OnnxLower *l, NodeId id) {
  l->out[0] = id;
  return id == NO_NODE ? ONNX_OPAQUE : ONNX_DONE;
}
bool onnx_lower_error(OnnxLower *l, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Lowers the operators of a body in a scope, one after the other. */
bool onnx_lower_body(OnnxLower *l, const OnnxScope *s);
/* An attribute of an operator: in a function it may stand for one of the call's, or its default.  NULL: not given. */
const OnnxAttr *onnx_resolve(const OnnxScope *s, const OnnxAttr *a);

/* ---- attributes, by place in the row; false: of another kind than that */
bool onnx_attr_int(const OnnxLower *l, uint32_t k, int64_t otherwise, int64_t *out);
bool onnx_attr_ints(const OnnxLower *l, uint32_t k, int64_t *out, uint32_t most, uint32_t *n);
bool onnx_attr_word(const OnnxLower *l, uint32_t k, const char *otherwise, const char **out);
static inline bool onnx_has(const OnnxLower *l, uint32_t k) { return l->attr[k].kind != 0; }
/* A float attribute as a scalar node; NO_NODE: of another kind. */
NodeId onnx_attr_scalar(OnnxLower *l, uint32_t k, double otherwise);
/* A dimension of a tensor of `rank`, counted from the end if negative. */
bool onnx_dim(int64_t d, uint32_t rank, uint32_t *out);
bool onnx_attr_dim(const OnnxLower *l, uint32_t k, int64_t otherwise, uint32_t rank, uint32_t *out);

/* ---- operands whose values are known: constants, and what is computed from shapes */
bool onnx_known_ints(const OnnxLower *l, NodeId x, int64_t *out, uint32_t most, uint32_t *n);
/* The value of all its elements. */
bool onnx_known(const OnnxLower *l, NodeId x, Rat *out);
/* The value of element k. */
bool onnx_known_at(const OnnxLower *l, NodeId x, uint32_t k, Rat *out);
NodeId onnx_ints(OnnxLower *l, const int64_t *v, uint32_t n);
/* Computes new nodes (those from `first` on) of known integers. */
void onnx_fold(OnnxLower *l, NodeId first);

/* A float as a scalar node of single precision. */
NodeId onnx_scalar(OnnxLower *l, double v);
NodeId onnx_constant(OnnxLower *l, const OnnxTensor *t);
/* y = op(x, y) after broadcasting; of the type of x. */
NodeId onnx_two(OnnxLower *l, const char *op, NodeId x, NodeId y);

/* ---- the graph's inputs and initialisers (inputs.c) */
bool onnx_inputs(OnnxLower *l, OnnxScope *s);
/* A new parameter; its values, or NULL. */
NodeId onnx_parameter(OnnxLower *l, Sym name, uint8_t dtype, uint32_t rank, const int64_t *dims, const double *values);
/* An initialiser, made of those of the model before (weight.c): one of equal values, or several rearranged; NO_NODE: it
 * is new. */
NodeId onnx_weight_before(OnnxLower *l, const OnnxTensor *t, Sym name, const double *values);
/* The same for a constant: one that the model before computes from weights (of at most ONNX_MANY elements). */
enum { ONNX_MANY = 4096 };
NodeId onnx_weight_folded(OnnxLower *l, const OnnxTensor *t, Sym name, const double *values);
/* A tensor of the file under a name: a parameter or a constant; NO_NODE after a report. */
NodeId onnx_initialiser(OnnxLower *l, const OnnxTensor *t, Sym name);
/* The operator as an unknown function of all it was given (opaque.c). */
OnnxResult onnx_opaque(OnnxLower *l, bool unique);

#define ONNX(domain, op, attrs, least, most, handler, text) OnnxResult handler(OnnxLower *l);
#include "frontends/onnx/onnx.def"
#undef ONNX
#endif
