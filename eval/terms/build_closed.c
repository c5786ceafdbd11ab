/* Integers and truth values that depend on no input, from their numbers.
 *
 * The numbers of a node on all devices are one table over its digits and the mesh digits.  Digits that no number depends
 * on are left out; what remains is an affine form, or a predicate of one position or of the difference of two (a band
 * of ones), or a table.  So how a program has computed positions and masks does not matter.  A table says less than an
 * equation (copies do not fold in it): it is taken where there is no equation in these digits. */
#include "eval/terms/build_access.h"

#include <string.h>

#include "eval/exact/closed.h"

enum { MAX_GRID = 1 << 16, MAX_TABLE = 1 << 12, MAX_RUNS = 4, MAX_TERMS = 32 };
static const int64_t MAX_WEIGHT = INT64_C(1) << 40; /* so that forms stay within 64 bits */

/* Numbers over some indices, row-major. */
typedef struct Grid {
  uint32_t n;
  Name *names;
  int64_t *sizes;
  uint64_t total;
  int64_t *at;
} Grid;

/* The numbers of all devices: mesh digits first where devices differ. */
static bool grid_of(Build *b, Side side, NodeId id, Grid *g) {
  struct Closed *c = b->problem->closed[side];
  const MeshDigits *md = digits_mesh(b->digits);
  int64_t n_devices = side == SIDE_DIST ? b->problem->relation->mesh.n_devices : 1;
  uint64_t n = (uint64_t)node_elements(&b->problem->graph[side]->nodes.at[id]);
  const int64_t *first = closed_values(c, id, 0);
  bool uniform = true;
  if (!first || !n) return false;
  for (int64_t d = 1; d < n_devices; d++) {
    const int64_t *v = closed_values(c, id, d);
    if (!v) return false;
    uniform &= v == first || !memcmp(v, first, n * sizeof *v);
  }
  Slots s = build_slots(b, side, id);
  uint32_t n_mesh = uniform ? 0 : b->n_mesh;
  *g = (Grid){s.n + n_mesh, ARENA_ARRAY(&b->arena, Name, s.n + n_mesh + 1),
              ARENA_ARRAY(&b->arena, int64_t, s.n + n_mesh + 1), 1, NULL};
  for (uint32_t i = 0; i < g->n; i++) {
    bool mesh = i < n_mesh;
    g->names[i] = mesh ? b->mesh_names[i] : s.names[i - n_mesh];
    g->sizes[i] = mesh ? meshdigits_get(md, i)->size : s.sizes[i - n_mesh];
    if (__builtin_mul_overflow(g->total, (uint64_t)g->sizes[i], &g->total) || g->total > MAX_GRID) return false;
  }
  g->at = ARENA_ARRAY(&b->arena, int64_t, g->total);
  for (int64_t d = 0; d < (uniform ? 1 : n_devices); d++) {
    const int64_t *v = closed_values(c, id, d);
    uint64_t base = 0;
    for (uint32_t i = 0; i < n_mesh; i++) base = base * (uint64_t)g->sizes[i] + (uint64_t)meshdigits_value(md, i, d);
    memcpy(g->at + base * n, v, n * sizeof *v);
  }
  return true;
}

/* Index i, whose stride is given, changes no number. */
static bool is_idle(const Grid *g, uint32_t i, uint64_t stride) {
  for (uint64_t k = 0; k < g->total; k++) {
    uint64_t at = k / stride % (uint64_t)g->sizes[i];
    if (at && g->at[k] != g->at[k - at * stride]) return false;
  }
  return true;
}

/* Leaves index i out. */
static void leave_out(Grid *g, uint32_t i, uint64_t stride) {
  uint64_t size = (uint64_t)g->sizes[i], n = 0;
  for (uint64_t k = 0; k < g->total; k++)
    if (k / stride % size == 0) g->at[n++] = g->at[k];
  g->total = n;
  g->n--;
  memmove(g->names + i, g->names + i + 1, (g->n - i) * sizeof *g->names);
  memmove(g->sizes + i, g->sizes + i + 1, (g->n - i) * sizeof *g->sizes);
}

static void reduce(Grid *g) {
  uint64_t stride = 1;
  for (uint32_t i = g->n; i-- > 0;) {
    uint64_t size = (uint64_t)g->sizes[i];
    if (is_idle(g, i, stride)) leave_out(g, i, stride);
    else stride *= size;
  }
}

/* A position along one dimension of the node: constant + sum of digits. */
typedef struct Line {
  Form form;
  int64_t size;
} Line;

/* Where `e`, of values lo .. lo + n - 1, has bit[e - lo] == one: as intervals.  Returns how many; MAX_RUNS + 1: more. */
static uint32_t runs_of(Build *b, Value e, int64_t lo, const int8_t *bit, int64_t n, int8_t one, Value *out) {
  uint32_t runs = 0;
  for (int64_t i = 0; i < n;) {
    if (bit[i] != one) {
      i++;
      continue;
    }
    int64_t end = i;
    while (end < n && bit[end] == one) end++;
    if (runs == MAX_RUNS) return MAX_RUNS + 1;
    out[runs++] = calc_inside(b->calc, e, lo + i, lo + end);
    i = end;
  }
  return runs;
}

/* Ones by few intervals: within one of them, or outside of all others. */
static bool intervals_of(Build *b, Value e, int64_t lo, const int8_t *bit, int64_t n, Value *out) {
  Value ones[MAX_RUNS], zeros[MAX_RUNS];
  uint32_t n_ones = runs_of(b, e, lo, bit, n, 1, ones), n_zeros = runs_of(b, e, lo, bit, n, 0, zeros);
  if (n_ones == 1) return *out = ones[0], true;
  if (n_zeros > MAX_RUNS) return false;
  for (uint32_t i = 0; i < n_zeros; i++) zeros[i] = calc_not(b->calc, zeros[i]);
  *out = calc_mul(b->calc, zeros, n_zeros);
  return true;
}

/* Truth values that depend on one dimension, or on the difference of two, in few intervals. */
static bool band_of(Build *b, Side side, NodeId id, const int64_t *v, Value *out) {
  const Node *node = &b->problem->graph[side]->nodes.at[id];
  uint64_t n = (uint64_t)node_elements(node);
  Line line[2];
  uint64_t stride[2], at = n;
  uint32_t n_lines = 0;
  for (uint32_t d = 0; d < node->rank; d++) {
    at /= (uint64_t)node->dims[d];
    bool idle = true;
    for (uint64_t k = 0; k < n && idle; k++) idle = v[k] == v[k - k / at % (uint64_t)node->dims[d] * at];
    if (idle) continue;
    if (n_lines == 2) return false;
    DigitList l = digits_dim(b->digits, side, id, d);
    Name *names = ARENA_ARRAY(&b->arena, Name, l.n + 1);
    for (uint32_t j = 0; j < l.n; j++) names[j] = build_dim_name(b, side, id, d, j);
    stride[n_lines] = at;
    line[n_lines++] = (Line){access_digits(&b->arena, &l, names, 1), node->dims[d]};
  }
  if (!n_lines) return false;
  bool two = n_lines == 2;
  int64_t lo = two ? 1 - line[1].size : 0, count = line[0].size - lo;
  int8_t *bit = ARENA_ARRAY(&b->arena, int8_t, count + 1);
  memset(bit, -1, (size_t)count);
  for (int64_t i = 0; i < line[0].size; i++)
    for (int64_t j = 0; j < (two ? line[1].size : 1); j++) {
      int8_t x = (int8_t)v[(uint64_t)i * stride[0] + (two ? (uint64_t)j * stride[1] : 0)], *y = &bit[i - j - lo];
      if (*y >= 0 && *y != x) return false;
      *y = x;
    }
  Value e = access_value(b, line[0].form);
  if (two) e = calc_sub(b->calc, e, access_value(b, line[1].form));
  return intervals_of(b, e, lo, bit, count, out);
}

/* constant + sum weight * index. */
static bool affine_of(Build *b, const Grid *g, Value *out) {
  Form f = {g->at[0], g->n, ARENA_ARRAY(&b->arena, FormTerm, g->n + 1)};
  uint64_t stride = g->total;
  for (uint32_t i = 0; i < g->n; i++) {
    stride /= (uint64_t)g->sizes[i];
    f.terms[i] = (FormTerm){g->at[stride] - g->at[0], g->names[i]};
    if (g->n > MAX_TERMS || f.terms[i].coef > MAX_WEIGHT || f.terms[i].coef < -MAX_WEIGHT) return false;
  }
  for (uint64_t k = 0; k < g->total; k++) {
    int64_t want = f.constant;
    uint64_t rest = k;
    for (uint32_t i = g->n; i-- > 0; rest /= (uint64_t)g->sizes[i])
      want += f.terms[i].coef * (int64_t)(rest % (uint64_t)g->sizes[i]);
    if (want != g->at[k]) return false;
  }
  *out = access_value(b, f);
  return true;
}

static Value table_of(Build *b, const Grid *g) {
  Rat *v = ARENA_ARRAY(&b->arena, Rat, g->total);
  for (uint64_t k = 0; k < g->total; k++) v[k] = rat_int(g->at[k]);
  return calc_table(b->calc, v, g->total, g->names, g->sizes, g->n, true);
}

bool build_closed(Build *b, Side side, NodeId id, bool table, Value *out) {
  struct Closed *c = b->problem->closed[side];
  Grid g;
  if (!c || !closed_is(c, id) || !grid_of(b, side, id, &g)) return false;
  bool truth = dtype_kind((DType)b->problem->graph[side]->nodes.at[id].dtype) == DK_BOOL, mesh = false;
  reduce(&g);
  for (uint32_t i = 0; i < g.n; i++) mesh |= calculus_name_info(b->calc, g.names[i])->kind == NAME_MESH;
  if (truth && g.n) {
    if (!mesh && band_of(b, side, id, closed_values(c, id, 0), out)) return true;
  } else if (affine_of(b, &g, out)) {
    return true;
  }
  if (!table || g.total > MAX_TABLE) return false;
  *out = table_of(b, &g);
  if (truth) *out = calc_cmp(b->calc, CMP_EQ, *out, VALUE_ONE);
  return true;
}
