#include "lang/library.h"

#include <dirent.h>
#include <errno.h>

#include "lang/stdlib_text.h"
#include "lang/base/vec.h"
#include "lang/lang.h"
#include "lang/reads.h"

/* Items of a built-in text that are parsed when they are asked for. */
typedef struct Piece {
  AstFile *file; /* of the whole text */
  Span at;
  const AstFile *read; /* NULL: not yet */
} Piece;

/* Entries are found by symbol: definitions are read early, so their symbols are small numbers. */
typedef struct Entry {
  Vec(uint32_t) pieces; /* that define it, still to be read; before any other definition of it is added */
  Vec(const AstItem *) ops;
  size_t added; /* of a later file: tried first */
  bool is_op;   /* stands among the names */
  const AstItem *fn;
} Entry;

struct Library {
  Arena arena;
  Diags *diags;
  Vec(Piece) pieces;
  Vec(const AstItem *) lemmas;
  bool whole; /* no piece is left to be read */
  Vec(uint32_t) entry_of; /* by Sym: 1 + index of its entry, or 0 */
  Vec(Entry) entries;
  Vec(Sym) names;
  Vec(const AstFile *) files;
  size_t n_own; /* of the files, those of the library itself */
  const AstFile *axioms, *laws; /* axioms.tvr and normal.tvr of the standard library */
};

/* `file` was read from `path`: the axioms and the laws are known by their names. */
static void note_role(Library *lib, const char *path, const AstFile *file) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (!strcmp(name, "axioms.tvr")) lib->axioms = file;
  if (!strcmp(name, "normal.tvr")) lib->laws = file;
}

/* Inserts at `at`, keeping the order of the rest. */
static void insert(Entry *e, size_t at, const AstItem *op) {
  vec_push(&e->ops, op);
  for (size_t i = e->ops.len - 1; i > at; i--) e->ops.at[i] = e->ops.at[i - 1];
  e->ops.at[at] = op;
}

static const AstFile *read_piece(Library *lib, Piece *p) {
  if (!p->read) p->read = lang_parse_part(&lib->arena, lib->diags, p->at.source, p->at);
  return p->read;
}

/* Definitions of a later file are tried first, those of one file in their order. */
static void read_entry(Library *lib, Entry *e) {
  const AstFile *last = NULL;
  size_t at = 0;
  for (size_t i = 0; i < e->pieces.len; i++) {
    Piece *p = &lib->pieces.at[e->pieces.at[i]];
    const AstFile *f = read_piece(lib, p);
    if (p->file != last) at = 0;
    last = p->file;
    for (uint32_t k = 0; k < f->n_items; k++) {
      if (f->items[k]->kind == ITEM_FN) e->fn = f->items[k];
      else insert(e, at++, f->items[k]);
    }
  }
  vec_free(&e->pieces);
}

static Entry *known(const Library *lib, Sym name) {
  uint32_t k = name < lib->entry_of.len ? lib->entry_of.at[name] : 0;
  return k ? &lib->entries.at[k - 1] : NULL;
}

/* What is read is read once: to those who ask, the library is as it was. */
static const Entry *find(const Library *lib, Sym name) {
  Entry *e = known(lib, name);
  if (e && e->pieces.len) read_entry((Library *)lib, e);
  return e;
}

static Entry *obtain(Library *lib, Sym name) {
  while (lib->entry_of.len <= name) vec_push(&lib->entry_of, 0);
  if (!lib->entry_of.at[name]) {
    vec_push(&lib->entries, (Entry){0});
    lib->entry_of.at[name] = (uint32_t)lib->entries.len;
  }
  return known(lib, name);
}

static void note_op(Library *lib, Entry *e, Sym name) {
  if (!e->is_op) vec_push(&lib->names, name);
  e->is_op = true;
}

void library_add(Library *lib, const AstFile *file) {
  vec_push(&lib->files, file);
  for (size_t i = 0; i < lib->entries.len; i++) lib->entries.at[i].added = 0;
  for (uint32_t i = 0; i < file->n_items; i++) {
    const AstItem *item = file->items[i];
    if (item->kind == ITEM_LEMMA) vec_push(&lib->lemmas, item);
    if (item->kind != ITEM_OP && item->kind != ITEM_FN) continue;
    Entry *e = obtain(lib, item->name);
    if (e->pieces.len) read_entry(lib, e);
    if (item->kind == ITEM_FN) {
      e->fn = item;
    } else {
      note_op(lib, e, item->name);
      insert(e, e->added++, item);
    }
  }
}

const AstItem *const *library_ops(const Library *lib, Sym name, uint32_t *n) {
  const Entry *e = find(lib, name);
  *n = e ? (uint32_t)e->ops.len : 0;
  return e ? e->ops.at : NULL;
}

static bool stands_in(const AstFile *file, const AstItem *item) { return file && file->source == item->span.source; }

const AstItem *library_replaced(const Library *lib, Sym name) {
  uint32_t n;
  const AstItem *const *ops = library_ops(lib, name, &n);
  bool first = false, last = false;
  for (size_t i = 0; i < lib->n_own && n > 1; i++)
    first |= stands_in(lib->files.at[i], ops[0]), last |= stands_in(lib->files.at[i], ops[n - 1]);
  return last && !first ? ops[0] : NULL;
}

bool library_reads(const Library *lib, const AstItem *op, Sym attr) {
  for (size_t i = 0; i < lib->n_own; i++)
    if (stands_in(lib->files.at[i], op)) return true;
  return attr_is_common(attr) || op_reads(&op->op, attr);
}

const AstFile *const *library_added(const Library *lib, uint32_t *n) {
  *n = (uint32_t)(lib->files.len - lib->n_own);
  return lib->files.at + lib->n_own;
}

const AstItem *library_fn(const Library *lib, Sym name) {
  const Entry *e = find(lib, name);
  return e ? e->fn : NULL;
}

const Sym *library_names(const Library *lib, uint32_t *n) {
  *n = (uint32_t)lib->names.len;
  return lib->names.at;
}

/* The items of every file that was read by pieces, in order. */
static void read_all(Library *lib) {
  for (size_t i = 0; i < lib->entries.len; i++) read_entry(lib, &lib->entries.at[i]);
  Vec(AstItem *) items = {0};
  for (size_t i = 0, end; i < lib->pieces.len; i = end) {
    AstFile *file = lib->pieces.at[i].file;
    items.len = 0;
    for (end = i; end < lib->pieces.len && lib->pieces.at[end].file == file; end++) {
      const AstFile *part = read_piece(lib, &lib->pieces.at[end]);
      for (uint32_t k = 0; k < part->n_items; k++) vec_push(&items, part->items[k]);
    }
    file->n_items = (uint32_t)items.len;
    file->items = arena_copy(&lib->arena, items.at, items.len * sizeof *items.at);
  }
  vec_free(&items);
  lib->whole = true;
}

const AstFile *const *library_files(const Library *lib, uint32_t *n) {
  if (!lib->whole) read_all((Library *)lib);
  *n = (uint32_t)lib->files.len;
  return lib->files.at;
}

const AstItem *const *library_lemmas(const Library *lib, uint32_t *n) {
  *n = (uint32_t)lib->lemmas.len;
  return lib->lemmas.at;
}

Arena *library_arena(Library *lib) { return &lib->arena; }

bool library_is_axiom(const Library *lib, const AstItem *lemma) { return stands_in(lib->axioms, lemma); }
bool library_is_law(const Library *lib, const AstItem *lemma) { return stands_in(lib->laws, lemma); }

/* ---- Reading ---- */

/* Lemmas that no proof reads: there are many, and reading them takes as long as a small proof. */
static bool only_lemmas(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return !strncmp(name, "lemmas", 6) || !strcmp(name, "normal.tvr");
}

/* Whether the word at p, which begins a line, is `word`. */
static bool begins(const char *p, const char *word) {
  size_t n = strlen(word);
  return !strncmp(p, word, n) && p[n] == ' ';
}

static const char *next_item(const char *p) {
  while (*p && !(*p >= 'a' && *p <= 'z')) {
    p = strchr(p, '\n');
    if (!p) return "";
    p++;
  }
  return p;
}

/* The name behind the first word of an item, which may be quoted. */
static Sym name_at(const char *item) {
  const char *p = strchr(item, ' ') + 1;
  bool quoted = *p == '"';
  p += quoted;
  return sym_n(p, strcspn(p, quoted ? "\"" : "("));
}

/* A text of operators and functions alone is divided into them; any other one without lemmas is one piece. */
static bool by_pieces(Library *lib, uint32_t source, const char *text) {
  bool named = true;
  for (const char *p = next_item(text), *line; *p; p = next_item(line ? line + 1 : "")) {
    if (begins(p, "lemma")) return false;
    named = named && (begins(p, "op") || begins(p, "fn"));
    line = strchr(p, '\n');
  }
  AstFile *file = arena_alloc(&lib->arena, sizeof *file);
  *file = (AstFile){.source = source};
  vec_push(&lib->files, file);
  lib->whole = false;
  uint32_t len = (uint32_t)strlen(text);
  if (!named) vec_push(&lib->pieces, (Piece){file, {source, 0, len}, NULL});
  for (const char *p = named ? next_item(text) : "", *next; *p; p = next) {
    const char *line = strchr(p, '\n');
    next = next_item(line ? line + 1 : "");
    Entry *e = obtain(lib, name_at(p));
    if (begins(p, "op")) note_op(lib, e, name_at(p));
    vec_push(&e->pieces, (uint32_t)lib->pieces.len);
    vec_push(&lib->pieces, (Piece){file, {source, (uint32_t)(p - text), *next ? (uint32_t)(next - text) : len}, NULL});
  }
  return true;
}

static void load_embedded(Library *lib, bool lemmas, Diags *diags) {
  for (size_t i = 0; stdlib_text[i].path; i++) {
    const struct StdlibText *t = &stdlib_text[i];
    if (only_lemmas(t->path) != lemmas) continue;
    uint32_t id = sources_add(diags_sources(diags), t->path, t->text, strlen(t->text));
    if (by_pieces(lib, id, t->text)) continue;
    const AstFile *file = lang_parse(&lib->arena, diags, id);
    note_role(lib, t->path, file);
    library_add(lib, file);
  }
}

void library_add_lemmas(Library *lib, Diags *diags) { load_embedded(lib, true, diags); }

/* The file among the others, which it may use, whatever their order. */
static void check_file(const Library *lib, size_t at, Diags *diags) {
  Vec(const AstFile *) others = {0};
  for (size_t i = 0; i < lib->files.len; i++)
    if (i != at) vec_push(&others, lib->files.at[i]);
  lang_check(lib->files.at[at], others.at, (uint32_t)others.len, diags);
  vec_free(&others);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void load_folder(Library *lib, const char *dir, Diags *diags) {
  DIR *d = opendir(dir);
  if (!d) {
    diag_error(diags, (Span){0}, E_FILE, "%s: %s", dir, strerror(errno));
    return;
  }
  Vec(char *) paths = {0};
  size_t before = diag_errors(diags);
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
    if (!id) continue;
    library_add(lib, lang_parse(&lib->arena, diags, id));
    note_role(lib, paths.at[i], vec_last(&lib->files));
  }
  if (diag_errors(diags) == before)
    for (size_t i = 0; i < lib->files.len; i++) check_file(lib, i, diags);
  vec_free(&paths);
}

Library *library_load(const char *dir, Diags *diags) {
  Library *lib = xcalloc(1, sizeof *lib);
  lib->diags = diags;
  size_t before = diag_errors(diags);
  if (dir) load_folder(lib, dir, diags);
  else load_embedded(lib, false, diags);
  lib->n_own = lib->files.len;
  if (diag_errors(diags) == before) return lib;
  library_free(lib);
  return NULL;
}

void library_free(Library *lib) {
  if (!lib) return;
  for (size_t i = 0; i < lib->entries.len; i++) {
    vec_free(&lib->entries.at[i].pieces);
    vec_free(&lib->entries.at[i].ops);
  }
  vec_free(&lib->pieces);
  vec_free(&lib->lemmas);
  vec_free(&lib->entries);
  vec_free(&lib->entry_of);
  vec_free(&lib->names);
  vec_free(&lib->files);
  arena_free(&lib->arena);
  free(lib);
}
