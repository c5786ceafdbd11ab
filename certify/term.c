#include "certify/term.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- atoms */
static bool is_atom(const void *s, uint32_t a, const void *key) {
  const AtomInfo *x = &((const Store *)s)->atoms.at[a], *y = key;
  return x->def == y->def && (!x->n || !memcmp(x->at, y->at, x->n * sizeof *x->at));
}

Atom atom_make(Store *s, DefId def, const Label *at, uint32_t n) {
  const Def *d = &s->defs.at[def];
  assert(n == d->n_slots);
  s->work++;
  for (uint32_t m = 0; m < d->n_mirrors; m++) { /* of the readings that are equal, the least */
    Label *other = SCRATCH(s, Label, n);
    int less = 0;
    for (uint32_t i = 0; i < n; i++) {
      other[i] = at[d->mirror[m * n + i]];
      if (!less) less = label_compare(s, other[i], at[i]);
    }
    if (less < 0) at = other, m = UINT32_MAX; /* from the start */
  }
  AtomInfo x = {.def = def, .n = n, .at = at};
  Atom a = index_find(&s->atom_index, XXH3_64bits_withSeed(at, n * sizeof *at, def), is_atom, s, &x);
  if (a < s->atoms.len) return a;
  if (n) x.at = arena_copy(&s->arena, at, n * sizeof *at);
  vec_push(&s->atoms, x);
  return a;
}

/* Order of the labels of a read by their weights in its forms. */
static int compare_columns(const Affine *f, uint32_t n, int64_t size_x, int64_t size_y, Label x, Label y) {
  for (uint32_t i = 0; i < n; i++) {
    int64_t k = 0, m = 0;
    for (uint32_t j = 0; j < f[i].n; j++) {
      if (f[i].t[j].l == x) k = f[i].t[j].k;
      if (f[i].t[j].l == y) m = f[i].t[j].k;
    }
    if (k != m) return k > m ? -1 : 1;
  }
  return size_x != size_y ? (size_x < size_y ? -1 : 1) : 0;
}

static bool same_forms(const Affine *f, const Affine *g, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (f[i].c != g[i].c || f[i].n != g[i].n) return false;
    for (uint32_t j = 0; j < f[i].n; j++)
      if (f[i].t[j].k != g[i].t[j].k || f[i].t[j].l != g[i].t[j].l) return false;
  }
  return true;
}

enum { MOST_MIRRORS = 4 };
/* What `leaf` is at these forms over own slots, found or made. */
static DefId def_at(Store *s, DefId leaf, const Affine *forms, const int64_t *sizes, uint32_t n_slots) {
  uint32_t n = s->defs.at[leaf].n_slots;
  for (DefId d = s->last_at; d; d = s->defs.at[d].before) {
    const Def *x = &s->defs.at[d];
    if ((DefId)x->attr == leaf && x->n_slots == n_slots && same_forms(x->forms, forms, n) &&
        !memcmp(x->sizes, sizes, n_slots * sizeof *sizes))
      return d;
  }
  Affine *copy = ARENA_ARRAY(&s->arena, Affine, n);
  for (uint32_t i = 0; i < n; i++)
    copy[i] = (Affine){forms[i].c, forms[i].n, arena_copy(&s->arena, forms[i].t, forms[i].n * sizeof *forms[i].t)};
  Def d = {.kind = DEF_AT, .attr = leaf, .forms = copy, .n_slots = n_slots, .sizes = sizes, .before = s->last_at};
  uint32_t *turned = ARENA_ARRAY(&s->arena, uint32_t, MOST_MIRRORS * n_slots);
  for (uint32_t i = 1; i < n_slots && d.n_mirrors < MOST_MIRRORS; i++) { /* as in x[i + j] */
    if (compare_columns(copy, n, sizes[i - 1], sizes[i], i - 1, i)) continue;
    for (uint32_t k = 0; k < n_slots; k++) turned[d.n_mirrors * n_slots + k] = k == i - 1 ? i : k == i ? i - 1 : k;
    d.mirror = turned, d.n_mirrors++;
  }
  return s->last_at = def_add(s, d);
}

Atom atom_read(Store *s, DefId leaf, const Label *at) {
  uint32_t n = s->defs.at[leaf].n_slots, m = 0, cap = 0;
  Affine *f = SCRATCH(s, Affine, n);
  bool plain = true;
  for (uint32_t i = 0; i < n; i++)
    f[i] = label_open(s, at[i]), cap += f[i].n, plain = plain && !label_is_form(s, at[i]);
  if (plain) return atom_make(s, leaf, at, n);
  Label *order = SCRATCH(s, Label, cap);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < f[i].n; j++) {
      uint32_t k = 0;
      while (k < m && order[k] != f[i].t[j].l) k++;
      if (k < m) continue;
      for (m++; k; k--) {
        int c =
            compare_columns(f, n, label_size(s, order[k - 1]), label_size(s, f[i].t[j].l), order[k - 1], f[i].t[j].l);
        if (c < 0 || (!c && label_compare(s, order[k - 1], f[i].t[j].l) < 0)) break;
        order[k] = order[k - 1];
      }
      order[k] = f[i].t[j].l;
    }
  int64_t *sizes = SCRATCH(s, int64_t, m);
  for (uint32_t k = 0; k < m; k++) sizes[k] = label_size(s, order[k]);
  for (uint32_t i = 0; i < n; i++) { /* by slot, ascending */
    Affine g = {f[i].c, 0, SCRATCH(s, struct AffineTerm, f[i].n)};
    for (uint32_t k = 0; k < m; k++)
      for (uint32_t j = 0; j < f[i].n; j++)
        if (f[i].t[j].l == order[k]) g.t[g.n++] = (struct AffineTerm){f[i].t[j].k, k};
    f[i] = g;
  }
  return atom_make(s, def_at(s, leaf, f, sizes, m), order, m);
}

void at_labels(Store *s, const Def *d, const Label *at, Label *out) {
  for (uint32_t i = 0; i < s->defs.at[d->attr].n_slots; i++) {
    Affine f = {d->forms[i].c, 0, NULL};
    for (uint32_t j = 0; j < d->forms[i].n; j++)
      f = form_add(s, f, label_open(s, at[d->forms[i].t[j].l]), d->forms[i].t[j].k);
    out[i] = label_of_form(s, f, s->defs.at[d->attr].sizes[i]);
  }
}

Atom atom_index(Store *s, Label l) { return atom_make(s, def_index(s, label_size(s, l)), &l, 1); }

bool atom_has(const Store *s, Atom a, Label l) {
  return label_among(s->atoms.at[a].at, s->atoms.at[a].n, l);
}

Label *atom_bound(Store *s, Atom a) {
  const Def *d = def_of(s, a);
  Label *b = SCRATCH(s, Label, d->n_bound);
  for (uint32_t i = 0; i < d->n_bound; i++) b[i] = label_fresh(s, d->sizes[d->n_slots + i]);
  return b;
}

Item *args_open(Store *s, Def d, const Label *slots, const Label *bound) {
  Item *out = SCRATCH(s, Item, d.n_args);
  for (uint32_t i = 0; i < d.n_args; i++) {
    const DefArg *g = &d.args[i];
    Label *at = SCRATCH(s, Label, g->n);
    for (uint32_t p = 0; p < g->n; p++) {
      int32_t q = g->at[p];
      at[p] = q < 0                     ? LABEL_CONST | (uint32_t)(-1 - q)
              : (uint32_t)q < d.n_slots ? slots[q]
                                        : bound[(uint32_t)q - d.n_slots];
    }
    out[i] = (Item){atom_make(s, g->def, at, g->n), g->tag};
  }
  return out;
}

const Item *atom_open(Store *s, Atom a, const Label *bound) {
  Def d = *def_of(s, a);
  AtomInfo x = s->atoms.at[a];
  if (x.args) return x.args;
  const Item *args = args_open(s, d, x.at, bound);
  return d.n_bound ? args : (s->atoms.at[a].args = arena_copy(&s->arena, args, d.n_args * sizeof *args));
}

DefId def_add(Store *s, Def d) {
  Arena *a = &s->arena;
  d.sizes = arena_copy(a, d.sizes, (d.n_slots + d.n_bound) * sizeof *d.sizes);
  DefArg *args = arena_copy(a, d.args, d.n_args * sizeof *args);
  for (uint32_t i = 0; i < d.n_args; i++) args[i].at = arena_copy(a, args[i].at, args[i].n * sizeof *args[i].at);
  d.args = args;
  def_know(s, &d);
  vec_push(&s->defs, d);
  return (DefId)s->defs.len - 1;
}

bool def_produces(const Def *d, uint32_t i) {
  for (uint32_t k = 0; k < d->n_args; k++)
    for (uint32_t p = 0; p < d->args[k].n; p++)
      if (d->args[k].at[p] == (int32_t)i) return false;
  return true;
}

DefId def_index(Store *s, int64_t size) {
  for (DefId i = 0; i < s->defs.len; i++)
    if (s->defs.at[i].kind == DEF_INDEX && s->defs.at[i].sizes[0] == size) return i;
  return def_add(s, (Def){.kind = DEF_INDEX, .n_slots = 1, .sizes = &size});
}

DefId def_number(Store *s, Rat k) {
  for (DefId i = 0; i < s->defs.len; i++) {
    const Def *d = &s->defs.at[i];
    if (d->kind == DEF_LIN && d->n_args == 1 && !d->args[0].def && d->args[0].tag == k) return i;
  }
  return def_add(s, (Def){.kind = DEF_LIN, .n_args = 1, .args = &(DefArg){.tag = k}});
}

DefId def_table(Store *s, const Rat *values, const int64_t *sizes, uint32_t n_slots) {
  int64_t n = 1;
  for (uint32_t i = 0; i < n_slots; i++) n *= sizes[i];
  for (DefId i = 0; i < s->defs.len; i++) {
    const Def *d = &s->defs.at[i];
    if (d->kind == DEF_TABLE && d->n_slots == n_slots && !memcmp(d->sizes, sizes, n_slots * sizeof *sizes) &&
        !memcmp(d->values, values, (size_t)n * sizeof *values))
      return i;
  }
  Def d = {.kind = DEF_TABLE, .n_slots = n_slots, .sizes = sizes, .values = values, .flags = IS_INT};
  for (int64_t i = 0; i < n; i++) {
    if (!rat_is_finite(values[i])) {
      d.flags = MAY_INF, d.range = (Range){0};
      break;
    }
    if (!rat_is_int(values[i])) d.flags &= (uint8_t)~IS_INT;
    d.range = i ? range_hull(d.range, range_from(values[i], values[i])) : range_from(values[i], values[i]);
  }
  return def_add(s, d);
}

void store_init(Store *s) {
  *s = (Store){.patience = MOST_UNFOLDED};
  atom_make(s, def_add(s, (Def){.kind = DEF_ONE}), NULL, 0);
  atom_make(s, def_add(s, (Def){.kind = DEF_NEGINF}), NULL, 0);
}

void store_free(Store *s) {
  vec_free(&s->whole);
  vec_free(&s->defs);
  vec_free(&s->atoms);
  vec_free(&s->labels);
  index_free(&s->atom_index);
  index_free(&s->label_index);
  arena_free(&s->arena);
  arena_free(&s->scratch);
}
