/* Expressions: what every name stands for, how many indices a read has, and where groups may stand.
 *
 * A value is either one number or, in a *group context*, one number per position of a group (it is groupish).  Groups,
 * lists of integers and variadic scalars are groupish; they may stand where an operand's pattern has a group, and
 * inside flat, size, count, any and all.  Anywhere else they are reported at the place they stand. */
#include <ctype.h>
#include <string.h>

#include "lang/check.h"
#include "lang/nearest.h"

static const struct {
  const char *text;
  uint32_t arity;
} functions[] = {
#define FN(id, text, arity, values) {text, arity},
#define FORM(text, arity) {text, arity},
#include "lang/fn.def"
#undef FN
#undef FORM
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

bool check_is_function(Sym name) {
  for (size_t i = 0; i < N_FUNCTIONS; i++)
    if (!strcmp(functions[i].text, sym_text(name))) return true;
  return false;
}

static const char *const kinds[] = {"float", "int", "uint", "sint", "bool", "complex"};

static AstForm form_of(const AstExpr *e) { return e->kind == EX_GROUP ? FORM_GROUP : FORM_INDEX; }

static bool groupish(Check *c, Span at, bool group_ok, const char *what, Sym name) {
  if (group_ok) return true;
  diag_error(c->diags, at, E_INDEX, "%s%s` stands for several numbers where one is needed", what, sym_text(name));
  diag_hint(c->diags, "it may stand as an index of a group `*i`, or inside flat, size, count, any and all");
  return false;
}

static bool wrong_kind(Check *c, Span at, const Name *n, const char *fmt) {
  diag_error(c->diags, at, E_KIND, fmt, sym_text(n->sym));
  diag_note(c->diags, n->at, "it is declared here");
  return false;
}

static bool unbound(Check *c, Span at, Sym name) {
  diag_error(c->diags, at, E_UNBOUND, "`%s` is not declared", sym_text(name));
  check_suggest(c, name);
  if (c->place == PLACE_LEMMA && !c->names.len)
    diag_hint(c->diags, "declare what the lemma is about: `lemma name(%s[*i]): ..`", sym_text(name));
  return false;
}

/* ---- Names ---- */

static bool use_index(Check *c, Span at, Name *n, bool group_ok) {
  n->used = true;
  if (!n->usable) {
    const char *star = n->form == FORM_GROUP ? "*" : "", *name = sym_text(n->sym);
    diag_error(c->diags, at, E_INDEX, "`%s%s` is no index of the result", star, name);
    diag_note(c->diags, n->at, "it is a dimension of an operand");
    diag_hint(c->diags, "bind it: `sum(%s%s) ..`, or max or min", star, name);
    return false;
  }
  return n->form == FORM_GROUP && groupish(c, at, group_ok, "the group `*", n->sym);
}

static bool operand_value(Check *c, const AstExpr *e, const Name *n, bool group_ok) {
  if (n->param->n_dims) {
    diag_error(c->diags, e->span, E_ARITY, "`%s` has dimensions", sym_text(n->sym));
    diag_note(c->diags, n->at, "it is declared here");
    diag_hint(c->diags, "read it at an index: `%s[..]`", sym_text(n->sym));
    return false;
  }
  return n->param->variadic && !n->open && groupish(c, e->span, group_ok, "the operands `", n->sym);
}

static bool attr_value(Check *c, const AstExpr *e, const Name *n, bool group_ok) {
  const char *name = sym_text(n->sym);
  if (!n->attr) {
    if (c->place == PLACE_WHEN) return group_ok;
    diag_error(c->diags, e->span, E_UNBOUND, "the attribute `%s` is used without its type", name);
    diag_hint(c->diags, "declare it after the operands: `; %s: ints`", name);
    return false;
  }
  if (!strcmp(sym_text(n->attr->type), "sym")) return wrong_kind(c, e->span, n, "`%s` is a word, no number");
  return !strcmp(sym_text(n->attr->type), "ints") && groupish(c, e->span, group_ok, "the list `", n->sym);
}

static bool name_value(Check *c, const AstExpr *e, bool group_ok) {
  if (e->graph) {
    diag_error(c->diags, e->span, E_KIND, "a tensor of a graph stands only in `given`, `expect` and `assume`");
    return false;
  }
  Name *n = check_lookup(c, e->name, FORM_INDEX);
  if (!n && c->place == PLACE_WHEN) return group_ok; /* an attribute */
  if (!n) return unbound(c, e->span, e->name);
  n->used = true;
  switch ((NameKind)n->kind) {
    case NAME_OPERAND: return operand_value(c, e, n, group_ok);
    case NAME_ATTR: return attr_value(c, e, n, group_ok);
    case NAME_INDEX:
      if (n->form == FORM_INDEX) return use_index(c, e->span, n, group_ok);
      wrong_kind(c, e->span, n, "`%s` is a group");
      diag_hint(c->diags, "write `*%s`", sym_text(n->sym));
      return false;
    case NAME_LET: return n->groupish && groupish(c, e->span, group_ok, "`", n->sym);
    case NAME_OVER:
    case NAME_SCALAR: break;
  }
  return false;
}

/* The attribute in `*n @ attr`: a list. */
static void use_list(Check *c, const AstExpr *e) {
  Name *n = check_lookup(c, e->at, FORM_INDEX);
  if (!n) {
    unbound(c, e->span, e->at);
    return;
  }
  n->used = true;
  if (n->kind != NAME_ATTR || (n->attr && strcmp(sym_text(n->attr->type), "ints")))
    wrong_kind(c, e->span, n, "`%s` is no list of integers");
}

static bool group_value(Check *c, const AstExpr *e, bool group_ok) {
  Name *n = check_lookup(c, e->name, FORM_GROUP);
  if (e->at) use_list(c, e);
  if (!n) return unbound(c, e->span, e->name);
  if (n->kind != NAME_INDEX) return wrong_kind(c, e->span, n, "`%s` is no group of indices");
  if (n->form != FORM_GROUP) {
    wrong_kind(c, e->span, n, "`%s` is one index, no group");
    diag_hint(c->diags, "write `%s`", sym_text(n->sym));
    return false;
  }
  return use_index(c, e->span, n, group_ok);
}

/* ---- Reads ---- */

/* An index whose size was open has the size of the dimension it is used for. */
static void give_size(Check *c, const AstExpr *index) {
  if (index->kind != EX_NAME && (index->kind != EX_GROUP || index->at)) return;
  Name *n = check_lookup(c, index->name, form_of(index));
  if (n) n->sized = true;
}

static void check_devices(Check *c, const AstExpr *e) {
  if (e->n_devices && c->place == PLACE_LEMMA) {
    diag_error(c->diags, e->span, E_LEMMA, "a lemma speaks of one device");
    return;
  }
  for (uint32_t i = 0; i < e->n_devices; i++) {
    const AstExpr *d = e->devices[i];
    if (d->kind == EX_NAME && !d->graph && !strcmp(sym_text(d->name), "source")) continue;
    Name *n = d->kind == EX_NAME && !d->graph ? check_lookup(c, d->name, FORM_INDEX) : NULL;
    if (!n || (n->kind != NAME_INDEX && n->kind != NAME_OVER) || (n->kind == NAME_INDEX && n->form != FORM_INDEX)) {
      diag_error(c->diags, d->span, E_INDEX, "before the `;` stands a position of the replica group, or `source`");
      if (n) diag_note(c->diags, n->at, "`%s` is declared here", sym_text(n->sym));
      continue;
    }
    if (c->op && !c->op->over) {
      diag_error(c->diags, d->span, E_INDEX, "the operator has no group of devices");
      diag_hint(c->diags, "write `over g` before the `->`");
    }
    check_expr(c, d, false);
    n->sized = true;
  }
  if (e->n_devices > 1) diag_error(c->diags, e->devices[1]->span, E_ARITY, "one position names a device of the group");
}

static bool index_value(Check *c, const AstExpr *e, bool group_ok) {
  bool any = false;
  give_size(c, e);
  if (e->kind != EX_TUPLE) return check_expr(c, e, group_ok);
  for (uint32_t i = 0; i < e->n_args; i++) {
    give_size(c, e->args[i]);
    any |= check_expr(c, e->args[i], group_ok);
  }
  return any;
}

/* One index of a read against the pattern it stands for.  A group takes a value per position for itself; for a single
 * dimension the value must suit the context around the read. */
static bool read_index(Check *c, const AstParam *p, const AstPattern *t, const AstExpr *e, bool group_ok) {
  bool group = t->n == 1 && t->digit[0].form == FORM_GROUP;
  const char *of = sym_text(p->name);
  size_t errors = diag_errors(c->diags);
  bool each = index_value(c, e, group || group_ok || e->kind == EX_GROUP);
  const Name *n = e->kind == EX_NAME ? check_lookup(c, e->name, FORM_INDEX) : NULL;
  if (diag_errors(c->diags) > errors) return false;
  if (group && !each && (e->kind == EX_TUPLE || (n && n->kind == NAME_INDEX)))
    diag_error(c->diags, e->span, E_ARITY, "one index stands for the group `*%s` of `%s`",
               sym_text(t->digit[0].name), of);
  else if (!group && !group_ok && e->kind == EX_GROUP)
    diag_error(c->diags, e->span, E_ARITY, "a group stands for one dimension of `%s`", of);
  else return each && !group;
  diag_note(c->diags, p->name_span, "it is declared here");
  return false;
}

static bool read_value(Check *c, const AstExpr *e, bool group_ok) {
  Name *n = e->graph ? NULL : check_lookup(c, e->name, FORM_INDEX);
  if (e->graph) return name_value(c, e, group_ok);
  if (!n) {
    unbound(c, e->name_span, e->name);
    for (uint32_t i = 0; i < e->n_args; i++) index_value(c, e->args[i], true);
    return false;
  }
  n->used = true;
  if (n->kind != NAME_OPERAND)
    return wrong_kind(c, e->name_span, n, "`%s` is no operand and cannot be read at an index");
  const AstParam *p = n->param;
  if (p->variadic && !n->open) {
    diag_error(c->diags, e->name_span, E_INDEX, "which of the operands `%s...` is read?", sym_text(p->name));
    diag_hint(c->diags, "read it inside `sum(%s...)`, max or min", sym_text(p->name));
  }
  check_devices(c, e);
  bool flat = e->n_args == 1 && e->args[0]->kind == EX_BUILTIN && e->args[0]->builtin == BUILTIN_FLAT;
  if (flat) return check_expr(c, e->args[0], group_ok);
  if (e->n_args != p->n_dims) {
    diag_error(c->diags, e->span, E_ARITY, "`%s` has %u ind%s in its pattern, not %u", sym_text(p->name), p->n_dims,
               p->n_dims == 1 ? "ex" : "ices", e->n_args);
    diag_note(c->diags, p->span, "it is declared here");
    return false;
  }
  bool any = false;
  for (uint32_t i = 0; i < e->n_args; i++) any |= read_index(c, p, &p->dims[i], e->args[i], group_ok);
  return any;
}

/* ---- Functions ---- */

static void unknown_function(Check *c, const AstExpr *e) {
  const Name *n = check_lookup(c, e->name, FORM_INDEX);
  const char *name = sym_text(e->name);
  const Decl *later = check_find(c, ITEM_FN, e->name), *op = check_find(c, ITEM_OP, e->name);
  diag_error(c->diags, e->name_span, n || later || op ? E_KIND : E_UNBOUND, "`%s` is no function%s", name,
             later ? " known here" : "");
  if (later) {
    diag_note(c->diags, later->at, "it is declared here");
    diag_hint(c->diags, "a function uses only those before it");
  } else if (n && n->kind == NAME_OPERAND) {
    diag_hint(c->diags, "an operand is read with brackets: `%s[..]`", name);
  } else if (op) {
    diag_hint(c->diags, "`%s` is an operator; write its equation, or a `fn`", name);
  } else if (check_hints(c)) {
    Nearest near = {.word = name, .len = sym_len(e->name)};
    for (uint32_t i = 0; i < N_FUNCTIONS; i++) nearest_try(&near, functions[i].text);
    for (uint32_t i = 0; i < BUILTIN_N; i++) nearest_try(&near, ast_builtin_text(i));
    for (size_t i = 0; i < c->decls.len; i++)
      if (c->decls.at[i].kind == ITEM_FN && c->decls.at[i].order < c->order)
        nearest_try(&near, sym_text(c->decls.at[i].name));
    if (near.best) diag_hint(c->diags, "did you mean `%s`?", near.best);
  }
}

static bool call_value(Check *c, const AstExpr *e, bool group_ok) {
  uint32_t arity = UINT32_MAX;
  const Decl *fn = check_find(c, ITEM_FN, e->name);
  if (fn && fn->order < c->order) arity = fn->arity;
  for (uint32_t i = 0; i < N_FUNCTIONS && arity == UINT32_MAX; i++)
    if (!strcmp(functions[i].text, sym_text(e->name))) arity = functions[i].arity, fn = NULL;
  int builtin = arity == UINT32_MAX ? ast_builtin_of(e->name) : -1;
  if (builtin >= 0)
    return diag_error(c->diags, e->span, E_ARITY, "`%s` takes %s, not %u", sym_text(e->name),
                      ast_builtin_arity((AstBuiltin)builtin, e->n_args), e->n_args);
  if (arity == UINT32_MAX) unknown_function(c, e);
  else if (arity != e->n_args) {
    diag_error(c->diags, e->span, E_ARITY, "`%s` takes %u argument%s, not %u", sym_text(e->name), arity,
               arity == 1 ? "" : "s", e->n_args);
    if (fn) diag_note(c->diags, fn->at, "it is declared here");
  }
  bool any = false;
  for (uint32_t i = 0; i < e->n_args; i++) any |= check_expr(c, e->args[i], group_ok);
  return any;
}

/* size, count, offset: an index of any pattern, bound or not. */
static bool index_argument(Check *c, const AstExpr *e, const AstExpr *arg, bool group_ok) {
  Name *n = arg->kind == EX_NAME || arg->kind == EX_GROUP ? check_lookup(c, arg->name, form_of(arg)) : NULL;
  if (n && n->kind == NAME_INDEX && (n->form == FORM_GROUP) == (arg->kind == EX_GROUP)) {
    n->used = true;
    if (arg->at) use_list(c, arg);
    return n->form == FORM_GROUP && groupish(c, arg->span, group_ok, "the group `*", n->sym);
  }
  if (n && n->kind == NAME_OVER && arg->kind == EX_NAME && e->builtin == BUILTIN_SIZE) return false; /* devices in it */
  if ((arg->kind == EX_NAME || arg->kind == EX_GROUP) && !n) return unbound(c, arg->span, arg->name);
  diag_error(c->diags, arg->span, E_KIND, "`%s` is asked of an index", ast_builtin_text(e->builtin));
  if (n && n->kind == NAME_OPERAND)
    diag_hint(c->diags, "of one that stands in the bracket: `%s(i)` for `%s[i]`", ast_builtin_text(e->builtin),
              sym_text(n->sym));
  if (n && n->kind == NAME_INDEX)
    diag_hint(c->diags, "write `%s%s`", n->form == FORM_GROUP ? "*" : "", sym_text(n->sym));
  return false;
}

/* type, rank, modulus: an operand or the result. */
static void tensor_argument(Check *c, const AstExpr *e) {
  const AstExpr *arg = e->args[0];
  Name *n = arg->kind == EX_NAME && !arg->graph ? check_lookup(c, arg->name, FORM_INDEX) : NULL;
  if (n && n->kind == NAME_OPERAND) {
    n->used = true;
    return;
  }
  if (arg->kind == EX_NAME && c->op && !strcmp(sym_text(arg->name), "result")) return;
  diag_error(c->diags, arg->span, E_KIND, "`%s` is asked of an operand or of `result`", ast_builtin_text(e->builtin));
}

static bool builtin_value(Check *c, const AstExpr *e, bool group_ok) {
  const AstExpr *arg = e->n_args ? e->args[0] : NULL;
  switch ((AstBuiltin)e->builtin) {
    case BUILTIN_FLAT:
      for (uint32_t i = 0; i < e->n_args; i++) index_value(c, e->args[i], true);
      return false;
    case BUILTIN_INSIDE:
      if (arg->kind == EX_READ) return check_expr(c, arg, group_ok);
      diag_error(c->diags, arg->span, E_KIND, "`inside` is asked of a read: `inside(x[..])`");
      return false;
    case BUILTIN_OFFSET:
    case BUILTIN_SIZE: return index_argument(c, e, arg, group_ok);
    case BUILTIN_COUNT:
      for (uint32_t i = 0; i < e->n_args; i++) index_argument(c, e, e->args[i], true);
      return false;
    case BUILTIN_TYPE:
      diag_error(c->diags, e->span, E_DEFINITION, "a type is no value");
      diag_hint(c->diags, "write `type(x) is float`");
      return false;
    case BUILTIN_HAS: {
      Name *n = arg->kind == EX_NAME && !arg->graph ? check_lookup(c, arg->name, FORM_INDEX) : NULL;
      if (n) n->used = true;
      if (arg->kind != EX_NAME || (n && n->kind != NAME_ATTR))
        diag_error(c->diags, arg->span, E_KIND, "`has` is asked of an attribute");
      return false;
    }
    case BUILTIN_MODULUS:
    case BUILTIN_RANK: tensor_argument(c, e); return false;
    case BUILTIN_ANY: check_expr(c, arg, true); return false;
    case BUILTIN_DEVICE:
    case BUILTIN_N: break;
  }
  return false;
}

static bool is_type(const char *t) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(t, kinds[i])) return true;
  if (!strcmp(t, "pred") || !strncmp(t, "bf16", 4)) return true;
  return strchr("sufc", *t) && isdigit((unsigned char)t[1]);
}

static bool is_value(Check *c, const AstExpr *e) {
  const AstExpr *x = e->args[0], *t = e->args[1];
  if (x->kind == EX_BUILTIN && x->builtin == BUILTIN_TYPE) {
    tensor_argument(c, x);
  } else {
    diag_error(c->diags, x->span, E_DEFINITION, "only a type is asked for with `is`");
    diag_hint(c->diags, "write `type(x) is float`, or compare with `==`");
  }
  if (is_type(sym_text(t->name))) return false;
  diag_error(c->diags, t->span, E_KIND, "`%s` is no type", sym_text(t->name));
  Nearest near = {.word = sym_text(t->name), .len = sym_len(t->name)};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) nearest_try(&near, kinds[i]);
  if (near.best) diag_hint(c->diags, "did you mean `%s`?", near.best);
  else diag_hint(c->diags, "types are float, int, sint, uint, bool, complex, and those of elements, such as f32 and s64");
  return false;
}

/* ---- Binders ---- */

static void open_binder(Check *c, const AstIndex *b) {
  Name *old = check_lookup(c, b->name, b->form);
  if (b->form == FORM_OPERANDS) {
    if (old && old->kind == NAME_OPERAND && old->param->variadic) old->open = old->used = true;
    else if (old) wrong_kind(c, b->span, old, "`%s` is no variadic operand");
    else unbound(c, b->span, b->name);
    return;
  }
  if (old && old->kind != NAME_INDEX && b->form == FORM_GROUP) old = NULL;
  bool pattern = old && old->kind == NAME_INDEX && (!old->usable || c->place == PLACE_LEMMA);
  if (old && !pattern) {
    diag_error(c->diags, b->span, E_DUPLICATE, "`%s` stands for something already", sym_text(b->name));
    diag_note(c->diags, old->at, "it is declared here");
    if (old->kind != NAME_INDEX) diag_hint(c->diags, "choose another name for the index of the reduction");
    else diag_hint(c->diags, "choose another name; or does the sum before it reach further than meant?");
  } else if (old && old->form != b->form) {
    wrong_kind(c, b->span, old, old->form == FORM_GROUP ? "`%s` is a group" : "`%s` is one index, no group");
    diag_hint(c->diags, "write `%s%s`", old->form == FORM_GROUP ? "*" : "", sym_text(b->name));
  }
  if (pattern) old->used = true;
  check_open(c, (Name){.sym = b->name, .kind = NAME_INDEX, .form = b->form, .usable = true,
                       .sized = b->size || (pattern && old->form == b->form), .at = b->span});
}

static bool reduction_value(Check *c, const AstExpr *e, bool group_ok) {
  size_t first = c->names.len;
  for (uint32_t i = 0; i < e->n_binders; i++)
    if (e->binders[i].size) check_expr(c, e->binders[i].size, e->binders[i].form == FORM_GROUP);
  for (uint32_t i = 0; i < e->n_binders; i++) open_binder(c, &e->binders[i]);
  bool any = check_expr(c, e->args[0], group_ok);
  for (size_t i = first; i < c->names.len; i++) {
    const Name *n = &c->names.at[i];
    if (n->sized) continue;
    const char *star = n->form == FORM_GROUP ? "*" : "", *name = sym_text(n->sym);
    diag_error(c->diags, n->at, E_INDEX, "how far `%s%s` runs cannot be told", star, name);
    diag_hint(c->diags, "use it as an index of an operand, or state its size: `%s%s: n`", star, name);
  }
  check_close(c, first);
  for (uint32_t i = 0; i < e->n_binders; i++) {
    Name *n = e->binders[i].form == FORM_OPERANDS ? check_lookup(c, e->binders[i].name, FORM_OPERANDS) : NULL;
    if (n) n->open = false;
  }
  return any;
}

static bool all_value(Check *c, const AstExpr *e) {
  for (uint32_t i = 0; i < e->n_binders; i++) {
    const AstIndex *b = &e->binders[i];
    Name *n = check_lookup(c, b->name, b->form);
    if (!n) unbound(c, b->span, b->name);
    else if (n->kind != NAME_INDEX || n->form != FORM_GROUP || b->form != FORM_GROUP)
      wrong_kind(c, b->span, n, "`all` runs over the positions of a group, and `%s` is none here");
    else n->used = true;
  }
  check_expr(c, e->args[0], true);
  return false;
}

/* ---- Everything else ---- */

static bool args_value(Check *c, const AstExpr *e, bool group_ok) {
  bool any = false;
  for (uint32_t i = 0; i < e->n_args; i++) any |= check_expr(c, e->args[i], group_ok);
  return any;
}

/* `attr == word`: the right side is no name when the left is a word-valued attribute. */
static bool compare_value(Check *c, const AstExpr *e, bool group_ok) {
  const AstExpr *x = e->args[0], *y = e->args[1];
  if ((y->kind == EX_NAME && !y->graph) || y->kind == EX_STRING) {
    Name *n = x->kind == EX_NAME && !x->graph ? check_lookup(c, x->name, FORM_INDEX) : NULL;
    bool word = n ? n->kind == NAME_ATTR && n->attr && !strcmp(sym_text(n->attr->type), "sym")
                  : x->kind == EX_NAME && c->place == PLACE_WHEN;
    if (n && word) n->used = true;
    if (word) return false;
  }
  return args_value(c, e, group_ok);
}

static bool is_constant(Check *c, const AstExpr *e) {
  if (e->kind == EX_READ || e->kind == EX_SUM || e->kind == EX_MAX || e->kind == EX_MIN) return false;
  const Name *n = e->kind == EX_NAME && !e->graph ? check_lookup(c, e->name, FORM_INDEX) : NULL;
  if (n && n->kind == NAME_OPERAND) return false;
  for (uint32_t i = 0; i < e->n_args; i++)
    if (!is_constant(c, e->args[i])) return false;
  return true;
}

static bool power_value(Check *c, const AstExpr *e, bool group_ok) {
  if (!is_constant(c, e->args[1])) {
    diag_error(c->diags, e->args[1]->span, E_DEFINITION, "the exponent of `^` is a number known from the attributes");
    diag_hint(c->diags, "write `pow(x, y)`");
  }
  return args_value(c, e, group_ok);
}

static bool let_value(Check *c, const AstExpr *e, bool group_ok) {
  bool each = check_expr(c, e->args[0], group_ok);
  size_t first = c->names.len;
  const Name *old = check_lookup(c, e->name, FORM_INDEX);
  if (old) {
    diag_error(c->diags, e->name_span, E_DUPLICATE, "`%s` stands for something already", sym_text(e->name));
    diag_note(c->diags, old->at, "it is declared here");
  }
  check_open(c, (Name){.sym = e->name, .kind = NAME_LET, .groupish = each, .at = e->name_span});
  bool any = check_expr(c, e->args[1], group_ok);
  check_close(c, first);
  return any;
}

bool check_expr(Check *c, const AstExpr *e, bool group_ok) {
  bool tensors = e->kind == EX_READ || e->kind == EX_SUM || e->kind == EX_MAX || e->kind == EX_MIN;
  if (tensors && (c->place == PLACE_FN || c->place == PLACE_WHEN)) {
    diag_error(c->diags, e->span, E_DEFINITION, "%s",
               c->place == PLACE_FN ? "a function is of numbers: it reads no tensor"
                                    : "a condition knows attributes, types and sizes, no values");
    return false;
  }
  switch ((AstKind)e->kind) {
    case EX_ERROR:
    case EX_RAT:
    case EX_INF:
    case EX_N_KINDS: return false;
    case EX_STRING:
      diag_error(c->diags, e->span, E_KIND, "a string is no number");
      return false;
    case EX_NAME: return name_value(c, e, group_ok);
    case EX_GROUP: return group_value(c, e, group_ok);
    case EX_READ: return read_value(c, e, group_ok);
    case EX_TUPLE:
      diag_error(c->diags, e->span, E_INDEX, "digits stand only as an index: `x[(a, b)]`");
      return false;
    case EX_CALL: return call_value(c, e, group_ok);
    case EX_BUILTIN: return builtin_value(c, e, group_ok);
    case EX_SUM:
    case EX_MAX:
    case EX_MIN: return reduction_value(c, e, group_ok);
    case EX_ALL: return all_value(c, e);
    case EX_EQ:
    case EX_NE: return compare_value(c, e, group_ok);
    case EX_IS: return is_value(c, e);
    case EX_POW: return power_value(c, e, group_ok);
    case EX_LET: return let_value(c, e, group_ok);
    case EX_NAMED: case EX_SAME: case EX_BIND: case EX_DO: case EX_RUN: case EX_SCHEDULE:
      diag_error(c->diags, e->span, E_SYNTAX, "arguments have names only in rules");
      return false;
    case EX_LIST: case EX_NODE:
      diag_error(c->diags, e->span, E_KIND, "a list is no number");
      return false;
    case EX_NEG: case EX_NOT: case EX_ADD: case EX_SUB: case EX_MUL: case EX_DIV: case EX_LT: case EX_LE: case EX_GT:
    case EX_GE: case EX_AND: case EX_OR: case EX_IF: break;
  }
  return args_value(c, e, group_ok);
}
