/* Edit distance: insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).  A candidate
 * is close enough if at most a third of the word has to change.  Ties go to the first candidate. */
#include "lang/nearest.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t distance(const char *a, size_t n, const char *b, size_t m) {
  size_t rows[3][LONGEST + 1], *old = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= m; j++) last[j] = j;
  for (size_t i = 1; i <= n; i++) {
    now[0] = i;
    for (size_t j = 1; j <= m; j++) {
      now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = least(now[j], old[j - 2] + 1);
    }
    size_t *free_row = old;
    old = last;
    last = now;
    now = free_row;
  }
  return last[m];
}

void nearest_try(Nearest *n, const char *candidate) {
  size_t m = strlen(candidate);
  if (n->len > LONGEST || m > LONGEST || !m) return;
  size_t d = distance(n->word, n->len, candidate, m), bound = (n->len > 2 ? n->len : 3) / 3;
  if (d > bound || (n->best && d >= n->distance)) return;
  if (n->len == 1 && m == 1) return; /* any letter is as close to any other */
  n->best = candidate;
  n->distance = d;
}
