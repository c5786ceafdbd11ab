/* Diff: where two values that are not equal first differ.
 *
 * Both nodes are compared argument by argument; equal ones cancel, and the comparison descends into the one pair that
 * is left, or of several into the one that looks alike and is nearest to the inputs.  What remains are the smallest
 * differing terms, and a word for how they differ.  The bound indices of both sides are given the same names where they
 * correspond, so that the two terms can be read side by side. */
#ifndef TVR_CALCULUS_DIFF_H
#define TVR_CALCULUS_DIFF_H
#include "eval/calculus/calculus.h"

typedef enum DiffKind {
  DIFF_NONE,
  DIFF_FACTOR,   /* have is `ratio` times want */
  DIFF_INDICES,  /* the same field read at other indices */
  DIFF_SUM,      /* other indices are summed over (or maximised) */
  DIFF_CONSTANT, /* a number: `a` wanted, `b` there */
  DIFF_COEFFICIENT,
  DIFF_EXPONENT,
  DIFF_PARTS,    /* terms or factors are missing or too many */
  DIFF_LEAF,     /* another input */
  DIFF_FORM,     /* terms of another form */
} DiffKind;

enum { DIFF_DEPTH = 64 };

typedef struct Diff {
  DiffKind kind;
  Value want, have;  /* the smallest differing terms */
  Rat a, b;          /* factor, coefficient, exponent, constant: wanted, there */
  uint32_t n_missing, n_extra; /* DIFF_PARTS */
  Value *missing, *extra;
  uint32_t n_path;   /* the terms gone through, outermost first; the last is (want, have) */
  Value want_path[DIFF_DEPTH], have_path[DIFF_DEPTH];
} Diff;

/* The values must be of one scope; both stay as they are.  Arrays live in `a`; bound names that
 * the terms now show stay taken until the scope ends. */
void calc_diff(Calculus *c, Value want, Value have, Arena *a, Diff *out);
#endif
