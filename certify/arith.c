/* Sums of products, and when two are equal: terms add up, powers of factors add up, indices of sums have no names, and
 * what is a sum itself is unfolded while that is needed to see it. */
#include "certify/law.h"

void poly_put(Store *s, Poly *p, Atom a, Rat k) {
  for (uint32_t i = 0; i < p->n; i++)
    if (p->at[i].a == a) {
      if ((flags_of(s, a) & MAY_INF) && rat_sign(p->at[i].k) != rat_sign(k)) p->undefined = true;
      p->at[i].k = rat_add(p->at[i].k, k);
      return;
    }
  if (p->n == p->cap) {
    Item *more = SCRATCH(s, Item, p->cap = p->cap ? p->cap * 2 : 8);
    if (p->n) memcpy(more, p->at, p->n * sizeof *more);
    p->at = more;
  }
  p->at[p->n++] = (Item){a, k};
}

void poly_pack(Poly *p) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n; i++)
    if (p->at[i].k != RAT_0) p->at[n++] = p->at[i];
  p->n = n;
}

void poly_add(Store *s, Poly *p, const Poly *q, Rat k) {
  for (uint32_t i = 0; i < q->n; i++) poly_put(s, p, q->at[i].a, rat_mul(k, q->at[i].k));
  poly_pack(p);
}

Poly poly_minus(Store *s, const Poly *p, Rat k, const Poly *q) {
  Poly out = {0};
  poly_add(s, &out, p, RAT_1);
  poly_add(s, &out, q, rat_neg(k));
  return out;
}

Rat poly_weight(const Poly *p, Atom a) {
  for (uint32_t i = 0; i < p->n; i++)
    if (p->at[i].a == a) return p->at[i].k;
  return RAT_0;
}

bool poly_equal(const Poly *p, const Poly *q) {
  if (p->n != q->n || p->undefined || q->undefined) return false;
  for (uint32_t i = 0; i < p->n; i++)
    if (p->at[i].k == RAT_0 || poly_weight(q, p->at[i].a) != p->at[i].k) return false;
  return true;
}

void poly_linear(Store *s, Poly *p, Rat scale, Num v) {
  Rat k = rat_mul(scale, v.k);
  if (k == RAT_0) return;
  if (def_of(s, v.a)->kind != DEF_LIN) {
    poly_put(s, p, v.a, k);
    return;
  }
  uint32_t n = def_of(s, v.a)->n_args;
  const Item *t = atom_open(s, v.a, NULL);
  for (uint32_t i = 0; i < n; i++) poly_put(s, p, t[i].a, rat_mul(k, t[i].k));
}

static bool small_power(Rat k, Rat p, Rat *out) {
  int64_t e;
  if (!rat_to_int(p, &e) || e > 4096 || e < -4096 || (k == RAT_0 && e <= 0)) return false;
  if (rat_bits(k) * (size_t)(e < 0 ? -e : e) > 62 * 4096 && k != RAT_1) return false;
  *out = rat_pow(k, e);
  return true;
}

/* k ^ p, if that is a fraction: of k > 0, where p is none. */
static bool exact_power(Rat k, Rat p, Rat *out) {
  int64_t den = 1;
  if (small_power(k, p, out)) return true;
  if (rat_sign(k) <= 0 || rat_is_int(p)) return false;
  while (den < 64 && !rat_is_int(rat_mul(p, rat_int(den)))) den++;
  return rat_root(k, den, out) && small_power(*out, rat_mul(p, rat_int(den)), out);
}

/* k ^ p for k > 0: exact, or roots of prime numbers, as factors like others. */
static bool put_number(Store *s, Product *q, Rat k, Rat p) {
  Rat r;
  if (k == RAT_1) return true;
  if (exact_power(k, p, &r)) return q->k = rat_mul(q->k, r), true;
  if (rat_sign(k) <= 0 || rat_is_int(p)) return false;
  Rat base[RAT_FACTORS];
  int64_t power[RAT_FACTORS];
  uint32_t n = rat_factors(k, base, power);
  if (!n) base[0] = k, power[0] = n = 1;
  for (uint32_t i = 0; i < n; i++) {
    Atom a = atom_make(s, def_number(s, base[i]), NULL, 0);
    poly_put(s, &q->f, a, rat_mul(p, rat_int(power[i])));
    for (uint32_t j = 0; j < q->f.n; j++) { /* roots that make up a whole power */
      Rat e = rat_floor(q->f.at[j].k);
      if (q->f.at[j].a != a || e == RAT_0 || !small_power(base[i], e, &r)) continue;
      q->k = rat_mul(q->k, r);
      q->f.at[j].k = rat_sub(q->f.at[j].k, e);
    }
  }
  return true;
}

/* x ^ p = (c y) ^ p as c ^ p with y ^ p, for linear combinations x = c y. */
static bool proportional(Store *s, Atom a, Atom b, Rat *c) {
  Poly x = {0}, y = {0};
  const Def *d = def_of(s, a), *e = def_of(s, b);
  if (d->kind != DEF_LIN || e->kind != DEF_LIN || d->n_args != e->n_args) return false;
  poly_linear(s, &x, RAT_1, num_of(a));
  poly_linear(s, &y, RAT_1, num_of(b));
  if (!x.n || x.n != y.n) return false;
  *c = rat_div(poly_weight(&x, y.at[0].a), y.at[0].k);
  for (uint32_t i = 0; i < y.n; i++) y.at[i].k = rat_mul(y.at[i].k, *c);
  return poly_equal(&x, &y);
}

/* (c x)^(1/2) x = (c x)^(3/2) / c: the power of a combination joins that of a multiple, if one of them is under a root. */
static bool join_root(Store *s, Product *q, Atom *a, Rat *p) {
  for (uint32_t i = 0; i < q->f.n; i++) {
    const Item *x = &q->f.at[i];
    Rat c, k;
    if (x->k == RAT_0 || x->a == *a || rat_is_int(x->k) == rat_is_int(*p) || !proportional(s, *a, x->a, &c)) continue;
    if (!small_power(c, rat_is_int(*p) ? *p : rat_neg(x->k), &k)) return false;
    q->k = rat_mul(q->k, k);
    if (rat_is_int(*p)) return *a = x->a, true;
    *p = rat_add(*p, x->k);
    q->f.at[i].k = RAT_0;
    return true;
  }
  return true;
}

/* Roots of a factor, and absolute values, that make up a whole power with what is there, which is taken out. */
static bool make_whole(Store *s, Product *q, Atom a, bool even, Rat *p) {
  uint32_t at = 0;
  while (at < q->f.n && q->f.at[at].a != a) at++;
  Rat all = at < q->f.n ? rat_add(*p, q->f.at[at].k) : *p;
  if (at == q->f.n || q->f.at[at].k == RAT_0 || all == RAT_0 || !rat_is_int(all)) return false;
  if ((even && !even_power(all)) || !atom_not_negative(s, a)) return false;
  q->f.at[at] = q->f.at[--q->f.n];
  return *p = all, true;
}

Atom law_absolute(Store *s, Atom a) {
  AtomInfo x = s->atoms.at[a];
  Label *own = SCRATCH(s, Label, x.n);
  int32_t *at = SCRATCH(s, int32_t, x.n);
  int64_t *size = SCRATCH(s, int64_t, x.n);
  Def d = {.kind = DEF_FN, .fn = sym("abs"), .sizes = size, .n_args = 1, .args = &(DefArg){RAT_0, x.def, x.n, at}};
  if (flags_of(s, a) & IS_NONNEG) return a;
  for (uint32_t k = 0; k < x.n; k++) {
    uint32_t j = 0;
    while (j < d.n_slots && own[j] != x.at[k]) j++;
    at[k] = label_is_const(x.at[k]) ? -1 - (int32_t)label_value(x.at[k]) : (int32_t)j;
    if (at[k] == (int32_t)d.n_slots) own[d.n_slots] = x.at[k], size[d.n_slots++] = def_of(s, a)->sizes[k];
  }
  DefId i = 0;
  for (; i < s->defs.len; i++) {
    const Def *e = &s->defs.at[i];
    bool is = e->kind == DEF_FN && e->fn == d.fn && e->args->def == x.def && e->n_slots == d.n_slots;
    if (is && !memcmp(e->args->at, at, x.n * sizeof *at)) break;
  }
  return atom_make(s, i < s->defs.len ? i : def_add(s, d), own, d.n_slots);
}

/* What stands as x^k under a root, by a base that is not negative: x, or |x| where k is even. */
static bool under_root(Store *s, Item *x) {
  bool even = even_power(x->k);
  if ((flags_of(s, x->a) & IS_NONNEG) || (even && !rat_is_int(x->k))) return true;
  if (!even || (flags_of(s, x->a) & MAY_INF)) return false;
  return x->a = law_absolute(s, x->a), true;
}

bool product_put(Store *s, Product *q, Num v, Rat p) {
  if (v.k == RAT_0) return rat_sign(p) > 0 ? (q->k = RAT_0, true) : false;
  if (store_tired(s)) return false;
  const Def *d = def_of(s, v.a);
  bool whole = rat_is_int(p), abs = d->kind == DEF_FN && d->fn == sym("abs");
  Rat all = p;
  if (!whole && rat_sign(v.k) < 0) return false;
  if ((!whole || abs) && make_whole(s, q, v.a, abs, &all))
    return put_number(s, q, v.k, p) && product_put(s, q, num_of(v.a), all);
  if (d->kind == DEF_LIN && d->n_args == 1 && (whole || rat_sign(d->args[0].tag) > 0)) { /* k * x under a root */
    Item x = *atom_open(s, v.a, NULL);
    return put_number(s, q, v.k, p) && product_put(s, q, (Num){x.k, x.a}, p);
  }
  if (!put_number(s, q, v.k, p)) return false;
  d = def_of(s, v.a);
  if (v.a == ATOM_ONE) return true;
  if (d->kind == DEF_MUL) {
    uint32_t n = d->n_args;
    Item *t = arena_copy(&s->scratch, atom_open(s, v.a, NULL), n * sizeof *t);
    bool distributes = true;
    for (uint32_t i = 0; i < n && !whole && distributes; i++) distributes = under_root(s, &t[i]);
    if (distributes) {
      for (uint32_t i = 0; i < n; i++) {
        Rat k = rat_mul(p, t[i].k);
        if (!rat_is_int(t[i].k) && rat_is_int(k) && !atom_not_negative(s, t[i].a)) return false;
        if (!product_put(s, q, num_of(t[i].a), k)) return false;
      }
      return true;
    }
  }
  if (abs && whole && p != RAT_1) { /* |x|^2 = x^2, |x|^3 = |x| x^2 */
    bool even = even_power(p);
    if (!product_put(s, q, num_of(atom_open(s, v.a, NULL)[0].a), even ? p : rat_sub(p, RAT_1))) return false;
    return even || product_put(s, q, num_of(v.a), RAT_1);
  }
  if (flags_of(s, v.a) & IS_PRED) { /* p * p = p = 1 / p, and 1 if it is not 0 */
    if (rat_sign(p) < 0 && atom_not_zero(s, v.a)) return s->needs |= NEEDS_NONZERO, true;
    p = RAT_1;
  }
  if (!join_root(s, q, &v.a, &p)) return false;
  Rat sum = rat_add(p, poly_weight(&q->f, v.a));
  if (sum == RAT_0 && p != RAT_0 && !atom_not_zero(s, v.a)) return false;
  if (sum == RAT_0 && !(flags_of(s, v.a) & IS_POS)) s->needs |= NEEDS_NONZERO;
  if (!rat_is_int(p) && rat_is_int(sum) && !atom_not_negative(s, v.a)) return false;
  poly_put(s, &q->f, v.a, p);
  if (flags_of(s, v.a) & IS_PRED)
    for (uint32_t i = 0; i < q->f.n; i++)
      if (q->f.at[i].a == v.a) q->f.at[i].k = RAT_1;
  return true;
}

/* p and q are the same but for their numbers, once linear combinations in p are those in q. */
static bool same_factors(Store *s, Product *p, const Product *q) {
  if (p->f.n != q->f.n || p->f.undefined || q->f.undefined) return false;
  bool *met = SCRATCH(s, bool, q->f.n + 1);
  for (uint32_t i = 0; i < p->f.n; i++) {
    uint32_t j = 0;
    Rat c = RAT_1, e = p->f.at[i].k, power;
    while (j < q->f.n && (met[j] || q->f.at[j].a != p->f.at[i].a || q->f.at[j].k != e)) j++;
    if (j == q->f.n)
      for (j = 0; j < q->f.n; j++)
        if (!met[j] && q->f.at[j].k == e && proportional(s, p->f.at[i].a, q->f.at[j].a, &c)) break;
    if (j == q->f.n || (c != RAT_1 && !exact_power(c, e, &power))) return false;
    met[j] = true;
    if (c != RAT_1) p->k = rat_mul(p->k, power);
  }
  return true;
}

bool law_multiple(Store *s, Atom a, Atom b, Rat *c) {
  Product x = {.k = RAT_1}, y = {.k = RAT_1};
  bool are = product_put(s, &x, num_of(a), RAT_1) && product_put(s, &y, num_of(b), RAT_1) && same_factors(s, &x, &y);
  return are && y.k != RAT_0 && (*c = rat_div(x.k, y.k), true);
}

/* ---- sums of products */
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

static bool match_item(Match *m, uint32_t i, uint32_t j) {
  bool known[64], taken[64], ok = false;
  memcpy(known, m->known, sizeof known);
  memcpy(taken, m->taken, sizeof taken);
  const AtomInfo *a = &m->s->atoms.at[m->x[i].a], *b = &m->s->atoms.at[m->y[j].a];
  const Def *d = &m->s->defs.at[b->def];
  m->used[j] = true;
  for (uint32_t turned = 0; turned <= d->n_mirrors && !ok; turned++) { /* as it is, then any of the mirrors */
    ok = true;
    for (uint32_t k = 0; k < a->n && ok; k++)
      ok = match_label(m, a->at[k], b->at[turned ? d->mirror[(turned - 1) * a->n + k] : k]);
    if (ok && (ok = match_from(m, i + 1))) return true;
    memcpy(m->known, known, sizeof known);
    memcpy(m->taken, taken, sizeof taken);
  }
  m->used[j] = false;
  return false;
}

static bool match_from(Match *m, uint32_t i) {
  if (i == m->n) return true;
  if (!m->budget) return false;
  m->budget--;
  const AtomInfo *a = &m->s->atoms.at[m->x[i].a];
  for (uint32_t j = 0; j < m->n; j++) {
    if (m->used[j] || m->y[j].k != m->x[i].k || m->s->atoms.at[m->y[j].a].def != a->def) continue;
    if (match_item(m, i, j)) return true;
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

/* Terms change places; of operations with an order each is the same one; an equation may change its sign. */
static bool same_turned(Store *s, const Def *d, const Item *x, const Item *y, const Label *bound) {
  bool same = true;
  if (d->kind == DEF_EQ) {
    Poly p = law_linear_of(s, num_of(x->a)), q = law_linear_of(s, num_of(y->a));
    Poly minus = poly_minus(s, &(Poly){0}, RAT_1, &q);
    return poly_equal(&p, &q) || poly_equal(&p, &minus);
  }
  if (d->kind == DEF_LIN || d->kind == DEF_MUL || d->kind == DEF_SUM || d->kind == DEF_MAX)
    return law_match(s, x, y, d->n_args, bound, bound, d->n_bound);
  for (uint32_t i = 0; i < d->n_args; i++) same = same && x[i].a == y[i].a;
  return same;
}

bool def_symmetry(Store *s, DefId id, const uint32_t *turn) {
  Def d = s->defs.at[id];
  uint32_t n = d.n_slots;
  Label *at = SCRATCH(s, Label, n), *turned = SCRATCH(s, Label, n), *bound = SCRATCH(s, Label, d.n_bound);
  if (d.kind < DEF_LIN || d.kind == DEF_OPAQUE) return false;
  for (uint32_t i = 0; i < n; i++) at[i] = label_make(s, LABEL_GOAL, i, 0, d.sizes[i]);
  for (uint32_t i = 0; i < n; i++) {
    if (turn[i] >= n || d.sizes[turn[i]] != d.sizes[i]) return false;
    turned[i] = at[turn[i]];
  }
  for (uint32_t i = 0; i < d.n_bound; i++) bound[i] = label_make(s, LABEL_BOUND, i, 1, d.sizes[n + i]);
  if (!same_turned(s, &d, args_open(s, d, at, bound), args_open(s, d, turned, bound), bound)) return false;
  uint32_t *all = ARENA_ARRAY(&s->arena, uint32_t, (d.n_mirrors + 1) * n);
  if (d.n_mirrors) memcpy(all, d.mirror, d.n_mirrors * n * sizeof *all);
  memcpy(all + d.n_mirrors * n, turn, n * sizeof *all);
  s->defs.at[id].mirror = all, s->defs.at[id].n_mirrors++;
  return true;
}

typedef struct Bag { /* k times the sum over `bound` of the product */
  Product f;
  uint32_t n_bound;
  Label bound[64];
  bool right;     /* the side it stands on */
  uint64_t shape; /* the same for what is the same */
  DefId newest;   /* of the factors that unfold; 0: none does .. */
  uint32_t factor; /* .. which it is */
} Bag;

/* What should come to nothing: the left side, and the right one with its sign changed. */
typedef struct Balance {
  Store *s;
  uint32_t n, cap, steps, over, needs; /* over: denominators multiplied by; needs: CertifyNeeds */
  Bag **at;
  bool failed;
} Balance;

static bool may_be_infinite(const Store *s, const Bag *b) {
  for (uint32_t i = 0; i < b->f.f.n; i++)
    if (flags_of(s, b->f.f.at[i].a) & MAY_INF) return true;
  return false;
}

static bool same_bag(Store *s, const Bag *x, const Bag *y) {
  const Poly *p = &x->f.f, *q = &y->f.f;
  if (x->n_bound != y->n_bound || p->n != q->n) return false;
  return x->n_bound ? law_match(s, p->at, q->at, p->n, x->bound, y->bound, x->n_bound) : poly_equal(p, q);
}

/* A maximum that the graphs take away is assumed to be finite. */
static bool is_maximum(const Store *s, const Bag *b, uint32_t *needs) {
  const Def *d = b->f.f.n == 1 && !b->n_bound ? def_of(s, b->f.f.at[0].a) : NULL;
  return d && d->kind == DEF_MAX && (d->assumed & FINITE) && (*needs |= NEEDS_FINITE);
}

/* Squares of sums do once denominators are gone. */
static bool unfolds(const Balance *t, const Bag *b, Item x) {
  const Store *s = t->s;
  DefKind kind = def_of(s, x.a)->kind;
  if (kind == DEF_SUM) return x.k == RAT_1;
  bool alone = b->f.f.n == 1 && !b->n_bound && x.k == RAT_1, power = x.k == RAT_1 || (t->over && x.k == RAT_INT(2));
  return kind == DEF_LIN && power && (alone || !may_be_infinite(s, b));
}

static void keep_bag(Balance *t, Bag *b) {
  Store *s = t->s;
  if (t->n == t->cap) {
    Bag **more = SCRATCH(s, Bag *, t->cap = t->cap ? t->cap * 2 : 16);
    if (t->n) memcpy(more, t->at, t->n * sizeof *more);
    t->at = more;
  }
  for (uint32_t j = b->newest = 0; j < b->f.f.n; j++) {
    DefId d = s->atoms.at[b->f.f.at[j].a].def;
    if (d > b->newest && unfolds(t, b, b->f.f.at[j])) b->newest = d, b->factor = j;
  }
  t->at[t->n++] = b;
}

/* sum(k) [row[k] == j] = 1 where a row takes all values, and nothing else has its places k. */
static void drop_rows(Store *s, Bag *b) {
  for (uint32_t i = 0; i < b->f.f.n && b->n_bound && s->whole.len && !may_be_infinite(s, b); i++) {
    Atom a = b->f.f.at[i].a;
    Label alone[64], other[64];
    uint32_t n = 0, m = 0;
    for (uint32_t j = 0; j < b->n_bound; j++) {
      bool only = atom_has(s, a, b->bound[j]);
      for (uint32_t k = 0; k < b->f.f.n && only; k++) only = k == i || !atom_has(s, b->f.f.at[k].a, b->bound[j]);
      *(only ? &alone[n++] : &other[m++]) = b->bound[j];
    }
    if (!n || def_of(s, a)->kind != DEF_EQ || !law_told_once(s, law_form(s, a), alone, n)) continue;
    memcpy(b->bound, other, m * sizeof *other);
    b->n_bound = m, b->f.f.at[i--] = b->f.f.at[--b->f.f.n];
  }
}

/* An index that nothing has counts; what is there already adds up. */
static void put_bag(Balance *t, Bag *b) {
  Store *s = t->s;
  uint32_t n = 0;
  poly_pack(&b->f.f);
  drop_rows(s, b);
  for (uint32_t j = 0; j < b->n_bound; j++) {
    bool used = false;
    for (uint32_t i = 0; i < b->f.f.n && !used; i++) used = atom_has(s, b->f.f.at[i].a, b->bound[j]);
    if (used) b->bound[n++] = b->bound[j];
    else b->f.k = rat_mul(b->f.k, rat_int(label_size(s, b->bound[j])));
  }
  b->n_bound = n, b->shape = 0;
  for (uint32_t i = 0; i < b->f.f.n; i++)
    b->shape += (n ? s->atoms.at[b->f.f.at[i].a].def : b->f.f.at[i].a) * 0x9e3779b97f4a7c15u + b->f.f.at[i].k;
  t->failed |= b->f.f.undefined;
  if (b->f.k == RAT_0) return;
  for (uint32_t i = 0; i < t->n; i++) {
    Bag *x = t->at[i];
    if (x->shape != b->shape || !same_bag(s, x, b)) continue;
    Rat k = rat_add(x->f.k, b->f.k);
    if (may_be_infinite(s, b))
      t->failed |=
          x->right == b->right ? rat_sign(x->f.k) != rat_sign(b->f.k) && !is_maximum(s, b, &t->needs) : k != RAT_0;
    x->f.k = k;
    if (k == RAT_0) t->at[i] = t->at[--t->n];
    return;
  }
  keep_bag(t, b);
}

static Bag *copy_bag(Store *s, const Bag *b, uint32_t without) {
  Bag *c = arena_copy(&s->scratch, b, sizeof *b);
  c->f.f = (Poly){.undefined = b->f.f.undefined};
  for (uint32_t i = 0; i < b->f.f.n; i++)
    if (i != without) poly_put(s, &c->f.f, b->f.f.at[i].a, b->f.f.at[i].k);
  return c;
}

/* Bag b with its factor j, a linear combination or a sum, written out. */
static void unfold(Balance *t, const Bag *b, uint32_t j) {
  Store *s = t->s;
  Item x = b->f.f.at[j];
  DefKind kind = def_of(s, x.a)->kind;
  uint32_t n = def_of(s, x.a)->n_args, m = def_of(s, x.a)->n_bound;
  Label *bound = atom_bound(s, x.a);
  const Item *arg = atom_open(s, x.a, bound);
  Bag *c = copy_bag(s, b, j);
  t->failed |= b->n_bound + m > 64;
  if (kind == DEF_SUM && !t->failed) {
    for (uint32_t i = 0; i < m; i++) c->bound[c->n_bound++] = bound[i];
    for (uint32_t i = 0; i < n; i++) t->failed |= !product_put(s, &c->f, num_of(arg[i].a), arg[i].k);
    put_bag(t, c);
  }
  for (uint32_t i = 0; i < n && kind == DEF_LIN && !t->failed; i++) {
    c = copy_bag(s, b, j);
    t->failed |= !product_put(s, &c->f, (Num){arg[i].k, arg[i].a}, RAT_1);
    if (x.k != RAT_1) t->failed |= !product_put(s, &c->f, num_of(x.a), rat_sub(x.k, RAT_1));
    put_bag(t, c);
  }
}

enum { MOST_OVER = 4 };
/* All times what stands below a fraction line, as often as it does there: a number that is positive, or that the graphs
 * divide by. */
static bool over_common(Balance *t) {
  Store *s = t->s;
  Item d = {0, RAT_0};
  for (uint32_t i = 0; i < t->n; i++)
    for (uint32_t j = 0; j < t->at[i]->f.f.n; j++) {
      Item x = t->at[i]->f.f.at[j];
      bool below = rat_cmp(x.k, d.k) < 0 && (d.k == RAT_0 || d.a == x.a);
      below = below && atom_not_zero(s, x.a) && !(flags_of(s, x.a) & MAY_INF);
      below = below && (rat_is_int(x.k) || (flags_of(s, x.a) & IS_POS));
      for (uint32_t k = 0; k < s->atoms.at[x.a].n && below; k++)
        below = !label_among(t->at[i]->bound, t->at[i]->n_bound, s->atoms.at[x.a].at[k]);
      if (below) d = x;
    }
  if (d.k == RAT_0 || t->over == MOST_OVER) return false;
  uint32_t needs = t->needs | (flags_of(s, d.a) & IS_POS ? 0 : NEEDS_NONZERO);
  Balance over = {.s = s, .steps = t->steps, .over = t->over + 1, .needs = needs};
  for (uint32_t i = 0; i < t->n; i++) {
    Bag *b = copy_bag(s, t->at[i], UINT32_MAX);
    for (uint32_t k = 0; k < s->atoms.at[d.a].n; k++)
      over.failed |= label_among(b->bound, b->n_bound, s->atoms.at[d.a].at[k]);
    over.failed |= !product_put(s, &b->f, num_of(d.a), rat_neg(d.k));
    put_bag(&over, b);
  }
  return *t = over, true;
}

/* The newest definition is unfolded first: nothing that is left can have it. */
static bool comes_to_nothing(Balance *t) {
  while (t->n && !t->failed && t->steps++ < t->s->patience && t->n < MOST_TERMS) {
    uint32_t at = 0;
    for (uint32_t i = 1; i < t->n; i++)
      if (t->at[i]->newest > t->at[at]->newest) at = i;
    Bag *b = t->at[at];
    if (!b->newest && !over_common(t)) return false;
    if (!b->newest) continue;
    t->at[at] = t->at[--t->n];
    unfold(t, b, b->factor);
  }
  t->s->needs |= t->needs;
  return !t->n && !t->failed;
}

static void put_num(Balance *t, const Label *bound, uint32_t n_bound, Num v, bool right) {
  Bag *b = ARENA_NEW(&t->s->scratch, Bag);
  *b = (Bag){.f.k = right ? RAT_NEG1 : RAT_1, .n_bound = n_bound, .right = right};
  if (n_bound) memcpy(b->bound, bound, n_bound * sizeof *bound);
  if (v.k == RAT_0) return;
  t->failed |= !product_put(t->s, &b->f, v, RAT_1);
  put_bag(t, b);
}

/* Where all is finite, what both sides have goes at once, combinations opened. */
bool same_sums(Store *s, const Num *x, uint32_t n, const Num *y, uint32_t m) {
  Balance t = {.s = s};
  Poly unshared = {0};
  bool finite = true;
  for (uint32_t i = 0; i < n + m && finite; i++) {
    Num v = i < n ? x[i] : y[i - n];
    finite = !(flags_of(s, v.a) & MAY_INF);
    if (finite) poly_linear(s, &unshared, i < n ? RAT_1 : RAT_NEG1, v);
  }
  poly_pack(&unshared);
  for (uint32_t i = 0; i < unshared.n && finite; i++)
    put_num(&t, NULL, 0, (Num){unshared.at[i].k, unshared.at[i].a}, false);
  for (uint32_t i = 0; i < n && !finite; i++) put_num(&t, NULL, 0, x[i], false);
  for (uint32_t i = 0; i < m && !finite; i++) put_num(&t, NULL, 0, y[i], true);
  return comes_to_nothing(&t);
}

bool same_products(Store *s, const Product *x, const Product *y) {
  Balance t = {.s = s};
  Product left = *x, right = *y;
  if (same_factors(s, &left, &right) && left.k == right.k) return true;
  for (int i = 0; i < 2; i++) {
    Bag *b = ARENA_NEW(&s->scratch, Bag);
    *b = (Bag){.f = i ? *y : *x, .right = i};
    if (i) b->f.k = rat_neg(b->f.k);
    put_bag(&t, b);
  }
  return comes_to_nothing(&t);
}

bool law_same(Store *s, Num v, Num w) { return num_same(v, w) || same_sums(s, &v, 1, &w, 1); }

bool same_sum_over(Store *s, const Label *bound, uint32_t n_bound, Num v, Num w) {
  Balance t = {.s = s};
  if (n_bound > 64) return false;
  put_num(&t, bound, n_bound, v, false);
  put_num(&t, NULL, 0, w, true);
  return comes_to_nothing(&t);
}

bool law_sum_of_roots(Store *s, Atom squares, Num w) {
  Balance t = {.s = s};
  Def d = *def_of(s, squares);
  Bag *b = ARENA_NEW(&s->scratch, Bag);
  Label *bound = atom_bound(s, squares);
  const Item *x = atom_open(s, squares, bound);
  *b = (Bag){.f.k = RAT_1, .n_bound = d.n_bound};
  if (d.n_bound > 64) return false;
  memcpy(b->bound, bound, d.n_bound * sizeof *bound);
  for (uint32_t i = 0; i < d.n_args; i++) {
    Rat root = flags_of(s, x[i].a) & IS_PRED ? x[i].k : rat_div(x[i].k, RAT_INT(2));
    if (!rat_is_int(root) || !product_put(s, &b->f, num_of(x[i].a), root)) return false;
  }
  put_bag(&t, b);
  put_num(&t, NULL, 0, w, true);
  uint32_t patience = s->patience;
  s->patience = MOST_UNFOLDED; /* what is known does not depend on when it is asked */
  bool is = comes_to_nothing(&t);
  s->patience = patience;
  return is;
}
