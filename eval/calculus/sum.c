/* Sums over indices (contractions).
 *
 * Nested sums flatten where their value meets a bound index, an index the body does not have multiplies by its size,
 * factors without a bound index move out, the rest splits into connected components, each a class of its own.  A sum
 * over a lone linear combination distributes; products of sums are never expanded (that is a tactic). */
#include <string.h>

#include "eval/calculus/core.h"

enum { MAX_WRITTEN = 64, MAX_CASES = 16 };

typedef struct Sum {
  Calculus *c;
  NameVec bound;
  Terms fs; /* the body: factor -> power */
  Rat k;
} Sum;

static bool has_bound(const Sum *s, RefId r) {
  const Ref *f = ref(s->c, r);
  for (uint32_t i = 0; i < f->n; i++)
    for (uint32_t j = 0; j < s->bound.len; j++)
      if (f->names[i] == s->bound.at[j]) return true;
  return false;
}

static bool is_linear(const Calculus *c, const Term *t) {
  const Class *x = cls_of(c, t->ref);
  return t->k == RAT_1 && x->kind == K_LIN && !(x->flags & F_PRED);
}

/* Infinities do not distribute: one times 1 - 1 is 0. */
static bool distributes(const Sum *s, uint32_t i) {
  for (uint32_t j = 0; j < s->fs.n; j++)
    if (j != i && (flags_of(s->c, s->fs.at[j].ref) & F_INFINITE)) return false;
  return is_linear(s->c, &s->fs.at[i]) && !positive_numbers(s->c, s->fs.at[i].ref);
}

/* The same sum over another body. */
static Value again(Sum *s, Value body) {
  return calc_sum(s->c, s->bound.at, (uint32_t)s->bound.len, val(rat_mul(s->k, body.k), body.ref));
}

/* sum of (terms of the linear factor i) times the other factors */
static Value distribute(Sum *s, const Terms *fs, uint32_t i, const Name *bound, uint32_t n_bound) {
  Calculus *c = s->c;
  Terms t = terms_of(c, one_of(fs->at[i].ref));
  Factor *f = SCRATCH(c, Factor, fs->n);
  Value *v = SCRATCH(c, Value, t.n);
  for (uint32_t j = 0; j < t.n; j++) {
    for (uint32_t k = 0; k < fs->n; k++)
      f[k] = k == i ? (Factor){val(t.at[j].k, t.at[j].ref), RAT_1} : (Factor){one_of(fs->at[k].ref), fs->at[k].k};
    v[j] = calc_sum(c, bound, n_bound, mul(c, f, fs->n));
  }
  return calc_add(c, v, t.n);
}

/* Contractions among the factors that have a bound index are opened; as a tactic, squares of them too. */
static bool flatten(Sum *s) {
  Calculus *c = s->c;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < s->fs.n && !more; i++) {
      Term t = s->fs.at[i];
      bool square = t.k == RAT_INT(2) && c->options.expand && !c->exhausted;
      if (cls_of(c, t.ref)->kind != K_RED || (t.k != RAT_1 && !square) || !has_bound(s, t.ref)) continue;
      Opened o = node_open(c, t.ref);
      for (uint32_t j = 0; j < o.n_bound; j++) vec_push(&s->bound, o.bound[j]);
      Factor *f = SCRATCH(c, Factor, s->fs.n + o.n + 1);
      uint32_t n = 0;
      if (square) f[n++] = (Factor){one_of(t.ref), RAT_1};
      for (uint32_t j = 0; j < s->fs.n; j++)
        if (j != i) f[n++] = (Factor){one_of(s->fs.at[j].ref), s->fs.at[j].k};
      for (uint32_t j = 0; j < o.n; j++) f[n++] = (Factor){one_of(o.args[j].ref), o.args[j].k};
      Value v = mul(c, f, n);
      if (v.k == RAT_0) return false;
      s->k = rat_mul(s->k, v.k);
      s->fs = factors_of(c, v.ref);
      more = true;
    }
  }
  return true;
}

/* Bound indices the body does not have multiply by their size. */
static void drop_unused(Sum *s) {
  uint32_t n = 0;
  for (uint32_t j = 0; j < s->bound.len; j++) {
    bool used = false;
    for (uint32_t i = 0; i < s->fs.n && !used; i++) used = ref_has(s->c, s->fs.at[i].ref, s->bound.at[j]);
    if (used)
      s->bound.at[n++] = s->bound.at[j];
    else
      s->k = rat_mul(s->k, rat_int(name_size(s->c, s->bound.at[j])));
  }
  s->bound.len = n;
}

static void unbind(Sum *s, const Subst *m) {
  uint32_t n = 0;
  for (uint32_t j = 0; j < s->bound.len; j++)
    if (target(m, s->bound.at[j]) == s->bound.at[j]) s->bound.at[n++] = s->bound.at[j];
  s->bound.len = n;
}

static Value renamed_product(Sum *s, const Subst *m, uint32_t except) {
  Factor *f = SCRATCH(s->c, Factor, s->fs.n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->fs.n; i++)
    if (i != except) f[n++] = (Factor){rename_ref(s->c, s->fs.at[i].ref, m), s->fs.at[i].k};
  return mul(s->c, f, n);
}

/* One-hot factors substitute the index: sum_k [k == j] f(k) = f(j), sum_k [k == 3] f(k) = f(3); [j < n] f(j) where j may
 * be larger. */
static bool substitute(Sum *s, Value *out) {
  Calculus *c = s->c;
  for (uint32_t i = 0; i < s->fs.n; i++) {
    Subst m = {0};
    Value inside = VALUE_ONE;
    if (s->fs.at[i].k != RAT_1) continue;
    if (!sum_delta(c, s->fs.at[i].ref, s->bound.at, (uint32_t)s->bound.len, &m)) {
      m.n = 0;
      Value *outside = c->options.outside ? &inside : NULL;
      bool forms = c->options.cases || c->options.flat;
      if (!forms || !sum_place(c, s->fs.at[i].ref, s->bound.at, (uint32_t)s->bound.len, &m, outside)) continue;
    }
    unbind(s, &m);
    *out = again(s, calc_mul2(c, inside, renamed_product(s, &m, i)));
    return true;
  }
  for (uint32_t i = 0; i < s->fs.n; i++) {
    Name n;
    uint32_t v;
    if (!point_of(c, s->fs.at[i].ref, &n, &v)) continue;
    Subst m = {1, {{n, name_const(v)}}};
    uint32_t had = (uint32_t)s->bound.len;
    unbind(s, &m);
    if (s->bound.len == had) continue;
    if ((int64_t)v >= name_size(c, n)) {
      *out = VALUE_ZERO;
      return true;
    }
    *out = again(s, renamed_product(s, &m, UINT32_MAX));
    return true;
  }
  return false;
}

/* A factor given piecewise, sum_c [n == c] g_c: every term has a predicate on one index (or, with flat dimensions, on
 * some bound index).  The sum distributes over it. */
static bool piecewise(const Sum *s, RefId r) {
  Calculus *c = s->c;
  if (!is_masked(c, r)) return false;
  Terms t = terms_of(c, one_of(r));
  Name *common = NULL;
  uint32_t n_common = 0;
  bool guarded = c->options.flat;
  for (uint32_t i = 0; i < t.n; i++) {
    Terms fs = factors_of(c, t.at[i].ref);
    Name *points = SCRATCH(c, Name, fs.n);
    uint32_t n = 0;
    bool guard = false;
    for (uint32_t j = 0; j < fs.n; j++) {
      uint32_t v;
      if (point_of(c, fs.at[j].ref, &points[n], &v) && !(c->options.cases && name_size(c, points[n]) <= MAX_CASES)) n++;
      guard |= (flags_of(c, fs.at[j].ref) & F_PRED) && has_bound(s, fs.at[j].ref);
    }
    guarded &= guard;
    if (!i) {
      common = points;
      n_common = n;
      continue;
    }
    uint32_t m = 0;
    for (uint32_t j = 0; j < n_common; j++)
      for (uint32_t k = 0; k < n; k++)
        if (points[k] == common[j]) {
          common[m++] = common[j];
          break;
        }
    n_common = m;
  }
  return n_common || guarded;
}

static bool distribute_pieces(Sum *s, Value *out) {
  if (is_late(s->c)) return false;
  for (uint32_t i = 0; i < s->fs.n; i++) {
    if (!distributes(s, i) || !has_bound(s, s->fs.at[i].ref) || !piecewise(s, s->fs.at[i].ref)) continue;
    *out = value_scale(s->k, distribute(s, &s->fs, i, s->bound.at, (uint32_t)s->bound.len));
    return true;
  }
  return false;
}

/* Indices that occur in one linear factor only are summed inside it. */
static bool sum_inside(Sum *s, Value *out) {
  Calculus *c = s->c;
  if (s->fs.n < 2 || c->options.expand) return false;
  for (uint32_t i = 0; i < s->fs.n; i++) {
    const Class *x = cls_of(c, s->fs.at[i].ref);
    if (s->fs.at[i].k != RAT_1 || x->kind != K_LIN) continue;
    Name *own = SCRATCH(c, Name, s->bound.len);
    uint32_t n_own = 0, n_rest = 0;
    Name *rest = SCRATCH(c, Name, s->bound.len);
    for (uint32_t b = 0; b < s->bound.len; b++) {
      bool only = ref_has(c, s->fs.at[i].ref, s->bound.at[b]);
      for (uint32_t j = 0; j < s->fs.n && only; j++) only = j == i || !ref_has(c, s->fs.at[j].ref, s->bound.at[b]);
      if (only)
        own[n_own++] = s->bound.at[b];
      else
        rest[n_rest++] = s->bound.at[b];
    }
    if (!n_own) continue;
    Factor *f = SCRATCH(c, Factor, s->fs.n);
    for (uint32_t j = 0; j < s->fs.n; j++) f[j] = (Factor){one_of(s->fs.at[j].ref), s->fs.at[j].k};
    f[i].v = calc_sum(c, own, n_own, one_of(s->fs.at[i].ref));
    Value v = mul(c, f, s->fs.n);
    *out = calc_sum(c, rest, n_rest, val(rat_mul(s->k, v.k), v.ref));
    return true;
  }
  return false;
}

static bool has_any(const Sum *s, RefId r, const Name *names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (ref_has(s->c, r, names[i])) return true;
  return false;
}

/* Weighted distances from a mean: indices of exponentials and one linear factor alone, where their sum is zero. */
static bool vanishes(Sum *s) {
  Calculus *c = s->c;
  Name *own = SCRATCH(c, Name, s->bound.len);
  Factor *f = SCRATCH(c, Factor, s->fs.n);
  for (uint32_t at = 0; at < s->fs.n; at++) {
    if (!distributes(s, at)) continue;
    uint32_t n_own = 0, n = 0;
    bool weighted = false, mean = false;
    for (uint32_t b = 0; b < s->bound.len; b++) {
      bool only = ref_has(c, s->fs.at[at].ref, s->bound.at[b]), weighs = false;
      for (uint32_t i = 0; i < s->fs.n && only; i++) {
        if (i == at || !ref_has(c, s->fs.at[i].ref, s->bound.at[b])) continue;
        weighs |= is_exp(c, s->fs.at[i].ref);
        only = is_exp(c, s->fs.at[i].ref) || (flags_of(c, s->fs.at[i].ref) & F_PRED);
      }
      if (only) own[n_own++] = s->bound.at[b];
      weighted |= only && weighs;
    }
    if (!weighted) continue;
    Terms t = terms_of(c, one_of(s->fs.at[at].ref));
    for (uint32_t i = 0; i < t.n && !mean; i++) mean = !has_any(s, t.at[i].ref, own, n_own);
    for (uint32_t i = 0; i < s->fs.n && mean; i++)
      if (has_any(s, s->fs.at[i].ref, own, n_own)) f[n++] = (Factor){one_of(s->fs.at[i].ref), s->fs.at[i].k};
    if (mean && n < s->fs.n && calc_sum(c, own, n_own, mul(c, f, n)).k == RAT_0) return true;
  }
  return false;
}

static bool share_bound(const Sum *s, RefId a, RefId b) {
  for (uint32_t j = 0; j < s->bound.len; j++)
    if (ref_has(s->c, a, s->bound.at[j]) && ref_has(s->c, b, s->bound.at[j])) return true;
  return false;
}

/* Component of factor `from` under sharing bound indices; marks its members. */
static Terms component(const Sum *s, uint32_t from, bool *taken) {
  Terms comp = {0};
  uint32_t *stack = SCRATCH(s->c, uint32_t, s->fs.n), n = 0;
  stack[n++] = from;
  taken[from] = true;
  while (n) {
    uint32_t i = stack[--n];
    terms_add(s->c, &comp, s->fs.at[i].ref, s->fs.at[i].k);
    for (uint32_t j = 0; j < s->fs.n; j++)
      if (!taken[j] && share_bound(s, s->fs.at[i].ref, s->fs.at[j].ref)) taken[j] = true, stack[n++] = j;
  }
  return comp;
}

/* Few elements count, and each is in a range. */
static void range_of_counted(Calculus *c, const Terms *comp, const Name *bound, uint32_t n, Props *p) {
  Terms where = {0};
  Rat lo = RAT_1, hi = RAT_1, a, b;
  for (uint32_t i = 0; i < comp->n; i++) {
    bool pred = (flags_of(c, comp->at[i].ref) & F_PRED) != 0;
    if (pred) terms_add(c, &where, comp->at[i].ref, RAT_1);
    else if (comp->at[i].k != RAT_1 || !range_of(c, one_of(comp->at[i].ref), &lo, &hi)) return;
  }
  if (!where.n || where.n + 1 != comp->n) return;
  Rat most = count_most(c, &where, bound, n);
  a = rat_mul(most, lo), b = rat_mul(most, hi);
  p->flags |= F_RANGE;
  p->lo = rat_sign(a) < 0 ? a : RAT_0;
  p->hi = rat_sign(b) > 0 ? b : RAT_0;
}

static Props props_of_sum_of(Calculus *c, const Terms *comp, const Name *bound, uint32_t n) {
  Props p = {F_POS | F_NONNEG | F_INTEGER, 0, 0};
  bool pred = true, where = false;
  for (uint32_t i = 0; i < comp->n; i++) {
    uint16_t f = flags_of(c, comp->at[i].ref);
    Rat e = comp->at[i].k;
    bool even = rat_is_int(rat_div(e, RAT_INT(2)));
    where |= (f & F_PRED) != 0;
    if (!(f & (F_POS | F_PRED))) p.flags &= (uint16_t)~F_POS;
    if (!(f & F_NONNEG) && !even) p.flags &= (uint16_t)~F_NONNEG;
    if (!(f & F_INTEGER) || !rat_is_int(e) || rat_sign(e) < 0) p.flags &= (uint16_t)~F_INTEGER;
    if (rat_sign(e) < 0 && !(f & F_POS)) p.flags |= F_DIVIDES;
    pred &= (f & F_PRED) != 0;
  }
  if (where && (p.flags & F_POS) && (pred || !sum_has_element(c, comp, bound, n))) p.flags &= (uint16_t)~F_POS;
  if (pred) { /* a count */
    p.flags |= F_RANGE;
    p.lo = comp->n > 2 && count_itself(c, comp, bound, n) ? RAT_1 : RAT_0;
    p.hi = count_most(c, comp, bound, n);
  } else if (p.flags & F_INTEGER) {
    range_of_counted(c, comp, bound, n, &p);
  }
  return p;
}

/* A choice that no bound index decides: the sum of what is chosen. */
static bool sum_chosen(Calculus *c, const Terms *comp, const Name *bound, uint32_t n, Value *out) {
  if (comp->n != 1 || comp->at[0].k != RAT_1 || cls_of(c, comp->at[0].ref)->kind != K_SEL) return false;
  Opened o = node_open(c, comp->at[0].ref);
  Value v[3];
  for (int i = 0; i < 3; i++) {
    Terms t = terms_of(c, one_of(o.args[i].ref)); /* what ref_of wrapped */
    v[i] = lin(c, &t);
  }
  for (uint32_t j = 0; j < n; j++)
    if (ref_has(c, o.args[0].ref, bound[j])) return false;
  for (int i = 1; i < 3; i++) v[i] = calc_sum(c, bound, n, v[i]);
  *out = calc_select(c, v[0], v[1], v[2]);
  return true;
}

static Value sum_component(Sum *s, const Terms *comp, bool alone) {
  Calculus *c = s->c;
  Name *bound = SCRATCH(c, Name, s->bound.len);
  uint32_t n = 0;
  for (uint32_t j = 0; j < s->bound.len; j++) {
    bool used = false;
    for (uint32_t i = 0; i < comp->n && !used; i++) used = ref_has(c, comp->at[i].ref, s->bound.at[j]);
    if (used) bound[n++] = s->bound.at[j];
  }
  if (comp->n == 1 && !alone && comp->at[0].k == RAT_1 && cls_of(c, comp->at[0].ref)->kind == K_LIN)
    return calc_sum(c, bound, n, one_of(comp->at[0].ref));
  Value v;
  if (sum_unity(c, comp, bound, n, &v) || sum_chosen(c, comp, bound, n, &v)) return v;
  uint32_t n_lin = 0, at = 0;
  bool others = true;
  for (uint32_t i = 0; i < comp->n; i++) {
    if (is_linear(c, &comp->at[i]))
      n_lin++, at = i;
    else /* what a combination's terms have in common may stand before it, or have been left in them */
      others &= (flags_of(c, comp->at[i].ref) & F_PRED) != 0 || (is_exp(c, comp->at[i].ref) && !c->options.cases);
  }
  if (n_lin == 1 && others) return distribute(s, comp, at, bound, n);
  return one_of(canon(c, K_RED, 0, comp->at, comp->n, bound, n, props_of_sum_of(c, comp, bound, n)));
}

/* Tactic: distribute over a linear factor. */
static bool expand(Sum *s, Value *out) {
  Calculus *c = s->c;
  for (uint32_t i = 0; i < s->fs.n && c->options.expand && !c->exhausted; i++) {
    if (!distributes(s, i) || cls_of(c, s->fs.at[i].ref)->n_args > c->options.expand) continue;
    *out = value_scale(s->k, distribute(s, &s->fs, i, s->bound.at, (uint32_t)s->bound.len));
    return true;
  }
  return false;
}

/* With flat dimensions: pairs of digits read together become one index, guards shorten ranges. */
static bool reshape_range(Sum *s, Value *out) {
  Calculus *c = s->c;
  if (!c->options.flat || !s->bound.len) return false;
  Value v = mul_terms(c, &s->fs, NO_REF);
  if (v.k == RAT_0) return *out = VALUE_ZERO, true;
  RefId r = sum_recombine(c, &s->bound, v.ref);
  if (r != v.ref) return *out = again(s, val(v.k, r)), true;
  if (sum_window(c, &s->bound, &s->fs, &v)) return *out = v.k == RAT_0 ? VALUE_ZERO : again(s, v), true;
  if (sum_trim(c, &s->bound, &s->fs, &v)) return *out = v.k == RAT_0 ? VALUE_ZERO : again(s, v), true;
  return false;
}

/* Indices of predicates alone that add up to one (sum_unity) are summed among these, whatever else is in the product. */
static bool unity_inside(Sum *s, Value *out) {
  Calculus *c = s->c;
  for (uint32_t b = 0; b < s->bound.len; b++) {
    Terms with = {0};
    bool preds = true;
    for (uint32_t i = 0; i < s->fs.n && preds; i++) {
      if (!ref_has(c, s->fs.at[i].ref, s->bound.at[b])) continue;
      preds = (flags_of(c, s->fs.at[i].ref) & F_PRED) && s->fs.at[i].k == RAT_1 && with.n < 2;
      terms_add(c, &with, s->fs.at[i].ref, RAT_1);
    }
    if (!preds || !with.n || with.n == s->fs.n) continue;
    Name *own = SCRATCH(c, Name, s->bound.len), *rest = SCRATCH(c, Name, s->bound.len);
    uint32_t n_own = 0, n_rest = 0;
    for (uint32_t k = 0; k < s->bound.len; k++) {
      bool inside = k == b || ref_has(c, with.at[0].ref, s->bound.at[k]);
      for (uint32_t i = 0; i < s->fs.n && inside; i++)
        inside = terms_find(&with, s->fs.at[i].ref) || !ref_has(c, s->fs.at[i].ref, s->bound.at[k]);
      if (inside)
        own[n_own++] = s->bound.at[k];
      else
        rest[n_rest++] = s->bound.at[k];
    }
    Factor *f = SCRATCH(c, Factor, s->fs.n + 1);
    uint32_t n = 1;
    if (!sum_unity(c, &with, own, n_own, &f[0].v)) continue;
    f[0].p = RAT_1;
    for (uint32_t i = 0; i < s->fs.n; i++)
      if (!terms_find(&with, s->fs.at[i].ref)) f[n++] = (Factor){one_of(s->fs.at[i].ref), s->fs.at[i].k};
    Value v = mul(c, f, n);
    *out = calc_sum(c, rest, n_rest, val(rat_mul(s->k, v.k), v.ref));
    return true;
  }
  return false;
}

/* The sum of v, with these in place of bound index i; constants among them are none. */
static Value resum(const Sum *s, uint32_t i, Value v, const Name *over, uint32_t n_over) {
  Name *bound = SCRATCH(s->c, Name, s->bound.len + n_over);
  uint32_t n = 0;
  for (uint32_t j = 0; j < s->bound.len; j++)
    if (j != i) bound[n++] = s->bound.at[j];
  for (uint32_t j = 0; j < n_over; j++)
    if (!name_is_const(over[j])) bound[n++] = over[j];
  return calc_sum(s->c, bound, n, v);
}

/* i = row a + b, where all that reads i does so by rows. */
static bool by_rows(Sum *s, uint32_t i, Value v, int64_t row, Value *out) {
  Calculus *c = s->c;
  int64_t size = name_size(c, s->bound.at[i]);
  if (row >= size || size % row) return false;
  Name ab[2];
  Subst m = breaks_by_rows(c, s->bound.at[i], row, ab);
  Value u = calc_rename(c, v, &m);
  NameVec both = {0};
  vec_push(&both, ab[0]);
  vec_push(&both, ab[1]);
  bool apart = !breaks_at(c, u, ab[1]).row && sum_recombine(c, &both, u.ref) == u.ref;
  vec_free(&both);
  if (apart) *out = resum(s, i, u, ab, 2);
  return apart;
}

/* With flat dimensions: a range is cut where predicates within the body change, and into the rows that it is read by. */
static bool cut_range(Sum *s, Value *out) {
  Calculus *c = s->c;
  if (!c->options.flat) return false;
  Value v = mul_terms(c, &s->fs, NO_REF);
  for (uint32_t i = 0; i < s->bound.len; i++) {
    Breaks b = breaks_at(c, v, s->bound.at[i]);
    if (b.overflow) continue;
    if (!b.n) {
      if (!b.row || !by_rows(s, i, v, b.row, out)) continue;
      return *out = value_scale(s->k, *out), true;
    }
    Value all[MAX_BREAKS];
    for (uint32_t k = 0; k + 1 < b.n; k++) {
      Name in;
      Subst m = breaks_piece(c, s->bound.at[i], b.at[k], b.at[k + 1], &in);
      all[k] = resum(s, i, calc_rename(c, v, &m), &in, 1);
    }
    return *out = value_scale(s->k, calc_add(c, all, b.n - 1)), true;
  }
  return false;
}

/* What is read from its end alone is read from its beginning. */
static bool backward(Sum *s, Value *out) {
  Calculus *c = s->c;
  if (!c->backward) return false;
  Value v = mul_terms(c, &s->fs, NO_REF);
  for (uint32_t i = 0; i < s->bound.len; i++) {
    Subst m;
    Name in;
    if (!breaks_backward(c, v, s->bound.at[i], &m, &in)) continue;
    *out = value_scale(s->k, resum(s, i, calc_rename(c, v, &m), &in, 1));
    return true;
  }
  return false;
}

static Value contract(Sum *s) {
  Calculus *c = s->c;
  Value v;
  if (!flatten(s)) return VALUE_ZERO;
  drop_unused(s);
  if (!s->bound.len) return value_scale(s->k, mul_terms(c, &s->fs, NO_REF));
  if (s->fs.n == 1 && s->fs.at[0].k == RAT_1 && cls_of(c, s->fs.at[0].ref)->kind == K_LIN)
    return again(s, one_of(s->fs.at[0].ref));
  if (reshape_range(s, &v) || substitute(s, &v)) return v;
  if (pick_read(c, s->bound.at, (uint32_t)s->bound.len, &s->fs, &v)) return value_scale(s->k, v);
  if (order_read(c, s->bound.at, (uint32_t)s->bound.len, &s->fs, &v)) return value_scale(s->k, v);
  if (unity_inside(s, &v)) return v;
  if (distribute_pieces(s, &v) || cut_range(s, &v) || backward(s, &v) || expand(s, &v)) return v;
  if (vanishes(s)) return VALUE_ZERO;
  if (sum_inside(s, &v)) return v;
  bool *taken = SCRATCH(c, bool, s->fs.n);
  Factor *f = SCRATCH(c, Factor, s->fs.n);
  uint32_t n = 0, n_comps = 0;
  Terms *comps = SCRATCH(c, Terms, s->fs.n);
  for (uint32_t i = 0; i < s->fs.n; i++) {
    if (taken[i]) continue;
    if (!has_bound(s, s->fs.at[i].ref))
      f[n++] = (Factor){one_of(s->fs.at[i].ref), s->fs.at[i].k};
    else
      comps[n_comps++] = component(s, i, taken);
  }
  bool alone = n_comps == 1 && n == 0;
  for (uint32_t i = 0; i < n_comps; i++) f[n++] = (Factor){sum_component(s, &comps[i], alone), RAT_1};
  return value_scale(s->k, mul(c, f, n));
}

/* Tactic: a sum over an index of a split sort is written out. */
static bool split_sum(Calculus *c, const Name *bound, uint32_t n, Value v, Value *out) {
  for (uint32_t b = 0; b < n && !c->exhausted; b++) {
    int64_t size = name_size(c, bound[b]);
    if (!writes_out(c, v.ref, bound[b])) continue;
    /* what does not have the index stays outside with the indices it has: (a_0 + a_1) / d, not a_0 / d + a_1 / d */
    Terms fs = factors_of(c, v.ref);
    Factor *has = SCRATCH(c, Factor, fs.n), *outer = SCRATCH(c, Factor, fs.n + 1);
    uint32_t n_has = 0, n_free = 0, n_in = 0, n_rest = 0;
    for (uint32_t i = 0; i < fs.n; i++) {
      Factor f = {one_of(fs.at[i].ref), fs.at[i].k};
      if (ref_has(c, fs.at[i].ref, bound[b]))
        has[n_has++] = f;
      else
        outer[n_free++] = f;
    }
    Name *in = SCRATCH(c, Name, n), *rest = SCRATCH(c, Name, n);
    for (uint32_t i = 0; i < n; i++) {
      bool outside = false;
      for (uint32_t j = 0; j < n_free && !outside; j++) outside = ref_has(c, outer[j].v.ref, bound[i]);
      if (i == b) continue;
      if (outside)
        rest[n_rest++] = bound[i];
      else
        in[n_in++] = bound[i];
    }
    Value body = mul(c, has, n_has), *all = SCRATCH(c, Value, size);
    for (int64_t x = 0; x < size; x++) {
      Subst s = {1, {{bound[b], name_const(x)}}};
      all[x] = calc_sum(c, in, n_in, calc_rename(c, body, &s));
    }
    outer[n_free++] = (Factor){calc_add(c, all, (uint32_t)size), RAT_1};
    *out = value_scale(v.k, calc_sum(c, rest, n_rest, mul(c, outer, n_free)));
    return true;
  }
  return false;
}

Value calc_sum(Calculus *c, const Name *bound, uint32_t n, Value v) {
  if (!n || v.k == RAT_0) return v;
  step(c);
  if (c->broken) return VALUE_ZERO;
  Frame m = frame_enter(c);
  Value out;
  if (split_sum(c, bound, n, v, &out)) {
  } else if (cls_of(c, v.ref)->kind == K_LIN) {
    Terms t = terms_of(c, v);
    Value *all = SCRATCH(c, Value, t.n);
    for (uint32_t i = 0; i < t.n; i++) all[i] = calc_sum(c, bound, n, val(t.at[i].k, t.at[i].ref));
    out = calc_add(c, all, t.n);
  } else {
    Sum s = {.c = c, .fs = factors_of(c, v.ref), .k = v.k};
    for (uint32_t i = 0; i < n; i++) vec_push(&s.bound, bound[i]);
    out = contract(&s);
    vec_free(&s.bound);
  }
  frame_leave(c, m);
  return out;
}

bool is_split(const Calculus *c, Sort s) {
  for (uint32_t i = 0; i < c->n_split; i++)
    if (c->split[i] == s) return s != 0;
  return false;
}

bool writes_out(const Calculus *c, RefId r, Name n) {
  if (!c->n_split && !c->options.cases) return false;
  const Ref *f = ref(c, r);
  const Class *x = cls(c, f->cls);
  for (uint32_t i = 0; i < f->n; i++) {
    if (f->names[i] != n) continue;
    if (x->sizes[i] <= MAX_WRITTEN && x->sorts[i] && is_split(c, x->sorts[i])) return true;
    if (c->options.cases && x->sizes[i] <= MAX_CASES && x->selects && x->selects[i]) return true;
  }
  return false;
}

Sort sort_of(const Calculus *c, RefId r, Name n) {
  const Ref *f = ref(c, r);
  const Sort *sorts = cls(c, f->cls)->sorts;
  for (uint32_t i = 0; i < f->n; i++)
    if (f->names[i] == n && sorts[i]) return sorts[i];
  return 0;
}
