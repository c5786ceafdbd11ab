/* smt_term: see smt_term.h. */
#include "eval/lemma/smt_term.h"

#include <string.h>

enum { MAX_TEXT = 400000, MAX_SAME = 12 };

const char *smt_keep(SmtText *c, const char *s) {
  c->length += strlen(s);
  if (c->length > MAX_TEXT && !c->why) c->why = "it is too large";
  return s;
}

SmtTerm smt_number(Rat k) { return (SmtTerm){.is_const = true, .k = k}; }

SmtTerm smt_give_up(SmtText *c, const char *why) {
  if (!c->why) c->why = why;
  return smt_number(RAT_0);
}

static const char *number_text(SmtText *c, Rat k) {
  char buf[256];
  Rat p = rat_abs(k);
  rat_print(p, buf, sizeof buf);
  char *slash = strchr(buf, '/');
  const char *s;
  if (slash) {
    *slash = 0;
    s = SMT_SAY(c, "(/ %s.0 %s.0)", buf, slash + 1);
  } else {
    s = SMT_SAY(c, "%s.0", buf);
  }
  return rat_sign(k) < 0 ? SMT_SAY(c, "(- %s)", s) : s;
}

const char *smt_real(SmtText *c, SmtTerm t) {
  if (t.is_const) return number_text(c, t.k);
  if (t.is_int) return SMT_SAY(c, "(to_real %s)", t.text);
  return t.is_bool ? SMT_SAY(c, "(ite %s 1.0 0.0)", t.text) : t.text;
}

static bool whole(SmtTerm t) { return t.is_int || t.is_bool || (t.is_const && rat_is_int(t.k)); }
/* Both are integers, and not just numbers. */
static bool whole_pair(SmtTerm x, SmtTerm y) { return whole(x) && whole(y) && (x.is_int || y.is_int); }

const char *smt_integer(SmtText *c, SmtTerm t) {
  char buf[256];
  if (t.is_bool) return SMT_SAY(c, "(ite %s 1 0)", t.text);
  if (!t.is_const) return t.text;
  rat_print(rat_abs(t.k), buf, sizeof buf);
  return rat_sign(t.k) < 0 ? SMT_SAY(c, "(- %s)", buf) : SMT_SAY(c, "%s", buf);
}

const char *smt_truth(SmtText *c, SmtTerm t) {
  if (t.is_const) return rat_sign(t.k) ? "true" : "false";
  if (t.is_int) return SMT_SAY(c, "(not (= %s 0))", t.text);
  return t.is_bool ? t.text : SMT_SAY(c, "(not (= %s 0.0))", t.text);
}

const char *smt_both(SmtText *c, const char *x, const char *y) {
  if (!x || !y) return x ? x : y;
  return strcmp(x, y) ? SMT_SAY(c, "(and %s %s)", x, y) : x;
}

/* x where p, else y; NULL is true. */
const char *smt_where(SmtText *c, const char *p, const char *x, const char *y) {
  if (!x && !y) return NULL;
  return SMT_SAY(c, "(ite %s %s %s)", p, x ? x : "true", y ? y : "true");
}

SmtTerm smt_term(const char *text, const char *defined) { return (SmtTerm){.text = text, .defined = defined}; }

/* An operator on two terms, over the integers if both are. */
static SmtTerm binary(SmtText *c, const char *op, SmtTerm x, SmtTerm y) {
  SmtTerm out = {.defined = smt_both(c, x.defined, y.defined), .is_int = whole_pair(x, y)};
  out.text = out.is_int ? SMT_SAY(c, "(%s %s %s)", op, smt_integer(c, x), smt_integer(c, y))
                        : SMT_SAY(c, "(%s %s %s)", op, smt_real(c, x), smt_real(c, y));
  return out;
}

static SmtTerm smt_with(SmtTerm t, const char *defined) {
  t.defined = defined;
  return t;
}

SmtTerm smt_add(SmtText *c, SmtTerm x, SmtTerm y) {
  const char *defined = smt_both(c, x.defined, y.defined);
  if (x.is_const && y.is_const) return (SmtTerm){.is_const = true, .k = rat_add(x.k, y.k), .defined = defined};
  if (x.is_const && x.k == RAT_0) return smt_with(y, defined);
  if (y.is_const && y.k == RAT_0) return smt_with(x, defined);
  return binary(c, "+", x, y);
}

SmtTerm smt_mul(SmtText *c, SmtTerm x, SmtTerm y) {
  const char *defined = smt_both(c, x.defined, y.defined);
  if (x.is_const && y.is_const) return (SmtTerm){.is_const = true, .k = rat_mul(x.k, y.k), .defined = defined};
  if (x.is_const && x.k == RAT_1) return smt_with(y, defined);
  if (y.is_const && y.k == RAT_1) return smt_with(x, defined);
  if ((x.is_const && x.k == RAT_0) || (y.is_const && y.k == RAT_0))
    return (SmtTerm){.is_const = true, .k = RAT_0, .defined = defined};
  if (x.is_bool && y.is_bool)
    return (SmtTerm){.is_bool = true, .text = SMT_SAY(c, "(and %s %s)", x.text, y.text), .defined = defined};
  if (x.is_bool || y.is_bool) {
    SmtTerm p = x.is_bool ? x : y, rest = x.is_bool ? y : x;
    if (rest.is_int)
      return (SmtTerm){.is_int = true, .text = SMT_SAY(c, "(ite %s %s 0)", p.text, rest.text), .defined = defined};
    return smt_term(SMT_SAY(c, "(ite %s %s 0.0)", p.text, smt_real(c, rest)), defined);
  }
  c->nonlinear |= !x.is_const && !y.is_const;
  return binary(c, "*", x, y);
}

/* ---- unknowns ---- */

/* The unknown for fn(args); *made says whether it is new. */
const char *smt_unknown(SmtText *c, const char *fn, const char *const *args, uint32_t n, bool *made) {
  for (size_t i = 0; i < c->unknowns.len; i++) {
    const SmtUnknown *u = &c->unknowns.at[i];
    bool same = !strcmp(u->fn, fn) && u->n == n;
    for (uint32_t k = 0; same && k < n; k++) same = !strcmp(u->args[k], args[k]);
    *made = false;
    if (same) return u->name;
  }
  SmtUnknown u = {.fn = fn, .n = n};
  for (uint32_t k = 0; k < n; k++) u.args[k] = args[k];
  u.name = SMT_SAY(c, "u%zu", c->unknowns.len);
  vec_push(&c->declared, SMT_SAY(c, "(declare-const %s Real)", u.name));
  vec_push(&c->unknowns, u);
  *made = true;
  return u.name;
}

SmtTerm smt_inverse(SmtText *c, SmtTerm x) {
  if (x.is_const) {
    if (x.k != RAT_0) return (SmtTerm){.is_const = true, .k = rat_inv(x.k), .defined = x.defined};
    return smt_term("0.0", "false");
  }
  const char *d = smt_real(c, x);
  bool made;
  const char *q = smt_unknown(c, "/", &d, 1, &made);
  c->nonlinear = true;
  if (made) vec_push(&c->facts, SMT_SAY(c, "(or (= %s 0.0) (= (* %s %s) 1.0))", d, q, d));
  return smt_term(q, smt_both(c, x.defined, SMT_SAY(c, "(not (= %s 0.0))", d)));
}

SmtTerm smt_power(SmtText *c, SmtTerm x, int64_t n) {
  if (n < 0) return smt_power(c, smt_inverse(c, x), -n);
  SmtTerm p = smt_number(RAT_1);
  for (int64_t i = 0; i < n; i++) p = smt_mul(c, p, x);
  if (!n) p.defined = x.defined;
  return p;
}

/* x ^ (p / q) is s ^ p with s the q-th root. */
SmtTerm smt_rational_power(SmtText *c, SmtTerm x, Rat r) {
  int64_t q = 1, p;
  while (q <= SMT_POWER && !rat_to_int(rat_mul(r, rat_int(q)), &p)) q++;
  if (q > SMT_POWER || p > SMT_POWER || p < -SMT_POWER) return smt_give_up(c, "a large exponent");
  if (q == 1) return smt_power(c, x, p);
  const char *u = smt_real(c, x);
  bool made;
  const char *s = smt_unknown(c, SMT_SAY(c, "root%lld", (long long)q), &u, 1, &made);
  if (made) {
    SmtTerm raised = smt_power(c, smt_term(s, NULL), q);
    vec_push(&c->facts, SMT_SAY(c, "(or (< %s 0.0) (and (>= %s 0.0) (= %s %s)))", u, s, raised.text, u));
  }
  return smt_power(c, smt_term(s, smt_both(c, x.defined, SMT_SAY(c, "(>= %s 0.0)", u))), p);
}

SmtTerm smt_function(SmtText *c, const char *fn, const SmtTerm *args, uint32_t n) {
  const char *text[SMT_ARGS], *defined = NULL;
  if (n > SMT_ARGS) return smt_give_up(c, "a function of many arguments");
  for (uint32_t k = 0; k < n; k++) {
    text[k] = smt_real(c, args[k]);
    defined = smt_both(c, defined, args[k].defined);
  }
  bool made;
  return smt_term(smt_unknown(c, fn, text, n, &made), defined);
}

SmtTerm smt_choice(SmtText *c, const char *p, SmtTerm a, SmtTerm b) {
  const char *defined = smt_where(c, p, a.defined, b.defined);
  if (whole_pair(a, b))
    return (SmtTerm){.is_int = true,
                     .text = SMT_SAY(c, "(ite %s %s %s)", p, smt_integer(c, a), smt_integer(c, b)),
                     .defined = defined};
  return smt_term(SMT_SAY(c, "(ite %s %s %s)", p, smt_real(c, a), smt_real(c, b)), defined);
}

/* "(< x y)", over the integers if both are. */
const char *smt_compared(SmtText *c, const char *op, SmtTerm x, SmtTerm y) { return binary(c, op, x, y).text; }

/* The integer q with x = q d + r, 0 <= r < |d| or, for d < 0, d < r <= 0. */
SmtTerm smt_floor(SmtText *c, SmtTerm x, SmtTerm d) {
  SmtTerm zero = smt_number(RAT_0), q = {.is_int = true}, r;
  const char *args[2] = {smt_real(c, x), smt_real(c, d)};
  bool made;
  const char *name = smt_unknown(c, "floor", args, 2, &made);
  q.text = SMT_SAY(c, "i%s", name);
  c->integers = true;
  if (made) {
    bool over_integers = whole_pair(x, d);
    vec_push(&c->declared, SMT_SAY(c, "(declare-const %s Int)", q.text));
    vec_push(&c->declared, SMT_SAY(c, "(declare-const r%s %s)", name, over_integers ? "Int" : "Real"));
    r = (SmtTerm){.is_int = over_integers, .text = SMT_SAY(c, "r%s", name)};
    SmtTerm sum = smt_add(c, smt_mul(c, d, q), r), plain = x;
    plain.defined = sum.defined = NULL;
    const char *fits = smt_compared(c, "=", plain, sum);
    vec_push(&c->facts, SMT_SAY(c, "(=> %s (and %s %s %s))", smt_compared(c, ">", d, zero), fits,
                                smt_compared(c, ">=", r, zero), smt_compared(c, "<", r, d)));
    vec_push(&c->facts, SMT_SAY(c, "(=> %s (and %s %s %s))", smt_compared(c, "<", d, zero), fits,
                                smt_compared(c, "<=", r, zero), smt_compared(c, ">", r, d)));
  }
  bool never = d.is_const && d.k != RAT_0;
  q.defined = smt_both(c, smt_both(c, x.defined, d.defined),
                       never ? NULL : SMT_SAY(c, "(not %s)", smt_compared(c, "=", d, zero)));
  return q;
}

/* x / d rounded towards 0; where d is not positive, an unknown function of both. */
static SmtTerm smt_truncated(SmtText *c, SmtTerm x, SmtTerm d) {
  SmtTerm zero = smt_number(RAT_0), args[] = {x, d};
  SmtTerm up = smt_mul(c, smt_number(RAT_NEG1), smt_floor(c, smt_mul(c, smt_number(RAT_NEG1), x), d));
  SmtTerm whole = smt_choice(c, smt_compared(c, ">=", x, zero), smt_floor(c, x, d), up);
  if (d.is_const && rat_sign(d.k) > 0) return whole;
  return smt_choice(c, smt_compared(c, ">", d, zero), whole, smt_function(c, "truncdiv", args, 2));
}

/* The nearest integer; of two, the even one, or the one away from 0. */
static SmtTerm smt_rounded(SmtText *c, SmtTerm x, bool even) {
  SmtTerm one = smt_number(RAT_1), half = smt_number(rat_frac(1, 2)), minus = smt_number(RAT_NEG1);
  SmtTerm up = smt_add(c, x, half), f = smt_floor(c, up, one);
  if (even) {
    SmtTerm odd = smt_add(c, f, smt_mul(c, smt_number(RAT_INT(-2)), smt_floor(c, f, smt_number(RAT_INT(2)))));
    return smt_choice(c, smt_compared(c, "=", up, f), smt_add(c, f, smt_mul(c, minus, odd)), f);
  }
  SmtTerm down = smt_mul(c, minus, smt_floor(c, smt_add(c, smt_mul(c, minus, x), half), one));
  return smt_choice(c, smt_compared(c, ">=", x, smt_number(RAT_0)), f, down);
}

SmtTerm smt_exp(SmtText *c, SmtTerm x) {
  if (x.is_const && x.k == RAT_0) return (SmtTerm){.is_const = true, .k = RAT_1, .defined = x.defined};
  SmtTerm e = smt_function(c, "exp", &x, 1);
  vec_push(&c->facts, SMT_SAY(c, "(> %s 0.0)", e.text));
  return e;
}

SmtTerm smt_log(SmtText *c, SmtTerm x) {
  if (x.is_const && x.k == RAT_1) return (SmtTerm){.is_const = true, .k = RAT_0, .defined = x.defined};
  SmtTerm l = smt_function(c, "log", &x, 1);
  l.defined = smt_both(c, l.defined, SMT_SAY(c, "(> %s 0.0)", smt_real(c, x)));
  return l;
}

SmtTerm smt_larger(SmtText *c, SmtTerm a, SmtTerm b, bool max) {
  if (a.is_const && b.is_const)
    return smt_with((rat_cmp(a.k, b.k) >= 0) == max ? a : b, smt_both(c, a.defined, b.defined));
  SmtTerm out = smt_choice(c, smt_compared(c, max ? ">=" : "<=", a, b), a, b);
  out.defined = smt_both(c, a.defined, b.defined);
  return out;
}

/* Bits of an integer, where it is known which: x * 2^n, floor(x / 2^n), or of both the sum of all that both have. */
static SmtTerm of_bits(SmtText *c, FnId fn, SmtTerm x, SmtTerm n) {
  enum { MOST_BITS = 16 };
  int64_t k;
  if (!x.is_int || !n.is_const || !rat_to_int(n.k, &k) || k < 0 || k >= (fn == FN_BAND ? 1 << MOST_BITS : MOST_BITS))
    return smt_give_up(c, "bits that are not known");
  SmtTerm sum = {.is_const = true, .k = RAT_0, .defined = x.defined};
  if (fn == FN_SHL) return smt_mul(c, smt_number(rat_int(INT64_C(1) << k)), x);
  if (fn == FN_SHR) return smt_floor(c, x, smt_number(rat_int(INT64_C(1) << k)));
  for (int64_t bit = 1; bit <= k; bit *= 2) {
    if (!(k & bit)) continue;
    sum = smt_add(c, sum, smt_mul(c, smt_number(rat_int(bit)), smt_floor(c, x, smt_number(rat_int(bit)))));
    sum = smt_add(c, sum, smt_mul(c, smt_number(rat_int(-2 * bit)), smt_floor(c, x, smt_number(rat_int(2 * bit)))));
  }
  return sum;
}

SmtTerm smt_apply(SmtText *c, FnId fn, const SmtTerm *a, uint32_t n) {
  const char *zero = n ? smt_compared(c, ">=", a[0], smt_number(RAT_0)) : "true";
  switch (fn) {
    case FN_ABS: return smt_choice(c, zero, a[0], smt_mul(c, smt_number(RAT_NEG1), a[0]));
    case FN_SIGN:
      return smt_choice(c, smt_compared(c, "=", a[0], smt_number(RAT_0)),
                        (SmtTerm){.is_const = true, .k = RAT_0, .defined = a[0].defined},
                        smt_choice(c, zero, smt_number(RAT_1), smt_number(RAT_NEG1)));
    case FN_MAXIMUM: return smt_larger(c, a[0], a[1], true);
    case FN_MINIMUM: return smt_larger(c, a[0], a[1], false);
    case FN_CLAMP: return smt_larger(c, smt_larger(c, a[0], a[1], true), a[2], false);
    case FN_FLOOR: return smt_floor(c, a[0], smt_number(RAT_1));
    case FN_CEIL:
      return smt_mul(c, smt_number(RAT_NEG1), smt_floor(c, smt_mul(c, smt_number(RAT_NEG1), a[0]), smt_number(RAT_1)));
    case FN_ROUND_EVEN: return smt_rounded(c, a[0], true);
    case FN_ROUND_AFZ: return smt_rounded(c, a[0], false);
    case FN_TRUNC: return smt_truncated(c, a[0], smt_number(RAT_1));
    case FN_TRUNCDIV: return smt_truncated(c, a[0], a[1]);
    case FN_REM:
      return smt_add(c, a[0], smt_mul(c, smt_number(RAT_NEG1), smt_mul(c, a[1], smt_truncated(c, a[0], a[1]))));
    case FN_FLOORDIV: return smt_floor(c, a[0], a[1]);
    case FN_MOD: return smt_add(c, a[0], smt_mul(c, smt_number(RAT_NEG1), smt_mul(c, a[1], smt_floor(c, a[0], a[1]))));
    case FN_BAND: return of_bits(c, fn, a[a[0].is_const], a[!a[0].is_const]);
    case FN_SHL:
    case FN_SHR: return of_bits(c, fn, a[0], a[1]);
    case FN_SIN:
    case FN_COS:
    case FN_ERF: return smt_function(c, fn_text(fn), a, n);
    default: return smt_give_up(c, "a function it does not know");
  }
}

/* log u = t where u = exp t. */
static void undo(SmtText *c, const SmtUnknown *l, const SmtUnknown *e) {
  if (strcmp(l->fn, "log") || strcmp(e->fn, "exp")) return;
  vec_push(&c->facts, SMT_SAY(c, "(=> (= %s %s) (= %s %s))", l->args[0], e->name, l->name, e->args[0]));
}

/* exp increases (axiom exp_increases), and the logarithm of positive numbers. */
static void ordered(SmtText *c, const char *fn, const char *x, const char *fx, const char *y, const char *fy) {
  bool log = !strcmp(fn, "log");
  if (!log && strcmp(fn, "exp")) return;
  const char *same = SMT_SAY(c, "(and (= (< %s %s) (< %s %s)) (= (= %s %s) (= %s %s)))", x, y, fx, fy, x, y, fx, fy);
  vec_push(&c->facts, log ? SMT_SAY(c, "(=> (and (> %s 0.0) (> %s 0.0)) %s)", x, y, same) : same);
}

/* Equal arguments give equal values; the logarithm undoes exp. */
void smt_relate(SmtText *c) {
  uint32_t same = 0;
  for (size_t i = 0; i < c->unknowns.len; i++)
    for (size_t j = 0; j < i; j++) {
      const SmtUnknown *u = &c->unknowns.at[i], *v = &c->unknowns.at[j];
      undo(c, u, v);
      undo(c, v, u);
      if (strcmp(u->fn, v->fn) || u->n != v->n || ++same > MAX_SAME * MAX_SAME) continue;
      const char *equal = "true";
      for (uint32_t k = 0; k < u->n; k++) equal = smt_both(c, equal, SMT_SAY(c, "(= %s %s)", u->args[k], v->args[k]));
      vec_push(&c->facts, SMT_SAY(c, "(=> %s (= %s %s))", equal, u->name, v->name));
      ordered(c, u->fn, u->args[0], u->name, v->args[0], v->name);
    }
  for (size_t i = 0; i < c->unknowns.len; i++) {
    const SmtUnknown *u = &c->unknowns.at[i];
    bool log = !strcmp(u->fn, "log");
    ordered(c, u->fn, u->args[0], u->name, log ? "1.0" : "0.0", log ? "0.0" : "1.0");
  }
}
