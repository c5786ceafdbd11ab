#include "eval/rules/module.h"

#include <string.h>

#include "eval/rules/rules.h"
#include "lang/nearest.h"

static Sym joined(Rules *r, Sym scope, Sym name) {
  return scope ? sym(arena_printf(&r->arena, "%s::%s", sym_text(scope), sym_text(name))) : name;
}

Sym module_declared(const Rules *r, Sym name) {
  return r->modules.scope ? joined((Rules *)r, r->modules.scope, name) : name;
}

static bool is_everywhere(const Rules *r, uint32_t source) {
  for (size_t i = 0; i < r->modules.everywhere.len; i++)
    if (r->modules.everywhere.at[i] == source) return true;
  return false;
}

/* Is the name one that some file, but for the standard library, declares? */
static bool declared_outside(const Rules *r, Sym name) {
  const Name *n = name_of(r->program, name);
  return n->kind && n->at.source && !is_everywhere(r, n->at.source);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static const char *file_of(const Rules *r, uint32_t source) {
  return base_name(sources_get(diags_sources(r->program->diags), source)->path);
}

static bool usable(const Rules *r, uint32_t only_in, Span at) {
  return !only_in || r->modules.asking || only_in == at.source;
}

/* Is this the first thing to be wrong with the item?  It is translated no further, and reported once. */
static bool report(Rules *r) {
  bool first = !r->failed;
  r->failed = true;
  return first;
}

/* ---- names with a module ---- */

/* The module that a scope calls so, or NULL. */
static const Module *module_named(Rules *r, Span at, Sym scope, const char *text, size_t n) {
  const Modules *m = &r->modules;
  Diags *d = r->program->diags;
  Nearest near = {.word = text, .len = n};
  for (size_t i = m->names.len; i-- > 0;) {
    const ModuleName *x = &m->names.at[i];
    if (x->scope != scope) continue;
    nearest_try(&near, sym_text(x->name));
    if (sym_len(x->name) != n || memcmp(sym_text(x->name), text, n)) continue;
    if (usable(r, x->at.source, at)) return &m->all.at[x->module];
    if (report(r))
      diag_error(d, at, E_KIND, "the module `%s` is private to %s", sym_text(x->name), file_of(r, x->at.source));
    return NULL;
  }
  if (!report(r)) return NULL;
  diag_error(d, at, E_UNBOUND, "there is no module `%.*s`%s%s", (int)n, text, scope ? " in " : "",
             scope ? sym_text(scope) : "");
  if (near.best) diag_hint(d, "did you mean `%s`?", near.best);
  else diag_hint(d, "`include \"file.tvr\" as %.*s` makes one of a file", (int)n, text);
  return NULL;
}

/* Something that the module declares and the name is close to. */
static const char *near_name(Rules *r, Sym module, Sym name) {
  Nearest near = {.word = sym_text(name), .len = sym_len(name)};
  size_t n = sym_len(module);
  for (size_t i = 0; i < r->program->declared.len; i++) {
    const char *text = sym_text(r->program->declared.at[i]);
    if (!strncmp(text, sym_text(module), n) && !strncmp(text + n, "::", 2)) nearest_try(&near, text);
  }
  return near.best;
}

static void report_private(Rules *r, Span at, Sym name) {
  const Name *n = name_of(r->program, name);
  if (!report(r)) return;
  diag_error(r->program->diags, at, E_KIND, "`%s` is private to %s", sym_text(name), file_of(r, n->only_in));
  diag_note(r->program->diags, n->at, "declared here");
}

static Sym resolve_path(Rules *r, Span at, Sym path) {
  const char *p = sym_text(path), *colons;
  Sym scope = r->modules.scope;
  for (; (colons = strstr(p, "::")); p = colons + 2) {
    const Module *m = module_named(r, at, scope, p, (size_t)(colons - p));
    if (!m) return path;
    scope = m->name;
  }
  Sym full = joined(r, scope, sym(p));
  const Name *n = name_of(r->program, full);
  if (n->kind && usable(r, n->only_in, at)) return full;
  Diags *d = r->program->diags;
  if (n->kind) {
    report_private(r, at, full);
    return full;
  }
  if (!report(r)) return full;
  diag_error(d, at, E_UNBOUND, "the module `%s` declares no `%s`", sym_text(scope), p);
  const char *near = near_name(r, scope, full);
  if (near) diag_hint(d, "did you mean `%s`?", near);
  return full;
}

/* ---- names ---- */

Sym module_resolve(Rules *r, Span at, Sym name, bool table) {
  if (strstr(sym_text(name), "::")) return resolve_path(r, at, name);
  const Name *n = name_of(r->program, name);
  if (!r->modules.scope) {
    bool variable = n->kind == NAME_TABLE && !table;
    if (!n->kind || variable || usable(r, n->only_in, at)) return name;
    report_private(r, at, name);
    return name;
  }
  Sym own = joined(r, r->modules.scope, name);
  for (size_t i = 0; i < r->modules.coming.len; i++)
    if (r->modules.coming.at[i] == own) return own;
  return name_of(r->program, own)->kind || declared_outside(r, name) ? own : name;
}

bool module_hides(Rules *r, Span at, Sym written, Sym resolved) {
  if (written == resolved || !r->modules.scope || name_of(r->program, resolved)->kind) return false;
  if (!declared_outside(r, written)) return false;
  Diags *d = r->program->diags;
  if (!report(r)) return true;
  diag_error(d, at, E_UNBOUND, "there is no `%s` in this module", sym_text(written));
  diag_note(d, name_of(r->program, written)->at, "another file has one");
  diag_hint(d, "a module sees what it declares or includes, and the standard library");
  return true;
}

/* ---- modules ---- */

bool module_open(Rules *r, const AstItem *include, const char *path, uint32_t *out) {
  Modules *m = &r->modules;
  Diags *d = r->program->diags;
  const AstExpr *as = include->clause.body.at[0]->args[0];
  for (size_t i = 0; i < m->names.len; i++) {
    if (m->names.at[i].scope != m->scope || m->names.at[i].name != as->name) continue;
    diag_error(d, as->span, E_DUPLICATE, "`%s` is already the module %s", sym_text(as->name),
               base_name(m->all.at[m->names.at[i].module].path));
    return false;
  }
  uint32_t k = 0;
  while (k < m->all.len && strcmp(m->all.at[k].path, path) != 0) k++;
  bool fresh = k == m->all.len;
  if (!fresh && m->all.at[k].running) {
    diag_error(d, include->span, E_RULE, "this file is being included already, by itself or one that it includes");
    return false;
  }
  if (fresh) vec_push(&m->all, ((Module){path, joined(r, m->scope, as->name), true}));
  vec_push(&m->names, ((ModuleName){m->scope, as->name, k, include->clause.only_here ? include->span : (Span){0}}));
  *out = k;
  return true;
}
