/* Rules: the Datalog layer of a .tvr file, run item by item.
 *
 * Every item becomes a command of eval/program, an S-expression with the spans of the .tvr text (item.c, term.c), so
 * both syntaxes share names, sorts, lowering and everything that runs.  What .tvr has beyond that is resolved here:
 * arguments by name, `=` that sets or unions, templates, blocks. */
#ifndef TVR_RULES_H
#define TVR_RULES_H
#include "eval/program/command.h"
#include "eval/rules/module.h"
#include "lang/ast.h"
#include "lang/base/vec.h"

/* Names of a table's columns; 0 where one has none. */
typedef struct Columns {
  Sym table;
  uint32_t n;
  Sym *name;
} Columns;

/* A parameter of a template and what stands for it. */
typedef struct Bound {
  Sym name;
  const AstExpr *value;
} Bound;

typedef Vec(Sexp) Forms;

/* An operator of the graphs that a rule asks for. */
typedef struct RuleAsks {
  RuleId rule;
  Sym op;
} RuleAsks;

struct Rules {
  Program *program;
  Arena arena;
  Vec(Columns) columns;
  Vec(Bound) bound;
  size_t first_bound;   /* of the file under way: a module does not see those before */
  Modules modules;
  const char *instance; /* of the template under way, for the names of its rules; NULL: none */
  Forms *facts;         /* of the query under way: what its terms ask besides; NULL in actions */
  Vec(Sym) asked;       /* operators that the item under way asks for */
  Vec(RuleAsks) asks;   /* of all rules, in order */
  uint32_t fresh;       /* variables invented */
  uint32_t depth;       /* of includes */
  bool graphs;          /* the tables of graph.tvr are there: operators may be called in queries */
  Vec(bool) occurs;     /* by Sym: some graph has an operator of this name */
  const struct Library *library; /* or NULL */
  bool failed;          /* an error was reported while an item was translated */
};

/* Runs the items of a parsed and checked file in order; stops at the first that fails, which is reported. */
Result rules_file(Rules *r, const AstFile *file);
void rules_free(Rules *r);

/* term.c */
Sexp rules_term(Rules *r, const AstExpr *e);
/* Appends what a fact asks. */
void rules_fact(Rules *r, const AstExpr *e, Forms *out);
Sexp rules_action(Rules *r, const AstExpr *e);
Sexp rules_symbol(Span at, const char *text);
/* A list of n forms, copied. */
Sexp rules_list(Rules *r, Span at, uint32_t n, const Sexp *forms);
Sexp rules_forms(Rules *r, Span at, const Forms *forms);
/* What a name stands for: a template's parameter, a name of a module, itself. */
Sexp rules_name(Rules *r, Span at, Sym name);
/* The same of a name that is declared here. */
Sexp rules_declared(Rules *r, Span at, Sym name);
#define FORM(r, at, ...) \
  rules_list(r, at, sizeof((Sexp[]){__VA_ARGS__}) / sizeof(Sexp), (Sexp[]){__VA_ARGS__})
#endif
