/* A node of a written graph: an attribute that no definition of its operator reads means nothing, and is most likely
 * misspelt.  Operators without a definition, or with opaque ones only, are unknown functions of all their attributes. */
#include <string.h>

#include "lang/check.h"
#include "lang/nearest.h"

static bool in_expr(const AstExpr *e, Sym name);

static bool in_exprs(AstExpr *const *e, uint32_t n, Sym name) {
  for (uint32_t i = 0; i < n; i++)
    if (in_expr(e[i], name)) return true;
  return false;
}

static bool in_sizes(const AstIndex *x, uint32_t n, Sym name) {
  for (uint32_t i = 0; i < n; i++)
    if (x[i].size && in_expr(x[i].size, name)) return true;
  return false;
}

static bool in_expr(const AstExpr *e, Sym name) {
  return e->name == name || e->at == name || in_exprs(e->args, e->n_args, name) ||
         in_exprs(e->devices, e->n_devices, name) || in_sizes(e->binders, e->n_binders, name);
}

static bool in_patterns(const AstPattern *p, uint32_t n, Sym name) {
  for (uint32_t i = 0; i < n; i++)
    if (p[i].at == name || in_sizes(p[i].digit, p[i].n, name)) return true;
  return false;
}

static bool reads(const AstOp *op, Sym name) {
  for (uint32_t i = 0; i < op->n_attrs; i++)
    if (op->attrs[i].name == name) return true;
  for (uint32_t i = 0; i < op->n_params; i++)
    if (in_patterns(op->params[i].dims, op->params[i].n_dims, name)) return true;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (in_patterns(op->results[i].dims, op->results[i].n_dims, name) ||
        (op->results[i].body && in_expr(op->results[i].body, name)))
      return true;
  return op->when && in_expr(op->when, name);
}

/* Of the node rather than of its operator, or read by every collective. */
static bool is_common(Sym name) {
  static const char *const common[] = {"at", "label", "result", "region", "replica_groups", "source_target_pairs"};
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    if (!strcmp(sym_text(name), common[i])) return true;
  return false;
}

/* Names the closest of the attributes that the definitions declare or place dimensions by. */
static void suggest(Check *c, const Decl *d, Sym op, Sym name) {
  Nearest near = {.word = sym_text(name), .len = sym_len(name)};
  nearest_try(&near, "replica_groups");
  for (; d < c->decls.at + c->decls.len && d->kind == ITEM_OP && d->name == op; d++) {
    const AstOp *o = &d->item->op;
    for (uint32_t i = 0; i < o->n_attrs; i++) nearest_try(&near, sym_text(o->attrs[i].name));
    for (uint32_t i = 0; i < o->n_params; i++)
      for (uint32_t p = 0; p < o->params[i].n_dims; p++)
        if (o->params[i].dims[p].at) nearest_try(&near, sym_text(o->params[i].dims[p].at));
  }
  if (near.best) diag_hint(c->diags, "did you mean `%s`?", near.best);
}

static void check_attribute(Check *c, const AstExpr *call, const AstExpr *attr) {
  const Decl *first = check_find(c, ITEM_OP, call->name), *d = first;
  if (!first || is_common(attr->name)) return;
  bool opaque = true;
  for (; d < c->decls.at + c->decls.len && d->kind == ITEM_OP && d->name == call->name; d++) {
    if (reads(&d->item->op, attr->name)) return;
    opaque &= d->item->op.opaque;
  }
  if (opaque) return;
  diag_warning(c->diags, attr->span, W_UNKNOWN_ATTRIBUTE, "no definition of `%s` reads `%s`", sym_text(call->name),
               sym_text(attr->name));
  suggest(c, first, call->name, attr->name);
}

void check_node(Check *c, const AstExpr *node) {
  const AstExpr *call = node->args[0];
  for (uint32_t i = 0; i < call->n_args; i++)
    if (call->args[i]->kind == EX_NAMED) check_attribute(c, call, call->args[i]);
}
