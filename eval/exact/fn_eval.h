/* fn_eval: the elementwise functions of definitions, per number domain.
 *
 * One table gives every function of eval/meaning/fn.def its implementations on doubles and on Num (rationals and balls).
 * Over the reals: outside its domain, and where a comparison cannot be decided, a function is unknown (NAN in doubles).
 * Infinities are handled where a limit is meant: exp(-inf) = 0, max(-inf, x) = x. */
#ifndef TVR_FN_EVAL_H
#define TVR_FN_EVAL_H
#include "eval/exact/num.h"
#include "eval/meaning/fn.h"

typedef struct FnImpl {
  uint8_t arity; /* 1, 2 or 3: which of f1, f2, f3 there is */
  double (*f1)(double);
  double (*f2)(double, double);
  double (*f3)(double, double, double);
  void (*num)(Num *out, const Num *const *args, long precision); /* `out` is none of the args */
} FnImpl;

/* NULL for FN_COUNT. */
const FnImpl *fn_impl(FnId fn);

typedef enum FnCompare { FN_EQ, FN_NE, FN_LT, FN_LE, FN_GT, FN_GE, FN_NO_COMPARE } FnCompare;
/* From "==" and so on. */
FnCompare fn_compare(Sym name);
/* 1, 0 or NAN. */
double fn_compare_double(FnCompare c, double a, double b);
/* 1, 0 or -1 if undecided.  The same object is equal to itself, whatever its ball. */
int fn_compare_num(FnCompare c, const Num *a, const Num *b, long precision);

/* x ^ r: the function that gives it for any x. */
typedef double FnPower(double x, Rat r);
FnPower *fn_power(Rat r);
double fn_power_double(double x, Rat r);
void fn_power_num(Num *out, const Num *x, Rat r, long precision);
#endif
