/* Classes, references and names: interning, and what a class knows of itself.
 *
 * A class is made once per key (kind, attr, args, sizes); everything else about it is derived from its args here:
 * the sorts of its slots, the literal constants below it, its skeleton, and the slot pairs that recombine. */
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "eval/calculus/core.h"

enum { MOST_BRANCHES = 64 }; /* of a choice in a choice, opened to see a sign */

const Value VALUE_ONE = {RAT_1, 0}, VALUE_ZERO = {RAT_0, 0};

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u + b;
  h ^= h >> 29;
  h *= 0x94d049bb133111ebu;
  return h ^ h >> 32;
}

/* ------------------------------------------------------------------ names */
static void grow_names(Calculus *c) {
  size_t n = c->n_name_slots ? c->n_name_slots * 2 : 256;
  free(c->name_slots);
  c->name_slots = xcalloc(n, sizeof *c->name_slots);
  c->n_name_slots = n;
  for (size_t i = 0; i < c->names.len; i++) {
    const NameInfo *m = &c->names.at[i];
    size_t k = mix(mix(m->kind, m->a), mix(m->b, (uint64_t)m->size)) & (n - 1);
    while (c->name_slots[k]) k = (k + 1) & (n - 1);
    c->name_slots[k] = (uint32_t)i + 1;
  }
}

Name calculus_name(Calculus *c, NameKind kind, uint32_t a, uint32_t b, int64_t size) {
  if ((c->names.len + 1) * 2 > c->n_name_slots) grow_names(c);
  size_t k = mix(mix(kind, a), mix(b, (uint64_t)size)) & (c->n_name_slots - 1);
  for (; c->name_slots[k]; k = (k + 1) & (c->n_name_slots - 1)) {
    const NameInfo *m = &c->names.at[c->name_slots[k] - 1];
    if (m->kind == kind && m->a == a && m->b == b && m->size == size) return c->name_slots[k] - 1;
  }
  vec_push(&c->names, (NameInfo){(uint8_t)kind, a, b, size});
  c->name_slots[k] = (uint32_t)c->names.len;
  return (Name)c->names.len - 1;
}

Name calculus_fresh(Calculus *c, int64_t size) { return calculus_name(c, NAME_BOUND, c->fresh++, 0, size); }

const NameInfo *calculus_name_info(const Calculus *c, Name n) { return &c->names.at[n]; }

void calculus_scope(Calculus *c) {
  c->fresh = 0;
  c->forms.len = 0;
  arena_reset(&c->form_arena, (ArenaMark){0});
}

/* ------------------------------------------------------------------ references */
static uint64_t hash_ref(ClassId id, const Name *names, uint32_t n) {
  uint64_t h = mix(id, n);
  for (uint32_t i = 0; i < n; i++) h = (h ^ names[i]) * 0x9fb21c651e98df25u;
  return h ^ h >> 32;
}

static void grow_refs(Calculus *c) {
  size_t n = c->n_ref_slots ? c->n_ref_slots * 2 : 4096;
  free(c->ref_slots);
  c->ref_slots = xcalloc(n, sizeof *c->ref_slots);
  c->n_ref_slots = n;
  for (size_t i = 0; i < c->refs.len; i++) {
    const Ref *r = &c->refs.at[i];
    uint64_t h = hash_ref(r->cls, r->names, r->n);
    size_t k = h & (n - 1);
    while (c->ref_slots[k]) k = (k + 1) & (n - 1);
    c->ref_slots[k] = (h & ~(uint64_t)UINT32_MAX) | (i + 1);
  }
}

RefId ref_make(Calculus *c, ClassId id, const Name *names, uint32_t n) {
  if ((c->refs.len + 1) * 4 > c->n_ref_slots * 3) grow_refs(c);
  assert(n == cls(c, id)->n_slots);
  uint64_t h = hash_ref(id, names, n);
  size_t k = h & (c->n_ref_slots - 1);
  for (; c->ref_slots[k]; k = (k + 1) & (c->n_ref_slots - 1)) {
    if ((c->ref_slots[k] ^ h) >> 32) continue;
    RefId found = (RefId)c->ref_slots[k] - 1;
    const Ref *r = &c->refs.at[found];
    bool same = r->cls == id;
    for (uint32_t i = 0; same && i < n; i++) same = r->names[i] == names[i];
    if (same) return found;
  }
#ifdef TVR_CHECK
  for (uint32_t i = 0; i < n; i++)
    assert(name_is_const(names[i]) || c->names.at[names[i]].size == cls(c, id)->sizes[i]);
#endif
  const Name *copy = n ? arena_copy(&c->arena, names, n * sizeof *names) : NULL;
  vec_push(&c->refs, (Ref){id, (uint16_t)n, copy});
  c->ref_slots[k] = (h & ~(uint64_t)UINT32_MAX) | c->refs.len;
  return (RefId)c->refs.len - 1;
}

bool ref_has(const Calculus *c, RefId id, Name n) {
  const Ref *r = ref(c, id);
  for (uint32_t i = 0; i < r->n; i++)
    if (r->names[i] == n) return true;
  return false;
}

bool ref_has_const(const Calculus *c, RefId id) {
  const Ref *r = ref(c, id);
  for (uint32_t i = 0; i < r->n; i++)
    if (name_is_const(r->names[i])) return true;
  return false;
}

/* ------------------------------------------------------------------ classes */
static uint64_t hash_class(const ClassKey *k) {
  uint64_t h = mix(mix(k->kind, k->attr), mix(k->n_args, k->n_slots * 65536u + k->n_bound));
  h = mix(h, XXH3_64bits(k->sizes, (k->n_slots + k->n_bound) * sizeof *k->sizes));
  for (uint32_t i = 0; i < k->n_args; i++) {
    const Arg *a = &k->args[i];
    h = mix(mix(h, a->tag), mix(a->cls, a->n ? XXH3_64bits(a->ix, a->n * sizeof *a->ix) : 0));
  }
  return h;
}

static bool same_class(const Class *x, const ClassKey *k) {
  if (x->kind != k->kind || x->attr != k->attr || x->n_args != k->n_args || x->n_slots != k->n_slots ||
      x->n_bound != k->n_bound || memcmp(x->sizes, k->sizes, (k->n_slots + k->n_bound) * sizeof *k->sizes))
    return false;
  for (uint32_t i = 0; i < k->n_args; i++) {
    const Arg *a = &x->args[i], *b = &k->args[i];
    if (a->tag != b->tag || a->cls != b->cls || memcmp(a->ix, b->ix, a->n * sizeof *a->ix)) return false;
  }
  return true;
}

static void grow_classes(Calculus *c) {
  size_t n = c->n_class_slots ? c->n_class_slots * 2 : 1024;
  free(c->class_slots);
  c->class_slots = xcalloc(n, sizeof *c->class_slots);
  c->n_class_slots = n;
  for (size_t i = 0; i < c->classes.len; i++) {
    size_t k = c->classes.at[i].hash & (n - 1);
    while (c->class_slots[k]) k = (k + 1) & (n - 1);
    c->class_slots[k] = (uint32_t)i + 1;
  }
}

void calculus_expect(Calculus *c, size_t n_nodes) {
  vec_reserve(&c->classes, n_nodes * 3 / 2); /* what is not used is never touched .. */
  vec_reserve(&c->refs, n_nodes * 4);
  while (c->n_ref_slots < n_nodes * 2) grow_refs(c); /* .. but tables are */
  while (c->n_class_slots < n_nodes * 3 / 4) grow_classes(c);
}

/* ---- sets of literal constants: interned, so that most unions are a look-up */
static int compare_lits(const Lit *a, const Lit *b) {
  if (a->sort != b->sort) return a->sort < b->sort ? -1 : 1;
  if (a->size != b->size) return a->size < b->size ? -1 : 1;
  return a->value < b->value ? -1 : a->value > b->value;
}

static uint32_t intern_lits(Calculus *c, const Lit *at, uint32_t n) {
  if (!n) return 0;
  uint64_t h = n;
  for (uint32_t i = 0; i < n; i++) h = mix(h, mix(mix(at[i].sort, at[i].value), (uint64_t)at[i].size));
  if ((c->lit_sets.len + 1) * 2 > c->n_lit_slots) {
    size_t m = c->n_lit_slots ? c->n_lit_slots * 2 : 64;
    free(c->lit_slots);
    c->lit_slots = xcalloc(m, sizeof *c->lit_slots);
    c->n_lit_slots = m;
    for (size_t i = 1; i < c->lit_sets.len; i++) {
      size_t k = c->lit_sets.at[i].hash & (m - 1);
      while (c->lit_slots[k]) k = (k + 1) & (m - 1);
      c->lit_slots[k] = (uint32_t)i;
    }
  }
  if (!c->lit_sets.len) vec_push(&c->lit_sets, (LitSet){0});
  size_t k = h & (c->n_lit_slots - 1);
  for (; c->lit_slots[k]; k = (k + 1) & (c->n_lit_slots - 1)) {
    const LitSet *s = &c->lit_sets.at[c->lit_slots[k]];
    bool same = s->hash == h && s->n == n;
    for (uint32_t i = 0; same && i < n; i++) same = !compare_lits(&s->at[i], &at[i]);
    if (same) return c->lit_slots[k];
  }
  vec_push(&c->lit_sets, (LitSet){arena_copy(&c->arena, at, n * sizeof *at), n, h});
  return c->lit_slots[k] = (uint32_t)c->lit_sets.len - 1;
}

static uint32_t unite_lits(Calculus *c, uint32_t x, uint32_t y) {
  if (x == y || !y) return x;
  if (!x) return y;
  uint64_t key[2] = {3, (uint64_t)(x < y ? x : y) << 32 | (x < y ? y : x)}, hash;
  Value *known = memo_find(c, key, 2, &hash);
  if (known) return known->ref;
  LitSet a = c->lit_sets.at[x], b = c->lit_sets.at[y];
  Frame m = frame_enter(c);
  Lit *all = SCRATCH(c, Lit, a.n + b.n);
  uint32_t n = 0, i = 0, j = 0;
  while (i < a.n || j < b.n) {
    int d = i == a.n ? 1 : j == b.n ? -1 : compare_lits(&a.at[i], &b.at[j]);
    all[n++] = d <= 0 ? a.at[i] : b.at[j];
    i += d <= 0;
    j += d >= 0;
  }
  uint32_t id = intern_lits(c, all, n);
  frame_leave(c, m);
  memo_put(c, key, 2, hash, (Value){RAT_0, id});
  return id;
}

/* The constants that a leaf is read at between forms. */
static uint32_t lits_of_at(Calculus *c, const AtSpec *s) {
  const Class *base = cls(c, s->base);
  uint32_t set = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    Lit l = {base->sorts[i], s->slots[i].value, base->sizes[i]};
    if (s->slots[i].is_const) set = unite_lits(c, set, intern_lits(c, &l, 1));
  }
  return set;
}

/* The literals of the args and the constants they are read at. */
static void derive_lits(Calculus *c, Class *x) {
  uint32_t set = x->kind == K_AT ? lits_of_at(c, &c->ats.at[x->attr]) : 0;
  for (uint32_t i = 0; i < x->n_args; i++) {
    const Arg *g = &x->args[i];
    set = unite_lits(c, set, cls(c, g->cls)->lit_set);
    for (uint32_t p = 0; p < g->n; p++) {
      if (g->ix[p] >= 0) continue;
      Lit l = {cls(c, g->cls)->sorts[p], (uint32_t)(-1 - g->ix[p]), cls(c, g->cls)->sizes[p]};
      set = unite_lits(c, set, intern_lits(c, &l, 1));
    }
  }
  x->lit_set = set;
  if (!set) return;
  x->lits = c->lit_sets.at[set].at;
  x->n_lits = c->lit_sets.at[set].n;
}

static void derive_slots(Calculus *c, Class *x) {
  Sort *sorts = ARENA_ARRAY(&c->arena, Sort, x->n_slots);
  uint32_t n_pairs = 0;
  for (uint32_t i = 0; i < x->n_args; i++) {
    const Arg *g = &x->args[i];
    const Class *a = cls(c, g->cls);
    n_pairs += a->n_pairs;
    for (uint32_t p = 0; p < g->n; p++)
      if (g->ix[p] >= 0 && g->ix[p] < x->n_slots && a->sorts[p] && (!sorts[g->ix[p]] || a->sorts[p] < sorts[g->ix[p]]))
        sorts[g->ix[p]] = a->sorts[p];
  }
  x->sorts = sorts;
  if (!n_pairs) return;
  uint16_t(*pairs)[2] = arena_alloc(&c->arena, n_pairs * sizeof *pairs);
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->n_args; i++) {
    const Arg *g = &x->args[i];
    const Class *a = cls(c, g->cls);
    for (uint32_t k = 0; k < a->n_pairs; k++) {
      int32_t p = g->ix[a->pairs[k][0]], q = g->ix[a->pairs[k][1]];
      if (p < 0 || q < 0 || p >= x->n_slots || q >= x->n_slots) continue;
      bool seen = false;
      for (uint32_t j = 0; j < n; j++) seen |= pairs[j][0] == p && pairs[j][1] == q;
      if (!seen) pairs[n][0] = (uint16_t)p, pairs[n][1] = (uint16_t)q, n++;
    }
  }
  x->pairs = (const uint16_t(*)[2])pairs;
  x->n_pairs = (uint16_t)n;
}

/* A comparison of one index with a number, and a table of integers, tell the values of their indices apart. */
static bool tells_cases(const Calculus *c, const Class *x) {
  if (x->kind == K_LEAF) return x->attr >> 31 && (x->flags & F_INTEGER);
  if (x->kind != K_CMP || x->n_slots != 1) return false;
  const Class *a = cls(c, x->args[0].cls);
  bool form = a->kind == K_IDX || a->kind == K_LIN;
  for (uint32_t i = 0; i < a->n_args && form; i++) {
    uint8_t kind = cls(c, a->args[i].cls)->kind;
    form = kind == K_ONE || kind == K_IDX;
  }
  return form;
}

static void derive_selects(Calculus *c, Class *x) {
  bool all = tells_cases(c, x), any = all;
  for (uint32_t i = 0; i < x->n_args && !any; i++) any = cls(c, x->args[i].cls)->selects;
  if (!any) return;
  bool *selects = ARENA_ARRAY(&c->arena, bool, x->n_slots);
  for (uint32_t s = 0; s < x->n_slots; s++) selects[s] = all;
  for (uint32_t i = 0; i < x->n_args; i++) {
    const Arg *g = &x->args[i];
    const bool *below = cls(c, g->cls)->selects;
    for (uint32_t p = 0; below && p < g->n; p++)
      if (below[p] && g->ix[p] >= 0 && g->ix[p] < x->n_slots) selects[g->ix[p]] = true;
  }
  x->selects = selects;
}

/* A comparison with a place: as a factor of a sum it is decided by what is known of that. */
static bool compares_place(const Calculus *c, const Class *x) {
  bool is_not = x->kind == K_LIN && (x->flags & F_PRED) && x->n_args == 2; /* 1 - p */
  if (is_not) x = cls(c, x->args[cls(c, x->args[0].cls)->kind == K_ONE].cls);
  if (x->kind != K_CMP) return false;
  const Class *e = cls(c, x->args[0].cls);
  bool place = x->attr == CMP_EQ && !is_not;
  for (uint32_t i = 0; i < e->n_args && !place && e->kind == K_LIN; i++) place = is_place(cls(c, e->args[i].cls));
  return place;
}

static void derive_shape(Calculus *c, Class *x) {
  uint64_t s = 0, only = 0;
  unsigned reach = 99;
  bool one_hot = false;
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->n_args; i++) {
    const Class *a = cls(c, x->args[i].cls);
    one_hot |= compares_place(c, a);
    if (a->reach + 1u < reach) reach = a->reach + 1u;
    if (x->kind == K_LIN && a->kind == K_ONE) continue;
    s += mix(x->args[i].tag, a->skel);
    only = a->skel;
    n += x->args[i].tag == RAT_1 ? 1 : 2;
  }
  if (x->kind == K_AT)
    x->skel = cls(c, c->ats.at[x->attr].base)->skel;
  else if (x->kind == K_LIN && n == 1)
    x->skel = only; /* a form and the form plus a constant are alike */
  else
    x->skel = mix(mix(x->kind, x->attr), mix(s, x->n_bound));
  bool clamp = (x->kind == K_FN && x->attr == c->fn.clamp) || (x->kind == K_MAX && !x->n_bound && (x->flags & F_INTEGER));
  bool truth = (x->kind == K_LEAF || x->kind == K_OP) && (x->flags & F_PRED);
  if (truth || x->kind == K_CMP || x->kind == K_SEL || clamp || (x->kind == K_FN && fn_divides(c, x->attr)))
    reach = 0;
  else if (x->kind == K_RED)
    reach = one_hot ? 0 : 99; /* a look-up is decided by what is known of its place */
  x->reach = (uint8_t)reach;
}

static bool exceeds(const Calculus *c, ClassId id, int *steps) {
  const Class *x = cls(c, id);
  bool some = (x->flags & F_INFINITE) && --*steps < 0;
  if (!(x->flags & F_INFINITE) || (x->kind != K_SEL && x->kind != K_LIN && x->kind != K_MAX)) return some;
  for (uint32_t i = x->kind == K_SEL; i < x->n_args && !some; i++) {
    bool below = x->kind != K_SEL && rat_sign(x->args[i].tag) < 0 && (cls(c, x->args[i].cls)->flags & F_INFINITE);
    some = below || exceeds(c, x->args[i].cls, steps);
  }
  return some;
}

bool class_exceeds(const Calculus *c, ClassId id) {
  int steps = MOST_BRANCHES;
  return exceeds(c, id, &steps);
}

static bool takes_log(const Calculus *c, const ClassKey *key) {
  if (key->kind != K_FN || (key->attr != c->fn.log && key->attr != c->fn.pow)) return false;
  return !(cls(c, key->args[0].cls)->flags & F_POS);
}

ClassId class_make(Calculus *c, const ClassKey *key, Props p, bool *made) {
  if ((c->classes.len + 1) * 2 > c->n_class_slots) grow_classes(c);
  uint64_t h = hash_class(key);
  size_t k = h & (c->n_class_slots - 1);
  *made = false;
  for (; c->class_slots[k]; k = (k + 1) & (c->n_class_slots - 1)) {
    const Class *x = &c->classes.at[c->class_slots[k] - 1];
    if (x->hash == h && same_class(x, key)) return c->class_slots[k] - 1;
  }
  Class x = {.kind = (uint8_t)key->kind,
             .attr = key->attr,
             .n_args = key->n_args,
             .hash = h,
             .n_slots = (uint16_t)key->n_slots,
             .n_bound = (uint16_t)key->n_bound,
             .flags = p.flags,
             .gap_lo = p.gap_lo,
             .gap_hi = p.gap_hi,
             .lo = p.lo,
             .hi = p.hi};
  bool exp = key->kind == K_FN && key->attr == c->fn.exp && !class_exceeds(c, key->args[0].cls);
  bool finite = key->kind == K_CMP || exp || (key->kind == K_OP && (p.flags & F_INTEGER));
  for (uint32_t i = 0; i < key->n_args && !finite; i++) x.flags |= cls(c, key->args[i].cls)->flags & F_INFINITE;
  for (uint32_t i = 0; i < key->n_args; i++) x.flags |= cls(c, key->args[i].cls)->flags & (F_DIVIDES | F_LOGS);
  if (takes_log(c, key)) x.flags |= F_LOGS;
  if (x.flags & F_POS) x.flags |= F_NONNEG;
  if (x.flags & F_PRED) {
    x.flags |= F_NONNEG | F_INTEGER | F_RANGE;
    if (!(p.flags & F_RANGE)) x.lo = RAT_0, x.hi = RAT_1;
  }
  x.sizes = arena_copy(&c->arena, key->sizes, (key->n_slots + key->n_bound) * sizeof *key->sizes);
  Arg *args = arena_copy(&c->arena, key->args, key->n_args * sizeof *key->args);
  for (uint32_t i = 0; i < key->n_args; i++)
    args[i].ix = arena_copy(&c->arena, args[i].ix, args[i].n * sizeof *args[i].ix);
  x.args = args;
  derive_slots(c, &x);
  derive_selects(c, &x);
  derive_lits(c, &x);
  derive_shape(c, &x);
  vec_push(&c->classes, x);
  c->class_slots[k] = (uint32_t)c->classes.len;
  if (x.kind == K_OP && (x.flags & F_ASCENDS)) vec_push(&c->sorts, (ClassId)c->classes.len - 1);
  *made = true;
  return (ClassId)c->classes.len - 1;
}

void class_set_sym(Calculus *c, ClassId id, const uint16_t *perms, uint32_t n_perms) {
  Class *x = &c->classes.at[id];
  Perm *sym = ARENA_ARRAY(&c->arena, Perm, n_perms);
  for (uint32_t i = 0; i < n_perms; i++)
    sym[i].at = arena_copy(&c->arena, perms + i * x->n_slots, x->n_slots * sizeof *perms);
  x->sym = sym;
  x->n_sym = (uint16_t)n_perms;
}

void class_set_sorts(Calculus *c, ClassId id, const Sort *sorts) {
  Class *x = &c->classes.at[id];
  x->sorts = arena_copy(&c->arena, sorts, x->n_slots * sizeof *sorts);
}

void class_set_pairs(Calculus *c, ClassId id, const uint16_t (*pairs)[2], uint32_t n) {
  Class *x = &c->classes.at[id];
  x->pairs = arena_copy(&c->arena, pairs, n * sizeof *pairs);
  x->n_pairs = (uint16_t)n;
}

Opened node_open(Calculus *c, RefId r) {
  const Ref *f = ref(c, r);
  uint32_t n_slots = f->n, n_bound = cls(c, f->cls)->n_bound, n_args = cls(c, f->cls)->n_args;
  ClassId id = f->cls;
  Opened o = {n_args, SCRATCH(c, Term, n_args), n_bound, NULL};
  struct Lately *lately = n_bound || n_args > LATELY_ARGS ? NULL : &c->lately[r % LATELY];
  if (lately && lately->ref == r) {
    memcpy(o.args, lately->args, n_args * sizeof *o.args);
    return o;
  }
  Name *names = SCRATCH(c, Name, n_slots + n_bound);
  memcpy(names, f->names, n_slots * sizeof *names);
  for (uint32_t i = 0; i < n_bound; i++) names[n_slots + i] = calculus_fresh(c, cls(c, id)->sizes[n_slots + i]);
  o.bound = names + n_slots;
  Name buf[64], *ns = buf;
  for (uint32_t i = 0; i < n_args; i++) {
    const Arg *a = &cls(c, id)->args[i];
    if (a->n > 64) ns = SCRATCH(c, Name, a->n);
    for (uint32_t p = 0; p < a->n; p++) ns[p] = arg_name(a, p, names);
    o.args[i] = (Term){sym_least(c, ref_make(c, a->cls, ns, a->n)), a->tag};
  }
  if (lately) {
    lately->ref = r;
    memcpy(lately->args, o.args, n_args * sizeof *o.args);
  }
  return o;
}
