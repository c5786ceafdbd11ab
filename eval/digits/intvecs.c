/* Interned vectors of integers: open addressing over a list. */
#include "eval/digits/intvecs.h"

#include <xxhash.h>

static void grow(IntVecs *t) {
  free(t->slots);
  t->n_slots = t->n_slots ? t->n_slots * 2 : 64;
  t->slots = xcalloc(t->n_slots, sizeof *t->slots);
  for (size_t i = 0; i < t->all.len; i++) {
    size_t k = t->all.at[i].hash & (t->n_slots - 1);
    while (t->slots[k]) k = (k + 1) & (t->n_slots - 1);
    t->slots[k] = (uint32_t)i + 1;
  }
}

uint32_t intvecs_put(IntVecs *t, const int64_t *v, size_t n) {
  if (2 * (t->all.len + 1) > t->n_slots) grow(t);
  uint64_t h = XXH3_64bits(v, n * sizeof *v);
  size_t k = h & (t->n_slots - 1);
  for (; t->slots[k]; k = (k + 1) & (t->n_slots - 1)) {
    const IntVec *o = &t->all.at[t->slots[k] - 1];
    if (o->hash == h && o->n == n && (n == 0 || !memcmp(o->v, v, n * sizeof *v))) return t->slots[k] - 1;
  }
  IntVec new = {arena_copy(&t->arena, v, n * sizeof *v), n, h};
  vec_push(&t->all, new);
  t->slots[k] = (uint32_t)t->all.len;
  return t->slots[k] - 1;
}

void intvecs_free(IntVecs *t) {
  vec_free(&t->all);
  free(t->slots);
  t->slots = NULL;
  t->n_slots = 0;
  arena_free(&t->arena);
}
