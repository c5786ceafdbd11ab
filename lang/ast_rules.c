/* Constructors of the items of the Datalog layer. */
#include "lang/ast_make.h"

static AstExpr *with(Ast *a, Span at, AstKind kind, Span name_span, Sym name, AstExpr *arg) {
  AstExpr *e = ast_leaf(a, at, kind);
  e->name = name;
  e->name_span = name_span;
  e->n_args = 1;
  e->args = arena_copy(a->arena, &arg, sizeof arg);
  return ast_finish(a, e);
}

AstExpr *ast_named(Ast *a, Span at, Span name_span, Sym name, AstExpr *value) {
  return with(a, at, EX_NAMED, name_span, name, value);
}

AstExpr *ast_bind(Ast *a, Span at, AstExpr *name, AstExpr *value) {
  return with(a, at, EX_BIND, name->span, name->name, value);
}

AstExpr *ast_do(Ast *a, Span at, Span verb_span, Sym verb, AstExpr *what) {
  return with(a, at, EX_DO, verb_span, verb, what);
}

static AstExpr *timed(Ast *a, Span at, AstKind kind, Sym name, Rat times, AstList *args) {
  AstExpr *e = ast_leaf(a, at, kind);
  e->name = name;
  e->value = times;
  e->args = ast_pointers(a, args, &e->n_args);
  return ast_finish(a, e);
}

AstExpr *ast_run(Ast *a, Span at, Sym ruleset, Rat times, AstList *until) {
  return timed(a, at, EX_RUN, ruleset, times, until);
}

AstExpr *ast_schedule(Ast *a, Span at, Span verb_span, Sym verb, Rat times, AstList *members) {
  AstExpr *e = timed(a, at, EX_SCHEDULE, verb, times, members);
  e->name_span = verb_span;
  return e;
}

static AstExprs exprs(Ast *a, AstList *l) {
  AstExprs out;
  out.at = ast_pointers(a, l, &out.n);
  return out;
}

AstItem *ast_clause(Ast *a, Span at, AstItemKind kind, AstExpr *name, AstList *head, AstList *body) {
  AstItem *it = ast_item(a, at, kind, name);
  it->clause = (AstClause){.head = exprs(a, head), .body = exprs(a, body)};
  return it;
}

/* Puts items into another; past AST_MAX_BLOCKS they are left out, which is reported once. */
static AstItem *fill(Ast *a, AstItem *it, AstList *items) {
  AstClause *c = &it->clause;
  c->items = ast_pointers(a, items, &c->n_items);
  for (uint32_t i = 0; i < c->n_items; i++)
    if (ast_is_clause(c->items[i]) && c->items[i]->clause.depth >= c->depth) c->depth = c->items[i]->clause.depth + 1;
  if (c->depth < AST_MAX_BLOCKS) return it;
  if (!a->too_deep) diag_error(a->diags, it->span, E_NESTING, "items are nested more than %d deep", AST_MAX_BLOCKS);
  a->too_deep = true;
  c->n_items = c->depth = 0;
  return it;
}

AstItem *ast_block(Ast *a, Span at, AstItemKind kind, AstExpr *name, AstList *items) {
  return fill(a, ast_clause(a, at, kind, name, NULL, NULL), items);
}

AstItem *ast_headed(Ast *a, AstItem *it, AstHeading h, bool both) {
  it->clause.both = both;
  if (h.name) it->name = h.name->name, it->name_span = h.name->span;
  if (h.ruleset) it->clause.ruleset = h.ruleset->name, it->clause.ruleset_span = h.ruleset->span;
  return h.options ? ast_optioned(a, it, h.options) : it;
}

AstItem *ast_optioned(Ast *a, AstItem *it, AstList *options) {
  it->clause.options = exprs(a, options);
  return it;
}

AstItem *ast_group_of(Ast *a, Span at, AstList *members) {
  AstItem *it = ast_block(a, at, ITEM_GROUP, NULL, members);
  if (it->clause.n_items != 1 || it->clause.items[0]->kind != ITEM_DATATYPE) return it;
  it->clause.items[0]->span = at;
  return it->clause.items[0];
}

AstItem *ast_rewrite(Ast *a, Span at, AstExpr *left, AstExpr *right, AstList *conditions, AstList *options, bool both) {
  AstList *sides = ast_append(a, ast_append(a, NULL, left), right);
  AstItem *it = ast_optioned(a, ast_clause(a, at, ITEM_REWRITE, NULL, conditions, sides), options);
  it->clause.both = both;
  return it;
}

AstItem *ast_template(Ast *a, Span at, AstExpr *name, AstList *parameters, AstList *family, AstList *items) {
  return fill(a, ast_clause(a, at, ITEM_TEMPLATE, name, parameters, family), items);
}
