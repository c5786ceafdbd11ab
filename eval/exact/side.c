/* side: evaluates one graph on all devices, node by node, once per class of devices.  See field.h. */
#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "eval/exact/ball.h"
#include "eval/exact/copies.h"
#include "eval/exact/draw.h"
#include "eval/exact/fast.h"
#include "eval/exact/field.h"
#include "eval/exact/order.h"
#include "eval/exact/rigour.h"
#include "lang/base/clock.h"

enum { WHOLE_PRECISION = 128, WHOLE_WORK = 1000000, WHOLE_SECONDS = 1 };
#define MOST_WHOLE (INT64_C(1) << 53)
#define MOST_COUNTED 0x1p31 /* quotients of such are exact in doubles, too */

Peers peers_of(const Instance *in, int64_t n_devices, int64_t device) {
  Peers p = {NULL, n_devices, device, -1};
  if (in->pairs)
    for (uint32_t i = 0; i + 1 < in->pairs->n && p.source < 0; i += 2)
      if (in->pairs->ints[i + 1] == device) p.source = in->pairs->ints[i];
  if (p.source >= n_devices) p.source = -1;
  if (!in->groups || in->groups->n == 0) return p;
  p.n = 0;
  p.position = -1;
  int64_t size = in->groups->i;
  for (uint32_t i = 0; i < in->groups->n && size > 0; i++) {
    if (in->groups->ints[i] != device) continue;
    uint32_t start = i - i % (uint32_t)size;
    if (start + (uint64_t)size > in->groups->n) break;
    p.members = in->groups->ints + start;
    p.n = size;
    p.position = i - start;
    break;
  }
  return p;
}

/* Those of all devices at once. */
static Peers *peers_of_all(const Instance *in, int64_t n_devices, Arena *a) {
  Peers *p = ARENA_ARRAY(a, Peers, n_devices);
  bool grouped = in->groups && in->groups->n;
  int64_t size = grouped ? in->groups->i : 0;
  for (int64_t d = 0; d < n_devices; d++) p[d] = (Peers){NULL, grouped ? 0 : n_devices, grouped ? -1 : d, -1};
  for (uint32_t i = 0; in->pairs && i + 1 < in->pairs->n; i += 2) {
    int64_t from = in->pairs->ints[i], to = in->pairs->ints[i + 1];
    if (to >= 0 && to < n_devices && from < n_devices && p[to].source < 0) p[to].source = from;
  }
  for (int64_t i = 0; size > 0 && i < in->groups->n / size * size; i++) {
    int64_t d = in->groups->ints[i];
    if (d < 0 || d >= n_devices || p[d].members) continue;
    p[d].members = in->groups->ints + i / size * size;
    p[d].n = size;
    p[d].position = i % size;
  }
  return p;
}

int64_t peers_member(const Peers *p, int64_t position) {
  if (position < 0 || position >= p->n) return -1;
  return p->members ? p->members[position] : position;
}

/* A root is read to the precision of a double. */
Rat literal_value(const ExactProblem *p, const Node *n, uint64_t element) {
  if (!n->literal || n->literal->kind == LIT_NONE) return RAT_NAN;
  Rat r = n->literal->values[n->literal->kind == LIT_SPLAT ? 0 : element], of;
  DType type = (DType)n->dtype;
  bool known = p->literals == LITERALS_EXACT || !rat_is_finite(r) || literal_is_mask(r, type);
  if (known) return literal_read(r, type, p->literals);
  double x;
  if (literal_is_root_of_2_over_pi(r, type, &of)) {
    x = rat_to_double(of) * M_2_SQRTPI * M_SQRT1_2;
  } else {
    uint32_t root = literal_read_root(r, type, &of);
    int log_2 = root ? 0 : literal_read_log_2(r, type, &of);
    if (!root && !log_2) return literal_read(r, type, p->literals);
    x = pow(rat_to_double(of), 1.0 / (root ? root : 2)) * pow(M_LN2, log_2);
  }
  return rat_from_double(rat_sign(r) < 0 ? -x : x);
}

static double double_of(Rat r) {
  if (rat_is_finite(r)) return rat_to_double(r);
  return r == RAT_POS_INF ? INFINITY : r == RAT_NEG_INF ? -INFINITY : NAN;
}

static Ball ball_of(const GraphRun *s, Rat r) {
  return s->how->width > 1 ? ball_from_rat(r) : (Ball){double_of(r), 0, 0};
}

int rats_order(const void *a, const void *b) {
  Rat x = *(const Rat *)a, y = *(const Rat *)b;
  return (x > y) - (x < y);
}

static Ball literal_ball(const GraphRun *s, const Node *n, uint64_t element) {
  Rat r = literal_value(s->problem, n, element);
  Ball b = ball_of(s, r);
  bool off = s->off && s->off->len && bsearch(&r, s->off->at, s->off->len, sizeof r, rats_order);
  double slack = off ? literal_slack(r, (DType)n->dtype) : 0;
  if (s->how->width > 1) b.rad += slack;
  else b.hi += XXH3_64bits_withSeed(&r, sizeof r, s->pattern) & 1 ? slack : -slack;
  return b;
}

/* Puts number i of a field. */
static void put(const GraphRun *s, double *to, uint64_t i, Ball b) {
  memcpy(to + i * s->how->width, &b, s->how->width * sizeof *to);
}

static Ball get(const GraphRun *s, const double *from, uint64_t i) {
  return s->how->width > 1 ? ball_at(from + BALL_WIDTH * i) : (Ball){from[i], 0, 0};
}

double *field_numbers(GraphRun *s, uint64_t count) {
  size_t n = (count + 1) * s->how->width;
  return s->numbers ? numbers_take(s->numbers, n) : arena_raw(s->arena, n * sizeof(double));
}

static const double *constant(GraphRun *s, const Node *n, uint64_t count) {
  if (n->literal && n->literal->kind == LIT_VALUES && n->literal->n != count) return NULL;
  double *to = field_numbers(s, count);
  bool splat = !n->literal || n->literal->kind != LIT_VALUES;
  Ball first = {0};
  if (splat) first = literal_ball(s, n, 0);
  for (uint64_t i = 0; i < count; i++) put(s, to, i, splat ? first : literal_ball(s, n, i));
  return to;
}

/* A parameter's doubles, exact. */
static Field given(GraphRun *s, const Field *in) {
  Field f = *in;
  if (s->how->width == 1 && !s->numbers) return f;
  f.at = ARENA_ARRAY(s->arena, const double *, f.n_classes);
  for (uint32_t c = 0; c < f.n_classes; c++) {
    double *to = in->at[c] ? field_numbers(s, f.n) : NULL;
    for (uint64_t i = 0; to && i < f.n; i++) put(s, to, i, (Ball){in->at[c][i], 0, 0});
    f.at[c] = to;
  }
  return f;
}

/* What the value of a node on a device depends on: the classes of the operands it reads, and where it is. */
typedef struct Uses {
  bool own; /* reads operands on the own device */
  bool own_position, own_number, permuted, group;
} Uses;

static Uses uses_of(const Instance *in) {
  Uses u = {false};
  for (uint32_t v = 0; v < in->n_vars; v++) u.own_position = u.own_position || in->vars[v].kind == VAR_GROUP;
  for (uint32_t i = 0; i < in->n_x; i++) {
    const X *x = &in->x[i];
    u.own_number = u.own_number || x->kind == X_COORD;
    u.permuted = u.permuted || (x->kind == X_READ && x->permuted);
    u.own = u.own || (x->kind == X_READ && !x->permuted && x->group == NO_VAR);
    u.group = u.group || (x->kind == X_READ && x->group != NO_VAR);
  }
  return u;
}

/* Key of a device, at most 3 + n_args * (2 + members of its group) numbers, into key.  No peers: none are read. */
static uint32_t device_key(const GraphRun *s, const Node *node, Uses u, int64_t device, const Peers *peers, int64_t *key) {
  uint32_t n = 0;
  Peers p = peers ? peers[device] : (Peers){NULL, 0, -1, -1};
  key[n++] = u.own_number ? device : -1;
  key[n++] = u.own_position ? p.position : -1;
  key[n++] = u.group ? p.n : -1;
  for (uint32_t k = 0; k < node->n_args; k++) {
    const Field *f = &s->fields[node->args[k]];
    key[n++] = u.own ? (int64_t)field_class(f, device) : -1;
    key[n++] = u.permuted ? (p.source < 0 ? -1 : (int64_t)field_class(f, p.source)) : -1;
    for (int64_t h = 0; u.group && h < p.n; h++) {
      int64_t member = peers_member(&p, h);
      key[n++] = member < 0 || member >= s->n_devices ? -1 : (int64_t)field_class(f, member);
    }
  }
  return n;
}

/* It reads its operands on the own device, or on none. */
static bool uniform_place(Uses u) { return !u.own_position && !u.permuted && !u.group; }

/* Sorts the devices of a node into classes; first[c] is a device of class c. */
static void classify(GraphRun *s, NodeId id, Uses u, Field *field, Arena *scratch, int64_t *first) {
  const Node *node = &s->source->graph->nodes.at[id];
  const Instance *in = s->source->instances[id];
  bool uniform = uniform_place(u) && !u.own_number;
  for (uint32_t k = 0; k < node->n_args && uniform; k++) uniform = s->fields[node->args[k]].n_classes == 1;
  field->n_classes = 1;
  first[0] = 0;
  if (uniform || s->n_devices == 1) return;
  const Peers *peers = uniform_place(u) ? NULL : peers_of_all(in, s->n_devices, scratch);
  int64_t members = 0;
  for (int64_t d = 0; d < s->n_devices && u.group; d++)
    if (peers[d].n > members) members = peers[d].n;
  size_t width = 3 + (size_t)node->n_args * (2 + (size_t)members);
  int64_t *keys = ARENA_ARRAY(scratch, int64_t, width * (size_t)s->n_devices);
  uint32_t *class_of = ARENA_ARRAY(s->arena, uint32_t, s->n_devices);
  size_t n_slots = 2;
  while (n_slots < 2 * (size_t)s->n_devices) n_slots *= 2;
  uint32_t *slots = ARENA_ARRAY(scratch, uint32_t, n_slots); /* 1 + class, by hash; 0: free */
  field->n_classes = 0;
  for (int64_t d = 0; d < s->n_devices; d++) {
    int64_t *key = keys + width * field->n_classes;
    uint32_t n = device_key(s, node, u, d, peers, key);
    for (uint32_t i = n; i < width; i++) key[i] = -2;
    size_t at = XXH3_64bits(key, width * sizeof *key) & (n_slots - 1);
    while (slots[at] && memcmp(keys + width * (slots[at] - 1), key, width * sizeof *key) != 0) at = (at + 1) & (n_slots - 1);
    if (!slots[at]) slots[at] = field->n_classes + 1, first[field->n_classes++] = d;
    class_of[d] = slots[at] - 1;
  }
  field->class_of = class_of;
}

typedef struct Row {
  const GraphRun *side;
  const OrderRow *row;
  const double *const *args; /* the operands' numbers, then the initial values */
} Row;

static Ball row_value(const Row *r, OrderValue v) {
  if (v.operand < 0) return ball_of(r->side, v.constant);
  if (v.candidate == r->row->size) return get(r->side, r->args[r->row->n_operands + v.operand], 0);
  return get(r->side, r->args[v.operand], r->row->base + (uint64_t)(v.candidate * r->row->stride));
}

static int compare_row(void *context, OrderValue a, OrderValue b) {
  return ball_compare(row_value(context, a), row_value(context, b));
}

/* Value of an operator that picks by order; false when that is too much work. */
static bool ordered_values(GraphRun *s, const Node *n, int64_t device, Arena *scratch, const double **out) {
  uint64_t count = (uint64_t)node_elements(n);
  const double **args = ARENA_ARRAY(scratch, const double *, n->n_args);
  for (uint32_t k = 0; k < n->n_args; k++)
    if (!(args[k] = field_at(&s->fields[n->args[k]], device))) return true;
  double *to = field_numbers(s, count);
  for (uint64_t i = 0; i < count; i++) {
    OrderRow row = order_row(s->source->graph, n, i);
    if (row.place != 0) continue; /* came with the first place of its row */
    Row r = {s, &row, args};
    s->budget->work += ORDER_WORK * (uint64_t)(row.size * row.size);
    if (s->budget->work > s->budget->max_work) return false;
    ArenaMark mark = arena_mark(scratch);
    int64_t *picks = ARENA_ARRAY(scratch, int64_t, row.places);
    order_pick(s->source->graph, n, &row, compare_row, &r, picks);
    for (int64_t q = 0; q < row.places; q++) {
      OrderValue v = {.operand = n->result, .candidate = picks[q]};
      Ball picked = {picks[q] < 0 ? NAN : (double)picks[q], 0, 0};
      put(s, to, i + (uint64_t)(q * row.stride), picks[q] >= 0 && !row.position ? row_value(&r, v) : picked);
    }
    arena_reset(scratch, mark);
  }
  *out = to;
  return true;
}

/* Memory that nothing has written holds anything: some numbers, the same on every device. */
static Field uninitialized(GraphRun *s, NodeId id, const Node *n, uint64_t count) {
  bool real = dtype_is_float((DType)n->dtype);
  Draw d = real ? draw_real(count, 1, NULL, NULL, id) : draw_int(count, 0, 2, id);
  double *to = ARENA_ARRAY(s->arena, double, count + 1);
  for (uint64_t i = 0; i < count; i++) to[i] = draw_at(&d, i);
  return given(s, &(Field){.n = count, .n_classes = 1, .at = arena_copy(s->arena, &to, sizeof to)});
}

static bool is_counted(const GraphRun *s, const Node *n, const Field *f) {
  bool counted = dtype_is_whole((DType)n->dtype);
  for (uint32_t k = 0; k < n->n_args && counted; k++) counted = s->fields[n->args[k]].counted;
  for (uint32_t c = 0; c < f->n_classes && counted; c++) {
    counted = f->at[c] != NULL;
    for (uint64_t i = 0; i < f->n && counted; i++) counted = fabs(get(s, f->at[c], i).hi) <= MOST_COUNTED;
  }
  return counted;
}

/* Classes of equal numbers become one: devices that are so far apart on a mesh that they count alike. */
static void merge_classes(GraphRun *s, Field *f, Arena *scratch) {
  uint32_t n = 0, *to = ARENA_ARRAY(scratch, uint32_t, f->n_classes), n_slots = 2;
  while (n_slots < 2 * f->n_classes) n_slots *= 2;
  uint32_t *slots = ARENA_ARRAY(scratch, uint32_t, n_slots); /* 1 + class, by hash; 0: free */
  size_t size = f->n * s->how->width * sizeof(double);
  for (uint32_t c = 0; c < f->n_classes; c++) {
    size_t at = XXH3_64bits(f->at[c], size) & (n_slots - 1);
    while (slots[at] && memcmp(f->at[slots[at] - 1], f->at[c], size)) at = (at + 1) & (n_slots - 1);
    to[c] = slots[at] ? slots[at] - 1 : n;
    if (slots[at] && s->numbers) numbers_drop(s->numbers, f->at[c]);
    if (slots[at]) continue;
    slots[at] = n + 1;
    f->at[n++] = f->at[c];
  }
  uint32_t *class_of = arena_copy(s->arena, f->class_of, (size_t)s->n_devices * sizeof *class_of);
  for (int64_t d = 0; d < s->n_devices; d++) class_of[d] = to[class_of[d]];
  f->n_classes = n;
  f->class_of = class_of;
}

bool side_node(GraphRun *s, NodeId id, Arena *scratch, int64_t *first) {
  const Node *node = &s->source->graph->nodes.at[id];
  Field *field = &s->fields[id];
  const char *op = sym_text(node->op);
  field->n = (uint64_t)node_elements(node);
  if (strcmp(op, "parameter") == 0) {
    if (node->param >= 0 && (size_t)node->param < s->source->graph->params.len && s->inputs[node->param].at &&
        s->inputs[node->param].n == field->n) {
      *field = given(s, &s->inputs[node->param]);
      return true;
    }
  }
  if (strcmp(op, "uninitialized") == 0) {
    if ((s->budget->elements += field->n) > s->budget->max_elements) return false;
    *field = uninitialized(s, id, node, field->n);
    return true;
  }
  bool is_constant = strcmp(op, "constant") == 0;
  const Instance *in = s->source->instances[id];
  bool known = in && !in->opaque && in->body != NO_X;
  bool ordered = !known && order_known(s->source->graph, node);
  Uses u = known ? uses_of(in) : (Uses){.own = true};
  if (is_constant || !(known || ordered)) field->n_classes = 1, first[0] = 0;
  else classify(s, id, u, field, scratch, first);
  field->at = ARENA_ARRAY(s->arena, const double *, field->n_classes);
  for (uint32_t c = 0; c < field->n_classes; c++) {
    if (s->numbers) s->budget->elements = s->numbers->arena.used / (s->how->width * sizeof(double));
    if (s->budget->elements + field->n > s->budget->max_elements) return false;
    s->budget->elements += field->n;
    if (is_constant) field->at[c] = constant(s, node, field->n);
    else if (!known && !ordered) field->at[c] = NULL;
    else if (!known && !ordered_values(s, node, first[c], scratch, &field->at[c])) return false;
    else if (known && !fast_node(s, id, first[c], scratch, &field->at[c])) return false;
  }
  field->counted = (known || is_constant) && is_counted(s, node, field);
  if (field->counted && field->n_classes > 1) merge_classes(s, field, scratch);
  return true;
}

/* How often a node's value is used; NULL if all are kept. */
static uint32_t *count_uses(const GraphRun *s, Arena *a) {
  const Graph *g = s->source->graph;
  if (!s->numbers) return NULL;
  uint32_t *uses = ARENA_ARRAY(a, uint32_t, g->nodes.len + 1);
  for (size_t i = 0; i < g->nodes.len; i++) {
    uses[i] += s->kept[i];
    for (uint32_t k = 0; k < g->nodes.at[i].n_args; k++) uses[g->nodes.at[i].args[k]] += !s->needed || s->needed[i];
  }
  return uses;
}

/* After node `id`: the values that it used last are given back. */
static void give_back(GraphRun *s, NodeId id, uint32_t *uses) {
  const Node *n = &s->source->graph->nodes.at[id];
  for (uint32_t k = 0; k < n->n_args; k++) {
    Field *f = &s->fields[n->args[k]];
    if (--uses[n->args[k]]) continue;
    for (uint32_t c = 0; c < f->n_classes; c++)
      if (f->at[c]) numbers_drop(s->numbers, f->at[c]);
    f->n_classes = 0;
  }
}

/* Integers that doubles give no value, though they do to all others that these are computed from. */
static bool is_too_large(const GraphRun *s, NodeId id, const bool *too_large) {
  const Node *n = &s->source->graph->nodes.at[id];
  const Instance *in = s->source->instances[id];
  bool large = dtype_is_int((DType)n->dtype) && in && !in->opaque && in->body != NO_X && field_lacks(&s->fields[id]);
  for (uint32_t k = 0; k < n->n_args && large; k++)
    large = too_large[n->args[k]] || !field_lacks(&s->fields[n->args[k]]);
  return large;
}

/* Integers without a value in doubles, as some on the way to them are too large for these: products of hashes, before they
 * are cut to few bits. */
static void whole_numbers(GraphRun *s, NodeId id, const int64_t *first, Rigour **exactly) {
  Field *f = &s->fields[id];
  for (uint32_t c = 0; c < f->n_classes; c++) {
    double *to = NULL;
    for (uint64_t i = 0; f->at[c] && i < f->n; i++) {
      if (!isnan(get(s, f->at[c], i).hi)) continue;
      if (!*exactly) *exactly = rigour_new(s, WHOLE_PRECISION, WHOLE_WORK, clock_spent() + WHOLE_SECONDS);
      const Num *x = rigour_value(*exactly, id, first[c], i);
      int64_t v;
      if (!x) return;
      if (!num_to_int(x, &v) || v < -MOST_WHOLE || v > MOST_WHOLE) continue;
      if (!to) f->at[c] = to = arena_copy(s->arena, f->at[c], f->n * s->how->width * sizeof *to);
      put(s, to, i, (Ball){(double)v, 0, 0});
    }
  }
}

bool side_evaluate(GraphRun *s, const char **why) {
  const Graph *g = s->source->graph;
  s->fields = ARENA_ARRAY(s->arena, Field, g->nodes.len + 1);
  uint32_t *uses = count_uses(s, s->arena);
  Arena scratch = {0};
  const NodeId *same = uses ? NULL : copies_find(s->source, &scratch); /* a value that is given back is no other's */
  int64_t *first = xcalloc((size_t)s->n_devices, sizeof *first);
  Rigour *exactly = NULL;
  bool ok = true, *too_large = ARENA_ARRAY(&scratch, bool, g->nodes.len + 1);
  for (NodeId id = 0; id < g->nodes.len && ok; id++) {
    ArenaMark mark = arena_mark(&scratch);
    bool needed = !s->needed || s->needed[id];
    if (needed && same && same[id] < id && (!s->needed || s->needed[same[id]])) {
      s->fields[id] = s->fields[same[id]];
      too_large[id] = too_large[same[id]];
      continue;
    }
    ok = !needed || side_node(s, id, &scratch, first);
    if (ok && needed && !uses && (too_large[id] = is_too_large(s, id, too_large))) whole_numbers(s, id, first, &exactly);
    if (ok && needed && uses) give_back(s, id, uses);
    arena_reset(&scratch, mark);
    if (!ok)
      *why = arena_printf(s->arena,
                          "too large to evaluate: %s (node %u of %zu) exceeds %llu operations or %llu numbers",
                          sym_text(g->nodes.at[id].name), id, g->nodes.len,
                          (unsigned long long)s->budget->max_work, (unsigned long long)s->budget->max_elements);
  }
  rigour_free(exactly);
  free(first);
  arena_free(&scratch);
  return ok;
}
