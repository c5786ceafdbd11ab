/* Exact evaluation over the graph pairs of examples/ and tests/graphs: right ones agree, of wrong ones exactly the
 * outputs that expect.json names differ, and single elements evaluated exactly confirm the doubles. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "eval/exact/certify.h"
#include "eval/exact/rigour.h"
#include "eval/graph/bounds.h"
#include "lang/library.h"
#include "lang/base/clock.h"
#include "tests/unit/pairs.h"

static int failures, cases, bounded;

static bool is_wrong(json_t *expect, Sym name) {
  size_t i;
  json_t *v;
  json_array_foreach(json_object_get(expect, "wrong"), i, v)
    if (strcmp(json_string_value(v), sym_text(name)) == 0) return true;
  return false;
}

static void fault(const char *folder, Sym output, const char *text) {
  printf("%s: %s: %s\n", folder, sym_text(output), text);
  failures++;
}

/* A few elements of each right output, exactly. */
static void cross_check(const ExactProblem *p, json_t *expect, const char *folder) {
  const char *why;
  ExactRun *r = exact_run(p, 3, &why);
  const Mesh *m = &p->relation->mesh;
  Certifier *c = certifier_new(r, NULL, clock_spent() + 60, false);
  for (uint32_t i = 0; i < p->relation->n_outputs && !why; i++) {
    const Related *o = &p->relation->outputs[i];
    NodeId seq, dist;
    if (is_wrong(expect, o->name) || !compare_nodes(r, o, &seq, &dist)) continue;
    bool sums[16] = {false};
    for (uint32_t k = 0; k < o->layout.n_partial; k++) sums[o->layout.partial[k]] = true;
    Comparison in = compare_output(r, o, sums, 1);
    const Node *block = &p->dist.graph->nodes.at[dist];
    uint64_t n = (uint64_t)node_elements(block), *positions = xcalloc(n, sizeof *positions);
    for (uint64_t t = 0; t < 2 && n > 0; t++) {
      int64_t at[16], device = (int64_t)(5 * t + i) % m->n_devices;
      uint64_t e = (t * 7919 + 13 * i) % n;
      block_coordinate(m, device, at);
      block_positions(&o->layout, m, at, &p->seq.graph->nodes.at[seq], block, positions);
      Arena arena = {0};
      Difference d = {0};
      in.kept[0] = (OutputElement){0, device, e, positions[e]};
      in.n_kept = 1;
      if (positions[e] != BLOCK_PADDING && in.difference < 1e-12 &&
          certify(c, o, &in, &arena, &d, &why) != CERTIFIED_EQUAL)
        fault(folder, o->name, "exact evaluation does not confirm an element");
      why = NULL;
      arena_free(&arena);
    }
    free(positions);
  }
  certifier_free(c);
  exact_run_free(r);
}

/* Integers lie within their bounds. */
static void check_bounds(const ExactProblem *p, const char *folder) {
  const char *why;
  ExactRun *r = exact_run(p, 3, &why);
  Arena arena = {0};
  for (int side = 0; side < 2 && !why; side++) {
    const Graph *g = side ? p->dist.graph : p->seq.graph;
    const Bounds *b = graph_bounds(g, p->relation, side, &arena);
    for (NodeId i = 0; i < g->nodes.len; i++)
      for (int64_t d = 0; d < (side ? p->relation->mesh.n_devices : 1) && b[i].known; d++) {
        const double *at = exact_value(r, side, i, d);
        for (int64_t k = 0; at && k < node_elements(&g->nodes.at[i]); k++)
          if (at[k] < (double)b[i].lo || at[k] > (double)b[i].hi) {
            fault(folder, g->nodes.at[i].name, "a value outside its bounds");
            break;
          }
        bounded++;
      }
  }
  arena_free(&arena);
  exact_run_free(r);
}

/* Values are undefined at the first points. */
static bool untold(const ExactReport *r) {
  bool some = false;
  for (uint32_t i = 0; i < r->n_outputs && !r->not_evaluated; i++) some |= r->outputs[i].status == EXACT_UNKNOWN;
  return some;
}

/* What is wrong agrees at the first points: a threshold is not passed. */
static bool missed(const ExactReport *r, json_t *expect) {
  bool some = false;
  for (uint32_t i = 0; i < r->n_outputs && !r->not_evaluated; i++)
    some |= r->outputs[i].status == EXACT_AGREE && is_wrong(expect, r->outputs[i].name);
  return some;
}

enum { MORE_POINTS = 4, FAR_POINTS = 8 };
static void evaluate(ExactProblem *p, json_t *expect, const char *folder) {
  ExactReport *r = exact_compare(p);
  for (int more = 0; untold(r) && more < MORE_POINTS; more++) { /* as `tvr check` does */
    p->options.seed += p->options.points;
    exact_report_free(r);
    r = exact_compare(p);
  }
  ExactProblem far = *p;
  far.options.seed |= EXACT_FAR;
  for (int more = 0; missed(r, expect) && more < FAR_POINTS; more++, far.options.seed++) {
    exact_report_free(r);
    r = exact_compare(&far);
  }
  bool small = !r->not_evaluated;
  if (!small) printf("  %s: not evaluated: %s\n", folder, r->not_evaluated);
  if (!small && !strstr(r->not_evaluated, "too large to evaluate")) failures++;
  for (uint32_t i = 0; i < r->n_outputs && small; i++) {
    const ExactOutput *o = &r->outputs[i];
    bool wrong = is_wrong(expect, o->name);
    if (wrong && o->status != EXACT_DIFFER) fault(folder, o->name, "should differ");
    if (!wrong && o->status != EXACT_AGREE && o->status != EXACT_NEAR) fault(folder, o->name, "should agree");
  }
  exact_report_free(r);
  if (small) cross_check(p, expect, folder), check_bounds(p, folder);
}

/* One case: the distributed program and expect.json in `folder`, the sequential one and its relation in `base`. */
static void run_case(const char *base, const char *folder) {
  char path[1024];
  json_error_t error;
  if (has_file(folder, "dist.mlir")) return; /* the same program as HLO is a case of its own */
  snprintf(path, sizeof path, "%s/expect.json", folder);
  json_t *expect = json_load_file(path, 0, &error);
  if (!expect) return;
  cases++;
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Library *library = library_load(NULL, diags);
  Instances *all = instances_new(library);
  Graph *g[2] = {NULL, NULL};
  Relation *relation = read_pair(diags, base, folder, false, g);
  bool stops = g[1] && g[1]->fault; /* nothing is known of its outputs */
  if (!stops && (!relation || !g[0] || !g[1])) {
    diags_print(diags, stdout, false);
    failures++;
    return;
  }
  const Instance **in[2] = {NULL, NULL};
  for (int s = 0; s < 2 && !stops; s++) {
    in[s] = xcalloc(g[s]->nodes.len, sizeof *in[s]);
    for (NodeId i = 0; i < g[s]->nodes.len; i++) in[s][i] = instance_of(all, g[s], i, diags);
  }
  ExactProblem p = {.seq = {g[0], in[0]}, .dist = {g[1], in[1]}, .relation = relation, .options = exact_defaults()};
  if (!stops) evaluate(&p, expect, folder);
  for (int s = 0; s < 2; s++) {
    free(in[s]);
    graph_free(g[s]);
  }
  relation_free(relation);
  instances_free(all);
  library_free(library);
  diags_free(diags);
  sources_free(sources);
  json_decref(expect);
}

int main(void) {
  entries(NULL, "examples", run_family);
  entries(NULL, "tests/graphs", run_family);
  printf("%d cases, %d bounds, %d failures\n", cases, bounded, failures);
  return failures > 0 || cases == 0 || bounded == 0;
}
