/* From the items of a model to data.
 *
 * An equation relates dist.x[i, j] to seq.x[i, (axes.., j)]: dimension by dimension, the sequential index is the
 * distributed one behind the axes that cut it.  Axes under a sum on the distributed side are partial. */
#include "lang/model.h"

#include <string.h>

#include "lang/base/vec.h"

enum { MAX_DIMS = 64, MAX_AXES = 64 };

typedef struct Reader {
  Arena *arena;
  Diags *diags;
  const AstFile *file;
  Model *m;
} Reader;

static const char *const questions[] = {"refines", "equal", "expected", "lineage"};

static const AstItem *const *items_of(const Reader *r, AstItemKind kind, uint32_t *n) {
  const AstItem **at = ARENA_ARRAY(r->arena, const AstItem *, r->file->n_items);
  *n = 0;
  for (uint32_t i = 0; i < r->file->n_items; i++)
    if (r->file->items[i]->kind == kind) at[(*n)++] = r->file->items[i];
  return at;
}

const AstGraph *model_graph(const Model *m, Sym name) {
  for (uint32_t i = 0; i < m->n_graphs; i++)
    if (m->graphs[i]->name == name) return &m->graphs[i]->graph;
  return NULL;
}

static void read_mesh(Reader *r, const AstItem *it) {
  Model *m = r->m;
  const AstMesh *mesh = &it->mesh;
  ModelAxis *axes = ARENA_ARRAY(r->arena, ModelAxis, mesh->n_axes);
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    axes[i].name = mesh->axes[i].name;
    rat_to_int(mesh->axes[i].size->value, &axes[i].size);
  }
  int64_t *devices = mesh->n_devices ? ARENA_ARRAY(r->arena, int64_t, mesh->n_devices) : NULL;
  for (uint32_t i = 0; i < mesh->n_devices; i++) rat_to_int(mesh->devices[i]->value, &devices[i]);
  m->axes = axes;
  m->n_axes = mesh->n_axes;
  m->devices = devices;
  m->mesh_span = it->span;
}

static bool axis_of(const Model *m, const AstExpr *e, uint32_t *axis) {
  for (*axis = 0; *axis < m->n_axes; ++*axis)
    if (e->kind == EX_NAME && !e->graph && m->axes[*axis].name == e->name) return true;
  return false;
}

static ModelTensor tensor_of(const AstExpr *e) { return (ModelTensor){e->graph, e->name, e->name_span}; }

static bool no_layout(Reader *r, Span at, const char *what) {
  diag_error(r->diags, at, E_RELATION, "%s", what);
  diag_hint(r->diags, "a relation cuts dimensions, `dist.x[i, j] == seq.x[i, (axis, j)]`, or sums over axes");
  return false;
}

/* ---- Equations ---- */

/* One side: the tensor, and the axes it is summed over. */
typedef struct Side {
  const AstExpr *tensor;
  uint32_t n_sums, sums[MAX_AXES];
} Side;

static bool read_side(Reader *r, const AstExpr *e, Side *s) {
  *s = (Side){0};
  for (; e->kind == EX_SUM; e = e->args[0])
    for (uint32_t i = 0; i < e->n_binders; i++) {
      AstExpr name = {.kind = EX_NAME, .name = e->binders[i].name};
      uint32_t axis;
      if (!axis_of(r->m, &name, &axis)) return no_layout(r, e->binders[i].span, "a sum runs over axes of the mesh");
      for (uint32_t k = 0; k < s->n_sums; k++)
        if (s->sums[k] == axis) return no_layout(r, e->binders[i].span, "an axis is summed over twice");
      s->sums[s->n_sums++] = axis;
    }
  s->tensor = e;
  if (e->kind != EX_NAME && e->kind != EX_READ) return no_layout(r, e->span, "only a tensor of a graph can stand here");
  for (uint32_t i = 0; i < e->n_devices; i++) {
    uint32_t axis;
    if (!axis_of(r->m, e->devices[i], &axis)) return no_layout(r, e->devices[i]->span, "a single device is no layout");
  }
  return true;
}

/* The sequential index of one dimension: axes, then the distributed index. */
static bool read_dim(Reader *r, const AstExpr *seq, const AstExpr *dist, ModelDim *dim) {
  uint32_t n = seq->kind == EX_TUPLE ? seq->n_args - 1 : 0, ignored;
  const AstExpr *last = seq->kind == EX_TUPLE ? seq->args[n] : seq;
  uint32_t *axes = ARENA_ARRAY(r->arena, uint32_t, n);
  if (dist->kind != EX_NAME || axis_of(r->m, dist, &ignored))
    return no_layout(r, dist->span, "each dimension of the distributed tensor has an index of its own");
  for (uint32_t i = 0; i < n; i++)
    if (!axis_of(r->m, seq->args[i], &axes[i]))
      return no_layout(r, seq->args[i]->span, "before the index stand only axes of the mesh");
  if (last->kind != EX_NAME || last->name != dist->name)
    return no_layout(r, last->span, "the dimensions of both tensors do not correspond in order");
  *dim = (ModelDim){n, axes};
  return true;
}

static bool read_dims(Reader *r, const AstExpr *dist, const AstExpr *seq, ModelRelated *out) {
  if (dist->kind == EX_NAME && seq->kind == EX_NAME) return out->open = true;
  if (dist->n_args != seq->n_args || dist->kind != seq->kind)
    return no_layout(r, seq->span, "the tensors have different numbers of dimensions");
  if (dist->n_args > MAX_DIMS) return no_layout(r, seq->span, "a tensor has at most 64 dimensions");
  ModelDim *dims = ARENA_ARRAY(r->arena, ModelDim, dist->n_args);
  for (uint32_t i = 0; i < dist->n_args; i++) {
    if (!read_dim(r, seq->args[i], dist->args[i], &dims[i])) return false;
    for (uint32_t j = 0; j < i; j++)
      if (dist->args[j]->name == dist->args[i]->name)
        return no_layout(r, dist->args[i]->span, "an index stands for two dimensions");
  }
  out->dims = dims;
  out->n_dims = dist->n_args;
  return true;
}

/* The distributed side is the one of a graph over axes, or, if neither is, the left one. */
static bool read_equation(Reader *r, const AstExpr *e, ModelRelated *out) {
  Side side[2];
  for (int i = 0; i < 2; i++)
    if (!read_side(r, e->args[i], &side[i])) return false;
  const AstGraph *left = model_graph(r->m, side[0].tensor->graph), *right = model_graph(r->m, side[1].tensor->graph);
  int d = left && right && !left->n_axes && right->n_axes;
  const Side *dist = &side[d], *seq = &side[!d];
  if (seq->n_sums || seq->tensor->n_devices)
    return no_layout(r, seq->tensor->span, "the sequential tensor is on one device: no sum over axes, no position");
  out->dist = tensor_of(dist->tensor);
  out->seq = tensor_of(seq->tensor);
  out->n_partial = dist->n_sums;
  out->partial = arena_copy(r->arena, dist->sums, dist->n_sums * sizeof *dist->sums);
  return read_dims(r, dist->tensor, seq->tensor, out);
}

/* ---- Layouts ---- */

static bool read_shard(Reader *r, const AstExpr *e, ModelDim *dims, ModelRelated *out) {
  int64_t d;
  if (!rat_to_int(e->args[0]->value, &d) || d < 0 || d >= MAX_DIMS)
    return no_layout(r, e->span, "a tensor has at most 64 dimensions");
  if (dims[d].n) return no_layout(r, e->span, "a dimension is cut twice");
  uint32_t *axes = ARENA_ARRAY(r->arena, uint32_t, e->n_args);
  for (uint32_t i = 1; i < e->n_args; i++) axis_of(r->m, e->args[i], &axes[i - 1]);
  dims[d] = (ModelDim){e->n_args - 1, axes};
  if (out->n_dims <= d) out->n_dims = (uint32_t)d + 1;
  return true;
}

static bool read_layout(Reader *r, const AstGiven *g, ModelRelated *out) {
  ModelDim *dims = ARENA_ARRAY(r->arena, ModelDim, MAX_DIMS);
  uint32_t *partial = ARENA_ARRAY(r->arena, uint32_t, MAX_AXES);
  out->dist = tensor_of(g->left);
  out->seq = tensor_of(g->right);
  out->open = true;
  out->dims = dims;
  out->partial = partial;
  for (uint32_t i = 0; i < g->n_layout; i++) {
    const AstExpr *e = g->layout[i];
    bool shard = !strcmp(sym_text(e->name), "shard"), sums = !strcmp(sym_text(e->name), "partial");
    if (shard && !read_shard(r, e, dims, out)) return false;
    for (uint32_t k = 0; sums && k < e->n_args; k++) {
      if (out->n_partial == MAX_AXES) return no_layout(r, e->span, "an axis is summed over twice");
      axis_of(r->m, e->args[k], &partial[out->n_partial++]);
    }
  }
  return true;
}

static bool runs_over(const AstGraph *g, Sym axis) {
  for (uint32_t i = 0; i < g->n_axes; i++)
    if (g->axes[i]->name == axis) return true;
  return false;
}

/* An axis cuts one dimension or is summed over, once, and the distributed graph runs over it. */
static bool uses_axes_once(Reader *r, const ModelRelated *x) {
  const AstGraph *g = model_graph(r->m, x->dist.graph);
  uint64_t seen = 0;
  for (uint32_t i = 0; i <= x->n_dims; i++) {
    const uint32_t *axes = i < x->n_dims ? x->dims[i].axes : x->partial;
    for (uint32_t k = 0, n = i < x->n_dims ? x->dims[i].n : x->n_partial; k < n; k++) {
      Sym axis = r->m->axes[axes[k]].name;
      if (seen >> axes[k] & 1)
        return diag_error(r->diags, x->span, E_RELATION, "the axis `%s` is used twice in one layout", sym_text(axis));
      if (g && !runs_over(g, axis))
        return diag_error(r->diags, x->span, E_AXIS, "the graph `%s` does not run over `%s`", sym_text(x->dist.graph),
                          sym_text(axis));
      seen |= (uint64_t)1 << axes[k];
    }
  }
  return true;
}

/* ---- Items ---- */

static void read_related(Reader *r) {
  ModelRelated *all = ARENA_ARRAY(r->arena, ModelRelated, r->file->n_items);
  for (uint32_t i = 0; i < r->file->n_items; i++) {
    const AstItem *it = r->file->items[i];
    if (it->kind != ITEM_GIVEN && it->kind != ITEM_EXPECT) continue;
    ModelRelated x = {.expect = it->kind == ITEM_EXPECT, .span = it->span};
    bool read = it->given.equation ? read_equation(r, it->given.equation, &x) : read_layout(r, &it->given, &x);
    if (read && uses_axes_once(r, &x)) all[r->m->n_related++] = x;
  }
  r->m->related = all;
}

static bool bound_of(const AstExpr *e, Rat *value) {
  bool minus = e->kind == EX_NEG;
  if (minus) e = e->args[0];
  *value = minus ? rat_neg(e->value) : e->value;
  return e->kind == EX_RAT;
}

static void read_ranges_and_checks(Reader *r) {
  Model *m = r->m;
  ModelRange *ranges = ARENA_ARRAY(r->arena, ModelRange, r->file->n_items);
  ModelCheck *checks = ARENA_ARRAY(r->arena, ModelCheck, r->file->n_items);
  for (uint32_t i = 0; i < r->file->n_items; i++) {
    const AstItem *it = r->file->items[i];
    if (it->kind == ITEM_ASSUME && it->assume.tensor) {
      ModelRange *x = &ranges[m->n_ranges++];
      *x = (ModelRange){.tensor = tensor_of(it->assume.tensor), .lo = RAT_0, .hi = RAT_0, .span = it->span};
      x->has_lo = it->assume.lo->kind != EX_INF && bound_of(it->assume.lo, &x->lo);
      x->has_hi = it->assume.hi->kind != EX_INF && bound_of(it->assume.hi, &x->hi);
    } else if (it->kind == ITEM_CHECK) {
      ModelQuestion q = MODEL_REFINES;
      for (ModelQuestion k = MODEL_REFINES; k <= MODEL_LINEAGE; k++)
        if (!strcmp(sym_text(it->check.verb), questions[k])) q = k;
      checks[m->n_checks++] = (ModelCheck){it->check.left->name, it->check.right->name, q, it->span};
    }
  }
  m->ranges = ranges;
  m->checks = checks;
}

const Model *model_of(Arena *arena, const AstFile *file, Diags *diags) {
  Reader r = {arena, diags, file, ARENA_NEW(arena, Model)};
  size_t errors = diag_errors(diags);
  for (uint32_t i = 0; i < file->n_items; i++)
    if (file->items[i]->kind == ITEM_MESH) read_mesh(&r, file->items[i]);
  r.m->graphs = items_of(&r, ITEM_GRAPH, &r.m->n_graphs);
  r.m->files = items_of(&r, ITEM_RELATION, &r.m->n_files);
  read_related(&r);
  read_ranges_and_checks(&r);
  return diag_errors(diags) == errors ? r.m : NULL;
}
