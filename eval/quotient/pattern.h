/* Pattern: which digits of an index a value depends on.
 *
 * A range of n positions is read as digits in mixed radix, minor to major; some are *kept*, the others dropped.  A value
 * that follows the pattern is the same at two positions that agree in the kept digits: it is a value of the *small* index
 * that these digits make up.  Patterns are canonical (no digit of size 1, kept and dropped ones in turn), so equal bits mean
 * that positions are told apart alike. */
#ifndef TVR_PATTERN_H
#define TVR_PATTERN_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/arena.h"

enum { PATTERN_DIGITS = 64 }; /* of size > 1, in a range below 2^63 */

typedef struct Pattern {
  uint32_t n;
  struct PatternDigit {
    int64_t size;
    bool kept;
  } at[PATTERN_DIGITS];
} Pattern;

/* One more digit, the most major one. */
void pattern_push(Pattern *p, int64_t size, bool kept);
/* `major` comes to stand before it. */
void pattern_append(Pattern *p, const Pattern *major);
bool pattern_same(const Pattern *a, const Pattern *b);
/* Positions; those of the small index. */
int64_t pattern_whole(const Pattern *p);
int64_t pattern_small(const Pattern *p);
/* All digits are kept. */
bool pattern_is_whole(const Pattern *p);
/* Takes the minor digits that make up `size` positions off it, into *out; false (and *p is of no use) if none do. */
bool pattern_take(Pattern *p, int64_t size, Pattern *out);
/* The small index of a position, and the first position that has it. */
int64_t pattern_shrink(const Pattern *p, int64_t at);
int64_t pattern_expand(const Pattern *p, int64_t small);
/* The small index as a formula of `name`: "i / 512 * 4 + i / 8 % 4". */
const char *pattern_text(const Pattern *p, const char *name, Arena *a);
#endif
