/* The laws of choices, functions and maxima. */
#include "certify/law.h"

/* |x y^2| = |x| y^2 */
static bool abs_of_product(Store *s, Num x, Num v) {
  uint32_t n = def_of(s, x.a)->n_args;
  Product left = {.k = rat_abs(x.k)}, right = {.k = RAT_1};
  if (def_of(s, x.a)->kind != DEF_MUL) return false;
  Item *t = arena_copy(&s->scratch, atom_open(s, x.a, NULL), n * sizeof *t);
  for (uint32_t i = 0; i < n; i++) {
    if (!rat_is_int(t[i].k) && !(flags_of(s, t[i].a) & IS_NONNEG)) return false;
    if (!product_put(s, &left, num_of(law_absolute(s, t[i].a)), t[i].k)) return false;
  }
  return product_put(s, &right, v, RAT_1) && same_products(s, &left, &right);
}

/* The plain form: the same function, known or not, of the same arguments.  The last items of a goal are what an unknown
 * one produces. */
bool law_argument(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Store *s = p->s;
  Def d = *def_of(s, v.a);
  uint32_t n = d.n_args;
  if (g->op == GOAL_FN && g->fn == sym("abs") && abs_of_product(s, g->items[0].v, v)) return true;
  if ((int)d.kind - DEF_LIN != (int)g->op || d.fn != g->fn || n > g->n || d.n_bound != g->n_bound) return false;
  for (uint32_t i = 0; i < g->n_bound; i++)
    if (d.sizes[d.n_slots + i] != label_size(s, g->bound[i])) return false;
  const Item *x = atom_open(s, v.a, g->bound);
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

/* cos(x + y) = cos x cos y - sin x sin y, sin(x + y) = sin x cos y + cos x sin y; 2 x is x + x. */
static bool angle_sum(Replay *p, bool sine, Num of, Num v) {
  Poly t = law_linear_of(p->s, of);
  int64_t k = 0;
  bool multiple = t.n && t.at[0].a != ATOM_ONE && rat_to_int(t.at[0].k, &k) && k > 1;
  if (!t.n || (t.n == 1 && !multiple) || (flags_of(p->s, of.a) & MAY_INF)) return false;
  Num x = {multiple ? RAT_1 : t.at[0].k, t.at[0].a}, y = goal_subtract(p, of, x), fn[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) fn[i][j] = goal_fn(p, sym(j ? "sin" : "cos"), i ? &y : &x, 1);
  Num one = goal_mul2(p, fn[0][sine], fn[1][0]), other = goal_mul2(p, fn[0][!sine], fn[1][1]);
  goal_needs(p, sine ? NEEDS_SINE_OF_SUM : NEEDS_COSINE_OF_SUM);
  return law_same(p->s, v, sine ? goal_add2(p, one, other) : goal_subtract(p, one, other)) && !p->failed;
}

/* sin(x)^2 = 1 - cos(x)^2 */
static bool sine_squared(Replay *p, const Goal *g, Num v) {
  Store *s = p->s;
  Product x = {.k = RAT_1};
  for (uint32_t i = 0; i < g->n; i++)
    if (!product_put(s, &x, g->items[i].v, g->items[i].tag)) return false;
  GoalItem *f = SCRATCH(s, GoalItem, x.f.n + 1);
  uint32_t n = 0;
  bool some = false;
  Num angle;
  for (uint32_t i = 0; i < x.f.n; i++) {
    const Def *d = def_of(s, x.f.at[i].a);
    Rat k = x.f.at[i].k;
    bool is = !some && d->kind == DEF_FN && d->fn == sym("sin") && rat_is_int(k) && rat_cmp(k, RAT_INT(2)) >= 0;
    if (is) some = true, angle = num_of(atom_open(s, x.f.at[i].a, NULL)[0].a), k = rat_sub(k, RAT_INT(2));
    if (k != RAT_0) f[n++] = (GoalItem){num_of(x.f.at[i].a), k};
  }
  if (!some) return false;
  Num cosine = goal_fn(p, sym("cos"), &angle, 1);
  f[n++] = (GoalItem){goal_not(p, goal_mul(p, &(GoalItem){cosine, RAT_INT(2)}, 1)), RAT_1};
  goal_needs(p, NEEDS_SINE_SQUARED);
  return law_same(s, v, num_scale(x.k, goal_mul(p, f, n))) && !p->failed;
}

/* sin(-x) = -sin(x), cos(-x) = cos(x), sin(0) = 0 and cos(0) = 1. */
bool law_circular(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  if (g->op == GOAL_MUL) return sine_squared(p, g, v);
  bool even = g->fn == sym("cos");
  Num x = g->items[0].v;
  if ((!even && g->fn != sym("sin")) || g->n != 1) return false;
  if (x.k != RAT_0 && angle_sum(p, !even, x, v)) return true;
  goal_needs(p, !even ? NEEDS_SINE_IS_ODD : x.k == RAT_0 ? NEEDS_COSINE_OF_ZERO : NEEDS_COSINE_IS_EVEN);
  if (x.k == RAT_0) return law_same(p->s, v, num(even ? RAT_1 : RAT_0));
  const Def *d = def_of(p->s, v.a);
  if (d->kind != DEF_FN || d->fn != g->fn || v.k != (even ? RAT_1 : RAT_NEG1)) return false;
  return law_same(p->s, num_scale(RAT_NEG1, x), num_of(atom_open(p->s, v.a, NULL)[0].a));
}

/* Sums of products over indices the first of which are alike: what the others sum is the same, as steps say. */
static bool alike_inside(Replay *p, Num u, Num v) {
  Store *s = p->s;
  Goal x = goal_of(s, u.a), y = goal_of(s, v.a);
  if (x.n_bound < y.n_bound) return alike_inside(p, v, u);
  Label *rest = arena_copy(&s->scratch, x.bound, x.n_bound * sizeof *rest);
  uint32_t n = x.n_bound;
  Subst t = {0};
  for (uint32_t i = 0; i < y.n_bound; i++) {
    uint32_t k = 0;
    while (k < n && label_size(s, rest[k]) != label_size(s, y.bound[i])) k++;
    if (k == n || !goal_put(&t, y.bound[i], rest[k])) return false;
    memmove(rest + k, rest + k + 1, (--n - k) * sizeof *rest);
  }
  for (uint32_t i = 0; i < y.n; i++) y.items[i].v = goal_substitute(p, y.items[i].v, &t);
  return goal_same(p, goal_sum(p, rest, n, goal_mul(p, x.items, x.n)), goal_mul(p, y.items, y.n));
}

/* What unknown functions produce has the same digits, and is read at the same labels. */
static bool same_produced(const Store *s, Atom a, Atom b) {
  const Def *d = def_of(s, a), *e = def_of(s, b);
  for (uint32_t i = 0, j = 0;; i++, j++) {
    while (i < d->n_slots && !def_produces(d, i)) i++;
    while (j < e->n_slots && !def_produces(e, j)) j++;
    if (i == d->n_slots || j == e->n_slots) return i == d->n_slots && j == e->n_slots;
    if (s->atoms.at[a].at[i] != s->atoms.at[b].at[j] || d->sizes[i] != e->sizes[j]) return false;
  }
}

/* The same unknown function of operands that are cut into other digits, one of them further than the other. */
static bool alike_in_digits(Replay *p, Num u, Num v) {
  Store *s = p->s;
  Goal x = goal_of(s, u.a), y = goal_of(s, v.a);
  Subst t = {0};
  uint32_t n = 0;
  bool same = true;
  if (x.n_bound > y.n_bound) return alike_in_digits(p, v, u);
  for (uint32_t i = 0, from = 0; i < x.n_bound && same; i++, from = n) {
    int64_t size = label_size(s, x.bound[i]), all = 1;
    while (n < y.n_bound && all < size && same) same = law_times(&all, label_size(s, y.bound[n++]), size);
    same = same && all == size;
    Affine f = form_digits(s, y.bound + from, n - from);
    same = same && goal_put(&t, x.bound[i], label_of_form(s, f, size));
  }
  for (uint32_t i = 0; i < x.n && same; i++)
    same = goal_same(p, goal_substitute(p, x.items[i].v, &t), y.items[i].v);
  return same && n == y.n_bound;
}

/* The same operation of the same values, as steps say of those that are not the same by themselves; where order does not
 * matter each is taken with the first of its kind. */
bool law_alike(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Store *s = p->s;
  Num u = g->items[0].v;
  Def d = *def_of(s, u.a), e = *def_of(s, v.a);
  uint32_t n = d.n_args, m = 0;
  bool any_order = d.kind == DEF_LIN || d.kind == DEF_MUL || d.kind == DEF_SUM || d.kind == DEF_MAX;
  if (g->n == 2 && u.k == v.k && d.kind == DEF_SUM && e.kind == DEF_SUM && d.n_args != e.n_args)
    return alike_inside(p, u, v);
  if (g->n != 2 || u.k != v.k || d.kind != e.kind || d.fn != e.fn || !n || n != e.n_args) return false;
  if (d.kind == DEF_OPAQUE && !same_produced(s, u.a, v.a)) return false;
  if (d.n_bound != e.n_bound) return d.kind == DEF_OPAQUE && alike_in_digits(p, u, v);
  Label *x_bound = atom_bound(s, u.a), *y_bound = SCRATCH(s, Label, d.n_bound);
  for (uint32_t i = 0; i < d.n_bound; i++, m = 0) { /* the first of its size that is left */
    int64_t size = e.sizes[e.n_slots + i];
    while (m < d.n_bound && (label_among(y_bound, i, x_bound[m]) || label_size(s, x_bound[m]) != size)) m++;
    if (m == d.n_bound || (!any_order && m != i)) return false;
    y_bound[i] = x_bound[m];
  }
  const Item *x = atom_open(s, u.a, x_bound), *y = atom_open(s, v.a, y_bound);
  bool *met = SCRATCH(s, bool, n), *has = SCRATCH(s, bool, n);
  memset(met, 0, n * sizeof *met), memset(has, 0, n * sizeof *has);
  /* First what is the same; at last what alone is left, of whatever kind. */
  for (int way = any_order ? 0 : 2; way < 3 && (way < 2 || !any_order || m + 1 == n); way++)
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = any_order ? 0 : i; j < (any_order ? n : i + 1) && !has[i]; j++) {
        bool other = way < 2 && (way ? def_of(s, x[i].a)->kind != def_of(s, y[j].a)->kind : x[i].a != y[j].a);
        if (met[j] || x[i].k != y[j].k || other) continue;
        if (!goal_same(p, num_of(x[i].a), num_of(y[j].a))) return false;
        met[j] = has[i] = true, m++;
      }
  return m == n;
}

/* q ? v : w = q v + (1 - q) w for finite values. */
bool law_mixture(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Num q = g->items[0].v, x = g->items[1].v, y = g->items[2].v;
  if (!num_is_pred(p->s, q) || ((flags_of(p->s, x.a) | flags_of(p->s, y.a)) & MAY_INF)) return false;
  Num first = goal_mul2(p, q, x), second = goal_mul2(p, goal_not(p, q), y);
  return law_same(p->s, v, goal_add2(p, first, second));
}

/* exp(x)^k, k < 0, is exp(k x) where x is a number: not known of what may be minus infinity.  But a maximum that the graphs
 * take from what may be so, too, must be one, and one with a member that is a number is; of others it is assumed. */
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

/* x^y = exp(y log x) of a positive x, term by term of y. */
static bool power(Replay *p, const Goal *g, Num v) {
  Store *s = p->s;
  Num x = g->items[0].v;
  Poly y = law_linear_of(s, g->items[1].v);
  if (rat_sign(x.k) <= 0 || (flags_of(s, x.a) & (IS_POS | MAY_INF)) != IS_POS || !y.n) return false;
  Num log = goal_fn(p, sym("log"), &x, 1), *term = SCRATCH(s, Num, y.n);
  for (uint32_t i = 0; i < y.n; i++) term[i] = goal_mul2(p, (Num){y.at[i].k, y.at[i].a}, log);
  Num sum = goal_add(p, term, y.n);
  goal_needs(p, NEEDS_POWER_IS_EXPONENTIAL);
  return num_same(goal_fn(p, sym("exp"), &sum, 1), v) && !p->failed;
}

/* As a value. */
static Num made(Replay *p, const Product *x) {
  GoalItem *f = SCRATCH(p->s, GoalItem, x->f.n + 1);
  for (uint32_t i = 0; i < x->f.n; i++) f[i] = (GoalItem){num_of(x->f.at[i].a), x->f.at[i].k};
  return num_scale(x->k, goal_mul(p, f, x->f.n));
}

/* Times exp(t), as a step says. */
static bool times_exp(Replay *p, Product *x, const Poly *t) {
  bool finite = !t->undefined;
  for (uint32_t i = 0; i < t->n; i++) finite = finite && !(flags_of(p->s, t->at[i].a) & MAY_INF);
  if (!finite || !t->n) return finite;
  Num sum = law_sum(p, t);
  goal_needs(p, NEEDS_EXP_OF_SUM);
  return product_put(p->s, x, goal_fn(p, sym("exp"), &sum, 1), RAT_1) && !p->failed;
}

/* exp and log: exp of a sum is a product, exp(log x) = x, log of a product of positive factors is a sum.  One of them need
 * not be known to be positive: it is where its logarithm, which stands in the sum, is finite. */
bool law_exponential(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Store *s = p->s;
  bool is_log = g->fn == sym("log");
  if (g->fn == sym("pow") && g->n == 2) return power(p, g, v);
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
  bool one = is_log;
  goal_needs(p, is_log ? NEEDS_LOG_OF_EXP : t.n > 1 ? NEEDS_EXP_OF_SUM : 0);
  for (uint32_t i = 0; i < t.n; i++) {
    const Def *d = def_of(s, t.at[i].a);
    Atom arg = d->kind == DEF_FN && d->fn == sym("log") ? atom_open(s, t.at[i].a, NULL)[0].a : ATOM_NEGINF;
    if (arg != ATOM_NEGINF && (flags_of(s, arg) & IS_NONNEG) && atom_not_zero(s, arg)) {
      goal_needs(p, NEEDS_EXP_OF_LOG | (flags_of(s, arg) & IS_POS ? 0 : NEEDS_FINITE));
      if (!product_put(s, &y, num_of(arg), t.at[i].k)) return false;
    } else if (one && arg != ATOM_NEGINF && t.at[i].k == RAT_1) {
      one = false;
      goal_needs(p, NEEDS_EXP_OF_LOG | NEEDS_FINITE);
      if (!product_put(s, &y, num_of(arg), RAT_1)) return false;
    } else {
      poly_put(s, &left, t.at[i].a, t.at[i].k);
    }
  }
  Product rest = {.k = x.k};
  for (uint32_t i = 0; i < x.f.n; i++) {
    const Def *d = def_of(s, x.f.at[i].a);
    if (d->kind == DEF_FN && d->fn == sym("exp") && (!is_log || atom_not_zero(s, x.f.at[i].a))) {
      Atom arg = atom_open(s, x.f.at[i].a, NULL)[0].a;
      if (!is_log && rat_sign(x.f.at[i].k) < 0 && !inverted(p, &t, arg)) return false;
      poly_linear(s, &right, x.f.at[i].k, num_of(arg));
    } else poly_put(s, &rest.f, x.f.at[i].a, x.f.at[i].k);
  }
  poly_pack(&rest.f);
  poly_pack(&left);
  poly_pack(&right);
  if (t.undefined) return false;
  if (!poly_equal(&left, &right)) {
    Poly more = poly_minus(s, &left, RAT_1, &right);
    if (left.undefined || right.undefined || !times_exp(p, &y, &more)) return false;
  }
  poly_pack(&y.f);
  return same_products(s, &rest, &y) || (is_log && goal_same(p, made(p, &rest), made(p, &y)));
}

/* ---- maxima */
typedef struct Top {
  uint32_t n, n_bound, n_opened;
  Item *at;
  Label bound[64];
  bool all, has_number; /* maxima in sums and inverses are opened as well */
  Rat number;
} Top;

/* v grows with its argument i, all else being finite: a branch, a term, a factor beside positive ones, what is inverted. */
static bool grows_with(const Store *s, Num v, uint32_t i, bool all) {
  const Def *d = def_of(s, v.a);
  const DefArg *x = &d->args[i];
  if (d->kind == DEF_SELECT) return i == 1 && rat_sign(v.k) > 0;
  if (d->kind == DEF_LIN) return all && rat_sign(v.k) * rat_sign(x->tag) > 0 && !(d->flags & MAY_INF);
  if (d->kind != DEF_MUL || !all) return false;
  if (x->tag == RAT_NEG1) return d->n_args == 1 && rat_sign(v.k) < 0;
  bool grows = x->tag == RAT_1 && rat_sign(v.k) > 0;
  for (uint32_t k = 0; k < d->n_args && grows; k++)
    grows = k == i || (s->defs.at[d->args[k].def].flags & (IS_POS | MAY_INF)) == IS_POS;
  return grows;
}

static bool top_put(Replay *p, Top *t, Num v) {
  Store *s = p->s;
  v = num_scale(v.k, num_plain(s, v.a));
  if (store_tired(s)) return false;
  Def d = *def_of(s, v.a);
  if (v.a == ATOM_NEGINF && rat_sign(v.k) > 0) return true;
  if (num_is(v)) {
    if (!t->has_number || rat_cmp(v.k, t->number) > 0) t->number = v.k;
    return t->has_number = true;
  }
  bool is = d.kind == DEF_MAX && rat_sign(v.k) > 0;
  uint32_t at = 0;
  while (!is && at < d.n_args && (s->defs.at[d.args[at].def].kind != DEF_MAX || !grows_with(s, v, at, t->all))) at++;
  if (is || at < d.n_args) {
    Goal f = is ? (Goal){.n = 1, .items = &(GoalItem){num_of(v.a), RAT_1}} : goal_of(s, v.a);
    Num of = f.items[at].v;
    uint32_t n = def_of(s, of.a)->n_args, m = def_of(s, of.a)->n_bound;
    Label *bound = atom_bound(s, of.a);
    const Item *x = atom_open(s, of.a, bound);
    bool inverse = !is && d.kind == DEF_MUL && d.args[at].tag == RAT_NEG1;
    if (t->n_bound + m > 64 || (!is && t->n_opened++ == MOST_CASES)) return false;
    for (uint32_t i = 0; i < m; i++) t->bound[t->n_bound++] = bound[i];
    for (uint32_t i = 0; i < n; i++) { /* what is inverted is positive */
      if (inverse && (rat_sign(x[i].k) <= 0 || !(flags_of(s, x[i].a) & IS_POS))) return false;
      f.items[at].v = num_scale(rat_mul(of.k, x[i].k), num_plain(s, x[i].a));
      if (!top_put(p, t, num_scale(v.k, is ? f.items->v : goal_do(p, &f)))) return false;
    }
    return !p->failed;
  }
  Item *more = SCRATCH(s, Item, t->n + 1);
  if (t->n) memcpy(more, t->at, t->n * sizeof *more);
  more[t->n++] = (Item){v.a, v.k};
  t->at = more;
  return true;
}

/* Numbers that an item is never below, and items that are never above the number, do not count. */
static void top_settle(Replay *p, Top *t) {
  Store *s = p->s;
  bool all_below = t->has_number;
  for (uint32_t i = 0; i < t->n && t->has_number; i++) {
    Num v = {t->at[i].k, t->at[i].a};
    Range r = num_bounds(s, v);
    all_below = all_below && r.has_hi && rat_cmp(r.hi, t->number) <= 0;
    if (r.has_lo && rat_cmp(r.lo, t->number) >= 0) t->has_number = false, all_below = false;
  }
  if (all_below) t->n = 0;
}

static uint32_t labels_of(const Store *s, const Top *t, uint32_t i, Label *out) {
  uint32_t n = 0;
  for (uint32_t b = 0; b < t->n_bound; b++)
    if (atom_has(s, t->at[i].a, t->bound[b])) out[n++] = t->bound[b];
  return n;
}

/* Each item of x is one of y: the maximum over each is by itself, whatever its indices are called. */
static bool top_within(Store *s, const Top *x, const Top *y) {
  bool all = true;
  for (uint32_t i = 0; i < x->n && all; i++) {
    Label of_x[64], of_y[64];
    uint32_t n = labels_of(s, x, i, of_x), j = 0;
    while (j < y->n && (labels_of(s, y, j, of_y) != n || !law_match(s, &x->at[i], &y->at[j], 1, of_x, of_y, n))) j++;
    all = j < y->n;
  }
  return all;
}

bool law_never_above(Replay *p, Num v, Num w) {
  Store *s = p->s;
  Top x = {0}, y = {0};
  Subst at = {0};
  bool finite = ((flags_of(s, v.a) | flags_of(s, w.a)) & MAY_INF) == 0;
  if (!finite || def_of(s, w.a)->kind != DEF_MAX || !top_put(p, &x, v) || !top_put(p, &y, w) || x.has_number) return false;
  bool all = true;
  for (uint32_t i = 0; i < x.n && all; i++) {
    uint32_t j = 0;
    while (j < y.n && (x.at[i].k != y.at[j].k || !law_instance(s, y.at[j].a, x.at[i].a, y.bound, y.n_bound, &at))) j++;
    all = j < y.n;
    for (uint32_t k = 0; k < at.n; k++) all = all && form_inside(s, label_open(s, at.to[k]), label_size(s, at.from[k]));
  }
  return all;
}

/* The same members, once maxima among them are opened; those in sums and inverses only where that is needed. */
bool law_maximum(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Store *s = p->s;
  bool same = false;
  for (int all = 0; all < 2 && g->n_bound <= 64 && !same && !p->failed; all++) {
    Top x = {.all = all, .n_bound = g->n_bound}, y = {.all = all};
    bool open = top_put(p, &y, v);
    memcpy(x.bound, g->bound, g->n_bound * sizeof *g->bound);
    for (uint32_t i = 0; i < g->n && open; i++) open = top_put(p, &x, g->items[i].v);
    top_settle(p, &x);
    top_settle(p, &y);
    same = open && !p->failed && x.has_number == y.has_number && (!x.has_number || x.number == y.number);
    same = same && top_within(s, &x, &y) && top_within(s, &y, &x);
  }
  return same;
}
