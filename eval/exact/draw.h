/* draw: the numbers of one input tensor, by a formula short enough to print.
 *
 *     x[p] = (2 * ((a * p^3 + b) mod q) - q) * unit          p: row-major position, unit: a power of two
 *
 * q is a prime, 2 mod 3 and larger than twice the tensor, so cubing is one to one: all numbers differ, none is 0, and
 * nothing lines up with rows or columns.  They are exact in doubles and short as rationals.  Bounds move the formula
 * inside them; integers take the remainder by the size of their range. */
#ifndef TVR_EXACT_DRAW_H
#define TVR_EXACT_DRAW_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/arena.h"

typedef struct Draw {
  bool is_int;
  int64_t lo, span;    /* integers: lo .. lo + span - 1 */
  uint64_t a, b, q;
  double offset, unit; /* reals: offset + (2 r + shift) * unit; unit may be negative, or 0 */
  int64_t shift;
  uint32_t n_also; /* a fourth of the numbers, or all, are one of these instead */
  const double *also;
  bool only_also;
  bool far;   /* reals: an eighth of the numbers, where 8 divides the residue, are .. */
  int power;  /* .. times two to this, all others a sixteenth */
} Draw;

/* A real tensor of n elements of about this size, within the bounds it has; of no known value if nothing is. */
Draw draw_real(uint64_t n, double scale, const double *lo, const double *hi, uint64_t seed);
Draw draw_int(uint64_t n, int64_t lo, int64_t span, uint64_t seed);
double draw_at(const Draw *d, uint64_t position);
/* The formula, of "p". */
const char *draw_text(const Draw *d, Arena *a);

/* splitmix64: a generator whose state is its counter, so streams are started anywhere. */
typedef struct Random {
  uint64_t state;
} Random;
Random random_stream(uint64_t seed, uint64_t which);
uint64_t random_below(Random *r, uint64_t n);
#endif
