/* Meshes, graphs and what relates them.  What needs the graphs themselves (names and shapes of tensors) is checked
 * where the graphs are read. */
#include <string.h>

#include "lang/check.h"
#include "lang/nearest.h"

enum { MAX_AXES = 64, MAX_DEVICES = 1 << 24, MAX_INDICES = 256 };

static const char *const verbs[] = {"refines", "equal", "expected", "lineage"};
static const char *const layouts[] = {"shard", "partial", "replicated", "blocks"};

static void suggest(Check *c, const char *word, const char *const *words, size_t n) {
  Nearest near = {.word = word, .len = strlen(word)};
  for (size_t i = 0; i < n; i++) nearest_try(&near, words[i]);
  if (near.best) diag_hint(c->diags, "did you mean `%s`?", near.best);
}

static const AstAxis *find_axis(const Check *c, Sym name) {
  for (uint32_t i = 0; c->mesh && i < c->mesh->n_axes; i++)
    if (c->mesh->axes[i].name == name) return &c->mesh->axes[i];
  return NULL;
}

/* The mesh may be that of a relation file, which only its reader knows. */
static bool mesh_elsewhere(const Check *c) {
  for (uint32_t i = 0; !c->mesh && i < c->file->n_items; i++)
    if (c->file->items[i]->kind == ITEM_RELATION) return true;
  return false;
}

static bool check_axis(Check *c, const AstExpr *e) {
  if (e->kind == EX_NAME && !e->graph && (find_axis(c, e->name) || mesh_elsewhere(c))) return true;
  if (e->kind != EX_NAME || e->graph) return diag_error(c->diags, e->span, E_AXIS, "an axis of the mesh is a name");
  diag_error(c->diags, e->span, E_AXIS, "`%s` is no axis of the mesh", sym_text(e->name));
  Nearest near = {.word = sym_text(e->name), .len = sym_len(e->name)};
  for (uint32_t i = 0; c->mesh && i < c->mesh->n_axes; i++) nearest_try(&near, sym_text(c->mesh->axes[i].name));
  if (near.best) diag_hint(c->diags, "did you mean `%s`?", near.best);
  else if (!c->mesh) diag_hint(c->diags, "declare it: `mesh { %s = 2 }`", sym_text(e->name));
  return false;
}

static void check_graph_name(Check *c, Span at, Sym name) {
  if (check_find(c, ITEM_GRAPH, name)) return;
  diag_error(c->diags, at, E_UNBOUND, "no graph is called `%s`", sym_text(name));
  if (!check_hints(c)) return;
  Nearest near = {.word = sym_text(name), .len = sym_len(name)};
  for (size_t i = 0; i < c->decls.len; i++)
    if (c->decls.at[i].kind == ITEM_GRAPH) nearest_try(&near, sym_text(c->decls.at[i].name));
  if (near.best) diag_hint(c->diags, "did you mean `%s`?", near.best);
}

/* graph.tensor */
static void check_tensor(Check *c, const AstExpr *e) {
  if (e->graph) check_graph_name(c, e->name_span, e->graph);
  else {
    diag_error(c->diags, e->name_span, E_KIND, "a tensor is named with its graph");
    diag_hint(c->diags, "write `graph.%s`", sym_text(e->name));
  }
}

/* ---- Meshes and graphs ---- */

static void check_order(Check *c, const AstItem *it, int64_t devices) {
  const AstMesh *m = &it->mesh;
  if (m->n_devices != devices) {
    diag_error(c->diags, it->span, E_MESH, "the mesh has %lld devices and lists %u", (long long)devices, m->n_devices);
    return;
  }
  char *seen = xcalloc((size_t)devices, 1);
  for (uint32_t i = 0; i < m->n_devices; i++) {
    const AstExpr *e = m->devices[i];
    int64_t n;
    if (e->kind != EX_RAT || !rat_to_int(e->value, &n) || n < 0 || n >= devices)
      diag_error(c->diags, e->span, E_MESH, "a device is a number from 0 to %lld", (long long)devices - 1);
    else if (seen[n]++)
      diag_error(c->diags, e->span, E_MESH, "device %lld is listed twice", (long long)n);
  }
  free(seen);
}

static void check_mesh(Check *c, const AstItem *it) {
  const AstMesh *m = &it->mesh;
  int64_t devices = 1;
  if (m->n_axes > MAX_AXES) {
    diag_error(c->diags, it->span, E_MESH, "a mesh has at most %d axes", MAX_AXES);
    return;
  }
  for (uint32_t i = 0; i < m->n_axes; i++) {
    const AstAxis *a = &m->axes[i];
    for (uint32_t j = 0; j < i; j++)
      if (m->axes[j].name == a->name) {
        diag_error(c->diags, a->span, E_DUPLICATE, "the axis `%s` is declared twice", sym_text(a->name));
        diag_note(c->diags, m->axes[j].span, "it is declared here");
      }
    int64_t n;
    if (a->size->kind != EX_RAT || !rat_to_int(a->size->value, &n) || n < 1)
      diag_error(c->diags, a->size->span, E_MESH, "the size of an axis is a positive integer"), devices = 0;
    else if (devices && n > MAX_DEVICES / devices)
      diag_error(c->diags, a->size->span, E_MESH, "a mesh of more than %d devices", MAX_DEVICES), devices = 0;
    else devices *= n;
  }
  if (m->n_devices && devices) check_order(c, it, devices);
}

static void check_graph(Check *c, const AstItem *it) {
  const AstGraph *g = &it->graph;
  if (g->n_axes > MAX_AXES) {
    diag_error(c->diags, it->span, E_MESH, "a mesh has at most %d axes", MAX_AXES);
    return;
  }
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    if (g->nodes[i]->kind != EX_NODE) continue;
    if (sizes_find(c->sizes, g->nodes[i]->name) >= 0)
      diag_error(c->diags, g->nodes[i]->name_span, E_DUPLICATE, "`%s` is a size", sym_text(g->nodes[i]->name));
    check_node(c, g->nodes[i]);
  }
  for (uint32_t i = 0; i < g->n_axes; i++) {
    if (!check_axis(c, g->axes[i])) continue;
    for (uint32_t j = 0; j < i; j++)
      if (g->axes[j]->name == g->axes[i]->name)
        diag_error(c->diags, g->axes[i]->span, E_DUPLICATE, "the axis `%s` is listed twice",
                   sym_text(g->axes[i]->name));
  }
}

/* ---- Relations ---- */

/* An index of an equation between graphs: free ones stand on both sides. */
typedef struct Free {
  Sym name;
  Span at;
  uint8_t sides; /* bit 0: left, bit 1: right */
} Free;

typedef struct Equation {
  Check *c;
  uint8_t side;
  uint32_t n;
  Free at[MAX_INDICES];
} Equation;

static void see_index(Equation *q, const AstExpr *e) {
  if (find_axis(q->c, e->name)) return;
  for (uint32_t i = 0; i < q->n; i++)
    if (q->at[i].name == e->name) {
      q->at[i].sides |= q->side;
      return;
    }
  if (q->n == MAX_INDICES) diag_error(q->c->diags, e->span, E_LIMIT, "more than %d indices", MAX_INDICES);
  else q->at[q->n++] = (Free){e->name, e->span, q->side};
}

static void see_indices(Equation *q, const AstExpr *e) {
  switch (e->kind) {
    case EX_RAT: return;
    case EX_NAME:
      if (e->graph) diag_error(q->c->diags, e->span, E_RELATION, "a tensor is no index");
      else see_index(q, e);
      return;
    case EX_TUPLE:
    case EX_ADD:
    case EX_SUB:
    case EX_MUL:
      for (uint32_t i = 0; i < e->n_args; i++) see_indices(q, e->args[i]);
      return;
    case EX_ERROR: return;
    default:
      diag_error(q->c->diags, e->span, E_RELATION, "an index of a relation is a name, a digit tuple or a number");
  }
}

static void see_sum(Equation *q, const AstExpr *e);

static void see_side(Equation *q, const AstExpr *e) {
  switch (e->kind) {
    case EX_ERROR:
    case EX_RAT: return;
    case EX_NAME: check_tensor(q->c, e); return;
    case EX_READ:
      check_tensor(q->c, e);
      for (uint32_t i = 0; i < e->n_devices; i++)
        if (e->devices[i]->kind != EX_RAT) check_axis(q->c, e->devices[i]);
      for (uint32_t i = 0; i < e->n_args; i++) see_indices(q, e->args[i]);
      return;
    case EX_SUM: see_sum(q, e); return;
    case EX_ADD:
    case EX_SUB:
    case EX_MUL:
    case EX_DIV:
    case EX_NEG:
      for (uint32_t i = 0; i < e->n_args; i++) see_side(q, e->args[i]);
      return;
    default:
      diag_error(q->c->diags, e->span, E_RELATION, "a relation only rearranges, sums and scales tensors");
  }
}

/* sum(dp): over axes of the mesh. */
static void see_sum(Equation *q, const AstExpr *e) {
  for (uint32_t i = 0; i < e->n_binders; i++) {
    const AstIndex *b = &e->binders[i];
    AstExpr name = {.kind = EX_NAME, .name = b->name, .span = b->span};
    if (b->form != FORM_INDEX || b->size)
      diag_error(q->c->diags, b->span, E_AXIS, "a sum runs over an axis of the mesh");
    else check_axis(q->c, &name);
  }
  see_side(q, e->args[0]);
}

static void check_equation(Check *c, const AstExpr *e) {
  if (e->kind != EX_EQ) {
    if (e->kind == EX_ERROR) return;
    diag_error(c->diags, e->span, E_RELATION, "a relation is an equation");
    diag_hint(c->diags, "write `dist.x[i] == seq.x[i]`, or `dist.x ~ seq.x shard(0, axis)`");
    return;
  }
  Equation q = {.c = c};
  size_t errors = diag_errors(c->diags);
  for (uint8_t i = 0; i < 2; i++) {
    q.side = (uint8_t)(1 << i);
    see_side(&q, e->args[i]);
  }
  for (uint32_t i = 0; i < q.n && diag_errors(c->diags) == errors; i++) {
    if (q.at[i].sides == 3) continue;
    diag_error(c->diags, q.at[i].at, E_INDEX, "`%s` stands on one side only", sym_text(q.at[i].name));
    diag_hint(c->diags, "an index that is no axis of the mesh stands on both sides");
  }
}

/* `blocks(d, order..)`: a dimension, and every number from 0 on once. */
static void check_blocks(Check *c, const AstExpr *e) {
  bool good = e->n_args > 1;
  for (uint32_t i = 0; i < e->n_args && good; i++) {
    int64_t v;
    good = e->args[i]->kind == EX_RAT && rat_to_int(e->args[i]->value, &v) && v >= 0 && (!i || v < e->n_args - 1);
    for (uint32_t j = 1; j < i && good; j++) good = rat_cmp(e->args[j]->value, e->args[i]->value) != 0;
  }
  if (good) return;
  diag_error(c->diags, e->span, E_RELATION, "`blocks` takes a dimension and an order of its blocks");
  diag_hint(c->diags, "write `blocks(0, 0, 3, 1, 2)`: four equal blocks of dimension 0, in this order");
}

static void check_layout(Check *c, const AstExpr *e) {
  const char *what = sym_text(e->name);
  bool shard = !strcmp(what, layouts[0]), known = false;
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) known |= !strcmp(what, layouts[i]);
  if (!known || e->kind != EX_CALL) {
    diag_error(c->diags, e->span, E_RELATION, "`%s` is no layout", what);
    suggest(c, what, layouts, sizeof layouts / sizeof *layouts);
    return;
  }
  int64_t dim;
  bool cut = e->n_args > 1 && e->args[0]->kind == EX_RAT && rat_to_int(e->args[0]->value, &dim) && dim >= 0;
  if (shard && !cut) {
    diag_error(c->diags, e->span, E_RELATION, "`shard` takes a dimension and the axes that cut it");
    diag_hint(c->diags, "write `shard(0, axis)`");
    return;
  }
  if (!strcmp(what, layouts[3])) check_blocks(c, e);
  else for (uint32_t i = shard; i < e->n_args; i++) check_axis(c, e->args[i]);
}

static void check_given(Check *c, const AstGiven *g) {
  if (g->equation) {
    check_equation(c, g->equation);
    return;
  }
  check_tensor(c, g->left);
  check_tensor(c, g->right);
  for (uint32_t i = 0; i < g->n_layout; i++) check_layout(c, g->layout[i]);
}

/* A number: inf, a literal, or its negation. */
static bool bound(Check *c, const AstExpr *e, Rat *value, bool *finite) {
  bool negative = e->kind == EX_NEG;
  const AstExpr *x = negative ? e->args[0] : e;
  if (sizes_in(c->sizes, e)) return *finite = false; /* known when the sizes are */
  if (x->kind != EX_RAT && x->kind != EX_INF)
    return diag_error(c->diags, e->span, E_RELATION, "a bound is a number or inf");
  *finite = x->kind == EX_RAT;
  *value = *finite ? (negative ? rat_neg(x->value) : x->value) : negative ? RAT_NEG1 : RAT_1;
  return true;
}

static void check_assume(Check *c, const AstAssume *a) {
  Rat lo, hi;
  bool lo_finite, hi_finite;
  check_tensor(c, a->tensor);
  bool ok = bound(c, a->lo, &lo, &lo_finite);
  if (!bound(c, a->hi, &hi, &hi_finite) || !ok) return;
  bool empty = lo_finite && hi_finite ? rat_cmp(lo, hi) > 0
                                      : (!lo_finite && rat_sign(lo) > 0) || (!hi_finite && rat_sign(hi) < 0);
  if (empty) diag_error(c->diags, a->lo->span, E_RELATION, "the range is empty");
}

static void check_check(Check *c, const AstCheck *k) {
  check_graph_name(c, k->left->span, k->left->name);
  check_graph_name(c, k->right->span, k->right->name);
  const char *verb = sym_text(k->verb);
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (!strcmp(verb, verbs[i])) return;
  diag_error(c->diags, k->verb_span, E_KIND, "`%s` is no question about two graphs", verb);
  suggest(c, verb, verbs, sizeof verbs / sizeof *verbs);
}

void check_model(Check *c, const AstItem *it) {
  switch ((AstItemKind)it->kind) {
    case ITEM_MESH: check_mesh(c, it); return;
    case ITEM_GRAPH: check_graph(c, it); return;
    case ITEM_GIVEN:
    case ITEM_EXPECT: check_given(c, &it->given); return;
    case ITEM_ASSUME:
      if (it->assume.tensor) check_assume(c, &it->assume);
      else check_conditions(c, it);
      return;
    case ITEM_SIZES: check_sizes(c, it); return;
    case ITEM_CHECK: check_check(c, &it->check); return;
    default: return; /* a relation's file is checked by its reader */
  }
}
