/* Graph: the neutral form of every program tvr reads: a list of operators in topological order.
 *
 * Front ends fill it; nothing in it is specific to HLO or PyTorch.  Calls are inlined, tuples are taken apart (one node
 * per result), loops are unrolled or read once (Loop).  One graph is one SPMD program: the node's shape is that on one
 * device, and its value a function of the mesh coordinate.  What a node means is the business of its operator's
 * definition, looked up by `op` in the library; attributes are named as the definition names them. */
#ifndef TVR_GRAPH_H
#define TVR_GRAPH_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/diag.h"
#include "lang/base/intern.h"
#include "lang/base/rat.h"
#include "lang/base/vec.h"

typedef uint32_t NodeId;
#define NO_NODE UINT32_MAX

typedef enum DType {
#define DTYPE(id, text, kind, bits) DT_##id,
#include "eval/graph/dtype.def"
#undef DTYPE
  DT_COUNT
} DType;

typedef enum DKind { DK_BOOL, DK_INT, DK_UINT, DK_FLOAT, DK_COMPLEX, DK_OTHER } DKind;
DKind dtype_kind(DType t);
const char *dtype_text(DType t);
int dtype_bits(DType t);
/* A value of this type, but for rounding; of reals, infinities and RAT_NAN too. */
bool dtype_holds(DType t, Rat v);
/* By its text ("f32", "pred"); false if unknown. */
bool dtype_parse(const char *s, size_t len, DType *out);
static inline bool dtype_is_int(DType t) { DKind k = dtype_kind(t); return k == DK_INT || k == DK_UINT; }
/* Its values are whole numbers: integers, and truth values, which are 0 and 1. */
static inline bool dtype_is_whole(DType t) { return dtype_is_int(t) || dtype_kind(t) == DK_BOOL; }
static inline bool dtype_is_float(DType t) { return dtype_kind(t) == DK_FLOAT; }

typedef enum AttrKind {
  ATTR_INT,    /* i */
  ATTR_INTS,   /* ints[n] */
  ATTR_SYM,    /* s: an enumeration value ("LT", "add") or a name */
  ATTR_RAT,    /* r */
  ATTR_GROUPS, /* ints[n]: groups of `i` device numbers each, flat; the order inside a group is its meaning */
  ATTR_PAIRS,  /* ints[n]: (source, target), flat */
} AttrKind;

typedef struct Attr {
  Sym name;
  uint8_t kind;
  Sym s;
  Rat r;
  int64_t i;
  const int64_t *ints;
  uint32_t n;
} Attr;

typedef enum LiteralKind { LIT_NONE, LIT_VALUES, LIT_SPLAT } LiteralKind;
/* A constant tensor, row-major.  Float literals are the exact value of their bits in the node's dtype. */
typedef struct Literal {
  uint8_t kind;
  uint64_t n;        /* LIT_VALUES: number of values (the product of the dims) */
  const Rat *values; /* LIT_VALUES: n values; LIT_SPLAT: one */
} Literal;

/* Where an operator comes from.  `frames` are source places, innermost first ("models/tp.py:68"). */
typedef struct Frames {
  uint32_t n;
  const Sym *at;
} Frames;

typedef struct Node {
  Sym op;         /* name of its definition: "dot", "all_reduce", "parameter", "constant"; others keep theirs */
  Sym name;       /* the instruction's name in its file */
  Sym label;      /* op_name or module path, or 0 */
  uint8_t dtype;  /* DType */
  uint8_t rank;
  uint16_t result; /* which result of an operator with several */
  uint32_t n_args, n_attrs;
  const int64_t *dims;
  const NodeId *args; /* all smaller than the node's own id */
  const Attr *attrs;
  const Literal *literal; /* op "constant" */
  int64_t param;          /* op "parameter": its number */
  uint32_t frames;        /* index into Graph.frames */
  uint32_t line;          /* 1-based line of the graph's file; 0: none */
} Node;

/* An operator that only hands on a value, and is no node: a cast to the same type, a copy. */
typedef struct Passage {
  NodeId node; /* the value */
  uint32_t frames, line;
  Sym name;
} Passage;

/* A value of which the file says what its operator does not do: where to look first if the program is wrong. */
typedef struct Oddity {
  NodeId node;
  const char *why;
} Oddity;

typedef struct GraphOutput {
  NodeId node;
  Sym name; /* or 0 */
} GraphOutput;

/* Why a program does not run to its end: ranks wait for each other, or an operator reads what nothing has made. */
typedef struct Fault {
  const char *text;
  Sym op, name, at; /* the operator, and its source place; or 0 */
  uint32_t line;    /* of the graph's file; 0: none */
} Fault;

/* A value that a loop carries: an output (its first value), a parameter (what it is as an iteration begins), an output
 * (as it ends), and a parameter (after the last).  By number among those of the graph. */
typedef struct Carried {
  Sym name;
  uint32_t number; /* among all values of the loop */
  uint32_t first, before, next, after;
} Carried;

/* A loop that is read once instead of unrolled: its body stands among the nodes, for one iteration, the `counter`-th.
 * See eval/graph/loops.h. */
typedef struct Loop {
  Sym name;
  uint32_t frames, line;
  uint32_t within;  /* the loop around it, or NO_LOOP */
  uint32_t counter; /* number of a parameter: 0 .. trips - 1 */
  int64_t trips;    /* at least 1 */
  uint64_t size;    /* nodes of the body */
  uint32_t n;
  Carried *carried;
} Loop;
#define NO_LOOP UINT32_MAX

struct Mesh; /* eval/graph/relation.h */

typedef struct Graph {
  Arena arena;
  Sym path;           /* file it was read from */
  uint32_t source;    /* id in Sources, for spans; 0: none */
  int64_t n_devices;  /* partitions the program speaks of; 1 for a sequential program, 0: not said */
  Vec(Node) nodes;
  Vec(NodeId) params; /* by number; NO_NODE where missing */
  Vec(GraphOutput) outputs;
  Vec(Frames) frames; /* entry 0 is empty */
  Vec(Loop) loops; /* those not unrolled; outer ones first.  Their parameters and outputs stand behind the program's */
  Vec(Passage) passages; /* those of another source line than their value, in order */
  Vec(Oddity) oddities; /* in order */
  /* By number: which devices have a parameter or an output, where devices run different programs; what the others
   * hold there is nobody's business.  NULL: all have all. */
  const bool *const *param_on, *const *output_on;
  /* By number: sizes on every device (n_devices times the rank of the node), where they differ: the node has the largest
   * of each dimension, what lies beyond a device's own size is nobody's business.  NULL, or NULL there: no difference.
   * Outputs from n_output_sizes on were added to those that were read. */
  const int64_t *const *param_sizes, *const *output_sizes;
  uint32_t n_output_sizes;
  /* By parameter: the values that the file gives it, row-major, or NULL.  A proof holds for any; evaluation is at these.
   * NULL: no parameter has some. */
  const double *const *param_values;
  Vec(const char *) readings; /* what the reader takes rounded numbers of the file for, one sentence each */
  const struct Mesh *mesh; /* the mesh that the file declares, or NULL */
  const struct Layout *const *param_layouts, *const *output_layouts; /* by number: how they lie over it; NULL: not said */
  const Sym *output_of; /* .. and the sequential output that each is; NULL: that of its name */
  const Fault *fault;  /* nothing is known of its outputs; NULL: it runs */
  uint32_t parts;     /* line of the first operator that some devices run besides what others run; 0: none */
  bool numbered;      /* parameters are told apart by number; their names are whatever wrote the file chose */
  uint64_t n_read;    /* instructions in the file, before inlining and unrolling */
} Graph;

/* Outputs of the program itself: those of its loops stand behind them. */
size_t graph_n_results(const Graph *g);
Graph *graph_new(void);
void graph_free(Graph *g);
/* Appends a copy (arrays and all live in the graph's arena); returns its id. */
NodeId graph_add(Graph *g, const Node *n);
/* Takes out the nodes that neither an output nor a node to keep (by id) needs; parameters stay.  Ids change. */
void graph_drop_unused(Graph *g, const bool *keep);
const Attr *node_attr(const Node *n, Sym name);
/* Attribute by name with a default. */
int64_t node_attr_int(const Node *n, Sym name, int64_t otherwise);
Sym node_attr_sym(const Node *n, Sym name, Sym otherwise);
/* Product of the dims (the reader has checked that it fits). */
int64_t node_elements(const Node *n);
/* The innermost source place ("models/tp.py:68") or 0. */
Sym node_at(const Graph *g, NodeId id);
/* Span of the node's line in its file, for diagnostics. */
Span node_span(const Graph *g, const Sources *sources, NodeId id);
#endif
