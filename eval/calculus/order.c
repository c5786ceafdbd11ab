/* Places that a sort gives: an unknown function whose values are the places of a row, in some order.
 *
 * - where it gives all of them, each is there once: sum(a) [s(a) == e] = [0 <= e < n];
 * - s(a) == s(b) is a == b;
 * - the places of a row of places, in ascending order, are where each of them stands: s(t)(i) == a is t(a) == i;
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

bool order_equal(Calculus *c, Value e, Value *out) {
  Terms form = terms_of(c, e);
  return same_place(c, &form, out) || inverse(c, &form, out);
}

/* ------------------------------------------------------------------ values by rank */
/* What ref_of wrapped. */
static Value plain(Calculus *c, RefId r) {
  Terms t = terms_of(c, one_of(r));
  return lin(c, &t);
}

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
  Value y = plain(c, o.args[0].ref), inner = plain(c, o.args[1].ref);
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
  } else if (!all || !of_parts(c, x.ref, rank, over, n, rows, &out)) {
    Name *bound = SCRATCH(c, Name, n);
    uint32_t m = 0;
    const Ref *f = ref(c, x.ref);
    for (uint32_t i = 0; i < f->n && all; i++) /* in one order, whatever the caller's was */
      for (uint32_t j = 0; j < n; j++)
        if (over[j] == f->names[i]) bound[m++] = over[j];
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
  out->x = calc_rename(c, plain(c, o.args[0].ref), &s);
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
    if (x.ref != at.x.ref || x.k == RAT_0 || at.x.k == RAT_0 || value_is_num(x)) continue;
    Name *rest = SCRATCH(c, Name, n);
    for (uint32_t j = 0; j < n; j++) {
      bool gone = false;
      for (uint32_t k = 0; k < at.n; k++) gone |= at.at[k] == bound[j];
      if (!gone) rest[n_rest++] = bound[j];
    }
    f[n_f++] = (Factor){value_scale(rat_div(x.k, at.x.k), calc_largest(c, at.x, at.rank, at.at, at.n)), RAT_1};
    *out = calc_sum(c, rest, n_rest, mul(c, f, n_f));
    return true;
  }
  return false;
}
