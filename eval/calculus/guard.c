/* Guards: 1 where a root is 0, 0 elsewhere, as in `norm == 0 ? 0 : x / norm`.  Of a root that is divided by somewhere it is
 * assumed that it is not 0, as of every denominator; where values are compared that differ by a guard alone, it is
 * taken at its word.
 * Only roots of sums of products: a norm or a deviation is 0 at single inputs.  What is counted, masked, chosen or clipped
 * is 0 at many, or at some indices always. */
#include "eval/calculus/core.h"
#include "eval/calculus/match.h"

enum { PARTS = 4000, LOOKED_AT = 200 };

void guard_divided(Calculus *c, RefId r) {
  ClassId id = ref(c, r)->cls;
  while (c->divisors.len <= id) vec_push(&c->divisors, false);
  c->divisors.at[id] = true;
}

static bool is_divisor(const Calculus *c, RefId r) {
  ClassId id = ref(c, r)->cls;
  return id < c->divisors.len && c->divisors.at[id];
}

/* Sums and products of inputs that are no integers, and powers and exponentials of such. */
static bool smooth(Calculus *c, ClassId id, uint32_t *left) {
  const Class *x = cls(c, id);
  if (!*left || (x->flags & F_INTEGER)) return *left && x->kind == K_ONE;
  --*left;
  if (x->kind == K_LEAF) return true;
  bool sum = x->kind == K_LIN || x->kind == K_MUL || x->kind == K_RED;
  if (!sum && !(x->kind == K_FN && x->attr == c->fn.exp)) return false;
  for (uint32_t i = 0; i < x->n_args; i++)
    if (!smooth(c, cls(c, id)->args[i].cls, left)) return false;
  return true;
}

/* [x^(1/2) == 0] of an x that is divided by. */
static bool no_zero(void *context, Value part, Value *by) {
  Calculus *c = context;
  Terms form;
  if (cls_of(c, part.ref)->kind != K_CMP || atom_of(c, part.ref, &form) != REL_EQ || form.n != 1) return false;
  Terms fs = factors_of(c, form.at[0].ref);
  if (fs.n != 1 || rat_is_int(fs.at[0].k) || rat_sign(fs.at[0].k) < 0) return false;
  if (!is_divisor(c, fs.at[0].ref) || !smooth(c, ref(c, fs.at[0].ref)->cls, &(uint32_t){LOOKED_AT})) return false;
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
