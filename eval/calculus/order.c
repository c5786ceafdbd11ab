/* Places that a sort gives: an unknown function whose values are the places of a row, in some order.
 *
 * - where it gives all of them, each is there once: sum(a) [s(a) == e] = [0 <= e < n];
 * - s(a) == s(b) is a == b;
 * - the places of a row of places, in ascending order, are where each of them stands: s(t)(i) == a is t(a) == i;
 * - so is the sum of indices at which a place is given: sum(t) t [s(t) == i] == j is s(j) == i;
 * - so many values are at most b as places in ascending order come before one that is larger, where a sort of them exists;
 * - as a tactic, x at the place that comes k-th is the k-th largest of x, whichever of equal ones that is.
 *
 * The k-th largest is an unknown function of x, whose bound indices may change places, and of k, which counts from 0:
 *
 * - the first is the maximum, the last the minimum; the k-th largest of -x is the k-th least of x, negated;
 * - among the m largest of every part are the m largest of all. */
#include <string.h>

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
    bool in_row = false;
    for (uint32_t j = 0; j < row.n; j++) in_row |= row.at[j] == bound[i];
    for (uint32_t j = 0; j < form->n && in_row; j++) in_row = j == at || !ref_has(c, form->at[j].ref, bound[i]);
    if (!in_row) return false;
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

/* One digit of where the row gives place i: sum(t) t_p [s(t) == i], with 0 <= i < n. */
typedef struct Standing {
  Row row;
  uint32_t digit;
  RefId place;
  Value i;
} Standing;

static bool standing_of(Calculus *c, RefId r, Standing *out) {
  if (cls_of(c, r)->kind != K_RED) return false;
  Opened o = node_open(c, r);
  uint32_t at = o.n == 2 && cls_of(c, o.args[0].ref)->kind == K_IDX ? 0 : 1;
  Terms form;
  if (o.n != 2 || o.args[0].k != RAT_1 || o.args[1].k != RAT_1 || cls_of(c, o.args[at].ref)->kind != K_IDX) return false;
  if (cls_of(c, o.args[!at].ref)->kind != K_CMP || atom_of(c, o.args[!at].ref, &form) != REL_EQ) return false;
  uint32_t in = row_in(c, &form, &out->row), p = 0;
  if (in == UINT32_MAX || out->row.n != o.n_bound || !integer_terms(c, &form)) return false;
  while (p < out->row.n && out->row.at[p] != ref(c, o.args[at].ref)->names[0]) p++;
  if (p == out->row.n) return false;
  Terms rest = {0};
  for (uint32_t j = 0; j < form.n; j++) {
    for (uint32_t k = 0; k < o.n_bound; k++)
      if (ref_has(c, form.at[j].ref, o.bound[k]) != (j == in)) return false;
    if (j != in) terms_add(c, &rest, form.at[j].ref, rat_neg(rat_div(form.at[j].k, form.at[in].k)));
  }
  Rat lo, hi;
  out->digit = p;
  out->place = form.at[in].ref;
  out->i = lin(c, &rest);
  return range_of(c, out->i, &lo, &hi) && rat_sign(lo) >= 0 && rat_cmp(hi, rat_int(out->row.size)) < 0;
}

/* [j == where s gives i] = [s(j) == i] */
static bool stands(Calculus *c, const Terms *form, Value *out) {
  Standing first, s;
  uint32_t at = 0, used = 0;
  while (at < form->n && !standing_of(c, form->at[at].ref, &first)) at++;
  if (at == form->n) return false;
  Name j[MAX_DIGITS];
  int64_t weight = 1;
  Rat sign = RAT_INT(rat_sign(form->at[at].k));
  Subst to = {0};
  for (uint32_t p = first.row.n; p-- > 0; weight *= name_size(c, first.row.at[p])) {
    Rat w = rat_mul(sign, rat_int(weight));
    bool read = false, found = false;
    for (uint32_t k = 0; k < form->n; k++) {
      const Ref *x = ref(c, form->at[k].ref);
      bool digit = cls_of(c, form->at[k].ref)->kind == K_IDX && form->at[k].k == rat_neg(w) && !name_is_const(x->names[0]);
      if (!found && digit && name_size(c, x->names[0]) == name_size(c, first.row.at[p])) found = true, j[p] = x->names[0];
      read |= form->at[k].k == w && standing_of(c, form->at[k].ref, &s) && s.digit == p;
    }
    if (!found || !read) return false;
    used += 2;
  }
  for (uint32_t k = 0; k < form->n; k++) { /* all digits are of one place */
    if (cls_of(c, form->at[k].ref)->kind != K_RED) continue;
    if (!standing_of(c, form->at[k].ref, &s) || s.row.n != first.row.n) return false;
    to.n = 0;
    for (uint32_t p = 0; p < s.row.n; p++) subst_put(&to, s.row.at[p], j[p]);
    Value v = calc_cmp(c, CMP_EQ, rename_ref(c, s.place, &to), s.i);
    if (k != at && (v.ref != out->ref || v.k != out->k)) return false;
    *out = v;
  }
  return used == form->n;
}

bool order_equal(Calculus *c, Value e, Value *out) {
  Terms form = terms_of(c, e);
  return same_place(c, &form, out) || inverse(c, &form, out) || stands(c, &form, out);
}

/* ------------------------------------------------------------------ values by rank */
/* form = offset + sign * (names in mixed radix, all of them bound by `over`, once); *reach: how many values these have. */
static bool counts_names(Calculus *c, Value form, const Name *over, uint32_t n, Name *digits, uint32_t *n_digits, int *sign,
                         Rat *offset, int64_t *reach) {
  Terms t = terms_of(c, form);
  *offset = RAT_0;
  *n_digits = 0;
  *sign = 0;
  for (uint32_t i = 0; i < t.n; i++) {
    if (t.at[i].ref == c->one) *offset = t.at[i].k;
    else *sign = rat_sign(t.at[i].k);
  }
  *reach = 1;
  for (uint32_t left = t.n - (*offset != RAT_0); left--;) {
    bool found = false;
    for (uint32_t i = 0; i < t.n && !found; i++) {
      bool digit = cls_of(c, t.at[i].ref)->kind == K_IDX && t.at[i].k == rat_int(*sign * *reach);
      if (!digit || *n_digits == MAX_DIGITS) continue;
      Name name = ref(c, t.at[i].ref)->names[0];
      for (uint32_t j = 0; j < n; j++) found |= over[j] == name;
      if (found) digits[(*n_digits)++] = name;
    }
    if (!found || __builtin_mul_overflow(*reach, name_size(c, digits[*n_digits - 1]), reach)) return false;
  }
  return *n_digits > 0;
}

static bool rows_of(Calculus *c, RefId x, const Name *over, uint32_t n, int64_t *rows) {
  *rows = 1;
  for (uint32_t i = 0; i < n; i++)
    if (!ref_has(c, x, over[i]) || __builtin_mul_overflow(*rows, name_size(c, over[i]), rows) || *rows > MOST_SMALL)
      return false;
  return true;
}

/* The rank counted from the other end of so many. */
static Value from_end(Calculus *c, Value rank, int64_t rows) { return calc_sub(c, value_num(rat_int(rows - 1)), rank); }

/* x is the m largest, or the m least, of each of several parts, and the rank is within the first m, or the last m, of all of
 * them: it is that of all elements. */
static bool of_parts(Calculus *c, RefId x, Value rank, const Name *over, uint32_t n, int64_t rows, Value *out) {
  if (cls_of(c, x)->kind != K_OP || cls_of(c, x)->attr != c->fn.largest) return false;
  Opened o = node_open(c, x);
  Value y = unwrapped(c, o.args[0].ref), inner = unwrapped(c, o.args[1].ref);
  Name digits[MAX_DIGITS];
  uint32_t n_digits, m = 0;
  int sign;
  Rat offset, lo, hi;
  int64_t reach, part, all;
  if (!rows_of(c, y.ref, o.bound, o.n_bound, &part)) return false;
  if (!counts_names(c, inner, over, n, digits, &n_digits, &sign, &offset, &reach)) return false;
  if (offset != (sign > 0 ? RAT_0 : rat_int(part - 1)) || reach > part) return false;
  Name *names = SCRATCH(c, Name, n + o.n_bound);
  for (uint32_t i = 0; i < n; i++) {
    bool digit = false;
    for (uint32_t j = 0; j < n_digits; j++) digit |= digits[j] == over[i];
    if (digit && ref_has(c, y.ref, over[i])) return false;
    if (!digit) names[m++] = over[i];
  }
  for (uint32_t i = 0; i < o.n_bound; i++) names[m++] = o.bound[i];
  Value end = sign > 0 ? rank : from_end(c, rank, rows);
  if (!rows_of(c, y.ref, names, m, &all) || !range_of(c, end, &lo, &hi)) return false;
  if (reach < part && rat_cmp(hi, rat_int(reach)) >= 0) return false;
  *out = calc_largest(c, y, sign > 0 ? end : from_end(c, end, all), names, m);
  return true;
}

Value calc_largest(Calculus *c, Value x, Value rank, const Name *over, uint32_t n) {
  step(c);
  if (c->broken || value_is_num(x)) return x;
  Frame mark = frame_enter(c);
  int64_t rows = 0;
  bool all = rows_of(c, x.ref, over, n, &rows);
  Monotone m;
  Value out;
  if (all && value_is_num(rank) && rank.k == RAT_0) {
    out = calc_max(c, &x, 1, over, n);
  } else if (all && value_is_num(rank) && rank.k == rat_int(rows - 1)) {
    x = value_neg(x);
    out = value_neg(calc_max(c, &x, 1, over, n));
  } else if (all && rat_sign(x.k) < 0) {
    out = value_scale(x.k, calc_largest(c, one_of(x.ref), from_end(c, rank, rows), over, n));
  } else if (all && x.k != RAT_1) {
    out = value_scale(x.k, calc_largest(c, one_of(x.ref), rank, over, n));
  } else if (all && monotone_of(c, x, over, n, &m)) {
    out = monotone_at(c, &m, over, n, calc_largest(c, m.part, m.falls ? from_end(c, rank, rows) : rank, over, n));
  } else if (!all || !of_parts(c, x.ref, rank, over, n, rows, &out)) {
    Name *bound = SCRATCH(c, Name, n);
    uint32_t n_bound = 0;
    const Ref *f = ref(c, x.ref);
    for (uint32_t i = 0; i < f->n && all; i++) /* in one order, whatever the caller's was */
      for (uint32_t j = 0; j < n; j++)
        if (over[j] == f->names[i]) bound[n_bound++] = over[j];
    if (!all) memcpy(bound, over, n * sizeof *bound);
    Rat lo, hi;
    LeafInfo info = {.integer = value_is_integer(c, x), .has_range = all && range_of(c, x, &lo, &hi)};
    if (info.has_range) info.lo = lo, info.hi = hi;
    out = calc_opaque(c, c->fn.largest, (Value[]){x, rank}, 2, bound, n, NULL, 0, info);
  }
  frame_leave(c, mark);
  return out;
}

/* Of [k == a place of the row x in order]: the names that are the digits of k, x there, and the rank of the place from the
 * largest down. */
typedef struct InOrder {
  Name at[MAX_DIGITS];
  uint32_t n;
  Value x, rank;
} InOrder;

static bool in_order(Calculus *c, RefId p, const Name *bound, uint32_t n, InOrder *out) {
  Terms form;
  if (cls_of(c, p)->kind != K_CMP || atom_of(c, p, &form) != REL_EQ) return false;
  uint32_t at = 0;
  while (at < form.n && !(flags_of(c, form.at[at].ref) & (F_ASCENDS | F_DESCENDS))) at++;
  if (at == form.n || rat_abs(form.at[at].k) != RAT_1 || cls_of(c, form.at[at].ref)->kind != K_OP) return false;
  RefId place = form.at[at].ref;
  Opened o = node_open(c, place);
  Name row[MAX_DIGITS];
  int64_t rows = 1, weight = 1;
  for (uint32_t i = out->n = 0; i < o.n_bound; i++) {
    if (!ref_has(c, o.args[0].ref, o.bound[i])) continue;
    if (out->n == MAX_DIGITS || __builtin_mul_overflow(rows, name_size(c, o.bound[i]), &rows)) return false;
    row[out->n++] = o.bound[i];
  }
  if (cls_of(c, place)->lo != RAT_0 || cls_of(c, place)->hi != rat_int(rows - 1)) return false;
  if (!digits_in(c, &form, at, form.at[at].k == RAT_1 ? -1 : 1, row, out->n, out->at)) return false;
  Subst s = {0};
  for (uint32_t i = 0; i < out->n; i++) {
    bool is_bound = false;
    for (uint32_t j = 0; j < n; j++) is_bound |= bound[j] == out->at[i];
    for (uint32_t j = 0; j < i; j++) is_bound &= out->at[j] != out->at[i];
    if (!is_bound || ref_has(c, place, out->at[i])) return false;
    subst_put(&s, row[i], out->at[i]);
  }
  out->rank = VALUE_ZERO;
  for (uint32_t q = ref(c, place)->n; q-- > 0;) { /* what it produces, from the minor digit up */
    const Class *x = cls_of(c, place);
    bool read = false;
    for (uint32_t i = 0; i < x->n_args; i++)
      for (uint32_t k = 0; k < x->args[i].n; k++) read |= x->args[i].ix[k] == (int32_t)q;
    if (read) continue;
    int64_t size = x->sizes[q];
    out->rank = calc_add2(c, out->rank, value_scale(rat_int(weight), calc_idx(c, ref(c, place)->names[q], size)));
    if (__builtin_mul_overflow(weight, size, &weight)) return false;
  }
  if (flags_of(c, place) & F_ASCENDS) out->rank = from_end(c, out->rank, rows);
  out->x = calc_rename(c, unwrapped(c, o.args[0].ref), &s);
  return true;
}

/* ------------------------------------------------------------------ how many are below
 * Of a row x, s being its places in ascending order: [t < sum(c) [x(c) <= b]] = [x(s(t)) <= b]. */

/* sum(c) [x(c) <= b], or > b, as [rel] of k x + rest; the names of c.  Where x is one of the values of a digit d, as
 * sum(c, d) [x(c) == d] [d <= b]. */
typedef struct Below {
  RefId x;
  Rel rel;
  Rat k;
  Terms rest;
  Name at[MAX_DIGITS];
  uint32_t n;
  int64_t rows;
  bool above;
} Below;

static bool has_any(Calculus *c, RefId r, const Name *names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (ref_has(c, r, names[i])) return true;
  return false;
}

/* [x(c) == d] for a bound d, which runs through all values of x. */
static bool is_value(Calculus *c, const Opened *o, RefId p, RefId *x, RefId *d) {
  Terms t;
  Rat lo, hi;
  if (cls_of(c, p)->kind != K_CMP || atom_of(c, p, &t) != REL_EQ || t.n != 2) return false;
  uint32_t i = cls_of(c, t.at[0].ref)->kind == K_IDX ? 0 : 1;
  *d = t.at[i].ref, *x = t.at[!i].ref;
  if (t.at[0].k != rat_neg(t.at[1].k) || cls_of(c, *d)->kind != K_IDX || !has_any(c, *d, o->bound, o->n_bound)) return false;
  Name name = ref(c, *d)->names[0];
  if (ref_has(c, *x, name) || !integer_value(c, one_of(*x)) || !range_of(c, one_of(*x), &lo, &hi)) return false;
  return rat_sign(lo) >= 0 && rat_cmp(hi, rat_int(name_size(c, name))) < 0;
}

static bool below_of(Calculus *c, RefId r, Below *out) {
  const Class *counted = cls_of(c, r);
  if (counted->kind != K_RED || !(counted->flags & F_INTEGER)) return false;
  Opened o = node_open(c, r);
  RefId d = NO_REF;
  uint32_t at = 0;
  if (o.n == 2 && is_value(c, &o, o.args[0].ref, &out->x, &d)) at = 1;
  else if (o.n == 2 && !is_value(c, &o, o.args[1].ref, &out->x, &d)) return false;
  Terms t;
  for (uint32_t i = 0; i < o.n; i++)
    if (o.args[i].k != RAT_1) return false;
  out->rel = o.n <= 2 ? atom_of(c, o.args[at].ref, &t) : REL_NONE;
  if ((out->rel != REL_LT && out->rel != REL_GE) || !integer_terms(c, &t)) return false;
  out->rest = (Terms){0}, out->k = RAT_0;
  for (uint32_t i = 0; i < t.n; i++) {
    bool is_x = d == NO_REF ? has_any(c, t.at[i].ref, o.bound, o.n_bound) : t.at[i].ref == d;
    if (is_x && out->k != RAT_0) return false;
    if (is_x) out->k = t.at[i].k, out->x = d == NO_REF ? t.at[i].ref : out->x;
    else if (has_any(c, t.at[i].ref, o.bound, o.n_bound)) return false;
    else terms_add(c, &out->rest, t.at[i].ref, t.at[i].k);
  }
  if (out->k == RAT_0) return false;
  out->above = rat_sign(out->k) != (out->rel == REL_LT ? 1 : -1);
  out->rows = 1;
  for (uint32_t i = out->n = 0; i < o.n_bound; i++) {
    if (d != NO_REF && o.bound[i] == ref(c, d)->names[0]) continue;
    if (out->n == MAX_DIGITS || !ref_has(c, out->x, o.bound[i])) return false;
    out->at[out->n++] = o.bound[i];
    if (__builtin_mul_overflow(out->rows, name_size(c, o.bound[i]), &out->rows)) return false;
  }
  return out->n > 0;
}

/* t - count, or t + count where it is of what is larger. */
static int sign_of_place(const Below *b, const Terms *form, uint32_t count) {
  return (form->at[count].k == RAT_1) == b->above ? 1 : -1;
}

/* The places of the row of b in ascending order that class `id` gives, t-th; what stands there. */
static bool stands_at(Calculus *c, ClassId id, const Below *b, const Terms *form, uint32_t except, Value *out) {
  const Class *x = cls(c, id);
  const Ref *f = ref(c, b->x);
  if (x->n_args != 1 || x->args[0].cls != f->cls || x->n_bound != b->n) return false;
  Name *names = SCRATCH(c, Name, x->n_slots + 1), digits[MAX_DIGITS], like[MAX_DIGITS], row[MAX_DIGITS];
  bool *read = SCRATCH(c, bool, x->n_slots + 1);
  Subst s = {0};
  int64_t weight = 1;
  uint32_t made = 0;
  for (uint32_t i = 0; i < x->n_bound; i++) row[i] = calculus_fresh(c, x->sizes[x->n_slots + i]);
  for (uint32_t q = 0; q < x->args[0].n; q++) {
    int32_t p = x->args[0].ix[q];
    bool counted = false;
    for (uint32_t i = 0; i < b->n; i++) counted |= b->at[i] == f->names[q];
    if (p < 0 || counted != (p >= (int32_t)x->n_slots)) return false;
    if (counted) subst_put(&s, f->names[q], row[p - (int32_t)x->n_slots]);
    else if (read[p] && names[p] != f->names[q]) return false;
    else read[p] = true, names[p] = f->names[q];
  }
  for (uint32_t p = 0; p < x->n_slots; p++) {
    if (read[p]) continue;
    if (made == MAX_DIGITS) return false;
    like[made++] = calculus_fresh(c, x->sizes[p]);
  }
  if (s.n != b->n || !digits_in(c, form, except, sign_of_place(b, form, except), like, made, digits)) return false;
  for (uint32_t p = made = 0; p < x->n_slots; p++)
    if (!read[p]) names[p] = digits[made++];
  RefId place = ref_make(c, id, names, x->n_slots);
  Row all;
  if (!row_of(c, place, &all)) return false;
  Value there = VALUE_ZERO;
  for (uint32_t i = x->n_bound; i-- > 0; weight *= name_size(c, row[i]))
    there = calc_add2(c, there, value_scale(rat_int(weight), calc_idx(c, row[i], name_size(c, row[i]))));
  if (weight != all.size) return false;
  Value here = calc_mul2(c, rename_ref(c, b->x, &s), calc_cmp(c, CMP_EQ, one_of(place), there));
  *out = calc_sum(c, row, x->n_bound, here);
  return true;
}

/* x is the row in ascending order already: it, t-th. */
static bool sorted_at(Calculus *c, const Below *b, const Terms *form, uint32_t except, Value *out) {
  if (cls_of(c, b->x)->kind != K_RED) return false;
  Opened o = node_open(c, b->x);
  InOrder in;
  Row row;
  uint32_t at = 0;
  while (at < o.n && !(o.args[at].k == RAT_1 && in_order(c, o.args[at].ref, o.bound, o.n_bound, &in))) at++;
  if (at == o.n || in.n != o.n_bound) return false;
  Factor *f = SCRATCH(c, Factor, o.n);
  for (uint32_t i = 0, m = 0; i < o.n; i++)
    if (i != at) f[m++] = (Factor){one_of(o.args[i].ref), o.args[i].k};
  Value x = mul(c, f, o.n - 1);
  Terms p;
  atom_of(c, o.args[at].ref, &p);
  uint32_t place = row_in(c, &p, &row);
  if (x.ref != in.x.ref || x.k != in.x.k || place == UINT32_MAX || row.n != b->n) return false;
  if (!(flags_of(c, p.at[place].ref) & F_ASCENDS)) return false;
  Name digits[MAX_DIGITS];
  Subst s = {0};
  for (uint32_t i = 0; i < row.n; i++) {
    bool counted = false;
    for (uint32_t j = 0; j < b->n; j++) counted |= b->at[j] == row.at[i];
    if (!counted) return false;
  }
  if (!digits_in(c, form, except, sign_of_place(b, form, except), row.at, row.n, digits)) return false;
  for (uint32_t i = 0; i < row.n; i++) subst_put(&s, row.at[i], digits[i]);
  *out = rename_ref(c, b->x, &s);
  return true;
}

bool order_less(Calculus *c, Value e, Value *out) {
  if (!c->sorts.len) return false;
  Terms all = terms_of(c, e), form = {0};
  Rat offset = RAT_0;
  for (uint32_t i = 0; i < all.n; i++)
    if (all.at[i].ref == c->one) offset = all.at[i].k;
    else terms_add(c, &form, all.at[i].ref, all.at[i].k);
  Below b;
  for (uint32_t i = 0; i < form.n; i++) {
    if (rat_abs(form.at[i].k) != RAT_1 || !below_of(c, form.at[i].ref, &b)) continue;
    bool less = (form.at[i].k == RAT_1) == b.above; /* t < how many are at most b; or not: [count - t - 1 < 0] */
    Rat all_rows = b.above ? rat_int(b.rows) : RAT_0;
    if (offset != (less ? rat_neg(all_rows) : rat_sub(all_rows, RAT_1))) continue;
    Value v;
    bool found = sorted_at(c, &b, &form, i, &v);
    for (size_t k = 0; k < c->sorts.len && !found; k++) found = stands_at(c, c->sorts.at[k], &b, &form, i, &v);
    if (!found) continue;
    Value sum = calc_add2(c, value_scale(b.k, v), lin(c, &b.rest));
    Value holds = calc_cmp(c, b.rel == REL_LT ? CMP_LT : CMP_GE, sum, VALUE_ZERO);
    *out = less == b.above ? calc_not(c, holds) : holds;
    return true;
  }
  return false;
}

/* ------------------------------------------------------------------ what is read in order */
/* x, which grows or falls with the row y, at the place where the row is `there`. */
static bool read_from(Calculus *c, Value x, Value y, const InOrder *at, Value there, Value *out) {
  Monotone m;
  if (x.ref == y.ref) return *out = value_scale(rat_div(x.k, y.k), there), true;
  if (!monotone_of(c, x, at->at, at->n, &m) || !read_from(c, m.part, y, at, there, out)) return false;
  *out = monotone_at(c, &m, at->at, at->n, *out);
  return true;
}

bool order_read(Calculus *c, const Name *bound, uint32_t n, const Terms *fs, Value *out) {
  for (uint32_t i = 0; i < fs->n && c->options.orders; i++) {
    InOrder at;
    if (fs->at[i].k != RAT_1 || !in_order(c, fs->at[i].ref, bound, n, &at)) continue;
    Factor *in = SCRATCH(c, Factor, fs->n), *f = SCRATCH(c, Factor, fs->n);
    uint32_t n_in = 0, n_f = 0, n_rest = 0;
    for (uint32_t j = 0; j < fs->n; j++) {
      bool has = false;
      for (uint32_t k = 0; k < at.n; k++) has |= ref_has(c, fs->at[j].ref, at.at[k]);
      if (j != i) *(has ? &in[n_in++] : &f[n_f++]) = (Factor){one_of(fs->at[j].ref), fs->at[j].k};
    }
    Value x = mul(c, in, n_in);
    if (value_is_num(x) || value_is_num(at.x)) continue;
    Value there = calc_largest(c, at.x, at.rank, at.at, at.n);
    if (!read_from(c, x, at.x, &at, there, &there)) continue;
    Name *rest = SCRATCH(c, Name, n);
    for (uint32_t j = 0; j < n; j++) {
      bool gone = false;
      for (uint32_t k = 0; k < at.n; k++) gone |= at.at[k] == bound[j];
      if (!gone) rest[n_rest++] = bound[j];
    }
    f[n_f++] = (Factor){there, RAT_1};
    *out = calc_sum(c, rest, n_rest, mul(c, f, n_f));
    return true;
  }
  return false;
}
