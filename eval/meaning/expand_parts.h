/* What the parts of the expander share: scopes and the evaluator (expand.c), names and built-ins (expand_names.c), reads
 * of operands (expand_read.c). */
#ifndef TVR_EXPAND_PARTS_H
#define TVR_EXPAND_PARTS_H
#include "eval/meaning/expand.h"

/* A name in scope: a value, an index, or a group of indices with their sizes. */
typedef enum BindKind { BIND_VALUE, BIND_INDEX, BIND_GROUP } BindKind;

struct Bind {
  Sym name;
  uint8_t kind;
  uint32_t n;
  const Val *at;
  const int64_t *size; /* of indices */
};

/* A read that is in range, as a condition around says `inside` of it, and where that was said. */
struct Known {
  const AstExpr *read;
  size_t env;
  int64_t at, each;
};

Val expand_eval(Expand *e, const AstExpr *x);
Val expand_named(Expand *e, const AstExpr *x);
Val expand_group(Expand *e, const AstExpr *x);
Val expand_builtin(Expand *e, const AstExpr *x);
/* type(x) is float: of an operand, or of the result. */
Val expand_is(Expand *e, const AstExpr *x);
VarId expand_var(Expand *e, VarKind kind, int64_t size, uint32_t dim, Sym name, int64_t position);
/* The name as the definition's shapes know it; NULL inside a macro. */
const FitName *expand_name(const Expand *e, Sym name);
/* Number of positions an expression over a group, a list or the variadic is about; -1: it mentions none. */
int64_t expand_positions(const Expand *e, const AstExpr *x);
/* Sizes of an index or group. */
bool expand_sized(const Expand *e, Sym name, const int64_t **size, uint32_t *n);
/* Evaluates at position `at` of a group of `count`. */
Val expand_at(Expand *e, const AstExpr *x, int64_t at, int64_t count);
const Bind *expand_find(const Expand *e, Sym name);
/* The operand's value at the indices of a read. */
Val expand_read(Expand *e, const AstExpr *x);
/* A scalar operand named alone. */
Val expand_scalar(Expand *e, const AstExpr *x, uint32_t param);
Val expand_inside(Expand *e, const AstExpr *x);
Val expand_flat(Expand *e, const AstExpr *x);
/* Size of a single index by name; -1: none. */
int64_t expand_size(const Expand *e, Sym name);
/* The definition is wrong: reported at `at`; returns 0. */
Val expand_fail(Expand *e, Span at, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The graph is wrong: reported at the node, the definition as a note; returns 0. */
Val expand_misfit(Expand *e, Span at, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
#endif
