/* Instance: one operator of a graph, as one equation over indices.
 *
 *     y[o0, o1, ..] = body
 *
 * It is what an operator's definition (stdlib, in index notation) says for the shapes, attributes and operands of one
 * node.  Everything that needs to know what an operator means reads this and nothing else: digit inference (which
 * dimensions share digits), the builder (which class the node is), evaluation (which numbers it gives).
 *
 * Index variables have a size and range over 0 .. size-1.  An output dimension is one variable, or several, major to
 * minor (`(g, i)`: o = g * size(i) + i).  Bound variables belong to one reduction.  A group variable is the position of
 * the own device in its replica group: a collective reads its operand at another position.  */
#ifndef TVR_INSTANCE_H
#define TVR_INSTANCE_H
#include "eval/graph/relation.h"

typedef uint32_t XId; /* expression of an instance */
typedef uint32_t VarId;
#define NO_X UINT32_MAX
#define NO_VAR UINT32_MAX

typedef enum VarKind { VAR_OUT, VAR_BOUND, VAR_GROUP } VarKind;

typedef struct IxVar {
  uint8_t kind;
  int64_t size;
  uint32_t dim; /* VAR_OUT: the output dimension */
  Sym name;     /* for printing */
} IxVar;

typedef struct IxTerm {
  VarId var;
  int64_t coef; /* != 0 */
} IxTerm;

/* constant + sum coef * var + the integer value of the expression `dyn`. */
typedef struct Ix {
  int64_t constant;
  uint32_t n_terms;
  const IxTerm *terms; /* sorted by var, no repeats */
  XId dyn;             /* NO_X: none */
} Ix;

typedef enum XKind {
  X_RAT,    /* r */
  X_INF,    /* r: +1 or -1 times infinity */
  X_INDEX,  /* ix[0]: the index as a number */
  X_READ,   /* operand `operand` at ix[0..n) ; see below */
  X_ADD,    /* n args */
  X_MUL,    /* n args */
  X_POW,    /* args[0] ^ r, r rational */
  X_FN,     /* name(args), elementwise: fn.def */
  X_CMP,    /* args[0] name args[1], 0 or 1; name is one of == != < <= > >= */
  X_SELECT, /* args[0] (0 or 1) ? args[1] : args[2] */
  X_SUM, X_MAX, X_MIN, /* over vars[n_vars] of args[0] */
  X_COORD,  /* number of the own device */
} XKind;

typedef enum ReadMode {
  READ_AT,   /* one Ix per dimension of the operand; out of range the value is undefined (a guard must exclude it) */
  READ_FLAT, /* ix[0] is the row-major position in the operand */
} ReadMode;

typedef struct X {
  uint8_t kind, mode;
  uint32_t n;           /* number of args, or of ix for X_READ */
  const XId *args;
  Rat r;
  Sym name;
  uint32_t operand;     /* X_READ: which argument of the node */
  const Ix *ix;
  uint32_t n_vars;
  const VarId *vars;
  /* X_READ: which device's value.  group == NO_VAR: one's own.  Else the device at that position of one's group. */
  VarId group;
  bool permuted;        /* X_READ: the value of the source named by the source_target_pairs, 0 if there is none */
} X;

typedef struct OutDim {
  uint32_t n;
  const VarId *vars; /* major to minor; none for a dimension of size 1 that no index names */
} OutDim;

typedef struct Instance {
  /* No body: an unknown function of the operands, the same for equal op, result, types and attributes.  With `groups`
   * or `pairs` it reads other devices in an unknown way: its value is a function of the operands on every device. */
  bool opaque;
  const char *why_opaque; /* for reports: "no definition", "window with dilation", .. */
  uint32_t n_vars;
  const IxVar *vars;
  uint32_t n_x;
  const X *x;
  XId body;
  uint32_t n_out;
  const OutDim *out; /* one per dimension of the node */
  /* Opaque operators: dimensions that are independent of each other.  batch[d] for output dimension d: the operator
   * treats it pointwise; operand k then has it as dimension batch_arg[k][d]. */
  const bool *batch;
  const int32_t *const *batch_arg; /* [n_args][rank], -1: operand k does not have it */
  const Attr *groups;     /* ATTR_GROUPS of a collective, or NULL; in mesh order where theirs means nothing */
  const Attr *pairs;      /* ATTR_PAIRS, or NULL */
} Instance;

typedef struct Library Library;     /* the operator definitions in force: lang/library.h */
typedef struct Instances Instances; /* equations made so far: nodes of equal operator, types, attributes share one */

Instances *instances_new(const Library *lib);
/* From now on a division by 0 in a definition (the mean of nothing) has no value; else it is an error. */
void instances_partial(Instances *s);
/* The order of the devices, for groups whose own order means nothing; without it they ascend.  `m` outlives `s`; its
 * device_order is a permutation. */
void instances_mesh(Instances *s, const Mesh *m);
void instances_free(Instances *s);
/* The equation of node `id`; it lives as long as `s`.  What has no definition, or none for these attributes, is opaque;
 * `parameter` and `constant` have no equation and are not opaque (body == NO_X).  A definition that does not fit the
 * node's shapes is reported and the result is NULL. */
const Instance *instance_of(Instances *s, const Graph *g, NodeId id, Diags *diags);
/* "y[i, j] = sum(k) a[i, k] * b[k, j]": operands are a, b, c, .. in order. */
char *instance_print(const Instance *in, Arena *a);
#endif
