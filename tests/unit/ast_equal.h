/* Structural equality of syntax trees, wherever they stand and whatever their comments: what `tvr fmt` must preserve.
 * Recursion is bounded by AST_MAX_DEPTH. */
#include "lang/ast.h"

static bool expr_equal(const AstExpr *a, const AstExpr *b);

static bool exprs_equal(uint32_t n, AstExpr *const *a, uint32_t m, AstExpr *const *b) {
  if (n != m) return false;
  for (uint32_t i = 0; i < n; i++)
    if (!expr_equal(a[i], b[i])) return false;
  return true;
}

static bool indices_equal(uint32_t n, const AstIndex *a, uint32_t m, const AstIndex *b) {
  if (n != m) return false;
  for (uint32_t i = 0; i < n; i++)
    if (a[i].name != b[i].name || a[i].form != b[i].form || !expr_equal(a[i].size, b[i].size)) return false;
  return true;
}

static bool expr_equal(const AstExpr *a, const AstExpr *b) {
  if (!a || !b) return a == b;
  return a->kind == b->kind && a->builtin == b->builtin && a->name == b->name && a->graph == b->graph &&
         a->at == b->at && a->value == b->value && exprs_equal(a->n_args, a->args, b->n_args, b->args) &&
         exprs_equal(a->n_devices, a->devices, b->n_devices, b->devices) &&
         indices_equal(a->n_binders, a->binders, b->n_binders, b->binders);
}

static bool patterns_equal(uint32_t n, const AstPattern *a, uint32_t m, const AstPattern *b) {
  if (n != m) return false;
  for (uint32_t i = 0; i < n; i++)
    if (a[i].at != b[i].at || !indices_equal(a[i].n, a[i].digit, b[i].n, b[i].digit)) return false;
  return true;
}

static bool params_equal(uint32_t n, const AstParam *a, uint32_t m, const AstParam *b) {
  if (n != m) return false;
  for (uint32_t i = 0; i < n; i++)
    if (a[i].name != b[i].name || a[i].variadic != b[i].variadic || a[i].bare != b[i].bare ||
        !patterns_equal(a[i].n_dims, a[i].dims, b[i].n_dims, b[i].dims))
      return false;
  return true;
}

static bool attrs_equal(uint32_t n, const AstAttr *a, uint32_t m, const AstAttr *b) {
  if (n != m) return false;
  for (uint32_t i = 0; i < n; i++)
    if (a[i].name != b[i].name || a[i].type != b[i].type || !expr_equal(a[i].init, b[i].init)) return false;
  return true;
}

static bool ops_equal(const AstOp *a, const AstOp *b) {
  if (a->n_results != b->n_results || a->over != b->over || a->opaque != b->opaque) return false;
  for (uint32_t i = 0; i < a->n_results; i++) {
    const AstResult *x = &a->results[i], *y = &b->results[i];
    if (x->name != y->name || !expr_equal(x->body, y->body) || !patterns_equal(x->n_dims, x->dims, y->n_dims, y->dims))
      return false;
  }
  return params_equal(a->n_params, a->params, b->n_params, b->params) &&
         attrs_equal(a->n_attrs, a->attrs, b->n_attrs, b->attrs) &&
         indices_equal(a->n_batch, a->batch, b->n_batch, b->batch) && expr_equal(a->when, b->when);
}

static bool meshes_equal(const AstMesh *a, const AstMesh *b) {
  if (a->n_axes != b->n_axes) return false;
  for (uint32_t i = 0; i < a->n_axes; i++)
    if (a->axes[i].name != b->axes[i].name || !expr_equal(a->axes[i].size, b->axes[i].size)) return false;
  return exprs_equal(a->n_devices, a->devices, b->n_devices, b->devices);
}

static bool items_equal(const AstItem *a, const AstItem *b);

/* Clauses hold items: a template, a group of datatypes, what is pushed.  The parser's stack bounds how deep. */
static bool clauses_equal(const AstClause *a, const AstClause *b) {
  if (a->n_items != b->n_items || a->ruleset != b->ruleset) return false;
  if (a->both != b->both || a->only_here != b->only_here) return false;
  for (uint32_t i = 0; i < a->n_items; i++)
    if (!items_equal(a->items[i], b->items[i])) return false;
  return exprs_equal(a->head.n, a->head.at, b->head.n, b->head.at) &&
         exprs_equal(a->body.n, a->body.at, b->body.n, b->body.at) &&
         exprs_equal(a->options.n, a->options.at, b->options.n, b->options.at);
}

static bool items_equal(const AstItem *a, const AstItem *b) {
  if (a->kind != b->kind || a->name != b->name) return false;
  switch ((AstItemKind)a->kind) {
    case ITEM_OP: return ops_equal(&a->op, &b->op);
    case ITEM_FN:
      return params_equal(a->fn.n_params, a->fn.params, b->fn.n_params, b->fn.params) &&
             expr_equal(a->fn.body, b->fn.body);
    case ITEM_LEMMA:
      return params_equal(a->lemma.n_params, a->lemma.params, b->lemma.n_params, b->lemma.params) &&
             attrs_equal(a->lemma.n_attrs, a->lemma.attrs, b->lemma.n_attrs, b->lemma.attrs) &&
             expr_equal(a->lemma.when, b->lemma.when) && expr_equal(a->lemma.equation, b->lemma.equation);
    case ITEM_MESH: return meshes_equal(&a->mesh, &b->mesh);
    case ITEM_GRAPH:
      return a->graph.reader == b->graph.reader &&
             exprs_equal(a->graph.n_nodes, a->graph.nodes, b->graph.n_nodes, b->graph.nodes) &&
             exprs_equal(a->graph.n_paths, a->graph.paths, b->graph.n_paths, b->graph.paths) &&
             exprs_equal(a->graph.n_axes, a->graph.axes, b->graph.n_axes, b->graph.axes);
    case ITEM_GIVEN:
    case ITEM_EXPECT:
      return expr_equal(a->given.equation, b->given.equation) && expr_equal(a->given.left, b->given.left) &&
             expr_equal(a->given.right, b->given.right) &&
             exprs_equal(a->given.n_layout, a->given.layout, b->given.n_layout, b->given.layout);
    case ITEM_RELATION: return true;
    case ITEM_ASSUME:
      return expr_equal(a->assume.tensor, b->assume.tensor) && expr_equal(a->assume.lo, b->assume.lo) &&
             expr_equal(a->assume.hi, b->assume.hi) &&
             exprs_equal(a->assume.n_conditions, a->assume.conditions, b->assume.n_conditions, b->assume.conditions);
    case ITEM_SIZES: return exprs_equal(a->sizes.n, a->sizes.names, b->sizes.n, b->sizes.names);
    case ITEM_CHECK:
      return a->check.verb == b->check.verb && expr_equal(a->check.left, b->check.left) &&
             expr_equal(a->check.right, b->check.right);
    default: return ast_is_clause(a) && clauses_equal(&a->clause, &b->clause);
  }
}

static bool ast_equal(const AstFile *a, const AstFile *b) {
  if (a->n_items != b->n_items) return false;
  for (uint32_t i = 0; i < a->n_items; i++)
    if (!items_equal(a->items[i], b->items[i])) return false;
  return true;
}
