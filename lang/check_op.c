/* Operators, functions and lemmas: signatures first, then bodies in their scope.
 *
 * An index of an operand's pattern is known (it has a size) but cannot be used until the result or a reduction binds
 * it; in a lemma every index of a pattern is free, so it can. */
#include <string.h>

#include "lang/check.h"
#include "lang/nearest.h"

static const char *const attr_types[] = {"int", "ints", "rat", "sym"};

static bool repeated(Check *c, Sym name, Span at) {
  const Name *old = check_lookup(c, name, FORM_INDEX);
  if (!old || (old->kind == NAME_INDEX && old->form == FORM_GROUP)) return false;
  diag_error(c->diags, at, E_DUPLICATE, "`%s` is declared twice", sym_text(name));
  diag_note(c->diags, old->at, "it is declared here");
  return true;
}

static void open_attr_type(Check *c, const AstAttr *a) {
  Nearest near = {.word = sym_text(a->type), .len = sym_len(a->type)};
  for (size_t i = 0; i < sizeof attr_types / sizeof *attr_types; i++) {
    if (!strcmp(attr_types[i], near.word)) return;
    nearest_try(&near, attr_types[i]);
  }
  diag_error(c->diags, a->type_span, E_KIND, "`%s` is no type of attributes", near.word);
  if (near.best) diag_hint(c->diags, "did you mean `%s`?", near.best);
  else diag_hint(c->diags, "the types are int, ints, rat and sym");
}

/* A default is a literal of the type: a number, or a word. */
static void check_default(Check *c, const AstAttr *a) {
  const AstExpr *e = a->init->kind == EX_NEG ? a->init->args[0] : a->init;
  const char *type = sym_text(a->type);
  bool number = e->kind == EX_RAT, word = e == a->init && ((e->kind == EX_NAME && !e->graph) || e->kind == EX_STRING);
  bool fits = !strcmp(type, "int") ? number && rat_is_int(e->value)
              : !strcmp(type, "rat") ? number : !strcmp(type, "sym") && word;
  if (fits || e->kind == EX_ERROR) return;
  diag_error(c->diags, a->init->span, E_DEFINITION, "no default of type %s", type);
  diag_hint(c->diags, "an int or a rat may have a number, a sym a word or a string, a list none");
}

static void open_attrs(Check *c, const AstAttr *attrs, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    open_attr_type(c, &attrs[i]);
    if (attrs[i].init) check_default(c, &attrs[i]);
    if (repeated(c, attrs[i].name, attrs[i].span)) continue;
    check_open(c, (Name){.sym = attrs[i].name, .kind = NAME_ATTR, .at = attrs[i].span, .attr = &attrs[i]});
  }
}

/* ---- Patterns ---- */

static void open_index(Check *c, const AstIndex *i, bool usable) {
  Name *old = check_lookup(c, i->name, i->form);
  if (!old || (old->kind != NAME_INDEX && i->form == FORM_GROUP)) {
    check_open(c, (Name){.sym = i->name, .kind = NAME_INDEX, .form = i->form, .usable = usable, .sized = true,
                         .used = usable, .bracket = c->bracket, .at = i->span});
  } else if (old->bracket == c->bracket) {
    diag_error(c->diags, i->span, E_INDEX, "`%s` stands twice in one bracket", sym_text(i->name));
    diag_hint(c->diags, "give each dimension its own index");
  } else if (old->kind != NAME_INDEX) {
    diag_error(c->diags, i->span, E_DUPLICATE, "`%s` is declared twice", sym_text(i->name));
    diag_note(c->diags, old->at, "it is declared here");
  } else if (old->form != i->form) {
    diag_error(c->diags, i->span, E_KIND, "`%s` stands for one index and for a group", sym_text(i->name));
    diag_note(c->diags, old->at, "it is introduced here");
  } else {
    old->bracket = c->bracket;
  }
}

static void open_pattern(Check *c, const AstPattern *dims, uint32_t n, bool usable) {
  c->bracket++;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < dims[i].n; j++) open_index(c, &dims[i].digit[j], usable);
}

/* Attributes that only place a pattern, and sizes: after all names are known. */
static void check_places(Check *c, const AstPattern *dims, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    Name *at = dims[i].at ? check_lookup(c, dims[i].at, FORM_INDEX) : NULL;
    if (at && at->kind == NAME_INDEX && at->form == FORM_GROUP) at = NULL;
    if (at && at->kind != NAME_ATTR) {
      diag_error(c->diags, dims[i].at_span, E_KIND, "`%s` is no attribute", sym_text(dims[i].at));
      diag_note(c->diags, at->at, "it is declared here");
    } else if (at) {
      at->used = true;
    } else if (dims[i].at) {
      check_open(c, (Name){.sym = dims[i].at, .kind = NAME_ATTR, .at = dims[i].at_span, .used = true});
    }
    for (uint32_t j = 0; j < dims[i].n; j++)
      if (dims[i].digit[j].size) check_expr(c, dims[i].digit[j].size, dims[i].digit[j].form == FORM_GROUP);
  }
}

/* One bracket after another: the groups whose number of dimensions is not yet known. */
static const AstPattern *unknown_group(Check *c, const AstPattern *dims, uint32_t n, uint32_t *count) {
  const AstPattern *last = NULL;
  *count = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (dims[i].n != 1 || dims[i].digit[0].form != FORM_GROUP) continue;
    Name *g = check_lookup(c, dims[i].digit[0].name, FORM_GROUP);
    if (!g || g->kind != NAME_INDEX || g->open) continue;
    if (dims[i].at) g->open = true; /* as many as the attribute lists */
    else last = &dims[i], ++*count;
  }
  return last;
}

static void settle(Check *c, const AstPattern *dims, uint32_t n, bool *changed) {
  uint32_t count;
  const AstPattern *p = unknown_group(c, dims, n, &count);
  if (count != 1) return;
  check_lookup(c, p->digit[0].name, FORM_GROUP)->open = true;
  *changed = true;
}

static void report_unsettled(Check *c, const AstPattern *dims, uint32_t n) {
  uint32_t count;
  const AstPattern *p = unknown_group(c, dims, n, &count);
  if (count < 2) return;
  diag_error(c->diags, p->span, E_DEFINITION, "how many dimensions `*%s` has cannot be told",
             sym_text(p->digit[0].name));
  diag_hint(c->diags, "a bracket has at most one such group; place the others: `*%s @ attribute`",
            sym_text(p->digit[0].name));
}

/* Every group must get its number of dimensions: from the attribute that places it, from another bracket, or because
 * it is the only one left in a bracket.  Name.open marks those that have it. */
static void check_groups(Check *c, const AstOp *op) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < op->n_params; i++) settle(c, op->params[i].dims, op->params[i].n_dims, &changed);
    for (uint32_t i = 0; i < op->n_results; i++) settle(c, op->results[i].dims, op->results[i].n_dims, &changed);
  }
  for (uint32_t i = 0; i < op->n_params; i++) report_unsettled(c, op->params[i].dims, op->params[i].n_dims);
  for (uint32_t i = 0; i < op->n_results; i++) report_unsettled(c, op->results[i].dims, op->results[i].n_dims);
}

/* ---- Signatures ---- */

static void open_params(Check *c, const AstParam *params, uint32_t n, NameKind kind) {
  for (uint32_t i = 0; i < n; i++) {
    const AstParam *p = &params[i];
    if (p->variadic && i + 1 < n)
      diag_error(c->diags, p->span, E_DEFINITION, "`%s...` must be the last operand", sym_text(p->name));
    if (!repeated(c, p->name, p->name_span))
      check_open(c, (Name){.sym = p->name, .kind = (uint8_t)kind, .at = p->name_span, .param = p});
  }
}

/* Operands are used if they are read, or if they lend an index its size. */
static void mark_lending(Check *c, const AstParam *params, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    Name *operand = check_lookup(c, params[i].name, FORM_INDEX);
    for (uint32_t j = 0; j < params[i].n_dims && operand; j++)
      for (uint32_t k = 0; k < params[i].dims[j].n; k++) {
        const AstIndex *d = &params[i].dims[j].digit[k];
        const Name *index = check_lookup(c, d->name, d->form);
        if (index && index->used) operand->used = true;
      }
  }
}

static void open_signature(Check *c, const AstParam *params, uint32_t n, const AstAttr *attrs, uint32_t n_attrs,
                           bool usable) {
  open_params(c, params, n, NAME_OPERAND);
  open_attrs(c, attrs, n_attrs);
  for (uint32_t i = 0; i < n; i++) open_pattern(c, params[i].dims, params[i].n_dims, usable);
}

/* ---- Operators ---- */

static void set_usable(Check *c, const AstResult *r, bool usable) {
  for (uint32_t i = 0; i < r->n_dims; i++)
    for (uint32_t j = 0; j < r->dims[i].n; j++) {
      Name *n = check_lookup(c, r->dims[i].digit[j].name, r->dims[i].digit[j].form);
      if (!n || n->kind != NAME_INDEX) continue;
      n->usable = usable;
      n->used = true;
    }
}

static void check_batch(Check *c, const AstOp *op) {
  for (uint32_t i = 0; i < op->n_batch; i++) {
    const AstIndex *b = &op->batch[i];
    const Name *n = check_lookup(c, b->name, b->form);
    bool found = n && n->kind == NAME_INDEX && n->form == b->form && n->used;
    if (found) continue;
    diag_error(c->diags, b->span, E_INDEX, "`%s%s` is no index of the result", b->form == FORM_GROUP ? "*" : "",
               sym_text(b->name));
    if (n && n->kind == NAME_INDEX && n->form != b->form)
      diag_hint(c->diags, "write `%s%s`", n->form == FORM_GROUP ? "*" : "", sym_text(b->name));
  }
}

static void check_results(Check *c, const AstItem *it) {
  const AstOp *op = &it->op;
  for (uint32_t i = 0; i < op->n_results; i++) {
    const AstResult *r = &op->results[i];
    for (uint32_t j = 0; j < i && r->name; j++)
      if (op->results[j].name == r->name) {
        diag_error(c->diags, r->span, E_DUPLICATE, "the result `%s` is declared twice", sym_text(r->name));
        break;
      }
    if (op->opaque && r->body)
      diag_error(c->diags, r->body->span, E_DEFINITION, "an opaque operator has no equation");
    if (!op->opaque && !r->body) {
      diag_error(c->diags, r->span, E_DEFINITION, "the result `%s` has no equation", sym_text(r->name));
      diag_hint(c->diags, "write `= expression`, or `opaque` after the results");
    }
    set_usable(c, r, true);
    if (r->body) check_expr(c, r->body, false);
    set_usable(c, r, false);
  }
}

/* Sizes the passes below rely on. */
static bool within_limits(Check *c, const AstItem *it, const AstParam *params, uint32_t n) {
  bool ok = n <= CHECK_MAX_BRACKETS;
  for (uint32_t i = 0; i < n; i++) ok &= params[i].n_dims <= CHECK_MAX_DIMS;
  for (uint32_t i = 0; it->kind == ITEM_OP && i < it->op.n_results; i++)
    ok &= it->op.results[i].n_dims <= CHECK_MAX_DIMS;
  if (it->kind == ITEM_OP) ok &= it->op.n_results <= CHECK_MAX_BRACKETS;
  if (!ok)
    diag_error(c->diags, it->name_span, E_LIMIT, "more than %d operands, results or dimensions", CHECK_MAX_DIMS);
  return ok;
}

void check_op(Check *c, const AstItem *it) {
  const AstOp *op = &it->op;
  if (!within_limits(c, it, op->params, op->n_params)) return;
  c->names.len = 0;
  c->op = op;
  for (uint32_t i = 0; i < op->n_params; i++)
    if (op->params[i].bare) {
      const char *name = sym_text(op->params[i].name);
      diag_error(c->diags, op->params[i].span, E_DEFINITION, "the operand `%s` has no dimensions in brackets", name);
      diag_hint(c->diags, "`%s[]` is a scalar, `%s[*i]` has any number of dimensions", name, name);
    }
  open_signature(c, op->params, op->n_params, op->attrs, op->n_attrs, false);
  if (op->over && !repeated(c, op->over, op->over_span))
    check_open(c, (Name){.sym = op->over, .kind = NAME_OVER, .at = op->over_span});
  for (uint32_t i = 0; i < op->n_results; i++) open_pattern(c, op->results[i].dims, op->results[i].n_dims, false);
  check_groups(c, op);
  for (size_t i = 0; i < c->names.len; i++) c->names.at[i].open = false;
  for (uint32_t i = 0; i < op->n_params; i++) check_places(c, op->params[i].dims, op->params[i].n_dims);
  for (uint32_t i = 0; i < op->n_results; i++) check_places(c, op->results[i].dims, op->results[i].n_dims);
  c->place = PLACE_WHEN;
  if (op->when) check_expr(c, op->when, false);
  c->place = PLACE_BODY;
  check_results(c, it);
  check_batch(c, op);
  mark_lending(c, op->params, op->n_params);
  if (op->opaque) c->names.len = 0;
  check_close(c, 0);
  c->op = NULL;
}

void check_fn(Check *c, const AstItem *it) {
  c->names.len = 0;
  c->place = PLACE_FN;
  if (check_is_function(it->name)) {
    diag_error(c->diags, it->name_span, E_DUPLICATE, "`%s` is a function of the language", sym_text(it->name));
    diag_hint(c->diags, "the library uses it: choose another name, such as `my_%s`", sym_text(it->name));
  }
  for (uint32_t i = 0; i < it->fn.n_params; i++)
    if (!it->fn.params[i].bare) {
      diag_error(c->diags, it->fn.params[i].span, E_DEFINITION, "a function takes numbers: `%s` has no dimensions",
                 sym_text(it->fn.params[i].name));
      diag_hint(c->diags, "tensors are the operands of an `op`");
    }
  open_params(c, it->fn.params, it->fn.n_params, NAME_SCALAR);
  check_expr(c, it->fn.body, false);
  check_close(c, 0);
}

void check_lemma(Check *c, const AstItem *it) {
  const AstLemma *l = &it->lemma;
  if (!within_limits(c, it, l->params, l->n_params)) return;
  c->names.len = 0;
  open_signature(c, l->params, l->n_params, l->attrs, l->n_attrs, true);
  for (uint32_t i = 0; i < l->n_params; i++) {
    check_places(c, l->params[i].dims, l->params[i].n_dims);
    for (uint32_t j = 0; j < l->params[i].n_dims; j++)
      if (l->params[i].dims[j].at)
        diag_error(c->diags, l->params[i].dims[j].at_span, E_LEMMA, "a lemma has no attributes that place a dimension");
  }
  c->place = PLACE_LEMMA;
  if (l->when) check_expr(c, l->when, false);
  check_expr(c, l->equation, false);
  if (l->equation->kind != EX_EQ && l->equation->kind != EX_ERROR) {
    diag_error(c->diags, l->equation->span, E_LEMMA, "a lemma is an equation");
    diag_hint(c->diags, l->equation->kind == EX_LET
                            ? "a `let` reaches to the end: write `(let c = a in left) == right`"
                            : "write `left == right`; a condition comes before the colon: `when n > 0:`");
  }
  for (size_t i = 0; i < c->names.len; i++)
    if (c->names.at[i].kind == NAME_INDEX) c->names.at[i].used = true;
  check_close(c, 0);
}
