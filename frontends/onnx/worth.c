/* See worth.h. */
#include "frontends/onnx/worth.h"

#include <math.h>
#include <string.h>

#include "frontends/onnx/place.h"

double worth_unit(DType t) {
  int bits = t == DT_F64 ? 53 : t == DT_F16 ? 11 : t == DT_BF16 ? 8 : 24;
  return ldexp(1, -bits);
}

/* ---- one operand: the function and its slope */
typedef struct Slope {
  double value, slope;
} Slope;

static Slope slope(double v, double s) { return (Slope){v, fabs(s)}; }
static double logistic(double x) { return 1 / (1 + exp(-x)); }

#define UNARY(apply)                                                                                             \
  apply(negate, slope(-x, 1)) apply(abs, slope(fabs(x), 1)) apply(convert, slope(x, 1))                          \
      apply(sqrt, slope(sqrt(x), 0.5 / sqrt(x))) apply(rsqrt, slope(1 / sqrt(x), 0.5 / (x * sqrt(x))))           \
          apply(reciprocal, slope(1 / x, 1 / (x * x))) apply(square, slope(x *x, 2 * x))                         \
              apply(exponential, slope(exp(x), exp(x))) apply(log, slope(log(x), 1 / x))                         \
                  apply(sine, slope(sin(x), cos(x))) apply(cosine, slope(cos(x), sin(x)))                        \
                      apply(tanh, slope(tanh(x), 1 - tanh(x) * tanh(x)))                                         \
                          apply(erf, slope(erf(x), M_2_SQRTPI *exp(-x *x)))                                      \
                              apply(logistic, slope(logistic(x), logistic(x) * (1 - logistic(x))))               \
                                  apply(softplus, slope(fmax(x, 0) + log1p(exp(-fabs(x))), logistic(x)))         \
                                      apply(relu, slope(fmax(x, 0), 1))

#define DEFINE(name, result) \
  static Slope unary_##name(double x) { return result; }
UNARY(DEFINE)
#undef DEFINE

typedef Slope Unary(double x);
static Unary *unary_of(Sym op) {
  static const struct {
    const char *name;
    Unary *f;
  } table[] = {
#define ROW(name, result) {#name, unary_##name},
      UNARY(ROW)
#undef ROW
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (!strcmp(table[k].name, sym_text(op))) return table[k].f;
  return NULL;
}

/* ---- the arrays that are being filled */
typedef struct Filling {
  const Graph *g;
  const Node *n;
  const Worth *of;
  double *v, *e, unit;
} Filling;

static const Node *operand(const Filling *f, uint32_t k) { return &f->g->nodes.at[f->n->args[k]]; }
static double value_at(const Filling *f, uint32_t k, int64_t i) { return f->of[f->n->args[k]].value[i]; }
static double error_at(const Filling *f, uint32_t k, int64_t i) {
  const double *e = f->of[f->n->args[k]].error;
  return e ? e[i] : 0;
}

static void set(Filling *f, int64_t k, double v, double e, double rounded) {
  f->v[k] = v;
  f->e[k] = isinf(v) ? 0 : e + 2 * f->unit * fabs(rounded); /* infinite: written so, in a mask */
}

static bool fill_unary(Filling *f) {
  Unary *of = unary_of(f->n->op);
  const Attr *power = f->n->op == sym("power_of") ? node_attr(f->n, sym("exponent")) : NULL;
  double p = power ? rat_to_double(power->r) : 0;
  bool whole = f->n->op == sym("convert") && !dtype_is_float((DType)f->n->dtype);
  if ((!of && !power) || whole) return false;
  for (int64_t k = 0; k < node_elements(f->n); k++) {
    double x = value_at(f, 0, k);
    Slope s = of ? of(x) : slope(pow(x, p), p * pow(x, p - 1));
    set(f, k, s.value, s.slope * error_at(f, 0, k), s.value);
  }
  return true;
}

static bool fill_binary(Filling *f) {
  const char *op = sym_text(f->n->op);
  bool add = !strcmp(op, "add"), sub = !strcmp(op, "subtract"), mul = !strcmp(op, "multiply"),
       div = !strcmp(op, "divide");
  bool max = !strcmp(op, "maximum"), min = !strcmp(op, "minimum"), pow_of = !strcmp(op, "power");
  if (!add && !sub && !mul && !div && !max && !min && !pow_of) return false;
  if (div && !dtype_is_float((DType)f->n->dtype)) return false;
  for (int64_t k = 0; k < node_elements(f->n); k++) {
    double x = value_at(f, 0, k), y = value_at(f, 1, k), ex = error_at(f, 0, k), ey = error_at(f, 1, k);
    if (add) set(f, k, x + y, ex + ey, fabs(x) + fabs(y));
    else if (sub) set(f, k, x - y, ex + ey, fabs(x) + fabs(y));
    else if (mul) set(f, k, x * y, fabs(x) * ey + fabs(y) * ex, x * y);
    else if (div) set(f, k, x / y, (ex + fabs(x / y) * ey) / fabs(y), x / y);
    else if (pow_of) set(f, k, pow(x, y), fabs(y * pow(x, y - 1)) * ex + fabs(pow(x, y) * log(x)) * ey, pow(x, y));
    else set(f, k, max ? fmax(x, y) : fmin(x, y), fmax(ex, ey), 0);
  }
  return true;
}

/* Truth values: those that rounding does not decide. */
static bool fill_compare(Filling *f) {
  const char *d = sym_text(node_attr_sym(f->n, sym("direction"), 0));
  for (int64_t k = 0; k < node_elements(f->n); k++) {
    double x = value_at(f, 0, k), y = value_at(f, 1, k), e = error_at(f, 0, k) + error_at(f, 1, k);
    if (e > 0 && fabs(x - y) <= e) return false;
    bool less = x < y, equal = x == y, yes = !strcmp(d, "LT") ? less : !strcmp(d, "LE") ? less || equal : false;
    if (!strcmp(d, "GT")) yes = !less && !equal;
    else if (!strcmp(d, "GE")) yes = !less;
    else if (!strcmp(d, "EQ")) yes = equal;
    else if (!strcmp(d, "NE")) yes = !equal;
    else if (*d != 'L') return false;
    f->v[k] = yes;
    f->e[k] = 0;
  }
  return true;
}

static bool fill_select(Filling *f) {
  for (int64_t k = 0; k < node_elements(f->n); k++) {
    uint32_t from = value_at(f, 0, node_elements(operand(f, 0)) == 1 ? 0 : k) != 0 ? 1 : 2;
    f->v[k] = value_at(f, from, k);
    f->e[k] = error_at(f, from, k);
  }
  return true;
}

/* Elements moved, one operand. */
static bool fill_moved(Filling *f) {
  const Node *x = operand(f, 0);
  for (int64_t k = 0; k < node_elements(f->n); k++) {
    int64_t i = place_source(f->n, x, k);
    f->v[k] = value_at(f, 0, i);
    f->e[k] = error_at(f, 0, i);
  }
  return true;
}

static bool fill_concatenate(Filling *f) {
  int64_t from = 0, dim = place_list(f->n, "dimensions")[0];
  for (uint32_t i = 0; i < f->n->n_args; i++) {
    const Node *x = operand(f, i);
    for (int64_t k = 0; k < node_elements(x); k++) {
      int64_t to = place_joined(f->n, x, from, k);
      f->v[to] = value_at(f, i, k);
      f->e[to] = error_at(f, i, k);
    }
    from += x->dims[dim];
  }
  return true;
}

static bool fill_counted(Filling *f) {
  int64_t at[PLACE_MAX_RANK], dim = node_attr_int(f->n, sym("iota_dimension"), 0);
  bool range = f->n->op == sym("arange");
  for (int64_t k = 0; k < node_elements(f->n); k++) {
    place_split(f->n, k, at);
    f->v[k] = range ? value_at(f, 0, 0) + (double)k * value_at(f, 1, 0) : (double)at[dim];
    f->e[k] = range ? error_at(f, 0, 0) + (double)k * error_at(f, 1, 0) : 0;
  }
  return true;
}

/* ---- sums */
/* The dimensions of x that `list` names, or the others, as steps through x: the place of element k of these. */
static int64_t place(const Node *x, uint64_t set, int64_t k) {
  int64_t at[PLACE_MAX_RANK];
  for (int d = x->rank; d-- > 0;) {
    bool in = set >> d & 1;
    at[d] = in ? k % x->dims[d] : 0;
    if (in) k /= x->dims[d];
  }
  return place_flat(x, at);
}

static uint64_t dims_of(const Node *n, const char *name, int64_t *count, const Node *x) {
  const Attr *a = node_attr(n, sym(name));
  uint64_t set = 0;
  *count = 1;
  for (uint32_t k = 0; a && k < a->n; k++) set |= UINT64_C(1) << a->ints[k], *count *= x->dims[a->ints[k]];
  return set;
}

static double halvings(int64_t n) { return n > 1 ? 1 + log2((double)n) : 1; }

static bool fill_reduced(Filling *f) {
  const Node *x = operand(f, 0);
  int64_t n;
  uint64_t over = dims_of(f->n, "dimensions", &n, x);
  bool mean = f->n->op == sym("reduce_mean");
  for (int64_t k = 0; k < node_elements(f->n); k++) {
    double sum = 0, all = 0, e = 0;
    int64_t base = place(x, ~over, k);
    for (int64_t i = 0; i < n; i++) {
      int64_t at = base + place(x, over, i);
      sum += value_at(f, 0, at);
      all += fabs(value_at(f, 0, at));
      e += error_at(f, 0, at);
    }
    double by = mean ? (double)n : 1;
    set(f, k, sum / by, e / by, all * halvings(n) / by);
  }
  return true;
}

/* Contraction without batch dimensions. */
static bool fill_dot(Filling *f) {
  const Node *x = operand(f, 0), *y = operand(f, 1);
  const Attr *batch = node_attr(f->n, sym("lhs_batch_dims")), *dx = node_attr(f->n, sym("lhs_contracting_dims"));
  int64_t n, m, columns = 1;
  uint64_t of_x = dims_of(f->n, "lhs_contracting_dims", &n, x), of_y = dims_of(f->n, "rhs_contracting_dims", &m, y);
  if ((batch && batch->n) || (dx && dx->n > 1)) return false; /* several would have to be paired */
  for (int d = 0; d < y->rank; d++) columns *= of_y >> d & 1 ? 1 : y->dims[d];
  for (int64_t k = 0; k < node_elements(f->n); k++) {
    int64_t row = place(x, ~of_x, k / columns), column = place(y, ~of_y, k % columns);
    double sum = 0, all = 0, e = 0;
    for (int64_t i = 0; i < n; i++) {
      int64_t at = row + place(x, of_x, i), to = column + place(y, of_y, i);
      double a = value_at(f, 0, at), b = value_at(f, 1, to);
      sum += a * b;
      all += fabs(a * b);
      e += fabs(a) * error_at(f, 1, to) + fabs(b) * error_at(f, 0, at);
    }
    set(f, k, sum, e, all * (1 + halvings(n)));
  }
  return true;
}

/* ---- literals, and which of the above it is */
static bool fill_literal(Filling *f) {
  const Literal *l = f->n->literal;
  for (int64_t k = 0; k < node_elements(f->n); k++) {
    Rat v = l->values[l->kind == LIT_SPLAT ? 0 : k];
    if (v == RAT_NAN) return false;
    f->v[k] = v == RAT_NEG_INF ? -INFINITY : v == RAT_POS_INF ? INFINITY : rat_to_double(v);
    f->e[k] = 0;
  }
  return true;
}

static bool fill(Filling *f) {
  const char *op = sym_text(f->n->op);
  if (f->n->literal) return fill_literal(f);
  if (place_moves(f->n)) return fill_moved(f);
  if (!strcmp(op, "concatenate")) return fill_concatenate(f);
  if (!strcmp(op, "iota") || !strcmp(op, "arange")) return fill_counted(f);
  if (!strcmp(op, "reduce_sum") || !strcmp(op, "reduce_mean")) return fill_reduced(f);
  if (!strcmp(op, "dot")) return fill_dot(f);
  if (!strcmp(op, "compare")) return fill_compare(f);
  if (!strcmp(op, "select")) return fill_select(f);
  if (f->n->dtype == DT_PRED) return false;
  return f->n->n_args == 1 ? fill_unary(f) : f->n->n_args == 2 && fill_binary(f);
}

Worth worth_node(const Graph *g, NodeId id, const Worth *of, Arena *a) {
  const Node *n = &g->nodes.at[id];
  int64_t size = node_elements(n);
  for (uint32_t k = 0; k < n->n_args; k++)
    if (!of[n->args[k]].value) return (Worth){0};
  Filling f = {
      g, n, of, ARENA_ARRAY(a, double, size + 1), ARENA_ARRAY(a, double, size + 1), worth_unit((DType)n->dtype)};
  if (!fill(&f)) return (Worth){0};
  for (int64_t k = 0; k < size; k++)
    if (isnan(f.v[k]) || !isfinite(f.e[k])) return (Worth){0};
  return (Worth){f.v, f.e};
}
