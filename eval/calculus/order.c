/* Places that a sort gives: an unknown function whose values are the places of a row, in some order.
 *
 * - where it gives all of them, each is there once: sum(a) [s(a) == e] = [0 <= e < n];
 * - s(a) == s(b) is a == b;
 * - the places of a row of places, in ascending order, are where each of them stands: s(t)(i) == a is t(a) == i. */
#include "eval/calculus/core.h"

enum { MAX_DIGITS = 16 };

/* What the function at r produces, major digit first, as the names at which it is read. */
typedef struct Row {
  Name at[MAX_DIGITS];
  uint32_t n;
  int64_t size;
} Row;

/* r gives all places of a row. */
static bool row_of(Calculus *c, RefId r, Row *out) {
  const Class *x = cls_of(c, r);
  const Ref *f = ref(c, r);
  *out = (Row){.size = 1};
  if (x->kind != K_OP || !(x->flags & F_DISTINCT) || !(x->flags & F_RANGE)) return false;
  for (uint32_t p = 0; p < x->n_slots; p++) {
    bool read = false;
    for (uint32_t i = 0; i < x->n_args && !read; i++)
      for (uint32_t q = 0; q < x->args[i].n && !read; q++) read = x->args[i].ix[q] == (int32_t)p;
    if (read) continue;
    if (out->n == MAX_DIGITS) return false;
    out->at[out->n++] = f->names[p];
    out->size *= x->sizes[p];
  }
  for (uint32_t i = 0; i < out->n; i++) {
    if (!produced(c, r, out->at[i])) return false;
    for (uint32_t j = 0; j < i; j++)
      if (out->at[i] == out->at[j]) return false;
  }
  return x->lo == RAT_0 && x->hi == rat_int(out->size - 1);
}

/* The term of a form that gives places, once or minus once; UINT32_MAX: none. */
static uint32_t row_in(Calculus *c, const Terms *form, Row *row) {
  for (uint32_t i = 0; i < form->n; i++)
    if (rat_abs(form->at[i].k) == RAT_1 && row_of(c, form->at[i].ref, row)) return i;
  return UINT32_MAX;
}

bool order_once(Calculus *c, const Terms *form, const Name *bound, uint32_t n, Value *out) {
  Row row;
  uint32_t at = row_in(c, form, &row);
  if (at == UINT32_MAX || row.n != n || !integer_terms(c, form)) return false;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t times = 0;
    for (uint32_t j = 0; j < row.n; j++) times += row.at[j] == bound[i];
    for (uint32_t j = 0; j < form->n; j++) times += j != at && ref_has(c, form->at[j].ref, bound[i]);
    if (times != 1) return false;
  }
  Terms rest = {0};
  for (uint32_t i = 0; i < form->n; i++)
    if (i != at) terms_add(c, &rest, form->at[i].ref, rat_neg(rat_div(form->at[i].k, form->at[at].k)));
  *out = within(c, lin(c, &rest), row.size);
  return true;
}

/* [s(a) == s(b)] = [a == b] */
static bool same_place(Calculus *c, const Terms *form, Value *out) {
  if (form->n != 2 || form->at[0].k != rat_neg(form->at[1].k)) return false;
  RefId p = form->at[0].ref, q = form->at[1].ref;
  if (ref(c, p)->cls != ref(c, q)->cls || !(flags_of(c, p) & F_DISTINCT)) return false;
  *out = VALUE_ONE;
  for (uint32_t i = 0; i < ref(c, p)->n; i++) {
    Name a = ref(c, p)->names[i], b = ref(c, q)->names[i];
    if (a == b) continue;
    if (name_is_const(a) || name_is_const(b) || !produced(c, p, a) || !produced(c, q, b)) return false;
    Value x = calc_idx(c, a, name_size(c, a)), y = calc_idx(c, b, name_size(c, b));
    *out = calc_mul2(c, *out, calc_cmp(c, CMP_EQ, x, y));
  }
  return true;
}

/* Digits of these sizes, major first, that the form has in mixed radix, and nothing else; sign: how they are oriented.
 */
static bool digits_in(Calculus *c, const Terms *form, uint32_t except, int sign, const Name *like, uint32_t n,
                      Name *out) {
  int64_t weight = 1;
  uint32_t used = 0;
  for (uint32_t j = n; j-- > 0; weight *= name_size(c, like[j])) {
    bool found = false;
    for (uint32_t i = 0; i < form->n && !found; i++) {
      if (i == except || cls_of(c, form->at[i].ref)->kind != K_IDX || form->at[i].k != rat_int(sign * weight)) continue;
      out[j] = ref(c, form->at[i].ref)->names[0];
      found = !name_is_const(out[j]) && name_size(c, out[j]) == name_size(c, like[j]);
    }
    if (!found) return false;
    used++;
  }
  return used + 1 == form->n;
}

/* [s(t)(i) == a] = [t(a) == i] where s orders the row of places t. */
static bool inverse(Calculus *c, const Terms *form, Value *out) {
  Row row, inner;
  uint32_t at = row_in(c, form, &row);
  if (at == UINT32_MAX || !(flags_of(c, form->at[at].ref) & F_ASCENDS)) return false;
  Opened o = node_open(c, form->at[at].ref);
  RefId t = o.args[0].ref;
  if (!row_of(c, t, &inner) || inner.size != row.size) return false;
  Name digits[MAX_DIGITS];
  if (!digits_in(c, form, at, form->at[at].k == RAT_1 ? -1 : 1, inner.at, inner.n, digits)) return false;
  uint32_t bound = 0; /* the row that s orders is what t gives, in that order */
  Subst s = {0};
  for (uint32_t i = 0; i < o.n_bound; i++) {
    if (!ref_has(c, t, o.bound[i])) continue;
    if (bound == inner.n || o.bound[i] != inner.at[bound]) return false;
    subst_put(&s, inner.at[bound], digits[bound]);
    bound++;
  }
  if (bound != inner.n) return false;
  Value i = VALUE_ZERO;
  int64_t weight = 1;
  for (uint32_t j = row.n; j-- > 0; weight *= name_size(c, row.at[j])) {
    if (name_is_const(row.at[j])) return false;
    i = calc_add2(c, i, value_scale(rat_int(weight), calc_idx(c, row.at[j], name_size(c, row.at[j]))));
  }
  *out = calc_cmp(c, CMP_EQ, rename_ref(c, t, &s), i);
  return true;
}

bool order_equal(Calculus *c, Value e, Value *out) {
  Terms form = terms_of(c, e);
  return same_place(c, &form, out) || inverse(c, &form, out);
}
