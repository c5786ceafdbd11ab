/* Substitution of indices.
 *
 * Plain names, all different, for plain names only relabel a reference.  A constant, an affine form or one name in two
 * places is pushed through the
 * definition to the leaves, rebuilding the nodes on the way with the normalising constructors; the result is kept per
 * (class, substitution up to naming), so a slice costs one rebuild however often it is used.  At a leaf a form makes a
 * class of its own (K_AT), with plain slots: nothing else in the calculus sees forms. */
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "eval/calculus/core.h"

/* ------------------------------------------------------------------ memo */
static size_t memo_slot(const Memo *m, const uint64_t *key, uint32_t n, uint64_t h) {
  size_t k = h & (m->cap - 1);
  for (; m->at[k].key; k = (k + 1) & (m->cap - 1))
    if (m->at[k].hash == h && m->at[k].n == n && !memcmp(m->at[k].key, key, n * sizeof *key)) break;
  return k;
}

Value *memo_find(Calculus *c, const uint64_t *key, uint32_t n, uint64_t *hash) {
  *hash = XXH3_64bits(key, n * sizeof *key);
  if (!c->memo.cap) return NULL;
  size_t k = memo_slot(&c->memo, key, n, *hash);
  return c->memo.at[k].key ? &c->memo.at[k].value : NULL;
}

void memo_put(Calculus *c, const uint64_t *key, uint32_t n, uint64_t hash, Value v) {
  Memo *m = &c->memo;
  if ((m->n + 1) * 2 > m->cap) {
    Memo old = *m;
    m->cap = old.cap ? old.cap * 2 : 1024;
    m->at = xcalloc(m->cap, sizeof *m->at);
    for (size_t i = 0; i < old.cap; i++)
      if (old.at[i].key) m->at[memo_slot(m, old.at[i].key, old.at[i].n, old.at[i].hash)] = old.at[i];
    free(old.at);
  }
  size_t k = memo_slot(m, key, n, hash);
  if (!m->at[k].key) {
    m->at[k].key = arena_copy(&c->arena, key, n * sizeof *key);
    m->at[k].n = n;
    m->at[k].hash = hash;
    m->n++;
  }
  m->at[k].value = v;
}

/* ------------------------------------------------------------------ forms */
Name calculus_form(Calculus *c, Form f) {
  Form g = {f.constant, 0, arena_alloc(&c->form_arena, f.n * sizeof *f.terms)};
  for (uint32_t i = 0; i < f.n; i++) {
    if (!f.terms[i].coef) continue;
    uint32_t j = 0;
    while (j < g.n && g.terms[j].name != f.terms[i].name) j++;
    if (j < g.n)
      g.terms[j].coef += f.terms[i].coef;
    else
      g.terms[g.n++] = f.terms[i];
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < g.n; i++)
    if (g.terms[i].coef) g.terms[n++] = g.terms[i];
  g.n = n;
  vec_push(&c->forms, g);
  return NAME_FORM | (Name)(c->forms.len - 1);
}

Name name_at(Calculus *c, int64_t v) {
  return name_has_room(v) ? name_const(v) : calculus_form(c, (Form){v, 0, NULL});
}

static inline bool is_form(Name n) { return !name_is_const(n) && (n & NAME_FORM); }
static inline const Form *form_at(const Calculus *c, Name n) { return &c->forms.at[n & ~NAME_FORM]; }

/* A name as constant and terms; a plain name is one term stored in *self. */
static Form form_open(const Calculus *c, Name n, FormTerm *self) {
  if (name_is_const(n)) return (Form){name_value(n), 0, NULL};
  if (is_form(n)) return *form_at(c, n);
  *self = (FormTerm){1, n};
  return (Form){0, 1, self};
}

Value form_value(Calculus *c, const Form *f) {
  Value *v = SCRATCH(c, Value, f->n + 1);
  v[0] = value_num(rat_int(f->constant));
  for (uint32_t i = 0; i < f->n; i++)
    v[i + 1] = value_scale(rat_int(f->terms[i].coef), calc_idx(c, f->terms[i].name, name_size(c, f->terms[i].name)));
  return calc_add(c, v, f->n + 1);
}

void subst_put(Subst *s, Name from, Name to) {
  assert(s->n < sizeof s->at / sizeof *s->at);
  s->at[s->n++] = (struct SubstPair){from, to};
}

/* ------------------------------------------------------------------ leaves at forms */
/* Constants and single names of the leaf's own size stay plain. */
static Name plain_of(const Calculus *c, Name n, int64_t size) {
  if (!is_form(n)) return n;
  const Form *f = form_at(c, n);
  if (!f->n) return f->constant < size && name_has_room(f->constant) ? name_const(f->constant) : n;
  if (!f->constant && f->n == 1 && f->terms[0].coef == 1 && name_size(c, f->terms[0].name) == size)
    return f->terms[0].name;
  return n;
}

static bool form_in_range(const Calculus *c, Form f, int64_t size) {
  __int128 lo = f.constant, hi = f.constant;
  for (uint32_t i = 0; i < f.n; i++) {
    __int128 most = (__int128)f.terms[i].coef * (name_size(c, f.terms[i].name) - 1);
    if (most < 0)
      lo += most;
    else
      hi += most;
  }
  return lo >= 0 && hi < size;
}

static uint64_t hash_spec(const AtSpec *s) {
  uint64_t h = mix(s->base, s->n);
  for (uint32_t i = 0; i < s->n; i++) {
    const AtSlot *a = &s->slots[i];
    h = mix(mix(h, a->is_const ? a->value + 1u : 0), mix((uint64_t)a->offset, a->n));
    for (uint32_t j = 0; j < a->n; j++) h = mix(h, mix((uint64_t)a->terms[j].coef, a->terms[j].slot));
  }
  return h;
}

static bool same_slot(const AtSlot *a, const AtSlot *b) {
  if (a->is_const != b->is_const || a->value != b->value || a->offset != b->offset || a->n != b->n) return false;
  for (uint32_t j = 0; j < a->n; j++)
    if (a->terms[j].coef != b->terms[j].coef || a->terms[j].slot != b->terms[j].slot) return false;
  return true;
}

static uint32_t intern_spec(Calculus *c, AtSpec s) {
  s.hash = hash_spec(&s);
  if ((c->ats.len + 1) * 2 > c->n_at_slots) {
    size_t n = c->n_at_slots ? c->n_at_slots * 2 : 256;
    free(c->at_slots);
    c->at_slots = xcalloc(n, sizeof *c->at_slots);
    c->n_at_slots = n;
    for (size_t i = 0; i < c->ats.len; i++) {
      size_t k = c->ats.at[i].hash & (n - 1);
      while (c->at_slots[k]) k = (k + 1) & (n - 1);
      c->at_slots[k] = (uint32_t)i + 1;
    }
  }
  size_t k = s.hash & (c->n_at_slots - 1);
  for (; c->at_slots[k]; k = (k + 1) & (c->n_at_slots - 1)) {
    const AtSpec *t = &c->ats.at[c->at_slots[k] - 1];
    bool same = t->hash == s.hash && t->base == s.base && t->n == s.n;
    for (uint32_t i = 0; same && i < s.n; i++) same = same_slot(&t->slots[i], &s.slots[i]);
    if (same) return c->at_slots[k] - 1;
  }
  s.slots = arena_copy(&c->arena, s.slots, s.n * sizeof *s.slots);
  for (uint32_t i = 0; i < s.n; i++)
    s.slots[i].terms = arena_copy(&c->arena, s.slots[i].terms, s.slots[i].n * sizeof *s.slots[i].terms);
  vec_push(&c->ats, s);
  c->at_slots[k] = (uint32_t)c->ats.len;
  return (uint32_t)c->ats.len - 1;
}

static int64_t absolute(int64_t x) { return x < 0 ? -x : x; }

/* Order of the names of one slot: by weight, then size; names met before first. */
static bool before(const Calculus *c, FormTerm a, FormTerm b, const Name *order, uint32_t n) {
  if (absolute(a.coef) != absolute(b.coef)) return absolute(a.coef) > absolute(b.coef);
  if (a.coef != b.coef) return a.coef < b.coef;
  int64_t x = name_size(c, a.name), y = name_size(c, b.name);
  if (x != y) return x < y;
  uint32_t i = 0, j = 0;
  while (i < n && order[i] != a.name) i++;
  while (j < n && order[j] != b.name) j++;
  return i != j ? i < j : a.name < b.name;
}

static int by_term(const void *x, const void *y) {
  const struct AtTerm *a = x, *b = y;
  if (a->coef != b->coef) return a->coef < b->coef ? -1 : 1;
  return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* Two slots of equal weights everywhere may be exchanged: x[i + k] = x[k + i]. */
static bool exchangeable(Calculus *c, const AtSpec *s, uint32_t q) {
  for (uint32_t i = 0; i < s->n; i++) {
    AtSlot t = s->slots[i];
    struct AtTerm *u = SCRATCH(c, struct AtTerm, t.n);
    for (uint32_t j = 0; j < t.n; j++) {
      u[j] = t.terms[j];
      if (u[j].slot == q)
        u[j].slot = q + 1;
      else if (u[j].slot == q + 1)
        u[j].slot = q;
    }
    qsort(u, t.n, sizeof *u, by_term);
    t.terms = u;
    if (!same_slot(&t, &s->slots[i])) return false;
  }
  return true;
}

static void derive_at(Calculus *c, ClassId id, const AtSpec *s, const int64_t *sizes, uint32_t n) {
  Sort *sorts = SCRATCH(c, Sort, n);
  uint16_t(*pairs)[2] = NULL, *perms = SCRATCH(c, uint16_t, n * n + 1);
  uint32_t n_pairs = 0, cap = 0, n_perms = 0;
  for (uint32_t i = 0; i < s->n; i++) cap += s->slots[i].n * s->slots[i].n;
  pairs = arena_alloc(&c->scratch, cap * sizeof *pairs);
  for (uint32_t i = 0; i < s->n; i++) {
    const AtSlot *a = &s->slots[i];
    if (!a->is_const && a->n == 1) sorts[a->terms[0].slot] = cls(c, s->base)->sorts[i];
    for (uint32_t p = 0; p < a->n; p++)
      for (uint32_t q = 0; q < a->n; q++)
        if (p != q && a->terms[p].coef == a->terms[q].coef * sizes[a->terms[q].slot]) {
          pairs[n_pairs][0] = (uint16_t)a->terms[p].slot;
          pairs[n_pairs++][1] = (uint16_t)a->terms[q].slot;
        }
  }
  for (uint32_t q = 0; q + 1 < n; q++)
    if (sizes[q] == sizes[q + 1] && exchangeable(c, s, q)) {
      uint16_t *perm = perms + n_perms++ * n;
      for (uint32_t i = 0; i < n; i++) perm[i] = (uint16_t)(i == q ? q + 1 : i == q + 1 ? q : i);
    }
  class_set_sorts(c, id, sorts);
  if (n_pairs) class_set_pairs(c, id, (const uint16_t(*)[2])pairs, n_pairs);
  if (n_perms) class_set_sym(c, id, perms, n_perms);
}

RefId at_make(Calculus *c, ClassId base, const Name *names, uint32_t n) {
  Frame m = frame_enter(c);
  Name *norm = SCRATCH(c, Name, n);
  bool plain = true, in_range = true;
  uint32_t cap = 0;
  for (uint32_t i = 0; i < n; i++) {
    FormTerm self;
    norm[i] = plain_of(c, names[i], cls(c, base)->sizes[i]);
    plain &= !is_form(norm[i]);
    Form f = form_open(c, norm[i], &self);
    in_range &= form_in_range(c, f, cls(c, base)->sizes[i]);
    cap += f.n;
  }
  if (plain) {
    RefId r = ref_make(c, base, norm, n);
    frame_leave(c, m);
    return r;
  }
  Name *order = SCRATCH(c, Name, cap);
  uint32_t n_order = 0;
  AtSpec spec = {base, n, SCRATCH(c, AtSlot, n), 0};
  for (uint32_t i = 0; i < n; i++) {
    if (name_is_const(norm[i])) {
      spec.slots[i] = (AtSlot){.is_const = true, .value = name_value(norm[i])};
      continue;
    }
    FormTerm self;
    Form f = form_open(c, norm[i], &self);
    FormTerm *t = SCRATCH(c, FormTerm, f.n);
    for (uint32_t j = 0; j < f.n; j++) {
      uint32_t k = j;
      for (; k && before(c, f.terms[j], t[k - 1], order, n_order); k--) t[k] = t[k - 1];
      t[k] = f.terms[j];
    }
    struct AtTerm *at = SCRATCH(c, struct AtTerm, f.n);
    for (uint32_t j = 0; j < f.n; j++) {
      uint32_t k = 0;
      while (k < n_order && order[k] != t[j].name) k++;
      if (k == n_order) order[n_order++] = t[j].name;
      at[j] = (struct AtTerm){t[j].coef, k};
    }
    qsort(at, f.n, sizeof *at, by_term);
    spec.slots[i] = (AtSlot){false, 0, f.constant, f.n, at};
  }
  int64_t *sizes = SCRATCH(c, int64_t, n_order);
  for (uint32_t i = 0; i < n_order; i++) sizes[i] = name_size(c, order[i]);
  /* what is known of the leaf's values holds in range only, where the filler is any real */
  const Class *b = cls(c, base);
  uint16_t known = in_range || b->flags & F_UNPADDED ? F_POS | F_NONNEG | F_INTEGER | F_RANGE | F_PRED | F_PARTIAL | F_GAP
                           : F_INTEGER | F_PARTIAL;
  Props p = {b->flags & known, b->lo, b->hi, b->gap_lo, b->gap_hi};
  ClassKey key = {K_AT, intern_spec(c, spec), NULL, 0, sizes, n_order, 0};
  bool made;
  ClassId id = class_make(c, &key, p, &made);
  if (made) derive_at(c, id, &c->ats.at[key.attr], sizes, n_order);
  RefId r = sym_least(c, ref_make(c, id, order, n_order));
  frame_leave(c, m);
  return r;
}

/* An AT class at names or forms: the forms are composed. */
static Value push_at(Calculus *c, ClassId id, const Name *names) {
  AtSpec spec = c->ats.at[cls(c, id)->attr];
  Name *out = SCRATCH(c, Name, spec.n);
  for (uint32_t i = 0; i < spec.n; i++) {
    const AtSlot *s = &spec.slots[i];
    if (s->is_const) {
      out[i] = name_const(s->value);
      continue;
    }
    uint32_t cap = 0;
    FormTerm self;
    for (uint32_t j = 0; j < s->n; j++) cap += form_open(c, names[s->terms[j].slot], &self).n;
    Form f = {s->offset, 0, SCRATCH(c, FormTerm, cap)};
    for (uint32_t j = 0; j < s->n; j++) {
      Form g = form_open(c, names[s->terms[j].slot], &self);
      int64_t coef = s->terms[j].coef, by;
      bool large = __builtin_mul_overflow(coef, g.constant, &by) || __builtin_add_overflow(f.constant, by, &f.constant);
      for (uint32_t k = 0; k < g.n; k++) {
        large |= __builtin_mul_overflow(coef, g.terms[k].coef, &by);
        f.terms[f.n++] = (FormTerm){by, g.terms[k].name};
      }
      if (large) c->broken = c->exhausted = true; /* a position that is no number any more */
    }
    out[i] = calculus_form(c, f);
  }
  return push(c, spec.base, out, spec.n);
}

/* ------------------------------------------------------------------ pushing */
/* A table at constants is a smaller table. */
static Value push_table(Calculus *c, ClassId id, const Name *names, uint32_t n) {
  Table t = c->tables.at[cls(c, id)->attr & 0x7fffffffu];
  uint64_t total = 1;
  uint32_t m = 0;
  Name *left = SCRATCH(c, Name, n);
  int64_t *sizes = SCRATCH(c, int64_t, n);
  for (uint32_t i = 0; i < n; i++)
    if (!name_is_const(names[i]))
      left[m] = names[i], sizes[m++] = cls(c, id)->sizes[i], total *= (uint64_t)cls(c, id)->sizes[i];
  Rat *values = SCRATCH(c, Rat, total);
  for (uint64_t k = 0; k < total; k++) {
    uint64_t rest = k, at = 0, stride = 1;
    for (uint32_t i = n; i-- > 0;) {
      uint64_t z = (uint64_t)cls(c, id)->sizes[i];
      uint64_t v = name_is_const(names[i]) ? name_value(names[i]) : rest % z;
      if (!name_is_const(names[i])) rest /= z;
      at += v * stride;
      stride *= z;
    }
    values[k] = t.values[at];
  }
  return calc_table(c, values, total, left, sizes, m, cls(c, id)->flags & F_INTEGER);
}

/* Some slot is at a constant or a form, or two are at one name: more may be known there, unlike at other names. */
static bool is_special(const Name *names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (name_is_const(names[i]) || is_form(names[i])) return true;
    for (uint32_t j = 0; j < i; j++)
      if (names[i] == names[j]) return true;
  }
  return false;
}

Value at_names(Calculus *c, ClassId id, const Name *names, uint32_t n) {
  return is_special(names, n) ? push(c, id, names, n) : one_of(sym_least(c, ref_make(c, id, names, n)));
}

static Value rebuild(Calculus *c, ClassId id, const Name *names, uint32_t n) {
  const Class *x = cls(c, id);
  uint32_t n_args = x->n_args, n_bound = x->n_bound;
  Name *all = SCRATCH(c, Name, n + n_bound);
  memcpy(all, names, n * sizeof *names);
  for (uint32_t i = 0; i < n_bound; i++) all[n + i] = calculus_fresh(c, cls(c, id)->sizes[n + i]);
  Value *vals = SCRATCH(c, Value, n_args);
  Rat *tags = SCRATCH(c, Rat, n_args);
  for (uint32_t i = 0; i < n_args; i++) {
    Arg a = cls(c, id)->args[i];
    Name *ns = SCRATCH(c, Name, a.n);
    for (uint32_t p = 0; p < a.n; p++) ns[p] = arg_name(&a, p, all);
    vals[i] = at_names(c, a.cls, ns, a.n);
    tags[i] = a.tag;
  }
  return node_make(c, id, vals, tags, n_args, all + n, n_bound, names);
}

/* The substitution up to naming: slots in order of first use. */
typedef struct Generic {
  Name *names, *slots; /* generic names per slot; the actual name of each generic slot */
  uint32_t n_slots;
  uint64_t *key;
  uint32_t n_key;
} Generic;

static Name generic_name(Calculus *c, Generic *g, Name n) {
  uint32_t i = 0;
  while (i < g->n_slots && g->slots[i] != n) i++;
  if (i == g->n_slots) g->slots[g->n_slots++] = n;
  g->key[g->n_key++] = (uint64_t)i << 2 | 1;
  return calculus_name(c, NAME_SLOT, i, 0, name_size(c, n));
}

static Generic generalise(Calculus *c, ClassId id, const Name *names, uint32_t n) {
  uint32_t cap = 2;
  for (uint32_t i = 0; i < n; i++) cap += is_form(names[i]) ? 2 + 3 * form_at(c, names[i])->n : 2;
  Generic g = {SCRATCH(c, Name, n), SCRATCH(c, Name, cap), 0, SCRATCH(c, uint64_t, cap), 0};
  g.key[g.n_key++] = (uint64_t)id << 8 | 1;
  for (uint32_t i = 0; i < n; i++) {
    if (name_is_const(names[i])) {
      g.key[g.n_key++] = (uint64_t)name_value(names[i]) << 2;
      g.names[i] = names[i];
    } else if (is_form(names[i])) {
      Form f = *form_at(c, names[i]), h = {f.constant, f.n, SCRATCH(c, FormTerm, f.n)};
      g.key[g.n_key++] = (uint64_t)f.n << 2 | 2;
      g.key[g.n_key++] = (uint64_t)f.constant;
      for (uint32_t j = 0; j < f.n; j++) {
        h.terms[j] = (FormTerm){f.terms[j].coef, generic_name(c, &g, f.terms[j].name)};
        g.key[g.n_key - 1] |= (uint64_t)name_size(c, f.terms[j].name) << 32;
        g.key[g.n_key++] = (uint64_t)f.terms[j].coef;
      }
      g.names[i] = calculus_form(c, h);
    } else {
      g.names[i] = generic_name(c, &g, names[i]);
    }
  }
  return g;
}

/* ------------------------------------------------------------------ origins */
enum { ORIGIN = 4 }; /* tag of keys of the memo; fold.c has 2 and 3 */

/* v is the class at these names: kept for the class of v, if all that varies can be read off v. */
static void origin_put(Calculus *c, ClassId id, const Generic *g, uint32_t n, Value v) {
  Ref r = *ref(c, v.ref);
  uint64_t key[] = {(uint64_t)r.cls << 8 | ORIGIN}, h;
  if (value_is_num(v) || memo_find(c, key, 1, &h)) return;
  Name *names = SCRATCH(c, Name, n);
  bool constant = false;
  for (uint32_t i = 0; i < n; i++) {
    names[i] = g->names[i];
    constant |= name_is_const(names[i]);
    if (name_is_const(names[i])) continue;
    uint32_t p = 0;
    while (p < r.n && r.names[p] != names[i]) p++;
    if (p == r.n || is_form(names[i])) return;
    names[i] = calculus_name(c, NAME_SLOT, p, 0, name_size(c, names[i]));
  }
  if (constant) memo_put(c, key, 1, h, one_of(ref_make(c, id, names, n)));
}

bool instance_origin(Calculus *c, RefId id, int64_t size, uint32_t value, uint32_t nth, Name name, Value *out) {
  Ref r = *ref(c, id);
  uint64_t key[] = {(uint64_t)r.cls << 8 | ORIGIN}, h;
  Value *known = memo_find(c, key, 1, &h);
  if (!known) return false;
  Ref o = *ref(c, known->ref);
  Name *names = SCRATCH(c, Name, o.n);
  bool found = false;
  for (uint32_t i = 0; i < o.n; i++) {
    names[i] = name_is_const(o.names[i]) ? o.names[i] : r.names[c->names.at[o.names[i]].a];
    if (!name_is_const(o.names[i]) || name_value(o.names[i]) != value || cls(c, o.cls)->sizes[i] != size) continue;
    if (!nth--) names[i] = name, found = true;
  }
  if (!found || is_special(names, o.n)) return false;
  *out = one_of(sym_least(c, ref_make(c, o.cls, names, o.n)));
  return true;
}

Value push(Calculus *c, ClassId id, const Name *names, uint32_t n) {
  step(c);
  if (c->broken) return VALUE_ZERO;
  Frame m = frame_enter(c);
  Value v;
  switch (cls(c, id)->kind) {
    case K_LEAF: {
      bool table = cls(c, id)->attr >> 31, form = false, constant = false;
      for (uint32_t i = 0; i < n; i++) form |= is_form(names[i]), constant |= name_is_const(names[i]);
      v = table && constant && !form ? push_table(c, id, names, n) : one_of(at_make(c, id, names, n));
      break;
    }
    case K_IDX: {
      FormTerm self;
      Form f = form_open(c, names[0], &self);
      v = form_value(c, &f);
      break;
    }
    case K_AT: v = push_at(c, id, names); break;
    default: {
      Generic g = generalise(c, id, names, n);
      uint64_t h;
      Value *known = memo_find(c, g.key, g.n_key, &h);
      if (known)
        v = *known;
      else {
        v = rebuild(c, id, g.names, n);
        memo_put(c, g.key, g.n_key, h, v);
        origin_put(c, id, &g, n, v);
      }
      /* generic slots back to the actual names */
      Ref r = *ref(c, v.ref);
      Name *out = SCRATCH(c, Name, r.n);
      for (uint32_t i = 0; i < r.n; i++) {
        Name s = r.names[i];
        out[i] = s;
        if (!name_is_const(s) && c->names.at[s].kind == NAME_SLOT) out[i] = g.slots[c->names.at[s].a];
      }
      v.ref = sym_least(c, ref_make(c, r.cls, out, r.n));
    }
  }
  frame_leave(c, m);
  return v;
}

Value rename_ref(Calculus *c, RefId id, const Subst *s) {
  Ref r = *ref(c, id);
  Name buf[64], *names = r.n <= 64 ? buf : SCRATCH(c, Name, r.n);
  bool changed = false;
  for (uint32_t i = 0; i < r.n; i++) {
    names[i] = name_is_const(r.names[i]) ? r.names[i] : target(s, r.names[i]);
    changed |= names[i] != r.names[i];
  }
  if (!changed) return one_of(id);
  if (is_special(names, r.n)) return push(c, r.cls, names, r.n);
  return one_of(sym_least(c, ref_make(c, r.cls, names, r.n)));
}

Value calc_rename(Calculus *c, Value v, const Subst *s) {
  Value w = rename_ref(c, v.ref, s);
  return val(rat_mul(v.k, w.k), w.ref);
}

/* ------------------------------------------------------------------ rebuilding a node */
/* Slots of an operator that no argument uses are produced by it: a constant or form there stays at the reference. */
static Value make_opaque(Calculus *c, ClassId id, const Value *vals, uint32_t n, const Name *bound, uint32_t n_bound,
                         const Name *names) {
  const Class *x = cls(c, id);
  uint32_t n_slots = x->n_slots, n_out = 0, attr = x->attr;
  Props known = {(uint16_t)(x->flags & ~F_PARTIAL), x->lo, x->hi, RAT_0, RAT_0};
  Name *out = SCRATCH(c, Name, n_slots), *back = SCRATCH(c, Name, n_slots);
  for (uint32_t p = 0; p < n_slots; p++) {
    bool used = false;
    for (uint32_t i = 0; i < x->n_args; i++)
      for (uint32_t q = 0; q < x->args[i].n; q++) used |= x->args[i].ix[q] == (int32_t)p;
    if (used) continue;
    back[n_out] = names[p];
    out[n_out] = calculus_name(c, NAME_TEMP, n_out, 1, x->sizes[p]);
    n_out++;
  }
  RefId *refs = SCRATCH(c, RefId, n);
  for (uint32_t i = 0; i < n; i++) refs[i] = ref_of(c, vals[i]);
  RefId r = ordered(c, K_OP, attr, refs, n, bound, n_bound, out, n_out, known);
  Ref f = *ref(c, r);
  Name *ns = SCRATCH(c, Name, f.n);
  bool special = false;
  for (uint32_t i = 0; i < f.n; i++) {
    ns[i] = f.names[i];
    for (uint32_t j = 0; j < n_out; j++)
      if (ns[i] == out[j]) ns[i] = back[j];
    special |= name_is_const(ns[i]) || is_form(ns[i]);
  }
  return one_of(special ? at_make(c, f.cls, ns, f.n) : ref_make(c, f.cls, ns, f.n));
}

/* What ref_of wrapped, as in the arguments of functions. */
static Value plain(Calculus *c, Value v) {
  return cls_of(c, v.ref)->kind == K_LIN ? value_scale(v.k, unwrapped(c, v.ref)) : v;
}

/* Made of indices alone. */
static bool is_of_indices(const Calculus *c, ClassId id) {
  const Class *x = cls(c, id);
  bool all = x->kind == K_LIN || x->kind == K_CMP || x->kind == K_MUL;
  for (uint32_t i = 0; i < x->n_args && all; i++) all = is_of_indices(c, x->args[i].cls);
  return all || x->kind == K_ONE || x->kind == K_IDX;
}

/* A condition on indices leaves the product out, which has something that may be minus infinity: that was not chosen.  What
 * a program multiplies calc_product has looked at. */
static bool is_left_out(Calculus *c, ClassId id, const Value *vals, const Rat *tags, uint32_t n) {
  bool out = false;
  uint16_t others = 0;
  for (uint32_t i = 0; i < n; i++) {
    ClassId arg = cls(c, id)->args[i].cls;
    if (rat_sign(tags[i]) < 0 || is_undefined(c, vals[i].ref)) return false;
    if (vals[i].k != RAT_0) others |= flags_of(c, vals[i].ref);
    else out |= (cls(c, arg)->flags & F_PRED) && is_of_indices(c, arg);
  }
  if (!out || !(others & F_INFINITE)) return false;
  assume_number(c, others & ~F_INFINITE);
  return true;
}

Value node_make(Calculus *c, ClassId id, const Value *vals, const Rat *tags, uint32_t n, const Name *bound,
                uint32_t n_bound, const Name *names) {
  uint8_t kind = cls(c, id)->kind;
  uint32_t attr = cls(c, id)->attr;
  switch (kind) {
    case K_LIN:
    case K_MAX: {
      Value *v = SCRATCH(c, Value, n);
      for (uint32_t i = 0; i < n; i++) v[i] = value_scale(tags[i], vals[i]);
      return kind == K_LIN ? calc_add(c, v, n) : calc_max(c, v, n, bound, n_bound);
    }
    case K_MUL:
    case K_RED: {
      if (is_left_out(c, id, vals, tags, n)) return VALUE_ZERO;
      Factor *f = SCRATCH(c, Factor, n);
      for (uint32_t i = 0; i < n; i++) f[i] = (Factor){vals[i], tags[i]};
      Value v = mul(c, f, n);
      return kind == K_MUL ? v : calc_sum(c, bound, n_bound, v);
    }
    case K_CMP: return calc_cmp(c, (CmpOp)attr, vals[0], VALUE_ZERO);
    case K_SEL: return calc_select(c, vals[0], plain(c, vals[1]), plain(c, vals[2]));
    case K_FN: {
      Value *v = SCRATCH(c, Value, n);
      for (uint32_t i = 0; i < n; i++) v[i] = plain(c, vals[i]);
      return calc_fn(c, attr, v, n);
    }
    default:
      if (kind == K_OP && attr == c->fn.largest)
        return calc_largest(c, plain(c, vals[0]), plain(c, vals[1]), bound, n_bound);
      return make_opaque(c, id, vals, n, bound, n_bound, names);
  }
}
