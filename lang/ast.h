/* AST: a .tvr file as a tree, exactly as written.
 *
 * The parser builds it by one ast_ call per rule; nothing is looked up here.  Which thing a name stands for (an index,
 * an operand, an attribute, a word such as `add`) follows from what is in scope and is the business of lang/check.c,
 * which reports misuse, and of eval/meaning/instance.c, which reads definitions.  Nodes live in one arena; text is interned.
 *
 * Invariant: no path from an item to a leaf is longer than AST_MAX_DEPTH, so recursion over a tree is bounded.  Where
 * the text was wrong an EX_ERROR stands and an error was reported: a file without errors has none. */
#ifndef TVR_AST_H
#define TVR_AST_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/arena.h"
#include "lang/base/diag.h"
#include "lang/base/intern.h"
#include "lang/base/rat.h"

enum { AST_MAX_DEPTH = 1000, AST_MAX_BLOCKS = 64 };

typedef enum AstBuiltin {
#define BUILTIN(id, text, min, max) BUILTIN_##id,
#include "lang/builtin.def"
#undef BUILTIN
  BUILTIN_N
} AstBuiltin;

/* Precedence, loosest first: if/let, or, and, not/all, comparison and is, + -, sum/max/min, * /, unary -, ^. */
typedef enum AstKind {
  EX_ERROR,
  EX_RAT,     /* value */
  EX_INF,     /* inf */
  EX_STRING,  /* name: the text between the quotes */
  EX_NAME,    /* name, or graph.name */
  EX_GROUP,   /* *name, or *name @ at: the positions of the group that the attribute `at` lists */
  EX_READ,    /* name[args], name[devices; args], graph.name[..] */
  EX_TUPLE,   /* (args): digits of one dimension, major to minor; two or more */
  EX_CALL,    /* name(args): elementwise, or a macro (fn) */
  EX_BUILTIN, /* builtin(args) */
  EX_SUM, EX_MAX, EX_MIN, /* sum(binders) args[0] */
  EX_ALL,     /* all(*g) args[0]: at every position of the groups */
  EX_NEG, EX_NOT,
  EX_ADD, EX_SUB, EX_MUL, EX_DIV, EX_POW,
  EX_EQ, EX_NE, EX_LT, EX_LE, EX_GT, EX_GE,
  EX_IS,      /* args[0] is args[1]: type(x) is float; args[1] is an EX_NAME: a type or a kind of types */
  EX_AND, EX_OR,
  EX_IF,      /* if args[0] then args[1] else args[2] */
  EX_LET,     /* let name = args[0] in args[1] */
  /* Of the Datalog layer. */
  EX_NAMED,    /* name: args[0]: an argument, a column or an option by name */
  EX_SAME,     /* args[0] = args[1]: asked by a query, made so by an action */
  EX_BIND,     /* let name = args[0]: an action */
  EX_DO,       /* name args[0]: an action such as delete */
  EX_RUN,      /* ruleset `name` (0: the default one), value times, until args hold */
  EX_SCHEDULE, /* name { args }: seq, saturate; repeat: value times */
  /* Of a graph that is written out. */
  EX_LIST, /* [args] */
  EX_NODE, /* name: graph[devices] = args[0]: a value, its element type and dimensions, the call that makes it */
  EX_N_KINDS
} AstKind;

typedef enum AstForm {
  FORM_INDEX,    /* i */
  FORM_GROUP,    /* *i */
  FORM_OPERANDS, /* x...: every operand of a variadic, in order */
} AstForm;

typedef struct AstExpr AstExpr;

/* An index where it is introduced: a digit of a pattern, or bound by a reduction. */
typedef struct AstIndex {
  Sym name;
  uint8_t form;  /* AstForm */
  AstExpr *size; /* `i: size`, or NULL.  `h: g` with g from `over g`: h is a position of one's replica group */
  Span span;
} AstIndex;

struct AstExpr {
  uint8_t kind;    /* AstKind */
  uint8_t builtin; /* EX_BUILTIN: AstBuiltin */
  uint16_t depth;  /* 1 for a leaf */
  Sym name, graph, at;
  Rat value;
  uint32_t n_args, n_devices, n_binders;
  AstExpr **args;
  AstExpr **devices; /* EX_READ: positions before the `;`, none for one's own value */
  AstIndex *binders; /* reductions and EX_ALL */
  Span span, name_span; /* name_span: of the name alone (with its graph) */
};

/* One entry of a bracket: one dimension, or a group of any number. */
typedef struct AstPattern {
  uint32_t n;      /* digits, major to minor: 0 for the literal `1` (size 1, no index), 1 for `i` and `*i` */
  AstIndex *digit; /* FORM_GROUP only when n == 1 */
  Sym at;          /* `@ attr`: stands at the dimension(s) the attribute lists, in that order; 0: none */
  Span span, at_span;
} AstPattern;

typedef struct AstParam {
  Sym name;
  bool variadic; /* x...[..]: the last operand, any number of times */
  bool bare;     /* written without a bracket (only parameters of `fn`) */
  uint32_t n_dims;
  AstPattern *dims;
  Span span, name_span;
} AstParam;

typedef struct AstAttr {
  Sym name, type; /* type: int, ints, rat, sym */
  AstExpr *init;  /* value when the operator does not have it, or NULL: then it must */
  Span span, type_span;
} AstAttr;

typedef struct AstResult {
  Sym name; /* 0 for the only one */
  uint32_t n_dims;
  AstPattern *dims;
  AstExpr *body; /* NULL if opaque */
  Span span;
} AstResult;

typedef struct AstOp {
  uint32_t n_params, n_attrs, n_results, n_batch;
  AstParam *params;
  AstAttr *attrs;
  AstResult *results;
  AstIndex *batch; /* opaque: indices it is independent over */
  Sym over;        /* one's own position in the replica group, or 0 */
  bool opaque;
  AstExpr *when;   /* or NULL: always */
  Span over_span;
} AstOp;

typedef struct AstFn {
  uint32_t n_params;
  AstParam *params;
  AstExpr *body;
} AstFn;

typedef struct AstLemma {
  uint32_t n_params, n_attrs;
  AstParam *params;
  AstAttr *attrs;
  AstExpr *when;     /* or NULL */
  AstExpr *equation; /* an EX_EQ once checked */
} AstLemma;

typedef struct AstAxis {
  Sym name;
  AstExpr *size; /* an integer literal once checked */
  Span span;
} AstAxis;

typedef struct AstMesh {
  uint32_t n_axes, n_devices;
  AstAxis *axes;
  AstExpr **devices; /* `devices [..]`: device number at each coordinate, last axis fastest; none: 0, 1, 2, .. */
} AstMesh;

/* Read from files, or written out. */
typedef struct AstGraph {
  Sym reader; /* hlo, torch, ..; 0: written out */
  uint32_t n_paths, n_axes, n_nodes;
  AstExpr **paths; /* EX_STRING */
  AstExpr **axes;  /* EX_NAME: `over (..)` */
  AstExpr **nodes; /* EX_NODE; EX_DO `return` of an EX_LIST of results */
} AstGraph;

/* `given` and `expect`: an equation, or `a ~ b shard(dim, axes..) partial(axes..)`. */
typedef struct AstGiven {
  AstExpr *equation;    /* an EX_EQ once checked, or NULL */
  AstExpr *left, *right; /* of `~`: EX_NAMEs */
  uint32_t n_layout;
  AstExpr **layout; /* EX_CALLs: shard, partial, replicated */
} AstGiven;

typedef struct AstAssume {
  AstExpr *tensor, *lo, *hi; /* tensor in lo .. hi, both inclusive; NULL: conditions on sizes */
  uint32_t n_conditions;
  AstExpr **conditions;
} AstAssume;

typedef struct AstSizes {
  uint32_t n;
  AstExpr **names; /* EX_NAME */
} AstSizes;

typedef struct AstCheck {
  AstExpr *left, *right; /* EX_NAMEs of graphs */
  Sym verb;              /* refines, equal, expected, lineage */
  Span verb_span;
} AstCheck;

typedef struct AstExprs {
  uint32_t n;
  AstExpr **at;
} AstExprs;

typedef struct AstItem AstItem;

/* An item of the Datalog layer; what the parts are is said at its kind. */
typedef struct AstClause {
  AstExprs head, body, options;
  uint32_t n_items, depth; /* depth: 1 + that of the deepest item inside */
  AstItem **items;
  Sym ruleset; /* 0: the default one */
  bool both;
  bool only_here; /* `private`: what it declares */
  Span ruleset_span;
} AstClause;

typedef enum AstItemKind {
  ITEM_OP, ITEM_FN, ITEM_LEMMA, ITEM_MESH, ITEM_GRAPH, ITEM_GIVEN, ITEM_EXPECT, ITEM_RELATION, ITEM_ASSUME, ITEM_CHECK,
  ITEM_SIZES,
  /* The Datalog layer: AstClause. */
  ITEM_SORT,        /* head: a call, the container it is; with body, a function sort from head's arguments to body */
  ITEM_DATATYPE,    /* items: variants, each an ITEM_CONSTRUCTOR without body */
  ITEM_GROUP,       /* items: datatypes and sorts declared together */
  ITEM_CONSTRUCTOR, /* head: columns, EX_NAME or EX_NAMED; body: the sort of its terms */
  ITEM_FUNCTION,    /* the same; body: its sort, then the merge if there is one */
  ITEM_TABLE,       /* a relation; head: columns */
  ITEM_COSTS,       /* a cost model; option `default` */
  ITEM_RULESET,     /* head: members, if it stands for others */
  ITEM_RULE,        /* head: facts, body: actions */
  ITEM_REWRITE,     /* body: left and right, `both` ways or one, head: conditions */
  ITEM_DO,          /* body: actions */
  ITEM_LET,         /* body: the value */
  ITEM_RUN,         /* body: a schedule */
  ITEM_HOLDS,       /* head: facts to check */
  ITEM_PROVE,       /* the same, and why they hold is printed */
  ITEM_FAIL,        /* items: the one that must fail */
  ITEM_EXTRACT,     /* body: a term, then how many; with option `by`, head: the cost model */
  ITEM_PRINT,       /* the same of a table */
  ITEM_INPUT,       /* head: table, path */
  ITEM_OUTPUT,      /* head: path, body: terms */
  ITEM_INCLUDE,     /* head: path; body: `as` and the name of the module (EX_DO), if it becomes one */
  ITEM_PUSH,        /* items: undone at the end */
  ITEM_TEMPLATE,    /* head: parameters, body: members of the family (EX_TUPLE for several parameters), items */
  ITEM_N_KINDS
} AstItemKind;

struct AstItem {
  uint8_t kind; /* AstItemKind */
  Sym name;     /* of op, fn, lemma, graph; ITEM_RELATION: the path; else 0 */
  Span span, name_span;
  union {
    AstOp op;
    AstFn fn;
    AstLemma lemma;
    AstMesh mesh;
    AstGraph graph;
    AstGiven given; /* ITEM_GIVEN, ITEM_EXPECT */
    AstAssume assume;
    AstCheck check;
    AstSizes sizes;
    AstClause clause;
  };
};

typedef struct AstFile {
  uint32_t source, n_items, n_comments;
  AstItem **items;
  Span *comments; /* from the slashes to the end of the line, in order */
} AstFile;

/* "op", "given" */
const char *ast_item_text(AstItemKind kind);
const char *ast_builtin_text(AstBuiltin b);
/* NULL if it takes n arguments, else what it takes: "one argument". */
const char *ast_builtin_arity(AstBuiltin b, uint32_t n);
/* An AstBuiltin by name, or -1. */
int ast_builtin_of(Sym name);

/* ---- Construction (for the parser) ---- */

/* Is it an item of the Datalog layer? */
static inline bool ast_is_clause(const AstItem *it) { return it->kind >= ITEM_SORT; }

/* A list under construction, last entry first; NULL is empty. */
typedef struct AstList AstList;

typedef struct Ast {
  Arena *arena;
  Arena *lists; /* what is in use until the list it stands in is complete; may be given up after parsing */
  Diags *diags;
  bool too_deep; /* reported already */
} Ast;

AstList *ast_append(Ast *a, AstList *l, void *item);

AstExpr *ast_error(Ast *a, Span at);
AstExpr *ast_number(Ast *a, Span at, Rat value);
AstExpr *ast_inf(Ast *a, Span at);
AstExpr *ast_string(Ast *a, Span at, Sym text);
AstExpr *ast_name(Ast *a, Span at, Sym graph, Sym name);
AstExpr *ast_group(Ast *a, Span at, Sym name, Sym place);
AstExpr *ast_read(Ast *a, Span at, AstExpr *name, AstList *devices, AstList *args);
AstExpr *ast_tuple(Ast *a, Span at, AstExpr *first, AstList *rest);
/* A built-in if the name is one's and takes as many arguments, else a call. */
AstExpr *ast_call(Ast *a, Span at, AstExpr *name, AstList *args);
/* `x % y`: what mod(x, y) is; its name stands at the sign. */
AstExpr *ast_remainder(Ast *a, Span at, Span sign, AstExpr *x, AstExpr *y);
AstExpr *ast_reduce(Ast *a, Span at, AstKind kind, AstList *binders, AstExpr *body);
AstExpr *ast_unary(Ast *a, Span at, AstKind kind, AstExpr *x);
AstExpr *ast_binary(Ast *a, Span at, AstKind kind, AstExpr *x, AstExpr *y);
AstExpr *ast_if(Ast *a, Span at, AstExpr *p, AstExpr *x, AstExpr *y);
AstExpr *ast_let(Ast *a, Span at, AstExpr *name, AstExpr *value, AstExpr *body);

AstIndex *ast_index(Ast *a, Span at, AstForm form, Sym name, AstExpr *size);
AstPattern *ast_pattern(Ast *a, Span at, AstList *digits);
/* The literal `1`: a dimension no index names. */
AstPattern *ast_unit(Ast *a, Span at, Rat value);
AstPattern *ast_placed(Ast *a, Span at, AstPattern *p, AstExpr *attr);
AstParam *ast_param(Ast *a, Span at, AstExpr *name, AstForm form, bool bare, AstList *dims);
AstAttr *ast_attr(Ast *a, Span at, Sym name, AstExpr *type, AstExpr *init);
AstResult *ast_result(Ast *a, Span at, Sym name, AstList *dims, AstExpr *body);

/* What stands between the parentheses of an operator or a lemma. */
typedef struct AstSignature {
  AstList *params, *attrs;
} AstSignature;

/* How an operator is defined: `= body`, `{ .. }` or `opaque batch ..`. */
AstItem *ast_op(Ast *a, Span at, AstExpr *name, AstSignature s, AstExpr *over, AstList *results, AstExpr *when);
AstItem *ast_opaque(Ast *a, Span at, AstItem *op, AstList *batch);
/* Gives the only result of `op` its body. */
AstItem *ast_body(Ast *a, Span at, AstItem *op, AstExpr *body);
AstItem *ast_fn(Ast *a, Span at, AstExpr *name, AstList *params, AstExpr *body);
AstItem *ast_lemma(Ast *a, Span at, AstExpr *name, AstSignature s, AstExpr *when, AstExpr *equation);
AstItem *ast_mesh(Ast *a, Span at, AstList *axes, AstList *devices);
AstAxis *ast_axis(Ast *a, Span at, Sym name, AstExpr *size);
AstItem *ast_graph(Ast *a, Span at, AstExpr *name, AstExpr *reader, AstList *paths, AstList *axes);
/* A graph written out. */
AstItem *ast_written(Ast *a, Span at, AstExpr *name, AstList *axes, AstList *nodes);
AstExpr *ast_list(Ast *a, Span at, AstList *members);
/* `name: type[dims] = callee(args)`; name and callee are an EX_NAME or an EX_STRING. */
AstExpr *ast_node(Ast *a, Span at, AstExpr *name, AstExpr *type, AstList *dims, AstExpr *callee, AstList *args);
AstItem *ast_given(Ast *a, Span at, AstItemKind kind, AstExpr *equation);
AstItem *ast_layout(Ast *a, Span at, AstItemKind kind, AstExpr *left, AstExpr *right, AstList *layout);
AstItem *ast_relation(Ast *a, Span at, AstExpr *path);
AstItem *ast_assume(Ast *a, Span at, AstExpr *tensor, AstExpr *lo, AstExpr *hi);
/* Conditions on sizes. */
AstItem *ast_conditions(Ast *a, Span at, AstList *conditions);
AstItem *ast_sizes(Ast *a, Span at, AstList *names);
AstItem *ast_check(Ast *a, Span at, AstExpr *left, AstExpr *verb, AstExpr *right);
AstFile *ast_file(Ast *a, uint32_t source, AstList *items);

/* ---- The Datalog layer (ast_rules.c) ---- */

AstExpr *ast_named(Ast *a, Span at, Span name_span, Sym name, AstExpr *value);
AstExpr *ast_bind(Ast *a, Span at, AstExpr *name, AstExpr *value);
/* A verb and what it works on. */
AstExpr *ast_do(Ast *a, Span at, Span verb_span, Sym verb, AstExpr *what);
AstExpr *ast_run(Ast *a, Span at, Sym ruleset, Rat times, AstList *until);
AstExpr *ast_schedule(Ast *a, Span at, Span verb_span, Sym verb, Rat times, AstList *members);
/* An item of any kind with its parts; name may be NULL. */
AstItem *ast_clause(Ast *a, Span at, AstItemKind kind, AstExpr *name, AstList *head, AstList *body);
/* The same of items. */
AstItem *ast_block(Ast *a, Span at, AstItemKind kind, AstExpr *name, AstList *items);
/* What stands between `rule` or `rewrite` and the rule itself. */
typedef struct AstHeading {
  AstExpr *name, *ruleset;
  AstList *options;
} AstHeading;
AstItem *ast_headed(Ast *a, AstItem *it, AstHeading h, bool both);
/* One datatype by itself, or several that may mention each other. */
AstItem *ast_group_of(Ast *a, Span at, AstList *members);
AstItem *ast_rewrite(Ast *a, Span at, AstExpr *left, AstExpr *right, AstList *conditions, AstList *options, bool both);
AstItem *ast_template(Ast *a, Span at, AstExpr *name, AstList *parameters, AstList *family, AstList *items);
AstItem *ast_optioned(Ast *a, AstItem *it, AstList *options);
/* comments: of Span. */
void ast_comments(Ast *a, AstFile *f, AstList *comments);
#endif
