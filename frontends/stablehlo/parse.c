/* StableHLO text to MlirModule: aliases, the module, functions, names and regions.
 *
 * Aliases of locations stand before and behind the module, so they are found first, line by line.  A name stands for
 * values up to the end of the region it is defined in: what it stood for before is put back then.  Regions nest to a
 * bounded depth. */
#include "frontends/stablehlo/parser.h"

const MlirType *reader_type(Reader *r) { return type_read(r->s, r->a, &r->m->types); }

bool reader_location(Reader *r, Text *where) {
  Scan *s = r->s;
  scan_space(s);
  *where = (Text){s->p, 0};
  if (strncmp(s->p, "loc(", 4)) return true;
  const char *lo = s->p + 4;
  s->p += 3;
  if (!text_skip(s)) return false;
  *where = (Text){lo, (uint32_t)(s->p - lo - 1)};
  return true;
}

uint32_t reader_value(Reader *r, const MlirType *t) {
  vec_push(&r->values, t);
  return (uint32_t)r->values.len - 1;
}

bool reader_name(Reader *r, Text *out) {
  Scan *s = r->s;
  scan_space(s);
  const char *lo = s->p;
  if (*lo != '%') return SCAN_ERROR(s, lo, *lo ? lo + 1 : lo, E_GRAPH_SYNTAX, "expected a value's name");
  const char *q = ++s->p;
  while (SCAN_IS(*q, SCAN_NAME) || *q == '$') q++;
  *out = (Text){s->p, (uint32_t)(q - s->p)};
  s->p = q;
  return out->len || SCAN_ERROR(s, lo, lo + 1, E_GRAPH_SYNTAX, "expected a value's name");
}

static Name *name_of(Reader *r, Sym name) {
  while (r->names.len <= name) vec_push(&r->names, (Name){0});
  return &r->names.at[name];
}

bool reader_bind(Reader *r, Text name, uint32_t value, uint32_t n) {
  Sym key = sym_n(name.at, name.len);
  Name *x = name_of(r, key);
  if (x->func == r->func)
    return SCAN_ERROR(r->s, name.at - 1, name.at + name.len, E_GRAPH_NAME, "%%%s is defined twice", sym_text(key));
  vec_push(&r->undo, (Undo){key, *x});
  *x = (Name){r->func, value, n};
  return true;
}

void reader_leave(Reader *r, size_t undo) {
  while (r->undo.len > undo) {
    Undo u = vec_pop(&r->undo);
    r->names.at[u.name] = u.old;
  }
}

bool reader_use(Reader *r) {
  Scan *s = r->s;
  Text name;
  int64_t k = 0;
  if (!reader_name(r, &name)) return false;
  Name *x = name_of(r, sym_n(name.at, name.len));
  bool part = *s->p == '#';
  if (part && (s->p++, !scan_int(s, &k))) return false;
  if (x->func != r->func || !r->func)
    return SCAN_ERROR(s, name.at - 1, name.at + name.len, E_GRAPH_NAME, "%%%.*s is not defined above its use",
                      (int)name.len, name.at);
  if (k < 0 || k >= x->n || (!part && x->n != 1))
    return SCAN_ERROR(s, name.at - 1, s->p, E_GRAPH_NAME, "%%%.*s stands for %u values", (int)name.len, name.at, x->n);
  vec_push(&r->args, x->value + (uint32_t)k);
  return true;
}

bool reader_params(Reader *r, uint32_t *first, uint32_t *n, bool of_function) {
  Scan *s = r->s;
  *first = (uint32_t)r->values.len;
  for (*n = 0; !scan_try(s, ')'); ++*n) {
    MlirParam p = {0};
    Text name;
    if (*n && !scan_expect(s, ',', "between parameters")) return false;
    if (!reader_name(r, &name) || !scan_expect(s, ':', "before the type of a parameter")) return false;
    const MlirType *t = reader_type(r);
    if (!t) return false;
    scan_space(s);
    p.attrs = (Text){s->p, 0};
    if (*s->p == '{' && !text_skip(s)) return false;
    p.attrs.len = (uint32_t)(s->p - p.attrs.at);
    if (!reader_location(r, &p.where) || !reader_bind(r, name, reader_value(r, t), 1)) return false;
    p.name = sym_n(name.at, name.len);
    if (of_function) vec_push(&r->params, p);
  }
  return true;
}

bool reader_dict(Reader *r) {
  Scan *s = r->s;
  if (!scan_expect(s, '{', "before attributes")) return false;
  for (bool first = true; !scan_try(s, '}'); first = false) {
    MlirAttr a = {0};
    if (!first && !scan_expect(s, ',', "between attributes")) return false;
    scan_space(s);
    if (*s->p == '"' ? !scan_string(s, &a.name) : !scan_name(s, &a.name, "the name of an attribute")) return false;
    a.value = (Text){a.name.at, 0};
    if (scan_try(s, '=') && !text_value(s, &a.value)) return false;
    if (a.value.len > 1 && *a.value.at == '#') { /* perhaps an alias */
      Sym key = sym_n(a.value.at + 1, a.value.len - 1);
      uint32_t k = key < r->m->alias_of.len ? r->m->alias_of.at[key] : 0;
      if (k) a.value = r->m->aliases.at[k - 1].value;
    }
    vec_push(&r->attrs, a);
  }
  return true;
}

static bool type_list(Reader *r, bool out) {
  Scan *s = r->s;
  bool parens = scan_try(s, '(');
  if (parens && scan_try(s, ')')) return true;
  do {
    const MlirType *t = reader_type(r);
    if (!t) return false;
    if (out) vec_push(&r->out, t);
    else vec_push(&r->in, t);
  } while (scan_try(s, ','));
  return !parens || scan_expect(s, ')', "behind a list of types");
}

bool reader_types(Reader *r) {
  Scan *s = r->s;
  vec_clear(&r->in);
  vec_clear(&r->out);
  r->arrow = false;
  if (!scan_try(s, ':')) return true;
  if (!type_list(r, false)) return false;
  scan_space(s);
  if (s->p[0] != '-' || s->p[1] != '>') return true;
  s->p += 2;
  r->arrow = true;
  return type_list(r, true);
}

bool reader_region(Reader *r, uint32_t param, uint32_t n_params) {
  Scan *s = r->s;
  MlirRegion region = {.param = param, .n_params = n_params};
  size_t ops = r->ops.len;
  if (!scan_expect(s, '{', "before a region")) return false;
  if (++r->depth > MAX_NESTING)
    return SCAN_ERROR(s, s->p - 1, s->p, E_NESTING, "regions are nested more than %d deep", MAX_NESTING);
  scan_space(s);
  bool of_function = r->depth == 1;
  if (*s->p == '^') {
    Text label;
    s->p++;
    if (!scan_name(s, &label, "the name of a block")) return false;
    uint32_t first = (uint32_t)r->values.len, n = 0;
    if (scan_try(s, '(') && !reader_params(r, &first, &n, of_function)) return false;
    if (n && n_params)
      return SCAN_ERROR(s, label.at, label.at + label.len, E_GRAPH_SYNTAX, "the region has parameters already");
    if (!n_params) region.param = first, region.n_params = n;
    if (!scan_expect(s, ':', "behind the head of a block")) return false;
  }
  while (!scan_try(s, '}')) {
    if (*s->p == '^') return SCAN_ERROR(s, s->p, s->p + 1, E_UNSUPPORTED, "regions of several blocks are not read");
    if (!*s->p) return scan_missing(s, '}', "behind a region");
    if (!reader_operator(r)) return false;
  }
  region.n_ops = (uint32_t)(r->ops.len - ops);
  region.ops = arena_copy(r->a, READER_FROM(r->ops, ops), region.n_ops * sizeof *region.ops);
  r->ops.len = ops;
  r->depth--;
  vec_push(&r->regions, region);
  return true;
}

/* ------------------------------------------------------------------ functions */

static bool add_function(Reader *r, MlirFunc *f) {
  MlirModule *m = r->m;
  f->n_values = (uint32_t)r->values.len;
  f->types = arena_copy(r->a, r->values.at, r->values.len * sizeof *r->values.at);
  f->params = arena_copy(r->a, r->params.at, r->params.len * sizeof *r->params.at);
  reader_leave(r, 0);
  while (m->func_of.len <= f->name) vec_push(&m->func_of, 0);
  if (m->func_of.at[f->name])
    return diag_error(m->scan.diags, scan_span(&m->scan, m->text + f->at, m->text + f->at + 1), E_GRAPH_NAME,
                      "function '%s' is defined twice", sym_text(f->name));
  vec_push(&m->funcs, *f);
  m->func_of.at[f->name] = (uint32_t)m->funcs.len;
  return true;
}

static void begin_function(Reader *r) {
  r->func++;
  r->depth = 0;
  vec_clear(&r->values);
  vec_clear(&r->params);
  vec_clear(&r->regions);
}

/* `-> t`, `-> (t {..}, t)`: the dictionaries. */
static bool results(Reader *r, MlirFunc *f) {
  Scan *s = r->s;
  scan_space(s);
  if (s->p[0] != '-' || s->p[1] != '>') return true;
  s->p += 2;
  Vec(Text) list = {0};
  vec_clear(&r->out);
  bool parens = scan_try(s, '('), ok = true;
  if (!parens || !scan_try(s, ')')) {
    do {
      const MlirType *t = reader_type(r);
      ok = t != NULL;
      vec_push(&r->out, t);
      scan_space(s);
      const char *lo = s->p;
      if (ok && parens && *lo == '{') ok = text_skip(s);
      vec_push(&list, (Text){lo, (uint32_t)(s->p - lo)});
    } while (ok && parens && scan_try(s, ','));
    ok = ok && (!parens || scan_expect(s, ')', "behind the results of a function"));
  }
  f->n_results = (uint32_t)list.len;
  f->results = arena_copy(r->a, list.at, list.len * sizeof *list.at);
  f->result_types = arena_copy(r->a, r->out.at, r->out.len * sizeof *r->out.at);
  vec_free(&list);
  return ok;
}

/* Behind `func.func`. */
static bool function(Reader *r) {
  Scan *s = r->s;
  Text name, where;
  begin_function(r);
  while (reader_word(r, "public") || reader_word(r, "private") || reader_word(r, "nested")) {}
  MlirFunc f = {.at = (uint32_t)(s->p - s->text)};
  if (!scan_expect(s, '@', "before the name of a function")) return false;
  if (*s->p == '"' ? !scan_string(s, &name) : !scan_name(s, &name, "the name of a function")) return false;
  f.name = sym_n(name.at, name.len);
  if (!scan_expect(s, '(', "before the parameters of a function")) return false;
  scan_space(s);
  f.declared = *s->p != '%' && *s->p != ')';
  if (f.declared) {
    s->p--;
    if (!text_skip(s)) return false;
  } else if (!reader_params(r, &f.body.param, &f.body.n_params, true)) {
    return false;
  }
  if (!results(r, &f)) return false;
  if (reader_word(r, "attributes")) {
    scan_space(s);
    if (!text_skip(s)) return false;
  }
  scan_space(s);
  f.declared |= *s->p != '{';
  if (!f.declared) {
    if (!reader_region(r, f.body.param, f.body.n_params)) return false;
    f.body = r->regions.at[0];
  }
  return reader_location(r, &where) && add_function(r, &f);
}

/* <["x"=2, "y"=4], device_ids=[0, 1, ..]> */
static bool mesh(Reader *r, Text name, const char *at) {
  MlirModule *m = r->m;
  Scan *s = r->s;
  const char *lo = s->p = at;
  if (!scan_expect(s, '<', "before a mesh") || !scan_expect(s, '[', "before the axes of a mesh")) return false;
  Axis axes[64];
  Mesh mesh = {.n_devices = 1};
  for (bool first = true; !scan_try(s, ']'); first = false) {
    Text axis;
    int64_t size;
    if (!first && !scan_expect(s, ',', "between axes")) return false;
    if (!scan_string(s, &axis) || !scan_expect(s, '=', "behind an axis") || !scan_int(s, &size)) return false;
    if (mesh.n_axes == 64 || size < 1 || __builtin_mul_overflow(mesh.n_devices, size, &mesh.n_devices) ||
        mesh.n_devices > MAX_DEVICES)
      return SCAN_ERROR(s, lo, s->p, E_MESH, "the mesh is too large, or an axis has no size");
    axes[mesh.n_axes++] = (Axis){sym_n(axis.at, axis.len), size};
  }
  mesh.axes = arena_copy(r->a, axes, mesh.n_axes * sizeof *axes);
  mesh.device_order = ARENA_ARRAY(r->a, int64_t, mesh.n_devices);
  for (int64_t d = 0; d < mesh.n_devices; d++) mesh.device_order[d] = d;
  if (scan_try(s, ',')) {
    if (!reader_word(r, "device_ids"))
      return SCAN_ERROR(s, s->p, *s->p ? s->p + 1 : s->p, E_GRAPH_SYNTAX, "expected 'device_ids' of a mesh");
    if (!scan_expect(s, '=', "behind device_ids")) return false;
    Text ids;
    const int64_t *order;
    uint32_t n;
    if (!text_value(s, &ids) || !dense_ints(m, ids, &order, &n, NULL)) return false;
    if (mesh.n_axes && n != mesh.n_devices)
      return SCAN_ERROR(s, ids.at, ids.at + ids.len, E_MESH, "the mesh has %lld devices", (long long)mesh.n_devices);
    memcpy(mesh.device_order, order, (mesh.n_axes ? n : 0) * sizeof *order);
    bool *seen = ARENA_ARRAY(r->a, bool, mesh.n_devices);
    for (int64_t k = 0; k < mesh.n_devices; k++) {
      int64_t d = mesh.device_order[k];
      if (d < 0 || d >= mesh.n_devices || seen[d])
        return SCAN_ERROR(s, ids.at, ids.at + ids.len, E_MESH, "device_ids are no order of the devices: %lld", (long long)d);
      seen[d] = true;
    }
  }
  if (!scan_expect(s, '>', "behind a mesh")) return false;
  vec_push(&m->meshes, (MlirMesh){sym_n(name.at, name.len), arena_copy(r->a, &mesh, sizeof mesh)});
  return true;
}

/* Behind `sdy.mesh`. */
static bool pretty_mesh(Reader *r) {
  Scan *s = r->s;
  Text name, where;
  if (!scan_expect(s, '@', "before the name of a mesh") || !scan_name(s, &name, "the name of a mesh")) return false;
  if (!scan_expect(s, '=', "behind the name of a mesh")) return false;
  scan_space(s);
  if (!mesh(r, name, s->p)) return false;
  scan_space(s);
  if (*s->p == '{' && !text_skip(s)) return false;
  return reader_location(r, &where);
}

/* ------------------------------------------------------------------ the module */

static void module_attributes(MlirModule *m, Text dict) {
  static const char *const names[] = {"mhlo.num_replicas", "mhlo.num_partitions"};
  for (int k = 0; k < 2; k++) {
    Text v;
    int64_t *to = k ? &m->n_partitions : &m->n_replicas;
    Scan s = m->scan;
    if (!text_field(&m->scan, dict, names[k], &v)) continue;
    s.p = v.at;
    if (SCAN_IS(*v.at, SCAN_DIGIT) && scan_int(&s, to) && *to > MAX_DEVICES) *to = MAX_DEVICES + 1;
  }
}

/* The dictionary `<{..}>` or `{..}` here, or an empty text. */
static bool dictionary(Reader *r, Text *out) {
  Scan *s = r->s;
  scan_space(s);
  *out = (Text){s->p, 0};
  if (*s->p != '{' && !(*s->p == '<' && s->p[1] == '{')) return true;
  if (!text_skip(s)) return false;
  out->len = (uint32_t)(s->p - out->at);
  return true;
}

/* "func.func"() <{..}> ({..}) {..} : () -> (), and meshes and modules in the same form; behind the name. */
static bool generic(Reader *r, Text name, unsigned *open) {
  Scan *s = r->s;
  Text props, more = {0}, field, where;
  MlirFunc f = {.at = (uint32_t)(s->p - s->text)};
  if (!scan_expect(s, '(', "before the operands") || !scan_expect(s, ')', "behind the operands")) return false;
  if (!dictionary(r, &props)) return false;
  if (TEXT_IS(name, "builtin.module")) {
    if (!scan_expect(s, '(', "before a region") || !scan_expect(s, '{', "before a region")) return false;
    scan_space(s);
    if (*s->p == '^') scan_line(s);
    module_attributes(r->m, props);
    ++*open;
    return true;
  }
  bool func = TEXT_IS(name, "func.func");
  if (!func && !TEXT_IS(name, "sdy.mesh"))
    return SCAN_ERROR(s, name.at, name.at + name.len, E_UNSUPPORTED, "this is not read at the module's level");
  begin_function(r);
  if (func && scan_try(s, '(')) {
    scan_space(s);
    f.declared = s->p[0] == '{' && s->p[1] == '}';
    if (f.declared) s->p += 2;
    else if (!reader_region(r, 0, 0)) return false;
    if (!f.declared) f.body = r->regions.at[0];
    if (!scan_expect(s, ')', "behind a region")) return false;
  }
  if (!dictionary(r, &more)) return false;
  if (!reader_types(r) || !reader_location(r, &where)) return false;
  const char *end = s->p;
  if (!text_field(s, props, "sym_name", &field) && !text_field(s, more, "sym_name", &field))
    return SCAN_ERROR(s, name.at, name.at + name.len, E_ATTRIBUTE, "this has no sym_name");
  if (field.len > 2) field = (Text){field.at + 1, field.len - 2};
  f.name = sym_n(field.at, field.len);
  if (func) return add_function(r, &f);
  if (!text_field(s, props, "mesh", &where) && !text_field(s, more, "mesh", &where))
    return SCAN_ERROR(s, name.at, name.at + name.len, E_ATTRIBUTE, "this has no mesh");
  const char *at = memchr(where.at, '<', where.len);
  if (!at || !mesh(r, field, at)) return false;
  s->p = end;
  return true;
}

static bool module(Reader *r) {
  Scan *s = r->s;
  unsigned open = 0;
  Text t, dict = {0};
  for (;;) {
    scan_space(s);
    if (!*s->p || !strncmp(s->p, "{-#", 3)) break;
    if (*s->p == '#') {
      scan_line(s);
    } else if (*s->p == '}' && open) {
      open--;
      s->p++;
      if (scan_try(s, ')')) {
        if (!dictionary(r, &dict) || !reader_types(r)) return false;
        module_attributes(r->m, dict);
      }
      if (!reader_location(r, &t)) return false;
    } else if (*s->p == '"') {
      if (!scan_string(s, &t) || !generic(r, t, &open)) return false;
    } else {
      if (!scan_name(s, &t, "a module or a function")) return false;
      if (TEXT_IS(t, "module") || TEXT_IS(t, "builtin.module")) {
        if (scan_try(s, '@') && !(*s->p == '"' ? scan_string(s, &t) : scan_name(s, &t, "a name"))) return false;
        if (reader_word(r, "attributes")) {
          if (!dictionary(r, &dict)) return false;
          module_attributes(r->m, dict);
        }
        if (!scan_expect(s, '{', "before the module")) return false;
        open++;
      } else if (TEXT_IS(t, "func.func") || TEXT_IS(t, "func")) {
        if (!function(r)) return false;
      } else if (TEXT_IS(t, "sdy.mesh")) {
        if (!pretty_mesh(r)) return false;
      } else {
        return SCAN_ERROR(s, t.at, t.at + t.len, E_UNSUPPORTED, "'%.*s' is not read at the module's level",
                          (int)(t.len > 40 ? 40 : t.len), t.at);
      }
    }
  }
  return !open || scan_missing(s, '}', "behind the module");
}

static void find_aliases(MlirModule *m) {
  Scan s = m->scan;
  for (s.p = s.text; *s.p; scan_line(&s)) {
    Text name;
    if (*s.p != '#' || !SCAN_IS(s.p[1], SCAN_NAME)) continue;
    const char *q = ++s.p;
    while (SCAN_IS(*q, SCAN_NAME)) q++;
    name = (Text){s.p, (uint32_t)(q - s.p)};
    while (*q == ' ') q++;
    if (*q != '=') continue;
    for (q++; *q == ' '; q++) {}
    const char *end = strchr(q, '\n');
    if (!end) end = q + strlen(q);
    Sym key = sym_n(name.at, name.len);
    while (m->alias_of.len <= key) vec_push(&m->alias_of, 0);
    if (m->alias_of.at[key]) continue;
    vec_push(&m->aliases, (MlirAlias){.name = key, .value = {q, (uint32_t)(end - q)}});
    m->alias_of.at[key] = (uint32_t)m->aliases.len;
  }
}

bool mlir_parse(MlirModule *m) {
  Reader r = {.m = m, .s = &m->scan, .a = &m->graph->arena, .counted = m->text, .line = 1};
  find_aliases(m);
  bool ok = module(&r);
  vec_free(&r.names);
  vec_free(&r.undo);
  vec_free(&r.values);
  vec_free(&r.params);
  vec_free(&r.ops);
  vec_free(&r.regions);
  vec_free(&r.attrs);
  vec_free(&r.args);
  vec_free(&r.binders);
  vec_free(&r.in);
  vec_free(&r.out);
  return ok;
}
