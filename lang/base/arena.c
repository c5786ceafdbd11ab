#include "lang/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16, LARGEST_BLOCK = 1 << 23 };

static void out_of_memory(void) {
  fputs("tvr: out of memory\n", stderr);
  exit(4);
}

static void *checked(void *p) {
  if (!p) out_of_memory();
  return p;
}

void *xmalloc(size_t n) { return checked(malloc(n ? n : 1)); }

void *xcalloc(size_t n, size_t size) { return checked(calloc(n ? n : 1, size ? size : 1)); }

void *xrealloc(void *p, size_t n) { return checked(realloc(p, n ? n : 1)); }

static ArenaBlock *take_block(Arena *a, size_t need) {
  for (ArenaBlock **p = &a->spare; *p; p = &(*p)->next)
    if ((*p)->cap >= need) {
      ArenaBlock *b = *p;
      *p = b->next;
      b->at = 0;
      return b;
    }
  size_t cap = a->used / 4 < BLOCK ? BLOCK : a->used / 4 < LARGEST_BLOCK ? a->used / 4 : LARGEST_BLOCK;
  if (cap < need) cap = need;
  ArenaBlock *b = xmalloc(sizeof(ArenaBlock) + cap);
  b->cap = cap;
  b->at = 0;
  return b;
}

void arena_grow(Arena *a, size_t size) {
  size_t need = (size + 7) & ~(size_t)7;
  if (need < size) out_of_memory();
  ArenaBlock *b = take_block(a, need);
  b->next = a->head;
  a->head = b;
}

void *arena_copy(Arena *a, const void *p, size_t size) {
  void *q = arena_raw(a, size);
  if (size) memcpy(q, p, size);
  return q;
}

char *arena_strdup(Arena *a, const char *s, size_t len) {
  char *p = arena_alloc(a, len + 1);
  memcpy(p, s, len);
  return p;
}

char *arena_printf(Arena *a, const char *fmt, ...) {
  char first[256]; /* most fit: formatted once */
  va_list ap, aq;
  va_start(ap, fmt);
  va_copy(aq, ap);
  int n = vsnprintf(first, sizeof first, fmt, ap);
  va_end(ap);
  size_t size = (size_t)(n < 0 ? 0 : n) + 1;
  char *p = arena_raw(a, size);
  *p = 0;
  if (n > 0 && size <= sizeof first) memcpy(p, first, size);
  else if (n > 0) vsnprintf(p, size, fmt, aq);
  va_end(aq);
  return p;
}

ArenaMark arena_mark(Arena *a) {
  return (ArenaMark){a->head, a->head ? a->head->at : 0, a->used};
}

void arena_reset(Arena *a, ArenaMark m) {
  while (a->head != m.block) {
    ArenaBlock *b = a->head;
    a->head = b->next;
    b->next = a->spare;
    a->spare = b;
  }
  if (a->head) a->head->at = m.at;
  a->used = m.used;
}

void arena_free(Arena *a) {
  arena_reset(a, (ArenaMark){0});
  while (a->spare) {
    ArenaBlock *b = a->spare;
    a->spare = b->next;
    free(b);
  }
}
