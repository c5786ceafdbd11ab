/* Trials: the change that undoes a mistake makes the output right, other changes do not, and none leaves a trace. */
#include <math.h>
#include <stdio.h>

#include "eval/exact/trial.h"
#include "tests/unit/exact_build.h"

static int failures;
#define CHECK(condition) ((condition) ? (void)0 : fail_at(__LINE__, #condition))
static void fail_at(int line, const char *text) {
  printf("test_trial.c:%d: %s\n", line, text);
  failures++;
}

enum { DEVICES = 4, WORK = 1000000 };

typedef struct Case {
  B *s, *d;
  Rel *r;
  Trial *t;
  NodeId product, after; /* of the distributed graph: the partial product, what becomes of it */
} Case;

typedef enum Mistake { NO_SUM, TWO_SUMS, TIMES_THREE, LARGEST, ROUNDED } Mistake;

/* y = 2 a b, the contracted dimension cut over the devices; and a second output that is right whatever the mistake. */
static Case product(Mistake mistake, uint64_t work) {
  Case c = {.s = b_new(), .d = b_new(), .r = rel_new((int64_t[]){DEVICES}, 1)};
  NodeId a = b_param(c.s, DT_F32, DIMS(3, 8)), b = b_param(c.s, DT_F32, DIMS(8, 5));
  NodeId two = b_const(c.s, DT_F32, RAT_INT(2)), y = op_matmul(c.s, a, b);
  b_output(c.s, op_map(c.s, X_MUL, NULL, DT_F32, y, two));
  b_output(c.s, op_map(c.s, X_FN, "exp", DT_F32, a, NO_NODE));
  a = b_param(c.d, DT_F32, DIMS(3, 2)), b = b_param(c.d, DT_F32, DIMS(2, 5));
  Rat nearly = rat_div(RAT_INT(20000001), RAT_INT(10000000));
  two = b_const(c.d, DT_F32, mistake == TIMES_THREE ? RAT_INT(3) : mistake == ROUNDED ? nearly : RAT_INT(2));
  int64_t all[DEVICES] = {0, 1, 2, 3};
  y = c.product = op_matmul(c.d, a, b);
  int sums = mistake == NO_SUM ? 0 : mistake == TWO_SUMS ? 2 : 1;
  for (int k = 0; k < sums; k++)
    y = op_all_reduce(c.d, y, mistake == LARGEST ? X_MAX : X_SUM, b_groups(c.d, all, DEVICES, DEVICES));
  c.after = y;
  b_output(c.d, op_map(c.d, X_MUL, NULL, DT_F32, y, two));
  b_output(c.d, op_map(c.d, X_FN, "exp", DT_F32, a, NO_NODE));
  rel_input(c.r, rel_layout(c.r, AXES("", "0"), ""));
  rel_input(c.r, rel_layout(c.r, AXES("0", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("", ""), ""));
  rel_output(c.r, rel_layout(c.r, AXES("", "0"), ""));
  ExactProblem p = problem_of(c.s, c.d, c.r);
  c.t = trial_new(&p, 1, NULL, work);
  CHECK(c.t && trial_before(c.t, 0) == (mistake == ROUNDED ? TRIAL_UNKNOWN : TRIAL_WRONG));
  CHECK(c.t && trial_before(c.t, 1) == TRIAL_RIGHT);
  return c;
}

static void case_free(Case *c) {
  trial_free(c->t);
  b_free(c->s);
  b_free(c->d);
  rel_free(c->r);
}

static bool repairs(Case *c, TrialEdit e, NodeId id) {
  return trial_run(c->t, &e, &id, 1, false) && trial_after(c->t, 0) == TRIAL_RIGHT;
}

#define SUM ((TrialEdit){.kind = TRIAL_SUM, .operand = -1, .axes = 1, .number = 1})

static void test_missing_sum(void) {
  Case c = product(NO_SUM, WORK);
  NodeId last = c.after + 1;
  CHECK(trial_varies(c.t, c.product) == 1);
  CHECK(repairs(&c, SUM, c.product));
  CHECK(repairs(&c, SUM, last));
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_SUM, .operand = -1, .axes = 1, .number = 0.25}, c.product));
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_MAX, .operand = -1, .axes = 1}, c.product));
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_SCALE, .operand = -1, .number = 4}, c.product));
  CHECK(repairs(&c, (TrialEdit){.kind = TRIAL_SUMMED, .operand = 0, .axes = 1, .number = 1}, last));
  NodeId a = 0;
  CHECK(!trial_run(c.t, &SUM, &a, 1, false)); /* the other output was right */
  CHECK(repairs(&c, SUM, c.product)); /* nothing of the trials before is left */
  case_free(&c);
}

static void test_other_mistakes(void) {
  Case c = product(TWO_SUMS, WORK);
  CHECK(repairs(&c, (TrialEdit){.kind = TRIAL_OPERAND}, c.after));
  CHECK(repairs(&c, (TrialEdit){.kind = TRIAL_SCALE, .operand = -1, .number = 0.25}, c.after));
  CHECK(!repairs(&c, SUM, c.product));
  case_free(&c);
  c = product(TIMES_THREE, WORK);
  CHECK(trial_number(c.t, c.product - 1) == 3 && isnan(trial_number(c.t, c.product)));
  CHECK(repairs(&c, (TrialEdit){.kind = TRIAL_LITERAL, .operand = 1, .number = 2}, c.after + 1));
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_LITERAL, .operand = 1, .number = 4}, c.after + 1));
  CHECK(fabs(trial_error(c.t, 0, true)) > fabs(trial_error(c.t, 0, false)));
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_FACTOR, .operand = 0, .number = -1}, c.after + 1));
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_LITERAL, .operand = 5, .number = 2}, c.after + 1)); /* no such operand */
  case_free(&c);
  c = product(LARGEST, WORK);
  CHECK(repairs(&c, (TrialEdit){.kind = TRIAL_SUM, .operand = 0, .axes = 1, .number = 1}, c.after));
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_OPERAND}, c.after));
  case_free(&c);
}

/* What hardly differs is neither right, to be kept so, nor wrong. */
static void test_rounded(void) {
  Case c = product(ROUNDED, WORK);
  NodeId last = c.after + 1;
  TrialEdit e = {.kind = TRIAL_LITERAL, .operand = 1, .number = 2};
  CHECK(trial_run(c.t, &e, &last, 1, false) && trial_after(c.t, 0) == TRIAL_RIGHT);
  e.number = 4;
  CHECK(trial_run(c.t, &e, &last, 1, false) && trial_after(c.t, 0) == TRIAL_WRONG);
  case_free(&c);
}

static void test_other_values(void) {
  enum { SEQ_A = 0, SEQ_PRODUCT = 3, SEQ_LAST = 4 };
  int64_t blocks[2 * DEVICES];
  Case c = product(NO_SUM, WORK);
  NodeId a = 0, last = c.after + 1, like = SEQ_LAST;
  CHECK(trial_blocks(c.t, a, SEQ_A, blocks)); /* columns 2 d and 2 d + 1 on device d */
  for (int d = 0; d < DEVICES; d++) CHECK(blocks[2 * d] == 0 && blocks[2 * d + 1] == 2 * d);
  CHECK(trial_blocks_by_shape(c.t, a, SEQ_A, 0, blocks) && blocks[3] == 2);
  CHECK(!trial_blocks_by_shape(c.t, a, SEQ_A, 1, blocks)); /* no axis is left */
  CHECK(!trial_blocks(c.t, c.product, SEQ_PRODUCT, blocks));
  CHECK(trial_blocks_by_shape(c.t, last, SEQ_LAST, 0, blocks));
  TrialEdit e = {.kind = TRIAL_LIKE, .operand = -1, .number = 1, .with = &like, .blocks = blocks};
  CHECK(repairs(&c, e, last));
  e.number = 0.5;
  CHECK(!repairs(&c, e, last));
  like = SEQ_PRODUCT;
  CHECK(repairs(&c, (TrialEdit){.kind = TRIAL_LIKE, .operand = 0, .number = 1, .with = &like, .blocks = blocks}, last));
  NodeId two = c.product - 1;
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_TIMES, .operand = 0, .with = &c.product}, last));
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_TIMES, .operand = 0, .with = &two}, last)); /* a single number */
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_ROTATE, .operand = 0, .number = 1, .with = &a}, last)); /* no pairs */
  CHECK(repairs(&c, SUM, c.product));
  case_free(&c);
  c = product(TWO_SUMS, WORK);
  NodeId once = c.after - 1, none = c.product;
  CHECK(repairs(&c, (TrialEdit){.kind = TRIAL_OTHER, .operand = 0, .with = &once}, c.after + 1));
  CHECK(!repairs(&c, (TrialEdit){.kind = TRIAL_OTHER, .operand = 0, .with = &none}, c.after + 1));
  case_free(&c);
}

static void test_work(void) {
  Case c = product(NO_SUM, 100);
  CHECK(!trial_exhausted(c.t));
  CHECK(!trial_run(c.t, &SUM, &c.product, 1, false));
  CHECK(trial_exhausted(c.t));
  CHECK(!trial_run(c.t, &SUM, &c.product, 1, false));
  case_free(&c);
}

int main(void) {
  test_missing_sum();
  test_other_mistakes();
  test_rounded();
  test_other_values();
  test_work();
  return failures != 0;
}
