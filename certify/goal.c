/* Goals: stated up to the names of their labels, answered once, believed after the law of the step was checked. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "certify/proof.h"

enum { MAX_DEPTH = 2000 };

bool goal_fail(Replay *p, const char *why) {
  if (!p->failed) p->why = why;
  p->failed = true;
  return false;
}

/* ---- the goal in labels of its own */

Label goal_own_label(Store *s, Names *names, Label l) {
  if (label_is_const(l)) return l;
  uint32_t i = 0;
  if (label_is_form(s, l)) {
    LabelInfo x = s->labels.at[l];
    if (x.kind == LABEL_INTEGER) return l;
    Label a = goal_own_label(s, names, x.a), b = goal_own_label(s, names, x.b);
    return label_make(s, LABEL_FORM, a, b, x.size);
  }
  while (i < names->n && names->at[i] != l) i++;
  if (i == MOST_LABELS) return LABEL_CONST; /* refused by `state` */
  if (i == names->n) names->at[names->n++] = l;
  return label_make(s, LABEL_GOAL, i, 0, label_size(s, l));
}

static bool state(Replay *p, const Goal *g, Goal *own, Names *names) {
  Store *s = p->s;
  *own = *g;
  own->items = SCRATCH(s, GoalItem, g->n);
  own->bound = SCRATCH(s, Label, g->n_bound);
  bool any_order = g->op == GOAL_ADD || g->op == GOAL_MUL || g->op == GOAL_MAX;
  for (uint32_t i = 0; i < g->n; i++) {
    GoalItem x = g->items[i];
    DefId d = s->atoms.at[x.v.a].def;
    uint32_t j = i;
    for (; any_order && j; j--) {
      const GoalItem *y = &own->items[j - 1];
      DefId e = s->atoms.at[y->v.a].def;
      bool before = d != e ? d < e : x.tag != y->tag ? rat_cmp(x.tag, y->tag) < 0 : rat_cmp(x.v.k, y->v.k) < 0;
      if (!before) break;
      own->items[j] = *y;
    }
    own->items[j] = x;
  }
  for (uint32_t i = 0; i < g->n; i++) {
    AtomInfo a = s->atoms.at[own->items[i].v.a];
    Label *at = SCRATCH(s, Label, a.n);
    for (uint32_t k = 0; k < a.n; k++) at[k] = goal_own_label(s, names, a.at[k]);
    own->items[i].v.a = atom_make(s, a.def, at, a.n);
  }
  for (uint32_t i = 0; i < g->n_bound; i++) own->bound[i] = goal_own_label(s, names, g->bound[i]);
  if (names->n == MOST_LABELS) return goal_fail(p, "a goal has too many labels");
  for (uint32_t i = 1; i < g->n_bound && g->op != GOAL_OPAQUE; i++) /* by number */
    for (uint32_t j = i; j && s->labels.at[own->bound[j]].a < s->labels.at[own->bound[j - 1]].a; j--) {
      Label l = own->bound[j];
      own->bound[j] = own->bound[j - 1];
      own->bound[j - 1] = l;
    }
  return true;
}

static bool is_settled(const void *p, uint32_t i, const void *key) {
  const Settled *e = ((const Replay *)p)->settled.at[i], *x = key;
  return e->n == x->n && !memcmp(e->key, x->key, x->n * sizeof *x->key);
}

/* What is known of a goal in labels of its own. */
static Settled *find(Replay *p, const Goal *g) {
  Settled x = {.n = 2 + 3 * g->n + g->n_bound};
  uint64_t *key = SCRATCH(p->s, uint64_t, x.n), *at = key;
  *at++ = (uint64_t)g->op << 56 | (uint64_t)g->n_bound << 32 | g->n;
  *at++ = g->fn;
  for (uint32_t i = 0; i < g->n; i++) *at++ = g->items[i].v.k, *at++ = g->items[i].tag, *at++ = g->items[i].v.a;
  for (uint32_t i = 0; i < g->n_bound; i++) *at++ = g->bound[i];
  x.key = key;
  uint32_t i = index_find(&p->index, XXH3_64bits(key, x.n * sizeof *key), is_settled, p, &x);
  if (i < p->settled.len) return p->settled.at[i];
  Settled *e = arena_copy(&p->arena, &x, sizeof x);
  e->key = arena_copy(&p->arena, key, x.n * sizeof *key);
  vec_push(&p->settled, e);
  return e;
}

/* ---- answers */
/* The next step of the file, and its answer. */
static bool read_answer(Replay *p, const Names *names, Step *step, Num *out) {
  Store *s = p->s;
  if (p->at >= p->steps->len) return goal_fail(p, "the certificate ends too early");
  *step = p->steps->at[p->at++];
  Label *at = SCRATCH(s, Label, step->n);
  for (uint32_t i = 0; i < step->n; i++) { /* constants are checked where they are read (file.c) */
    int64_t size = s->defs.at[step->def].sizes[i];
    bool constant = label_is_const(at[i] = step->at[i]);
    if (!constant && (at[i] >= names->n || label_size(s, names->at[at[i]]) != size))
      return goal_fail(p, arena_printf(&p->arena, "step %zu: its answer does not fit the question", p->at));
    if (!constant) at[i] = label_make(s, LABEL_GOAL, at[i], 0, size);
  }
  *out = (Num){step->k, atom_make(s, step->def, at, step->n)};
  return true;
}

static Num push(Replay *p, Atom a);

static bool settle(Replay *p, const Goal *g, Settled *e, Names *names, Num *out) {
  if (g->op == GOAL_SUBST) {
    *out = push(p, g->items[0].v.a);
    atom_assume(p->s, out->a, def_of(p->s, g->items[0].v.a)->assumed);
    return !p->failed;
  }
  if (p->oracle) return p->oracle->ask(p, g, e, names, out);
  Step step;
  size_t here = p->at + 1;
  if (!read_answer(p, names, &step, out)) return false;
  if (law_holds(p, g, *out, step.law, &step.choice) && !p->failed) return true;
  if (!p->failed) p->step = here;
  return goal_fail(
      p, arena_printf(&p->arena, "step %zu: the answer does not follow from its law, `%s`", here, law_name(step.law)));
}

Num goal_prove(Replay *p, const Goal *g) {
  Store *s = p->s;
  if (p->failed || p->depth > MAX_DEPTH) return goal_fail(p, "the proof is too deep"), num(RAT_0);
  ArenaMark mark = arena_mark(&s->scratch);
  Goal own;
  Names *names = SCRATCH(s, Names, 1);
  Num out = num(RAT_0);
  if (!state(p, g, &own, names)) return out;
  Settled *e = find(p, &own);
  if (e->open || (p->oracle && p->oracle->gave_up(p, e)))
    return goal_fail(p, "a proof rests on itself, or on what could not be proved"), out;
  if (!e->known && !(p->trusting && e->guessed)) {
    uint32_t fresh = s->fresh;
    e->open = true;
    s->looked = 0;
    p->depth++;
    bool ok = settle(p, &own, e, names, &out);
    p->depth--;
    e->open = false;
    s->fresh = fresh;
    for (uint32_t i = 0; ok && i < own.n_bound; i++)
      ok = !atom_has(s, out.a, own.bound[i]) || goal_fail(p, "an answer has a bound label");
    if (!ok && p->oracle && !p->trusting) p->oracle->give_up(p, e);
    if (!ok) return num(RAT_0);
    e->answer = out;
    e->guessed = !goal_claims(g);
    e->known = !p->trusting;
    if (e->known) vec_push(&p->log, e);
  }
  AtomInfo a = s->atoms.at[e->answer.a];
  Label *at = SCRATCH(s, Label, a.n);
  for (uint32_t i = 0; i < a.n; i++) at[i] = label_is_const(a.at[i]) ? a.at[i] : names->at[s->labels.at[a.at[i]].a];
  out = (Num){e->answer.k, atom_make(s, a.def, at, a.n)};
  arena_reset(&s->scratch, mark);
  return out;
}

Num goal_restate(Replay *p, Num v) {
  return goal_prove(p, &(Goal){.op = GOAL_SAME, .n = 1, .items = &(GoalItem){v, RAT_1}});
}

bool goal_adds_up(Replay *p, const Num *v, uint32_t n, Num w) {
  GoalItem *items = SCRATCH(p->s, GoalItem, n + 1);
  for (uint32_t i = 0; i <= n; i++) items[i] = (GoalItem){i < n ? v[i] : w, RAT_1};
  if (p->failed || !n) return !p->failed && w.k == RAT_0;
  if (n == 1 && num_same(*v, w)) return true;
  Num is = goal_prove(p, &(Goal){.op = GOAL_SAME, .n = n + 1, .items = items});
  return !p->failed && num_same(is, w);
}
bool goal_same(Replay *p, Num v, Num w) { return goal_adds_up(p, &v, 1, w); }

/* ---- substitution: constants and forms are pushed through the definition */
bool goal_put(Subst *s, Label from, Label to) {
  if (s->n == 128) return false;
  s->from[s->n] = from;
  s->to[s->n++] = to;
  return true;
}

/* Some operand of an unknown operator has a slot that is no plain label; slots it produces may be. */
static bool operand_at_form(const Store *s, const Def *d, const Label *at) {
  for (uint32_t i = 0; i < d->n_slots; i++)
    if ((label_is_const(at[i]) || label_is_form(s, at[i])) && !def_produces(d, i)) return true;
  return false;
}

Num form_num(Replay *p, Affine f) {
  Num *v = SCRATCH(p->s, Num, f.n + 1);
  for (uint32_t i = 0; i < f.n; i++) v[i] = num_scale(rat_int(f.t[i].k), num_of(atom_index(p->s, f.t[i].l)));
  v[f.n] = num(rat_int(f.c));
  return goal_add(p, v, f.n + 1);
}

/* An atom at constants and forms: leaves are read at them, the rest is made again from its args. */
static Num special(Replay *p, Atom a) {
  Store *s = p->s;
  AtomInfo x = s->atoms.at[a];
  Def d = s->defs.at[x.def];
  bool constant = false, form = false;
  for (uint32_t i = 0; i < x.n; i++) constant |= label_is_const(x.at[i]), form |= label_is_form(s, x.at[i]);
  if (!constant && !form) return num_of(a);
  if (d.kind == DEF_INDEX) return form_num(p, label_open(s, x.at[0]));
  if (d.kind == DEF_AT) {
    Label *at = SCRATCH(s, Label, s->defs.at[d.attr].n_slots);
    at_labels(s, &d, x.at, at);
    Atom b = atom_read(s, (DefId)d.attr, at);
    return s->atoms.at[b].def == (DefId)d.attr ? special(p, b) : num_of(b);
  }
  if (d.kind == DEF_INPUT || (d.kind == DEF_OPAQUE && !operand_at_form(s, &d, x.at)) || (d.kind == DEF_TABLE && form))
    return num_of(atom_read(s, x.def, x.at));
  if (d.kind == DEF_TABLE) return goal_restate(p, num_of(a));
  return goal_prove(p, &(Goal){.op = GOAL_SUBST, .n = 1, .items = &(GoalItem){num_of(a), RAT_1}});
}

Num goal_substitute(Replay *p, Num v, const Subst *t) {
  Store *s = p->s;
  AtomInfo x = s->atoms.at[v.a];
  bool changed = false;
  Label *at = SCRATCH(s, Label, x.n);
  for (uint32_t i = 0; i < x.n; i++) {
    at[i] = x.at[i];
    for (uint32_t k = 0; k < t->n; k++)
      if (t->from[k] == x.at[i]) at[i] = t->to[k], changed = true;
  }
  if (!changed) return v;
  return num_scale(v.k, special(p, atom_make(s, x.def, at, x.n)));
}

Goal goal_of(Store *s, Atom a) {
  Def d = *def_of(s, a);
  bool weights = d.kind == DEF_LIN || d.kind == DEF_MAX, powers = d.kind == DEF_MUL || d.kind == DEF_SUM;
  Goal g = {
      (GoalOp)(d.kind - DEF_LIN), d.fn, d.n_args, d.n_bound, SCRATCH(s, GoalItem, d.n_args + d.n_slots + 1), NULL};
  const Item *x = atom_open(s, a, g.bound = atom_bound(s, a));
  for (uint32_t i = 0; i < g.n; i++)
    g.items[i] = weights ? (GoalItem){{x[i].k, x[i].a}, RAT_1}
                         : (GoalItem){powers ? num_of(x[i].a) : num_plain(s, x[i].a), powers ? x[i].k : RAT_1};
  return g;
}

Num goal_do(Replay *p, const Goal *g) {
  Num *v = SCRATCH(p->s, Num, g->n);
  for (uint32_t i = 0; i < g->n; i++) v[i] = g->items[i].v;
  if (p->failed) return num(RAT_0);
  switch (g->op) {
    case GOAL_ADD: return goal_add(p, v, g->n);
    case GOAL_MUL: return goal_mul(p, g->items, g->n);
    case GOAL_SUM: return goal_sum(p, g->bound, g->n_bound, goal_mul(p, g->items, g->n));
    case GOAL_MAX: return goal_max(p, v, g->n, g->bound, g->n_bound);
    case GOAL_LT: return goal_less(p, v[0]);
    case GOAL_EQ: return goal_equal(p, v[0]);
    case GOAL_SELECT: return goal_choose(p, v[0], v[1], v[2]);
    case GOAL_FN: return goal_fn(p, g->fn, v, g->n);
    default: return goal_prove(p, g);
  }
}

/* The operation is done again; what an unknown operator produces is put in afterwards. */
static Num push(Replay *p, Atom a) {
  AtomInfo x = p->s->atoms.at[a];
  Def d = p->s->defs.at[x.def];
  Goal g = goal_of(p->s, a);
  Subst t = {0};
  for (uint32_t i = 0; i < g.n; i++) g.items[i].v = num_scale(g.items[i].v.k, special(p, g.items[i].v.a));
  for (uint32_t i = 0; i < d.n_slots && d.kind == DEF_OPAQUE; i++) {
    if (!def_produces(&d, i)) continue;
    Label l = label_fresh(p->s, d.sizes[i]);
    if (!goal_put(&t, l, x.at[i])) return goal_fail(p, "too many labels"), num(RAT_0);
    g.items[g.n++] = (GoalItem){num_of(atom_index(p->s, l)), RAT_0};
  }
  return goal_substitute(p, goal_do(p, &g), &t);
}

/* ---- operations: what is plain is done here, the rest is a goal */
static Num pose(Replay *p, GoalOp op, Sym fn, const Num *v, uint32_t n, const Label *bound, uint32_t n_bound) {
  GoalItem *items = SCRATCH(p->s, GoalItem, n);
  for (uint32_t i = 0; i < n; i++) items[i] = (GoalItem){v[i], RAT_1};
  return goal_prove(p, &(Goal){op, fn, n, n_bound, items, (Label *)bound});
}

Num goal_add(Replay *p, const Num *v, uint32_t n) {
  Num *left = SCRATCH(p->s, Num, n + 1);
  uint32_t m = 0;
  Rat k = RAT_0;
  for (uint32_t i = 0; i < n; i++) {
    if (num_is(v[i])) k = rat_add(k, v[i].k);
    else left[m++] = v[i];
  }
  if (!m) return num(k);
  if (k != RAT_0) left[m++] = num(k);
  return m == 1 ? left[0] : pose(p, GOAL_ADD, 0, left, m, NULL, 0);
}

Num goal_add2(Replay *p, Num v, Num w) { return goal_add(p, (Num[]){v, w}, 2); }
Num goal_subtract(Replay *p, Num v, Num w) { return goal_add2(p, v, num_scale(RAT_NEG1, w)); }
Num goal_not(Replay *p, Num q) { return goal_subtract(p, num(RAT_1), q); }

static bool is_log(const Store *s, DefId id) {
  const Def *d = &s->defs.at[id];
  if (d->kind != DEF_FN || !d->n_args || (d->fn != sym("log") && d->fn != sym("pow"))) return false;
  return !(s->defs.at[d->args[0].def].flags & IS_POS);
}

/* A logarithm or a power of what is not known to be positive, alone or times others. */
static bool takes_log(const Store *s, DefId id) {
  const Def *d = &s->defs.at[id];
  bool some = is_log(s, id);
  for (uint32_t i = 0; d->kind == DEF_MUL && i < d->n_args && !some; i++) some = is_log(s, d->args[i].def);
  return some;
}

/* Numbers are taken out, roots of scaled values made by themselves, products among the factors opened. */
Num goal_mul(Replay *p, const GoalItem *given, uint32_t n) {
  Store *s = p->s;
  uint32_t cap = 1, m = 0;
  for (uint32_t i = 0; i < n; i++) cap += 1 + def_of(s, given[i].v.a)->n_args;
  GoalItem *left = SCRATCH(s, GoalItem, cap);
  Rat k = RAT_1;
  bool zero = false, by_zero = false;
  for (uint32_t i = 0; i < n; i++) {
    bool is = given[i].v.k == RAT_0;
    zero |= is && rat_sign(given[i].tag) > 0;
    by_zero |= is && rat_sign(given[i].tag) < 0;
    if (!is && rat_sign(given[i].tag) < 0 && !(flags_of(s, given[i].v.a) & IS_POS)) goal_needs(p, NEEDS_NONZERO);
  }
  for (uint32_t i = 0; i < n && zero; i++)
    if (takes_log(s, s->atoms.at[given[i].v.a].def) || (flags_of(s, given[i].v.a) & MAY_INF)) goal_needs(p, NEEDS_FINITE);
  if (zero && !by_zero) return num(RAT_0);
  for (uint32_t i = 0; i < n; i++) {
    GoalItem x = given[i];
    int64_t w;
    bool known = rat_sign(x.v.k) >= 0 && (flags_of(s, x.v.a) & IS_NONNEG);
    if (!rat_is_int(x.tag) && !known) goal_needs(p, NEEDS_NONNEGATIVE);
    if (!rat_is_int(x.tag) && x.v.k != RAT_1 && n > 1) x = (GoalItem){goal_mul(p, &x, 1), RAT_1};
    if (num_same(x.v, num(RAT_1))) continue;
    if (x.v.k == RAT_0 || !rat_to_int(x.tag, &w) || w < -64 || w > 64) {
      left[m++] = x;
      continue;
    }
    k = rat_mul(k, rat_pow(x.v.k, w));
    uint32_t n_args = def_of(s, x.v.a)->kind == DEF_MUL ? def_of(s, x.v.a)->n_args : 0;
    const Item *y = n_args ? atom_open(s, x.v.a, NULL) : NULL;
    for (uint32_t j = 0; j < n_args; j++) /* the square of a root */
      if (!rat_is_int(y[j].k) && rat_is_int(rat_mul(y[j].k, x.tag)) && !atom_not_negative(s, y[j].a)) n_args = 0;
    if (n_args) {
      for (uint32_t j = 0; j < n_args; j++) left[m++] = (GoalItem){num_of(y[j].a), rat_mul(y[j].k, x.tag)};
    } else if (x.v.a != ATOM_ONE) {
      left[m++] = (GoalItem){num_of(x.v.a), x.tag};
    }
  }
  if (!m) return num(k);
  if (m == 1 && left[0].tag == RAT_1) return num_scale(k, left[0].v);
  return num_scale(k, goal_prove(p, &(Goal){.op = GOAL_MUL, .n = m, .items = left}));
}

Num goal_mul_all(Replay *p, const Num *v, uint32_t n) {
  GoalItem *f = SCRATCH(p->s, GoalItem, n + 1);
  for (uint32_t i = 0; i < n; i++) f[i] = (GoalItem){v[i], RAT_1};
  return goal_mul(p, f, n);
}

Num goal_mul2(Replay *p, Num v, Num w) { return goal_mul_all(p, (Num[]){v, w}, 2); }

Num goal_sum(Replay *p, const Label *bound, uint32_t n, Num v) {
  if (!n || v.k == RAT_0) return v;
  Num one = num_of(v.a);
  return num_scale(v.k, pose(p, GOAL_SUM, 0, &one, 1, bound, n));
}

Num goal_max(Replay *p, const Num *v, uint32_t n, const Label *bound, uint32_t n_bound) {
  if (n == 1 && (!n_bound || num_is(v[0]))) return v[0];
  return pose(p, GOAL_MAX, 0, v, n, bound, n_bound);
}

static Num compare(Replay *p, GoalOp op, Num v) {
  if (v.a == ATOM_NEGINF && v.k != RAT_0) return num(rat_int(op == GOAL_LT && rat_sign(v.k) > 0));
  if (num_is(v)) return num(rat_int(op == GOAL_LT ? rat_sign(v.k) < 0 : v.k == RAT_0));
  Rat k = rat_int(op == GOAL_EQ ? 1 : rat_sign(v.k));
  return pose(p, op, 0, &(Num){k, v.a}, 1, NULL, 0);
}
Num goal_less(Replay *p, Num v) { return compare(p, GOAL_LT, v); }
Num goal_equal(Replay *p, Num v) { return compare(p, GOAL_EQ, v); }

Num goal_choose(Replay *p, Num q, Num v, Num w) {
  if (num_is(q)) return q.k != RAT_0 ? v : w;
  return num_same(v, w) ? v : pose(p, GOAL_SELECT, 0, (Num[]){q, v, w}, 3, NULL, 0);
}

Num goal_fn(Replay *p, Sym fn, const Num *v, uint32_t n) {
  bool is_power = n == 2 && fn == sym("pow") && num_is(v[1]) && (v[0].k != RAT_0 || rat_sign(v[1].k) > 0);
  return is_power ? goal_mul(p, &(GoalItem){v[0], v[1].k}, 1) : pose(p, GOAL_FN, fn, v, n, NULL, 0);
}
