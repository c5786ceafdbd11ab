/* draw: see draw.h.  The generator is Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014). */
#include "eval/exact/draw.h"

#include <math.h>
#include <stdlib.h>

#include "lang/base/rat.h"

#define LARGEST (UINT64_C(1) << 22) /* of q: positions beyond repeat */

enum { FAR_PART = 8, FAR_FROM = -4 };

static uint64_t next(Random *r) {
  uint64_t z = r->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

uint64_t random_below(Random *r, uint64_t n) { return n ? next(r) % n : 0; }

Random random_stream(uint64_t seed, uint64_t which) {
  Random r = {seed * 0xd1342543de82ef95u + which * 0x2545f4914f6cdd1du};
  next(&r);
  return r;
}

static bool is_prime(uint64_t n) {
  for (uint64_t d = 2; d * d <= n; d++)
    if (n % d == 0) return false;
  return n > 1;
}

/* The smallest prime above n that is 2 mod 3. */
static uint64_t prime_above(uint64_t n) {
  uint64_t q = n < 11 ? 11 : n + 1;
  while (q % 3 != 2 || !is_prime(q)) q++;
  return q;
}

static Draw start(uint64_t n, uint64_t at_least, uint64_t seed) {
  uint64_t size = n < LARGEST / 2 ? 2 * n : LARGEST;
  Draw d = {.q = prime_above(size > at_least ? size : at_least)};
  Random r = random_stream(seed, 0xd2a3);
  d.a = 1 + random_below(&r, d.q - 1);
  d.b = random_below(&r, d.q);
  return d;
}

Draw draw_int(uint64_t n, int64_t lo, int64_t span, uint64_t seed) {
  Draw d = start(n, span < (int64_t)(LARGEST / 4) ? 4 * (uint64_t)span : LARGEST, seed);
  d.is_int = true;
  d.lo = lo;
  d.span = span;
  return d;
}

Draw draw_real(uint64_t n, double scale, const double *lo, const double *hi, uint64_t seed) {
  Draw d = start(n, 0, seed);
  double q = (double)d.q, reach = lo && hi ? (*hi - *lo) / (2 * q + 2) : (lo || hi ? 1 : 2) * scale / q;
  if (lo && hi && !(reach > 0 && isfinite(reach))) {
    d.offset = *lo <= *hi ? *lo : NAN;
    return d;
  }
  d.unit = ldexp(1, ilogb(reach));
  d.shift = lo || hi ? 1 : -(int64_t)d.q;
  if (lo) d.offset = fabs(*lo) < 0x1p50 * d.unit ? ceil(*lo / d.unit) * d.unit : *lo;
  if (hi && !lo) {
    d.offset = fabs(*hi) < 0x1p50 * d.unit ? floor(*hi / d.unit) * d.unit : *hi;
    d.unit = -d.unit;
  }
  return d;
}

static uint64_t residue(const Draw *d, uint64_t position) {
  uint64_t p = position % d->q;
  return (d->a * (p * p % d->q * p % d->q) + d->b) % d->q;
}

double draw_at(const Draw *d, uint64_t position) {
  uint64_t r = residue(d, position);
  if (d->n_also && d->only_also) return d->also[r % d->n_also];
  if (d->n_also && r % 4 == 0) return d->also[r / 4 % d->n_also];
  if (d->is_int) return (double)(d->lo + (int64_t)(r % (uint64_t)d->span));
  double x = d->offset + (double)(2 * (int64_t)r + d->shift) * d->unit;
  return d->far ? ldexp(x, r % FAR_PART == 0 ? d->power : FAR_FROM) : x;
}

static const char *formula(const Draw *d, Arena *a) {
  char number[64];
  if (!d->is_int && d->unit == 0)
    return arena_printf(a, "%s", rat_print(rat_from_double(d->offset), number, sizeof number));
  if (d->is_int && d->span == 1) return arena_printf(a, "%lld", (long long)d->lo);
  const char *r = arena_printf(a, "(%llu*p^3 + %llu) mod %llu", (unsigned long long)d->a, (unsigned long long)d->b,
                               (unsigned long long)d->q);
  if (d->is_int) return arena_printf(a, "%lld + (%s) mod %lld", (long long)d->lo, r, (long long)d->span);
  int power = ilogb(fabs(d->unit));
  const char *scale = power == 0 ? "" : arena_printf(a, power < 0 ? "/2^%d" : "*2^%d", abs(power));
  const char *sum = arena_printf(a, "(2*(%s) %s %llu)%s", r, d->shift < 0 ? "-" : "+",
                                 (unsigned long long)(d->shift < 0 ? -d->shift : d->shift), scale);
  if (d->far) sum = arena_printf(a, "%s times 2^%d, 2^%d where (%s) mod %d = 0", sum, FAR_FROM, d->power, r, FAR_PART);
  if (d->offset == 0 && d->unit > 0) return sum;
  return arena_printf(a, "%s %s %s", rat_print(rat_from_double(d->offset), number, sizeof number),
                      d->unit < 0 ? "-" : "+", sum);
}

const char *draw_text(const Draw *d, Arena *a) {
  if (!d->n_also) return formula(d, a);
  char number[64];
  const char *list = "", *r = arena_printf(a, "(%llu*p^3 + %llu) mod %llu", (unsigned long long)d->a,
                                           (unsigned long long)d->b, (unsigned long long)d->q);
  for (uint32_t k = 0; k < d->n_also; k++)
    list = arena_printf(a, "%s%s%s", list, k ? ", " : "", rat_print(rat_from_double(d->also[k]), number,
                                                                    sizeof number));
  if (d->only_also) return arena_printf(a, "[%s][(%s) mod %u]", list, r, d->n_also);
  return arena_printf(a, "[%s][(%s) div 4 mod %u] where (%s) mod 4 = 0, else %s", list, r, d->n_also, r, formula(d, a));
}
