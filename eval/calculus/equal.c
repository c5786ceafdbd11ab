/* Equality by pieces.  Two values that are not one normal form may still be equal on every interval between the points
 * where a predicate on a free index changes, on either side: there the predicates are constants and the rest is
 * compared again.  Complete for piecewise-affine differences; cost follows the number of break points. */
#include <string.h>

#include "eval/calculus/core.h"

enum { DEPTH = 6, MAX_POINTS = 64 };

typedef struct Breaks { /* points of one slot */
  int64_t at[MAX_POINTS];
  uint32_t n;
  bool overflow;
} Breaks;

static void add_point(Breaks *b, int64_t p) {
  for (uint32_t i = 0; i < b->n; i++)
    if (b->at[i] == p) return;
  if (b->n == MAX_POINTS) {
    b->overflow = true;
    return;
  }
  uint32_t i = b->n++;
  for (; i && b->at[i - 1] > p; i--) b->at[i] = b->at[i - 1];
  b->at[i] = p;
}

typedef struct BreakTable { /* per class visited: breaks of its slots */
  Calculus *c;
  Vec(ClassId) ids;
  Vec(Breaks *) breaks;
  uint32_t *index; /* class -> position + 1 */
} BreakTable;

static const Breaks *breaks_of(BreakTable *t, ClassId id, uint32_t depth) {
  Calculus *c = t->c;
  if (t->index[id]) return t->breaks.at[t->index[id] - 1];
  const Class *x = cls(c, id);
  Breaks *b = ARENA_ARRAY(&c->scratch, Breaks, x->n_slots);
  if (x->kind == K_CMP) {
    Name *names = SCRATCH(c, Name, x->n_slots), n;
    for (uint32_t i = 0; i < x->n_slots; i++) names[i] = calculus_name(c, NAME_SLOT, i, 0, cls(c, id)->sizes[i]);
    RefId r = ref_make(c, id, names, cls(c, id)->n_slots);
    int64_t lo, hi;
    uint32_t v;
    if (unary_of(c, r, &n, &lo, &hi)) {
      add_point(&b[c->names.at[n].a], lo);
      add_point(&b[c->names.at[n].a], hi);
    } else if (point_of(c, r, &n, &v)) {
      add_point(&b[c->names.at[n].a], v);
      add_point(&b[c->names.at[n].a], (int64_t)v + 1);
    }
  }
  for (uint32_t i = 0; i < cls(c, id)->n_args && depth < 2000; i++) {
    Arg a = cls(c, id)->args[i];
    const Breaks *inner = breaks_of(t, a.cls, depth + 1);
    for (uint32_t p = 0; p < a.n; p++)
      if (a.ix[p] >= 0 && a.ix[p] < cls(c, id)->n_slots)
        for (uint32_t k = 0; k < inner[p].n; k++) add_point(&b[a.ix[p]], inner[p].at[k]);
  }
  vec_push(&t->ids, id);
  vec_push(&t->breaks, b);
  t->index[id] = (uint32_t)t->breaks.len;
  return b;
}

/* Break points of the free names of both values; the first name (in order of names) that has some inside. */
static bool first_break(Calculus *c, Value a, Value b, Name *name, Breaks *out) {
  BreakTable t = {.c = c, .index = xcalloc(c->classes.len + 1, sizeof *t.index)};
  bool found = false;
  Value both[2] = {a, b};
  for (int side = 0; side < 2; side++) {
    uint32_t n_names = ref(c, both[side].ref)->n; /* references move while breaks are looked for */
    for (uint32_t p = 0; p < n_names; p++) {
      Name n = ref(c, both[side].ref)->names[p];
      if (name_is_const(n) || (found && n >= *name)) continue;
      Breaks all = {.n = 0};
      for (int s = 0; s < 2; s++) {
        const Breaks *x = breaks_of(&t, ref(c, both[s].ref)->cls, 0);
        const Ref *f = ref(c, both[s].ref);
        for (uint32_t q = 0; q < f->n; q++)
          if (f->names[q] == n)
            for (uint32_t k = 0; k < x[q].n; k++)
              if (x[q].at[k] > 0 && x[q].at[k] < name_size(c, n)) add_point(&all, x[q].at[k]);
      }
      if (!all.n) continue;
      add_point(&all, 0);
      add_point(&all, name_size(c, n));
      if (all.overflow) continue;
      found = true;
      *name = n;
      *out = all;
    }
  }
  vec_free(&t.ids);
  vec_free(&t.breaks);
  free(t.index);
  return found;
}

static bool pieces(Calculus *c, Value a, Value b, uint32_t depth, uint32_t *splits) {
  if (value_same(a, b)) return true;
  if (depth > DEPTH || !*splits || c->exhausted) return false;
  --*splits;
  Frame m = frame_enter(c);
  Name n = 0;
  Breaks at;
  bool equal = false;
  if (first_break(c, a, b, &n, &at)) {
    equal = true;
    for (uint32_t i = 0; i + 1 < at.n && equal; i++) {
      int64_t lo = at.at[i], hi = at.at[i + 1];
      Subst s = {0};
      if (hi - lo == 1)
        subst_put(&s, n, name_at(c, lo));
      else
        subst_put(&s, n, calculus_form(c, (Form){lo, 1, &(FormTerm){1, calculus_fresh(c, hi - lo)}}));
      equal = pieces(c, calc_rename(c, a, &s), calc_rename(c, b, &s), depth + 1, splits);
    }
  }
  frame_leave(c, m);
  return equal;
}

bool calc_equal(Calculus *c, Value a, Value b, uint32_t splits) { return pieces(c, a, b, 0, &splits); }
