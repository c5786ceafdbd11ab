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
                     .n_sym = x->n_sym,
                     .sym = x->sym,
                     .sizes = x->sizes,
                     .args = x->args,
                     .values = table ? c->tables.at[x->attr & 0x7fffffffu].values : NULL};
}

ClassId view_at(const Calculus *c, ClassId id, Arena *a, uint32_t *n, ViewForm **forms) {
  const AtSpec *spec = &c->ats.at[cls(c, id)->attr];
  *n = spec->n;
  *forms = ARENA_ARRAY(a, ViewForm, spec->n + 1);
  for (uint32_t i = 0; i < spec->n; i++) {
    const AtSlot *x = &spec->slots[i];
    ViewForm f = {x->is_const ? x->value : x->offset, x->is_const ? 0 : x->n, NULL};
    f.terms = ARENA_ARRAY(a, struct ViewTerm, f.n + 1);
    for (uint32_t j = 0; j < f.n; j++) f.terms[j] = (struct ViewTerm){x->terms[j].coef, x->terms[j].slot};
    (*forms)[i] = f;
  }
  return spec->base;
}

Value view_value(Calculus *c, ClassId id, const Name *names, uint32_t n) { return at_names(c, id, names, n); }

void view_renew(Calculus *c, double seconds) {
  CalculusOptions o = c->options;
  o.max_seconds = seconds, o.max_steps = 0;
  calculus_set(c, &o);
}
