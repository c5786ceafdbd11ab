/* heap: how the memory behind malloc is taken from the system, where that is known (glibc on Linux). */
#ifndef TVR_HEAP_H
#define TVR_HEAP_H
#include <stddef.h>

/* For the whole run.  Readers free many small pieces at once (a JSON tree): where free pieces are joined at once, not in
 * rounds over all of them, that costs half.  What is given back is used again: the system need not have it in between. */
void heap_tune(void);
/* The next so many bytes of the heap, at most 16 MiB, come in large pages, where the system has some: that saves a sixth
 * of the time of what fills them, and costs memory where much is left out. */
void heap_large_pages(size_t bytes);
#endif
