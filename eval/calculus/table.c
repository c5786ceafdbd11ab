/* table: numbers that a program holds, as what they say where that is short: an affine form of the indices, or few
 * values, each on a stretch of an index between affine bounds, as masks and permutations have them.  Others are leaves. */
#include <string.h>

#include "eval/calculus/core.h"

enum { MOST_KINDS = 3, MOST_DIMS = 8 };
enum { MOST_WORK = 1 << 26 }; /* entries looked at for one table */

static bool affine_table(Calculus *c, const Rat *values, uint64_t total, const Name *names, const int64_t *sizes,
                         uint32_t n, Value *out) {
  Rat *w = SCRATCH(c, Rat, n + 1);
  uint64_t stride = total;
  for (uint32_t i = 0; i < n; i++) {
    stride /= (uint64_t)sizes[i];
    w[i] = sizes[i] > 1 ? rat_sub(values[stride], values[0]) : RAT_0;
  }
  for (uint64_t k = 0; k < total; k++) {
    Rat want = values[0];
    uint64_t rest = k;
    for (uint32_t i = n; i-- > 0; rest /= (uint64_t)sizes[i])
      if (w[i] != RAT_0) want = rat_add(want, rat_mul(w[i], rat_int((int64_t)(rest % (uint64_t)sizes[i]))));
    if (want != values[k]) return false;
  }
  Value *v = SCRATCH(c, Value, n + 1);
  for (uint32_t i = 0; i < n; i++) v[i] = value_scale(w[i], calc_idx(c, names[i], sizes[i]));
  v[n] = value_num(values[0]);
  *out = calc_add(c, v, n + 1);
  return true;
}

/* ---- stretches */

/* Entries, row-major. */
typedef struct Grid {
  uint32_t n;
  int64_t size[MOST_DIMS];
  Value at[MOST_DIMS]; /* the positions along them */
  uint64_t total;
} Grid;

/* first + sum of w * position, over a grid. */
typedef struct Line {
  bool there; /* else it bounds nothing */
  int64_t first, w[MOST_DIMS];
} Line;

enum { NO_BOUND = -1 };

static Grid without(const Grid *g, uint32_t j) {
  Grid rest = {.total = 1};
  for (uint32_t i = 0; i < g->n; i++) {
    if (i == j) continue;
    rest.size[rest.n] = g->size[i];
    rest.at[rest.n++] = g->at[i];
    rest.total *= (uint64_t)g->size[i];
  }
  return rest;
}

/* Where entry x of the grid without j begins, and how far its entries along j lie apart. */
static uint64_t entry(const Grid *g, uint32_t j, uint64_t x, uint64_t *stride) {
  *stride = 1;
  for (uint32_t i = j + 1; i < g->n; i++) *stride *= (uint64_t)g->size[i];
  return x / *stride * *stride * (uint64_t)g->size[j] + x % *stride;
}

/* The stretch of each entry of `rest` along j, lo == hi if there is none; false: one has several. */
static bool stretches(const Grid *g, uint32_t j, const bool *mask, const Grid *rest, int64_t *lo, int64_t *hi) {
  for (uint64_t x = 0; x < rest->total; x++) {
    uint64_t stride, at = entry(g, j, x, &stride);
    lo[x] = hi[x] = 0;
    for (int64_t k = 0; k < g->size[j]; k++) {
      if (!mask[at + (uint64_t)k * stride]) continue;
      if (lo[x] == hi[x]) lo[x] = k;
      else if (hi[x] != k) return false;
      hi[x] = k + 1;
    }
  }
  return true;
}

static int64_t line_at(const Line *l, const Grid *g, uint64_t x) {
  int64_t v = l->first;
  for (uint32_t i = g->n; i-- > 0; x /= (uint64_t)g->size[i]) v += l->w[i] * (int64_t)(x % (uint64_t)g->size[i]);
  return v;
}

/* The line through bounds that are seen (others are NO_BOUND): whether it is right is not asked here. */
static Line through(const Grid *g, const int64_t *bound) {
  Line l = {0};
  uint64_t stride = g->total, from = 0;
  while (from < g->total && bound[from] == NO_BOUND) from++;
  if (from == g->total) return l;
  for (uint32_t i = 0; i < g->n; i++) {
    bool found = false;
    stride /= (uint64_t)g->size[i];
    for (uint64_t x = from; x + stride < g->total && !found; x++) {
      bool last = x / stride % (uint64_t)g->size[i] + 1 == (uint64_t)g->size[i];
      found = !last && bound[x] != NO_BOUND && bound[x + stride] != NO_BOUND;
      if (found) l.w[i] = bound[x + stride] - bound[x];
    }
  }
  l.first = bound[from] - line_at(&l, g, from);
  l.there = true;
  return l;
}

static Value line_value(Calculus *c, const Line *l, const Grid *g) {
  Value v[MOST_DIMS + 1];
  for (uint32_t i = 0; i < g->n; i++) v[i] = value_scale(rat_int(l->w[i]), g->at[i]);
  v[g->n] = value_num(rat_int(l->first));
  return calc_add(c, v, g->n + 1);
}

static Value between(Calculus *c, Value at, const Line *lo, const Line *hi, const Grid *g) {
  bool one = lo->there && hi->there && hi->first == lo->first + 1 && !memcmp(lo->w, hi->w, g->n * sizeof *lo->w);
  if (one) return calc_cmp(c, CMP_EQ, at, line_value(c, lo, g));
  Value v[2] = {VALUE_ONE, VALUE_ONE};
  if (lo->there) v[0] = calc_cmp(c, CMP_LT, calc_sub(c, line_value(c, lo, g), VALUE_ONE), at);
  if (hi->there) v[1] = calc_cmp(c, CMP_LT, at, line_value(c, hi, g));
  return calc_mul(c, v, 2);
}

static bool mask_value(Calculus *c, const Grid *g, const bool *mask, Value *out);

/* As stretches along j; `apart`: where there is one is said by itself. */
static bool along(Calculus *c, const Grid *g, uint32_t j, const bool *mask, bool apart, Value *out) {
  Grid rest = without(g, j);
  int64_t *lo = SCRATCH(c, int64_t, rest.total), *hi = SCRATCH(c, int64_t, rest.total);
  int64_t *first = SCRATCH(c, int64_t, rest.total), *end = SCRATCH(c, int64_t, rest.total), n = g->size[j];
  bool *some = SCRATCH(c, bool, rest.total);
  if (!stretches(g, j, mask, &rest, lo, hi)) return false;
  for (uint64_t x = 0; x < rest.total; x++) {
    some[x] = lo[x] < hi[x];
    first[x] = some[x] && lo[x] > 0 ? lo[x] : NO_BOUND;
    end[x] = some[x] && hi[x] < n ? hi[x] : NO_BOUND;
  }
  Line from = through(&rest, first), to = through(&rest, end);
  for (uint64_t x = 0; x < rest.total; x++) {
    int64_t a = from.there ? line_at(&from, &rest, x) : 0, b = to.there ? line_at(&to, &rest, x) : n;
    if (a < 0) a = 0;
    if (b > n) b = n;
    bool right = some[x] ? a == lo[x] && b == hi[x] : apart || a >= b;
    if (!right) return false;
  }
  *out = between(c, g->at[j], &from, &to, &rest);
  Value where = VALUE_ONE;
  if (apart && !mask_value(c, &rest, some, &where)) return false;
  *out = calc_mul2(c, where, *out);
  return true;
}

static bool mask_along(Calculus *c, const Grid *g, uint32_t j, const bool *mask, bool apart, Value *out) {
  Frame m = frame_enter(c);
  bool found = along(c, g, j, mask, apart, out);
  frame_leave(c, m);
  return found;
}

static bool mask_value(Calculus *c, const Grid *g, const bool *mask, Value *out) {
  *out = VALUE_ONE;
  if (!memchr(mask, false, g->total)) return true;
  for (int apart = 0; apart < 2; apart++)
    for (uint32_t j = g->n; j-- > 0;)
      if (mask_along(c, g, j, mask, apart, out)) return true;
  return false;
}

/* The different values, most of them first, but 0 before all; 0: too many. */
static uint32_t kinds_of(const Rat *values, uint64_t n, Rat *kind) {
  uint32_t k = 0;
  uint64_t count[MOST_KINDS] = {0};
  for (uint64_t i = 0; i < n; i++) {
    uint32_t at = 0;
    while (at < k && kind[at] != values[i]) at++;
    if (at == MOST_KINDS || values[i] == RAT_NAN) return 0;
    if (at == k) kind[k++] = values[i];
    count[at]++;
  }
  for (uint32_t i = 1; i < k; i++)
    if (kind[0] != RAT_0 && (kind[i] == RAT_0 || count[i] > count[0])) {
      Rat other = kind[0];
      uint64_t many = count[0];
      kind[0] = kind[i], count[0] = count[i];
      kind[i] = other, count[i] = many;
    }
  return k;
}

static Value special(Calculus *c, Rat v) {
  return v == RAT_NEG_INF ? value_neginf(c) : v == RAT_POS_INF ? value_neg(value_neginf(c)) : value_num(v);
}

/* kind[0] wherever no other one stands; those say where they do. */
static bool by_kinds(Calculus *c, const Grid *g, const Rat *values, const Rat *kind, uint32_t n, Value *out) {
  bool *mask = SCRATCH(c, bool, g->total), finite = true;
  Value v[MOST_KINDS], where;
  for (uint32_t k = 0; k < n; k++) finite &= rat_is_finite(kind[k]);
  v[0] = special(c, kind[0]);
  for (uint32_t k = 1; k < n; k++) {
    for (uint64_t i = 0; i < g->total; i++) mask[i] = values[i] == kind[k];
    if (!mask_value(c, g, mask, &where)) return false;
    if (finite) v[k] = value_scale(rat_sub(kind[k], kind[0]), where);
    else v[0] = calc_select(c, where, special(c, kind[k]), v[0]);
  }
  *out = finite ? calc_add(c, v, n) : v[0];
  return true;
}

/* Neighbouring slots may be digits of one dimension: bit i of `joined` joins slots i and i + 1. */
static Grid joined_grid(Calculus *c, const Name *names, const int64_t *sizes, uint32_t n, uint32_t joined, uint64_t total) {
  Grid g = {.total = total};
  for (uint32_t i = 0; i < n; i++) {
    Value own = calc_idx(c, names[i], sizes[i]);
    if (i && joined >> (i - 1) & 1) {
      g.at[g.n - 1] = calc_add2(c, value_scale(rat_int(sizes[i]), g.at[g.n - 1]), own);
      g.size[g.n - 1] *= sizes[i];
    } else {
      g.size[g.n] = sizes[i];
      g.at[g.n++] = own;
    }
  }
  return g;
}

static bool few_values(Calculus *c, const Rat *values, uint64_t total, const Name *names, const int64_t *sizes, uint32_t n,
                       Value *out) {
  Rat kind[MOST_KINDS];
  uint32_t k = n <= MOST_DIMS && !c->options.cases ? kinds_of(values, total, kind) : 0; /* cases are told by its indices */
  if (k < 2 || (total << n) > MOST_WORK) return false;
  for (uint32_t base = 0; base < k; base++) { /* each may be the one that is everywhere else */
    Rat first = kind[0];
    kind[0] = kind[base], kind[base] = first;
    for (uint32_t joined = 0; joined < 1u << (n - 1); joined++) {
      Grid g = joined_grid(c, names, sizes, n, joined, total);
      if (by_kinds(c, &g, values, kind, k, out)) return true;
    }
  }
  return false;
}

/* ---- all */

static uint32_t intern_table(Calculus *c, const Rat *values, uint64_t n) {
  for (size_t i = 0; i < c->tables.len; i++)
    if (c->tables.at[i].n == n && !memcmp(c->tables.at[i].values, values, n * sizeof *values)) return (uint32_t)i;
  vec_push(&c->tables, (Table){arena_copy(&c->arena, values, n * sizeof *values), n, 0});
  return (uint32_t)c->tables.len - 1;
}

Value calc_table(Calculus *c, const Rat *values, uint64_t n_values, const Name *names, const int64_t *sizes, uint32_t n,
                 bool integer) {
  Frame m = frame_enter(c);
  Value v;
  bool finite = true;
  for (uint64_t i = 0; i < n_values && finite; i++) finite = rat_is_finite(values[i]);
  bool said = finite && affine_table(c, values, n_values, names, sizes, n, &v);
  if (!said && !few_values(c, values, n_values, names, sizes, n, &v)) {
    Props p = {(uint16_t)((integer ? F_INTEGER : 0) | (finite ? 0 : F_INFINITE)), 0, 0};
    if (finite) {
      p.flags |= F_RANGE;
      p.lo = p.hi = values[0];
      for (uint64_t i = 1; i < n_values; i++) {
        if (rat_cmp(values[i], p.lo) < 0) p.lo = values[i];
        if (rat_cmp(values[i], p.hi) > 0) p.hi = values[i];
      }
      if (rat_sign(p.lo) >= 0) p.flags |= F_NONNEG;
      if (rat_sign(p.lo) > 0) p.flags |= F_POS;
    }
    ClassId id = leaf_class(c, 0x80000000u | intern_table(c, values, n_values), sizes, n, NULL, p);
    v = one_of(at_make(c, id, names, n));
  }
  frame_leave(c, m);
  return v;
}
