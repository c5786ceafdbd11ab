/* What a StableHLO text holds, before it is flattened: functions of operators, names resolved, attributes as text.
 *
 * The values of a function are numbered through, those of nested regions among them: a region reads the values around
 * it by their numbers.  Attributes keep the text of their value: each operator reads those it knows when it becomes
 * nodes.  Arrays live in the graph's arena. */
#ifndef TVR_FRONTENDS_STABLEHLO_MODULE_H
#define TVR_FRONTENDS_STABLEHLO_MODULE_H
#include "eval/graph/graph.h"
#include "eval/graph/relation.h"
#include "frontends/base/scan.h"
#include "frontends/base/textmap.h"
#include "frontends/stablehlo/stablehlo.h"

enum { MAX_NESTING = 64, MAX_RANK = 64, MAX_ERRORS = 20, MAX_CALLS = 400, MAX_ATTRS = 64, MAX_FRAMES = 64,
       MAX_DEVICES = 1 << 20 };

/* A tensor, or a token. */
typedef struct MlirType {
  uint8_t dtype, rank;
  const int64_t *dims;
} MlirType;

/* `name = value`; what the pretty form writes without a name has one of the names below. */
typedef struct MlirAttr {
  Text name, value;
} MlirAttr;
#define ATTR_WORD "#word"     /* EQ in `compare EQ, ..` */
#define ATTR_SYMBOL "#symbol" /* f in `call @f(..)` */
#define ATTR_RANGES "#ranges" /* [0:4, 1:3] */
#define ATTR_ANGLE "#angle"   /* <@mesh, [..]> */
#define ATTR_VALUE "#value"   /* a constant's, or a string */

typedef struct MlirRegion MlirRegion;

typedef struct MlirOp {
  Text op;                  /* "stablehlo.add" */
  Sym name;                 /* of its first result, or the operator's */
  const uint32_t *args;     /* values */
  const MlirAttr *attrs;
  const MlirRegion *regions;
  const MlirType *const *types; /* of the results */
  uint32_t n_args, n_attrs, n_regions, n_results;
  uint32_t result;          /* first value */
  uint32_t at, line;        /* byte offset, line */
  Text where;               /* location as written, or empty */
} MlirOp;

struct MlirRegion {
  uint32_t param, n_params; /* its parameters are values param .. */
  uint32_t n_ops;           /* the last one returns */
  const MlirOp *ops;
};

typedef struct MlirParam {
  Sym name;
  Text attrs, where; /* dictionary and location as written, or empty */
} MlirParam;

typedef struct MlirFunc {
  Sym name;
  uint32_t at;
  uint32_t n_values, n_results;
  const MlirType *const *types; /* of all values */
  const MlirParam *params;      /* of the body's parameters */
  const Text *results;          /* dictionaries of the results */
  const MlirType *const *result_types;
  MlirRegion body;
  bool declared;                /* it has no body */
} MlirFunc;

typedef struct MlirAlias {
  Sym name;
  Text value;
  Sym label;       /* of a location, once resolved */
  uint32_t frames; /* index into Graph.frames */
  uint8_t state;   /* 0 not resolved, 1 being resolved, 2 resolved */
} MlirAlias;

typedef struct MlirMesh {
  Sym name;
  const Mesh *mesh;
} MlirMesh;

typedef struct MlirModule {
  Graph *graph;
  const char *text;
  Scan scan;               /* for reports, and to read pieces of the text */
  TextMap types;
  Vec(MlirFunc) funcs;
  Vec(MlirMesh) meshes;
  Vec(MlirAlias) aliases;
  Vec(uint32_t) alias_of;  /* by symbol: 1 + index */
  Vec(uint32_t) func_of;   /* by symbol: 1 + index */
  int64_t n_replicas, n_partitions; /* as the module says; 0: not said */
  uint64_t n_ops;
  bool manual;             /* it has a manual computation */
  bool talks;              /* several partitions, and operators between them: it is the program of one */
  bool tiled;              /* it has annotations of a partitioner that is still to run, in the form of GSPMD */
} MlirModule;

bool mlir_type_equal(const MlirType *a, const MlirType *b);
/* Place of a piece of the text. */
Span mlir_span(const MlirModule *m, Text t);
/* The line of an operator from its place on. */
Span mlir_op_span(const MlirModule *m, const MlirOp *op);
#define MLIR_ERROR(m, op, code, ...) diag_error((m)->scan.diags, mlir_op_span((m), (op)), (code), __VA_ARGS__)

/* text.c: over brackets, braces, angles and strings; reports what is never closed. */
bool text_skip(Scan *s);
/* The text up to a comma or closing bracket that is not within brackets, spaces at the ends taken off. */
bool text_value(Scan *s, Text *out);
/* The value `name` has in `{a = 1, b}`, `<{a = 1}>`, or `#x.y<a = 1>`; a name alone has an empty value. */
bool text_field(const Scan *base, Text of, const char *name, Text *out);
/* A quoted text or a word without quotes, escapes resolved. */
Sym text_unquote(Text t);
/* Without its spaces (strings keep theirs). */
Sym text_squeeze(Arena *a, Text t);
bool text_equals(Text a, const char *b);

/* places.c: label and frames of a location. */
void places_resolve(MlirModule *m, Text where, Sym *label, uint32_t *frames);

/* types.c: a type at the cursor, kept by its text; NULL after errors. */
const MlirType *type_read(Scan *s, Arena *a, TextMap *known);

/* dense.c: the value of a constant of type t: `dense<..>`, a number, `true`. */
bool dense_literal(MlirModule *m, Text value, const MlirType *t, Literal *out, Sym *complex);
/* A list of integers in any spelling: [1, 2], array<i64: 1, 2>, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>, 7 : i64.
 * *out lives in the arena; *columns, unless NULL: the last dimension. */
bool dense_ints(MlirModule *m, Text value, const int64_t **out, uint32_t *n, int64_t *columns);

/* parse.c: the text into the module; false after errors. */
bool mlir_parse(MlirModule *m);
/* flatten.c: the function main as nodes of the graph; false after errors. */
bool mlir_flatten(MlirModule *m, const StablehloOptions *options);
#endif
