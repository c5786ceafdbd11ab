/* Equality by pieces.  Two values that are not one normal form may still be equal on every interval between the points
 * where a predicate on a free index changes, on either side: there the predicates are constants and the rest is
 * compared again.  An index that predicates read by rows, as a matrix in a flat buffer is, becomes row and column.
 * What has no such index is compared once more with small sums written out, and as a sum of products.
 * Complete for piecewise-affine differences; cost follows the number of break points. */
#include "eval/calculus/core.h"

enum { MOST_OVER = 4 }; /* denominators that both sides are multiplied by */
enum { DEPTH = 6, PRODUCTS = 3, ROUNDS = 8, MOST_TERMS = 48 }; /* comparisons are written out in the rounds after those */
enum { MOST_VALUES = 64, MOST_WRITTEN = 256, WRITTEN = 2 };    /* of an index that is written out; terms; rounds */

typedef enum Opening { SUMS = 1, SQUARES = 2 } Opening; /* what is written out; 0: comparisons */

/* A factor that may be written out as a sum of `n` parts: a combination, or a comparison of indices. */
static bool is_open(Calculus *c, const Terms *fs, int sums, uint32_t *at, Value *parts, uint32_t *n) {
  bool some = false;
  for (uint32_t i = 0; i < fs->n; i++) {
    const Class *x = cls_of(c, fs->at[i].ref);
    if (x->flags & F_INFINITE) return false;
    bool power = fs->at[i].k == RAT_1 || ((sums & SQUARES) && fs->at[i].k == RAT_INT(2));
    if (some || !power || x->kind != K_LIN || (x->flags & F_PRED) || x->n_args > MOST_TERMS) continue;
    if (!sums) return false;
    Terms t = terms_of(c, one_of(fs->at[i].ref));
    for (*n = 0; *n < t.n; ++*n) parts[*n] = val(t.at[*n].k, t.at[*n].ref);
    *at = i;
    some = true;
  }
  for (uint32_t i = 0; i < fs->n && !some && !sums; i++)
    if (fs->at[i].k == RAT_1 && compare_parts(c, fs->at[i].ref, parts, n)) *at = i, some = true;
  return some;
}

/* With v instead of factor i, once. */
static Value with_factor(Calculus *c, const Terms *fs, uint32_t i, Value v) {
  Factor *f = SCRATCH(c, Factor, fs->n + 1);
  uint32_t n = fs->n;
  for (uint32_t j = 0; j < n; j++) f[j] = (Factor){one_of(fs->at[j].ref), fs->at[j].k};
  f[i] = (Factor){v, RAT_1};
  if (fs->at[i].k != RAT_1) f[n++] = (Factor){one_of(fs->at[i].ref), rat_sub(fs->at[i].k, RAT_1)};
  return mul(c, f, n);
}

/* Adds k r, a product or a sum of products, written out over the first of its factors that is open. */
static void spread(Calculus *c, Terms *out, RefId r, Rat k, int sums) {
  Terms fs = factors_of(c, r), body = {0};
  uint32_t at = 0, inner = 0, n = 0;
  Value *parts = SCRATCH(c, Value, MOST_TERMS);
  bool product = is_open(c, &fs, sums, &at, parts, &n), sum = false;
  Opened o = {0};
  for (uint32_t i = 0; i < fs.n && !product && !sum; i++) {
    if (fs.at[i].k != RAT_1 || cls_of(c, fs.at[i].ref)->kind != K_RED) continue;
    o = node_open(c, fs.at[i].ref);
    body = (Terms){0};
    for (uint32_t j = 0; j < o.n; j++) terms_add(c, &body, o.args[j].ref, o.args[j].k);
    sum = is_open(c, &body, sums, &inner, parts, &n);
    at = i;
  }
  if (!product && !sum) {
    terms_add(c, out, r, k);
    return;
  }
  for (uint32_t j = 0; j < n; j++) {
    Value x = parts[j];
    if (sum) x = calc_sum(c, o.bound, o.n_bound, with_factor(c, &body, inner, x));
    x = with_factor(c, &fs, at, x);
    Terms t = terms_of(c, value_scale(k, x));
    for (uint32_t i = 0; i < t.n; i++) terms_add(c, out, t.at[i].ref, t.at[i].k);
  }
}

/* Both values as lists of terms, without those they have in common. */
typedef struct Compared {
  Terms side[2];
  uint16_t gone; /* flags of what has cancelled within a side: x - x is 0 where x is a number */
} Compared;

static void meet(Calculus *c, Compared *x) {
  for (int s = 0; s < 2; s++) {
    for (uint32_t i = 0; i < x->side[s].n; i++)
      if (x->side[s].at[i].k == RAT_0) x->gone |= flags_of(c, x->side[s].at[i].ref);
    terms_pack(&x->side[s]);
  }
  for (uint32_t i = 0; i < x->side[0].n; i++) {
    const Term *t = &x->side[0].at[i], *u = terms_find(&x->side[1], t->ref);
    if (!u || u->k != t->k) continue;
    Rat k = t->k;
    RefId r = t->ref;
    for (int s = 0; s < 2; s++) terms_add(c, &x->side[s], r, rat_neg(k));
  }
  for (int s = 0; s < 2; s++) terms_pack(&x->side[s]);
}

/* Of two products what is multiplied by the factors that they have in common. */
static void divide(Calculus *c, Value *a, Value *b) {
  if (cls_of(c, a->ref)->kind != K_MUL || cls_of(c, b->ref)->kind != K_MUL || c->exhausted) return;
  Terms fa = factors_of(c, a->ref), fb = factors_of(c, b->ref);
  uint32_t had = fa.n;
  for (uint32_t i = 0; i < fa.n; i++) {
    Term *other = terms_find(&fb, fa.at[i].ref);
    if (other && other->k == fa.at[i].k) other->k = fa.at[i].k = RAT_0;
  }
  terms_pack(&fa);
  terms_pack(&fb);
  if (fa.n == had) return;
  *a = value_scale(a->k, mul_terms(c, &fa, NO_REF));
  *b = value_scale(b->k, mul_terms(c, &fb, NO_REF));
}

static Compared compared(Calculus *c, Value a, Value b) {
  divide(c, &a, &b);
  Compared x = {.side = {terms_of(c, a), terms_of(c, b)}};
  meet(c, &x);
  return x;
}

static bool are_same(Calculus *c, const Compared *x) {
  if (x->side[0].n || x->side[1].n || c->exhausted) return false;
  assume_number(c, x->gone);
  return true;
}

static bool is_short(const Compared *x) {
  uint32_t n = x->side[0].n + x->side[1].n;
  return n && n <= MOST_TERMS;
}

/* A maximum over an index of a few values, written out. */
static bool max_written_once(Calculus *c, RefId r, Value *out) {
  Opened o = cls_of(c, r)->kind == K_MAX ? node_open(c, r) : (Opened){0};
  for (uint32_t b = 0; b < o.n_bound; b++) {
    int64_t size = name_size(c, o.bound[b]);
    if (size > MOST_VALUES || size * o.n > MOST_WRITTEN) continue;
    Value *all = SCRATCH(c, Value, size * o.n);
    for (uint32_t i = 0; i < size * o.n; i++) {
      Subst s = {1, {{o.bound[b], name_const(i / o.n)}}};
      all[i] = value_scale(o.args[i % o.n].k, rename_ref(c, o.args[i % o.n].ref, &s));
    }
    o.bound[b] = o.bound[--o.n_bound];
    return *out = calc_max(c, all, (uint32_t)size * o.n, o.bound, o.n_bound), true;
  }
  return false;
}

/* Over all of them: what is a maximum of each value merges with the whole. */
static bool max_written(Calculus *c, RefId r, Value *out) {
  if (!max_written_once(c, r, out)) return false;
  while (out->k == RAT_1 && !c->exhausted && max_written_once(c, out->ref, out)) continue;
  return true;
}

static void write_out(Calculus *c, Terms *out, RefId r, Rat k);

enum { SUM_WRITTEN = 9 }; /* tag of keys of the memo */

/* A sum in the terms of which that is done.  What stands in many places is written once. */
static Value sum_written(Calculus *c, RefId r) {
  uint64_t key = (uint64_t)r << 8 | SUM_WRITTEN, h;
  const Value *known = memo_find(c, &key, 1, &h);
  if (known) return *known;
  Terms was = terms_of(c, one_of(r)), is = {0};
  for (uint32_t i = 0; i < was.n; i++) write_out(c, &is, was.at[i].ref, was.at[i].k);
  Value v = add_terms(c, &is);
  if (!is_late(c)) memo_put(c, &key, 1, h, v);
  return v;
}

/* A function of one argument, or a comparison, in which that is done. */
static bool written_within(Calculus *c, RefId r, Value *out) {
  Kind kind = (Kind)cls_of(c, r)->kind;
  uint32_t attr = cls_of(c, r)->attr;
  Opened o = kind == K_FN || kind == K_CMP ? node_open(c, r) : (Opened){0};
  if (o.n != 1) return false;
  Value x = sum_written(c, o.args[0].ref);
  *out = kind == K_FN ? calc_fn(c, attr, &x, 1) : calc_cmp(c, (CmpOp)attr, x, VALUE_ZERO);
  return true;
}

/* A product in whose factors that is done. */
static bool factors_written(Calculus *c, const Terms *fs, Value *out) {
  bool some = false;
  Factor *f = SCRATCH(c, Factor, fs->n);
  for (uint32_t i = 0; i < fs->n; i++) {
    RefId r = fs->at[i].ref;
    Value v = one_of(r);
    if (cls_of(c, r)->kind == K_LIN) v = sum_written(c, r);
    else if (!max_written(c, r, &v) && !written_within(c, r, &v)) v = one_of(r);
    some |= !value_same(v, one_of(r));
    f[i] = (Factor){v, fs->at[i].k};
  }
  if (some) *out = mul(c, f, fs->n);
  return some;
}

/* Adds k r, in which a sum or a maximum over a few values of an index is written out. */
static void write_out(Calculus *c, Terms *out, RefId r, Rat k) {
  Value v;
  if (is_late(c)) return terms_add(c, out, r, k);
  Terms fs = factors_of(c, r);
  if (max_written(c, r, &v) || written_within(c, r, &v) || factors_written(c, &fs, &v)) {
    Terms t = terms_of(c, value_scale(k, v));
    for (uint32_t i = 0; i < t.n; i++) terms_add(c, out, t.at[i].ref, t.at[i].k);
    return;
  }
  Opened o = {0};
  uint32_t at = 0, b = 0;
  for (; at < fs.n && !o.n; at++) {
    if (fs.at[at].k != RAT_1 || cls_of(c, fs.at[at].ref)->kind != K_RED) continue;
    o = node_open(c, fs.at[at].ref);
    for (b = 0; b < o.n_bound && name_size(c, o.bound[b]) > MOST_VALUES; b++) continue;
    if (b == o.n_bound) o.n = 0;
  }
  if (!o.n) {
    terms_add(c, out, r, k);
    return;
  }
  Factor *f = SCRATCH(c, Factor, o.n);
  for (uint32_t i = 0; i < o.n; i++) f[i] = (Factor){one_of(o.args[i].ref), o.args[i].k};
  Value body = mul(c, f, o.n);
  Name over = o.bound[b];
  o.bound[b] = o.bound[--o.n_bound];
  for (int64_t x = 0; x < name_size(c, over); x++) {
    Subst s = {1, {{over, name_const(x)}}};
    v = with_factor(c, &fs, at - 1, calc_sum(c, o.bound, o.n_bound, calc_rename(c, body, &s)));
    Terms t = terms_of(c, value_scale(k, v));
    for (uint32_t i = 0; i < t.n; i++) terms_add(c, out, t.at[i].ref, t.at[i].k);
  }
}

/* Adds k r in another form. */
typedef void Rewriting(Calculus *c, Terms *out, RefId r, Rat k, uint32_t round, bool over);

/* Sums over few values are written out: one side has some of their terms by themselves. */
static void written(Calculus *c, Terms *out, RefId r, Rat k, uint32_t round, bool over) {
  (void)round, (void)over;
  if (out->n <= MOST_WRITTEN) write_out(c, out, r, k);
  else terms_add(c, out, r, k); /* too many as it is */
}

/* As sums of products: a factor may be common to all terms of one side, and stand in each of the other's. */
static void as_products(Calculus *c, Terms *out, RefId r, Rat k, uint32_t round, bool over) {
  spread(c, out, r, k, over ? SUMS | SQUARES : round < PRODUCTS ? SUMS : 0);
}

/* Both sides times a positive sum by which some terms are divided, as often as they are. */
static bool over_common(Calculus *c, Compared *x) {
  Term d = {NO_REF, RAT_0};
  for (int s = 0; s < 2; s++)
    for (uint32_t i = 0; i < x->side[s].n; i++) {
      if (flags_of(c, x->side[s].at[i].ref) & F_INFINITE) return false;
      Terms fs = factors_of(c, x->side[s].at[i].ref);
      for (uint32_t j = 0; j < fs.n; j++) {
        bool sum = cls_of(c, fs.at[j].ref)->kind == K_LIN && (flags_of(c, fs.at[j].ref) & F_POS);
        bool below = sum && rat_is_int(fs.at[j].k) && rat_cmp(fs.at[j].k, d.k) < 0;
        if (below && (d.ref == NO_REF || d.ref == fs.at[j].ref)) d = fs.at[j];
      }
    }
  if (d.ref == NO_REF) return false;
  for (int s = 0; s < 2; s++) {
    Terms next = {0}, *t = &x->side[s];
    for (uint32_t i = 0; i < t->n; i++) {
      Value v = mul(c, (Factor[]){{one_of(t->at[i].ref), RAT_1}, {one_of(d.ref), rat_neg(d.k)}}, 2);
      Terms u = terms_of(c, value_scale(t->at[i].k, v));
      for (uint32_t k = 0; k < u.n; k++) terms_add(c, &next, u.at[k].ref, u.at[k].k);
    }
    *t = next;
  }
  return meet(c, x), true;
}

/* Equal after so many rounds, in each of which the terms of both sides are rewritten, or after as many with a denominator
 * less. */
static bool equal_after(Calculus *c, Value a, Value b, uint32_t rounds, Rewriting *rewrite) {
  Compared x = compared(c, a, b);
  uint32_t over = 0;
  do {
    for (uint32_t round = 0; round < rounds && is_short(&x) && !c->exhausted; round++) {
      for (int s = 0; s < 2; s++) {
        Terms next = {0}, *t = &x.side[s];
        for (uint32_t i = 0; i < t->n; i++) rewrite(c, &next, t->at[i].ref, t->at[i].k, round, over > 0);
        *t = next;
      }
      meet(c, &x);
    }
    if (are_same(c, &x)) return true;
  } while (over++ < MOST_OVER && is_short(&x) && !c->exhausted && over_common(c, &x));
  return false;
}

static bool pieces(Calculus *c, Value a, Value b, uint32_t depth, uint32_t *splits) {
  if (value_same(a, b)) return true;
  if (depth > DEPTH || !*splits || c->exhausted) return false;
  --*splits;
  Frame m = frame_enter(c);
  Name n = 0;
  Breaks at = {.n = 0};
  bool equal = false;
  bool breaks = breaks_first(c, a, b, &n, &at) || breaks_quotient(c, a, b, &n, &at);
  bool rows = !breaks && c->options.flat && breaks_rows(c, a, b, &n, &at);
  if (rows && !at.n) {
    Name index[2];
    Subst s = breaks_by_rows(c, n, at.row, index);
    a = calc_rename(c, a, &s);
    equal = pieces(c, a, calc_rename(c, b, &s), depth + 1, splits);
  } else if (!rows && !breaks) {
    equal = (c->options.written && equal_after(c, a, b, WRITTEN, written)) ||
            (c->options.spread && equal_after(c, a, b, ROUNDS, as_products)) ||
            (c->options.fractions && fractions_equal(c, a, b));
  } else {
    equal = true;
    for (uint32_t i = 0; i + 1 < at.n && equal; i++) {
      Name in;
      Subst s = breaks_piece(c, n, at.at[i], at.at[i + 1], &in);
      Value in_a = calc_rename(c, a, &s);
      equal = pieces(c, in_a, calc_rename(c, b, &s), depth + 1, splits);
    }
  }
  frame_leave(c, m);
  return equal;
}

bool calc_equal(Calculus *c, Value a, Value b, uint32_t splits) {
  uint32_t left = splits;
  if (pieces(c, a, b, 0, &left)) return true;
  bool guards = guard_drop(c, &a);
  guards |= guard_drop(c, &b);
  if (!guards || !pieces(c, a, b, 0, &splits)) return false;
  calculus_assume(c, ASSUME_NONZERO);
  return true;
}
