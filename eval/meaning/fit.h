/* Fit: an operator definition laid against the shapes of one node.
 *
 * Every pattern of every bracket gets its dimensions (`@ attr` first, then in order; one group may take what is left),
 * every name its size: from the dimensions it stands at, from `name: size`, or, where it names a position of the
 * replica group, from the group.  A name has one size; a name that only a variadic operand's bracket mentions has one
 * per operand.  Nothing is guessed: what does not fit says why. */
#ifndef TVR_FIT_H
#define TVR_FIT_H
#include "eval/graph/graph.h"
#include "lang/ast.h"

/* A bracket against a shape: pattern p stands at dim[start[p]] .. dim[start[p + 1] - 1], in the order of its digits. */
typedef struct FitBracket {
  const AstPattern *patterns;
  uint32_t n, rank;
  uint32_t *start, *dim;
} FitBracket;

typedef struct FitName {
  Sym name;
  bool group;
  bool each;      /* one size per operand of the variadic parameter */
  uint32_t n;     /* group: number of positions; each: number of operands; else 1 */
  int64_t *size;  /* [n], -1 while unknown */
} FitName;

typedef struct Fit {
  const AstItem *item;
  const AstOp *op;
  const AstResult *result;
  const Graph *g;
  const Node *node;
  Arena *arena;
  int64_t members;     /* of a replica group; 0: the operator is no collective */
  uint32_t variadic;   /* parameter that is, or n_params */
  uint32_t n_each;     /* its number of operands */
  FitBracket *param;   /* [n_params] */
  FitBracket out;
  uint32_t n_names;
  FitName *names;
  DiagCode code;       /* of the misfit */
  const char *misfit;  /* why it does not fit, or NULL */
} Fit;

/* Fits; false with code and misfit set otherwise.  Fills *f as far as it got either way, so `when` can be decided. */
bool fit(Fit *f, const AstItem *item, const Graph *g, const Node *node, Arena *a);
/* The operand number of parameter p (of its k-th operand if it is variadic). */
static inline uint32_t fit_operand(const Fit *f, uint32_t p, uint32_t k) { return p == f->variadic ? p + k : p; }
/* Parameter of that name, or n_params. */
uint32_t fit_param(const Fit *f, Sym name);
FitName *fit_name(const Fit *f, Sym name);
const Node *fit_arg(const Fit *f, uint32_t operand);
/* Attribute by name; what the node lacks is looked up among the declared defaults (integers only).  False: absent. */
bool fit_attr(const Fit *f, Sym name, Attr *out);
#endif
