#include "eval/family/sizeterm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Writer {
  const Sizes *s;
  Arena *a;
} Writer;

static const SizeTerm none = {NULL, NULL};

enum { LONGEST = 1 << 14 }; /* nested quotients and powers repeat their parts */

static const char *say(Arena *a, const char *op, const char *x, const char *y) {
  return x && y && strlen(x) + strlen(y) < LONGEST ? arena_printf(a, "(%s %s %s)", op, x, y) : NULL;
}

/* Product of two; NULL is one. */
static const char *times(Arena *a, const char *x, const char *y) { return x && y ? say(a, "*", x, y) : x ? x : y; }

static const char *integer(Arena *a, mpz_srcptr v) {
  char *digits = mpz_get_str(NULL, 10, v);
  const char *out = *digits == '-' ? arena_printf(a, "(- %s)", digits + 1) : arena_printf(a, "%s", digits);
  free(digits);
  return out;
}

static SizeTerm number(Arena *a, Rat v) {
  mpq_t q;
  mpq_init(q);
  rat_get(v, q);
  SizeTerm out = {integer(a, mpq_numref(q)), rat_is_int(v) ? NULL : integer(a, mpq_denref(q))};
  mpq_clear(q);
  return out;
}

/* num / (x * y); a product that cannot be written is not one. */
static SizeTerm over(Writer *w, const char *num, const char *x, const char *y) {
  const char *den = times(w->a, x, y);
  return num && (den || (!x && !y)) ? (SizeTerm){num, den} : none;
}

static SizeTerm add(Writer *w, SizeTerm x, SizeTerm y, const char *op) {
  if (!x.num || !y.num) return none;
  bool same = x.den && y.den ? !strcmp(x.den, y.den) : x.den == y.den;
  if (same) return (SizeTerm){say(w->a, op, x.num, y.num), x.den};
  const char *num = say(w->a, op, times(w->a, x.num, y.den), times(w->a, y.num, x.den));
  return over(w, num, x.den, y.den);
}

static SizeTerm multiply(Writer *w, SizeTerm x, SizeTerm y) {
  return x.num && y.num ? over(w, times(w->a, x.num, y.num), x.den, y.den) : none;
}

static const char *compare(Arena *a, const char *op, SizeTerm x, SizeTerm y) {
  if (!x.num || !y.num) return NULL;
  return say(a, op, times(a, x.num, y.den), times(a, y.num, x.den));
}

static SizeTerm choose(Writer *w, const char *p, SizeTerm x, SizeTerm y) {
  if (!p || !x.num || !y.num) return none;
  SizeTerm zero = {"0", NULL}, both = add(w, x, y, "+"); /* to one denominator */
  SizeTerm left = add(w, x, (SizeTerm){zero.num, y.den}, "+"), right = add(w, (SizeTerm){zero.num, x.den}, y, "+");
  if (!both.num || !left.num || !right.num || strlen(p) + strlen(left.num) + strlen(right.num) > LONGEST) return none;
  return (SizeTerm){arena_printf(w->a, "(ite %s %s %s)", p, left.num, right.num), both.den};
}

static SizeTerm negated(Writer *w, SizeTerm x) {
  return x.num ? (SizeTerm){arena_printf(w->a, "(- %s)", x.num), x.den} : none;
}

static SizeTerm floor_of(Writer *w, SizeTerm x) {
  return x.num ? (SizeTerm){x.den ? say(w->a, "div", x.num, x.den) : x.num, NULL} : none;
}

static SizeTerm ceil_of(Writer *w, SizeTerm x) { return negated(w, floor_of(w, negated(w, x))); }

static SizeTerm truncated(Writer *w, SizeTerm x) {
  return choose(w, compare(w->a, "<", x, (SizeTerm){"0", NULL}), ceil_of(w, x), floor_of(w, x));
}

/* Sizes, positive integers, their sums and products. */
static bool positive(const Sizes *s, const AstExpr *e) {
  if (e->kind == EX_RAT) return rat_sign(e->value) > 0;
  if (e->kind == EX_NAME) return !e->graph && sizes_find(s, e->name) >= 0;
  return (e->kind == EX_ADD || e->kind == EX_MUL || e->kind == EX_DIV) && positive(s, e->args[0]) &&
         positive(s, e->args[1]);
}

static SizeTerm divide(Writer *w, SizeTerm x, SizeTerm y, const AstExpr *by) {
  if (!x.num || !y.num || !positive(w->s, by)) return none;
  return multiply(w, x, (SizeTerm){y.den ? y.den : "1", y.num});
}

static SizeTerm call(Writer *w, const AstExpr *e) {
  SizeTerm x[3] = {none, none, none};
  const char *name = sym_text(e->name);
  if (e->graph || sizes_function(e->name) != e->n_args) return none;
  for (uint32_t i = 0; i < e->n_args; i++) x[i] = sizeterm_of(w->s, e->args[i], w->a);
  SizeTerm quotient = e->n_args == 2 ? divide(w, x[0], x[1], e->args[1]) : none;
  if (!strcmp(name, "floordiv")) return floor_of(w, quotient);
  if (!strcmp(name, "truncdiv")) return truncated(w, quotient);
  if (!strcmp(name, "mod")) return add(w, x[0], multiply(w, x[1], floor_of(w, quotient)), "-");
  if (!strcmp(name, "rem")) return add(w, x[0], multiply(w, x[1], truncated(w, quotient)), "-");
  if (!strcmp(name, "minimum")) return choose(w, compare(w->a, "<=", x[0], x[1]), x[0], x[1]);
  if (!strcmp(name, "maximum")) return choose(w, compare(w->a, ">=", x[0], x[1]), x[0], x[1]);
  if (!strcmp(name, "floor")) return floor_of(w, x[0]);
  if (!strcmp(name, "ceil")) return ceil_of(w, x[0]);
  if (!strcmp(name, "abs")) return choose(w, compare(w->a, "<", x[0], (SizeTerm){"0", NULL}), negated(w, x[0]), x[0]);
  SizeTerm above = choose(w, compare(w->a, ">=", x[0], x[1]), x[0], x[1]); /* clamp */
  return choose(w, compare(w->a, "<=", above, x[2]), above, x[2]);
}

SizeTerm sizeterm_of(const Sizes *s, const AstExpr *e, Arena *a) {
  Writer w = {s, a};
  int64_t n;
  int k = e->kind == EX_NAME && !e->graph ? sizes_find(s, e->name) : -1;
  switch ((AstKind)e->kind) {
    case EX_RAT: return number(a, e->value);
    case EX_NAME: return k < 0 ? none : (SizeTerm){arena_printf(a, "s%d", k), NULL};
    case EX_NEG: return negated(&w, sizeterm_of(s, e->args[0], a));
    case EX_ADD: return add(&w, sizeterm_of(s, e->args[0], a), sizeterm_of(s, e->args[1], a), "+");
    case EX_SUB: return add(&w, sizeterm_of(s, e->args[0], a), sizeterm_of(s, e->args[1], a), "-");
    case EX_MUL: return multiply(&w, sizeterm_of(s, e->args[0], a), sizeterm_of(s, e->args[1], a));
    case EX_DIV: return divide(&w, sizeterm_of(s, e->args[0], a), sizeterm_of(s, e->args[1], a), e->args[1]);
    case EX_CALL: return call(&w, e);
    case EX_IF:
      return choose(&w, sizeterm_truth(s, e->args[0], a), sizeterm_of(s, e->args[1], a), sizeterm_of(s, e->args[2], a));
    case EX_POW: {
      SizeTerm out = {"1", NULL}, x = sizeterm_of(s, e->args[0], a);
      if (e->args[1]->kind != EX_RAT || !rat_to_int(e->args[1]->value, &n) || n < 0 || n > 8) return none;
      for (; n; n--) out = multiply(&w, out, x);
      return out;
    }
    default: return choose(&w, sizeterm_truth(s, e, a), (SizeTerm){"1", NULL}, (SizeTerm){"0", NULL});
  }
}

const char *sizeterm_truth(const Sizes *s, const AstExpr *e, Arena *a) {
  static const char *const op[EX_N_KINDS] = {
      [EX_EQ] = "=", [EX_NE] = "distinct", [EX_LT] = "<", [EX_LE] = "<=", [EX_GT] = ">", [EX_GE] = ">="};
  if (op[e->kind]) return compare(a, op[e->kind], sizeterm_of(s, e->args[0], a), sizeterm_of(s, e->args[1], a));
  if (e->kind == EX_AND) return say(a, "and", sizeterm_truth(s, e->args[0], a), sizeterm_truth(s, e->args[1], a));
  if (e->kind == EX_OR) return say(a, "or", sizeterm_truth(s, e->args[0], a), sizeterm_truth(s, e->args[1], a));
  const char *not = e->kind == EX_NOT ? sizeterm_truth(s, e->args[0], a) : NULL;
  return not ? arena_printf(a, "(not %s)", not ) : NULL;
}

SizeTerm sizeterm_of_poly(const SizePoly *p, uint32_t n_sizes, Arena *a) {
  Writer w = {NULL, a};
  SizeTerm out = {"0", NULL};
  for (uint32_t k = 0; k < p->n; k++) {
    SizeTerm x = number(a, p->coef[k]);
    for (uint32_t i = 0; i < n_sizes; i++)
      for (uint8_t d = 0; d < p->power[k][i]; d++)
        x = multiply(&w, x, (SizeTerm){arena_printf(a, "s%" PRIu32, i), NULL});
    out = k ? add(&w, out, x, "+") : x;
  }
  return p->inverse ? (SizeTerm){out.den ? out.den : "1", out.num} : out;
}

const char *sizeterm_less(SizeTerm x, SizeTerm y, Arena *a) { return compare(a, "<", x, y); }

const char *sizeterm_differ(SizeTerm x, SizeTerm y, Arena *a) {
  const char *differ = compare(a, "distinct", x, y);
  if (x.den && differ) differ = arena_printf(a, "(or (= %s 0) %s)", x.den, differ);
  if (y.den && differ) differ = arena_printf(a, "(or (= %s 0) %s)", y.den, differ);
  return differ;
}

const char *sizeterm_broken(SizeTerm x, Arena *a) {
  return x.den ? arena_printf(a, "(distinct (mod %s %s) 0)", x.num, x.den) : "false";
}

const char *sizeterm_negative(SizeTerm x, Arena *a) { return say(a, "<", x.num, "0"); }
