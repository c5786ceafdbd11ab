/* Checked expressions to IR blocks: queries are flattened into atoms, actions into operations. */
#ifndef TVR_PROGRAM_LOWER_H
#define TVR_PROGRAM_LOWER_H
#include "eval/program/types.h"

/* An action that is typed but not yet emitted: IR_CALL runs `a`, and names its value the variable `op` unless that is
 * IR_NONE; IR_UNION equates a and b; others work on the row `a` of the table `op`, which IR_SET gives the value b. */
typedef struct Act {
  IrOpKind kind;
  uint32_t op;
  Expr *a, *b;
  const Sexp *at;
} Act;

/* What is being built; everything lives in the scratch arena, the vectors until lower_free. */
typedef struct Lower {
  Program *program;
  Scope scope;
  Vec(Expr *) facts;     /* pairs: both sides of an equation, or a call and NULL */
  uint32_t n_query;      /* variables of the query; those of actions come after */
  Vec(Act) acts;
  Vec(IrAtom) atoms;
  Vec(IrOp) ops;
  Vec(IrInit) inits;
  Vec(SortId) sorts;     /* of registers */
  Vec(Sym) names;
  bool never;
  uint32_t n_body, widest;
} Lower;

void lower_init(Lower *l, Program *e);
void lower_free(Lower *l);
/* Reads facts, all before the first action. */
bool lower_fact(Lower *l, const Sexp *fact);
/* Adds the fact left = v, with v a new variable; returns it through *v. */
bool lower_root(Lower *l, const Sexp *left, uint32_t *v);
/* Types the whole, flattens and checks the query. */
bool lower_query(Lower *l);
/* Reads one action, as in a rule head. */
bool lower_action(Lower *l, const Sexp *action);
/* Types the whole and emits the actions, after the query. */
bool lower_actions(Lower *l);
/* v = expression, by union. */
bool lower_union_with(Lower *l, uint32_t v, const Sexp *x);
/* Subsumes the row of lower_root. */
bool lower_subsume_root(Lower *l, const Sexp *x);
/* Evaluates an expression; its value and sort. */
bool lower_value(Lower *l, const Sexp *x, SortId want, Reg *reg, SortId *sort);
/* A variable that is given, at the next register: parameters of a merge. */
bool lower_parameter(Lower *l, const char *name, SortId sort);
/* The block so far. */
IrBlock lower_block(Lower *l, Reg result);
#endif
