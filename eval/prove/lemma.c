#include "eval/prove/lemma.h"

#include <string.h>

#include "eval/terms/build_access.h"
#include "eval/meaning/fn.h"

enum { MAX_ARGS = 16 };

typedef Vec(AstIndex) IndexList;

static bool bound_in(const IndexList *l, Sym name) {
  for (size_t i = 0; i < l->len; i++)
    if (l->at[i].name == name) return true;
  return false;
}

/* Names that stand free in an expression; `bound` are those of the reductions around it. */
static void free_names(const AstExpr *e, IndexList *bound, IndexList *out) {
  size_t had = bound->len;
  for (uint32_t i = 0; i < e->n_binders; i++) vec_push(bound, e->binders[i]);
  bool names = e->kind == EX_NAME || e->kind == EX_GROUP;
  if (names && !bound_in(bound, e->name) && !bound_in(out, e->name)) vec_push(out, (AstIndex){.name = e->name});
  for (uint32_t i = 0; i < e->n_args; i++) free_names(e->args[i], bound, out);
  bound->len = had;
}

/* Parameters whose tuples have sizes. */
static AstParam *sized(const AstLemma *l, LemmaSize *size, void *context, Arena *a) {
  AstParam *params = arena_copy(a, l->params, l->n_params * sizeof *params);
  for (uint32_t p = 0; p < l->n_params && size; p++) {
    params[p].dims = arena_copy(a, l->params[p].dims, params[p].n_dims * sizeof *params[p].dims);
    for (uint32_t d = 0; d < params[p].n_dims; d++) {
      AstPattern *dim = &params[p].dims[d];
      if (dim->n < 2) continue;
      dim->digit = arena_copy(a, dim->digit, dim->n * sizeof *dim->digit);
      for (uint32_t j = 0; j < dim->n; j++) {
        int64_t n = size(context, dim->digit[j].name);
        if (!n || dim->digit[j].size) continue;
        AstExpr *e = ARENA_NEW(a, AstExpr);
        *e = (AstExpr){.kind = EX_RAT, .depth = 1, .value = rat_int(n), .span = dim->digit[j].span};
        dim->digit[j].size = e;
      }
    }
  }
  return params;
}

static AstItem *side_of(const AstItem *item, AstParam *params, const AstExpr *body, Sym name, const AstPattern *dims,
                        uint32_t n, Arena *a) {
  AstItem *op = ARENA_NEW(a, AstItem);
  *op = *item;
  op->kind = ITEM_OP;
  op->name = name;
  AstResult *r = ARENA_NEW(a, AstResult);
  *r = (AstResult){.n_dims = n, .dims = (AstPattern *)dims, .body = (AstExpr *)body, .span = item->span};
  op->op = (AstOp){.n_params = item->lemma.n_params,
                   .params = params,
                   .n_attrs = item->lemma.n_attrs,
                   .attrs = item->lemma.attrs,
                   .n_results = 1,
                   .results = r,
                   .when = item->lemma.when};
  return op;
}

Lemma lemma_of(const AstItem *item, const char *tag, LemmaSize *size, void *context, Arena *a) {
  const AstLemma *l = &item->lemma;
  IndexList bound = {0}, names = {0};
  free_names(l->equation, &bound, &names);
  AstPattern *dims = NULL;
  uint32_t n = 0, cap = 0;
  for (uint32_t p = 0; p < l->n_params; p++) cap += l->params[p].n_dims;
  dims = ARENA_ARRAY(a, AstPattern, cap * 4 + 1);
  for (uint32_t p = 0; p < l->n_params; p++)
    for (uint32_t d = 0; d < l->params[p].n_dims; d++)
      for (uint32_t j = 0; j < l->params[p].dims[d].n && n < cap * 4; j++) {
        AstIndex *x = &l->params[p].dims[d].digit[j];
        bool seen = false;
        for (uint32_t k = 0; k < n; k++) seen |= dims[k].digit->name == x->name;
        if (!seen && bound_in(&names, x->name)) dims[n++] = (AstPattern){.n = 1, .digit = x, .span = x->span};
      }
  vec_free(&bound);
  vec_free(&names);
  const char *text = sym_text(item->name);
  Lemma out = {.name = item->name, .item = item};
  out.left = sym(arena_printf(a, "%s.left%s", text, tag));
  out.right = sym(arena_printf(a, "%s.right%s", text, tag));
  AstItem **items = ARENA_ARRAY(a, AstItem *, 2);
  AstParam *params = sized(l, size, context, a);
  items[0] = side_of(item, params, l->equation->args[0], out.left, dims, n, a);
  items[1] = side_of(item, params, l->equation->args[1], out.right, dims, n, a);
  out.sides = ARENA_NEW(a, AstFile);
  *out.sides = (AstFile){.source = item->span.source, .n_items = 2, .items = items};
  return out;
}

/* ------------------------------------------------------------------ rewrites */
/* f(x, ..) of distinct scalar parameters, all of them, in order. */
static bool is_rewrite(const Library *lib, const AstLemma *l) {
  const AstExpr *left = l->equation->args[0];
  if (l->equation->kind != EX_EQ || left->kind != EX_CALL || l->when || l->n_attrs || left->n_args != l->n_params)
    return false;
  if (fn_find(left->name) == FN_COUNT || library_fn(lib, left->name)) return false;
  for (uint32_t i = 0; i < l->n_params; i++)
    if (l->params[i].n_dims || l->params[i].variadic || left->args[i]->name != l->params[i].name ||
        (left->args[i]->kind != EX_NAME && left->args[i]->kind != EX_READ))
      return false;
  return true;
}

static const Instance *right_side(Instances *instances, const Lemma *l, uint32_t n, Diags *diags) {
  Graph *g = graph_new();
  NodeId *args = ARENA_ARRAY(&g->arena, NodeId, n + 1);
  for (uint32_t i = 0; i < n; i++) args[i] = graph_add(g, &(Node){.op = sym("parameter"), .dtype = DT_F32, .param = i});
  NodeId id = graph_add(g, &(Node){.op = l->right, .dtype = DT_F32, .n_args = n, .args = args});
  const Instance *in = instance_of(instances, g, id, diags);
  graph_free(g);
  bool usable = in && !in->opaque && in->body != NO_X;
  for (uint32_t i = 0; usable && i < in->n_x; i++) {
    XKind k = in->x[i].kind; /* scalar arithmetic only */
    usable = k == X_READ || (in->x[i].n <= MAX_ARGS && k != X_INDEX && k != X_COORD && k != X_INF && k != X_SUM &&
                             k != X_MAX && k != X_MIN);
  }
  return usable ? in : NULL;
}

static const char *statement(const Sources *sources, const AstItem *item, Arena *a) {
  const Source *s = sources_get(sources, item->lemma.equation->span.source);
  if (!s) return arena_printf(a, "lemma %s", sym_text(item->name));
  Span at = item->lemma.equation->span;
  return arena_printf(a, "lemma %s: %.*s", sym_text(item->name), (int)(at.hi - at.lo), s->text + at.lo);
}

Rewrites lemma_rewrites(Library *library, Instances *instances, Arena *a, Diags *diags) {
  uint32_t n_files, n = 0, cap = 0;
  const AstFile *const *files = library_files(library, &n_files);
  Vec(const AstItem *) items = {0};
  for (uint32_t i = 0; i < n_files; i++)
    for (uint32_t k = 0; k < files[i]->n_items; k++)
      if (files[i]->items[k]->kind == ITEM_LEMMA && is_rewrite(library, &files[i]->items[k]->lemma))
        vec_push(&items, files[i]->items[k]);
  cap = (uint32_t)items.len;
  Rewrite *at = ARENA_ARRAY(a, Rewrite, cap);
  for (uint32_t i = 0; i < cap; i++) {
    const AstItem *item = items.at[i];
    Lemma l = lemma_of(item, "", NULL, NULL, library_arena(library));
    uint32_t known;
    library_ops(library, l.right, &known);
    if (!known) library_add(library, l.sides);
    const Instance *right = right_side(instances, &l, item->lemma.n_params, diags);
    if (right)
      at[n++] = (Rewrite){item->name, item->lemma.equation->args[0]->name, item->lemma.n_params, right,
                          statement(diags_sources(diags), item, a)};
  }
  vec_free(&items);
  return (Rewrites){n, at};
}

typedef struct Applied {
  Calculus *c;
  const Instance *in;
  const Value *args;
  Value *memo;
  bool *done;
} Applied;

static Value apply_x(Applied *s, XId id) {
  if (s->done[id]) return s->memo[id];
  const X *x = &s->in->x[id];
  Value v, buf[MAX_ARGS];
  if (x->kind == X_READ) {
    v = s->args[x->operand];
  } else if (x->kind == X_RAT) {
    v = value_num(x->r);
  } else {
    for (uint32_t i = 0; i < x->n; i++) buf[i] = apply_x(s, x->args[i]);
    v = build_apply(s->c, x, buf);
  }
  s->done[id] = true;
  return s->memo[id] = v;
}

Value lemma_apply(Calculus *c, const Rewrite *r, const Value *args) {
  Arena a = {0};
  Applied s = {c, r->right, args, ARENA_ARRAY(&a, Value, r->right->n_x), ARENA_ARRAY(&a, bool, r->right->n_x)};
  Value v = apply_x(&s, r->right->body);
  arena_free(&a);
  return v;
}
