#include "eval/program/names.h"

#include "lang/nearest.h"

Name *name_of(Program *e, Sym s) {
  while (e->names.len <= s) vec_push(&e->names, (Name){0});
  return &e->names.at[s];
}

const char *name_of_sort(const Program *e, SortId s) {
  const Sort *so = db_sort(e->db, s);
  return so->kind == SORT_ROW ? "the relation's own sort" : sym_text(so->name);
}

static const char *kind_text(NameKind k) {
  static const char *const text[] = {"", "a sort", "a table", "a ruleset", "a global", "a cost model"};
  return text[k];
}

bool name_free(Program *e, const Sexp *at) {
  if (at->kind != SEXP_SYMBOL) return diag_error(e->diags, at->at, E_SYNTAX, "a name is expected here");
  const char *text = sym_text(at->sym);
  NameKind k = (NameKind)name_of(e, at->sym)->kind;
  if (*text == '@' || !strcmp(text, "_"))
    return diag_error(e->diags, at->at, E_KIND, "the name `%s` is reserved", text),
           diag_hint(e->diags, "choose another name"), false;
  if (k) {
    diag_error(e->diags, at->at, E_DUPLICATE, "`%s` is already %s", text, kind_text(k));
    if (name_of(e, at->sym)->at.source) diag_note(e->diags, name_of(e, at->sym)->at, "declared here");
    diag_hint(e->diags, "sorts, tables, rulesets and globals share one name space: choose another name");
    return false;
  }
  return true;
}

bool name_declare(Program *e, const Sexp *at, NameKind kind, uint32_t id) {
  if (!name_free(e, at)) return false;
  const char *text = sym_text(at->sym);
  if (kind != NAME_GLOBAL && kind != NAME_RULESET && db_prim_reserved(e->db, at->sym)) {
    diag_error(e->diags, at->at, E_DUPLICATE, "`%s` is the name of a primitive", text);
    diag_hint(e->diags, "choose another name");
    return false;
  }
  name_of(e, at->sym)->kind = (uint8_t)kind;
  name_of(e, at->sym)->id = id;
  name_of(e, at->sym)->at = at->at;
  name_of(e, at->sym)->only_in = 0;
  if (kind == NAME_GLOBAL && *text == '$') name_of(e, sym(text + 1))->shadows = true;
  vec_push(&e->declared, at->sym);
  return true;
}

void names_push(Program *e) { vec_push(&e->levels, e->declared.len); }

void names_pop(Program *e) {
  size_t n = vec_pop(&e->levels);
  while (e->declared.len > n) {
    Sym s = vec_pop(&e->declared);
    const char *text = sym_text(s);
    if (name_of(e, s)->kind == NAME_GLOBAL && *text == '$') name_of(e, sym(text + 1))->shadows = false;
    if (name_of(e, s)->kind == NAME_COSTS) e->models.len = name_of(e, s)->id;
    name_of(e, s)->kind = NAME_NONE;
  }
}

const char *name_similar(Program *e, Sym s, NameKind kind) {
  Nearest near = {.word = sym_text(s), .len = sym_len(s)};
  for (size_t i = 0; i < e->declared.len; i++)
    if (e->names.at[e->declared.at[i]].kind == kind) nearest_try(&near, sym_text(e->declared.at[i]));
  return near.best;
}

/* The base sort that goes by another name elsewhere. */
static const char *base_sort(const char *name) {
  static const char *const known[][2] = {
      {"int", "i64"},   {"Int", "i64"},    {"integer", "i64"},   {"i32", "i64"},         {"float", "f64"},
      {"Float", "f64"}, {"double", "f64"}, {"f32", "f64"},       {"str", "String"},      {"string", "String"},
      {"Bool", "bool"}, {"unit", "Unit"},  {"bigint", "BigInt"}, {"Rational", "BigRat"}, {"bigrat", "BigRat"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(name, known[i][0])) return known[i][1];
  return NULL;
}

SortId name_sort(Program *e, const Sexp *at) {
  if (at->kind == SEXP_SYMBOL && name_of(e, at->sym)->kind == NAME_SORT) return name_of(e, at->sym)->id;
  if (at->kind != SEXP_SYMBOL) {
    diag_error(e->diags, at->at, E_SYNTAX, "the name of a sort is expected here");
    return IR_NONE;
  }
  diag_error(e->diags, at->at, E_UNBOUND, "there is no sort `%s`", sym_text(at->sym));
  const char *like = base_sort(sym_text(at->sym));
  if (!like) like = name_similar(e, at->sym, NAME_SORT);
  if (like) diag_hint(e->diags, "did you mean `%s`?", like);
  else
    diag_hint(e->diags,
              e->infix ? "declare it before, with `sort %s` or `datatype %s = ..`"
                       : "declare it before, with `(sort %s)` or `(datatype %s ...)`",
              sym_text(at->sym), sym_text(at->sym));
  return IR_NONE;
}

const char *names_shown(Program *e, const char *message) {
  if (!e->infix) return message;
  char *text = arena_strdup(&e->scratch, message, strlen(message));
  bool name = false;
  for (char *p = text; *p; p++) {
    if (*p == '`') name = !name;
    if (name && *p == '-') *p = '_';
  }
  return text;
}
