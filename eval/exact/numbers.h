/* numbers: arrays of doubles that are used again.
 *
 * An evaluation that only asks for its outputs needs few of its values at a time.  An array is held by whoever took it
 * and by those who hold it too; when the last lets go, the next one of about the size gets it: less memory, and that in
 * the cache. */
#ifndef TVR_EXACT_NUMBERS_H
#define TVR_EXACT_NUMBERS_H
#include <stddef.h>

#include "lang/base/arena.h"

enum { NUMBERS_SIZES = 256 };

typedef struct Numbers {
  Arena arena;
  struct NumbersArray *spare[NUMBERS_SIZES]; /* by size, four between powers of two */
} Numbers;

/* `n` doubles without a value, held once. */
double *numbers_take(Numbers *m, size_t n);
void numbers_hold(const double *at);
void numbers_drop(Numbers *m, const double *at);
void numbers_free(Numbers *m);
#endif
