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
  if (e->kind == EX_BUILTIN && e->builtin != BUILTIN_INSIDE && e->builtin != BUILTIN_FLAT) return; /* of sizes */
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
        if (n < 0 || dim->digit[j].size) continue;
        AstExpr *e = ARENA_NEW(a, AstExpr);
        *e = (AstExpr){.kind = EX_RAT, .depth = 1, .value = rat_int(n), .span = dim->digit[j].span};
        dim->digit[j].size = e;
      }
    }
  }
  return params;
}

/* ---- conditions ---- */

void lemma_conjuncts(const AstExpr *when, void (*f)(void *context, const AstExpr *e), void *context) {
  if (!when) return;
  if (when->kind != EX_AND) {
    f(context, when);
    return;
  }
  lemma_conjuncts(when->args[0], f, context);
  lemma_conjuncts(when->args[1], f, context);
}

static bool is_param(const AstLemma *l, Sym name) {
  for (uint32_t p = 0; p < l->n_params; p++)
    if (l->params[p].name == name) return true;
  return false;
}

static bool is_attr(const AstLemma *l, Sym name) {
  for (uint32_t k = 0; k < l->n_attrs; k++)
    if (l->attrs[k].name == name) return true;
  return false;
}

/* Depends on the values of tensors, or on the place in them. */
static bool of_values(const AstLemma *l, const AstExpr *e) {
  if (e->kind == EX_READ || e->kind == EX_GROUP) return true;
  if (e->kind == EX_NAME) return is_param(l, e->name) || !is_attr(l, e->name);
  if (e->kind == EX_IS) return false;
  if (e->kind == EX_BUILTIN && e->builtin != BUILTIN_INSIDE && e->builtin != BUILTIN_FLAT) return false;
  for (uint32_t i = 0; i < e->n_args; i++)
    if (of_values(l, e->args[i])) return true;
  return false;
}

typedef struct Split {
  const AstLemma *l;
  Arena *a;
  AstExpr *when, *guard;
} Split;

static AstExpr *join(Arena *a, AstExpr *x, const AstExpr *y) {
  if (!x) return (AstExpr *)y;
  AstExpr *e = ARENA_NEW(a, AstExpr);
  *e = (AstExpr){.kind = EX_AND, .span = y->span, .depth = (uint16_t)(1 + (x->depth > y->depth ? x->depth : y->depth))};
  e->n_args = 2;
  e->args = ARENA_ARRAY(a, AstExpr *, 2);
  e->args[0] = x;
  e->args[1] = (AstExpr *)y;
  return e;
}

static void split(void *context, const AstExpr *e) {
  Split *s = context;
  AstExpr **to = of_values(s->l, e) ? &s->guard : &s->when;
  *to = join(s->a, *to, e);
}

typedef struct TypeOf {
  Sym param, type;
} TypeOf;

static void find_type(void *context, const AstExpr *e) {
  TypeOf *t = context;
  bool asks = e->kind == EX_IS && e->args[0]->kind == EX_BUILTIN && e->args[0]->builtin == BUILTIN_TYPE;
  if (asks && e->args[0]->args[0]->name == t->param) t->type = e->args[1]->name;
}

Sym lemma_type(const AstItem *item, Sym param) {
  TypeOf t = {param, 0};
  lemma_conjuncts(item->lemma.when, find_type, &t);
  return t.type;
}

/* ---- sides ---- */

static AstItem *side_of(const Lemma *l, AstExpr *when, const AstExpr *body, Sym name, Arena *a) {
  AstItem *op = ARENA_NEW(a, AstItem);
  *op = *l->item;
  op->kind = ITEM_OP;
  op->name = name;
  AstResult *r = ARENA_NEW(a, AstResult);
  *r = (AstResult){.n_dims = l->n_dims, .dims = l->dims, .body = (AstExpr *)body, .span = l->item->span};
  op->op = (AstOp){.n_params = l->item->lemma.n_params,
                   .params = l->params,
                   .n_attrs = l->item->lemma.n_attrs,
                   .attrs = l->item->lemma.attrs,
                   .n_results = 1,
                   .results = r,
                   .when = when};
  return op;
}

static AstExpr *guarded(const AstExpr *guard, const AstExpr *side, Arena *a) {
  if (!guard) return (AstExpr *)side;
  AstExpr *zero = ARENA_NEW(a, AstExpr), *e = ARENA_NEW(a, AstExpr);
  *zero = (AstExpr){.kind = EX_RAT, .depth = 1, .value = RAT_0, .span = side->span};
  *e = (AstExpr){.kind = EX_IF, .span = side->span, .n_args = 3};
  e->depth = (uint16_t)(1 + (guard->depth > side->depth ? guard->depth : side->depth));
  e->args = ARENA_ARRAY(a, AstExpr *, 3);
  e->args[0] = (AstExpr *)guard;
  e->args[1] = (AstExpr *)side;
  e->args[2] = zero;
  return e;
}

/* Indices of the result: the free ones, in order of the parameters. */
static void find_dims(Lemma *out, const AstExpr *guard, Arena *a) {
  const AstLemma *l = &out->item->lemma;
  IndexList bound = {0}, names = {0};
  free_names(l->equation, &bound, &names);
  if (guard) free_names(guard, &bound, &names);
  uint32_t cap = 0;
  for (uint32_t p = 0; p < l->n_params; p++)
    for (uint32_t d = 0; d < l->params[p].n_dims; d++) cap += l->params[p].dims[d].n;
  out->dims = ARENA_ARRAY(a, AstPattern, cap + 1);
  for (uint32_t p = 0; p < l->n_params; p++)
    for (uint32_t d = 0; d < l->params[p].n_dims; d++)
      for (uint32_t j = 0; j < l->params[p].dims[d].n; j++) {
        AstIndex *x = &l->params[p].dims[d].digit[j];
        bool seen = false;
        for (uint32_t k = 0; k < out->n_dims; k++) seen |= out->dims[k].digit->name == x->name;
        if (!seen && bound_in(&names, x->name))
          out->dims[out->n_dims++] = (AstPattern){.n = 1, .digit = x, .span = x->span};
      }
  vec_free(&bound);
  vec_free(&names);
}

Lemma lemma_of(const AstItem *item, const char *tag, LemmaSize *size, void *context, Arena *a) {
  const AstLemma *l = &item->lemma;
  Split s = {.l = l, .a = a};
  lemma_conjuncts(l->when, split, &s);
  Lemma out = {.name = item->name, .item = item, .params = sized(l, size, context, a)};
  find_dims(&out, s.guard, a);
  const char *text = sym_text(item->name);
  out.left = sym(arena_printf(a, "%s.left%s", text, tag));
  out.right = sym(arena_printf(a, "%s.right%s", text, tag));
  AstItem **items = ARENA_ARRAY(a, AstItem *, 3);
  out.sides = ARENA_NEW(a, AstFile);
  *out.sides = (AstFile){.source = item->span.source, .n_items = 2, .items = items};
  items[0] = side_of(&out, s.when, guarded(s.guard, l->equation->args[0], a), out.left, a);
  items[1] = side_of(&out, s.when, guarded(s.guard, l->equation->args[1], a), out.right, a);
  if (!s.guard) return out;
  out.guard = sym(arena_printf(a, "%s.when%s", text, tag));
  items[out.sides->n_items++] = side_of(&out, s.when, s.guard, out.guard, a);
  return out;
}

Arena *lemma_arena(Library *library, const AstItem *item, const char *tag, Arena *a) {
  ArenaMark m = arena_mark(a);
  uint32_t known;
  library_ops(library, sym(arena_printf(a, "%s.right%s", sym_text(item->name), tag)), &known);
  arena_reset(a, m);
  return known ? a : library_arena(library);
}

/* ------------------------------------------------------------------ rewrites */
static bool calls(const AstExpr *e, Sym f) {
  bool found = e->kind == EX_CALL && e->name == f;
  for (uint32_t i = 0; i < e->n_args && !found; i++) found = calls(e->args[i], f);
  return found;
}

/* f(x, ..) of distinct scalar parameters, all of them, in order, as something without f. */
bool lemma_is_rewrite(const Library *lib, const AstLemma *l) {
  const AstExpr *left = l->equation->args[0];
  if (l->equation->kind != EX_EQ || left->kind != EX_CALL || l->when || l->n_attrs || left->n_args != l->n_params)
    return false;
  if (fn_find(left->name) == FN_COUNT || library_fn(lib, left->name)) return false;
  if (calls(l->equation->args[1], left->name)) return false;
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

const char *lemma_text(const Sources *sources, const AstItem *item, Arena *a) {
  const Source *s = sources_get(sources, item->lemma.equation->span.source);
  if (!s) return arena_printf(a, "lemma %s", sym_text(item->name));
  Span at = item->lemma.equation->span;
  return arena_printf(a, "lemma %s: %.*s", sym_text(item->name), (int)(at.hi - at.lo), s->text + at.lo);
}

Rewrites lemma_rewrites(Library *library, Instances *instances, Arena *a, Diags *diags) {
  uint32_t n_lemmas, n = 0, cap = 0;
  const AstItem *const *lemmas = library_lemmas(library, &n_lemmas);
  Vec(const AstItem *) items = {0};
  for (uint32_t i = 0; i < n_lemmas; i++)
    if (lemma_is_rewrite(library, &lemmas[i]->lemma)) vec_push(&items, lemmas[i]);
  cap = (uint32_t)items.len;
  Rewrite *at = ARENA_ARRAY(a, Rewrite, cap);
  for (uint32_t i = 0; i < cap; i++) {
    const AstItem *item = items.at[i];
    Lemma l = lemma_of(item, "", NULL, NULL, lemma_arena(library, item, "", a));
    uint32_t known;
    library_ops(library, l.right, &known);
    if (!known) library_add(library, l.sides);
    const Instance *right = right_side(instances, &l, item->lemma.n_params, diags);
    if (right)
      at[n++] = (Rewrite){item->name, item->lemma.equation->args[0]->name, item->lemma.n_params, right,
                          lemma_text(diags_sources(diags), item, a)};
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
