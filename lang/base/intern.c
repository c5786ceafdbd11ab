#include "lang/base/intern.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lang/base/vec.h"

typedef struct {
  const char *text;
  size_t len;
} Entry;

/* A slot keeps part of the hash, so that other texts are passed over, and the table grown, without reading them. */
typedef struct {
  uint32_t hash;
  Sym sym;
} Slot;

static struct {
  Arena arena;
  Vec(Entry) entries;
  Slot *slots;
  size_t n_slots;
} table;

static void grow(void) {
  size_t n = table.n_slots ? table.n_slots * 2 : 1024;
  Slot *old = table.slots;
  table.slots = xcalloc(n, sizeof *table.slots);
  for (size_t i = 0; i < table.n_slots; i++) {
    size_t k = old[i].hash & (n - 1);
    if (!old[i].sym) continue;
    while (table.slots[k].sym) k = (k + 1) & (n - 1);
    table.slots[k] = old[i];
  }
  table.n_slots = n;
  free(old);
}

Sym sym_n(const char *s, size_t len) {
  if ((table.entries.len + 1) * 2 > table.n_slots) grow();
  uint32_t h = (uint32_t)XXH3_64bits(s, len);
  size_t k = h & (table.n_slots - 1);
  for (; table.slots[k].sym; k = (k + 1) & (table.n_slots - 1)) {
    if (table.slots[k].hash != h) continue;
    const Entry *e = &table.entries.at[table.slots[k].sym - 1];
    if (e->len == len && !memcmp(e->text, s, len)) return table.slots[k].sym;
  }
  vec_push(&table.entries, (Entry){arena_strdup(&table.arena, s, len), len});
  table.slots[k] = (Slot){h, (Sym)table.entries.len};
  return (Sym)table.entries.len;
}

void sym_prefetch(const char *s, size_t len) {
  if (table.n_slots) __builtin_prefetch(&table.slots[XXH3_64bits(s, len) & (table.n_slots - 1)], 1);
}

const char *sym_text(Sym s) { return s ? table.entries.at[s - 1].text : ""; }

size_t sym_len(Sym s) { return s ? table.entries.at[s - 1].len : 0; }
