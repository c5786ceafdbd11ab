/* Constructors of the syntax tree.
 *
 * Lists arrive backwards as chains (the grammar is left-recursive) and leave as arrays.  Depth is kept at every
 * expression; past AST_MAX_DEPTH the tree is cut at an EX_ERROR and reported once. */
#include "lang/ast_make.h"

#include <string.h>

struct AstList {
  void *item;
  AstList *before;
  uint32_t n;
};

static const char *const item_text[] = {
  "op",       "fn",    "lemma", "mesh",  "graph",   "given", "expect", "relation", "assume",  "check", "size", "sort",
  "datatype", "datatype", "constructor", "function", "relation", "costs", "ruleset", "rule", "rewrite", "do", "let",
  "run",      "check",    "prove", "fail",  "extract", "print", "input", "output", "include",  "push", "template",
};

static const struct {
  const char *text;
  uint8_t min, max;
} builtins[] = {
#define BUILTIN(id, text, min, max) {text, min, max},
#include "lang/builtin.def"
#undef BUILTIN
};

const char *ast_item_text(AstItemKind kind) { return item_text[kind]; }
const char *ast_builtin_text(AstBuiltin b) { return builtins[b].text; }

const char *ast_builtin_arity(AstBuiltin b, uint32_t n) {
  if (n >= builtins[b].min && n <= builtins[b].max) return NULL;
  return !builtins[b].max ? "no argument" : builtins[b].max == 1 ? "one argument" : "one argument or more";
}

AstList *ast_append(Ast *a, AstList *l, void *item) {
  AstList *m = ARENA_NEW(a->lists, AstList);
  *m = (AstList){item, l, l ? l->n + 1 : 1};
  return m;
}

void *ast_pointers(Ast *a, AstList *l, uint32_t *n) {
  *n = l ? l->n : 0;
  void **at = ARENA_ARRAY(a->arena, void *, *n);
  for (; l; l = l->before) at[l->n - 1] = l->item;
  return at;
}

/* The things themselves, `size` bytes each. */
static void *things(Ast *a, AstList *l, size_t size, uint32_t *n) {
  *n = l ? l->n : 0;
  char *at = arena_alloc(a->arena, size * *n);
  for (; l; l = l->before) memcpy(at + size * (l->n - 1), l->item, size);
  return at;
}

/* ---- Expressions ---- */

AstExpr *ast_leaf(Ast *a, Span at, AstKind kind) {
  AstExpr *e = ARENA_NEW(a->arena, AstExpr);
  e->kind = (uint8_t)kind;
  e->depth = 1;
  e->span = e->name_span = at;
  return e;
}

AstExpr *ast_error(Ast *a, Span at) { return ast_leaf(a, at, EX_ERROR); }

static void deepen(uint32_t *depth, const AstExpr *e) {
  if (e && e->depth > *depth) *depth = e->depth;
}

AstExpr *ast_finish(Ast *a, AstExpr *e) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i < e->n_args; i++) deepen(&depth, e->args[i]);
  for (uint32_t i = 0; i < e->n_devices; i++) deepen(&depth, e->devices[i]);
  for (uint32_t i = 0; i < e->n_binders; i++) deepen(&depth, e->binders[i].size);
  if (depth >= AST_MAX_DEPTH) {
    if (!a->too_deep)
      diag_error(a->diags, e->span, E_NESTING, "an expression is nested more than %d deep", AST_MAX_DEPTH);
    a->too_deep = true;
    return ast_error(a, e->span);
  }
  e->depth = (uint16_t)(depth + 1);
  return e;
}

static AstExpr *with_args(Ast *a, Span at, AstKind kind, uint32_t n, AstExpr *const *args) {
  AstExpr *e = ast_leaf(a, at, kind);
  e->n_args = n;
  e->args = arena_copy(a->arena, args, n * sizeof *args);
  return ast_finish(a, e);
}

AstExpr *ast_number(Ast *a, Span at, Rat value) {
  AstExpr *e = ast_leaf(a, at, EX_RAT);
  e->value = value;
  return e;
}

AstExpr *ast_inf(Ast *a, Span at) { return ast_leaf(a, at, EX_INF); }

AstExpr *ast_string(Ast *a, Span at, Sym text) {
  AstExpr *e = ast_leaf(a, at, EX_STRING);
  e->name = text;
  return e;
}

AstExpr *ast_name(Ast *a, Span at, Sym graph, Sym name) {
  AstExpr *e = ast_leaf(a, at, EX_NAME);
  e->graph = graph;
  e->name = name;
  return e;
}

AstExpr *ast_group(Ast *a, Span at, Sym name, Sym place) {
  AstExpr *e = ast_leaf(a, at, EX_GROUP);
  e->name = name;
  e->at = place;
  return e;
}

AstExpr *ast_read(Ast *a, Span at, AstExpr *name, AstList *devices, AstList *args) {
  AstExpr *e = ast_leaf(a, at, EX_READ);
  e->graph = name->graph;
  e->name = name->name;
  e->name_span = name->span;
  e->devices = ast_pointers(a, devices, &e->n_devices);
  e->args = ast_pointers(a, args, &e->n_args);
  return ast_finish(a, e);
}

AstExpr *ast_tuple(Ast *a, Span at, AstExpr *first, AstList *rest) {
  AstExpr *e = ast_leaf(a, at, EX_TUPLE);
  uint32_t n;
  AstExpr **more = ast_pointers(a, rest, &n);
  e->n_args = n + 1;
  e->args = ARENA_ARRAY(a->arena, AstExpr *, n + 1);
  e->args[0] = first;
  memcpy(e->args + 1, more, n * sizeof *more);
  return ast_finish(a, e);
}

int ast_builtin_of(Sym name) {
  for (int i = 0; i < BUILTIN_N; i++)
    if (!strcmp(sym_text(name), builtins[i].text)) return i;
  return -1;
}

AstExpr *ast_call(Ast *a, Span at, AstExpr *name, AstList *args) {
  int b = name->graph ? -1 : ast_builtin_of(name->name);
  if (b >= 0 && ast_builtin_arity(b, args ? args->n : 0)) b = -1;
  AstExpr *e = ast_leaf(a, at, b < 0 ? EX_CALL : EX_BUILTIN);
  e->builtin = b < 0 ? 0 : (uint8_t)b;
  e->graph = name->graph;
  e->name = name->name;
  e->name_span = name->span;
  e->args = ast_pointers(a, args, &e->n_args);
  return ast_finish(a, e);
}

AstExpr *ast_remainder(Ast *a, Span at, Span sign, AstExpr *x, AstExpr *y) {
  AstList *args = ast_append(a, ast_append(a, NULL, x), y);
  return ast_call(a, at, ast_name(a, sign, 0, sym("mod")), args);
}

AstExpr *ast_reduce(Ast *a, Span at, AstKind kind, AstList *binders, AstExpr *body) {
  AstExpr *e = ast_leaf(a, at, kind);
  e->n_args = 1;
  e->args = arena_copy(a->arena, &body, sizeof body);
  e->binders = things(a, binders, sizeof *e->binders, &e->n_binders);
  return ast_finish(a, e);
}

AstExpr *ast_unary(Ast *a, Span at, AstKind kind, AstExpr *x) {
  return with_args(a, at, kind, 1, &x);
}

AstExpr *ast_binary(Ast *a, Span at, AstKind kind, AstExpr *x, AstExpr *y) {
  return with_args(a, at, kind, 2, (AstExpr *[]){x, y});
}

AstExpr *ast_if(Ast *a, Span at, AstExpr *p, AstExpr *x, AstExpr *y) {
  return with_args(a, at, EX_IF, 3, (AstExpr *[]){p, x, y});
}

AstExpr *ast_let(Ast *a, Span at, AstExpr *name, AstExpr *value, AstExpr *body) {
  AstExpr *e = with_args(a, at, EX_LET, 2, (AstExpr *[]){value, body});
  e->name = name->name;
  e->name_span = name->span;
  return e;
}

/* ---- Patterns and signatures ---- */

AstIndex *ast_index(Ast *a, Span at, AstForm form, Sym name, AstExpr *size) {
  AstIndex *i = ARENA_NEW(a->lists, AstIndex);
  *i = (AstIndex){name, (uint8_t)form, size, at};
  return i;
}

AstPattern *ast_pattern(Ast *a, Span at, AstList *digits) {
  AstPattern *p = ARENA_NEW(a->lists, AstPattern);
  p->digit = things(a, digits, sizeof *p->digit, &p->n);
  p->span = at;
  return p;
}

AstPattern *ast_unit(Ast *a, Span at, Rat value) {
  if (value != RAT_1) {
    diag_error(a->diags, at, E_SYNTAX, "a dimension is an index, or 1");
    diag_hint(a->diags, "an index may state its size: `i: 4`");
  }
  return ast_pattern(a, at, NULL);
}

AstPattern *ast_placed(Ast *a, Span at, AstPattern *p, AstExpr *attr) {
  (void)a;
  p->at = attr->name;
  p->at_span = attr->span;
  p->span = at;
  return p;
}

AstParam *ast_param(Ast *a, Span at, AstExpr *name, AstForm form, bool bare, AstList *dims) {
  AstParam *p = ARENA_NEW(a->lists, AstParam);
  p->name = name->name;
  p->name_span = name->span;
  p->variadic = form == FORM_OPERANDS;
  p->bare = bare;
  p->dims = things(a, dims, sizeof *p->dims, &p->n_dims);
  p->span = at;
  return p;
}

AstAttr *ast_attr(Ast *a, Span at, Sym name, AstExpr *type, AstExpr *init) {
  AstAttr *t = ARENA_NEW(a->lists, AstAttr);
  *t = (AstAttr){name, type->name, init, at, type->span};
  return t;
}

AstResult *ast_result(Ast *a, Span at, Sym name, AstList *dims, AstExpr *body) {
  AstResult *r = ARENA_NEW(a->lists, AstResult);
  r->name = name;
  r->dims = things(a, dims, sizeof *r->dims, &r->n_dims);
  r->body = body;
  r->span = at;
  return r;
}

/* ---- Items ---- */

AstItem *ast_item(Ast *a, Span at, AstItemKind kind, const AstExpr *name) {
  AstItem *it = ARENA_NEW(a->arena, AstItem);
  it->kind = (uint8_t)kind;
  it->span = it->name_span = at;
  if (name) {
    it->name = name->name;
    it->name_span = name->span;
  }
  return it;
}

AstItem *ast_op(Ast *a, Span at, AstExpr *name, AstSignature s, AstExpr *over, AstList *results, AstExpr *when) {
  AstItem *it = ast_item(a, at, ITEM_OP, name);
  AstOp *op = &it->op;
  op->params = things(a, s.params, sizeof *op->params, &op->n_params);
  op->attrs = things(a, s.attrs, sizeof *op->attrs, &op->n_attrs);
  op->results = things(a, results, sizeof *op->results, &op->n_results);
  op->when = when;
  if (over) {
    op->over = over->name;
    op->over_span = over->span;
  }
  return it;
}

AstItem *ast_opaque(Ast *a, Span at, AstItem *it, AstList *batch) {
  it->span = at;
  it->op.opaque = true;
  it->op.batch = things(a, batch, sizeof *it->op.batch, &it->op.n_batch);
  return it;
}

AstItem *ast_body(Ast *a, Span at, AstItem *it, AstExpr *body) {
  it->span = at;
  (void)a;
  it->op.results[0].body = body;
  return it;
}

AstItem *ast_fn(Ast *a, Span at, AstExpr *name, AstList *params, AstExpr *body) {
  AstItem *it = ast_item(a, at, ITEM_FN, name);
  it->fn.params = things(a, params, sizeof *it->fn.params, &it->fn.n_params);
  it->fn.body = body;
  return it;
}

AstItem *ast_lemma(Ast *a, Span at, AstExpr *name, AstSignature s, AstExpr *when, AstExpr *equation) {
  AstItem *it = ast_item(a, at, ITEM_LEMMA, name);
  AstLemma *l = &it->lemma;
  l->params = things(a, s.params, sizeof *l->params, &l->n_params);
  l->attrs = things(a, s.attrs, sizeof *l->attrs, &l->n_attrs);
  l->when = when;
  l->equation = equation;
  return it;
}

AstItem *ast_mesh(Ast *a, Span at, AstList *axes, AstList *devices) {
  AstItem *it = ast_item(a, at, ITEM_MESH, NULL);
  it->mesh.axes = things(a, axes, sizeof *it->mesh.axes, &it->mesh.n_axes);
  it->mesh.devices = ast_pointers(a, devices, &it->mesh.n_devices);
  return it;
}

AstAxis *ast_axis(Ast *a, Span at, Sym name, AstExpr *size) {
  AstAxis *x = ARENA_NEW(a->lists, AstAxis);
  *x = (AstAxis){name, size, at};
  return x;
}

AstItem *ast_graph(Ast *a, Span at, AstExpr *name, AstExpr *reader, AstList *paths, AstList *axes) {
  AstItem *it = ast_item(a, at, ITEM_GRAPH, name);
  it->graph.reader = reader->name;
  it->graph.paths = ast_pointers(a, paths, &it->graph.n_paths);
  it->graph.axes = ast_pointers(a, axes, &it->graph.n_axes);
  return it;
}

AstItem *ast_written(Ast *a, Span at, AstExpr *name, AstList *axes, AstList *nodes) {
  AstItem *it = ast_item(a, at, ITEM_GRAPH, name);
  it->graph.axes = ast_pointers(a, axes, &it->graph.n_axes);
  it->graph.nodes = ast_pointers(a, nodes, &it->graph.n_nodes);
  return it;
}

AstExpr *ast_list(Ast *a, Span at, AstList *members) {
  AstExpr *e = ast_leaf(a, at, EX_LIST);
  e->args = ast_pointers(a, members, &e->n_args);
  return ast_finish(a, e);
}

AstExpr *ast_node(Ast *a, Span at, AstExpr *name, AstExpr *type, AstList *dims, AstExpr *callee, AstList *args) {
  AstExpr *call = ast_leaf(a, (Span){at.source, callee->span.lo, at.hi}, EX_CALL), *e = ast_leaf(a, at, EX_NODE);
  call->name = callee->name;
  call->name_span = callee->span;
  call->args = ast_pointers(a, args, &call->n_args);
  call = ast_finish(a, call);
  e->name = name->name;
  e->name_span = name->span;
  e->graph = type->name;
  e->devices = ast_pointers(a, dims, &e->n_devices);
  e->n_args = 1;
  e->args = arena_copy(a->arena, &call, sizeof call);
  return ast_finish(a, e);
}

AstItem *ast_given(Ast *a, Span at, AstItemKind kind, AstExpr *equation) {
  AstItem *it = ast_item(a, at, kind, NULL);
  it->given.equation = equation;
  return it;
}

AstItem *ast_layout(Ast *a, Span at, AstItemKind kind, AstExpr *left, AstExpr *right, AstList *layout) {
  AstItem *it = ast_item(a, at, kind, NULL);
  it->given.left = left;
  it->given.right = right;
  it->given.layout = ast_pointers(a, layout, &it->given.n_layout);
  return it;
}

AstItem *ast_relation(Ast *a, Span at, AstExpr *path) { return ast_item(a, at, ITEM_RELATION, path); }

AstItem *ast_assume(Ast *a, Span at, AstExpr *tensor, AstExpr *lo, AstExpr *hi) {
  AstItem *it = ast_item(a, at, ITEM_ASSUME, NULL);
  it->assume = (AstAssume){tensor, lo, hi};
  return it;
}

AstItem *ast_conditions(Ast *a, Span at, AstList *conditions) {
  AstItem *it = ast_item(a, at, ITEM_ASSUME, NULL);
  it->assume.conditions = ast_pointers(a, conditions, &it->assume.n_conditions);
  return it;
}

AstItem *ast_sizes(Ast *a, Span at, AstList *names) {
  AstItem *it = ast_item(a, at, ITEM_SIZES, NULL);
  it->sizes.names = ast_pointers(a, names, &it->sizes.n);
  return it;
}

AstItem *ast_check(Ast *a, Span at, AstExpr *left, AstExpr *verb, AstExpr *right) {
  AstItem *it = ast_item(a, at, ITEM_CHECK, NULL);
  it->check = (AstCheck){left, right, verb->name, verb->span};
  return it;
}

AstFile *ast_file(Ast *a, uint32_t source, AstList *items) {
  AstFile *f = ARENA_NEW(a->arena, AstFile);
  f->source = source;
  f->items = ast_pointers(a, items, &f->n_items);
  return f;
}

void ast_comments(Ast *a, AstFile *f, AstList *comments) {
  f->comments = things(a, comments, sizeof *f->comments, &f->n_comments);
}
