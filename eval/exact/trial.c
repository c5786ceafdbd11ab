/* trial: see trial.h.  The fields of one run are kept; those a trial changes are put back before the next one.  Most
 * trials fail: the wrong output that takes the least work is evaluated and looked at before anything else is. */
#include "eval/exact/trial_parts.h"

#include <math.h>

static Comparison compare(const Trial *t, uint32_t k) {
  const Related *o = &trial_relation(t)->outputs[k];
  bool sums[32] = {false};
  for (uint32_t i = 0; i < o->layout.n_partial; i++) sums[o->layout.partial[i]] = true;
  return compare_output(t->run, o, sums, 1);
}

static bool compared(const Comparison *c) { return !c->misfit && !c->n_unknown && c->n_known; }

static uint64_t output_bit(uint32_t k) { return UINT64_C(1) << k % 64; }

Trial *trial_new(const ExactProblem *p, uint64_t seed, ExactRun *run, uint64_t max_work) {
  if (p->relation->mesh.n_axes >= 32) return NULL;
  Trial *t = xcalloc(1, sizeof *t);
  t->borrowed = run;
  t->run = run ? run : run_new(p, seed);
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
  t->state = ARENA_ARRAY(a, uint8_t, len + 1);
  t->reaches = ARENA_ARRAY(a, uint64_t, len + 1);
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
    t->reaches[dist] |= output_bit(k);
    if (trial_before(t, k) == TRIAL_WRONG) t->wrong |= output_bit(k);
  }
  t->last_use = ARENA_ARRAY(a, NodeId, len + 1);
  for (NodeId i = 0; i < len; i++)
    for (uint32_t k = 0; k < g->nodes.at[i].n_args; k++) t->last_use[g->nodes.at[i].args[k]] = i;
  for (size_t i = len; i-- > 0;)
    for (uint32_t k = 0; k < g->nodes.at[i].n_args; k++) t->reaches[g->nodes.at[i].args[k]] |= t->reaches[i];
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
TrialOutput trial_before(const Trial *t, uint32_t output) {
  const Comparison *c = &t->before[output];
  const ExactOptions *o = &t->run->problem.options;
  if (!compared(c) || (c->difference > o->agree && c->difference < o->differ)) return TRIAL_UNKNOWN;
  return c->difference < o->differ ? TRIAL_RIGHT : TRIAL_WRONG;
}
TrialOutput trial_after(const Trial *t, uint32_t output) {
  const Comparison *c = &t->after[output];
  if (!compared(c)) return TRIAL_UNKNOWN;
  return c->difference < t->run->problem.options.differ ? TRIAL_RIGHT : TRIAL_WRONG;
}

/* ------------------------------------------------------------------ running */
static void put_back(Trial *t) {
  for (size_t i = 0; i < t->n_changed; i++) {
    t->run->dist.fields[t->changed[i]] = t->base[t->changed[i]];
    t->state[t->changed[i]] = NODE_CLEAN;
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

/* Lists what depends on the nodes.  The outputs (by bit) of the wrong one that takes the least work; 0: none. */
static uint64_t touch(Trial *t, const NodeId *nodes, uint32_t n) {
  const Graph *g = trial_graph(t);
  uint64_t work[64] = {0}, reached = 0, best = 0;
  uint32_t next = 0;
  for (NodeId id = nodes[0], last = nodes[n - 1]; id <= last; id++) {
    const Node *x = &g->nodes.at[id];
    bool touched = next < n && nodes[next] == id;
    next += touched;
    for (uint32_t k = 0; k < x->n_args && !touched; k++) touched = t->state[x->args[k]] != NODE_CLEAN;
    if (!touched || !t->reaches[id]) continue;
    t->state[id] = NODE_TOUCHED;
    t->changed[t->n_changed++] = id;
    if (t->last_use[id] > last) last = t->last_use[id];
    reached |= t->reaches[id];
    for (uint64_t bits = t->reaches[id] & t->wrong; bits; bits &= bits - 1)
      work[__builtin_ctzll(bits)] += (NODE_WORK + t->base[id].n) * (t->base[id].n_classes + 1);
  }
  for (uint64_t bits = reached & t->wrong; bits; bits &= bits - 1)
    if (!best || work[__builtin_ctzll(bits)] < work[__builtin_ctzll(best)]) best = bits & -bits;
  return best;
}

/* A touched node, the i-th of those that are edited (NO_NODE: none of them); false if the trial fails. */
static bool run_node(Trial *t, const TrialEdit *e, NodeId id, uint32_t i, bool whole, Arena *scratch) {
  const Node *x = &trial_graph(t)->nodes.at[id];
  bool other = false;
  for (uint32_t k = 0; k < x->n_args && !other; k++) other = t->state[x->args[k]] == NODE_OTHER;
  t->state[id] = other ? NODE_OTHER : NODE_SAME;
  if (other && !trial_evaluate(t, id, scratch)) t->over = true;
  if (t->over || (i != NO_NODE && !trial_apply(t, e, id, i, scratch))) return false;
  if (i != NO_NODE && !other && !same_field(t, id)) t->state[id] = NODE_OTHER;
  for (uint32_t k = t->state[id] == NODE_OTHER ? t->first_output[id] : 0; k; k = t->next_output[k - 1])
    if (!check_output(t, k - 1, whole)) return false;
  return true;
}

bool trial_run(Trial *t, const TrialEdit *e, const NodeId *nodes, uint32_t n, bool whole) {
  put_back(t);
  if (t->over || !n) return false;
  uint64_t first = touch(t, nodes, n);
  Arena scratch = {0};
  bool ok = true;
  for (int pass = !whole; pass < 2 && ok; pass++) {
    uint32_t next = 0;
    for (size_t i = 0; i < t->n_changed && ok; i++) {
      NodeId id = t->changed[i];
      while (next < n && nodes[next] < id) next++;
      if (t->state[id] == NODE_TOUCHED && (pass || t->reaches[id] & first))
        ok = run_node(t, e, id, next < n && nodes[next] == id ? next : NO_NODE, whole, &scratch);
    }
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
