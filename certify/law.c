/* The laws of sums, products and contractions.  Each says: under this law, is `v` the answer of this goal?  It derives
 * the answer again from smaller goals, in the way the step says, and compares.  Nothing here searches. */
#include "certify/law.h"

Poly law_linear_of(Store *s, Num v) {
  Poly p = {0};
  poly_linear(s, &p, RAT_1, v);
  poly_pack(&p);
  return p;
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

Poly law_goal_terms(Store *s, const Goal *g) {
  Poly p = {0};
  for (uint32_t i = 0; i < g->n; i++) poly_linear(s, &p, RAT_1, g->items[i].v);
  poly_pack(&p);
  return p;
}

static bool same_terms(Store *s, const Goal *g, Num v) {
  Poly x = law_goal_terms(s, g), y = law_linear_of(s, v);
  Num *all = SCRATCH(s, Num, g->n);
  for (uint32_t i = 0; i < g->n; i++) all[i] = g->items[i].v;
  if (absorbed(s, &x, v)) return true;
  poly_sort(s, &x);
  poly_sort(s, &y);
  return poly_equal(&x, &y) || same_sums(s, all, g->n, &v, 1);
}

static bool same_factors(Store *s, const Goal *g, Num v) {
  Product x = {.k = RAT_1}, y = {.k = RAT_1};
  const Def *d = def_of(s, v.a);
  if (g->n == 1 && v.k == RAT_1 && d->kind == DEF_MUL && d->n_args == 1 && d->args[0].tag == g->items[0].tag &&
      law_same(s, g->items[0].v, num_of(atom_open(s, v.a, NULL)[0].a)))
    return true; /* (k x) ^ p, kept as it is under a root */
  for (uint32_t i = 0; i < g->n; i++)
    if (!product_put(s, &x, g->items[i].v, g->items[i].tag)) return false;
  if (x.k == RAT_0 || v.k == RAT_0) return x.k == v.k;
  if (!product_put(s, &y, v, RAT_1)) return false;
  poly_sort(s, &x.f);
  poly_sort(s, &y.f);
  return product_equal(s, &x, &y);
}

/* Terms add up, powers add up, nested sums flatten. */
bool law_arithmetic(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  if (g->op == GOAL_ADD) return same_terms(p->s, g, v);
  if (g->op == GOAL_MUL) return same_factors(p->s, g, v);
  return same_sum_over(p->s, g->bound, g->n_bound, g->items[0].v, v);
}

Factors law_factors(Store *s, const Goal *g) {
  const Def *d = g->op == GOAL_SUM ? def_of(s, g->items[0].v.a) : NULL;
  bool product = d && d->kind == DEF_MUL;
  uint32_t n = product ? d->n_args : g->n;
  Item *t = product ? atom_open(s, g->items[0].v.a, NULL) : NULL;
  Factors f = {n, SCRATCH(s, Num, n + 1), SCRATCH(s, Rat, n + 1)};
  for (uint32_t i = 0; i < n; i++) {
    f.v[i] = t ? num_of(t[i].a) : g->items[i].v;
    f.power[i] = t ? t[i].k : d ? RAT_1 : g->items[i].tag;
  }
  return f;
}

/* A sum among the factors of a sum is taken into this one. */
static Num flattened(Replay *p, const Goal *g, Factors f, uint32_t at) {
  Store *s = p->s;
  Atom a = f.v[at].a;
  uint32_t n = def_of(s, a)->n_args, m = def_of(s, a)->n_bound;
  Label *inner = atom_bound(s, a), *bound = SCRATCH(s, Label, g->n_bound + m);
  Item *t = atom_open(s, a, inner);
  Factors all = {f.n + n, SCRATCH(s, Num, f.n + n), SCRATCH(s, Rat, f.n + n)};
  for (uint32_t i = 0; i < f.n; i++) all.v[i] = i == at ? num(RAT_1) : f.v[i], all.power[i] = f.power[i];
  for (uint32_t i = 0; i < n; i++) all.v[f.n + i] = num_of(t[i].a), all.power[f.n + i] = t[i].k;
  for (uint32_t i = 0; i < g->n_bound + m; i++) bound[i] = i < m ? inner[i] : g->bound[i - m];
  return goal_sum(p, bound, g->n_bound + m, goal_mul(p, all.v, all.power, all.n));
}

bool law_distributed(Replay *p, Factors f, uint32_t at, const Label *bound, uint32_t n_bound, Num *out) {
  Store *s = p->s;
  Atom a = f.v[at].a;
  Rat power = f.power[at];
  uint32_t n = def_of(s, a)->n_args, infinite = 0;
  if (def_of(s, a)->kind != DEF_LIN || f.v[at].k != RAT_1) return false;
  if (power != RAT_1 && power != RAT_INT(2) && power != RAT_INT(3)) return false;
  f.v[f.n] = power == RAT_1 ? num(RAT_1) : f.v[at];
  f.power[f.n++] = power == RAT_1 ? RAT_1 : rat_sub(power, RAT_1);
  f.power[at] = RAT_1;
  for (uint32_t j = 0; j < f.n; j++)
    if (j != at && (flags_of(s, f.v[j].a) & MAY_INF)) return false;
  Item *t = atom_open(s, a, NULL);
  Num *w = SCRATCH(s, Num, n);
  for (uint32_t j = 0; j < n; j++) {
    infinite += (flags_of(s, t[j].a) & MAY_INF) != 0;
    f.v[at] = (Num){t[j].k, t[j].a};
    w[j] = goal_sum(p, bound, n_bound, goal_mul(p, f.v, f.power, f.n));
  }
  *out = goal_add(p, w, n);
  return infinite <= 1 && !p->failed;
}

/* A factor that is a sum is written out, or taken into the sum around it. */
bool law_open(Replay *p, const Goal *g, Num v, const Choice *c) {
  Factors f = law_factors(p->s, g);
  uint32_t at = c->at[0];
  Num w;
  if (def_of(p->s, f.v[at].a)->kind == DEF_SUM && g->op == GOAL_SUM && f.power[at] == RAT_1) w = flattened(p, g, f, at);
  else if (!law_distributed(p, f, at, g->bound, g->n_bound, &w)) return false;
  return law_same(p->s, v, w);
}

static bool among(const Label *l, uint32_t n, Label x) {
  for (uint32_t i = 0; i < n; i++)
    if (l[i] == x) return true;
  return false;
}

/* The factors listed are summed by themselves, over the labels that no other factor has. */
bool law_inside(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Factors f = law_factors(s, g), in = {0, SCRATCH(s, Num, f.n), SCRATCH(s, Rat, f.n)};
  Label *own = SCRATCH(s, Label, g->n_bound), *rest = SCRATCH(s, Label, g->n_bound);
  uint32_t n_own = 0, n_rest = 0, n_out = 0;
  for (uint32_t i = 0; i < f.n; i++) {
    if (among(c->at, c->n, i)) in.v[in.n] = f.v[i], in.power[in.n++] = f.power[i];
    else f.v[n_out] = f.v[i], f.power[n_out++] = f.power[i];
  }
  for (uint32_t b = 0; b < g->n_bound; b++) {
    bool only = true;
    for (uint32_t i = 0; i < n_out && only; i++) only = !atom_has(s, f.v[i].a, g->bound[b]);
    if (only) own[n_own++] = g->bound[b];
    else rest[n_rest++] = g->bound[b];
  }
  if (!n_out) return false;
  f.v[n_out] = goal_sum(p, own, n_own, goal_mul(p, in.v, in.power, in.n));
  f.power[n_out] = RAT_1;
  return law_same(s, v, goal_sum(p, rest, n_rest, goal_mul(p, f.v, f.power, n_out + 1)));
}

/* ---- an index in pieces */
Num law_piece(Replay *p, const Goal *g, uint32_t b, int64_t at, int64_t size) {
  Store *s = p->s;
  Label k = size > 1 ? label_fresh(s, size) : LABEL_CONST, *all = SCRATCH(s, Label, g->n_bound);
  Affine form = {at, size > 1, &(struct AffineTerm){1, k}};
  Subst t = {1, {g->bound[b]}, {label_of_form(s, form, label_size(s, g->bound[b]))}};
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n_bound; i++)
    if (i != b) all[n++] = g->bound[i];
  if (size > 1) all[n++] = k;
  return goal_sum(p, all, n, goal_substitute(p, g->items[0].v, &t));
}

/* Index b cut into pieces of these sizes, and single values behind them; how many, 0: not so. */
static uint32_t pieces(Replay *p, const Goal *g, uint32_t b, const Label *size, uint32_t n, Num *out) {
  if (b >= g->n_bound) return 0;
  int64_t all = label_size(p->s, g->bound[b]);
  uint32_t m = 0;
  for (int64_t at = 0, next; at < all && !p->failed; at = next, m++) {
    next = at + (m < n ? size[m] : 1);
    if (m == MOST_CASES || next == at || next > all) return 0;
    out[m] = law_piece(p, g, b, at, next - at);
  }
  return m;
}

/* What stands below a sum or a maximum at every value of index b, or of all (b == n_bound); how many, 0: too many. */
static uint32_t at_values(Replay *p, const Goal *g, uint32_t b, Num **out) {
  uint32_t from = b < g->n_bound ? b : 0, to = b < g->n_bound ? b + 1 : g->n_bound;
  int64_t total = g->n;
  for (uint32_t i = from; i < to; i++) {
    total *= label_size(p->s, g->bound[i]);
    if (total > MOST_VALUES) return 0;
  }
  *out = SCRATCH(p->s, Num, total);
  for (int64_t c = 0; c < total && !p->failed; c++) {
    Subst t = {0};
    int64_t rest = c / g->n;
    for (uint32_t i = to; i-- > from; rest /= label_size(p->s, g->bound[i]))
      goal_put(&t, g->bound[i], LABEL_CONST | (uint32_t)(rest % label_size(p->s, g->bound[i])));
    (*out)[c] = goal_substitute(p, g->items[c % g->n].v, &t);
  }
  return (uint32_t)total;
}

/* Terms of the answer, then of the goal, each with a factor that is a sum, which is written out, or an index of it is
 * cut, or all are taken at all values: TERM FACTOR INDEX N SIZE.. */
static bool pieces_of_terms(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Poly x = law_goal_terms(s, g), y = law_linear_of(s, v);
  uint32_t n[2] = {0, 0}, at = 0;
  Num *side[2] = {SCRATCH(s, Num, y.n + c->n / 4 * MOST_VALUES), SCRATCH(s, Num, x.n + c->n / 4 * MOST_VALUES)};
  for (uint32_t i = 0; i < y.n + x.n; i++) {
    Item t = i < y.n ? y.at[i] : x.at[i - y.n];
    Num term = {t.k, t.a}, *out = side[i >= y.n];
    uint32_t *n_out = &n[i >= y.n];
    if (at + 4 > c->n || c->at[at] != i || c->at[at + 3] > c->n - at - 4) {
      out[(*n_out)++] = term;
      continue;
    }
    Factors f = law_factors(s, &(Goal){.op = GOAL_SUM, .n = 1, .items = &(GoalItem){num_of(term.a), RAT_1}});
    uint32_t j = c->at[at + 1], m = 0;
    Num cut[MOST_CASES], *w = cut;
    if (j >= f.n || f.power[j] != RAT_1) return false;
    Def d = *def_of(s, f.v[j].a);
    Goal sum = {.op = GOAL_SUM, .n = 1, .n_bound = d.n_bound, .bound = atom_bound(s, f.v[j].a)};
    Item *arg = atom_open(s, f.v[j].a, sum.bound);
    if (d.kind == DEF_LIN && d.n_args <= MOST_CASES && !(flags_of(s, term.a) & MAY_INF)) {
      for (; m < d.n_args; m++) w[m] = (Num){arg[m].k, arg[m].a};
    } else if (d.kind == DEF_SUM) {
      Num *body = SCRATCH(s, Num, d.n_args);
      Rat *power = SCRATCH(s, Rat, d.n_args);
      for (uint32_t k = 0; k < d.n_args; k++) body[k] = num_of(arg[k].a), power[k] = arg[k].k;
      sum.items = &(GoalItem){goal_mul(p, body, power, d.n_args), RAT_1};
      if (c->at[at + 2] == d.n_bound) m = at_values(p, &sum, d.n_bound, &w);
      else m = pieces(p, &sum, c->at[at + 2], c->at + at + 4, c->at[at + 3], w);
    }
    if (!m) return false;
    for (uint32_t k = 0; k < m; k++) {
      f.v[j] = w[k];
      out[(*n_out)++] = num_scale(term.k, goal_mul(p, f.v, f.power, f.n));
    }
    at += 4 + c->at[at + 3];
  }
  if (!at || at < c->n || p->failed || x.undefined) return false;
  if (same_sums(s, side[0], n[0], side[1], n[1])) return true;
  return c->at[0] >= y.n && num_same(v, goal_add(p, side[1], n[1]));
}

/* A sum over an index is that of its pieces: INDEX SIZE.. of the goal, or terms of the answer; a maximum that of all
 * values of an index, or of all of them. */
bool law_pieces(Replay *p, const Goal *g, Num v, const Choice *c) {
  Num w[MOST_CASES], *all;
  if (g->op == GOAL_ADD) return pieces_of_terms(p, g, v, c);
  if (!c->n || c->at[0] > g->n_bound) return false;
  uint32_t b = c->at[0], last = b < g->n_bound, n;
  if (g->op == GOAL_SUM) {
    n = pieces(p, g, b, c->at + 1, c->n - 1, w);
    return n && law_same(p->s, v, goal_add(p, w, n));
  }
  Label *rest = arena_copy(&p->s->scratch, g->bound, g->n_bound * sizeof *rest);
  if (last) rest[b] = rest[g->n_bound - 1];
  n = at_values(p, g, b, &all);
  Num most = n ? goal_max(p, all, n, rest, last ? g->n_bound - 1 : 0) : num(RAT_0);
  return n && (law_same(p->s, v, most) || goal_same(p, v, most));
}

/* ---- equations of indices */
/* form == 0 just where every label `from` is its `to`: it is 0 there, and the labels stand in it like digits: each
 * weighs more than all that weigh less can make up. */
static bool solves(Store *s, Poly form, const Subst *t) {
  Poly rest = {0};
  Rat weight[32], reach = RAT_0;
  bool met[32] = {0};
  if (t->n > 32) return false;
  for (uint32_t i = 0; i < form.n; i++) {
    Item x = form.at[i];
    uint32_t j = 0;
    while (j < t->n && !atom_has(s, x.a, t->from[j])) j++;
    if (j == t->n) {
      poly_put(s, &rest, x.a, x.k);
      continue;
    }
    Affine f = label_open(s, t->to[j]);
    if (met[j] || def_of(s, x.a)->kind != DEF_INDEX || !form_inside(s, f, label_size(s, t->from[j]))) return false;
    met[j] = true;
    weight[j] = x.k;
    poly_put(s, &rest, ATOM_ONE, rat_mul(x.k, rat_int(f.c)));
    for (uint32_t k = 0; k < f.n; k++) {
      if (among(t->from, t->n, f.t[k].l)) return false;
      poly_put(s, &rest, atom_index(s, f.t[k].l), rat_mul(x.k, rat_int(f.t[k].k)));
    }
  }
  poly_pack(&rest);
  for (uint32_t i = 0; i < t->n; i++)
    if (!met[i] || rat_sign(weight[i]) != rat_sign(weight[0]) || among(t->from, i, t->from[i])) return false;
  for (uint32_t n = 0; n < t->n; n++) { /* by weight */
    uint32_t least = t->n;
    for (uint32_t j = 0; j < t->n; j++)
      if (met[j] && (least == t->n || rat_cmp(rat_abs(weight[j]), rat_abs(weight[least])) < 0)) least = j;
    if (rat_cmp(rat_abs(weight[least]), reach) <= 0) return false;
    met[least] = false;
    reach = rat_add(reach, rat_mul(rat_abs(weight[least]), rat_int(label_size(s, t->from[least]) - 1)));
  }
  return t->n && !rest.n && !rest.undefined;
}

/* Index i of an equation as a form in the others; a constant, if that is asked for. */
static bool solve_for(Store *s, Poly form, uint32_t i, bool constant, Subst *t) {
  Label l = s->atoms.at[form.at[i].a].at[0];
  Affine f = {0, 0, SCRATCH(s, struct AffineTerm, form.n)};
  for (uint32_t j = 0; j < form.n; j++) {
    int64_t k;
    if (i == j) continue;
    if (!rat_to_int(rat_neg(rat_div(form.at[j].k, form.at[i].k)), &k)) return false;
    if (form.at[j].a == ATOM_ONE) f.c = k;
    else if (constant || def_of(s, form.at[j].a)->kind != DEF_INDEX) return false;
    else f.t[f.n++] = (struct AffineTerm){k, s->atoms.at[form.at[j].a].at[0]};
  }
  *t = (Subst){1, {l}, {label_of_form(s, f, label_size(s, l))}};
  return solves(s, form, t);
}

/* Of an equation, which index is which: one of `bound` (any, a constant, if NULL); or digits that stand on both sides.
 */
bool law_solve(Store *s, Poly form, const Label *bound, uint32_t n_bound, Subst *t) {
  *t = (Subst){0};
  for (uint32_t i = 0; i < form.n; i++) {
    bool is_index = def_of(s, form.at[i].a)->kind == DEF_INDEX;
    if (is_index && (!bound || among(bound, n_bound, s->atoms.at[form.at[i].a].at[0])) &&
        solve_for(s, form, i, !bound, t))
      return true;
  }
  t->n = 0;
  for (uint32_t i = 0; i < form.n && bound; i++) {
    const Item *x = &form.at[i];
    Label l = def_of(s, x->a)->kind == DEF_INDEX ? s->atoms.at[x->a].at[0] : LABEL_CONST;
    for (uint32_t j = 0; j < form.n && among(bound, n_bound, l) && !among(t->to, t->n, l); j++) {
      if (def_of(s, form.at[j].a)->kind != DEF_INDEX || form.at[j].k != rat_neg(x->k)) continue;
      Label m = s->atoms.at[form.at[j].a].at[0];
      Affine f = {0, 1, &(struct AffineTerm){1, m}};
      if (among(t->from, t->n, m) || among(t->to, t->n, m)) continue;
      if (!goal_put(t, l, label_of_form(s, f, label_size(s, l)))) return false;
      break;
    }
  }
  return solves(s, form, t);
}

/* sum(k) [k == j] f(k) = f(j), and [i == c] f(i) = [i == c] f(c) */
bool law_one_hot(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Factors f = law_factors(s, g);
  Subst t = {0};
  uint32_t at = c->at[0], n = 0;
  bool sum = g->op == GOAL_SUM, changed = sum;
  if (f.power[at] != RAT_1 || def_of(s, f.v[at].a)->kind != DEF_EQ) return false;
  Poly form = law_linear_of(s, num_of(atom_open(s, f.v[at].a, NULL)[0].a));
  if (!law_solve(s, form, sum ? g->bound : NULL, g->n_bound, &t)) return false;
  for (uint32_t i = 0; i < f.n; i++) {
    Num was = f.v[i];
    if (i != at) f.v[i] = goal_substitute(p, f.v[i], &t);
    else if (sum) f.v[i] = num(RAT_1);
    changed |= !num_same(was, f.v[i]);
  }
  Label *rest = SCRATCH(s, Label, g->n_bound);
  for (uint32_t i = 0; i < g->n_bound; i++)
    if (!among(t.from, t.n, g->bound[i])) rest[n++] = g->bound[i];
  return changed && law_same(s, v, goal_sum(p, rest, n, goal_mul(p, f.v, f.power, f.n)));
}
