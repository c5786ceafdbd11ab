/* Declarations of sizes and the conditions on them. */
#include "lang/check.h"
#include "lang/nearest.h"

void check_sizes(Check *c, const AstItem *it) {
  for (uint32_t i = 0; i < it->sizes.n; i++) {
    const AstExpr *e = it->sizes.names[i];
    const AstExpr *before = NULL;
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->file->n_items && !before; k++) {
      const AstItem *other = c->file->items[k];
      for (uint32_t j = 0; other->kind == ITEM_SIZES && j < other->sizes.n && !before; j++, n++) {
        if (other->sizes.names[j] == e) goto found;
        if (other->sizes.names[j]->name == e->name) before = other->sizes.names[j];
      }
    }
  found:
    if (before) {
      diag_error(c->diags, e->span, E_DUPLICATE, "the size `%s` is declared twice", sym_text(e->name));
      diag_note(c->diags, before->span, "it is declared here");
    } else if (n == SIZES_MAX) {
      diag_error(c->diags, e->span, E_LIMIT, "more than %d sizes", SIZES_MAX);
    }
    for (uint32_t k = 0; c->mesh && k < c->mesh->n_axes; k++)
      if (c->mesh->axes[k].name == e->name) {
        diag_error(c->diags, e->span, E_DUPLICATE, "`%s` is an axis of the mesh", sym_text(e->name));
        diag_note(c->diags, c->mesh->axes[k].span, "it is declared here");
      }
  }
}

static void unknown(Check *c, const AstExpr *e) {
  diag_error(c->diags, e->span, E_UNBOUND, "no size is called `%s`", sym_text(e->name));
  Nearest near = {.word = sym_text(e->name), .len = sym_len(e->name)};
  for (uint32_t i = 0; i < c->sizes->n; i++) nearest_try(&near, sym_text(c->sizes->names[i]));
  if (near.best) diag_hint(c->diags, "did you mean `%s`?", near.best);
  else diag_hint(c->diags, "declare it: `size %s`", sym_text(e->name));
}

static void check_number(Check *c, const AstExpr *e) {
  bool arithmetic = (e->kind >= EX_NEG && e->kind <= EX_OR && e->kind != EX_IS) || e->kind == EX_IF;
  if (e->kind == EX_RAT || e->kind == EX_ERROR) return;
  if (e->kind == EX_NAME && !e->graph) {
    if (sizes_find(c->sizes, e->name) < 0) unknown(c, e);
    return;
  }
  if (e->kind == EX_CALL && (e->graph || !e->n_args || sizes_function(e->name) != e->n_args)) {
    diag_error(c->diags, e->span, E_KIND, "`%s` with %u arguments is no function of sizes", sym_text(e->name),
               e->n_args);
    diag_hint(c->diags, "there are mod, rem, floordiv, truncdiv, minimum, maximum, clamp, floor, ceil and abs");
    return;
  }
  if (!arithmetic && e->kind != EX_CALL) {
    diag_error(c->diags, e->span, E_KIND, "this is no number made of sizes");
    return;
  }
  for (uint32_t i = 0; i < e->n_args; i++) check_number(c, e->args[i]);
}

void check_conditions(Check *c, const AstItem *it) {
  for (uint32_t i = 0; i < it->assume.n_conditions; i++) {
    const AstExpr *e = it->assume.conditions[i];
    bool condition =
        e->kind == EX_NOT || (e->kind >= EX_EQ && e->kind <= EX_OR && e->kind != EX_IS) || e->kind == EX_ERROR;
    if (!condition) {
      diag_error(c->diags, e->span, E_KIND, "an assumption on sizes is a comparison");
      diag_hint(c->diags, "write `assume s %% 8 == 0, s >= 8`, or `assume graph.tensor in 0 .. 9`");
    } else check_number(c, e);
  }
}
