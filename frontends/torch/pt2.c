/* pt2: see pt2.h.  Every list is written in the order of the archive; what is not understood is an error. */
#include "frontends/torch/pt2.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/torch/pt2_archive.h"
#include "frontends/torch/pt2_inplace.h"
#include "frontends/torch/pt2_sizes.h"

enum { MAX_ERRORS = 20 };

typedef struct Pt2 {
  Diags *diags;
  uint32_t source;
  Pt2Archive archive;
  json_t *model, *graph, *config; /* of constants */
  json_t *names;                  /* tensor name -> reference {"t", "i"} */
  OpenSizes *sizes;               /* of symbols */
  const char *reported;           /* the symbol without a number that was reported, or NULL */
  Arena arena;
  unsigned errors;
} Pt2;

__attribute__((format(printf, 3, 4))) static json_t *wrong(Pt2 *p, DiagCode code, const char *fmt, ...) {
  char what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  const char *path = sources_get(diags_sources(p->diags), p->source)->path; /* its bytes are no text to show */
  if (p->errors++ < MAX_ERRORS) diag_error(p->diags, (Span){0, 0, 0}, code, "%s: %s", path, what);
  return NULL;
}

static const char *text_of(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static const char *dtype_of(const json_t *number) {
  static const char *const names[] = {NULL,  "u8",  "i8", "i16", "i32", "i64",  "f16",
                                      "f32", "f64", NULL, "c64", NULL,  "bool", "bf16"};
  json_int_t k = json_is_integer(number) ? json_integer_value(number) : -1;
  return k >= 0 && k < (json_int_t)(sizeof names / sizeof *names) ? names[k] : NULL;
}

/* A number at the sizes chosen: {"as_int"}, {"as_float"}, or {"as_expr"}, an expression of symbols.  `whole`: an
 * integer. */
static json_t *number_of(Pt2 *p, const json_t *given, const char *of, bool whole) {
  json_t *n = json_object_get(given, whole ? "as_int" : "as_float");
  const char *text = text_of(json_object_get(given, "as_expr"), "expr_str"), *missing = NULL;
  int64_t i;
  Rat r;
  if (json_is_number(n)) return json_incref(n);
  if (!*text) return wrong(p, E_GRAPH_SYNTAX, "the size of '%s' is malformed", of);
  if (pt2_size_value(text, p->sizes, &r, &missing, &p->arena)) {
    if (!whole) return json_real(rat_to_double(r));
    return rat_to_int(r, &i) ? json_integer(i) : wrong(p, E_SHAPE, "the size of '%s' is no integer at these sizes", of);
  }
  if (!missing) return wrong(p, E_UNSUPPORTED, "the size of '%s' is not read: %.160s", of, text);
  if (p->reported) return p->errors++, NULL; /* all that follows has the same reason */
  p->reported = missing;
  wrong(p, E_SHAPE, "the size of '%s' is open: %s has no number", of, missing);
  if (*missing == 'u') diag_hint(p->diags, "%s is computed from data; what it counts must have a fixed size", missing);
  else diag_hint(p->diags, "choose one: --sizes=%s=4", missing);
  return NULL;
}

/* {"dtype", "shape"} of a TensorMeta. */
static json_t *type_of(Pt2 *p, const json_t *meta, const char *name) {
  const char *dtype = dtype_of(json_object_get(meta, "dtype"));
  if (!dtype) return wrong(p, E_UNSUPPORTED, "'%s' has a type that is not read", name);
  json_t *shape = json_array();
  size_t k;
  json_t *size;
  json_array_foreach(json_object_get(meta, "sizes"), k, size) {
    json_t *n = number_of(p, size, name, true);
    if (!n || json_array_append_new(shape, n)) {
      json_decref(shape);
      return NULL;
    }
  }
  return json_pack("{ss so}", "dtype", dtype, "shape", shape);
}

static json_t *type_of_name(Pt2 *p, const char *name) {
  json_t *meta = json_object_get(json_object_get(p->graph, "tensor_values"), name);
  return meta ? type_of(p, meta, name) : wrong(p, E_GRAPH_NAME, "no type is given for '%s'", name);
}

/* ---- arguments */
static json_t *reference(Pt2 *p, const json_t *tensor) {
  json_t *r = json_object_get(p->names, text_of(tensor, "name"));
  return r ? json_deep_copy(r) : wrong(p, E_GRAPH_NAME, "there is no tensor '%s'", text_of(tensor, "name"));
}

static json_t *number(Pt2 *p, const json_t *x) {
  static const char *const special[][2] = {{"Infinity", "inf"}, {"-Infinity", "-inf"}, {"NaN", "nan"}};
  for (size_t k = 0; json_is_string(x) && k < 3; k++)
    if (!strcmp(json_string_value(x), special[k][0])) return json_pack("{ss}", "float", special[k][1]);
  return json_is_number(x) ? json_deep_copy(x) : wrong(p, E_GRAPH_SYNTAX, "a number is malformed");
}

/* A number that the program computes from sizes: itself, or by name. */
static json_t *computed(Pt2 *p, const json_t *x, bool whole) {
  json_t *n = json_object_get(x, whole ? "as_int" : "as_float");
  const char *name = text_of(x, "as_name");
  if (n) return json_incref(n);
  return number_of(p, json_object_get(json_object_get(p->graph, whole ? "sym_int_values" : "sym_float_values"), name),
                   name, whole);
}

static json_t *argument(Pt2 *p, const char *kind, json_t *x);

static json_t *list(Pt2 *p, const char *kind, const json_t *elements) {
  json_t *out = json_array(), *e;
  size_t k;
  json_array_foreach(elements, k, e) {
    const char *key = kind;
    json_t *value = e;
    if (!kind) key = json_object_iter_key(json_object_iter(e)), value = json_object_get(e, key ? key : "");
    json_t *made = key ? argument(p, key, value) : wrong(p, E_GRAPH_SYNTAX, "an element of a list is malformed");
    if (!made || json_array_append_new(out, made)) {
      json_decref(out);
      return NULL;
    }
  }
  return out;
}

static json_t *argument(Pt2 *p, const char *kind, json_t *x) {
  static const char *const lists[][2] = {{"as_tensors", "as_tensor"},      {"as_ints", "as_int"},
                                         {"as_floats", "as_float"},        {"as_bools", "as_bool"},
                                         {"as_strings", "as_string"},      {"as_sym_ints", "as_sym_int"},
                                         {"as_sym_floats", "as_sym_float"}};
  if (!strcmp(kind, "as_sym_int")) return computed(p, x, true);
  if (!strcmp(kind, "as_sym_float")) return computed(p, x, false);
  if (!strcmp(kind, "as_none")) return json_null();
  if (!strcmp(kind, "as_tensor")) return reference(p, x);
  if (!strcmp(kind, "as_float")) return number(p, x);
  if (!strcmp(kind, "as_int") && json_is_integer(x)) return json_incref(x);
  if (!strcmp(kind, "as_bool") && json_is_boolean(x)) return json_incref(x);
  if (!strcmp(kind, "as_string") && json_is_string(x)) return json_incref(x);
  if (!strcmp(kind, "as_scalar_type"))
    return dtype_of(x) ? json_pack("{ss}", "dtype", dtype_of(x)) : wrong(p, E_UNSUPPORTED, "a type is not read");
  if (!strcmp(kind, "as_optional_tensors")) return list(p, NULL, x);
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    if (!strcmp(kind, lists[k][0])) return list(p, lists[k][1], x);
  return wrong(p, E_UNSUPPORTED, "an argument of kind '%s' is not read", kind);
}

/* Only of memory: no part of what is computed. */
static bool of_memory(const char *name, const char *kind) {
  return !strcmp(kind, "as_device") || !strcmp(kind, "as_layout") || !strcmp(kind, "as_memory_format") ||
         !strcmp(name, "pin_memory") || !strcmp(name, "non_blocking") || !strcmp(name, "device") ||
         !strcmp(name, "layout") || !strcmp(name, "memory_format");
}

/* An operator of PyTorch's own: parameters are known by their place. */
static bool of_pytorch(const char *op) {
  return !strncmp(op, "aten.", 5) || !strncmp(op, "prims.", 6) || !strncmp(op, "_c10d", 5) || !strncmp(op, "c10d", 4);
}

static bool arguments(Pt2 *p, const json_t *node, json_t *args, json_t *kwargs) {
  size_t k;
  json_t *in;
  bool by_name = !of_pytorch(text_of(node, "target") + strlen("torch.ops."));
  json_array_foreach(json_object_get(node, "inputs"), k, in) {
    json_t *arg = json_object_get(in, "arg"), *value;
    const char *name = text_of(in, "name"), *kind = json_object_iter_key(json_object_iter(arg));
    bool named = json_integer_value(json_object_get(in, "kind")) == 2;
    if (kind && *name && by_name && !strstr(kind, "tensor")) named = true;
    if (!kind) return wrong(p, E_GRAPH_SYNTAX, "an argument is malformed"), false;
    if (named && of_memory(name, kind)) continue;
    value = of_memory("", kind) ? json_null() : argument(p, kind, json_object_get(arg, kind));
    if (!value || (named ? json_object_set_new(kwargs, name, value) : json_array_append_new(args, value))) return false;
  }
  return true;
}

/* ---- nodes */
/* Results get their types, and their names stand for them: one, or each its number. */
static bool result(Pt2 *p, json_t *outs, const char *node, json_t *tensor, bool several) {
  const char *name = text_of(tensor, "name");
  json_t *type = type_of_name(p, name), *ref;
  if (!type) return false;
  ref = several ? json_pack("{sssi}", "t", node, "i", (int)json_array_size(outs)) : json_pack("{ss}", "t", node);
  if (json_object_get(p->names, name) || !ref) {
    json_decref(ref);
    json_decref(type);
    return wrong(p, E_GRAPH_NAME, "there are two tensors '%s'", name), false;
  }
  json_object_set_new(p->names, name, ref);
  return !json_array_append_new(outs, type);
}

/* A result that is a number: what reads it has its value. */
static bool is_number(const json_t *out) {
  static const char *const kinds[] = {"as_sym_int", "as_sym_float", "as_sym_bool", "as_int", "as_float", "as_bool"};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (json_object_get(out, kinds[k])) return true;
  return false;
}

/* Nothing is computed that the graph needs: a number of sizes, or a check that sizes and values are as assumed. */
static bool makes_nothing(const json_t *node) {
  static const char *const checks[] = {"_assert_scalar", "_assert_async", "_assert_tensor_metadata",
                                       "sym_constrain_range"};
  const json_t *outs = json_object_get(node, "outputs"), *out;
  const char *target = text_of(node, "target");
  size_t i;
  json_array_foreach(outs, i, out) if (!is_number(out)) return false;
  if (json_array_size(outs)) return true;
  for (size_t k = 0; k < sizeof checks / sizeof *checks; k++)
    if (!strncmp(target, "torch.ops.aten.", 15) && !strncmp(target + 15, checks[k], strlen(checks[k]))) return true;
  return false;
}

static bool results(Pt2 *p, const json_t *node, const char *name, json_t *outs) {
  const json_t *given = json_object_get(node, "outputs");
  size_t k, i;
  json_t *out, *t;
  json_array_foreach(given, k, out) {
    json_t *all = json_object_get(out, "as_tensors"), *one = json_object_get(out, "as_tensor");
    if (!all && !one && !json_object_get(out, "as_none") && !is_number(out))
      return wrong(p, E_UNSUPPORTED, "'%s' has a result that is no tensor", name), false;
    json_array_foreach(all, i, t) if (!result(p, outs, name, t, true)) return false;
    if (one && !result(p, outs, name, one, json_array_size(given) > 1)) return false;
    if (!all && !one) json_array_append_new(outs, json_null());
  }
  return true;
}

/* The innermost line of a stack that is not PyTorch's own; the module it runs in. */
static void place(const json_t *node, json_t *row) {
  const json_t *meta = json_object_get(node, "metadata");
  const char *s = text_of(meta, "stack_trace"), *stack = text_of(meta, "nn_module_stack"), *last = strrchr(stack, ';');
  char path[512], at[560] = "";
  int line;
  for (; (s = strstr(s, "File \"")); s++)
    if (sscanf(s, "File \"%511[^\"]\", line %d", path, &line) == 2 && !strstr(path, "/torch/"))
      snprintf(at, sizeof at, "%s:%d", path, line);
  if (*at) json_object_set_new(row, "at", json_string(at));
  const char *fqn = strchr(last ? last + 1 : stack, ',');
  size_t n = fqn ? strcspn(fqn + 1, ",") : 0;
  if (n) json_object_set_new(row, "module", json_stringn(fqn + 1, n));
}

static json_t *node_row(Pt2 *p, const json_t *node, size_t k) {
  const char *target = text_of(node, "target"), *given = text_of(node, "name");
  char name[300];
  snprintf(name, sizeof name, *given ? "%.290s" : "%snode%zu", given, k);
  if (strncmp(target, "torch.ops.", 10) || !strncmp(target, "torch.ops.higher_order.", 23))
    return wrong(p, E_UNSUPPORTED, "'%s' is no operator that is read: %.100s", name, target);
  json_t *args = json_array(), *kwargs = json_object(), *outs = json_array();
  bool ok = arguments(p, node, args, kwargs) && results(p, node, name, outs);
  json_t *row =
      json_pack("{ss ss so so so}", "name", name, "op", target + 10, "args", args, "kwargs", kwargs, "outs", outs);
  if (ok) {
    place(node, row);
    return row;
  }
  json_decref(row);
  return NULL;
}

/* ---- inputs, outputs */
static json_t *constant_row(Pt2 *p, const char *name, const char *as) {
  json_t *entry = json_object_get(json_object_get(p->config, "config"), as);
  json_t *row = entry ? type_of(p, json_object_get(entry, "tensor_meta"), as) : NULL;
  if (!row) return p->errors ? NULL : wrong(p, E_ELIDED, "the values of constant '%s' are not in the archive", as);
  json_t *data = json_is_true(json_object_get(entry, "use_pickle"))
                     ? NULL
                     : pt2_values(&p->archive, text_of(entry, "path_name"), row, json_object_get(entry, "tensor_meta"));
  if (!data) {
    json_decref(row);
    return wrong(p, E_ELIDED, "the values of constant '%s' cannot be read", as);
  }
  json_object_set_new(row, "data", data);
  json_object_set_new(row, "name", json_string(name));
  return row;
}

/* A buffer that is in no checkpoint and is not written: its values are part of the program. */
static bool stays(const json_t *buffer, const json_t *output_specs) {
  bool same = json_is_false(json_object_get(buffer, "persistent"));
  size_t k;
  const json_t *x;
  json_array_foreach(output_specs, k, x)
    same = same && !json_equal(json_object_get(json_object_get(x, "buffer_mutation"), "buffer_name"),
                               json_object_get(buffer, "buffer_name"));
  return same;
}

static bool add_input(Pt2 *p, const json_t *spec, const json_t *output_specs, json_t *inputs, json_t *constants) {
  static const char *const kinds[][2] = {{"parameter", "parameter_name"}, {"buffer", "buffer_name"}};
  const json_t *user = json_object_get(spec, "user_input"), *constant = json_object_get(spec, "tensor_constant"), *held;
  const char *inside = NULL, *name = NULL;
  json_t *row;
  if (json_object_get(spec, "constant_input") || is_number(json_object_get(user, "arg"))) return true;
  if (user) inside = name = text_of(json_object_get(json_object_get(user, "arg"), "as_tensor"), "name");
  for (size_t k = 0; k < 2; k++)
    if ((held = json_object_get(spec, kinds[k][0])))
      inside = text_of(json_object_get(held, "arg"), "name"), name = text_of(held, kinds[k][1]);
  if (constant) inside = name = text_of(json_object_get(constant, "arg"), "name");
  if (!inside || !*inside || !*name) return wrong(p, E_UNSUPPORTED, "an input that is no tensor"), false;
  const char *kept = constant ? text_of(constant, "tensor_constant_name") : NULL;
  if (stays(json_object_get(spec, "buffer"), output_specs)) kept = name;
  row = kept ? constant_row(p, name, kept) : type_of_name(p, inside);
  if (!row) return false;
  json_object_set_new(row, "name", json_string(name));
  json_array_append_new(kept ? constants : inputs, row);
  json_object_set_new(p->names, inside, json_pack("{ss}", "t", name));
  return true;
}

static bool add_output(Pt2 *p, const json_t *spec, size_t k, size_t n, json_t *outputs, json_t *names) {
  const json_t *user = json_object_get(spec, "user_output"), *buffer = json_object_get(spec, "buffer_mutation");
  const json_t *input = json_object_get(spec, "user_input_mutation");
  char name[300];
  json_t *tensor = user ? json_object_get(json_object_get(user, "arg"), "as_tensor")
                        : json_object_get(buffer ? buffer : input, "arg");
  if (!tensor) return wrong(p, E_UNSUPPORTED, "output %zu is no tensor", k), false;
  if (buffer) snprintf(name, sizeof name, "new.%.280s", text_of(buffer, "buffer_name"));
  else if (input) snprintf(name, sizeof name, "new.%.280s", text_of(input, "user_input_name"));
  else snprintf(name, sizeof name, n == 1 ? "out" : "out[%zu]", k);
  json_t *ref = reference(p, tensor);
  return ref && !json_array_append_new(outputs, ref) && !json_array_append_new(names, json_string(name));
}

/* ---- the whole */
static void put(FILE *out, const char *before, json_t *value, const char *after) {
  char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
  fprintf(out, "%s%s%s", before, text ? text : "null", after);
  free(text);
}

static void put_rows(FILE *out, const char *before, const json_t *rows) {
  size_t k;
  json_t *row;
  fputs(before, out);
  json_array_foreach(rows, k, row) put(out, k ? ",\n " : "\n ", row, "");
  fputs("]", out);
}

static bool translate(Pt2 *p, FILE *out) {
  json_t *signature = json_object_get(json_object_get(p->model, "graph_module"), "signature"), *x;
  json_t *inputs = json_array(), *constants = json_array(), *nodes = json_array(), *outputs = json_array();
  json_t *names = json_array(), *specs = json_object_get(signature, "output_specs");
  size_t k, n = 0;
  bool ok = json_is_object(signature) && json_is_array(json_object_get(p->graph, "nodes"));
  if (!ok) wrong(p, E_GRAPH_SYNTAX, "the archive's model is malformed");
  json_array_foreach(json_object_get(signature, "input_specs"), k, x)
    ok = add_input(p, x, json_object_get(signature, "output_specs"), inputs, constants) && ok;
  json_array_foreach(json_object_get(p->graph, "nodes"), k, x) {
    if (makes_nothing(x)) continue;
    json_t *row = ok ? node_row(p, x, k) : NULL;
    ok = row && !json_array_append_new(nodes, row);
  }
  json_array_foreach(specs, k, x) n += json_object_get(x, "user_output") != NULL;
  json_array_foreach(specs, k, x) ok = ok && add_output(p, x, k, n, outputs, names);
  if (ok) {
    fputs(
        "{\"format\":\"tvr-graph\",\"version\":1,\"role\":\"seq\",\"mesh\":{\"axes\":[]},\"groups\":{},\"graphs\":[\n",
        out);
    put_rows(out, "{\"name\":\"seq\",\"coord\":{},\"inputs\":[", inputs);
    put_rows(out, ",\"constants\":[", constants);
    put_rows(out, ",\"nodes\":[", nodes);
    put(out, ",\n\"outputs\":", outputs, "");
    put(out, ",\"output_names\":", names, "}]}\n");
  }
  json_decref(inputs);
  json_decref(constants);
  json_decref(nodes);
  json_decref(outputs);
  json_decref(names);
  return ok;
}

bool pt2_is(const Source *source) { return source->len > 4 && !memcmp(source->text, "PK\3\4", 4); }

const char *pt2_open_sizes(const Source *source, Arena *a) {
  Pt2Archive archive = {0};
  const char *out = "";
  if (!pt2_open(&archive, source->text, source->len)) {
    json_t *model = pt2_json(&archive, "models/", ".json");
    out = pt2_size_conditions(model, a);
    json_decref(model);
  }
  pt2_close(&archive);
  return out;
}

uint32_t pt2_unpack(Sources *sources, Diags *diags, uint32_t source, OpenSizes *sizes) {
  const Source *s = sources_get(sources, source);
  Pt2 p = {.diags = diags, .source = source, .names = json_object(), .sizes = sizes};
  char *text = NULL;
  size_t len = 0;
  uint32_t id = 0;
  const char *why = pt2_open(&p.archive, s->text, s->len);
  if (why) {
    wrong(&p, E_GRAPH_SYNTAX, "%s", why);
  } else {
    p.model = pt2_json(&p.archive, "models/", ".json");
    p.config = pt2_json(&p.archive, "data/constants/", "_config.json");
    p.graph = json_object_get(json_object_get(p.model, "graph_module"), "graph");
    FILE *out = open_memstream(&text, &len);
    pt2_without_writes(p.graph);
    bool ok = p.graph && out ? translate(&p, out) : (wrong(&p, E_GRAPH_SYNTAX, "the archive has no model"), false);
    const char *beyond = ok ? pt2_size_beyond(p.model, sizes, &p.arena) : NULL;
    if (beyond) ok = wrong(&p, E_SHAPE, "%s", beyond);
    if (out) fclose(out);
    if (ok) id = sources_add(sources, s->path, text, len);
  }
  free(text);
  json_decref(p.model);
  json_decref(p.config);
  json_decref(p.names);
  pt2_close(&p.archive);
  arena_free(&p.arena);
  return id;
}
