#include "frontends/base/relation.h"

#include <stdarg.h>
#include <stdio.h>

#include "frontends/json/json.h"

enum { MAX_BLOCKS = 4096, MAX_AXES = 64, MAX_DEVICES = 1 << 20, MAX_ERRORS = 20 };

typedef struct Reader {
  JsonDoc doc;
  Relation *r;
  unsigned errors, warnings;
  const char *list; /* "inputs" or "outputs", while an entry is read */
  size_t index;
  const char *name;
} Reader;

/* Reports at a value, naming the entry. */
#define WRONG(rd, value, code, fmt, ...) wrong((rd), json_doc_span(&(rd)->doc, (value)), (code), fmt, ##__VA_ARGS__)
__attribute__((format(printf, 4, 5))) static bool wrong(Reader *rd, Span at, DiagCode code, const char *fmt, ...) {
  char what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  rd->errors++;
  if (!rd->list) return diag_error(rd->doc.diags, at, code, "%s", what);
  return diag_error(rd->doc.diags, at, code, "%s[%zu] \"%s\": %s", rd->list, rd->index, rd->name, what);
}

/* Warns about members that no one reads. */
static void known_keys(Reader *rd, const json_t *object, const char *const *keys, size_t n) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    size_t k = 0;
    while (k < n && strcmp(keys[k], key)) k++;
    if (k < n || rd->warnings++ >= MAX_ERRORS) continue;
    diag_warning(rd->doc.diags, json_doc_span(&rd->doc, object), W_UNKNOWN_ATTRIBUTE, "\"%s\" is not known here", key);
  }
}

static bool add_axis(Reader *rd, Mesh *m, const json_t *at, const char *name, const json_t *size) {
  if (!json_is_integer(size) || json_integer_value(size) < 1)
    return WRONG(rd, at, E_MESH, "the size of axis \"%s\" must be a positive integer", name);
  if (json_integer_value(size) > MAX_DEVICES)
    return WRONG(rd, at, E_MESH, "the size of axis \"%s\" is more than %d", name, MAX_DEVICES);
  if (m->n_axes == MAX_AXES) return WRONG(rd, at, E_MESH, "the mesh has more than %d axes", MAX_AXES);
  Sym s = sym(name);
  for (uint32_t k = 0; k < m->n_axes; k++)
    if (m->axes[k].name == s) return WRONG(rd, at, E_MESH, "axis \"%s\" is given twice", name);
  m->axes[m->n_axes++] = (Axis){s, json_integer_value(size)};
  m->n_devices *= json_integer_value(size);
  if (m->n_devices > MAX_DEVICES) return WRONG(rd, at, E_MESH, "the mesh has more than %d devices", MAX_DEVICES);
  return true;
}

static bool read_axes(Reader *rd, Mesh *m, const json_t *axes) {
  if (json_is_object(axes)) {
    const char *name;
    json_t *size;
    json_object_foreach((json_t *)axes, name, size) if (!add_axis(rd, m, axes, name, size)) return false;
    return true;
  }
  if (!json_is_array(axes)) return WRONG(rd, axes, E_MESH, "\"axes\" must be a list of [name, size]");
  for (size_t k = 0; k < json_array_size(axes); k++) {
    const json_t *a = json_array_get(axes, k), *name = json_array_get(a, 0);
    if (json_array_size(a) != 2 || !json_is_string(name))
      return WRONG(rd, axes, E_MESH, "an axis must be [name, size]");
    if (!add_axis(rd, m, a, json_string_value(name), json_array_get(a, 1))) return false;
  }
  return true;
}

static bool read_mesh(Reader *rd, const json_t *mesh) {
  static const char *const keys[] = {"axes", "device_order"};
  Mesh *m = &rd->r->mesh;
  if (!json_is_object(mesh)) return WRONG(rd, rd->doc.root, E_MESH, "\"mesh\" must be an object");
  known_keys(rd, mesh, keys, 2);
  const json_t *axes = json_doc_get(mesh, "axes"), *order = json_doc_get(mesh, "device_order");
  m->axes = ARENA_ARRAY(&rd->r->arena, Axis, MAX_AXES);
  m->n_devices = 1;
  if (!axes) return WRONG(rd, mesh, E_MESH, "the mesh has no \"axes\"");
  if (!read_axes(rd, m, axes)) return false;
  m->device_order = ARENA_ARRAY(&rd->r->arena, int64_t, m->n_devices);
  for (int64_t k = 0; k < m->n_devices; k++) m->device_order[k] = k;
  if (!order) return true;
  if ((int64_t)json_array_size(order) != m->n_devices)
    return WRONG(rd, order, E_MESH, "\"device_order\" must list %lld devices", (long long)m->n_devices);
  bool *seen = ARENA_ARRAY(&rd->r->arena, bool, m->n_devices);
  for (int64_t k = 0; k < m->n_devices; k++) {
    const json_t *d = json_array_get(order, (size_t)k);
    int64_t v = json_is_integer(d) ? json_integer_value(d) : -1;
    if (v < 0 || v >= m->n_devices || seen[v])
      return WRONG(rd, order, E_MESH, "\"device_order\" is no order of the devices 0 .. %lld",
                   (long long)m->n_devices - 1);
    seen[v] = true;
    m->device_order[k] = v;
  }
  return true;
}

/* A list of axis names into `out`; `used` has those already met. */
static bool read_axis_list(Reader *rd, const json_t *list, uint32_t *out, uint8_t *n, uint64_t *used) {
  const Mesh *m = &rd->r->mesh;
  *n = 0;
  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *name = json_array_get(list, k);
    if (!json_is_string(name)) return WRONG(rd, list, E_RELATION, "an axis must be a string");
    Sym s = sym(json_string_value(name));
    uint32_t a = 0;
    while (a < m->n_axes && m->axes[a].name != s) a++;
    if (a == m->n_axes) return WRONG(rd, name, E_AXIS, "the mesh has no axis \"%s\"", sym_text(s));
    if (*used >> a & 1) return WRONG(rd, name, E_RELATION, "axis \"%s\" is used twice", sym_text(s));
    *used |= UINT64_C(1) << a;
    out[(*n)++] = a;
  }
  return true;
}

static bool read_layout(Reader *rd, const json_t *entry, Layout *l) {
  const json_t *spec = json_doc_get(entry, "spec"), *partial = json_doc_get(entry, "partial");
  Arena *a = &rd->r->arena;
  uint64_t used = 0;
  if (!json_is_array(spec) || json_array_size(spec) > 64)
    return WRONG(rd, spec ? spec : entry, E_RELATION, "\"spec\" must be a list of lists of axes, one per dimension");
  if (partial && !json_is_array(partial)) return WRONG(rd, entry, E_RELATION, "\"partial\" must be a list of axes");
  l->rank = (uint8_t)json_array_size(spec);
  l->dims = arena_alloc(a, l->rank * sizeof *l->dims);
  for (size_t d = 0; d < l->rank; d++) {
    const json_t *axes = json_array_get(spec, d);
    if (!json_is_array(axes))
      return WRONG(rd, spec, E_RELATION, "\"spec\" must be a list of lists of axes, one per dimension");
    l->dims[d].axes = ARENA_ARRAY(a, uint32_t, rd->r->mesh.n_axes);
    if (!read_axis_list(rd, axes, l->dims[d].axes, &l->dims[d].n, &used)) return false;
  }
  l->partial = ARENA_ARRAY(a, uint32_t, rd->r->mesh.n_axes);
  return read_axis_list(rd, partial, l->partial, &l->n_partial, &used);
}

const char *relation_blocks(const json_t *blocks, Arena *a, Blocks *out) {
  const json_t *dim = json_doc_get(blocks, "dim"), *order = json_doc_get(blocks, "order");
  int64_t d = json_is_integer(dim) ? json_integer_value(dim) : -1;
  size_t n = json_array_size(order);
  if (d < 0 || d >= 64 || !n || n > MAX_BLOCKS) return "\"blocks\" needs a \"dim\" and an \"order\" of equal blocks of it";
  int64_t *at = ARENA_ARRAY(a, int64_t, n);
  bool *seen = ARENA_ARRAY(a, bool, n);
  for (size_t k = 0; k < n; k++) {
    const json_t *v = json_array_get(order, k);
    at[k] = json_is_integer(v) ? json_integer_value(v) : -1;
    if (at[k] < 0 || (size_t)at[k] >= n || seen[at[k]])
      return arena_printf(a, "\"order\" is no order of the blocks 0 .. %zu", n - 1);
    seen[at[k]] = true;
  }
  *out = (Blocks){(uint32_t)d, (uint32_t)n, at};
  return NULL;
}

/* One end of a range; null is no bound. */
static bool read_bound(Reader *rd, const json_t *range, size_t k, bool *has, Rat *out) {
  const json_t *v = json_array_get(range, k);
  if (json_is_null(v)) return true;
  if (!json_doc_rat(v, out)) return WRONG(rd, range, E_RELATION, "\"range\" must be two numbers, or null");
  return *has = true;
}

static bool read_assume(Reader *rd, const json_t *assume, DType dtype, Related *out) {
  static const char *const keys[] = {"range"};
  const json_t *range = json_doc_get(assume, "range");
  if (!json_is_object(assume)) return WRONG(rd, assume, E_RELATION, "\"assume\" must be an object");
  known_keys(rd, assume, keys, 1);
  if (!range) return true;
  if (json_array_size(range) != 2) return WRONG(rd, range, E_RELATION, "\"range\" must be two numbers, or null");
  if (!read_bound(rd, range, 0, &out->has_lo, &out->lo) || !read_bound(rd, range, 1, &out->has_hi, &out->hi))
    return false;
  bool whole = dtype_is_int(dtype) || dtype_kind(dtype) == DK_BOOL;
  if (whole && ((out->has_lo && !rat_is_int(out->lo)) || (out->has_hi && !rat_is_int(out->hi))))
    return WRONG(rd, range, E_RELATION, "the range of integers must be integers");
  if (whole && out->has_hi) out->hi = rat_sub(out->hi, RAT_1);
  if (out->has_lo && out->has_hi && rat_cmp(out->lo, out->hi) > 0)
    return WRONG(rd, range, E_RELATION, "the range is empty");
  return true;
}

static bool read_number(Reader *rd, const json_t *entry, const char *key, int64_t *out) {
  const json_t *v = json_doc_get(entry, key);
  *out = json_is_integer(v) ? json_integer_value(v) : -1;
  if (*out >= 0) return true;
  return WRONG(rd, entry, E_RELATION, "\"%s\" must be the number of a %s", key,
               *rd->list == 'i' ? "parameter" : "result");
}

/* A shape of the file, if there is one: of the rank of the layout. */
static bool read_shape(Reader *rd, const json_t *entry, const char *key, const Layout *l, const int64_t **out) {
  const json_t *shape = json_doc_get(entry, key);
  if (!shape) return true;
  if (!json_is_array(shape) || json_array_size(shape) != l->rank)
    return WRONG(rd, shape, E_RELATION, "\"%s\" must have as many dimensions as \"spec\"", key);
  int64_t *dims = ARENA_ARRAY(&rd->r->arena, int64_t, l->rank);
  for (uint32_t d = 0; d < l->rank; d++) {
    const json_t *v = json_array_get(shape, d);
    if (!json_is_integer(v) || json_integer_value(v) < 0)
      return WRONG(rd, shape, E_RELATION, "\"%s\" must be a list of sizes", key);
    dims[d] = json_integer_value(v);
  }
  *out = dims;
  return true;
}

static bool read_entry(Reader *rd, const json_t *entry, Related *out) {
  static const char *const keys[] = {"name", "seq", "dist", "dtype", "seq_shape", "dist_shape", "spec", "partial",
                                     "scale", "assume", "blocks"};
  const json_t *name = json_doc_get(entry, "name"), *dtype = json_doc_get(entry, "dtype");
  const json_t *scale = json_doc_get(entry, "scale"), *assume = json_doc_get(entry, "assume");
  const json_t *blocks = json_doc_get(entry, "blocks");
  rd->name = json_is_string(name) ? json_string_value(name) : "?";
  if (!json_is_object(entry)) return WRONG(rd, entry, E_RELATION, "an entry must be an object");
  known_keys(rd, entry, keys, sizeof keys / sizeof *keys);
  if (name && !json_is_string(name)) return WRONG(rd, name, E_RELATION, "\"name\" must be a text");
  *out = (Related){.name = json_is_string(name) ? sym(rd->name) : 0, .span = out->span, .scale = 1};
  DType t = DT_F32;
  const char *text = json_string_value(dtype);
  if (dtype && (!text || !dtype_parse(text, strlen(text), &t)))
    return WRONG(rd, entry, E_RELATION, "\"dtype\" is no element type");
  if (!dtype && assume) return WRONG(rd, entry, E_RELATION, "an entry with \"assume\" must have a \"dtype\"");
  if (!read_number(rd, entry, "seq", &out->seq) || !read_number(rd, entry, "dist", &out->dist)) return false;
  if (!read_layout(rd, entry, &out->layout)) return false;
  if (!read_shape(rd, entry, "seq_shape", &out->layout, &out->seq_shape) ||
      !read_shape(rd, entry, "dist_shape", &out->layout, &out->dist_shape))
    return false;
  out->typed = dtype != NULL;
  out->dtype = t;
  if (scale && !json_is_number(scale)) return WRONG(rd, entry, E_RELATION, "\"scale\" must be a number");
  if (scale) out->scale = json_number_value(scale);
  const char *not_blocks = blocks ? relation_blocks(blocks, &rd->r->arena, &out->blocks) : NULL;
  if (not_blocks) return WRONG(rd, blocks, E_RELATION, "%s", not_blocks);
  return !assume || read_assume(rd, assume, t, out);
}

static bool read_list(Reader *rd, const char *key, Related **out, uint32_t *n) {
  const json_t *list = json_doc_get(rd->doc.root, key);
  rd->list = NULL;
  if (!json_is_array(list)) return WRONG(rd, list ? list : rd->doc.root, E_RELATION, "\"%s\" must be a list", key);
  size_t len = json_array_size(list);
  if (*key == 'i') rd->r->span = json_doc_span(&rd->doc, list);
  *out = ARENA_ARRAY(&rd->r->arena, Related, len);
  Span *places = ARENA_ARRAY(&rd->r->arena, Span, len);
  json_doc_elements(&rd->doc, list, places);
  rd->list = key;
  for (size_t k = 0; k < len && rd->errors < MAX_ERRORS; k++) {
    rd->index = k;
    (*out)[k].span = places[k];
    read_entry(rd, json_array_get(list, k), &(*out)[k]);
  }
  *n = (uint32_t)len;
  rd->list = NULL;
  return !rd->errors;
}

Relation *relation_read(Diags *diags, uint32_t source) {
  static const char *const keys[] = {"mesh", "inputs", "outputs"};
  Reader rd = {0};
  if (!json_doc_read(&rd.doc, diags, source)) return NULL;
  rd.r = xcalloc(1, sizeof *rd.r);
  bool ok = json_is_object(rd.doc.root) || WRONG(&rd, rd.doc.root, E_RELATION, "a relation must be an object");
  if (ok && json_object_get(rd.doc.root, "graphs"))
    ok = WRONG(&rd, rd.doc.root, E_RELATION, "this is a graph, not a relation");
  if (ok) known_keys(&rd, rd.doc.root, keys, 3);
  ok = ok && read_mesh(&rd, json_doc_get(rd.doc.root, "mesh"));
  ok = ok && read_list(&rd, "inputs", &rd.r->inputs, &rd.r->n_inputs);
  ok = ok && read_list(&rd, "outputs", &rd.r->outputs, &rd.r->n_outputs);
  json_doc_free(&rd.doc);
  if (ok) return rd.r;
  relation_free(rd.r);
  return NULL;
}
