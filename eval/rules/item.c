/* Items of .tvr as commands. */
#include <stdlib.h>
#include <string.h>

#include "eval/rules/rules.h"
#include "lang/lang.h"

enum { MOST_INCLUDES = 50 };

static Sexp word(const AstItem *it, const char *text) { return rules_symbol(it->span, text); }
static Sexp item_name(Rules *r, const AstItem *it) { return rules_declared(r, it->name_span, it->name); }

static Sexp finish(Rules *r, Span at, Forms *f) {
  Sexp s = rules_forms(r, at, f);
  vec_free(f);
  return s;
}

/* A table by its name alone, or any other term. */
static Sexp table_or_term(Rules *r, const AstExpr *e) {
  if (e->kind == EX_NAME) module_resolve(r, e->span, e->name, true);
  return rules_term(r, e);
}

/* A path of the file, which is relative to it. */
static const char *beside(Rules *r, const AstItem *it, Sym path) {
  const char *from = sources_get(diags_sources(r->program->diags), it->span.source)->path, *slash = strrchr(from, '/');
  if (!slash || *sym_text(path) == '/') return sym_text(path);
  return arena_printf(&r->arena, "%.*s/%s", (int)(slash - from), from, sym_text(path));
}

/* ---- declarations ---- */

static Sexp column_sort(Rules *r, const AstExpr *c) {
  if (c->kind == EX_NAMED) c = c->args[0];
  return rules_name(r, c->span, c->name);
}

static void push_columns(Rules *r, const AstExprs *l, Forms *out) {
  for (uint32_t i = 0; i < l->n; i++) vec_push(out, column_sort(r, l->at[i]));
}

static Sexp columns(Rules *r, const AstItem *it) {
  Forms f = {0};
  push_columns(r, &it->clause.head, &f);
  return finish(r, it->span, &f);
}

static void keep_columns(Rules *r, const AstItem *it) {
  const AstExprs *l = &it->clause.head;
  Columns c = {item_name(r, it).sym, l->n, ARENA_ARRAY(&r->arena, Sym, l->n + 1)};
  for (uint32_t i = 0; i < l->n; i++) c.name[i] = l->at[i]->kind == EX_NAMED ? l->at[i]->name : 0;
  vec_push(&r->columns, c);
}

static void push_options(Rules *r, const AstItem *it, Forms *out) {
  for (uint32_t i = 0; i < it->clause.options.n; i++) {
    const AstExpr *o = it->clause.options.at[i];
    bool unsafe = o->name == sym("unsafe");
    vec_push(out, rules_symbol(o->span, arena_printf(&r->arena, ":%s%s", sym_text(o->name), unsafe ? "-seminaive" : "")));
    if (o->n_args) vec_push(out, rules_term(r, o->args[0]));
  }
}

static Sexp container(Rules *r, const AstItem *it) {
  const AstClause *c = &it->clause;
  if (c->body.n)
    return FORM(r, it->span, word(it, "UnstableFn"), columns(r, it), column_sort(r, c->body.at[0]));
  Forms f = {0};
  const AstExpr *e = c->head.at[0];
  vec_push(&f, rules_symbol(e->name_span, sym_text(e->name)));
  for (uint32_t i = 0; i < e->n_args; i++) vec_push(&f, column_sort(r, e->args[i]));
  return finish(r, e->span, &f);
}

static Sexp sort_item(Rules *r, const AstItem *it) {
  if (!it->clause.head.n && !it->clause.body.n) return FORM(r, it->span, word(it, "sort"), item_name(r, it));
  return FORM(r, it->span, word(it, "sort"), item_name(r, it), container(r, it));
}

/* The name and variants of a datatype, after the word there may be. */
static void push_datatype(Rules *r, const AstItem *it, Forms *out) {
  vec_push(out, item_name(r, it));
  for (uint32_t i = 0; i < it->clause.n_items; i++) {
    const AstItem *v = it->clause.items[i];
    Forms f = {0};
    vec_push(&f, item_name(r, v));
    push_columns(r, &v->clause.head, &f);
    push_options(r, v, &f);
    keep_columns(r, v);
    vec_push(out, finish(r, v->span, &f));
  }
}

static Sexp datatype_item(Rules *r, const AstItem *it) {
  Forms f = {0};
  if (it->kind == ITEM_DATATYPE) {
    vec_push(&f, word(it, "datatype"));
    push_datatype(r, it, &f);
    return finish(r, it->span, &f);
  }
  vec_push(&f, word(it, "datatype*"));
  for (uint32_t i = 0; i < it->clause.n_items; i++) {
    const AstItem *m = it->clause.items[i];
    Forms one = {0};
    if (m->kind == ITEM_DATATYPE) push_datatype(r, m, &one);
    vec_push(&f, m->kind == ITEM_SORT ? sort_item(r, m) : finish(r, m->span, &one));
  }
  return finish(r, it->span, &f);
}

static Sexp table_item(Rules *r, const AstItem *it) {
  const AstClause *c = &it->clause;
  Forms f = {0};
  vec_push(&f, word(it, ast_item_text(it->kind)));
  vec_push(&f, item_name(r, it));
  vec_push(&f, columns(r, it));
  if (c->body.n) vec_push(&f, column_sort(r, c->body.at[0]));
  if (it->kind == ITEM_FUNCTION) vec_push(&f, word(it, c->body.n > 1 ? ":merge" : ":no-merge"));
  if (c->body.n > 1) vec_push(&f, rules_term(r, c->body.at[1]));
  push_options(r, it, &f);
  keep_columns(r, it);
  return finish(r, it->span, &f);
}

static Sexp ruleset_item(Rules *r, const AstItem *it) {
  Forms f = {0};
  vec_push(&f, word(it, it->clause.head.n ? "unstable-combined-ruleset" : "ruleset"));
  vec_push(&f, item_name(r, it));
  push_columns(r, &it->clause.head, &f);
  return finish(r, it->span, &f);
}

/* ---- rules ---- */

/* The item's own text with white space and comments squeezed: what a rule without a name is called. */
static const char *own_text(Rules *r, const AstItem *it) {
  const char *text = sources_get(diags_sources(r->program->diags), it->span.source)->text;
  char *out = arena_alloc(&r->arena, it->span.hi - it->span.lo + 1), *q = out;
  bool quoted = false;
  for (const char *p = text + it->span.lo; p < text + it->span.hi; p++) {
    if (*p == '"' && p[-1] != '\\') quoted = !quoted;
    if (!quoted && p[0] == '/' && p[1] == '/') p += strcspn(p, "\n");
    bool space = strchr(" \t\r\n", *p) != NULL;
    if (!space || quoted) *q++ = *p;
    else if (q > out && q[-1] != ' ') *q++ = ' ';
  }
  *q = 0;
  return out;
}

static void push_heading(Rules *r, const AstItem *it, Forms *out) {
  const char *name = it->name ? sym_text(it->name) : own_text(r, it);
  const char *scope = sym_text(r->modules.scope);
  if (r->modules.scope) name = arena_printf(&r->arena, it->name ? "%s::%s" : "%2$s in %1$s", scope, name);
  if (r->instance) name = arena_printf(&r->arena, "%s %s", name, r->instance);
  vec_push(out, word(it, ":name"));
  vec_push(out, ((Sexp){.kind = SEXP_STRING, .at = it->span, .sym = sym(name)}));
  if (it->clause.ruleset) {
    vec_push(out, word(it, ":ruleset"));
    vec_push(out, rules_name(r, it->clause.ruleset_span, it->clause.ruleset));
  }
  push_options(r, it, out);
}

static Sexp facts(Rules *r, Span at, const AstExprs *l) {
  Forms f = {0};
  for (uint32_t i = 0; i < l->n; i++) rules_fact(r, l->at[i], &f);
  return finish(r, at, &f);
}

static Sexp rule_item(Rules *r, const AstItem *it) {
  Forms f = {0}, actions = {0};
  vec_push(&f, word(it, "rule"));
  vec_push(&f, facts(r, it->span, &it->clause.head));
  for (uint32_t i = 0; i < it->clause.body.n; i++) vec_push(&actions, rules_action(r, it->clause.body.at[i]));
  vec_push(&f, finish(r, it->span, &actions));
  push_heading(r, it, &f);
  return finish(r, it->span, &f);
}

static Sexp rewrite_item(Rules *r, const AstItem *it) {
  const AstClause *c = &it->clause;
  Forms f = {0};
  vec_push(&f, word(it, c->both ? "birewrite" : "rewrite"));
  for (uint32_t i = 0; i < 2; i++) vec_push(&f, rules_term(r, c->body.at[i]));
  if (c->head.n) {
    vec_push(&f, word(it, ":when"));
    vec_push(&f, facts(r, it->span, &c->head));
  }
  push_heading(r, it, &f);
  return finish(r, it->span, &f);
}

/* ---- running ---- */

static Sexp natural(Span at, Rat v) {
  Sexp s = {.kind = SEXP_INT, .at = at};
  rat_to_int(v, &s.i);
  return s;
}

static Sexp schedule(Rules *r, const AstExpr *s) {
  Forms f = {0};
  if (s->kind == EX_SCHEDULE) {
    bool backoff = s->name == sym("backoff");
    vec_push(&f, rules_symbol(s->span, backoff ? "back-off" : sym_text(s->name)));
    if (backoff || s->name == sym("repeat")) vec_push(&f, natural(s->span, s->value));
    for (uint32_t i = 0; i < s->n_args; i++) vec_push(&f, schedule(r, s->args[i]));
    return finish(r, s->span, &f);
  }
  vec_push(&f, rules_symbol(s->span, "run"));
  bool named = s->name && (s->name != sym("default") || name_of(r->program, s->name)->kind == NAME_RULESET);
  if (named) vec_push(&f, rules_name(r, s->span, s->name));
  if (s->n_args) {
    Sexp until = facts(r, s->span, &(AstExprs){s->n_args, s->args});
    vec_push(&f, rules_symbol(s->span, ":until"));
    for (uint32_t i = 0; i < until.n; i++) vec_push(&f, until.item[i]);
  }
  Sexp one = finish(r, s->span, &f);
  if (s->value == RAT_1) return one;
  return FORM(r, s->span, rules_symbol(s->span, "repeat"), natural(s->span, s->value), one);
}

static Sexp print_item(Rules *r, const AstItem *it) {
  const AstExprs *b = &it->clause.body;
  const AstExpr *e = b->at[0];
  const char *what = e->kind == EX_CALL || e->kind == EX_BUILTIN ? sym_text(e->name) : "";
  Forms f = {0};
  bool size = !strcmp(what, "size"), stats = !strcmp(what, "stats");
  vec_push(&f, word(it, size ? "print-size" : stats ? "print-stats" : "print-function"));
  if (!size && !stats) vec_push(&f, table_or_term(r, e));
  for (uint32_t i = 0; size && i < e->n_args; i++) vec_push(&f, table_or_term(r, e->args[i]));
  for (uint32_t i = 1; i < b->n; i++) vec_push(&f, rules_term(r, b->at[i]));
  return finish(r, it->span, &f);
}

static Sexp extract_item(Rules *r, const AstItem *it) {
  const AstClause *c = &it->clause;
  Forms f = {0};
  vec_push(&f, word(it, "extract"));
  for (uint32_t i = 0; i < c->body.n; i++) vec_push(&f, rules_term(r, c->body.at[i]));
  if (c->head.n) vec_push(&f, word(it, ":by"));
  for (uint32_t i = 0; i < c->head.n; i++) vec_push(&f, rules_name(r, c->head.at[i]->span, c->head.at[i]->name));
  return finish(r, it->span, &f);
}

static Sexp costs_item(Rules *r, const AstItem *it) {
  Forms f = {0};
  vec_push(&f, word(it, "cost-model"));
  vec_push(&f, item_name(r, it));
  push_options(r, it, &f);
  return finish(r, it->span, &f);
}

/* The word and the terms of head and body as they stand. */
static Sexp plain_item(Rules *r, const AstItem *it) {
  Forms f = {0};
  vec_push(&f, word(it, ast_item_text(it->kind)));
  for (uint32_t i = 0; i < it->clause.head.n; i++) vec_push(&f, table_or_term(r, it->clause.head.at[i]));
  for (uint32_t i = 0; i < it->clause.body.n; i++) vec_push(&f, rules_term(r, it->clause.body.at[i]));
  return finish(r, it->span, &f);
}

/* `input` and `output`: rows from a file, which --facts may keep elsewhere, and terms to one. */
static Sexp file_item(Rules *r, const AstItem *it) {
  Sexp s = plain_item(r, it);
  Sexp *path = &s.item[it->kind == ITEM_INPUT ? 2 : 1];
  bool elsewhere = it->kind == ITEM_INPUT && r->program->options->fact_directory;
  if (path->kind == SEXP_STRING && !elsewhere) path->sym = sym(beside(r, it, path->sym));
  return s;
}

static Sexp check_item(Rules *r, const AstItem *it) {
  Forms f = {0};
  vec_push(&f, word(it, ast_item_text(it->kind)));
  for (uint32_t i = 0; i < it->clause.head.n; i++) rules_fact(r, it->clause.head.at[i], &f);
  return finish(r, it->span, &f);
}

/* Notes what a declaration declares: it may mention itself. */
static void note_coming(Rules *r, const AstItem *it) {
  if (it->kind < ITEM_SORT || it->kind > ITEM_TABLE) return;
  if (it->name) vec_push(&r->modules.coming, item_name(r, it).sym);
  for (uint32_t i = 0; i < it->clause.n_items; i++) note_coming(r, it->clause.items[i]);
}

/* An item that is one command. */
static Sexp command(Rules *r, const AstItem *it) {
  const AstClause *c = &it->clause;
  r->facts = NULL;
  switch ((AstItemKind)it->kind) {
    case ITEM_SORT: return sort_item(r, it);
    case ITEM_DATATYPE:
    case ITEM_GROUP: return datatype_item(r, it);
    case ITEM_CONSTRUCTOR:
    case ITEM_FUNCTION:
    case ITEM_TABLE: return table_item(r, it);
    case ITEM_COSTS: return costs_item(r, it);
    case ITEM_RULESET: return ruleset_item(r, it);
    case ITEM_RULE: return rule_item(r, it);
    case ITEM_REWRITE: return rewrite_item(r, it);
    case ITEM_LET: return FORM(r, it->span, word(it, "let"), item_name(r, it), rules_term(r, c->body.at[0]));
    case ITEM_RUN: return FORM(r, it->span, word(it, "run-schedule"), schedule(r, c->body.at[0]));
    case ITEM_HOLDS:
    case ITEM_PROVE: return check_item(r, it);
    case ITEM_EXTRACT: return extract_item(r, it);
    case ITEM_PRINT: return print_item(r, it);
    case ITEM_INPUT:
    case ITEM_OUTPUT: return file_item(r, it);
    case ITEM_FAIL: return FORM(r, it->span, word(it, "fail"), command(r, c->items[0]));
    case ITEM_DO: return rules_action(r, c->body.at[0]);
    default: return plain_item(r, it);
  }
}

/* ---- items of several commands ---- */

static Result run_item(Rules *r, const AstItem *it);

static Result run_form(Rules *r, Sexp x) {
  bool failed = r->failed;
  r->failed = false;
  if (failed) return RESULT_BAD;
  return command_do(r->program, arena_copy(&r->arena, &x, sizeof x));
}

/* An item that is one command; keeps in mind which operators its rules ask for. */
static Result run_command(Rules *r, const AstItem *it) {
  RuleId first = db_n_rules(r->program->db);
  vec_clear(&r->asked);
  vec_clear(&r->modules.coming);
  note_coming(r, it);
  Result done = run_form(r, command(r, it));
  for (RuleId k = first; k < db_n_rules(r->program->db); k++)
    for (size_t i = 0; i < r->asked.len; i++) vec_push(&r->asks, ((RuleAsks){k, r->asked.at[i]}));
  return done;
}

static Result run_items(Rules *r, const AstItem *it) {
  Result done = RESULT_OK;
  for (uint32_t i = 0; !done && i < it->clause.n_items; i++) done = run_item(r, it->clause.items[i]);
  return done;
}

static Result run_push(Rules *r, const AstItem *it) {
  size_t n = r->columns.len, modules = r->modules.all.len, names = r->modules.names.len;
  Result done = run_form(r, FORM(r, it->span, word(it, "push")));
  if (!done) done = run_items(r, it);
  if (!done) done = run_form(r, FORM(r, it->span, word(it, "pop")));
  r->columns.len = n;
  r->modules.all.len = modules;
  r->modules.names.len = names;
  return done;
}

/* ---- families ---- */

typedef struct Family {
  Rules *rules;
  uint32_t column; /* of the table, that holds the members */
  Span at;
  Vec(AstExpr *) all;
} Family;

static bool add_member(void *context, const Val *cols) {
  Family *f = context;
  for (size_t i = 0; i < f->all.len; i++)
    if (f->all.at[i]->name == cols[f->column]) return true;
  AstExpr *e = ARENA_NEW(&f->rules->arena, AstExpr);
  *e = (AstExpr){.kind = EX_STRING, .depth = 1, .name = cols[f->column], .span = f->at, .name_span = f->at};
  vec_push(&f->all, e);
  return true;
}

/* The members a template runs over: as they stand; `axes` of the meshes, and the `operators` of the graphs there are. */
static AstExprs family_of(Rules *r, const AstItem *it) {
  const AstClause *c = &it->clause;
  const AstExpr *only = c->body.n == 1 && c->head.n == 1 ? c->body.at[0] : NULL;
  bool named = r->graphs && only && only->kind == EX_NAME;
  bool axes = named && only->name == sym("axes");
  if (!axes && !(named && only->name == sym("operators"))) return c->body;
  Family f = {.rules = r, .column = !axes, .at = only->span};
  db_rows(r->program->db, name_of(r->program, sym(axes ? "mesh_axis" : "operator"))->id, add_member, &f);
  AstExprs out = {(uint32_t)f.all.len, arena_copy(&r->arena, f.all.at, f.all.len * sizeof *f.all.at)};
  vec_free(&f.all);
  return out;
}

static const char *member_text(Rules *r, const AstExpr *v) {
  char buf[64];
  return v->kind == EX_RAT ? arena_printf(&r->arena, "%s", rat_print(v->value, buf, sizeof buf)) : sym_text(v->name);
}

/* Once for every member of the family. */
static Result run_template(Rules *r, const AstItem *it) {
  const AstClause *c = &it->clause;
  const char *before = r->instance;
  AstExprs family = family_of(r, it);
  Result done = RESULT_OK;
  for (uint32_t m = 0; !done && m < family.n; m++) {
    const AstExpr *member = family.at[m];
    const char *text = before ? before : "";
    for (uint32_t i = 0; i < c->head.n; i++) {
      const AstExpr *v = member->kind == EX_TUPLE ? member->args[i] : member;
      vec_push(&r->bound, (Bound){c->head.at[i]->name, v});
      text = arena_printf(&r->arena, "%s[%s]", text, member_text(r, v));
    }
    r->instance = text;
    done = run_items(r, it);
    r->bound.len -= c->head.n;
  }
  r->instance = before;
  return done;
}

static Result run_included(Rules *r, const AstItem *it, const char *path) {
  Diags *d = r->program->diags;
  const char *why = NULL;
  if (r->depth == MOST_INCLUDES)
    return diag_error(d, it->span, E_LIMIT, "includes are nested more than %d deep", MOST_INCLUDES), RESULT_BAD;
  uint32_t id = sources_load(diags_sources(d), path, &why);
  if (!id) return diag_error(d, it->clause.head.at[0]->span, E_FILE, "cannot read '%s': %s", path, why), RESULT_BAD;
  size_t errors = diag_errors(d);
  AstFile *file = lang_parse(&r->arena, d, id);
  if (diag_errors(d) > errors || !lang_check(file, NULL, 0, d)) return RESULT_BAD;
  r->depth++;
  Result done = rules_file(r, file);
  r->depth--;
  return done;
}

/* The file as a module: its items run once, in a scope of their own. */
static Result run_module(Rules *r, const AstItem *it, const char *path) {
  Sym scope = r->modules.scope;
  size_t bound = r->first_bound;
  const char *instance = r->instance, *whole = realpath(path, NULL);
  uint32_t k;
  char *full = whole ? arena_strdup(&r->arena, whole, strlen(whole)) : NULL;
  free((char *)whole);
  if (!module_open(r, it, full ? full : path, &k)) return RESULT_BAD;
  if (!r->modules.all.at[k].running) return RESULT_OK;
  r->modules.scope = r->modules.all.at[k].name;
  r->first_bound = r->bound.len;
  r->instance = NULL;
  Result done = run_included(r, it, path);
  r->instance = instance;
  r->first_bound = bound;
  r->modules.scope = scope;
  r->modules.all.at[k].running = false;
  return done;
}

static Result run_include(Rules *r, const AstItem *it) {
  const char *path = beside(r, it, it->clause.head.at[0]->name);
  if (r->program->options->no_files)
    return diag_error(r->program->diags, it->span, E_FILE, "files are not available here"), RESULT_BAD;
  return it->clause.body.n ? run_module(r, it, path) : run_included(r, it, path);
}

/* An item, after which what it declares may be used in its file alone. */
static Result run_private(Rules *r, const AstItem *it) {
  Program *e = r->program;
  size_t first = e->declared.len;
  Result done = it->kind == ITEM_INCLUDE ? run_include(r, it) : run_command(r, it);
  for (size_t i = first; it->kind != ITEM_INCLUDE && i < e->declared.len; i++)
    name_of(e, e->declared.at[i])->only_in = it->span.source;
  return done;
}

static Result run_item(Rules *r, const AstItem *it) {
  if (!ast_is_clause(it)) return RESULT_OK;
  if (it->clause.only_here) return run_private(r, it);
  switch ((AstItemKind)it->kind) {
    case ITEM_PUSH: return run_push(r, it);
    case ITEM_TEMPLATE: return run_template(r, it);
    case ITEM_INCLUDE: return run_include(r, it);
    case ITEM_DO: {
      Result done = RESULT_OK;
      for (uint32_t i = 0; !done && i < it->clause.body.n; i++)
        done = run_form(r, rules_action(r, it->clause.body.at[i]));
      return done;
    }
    default: return run_command(r, it);
  }
}

Result rules_file(Rules *r, const AstFile *file) {
  Result done = RESULT_OK;
  for (uint32_t i = 0; !done && i < file->n_items; i++) done = run_item(r, file->items[i]);
  return done;
}

void rules_free(Rules *r) {
  vec_free(&r->columns);
  vec_free(&r->bound);
  vec_free(&r->asked);
  vec_free(&r->occurs);
  vec_free(&r->asks);
  vec_free(&r->modules.all);
  vec_free(&r->modules.everywhere);
  vec_free(&r->modules.coming);
  vec_free(&r->modules.names);
  arena_free(&r->arena);
}
