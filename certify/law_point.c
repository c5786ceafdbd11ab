/* Laws by values: what depends on indices alone is computed, a small index is taken value by value; and the table of
 * all laws. */
#include "certify/law.h"

typedef struct Point {
  const Store *s;
  uint32_t n;
  Label at[128];
  int64_t value[128];
  uint64_t steps;
  uint32_t depth;
} Point;

static bool atom_at(Point *q, Atom a, Rat *out);

/* Point number c of all values of the labels. */
static void point_set(Point *q, int64_t c) {
  for (uint32_t i = q->n; i-- > 0; c /= label_size(q->s, q->at[i])) q->value[i] = c % label_size(q->s, q->at[i]);
}

static bool label_at(const Point *q, Label l, int64_t *out) {
  if (label_is_const(l)) return *out = label_value(l), true;
  for (uint32_t i = q->n; i-- > 0;)
    if (q->at[i] == l) return *out = q->value[i], true;
  return false;
}

static bool power_at(Rat x, Rat p, Rat *out) {
  int64_t e;
  if (!rat_to_int(p, &e) || e < -64 || e > 64 || (x == RAT_0 && e <= 0)) return false;
  return *out = rat_pow(x, e), true;
}

static Rat quotient(const char *fn, Rat x, Rat y) {
  Rat q = rat_div(x, y);
  bool down = !strcmp(fn, "floordiv") || !strcmp(fn, "mod") || rat_sign(q) >= 0;
  return down ? rat_floor(q) : rat_ceil(q);
}

bool constant_function(const char *fn, const Rat *x, uint32_t n, Rat *out) {
  if (n == 1 && !strcmp(fn, "abs")) return *out = rat_abs(x[0]), true;
  if (n == 1 && !strcmp(fn, "sign")) return *out = rat_int(rat_sign(x[0])), true;
  if (n == 1 && !strcmp(fn, "floor")) return *out = rat_floor(x[0]), true;
  if (n == 1 && !strcmp(fn, "ceil")) return *out = rat_ceil(x[0]), true;
  if (n == 1 && !strcmp(fn, "trunc")) return *out = rat_sign(x[0]) < 0 ? rat_ceil(x[0]) : rat_floor(x[0]), true;
  if (n == 3 && !strcmp(fn, "clamp"))
    return *out = rat_cmp(x[1], x[2]) > 0 ? x[2] : rat_cmp(x[1], x[0]) < 0 ? x[0] : x[1], rat_cmp(x[0], x[2]) <= 0;
  if (n == 2 && !strcmp(fn, "pow")) return x[1] == RAT_0 ? (*out = RAT_1, x[0] != RAT_0) : power_at(x[0], x[1], out);
  if (n != 2 || x[1] == RAT_0) return false;
  if (!strcmp(fn, "truncdiv") || !strcmp(fn, "floordiv")) return *out = quotient(fn, x[0], x[1]), true;
  if (!strcmp(fn, "rem") || !strcmp(fn, "mod"))
    return *out = rat_sub(x[0], rat_mul(x[1], quotient(fn, x[0], x[1]))), true;
  return false;
}

/* Sum of the product, or maximum, of the items over bound labels from `b` on. */
static bool reduce_at(Point *q, bool most, const Item *x, uint32_t n, const Label *bound, uint32_t n_bound, Rat *out,
                      bool *any) {
  if (++q->steps > MOST_POINTS * 16) return false;
  if (n_bound) {
    if (q->n == 128) return false;
    q->at[q->n++] = bound[0];
    bool ok = true;
    for (int64_t c = 0; c < label_size(q->s, bound[0]) && ok; c++) {
      q->value[q->n - 1] = c;
      ok = reduce_at(q, most, x, n, bound + 1, n_bound - 1, out, any);
    }
    q->n--;
    return ok;
  }
  Rat r = RAT_1, y;
  bool all = true;
  for (uint32_t i = 0; i < n; i++) {
    if (!atom_at(q, x[i].a, &y)) { /* what is finite does not matter beside 0 */
      if (most || (flags_of(q->s, x[i].a) & MAY_INF)) return false;
      all = false;
      continue;
    }
    if (most) {
      y = rat_mul(y, x[i].k);
      if (!*any || rat_cmp(y, *out) > 0) *out = y;
      *any = true;
    } else if (!power_at(y, x[i].k, &y)) {
      return false;
    } else {
      r = rat_mul(r, y);
    }
  }
  if (!most) *out = rat_add(*out, r);
  return all || r == RAT_0;
}

static bool atom_at(Point *q, Atom a, Rat *out) {
  Store *s = (Store *)q->s;
  Def d = *def_of(s, a);
  int64_t c;
  Rat x[3], k;
  if (++q->steps > MOST_POINTS * 16 || q->depth > 500) return false;
  if (d.kind == DEF_ONE) return *out = RAT_1, true;
  if (d.kind == DEF_INDEX) return label_at(q, s->atoms.at[a].at[0], &c) ? (*out = rat_int(c), true) : false;
  if (d.kind == DEF_TABLE) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < d.n_slots; i++) {
      if (!label_at(q, s->atoms.at[a].at[i], &c)) return false;
      at = at * (uint64_t)d.sizes[i] + (uint64_t)c;
    }
    return *out = d.values[at], rat_is_finite(*out);
  }
  if (d.kind == DEF_AT) {
    Label *to = SCRATCH(s, Label, s->defs.at[d.attr].n_slots), *at = SCRATCH(s, Label, d.n_slots);
    for (uint32_t i = 0; i < d.n_slots; i++)
      if (!label_at(q, s->atoms.at[a].at[i], &c)) return false;
      else at[i] = LABEL_CONST | (uint32_t)c;
    at_labels(s, &d, at, to);
    for (uint32_t i = 0; i < s->defs.at[d.attr].n_slots; i++)
      if (!label_is_const(to[i])) return false;
    return atom_at(q, atom_make(s, (DefId)d.attr, to, s->defs.at[d.attr].n_slots), out);
  }
  if (d.kind < DEF_INDEX || d.kind == DEF_OPAQUE) return false;
  ArenaMark m = arena_mark(&s->scratch);
  uint32_t fresh = s->fresh;
  Label *bound = atom_bound(s, a);
  Item *t = atom_open(s, a, bound);
  bool ok = true, any = false;
  *out = RAT_0;
  q->depth++;
  if (d.kind == DEF_SUM || d.kind == DEF_MAX || d.kind == DEF_MUL) {
    ok = reduce_at(q, d.kind == DEF_MAX, t, d.n_args, bound, d.n_bound, out, &any);
  } else if (d.kind == DEF_LIN) {
    for (uint32_t i = 0; i < d.n_args && ok; i++) {
      ok = atom_at(q, t[i].a, &k);
      if (ok) *out = rat_add(*out, rat_mul(t[i].k, k));
    }
  } else {
    ok = d.n_args <= 3 && atom_at(q, t[0].a, &x[0]);
    for (uint32_t i = 1; i < d.n_args && ok; i++)
      if (d.kind != DEF_SELECT || (i == 1) == (x[0] != RAT_0)) ok = atom_at(q, t[i].a, &x[i]);
    if (!ok) {
    } else if (d.kind == DEF_LT) *out = rat_int(rat_sign(x[0]) < 0);
    else if (d.kind == DEF_EQ) *out = rat_int(x[0] == RAT_0);
    else if (d.kind == DEF_SELECT) *out = x[0] != RAT_0 ? x[1] : x[2];
    else ok = constant_function(sym_text(d.fn), x, d.n_args, out);
  }
  q->depth--;
  s->fresh = fresh;
  arena_reset(&s->scratch, m);
  return ok;
}

static bool num_at(Point *q, Num v, Rat *out) {
  if (v.k == RAT_0) return *out = RAT_0, true;
  return atom_at(q, v.a, out) ? (*out = rat_mul(v.k, *out), true) : false;
}

static bool goal_at(Point *q, const Goal *g, Rat *out) {
  Rat x[3], y;
  bool any = false;
  *out = g->op == GOAL_MUL ? RAT_1 : RAT_0;
  if (g->op == GOAL_SUM || g->op == GOAL_MAX) {
    Item *t = SCRATCH((Store *)q->s, Item, g->n);
    for (uint32_t i = 0; i < g->n; i++) t[i] = (Item){g->items[i].v.a, g->op == GOAL_MAX ? g->items[i].v.k : RAT_1};
    return reduce_at(q, g->op == GOAL_MAX, t, g->n, g->bound, g->n_bound, out, &any);
  }
  for (uint32_t i = 0; i < g->n; i++) {
    if (g->op == GOAL_SELECT && i && (i == 1) != (x[0] != RAT_0)) continue;
    if (!num_at(q, g->items[i].v, &y) || (i > 2 && g->op >= GOAL_LT)) return false;
    if (g->op == GOAL_ADD) *out = rat_add(*out, y);
    else if (g->op == GOAL_MUL && !power_at(y, g->items[i].tag, &y)) return false;
    else if (g->op == GOAL_MUL) *out = rat_mul(*out, y);
    else x[i] = y;
  }
  switch (g->op) {
    case GOAL_LT: *out = rat_int(rat_sign(x[0]) < 0); return true;
    case GOAL_EQ: *out = rat_int(x[0] == RAT_0); return true;
    case GOAL_SELECT: *out = x[0] != RAT_0 ? x[1] : x[2]; return true;
    case GOAL_FN: return constant_function(sym_text(g->fn), x, g->n, out);
    case GOAL_TABLE: *out = x[0]; return true;
    default: return g->op == GOAL_ADD || g->op == GOAL_MUL;
  }
}

static uint32_t labels_of(const Store *s, const Goal *g, Label *out, uint32_t cap) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n; i++) {
    const AtomInfo *a = &s->atoms.at[g->items[i].v.a];
    for (uint32_t k = 0; k < a->n; k++) {
      bool seen = label_is_const(a->at[k]);
      for (uint32_t j = 0; j < n && !seen; j++) seen = out[j] == a->at[k];
      for (uint32_t j = 0; j < g->n_bound && !seen; j++) seen = g->bound[j] == a->at[k];
      if (!seen && n < cap) out[n++] = a->at[k];
    }
  }
  return n;
}

/* Computed at every value of the labels. */
bool law_closed(Replay *p, const Goal *g, Num v, uint32_t choice) {
  (void)choice;
  Point q = {.s = p->s};
  q.n = labels_of(p->s, g, q.at, 64);
  int64_t total = 1;
  for (uint32_t i = 0; i < q.n; i++)
    if ((total *= label_size(p->s, q.at[i])) > MOST_POINTS) return false;
  for (int64_t c = 0; c < total; c++) {
    Rat x, y;
    point_set(&q, c);
    if (!goal_at(&q, g, &x) || !num_at(&q, v, &y) || x != y) return false;
  }
  return true;
}

/* ---- sums over a range: sum(a, b) [3 a + b < 11] x[3 a + b] = sum(k: 11) x[k] */
static bool listed(const Label *l, uint32_t n, Label x) {
  for (uint32_t i = 0; i < n; i++)
    if (l[i] == x) return true;
  return false;
}

/* A predicate at a point is 0: computed, or by the range of what it compares. */
static bool excludes(Point *q, Atom a) {
  Store *s = (Store *)q->s;
  Rat x, lo = RAT_0, hi = RAT_0, u, v;
  if (atom_at(q, a, &x)) return x == RAT_0;
  const Def *d = def_of(s, a);
  if (d->kind != DEF_EQ && d->kind != DEF_LT) return false;
  Poly t = law_linear_of(s, num_of(atom_open(s, a, NULL)[0].a));
  for (uint32_t i = 0; i < t.n; i++) {
    if (atom_at(q, t.at[i].a, &x)) u = v = rat_mul(x, t.at[i].k);
    else if (!num_range(s, (Num){t.at[i].k, t.at[i].a}, &u, &v)) return false;
    lo = rat_add(lo, u);
    hi = rat_add(hi, v);
  }
  return d->kind == DEF_EQ ? rat_sign(lo) > 0 || rat_sign(hi) < 0 : rat_sign(lo) >= 0;
}

/* The form in the indices `m`, among others, at which some factor is read; else the first index itself. */
static Affine form_of_reads(Store *s, const Factors *f, const Label *m, uint32_t n) {
  for (uint32_t i = 0; i < f->n; i++) {
    const AtomInfo *a = &s->atoms.at[f->v[i].a];
    const Def *d = &s->defs.at[a->def];
    for (uint32_t k = 0; d->kind == DEF_AT && k < s->defs.at[d->attr].n_slots; k++) {
      Affine out = {0, 0, SCRATCH(s, struct AffineTerm, d->forms[k].n)};
      for (uint32_t j = 0; j < d->forms[k].n; j++)
        if (listed(m, n, a->at[d->forms[k].t[j].l]))
          out.t[out.n++] = (struct AffineTerm){d->forms[k].t[j].k, a->at[d->forms[k].t[j].l]};
      if (out.n) return out;
    }
  }
  return form_digits(s, m, 1);
}

/* A factor is 1 wherever no predicate excludes the point. */
static bool holds_inside(Point *q, Atom a, const bool *excluded, int64_t total) {
  for (int64_t c = 0; c < total; c++) {
    Rat x;
    point_set(q, c);
    if (!excluded[c] && (!atom_at(q, a, &x) || x != RAT_1)) return false;
  }
  return true;
}

static bool same_body(Replay *p, Point *q, const bool *excluded, int64_t total, Product *x, Product *y, const Label *bx,
                      const Label *by, uint32_t n_bound) {
  uint32_t n = q->n;
  for (int side = 0; side < 2; side++) {
    Product *z = side ? y : x;
    uint32_t left = 0;
    for (uint32_t i = 0; i < z->f.n; i++, q->n = n)
      if (!(flags_of(p->s, z->f.at[i].a) & IS_PRED) || !holds_inside(q, z->f.at[i].a, excluded, total))
        z->f.at[left++] = z->f.at[i];
    z->f.n = left;
  }
  return x->k == y->k && !x->n_roots && !y->n_roots && x->f.n == y->f.n && !x->f.undefined && !y->f.undefined &&
         law_match(p->s, x->f.at, y->f.at, x->f.n, bx, by, n_bound);
}

/* It depends on indices alone. */
static bool is_closed(Store *s, Atom a) {
  Point *q = ARENA_NEW(&s->scratch, Point);
  Rat x;
  *q = (Point){.s = s, .n = s->atoms.at[a].n};
  if (q->n > 64) return false;
  for (uint32_t i = 0; i < q->n; i++) q->at[i] = s->atoms.at[a].at[i];
  return atom_at(q, a, &x);
}

/* Two indices stand in one predicate of indices, or in one form at which a leaf is read. */
static bool together(Store *s, Atom a, Label x, Label y) {
  const AtomInfo *info = &s->atoms.at[a];
  const Def *d = &s->defs.at[info->def];
  if (d->flags & IS_PRED) return atom_has(s, a, x) && atom_has(s, a, y) && is_closed(s, a);
  for (uint32_t i = 0; d->kind == DEF_AT && i < s->defs.at[d->attr].n_slots; i++) {
    int met = 0;
    for (uint32_t j = 0; j < d->forms[i].n; j++) {
      Label l = info->at[d->forms[i].t[j].l];
      met |= l == x ? 1 : l == y ? 2 : 0;
    }
    if (met == 3) return true;
  }
  return false;
}

static void add_companions(Point *q, const Goal *g, const Factors *f) {
  for (uint32_t from = 0; from < q->n; from++)
    for (uint32_t i = 0; i < f->n; i++)
      for (uint32_t b = 0; b < g->n_bound && q->n < 32; b++)
        if (together((Store *)q->s, f->v[i].a, q->at[from], g->bound[b]) && !listed(q->at, q->n, g->bound[b]))
          q->at[q->n++] = g->bound[b];
}

/* The values of the form at the points that no predicate excludes are lo, lo + 1, .., once each; how many; -1: not so.
 */
static int64_t range_of(Point *q, const Factors *f, Affine form, bool *excluded, int64_t total, int64_t *lo) {
  int64_t n = 0, hi = 0, *value = SCRATCH((Store *)q->s, int64_t, total);
  for (int64_t c = 0; c < total; c++) {
    point_set(q, c);
    for (uint32_t i = 0; i < f->n && !excluded[c]; i++)
      excluded[c] = f->power[i] == RAT_1 && (flags_of(q->s, f->v[i].a) & IS_PRED) && excludes(q, f->v[i].a);
    if (excluded[c]) continue;
    int64_t x = 0, k = 0;
    for (uint32_t j = 0; j < form.n; j++) x += label_at(q, form.t[j].l, &k) ? form.t[j].k * k : 0;
    if (!n || x < *lo) *lo = x;
    if (!n || x > hi) hi = x;
    value[n++] = x;
  }
  bool *seen = n && hi - *lo < total ? SCRATCH((Store *)q->s, bool, hi - *lo + 1) : NULL;
  for (int64_t i = 0; i < n; i++) {
    if (!seen || hi - *lo + 1 != n || seen[value[i] - *lo]) return -1;
    seen[value[i] - *lo] = true;
  }
  return n;
}

/* The sum with index l read as lo, lo + 1, .., n values, and summed over the rest. */
static Num over_range(Replay *p, Factors f, Label l, int64_t lo, int64_t n, const Label *rest, uint32_t n_rest) {
  Store *s = p->s;
  Factors g = {f.n, SCRATCH(s, Num, f.n), f.power};
  Label *all = SCRATCH(s, Label, n_rest + 1), k = n > 1 ? label_fresh(s, n) : LABEL_CONST;
  Subst t = {1, {l}, {label_of_form(s, (Affine){lo, n > 1, &(struct AffineTerm){1, k}}, label_size(s, l))}};
  for (uint32_t i = 0; i < f.n; i++) g.v[i] = goal_substitute(p, f.v[i], &t);
  for (uint32_t i = 0; i < n_rest; i++) all[i] = rest[i];
  all[n_rest] = k;
  return goal_sum(p, all, n_rest + (n > 1), goal_mul(p, g.v, g.power, g.n));
}

/* The answer has the sum in two parts, one of them over an index that the goal does not have. */
static bool in_two(Replay *p, const Factors *f, Num v, Label l, const Label *rest, uint32_t n_rest) {
  Store *s = p->s;
  int64_t size = label_size(s, l);
  Poly t = law_linear_of(s, v);
  for (uint32_t i = 0; i < t.n && t.n > 1 && !p->failed; i++) {
    Factors g = law_factors(s, t.at[i].a);
    for (uint32_t j = 0; j < g.n; j++) {
      const Def *d = def_of(s, g.v[j].a);
      int64_t m = d->kind == DEF_SUM ? d->sizes[d->n_slots] : size;
      for (uint32_t b = 1; d->kind == DEF_SUM && b < d->n_bound; b++)
        if (d->sizes[d->n_slots + b] < size && d->sizes[d->n_slots + b] > size - 2) m = d->sizes[d->n_slots + b];
      for (int side = 0; side < 2 && m < size; side++) {
        int64_t cut = side ? size - m : m;
        Num left = over_range(p, *f, l, 0, cut, rest, n_rest),
            right = over_range(p, *f, l, cut, size - cut, rest, n_rest);
        if (law_same(s, v, goal_add2(p, left, right))) return true;
      }
    }
  }
  return false;
}

/* The index `choice`, and those read or compared with it, go through a range, once each: one index does. */
bool law_range(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Factors f = law_factors(s, g->items[0].v.a);
  Point *q = ARENA_NEW(&s->scratch, Point);
  *q = (Point){.s = s, .n = 1, .at = {g->bound[choice]}};
  add_companions(q, g, &f);
  for (uint32_t i = 0; i < f.n; i++)
    if (flags_of(s, f.v[i].a) & MAY_INF) return false;
  int64_t total = 1, lo = 0;
  for (uint32_t i = 0; i < q->n; i++)
    if ((total *= label_size(s, q->at[i])) > MOST_RANGE) return false;
  bool alone = q->n == 1;
  Affine form = alone ? form_digits(s, q->at, 1) : form_of_reads(s, &f, q->at, q->n);
  bool *excluded = SCRATCH(s, bool, total);
  int64_t n = range_of(q, &f, form, excluded, total, &lo);
  if (n <= 0) return n == 0 && v.k == RAT_0;
  Label *rest = SCRATCH(s, Label, g->n_bound), *by = atom_bound(s, v.a), *others;
  uint32_t n_rest = 0, m = def_of(s, v.a)->n_bound;
  for (uint32_t b = 0; b < g->n_bound; b++)
    if (!listed(q->at, q->n, g->bound[b])) rest[n_rest++] = g->bound[b];
  if (alone && n == total) return in_two(p, &f, v, q->at[0], rest, n_rest);
  if (alone) return law_same(s, v, over_range(p, f, q->at[0], lo, n, rest, n_rest));
  if (n == 1) { /* one point */
    Subst t = {0};
    int64_t c = 0;
    while (excluded[c]) c++;
    point_set(q, c);
    for (uint32_t i = 0; i < q->n; i++) goal_put(&t, q->at[i], LABEL_CONST | (uint32_t)q->value[i]);
    for (uint32_t i = 0; i < f.n; i++) f.v[i] = goal_substitute(p, f.v[i], &t);
    return law_same(s, v, goal_sum(p, rest, n_rest, goal_mul(p, f.v, f.power, f.n)));
  }
  if (def_of(s, v.a)->kind != DEF_SUM || m != n_rest + 1) return false;
  Item *body = atom_open(s, v.a, by);
  uint32_t n_body = def_of(s, v.a)->n_args;
  others = SCRATCH(s, Label, m);
  for (uint32_t k = 0; k < m && !p->failed; k++) {
    if (label_size(s, by[k]) != n) continue;
    Product x = {.k = RAT_1}, y = {.k = v.k};
    Subst t = {0};
    bool ok = goal_put(&t, by[k], label_of_form(s, form_add(s, form, (Affine){-lo, 0, NULL}, 1), n));
    for (uint32_t i = 0; i < f.n; i++) poly_put(s, &x.f, f.v[i].a, f.power[i]);
    for (uint32_t i = 0; i < n_body && ok; i++)
      ok = product_put(s, &y, goal_substitute(p, num_of(body[i].a), &t), body[i].k);
    for (uint32_t i = 0; i < n_rest; i++) others[i] = by[i < k ? i : i + 1];
    if (ok && !p->failed && same_body(p, q, excluded, total, &x, &y, rest, others, n_rest)) return true;
  }
  return false;
}

/* Equal at every value of one label. */
bool law_cases(Replay *p, const Goal *g, Num v, uint32_t choice) {
  Store *s = p->s;
  Label l[64];
  if (choice >= labels_of(s, g, l, 64) || label_size(s, l[choice]) > MOST_CASES) return false;
  for (int64_t c = 0; c < label_size(s, l[choice]); c++) {
    Subst t = {1, {l[choice]}, {LABEL_CONST | (uint32_t)c}};
    Num *w = SCRATCH(s, Num, g->n), left;
    Rat *power = SCRATCH(s, Rat, g->n);
    for (uint32_t i = 0; i < g->n; i++) w[i] = goal_substitute(p, g->items[i].v, &t), power[i] = g->items[i].tag;
    if (p->failed) return false;
    switch (g->op) {
      case GOAL_ADD: left = goal_add(p, w, g->n); break;
      case GOAL_MUL: left = goal_mul(p, w, power, g->n); break;
      case GOAL_LT: left = goal_less(p, w[0]); break;
      case GOAL_EQ: left = goal_equal(p, w[0]); break;
      case GOAL_SELECT: left = goal_choose(p, w[0], w[1], w[2]); break;
      case GOAL_FN: left = goal_fn(p, g->fn, w, g->n); break;
      default: return false;
    }
    if (!num_same(left, goal_substitute(p, v, &t)) || p->failed) return false;
  }
  return true;
}

bool law_split(Replay *p, const Goal *g, Num v, uint32_t choice) {
  (void)p, (void)g, (void)v, (void)choice;
  return false;
}

/* ---- the table */
static const struct {
  const char *name;
  Law *holds;
  uint32_t goals, choices;
} laws[] = {
#define LAW(name, goals, choices, statements) {#name, law_##name, goals, choices},
#include "certify/law.def"
#undef LAW
};

uint32_t law_count(void) { return sizeof laws / sizeof *laws; }
const char *law_name(uint32_t law) { return laws[law].name; }
bool law_applies(GoalOp op, uint32_t law) { return laws[law].goals >> op & 1; }
bool law_holds(Replay *p, const Goal *g, Num v, uint32_t law, uint32_t choice) {
  return laws[law].holds(p, g, v, choice) && !p->failed;
}

uint32_t law_choices(Replay *p, const Goal *g, uint32_t law) {
  Label l[64];
  switch (laws[law].choices) {
    case N_ITEMS: return g->n;
    case N_FACTORS: return law_n_factors(p->s, g->items[0].v.a);
    case N_TERMS: return def_of(p->s, g->items[0].v.a)->kind == DEF_LIN ? def_of(p->s, g->items[0].v.a)->n_args : 1;
    case N_LABELS: return labels_of(p->s, g, l, 64);
    case N_BOUND: return g->n_bound;
    default: return 1;
  }
}
