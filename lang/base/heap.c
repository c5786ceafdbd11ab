#include "lang/base/heap.h"

#include <stdlib.h>

#if defined __GLIBC__ && !defined TVR_SANITIZED
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>

enum { ROOM = 1 << 24, PAGE = 1 << 21 };

void heap_tune(void) {
  mallopt(M_MXFAST, 0);
  mallopt(M_TRIM_THRESHOLD, 4 * ROOM);
  mallopt(M_MMAP_THRESHOLD, 2 * ROOM);
  mallopt(M_TOP_PAD, ROOM);
}

/* So much at once lies at the heap's end, and is its end again when it is free. */
void heap_large_pages(size_t bytes) {
  char *end = malloc(ROOM);
  if (end && bytes > PAGE && bytes <= ROOM) madvise(end + (-(uintptr_t)end & (PAGE - 1)), bytes - PAGE, MADV_HUGEPAGE);
  free(end);
}
#else
void heap_tune(void) {}
void heap_large_pages(size_t bytes) { (void)bytes; }
#endif
