/* What stands for something: indices, groups, attributes, scalar operands, and the built-in functions of them. */
#include "eval/meaning/expand_parts.h"

#include <string.h>

/* One's own position in the replica group. */
static Val own(Expand *e) {
  if (e->f->members == 1) return val_int(0);
  if (e->own == NO_VAR) e->own = expand_var(e, VAR_GROUP, e->f->members, 0, e->f->op->over, -1);
  return val_var(e->b, e->own);
}

int64_t expand_positions(const Expand *e, const AstExpr *x) {
  Attr a;
  if (x->kind == EX_GROUP || x->kind == EX_NAME) {
    Sym name = x->kind == EX_GROUP && x->at ? x->at : x->name;
    const Bind *b = expand_find(e, name);
    if (b) return b->kind == BIND_GROUP ? (int64_t)b->n : -1;
    const FitName *k = expand_name(e, name);
    if (k && k->group) return k->n;
    if (!e->scope && fit_attr(e->f, name, &a) && a.kind == ATTR_INTS) return a.n;
  }
  for (uint32_t i = 0; i < x->n_args; i++) {
    int64_t n = expand_positions(e, x->args[i]);
    if (n >= 0) return n;
  }
  return -1;
}

/* ---- Names ---- */

static Val attribute(Expand *e, const AstExpr *x, Attr a) {
  switch (a.kind) {
    case ATTR_INT: return val_int(a.i);
    case ATTR_RAT:
      if (rat_is_finite(a.r)) return val_rat(e->b, a.r);
      return expand_misfit(e, x->span, E_ATTRIBUTE, "the attribute `%s` is not finite", sym_text(x->name));
    case ATTR_INTS:
      if (e->at >= 0 && a.n == e->count) return val_int(a.ints[e->at]);
      if (e->at < 0 && a.n == 1) return val_int(a.ints[0]);
      return expand_misfit(e, x->span, E_ATTRIBUTE, "the attribute `%s` has %u entries, not %lld", sym_text(x->name),
                           a.n, (long long)(e->at < 0 ? 1 : e->count));
    default: return expand_fail(e, x->span, E_KIND, "`%s` is no number", sym_text(x->name));
  }
}

Val expand_named(Expand *e, const AstExpr *x) {
  const Bind *b = expand_find(e, x->name);
  if (b && b->kind != BIND_GROUP) return b->at[0];
  if (!b && !e->scope) {
    Attr a;
    if (x->name == e->f->op->over) return own(e);
    if (fit_attr(e->f, x->name, &a)) return attribute(e, x, a);
    uint32_t p = fit_param(e->f, x->name);
    if (p < e->f->op->n_params) return expand_scalar(e, x, p);
    for (uint32_t i = 0; i < e->f->op->n_attrs; i++)
      if (e->f->op->attrs[i].name == x->name)
        return expand_misfit(e, x->span, E_ATTRIBUTE, "the attribute `%s` is missing", sym_text(x->name));
  }
  return expand_fail(e, x->span, E_UNBOUND, "`%s` stands for nothing here", sym_text(x->name));
}

Val expand_group(Expand *e, const AstExpr *x) {
  const Bind *b = expand_find(e, x->name);
  if (!b || b->kind != BIND_GROUP) return expand_fail(e, x->span, E_INDEX, "`*%s` is no group here", sym_text(x->name));
  int64_t at = e->at, n = b->n;
  if (x->at) {
    Attr a;
    if (!fit_attr(e->f, x->at, &a)) a = (Attr){.kind = ATTR_INTS};
    if (a.kind != ATTR_INTS) return expand_fail(e, x->span, E_KIND, "`%s` is no list", sym_text(x->at));
    n = a.n;
    if (at >= 0 && at < n) at = a.ints[at];
    if (e->count == n && (at < 0 || at >= b->n))
      return expand_misfit(e, x->span, E_ATTRIBUTE, "the attribute `%s` names position %lld of `*%s`, which has %u",
                           sym_text(x->at), (long long)at, sym_text(x->name), b->n);
  }
  if (e->at < 0) return expand_fail(e, x->span, E_INDEX, "`*%s` stands where one index is meant", sym_text(x->name));
  if (n != e->count)
    return expand_misfit(e, x->span, E_SHAPE, "`*%s` stands for %lld dimensions where there are %lld",
                         sym_text(x->name), (long long)n, (long long)e->count);
  return b->at[at];
}

/* ---- Built-ins ---- */

bool expand_sized(const Expand *e, Sym name, const int64_t **size, uint32_t *n) {
  const Bind *b = expand_find(e, name);
  const FitName *k = b ? NULL : expand_name(e, name);
  if (b && b->kind != BIND_VALUE) return *size = b->size, *n = b->n, true;
  return k && (*size = k->size, *n = k->n, true);
}

static Val size_of(Expand *e, const AstExpr *x) {
  const AstExpr *i = x->args[0];
  const int64_t *size;
  uint32_t n;
  if (i->kind == EX_NAME && expand_size(e, i->name) >= 0) return val_int(expand_size(e, i->name));
  if (i->kind != EX_GROUP || !expand_sized(e, i->name, &size, &n))
    return expand_fail(e, i->span, E_INDEX, "`size` takes an index or a group");
  if (e->at < 0)
    return expand_fail(e, i->span, E_INDEX, "`size(*%s)` stands where one size is meant", sym_text(i->name));
  if (n != e->count)
    return expand_misfit(e, i->span, E_SHAPE, "`*%s` stands for %u dimensions where there are %lld",
                         sym_text(i->name), n, (long long)e->count);
  return val_int(size[e->at]);
}

static Val count_of(Expand *e, const AstExpr *x) {
  int64_t total = 1;
  for (uint32_t i = 0; i < x->n_args; i++) {
    const int64_t *size;
    uint32_t n;
    if (!expand_sized(e, x->args[i]->name, &size, &n))
      return expand_fail(e, x->args[i]->span, E_INDEX, "`count` takes indices");
    for (uint32_t k = 0; k < n; k++)
      if (__builtin_mul_overflow(total, size[k], &total)) e->b->overflow = true;
  }
  return val_int(total);
}

static Val offset_of(Expand *e, const AstExpr *x) {
  const FitName *k = x->args[0]->kind == EX_NAME ? expand_name(e, x->args[0]->name) : NULL;
  if (!k || !k->each || e->each < 0)
    return expand_fail(e, x->span, E_INDEX, "`offset` takes an index of the variadic operand a reduction is over");
  if (e->offset_name != k->name) {
    e->offset_name = k->name;
    e->offset = ARENA_ARRAY(e->b->arena, int64_t, k->n + 1);
    for (uint32_t i = 0; i < k->n; i++)
      if (__builtin_add_overflow(e->offset[i], k->size[i], &e->offset[i + 1])) e->b->overflow = true;
  }
  return val_int(e->offset[e->each]);
}

static Val any_of(Expand *e, const AstExpr *x) {
  int64_t n = expand_positions(e, x->args[0]);
  Val any = val_int(0);
  for (int64_t i = 0; i < n; i++)
    any = val_or(e->b, any, val_cmp(e->b, CMP_NE, expand_at(e, x->args[0], i, n), val_int(0)));
  if (n < 0) return expand_fail(e, x->span, E_KIND, "`any` takes a list");
  return any;
}

/* An operand (of a variadic one that which a sum is at, else the first), or `result`; else NULL. */
static const Node *tensor_of(const Expand *e, const AstExpr *name) {
  if (name->kind != EX_NAME) return NULL;
  uint32_t p = fit_param(e->f, name->name), at = p + (p == e->f->variadic && e->each > 0 ? (uint32_t)e->each : 0);
  if (p < e->f->op->n_params && at < e->f->node->n_args) return fit_arg(e->f, at);
  return name->name == sym("result") ? e->f->node : NULL;
}

Val expand_builtin(Expand *e, const AstExpr *x) {
  Attr a;
  const Node *of = NULL;
  switch (x->builtin) {
    case BUILTIN_INSIDE: return expand_inside(e, x->args[0]);
    case BUILTIN_OFFSET: return offset_of(e, x);
    case BUILTIN_FLAT: return expand_flat(e, x);
    case BUILTIN_SIZE: return size_of(e, x);
    case BUILTIN_COUNT: return count_of(e, x);
    case BUILTIN_HAS: return val_int(x->args[0]->kind == EX_NAME && fit_attr(e->f, x->args[0]->name, &a));
    case BUILTIN_ANY: return any_of(e, x);
    case BUILTIN_DEVICE: return val_push(e->b, (X){.kind = X_COORD, .group = NO_VAR});
    case BUILTIN_RANK:
      of = tensor_of(e, x->args[0]);
      return of ? val_int(of->rank) : expand_fail(e, x->span, E_KIND, "`rank` takes an operand or `result`");
    case BUILTIN_MODULUS:
      of = tensor_of(e, x->args[0]);
      if (!of || !dtype_is_int((DType)of->dtype))
        return expand_fail(e, x->span, E_KIND, "`modulus` takes an operand of integers");
      return val_rat(e->b, rat_pow(RAT_INT(2), dtype_bits((DType)of->dtype)));
    default: return expand_fail(e, x->span, E_INDEX, "`%s` cannot stand here", ast_builtin_text(x->builtin));
  }
}

Val expand_is(Expand *e, const AstExpr *x) {
  static const struct {
    const char *text;
    unsigned kinds;
  } kinds[] = {{"bool", 1u << DK_BOOL}, {"int", 1u << DK_INT | 1u << DK_UINT}, {"sint", 1u << DK_INT},
               {"uint", 1u << DK_UINT}, {"float", 1u << DK_FLOAT}, {"complex", 1u << DK_COMPLEX}};
  const AstExpr *t = x->args[0];
  if (t->kind != EX_BUILTIN || t->builtin != BUILTIN_TYPE || t->args[0]->kind != EX_NAME)
    return expand_fail(e, x->span, E_KIND, "before `is` stands the type of an operand");
  const Node *of = tensor_of(e, t->args[0]);
  if (!of) return expand_fail(e, t->span, E_UNBOUND, "`type` takes an operand or `result`");
  DType type = (DType)of->dtype;
  const char *text = sym_text(x->args[1]->name);
  DType want;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kinds[i].text, text)) return val_int(kinds[i].kinds >> dtype_kind(type) & 1);
  if (dtype_parse(text, strlen(text), &want)) return val_int(type == want);
  return expand_fail(e, x->args[1]->span, E_UNBOUND, "`%s` is no type", text);
}
