/* Attributes of an operator and the nodes it becomes. */
#include "frontends/base/fold.h"
#include "frontends/stablehlo/flow.h"

const MlirAttr *low_attr(Low *l, const char *name, const char *other) {
  for (uint32_t k = 0; k < l->op->n_attrs; k++) {
    const MlirAttr *a = &l->op->attrs[k];
    if (text_equals(a->name, name) || (other && text_equals(a->name, other))) {
      l->used |= UINT64_C(1) << k;
      return a;
    }
  }
  return NULL;
}

bool low_ints(Low *l, const char *name, const char *other, bool must, const int64_t **out, uint32_t *n) {
  const MlirAttr *a = low_attr(l, name, other);
  *out = NULL;
  *n = 0;
  if (a) return dense_ints(l->f->m, a->value, out, n, NULL);
  return !must || LOW_ERROR(l, E_ATTRIBUTE, "%.*s needs the attribute '%s'", (int)l->op->op.len, l->op->op.at, name);
}

bool low_int(Low *l, const char *name, const char *other, bool must, int64_t otherwise, int64_t *out) {
  const int64_t *list;
  uint32_t n;
  const MlirAttr *a = low_attr(l, name, other);
  *out = otherwise;
  if (!a && !must) return true;
  if (a && !a->value.len) return *out = 1, true; /* a flag */
  if (!low_ints(l, name, other, must, &list, &n)) return false;
  if (n == 1 || (n == 0 && text_equals(a->value, "false"))) return *out = n ? list[0] : 0, true;
  return LOW_ERROR(l, E_ATTRIBUTE, "'%s' is not one number", name);
}

void low_add(Low *l, Attr a) {
  if (l->n_attrs < sizeof l->attrs / sizeof *l->attrs) l->attrs[l->n_attrs++] = a;
}
void low_add_ints(Low *l, const char *name, const int64_t *ints, uint32_t n) {
  low_add(l, (Attr){.name = sym(name), .kind = ATTR_INTS, .n = n,
                    .ints = arena_copy(l->f->arena, ints, n * sizeof *ints)});
}
void low_add_int(Low *l, const char *name, int64_t value) {
  low_add(l, (Attr){.name = sym(name), .kind = ATTR_INT, .i = value});
}
void low_add_sym(Low *l, const char *name, Sym s) { low_add(l, (Attr){.name = sym(name), .kind = ATTR_SYM, .s = s}); }

Text low_enum(Text t) {
  if (!t.len || *t.at != '#') return t;
  const char *end = t.at + t.len;
  while (end > t.at && !SCAN_IS(end[-1], SCAN_NAME)) end--;
  const char *lo = end;
  while (lo > t.at && SCAN_IS(lo[-1], SCAN_NAME)) lo--;
  return (Text){lo, (uint32_t)(end - lo)};
}

NodeId low_node(Low *l, Sym op, uint8_t dtype, const int64_t *dims, size_t rank, uint32_t result, const NodeId *args,
                uint32_t n_args, const Attr *attrs, uint32_t n_attrs) {
  Node n = {.op = op, .name = l->op->name, .label = l->label, .dtype = dtype, .rank = (uint8_t)rank,
            .result = (uint16_t)result, .n_args = n_args, .n_attrs = n_attrs, .dims = dims, .args = args,
            .attrs = attrs, .frames = l->frames, .line = l->op->line};
  return graph_add(l->f->g, &n);
}

NodeId low_reshape(Low *l, NodeId x, const int64_t *dims, size_t rank) {
  return low_node(l, sym("reshape"), l->f->g->nodes.at[x].dtype, dims, rank, 0, &x, 1, NULL, 0);
}

NodeId low_constant(Low *l, const MlirType *t, Rat value) {
  NodeId id = low_node(l, sym("constant"), t->dtype, t->dims, t->rank, 0, NULL, 0, NULL, 0);
  Rat *v = ARENA_NEW(l->f->arena, Rat);
  Literal *lit = ARENA_NEW(l->f->arena, Literal);
  *v = value;
  *lit = (Literal){LIT_SPLAT, (uint64_t)node_elements(&l->f->g->nodes.at[id]), v};
  l->f->g->nodes.at[id].literal = lit;
  return id;
}

void low_set(Low *l, uint32_t result, NodeId node) {
  l->f->values.at[l->base + l->op->result + result] = (Bound){.node = node};
}

bool low_known(const Flow *f, NodeId id, int64_t *out) { return fold_known(f->g, id, out); }

/* Attributes that say nothing about values. */
static bool harmless(Text name) {
  static const char *const begins[] = {"mhlo.", "sdy.", "jax.", "xla.", "xla_", "precision", "result_accuracy",
                                       "channel_handle", "indices_are_sorted", "use_global_device_ids", "algorithm",
                                       "channel_id"};
  for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
    if (name.len >= strlen(begins[k]) && !strncmp(name.at, begins[k], strlen(begins[k]))) return true;
  return false;
}

Sym low_rest(Low *l, bool warn) {
  Flow *f = l->f;
  Sym unknown = 0;
  for (uint32_t k = 0; k < l->op->n_attrs; k++) {
    const MlirAttr *a = &l->op->attrs[k];
    if (l->used >> k & 1) continue;
    if (warn && harmless(a->name)) continue;
    Sym name = sym_n(a->name.at, a->name.len);
    low_add(l, (Attr){.name = name, .kind = ATTR_SYM, .s = text_squeeze(f->arena, a->value)});
    bool known = !warn || f->warned.len >= MAX_ERRORS;
    for (size_t i = 0; i < f->warned.len; i++) known |= f->warned.at[i] == name;
    if (warn) unknown = name;
    if (known) continue;
    vec_push(&f->warned, name);
    diag_warning(f->diags, mlir_op_span(f->m, l->op), W_UNKNOWN_ATTRIBUTE,
                 "attribute '%s' is not known", sym_text(name));
  }
  return unknown;
}

bool low_results(Low *l) {
  Sym unknown = low_rest(l, true);
  if (unknown) l->what = sym(arena_printf(l->f->arena, "%s with %s", sym_text(l->what), sym_text(unknown)));
  if (l->op->n_results > UINT16_MAX) return LOW_ERROR(l, E_SIZE, "the operator has too many results");
  for (uint32_t k = 0; k < l->op->n_results; k++) {
    const MlirType *t = l->op->types[k];
    if (t->dtype == DT_TOKEN) continue;
    NodeId id = low_node(l, l->what, t->dtype, t->dims, t->rank, k, l->args, l->n_args, l->attrs, l->n_attrs);
    low_set(l, k, id);
  }
  return true;
}
