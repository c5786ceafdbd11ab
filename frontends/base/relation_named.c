/* Relations by name, with a placement per mesh axis. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "eval/graph/blocks.h"
#include "frontends/base/averages.h"
#include "frontends/base/relation.h"
#include "frontends/json/json.h"

enum { MAX_ERRORS = 20, MAX_BLOCKS = 4096, MAX_RANK = 64 };

typedef struct Named {
  JsonDoc doc;
  Relation *r;
  const Graph *seq;
  Graph *dist;
  bool **covered;     /* by distributed input: devices on which it is related */
  uint32_t *entry_of; /* by distributed input: its entry + 1 */
  int64_t *times;     /* by distributed input: its mean is the sequential one, so many times its addends; 0: no entry yet */
  int64_t average;    /* of the entry being read: over how many devices the mean is taken */
  unsigned errors, warnings;
  const char *list, *name;
  const json_t *entry;
} Named;

__attribute__((format(printf, 3, 4))) static bool wrong(Named *n, DiagCode code, const char *fmt, ...) {
  char what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  n->errors++;
  Span at = json_doc_span(&n->doc, n->entry ? n->entry : n->doc.root);
  if (!n->list) return diag_error(n->doc.diags, at, code, "%s", what);
  return diag_error(n->doc.diags, at, code, "%s \"%s\": %s", n->list, n->name, what);
}

bool relation_is_named(Diags *diags, uint32_t source) {
  const char *text = sources_get(diags_sources(diags), source)->text;
  return json_has_key(text, "inputs") && !json_has_key(text, "mesh");
}

/* ---- names */
static int64_t find_input(const Graph *g, Sym name) {
  for (size_t k = 0; k < g->params.len; k++)
    if (g->params.at[k] != NO_NODE && g->nodes.at[g->params.at[k]].name == name) return (int64_t)k;
  return -1;
}

static int64_t find_output(const Graph *g, Sym name) {
  for (size_t k = 0; k < g->outputs.len; k++)
    if (g->outputs.at[k].name == name) return (int64_t)k;
  return -1;
}

static bool find(Named *n, bool input, const Graph *g, const char *key, Sym *name, int64_t *out) {
  const json_t *v = json_doc_get(n->entry, key);
  if (!json_is_string(v)) return wrong(n, E_RELATION, "\"%s\" must be a name", key);
  *name = sym(json_string_value(v));
  *out = input ? find_input(g, *name) : find_output(g, *name);
  return *out >= 0 ||
         wrong(n, E_RELATION_FIT, "%s has no %s '%s'", sym_text(g->path), input ? "input" : "output", sym_text(*name));
}

/* ---- placements */
static bool find_axis(Named *n, const char *name, uint32_t *out) {
  const Mesh *m = &n->r->mesh;
  for (*out = 0; name && *out < m->n_axes; ++*out)
    if (m->axes[*out].name == sym(name)) return true;
  wrong(n, E_AXIS, "the mesh has no axis \"%s\"", name ? name : "?");
  if (!m->n_axes) diag_hint(n->doc.diags, "the second program is the distributed one, and has no mesh: are they swapped?");
  return false;
}

/* Axes in the order in which they cut. */
static bool read_order(Named *n, uint32_t *order) {
  const Mesh *m = &n->r->mesh;
  const json_t *list = json_doc_get(n->entry, "order");
  uint64_t used = 0;
  for (uint32_t a = 0; a < m->n_axes; a++) order[a] = a;
  if (!list) return true;
  uint32_t len = 0;
  if (!json_is_array(list) || json_array_size(list) > m->n_axes)
    return wrong(n, E_RELATION, "\"order\" must list axes");
  for (size_t k = 0; k < json_array_size(list); k++) {
    uint32_t a;
    if (!find_axis(n, json_string_value(json_array_get(list, k)), &a)) return false;
    if (used >> a & 1) return wrong(n, E_RELATION, "\"order\" names an axis twice");
    used |= UINT64_C(1) << a;
    order[len++] = a;
  }
  for (uint32_t a = 0; a < m->n_axes; a++)
    if (!(used >> a & 1)) order[len++] = a;
  return true;
}

static bool place(Named *n, Layout *l, uint32_t axis, const char *text) {
  int d = -1, end = 0;
  if (!strcmp(text, "R")) return true;
  if (!strcmp(text, "P(sum)") || !strcmp(text, "P(avg)")) {
    if (text[2] == 'a') n->average *= n->r->mesh.axes[axis].size;
    return l->partial[l->n_partial++] = axis, true;
  }
  if (sscanf(text, "S(%d)%n", &d, &end) == 1 && end == (int)strlen(text) && d >= 0) {
    if (d >= l->rank) return wrong(n, E_RELATION, "the tensor has no dimension %d to cut", d);
    l->dims[d].axes[l->dims[d].n++] = axis;
    return true;
  }
  DiagCode code = !strncmp(text, "P(", 2) ? E_UNSUPPORTED : E_RELATION;
  return wrong(n, code, "placement \"%s\" is not read: R, S(dimension), P(sum) or P(avg)", text);
}

static bool read_placements(Named *n, uint8_t rank, Layout *l) {
  const Mesh *m = &n->r->mesh;
  Arena *a = &n->r->arena;
  const json_t *all = json_doc_get(n->entry, "placements");
  uint32_t *order = ARENA_ARRAY(a, uint32_t, m->n_axes);
  const char *name;
  json_t *v;
  uint32_t axis;
  *l = (Layout){
      .rank = rank, .dims = arena_alloc(a, rank * sizeof *l->dims), .partial = ARENA_ARRAY(a, uint32_t, m->n_axes)};
  for (uint32_t d = 0; d < rank; d++) l->dims[d].axes = ARENA_ARRAY(a, uint32_t, m->n_axes);
  if (!all && !m->n_axes) return true;
  if (!json_is_object(all)) return wrong(n, E_RELATION, "\"placements\" must be an object");
  json_object_foreach((json_t *)all, name, v) {
    if (!find_axis(n, name, &axis)) return false;
    if (!json_is_string(v)) return wrong(n, E_RELATION, "a placement must be a string");
  }
  if (!read_order(n, order)) return false;
  for (uint32_t k = 0; k < m->n_axes; k++) {
    v = json_doc_get(all, sym_text(m->axes[order[k]].name));
    if (v && !place(n, l, order[k], json_string_value(v))) return false;
  }
  return true;
}

/* ---- blocks, values */
static bool read_blocks(Named *n, const Node *whole, Blocks *out) {
  const json_t *b = json_doc_get(n->entry, "blocks");
  const char *why = b ? relation_blocks(b, &n->r->arena, out) : NULL;
  if (b && !why && (out->dim >= whole->rank || whole->dims[out->dim] % out->n))
    why = "\"blocks\" needs a \"dim\" and an \"order\" of equal blocks of it";
  return !why || wrong(n, E_RELATION, "%s", why);
}

/* Sizes on every device; NULL: they are equal. */
static const int64_t *sizes_of(const Graph *g, bool input, int64_t number) {
  if (input) return g->param_sizes ? g->param_sizes[number] : NULL;
  return g->output_sizes && number < g->n_output_sizes ? g->output_sizes[number] : NULL;
}

/* Rows of piece k of `size` rows over `parts`. */
static int64_t piece(int64_t size, int64_t parts, int64_t k) {
  int64_t most = (size + parts - 1) / parts, left = size - k * most;
  return left < 0 ? 0 : left < most ? left : most;
}

/* Whether every device that has it has the piece of a piece that the cuts of dimension `dim` leave it, the others being
 * cut evenly. */
static bool has_pieces(const Mesh *m, const Layout *l, uint32_t dim, const Node *whole, int64_t rows, const int64_t *sizes,
                       const bool *on) {
  int64_t *at = xcalloc(m->n_axes, sizeof *at);
  uint32_t last = l->dims[dim].axes[l->dims[dim].n - 1];
  bool ok = true;
  for (int64_t k = 0; k < m->n_devices && ok; k++) {
    mesh_coordinate(m, k, at);
    for (uint32_t d = 0; d < l->rank && ok && (!on || on[k]); d++) {
      int64_t parts = 1, has = sizes[k * l->rank + d];
      for (uint32_t i = 0; i < l->dims[d].n; i++) parts *= m->axes[l->dims[d].axes[i]].size;
      ok = d == dim ? has == piece(rows, m->axes[last].size, at[last]) : has * parts == whole->dims[d];
    }
  }
  free(at);
  return ok;
}

/* Of a dimension that several axes cut, the last one unevenly, each piece before that is padded. */
static void pad_pieces(const Mesh *m, const Node *whole, const Layout *l, const int64_t *sizes, const bool *on,
                       Blocks *out) {
  for (uint32_t d = 0; d < l->rank && !out->n; d++) {
    int64_t outer = 1, last = 1;
    for (uint32_t k = 0; k < l->dims[d].n; k++) outer *= last, last = m->axes[l->dims[d].axes[k]].size;
    int64_t rows = whole->dims[d] / outer, left = rows % last;
    if (outer > 1 && whole->dims[d] % outer == 0 && left && has_pieces(m, l, d, whole, rows, sizes, on))
      *out = (Blocks){.dim = d, .n = (uint32_t)outer, .padded = rows + last - left};
  }
}

static bool read_values(Named *n, const json_t *list, Related *out) {
  if (!json_is_array(list) || json_array_size(list) > MAX_BLOCKS)
    return wrong(n, E_RELATION, "\"or\" and \"values\" must be lists of numbers");
  Rat *v = ARENA_ARRAY(&n->r->arena, Rat, json_array_size(list));
  for (size_t k = 0; k < json_array_size(list); k++) {
    if (!json_doc_rat(json_array_get(list, k), &v[k]))
      return wrong(n, E_RELATION, "\"or\" and \"values\" must be lists of numbers");
  }
  out->also = v;
  out->n_also = (uint32_t)json_array_size(list);
  return true;
}

static bool read_assume(Named *n, DType dtype, Related *out) {
  const json_t *assume = json_doc_get(n->entry, "assume"), *range = json_doc_get(assume, "range");
  const json_t *other = json_doc_get(assume, "or"), *values = json_doc_get(assume, "values");
  if (!assume) return true;
  if (!json_is_object(assume)) return wrong(n, E_RELATION, "\"assume\" must be an object");
  bool whole = dtype_is_int(dtype) || dtype_kind(dtype) == DK_BOOL;
  if (range) {
    const json_t *lo = json_array_get(range, 0), *hi = json_array_get(range, 1);
    if (json_array_size(range) != 2) return wrong(n, E_RELATION, "\"range\" must be two numbers, or null");
    out->has_lo = json_doc_rat(lo, &out->lo);
    out->has_hi = json_doc_rat(hi, &out->hi);
    if ((!out->has_lo && !json_is_null(lo)) || (!out->has_hi && !json_is_null(hi)))
      return wrong(n, E_RELATION, "\"range\" must be two numbers, or null");
    if (whole && ((out->has_lo && !rat_is_int(out->lo)) || (out->has_hi && !rat_is_int(out->hi))))
      return wrong(n, E_RELATION, "the range of integers must be integers");
    if (whole && out->has_hi) out->hi = rat_sub(out->hi, RAT_1);
    if (out->has_lo && out->has_hi && rat_cmp(out->lo, out->hi) > 0) return wrong(n, E_RELATION, "the range is empty");
  }
  if (values && (range || other))
    return wrong(n, E_RELATION, "\"values\" says it all: no \"range\" or \"or\" beside it");
  out->only_also = values != NULL;
  return (!other || read_values(n, other, out)) && (!values || read_values(n, values, out));
}

/* ---- "on": devices that have it */
typedef struct On {
  bool *device; /* by device */
  bool all;
  uint32_t n_axes, *axes; /* in the order of the mesh */
  int64_t *place;         /* on each of them */
} On;

static bool read_on(Named *n, On *out) {
  const Mesh *m = &n->r->mesh;
  const json_t *on = json_doc_get(n->entry, "on");
  Arena *a = &n->r->arena;
  *out = (On){.device = ARENA_ARRAY(a, bool, m->n_devices), .axes = ARENA_ARRAY(a, uint32_t, m->n_axes)};
  out->place = ARENA_ARRAY(a, int64_t, m->n_axes);
  if (on && !json_is_object(on)) return wrong(n, E_RELATION, "\"on\" must be an object of axes");
  uint32_t axis;
  const char *name;
  json_t *v;
  json_object_foreach((json_t *)on, name, v) if (!find_axis(n, name, &axis)) return false;
  for (uint32_t k = 0; k < m->n_axes; k++) {
    if (!(v = json_doc_get(on, sym_text(m->axes[k].name)))) continue;
    if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) >= m->axes[k].size)
      return wrong(n, E_RELATION, "\"on\" must give a place on axis \"%s\"", sym_text(m->axes[k].name));
    out->axes[out->n_axes] = k;
    out->place[out->n_axes++] = json_integer_value(v);
  }
  int64_t *at = ARENA_ARRAY(a, int64_t, m->n_axes);
  out->all = true;
  for (int64_t d = 0; d < m->n_devices; d++) {
    mesh_coordinate(m, d, at);
    out->device[d] = true;
    for (uint32_t k = 0; k < out->n_axes; k++) out->device[d] &= at[out->axes[k]] == out->place[k];
    out->all &= out->device[d];
  }
  return true;
}

/* An input that not all ranks have may be anything on the others, so the relation may hold there too. */
static bool cover_input(Named *n, const On *on, const Related *r, bool *again) {
  const Mesh *m = &n->r->mesh;
  bool **c = &n->covered[r->dist];
  *again = *c != NULL;
  if (!*c) *c = ARENA_ARRAY(&n->r->arena, bool, m->n_devices);
  for (int64_t d = 0; d < m->n_devices; d++) {
    if (*again && (*c)[d] && on->device[d])
      return wrong(n, E_RELATION_FIT, "parameter '%s' is related twice",
                   sym_text(n->dist->nodes.at[n->dist->params.at[r->dist]].name));
    (*c)[d] |= on->device[d];
  }
  return true;
}

static bool check_covered(Named *n) {
  n->entry = NULL;
  for (size_t k = 0; k < n->dist->params.len; k++)
    for (int64_t d = 0; n->covered[k] && d < n->r->mesh.n_devices; d++)
      if (!n->covered[k][d] && (!n->dist->param_on || n->dist->param_on[k][d]))
        return wrong(n, E_RELATION_FIT, "input '%s' is not related on device %lld",
                     sym_text(n->dist->nodes.at[n->dist->params.at[k]].name), (long long)d);
  return true;
}

static bool same_values(const Related *a, const Related *b) {
  bool same = a->has_lo == b->has_lo && a->has_hi == b->has_hi && a->only_also == b->only_also && a->n_also == b->n_also;
  return same && (!a->has_lo || a->lo == b->lo) && (!a->has_hi || a->hi == b->hi) &&
         (!a->n_also || !memcmp(a->also, b->also, a->n_also * sizeof *a->also));
}

/* An output where it is: on the other devices too, the value at those places. */
static bool read_output(Named *n, const On *on, Related *r) {
  const Mesh *m = &n->r->mesh;
  for (int64_t d = 0; d < m->n_devices; d++)
    if (on->device[d] && n->dist->output_on && !n->dist->output_on[r->dist][d])
      return wrong(n, E_RELATION_FIT, "device %lld has no such output", (long long)d);
  if (on->all) return true;
  if (sizes_of(n->dist, false, r->dist) && !r->blocks.padded)
    return wrong(n, E_UNSUPPORTED, "an output of some devices only, with another size on some of them");
  int64_t source = 0;
  uint32_t size;
  for (uint32_t k = 0; k < on->n_axes; k++) source = source * m->axes[on->axes[k]].size + on->place[k];
  int64_t *devices = mesh_groups(m, on->axes, on->n_axes, &n->r->arena, &size);
  GraphOutput o = n->dist->outputs.at[r->dist];
  Node v = n->dist->nodes.at[o.node];
  Attr a[] = {{.name = sym("replica_groups"), .kind = ATTR_GROUPS, .i = size, .ints = devices,
               .n = (uint32_t)m->n_devices},
              {.name = sym("source"), .kind = ATTR_INT, .i = source}};
  o.node = graph_add(n->dist, &(Node){.op = sym("broadcast_from"), .name = v.name, .dtype = v.dtype, .rank = v.rank,
                                      .dims = v.dims,
                                      .args = &o.node, .n_args = 1, .attrs = a, .n_attrs = 2, .frames = v.frames,
                                          .line = v.line});
  r->dist = (int64_t)n->dist->outputs.len;
  vec_push(&n->dist->outputs, o);
  return true;
}

/* An output whose mean is the sequential one: a part of the mean is an addend. */
static bool average_output(Named *n, Related *r) {
  if (n->average == 1) return true;
  GraphOutput o = n->dist->outputs.at[r->dist];
  if (sizes_of(n->dist, false, r->dist) && !r->blocks.padded)
    return wrong(n, E_UNSUPPORTED, "a mean over devices that have pieces of other sizes");
  o.node = average_part(n->dist, o.node, n->average);
  r->dist = (int64_t)n->dist->outputs.len;
  r->divided = n->average;
  vec_push(&n->dist->outputs, o);
  return true;
}

/* ---- entries */
static void known_keys(Named *n) {
  static const char *const keys[] = {"seq", "dist", "placements", "order", "blocks", "on", "assume", "scale"};
  const char *key;
  json_t *v;
  json_object_foreach((json_t *)n->entry, key, v) {
    size_t k = 0;
    while (k < sizeof keys / sizeof *keys && strcmp(keys[k], key)) k++;
    if (k == sizeof keys / sizeof *keys && n->warnings++ < MAX_ERRORS)
      diag_warning(n->doc.diags, json_doc_span(&n->doc, n->entry), W_UNKNOWN_ATTRIBUTE, "\"%s\" is not known here",
                   key);
  }
}

/* `again`: the distributed input is related before, on other devices. */
static bool read_entry(Named *n, bool input, Related *out, bool *again) {
  Sym seq, dist;
  const json_t *label = json_doc_get(n->entry, "seq"), *scale = json_doc_get(n->entry, "scale");
  n->name = json_is_string(label) ? json_string_value(label) : "?";
  if (!json_is_object(n->entry)) return wrong(n, E_RELATION, "an entry must be an object");
  known_keys(n);
  *out = (Related){.scale = json_is_number(scale) ? json_number_value(scale) : 1, .span = out->span};
  if (!find(n, input, n->seq, "seq", &seq, &out->seq) || !find(n, input, n->dist, "dist", &dist, &out->dist))
    return false;
  out->name = seq;
  const Node *whole = &n->seq->nodes.at[input ? n->seq->params.at[out->seq] : n->seq->outputs.at[out->seq].node];
  On on;
  n->average = 1;
  if (!read_placements(n, whole->rank, &out->layout) || !read_blocks(n, whole, &out->blocks) ||
      !read_assume(n, (DType)whole->dtype, out)) return false;
  if (!read_on(n, &on)) return false;
  const Graph *g = n->dist;
  const int64_t *sizes = sizes_of(g, input, out->dist);
  const bool *const *here = input ? g->param_on : g->output_on;
  if (sizes) pad_pieces(&n->r->mesh, whole, &out->layout, sizes, here ? here[out->dist] : NULL, &out->blocks);
  if (n->average > 1 && !dtype_is_float((DType)whole->dtype))
    return wrong(n, E_UNSUPPORTED, "a mean of tensors that are no real numbers");
  if (!input) return read_output(n, &on, out) && average_output(n, out);
  if (n->times[out->dist] && n->times[out->dist] != n->average)
    return wrong(n, E_UNSUPPORTED, "an input that is related in another way on other ranks");
  n->times[out->dist] = n->average;
  return cover_input(n, &on, out, again);
}

static bool read_list(Named *n, const char *key, bool input, Related **out, uint32_t *len) {
  const json_t *list = json_doc_get(n->doc.root, key);
  n->list = NULL;
  n->entry = NULL;
  if (!json_is_array(list)) return wrong(n, E_RELATION, "\"%s\" must be a list", key);
  uint32_t size = (uint32_t)json_array_size(list);
  Related *all = *out = ARENA_ARRAY(&n->r->arena, Related, size);
  Span *places = ARENA_ARRAY(&n->r->arena, Span, size);
  json_doc_elements(&n->doc, list, places);
  n->list = input ? "input" : "output";
  *len = 0;
  for (uint32_t k = 0; k < size && n->errors < MAX_ERRORS; k++) {
    bool again = false;
    Related *r = &all[*len];
    n->entry = json_array_get(list, k);
    *r = (Related){.span = places[k]};
    if (!read_entry(n, input, r, &again)) continue;
    uint32_t *first = input ? &n->entry_of[r->dist] : NULL;
    if (!again) {
      ++*len;
      if (input) *first = *len;
    } else if (all[*first - 1].seq != r->seq || !layout_same(&all[*first - 1].layout, &r->layout) ||
               !blocks_same(&all[*first - 1].blocks, &r->blocks) || !same_values(&all[*first - 1], r)) {
      wrong(n, E_UNSUPPORTED, "an input that is related in another way on other ranks");
    }
  }
  return !n->errors;
}

Relation *relation_read_named(Diags *diags, uint32_t source, Graph **seq, Graph *dist) {
  Named n = {.seq = *seq, .dist = dist};
  if (!json_doc_read(&n.doc, diags, source)) return NULL;
  n.r = xcalloc(1, sizeof *n.r);
  n.covered = ARENA_ARRAY(&n.r->arena, bool *, dist->params.len);
  n.entry_of = ARENA_ARRAY(&n.r->arena, uint32_t, dist->params.len);
  n.times = ARENA_ARRAY(&n.r->arena, int64_t, dist->params.len);
  bool single = !dist->mesh && dist->n_devices <= 1;
  bool ok = dist->mesh || single ||
      wrong(&n, E_RELATION, "a relation by name needs a distributed graph whose file names the mesh");
  if (single) n.r->mesh = (Mesh){.n_devices = 1, .device_order = ARENA_ARRAY(&n.r->arena, int64_t, 1)};
  else if (ok) n.r->mesh = *mesh_copy(dist->mesh, &n.r->arena);
  ok = ok && read_list(&n, "inputs", true, &n.r->inputs, &n.r->n_inputs) && check_covered(&n);
  ok = ok && read_list(&n, "outputs", false, &n.r->outputs, &n.r->n_outputs);
  json_doc_free(&n.doc);
  Graph *g = ok ? blocks_apply(*seq, n.r, diags) : NULL;
  if (g && g != *seq) graph_free(*seq);
  if (g) {
    *seq = g;
    averages_apply(dist, n.times);
    return n.r;
  }
  relation_free(n.r);
  return NULL;
}
