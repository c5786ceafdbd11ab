/* Checked expressions to IR blocks: queries are flattened into atoms, actions into operations. */
#ifndef TVR_PROGRAM_LOWER_H
#define TVR_PROGRAM_LOWER_H
#include "eval/program/types.h"

/* What is being built; everything lives in the scratch arena, the vectors until lower_free. */
typedef struct Lower {
  Program *program;
  Scope scope;
  Vec(Expr *) facts;     /* pairs: both sides of an equation, or a call and NULL */
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
/* Reads facts; call lower_query after the last. */
bool lower_fact(Lower *l, const Sexp *fact);
/* Adds the fact left = v, with v a new variable; returns it through *v. */
bool lower_root(Lower *l, const Sexp *left, uint32_t *v);
/* Types, flattens and checks the query; afterwards only actions may follow. */
bool lower_query(Lower *l);
/* One action, as in a rule head. */
bool lower_action(Lower *l, const Sexp *action);
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
