#include "eval/calculus/pieces.h"

#include "eval/calculus/core.h"
#include "eval/calculus/match.h"

enum { MAX_CUTS = 8, MAX_ITEMS = 6, MAX_WALK = 400 };

typedef struct Form1 { /* k * r + at */
  RefId r;
  Rat k, at;
} Form1;

typedef struct Piece { /* lo < r < hi, where they exist; or r == lo */
  Calculus *c;
  RefId r;
  bool has_lo, has_hi, point;
  Rat lo, hi;
  RefId solved; /* at a point: a term of r, which is `is` there */
  Value is;
} Piece;

/* v, or what has its sign, as a multiple of one reference plus a number; false: it is a number, or of indices. */
static bool form_of(Calculus *c, Value v, Form1 *out) {
  if (value_is_num(v)) return false;
  exp_difference(c, v, &v);
  Terms t = terms_of(c, v);
  out->at = RAT_0;
  for (uint32_t i = 0; i < t.n; i++)
    if (t.at[i].ref == c->one) {
      out->at = t.at[i].k;
      t.at[i] = t.at[--t.n];
      break;
    }
  if (!t.n) return false;
  if (t.n == 1) {
    out->r = t.at[0].ref;
    out->k = t.at[0].k;
  } else {
    Terms rest = {0};
    for (uint32_t i = 0; i < t.n; i++) terms_add(c, &rest, t.at[i].ref, t.at[i].k);
    Value r = add_terms(c, &rest);
    out->r = r.ref;
    out->k = r.k;
  }
  return !index_predicate(c, out->r) && cls_of(c, out->r)->kind != K_IDX;
}

/* -1, 0, 1 where the form has that sign on the whole piece; 2: it has several, or is of something else. */
static int sign_on(const Piece *p, const Form1 *f) {
  if (f->r != p->r) return 2;
  int up = rat_sign(f->k);
  if (p->point) return rat_sign(rat_add(rat_mul(f->k, p->lo), f->at));
  int low = p->has_lo ? rat_sign(rat_add(rat_mul(f->k, p->lo), f->at)) : -up;
  int high = p->has_hi ? rat_sign(rat_add(rat_mul(f->k, p->hi), f->at)) : up;
  if (low >= 0 && high >= 0) return 1;
  return low <= 0 && high <= 0 ? -1 : 2;
}

/* The larger of two parts of a maximum, where that is known on the piece. */
static bool decide_max(const Piece *p, RefId r, Value *by) {
  Calculus *c = p->c;
  Opened o = node_open(c, r);
  if (o.n_bound || o.n > MAX_ITEMS) return false;
  Value v[MAX_ITEMS];
  uint32_t n = o.n;
  for (uint32_t i = 0; i < n; i++)
    v[i] = o.args[i].ref == c->one ? value_num(o.args[i].k) : val(o.args[i].k, o.args[i].ref);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n && n > 1; j++) {
      Form1 f;
      if (i == j || !form_of(c, calc_sub(c, v[i], v[j]), &f)) continue;
      int s = sign_on(p, &f);
      if (s != 0 && s != 1) continue;
      v[j] = v[--n]; /* v[i] >= v[j] */
      i = UINT32_MAX;
      break;
    }
  if (n == o.n) return false;
  *by = calc_max(c, v, n, NULL, 0);
  return true;
}

/* r == lo, solved for a term of r. */
static void solve(Piece *p) {
  Calculus *c = p->c;
  p->solved = p->r;
  p->is = value_num(p->lo);
  if (cls_of(c, p->r)->kind != K_LIN) return;
  Terms t = terms_of(c, one_of(p->r));
  uint32_t i = 0;
  while (i + 1 < t.n && cls_of(c, t.at[i].ref)->kind != K_LEAF) i++;
  p->solved = t.at[i].ref;
  Value rest = calc_sub(c, p->is, calc_sub(c, one_of(p->r), val(t.at[i].k, p->solved)));
  p->is = value_scale(rat_div(RAT_1, t.at[i].k), rest);
}

static bool decide(void *context, Value part, Value *by) {
  const Piece *p = context;
  Calculus *c = p->c;
  if (p->point && part.ref == p->solved) return *by = p->is, true;
  const Class *x = cls_of(c, part.ref);
  if (x->kind == K_MAX) return decide_max(p, part.ref, by);
  if (x->kind != K_CMP && !(x->kind == K_FN && x->attr == c->fn.abs)) return false;
  uint32_t op = x->attr;
  bool cmp = x->kind == K_CMP;
  Opened o = node_open(c, part.ref);
  Form1 f;
  if (!form_of(c, one_of(o.args[0].ref), &f)) return false;
  int s = sign_on(p, &f);
  if (s == 2) return false;
  Terms t = terms_of(c, one_of(o.args[0].ref));
  if (!cmp) *by = value_scale(rat_int(s), lin(c, &t));
  else *by = value_num(rat_int(op == CMP_LT ? s < 0 : s == 0));
  return true;
}

/* ---- where cases change */

typedef struct Cuts {
  RefId r; /* NO_REF: none yet */
  Rat at[MAX_CUTS];
  uint32_t n, steps;
} Cuts;

static void add_cut(Calculus *c, Cuts *cuts, Value v) {
  Form1 f;
  if (!form_of(c, v, &f) || (cuts->r != NO_REF && cuts->r != f.r)) return;
  cuts->r = f.r;
  Rat at = rat_neg(rat_div(f.at, f.k));
  uint32_t i = 0;
  while (i < cuts->n && rat_cmp(cuts->at[i], at) < 0) i++;
  if (cuts->n == MAX_CUTS || (i < cuts->n && cuts->at[i] == at)) return;
  for (uint32_t j = cuts->n++; j > i; j--) cuts->at[j] = cuts->at[j - 1];
  cuts->at[i] = at;
}

/* The innermost cases first: what is chosen by others is seen once they are decided. */
static void find_cuts(Calculus *c, RefId r, Cuts *cuts) {
  const Class *x = cls_of(c, r);
  if (!x->n_args || x->n_bound || ++cuts->steps > MAX_WALK) return;
  bool one = x->kind == K_CMP || (x->kind == K_FN && x->attr == c->fn.abs), most = x->kind == K_MAX;
  Opened o = node_open(c, r);
  for (uint32_t i = 0; i < o.n; i++) find_cuts(c, o.args[i].ref, cuts);
  if (one) add_cut(c, cuts, one_of(o.args[0].ref));
  for (uint32_t i = 0; i < o.n && most && o.n <= MAX_ITEMS; i++)
    for (uint32_t j = 0; j < i; j++) {
      Value a = o.args[i].ref == c->one ? value_num(o.args[i].k) : val(o.args[i].k, o.args[i].ref);
      Value b = o.args[j].ref == c->one ? value_num(o.args[j].k) : val(o.args[j].k, o.args[j].ref);
      add_cut(c, cuts, calc_sub(c, a, b));
    }
}

static bool equal_on(const Piece *p, Value a, Value b, uint32_t depth, uint32_t *budget) {
  if (!*budget || calculus_exhausted(p->c)) return false;
  Value x = calc_replace(p->c, a, budget, decide, (void *)p), y = calc_replace(p->c, b, budget, decide, (void *)p);
  if (value_same(x, y)) return true;
  Cuts cuts = {.r = NO_REF}; /* cases of the same argument that come up now are of this piece */
  if (!value_is_num(x)) find_cuts(p->c, x.ref, &cuts);
  if (!value_is_num(y)) find_cuts(p->c, y.ref, &cuts);
  if (cuts.r == NO_REF) return false;
  if (cuts.r != p->r) return depth > 1 && calc_equal_on_pieces(p->c, x, y, depth - 1, budget);
  for (uint32_t i = 0; i < cuts.n; i++) {
    bool inside =
        !p->point && (!p->has_lo || rat_cmp(cuts.at[i], p->lo) > 0) && (!p->has_hi || rat_cmp(cuts.at[i], p->hi) < 0);
    if (!inside) continue;
    Piece below = *p, at = *p, above = *p;
    below.has_hi = above.has_lo = at.point = true;
    below.hi = above.lo = at.lo = cuts.at[i];
    solve(&at);
    return equal_on(&below, x, y, depth, budget) && equal_on(&at, x, y, depth, budget) &&
           equal_on(&above, x, y, depth, budget);
  }
  return false;
}

bool calc_equal_on_pieces(Calculus *c, Value a, Value b, uint32_t depth, uint32_t *budget) {
  if (value_same(a, b)) return true;
  Frame m = frame_enter(c);
  Cuts cuts = {.r = NO_REF};
  if (!value_is_num(a)) find_cuts(c, a.ref, &cuts);
  if (!value_is_num(b)) find_cuts(c, b.ref, &cuts);
  bool equal = cuts.r != NO_REF && cuts.n > 0;
  for (uint32_t i = 0; i <= cuts.n && equal; i++) {
    Piece p = {.c = c, .r = cuts.r, .has_lo = i > 0, .has_hi = i < cuts.n};
    if (p.has_lo) p.lo = cuts.at[i - 1];
    if (p.has_hi) p.hi = cuts.at[i];
    equal = equal_on(&p, a, b, depth, budget);
    Piece at = {.c = c, .r = cuts.r, .point = true, .lo = p.hi};
    if (!equal || !p.has_hi) break;
    solve(&at);
    equal = equal_on(&at, a, b, depth, budget);
  }
  frame_leave(c, m);
  return equal;
}
