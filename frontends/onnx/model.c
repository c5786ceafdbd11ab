/* Messages of ONNX as tables: graphs, functions, operators, attributes, types.  The schema is a tree of fixed depth, so
 * reading recurses no deeper than it. */
#include "frontends/onnx/model.h"

#include <string.h>

/* What a loop over the fields of a message needs. */
typedef struct Fields {
  OnnxModel *m;
  Wire w;
  WireField f;
} Fields;

static Fields fields(OnnxModel *m, Bytes message) { return (Fields){m, {message, NULL}, {0}}; }
static bool next(Fields *s) { return wire_next(&s->w, &s->f); }
static bool is_bytes(const Fields *s, uint32_t number) { return s->f.number == number && s->f.type == WIRE_BYTES; }
static bool is_int(const Fields *s, uint32_t number) { return s->f.number == number && s->f.type == WIRE_VARINT; }
static bool whole(Fields *s) { return onnx_whole(s->m, &s->w); }

/* Every occurrence of a field, one after the other, into out[onnx_count(message, number)]. */
static void collect(OnnxModel *m, Bytes message, uint32_t number, Bytes *out) {
  Fields s = fields(m, message);
  size_t n = 0;
  while (next(&s))
    if (s.f.number == number) out[n++] = is_bytes(&s, number) ? s.f.bytes : (Bytes){0};
}

static Bytes *all_of(OnnxModel *m, Bytes message, uint32_t number, uint32_t *n) {
  *n = (uint32_t)onnx_count(message, number);
  Bytes *out = ARENA_ARRAY(&m->arena, Bytes, *n + 1);
  collect(m, message, number, out);
  return out;
}

/* ---- attributes */
static bool read_lists(OnnxModel *m, Bytes message, OnnxAttr *a) {
  const uint64_t *v;
  size_t n;
  if (a->kind == ONNX_INTS) {
    if (!onnx_numbers(m, message, 8, WIRE_VARINT, &v, &n)) return false;
    a->ints = (const int64_t *)v;
    a->n = (uint32_t)n;
  } else if (a->kind == ONNX_FLOATS) {
    if (!onnx_numbers(m, message, 7, WIRE_32, &v, &n)) return false;
    double *to = ARENA_ARRAY(&m->arena, double, n);
    for (size_t k = 0; k < n; k++) {
      uint32_t low = (uint32_t)v[k];
      float x;
      memcpy(&x, &low, 4);
      to[k] = (double)x;
    }
    a->floats = to;
    a->n = (uint32_t)n;
  } else if (a->kind == ONNX_STRINGS) {
    a->strings = all_of(m, message, 9, &a->n);
  }
  return true;
}

static bool read_graph(OnnxModel *m, Bytes message, OnnxBody *b);

static bool read_attr(OnnxModel *m, Bytes message, OnnxAttr *a) {
  Fields s = fields(m, message);
  Bytes tensor = {0}, graph = {0};
  bool ok = true;
  *a = (OnnxAttr){.raw = message};
  while (ok && next(&s)) {
    if (is_bytes(&s, 1)) ok = onnx_name(m, s.f.bytes, &a->name);
    if (s.f.number == 2 && s.f.type == WIRE_32) {
      uint32_t low = (uint32_t)s.f.value;
      float x;
      memcpy(&x, &low, 4);
      a->f = (double)x;
    }
    if (is_int(&s, 3)) a->i = (int64_t)s.f.value;
    if (is_bytes(&s, 4)) a->text = s.f.bytes;
    if (is_bytes(&s, 5)) tensor = s.f.bytes;
    if (is_bytes(&s, 6)) graph = s.f.bytes;
    if (is_int(&s, 20)) a->kind = s.f.value < 64 ? (uint8_t)s.f.value : 63;
    if (is_bytes(&s, 21)) ok = onnx_name(m, s.f.bytes, &a->ref);
  }
  if (!ok || !whole(&s)) return false;
  if (a->kind == ONNX_STRING && a->text.len && a->text.len < 256 && onnx_plain(a->text))
    a->s = sym_n((const char *)a->text.at, a->text.len);
  if (a->kind == ONNX_TENSOR && !a->ref) {
    OnnxTensor *t = ARENA_NEW(&m->arena, OnnxTensor);
    a->t = t;
    return onnx_tensor_read(m, tensor, t);
  }
  if (a->kind == ONNX_GRAPH && !a->ref) {
    OnnxBody *b = ARENA_NEW(&m->arena, OnnxBody);
    a->g = b;
    return read_graph(m, graph, b);
  }
  return read_lists(m, message, a);
}

static bool read_attrs(OnnxModel *m, Bytes message, uint32_t number, const OnnxAttr **out, uint32_t *n) {
  Bytes *all = all_of(m, message, number, n);
  OnnxAttr *a = ARENA_ARRAY(&m->arena, OnnxAttr, *n);
  *out = a;
  for (uint32_t k = 0; k < *n; k++)
    if (!read_attr(m, all[k], &a[k])) return false;
  return true;
}

/* ---- values */
static uint32_t known(const OnnxModel *m, Sym name) {
  return name && name < m->value_of.len ? m->value_of.at[name] - 1 : ONNX_NONE;
}

/* Of the innermost body. */
static uint32_t own_value(const OnnxModel *m, Sym name) {
  uint32_t v = known(m, name);
  return v != ONNX_NONE && m->depth_of.at[name] + 1 == m->n_open ? v : ONNX_NONE;
}

/* A value by name; one of a body around becomes one of every body in between. */
static uint32_t value_of(OnnxModel *m, Sym name) {
  uint32_t v = known(m, name);
  while (v != ONNX_NONE && m->depth_of.at[name] + 1 < m->n_open) {
    uint32_t depth = ++m->depth_of.at[name];
    OnnxBody *b = m->open[depth];
    b->captures[b->n_captures++] = (OnnxCapture){b->n_values, v};
    b->names[v = b->n_values++] = name;
    m->value_of.at[name] = v + 1;
  }
  return v;
}

/* false: the name is taken. */
static bool define(OnnxModel *m, OnnxBody *b, Sym name, uint32_t *out) {
  *out = b->n_values;
  b->names[b->n_values++] = name;
  if (!name) return true;
  while (m->value_of.len <= name) {
    vec_push(&m->value_of, 0);
    vec_push(&m->depth_of, 0);
  }
  if (m->value_of.at[name]) return false;
  m->value_of.at[name] = *out + 1;
  m->depth_of.at[name] = m->n_open - 1;
  return true;
}

/* A body begins to be read; false after a report. */
static bool open_body(OnnxModel *m, OnnxBody *b) {
  if (m->n_open == ONNX_MAX_DEPTH) return onnx_error(m, 0, E_LIMIT, "graphs are nested deeper than %d", ONNX_MAX_DEPTH);
  m->open[m->n_open++] = b;
  return true;
}

/* It has been read: its names are free again. */
static void close_body(OnnxModel *m, const OnnxBody *b) {
  for (uint32_t k = 0; k < b->n_values; k++)
    if (b->names[k] && b->names[k] < m->value_of.len && m->depth_of.at[b->names[k]] + 1 == m->n_open)
      m->value_of.at[b->names[k]] = 0;
  for (uint32_t k = 0; k < b->n_captures; k++) {
    Sym name = b->names[b->captures[k].inner];
    m->value_of.at[name] = b->captures[k].outer + 1;
    m->depth_of.at[name] = m->n_open - 2;
  }
  m->n_open--;
}

static bool twice(OnnxModel *m, Sym name) {
  return onnx_error(m, 0, E_GRAPH_NAME, "value '%s' is defined twice", sym_text(name));
}

/* ---- types */
static bool read_dim(OnnxModel *m, Bytes message, int64_t *size, Sym *name) {
  Fields s = fields(m, message);
  bool ok = true;
  *size = -1;
  while (ok && next(&s)) {
    if (is_int(&s, 1)) *size = (int64_t)s.f.value >= 0 ? (int64_t)s.f.value : -1;
    if (is_bytes(&s, 2)) ok = onnx_name(m, s.f.bytes, name);
  }
  return ok && whole(&s);
}

static bool read_shape(OnnxModel *m, Bytes message, OnnxType *t) {
  uint32_t n;
  Bytes *dims = all_of(m, message, 1, &n);
  if (n > ONNX_MAX_RANK) return onnx_error(m, 0, E_LIMIT, "a value has more than %d dimensions", ONNX_MAX_RANK);
  t->rank = n;
  t->dims = ARENA_ARRAY(&m->arena, int64_t, n);
  Sym *names = ARENA_ARRAY(&m->arena, Sym, n);
  t->names = names;
  t->known = true;
  for (uint32_t k = 0; k < n; k++)
    if (!read_dim(m, dims[k], &t->dims[k], &names[k])) return false;
  return true;
}

/* TypeProto: only that of a tensor says something. */
static bool read_type(OnnxModel *m, Bytes message, OnnxType *t) {
  uint32_t n, n_shapes;
  Bytes *tensor = all_of(m, message, 1, &n);
  if (!n) return true;
  Fields s = fields(m, tensor[0]);
  while (next(&s))
    if (is_int(&s, 1)) t->dtype = (uint8_t)onnx_dtype((int64_t)s.f.value);
  Bytes *shape = all_of(m, tensor[0], 2, &n_shapes);
  return whole(&s) && (!n_shapes || read_shape(m, shape[0], t));
}

static bool read_value_info(OnnxModel *m, Bytes message, Sym *name, OnnxType *t) {
  Fields s = fields(m, message);
  bool ok = true;
  *name = 0;
  *t = (OnnxType){.dtype = DT_OPAQUE};
  while (ok && next(&s)) {
    if (is_bytes(&s, 1)) ok = onnx_name(m, s.f.bytes, name);
    if (is_bytes(&s, 2)) ok = read_type(m, s.f.bytes, t);
  }
  return ok && whole(&s);
}

/* ---- operators */
/* Names of values; those that define one are new. */
static bool read_values(OnnxModel *m, OnnxBody *b, Bytes message, uint32_t number, const OnnxNode *node, bool defines,
                        const uint32_t **out, uint32_t *n) {
  Bytes *all = all_of(m, message, number, n);
  uint32_t *v = ARENA_ARRAY(&m->arena, uint32_t, *n);
  *out = v;
  for (uint32_t k = 0; k < *n; k++) {
    Sym name;
    if (!onnx_name(m, all[k], &name)) return false;
    v[k] = ONNX_NONE;
    if (defines) {
      if (!define(m, b, name, &v[k])) return twice(m, name);
    } else if (name && (v[k] = value_of(m, name)) == ONNX_NONE) {
      return onnx_error(m, 0, E_GRAPH_NAME, "%s '%s' uses '%s', which is not defined before it", sym_text(node->op),
                        sym_text(node->name), sym_text(name));
    }
  }
  return true;
}

/* The last frames of a traceback, the innermost first there: File "models/net.py", line 12, in forward. */
static Sym traceback(OnnxModel *m, Bytes text) {
  enum { MAX_FRAMES = 16 };
  Sym frames[MAX_FRAMES];
  size_t n = 0;
  const uint8_t *end = text.at + text.len;
  for (const uint8_t *p = text.at; p + 6 < end; p++) {
    unsigned long line = 0;
    if (memcmp(p, "File \"", 6)) continue;
    const uint8_t *q = memchr(p + 6, '"', (size_t)(end - p - 6)), *d = q ? q + 8 : end;
    if (!q || end - q < 9 || memcmp(q, "\", line ", 8)) continue;
    while (d < end && *d >= '0' && *d <= '9' && line < 100000000) line = line * 10 + (unsigned long)(*d++ - '0');
    Bytes path = {p + 6, (size_t)(q - p) - 6};
    if (path.len && path.len < 512 && onnx_plain(path))
      frames[n++ % MAX_FRAMES] =
          sym(arena_printf(&m->arena, "%s:%lu", arena_strdup(&m->arena, (const char *)path.at, path.len), line));
    p = q;
  }
  const char *out = "";
  for (size_t k = n > MAX_FRAMES ? n - MAX_FRAMES : 0; k < n; k++)
    out = arena_printf(&m->arena, "%s%s%s", sym_text(frames[k % MAX_FRAMES]), *out ? "\n" : "", out);
  return *out ? sym(out) : 0;
}

static bool read_metadata(OnnxModel *m, Bytes message, OnnxNode *node) {
  Fields s = fields(m, message);
  Bytes key = {0}, value = {0};
  while (next(&s)) {
    if (is_bytes(&s, 1)) key = s.f.bytes;
    if (is_bytes(&s, 2)) value = s.f.bytes;
  }
  static const char trace[] = "pkg.torch.onnx.stack_trace";
  if (key.len == sizeof trace - 1 && !memcmp(key.at, trace, key.len) && value.len < 65536) node->at = traceback(m, value);
  return whole(&s);
}

static bool read_node(OnnxModel *m, OnnxBody *b, Bytes message, OnnxNode *node) {
  Fields s = fields(m, message);
  bool ok = true;
  *node = (OnnxNode){0};
  while (ok && next(&s)) {
    if (is_bytes(&s, 3)) ok = onnx_name(m, s.f.bytes, &node->name);
    if (is_bytes(&s, 4)) ok = onnx_name(m, s.f.bytes, &node->op);
    if (is_bytes(&s, 7)) ok = onnx_name(m, s.f.bytes, &node->domain);
    if (is_bytes(&s, 8)) ok = onnx_name(m, s.f.bytes, &node->overload);
    if (is_bytes(&s, 9)) ok = read_metadata(m, s.f.bytes, node);
  }
  if (!ok || !whole(&s)) return false;
  if (node->domain == sym("ai.onnx")) node->domain = 0;
  return read_attrs(m, message, 5, &node->attrs, &node->n_attrs) &&
         read_values(m, b, message, 1, node, false, &node->in, &node->n_in) &&
         read_values(m, b, message, 2, node, true, &node->out, &node->n_out);
}

/* How many values the operators of a message define. */
static size_t count_results(OnnxModel *m, Bytes message, uint32_t number) {
  Fields s = fields(m, message);
  size_t n = 0;
  while (next(&s))
    if (is_bytes(&s, number)) n += onnx_count(s.f.bytes, 2);
  return n;
}

/* How many values of bodies around the graph `message` may use: all its operands and results, and of those inside. */
static size_t count_uses(OnnxModel *m, Bytes message, uint32_t depth) {
  Fields s = fields(m, message), a;
  size_t n = onnx_count(message, 12);
  while (next(&s)) {
    if (!is_bytes(&s, 1)) continue;
    n += onnx_count(s.f.bytes, 1);
    a = fields(m, s.f.bytes);
    while (depth < ONNX_MAX_DEPTH && next(&a)) {
      if (!is_bytes(&a, 5)) continue;
      Fields g = fields(m, a.f.bytes);
      while (next(&g))
        if (is_bytes(&g, 6)) n += count_uses(m, g.f.bytes, depth + 1);
    }
  }
  return n;
}

static bool body_make(OnnxModel *m, OnnxBody *b, size_t most, size_t captures) {
  most += captures;
  if (most >= ONNX_NONE) return onnx_error(m, 0, E_LIMIT, "more values than can be numbered");
  *b = (OnnxBody){.names = ARENA_ARRAY(&m->arena, Sym, most), .types = ARENA_ARRAY(&m->arena, OnnxType, most),
                  .initial = ARENA_ARRAY(&m->arena, const OnnxTensor *, most),
                  .lines = ARENA_ARRAY(&m->arena, uint32_t, most),
                  .captures = ARENA_ARRAY(&m->arena, OnnxCapture, captures)};
  return true;
}

static bool read_nodes(OnnxModel *m, OnnxBody *b, Bytes message, uint32_t number) {
  Bytes *all = all_of(m, message, number, &b->n_nodes);
  b->nodes = ARENA_ARRAY(&m->arena, OnnxNode, b->n_nodes);
  for (uint32_t k = 0; k < b->n_nodes; k++)
    if (!read_node(m, b, all[k], &b->nodes[k])) return false;
  return true;
}

/* ---- graphs */
static bool read_inputs(OnnxModel *m, OnnxBody *b, Bytes message) {
  Bytes *all = all_of(m, message, 11, &b->n_inputs);
  b->inputs = ARENA_ARRAY(&m->arena, uint32_t, b->n_inputs);
  for (uint32_t k = 0; k < b->n_inputs; k++) {
    Sym name;
    OnnxType t;
    if (!read_value_info(m, all[k], &name, &t)) return false;
    if (!name) return onnx_error(m, 0, E_GRAPH_NAME, "input %u has no name", k);
    if (!define(m, b, name, &b->inputs[k])) return twice(m, name);
    b->types[b->inputs[k]] = t;
  }
  return true;
}

static bool read_initialisers(OnnxModel *m, OnnxBody *b, Bytes message) {
  uint32_t n;
  Bytes *all = all_of(m, message, 5, &n);
  int64_t elements = 0;
  for (uint32_t k = 0; k < n; k++) {
    OnnxTensor *t = ARENA_NEW(&m->arena, OnnxTensor);
    if (!onnx_tensor_read(m, all[k], t)) return false;
    if (!t->name) return onnx_error(m, 0, E_GRAPH_NAME, "initialiser %u has no name", k);
    uint32_t v = own_value(m, t->name);
    if (v != ONNX_NONE && b->initial[v]) return twice(m, t->name);
    if (v == ONNX_NONE && !define(m, b, t->name, &v)) return twice(m, t->name);
    b->initial[v] = t;
    if ((elements += t->n) > m->options->max_weights)
      return onnx_error(m, 0, E_LIMIT, "more than %lld numbers in initialisers (--max-weights)",
                        (long long)m->options->max_weights);
  }
  return true;
}

static bool read_outputs(OnnxModel *m, OnnxBody *b, Bytes message) {
  Bytes *all = all_of(m, message, 12, &b->n_outputs), *infos;
  uint32_t n;
  b->outputs = ARENA_ARRAY(&m->arena, uint32_t, b->n_outputs);
  for (uint32_t k = 0; k < b->n_outputs; k++) {
    Sym name;
    OnnxType t;
    if (!read_value_info(m, all[k], &name, &t)) return false;
    b->outputs[k] = value_of(m, name);
    if (b->outputs[k] == ONNX_NONE)
      return onnx_error(m, 0, E_GRAPH_NAME, "output '%s' is not defined", sym_text(name));
    if (!b->types[b->outputs[k]].known) b->types[b->outputs[k]] = t;
  }
  infos = all_of(m, message, 13, &n);
  for (uint32_t k = 0; k < n; k++) {
    Sym name;
    OnnxType t;
    if (!read_value_info(m, infos[k], &name, &t)) return false;
    uint32_t v = own_value(m, name);
    if (v != ONNX_NONE && !b->types[v].known) b->types[v] = t;
  }
  return true;
}

static bool read_graph(OnnxModel *m, Bytes message, OnnxBody *b) {
  if (onnx_count(message, 15)) return onnx_error(m, 0, E_UNSUPPORTED, "sparse initialisers are not read");
  size_t own = onnx_count(message, 11) + onnx_count(message, 5) + count_results(m, message, 1);
  if (!body_make(m, b, own, m->n_open ? count_uses(m, message, 0) : 0) || !open_body(m, b)) return false;
  bool ok = read_inputs(m, b, message) && read_initialisers(m, b, message) && read_nodes(m, b, message, 1) &&
      read_outputs(m, b, message);
  close_body(m, b);
  return ok;
}

/* ---- functions */
static bool read_opsets(OnnxModel *m, Bytes message, uint32_t number, OnnxOpset **out, uint32_t *n) {
  Bytes *all = all_of(m, message, number, n);
  *out = ARENA_ARRAY(&m->arena, OnnxOpset, *n);
  for (uint32_t k = 0; k < *n; k++) {
    OnnxOpset *o = &(*out)[k];
    Fields s = fields(m, all[k]);
    bool ok = true;
    while (ok && next(&s)) {
      if (is_bytes(&s, 1)) ok = onnx_name(m, s.f.bytes, &o->domain);
      if (is_int(&s, 2)) o->version = (int64_t)s.f.value;
    }
    if (!ok || !whole(&s)) return false;
    if (o->domain == sym("ai.onnx")) o->domain = 0;
  }
  return true;
}

static bool read_function(OnnxModel *m, Bytes message, OnnxFunction *f) {
  Fields s = fields(m, message);
  OnnxBody *b = &f->body;
  OnnxOpset *opsets;
  if (!body_make(m, b, onnx_count(message, 4) + count_results(m, message, 7), 0) || !open_body(m, b)) return false;
  bool ok = true;
  while (ok && next(&s)) {
    if (is_bytes(&s, 1)) ok = onnx_name(m, s.f.bytes, &f->name);
    if (is_bytes(&s, 10)) ok = onnx_name(m, s.f.bytes, &f->domain);
    if (is_bytes(&s, 13)) ok = onnx_name(m, s.f.bytes, &f->overload);
  }
  if (f->domain == sym("ai.onnx")) f->domain = 0;
  OnnxNode nowhere = {.op = f->name};
  const uint32_t *in, *out;
  ok = ok && whole(&s) && read_attrs(m, message, 11, &f->defaults, &f->n_defaults) &&
      read_opsets(m, message, 9, &opsets, &f->n_opsets) &&
      read_values(m, b, message, 4, &nowhere, true, &in, &b->n_inputs) && read_nodes(m, b, message, 7) &&
      read_values(m, b, message, 5, &nowhere, false, &out, &b->n_outputs);
  close_body(m, b);
  if (!ok) return false;
  f->opsets = opsets;
  b->inputs = arena_copy(&m->arena, in, b->n_inputs * sizeof *in);
  b->outputs = arena_copy(&m->arena, out, b->n_outputs * sizeof *out);
  return true;
}

int64_t onnx_opset(const OnnxOpset *opsets, uint32_t n, Sym domain) {
  for (uint32_t k = 0; k < n; k++)
    if (opsets[k].domain == domain) return opsets[k].version;
  return 0;
}

static bool check_version(OnnxModel *m) {
  int64_t v = onnx_opset(m->opsets, m->n_opsets, 0);
  if (v >= ONNX_FIRST_OPSET && v <= ONNX_LATEST_OPSET) return true;
  onnx_error(m, 0, E_UNSUPPORTED, "operator set %lld: %d to %d are read", (long long)v, ONNX_FIRST_OPSET,
             ONNX_LATEST_OPSET);
  if (v) diag_hint(m->diags, "convert it: onnx.version_converter.convert_version(model, %d)", 21);
  return false;
}

bool onnx_model_read(OnnxModel *m, Diags *diags, uint32_t source, const OnnxOptions *options) {
  const Source *s = sources_get(diags_sources(diags), source);
  *m = (OnnxModel){.diags = diags, .source = source, .options = options};
  Bytes message = {(const uint8_t *)s->text, s->len};
  Fields all = fields(m, message);
  while (next(&all)) {}
  if (!whole(&all)) return false;
  uint32_t n_graphs;
  Bytes *graphs = all_of(m, message, 7, &n_graphs), *functions = all_of(m, message, 25, &m->n_functions);
  if (n_graphs != 1) return onnx_error(m, 0, E_GRAPH_SYNTAX, "it is no ONNX model: there is no graph in it");
  m->functions = ARENA_ARRAY(&m->arena, OnnxFunction, m->n_functions);
  if (!read_opsets(m, message, 8, &m->opsets, &m->n_opsets) || !check_version(m)) return false;
  for (uint32_t k = 0; k < m->n_functions; k++)
    if (!read_function(m, functions[k], &m->functions[k])) return false;
  if (!read_graph(m, graphs[0], &m->main)) return false;
  onnx_list(m);
  return true;
}

void onnx_model_free(OnnxModel *m) {
  arena_free(&m->arena);
  vec_free(&m->external);
  vec_free(&m->value_of);
  vec_free(&m->depth_of);
}
