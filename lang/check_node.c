/* A node of a written graph: an attribute that no definition of its operator reads means nothing, and is most likely
 * misspelt.  Operators without a definition, or with opaque ones only, are unknown functions of all their attributes. */
#include "lang/check.h"
#include "lang/nearest.h"
#include "lang/reads.h"

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
  if (!first || attr_is_common(attr->name)) return;
  bool opaque = true;
  for (; d < c->decls.at + c->decls.len && d->kind == ITEM_OP && d->name == call->name; d++) {
    if (op_reads(&d->item->op, attr->name)) return;
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
