#include "eval/calculus/view.h"

#include "eval/calculus/core.h"

ClassView view_class(const Calculus *c, ClassId id) {
  const Class *x = cls(c, id);
  bool table = x->kind == K_LEAF && x->attr >> 31;
  return (ClassView){.kind = (Kind)x->kind,
                     .attr = x->attr,
                     .n_slots = x->n_slots,
                     .n_bound = x->n_bound,
                     .n_args = x->n_args,
                     .n_perms = x->n_sym,
                     .sizes = x->sizes,
                     .args = x->args,
                     .values = table ? c->tables.at[x->attr & 0x7fffffffu].values : NULL};
}

const uint16_t *view_perm(const Calculus *c, ClassId id, uint32_t k) { return cls(c, id)->sym[k].at; }

Value view_value(Calculus *c, ClassId id, const Name *names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (name_is_const(names[i])) return push(c, id, names, n);
  return one_of(sym_least(c, ref_make(c, id, names, n)));
}

void view_renew(Calculus *c, double seconds) {
  CalculusOptions o = c->options;
  o.max_seconds = seconds;
  calculus_set(c, &o);
}
