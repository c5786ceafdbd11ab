/* Sizes: names for numbers that a model leaves open, the conditions on them, and the model at one choice of numbers.
 *
 *     size s, b
 *     assume s % 8 == 0, s >= b
 *
 * A size is an integer from 1 on.  It may stand, by itself or in arithmetic, for a number of a written graph (a
 * dimension, an attribute, a constant), for a bound of `assume x in lo .. hi`, and as {s} in the name of a file. */
#ifndef TVR_LANG_SIZES_H
#define TVR_LANG_SIZES_H
#include "lang/ast.h"

enum { SIZES_MAX = 8 };

typedef struct Sizes {
  uint32_t n;
  Sym names[SIZES_MAX];
  uint32_t n_conditions;
  const AstExpr **conditions;
  uint32_t source; /* of the file that declares them */
} Sizes;

/* The sizes and conditions that a file declares; arrays live in `a`.  More than SIZES_MAX are an error of the file. */
void sizes_of(Sizes *out, const AstFile *file, Arena *a);
/* Position of a name, or -1. */
int sizes_find(const Sizes *s, Sym name);
/* Functions of numbers that expressions of sizes may use, with their number of arguments; 0: no such function. */
uint32_t sizes_function(Sym name);
/* Value of an expression at at[n]; truth is 0 or 1.  false: it has none, or is no expression of sizes. */
bool sizes_value(const Sizes *s, const int64_t *at, const AstExpr *e, Rat *out);
/* Some declared name stands in it. */
bool sizes_in(const Sizes *s, const AstExpr *e);
/* All conditions hold. */
bool sizes_admit(const Sizes *s, const int64_t *at);
/* The file at at[n], without what declares the sizes.  What has no value is left as it is. */
AstFile *sizes_put(const Sizes *s, const int64_t *at, const AstFile *file, Arena *a);
/* A file's name with {s} put in; unknown names in braces stay. */
const char *sizes_path(const Sizes *s, const int64_t *at, const char *path, Arena *a);
/* "s = 8, b = 2" */
const char *sizes_print(const Sizes *s, const int64_t *at, Arena *a);
/* Expressions of sizes in the numbers of a file, each once: what sizes_put puts numbers for. */
const AstExpr **sizes_expressions(const Sizes *s, const AstFile *file, Arena *a, uint32_t *n);
#endif
