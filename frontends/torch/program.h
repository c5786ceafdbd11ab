/* Program: a tvr-graph file (captured PyTorch programs) as tables, the ranks laid over each other.
 *
 * Graphs of equal structure (operators and result types) are one set of ranks: what differs is literals, or which value
 * an operand is, and an argument that does keeps one value per rank.  Names are turned into numbers: a value is an
 * input, a constant or a node, in this order.  Format: frontends/torch/README.md. */
#ifndef TVR_TORCH_PROGRAM_H
#define TVR_TORCH_PROGRAM_H
#include "eval/graph/relation.h"
#include "frontends/json/json.h"

enum { TORCH_MAX_RANK = 60 };

typedef enum TorchArgKind {
  TA_NONE,   /* null */
  TA_TENSOR, /* value `i`, result `result` */
  TA_INT,    /* i, r */
  TA_BOOL,   /* i, r */
  TA_FLOAT,  /* r: the shortest decimal, or RAT_POS_INF .. */
  TA_STRING, /* s */
  TA_DTYPE,  /* i: DType */
  TA_GROUP,  /* i: index in groups */
  TA_LIST,   /* list[n] */
} TorchArgKind;

typedef struct TorchArg {
  uint8_t kind;
  uint32_t n;
  uint32_t result;
  int64_t i;
  Rat r;
  Sym s;
  struct TorchArg *list;
  struct TorchArg *ranks; /* values on ranks 0 .. n_ranks-1, without tables of their own; NULL: all are equal */
} TorchArg;

typedef struct TorchType {
  bool tensor; /* false: the result is not a tensor */
  uint8_t rank, dtype;
  const int64_t *dims;
} TorchType;

typedef struct TorchNode {
  Sym op, name, module;
  Sym at; /* source places, innermost first, a line each */
  uint32_t n_args, n_kwargs, n_outs;
  TorchArg *args;
  Sym *keys; /* of kwargs */
  TorchArg *kwargs;
  TorchType *outs;
  const char *odd; /* what the file says of its first result and it does not do (Oddity), or NULL */
  uint32_t line;
} TorchNode;

typedef struct TorchInput {
  Sym name, fqn;
  TorchType type;
} TorchInput;

typedef struct TorchConstant {
  Sym name;
  TorchType type;
  uint64_t n;         /* values: elements, twice as many if complex */
  const Rat **values; /* by rank; equal ones are one pointer */
  uint32_t line;
} TorchConstant;

typedef struct TorchGroup {
  Sym name;
  uint32_t n, size;     /* groups, members of each */
  const int64_t *ranks; /* n * size, in the order of the group */
} TorchGroup;

/* Ranks of equal structure. */
typedef struct TorchSet {
  Sym name;     /* of the first one's graph */
  bool *member; /* by rank */
  uint32_t n_inputs, n_constants, n_nodes, n_outputs;
  TorchInput *inputs;
  TorchConstant *constants;
  TorchNode *nodes;
  TorchArg *outputs; /* references */
  Sym *output_names;
} TorchSet;

typedef struct TorchProgram {
  Arena arena;
  Diags *diags;
  uint32_t source;
  bool sequential;
  Mesh mesh;
  uint32_t n_groups;
  TorchGroup *groups;
  int64_t n_ranks;
  uint32_t n_sets;
  TorchSet *sets;
  uint64_t n_read; /* nodes of all graphs */
  bool faults;     /* what keeps the program from running to its end is no error but `fault` */
  const Fault *fault;
} TorchProgram;

/* Does the text look like a tvr-graph file? */
bool torch_program_is(const Source *source);
/* false after errors, which are reported.  Free it either way. */
bool torch_program_read(TorchProgram *p, Diags *diags, uint32_t source);
void torch_program_free(TorchProgram *p);
/* The program of all ranks as a graph.  NULL after errors, which are reported; the caller frees it. */
Graph *torch_lower(TorchProgram *p);
/* Of the same types? */
bool torch_same_results(const TorchNode *a, const TorchNode *b);
/* The same inputs, in order? */
bool torch_same_inputs(const TorchSet *g, const TorchSet *h);
bool torch_has_tensor(const TorchArg *a);
/* The argument that says among which ranks it communicates, or NULL. */
const TorchArg *torch_group(const TorchNode *n);
/* Do a, of g, and b, of h, differ in nothing but literals and which values of one type operands are? */
bool torch_same_node(const TorchSet *g, const TorchSet *h, const TorchNode *a, const TorchNode *b);
/* Operators that all sets have in common, in the order in which all have them: by set and node their number from 1, or 0.
 * NULL: the sets have other inputs, or little in common. */
uint32_t *const *torch_align(const TorchProgram *p, Arena *a);
/* Is the program of h that of g, but for literals and which values operands are? */
bool torch_lay_fits(const TorchSet *g, const TorchSet *h);
/* Rank `rank` runs h: g, which it fits, is of that rank too. */
void torch_lay(TorchProgram *p, TorchSet *g, const TorchSet *h, int64_t rank);
/* All ranks are laid: what varies gets values on ranks that are not of the set. */
void torch_lay_end(TorchProgram *p, TorchSet *g);
/* Equal, and the same on all ranks? */
bool torch_same_literal(const TorchArg *a, const TorchArg *b);
/* The program does not run to its end, by operator n; always false. */
bool torch_fault(TorchProgram *p, const TorchNode *n, DiagCode code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Span of line `line` of the file; none for 0. */
Span torch_program_span(const TorchProgram *p, uint32_t line);
#endif
