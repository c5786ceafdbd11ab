/* Random terms over indices, twice: as values of the calculus, made through its constructors, and as numbers, by
 * evaluating the term as it is written.  Variables are numbered; one without a value in scope counts as 0, so that any
 * piece of a term is a term. */
#ifndef TVR_TEST_TERM_H
#define TVR_TEST_TERM_H
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "eval/calculus/core.h"
#include "eval/calculus/evaluate.h"
#include "eval/exact/fn_eval.h"

enum { FREE = 4, VARS = 64, LEAVES = 8, ARGS = 4, MOST = 6, NODES = 1500 };

typedef struct IxForm { /* constant + sum coef * variable */
  int64_t constant;
  uint32_t n;
  struct {
    int64_t coef;
    uint32_t var;
  } at[3];
} IxForm;

typedef enum TermKind {
  T_NUM, T_INF, T_LEAF, T_TABLE, T_IDX, T_ADD, T_MUL, T_POW, T_SUM, T_MAX, T_CMP, T_NOT, T_SEL, T_FN, T_INSIDE,
  T_OPAQUE, T_RENAME, T_COPIES, T_CASES,
} TermKind;

typedef struct T T;
struct T {
  TermKind kind;
  uint32_t n, n_vars, n_forms, which; /* which: leaf, comparison, function, way to make it */
  T *arg[ARGS];
  Rat num;            /* T_NUM; T_POW: exponent */
  uint32_t var[3];    /* bound; T_IDX, T_TABLE: read; T_CASES: var[0] is cut, var[1] tells */
  IxForm form[3];     /* T_LEAF: indices; T_RENAME: what var[i] becomes; T_OPAQUE: where it is read */
  int64_t at[MOST];   /* T_COPIES: values of var[0]; T_INSIDE: bounds; T_TABLE: numbers, in quarters */
};

typedef struct Leaf {
  uint32_t rank;
  int64_t sizes[2];
  Sort sorts[2];
  LeafInfo info;
  bool has_sorts;
} Leaf;

typedef struct Scope {
  uint32_t n, var[VARS];
} Scope;

enum { KEPT = 16 };
typedef struct Kept { /* terms met so far, to be met again */
  T *at[KEPT];
  Scope scope[KEPT];
  uint32_t n;
} Kept;

typedef struct World {
  Kept reals, predicates;
  uint64_t random, salt; /* state of the generator; what leaves hold */
  uint32_t n_vars, n_nodes;
  int64_t size[VARS];
  Leaf leaf[LEAVES];
  T node[NODES];
  double largest; /* intermediate number seen */
  CalculusOptions options;
  Sort split[2];
  uint32_t n_split;
} World;

/* ------------------------------------------------------------------ random numbers */
static inline uint64_t next_random(World *w) { return w->random = mix(w->random, 0x9e37); }
static inline int64_t below(World *w, int64_t n) { return (int64_t)(next_random(w) >> 11) % n; }
static inline bool chance(World *w, int percent) { return below(w, 100) < percent; }

static inline double leaf_at(void *context, Sym name, const int64_t *at, uint32_t n) {
  World *w = context;
  const char *text = sym_text(name);
  if (text[0] != 'x' || !text[1]) return NAN; /* what is undefined */
  const Leaf *l = &w->leaf[text[1] - '0'];
  uint64_t h = mix(w->salt, (uint64_t)text[1]);
  bool inside = true;
  for (uint32_t i = 0; i < n; i++) {
    h = mix(h, (uint64_t)at[i]);
    inside = inside && at[i] >= 0 && at[i] < l->sizes[i];
  }
  if (!inside) return l->info.integer ? floor(30 * evaluate_weight(h)) : floor(40 * evaluate_weight(h)) / 8;
  if (!l->info.has_range) return floor(12 * evaluate_weight(h)) / (l->info.integer ? 1 : 4);
  double lo = rat_to_double(l->info.lo), hi = rat_to_double(l->info.hi), step = l->info.integer ? 1 : 0.25;
  double x = lo + step * (double)(mix(h, 7) % (uint64_t)((hi - lo) / step + 1));
  bool gap = l->info.has_gap && x > rat_to_double(l->info.gap_lo) && x < rat_to_double(l->info.gap_hi);
  return gap ? rat_to_double(l->info.gap_lo) : x;
}

/* ------------------------------------------------------------------ as numbers */
static inline int64_t form_at_point(const IxForm *f, const int64_t *env) {
  int64_t v = f->constant;
  for (uint32_t i = 0; i < f->n; i++) v += f->at[i].coef * env[f->at[i].var];
  return v;
}

static const char *const term_fns[] = {"exp",      "log",     "abs",     "sign", "floor", "trunc", "truncdiv", "rem",
                                       "clamp",    "maximum", "minimum", "tanh", "ceil",  "pow",   "foo"};
static const uint32_t term_fn_arity[] = {1, 1, 1, 1, 1, 1, 2, 2, 3, 2, 2, 1, 1, 2, 1};
enum { TERM_FNS = sizeof term_fns / sizeof *term_fns };

static inline double whole(double x) { return x != rint(x) && fabs(x - rint(x)) < 1e-9 ? NAN : x; }
static inline double naive(World *w, const T *t, const int64_t *env);

static inline double naive_fn(const T *t, const double *v) {
  for (uint32_t i = 0; i < t->n; i++)
    if (isnan(v[i])) return NAN;
  const char *f = term_fns[t->which];
  if (!strcmp(f, "exp")) return v[0] == -INFINITY ? 0 : fabs(v[0]) > 300 ? NAN : exp(v[0]);
  if (!strcmp(f, "log")) return v[0] <= 0 ? NAN : log(v[0]);
  if (!strcmp(f, "pow")) return v[0] < 0 || (v[0] == 0 && v[1] < 0) ? NAN : pow(v[0], v[1]);
  if (!strcmp(f, "abs")) return fabs(v[0]);
  if (!strcmp(f, "sign")) return isinf(v[0]) || isnan(whole(v[0])) ? NAN : (v[0] > 0) - (v[0] < 0);
  if (!strcmp(f, "floor")) return floor(whole(v[0]));
  if (!strcmp(f, "ceil")) return ceil(whole(v[0]));
  if (!strcmp(f, "trunc")) return trunc(whole(v[0]));
  if (!strcmp(f, "truncdiv")) return v[1] == 0 ? NAN : trunc(whole(v[0] / v[1]));
  if (!strcmp(f, "rem")) return v[1] == 0 ? NAN : v[0] - v[1] * trunc(whole(v[0] / v[1]));
  if (!strcmp(f, "clamp")) return fmin(fmax(v[1], v[0]), v[2]);
  if (!strcmp(f, "maximum")) return fmax(v[0], v[1]);
  if (!strcmp(f, "minimum")) return fmin(v[0], v[1]);
  if (!strcmp(f, "tanh")) return tanh(v[0]);
  return isinf(v[0]) ? NAN : sin(evaluate_weight(sym(f)) + evaluate_weight(mix(sym(f), 0)) * v[0]);
}

static inline double naive_opaque(World *w, const T *t, int64_t *env) {
  uint64_t h = mix(sym("op"), 11);
  for (uint32_t i = 0; i < t->n_forms; i++) h = mix(h, (uint64_t)form_at_point(&t->form[i], env));
  double s = evaluate_weight(h);
  for (int64_t b = 0; b < (t->n_vars ? w->size[t->var[0]] : 1); b++) {
    uint64_t weight = t->n_vars ? mix(h, (uint64_t)b) : h;
    if (t->n_vars) env[t->var[0]] = b;
    for (uint32_t i = 0; i < t->n; i++) {
      double v = naive(w, t->arg[i], env);
      s += isinf(v) ? NAN : evaluate_weight(mix(weight, i)) * v;
    }
  }
  return s + s * s / 4;
}

/* Sum or maximum over the bound variables. */
static inline double naive_bound(World *w, const T *t, int64_t *env) {
  double out = t->kind == T_SUM ? 0 : -INFINITY;
  for (uint32_t j = 0; j < t->n_vars; j++) env[t->var[j]] = 0;
  for (bool more = true; more;) {
    for (uint32_t i = 0; i < t->n; i++) {
      double v = naive(w, t->arg[i], env);
      out = t->kind == T_SUM ? out + v : isnan(v) || isnan(out) ? NAN : fmax(out, v);
    }
    more = false;
    for (uint32_t j = t->n_vars; j-- > 0 && !more;) {
      more = ++env[t->var[j]] < w->size[t->var[j]];
      if (!more) env[t->var[j]] = 0;
    }
  }
  return out;
}

static inline double naive_kind(World *w, const T *t, int64_t *env) {
  double v[ARGS] = {0}, out = 0;
  switch (t->kind) {
    case T_SUM:
    case T_MAX: return naive_bound(w, t, env);
    case T_OPAQUE: return naive_opaque(w, t, env);
    case T_SEL: {
      double p = naive(w, t->arg[0], env);
      return p != 0 && p != 1 ? NAN : naive(w, t->arg[p != 0 ? 1 : 2], env);
    }
    case T_RENAME: {
      int64_t to[3];
      for (uint32_t i = 0; i < t->n_vars; i++) to[i] = form_at_point(&t->form[i], env);
      for (uint32_t i = 0; i < t->n_vars; i++) env[t->var[i]] = to[i];
      return naive(w, t->arg[0], env);
    }
    case T_COPIES:
      for (int64_t i = 0; i < w->size[t->var[0]]; i++) {
        env[t->var[0]] = t->at[i];
        out += naive(w, t->arg[0], env);
      }
      return out;
    case T_CASES: env[t->var[0]] = env[t->var[1]]; return naive(w, t->arg[0], env);
    default: break;
  }
  for (uint32_t i = 0; i < t->n; i++) v[i] = naive(w, t->arg[i], env);
  switch (t->kind) {
    case T_NUM: return rat_to_double(t->num);
    case T_INF: return -INFINITY;
    case T_LEAF: {
      int64_t at[3];
      for (uint32_t i = 0; i < t->n_forms; i++) at[i] = form_at_point(&t->form[i], env);
      char name[3] = {'x', (char)('0' + t->which), 0};
      return leaf_at(w, sym(name), at, t->n_forms);
    }
    case T_TABLE: return (double)t->at[env[t->var[0]] % MOST] / 4;
    case T_IDX: return (double)env[t->var[0]];
    case T_ADD:
      for (uint32_t i = 0; i < t->n; i++) out += v[i];
      return out;
    case T_MUL: {
      bool zero = false, undefined = false; /* x * x^-1 is 1 by assumption: nothing is said where x is 0 */
      bool near = false, infinite = false;  /* 0 * infinity has no value, and a rounded 0 may be 0 */
      out = 1;
      for (uint32_t i = 0; i < t->n; i++) {
        zero |= v[i] == 0, undefined |= isnan(v[i]) != 0, out *= v[i];
        near |= v[i] != 0 && fabs(v[i]) < 1e-9, infinite |= isinf(v[i]) != 0;
      }
      return undefined || ((near || zero) && infinite) ? NAN : zero ? 0 : out;
    }
    case T_POW: return isinf(v[0]) || (v[0] == 0 && rat_sign(t->num) < 0) ? NAN : fn_power_double(v[0], t->num);
    case T_CMP: {
      double d = isinf(v[0]) || isinf(v[1]) ? NAN : v[0] - v[1];
      if (isnan(d) || (d != 0 && fabs(d) < 1e-9)) return NAN;
      CmpOp op = (CmpOp)t->which;
      return op == CMP_LT ? d < 0 : op == CMP_EQ ? d == 0 : op == CMP_NE ? d != 0 : op == CMP_GE ? d >= 0
           : op == CMP_GT ? d > 0 : d <= 0;
    }
    case T_NOT: return 1 - v[0];
    case T_FN: return naive_fn(t, v);
    case T_INSIDE: {
      double lo = v[0] - (double)t->at[0], hi = v[0] - (double)t->at[1];
      bool close = (lo != 0 && fabs(lo) < 1e-9) || (hi != 0 && fabs(hi) < 1e-9);
      return isnan(v[0]) || isinf(v[0]) || close ? NAN : lo >= 0 && hi < 0;
    }
    default: return NAN;
  }
}

static inline double naive(World *w, const T *t, const int64_t *env) {
  int64_t mine[VARS];
  memcpy(mine, env, sizeof mine);
  double v = naive_kind(w, t, mine);
  if (fabs(v) > w->largest && !isinf(v)) w->largest = fabs(v);
  return !isinf(v) && fabs(v) > 1e100 ? NAN : v;
}

/* ------------------------------------------------------------------ as values */
typedef struct Names { /* what a variable is called: a name or a constant */
  Name at[VARS];
} Names;

static inline Name form_name(Calculus *c, const IxForm *f, const Names *names) {
  FormTerm t[3];
  Form g = {f->constant, 0, t};
  for (uint32_t i = 0; i < f->n; i++) {
    Name n = names->at[f->at[i].var];
    if (name_is_const(n))
      g.constant += f->at[i].coef * name_value(n);
    else
      t[g.n++] = (FormTerm){f->at[i].coef, n};
  }
  return calculus_form(c, g);
}

/* A form that is one name or a small constant, as that. */
static inline Name plain_name(Calculus *c, const IxForm *f, const Names *names, int64_t size) {
  if (!f->n && f->constant >= 0 && f->constant < size) return name_const(f->constant);
  if (f->n == 1 && f->at[0].coef == 1 && !f->constant) {
    Name n = names->at[f->at[0].var];
    if (name_is_const(n) ? name_value(n) < size : calculus_name_info(c, n)->size == size) return n;
  }
  return form_name(c, f, names);
}

static inline Value build(World *w, Calculus *c, const T *t, const Names *names);

static inline Value build_leaf(World *w, Calculus *c, const T *t, const Names *names) {
  const Leaf *l = &w->leaf[t->which];
  char text[3] = {'x', (char)('0' + t->which), 0};
  Name n[2];
  Subst s = {0};
  for (uint32_t i = 0; i < l->rank; i++) {
    Name to = plain_name(c, &t->form[i], names, l->sizes[i]);
    n[i] = to;
    if (t->var[2]) continue; /* forms at once */
    n[i] = calculus_name(c, NAME_TEMP, 900 + i, 9, l->sizes[i]);
    subst_put(&s, n[i], to);
  }
  Value v = calc_leaf(c, sym(text), n, l->sizes, l->has_sorts ? l->sorts : NULL, l->rank, l->info);
  return s.n ? calc_rename(c, v, &s) : v;
}

static inline Value build_bound(World *w, Calculus *c, const T *t, Names *names) {
  Name bound[3];
  for (uint32_t i = 0; i < t->n_vars; i++) names->at[t->var[i]] = bound[i] = calculus_fresh(c, w->size[t->var[i]]);
  Value v[ARGS];
  for (uint32_t i = 0; i < t->n; i++) v[i] = build(w, c, t->arg[i], names);
  if (t->kind == T_MAX) return calc_max(c, v, t->n, bound, t->n_vars);
  if (t->kind == T_SUM) return calc_sum(c, bound, t->n_vars, v[0]);
  Name out[3];
  Subst s = {0};
  for (uint32_t i = 0; i < t->n_forms; i++) {
    out[i] = calculus_name(c, NAME_TEMP, 950 + i, 9, 5);
    subst_put(&s, out[i], plain_name(c, &t->form[i], names, 5));
  }
  return calc_rename(c, calc_opaque(c, sym("op"), v, t->n, bound, t->n_vars, out, t->n_forms, (LeafInfo){0}), &s);
}

/* The body with a variable at a constant: renamed, or made with the constant from the start. */
static inline Value build_at(World *w, Calculus *c, const T *t, Names *names, Name whole_name, Value body, int64_t v) {
  Subst s = {1, {{whole_name, name_const(v)}}};
  if (t->which == 0) return calc_rename(c, body, &s);
  names->at[t->var[0]] = name_const(v);
  return build(w, c, t->arg[0], names);
}

static inline Value build_copies(World *w, Calculus *c, const T *t, Names *names) {
  int64_t size = w->size[t->var[0]];
  Name m = calculus_fresh(c, size), tell = t->kind == T_CASES ? names->at[t->var[1]] : 0;
  names->at[t->var[0]] = m;
  Value body = t->which == 0 ? build(w, c, t->arg[0], names) : VALUE_ZERO, v[MOST + 1];
  if (t->kind == T_COPIES) {
    for (int64_t i = 0; i < size; i++) v[i] = build_at(w, c, t, names, m, body, t->at[i]);
    return calc_add(c, v, (uint32_t)size);
  }
  Value index = calc_idx(c, tell, size), chain = build_at(w, c, t, names, m, body, size - 1);
  for (int64_t i = 0; i < size; i++) {
    Value is = calc_cmp(c, CMP_EQ, index, value_num(rat_int(i)));
    Value x = build_at(w, c, t, names, m, body, i);
    v[i] = calc_mul2(c, is, x);
    chain = calc_select(c, is, x, chain);
  }
  return t->n_forms ? chain : calc_add(c, v, (uint32_t)size);
}

static inline Value build(World *w, Calculus *c, const T *t, const Names *outer) {
  Names names = *outer;
  Value v[ARGS];
  if (t->kind == T_SUM || t->kind == T_MAX || t->kind == T_OPAQUE) return build_bound(w, c, t, &names);
  if (t->kind == T_COPIES || t->kind == T_CASES) return build_copies(w, c, t, &names);
  if (t->kind == T_LEAF) return build_leaf(w, c, t, &names);
  if (t->kind == T_RENAME) {
    Subst s = {0};
    for (uint32_t i = 0; i < t->n_vars; i++) {
      names.at[t->var[i]] = calculus_name(c, NAME_TEMP, 800 + t->var[i], 9, w->size[t->var[i]]);
      subst_put(&s, names.at[t->var[i]], plain_name(c, &t->form[i], outer, w->size[t->var[i]]));
    }
    return calc_rename(c, build(w, c, t->arg[0], &names), &s);
  }
  for (uint32_t i = 0; i < t->n; i++) v[i] = build(w, c, t->arg[i], &names);
  switch (t->kind) {
    case T_NUM: return value_num(t->num);
    case T_INF: return value_neginf(c);
    case T_IDX: return calc_idx(c, names.at[t->var[0]], w->size[t->var[0]]);
    case T_TABLE: {
      Name n = names.at[t->var[0]];
      Rat values[MOST];
      for (int i = 0; i < MOST; i++) values[i] = rat_frac(t->at[i], 4);
      if (name_is_const(n)) return value_num(values[name_value(n) % MOST]);
      return calc_table(c, values, (uint64_t)w->size[t->var[0]], &n, &w->size[t->var[0]], 1, false);
    }
    case T_ADD: return calc_add(c, v, t->n);
    case T_MUL: return calc_mul(c, v, t->n);
    case T_POW: return calc_pow(c, v[0], t->num);
    case T_CMP: return calc_cmp(c, (CmpOp)t->which, v[0], v[1]);
    case T_NOT: return calc_not(c, v[0]);
    case T_SEL: return calc_select(c, v[0], v[1], v[2]);
    case T_FN: return calc_fn(c, sym(term_fns[t->which]), v, t->n);
    case T_INSIDE: return calc_inside(c, v[0], t->at[0], t->at[1]);
    default: return VALUE_ZERO;
  }
}
#endif
