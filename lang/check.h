/* Inside lang_check: what is declared, what is in scope, and the passes over items.
 *
 * Declarations of the file and of its libraries are one sorted table.  The scope of an item is a list, innermost name
 * last, at most CHECK_MAX_NAMES long, so looking a name up is bounded. */
#ifndef TVR_LANG_CHECK_H
#define TVR_LANG_CHECK_H
#include "lang/ast.h"
#include "lang/base/vec.h"
#include "lang/sizes.h"

enum { CHECK_MAX_NAMES = 1024, CHECK_MAX_BRACKETS = 64, CHECK_MAX_DIMS = 64 };

typedef enum NameKind {
  NAME_OPERAND,
  NAME_ATTR,
  NAME_INDEX, /* index or group of a pattern or a reduction */
  NAME_OVER,  /* one's own position in the replica group */
  NAME_LET,
  NAME_SCALAR, /* parameter of a function */
} NameKind;

typedef struct Name {
  Sym sym;
  uint8_t kind, form;      /* NameKind; AstForm of an index */
  bool usable;             /* index: bound here, by the result or a reduction */
  bool sized;              /* index: its size is stated or follows from a pattern or a read */
  bool open;               /* variadic operand: inside `sum(x...)`; group: its number of dimensions is known */
  bool groupish;           /* let: its value is one per position of a group */
  bool used;
  uint32_t bracket;        /* index: number of the bracket it was seen in last */
  Span at;
  const AstParam *param;   /* operand */
  const AstAttr *attr;     /* attribute; NULL if it only places a pattern */
} Name;

typedef enum Place { PLACE_BODY, PLACE_WHEN, PLACE_FN, PLACE_LEMMA } Place;

typedef struct Decl {
  uint8_t kind; /* AstItemKind */
  Sym name;
  uint32_t order; /* libraries come first */
  uint32_t arity; /* of a function */
  Span at;
  const AstItem *item;
} Decl;

/* Something declared and never used: reported only when there is no error, or it would hide the errors. */
typedef struct Unused {
  Sym name;
  Span at;
  bool bound; /* by a reduction */
} Unused;

typedef struct Check {
  Diags *diags;
  const AstFile *file;
  Vec(Decl) decls; /* sorted by kind, name, order */
  Vec(Name) names;
  Vec(Unused) unused;
  Place place;
  bool full;           /* the limit of names was reported for this item */
  uint32_t order, bracket; /* of the item, of the bracket being checked */
  const AstOp *op;     /* the operator being checked, or NULL */
  const AstMesh *mesh; /* the file's, or NULL */
  const Sizes *sizes;  /* that the file declares */
} Check;

/* First declaration of a kind, or NULL. */
const Decl *check_find(const Check *c, AstItemKind kind, Sym name);
/* check_expr.c: reports what is wrong with an expression in scope.  True if its value is one per position of a group,
 * which is an error unless group_ok. */
bool check_expr(Check *c, const AstExpr *e, bool group_ok);
/* A function that the language has itself (fn.def). */
bool check_is_function(Sym name);
/* The innermost name in scope, or NULL.  `b` and `*b` are told apart (form is FORM_GROUP for the latter); only if there
 * is no name of the form asked for is one of the other returned. */
Name *check_lookup(Check *c, Sym name, AstForm form);
/* Opens a name; reports and returns NULL if the scope is full. */
Name *check_open(Check *c, Name name);
/* Closes the names from `first` on, keeping in mind those never used. */
void check_close(Check *c, size_t first);
/* Hints at the closest name in scope, if one is close. */
void check_suggest(Check *c, Sym name);
/* Whether it is worth looking for hints: far more errors are not shown. */
bool check_hints(const Check *c);

/* check_op.c */
void check_op(Check *c, const AstItem *it);
void check_fn(Check *c, const AstItem *it);
void check_lemma(Check *c, const AstItem *it);
/* check_model.c: mesh, graph, given, expect, assume, check. */
void check_model(Check *c, const AstItem *it);
/* check_node.c: attributes of a node of a written graph that no definition of its operator reads. */
void check_node(Check *c, const AstExpr *node);
/* check_sizes.c */
void check_sizes(Check *c, const AstItem *it);
void check_conditions(Check *c, const AstItem *it);
/* check_rules.c: the form of an item of the Datalog layer; its names and sorts are checked when it runs. */
void check_clause(Check *c, const AstItem *it);
#endif
