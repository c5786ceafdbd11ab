/* The laws of choices, functions and maxima. */
#include "certify/law.h"

/* The plain form: the same function, known or not, of the same arguments.  The last items of a goal are what an unknown
 * one produces. */
bool law_argument(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Store *s = p->s;
  Def d = *def_of(s, v.a);
  uint32_t n = d.n_args;
  if ((int)d.kind - DEF_LIN != (int)g->op || d.fn != g->fn || n > g->n || d.n_bound != g->n_bound) return false;
  for (uint32_t i = 0; i < g->n_bound; i++)
    if (d.sizes[d.n_slots + i] != label_size(s, g->bound[i])) return false;
  Item *x = atom_open(s, v.a, g->bound);
  if (g->op == GOAL_FN && g->fn == sym("abs") && v.k == rat_abs(g->items[0].v.k) && /* |k x| = |k| |x| */
      law_same(s, num_of(g->items[0].v.a), num_of(x[0].a)))
    return true;
  bool same = v.k == RAT_1;
  for (uint32_t i = 0; i < n && same; i++)
    same = g->items[i].tag == RAT_1 && law_same(s, g->items[i].v, num_of(x[i].a));
  for (uint32_t i = 0; i < d.n_slots && same; i++) {
    if (!def_produces(&d, i)) continue;
    same = n < g->n && g->items[n].tag == RAT_0;
    same = same && s->atoms.at[g->items[n++].v.a].at[0] == s->atoms.at[v.a].at[i];
  }
  return same && n == g->n;
}

/* sin(-x) = -sin(x), cos(-x) = cos(x), sin(0) = 0 and cos(0) = 1. */
bool law_circular(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  bool even = g->fn == sym("cos");
  Num x = g->items[0].v;
  if ((!even && g->fn != sym("sin")) || g->n != 1) return false;
  goal_needs(p, !even ? NEEDS_SINE_IS_ODD : x.k == RAT_0 ? NEEDS_COSINE_OF_ZERO : NEEDS_COSINE_IS_EVEN);
  if (x.k == RAT_0) return law_same(p->s, v, num(even ? RAT_1 : RAT_0));
  const Def *d = def_of(p->s, v.a);
  if (d->kind != DEF_FN || d->fn != g->fn || v.k != (even ? RAT_1 : RAT_NEG1)) return false;
  return law_same(p->s, num_scale(RAT_NEG1, x), num_of(atom_open(p->s, v.a, NULL)[0].a));
}

/* q ? v : w = q v + (1 - q) w for finite values. */
bool law_mixture(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Num q = g->items[0].v, x = g->items[1].v, y = g->items[2].v;
  if (!num_is_pred(p->s, q) || ((flags_of(p->s, x.a) | flags_of(p->s, y.a)) & MAY_INF)) return false;
  return law_same(p->s, v, goal_add2(p, goal_mul2(p, q, x), goal_mul2(p, goal_not(p, q), y)));
}

/* exp(x)^k, k < 0, is exp(k x) where x is a number: not known of what may be minus infinity.  But a maximum that is taken
 * from what may be so, too, must be one, and one with a member that is a number is; of others it is assumed. */
static bool inverted(Replay *p, const Poly *sum, Atom x) {
  Store *s = p->s;
  const Def *d = def_of(s, x);
  if (!(flags_of(s, x) & MAY_INF)) return true;
  bool number = false;
  for (uint32_t i = 0; i < sum->n; i++) number |= rat_sign(sum->at[i].k) > 0 && (flags_of(s, sum->at[i].a) & MAY_INF);
  for (uint32_t i = 0; i < d->n_args; i++)
    number |= rat_sign(d->args[i].tag) > 0 && !(s->defs.at[d->args[i].def].flags & MAY_INF);
  if (!number) goal_needs(p, NEEDS_FINITE);
  return d->kind == DEF_MAX;
}

/* exp and log: exp of a sum is a product, exp(log x) = x, log of a product of positive factors is a sum. */
bool law_exponential(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Store *s = p->s;
  bool is_log = g->fn == sym("log");
  if (!is_log && g->fn != sym("exp")) return false;
  Num sum = is_log ? v : g->items[0].v, product = is_log ? g->items[0].v : v;
  Product x = {.k = RAT_1}, y = {.k = RAT_1};
  Poly t = law_linear_of(s, sum), left = {0}, right = {0};
  if (!is_log && rat_sign(poly_weight(&t, ATOM_NEGINF)) > 0) {
    for (uint32_t i = 0; i < t.n; i++) /* what is taken away from minus infinity is assumed to be finite */
      if ((flags_of(s, t.at[i].a) & MAY_INF) && rat_sign(t.at[i].k) < 0) goal_needs(p, NEEDS_FINITE);
    return v.k == RAT_0;
  }
  if (!product_put(s, &x, product, RAT_1)) return false;
  goal_needs(p, is_log ? NEEDS_LOG_OF_EXP : t.n > 1 ? NEEDS_EXP_OF_SUM : 0);
  for (uint32_t i = 0; i < t.n; i++) {
    const Def *d = def_of(s, t.at[i].a);
    Atom arg = d->kind == DEF_FN && d->fn == sym("log") ? atom_open(s, t.at[i].a, NULL)[0].a : ATOM_NEGINF;
    if (arg != ATOM_NEGINF && (flags_of(s, arg) & IS_NONNEG)) {
      goal_needs(p, NEEDS_EXP_OF_LOG);
      if (!product_put(s, &y, num_of(arg), t.at[i].k)) return false;
    } else {
      poly_put(s, &left, t.at[i].a, t.at[i].k);
    }
  }
  Product rest = {.k = x.k};
  for (uint32_t i = 0; i < x.f.n; i++) {
    const Def *d = def_of(s, x.f.at[i].a);
    if (d->kind == DEF_FN && d->fn == sym("exp")) {
      Atom arg = atom_open(s, x.f.at[i].a, NULL)[0].a;
      if (!is_log && rat_sign(x.f.at[i].k) < 0 && !inverted(p, &t, arg)) return false;
      poly_linear(s, &right, x.f.at[i].k, num_of(arg));
    } else poly_put(s, &rest.f, x.f.at[i].a, x.f.at[i].k);
  }
  poly_pack(&rest.f);
  poly_pack(&y.f);
  poly_pack(&left);
  poly_pack(&right);
  return poly_equal(&left, &right) && same_products(s, &rest, &y);
}

/* ---- maxima */
typedef struct Top {
  uint32_t n, n_bound;
  Item *at;
  Label bound[64];
  bool has_number;
  Rat number;
} Top;

static bool top_put(Store *s, Top *t, Num v) {
  v = num_scale(v.k, num_plain(s, v.a));
  const Def *d = def_of(s, v.a);
  if (v.a == ATOM_NEGINF && rat_sign(v.k) > 0) return true;
  if (num_is(v)) {
    if (!t->has_number || rat_cmp(v.k, t->number) > 0) t->number = v.k;
    return t->has_number = true;
  }
  if (d->kind == DEF_MAX && rat_sign(v.k) > 0) {
    uint32_t n = d->n_args, m = d->n_bound;
    Label *bound = atom_bound(s, v.a);
    Item *x = atom_open(s, v.a, bound);
    if (t->n_bound + m > 64) return false;
    for (uint32_t i = 0; i < m; i++) t->bound[t->n_bound++] = bound[i];
    for (uint32_t i = 0; i < n; i++)
      if (!top_put(s, t, (Num){rat_mul(v.k, x[i].k), x[i].a})) return false;
    return true;
  }
  for (uint32_t i = 0; i < t->n; i++)
    if (t->at[i].a == v.a && t->at[i].k == v.k) return true;
  Item *more = SCRATCH(s, Item, t->n + 1);
  if (t->n) memcpy(more, t->at, t->n * sizeof *more);
  more[t->n++] = (Item){v.a, v.k};
  t->at = more;
  return true;
}

/* Numbers that an item is never below, and items that are never above the number, do not count; nor do indices that
 * nothing has. */
static void top_settle(Store *s, Top *t) {
  uint32_t n = 0;
  bool all_below = t->has_number;
  for (uint32_t i = 0; i < t->n && t->has_number; i++) {
    Range r = num_bounds(s, (Num){t->at[i].k, t->at[i].a});
    all_below = all_below && r.has_hi && rat_cmp(r.hi, t->number) <= 0;
    if (r.has_lo && rat_cmp(r.lo, t->number) >= 0) t->has_number = false, all_below = false;
  }
  if (all_below) t->n = 0;
  for (uint32_t b = 0; b < t->n_bound; b++) {
    bool used = false;
    for (uint32_t i = 0; i < t->n && !used; i++) used = atom_has(s, t->at[i].a, t->bound[b]);
    if (used) t->bound[n++] = t->bound[b];
  }
  t->n_bound = n;
}

/* min(1 / x, 2 / y) = 1 / max(x, y / 2) of positive numbers. */
static bool inverse_maximum(Replay *p, const Goal *g, Num v) {
  Store *s = p->s;
  const Def *d = def_of(s, v.a);
  if (v.k != RAT_NEG1 || d->kind != DEF_MUL || d->n_args != 1 || d->args[0].tag != RAT_NEG1 || g->n_bound) return false;
  Num of = num_of(atom_open(s, v.a, NULL)[0].a);
  if (def_of(s, of.a)->kind != DEF_MAX) return false;
  Goal inverse = *g;
  inverse.items = SCRATCH(s, GoalItem, g->n);
  for (uint32_t i = 0; i < g->n; i++) {
    Num x = g->items[i].v;
    if (rat_sign(x.k) >= 0 || !(flags_of(s, x.a) & IS_POS)) return false;
    inverse.items[i] = (GoalItem){goal_mul(p, &(GoalItem){num_scale(RAT_NEG1, x), RAT_NEG1}, 1), RAT_1};
  }
  return law_maximum(p, &inverse, of, NULL);
}

bool law_maximum(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Store *s = p->s;
  if (inverse_maximum(p, g, v)) return true;
  Top x = {0}, y = {0};
  if (g->n_bound > 64) return false;
  for (uint32_t i = 0; i < g->n_bound; i++) x.bound[x.n_bound++] = g->bound[i];
  for (uint32_t i = 0; i < g->n; i++)
    if (!top_put(s, &x, g->items[i].v)) return false;
  if (!top_put(s, &y, v)) return false;
  top_settle(s, &x);
  top_settle(s, &y);
  if (x.n != y.n || x.n_bound != y.n_bound || x.has_number != y.has_number || (x.has_number && x.number != y.number))
    return false;
  return law_match(s, x.at, y.at, x.n, x.bound, y.bound, x.n_bound);
}
