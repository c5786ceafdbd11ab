/* The laws of sums, products and contractions.  Each says: under this law, is `v` the answer of this goal?  It derives
 * the answer again from smaller goals, in the way the step says, and compares.  Nothing here searches. */
#include "certify/law.h"
#include "certify/walk.h"

Poly law_linear_of(Store *s, Num v) {
  Poly p = {0};
  poly_linear(s, &p, RAT_1, v);
  poly_pack(&p);
  return p;
}

Poly law_form(Store *s, Atom a) { return law_linear_of(s, num_of(atom_open(s, a, NULL)[0].a)); }

bool law_not(Store *s, Atom *a) {
  Poly t = {0};
  if (def_of(s, *a)->kind == DEF_LIN) t = law_linear_of(s, num_of(*a));
  uint32_t one = t.n == 2 && t.at[1].a == ATOM_ONE;
  bool is = t.n == 2 && t.at[one].a == ATOM_ONE && t.at[one].k == RAT_1 && t.at[!one].k == RAT_NEG1;
  if (is) *a = t.at[!one].a;
  return is;
}

Num law_sum(Replay *p, const Poly *t) {
  Num *v = SCRATCH(p->s, Num, t->n + 1);
  for (uint32_t i = 0; i < t->n; i++) v[i] = (Num){t->at[i].k, t->at[i].a};
  return goal_add(p, v, t->n);
}

Num law_solved(Replay *p, const Poly *t, uint32_t i) {
  Poly rest = {0};
  poly_add(p->s, &rest, t, rat_neg(rat_inv(t->at[i].k)));
  rest.at[i] = rest.at[--rest.n];
  return law_sum(p, &rest);
}

Poly law_goal_terms(Store *s, const Goal *g) {
  Poly p = {0};
  for (uint32_t i = 0; i < g->n; i++) poly_linear(s, &p, RAT_1, g->items[i].v);
  poly_pack(&p);
  return p;
}

/* What stands in a sum beside minus infinity does not matter while it is finite. */
static bool absorbed(Store *s, const Goal *g, Num v) {
  if (v.a != ATOM_NEGINF) return false;
  Poly p = law_goal_terms(s, g);
  Rat k = poly_weight(&p, ATOM_NEGINF);
  for (uint32_t i = 0; i < p.n; i++)
    if (p.at[i].a != ATOM_NEGINF && (flags_of(s, p.at[i].a) & MAY_INF)) return false;
  return k != RAT_0 && !p.undefined && v.k == rat_int(rat_sign(k));
}

static bool same_terms(Store *s, const Goal *g, Num v) {
  Num *all = SCRATCH(s, Num, g->n);
  for (uint32_t i = 0; i < g->n; i++) all[i] = g->items[i].v;
  return absorbed(s, g, v) || same_sums(s, all, g->n, &v, 1);
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
  poly_pack(&x.f);
  poly_pack(&y.f);
  return same_products(s, &x, &y);
}

/* Terms add up, powers add up, nested sums flatten. */
bool law_arithmetic(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  if (g->op == GOAL_ADD) return same_terms(p->s, g, v);
  if (g->op == GOAL_MUL) return same_factors(p->s, g, v);
  return same_sum_over(p->s, g->bound, g->n_bound, g->items[0].v, v);
}

Goal law_factors(Store *s, const Goal *g) {
  Goal f = *g;
  bool product = g->op == GOAL_SUM && def_of(s, g->items[0].v.a)->kind == DEF_MUL;
  if (product) f.items = goal_of(s, g->items[0].v.a).items, f.n = def_of(s, g->items[0].v.a)->n_args;
  GoalItem *copy = SCRATCH(s, GoalItem, f.n + 1);
  for (uint32_t i = 0; i < f.n; i++) copy[i] = f.items[i];
  f.items = copy;
  return f;
}

Goal law_factors_of(Store *s, Atom a) {
  return law_factors(s, &(Goal){.op = GOAL_SUM, .n = 1, .items = &(GoalItem){num_of(a), RAT_1}});
}

Num law_flattened(Replay *p, Goal f, uint32_t at) {
  GoalItem x = f.items[at];
  if (x.tag != RAT_1) f.items[f.n++] = (GoalItem){x.v, rat_sub(x.tag, RAT_1)};
  Goal in = goal_of(p->s, x.v.a), all = {.op = GOAL_SUM};
  all.items = SCRATCH(p->s, GoalItem, f.n + in.n);
  all.bound = SCRATCH(p->s, Label, f.n_bound + in.n_bound);
  for (uint32_t i = 0; i < f.n + in.n; i++)
    if (i != at) all.items[all.n++] = i < f.n ? f.items[i] : in.items[i - f.n];
  for (uint32_t i = 0; i < f.n_bound + in.n_bound; i++)
    all.bound[all.n_bound++] = i < in.n_bound ? in.bound[i] : f.bound[i - in.n_bound];
  return goal_do(p, &all);
}

uint32_t law_distributed(Replay *p, Goal f, uint32_t at, Num **out) {
  Store *s = p->s;
  GoalItem x = f.items[at];
  uint32_t infinite = 0;
  if (def_of(s, x.v.a)->kind != DEF_LIN || x.v.k != RAT_1) return 0;
  if (x.tag != RAT_1 && x.tag != RAT_INT(2) && x.tag != RAT_INT(3)) return 0;
  if (x.tag != RAT_1) f.items[f.n++] = (GoalItem){x.v, rat_sub(x.tag, RAT_1)};
  for (uint32_t j = 0; j < f.n; j++)
    if (j != at && (flags_of(s, f.items[j].v.a) & MAY_INF)) return 0;
  Goal sum = goal_of(s, x.v.a);
  *out = SCRATCH(s, Num, sum.n);
  for (uint32_t j = 0; j < sum.n; j++) {
    infinite += (flags_of(s, sum.items[j].v.a) & MAY_INF) != 0;
    f.items[at] = sum.items[j];
    (*out)[j] = goal_do(p, &f);
  }
  return infinite > 1 || p->failed ? 0 : sum.n;
}

/* A factor that is a sum is written out, or a sum over indices taken around the others. */
bool law_open(Replay *p, const Goal *g, Num v, const Choice *c) {
  Goal f = law_factors(p->s, g);
  uint32_t at = choice_at(c, 0), n;
  GoalItem x = f.items[at < f.n ? at : 0];
  Num w, *terms;
  if (at >= f.n) return false;
  bool power = x.tag == RAT_1 || x.tag == RAT_INT(2) || x.tag == RAT_INT(3);
  if (def_of(p->s, x.v.a)->kind == DEF_SUM && power && x.v.k == RAT_1) w = law_flattened(p, f, at);
  else if ((n = law_distributed(p, f, at, &terms))) w = goal_add(p, terms, n);
  else return false;
  return law_same(p->s, v, w);
}

void law_drop(Goal *g, Store *s, const Label *gone, uint32_t n) {
  Label *left = SCRATCH(s, Label, g->n_bound);
  uint32_t m = 0;
  for (uint32_t i = 0; i < g->n_bound; i++)
    if (!label_among(gone, n, g->bound[i])) left[m++] = g->bound[i];
  g->bound = left, g->n_bound = m;
}

/* The factors listed are summed by themselves, over the labels that no other factor has. */
bool law_inside(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Goal f = law_factors(s, g), in = {.op = GOAL_SUM, .items = SCRATCH(s, GoalItem, f.n)};
  uint32_t n = f.n;
  in.bound = SCRATCH(s, Label, g->n_bound);
  f.n = 0;
  for (uint32_t i = 0; i < n; i++) *(label_among(c->at, c->n, i) ? &in.items[in.n++] : &f.items[f.n++]) = f.items[i];
  for (uint32_t b = 0; b < g->n_bound; b++) {
    bool only = true;
    for (uint32_t i = 0; i < f.n && only; i++) only = !atom_has(s, f.items[i].v.a, g->bound[b]);
    if (only) in.bound[in.n_bound++] = g->bound[b];
  }
  if (!f.n) return false;
  law_drop(&f, s, in.bound, in.n_bound);
  f.items[f.n++] = (GoalItem){goal_do(p, &in), RAT_1};
  return law_same(s, v, goal_do(p, &f));
}

/* ---- an index in pieces */
Num law_piece(Replay *p, const Goal *g, uint32_t b, int64_t at, int64_t size) {
  Store *s = p->s;
  Label k = size > 1 ? label_fresh(s, size) : LABEL_CONST;
  Affine form = {at, size > 1, &(struct AffineTerm){1, k}};
  Subst t = {1, {g->bound[b]}, {label_of_form(s, form, label_size(s, g->bound[b]))}};
  Goal piece = {
      .op = GOAL_SUM, .n = 1, .n_bound = g->n_bound, .bound = arena_copy(&s->scratch, g->bound, g->n_bound * sizeof k)};
  piece.bound[b] = k;
  if (size == 1) law_drop(&piece, s, &k, 1);
  piece.items = &(GoalItem){goal_substitute(p, g->items[0].v, &t), RAT_1};
  return goal_do(p, &piece);
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

/* What stands below a sum or a maximum at every value of index b, or of all (b == n_bound), of a maximum each item at
 * those of the indices that it has; how many, 0: too many. */
static uint32_t at_values(Replay *p, const Goal *g, uint32_t b, Num **out) {
  Store *s = p->s;
  uint32_t from = b < g->n_bound ? b : 0, to = b < g->n_bound ? b + 1 : g->n_bound, n = 0;
  *out = SCRATCH(s, Num, MOST_VALUES);
  for (uint32_t i = 0; i < g->n; i++) {
    Subst t = {0};
    int64_t total = 1;
    for (uint32_t k = from; k < to; k++) {
      if (g->op == GOAL_MAX && !atom_has(s, g->items[i].v.a, g->bound[k])) continue;
      if (!law_times(&total, label_size(s, g->bound[k]), MOST_VALUES) || !goal_put(&t, g->bound[k], 0)) return 0;
    }
    if (n + total > MOST_VALUES) return 0;
    for (int64_t c = 0; c < total && !p->failed; c++) {
      int64_t rest = c;
      for (uint32_t k = t.n; k-- > 0; rest /= label_size(s, t.from[k]))
        t.to[k] = LABEL_CONST | (uint32_t)(rest % label_size(s, t.from[k]));
      (*out)[n++] = goal_substitute(p, g->items[i].v, &t);
    }
  }
  return n;
}

/* Terms of the answer, then of the goal, then the pieces, each with a factor that is a sum, which is written out, or an
 * index of it is cut, or all are taken at all values, or, behind that, a factor below it is written out, or it is taken
 * around the others: TERM FACTOR INDEX N SIZE.. */
static bool pieces_of_terms(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Poly x = law_goal_terms(s, g), y = law_linear_of(s, v);
  uint32_t n[2] = {0, 0}, at = 0, all = y.n + x.n, most = all + c->n / 4 * MOST_VALUES;
  Num *room = arena_raw(&s->scratch, 3 * most * sizeof *room), *side[2] = {room, room + most}, *terms = room + 2 * most;
  bool *right = arena_raw(&s->scratch, most * sizeof *right);
  for (uint32_t i = 0; i < all; i++) {
    Item t = i < y.n ? y.at[i] : x.at[i - y.n];
    terms[i] = (Num){t.k, t.a}, right[i] = i >= y.n;
  }
  for (uint32_t i = 0; i < all; i++) { /* pieces are terms behind all others */
    Num term = terms[i], *out = side[right[i]];
    uint32_t *n_out = &n[right[i]];
    if (at + 4 > c->n || c->at[at] != i || c->at[at + 3] > c->n - at - 4) {
      out[(*n_out)++] = term;
      continue;
    }
    Goal f = law_factors_of(s, term.a);
    uint32_t j = c->at[at + 1], m = 0;
    Num cut[MOST_CASES], *w = cut;
    if (j >= f.n || f.items[j].tag != RAT_1) return false;
    DefKind kind = def_of(s, f.items[j].v.a)->kind;
    Goal sum = {0};
    if (kind == DEF_LIN || kind == DEF_SUM) sum = goal_of(s, f.items[j].v.a);
    if (kind == DEF_SUM && c->at[at + 2] == sum.n_bound + sum.n + 1) {
      *w = law_flattened(p, f, j), f.items->tag = RAT_1, f.n = m = 1, j = 0;
    } else if (kind == DEF_LIN && sum.n <= MOST_CASES && !(flags_of(s, term.a) & MAY_INF)) {
      for (; m < sum.n; m++) w[m] = sum.items[m].v;
    } else if (kind == DEF_SUM && c->at[at + 2] > sum.n_bound) {
      uint32_t below = c->at[at + 2] - sum.n_bound - 1;
      m = below < sum.n ? law_distributed(p, sum, below, &w) : 0;
    } else if (kind == DEF_SUM) {
      sum.items = &(GoalItem){goal_mul(p, sum.items, sum.n), RAT_1}, sum.n = 1;
      if (c->at[at + 2] == sum.n_bound) m = at_values(p, &sum, sum.n_bound, &w);
      else m = pieces(p, &sum, c->at[at + 2], c->at + at + 4, c->at[at + 3], w);
    }
    if (!m || m > MOST_VALUES) return false;
    for (uint32_t k = 0; k < m; k++) {
      f.items[j].v = w[k];
      right[all] = right[i];
      terms[all++] = num_scale(term.k, goal_do(p, &f));
    }
    at += 4 + c->at[at + 3];
  }
  if (!at || at < c->n || p->failed || x.undefined || y.undefined) return false;
  if (c->at[0] >= y.n && num_same(v, goal_add(p, side[1], n[1]))) return true; /* which is little work */
  return !p->failed && same_sums(s, side[0], n[0], side[1], n[1]);
}

/* Adds v to terms: a sum or a maximum is that of all values of its indices, a product of sums is written out, and what is
 * below another operation as well.  *left: how many values may be met. */
static void write_out(Replay *p, Num v, uint32_t *left, Poly *out) {
  Store *s = p->s;
  DefKind kind = def_of(s, v.a)->kind;
  bool product = kind == DEF_MUL && !(flags_of(s, v.a) & MAY_INF);
  Poly all = {0};
  if (p->failed || !*left || !--*left) return (void)goal_fail(p, "too much is written out");
  if (kind < DEF_LIN || kind == DEF_OPAQUE) return poly_put(s, out, v.a, v.k);
  Goal g = goal_of(s, v.a);
  if (kind == DEF_SUM) *g.items = (GoalItem){goal_mul(p, g.items, g.n), RAT_1}, g.n = 1, g.op = GOAL_ADD;
  if (g.n_bound) {
    Num *w;
    uint32_t n = at_values(p, &g, g.n_bound, &w);
    g = (Goal){.op = g.op, .n = n, .items = SCRATCH(s, GoalItem, n)};
    if (!n) goal_fail(p, "too many values");
    for (uint32_t i = 0; i < n && !p->failed; i++) g.items[i] = (GoalItem){w[i], RAT_1};
  }
  if (product) poly_put(s, &all, ATOM_ONE, RAT_1);
  for (uint32_t i = 0; i < g.n && !p->failed; i++) {
    Poly in = {0}, terms = {0};
    GoalItem *x = &g.items[i];
    write_out(p, g.op == GOAL_ADD ? num_scale(v.k, x->v) : x->v, left, g.op == GOAL_ADD ? out : &in);
    if (in.undefined) goal_fail(p, "infinity minus infinity");
    if (!product || x->tag != RAT_1) x->v = law_sum(p, &in);
    if (product && x->tag != RAT_1) in = law_linear_of(s, goal_mul(p, x, 1));
    for (uint32_t j = 0; j < in.n * all.n && !p->failed; j++) {
      Item a = all.at[j / in.n], b = in.at[j % in.n];
      Num both = goal_mul2(p, (Num){a.k, a.a}, (Num){b.k, b.a});
      if (!*left || !--*left) goal_fail(p, "too much is written out");
      poly_put(s, &terms, both.a, both.k);
    }
    all = terms;
  }
  if (product) poly_add(s, out, &all, v.k);
  else if (g.op != GOAL_ADD && !p->failed) poly_linear(s, out, v.k, goal_do(p, &g));
}

/* Both sides come to the same terms where all is written out, their difference after it is multiplied by denominators
 * that are positive, one after the other. */
static bool same_written_out(Replay *p, const Goal *g, Num v) {
  Store *s = p->s;
  Poly x = {0}, y = {0};
  uint32_t left = 8 * MOST_VALUES;
  for (uint32_t i = 0; i < g->n && g->op == GOAL_ADD; i++) write_out(p, g->items[i].v, &left, &x);
  if (g->op != GOAL_ADD) write_out(p, goal_do(p, g), &left, &x);
  write_out(p, v, &left, &y);
  poly_pack(&x), poly_pack(&y);
  if (poly_equal(&x, &y)) return !p->failed;
  for (Poly t = poly_minus(s, &x, RAT_1, &y), next; !p->failed && (t.n || t.undefined); poly_pack(&next), t = next) {
    GoalItem below = {.tag = RAT_0};
    for (uint32_t i = 0; i < t.n; i++) {
      Goal f = law_factors_of(s, t.at[i].a);
      for (uint32_t j = 0; j < f.n; j++)
        if ((flags_of(s, f.items[j].v.a) & (IS_POS | MAY_INF)) == IS_POS && rat_cmp(f.items[j].tag, below.tag) < 0)
          below = f.items[j];
    }
    if (below.tag == RAT_0 || t.undefined) return false;
    below.tag = rat_neg(below.tag), next = (Poly){0};
    for (uint32_t i = 0; i < t.n; i++) {
      Num over = goal_mul(p, (GoalItem[]){{num_of(t.at[i].a), RAT_1}, below}, 2);
      write_out(p, num_scale(t.at[i].k, over), &left, &next);
    }
  }
  return !p->failed && !x.undefined && !y.undefined;
}

/* A sum over an index is that of its pieces: INDEX SIZE.. of the goal (behind all indices the same ones again: what the
 * pieces add up to is a claim), or terms of the answer; a maximum that of all values of an index, or of all of them.
 *  Without numbers both sides of a claim or a sum are written out. */
bool law_pieces(Replay *p, const Goal *g, Num v, const Choice *c) {
  Num w[MOST_CASES], *all;
  if (!c->n) return same_written_out(p, g, v);
  if (g->op == GOAL_ADD) return pieces_of_terms(p, g, v, c);
  if (c->at[0] > g->n_bound * (g->op == GOAL_SUM ? 2 : 1)) return false;
  uint32_t b = c->at[0], last = b < g->n_bound, n;
  if (g->op == GOAL_SUM) {
    n = pieces(p, g, last ? b : b - g->n_bound, c->at + 1, c->n - 1, w);
    return n && (last ? law_same(p->s, v, goal_add(p, w, n)) : goal_adds_up(p, w, n, v));
  }
  Label *rest = arena_copy(&p->s->scratch, g->bound, g->n_bound * sizeof *rest);
  if (last) rest[b] = rest[g->n_bound - 1];
  n = at_values(p, g, b, &all);
  Num most = n ? goal_max(p, all, n, rest, last ? g->n_bound - 1 : 0) : num(RAT_0);
  return n && (law_same(p->s, v, most) || goal_same(p, v, most));
}

/* ---- equations of indices */
bool law_digits(Store *s, Poly form, const Goal *g, Digits *d) {
  Label *left = SCRATCH(s, Label, g->n_bound);
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n_bound; i++)
    if (poly_weight(&form, atom_index(s, g->bound[i])) != RAT_0) left[n++] = g->bound[i];
  *d = (Digits){.at = SCRATCH(s, Label, n + 1), .places = 1};
  d->n = law_told_by(s, form, left, n, d->at);
  for (uint32_t i = 0; i < d->n; i++) {
    poly_put(s, &d->place, atom_index(s, d->at[i]), rat_int(d->places));
    if (!law_times(&d->places, label_size(s, d->at[i]), INT32_MAX)) return false;
  }
  if (d->n) d->unit = poly_weight(&form, d->place.at->a);
  d->rest = poly_minus(s, &form, d->unit, &d->place);
  bool told = d->n > 0;
  for (uint32_t i = 0; i < d->rest.n * d->n; i++) told = told && !atom_has(s, d->rest.at[i / d->n].a, d->at[i % d->n]);
  return told;
}

/* form == 0 just where these labels are the digits of a form in the others, a constant if that is asked for; a single one
 * may be a form that is not always among its values: *beyond. */
static bool solve_for(Store *s, Poly form, const Label *of, uint32_t n, bool constant, Subst *t, Affine *beyond) {
  Digits d;
  Affine f = {0, 0, SCRATCH(s, struct AffineTerm, form.n)};
  int64_t k, *size = SCRATCH(s, int64_t, n);
  *t = (Subst){0};
  if (n > 128 || !law_digits(s, form, &(Goal){.bound = (Label *)of, .n_bound = n}, &d)) return false;
  for (uint32_t i = 0; i < d.rest.n; i++) {
    Item x = d.rest.at[i];
    if (!rat_to_int(rat_neg(rat_div(x.k, d.unit)), &k)) return false;
    if (x.a == ATOM_ONE) f.c = k;
    else if (constant || def_of(s, x.a)->kind != DEF_INDEX) return false;
    else f.t[f.n++] = (struct AffineTerm){k, s->atoms.at[x.a].at[0]};
  }
  for (uint32_t i = 0; i < d.n; i++) size[i] = label_size(s, t->from[i] = d.at[d.n - 1 - i]);
  t->n = d.n;
  if (form_inside(s, f, d.places)) return form_read(s, f, &(Cuts){d.n, size}, FORM_FIRST, false, t->to, NULL);
  if (!beyond || d.n != 1) return false;
  *beyond = f;
  t->to[0] = label_of_form(s, f, size[0]);
  return true;
}

/* Of an equation, which index is which: one of `bound` (any, a constant, if NULL), or all of them, as digits. */
bool law_solve(Store *s, Poly form, const Label *bound, uint32_t n_bound, Subst *t, Affine *beyond) {
  Label *in = SCRATCH(s, Label, form.n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < form.n; i++) {
    Label l = def_of(s, form.at[i].a)->kind == DEF_INDEX ? s->atoms.at[form.at[i].a].at[0] : LABEL_CONST;
    if (l != LABEL_CONST && (!bound || label_among(bound, n_bound, l))) in[n++] = l;
  }
  for (uint32_t i = 0; i < n; i++)
    if (solve_for(s, form, &in[i], 1, !bound, t, NULL)) return true;
  if (bound && solve_for(s, form, in, n, false, t, NULL)) return true;
  for (uint32_t i = 0; i < n && beyond; i++)
    if (solve_for(s, form, &in[i], 1, false, t, beyond)) return true;
  return false;
}

/* sum(k) [k == j] f(k) = f(j), if need be [0 <= j < n] f(j), and [i == c] f(i) = [i == c] f(c) */
bool law_one_hot(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Goal f = law_factors(s, g);
  Subst t = {0};
  uint32_t at = choice_at(c, 0);
  bool sum = g->op == GOAL_SUM, changed = sum;
  if (at >= f.n || f.items[at].tag != RAT_1 || def_of(s, f.items[at].v.a)->kind != DEF_EQ) return false;
  Affine j = {0, 0, NULL};
  if (!law_solve(s, law_form(s, f.items[at].v.a), sum ? g->bound : NULL, g->n_bound, &t, sum ? &j : NULL)) return false;
  Num within = num(RAT_1), from = form_num(p, j), size = num(rat_int(t.n ? label_size(s, t.from[0]) : 0));
  if (j.n || j.c) within = goal_mul2(p, goal_not(p, goal_less(p, from)), goal_less(p, goal_subtract(p, from, size)));
  for (uint32_t i = 0; i < f.n; i++) {
    Num was = f.items[i].v;
    if ((j.n || j.c) && (flags_of(s, was.a) & MAY_INF)) return false;
    if (i != at) f.items[i].v = goal_substitute(p, was, &t);
    else if (sum) f.items[i].v = within;
    changed |= !num_same(was, f.items[i].v);
  }
  law_drop(&f, s, t.from, t.n);
  return changed && law_same(s, v, goal_do(p, &f));
}
