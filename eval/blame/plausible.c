#include "eval/blame/plausible.h"

#include <math.h>

#include "eval/calculus/evaluate.h"

enum { POINTS = 6, READS = 1000000, MAX_NAMES = 32 };

static uint64_t mixed(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

/* Of 0 .. 4: that a number is not negative may be what nobody stated. */
static double element(void *context, Sym name, const int64_t *at, uint32_t n) {
  uint64_t point = *(const uint64_t *)context, h = mixed(point + 1, name);
  for (uint32_t i = 0; i < n; i++) h = mixed(h, (uint64_t)at[i]);
  return (double)(h % 5);
}

/* The free indices of both, some place in their ranges. */
static uint32_t places(const Calculus *c, Value x, Value y, uint64_t point, NamedIndex *out) {
  uint32_t n = 0;
  for (int side = 0; side < 2; side++) {
    const Name *names;
    uint32_t count = value_names(c, side ? y : x, &names);
    for (uint32_t i = 0; i < count && n < MAX_NAMES; i++) {
      if (name_is_const(names[i])) continue;
      uint64_t size = (uint64_t)calculus_name_info(c, names[i])->size;
      out[n++] = (NamedIndex){names[i], (int64_t)(mixed(point, names[i]) % (size ? size : 1))};
    }
  }
  return n;
}

bool plausible_equal(const Calculus *c, Value x, Value y) {
  uint64_t point = 0;
  NamedIndex at[MAX_NAMES];
  Evaluation *e = evaluate_new(c, element, &point, READS);
  bool same = true;
  for (; point < POINTS && same && !evaluate_spent(e); point++) { /* what is too large at one point is at all */
    evaluate_reset(e, READS);
    uint32_t n = places(c, x, y, point, at);
    double a = evaluate_value(e, x, at, n), b = isnan(a) ? a : evaluate_value(e, y, at, n);
    same = isnan(a) || isnan(b) || a == b || fabs(a - b) <= 1e-6 * (1 + fabs(a) + fabs(b));
  }
  evaluate_free(e);
  return same;
}
