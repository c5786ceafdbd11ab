/* Guards: 1 where a root is 0, 0 elsewhere, as in `norm == 0 ? 0 : x / norm`.  Of a root that is divided by somewhere it is
 * assumed that it is not 0, as of every denominator; where values are compared that differ by a guard alone, it is
 * taken at its word.
 * Only roots: a norm or a deviation is 0 at single inputs, a count of what a mask leaves at many. */
#include "eval/calculus/core.h"
#include "eval/calculus/match.h"

enum { PARTS = 4000 };

void guard_divided(Calculus *c, RefId r) {
  ClassId id = ref(c, r)->cls;
  while (c->divisors.len <= id) vec_push(&c->divisors, false);
  c->divisors.at[id] = true;
}

static bool is_divisor(const Calculus *c, RefId r) {
  ClassId id = ref(c, r)->cls;
  return id < c->divisors.len && c->divisors.at[id];
}

/* [x^(1/2) == 0] of an x that is divided by. */
static bool no_zero(void *context, Value part, Value *by) {
  Calculus *c = context;
  Terms form;
  if (cls_of(c, part.ref)->kind != K_CMP || atom_of(c, part.ref, &form) != REL_EQ || form.n != 1) return false;
  Terms fs = factors_of(c, form.at[0].ref);
  if (fs.n != 1 || rat_is_int(fs.at[0].k) || rat_sign(fs.at[0].k) < 0) return false;
  if ((flags_of(c, fs.at[0].ref) & F_INTEGER) || !is_divisor(c, fs.at[0].ref)) return false;
  *by = VALUE_ZERO;
  return true;
}

bool guard_drop(Calculus *c, Value *v) {
  uint32_t budget = PARTS;
  if (!c->divisors.len) return false;
  Value w = calc_replace(c, *v, &budget, no_zero, c);
  bool some = !value_same(w, *v);
  *v = w;
  return some;
}
