/* Positions of a largest value: max(k) of if x[k] == max(j) x[j] then a[k] else b, which is how the definition of
 * argmax reads.  Some k has x[k] == max(j) x[j], whatever x is: so b does not matter where it is no larger than any
 * a[k]; and a maximum of this kind inside of a[k] is one over both indices. */
#include "certify/law.h"

enum { MOST_BOUND = 32, MOST_NESTED = 4 };

/* z == m, where m is the maximum of z over some of the bound labels. */
typedef struct Largest {
  Num z, m;
} Largest;

/* max over `bound`, where all of `at` are the largest, of the sum of the terms */
typedef struct Pick {
  uint32_t n_bound, n_at;
  Label bound[MOST_BOUND];
  Largest at[MOST_NESTED];
  Poly terms;
} Pick;

static bool is_largest(Replay *p, Atom a, const Label *bound, uint32_t n_bound, Largest *out) {
  Store *s = p->s;
  if (def_of(s, a)->kind != DEF_EQ) return false;
  Poly form = law_form(s, a);
  for (uint32_t i = 0; i < form.n; i++) {
    Label over[MOST_BOUND];
    uint32_t m = 0;
    if (def_of(s, form.at[i].a)->kind != DEF_MAX) continue;
    *out = (Largest){law_solved(p, &form, i), num_of(form.at[i].a)};
    for (uint32_t b = 0; b < n_bound; b++)
      if (atom_has(s, out->z.a, bound[b]) && !atom_has(s, out->m.a, bound[b])) over[m++] = bound[b];
    if (m && !(flags_of(s, out->z.a) & MAY_INF) && num_same(goal_max(p, &out->z, 1, over, m), out->m)) return true;
  }
  return false;
}

static bool open_terms(Replay *p, Pick *out);

/* The maximum of v over `bound`, added to `out` weight times. */
static bool open_choice(Replay *p, Num v, const Label *bound, uint32_t n_bound, Rat weight, Pick *out) {
  Store *s = p->s;
  Rat lo, hi;
  if (def_of(s, v.a)->kind != DEF_SELECT || out->n_bound + n_bound > MOST_BOUND || out->n_at == MOST_NESTED)
    return false;
  const Item *x = atom_open(s, v.a, NULL);
  Num a = {v.k, x[1].a}, b = {v.k, x[2].a};
  if (def_of(s, b.a)->kind == DEF_LIN) { /* a number */
    Poly number = law_linear_of(s, b);
    if (number.n != 1) return false;
    b = (Num){number.at[0].k, number.at[0].a};
  }
  bool below = b.a == ATOM_NEGINF ? rat_sign(b.k) > 0 : num_is(b) && num_range(s, a, &lo, &hi) && rat_cmp(b.k, lo) <= 0;
  if (!below || (flags_of(s, a.a) & MAY_INF) || !is_largest(p, x[0].a, bound, n_bound, &out->at[out->n_at]))
    return false;
  out->n_at++;
  for (uint32_t i = 0; i < n_bound; i++) out->bound[out->n_bound++] = bound[i];
  poly_linear(s, &out->terms, weight, a);
  return open_terms(p, out);
}

/* Terms that are such maxima themselves. */
static bool open_terms(Replay *p, Pick *out) {
  Store *s = p->s;
  poly_pack(&out->terms);
  for (uint32_t i = 0; i < out->terms.n; i++) {
    Item t = out->terms.at[i];
    const Def *d = def_of(s, t.a);
    if (d->kind != DEF_MAX || d->n_args != 1 || !d->n_bound || rat_sign(t.k) <= 0) continue;
    uint32_t n = d->n_bound;
    Label *bound = atom_bound(s, t.a);
    const Item *x = atom_open(s, t.a, bound);
    Pick inner = *out;
    inner.terms = (Poly){0};
    for (uint32_t j = 0; j < out->terms.n; j++)
      if (j != i) poly_put(s, &inner.terms, out->terms.at[j].a, out->terms.at[j].k);
    if (open_choice(p, (Num){x[0].k, x[0].a}, bound, n, t.k, &inner)) return *out = inner, true;
    if (p->failed) return false;
  }
  return true;
}

/* A largest element of a largest part is a largest element. */
static void join(Pick *x) {
  for (uint32_t i = 0; i < x->n_at; i++)
    for (uint32_t j = 0; j < x->n_at; j++) {
      if (i == j || !num_same(x->at[i].z, x->at[j].m)) continue;
      x->at[i].z = x->at[j].z;
      x->at[j] = x->at[--x->n_at];
      i = j = UINT32_MAX;
      break;
    }
}

/* As items without order: z and m of what is the largest, and terms. */
static Item *items_of(Store *s, const Pick *x, uint32_t *n) {
  Item *out = SCRATCH(s, Item, x->terms.n + 2 * x->n_at);
  *n = 0;
  for (uint32_t i = 0; i < x->terms.n; i++) out[(*n)++] = x->terms.at[i];
  for (uint32_t i = 0; i < x->n_at; i++) {
    out[(*n)++] = (Item){x->at[i].z.a, RAT_POS_INF};
    out[(*n)++] = (Item){x->at[i].m.a, RAT_NEG_INF};
  }
  return out;
}

bool law_pick(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Store *s = p->s;
  const Def *d = def_of(s, v.a);
  uint32_t n, m, n_bound = d->n_bound;
  Pick x = {0}, y = {0};
  if (g->n != 1 || d->kind != DEF_MAX || d->n_args != 1 || rat_sign(v.k) <= 0) return false;
  Label *bound = atom_bound(s, v.a);
  const Item *body = atom_open(s, v.a, bound);
  if (!open_choice(p, g->items[0].v, g->bound, g->n_bound, RAT_1, &x) ||
      !open_choice(p, (Num){body[0].k, body[0].a}, bound, n_bound, v.k, &y))
    return false;
  join(&x);
  join(&y);
  if (x.n_at != 1 || y.n_at != 1 || x.at[0].z.k != y.at[0].z.k || x.n_bound != y.n_bound) return false;
  Item *left = items_of(s, &x, &n), *right = items_of(s, &y, &m);
  return n == m && law_match(s, left, right, n, x.bound, y.bound, n_bound);
}

/* f is the first place, in these digits from the minor one up, where *holds, which is the largest somewhere: -max(b) of if
 * *holds then -b else what is below. */
static bool is_first(Replay *p, Num f, const Label *digit, uint32_t n, Subst *at, Atom *holds, Largest *top) {
  Store *s = p->s;
  const Def *d = def_of(s, f.a);
  Pick x = {0};
  int64_t stride = 1;
  if (f.k != RAT_NEG1 || d->kind != DEF_MAX || d->n_args != 1 || d->n_bound != n) return false;
  Label *b = atom_bound(s, f.a);
  const Item *t = atom_open(s, f.a, b);
  if (!open_choice(p, (Num){t->k, t->a}, b, n, RAT_1, &x) || x.terms.n != n) return false;
  *holds = atom_open(s, t->a, NULL)[0].a, *top = x.at[0], *at = (Subst){0};
  for (uint32_t i = 0, j; i < n; stride *= label_size(s, digit[i++])) {
    for (j = 0; j < n && poly_weight(&x.terms, atom_index(s, b[j])) != rat_int(-stride);) j++;
    if (j == n || label_size(s, b[j]) != label_size(s, digit[i]) || !goal_put(at, digit[i], b[j])) return false;
  }
  return true;
}

/* sum(k) [k == f] k = f for 0 <= f < n; sum(k) [k == f] h(k) where f is the first of its kind: what is the largest has
 * its largest value there; h(k) - w k is greatest at the first, if w is more than how much h differs.  k is an index or
 * several, as digits. */
bool law_read_at(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Goal f = law_factors(s, g), in = {.op = GOAL_MUL, .items = SCRATCH(s, GoalItem, f.n)};
  uint32_t chosen = choice_at(c, 0), n = f.n;
  Digits d;
  Subst first;
  Atom holds;
  Largest top;
  Rat lo, hi;
  if (chosen >= n || f.items[chosen].tag != RAT_1 || def_of(s, f.items[chosen].v.a)->kind != DEF_EQ) return false;
  if (!law_digits(s, law_form(s, f.items[chosen].v.a), g, &d)) return false;
  Poly minus = {0};
  poly_add(s, &minus, &d.rest, rat_neg(rat_inv(d.unit)));
  Num at = law_sum(p, &minus);
  bool inside = !p->failed && num_is_int(s, at) && num_range(s, at, &lo, &hi) && rat_sign(lo) >= 0;
  if (!inside || rat_cmp(hi, rat_int(d.places)) >= 0) return false;
  for (uint32_t i = f.n = 0; i < n; i++) {
    bool has = false;
    for (uint32_t j = 0; j < d.n; j++) has |= atom_has(s, f.items[i].v.a, d.at[j]);
    if (i != chosen) *(has ? &in.items[in.n++] : &f.items[f.n++]) = f.items[i];
  }
  Num h = goal_do(p, &in), is = at;
  Poly of_h = law_linear_of(s, h);
  if (!poly_equal(&of_h, &d.place)) {
    if (!is_first(p, at, d.at, d.n, &first, &holds, &top)) return false;
    Num there = goal_substitute(p, h, &first);
    is = top.m;
    if (!num_same(there, top.z)) {
      if (!num_is_int(s, h) || !num_range(s, h, &lo, &hi)) return false;
      Rat weight = rat_add(rat_sub(hi, lo), RAT_1);
      there = goal_subtract(p, there, num_scale(weight, goal_substitute(p, law_sum(p, &d.place), &first)));
      there = goal_choose(p, num_of(holds), there, num_of(ATOM_NEGINF));
      is = goal_add2(p, goal_max(p, &there, 1, first.to, d.n), num_scale(weight, at));
    }
  }
  law_drop(&f, s, d.at, d.n);
  f.items[f.n++] = (GoalItem){is, RAT_1};
  return law_same(s, v, goal_do(p, &f));
}
