/* A definition laid against one node (lay.c) and evaluated (meaning.c). */
#ifndef TVR_CERTIFY_MEANING_H
#define TVR_CERTIFY_MEANING_H
#include "certify/walk.h"

typedef struct Val {
  bool is_form;
  Affine f;
  Num v; /* if it is no form */
} Val;

typedef struct Bind {
  Sym name;
  bool group;
  uint32_t n;
  const Val *v;
  const int64_t *size; /* NULL: a value without a size */
} Bind;

/* Pattern k of a bracket stands at dim[start[k]] .. dim[start[k + 1] - 1]. */
typedef struct Bracket {
  const AstPattern *patterns;
  uint32_t n, *start, *dim;
} Bracket;

typedef struct Size { /* of a name: per position of a group, or per operand of the variadic parameter */
  Sym name;
  bool group, each;
  uint32_t n;
  int64_t *size; /* -1: not known */
} Size;

typedef struct Mean {
  Walk *w;
  uint32_t side;
  const Node *node;
  const AstOp *op;
  const AstResult *result;
  uint32_t variadic, n_each;
  Bracket *param, out;
  uint32_t n_sizes;
  Size *sizes;
  int64_t members; /* of a replica group */
  Cuts group;      /* digits of the position in it */
  Label *own;      /* one's own */
  Vec(Bind) env;
  Majors majors; /* of the result */
  size_t scope;  /* bindings from here on are seen: inside of a function */
  int64_t at, count, each;
  uint32_t steps, guards; /* guards: conditions around, which may exclude what is out of range */
  bool failed, unreadable;
} Mean;

/* Lays the definition against the node: brackets, sizes, replica group. */
bool lay(Mean *m, const AstItem *item);
const Size *lay_size(const Mean *m, Sym name);
bool lay_attr(const Mean *m, Sym name, Attr *out);
uint32_t lay_param(const Mean *m, Sym name); /* n_params: none */
const AstItem *lay_fn(const Mean *m, Sym name);
/* Digits of position i of a name that stands in some bracket. */
bool lay_cuts(const Mean *m, Sym name, uint32_t i, Cuts *out);
/* Binds the indices of the result. */
bool lay_result(Mean *m);
void meaning_bind(Mean *m, Sym name, const Val *v, const int64_t *size, uint32_t n, bool group);
Val meaning_eval(Mean *m, const AstExpr *e);
/* From a number to a value (a form while it is one), and back. */
Val meaning_value(Mean *m, Num v);
Num meaning_num(Mean *m, Val v);
bool constant_function(const char *fn, const Rat *x, uint32_t n, Rat *out);
Num walk_device(Walk *w);
/* The node as an unknown function of its operands; m->op is its definition, or NULL. */
Num unknown_operator(Mean *m, const Node *node);
#endif
