/* Explanations for people and for programs: `(prove fact ...)` and `tvr explain FILE.egg FACT`.
 *
 * A fact is explained by a match of it.  Equal terms are shown as a chain, each step by a rule or a statement with its
 * line and substitution, congruence by the chains of the arguments below it; a row by the rule that made it and what
 * that rest on.  As JSON, every step of the proof (derive.h) with its terms, premises before what follows from them:
 * enough to check it without the engine. */
#ifndef TVR_PROGRAM_EXPLAIN_H
#define TVR_PROGRAM_EXPLAIN_H
#include "eval/datalog/derive_term.h"
#include "eval/program/names.h"

/* A fact of the query: a row, or an equation of two globals, or (`atom` IR_NONE) of a global's class and itself. */
typedef struct ExplainGoal {
  uint32_t step, atom;
  Reg out; /* register of what the row or the class is equal to */
} ExplainGoal;

/* What a query says, with a match of it. */
typedef struct Explained {
  Program *program;
  Derivation *proof;
  DerivedTerms *terms;
  const IrBlock *block;
  const Val *regs;
  Vec(ExplainGoal) goals;
  bool whole; /* the limit of steps was not reached */
} Explained;

/* Prints why the query holds; regs is a match of it. */
void explain_query(Program *e, const IrBlock *query, const Val *regs, FILE *out);
/* Why the rule of that name, or on that line, does not match: the fact that fails, with counts.  False and an error if
 * there is no such rule. */
bool explain_why_not(Program *e, const char *rule, FILE *out);
/* The same of a query that has no match. */
void explain_no_match(Program *e, const IrBlock *query, FILE *out);
void explain_text(Explained *x, FILE *out);
void explain_json(Explained *x, FILE *out);
/* `"name" (file:line)`, or what stands there if the rule has no name. */
void explain_rule_name(Program *e, const IrRule *rule, FILE *out);
void explain_place(Program *e, Span at, FILE *out);
/* A term, shortened if it is large. */
void explain_term(Program *e, const DerivedTerm *t, FILE *out);
#endif
