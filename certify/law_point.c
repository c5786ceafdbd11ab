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
bool law_closed(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Point q = {.s = p->s};
  q.n = labels_of(p->s, g, q.at, 64);
  int64_t total = 1;
  for (uint32_t i = 0; i < q.n; i++)
    if ((total *= label_size(p->s, q.at[i])) > MOST_POINTS) return false;
  for (int64_t at = 0; at < total; at++) {
    Rat x, y;
    point_set(&q, at);
    if (!goal_at(&q, g, &x) || !num_at(&q, v, &y) || x != y) return false;
  }
  return true;
}

/* Equal at every value of one label. */
bool law_cases(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Label l[64];
  uint32_t choice = c->at[0];
  if (choice >= labels_of(s, g, l, 64) || label_size(s, l[choice]) > MOST_CASES) return false;
  for (int64_t k = 0; k < label_size(s, l[choice]); k++) {
    Subst t = {1, {l[choice]}, {LABEL_CONST | (uint32_t)k}};
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

bool law_split(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)p, (void)g, (void)v, (void)c;
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

bool law_holds(Replay *p, const Goal *g, Num v, uint32_t law, const Choice *c) {
  Choice first = {1, (Label[]){0}};
  if (laws[law].choices != N_ANY && !c->n) c = &first;
  if (laws[law].choices != N_ANY && c->at[0] >= law_choices(p, g, law)) return false;
  return laws[law].holds(p, g, v, c) && !p->failed;
}

uint32_t law_choices(Replay *p, const Goal *g, uint32_t law) {
  Label l[64];
  switch (laws[law].choices) {
    case N_FACTORS: return law_factors(p->s, g).n;
    case N_TERMS: return def_of(p->s, g->items[0].v.a)->kind == DEF_LIN ? def_of(p->s, g->items[0].v.a)->n_args : 1;
    case N_LABELS: return labels_of(p->s, g, l, 64);
    default: return 1;
  }
}
