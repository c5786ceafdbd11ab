/* SizePoly: numbers of a proof as polynomials of the sizes.
 *
 * What a number is at several points is fitted by at most three monomials, and the fit must hold at all other points.
 * A number that no polynomial fits may be the inverse of one (1/s). */
#ifndef TVR_FAMILY_SIZEPOLY_H
#define TVR_FAMILY_SIZEPOLY_H
#include "lang/base/arena.h"
#include "lang/base/rat.h"
#include "lang/sizes.h"

enum { SIZEPOLY_TERMS = 3 };

typedef struct SizePoly {
  uint8_t n; /* terms */
  bool inverse;
  uint8_t power[SIZEPOLY_TERMS][SIZES_MAX];
  Rat coef[SIZEPOLY_TERMS];
} SizePoly;

/* One that has these values at the points, and at least two points to spare; false: none. */
bool sizepoly_fit(uint32_t n_sizes, uint32_t n_points, const int64_t *const *points, const Rat *values, SizePoly *out);
/* The value at a point; false: it has none there. */
bool sizepoly_value(const SizePoly *p, uint32_t n_sizes, const int64_t *at, Rat *out);
bool sizepoly_is_constant(const SizePoly *p);
bool sizepoly_equal(const SizePoly *p, const SizePoly *q, uint32_t n_sizes);
/* "2*s + 1", "1/(s*b)" */
const char *sizepoly_print(const SizePoly *p, const Sizes *s, Arena *a);
/* Integers r with 1 <= r <= most such that p - q may change its sign, or be 0, between r and r + 1, as size number
 * `axis` runs and the others are those of `at`.  At most cap; returns how many, cap if there are more. */
uint32_t sizepoly_roots(const SizePoly *p, const SizePoly *q, uint32_t n_sizes, const int64_t *at, uint32_t axis,
                        int64_t most, int64_t *out, uint32_t cap);
#endif
