/* Arena: bump allocation by lifetime.
 *
 * Memory is freed by freeing the arena, never piece by piece.  arena_mark/arena_reset give a scratch discipline:
 * everything allocated after the mark is released at once and its memory reused.  Running out of memory ends the
 * process with a message (tvr is a command; callers never see NULL). */
#ifndef TVR_BASE_ARENA_H
#define TVR_BASE_ARENA_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ArenaBlock {
  struct ArenaBlock *next;
  size_t at, cap;
  _Alignas(8) unsigned char mem[];
} ArenaBlock;

typedef struct Arena {
  ArenaBlock *head;   /* block being filled; older blocks behind it */
  ArenaBlock *spare;  /* blocks kept by arena_reset */
  size_t used;        /* bytes handed out and not reset */
} Arena;

typedef struct ArenaMark {
  ArenaBlock *block;
  size_t at, used;
} ArenaMark;

/* A block with room for `size` more bytes. */
void arena_grow(Arena *a, size_t size);
/* `size` bytes, aligned to 8, not zeroed: for large tables that are filled at once. */
static inline void *arena_raw(Arena *a, size_t size) {
  size_t need = (size + 7) & ~(size_t)7;
  if (need < size || !a->head || a->head->cap - a->head->at < need) arena_grow(a, size);
  void *p = a->head->mem + a->head->at;
  a->head->at += need;
  a->used += need;
  return p;
}
/* The same, zeroed. */
static inline void *arena_alloc(Arena *a, size_t size) { return memset(arena_raw(a, size), 0, size); }
/* Copy of `size` bytes. */
void *arena_copy(Arena *a, const void *p, size_t size);
/* NUL-terminated copy of the first `len` bytes of s. */
char *arena_strdup(Arena *a, const char *s, size_t len);
/* printf into the arena. */
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
ArenaMark arena_mark(Arena *a);
void arena_reset(Arena *a, ArenaMark m);
void arena_free(Arena *a);

#define ARENA_NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* malloc family that never returns NULL. */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
#endif
