/* open: see open.h. */
#include "eval/lemma/open.h"

#include <string.h>

enum { MAX_STEPS = 20000, MAX_WEIGHT = 20000, MAX_WRITTEN = 4, MAX_FACTORS = 12 };

static const OpenTerm *make(OpenTerms *o, OpenTerm t) {
  t.depth = 0;
  t.weight = 1;
  for (uint32_t i = 0; i < t.n; i++) {
    if (t.args[i]->depth > t.depth) t.depth = t.args[i]->depth;
    t.weight += t.args[i]->weight;
  }
  if ((++o->steps > MAX_STEPS || t.weight > MAX_WEIGHT) && !o->why) o->why = "it becomes too large";
  if (t.weight > MAX_WEIGHT) t.weight = MAX_WEIGHT;
  if (t.kind == OPEN_SUM || t.kind == OPEN_MAX) t.depth++;
  return arena_copy(o->a, &t, sizeof t);
}

static const OpenTerm *make_of(OpenTerms *o, OpenTerm t, const OpenTerm *x, const OpenTerm *y, const OpenTerm *z) {
  const OpenTerm *args[] = {x, y, z};
  t.n = z ? 3 : y ? 2 : 1;
  t.args = arena_copy(o->a, args, t.n * sizeof *args);
  return make(o, t);
}

static bool is_number(const OpenTerm *t, Rat k) { return t->kind == OPEN_NUMBER && t->k == k; }

const OpenTerm *open_number(OpenTerms *o, Rat k) {
  return make(o, (OpenTerm){.kind = OPEN_NUMBER, .type = rat_is_int(k) ? OPEN_INT : OPEN_REAL, .k = k});
}

const OpenTerm *open_var(OpenTerms *o, uint32_t id) {
  return make(o, (OpenTerm){.kind = OPEN_VAR, .type = OPEN_INT, .id = id});
}

const OpenTerm *open_read(OpenTerms *o, uint32_t param, OpenType type, const OpenTerm *const *at, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (at[i]->type == OPEN_REAL && !o->why) o->why = "a position that is not known to be an integer";
  return make(
      o,
      (OpenTerm){
          .kind = OPEN_READ, .type = (uint8_t)type, .id = param, .n = n, .args = arena_copy(o->a, at, n * sizeof *at)});
}

static OpenType joined(const OpenTerm *x, const OpenTerm *y) {
  return x->type == OPEN_REAL || y->type == OPEN_REAL ? OPEN_REAL : OPEN_INT;
}

const OpenTerm *open_add(OpenTerms *o, const OpenTerm *x, const OpenTerm *y) {
  if (x->kind == OPEN_NUMBER && y->kind == OPEN_NUMBER) return open_number(o, rat_add(x->k, y->k));
  if (is_number(x, RAT_0)) return y;
  if (is_number(y, RAT_0)) return x;
  if (x->kind == OPEN_NUMBER) return open_add(o, y, x);
  if (x->kind == OPEN_ADD && x->args[1]->kind == OPEN_NUMBER) { /* numbers go last, as one */
    if (y->kind == OPEN_NUMBER) return open_add(o, x->args[0], open_number(o, rat_add(x->args[1]->k, y->k)));
    return open_add(o, open_add(o, x->args[0], y), x->args[1]);
  }
  return make_of(o, (OpenTerm){.kind = OPEN_ADD, .type = joined(x, y)}, x, y, NULL);
}

/* exp(t) ^ k, which is never 0. */
static bool is_exp(const OpenTerm *t, const OpenTerm **base, Rat *k) {
  bool power = t->kind == OPEN_POWER && rat_is_int(t->k);
  *base = power ? t->args[0] : t;
  *k = power ? t->k : RAT_1;
  return (*base)->kind == OPEN_FN && (*base)->id == FN_EXP;
}

/* x, a product, with base ^ k besides; NULL: none of its factors is a power of the base. */
static const OpenTerm *take_in(OpenTerms *o, const OpenTerm *x, const OpenTerm *base, Rat k) {
  const OpenTerm *own, *part;
  Rat m;
  if (is_exp(x, &own, &m)) return open_equal(own, base) ? open_power(o, base, rat_add(m, k)) : NULL;
  if (x->kind != OPEN_MUL) return NULL;
  if ((part = take_in(o, x->args[0], base, k))) return open_mul(o, part, x->args[1]);
  if ((part = take_in(o, x->args[1], base, k))) return open_mul(o, x->args[0], part);
  return NULL;
}

/* What is left of the factors of y when x has taken in its exponentials. */
static const OpenTerm *give(OpenTerms *o, const OpenTerm **x, const OpenTerm *y) {
  const OpenTerm *base, *taken;
  Rat k;
  if (is_exp(y, &base, &k)) {
    if (!(taken = take_in(o, *x, base, k))) return y;
    *x = taken;
    return open_number(o, RAT_1);
  }
  if (y->kind != OPEN_MUL) return y;
  const OpenTerm *left = give(o, x, y->args[0]), *right = give(o, x, y->args[1]);
  return left == y->args[0] && right == y->args[1] ? y : open_mul(o, left, right);
}

const OpenTerm *open_mul(OpenTerms *o, const OpenTerm *x, const OpenTerm *y) {
  if (x->kind == OPEN_NUMBER && y->kind == OPEN_NUMBER) return open_number(o, rat_mul(x->k, y->k));
  if (is_number(x, RAT_0) || is_number(y, RAT_1)) return x;
  if (is_number(y, RAT_0) || is_number(x, RAT_1)) return y;
  if (y->kind == OPEN_NUMBER) return open_mul(o, y, x);
  if (x->kind == OPEN_NUMBER && y->kind == OPEN_MUL && y->args[0]->kind == OPEN_NUMBER)
    return open_mul(o, open_number(o, rat_mul(x->k, y->args[0]->k)), y->args[1]);
  const OpenTerm *rest = give(o, &x, y);
  if (rest != y) return open_mul(o, x, rest);
  OpenType type = x->type == OPEN_TRUTH && y->type == OPEN_TRUTH ? OPEN_TRUTH : joined(x, y);
  return make_of(o, (OpenTerm){.kind = OPEN_MUL, .type = type}, x, y, NULL);
}

const OpenTerm *open_sub(OpenTerms *o, const OpenTerm *x, const OpenTerm *y) {
  return open_add(o, x, open_mul(o, open_number(o, RAT_NEG1), y));
}

const OpenTerm *open_power(OpenTerms *o, const OpenTerm *x, Rat k) {
  int64_t n;
  if (k == RAT_1) return x;
  if (k == RAT_0) return open_number(o, RAT_1);
  if (x->kind == OPEN_NUMBER && x->k != RAT_0 && k == RAT_NEG1) return open_number(o, rat_inv(x->k));
  const OpenTerm *base;
  Rat m;
  if (x->kind == OPEN_MUL && rat_is_int(k))
    return open_mul(o, open_power(o, x->args[0], k), open_power(o, x->args[1], k));
  if (x->kind == OPEN_POWER && rat_is_int(k) && is_exp(x, &base, &m)) return open_power(o, base, rat_mul(m, k));
  OpenType type = rat_to_int(k, &n) && n > 0 && x->type != OPEN_REAL ? OPEN_INT : OPEN_REAL;
  return make_of(o, (OpenTerm){.kind = OPEN_POWER, .type = type, .k = k}, x, NULL, NULL);
}

typedef struct Factors {
  const OpenTerm *at[MAX_FACTORS];
  uint32_t n;
  bool more;
} Factors;

static void factors(const OpenTerm *t, Factors *f) {
  int64_t n;
  if (t->kind == OPEN_MUL || t->kind == OPEN_AND) {
    factors(t->args[0], f);
    factors(t->args[1], f);
  } else if (t->kind == OPEN_POWER && rat_to_int(t->k, &n) && n > 1 && n <= MAX_WRITTEN) {
    for (int64_t i = 0; i < n; i++) factors(t->args[0], f);
  } else if (f->n == MAX_FACTORS) {
    f->more = true;
  } else {
    f->at[f->n++] = t;
  }
}

/* exp of a sum is a product, of an integer multiple a power, of a logarithm its argument. */
static const OpenTerm *exp_of(OpenTerms *o, const OpenTerm *x) {
  int64_t n;
  if (is_number(x, RAT_0)) return open_number(o, RAT_1);
  if (x->kind == OPEN_ADD) return open_mul(o, exp_of(o, x->args[0]), exp_of(o, x->args[1]));
  if (x->kind == OPEN_MUL && x->args[0]->kind == OPEN_NUMBER && rat_to_int(x->args[0]->k, &n))
    return open_power(o, exp_of(o, x->args[1]), x->args[0]->k);
  if (x->kind == OPEN_FN && x->id == FN_LOG) return x->args[0];
  return make_of(o, (OpenTerm){.kind = OPEN_FN, .id = FN_EXP}, x, NULL, NULL);
}

/* log of a product with exponentials is a sum, of an inverse the negative. */
static const OpenTerm *log_of(OpenTerms *o, const OpenTerm *x) {
  const OpenTerm *base, *out = open_number(o, RAT_0), *rest = open_number(o, RAT_1);
  Rat k;
  Factors f = {.n = 0};
  factors(x, &f);
  for (uint32_t i = 0; i < f.n; i++) {
    if (is_exp(f.at[i], &base, &k)) out = open_add(o, out, open_mul(o, open_number(o, k), base->args[0]));
    else rest = open_mul(o, rest, f.at[i]);
  }
  if (f.more) rest = x, out = open_number(o, RAT_0);
  if (is_number(rest, RAT_1)) return out;
  bool inverse = rest->kind == OPEN_POWER && rest->k == RAT_NEG1;
  const OpenTerm *log =
      make_of(o, (OpenTerm){.kind = OPEN_FN, .id = FN_LOG}, inverse ? rest->args[0] : rest, NULL, NULL);
  return open_add(o, inverse ? open_mul(o, open_number(o, RAT_NEG1), log) : log, out);
}

const OpenTerm *open_fn(OpenTerms *o, FnId fn, const OpenTerm *const *args, uint32_t n) {
  if (fn == FN_EXP) return exp_of(o, args[0]);
  if (fn == FN_LOG) return log_of(o, args[0]);
  bool whole = fn_values(fn) != FN_REAL;
  for (uint32_t i = 0; i < n && fn_values(fn) == FN_KEEP; i++) whole &= args[i]->type != OPEN_REAL;
  return make(o, (OpenTerm){.kind = OPEN_FN,
                            .type = whole ? OPEN_INT : OPEN_REAL,
                            .id = fn,
                            .n = n,
                            .args = arena_copy(o->a, args, n * sizeof *args)});
}

const OpenTerm *open_compare(OpenTerms *o, OpenKind kind, const OpenTerm *x, const OpenTerm *y) {
  if (x->kind == OPEN_NUMBER && y->kind == OPEN_NUMBER) {
    int c = rat_cmp(x->k, y->k);
    return open_number(o, rat_int(kind == OPEN_LESS ? c < 0 : c == 0));
  }
  if (open_equal(x, y)) return open_number(o, rat_int(kind == OPEN_EQUAL));
  if (kind == OPEN_EQUAL && x->type == OPEN_TRUTH && is_number(y, RAT_1)) return x;
  if (kind == OPEN_EQUAL && x->type == OPEN_TRUTH && is_number(y, RAT_0)) return open_not(o, x);
  return make_of(o, (OpenTerm){.kind = (uint8_t)kind, .type = OPEN_TRUTH}, x, y, NULL);
}

const OpenTerm *open_not(OpenTerms *o, const OpenTerm *x) {
  if (x->kind == OPEN_NUMBER) return open_number(o, x->k == RAT_0 ? RAT_1 : RAT_0);
  if (x->kind == OPEN_NOT) return x->args[0];
  return make_of(o, (OpenTerm){.kind = OPEN_NOT, .type = OPEN_TRUTH}, x, NULL, NULL);
}

const OpenTerm *open_and(OpenTerms *o, const OpenTerm *x, const OpenTerm *y) {
  if (x->kind == OPEN_NUMBER) return x->k == RAT_0 ? x : y;
  if (y->kind == OPEN_NUMBER) return y->k == RAT_0 ? y : x;
  return make_of(o, (OpenTerm){.kind = OPEN_AND, .type = OPEN_TRUTH}, x, y, NULL);
}

static bool is_truth(const OpenTerm *t) { return t->type == OPEN_TRUTH || is_number(t, RAT_0) || is_number(t, RAT_1); }

const OpenTerm *open_if(OpenTerms *o, const OpenTerm *p, const OpenTerm *x, const OpenTerm *y) {
  if (p->kind == OPEN_NUMBER) return p->k == RAT_0 ? y : x;
  if (p->type == OPEN_TRUTH && is_number(x, RAT_1) && is_number(y, RAT_0)) return p;
  if (open_equal(x, y)) return x;
  OpenType type = is_truth(x) && is_truth(y) ? OPEN_TRUTH : joined(x, y);
  return make_of(o, (OpenTerm){.kind = OPEN_IF, .type = type}, p, x, y);
}

bool open_equal(const OpenTerm *x, const OpenTerm *y) {
  if (x == y) return true;
  if (x->kind != y->kind || x->id != y->id || x->k != y->k || x->n != y->n) return false;
  for (uint32_t i = 0; i < x->n; i++)
    if (!open_equal(x->args[i], y->args[i])) return false;
  return true;
}

bool open_has(const OpenTerm *t, uint32_t var) {
  if (t->kind == OPEN_VAR) return t->id == var;
  for (uint32_t i = 0; i < t->n; i++)
    if (open_has(t->args[i], var)) return true;
  return false;
}

/* ---- sums ---- */

/* t is k * var + rest. */
static bool linear(OpenTerms *o, const OpenTerm *t, uint32_t var, Rat *k, const OpenTerm **rest) {
  Rat k2;
  const OpenTerm *r2;
  *k = RAT_0;
  *rest = t;
  if (!open_has(t, var)) return true;
  switch (t->kind) {
    case OPEN_VAR: *k = RAT_1, *rest = open_number(o, RAT_0); return true;
    case OPEN_ADD:
      if (!linear(o, t->args[0], var, k, rest) || !linear(o, t->args[1], var, &k2, &r2)) return false;
      *k = rat_add(*k, k2);
      *rest = open_add(o, *rest, r2);
      return true;
    case OPEN_MUL:
      if (t->args[0]->kind != OPEN_NUMBER || !linear(o, t->args[1], var, k, rest)) return false;
      *k = rat_mul(t->args[0]->k, *k);
      *rest = open_mul(o, t->args[0], *rest);
      return true;
    default: return false;
  }
}

/* The integer that var must be where the equation holds, or NULL. */
static const OpenTerm *solved(OpenTerms *o, const OpenTerm *equation, uint32_t var) {
  Rat k;
  const OpenTerm *rest;
  if (equation->kind != OPEN_EQUAL || equation->args[0]->type == OPEN_REAL || equation->args[1]->type == OPEN_REAL)
    return NULL;
  if (!linear(o, open_sub(o, equation->args[0], equation->args[1]), var, &k, &rest)) return NULL;
  if (k == RAT_1) return open_mul(o, open_number(o, RAT_NEG1), rest);
  return k == RAT_NEG1 ? rest : NULL;
}

static const OpenTerm *product(OpenTerms *o, const Factors *f, uint32_t without) {
  const OpenTerm *p = open_number(o, RAT_1);
  for (uint32_t i = 0; i < f->n; i++)
    if (i != without) p = open_mul(o, p, f->at[i]);
  return p;
}

static const OpenTerm *in_range(OpenTerms *o, const OpenTerm *x, const OpenTerm *size) {
  const OpenTerm *below = open_compare(o, OPEN_LESS, x, open_number(o, RAT_0));
  return open_and(o, open_not(o, below), open_compare(o, OPEN_LESS, x, size));
}

/* Where var has to be below (*from = false) or from where on, if the comparison holds; or NULL. */
static const OpenTerm *limit_of(OpenTerms *o, const OpenTerm *t, uint32_t var, bool *from) {
  Rat k;
  const OpenTerm *rest, *less = t->kind == OPEN_NOT ? t->args[0] : t;
  if (less->kind != OPEN_LESS || less->args[0]->type == OPEN_REAL || less->args[1]->type == OPEN_REAL) return NULL;
  if (!linear(o, open_sub(o, less->args[0], less->args[1]), var, &k, &rest)) return NULL;
  if (k != RAT_1 && k != RAT_NEG1) return NULL;
  *from = (t->kind == OPEN_NOT) == (k == RAT_1);
  return k == RAT_1 ? open_mul(o, open_number(o, RAT_NEG1), rest) : open_add(o, rest, open_number(o, RAT_1));
}

/* A sum over the part of a range below a limit, or from it on. */
static const OpenTerm *sum_of_part(OpenTerms *o, uint32_t var, const OpenTerm *size, const OpenTerm *limit, bool from,
                                   const OpenTerm *body) {
  const OpenTerm *zero = open_number(o, RAT_0);
  const OpenTerm *most = open_if(o, open_compare(o, OPEN_LESS, limit, size), limit, size);
  const OpenTerm *at = open_if(o, open_compare(o, OPEN_LESS, limit, zero), zero, most);
  if (!from) return open_fold(o, OPEN_SUM, var, at, body);
  return open_fold(o, OPEN_SUM, var, open_sub(o, size, at),
                   open_put(o, body, var, open_add(o, open_var(o, var), at), NULL));
}

/* The sum over var of a product, or NULL: no law of the level applies. */
static const OpenTerm *sum_of(OpenTerms *o, uint32_t var, const OpenTerm *size, const OpenTerm *body) {
  if (o->level == OPEN_PLAIN) return NULL;
  if (!open_has(body, var))
    return open_mul(o, open_if(o, in_range(o, open_number(o, RAT_0), size), size, open_number(o, RAT_0)), body);
  if (body->kind == OPEN_ADD)
    return open_add(o, open_fold(o, OPEN_SUM, var, size, body->args[0]),
                    open_fold(o, OPEN_SUM, var, size, body->args[1]));
  bool from;
  const OpenTerm *limit = o->level >= OPEN_POINT ? limit_of(o, body, var, &from) : NULL;
  if (limit) return sum_of_part(o, var, size, limit, from, open_number(o, RAT_1));
  if (body->kind == OPEN_NOT)
    return open_sub(o, open_fold(o, OPEN_SUM, var, size, open_number(o, RAT_1)),
                    open_fold(o, OPEN_SUM, var, size, body->args[0]));
  if (body->kind == OPEN_IF && body->args[0]->type == OPEN_TRUTH)
    return open_add(o, open_fold(o, OPEN_SUM, var, size, open_mul(o, body->args[0], body->args[1])),
                    open_fold(o, OPEN_SUM, var, size, open_mul(o, open_not(o, body->args[0]), body->args[2])));
  if (body->kind != OPEN_MUL && body->kind != OPEN_AND && body->kind != OPEN_EQUAL && body->kind != OPEN_POWER)
    return NULL;
  Factors f = {.n = 0};
  factors(body, &f);
  for (uint32_t i = 0; i < f.n && !f.more; i++) {
    const OpenTerm *rest = product(o, &f, i);
    if (!open_has(f.at[i], var)) return open_mul(o, f.at[i], open_fold(o, OPEN_SUM, var, size, rest));
    if (f.n > 1 && f.at[i]->kind == OPEN_ADD)
      return open_add(o, open_fold(o, OPEN_SUM, var, size, open_mul(o, rest, f.at[i]->args[0])),
                      open_fold(o, OPEN_SUM, var, size, open_mul(o, rest, f.at[i]->args[1])));
    if (f.n > 1 && f.at[i]->kind == OPEN_IF && f.at[i]->args[0]->type == OPEN_TRUTH)
      return open_fold(
          o, OPEN_SUM, var, size,
          open_if(o, f.at[i]->args[0], open_mul(o, rest, f.at[i]->args[1]), open_mul(o, rest, f.at[i]->args[2])));
    const OpenTerm *at = o->level >= OPEN_POINT ? solved(o, f.at[i], var) : NULL;
    if (at) return open_mul(o, in_range(o, at, size), open_put(o, rest, var, at, NULL));
    limit = o->level >= OPEN_POINT ? limit_of(o, f.at[i], var, &from) : NULL;
    if (limit) return sum_of_part(o, var, size, limit, from, rest);
  }
  return NULL;
}

/* Whether the first position that is linear in var grows (1) or falls (-1) with it; 0: there is none. */
static int runs(OpenTerms *o, const OpenTerm *t, uint32_t var) {
  Rat k;
  const OpenTerm *rest;
  int way = 0;
  for (uint32_t i = 0; i < t->n && !way; i++) {
    if (t->kind == OPEN_READ && linear(o, t->args[i], var, &k, &rest) && rat_sign(k)) way = rat_sign(k);
    else way = runs(o, t->args[i], var);
  }
  return way;
}

const OpenTerm *open_fold(OpenTerms *o, OpenKind kind, uint32_t var, const OpenTerm *size, const OpenTerm *body) {
  int64_t n;
  if (o->why) return open_number(o, RAT_0);
  if (size->kind == OPEN_NUMBER && rat_to_int(size->k, &n) && n <= MAX_WRITTEN && (n > 0 || kind == OPEN_SUM)) {
    const OpenTerm *all = open_number(o, RAT_0);
    for (int64_t i = 0; i < n; i++) {
      const OpenTerm *one = open_put(o, body, var, open_number(o, rat_int(i)), NULL);
      if (kind == OPEN_SUM) all = open_add(o, all, one);
      else all = i ? open_fn(o, FN_MAXIMUM, (const OpenTerm *[]){all, one}, 2) : one;
    }
    return all;
  }
  const OpenTerm *simpler = kind == OPEN_SUM ? sum_of(o, var, size, body) : NULL;
  if (simpler) return simpler;
  if (o->level >= OPEN_POINT && runs(o, body, var) < 0) { /* from the last element to the first */
    const OpenTerm *last = open_sub(o, size, open_number(o, RAT_1));
    body = open_put(o, body, var, open_sub(o, last, open_var(o, var)), NULL);
  }
  uint32_t bound = OPEN_BOUND + body->depth;
  if (var != bound) body = open_put(o, body, var, open_var(o, bound), NULL);
  OpenType type = body->type == OPEN_REAL ? OPEN_REAL : OPEN_INT;
  return make_of(o, (OpenTerm){.kind = (uint8_t)kind, .type = type, .id = bound}, size, body, NULL);
}

const OpenTerm *open_at(OpenTerms *o, const OpenTerm *fold, const OpenTerm *at) {
  return open_put(o, fold->args[1], fold->id, at, NULL);
}

/* ---- substitution ---- */

/* The fold up to `size`, which is one more than another. */
static const OpenTerm *one_more(OpenTerms *o, const OpenTerm *t, const OpenTerm *last) {
  const OpenTerm *before = open_sub(o, last, open_number(o, RAT_1)), *end = open_at(o, t, before);
  const OpenTerm *most = open_fold(o, (OpenKind)t->kind, t->id, before, t->args[1]);
  if (t->kind == OPEN_SUM) return open_add(o, most, end);
  return open_if(o, open_compare(o, OPEN_EQUAL, before, open_number(o, RAT_0)), end,
                 open_fn(o, FN_MAXIMUM, (const OpenTerm *[]){most, end}, 2));
}

const OpenTerm *open_put(OpenTerms *o, const OpenTerm *t, uint32_t var, const OpenTerm *by, const OpenTerm *last) {
  if (o->why || (!last && !open_has(t, var))) return t;
  if (t->kind == OPEN_VAR) return t->id == var ? by : t;
  const OpenTerm **x = ARENA_ARRAY(o->a, const OpenTerm *, t->n + 1);
  for (uint32_t i = 0; i < t->n; i++) x[i] = open_put(o, t->args[i], var, by, last);
  switch ((OpenKind)t->kind) {
    case OPEN_NUMBER:
    case OPEN_VAR: return t;
    case OPEN_READ: return open_read(o, t->id, (OpenType)t->type, x, t->n);
    case OPEN_ADD: return open_add(o, x[0], x[1]);
    case OPEN_MUL: return open_mul(o, x[0], x[1]);
    case OPEN_POWER: return open_power(o, x[0], t->k);
    case OPEN_FN: return open_fn(o, (FnId)t->id, x, t->n);
    case OPEN_LESS:
    case OPEN_EQUAL: return open_compare(o, (OpenKind)t->kind, x[0], x[1]);
    case OPEN_NOT: return open_not(o, x[0]);
    case OPEN_AND: return open_and(o, x[0], x[1]);
    case OPEN_IF: return open_if(o, x[0], x[1], x[2]);
    case OPEN_SUM:
    case OPEN_MAX: {
      const OpenTerm *f = open_fold(o, (OpenKind)t->kind, t->id, x[0], x[1]);
      bool up_to = last && f->kind == t->kind && f->n == 2 && open_equal(f->args[0], last);
      return up_to ? one_more(o, f, last) : f;
    }
  }
  return t;
}
