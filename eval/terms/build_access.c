/* Index forms over digits.
 *
 * A dimension with digits of strides s_j is read at constant + sum coef * name.  Digit by digit from the minor end: the part
 * of the form below the next stride must be one name of exactly this stride and size, or a constant digit.  What is
 * left beyond the major digit is a multiple of the whole size: zero wherever the index is in range, which a guard of the
 * same form says (reading out of range has no meaning a proof could use).  A flat dimension takes the form as it is. */
#include "eval/terms/build_access.h"

Form access_digits(Arena *a, const DigitList *l, const Name *names, int64_t coef) {
  Form f = {0, l->n, ARENA_ARRAY(a, FormTerm, l->n)};
  int64_t stride = coef;
  for (uint32_t j = l->n; j-- > 0; stride *= l->size[j]) f.terms[j] = (FormTerm){stride, names[j]};
  return f;
}

Form access_scale(Arena *a, Form f, int64_t k) {
  Form g = {f.constant * k, f.n, ARENA_ARRAY(a, FormTerm, f.n)};
  for (uint32_t i = 0; i < f.n; i++) g.terms[i] = (FormTerm){f.terms[i].coef * k, f.terms[i].name};
  return g;
}

Form access_add(Arena *a, Form f, Form g) {
  Form h = {f.constant + g.constant, 0, ARENA_ARRAY(a, FormTerm, f.n + g.n)};
  for (uint32_t i = 0; i < f.n + g.n; i++) {
    FormTerm t = i < f.n ? f.terms[i] : g.terms[i - f.n];
    uint32_t j = 0;
    while (j < h.n && h.terms[j].name != t.name) j++;
    if (j < h.n)
      h.terms[j].coef += t.coef;
    else
      h.terms[h.n++] = t;
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < h.n; i++)
    if (h.terms[i].coef) h.terms[n++] = h.terms[i];
  h.n = n;
  return h;
}

Value access_value(Build *b, Form f) {
  ArenaMark m = arena_mark(&b->arena);
  Value *v = ARENA_ARRAY(&b->arena, Value, f.n + 1);
  v[0] = value_num(rat_int(f.constant));
  for (uint32_t i = 0; i < f.n; i++) {
    const NameInfo *n = calculus_name_info(b->calc, f.terms[i].name);
    v[i + 1] = value_scale(rat_int(f.terms[i].coef), calc_idx(b->calc, f.terms[i].name, n->size));
  }
  Value out = calc_add(b->calc, v, f.n + 1);
  arena_reset(&b->arena, m);
  return out;
}

bool access_bind(Build *b, Lookup *k, const DigitList *l, Name *names) {
  if (k->n_bound + l->n > sizeof k->bound / sizeof *k->bound) return false;
  for (uint32_t j = 0; j < l->n; j++) names[j] = k->bound[k->n_bound++] = calculus_fresh(b->calc, l->size[j]);
  return true;
}

Value access_looked_up(Build *b, Lookup *k, Value v) {
  if (k->guards.len) {
    vec_push(&k->guards, v);
    v = calc_sum(b->calc, k->bound, k->n_bound, calc_mul(b->calc, k->guards.at, (uint32_t)k->guards.len));
  }
  vec_free(&k->guards);
  return v;
}

void access_ask(Build *b, Side side, NodeId node, uint32_t dim) {
  for (size_t i = 0; i < b->asks.len; i++)
    if (b->asks.at[i].side == side && b->asks.at[i].node == node && b->asks.at[i].dim == dim) return;
  vec_push(&b->asks, (DimAt){(uint8_t)side, (uint8_t)dim, node});
}

static int64_t modulo(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r < 0 ? r + b : r;
}

/* One digit: the terms below `next` are one name of coefficient `stride`, or none and a constant digit. */
static bool match_digit(Build *b, Form *f, int64_t stride, int64_t size, Name *out) {
  int64_t next = stride * size;
  uint32_t found = 0, at = 0;
  for (uint32_t i = 0; i < f->n; i++)
    if (f->terms[i].coef % next) found++, at = i;
  int64_t low = modulo(f->constant, next);
  if (found > 1 || low % stride) return false;
  if (found) {
    if (f->terms[at].coef != stride || low || calculus_name_info(b->calc, f->terms[at].name)->size != size)
      return false;
    *out = f->terms[at].name;
    f->terms[at] = f->terms[--f->n];
    return true;
  }
  if (!name_has_room(low / stride)) return false;
  *out = name_const(low / stride);
  f->constant -= low;
  return true;
}

bool access_match(Build *b, const DigitList *l, const Name *names, Form f, bool forms, Subst *s) {
  if (s->n + l->n > sizeof s->at / sizeof *s->at) return false;
  if (!l->n) return true; /* size 1: nothing to name; in range it is index 0 */
  ArenaMark m = arena_mark(&b->arena);
  Form g = access_scale(&b->arena, f, 1);
  Name to[64];
  int64_t stride = 1;
  bool ok = l->n <= 64;
  for (uint32_t j = l->n; ok && j-- > 1; stride *= l->size[j]) ok = match_digit(b, &g, stride, l->size[j], &to[j]);
  if (ok) {
    Form rest = access_scale(&b->arena, g, 1);
    ok = !(l->flat && (g.n != 1 || g.constant || g.terms[0].coef != 1)) && match_digit(b, &g, stride, *l->size, &to[0]);
    if (!ok && forms) { /* what is left is a multiple of the stride */
      for (uint32_t i = 0; i < rest.n; i++) rest.terms[i].coef /= stride;
      to[0] = calculus_form(b->calc, (Form){rest.constant / stride, rest.n, rest.terms});
      ok = true;
    }
  }
  arena_reset(&b->arena, m);
  for (uint32_t j = 0; ok && j < l->n; j++) subst_put(s, names[j], to[j]);
  return ok;
}
