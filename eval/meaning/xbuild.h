/* XBuild: builds the expression of an instance, folding what is constant as it goes.
 *
 * A Val is an integer affine form of index variables plus, optionally, one expression node: c + sum coef * var + x.  So
 * index arithmetic stays affine until it is needed as a node (val_node) or as an index (val_ix).  Arguments of a node
 * have smaller ids than the node.  Indices that leave 64 bits, and constants of unreasonable length, set `overflow`. */
#ifndef TVR_XBUILD_H
#define TVR_XBUILD_H
#include "eval/meaning/fn.h"
#include "eval/meaning/instance.h"

typedef struct Val {
  int64_t c;
  uint32_t n;
  const IxTerm *t;
  XId x;
} Val;

typedef enum CmpKind { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE } CmpKind;

typedef struct XBuild {
  Arena *arena;
  Vec(X) x;
  Vec(IxVar) vars;
  bool overflow;
} XBuild;

Val val_int(int64_t c);
Val val_rat(XBuild *b, Rat r);
/* +1 or -1 times infinity. */
Val val_inf(XBuild *b, Rat sign);
Val val_var(XBuild *b, VarId v);
Val val_of(XId x);
/* Appends a node and gives it as a value. */
Val val_push(XBuild *b, X x);
bool val_const(const XBuild *b, Val v, Rat *out);
bool val_is(const XBuild *b, Val v, int64_t k);

Val val_add(XBuild *b, Val v, Val w);
Val val_sub(XBuild *b, Val v, Val w);
/* Sum of n values. */
Val val_sum(XBuild *b, const Val *v, uint32_t n);
Val val_mul(XBuild *b, Val v, Val w);
/* v / w; false if w is 0. */
/* 1 / 0 */
Val val_undefined(XBuild *b);
bool val_div(XBuild *b, Val v, Val w, Val *out);
/* v ^ r; false for 0 to a negative power. */
bool val_pow(XBuild *b, Val v, Rat r, Val *out);
Val val_fn(XBuild *b, FnId f, const Val *args);
Val val_cmp(XBuild *b, CmpKind k, Val v, Val w);
/* Of zeros and ones. */
Val val_and(XBuild *b, Val v, Val w);
Val val_or(XBuild *b, Val v, Val w);
Val val_not(XBuild *b, Val v);
Val val_select(XBuild *b, Val p, Val v, Val w);
/* kind is X_SUM, X_MAX or X_MIN. */
Val val_reduce(XBuild *b, XKind kind, const VarId *vars, uint32_t n, Val body);

XId val_node(XBuild *b, Val v);
Ix val_ix(XBuild *b, Val v);
/* Range of the affine part; false if there is more to it, a variable has no values, or it leaves 64 bits. */
bool val_range(const XBuild *b, Val v, int64_t *lo, int64_t *hi);
#endif
