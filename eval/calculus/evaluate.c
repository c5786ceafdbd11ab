/* A class is evaluated at indices of its slots by its definition; results are kept per class in a table over its slots,
 * filled as they are asked for.  Nothing here makes classes or references. */
#include "eval/calculus/evaluate.h"

#include <math.h>
#include <string.h>

#include "eval/calculus/core.h"
#include "eval/exact/fn_eval.h"

enum { DEPTH = 4000, TABLE = 1 << 16, TOTAL = 1 << 24 };

typedef struct Known { /* of one class, over its slots */
  double *value;
  bool *have;
} Known;

struct Evaluation {
  const Calculus *c;
  EvaluateLeaf *leaf;
  void *context;
  uint64_t budget, stored;
  uint32_t depth;
  bool underflow;
  Known *known; /* by class */
  size_t n_known;
};

Evaluation *evaluate_new(const Calculus *c, EvaluateLeaf *leaf, void *context, uint64_t budget) {
  Evaluation *e = xcalloc(1, sizeof *e);
  *e = (Evaluation){.c = c, .leaf = leaf, .context = context, .budget = budget};
  return e;
}

void evaluate_reset(Evaluation *e, uint64_t budget) {
  for (size_t i = 0; i < e->n_known; i++) {
    free(e->known[i].value);
    free(e->known[i].have);
  }
  free(e->known);
  e->known = NULL;
  e->n_known = 0;
  e->stored = 0;
  e->budget = budget;
}

bool evaluate_spent(const Evaluation *e) { return !e->budget; }

void evaluate_free(Evaluation *e) {
  if (!e) return;
  evaluate_reset(e, 0);
  free(e);
}

void evaluate_underflow(Evaluation *e) { e->underflow = true; }

double evaluate_weight(uint64_t seed) { return (double)(mix(seed, 0x51ed) >> 40) / (double)(1 << 23) - 1; }

/* Too large to be told from infinity is undecided. */
static double bounded(double x, bool infinite) {
  if (!infinite && !(fabs(x) < 1e150)) return NAN;
  return x;
}

/* A product of factors that are not 0: neither is too small to be told from 0. */
static double bounded_product(double x, bool infinite) { return fabs(x) < 1e-150 ? NAN : bounded(x, infinite); }

static double power(double x, Rat p) {
  if (p == RAT_1) return x;
  if (isinf(x)) return rat_sign(p) > 0 && rat_is_int(p) ? fn_power_double(x, p) : NAN;
  if (x == 0) return rat_sign(p) < 0 ? NAN : 0;
  return bounded_product(fn_power_double(x, p), false);
}

/* 0 where the number is, and nothing else close to it. */
static double settled(double x) { return x != 0 && fabs(x) < 1e-9 ? NAN : x; }

/* ------------------------------------------------------------------ kinds */
static double arg_at(Evaluation *e, const Arg *a, const int64_t *at) {
  int64_t buf[16] = {0}, *ix = a->n <= 16 ? buf : xmalloc(a->n * sizeof *ix);
  for (uint32_t p = 0; p < a->n; p++) ix[p] = a->ix[p] >= 0 ? at[a->ix[p]] : -1 - (int64_t)a->ix[p];
  double v = evaluate_class(e, a->cls, ix);
  if (ix != buf) free(ix);
  return v;
}

static double table_at(const Calculus *c, const Class *x, const int64_t *at) {
  const Table *t = &c->tables.at[x->attr & 0x7fffffffu];
  uint64_t k = 0, h = t->n;
  bool inside = true;
  for (uint32_t i = 0; i < x->n_slots; i++) {
    inside = inside && at[i] >= 0 && at[i] < x->sizes[i];
    k = k * (uint64_t)x->sizes[i] + (uint64_t)at[i];
    h = mix(h, (uint64_t)at[i]);
  }
  if (!inside) return (x->flags & F_INTEGER) ? floor(50 * evaluate_weight(h)) : 5 * evaluate_weight(h);
  Rat v = t->values[k];
  if (v == RAT_POS_INF) return INFINITY;
  if (v == RAT_NEG_INF) return -INFINITY;
  return rat_is_finite(v) ? rat_to_double(v) : NAN;
}

static double linear(Evaluation *e, ClassId id, const int64_t *at) {
  double sum = 0, size = 0;
  bool infinite = false;
  for (uint32_t i = 0; i < cls(e->c, id)->n_args; i++) {
    Arg a = cls(e->c, id)->args[i];
    if (a.tag == RAT_0) continue;
    double v = rat_to_double(a.tag) * arg_at(e, &a, at);
    if (isnan(v)) return v;
    infinite |= isinf(v) != 0;
    sum += v;
    size += fabs(v);
  }
  if (!infinite && sum != 0 && fabs(sum) < 1e-11 * size) return NAN; /* rounding, or nearly 0 */
  return bounded(sum, infinite);
}

static double product_at(Evaluation *e, ClassId id, const int64_t *at) {
  double out = 1;
  bool infinite = false, undefined = false, small = false;
  for (uint32_t i = 0; i < cls(e->c, id)->n_args; i++) {
    Arg a = cls(e->c, id)->args[i];
    double v = arg_at(e, &a, at);
    if (v == 0 && rat_sign(a.tag) > 0) {
      if (!e->underflow || (cls(e->c, a.cls)->flags & F_PRED)) return 0;
      small = true; /* an exponential that was too small: 0 / 0 is not 0 */
      continue;
    }
    v = power(v, a.tag);
    undefined |= isnan(v);
    infinite |= isinf(v) != 0;
    out *= v;
  }
  return undefined ? NAN : small ? 0 : bounded_product(out, infinite);
}

/* Over all values of the bound slots. */
static double bound_at(Evaluation *e, ClassId id, const int64_t *at) {
  const Class *x = cls(e->c, id);
  uint32_t n = x->n_slots, m = x->n_bound;
  bool sum = x->kind == K_RED;
  int64_t *all = xcalloc(n + m + 1u, sizeof *all);
  memcpy(all, at, n * sizeof *all);
  double out = sum ? 0 : -INFINITY;
  for (bool more = true; more && !isnan(out);) {
    if (sum) {
      out += product_at(e, id, all);
    } else {
      for (uint32_t i = 0; i < cls(e->c, id)->n_args && !isnan(out); i++) {
        Arg a = cls(e->c, id)->args[i];
        double v = rat_to_double(a.tag) * arg_at(e, &a, all);
        if (isnan(v) || v > out) out = v;
      }
    }
    more = false;
    for (uint32_t b = m; b-- > 0 && !more;) {
      more = ++all[n + b] < cls(e->c, id)->sizes[n + b];
      if (!more) all[n + b] = 0;
    }
  }
  free(all);
  return out;
}

static double function_at(Evaluation *e, ClassId id, const int64_t *at) {
  double v[3] = {0, 0, 0};
  const Class *x = cls(e->c, id);
  Sym name = x->attr;
  uint32_t n = x->n_args;
  if (n > 3) return NAN;
  for (uint32_t i = 0; i < n; i++) {
    v[i] = arg_at(e, &cls(e->c, id)->args[i], at);
    if (isnan(v[i])) return NAN;
  }
  FnId id_of = fn_find(name);
  const FnImpl *f = id_of == FN_COUNT ? NULL : fn_impl(id_of);
  if (f && f->arity == n) {
    if (id_of == FN_EXP) return v[0] == -INFINITY || (e->underflow && v[0] < -300) ? 0 : fabs(v[0]) > 300 ? NAN : exp(v[0]);
    if (id_of == FN_LOG) return v[0] <= 0 ? NAN : log(v[0]);
    if (fn_values(id_of) == FN_WHOLE)
      for (uint32_t i = 0; i < n; i++) /* steps: away from whole numbers, or on them */
        if (v[i] != rint(v[i]) && fabs(v[i] - rint(v[i])) < 1e-9) return NAN;
    return n == 1 ? f->f1(v[0]) : n == 2 ? f->f2(v[0], v[1]) : f->f3(v[0], v[1], v[2]);
  }
  double s = evaluate_weight(name); /* no meaning: some function of its arguments */
  for (uint32_t i = 0; i < n; i++) s += evaluate_weight(mix(name, i)) * v[i];
  return isinf(s) ? NAN : sin(s);
}

/* s + s^2/4, where s sums every number consumed with a weight of its own. */
static double opaque_at(Evaluation *e, ClassId id, const int64_t *at) {
  const Class *x = cls(e->c, id);
  uint32_t n = x->n_slots, m = x->n_bound, n_args = x->n_args;
  uint64_t h = mix(x->attr, 11);
  int64_t *all = xcalloc(n + m + 1u, sizeof *all);
  memcpy(all, at, n * sizeof *all);
  for (uint32_t p = 0; p < n; p++) {
    bool used = false;
    for (uint32_t i = 0; i < n_args; i++)
      for (uint32_t q = 0; q < x->args[i].n; q++) used |= x->args[i].ix[q] == (int32_t)p;
    if (!used) h = mix(h, (uint64_t)at[p]);
  }
  double s = evaluate_weight(h);
  for (bool more = true; more && !isnan(s);) {
    uint64_t w = h;
    for (uint32_t b = 0; b < m; b++) w = mix(w, (uint64_t)all[n + b]);
    for (uint32_t i = 0; i < n_args; i++) {
      double v = arg_at(e, &cls(e->c, id)->args[i], all);
      s += isinf(v) ? NAN : evaluate_weight(mix(w, i)) * v;
    }
    more = false;
    for (uint32_t b = m; b-- > 0 && !more;) {
      more = ++all[n + b] < cls(e->c, id)->sizes[n + b];
      if (!more) all[n + b] = 0;
    }
  }
  free(all);
  return bounded(s + s * s / 4, false);
}

static double at_forms(Evaluation *e, ClassId id, const int64_t *at) {
  const AtSpec *s = &e->c->ats.at[cls(e->c, id)->attr];
  int64_t *ix = xcalloc(s->n + 1u, sizeof *ix);
  for (uint32_t i = 0; i < s->n; i++) {
    const AtSlot *a = &s->slots[i];
    ix[i] = a->is_const ? (int64_t)a->value : a->offset;
    for (uint32_t j = 0; j < a->n && !a->is_const; j++) ix[i] += a->terms[j].coef * at[a->terms[j].slot];
  }
  double v = evaluate_class(e, s->base, ix);
  free(ix);
  return v;
}

static double defined(Evaluation *e, ClassId id, const int64_t *at) {
  const Class *x = cls(e->c, id);
  double v;
  switch ((Kind)x->kind) {
    case K_ONE: return 1;
    case K_NEGINF: return -INFINITY;
    case K_LEAF: return x->attr >> 31 ? table_at(e->c, x, at) : e->leaf(e->context, x->attr, at, x->n_slots);
    case K_IDX: return (double)at[0];
    case K_LIN: return linear(e, id, at);
    case K_MUL: return product_at(e, id, at);
    case K_RED:
    case K_MAX: return bound_at(e, id, at);
    case K_CMP:
      v = settled(arg_at(e, &x->args[0], at));
      return isnan(v) ? NAN : cls(e->c, id)->attr == CMP_LT ? v < 0 : v == 0;
    case K_SEL:
      v = arg_at(e, &x->args[0], at);
      return isnan(v) ? NAN : arg_at(e, &cls(e->c, id)->args[v != 0 ? 1 : 2], at);
    case K_FN: return function_at(e, id, at);
    case K_OP: return opaque_at(e, id, at);
    case K_AT: return at_forms(e, id, at);
  }
  return NAN;
}

/* Where the value of a class at these indices is kept; false: nowhere. */
static bool place_of(Evaluation *e, ClassId id, const int64_t *at, uint64_t *k) {
  const Class *x = cls(e->c, id);
  uint64_t total = 1;
  *k = 0;
  if (!x->n_args) return false;
  for (uint32_t i = 0; i < x->n_slots; i++) {
    if (at[i] < 0 || at[i] >= x->sizes[i] || x->sizes[i] > TABLE) return false;
    *k = *k * (uint64_t)x->sizes[i] + (uint64_t)at[i];
    total *= (uint64_t)x->sizes[i];
    if (total > TABLE) return false;
  }
  if (id >= e->n_known) {
    size_t n = e->c->classes.len;
    e->known = xrealloc(e->known, n * sizeof *e->known);
    memset(e->known + e->n_known, 0, (n - e->n_known) * sizeof *e->known);
    e->n_known = n;
  }
  if (e->known[id].value) return true;
  if (e->stored + total > TOTAL) return false;
  e->stored += total;
  e->known[id] = (Known){xmalloc(total * sizeof(double)), xcalloc(total, sizeof(bool))};
  return true;
}

double evaluate_class(Evaluation *e, ClassId id, const int64_t *at) {
  uint64_t k;
  if (!e->budget || e->depth >= DEPTH) return e->budget = 0, NAN;
  e->budget--;
  bool keep = place_of(e, id, at, &k);
  if (keep && e->known[id].have[k]) return e->known[id].value[k];
  e->depth++;
  double v = defined(e, id, at);
  e->depth--;
  if (keep) e->known[id].value[k] = v, e->known[id].have[k] = true;
  return v;
}

double evaluate_value(Evaluation *e, Value v, const NamedIndex *names, uint32_t n) {
  if (v.k == RAT_0) return 0;
  const Ref *r = ref(e->c, v.ref);
  int64_t buf[64] = {0}, *at = r->n <= 64 ? buf : xmalloc(r->n * sizeof *at);
  bool known = true;
  for (uint32_t i = 0; i < r->n && known; i++) {
    uint32_t j = 0;
    while (j < n && names[j].name != r->names[i]) j++;
    known = name_is_const(r->names[i]) || j < n;
    if (known) at[i] = name_is_const(r->names[i]) ? (int64_t)name_value(r->names[i]) : names[j].at;
  }
  double x = known ? rat_to_double(v.k) * evaluate_class(e, r->cls, at) : NAN;
  if (at != buf) free(at);
  return x;
}
