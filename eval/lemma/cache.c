/* cache: see cache.h. */
#include "eval/lemma/cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "eval/lemma/lemma_json.h"

struct Cache {
  Arena arena;
  const char *folder;
  const Library *library;
  const Sources *sources;
  uint64_t program;
};

/* The running program, byte by byte; 0 if it cannot be read. */
static uint64_t hash_program(void) {
  FILE *f = fopen("/proc/self/exe", "rb");
  if (!f) return 0;
  XXH3_state_t *h = XXH3_createState();
  XXH3_64bits_reset(h);
  unsigned char buf[1 << 16];
  for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;) XXH3_64bits_update(h, buf, n);
  uint64_t v = XXH3_64bits_digest(h);
  XXH3_freeState(h);
  fclose(f);
  return v;
}

Cache *cache_open(const char *folder, const Library *library, const Sources *sources, Diags *diags) {
  if (!folder) return NULL;
  struct stat is;
  bool made = !mkdir(folder, 0777) || (errno == EEXIST && !stat(folder, &is) && S_ISDIR(is.st_mode));
  if (!made) {
    diag_error(diags, (Span){0}, E_FILE, "--cache: cannot make the folder '%s': %s", folder, strerror(errno));
    return NULL;
  }
  Cache *c = xcalloc(1, sizeof *c);
  c->folder = folder;
  c->library = library;
  c->sources = sources;
  c->program = hash_program();
  return c;
}

void cache_close(Cache *c) {
  if (!c) return;
  arena_free(&c->arena);
  free(c);
}

void cache_library(Cache *c, const Library *library) {
  if (c) c->library = library;
}

static void add_text(const Cache *c, XXH3_state_t *h, Span at) {
  const Source *s = sources_get(c->sources, at.source);
  if (s) XXH3_64bits_update(h, s->text + at.lo, at.hi - at.lo);
  XXH3_64bits_update(h, "", 1);
}

/* Functions of the library, its lemmas before this one, and the lemma itself. */
static const char *path_of(Cache *c, const AstItem *lemma) {
  XXH3_state_t *h = XXH3_createState();
  XXH3_64bits_reset(h);
  XXH3_64bits_update(h, &c->program, sizeof c->program);
  uint32_t n;
  const AstFile *const *files = library_files(c->library, &n);
  bool before = true;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < files[i]->n_items; k++) {
      const AstItem *item = files[i]->items[k];
      before &= item != lemma;
      if (item->kind == ITEM_FN || (before && item->kind == ITEM_LEMMA)) add_text(c, h, item->span);
    }
  add_text(c, h, lemma->span);
  uint64_t hash = XXH3_64bits_digest(h);
  XXH3_freeState(h);
  return arena_printf(&c->arena, "%s/%016" PRIx64 ".json", c->folder, hash);
}

bool cache_find(Cache *c, const AstItem *lemma, Arena *a, LemmaReport *r) {
  if (!c) return false;
  json_t *o = json_load_file(path_of(c, lemma), 0, NULL);
  bool whole = lemma_json_read(o, lemma, a, r) && r->status != LEMMA_WRONG;
  json_decref(o);
  return whole;
}

void cache_keep(Cache *c, const AstItem *lemma, const LemmaReport *r) {
  if (!c || r->status == LEMMA_WRONG || r->status == LEMMA_TESTED) return; /* more time may prove it */
  json_t *o = lemma_json(r);
  const char *path = path_of(c, lemma);
  const char *part = arena_printf(&c->arena, "%s.%ld", path, (long)getpid());
  if (json_dump_file(o, part, JSON_INDENT(1)) || rename(part, path)) unlink(part);
  json_decref(o);
}
