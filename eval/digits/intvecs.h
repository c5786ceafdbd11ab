/* IntVecs: interned vectors of integers.  Equal vectors are one pointer and one number, handed out in order of first
 * use from 0; they live as long as the table. */
#ifndef TVR_INTVECS_H
#define TVR_INTVECS_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/vec.h"

typedef struct IntVec {
  const int64_t *v;
  size_t n;
  uint64_t hash;
} IntVec;

/* Zero-initialised is empty. */
typedef struct IntVecs {
  Arena arena;
  Vec(IntVec) all;
  uint32_t *slots; /* number + 1; 0: free.  A power of two of them, at most half used */
  size_t n_slots;
} IntVecs;

/* Number of the vector (copied on first use). */
uint32_t intvecs_put(IntVecs *t, const int64_t *v, size_t n);
void intvecs_free(IntVecs *t);
#endif
