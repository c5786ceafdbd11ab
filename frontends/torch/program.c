/* Whole files: mesh, groups, graphs; and the ranks laid over each other. */
#include "frontends/torch/program.h"

#include <string.h>

#include "frontends/torch/parse.h"

enum { MAX_AXES = 64, MAX_DEVICES = 1 << 16 };

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

/* ---- mesh and groups */
static bool read_mesh(TorchParser *q, const json_t *mesh) {
  TorchProgram *p = q->p;
  const json_t *axes = json_doc_get(mesh, "axes");
  p->mesh.axes = ARENA_ARRAY(&p->arena, Axis, MAX_AXES);
  p->mesh.n_devices = 1;
  if (mesh && (!json_is_array(axes) || json_array_size(axes) > MAX_AXES)) return parse_error(q, E_MESH, "\"axes\" must be a list of [name, size]");
  for (size_t k = 0; k < json_array_size(axes); k++) {
    const json_t *name = json_array_get(json_array_get(axes, k), 0), *size = json_array_get(json_array_get(axes, k), 1);
    if (!json_is_string(name) || !json_is_integer(size) || json_integer_value(size) < 1 || json_integer_value(size) > MAX_DEVICES)
      return parse_error(q, E_MESH, "an axis must be [name, size]");
    Axis a = {sym(json_string_value(name)), json_integer_value(size)};
    for (uint32_t i = 0; i < p->mesh.n_axes; i++)
      if (p->mesh.axes[i].name == a.name) return parse_error(q, E_MESH, "axis '%s' is given twice", sym_text(a.name));
    p->mesh.axes[p->mesh.n_axes++] = a;
    p->mesh.n_devices *= a.size;
    if (p->mesh.n_devices > MAX_DEVICES) return parse_error(q, E_MESH, "the mesh has more than %d devices", MAX_DEVICES);
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
  g->size = 1;
  if (n > MAX_AXES) return parse_error(q, E_COLLECTIVE, "a group has too many axes");
  for (uint32_t k = 0; k < n; k++) {
    if (!find_axis(q, json_array_get(axes, k), &list[k])) return false;
    if (used >> list[k] & 1) return parse_error(q, E_COLLECTIVE, "a group names an axis twice");
    used |= UINT64_C(1) << list[k];
    g->size *= (uint32_t)m->axes[list[k]].size;
  }
  g->n = (uint32_t)(m->n_devices / g->size);
  int64_t *ranks = ARENA_ARRAY(&q->p->arena, int64_t, m->n_devices), at[MAX_AXES];
  uint32_t next = 0;
  for (int64_t d = 0; d < m->n_devices; d++) {
    mesh_coordinate(m, d, at);
    bool first = true; /* member 0 of its group */
    for (uint32_t k = 0; k < n; k++) first &= at[list[k]] == 0;
    if (!first) continue;
    for (int64_t i = 0; i < g->size; i++) {
      int64_t rest = i;
      for (uint32_t k = n; k-- > 0; rest /= m->axes[list[k]].size) at[list[k]] = rest % m->axes[list[k]].size;
      ranks[next++] = mesh_device(m, at);
    }
  }
  g->ranks = ranks;
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
    if (!json_is_array(list) || json_array_size(list) != g->size) return parse_error(q, E_COLLECTIVE, "the lists of a group must have equal lengths");
    for (uint32_t i = 0; i < g->size; i++) {
      const json_t *v = json_array_get(list, i);
      int64_t r = json_is_integer(v) ? json_integer_value(v) : -1;
      if (r < 0 || r >= n_devices || seen[r]) return parse_error(q, E_COLLECTIVE, "a group must list ranks, each at most once");
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
      return json_is_array(axes) || json_is_array(ranks) ? false : parse_error(q, E_COLLECTIVE, "group '%s' needs \"axes\" or \"ranks\"", name);
  }
  return true;
}

/* ---- laying a rank over the first */
static bool same_type(const TorchType *a, const TorchType *b) {
  return a->tensor == b->tensor && a->rank == b->rank && a->dtype == b->dtype &&
         (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}

static bool same_literal(const TorchArg *a, const TorchArg *b) {
  if (a->kind != b->kind || a->n != b->n || a->result != b->result || a->i != b->i || a->r != b->r || a->s != b->s) return false;
  for (uint32_t k = 0; k < a->n; k++)
    if (!same_literal(&a->list[k], &b->list[k])) return false;
  return true;
}

static bool has_tensor(const TorchArg *a) {
  bool found = a->kind == TA_TENSOR;
  for (uint32_t k = 0; k < a->n && !found; k++) found = has_tensor(&a->list[k]);
  return found;
}

static TorchArg copy_literal(TorchProgram *p, const TorchArg *a) {
  TorchArg c = *a;
  c.list = arena_copy(&p->arena, a->list, a->n * sizeof *a->list);
  for (uint32_t k = 0; k < a->n; k++) c.list[k] = copy_literal(p, &a->list[k]);
  return c;
}

/* Lays `b`, the argument on rank `rank`, over `a`; false: they differ in more than literals. */
static bool lay_arg(TorchProgram *p, TorchArg *a, const TorchArg *b, int64_t rank) {
  if (a->kind == TA_TENSOR || b->kind == TA_TENSOR) {
    if (a->kind != b->kind || a->i != b->i) return false;
  } else if (a->kind == TA_LIST && b->kind == TA_LIST && a->n == b->n && !a->ranks) {
    for (uint32_t k = 0; k < a->n; k++)
      if (!lay_arg(p, &a->list[k], &b->list[k], rank)) return false;
    return true;
  } else if (has_tensor(a) || has_tensor(b)) {
    return false;
  }
  if (!a->ranks && same_literal(a, b)) return true;
  if (!a->ranks) {
    TorchArg *ranks = ARENA_ARRAY(&p->arena, TorchArg, p->n_ranks);
    for (int64_t r = 0; r < p->n_ranks; r++) ranks[r] = *a;
    a->ranks = ranks;
  }
  a->ranks[rank] = copy_literal(p, b);
  return true;
}

static bool lay_node(TorchProgram *p, TorchNode *a, const TorchNode *b, int64_t rank) {
  bool same = a->op == b->op && a->n_args == b->n_args && a->n_kwargs == b->n_kwargs && a->n_outs == b->n_outs;
  for (uint32_t k = 0; same && k < a->n_outs; k++) same = same_type(&a->outs[k], &b->outs[k]);
  for (uint32_t k = 0; same && k < a->n_args; k++) same = lay_arg(p, &a->args[k], &b->args[k], rank);
  for (uint32_t k = 0; same && k < a->n_kwargs; k++) same = a->keys[k] == b->keys[k] && lay_arg(p, &a->kwargs[k], &b->kwargs[k], rank);
  return same;
}

static bool differs(TorchParser *q, const TorchGraph *g, const TorchGraph *base, const char *what, Sym name, uint32_t line) {
  parse_error(q, E_UNSUPPORTED, "%s runs another program than %s: they differ at %s '%s'", sym_text(g->name), sym_text(base->name), what, sym_text(name));
  diag_note(q->doc.diags, torch_program_span(q->p, line), "this is what %s does there", sym_text(base->name));
  return false;
}

static bool lay_graph(TorchParser *q, TorchGraph *base, const TorchGraph *g) {
  TorchProgram *p = q->p;
  for (uint32_t k = 0; k < base->n_inputs; k++)
    if (k >= g->n_inputs || g->inputs[k].name != base->inputs[k].name || !same_type(&g->inputs[k].type, &base->inputs[k].type))
      return differs(q, g, base, "input", base->inputs[k].name, 0);
  if (g->n_inputs != base->n_inputs) return differs(q, g, base, "input", g->inputs[base->n_inputs].name, 0);
  for (uint32_t k = 0; k < base->n_constants; k++) {
    TorchConstant *c = &base->constants[k];
    if (k >= g->n_constants || !same_type(&g->constants[k].type, &c->type)) return differs(q, g, base, "constant", c->name, c->line);
    bool same = !c->n || !memcmp(c->values[0], g->constants[k].values[0], c->n * sizeof(Rat));
    c->values[g->rank] = same ? c->values[0] : arena_copy(&p->arena, g->constants[k].values[0], c->n * sizeof(Rat));
  }
  if (g->n_constants != base->n_constants) return differs(q, g, base, "constant", g->constants[base->n_constants].name, 0);
  for (uint32_t k = 0; k < base->n_nodes; k++)
    if (k >= g->n_nodes || !lay_node(p, &base->nodes[k], &g->nodes[k], g->rank))
      return differs(q, g, base, "operator", base->nodes[k].name, base->nodes[k].line);
  if (g->n_nodes != base->n_nodes) return differs(q, g, base, "operator", g->nodes[base->n_nodes].name, 0);
  for (uint32_t k = 0; k < base->n_outputs; k++)
    if (k >= g->n_outputs || g->output_names[k] != base->output_names[k] || !lay_arg(p, &base->outputs[k], &g->outputs[k], g->rank))
      return differs(q, g, base, "output", base->output_names[k], 0);
  return g->n_outputs == base->n_outputs || differs(q, g, base, "output", g->output_names[base->n_outputs], 0);
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
    if (at < 0 || at >= m->axes[k].size) return parse_error(q, E_MESH, "\"coord\" must give a place on axis '%s'", sym_text(m->axes[k].name));
    *rank = *rank * m->axes[k].size + at;
  }
  return true;
}

static void take_base(TorchProgram *p, const TorchGraph *g) {
  p->inputs = g->inputs, p->n_inputs = g->n_inputs;
  p->constants = g->constants, p->n_constants = g->n_constants;
  p->nodes = g->nodes, p->n_nodes = g->n_nodes;
  p->outputs = g->outputs, p->n_outputs = g->n_outputs;
  p->output_names = g->output_names;
}

static bool read_graphs(TorchParser *q, const json_t *graphs) {
  TorchProgram *p = q->p;
  size_t n = json_array_size(graphs);
  p->n_ranks = p->sequential ? 1 : p->mesh.n_devices;
  if ((int64_t)n != p->n_ranks) return parse_error(q, E_MESH, "the file holds %zu graphs, the mesh has %lld ranks", n, (long long)p->n_ranks);
  const json_t **by_rank = ARENA_ARRAY(&p->arena, const json_t *, n);
  for (size_t k = 0; k < n; k++) {
    int64_t rank = 0;
    const json_t *g = json_array_get(graphs, k);
    if (!p->sequential && !read_rank(q, g, &rank)) return false;
    if (by_rank[rank]) return parse_error(q, E_MESH, "two graphs are for one rank");
    by_rank[rank] = g;
  }
  TorchGraph base = {0};
  q->arena = &p->arena;
  if (!parse_graph(q, by_rank[0], &base, true)) return false;
  p->n_read = base.n_nodes;
  for (uint32_t k = 0; k < base.n_constants; k++) {
    const Rat *first = base.constants[k].values[0];
    base.constants[k].values = ARENA_ARRAY(&p->arena, const Rat *, n);
    base.constants[k].values[0] = first;
  }
  for (size_t r = 1; r < n; r++) {
    Arena scratch = {0};
    TorchGraph g = {.rank = (int64_t)r};
    q->arena = &scratch;
    bool ok = parse_graph(q, by_rank[r], &g, false);
    q->at = by_rank[r];
    ok = ok && lay_graph(q, &base, &g);
    p->n_read += g.n_nodes;
    arena_free(&scratch);
    if (!ok) return false;
  }
  take_base(p, &base);
  return true;
}

bool torch_program_read(TorchProgram *p, Diags *diags, uint32_t source) {
  TorchParser q = {.p = p};
  *p = (TorchProgram){.diags = diags, .source = source};
  if (!json_doc_read(&q.doc, diags, source)) return false;
  const json_t *root = q.at = q.doc.root, *version = json_doc_get(root, "version");
  const char *role = json_string_value(json_doc_get(root, "role"));
  bool ok = json_is_object(root) && json_is_array(json_doc_get(root, "graphs"));
  if (!ok) parse_error(&q, E_GRAPH_SYNTAX, "a tvr-graph file needs \"graphs\"");
  if (ok && json_integer_value(version) != 1) ok = parse_error(&q, E_UNSUPPORTED, "only version 1 of tvr-graph is read");
  p->sequential = role && !strcmp(role, "seq");
  ok = ok && read_mesh(&q, json_doc_get(root, "mesh")) && read_groups(&q, json_doc_get(root, "groups"));
  ok = ok && read_graphs(&q, json_doc_get(root, "graphs"));
  vec_free(&q.places);
  json_doc_free(&q.doc);
  return ok;
}

void torch_program_free(TorchProgram *p) { arena_free(&p->arena); }
