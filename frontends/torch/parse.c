/* One graph of a tvr-graph file: names to numbers, arguments to a tree of bounded depth. */
#include "frontends/torch/parse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontends/base/decimal.h"

enum { MAX_DEPTH = 8, MAX_ERRORS = 20, MAX_CALLERS = 64 };
#define MAX_ELEMENTS (INT64_C(1) << 48)

bool parse_error(TorchParser *q, DiagCode code, const char *fmt, ...) {
  char what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  Span at = q->at ? json_doc_span(&q->doc, q->at) : (Span){q->doc.source, 0, 0};
  q->errors++;
  return diag_error(q->doc.diags, at, code, "%s%s%s", q->where ? q->where : "", q->where ? ": " : "", what);
}

static Sym text_of(const json_t *object, const char *key) {
  const json_t *v = json_doc_get(object, key);
  return json_is_string(v) ? sym_n(json_string_value(v), json_string_length(v)) : 0;
}

static bool parse_dtype(TorchParser *q, const json_t *v, uint8_t *out) {
  static const struct {
    const char *text;
    DType type;
  } table[] = {{"f32", DT_F32}, {"f64", DT_F64}, {"f16", DT_F16}, {"bf16", DT_BF16}, {"i64", DT_S64}, {"i32", DT_S32},
               {"i16", DT_S16}, {"i8", DT_S8},   {"u64", DT_U64}, {"u8", DT_U8},     {"bool", DT_PRED}, {"c64", DT_C64},
               {"f8e4m3fn", DT_F8E4M3FN}, {"f8e5m2", DT_F8E5M2}};
  const char *s = json_string_value(v);
  for (size_t i = 0; s && i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].text, s)) return *out = (uint8_t)table[i].type, true;
  return parse_error(q, E_GRAPH_SYNTAX, "%s%s%s is no element type", s ? "'" : "", s ? s : "a value", s ? "'" : "");
}

static bool parse_type(TorchParser *q, const json_t *v, TorchType *out) {
  const json_t *shape = json_doc_get(v, "shape");
  if (!json_is_array(shape) || json_array_size(shape) > TORCH_MAX_RANK)
    return parse_error(q, E_GRAPH_SYNTAX, "a tensor needs a \"shape\" of at most %d sizes", TORCH_MAX_RANK);
  int64_t *dims = ARENA_ARRAY(q->arena, int64_t, json_array_size(shape)), n = 1;
  for (size_t k = 0; k < json_array_size(shape); k++) {
    const json_t *d = json_array_get(shape, k);
    dims[k] = json_is_integer(d) ? json_integer_value(d) : -1;
    if (dims[k] < 0) return parse_error(q, E_GRAPH_SYNTAX, "a size must be a number, not negative");
    if (dims[k] && n > MAX_ELEMENTS / dims[k]) return parse_error(q, E_SIZE, "a tensor is too large");
    n *= dims[k];
  }
  out->tensor = true;
  out->rank = (uint8_t)json_array_size(shape);
  out->dims = dims;
  return parse_dtype(q, json_doc_get(v, "dtype"), &out->dtype);
}

/* ---- names */
static bool declare(TorchParser *q, Sym name, uint32_t value) {
  if (!name) return parse_error(q, E_GRAPH_SYNTAX, "a value needs a \"name\"");
  while (q->places.len <= name) vec_push(&q->places, (TorchPlace){0});
  TorchPlace *at = &q->places.at[name];
  if (at->stamp == q->stamp) return parse_error(q, E_GRAPH_NAME, "'%s' is declared twice", sym_text(name));
  *at = (TorchPlace){q->stamp, value};
  return true;
}

static bool look_up(TorchParser *q, Sym name, int64_t *out) {
  if (name && name < q->places.len && q->places.at[name].stamp == q->stamp)
    return *out = q->places.at[name].value, true;
  return parse_error(q, E_GRAPH_NAME, "'%s' is not declared before", sym_text(name));
}

static bool parse_reference(TorchParser *q, const json_t *v, TorchArg *out) {
  const json_t *i = json_doc_get(v, "i");
  out->kind = TA_TENSOR;
  if (i && (!json_is_integer(i) || json_integer_value(i) < 0 || json_integer_value(i) > UINT16_MAX))
    return parse_error(q, E_GRAPH_SYNTAX, "\"i\" must be the number of a result");
  out->result = i ? (uint32_t)json_integer_value(i) : 0;
  return look_up(q, text_of(v, "t"), &out->i);
}

static bool parse_special(TorchParser *q, const json_t *v, Rat *out) {
  const char *s = json_string_value(json_doc_get(v, "float"));
  if (s && !strcmp(s, "inf")) return *out = RAT_POS_INF, true;
  if (s && !strcmp(s, "-inf")) return *out = RAT_NEG_INF, true;
  if (s && !strcmp(s, "nan")) return *out = RAT_NAN, true;
  return parse_error(q, E_GRAPH_SYNTAX, "\"float\" must be \"inf\", \"-inf\" or \"nan\"");
}

static bool parse_object(TorchParser *q, const json_t *v, TorchArg *out) {
  if (json_doc_get(v, "t")) return parse_reference(q, v, out);
  if (json_doc_get(v, "float")) return out->kind = TA_FLOAT, parse_special(q, v, &out->r);
  if (json_doc_get(v, "dtype")) {
    uint8_t t;
    if (!parse_dtype(q, json_doc_get(v, "dtype"), &t)) return false;
    return out->kind = TA_DTYPE, out->i = t, true;
  }
  Sym name = text_of(v, "group");
  out->kind = TA_GROUP;
  for (uint32_t k = 0; name && k < q->p->n_groups; k++)
    if (q->p->groups[k].name == name) return out->i = k, true;
  if (name) return parse_error(q, E_COLLECTIVE, "there is no group '%s'", sym_text(name));
  return parse_error(q, E_GRAPH_SYNTAX, "an argument that is not understood");
}

static bool parse_arg(TorchParser *q, const json_t *v, TorchArg *out, int depth) {
  *out = (TorchArg){.kind = TA_NONE, .r = RAT_0};
  switch (json_typeof(v)) {
    case JSON_NULL: return true;
    case JSON_TRUE:
    case JSON_FALSE: out->kind = TA_BOOL, out->i = json_is_true(v), out->r = rat_int(out->i); return true;
    case JSON_INTEGER: out->kind = TA_INT, out->i = json_integer_value(v), out->r = rat_int(out->i); return true;
    case JSON_REAL:
      out->kind = TA_FLOAT;
      return json_doc_rat(v, &out->r) || parse_error(q, E_NUMBER, "a number that cannot be read");
    case JSON_STRING: out->kind = TA_STRING, out->s = sym_n(json_string_value(v), json_string_length(v)); return true;
    case JSON_OBJECT: return parse_object(q, v, out);
    case JSON_ARRAY: break;
  }
  if (depth == MAX_DEPTH) return parse_error(q, E_NESTING, "lists are nested more than %d deep", MAX_DEPTH);
  out->kind = TA_LIST;
  out->n = (uint32_t)json_array_size(v);
  out->list = ARENA_ARRAY(q->arena, TorchArg, out->n);
  for (uint32_t k = 0; k < out->n; k++)
    if (!parse_arg(q, json_array_get(v, k), &out->list[k], depth + 1)) return false;
  return true;
}

static bool parse_args(TorchParser *q, const json_t *node, TorchNode *out) {
  const json_t *args = json_doc_get(node, "args"), *kwargs = json_doc_get(node, "kwargs"), *v;
  if (!json_is_array(args) || (kwargs && !json_is_object(kwargs)))
    return parse_error(q, E_GRAPH_SYNTAX, "\"args\" must be a list, \"kwargs\" an object");
  out->n_args = (uint32_t)json_array_size(args);
  out->args = ARENA_ARRAY(q->arena, TorchArg, out->n_args);
  for (uint32_t k = 0; k < out->n_args; k++)
    if (!parse_arg(q, json_array_get(args, k), &out->args[k], 0)) return false;
  out->keys = ARENA_ARRAY(q->arena, Sym, json_object_size(kwargs));
  out->kwargs = ARENA_ARRAY(q->arena, TorchArg, json_object_size(kwargs));
  const char *key;
  json_object_foreach((json_t *)kwargs, key, v) {
    out->keys[out->n_kwargs] = sym(key);
    if (!parse_arg(q, v, &out->kwargs[out->n_kwargs++], 0)) return false;
  }
  return true;
}

static bool parse_outs(TorchParser *q, const json_t *node, TorchNode *out) {
  const json_t *outs = json_doc_get(node, "outs");
  if (!json_is_array(outs) || json_array_size(outs) > UINT16_MAX)
    return parse_error(q, E_GRAPH_SYNTAX, "\"outs\" must be a list");
  out->n_outs = (uint32_t)json_array_size(outs);
  out->outs = ARENA_ARRAY(q->arena, TorchType, out->n_outs);
  for (uint32_t k = 0; k < out->n_outs; k++) {
    const json_t *o = json_array_get(outs, k);
    if (!json_is_null(o) && !parse_type(q, o, &out->outs[k])) return false;
  }
  return true;
}

/* References to results that are there. */
static bool check_results(TorchParser *q, const TorchSet *g, const TorchArg *a) {
  if (a->kind == TA_LIST) {
    for (uint32_t k = 0; k < a->n; k++)
      if (!check_results(q, g, &a->list[k])) return false;
    return true;
  }
  uint64_t first = (uint64_t)g->n_inputs + g->n_constants;
  if (a->kind != TA_TENSOR) return true;
  const TorchNode *n = (uint64_t)a->i < first ? NULL : &g->nodes[(uint64_t)a->i - first];
  if (n ? a->result < n->n_outs && n->outs[a->result].tensor : a->result == 0) return true;
  return parse_error(q, E_GRAPH_NAME, "a value has no tensor as result %u", a->result);
}

/* Source places, innermost first, a line each: "at", then "callers". */
static Sym places_of(TorchParser *q, const json_t *node) {
  const char *at = json_string_value(json_object_get(node, "at"));
  const json_t *callers = json_object_get(node, "callers");
  for (size_t k = 0; at && k < json_array_size(callers) && k < MAX_CALLERS; k++) {
    const char *caller = json_string_value(json_array_get(callers, k));
    if (caller && *caller) at = arena_printf(q->arena, "%s\n%s", at, caller);
  }
  return at ? sym(at) : 0;
}

static bool parse_node(TorchParser *q, const json_t *v, TorchSet *g, uint32_t k) {
  TorchNode *out = &g->nodes[k];
  char where[160];
  q->at = v;
  if (q->doc.gaps.len && json_is_integer(v)) v = json_array_get(q->first, k); /* stands here as well */
  out->name = text_of(v, "name");
  out->op = text_of(v, "op");
  snprintf(where, sizeof where, "%s, '%s'", sym_text(g->name), sym_text(out->name));
  q->where = where;
  bool ok = json_is_object(v) && out->op;
  if (!ok) parse_error(q, E_GRAPH_SYNTAX, "a node needs \"name\", \"op\", \"args\" and \"outs\"");
  ok = ok && parse_args(q, v, out) && parse_outs(q, v, out);
  for (uint32_t i = 0; ok && i < out->n_args; i++) ok = check_results(q, g, &out->args[i]);
  for (uint32_t i = 0; ok && i < out->n_kwargs; i++) ok = check_results(q, g, &out->kwargs[i]);
  ok = ok && declare(q, out->name, g->n_inputs + g->n_constants + k);
  out->at = places_of(q, v);
  out->module = text_of(v, "module");
  q->where = NULL;
  return ok;
}

static bool parse_value(TorchParser *q, const json_t *v, DType type, Rat *out) {
  DType part = type == DT_C64 ? DT_F32 : type;
  Rat r;
  if (json_is_boolean(v)) return *out = rat_int(json_is_true(v)), true;
  if (json_is_object(v)) return parse_special(q, v, out);
  if (!json_is_number(v) || !json_doc_rat(v, &r)) return parse_error(q, E_NUMBER, "a value of a constant is no number");
  if (!dtype_is_float(part)) return *out = r, true;
  double x = json_number_value(v);
  return decimal_round(x, NULL, part, out) == DECIMAL_OK ||
      parse_error(q, E_NUMBER, "a value of a constant does not fit");
}

static bool parse_constant(TorchParser *q, const json_t *v, TorchSet *g, uint32_t k) {
  TorchConstant *c = &g->constants[k];
  const json_t *data = json_doc_get(v, "data");
  q->at = v;
  c->name = text_of(v, "name");
  if (!parse_type(q, v, &c->type) || !declare(q, c->name, g->n_inputs + k)) return false;
  c->n = c->type.dtype == DT_C64 ? 2 : 1;
  for (int d = 0; d < c->type.rank; d++) c->n *= (uint64_t)c->type.dims[d];
  if (!json_is_array(data) || json_array_size(data) != c->n)
    return parse_error(q, E_GRAPH_SYNTAX, "constant '%s' needs \"data\" of %llu values", sym_text(c->name),
                       (unsigned long long)c->n);
  Rat *values = ARENA_ARRAY(q->arena, Rat, c->n);
  for (uint64_t i = 0; i < c->n; i++)
    if (!parse_value(q, json_array_get(data, i), (DType)c->type.dtype, &values[i])) return false;
  c->values = ARENA_ARRAY(q->arena, const Rat *, 1);
  c->values[0] = values;
  return true;
}

static bool parse_inputs(TorchParser *q, const json_t *list, TorchSet *g) {
  g->n_inputs = (uint32_t)json_array_size(list);
  g->inputs = ARENA_ARRAY(q->arena, TorchInput, g->n_inputs);
  for (uint32_t k = 0; k < g->n_inputs; k++) {
    const json_t *v = q->at = json_array_get(list, k);
    TorchInput *in = &g->inputs[k];
    in->name = text_of(v, "name");
    in->fqn = text_of(v, "fqn");
    if (!parse_type(q, v, &in->type) || !declare(q, in->name, k)) return false;
  }
  return true;
}

static bool parse_outputs(TorchParser *q, const json_t *outputs, const json_t *names, TorchSet *g) {
  g->n_outputs = (uint32_t)json_array_size(outputs);
  g->outputs = ARENA_ARRAY(q->arena, TorchArg, g->n_outputs);
  g->output_names = ARENA_ARRAY(q->arena, Sym, g->n_outputs);
  if (json_array_size(names) != g->n_outputs)
    return parse_error(q, E_GRAPH_SYNTAX, "\"outputs\" and \"output_names\" must be lists of equal length");
  for (uint32_t k = 0; k < g->n_outputs; k++) {
    const json_t *name = json_array_get(names, k);
    if (!parse_arg(q, json_array_get(outputs, k), &g->outputs[k], 0)) return false;
    if (g->outputs[k].kind != TA_TENSOR || !json_is_string(name))
      return parse_error(q, E_GRAPH_SYNTAX, "an output must be a tensor with a name");
    if (!check_results(q, g, &g->outputs[k])) return false;
    g->output_names[k] = sym(json_string_value(name));
  }
  return true;
}

/* Line numbers of the elements of a list, in order. */
static void find_lines(TorchParser *q, const json_t *list, uint32_t *out, size_t stride) {
  size_t n = json_array_size(list);
  Span *at = xcalloc(n, sizeof *at);
  json_doc_elements(&q->doc, list, at);
  const char *text = sources_get(diags_sources(q->doc.diags), q->doc.source)->text;
  uint32_t line = 1, seen = 0;
  for (size_t k = 0; k < n; k++) {
    for (; seen < at[k].lo; seen++) line += text[seen] == '\n';
    *(uint32_t *)((char *)out + k * stride) = line;
  }
  free(at);
}

bool parse_graph(TorchParser *q, const json_t *v, TorchSet *g) {
  const json_t *inputs = json_doc_get(v, "inputs"), *constants = json_doc_get(v, "constants");
  const json_t *nodes = json_doc_get(v, "nodes"), *outputs = json_doc_get(v, "outputs");
  q->at = v;
  q->where = NULL;
  q->stamp++;
  *g = (TorchSet){.name = text_of(v, "name")};
  if (!json_is_array(inputs) || !json_is_array(nodes) || !json_is_array(outputs) ||
      (constants && !json_is_array(constants)))
    return parse_error(q, E_GRAPH_SYNTAX, "a graph needs the lists \"inputs\", \"nodes\" and \"outputs\"");
  if (!parse_inputs(q, inputs, g)) return false;
  g->n_constants = (uint32_t)json_array_size(constants);
  g->constants = ARENA_ARRAY(q->arena, TorchConstant, g->n_constants);
  for (uint32_t k = 0; k < g->n_constants; k++)
    if (!parse_constant(q, json_array_get(constants, k), g, k)) return false;
  g->n_nodes = (uint32_t)json_array_size(nodes);
  g->nodes = ARENA_ARRAY(q->arena, TorchNode, g->n_nodes);
  for (uint32_t k = 0; k < g->n_nodes && q->errors < MAX_ERRORS; k++) parse_node(q, json_array_get(nodes, k), g, k);
  q->at = v;
  return !q->errors && parse_outputs(q, outputs, json_doc_get(v, "output_names"), g);
}

void parse_lines(TorchParser *q, const json_t *v, TorchSet *g) {
  if (g->n_nodes) find_lines(q, json_doc_get(v, "nodes"), &g->nodes[0].line, sizeof *g->nodes);
  if (g->n_constants) find_lines(q, json_doc_get(v, "constants"), &g->constants[0].line, sizeof *g->constants);
}
