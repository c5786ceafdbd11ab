/* Whole files: mesh, groups, graphs; and the ranks laid over each other. */
#include "frontends/torch/program.h"

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

/* ---- laying a rank over the first */
static bool same_type(const TorchType *a, const TorchType *b) {
  return a->tensor == b->tensor && a->rank == b->rank && a->dtype == b->dtype &&
         (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}

bool torch_same_literal(const TorchArg *a, const TorchArg *b) {
  if (a->kind != b->kind || a->n != b->n || a->result != b->result || a->i != b->i || a->r != b->r || a->s != b->s)
    return false;
  for (uint32_t k = 0; k < a->n; k++)
    if (!torch_same_literal(&a->list[k], &b->list[k])) return false;
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

/* Do they differ in literals only, or in which value of one type they are? */
static bool can_lay(const TorchSet *g, const TorchSet *h, const TorchArg *a, const TorchArg *b);

static const TorchType *type_of(const TorchSet *g, const TorchArg *a) {
  uint64_t i = (uint64_t)a->i;
  if (i < g->n_inputs) return &g->inputs[i].type;
  i -= g->n_inputs;
  return i < g->n_constants ? &g->constants[i].type : &g->nodes[i - g->n_constants].outs[a->result];
}

static bool can_lay(const TorchSet *g, const TorchSet *h, const TorchArg *a, const TorchArg *b) {
  if (a->kind == TA_TENSOR || b->kind == TA_TENSOR)
    return a->kind == b->kind && ((a->i == b->i && a->result == b->result) || same_type(type_of(g, a), type_of(h, b)));
  if (a->kind != TA_LIST || b->kind != TA_LIST || a->n != b->n || a->ranks) return !has_tensor(a) && !has_tensor(b);
  for (uint32_t k = 0; k < a->n; k++)
    if (!can_lay(g, h, &a->list[k], &b->list[k])) return false;
  return true;
}

static void lay_arg(TorchProgram *p, TorchArg *a, const TorchArg *b, int64_t rank) {
  if (a->kind == TA_LIST && b->kind == TA_LIST && a->n == b->n && !a->ranks) {
    for (uint32_t k = 0; k < a->n; k++) lay_arg(p, &a->list[k], &b->list[k], rank);
    return;
  }
  if (!a->ranks && torch_same_literal(a, b)) return;
  if (!a->ranks) {
    TorchArg *ranks = ARENA_ARRAY(&p->arena, TorchArg, p->n_ranks);
    for (int64_t r = 0; r < p->n_ranks; r++) ranks[r] = *a;
    a->ranks = ranks;
  }
  a->ranks[rank] = copy_literal(p, b);
}

static bool same_node(const TorchSet *g, const TorchSet *h, const TorchNode *a, const TorchNode *b) {
  bool same = a->op == b->op && a->n_args == b->n_args && a->n_kwargs == b->n_kwargs && a->n_outs == b->n_outs;
  for (uint32_t k = 0; same && k < a->n_outs; k++) same = same_type(&a->outs[k], &b->outs[k]);
  for (uint32_t k = 0; same && k < a->n_args; k++) same = can_lay(g, h, &a->args[k], &b->args[k]);
  for (uint32_t k = 0; same && k < a->n_kwargs; k++)
    same = a->keys[k] == b->keys[k] && can_lay(g, h, &a->kwargs[k], &b->kwargs[k]);
  return same;
}

static bool same_structure(const TorchSet *g, const TorchSet *h) {
  if (g->n_inputs != h->n_inputs || g->n_constants != h->n_constants || g->n_nodes != h->n_nodes ||
      g->n_outputs != h->n_outputs)
    return false;
  for (uint32_t k = 0; k < g->n_inputs; k++)
    if (g->inputs[k].name != h->inputs[k].name || !same_type(&g->inputs[k].type, &h->inputs[k].type)) return false;
  for (uint32_t k = 0; k < g->n_constants; k++)
    if (!same_type(&g->constants[k].type, &h->constants[k].type)) return false;
  for (uint32_t k = 0; k < g->n_nodes; k++)
    if (!same_node(g, h, &g->nodes[k], &h->nodes[k])) return false;
  for (uint32_t k = 0; k < g->n_outputs; k++)
    if (g->output_names[k] != h->output_names[k] || !can_lay(g, h, &g->outputs[k], &h->outputs[k])) return false;
  return true;
}

static void lay_graph(TorchProgram *p, TorchSet *g, const TorchSet *h, int64_t rank) {
  for (uint32_t k = 0; k < g->n_constants; k++) {
    TorchConstant *c = &g->constants[k];
    bool same = !c->n || !memcmp(c->values[0], h->constants[k].values[0], c->n * sizeof(Rat));
    c->values[rank] = same ? c->values[0] : arena_copy(&p->arena, h->constants[k].values[0], c->n * sizeof(Rat));
  }
  for (uint32_t k = 0; k < g->n_nodes; k++) {
    for (uint32_t i = 0; i < g->nodes[k].n_args; i++) lay_arg(p, &g->nodes[k].args[i], &h->nodes[k].args[i], rank);
    for (uint32_t i = 0; i < g->nodes[k].n_kwargs; i++)
      lay_arg(p, &g->nodes[k].kwargs[i], &h->nodes[k].kwargs[i], rank);
  }
  for (uint32_t k = 0; k < g->n_outputs; k++) lay_arg(p, &g->outputs[k], &h->outputs[k], rank);
  g->member[rank] = true;
}

/* A set is run for ranks that are not in it, too, where nobody reads it.  A number that an element is compared with or added
 * to goes on there as over the members if it is affine in the coordinates; all else that varies is as for the member next
 * to them: so values that the sets have in common stay alike. */
static int64_t coordinate(const TorchProgram *p, int64_t rank, uint32_t axis) {
  for (uint32_t k = p->mesh.n_axes; --k > axis;) rank /= p->mesh.axes[k].size;
  return rank % p->mesh.axes[axis].size;
}

static int64_t nearest_member(const TorchProgram *p, const TorchSet *g, int64_t rank) {
  int64_t best = -1;
  uint32_t most = 0;
  for (int64_t r = 0; r < p->n_ranks; r++) {
    uint32_t alike = 1;
    for (uint32_t k = 0; k < p->mesh.n_axes; k++) alike += coordinate(p, r, k) == coordinate(p, rank, k);
    if (g->member[r] && alike > most) most = alike, best = r;
  }
  return best;
}

/* By how much the values of members change per step along every axis; false: they are no affine function. */
static bool steps(const TorchProgram *p, const TorchSet *g, const TorchArg *ranks, int64_t *step) {
  int64_t first = -1;
  for (uint32_t k = 0; k < p->mesh.n_axes; k++) {
    int64_t stride = 1;
    for (uint32_t i = k + 1; i < p->mesh.n_axes; i++) stride *= p->mesh.axes[i].size;
    step[k] = 0;
    for (int64_t r = stride; r < p->n_ranks && !step[k]; r++)
      if (g->member[r] && coordinate(p, r, k) && g->member[r - stride] &&
          __builtin_sub_overflow(ranks[r].i, ranks[r - stride].i, &step[k]))
        return false;
  }
  for (int64_t r = 0; r < p->n_ranks; r++) {
    if (!g->member[r]) continue;
    if (ranks[r].kind != TA_INT) return false;
    __int128 want = first < 0 ? ranks[r].i : ranks[first].i;
    for (uint32_t k = 0; k < p->mesh.n_axes && first >= 0; k++)
      want += (__int128)step[k] * (coordinate(p, r, k) - coordinate(p, first, k));
    if (ranks[r].i != want) return false;
    if (first < 0) first = r;
  }
  return true;
}

/* Of one tensor another one of its shape: no number says where something is. */
static bool is_elementwise(const TorchSet *g, const TorchNode *n) {
  if (n->n_outs != 1 || !n->n_args || n->args[0].kind != TA_TENSOR || n->args[0].ranks) return false;
  for (uint32_t k = 1; k < n->n_args; k++)
    if (has_tensor(&n->args[k])) return false;
  const TorchType *x = type_of(g, &n->args[0]), *y = &n->outs[0];
  return x->rank == y->rank && (!x->rank || !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims));
}

static void lend(TorchProgram *p, const TorchSet *g, TorchArg *a, bool elementwise) {
  for (uint32_t k = 0; !a->ranks && a->kind == TA_LIST && k < a->n; k++) lend(p, g, &a->list[k], false);
  int64_t *step = elementwise && a->ranks ? ARENA_ARRAY(&p->arena, int64_t, p->mesh.n_axes + 1) : NULL;
  bool affine = step && steps(p, g, a->ranks, step);
  for (int64_t r = 0; a->ranks && r < p->n_ranks; r++) {
    int64_t from = g->member[r] ? r : nearest_member(p, g, r);
    if (from == r) continue;
    a->ranks[r] = a->ranks[from];
    __int128 v = a->ranks[r].i;
    for (uint32_t k = 0; k < p->mesh.n_axes && affine; k++)
      v += (__int128)step[k] * (coordinate(p, r, k) - coordinate(p, from, k));
    if (affine && v == (int64_t)v) a->ranks[r].r = rat_int(a->ranks[r].i = (int64_t)v);
  }
}

static void fill_in(TorchProgram *p, TorchSet *g) {
  for (uint32_t k = 0; k < g->n_constants; k++)
    for (int64_t r = 0; r < p->n_ranks; r++)
      if (!g->member[r]) g->constants[k].values[r] = g->constants[k].values[nearest_member(p, g, r)];
  for (uint32_t k = 0; k < g->n_nodes; k++) {
    bool elementwise = is_elementwise(g, &g->nodes[k]);
    for (uint32_t i = 0; i < g->nodes[k].n_args; i++) lend(p, g, &g->nodes[k].args[i], elementwise);
    for (uint32_t i = 0; i < g->nodes[k].n_kwargs; i++) lend(p, g, &g->nodes[k].kwargs[i], false);
  }
  for (uint32_t k = 0; k < g->n_outputs; k++) lend(p, g, &g->outputs[k], false);
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
      while (ok && k < p->n_sets && !same_structure(&p->sets[k], &g)) k++;
      if (ok && k < p->n_sets) lay_graph(p, &p->sets[k], &g, (int64_t)r);
    }
    ok = ok && (k < p->n_sets || add_set(q, by_rank[r], (int64_t)r));
    if (ok) p->n_read += p->sets[k].n_nodes;
    arena_free(&scratch);
    if (!ok) return false;
  }
  for (uint32_t k = 0; k < p->n_sets; k++) fill_in(p, &p->sets[k]);
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
