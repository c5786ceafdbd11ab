/* smt: see smt.h. */
#include "eval/lemma/smt.h"

#include <stdio.h>
#include <string.h>

#include "eval/lemma/smt_term.h"
#include "eval/meaning/fn.h"

enum { MAX_PROBLEM = 1 << 22, MAX_QUESTIONS = 64 };

static SmtTerm ev(SmtText *c, XId id);

/* exp of an expression: of a sum it is a product, of an integer multiple a power. */
static SmtTerm exp_expr(SmtText *c, XId id) {
  const X *x = &c->in->x[id];
  if (x->kind == X_ADD) {
    SmtTerm p = smt_number(RAT_1);
    for (uint32_t k = 0; k < x->n; k++) p = smt_mul(c, p, exp_expr(c, x->args[k]));
    return p;
  }
  if (x->kind == X_FN && x->n == 1 && fn_find(x->name) == FN_LOG) {
    SmtTerm u = ev(c, x->args[0]);
    u.defined = smt_both(c, u.defined, SMT_SAY(c, "(> %s 0.0)", smt_real(c, u)));
    return smt_term(smt_real(c, u), u.defined);
  }
  int64_t n;
  for (uint32_t k = 0; x->kind == X_MUL && x->n == 2 && k < 2; k++) {
    const X *factor = &c->in->x[x->args[k]];
    bool whole = factor->kind == X_RAT && rat_to_int(factor->r, &n) && n >= -SMT_POWER && n <= SMT_POWER;
    if (whole) return smt_power(c, exp_expr(c, x->args[1 - k]), n);
  }
  return smt_exp(c, ev(c, id));
}

/* tanh x = 2 / (1 + exp(-2 x)) - 1 */
static SmtTerm tanh_expr(SmtText *c, XId id) {
  c->axioms = "lemma tanh_logistic: tanh(x) == 2 / (1 + exp(-2 * x)) - 1";
  SmtTerm e = smt_power(c, exp_expr(c, id), -2);
  return smt_add(c, smt_mul(c, smt_number(RAT_INT(2)), smt_inverse(c, smt_add(c, smt_number(RAT_1), e))),
                 smt_number(RAT_NEG1));
}

/* log of positive factors is the sum of their logarithms, of a power a multiple; anything else is an unknown. */
static SmtTerm log_expr(SmtText *c, XId id) {
  const X *x = &c->in->x[id];
  SmtTerm whole = smt_log(c, ev(c, id));
  if (x->kind != X_MUL && x->kind != X_POW) return whole;
  const char *positive = "true";
  SmtTerm sum = smt_number(RAT_0);
  for (uint32_t k = 0; k < x->n; k++) {
    SmtTerm factor = ev(c, x->args[k]);
    positive = smt_both(c, positive, SMT_SAY(c, "(> %s 0.0)", smt_real(c, factor)));
    sum = smt_add(c, sum, log_expr(c, x->args[k]));
  }
  if (x->kind == X_POW) sum = smt_mul(c, smt_number(x->r), sum);
  vec_push(&c->facts, SMT_SAY(c, "(=> %s (= %s %s))", positive, smt_real(c, whole), smt_real(c, sum)));
  return whole;
}

/* ---- expressions ---- */

static SmtTerm ev_index(SmtText *c, const Ix *ix, bool *constant, int64_t *value) {
  int64_t v = ix->constant;
  for (uint32_t t = 0; t < ix->n_terms; t++) v += ix->terms[t].coef * c->at[ix->terms[t].var];
  SmtTerm at = smt_number(rat_int(v));
  if (ix->dyn != NO_X) at = smt_add(c, at, ev(c, ix->dyn));
  *constant = at.is_const && rat_to_int(at.k, value);
  return at;
}

static const char *element_name(SmtText *c, uint32_t operand, uint64_t at) {
  return SMT_SAY(c, "x%u_%llu", operand, (unsigned long long)at);
}

static SmtTerm element(SmtText *c, uint32_t operand, uint64_t at) {
  DKind kind = dtype_kind((DType)c->g->nodes.at[c->node->args[operand]].dtype);
  const char *name = element_name(c, operand, at);
  if (kind == DK_BOOL) return (SmtTerm){.is_bool = true, .text = name};
  return (SmtTerm){.is_int = kind == DK_INT || kind == DK_UINT, .text = name};
}

/* What stands beyond an operand is any number, each time: of sides that have no value at a shape nothing would be asked. */
static SmtTerm beyond(SmtText *c) {
  const char *number = SMT_SAY(c, "%zu", c->unknowns.len);
  bool made;
  return smt_term(smt_unknown(c, "beyond", &number, 1, &made), NULL);
}

/* The element at indices of which some are only known to Z3: a choice of all. */
static SmtTerm choose(SmtText *c, const X *x, const Node *arg, uint32_t dim, uint64_t position) {
  if (dim == x->n) return element(c, x->operand, position);
  int64_t size = x->mode == READ_AT ? arg->dims[dim] : node_elements(arg), v;
  bool constant;
  SmtTerm at = ev_index(c, &x->ix[dim], &constant, &v);
  if (constant) {
    if (v < 0 || v >= size) return beyond(c);
    return choose(c, x, arg, dim + 1, position * (uint64_t)size + (uint64_t)v);
  }
  SmtTerm out = {.is_const = true, .k = RAT_0, .defined = "false"};
  for (int64_t i = size; i-- > 0 && !c->why;) {
    SmtTerm one = choose(c, x, arg, dim + 1, position * (uint64_t)size + (uint64_t)i);
    out = smt_choice(c, smt_compared(c, "=", at, smt_number(rat_int(i))), one, out);
  }
  out.defined = smt_both(c, at.defined, out.defined);
  return out;
}

static SmtTerm ev_read(SmtText *c, const X *x) {
  if (x->group != NO_VAR || x->permuted) return smt_give_up(c, "it reads other devices");
  const Node *arg = &c->g->nodes.at[c->node->args[x->operand]];
  if (x->mode == READ_AT ? x->n != arg->rank : x->n != 1) return smt_give_up(c, "a read that does not fit");
  return choose(c, x, arg, 0, 0);
}

/* A false comparison among the factors makes the product 0, whatever the others are. */
static SmtTerm ev_mul(SmtText *c, const X *x) {
  SmtTerm p = smt_number(RAT_1), guard = smt_number(RAT_1);
  for (uint32_t k = 0; k < x->n; k++) {
    SmtTerm *to = c->in->x[x->args[k]].kind == X_CMP ? &guard : &p;
    SmtTerm t = ev(c, x->args[k]);
    if (to == &guard && t.is_const && t.k == RAT_0 && !t.defined) return smt_number(RAT_0);
    *to = smt_mul(c, *to, t);
  }
  if (guard.is_const && !guard.defined) return smt_mul(c, guard, p);
  const char *on = smt_truth(c, guard), *rest = p.defined;
  p.defined = NULL;
  SmtTerm out = smt_mul(c, guard, p);
  out.defined = smt_both(c, guard.defined, smt_where(c, on, rest, NULL));
  return out;
}

static SmtTerm ev_compare(SmtText *c, const X *x) {
  SmtTerm a = ev(c, x->args[0]), b = ev(c, x->args[1]);
  const char *op = sym_text(x->name);
  if (a.is_const && b.is_const) {
    int o = rat_cmp(a.k, b.k);
    bool v = !strcmp(op, "==")   ? o == 0
             : !strcmp(op, "!=") ? o != 0
             : !strcmp(op, "<")  ? o < 0
             : !strcmp(op, "<=") ? o <= 0
             : !strcmp(op, ">")  ? o > 0
                                 : o >= 0;
    return (SmtTerm){.is_const = true, .k = rat_int(v), .defined = smt_both(c, a.defined, b.defined)};
  }
  SmtTerm out = {.is_bool = true, .defined = smt_both(c, a.defined, b.defined)};
  bool equation = !strcmp(op, "==") || !strcmp(op, "!=");
  out.text = smt_compared(c, equation ? "=" : op, a, b);
  if (!strcmp(op, "!=")) out.text = SMT_SAY(c, "(not %s)", out.text);
  return out;
}

static SmtTerm ev_select(SmtText *c, const X *x) {
  SmtTerm p = ev(c, x->args[0]);
  if (p.is_const && !p.defined) return ev(c, x->args[rat_sign(p.k) ? 1 : 2]);
  SmtTerm out = smt_choice(c, smt_truth(c, p), ev(c, x->args[1]), ev(c, x->args[2]));
  out.defined = smt_both(c, p.defined, out.defined);
  return out;
}

static bool next_point(SmtText *c, const X *x) {
  for (uint32_t k = x->n_vars; k-- > 0;) {
    if (++c->at[x->vars[k]] < c->in->vars[x->vars[k]].size) return true;
    c->at[x->vars[k]] = 0;
  }
  return false;
}

static SmtTerm ev_reduction(SmtText *c, const X *x) {
  for (uint32_t k = 0; k < x->n_vars; k++) {
    if (!c->in->vars[x->vars[k]].size) return x->kind == X_SUM ? smt_number(RAT_0) : smt_give_up(c, "an infinity");
    c->at[x->vars[k]] = 0;
  }
  SmtTerm out = smt_number(RAT_0);
  bool first = true;
  do {
    SmtTerm t = ev(c, x->args[0]);
    out = first ? t : x->kind == X_SUM ? smt_add(c, out, t) : smt_larger(c, out, t, x->kind == X_MAX);
    first = false;
  } while (next_point(c, x) && !c->why);
  return out;
}

static SmtTerm ev_fn(SmtText *c, const X *x) {
  FnId fn = fn_find(x->name);
  SmtTerm a[SMT_ARGS];
  Rat k[SMT_ARGS], folded;
  if (fn == FN_COUNT || x->n > SMT_ARGS) return smt_give_up(c, "a function it does not know");
  if (fn == FN_EXP) return exp_expr(c, x->args[0]);
  if (fn == FN_LOG) return log_expr(c, x->args[0]);
  if (fn == FN_TANH) return tanh_expr(c, x->args[0]);
  bool numbers = true;
  for (uint32_t i = 0; i < x->n; i++) {
    a[i] = ev(c, x->args[i]);
    numbers &= a[i].is_const;
    k[i] = a[i].k;
  }
  const char *defined = NULL;
  for (uint32_t i = 0; i < x->n; i++) defined = smt_both(c, defined, a[i].defined);
  if (numbers && fn_fold(fn, k, &folded)) return (SmtTerm){.is_const = true, .k = folded, .defined = defined};
  return smt_apply(c, fn, a, x->n);
}

static SmtTerm ev(SmtText *c, XId id) {
  if (c->why) return smt_number(RAT_0);
  const X *x = &c->in->x[id];
  bool constant;
  int64_t v;
  switch (x->kind) {
    case X_RAT: return rat_is_finite(x->r) ? smt_number(x->r) : smt_give_up(c, "an infinity");
    case X_INDEX: return ev_index(c, &x->ix[0], &constant, &v);
    case X_READ: return ev_read(c, x);
    case X_ADD: {
      SmtTerm s = smt_number(RAT_0);
      for (uint32_t k = 0; k < x->n; k++) s = smt_add(c, s, ev(c, x->args[k]));
      return s;
    }
    case X_MUL: return ev_mul(c, x);
    case X_POW: return smt_rational_power(c, ev(c, x->args[0]), x->r);
    case X_FN: return ev_fn(c, x);
    case X_CMP: return ev_compare(c, x);
    case X_SELECT: return ev_select(c, x);
    case X_SUM:
    case X_MAX:
    case X_MIN: return ev_reduction(c, x);
    default: return smt_give_up(c, "an infinity");
  }
}

static SmtTerm side(SmtText *c, const Graph *g, const Instance *const *in, uint64_t at) {
  NodeId id = g->outputs.at[0].node;
  c->g = g;
  c->node = &g->nodes.at[id];
  c->in = in[id];
  if (!c->in || c->in->opaque || c->in->body == NO_X || c->in->n_vars > SMT_VARS) return smt_give_up(c, "no equation");
  uint64_t rest = at;
  for (uint32_t d = c->in->n_out; d-- > 0;)
    for (uint32_t k = c->in->out[d].n; k-- > 0;) {
      VarId v = c->in->out[d].vars[k];
      c->at[v] = (int64_t)(rest % (uint64_t)c->in->vars[v].size);
      rest /= (uint64_t)c->in->vars[v].size;
    }
  return ev(c, c->in->body);
}

static void declare(SmtText *c, const Graph *g) {
  for (uint32_t p = 0; p < g->params.len; p++) {
    const Node *n = &g->nodes.at[g->params.at[p]];
    DKind kind = dtype_kind((DType)n->dtype);
    const char *sort = kind == DK_BOOL ? "Bool" : kind == DK_INT || kind == DK_UINT ? "Int" : "Real";
    for (int64_t e = 0; e < node_elements(n) && !c->why; e++) {
      const char *name = element_name(c, p, (uint64_t)e);
      vec_push(&c->declared, SMT_SAY(c, "(declare-const %s %s)", name, sort));
      c->integers |= kind == DK_INT || kind == DK_UINT;
      if (kind == DK_UINT) vec_push(&c->facts, SMT_SAY(c, "(>= %s 0)", name));
    }
  }
}

/* Every question stands alone: asked one after the other in one problem, Z3 would not use its solver for polynomials.
 */
static const char *write_problem(SmtText *c, char *const *questions, uint32_t n) {
  size_t common = 64, size = 64;
  for (size_t i = 0; i < c->facts.len; i++) common += strlen(c->facts.at[i]) + 16;
  for (size_t i = 0; i < c->declared.len; i++) common += strlen(c->declared.at[i]) + 2;
  for (uint32_t i = 0; i < n; i++) size += common + strlen(questions[i]) + 64;
  if (size > MAX_PROBLEM) {
    c->why = "it is too large";
    return NULL;
  }
  char *text = arena_alloc(c->a, size);
  size_t at = 0;
#define PUT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  for (uint32_t q = 0; q < n; q++) {
    if (!c->integers || !c->nonlinear) PUT("(set-logic QF_%s)\n", c->nonlinear ? "NRA" : c->integers ? "LIRA" : "LRA");
    for (size_t i = 0; i < c->declared.len; i++) PUT("%s\n", c->declared.at[i]);
    for (size_t i = 0; i < c->facts.len; i++) PUT("(assert %s)\n", c->facts.at[i]);
    PUT("(assert %s)\n(check-sat)\n(reset)\n", questions[q]);
  }
#undef PUT
  return text;
}

Smt smt_of(const Graph *left, const Instance *const *in_left, const Graph *right, const Instance *const *in_right,
           Arena *a) {
  SmtText c = {.a = a};
  Smt out = {0};
  uint64_t n = (uint64_t)node_elements(&left->nodes.at[left->outputs.at[0].node]);
  if (n > MAX_QUESTIONS) c.why = "it is too large";
  char *questions[2 * MAX_QUESTIONS];
  bool *defined = ARENA_ARRAY(a, bool, 2 * MAX_QUESTIONS);
  declare(&c, left);
  for (uint64_t i = 0; i < n && !c.why; i++) {
    SmtTerm x = side(&c, left, in_left, i), y = side(&c, right, in_right, i);
    const char *dx = x.defined ? x.defined : "true", *dy = y.defined ? y.defined : "true";
    if (strcmp(smt_real(&c, x), smt_real(&c, y)))
      questions[out.n_questions++] = (char *)SMT_SAY(&c, "(and %s %s (not %s))", dx, dy, smt_compared(&c, "=", x, y));
    if (!strcmp(dx, dy)) continue;
    defined[out.n_questions] = true;
    questions[out.n_questions++] = (char *)SMT_SAY(&c, "(not (= %s %s))", dx, dy);
  }
  out.defined = defined;
  smt_relate(&c);
  if (!c.why) out.text = write_problem(&c, questions, out.n_questions);
  out.why = c.why;
  out.axioms = c.axioms;
  vec_free(&c.unknowns);
  vec_free(&c.facts);
  vec_free(&c.declared);
  return out;
}
