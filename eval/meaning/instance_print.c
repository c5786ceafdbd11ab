/* instance_print: an instance as index notation. */
#include "eval/meaning/instance.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_PRINT_DEPTH = 200 };

typedef struct Out {
  const Instance *in;
  Vec(char) text;
  uint32_t depth;
} Out;

static void put(Out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Out *o, const char *fmt, ...) {
  va_list args, copy;
  va_start(args, fmt);
  va_copy(copy, args);
  int n = vsnprintf(NULL, 0, fmt, copy);
  va_end(copy);
  vec_reserve(&o->text, o->text.len + (size_t)n + 1);
  vsnprintf(o->text.at + o->text.len, (size_t)n + 1, fmt, args);
  o->text.len += (size_t)n;
  va_end(args);
}

static void put_rat(Out *o, Rat r) {
  char buf[200];
  put(o, "%s", rat_print(r, buf, sizeof buf));
}

static const char *var_text(const Out *o, VarId v) { return sym_text(o->in->vars[v].name); }

/* Binding strength of a node's text: 0 if and comparison, 1 sum, 2 product, 3 atom. */
static int strength(const X *x) {
  switch ((XKind)x->kind) {
    case X_SELECT:
    case X_CMP: return 0;
    case X_ADD: return 1;
    case X_SUM:
    case X_MAX:
    case X_MIN:
    case X_MUL: return 2;
    case X_INDEX: return x->ix[0].n_terms == 1 && !x->ix[0].constant && x->ix[0].terms[0].coef == 1 ? 3 : 1;
    case X_RAT: return rat_sign(x->r) < 0 || !rat_is_int(x->r) ? 2 : 3;
    default: return 3;
  }
}

static void put_x(Out *o, XId id, int least);
static void put_args(Out *o, const X *x, const char *between, int least);

static void put_ix(Out *o, const Ix *ix) {
  bool first = true;
  for (uint32_t i = 0; i < ix->n_terms; i++) {
    int64_t c = ix->terms[i].coef;
    put(o, "%s", first ? c < 0 ? "-" : "" : c < 0 ? " - " : " + ");
    if (c != 1 && c != -1) put(o, "%llu * ", c < 0 ? -(unsigned long long)c : (unsigned long long)c);
    put(o, "%s", var_text(o, ix->terms[i].var));
    first = false;
  }
  if (ix->dyn != NO_X) {
    put(o, "%s", first ? "" : " + ");
    put_x(o, ix->dyn, 1);
    first = false;
  }
  if (first) put(o, "%lld", (long long)ix->constant);
  else if (ix->constant)
    put(o, " %c %llu", ix->constant < 0 ? '-' : '+',
        ix->constant < 0 ? -(unsigned long long)ix->constant : (unsigned long long)ix->constant);
}

static void put_operand(Out *o, uint32_t k) {
  if (k < 26) put(o, "%c", 'a' + (char)k);
  else put(o, "a%u", k);
}

static void put_read(Out *o, const X *x) {
  put_operand(o, x->operand);
  put(o, "[");
  if (x->permuted) put(o, "source; ");
  if (x->group != NO_VAR) put(o, "%s; ", var_text(o, x->group));
  if (x->mode == READ_FLAT) put(o, "flat ");
  for (uint32_t i = 0; i < x->n; i++) {
    if (i) put(o, ", ");
    put_ix(o, &x->ix[i]);
  }
  put(o, "]");
}

/* The sign and size of a summand's constant, so that a sum prints as differences. */
static Rat factor(const Out *o, const X *x) {
  const X *c = x->kind == X_MUL ? &o->in->x[x->args[0]] : x;
  return c->kind == X_RAT ? c->r : RAT_1;
}

/* Begins with a summand that is not negative, if there is one: 1 - a rather than (-1) * a + 1. */
static void put_sum(Out *o, const X *x) {
  uint32_t first = 0;
  while (first < x->n && rat_sign(factor(o, &o->in->x[x->args[first]])) < 0) first++;
  if (first == x->n) first = 0;
  for (uint32_t k = 0; k < x->n; k++) {
    uint32_t i = k == 0 ? first : k <= first ? k - 1 : k;
    const X *y = &o->in->x[x->args[i]];
    Rat c = factor(o, y);
    bool minus = k && rat_sign(c) < 0;
    if (k) put(o, minus ? " - " : " + ");
    if (!minus) put_x(o, x->args[i], 2);
    else if (y->kind == X_RAT) put_rat(o, rat_neg(c));
    else {
      X rest = *y;
      rest.args++, rest.n--;
      if (c != RAT_NEG1) put_rat(o, rat_neg(c)), put(o, " * ");
      put_args(o, &rest, " * ", 3);
    }
  }
}

static void put_args(Out *o, const X *x, const char *between, int least) {
  for (uint32_t i = 0; i < x->n; i++) {
    if (i) put(o, "%s", between);
    put_x(o, x->args[i], least);
  }
}

static void put_reduction(Out *o, const X *x) {
  put(o, "%s(", x->kind == X_SUM ? "sum" : x->kind == X_MAX ? "max" : "min");
  for (uint32_t i = 0; i < x->n_vars; i++) put(o, "%s%s: %lld", i ? ", " : "", var_text(o, x->vars[i]),
                                               (long long)o->in->vars[x->vars[i]].size);
  put(o, ") ");
  put_x(o, x->args[0], 2);
}

static void put_node(Out *o, const X *x) {
  switch ((XKind)x->kind) {
    case X_RAT: put_rat(o, x->r); break;
    case X_INF: put(o, rat_sign(x->r) < 0 ? "-inf" : "inf"); break;
    case X_INDEX: put_ix(o, &x->ix[0]); break;
    case X_READ: put_read(o, x); break;
    case X_ADD: put_sum(o, x); break;
    case X_MUL: put_args(o, x, " * ", 3); break;
    case X_POW:
      put_x(o, x->args[0], 3);
      put(o, "^(");
      put_rat(o, x->r);
      put(o, ")");
      break;
    case X_FN:
      put(o, "%s(", sym_text(x->name));
      put_args(o, x, ", ", 0);
      put(o, ")");
      break;
    case X_CMP:
      put_x(o, x->args[0], 1);
      put(o, " %s ", sym_text(x->name));
      put_x(o, x->args[1], 1);
      break;
    case X_SELECT:
      put(o, "if ");
      put_x(o, x->args[0], 0);
      put(o, " then ");
      put_x(o, x->args[1], 0);
      put(o, " else ");
      put_x(o, x->args[2], 0);
      break;
    case X_SUM:
    case X_MAX:
    case X_MIN: put_reduction(o, x); break;
    case X_COORD: put(o, "device()"); break;
  }
}

static void put_x(Out *o, XId id, int least) {
  const X *x = &o->in->x[id];
  if (o->depth >= MAX_PRINT_DEPTH) {
    put(o, "..");
    return;
  }
  o->depth++;
  bool bracket = strength(x) < least;
  if (bracket) put(o, "(");
  put_node(o, x);
  if (bracket) put(o, ")");
  o->depth--;
}

static void put_out(Out *o) {
  put(o, "y[");
  for (uint32_t d = 0; d < o->in->n_out; d++) {
    const OutDim *v = &o->in->out[d];
    put(o, "%s%s", d ? ", " : "", v->n > 1 ? "(" : v->n ? "" : "0");
    for (uint32_t i = 0; i < v->n; i++) put(o, "%s%s", i ? ", " : "", var_text(o, v->vars[i]));
    if (v->n > 1) put(o, ")");
  }
  put(o, "]");
}

static void put_batch(Out *o) {
  for (uint32_t d = 0, n = 0; d < o->in->n_out; d++)
    if (o->in->batch[d]) put(o, "%s%u", n++ ? ", " : ", independent over dimensions ", d);
}

char *instance_print(const Instance *in, Arena *a) {
  Out o = {.in = in};
  if (in->opaque) {
    put(&o, "opaque (%s)", in->why_opaque);
    put_batch(&o);
  } else if (in->body == NO_X) {
    put(&o, "given");
  } else {
    put_out(&o);
    put(&o, " = ");
    put_x(&o, in->body, 0);
  }
  char *text = arena_strdup(a, o.text.at, o.text.len);
  vec_free(&o.text);
  return text;
}
