/* Breaks: where the predicates below a value change with one of its indices.  They are gathered class by class, each
 * looked at once: classes never change, so what was found is kept. */
#include <string.h>

#include "eval/calculus/core.h"

enum { MOST_VALUES = 32, MOST_VISITS = 200 };

static void add_point(Breaks *b, int64_t p) {
  for (uint32_t i = 0; i < b->n; i++)
    if (b->at[i] == p) return;
  if (b->n == MAX_BREAKS) {
    b->overflow = true;
    return;
  }
  uint32_t i = b->n++;
  for (; i && b->at[i - 1] > p; i--) b->at[i] = b->at[i - 1];
  b->at[i] = p;
}

static void add_row(Breaks *b, int64_t row, int64_t phase) {
  if (row > 1 && (!b->row || row < b->row)) b->row = row, b->phase = phase;
}

struct Marks { /* breaks of one slot of a class */
  const int64_t *at;
  int64_t row, phase;
  uint32_t n;
  bool overflow, backward, forward;
};
static const Marks no_marks = {.n = 0}; /* of a class without any */

static void add_all(Breaks *b, const Marks *more) {
  for (uint32_t k = 0; k < more->n; k++) add_point(b, more->at[k]);
  b->overflow |= more->overflow;
  b->backward |= more->backward;
  b->forward |= more->forward;
  add_row(b, more->row, more->phase);
}

/* What was found for a class, to be kept. */
static const Marks *keep(Calculus *c, const Breaks *b, uint32_t n) {
  bool any = false;
  for (uint32_t i = 0; i < n; i++) any |= b[i].n || b[i].row || b[i].overflow || b[i].backward || b[i].forward;
  if (!any) return &no_marks;
  Marks *m = ARENA_ARRAY(&c->arena, Marks, n);
  for (uint32_t i = 0; i < n; i++)
    m[i] = (Marks){arena_copy(&c->arena, b[i].at, b[i].n * sizeof *b[i].at), b[i].row, b[i].phase, b[i].n,
                   b[i].overflow, b[i].backward, b[i].forward};
  return m;
}

/* Slots that a comparison takes together, i - 6 k + c: i is read by rows of 6, the first of which begins at -c. */
static void add_rows(Calculus *c, RefId r, Breaks *b) {
  Terms t;
  if (atom_of(c, r, &t) == REL_NONE) return;
  const Term *constant = terms_find(&t, c->one);
  for (uint32_t i = 0; i < t.n; i++) {
    if (cls_of(c, t.at[i].ref)->kind != K_IDX || rat_abs(t.at[i].k) != RAT_1) continue;
    for (uint32_t j = 0; j < t.n; j++) {
      int64_t w, at = 0;
      if (cls_of(c, t.at[j].ref)->kind != K_IDX || !small_int(rat_neg(rat_div(t.at[j].k, t.at[i].k)), &w)) continue;
      if (w < 2 || (constant && !small_int(rat_neg(rat_div(constant->k, t.at[i].k)), &at))) continue;
      add_row(&b[c->names.at[ref(c, t.at[i].ref)->names[0]].a], w, (at % w + w) % w);
    }
  }
}

/* Two slots that are equal but for a constant, or add up to one. */
static void add_directions(Calculus *c, RefId r, Breaks *b) {
  Terms t;
  if (atom_of(c, r, &t) != REL_EQ) return;
  for (uint32_t i = 0; i < t.n; i++)
    for (uint32_t j = 0; j < t.n; j++) {
      bool both = cls_of(c, t.at[i].ref)->kind == K_IDX && cls_of(c, t.at[j].ref)->kind == K_IDX;
      if (i == j || !both || rat_abs(t.at[i].k) != rat_abs(t.at[j].k)) continue;
      Breaks *of = &b[c->names.at[ref(c, t.at[i].ref)->names[0]].a];
      of->backward |= t.at[i].k == t.at[j].k;
      of->forward |= t.at[i].k != t.at[j].k;
    }
}

/* By slot; NULL: there are none. */
static const Marks *marks_of(Calculus *c, ClassId id, uint32_t depth) {
  while (c->marks.len <= id) vec_push(&c->marks, NULL);
  if (c->marks.at[id]) return c->marks.at[id] == &no_marks ? NULL : c->marks.at[id];
  uint32_t n_slots = cls(c, id)->n_slots;
  Breaks *b = SCRATCH(c, Breaks, n_slots);
  if (cls(c, id)->kind == K_CMP) {
    Name *names = SCRATCH(c, Name, n_slots), n;
    for (uint32_t i = 0; i < n_slots; i++) names[i] = calculus_name(c, NAME_SLOT, i, 0, cls(c, id)->sizes[i]);
    RefId r = ref_make(c, id, names, n_slots);
    int64_t lo, hi;
    uint32_t v;
    if (unary_of(c, r, &n, &lo, &hi)) {
      add_point(&b[c->names.at[n].a], lo);
      add_point(&b[c->names.at[n].a], hi);
    } else if (point_of(c, r, &n, &v)) {
      add_point(&b[c->names.at[n].a], v);
      add_point(&b[c->names.at[n].a], (int64_t)v + 1);
    } else {
      add_rows(c, r, b);
      add_directions(c, r, b);
    }
  }
  bool read = cls(c, id)->kind == K_LEAF;
  for (uint32_t i = 0; i < n_slots && read; i++) b[i].forward = true;
  for (uint32_t i = 0; i < cls(c, id)->n_args && depth < 2000; i++) {
    Arg a = cls(c, id)->args[i];
    const Marks *inner = marks_of(c, a.cls, depth + 1);
    for (uint32_t p = 0; inner && p < a.n; p++)
      if (a.ix[p] >= 0 && (uint32_t)a.ix[p] < n_slots) add_all(&b[a.ix[p]], &inner[p]);
  }
  const Marks *m = keep(c, b, n_slots);
  c->marks.at[id] = m;
  return m == &no_marks ? NULL : m;
}

Breaks breaks_at(Calculus *c, Value v, Name n) {
  Breaks out = {.n = 0};
  const Marks *x = marks_of(c, ref(c, v.ref)->cls, 0);
  const Ref *f = ref(c, v.ref);
  for (uint32_t q = 0; x && q < f->n; q++) {
    if (f->names[q] != n) continue;
    add_row(&out, x[q].row, x[q].phase);
    out.overflow |= x[q].overflow;
    out.backward |= x[q].backward;
    out.forward |= x[q].forward;
    for (uint32_t k = 0; k < x[q].n; k++)
      if (x[q].at[k] > 0 && x[q].at[k] < name_size(c, n)) add_point(&out, x[q].at[k]);
  }
  if (out.n) add_point(&out, 0), add_point(&out, name_size(c, n));
  return out;
}

Subst breaks_piece(Calculus *c, Name n, int64_t lo, int64_t hi, Name *index) {
  Subst s = {0};
  bool one = hi - lo == 1;
  *index = one ? name_at(c, 0) : calculus_fresh(c, hi - lo);
  subst_put(&s, n, one ? name_at(c, lo) : calculus_form(c, (Form){lo, 1, &(FormTerm){1, *index}}));
  return s;
}

bool breaks_backward(Calculus *c, Value v, Name n, Subst *s, Name *index) {
  Breaks b = breaks_at(c, v, n);
  if (!b.backward || b.forward) return false;
  *index = calculus_fresh(c, name_size(c, n));
  *s = (Subst){0};
  subst_put(s, n, calculus_form(c, (Form){name_size(c, n) - 1, 1, &(FormTerm){-1, *index}}));
  return true;
}

bool breaks_first(Calculus *c, Value a, Value b, Name *name, Breaks *out) {
  bool found = false;
  Value both[2] = {a, b};
  for (int side = 0; side < 2; side++) {
    uint32_t n_names = ref(c, both[side].ref)->n; /* references move while breaks are looked for */
    for (uint32_t p = 0; p < n_names; p++) {
      Name n = ref(c, both[side].ref)->names[p];
      if (name_is_const(n) || (found && n >= *name)) continue;
      Breaks all = {.n = 0};
      for (int s = 0; s < 2; s++) {
        const Marks *x = marks_of(c, ref(c, both[s].ref)->cls, 0);
        const Ref *f = ref(c, both[s].ref);
        for (uint32_t q = 0; x && q < f->n; q++)
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
  return found;
}

bool breaks_rows(Calculus *c, Value a, Value b, Name *name, Breaks *out) {
  Value both[2] = {a, b};
  for (int side = 0; side < 2; side++) {
    uint32_t n_names = ref(c, both[side].ref)->n; /* references move while breaks are looked for */
    for (uint32_t p = 0; p < n_names; p++) {
      Name n = ref(c, both[side].ref)->names[p];
      if (name_is_const(n)) continue;
      Breaks at = breaks_at(c, both[side], n);
      int64_t size = name_size(c, n);
      if (!at.row || (at.row >= size && !at.phase)) continue;
      int64_t rows = at.phase < size ? (size - at.phase) / at.row : 0, end = at.phase + rows * at.row;
      at.n = 0;
      if (at.phase && at.phase < size) add_point(&at, at.phase);
      if (end > 0 && end < size) add_point(&at, end);
      if (at.n) add_point(&at, 0), add_point(&at, size);
      else if (at.row >= size) continue;
      *name = n;
      *out = at;
      return true;
    }
  }
  return false;
}

Subst breaks_by_rows(Calculus *c, Name n, int64_t row, Name *index) {
  index[0] = calculus_fresh(c, name_size(c, n) / row);
  index[1] = calculus_fresh(c, row);
  Subst s = {0};
  subst_put(&s, n, calculus_form(c, (Form){0, 2, (FormTerm[]){{row, index[0]}, {1, index[1]}}}));
  return s;
}

static int64_t down(int64_t a, int64_t d) { return a / d - (a % d < 0); }

/* Where the quotient of a form of indices by a number changes: of one index, its values; of several, every value of the one
 * that has fewest. */
static bool quotient_breaks(Calculus *c, RefId r, Name *name, Breaks *out) {
  const Class *x = cls_of(c, r);
  Sym f = x->attr;
  if (x->kind != K_FN || !fn_divides(c, f)) return false;
  Opened o = node_open(c, r);
  Terms t = terms_of(c, one_of(o.args[0].ref)), by = terms_of(c, one_of(o.args[1].ref));
  int64_t d, k, at = 0, times = 0;
  if (by.n != 1 || by.at[0].ref != c->one || !rat_to_int(by.at[0].k, &d) || d <= 0) return false;
  uint32_t several = 0;
  for (uint32_t i = 0; i < t.n; i++) {
    if (!rat_to_int(t.at[i].k, &k) || k > INT64_MAX / 64 || k < INT64_MIN / 64) return false;
    if (t.at[i].ref == c->one) {
      at = k;
      continue;
    }
    if (cls_of(c, t.at[i].ref)->kind != K_IDX) return false;
    Name n = ref(c, t.at[i].ref)->names[0];
    if (several++ && name_size(c, n) >= name_size(c, *name)) continue;
    *name = n;
    times = k;
  }
  if (!several || name_size(c, *name) > MOST_VALUES) return false;
  *out = (Breaks){.n = 0};
  for (int64_t i = 1; i < name_size(c, *name); i++)
    if (several > 1 || down(times * i + at, d) != down(times * (i - 1) + at, d)) add_point(out, i);
  if (out->n) add_point(out, 0), add_point(out, name_size(c, *name));
  return out->n && !out->overflow;
}

static bool quotient_below(Calculus *c, RefId r, Name *name, Breaks *out, uint32_t *visits) {
  if (!*visits) return false;
  --*visits;
  if (quotient_breaks(c, r, name, out)) return true;
  const Class *x = cls_of(c, r);
  if (x->kind != K_LIN && x->kind != K_MUL && x->kind != K_CMP) return false;
  Opened o = node_open(c, r);
  for (uint32_t i = 0; i < o.n; i++)
    if (quotient_below(c, o.args[i].ref, name, out, visits)) return true;
  return false;
}

bool breaks_quotient(Calculus *c, Value a, Value b, Name *name, Breaks *out) {
  uint32_t visits = MOST_VISITS;
  return quotient_below(c, a.ref, name, out, &visits) || quotient_below(c, b.ref, name, out, &visits);
}
