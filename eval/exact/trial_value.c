/* trial_value: the values that an edit gives a node, or an operand of it. */
#include <math.h>

#include "eval/exact/fn_eval.h"
#include "eval/exact/trial_parts.h"

/* ------------------------------------------------------------------ values */
/* A field from one array per device; devices with the same numbers share them. */
static Field field_of(Trial *t, const double **v, uint64_t n) {
  int64_t d = trial_devices(t);
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
  const Mesh *m = &trial_relation(t)->mesh;
  int64_t d = trial_devices(t), at[32];
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
  for (int64_t i = 0; i < d && e->kind != TRIAL_MAX && e->number != 1; i++) {
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
  const Mesh *m = &trial_relation(t)->mesh;
  int64_t at[32], sum = 0;
  mesh_coordinate(m, device, at);
  for (uint32_t k = 0; k < m->n_axes; k++)
    if (axes >> k & 1) sum += at[k];
  return axes ? sum : 1;
}

/* Every device by itself, `count` numbers: scaled, compared, sliced. */
typedef bool Pointwise(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, int64_t count, double *to);

static bool scaled(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, int64_t count, double *to) {
  const double *x = field_at(&t->run->dist.fields[n - trial_graph(t)->nodes.at], device);
  for (int64_t j = 0; x && j < count; j++) to[j] = x[j] * e->number;
  return x;
}

static bool shifted(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, int64_t count, double *to) {
  const double *x = field_at(&t->run->dist.fields[n - trial_graph(t)->nodes.at], device);
  double by = e->number * (double)coordinate(t, e->axes, device);
  for (int64_t j = 0; x && j < count; j++) to[j] = x[j] + by;
  return x;
}

static bool compared(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, int64_t count, double *to) {
  FnCompare op = fn_compare(e->direction);
  const Field *f = t->run->dist.fields;
  if (n->n_args != 2 || f[n->args[0]].n != f[n->args[1]].n) return false;
  const double *x = field_at(&f[n->args[0]], device), *y = field_at(&f[n->args[1]], device);
  for (int64_t j = 0; x && y && j < count; j++) to[j] = fn_compare_double(op, x[j], y[j]);
  return x && y && op != FN_NO_COMPARE;
}

static bool sliced(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, int64_t count, double *to) {
  const Node *in = &trial_graph(t)->nodes.at[n->args[0]];
  const Attr *starts = node_attr(n, sym("starts")), *strides = node_attr(n, sym("strides"));
  const double *x = field_at(&t->run->dist.fields[n->args[0]], device);
  if (!x || !starts || starts->n != n->rank || in->rank != n->rank || (strides && strides->n != n->rank)) return false;
  int64_t by = coordinate(t, e->axes, device);
  for (int64_t j = 0; j < count; j++) {
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

static bool divided(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, int64_t count, double *to) {
  const Field *f = t->run->dist.fields;
  (void)e;
  if (n->n_args != 2 || f[n->args[0]].n != f[n->args[1]].n) return false;
  const double *x = field_at(&f[n->args[0]], device), *y = field_at(&f[n->args[1]], device);
  for (int64_t j = 0; x && y && j < count; j++) to[j] = y[j] == 0 ? NAN : floor(x[j] / y[j]);
  return x && y;
}

/* Orders of up to 4 dimensions are numbered from 0, the identity. */
static bool permuted(const Trial *t, const Node *n, const TrialEdit *e, int64_t device, int64_t count, double *to) {
  const Node *in = &trial_graph(t)->nodes.at[n->args[0]];
  const double *x = field_at(&t->run->dist.fields[n->args[0]], device);
  uint32_t order[4], left[4] = {0, 1, 2, 3}, number = e->dim;
  if (!x || in->rank > 4 || node_elements(in) != node_elements(n)) return false;
  for (uint32_t d = 0; d < in->rank; d++) {
    uint32_t k = number % (in->rank - d);
    number /= in->rank - d;
    order[d] = left[k];
    memmove(left + k, left + k + 1, (3 - k) * sizeof *left);
  }
  for (int64_t j = 0; j < count; j++) {
    int64_t rest = j, index[4], position = 0;
    for (uint32_t d = in->rank; d-- > 0; rest /= in->dims[order[d]]) index[order[d]] = rest % in->dims[order[d]];
    for (uint32_t d = 0; d < in->rank; d++) position = position * in->dims[d] + index[d];
    to[j] = x[position];
  }
  return true;
}

static bool pointwise(Trial *t, const Node *n, const TrialEdit *e, Pointwise *make, Field *out) {
  int64_t d = trial_devices(t), count = node_elements(n);
  Arena *a = &t->run->arena;
  double **v = ARENA_ARRAY(a, double *, d);
  for (int64_t i = 0; i < d; i++) {
    v[i] = arena_raw(a, ((uint64_t)count + 1) * sizeof **v);
    if (!make(t, n, e, i, count, v[i])) return false;
  }
  *out = field_of(t, (const double **)v, (uint64_t)count);
  return true;
}

/* A value sent along the pairs, or against them; who receives nothing has zeros. */
static bool sent(Trial *t, const Attr *pairs, const Field *in, bool back, Field *out) {
  int64_t d = trial_devices(t);
  Arena *a = &t->run->arena;
  const double **v = ARENA_ARRAY(a, const double *, d);
  for (uint32_t i = 0; pairs && i + 1 < pairs->n; i += 2) {
    int64_t from = pairs->ints[i + back], to = pairs->ints[i + !back];
    if (from >= 0 && from < d && to >= 0 && to < d) v[to] = field_at(in, from);
  }
  const double *zero = arena_alloc(a, (in->n + 1) * sizeof *zero);
  for (int64_t i = 0; i < d; i++)
    if (!v[i]) v[i] = zero;
  *out = field_of(t, v, in->n);
  return pairs;
}

static bool reversed(Trial *t, const Node *n, Field *out) {
  return sent(t, node_attr(n, sym("source_target_pairs")), &t->run->dist.fields[n->args[0]], true, out);
}

static bool rotated(Trial *t, const TrialEdit *e, const Field *in, uint32_t place, Field *out) {
  const Attr *pairs = node_attr(&trial_graph(t)->nodes.at[e->with[0]], sym("source_target_pairs"));
  int64_t times = e->number > 0 ? (int64_t)e->number : place + (e->number < 0);
  *out = *in;
  for (int64_t k = 0; k < times && pairs; k++) {
    Field next;
    sent(t, pairs, out, false, &next);
    *out = next;
  }
  return pairs;
}

/* Whether a device keeps its value. */
static bool keeps(const Trial *t, const TrialEdit *e, int64_t device) {
  const Mesh *m = &trial_relation(t)->mesh;
  int64_t at[32];
  if (e->kind == TRIAL_UNSENT) return device != (int64_t)e->dim;
  mesh_coordinate(m, device, at);
  bool keep = true;
  for (uint32_t k = 0; k < m->n_axes; k++) keep &= !(e->axes >> k & 1) || at[k] == (int64_t)e->number;
  return keep;
}

static bool some_zero(Trial *t, const TrialEdit *e, const Field *in, Field *out) {
  const double **v = ARENA_ARRAY(&t->run->arena, const double *, trial_devices(t));
  const double *zeros = ARENA_ARRAY(&t->run->arena, double, in->n + 1);
  for (int64_t i = 0; i < trial_devices(t); i++)
    if (!(v[i] = keeps(t, e, i) ? field_at(in, i) : zeros)) return false;
  *out = field_of(t, v, in->n);
  return true;
}

/* ------------------------------------------------------------------ other values */
/* Where element j of a block that starts there is in the whole. */
static int64_t position_of(const Node *part, const Node *of, const int64_t *start, int64_t j) {
  int64_t position = 0, step = 1;
  for (uint32_t d = part->rank; d-- > 0; j /= part->dims[d], step *= of->dims[d])
    position += (start[d] + j % part->dims[d]) * step;
  return position;
}

/* How an element of `x` reads `y`, which may lack its last or its first dimensions: divided by, or modulo. */
static bool broadcasts(const Node *x, const Node *y, uint64_t *divisor, uint64_t *modulus) {
  int64_t dims[2][32];
  uint32_t rank[2] = {0, 0};
  const Node *of[2] = {x, y};
  for (int k = 0; k < 2; k++)
    for (uint32_t d = 0; d < of[k]->rank; d++)
      if (of[k]->dims[d] != 1 && rank[k] < 32) dims[k][rank[k]++] = of[k]->dims[d];
  if (!rank[1] || rank[1] > rank[0]) return false;
  *modulus = (uint64_t)node_elements(y);
  *divisor = 1;
  if (!memcmp(dims[0], dims[1], rank[1] * sizeof **dims)) {
    *divisor = (uint64_t)node_elements(x) / *modulus;
    return true;
  }
  return !memcmp(dims[0] + rank[0] - rank[1], dims[1], rank[1] * sizeof **dims);
}

NodeId trial_clamped(const Graph *g, NodeId id) {
  NodeId at = id;
  for (;;) {
    const Node *n = &g->nodes.at[at];
    bool clamps = n->op == sym("maximum") || n->op == sym("minimum") || n->op == sym("clamp");
    NodeId from = at;
    for (uint32_t k = 0; k < n->n_args && clamps && from == at; k++) /* not the bounds */
      if (g->nodes.at[n->args[k]].n_args && g->nodes.at[n->args[k]].op != sym("broadcast")) from = n->args[k];
    if (from == at) return dtype_is_float((DType)n->dtype) || at == id ? NO_NODE : at;
    at = from;
  }
}

/* The factor: a value, or 1 where clamped indices are what they were. */
static double factor(const double *value, const double *clamped, uint64_t j) {
  return clamped ? value[j] == clamped[j] : value[j];
}

static bool times(Trial *t, NodeId id, NodeId other, Field *out) {
  const Node *x = &trial_graph(t)->nodes.at[id], *y = &trial_graph(t)->nodes.at[other];
  const Field *f = t->run->dist.fields;
  NodeId from = trial_clamped(trial_graph(t), other);
  uint64_t divisor, modulus, n = f[id].n;
  if (!broadcasts(x, y, &divisor, &modulus) || f[other].n != modulus) return false;
  if (from != NO_NODE && f[from].n != modulus) return false;
  int64_t devices = trial_devices(t);
  const double **v = ARENA_ARRAY(&t->run->arena, const double *, devices);
  for (int64_t i = 0; i < devices; i++) {
    const double *a = field_at(&f[id], i), *b = field_at(&f[other], i);
    const double *c = from == NO_NODE ? NULL : field_at(&f[from], i);
    if (!a || !b || (from != NO_NODE && !c)) return false;
    double *to = arena_alloc(&t->run->arena, (n + 1) * sizeof *to);
    for (uint64_t j = 0; j < n; j++) to[j] = a[j] * factor(b, c, j / divisor % modulus);
    v[i] = to;
  }
  *out = field_of(t, v, n);
  return true;
}

static bool same_block(const double *block, const Node *part, const double *whole, const Node *of,
                       const int64_t *start) {
  int64_t count = node_elements(part);
  for (int64_t j = 0; j < count; j++) {
    double x = block[j], y = whole[position_of(part, of, start, j)];
    if (!(fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y)))) return false;
  }
  return true;
}

bool trial_blocks(Trial *t, NodeId dist, NodeId seq, int64_t *blocks) {
  enum { MOST_PLACES = 64 };
  const Node *part = &trial_graph(t)->nodes.at[dist], *of = &t->run->seq.source->graph->nodes.at[seq];
  const Field *f = &t->base[dist], *g = &t->run->seq.fields[seq];
  int64_t places = 1;
  if (part->rank != of->rank || !f->at || !g->at || !g->at[0]) return false;
  t->run->budget.work += NODE_WORK + (uint64_t)trial_devices(t) * f->n;
  for (uint32_t d = 0; d < part->rank; d++) {
    if (!part->dims[d] || of->dims[d] % part->dims[d]) return false;
    places *= of->dims[d] / part->dims[d];
    if (places > MOST_PLACES) return false;
  }
  for (int64_t i = 0; i < trial_devices(t); i++) {
    const double *block = field_at(f, i);
    int64_t *start = blocks + i * part->rank;
    bool found = false;
    for (int64_t k = 0; k < places && block && !found; k++) {
      int64_t rest = k;
      for (uint32_t d = part->rank; d-- > 0; rest /= of->dims[d] / part->dims[d])
        start[d] = rest % (of->dims[d] / part->dims[d]) * part->dims[d];
      found = same_block(block, part, g->at[0], of, start);
    }
    if (!found) return false;
  }
  return true;
}

bool trial_blocks_by_shape(const Trial *t, NodeId dist, NodeId seq, uint32_t skip, int64_t *blocks) {
  const Node *part = &trial_graph(t)->nodes.at[dist], *of = &t->run->seq.source->graph->nodes.at[seq];
  const Mesh *m = &trial_relation(t)->mesh;
  uint32_t used = skip;
  int64_t at[32];
  if (part->rank != of->rank) return false;
  for (uint32_t d = 0; d < part->rank; d++) {
    uint32_t axis = 0;
    bool whole = part->dims[d] == of->dims[d];
    while (!whole && axis < m->n_axes && (used >> axis & 1 || part->dims[d] * m->axes[axis].size != of->dims[d]))
      axis++;
    if (!whole && axis == m->n_axes) return false;
    if (!whole) used |= 1u << axis;
    for (int64_t i = 0; i < trial_devices(t); i++) {
      mesh_coordinate(m, i, at);
      blocks[i * part->rank + d] = whole ? 0 : at[axis] * part->dims[d];
    }
  }
  return true;
}

int64_t trial_n_devices(const Trial *t) { return trial_devices(t); }

static bool like(Trial *t, const TrialEdit *e, NodeId id, NodeId seq, Field *out) {
  const Node *part = &trial_graph(t)->nodes.at[id], *of = &t->run->seq.source->graph->nodes.at[seq];
  const Field *g = &t->run->seq.fields[seq];
  uint64_t n = (uint64_t)node_elements(part);
  if (part->rank != of->rank || !g->at || !g->at[0]) return false;
  int64_t devices = trial_devices(t);
  for (uint32_t d = 0; d < part->rank; d++)
    for (int64_t i = 0; i < devices; i++)
      if (e->blocks[i * part->rank + d] + part->dims[d] > of->dims[d]) return false;
  const double **v = ARENA_ARRAY(&t->run->arena, const double *, devices);
  for (int64_t i = 0; i < devices; i++) {
    double *to = arena_alloc(&t->run->arena, (n + 1) * sizeof *to);
    for (uint64_t j = 0; j < n; j++)
      to[j] = e->number * g->at[0][position_of(part, of, e->blocks + i * part->rank, (int64_t)j)];
    v[i] = to;
  }
  *out = field_of(t, v, n);
  return true;
}

/* With another field in an operand's place while the node is evaluated. */
static bool evaluate_with(Trial *t, NodeId id, NodeId arg, Field other, Arena *scratch) {
  Field *f = &t->run->dist.fields[arg], own = *f;
  *f = other;
  bool ok = trial_evaluate(t, id, scratch);
  *f = own;
  return ok;
}

bool trial_apply(Trial *t, const TrialEdit *e, NodeId id, uint32_t i, Arena *scratch) {
  const Node *n = &trial_graph(t)->nodes.at[id];
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
    case TRIAL_UNSENT: ok = some_zero(t, e, own, &out); break;
    case TRIAL_ONLY:
      return e->operand >= 0 && some_zero(t, e, in, &out) && evaluate_with(t, id, n->args[e->operand], out, scratch);
    case TRIAL_REVERSE: ok = n->n_args == 1 && reversed(t, n, &out); break;
    case TRIAL_OPERAND:
      ok = e->operand >= 0 && in->n == count;
      out = *in;
      break;
    case TRIAL_SWAP: {
      NodeId first = n->n_args < 2 ? id : n->args[0], last = n->n_args < 2 ? id : n->args[n->n_args - 1];
      if (first == last || f[first].n != f[last].n) return false;
      Field a = f[first];
      f[first] = f[last];
      ok = evaluate_with(t, id, last, a, scratch);
      f[first] = a;
      return ok;
    }
    case TRIAL_SUMMED:
      return e->operand >= 0 && sum_over(t, in, e, &out) && evaluate_with(t, id, n->args[e->operand], out, scratch);
    case TRIAL_FACTOR: {
      if (e->operand < 0 || !pointwise(t, &trial_graph(t)->nodes.at[n->args[e->operand]], e, scaled, &out))
        return false;
      return evaluate_with(t, id, n->args[e->operand], out, scratch);
    }
    case TRIAL_OTHER:
      if (e->operand < 0 || f[e->with[i]].n != in->n) return false;
      return evaluate_with(t, id, n->args[e->operand], f[e->with[i]], scratch);
    case TRIAL_TIMES:
      if (e->operand < 0) {
        ok = times(t, id, e->with[i], &out);
        break;
      }
      return times(t, n->args[e->operand], e->with[i], &out) && evaluate_with(t, id, n->args[e->operand], out, scratch);
    case TRIAL_ROTATE:
      return e->operand >= 0 && in->at && rotated(t, e, in, i, &out) &&
             evaluate_with(t, id, n->args[e->operand], out, scratch);
    case TRIAL_LIKE:
      if (e->operand < 0) {
        ok = like(t, e, id, e->with[i], &out);
        break;
      }
      return like(t, e, n->args[e->operand], e->with[i], &out) &&
             evaluate_with(t, id, n->args[e->operand], out, scratch);
    case TRIAL_LITERAL: {
      double *x = arena_alloc(&t->run->arena, (in->n + 1) * sizeof *x);
      for (uint64_t j = 0; j < in->n; j++) x[j] = e->number;
      Field number = {.n = in->n, .n_classes = 1, .at = arena_copy(&t->run->arena, &x, sizeof x)};
      if (e->operand < 0) return *own = number, true;
      return evaluate_with(t, id, n->args[e->operand], number, scratch);
    }
  }
  t->run->budget.work += NODE_WORK + count * (uint64_t)trial_devices(t);
  if (ok) *own = out;
  return ok;
}
