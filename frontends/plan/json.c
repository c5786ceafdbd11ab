/* Plans in their neutral form, "tvr-plan" in JSON: SPEC.md. */
#include <stdio.h>
#include <string.h>

#include "frontends/plan/make.h"

bool plan_is_json(const Source *s) {
  static const char key[] = "\"format\"", value[] = "\"tvr-plan\"";
  const char *p = s->text + strspn(s->text, " \t\r\n");
  if (*p != '{') return false;
  p = strstr(p, key);
  if (!p || p - s->text > 4096) return false;
  p += sizeof key - 1;
  p += strspn(p, " \t\r\n:");
  return !strncmp(p, value, sizeof value - 1);
}

/* ---- values */
static Sym text_of(const json_t *object, const char *key) {
  const json_t *v = json_doc_get(object, key);
  return json_is_string(v) ? sym_n(json_string_value(v), json_string_length(v)) : 0;
}

static bool int_of(PlanMaker *m, const json_t *object, const char *key, int64_t *out) {
  const json_t *v = json_doc_get(object, key);
  *out = json_integer_value(v);
  return json_is_integer(v) || plan_error(m, E_GRAPH_SYNTAX, "\"%s\" must be an integer", key);
}

/* The place of a node, or null, which a reader finds in order later. */
static bool node_of(PlanMaker *m, const json_t *v, uint32_t *out) {
  *out = NO_PLAN;
  if (!v || json_is_null(v)) return true;
  if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) >= NO_PLAN)
    return plan_error(m, E_GRAPH_SYNTAX, "the number of a node is malformed");
  return *out = (uint32_t)json_integer_value(v), true;
}

static bool ints_of(PlanMaker *m, const json_t *v, const char *what, int64_t **out) {
  size_t n = json_array_size(v);
  *out = ARENA_ARRAY(&m->p->arena, int64_t, n);
  for (size_t k = 0; k < n; k++) {
    const json_t *i = json_array_get(v, k);
    if (!json_is_integer(i)) return plan_error(m, E_GRAPH_SYNTAX, "\"%s\" must be a list of integers", what);
    (*out)[k] = json_integer_value(i);
  }
  return json_is_array(v) || plan_error(m, E_GRAPH_SYNTAX, "\"%s\" must be a list of integers", what);
}

static bool sub_of(PlanMaker *m, const json_t *object, const char *key, uint32_t *out) {
  int64_t id;
  if (!int_of(m, object, key, &id)) return false;
  *out = plan_find_sub(m, id);
  return *out != NO_PLAN || plan_error(m, E_GRAPH_NAME, "tensor %lld is not declared", (long long)id);
}

/* ---- arguments */
static bool read_special(PlanMaker *m, const json_t *v, PlanArg *out) {
  const char *s = json_string_value(json_doc_get(v, "float"));
  bool inf = s && !strcmp(s, "inf"), minus = s && !strcmp(s, "-inf"), nan = s && !strcmp(s, "nan");
  if (!inf && !minus && !nan)
    return plan_error(m, E_GRAPH_SYNTAX, "\"float\" must be \"inf\", \"-inf\" or \"nan\"");
  return *out = (PlanArg){.kind = PA_FLOAT, .r = inf ? RAT_POS_INF : minus ? RAT_NEG_INF : RAT_NAN}, true;
}

static bool read_object(PlanMaker *m, const json_t *v, PlanArg *out) {
  if (json_doc_get(v, "t")) {
    out->kind = PA_TENSOR;
    out->grad = NO_PLAN;
    return sub_of(m, v, "t", &out->sub) && (!json_doc_get(v, "g") || sub_of(m, v, "g", &out->grad));
  }
  if (json_doc_get(v, "o")) return out->kind = PA_OBJECT, int_of(m, v, "o", &out->i);
  if (json_doc_get(v, "float")) return read_special(m, v, out);
  if (text_of(v, "global") && !json_array_size(json_doc_get(v, "args")))
    return out->kind = PA_STRING, out->s = text_of(v, "global"), true;
  return plan_error(m, E_UNSUPPORTED, "an argument that is not understood");
}

static bool read_list(PlanMaker *m, const json_t *v, int depth, PlanArg **out, uint32_t *n);

static bool read_arg(PlanMaker *m, const json_t *v, PlanArg *out, int depth) {
  switch (json_typeof(v)) {
    case JSON_NULL: return true;
    case JSON_TRUE:
    case JSON_FALSE: return *out = plan_int(json_is_true(v), true), true;
    case JSON_INTEGER: return *out = plan_int(json_integer_value(v), false), true;
    case JSON_REAL: return *out = plan_float(json_real_value(v)), true;
    case JSON_STRING: out->kind = PA_STRING, out->s = sym_n(json_string_value(v), json_string_length(v)); return true;
    case JSON_OBJECT: return read_object(m, v, out);
    case JSON_ARRAY: break;
  }
  if (depth == PLAN_MAX_DEPTH) return plan_error(m, E_NESTING, "lists are nested more than %d deep", depth);
  out->kind = PA_LIST;
  return read_list(m, v, depth + 1, &out->list, &out->n);
}

static bool read_list(PlanMaker *m, const json_t *v, int depth, PlanArg **out, uint32_t *n) {
  *n = (uint32_t)json_array_size(v);
  if (!(*out = plan_new_args(m, *n))) return false;
  for (uint32_t k = 0; k < *n; k++)
    if (!read_arg(m, json_array_get(v, k), &(*out)[k], depth)) return false;
  return true;
}

static bool read_args(PlanMaker *m, const json_t *node, const char *key, const PlanArg **out, uint32_t *n) {
  const json_t *v = json_doc_get(node, key);
  PlanArg *list = NULL;
  if (v && !json_is_array(v)) return plan_error(m, E_GRAPH_SYNTAX, "\"%s\" must be a list", key);
  bool ok = read_list(m, v, 0, &list, n);
  return *out = list, ok;
}

static bool read_kws(PlanMaker *m, const json_t *node, const PlanKw **out, uint32_t *n) {
  const json_t *kw = json_doc_get(node, "kw");
  const char *key;
  json_t *v;
  if (kw && !json_is_object(kw)) return plan_error(m, E_GRAPH_SYNTAX, "\"kw\" must be an object");
  PlanKw *list = ARENA_ARRAY(&m->p->arena, PlanKw, json_object_size(kw));
  *out = list;
  *n = 0;
  json_object_foreach((json_t *)kw, key, v) {
    list[*n] = (PlanKw){sym(key), {.kind = PA_NONE, .r = RAT_0}};
    if (!read_arg(m, v, &list[(*n)++].value, 0)) return false;
  }
  return true;
}

/* ---- tensors */
static bool read_full(PlanMaker *m, const json_t *v) {
  static const char *const kinds[] = {"param", "buffer", "activation", "grad"};
  PlanFull f = {.name = text_of(v, "name"), .grad = NO_PLAN};
  const char *dtype = json_string_value(json_doc_get(v, "dtype")), *kind = json_string_value(json_doc_get(v, "kind"));
  const json_t *shape = json_doc_get(v, "shape");
  int64_t *dims;
  uint32_t at;
  if (!int_of(m, v, "id", &f.id) || !ints_of(m, shape, "shape", &dims)) return false;
  if (json_array_size(shape) > PLAN_MAX_RANK)
    return plan_error(m, E_SIZE, "a tensor has more than %d dimensions", PLAN_MAX_RANK);
  f.rank = (uint8_t)json_array_size(shape);
  f.dims = dims;
  f.loss = json_is_true(json_doc_get(v, "loss"));
  f.of_param = json_is_true(json_doc_get(v, "of_param"));
  if (!dtype || !plan_dtype(dtype, &f.dtype))
    return plan_error(m, E_GRAPH_SYNTAX, "%s%s%s is no element type", dtype ? "'" : "", dtype ? dtype : "a value",
                      dtype ? "'" : "");
  while (f.kind < 4 && kind && strcmp(kinds[f.kind], kind)) f.kind++;
  if (!kind || f.kind == 4)
    return plan_error(m, E_GRAPH_SYNTAX, "\"kind\" must be param, buffer, activation or grad");
  return plan_add_full(m, f, &at);
}

/* Gradients of tensors are declared before or behind them. */
static bool read_gradient(PlanMaker *m, const json_t *v, PlanFull *f) {
  const json_t *grad = json_doc_get(v, "grad");
  int64_t id;
  if (!grad || json_is_null(grad)) return true;
  if (!int_of(m, v, "grad", &id)) return false;
  f->grad = plan_find_full(m, id);
  return f->grad != NO_PLAN || plan_error(m, E_GRAPH_NAME, "full tensor %lld is not declared", (long long)id);
}

static bool read_sub(PlanMaker *m, const json_t *v) {
  const json_t *ind = json_doc_get(v, "ind"), *val = json_doc_get(v, "val");
  size_t rank = json_array_size(ind);
  PlanSub s = {0};
  int64_t full, *pair, *start, *end;
  uint32_t at;
  if (!int_of(m, v, "id", &s.id) || !int_of(m, v, "full", &full)) return false;
  s.full = plan_find_full(m, full);
  if (s.full == NO_PLAN) return plan_error(m, E_GRAPH_NAME, "full tensor %lld is not declared", (long long)full);
  if (!json_is_array(ind)) return plan_error(m, E_GRAPH_SYNTAX, "\"ind\" must be a list of [start, end]");
  s.start = start = ARENA_ARRAY(&m->p->arena, int64_t, rank);
  s.end = end = ARENA_ARRAY(&m->p->arena, int64_t, rank);
  for (size_t k = 0; k < rank; k++) {
    const json_t *range = json_array_get(ind, k);
    if (!ints_of(m, range, "ind", &pair)) return false;
    if (json_array_size(range) != 2) return plan_error(m, E_GRAPH_SYNTAX, "\"ind\" must be a list of [start, end]");
    start[k] = pair[0];
    end[k] = pair[1];
  }
  if (!ints_of(m, val, "val", &pair)) return false;
  if (json_array_size(val) != 2) return plan_error(m, E_GRAPH_SYNTAX, "\"val\" must be [addend, number of addends]");
  s.addend = pair[0];
  s.n_addends = pair[1];
  return plan_add_sub(m, s, (uint32_t)rank, &at);
}

/* ---- nodes */
static bool read_prims(PlanMaker *m, const json_t *node, PlanNode *out) {
  const json_t *list = json_doc_get(node, "prims");
  if (!json_is_array(list)) return plan_error(m, E_GRAPH_SYNTAX, "an adapter needs the list \"prims\"");
  PlanPrim *prims = ARENA_ARRAY(&m->p->arena, PlanPrim, json_array_size(list));
  out->prims = prims;
  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *v = json_array_get(list, k);
    PlanPrim *p = &prims[out->n_prims++];
    p->op = text_of(v, "op");
    if (!p->op) return plan_error(m, E_GRAPH_SYNTAX, "a primitive needs \"op\"");
    if (!read_args(m, v, "in", &p->in, &p->n_in) || !read_args(m, v, "out", &p->out, &p->n_out) ||
        !read_kws(m, v, &p->kws, &p->n_kws))
      return false;
  }
  return true;
}

static bool read_inner(PlanMaker *m, const json_t *node, PlanNode *out) {
  const json_t *list = json_doc_get(node, "nodes");
  if (!json_is_array(list)) return plan_error(m, E_GRAPH_SYNTAX, "a segment needs the list \"nodes\"");
  uint32_t *nodes = ARENA_ARRAY(&m->p->arena, uint32_t, json_array_size(list));
  out->nodes = nodes;
  for (size_t k = 0; k < json_array_size(list); k++)
    if (!node_of(m, json_array_get(list, k), &nodes[out->n_nodes++])) return false;
  return true;
}

static bool read_flag(PlanMaker *m, const json_t *node, bool *out) {
  const json_t *v = json_doc_get(node, "fw");
  if (!json_is_boolean(v)) return plan_error(m, E_GRAPH_SYNTAX, "\"fw\" must be true or false");
  return *out = json_is_true(v), true;
}

static bool read_forward(PlanMaker *m, const json_t *v, PlanNode *n) {
  const json_t *src = json_doc_get(v, "src");
  n->op = text_of(v, "op");
  n->signature = text_of(v, "sig");
  n->at = text_of(src, "at");
  n->text = text_of(src, "text");
  plan_where(m, n->id, n->op);
  if (!n->signature) return plan_error(m, E_GRAPH_SYNTAX, "an operator needs \"sig\"");
  return read_kws(m, v, &n->kws, &n->n_kws);
}

static bool read_node(PlanMaker *m, const json_t *v, PlanNode *n, size_t k) {
  static const char *const kinds[] = {"fw", "bw", "adapter", "segment", "data", "reducer"};
  const char *kind = json_string_value(json_doc_get(v, "kind"));
  const json_t *number = json_doc_get(v, "n"), *dev = json_doc_get(v, "dev");
  int64_t *devices = NULL;
  m->at = v;
  m->where[0] = 0;
  *n = (PlanNode){.mirror = NO_PLAN};
  while (n->kind < 6 && kind && strcmp(kinds[n->kind], kind)) n->kind++;
  if (!kind || n->kind == 6)
    return plan_error(m, E_GRAPH_SYNTAX, "\"kind\" must be fw, bw, adapter, segment, data or reducer");
  if (number && json_integer_value(number) != (json_int_t)k)
    return plan_error(m, E_GRAPH_NAME, "\"n\" must be the place of the node in the list, %zu", k);
  if (!int_of(m, v, "cid", &n->id)) return false;
  plan_where(m, n->id, 0);
  bool ok = !dev || ints_of(m, dev, "dev", &devices);
  n->devices = devices;
  n->n_devices = (uint32_t)json_array_size(dev);
  if (ok && n->kind == PLAN_FORWARD) ok = read_forward(m, v, n);
  if (ok && n->kind != PLAN_ADAPTER) ok = node_of(m, json_doc_get(v, "mirror"), &n->mirror);
  ok = ok && read_args(m, v, "in", &n->in, &n->n_in) && read_args(m, v, "out", &n->out, &n->n_out);
  if (ok && (n->kind == PLAN_ADAPTER || n->kind == PLAN_SEGMENT)) ok = read_flag(m, v, &n->forward);
  if (ok && n->kind == PLAN_ADAPTER) ok = read_prims(m, v, n);
  if (ok && n->kind == PLAN_SEGMENT) ok = read_inner(m, v, n);
  m->where[0] = 0;
  return ok;
}

/* ---- programs */
static bool read_step(PlanMaker *m, const json_t *v, PlanStep *s) {
  const Plan *p = m->p;
  int64_t microbatch;
  m->at = v;
  if (!node_of(m, json_doc_get(v, "n"), &s->node) || !int_of(m, v, "mb", &microbatch)) return false;
  if (s->node >= p->nodes.len) return plan_error(m, E_GRAPH_NAME, "a step needs the number of a node as \"n\"");
  if (microbatch < 0 || microbatch >= p->n_microbatches)
    return plan_error(m, E_SIZE, "microbatch %lld of %u", (long long)microbatch, p->n_microbatches);
  const PlanNode *n = &p->nodes.at[s->node];
  *s = (PlanStep){s->node, (uint32_t)microbatch, n->n_in, n->n_out, n->in, n->out};
  return (!json_doc_get(v, "in") || read_args(m, v, "in", &s->in, &s->n_in)) &&
         (!json_doc_get(v, "out") || read_args(m, v, "out", &s->out, &s->n_out));
}

static bool read_programs(PlanMaker *m, const json_t *seq) {
  Plan *p = m->p;
  char key[24];
  m->at = seq;
  if (!json_is_object(seq) || json_object_size(seq) != (size_t)p->n_devices)
    return plan_error(m, E_MESH, "\"seq\" must have the steps of each of the %lld devices", (long long)p->n_devices);
  for (int64_t d = 0; d < p->n_devices; d++) {
    snprintf(key, sizeof key, "%lld", (long long)d);
    const json_t *list = json_doc_get(seq, key);
    m->at = seq;
    if (!json_is_array(list)) return plan_error(m, E_MESH, "\"seq\" has no steps of device %s", key);
    PlanStep *steps = ARENA_ARRAY(&p->arena, PlanStep, json_array_size(list));
    p->programs[d] = (PlanProgram){(uint32_t)json_array_size(list), steps};
    for (uint32_t k = 0; k < p->programs[d].n && m->errors < PLAN_MAX_ERRORS; k++)
      read_step(m, json_array_get(list, k), &steps[k]);
  }
  return !m->errors;
}

/* ---- the whole */
static void find_lines(const PlanMaker *m, const json_t *nodes) {
  Plan *p = m->p;
  Span *at = xcalloc(p->nodes.len + 1, sizeof *at);
  json_doc_elements(m->doc, nodes, at);
  const char *text = sources_get(diags_sources(p->diags), p->source)->text;
  uint32_t line = 1, seen = 0;
  for (size_t k = 0; k < p->nodes.len; k++) {
    for (; seen < at[k].lo; seen++) line += text[seen] == '\n';
    p->nodes.at[k].line = line;
  }
  free(at);
}

static bool read_tensors(PlanMaker *m, const json_t *root) {
  const json_t *fulls = json_doc_get(root, "full"), *subs = json_doc_get(root, "sub");
  if (!json_is_array(fulls) || !json_is_array(subs))
    return plan_error(m, E_GRAPH_SYNTAX, "a plan needs the lists \"full\" and \"sub\" of tensors");
  for (size_t k = 0; k < json_array_size(fulls) && m->errors < PLAN_MAX_ERRORS; k++)
    read_full(m, m->at = json_array_get(fulls, k));
  for (size_t k = 0; !m->errors && k < json_array_size(fulls); k++)
    read_gradient(m, m->at = json_array_get(fulls, k), &m->p->fulls.at[k]);
  for (size_t k = 0; !m->errors && k < json_array_size(subs); k++) read_sub(m, m->at = json_array_get(subs, k));
  return !m->errors;
}

static bool read_losses(PlanMaker *m, const json_t *list) {
  Plan *p = m->p;
  m->at = list;
  if (!json_is_array(list) || !read_list(m, list, 0, &p->losses, &p->n_microbatches))
    return m->errors ? false : plan_error(m, E_GRAPH_SYNTAX, "\"outputs\" must be the list of losses");
  for (uint32_t k = 0; k < p->n_microbatches; k++)
    if (p->losses[k].kind != PA_TENSOR) return plan_error(m, E_GRAPH_SYNTAX, "an output is not a tensor");
  return p->n_microbatches > 0 || plan_error(m, E_GRAPH_SYNTAX, "a plan has at least one output");
}

static bool read_plan(PlanMaker *m, const json_t *root) {
  const json_t *nodes = json_doc_get(root, "nodes");
  Plan *p = m->p;
  int64_t version, n_devices, n_runtime;
  m->at = root;
  if (!int_of(m, root, "version", &version)) return false;
  if (version != 1) return plan_error(m, E_UNSUPPORTED, "tvr-plan of version %lld", (long long)version);
  if (!int_of(m, root, "plan_devices", &n_devices) || !int_of(m, root, "runtime_devices", &n_runtime) ||
      !plan_set_devices(m, n_devices, n_runtime) || !read_tensors(m, root) ||
      !read_losses(m, json_doc_get(root, "outputs")))
    return false;
  m->at = root;
  if (!json_is_array(nodes)) return plan_error(m, E_GRAPH_SYNTAX, "a plan needs the list \"nodes\"");
  vec_reserve(&p->nodes, json_array_size(nodes));
  for (size_t k = 0; k < json_array_size(nodes) && m->errors < PLAN_MAX_ERRORS; k++) {
    vec_push(&p->nodes, (PlanNode){0});
    read_node(m, json_array_get(nodes, k), &vec_last(&p->nodes), k);
  }
  if (m->errors) return false;
  find_lines(m, nodes);
  return read_programs(m, json_doc_get(root, "seq"));
}

bool plan_read_json(Plan *p, Diags *diags, uint32_t source) {
  PlanMaker m;
  JsonDoc doc;
  plan_begin(&m, p, diags, source);
  if (json_doc_read(&doc, diags, source)) {
    m.doc = &doc;
    read_plan(&m, doc.root);
  } else {
    m.errors++;
  }
  bool ok = plan_end(&m);
  json_doc_free(&doc);
  return ok;
}
