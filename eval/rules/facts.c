#include "eval/rules/facts.h"

#include <string.h>

#include "eval/digits/coord.h"
#include "eval/program/names.h"
#include "eval/rules/groups.h"
#include "eval/verdict/layouts.h"

/* Tables of stdlib/graph.tvr that are filled here. */
#define TABLES(T)                                                                                             \
  T(tensor) T(Int) T(Ints) T(Word) T(operator) T(operand) T(arity) T(user) T(users) T(attribute) T(parameter) T(output) \
  T(pointwise) T(dtype) T(rank) T(size) T(bytes) T(name) T(label) T(source) T(axis) T(along) T(members) T(moved) \
  T(dim) T(slice_at_rank) T(mesh_axis) T(beside) T(split) T(partial) T(varies) T(local) T(keeps) T(scatters)

typedef struct Facts {
  Db *db;
  const FactGraph *of;
  const Graph *g;
  Instances *instances;
  Coord *coord;
  Groupings groups;
  SortId numbers;
  Val *tensors;    /* by node */
  int64_t *n_users; /* by node: operands that are it, and outputs */
  Diags *diags;
  Span at;
  bool ok;
#define T(name) TableId name;
  TABLES(T)
#undef T
} Facts;

static Val number(Facts *f, int64_t x) { return db_int(f->db, x); }

static void row(Facts *f, TableId t, uint32_t n, const Val *cols) {
  (void)n;
  if (f->ok) f->ok = db_insert(f->db, t, cols, f->at);
}
#define ROW(f, table, ...) row(f, (f)->table, sizeof((Val[]){__VA_ARGS__}) / sizeof(Val), (Val[]){__VA_ARGS__})

/* ---- operators as written ---- */

static bool attribute_value(Facts *f, const Attr *a, Val *out) {
  Val in;
  if (a->kind == ATTR_INT) in = number(f, a->i), *out = db_make(f->db, f->Int, &in, f->at);
  else if (a->kind == ATTR_SYM) in = a->s, *out = db_make(f->db, f->Word, &in, f->at);
  else if (a->kind == ATTR_INTS) {
    Val *v = xmalloc((a->n + 1) * sizeof *v);
    for (uint32_t i = 0; i < a->n; i++) v[i] = number(f, a->ints[i]);
    in = db_vec(f->db, f->numbers, v, a->n);
    free(v);
    *out = db_make(f->db, f->Ints, &in, f->at);
  } else {
    return false;
  }
  return true;
}

static void add_operator(Facts *f, NodeId id) {
  const Node *n = &f->g->nodes.at[id];
  Val t = f->tensors[id];
  ROW(f, operator, t, n->op);
  ROW(f, arity, t, number(f, n->n_args));
  ROW(f, users, t, number(f, f->n_users[id]));
  for (uint32_t k = 0; k < n->n_args; k++) {
    ROW(f, operand, t, number(f, k), f->tensors[n->args[k]]);
    ROW(f, user, f->tensors[n->args[k]], t);
  }
  for (uint32_t k = 0; k < n->n_attrs; k++) {
    Val v;
    if (attribute_value(f, &n->attrs[k], &v)) ROW(f, attribute, t, n->attrs[k].name, v);
    if (n->attrs[k].name == sym("dimensions") && n->attrs[k].kind == ATTR_INTS && n->attrs[k].n == 1)
      ROW(f, dim, t, number(f, n->attrs[k].ints[0]));
  }
  if (n->op == sym("parameter")) ROW(f, parameter, t, number(f, n->param));
}

static int64_t bytes_of(const Node *n) { return (node_elements(n) * dtype_bits((DType)n->dtype) + 7) / 8; }

static void add_type(Facts *f, NodeId id) {
  const Node *n = &f->g->nodes.at[id];
  Val t = f->tensors[id];
  ROW(f, dtype, t, sym(dtype_text((DType)n->dtype)));
  ROW(f, rank, t, number(f, n->rank));
  for (uint32_t d = 0; d < n->rank; d++) ROW(f, size, t, number(f, d), number(f, n->dims[d]));
  ROW(f, bytes, t, number(f, bytes_of(n)));
  if (n->name) ROW(f, name, t, n->name);
  if (n->label) ROW(f, label, t, n->label);
  Sym place = node_at(f->g, id);
  if (!place && n->line)
    place = sym(arena_printf(&f->groups.arena, "%s:%u", sym_text(f->g->path), n->line));
  if (place) ROW(f, source, t, place);
}

/* ---- what an equation says ---- */

/* Operand k is read at the element's own place, and not on another device. */
static bool reads_own(const Instance *in, const Node *n, const Node *arg, const X *x) {
  if (arg->rank != n->rank || memcmp(arg->dims, n->dims, n->rank * sizeof *n->dims)) return false;
  if (x->mode != READ_AT || x->n != n->rank || x->group != NO_VAR || x->permuted) return false;
  for (uint32_t d = 0; d < x->n; d++) {
    const Ix *ix = &x->ix[d];
    if (ix->dyn != NO_X || ix->constant) return false;
    if (!in->out[d].n && !ix->n_terms) continue;
    if (in->out[d].n != 1 || ix->n_terms != 1 || ix->terms[0].coef != 1 || ix->terms[0].var != in->out[d].vars[0])
      return false;
  }
  return true;
}

static void add_pointwise(Facts *f, NodeId id, const Instance *in) {
  const Node *n = &f->g->nodes.at[id];
  if (in->body == NO_X || in->opaque) return;
  for (uint32_t k = 0; k < n->n_args; k++) {
    bool all = true, some = false;
    for (uint32_t i = 0; i < in->n_x; i++) {
      if (in->x[i].kind != X_READ) continue;
      const Node *arg = &f->g->nodes.at[n->args[in->x[i].operand]];
      bool own = reads_own(in, n, arg, &in->x[i]);
      all &= own || (arg->rank == 0 && in->x[i].operand != k && in->x[i].group == NO_VAR);
      some |= own && in->x[i].operand == k;
    }
    if (all && some && n->rank) ROW(f, pointwise, f->tensors[id], f->tensors[n->args[k]]);
  }
}

static bool uses_own_place(const Instance *in) {
  for (uint32_t i = 0; i < in->n_x; i++) {
    bool indexed = in->x[i].kind == X_READ || in->x[i].kind == X_INDEX;
    for (uint32_t d = 0; indexed && d < in->x[i].n; d++)
      for (uint32_t k = 0; k < in->x[i].ix[d].n_terms; k++)
        if (in->vars[in->x[i].ix[d].terms[k].var].kind == VAR_GROUP) return true;
  }
  return false;
}

/* Bytes a device sends in the usual algorithm (ring): everything but its own part, twice where sums come back. */
static int64_t moved_bytes(const Facts *f, const Node *n, int64_t members) {
  int64_t in = 0, out = bytes_of(n);
  for (uint32_t k = 0; k < n->n_args; k++) in += bytes_of(&f->g->nodes.at[n->args[k]]);
  int64_t whole = in > out ? in : out;
  if (members < 2) return 0;
  if (in > INT64_MAX / 4 / members || whole > INT64_MAX / 4 / members) return whole;
  if (n->op == sym("all_reduce")) return 2 * whole * (members - 1) / members;
  return whole * (members - 1) / members;
}

static void add_collective(Facts *f, NodeId id, const Instance *in) {
  const Node *n = &f->g->nodes.at[id];
  const Groupings *s = &f->groups;
  const Grouping *g = groups_find(s, in->groups);
  Val t = f->tensors[id];
  bool same = g && !in->opaque && !uses_own_place(in);
  for (size_t k = 0; k < s->axes.len; k++) {
    const Grouping *axis = &s->all.at[s->axes.at[k]];
    bool inside = g && groups_cover(s, g, axis);
    if (!inside || !same) ROW(f, keeps, t, axis->name);
    if (!same && (inside || !g)) ROW(f, scatters, t, axis->name);
    if (inside) ROW(f, along, t, axis->name);
    else if (g && g->n_axes) ROW(f, beside, t, axis->name);
  }
  if (g) ROW(f, axis, t, g->name);
  if (g) ROW(f, members, t, number(f, g->members));
  if (g) ROW(f, moved, t, number(f, moved_bytes(f, n, g->members)));
  else ROW(f, moved, t, number(f, bytes_of(n)));
}

/* A window whose offset along one dimension is one's own place in some groups, times its size. */
static void add_slice(Facts *f, NodeId id, const Instance *in) {
  const Node *n = &f->g->nodes.at[id];
  if (in->opaque || in->body == NO_X || in->x[in->body].kind != X_READ) return;
  const X *x = &in->x[in->body];
  if (x->mode != READ_AT || x->n != n->rank || x->group != NO_VAR || x->permuted || x->operand) return;
  const Node *from = &f->g->nodes.at[n->args[0]];
  const int64_t *offset = NULL;
  uint32_t at = 0;
  for (uint32_t d = 0; d < n->rank; d++) {
    const Ix *ix = &x->ix[d];
    const int64_t *v = ix->dyn == NO_X ? NULL : coord_expression(f->coord, id, in, ix->dyn);
    bool whole = in->out[d].n == 1 && ix->n_terms == 1 && ix->terms[0].coef == 1 &&
                 ix->terms[0].var == in->out[d].vars[0] && !ix->constant;
    if (ix->dyn != NO_X && !v) return;
    bool moves = false;
    for (int64_t i = 1; v && i < f->groups.n_devices; i++) moves |= v[i] != v[0];
    if (moves && (offset || !whole)) return;
    if (moves) offset = v, at = d;
    else if (n->dims[d] != from->dims[d]) return;
  }
  for (size_t k = 0; offset && k < f->groups.all.len; k++) {
    const Grouping *g = &f->groups.all.at[k];
    bool fits = g->members * n->dims[at] == from->dims[at];
    for (int64_t i = 0; fits && i < f->groups.n_devices; i++) fits = offset[i] == g->place[i] * n->dims[at];
    if (fits) ROW(f, slice_at_rank, f->tensors[id], f->tensors[n->args[0]], g->name, number(f, at));
  }
}

/* ---- along which axes values differ ---- */

static bool reads_device(const Instance *in) {
  for (uint32_t i = 0; i < in->n_x; i++)
    if (in->x[i].kind == X_COORD) return true;
  return false;
}

static void vary(Facts *f, NodeId id, const int64_t *by_device) {
  for (size_t k = 0; k < f->groups.axes.len; k++) {
    const Grouping *axis = &f->groups.all.at[f->groups.axes.at[k]];
    if (!by_device || groups_differ(&f->groups, axis, by_device)) ROW(f, varies, f->tensors[id], axis->name);
  }
}

static void add_parameter(Facts *f, NodeId id) {
  const Relation *r = f->of->relation;
  const Related *of = NULL;
  for (uint32_t i = 0; r && i < r->n_inputs; i++)
    if (r->inputs[i].dist == f->g->nodes.at[id].param) of = &r->inputs[i];
  if (!of || f->g->param_on) { /* devices that run different programs have nothing in common */
    vary(f, id, NULL);
    return;
  }
  for (uint8_t p = 0; p < of->layout.n_partial; p++) {
    Sym axis = r->mesh.axes[of->layout.partial[p]].name;
    ROW(f, varies, f->tensors[id], axis);
    ROW(f, partial, f->tensors[id], axis);
  }
  for (uint8_t d = 0; d < of->layout.rank; d++)
    for (uint8_t k = 0; k < of->layout.dims[d].n; k++) {
      Sym axis = r->mesh.axes[of->layout.dims[d].axes[k]].name;
      ROW(f, varies, f->tensors[id], axis);
      ROW(f, split, f->tensors[id], number(f, d), axis);
    }
}

static void add_meaning(Facts *f, NodeId id) {
  const Node *n = &f->g->nodes.at[id];
  if (n->op == sym("parameter")) {
    add_parameter(f, id);
    return;
  }
  const Instance *in = instance_of(f->instances, f->g, id, f->diags);
  if (!in) {
    f->ok = false;
    return;
  }
  bool collective = in->groups || in->pairs;
  const int64_t *known = f->groups.axes.len ? coord_value(f->coord, id) : NULL;
  add_pointwise(f, id, in);
  if (f->groups.all.len) add_slice(f, id, in);
  if (collective) add_collective(f, id, in);
  else if (known) vary(f, id, known);
  else if (reads_device(in)) vary(f, id, NULL);
  else ROW(f, local, f->tensors[id]);
}

/* ---- all of it ---- */

static bool find_tables(Facts *f, Program *e) {
  const Name *n = name_of(e, sym("Numbers"));
  bool ok = n->kind == NAME_SORT;
  f->numbers = n->id;
#define T(table)                 \
  n = name_of(e, sym(#table));   \
  ok &= n->kind == NAME_TABLE;   \
  f->table = n->id;
  TABLES(T)
#undef T
  return ok || diag_error(e->diags, f->at, E_UNBOUND, "the standard library declares no tables for graphs");
}

bool facts_add(Program *e, const FactGraph *of, const Library *library) {
  const Graph *g = of->graph;
  Facts f = {.db = e->db, .of = of, .g = g, .diags = e->diags, .ok = true};
  if (!find_tables(&f, e)) return false;
  f.instances = instances_new(library);
  if (of->mesh) instances_mesh(f.instances, of->mesh);
  f.ok = groups_init(&f.groups, g, of->mesh, f.instances, e->diags);
  f.coord = coord_new(g, f.instances, f.groups.n_devices);
  f.tensors = xmalloc((g->nodes.len + 1) * sizeof *f.tensors);
  for (size_t k = 0; k < f.groups.axes.len; k++) {
    const Grouping *axis = &f.groups.all.at[f.groups.axes.at[k]];
    ROW(&f, mesh_axis, axis->name, number(&f, axis->members));
  }
  f.n_users = xcalloc(g->nodes.len + 1, sizeof *f.n_users);
  for (NodeId id = 0; id < g->nodes.len; id++)
    for (uint32_t k = 0; k < g->nodes.at[id].n_args; k++) f.n_users[g->nodes.at[id].args[k]]++;
  for (size_t i = 0; i < g->outputs.len; i++) f.n_users[g->outputs.at[i].node]++;
  for (NodeId id = 0; id < g->nodes.len; id++)
    f.tensors[id] = db_make(f.db, f.tensor, (Val[]){of->name, number(&f, id)}, f.at);
  for (NodeId id = 0; f.ok && id < g->nodes.len; id++) {
    add_operator(&f, id);
    add_type(&f, id);
    add_meaning(&f, id);
  }
  for (size_t i = 0; i < g->outputs.len; i++)
    ROW(&f, output, f.tensors[g->outputs.at[i].node], number(&f, (int64_t)i));
  bool ok = db_settle(f.db) && f.ok;
  free(f.tensors);
  free(f.n_users);
  coord_free(f.coord);
  instances_free(f.instances);
  groups_free(&f.groups);
  return ok;
}

bool facts_add_layouts(Program *e, const FactPair *pair, Library *library) {
  Layouts all;
  const Span at = {0, 0, 0};
  TableId tensor = name_of(e, sym("tensor"))->id, lay = name_of(e, sym("lay"))->id;
  TableId cut = name_of(e, sym("cut"))->id, addends = name_of(e, sym("addends"))->id;
  bool ok = layouts_read(&all, library, pair->seq, pair->dist, pair->relation, e->diags);
  for (size_t i = 0; ok && i < all.all.len; i++) {
    const NodeLayout *l = &all.all.at[i];
    Val s = db_make(e->db, tensor, (Val[]){pair->seq_name, db_int(e->db, l->seq)}, at);
    Val d = db_make(e->db, tensor, (Val[]){pair->dist_name, db_int(e->db, l->dist)}, at);
    ok = db_insert(e->db, lay, (Val[]){s, sym(l->equation), d}, at);
    for (uint32_t k = 0; ok && k < l->n_cuts; k++)
      ok = db_insert(e->db, cut, (Val[]){d, db_int(e->db, l->cuts[k].dim), l->cuts[k].axis}, at);
    for (uint32_t k = 0; ok && k < l->n_addends; k++) ok = db_insert(e->db, addends, (Val[]){d, l->addends[k]}, at);
  }
  layouts_free(&all);
  return db_settle(e->db) && ok;
}
