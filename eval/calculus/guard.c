/* Guards: 1 where a root is 0, 0 elsewhere, as in `norm == 0 ? 0 : x / norm`.  In a product that is divided by that root
 * a guard makes no difference but where a denominator is 0, which is assumed not to be; where values are compared
 * that differ by a guard alone, the assumption is taken at its word.
 * Only roots of sums of products: a norm or a deviation is 0 at single inputs.  What is counted, masked, chosen or clipped
 * is 0 at many, or at some indices always. */
#include "eval/calculus/core.h"
#include "eval/calculus/match.h"

enum { PARTS = 4000, LOOKED_AT = 200 };

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

/* It is 0 where two of its indices are the same, as the distance of x[i] and x[j] is. */
static bool vanishes_somewhere(Calculus *c, RefId r) {
  uint32_t n = ref(c, r)->n;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < i; j++) {
      Name a = ref(c, r)->names[i], b = ref(c, r)->names[j];
      if (name_is_const(a) || name_is_const(b) || name_size(c, a) != name_size(c, b)) continue;
      Subst s = {1, {{a, b}}};
      if (rename_ref(c, r, &s).k == RAT_0) return true;
    }
  return false;
}

/* 1 - [x^p == 0] beside x^-q among these factors. */
static bool is_guard(Calculus *c, const Terms *fs, uint32_t at) {
  Terms form;
  if (atom_of(c, fs->at[at].ref, &form) != REL_NE || form.n != 1) return false;
  Terms root = factors_of(c, form.at[0].ref);
  if (root.n != 1 || rat_is_int(root.at[0].k) || rat_sign(root.at[0].k) < 0) return false;
  const Term *divided = terms_find(fs, root.at[0].ref);
  if (!divided || rat_sign(divided->k) >= 0) return false;
  RefId x = root.at[0].ref;
  return smooth(c, ref(c, x)->cls, &(uint32_t){LOOKED_AT}) && !vanishes_somewhere(c, x);
}

/* A product, or a sum of products over indices, without its guards. */
static bool unguarded(void *context, Value part, Value *by) {
  Calculus *c = context;
  const Class *x = cls_of(c, part.ref);
  bool sum = x->kind == K_RED;
  if (!sum && x->kind != K_MUL) return false;
  Opened o = node_open(c, part.ref);
  Terms fs = {0};
  for (uint32_t i = 0; i < o.n; i++) terms_add(c, &fs, o.args[i].ref, o.args[i].k);
  Factor *f = SCRATCH(c, Factor, fs.n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < fs.n; i++)
    if (!is_guard(c, &fs, i)) f[n++] = (Factor){one_of(fs.at[i].ref), fs.at[i].k};
  if (n == fs.n) return false;
  *by = mul(c, f, n);
  if (sum) *by = calc_sum(c, o.bound, o.n_bound, *by);
  return true;
}

bool guard_drop(Calculus *c, Value *v) {
  uint32_t budget = PARTS;
  if (!c->guarded) return false;
  Value w = calc_replace(c, *v, &budget, unguarded, c);
  bool some = !value_same(w, *v);
  *v = w;
  return some;
}
