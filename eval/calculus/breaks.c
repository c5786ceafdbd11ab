/* Breaks: where the predicates below a value change with one of its indices.  They are gathered class by class, each
 * looked at once. */
#include <string.h>

#include "eval/calculus/core.h"

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

static void add_row(Breaks *b, int64_t row) {
  if (row > 1 && (!b->row || row < b->row)) b->row = row;
}

static void add_all(Breaks *b, const Breaks *more) {
  for (uint32_t k = 0; k < more->n; k++) add_point(b, more->at[k]);
  b->overflow |= more->overflow;
  add_row(b, more->row);
}

typedef struct BreakTable { /* per class visited: breaks of its slots */
  Calculus *c;
  Vec(ClassId) ids;
  Vec(Breaks *) breaks;
  uint32_t *index; /* class -> position + 1 */
} BreakTable;

/* Slots that a comparison takes together, i - 6 k + c: i is read by rows of 6. */
static void add_rows(Calculus *c, RefId r, Breaks *b) {
  Terms t;
  if (atom_of(c, r, &t) == REL_NONE) return;
  for (uint32_t i = 0; i < t.n; i++) {
    if (cls_of(c, t.at[i].ref)->kind != K_IDX || rat_abs(t.at[i].k) != RAT_1) continue;
    for (uint32_t j = 0; j < t.n; j++) {
      int64_t w;
      if (cls_of(c, t.at[j].ref)->kind == K_IDX && rat_to_int(rat_neg(rat_div(t.at[j].k, t.at[i].k)), &w))
        add_row(&b[c->names.at[ref(c, t.at[i].ref)->names[0]].a], w);
    }
  }
}

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
    } else {
      add_rows(c, r, b);
    }
  }
  for (uint32_t i = 0; i < cls(c, id)->n_args && depth < 2000; i++) {
    Arg a = cls(c, id)->args[i];
    const Breaks *inner = breaks_of(t, a.cls, depth + 1);
    for (uint32_t p = 0; p < a.n; p++)
      if (a.ix[p] >= 0 && a.ix[p] < cls(c, id)->n_slots) add_all(&b[a.ix[p]], &inner[p]);
  }
  vec_push(&t->ids, id);
  vec_push(&t->breaks, b);
  t->index[id] = (uint32_t)t->breaks.len;
  return b;
}

static BreakTable table(Calculus *c) {
  return (BreakTable){.c = c, .index = xcalloc(c->classes.len + 1, sizeof(uint32_t))};
}

static void table_free(BreakTable *t) {
  vec_free(&t->ids);
  vec_free(&t->breaks);
  free(t->index);
}

Breaks breaks_at(Calculus *c, Value v, Name n) {
  BreakTable t = table(c);
  Breaks out = {.n = 0};
  const Breaks *x = breaks_of(&t, ref(c, v.ref)->cls, 0);
  const Ref *f = ref(c, v.ref);
  for (uint32_t q = 0; q < f->n; q++) {
    if (f->names[q] != n) continue;
    add_row(&out, x[q].row);
    out.overflow |= x[q].overflow;
    for (uint32_t k = 0; k < x[q].n; k++)
      if (x[q].at[k] > 0 && x[q].at[k] < name_size(c, n)) add_point(&out, x[q].at[k]);
  }
  if (out.n) add_point(&out, 0), add_point(&out, name_size(c, n));
  table_free(&t);
  return out;
}

Subst breaks_piece(Calculus *c, Name n, int64_t lo, int64_t hi, Name *index) {
  Subst s = {0};
  bool one = hi - lo == 1;
  *index = one ? name_at(c, 0) : calculus_fresh(c, hi - lo);
  subst_put(&s, n, one ? name_at(c, lo) : calculus_form(c, (Form){lo, 1, &(FormTerm){1, *index}}));
  return s;
}

bool breaks_first(Calculus *c, Value a, Value b, Name *name, Breaks *out) {
  BreakTable t = table(c);
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
  table_free(&t);
  return found;
}
