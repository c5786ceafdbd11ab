/* The laws of sums, products and contractions.  Each says: under this law, is `v` the answer of this goal?  It opens
 * both sides one level and compares, or derives the answer again from smaller goals.  Nothing here searches. */
#include "certify/law.h"

Poly law_linear_of(Store *s, Num v) {
  Poly p = {0};
  poly_linear(s, &p, RAT_1, v);
  poly_pack(&p);
  return p;
}

static Poly items_of(Store *s, const Goal *g) {
  Poly p = {0};
  for (uint32_t i = 0; i < g->n; i++) poly_linear(s, &p, RAT_1, g->items[i].v);
  return p;
}

bool law_same_linear(Store *s, Poly *p, Poly *q) {
  poly_sort(s, p);
  poly_sort(s, q);
  return poly_equal(p, q);
}

/* What stands in a sum beside minus infinity does not matter while it is finite. */
static bool absorbed(Store *s, const Poly *p, Num v) {
  Rat k = RAT_0;
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->at[i].a == ATOM_NEGINF) k = p->at[i].k;
    else if (flags_of(s, p->at[i].a) & MAY_INF) return false;
  }
  return k != RAT_0 && !p->undefined && v.a == ATOM_NEGINF && v.k == rat_int(rat_sign(k));
}

bool law_linear(Replay *p, const Goal *g, Num v, uint32_t choice) {
  (void)choice;
  Poly x = items_of(p->s, g), y = law_linear_of(p->s, v);
  return absorbed(p->s, &x, v) || law_same_linear(p->s, &x, &y);
}

/* The sum with index `skip` read as `to`, and summed over `index` as well unless that is a constant. */
static Num with_bound(Replay *p, Atom a, const Label *bound, uint32_t skip, Label to, Label index) {
  Store *s = p->s;
  uint32_t n = def_of(s, a)->n_args, m = def_of(s, a)->n_bound, n_rest = 0;
  Item *f = atom_open(s, a, bound);
  Num *w = SCRATCH(s, Num, n);
  Rat *power = SCRATCH(s, Rat, n);
  Subst t = {0};
  goal_put(&t, bound[skip], to);
  for (uint32_t i = 0; i < n; i++) w[i] = goal_substitute(p, num_of(f[i].a), &t), power[i] = f[i].k;
  Label *rest = SCRATCH(s, Label, m + 1);
  for (uint32_t i = 0; i < m; i++)
    if (i != skip) rest[n_rest++] = bound[i];
  if (!label_is_const(index)) rest[n_rest++] = index;
  return goal_sum(p, rest, n_rest, goal_mul(p, w, power, n));
}

Factors law_factors(Store *s, Atom a) {
  const Def *d = def_of(s, a);
  uint32_t n = d->kind == DEF_MUL ? d->n_args : 1;
  Factors f = {n, SCRATCH(s, Num, n), SCRATCH(s, Rat, n)};
  f.v[0] = num_of(a);
  f.power[0] = RAT_1;
  if (d->kind != DEF_MUL) return f;
  Item *t = atom_open(s, a, NULL);
  for (uint32_t i = 0; i < n; i++) f.v[i] = num_of(t[i].a), f.power[i] = t[i].k;
  return f;
}

/* Products with a sum in them, distributed until none is left. */
static bool opened(Replay *p, Atom a, Rat k, uint32_t depth, Poly *out) {
  Store *s = p->s;
  Factors f = law_factors(s, a);
  uint32_t at = f.n;
  for (uint32_t i = 0; i < f.n && f.n > 1; i++) { /* 1 - p last */
    bool is_sum = f.power[i] == RAT_1 && def_of(s, f.v[i].a)->kind == DEF_LIN;
    if (is_sum && (at == f.n || (flags_of(s, f.v[at].a) & IS_PRED))) at = i;
  }
  if (at == f.n || !depth || out->n > 256) return poly_put(s, out, a, k), !p->failed;
  if (flags_of(s, a) & MAY_INF) return false;
  uint32_t n = def_of(s, f.v[at].a)->n_args;
  Item *t = atom_open(s, f.v[at].a, NULL);
  for (uint32_t j = 0; j < n; j++) {
    f.v[at] = num_of(t[j].a);
    Poly one = law_linear_of(s, goal_mul(p, f.v, f.power, f.n));
    for (uint32_t i = 0; i < one.n; i++)
      if (p->failed || !opened(p, one.at[i].a, rat_mul(k, rat_mul(t[j].k, one.at[i].k)), depth - 1, out)) return false;
  }
  return !p->failed;
}

bool law_opened(Replay *p, Poly *x) {
  Poly out = {0};
  for (uint32_t i = 0; i < x->n; i++)
    if (!opened(p, x->at[i].a, x->at[i].k, 3, &out)) return false;
  poly_pack(&out);
  return *x = out, !out.undefined;
}

/* choice 0: in the answer, once; 1: on both sides. */
bool law_factored(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Poly x = items_of(s, g), y = law_linear_of(s, v), out = {0};
  poly_pack(&x);
  if (choice) return choice == 1 && law_opened(p, &x) && law_opened(p, &y) && law_same_linear(s, &x, &y);
  for (uint32_t i = 0; i < y.n; i++)
    if (!opened(p, y.at[i].a, y.at[i].k, 1, &out)) return false;
  return law_same_linear(s, &x, &out);
}

static bool poly_has(const Poly *p, Atom a, Rat k) {
  for (uint32_t i = 0; i < p->n; i++)
    if (p->at[i].a == a) return p->at[i].k == k;
  return false;
}

static bool sums_over(const Def *d, int64_t size) {
  for (uint32_t b = 0; b < d->n_bound; b++)
    if (d->sizes[d->n_slots + b] == size) return true;
  return false;
}

/* Sizes of the indices over which the goal sums, but `other` does not, each once. */
static uint32_t sizes_of_sums(Store *s, const Poly *goal, Atom other, int64_t *out, uint32_t cap) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < goal->n; i++) {
    Factors f = law_factors(s, goal->at[i].a);
    for (uint32_t j = 0; j < f.n; j++) {
      const Def *d = def_of(s, f.v[j].a);
      for (uint32_t b = 0; d->kind == DEF_SUM && b < d->n_bound; b++) {
        int64_t size = d->sizes[d->n_slots + b];
        uint32_t k = 0;
        while (k < n && out[k] != size) k++;
        if (k == n && n < cap && !sums_over(def_of(s, other), size)) out[n++] = size;
      }
    }
  }
  return n;
}

/* Sum `f.v[i]` of a product, its index b from `at` on: a value, or so many if size > 1. */
static Poly piece(Replay *p, Factors f, uint32_t i, const Label *bound, uint32_t b, int64_t at, int64_t size, Rat k) {
  Store *s = p->s;
  Poly one = {0};
  Label index = size > 1 ? label_fresh(s, size) : LABEL_CONST;
  Affine form = {at, size > 1, &(struct AffineTerm){1, index}};
  Num was = f.v[i];
  f.v[i] = with_bound(p, was.a, bound, b, label_of_form(s, form, label_size(s, bound[b])), index);
  poly_linear(s, &one, k, goal_mul(p, f.v, f.power, f.n));
  f.v[i] = was;
  return one;
}

static bool met(const Poly *goal, const Poly *one) { return one->n && poly_has(goal, one->at[0].a, one->at[0].k); }

/* The sum over index b in pieces: single values and ranges that the goal has, or single values the first of which it
 * has. */
static bool in_pieces(Replay *p, const Poly *goal, Factors f, uint32_t i, const Label *bound, uint32_t b, Rat k,
                      Poly *out) {
  Store *s = p->s;
  int64_t size = label_size(s, bound[b]), sizes[16];
  uint32_t n = sizes_of_sums(s, goal, f.v[i].a, sizes, 16);
  bool single = false;
  for (int64_t at = 0, next; at < size; at = next) {
    Poly one = size <= MOST_CASES ? piece(p, f, i, bound, b, at, 1, k) : (Poly){0}, range;
    bool has = met(goal, &one);
    single = at ? single : has;
    next = at + has;
    for (uint32_t j = 0; j < n && next == at && !p->failed; j++) {
      if (sizes[j] > size - at || sizes[j] < 2) continue;
      range = piece(p, f, i, bound, b, at, sizes[j], k);
      if (met(goal, &range)) one = range, next = at + sizes[j];
    }
    if (next == at) next += single;
    if (next == at || p->failed) return false;
    for (uint32_t j = 0; j < one.n; j++) poly_put(s, out, one.at[j].a, one.at[j].k);
  }
  return true;
}

/* Sums in the answer that the goal does not have, alone or as a factor, are written out, each over one of its indices.
 */
static bool write_term(Replay *p, const Poly *goal, Atom a, Rat k, Poly *out) {
  Store *s = p->s;
  Factors f = law_factors(s, a);
  for (uint32_t i = 0; i < f.n; i++) {
    if (def_of(s, f.v[i].a)->kind != DEF_SUM || f.power[i] != RAT_1) continue;
    Label *bound = atom_bound(s, f.v[i].a);
    for (uint32_t b = 0, n = def_of(s, f.v[i].a)->n_bound; b < n && !p->failed; b++) {
      Poly all = {0};
      if (!in_pieces(p, goal, f, i, bound, b, k, &all)) continue;
      for (uint32_t j = 0; j < all.n; j++) poly_put(s, out, all.at[j].a, all.at[j].k);
      return true;
    }
  }
  return false;
}

/* choice 1: after products with sums in them are distributed on both sides. */
bool law_collect(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Poly x = items_of(s, g), y = law_linear_of(s, v), out = {0};
  bool some = false;
  poly_pack(&x);
  if (choice > 1 || (choice && !(law_opened(p, &x) && law_opened(p, &y)))) return false;
  for (uint32_t i = 0; i < y.n; i++) {
    if (poly_has(&x, y.at[i].a, y.at[i].k) || !write_term(p, &x, y.at[i].a, y.at[i].k, &out))
      poly_put(s, &out, y.at[i].a, y.at[i].k);
    else some = true;
    if (p->failed) return false;
  }
  return some && law_same_linear(s, &x, &out);
}

bool law_product(Replay *p, const Goal *g, Num v, uint32_t choice) {
  (void)choice;
  Product x = {.k = RAT_1}, y = {.k = RAT_1};
  for (uint32_t i = 0; i < g->n; i++)
    if (!product_put(p->s, &x, g->items[i].v, g->items[i].tag)) return false;
  if (x.k == RAT_0 || v.k == RAT_0) return x.k == v.k;
  if (!product_put(p->s, &y, v, RAT_1)) return false;
  poly_sort(p->s, &x.f);
  poly_sort(p->s, &y.f);
  return product_equal(p->s, &x, &y);
}

/* ---- contractions */
typedef struct Bag { /* sum over `bound` of the product */
  Product f;
  uint32_t n_bound;
  Label bound[64];
} Bag;

/* Sums among the factors are opened: sum(i) a * sum(j) b = sum(i, j) a * b. */
static bool open_bag(Store *s, Bag *b) {
  for (uint32_t i = 0; i < b->f.f.n; i++) {
    Item x = b->f.f.at[i];
    const Def *d = def_of(s, x.a);
    if (d->kind != DEF_SUM || x.k != RAT_1) continue;
    uint32_t n = d->n_args, m = d->n_bound;
    if (b->n_bound + m > 64) return false;
    Label *bound = atom_bound(s, x.a);
    Item *f = atom_open(s, x.a, bound);
    for (uint32_t j = 0; j < m; j++) b->bound[b->n_bound++] = bound[j];
    b->f.f.at[i] = b->f.f.at[--b->f.f.n];
    for (uint32_t j = 0; j < n; j++)
      if (!product_put(s, &b->f, num_of(f[j].a), f[j].k)) return false;
    i = UINT32_MAX; /* from the start: products merge */
  }
  poly_sort(s, &b->f.f);
  uint32_t n = 0;
  for (uint32_t j = 0; j < b->n_bound; j++) { /* an index that nothing has counts */
    bool used = false;
    for (uint32_t i = 0; i < b->f.f.n && !used; i++) used = atom_has(s, b->f.f.at[i].a, b->bound[j]);
    if (used) b->bound[n++] = b->bound[j];
    else b->f.k = rat_mul(b->f.k, rat_int(label_size(s, b->bound[j])));
  }
  b->n_bound = n;
  return !b->f.f.undefined;
}

/* A renaming of the bound labels of x that makes it y. */
typedef struct Match {
  Store *s;
  const Item *x, *y;
  uint32_t n, n_bound, budget;
  const Label *bx, *by;
  Label to[64]; /* of bx; 0 with known false: none yet */
  bool known[64], taken[64];
  bool *used;
} Match;

static bool match_label(Match *m, Label l, Label k) {
  for (uint32_t i = 0; i < m->n_bound; i++) {
    if (m->bx[i] != l) continue;
    if (m->known[i]) return m->to[i] == k;
    for (uint32_t j = 0; j < m->n_bound; j++)
      if (m->by[j] == k && !m->taken[j] && label_size(m->s, k) == label_size(m->s, l))
        return m->to[i] = k, m->known[i] = m->taken[j] = true;
    return false;
  }
  for (uint32_t j = 0; j < m->n_bound; j++)
    if (m->by[j] == k) return false;
  return l == k;
}

static bool match_from(Match *m, uint32_t i);

static bool match_item(Match *m, uint32_t i, uint32_t j, const uint32_t *perm) {
  bool known[64], taken[64];
  memcpy(known, m->known, sizeof known);
  memcpy(taken, m->taken, sizeof taken);
  const AtomInfo *a = &m->s->atoms.at[m->x[i].a], *b = &m->s->atoms.at[m->y[j].a];
  bool ok = true;
  for (uint32_t k = 0; k < a->n && ok; k++) ok = match_label(m, a->at[perm ? perm[k] : k], b->at[k]);
  m->used[j] = true;
  if (ok && match_from(m, i + 1)) return true;
  m->used[j] = false;
  memcpy(m->known, known, sizeof known);
  memcpy(m->taken, taken, sizeof taken);
  return false;
}

static bool match_from(Match *m, uint32_t i) {
  if (i == m->n) return true;
  if (!m->budget) return false;
  m->budget--;
  const AtomInfo *a = &m->s->atoms.at[m->x[i].a];
  for (uint32_t j = 0; j < m->n; j++) {
    if (m->used[j] || m->y[j].k != m->x[i].k || m->s->atoms.at[m->y[j].a].def != a->def) continue;
    if (match_item(m, i, j, NULL)) return true;
    const Def *d = &m->s->defs.at[a->def];
    for (uint32_t p = 0; p < d->n_perms; p++)
      if (match_item(m, i, j, d->perms + p * d->n_slots)) return true;
  }
  return false;
}

bool law_match(Store *s, const Item *x, const Item *y, uint32_t n, const Label *bx, const Label *by, uint32_t n_bound) {
  Match m = {.s = s, .x = x, .y = y, .n = n, .n_bound = n_bound, .budget = 20000, .bx = bx, .by = by};
  if (n_bound > 64) return false;
  m.used = SCRATCH(s, bool, n + 1);
  if (!match_from(&m, 0)) return false;
  for (uint32_t i = 0; i < n_bound; i++)
    if (!m.known[i]) return false;
  return true;
}

static bool same_bags(Store *s, Bag *x, Bag *y) {
  if (!open_bag(s, x) || !open_bag(s, y)) return false;
  if (x->f.k != y->f.k || x->n_bound != y->n_bound || x->f.f.n != y->f.f.n || x->f.n_roots || y->f.n_roots)
    return false;
  return law_match(s, x->f.f.at, y->f.f.at, x->f.f.n, x->bound, y->bound, x->n_bound);
}

bool def_symmetric(Store *s, DefId def, const uint32_t *perm) {
  Def *d = &s->defs.at[def];
  uint32_t n = d->n_slots, n_args = d->n_args, n_bound = d->n_bound;
  bool any_order = d->kind == DEF_LIN || d->kind == DEF_MUL || d->kind == DEF_SUM || d->kind == DEF_MAX;
  Label *at = SCRATCH(s, Label, n), *to = SCRATCH(s, Label, n), *bx = SCRATCH(s, Label, n_bound),
        *by = SCRATCH(s, Label, n_bound);
  bool *hit = SCRATCH(s, bool, n);
  for (uint32_t i = 0; i < n; i++) {
    if (perm[i] >= n || hit[perm[i]] || d->sizes[i] != d->sizes[perm[i]]) return false;
    hit[perm[i]] = true;
    at[i] = label_make(s, LABEL_GOAL, i, 0, d->sizes[i]);
  }
  for (uint32_t i = 0; i < n; i++) to[i] = at[perm[i]];
  for (uint32_t i = 0; i < n_bound; i++) {
    bx[i] = label_make(s, LABEL_BOUND, i, 1, d->sizes[n + i]);
    by[i] = label_make(s, LABEL_BOUND, i, 2, d->sizes[n + i]);
  }
  Item *x = def_open(s, def, at, bx), *y = def_open(s, def, to, by);
  bool same = any_order ? law_match(s, x, y, n_args, bx, by, n_bound) : d->kind == DEF_LT || d->kind == DEF_EQ;
  for (uint32_t i = 0; i < n_args && !any_order; i++) same = same && x[i].a == y[i].a;
  if (!same) return false;
  d = &s->defs.at[def];
  uint32_t *all = ARENA_ARRAY(&s->arena, uint32_t, (size_t)(d->n_perms + 1) * n);
  if (d->n_perms) memcpy(all, d->perms, (size_t)d->n_perms * n * sizeof *all);
  memcpy(all + (size_t)d->n_perms * n, perm, n * sizeof *all);
  d->perms = all;
  d->n_perms++;
  return true;
}

bool law_contract(Replay *p, const Goal *g, Num v, uint32_t choice) {
  (void)choice;
  Store *s = p->s;
  Bag x = {.f = {.k = RAT_1}}, y = {.f = {.k = RAT_1}};
  if (g->n_bound > 64 || !product_put(s, &x.f, g->items[0].v, RAT_1) || !product_put(s, &y.f, v, RAT_1)) return false;
  for (uint32_t i = 0; i < g->n_bound; i++) x.bound[x.n_bound++] = g->bound[i];
  return same_bags(s, &x, &y);
}

/* Equal, if only up to the order of terms, factors and indices. */
bool law_same(Store *s, Num v, Num w) {
  if (num_same(v, w)) return true;
  DefKind kind = def_of(s, v.a)->kind;
  if (kind != def_of(s, w.a)->kind || v.k != w.k) return false;
  if (kind == DEF_LIN) {
    Poly x = law_linear_of(s, v), y = law_linear_of(s, w);
    return law_same_linear(s, &x, &y);
  }
  Bag x = {.f = {.k = RAT_1}}, y = {.f = {.k = RAT_1}};
  if (kind != DEF_MUL && kind != DEF_SUM) return false;
  return product_put(s, &x.f, num_of(v.a), RAT_1) && product_put(s, &y.f, num_of(w.a), RAT_1) && same_bags(s, &x, &y);
}

/* ---- sums over factors */
uint32_t law_n_factors(const Store *s, Atom a) { return def_of(s, a)->kind == DEF_MUL ? def_of(s, a)->n_args : 1; }

/* sum over the terms of factor i, the others finite. */
static bool distribute(Replay *p, Factors f, uint32_t i, const Label *bound, uint32_t n_bound, Num *out) {
  Store *s = p->s;
  Atom a = f.v[i].a;
  if (def_of(s, a)->kind != DEF_LIN || f.v[i].k != RAT_1) return false;
  uint32_t n = def_of(s, a)->n_args, infinite = 0;
  for (uint32_t j = 0; j < f.n; j++)
    if (j != i && (flags_of(s, f.v[j].a) & MAY_INF)) return false;
  Item *t = atom_open(s, a, NULL);
  Num *w = SCRATCH(s, Num, n);
  for (uint32_t j = 0; j < n; j++) {
    infinite += (flags_of(s, t[j].a) & MAY_INF) != 0;
    f.v[i] = (Num){t[j].k, t[j].a};
    w[j] = goal_sum(p, bound, n_bound, goal_mul(p, f.v, f.power, f.n));
  }
  if (infinite > 1) return false;
  return *out = goal_add(p, w, n), !p->failed;
}

/* What has no bound label moves out, and what shares none is summed by itself. */
bool law_components(Replay *p, const Goal *g, Num v, uint32_t choice) {
  (void)choice;
  Store *s = p->s;
  Factors f = law_factors(s, g->items[0].v.a), out = {0, SCRATCH(s, Num, f.n), SCRATCH(s, Rat, f.n)};
  bool *met = SCRATCH(s, bool, f.n);
  Label *own = SCRATCH(s, Label, g->n_bound);
  Factors part = {0, SCRATCH(s, Num, f.n), SCRATCH(s, Rat, f.n)};
  for (uint32_t i = 0; i < f.n; i++) {
    if (met[i]) continue;
    uint32_t n_own = 0, from = 0;
    part.n = 0;
    met[i] = true;
    part.v[part.n] = f.v[i], part.power[part.n++] = f.power[i];
    for (; from < part.n; from++)
      for (uint32_t b = 0; b < g->n_bound; b++) {
        bool had = false;
        for (uint32_t k = 0; k < n_own; k++) had |= own[k] == g->bound[b];
        if (had || !atom_has(s, part.v[from].a, g->bound[b])) continue;
        own[n_own++] = g->bound[b];
        for (uint32_t j = 0; j < f.n; j++)
          if (!met[j] && atom_has(s, f.v[j].a, g->bound[b]))
            met[j] = true, part.v[part.n] = f.v[j], part.power[part.n++] = f.power[j];
      }
    if (n_own == g->n_bound && part.n == f.n) return false;
    out.v[out.n] = goal_sum(p, own, n_own, goal_mul(p, part.v, part.power, part.n));
    out.power[out.n++] = RAT_1;
  }
  Num all = goal_mul(p, out.v, out.power, out.n);
  for (uint32_t b = 0; b < g->n_bound; b++) { /* an index that nothing has counts */
    bool used = false;
    for (uint32_t i = 0; i < f.n && !used; i++) used = atom_has(s, f.v[i].a, g->bound[b]);
    if (!used) all.k = rat_mul(all.k, rat_int(label_size(s, g->bound[b])));
  }
  return law_same(p->s, v, all);
}

/* A sum among the factors is taken into this one. */
bool law_flatten(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Factors f = law_factors(s, g->items[0].v.a);
  Atom a = f.v[choice].a;
  const Def *d = def_of(s, a);
  if (d->kind != DEF_SUM || f.power[choice] != RAT_1) return false;
  uint32_t n = d->n_args, m = d->n_bound;
  Label *inner = atom_bound(s, a), *bound = SCRATCH(s, Label, g->n_bound + m);
  Item *t = atom_open(s, a, inner);
  Factors all = {f.n + n, SCRATCH(s, Num, f.n + n), SCRATCH(s, Rat, f.n + n)};
  for (uint32_t i = 0; i < f.n; i++) all.v[i] = i == choice ? num(RAT_1) : f.v[i], all.power[i] = f.power[i];
  for (uint32_t i = 0; i < n; i++) all.v[f.n + i] = num_of(t[i].a), all.power[f.n + i] = t[i].k;
  for (uint32_t i = 0; i < g->n_bound + m; i++) bound[i] = i < m ? inner[i] : g->bound[i - m];
  return law_same(p->s, v, goal_sum(p, bound, g->n_bound + m, goal_mul(p, all.v, all.power, all.n)));
}

bool law_distribute(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Factors f = law_factors(p->s, g->items[0].v.a);
  Num w;
  return f.power[choice] == RAT_1 && distribute(p, f, choice, g->bound, g->n_bound, &w) && law_same(p->s, v, w);
}

bool law_expand(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Rat power = g->items[choice].tag;
  if (power != RAT_1 && power != RAT_INT(2) && power != RAT_INT(3)) return false;
  Factors f = {g->n + 1, SCRATCH(s, Num, g->n + 1), SCRATCH(s, Rat, g->n + 1)};
  for (uint32_t i = 0; i < g->n; i++) f.v[i] = g->items[i].v, f.power[i] = g->items[i].tag;
  f.power[choice] = RAT_1;
  f.v[g->n] = power == RAT_1 ? num(RAT_1) : f.v[choice];
  f.power[g->n] = power == RAT_1 ? RAT_1 : rat_sub(power, RAT_1);
  Num w;
  return distribute(p, f, choice, NULL, 0, &w) && law_same(p->s, v, w);
}

/* The factors that have label `choice` are summed by themselves, over the labels that no other factor has. */
bool law_inside(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Factors f = law_factors(s, g->items[0].v.a), in = {0, SCRATCH(s, Num, f.n), SCRATCH(s, Rat, f.n)};
  Label *own = SCRATCH(s, Label, g->n_bound), *rest = SCRATCH(s, Label, g->n_bound);
  uint32_t n_own = 0, n_rest = 0, n_out = 0;
  for (uint32_t b = 0; b < g->n_bound; b++) {
    bool only = true;
    for (uint32_t i = 0; i < f.n && only; i++)
      only = atom_has(s, f.v[i].a, g->bound[choice]) || !atom_has(s, f.v[i].a, g->bound[b]);
    if (only) own[n_own++] = g->bound[b];
    else rest[n_rest++] = g->bound[b];
  }
  for (uint32_t i = 0; i < f.n; i++) {
    bool inner = atom_has(s, f.v[i].a, g->bound[choice]);
    if (inner) in.v[in.n] = f.v[i], in.power[in.n++] = f.power[i];
    else f.v[n_out] = f.v[i], f.power[n_out++] = f.power[i];
  }
  if (!n_out || n_out == f.n) return false;
  f.v[n_out] = goal_sum(p, own, n_own, goal_mul(p, in.v, in.power, in.n));
  f.power[n_out] = RAT_1;
  return law_same(p->s, v, goal_sum(p, rest, n_rest, goal_mul(p, f.v, f.power, n_out + 1)));
}

typedef struct Weight {
  int64_t w;
  Label l;
} Weight;

/* The index labels of an equation with weights > 0 and < 0, ascending, and its constant; false: something else in it.
 */
static bool equation(Store *s, Poly p, Weight *plus, uint32_t *n_plus, Weight *minus, uint32_t *n_minus, int64_t *k) {
  *n_plus = *n_minus = 0;
  *k = 0;
  for (uint32_t i = 0; i < p.n; i++) {
    int64_t w;
    if (!rat_to_int(p.at[i].k, &w)) return false;
    if (p.at[i].a == ATOM_ONE) {
      *k = w;
      continue;
    }
    if (def_of(s, p.at[i].a)->kind != DEF_INDEX || *n_plus + *n_minus > 30) return false;
    Weight *to = w > 0 ? plus : minus;
    uint32_t j = w > 0 ? (*n_plus)++ : (*n_minus)++;
    for (w = w < 0 ? -w : w; j && to[j - 1].w > w; j--) to[j] = to[j - 1];
    to[j] = (Weight){w, s->atoms.at[p.at[i].a].at[0]};
  }
  return true;
}

static bool among(const Label *l, uint32_t n, Label x) {
  for (uint32_t i = 0; i < n; i++)
    if (l[i] == x) return true;
  return false;
}

/* form == 0, that is i == c, or digits == digits in one mixed radix, as what to put for which label among `bound` (any
 * if NULL). */
bool law_solve(Store *s, Poly form, const Label *bound, uint32_t n_bound, Subst *t, bool *never) {
  Weight plus[32], minus[32];
  uint32_t n, m;
  int64_t k;
  *never = false;
  if (!equation(s, form, plus, &n, minus, &m, &k)) return false;
  if (n + m == 1) {
    Weight x = n ? plus[0] : minus[0];
    int64_t c = n ? -k : k;
    *never = c % x.w || c < 0 || c / x.w >= label_size(s, x.l);
    return (!bound || among(bound, n_bound, x.l)) && goal_put(t, x.l, LABEL_CONST | (uint32_t)(*never ? 0 : c / x.w));
  }
  if (k || n != m || !bound) return false;
  int64_t reach = 1;
  for (uint32_t i = 0; i < n; i++) {
    Weight x = plus[i], y = minus[i];
    if (x.w != y.w || x.w < reach || label_size(s, x.l) != label_size(s, y.l)) return false;
    reach = x.w * label_size(s, x.l);
    bool left = among(bound, n_bound, x.l) && !among(t->from, t->n, x.l);
    if (!left && (!among(bound, n_bound, y.l) || among(t->from, t->n, y.l))) return false;
    goal_put(t, left ? x.l : y.l, left ? y.l : x.l);
  }
  for (uint32_t i = 0; i < t->n; i++)
    if (among(t->from, t->n, t->to[i])) return false;
  return true;
}

static bool solve(Store *s, Atom a, const Label *bound, uint32_t n_bound, Subst *t, bool *never) {
  if (def_of(s, a)->kind != DEF_EQ) return false;
  return law_solve(s, law_linear_of(s, num_of(atom_open(s, a, NULL)[0].a)), bound, n_bound, t, never);
}

static Factors replaced(Replay *p, Factors f, uint32_t except, const Subst *t) {
  for (uint32_t i = 0; i < f.n; i++) f.v[i] = i == except ? num(RAT_1) : goal_substitute(p, f.v[i], t);
  return f;
}

/* sum(k) [k == j] f(k) = f(j) */
bool law_one_hot(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Factors f = law_factors(s, g->items[0].v.a);
  Subst t = {0};
  bool never;
  if (f.power[choice] != RAT_1 || !solve(s, f.v[choice].a, g->bound, g->n_bound, &t, &never)) return false;
  if (never) return v.k == RAT_0;
  f = replaced(p, f, choice, &t);
  Label *rest = SCRATCH(s, Label, g->n_bound);
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n_bound; i++)
    if (!among(t.from, t.n, g->bound[i])) rest[n++] = g->bound[i];
  return law_same(p->s, v, goal_sum(p, rest, n, goal_mul(p, f.v, f.power, f.n)));
}

/* [i == c] f(i) = [i == c] f(c) */
bool law_at_point(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Subst t = {0};
  bool never;
  if (g->items[choice].tag != RAT_1 || !solve(s, g->items[choice].v.a, NULL, 0, &t, &never)) return false;
  if (never) return v.k == RAT_0;
  Factors f = {g->n, SCRATCH(s, Num, g->n), SCRATCH(s, Rat, g->n)};
  for (uint32_t i = 0; i < g->n; i++) {
    f.v[i] = i == choice ? g->items[i].v : goal_substitute(p, g->items[i].v, &t);
    f.power[i] = g->items[i].tag;
  }
  bool changed = false;
  for (uint32_t i = 0; i < g->n; i++) changed |= !num_same(f.v[i], g->items[i].v);
  return changed && law_same(p->s, v, goal_mul(p, f.v, f.power, f.n));
}

/* A sum over index `choice` is the sum of its values; what does not have the index stays outside. */
bool law_write_out(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Label b = g->bound[choice];
  int64_t size = label_size(s, b);
  if (size > MOST_CASES) return false;
  Label *in = SCRATCH(s, Label, g->n_bound), *rest = SCRATCH(s, Label, g->n_bound);
  uint32_t n_in = 0, n_rest = 0, n_has = 0, n_out = 0;
  Num *all = SCRATCH(s, Num, (size_t)size * g->n);
  Subst t = {1, {b}, {0}};
  if (g->op == GOAL_MAX) {
    for (uint32_t i = 0; i < g->n_bound; i++)
      if (i != choice) rest[n_rest++] = g->bound[i];
    for (int64_t c = 0; c < size; c++)
      for (uint32_t i = 0; i < g->n; i++) {
        t.to[0] = LABEL_CONST | (uint32_t)c;
        all[c * g->n + i] = goal_substitute(p, g->items[i].v, &t);
      }
    return law_same(p->s, v, goal_max(p, all, (uint32_t)size * g->n, rest, n_rest));
  }
  Factors f = law_factors(s, g->items[0].v.a), has = {0, SCRATCH(s, Num, f.n), SCRATCH(s, Rat, f.n)},
          out = {0, SCRATCH(s, Num, f.n + 1), SCRATCH(s, Rat, f.n + 1)};
  for (uint32_t i = 0; i < f.n; i++) {
    bool inner = atom_has(s, f.v[i].a, b);
    if (inner) has.v[n_has] = f.v[i], has.power[n_has++] = f.power[i];
    else out.v[n_out] = f.v[i], out.power[n_out++] = f.power[i];
  }
  for (uint32_t i = 0; i < g->n_bound; i++) {
    bool outside = false;
    for (uint32_t j = 0; j < n_out && !outside; j++) outside = atom_has(s, out.v[j].a, g->bound[i]);
    if (i != choice && outside) rest[n_rest++] = g->bound[i];
    if (i != choice && !outside) in[n_in++] = g->bound[i];
  }
  Num body = goal_mul(p, has.v, has.power, n_has);
  for (int64_t c = 0; c < size; c++) {
    t.to[0] = LABEL_CONST | (uint32_t)c;
    all[c] = goal_sum(p, in, n_in, goal_substitute(p, body, &t));
  }
  out.v[n_out] = goal_add(p, all, (uint32_t)size);
  out.power[n_out++] = RAT_1;
  return law_same(p->s, v, goal_sum(p, rest, n_rest, goal_mul(p, out.v, out.power, n_out)));
}
