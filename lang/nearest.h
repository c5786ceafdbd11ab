/* "did you mean": the known word closest to a misspelt one. */
#ifndef TVR_NEAREST_H
#define TVR_NEAREST_H
#include <stddef.h>

/* Looks at one candidate after another; zero-initialised but for `word` and `len`. */
typedef struct Nearest {
  const char *word;
  size_t len;
  const char *best; /* the closest so far that is close enough, or NULL */
  size_t distance;  /* its edit distance */
} Nearest;

void nearest_try(Nearest *n, const char *candidate);
#endif
