/* Predicates are 0/1 values: comparisons of a form to zero, their complements 1 - p, and products of them.  Comparisons
 * of integer forms are split by mixed radix: [4h + l < 0] with 0 <= l < 4 is [h < 0]. */
#include "eval/calculus/core.h"

enum { MAX_CASE_TERMS = 6 };

static bool any_range(void *context, Calculus *c, Value v, Rat *lo, Rat *hi) {
  (void)context;
  return range_of(c, v, lo, hi);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

static int by_int(const void *x, const void *y) {
  int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
  return a < b ? -1 : a > b;
}

/* Distinct coefficients > 1 in magnitude, ascending; false if some coefficient is too large. */
static bool weights(Calculus *c, const Terms *t, int64_t **out, uint32_t *n) {
  *out = SCRATCH(c, int64_t, t->n);
  *n = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    int64_t k;
    if (!small_int(t->at[i].k, &k)) return false;
    if (t->at[i].ref == c->one) continue;
    if (k < 0) k = -k;
    bool seen = k <= 1;
    for (uint32_t j = 0; j < *n; j++) seen |= (*out)[j] == k;
    if (!seen) (*out)[(*n)++] = k;
  }
  qsort(*out, *n, sizeof **out, by_int);
  return true;
}

/* e = g * q + rem */
static void divide(Calculus *c, const Terms *t, int64_t g, Terms *q, Terms *rem) {
  for (uint32_t i = 0; i < t->n; i++) {
    int64_t k;
    rat_to_int(t->at[i].k, &k);
    if (t->at[i].ref == c->one) {
      int64_t d = floor_div(k, g);
      terms_add(c, q, c->one, rat_int(d));
      terms_add(c, rem, c->one, rat_int(k - d * g));
    } else if (k % g == 0) {
      terms_add(c, q, t->at[i].ref, rat_int(k / g));
    } else {
      terms_add(c, rem, t->at[i].ref, rat_int(k));
    }
  }
  terms_pack(q);
  terms_pack(rem);
}

/* Not indices alone. */
static bool has_data(Calculus *c, const Terms *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (t->at[i].ref != c->one && cls_of(c, t->at[i].ref)->kind != K_IDX) return true;
  return false;
}

bool split_digits(Calculus *c, CmpOp op, Value e, RangeOf *range, void *context, Value *out) {
  Terms t = terms_of(c, e);
  int64_t *ws, lo, hi;
  uint32_t n;
  if (!weights(c, &t, &ws, &n)) return false;
  for (uint32_t i = 0; i < n; i++) {
    int64_t g = ws[i];
    Terms q = {0}, rem = {0};
    divide(c, &t, g, &q, &rem);
    Terms qs = q, rs = rem;
    Value r = lin(c, &rs);
    Rat a, b;
    if (!range(context, c, r, &a, &b) || !small_int(a, &lo) || !small_int(b, &hi)) continue;
    int64_t m = floor_div(lo, g);
    if (op == CMP_LT && m == floor_div(hi, g)) { /* g q + r < 0 with m g <= r < (m + 1) g */
      Value v = calc_add2(c, lin(c, &qs), value_num(rat_int(m)));
      if (value_same(v, e)) continue;
      *out = calc_cmp(c, CMP_LT, v, VALUE_ZERO);
      return true;
    }
    bool one = c->options.flat ? lo >= 0 && hi < g : hi - lo < g; /* at most one multiple of g is among the r */
    /* flat indices that are alone may become one; those of a packed buffer's positions are told apart */
    one |= floor_div(hi, g) <= -floor_div(-lo, g) && (!c->options.flat || has_data(c, &rem) || n > 1);
    if (op == CMP_EQ && one && (r.k != RAT_0 || n == 1)) {
      if (m * g < lo) m++;
      if (m * g > hi) return *out = VALUE_ZERO, true;
      Value v = calc_add2(c, lin(c, &qs), value_num(rat_int(m)));
      if (value_same(v, e)) continue;
      Value rest = calc_sub(c, r, value_num(rat_int(m * g)));
      v = calc_cmp(c, CMP_EQ, v, VALUE_ZERO), rest = calc_cmp(c, CMP_EQ, rest, VALUE_ZERO);
      *out = calc_mul2(c, v, rest);
      return true;
    }
  }
  return false;
}

/* Of e and -e the one whose term of least class has the larger positive coefficient: unrolled copies, which differ in
 * the constant, must be oriented alike.  0: neither. */
static Rat orientation(Calculus *c, RefId r) {
  Terms t = terms_of(c, one_of(r));
  ClassId lead = UINT32_MAX;
  for (uint32_t i = 0; i < t.n; i++)
    if (t.at[i].ref != c->one && ref(c, t.at[i].ref)->cls < lead) lead = ref(c, t.at[i].ref)->cls;
  Rat least = 0, most = 0;
  bool first = true;
  for (uint32_t i = 0; i < t.n; i++) {
    if (ref(c, t.at[i].ref)->cls != lead) continue;
    if (first || rat_cmp(t.at[i].k, least) < 0) least = t.at[i].k;
    if (first || rat_cmp(t.at[i].k, most) > 0) most = t.at[i].k;
    first = false;
  }
  if (rat_sign(most) < 0 || rat_cmp(rat_abs(least), rat_abs(most)) > 0) return RAT_NEG1;
  return rat_neg(least) == most ? RAT_0 : RAT_1;
}

/* [i == j] is [j == i]: the equation v of r == 0, where q = -r is r under other names, is the same under these. */
static RefId either_way(Calculus *c, RefId v, RefId r, RefId q) {
  const Ref *x = ref(c, r), *y = ref(c, q);
  const Class *eq = cls_of(c, v), *form = cls_of(c, r);
  if (x->cls != y->cls || eq->n_slots != x->n || eq->n_sym || form->n_sym) return sym_least(c, v);
  uint16_t *perm = SCRATCH(c, uint16_t, x->n);
  bool found = true, same = true;
  for (uint32_t p = 0; p < x->n && found; p++) {
    uint32_t k = 0;
    while (k < x->n && x->names[k] != y->names[p]) k++;
    found = k < x->n;
    perm[p] = (uint16_t)k;
    same &= k == p;
  }
  if (found && !same) class_set_sym(c, ref(c, v)->cls, perm, 1);
  return sym_least(c, v);
}

bool gap_form(Calculus *c, const Terms *t, bool with_indices, Term *x, Rat *k) {
  bool found = false;
  *k = RAT_0;
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->at[i].ref == c->one) {
      *k = t->at[i].k;
    } else if (with_indices && cls_of(c, t->at[i].ref)->kind == K_IDX) {
      continue;
    } else {
      if (found || !(flags_of(c, t->at[i].ref) & F_GAP)) return false;
      *x = t->at[i];
      found = true;
    }
  }
  return found;
}

/* Numbers in the gap of a leaf's values compare alike: x < p is x == lo if lo is its only value below the gap. */
static bool across_gap(Calculus *c, CmpOp op, Value e, Value *out) {
  Terms t = terms_of(c, e);
  Term x;
  Rat k;
  if (!gap_form(c, &t, false, &x, &k)) return false;
  const Class *l = cls_of(c, x.ref);
  Rat p = rat_neg(rat_div(k, x.k)), lo = l->gap_lo, hi = l->gap_hi;
  bool least = lo == l->lo, greatest = hi == l->hi;
  int above = rat_cmp(p, lo), below = rat_cmp(p, hi);
  Value v = one_of(x.ref);
  if (op == CMP_EQ) return *out = VALUE_ZERO, above > 0 && below < 0;
  bool less = rat_sign(x.k) > 0; /* x < p; otherwise x > p */
  if (less ? above <= 0 || below > 0 : above < 0 || below >= 0) return false;
  if (!least && !greatest && less && !below) return false;
  Value low = least      ? calc_cmp(c, CMP_EQ, v, value_num(lo))
              : greatest ? calc_not(c, calc_cmp(c, CMP_EQ, v, value_num(hi)))
                         : calc_cmp(c, CMP_LT, v, value_num(hi));
  *out = less ? low : calc_not(c, low);
  return true;
}

/* i < j + 1 is not j < i: of the two the one without a constant.  Where an axis or other cases are written out, i < j + 3
 * is not j + 2 < i as well: windows are bounded from either side then. */
static bool next_below(Calculus *c, Value e, Value *out) {
  Terms t = terms_of(c, e);
  const Term *one = terms_find(&t, c->one);
  if (!one || rat_sign(one->k) >= 0 || !rat_is_int(one->k) || t.n < 3) return false;
  if (one->k != RAT_NEG1 && !c->n_split && !c->options.cases) return false;
  for (uint32_t i = 0; i < t.n; i++)
    if (t.at[i].ref != c->one && (cls_of(c, t.at[i].ref)->kind != K_IDX || !rat_is_int(t.at[i].k))) return false;
  *out = calc_not(c, calc_cmp(c, CMP_LT, calc_sub(c, VALUE_ZERO, calc_add2(c, e, VALUE_ONE)), VALUE_ZERO));
  return true;
}

/* No whole number is between k and the next: x < 5/2 is x < 3, and x == 5/2 nowhere. */
static bool between_whole(Calculus *c, CmpOp op, Value e, Value *out) {
  Terms t = terms_of(c, value_scale(rat_int(rat_sign(e.k)), one_of(e.ref))), whole = {0};
  Rat k = RAT_0, d = RAT_1;
  for (uint32_t i = 0; i < t.n; i++) {
    if (t.at[i].ref == c->one) k = t.at[i].k;
    else if (!(flags_of(c, t.at[i].ref) & F_INTEGER)) return false;
    else if ((d = common_parts(d, t.at[i].k)) == RAT_0) return false;
  }
  k = rat_mul(k, d);
  if (d == RAT_1 && rat_is_int(k)) return false;
  if (op == CMP_EQ && !rat_is_int(k)) return *out = VALUE_ZERO, true;
  for (uint32_t i = 0; i < t.n; i++)
    if (t.at[i].ref != c->one) terms_add(c, &whole, t.at[i].ref, rat_mul(d, t.at[i].k));
  *out = calc_cmp(c, op, calc_add2(c, lin(c, &whole), value_num(rat_floor(k))), VALUE_ZERO);
  return true;
}

/* x < k is not 1 - k < 1 - x, of whole numbers that are not indices alone, nor have a gap: one form, without a number. */
static bool other_side(Calculus *c, Value e, Value *out) {
  Terms t = terms_of(c, e);
  const Term *one = terms_find(&t, c->one);
  Term x;
  Rat k;
  bool whole = integer_value(c, e) && !(flags_of(c, e.ref) & F_INFINITE);
  if (!whole || !one || !has_data(c, &t) || gap_form(c, &t, false, &x, &k)) return false;
  int side = one->k == RAT_NEG1 ? -1 : rat_sign(e.k) * rat_sign(orientation(c, e.ref));
  if (!side) side = rat_sign(one->k);
  if (side > 0) return false;
  *out = calc_not(c, calc_cmp(c, CMP_LT, calc_sub(c, value_num(RAT_NEG1), e), VALUE_ZERO));
  return true;
}

/* A predicate p over indices alone is a factor in e: e where it is 1, and where it is 0. */
static bool cases_of(Calculus *c, Value e, Value *p, Value *yes, Value *no) {
  Terms t = terms_of(c, e);
  RefId at = NO_REF;
  for (uint32_t i = 0; i < t.n; i++) {
    if (flags_of(c, t.at[i].ref) & F_INFINITE) return false;
    Terms fs = factors_of(c, t.at[i].ref);
    for (uint32_t k = 0; k < fs.n && at == NO_REF; k++)
      if (cls_of(c, fs.at[k].ref)->kind == K_CMP && index_predicate(c, fs.at[k].ref)) at = fs.at[k].ref;
  }
  if (at == NO_REF) return false;
  *p = one_of(at);
  Value other = calc_not(c, *p), *all[2] = {SCRATCH(c, Value, t.n), SCRATCH(c, Value, t.n)};
  uint32_t n[2] = {0, 0};
  for (uint32_t i = 0; i < t.n; i++) {
    bool in[2] = {true, true};
    Terms fs = factors_of(c, t.at[i].ref);
    Value rest = one_of(t.at[i].ref);
    for (uint32_t k = 0; k < fs.n; k++) {
      bool is = fs.at[k].ref == at, not = fs.at[k].ref == other.ref && other.k == RAT_1;
      if (!is && !not) continue;
      if (fs.at[k].k != RAT_1) return false;
      in[is] = false;
      rest = mul_terms(c, &fs, fs.at[k].ref);
    }
    for (int k = 0; k < 2; k++)
      if (in[k]) all[k][n[k]++] = value_scale(t.at[i].k, rest);
  }
  *yes = calc_add(c, all[0], n[0]);
  *no = calc_add(c, all[1], n[1]);
  return true;
}

/* e is k + w x, x having the weight w. */
static bool one_term(Calculus *c, Value e, Rat *k, Term *x) {
  Terms t = terms_of(c, e);
  const Term *one = terms_find(&t, c->one);
  if (t.n != 1 + (one != NULL)) return false;
  *k = one ? one->k : RAT_0;
  *x = t.at[t.at[0].ref == c->one];
  return true;
}

/* k + w p for a truth value p, or the negative of one: compared in both cases. */
static bool of_truth(Calculus *c, CmpOp op, Value e, Value *out) {
  Rat k, lo, hi;
  Term p;
  if (!one_term(c, e, &k, &p)) return false;
  bool ranged = integer_value(c, one_of(p.ref)) && range_of(c, one_of(p.ref), &lo, &hi);
  bool negative = ranged && lo == RAT_NEG1 && hi == RAT_0;
  if (!negative && !(flags_of(c, p.ref) & F_PRED)) return false;
  Rat of_1 = negative ? rat_sub(k, p.k) : rat_add(k, p.k);
  Value no = calc_cmp(c, op, value_num(k), VALUE_ZERO), yes = calc_cmp(c, op, value_num(of_1), VALUE_ZERO);
  *out = calc_select(c, val(negative ? RAT_NEG1 : RAT_1, p.ref), yes, no);
  return true;
}

/* A largest truth value, or a comparison with a maximum, as that is written (monotone.c). */
static bool is_any(Calculus *c, RefId r) {
  Terms t;
  bool any = cls_of(c, r)->kind == K_MAX;
  bool compares = cls_of(c, r)->kind == K_CMP && atom_of(c, r, &t) != REL_NONE;
  for (uint32_t i = 0; compares && i < t.n && !any; i++) any = cls_of(c, t.at[i].ref)->kind == K_MAX;
  return any;
}

/* k + w S, S how many of the truth values p are 1: more than none is their largest, fewer than all not their least.  Only
 * where p is one of its own (a rank's: any, all), since what count.c knows is said of counts.  p may have the other sign. */
static bool of_count(Calculus *c, CmpOp op, Value e, Value *out) {
  Rat k, lo, hi, n = RAT_1;
  Term s;
  if (!one_term(c, e, &k, &s) || cls_of(c, s.ref)->kind != K_RED || !(flags_of(c, s.ref) & F_INTEGER)) return false;
  Opened o = node_open(c, s.ref);
  Value p = mul_terms(c, &(Terms){o.args, o.n, o.n}, NO_REF);
  Rat w = s.k;
  if (!is_any(c, p.ref) || !integer_value(c, p) || !range_of(c, p, &lo, &hi)) return false;
  if (lo == RAT_NEG1 && hi == RAT_0) p = value_scale(RAT_NEG1, p), w = rat_neg(w);
  else if (lo != RAT_0 || hi != RAT_1) return false;
  for (uint32_t i = 0; i < o.n_bound; i++) n = rat_mul(n, rat_int(name_size(c, o.bound[i])));
  Rat at = rat_neg(rat_div(k, w)); /* S compared with it */
  bool below = op == CMP_LT && rat_sign(w) > 0;
  if (op == CMP_EQ && !rat_is_int(at)) return *out = VALUE_ZERO, true;
  Rat least = op == CMP_EQ || below ? rat_ceil(at) : rat_add(rat_floor(at), RAT_1); /* S < least, S == least, S >= least */
  bool any = least == (op == CMP_EQ ? RAT_0 : RAT_1);
  if (n == RAT_0 || (!any && least != n)) return false;
  Value minus = value_scale(RAT_NEG1, p);
  Value v = any ? calc_max(c, &p, 1, o.bound, o.n_bound)
                : value_scale(RAT_NEG1, calc_max(c, &minus, 1, o.bound, o.n_bound));
  *out = (op == CMP_EQ ? any : below) ? calc_not(c, v) : v;
  return true;
}

/* A choice is a term of e: e where it takes one branch, and where it takes the other. */
static bool choice_in(Calculus *c, Value e, Value *p, Value *yes, Value *no) {
  Terms t = terms_of(c, e), rest = {0};
  Opened o = {0};
  Rat k = RAT_0;
  if (flags_of(c, e.ref) & F_INFINITE) return false;
  for (uint32_t i = 0; i < t.n; i++) {
    bool choice = cls_of(c, t.at[i].ref)->kind == K_SEL;
    if (choice && k != RAT_0) return false;
    if (choice) o = node_open(c, t.at[i].ref), k = t.at[i].k;
    else terms_add(c, &rest, t.at[i].ref, t.at[i].k);
  }
  if (k == RAT_0) return false;
  Value other = lin(c, &rest);
  *p = unwrapped(c, o.args[0].ref);
  *yes = calc_add2(c, value_scale(k, unwrapped(c, o.args[1].ref)), other);
  *no = calc_add2(c, value_scale(k, unwrapped(c, o.args[2].ref)), other);
  return true;
}

/* A choice, by position or another: compared in both cases, if that decides one of them. */
static bool by_cases(Calculus *c, CmpOp op, Value e, Value *out) {
  Value p, yes, no;
  const Class *x = cls_of(c, e.ref);
  bool few = x->kind == K_LIN && x->n_args <= MAX_CASE_TERMS;
  if (!few && x->kind != K_SEL) return false;
  if (!(few && cases_of(c, e, &p, &yes, &no)) && !choice_in(c, e, &p, &yes, &no)) return false;
  Value v = calc_cmp(c, op, yes, VALUE_ZERO), w = calc_cmp(c, op, no, VALUE_ZERO);
  if (!value_is_num(v) && !value_is_num(w)) return false;
  *out = calc_select(c, p, v, w);
  return true;
}

/* Factors that are positive do not matter to the sign of a product, nor to whether it is 0. */
static bool sign_alone(Calculus *c, CmpOp op, Value e, Value *out) {
  if (cls_of(c, e.ref)->kind != K_MUL || (flags_of(c, e.ref) & F_INFINITE)) return false;
  Terms fs = factors_of(c, e.ref), rest = {0};
  bool divides = false;
  for (uint32_t i = 0; i < fs.n; i++)
    if (!positive_factor(c, &fs.at[i])) terms_add(c, &rest, fs.at[i].ref, fs.at[i].k);
    else if (rat_sign(fs.at[i].k) < 0 && !(flags_of(c, fs.at[i].ref) & F_POS)) divides = true;
  if (rest.n == fs.n) return false;
  if (divides) calculus_assume(c, ASSUME_NONZERO);
  *out = calc_cmp(c, op, value_scale(rat_sign(e.k) < 0 ? RAT_NEG1 : RAT_1, mul_terms(c, &rest, NO_REF)), VALUE_ZERO);
  return true;
}

/* i + j - n: an index and another, which runs against it. */
static bool adds_up(Calculus *c, Value e) {
  Terms t = terms_of(c, e);
  for (uint32_t i = 0; i + 1 < t.n; i++)
    for (uint32_t j = i + 1; j < t.n; j++)
      if (t.at[i].k == t.at[j].k && cls_of(c, t.at[i].ref)->kind == K_IDX && cls_of(c, t.at[j].ref)->kind == K_IDX)
        return true;
  return false;
}

static bool is_root(Calculus *c, RefId r) {
  const Class *x = cls_of(c, r);
  return x->kind == K_MUL && x->n_args == 1 && !rat_is_int(x->args[0].tag) && !(x->flags & F_INFINITE);
}

static Value compare(Calculus *c, CmpOp op, Value e) {
  Rat lo, hi;
  uint16_t f = value_is_num(e) ? 0 : flags_of(c, e.ref);
  if (!rat_is_int(e.k) && !value_is_num(e)) e.k = rat_int(rat_sign(e.k)); /* a scale */
  if (e.ref == c->neginf) return op == CMP_LT && rat_sign(e.k) > 0 ? VALUE_ONE : VALUE_ZERO;
  if (op == CMP_LT && (f & F_NONNEG) && rat_sign(e.k) > 0) return VALUE_ZERO;
  if (op == CMP_LT && (f & F_POS) && rat_sign(e.k) < 0) return VALUE_ONE;
  if (op == CMP_LT && (f & F_NONNEG) && rat_sign(e.k) < 0 && is_root(c, e.ref))
    return calc_not(c, calc_cmp(c, CMP_EQ, one_of(e.ref), VALUE_ZERO)); /* above zero is not zero */
  if (op == CMP_EQ && (f & F_POS)) return VALUE_ZERO;
  if (range_of(c, e, &lo, &hi)) {
    int a = rat_sign(lo), b = rat_sign(hi);
    if (op == CMP_LT ? b < 0 : a == 0 && b == 0) return VALUE_ONE;
    if (op == CMP_LT ? a >= 0 : a > 0 || b < 0) return VALUE_ZERO;
  }
  Value v;
  if (across_gap(c, op, e, &v) || of_truth(c, op, e, &v) || of_count(c, op, e, &v)) return v;
  if (by_cases(c, op, e, &v) || sign_alone(c, op, e, &v) || between_whole(c, op, e, &v)) return v;
  if (op == CMP_EQ && order_equal(c, e, &v)) return v;
  if (integer_value(c, e) && (split_digits(c, op, e, any_range, NULL, &v) || quotient_compare(c, op, e, &v))) return v;
  if (distance_compare(c, op, e, &v) || (op == CMP_EQ && (pick_equal(c, e, &v) || edge_guard(c, e, &v)))) return v;
  if (op == CMP_LT && (edge_point(c, e, &v) || edge_value(c, e, &v))) return v;
  if (op == CMP_LT && (next_below(c, e, &v) || pick_less(c, e, &v))) return v;
  if (op == CMP_LT && (order_less(c, e, &v) || other_side(c, e, &v))) return v;
  Rat s = op == CMP_EQ ? orientation(c, e.ref) : rat_sign(e.k) > 0 ? RAT_1 : RAT_NEG1;
  bool either = s == RAT_0;
  RefId r = ref_of(c, val(either ? RAT_1 : s, e.ref)), q = either ? ref_of(c, val(RAT_NEG1, e.ref)) : r;
  c->backward |= op == CMP_EQ && adds_up(c, e);
  c->guarded |= op == CMP_EQ && cls_of(c, e.ref)->kind == K_MUL;
  RefId out = ordered(c, K_CMP, op, &r, 1, NULL, 0, NULL, 0, (Props){F_PRED, RAT_0, RAT_1});
  return one_of(either ? either_way(c, out, r, q) : out);
}

static Value compare_row(void *op, Calculus *c, const Value *v, uint32_t n) {
  (void)n;
  return compare(c, *(CmpOp *)op, *v);
}

Value calc_cmp(Calculus *c, CmpOp op, Value a, Value b) {
  switch (op) {
    case CMP_NE: return calc_not(c, calc_cmp(c, CMP_EQ, a, b));
    case CMP_GE: return calc_not(c, calc_cmp(c, CMP_LT, a, b));
    case CMP_GT: return calc_cmp(c, CMP_LT, b, a);
    case CMP_LE: return calc_not(c, calc_cmp(c, CMP_LT, b, a));
    default: break;
  }
  step(c);
  Frame m = frame_enter(c);
  Value v, e = calc_sub(c, a, b);
  if (!look_up_within(c, &e, 1, compare_row, &op, &v)) v = compare(c, op, e);
  frame_leave(c, m);
  return v;
}

Value calc_not(Calculus *c, Value p) { return calc_sub(c, VALUE_ONE, p); }

Value calc_inside(Calculus *c, Value e, int64_t lo, int64_t hi) {
  Value from = calc_cmp(c, CMP_GE, e, value_num(rat_int(lo))), to = calc_cmp(c, CMP_LT, e, value_num(rat_int(hi)));
  return calc_mul2(c, from, to);
}

Value within(Calculus *c, Value f, int64_t n) { return calc_inside(c, f, 0, n); }

/* Whole numbers times indices: the largest, and the sign of that of the first index. */
static bool index_weights(Calculus *c, const Terms *form, int64_t *largest, bool *negative) {
  Name first = 0;
  *largest = 0;
  for (uint32_t i = 0; i < form->n; i++) {
    int64_t k;
    if (!small_int(form->at[i].k, &k)) return false;
    if (form->at[i].ref == c->one) continue;
    if (cls_of(c, form->at[i].ref)->kind != K_IDX) return false;
    Name name = ref(c, form->at[i].ref)->names[0];
    if (!*largest || name < first) first = name, *negative = k < 0;
    if (llabs(k) > *largest) *largest = llabs(k);
  }
  return *largest > 0;
}

bool compare_parts(Calculus *c, RefId r, Value *parts, uint32_t *n) {
  Terms form, a = {0}, b = {0};
  int64_t w, k;
  bool negative;
  Rel rel = atom_of(c, r, &form);
  if ((rel != REL_LT && rel != REL_GE) || !index_weights(c, &form, &w, &negative)) return false;
  *n = 0;
  if (rel == REL_GE) {
    parts[(*n)++] = VALUE_ONE;
    parts[(*n)++] = value_neg(calc_not(c, one_of(r)));
    return true;
  }
  for (uint32_t i = 0; i < form.n; i++) {
    rat_to_int(form.at[i].k, &k);
    terms_add(c, &a, form.at[i].ref, rat_int(k / w));
    terms_add(c, &b, form.at[i].ref, rat_int(k % w));
  }
  terms_pack(&a);
  terms_pack(&b);
  Value high = lin(c, &a), low = lin(c, &b), whole = lin(c, &form);
  Rat lo, hi;
  const Term *one = terms_find(&form, c->one);
  bool digits = !value_is_num(high) && !value_is_num(low) && range_of(c, low, &lo, &hi);
  if (digits && rat_cmp(lo, rat_int(-w)) >= 0 && rat_cmp(hi, rat_int(w)) < 0) {
    parts[(*n)++] = calc_cmp(c, CMP_LT, high, VALUE_ZERO);
    high = calc_cmp(c, CMP_EQ, high, VALUE_ZERO), low = calc_cmp(c, CMP_LT, low, VALUE_ZERO);
    parts[(*n)++] = calc_mul2(c, high, low);
  } else if (negative) {
    parts[(*n)++] = VALUE_ONE;
    parts[(*n)++] = value_neg(calc_cmp(c, CMP_GT, whole, VALUE_ZERO));
    parts[(*n)++] = value_neg(calc_cmp(c, CMP_EQ, whole, VALUE_ZERO));
  } else if (one && rat_sign(one->k) > 0) {
    parts[(*n)++] = calc_cmp(c, CMP_LT, whole, VALUE_ONE);
    parts[(*n)++] = value_neg(calc_cmp(c, CMP_EQ, whole, VALUE_ZERO));
  }
  return *n > 0;
}

/* The terms are k + w * index, of one index. */
static bool form_of_index(Calculus *c, const Terms *t, Rat *k, Rat *w, Name *n) {
  *k = *w = RAT_0;
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->at[i].ref == c->one) *k = t->at[i].k;
    else if (cls_of(c, t->at[i].ref)->kind == K_IDX && *w == RAT_0)
      *w = t->at[i].k, *n = ref(c, t->at[i].ref)->names[0];
    else return false;
  }
  return *w != RAT_0;
}

bool point_of(Calculus *c, RefId r, Name *n, uint32_t *value) {
  const Class *x = cls_of(c, r);
  if (x->kind != K_CMP || x->attr != CMP_EQ || x->n_slots != 1) return false;
  Terms t;
  atom_of(c, r, &t);
  Rat k, w;
  if (!form_of_index(c, &t, &k, &w, n)) return false;
  int64_t v;
  if (!rat_to_int(rat_neg(rat_div(k, w)), &v) || v < 0 || v >= INT32_MAX) return false;
  *value = (uint32_t)v;
  return true;
}

bool unary_of(Calculus *c, RefId r, Name *n, int64_t *lo, int64_t *hi) {
  if (cls_of(c, r)->n_slots != 1) return false;
  Terms t;
  Rel rel = atom_of(c, r, &t);
  if (rel == REL_NONE) return false;
  Rat k, w;
  if (!form_of_index(c, &t, &k, &w, n)) return false;
  int64_t size = name_size(c, *n), v;
  Rat e = rat_neg(rat_div(k, w)); /* w (index - e) < 0, >= 0, == 0, or != 0 */
  if (rel == REL_EQ || rel == REL_NE) {
    if (!rat_to_int(e, &v) || v < 0 || v >= size) return false;
    *lo = rel == REL_EQ ? v : v == 0;
    *hi = rel == REL_EQ ? v + 1 : v == size - 1 ? v : size;
    return rel == REL_EQ || v == 0 || v == size - 1;
  }
  bool below = (rel == REL_LT) == (rat_sign(w) > 0);
  bool strict = rel == REL_LT;
  /* below: index < e, or index <= e; above: index >= e, or index > e */
  Rat edge = below ? (strict ? rat_ceil(e) : rat_add(rat_floor(e), RAT_1))
                   : (strict ? rat_add(rat_floor(e), RAT_1) : rat_ceil(e));
  if (!rat_to_int(edge, &v)) return false;
  *lo = below ? 0 : v < 0 ? 0 : v;
  *hi = below ? v > size ? size : v : size;
  return true;
}

bool index_predicate(Calculus *c, RefId r) {
  Terms t;
  if (atom_of(c, r, &t) == REL_NONE) return false;
  for (uint32_t i = 0; i < t.n; i++)
    if (t.at[i].ref != c->one && cls_of(c, t.at[i].ref)->kind != K_IDX) return false;
  return true;
}

/* p selects by indices alone, so that p*a + (1-p)*b is the better form. */
static bool by_index(Calculus *c, RefId p) {
  Terms fs = factors_of(c, p);
  bool points = true, indices = c->options.flat;
  for (uint32_t i = 0; i < fs.n; i++) {
    Name n;
    uint32_t v;
    points = points && point_of(c, fs.at[i].ref, &n, &v);
    indices = indices && index_predicate(c, fs.at[i].ref);
  }
  return points || indices;
}

/* Equations of one value with different numbers: p q = 0. */
static bool exclude(Calculus *c, RefId p, RefId q) {
  Name n, m;
  uint32_t v, w;
  if (point_of(c, p, &n, &v)) return point_of(c, q, &m, &w) && m == n && w != v;
  const Class *x = cls_of(c, p), *y = cls_of(c, q);
  bool equations = x->kind == K_CMP && x->attr == CMP_EQ && y->kind == K_CMP && y->attr == CMP_EQ;
  return equations && calc_mul2(c, one_of(p), one_of(q)).k == RAT_0;
}

/* Every term of b is for another case than p: (1 - p) b = b.  So layers are put next to each other. */
static bool apart(Calculus *c, Value p, Value b) {
  if (b.k == RAT_0) return false;
  Terms t = terms_of(c, b);
  bool all = true;
  for (uint32_t i = 0; i < t.n && all; i++) {
    if (cls_of(c, t.at[i].ref)->kind != K_MUL) return false;
    Terms fs = factors_of(c, t.at[i].ref);
    all = false;
    for (uint32_t j = 0; j < fs.n && !all; j++) all = exclude(c, p.ref, fs.at[j].ref);
  }
  return all;
}

static bool is_pred(const Calculus *c, Value v) { return v.k == RAT_1 && (flags_of(c, v.ref) & F_PRED); }

/* p ? (q ? x : b) : b = p q ? x : b; the same where b stands first in the inner choice. */
static bool merge_choices(Calculus *c, Value p, Value a, Value b, Value *out) {
  if (a.k == RAT_0 || cls_of(c, a.ref)->kind != K_SEL || !is_pred(c, p)) return false;
  Opened o = node_open(c, a.ref);
  Value q = unwrapped(c, o.args[0].ref), x = value_scale(a.k, unwrapped(c, o.args[1].ref)),
        y = value_scale(a.k, unwrapped(c, o.args[2].ref));
  if (!is_pred(c, q)) return false;
  if (value_same(y, b)) return *out = calc_select(c, calc_mul2(c, p, q), x, b), true;
  if (value_same(x, b)) return *out = calc_select(c, calc_mul2(c, p, calc_not(c, q)), y, b), true;
  return false;
}

/* A choice between values: its scale is that of the first.  What masks is a whole number, and stays as it is. */
static bool scaled(Calculus *c, Value a, Value b) {
  if (a.k == RAT_1 || ((flags_of(c, a.ref) | flags_of(c, b.ref)) & F_INFINITE)) return false;
  bool whole = integer_value(c, a), too = integer_value(c, b);
  return !(whole && (too || value_is_num(a))) && !(too && value_is_num(b));
}

static Value select_value(Calculus *c, Value p, Value a, Value b) {
  if (value_is_num(p)) return p.k != RAT_0 ? a : b;
  if (value_same(a, b)) return a;
  Terms t = terms_of(c, p);
  const Term *one = terms_find(&t, c->one);
  if (t.n == 2 && one && one->k == RAT_1) {
    const Term *q = &t.at[t.at[0].ref == c->one];
    if (q->k == RAT_NEG1 && (flags_of(c, q->ref) & F_PRED)) return calc_select(c, one_of(q->ref), b, a);
  }
  bool finite = a.ref != c->neginf && b.ref != c->neginf;
  /* p * (1 / p) would be 1 where p is not seen to be a truth value */
  finite = finite && (is_pred(c, p) || !((flags_of(c, a.ref) | flags_of(c, b.ref)) & F_DIVIDES));
  /* a number as one branch is a mask: exp and max look at the selection, not at a sum */
  bool mask = !c->options.flat && ((value_is_num(a) && a.k != RAT_0) || (value_is_num(b) && b.k != RAT_0));
  if (finite) {
    bool others = p.k == RAT_1 && !mask && apart(c, p, b), cases = others || (p.k == RAT_1 && !mask && by_index(c, p.ref));
    if (cases || a.k == RAT_0 || b.k == RAT_0) assume_masked(c, flags_of(c, a.ref) | flags_of(c, b.ref), true);
    if (cases) {
      Value first = calc_mul2(c, p, a);
      return calc_add2(c, first, others ? b : calc_mul2(c, calc_not(c, p), b));
    }
    if (b.k == RAT_0) return calc_mul2(c, p, a);
    if (a.k == RAT_0) return calc_mul2(c, calc_not(c, p), b);
    if (is_pred(c, p) && value_same(a, VALUE_ONE) && is_pred(c, b)) {
      Value no = calc_not(c, p);
      return calc_not(c, calc_mul2(c, no, calc_not(c, b)));
    }
  }
  Value merged, where;
  bool below = b.ref == c->neginf && rat_sign(b.k) > 0;
  if (below && is_pred(c, p) && masked_pieces(c, a, &where, &a)) return calc_select(c, calc_mul2(c, p, where), a, b);
  if (below && is_pred(c, p)) a = where_holds(c, p, a);
  if (merge_choices(c, p, a, b, &merged) || merge_choices(c, calc_not(c, p), b, a, &merged)) return merged;
  if (scaled(c, a, b)) return value_scale(a.k, calc_select(c, p, one_of(a.ref), val(rat_div(b.k, a.k), b.ref)));
  Props props = {0};
  Rat lo, hi, lo2, hi2;
  if (range_of(c, a, &lo, &hi) && range_of(c, b, &lo2, &hi2))
    props = (Props){F_RANGE, rat_cmp(lo, lo2) < 0 ? lo : lo2, rat_cmp(hi, hi2) > 0 ? hi : hi2};
  if (integer_value(c, a) && integer_value(c, b)) props.flags |= F_INTEGER;
  if (is_pred(c, a) && is_pred(c, b)) props.flags |= F_PRED;
  uint16_t sign = sign_where(c, p, a);
  if (sign) props.flags |= sign & sign_where(c, calc_not(c, p), b);
  RefId refs[3] = {ref_of(c, p)};
  refs[1] = ref_of(c, a), refs[2] = ref_of(c, b);
  return one_of(ordered(c, K_SEL, 0, refs, 3, NULL, 0, NULL, 0, props));
}

Value calc_select(Calculus *c, Value p, Value a, Value b) {
  step(c);
  if (c->broken) return VALUE_ZERO;
  Frame m = frame_enter(c);
  Value v = select_value(c, p, a, b);
  frame_leave(c, m);
  return v;
}
