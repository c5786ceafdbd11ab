/* What a quotient says of values is what evaluation of the large pair says, at the inputs that it stands for. */
#ifndef TVR_TEST_QUOTIENT_SAME_H
#define TVR_TEST_QUOTIENT_SAME_H
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/exact/element.h"
#include "eval/prove/pair.h"
#include "eval/quotient/quotient.h"

enum { MAX_RANK = 32 };
#define SAME 1e-6
#define CLOSE 1e-12
#define TINY 1e-40

static int failures, cases, quotients;
static uint64_t compared, shrunk, n_zero, n_means, vague;

/* Row-major position in the small tensor of that in the large one. */
static int64_t small_position(const Quotient *q, int side, NodeId id, const Node *n, int64_t at) {
  int64_t index[MAX_RANK], small = 0;
  for (uint32_t d = n->rank; d-- > 0;) index[d] = at % n->dims[d], at /= n->dims[d];
  for (uint32_t d = 0; d < n->rank; d++) {
    Pattern p;
    quotient_pattern(q, (Side)side, id, d, &p);
    small = small * pattern_small(&p) + pattern_shrink(&p, index[d]);
  }
  return small;
}

static double number_in(const char *text) {
  const char *equals = strchr(text, '=');
  return strtod(equals ? equals + 1 : text + (*text == '['), NULL);
}

/* An element that differs in doubles, as by cancellation, with more digits. */
static bool same_exactly(const ExactRun *small, const ExactRun *large, int side, NodeId id, int64_t device, int64_t i,
                         int64_t at) {
  Arena a = {0};
  ExactElements *e = exact_elements_new(small, 256, 20000000, 10), *f = exact_elements_new(large, 256, 20000000, 10);
  const char *x = exact_element(e, side, id, device, (uint64_t)at, &a);
  const char *y = exact_element(f, side, id, device, (uint64_t)i, &a);
  double p = x ? number_in(x) : NAN, q = y ? number_in(y) : NAN;
  bool same = fabs(p - q) <= TINY + CLOSE * fabs(q);
  exact_elements_free(e);
  exact_elements_free(f);
  arena_free(&a);
  return same;
}

static void fault(const char *folder, uint64_t seed, const Graph *g, NodeId id, double small, double large) {
  const Node *n = &g->nodes.at[id];
  printf("%s: seed %llu: %s %s is %g in the small pair, %g in the large one\n", folder, (unsigned long long)seed,
         sym_text(n->op), sym_text(n->name), small, large);
  failures++;
}

/* Where the small tensor holds means over blocks. */
static void compare_means(const Quotient *q, int side, NodeId id, const Node *n, const double *x, const double *y,
                          int64_t size, const char *folder, uint64_t seed, const Graph *g) {
  double *sum = xcalloc((size_t)size, sizeof *sum), *count = xcalloc((size_t)size, sizeof *count), top = 1e-9;
  for (int64_t i = 0; i < node_elements(n) && x && y; i++) {
    int64_t at = small_position(q, side, id, n, i);
    sum[at] += y[i];
    count[at]++;
    top = fmax(top, fabs(y[i]));
  }
  for (int64_t i = 0; i < size && x; i++) {
    double is = y ? sum[i] / count[i] : NAN;
    n_means++;
    if (isnan(x[i]) || fabs(x[i] - is) <= SAME * top) continue;
    fault(folder, seed, g, id, x[i], is);
    break;
  }
  free(sum);
  free(count);
}

static void compare_nodes_of(const Quotient *q, const Problem *p, int side, const ExactRun *small, const ExactRun *large,
                             const char *folder, uint64_t seed) {
  const Graph *g = p->graph[side], *h = (side ? quotient_problem(q).dist : quotient_problem(q).seq).graph;
  int before = failures;
  for (NodeId id = 0; id < g->nodes.len && failures < before + 3; id++) {
    const Node *n = &g->nodes.at[id];
    if (!quotient_represents(q, (Side)side, id)) {
      vague++;
      continue;
    }
    shrunk += node_elements(n) > node_elements(&h->nodes.at[id]);
    n_zero += n->op != h->nodes.at[id].op;
    for (int64_t d = 0; d < (side ? p->relation->mesh.n_devices : 1); d++) {
      const double *x = exact_value(small, side, id, d), *y = exact_value(large, side, id, d);
      if (quotient_is_mean(q, (Side)side, id)) {
        compare_means(q, side, id, n, x, y, node_elements(&h->nodes.at[id]), folder, seed, g);
        continue;
      }
      double top = 1e-9, worst = 0, one = 0, other = 0;
      int64_t where = 0;
      for (int64_t i = 0; x && i < node_elements(n); i++) {
        double a = x[small_position(q, side, id, n, i)], b = y ? y[i] : NAN;
        if (isnan(a)) continue;
        compared++;
        if (isfinite(b)) top = fmax(top, fabs(b));
        double off = a == b ? 0 : isnan(b) || !isfinite(b) ? INFINITY : fabs(a - b);
        if (off > worst) worst = off, one = a, other = b, where = i;
      }
      if (worst <= SAME * top) continue;
      if (same_exactly(small, large, side, id, d, where, small_position(q, side, id, n, where))) continue;
      fault(folder, seed, g, id, one, other);
      break;
    }
  }
}

static void test_quotient(const Problem *p, const char *folder, uint64_t seed) {
  bool *open = xcalloc(p->relation->n_outputs + 1, sizeof *open);
  for (uint32_t k = 0; k < p->relation->n_outputs; k++) open[k] = true;
  double n = 0;
  for (int side = 0; side < 2; side++)
    for (NodeId id = 0; id < p->graph[side]->nodes.len; id++) n += (double)node_elements(&p->graph[side]->nodes.at[id]);
  uint64_t most = seed % 3 ? UINT64_MAX : (uint64_t)n / 8; /* some digits are not to be kept whole, whatever needs them */
  QuotientOptions o = {most, UINT64_MAX, 60, .zeros = seed % 2 || seed % 3 == 0, .axes = seed % 5 > 2, .scramble = seed};
  Quotient *q = quotient_new(p, open, &o);
  free(open);
  if (!q) return;
  quotients++;
  Arena a = {0};
  const Graph *g = p->graph[SIDE_SEQ];
  ExactProblem e = quotient_problem(q);
  e.options = exact_defaults();
  const char *why, *why_large;
  ExactRun *small = exact_run(&e, seed, &why);
  const double **given = ARENA_ARRAY(&a, const double *, g->params.len + 1);
  for (size_t i = 0; i < g->params.len && !why; i++) {
    NodeId id = g->params.at[i];
    if (id == NO_NODE) continue;
    const Node *node = &g->nodes.at[id];
    double *to = ARENA_ARRAY(&a, double, node_elements(node) + 1);
    for (int64_t k = 0; k < node_elements(node); k++)
      to[k] = exact_value(small, false, id, 0)[small_position(q, SIDE_SEQ, id, node, k)];
    given[i] = to;
  }
  ExactProblem whole = {.seq = {g, p->instance[0]}, .dist = {p->graph[1], p->instance[1]}, .relation = p->relation,
                        .given = given, .options = exact_defaults()};
  ExactRun *large = exact_run(&whole, seed, &why_large);
  for (int side = 0; side < 2 && !why && !why_large; side++) compare_nodes_of(q, p, side, small, large, folder, seed);
  exact_run_free(small);
  exact_run_free(large);
  quotient_free(q);
  arena_free(&a);
}
#endif
