/* Whether the tables of a plan are in order. */
#include "frontends/plan/check.h"

#include <string.h>

typedef struct Check {
  const Plan *p;
  unsigned errors;
  uint32_t *segment; /* of an operator or adapter; NO_PLAN: of none */
  uint32_t *owner;   /* the device that runs a node that is not a reducer; NO_PLAN: none yet */
} Check;

#define FAIL(c, node, code, ...) ((c)->errors++, plan_report((c)->p, node, code, __VA_ARGS__))

static bool all_tensors(const PlanArg *a, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (a[k].kind != PA_TENSOR) return false;
  return true;
}

/* The first of n devices that stands there again; n: none does.  All are devices of the plan. */
static uint32_t repeated(const Check *c, const int64_t *device, uint32_t n) {
  uint64_t *seen = xcalloc((size_t)c->p->n_devices / 64 + 1, sizeof *seen);
  uint32_t k = 0;
  for (; k < n && !(seen[device[k] / 64] >> device[k] % 64 & 1); k++) seen[device[k] / 64] |= UINT64_C(1) << device[k] % 64;
  free(seen);
  return k;
}

static bool check_devices(Check *c, uint32_t k) {
  const PlanNode *n = &c->p->nodes.at[k];
  for (uint32_t i = 0; i < n->n_devices; i++)
    if (n->devices[i] < 0 || n->devices[i] >= c->p->n_devices)
      return FAIL(c, k, E_MESH, "device %lld is not one of the plan's %lld", (long long)n->devices[i],
                  (long long)c->p->n_devices);
  uint32_t twice = repeated(c, n->devices, n->n_devices);
  return twice == n->n_devices || FAIL(c, k, E_MESH, "device %lld is named twice", (long long)n->devices[twice]);
}

/* ---- nodes by themselves */
static bool check_mirror(Check *c, uint32_t k) {
  const Plan *p = c->p;
  const PlanNode *n = &p->nodes.at[k];
  bool backward = n->kind == PLAN_BACKWARD || (n->kind == PLAN_SEGMENT && !n->forward);
  if (n->mirror == NO_PLAN) return !backward || FAIL(c, k, E_ATTRIBUTE, "what it is the backward of is not said");
  if (n->mirror >= p->nodes.len) return FAIL(c, k, E_GRAPH_NAME, "there is no node %u, its mirror", n->mirror);
  const PlanNode *m = &p->nodes.at[n->mirror];
  bool fits = n->kind == PLAN_SEGMENT    ? m->kind == PLAN_SEGMENT && m->forward != n->forward
              : n->kind == PLAN_FORWARD  ? m->kind == PLAN_BACKWARD
              : n->kind == PLAN_BACKWARD ? m->kind == PLAN_FORWARD
                                         : false;
  if (!fits) return FAIL(c, k, E_GRAPH_NAME, "its mirror, node %lld, is of the wrong kind", (long long)m->id);
  return m->mirror == k || FAIL(c, k, E_GRAPH_NAME, "its mirror, node %lld, has another one", (long long)m->id);
}

static bool check_segment(Check *c, uint32_t k) {
  const Plan *p = c->p;
  const PlanNode *n = &p->nodes.at[k];
  for (uint32_t i = 0; i < n->n_nodes; i++) {
    uint32_t inner = n->nodes[i];
    if (inner >= p->nodes.len) return FAIL(c, k, E_GRAPH_NAME, "there is no node %u", inner);
    uint8_t kind = p->nodes.at[inner].kind;
    if (kind != PLAN_FORWARD && kind != PLAN_BACKWARD && kind != PLAN_ADAPTER)
      return FAIL(c, k, E_UNSUPPORTED, "a segment of other things than operators and adapters");
    if (c->segment[inner] != NO_PLAN)
      return FAIL(c, inner, E_GRAPH_NAME, "the operator stands in segments twice, of nodes %lld and %lld",
                  (long long)p->nodes.at[c->segment[inner]].id, (long long)n->id);
    c->segment[inner] = k;
  }
  return true;
}

static bool check_reducer(Check *c, uint32_t k) {
  const PlanNode *n = &c->p->nodes.at[k];
  for (uint32_t i = 0; i < n->n_in; i++) {
    const PlanArg *a = &n->in[i];
    if (a->kind != PA_TENSOR || c->p->fulls.at[c->p->subs.at[a->sub].full].kind != PLAN_PARAM || a->grad == NO_PLAN)
      return FAIL(c, k, E_ATTRIBUTE, "input %u of a reducer is not a parameter with a gradient", i);
  }
  return n->n_devices || FAIL(c, k, E_ATTRIBUTE, "a reducer needs its devices");
}

static bool check_node(Check *c, uint32_t k) {
  const PlanNode *n = &c->p->nodes.at[k];
  if (!check_devices(c, k) || !check_mirror(c, k)) return false;
  if (!all_tensors(n->out, n->n_out)) return FAIL(c, k, E_UNSUPPORTED, "a result that is not a tensor");
  if ((n->kind == PLAN_BACKWARD || n->kind == PLAN_ADAPTER) && !all_tensors(n->in, n->n_in))
    return FAIL(c, k, E_UNSUPPORTED, "an input that is not a tensor");
  for (uint32_t i = 0; i < n->n_prims; i++)
    if (!all_tensors(n->prims[i].in, n->prims[i].n_in) || !all_tensors(n->prims[i].out, n->prims[i].n_out))
      return FAIL(c, k, E_UNSUPPORTED, "a primitive of something that is not a tensor");
  if (n->kind == PLAN_SEGMENT) return check_segment(c, k);
  return n->kind != PLAN_REDUCER || check_reducer(c, k);
}

/* ---- nodes on a device */
static bool is_device(const Plan *p, const PlanArg *a) { return a->kind == PA_INT && a->i >= 0 && a->i < p->n_devices; }

/* Groups of ranks are of the plan's devices, each once, and this one is among them. */
static bool check_ranks(Check *c, uint32_t k, const PlanPrim *prim, const PlanArg *a, int64_t device) {
  const char *op = sym_text(prim->op);
  bool here = false;
  if (a->kind != PA_LIST) return FAIL(c, k, E_ATTRIBUTE, "'ranks' of %s is not a list", op);
  int64_t *ranks = xmalloc((a->n + 1) * sizeof *ranks);
  uint32_t n = 0;
  for (; n < a->n && is_device(c->p, &a->list[n]); n++) {
    ranks[n] = a->list[n].i;
    here |= ranks[n] == device;
  }
  bool all = n == a->n, once = !all || repeated(c, ranks, n) == n;
  free(ranks);
  if (!all) return FAIL(c, k, E_COLLECTIVE, "'ranks' of %s are not devices of the plan", op);
  if (!once) return FAIL(c, k, E_COLLECTIVE, "'ranks' of %s names a device twice", op);
  return here || FAIL(c, k, E_COLLECTIVE, "device %lld is not among the ranks of its %s", (long long)device, op);
}

static bool check_prims(Check *c, uint32_t k, int64_t device) {
  const PlanNode *n = &c->p->nodes.at[k];
  for (uint32_t i = 0; i < n->n_prims; i++)
    for (uint32_t j = 0; j < n->prims[i].n_kws; j++) {
      const PlanKw *kw = &n->prims[i].kws[j];
      if (kw->name == sym("ranks") && !check_ranks(c, k, &n->prims[i], &kw->value, device)) return false;
      if ((kw->name == sym("src") || kw->name == sym("dst")) && !is_device(c->p, &kw->value))
        return FAIL(c, k, E_COLLECTIVE, "'%s' of %s is not a device of the plan", sym_text(kw->name),
                    sym_text(n->prims[i].op));
    }
  return true;
}

/* A node is of one device, but for reducers. */
static bool check_owner(Check *c, uint32_t k, int64_t device) {
  const PlanNode *n = &c->p->nodes.at[k];
  bool here = !n->n_devices;
  for (uint32_t i = 0; i < n->n_devices; i++) here |= n->devices[i] == device;
  if (!here) return FAIL(c, k, E_MESH, "it is run on device %lld, for which it is not meant", (long long)device);
  if (n->kind == PLAN_REDUCER) return true;
  if (c->owner[k] != NO_PLAN && c->owner[k] != (uint32_t)device)
    return FAIL(c, k, E_MESH, "it is run on devices %u and %lld", c->owner[k], (long long)device);
  if (c->owner[k] == NO_PLAN && !check_prims(c, k, device)) return false;
  return c->owner[k] = (uint32_t)device, true;
}

/* A backward operator reads what its mirror left, in the scope of that one's segment. */
static bool check_inside(Check *c, uint32_t k, int64_t device) {
  const Plan *p = c->p;
  const PlanNode *n = &p->nodes.at[k];
  bool seen = n->kind != PLAN_REDUCER && c->owner[k] == (uint32_t)device, ok = seen || check_owner(c, k, device);
  if (seen) return true;
  for (uint32_t i = 0; ok && i < n->n_nodes; i++) {
    const PlanNode *inner = &p->nodes.at[n->nodes[i]];
    ok = check_owner(c, n->nodes[i], device);
    if (!ok || inner->kind != PLAN_BACKWARD) continue;
    uint32_t of = c->segment[inner->mirror];
    if (of == NO_PLAN || (of != k && of != n->mirror))
      return FAIL(c, n->nodes[i], E_GRAPH_NAME, "its mirror, node %lld, is in no segment that this one is the backward of",
                  (long long)p->nodes.at[inner->mirror].id);
  }
  return ok;
}

/* The tensors of a step are like those of its node. */
static bool check_border(Check *c, const PlanStep *s, const PlanArg *a, uint32_t n, const PlanArg *b, uint32_t n_node) {
  const Plan *p = c->p;
  if (a == b) return true; /* its own */
  if (n != n_node)
    return FAIL(c, s->node, E_ARITY, "microbatch %u gives %u tensors for its %u", s->microbatch, n, n_node);
  for (uint32_t k = 0; k < n; k++) {
    if (a[k].kind != b[k].kind) return FAIL(c, s->node, E_KIND, "microbatch %u gives no tensor for one", s->microbatch);
    if (a[k].kind != PA_TENSOR) continue;
    const PlanSub *x = &p->subs.at[a[k].sub], *y = &p->subs.at[b[k].sub];
    const PlanFull *f = &p->fulls.at[x->full], *g = &p->fulls.at[y->full];
    bool same = f->rank == g->rank && f->dtype == g->dtype && f->kind == g->kind && f->loss == g->loss;
    for (uint32_t d = 0; same && d < f->rank; d++) same = x->end[d] - x->start[d] == y->end[d] - y->start[d];
    if (!same)
      return FAIL(c, s->node, E_SHAPE, "microbatch %u gives tensor %lld for %lld, which has another type", s->microbatch,
                  (long long)x->id, (long long)y->id);
  }
  return true;
}

static bool check_step(Check *c, const PlanStep *s, int64_t device) {
  const Plan *p = c->p;
  const PlanNode *n = &p->nodes.at[s->node];
  if (n->kind == PLAN_FORWARD || n->kind == PLAN_BACKWARD)
    return FAIL(c, s->node, E_UNSUPPORTED, "an operator outside a segment");
  if (c->segment[s->node] != NO_PLAN) return FAIL(c, s->node, E_GRAPH_NAME, "it is run by itself and in a segment");
  if (s->microbatch >= p->n_microbatches)
    return FAIL(c, s->node, E_SIZE, "it is run for microbatch %u of %u", s->microbatch, p->n_microbatches);
  return check_inside(c, s->node, device) && check_border(c, s, s->in, s->n_in, n->in, n->n_in) &&
         check_border(c, s, s->out, s->n_out, n->out, n->n_out);
}

static int by_node(const void *a, const void *b) {
  const PlanStep *x = *(const PlanStep *const *)a, *y = *(const PlanStep *const *)b;
  return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                            : (x->microbatch > y->microbatch) - (x->microbatch < y->microbatch);
}

static void check_program(Check *c, int64_t device) {
  const PlanProgram *program = &c->p->programs[device];
  const PlanStep **sorted = xmalloc((program->n + 1) * sizeof *sorted);
  for (uint32_t k = 0; k < program->n; k++) sorted[k] = &program->steps[k];
  qsort(sorted, program->n, sizeof *sorted, by_node);
  for (uint32_t k = 1; k < program->n && c->errors < PLAN_MAX_ERRORS; k++)
    if (!by_node(&sorted[k - 1], &sorted[k]))
      FAIL(c, sorted[k]->node, E_GRAPH_NAME, "device %lld runs it twice for microbatch %u", (long long)device,
           sorted[k]->microbatch);
  free(sorted);
  uint32_t at = 0;
  while (at < program->n && check_step(c, &program->steps[at], device)) at++;
}

bool plan_check(const Plan *p) {
  Check c = {.p = p};
  size_t n = p->nodes.len;
  c.segment = xmalloc((n + 1) * sizeof *c.segment);
  c.owner = xmalloc((n + 1) * sizeof *c.owner);
  memset(c.segment, 0xff, n * sizeof *c.segment);
  memset(c.owner, 0xff, n * sizeof *c.owner);
  for (uint32_t k = 0; k < n && c.errors < PLAN_MAX_ERRORS; k++) check_node(&c, k);
  for (int64_t d = 0; !c.errors && d < p->n_devices; d++) check_program(&c, d);
  free(c.segment);
  free(c.owner);
  return !c.errors;
}
