/* side: evaluates one graph on all devices, node by node, once per class of devices.  See field.h. */
#include <math.h>

#include "eval/exact/fast.h"
#include "eval/exact/field.h"
#include "eval/exact/order.h"

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

int64_t peers_member(const Peers *p, int64_t position) {
  if (position < 0 || position >= p->n) return -1;
  return p->members ? p->members[position] : position;
}

Rat literal_value(const ExactProblem *p, const Node *n, uint64_t element) {
  if (!n->literal || n->literal->kind == LIT_NONE) return RAT_NAN;
  Rat r = n->literal->values[n->literal->kind == LIT_SPLAT ? 0 : element];
  if (!p->read_literal || !rat_is_finite(r)) return r;
  return p->read_literal(p->context, r, (DType)n->dtype);
}

static double double_of(Rat r) {
  if (rat_is_finite(r)) return rat_to_double(r);
  return r == RAT_POS_INF ? INFINITY : r == RAT_NEG_INF ? -INFINITY : NAN;
}

static const double *constant(Side *s, const Node *n, uint64_t count) {
  double *to = arena_alloc(s->arena, (count + 1) * sizeof(double));
  if (n->literal && n->literal->kind == LIT_VALUES && n->literal->n != count) return NULL;
  bool splat = !n->literal || n->literal->kind != LIT_VALUES;
  double first = splat ? double_of(literal_value(s->problem, n, 0)) : 0;
  for (uint64_t i = 0; i < count; i++) to[i] = splat ? first : double_of(literal_value(s->problem, n, i));
  return to;
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

/* Key of a device, at most 3 + n_args * (2 + n_devices) numbers, into key. */
static uint32_t device_key(const Side *s, const Node *node, const Instance *in, Uses u, int64_t device, int64_t *key) {
  uint32_t n = 0;
  key[n++] = u.own_number ? device : -1;
  if (!in) return n;
  Peers p = {NULL, 0, -1, -1};
  if (u.own_position || u.permuted || u.group) p = peers_of(in, s->n_devices, device);
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

/* Sorts the devices of a node into classes; first[c] is a device of class c. */
static void classify(Side *s, NodeId id, Uses u, Field *field, Arena *scratch, int64_t *first) {
  const Node *node = &s->source->graph->nodes.at[id];
  const Instance *in = s->source->instances[id];
  bool uniform = !u.own_position && !u.own_number && !u.permuted && !u.group;
  for (uint32_t k = 0; k < node->n_args && uniform; k++) uniform = s->fields[node->args[k]].n_classes == 1;
  field->n_classes = 1;
  first[0] = 0;
  if (uniform || s->n_devices == 1) return;
  size_t width = 3 + (size_t)node->n_args * (2 + (u.group ? (size_t)s->n_devices : 0));
  int64_t *keys = ARENA_ARRAY(scratch, int64_t, width * (size_t)s->n_devices);
  uint32_t *class_of = ARENA_ARRAY(s->arena, uint32_t, s->n_devices);
  field->n_classes = 0;
  for (int64_t d = 0; d < s->n_devices; d++) {
    int64_t *key = keys + width * field->n_classes;
    uint32_t n = device_key(s, node, in, u, d, key), c = 0;
    for (uint32_t i = n; i < width; i++) key[i] = -2;
    while (c < field->n_classes && memcmp(keys + width * c, key, width * sizeof *key) != 0) c++;
    if (c == field->n_classes) first[field->n_classes++] = d;
    class_of[d] = c;
  }
  field->class_of = class_of;
}

typedef struct Row {
  const double *at;
} Row;

static int compare_row(void *context, int64_t i, int64_t j) {
  const Row *r = context;
  double a = r->at[i], b = r->at[j];
  return isnan(a) || isnan(b) ? 2 : a < b ? -1 : a > b;
}

/* Value of an operator that picks by order. */
static const double *ordered_values(Side *s, const Node *n, int64_t device) {
  const Node *x = &s->source->graph->nodes.at[n->args[0]];
  const double *from = field_at(&s->fields[n->args[0]], device);
  if (!from) return NULL;
  uint64_t count = (uint64_t)node_elements(n);
  int64_t size = x->dims[x->rank - 1], places = n->dims[n->rank - 1];
  double *to = arena_alloc(s->arena, (count + 1) * sizeof(double));
  for (uint64_t i = 0; i < count; i++) {
    Row row = {from + (int64_t)i / places * size};
    bool tied;
    int64_t pick = order_pick(n, size, (int64_t)i % places, compare_row, &row, &tied);
    to[i] = pick < 0 || (n->result == 1 && tied) ? NAN : n->result == 1 ? (double)pick : row.at[pick];
  }
  s->budget->work += count * (uint64_t)(size * size);
  return to;
}

static bool side_node(Side *s, NodeId id, Arena *scratch, int64_t *first) {
  const Node *node = &s->source->graph->nodes.at[id];
  Field *field = &s->fields[id];
  const char *op = sym_text(node->op);
  field->n = (uint64_t)node_elements(node);
  if (strcmp(op, "parameter") == 0) {
    if (node->param >= 0 && (size_t)node->param < s->source->graph->params.len && s->inputs[node->param].at &&
        s->inputs[node->param].n == field->n) {
      *field = s->inputs[node->param];
      return true;
    }
  }
  bool is_constant = strcmp(op, "constant") == 0;
  const Instance *in = s->source->instances[id];
  bool ordered = order_known(s->source->graph, node);
  bool known = in && !in->opaque && in->body != NO_X;
  Uses u = known ? uses_of(in) : (Uses){.own = true};
  if (is_constant || !(known || ordered)) field->n_classes = 1, first[0] = 0;
  else classify(s, id, u, field, scratch, first);
  field->at = ARENA_ARRAY(s->arena, const double *, field->n_classes);
  for (uint32_t c = 0; c < field->n_classes; c++) {
    if (s->budget->elements + field->n > s->budget->max_elements) return false;
    s->budget->elements += field->n;
    if (is_constant) field->at[c] = constant(s, node, field->n);
    else if (!known) field->at[c] = ordered ? ordered_values(s, node, first[c]) : NULL;
    else if (!fast_node(s, id, first[c], scratch, &field->at[c])) return false;
  }
  return true;
}

bool side_evaluate(Side *s, const char **why) {
  const Graph *g = s->source->graph;
  s->fields = ARENA_ARRAY(s->arena, Field, g->nodes.len + 1);
  Arena scratch = {0};
  int64_t *first = xcalloc((size_t)s->n_devices, sizeof *first);
  bool ok = true;
  for (NodeId id = 0; id < g->nodes.len && ok; id++) {
    ArenaMark mark = arena_mark(&scratch);
    ok = side_node(s, id, &scratch, first);
    arena_reset(&scratch, mark);
    if (!ok)
      *why = arena_printf(s->arena,
                          "too large to evaluate: %s (node %u of %zu) exceeds %llu operations or %llu numbers",
                          sym_text(g->nodes.at[id].name), id, g->nodes.len,
                          (unsigned long long)s->budget->max_work, (unsigned long long)s->budget->max_elements);
  }
  free(first);
  arena_free(&scratch);
  return ok;
}
