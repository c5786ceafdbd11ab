/* lang_check: collects the declarations, finds those made twice, then checks item by item. */
#include "lang/check.h"

#include "lang/lang.h"
#include "lang/nearest.h"

enum { HINTED_ERRORS = 50 };

static int by_name(const void *a, const void *b) {
  const Decl *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->name != y->name) return x->name < y->name ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

const Decl *check_find(const Check *c, AstItemKind kind, Sym name) {
  size_t lo = 0, hi = c->decls.len;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    const Decl *d = &c->decls.at[mid];
    if (d->kind < kind || (d->kind == kind && d->name < name)) lo = mid + 1;
    else hi = mid;
  }
  const Decl *d = lo < c->decls.len ? &c->decls.at[lo] : NULL;
  return d && d->kind == kind && d->name == name ? d : NULL;
}

static void collect(Check *c, const AstFile *f, uint32_t *order) {
  for (uint32_t i = 0; i < f->n_items; i++) {
    const AstItem *it = f->items[i];
    vec_push(&c->decls, (Decl){it->kind, it->kind == ITEM_RELATION ? 0 : it->name, (*order)++,
                               it->kind == ITEM_FN ? it->fn.n_params : 0, it->name_span, it});
  }
}

static void find_repeated(Check *c) {
  if (c->decls.len) qsort(c->decls.at, c->decls.len, sizeof *c->decls.at, by_name);
  for (size_t i = 1; i < c->decls.len; i++) {
    const Decl *a = &c->decls.at[i - 1], *b = &c->decls.at[i];
    if (a->kind != b->kind || a->name != b->name || b->at.source != c->file->source) continue;
    bool one_name = b->kind == ITEM_FN || b->kind == ITEM_LEMMA || b->kind == ITEM_GRAPH;
    if (one_name) diag_error(c->diags, b->at, E_DUPLICATE, "`%s` is declared twice", sym_text(b->name));
    else if (b->kind == ITEM_MESH) diag_error(c->diags, b->at, E_DUPLICATE, "a file has one mesh");
    else continue;
    diag_note(c->diags, a->at, "it is declared here");
    if (a->at.source != b->at.source)
      diag_hint(c->diags, "the library has this name: choose another, such as `my_%s`", sym_text(b->name));
  }
}

bool check_hints(const Check *c) { return diag_errors(c->diags) < HINTED_ERRORS; }

Name *check_lookup(Check *c, Sym name, AstForm form) {
  Name *other = NULL;
  for (size_t i = c->names.len; i-- > 0;) {
    Name *n = &c->names.at[i];
    if (n->sym != name) continue;
    bool group = n->kind == NAME_INDEX && n->form == FORM_GROUP;
    if (group == (form == FORM_GROUP)) return n;
    if (!other) other = n;
  }
  return other;
}

Name *check_open(Check *c, Name name) {
  if (c->names.len == CHECK_MAX_NAMES) {
    if (!c->full) diag_error(c->diags, name.at, E_LIMIT, "more than %d names in one definition", CHECK_MAX_NAMES);
    c->full = true;
    return NULL;
  }
  vec_push(&c->names, name);
  return &vec_last(&c->names);
}

void check_close(Check *c, size_t first) {
  for (size_t i = first; i < c->names.len; i++) {
    const Name *n = &c->names.at[i];
    if (n->used || sym_text(n->sym)[0] == '_') continue;
    bool bound = n->kind == NAME_INDEX && n->usable;
    bool declared = n->kind != NAME_INDEX && n->kind != NAME_OVER && (n->kind != NAME_ATTR || n->attr);
    if (bound || declared) vec_push(&c->unused, (Unused){n->sym, n->at, bound});
  }
  c->names.len = first;
}

void check_suggest(Check *c, Sym name) {
  if (!check_hints(c)) return;
  Nearest near = {.word = sym_text(name), .len = sym_len(name)};
  for (size_t i = c->names.len; i-- > 0;) nearest_try(&near, sym_text(c->names.at[i].sym));
  if (near.best) diag_hint(c->diags, "did you mean `%s`?", near.best);
}

static void warn_unused(const Check *c) {
  for (size_t i = 0; i < c->unused.len; i++) {
    const Unused *u = &c->unused.at[i];
    diag_warning(c->diags, u->at, W_UNUSED, "`%s` is %s", sym_text(u->name),
                 u->bound ? "bound and never used: every term is the same" : "never used");
  }
}

bool lang_check(const AstFile *file, const AstFile *const *libraries, uint32_t n_libraries, Diags *diags) {
  Arena arena = {0};
  Sizes sizes;
  sizes_of(&sizes, file, &arena);
  Check c = {.diags = diags, .file = file, .sizes = &sizes};
  size_t errors = diag_errors(diags);
  uint32_t order = 0;
  for (uint32_t i = 0; i < n_libraries; i++) collect(&c, libraries[i], &order);
  c.order = order;
  collect(&c, file, &order);
  find_repeated(&c);
  for (uint32_t i = 0; i < file->n_items && !c.mesh; i++)
    if (file->items[i]->kind == ITEM_MESH) c.mesh = &file->items[i]->mesh;
  for (uint32_t i = 0; i < file->n_items; i++, c.order++) {
    const AstItem *it = file->items[i];
    c.full = false;
    if (it->kind == ITEM_OP) check_op(&c, it);
    else if (it->kind == ITEM_FN) check_fn(&c, it);
    else if (it->kind == ITEM_LEMMA) check_lemma(&c, it);
    else if (ast_is_clause(it)) check_clause(&c, it);
    else check_model(&c, it);
  }
  if (diag_errors(diags) == errors) warn_unused(&c);
  vec_free(&c.unused);
  vec_free(&c.decls);
  vec_free(&c.names);
  arena_free(&arena);
  return diag_errors(diags) == errors;
}
