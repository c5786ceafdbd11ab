#include "lang/base/intern.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lang/base/vec.h"

typedef struct {
  const char *text;
  size_t len;
  uint64_t hash;
} Entry;

static struct {
  Arena arena;
  Vec(Entry) entries;
  uint32_t *slots;
  size_t n_slots;
} table;

static void grow(void) {
  size_t n = table.n_slots ? table.n_slots * 2 : 1024;
  free(table.slots);
  table.slots = xcalloc(n, sizeof *table.slots);
  table.n_slots = n;
  for (size_t i = 0; i < table.entries.len; i++) {
    size_t k = table.entries.at[i].hash & (n - 1);
    while (table.slots[k]) k = (k + 1) & (n - 1);
    table.slots[k] = (uint32_t)i + 1;
  }
}

Sym sym_n(const char *s, size_t len) {
  if ((table.entries.len + 1) * 2 > table.n_slots) grow();
  uint64_t h = XXH3_64bits(s, len);
  size_t k = h & (table.n_slots - 1);
  for (; table.slots[k]; k = (k + 1) & (table.n_slots - 1)) {
    const Entry *e = &table.entries.at[table.slots[k] - 1];
    if (e->hash == h && e->len == len && !memcmp(e->text, s, len)) return table.slots[k];
  }
  vec_push(&table.entries, (Entry){arena_strdup(&table.arena, s, len), len, h});
  table.slots[k] = (uint32_t)table.entries.len;
  return (Sym)table.entries.len;
}

Sym sym(const char *s) { return sym_n(s, strlen(s)); }

const char *sym_text(Sym s) { return s ? table.entries.at[s - 1].text : ""; }

size_t sym_len(Sym s) { return s ? table.entries.at[s - 1].len : 0; }
