/* Sorts of expressions: every literal, variable and call of one rule, check or action gets one.
 *
 * Expressions become nodes with sort variables; calls of tables fix theirs at once, overloaded primitives stay open
 * until exactly one candidate fits what is known, which types_solve finds by propagation. */
#ifndef TVR_PROGRAM_TYPES_H
#define TVR_PROGRAM_TYPES_H
#include "eval/program/names.h"

typedef enum NodeKind { NODE_CONST, NODE_VAR, NODE_GLOBAL, NODE_TABLE, NODE_PRIM, NODE_FN } NodeKind;

typedef struct Expr Expr;
struct Expr {
  NodeKind kind;
  uint32_t type;  /* sort variable */
  uint32_t id;    /* value of a constant, variable, global, table; chosen primitive */
  Sym name;       /* primitives and function values: what was written */
  uint32_t n;
  Expr **arg;
  const Sexp *at;
};

typedef struct Variable {
  Sym name; /* 0: `_` */
  uint32_t type;
  const Sexp *at;
  Reg reg;
} Variable;

typedef struct Scope {
  Program *program;
  Vec(uint32_t) up;     /* union-find of sort variables */
  Vec(SortId) sort;     /* of each root, IR_NONE if not known */
  Vec(Variable) vars;
  Vec(Expr *) open;     /* calls not resolved yet */
  bool may_bind;        /* unknown symbols are new variables (queries) or errors (actions) */
  bool may_look_up;     /* calls of functions are allowed in actions */
  bool in_query;
} Scope;

void scope_init(Scope *s, Program *e);
/* Forgets the variables: their names are free for another scope. */
void scope_leave(Scope *s);
void scope_free(Scope *s);
uint32_t type_new(Scope *s, SortId sort);
SortId type_sort(Scope *s, uint32_t type);
/* Makes two sort variables one; reports at `at` if they differ. */
bool type_unify(Scope *s, uint32_t a, uint32_t b, const Sexp *at);
/* Reports that there is no function of this name, at the head of x; NULL. */
Expr *types_unbound(Scope *s, const Sexp *x, Sym head);
/* The node of an expression, NULL after an error. */
Expr *types_expr(Scope *s, const Sexp *x);
/* A new variable; reports names that cannot be one.  UINT32_MAX after an error. */
uint32_t types_variable(Scope *s, const Sexp *x, bool local);
/* Resolves all calls; reports what is ambiguous. */
bool types_solve(Scope *s);
#endif
