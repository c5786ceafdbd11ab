/* Two values are equal when they are the same atom; or equal at every value of one label after the other, at last with
 * small sums and maxima written out.  A step of law `split` says which: the number of the label, or that of none. */
#include "certify/walk.h"

enum { DEPTH = 3, MOST_VALUES = 64, MOST_WRITTEN = 4096 };

/* The labels by whose values may be split. */
static uint32_t labels_of(const Store *s, Num x, Num y, Label *out, uint32_t cap) {
  uint32_t n = 0;
  for (int side = 0; side < 2; side++) {
    const AtomInfo *a = &s->atoms.at[side ? y.a : x.a];
    for (uint32_t i = 0; i < a->n && n < cap; i++) {
      bool seen = label_is_const(a->at[i]) || label_size(s, a->at[i]) > MOST_VALUES;
      for (uint32_t k = 0; k < n && !seen; k++) seen = out[k] == a->at[i];
      if (!seen) out[n++] = a->at[i];
    }
  }
  return n;
}

/* The terms of a sum, or the items of a maximum, at every value of their indices. */
typedef struct Written {
  Walk *w;
  DefKind kind; /* SUM or MAX */
  Poly sum;
  Vec(Num) items;
  bool failed;
} Written;

static void write_terms(Written *t, Num v);

static void write_points(Written *t, Num v, const Item *x, uint32_t n, const Label *bound, uint32_t n_bound) {
  Replay *p = t->w->p;
  int64_t total = 1;
  for (uint32_t b = 0; b < n_bound; b++) total = total > MOST_WRITTEN ? total : total * label_size(p->s, bound[b]);
  t->failed |= total * n > MOST_WRITTEN || n_bound > 64;
  for (int64_t c = 0; c < total && !t->failed; c++) {
    Subst at = {0};
    int64_t rest = c;
    for (uint32_t b = n_bound; b-- > 0; rest /= label_size(p->s, bound[b]))
      goal_put(&at, bound[b], LABEL_CONST | (uint32_t)(rest % label_size(p->s, bound[b])));
    Num *f = SCRATCH(p->s, Num, n);
    Rat *power = SCRATCH(p->s, Rat, n);
    for (uint32_t i = 0; i < n; i++) f[i] = goal_substitute(p, num_of(x[i].a), &at), power[i] = x[i].k;
    if (t->kind == DEF_SUM) write_terms(t, num_scale(v.k, goal_mul(p, f, power, n)));
    for (uint32_t i = 0; i < n && t->kind == DEF_MAX; i++) write_terms(t, num_scale(rat_mul(v.k, x[i].k), f[i]));
    t->failed |= p->failed;
  }
}

static void write_terms(Written *t, Num v) {
  Store *s = t->w->p->s;
  Def d = *def_of(s, v.a);
  if (t->failed || v.k == RAT_0) {
    if (t->kind == DEF_MAX) vec_push(&t->items, v);
  } else if (d.kind == DEF_LIN && t->kind == DEF_SUM) {
    Item *x = atom_open(s, v.a, NULL);
    for (uint32_t i = 0; i < d.n_args; i++) write_terms(t, (Num){rat_mul(v.k, x[i].k), x[i].a});
  } else if (d.kind == t->kind && rat_sign(v.k) * (t->kind == DEF_MAX) >= 0) {
    Label *bound = atom_bound(s, v.a);
    write_points(t, v, atom_open(s, v.a, bound), d.n_args, bound, d.n_bound);
  } else if (t->kind == DEF_SUM) {
    poly_put(s, &t->sum, v.a, v.k);
    t->failed |= t->sum.n > MOST_WRITTEN;
  } else if (v.a != ATOM_NEGINF || rat_sign(v.k) < 0) {
    vec_push(&t->items, v);
  }
}

static bool written_out(Walk *w, Num x, Num y) {
  Store *s = w->p->s;
  const Def *d = def_of(s, x.a), *e = def_of(s, y.a);
  if (d->kind == DEF_MUL && e->kind == DEF_MUL && d->n_args == 1 && e->n_args == 1 && x.k == y.k &&
      d->args[0].tag == e->args[0].tag)
    return written_out(w, num_of(atom_open(s, x.a, NULL)[0].a), num_of(atom_open(s, y.a, NULL)[0].a));
  DefKind kind = d->kind == DEF_MAX || e->kind == DEF_MAX ? DEF_MAX : DEF_SUM;
  Written a = {.w = w, .kind = kind}, b = {.w = w, .kind = kind};
  write_terms(&a, x);
  write_terms(&b, y);
  bool same = !a.failed && !b.failed && !w->p->failed;
  if (same && kind == DEF_SUM) {
    poly_sort(s, &a.sum);
    poly_sort(s, &b.sum);
    same = poly_equal(&a.sum, &b.sum);
  } else if (same) {
    same = a.items.len && b.items.len &&
           num_same(goal_max(w->p, a.items.at, (uint32_t)a.items.len, NULL, 0),
                    goal_max(w->p, b.items.at, (uint32_t)b.items.len, NULL, 0));
  }
  vec_free(&a.items);
  vec_free(&b.items);
  return same && !w->p->failed;
}

static bool agree_to(Walk *w, Num x, Num y, uint32_t depth, bool write);

/* Equal by choice: at every value of that label, or written out. */
bool agree_by(Walk *w, Num x, Num y, const Label *labels, uint32_t n, uint32_t choice, uint32_t depth, bool write) {
  if (choice == n) return written_out(w, x, y);
  int64_t size = label_size(w->p->s, labels[choice]);
  for (int64_t c = 0; c < size; c++) {
    Subst t = {1, {labels[choice]}, {LABEL_CONST | (uint32_t)c}};
    Num left = goal_substitute(w->p, x, &t), right = goal_substitute(w->p, y, &t);
    if (!agree_to(w, left, right, depth - 1, write) || w->p->failed) return false;
  }
  return true;
}

static bool agree_to(Walk *w, Num x, Num y, uint32_t depth, bool write) {
  Replay *p = w->p;
  if (p->failed || num_same(x, y)) return !p->failed;
  Label labels[MOST_VALUES];
  uint32_t n = labels_of(p->s, x, y, labels, MOST_VALUES), choice = n + 1;
  if (p->oracle) {
    choice = p->oracle->choose(w, x, y, labels, n, depth, write);
    if (p->trusting || choice > n) return choice <= n;
    vec_push(p->steps, (Step){.law = 0, .choice = {1, arena_copy(&p->s->arena, &choice, sizeof choice)}, .k = RAT_1});
  } else if (p->at < p->steps->len && p->steps->at[p->at].law == 0) {
    const Choice *c = &p->steps->at[p->at++].choice;
    choice = c->n ? c->at[0] : 0;
  }
  return choice <= n && (choice == n || depth) && agree_by(w, x, y, labels, n, choice, depth, write);
}

bool agree(Walk *w, Num x, Num y) {
  return agree_to(w, x, y, DEPTH, !w->p->oracle) || (w->p->oracle && !w->p->failed && agree_to(w, x, y, DEPTH, true));
}
