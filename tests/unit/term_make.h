/* Which random terms: shapes that the laws of the calculus look for, and shapes that nearly are ones. */
#ifndef TVR_TEST_TERM_MAKE_H
#define TVR_TEST_TERM_MAKE_H
#include "tests/unit/term.h"

static T *node(World *w, TermKind kind, uint32_t n) {
  T *t = &w->node[w->n_nodes < NODES - 1 ? w->n_nodes++ : NODES - 1];
  *t = (T){.kind = kind, .n = n};
  return t;
}

static T *number(World *w, Rat k) {
  T *t = node(w, T_NUM, 0);
  t->num = k;
  return t;
}

static uint32_t new_var(World *w, int64_t size) {
  w->size[w->n_vars] = size;
  return w->n_vars++;
}

static uint32_t some_var(World *w, const Scope *s) { return s->var[below(w, s->n)]; }

static IxForm some_form(World *w, const Scope *s) {
  IxForm f = {.constant = below(w, 7) - 3};
  int64_t weights[] = {1, 1, 1, -1, 2, 3, 4, -2, 6};
  for (int64_t k = below(w, 3); k-- >= 0;) {
    f.at[f.n].var = some_var(w, s);
    f.at[f.n++].coef = weights[below(w, 9)];
  }
  return f;
}

static bool inside(const World *w, const IxForm *f, int64_t size) {
  int64_t lo = f->constant, hi = f->constant;
  for (uint32_t i = 0; i < f->n; i++) {
    int64_t most = f->at[i].coef * (w->size[f->at[i].var] - 1);
    *(most < 0 ? &lo : &hi) += most;
  }
  return lo >= 0 && hi < size;
}

/* A form with values in 0 .. size - 1. */
static IxForm form_inside(World *w, const Scope *s, int64_t size) {
  for (int tries = 0; tries < 30; tries++) {
    IxForm f = {0};
    if (chance(w, 40)) {
      f.n = 1;
      f.at[0].var = some_var(w, s);
      f.at[0].coef = 1;
    } else if (chance(w, 80)) {
      f = some_form(w, s);
    } else {
      f.constant = below(w, size);
    }
    if (inside(w, &f, size)) return f;
  }
  return (IxForm){.constant = below(w, size)};
}

static T *real(World *w, const Scope *s, int depth);
static T *integer(World *w, const Scope *s, int depth);
static T *predicate(World *w, const Scope *s, int depth);

static T *leaf(World *w, const Scope *s, uint32_t which, int percent_inside) {
  T *t = node(w, T_LEAF, 0);
  t->which = which;
  t->n_forms = w->leaf[which].rank;
  for (uint32_t i = 0; i < t->n_forms; i++)
    t->form[i] = chance(w, percent_inside) ? form_inside(w, s, w->leaf[which].sizes[i]) : some_form(w, s);
  t->var[2] = (uint32_t)below(w, 2); /* 0: made at place holders, then renamed */
  return t;
}

static Rat some_rat(World *w) {
  int64_t d[] = {1, 1, 1, 2, 3, 4}, n = below(w, 9) - 4;
  if (chance(w, 3)) return rat_int(chance(w, 50) ? 1000000000 : -1000000000);
  return rat_frac(n ? n : 1, d[below(w, 6)]);
}

static T *idx(World *w, const Scope *s) {
  T *t = node(w, T_IDX, 0);
  t->var[0] = some_var(w, s);
  return t;
}

static T *product(World *w, T *a, T *b) {
  T *t = node(w, T_MUL, 2);
  t->arg[0] = a;
  t->arg[1] = b;
  return t;
}

static T *call(World *w, uint32_t which, const Scope *s, int depth, bool whole) {
  T *t = node(w, T_FN, term_fn_arity[which]);
  t->which = which;
  bool divides = !strcmp(term_fns[which], "truncdiv") || !strcmp(term_fns[which], "rem");
  for (uint32_t i = 0; i < t->n; i++)
    t->arg[i] = divides && i == 1 && chance(w, 85) ? number(w, rat_int(below(w, 6) - (chance(w, 20) ? 6 : -1)))
                : whole || divides               ? integer(w, s, depth - 1)
                                                 : real(w, s, depth - 1);
  if (!strcmp(term_fns[which], "pow")) t->arg[1] = number(w, rat_frac(below(w, 9) - 4, 1 + below(w, 3)));
  return t;
}

static T *integer(World *w, const Scope *s, int depth) {
  int64_t pick = below(w, depth > 0 ? 12 : 5);
  if (pick < 2) return idx(w, s);
  if (pick < 4) return leaf(w, s, 3 + (uint32_t)below(w, 4), 75);
  if (pick == 4) return number(w, rat_int(below(w, 9) - 3));
  if (pick == 5) return call(w, chance(w, 50) ? 6 : 7, s, depth, true);
  if (pick == 6) return call(w, 8 + (uint32_t)below(w, 3), s, depth, true);
  if (pick == 7) return predicate(w, s, depth - 1);
  T *t = node(w, T_ADD, 2 + (uint32_t)below(w, 2));
  int64_t weights[] = {1, 1, -1, 2, 3, 4, 6, -2, -3, 12};
  for (uint32_t i = 0; i < t->n; i++)
    t->arg[i] = product(w, number(w, rat_int(weights[below(w, 10)])), integer(w, s, depth - 1));
  return t;
}

static T *index_of(World *w, uint32_t var) {
  T *t = node(w, T_IDX, 0);
  t->var[0] = var;
  return t;
}

static T *weighted(World *w, int64_t k, T *a) { return product(w, number(w, rat_int(k)), a); }

static T *difference(World *w, T *a, T *b) {
  T *t = node(w, T_ADD, 2);
  t->arg[0] = a;
  t->arg[1] = weighted(w, -1, b);
  return t;
}

/* Something with an interval but no integer, compared as if it were a digit. */
static T *compared(World *w, const Scope *s) {
  T *t = node(w, T_CMP, 2), *sum = node(w, T_ADD, 2);
  sum->arg[0] = weighted(w, 1 + below(w, 4), leaf(w, s, 1 + (uint32_t)below(w, 2), 100));
  sum->arg[1] = weighted(w, below(w, 9) - 4, chance(w, 50) ? idx(w, s) : leaf(w, s, 4, 100));
  t->arg[0] = sum;
  t->arg[1] = number(w, rat_int(below(w, 12) - 4));
  t->which = (uint32_t)below(w, 6);
  return t;
}

static bool scope_within(const Scope *inner, const Scope *outer) {
  for (uint32_t i = 0, j; i < inner->n; i++) {
    for (j = 0; j < outer->n && outer->var[j] != inner->var[i]; j++) {
    }
    if (j == outer->n) return false;
  }
  return true;
}

/* One term at several places: what divides is often what guards.  NULL: none fits. */
static T *again(World *w, const Kept *k, const Scope *s) {
  if (!k->n || !chance(w, 20)) return NULL;
  uint32_t i = (uint32_t)below(w, k->n < KEPT ? k->n : KEPT);
  return scope_within(&k->scope[i], s) ? k->at[i] : NULL;
}

static T *keep(World *w, Kept *k, const Scope *s, T *t) {
  if (w->n_nodes >= NODES - 1) return t;
  k->at[k->n % KEPT] = t;
  k->scope[k->n++ % KEPT] = *s;
  return t;
}

static T *new_predicate(World *w, const Scope *s, int depth);
static T *predicate(World *w, const Scope *s, int depth) {
  T *t = again(w, &w->predicates, s);
  return t ? t : keep(w, &w->predicates, s, new_predicate(w, s, depth));
}

static T *new_predicate(World *w, const Scope *s, int depth) {
  int64_t pick = below(w, depth > 0 ? 15 : 8);
  if (pick < 2) return leaf(w, s, 5, 100);
  if (pick == 14) return compared(w, s);
  T *t;
  if (pick < 4) { /* one position */
    t = node(w, T_CMP, 2);
    t->arg[0] = idx(w, s);
    t->arg[1] = chance(w, 50) ? number(w, rat_int(below(w, 5))) : idx(w, s);
    t->which = chance(w, 70) ? CMP_EQ : (uint32_t)below(w, 6);
  } else if (pick < 8) {
    bool of_real = chance(w, 20);
    t = node(w, T_CMP, 2);
    t->which = (uint32_t)below(w, 6);
    t->arg[0] = of_real ? real(w, s, depth - 1) : integer(w, s, depth);
    t->arg[1] = chance(w, 50) ? number(w, of_real ? some_rat(w) : rat_int(below(w, 14) - 3)) : integer(w, s, depth - 1);
  } else if (pick < 10) {
    t = node(w, T_NOT, 1);
    t->arg[0] = predicate(w, s, depth - 1);
  } else if (pick < 12) {
    t = product(w, predicate(w, s, depth - 1), predicate(w, s, depth - 1));
  } else {
    t = node(w, T_INSIDE, 1);
    t->arg[0] = integer(w, s, depth);
    t->at[0] = below(w, 6) - 2;
    t->at[1] = t->at[0] + 1 + below(w, 6);
  }
  return t;
}

static T *bound(World *w, TermKind kind, const Scope *s, int depth) {
  T *t = node(w, kind, kind == T_SUM ? 1 : 1 + (uint32_t)below(w, 2));
  Scope in = *s;
  t->n_vars = kind == T_SUM ? 1 + (uint32_t)below(w, 2) : (uint32_t)below(w, 2);
  for (uint32_t i = 0; i < t->n_vars; i++) in.var[in.n++] = t->var[i] = new_var(w, 2 + below(w, 4));
  for (uint32_t i = 0; i < t->n; i++) t->arg[i] = real(w, &in, depth - 1);
  if (kind == T_OPAQUE) {
    t->n_forms = (uint32_t)below(w, 3);
    for (uint32_t i = 0; i < t->n_forms; i++) t->form[i] = chance(w, 70) ? form_inside(w, s, 5) : some_form(w, s);
  }
  if (kind == T_SUM && chance(w, 35)) t->arg[0] = product(w, predicate(w, &in, depth - 1), t->arg[0]);
  return t;
}

static T *renamed(World *w, const Scope *s, int depth) {
  T *t = node(w, T_RENAME, 1);
  Scope in = *s;
  t->n_vars = 1 + (uint32_t)below(w, 2);
  for (uint32_t i = 0; i < t->n_vars; i++) {
    uint32_t v = chance(w, 60) ? new_var(w, 2 + below(w, 5)) : s->var[below(w, s->n)];
    if (i && v == t->var[0]) v = new_var(w, 2 + below(w, 5));
    t->var[i] = v;
    if (v >= FREE) in.var[in.n++] = v;
    t->form[i] = form_inside(w, s, w->size[v]);
  }
  t->arg[0] = real(w, &in, depth - 1);
  return t;
}

static T *copies(World *w, const Scope *s, int depth) {
  bool cases = chance(w, 40);
  T *t = node(w, cases ? T_CASES : T_COPIES, 1);
  Scope in = *s;
  t->var[1] = some_var(w, s);
  int64_t size = cases ? w->size[t->var[1]] : 2 + below(w, 3);
  in.var[in.n++] = t->var[0] = new_var(w, size);
  for (int64_t i = 0; i < size; i++) t->at[i] = i;
  if (chance(w, 25)) t->at[below(w, size)] = below(w, size);
  t->which = (uint32_t)below(w, 2);
  t->n_forms = (uint32_t)below(w, 2);
  t->arg[0] = real(w, &in, depth - 1);
  return t;
}

/* A sum of products of powers of two exponentials, which the normal form factors. */
static T *exponentials(World *w, const Scope *s, int depth) {
  T *atom[2] = {chance(w, 50) ? real(w, s, depth - 2) : leaf(w, s, 0, 75), leaf(w, s, 7, 75)};
  T *sum = node(w, T_ADD, 2 + (uint32_t)below(w, 2));
  for (uint32_t i = 0; i < sum->n; i++) {
    T *e = node(w, T_FN, 1), *power = node(w, T_ADD, 2);
    for (uint32_t j = 0; j < 2; j++) power->arg[j] = product(w, number(w, rat_int(below(w, 5) - 2)), atom[j]);
    e->arg[0] = power;
    sum->arg[i] = product(w, chance(w, 50) ? number(w, some_rat(w)) : leaf(w, s, 1, 75), e);
  }
  if (chance(w, 40)) return sum;
  T *t = node(w, chance(w, 50) ? T_FN : T_POW, 1);
  t->which = 1;
  t->num = chance(w, 70) ? RAT_NEG1 : RAT_INT(2);
  t->arg[0] = sum;
  return t;
}

/* Something that is minus infinity in places, and something added to it or multiplied by it. */
static T *masked(World *w, const Scope *s, int depth) {
  T *t = node(w, T_SEL, 3);
  t->arg[0] = predicate(w, s, depth - 1);
  t->arg[1] = real(w, s, depth - 2);
  t->arg[2] = node(w, T_INF, 0);
  if (chance(w, 50)) t = product(w, chance(w, 50) ? number(w, some_rat(w)) : real(w, s, depth - 2), t);
  if (chance(w, 50)) return t;
  T *sum = node(w, T_ADD, 2);
  sum->arg[0] = t;
  sum->arg[1] = chance(w, 30) ? node(w, T_INF, 0) : real(w, s, depth - 2);
  return sum;
}

/* A sum over one or two indices of predicates on them in mixed radix, or nearly: one-hot, intervals, complete families. */
static T *counted(World *w, const Scope *s, int depth) {
  T *t = node(w, T_SUM, 1), *digits, *p = node(w, T_CMP, 2), *f;
  Scope in = *s;
  t->n_vars = 1 + (uint32_t)below(w, 2);
  for (uint32_t i = 0; i < t->n_vars; i++) in.var[in.n++] = t->var[i] = new_var(w, 2 + below(w, 3));
  int64_t radix = w->size[t->var[0]] + (chance(w, 20) ? below(w, 3) - 1 : 0), weight = chance(w, 70) ? 1 : 1 + below(w, 4);
  digits = weighted(w, weight, index_of(w, t->var[0]));
  if (t->n_vars == 2) {
    T *both = node(w, T_ADD, 2);
    both->arg[0] = digits;
    both->arg[1] = weighted(w, weight * radix, index_of(w, t->var[1]));
    digits = both;
  }
  if (chance(w, 30) && t->n_vars == 2) { /* against the digits of others */
    f = node(w, T_ADD, 2);
    f->arg[0] = weighted(w, weight, idx(w, s));
    f->arg[1] = weighted(w, weight * radix, idx(w, s));
  } else {
    f = chance(w, 15) ? real(w, s, 0) : integer(w, s, depth - 2);
  }
  p->arg[0] = digits;
  p->arg[1] = f;
  p->which = CMP_EQ;
  if (chance(w, 40)) { /* 0 <= f - digits < weight */
    p = node(w, T_INSIDE, 1);
    p->arg[0] = difference(w, f, digits);
    p->at[1] = chance(w, 80) ? weight : weight + 1;
  }
  t->arg[0] = chance(w, 50) ? p : product(w, p, real(w, &in, depth - 2));
  return t;
}

/* [i == f] (a + sum_j [j == f] g(j)) */
static T *known_place(World *w, const Scope *s, int depth) {
  Scope in = *s;
  T *sum = node(w, T_SUM, 1), *outer = node(w, T_CMP, 2), *inner = node(w, T_CMP, 2), *add = node(w, T_ADD, 2);
  uint32_t i = some_var(w, s);
  sum->n_vars = 1;
  in.var[in.n++] = sum->var[0] = new_var(w, chance(w, 80) ? w->size[i] : 2 + below(w, 3));
  T *f = chance(w, 20) ? real(w, s, 0) : integer(w, s, depth - 2);
  int64_t weight = chance(w, 80) ? 1 : 2;
  outer->which = chance(w, 85) ? CMP_EQ : (uint32_t)below(w, 6);
  inner->which = CMP_EQ;
  outer->arg[0] = weighted(w, weight, index_of(w, i));
  inner->arg[0] = weighted(w, chance(w, 90) ? weight : 1, index_of(w, sum->var[0]));
  outer->arg[1] = inner->arg[1] = f;
  sum->arg[0] = product(w, inner, real(w, &in, depth - 2));
  add->arg[0] = sum;
  add->arg[1] = real(w, s, depth - 2);
  return product(w, outer, chance(w, 60) ? add : sum);
}

/* x^p y + x^q z with an x that may have no index, or be a predicate. */
static T *common_factor(World *w, const Scope *s, int depth) {
  uint32_t flat = 0; /* leaves without an index */
  for (uint32_t i = 0; i < 5; i++)
    if (!w->leaf[i].rank) flat = i;
  T *sum = node(w, T_ADD, 2), *x = chance(w, 30) ? predicate(w, s, depth - 1) : leaf(w, s, flat, 75);
  for (uint32_t i = 0; i < 2; i++) {
    T *power = node(w, T_POW, 1);
    power->num = rat_int(chance(w, 70) ? 1 + below(w, 3) : below(w, 5) - 3);
    power->arg[0] = x;
    sum->arg[i] = product(w, chance(w, 50) || !rat_sign(power->num) ? x : power, real(w, s, depth - 2));
  }
  return chance(w, 50) ? sum : product(w, number(w, some_rat(w)), sum);
}

/* k (1 - q) x + l q (x + y) */
static T *two_cases(World *w, const Scope *s, int depth) {
  T *q = predicate(w, s, depth - 1), *x = real(w, s, depth - 2), *add = node(w, T_ADD, 2), *both = node(w, T_ADD, 2);
  T *other = difference(w, number(w, RAT_1), chance(w, 90) ? q : predicate(w, s, depth - 1));
  add->arg[0] = x;
  add->arg[1] = real(w, s, depth - 2);
  both->arg[0] = product(w, other, x);
  both->arg[1] = product(w, q, chance(w, 70) ? add : x);
  if (chance(w, 40)) both->arg[0] = product(w, number(w, some_rat(w)), both->arg[0]);
  return both;
}

/* k sum_{b<n} f(b) + l sum_{b<m} f(b + n), or the second one shifted by something else. */
static T *ranges(World *w, const Scope *s, int depth) {
  Scope in = *s;
  int64_t n = 2 + below(w, 2), m = 1 + below(w, 2); /* at most MOST */
  uint32_t body = new_var(w, n + m + 1);
  in.var[in.n++] = body;
  T *f = product(w, leaf(w, &in, 0, 75), real(w, &in, depth - 2)), *sum = node(w, T_ADD, 2);
  for (uint32_t i = 0; i < 2; i++) {
    T *part = node(w, T_SUM, 1), *r = node(w, T_RENAME, 1);
    part->n_vars = r->n_vars = 1;
    part->var[0] = new_var(w, i ? m : n);
    r->var[0] = body;
    r->form[0] = (IxForm){.constant = i ? n + (chance(w, 15) ? 1 : 0) : 0, .n = 1};
    r->form[0].at[0].coef = 1;
    r->form[0].at[0].var = part->var[0];
    r->arg[0] = f;
    part->arg[0] = r;
    sum->arg[i] = weighted(w, chance(w, 85) ? 1 : 2, part);
  }
  return sum;
}

/* body, whose variables b are read as v. */
static T *read_as(World *w, T *body, const uint32_t *b, const uint32_t *v) {
  T *t = node(w, T_RENAME, 1);
  t->n_vars = 2;
  for (uint32_t i = 0; i < 2; i++) {
    t->var[i] = b[i];
    t->form[i] = (IxForm){.n = 1};
    t->form[i].at[0].coef = 1;
    t->form[i].at[0].var = v[i];
  }
  t->arg[0] = body;
  return t;
}

static T *over(World *w, TermKind kind, uint32_t n, const uint32_t *v, T *body) {
  T *t = node(w, kind, 1);
  t->n_vars = n;
  for (uint32_t i = 0; i < n; i++) t->var[i] = v[i];
  t->arg[0] = body;
  return t;
}

static T *equal(World *w, T *a, T *b) {
  T *t = node(w, T_CMP, 2);
  t->arg[0] = a;
  t->arg[1] = b;
  t->which = chance(w, 85) ? CMP_EQ : (uint32_t)below(w, 6);
  return t;
}

/* Something that depends on both indices, and has equal values often. */
static T *valued(World *w, const uint32_t *b, const Scope *s) {
  T *t = node(w, T_ADD, 2);
  for (uint32_t i = 0; i < 2; i++) {
    T *x = leaf(w, s, chance(w, 60) ? 3 + (uint32_t)below(w, 3) : (uint32_t)below(w, LEAVES), 100);
    bool reads = false;
    for (uint32_t d = 0; d < x->n_forms && !reads; d++)
      if (w->leaf[x->which].sizes[d] >= w->size[b[i]]) {
        x->form[d] = (IxForm){.n = 1};
        x->form[d].at[0].coef = 1;
        x->form[d].at[0].var = b[i];
        reads = true;
      }
    t->arg[i] = reads ? x : product(w, index_of(w, b[i]), x);
  }
  return chance(w, 10) ? masked(w, s, 1) : t;
}

/* max (if x == its maximum then digits else something), cut into the index of the largest part and the one in it, and
 * what is read at such a place; or nearly. */
static T *picked(World *w, const Scope *s, int depth) {
  uint32_t b[2], v[2], u[2], n[2] = {0};
  Scope in = *s;
  for (uint32_t i = 0; i < 2; i++) in.var[in.n++] = b[i] = new_var(w, 2 + below(w, 2));
  for (uint32_t i = 0; i < 2; i++) v[i] = new_var(w, w->size[b[i]]), u[i] = new_var(w, w->size[b[i]]);
  T *x = chance(w, 80) ? valued(w, b, &in) : real(w, &in, depth - 2);
  bool parts = chance(w, 50);
  uint32_t mixed[2] = {v[0], u[1]};
  T *here = read_as(w, x, b, v), *all = over(w, T_MAX, 2, u, read_as(w, x, b, u));
  T *part = over(w, T_MAX, 1, &u[1], read_as(w, x, b, mixed));
  int64_t sign = chance(w, 80) ? -1 : 1, most = w->size[b[1]] - 1;
  T *inner = node(w, T_SEL, 3), *digits = node(w, T_ADD, 2), *outer = node(w, T_SEL, 3);
  inner->arg[0] = parts ? equal(w, here, part) : equal(w, here, all);
  inner->arg[1] = weighted(w, sign, index_of(w, v[1]));
  inner->arg[2] = chance(w, 60) ? number(w, rat_int(sign < 0 ? -most : 0)) : number(w, some_rat(w));
  digits->arg[0] = weighted(w, sign * (most + (chance(w, 90) ? 1 : 0)), index_of(w, v[0]));
  digits->arg[1] = parts ? over(w, T_MAX, 1, &v[1], inner) : weighted(w, sign, index_of(w, v[1]));
  outer->arg[0] = parts ? equal(w, part, all) : equal(w, here, all);
  outer->arg[1] = digits;
  outer->arg[2] = chance(w, 60) ? number(w, rat_int(-100)) : chance(w, 50) ? node(w, T_INF, 0) : number(w, some_rat(w));
  T *most_of = over(w, T_MAX, parts ? 1 : 2, v, outer);
  if (chance(w, 40)) return most_of;
  /* sum(n) [n == -place] g(n) */
  T *place = node(w, T_SEL, 3), *first = over(w, T_MAX, 1, &v[0], place), *p = node(w, T_CMP, 2), *g;
  place->arg[0] = equal(w, part, all);
  place->arg[1] = weighted(w, sign, index_of(w, v[0]));
  place->arg[2] = number(w, rat_int(chance(w, 80) ? -(w->size[b[0]] - 1) : below(w, 3) - 2));
  n[0] = new_var(w, w->size[b[0]]), n[1] = u[1];
  Scope sum = *s;
  sum.var[sum.n++] = n[0];
  g = chance(w, 30)   ? over(w, T_MAX, 1, &u[1], read_as(w, x, b, n))
      : chance(w, 70) ? leaf(w, &sum, 3 + (uint32_t)below(w, 3), 100)
                      : real(w, &sum, depth - 2);
  p->arg[0] = index_of(w, n[0]);
  p->arg[1] = weighted(w, -1, first);
  p->which = CMP_EQ;
  return over(w, T_SUM, 1, n, product(w, p, g));
}

/* What stands under a condition is divided by something that the condition is part of. */
static T *guarded(World *w, const Scope *s, int depth) {
  static const Rat exponents[][2] = {{-1, 1}, {-2, 1}, {-1, 2}};
  T *t = node(w, T_SEL, 3), *power = node(w, T_POW, 1);
  int64_t e = below(w, 3);
  t->arg[0] = predicate(w, s, depth - 1);
  power->num = rat_frac((int64_t)exponents[e][0], (int64_t)exponents[e][1]);
  power->arg[0] = chance(w, 50) ? t->arg[0] : product(w, t->arg[0], real(w, s, depth - 2));
  t->arg[1] = product(w, real(w, s, depth - 1), power);
  t->arg[2] = chance(w, 70) ? number(w, RAT_0) : real(w, s, depth - 1);
  return t;
}

static T *new_real(World *w, const Scope *s, int depth);
static T *real(World *w, const Scope *s, int depth) {
  T *t = again(w, chance(w, 25) ? &w->predicates : &w->reals, s);
  return t ? t : keep(w, &w->reals, s, new_real(w, s, depth));
}

static T *new_real(World *w, const Scope *s, int depth) {
  if (depth <= 0 || w->n_nodes > 60 || w->n_vars > VARS - 8) {
    int64_t pick = below(w, 8);
    if (pick == 0) return number(w, some_rat(w));
    if (pick == 1) return idx(w, s);
    if (pick < 7 || chance(w, 50)) return leaf(w, s, (uint32_t)below(w, LEAVES), 75);
    T *t = node(w, T_TABLE, 0);
    t->var[0] = some_var(w, s);
    for (int i = 0; i < MOST; i++) t->at[i] = chance(w, 50) ? i * 2 : below(w, 16) - 8;
    return t;
  }
  static const Rat exponents[][2] = {{-2, 1}, {-1, 1}, {-1, 2}, {1, 2}, {2, 1}, {3, 1}, {1, 3}, {2, 3}, {3, 2}, {-3, 2}};
  T *t;
  switch (below(w, 30)) {
    case 0:
    case 1:
    case 2:
      t = node(w, T_ADD, 2 + (uint32_t)below(w, 3));
      for (uint32_t i = 0; i < t->n; i++) {
        t->arg[i] = real(w, s, depth - 1);
        if (chance(w, 40)) t->arg[i] = product(w, number(w, some_rat(w)), t->arg[i]);
      }
      return t;
    case 3:
    case 4:
    case 5:
      t = node(w, T_MUL, 2 + (uint32_t)below(w, 3));
      for (uint32_t i = 0; i < t->n; i++)
        t->arg[i] = chance(w, 35) ? predicate(w, s, depth - 1) : real(w, s, depth - 1);
      return t;
    case 6: {
      t = node(w, T_POW, 1);
      int64_t e = below(w, 10);
      t->arg[0] = real(w, s, depth - 1);
      if (chance(w, 40)) { /* of a sum */
        T *sum = node(w, T_ADD, 2);
        sum->arg[0] = t->arg[0];
        sum->arg[1] = chance(w, 50) ? number(w, some_rat(w)) : real(w, s, depth - 2);
        t->arg[0] = sum;
      }
      t->num = rat_frac((int64_t)exponents[e][0], (int64_t)exponents[e][1]);
      return t;
    }
    case 7:
    case 8:
    case 9: return bound(w, T_SUM, s, depth);
    case 10: return bound(w, T_MAX, s, depth);
    case 11: return chance(w, 40) ? bound(w, T_OPAQUE, s, depth) : bound(w, T_SUM, s, depth);
    case 12: return predicate(w, s, depth);
    case 13:
    case 14:
      t = node(w, T_SEL, 3);
      t->arg[0] = predicate(w, s, depth - 1);
      t->arg[1] = real(w, s, depth - 1);
      t->arg[2] = chance(w, 25) ? number(w, RAT_0) : chance(w, 20) ? node(w, T_INF, 0) : real(w, s, depth - 1);
      return t;
    case 15:
    case 16: return call(w, (uint32_t)(chance(w, 40) ? below(w, 2) : below(w, TERM_FNS)), s, depth, false);
    case 17: return renamed(w, s, depth);
    case 18: return copies(w, s, depth);
    case 19: return exponentials(w, s, depth);
    case 20: return masked(w, s, depth);
    case 21: return counted(w, s, depth);
    case 22: return ranges(w, s, depth);
    case 23: return known_place(w, s, depth);
    case 24: return two_cases(w, s, depth);
    case 28: return guarded(w, s, depth);
    case 25: return common_factor(w, s, depth);
    case 26:
    case 27: return picked(w, s, depth);
    default: return integer(w, s, depth);
  }
}

static T *make_world(World *w, uint64_t seed) {
  *w = (World){.random = seed};
  w->salt = next_random(w);
  for (uint32_t i = 0; i < FREE; i++) new_var(w, 2 + below(w, i == 3 ? 5 : 3));
  static const LeafInfo infos[LEAVES] = {
      {0},
      {.has_range = true},
      {.has_range = true},
      {.integer = true, .has_range = true},
      {.integer = true, .has_range = true, .has_gap = true},
      {.integer = true, .has_range = true},
      {.integer = true},
      {0}};
  int64_t range[LEAVES][2] = {{0}, {1, 3}, {0, 2}, {0, 5}, {-4, 3}, {0, 1}, {0}, {0}};
  int64_t gap[][2] = {{-4, 0}, {-4, -1}, {1, 3}, {-2, 1}};
  int64_t *g = gap[below(w, 4)];
  for (uint32_t i = 0; i < LEAVES; i++) {
    Leaf *l = &w->leaf[i];
    l->rank = (uint32_t)below(w, 3);
    l->info = infos[i];
    l->info.lo = rat_int(range[i][0]);
    l->info.hi = rat_int(range[i][1]);
    l->info.gap_lo = rat_int(g[0]);
    l->info.gap_hi = rat_int(g[1]);
    l->has_sorts = chance(w, 60);
    for (uint32_t d = 0; d < 2; d++) l->sizes[d] = 2 + below(w, 5), l->sorts[d] = (Sort)below(w, 4);
  }
  w->options = (CalculusOptions){.flat = chance(w, 50), .expand = chance(w, 35) ? 32 : 0, .max_steps = 100000};
  w->options.cases = chance(w, 15);
  w->options.outside = w->options.flat && seed % 2;
  if (chance(w, 20)) w->split[w->n_split++] = 1 + (Sort)below(w, 3);
  Scope s = {FREE, {0, 1, 2, 3}};
  return real(w, &s, 2 + (int)below(w, 4));
}
#endif
