/* The laws of comparisons, and of what follows from predicates. */
#include "certify/law.h"

/* A positive number, or what the graphs divide by. */
static bool not_zero(Replay *p, Atom a) {
  bool is = atom_not_zero(p->s, a);
  if (is && !(flags_of(p->s, a) & IS_POS)) goal_needs(p, NEEDS_NONZERO);
  return is;
}

/* ---- comparisons */
/* k * v without the factors that are positive, which matter neither to its sign nor to whether it is 0. */
static Num sign_alone(Replay *p, Num v) {
  Store *s = p->s;
  Goal f = law_factors_of(s, v.a);
  for (uint32_t i = 0; i < f.n; i++) {
    GoalItem *x = &f.items[i];
    uint8_t has = flags_of(s, x->v.a);
    bool positive = (has & IS_POS) || (((has & IS_NONNEG) || even_power(x->tag)) && not_zero(p, x->v.a));
    if (!positive || (has & MAY_INF)) continue;
    x->v = num(RAT_1);
  }
  return num_scale(rat_int(rat_sign(v.k)), goal_do(p, &f));
}

/* floor(e / w) == q is w q <= e < w q + w, floor(e / w) < q is e < w q, of whole numbers; truncated as well, if e >= 0. */
static bool of_quotient(Replay *p, Num x, bool less, Num *out) {
  Store *s = p->s;
  Poly t = law_linear_of(s, x);
  for (uint32_t i = 0; i < t.n; i++) {
    const Def *d = def_of(s, t.at[i].a);
    bool floor = d->kind == DEF_FN && d->fn == sym("floordiv"), trunc = d->kind == DEF_FN && d->fn == sym("truncdiv");
    if ((!floor && !trunc) || rat_abs(t.at[i].k) != RAT_1 || !num_is_int(s, x)) continue;
    const Item *y = atom_open(s, t.at[i].a, NULL);
    Num e = num_plain(s, y[0].a), w = num_plain(s, y[1].a);
    if (!num_is(w) || rat_sign(w.k) <= 0 || !num_is_int(s, w) || !num_is_int(s, e)) continue;
    Range of_e = num_bounds(s, e);
    if (trunc && !(of_e.has_lo && rat_sign(of_e.lo) >= 0)) continue;
    Num from = goal_subtract(p, e, num_scale(w.k, law_solved(p, &t, i))), to = goal_subtract(p, from, w);
    bool rises = t.at[i].k == RAT_1;
    *out = less && rises ? goal_less(p, from) : goal_not(p, goal_less(p, less ? to : from));
    if (!less) *out = goal_mul2(p, *out, goal_less(p, to));
    return !p->failed;
  }
  return false;
}

/* A product of exponentials alone, as what it is the exponential of. */
static bool exponent(Replay *p, Atom a, Num *out) {
  Store *s = p->s;
  Product x = {.k = RAT_1};
  if (!product_put(s, &x, num_of(a), RAT_1) || x.k != RAT_1) return false;
  Num *all = SCRATCH(s, Num, x.f.n + 1);
  for (uint32_t i = 0; i < x.f.n; i++) {
    const Def *d = def_of(s, x.f.at[i].a);
    if (d->kind != DEF_FN || d->fn != sym("exp")) return false;
    all[i] = num_scale(x.f.at[i].k, num_of(atom_open(s, x.f.at[i].a, NULL)[0].a));
  }
  return *out = x.f.n ? goal_add(p, all, x.f.n) : num(RAT_0), true;
}

/* k x (e^a - e^b), x an exponential or 1: k (a - b), which has its sign. */
static bool exp_difference(Replay *p, Num v, Num *out) {
  Store *s = p->s;
  Product x = {.k = RAT_1};
  Num a, b, sum = num(RAT_0);
  if ((flags_of(s, v.a) & MAY_INF) || !product_put(s, &x, v, RAT_1)) return false;
  for (uint32_t i = 0; i < x.f.n; i++) {
    if ((flags_of(s, x.f.at[i].a) & IS_POS) && exponent(p, x.f.at[i].a, &a)) continue;
    if (sum.k != RAT_0 || x.f.at[i].k != RAT_1) return false;
    sum = num_of(x.f.at[i].a);
  }
  Poly t = law_linear_of(s, sum);
  if (t.n != 2 || t.at[0].k != rat_neg(t.at[1].k)) return false;
  if (!(flags_of(s, t.at[0].a) & flags_of(s, t.at[1].a) & IS_POS)) return false; /* a and b are numbers */
  if (!exponent(p, t.at[0].a, &a) || !exponent(p, t.at[1].a, &b)) return false;
  goal_needs(p, NEEDS_EXP_INCREASES);
  *out = num_scale(rat_mul(x.k, t.at[0].k), goal_subtract(p, a, b));
  return !p->failed;
}

/* A comparison is that of any multiple, for < a positive one; that without positive factors (0), or after factor f of
 * what is compared is written out (f + 1). */
bool law_scaled(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Num x = g->items[0].v, w, *terms;
  bool less = g->op == GOAL_LT;
  if (c->n) {
    Goal f = law_factors_of(s, x.a);
    uint32_t n = c->at[0] && c->at[0] <= f.n ? law_distributed(p, f, c->at[0] - 1, &terms) : 0;
    if (c->at[0] && !n) return false;
    w = n ? num_scale(x.k, goal_add(p, terms, n)) : sign_alone(p, x);
    return law_same(s, v, less ? goal_less(p, w) : goal_equal(p, w));
  }
  if (of_quotient(p, x, less, &w)) return law_same(s, v, w);
  if (exp_difference(p, x, &w)) return law_same(s, v, less ? goal_less(p, w) : goal_equal(p, w));
  if (v.k != RAT_1 || def_of(s, v.a)->kind != (less ? DEF_LT : DEF_EQ)) return false;
  Num y = num_of(atom_open(s, v.a, NULL)[0].a);
  Poly a = law_linear_of(s, x), b = law_linear_of(s, y);
  Rat ratio = a.n && b.n ? rat_div(b.at[0].k, a.at[0].k) : RAT_0;
  return ratio != RAT_0 && (!less || rat_sign(ratio) > 0) && law_same(s, num_scale(ratio, x), y);
}

/* ---- facts: in a product the predicates hold for the other factors */
enum { MAX_FACTS = 48, MOST_DEEP = 8, MOST_COMPARED = 16, MOST_BELOW = 64, MOST_SPLIT = 4 };
typedef struct Fact { /* a form, and where it is */
  Poly form;
  Range range;
} Fact;

static bool is_equation(const Fact *x) { return x->range.has_lo && x->range.has_hi; }

typedef struct Facts {
  Store *s;
  Replay *p; /* to pose goals */
  uint32_t n, n_true;
  Fact at[MAX_FACTS];
  Item truth[MAX_FACTS]; /* predicates that hold */
  uint32_t depth; /* of what is simplified */
  uint32_t n_other;
  Poly other[MAX_FACTS]; /* forms that are not 0 */
} Facts;

static Facts *facts_new(Replay *p, Store *s) {
  Facts *f = ARENA_NEW(&s->scratch, Facts);
  f->s = s, f->p = p;
  return f;
}

static bool all_integer(const Store *s, const Poly *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (!num_is_int(s, (Num){t->at[i].k, t->at[i].a})) return false;
  return true;
}

/* form < 0 (less) or form == 0 holds, or does not. */
static void assume(Facts *f, Poly form, bool less, bool holds) {
  if (f->n == MAX_FACTS || f->n_other == MAX_FACTS) return;
  if (!less && !holds) {
    f->other[f->n_other++] = form;
    return;
  }
  Fact *x = &f->at[f->n++];
  *x = (Fact){form, {!less || !holds, holds, RAT_0, RAT_0}};
  if (less && all_integer(f->s, &form)) x->range.hi = RAT_NEG1;
}

static void learn(Facts *f, Atom a) {
  Store *s = f->s;
  if (f->n_true == MAX_FACTS) return;
  f->truth[f->n_true++] = (Item){a, RAT_1};
  bool not = law_not(s, &a);
  DefKind kind = def_of(s, a)->kind;
  Goal all = law_factors_of(s, a);
  for (uint32_t i = 0; i < all.n && all.n > 1 && !not; i++)
    if (all.items[i].tag == RAT_1 && num_is_pred(s, all.items[i].v)) learn(f, all.items[i].v.a);
  if (kind == DEF_LT || kind == DEF_EQ) assume(f, law_form(s, a), kind == DEF_LT, !not );
}

static Range poly_range(const Store *s, const Poly *t) {
  Range r = range_from(RAT_0, RAT_0);
  for (uint32_t i = 0; i < t->n; i++) r = range_add(r, num_bounds(s, (Num){t->at[i].k, t->at[i].a}));
  return r;
}

/* A whole value that is not its least is one more, or what stands behind a gap; beyond one side of a gap is the other.
 */
static void snap(const Facts *f, Atom a, Range *r) {
  const Def *d = def_of(f->s, a);
  for (uint32_t i = 0; i < f->n_other && (d->flags & IS_INT); i++) {
    const Poly *x = &f->other[i];
    Rat w = poly_weight(x, a), k = poly_weight(x, ATOM_ONE);
    if (x->n > 2 || w == RAT_0 || (x->n == 2 && k == RAT_0)) continue;
    Rat c = rat_neg(rat_div(k, w));
    if (!rat_is_int(c)) continue;
    if (r->has_lo && r->lo == c) r->lo = rat_add(c, RAT_1);
    if (r->has_hi && r->hi == c) r->hi = rat_sub(c, RAT_1);
  }
  if (!(d->flags & HAS_GAP)) return;
  if (r->has_lo && rat_cmp(r->lo, d->gap_lo) > 0 && rat_cmp(r->lo, d->gap_hi) < 0) r->lo = d->gap_hi;
  if (r->has_hi && rat_cmp(r->hi, d->gap_hi) < 0 && rat_cmp(r->hi, d->gap_lo) > 0) r->hi = d->gap_lo;
}

/* t = c * fact + rest bounds t by the fact and what the rest is, to a small depth. */
static Range bounded(Facts *f, const Poly *t, uint32_t depth) {
  Store *s = f->s;
  if (store_tired(s)) return (Range){0};
  Range r = poly_range(s, t);
  for (uint32_t j = 0; j < t->n && f->p && r.has_lo; j++) { /* counts of at least 1 */
    const Def *d = def_of(s, t->at[j].a);
    if (d->kind != DEF_SUM || !d->range.has_lo || d->range.lo != RAT_0) continue;
    if (!law_counts_itself(f->p, f->truth, f->n_true, t->at[j].a)) continue;
    Rat *bound = rat_sign(t->at[j].k) > 0 ? &r.lo : &r.hi;
    *bound = rat_add(*bound, t->at[j].k);
  }
  for (uint32_t i = 0; i < t->n && f->p && t->n == 2 && t->at[0].k == rat_neg(t->at[1].k); i++)
    if (law_never_above(f->p, num_of(t->at[!i].a), num_of(t->at[i].a))) /* term i is at least the other */
      r = range_meet(r, range_scale((Range){.has_lo = true, .lo = RAT_0}, t->at[i].k));
  for (uint32_t i = 0; i < f->n * t->n && depth; i++) {
    const Fact *x = &f->at[i / t->n];
    Item one = t->at[i % t->n];
    Rat c = one.a == ATOM_ONE ? RAT_0 : poly_weight(&x->form, one.a);
    if (c == RAT_0) continue;
    c = rat_div(one.k, c);
    Poly rest = poly_minus(s, t, c, &x->form);
    if (!rest.undefined) r = range_meet(r, range_add(range_scale(x->range, c), bounded(f, &rest, depth - 1)));
  }
  uint32_t one = t->n == 2 && t->at[0].a == ATOM_ONE, number = t->n == 2 && (one || t->at[1].a == ATOM_ONE);
  if (t->n == 1 + number) { /* k a + c */
    Rat k = t->at[one].k, c = number ? t->at[!one].k : RAT_0;
    Range x = range_scale(range_add(r, range_from(rat_neg(c), rat_neg(c))), rat_inv(k));
    snap(f, t->at[one].a, &x);
    r = range_add(range_scale(x, k), range_from(c, c));
  }
  if (!all_integer(s, t)) return r;
  return (Range){r.has_lo, r.has_hi, r.has_lo ? rat_ceil(r.lo) : RAT_0, r.has_hi ? rat_floor(r.hi) : RAT_0};
}

static Range range_under(Facts *f, Num e) {
  Poly t = law_linear_of(f->s, e);
  return bounded(f, &t, 2);
}

/* Under what is known a comparison holds, or what one leaves of 1: 1, 0; -1: that does not tell. */
static int holds(Facts *f, Atom a) {
  bool not = law_not(f->s, &a);
  DefKind kind = def_of(f->s, a)->kind;
  if (kind != DEF_LT && kind != DEF_EQ) return -1;
  int is = range_decides(range_under(f, num_of(atom_open(f->s, a, NULL)[0].a)), kind == DEF_LT);
  return is < 0 ? is : is ^ not ;
}

Range facts_range(Store *s, const Item *items, uint32_t n, uint32_t i) {
  Facts *f = facts_new(NULL, s);
  for (uint32_t k = 0; k < n; k++)
    if (k != i && items[k].k == RAT_1 && (flags_of(s, items[k].a) & IS_PRED)) learn(f, items[k].a);
  return range_under(f, num_of(items[i].a));
}

/* Items of a maximum that another one is never below are dropped. */
static Num decide_max(Facts *f, Num v) {
  Store *s = f->s;
  uint32_t n = def_of(s, v.a)->n_args, m = 0;
  const Item *x = atom_open(s, v.a, NULL);
  bool *gone = SCRATCH(s, bool, n);
  Num *left = SCRATCH(s, Num, n);
  for (uint32_t j = 0; j < n; j++) {
    for (uint32_t i = 0; i < n && !gone[j]; i++) {
      Poly a = law_linear_of(s, (Num){x[i].k, x[i].a}), b = law_linear_of(s, (Num){x[j].k, x[j].a});
      Poly t = poly_minus(s, &a, RAT_1, &b);
      gone[j] = i != j && !gone[i] && !t.undefined && range_decides(bounded(f, &t, 2), true) == 0;
      Num d;
      if (gone[j] || i == j || gone[i] || t.undefined || !exp_difference(f->p, law_sum(f->p, &t), &d)) continue;
      gone[j] = range_decides(range_under(f, d), true) == 0;
    }
    if (!gone[j]) left[m++] = (Num){x[j].k, x[j].a};
  }
  return m == n || !m ? v : num_scale(v.k, goal_max(f->p, left, m, NULL, 0));
}

/* [f == a] where f == b is known is [b == a], if that is about indices alone. */
static bool join(const Facts *f, Atom a, Num *out) {
  Store *s = f->s;
  Poly e = law_form(s, a);
  for (uint32_t i = 0; i < f->n * e.n; i++) {
    const Poly *h = &f->at[i / e.n].form;
    Item x = e.at[i % e.n];
    Rat k = poly_weight(h, x.a);
    if (k == RAT_0 || !is_equation(&f->at[i / e.n]) || def_of(s, x.a)->kind == DEF_INDEX || x.a == ATOM_ONE) continue;
    Poly diff = poly_minus(s, &e, rat_div(x.k, k), h);
    bool indices = true;
    for (uint32_t j = 0; j < diff.n; j++)
      indices &= diff.at[j].a == ATOM_ONE || def_of(s, diff.at[j].a)->kind == DEF_INDEX;
    if (indices && !diff.undefined) return *out = goal_equal(f->p, law_sum(f->p, &diff)), true;
  }
  return false;
}

/* x = w q + r with a whole q and r known to lie between two multiples of w: quotient and remainder by w, rounded down; the
 * same when truncated, if x is known not to be negative. */
static bool division_under(Facts *f, Atom a, Num *out) {
  Store *s = f->s;
  const Item *y = atom_open(s, a, NULL);
  const char fn = *sym_text(def_of(s, a)->fn);
  Num x = num_plain(s, y[0].a), w = num_plain(s, y[1].a);
  if (!num_is(w) || rat_sign(w.k) <= 0) return false;
  Range of_x = range_under(f, x);
  Poly t = law_linear_of(s, x);
  if (fn != 'f' && fn != 'm' && !(of_x.has_lo && rat_sign(of_x.lo) >= 0)) return false;
  for (uint32_t i = 0; i < f->n * t.n; i++) {
    Item one = t.at[i % t.n];
    Rat c = one.a == ATOM_ONE ? RAT_0 : poly_weight(&f->at[i / t.n].form, one.a);
    if (c == RAT_0) continue;
    Poly rest = poly_minus(s, &t, rat_div(one.k, c), &f->at[i / t.n].form), q = {0};
    poly_put(s, &rest, ATOM_ONE, rat_neg(poly_weight(&rest, ATOM_ONE)));
    poly_add(s, &q, &rest, rat_inv(w.k));
    poly_pack(&q);
    Poly r = poly_minus(s, &t, w.k, &q);
    Range range = bounded(f, &r, 2);
    if (rest.undefined || !range.has_lo || !range.has_hi || !all_integer(s, &q)) continue;
    Rat floor = rat_floor(rat_div(range.lo, w.k));
    if (rat_cmp(rat_floor(rat_div(range.hi, w.k)), floor) != 0) continue;
    poly_put(s, &q, ATOM_ONE, floor);
    *out = law_sum(f->p, &q);
    if (fn == 'r' || fn == 'm') *out = goal_subtract(f->p, x, num_scale(w.k, *out));
    return !f->p->failed;
  }
  return false;
}

/* a <= b, by what is known of each, or of their difference. */
static bool at_most(Facts *f, Num a, Num b) {
  Range x = range_under(f, a), y = range_under(f, b);
  if (x.has_hi && y.has_lo && rat_cmp(x.hi, y.lo) <= 0) return true;
  y = range_under(f, goal_subtract(f->p, b, a));
  return !f->p->failed && y.has_lo && rat_sign(y.lo) >= 0;
}

static Num decide(Facts *f, Num v) {
  static const char *const parts[] = {"truncdiv", "floordiv", "rem", "mod", NULL};
  Store *s = f->s;
  const Def *d = def_of(s, v.a);
  Num other;
  if ((d->kind == DEF_LT || d->kind == DEF_EQ) && v.k == RAT_1) {
    int is = holds(f, v.a);
    if (is >= 0) return num(rat_int(is));
    if (def_of(s, v.a)->kind == DEF_EQ && join(f, v.a, &other)) return other;
  } else if (d->kind == DEF_MAX && !d->n_bound && rat_sign(v.k) > 0) {
    return decide_max(f, v);
  } else if (d->kind == DEF_FN && d->fn == sym("abs")) {
    Num x = num_of(atom_open(s, v.a, NULL)[0].a);
    Range r = range_under(f, x);
    if (r.has_lo && rat_sign(r.lo) >= 0) return num_scale(v.k, x);
    if (r.has_hi && rat_sign(r.hi) <= 0) return num_scale(rat_neg(v.k), x);
  } else if (d->kind == DEF_FN && d->fn == sym("clamp")) {
    const Item *x = atom_open(s, v.a, NULL);
    Num lo = num_of(x[0].a), of = num_of(x[1].a);
    if (at_most(f, lo, of) && at_most(f, of, num_of(x[2].a))) return num_scale(v.k, of);
  } else if (d->kind == DEF_FN && function_among(d->fn, parts) && division_under(f, v.a, &other)) {
    return num_scale(v.k, other);
  }
  return v;
}

/* sum(j) [form(j) == 0] g(j) where form(i) == 0 is known is g(i): one j alone solves it, i; or by its place. */
static bool look_up(Facts *f, Atom a, Num *out) {
  Replay *p = f->p;
  Store *s = p->s;
  Goal g = goal_of(s, a);
  Subst t;
  if (!law_at_place(p, f->truth, f->n_true, &g, &t)) return false;
  for (uint32_t j = 0; j < g.n; j++) {
    GoalItem *x = &g.items[j];
    x->v = goal_substitute(p, x->v, &t);
    bool known = false;
    for (uint32_t i = 0; i < f->n_true && x->tag == RAT_1; i++) known |= num_same(x->v, num_of(f->truth[i].a));
    if (known) x->v = num(RAT_1);
  }
  law_drop(&g, s, t.from, t.n);
  *out = goal_do(p, &g);
  return true;
}

static Num simplify(Facts *f, Atom a) {
  Store *s = f->s;
  if (store_tired(s)) return num_of(a);
  for (uint32_t i = 0; i < f->n_true; i++) {
    Atom q = f->truth[i].a;
    if (q == a) return num(RAT_1);
    if (law_not(s, &q) && q == a) return num(RAT_0);
  }
  Def d = *def_of(s, a);
  Num out = num_of(a);
  bool inner = d.kind == DEF_LIN || d.kind == DEF_MUL || d.kind == DEF_SELECT || d.kind == DEF_LT || d.kind == DEF_EQ ||
               d.kind == DEF_FN || d.kind == DEF_MAX;
  if (d.kind == DEF_SUM) look_up(f, a, &out);
  if (!inner || d.n_bound || f->depth > MOST_DEEP) return out;
  Goal g = goal_of(s, a);
  bool changed = false;
  f->depth++;
  for (uint32_t i = 0; i < g.n; i++) {
    Num was = g.items[i].v;
    g.items[i].v = num_scale(was.k, simplify(f, was.a));
    changed |= !num_same(was, g.items[i].v);
  }
  f->depth--;
  if (changed) out = goal_do(f->p, &g);
  return num_is(out) ? out : decide(f, out);
}

/* x [0 < x] = x where x is not negative: all factors of x that may make it 0 are among those of the goal. */
static bool absorbs(Replay *p, const Goal *g, Atom a) {
  Store *s = p->s;
  if (def_of(s, a)->kind != DEF_LT) return false;
  Poly t = law_form(s, a);
  if (t.n != 1 || rat_sign(t.at[0].k) > 0 || (flags_of(s, t.at[0].a) & (IS_NONNEG | MAY_INF)) != IS_NONNEG)
    return false;
  Goal f = law_factors_of(s, t.at[0].a);
  bool has = true;
  for (uint32_t i = 0; i < f.n && has; i++) {
    has = not_zero(p, f.items[i].v.a);
    for (uint32_t j = 0; j < g->n; j++) has |= g->items[j].v.a == f.items[i].v.a && rat_sign(g->items[j].tag) > 0;
  }
  return has;
}

/* [i == j] f(i) = [i == j] f(j): a product that has the equation, with its index `term` put in for in the others. */
static bool put_in(Replay *p, Goal f, Atom equation, uint32_t term, Num *out) {
  Store *s = p->s;
  if (def_of(s, equation)->kind != DEF_EQ) return false;
  Poly form = law_form(s, equation);
  Subst t;
  if (term >= form.n || def_of(s, form.at[term].a)->kind != DEF_INDEX ||
      !law_solve(s, form, &s->atoms.at[form.at[term].a].at[0], 1, &t, NULL))
    return false;
  bool met = false;
  for (uint32_t i = 0; i < f.n; i++) {
    bool is = f.items[i].v.a == equation;
    if (!is) f.items[i].v = goal_substitute(p, f.items[i].v, &t);
    met |= is;
  }
  *out = goal_do(p, &f);
  return met;
}

bool law_under(Replay *p, const Goal *g, Num v, const Choice *c) {
  uint32_t choice = choice_at(c, 0);
  Facts *f = facts_new(p, p->s);
  if (choice >= g->n) return false;
  for (uint32_t i = 0; i < g->n; i++)
    if (i != choice && num_is_pred(p->s, g->items[i].v) && g->items[i].tag == RAT_1) learn(f, g->items[i].v.a);
  bool absorbed = absorbs(p, g, g->items[choice].v.a);
  if (!f->n_true && !absorbed) return false;
  Num w = absorbed ? num(RAT_1) : simplify(f, g->items[choice].v.a);
  if (p->failed || num_same(w, num_of(g->items[choice].v.a))) return false;
  Goal x = law_factors(p->s, g);
  x.items[choice].v = num_scale(g->items[choice].v.k, w);
  if (w.k == RAT_0 && rat_sign(x.items[choice].tag) <= 0) return false;
  if (c->n < 2) return law_same(p->s, v, goal_do(p, &x));
  Num left, right;
  return put_in(p, x, w.a, c->at[1], &left) && put_in(p, law_factors_of(p->s, v.a), w.a, c->at[1], &right) &&
         law_same(p->s, num_scale(v.k, right), left);
}

static Num simplified(Facts *f, Num v) { return num_scale(v.k, simplify(f, v.a)); }

/* Predicates below the first item of a goal and its answer, those above others first; [x < y] for |x - y| and max(x, y):
 * number n of them as it is under what is known; false: there are not so many. */
static bool told_below(Facts *f, const Goal *g, Num v, uint32_t n, Num *out) {
  Store *s = f->s;
  Atom at[MOST_BELOW] = {g->items[0].v.a, v.a};
  for (uint32_t i = 0, all = 2; i < all; i++) {
    Def d = *def_of(s, at[i]);
    bool choice = d.kind == DEF_FN || d.kind == DEF_SELECT || d.kind == DEF_MAX, truth = d.flags & IS_PRED;
    const Item *x = d.kind >= DEF_LIN && !d.n_bound ? atom_open(s, at[i], NULL) : NULL;
    bool max = x && d.kind == DEF_MAX && d.n_args == 2, sign = max || (d.kind == DEF_FN && d.fn == sym("abs"));
    bool told = sign || (truth && d.kind != DEF_INDEX && d.kind != DEF_LIN && d.kind != DEF_ONE);
    if (told && n-- == 0) {
      Num right = max ? (Num){x[1].k, x[1].a} : num(RAT_0);
      *out = simplified(f, max ? (Num){x[0].k, x[0].a} : num_of(sign ? x[0].a : at[i]));
      if (sign) *out = goal_less(f->p, goal_subtract(f->p, *out, simplified(f, right)));
      return !f->p->failed;
    }
    for (uint32_t j = 0; x && (choice || d.kind == DEF_LIN || d.kind == DEF_MUL) && j < d.n_args; j++)
      if (all < MOST_BELOW && !label_among(at, all, x[j].a)) at[all++] = x[j].a;
  }
  return false;
}

/* Equal in all cases of the predicates chosen from number `from` on, where what is known holds: what tells them or not. */
static bool same_in_cases(Facts *f, const Goal *g, Num v, const Choice *c, uint32_t from) {
  Replay *p = f->p;
  Num q;
  if (from == c->n) {
    Goal x = *g;
    x.items = SCRATCH(p->s, GoalItem, g->n);
    if (goal_claims(g)) x.op = GOAL_ADD, x.n--;
    for (uint32_t i = 0; i < x.n; i++) x.items[i] = (GoalItem){simplified(f, g->items[i].v), g->items[i].tag};
    Num want = decide(f, goal_do(p, &x)), is = simplified(f, v);
    if (p->failed || law_same(p->s, is, want)) return !p->failed;
    return x.op == GOAL_FN && x.fn == sym("log") && law_exponential(p, &x, is, c);
  }
  if (!told_below(f, g, v, c->at[from], &q)) return false;
  if (num_is(q)) return from && same_in_cases(f, g, v, c, from + 1);
  for (int holds = 0; holds < 2; holds++) {
    Facts *with = arena_copy(&p->s->scratch, f, sizeof *f);
    Num fact = holds ? q : goal_not(p, q);
    if (num_is(fact) || fact.k != RAT_1) return false;
    learn(with, fact.a);
    if (!same_in_cases(with, g, v, c, from + 1)) return false;
  }
  return true;
}

/* Equal where predicates hold, and where they do not.  Infinite values may be chosen, not multiplied by 0. */
bool law_split(Replay *p, const Goal *g, Num v, const Choice *c) {
  bool finite = !(flags_of(p->s, v.a) & MAY_INF) || def_of(p->s, v.a)->kind == DEF_SELECT;
  return c->n && c->n <= MOST_SPLIT && finite && same_in_cases(facts_new(p, p->s), g, v, c, 0);
}

/* ---- one of all values: sum(k) [k == f] is [0 <= f < n] for an integer f, k being an index or several as digits */
bool law_one_of_all(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Store *s = p->s;
  Goal q = law_factors(s, g);
  Digits d;
  if (q.n != 1 || q.items->tag != RAT_1 || def_of(s, q.items->v.a)->kind != DEF_EQ) return false;
  Poly form = law_form(s, q.items->v.a), at = {0};
  if (!all_integer(s, &form) || !law_digits(s, form, g, &d) || d.n != g->n_bound || rat_abs(d.unit) != RAT_1) return false;
  poly_add(s, &at, &d.rest, rat_neg(d.unit));
  Num f = law_sum(p, &at), from = goal_not(p, goal_less(p, f)), to = goal_subtract(p, f, num(rat_int(d.places)));
  return law_same(s, v, goal_mul2(p, from, goal_less(p, to)));
}

/* ---- comparisons and functions that ranges decide */
/* x < 0 or x == 0 is v, a product of comparisons or what one leaves of 1: where the one holds the other does. */
static bool compared(Replay *p, Num x, bool less, Num v) {
  Store *s = p->s;
  Facts *f = facts_new(p, s), *back = facts_new(p, s);
  Range r = range_under(f, x);
  int is = range_decides(r, less);
  if (is >= 0) return num_same(v, num(rat_int(is)));
  Poly form = law_linear_of(s, x);
  if (v.k != RAT_1) return false;
  bool not = law_not(s, &v.a);
  if (not && less && r.has_hi && rat_sign(r.hi) <= 0 && num_same(num_of(v.a), goal_equal(p, x))) return !p->failed;
  Goal q = law_factors_of(s, v.a);
  if (q.n > MOST_COMPARED) return false;
  assume(f, form, less, true);
  if (not) assume(back, form, less, false);
  if (not) return q.n == 1 && holds(f, v.a) == 0 && holds(back, v.a) == 1;
  for (uint32_t i = 0; i < q.n * q.n && q.n > 1; i++) { /* what follows helps to see the others */
    Atom a = q.items[i % q.n].v.a;
    if (holds(f, a) == 1) learn(f, a);
  }
  for (uint32_t i = 0; i < q.n; i++) {
    Atom a = q.items[i].v.a;
    if (q.items[i].tag != RAT_1 || holds(f, a) != 1) return false;
    learn(back, a);
  }
  return range_decides(bounded(back, &form, 2), less) == 1;
}

/* t without the remainders of which it differs by a whole number: k mod(x, w), k w being whole, is k x but for one. */
static void without_remainders(Store *s, Poly *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    Item one = t->at[i];
    const Def *d = def_of(s, one.a);
    if (d->kind != DEF_FN || d->fn != sym("mod") || (d->flags & MAY_INF)) continue;
    const Item *x = atom_open(s, one.a, NULL);
    Num of = num_plain(s, x[0].a), w = num_plain(s, x[1].a);
    if (!num_is(w) || w.k == RAT_0 || !rat_is_int(rat_mul(one.k, w.k)) || (flags_of(s, of.a) & MAY_INF)) continue;
    t->at[i].k = RAT_0;
    poly_linear(s, t, one.k, of);
  }
  poly_pack(t);
}

/* e = w q + r with a whole q and 0 <= r < w; the same when truncated, if e is not negative or r is 0. */
static bool divided(Store *s, const char *fn, Num e, int64_t n, Num v) {
  bool quotient = !strcmp(fn, "truncdiv") || !strcmp(fn, "floordiv"), floor = fn[0] == 'f' || fn[0] == 'm';
  Rat w = rat_int(n);
  Poly t = law_linear_of(s, e), a = law_linear_of(s, v), rest = poly_minus(s, &t, quotient ? w : RAT_1, &a), q = {0};
  poly_add(s, &q, quotient ? &a : &rest, quotient ? RAT_1 : rat_inv(w));
  if (!quotient) without_remainders(s, &q);
  const Poly r = quotient ? rest : a;
  Range of_r = poly_range(s, &r), of_e = poly_range(s, &t);
  if (!all_integer(s, &q) || !of_r.has_lo || !of_r.has_hi || rat_sign(of_r.lo) < 0 || rat_cmp(of_r.hi, w) >= 0)
    return false;
  return floor || !r.n || (of_e.has_lo && rat_sign(of_e.lo) >= 0);
}

/* Bits of an integer that a power of 2 tells apart from the others. */
static bool divided_by_bits(Replay *p, const Goal *g, Num v) {
  int64_t k;
  Store *s = p->s;
  if (g->n != 2) return false;
  bool band = g->fn == sym("band"), second = band && num_is(g->items[0].v);
  Num x = g->items[second].v, n = g->items[!second].v;
  if (!num_is(n) || !rat_to_int(n.k, &k) || k < 0 || !num_is_int(s, x)) return false;
  if (band ? (k & (k + 1)) != 0 || k >> 62 : k > 62) return false;
  Num w = num(rat_int(band ? k + 1 : INT64_C(1) << k));
  if (g->fn == sym("shl")) return num_same(v, num_scale(w.k, x));
  return law_same(s, v, goal_fn(p, sym(band ? "mod" : "floordiv"), (Num[]){x, w}, 2));
}

/* A comparison that is decided, or another one; a function whose value is. */
bool law_decided(Replay *p, const Goal *g, Num v, const Choice *c) {
  static const char *const whole[] = {"floor", "ceil", "trunc", "round_even", "round_afz", NULL},
                           *const parts[] = {"truncdiv", "floordiv", "rem", "mod", NULL},
                           *const bits[] = {"band", "shl", "shr", NULL};
  (void)c;
  Store *s = p->s;
  Num x = g->items[0].v;
  if (g->op != GOAL_FN) return compared(p, x, g->op == GOAL_LT, v) || law_counted(p, x, g->op == GOAL_LT, v);
  const char *fn = sym_text(g->fn);
  int64_t n;
  if (function_among(g->fn, whole) && num_is_int(s, x)) return num_same(v, x);
  if (!strcmp(fn, "floor") || !strcmp(fn, "trunc")) return divided(s, *fn == 'f' ? "floordiv" : "truncdiv", x, 1, v);
  if (function_among(g->fn, bits)) return divided_by_bits(p, g, v);
  if (function_among(g->fn, parts))
    return g->n == 2 && num_is(g->items[1].v) && rat_to_int(g->items[1].v.k, &n) && n > 0 && divided(s, fn, x, n, v);
  if (!strcmp(fn, "sign")) {
    Num above = goal_less(p, num_scale(RAT_NEG1, x)), below = goal_less(p, x);
    return law_same(s, v, goal_subtract(p, above, below));
  }
  if (!strcmp(fn, "abs")) return (flags_of(s, x.a) & IS_NONNEG) && num_same(v, (Num){rat_abs(x.k), x.a});
  if (strcmp(fn, "clamp") || g->n != 3 || !num_same(v, g->items[1].v)) return false;
  return at_most(facts_new(p, s), x, v) && at_most(facts_new(p, s), v, g->items[2].v);
}
