/* Running counts: C(b) = sum(u) p(u) [u <= b], or [u < b], [u >= b], [u > b], is another number at every b with p(b).
 * So where p(a) and C(a) == m are known, the sum over b of p(b) [C(b) == m] x(b) is x(a). */
#include "certify/law.h"

/* u < b, u <= b, u > b or u >= b, as a comparison or what is left of 1; the latter two have u == b. */
static bool is_order(Store *s, Atom x, Label u, Label b, bool *same) {
  bool is_not = law_not(s, &x);
  if (def_of(s, x)->kind != DEF_LT) return false;
  Poly t = law_form(s, x);
  Rat k[2] = {RAT_0, RAT_0}, c = RAT_0;
  for (uint32_t i = 0; i < t.n; i++) {
    bool is_u = t.at[i].a == atom_index(s, u), is_b = t.at[i].a == atom_index(s, b);
    if (!is_u && !is_b && t.at[i].a != ATOM_ONE) return false;
    *(is_u ? &k[0] : is_b ? &k[1] : &c) = t.at[i].k;
  }
  *same = (c == RAT_0) == is_not;
  return rat_abs(k[0]) == RAT_1 && k[1] == rat_neg(k[0]) && (c == RAT_0 || c == RAT_NEG1);
}

static bool among(const Item *x, uint32_t n, Atom a) {
  for (uint32_t i = 0; i < n; i++)
    if (x[i].a == a && x[i].k == RAT_1) return true;
  return false;
}

/* C counts, along b, where predicates hold that are among the factors x at b. */
static bool counts(Replay *p, Atom C, Label b, const Item *x, uint32_t n, bool *itself) {
  Store *s = p->s;
  Def d = *def_of(s, C);
  bool ordered = false;
  if (d.kind != DEF_SUM || d.n_bound != 1 || !atom_has(s, C, b)) return false;
  Label u = *atom_bound(s, C);
  Item *f = atom_open(s, C, &u);
  for (uint32_t i = 0; i < d.n_args; i++) {
    if (f[i].k != RAT_1 || !(flags_of(s, f[i].a) & IS_PRED)) return false;
    if (!atom_has(s, f[i].a, b)) {
      Num there = goal_substitute(p, num_of(f[i].a), &(Subst){1, {u}, {b}});
      if (p->failed || there.k != RAT_1 || !among(x, n, there.a)) return false;
    } else if (ordered || !is_order(s, f[i].a, u, b, itself)) {
      return false;
    } else {
      ordered = true;
    }
  }
  return ordered && label_size(s, u) == label_size(s, b);
}

/* The sum with bound label b read at a, where the equation holds at one b only; all predicates that make up the place
 * must be known there. */
static bool at_place(Replay *p, const Item *known, uint32_t n_known, Atom eq, const Item *x, uint32_t n, Label b,
                     Label a) {
  Store *s = p->s;
  Subst t = {1, {b}, {a}};
  Num there = goal_substitute(p, num_of(eq), &t);
  if (p->failed || there.k != RAT_1 || !among(known, n_known, there.a)) return false;
  Poly form = law_form(s, eq);
  uint32_t has = 0, at = 0;
  bool itself;
  for (uint32_t i = 0; i < form.n; i++)
    if (atom_has(s, form.at[i].a, b)) has++, at = i;
  if (has != 1 || !counts(p, form.at[at].a, b, x, n, &itself)) return false;
  Atom C = form.at[at].a;
  uint32_t n_count = def_of(s, C)->n_args;
  Label u = *atom_bound(s, C);
  Item *f = atom_open(s, C, &u);
  for (uint32_t i = 0; i < n_count; i++) {
    if (atom_has(s, f[i].a, b)) continue;
    there = goal_substitute(p, num_of(f[i].a), &(Subst){1, {u}, {a}});
    if (p->failed || there.k != RAT_1 || !among(known, n_known, there.a)) return false;
  }
  return true;
}

bool law_at_place(Replay *p, const Item *known, uint32_t n_known, const Goal *g, Subst *t) {
  Store *s = p->s;
  Item *x = SCRATCH(s, Item, g->n);
  for (uint32_t i = 0; i < g->n; i++) x[i] = (Item){g->items[i].v.a, g->items[i].tag};
  for (uint32_t i = 0; i < g->n * g->n_bound * n_known && !p->failed; i++) {
    Atom eq = x[i % g->n].a, fact = known[i / g->n % n_known].a;
    Label b = g->bound[i / g->n / n_known];
    if (def_of(s, eq)->kind != DEF_EQ || def_of(s, fact)->kind != DEF_EQ || !atom_has(s, eq, b)) continue;
    AtomInfo at = s->atoms.at[fact];
    for (uint32_t k = 0; k < at.n; k++) {
      if (label_is_const(at.at[k]) || label_size(s, at.at[k]) != label_size(s, b)) continue;
      *t = (Subst){1, {b}, {at.at[k]}};
      if (at_place(p, known, n_known, eq, x, g->n, b, at.at[k])) return !p->failed;
    }
  }
  return false;
}

bool law_counts_itself(Replay *p, const Item *known, uint32_t n_known, Atom a) {
  AtomInfo at = p->s->atoms.at[a];
  for (uint32_t i = 0; i < at.n && !p->failed; i++) {
    bool itself = false;
    if (!label_is_const(at.at[i]) && counts(p, a, at.at[i], known, n_known, &itself) && itself) return true;
  }
  return false;
}
