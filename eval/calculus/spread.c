/* Spread: n times a sum of n squares is no less than the square of the sum (Cauchy and Schwarz), so that a variance
 * written as the mean of squares less the square of the mean is not negative.  Programs clip it at zero against rounding.
 */
#include "eval/calculus/core.h"

/* A sum of squares: the squares' base and what it runs over; NO_REF: it is none. */
static RefId sum_of_squares(Calculus *c, RefId r, Opened *o) {
  if (cls_of(c, r)->kind != K_RED || (flags_of(c, r) & F_INFINITE)) return NO_REF;
  *o = node_open(c, r);
  return o->n == 1 && o->args[0].k == RAT_INT(2) ? o->args[0].ref : NO_REF;
}

bool spread_not_negative(Calculus *c, Value v) {
  if (value_is_num(v) || cls_of(c, v.ref)->kind != K_LIN || rat_sign(v.k) <= 0) return false;
  Terms t = terms_of(c, v);
  if (t.n != 2) return false;
  uint32_t less = rat_sign(t.at[0].k) < 0 ? 0 : 1;
  Term squares = t.at[1 - less], square = t.at[less];
  Opened o;
  RefId x = rat_sign(square.k) < 0 && rat_sign(squares.k) > 0 ? sum_of_squares(c, squares.ref, &o) : NO_REF;
  if (x == NO_REF) return false;
  Rat most = squares.k;
  for (uint32_t i = 0; i < o.n_bound; i++) most = rat_div(most, rat_int(name_size(c, o.bound[i])));
  Value whole = calc_pow(c, calc_sum(c, o.bound, o.n_bound, one_of(x)), RAT_INT(2));
  return whole.ref == square.ref && rat_cmp(rat_neg(square.k), rat_mul(most, whole.k)) <= 0;
}
