/* Positions of a largest value: min over k of (if x[k] == max(j) x[j] then k else anything larger), which is how the
 * definition of argmax reads.  One form for all ways of cutting k over devices:
 *
 * - what the minimum is where the value is not the largest does not matter: it is the largest number that may stand
 * there;
 * - the first of the largest parts, and in it the first of its largest elements, is the first of the largest elements;
 * - an element picked by such a position is the largest value itself, or, an integer, part of a combined position;
 * - x[k] < max(j) x[j] is not x[k] == max(j) x[j].
 *
 * Where x[k] is minus infinity but for some k, x[k] == max(j) x[j] is p[k] and y[k] == max(j) x[j], p saying where it is
 * not, and y what it is there.
 *
 * All rest on this: some k has x[k] == max(j) x[j], whatever x is (sure). */
#include "eval/calculus/core.h"

/* form = w (x - m), where m is the maximum of x over the names that x has and m has not. */
typedef struct Largest {
  Value x;
  RefId m;
  Rat w;
  NameVec over;
} Largest;

static bool has_name(const NameVec *v, Name n) {
  for (size_t i = 0; i < v->len; i++)
    if (v->at[i] == n) return true;
  return false;
}

/* Every x is at most m, and one is m, unless that is infinite.  `less` may have indices of its own; what `m` is the
 * maximum of over them is `less`. */
static bool is_largest_of(Calculus *c, RefId m, Value less, NameVec *over) {
  const Ref *r = ref(c, less.ref);
  over->len = 0;
  if ((flags_of(c, less.ref) & F_INFINITE) && !is_left(c, m)) return false;
  for (uint32_t i = 0; i < r->n; i++)
    if (!name_is_const(r->names[i]) && !ref_has(c, m, r->names[i]) && !has_name(over, r->names[i]))
      vec_push(over, r->names[i]);
  return over->len && value_same(calc_max(c, &less, 1, over->at, (uint32_t)over->len), one_of(m));
}

static bool largest_of(Calculus *c, const Terms *form, Value where, Largest *out) {
  *out = (Largest){.w = RAT_0};
  for (uint32_t i = 0; i < form->n; i++) {
    if (cls_of(c, form->at[i].ref)->kind != K_MAX || !cls_of(c, form->at[i].ref)->n_bound) continue;
    Terms rest = {0};
    Rat w = rat_neg(form->at[i].k);
    for (uint32_t j = 0; j < form->n; j++)
      if (j != i) terms_add(c, &rest, form->at[j].ref, rat_div(form->at[j].k, w));
    if (!rest.n) continue;
    *out = (Largest){.x = lin(c, &rest), .m = form->at[i].ref, .w = w, .over = out->over};
    Value less = value_same(where, VALUE_ONE) ? out->x : calc_select(c, where, out->x, one_of(c->neginf));
    if (is_largest_of(c, out->m, less, &out->over)) return true;
  }
  vec_free(&out->over);
  return false;
}

/* x == m, where x is minus infinity but where others of the factors hold, or, unless all have to, whatever others say;
 * UINT32_MAX: none of them says that. */
static uint32_t largest_among(Calculus *c, const Terms *fs, uint32_t except, bool all, Largest *out) {
  for (uint32_t i = 0; i < fs->n; i++) {
    Terms form;
    if (i == except || fs->at[i].k != RAT_1 || cls_of(c, fs->at[i].ref)->kind != K_CMP) continue;
    if (atom_of(c, fs->at[i].ref, &form) != REL_EQ) continue;
    if (!all && largest_of(c, &form, VALUE_ONE, out)) return i;
    Factor *where = SCRATCH(c, Factor, fs->n);
    uint32_t n = 0;
    for (uint32_t k = 0; k < fs->n; k++)
      if (k != i && k != except && fs->at[k].k == RAT_1 && (flags_of(c, fs->at[k].ref) & F_PRED))
        where[n++] = (Factor){one_of(fs->at[k].ref), RAT_1};
    if (n && (!all || n + 1 == fs->n) && largest_of(c, &form, mul(c, where, n), out)) return i;
  }
  return UINT32_MAX;
}

static bool equals_largest(Calculus *c, RefId p, Largest *out) {
  Terms fs = factors_of(c, p);
  return (flags_of(c, p) & F_PRED) && largest_among(c, &fs, UINT32_MAX, fs.n > 1, out) != UINT32_MAX;
}

/* p is x == max(j) x[j] with indices j among `bound`: it holds at some position. */
static bool pick_sure(Calculus *c, RefId p, const Name *bound, uint32_t n) {
  Largest l;
  if (!equals_largest(c, p, &l)) return false;
  bool within = true;
  for (size_t i = 0; i < l.over.len && within; i++) {
    within = false;
    for (uint32_t j = 0; j < n; j++) within |= bound[j] == l.over.at[i];
  }
  vec_free(&l.over);
  return within;
}

/* max over `bound` of if p then a else b */
typedef struct Choice {
  NameVec bound;
  Value p, a, b;
} Choice;

/* a without the factors of its terms that are among those of p, where that holds. */
static Value under(Calculus *c, Value p, Value a) {
  Terms known = factors_of(c, p.ref), t = terms_of(c, a), is = {0};
  for (uint32_t i = 0; i < t.n; i++) {
    Terms fs = factors_of(c, t.at[i].ref), rest = {0};
    for (uint32_t j = 0; j < fs.n; j++) {
      bool holds = fs.at[j].k == RAT_1 && (flags_of(c, fs.at[j].ref) & F_PRED) && terms_find(&known, fs.at[j].ref);
      if (!holds) terms_add(c, &rest, fs.at[j].ref, fs.at[j].k);
    }
    Value v = value_scale(t.at[i].k, rest.n ? mul_terms(c, &rest, NO_REF) : VALUE_ONE);
    Terms all = terms_of(c, v);
    for (uint32_t j = 0; j < all.n; j++) terms_add(c, &is, all.at[j].ref, all.at[j].k);
  }
  return add_terms(c, &is);
}

static Choice choice_of(Calculus *c, Rat k, RefId select) {
  Opened o = node_open(c, select);
  Choice x = {.p = unwrapped(c, o.args[0].ref)};
  x.a = under(c, x.p, value_scale(k, unwrapped(c, o.args[1].ref)));
  x.b = value_scale(k, unwrapped(c, o.args[2].ref));
  return x;
}

/* b is at most every value of a, so that it is never the maximum where a is chosen somewhere. */
static bool is_below(Calculus *c, Value b, Value a) {
  Rat lo, hi;
  if (b.ref == c->neginf) return rat_sign(b.k) > 0;
  return value_is_num(b) && range_of(c, a, &lo, &hi) && rat_cmp(b.k, lo) <= 0;
}

static Value choice_value(Calculus *c, const Choice *x) {
  bool negate = rat_sign(x->a.k) < 0 && value_is_num(x->b);
  Value v =
      negate ? value_neg(calc_select(c, x->p, value_neg(x->a), value_neg(x->b))) : calc_select(c, x->p, x->a, x->b);
  return calc_max(c, &v, 1, x->bound.at, (uint32_t)x->bound.len);
}

/* A maximum of one argument, a choice that is certainly made at some position. */
static bool sure_choice(Calculus *c, RefId m, Choice *out) {
  const Class *x = cls_of(c, m);
  if (x->kind != K_MAX || x->n_args != 1 || !x->n_bound) return false;
  Opened o = node_open(c, m);
  if (cls_of(c, o.args[0].ref)->kind != K_SEL) return false;
  *out = choice_of(c, o.args[0].k, o.args[0].ref);
  if (out->p.k != RAT_1 || !is_below(c, out->b, out->a) || !pick_sure(c, out->p.ref, o.bound, o.n_bound)) return false;
  for (uint32_t i = 0; i < o.n_bound; i++) vec_push(&out->bound, o.bound[i]);
  return true;
}

/* max(c) if p then u + w max(d) (if q then a else b) else z = max(c, d) if p and q then u + w a else z */
static bool open_inner(Calculus *c, const Choice *x, Value *out) {
  Terms t = terms_of(c, x->a);
  for (uint32_t i = 0; i < t.n; i++) {
    Choice in;
    if (rat_sign(t.at[i].k) <= 0 || !sure_choice(c, t.at[i].ref, &in)) continue;
    Terms rest = {0};
    for (uint32_t j = 0; j < t.n; j++)
      if (j != i) terms_add(c, &rest, t.at[j].ref, t.at[j].k);
    Choice all = {.p = calc_mul2(c, x->p, in.p), .b = x->b, .bound = in.bound};
    all.a = calc_add2(c, lin(c, &rest), value_scale(t.at[i].k, in.a));
    for (size_t j = 0; j < x->bound.len; j++) vec_push(&all.bound, x->bound.at[j]);
    bool open = is_below(c, all.b, all.a);
    if (open) *out = choice_value(c, &all);
    vec_free(&all.bound);
    if (open) return true;
  }
  return false;
}

bool pick_max(Calculus *c, const NameVec *bound, Value v, Value *out) {
  if (cls_of(c, v.ref)->kind != K_SEL) return false;
  Choice x = choice_of(c, v.k, v.ref);
  x.bound = *bound;
  if (x.p.k != RAT_1 || !is_below(c, x.b, x.a)) return false;
  if (open_inner(c, &x, out)) return true;
  Rat lo, hi;
  bool oriented = rat_sign(unwrapped(c, node_open(c, v.ref).args[1].ref).k) > 0;
  if (!range_of(c, x.a, &lo, &hi) || (oriented && value_is_num(x.b) && x.b.k == lo)) return false;
  if (!pick_sure(c, x.p.ref, bound->at, (uint32_t)bound->len)) return false;
  x.b = value_num(lo);
  return *out = choice_value(c, &x), true;
}

bool pick_join(Calculus *c, const Terms *fs, Value *rest, bool *zero) {
  for (uint32_t i = 0; i < fs->n; i++) {
    Largest outer, inner;
    Terms form;
    if (fs->at[i].k != RAT_1 || cls_of(c, fs->at[i].ref)->kind != K_CMP) continue;
    if (atom_of(c, fs->at[i].ref, &form) != REL_EQ || !largest_of(c, &form, VALUE_ONE, &outer)) continue;
    vec_free(&outer.over);
    uint32_t j = largest_among(c, fs, i, false, &inner);
    if (j == UINT32_MAX) continue;
    vec_free(&inner.over);
    if (!value_same(outer.x, one_of(inner.m))) continue;
    Factor *f = SCRATCH(c, Factor, fs->n);
    uint32_t n = 0;
    for (uint32_t k = 0; k < fs->n; k++)
      if (k != i && k != j) f[n++] = (Factor){one_of(fs->at[k].ref), fs->at[k].k};
    f[n++] = (Factor){calc_cmp(c, CMP_EQ, inner.x, one_of(outer.m)), RAT_1};
    *rest = mul(c, f, n);
    *zero = rest->k == RAT_0;
    return true;
  }
  return false;
}

bool pick_equal(Calculus *c, Value e, Value *out) {
  Terms t = terms_of(c, e), rest = {0};
  uint32_t at = UINT32_MAX;
  for (uint32_t i = 0; i < t.n; i++) {
    bool finite = !(flags_of(c, t.at[i].ref) & F_INFINITE) || is_left(c, t.at[i].ref);
    if (!finite && at != UINT32_MAX) return false;
    if (!finite) at = i;
    else terms_add(c, &rest, t.at[i].ref, t.at[i].k);
  }
  if (at == UINT32_MAX || t.n < 2) return false;
  Value p;
  if (t.at[at].ref == c->neginf) return *out = VALUE_ZERO, true;
  if (cls_of(c, t.at[at].ref)->kind != K_SEL) return false;
  Opened o = node_open(c, t.at[at].ref);
  Value x = unwrapped(c, o.args[1].ref), other = unwrapped(c, o.args[2].ref);
  bool yes = other.ref == c->neginf;
  if (!yes && x.ref != c->neginf) return false;
  if (!yes) x = other;
  if (flags_of(c, x.ref) & F_INFINITE) return false;
  p = unwrapped(c, o.args[0].ref);
  if (!yes) p = calc_not(c, p);
  x = calc_add2(c, value_scale(t.at[at].k, x), lin(c, &rest));
  return *out = calc_mul2(c, p, calc_cmp(c, CMP_EQ, x, VALUE_ZERO)), true;
}

bool pick_less(Calculus *c, Value e, Value *out) {
  Terms form = terms_of(c, e);
  Largest l;
  if (!largest_of(c, &form, VALUE_ONE, &l)) return false;
  vec_free(&l.over);
  *out = rat_sign(l.w) > 0 ? calc_not(c, calc_cmp(c, CMP_EQ, l.x, one_of(l.m))) : VALUE_ZERO;
  return true;
}

/* ------------------------------------------------------------------ reading at a position */

/* [sum w_i k_i == position] with bound indices k_i, where the position is the least of those with p. */
typedef struct Place {
  Value position, digits, p;
  NameVec over;
} Place;

static int64_t weight(const Term *t) {
  int64_t w;
  return small_int(t->k, &w) ? w : 0;
}

/* The indices of a form, each in `bound`, are digits: no two positions have one value. */
static bool is_position(Calculus *c, const Terms *t, const Name *bound, uint32_t n, NameVec *over) {
  int64_t reach = 1;
  over->len = 0;
  for (uint32_t done = 0; done < t->n; done++) {
    const Term *least = NULL;
    for (uint32_t i = 0; i < t->n; i++) {
      const Term *x = &t->at[i];
      if (cls_of(c, x->ref)->kind != K_IDX || weight(x) <= 0) return false;
      if (weight(x) >= reach && (!least || weight(x) < weight(least))) least = x;
    }
    if (!least) return false;
    Name name = ref(c, least->ref)->names[0];
    bool is_bound = false;
    for (uint32_t b = 0; b < n; b++) is_bound |= bound[b] == name;
    if (!is_bound || __builtin_mul_overflow(weight(least), name_size(c, name), &reach)) return false;
    vec_push(over, name);
  }
  return t->n > 0;
}

/* The digits of `x`'s minimum, read as those of the place. */
static bool same_digits(Calculus *c, const Choice *x, const Terms *digits, Subst *s) {
  Value v = value_neg(x->a);
  Terms t = terms_of(c, v);
  if (t.n != digits->n || x->bound.len != t.n) return false;
  for (uint32_t i = 0; i < t.n; i++) {
    if (cls_of(c, t.at[i].ref)->kind != K_IDX) return false;
    Name from = ref(c, t.at[i].ref)->names[0], to = 0;
    bool found = false;
    for (uint32_t j = 0; j < digits->n && !found; j++) {
      to = ref(c, digits->at[j].ref)->names[0];
      found = digits->at[j].k == t.at[i].k && name_size(c, to) == name_size(c, from);
    }
    if (!found || !has_name(&x->bound, from) || s->n == sizeof s->at / sizeof *s->at) return false;
    subst_put(s, from, to);
  }
  return true;
}

static bool place_of(Calculus *c, RefId p, const Name *bound, uint32_t n, Place *out) {
  Terms form;
  if (cls_of(c, p)->kind != K_CMP || atom_of(c, p, &form) != REL_EQ) return false;
  for (uint32_t i = 0; i < form.n; i++) {
    Choice x = {0};
    Terms digits = {0};
    Subst s = {0};
    if (cls_of(c, form.at[i].ref)->kind != K_MAX) continue;
    for (uint32_t j = 0; j < form.n; j++)
      if (j != i) terms_add(c, &digits, form.at[j].ref, rat_div(form.at[j].k, form.at[i].k));
    bool found = is_position(c, &digits, bound, n, &out->over) && sure_choice(c, form.at[i].ref, &x) &&
                 same_digits(c, &x, &digits, &s);
    if (found) {
      Value place = lin(c, &digits);
      *out = (Place){value_neg(one_of(form.at[i].ref)), place, calc_rename(c, x.p, &s), out->over};
    }
    vec_free(&x.bound);
    if (found) return true;
  }
  return false;
}

/* What a factor is at the place, as a value without the place's indices. */
static bool value_at(Calculus *c, const Place *at, Value g, Value *out) {
  Largest l;
  if (cls_of(c, g.ref)->kind == K_IDX && at->over.len == 1)
    return *out = value_scale(rat_inv(at->digits.k), at->position), true;
  if (equals_largest(c, at->p.ref, &l)) {
    vec_free(&l.over);
    if (l.x.ref == g.ref) return *out = value_scale(rat_div(RAT_1, l.x.k), one_of(l.m)), true;
  }
  Rat lo, hi;
  if (!value_is_integer(c, g) || cls_of(c, g.ref)->kind == K_LIN || !range_of(c, g, &lo, &hi)) return false;
  Rat size = rat_add(rat_sub(hi, lo), RAT_1);
  Choice x = {.p = at->p, .bound = at->over};
  x.a = calc_sub(c, g, value_scale(size, at->digits)); /* greatest at the least position, whatever g is */
  x.b = one_of(c->neginf);
  *out = calc_add2(c, choice_value(c, &x), value_scale(size, at->position));
  return true;
}

static bool read_at(Calculus *c, const Place *at, const Name *bound, uint32_t n, const Terms *fs, uint32_t except,
                    Value *out) {
  Factor *f = SCRATCH(c, Factor, fs->n);
  uint32_t n_f = 0, n_rest = 0;
  for (uint32_t i = 0; i < fs->n; i++) {
    bool has = false;
    for (size_t k = 0; k < at->over.len && !has; k++) has = ref_has(c, fs->at[i].ref, at->over.at[k]);
    if (i == except) continue;
    f[n_f] = (Factor){one_of(fs->at[i].ref), fs->at[i].k};
    if (has && !value_at(c, at, f[n_f].v, &f[n_f].v)) return false;
    n_f++;
  }
  Name *rest = SCRATCH(c, Name, n);
  for (uint32_t i = 0; i < n; i++)
    if (!has_name(&at->over, bound[i])) rest[n_rest++] = bound[i];
  *out = calc_sum(c, rest, n_rest, mul(c, f, n_f));
  return true;
}

bool pick_read(Calculus *c, const Name *bound, uint32_t n, const Terms *fs, Value *out) {
  for (uint32_t i = 0; i < fs->n; i++) {
    Place at = {0};
    bool done =
        fs->at[i].k == RAT_1 && place_of(c, fs->at[i].ref, bound, n, &at) && read_at(c, &at, bound, n, fs, i, out);
    vec_free(&at.over);
    if (done) return true;
  }
  return false;
}
