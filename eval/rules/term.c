/* Terms, facts and actions of .tvr as S-expressions. */
#include <string.h>

#include "lang/library.h"
#include "eval/rules/rules.h"
#include "lang/nearest.h"

Sexp rules_symbol(Span at, const char *text) { return (Sexp){.kind = SEXP_SYMBOL, .at = at, .sym = sym(text)}; }

static Sexp symbol(Span at, Sym s) { return (Sexp){.kind = SEXP_SYMBOL, .at = at, .sym = s}; }

Sexp rules_list(Rules *r, Span at, uint32_t n, const Sexp *forms) {
  return (Sexp){.kind = SEXP_LIST, .at = at, .n = n, .item = arena_copy(&r->arena, forms, n * sizeof *forms)};
}

Sexp rules_forms(Rules *r, Span at, const Forms *f) { return rules_list(r, at, (uint32_t)f->len, f->at); }

static Sexp fault(Rules *r, Span at, DiagCode code, const char *text) {
  diag_error(r->program->diags, at, code, "%s", text);
  r->failed = true;
  return symbol(at, sym("_"));
}

/* ---- names ---- */

static const AstExpr *bound_to(const Rules *r, Sym name) {
  for (size_t i = r->bound.len; i-- > r->first_bound;)
    if (r->bound.at[i].name == name) return r->bound.at[i].value;
  return NULL;
}

/* Functions whose names .tvr spells otherwise. */
static const struct {
  const char *name, *primitive;
} spelled[] = {
  {"maximum", "max"}, {"minimum", "min"}, {"rem", "%"}, {"band", "&"}, {"bor", "|"}, {"bxor", "^"},
  {"shl", "<<"}, {"shr", ">>"}, {"apply", "unstable-app"},
};

static Sym dashed(const char *prefix, Sym name) {
  char buf[128];
  int n = snprintf(buf, sizeof buf, "%s%s", prefix, sym_text(name));
  if (n < 0 || (size_t)n >= sizeof buf) return name;
  for (char *p = buf; *p; p++)
    if (*p == '_') *p = '-';
  return sym(buf);
}

static bool is_table(const Rules *r, Sym s) { return name_of(r->program, s)->kind == NAME_TABLE; }

/* The table or primitive a call names: tables come first, primitives may be written with `_` for `-`. */
static Sym callee(const Rules *r, Sym name) {
  const Db *db = r->program->db;
  if (is_table(r, name) || db_prim_first(db, name) != IR_NONE) return name;
  for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++)
    if (name == sym(spelled[i].name)) return sym(spelled[i].primitive);
  Sym other = dashed("", name), unstable = dashed("unstable-", name);
  return db_prim_reserved(db, other) ? other : db_prim_reserved(db, unstable) ? unstable : name;
}

Sexp rules_name(Rules *r, Span at, Sym name) {
  const AstExpr *value = bound_to(r, name);
  return value ? rules_term(r, value) : symbol(at, module_resolve(r, at, name, false));
}

Sexp rules_declared(Rules *r, Span at, Sym name) {
  const AstExpr *value = bound_to(r, name);
  if (!value) return symbol(at, module_declared(r, name));
  Sexp s = rules_term(r, value);
  if (s.kind == SEXP_SYMBOL && value->kind == EX_NAME) s.sym = module_declared(r, value->name);
  return s;
}

/* ---- calls ---- */

static const Columns *columns_of(const Rules *r, Sym table) {
  for (size_t i = r->columns.len; i-- > 0;)
    if (r->columns.at[i].table == table) return &r->columns.at[i];
  return NULL;
}

static uint32_t column_named(const Columns *c, Sym name) {
  for (uint32_t i = 0; c && i < c->n; i++)
    if (c->name[i] == name) return i;
  return UINT32_MAX;
}

/* A row of a table, some columns by name and the rest left open: `_`.  With `first`, the first column is that. */
static Sexp row(Rules *r, const AstExpr *e, Sym table, const Sexp *first) {
  const TableSpec *spec = db_table_spec(r->program->db, name_of(r->program, table)->id);
  const Columns *names = columns_of(r, table);
  Sexp *item = ARENA_ARRAY(&r->arena, Sexp, spec->n_in + 1);
  bool *given = ARENA_ARRAY(&r->arena, bool, spec->n_in + 1);
  memset(given, 0, (spec->n_in + 1) * sizeof *given);
  for (uint32_t i = 0; i < spec->n_in; i++) item[i + 1] = rules_symbol(e->span, "_");
  item[0] = symbol(e->name_span, table);
  uint32_t next = 0;
  if (first && spec->n_in) item[1] = *first, given[next++] = true;
  for (uint32_t i = 0; i < e->n_args; i++) {
    const AstExpr *x = e->args[i];
    bool named = x->kind == EX_NAMED;
    uint32_t k = named ? column_named(names, x->name) : next++;
    if (k >= spec->n_in) {
      diag_error(r->program->diags, x->span, named ? E_UNBOUND : E_ARITY,
                 named ? "`%s` has no column `%s`" : "`%s` has fewer columns", sym_text(table), sym_text(x->name));
      r->failed = true;
      break;
    }
    if (given[k]) fault(r, x->span, E_DUPLICATE, "this column is given twice");
    given[k] = true;
    item[k + 1] = rules_term(r, named ? x->args[0] : x);
  }
  for (uint32_t i = 0; !r->facts && i < spec->n_in; i++)
    if (!given[i]) return fault(r, e->span, E_ARITY, "an action gives every column");
  return rules_list(r, e->span, spec->n_in + 1, item);
}

static bool has_named(const AstExpr *e) {
  return e->n_args && e->args[e->n_args - 1]->kind == EX_NAMED;
}

/* A function value: `closure(f, x)` is f with its first argument given. */
static Sexp closure(Rules *r, const AstExpr *e) {
  if (!e->n_args || (e->args[0]->kind != EX_NAME && e->args[0]->kind != EX_STRING))
    return fault(r, e->span, E_RULE, "a closure is of a table or function: `closure(f, x)`");
  Sexp f = rules_name(r, e->args[0]->span, e->args[0]->name);
  if (f.kind != SEXP_SYMBOL) return fault(r, e->span, E_RULE, "this is no function");
  Forms out = {0};
  vec_push(&out, rules_symbol(e->name_span, "unstable-fn"));
  vec_push(&out, ((Sexp){.kind = SEXP_STRING, .at = f.at, .sym = callee(r, f.sym)}));
  for (uint32_t i = 1; i < e->n_args; i++) vec_push(&out, rules_term(r, e->args[i]));
  Sexp s = rules_forms(r, e->span, &out);
  vec_free(&out);
  return s;
}

/* ---- operators of graphs ---- */

/* The operator that a call in a query asks for, or 0.  Tables and primitives come first; a string that a template puts
 * in the place of the name is always an operator. */
static Sym operator_asked(Rules *r, const AstExpr *e) {
  if (!r->graphs || !r->facts || (e->kind != EX_CALL && e->kind != EX_BUILTIN)) return 0;
  const AstExpr *b = bound_to(r, e->name);
  if (b && b->kind == EX_STRING) return b->name;
  Sym name = b && b->kind == EX_NAME ? b->name : e->name;
  bool other = strstr(sym_text(name), "::") || db_prim_first(r->program->db, name) != IR_NONE;
  if (other || is_table(r, module_resolve(r, e->name_span, name, true))) return 0;
  uint32_t n = 0;
  if (r->library) library_ops(r->library, name, &n);
  return n || (name < r->occurs.len && r->occurs.at[name]) ? name : 0;
}

static void ask(Rules *r, Span at, const char *table, Sexp t, Sexp x) {
  vec_push(r->facts, FORM(r, at, rules_symbol(at, table), t, x));
}

/* An attribute by name: the second column of a table of tensors of that name, or the attribute itself. */
static void ask_attribute(Rules *r, const AstExpr *named, Sexp t) {
  const AstExpr *x = named->args[0];
  Span at = named->span;
  Sym table = module_resolve(r, named->name_span, named->name, true);
  if (is_table(r, table)) {
    ask(r, at, sym_text(table), t, rules_term(r, x));
    return;
  }
  Sexp value = rules_term(r, x), name = {.kind = SEXP_STRING, .at = named->name_span, .sym = named->name};
  if (value.kind == SEXP_INT) value = FORM(r, at, rules_symbol(at, "Int"), value);
  if (value.kind == SEXP_STRING) value = FORM(r, at, rules_symbol(at, "Word"), value);
  vec_push(r->facts, FORM(r, at, rules_symbol(at, "attribute"), t, name, value));
}

/* `op(x, y, name: v)` in a query: a tensor that is the result of this operator on these operands. */
static Sexp operator_call(Rules *r, const AstExpr *e, Sym op, const Sexp *result) {
  Sexp t = result ? *result : rules_symbol(e->span, arena_printf(&r->arena, "result %u", ++r->fresh));
  uint32_t n = 0;
  vec_push(&r->asked, op);
  ask(r, e->span, "operator", t, (Sexp){.kind = SEXP_STRING, .at = e->name_span, .sym = op});
  for (uint32_t i = 0; i < e->n_args; i++) {
    const AstExpr *x = e->args[i];
    if (x->kind == EX_NAMED) {
      ask_attribute(r, x, t);
      continue;
    }
    Sexp place = {.kind = SEXP_INT, .at = x->span, .i = n++}, operand = rules_term(r, x);
    vec_push(r->facts, FORM(r, x->span, rules_symbol(x->span, "operand"), t, place, operand));
  }
  if (n) ask(r, e->span, "arity", t, (Sexp){.kind = SEXP_INT, .at = e->span, .i = n});
  return t;
}

/* Where there are graphs, a call that nothing answers to. */
static bool unknown_call(Rules *r, const AstExpr *e, Sym written, Sym name) {
  if (!r->graphs || !r->library || is_table(r, name) || db_prim_reserved(r->program->db, name)) return false;
  Nearest near = {.word = sym_text(written), .len = sym_len(written)};
  uint32_t n;
  library_ops(r->library, written, &n);
  if (n) {
    fault(r, e->name_span, E_RULE, "operators of graphs are asked for, not made");
    return true;
  }
  const Sym *names = library_names(r->library, &n);
  for (uint32_t i = 0; i < n; i++) nearest_try(&near, sym_text(names[i]));
  const char *table = name_similar(r->program, written, NAME_TABLE);
  fault(r, e->name_span, E_UNBOUND, "there is no table, function or operator of this name");
  if (table || near.best) diag_hint(r->program->diags, "did you mean `%s`?", table ? table : near.best);
  return true;
}

static Sexp call(Rules *r, const AstExpr *e) {
  const AstExpr *b = bound_to(r, e->name);
  Sym op = operator_asked(r, e), written = b ? b->name : e->name;
  if (op) return operator_call(r, e, op, NULL);
  if (b && b->kind != EX_NAME) return fault(r, e->name_span, E_KIND, "the template puts no name here");
  Sym found = module_resolve(r, e->name_span, written, true), name = callee(r, found);
  if (r->failed || module_hides(r, e->name_span, written, found)) return rules_symbol(e->span, "_");
  if (name != sym("closure") && unknown_call(r, e, written, name)) return rules_symbol(e->span, "_");
  if (name == sym("closure") && !is_table(r, name)) return closure(r, e);
  if (!e->n_args && !is_table(r, name) && name == sym("unit")) return rules_list(r, e->span, 0, NULL);
  if (!e->n_args && !is_table(r, name) && name == sym("nan"))
    return (Sexp){.kind = SEXP_FLOAT, .at = e->span, .f = 0.0 / 0.0};
  if (is_table(r, name) && has_named(e)) return row(r, e, name, NULL);
  Sexp *item = ARENA_ARRAY(&r->arena, Sexp, e->n_args + 1);
  item[0] = symbol(e->name_span, name);
  for (uint32_t i = 0; i < e->n_args; i++) {
    if (e->args[i]->kind == EX_NAMED) return fault(r, e->args[i]->span, E_RULE, "only columns of tables have names");
    item[i + 1] = rules_term(r, e->args[i]);
  }
  return rules_list(r, e->span, e->n_args + 1, item);
}

/* ---- terms ---- */

static Sexp number(Rules *r, const AstExpr *e, bool negative) {
  const Source *src = e->span.source ? sources_get(diags_sources(r->program->diags), e->span.source) : NULL;
  bool exact = true;
  for (uint32_t i = e->span.lo; src && i < e->span.hi; i++) exact &= !strchr(".eE", src->text[i]);
  Rat v = negative ? rat_neg(e->value) : e->value;
  Sexp s = {.kind = SEXP_INT, .at = e->span};
  if (exact && !rat_to_int(v, &s.i)) return fault(r, e->span, E_NUMBER, "an integer does not fit in 64 bits");
  if (!exact) s.kind = SEXP_FLOAT, s.f = rat_to_double(v);
  return s;
}

static const char *operator_text(AstKind k, bool value) {
  switch (k) {
    case EX_ADD: return "+";
    case EX_SUB: return "-";
    case EX_MUL: return "*";
    case EX_DIV: return "/";
    case EX_POW: return "pow";
    case EX_EQ: return value ? "bool-=" : "=";
    case EX_NE: return value ? "bool-!=" : "!=";
    case EX_LT: return value ? "bool-<" : "<";
    case EX_LE: return value ? "bool-<=" : "<=";
    case EX_GT: return value ? "bool->" : ">";
    case EX_GE: return value ? "bool->=" : ">=";
    case EX_AND: return "and";
    case EX_OR: return "or";
    case EX_NOT: return "not";
    default: return "neg";
  }
}

static Sexp operation(Rules *r, const AstExpr *e, bool value) {
  Sexp item[3] = {rules_symbol(e->span, operator_text((AstKind)e->kind, value))};
  for (uint32_t i = 0; i < e->n_args; i++) item[i + 1] = rules_term(r, e->args[i]);
  return rules_list(r, e->span, e->n_args + 1, item);
}

Sexp rules_term(Rules *r, const AstExpr *e) {
  switch ((AstKind)e->kind) {
    case EX_RAT: return number(r, e, false);
    case EX_INF: return (Sexp){.kind = SEXP_FLOAT, .at = e->span, .f = 1.0 / 0.0};
    case EX_STRING: return (Sexp){.kind = SEXP_STRING, .at = e->span, .sym = e->name};
    case EX_NAME: {
      const char *t = sym_text(e->name);
      if (!strcmp(t, "true") || !strcmp(t, "false")) return (Sexp){.kind = SEXP_BOOL, .at = e->span, .b = *t == 't'};
      return rules_name(r, e->span, e->name);
    }
    case EX_CALL:
    case EX_BUILTIN: return call(r, e);
    case EX_TUPLE:
      return FORM(r, e->span, rules_symbol(e->span, "pair"), rules_term(r, e->args[0]), rules_term(r, e->args[1]));
    case EX_NEG:
      if (e->args[0]->kind == EX_INF) return (Sexp){.kind = SEXP_FLOAT, .at = e->span, .f = -1.0 / 0.0};
      if (e->args[0]->kind == EX_RAT) return number(r, e->args[0], true); /* fall through */
    default: return operation(r, e, true);
  }
}

/* ---- facts and actions ---- */

/* `v = table(..)` of a relation: the first column is v, unless all columns are given. */
static bool is_partial_row(Rules *r, const AstExpr *e) {
  if (e->kind != EX_CALL && e->kind != EX_BUILTIN) return false;
  const AstExpr *b = bound_to(r, e->name);
  Sym name = callee(r, module_resolve(r, e->name_span, b && b->kind == EX_NAME ? b->name : e->name, true));
  if (!is_table(r, name)) return false;
  const TableSpec *spec = db_table_spec(r->program->db, name_of(r->program, name)->id);
  return spec->kind == TABLE_RELATION && (e->n_args < spec->n_in || has_named(e));
}

static Sym table_called(Rules *r, const AstExpr *e) {
  const AstExpr *b = bound_to(r, e->name);
  return callee(r, module_resolve(r, e->name_span, b && b->kind == EX_NAME ? b->name : e->name, true));
}

static Sexp equation(Rules *r, const AstExpr *e) {
  for (uint32_t i = 0; i < 2; i++) {
    Sym op = operator_asked(r, e->args[i]);
    if (!op) continue;
    Sexp t = rules_term(r, e->args[1 - i]);
    operator_call(r, e->args[i], op, &t);
    return vec_pop(r->facts);
  }
  for (uint32_t i = 0; i < 2; i++)
    if (is_partial_row(r, e->args[i])) {
      Sexp first = rules_term(r, e->args[1 - i]);
      return row(r, e->args[i], table_called(r, e->args[i]), &first);
    }
  return FORM(r, e->span, rules_symbol(e->span, "="), rules_term(r, e->args[0]), rules_term(r, e->args[1]));
}

void rules_fact(Rules *r, const AstExpr *e, Forms *out) {
  Forms *before = r->facts;
  r->facts = out;
  if (e->kind == EX_AND) {
    rules_fact(r, e->args[0], out);
    rules_fact(r, e->args[1], out);
  } else {
    Sexp f;
    if (e->kind == EX_SAME) f = equation(r, e);
    else if (e->kind == EX_NOT || e->kind == EX_OR)
      f = FORM(r, e->span, rules_symbol(e->span, "guard"), operation(r, e, true));
    else if (e->kind == EX_CALL || e->kind == EX_BUILTIN) f = call(r, e);
    else f = operation(r, e, false);
    if (f.kind == SEXP_LIST) vec_push(out, f);
  }
  r->facts = before;
}

/* `a = b` sets where the left side calls a function, and unions otherwise. */
static Sexp make_equal(Rules *r, const AstExpr *e) {
  const AstExpr *left = e->args[0];
  bool called = left->kind == EX_CALL || left->kind == EX_BUILTIN;
  Sym name = called ? table_called(r, left) : 0;
  bool sets = called && is_table(r, name) &&
              db_table_spec(r->program->db, name_of(r->program, name)->id)->kind == TABLE_FUNCTION;
  return FORM(r, e->span, rules_symbol(e->span, sets ? "set" : "union"), rules_term(r, left),
              rules_term(r, e->args[1]));
}

/* `cost f(x) = e`, maybe in a cost model. */
static Sexp set_cost(Rules *r, const AstExpr *e) {
  const AstExpr *model = e->args[0]->kind == EX_NAMED ? e->args[0] : NULL, *same = model ? model->args[0] : e->args[0];
  Sexp verb = rules_symbol(e->name_span, "set-cost"), row = rules_term(r, same->args[0]),
       value = rules_term(r, same->args[1]);
  if (!model) return FORM(r, e->span, verb, row, value);
  return FORM(r, e->span, verb, row, value, rules_symbol(model->name_span, ":model"),
              rules_name(r, model->name_span, model->name));
}

Sexp rules_action(Rules *r, const AstExpr *e) {
  r->facts = NULL;
  switch ((AstKind)e->kind) {
    case EX_SAME: return make_equal(r, e);
    case EX_BIND:
      return FORM(r, e->span, rules_symbol(e->span, "let"), rules_name(r, e->name_span, e->name),
                  rules_term(r, e->args[0]));
    case EX_DO:
      if (e->name == sym("cost")) return set_cost(r, e);
      return FORM(r, e->span, symbol(e->name_span, e->name), rules_term(r, e->args[0]));
    default: return call(r, e);
  }
}
