/* Running counts: C(b) = sum(u) p(u) [u <= b], or [u < b], [u >= b], [u > b], is another number at every b with p(b); u
 * and b are an index, or several as digits of a place.  So where p(a) and C(a) == m are known, the sum over b of
 * p(b) [C(b) == m] x(b) is x(a). */
#include "certify/law.h"

/* u < b, u <= b, u > b or u >= b, as a comparison or what is left of 1; the latter two have u == b. */
static bool is_order(Store *s, Atom x, const Label *u, uint32_t n, Subst *to, bool *same) {
  bool is_not = law_not(s, &x);
  if (def_of(s, x)->kind != DEF_LT) return false;
  Poly t = law_form(s, x);
  Rat c = poly_weight(&t, ATOM_ONE);
  poly_put(s, &t, ATOM_ONE, rat_neg(c));
  poly_pack(&t);
  for (uint32_t i = 0; i < t.n; i++)
    if (!rat_is_int(t.at[i].k)) return false;
  *same = (c == RAT_0) == is_not;
  if ((c != RAT_0 && c != RAT_NEG1) || !law_solve(s, t, u, n, to, NULL) || to->n != n) return false;
  for (uint32_t i = 0; i < n; i++)
    if (label_is_form(s, to->to[i]) || label_is_const(to->to[i]) || label_size(s, to->to[i]) != label_size(s, to->from[i]))
      return false;
  return true;
}

bool law_instance(Store *s, Atom x, Atom y, const Label *bound, uint32_t n_bound, Subst *t) {
  AtomInfo a = s->atoms.at[x], b = s->atoms.at[y];
  *t = (Subst){0};
  for (uint32_t i = 0; i < a.n && a.def == b.def; i++) {
    if (a.at[i] == b.at[i]) continue;
    uint32_t k = 0;
    while (k < t->n && t->from[k] != a.at[i]) k++;
    if (k < t->n ? t->to[k] != b.at[i] : !label_among(bound, n_bound, a.at[i]) || !goal_put(t, a.at[i], b.at[i]))
      return false;
  }
  return a.def == b.def && t->n;
}

/* One of these factors is 0 unless a holds: it is a, or a is [0 < sum] and it is a term of the sum. */
static bool among(Store *s, const Item *x, uint32_t n, Atom a) {
  Poly t = {0};
  Goal sum = {0};
  Subst at;
  if (def_of(s, a)->kind == DEF_LT) t = law_form(s, a);
  if (t.n == 1 && rat_sign(t.at[0].k) < 0 && def_of(s, t.at[0].a)->kind == DEF_SUM) sum = goal_of(s, t.at[0].a);
  if (sum.n != 1 || sum.items[0].tag != RAT_1) sum.n = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (x[i].k != RAT_1) continue;
    bool term = sum.n && num_is_pred(s, sum.items[0].v) &&
                law_instance(s, sum.items[0].v.a, x[i].a, sum.bound, sum.n_bound, &at);
    if (x[i].a == a || term) return true;
  }
  return false;
}

/* C counts, along what *to puts in for u, where predicates hold that are among the factors x there; and they are among
 * those known where *at is put in for that. */
static bool counts(Replay *p, Atom C, const Item *x, uint32_t n, const Item *known, uint32_t n_known, const Subst *at,
                   Subst *to, bool *itself) {
  Store *s = p->s;
  Def d = *def_of(s, C);
  uint32_t order = d.n_args;
  if (d.kind != DEF_SUM) return false;
  Label *u = atom_bound(s, C);
  const Item *f = atom_open(s, C, u);
  for (uint32_t i = 0; i < d.n_args && order == d.n_args; i++)
    if (is_order(s, f[i].a, u, d.n_bound, to, itself)) order = i;
  for (uint32_t i = 0; i < d.n_args && order < d.n_args; i++) {
    if (f[i].k != RAT_1 || !(flags_of(s, f[i].a) & IS_PRED)) return false;
    for (uint32_t k = 0; k < to->n && i != order; k++)
      if (atom_has(s, f[i].a, to->to[k])) return false;
    if (i == order) continue;
    Num there = goal_substitute(p, num_of(f[i].a), to);
    if (p->failed || there.k != RAT_1 || !among(s, x, n, there.a)) return false;
    there = goal_substitute(p, there, at);
    if (p->failed || there.k != RAT_1 || !among(s, known, n_known, there.a)) return false;
  }
  return order < d.n_args;
}

/* The equation holds at one value of the labels that t puts something in for. */
static bool at_place(Replay *p, const Item *known, uint32_t n_known, Atom eq, const Item *x, uint32_t n, const Subst *t) {
  Store *s = p->s;
  Poly form = law_form(s, eq);
  uint32_t has = 0, at = 0;
  bool itself, all = true;
  Subst to;
  if (law_told_by(s, form, t->from, t->n, to.from) == t->n) return true;
  for (uint32_t i = 0; i < form.n; i++) {
    bool some = false;
    for (uint32_t k = 0; k < t->n; k++) some |= atom_has(s, form.at[i].a, t->from[k]);
    if (some) has++, at = i;
  }
  if (has != 1 || !counts(p, form.at[at].a, x, n, known, n_known, t, &to, &itself)) return false;
  for (uint32_t k = 0; k < t->n; k++) all &= label_among(to.to, to.n, t->from[k]);
  return all;
}

bool law_at_place(Replay *p, const Item *known, uint32_t n_known, const Goal *g, Subst *t) {
  Store *s = p->s;
  Item *x = SCRATCH(s, Item, g->n);
  for (uint32_t i = 0; i < g->n; i++) x[i] = (Item){g->items[i].v.a, g->items[i].tag};
  for (uint32_t i = 0; i < g->n * n_known && !p->failed; i++) {
    Atom eq = x[i % g->n].a, fact = known[i / g->n].a;
    if (x[i % g->n].k == RAT_1 && def_of(s, eq)->kind == DEF_EQ && law_instance(s, eq, fact, g->bound, g->n_bound, t) &&
        at_place(p, known, n_known, eq, x, g->n, t))
      return !p->failed;
  }
  return false;
}

bool law_counts_itself(Replay *p, const Item *known, uint32_t n_known, Atom a) {
  Subst to, none = {0};
  bool itself;
  return counts(p, a, known, n_known, known, n_known, &none, &to, &itself) && itself;
}

/* x < 0 or x == 0 is v, x being k + w S, S how many of certain truth values (or of their negatives) are 1, or one of them:
 * whether any is, or whether all are. */
bool law_counted(Replay *p, Num x, bool less, Num v) {
  Poly t = law_linear_of(p->s, x);
  uint32_t at = t.n && t.at[0].a == ATOM_ONE;
  if (t.n != 1 + (poly_weight(&t, ATOM_ONE) != RAT_0) || rat_abs(v.k) != RAT_1) return false;
  bool one = def_of(p->s, t.at[at].a)->kind != DEF_SUM;
  Goal q = one ? (Goal){.n = 1, .items = &(GoalItem){num_of(t.at[at].a), RAT_1}} : goal_of(p->s, t.at[at].a);
  Num truth = q.items[0].v;
  Rat lo, hi, n = RAT_1, w = t.at[at].k;
  if (q.n != 1 || q.items[0].tag != RAT_1 || !num_is_int(p->s, truth) || !num_range(p->s, truth, &lo, &hi)) return false;
  if (lo == RAT_NEG1 && hi == RAT_0) truth = num_scale(RAT_NEG1, truth), w = rat_neg(w);
  else if (lo != RAT_0 || hi != RAT_1) return false;
  for (uint32_t i = 0; i < q.n_bound; i++) n = rat_mul(n, rat_int(label_size(p->s, q.bound[i])));
  bool below = less && rat_sign(w) > 0;
  Rat k = rat_neg(rat_div(poly_weight(&t, ATOM_ONE), w)); /* S < k, S > k, S == k */
  if (less) k = below ? rat_ceil(k) : rat_floor(k);
  bool any = k == (below ? RAT_1 : RAT_0), all = k == (less && !below ? rat_sub(n, RAT_1) : n);
  if (n == RAT_0 || (!any && !all)) return false;
  Num minus = num_scale(RAT_NEG1, truth);
  Num m = one ? truth
          : any ? goal_max(p, &truth, 1, q.bound, q.n_bound)
                : num_scale(RAT_NEG1, goal_max(p, &minus, 1, q.bound, q.n_bound));
  bool turned = less ? below : any;
  return law_same(p->s, v, turned ? goal_not(p, m) : m);
}
