/* Which attributes a definition takes account of. */
#include "lang/reads.h"

#include <string.h>

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

static bool binds(const AstIndex *x, uint32_t n, Sym name) {
  for (uint32_t i = 0; i < n; i++)
    if (x[i].name == name) return true;
  return false;
}

static bool bound_in(const AstExpr *e, Sym name) {
  bool is = (e->kind == EX_LET && e->name == name) || binds(e->binders, e->n_binders, name);
  for (uint32_t i = 0; i < e->n_args && !is; i++) is = bound_in(e->args[i], name);
  return is;
}

/* An operand or an index has the name: where the definition says it, it is not the attribute. */
static bool is_bound(const AstOp *op, Sym name) {
  for (uint32_t i = 0; i < op->n_params; i++) {
    if (op->params[i].name == name) return true;
    for (uint32_t d = 0; d < op->params[i].n_dims; d++)
      if (binds(op->params[i].dims[d].digit, op->params[i].dims[d].n, name)) return true;
  }
  for (uint32_t i = 0; i < op->n_results; i++) {
    if (op->results[i].body && bound_in(op->results[i].body, name)) return true;
    for (uint32_t d = 0; d < op->results[i].n_dims; d++)
      if (binds(op->results[i].dims[d].digit, op->results[i].dims[d].n, name)) return true;
  }
  return false;
}

/* The attribute, or `_attribute`: it is there, and makes no difference. */
static bool names_attr(Sym declared, Sym name) {
  const char *text = sym_text(declared);
  return declared == name || (*text == '_' && !strcmp(text + 1, sym_text(name)));
}

/* `kind.string` says of `kind` that it is a text. */
static Sym base_of(Sym name) {
  const char *text = sym_text(name), *dot = strrchr(text, '.');
  return dot && !strcmp(dot, ".string") ? sym_n(text, (size_t)(dot - text)) : name;
}

bool op_reads(const AstOp *op, Sym name) {
  name = base_of(name);
  for (uint32_t i = 0; i < op->n_attrs; i++)
    if (names_attr(op->attrs[i].name, name)) return true;
  if (is_bound(op, name)) return false;
  for (uint32_t i = 0; i < op->n_params; i++)
    if (in_patterns(op->params[i].dims, op->params[i].n_dims, name)) return true;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (in_patterns(op->results[i].dims, op->results[i].n_dims, name) ||
        (op->results[i].body && in_expr(op->results[i].body, name)))
      return true;
  return op->when && in_expr(op->when, name);
}

bool attr_is_common(Sym name) {
  static const char *const common[] = {"at", "label", "result", "region", "replica_groups", "source_target_pairs", "why",
                                       "opset"};
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    if (!strcmp(sym_text(name), common[i])) return true;
  return false;
}
