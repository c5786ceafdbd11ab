/* Inputs and initialisers as parameters and constants.
 *
 * An initialiser of many real values is a parameter whose values are known: what is proved holds for all weights, and
 * evaluation is at those of the file.  Tensors of integers (positions, sizes, also as real numbers) or of one or two
 * different values (masks, scales) are constants.  Sizes that the file leaves open come from the command line. */
#include <math.h>
#include <string.h>

#include "frontends/onnx/lower.h"

NodeId onnx_parameter(OnnxLower *l, Sym name, uint8_t dtype, uint32_t rank, const int64_t *dims, const double *values) {
  NodeId id = graph_add(l->g, &(Node){.op = sym("parameter"), .name = name, .dtype = dtype, .rank = (uint8_t)rank,
                                      .dims = dims, .param = (int64_t)l->g->params.len, .line = l->c.stamp.line});
  vec_push(&l->g->params, id);
  vec_push(&l->weights, values);
  return id;
}

/* A mask: one value where the last index is at most `offset` more than the one before, another elsewhere, for all other
 * indices.  It is written as the comparison that it stands for. */
static bool is_triangle(const OnnxTensor *t, int64_t *offset, Rat *below, Rat *above) {
  if (t->rank < 2) return false;
  int64_t n = t->dims[t->rank - 2], m = t->dims[t->rank - 1];
  if (n < 2 || m < 2) return false;
  *below = onnx_tensor_rat(t, (n - 1) * m);
  *above = onnx_tensor_rat(t, m - 1);
  *offset = 0; /* from the first row */
  while (*offset < m && onnx_tensor_rat(t, *offset) == *below) ++*offset;
  if (!--*offset && *below == *above) return false;
  for (int64_t k = 0; k < t->n; k++)
    if (onnx_tensor_rat(t, k) != (k % m <= k / m % n + *offset ? *below : *above)) return false;
  return true;
}

static NodeId triangle(OnnxLower *l, const OnnxTensor *t, int64_t offset, Rat below, Rat above) {
  Composer *c = &l->c;
  Attr row = attr_int("iota_dimension", t->rank - 2), column = attr_int("iota_dimension", t->rank - 1);
  Attr at_most = attr_sym("direction", "LE");
  NodeId i = compose(c, "iota", DT_S64, t->rank, t->dims, NULL, 0, &row, 1);
  NodeId j = compose(c, "iota", DT_S64, t->rank, t->dims, NULL, 0, &column, 1);
  i = compose_binary(c, "add", i, compose_splat(c, DT_S64, t->rank, t->dims, rat_int(offset)));
  NodeId p = compose(c, "compare", DT_PRED, t->rank, t->dims, (NodeId[]){j, i}, 2, &at_most, 1);
  if (t->dtype == DT_PRED && below == RAT_1) return p;
  NodeId args[] = {p, compose_splat(c, t->dtype, t->rank, t->dims, below),
                   compose_splat(c, t->dtype, t->rank, t->dims, above)};
  return compose(c, "select", t->dtype, t->rank, t->dims, args, 3, NULL, 0);
}

NodeId onnx_constant(OnnxLower *l, const OnnxTensor *t) {
  if (t->dtype == DT_OPAQUE) {
    onnx_lower_error(l, E_UNSUPPORTED, "tensor '%s' has elements of a kind that is not read", sym_text(t->name));
    return NO_NODE;
  }
  bool splat = t->n > 0;
  Rat first = t->n ? onnx_tensor_rat(t, 0) : RAT_0;
  for (int64_t k = 1; k < t->n && splat; k++) splat = onnx_tensor_rat(t, k) == first;
  if (splat) return compose_splat(&l->c, t->dtype, t->rank, t->dims, first);
  int64_t offset;
  Rat below, above;
  if (is_triangle(t, &offset, &below, &above)) return triangle(l, t, offset, below, above);
  Rat *values = ARENA_ARRAY(&l->arena, Rat, t->n);
  for (int64_t k = 0; k < t->n; k++) values[k] = onnx_tensor_rat(t, k);
  return compose_table(&l->c, t->dtype, t->rank, t->dims, values);
}

/* The values of an initialiser that may as well be any; NULL: it is a constant. */
static const double *any_values(OnnxLower *l, const OnnxTensor *t) {
  if (!dtype_is_float((DType)t->dtype) || t->n < 3 || l->m->options->weights_by_value) return NULL;
  double a = onnx_tensor_double(t, 0), b = a;
  bool more = false, whole = true;
  for (int64_t k = 0; k < t->n; k++) {
    double v = onnx_tensor_double(t, k);
    if (!isfinite(v)) return NULL;
    if (b == a) b = v;
    more |= v != a && v != b;
    whole &= v == floor(v);
  }
  if (!more || whole) return NULL;
  double *values = ARENA_ARRAY(&l->g->arena, double, t->n);
  for (int64_t k = 0; k < t->n; k++) values[k] = onnx_tensor_double(t, k);
  return values;
}

/* A constant; but one that is not one simple number may be what a pass computed, from weights or positions. */
static NodeId few_values(OnnxLower *l, const OnnxTensor *t, Sym name) {
  if (dtype_is_float((DType)t->dtype) && t->n && t->n < ONNX_MANY && !l->m->options->weights_by_value) {
    double *values = ARENA_ARRAY(&l->arena, double, t->n);
    bool usual = true;
    for (int64_t k = 0; k < t->n; k++) {
      values[k] = onnx_tensor_double(t, k);
      usual &= values[k] == values[0] && (isinf(values[k]) || ldexp(values[k], 12) == floor(ldexp(values[k], 12)));
      if (isnan(values[k])) return onnx_constant(l, t);
    }
    NodeId x = usual ? NO_NODE : onnx_weight_folded(l, t, name, values);
    if (x != NO_NODE) return x;
  }
  return onnx_constant(l, t);
}

static bool is_parameter_before(const OnnxLower *l, Sym name) {
  const Graph *g = l->m->options->before;
  for (size_t k = 0; g && k < g->params.len; k++)
    if (g->nodes.at[g->params.at[k]].name == name) return true;
  return false;
}

/* The name is that of another tensor in the model before: this one gets one of its own. */
static Sym own_name(OnnxLower *l, Sym name) {
  while (is_parameter_before(l, name)) name = sym(arena_printf(&l->arena, "%s'", sym_text(name)));
  return name;
}

NodeId onnx_initialiser(OnnxLower *l, const OnnxTensor *t, Sym name) {
  const double *values = any_values(l, t);
  if (!values) return few_values(l, t, name);
  NodeId x = onnx_weight_before(l, t, name, values);
  return x != NO_NODE ? x : onnx_parameter(l, own_name(l, name), t->dtype, t->rank, t->dims, values);
}

static bool add_initialiser(OnnxLower *l, OnnxScope *s, uint32_t v) {
  l->c.stamp = (Node){.name = s->body->names[v], .line = s->body->lines[v]};
  s->node[v] = onnx_initialiser(l, s->body->initial[v], s->body->names[v]);
  return s->node[v] != NO_NODE;
}

/* A dimension has two names: its own, which goes first, and one it may share with others. */
static bool size_given(const OnnxLower *l, const char *own, const char *shared, int64_t *out) {
  OpenSizes *sizes = l->m->options->sizes;
  bool missed = sizes && sizes->missed;
  int64_t first = opensizes_find(sizes, own), second = opensizes_find(sizes, shared);
  *out = first ? first : second;
  if (sizes) sizes->missed = missed || !*out;
  return *out > 0;
}

static bool add_input(OnnxLower *l, OnnxScope *s, uint32_t v) {
  const OnnxBody *b = s->body;
  const OnnxType *t = &b->types[v];
  uint32_t line = b->lines[v];
  const char *name = sym_text(b->names[v]);
  int64_t dims[ONNX_MAX_RANK], elements;
  if (!t->known) return onnx_error(l->m, line, E_SHAPE, "input '%s' has no shape", name);
  if (t->dtype == DT_OPAQUE) return onnx_error(l->m, line, E_UNSUPPORTED, "input '%s' is not a tensor of numbers", name);
  for (uint32_t d = 0; d < t->rank; d++) {
    const char *own = arena_printf(&l->arena, "%s.%u", name, d), *size = t->names[d] ? sym_text(t->names[d]) : own;
    dims[d] = t->dims[d];
    if (dims[d] >= 0 || size_given(l, own, size, &dims[d])) continue;
    onnx_error(l->m, line, E_SHAPE, "dimension %u of input '%s' has no size", d, name);
    diag_hint(l->m->diags, "choose one: --sizes=%s=4", size);
    return false;
  }
  if (!compose_elements(t->rank, dims, &elements)) return onnx_error(l->m, line, E_SIZE, "input '%s' is too large", name);
  l->c.stamp = (Node){.line = line};
  s->node[v] = onnx_parameter(l, b->names[v], t->dtype, t->rank, dims, NULL);
  return true;
}

bool onnx_inputs(OnnxLower *l, OnnxScope *s) {
  const OnnxBody *b = s->body;
  bool ok = true;
  for (uint32_t k = 0; k < b->n_inputs; k++)
    if (!b->initial[b->inputs[k]]) ok = add_input(l, s, b->inputs[k]) && ok;
  for (uint32_t v = 0; ok && v < b->n_values; v++)
    if (b->initial[v]) ok = add_initialiser(l, s, v);
  return ok;
}
