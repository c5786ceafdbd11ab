#include "eval/meaning/library.h"

#include <dirent.h>
#include <errno.h>

#include "eval/meaning/stdlib_text.h"
#include "lang/base/vec.h"
#include "lang/lang.h"

/* Entries are found by symbol: definitions are read early, so their symbols are small numbers. */
typedef struct Entry {
  Vec(const AstItem *) ops;
  size_t added; /* of a later file: tried first */
  const AstItem *fn;
} Entry;

struct Library {
  Arena arena;
  Vec(uint32_t) entry_of; /* by Sym: 1 + index of its entry, or 0 */
  Vec(Entry) entries;
  Vec(Sym) names;
  Vec(const AstFile *) files;
  const AstFile *axioms; /* axioms.tvr of the standard library */
};

static bool is_axioms(const char *path) {
  const char *slash = strrchr(path, '/');
  return !strcmp(slash ? slash + 1 : path, "axioms.tvr");
}

static const Entry *find(const Library *lib, Sym name) {
  uint32_t k = name < lib->entry_of.len ? lib->entry_of.at[name] : 0;
  return k ? &lib->entries.at[k - 1] : NULL;
}

static Entry *obtain(Library *lib, Sym name) {
  while (lib->entry_of.len <= name) vec_push(&lib->entry_of, 0);
  if (!lib->entry_of.at[name]) {
    vec_push(&lib->entries, (Entry){0});
    lib->entry_of.at[name] = (uint32_t)lib->entries.len;
  }
  return &lib->entries.at[lib->entry_of.at[name] - 1];
}

/* Inserts at `at`, keeping the order of the rest. */
static void insert(Entry *e, size_t at, const AstItem *op) {
  vec_push(&e->ops, op);
  for (size_t i = e->ops.len - 1; i > at; i--) e->ops.at[i] = e->ops.at[i - 1];
  e->ops.at[at] = op;
}

void library_add(Library *lib, const AstFile *file) {
  vec_push(&lib->files, file);
  for (size_t i = 0; i < lib->entries.len; i++) lib->entries.at[i].added = 0;
  for (uint32_t i = 0; i < file->n_items; i++) {
    const AstItem *item = file->items[i];
    if (item->kind != ITEM_OP && item->kind != ITEM_FN) continue;
    Entry *e = obtain(lib, item->name);
    if (item->kind == ITEM_FN) {
      e->fn = item;
    } else {
      if (!e->ops.len) vec_push(&lib->names, item->name);
      insert(e, e->added++, item);
    }
  }
}

const AstItem *const *library_ops(const Library *lib, Sym name, uint32_t *n) {
  const Entry *e = find(lib, name);
  *n = e ? (uint32_t)e->ops.len : 0;
  return e ? e->ops.at : NULL;
}

const AstItem *library_fn(const Library *lib, Sym name) {
  const Entry *e = find(lib, name);
  return e ? e->fn : NULL;
}

const Sym *library_names(const Library *lib, uint32_t *n) {
  *n = (uint32_t)lib->names.len;
  return lib->names.at;
}

const AstFile *const *library_files(const Library *lib, uint32_t *n) {
  *n = (uint32_t)lib->files.len;
  return lib->files.at;
}

Arena *library_arena(Library *lib) { return &lib->arena; }

bool library_is_axiom(const Library *lib, const AstItem *lemma) {
  for (uint32_t i = 0; lib->axioms && i < lib->axioms->n_items; i++)
    if (lib->axioms->items[i] == lemma) return true;
  return false;
}

/* ---- Reading ---- */

static void load_embedded(Library *lib, Diags *diags) {
  for (size_t i = 0; stdlib_text[i].path; i++) {
    const struct StdlibText *t = &stdlib_text[i];
    uint32_t id = sources_add(diags_sources(diags), t->path, t->text, strlen(t->text));
    const AstFile *file = lang_parse(&lib->arena, diags, id);
    if (is_axioms(t->path)) lib->axioms = file;
    library_add(lib, file);
  }
}

/* A file may use what the files before it define. */
static void load_file(Library *lib, uint32_t source, Diags *diags) {
  size_t before = diag_errors(diags);
  const AstFile *file = lang_parse(&lib->arena, diags, source);
  if (diag_errors(diags) != before || !lang_check(file, lib->files.at, (uint32_t)lib->files.len, diags)) return;
  library_add(lib, file);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void load_folder(Library *lib, const char *dir, Diags *diags) {
  DIR *d = opendir(dir);
  if (!d) {
    diag_error(diags, (Span){0}, E_FILE, "%s: %s", dir, strerror(errno));
    return;
  }
  Vec(char *) paths = {0};
  for (struct dirent *f; (f = readdir(d));) {
    size_t n = strlen(f->d_name);
    if (n > 4 && !strcmp(f->d_name + n - 4, ".tvr"))
      vec_push(&paths, arena_printf(&lib->arena, "%s/%s", dir, f->d_name));
  }
  closedir(d);
  if (!paths.len) diag_error(diags, (Span){0}, E_FILE, "%s: holds no .tvr file", dir);
  else qsort(paths.at, paths.len, sizeof *paths.at, by_name);
  for (size_t i = 0; i < paths.len; i++) {
    const char *why;
    uint32_t id = sources_load(diags_sources(diags), paths.at[i], &why);
    if (!id) diag_error(diags, (Span){0}, E_FILE, "%s: %s", paths.at[i], why);
    else load_file(lib, id, diags);
    if (id && is_axioms(paths.at[i]) && lib->files.len) lib->axioms = vec_last(&lib->files);
  }
  vec_free(&paths);
}

Library *library_load(const char *dir, Diags *diags) {
  Library *lib = xcalloc(1, sizeof *lib);
  size_t before = diag_errors(diags);
  if (dir) load_folder(lib, dir, diags);
  else load_embedded(lib, diags);
  if (diag_errors(diags) == before) return lib;
  library_free(lib);
  return NULL;
}

void library_free(Library *lib) {
  if (!lib) return;
  for (size_t i = 0; i < lib->entries.len; i++) vec_free(&lib->entries.at[i].ops);
  vec_free(&lib->entries);
  vec_free(&lib->entry_of);
  vec_free(&lib->names);
  vec_free(&lib->files);
  arena_free(&lib->arena);
  free(lib);
}
