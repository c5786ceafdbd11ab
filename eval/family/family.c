#include "eval/family/family.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "eval/family/sizeterm.h"

enum { GENERIC = 5, NEXT = 8, CELL = 4, MOST_TRIED = 1 << 20, MOST_NUMBERS = 512 };

#define MOST_ROOT (INT64_C(1) << 50)

static uint32_t n_sizes(const Family *f) { return f->domain.sizes->n; }

/* ---- trying */

static FamilyTry *find(const Family *f, const int64_t *at) {
  for (size_t i = 0; i < f->tried.len; i++)
    if (!memcmp(f->tried.at[i]->at, at, n_sizes(f) * sizeof *at)) return f->tried.at[i];
  return NULL;
}

/* NULL: it cannot be tried, and f says why. */
static FamilyTry *try_at(Family *f, const int64_t *at) {
  FamilyTry *t = find(f, at);
  if (t || f->broken) return t;
  if (f->tried.len >= f->most) {
    if (!f->why)
      f->why =
          arena_printf(f->domain.arena, "more than %" PRIu32 " sizes would have to be tried (--size-limit)", f->most);
    return NULL;
  }
  t = ARENA_NEW(f->domain.arena, FamilyTry);
  t->at = arena_copy(f->domain.arena, at, n_sizes(f) * sizeof *at);
  f->broken = !f->check(f, t->at, t);
  vec_push(&f->tried, t);
  if (f->broken) return NULL;
  if (t->verdict != VERDICT_VERIFIED && !f->failed) f->failed = t;
  return t;
}

static FamilyTry *try_along(Family *f, const int64_t *at, uint32_t axis, int64_t v) {
  int64_t p[SIZES_MAX];
  memcpy(p, at, n_sizes(f) * sizeof *p);
  p[axis] = v;
  return try_at(f, p);
}

static bool going(const Family *f) { return !f->failed && !f->broken && !f->why; }

static void give_up(Family *f, const char *why) {
  if (!f->why) f->why = why;
}

/* The admissible size nearest the middle between lo and hi, exclusively; 0: there is none. */
static int64_t between(const Family *f, const int64_t *at, uint32_t axis, int64_t lo, int64_t hi) {
  int64_t v = domain_next(&f->domain, at, axis, lo + (hi - lo) / 2, 1);
  if (v > lo && v < hi) return v;
  v = domain_next(&f->domain, at, axis, lo + (hi - lo) / 2, -1);
  return v > lo && v < hi ? v : 0;
}

/* A smaller point that is not verified either: for counterexamples, and for people. */
static void shrink(Family *f) {
  for (uint32_t axis = 0; axis < n_sizes(f) && !f->broken; axis++) {
    const int64_t *at = f->failed->at;
    int64_t lo = domain_next(&f->domain, at, axis, 1, 1), hi = at[axis];
    if (!lo || lo >= hi) continue;
    FamilyTry *t = NULL;
    for (int64_t k = 0, v = lo; k < NEXT && v && v < hi && !(t && t->verdict != VERDICT_VERIFIED) && !f->broken; k++) {
      t = try_along(f, at, axis, lo = v);
      v = domain_next(&f->domain, at, axis, v + 1, 1);
    }
    if (t && t->verdict != VERDICT_VERIFIED) {
      f->failed = t;
      continue;
    }
    for (int64_t mid; t && (mid = between(f, at, axis, lo, hi)) && (t = try_along(f, at, axis, mid));) {
      if (t->verdict == VERDICT_VERIFIED) lo = mid;
      else hi = mid, f->failed = t;
    }
  }
}

/* ---- what is the same at several points */

static bool alike(const FamilyTry *a, const FamilyTry *b) {
  if (a->uncertified || b->uncertified || a->n_questions != b->n_questions) return false;
  for (uint32_t q = 0; q < a->n_questions; q++)
    if (!numbers_alike(&a->numbers[q], &b->numbers[q])) return false;
  return true;
}

/* Fits of the numbers of some points, by what they are there. */
typedef struct Fits {
  Family *f;
  uint32_t n;
  FamilyTry *const *at;
  const int64_t *points[16];
  uint32_t n_slots;
  SizePoly *slots; /* found ones, by hash of their values */
  Rat *keys;
  bool *used;
} Fits;

static bool known_poly(const Fits *x, const Rat *values, SizePoly *out) {
  Rat v;
  for (size_t k = 0; k < x->f->numbers.len; k++) {
    const SizePoly *p = &x->f->numbers.at[k];
    bool same = true;
    for (uint32_t i = 0; i < x->n && same; i++)
      same = sizepoly_value(p, n_sizes(x->f), x->points[i], &v) && v == values[i];
    if (same) return *out = *p, true;
  }
  return false;
}

static void remember(Family *f, const SizePoly *p, bool counts) {
  size_t k = 0;
  while (k < f->numbers.len && !sizepoly_equal(&f->numbers.at[k], p, n_sizes(f))) k++;
  if (k < f->numbers.len) {
    f->counts.at[k] = f->counts.at[k] || counts;
    return;
  }
  vec_push(&f->numbers, *p);
  vec_push(&f->counts, counts);
}

/* The polynomial of these values; false: there is none. */
static bool fit(Fits *x, const Rat *values, bool counts) {
  size_t key = (x->n + 1) * sizeof *values; /* the last one says whether it counts */
  uint32_t slot = (uint32_t)(XXH3_64bits(values, key) % x->n_slots);
  for (uint32_t tries = 0; tries < x->n_slots; tries++, slot = (slot + 1) % x->n_slots) {
    if (!x->used[slot]) break;
    if (!memcmp(x->keys + (size_t)slot * (x->n + 1), values, key)) return true;
  }
  if (x->used[slot]) return false; /* more different numbers than are looked at */
  SizePoly p;
  if (!known_poly(x, values, &p) && !sizepoly_fit(n_sizes(x->f), x->n, x->points, values, &p)) return false;
  x->used[slot] = true;
  memcpy(x->keys + (size_t)slot * (x->n + 1), values, key);
  remember(x->f, &p, counts);
  return true;
}

/* All numbers of these points are polynomials; else *odd is one that is not. */
static bool fits(Family *f, FamilyTry *const *at, uint32_t n, const char **odd) {
  Fits x = {.f = f, .n = n, .at = at, .n_slots = MOST_NUMBERS * 2};
  Rat values[16 + 1];
  bool ok = n <= 16;
  x.used = xcalloc(x.n_slots, sizeof *x.used);
  x.keys = xcalloc((size_t)x.n_slots * (n + 1), sizeof *x.keys);
  for (uint32_t i = 0; i < n && ok; i++) x.points[i] = at[i]->at;
  for (uint32_t q = 0; q < at[0]->n_questions && ok; q++)
    for (uint32_t k = 0; k < at[0]->numbers[q].n && ok; k++) {
      for (uint32_t i = 0; i < n; i++) values[i] = at[i]->numbers[q].at[k];
      values[n] = at[0]->numbers[q].counts[k];
      if ((ok = fit(&x, values, values[n] != 0))) continue;
      char text[3][64];
      for (uint32_t i = 0; i < 3 && i < n; i++) rat_print(values[i], text[i], sizeof text[i]);
      *odd = arena_printf(f->domain.arena, "a number of the %s is %s, %s, %s .. and no polynomial of the sizes",
                          k < at[0]->numbers[q].n_graphs ? "graphs" : "proof", text[0], text[1], n > 2 ? text[2] : "");
    }
  free(x.used);
  free(x.keys);
  return ok;
}

static const char *at_text(const Family *f, const FamilyTry *t) {
  return sizes_print(f->domain.sizes, t->at, f->domain.arena);
}

/* ---- the graphs of a model at all sizes of a cell */

/* "s is in the cell", for Z3. */
static const char *inside(const Family *f, const FamilyCell *cell) {
  const Domain *d = &f->domain;
  const char *where = "(and true";
  for (uint32_t i = 0; i < n_sizes(f) && cell; i++) {
    if (i != cell->axis) where = arena_printf(d->arena, "%s (= s%" PRIu32 " %" PRId64 ")", where, i, cell->at[i]);
    else where = arena_printf(d->arena, "%s (>= s%" PRIu32 " %" PRId64 ")", where, i, cell->from);
    if (i == cell->axis && cell->to)
      where = arena_printf(d->arena, "%s (<= s%" PRIu32 " %" PRId64 ")", where, i, cell->to);
  }
  return arena_printf(d->arena, "%s)", where);
}

/* Sizes, integers, their sums and products: polynomials, integers and positive wherever they stand. */
static bool plain(const Family *f, const AstExpr *e) {
  if (e->kind == EX_RAT) return rat_is_int(e->value) && rat_sign(e->value) >= 0;
  if (e->kind == EX_NAME) return true;
  return (e->kind == EX_ADD || e->kind == EX_MUL) && plain(f, e->args[0]) && plain(f, e->args[1]);
}

/* Where an expression is another number than its polynomial at these points, or no whole or natural number as there:
 * NULL: there is none such. */
static const char *differs(Family *f, const AstExpr *e, SizeTerm term, FamilyTry *const *at, uint32_t n) {
  const Domain *d = &f->domain;
  Fits x = {.f = f, .n = n};
  Rat values[16];
  SizePoly p;
  bool whole = true, natural = true;
  for (uint32_t i = 0; i < n; i++) {
    x.points[i] = at[i]->at;
    if (!sizes_value(d->sizes, at[i]->at, e, &values[i])) return NULL;
    whole = whole && rat_is_int(values[i]);
    natural = natural && rat_sign(values[i]) >= 0;
  }
  if (!known_poly(&x, values, &p) && !sizepoly_fit(n_sizes(f), n, x.points, values, &p)) return NULL;
  const char *out = sizeterm_differ(term, sizeterm_of_poly(&p, n_sizes(f), d->arena), d->arena);
  if (whole) out = arena_printf(d->arena, "(or %s %s)", out, sizeterm_broken(term, d->arena));
  return natural ? arena_printf(d->arena, "(or %s %s)", out, sizeterm_negative(term, d->arena)) : out;
}

/* Its expressions are polynomials in the cell (NULL: everywhere): fitted at these points, and shown by Z3 for all
 * others. Where they are not, deviates[] is such a point, or deviates[0] is 0. */
static bool expressions_hold(Family *f, FamilyTry *const *at, uint32_t n, const FamilyCell *cell, int64_t *deviates) {
  const Domain *d = &f->domain;
  const char *why;
  int64_t found[SIZES_MAX];
  uint32_t n_expressions = 0, n_asked = 0;
  deviates[0] = 0;
  const AstExpr **e = f->file ? sizes_expressions(d->sizes, f->file, d->arena, &n_expressions) : NULL;
  const char **asked = ARENA_ARRAY(d->arena, const char *, n_expressions + 1);
  for (uint32_t k = 0; k < n_expressions; k++) {
    SizeTerm term = sizeterm_of(d->sizes, e[k], d->arena);
    const char *differ = NULL;
    bool known = plain(f, e[k]);
    if (!known && term.num) differ = differs(f, e[k], term, at, n);
    for (uint32_t i = 0; i < n_asked && differ && !known; i++) known = !strcmp(asked[i], differ);
    if (known) continue;
    if (!differ) return false;
    asked[n_asked++] = differ;
    int answer = domain_ask(d, arena_printf(d->arena, "(and %s %s)", inside(f, cell), differ), found, &why);
    if (answer == 1 && domain_admits(d, found)) memcpy(deviates, found, n_sizes(f) * sizeof *found);
    if (answer < 0) { /* it would not tell at other sizes either */
      f->doubt = arena_printf(d->arena, "whether the numbers of the graphs are polynomials: %s", why);
      give_up(f, f->doubt);
    }
    if (answer) return false;
  }
  return true;
}

/* ---- cells */

static void add_cell(Family *f, const int64_t *at, uint32_t axis, int64_t from, int64_t to) {
  vec_push(&f->cells, (FamilyCell){axis, at, from, to});
}

/* Every admissible size from lo to hi, both tried, is tried or in a cell. */
static void cover(Family *f, const int64_t *at, uint32_t axis, int64_t lo, int64_t hi) {
  FamilyTry *t[CELL];
  const char *odd;
  int64_t v[CELL] = {lo, 0, 0, hi}, deviates[SIZES_MAX];
  if (!going(f) || lo >= hi || !between(f, at, axis, lo, hi)) return;
  v[1] = between(f, at, axis, lo, lo + (hi - lo) / 2 + 1);
  v[2] = between(f, at, axis, lo + (hi - lo) / 2 - 1, hi);
  uint32_t n = 0;
  for (uint32_t i = 0; i < CELL && going(f); i++) {
    if (!v[i] || (n && v[i] == t[n - 1]->at[axis])) continue;
    FamilyTry *x = try_along(f, at, axis, v[i]);
    if (x) t[n++] = x;
  }
  if (!going(f)) return;
  bool same = n == CELL;
  for (uint32_t i = 1; i < n && same; i++) same = alike(t[0], t[i]);
  FamilyCell cell = {axis, at, lo, hi};
  bool fitted = same && fits(f, t, n, &odd);
  if (fitted && expressions_hold(f, t, n, &cell, deviates)) {
    add_cell(f, at, axis, lo, hi);
    return;
  }
  if (fitted && deviates[0] && deviates[axis] > lo && deviates[axis] < hi) { /* the programs are others there */
    if (try_at(f, deviates)) cover(f, at, axis, lo, deviates[axis]);
    cover(f, at, axis, deviates[axis], hi);
    return;
  }
  for (uint32_t i = 0; i + 1 < n; i++) cover(f, at, axis, t[i]->at[axis], t[i + 1]->at[axis]);
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

typedef Vec(int64_t) Values;

static const char *too_far(const Family *f, uint32_t axis, int64_t root) {
  const char *name = sym_text(f->domain.sizes->names[axis]);
  return arena_printf(f->domain.arena,
                      "numbers of the proof meet at %s = %" PRId64 ", too large to be tried: assume %s < %" PRId64,
                      name, root, name, root);
}

/* Sizes along an axis where numbers of the proof meet, and the admissible ones beside them. */
static void meetings(Family *f, const int64_t *at, uint32_t axis, Values *out) {
  int64_t roots[16];
  Values all = {0};
  for (size_t i = 0; i < f->numbers.len; i++)
    for (size_t k = i + 1; k < f->numbers.len; k++) {
      int64_t most = f->counts.at[i] && f->counts.at[k] ? MOST_ROOT : MOST_TRIED;
      uint32_t n = sizepoly_roots(&f->numbers.at[i], &f->numbers.at[k], n_sizes(f), at, axis, most, roots, 16);
      for (uint32_t r = 0; r < n && going(f); r++) {
        bool far = roots[r] >= MOST_TRIED && domain_next(&f->domain, at, axis, roots[r], 1);
        if (roots[r] < MOST_TRIED) vec_push(&all, roots[r]);
        else if (far && roots[r] < most) give_up(f, too_far(f, axis, roots[r]));
      }
    }
  if (all.len) qsort(all.at, all.len, sizeof *all.at, by_value);
  for (size_t i = 0; i < all.len; i++) {
    if (i && all.at[i] == all.at[i - 1]) continue;
    int64_t down = domain_next(&f->domain, at, axis, all.at[i] - 1, -1),
            up = domain_next(&f->domain, at, axis, all.at[i] + 1, 1);
    int64_t exact = domain_next(&f->domain, at, axis, all.at[i], 1);
    if (down) vec_push(out, down);
    if (exact == all.at[i]) vec_push(out, exact);
    if (up) vec_push(out, up);
  }
  vec_free(&all);
}

/* The last cell, without an end: the sizes from `from` on are like the generic ones. */
static void tail(Family *f, const int64_t *at, uint32_t axis, FamilyTry **generic, uint32_t n, int64_t from) {
  const char *odd;
  int64_t deviates[SIZES_MAX] = {0}, hi = generic[0]->at[axis];
  for (uint32_t i = 0; i < n; i++)
    if (generic[i]->at[axis] < hi) hi = generic[i]->at[axis];
  /* Halve until what is below is covered otherwise. */
  while (going(f)) {
    FamilyTry *t[GENERIC + 1];
    t[0] = try_along(f, at, axis, from);
    if (!t[0]) return;
    memcpy(t + 1, generic, n * sizeof *t);
    FamilyCell cell = {axis, at, from, 0};
    bool same = alike(t[0], t[1]) && fits(f, t, n + 1, &odd);
    if (same && expressions_hold(f, t + 1, n, &cell, deviates)) {
      add_cell(f, at, axis, from, 0);
      return;
    }
    int64_t next = same && deviates[0] ? domain_next(&f->domain, at, axis, deviates[axis] + 1, 1) : 0;
    if (next) { /* the programs are others there */
      if (try_at(f, deviates)) cover(f, at, axis, from, deviates[axis]);
      from = next;
      continue;
    }
    if (from >= hi) {
      give_up(f, same && f->doubt ? f->doubt
                 : same           ? "the numbers of the graphs are not polynomials of the sizes at all large sizes"
                                  : "the proof at large sizes is not the same from size to size");
      return;
    }
    int64_t mid = between(f, at, axis, from, hi);
    if (!mid) mid = hi;
    if (!try_along(f, at, axis, mid)) return;
    cover(f, at, axis, from, mid);
    from = mid;
  }
}

/* All sizes along one axis, the others as in `at`. */
static void line(Family *f, const int64_t *at, uint32_t axis) {
  Points points = {0};
  Values values = {0};
  FamilyTry *generic[GENERIC];
  const char *odd = NULL;
  uint32_t n = 0;
  domain_generic_along(&f->domain, at, axis, GENERIC, &points);
  for (size_t i = 0; i < points.len && going(f); i++)
    if ((generic[n] = try_at(f, points.at[i]))) n++;
  for (uint32_t i = 1; i < n && going(f); i++)
    if (!alike(generic[0], generic[i]))
      give_up(f,
              generic[i]->uncertified || generic[0]->uncertified
                  ? (generic[0]->uncertified ? generic[0]->uncertified : generic[i]->uncertified)
                  : arena_printf(f->domain.arena, "the programs or proofs at %s and at %s differ by more than numbers",
                                 at_text(f, generic[0]), at_text(f, generic[i])));
  if (going(f) && n < GENERIC) give_up(f, "there are too few large sizes to compare");
  if (going(f) && !fits(f, generic, n, &odd)) give_up(f, odd ? odd : "the numbers of the proof are no polynomials");
  if (going(f)) meetings(f, at, axis, &values);
  for (size_t i = 0; i < f->tried.len; i++) { /* on this line */
    bool on = true;
    for (uint32_t k = 0; k < n_sizes(f); k++) on &= k == axis || f->tried.at[i]->at[k] == at[k];
    for (uint32_t k = 0; k < n && on; k++) on = f->tried.at[i] != generic[k];
    if (on) vec_push(&values, f->tried.at[i]->at[axis]);
  }
  if (values.len) qsort(values.at, values.len, sizeof *values.at, by_value);
  for (size_t i = 0; i < values.len && going(f); i++) try_along(f, at, axis, values.at[i]);
  for (size_t i = 0; i + 1 < values.len && going(f); i++) cover(f, at, axis, values.at[i], values.at[i + 1]);
  if (going(f) && values.len) tail(f, at, axis, generic, n, values.at[values.len - 1]);
  vec_free(&values);
  vec_free(&points);
}

/* "Some two numbers of the proof, which count something, are in an order that they have at no size that was tried"; NULL:
 * too many to be asked about. */
static const char *other_order(const Family *f) {
  enum { MOST_PAIRS = 2000 };
  Arena *a = f->domain.arena;
  uint32_t n = n_sizes(f), n_pairs = 0;
  const char *pairs[64] = {0}, *out = "(or false"; /* in parts, as each is copied as it grows */
  for (size_t i = 0; i < f->numbers.len; i++)
    for (size_t k = 0; k < f->numbers.len; k++) {
      const SizePoly *p = &f->numbers.at[i], *q = &f->numbers.at[k];
      bool seen = i == k || !f->counts.at[i] || !f->counts.at[k] || p->inverse || q->inverse;
      for (size_t t = 0; t < f->tried.len && !seen; t++) {
        Rat x, y;
        seen = sizepoly_value(p, n, f->tried.at[t]->at, &x) && sizepoly_value(q, n, f->tried.at[t]->at, &y) &&
               rat_cmp(x, y) < 0;
      }
      if (seen) continue;
      if (++n_pairs > MOST_PAIRS) return NULL;
      const char **part = &pairs[n_pairs % 64];
      *part = arena_printf(a, "%s %s", *part ? *part : "",
                           sizeterm_less(sizeterm_of_poly(p, n, a), sizeterm_of_poly(q, n, a), a));
    }
  for (uint32_t i = 0; i < 64; i++)
    if (pairs[i]) out = arena_printf(a, "%s %s", out, pairs[i]);
  return arena_printf(a, "%s)", out);
}

/* Every size has three values at least at these points, for else many polynomials fit. */
static bool vary(const Family *f, FamilyTry *const *t, uint32_t n) {
  for (uint32_t axis = 0; axis < n_sizes(f); axis++) {
    uint32_t different = 0;
    for (uint32_t i = 0; i < n; i++) {
      bool first = true;
      for (uint32_t k = 0; k < i; k++) first = first && t[k]->at[axis] != t[i]->at[axis];
      different += first;
    }
    if (different < 3) return false;
  }
  return true;
}

/* Between the lines no numbers are in an order that was not tried; these are fitted to points beside lines. */
static void orders(Family *f, FamilyTry *const *generic, uint32_t n) {
  enum { LARGEST = 4096 };
  const Domain *d = &f->domain;
  const char *small = "(and true", *why;
  int64_t at[SIZES_MAX];
  FamilyTry *t[16];
  uint32_t n_alike = 0;
  for (uint32_t i = 0; i < n; i++)
    if (alike(generic[0], generic[i])) t[n_alike++] = generic[i];
  vec_clear(&f->numbers);
  vec_clear(&f->counts);
  if (n_alike < SIZEPOLY_TERMS + 2) give_up(f, "the programs or proofs at large sizes differ by more than numbers");
  else if (!vary(f, t, n_alike)) give_up(f, "there are too few large sizes to compare");
  else if (!fits(f, t, n_alike, &why)) give_up(f, why);
  for (uint32_t i = 0; i < n_sizes(f); i++) small = arena_printf(d->arena, "%s (<= s%" PRIu32 " %d)", small, i, LARGEST);
  while (going(f)) {
    const char *other = other_order(f);
    if (!other) {
      give_up(f, "too many numbers of the proof to compare everywhere");
      return;
    }
    int answer = domain_ask(d, arena_printf(d->arena, "(and %s) %s)", small, other), at, &why);
    bool near = answer == 1;
    if (!near) answer = domain_ask(d, other, at, &why);
    if (answer == 0) return;
    if (answer < 0) {
      f->doubt = arena_printf(d->arena, "whether numbers of the proof are in another order elsewhere: %s", why);
      give_up(f, f->doubt);
    } else if (!near || !domain_admits(d, at))
      give_up(f, arena_printf(d->arena, "numbers of the proof are in an order that was not tried at %s",
                              sizes_print(d->sizes, at, d->arena)));
    else if (!try_at(f, at)) return;
  }
}

/* Of several sizes, the numbers of the model are the same polynomials wherever no line goes, too. */
static void everywhere(Family *f, const Points *generic) {
  FamilyTry *t[16];
  uint32_t n = 0;
  int64_t deviates[SIZES_MAX];
  for (size_t i = 0; i < generic->len && n < 16; i++)
    if ((t[n] = find(f, generic->at[i]))) n++;
  while (going(f) && !expressions_hold(f, t, n, NULL, deviates))
    if (!deviates[0] || find(f, deviates) || !try_at(f, deviates))
      give_up(f,
              f->doubt ? f->doubt : "the numbers of the graphs are not the same polynomials of the sizes everywhere");
  if (going(f)) orders(f, t, n);
}

/* ---- files for some sizes only */

/* Of sizes without files nothing can be tried: those there are must be alike. */
static void compare_files(Family *f) {
  FamilyTry *t[16];
  const char *odd = NULL;
  uint32_t n = 0;
  for (size_t i = f->tried.len; i-- > 0 && n < 16;)
    if (!n || alike(t[0], f->tried.at[i])) t[n++] = f->tried.at[i];
  if (n && t[0]->uncertified) give_up(f, t[0]->uncertified);
  else if (n < SIZEPOLY_TERMS + 1)
    give_up(f, "files of at least four sizes are needed whose programs and proofs are the same but for numbers");
  else if (!fits(f, t, n, &odd)) give_up(f, odd ? odd : "the numbers of the proof are no polynomials");
  int64_t roots[16], most = t[0]->at[0], above = 0;
  for (size_t i = 0; i < f->numbers.len && n_sizes(f) == 1 && going(f); i++)
    for (size_t k = i + 1; k < f->numbers.len; k++) {
      uint32_t n_roots = sizepoly_roots(&f->numbers.at[i], &f->numbers.at[k], 1, t[0]->at, 0, MOST_TRIED, roots, 16);
      for (uint32_t r = 0; r < n_roots; r++)
        if (roots[r] >= most && roots[r] > above) above = roots[r];
    }
  if (above)
    give_up(f, arena_printf(f->domain.arena,
                            "numbers of the proof are in another order above %s = %" PRId64
                            ": there should be files for larger sizes",
                            sym_text(f->domain.sizes->names[0]), above));
}

/* All sizes, where they are so few that each can be tried. */
static void few(Family *f, Points *points) {
  int64_t v = points->at[0][0];
  Points all = {0};
  for (; v && all.len <= f->most; v = domain_next(&f->domain, points->at[0], 0, v + 1, 1))
    vec_push(&all, arena_copy(f->domain.arena, &v, sizeof v));
  if (!v && all.len <= f->most && domain_is(&f->domain, all.at, (uint32_t)all.len)) {
    vec_clear(points);
    for (size_t i = 0; i < all.len; i++) vec_push(points, all.at[i]);
  }
  vec_free(&all);
}

/* ---- all of it */

void family_run(Family *f) {
  const Domain *d = &f->domain;
  Points points = {0};
  bool empty;
  domain_smallest(d, d->files ? f->most : f->points, &points, &empty);
  if (!points.len) {
    f->why = empty ? "no sizes meet the assumptions" : "no sizes were found that meet the assumptions";
    vec_free(&points);
    return;
  }
  if (n_sizes(f) == 1 && !d->files) few(f, &points);
  size_t small = points.len;
  if (n_sizes(f) == 1) domain_generic_along(d, points.at[0], 0, GENERIC, &points);
  else domain_generic(d, GENERIC + n_sizes(f), &points);
  for (size_t i = 0; i < points.len && going(f); i++) try_at(f, points.at[i]);
  if (f->failed && !d->files) shrink(f);
  if (going(f) && domain_is(d, points.at, (uint32_t)points.len)) f->all = true;
  if (going(f) && !f->all && d->files) compare_files(f);
  for (uint32_t axis = 0; axis < n_sizes(f) && going(f) && !f->all && !d->files; axis++) {
    line(f, points.at[0], axis);
    if (n_sizes(f) > 1 && points.len > small) line(f, points.at[small], axis);
  }
  Points generic = {.at = points.at + small, .len = points.len - small};
  if (n_sizes(f) > 1 && going(f) && !f->all && !d->files) everywhere(f, &generic);

  if (f->failed && !d->files) shrink(f);
  f->uniform = going(f) && !f->all;
  vec_free(&points);
}

void family_free(Family *f) {
  vec_free(&f->tried);
  vec_free(&f->cells);
  vec_free(&f->numbers);
  vec_free(&f->counts);
}
