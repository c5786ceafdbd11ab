/* Exact evaluation on graphs written by hand, against plain loops. */
#include <math.h>
#include <stdio.h>

#include "eval/exact/fn_eval.h"
#include "tests/unit/exact_build.h"

static int failures;
#define CHECK(condition) ((condition) ? (void)0 : fail_at(__LINE__, #condition))
#define FAIL(...) (printf("test_exact.c:%d: ", __LINE__), printf(__VA_ARGS__), puts(""), (void)failures++)
static void fail_at(int line, const char *text) {
  printf("test_exact.c:%d: %s\n", line, text);
  failures++;
}

static void close_to(double a, double b) {
  if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b)))) FAIL("%.17g is not %.17g", a, b);
}

typedef struct Case {
  B *s, *d;
  Rel *r;
} Case;
static void case_free(Case *c) {
  b_free(c->s);
  b_free(c->d);
  rel_free(c->r);
}

/* Compares, checks the status of output 0, gives the report back. */
static ExactReport *compared(Case *c, ExactStatus want) {
  ExactProblem p = problem_of(c->s, c->d, c->r);
  ExactReport *r = exact_compare(&p);
  if (r->outputs[0].status != want)
    FAIL("status %d, not %d: %s, difference %g", r->outputs[0].status, want,
         r->outputs[0].why ? r->outputs[0].why : "", r->outputs[0].difference);
  return r;
}
static void check(Case *c, ExactStatus want) {
  exact_report_free(compared(c, want));
  case_free(c);
}

/* y = a b with the contracted dimension cut over n devices, with or without its all-reduce. */
static Case row_parallel(int64_t k, int64_t n, bool reduce) {
  Case c = {b_new(), b_new(), rel_new((int64_t[]){n}, 1)};
  int64_t block = (k + n - 1) / n;
  NodeId a = b_param(c.s, DT_F32, DIMS(3, k)), b = b_param(c.s, DT_F32, DIMS(k, 5));
  b_output(c.s, op_matmul(c.s, a, b));
  a = b_param(c.d, DT_F32, DIMS(3, block));
  b = b_param(c.d, DT_F32, DIMS(block, 5));
  NodeId y = op_matmul(c.d, a, b);
  int64_t *all = ARENA_ARRAY(&c.d->arena, int64_t, n);
  for (int64_t i = 0; i < n; i++) all[i] = i;
  if (reduce) y = op_all_reduce(c.d, y, X_SUM, b_groups(c.d, all, (size_t)n, n));
  b_output(c.d, y);
  rel_input(c.r, rel_layout(c.r, AXES("", "0"), ""));
  rel_input(c.r, rel_layout(c.r, AXES("0", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  return c;
}

static void test_values_against_loops(void) {
  Case c = row_parallel(8, 4, true);
  ExactProblem p = problem_of(c.s, c.d, c.r);
  const char *why;
  ExactRun *r = exact_run(&p, 7, &why);
  CHECK(!why);
  const double *a = exact_value(r, false, 0, 0), *b = exact_value(r, false, 1, 0), *y = exact_value(r, false, 2, 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 5; j++) {
      double sum = 0;
      for (int k = 0; k < 8; k++) sum += a[i * 8 + k] * b[k * 5 + j];
      close_to(y[i * 5 + j], sum);
      for (int64_t d = 0; d < 4; d++) close_to(exact_value(r, true, 3, d)[i * 5 + j], sum);
    }
  for (int64_t d = 0; d < 4; d++)
    for (int i = 0; i < 6; i++) close_to(exact_value(r, true, 0, d)[i], a[i / 2 * 8 + d * 2 + i % 2]);
  CHECK(exact_value_class(r, true, 3, 0) == exact_value_class(r, true, 3, 3));
  CHECK(exact_value_class(r, true, 2, 0) != exact_value_class(r, true, 2, 3));
  exact_run_free(r);
  case_free(&c);
}

static void test_all_reduce(void) {
  Case c = row_parallel(8, 4, true);
  check(&c, EXACT_AGREE);
  c = row_parallel(8, 4, false);
  ExactReport *r = compared(&c, EXACT_DIFFER);
  const ExactOutput *o = &r->outputs[0];
  CHECK(o->witness.precision == 0); /* rationals */
  CHECK(o->holds.found);
  CHECK(o->holds.n_partial == 1);
  CHECK(o->holds.factor == RAT_1);
  CHECK(strstr(o->holds.text, "partial sum over a0"));
  exact_report_free(r);
  c.r->outputs[0].layout = rel_layout(c.r, AXES("", ""), "0");
  check(&c, EXACT_AGREE);
}

/* Padding holds anything: a contraction over it is wrong, unless declared rows are cut and padded themselves. */
static void test_uneven(void) {
  Case c = row_parallel(7, 4, true);
  check(&c, EXACT_DIFFER);
  c = (Case){b_new(), b_new(), rel_new((int64_t[]){4}, 1)};
  NodeId a = b_param(c.s, DT_F32, DIMS(6, 3));
  b_output(c.s, op_map(c.s, X_FN, "exp", DT_F32, a, NO_NODE));
  a = b_param(c.d, DT_F32, DIMS(2, 3));
  b_output(c.d, op_map(c.d, X_FN, "exp", DT_F32, a, NO_NODE));
  rel_input(c.r, rel_layout(c.r, AXES("0", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("0", ""), ""));
  check(&c, EXACT_AGREE);
}

static void test_partial_input(void) {
  Case c = {b_new(), b_new(), rel_new((int64_t[]){2, 2}, 2)};
  b_output(c.s, op_map(c.s, X_ADD, NULL, DT_F32, b_param(c.s, DT_F32, DIMS(4, 4)), NO_NODE));
  NodeId x = b_param(c.d, DT_F32, DIMS(4, 2));
  b_output(c.d, op_all_reduce(c.d, x, X_SUM, b_groups(c.d, LIST(int64_t, 0, 2, 1, 3), 2)));
  rel_input(c.r, rel_layout(c.r, AXES("", "1"), "0"));
  rel_output(c.r, rel_layout(c.r, AXES("", "1"), ""));
  check(&c, EXACT_AGREE);
}

static void test_factor(void) {
  Case c = row_parallel(8, 4, true);
  NodeId y = c.d->g->outputs.at[0].node, quarter = b_const(c.d, DT_F32, rat_frac(1, 4));
  c.d->g->outputs.at[0].node = op_map(c.d, X_MUL, NULL, DT_F32, y, quarter);
  ExactReport *r = compared(&c, EXACT_DIFFER);
  CHECK(r->outputs[0].holds.found);
  CHECK(r->outputs[0].holds.factor == rat_frac(1, 4));
  CHECK(r->outputs[0].holds.n_partial == 0);
  exact_report_free(r);
  case_free(&c);
}

/* Softmax with and without the shift by the maximum; differing needs balls. */
static Case softmax(bool right) {
  Case c = {b_new(), b_new(), rel_new(NULL, 0)};
  NodeId x = b_param(c.s, DT_F32, DIMS(3, 6));
  b_output(c.s, op_softmax(c.s, x, true));
  x = b_param(c.d, DT_F32, DIMS(3, 6));
  if (!right) x = op_map(c.d, X_MUL, NULL, DT_F32, x, b_const(c.d, DT_F32, rat_frac(10001, 10000)));
  b_output(c.d, op_softmax(c.d, x, false));
  rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  return c;
}
static void test_softmax(void) {
  Case c = softmax(true);
  check(&c, EXACT_AGREE);
  c = softmax(false);
  ExactReport *r = compared(&c, EXACT_DIFFER);
  CHECK(r->outputs[0].witness.precision > 0);
  CHECK(strstr(r->outputs[0].witness.seq, "+/-"));
  exact_report_free(r);
  case_free(&c);
}

/* A causal mask of -inf before the softmax, against one that multiplies the weights. */
static void test_infinite_mask(void) {
  for (int shifted = 0; shifted < 2; shifted++) {
    Case c = {b_new(), b_new(), rel_new(NULL, 0)};
    B *b = c.s;
    NodeId x = b_param(b, DT_F32, DIMS(4, 4)), inf = b_const(b, DT_F32, RAT_NEG_INF);
    VarId i = b_out(b, 4), j = b_out(b, 4);
    XId seen = b_op(b, X_CMP, "<=", b_index(b, ix(b, j)), b_index(b, ix(b, i)));
    XId body = b_op(b, X_SELECT, NULL, seen, b_read(b, 0, ix(b, i), ix(b, j)), b_read0(b, 1));
    b_output(b, op_softmax(b, b_node(b, "select", DT_F32, DIMS(4, 4), ARGS(x, inf), body), shifted));
    b = c.d;
    x = b_param(b, DT_F32, DIMS(4, 4));
    NodeId e = op_map(b, X_FN, "exp", DT_F32, x, NO_NODE);
    i = b_out(b, 4), j = b_out(b, 4);
    seen = b_op(b, X_CMP, "<=", b_index(b, ix(b, j)), b_index(b, ix(b, i)));
    body = b_op(b, X_MUL, NULL, seen, b_read(b, 0, ix(b, i), ix(b, j)));
    NodeId m = b_node(b, "mask", DT_F32, DIMS(4, 4), ARGS(e), body);
    NodeId s = op_reduce(b, X_SUM, m);
    NodeId r = op_map(b, X_FN, "abs", DT_F32, m, NO_NODE); /* numerators are not negative */
    i = b_out(b, 4), j = b_out(b, 4);
    XId den = b_x(b, (X){.kind = X_POW, .n = 1, .r = RAT_NEG1,
                         .args = arena_copy(&b->arena, (XId[]){b_read(b, 1, ix(b, i))}, sizeof(XId))});
    body = b_op(b, X_MUL, NULL, b_read(b, 0, ix(b, i), ix(b, j)), den);
    b_output(b, b_node(b, "divide", DT_F32, DIMS(4, 4), ARGS(r, s), body));
    rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
    rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
    check(&c, EXACT_AGREE);
  }
}

/* Rows of a table by computed, clamped positions; the distributed graph reads by a sum against a one-hot. */
static Case gather(int64_t shift) {
  Case c = {b_new(), b_new(), rel_new(NULL, 0)};
  B *b = c.s;
  NodeId t = b_param(b, DT_F32, DIMS(5, 3)), ids = b_param(b, DT_S32, DIMS(7));
  VarId n = b_out(b, 7), w = b_out(b, 3);
  XId at = b_op(b, X_FN, "clamp", b_rat(b, RAT_0), b_read(b, 1, ix(b, n)), b_rat(b, RAT_INT(4)));
  XId body = b_read(b, 0, ix_dyn(at), ix(b, w));
  b_output(b, b_node(b, "gather", DT_F32, DIMS(7, 3), ARGS(t, ids), body));
  b = c.d;
  t = b_param(b, DT_F32, DIMS(5, 3)), ids = b_param(b, DT_S32, DIMS(7));
  n = b_out(b, 7), w = b_out(b, 3);
  VarId v = b_var(b, VAR_BOUND, 5);
  XId hit = b_op(b, X_CMP, "==", b_read(b, 1, ix(b, n)), b_index(b, ix_plus(b, v, shift)));
  body = b_reduce(b, X_SUM, v, b_op(b, X_MUL, NULL, hit, b_read(b, 0, ix(b, v), ix(b, w))));
  b_output(b, b_node(b, "one_hot", DT_F32, DIMS(7, 3), ARGS(t, ids), body));
  rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
  rel_input(c.r, rel_layout(c.r, AXES(""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  return c;
}
static void test_gather(void) {
  Case c = gather(0);
  ExactReport *r = compared(&c, EXACT_AGREE);
  CHECK(r->n_notes == 1);
  CHECK(strstr(r->notes[0], "values 0 .. 4"));
  exact_report_free(r);
  case_free(&c);
  c = gather(1);
  check(&c, EXACT_DIFFER);
}

/* Groups in another order: an all-gather by {1,0},{2,3} exchanges the blocks of devices 0 and 1. */
static Case gathered(const int64_t *groups) {
  Case c = {b_new(), b_new(), rel_new((int64_t[]){2, 2}, 2)};
  b_output(c.s, op_map(c.s, X_ADD, NULL, DT_F32, b_param(c.s, DT_F32, DIMS(2, 4)), NO_NODE));
  NodeId x = b_param(c.d, DT_F32, DIMS(1, 2));
  b_output(c.d, op_all_gather(c.d, x, b_groups(c.d, groups, 4, 2)));
  rel_input(c.r, rel_layout(c.r, AXES("0", "1"), ""));
  rel_output(c.r, rel_layout(c.r, AXES("0", ""), ""));
  return c;
}
static void test_group_order(void) {
  Case c = gathered((int64_t[]){2, 3, 0, 1});
  check(&c, EXACT_AGREE);
  c = gathered((int64_t[]){1, 0, 3, 2});
  ExactReport *r = compared(&c, EXACT_DIFFER);
  CHECK(r->outputs[0].holds.found && strstr(r->outputs[0].holds.text, "2 parts of dimension 1 in the order 1 0"));
  exact_report_free(r);
  case_free(&c);
  c = gathered((int64_t[]){1, 0, 2, 3});
  check(&c, EXACT_DIFFER);
}

/* A ring shift puts the right blocks on the wrong devices; device 0 gets zeros if it is no target. */
static void test_permute(void) {
  Case c = {b_new(), b_new(), rel_new((int64_t[]){3}, 1)};
  b_output(c.s, op_map(c.s, X_ADD, NULL, DT_F32, b_param(c.s, DT_F32, DIMS(6, 2)), NO_NODE));
  NodeId x = b_param(c.d, DT_F32, DIMS(2, 2));
  NodeId once = op_permute(c.d, x, LIST(int64_t, 0, 1, 1, 2, 2, 0));
  b_output(c.d, once);
  rel_input(c.r, rel_layout(c.r, AXES("0", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("0", ""), ""));
  ExactReport *r = compared(&c, EXACT_DIFFER);
  CHECK(r->outputs[0].holds.found && !strcmp(r->outputs[0].holds.text, "the right blocks, on the wrong devices"));
  exact_report_free(r);
  c.d->g->outputs.at[0].node = op_permute(c.d, once, LIST(int64_t, 1, 0, 2, 1));
  ExactProblem p = problem_of(c.s, c.d, c.r);
  const char *why;
  ExactRun *run = exact_run(&p, 1, &why);
  NodeId twice = c.d->g->outputs.at[0].node;
  close_to(exact_value(run, true, twice, 2)[0], 0);
  close_to(exact_value(run, true, twice, 0)[3], exact_value(run, true, x, 0)[3]);
  exact_run_free(run);
  case_free(&c);
}

/* Concatenation as a guarded sum: reads outside an operand must not matter. */
static void test_guarded_reads(void) {
  for (int kind = 0; kind < 2; kind++) {
    Case c = {b_new(), b_new(), rel_new(NULL, 0)};
    for (int side = 0; side < 2; side++) {
      B *b = side ? c.d : c.s;
      NodeId x = b_param(b, DT_F32, DIMS(3, 2)), y = b_param(b, DT_F32, DIMS(2, 2));
      VarId i = b_out(b, 5), j = b_out(b, 2);
      XId low = b_op(b, X_CMP, "<", b_index(b, ix(b, i)), b_rat(b, RAT_INT(3)));
      XId high = b_op(b, X_CMP, ">=", b_index(b, ix(b, i)), b_rat(b, RAT_INT(3)));
      XId a = b_read(b, 0, ix(b, i), ix(b, j)), z = b_read(b, 1, ix_plus(b, i, -3), ix(b, j));
      XId zero = b_rat(b, RAT_0);
      XId p = kind ? b_op(b, X_MUL, NULL, low, a) : b_op(b, X_SELECT, NULL, low, a, zero);
      XId q = kind ? b_op(b, X_MUL, NULL, high, z) : b_op(b, X_SELECT, NULL, high, z, zero);
      NodeId cat = b_node(b, "concatenate", DT_F32, DIMS(5, 2), ARGS(x, y), b_op(b, X_ADD, NULL, p, q));
      b_output(b, side ? op_map(b, X_MUL, NULL, DT_F32, cat, b_const(b, DT_F32, RAT_INT(2))) : cat);
    }
    for (int k = 0; k < 2; k++) rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
    rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
    ExactReport *r = compared(&c, EXACT_DIFFER); /* so both evaluators have been there */
    CHECK(r->outputs[0].n_unknown == 0);
    CHECK(r->outputs[0].holds.factor == RAT_INT(2));
    exact_report_free(r);
    case_free(&c);
  }
}

/* "Is it the maximum?" is decided for numbers known only up to balls. */
static void test_maximum_is_itself(void) {
  Case c = {b_new(), b_new(), rel_new(NULL, 0)};
  for (int side = 0; side < 2; side++) {
    B *b = side ? c.d : c.s;
    NodeId e = op_map(b, X_FN, "exp", DT_F32, b_param(b, DT_F32, DIMS(2, 5)), NO_NODE);
    NodeId hit = op_map(b, X_CMP, "==", DT_PRED, e, op_reduce(b, X_MAX, e));
    b_output(b, side ? op_map(b, X_MUL, NULL, DT_F32, hit, b_const(b, DT_F32, RAT_INT(3))) : hit);
  }
  rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  check(&c, EXACT_DIFFER);
}

/* What an operator without a meaning touches is unknown, and nothing else. */
static void test_opaque(void) {
  Case c = {b_new(), b_new(), rel_new(NULL, 0)};
  for (int side = 0; side < 2; side++) {
    B *b = side ? c.d : c.s;
    NodeId x = b_param(b, DT_F32, DIMS(2, 2));
    b_output(b, b_node(b, "mystery", DT_F32, DIMS(2, 2), ARGS(x), NO_X));
    b_output(b, op_map(b, X_MUL, NULL, DT_F32, x, b_const(b, DT_F32, RAT_INT(1 + side))));
  }
  rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
  for (int k = 0; k < 2; k++) rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  ExactReport *r = compared(&c, EXACT_UNKNOWN);
  CHECK(strstr(r->outputs[0].why, "mystery"));
  CHECK(r->outputs[1].status == EXACT_DIFFER);
  exact_report_free(r);
  case_free(&c);
}

/* 1/0, log(0), 0 * inf have no value; a difference there is no refutation. */
static void test_undefined(void) {
  Case c = {b_new(), b_new(), rel_new(NULL, 0)};
  for (int side = 0; side < 2; side++) {
    B *b = side ? c.d : c.s;
    NodeId x = b_param(b, DT_F32, DIMS(2, 2));
    NodeId zero = op_map(b, X_MUL, NULL, DT_F32, x, b_const(b, DT_F32, RAT_0));
    NodeId none = side ? op_map(b, X_FN, "log", DT_F32, zero, NO_NODE) :
                  op_map(b, X_MUL, NULL, DT_F32, zero, b_const(b, DT_F32, RAT_POS_INF));
    b_output(b, none);
  }
  rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  check(&c, EXACT_UNKNOWN);
}

static void test_too_large(void) {
  Case c = row_parallel(INT64_C(1) << 40, 2, true);
  ExactReport *r = compared(&c, EXACT_UNKNOWN);
  CHECK(strstr(r->not_evaluated, "too large"));
  exact_report_free(r);
  case_free(&c);
}

/* A rounded 1/3 is near, and read as 1/3 it agrees. */
static void test_literals(void) {
  Case c = {b_new(), b_new(), rel_new(NULL, 0)};
  for (int side = 0; side < 2; side++) {
    B *b = side ? c.d : c.s;
    NodeId x = b_param(b, DT_F32, DIMS(2, 2));
    Rat r = side ? rat_frac(11184811, 33554432) : rat_frac(1, 3);
    b_output(b, op_map(b, X_MUL, NULL, DT_F32, x, b_const(b, DT_F32, r)));
  }
  rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  exact_report_free(compared(&c, EXACT_NEAR));
  ExactProblem p = problem_of(c.s, c.d, c.r);
  p.literals = LITERALS_FRACTIONS;
  ExactReport *r = exact_compare(&p);
  CHECK(r->outputs[0].status == EXACT_AGREE);
  exact_report_free(r);
  case_free(&c);
}

/* The other process finds what this one would. */
static void test_aside(void) {
  Case c = row_parallel(20000, 2, false);
  ExactProblem p = problem_of(c.s, c.d, c.r);
  ExactReport *own = exact_compare(&p);
  p.options.aside = true;
  ExactReport *r = exact_compare(&p);
  bool other = r->asides.len > 0; /* not on a single processor */
  const ExactWitness *x = &own->outputs[0].witness, *y = &r->outputs[0].witness;
  CHECK(r->outputs[0].status == EXACT_DIFFER && (!other || !y->seq));
  CHECK(exact_settle(r) && !r->asides.len);
  CHECK(y->seq && !strcmp(x->seq, y->seq) && !strcmp(x->dist, y->dist) && !strcmp(x->inputs, y->inputs));
  CHECK(x->precision == y->precision && x->device == y->device && x->at[0] == y->at[0] && x->at[1] == y->at[1]);
  exact_report_free(r);
  r = exact_compare(&p); /* nobody waits for it */
  exact_report_free(r);
  exact_report_free(own);
  case_free(&c);
}

/* x + 10^20 - 10^20 is x, but not in doubles: what was promised does not hold. */
static void test_aside_noise(void) {
  Case c = {b_new(), b_new(), rel_new(NULL, 0)};
  for (int side = 0; side < 2; side++) {
    B *b = side ? c.d : c.s;
    NodeId x = b_param(b, DT_F32, DIMS(300, 400));
    Rat large = rat_mul(rat_int(10000000000), rat_int(10000000000));
    NodeId y = op_map(b, X_ADD, NULL, DT_F32, x, b_const(b, DT_F32, large));
    b_output(b, side ? x : op_map(b, X_ADD, NULL, DT_F32, y, b_const(b, DT_F32, rat_neg(large))));
  }
  rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  exact_report_free(compared(&c, EXACT_AGREE));
  ExactProblem p = problem_of(c.s, c.d, c.r);
  p.options.aside = true;
  ExactReport *r = exact_compare(&p);
  bool other = r->asides.len > 0;
  CHECK(exact_settle(r) == !other);
  exact_report_free(r);
  case_free(&c);
}

/* A node that picks by order, over the last dimension of x (and of positions, if it has them). */
static NodeId op_order(B *b, const char *op, const char *region, uint16_t result, const int64_t *dims, size_t rank,
                       const NodeId *args, size_t n_args) {
  int64_t last = 1;
  Attr attrs[3] = {{.name = sym("dimensions"), .kind = ATTR_INTS, .ints = &last, .n = 1},
                   {.name = sym("largest"), .kind = ATTR_INT, .i = 1},
                   {.name = sym("region"), .kind = ATTR_SYM, .s = region ? sym(region) : 0}};
  Node n = {.op = sym(op), .name = sym(op), .dtype = DT_F32, .rank = (uint8_t)rank, .dims = dims, .result = result,
            .n_args = (uint32_t)n_args, .args = args, .attrs = attrs, .n_attrs = region ? 3 : 2, .param = -1};
  Instance opaque = {.opaque = true};
  vec_push(&b->instances, arena_copy(&b->arena, &opaque, sizeof opaque));
  return graph_add(b->g, &n);
}

#define GREATER "9:parameter0()f32[]\n9:parameter1()f32[]\n7:compare(0.0,1.0)pred[] 9:direction=2.02:GT\n"
#define PICK "9:parameter0()f32[]\n9:parameter2()f32[]\n7:compare(0.0,1.0)pred[] 9:direction=2.02:GT\n" \
             "9:parameter1()s32[]\n9:parameter3()s32[]\n6:select(2.0,0.0,1.0)f32[]\n6:select(2.0,3.0,4.0)s32[]\n" \
             "5:tuple(5.0,6.0)f32[];s32[]\n"

/* topk, sort and argmax pick the same; a comparator that orders nothing picks nothing. */
static void test_order(void) {
  Case c = {b_new(), b_new(), rel_new(NULL, 0)};
  for (int side = 0; side < 2; side++) {
    B *b = side ? c.d : c.s;
    NodeId x = op_map(b, X_FN, "tanh", DT_F32, b_param(b, DT_F32, DIMS(4, 6)), NO_NODE);
    VarId i = b_out(b, 4), j = b_out(b, 6);
    (void)i;
    NodeId at = b_node(b, "iota", DT_S32, DIMS(4, 6), NULL, 0, b_index(b, ix(b, j)));
    NodeId low = b_const(b, DT_F32, RAT_NEG_INF), zero = b_const(b, DT_S32, RAT_0);
    NodeId top = op_order(b, "topk", NULL, 0, DIMS(4, 6), ARGS(x));
    NodeId sorted = op_order(b, "sort", "2{" GREATER "}", 0, DIMS(4, 6), ARGS(x));
    NodeId first = op_order(b, "topk", NULL, 1, DIMS(4, 1), ARGS(x));
    NodeId arg = op_order(b, "reduce", "4{" PICK "}", 1, DIMS(4), ARGS(x, at, low, zero));
    NodeId none = op_order(b, "sort", "2{9:parameter0()f32[]\n}", 0, DIMS(4, 6), ARGS(x));
    i = b_out(b, 4);
    b_out(b, 1);
    NodeId column = b_node(b, "reshape", DT_F32, DIMS(4, 1), ARGS(arg), b_read(b, 0, ix(b, i)));
    b_output(b, side ? sorted : top);
    b_output(b, side ? column : first);
    b_output(b, none);
    b_output(b, op_map(b, X_MUL, NULL, DT_F32, sorted, b_const(b, DT_F32, RAT_INT(1 + side))));
    b_output(b, op_map(b, X_MUL, NULL, DT_F32, column, b_const(b, DT_F32, RAT_INT(1 + side))));
  }
  rel_input(c.r, rel_layout(c.r, AXES("", ""), ""));
  for (int k = 0; k < 5; k++) rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  ExactReport *r = compared(&c, EXACT_AGREE);
  static const ExactStatus want[] = {EXACT_AGREE, EXACT_AGREE, EXACT_UNKNOWN, EXACT_DIFFER, EXACT_DIFFER};
  for (int k = 0; k < 5; k++)
    if (r->outputs[k].status != want[k]) FAIL("output %d has status %d", k, r->outputs[k].status);
  exact_report_free(r);
  case_free(&c);
}

/* Every function of the table: balls and rationals contain what doubles give. */
static void test_functions(void) {
  const double at[] = {-2.75, -1, -0.5, 0, 0.25, 1, 2.5, 3};
  const int n = sizeof at / sizeof *at;
  for (int fn = 0; fn < FN_COUNT; fn++) {
    const FnImpl *f = fn_impl((FnId)fn);
    CHECK(f && f->arity == fn_arity((FnId)fn));
    if (!f || f->arity != fn_arity((FnId)fn)) continue;
    for (int i = 0; i < n * n; i++) {
      double x = at[i % n], y = at[i / n];
      double d = f->arity == 1 ? f->f1(x) : f->arity == 2 ? f->f2(x, y) : f->f3(x, y, 2);
      Num a[3], out;
      num_init(&out);
      for (int k = 0; k < 3; k++) num_init(&a[k]);
      num_set_double(&a[0], x);
      num_set_double(&a[1], y);
      num_set_double(&a[2], 2);
      f->num(&out, (const Num *[]){&a[0], &a[1], &a[2]}, 128);
      if (isnan(d) != (out.kind == NUM_UNKNOWN)) FAIL("%s(%g, %g) = %g", fn_text((FnId)fn), x, y, d);
      if (num_is_finite(&out)) {
        arb_t t;
        arb_init(t);
        double v = arf_get_d(arb_midref(num_ball(&out, t, 128)), ARF_RND_NEAR);
        if (fabs(v - d) > 1e-13 * (1 + fabs(d))) FAIL("%s(%g, %g) = %g, not %g", fn_text((FnId)fn), x, y, v, d);
        arb_clear(t);
      }
      num_clear(&out);
      for (int k = 0; k < 3; k++) num_clear(&a[k]);
    }
  }
}

int main(void) {
  test_values_against_loops();
  test_all_reduce();
  test_uneven();
  test_partial_input();
  test_factor();
  test_softmax();
  test_infinite_mask();
  test_gather();
  test_group_order();
  test_permute();
  test_guarded_reads();
  test_maximum_is_itself();
  test_opaque();
  test_undefined();
  test_too_large();
  test_literals();
  test_aside();
  test_aside_noise();
  test_order();
  test_functions();
  return failures > 0;
}
