#include "eval/quotient/closed_fact.h"

#include <math.h>
#include <stdlib.h>

#include "eval/exact/ball.h"

enum { MAX_SEEN = 64 };

static bool is_finite(const double *balls, int64_t i) { return isfinite(balls[BALL_WIDTH * i]); }

/* Is there a number along the dimension, whatever the other indices are? */
static bool some_along(const double *balls, const Node *n, uint32_t dim) {
  int64_t stride = 1, count = node_elements(n), size = n->dims[dim];
  for (uint32_t d = dim + 1; d < n->rank; d++) stride *= n->dims[d];
  for (int64_t i = 0; i < count; i++) {
    if (i / stride % size) continue;
    bool some = false;
    for (int64_t k = 0; k < size && !some; k++) some = is_finite(balls, i + k * stride);
    if (!some) return false;
  }
  return true;
}

static bool add_element(Fact *f, Ball b) {
  if (isnan(b.hi)) return false;
  f->down |= b.hi == -INFINITY;
  f->up |= b.hi == INFINITY;
  double off = b.rad + fabs(b.lo);
  f->lo = fmin(f->lo, off > 0 ? nextafter(b.hi - off, -INFINITY) : b.hi);
  f->hi = fmax(f->hi, off > 0 ? nextafter(b.hi + off, INFINITY) : b.hi);
  return true;
}

Fact fact_of_closed(Closed *c, const Node *n, NodeId id, int64_t n_devices) {
  Fact f = {.lo = INFINITY, .hi = -INFINITY, .has = true, .some = UINT64_MAX};
  const double *seen[MAX_SEEN];
  uint32_t n_seen = 0;
  int64_t count = node_elements(n);
  if (!closed_is(c, id) || !count) return FACT_NONE;
  for (int64_t d = 0; d < n_devices; d++) {
    const double *at = closed_balls(c, id, d);
    if (!at) return FACT_NONE;
    uint32_t s = 0;
    while (s < n_seen && seen[s] != at) s++;
    if (s < n_seen) continue;
    if (n_seen == MAX_SEEN) return FACT_NONE;
    seen[n_seen++] = at;
    for (int64_t i = 0; i < count; i++)
      if (!add_element(&f, ball_at(at + BALL_WIDTH * i))) return FACT_NONE;
    for (uint32_t k = 0; k < n->rank && k < 64 && (f.down || f.up); k++)
      if (f.some >> k & 1 && !some_along(at, n, k)) f.some &= ~(UINT64_C(1) << k);
  }
  f.some = fact_is_number(&f) ? 0 : f.some & ((UINT64_C(1) << (n->rank < 63 ? n->rank : 63)) - 1);
  f.nonzero = f.lo > 0 || f.hi < 0;
  return f;
}
