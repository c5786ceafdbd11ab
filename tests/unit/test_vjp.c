/* Vector-Jacobian products: the rule of each operator against numeric differences of what the library says it computes. */
#include "frontends/plan/vjp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/exact/exact.h"
#include "lang/library.h"

enum { MAX_OPERANDS = 3, MAX_ELEMENTS = 64 };

typedef struct Shape {
  uint32_t rank;
  int64_t dims[5];
} Shape;
#define SHAPE(...) {sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), {__VA_ARGS__}}

static int failures, cases;
static Library *library;
static Diags *diags;

#define CHECK(x) \
  do { \
    if (!(x)) printf("%s:%d: %s\n", __FILE__, __LINE__, #x), failures++; \
  } while (0)

static NodeId parameter(Composer *c, const Shape *s) {
  Node n = {.op = sym("parameter"), .dtype = DT_F32, .rank = (uint8_t)s->rank, .dims = s->dims,
            .param = (int64_t)c->g->params.len};
  NodeId id = compose_add(c, &n);
  vec_push(&c->g->params, id);
  return id;
}

static NodeId same_shape(Composer *c, const char *op, const NodeId *args, uint32_t n, Attr a) {
  Node like = *compose_node(c, args[n - 1]);
  return compose(c, op, like.dtype, like.rank, like.dims, args, n, &a, a.name != 0);
}

/* ---- a program of the operands for each rule */
static NodeId of_copy(Composer *c, const NodeId *x) { return compose_unary(c, "copy", x[0]); }
static NodeId of_negate(Composer *c, const NodeId *x) { return compose_unary(c, "negate", x[0]); }
static NodeId of_exponential(Composer *c, const NodeId *x) { return compose_unary(c, "exponential", x[0]); }
static NodeId of_log(Composer *c, const NodeId *x) { return compose_unary(c, "log", x[0]); }
static NodeId of_sqrt(Composer *c, const NodeId *x) { return compose_unary(c, "sqrt", x[0]); }
static NodeId of_rsqrt(Composer *c, const NodeId *x) { return compose_unary(c, "rsqrt", x[0]); }
static NodeId of_tanh(Composer *c, const NodeId *x) { return compose_unary(c, "tanh", x[0]); }
static NodeId of_logistic(Composer *c, const NodeId *x) { return compose_unary(c, "logistic", x[0]); }
static NodeId of_silu(Composer *c, const NodeId *x) { return compose_unary(c, "silu", x[0]); }
static NodeId of_gelu(Composer *c, const NodeId *x) { return compose_unary(c, "gelu", x[0]); }
static NodeId of_gelu_tanh(Composer *c, const NodeId *x) { return compose_unary(c, "gelu_tanh", x[0]); }
static NodeId of_add(Composer *c, const NodeId *x) { return compose_binary(c, "add", x[0], x[1]); }
static NodeId of_subtract(Composer *c, const NodeId *x) { return compose_binary(c, "subtract", x[0], x[1]); }
static NodeId of_multiply(Composer *c, const NodeId *x) { return compose_binary(c, "multiply", x[0], x[1]); }
static NodeId of_divide(Composer *c, const NodeId *x) { return compose_binary(c, "divide", x[0], x[1]); }
static NodeId of_convert(Composer *c, const NodeId *x) { return compose_convert(c, x[0], DT_F64); }
static NodeId of_cube(Composer *c, const NodeId *x) {
  return same_shape(c, "power_of", x, 1, attr_rat("exponent", RAT_INT(3)));
}
static NodeId of_square(Composer *c, const NodeId *x) {
  return same_shape(c, "power_of", x, 1, attr_rat("exponent", RAT_INT(2)));
}
static NodeId of_first_power(Composer *c, const NodeId *x) {
  return same_shape(c, "power_of", x, 1, attr_rat("exponent", RAT_1));
}
static NodeId of_power(Composer *c, const NodeId *x) {
  return compose_binary(c, "power", x[0], compose_splat(c, DT_F32, 2, (int64_t[]){2, 3}, RAT_INT(4)));
}
static NodeId of_select(Composer *c, const NodeId *x) {
  NodeId p = compose(c, "compare", DT_PRED, 2, compose_node(c, x[0])->dims, x, 2, (Attr[]){attr_sym("direction", "LT")}, 1);
  return same_shape(c, "select", (NodeId[]){p, x[0], x[1]}, 3, (Attr){0});
}
static NodeId of_complex_multiply(Composer *c, const NodeId *x) {
  return compose_binary(c, "complex_multiply", x[0], x[1]);
}
static NodeId of_reshape(Composer *c, const NodeId *x) { return compose_reshape(c, x[0], 2, (int64_t[]){6, 2}); }
static NodeId of_transpose(Composer *c, const NodeId *x) { return compose_transpose(c, x[0], (int64_t[]){2, 0, 1}); }
static NodeId of_broadcast(Composer *c, const NodeId *x) {
  Attr a = attr_list("dimensions", (int64_t[]){1, 3}, 2);
  return compose(c, "broadcast", DT_F32, 4, (int64_t[]){2, 3, 2, 2}, x, 1, &a, 1);
}
static NodeId of_slice(Composer *c, const NodeId *x) { return compose_slice(c, x[0], 1, 1, 2, 1); }
static NodeId of_pad(Composer *c, const NodeId *x) {
  NodeId value = compose_splat(c, DT_F32, 0, NULL, RAT_INT(2));
  return compose_pad(c, x[0], value, (int64_t[]){1, 0}, (int64_t[]){0, 2});
}
static NodeId of_concatenate(Composer *c, const NodeId *x) { return compose_concatenate(c, x, 3, 1); }
static NodeId places(Composer *c, uint32_t rank, const int64_t *dims) {
  return compose_table(c, DT_S64, rank, dims, (Rat[]){RAT_INT(2), RAT_0, RAT_INT(2), RAT_1});
}
static NodeId of_embedding(Composer *c, const NodeId *x) {
  return compose(c, "embedding", DT_F32, 3, (int64_t[]){2, 2, 2},
                 (NodeId[]){x[0], places(c, 2, (int64_t[]){2, 2})}, 2, NULL, 0);
}
static NodeId of_take_along(Composer *c, const NodeId *x) {
  Attr a = attr_list("dimensions", (int64_t[]){1}, 1);
  return compose(c, "take_along", DT_F32, 2, (int64_t[]){2, 2}, (NodeId[]){x[0], places(c, 2, (int64_t[]){2, 2})}, 2, &a,
                 1);
}
static NodeId of_reduce_sum(Composer *c, const NodeId *x) {
  return compose_reduce(c, "reduce_sum", DT_F32, x[0], (int64_t[]){0, 2}, 2, NULL, 0);
}
static NodeId of_reduce_mean(Composer *c, const NodeId *x) {
  return compose_reduce(c, "reduce_mean", DT_F32, x[0], (int64_t[]){1}, 1, NULL, 0);
}
static NodeId of_dot(Composer *c, const NodeId *x) { return compose_dot(c, x[0], x[1], 1, 2, 1); }
/* Shared, summed and own dimensions of both sides in mixed order; two of them are summed, crosswise. */
static NodeId of_crossed_dot(Composer *c, const NodeId *x) {
  Attr a[] = {attr_list("lhs_batch_dims", (int64_t[]){1}, 1), attr_list("rhs_batch_dims", (int64_t[]){3}, 1),
              attr_list("lhs_contracting_dims", (int64_t[]){3, 0}, 2),
              attr_list("rhs_contracting_dims", (int64_t[]){0, 2}, 2)};
  return compose(c, "dot", DT_F32, 3, (int64_t[]){2, 2, 4}, x, 2, a, 4);
}
static NodeId of_softmax(Composer *c, const NodeId *x) {
  return same_shape(c, "softmax", x, 1, attr_list("dimensions", (int64_t[]){1}, 1));
}
static NodeId of_layer_norm(Composer *c, const NodeId *x) {
  NodeId eps = compose_splat(c, DT_F32, 0, NULL, rat_frac(1, 8));
  NodeId m = compose_reduce(c, "reduce_mean", DT_F32, x[0], (int64_t[]){1}, 1, NULL, 0);
  NodeId r = compose_reduce(c, "layer_norm_scale", DT_F32, x[0], (int64_t[]){1}, 1, &eps, 1);
  Attr a = attr_list("dimensions", (int64_t[]){1}, 1);
  Node like = *compose_node(c, x[0]);
  return compose(c, "layer_norm_rows", DT_F32, like.rank, like.dims, (NodeId[]){x[0], m, r}, 3, &a, 1);
}
/* One operand in several places. */
static NodeId of_several(Composer *c, const NodeId *x) {
  NodeId y = compose_binary(c, "multiply", x[0], compose_unary(c, "exponential", x[0]));
  return compose_binary(c, "add", y, compose_binary(c, "multiply", y, x[1]));
}

static const struct Case {
  const char *name;
  NodeId (*make)(Composer *c, const NodeId *x);
  uint32_t n;
  Shape shape[MAX_OPERANDS];
} all[] = {
    {"copy", of_copy, 1, {SHAPE(2, 3)}},
    {"negate", of_negate, 1, {SHAPE(2, 3)}},
    {"exponential", of_exponential, 1, {SHAPE(2, 3)}},
    {"log", of_log, 1, {SHAPE(2, 3)}},
    {"sqrt", of_sqrt, 1, {SHAPE(2, 3)}},
    {"rsqrt", of_rsqrt, 1, {SHAPE(2, 3)}},
    {"tanh", of_tanh, 1, {SHAPE(2, 3)}},
    {"logistic", of_logistic, 1, {SHAPE(2, 3)}},
    {"silu", of_silu, 1, {SHAPE(2, 3)}},
    {"gelu", of_gelu, 1, {SHAPE(2, 3)}},
    {"gelu_tanh", of_gelu_tanh, 1, {SHAPE(2, 3)}},
    {"add", of_add, 2, {SHAPE(2, 3), SHAPE(2, 3)}},
    {"subtract", of_subtract, 2, {SHAPE(2, 3), SHAPE(2, 3)}},
    {"multiply", of_multiply, 2, {SHAPE(2, 3), SHAPE(2, 3)}},
    {"divide", of_divide, 2, {SHAPE(2, 3), SHAPE(2, 3)}},
    {"convert", of_convert, 1, {SHAPE(2, 3)}},
    {"power 3", of_cube, 1, {SHAPE(2, 3)}},
    {"power 2", of_square, 1, {SHAPE(2, 3)}},
    {"power 1", of_first_power, 1, {SHAPE(2, 3)}},
    {"power 4", of_power, 1, {SHAPE(2, 3)}},
    {"select", of_select, 2, {SHAPE(2, 3), SHAPE(2, 3)}},
    {"complex_multiply", of_complex_multiply, 2, {SHAPE(3, 2), SHAPE(3, 2)}},
    {"reshape", of_reshape, 1, {SHAPE(3, 4)}},
    {"transpose", of_transpose, 1, {SHAPE(2, 3, 4)}},
    {"broadcast", of_broadcast, 1, {SHAPE(3, 2)}},
    {"slice", of_slice, 1, {SHAPE(2, 5)}},
    {"pad", of_pad, 1, {SHAPE(2, 3)}},
    {"concatenate", of_concatenate, 3, {SHAPE(2, 1), SHAPE(2, 3), SHAPE(2, 2)}},
    {"embedding", of_embedding, 1, {SHAPE(3, 2)}},
    {"take_along", of_take_along, 1, {SHAPE(2, 3)}},
    {"reduce_sum", of_reduce_sum, 1, {SHAPE(2, 3, 2)}},
    {"reduce_mean", of_reduce_mean, 1, {SHAPE(2, 3, 2)}},
    {"dot", of_dot, 2, {SHAPE(2, 3, 4), SHAPE(2, 4, 2)}},
    {"crossed dot", of_crossed_dot, 2, {SHAPE(3, 2, 2, 2), SHAPE(2, 4, 3, 2)}},
    {"softmax", of_softmax, 1, {SHAPE(2, 3)}},
    {"layer_norm", of_layer_norm, 1, {SHAPE(2, 3, 2)}},
    {"several", of_several, 2, {SHAPE(2, 3), SHAPE(2, 3)}},
};

/* A program y of the operands, the sum of y times weights, and the gradients of the operands. */
typedef struct Trial {
  Composer c;
  VjpRange range;
  NodeId x[MAX_OPERANDS], y, weights, loss, out[MAX_OPERANDS];
  const char *missing;
  double value[MAX_OPERANDS + 1][MAX_ELEMENTS];
} Trial;

static Trial *trial_new(const struct Case *test) {
  Trial *t = xcalloc(1, sizeof *t);
  t->c.g = graph_new();
  t->c.g->n_devices = 1;
  for (uint32_t k = 0; k < test->n; k++) t->x[k] = parameter(&t->c, &test->shape[k]);
  t->range = (VjpRange){.from = (NodeId)t->c.g->nodes.len, .result = &t->y, .operand = t->x, .n_results = 1,
                        .n_operands = test->n};
  t->y = test->make(&t->c, t->x);
  t->range.to = (NodeId)t->c.g->nodes.len;
  Node y = *compose_node(&t->c, t->y);
  Shape like = {.rank = y.rank};
  memcpy(like.dims, y.dims, y.rank * sizeof *y.dims);
  t->weights = parameter(&t->c, &like);
  NodeId w = compose_convert(&t->c, t->weights, y.dtype);
  int64_t over[5] = {0, 1, 2, 3, 4};
  t->loss = compose_reduce(&t->c, "reduce_sum", y.dtype, compose_binary(&t->c, "multiply", t->y, w), over, y.rank, NULL, 0);
  t->missing = vjp(&t->c, &t->range, &w, (bool[]){true, true, true}, t->out);
  for (uint32_t p = 0; p <= test->n; p++)
    for (int e = 0; e < MAX_ELEMENTS; e++) t->value[p][e] = 0.4 + fmod(0.37 * e + 0.61 * p + 0.1 * e * p, 1.3);
  return t;
}

static void trial_free(Trial *t) {
  graph_free(t->c.g);
  free(t);
}

/* Elements of a node at the values that are given. */
static bool values_of(const Trial *t, const ExactProblem *problem, NodeId id, double *out) {
  const char *why = NULL;
  ExactRun *run = exact_run(problem, 1, &why);
  const double *at = why ? NULL : exact_value(run, false, id, 0);
  if (at) memcpy(out, at, (size_t)node_elements(compose_node(&t->c, id)) * sizeof *out);
  exact_run_free(run);
  return at != NULL;
}

/* The largest difference between a gradient and what differences say, in units of the gradient. */
static double largest_error(Trial *t, const ExactProblem *problem, uint32_t k) {
  const double h = 1e-4;
  double gradient[MAX_ELEMENTS], up = NAN, down = NAN, most = 0, worst = 0;
  int64_t n = node_elements(compose_node(&t->c, t->x[k]));
  if (!values_of(t, problem, t->out[k], gradient)) return NAN;
  for (int64_t e = 0; e < n; e++) {
    double old = t->value[k][e];
    t->value[k][e] = old + h;
    bool known = values_of(t, problem, t->loss, &up);
    t->value[k][e] = old - h;
    known &= values_of(t, problem, t->loss, &down);
    t->value[k][e] = old;
    double error = fabs((up - down) / (2 * h) - gradient[e]);
    if (!known || isnan(error)) return NAN;
    if (error > worst) worst = error;
    if (fabs(gradient[e]) > most) most = fabs(gradient[e]);
  }
  return worst / most; /* a gradient of zeros shows nothing */
}

static void run_case(const struct Case *test) {
  Trial *t = trial_new(test);
  cases++;
  if (t->missing) {
    printf("%s: no rule for %s\n", test->name, t->missing), failures++;
    trial_free(t);
    return;
  }
  CHECK(vjp_separate(&t->c, &t->range));
  Graph *none = graph_new();
  Relation relation = {.mesh = {.n_devices = 1, .device_order = (int64_t[]){0}}};
  Instances *instances = instances_new(library);
  const Instance **in = xcalloc(t->c.g->nodes.len, sizeof *in);
  for (NodeId i = 0; i < t->c.g->nodes.len; i++) in[i] = instance_of(instances, t->c.g, i, diags);
  const double *given[MAX_OPERANDS + 1];
  for (uint32_t p = 0; p <= test->n; p++) given[p] = t->value[p];
  ExactProblem problem = {.seq = {t->c.g, in}, .dist = {none, NULL}, .relation = &relation,
                          .options = exact_defaults(), .given = given};
  for (uint32_t k = 0; k < test->n; k++) {
    const Node *x = compose_node(&t->c, t->x[k]), *g = compose_node(&t->c, t->out[k]);
    CHECK(x->rank == g->rank && x->dtype == g->dtype && !memcmp(x->dims, g->dims, x->rank * sizeof *x->dims));
    double error = largest_error(t, &problem, k);
    if (!(error < 1e-6)) printf("%s: gradient of operand %u is off by %g\n", test->name, k, error), failures++;
  }
  free(in);
  instances_free(instances);
  graph_free(none);
  trial_free(t);
}

static const Shape square = SHAPE(2, 2);

/* What only moves values along is no node, and what is not wanted is not computed. */
static void hands_on(void) {
  Composer c = {.g = graph_new()};
  NodeId x = parameter(&c, &square), z = parameter(&c, &square), g[] = {parameter(&c, &square), parameter(&c, &square)};
  NodeId operand[] = {x, z}, result[] = {x, x}, out[2] = {NO_NODE, NO_NODE}, end = (NodeId)c.g->nodes.len;
  VjpRange r = {end, end, result, operand, 2, 2};
  CHECK(vjp_separate(&c, &r));
  CHECK(!vjp(&c, &r, g, (bool[]){true, true}, out));
  const Node *sum = compose_node(&c, out[0]), *zero = compose_node(&c, out[1]);
  CHECK(sum->op == sym("add") && sum->args[0] == g[0] && sum->args[1] == g[1]);
  CHECK(zero->literal && zero->literal->values[0] == RAT_0 && zero->rank == 2);
  size_t before = c.g->nodes.len;
  CHECK(!vjp(&c, &r, (NodeId[]){g[0], NO_NODE}, (bool[]){true, false}, out));
  CHECK(out[0] == g[0] && c.g->nodes.len == before);
  graph_free(c.g);
}

/* An operator without a rule is named, but only where a gradient meets it. */
static void has_no_rule(void) {
  Composer c = {.g = graph_new()};
  NodeId x[] = {parameter(&c, &square), parameter(&c, &square)}, g = parameter(&c, &square), out[2];
  NodeId from = (NodeId)c.g->nodes.len, y = compose_binary(&c, "multiply", compose_unary(&c, "floor", x[0]), x[1]);
  VjpRange r = {from, (NodeId)c.g->nodes.len, &y, x, 1, 2};
  const char *missing = vjp(&c, &r, &g, (bool[]){true, true}, out);
  CHECK(missing && !strcmp(missing, "floor"));
  CHECK(!vjp(&c, &r, &g, (bool[]){false, true}, out));
  graph_free(c.g);
}

/* Nodes that see through an operand, or operands that are one node. */
static void not_separate(void) {
  Composer c = {.g = graph_new()};
  NodeId x = parameter(&c, &square), flat = compose_reshape(&c, x, 1, (int64_t[]){4}), from = (NodeId)c.g->nodes.len;
  NodeId y = compose_reshape(&c, flat, 2, (int64_t[]){1, 4}), end = (NodeId)c.g->nodes.len, both[] = {x, x};
  CHECK(!vjp_separate(&c, &(VjpRange){from, end, &y, &flat, 1, 1}));
  CHECK(vjp_separate(&c, &(VjpRange){from, end, &y, &x, 1, 1}));
  CHECK(!vjp_separate(&c, &(VjpRange){from, end, &y, both, 1, 2}));
  CHECK(!vjp_separate(&c, &(VjpRange){end, end, &x, &flat, 1, 1}));
  graph_free(c.g);
}

int main(void) {
  Sources *sources = sources_new();
  diags = diags_new(sources);
  library = library_load(NULL, diags);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) run_case(&all[k]);
  hands_on();
  has_no_rule();
  not_separate();
  printf("%d cases, %d failures\n", cases, failures);
  library_free(library);
  diags_free(diags);
  sources_free(sources);
  return failures > 0;
}
