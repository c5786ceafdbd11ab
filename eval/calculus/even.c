/* Absolute values that cancel.  The logarithm of a sum of exponentials is written max(x, y) + log(1 + exp(-|x - y|)) so
 * that nothing overflows; what is left of it without the absolute value is stated here:
 *
 * - beside a maximum of two, |x - y| = 2 max(x, y) - x - y;
 * - e^(d/2) + e^(-d/2) is even in d: log(1 + e^|x - y|) = |x - y|/2 + log(e^x + e^y) - (x + y)/2. */
#include "eval/calculus/core.h"

/* The argument of an absolute value that is finite; NO_REF: it is none. */
static RefId abs_of(Calculus *c, RefId r) {
  const Class *x = cls_of(c, r);
  if (x->kind != K_FN || x->attr != c->fn.abs || (x->flags & F_INFINITE)) return NO_REF;
  RefId a = node_open(c, r).args[0].ref;
  return flags_of(c, a) & F_INFINITE ? NO_REF : a;
}

/* Both arguments of a maximum. */
static bool maximum_of_two(Calculus *c, RefId r, Value *x, Value *y) {
  const Class *m = cls_of(c, r);
  if (m->kind != K_MAX || m->n_bound || m->n_args != 2 || (m->flags & F_INFINITE)) return false;
  Opened o = node_open(c, r);
  *x = (Value){o.args[0].k, o.args[0].ref};
  *y = (Value){o.args[1].k, o.args[1].ref};
  return true;
}

bool even_join(Calculus *c, Terms *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    RefId a = abs_of(c, t->at[i].ref);
    for (uint32_t j = 0; j < t->n && a != NO_REF; j++) {
      Value x, y;
      if (!maximum_of_two(c, t->at[j].ref, &x, &y)) continue;
      Value d = calc_sub(c, x, y);
      if (d.ref != a || d.k == RAT_0) continue;
      Rat k = rat_div(t->at[i].k, rat_abs(d.k));
      t->at[i].k = RAT_0;
      t->at[j].k = rat_add(t->at[j].k, rat_mul(RAT_INT(2), k));
      Terms rest = terms_of(c, calc_add2(c, x, y));
      for (uint32_t n = 0; n < rest.n; n++) terms_add(c, t, rest.at[n].ref, rat_neg(rat_mul(k, rest.at[n].k)));
      terms_pack(t);
      return true;
    }
  }
  return false;
}

bool even_log(Calculus *c, RefId sum, Value *out) {
  if (cls_of(c, sum)->kind != K_LIN) return false;
  Terms t = terms_of(c, one_of(sum));
  if (t.n != 2 || t.at[0].k != RAT_1 || t.at[1].k != RAT_1 || !terms_find(&t, c->one)) return false;
  Terms fs = factors_of(c, t.at[t.at[0].ref == c->one].ref);
  if (fs.n != 1 || !is_exp(c, fs.at[0].ref)) return false;
  Value distance = one_of(node_open(c, fs.at[0].ref).args[0].ref);
  RefId d = abs_of(c, distance.ref);
  if (d == NO_REF) return false;
  Rat p = fs.at[0].k;
  Terms parts = terms_of(c, one_of(d)), x = {0}, y = {0};
  for (uint32_t i = 0; i < parts.n; i++)
    terms_add(c, rat_sign(parts.at[i].k) > 0 ? &x : &y, parts.at[i].ref, rat_mul(p, rat_abs(parts.at[i].k)));
  Value a = lin(c, &x), b = lin(c, &y);
  Value ea = calc_fn(c, c->fn.exp, &a, 1), eb = calc_fn(c, c->fn.exp, &b, 1), both = calc_add2(c, ea, eb);
  Rat half = rat_div(RAT_1, RAT_INT(2));
  Value all[] = {value_scale(rat_mul(p, half), distance), calc_fn(c, c->fn.log, &both, 1),
                 value_scale(rat_neg(half), a), value_scale(rat_neg(half), b)};
  *out = calc_add(c, all, 4);
  return true;
}
