/* Lemmas f(x, ..) == e about an elementwise function of numbers: the function may be read as the right side.  The
 * result names those used. */
#include "certify/walk.h"

static const AstItem *lemma_about(const Walk *w, const Goal *g) {
  uint32_t end;
  const AstItem *const *lemmas = library_lemmas(w->problem->library, &end);
  for (uint32_t first = end; end; end = first) { /* the later file and the earlier item come first */
    while (first && lemmas[first - 1]->span.source == lemmas[end - 1]->span.source) first--;
    for (uint32_t i = first; i < end; i++) {
      const AstLemma *l = &lemmas[i]->lemma;
      if (l->equation->kind != EX_EQ) continue;
      const AstExpr *left = l->equation->args[0];
      bool fits = left->kind == EX_CALL && left->name == g->fn && left->n_args == g->n && l->n_params == g->n &&
                  !l->when && !l->n_attrs;
      for (uint32_t k = 0; k < l->n_params && fits; k++)
        fits = !l->params[k].n_dims && !l->params[k].variadic && left->args[k]->name == l->params[k].name &&
               (left->args[k]->kind == EX_NAME || (left->args[k]->kind == EX_READ && !left->args[k]->n_args));
      if (fits) return lemmas[i];
    }
  }
  return NULL;
}

bool law_lemma(Replay *p, const Goal *g, Num v, const Choice *c) {
  const AstItem *item = lemma_about(p->walk, g);
  static const AstOp none;
  (void)c;
  if (!item) return false;
  Mean m = {.w = p->walk, .op = &none, .at = -1, .count = -1, .each = -1, .guards = 1}; /* no graph divides here */
  meaning_bind(&m, 0, NULL, NULL, 0, true); /* names are parameters only: what is bound from here on */
  m.scope = m.env.len;
  for (uint32_t k = 0; k < g->n; k++) {
    Val *x = SCRATCH(p->s, Val, 1);
    *x = meaning_value(&m, g->items[k].v);
    meaning_bind(&m, item->lemma.params[k].name, x, NULL, 1, false);
  }
  Num right = meaning_num(&m, meaning_eval(&m, item->lemma.equation->args[1]));
  vec_free(&m.env);
  bool known = false;
  CertifyResult *r = p->walk->out;
  for (size_t i = 0; i < r->lemmas.len; i++) known |= r->lemmas.at[i] == item;
  if (!known && !p->trusting) vec_push(&r->lemmas, item);
  return !p->failed && !m.failed && num_same(v, right);
}
