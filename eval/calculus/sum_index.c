/* Laws of sums about their index: one-hot factors substitute it, complete families of predicates sum to one, guards
 * shorten its range, and two digits that are only read together become one. */
#include <string.h>

#include "eval/calculus/core.h"

static bool among(const Name *names, uint32_t n, Name x) {
  for (uint32_t i = 0; i < n; i++)
    if (names[i] == x) return true;
  return false;
}

static bool is_idx(const Calculus *c, RefId r, Name *n) {
  if (cls_of(c, r)->kind != K_IDX) return false;
  *n = ref(c, r)->names[0];
  return true;
}

typedef struct Weighted {
  int64_t w;
  Name n;
} Weighted;

static void insert_weighted(Weighted *at, uint32_t *n, Weighted x) {
  uint32_t i = (*n)++;
  for (; i && at[i - 1].w > x.w; i--) at[i] = at[i - 1];
  at[i] = x;
}

bool sum_delta_of(Calculus *c, const Terms *t, const Name *bound, uint32_t n, Subst *out) {
  Weighted *plus = SCRATCH(c, Weighted, t->n + 1), *minus = SCRATCH(c, Weighted, t->n + 1);
  uint32_t n_plus = 0, n_minus = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    Name name;
    int64_t w;
    if (!is_idx(c, t->at[i].ref, &name) || !small_int(t->at[i].k, &w)) return false;
    if (w > 0)
      insert_weighted(plus, &n_plus, (Weighted){w, name});
    else
      insert_weighted(minus, &n_minus, (Weighted){-w, name});
  }
  if (n_plus != n_minus || !n_plus) return false;
  int64_t reach = 1;
  for (uint32_t i = 0; i < n_plus; i++) {
    Name a = plus[i].n, b = minus[i].n;
    if (plus[i].w != minus[i].w || plus[i].w < reach || name_size(c, a) != name_size(c, b)) return false;
    if (__builtin_mul_overflow(plus[i].w, name_size(c, a), &reach)) return false;
    bool have_a = target(out, a) != a, have_b = target(out, b) != b;
    if (among(bound, n, a) && !have_a)
      subst_put(out, a, b);
    else if (among(bound, n, b) && !have_b)
      subst_put(out, b, a);
    else
      return false;
  }
  for (uint32_t i = 0; i < out->n; i++)
    if (target(out, out->at[i].to) != out->at[i].to) return false;
  return true;
}

bool sum_delta(Calculus *c, RefId r, const Name *bound, uint32_t n, Subst *out) {
  const Class *x = cls_of(c, r);
  if (x->kind != K_CMP || x->attr != CMP_EQ) return false;
  Terms t;
  atom_of(c, r, &t);
  return sum_delta_of(c, &t, bound, n, out);
}

/* The digit of weight w of f: one index of exactly this weight and size, or a constant. */
static bool digit_of(Calculus *c, Form *f, int64_t w, int64_t size, Name *out) {
  uint32_t found = 0, at = 0;
  int64_t next, low;
  if (__builtin_mul_overflow(w, size, &next) || next > MOST_SMALL) return false;
  low = (f->constant % next + next) % next;
  for (uint32_t i = 0; i < f->n; i++)
    if (f->terms[i].coef % next) found++, at = i;
  if (found > 1 || low % w) return false;
  f->constant -= low;
  if (!found) return name_has_room(low / w) && (*out = name_const(low / w), true);
  if (low || f->terms[at].coef != w || name_size(c, f->terms[at].name) != size) return false;
  *out = f->terms[at].name;
  f->terms[at] = f->terms[--f->n];
  return true;
}

/* The bound indices of one sign are the digits, `most` of them; all others make up the form, which may leave the range of a
 * single one if `inside` is asked: where it does not. */
static bool place_by(Calculus *c, const Terms *t, int sign, uint32_t most, const Name *bound, uint32_t n, Subst *out,
                     Value *inside) {
  Weighted *at = SCRATCH(c, Weighted, t->n + 1);
  Form f = {0, 0, SCRATCH(c, FormTerm, t->n)};
  uint32_t m = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    Name name;
    int64_t w;
    if (!small_int(t->at[i].k, &w)) return false;
    if (t->at[i].ref == c->one) f.constant = w;
    else if (!is_idx(c, t->at[i].ref, &name)) return false;
    else if (among(bound, n, name) && (w > 0) == (sign > 0)) insert_weighted(at, &m, (Weighted){sign * w, name});
    else f.terms[f.n++] = (FormTerm){w, name};
  }
  while (m > most) m--, f.terms[f.n++] = (FormTerm){sign * at[m].w, at[m].n};
  __int128 reach = 1, lo, hi;
  for (uint32_t i = 0; i < m; reach *= name_size(c, at[i++].n))
    if (at[i].w != reach) return false;
  f.constant *= -sign;
  lo = hi = f.constant;
  for (uint32_t i = 0; i < f.n; i++) {
    f.terms[i].coef *= -sign;
    *(f.terms[i].coef < 0 ? &lo : &hi) += (__int128)f.terms[i].coef * (name_size(c, f.terms[i].name) - 1);
  }
  bool leaves = lo < 0 || hi >= reach;
  if (!m || (leaves && (m > 1 || !f.n || !inside))) return false;
  if (m == 1) {
    subst_put(out, at[0].n, f.n ? calculus_form(c, f) : name_at(c, f.constant));
    if (leaves) *inside = calc_inside(c, calc_rename(c, calc_idx(c, at[0].n, (int64_t)reach), out), 0, (int64_t)reach);
    return true;
  }
  for (uint32_t i = 0; i < m; i++) {
    Name to;
    if (!digit_of(c, &f, at[i].w, name_size(c, at[i].n), &to)) return false;
    subst_put(out, at[i].n, to);
  }
  return true;
}

bool sum_place(Calculus *c, RefId r, const Name *bound, uint32_t n, Subst *out, Value *inside) {
  const Class *x = cls_of(c, r);
  if (x->kind != K_CMP || x->attr != CMP_EQ) return false;
  Terms t;
  atom_of(c, r, &t);
  /* All digits, or the last of them alone: sum_kl [w k + l == f] x(k, l) = sum_k [0 <= f - w k < w] x(k, f - w k). */
  for (uint32_t most = n; most; most = most > 1 && inside ? 1 : 0)
    for (int sign = 1; sign >= -1; sign -= 2) {
      out->n = 0;
      if (place_by(c, &t, sign, most, bound, n, out, inside)) return true;
    }
  return false;
}

/* sum_v [f == v] = [0 <= f < n], v in mixed radix digits, f an integer. */
static bool unity_equal(Calculus *c, RefId r, const Name *bound, uint32_t n, Value *out) {
  const Class *x = cls_of(c, r);
  if (x->kind != K_CMP || x->attr != CMP_EQ) return false;
  Terms t, rest = {0};
  atom_of(c, r, &t);
  if (!integer_terms(c, &t)) return false;
  if (order_once(c, &t, bound, n, out)) return true;
  Weighted *at = SCRATCH(c, Weighted, t.n + 1);
  uint32_t m = 0;
  int sign = 0;
  for (uint32_t i = 0; i < t.n; i++) {
    Name name;
    int64_t w;
    if (is_idx(c, t.at[i].ref, &name) && among(bound, n, name)) {
      if (!small_int(t.at[i].k, &w)) return false;
      int s = w > 0 ? 1 : -1;
      if (sign && s != sign) return false;
      sign = s;
      insert_weighted(at, &m, (Weighted){s * w, name});
      continue;
    }
    for (uint32_t b = 0; b < n; b++)
      if (ref_has(c, t.at[i].ref, bound[b])) return false;
    terms_add(c, &rest, t.at[i].ref, t.at[i].k);
  }
  if (m != n) return false;
  int64_t reach = 1;
  for (uint32_t i = 0; i < m; i++) {
    if (at[i].w != reach) return false;
    if (__builtin_mul_overflow(reach, name_size(c, at[i].n), &reach)) return false;
  }
  for (uint32_t i = 0; i < rest.n; i++)
    if (sign > 0) rest.at[i].k = rat_neg(rest.at[i].k);
  *out = within(c, lin(c, &rest), reach);
  return true;
}

/* t >= 0 as -t - 1 < 0, or t < 0 as -t - 1 >= 0, of an integer that grows with n; otherwise as it is. */
static Rel falling(Calculus *c, Rel rel, Terms *t, Name n) {
  bool grows = false;
  Name name;
  for (uint32_t i = 0; i < t->n; i++)
    grows |= is_idx(c, t->at[i].ref, &name) && name == n && rat_sign(t->at[i].k) > 0;
  if (!grows) return rel;
  for (uint32_t i = 0; i < t->n; i++) t->at[i].k = rat_neg(t->at[i].k);
  terms_add(c, t, c->one, RAT_NEG1);
  terms_pack(t);
  return rel == REL_LT ? REL_GE : REL_LT;
}

/* sum_t [0 <= f - w t < w] = [0 <= f < w n] */
static bool unity_interval(Calculus *c, const Terms *comp, Name n, Value *out) {
  Terms lo = {0}, hi = {0};
  bool has_lo = false, has_hi = false;
  for (uint32_t i = 0; i < 2; i++) {
    Terms t;
    Rel rel = atom_of(c, comp->at[i].ref, &t);
    if ((rel != REL_LT && rel != REL_GE) || !integer_terms(c, &t)) return false;
    if (falling(c, rel, &t, n) == REL_LT)
      hi = t, has_hi = true;
    else
      lo = t, has_lo = true;
  }
  if (!has_lo || !has_hi) return false;
  Rat w = RAT_0;
  Terms rest = {0}, diff = {0};
  for (uint32_t i = 0; i < lo.n; i++) {
    Name name;
    terms_add(c, &diff, lo.at[i].ref, lo.at[i].k);
    if (is_idx(c, lo.at[i].ref, &name) && name == n) {
      w = rat_neg(lo.at[i].k);
      continue;
    }
    if (ref_has(c, lo.at[i].ref, n)) return false;
    terms_add(c, &rest, lo.at[i].ref, lo.at[i].k);
  }
  for (uint32_t i = 0; i < hi.n; i++) terms_add(c, &diff, hi.at[i].ref, rat_neg(hi.at[i].k));
  terms_pack(&diff);
  int64_t reach;
  if (rat_sign(w) <= 0 || diff.n != 1 || diff.at[0].ref != c->one || diff.at[0].k != w || !small_int(w, &reach) ||
      __builtin_mul_overflow(reach, name_size(c, n), &reach))
    return false;
  *out = within(c, lin(c, &rest), reach);
  return true;
}

/* sum_t [t < f] = f where 0 <= f <= n; f is no form of indices alone. */
static bool unity_less(Calculus *c, RefId r, Name n, Value *out) {
  Terms t, rest = {0};
  Rel rel = atom_of(c, r, &t);
  if ((rel != REL_LT && rel != REL_GE) || index_predicate(c, r) || !integer_terms(c, &t)) return false;
  rel = falling(c, rel, &t, n); /* rest - t < 0, or >= 0 */
  Rat w = RAT_0, lo = RAT_1, hi = RAT_1, a, b, size = rat_int(name_size(c, n));
  for (uint32_t i = 0; i < t.n; i++) {
    Name name;
    bool is_n = is_idx(c, t.at[i].ref, &name) && name == n;
    if (is_n) w = t.at[i].k;
    if (is_n) continue;
    if (ref_has(c, t.at[i].ref, n) || !range_of(c, val(t.at[i].k, t.at[i].ref), &a, &b)) return false;
    lo = rat_add(lo, a), hi = rat_add(hi, b);
    terms_add(c, &rest, t.at[i].ref, t.at[i].k);
  }
  if (w != RAT_NEG1 || rat_sign(lo) < 0 || rat_cmp(hi, size) > 0) return false;
  terms_add(c, &rest, c->one, RAT_1); /* rest - t >= 0 is t < rest + 1 */
  terms_pack(&rest);
  Value f = lin(c, &rest);
  *out = rel == REL_GE ? f : calc_sub(c, value_num(size), f);
  return true;
}

bool sum_unity(Calculus *c, const Terms *comp, const Name *bound, uint32_t n, Value *out) {
  for (uint32_t i = 0; i < comp->n; i++)
    if (!(flags_of(c, comp->at[i].ref) & F_PRED)) return false;
  if (comp->n == 1 && n == 1 && unity_less(c, comp->at[0].ref, bound[0], out)) return true;
  if (comp->n == 1) return unity_equal(c, comp->at[0].ref, bound, n, out);
  if (comp->n == 2 && n == 1) return unity_interval(c, comp, bound[0], out);
  return false;
}

typedef struct Box {
  Name n;
  int64_t lo, hi;
} Box;

static Box *box_of(const Calculus *c, Box *boxes, uint32_t *n, Name name) {
  for (uint32_t i = 0; i < *n; i++)
    if (boxes[i].n == name) return &boxes[i];
  boxes[*n] = (Box){name, 0, name_size(c, name)};
  return &boxes[(*n)++];
}

/* [i == f], [i < f], [i > f] with f in a range bound i. */
static void boxes_of_range(Calculus *c, RefId r, const NameVec *bound, Box *boxes, uint32_t *n) {
  Terms t;
  Rel rel = atom_of(c, r, &t);
  if (rel == REL_NONE || rel == REL_NE) return;
  for (uint32_t i = 0; i < t.n; i++) {
    Name name;
    if (!is_idx(c, t.at[i].ref, &name) || !among(bound->at, (uint32_t)bound->len, name)) continue;
    if (rel == REL_EQ && rat_abs(t.at[i].k) != RAT_1) continue;
    Rat lo = RAT_0, hi = RAT_0, a, b; /* i is compared with lo .. hi */
    bool known = true;
    for (uint32_t j = 0; j < t.n && known; j++) {
      if (j == i) continue;
      known = range_of(c, val(rat_neg(rat_div(t.at[j].k, t.at[i].k)), t.at[j].ref), &a, &b);
      if (known) lo = rat_add(lo, a), hi = rat_add(hi, b);
    }
    int64_t l, h;
    bool above = (rel == REL_GE) == (rat_sign(t.at[i].k) > 0), strict = rel == REL_LT;
    lo = strict ? rat_add(rat_floor(lo), RAT_1) : rat_ceil(lo);
    hi = strict ? rat_sub(rat_ceil(hi), RAT_1) : rat_floor(hi);
    if (!known || !small_int(lo, &l) || !small_int(hi, &h)) continue;
    Box *x = box_of(c, boxes, n, name);
    if (l > x->lo && (rel == REL_EQ || above)) x->lo = l;
    if (h + 1 < x->hi && (rel == REL_EQ || !above)) x->hi = h + 1;
  }
}

bool sum_trim(Calculus *c, NameVec *bound, const Terms *fs, Value *out) {
  Box *boxes = SCRATCH(c, Box, bound->len + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < fs->n; i++) {
    Name name;
    int64_t lo, hi;
    if (!(flags_of(c, fs->at[i].ref) & F_PRED)) continue;
    if (unary_of(c, fs->at[i].ref, &name, &lo, &hi) && among(bound->at, (uint32_t)bound->len, name)) {
      Box *x = box_of(c, boxes, &n, name);
      if (lo > x->lo) x->lo = lo;
      if (hi < x->hi) x->hi = hi;
    }
    boxes_of_range(c, fs->at[i].ref, bound, boxes, &n);
  }
  Subst s = {0};
  for (uint32_t i = 0; i < n; i++) {
    Box x = boxes[i];
    if (x.hi <= x.lo) return *out = VALUE_ZERO, true;
    if (x.lo == 0 && x.hi == name_size(c, x.n)) continue;
    uint32_t k = 0;
    while (bound->at[k] != x.n) k++;
    bound->at[k] = vec_last(bound);
    bound->len--;
    if (x.hi - x.lo == 1) {
      subst_put(&s, x.n, name_at(c, x.lo));
      continue;
    }
    Name j = calculus_fresh(c, x.hi - x.lo);
    vec_push(bound, j);
    subst_put(&s, x.n, calculus_form(c, (Form){x.lo, 1, &(FormTerm){1, j}}));
  }
  if (!s.n) return false;
  Factor *f = SCRATCH(c, Factor, fs->n);
  for (uint32_t i = 0; i < fs->n; i++) f[i] = (Factor){rename_ref(c, fs->at[i].ref, &s), fs->at[i].k};
  *out = mul(c, f, fs->n);
  return true;
}

/* e of a comparison d - e >= 0, or d - e < 0 shifted by *constant, where e has indices other than d alone. */
static bool compared_with(Calculus *c, RefId r, Name d, Rel rel, Form *e) {
  Terms t;
  bool has = false;
  if (!(flags_of(c, r) & F_PRED) || atom_of(c, r, &t) != rel) return false;
  *e = (Form){0, 0, SCRATCH(c, FormTerm, t.n)};
  for (uint32_t i = 0; i < t.n; i++) {
    Name name;
    int64_t w;
    if (!small_int(t.at[i].k, &w)) return false;
    if (t.at[i].ref == c->one) e->constant = -w;
    else if (!is_idx(c, t.at[i].ref, &name)) return false;
    else if (name != d) e->terms[e->n++] = (FormTerm){-w, name};
    else if (w == 1) has = true;
    else return false;
  }
  return has;
}

static bool same_indices(const Form *e, const Form *f) {
  for (uint32_t i = 0; i < e->n; i++) {
    bool found = false;
    for (uint32_t j = 0; j < f->n; j++)
      found |= e->terms[i].name == f->terms[j].name && e->terms[i].coef == f->terms[j].coef;
    if (!found) return false;
  }
  return e->n == f->n;
}

bool sum_window(Calculus *c, NameVec *bound, const Terms *fs, Value *out) {
  for (uint32_t b = 0; b < bound->len; b++)
    for (uint32_t i = 0; i < fs->n; i++) {
      Form e, f;
      Name d = bound->at[b];
      if (!compared_with(c, fs->at[i].ref, d, REL_GE, &e) || !e.n) continue;
      for (uint32_t j = 0; j < fs->n; j++) {
        if (!compared_with(c, fs->at[j].ref, d, REL_LT, &f) || !same_indices(&e, &f) || f.constant <= e.constant) continue;
        int64_t size = f.constant - e.constant;
        __int128 lo = e.constant, hi = f.constant;
        for (uint32_t k = 0; k < e.n; k++)
          *(e.terms[k].coef < 0 ? &lo : &hi) += (__int128)e.terms[k].coef * (name_size(c, e.terms[k].name) - 1);
        if (lo < 0 || hi > name_size(c, d)) continue;
        Form at = {e.constant, e.n, SCRATCH(c, FormTerm, e.n + 1)};
        memcpy(at.terms, e.terms, e.n * sizeof *e.terms);
        if (size > 1) {
          bound->at[b] = calculus_fresh(c, size);
          at.terms[at.n++] = (FormTerm){1, bound->at[b]};
        } else {
          bound->at[b] = vec_last(bound);
          bound->len--;
        }
        Subst s = {0};
        subst_put(&s, d, calculus_form(c, at));
        Factor *g = SCRATCH(c, Factor, fs->n);
        for (uint32_t k = 0; k < fs->n; k++)
          g[k] = (Factor){k == i || k == j ? VALUE_ONE : rename_ref(c, fs->at[k].ref, &s), fs->at[k].k};
        *out = mul(c, g, fs->n);
        return true;
      }
    }
  return false;
}

RefId sum_recombine(Calculus *c, NameVec *bound, RefId r) {
  for (bool again = true; again;) {
    again = false;
    Ref f = *ref(c, r);
    const Class *x = cls(c, f.cls);
    uint32_t n_pairs = x->n_pairs;
    const uint16_t(*pairs)[2] = x->pairs;
    for (uint32_t i = 0; i < n_pairs && !again; i++) {
      Name p = f.names[pairs[i][0]], q = f.names[pairs[i][1]];
      if (p == q || !among(bound->at, (uint32_t)bound->len, p) || !among(bound->at, (uint32_t)bound->len, q)) continue;
      int64_t a = name_size(c, p), b = name_size(c, q);
      Name j = calculus_fresh(c, a * b);
      Subst s = {0};
      subst_put(&s, q, calculus_form(c, (Form){0, 2, (FormTerm[]){{1, j}, {-b, p}}}));
      Value v = rename_ref(c, r, &s);
      if (v.k != RAT_1 || ref_has(c, v.ref, p)) continue;
      NameVec next = {0};
      for (uint32_t k = 0; k < bound->len; k++)
        if (bound->at[k] != p && bound->at[k] != q) vec_push(&next, bound->at[k]);
      vec_push(&next, j);
      vec_free(bound);
      *bound = next;
      r = v.ref;
      again = true;
    }
  }
  return r;
}

/* ---- sums that are not empty */

/* All predicates hold at these elements. */
static bool all_hold(Calculus *c, const Terms *comp, const Subst *at) {
  bool ok = true;
  for (uint32_t i = 0; i < comp->n && ok; i++)
    ok = !(flags_of(c, comp->at[i].ref) & F_PRED) || value_same(rename_ref(c, comp->at[i].ref, at), VALUE_ONE);
  return ok;
}

/* The last value of a bound index for which a comparison holds, or the first, as a form of indices around. */
static bool edge_of(Calculus *c, RefId p, const Name *bound, uint32_t n, Name index, Name *edge) {
  Terms t;
  Rel rel = atom_of(c, p, &t);
  if (rel == REL_NONE || rel == REL_NE) return false;
  Form f = {rel == REL_LT, 0, SCRATCH(c, FormTerm, t.n)};
  int64_t weight = 0, k;
  __int128 lo, hi;
  for (uint32_t i = 0; i < t.n; i++) {
    bool one = t.at[i].ref == c->one;
    if (!small_int(t.at[i].k, &k) || (!one && cls_of(c, t.at[i].ref)->kind != K_IDX)) return false;
    Name name = one ? 0 : ref(c, t.at[i].ref)->names[0];
    if (one) f.constant += k;
    else if (name == index) weight = k;
    else if (among(bound, n, name)) return false;
    else f.terms[f.n++] = (FormTerm){k, name};
  }
  if (weight != 1 && weight != -1) return false;
  lo = hi = f.constant *= -weight;
  for (uint32_t i = 0; i < f.n; i++) {
    k = f.terms[i].coef *= -weight;
    *(k < 0 ? &lo : &hi) += (__int128)k * (name_size(c, f.terms[i].name) - 1);
  }
  *edge = f.n ? calculus_form(c, f) : name_at(c, f.constant);
  return lo >= 0 && hi < name_size(c, index);
}

enum { MOST_PLACES = 5, MOST_BOUND = 3 };

/* Where an element may be for which predicates hold: at the first of a bound index, at the last, where one around of its
 * size is, or at the edge of a comparison. */
static uint32_t places_of(Calculus *c, const Terms *comp, const Name *bound, uint32_t n, Name index, Name *out) {
  int64_t size = name_size(c, index);
  uint32_t had = 0;
  out[had++] = name_at(c, 0);
  if (size > 1) out[had++] = name_at(c, size - 1);
  for (uint32_t i = 0; i < comp->n; i++) {
    const Ref *r = ref(c, comp->at[i].ref);
    for (uint32_t k = 0; k < r->n && had < MOST_PLACES; k++) {
      Name around = r->names[k];
      bool known = name_is_const(around) || among(bound, n, around) || name_size(c, around) != size;
      for (uint32_t m = 0; m < had && !known; m++) known = out[m] == around;
      if (!known) out[had++] = around;
    }
  }
  for (uint32_t i = 0; i < comp->n && had < MOST_PLACES; i++)
    had += (flags_of(c, comp->at[i].ref) & F_PRED) && edge_of(c, comp->at[i].ref, bound, n, index, &out[had]);
  return had;
}

bool sum_has_element(Calculus *c, const Terms *comp, const Name *bound, uint32_t n) {
  Name at[MOST_BOUND][MOST_PLACES];
  uint32_t count[MOST_BOUND], all = 1;
  for (uint32_t j = 0; j < n; j++)
    if (!name_size(c, bound[j])) return false;
  uint32_t some = n < MOST_BOUND ? n : MOST_BOUND; /* others are at their first */
  for (uint32_t j = 0; j < some; j++) all *= count[j] = places_of(c, comp, bound, n, bound[j], at[j]);
  for (uint32_t k = 0; k < all; k++) {
    Subst s = {0};
    for (uint32_t j = 0, rest = k; j < n; rest /= j < some ? count[j] : 1, j++)
      subst_put(&s, bound[j], j < some ? at[j][rest % count[j]] : name_at(c, 0));
    if (all_hold(c, comp, &s)) return true;
  }
  return false;
}
