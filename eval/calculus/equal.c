/* Equality by pieces.  Two values that are not one normal form may still be equal on every interval between the points
 * where a predicate on a free index changes, on either side: there the predicates are constants and the rest is
 * compared again.  An index that predicates read by rows, as a matrix in a flat buffer is, becomes row and column.
 * Complete for piecewise-affine differences; cost follows the number of break points. */
#include "eval/calculus/core.h"

enum { DEPTH = 6 };

static bool pieces(Calculus *c, Value a, Value b, uint32_t depth, uint32_t *splits) {
  if (value_same(a, b)) return true;
  if (depth > DEPTH || !*splits || c->exhausted) return false;
  --*splits;
  Frame m = frame_enter(c);
  Name n = 0;
  Breaks at = {.n = 0};
  bool equal = false;
  bool rows = !breaks_first(c, a, b, &n, &at) && c->options.flat && breaks_rows(c, a, b, &n, &at);
  if (rows && !at.n) {
    Name index[2];
    Subst s = breaks_by_rows(c, n, at.row, index);
    equal = pieces(c, calc_rename(c, a, &s), calc_rename(c, b, &s), depth + 1, splits);
  } else if (rows || at.n) {
    equal = true;
    for (uint32_t i = 0; i + 1 < at.n && equal; i++) {
      Name in;
      Subst s = breaks_piece(c, n, at.at[i], at.at[i + 1], &in);
      equal = pieces(c, calc_rename(c, a, &s), calc_rename(c, b, &s), depth + 1, splits);
    }
  }
  frame_leave(c, m);
  return equal;
}

bool calc_equal(Calculus *c, Value a, Value b, uint32_t splits) { return pieces(c, a, b, 0, &splits); }
