/* What a law may be about, when a certificate is made: terms, factors and labels in turn; which factors hang together;
 * where an index may be cut.  None of it is believed. */
#include "eval/witness/witness_choice.h"

#include "certify/law.h"

enum { MOST_WORK = 512, MOST_OPENED = 9, MOST_NUMBERS = 1024, MOST_TOLD = 4, MOST_SINGLE = 4, MOST_NESTED = 5, FEW = 16 };
enum { MOST_WRITTEN = 10000 };

typedef struct List {
  uint32_t n;
  Label at[MOST_NUMBERS];
} List;

static void put(List *l, uint64_t number) {
  if (l->n < MOST_NUMBERS) l->at[l->n++] = (Label)number;
}

static bool has(const List *l, uint32_t number) {
  for (uint32_t i = 0; i < l->n; i++)
    if (l->at[i] == number) return true;
  return false;
}

/* ---- inside */
/* Those without an index; all that share indices, in turn; all that have one index, in turn. */
static bool group_of_factors(Replay *p, const Goal *g, uint32_t i, List *out) {
  Goal f = law_factors(p->s, g);
  if (i == 0) return true;
  if (i <= f.n) {
    put(out, i - 1);
    for (uint32_t from = 0; from < out->n; from++)
      for (uint32_t j = 0; j < f.n; j++)
        for (uint32_t b = 0; b < g->n_bound && !has(out, j); b++)
          if (atom_has(p->s, f.items[out->at[from]].v.a, g->bound[b]) && atom_has(p->s, f.items[j].v.a, g->bound[b]))
            put(out, j);
    return true;
  }
  if (i - f.n - 1 >= g->n_bound) return false;
  for (uint32_t j = 0; j < f.n; j++)
    if (atom_has(p->s, f.items[j].v.a, g->bound[i - f.n - 1])) put(out, j);
  return true;
}

/* ---- pieces */
/* Where comparisons of the index with constants change, among factors and terms of them, ascending. */
static uint32_t places(Store *s, Atom a, Label l, uint32_t depth, int64_t *out, uint32_t n, uint32_t cap) {
  Def d = *def_of(s, a);
  if ((d.kind == DEF_LIN || d.kind == DEF_MUL) && depth) {
    const Item *x = atom_open(s, a, NULL);
    for (uint32_t i = 0; i < d.n_args; i++) n = places(s, x[i].a, l, depth - 1, out, n, cap);
  }
  if (d.kind != DEF_LT && d.kind != DEF_EQ) return n;
  Poly form = law_form(s, a);
  Rat k = poly_weight(&form, atom_index(s, l)), c = poly_weight(&form, ATOM_ONE);
  int64_t at;
  if (k == RAT_0 || form.n != 1u + (c != RAT_0) || !rat_to_int(rat_floor(rat_div(rat_neg(c), k)), &at)) return n;
  for (int64_t x = at; x <= at + 1 && n < cap; x++) {
    if (x <= 0 || x >= label_size(s, l)) continue;
    uint32_t q = n++;
    for (; q && out[q - 1] > x; q--) out[q] = out[q - 1];
    out[q] = x;
  }
  return n;
}

static Range rest_of(const Store *s, const Poly *form, Atom but) {
  Range r = range_from(RAT_0, RAT_0);
  for (uint32_t q = 0; q < form->n; q++)
    if (form->at[q].a != but) r = range_add(r, range_scale(num_bounds(s, num_of(form->at[q].a)), form->at[q].k));
  return r;
}

/* Values *from .. *to - 1 of the index are those at which a product of comparisons may hold. */
static void support(Store *s, Atom a, Label l, int64_t *from, int64_t *to) {
  Def d = *def_of(s, a);
  if (d.kind == DEF_MUL) {
    const Item *x = atom_open(s, a, NULL);
    for (uint32_t i = 0; i < d.n_args; i++) support(s, x[i].a, l, from, to);
    return;
  }
  bool less = d.kind == DEF_LT;
  if (!less && (!law_not(s, &a) || (def_of(s, a)->kind != DEF_LT && def_of(s, a)->kind != DEF_EQ))) return;
  Poly form = law_form(s, a); /* k l + rest < 0, or the contrary */
  Range rest = rest_of(s, &form, atom_index(s, l));
  Rat k = poly_weight(&form, atom_index(s, l));
  if (k == RAT_0 || !rest.has_lo || !rest.has_hi) return;
  if (def_of(s, a)->kind == DEF_EQ) { /* all but one value: the first or the last */
    Rat but = rat_div(rat_neg(rest.lo), k);
    if (rest.lo == rest.hi && but == rat_int(*from)) ++*from;
    else if (rest.lo == rest.hi && but == rat_int(*to - 1)) --*to;
    return;
  }
  bool up = (rat_sign(k) < 0) == less; /* it bounds the index from below */
  Rat edge = rat_div(rat_neg(less ? rest.lo : rest.hi), k);
  int64_t at;
  if (!rat_to_int(up == less ? rat_add(rat_floor(edge), RAT_1) : rat_ceil(edge), &at)) return;
  if (up && at > *from) *from = at;
  if (!up && at < *to) *to = at;
}

/* Index b cut at these places, each once. */
static void cut_at(const int64_t *at, uint32_t n, int64_t size, List *out) {
  int64_t from = 0;
  for (uint32_t i = 0; i <= n; i++) {
    int64_t to = i < n ? at[i] : size;
    if (to > from) put(out, (uint64_t)(to - from)), from = to;
  }
}

static uint32_t sizes_in(Store *s, Num v, int64_t below, int64_t *out, uint32_t cap) {
  Poly t = law_linear_of(s, v);
  uint32_t n = 0;
  for (uint32_t i = 0; i < t.n; i++) {
    Goal f = law_factors_of(s, t.at[i].a);
    for (uint32_t j = 0; j < f.n; j++) {
      const Def *d = def_of(s, f.items[j].v.a);
      for (uint32_t b = 0; d->kind == DEF_SUM && b < d->n_bound; b++) {
        int64_t size = d->sizes[d->n_slots + b];
        uint32_t k = 0;
        while (k < n && out[k] != size) k++;
        if (k == n && n < cap && size < below) out[n++] = size;
      }
    }
  }
  return n;
}

enum { WAYS = 7 };
/* One index in the places of its guards; in two, by the sizes of sums in the answer; where its guards may hold and
 * around that; value by value. */
static bool cut_of_goal(Replay *p, const Goal *g, Num v, uint32_t i, List *out) {
  uint32_t b = g->n_bound ? i % g->n_bound : 0, way = g->n_bound ? i / g->n_bound : WAYS, n;
  int64_t at[32];
  if (i == WAYS * g->n_bound && g->op == GOAL_MAX) return put(out, g->n_bound), true; /* all values of all */
  if (g->op == GOAL_SUM && i >= WAYS * g->n_bound) { /* at last what these places or the values add up to is a claim */
    uint32_t k = (i - WAYS * g->n_bound) / 2;
    if (k >= g->n_bound) return false;
    put(out, g->n_bound + k);
    n = i % 2 ? 0 : places(p->s, g->items[0].v.a, g->bound[k], MOST_NESTED, at, 0, 32);
    if (n) cut_at(at, n, label_size(p->s, g->bound[k]), out);
    return n || i % 2 || (out->at[0] = UINT32_MAX);
  }
  if (way >= WAYS) return false;
  int64_t size = label_size(p->s, g->bound[b]);
  put(out, b);
  if (way == WAYS - 1) return size <= MOST_CASES || (out->at[0] = UINT32_MAX);
  if (way == WAYS - 2) {
    at[0] = 0, at[1] = size;
    if (g->op != GOAL_MAX) support(p->s, g->items[0].v.a, g->bound[b], &at[0], &at[1]);
    if (at[0] < at[1] && (at[0] > 0 || at[1] < size)) cut_at(at, 2, size, out);
    else out->at[0] = UINT32_MAX;
    return true;
  }
  if (g->op == GOAL_MAX) n = 0;
  else if (way) n = sizes_in(p->s, v, size, at, 32);
  else n = places(p->s, g->items[0].v.a, g->bound[b], MOST_NESTED, at, 0, 32);
  if (way ? (way - 1) / 2 >= n : !n) return out->at[0] = UINT32_MAX, true; /* nothing to try */
  if (way) at[0] = way % 2 ? at[(way - 1) / 2] : size - at[(way - 1) / 2], n = 1;
  cut_at(at, n, size, out);
  return true;
}

bool choice_shortens(Replay *p, const Goal *given, Num v, const Choice *c) {
  Goal g = law_view(p->s, given);
  if (g.op != GOAL_SUM || !c->n || c->at[0] >= g.n_bound) return false;
  int64_t size = label_size(p->s, g.bound[c->at[0]]), at[2] = {0, size}, left[32];
  support(p->s, g.items[0].v.a, g.bound[c->at[0]], &at[0], &at[1]);
  List cut = {0};
  if (at[0] >= at[1] || at[1] - at[0] == size) return false;
  cut_at(at, 2, size, &cut);
  bool same = cut.n + 1 == c->n, has = at[1] - at[0] == 1;
  for (uint32_t i = 0; i < cut.n && same; i++) same = cut.at[i] == c->at[i + 1];
  uint32_t n = same ? sizes_in(p->s, v, size, left, 32) : 0;
  for (uint32_t i = 0; i < n; i++) has |= left[i] == at[1] - at[0];
  return same && has;
}

static bool met(const Poly *goal, const Poly *one) {
  for (uint32_t i = 0; one->n && i < goal->n; i++)
    if (goal->at[i].a == one->at[0].a) return goal->at[i].k == one->at[0].k;
  return false;
}

/* A term of the answer with index b of the sum that is its factor j in pieces that the goal has, or in single values
 * the first of which, or if they are few some of which, it has. */
static bool cut_of_term(Replay *p, const Poly *goal, Num term, uint32_t j, uint32_t b, List *out) {
  Store *s = p->s;
  Goal f = law_factors_of(s, term.a);
  Goal sum = goal_of(s, f.items[j].v.a);
  sum.items = &(GoalItem){goal_mul(p, sum.items, sum.n), RAT_1}, sum.n = 1;
  int64_t size = label_size(s, sum.bound[b]), sizes[16], at = 0;
  uint32_t n_sizes = 0;
  for (uint32_t k = 0; k < goal->n && n_sizes < 16; k++)
    n_sizes += sizes_in(s, num_of(goal->at[k].a), size, sizes + n_sizes, 16 - n_sizes);
  bool single = size <= MOST_SINGLE, some = false;
  for (int64_t next; at < size && out->n < MOST_NUMBERS - 1; at = next) {
    next = at;
    for (uint32_t k = 0; k <= n_sizes && next == at && !p->failed; k++) {
      int64_t length = k ? sizes[k - 1] : 1;
      if (length > size - at || (!k && size > MOST_CASES) || (k && length < 2)) continue;
      f.items[j].v = law_piece(p, &sum, b, at, length);
      Poly one = law_linear_of(s, num_scale(term.k, goal_do(p, &f)));
      if (met(goal, &one)) next = at + length, some = true;
      if (!at && !k) single |= next > at;
    }
    if (next == at) next += single;
    if (next == at || p->failed) return false;
    put(out, (uint64_t)(next - at));
  }
  return some && at == size;
}

/* The pieces of a term that is cut so, which may be cut again. */
static void put_pieces(Replay *p, Num term, uint32_t j, uint32_t b, const List *cut, Num *work, uint32_t *n_work) {
  Goal f = law_factors_of(p->s, term.a), sum = goal_of(p->s, f.items[j].v.a);
  sum.items = &(GoalItem){goal_mul(p, sum.items, sum.n), RAT_1}, sum.n = 1;
  int64_t at = 0;
  for (uint32_t k = 0; k < cut->n && *n_work < MOST_WORK; at += cut->at[k++]) {
    f.items[j].v = law_piece(p, &sum, b, at, cut->at[k]);
    work[(*n_work)++] = num_scale(term.k, goal_do(p, &f));
  }
}

/* The factor that is a sum, a truth value only if there is no other, if at all; f.n: none. */
static uint32_t sum_among(const Store *s, Goal f, bool truth) {
  uint32_t at = f.n;
  for (uint32_t j = f.n; j-- > 0 && f.n > 1;) {
    bool sum = def_of(s, f.items[j].v.a)->kind == DEF_LIN && f.items[j].tag == RAT_1;
    if (sum && ((at == f.n && truth) || !(flags_of(s, f.items[j].v.a) & IS_PRED))) at = j;
  }
  return at;
}

/* k * v with a sum among its factors written out. */
static void put_opened(Replay *p, Num v, uint32_t depth, bool truth, Poly *out) {
  Poly x = law_linear_of(p->s, v);
  for (uint32_t i = 0; i < x.n && !p->failed && out->n < 256; i++) {
    Goal f = law_factors_of(p->s, x.at[i].a);
    uint32_t at = sum_among(p->s, f, truth);
    if (at == f.n || !depth) {
      poly_put(p->s, out, x.at[i].a, x.at[i].k);
      continue;
    }
    uint32_t n = def_of(p->s, f.items[at].v.a)->n_args;
    const Item *t = atom_open(p->s, f.items[at].v.a, NULL);
    for (uint32_t j = 0; j < n && !p->failed; j++) {
      f.items[at].v = num_of(t[j].a);
      put_opened(p, num_scale(rat_mul(x.at[i].k, t[j].k), goal_do(p, &f)), depth - 1, truth, out);
    }
  }
}

/* Those terms opened that the other side does not have. */
static Poly opened_but(Replay *p, const Poly *x, const Poly *other, uint32_t depth, bool truth) {
  Poly out = {0};
  for (uint32_t i = 0; i < x->n; i++) {
    Num term = {x->at[i].k, x->at[i].a};
    Poly one = law_linear_of(p->s, term);
    put_opened(p, term, met(other, &one) ? 0 : depth, truth, &out);
  }
  poly_pack(&out);
  return out;
}

/* Values of l tell cases: a predicate on it is a factor, or a factor of a term. */
static bool tells_cases(Store *s, Atom a, Label l, uint32_t depth) {
  const Def *d = def_of(s, a);
  if (d->kind == DEF_EQ || d->kind == DEF_LT) return atom_has(s, a, l);
  bool some = false;
  if (!depth || (d->kind != DEF_LIN && d->kind != DEF_MUL && d->kind != DEF_SELECT)) return false;
  uint32_t n = d->n_args;
  const Item *x = atom_open(s, a, NULL);
  for (uint32_t i = 0; i < n && !some; i++) some = tells_cases(s, x[i].a, l, depth - 1);
  return some;
}

/* Terms that the other side does not have, with a factor below a sum written out whose terms cases of an index tell. */
static bool open_below(Replay *p, const Goal *g, Num v, List *out) {
  Store *s = p->s;
  Poly side[2] = {law_linear_of(s, v)};
  side[1] = law_goal_terms(s, g);
  for (uint32_t i = 0; i < side[0].n + side[1].n && out->n + 4 < MOST_NUMBERS; i++) {
    bool of_goal = i >= side[0].n, found = false;
    Item t = of_goal ? side[1].at[i - side[0].n] : side[0].at[i];
    Poly one = law_linear_of(s, (Num){t.k, t.a});
    Goal f = law_factors_of(s, t.a);
    for (uint32_t j = 0; j < f.n && !found && !met(&side[!of_goal], &one); j++) {
      if (def_of(s, f.items[j].v.a)->kind != DEF_SUM || f.items[j].tag != RAT_1) continue;
      Goal sum = goal_of(s, f.items[j].v.a);
      for (uint32_t k = 0; k < sum.n * sum.n_bound && !found; k++) {
        GoalItem x = sum.items[k / sum.n_bound];
        found = def_of(s, x.v.a)->kind == DEF_LIN && tells_cases(s, x.v.a, sum.bound[k % sum.n_bound], 3);
        if (found) put(out, i), put(out, j), put(out, sum.n_bound + 1 + k / sum.n_bound), put(out, 0);
      }
    }
  }
  return out->n > 0;
}

/* Every sum at all values of its indices, of the answer and of the goal. */
static bool all_values_of_terms(Replay *p, const Goal *g, Num v, int64_t most, List *out) {
  Store *s = p->s;
  Poly side[2] = {law_linear_of(s, v)};
  side[1] = law_goal_terms(s, g);
  for (uint32_t i = 0; i < side[0].n + side[1].n && out->n + 4 < MOST_NUMBERS; i++) {
    Atom a = i < side[0].n ? side[0].at[i].a : side[1].at[i - side[0].n].a;
    Goal f = law_factors_of(s, a);
    for (uint32_t j = 0; j < f.n; j++) {
      const Def *d = def_of(s, f.items[j].v.a);
      if (d->kind != DEF_SUM || f.items[j].tag != RAT_1) continue;
      int64_t values = 1;
      for (uint32_t b = 0; b < d->n_bound; b++)
        if (!law_times(&values, d->sizes[d->n_slots + b], most)) return false;
      put(out, i), put(out, j), put(out, d->n_bound), put(out, 0);
      break;
    }
  }
  return out->n > 0;
}

/* Which terms are written out: the first sum in each, of the answer alone or of the goal as well; or an index of a sum
 * in the answer that the goal does not have, as it is or opened, or after that of the answer as well (`rewritten`). */
enum { OPEN_ANSWER, OPEN_UNMET, OPEN_BOTH, CUT_ANSWER, CUT_OPENED, CUT_BOTH, CUT_AROUND, CUT_BELOW, MANNERS };

/* All terms are sums over indices, or, where they are few, some is or has one among its factors. */
static bool adds_sums(const Store *s, Atom a) {
  const Def *d = def_of(s, a);
  uint32_t n = 0;
  bool few = d->n_args <= MOST_SINGLE;
  for (uint32_t i = 0; i < d->n_args && d->kind == DEF_LIN; i++) {
    const Def *x = &s->defs.at[d->args[i].def];
    bool sum = x->kind == DEF_SUM;
    for (uint32_t j = 0; j < x->n_args && x->kind == DEF_MUL && few; j++) sum |= s->defs.at[x->args[j].def].kind == DEF_SUM;
    n += sum;
  }
  return n && (few || n == d->n_args);
}

/* A term in another form, before indices are cut: the sum among its factors is written out; or a sum over indices is
 * taken around factors that are truth values, or, where sums are added below it, written out.  How many terms it is
 * then, 0: none. */
static uint32_t rewritten(Replay *p, Num term, uint32_t manner, uint32_t *at, uint32_t *how, Num **out) {
  Store *s = p->s;
  Goal f = law_factors_of(s, term.a);
  bool truth = false;
  uint32_t n = 0, j = sum_among(s, f, false);
  for (uint32_t i = 0; i < f.n; i++) truth |= num_is_pred(s, f.items[i].v);
  *how = 0;
  if (j < f.n) {
    Goal sum = goal_of(s, f.items[j].v.a);
    *out = SCRATCH(s, Num, n = sum.n);
    for (uint32_t k = 0; k < n; k++) (*out)[k] = sum.items[k].v;
  }
  for (uint32_t i = 0; i < f.n && !n && manner > CUT_BOTH; i++) {
    if (def_of(s, f.items[j = i].v.a)->kind != DEF_SUM || f.items[i].tag != RAT_1) continue;
    Goal sum = goal_of(s, f.items[i].v.a);
    if (manner == CUT_AROUND) {
      Num around = truth ? law_flattened(p, f, i) : num_of(term.a);
      *how = sum.n_bound + sum.n + 1, *at = i;
      if (p->failed || num_same(around, num_of(term.a))) continue;
      *out = SCRATCH(s, Num, 1);
      return **out = num_scale(term.k, around), 1;
    }
    for (uint32_t k = 0; k < sum.n && !n; k++)
      if (sum.items[k].tag == RAT_1 && adds_sums(s, sum.items[k].v.a))
        n = law_distributed(p, sum, k, out), *how = sum.n_bound + 1 + k;
  }
  for (uint32_t k = 0; k < n; k++) {
    f.items[j].v = (*out)[k];
    (*out)[k] = num_scale(term.k, goal_do(p, &f));
  }
  return *at = j, p->failed ? 0 : n;
}

/* Those terms of x rewritten that y does not have. */
static Poly rewritten_but(Replay *p, const Poly *x, const Poly *y, uint32_t manner) {
  Num *work = SCRATCH(p->s, Num, MOST_WORK), *terms;
  Poly out = {0};
  uint32_t n = 0, at, how;
  for (; n < x->n && n < MOST_WORK; n++) work[n] = (Num){x->at[n].k, x->at[n].a};
  for (uint32_t i = 0; i < n; i++) {
    Poly one = law_linear_of(p->s, work[i]);
    uint32_t m = met(y, &one) ? 0 : rewritten(p, work[i], manner, &at, &how, &terms);
    if (!m || n + m > MOST_WORK) poly_add(p->s, &out, &one, RAT_1);
    else memcpy(work + n, terms, m * sizeof *work), n += m;
  }
  poly_pack(&out);
  return out;
}

static bool cut_of_terms(Replay *p, const Goal *g, Num v, uint32_t manner, List *out) {
  Store *s = p->s;
  Poly x = law_goal_terms(s, g), y = law_linear_of(s, v);
  bool rewrite = manner >= CUT_BOTH, another = manner <= CUT_BOTH;
  uint32_t depth = manner == OPEN_ANSWER || manner == CUT_ANSWER ? 0 : manner == OPEN_UNMET ? 1 : 3;
  Poly goal = rewrite ? rewritten_but(p, &x, &y, manner) : opened_but(p, &x, &y, depth, true),
       answer = manner == OPEN_UNMET ? opened_but(p, &y, &x, 1, true) : y;
  Num *work = SCRATCH(s, Num, MOST_WORK), *terms;
  bool *of_goal = SCRATCH(s, bool, MOST_WORK);
  uint32_t n = y.n + (manner == OPEN_BOTH || manner == OPEN_UNMET || rewrite ? x.n : 0), apart = y.n + x.n - n;
  if (n > MOST_WORK) return false;
  for (uint32_t i = 0; i < n; i++) {
    work[i] = (Num){i < y.n ? y.at[i].k : x.at[i - y.n].k, i < y.n ? y.at[i].a : x.at[i - y.n].a};
    of_goal[i] = i >= y.n;
  }
  for (uint32_t i = 0; i < n; i++) {
    Num term = work[i];
    Poly one = law_linear_of(s, term);
    if (manner != OPEN_BOTH && met(of_goal[i] ? &answer : &goal, &one)) continue;
    Goal f = law_factors_of(s, term.a);
    bool done = false;
    uint32_t at, how, m = rewrite ? rewritten(p, term, manner, &at, &how, &terms) : 0;
    if (m && (n + m > MOST_WORK || out->n + 4 >= MOST_NUMBERS)) return false;
    if (m) another |= how > 0, put(out, i), put(out, at), put(out, how), put(out, 0);
    for (uint32_t k = 0; k < m; k++) work[n] = terms[k], of_goal[n++] = of_goal[i];
    if (m || (rewrite && of_goal[i])) continue;
    for (uint32_t j = 0; j < f.n && !done; j++) {
      Atom a = f.items[j].v.a;
      if (f.items[j].tag != RAT_1 || out->n + 4 >= MOST_NUMBERS) continue;
      if (manner < CUT_ANSWER && j == sum_among(s, f, true)) {
        put(out, i), put(out, j), put(out, 0), put(out, 0);
        done = true;
      }
      if (manner < CUT_ANSWER || def_of(s, a)->kind != DEF_SUM) continue;
      for (uint32_t b = 0; b < def_of(s, a)->n_bound && !done; b++) {
        List *cut = ARENA_NEW(&s->scratch, List);
        done = cut_of_term(p, &goal, term, j, b, cut) && out->n + 4 + cut->n < MOST_NUMBERS;
        if (p->failed) return false;
        if (!done) continue;
        uint32_t was = n;
        put_pieces(p, term, j, b, cut, work, &n);
        for (; was < n; was++) of_goal[was] = of_goal[i];
        while (cut->n && cut->at[cut->n - 1] == 1) cut->n--; /* single values are what is left */
        put(out, i < y.n ? i : i + apart), put(out, j), put(out, b), put(out, cut->n);
        for (uint32_t k = 0; k < cut->n; k++) put(out, cut->at[k]);
      }
    }
  }
  if (!another) out->n = 0, put(out, UINT32_MAX); /* tried before */
  return !p->failed;
}

/* The labels at whose values it may be told: first those that tell cases, then all. */
static bool label_of_cases(Replay *p, const Goal *g, Num v, uint32_t i, List *out) {
  Label l[64];
  uint32_t n = law_labels(p->s, g, l, 64), tell = 0;
  for (uint32_t k = 0; k < n && tell <= i; k++) {
    bool tells = tells_cases(p->s, v.a, l[k], 3);
    for (uint32_t j = 0; j < g->n && !tells; j++) tells = tells_cases(p->s, g->items[j].v.a, l[k], 3);
    if (tells && tell++ == i) return put(out, k), true;
  }
  put(out, i - tell);
  return i - tell < n;
}

/* About how many terms there are where all in a definition is written out, of the value itself and to get there, or more
 * than MOST_WRITTEN.  Truth values are few. */
typedef struct Terms {
  int64_t own, all;
} Terms;

static Terms terms_in(const Store *s, DefId id) {
  const Def *d = &s->defs.at[id];
  bool product = d->kind == DEF_MUL || d->kind == DEF_SUM, open = d->kind >= DEF_LIN && d->kind != DEF_OPAQUE;
  Terms n = {product || d->kind > DEF_SUM, 0};
  for (uint32_t i = 0; i < d->n_args && open && !(d->flags & IS_PRED); i++) {
    Terms x = terms_in(s, d->args[i].def);
    n.all += x.own + x.all;
    if (product) n.own *= x.own;
    if (d->kind == DEF_LIN) n.own += x.own;
    if (n.own > MOST_WRITTEN || n.all > MOST_WRITTEN) return (Terms){1, MOST_WRITTEN + 1};
  }
  int64_t times = 1;
  for (uint32_t i = 0; i < d->n_bound; i++)
    if (!law_times(&times, d->sizes[d->n_slots + i], MOST_WRITTEN)) return (Terms){1, MOST_WRITTEN + 1};
  if (n.own < 1) n.own = 1;
  if (d->kind == DEF_SUM) n.own *= times;
  n.all = n.own + n.all * times;
  return n.all > MOST_WRITTEN ? (Terms){1, MOST_WRITTEN + 1} : n;
}

/* A comparison in a definition is about this slot. */
static bool is_compared(const Store *s, DefId id, uint32_t slot) {
  const Def *d = &s->defs.at[id];
  bool compares = d->kind == DEF_LT || d->kind == DEF_EQ, some = false;
  for (uint32_t i = 0; i < d->n_args; i++)
    for (uint32_t k = 0; k < d->args[i].n && !some; k++)
      some = d->args[i].at[k] == (int32_t)slot && (compares || is_compared(s, d->args[i].def, k));
  return some;
}

bool choice_writes_out(Replay *p, const Goal *g) {
  int64_t n = 0;
  bool some = false;
  for (uint32_t i = 0; i < g->n && n <= MOST_WRITTEN; i++)
    n += terms_in(p->s, p->s->atoms.at[g->items[i].v.a].def).all;
  for (uint32_t i = 0; i < g->n && n <= MOST_WRITTEN; i++) {
    AtomInfo x = p->s->atoms.at[g->items[i].v.a];
    for (uint32_t k = 0; k < x.n; k++) some |= !label_is_const(x.at[k]) && is_compared(p->s, x.def, k);
  }
  return (goal_claims(g) || g->op == GOAL_ADD) && n <= MOST_WRITTEN && !some;
}

static uint32_t sums_among(const Store *s, Goal f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f.n; i++) n += def_of(s, f.items[i].v.a)->kind == DEF_SUM;
  return n;
}

/* A product has fewer sums than its factors: one is taken around the others; or one is, around the rest of its power. */
static bool sums_join(Store *s, const Goal *g, Num v, uint32_t at) {
  return g->items[at].tag != RAT_1 || sums_among(s, law_factors_of(s, v.a)) < sums_among(s, *g);
}

/* All that is in a claim, if that is little; then terms of a sum in different manners, or the index of another goal. */
static bool choice_of_pieces(Replay *p, const Goal *given, const Goal *g, Num answer, uint32_t i, List *l) {
  bool all = goal_claims(given) && choice_writes_out(p, given), any = true;
  if (all && !i) return true;
  i -= all;
  if (g->op != GOAL_ADD) return cut_of_goal(p, g, answer, i, l);
  if (i == CUT_AROUND) any = open_below(p, g, answer, l) || (put(l, UINT32_MAX), true);
  else if (i <= MANNERS) any = cut_of_terms(p, g, answer, i - (i > CUT_AROUND), l);
  else if (i == MANNERS + 2) return answer.k == RAT_0 && !goal_claims(given) && choice_writes_out(p, given);
  else any = i == MANNERS + 1 && all_values_of_terms(p, g, answer, given->op == GOAL_SAME ? MOST_NUMBERS : FEW, l);
  return any && (l->n || (put(l, UINT32_MAX), true));
}

/* One predicate, or a lower one and one above it. */
static bool split_of(uint32_t i, List *out) {
  uint32_t low = 1;
  if (i < MOST_TOLD) return put(out, i), true;
  for (i -= MOST_TOLD; i >= low; low++) i -= low;
  return put(out, low), put(out, i), low < MOST_TOLD;
}

bool choice_next(Replay *p, const Goal *given, Num answer, uint32_t law, uint32_t i, Choice *out) {
  List *l = arena_raw(&p->s->scratch, sizeof *l);
  Goal view = law_view(p->s, given), *g = &view;
  const char *name = law_name(law);
  bool any = false;
  l->n = 0;
  if (!strcmp(name, "inside")) {
    any = group_of_factors(p, g, i, l);
  } else if (!strcmp(name, "pieces")) {
    any = choice_of_pieces(p, given, g, answer, i, l);
  } else if (!strcmp(name, "scaled")) {
    any = i <= MOST_OPENED;
    if (i) put(l, i - 1);
  } else if (!strcmp(name, "under")) { /* any factor; then with either index of an equation put in for the other */
    uint32_t n = law_factors(p->s, g).n;
    any = i < 3 * n;
    put(l, i % n);
    if (i >= n) put(l, i / n - 1);
  } else if (law == LAW_split) {
    any = split_of(i, l);
  } else if (law == LAW_cases) {
    any = label_of_cases(p, given, answer, i, l);
  } else {
    bool factors = law == LAW_one_hot || law == LAW_read_at || law == LAW_under || law == LAW_open;
    Goal f = law_factors(p->s, g);
    any = i < (factors ? f.n : 1);
    bool sum = any && law == LAW_open && g->op == GOAL_MUL && def_of(p->s, f.items[i].v.a)->kind == DEF_SUM;
    if (i || sum) put(l, sum && !sums_join(p->s, g, answer, i) ? UINT32_MAX : i);
  }
  *out = (Choice){l->n, l->at};
  if (!law_about(p->s, given, law)) return false;
  return any && !p->failed;
}
