/* Expand: evaluates an expression of an operator definition for one fit, into the nodes of an instance.
 *
 * Groups are taken position by position, macros and `let` are expanded (shared, not copied), conditions on sizes and
 * attributes are decided and only the branch taken is looked at.  A read that certainly leaves its operand is an error;
 * one that may is allowed only behind a condition, as the evaluator cannot tell otherwise.  Steps and depth are
 * bounded. */
#ifndef TVR_EXPAND_H
#define TVR_EXPAND_H
#include "eval/meaning/fit.h"
#include "lang/library.h"
#include "eval/meaning/xbuild.h"

typedef struct Bind Bind;
typedef struct Known Known;

typedef struct Expand {
  const Library *lib;
  const Fit *f;
  XBuild *b;
  Diags *diags;
  const Graph *graph; /* and the node, for its place in diagnostics */
  NodeId node;
  Vec(Bind) env;
  size_t scope;      /* names below it are not visible: the caller's, inside a macro */
  int64_t at, count; /* position in the group being expanded, and its size; -1: none */
  int64_t each;      /* operand of the variadic a reduction stands at; -1: none */
  uint32_t guard;    /* conditions around */
  Vec(Known) known;
  uint32_t depth, steps;
  VarId own;         /* position in the replica group */
  Sym offset_name;   /* index whose prefix sums are in `offset` */
  int64_t *offset;
  bool quiet;        /* only trying: report nothing */
  bool partial;      /* a division by 0 has no value, rather than being an error */
  bool failed;
} Expand;

/* Binds the result's indices; fills out[rank].  False if the definition is wrong (reported). */
bool expand_result(Expand *e, OutDim *out);
/* Checks the sizes that patterns declare (`i: size`); false if one is different (reported). */
bool expand_sizes(Expand *e);
/* The definition's expression; false if it failed (and was reported). */
bool expand_body(Expand *e, const AstExpr *body, XId *out);
/* Whether a `when` holds: 1, 0, or -1 if it cannot be decided. */
int expand_when(Expand *e, const AstExpr *when);
void expand_free(Expand *e);
#endif
