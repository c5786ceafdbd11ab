/* critical: see critical.h. */
#include "eval/lemma/critical.h"

#include <math.h>

#include "eval/prove/lemma.h"

enum { LARGEST_EXPONENT = 50 };

/* 7/10, -3, 0.5: what a part without names comes to. */
static bool number_of(const AstExpr *e, double *out) {
  double x, y = 0;
  if (e->kind == EX_RAT) return *out = rat_to_double(e->value), true;
  bool two = e->n_args == 2;
  if ((e->kind != EX_NEG && !two) || !e->n_args || !number_of(e->args[0], &x) || (two && !number_of(e->args[1], &y)))
    return false;
  switch (e->kind) {
    case EX_NEG: *out = -x; break;
    case EX_ADD: *out = x + y; break;
    case EX_SUB: *out = x - y; break;
    case EX_MUL: *out = x * y; break;
    case EX_DIV: *out = x / y; break;
    case EX_POW: *out = pow(x, y); break;
    default: return false;
  }
  return isfinite(*out);
}

static void insert(double x, double *at, uint32_t *n, uint32_t most) {
  uint32_t i = *n;
  while (i && at[i - 1] > x) i--;
  if ((i && at[i - 1] == x) || *n == most) return;
  for (uint32_t j = (*n)++; j > i; j--) at[j] = at[j - 1];
  at[i] = x;
}

static void find(const AstExpr *e, double *at, uint32_t *n) {
  double x;
  if (number_of(e, &x)) {
    insert(fabs(x), at, n, MOST_NAMED);
    return;
  }
  for (uint32_t i = 0; i < e->n_args; i++) find(e->args[i], at, n);
}

Critical critical_values(const AstLemma *l) {
  Critical out = {0};
  double named[MOST_NAMED] = {0};
  uint32_t n = 1;
  find(l->equation, named, &n);
  if (l->when) find(l->when, named, &n);
  double last = named[n - 1];
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (uint32_t i = 0; i < n; i++) {
      double next = i + 1 < n ? named[i + 1] : 2 * last + 2;
      insert(sign * named[i], out.at, &out.n, MOST_CRITICAL);
      for (int quarter = 1; quarter < 4; quarter++)
        insert(sign * (named[i] + (next - named[i]) * quarter / 4), out.at, &out.n, MOST_CRITICAL);
    }
    if (last < LARGEST_EXPONENT) insert(sign * ceil(exp(last + 1)), out.at, &out.n, MOST_CRITICAL);
    insert(sign * (last + 1) * (last + 1), out.at, &out.n, MOST_CRITICAL);
  }
  return out;
}

typedef struct Asked {
  Sym param;
  double x;
  bool no;
} Asked;

/* What an element of the parameter that is x makes of x, x[i], abs(x), min(i) x[i], max(i) x[i]. */
static bool value_of(const AstExpr *e, const Asked *asked, double *out) {
  bool abs = e->kind == EX_CALL && e->name == sym("abs") && e->n_args == 1;
  if (abs || e->kind == EX_MIN || e->kind == EX_MAX) {
    bool is = value_of(e->args[0], asked, out);
    if (is && abs) *out = fabs(*out);
    return is;
  }
  *out = asked->x;
  return (e->kind == EX_READ || e->kind == EX_NAME) && e->name == asked->param;
}

static void ask(void *context, const AstExpr *e) {
  Asked *asked = context;
  double x, y;
  if (e->kind < EX_EQ || e->kind > EX_GE) return;
  bool left = value_of(e->args[0], asked, &x), right = value_of(e->args[1], asked, &y);
  if (left == right || !number_of(e->args[left], left ? &y : &x)) return;
  switch (e->kind) {
    case EX_EQ: asked->no |= x != y; break;
    case EX_NE: asked->no |= x == y; break;
    case EX_LT: asked->no |= x >= y; break;
    case EX_LE: asked->no |= x > y; break;
    case EX_GT: asked->no |= x <= y; break;
    case EX_GE: asked->no |= x < y; break;
  }
}

bool critical_allows(const AstLemma *l, Sym param, double x) {
  Asked asked = {param, x, false};
  lemma_conjuncts(l->when, ask, &asked);
  return !asked.no;
}
