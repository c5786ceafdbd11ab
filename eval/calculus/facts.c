/* Simplification under context: in a product, the predicates among the factors are facts for all other factors, since
 * where one of them fails the product is zero.  Facts bound linear forms; comparisons, selections and clamps of the other
 * factors are decided by them, implied predicates disappear, [i == 3] f(i) becomes [i == 3] f(3), and a look-up at e is
 * what stands at i: [i == e] sum_j [j == e] f(j) = [i == e] f(i).
 * This one rule carries vocabulary parallelism.  It looks only a few nodes below a comparison (Class.reach). */
#include "eval/calculus/core.h"

enum { REACH_FACTOR = 5, REACH_NODE = 6, MAX_BOUNDS = 48, MAX_TRUTHS = 48, MAX_EQUATIONS = 8, MAX_MEMO = 1024 };

typedef struct Bound {
  Terms form; /* without constant; first term (least ref) positive */
  Rat lo, hi;
  bool has_lo, has_hi;
} Bound;

struct Facts {
  Calculus *c;
  bool impossible, inside; /* of a sum: equations about places alone count */
  uint32_t places;         /* the equations that say where something stands, as bits */
  uint32_t n_truths, n_bounds, n_equations, n_memo;
  struct Truth {
    RefId r;
    bool value;
  } truths[MAX_TRUTHS];
  Bound bounds[MAX_BOUNDS];
  Terms equations[MAX_EQUATIONS]; /* forms that are 0 */
  struct Seen {
    RefId r;
    bool inside;
    Value v;
  } memo[MAX_MEMO];
  uint16_t seen[2 * MAX_MEMO]; /* by ref: 1 + index in memo */
};

Rel atom_of(Calculus *c, RefId r, Terms *form) {
  const Class *x = cls_of(c, r);
  if (x->kind == K_CMP) {
    Rel rel = x->attr == CMP_LT ? REL_LT : REL_EQ;
    Opened o = node_open(c, r);
    *form = terms_of(c, one_of(o.args[0].ref));
    return rel;
  }
  if (x->kind == K_LIN && (x->flags & F_PRED) && x->n_args == 2) {
    Terms t = terms_of(c, one_of(r));
    const Term *one = terms_find(&t, c->one);
    if (!one || one->k != RAT_1) return REL_NONE;
    const Term *p = &t.at[t.at[0].ref == c->one];
    if (p->k != RAT_NEG1 || cls_of(c, p->ref)->kind != K_CMP) return REL_NONE;
    return atom_of(c, p->ref, form) == REL_LT ? REL_GE : REL_NE;
  }
  return REL_NONE;
}

/* The form without its constant, sorted by ref, oriented; *k its constant, *sign how it was turned. */
static Terms form_key(Calculus *c, const Terms *t, Rat *k, int *sign) {
  Terms out = {0};
  *k = RAT_0;
  *sign = 1;
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->at[i].ref == c->one)
      *k = t->at[i].k;
    else
      terms_add(c, &out, t->at[i].ref, t->at[i].k);
  }
  for (uint32_t i = 1; i < out.n; i++)
    for (uint32_t j = i; j && out.at[j].ref < out.at[j - 1].ref; j--) {
      Term x = out.at[j];
      out.at[j] = out.at[j - 1];
      out.at[j - 1] = x;
    }
  out.n_slots = 0;
  if (out.n && rat_sign(out.at[0].k) < 0) {
    *sign = -1;
    for (uint32_t i = 0; i < out.n; i++) out.at[i].k = rat_neg(out.at[i].k);
  }
  return out;
}

static Bound *find_bound(Facts *f, const Terms *key) {
  for (uint32_t i = 0; i < f->n_bounds; i++) {
    const Terms *t = &f->bounds[i].form;
    bool same = t->n == key->n;
    for (uint32_t j = 0; same && j < key->n; j++) same = t->at[j].ref == key->at[j].ref && t->at[j].k == key->at[j].k;
    if (same) return &f->bounds[i];
  }
  return NULL;
}

static void learn_bound(Facts *f, const Terms *t, bool has_lo, Rat lo, bool has_hi, Rat hi) {
  Rat k;
  int sign;
  Terms key = form_key(f->c, t, &k, &sign);
  if (!key.n) return;
  if (has_lo) lo = rat_sub(lo, k);
  if (has_hi) hi = rat_sub(hi, k);
  if (sign < 0) {
    Rat x = rat_neg(lo);
    bool has = has_lo;
    lo = has_hi ? rat_neg(hi) : RAT_0;
    has_lo = has_hi;
    hi = has ? x : RAT_0;
    has_hi = has;
  }
  Bound *b = find_bound(f, &key);
  if (!b) {
    if (f->n_bounds == MAX_BOUNDS) return;
    b = &f->bounds[f->n_bounds++];
    *b = (Bound){.form = key};
  }
  if (has_lo && (!b->has_lo || rat_cmp(lo, b->lo) > 0)) b->lo = lo, b->has_lo = true;
  if (has_hi && (!b->has_hi || rat_cmp(hi, b->hi) < 0)) b->hi = hi, b->has_hi = true;
  const Class *x = cls_of(f->c, key.at[0].ref);
  if (key.n == 1 && (x->flags & F_GAP)) { /* beyond one side of the gap is at the other */
    Rat l = rat_mul(key.at[0].k, x->gap_lo), h = rat_mul(key.at[0].k, x->gap_hi);
    if (b->has_lo && rat_cmp(b->lo, l) > 0 && rat_cmp(b->lo, h) < 0) b->lo = h;
    if (b->has_hi && rat_cmp(b->hi, h) < 0 && rat_cmp(b->hi, l) > 0) b->hi = l;
  }
  if (b->has_lo && b->has_hi && rat_cmp(b->lo, b->hi) > 0) f->impossible = true;
}

/* labels - 12 t - 6 h - l = 0 bounds labels - 12 t by the range of 6 h + l: the lowest digits are taken together. */
static void learn_digits(Facts *f, const Terms *t) {
  Calculus *c = f->c;
  uint32_t *at = SCRATCH(c, uint32_t, t->n), n = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->at[i].ref == c->one || cls_of(c, t->at[i].ref)->kind != K_IDX) continue;
    uint32_t j = n++;
    for (; j && rat_cmp(rat_abs(t->at[at[j - 1]].k), rat_abs(t->at[i].k)) > 0; j--) at[j] = at[j - 1];
    at[j] = i;
  }
  bool *low = SCRATCH(c, bool, t->n);
  Rat lo = RAT_0, hi = RAT_0;
  for (uint32_t m = 0; m < n; m++) {
    Rat a, b;
    const Term *x = &t->at[at[m]];
    if (!range_of(c, val(x->k, x->ref), &a, &b)) return;
    low[at[m]] = true;
    lo = rat_add(lo, a), hi = rat_add(hi, b);
    if (!m) continue; /* one term alone: learn_atom */
    Terms rest = {0};
    bool other = false;
    for (uint32_t j = 0; j < t->n; j++) {
      if (low[j]) continue;
      terms_add(c, &rest, t->at[j].ref, t->at[j].k);
      other |= t->at[j].ref != c->one;
    }
    if (other) learn_bound(f, &rest, true, rat_neg(hi), true, rat_neg(lo));
  }
}

/* Of a leaf with a gap in its values: what it is not (its least or greatest value), and where indices say it is. */
static void learn_gap(Facts *f, Rel rel, const Terms *t) {
  Calculus *c = f->c;
  Term x;
  Rat k, lo = RAT_0, hi = RAT_0, a, b;
  if (!gap_form(c, t, true, &x, &k)) return;
  Terms only = {0};
  terms_add(c, &only, x.ref, x.k);
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->at[i].ref == c->one || t->at[i].ref == x.ref) continue;
    if (!range_of(c, val(t->at[i].k, t->at[i].ref), &a, &b)) return;
    lo = rat_add(lo, a), hi = rat_add(hi, b);
  }
  if (rel == REL_GE) learn_bound(f, &only, true, rat_neg(rat_add(k, hi)), false, RAT_0);
  if (rel == REL_LT) learn_bound(f, &only, false, RAT_0, true, rat_neg(rat_add(k, lo)));
  if (rel != REL_NE || lo != hi) return;
  const Class *l = cls_of(c, x.ref);
  Rat other = rat_neg(rat_div(rat_add(k, lo), x.k));
  only.at[0].k = RAT_1;
  if (other == l->lo && l->lo == l->gap_lo) learn_bound(f, &only, true, l->gap_hi, false, RAT_0);
  if (other == l->hi && l->hi == l->gap_hi) learn_bound(f, &only, false, RAT_0, true, l->gap_lo);
}

static void learn_atom(Facts *f, Rel rel, const Terms *t) {
  Calculus *c = f->c;
  learn_gap(f, rel, t);
  if (rel == REL_LT) learn_bound(f, t, false, RAT_0, true, integer_terms(c, t) ? RAT_NEG1 : RAT_0);
  if (rel == REL_GE) learn_bound(f, t, true, RAT_0, false, RAT_0);
  if (rel != REL_EQ) return;
  if (f->n_equations < MAX_EQUATIONS) {
    for (uint32_t i = 0; i < t->n; i++)
      if (is_place(cls_of(c, t->at[i].ref))) f->places |= 1u << f->n_equations;
    f->equations[f->n_equations++] = *t;
  }
  learn_bound(f, t, true, RAT_0, true, RAT_0);
  for (uint32_t i = 0; i < t->n; i++) { /* e + w x = 0 bounds e by the range of x */
    if (t->at[i].ref == c->one) continue;
    Rat lo, hi;
    if (!range_of(c, val(t->at[i].k, t->at[i].ref), &lo, &hi)) continue;
    Terms rest = {0};
    bool other = false;
    for (uint32_t j = 0; j < t->n; j++) {
      if (j == i) continue;
      terms_add(c, &rest, t->at[j].ref, t->at[j].k);
      other |= t->at[j].ref != c->one;
    }
    if (other) learn_bound(f, &rest, true, rat_neg(hi), true, rat_neg(lo));
  }
  learn_digits(f, t);
}

static void learn(Facts *f, RefId r) {
  Calculus *c = f->c;
  if (f->n_truths + 2 > MAX_TRUTHS) return;
  f->truths[f->n_truths++] = (struct Truth){r, true};
  Value n = calc_not(c, one_of(r));
  if (n.k == RAT_1) f->truths[f->n_truths++] = (struct Truth){n.ref, false};
  Terms t;
  Rel rel = atom_of(c, r, &t);
  if (rel != REL_NONE) learn_atom(f, rel, &t);
}

static Terms truths_of(const Facts *f) {
  Terms out = {0};
  for (uint32_t i = 0; i < f->n_truths; i++)
    if (f->truths[i].value) terms_add(f->c, &out, f->truths[i].r, RAT_1);
  return out;
}

static void facts_range(Facts *f, Value v, bool *has_lo, Rat *lo, bool *has_hi, Rat *hi);

/* Narrows the range of a quotient or a remainder where what is divided is one number. */
static void divided_range(Facts *f, RefId r, Rat *lo, Rat *hi) {
  Calculus *c = f->c;
  const Class *x = cls_of(c, r);
  if (x->kind != K_FN || x->n_args != 2) return;
  if (!fn_divides(c, x->attr)) return;
  uint32_t fn = x->attr;
  Opened o = node_open(c, r);
  bool has_lo, has_hi;
  Rat a, b;
  facts_range(f, one_of(o.args[0].ref), &has_lo, &a, &has_hi, &b);
  if (!has_lo || !has_hi || a != b) return;
  Terms by = terms_of(c, one_of(o.args[1].ref));
  Value v = calc_fn(c, fn, (Value[]){value_num(a), lin(c, &by)}, 2);
  if (value_is_num(v)) *lo = *hi = v.k;
}

/* What is known of one term by itself. */
static void bounds_of_one(const Facts *f, RefId r, Rat *lo, Rat *hi) {
  for (uint32_t i = 0; i < f->n_bounds; i++) {
    const Bound *b = &f->bounds[i];
    if (b->form.n != 1 || b->form.at[0].ref != r) continue;
    Rat w = b->form.at[0].k; /* which is positive */
    Rat l = b->has_lo ? rat_div(b->lo, w) : *lo, h = b->has_hi ? rat_div(b->hi, w) : *hi;
    if (rat_cmp(l, *lo) > 0) *lo = l;
    if (rat_cmp(h, *hi) < 0) *hi = h;
  }
}

static void facts_range(Facts *f, Value v, bool *has_lo, Rat *lo, bool *has_hi, Rat *hi) {
  Calculus *c = f->c;
  *has_lo = *has_hi = range_of(c, v, lo, hi);
  Terms t = terms_of(c, v);
  Given given = {.facts = f};
  for (uint32_t i = 0; i < t.n && *has_lo; i++) {
    uint8_t kind = cls_of(c, t.at[i].ref)->kind;
    if (kind == K_ONE || !(flags_of(c, t.at[i].ref) & F_RANGE)) continue;
    if (kind == K_RED && !given.all.n) given.all = truths_of(f);
    Rat a = cls_of(c, t.at[i].ref)->lo, b = cls_of(c, t.at[i].ref)->hi, x = a, y = b;
    if (kind == K_RED) count_range(c, t.at[i].ref, &given, &x, &y);
    if (kind == K_FN) divided_range(f, t.at[i].ref, &x, &y);
    if (t.n > 1) bounds_of_one(f, t.at[i].ref, &x, &y);
    Rat up = rat_mul(t.at[i].k, rat_sub(x, a)), down = rat_mul(t.at[i].k, rat_sub(y, b));
    bool positive = rat_sign(t.at[i].k) > 0;
    *lo = rat_add(*lo, positive ? up : down);
    *hi = rat_add(*hi, positive ? down : up);
  }
  Rat k;
  int sign;
  Terms key = form_key(c, &t, &k, &sign);
  const Bound *b = find_bound(f, &key);
  if (!b) return;
  bool l = sign > 0 ? b->has_lo : b->has_hi, h = sign > 0 ? b->has_hi : b->has_lo;
  Rat bl = l ? rat_add(sign > 0 ? b->lo : rat_neg(b->hi), k) : RAT_0;
  Rat bh = h ? rat_add(sign > 0 ? b->hi : rat_neg(b->lo), k) : RAT_0;
  if (l && (!*has_lo || rat_cmp(bl, *lo) > 0)) *lo = bl, *has_lo = true;
  if (h && (!*has_hi || rat_cmp(bh, *hi) < 0)) *hi = bh, *has_hi = true;
}

/* Arguments of a maximum that another one dominates under the facts are dropped. */
static Value decide_max(Facts *f, Value v) {
  Calculus *c = f->c;
  Opened o = node_open(c, v.ref);
  struct Range {
    bool has_lo, has_hi, dropped;
    Rat lo, hi;
  } *r = arena_alloc(&c->scratch, o.n * sizeof *r);
  for (uint32_t i = 0; i < o.n; i++)
    facts_range(f, val(o.args[i].k, o.args[i].ref), &r[i].has_lo, &r[i].lo, &r[i].has_hi, &r[i].hi);
  Value *left = SCRATCH(c, Value, o.n);
  uint32_t n = 0;
  for (uint32_t j = 0; j < o.n; j++) {
    for (uint32_t i = 0; i < o.n && !r[j].dropped; i++)
      r[j].dropped = i != j && !r[i].dropped && r[i].has_lo && r[j].has_hi && rat_cmp(r[i].lo, r[j].hi) >= 0;
    if (!r[j].dropped) left[n++] = val(o.args[j].k, o.args[j].ref);
  }
  if (n == o.n || !n) return v;
  return value_scale(v.k, calc_max(c, left, n, NULL, 0));
}

static bool known_range(void *context, Calculus *c, Value v, Rat *lo, Rat *hi) {
  (void)c;
  bool has_lo, has_hi;
  facts_range(context, v, &has_lo, lo, &has_hi, hi);
  return has_lo && has_hi;
}

/* What the equations say data is, as indices: s where s + 2 i + j == 0 is known. */
static bool solve(Facts *f, RefId s, Value *out) {
  Calculus *c = f->c;
  for (uint32_t e = 0; e < f->n_equations; e++) {
    const Term *mine = terms_find(&f->equations[e], s);
    if (!mine || rat_abs(mine->k) != RAT_1) continue;
    Terms rest = {0};
    bool indices = true;
    for (uint32_t i = 0; i < f->equations[e].n && indices; i++) {
      const Term *t = &f->equations[e].at[i];
      if (t->ref == s) continue;
      indices = t->ref == c->one || cls_of(c, t->ref)->kind == K_IDX;
      terms_add(c, &rest, t->ref, rat_neg(rat_div(t->k, mine->k)));
    }
    if (indices) return *out = lin(c, &rest), true;
  }
  return false;
}

/* A comparison with places that are known: of indices instead. */
static bool solve_comparison(Facts *f, RefId r, Value *out) {
  Calculus *c = f->c;
  Terms form;
  Rel rel = f->n_equations ? atom_of(c, r, &form) : REL_NONE;
  if (rel == REL_NONE) return false;
  for (uint32_t i = 0; i < form.n; i++) {
    Value v;
    if (!is_place(cls_of(c, form.at[i].ref)) || !solve(f, form.at[i].ref, &v)) continue;
    Terms rest = {0};
    for (uint32_t j = 0; j < form.n; j++)
      if (j != i) terms_add(c, &rest, form.at[j].ref, form.at[j].k);
    CmpOp op = rel == REL_LT ? CMP_LT : rel == REL_GE ? CMP_GE : rel == REL_EQ ? CMP_EQ : CMP_NE;
    *out = calc_cmp(c, op, calc_add2(c, lin(c, &rest), value_scale(form.at[i].k, v)), VALUE_ZERO);
    return true;
  }
  return false;
}

/* The quotient by d, rounded down, of a number x - d q that is known to lie between two multiples of d; *rest: what x is
 * more than d times that. */
static bool divided_by_facts(Facts *f, Value x, int64_t d, Value *quotient, Value *rest) {
  Calculus *c = f->c;
  Terms t = terms_of(c, x);
  const Term *first = t.at[0].ref == c->one ? &t.at[1] : t.at;
  for (uint32_t i = 0; i < f->n_bounds; i++) {
    const Bound *b = &f->bounds[i];
    const Term *same = terms_find(&b->form, first->ref);
    if (!b->has_lo || !b->has_hi || !same || rat_abs(same->k) != rat_abs(first->k)) continue;
    Rat sign = rat_div(same->k, first->k), from = rat_sign(sign) > 0 ? b->lo : rat_neg(b->hi);
    Terms multiple = {0}; /* of d: the form, but for x */
    for (uint32_t j = 0; j < b->form.n; j++) terms_add(c, &multiple, b->form.at[j].ref, rat_mul(sign, b->form.at[j].k));
    for (uint32_t j = 0; j < t.n; j++)
      if (t.at[j].ref != c->one) terms_add(c, &multiple, t.at[j].ref, rat_neg(t.at[j].k));
    terms_pack(&multiple);
    const Term *number = terms_find(&t, c->one);
    Rat more = number ? number->k : RAT_0;
    Rat to = rat_add(from, rat_sub(b->hi, b->lo)), floor = rat_floor(rat_div(rat_add(from, more), rat_int(d)));
    bool divides = rat_floor(rat_div(rat_add(to, more), rat_int(d))) == floor;
    for (uint32_t j = 0; j < multiple.n && divides; j++)
      divides = rat_is_int(rat_div(multiple.at[j].k, rat_int(d))) && (flags_of(c, multiple.at[j].ref) & F_INTEGER);
    if (!divides) continue;
    *quotient = calc_sub(c, value_num(floor), value_scale(rat_frac(1, d), lin(c, &multiple)));
    *rest = calc_sub(c, x, value_scale(rat_int(d), *quotient));
    return true;
  }
  return false;
}

static bool decide_division(Facts *f, RefId r, Value *out) {
  Calculus *c = f->c;
  const Class *x = cls_of(c, r);
  bool down = x->attr == c->fn.floordiv || x->attr == c->fn.mod;
  bool quotient = x->attr == c->fn.floordiv || x->attr == c->fn.truncdiv;
  if (!fn_divides(c, x->attr)) return false;
  Opened o = node_open(c, r);
  Value v = one_of(o.args[0].ref), by = one_of(o.args[1].ref), rest;
  Terms number = terms_of(c, by);
  int64_t d;
  bool whole = number.n == 1 && number.at[0].ref == c->one && rat_to_int(number.at[0].k, &d) && d > 0;
  bool has_lo = false, has_hi;
  Rat lo, hi;
  if (!whole || value_is_num(v) || !integer_value(c, v)) return false;
  if (!down) facts_range(f, v, &has_lo, &lo, &has_hi, &hi);
  if (!down && !(has_lo && rat_sign(lo) >= 0)) return false;
  return divided_by_facts(f, v, d, quotient ? out : &rest, quotient ? &rest : out);
}

/* a <= b, by what is known of each, or of their difference. */
static bool at_most(Facts *f, RefId a, RefId b) {
  bool has_lo, has_hi, no;
  Rat lo, hi, x;
  facts_range(f, one_of(a), &no, &x, &has_hi, &hi);
  facts_range(f, one_of(b), &has_lo, &lo, &no, &x);
  if (has_lo && has_hi && rat_cmp(hi, lo) <= 0) return true;
  facts_range(f, calc_sub(f->c, one_of(b), one_of(a)), &has_lo, &lo, &no, &x);
  return has_lo && rat_sign(lo) >= 0;
}

static Value decide(Facts *f, Value v) {
  Calculus *c = f->c;
  const Class *x = cls_of(c, v.ref);
  bool has_lo, has_hi;
  Rat lo, hi;
  if (x->kind == K_CMP && v.k == RAT_1) {
    uint32_t op = x->attr;
    Opened o = node_open(c, v.ref);
    facts_range(f, one_of(o.args[0].ref), &has_lo, &lo, &has_hi, &hi);
    if (op == CMP_LT) {
      if (has_hi && rat_sign(hi) < 0) return VALUE_ONE;
      if (has_lo && rat_sign(lo) >= 0) return VALUE_ZERO;
    } else {
      if (has_lo && has_hi && lo == RAT_0 && hi == RAT_0) return VALUE_ONE;
      if ((has_lo && rat_sign(lo) > 0) || (has_hi && rat_sign(hi) < 0)) return VALUE_ZERO;
    }
    Value w, e = one_of(node_open(c, v.ref).args[0].ref);
    if (solve_comparison(f, v.ref, &w)) return w;
    if (integer_value(c, e) && split_digits(c, (CmpOp)op, e, known_range, f, &w)) return w;
  } else if (x->kind == K_MAX && !x->n_bound && rat_sign(v.k) > 0) {
    return decide_max(f, v);
  } else if (x->kind == K_FN && x->attr == c->fn.clamp) {
    Opened o = node_open(c, v.ref);
    if (at_most(f, o.args[0].ref, o.args[1].ref) && at_most(f, o.args[1].ref, o.args[2].ref)) return val(v.k, o.args[1].ref);
  } else if (x->kind == K_FN) {
    Value w;
    if (decide_division(f, v.ref, &w)) return value_scale(v.k, w);
  }
  return v;
}

/* What stands in a sum at the value that s gives bound indices, where one alone counts, as factor i says. */
static Value stands_at(Calculus *c, const Opened *o, uint32_t i, const Subst *s) {
  Factor *fs = SCRATCH(c, Factor, o->n);
  uint32_t n = 0, m = 0;
  Name *rest = SCRATCH(c, Name, o->n_bound);
  for (uint32_t j = 0; j < o->n; j++)
    if (j != i) fs[n++] = (Factor){rename_ref(c, o->args[j].ref, s), o->args[j].k};
  for (uint32_t j = 0; j < o->n_bound; j++)
    if (target(s, o->bound[j]) == o->bound[j]) rest[m++] = o->bound[j];
  return calc_sum(c, rest, m, mul(c, fs, n));
}

/* sum_j D(j) g(j) where D(i) is known, and no two places have D, is g(i) (count_apart). */
static bool look_up_place(Facts *f, const Opened *o, uint32_t i, Value *out) {
  Calculus *c = f->c;
  Given given = {.all = truths_of(f)};
  for (uint32_t j = 0; j < o->n; j++)
    if ((flags_of(c, o->args[j].ref) & F_PRED) && !terms_find(&given.all, o->args[j].ref))
      terms_add(c, &given.all, o->args[j].ref, RAT_1);
  for (uint32_t e = 0; e < f->n_truths; e++) {
    Subst s;
    if (!f->truths[e].value || !count_apart(c, f->truths[e].r, o->args[i].ref, &given, &s)) continue;
    bool bound = true;
    for (uint32_t j = 0; j < s.n; j++) {
      bool is = false;
      for (uint32_t k = 0; k < o->n_bound; k++) is |= o->bound[k] == s.at[j].from;
      bound = bound && is;
    }
    if (!bound) continue;
    *out = stands_at(c, o, i, &s);
    return true;
  }
  return false;
}

/* sum_j [form(j) == 0] g(j) where form(i) == 0 is known is g(i): one j alone solves it, i. */
static bool look_up(Facts *f, const Opened *o, Value *out) {
  Calculus *c = f->c;
  for (uint32_t i = 0; i < o->n; i++) {
    const Class *x = cls_of(c, o->args[i].ref);
    if (x->kind != K_CMP || x->attr != CMP_EQ) continue;
    if (look_up_place(f, o, i, out)) return true;
    Terms form;
    atom_of(c, o->args[i].ref, &form);
    for (uint32_t e = 0; e < 2 * f->n_equations; e++) {
      Terms diff = {0};
      Subst s = {0};
      for (uint32_t j = 0; j < form.n; j++) terms_add(c, &diff, form.at[j].ref, form.at[j].k);
      const Terms *known = &f->equations[e / 2];
      if (f->inside && !(f->places >> e / 2 & 1)) continue;
      for (uint32_t j = 0; j < known->n; j++)
        terms_add(c, &diff, known->at[j].ref, e % 2 ? known->at[j].k : rat_neg(known->at[j].k));
      terms_pack(&diff);
      if (!sum_delta_of(c, &diff, o->bound, o->n_bound, &s)) continue;
      *out = stands_at(c, o, i, &s);
      return true;
    }
  }
  return false;
}

static Value simplify(Facts *f, RefId r);

/* A sum whose body compares with places that are known, or reads there. */
static bool solve_body(Facts *f, const Opened *o, Value *out) {
  Calculus *c = f->c;
  Factor *fs = SCRATCH(c, Factor, o->n);
  bool some = false;
  for (uint32_t i = 0; i < o->n; i++) {
    Value v = one_of(o->args[i].ref);
    fs[i] = (Factor){v, o->args[i].k};
    bool solved = (flags_of(c, v.ref) & F_PRED) && solve_comparison(f, v.ref, &v);
    if (!solved && f->places && cls_of(c, v.ref)->reach <= REACH_NODE) {
      bool was = f->inside;
      f->inside = true;
      v = simplify(f, v.ref);
      f->inside = was;
    }
    some |= !value_same(v, fs[i].v);
    fs[i].v = v;
  }
  if (some) *out = calc_sum(c, o->bound, o->n_bound, mul(c, fs, o->n));
  return some;
}

/* Where the table says that r was simplified, or would. */
static uint16_t *seen_at(Facts *f, RefId r) {
  uint32_t i = r * UINT32_C(2654435769) >> 21;
  for (; f->seen[i]; i = (i + 1) % (2 * MAX_MEMO)) {
    const struct Seen *s = &f->memo[f->seen[i] - 1];
    if (s->r == r && s->inside == f->inside) break;
  }
  return &f->seen[i];
}

static Value simplify(Facts *f, RefId r) {
  Calculus *c = f->c;
  for (uint32_t i = 0; i < f->n_truths; i++)
    if (f->truths[i].r == r) return f->truths[i].value ? VALUE_ONE : VALUE_ZERO;
  uint16_t *seen = seen_at(f, r);
  if (*seen) return f->memo[*seen - 1].v;
  const Class *x = cls_of(c, r);
  Value out = one_of(r);
  bool kind = x->kind == K_LIN || x->kind == K_MUL || x->kind == K_SEL || x->kind == K_CMP || x->kind == K_FN ||
              x->kind == K_MAX;
  if (kind && x->reach <= REACH_NODE && !x->n_bound) {
    ClassId id = ref(c, r)->cls;
    Opened o = node_open(c, r);
    Value *vals = SCRATCH(c, Value, o.n);
    Rat *tags = SCRATCH(c, Rat, o.n);
    bool changed = false;
    for (uint32_t i = 0; i < o.n; i++) {
      vals[i] = simplify(f, o.args[i].ref);
      tags[i] = o.args[i].k;
      changed |= !value_same(vals[i], one_of(o.args[i].ref));
    }
    if (changed) out = node_make(c, id, vals, tags, o.n, NULL, 0, ref(c, r)->names);
    if (!value_is_num(out)) out = decide(f, out);
  } else if (x->kind == K_RED && !x->reach && f->n_truths) {
    Opened o = node_open(c, r);
    bool simpler = look_up(f, &o, &out) || solve_body(f, &o, &out); /* an index less, or fewer places */
    if (simpler && !value_is_num(out)) out = value_scale(out.k, simplify(f, out.ref));
  }
  if (f->n_memo < MAX_MEMO) {
    f->memo[f->n_memo++] = (struct Seen){r, f->inside, out};
    *seen_at(f, r) = (uint16_t)f->n_memo;
  }
  return out;
}

/* Replaces factor i by v and multiplies again; *zero if nothing is left. */
static bool replace(Calculus *c, const Terms *fs, uint32_t i, Value v, Value *rest, bool *zero) {
  Factor *f = SCRATCH(c, Factor, fs->n);
  for (uint32_t j = 0; j < fs->n; j++) f[j] = (Factor){j == i ? v : one_of(fs->at[j].ref), fs->at[j].k};
  *rest = mul(c, f, fs->n);
  *zero = rest->k == RAT_0;
  return !*zero;
}

/* [i == c] f(i) = [i == c] f(c), in all factors at once.  1: replaced (or zero), 0: nothing, -1: contradiction. */
static int substitute_points(Calculus *c, Terms *fs, Value *rest, bool *zero) {
  Subst s = {0};
  bool *is_point = SCRATCH(c, bool, fs->n);
  for (uint32_t i = 0; i < fs->n; i++) {
    Name n;
    uint32_t v;
    if (!(is_point[i] = point_of(c, fs->at[i].ref, &n, &v))) continue;
    Name to = target(&s, n);
    if (to == n) {
      if (s.n < 64) subst_put(&s, n, name_const(v));
    } else if (to != name_const(v)) {
      return -1;
    }
  }
  Factor *f = SCRATCH(c, Factor, fs->n);
  bool changed = false;
  for (uint32_t i = 0; i < fs->n && s.n; i++) {
    Value was = one_of(fs->at[i].ref);
    f[i] = (Factor){is_point[i] ? was : rename_ref(c, fs->at[i].ref, &s), fs->at[i].k};
    changed |= !value_same(f[i].v, was);
  }
  if (!changed) return 0;
  *rest = mul(c, f, fs->n);
  *zero = rest->k == RAT_0;
  return 1;
}

/* x [0 < x] = x where x is not negative, and what is multiplied by it a number. */
static bool absorb(Calculus *c, const Terms *fs, Value *rest, bool *zero) {
  for (uint32_t i = 0; i < fs->n; i++) {
    Terms t;
    if (!(flags_of(c, fs->at[i].ref) & F_PRED) || atom_of(c, fs->at[i].ref, &t) != REL_LT || t.n != 1) continue;
    if (rat_sign(t.at[0].k) > 0 || !(flags_of(c, t.at[0].ref) & F_NONNEG)) continue;
    Terms parts = factors_of(c, t.at[0].ref);
    bool all = parts.n > 0;
    for (uint32_t j = 0; j < parts.n && all; j++) {
      const Term *has = terms_find(fs, parts.at[j].ref);
      all = has && rat_sign(has->k) == rat_sign(parts.at[j].k);
    }
    if (!all) continue;
    uint16_t others = 0; /* where x is 0, which [0 < x] chooses to be 0 */
    for (uint32_t j = 0; j < fs->n; j++)
      if (j != i && !terms_find(&parts, fs->at[j].ref)) others |= flags_of(c, fs->at[j].ref);
    assume_number(c, others);
    *rest = mul_terms(c, fs, fs->at[i].ref);
    *zero = rest->k == RAT_0;
    return true;
  }
  return false;
}

static void learn_all(Facts *f, Calculus *c, const Terms *fs, uint32_t except) {
  f->c = c;
  f->impossible = f->inside = false;
  f->places = 0;
  memset(f->seen, 0, sizeof f->seen);
  f->n_truths = f->n_bounds = f->n_equations = f->n_memo = 0;
  for (uint32_t j = 0; j < fs->n; j++)
    if (j != except && (flags_of(c, fs->at[j].ref) & F_PRED)) learn(f, fs->at[j].ref);
}

Facts *facts_of(Calculus *c, const Terms *fs) {
  Facts *f = arena_raw(&c->scratch, sizeof *f); /* large: learn_all sets what is looked at */
  learn_all(f, c, fs, UINT32_MAX);
  return f;
}

bool facts_imply(Facts *f, RefId r) { return value_same(simplify(f, r), VALUE_ONE); }

bool facts_range_of(Calculus *c, const Terms *fs, uint32_t i, Rat *lo, Rat *hi) {
  bool known = range_of(c, one_of(fs->at[i].ref), lo, hi), some = false;
  for (uint32_t j = 0; j < fs->n; j++) some |= j != i && (flags_of(c, fs->at[j].ref) & F_PRED) != 0;
  if (!some || !(flags_of(c, fs->at[i].ref) & F_INTEGER)) return known;
  Frame m = frame_enter(c);
  Facts *f = arena_raw(&c->scratch, sizeof *f); /* large: learn_all sets what is looked at */
  learn_all(f, c, fs, i);
  bool has_lo, has_hi;
  facts_range(f, one_of(fs->at[i].ref), &has_lo, lo, &has_hi, hi);
  frame_leave(c, m);
  return has_lo && has_hi;
}

bool facts_context(Calculus *c, Terms *fs, Value *rest, bool *zero) {
  *zero = false;
  if (c->exhausted) return false;
  uint32_t n_preds = 0;
  for (uint32_t i = 0; i < fs->n; i++) n_preds += (flags_of(c, fs->at[i].ref) & F_PRED) != 0;
  if (!n_preds || fs->n < 2) return false;
  if (absorb(c, fs, rest, zero)) return !*zero;
  if (n_preds > 1 && (pin(c, fs, rest, zero) || pick_join(c, fs, rest, zero) || count_join(c, fs, rest, zero)))
    return !*zero;
  int p = substitute_points(c, fs, rest, zero);
  if (p < 0) *zero = true;
  if (p) return !*zero;
  Frame m = frame_enter(c);
  Facts *f = arena_raw(&c->scratch, sizeof *f); /* large: learn_all sets what is looked at */
  bool shared = false;
  for (uint32_t i = 0; i < fs->n; i++) {
    RefId r = fs->at[i].ref;
    bool pred = flags_of(c, r) & F_PRED;
    if (cls_of(c, r)->reach > REACH_FACTOR || (pred && n_preds < 2)) continue;
    if (pred || !shared) { /* the facts without this factor; those of all predicates serve every other factor */
      learn_all(f, c, fs, i);
      shared = !pred;
      if (f->impossible) {
        *zero = true;
        break;
      }
    }
    Value v = simplify(f, r);
    if (value_same(v, one_of(r))) continue;
    bool done = replace(c, fs, i, v, rest, zero);
    frame_leave(c, m);
    return done;
  }
  frame_leave(c, m);
  return false;
}

void assume_number(Calculus *c, uint16_t flags) {
  if (flags & (F_INFINITE | F_LOGS)) calculus_assume(c, ASSUME_FINITE | ASSUME_LEFT);
  if (flags & F_DIVIDES) calculus_assume(c, ASSUME_NONZERO);
}
