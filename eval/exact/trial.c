/* trial: see trial.h.  The fields of one run are kept; those a trial changes are put back before the next one. */
#include "eval/exact/trial.h"

#include <math.h>

#include "eval/exact/compare.h"
#include "eval/exact/fn_eval.h"

enum { NODE_WORK = 300 }; /* what evaluating a node costs besides its elements, in element operations */

struct Trial {
  ExactRun *run;
  Field *base; /* by node: as the graph is */
  bool *dirty; /* by node */
  bool *live;  /* by node: some output depends on it */
  NodeId *changed;
  size_t n_changed;
  ArenaMark mark;
  uint64_t elements;
  bool over;
  int64_t *first; /* scratch of side_node */
  uint32_t n_outputs;
  Comparison *before, *after;
  uint32_t *first_output, *next_output; /* outputs a node is, as a list: number + 1, by node and by output */
};

static const Graph *graph(const Trial *t) { return t->run->dist.source->graph; }
static const Relation *relation(const Trial *t) { return t->run->problem.relation; }
static int64_t n_devices(const Trial *t) { return t->run->dist.n_devices; }

static Comparison compare(const Trial *t, uint32_t k) {
  const Related *o = &relation(t)->outputs[k];
  bool sums[32] = {false};
  for (uint32_t i = 0; i < o->layout.n_partial; i++) sums[o->layout.partial[i]] = true;
  return compare_output(t->run, o, sums, 1);
}

static TrialOutput judge(const Trial *t, const Comparison *c) {
  if (c->misfit || c->n_unknown || !c->n_known) return TRIAL_UNKNOWN;
  return c->difference < t->run->problem.options.differ ? TRIAL_RIGHT : TRIAL_WRONG;
}

Trial *trial_new(const ExactProblem *p, uint64_t seed, uint64_t max_work) {
  if (p->relation->mesh.n_axes >= 32) return NULL;
  Trial *t = xcalloc(1, sizeof *t);
  t->run = run_new(p, seed, NULL);
  t->n_outputs = p->relation->n_outputs;
  if (t->run->why) {
    trial_free(t);
    return NULL;
  }
  Budget *b = &t->run->budget;
  b->max_work = b->work + max_work;
  Arena *a = &t->run->arena;
  const Graph *g = graph(t);
  size_t len = g->nodes.len;
  t->base = arena_copy(a, t->run->dist.fields, (len + 1) * sizeof *t->base);
  t->dirty = ARENA_ARRAY(a, bool, len + 1);
  t->live = ARENA_ARRAY(a, bool, len + 1);
  t->changed = ARENA_ARRAY(a, NodeId, len + 1);
  t->first = ARENA_ARRAY(a, int64_t, n_devices(t));
  t->before = ARENA_ARRAY(a, Comparison, t->n_outputs + 1);
  t->after = ARENA_ARRAY(a, Comparison, t->n_outputs + 1);
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

void trial_free(Trial *t) {
  if (!t) return;
  exact_run_free(t->run);
  free(t);
}

void trial_limit(Trial *t, uint64_t max_work) {
  Budget *b = &t->run->budget;
  if (b->work + max_work < b->max_work) b->max_work = b->work + max_work;
}

uint64_t trial_work(const Trial *t) { return t->run->budget.work; }
bool trial_exhausted(const Trial *t) { return t->over; }
TrialOutput trial_before(const Trial *t, uint32_t output) { return judge(t, &t->before[output]); }
TrialOutput trial_after(const Trial *t, uint32_t output) { return judge(t, &t->after[output]); }

/* ------------------------------------------------------------------ values */
/* A field from one array per device; devices with the same numbers share them. */
static Field field_of(Trial *t, const double **v, uint64_t n) {
  int64_t d = n_devices(t);
  Arena *a = &t->run->arena;
  Field f = {.n = n, .at = ARENA_ARRAY(a, const double *, d)};
  uint32_t *class_of = ARENA_ARRAY(a, uint32_t, d);
  for (int64_t i = 0; i < d; i++) {
    uint32_t c = 0;
    while (c < f.n_classes && f.at[c] != v[i] && memcmp(f.at[c], v[i], n * sizeof **v) != 0) c++;
    if (c == f.n_classes) f.at[f.n_classes++] = v[i];
    class_of[i] = c;
  }
  f.class_of = class_of;
  return f;
}

/* The sum or maximum over axes. */
static bool sum_over(Trial *t, const Field *in, const TrialEdit *e, Field *out) {
  const Mesh *m = &relation(t)->mesh;
  int64_t d = n_devices(t), at[32];
  Arena *a = &t->run->arena;
  double **v = ARENA_ARRAY(a, double *, d);
  for (int64_t i = 0; i < d; i++) {
    const double *x = field_at(in, i);
    if (!x) return false;
    mesh_coordinate(m, i, at);
    for (uint32_t k = 0; k < m->n_axes; k++)
      if (e->axes >> k & 1) at[k] = 0;
    int64_t to = mesh_device(m, at);
    bool maximum = v[to] && e->kind == TRIAL_MAX;
    if (!v[to]) v[to] = arena_alloc(a, (in->n + 1) * sizeof **v);
    for (uint64_t j = 0; j < in->n; j++) v[to][j] = maximum ? fmax(v[to][j], x[j]) : v[to][j] + x[j];
    if (to != i) v[i] = v[to];
  }
  for (int64_t i = 0; i < d && e->kind == TRIAL_SUM && e->number != 1; i++) {
    mesh_coordinate(m, i, at);
    bool own = true;
    for (uint32_t k = 0; k < m->n_axes; k++) own &= !(e->axes >> k & 1) || at[k] == 0;
    for (uint64_t j = 0; own && j < in->n; j++) v[i][j] *= e->number;
  }
  *out = field_of(t, (const double **)v, in->n);
  return true;
}

/* The sum of the coordinates along the axes of the set; 1 for no axes. */
static int64_t coordinate(const Trial *t, uint32_t axes, int64_t device) {
  const Mesh *m = &relation(t)->mesh;
  int64_t at[32], sum = 0;
  mesh_coordinate(m, device, at);
  for (uint32_t k = 0; k < m->n_axes; k++)
    if (axes >> k & 1) sum += at[k];
  return axes ? sum : 1;
}

/* Every device by itself: scaled, compared, sliced. */
typedef bool Pointwise(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, double *to);

static bool scaled(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, double *to) {
  const double *x = field_at(&t->run->dist.fields[n - graph(t)->nodes.at], device);
  for (int64_t j = 0; x && j < node_elements(n); j++) to[j] = x[j] * e->number;
  return x;
}

static bool shifted(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, double *to) {
  const double *x = field_at(&t->run->dist.fields[n - graph(t)->nodes.at], device);
  double by = e->number * (double)coordinate(t, e->axes, device);
  for (int64_t j = 0; x && j < node_elements(n); j++) to[j] = x[j] + by;
  return x;
}

static bool compared(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, double *to) {
  FnCompare op = fn_compare(e->direction);
  const Field *f = t->run->dist.fields;
  if (n->n_args != 2 || f[n->args[0]].n != f[n->args[1]].n) return false;
  const double *x = field_at(&f[n->args[0]], device), *y = field_at(&f[n->args[1]], device);
  for (int64_t j = 0; x && y && j < node_elements(n); j++) to[j] = fn_compare_double(op, x[j], y[j]);
  return x && y && op != FN_NO_COMPARE;
}

static bool sliced(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, double *to) {
  const Node *in = &graph(t)->nodes.at[n->args[0]];
  const Attr *starts = node_attr(n, sym("starts")), *strides = node_attr(n, sym("strides"));
  const double *x = field_at(&t->run->dist.fields[n->args[0]], device);
  if (!x || !starts || starts->n != n->rank || in->rank != n->rank || (strides && strides->n != n->rank)) return false;
  int64_t by = coordinate(t, e->axes, device);
  for (int64_t j = 0; j < node_elements(n); j++) {
    int64_t rest = j, position = 0, step = 1;
    for (uint32_t d = n->rank; d-- > 0;) {
      int64_t i = starts->ints[d] + (rest % n->dims[d]) * (strides ? strides->ints[d] : 1);
      if (d == e->dim) i += (int64_t)e->number * by;
      if (i < 0 || i >= in->dims[d]) return false;
      position += i * step;
      step *= in->dims[d];
      rest /= n->dims[d];
    }
    to[j] = x[position];
  }
  return true;
}

static bool divided(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, double *to) {
  const Field *f = t->run->dist.fields;
  (void)e;
  if (n->n_args != 2 || f[n->args[0]].n != f[n->args[1]].n) return false;
  const double *x = field_at(&f[n->args[0]], device), *y = field_at(&f[n->args[1]], device);
  for (int64_t j = 0; x && y && j < node_elements(n); j++) to[j] = y[j] == 0 ? NAN : floor(x[j] / y[j]);
  return x && y;
}

/* Orders of up to 4 dimensions are numbered from 0, the identity. */
static bool permuted(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, double *to) {
  const Node *in = &graph(t)->nodes.at[n->args[0]];
  const double *x = field_at(&t->run->dist.fields[n->args[0]], device);
  uint32_t order[4], left[4] = {0, 1, 2, 3}, number = e->dim;
  if (!x || in->rank > 4 || node_elements(in) != node_elements(n)) return false;
  for (uint32_t d = 0; d < in->rank; d++) {
    uint32_t k = number % (in->rank - d);
    number /= in->rank - d;
    order[d] = left[k];
    memmove(left + k, left + k + 1, (3 - k) * sizeof *left);
  }
  for (int64_t j = 0; j < node_elements(n); j++) {
    int64_t rest = j, index[4], position = 0;
    for (uint32_t d = in->rank; d-- > 0; rest /= in->dims[order[d]]) index[order[d]] = rest % in->dims[order[d]];
    for (uint32_t d = 0; d < in->rank; d++) position = position * in->dims[d] + index[d];
    to[j] = x[position];
  }
  return true;
}

static bool pointwise(Trial *t, const Node *n, const TrialEdit *e, Pointwise *make, Field *out) {
  int64_t d = n_devices(t);
  Arena *a = &t->run->arena;
  double **v = ARENA_ARRAY(a, double *, d);
  for (int64_t i = 0; i < d; i++) {
    v[i] = arena_alloc(a, ((uint64_t)node_elements(n) + 1) * sizeof **v);
    if (!make(t, n, e, i, v[i])) return false;
  }
  *out = field_of(t, (const double **)v, (uint64_t)node_elements(n));
  return true;
}

static bool reversed(Trial *t, const Node *n, Field *out) {
  const Attr *pairs = node_attr(n, sym("source_target_pairs"));
  const Field *in = &t->run->dist.fields[n->args[0]];
  int64_t d = n_devices(t);
  Arena *a = &t->run->arena;
  const double **v = ARENA_ARRAY(a, const double *, d);
  for (uint32_t i = 0; pairs && i + 1 < pairs->n; i += 2)
    if (pairs->ints[i] >= 0 && pairs->ints[i] < d) v[pairs->ints[i]] = field_at(in, pairs->ints[i + 1]);
  const double *zero = arena_alloc(a, (in->n + 1) * sizeof *zero);
  for (int64_t i = 0; i < d; i++)
    if (!v[i]) v[i] = zero;
  *out = field_of(t, v, in->n);
  return pairs;
}

/* ------------------------------------------------------------------ running */
static void put_back(Trial *t) {
  for (size_t i = 0; i < t->n_changed; i++) {
    t->run->dist.fields[t->changed[i]] = t->base[t->changed[i]];
    t->dirty[t->changed[i]] = false;
  }
  t->n_changed = 0;
  arena_reset(&t->run->arena, t->mark);
  t->run->budget.elements = t->elements;
  memcpy(t->after, t->before, t->n_outputs * sizeof *t->after);
}

static bool evaluate(Trial *t, NodeId id, Arena *scratch) {
  Field *f = &t->run->dist.fields[id];
  *f = (Field){0};
  ArenaMark m = arena_mark(scratch);
  bool ok = side_node(&t->run->dist, id, scratch, t->first);
  arena_reset(scratch, m);
  Budget *b = &t->run->budget;
  b->work += NODE_WORK * (uint64_t)(f->n_classes + 1);
  return ok && b->work <= b->max_work;
}

/* With another field in an operand's place while the node is evaluated. */
static bool evaluate_with(Trial *t, NodeId id, NodeId arg, Field other, Arena *scratch) {
  Field *f = &t->run->dist.fields[arg], own = *f;
  *f = other;
  bool ok = evaluate(t, id, scratch);
  *f = own;
  return ok;
}

static bool apply(Trial *t, const TrialEdit *e, NodeId id, Arena *scratch) {
  const Node *n = &graph(t)->nodes.at[id];
  Field *f = t->run->dist.fields, *own = &f[id], out;
  uint64_t count = (uint64_t)node_elements(n);
  bool has = e->operand < 0 || (uint32_t)e->operand < n->n_args, ok = false;
  if (!has) return false;
  const Field *in = e->operand < 0 ? own : &f[n->args[e->operand]];
  switch (e->kind) {
    case TRIAL_SUM: ok = in->n == count && sum_over(t, in, e, &out); break;
    case TRIAL_MAX: ok = sum_over(t, own, e, &out); break;
    case TRIAL_SHIFT: ok = pointwise(t, n, e, shifted, &out); break;
    case TRIAL_SCALE: ok = pointwise(t, n, e, scaled, &out); break;
    case TRIAL_COMPARE: ok = pointwise(t, n, e, compared, &out); break;
    case TRIAL_SLICE: ok = n->n_args && pointwise(t, n, e, sliced, &out); break;
    case TRIAL_DIVIDE: ok = pointwise(t, n, e, divided, &out); break;
    case TRIAL_PERMUTE: ok = n->n_args == 1 && pointwise(t, n, e, permuted, &out); break;
    case TRIAL_REVERSE: ok = n->n_args == 1 && reversed(t, n, &out); break;
    case TRIAL_OPERAND:
      ok = e->operand >= 0 && in->n == count;
      out = *in;
      break;
    case TRIAL_SWAP: {
      if (n->n_args != 2 || f[n->args[0]].n != f[n->args[1]].n || n->args[0] == n->args[1]) return false;
      Field a = f[n->args[0]], b = f[n->args[1]];
      f[n->args[0]] = b;
      ok = evaluate_with(t, id, n->args[1], a, scratch);
      f[n->args[0]] = a;
      return ok;
    }
    case TRIAL_SUMMED:
      return e->operand >= 0 && sum_over(t, in, e, &out) && evaluate_with(t, id, n->args[e->operand], out, scratch);
    case TRIAL_FACTOR: {
      if (e->operand < 0 || !pointwise(t, &graph(t)->nodes.at[n->args[e->operand]], e, scaled, &out)) return false;
      return evaluate_with(t, id, n->args[e->operand], out, scratch);
    }
    case TRIAL_LITERAL: {
      double *x = arena_alloc(&t->run->arena, (in->n + 1) * sizeof *x);
      for (uint64_t j = 0; j < in->n; j++) x[j] = e->number;
      Field number = {.n = in->n, .n_classes = 1, .at = arena_copy(&t->run->arena, &x, sizeof x)};
      if (e->operand < 0) return *own = number, true;
      return evaluate_with(t, id, n->args[e->operand], number, scratch);
    }
  }
  t->run->budget.work += NODE_WORK + count * (uint64_t)n_devices(t);
  if (ok) *own = out;
  return ok;
}

static bool same_field(const Trial *t, NodeId id) {
  const Field *x = &t->base[id], *y = &t->run->dist.fields[id];
  for (int64_t d = 0; d < n_devices(t); d++) {
    const double *a = field_at(x, d), *b = field_at(y, d);
    if (a != b && (!a || !b || memcmp(a, b, x->n * sizeof *a) != 0)) return false;
  }
  return true;
}

/* Whether the trial may still be one that helps. */
static bool check_output(Trial *t, uint32_t k, bool whole) {
  t->after[k] = compare(t, k);
  TrialOutput was = trial_before(t, k), now = trial_after(t, k);
  return was == TRIAL_RIGHT ? now == TRIAL_RIGHT : was != TRIAL_WRONG || !whole || now == TRIAL_RIGHT;
}

bool trial_run(Trial *t, const TrialEdit *e, const NodeId *nodes, uint32_t n, bool whole) {
  put_back(t);
  if (t->over || !n) return false;
  const Graph *g = graph(t);
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
    if (dirty && !evaluate(t, id, &scratch)) t->over = true;
    ok = !t->over && (!edited || apply(t, e, id, &scratch));
    if (ok && !dirty && same_field(t, id)) t->dirty[id] = false;
    for (uint32_t k = t->dirty[id] ? t->first_output[id] : 0; ok && k; k = t->next_output[k - 1])
      ok = check_output(t, k - 1, whole);
  }
  arena_free(&scratch);
  if (t->run->budget.work > t->run->budget.max_work) t->over = true;
  return ok && !t->over;
}

double trial_error(const Trial *t, uint32_t output, bool after) {
  const Related *o = &relation(t)->outputs[output];
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
  const Mesh *m = &relation(t)->mesh;
  const Field *f = &t->base[node];
  uint32_t out = 0;
  int64_t at[32];
  for (int64_t i = 0; i < n_devices(t) && f->n_classes > 1; i++)
    for (uint32_t k = 0; k < m->n_axes; k++) {
      mesh_coordinate(m, i, at);
      if (at[k] == 0) continue;
      at[k] = 0;
      const double *x = field_at(f, i), *y = field_at(f, mesh_device(m, at));
      if (x != y && (!x || !y || memcmp(x, y, f->n * sizeof *x) != 0)) out |= 1u << k;
    }
  return out;
}
