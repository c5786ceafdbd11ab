/* Whole files: mesh, groups, graphs. */
#include "frontends/torch/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontends/torch/parse.h"

enum { MAX_AXES = 64, MAX_DEVICES = 1 << 16, MAX_SETS = 64 };

bool torch_program_is(const Source *s) {
  const char *p = s->text + strspn(s->text, " \t\r\n");
  if (*p != '{') return false;
  size_t n = s->len - (size_t)(p - s->text);
  static const char key[] = "\"format\"", value[] = "\"tvr-graph\"";
  for (size_t k = 0; k < n && k < 4096; k++)
    if (!strncmp(p + k, key, sizeof key - 1)) {
      const char *v = p + k + sizeof key - 1;
      v += strspn(v, " \t\r\n:");
      return !strncmp(v, value, sizeof value - 1);
    }
  return false;
}

Span torch_program_span(const TorchProgram *p, uint32_t line) {
  Graph g = {.source = p->source};
  Node n = {.line = line};
  g.nodes.at = &n;
  return node_span(&g, diags_sources(p->diags), 0);
}

bool torch_fault(TorchProgram *p, const TorchNode *n, DiagCode code, const char *fmt, ...) {
  char what[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  if (!p->faults) return diag_error(p->diags, torch_program_span(p, n ? n->line : 0), code, "%s", what);
  if (p->fault) return false;
  Fault *f = ARENA_NEW(&p->arena, Fault);
  *f = (Fault){.text = arena_strdup(&p->arena, what, strlen(what))};
  if (n) f->op = n->op, f->name = n->name, f->at = n->at, f->line = n->line;
  p->fault = f;
  return false;
}

/* ---- mesh and groups */
static bool read_mesh(TorchParser *q, const json_t *mesh) {
  TorchProgram *p = q->p;
  const json_t *axes = json_doc_get(mesh, "axes");
  p->mesh.axes = ARENA_ARRAY(&p->arena, Axis, MAX_AXES);
  p->mesh.n_devices = 1;
  if (mesh && (!json_is_array(axes) || json_array_size(axes) > MAX_AXES))
    return parse_error(q, E_MESH, "\"axes\" must be a list of [name, size]");
  for (size_t k = 0; k < json_array_size(axes); k++) {
    const json_t *name = json_array_get(json_array_get(axes, k), 0), *size = json_array_get(json_array_get(axes, k), 1);
    if (!json_is_string(name) || !json_is_integer(size) || json_integer_value(size) < 1 ||
        json_integer_value(size) > MAX_DEVICES)
      return parse_error(q, E_MESH, "an axis must be [name, size]");
    Axis a = {sym(json_string_value(name)), json_integer_value(size)};
    for (uint32_t i = 0; i < p->mesh.n_axes; i++)
      if (p->mesh.axes[i].name == a.name) return parse_error(q, E_MESH, "axis '%s' is given twice", sym_text(a.name));
    p->mesh.axes[p->mesh.n_axes++] = a;
    p->mesh.n_devices *= a.size;
    if (p->mesh.n_devices > MAX_DEVICES)
      return parse_error(q, E_MESH, "the mesh has more than %d devices", MAX_DEVICES);
  }
  p->mesh.device_order = ARENA_ARRAY(&p->arena, int64_t, p->mesh.n_devices);
  for (int64_t k = 0; k < p->mesh.n_devices; k++) p->mesh.device_order[k] = k;
  return true;
}

static bool find_axis(TorchParser *q, const json_t *name, uint32_t *out) {
  const Mesh *m = &q->p->mesh;
  Sym s = json_is_string(name) ? sym(json_string_value(name)) : 0;
  for (*out = 0; s && *out < m->n_axes; ++*out)
    if (m->axes[*out].name == s) return true;
  return parse_error(q, E_AXIS, "the mesh has no axis '%s'", sym_text(s));
}

/* Groups that differ along some axes: in the order of those axes. */
static bool axis_groups(TorchParser *q, const json_t *axes, TorchGroup *g) {
  const Mesh *m = &q->p->mesh;
  uint32_t list[MAX_AXES], n = (uint32_t)json_array_size(axes);
  uint64_t used = 0;
  if (n > MAX_AXES) return parse_error(q, E_COLLECTIVE, "a group has too many axes");
  for (uint32_t k = 0; k < n; k++) {
    if (!find_axis(q, json_array_get(axes, k), &list[k])) return false;
    if (used >> list[k] & 1) return parse_error(q, E_COLLECTIVE, "a group names an axis twice");
    used |= UINT64_C(1) << list[k];
  }
  g->ranks = mesh_groups(m, list, n, &q->p->arena, &g->size);
  g->n = (uint32_t)(m->n_devices / g->size);
  return true;
}

/* Listed ranks; those in no list have no group. */
static bool listed_groups(TorchParser *q, const json_t *lists, TorchGroup *g) {
  int64_t n_devices = q->p->mesh.n_devices, *ranks = ARENA_ARRAY(&q->p->arena, int64_t, n_devices);
  bool *seen = ARENA_ARRAY(&q->p->arena, bool, n_devices);
  uint32_t next = 0;
  g->n = (uint32_t)json_array_size(lists);
  g->size = (uint32_t)json_array_size(json_array_get(lists, 0));
  for (uint32_t k = 0; k < g->n; k++) {
    const json_t *list = json_array_get(lists, k);
    if (!json_is_array(list) || json_array_size(list) != g->size)
      return parse_error(q, E_COLLECTIVE, "the lists of a group must have equal lengths");
    for (uint32_t i = 0; i < g->size; i++) {
      const json_t *v = json_array_get(list, i);
      int64_t r = json_is_integer(v) ? json_integer_value(v) : -1;
      if (r < 0 || r >= n_devices || seen[r])
        return parse_error(q, E_COLLECTIVE, "a group must list ranks, each at most once");
      seen[r] = true;
      ranks[next++] = r;
    }
  }
  g->ranks = ranks;
  return true;
}

static bool read_groups(TorchParser *q, const json_t *groups) {
  TorchProgram *p = q->p;
  const char *name;
  json_t *v;
  if (groups && !json_is_object(groups)) return parse_error(q, E_COLLECTIVE, "\"groups\" must be an object");
  p->groups = ARENA_ARRAY(&p->arena, TorchGroup, json_object_size(groups));
  json_object_foreach((json_t *)groups, name, v) {
    TorchGroup *g = &p->groups[p->n_groups++];
    const json_t *axes = json_doc_get(v, "axes"), *ranks = json_doc_get(v, "ranks");
    g->name = sym(name);
    if (json_is_array(axes) ? !axis_groups(q, axes, g) : json_is_array(ranks) ? !listed_groups(q, ranks, g) : true)
      return json_is_array(axes) || json_is_array(ranks) ? false : parse_error(q, E_COLLECTIVE,
            "group '%s' needs \"axes\" or \"ranks\"", name);
  }
  return true;
}

/* ---- graphs */
static bool read_rank(TorchParser *q, const json_t *graph, int64_t *rank) {
  const Mesh *m = &q->p->mesh;
  const json_t *coord = json_doc_get(graph, "coord");
  *rank = 0;
  q->at = graph;
  for (uint32_t k = 0; k < m->n_axes; k++) {
    const json_t *v = json_doc_get(coord, sym_text(m->axes[k].name));
    int64_t at = json_is_integer(v) ? json_integer_value(v) : -1;
    if (at < 0 || at >= m->axes[k].size)
      return parse_error(q, E_MESH, "\"coord\" must give a place on axis '%s'", sym_text(m->axes[k].name));
    *rank = *rank * m->axes[k].size + at;
  }
  return true;
}

/* A graph unlike those before: a set of its own. */
static bool add_set(TorchParser *q, const json_t *graph, int64_t rank) {
  TorchProgram *p = q->p;
  TorchSet *g = &p->sets[p->n_sets];
  if (p->n_sets == MAX_SETS) return parse_error(q, E_LIMIT, "the ranks run more than %d different programs", MAX_SETS);
  q->arena = &p->arena;
  if (!parse_graph(q, graph, g)) return false;
  for (uint32_t k = 1; k < g->n_outputs; k++)
    for (uint32_t i = 0; i < k; i++)
      if (g->output_names[i] == g->output_names[k])
        return parse_error(q, E_GRAPH_NAME, "two outputs are called '%s'", sym_text(g->output_names[k]));
  parse_lines(q, graph, g);
  for (uint32_t k = 0; k < g->n_constants; k++) {
    const Rat *values = g->constants[k].values[0];
    g->constants[k].values = ARENA_ARRAY(&p->arena, const Rat *, p->n_ranks);
    for (int64_t r = 0; r < p->n_ranks; r++) g->constants[k].values[r] = values;
  }
  g->member = ARENA_ARRAY(&p->arena, bool, p->n_ranks);
  g->member[rank] = true;
  p->n_sets++;
  return true;
}

static bool read_graphs(TorchParser *q, const json_t *graphs) {
  TorchProgram *p = q->p;
  size_t n = json_array_size(graphs);
  p->n_ranks = p->sequential ? 1 : p->mesh.n_devices;
  if ((int64_t)n != p->n_ranks)
    return parse_error(q, E_MESH, "the file holds %zu graphs, the mesh has %lld ranks", n, (long long)p->n_ranks);
  const json_t **by_rank = ARENA_ARRAY(&p->arena, const json_t *, n);
  for (size_t k = 0; k < n; k++) {
    int64_t rank = 0;
    const json_t *g = json_array_get(graphs, k);
    if (!p->sequential && !read_rank(q, g, &rank)) return false;
    if (by_rank[rank]) return parse_error(q, E_MESH, "two graphs are for one rank");
    by_rank[rank] = g;
  }
  p->sets = ARENA_ARRAY(&p->arena, TorchSet, MAX_SETS);
  for (size_t r = 0; r < n; r++) {
    Arena scratch = {0};
    TorchSet g;
    bool ok = true;
    uint32_t k = 0;
    if (r) {
      q->arena = &scratch;
      ok = parse_graph(q, by_rank[r], &g);
      while (ok && k < p->n_sets && !torch_lay_fits(&p->sets[k], &g)) k++;
      if (ok && k < p->n_sets) torch_lay(p, &p->sets[k], &g, (int64_t)r);
    }
    ok = ok && (k < p->n_sets || add_set(q, by_rank[r], (int64_t)r));
    if (ok) p->n_read += p->sets[k].n_nodes;
    arena_free(&scratch);
    if (!ok) return false;
  }
  for (uint32_t k = 0; k < p->n_sets; k++) torch_lay_end(p, &p->sets[k]);
  return true;
}

bool torch_program_read(TorchProgram *p, Diags *diags, uint32_t source) {
  TorchParser q = {.p = p};
  *p = (TorchProgram){.diags = diags, .source = source};
  if (!json_doc_read_alike(&q.doc, diags, source, "graphs", "nodes")) return false;
  const json_t *root = q.at = q.doc.root, *version = json_doc_get(root, "version");
  const char *role = json_string_value(json_doc_get(root, "role"));
  bool ok = json_is_object(root) && json_is_array(json_doc_get(root, "graphs"));
  if (!ok) parse_error(&q, E_GRAPH_SYNTAX, "a tvr-graph file needs \"graphs\"");
  if (ok && json_integer_value(version) != 1)
    ok = parse_error(&q, E_UNSUPPORTED, "only version 1 of tvr-graph is read");
  p->sequential = role && !strcmp(role, "seq");
  q.first = json_doc_get(json_array_get(json_doc_get(root, "graphs"), 0), "nodes");
  ok = ok && read_mesh(&q, json_doc_get(root, "mesh")) && read_groups(&q, json_doc_get(root, "groups"));
  ok = ok && read_graphs(&q, json_doc_get(root, "graphs"));
  vec_free(&q.places);
  json_doc_free(&q.doc);
  return ok;
}

void torch_program_free(TorchProgram *p) { arena_free(&p->arena); }
