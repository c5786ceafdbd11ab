/* run: see run.h. */
#include "eval/exact/run.h"

#include <math.h>

#include "lang/base/heap.h"

enum { MANY = 1 << 16 }; /* numbers, which fill large pages */

ExactOptions exact_defaults(void) {
  return (ExactOptions){.seed = 1,
                        .points = 2,
                        .coarse_points = 2,
                        .later_points = 60,
                        .max_work = 2000000000,
                        .max_elements = 50000000,
                        .max_exact = 10000000,
                        .seconds = 20,
                        .precision = 128,
                        .max_precision = 1024,
                        .agree = 1e-9,
                        .differ = 1e-6};
}

/* Numbers that a graph needs at least; saturates. */
static uint64_t elements_of(const Graph *g) {
  double sum = 0;
  for (size_t i = 0; i < g->nodes.len; i++) sum += (double)node_elements(&g->nodes.at[i]);
  return sum < 1e18 ? (uint64_t)sum : UINT64_MAX;
}

static void start_side(ExactRun *r, GraphRun *s, const ExactSide *source, int64_t n_devices, const Field *inputs) {
  *s = (GraphRun){.how = &arithmetic_double,
                  .problem = &r->problem,
                  .source = source,
                  .n_devices = n_devices,
                  .arena = &r->arena,
                  .inputs = inputs,
                  .budget = &r->budget};
}

ExactRun *run_begin(const ExactProblem *p, uint64_t seed, Notes *notes) {
  ExactRun *r = xcalloc(1, sizeof *r);
  r->problem = *p;
  r->seed = seed;
  r->budget = (Budget){.max_work = p->options.max_work, .max_elements = p->options.max_elements};
  uint64_t a = elements_of(p->seq.graph), b = elements_of(p->dist.graph);
  r->least = a < UINT64_MAX - b ? a + b : UINT64_MAX;
  if (a > r->budget.max_elements || b > r->budget.max_elements - a) {
    r->why = arena_printf(&r->arena, "too large to evaluate: %.3g numbers, the limit is %.3g", (double)a + (double)b,
                          (double)r->budget.max_elements);
    return r;
  }
  Field *seq, *dist;
  sample_inputs(&r->problem, seed, &r->arena, &seq, &dist, notes);
  int64_t n = p->relation->mesh.n_devices;
  start_side(r, &r->seq, &r->problem.seq, 1, seq);
  start_side(r, &r->dist, &r->problem.dist, n > 0 ? n : 1, dist);
  return r;
}

bool run_evaluate(ExactRun *r) {
  if (r->least > MANY) heap_large_pages(1 << 24);
  return !r->why && side_evaluate(&r->seq, &r->why) && side_evaluate(&r->dist, &r->why);
}

ExactRun *run_new(const ExactProblem *p, uint64_t seed) {
  ExactRun *r = run_begin(p, seed, NULL);
  run_evaluate(r);
  return r;
}

ExactRun *exact_run(const ExactProblem *p, uint64_t seed, const char **why) {
  ExactRun *r = run_new(p, seed);
  *why = r->why;
  return r;
}

uint64_t exact_work(const ExactRun *r) { return r->budget.work; }

void exact_run_free(ExactRun *r) {
  if (!r) return;
  arena_free(&r->arena);
  free(r);
}

const double *exact_value(const ExactRun *r, bool dist, NodeId node, int64_t device) {
  const GraphRun *s = dist ? &r->dist : &r->seq;
  if (r->why || device < 0 || device >= s->n_devices || node >= s->source->graph->nodes.len) return NULL;
  return field_at(&s->fields[node], device);
}

uint32_t exact_value_class(const ExactRun *r, bool dist, NodeId node, int64_t device) {
  const GraphRun *s = dist ? &r->dist : &r->seq;
  if (r->why || device < 0 || device >= s->n_devices || node >= s->source->graph->nodes.len) return 0;
  return field_class(&s->fields[node], device);
}
