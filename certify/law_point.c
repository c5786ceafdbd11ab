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
  if (!rat_to_int(p, &e) || e < -64 || e > 64 || (x == RAT_0 && e <= 0) || rat_bits(x) > MOST_BITS) return false;
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

/* A number, or minus infinity as it is: that may be a branch of a choice, or stand alone. */
static bool num_at(Point *q, Num v, Rat *out) {
  if (v.k == RAT_0) return *out = RAT_0, true;
  if (!atom_at(q, v.a, out)) return false;
  if (!rat_is_finite(*out)) return *out == RAT_NEG_INF && v.k == RAT_1;
  return *out = rat_mul(v.k, *out), true;
}

/* An operation on items, at every value of its bound labels from number `from` on; *out is 0 before. */
static bool operate(Point *q, const Goal *g, uint32_t from, Rat *out, bool *any) {
  bool product = g->op == GOAL_MUL || g->op == GOAL_SUM, ok = ++q->steps <= MOST_POINTS * 16 && q->n < 128;
  if (from < g->n_bound && ok) {
    q->at[q->n++] = g->bound[from];
    for (int64_t c = 0; c < label_size(q->s, g->bound[from]) && ok; c++) {
      q->value[q->n - 1] = c;
      ok = operate(q, g, from + 1, out, any);
    }
    q->n--;
    return ok;
  }
  Rat y[3], k, r = RAT_1;
  for (uint32_t i = 0; i < g->n && ok; i++) {
    if (g->op == GOAL_SELECT && i && (i == 1) != (y[0] != RAT_0)) continue;
    if (!(ok = num_at(q, g->items[i].v, &k))) break;
    bool alone = g->op == GOAL_ADD && g->n == 1;
    if (!rat_is_finite(k) && !alone && !(g->op == GOAL_SELECT && i)) return false;
    if (alone) {
      *out = k;
    } else if (product) {
      ok = power_at(k, g->items[i].tag, &k);
      if (ok) r = rat_mul(r, k);
    } else if (g->op == GOAL_ADD) {
      *out = rat_add(*out, k);
    } else if (g->op == GOAL_MAX) {
      if (!*any || rat_cmp(k, *out) > 0) *out = k;
      *any = true;
    } else if ((ok = i < 3)) {
      y[i] = k;
    }
  }
  if (product) *out = rat_add(*out, r);
  if (g->op == GOAL_LT && ok) *out = rat_int(rat_sign(y[0]) < 0);
  if (g->op == GOAL_EQ && ok) *out = rat_int(y[0] == RAT_0);
  if (g->op == GOAL_SELECT && ok) *out = y[0] != RAT_0 ? y[1] : y[2];
  if (g->op == GOAL_FN && ok) ok = constant_function(sym_text(g->fn), y, g->n, out);
  return ok;
}

static bool atom_at(Point *q, Atom a, Rat *out) {
  Store *s = (Store *)q->s;
  Def d = *def_of(s, a);
  int64_t c;
  if (++q->steps > MOST_POINTS * 16 || q->depth > 500) return false;
  if (d.kind == DEF_ONE) return *out = RAT_1, true;
  if (d.kind == DEF_NEGINF) return *out = RAT_NEG_INF, true;
  if (d.kind == DEF_INDEX) return label_at(q, s->atoms.at[a].at[0], &c) ? (*out = rat_int(c), true) : false;
  if (d.kind == DEF_TABLE) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < d.n_slots; i++) {
      if (!label_at(q, s->atoms.at[a].at[i], &c)) return false;
      at = at * (uint64_t)d.sizes[i] + (uint64_t)c;
    }
    return *out = d.values[at], true;
  }
  if (d.kind < DEF_INDEX || d.kind == DEF_OPAQUE) return false;
  ArenaMark m = arena_mark(&s->scratch);
  uint32_t fresh = s->fresh;
  Goal g = goal_of(s, a);
  bool any = false;
  *out = RAT_0;
  q->depth++;
  bool ok = operate(q, &g, 0, out, &any);
  q->depth--;
  s->fresh = fresh;
  arena_reset(&s->scratch, m);
  return ok && (!rat_is_finite(*out) || rat_bits(*out) <= MOST_BITS);
}

uint32_t law_labels(const Store *s, const Goal *g, Label *out, uint32_t cap) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n; i++) {
    const AtomInfo *a = &s->atoms.at[g->items[i].v.a];
    for (uint32_t k = 0; k < a->n; k++) {
      Label l = a->at[k];
      bool seen = label_is_const(l) || label_among(out, n, l) || label_among(g->bound, g->n_bound, l);
      if (!seen && n < cap) out[n++] = l;
    }
  }
  return n;
}

/* Computed at every value of the labels. */
bool law_closed(Replay *p, const Goal *g, Num v, const Choice *c) {
  (void)c;
  Point q = {.s = p->s};
  q.n = law_labels(p->s, g, q.at, 64);
  int64_t total = 1;
  for (uint32_t i = 0; i < q.n; i++)
    if (!law_times(&total, label_size(p->s, q.at[i]), MOST_POINTS)) return false;
  for (int64_t at = 0; at < total; at++) {
    Rat x = RAT_0, y;
    bool any = false;
    point_set(&q, at);
    if (!operate(&q, g, 0, &x, &any)) return false;
    if (!num_at(&q, v, &y) || x != y) return false;
  }
  return true;
}

/* Equal at every value of one label. */
bool law_cases(Replay *p, const Goal *g, Num v, const Choice *c) {
  Store *s = p->s;
  Label l[64];
  uint32_t choice = choice_at(c, 0);
  if (choice >= law_labels(s, g, l, 64) || label_size(s, l[choice]) > MOST_CASES) return false;
  for (int64_t k = 0; k < label_size(s, l[choice]); k++) {
    Subst t = {1, {l[choice]}, {LABEL_CONST | (uint32_t)k}};
    Goal at = *g;
    at.items = SCRATCH(s, GoalItem, g->n);
    Num *w = SCRATCH(s, Num, g->n);
    for (uint32_t i = 0; i < g->n; i++) {
      w[i] = goal_substitute(p, g->items[i].v, &t);
      at.items[i] = (GoalItem){w[i], g->items[i].tag};
    }
    Num right = goal_substitute(p, v, &t);
    if (goal_claims(g) ? !goal_adds_up(p, w, g->n - 1, right) : !law_same(s, goal_do(p, &at), right)) return false;
    if (p->failed) return false;
  }
  return true;
}

/* ---- the table */
static const struct {
  const char *name;
  Law *holds;
  uint32_t goals;
} laws[] = {
#define LAW(name, goals, statements) {#name, law_##name, goals},
#include "certify/law.def"
#undef LAW
};

uint32_t law_count(void) { return sizeof laws / sizeof *laws; }
const char *law_name(uint32_t law) { return laws[law].name; }

Goal law_view(Store *s, const Goal *g) {
  Goal out = *g;
  if (g->op != GOAL_SAME) return out;
  Num v = g->items[0].v;
  bool max = def_of(s, v.a)->kind == DEF_MAX && rat_sign(v.k) > 0 && g->n == 2;
  if (!max) return (Goal){.op = GOAL_ADD, .n = goal_claims(g) ? g->n - 1 : 1, .items = g->items};
  out = goal_of(s, v.a);
  for (uint32_t i = 0; i < out.n; i++) out.items[i].v = num_scale(v.k, out.items[i].v);
  return out;
}

static bool law_of_claims(uint32_t law) { return law == LAW_cases || law == LAW_split || law == LAW_alike; }

bool law_about(Store *s, const Goal *g, uint32_t law) {
  if (g->op == GOAL_SAME && g->n == 1) return law == LAW_closed;
  return laws[law].goals >> (law_of_claims(law) ? g->op : law_view(s, g).op) & 1;
}

bool law_holds(Replay *p, const Goal *g, Num v, uint32_t law, const Choice *c) {
  Goal view = law_view(p->s, g);
  if (goal_claims(g) && !num_same(v, g->items[g->n - 1].v)) return false;
  return law_about(p->s, g, law) && laws[law].holds(p, law_of_claims(law) ? g : &view, v, c) && !p->failed;
}
