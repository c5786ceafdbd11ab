/* allsizes: see allsizes.h. */
#include "eval/lemma/allsizes.h"

#include <stdio.h>
#include <string.h>

#include "eval/lemma/smt_term.h"

enum { MAX_FOLDS = 20, MAX_GENERATION = 2, MAX_ANY = 24, EFFORT = 500000, MAX_PROBLEM = 1 << 20 };

/* A sum or maximum, which is an unknown number. */
typedef struct Fold {
  const OpenTerm *t;
  const char *name;
  uint32_t generation; /* it stands in what was said of one of the generation before */
} Fold;

/* How much is said of sums and maxima: the more, the more there is to try. */
typedef enum Strength { NOTHING, EQUALITIES, POSITIVE, VALUES } Strength; /* VALUES: also that both sides have one */

/* One question. */
typedef struct Question {
  OpenTerms *o;
  Strength strength;
  SmtText smt;
  Vec(Fold) folds;
  Vec(uint32_t) any; /* variables that stand for some index */
  Vec(uint32_t) vars, params;
  Vec(const OpenTerm *) whole, quotients; /* integers that are no sum; terms with a quotient of integers */
  uint32_t generation;
} Question;

static SmtTerm say(Question *q, const OpenTerm *t);

/* ---- terms ---- */

static bool seen(const uint32_t *at, size_t n, uint32_t x) {
  for (size_t i = 0; i < n; i++)
    if (at[i] == x) return true;
  return false;
}

static SmtTerm say_var(Question *q, uint32_t id) {
  const char *name = SMT_SAY(&q->smt, "v%u", id);
  if (!seen(q->vars.at, q->vars.len, id)) {
    vec_push(&q->vars, id);
    vec_push(&q->smt.declared, SMT_SAY(&q->smt, "(declare-const %s Int)", name));
  }
  return (SmtTerm){.is_int = true, .text = name};
}

static const char *sort(uint8_t type) { return type == OPEN_TRUTH ? "Bool" : type == OPEN_INT ? "Int" : "Real"; }

static SmtTerm typed(uint8_t type, const char *text) {
  return (SmtTerm){.is_bool = type == OPEN_TRUTH, .is_int = type == OPEN_INT, .text = text};
}

static SmtTerm say_read(Question *q, const OpenTerm *t) {
  SmtText *c = &q->smt;
  const char *at = "", *sorts = "";
  for (uint32_t i = 0; i < t->n; i++) {
    at = SMT_SAY(c, "%s %s", at, smt_integer(c, say(q, t->args[i])));
    sorts = SMT_SAY(c, "%sInt ", sorts);
  }
  if (!seen(q->params.at, q->params.len, t->id)) {
    vec_push(&q->params, t->id);
    vec_push(&c->declared, SMT_SAY(c, "(declare-fun x%u (%s) %s)", t->id, sorts, sort(t->type)));
  }
  return typed(t->type, t->n ? SMT_SAY(c, "(x%u%s)", t->id, at) : SMT_SAY(c, "x%u", t->id));
}

static SmtTerm say_fold(Question *q, const OpenTerm *t) {
  SmtText *c = &q->smt;
  for (size_t i = 0; i < q->folds.len; i++)
    if (open_equal(q->folds.at[i].t, t)) return typed(t->type, q->folds.at[i].name);
  Fold f = {t, SMT_SAY(c, "s%zu", q->folds.len), q->generation};
  vec_push(&c->declared, SMT_SAY(c, "(declare-const %s %s)", f.name, sort(t->type)));
  vec_push(&q->folds, f);
  return typed(t->type, f.name);
}

static bool is_quotient(const OpenTerm *t) {
  return t->id == FN_FLOORDIV || t->id == FN_MOD || t->id == FN_TRUNCDIV || t->id == FN_REM;
}

static void note(Question *q, const OpenTerm *t) {
  bool quotient = t->kind == OPEN_FN;
  for (size_t i = 0; i < (quotient ? q->quotients.len : q->whole.len); i++)
    if (open_equal(quotient ? q->quotients.at[i] : q->whole.at[i], t)) return;
  if (quotient) vec_push(&q->quotients, t);
  else vec_push(&q->whole, t);
}

static SmtTerm say_fn(Question *q, const OpenTerm *t) {
  if (is_quotient(t) && t->type == OPEN_INT) note(q, t);
  SmtTerm x[SMT_ARGS];
  for (uint32_t i = 0; i < t->n; i++) x[i] = say(q, t->args[i]);
  if (t->id == FN_EXP) return smt_exp(&q->smt, x[0]);
  if (t->id == FN_LOG) return smt_log(&q->smt, x[0]);
  if (t->id == FN_TANH) return smt_function(&q->smt, "tanh", x, 1);
  return smt_apply(&q->smt, (FnId)t->id, x, t->n);
}

static SmtTerm say_known(Question *q, const OpenTerm *t) {
  SmtText *c = &q->smt;
  switch ((OpenKind)t->kind) {
    case OPEN_NUMBER: return smt_number(t->k);
    case OPEN_VAR: return say_var(q, t->id);
    case OPEN_READ: return say_read(q, t);
    case OPEN_ADD: return smt_add(c, say(q, t->args[0]), say(q, t->args[1]));
    case OPEN_MUL: return smt_mul(c, say(q, t->args[0]), say(q, t->args[1]));
    case OPEN_POWER: return smt_rational_power(c, say(q, t->args[0]), t->k);
    case OPEN_FN: return say_fn(q, t);
    case OPEN_LESS: return typed(OPEN_TRUTH, smt_compared(c, "<", say(q, t->args[0]), say(q, t->args[1])));
    case OPEN_EQUAL: return typed(OPEN_TRUTH, smt_compared(c, "=", say(q, t->args[0]), say(q, t->args[1])));
    case OPEN_NOT: return typed(OPEN_TRUTH, SMT_SAY(c, "(not %s)", smt_truth(c, say(q, t->args[0]))));
    case OPEN_AND: {
      const char *x = smt_truth(c, say(q, t->args[0])), *y = smt_truth(c, say(q, t->args[1]));
      return typed(OPEN_TRUTH, SMT_SAY(c, "(and %s %s)", x, y));
    }
    case OPEN_IF: return smt_choice(c, smt_truth(c, say(q, t->args[0])), say(q, t->args[1]), say(q, t->args[2]));
    case OPEN_SUM:
    case OPEN_MAX: return say_fold(q, t);
  }
  return smt_number(RAT_0);
}

/* Whether it has a value is not asked: where it has none it is any. */
static SmtTerm say(Question *q, const OpenTerm *t) {
  if (q->smt.why || q->o->why) return smt_number(RAT_0);
  SmtTerm s = say_known(q, t);
  if ((t->kind == OPEN_VAR || t->kind == OPEN_READ) && t->type == OPEN_INT) note(q, t);
  s.defined = NULL;
  return s;
}

static void fact(Question *q, const char *text) { vec_push(&q->smt.facts, text); }
static const char *truth(Question *q, const OpenTerm *t) { return smt_truth(&q->smt, say(q, t)); }

/* ---- sums and maxima ---- */

static const OpenTerm *some_index(Question *q) {
  uint32_t id = OPEN_ANY + (uint32_t)q->any.len;
  vec_push(&q->any, id);
  return open_var(q->o, id);
}

static const char *within(Question *q, const OpenTerm *i, const OpenTerm *size) {
  SmtText *c = &q->smt;
  SmtTerm v = say(q, i);
  return SMT_SAY(c, "(and %s %s)", smt_compared(c, ">=", v, smt_number(RAT_0)), smt_compared(c, "<", v, say(q, size)));
}

/* Nothing adds up to 0; what is not 0 has an element that is not. */
static void nothing(Question *q, Fold f) {
  SmtText *c = &q->smt;
  const OpenTerm *d = some_index(q), *size = f.t->args[0];
  SmtTerm zero = smt_number(RAT_0), all = typed(f.t->type, f.name), one = say(q, open_at(q->o, f.t, d));
  fact(q, SMT_SAY(c, "(=> %s %s)", smt_compared(c, "<=", say(q, size), zero), smt_compared(c, "=", all, zero)));
  fact(q, SMT_SAY(c, "(or %s (and %s (not %s)))", smt_compared(c, "=", all, zero), within(q, d, size),
                  smt_compared(c, "=", one, zero)));
}

/* Positive elements, a positive sum. */
static void positive(Question *q, Fold f) {
  SmtText *c = &q->smt;
  const OpenTerm *d = some_index(q), *size = f.t->args[0];
  SmtTerm zero = smt_number(RAT_0), all = typed(f.t->type, f.name), one = say(q, open_at(q->o, f.t, d));
  fact(q, SMT_SAY(c, "(or %s %s (and %s %s))", smt_compared(c, "<=", say(q, size), zero),
                  smt_compared(c, ">", all, zero), within(q, d, size), smt_compared(c, "<=", one, zero)));
}

/* Some element is the maximum. */
static void attained(Question *q, Fold f) {
  SmtText *c = &q->smt;
  const OpenTerm *d = some_index(q), *size = f.t->args[0];
  const char *is = smt_compared(c, "=", typed(f.t->type, f.name), say(q, open_at(q->o, f.t, d)));
  fact(q, SMT_SAY(c, "(=> %s (and %s %s))", smt_compared(c, ">", say(q, size), smt_number(RAT_0)), within(q, d, size),
                  is));
}

/* No element is above it. */
static void bounded(Question *q, Fold f, const OpenTerm *i) {
  SmtText *c = &q->smt;
  const char *below = smt_compared(c, "<=", say(q, open_at(q->o, f.t, i)), typed(f.t->type, f.name));
  fact(q, SMT_SAY(c, "(=> %s %s)", within(q, i, f.t->args[0]), below));
}

/* Equal elements, equal sums. */
static void congruent(Question *q, Fold f, Fold g) {
  SmtText *c = &q->smt;
  const OpenTerm *d = some_index(q);
  const char *same = smt_compared(c, "=", typed(f.t->type, f.name), typed(g.t->type, g.name));
  const char *sizes = smt_compared(c, "=", say(q, f.t->args[0]), say(q, g.t->args[0]));
  const char *elements = smt_compared(c, "=", say(q, open_at(q->o, f.t, d)), say(q, open_at(q->o, g.t, d)));
  fact(q, SMT_SAY(c, "(or %s (not %s) (and %s (not %s)))", same, sizes, within(q, d, f.t->args[0]), elements));
}

/* The sum up to n + 1, where its size happens to be that. */
static void one_more(Question *q, Fold f, const OpenTerm *n) {
  SmtText *c = &q->smt;
  const OpenTerm *size = f.t->args[0], *next = open_add(q->o, n, open_number(q->o, RAT_1));
  if (open_equal(size, n) || f.t->kind != OPEN_SUM || open_has(f.t->args[1], n->id)) return;
  const OpenTerm *most = open_fold(q->o, OPEN_SUM, f.t->id, n, f.t->args[1]);
  SmtTerm whole = say(q, open_add(q->o, most, open_at(q->o, f.t, n)));
  fact(q, SMT_SAY(c, "(=> %s %s)", smt_compared(c, "=", say(q, size), say(q, next)),
                  smt_compared(c, "=", typed(f.t->type, f.name), whole)));
}

/* With one element more at the end, the sum is the first element and the sum of those after it. */
static void shifted(Question *q, Fold f, const OpenTerm *n) {
  SmtText *c = &q->smt;
  OpenTerms *o = q->o;
  if (o->level < OPEN_POINT || f.t->kind != OPEN_SUM || f.generation || !open_equal(f.t->args[0], n)) return;
  uint32_t i = OPEN_BOUND + f.t->depth;
  const OpenTerm *after = open_at(o, f.t, open_add(o, open_var(o, i), open_number(o, RAT_1)));
  SmtTerm more = smt_add(c, typed(f.t->type, f.name), say(q, open_at(o, f.t, n)));
  SmtTerm first = say(q, open_add(o, open_at(o, f.t, open_number(o, RAT_0)), open_fold(o, OPEN_SUM, i, n, after)));
  fact(q, SMT_SAY(c, "(=> %s %s)", smt_compared(c, ">=", say(q, n), smt_number(RAT_0)),
                  smt_compared(c, "=", more, first)));
}

/* Sums of the same elements, one up to a larger size: the rest follows, its elements counted from there. */
static void longer(Question *q, Fold f, Fold g) {
  SmtText *c = &q->smt;
  const OpenTerm *n = f.t->args[0], *m = g.t->args[0], *one = open_number(q->o, RAT_1);
  if (f.t->kind != OPEN_SUM || !open_equal(f.t->args[1], g.t->args[1])) return;
  SmtTerm whole = typed(f.t->type, f.name), part = typed(g.t->type, g.name), zero = smt_number(RAT_0);
  SmtTerm next = smt_add(c, part, say(q, open_at(q->o, f.t, m)));
  fact(q, SMT_SAY(c, "(=> (and %s %s) %s)", smt_compared(c, ">=", say(q, m), zero),
                  smt_compared(c, "=", say(q, n), say(q, open_add(q->o, m, one))), smt_compared(c, "=", whole, next)));
  if (q->o->level < OPEN_POINT) return;
  uint32_t i = OPEN_BOUND + f.t->depth;
  const OpenTerm *body = open_at(q->o, f.t, open_add(q->o, m, open_var(q->o, i)));
  SmtTerm rest = smt_add(c, part, say(q, open_fold(q->o, OPEN_SUM, i, open_sub(q->o, n, m), body)));
  fact(q, SMT_SAY(c, "(=> (and %s %s) %s)", smt_compared(c, ">=", say(q, m), zero),
                  smt_compared(c, "<=", say(q, m), say(q, n)), smt_compared(c, "=", whole, rest)));
}

/* Where no element is negative, the sum is not below an element. */
static void above(Question *q, Fold f, const OpenTerm *i) {
  SmtText *c = &q->smt;
  SmtTerm all = typed(f.t->type, f.name), zero = smt_number(RAT_0);
  const OpenTerm *d = some_index(q), *size = f.t->args[0];
  const char *negative = smt_compared(c, "<", say(q, open_at(q->o, f.t, d)), zero);
  const char *least = smt_compared(c, ">=", all, say(q, open_at(q->o, f.t, i)));
  fact(q, SMT_SAY(c, "(or (and %s %s) (and %s (=> %s %s)))", within(q, d, size), negative,
                  smt_compared(c, ">=", all, zero), within(q, i, size), least));
}

/* x / d rounded down is h if d h <= x < d h + d: Z3 finds no products of unknowns by itself. */
static void divided(Question *q, const OpenTerm *t, const OpenTerm *h) {
  SmtText *c = &q->smt;
  SmtTerm x = say(q, t->args[0]), d = say(q, t->args[1]), low = smt_mul(c, d, say(q, h));
  const char *fits = SMT_SAY(c, "(and %s %s %s)", smt_compared(c, ">", d, smt_number(RAT_0)),
                             smt_compared(c, "<=", low, x), smt_compared(c, "<", x, smt_add(c, low, d)));
  SmtTerm quotient = smt_floor(c, x, d);
  quotient.defined = NULL;
  fact(q, SMT_SAY(c, "(=> %s %s)", fits, smt_compared(c, "=", quotient, say(q, h))));
}

/* What is known of the sums and maxima that were met; n: the size of an induction, or NULL. */
static void tell(Question *q, const OpenTerm *n) {
  size_t bounds = 0; /* maxima by indices that are told */
  for (size_t i = 0; i < q->folds.len && i < MAX_FOLDS && !q->smt.why && !q->o->why; i++) {
    Fold f = q->folds.at[i];
    q->generation = f.generation + 1;
    if (q->generation > MAX_GENERATION || q->any.len > MAX_ANY) continue;
    if (f.t->kind == OPEN_SUM) nothing(q, f);
    else attained(q, f);
    if (f.t->kind == OPEN_SUM && q->strength >= POSITIVE && !f.generation) positive(q, f);
    if (n) {
      one_more(q, f, n);
      shifted(q, f, n);
    }
    for (size_t j = 0; j < i; j++) {
      Fold g = q->folds.at[j];
      if (g.t->kind != f.t->kind || q->any.len > MAX_ANY) continue;
      congruent(q, f, g);
      longer(q, f, g);
      longer(q, g, f);
    }
  }
  for (size_t i = 0; i < q->folds.len && i < MAX_FOLDS && !q->smt.why; i++) {
    Fold f = q->folds.at[i];
    if (f.generation) continue;
    for (size_t v = 0; v < q->vars.len && bounds < MAX_FOLDS * MAX_ANY; v++, bounds++) {
      const OpenTerm *at = open_var(q->o, q->vars.at[v]);
      if (f.t->kind == OPEN_MAX && at->id >= OPEN_INDEX) bounded(q, f, at);
      if (f.t->kind == OPEN_SUM && f.t->type == OPEN_INT && at->id >= OPEN_INDEX && at->id < OPEN_ANY) above(q, f, at);
    }
  }
}

/* ---- questions ---- */

static void hold(Question *q, const OpenLemma *l, uint32_t var, const OpenTerm *by, const OpenTerm *last) {
  for (size_t i = 0; i < l->where.len; i++)
    fact(q, truth(q, by ? open_put(q->o, l->where.at[i], var, by, last) : l->where.at[i]));
}

/* The lemma at a size, as it stands. */
static void suppose(Question *q, const OpenLemma *l) {
  SmtText *c = &q->smt;
  const char *where = "true";
  for (size_t i = 0; i < l->where.len; i++) where = smt_both(c, where, truth(q, l->where.at[i]));
  fact(q, SMT_SAY(c, "(=> %s %s)", where, smt_compared(c, "=", say(q, l->left), say(q, l->right))));
}

static void differ(Question *q, const OpenTerm *x, const OpenTerm *y) {
  fact(q, SMT_SAY(&q->smt, "(not %s)", smt_compared(&q->smt, "=", say(q, x), say(q, y))));
}

/* The text of the question; NULL: it cannot be asked. */
static const char *finish(Question *q, const OpenTerm *n, Arena *a) {
  if (q->strength > NOTHING) tell(q, n);
  for (size_t i = 0; i < q->quotients.len && i < MAX_FOLDS; i++)
    for (size_t k = 0; k < q->whole.len && k < MAX_FOLDS; k++) divided(q, q->quotients.at[i], q->whole.at[k]);
  smt_relate(&q->smt);
  char *text = NULL;
  if (!q->smt.why && !q->o->why) {
    size_t size = 256, at = 0;
    for (size_t i = 0; i < q->smt.declared.len; i++) size += strlen(q->smt.declared.at[i]) + 2;
    for (size_t i = 0; i < q->smt.facts.len; i++) size += strlen(q->smt.facts.at[i]) + 16;
    if (size < MAX_PROBLEM) {
      text = arena_alloc(a, size);
#define PUT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
      PUT("(set-option :rlimit %d)\n", EFFORT);
      for (size_t i = 0; i < q->smt.declared.len; i++) PUT("%s\n", q->smt.declared.at[i]);
      for (size_t i = 0; i < q->smt.facts.len; i++) PUT("(assert %s)\n", q->smt.facts.at[i]);
      PUT("(check-sat)\n(reset)\n");
#undef PUT
    }
  }
  vec_free(&q->smt.unknowns);
  vec_free(&q->smt.facts);
  vec_free(&q->smt.declared);
  vec_free(&q->folds);
  vec_free(&q->any);
  vec_free(&q->vars);
  vec_free(&q->params);
  vec_free(&q->whole);
  vec_free(&q->quotients);
  return text;
}

static const char *direct(OpenTerms *o, const OpenLemma *l, Strength s, Arena *a) {
  Question q = {.o = o, .strength = s, .smt = {.a = a}};
  hold(&q, l, 0, NULL, NULL);
  differ(&q, l->left, l->right);
  return finish(&q, NULL, a);
}

/* Where the size is 0; and where it is n + 1, if it holds at n. */
static const char *induction(OpenTerms *o, const OpenLemma *l, uint32_t size, Strength s, Arena *a) {
  const OpenTerm *zero = open_number(o, RAT_0), *n = open_var(o, size);
  const OpenTerm *next = open_add(o, n, open_number(o, RAT_1));
  Question base = {.o = o, .strength = s, .smt = {.a = a}}, step = base;
  hold(&base, l, size, zero, NULL);
  differ(&base, open_put(o, l->left, size, zero, NULL), open_put(o, l->right, size, zero, NULL));
  const char *first = finish(&base, NULL, a);
  fact(&step, truth(&step, open_not(o, open_compare(o, OPEN_LESS, n, zero))));
  hold(&step, l, size, next, next);
  suppose(&step, l);
  differ(&step, open_put(o, l->left, size, next, next), open_put(o, l->right, size, next, next));
  const char *second = finish(&step, n, a);
  return first && second ? arena_printf(a, "%s%s", first, second) : NULL;
}

enum { MAX_PROBLEMS = 64 };

typedef struct Problem {
  const char *text, *how;
  uint32_t assumptions;
} Problem;

typedef struct Problems {
  uint32_t n;
  Problem at[MAX_PROBLEMS];
} Problems;

static void add(Problems *p, const char *text, const char *how, uint32_t assumptions) {
  for (uint32_t i = 0; text && i < p->n; i++) /* where there is no more to be said */
    if (!strcmp(p->at[i].text, text)) return;
  if (text && p->n < MAX_PROBLEMS) p->at[p->n++] = (Problem){text, how, assumptions};
}

static void at_level(const Shapes *s, const Library *library, OpenLevel level, Strength strength, Problems *p,
                     Arena *a) {
  OpenTerms o = {.a = a, .level = level};
  OpenLemma l = {0};
  if (open_lemma(&o, s, library, &l) && (strength < VALUES || l.assumptions)) {
    uint32_t assumptions = strength == VALUES ? l.assumptions : 0;
    for (size_t i = 0; strength == VALUES && i < l.value.len; i++) vec_push(&l.where, l.value.at[i]);
    add(p, direct(&o, &l, strength, a), "", assumptions);
    for (size_t i = 0; i < l.sizes.len && !o.why; i++)
      add(p, induction(&o, &l, l.sizes.at[i], strength, a),
          arena_printf(a, "by induction on %s", sym_text(s->names[l.sizes.at[i]])), assumptions);
  }
  vec_free(&l.where);
  vec_free(&l.sizes);
  vec_free(&l.value);
}

const char *allsizes_prove(const Shapes *s, const Library *library, SolverLimits limits, Arena *a,
                           uint32_t *assumptions) {
  Problems p = {0};
  const char *text[MAX_PROBLEMS];
  int least = library_is_law(library, s->item) ? OPEN_PLAIN : OPEN_POINT; /* laws of sums rest on less than they say */
  for (int strength = NOTHING; strength <= VALUES; strength++)
    for (int level = least; level <= OPEN_POINT; level++)
      at_level(s, library, (OpenLevel)level, (Strength)strength, &p, a);
  for (uint32_t i = 0; i < p.n; i++) text[i] = p.at[i].text;
  int first = solver_first(text, p.n, limits, a);
  if (first < 0) return NULL;
  *assumptions = p.at[first].assumptions;
  return p.at[first].how;
}
