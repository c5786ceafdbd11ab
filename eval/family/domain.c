#include "eval/family/domain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "eval/family/sizeterm.h"

enum { SCAN = 1 << 17, REACH = 1 << 14, WINDOW = 1 << 13, TRIES = 1 << 17 };

bool domain_admits(const Domain *d, const int64_t *at) {
  bool found = !d->files;
  for (uint32_t i = 0; i < d->sizes->n; i++)
    if (at[i] < 1) return false;
  for (uint32_t k = 0; k < d->n_files && !found; k++) found = !memcmp(d->files[k], at, d->sizes->n * sizeof *at);
  return found && sizes_admit(d->sizes, at);
}

static const int64_t *keep(const Domain *d, const int64_t *at) {
  return arena_copy(d->arena, at, d->sizes->n * sizeof *at);
}

static bool has(const Domain *d, const Points *p, const int64_t *at) {
  for (size_t i = 0; i < p->len; i++)
    if (!memcmp(p->at[i], at, d->sizes->n * sizeof *at)) return true;
  return false;
}

/* ---- the smallest */

typedef struct Search {
  const Domain *d;
  Points *out;
  uint32_t left;
  uint64_t budget;
  int64_t at[SIZES_MAX];
} Search;

/* All points whose sizes from number k on add up to `sum`. */
static void compose(Search *s, uint32_t k, int64_t sum) {
  uint32_t rest = s->d->sizes->n - 1 - k;
  if (!rest) {
    s->at[k] = sum;
    s->budget--;
    if (!s->left || !domain_admits(s->d, s->at)) return;
    vec_push(s->out, keep(s->d, s->at));
    s->left--;
    return;
  }
  for (int64_t v = 1; v + rest <= sum && s->left && s->budget; v++) {
    s->at[k] = v;
    compose(s, k + 1, sum - v);
  }
}

uint32_t domain_smallest(const Domain *d, uint32_t n, Points *out, bool *empty) {
  *empty = false;
  size_t before = out->len;
  if (d->files) {
    for (uint32_t k = 0; k < d->n_files && out->len - before < n; k++)
      if (domain_admits(d, d->files[k])) vec_push(out, d->files[k]);
    *empty = out->len == before;
    return (uint32_t)(out->len - before);
  }
  Search s = {.d = d, .out = out, .left = n, .budget = SCAN};
  for (int64_t sum = d->sizes->n; s.left && s.budget; sum++) compose(&s, 0, sum);
  int64_t at[SIZES_MAX];
  const char *why;
  if (out->len == before) {
    int answer = domain_ask(d, "true", at, &why);
    *empty = answer == 0;
    if (answer == 1 && domain_admits(d, at)) vec_push(out, keep(d, at));
  }
  return (uint32_t)(out->len - before);
}

int64_t domain_next(const Domain *d, const int64_t *at, uint32_t axis, int64_t from, int step) {
  int64_t p[SIZES_MAX], best = 0;
  memcpy(p, at, d->sizes->n * sizeof *p);
  for (uint32_t k = 0; k < d->n_files; k++) {
    const int64_t *f = d->files[k];
    p[axis] = f[axis];
    if ((step > 0 ? f[axis] < from : f[axis] > from) || !domain_admits(d, p)) continue;
    if (!best || (step > 0 ? f[axis] < best : f[axis] > best)) best = f[axis];
  }
  if (d->files) return best;
  p[axis] = from < 1 && step > 0 ? 1 : from;
  for (int k = 0; k < REACH && p[axis] > 0; k++, p[axis] += step)
    if (domain_admits(d, p)) return p[axis];
  return 0;
}

/* ---- large ones */

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a < 0 ? -a : a;
}

static bool is_prime(int64_t n) {
  for (int64_t k = 2; k * k <= n; k++)
    if (n % k == 0) return false;
  return n > 1;
}

/* Largest number that divides the sizes number `axis` of the first points beside the smallest. */
static int64_t divisor(const Domain *d, const int64_t *at, uint32_t axis) {
  int64_t g = at[axis], v = at[axis];
  for (int k = 0; k < 6 && v; k++) {
    v = domain_next(d, at, axis, v + 1, 1);
    g = gcd(g, v);
  }
  return g;
}

/* At multiples of roughly these; the last of each row has many divisors. */
static const int64_t targets[] = {1009, 1181, 1297, 1439, 1481, 1579, 1693, 1800};
enum { N_TARGETS = sizeof targets / sizeof *targets };

/* A size near `target` times its divisor: a prime multiple, or (smooth) a multiple of many numbers. */
static int64_t near_target(const Domain *d, const int64_t *at, uint32_t axis, int64_t g, int64_t target, bool smooth) {
  int64_t p[SIZES_MAX], first = 0;
  memcpy(p, at, d->sizes->n * sizeof *p);
  for (int64_t v = target * g; v < target * g + WINDOW; v++) {
    p[axis] = v;
    if (!domain_admits(d, p)) continue;
    if (!first) first = v;
    if (v % g == 0 && (smooth ? v / g % 120 == 0 : is_prime(v / g))) return v;
  }
  return first;
}

void domain_generic(const Domain *d, uint32_t n, Points *out) {
  Points small = {0};
  bool empty;
  if (d->files || !domain_smallest(d, 1, &small, &empty)) return;
  const int64_t *least = small.at[0];
  int64_t g[SIZES_MAX];
  for (uint32_t i = 0; i < d->sizes->n; i++) g[i] = divisor(d, least, i);
  for (uint32_t k = 0; k < N_TARGETS && n; k++) {
    int64_t at[SIZES_MAX];
    memcpy(at, least, d->sizes->n * sizeof *at);
    bool smooth = k % 4 == 3;
    /* The sizes of one point are in other orders at other points; where a condition orders them, one order remains. */
    for (uint32_t j = 0; j < d->sizes->n; j++) {
      uint32_t i = k % 2 ? d->sizes->n - 1 - j : j;
      int64_t target = (targets[(k + 3 * j) % N_TARGETS] + 211 * j) >> (d->sizes->n > 2 ? 2 * d->sizes->n - 3 : 0);
      int64_t v = 0; /* their product is a size, too; where there are none so large, smaller */
      for (; !v && target; target >>= 1) v = near_target(d, at, i, g[i], target > 5 ? target : 5, smooth);
      if (v) at[i] = v;
    }
    if (has(d, out, at) || !memcmp(at, least, d->sizes->n * sizeof *at)) continue;
    vec_push(out, keep(d, at));
    n--;
  }
  vec_free(&small);
}

void domain_generic_along(const Domain *d, const int64_t *at, uint32_t axis, uint32_t n, Points *out) {
  int64_t p[SIZES_MAX], g = divisor(d, at, axis);
  size_t first = out->len;
  memcpy(p, at, d->sizes->n * sizeof *p);
  for (int scale = 0; scale < 6 && out->len < first + n && !d->files;
       scale++) { /* where there are none so large, smaller */
    out->len = first;
    for (uint32_t k = 0; k < N_TARGETS && out->len < first + n; k++) {
      p[axis] = near_target(d, at, axis, g, targets[k] >> scale, k % 4 == 3);
      if (p[axis] && !has(d, out, p)) vec_push(out, keep(d, p));
    }
  }
}

/* ---- questions to Z3 */

/* "((s0 8)" .. of (get-value (s0 ..)). */
static bool read_values(const char *text, uint32_t n, int64_t *at) {
  for (uint32_t i = 0; i < n; i++) {
    char name[32];
    snprintf(name, sizeof name, "(s%" PRIu32 " ", i);
    const char *found = strstr(text, name);
    if (!found) return false;
    at[i] = strtoll(found + strlen(name), NULL, 10);
  }
  return true;
}

int domain_ask(const Domain *d, const char *property, int64_t *at, const char **why) {
  uint32_t n = d->sizes->n;
  const char *text = "", *names = "";
  for (uint32_t i = 0; i < n; i++) {
    text = arena_printf(d->arena, "%s(declare-const s%" PRIu32 " Int)(assert (>= s%" PRIu32 " 1))\n", text, i, i);
    names = arena_printf(d->arena, "%s s%" PRIu32, names, i);
  }
  for (uint32_t i = 0; i < d->sizes->n_conditions; i++) {
    const char *c = sizeterm_truth(d->sizes, d->sizes->conditions[i], d->arena);
    *why = "a condition that Z3 is not asked about";
    if (!c) return -1;
    text = arena_printf(d->arena, "%s(assert %s)\n", text, c);
  }
  text = arena_printf(d->arena, "%s(assert %s)\n(check-sat)\n(get-value (%s))\n", text, property, names);
  const char *answer = solver_ask(text, d->limits, d->arena, why);
  if (!answer) return -1;
  *why = "Z3 cannot tell";
  if (!strncmp(answer, "unsat", 5)) return 0;
  return !strncmp(answer, "sat", 3) && read_values(answer, n, at) ? 1 : -1;
}

bool domain_is(const Domain *d, const int64_t *const *points, uint32_t n) {
  const char *property = "(and true", *why;
  int64_t at[SIZES_MAX];
  if (d->files) return false; /* of the sizes without files nothing is known */
  for (uint32_t k = 0; k < n; k++) {
    property = arena_printf(d->arena, "%s (not (and true", property);
    for (uint32_t i = 0; i < d->sizes->n; i++)
      property = arena_printf(d->arena, "%s (= s%" PRIu32 " %" PRId64 ")", property, i, points[k][i]);
    property = arena_printf(d->arena, "%s))", property);
  }
  return domain_ask(d, arena_printf(d->arena, "%s)", property), at, &why) == 0;
}
