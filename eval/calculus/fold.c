/* Copies fold where they are added: G[0] + ... + G[n-1] becomes a sum over m of G[m], and sum_c [i == c] G[c] becomes
 * G[i].  G is guessed from one term, by replacing a literal constant, or by anti-unification of two terms; the guess
 * may be anything, since every instance is built and compared.  Nothing is generalised unless n terms of one skeleton
 * meet in one sum. */
#include <string.h>

#include "eval/calculus/core.h"

enum { PARTNERS = 4, ROUNDS = 20, RANGE_INDICES = 4, ONE_POSITION = 12, ORIGINS = 4 };
enum { GENERALISED = 2, GUESS = 3, REST = 8 }; /* tags of keys of the memo; subst.c has 1 */

typedef struct SortSize {
  Sort sort;
  int64_t size;
} SortSize;

static bool lit_is(const Lit *l, const SortSize *keys, uint32_t n, uint32_t value) {
  for (uint32_t i = 0; i < n; i++)
    if (l->value == value && l->sort == keys[i].sort && l->size == keys[i].size) return true;
  return false;
}

static bool below(const Class *x, const SortSize *keys, uint32_t n, uint32_t value) {
  for (uint32_t i = 0; i < x->n_lits; i++)
    if (lit_is(&x->lits[i], keys, n, value)) return true;
  return false;
}

/* A leaf that is read at forms, with the place holder where it is read at such a literal. */
static Value generalise_at(Calculus *c, ClassId id, const SortSize *keys, uint32_t n, uint32_t value,
                           const Name *names) {
  AtSpec s = c->ats.at[cls(c, id)->attr];
  Name *at = SCRATCH(c, Name, s.n);
  for (uint32_t i = 0; i < s.n; i++) {
    const AtSlot *x = &s.slots[i];
    Lit l = {cls(c, s.base)->sorts[i], x->value, cls(c, s.base)->sizes[i]};
    if (x->is_const) {
      at[i] = lit_is(&l, keys, n, value) ? calculus_name(c, NAME_TEMP, 0, 2, l.size) : name_const(x->value);
      continue;
    }
    Form f = {x->offset, x->n, SCRATCH(c, FormTerm, x->n)};
    for (uint32_t j = 0; j < x->n; j++) f.terms[j] = (FormTerm){x->terms[j].coef, names[x->terms[j].slot]};
    at[i] = calculus_form(c, f);
  }
  return one_of(at_make(c, s.base, at, s.n));
}

/* The class with every literal `value` of these sorts replaced by the place holder; its own slots stay generic. */
static Value generalise_class(Calculus *c, ClassId id, const SortSize *keys, uint32_t n, uint32_t value) {
  uint64_t key[2 + 2 * 8], h;
  uint32_t n_key = 0;
  key[n_key++] = (uint64_t)id << 8 | GENERALISED;
  key[n_key++] = value;
  for (uint32_t i = 0; i < n; i++) key[n_key++] = keys[i].sort, key[n_key++] = (uint64_t)keys[i].size;
  Value *known = memo_find(c, key, n_key, &h);
  if (known) return *known;
  Frame m = frame_enter(c);
  uint32_t n_slots = cls(c, id)->n_slots, n_bound = cls(c, id)->n_bound, n_args = cls(c, id)->n_args;
  Name *names = SCRATCH(c, Name, n_slots + n_bound);
  for (uint32_t i = 0; i < n_slots; i++) names[i] = calculus_name(c, NAME_SLOT, i, 0, cls(c, id)->sizes[i]);
  for (uint32_t i = 0; i < n_bound; i++) names[n_slots + i] = calculus_fresh(c, cls(c, id)->sizes[n_slots + i]);
  Value *vals = SCRATCH(c, Value, n_args);
  Rat *tags = SCRATCH(c, Rat, n_args);
  for (uint32_t i = 0; i < n_args; i++) {
    Arg a = cls(c, id)->args[i];
    Name *ns = SCRATCH(c, Name, a.n);
    Subst back = {0};
    for (uint32_t p = 0; p < a.n; p++) {
      Lit l = {cls(c, a.cls)->sorts[p], a.ix[p] < 0 ? (uint32_t)(-1 - a.ix[p]) : 0, cls(c, a.cls)->sizes[p]};
      ns[p] = arg_name(&a, p, names);
      if (a.ix[p] < 0 && lit_is(&l, keys, n, value)) ns[p] = calculus_name(c, NAME_TEMP, 0, 2, l.size);
    }
    tags[i] = a.tag;
    bool constant = false;
    for (uint32_t p = 0; p < a.n; p++) constant |= name_is_const(ns[p]);
    if (!below(cls(c, a.cls), keys, n, value)) {
      vals[i] = constant ? push(c, a.cls, ns, a.n) : one_of(sym_least(c, ref_make(c, a.cls, ns, a.n)));
      continue;
    }
    Value g = generalise_class(c, a.cls, keys, n, value);
    for (uint32_t p = 0; p < a.n; p++)
      subst_put(&back, calculus_name(c, NAME_SLOT, p, 0, cls(c, a.cls)->sizes[p]), ns[p]);
    vals[i] = calc_rename(c, g, &back);
  }
  Value v;
  if (cls(c, id)->kind == K_AT)
    v = generalise_at(c, id, keys, n, value, names);
  else if (cls(c, id)->kind == K_LEAF)
    v = one_of(ref_make(c, id, names, n_slots));
  else
    v = node_make(c, id, vals, tags, n_args, names + n_slots, n_bound, names);
  frame_leave(c, m);
  memo_put(c, key, n_key, h, v);
  return v;
}

/* The reference with literal `value` of these sorts replaced by `name` (sizes of name and sort agree). */
static Value generalise(Calculus *c, RefId r, const SortSize *keys, uint32_t n, uint32_t value, Name name) {
  Ref f = *ref(c, r);
  Name *top = SCRATCH(c, Name, f.n);
  for (uint32_t p = 0; p < f.n; p++) {
    Lit l = {cls(c, f.cls)->sorts[p], name_value(f.names[p]), cls(c, f.cls)->sizes[p]};
    top[p] = name_is_const(f.names[p]) && lit_is(&l, keys, n, value) ? name : f.names[p];
  }
  if (!below(cls(c, f.cls), keys, n, value)) return one_of(sym_least(c, ref_make(c, f.cls, top, f.n)));
  Value g = generalise_class(c, f.cls, keys, n, value);
  Subst s = {0};
  for (uint32_t p = 0; p < f.n; p++) subst_put(&s, calculus_name(c, NAME_SLOT, p, 0, cls(c, f.cls)->sizes[p]), top[p]);
  for (uint32_t i = 0; i < n; i++)
    if (target(&s, calculus_name(c, NAME_TEMP, 0, 2, keys[i].size)) == calculus_name(c, NAME_TEMP, 0, 2, keys[i].size))
      subst_put(&s, calculus_name(c, NAME_TEMP, 0, 2, keys[i].size), name);
  return calc_rename(c, g, &s);
}

/* Literal constants of a reference: below its class, and at its own slots. */
static uint32_t literals(Calculus *c, RefId r, Lit **out) {
  const Ref *f = ref(c, r);
  const Class *x = cls(c, f->cls);
  uint32_t n = x->n_lits;
  *out = SCRATCH(c, Lit, n + f->n);
  if (n) memcpy(*out, x->lits, n * sizeof **out);
  for (uint32_t p = 0; p < f->n; p++)
    if (name_is_const(f->names[p])) (*out)[n++] = (Lit){x->sorts[p], name_value(f->names[p]), x->sizes[p]};
  return n;
}

typedef struct Candidates { /* terms that hold some literal of one sort */
  SortSize key;
  uint32_t n, cap;
  RefId *r;
  bool *has_zero, *has_one;
  uint64_t *values; /* bitmap of the values seen, size <= 64 * words */
  uint32_t n_values;
} Candidates;

static Candidates *candidates_for(Calculus *c, Candidates *all, uint32_t *n, SortSize key, uint32_t cap) {
  for (uint32_t i = 0; i < *n; i++)
    if (all[i].key.sort == key.sort && all[i].key.size == key.size) return &all[i];
  Candidates *k = &all[(*n)++];
  *k = (Candidates){key,
                    0,
                    cap,
                    SCRATCH(c, RefId, cap),
                    SCRATCH(c, bool, cap),
                    SCRATCH(c, bool, cap),
                    SCRATCH(c, uint64_t, (uint64_t)(key.size + 63) / 64),
                    0};
  return k;
}

static bool contains(const RefId *g, uint32_t n, RefId r) {
  for (uint32_t i = 0; i < n; i++)
    if (g[i] == r) return true;
  return false;
}

/* Terms of one skeleton: k[i] times r[i], the k of one size. */
typedef struct Group {
  uint32_t n;
  RefId *r;
  Rat *k;
} Group;

/* All instances of G are distinct terms of the group, which add up to *scale times the sum of G over b: a sum may be
 * turned, -(b - a), at one position and not at another. */
static bool instances(Calculus *c, Value G, Name b, int64_t size, const Group *g, RefId *out, Rat *scale) {
  if (!ref_has(c, G.ref, b) || is_split(c, sort_of(c, G.ref, b))) return false;
  for (int64_t v = 0; v < size; v++) {
    Subst s = {1, {{b, name_const(v)}}};
    Value i = rename_ref(c, G.ref, &s);
    uint32_t at = 0;
    while (at < g->n && g->r[at] != i.ref) at++;
    if (at == g->n || contains(out, (uint32_t)v, i.ref)) return false;
    Rat k = rat_div(g->k[at], i.k);
    if (v && k != *scale) return false;
    *scale = k;
    out[v] = i.ref;
  }
  return true;
}

static bool has_lit(const Lit *l, uint32_t n, Lit x) {
  for (uint32_t i = 0; i < n; i++)
    if (l[i].sort == x.sort && l[i].value == x.value && l[i].size == x.size) return true;
  return false;
}

static bool lits_within(const Lit *l, uint32_t n, const Lit *other, uint32_t m, Lit also) {
  for (uint32_t i = 0; i < n; i++)
    if (!has_lit(other, m, l[i]) && !has_lit(&also, 1, l[i])) return false;
  return true;
}

/* Whether some term of the group has the literals of r with value v instead of 0: what its instance at v has. */
static bool has_instance(Calculus *c, RefId r, SortSize key, uint32_t v, const RefId *g, uint32_t n) {
  Lit *l, *o, want = {key.sort, v, key.size};
  uint32_t m = literals(c, r, &l), kept = 0;
  for (uint32_t i = 0; i < m; i++)
    if (!lit_is(&l[i], &key, 1, 0)) l[kept++] = l[i];
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = literals(c, g[i], &o);
    if (has_lit(o, k, want) && lits_within(o, k, l, kept, want) && lits_within(l, kept, o, k, want)) return true;
  }
  return false;
}

static bool has_instances(Calculus *c, RefId r, SortSize key, const RefId *g, uint32_t n) {
  Frame m = frame_enter(c);
  bool all = true;
  for (uint32_t v = 1; v < key.size && all; v++) all = has_instance(c, r, key, v, g, n);
  frame_leave(c, m);
  return all;
}

static bool others_within(const Lit *l, uint32_t n, const Lit *other, uint32_t m, int64_t size) {
  for (uint32_t i = 0; i < n; i++)
    if (l[i].size != size && !has_lit(other, m, l[i])) return false;
  return true;
}

bool lits_alike(Calculus *c, RefId r, RefId s, int64_t size) {
  if (cls_of(c, r)->lit_set == cls_of(c, s)->lit_set && !ref_has_const(c, r) && !ref_has_const(c, s)) return true;
  Lit *l, *o;
  uint32_t n = literals(c, r, &l), m = literals(c, s, &o);
  return others_within(l, n, o, m, size) && others_within(o, m, l, n, size);
}

static int64_t count_alike(Calculus *c, RefId r, const RefId *g, uint32_t n, int64_t size) {
  Frame m = frame_enter(c);
  int64_t count = 0;
  for (uint32_t i = 0; i < n; i++) count += lits_alike(c, r, g[i], size);
  frame_leave(c, m);
  return count;
}

/* Anti-unification, remembering what became of pairs: groups that grow term by term ask for them again. */
static bool guess_of_two(Calculus *c, RefId r, RefId s, SortSize size, Name b, Value *G) {
  uint64_t key[] = {(uint64_t)r << 8 | GUESS, s, size.sort, (uint64_t)size.size, b}, h, g;
  if (memo_find(c, key, 4, &h)) return false; /* whatever the name */
  const Value *known = memo_find(c, key, 5, &g);
  if (known) return *G = *known, true;
  if (antiunify(c, r, s, (Lit){size.sort, 0, size.size}, b, G)) return memo_put(c, key, 5, g, *G), true;
  memo_put(c, key, 4, h, value_num(RAT_0));
  return false;
}

static bool fold_candidates(Calculus *c, const Candidates *k, const Group *g, Value *G, Name *b, RefId *out, Rat *scale) {
  int64_t z = k->key.size;
  if (z < 2 || k->n < z || k->n_values < z) return false;
  for (uint32_t i = 0; i < k->n; i++) {
    if (!k->has_zero[i]) continue;
    *b = calculus_fresh(c, z);
    c->stats.folds++;
    if (has_instances(c, k->r[i], k->key, g->r, g->n)) {
      *G = generalise(c, k->r[i], &k->key, 1, 0, *b);
      if (instances(c, *G, *b, z, g, out, scale)) return true;
    }
    uint32_t tried = 0, most = c->options.expand || count_alike(c, k->r[i], g->r, g->n, z) < z ? 0 : PARTNERS;
    for (uint32_t j = 0; j < k->n && tried < most; j++) {
      if (j == i || !k->has_one[j] || !lits_alike(c, k->r[i], k->r[j], z)) continue;
      tried++;
      if (guess_of_two(c, k->r[i], k->r[j], k->key, *b, G) && instances(c, *G, *b, z, g, out, scale))
        return true;
    }
  }
  return false;
}

static int by_key(const void *a, const void *b) {
  const Candidates *x = a, *y = b;
  if (x->key.sort != y->key.sort) return x->key.sort < y->key.sort ? -1 : 1;
  return x->key.size < y->key.size ? -1 : x->key.size > y->key.size;
}

static bool fold_group(Calculus *c, const Group *g, Value *G, Name *b, RefId *out, int64_t *size, Rat *scale) {
  uint32_t cap = 0, n_all = 0, n = g->n;
  for (uint32_t i = 0; i < n; i++) {
    Lit *l;
    cap += literals(c, g->r[i], &l);
  }
  Candidates *all = SCRATCH(c, Candidates, cap);
  for (uint32_t i = 0; i < n; i++) {
    Lit *l;
    uint32_t m = literals(c, g->r[i], &l);
    for (uint32_t j = 0; j < m; j++) {
      if (is_split(c, l[j].sort) || l[j].size > n || l[j].size < 2 || (int64_t)l[j].value >= l[j].size) continue;
      Candidates *k = candidates_for(c, all, &n_all, (SortSize){l[j].sort, l[j].size}, n);
      if (!k->n || k->r[k->n - 1] != g->r[i]) k->r[k->n++] = g->r[i];
      k->has_zero[k->n - 1] |= l[j].value == 0;
      k->has_one[k->n - 1] |= l[j].value == 1;
      uint64_t bit = 1ull << (l[j].value % 64), *word = &k->values[l[j].value / 64];
      k->n_values += !(*word & bit);
      *word |= bit;
    }
  }
  qsort(all, n_all, sizeof *all, by_key);
  for (uint32_t i = 0; i < n_all; i++)
    if (fold_candidates(c, &all[i], g, G, b, out, scale)) return *size = all[i].key.size, true;
  return false;
}

/* One group of terms with equal skeleton and coefficient, but for the sign, if it folds. */
static bool fold_once(Calculus *c, Terms *t) {
  bool *done = SCRATCH(c, bool, t->n);
  Group g = {0, SCRATCH(c, RefId, t->n), SCRATCH(c, Rat, t->n)};
  RefId *out = SCRATCH(c, RefId, t->n);
  for (uint32_t i = 0; i < t->n; i++) {
    const Class *x = cls_of(c, t->at[i].ref);
    if (done[i] || (!x->n_lits && !ref_has_const(c, t->at[i].ref))) continue;
    uint64_t skel = x->skel;
    Rat k = t->at[i].k, turned = rat_neg(k), scale;
    g.n = 0;
    for (uint32_t j = i; j < t->n; j++) {
      const Class *y = cls_of(c, t->at[j].ref);
      bool like = y->skel == skel && (t->at[j].k == k || t->at[j].k == turned);
      if (!like || (!y->n_lits && !ref_has_const(c, t->at[j].ref))) continue;
      done[j] = true;
      g.k[g.n] = t->at[j].k;
      g.r[g.n++] = t->at[j].ref;
    }
    Value G;
    Name b;
    int64_t size;
    if (g.n < 2 || !fold_group(c, &g, &G, &b, out, &size, &scale)) continue;
    for (int64_t v = 0; v < size; v++) terms_find(t, out[v])->k = RAT_0;
    Value s = calc_sum(c, &b, 1, value_scale(scale, one_of(G.ref)));
    Terms u = terms_of(c, s);
    for (uint32_t j = 0; j < u.n; j++) terms_add(c, t, u.at[j].ref, u.at[j].k);
    terms_pack(t);
    return true;
  }
  return false;
}

/* ------------------------------------------------------------------ cases */
typedef struct Case {
  Name n;
  uint32_t value, term;
  RefId point;
  uint64_t others; /* the other positions of the term, as a sum of hashes: what is alike is checked in full */
} Case;

static bool is_unsplit(Calculus *c, const Value *rest, Name n, int64_t size, Value G) {
  for (int64_t v = 0; v < size; v++) {
    Subst s = {1, {{n, name_const(v)}}};
    if (!value_same(calc_rename(c, G, &s), rest[v])) return false;
  }
  return true;
}

/* Instances that were made from one class, and may be simpler each in its own way, lead back to it. */
static bool from_origin(Calculus *c, const Value *rest, Name n, int64_t size, Value *out) {
  for (int64_t v = 0; v < size; v++)
    for (uint32_t nth = 0; nth < ORIGINS && instance_origin(c, rest[v].ref, size, (uint32_t)v, nth, n, out); nth++) {
      Subst s = {1, {{n, name_const(v)}}};
      Value i = calc_rename(c, *out, &s);
      if (value_is_num(i) || i.ref != rest[v].ref) continue;
      *out = value_scale(rat_div(rest[v].k, i.k), *out);
      if (is_unsplit(c, rest, n, size, *out)) return true;
    }
  return false;
}

/* Whether rest[v] with its literals v of these sorts replaced may have the others as instances: these have their own
 * value in the place of v, and otherwise only literals of rest[v]. */
static bool may_generalise(Calculus *c, const Value *rest, int64_t size, const SortSize *keys, uint32_t n, uint32_t v) {
  Frame f = frame_enter(c);
  Lit *l, *o;
  uint32_t m = literals(c, rest[v].ref, &l);
  bool may = true;
  for (int64_t w = 0; w < size && may; w++) {
    if (w == v) continue;
    uint32_t k = literals(c, rest[w].ref, &o);
    for (uint32_t i = 0; i < k && may; i++)
      may = lit_is(&o[i], keys, n, (uint32_t)w) || (!lit_is(&o[i], keys, n, v) && has_lit(l, m, o[i]));
  }
  frame_leave(c, f);
  return may;
}

/* G with G[n := v] = rest[v] for all v, if there is one. */
static bool unsplit(Calculus *c, const Value *rest, Name n, int64_t size, Value *out) {
  bool same = !value_has(c, rest[0], n);
  for (int64_t v = 1; v < size; v++) {
    if (rest[v].k != rest[0].k || cls_of(c, rest[v].ref)->skel != cls_of(c, rest[0].ref)->skel)
      return from_origin(c, rest, n, size, out);
    same &= value_same(rest[v], rest[0]);
  }
  if (same) return *out = rest[0], true;
  Lit *l;
  uint32_t m = literals(c, rest[0].ref, &l), n_keys = 0;
  SortSize keys[8];
  for (uint32_t i = 0; i < m && n_keys < 7; i++) {
    bool everywhere = l[i].size == size;
    for (int64_t v = 0; v < size && everywhere; v++) {
      Lit *o;
      uint32_t k = literals(c, rest[v].ref, &o);
      everywhere = false;
      for (uint32_t j = 0; j < k && !everywhere; j++)
        everywhere = o[j].sort == l[i].sort && o[j].size == size && o[j].value == v;
    }
    bool seen = false;
    for (uint32_t j = 0; j < n_keys; j++) seen |= keys[j].sort == l[i].sort;
    if (everywhere && !seen) keys[n_keys++] = (SortSize){l[i].sort, size};
  }
  /* all sorts at once, then one by one; seeded from each value */
  for (uint32_t pick = 0; n_keys && pick <= (n_keys > 1 ? n_keys : 0); pick++) {
    const SortSize *k = pick ? &keys[pick - 1] : keys;
    uint32_t n_k = pick ? 1 : n_keys;
    for (int64_t v = 0; v < size; v++) {
      if (!may_generalise(c, rest, size, k, n_k, (uint32_t)v)) continue;
      *out = value_scale(rest[v].k, generalise(c, rest[v].ref, k, n_k, (uint32_t)v, n));
      if (is_unsplit(c, rest, n, size, *out)) return true;
    }
  }
  if (c->options.flat && antiunify(c, rest[0].ref, rest[1].ref, (Lit){0, 0, size}, n, out)) {
    *out = value_scale(rest[0].k, *out);
    if (is_unsplit(c, rest, n, size, *out)) return true;
  }
  if (from_origin(c, rest, n, size, out)) return true;
  return false;
}

static uint32_t cases_of(Calculus *c, const Terms *t, Case **out) {
  uint32_t n = 0, cap = 0;
  for (uint32_t i = 0; i < t->n; i++) cap += cls_of(c, t->at[i].ref)->n_args + 1;
  Case *cases = *out = SCRATCH(c, Case, cap);
  for (uint32_t i = 0; i < t->n; i++) {
    const Class *x = cls_of(c, t->at[i].ref);
    if ((x->kind != K_MUL && x->kind != K_CMP) || !has_condition(c, t->at[i].ref)) continue;
    Terms fs = factors_of(c, t->at[i].ref);
    uint32_t first = n;
    uint64_t all = 0;
    for (uint32_t j = 0; j < fs.n; j++) {
      Case *k = &cases[n];
      if (!point_of(c, fs.at[j].ref, &k->n, &k->value)) continue;
      k->term = i;
      k->point = fs.at[j].ref;
      all += mix(k->point, 7);
      n++;
    }
    for (uint32_t j = first; j < n; j++) cases[j].others = all - mix(cases[j].point, 7);
  }
  return n;
}

/* A term without the point that makes it a case; remembered, since sums grow case by case. */
static Value rest_of(Calculus *c, const Terms *t, const Case *k) {
  const Term *x = &t->at[k->term];
  uint64_t key[] = {(uint64_t)x->ref << 8 | REST, k->point}, h;
  const Value *known = memo_find(c, key, 2, &h);
  if (known) return value_scale(x->k, *known);
  Terms fs = factors_of(c, x->ref);
  Value rest = mul_terms(c, &fs, k->point);
  if (!c->exhausted && !c->counting) memo_put(c, key, 2, h, rest);
  return value_scale(x->k, rest);
}

/* Whether there is a case at each position of the index of `like`. */
static bool at_every_position(Calculus *c, const Case *cases, uint32_t n, const Case *like, bool alike) {
  int64_t size = name_size(c, like->n), found = 0;
  uint64_t *seen = SCRATCH(c, uint64_t, (uint64_t)(size + 63) / 64);
  for (uint32_t j = 0; j < n; j++) {
    const Case *k = &cases[j];
    if (k->n != like->n || k->value >= size || (alike && k->others != like->others)) continue;
    found += !(seen[k->value / 64] >> k->value % 64 & 1);
    seen[k->value / 64] |= 1ull << k->value % 64;
  }
  return found == size;
}

/* What the cases of one index add up to at each of its positions, all of which have one, where other indices are at the
 * positions of `like`, or (not `alike`) wherever they are. */
static void case_values(Calculus *c, const Terms *t, const Case *cases, uint32_t n, const Case *like, bool alike,
                        Value *rest, bool *used) {
  int64_t size = name_size(c, like->n);
  Value *parts = SCRATCH(c, Value, n);
  for (int64_t v = 0; v < size; v++) {
    uint32_t n_parts = 0;
    for (uint32_t j = 0; j < n; j++) {
      const Case *k = &cases[j];
      if (k->n != like->n || k->value != v || (alike && k->others != like->others)) continue;
      used[k->term] = true;
      parts[n_parts++] = rest_of(c, t, k);
    }
    rest[v] = calc_add(c, parts, n_parts);
  }
}

/* sum_v [n == v] G[v]  ->  G[n], one index at a time, among terms at the same positions of other indices, or at any where
 * G is known. */
static bool fold_cases(Calculus *c, Terms *t) {
  Case *cases;
  uint32_t n = cases_of(c, t, &cases);
  for (uint32_t i = 0; i < 2 * n; i++) {
    bool alike = i < n;
    const Case *like = &cases[i % n];
    int64_t size = name_size(c, like->n);
    bool again = false;
    for (const Case *k = cases; k < like && !alike && !again; k++) again = k->n == like->n && !k->value;
    if (like->value || size > t->n || again) continue;
    Frame m = frame_enter(c);
    Value *rest = SCRATCH(c, Value, size), G;
    bool *used = SCRATCH(c, bool, t->n), all = at_every_position(c, cases, n, like, alike);
    if (all) case_values(c, t, cases, n, like, alike, rest, used);
    if (all && (alike ? unsplit : from_origin)(c, rest, like->n, size, &G)) {
      for (uint32_t j = 0; j < t->n; j++)
        if (used[j]) t->at[j].k = RAT_0;
      Terms u = terms_of(c, G);
      for (uint32_t j = 0; j < u.n; j++) terms_add(c, t, u.at[j].ref, u.at[j].k);
      terms_pack(t);
      return true;
    }
    frame_leave(c, m);
  }
  return false;
}

/* sum_v (a + w v) [n == v]  ->  a + w n, one index at a time; where a is 0 there is no term at position 0.  One of two
 * positions is a truth value as it is. */
static bool fold_numbers(Calculus *c, Terms *t) {
  Case *cases;
  uint32_t n = cases_of(c, t, &cases);
  for (uint32_t i = 0; i < n; i++) {
    Name name = cases[i].n;
    int64_t size = name_size(c, name), found = 0;
    if (size < 3 || size > (int64_t)t->n + 1) continue;
    Frame m = frame_enter(c);
    Rat *at = SCRATCH(c, Rat, size);
    for (int64_t v = 0; v < size; v++) at[v] = RAT_0;
    for (uint32_t j = i; j < n; j++) {
      const Case *k = &cases[j];
      if (k->n != name || k->value >= size || t->at[k->term].ref != k->point) continue;
      at[k->value] = t->at[k->term].k;
      found++;
    }
    Rat w = rat_sub(at[1], at[0]);
    bool all = found + 1 >= size && w != RAT_0;
    for (int64_t v = 2; v < size && all; v++) all = at[v] == rat_add(at[0], rat_mul(w, rat_int(v)));
    Rat first = at[0];
    frame_leave(c, m);
    if (!all) continue;
    for (uint32_t j = i; j < n; j++) {
      const Case *k = &cases[j];
      if (k->n == name && k->value < size && t->at[k->term].ref == k->point) t->at[k->term].k = RAT_0;
    }
    Value index = calc_idx(c, name, size);
    terms_add(c, t, index.ref, rat_mul(w, index.k));
    terms_add(c, t, c->one, first);
    terms_pack(t);
    return true;
  }
  return false;
}

/* ------------------------------------------------------------------ adjacent ranges */
typedef struct Range { /* a sum, opened, times what it was taken out of; anything else: of nothing, itself */
  Opened o;
  Value body;
} Range;

/* The sum that a term is, or that is a factor of it, if it has one alone; or NO_REF. */
static RefId sum_of(Calculus *c, RefId r) {
  if (cls_of(c, r)->kind == K_RED) return r;
  if (cls_of(c, r)->kind != K_MUL) return NO_REF;
  Opened o = node_open(c, r);
  RefId found = NO_REF;
  for (uint32_t i = 0; i < o.n; i++) {
    if (o.args[i].k != RAT_1 || cls_of(c, o.args[i].ref)->kind != K_RED) continue;
    if (found != NO_REF) return NO_REF;
    found = o.args[i].ref;
  }
  return found;
}

static Range range_of_sum(Calculus *c, RefId r) {
  Range out = {{0}, one_of(r)};
  RefId sum = sum_of(c, r);
  if (sum == NO_REF) return out;
  out.o = node_open(c, sum);
  Opened around = r == sum ? (Opened){0} : node_open(c, r);
  Factor *f = SCRATCH(c, Factor, out.o.n + around.n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < out.o.n; i++) f[n++] = (Factor){one_of(out.o.args[i].ref), out.o.args[i].k};
  for (uint32_t i = 0; i < around.n; i++)
    if (around.args[i].ref != sum) f[n++] = (Factor){one_of(around.args[i].ref), around.args[i].k};
  out.body = mul(c, f, n);
  return out;
}

/* Whether the factors of `r` beside `sum` are factors of `s`, too. */
static bool factors_shared(Calculus *c, RefId r, RefId sum, RefId s) {
  if (r == sum) return true;
  if (cls_of(c, s)->kind != K_MUL) return false;
  Opened p = node_open(c, r), q = node_open(c, s);
  for (uint32_t i = 0; i < p.n; i++) {
    bool found = p.args[i].ref == sum;
    for (uint32_t j = 0; j < q.n && !found; j++) found = q.args[j].ref == p.args[i].ref && q.args[j].k == p.args[i].k;
    if (!found) return false;
  }
  return true;
}

/* Whether q's body is p's with index `at` shifted by its size, to `to` (or to one position if NO_REF), and the other
 * indices, from the i-th on, those of q in some order; `taken`: those of q that are in use. */
static bool shifted(Calculus *c, const Range *p, const Range *q, uint32_t at, uint32_t to, uint32_t i, uint32_t taken,
                    Subst *s) {
  if (i == at) i++;
  if (i >= p->o.n_bound) return value_same(calc_rename(c, p->body, s), q->body);
  for (uint32_t j = 0; j < q->o.n_bound; j++) {
    if (j == to || taken >> j & 1 || name_size(c, q->o.bound[j]) != name_size(c, p->o.bound[i])) continue;
    uint32_t n = s->n;
    subst_put(s, p->o.bound[i], q->o.bound[j]);
    if (shifted(c, p, q, at, to, i + 1, taken | 1u << j, s)) return true;
    s->n = n;
  }
  return false;
}

/* sum_{b<n} f(b) + sum_{b<m} f(b + n) = sum_{b<n+m} f(b): the second body, times `sign`, is the first one shifted.  One
 * position may come before the range, too: f(0) + sum_{b<n} f(b + 1). */
static bool join(Calculus *c, RefId first, RefId second, Rat k, Rat sign, Value *out) {
  Range p = range_of_sum(c, first), q = range_of_sum(c, second);
  q.body = value_scale(sign, q.body);
  uint32_t n = p.o.n_bound, one = q.o.n_bound + 1 == n;
  if (n > RANGE_INDICES || (q.o.n_bound != n && !one)) return false;
  for (uint32_t at = 0; at < n; at++)
    for (uint32_t to = 0; to < (one ? 2 : n); to++) {
      bool before = one && to;
      int64_t size = name_size(c, p.o.bound[at]), more = one ? 1 : name_size(c, q.o.bound[to]);
      FormTerm t = {1, one ? 0 : q.o.bound[to]};
      Subst s = {0};
      subst_put(&s, p.o.bound[at], calculus_form(c, (Form){before ? -1 : size, !one, &t}));
      if (!shifted(c, &p, &q, at, one ? NO_REF : to, 0, 0, &s)) continue;
      Name j = calculus_fresh(c, size + more), *bound = SCRATCH(c, Name, n);
      Subst whole = {1, {{p.o.bound[at], calculus_form(c, (Form){-before, 1, &(FormTerm){1, j}})}}};
      memcpy(bound, p.o.bound, n * sizeof *bound);
      bound[at] = j;
      *out = calc_sum(c, bound, n, value_scale(k, calc_rename(c, p.body, &whole)));
      return true;
    }
  return false;
}

static bool fold_ranges(Calculus *c, Terms *t) {
  RefId *sum = SCRATCH(c, RefId, t->n);
  for (uint32_t i = 0; i < t->n; i++) sum[i] = sum_of(c, t->at[i].ref);
  for (uint32_t i = 0; i < t->n; i++) {
    RefId first = sum[i];
    if (first == NO_REF) continue;
    Frame frame = frame_enter(c);
    for (uint32_t j = 0; j < t->n; j++) {
      bool turned = t->at[j].k == rat_neg(t->at[i].k); /* a factor a - b may be -(b - a) at other positions */
      if (j == i || (t->at[j].k != t->at[i].k && !turned)) continue;
      RefId second = sum[j];
      const Class *x = cls_of(c, t->at[i].ref), *y = cls_of(c, t->at[j].ref);
      uint32_t n = cls_of(c, first)->n_bound, m = second == NO_REF ? 0 : cls_of(c, second)->n_bound;
      bool one = n == m + 1 && t->n <= ONE_POSITION; /* the second range is one position */
      if (one || turned ? x->n_slots != y->n_slots : y->skel != x->skel) continue;
      if ((!one && n != m) || !factors_shared(c, t->at[i].ref, first, t->at[j].ref)) continue;
      Value v;
      if (!join(c, t->at[i].ref, t->at[j].ref, t->at[i].k, turned ? RAT_NEG1 : RAT_1, &v)) continue;
      t->at[i].k = t->at[j].k = RAT_0;
      Terms u = terms_of(c, v);
      for (uint32_t k = 0; k < u.n; k++) terms_add(c, t, u.at[k].ref, u.at[k].k);
      terms_pack(t);
      return true;
    }
    frame_leave(c, frame);
  }
  return false;
}

void fold(Calculus *c, Terms *t) {
  if (c->exhausted) return;
  for (uint32_t i = 0, most = t->n + ROUNDS; i < most && t->n > 1 && (fold_numbers(c, t) || fold_cases(c, t)); i++) {
  }
  if (c->options.flat)
    for (int i = 0; i < ROUNDS && t->n > 1 && (fold_ends(c, t) || fold_ranges(c, t)); i++) {
    }
  for (int i = 0; i < ROUNDS && t->n > 1 && fold_once(c, t); i++) {
  }
}
