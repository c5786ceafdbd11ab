/* trial: see trial.h.  The fields of one run are kept; those a trial changes are put back before the next one. */
#include "eval/exact/trial_parts.h"

#include <math.h>

static Comparison compare(const Trial *t, uint32_t k) {
  const Related *o = &trial_relation(t)->outputs[k];
  bool sums[32] = {false};
  for (uint32_t i = 0; i < o->layout.n_partial; i++) sums[o->layout.partial[i]] = true;
  return compare_output(t->run, o, sums, 1);
}

static TrialOutput judge(const Trial *t, const Comparison *c) {
  if (c->misfit || c->n_unknown || !c->n_known) return TRIAL_UNKNOWN;
  return c->difference < t->run->problem.options.differ ? TRIAL_RIGHT : TRIAL_WRONG;
}

Trial *trial_new(const ExactProblem *p, uint64_t seed, ExactRun *run, uint64_t max_work) {
  if (p->relation->mesh.n_axes >= 32) return NULL;
  Trial *t = xcalloc(1, sizeof *t);
  t->borrowed = run;
  t->run = run ? run : run_new(p, seed, NULL);
  t->n_outputs = p->relation->n_outputs;
  if (t->run->why) {
    trial_free(t);
    return NULL;
  }
  Budget *b = &t->run->budget;
  b->max_work = b->work + max_work;
  Arena *a = &t->run->arena;
  const Graph *g = trial_graph(t);
  size_t len = g->nodes.len;
  t->base = arena_copy(a, t->run->dist.fields, (len + 1) * sizeof *t->base);
  t->dirty = ARENA_ARRAY(a, bool, len + 1);
  t->live = ARENA_ARRAY(a, bool, len + 1);
  t->changed = ARENA_ARRAY(a, NodeId, len + 1);
  t->first = ARENA_ARRAY(a, int64_t, trial_devices(t));
  t->before = ARENA_ARRAY(a, Comparison, t->n_outputs + 1);
  t->after = ARENA_ARRAY(a, Comparison, t->n_outputs + 1);
  t->checked = ARENA_ARRAY(a, uint32_t, t->n_outputs + 1);
  for (uint32_t k = 0; k < t->n_outputs; k++) t->before[k] = compare(t, k);
  memcpy(t->after, t->before, t->n_outputs * sizeof *t->after);
  t->first_output = ARENA_ARRAY(a, uint32_t, len + 1);
  t->next_output = ARENA_ARRAY(a, uint32_t, t->n_outputs + 1);
  for (uint32_t k = t->n_outputs; k-- > 0;) {
    NodeId seq, dist;
    if (!compare_nodes(t->run, &p->relation->outputs[k], &seq, &dist)) continue;
    t->next_output[k] = t->first_output[dist];
    t->first_output[dist] = k + 1;
  }
  for (size_t k = 0; k < g->outputs.len; k++) t->live[g->outputs.at[k].node] = true;
  for (size_t i = len; i-- > 0;)
    for (uint32_t k = 0; t->live[i] && k < g->nodes.at[i].n_args; k++) t->live[g->nodes.at[i].args[k]] = true;
  t->elements = b->elements;
  t->mark = arena_mark(a);
  return t;
}

void trial_limit(Trial *t, uint64_t max_work) {
  Budget *b = &t->run->budget;
  if (b->work + max_work < b->max_work) b->max_work = b->work + max_work;
}

uint64_t trial_work(const Trial *t) { return t->run->budget.work; }
bool trial_exhausted(const Trial *t) { return t->over; }
TrialOutput trial_before(const Trial *t, uint32_t output) { return judge(t, &t->before[output]); }
TrialOutput trial_after(const Trial *t, uint32_t output) { return judge(t, &t->after[output]); }

/* ------------------------------------------------------------------ running */
static void put_back(Trial *t) {
  for (size_t i = 0; i < t->n_changed; i++) {
    t->run->dist.fields[t->changed[i]] = t->base[t->changed[i]];
    t->dirty[t->changed[i]] = false;
  }
  t->n_changed = 0;
  arena_reset(&t->run->arena, t->mark);
  t->run->budget.elements = t->elements;
  for (uint32_t k = 0; k < t->n_checked; k++) t->after[t->checked[k]] = t->before[t->checked[k]];
  t->n_checked = 0;
}

void trial_free(Trial *t) {
  if (!t) return;
  if (t->borrowed) put_back(t);
  else exact_run_free(t->run);
  free(t);
}

bool trial_evaluate(Trial *t, NodeId id, Arena *scratch) {
  Field *f = &t->run->dist.fields[id];
  *f = (Field){0};
  ArenaMark m = arena_mark(scratch);
  bool ok = side_node(&t->run->dist, id, scratch, t->first);
  arena_reset(scratch, m);
  Budget *b = &t->run->budget;
  b->work += NODE_WORK * (uint64_t)(f->n_classes + 1);
  return ok && b->work <= b->max_work;
}

static bool same_field(const Trial *t, NodeId id) {
  const Field *x = &t->base[id], *y = &t->run->dist.fields[id];
  for (int64_t d = 0; d < trial_devices(t); d++) {
    const double *a = field_at(x, d), *b = field_at(y, d);
    if (a != b && (!a || !b || memcmp(a, b, x->n * sizeof *a) != 0)) return false;
  }
  return true;
}

/* Whether the trial may still be one that helps.  Where the worst element still differs the others need no look. */
static bool check_output(Trial *t, uint32_t k, bool whole) {
  double worst = trial_before(t, k) == TRIAL_WRONG ? fabs(trial_error(t, k, true)) : 0;
  t->checked[t->n_checked++] = k;
  t->after[k] = worst >= t->run->problem.options.differ ? (Comparison){.difference = worst, .n_known = 1} : compare(t, k);
  TrialOutput was = trial_before(t, k), now = trial_after(t, k);
  return was == TRIAL_RIGHT ? now == TRIAL_RIGHT : was != TRIAL_WRONG || !whole || now == TRIAL_RIGHT;
}

bool trial_run(Trial *t, const TrialEdit *e, const NodeId *nodes, uint32_t n, bool whole) {
  put_back(t);
  if (t->over || !n) return false;
  const Graph *g = trial_graph(t);
  Arena scratch = {0};
  bool ok = true;
  uint32_t next = 0;
  for (NodeId id = nodes[0]; id < g->nodes.len && ok; id++) {
    const Node *x = &g->nodes.at[id];
    bool edited = next < n && nodes[next] == id, dirty = false;
    next += edited;
    for (uint32_t k = 0; k < x->n_args && !dirty; k++) dirty = t->dirty[x->args[k]];
    if (!t->live[id] || (!edited && !dirty)) continue;
    t->changed[t->n_changed++] = id;
    t->dirty[id] = true;
    if (dirty && !trial_evaluate(t, id, &scratch)) t->over = true;
    ok = !t->over && (!edited || trial_apply(t, e, id, next - 1, &scratch));
    if (ok && !dirty && same_field(t, id)) t->dirty[id] = false;
    for (uint32_t k = t->dirty[id] ? t->first_output[id] : 0; ok && k; k = t->next_output[k - 1])
      ok = check_output(t, k - 1, whole);
  }
  arena_free(&scratch);
  if (t->run->budget.work > t->run->budget.max_work) t->over = true;
  return ok && !t->over;
}

double trial_error(const Trial *t, uint32_t output, bool after) {
  const Related *o = &trial_relation(t)->outputs[output];
  const Comparison *c = &t->before[output];
  NodeId seq, dist;
  if (o->layout.n_partial || !c->n_kept || !compare_nodes(t->run, o, &seq, &dist)) return NAN;
  const double *got = field_at(after ? &t->run->dist.fields[dist] : &t->base[dist], c->kept[0].device);
  const double *want = field_at(&t->run->seq.fields[seq], 0);
  return got && want ? (got[c->kept[0].in_block] - want[c->kept[0].in_whole]) / c->top : NAN;
}

double trial_number(const Trial *t, NodeId node) {
  const Field *f = &t->base[node];
  double x = NAN;
  for (uint32_t c = 0; c < f->n_classes; c++) {
    if (!f->at[c] || !f->n) return NAN;
    if (c == 0) x = f->at[0][0];
    for (uint64_t j = 0; j < f->n; j++)
      if (!(f->at[c][j] == x)) return NAN;
  }
  return x;
}

uint32_t trial_varies(const Trial *t, NodeId node) {
  const Mesh *m = &trial_relation(t)->mesh;
  const Field *f = &t->base[node];
  uint32_t out = 0;
  int64_t at[32];
  for (int64_t i = 0; i < trial_devices(t) && f->n_classes > 1; i++)
    for (uint32_t k = 0; k < m->n_axes; k++) {
      mesh_coordinate(m, i, at);
      if (at[k] == 0) continue;
      at[k] = 0;
      const double *x = field_at(f, i), *y = field_at(f, mesh_device(m, at));
      if (x != y && (!x || !y || memcmp(x, y, f->n * sizeof *x) != 0)) out |= 1u << k;
    }
  return out;
}
