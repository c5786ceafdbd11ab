/* libFuzzer target: any bytes are read as an execution plan, a pickle if they begin as one and JSON otherwise; a plan that
 * comes out is in order, and becomes a graph or an error. */
#include <stdlib.h>

#include "frontends/plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_args(const Plan *p, const PlanArg *a, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    if (a[k].kind == PA_LIST) check_args(p, a[k].list, a[k].n);
    if (a[k].kind == PA_TENSOR && (a[k].sub >= p->subs.len || (a[k].grad != NO_PLAN && a[k].grad >= p->subs.len))) abort();
  }
}

static void check_node(const Plan *p, const PlanNode *n) {
  bool mirrored = n->kind == PLAN_FORWARD || n->kind == PLAN_BACKWARD || n->kind == PLAN_SEGMENT;
  if (n->mirror == NO_PLAN ? n->kind == PLAN_BACKWARD : !mirrored || n->mirror >= p->nodes.len) abort();
  check_args(p, n->in, n->n_in);
  check_args(p, n->out, n->n_out);
  for (uint32_t k = 0; k < n->n_kws; k++) check_args(p, &n->kws[k].value, 1);
  for (uint32_t k = 0; k < n->n_prims; k++) {
    check_args(p, n->prims[k].in, n->prims[k].n_in);
    check_args(p, n->prims[k].out, n->prims[k].n_out);
    for (uint32_t i = 0; i < n->prims[k].n_kws; i++) check_args(p, &n->prims[k].kws[i].value, 1);
  }
  for (uint32_t k = 0; k < n->n_nodes; k++)
    if (n->nodes[k] >= p->nodes.len || p->nodes.at[n->nodes[k]].kind > PLAN_ADAPTER) abort();
  for (uint32_t k = 0; k < n->n_devices; k++)
    if (n->devices[k] < 0 || n->devices[k] >= p->n_devices) abort();
}

static void check(const Plan *p) {
  for (size_t k = 0; k < p->fulls.len; k++)
    if (p->fulls.at[k].grad != NO_PLAN && p->fulls.at[k].grad >= p->fulls.len) abort();
  for (size_t k = 0; k < p->subs.len; k++) {
    const PlanSub *s = &p->subs.at[k];
    const PlanFull *f = &p->fulls.at[s->full];
    for (uint32_t d = 0; d < f->rank; d++)
      if (s->start[d] < 0 || s->start[d] > s->end[d] || s->end[d] > f->dims[d]) abort();
  }
  for (size_t k = 0; k < p->nodes.len; k++) check_node(p, &p->nodes.at[k]);
  check_args(p, p->losses, p->n_microbatches);
  for (int64_t d = 0; d < p->n_devices; d++)
    for (uint32_t k = 0; k < p->programs[d].n; k++) {
      const PlanStep *s = &p->programs[d].steps[k];
      const PlanNode *n = &p->nodes.at[s->node];
      if (s->microbatch >= p->n_microbatches || s->n_in != n->n_in || s->n_out != n->n_out) abort();
      check_args(p, s->in, s->n_in);
      check_args(p, s->out, s->n_out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  uint32_t id = sources_add(sources, "a", (const char *)data, size);
  Plan p;
  bool ok = plan_is_pickle(sources_get(sources, id)) ? plan_read_pickle(&p, diags, id) : plan_read_json(&p, diags, id);
  if (ok == (diag_errors(diags) > 0)) abort();
  if (ok) check(&p);
  bool small = ok && p.n_runtime <= 64 && p.n_microbatches <= 16;
  plan_tables_free(&p);
  for (int by_index = 0; small && by_index < 2; by_index++) {
    Graph *g = plan_read(diags, id, &(PlanOptions){.by_index = by_index});
    if (!g == !diag_errors(diags)) abort();
    graph_free(g);
    diags_free(diags);
    diags = diags_new(sources);
  }
  diags_free(diags);
  sources_free(sources);
  return 0;
}
