#include "frontends/base/textmap.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Slot of the text, empty or its own. */
static TextEntry *find(TextMap *m, Text t, uint64_t hash) {
  size_t mask = m->slots.cap - 1;
  for (size_t k = hash & mask;; k = (k + 1) & mask) {
    TextEntry *e = &m->slots.at[k];
    if (!e->text.at || (e->hash == hash && e->text.len == t.len && !memcmp(e->text.at, t.at, t.len))) return e;
  }
}

static void grow(TextMap *m) {
  TextEntry *old = m->slots.at;
  size_t cap = m->slots.cap;
  m->slots.cap = cap ? cap * 2 : 256;
  m->slots.at = xcalloc(m->slots.cap, sizeof *old);
  for (size_t i = 0; i < cap; i++)
    if (old[i].text.at) *find(m, old[i].text, old[i].hash) = old[i];
  free(old);
}

const void **textmap_at(TextMap *m, Text t) {
  if ((m->n + 1) * 2 > m->slots.cap) grow(m);
  uint64_t hash = XXH3_64bits(t.at, t.len);
  TextEntry *e = find(m, t, hash);
  if (!e->text.at) {
    *e = (TextEntry){hash, t, NULL};
    m->n++;
  }
  return &e->value;
}
