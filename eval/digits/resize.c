#include "eval/digits/resize.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 8 };

/* What the size of a dimension becomes; 0: of two dimensions several. */
typedef struct SizeChange {
  int64_t from, to;
} SizeChange;

typedef struct Resizer {
  const Resizing *to;
  int64_t n_devices;
  Arena *arena;
  Vec(SizeChange) changes;
} Resizer;

static int64_t new_size(const Resizing *to, const DigitList *l, uint32_t j) {
  int64_t size = to->size[l->sort[j]];
  return size && size < l->size[j] ? size : l->size[j];
}

/* A position along a dimension of these digits, or its end, digit by digit; false where a digit is beyond its new size. */
static bool new_position(const Resizing *to, const DigitList *l, int64_t at, int64_t *out) {
  int64_t weight = 1, position = 0;
  for (uint32_t j = l->n; j-- > 0; at /= l->size[j]) {
    int64_t digit = at % l->size[j], size = new_size(to, l, j);
    if (digit >= size) return false;
    position += digit * weight;
    weight *= size;
  }
  *out = at ? weight : position;
  return true;
}

/* Values of a list along a digit alone: the first of them. */
static bool shorten(Resizer *r, Node *n, const int64_t *dims) {
  if (n->rank != 1 || n->literal->n < (uint64_t)dims[0]) return false;
  Literal *l = arena_copy(r->arena, n->literal, sizeof *l);
  l->n = (uint64_t)dims[0];
  n->literal = l;
  return true;
}

/* Where a slice begins and ends follows the digits of what it is taken from; the first rows of a longer list stay that. */
static bool follow_slice(Resizer *r, const Graph *g, Side side, Node *n) {
  Attr *attrs = arena_copy(r->arena, n->attrs, n->n_attrs * sizeof *attrs);
  int64_t *at[2] = {NULL};
  for (uint32_t k = 0; k < n->n_attrs; k++) {
    bool limits = attrs[k].name == sym("limits");
    if ((!limits && attrs[k].name != sym("starts")) || attrs[k].kind != ATTR_INTS || attrs[k].n != n->rank) continue;
    attrs[k].ints = at[limits] = arena_copy(r->arena, attrs[k].ints, attrs[k].n * sizeof *at[0]);
  }
  for (uint32_t d = 0; d < n->rank && at[0] && at[1]; d++) {
    DigitList l = digits_dim(r->to->digits, side, n->args[0], d);
    bool first = at[0][d] == 0 && n->dims[d] <= g->nodes.at[n->args[0]].dims[d];
    if (new_position(r->to, &l, at[0][d], &at[0][d]) && new_position(r->to, &l, at[1][d], &at[1][d])) continue;
    if (!first) return false;
    at[0][d] = 0, at[1][d] = n->dims[d];
  }
  n->attrs = attrs;
  return true;
}

/* What is added behind is what is missing there. */
static void follow_pad(Resizer *r, const Graph *g, Node *n) {
  Attr *attrs = arena_copy(r->arena, n->attrs, n->n_attrs * sizeof *attrs);
  const Attr *low = node_attr(n, sym("low")), *interior = node_attr(n, sym("interior"));
  const int64_t *dims = g->nodes.at[n->args[0]].dims;
  for (uint32_t k = 0; k < n->n_attrs && low && interior; k++) {
    if (attrs[k].name != sym("high") || attrs[k].n != n->rank || low->n != n->rank || interior->n != n->rank) continue;
    int64_t *high = arena_copy(r->arena, attrs[k].ints, attrs[k].n * sizeof *high);
    for (uint32_t d = 0; d < n->rank; d++)
      if (!interior->ints[d]) high[d] = n->dims[d] - dims[d] - low->ints[d];
    attrs[k].ints = high;
  }
  n->attrs = attrs;
}

static void note_change(Resizer *r, int64_t from, int64_t to) {
  for (size_t i = 0; i < r->changes.len; i++) {
    SizeChange *c = &r->changes.at[i];
    if (c->from != from) continue;
    if (c->to != to) c->to = 0;
    return;
  }
  vec_push(&r->changes, ((SizeChange){from, to}));
}

static bool resize_node(Resizer *r, Side side, Graph *g, NodeId i) {
  Node *n = &g->nodes.at[i];
  int64_t *dims = arena_copy(r->arena, n->dims, n->rank * sizeof *dims);
  bool differs = false;
  for (uint32_t k = 0; k < n->rank; k++) {
    DigitList l = digits_dim(r->to->digits, side, i, k);
    if (l.n == 0) continue;
    dims[k] = 1;
    for (uint32_t j = 0; j < l.n; j++) dims[k] *= new_size(r->to, &l, j);
    if (dims[k] != n->dims[k]) differs = true;
    note_change(r, n->dims[k], dims[k]);
  }
  if (differs && n->literal && n->literal->kind == LIT_VALUES && !shorten(r, n, dims)) return false;
  n->dims = dims;
  if (n->op == sym("pad")) follow_pad(r, g, n);
  return n->op != sym("slice") || follow_slice(r, g, side, n);
}

/* ---- integers that are sizes */

/* What the integer becomes: of the largest size that it is a multiple of.  Small ones count devices. */
static int64_t new_integer(const Resizer *r, int64_t value) {
  if (value <= r->n_devices) return value;
  SizeChange best = {1, 1};
  int64_t last = 0;
  for (size_t i = 0; i < r->changes.len; i++) {
    SizeChange c = r->changes.at[i];
    if (c.from == value + 1 && c.to > 1 && c.to != c.from) last = c.to - 1;
    if (c.from > best.from && value % c.from == 0) best = c;
  }
  if (best.from > 1) return best.to ? value / best.from * best.to : value;
  return last ? last : value;
}

static void put_literal(Resizer *r, Node *n, const Rat *values) {
  Literal *l = arena_copy(r->arena, n->literal, sizeof *l);
  l->values = values;
  n->literal = l;
}

static uint64_t n_values(const Node *n) { return n->literal->kind == LIT_SPLAT ? 1 : n->literal->n; }

/* The integers that an operand takes its values from: those of all devices, by number. */
static NodeId table_of(const Graph *g, NodeId id) {
  const Node *n = &g->nodes.at[id];
  while (n->n_args && (n->op == sym("reshape") || n->op == sym("dynamic_slice"))) id = n->args[0], n = &g->nodes.at[id];
  return n->literal && dtype_is_int((DType)n->dtype) ? id : NO_NODE;
}

/* Where pieces begin follows the digits of what they are cut from; false: some do not. */
static bool follow_start(Resizer *r, Node *n, const DigitList *l) {
  uint64_t len = n_values(n);
  Rat *values = arena_copy(r->arena, n->literal->values, len * sizeof *values);
  for (uint64_t k = 0; k < len; k++) {
    int64_t at;
    if (!rat_to_int(values[k], &at) || at < 0 || !new_position(r->to, l, at, &at)) return false;
    values[k] = rat_int(at);
  }
  return put_literal(r, n, values), true;
}

/* Tables of where devices cut their pieces; followed[i]: that is done. */
static void follow_starts(Resizer *r, Side side, Graph *g, bool *followed) {
  for (NodeId i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    if (n->op != sym("dynamic_slice") || !n->n_args || n->n_args != g->nodes.at[n->args[0]].rank + 1u) continue;
    for (uint32_t d = 0; d + 1 < n->n_args; d++) {
      NodeId table = table_of(g, n->args[d + 1]);
      DigitList l = digits_dim(r->to->digits, side, n->args[0], d);
      if (table != NO_NODE && !followed[table]) followed[table] = follow_start(r, &g->nodes.at[table], &l);
    }
  }
}

static void follow_literal(Resizer *r, Node *n) {
  if (!n->literal || !dtype_is_int((DType)n->dtype)) return;
  uint64_t len = n_values(n);
  Rat *values = arena_copy(r->arena, n->literal->values, len * sizeof *values);
  for (uint64_t k = 0; k < len; k++) {
    int64_t value;
    if (rat_to_int(values[k], &value)) values[k] = rat_int(new_integer(r, value));
  }
  put_literal(r, n, values);
}

/* All values that were allowed still are below the size that they were below. */
static void follow_bound(Resizer *r, Related *x) {
  int64_t hi;
  if (x->has_hi && rat_to_int(x->hi, &hi)) x->hi = rat_int(new_integer(r, hi + 1) - 1);
}

bool resize(Graph *const graph[SIDE_COUNT], Relation *relation, const Resizing *to, Arena *a) {
  Resizer r = {.to = to, .n_devices = relation->mesh.n_devices, .arena = a};
  bool follows = true, changed = false;
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId i = 0; i < graph[side]->nodes.len && follows; i++) follows = resize_node(&r, (Side)side, graph[side], i);
  for (size_t i = 0; i < r.changes.len; i++) changed |= r.changes.at[i].from != r.changes.at[i].to;
  for (int side = 0; side < SIDE_COUNT && changed; side++) {
    bool *followed = xcalloc(graph[side]->nodes.len + 1, sizeof *followed);
    follow_starts(&r, (Side)side, graph[side], followed);
    for (NodeId i = 0; i < graph[side]->nodes.len; i++)
      if (!followed[i]) follow_literal(&r, &graph[side]->nodes.at[i]);
    free(followed);
  }
  for (uint32_t k = 0; k < relation->n_inputs && changed; k++) {
    const Related *x = &relation->inputs[k];
    if (dtype_is_int((DType)graph[SIDE_SEQ]->nodes.at[graph[SIDE_SEQ]->params.at[x->seq]].dtype))
      follow_bound(&r, &relation->inputs[k]);
  }
  vec_free(&r.changes);
  return changed && follows;
}

/* One digit of the list grows so that the dimension gets the size. */
static bool grow(const DigitList *l, int64_t now, int64_t want, int64_t *size) {
  for (uint32_t j = 0; j < l->n; j++) {
    int64_t *own = &size[l->sort[j]], has = *own && *own < l->size[j] ? *own : l->size[j], rest = now / has;
    if (!*own || want % rest || want / rest > l->size[j]) continue;
    *own = want / rest;
    return true;
  }
  return false;
}

static int64_t size_of(const Resizing *to, const DigitList *l) {
  int64_t size = 1;
  for (uint32_t j = 0; j < l->n; j++) size *= new_size(to, l, j);
  return size;
}

/* What a slice is taken from is no smaller than the slice. */
static bool grow_sliced(const Resizing *to, const Graph *g, Side side, NodeId id, int64_t *size) {
  const Node *n = &g->nodes.at[id];
  bool changed = false;
  for (uint32_t d = 0; d < n->rank && n->op == sym("slice"); d++) {
    DigitList part = digits_dim(to->digits, side, id, d), whole = digits_dim(to->digits, side, n->args[0], d);
    int64_t has = size_of(to, &whole), needs = size_of(to, &part);
    changed |= has < needs && grow(&whole, has, needs, size);
  }
  return changed;
}

void resize_alike(const Graph *const graph[SIDE_COUNT], const Resizing *to, int64_t *size) {
  bool changed = true;
  for (int round = 0; round < MOST_ROUNDS && changed; round++) {
    Vec(SizeChange) largest = {0};
    changed = false;
    for (int pass = 0; pass < 2; pass++)
      for (int side = 0; side < SIDE_COUNT; side++)
        for (NodeId i = 0; i < graph[side]->nodes.len; i++) {
          const Node *n = &graph[side]->nodes.at[i];
          for (uint32_t k = 0; k < n->rank; k++) {
            DigitList l = digits_dim(to->digits, (Side)side, i, k);
            int64_t now = size_of(to, &l);
            size_t at = 0;
            while (at < largest.len && largest.at[at].from != n->dims[k]) at++;
            if (at == largest.len) vec_push(&largest, ((SizeChange){n->dims[k], now}));
            int64_t *most = &largest.at[at].to;
            if (now > *most) *most = now;
            changed |= pass && now < *most && grow(&l, now, *most, size);
          }
          changed |= pass && grow_sliced(to, graph[side], (Side)side, i, size);
        }
    vec_free(&largest);
  }
}

int64_t *resize_sizes(const Graph *const graph[SIDE_COUNT], const Digits *d, const Mesh *mesh, uint32_t *n, Arena *a) {
  *n = (uint32_t)digits_stats(d).n_sorts;
  int64_t *size = ARENA_ARRAY(a, int64_t, *n + 1);
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId i = 0; i < graph[side]->nodes.len; i++)
      for (uint32_t k = 0; k < graph[side]->nodes.at[i].rank; k++) {
        DigitList l = digits_dim(d, (Side)side, i, k);
        for (uint32_t j = 0; j < l.n; j++)
          if (l.size[j] > size[l.sort[j]]) size[l.sort[j]] = l.size[j];
      }
  for (uint32_t axis = 0, first; axis < mesh->n_axes; axis++)
    for (uint32_t k = meshdigits_axis(digits_mesh(d), axis, &first); k-- > 0;)
      size[digits_mesh_sort(d, first + k)] = 0;
  return size;
}
