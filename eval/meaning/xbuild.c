#include "eval/meaning/xbuild.h"

#include <string.h>

/* ---- Values ---- */

Val val_int(int64_t c) { return (Val){c, 0, NULL, NO_X}; }
Val val_of(XId x) { return (Val){0, 0, NULL, x}; }

Val val_push(XBuild *b, X x) {
  vec_push(&b->x, x);
  return val_of((XId)b->x.len - 1);
}

/* Constants stay below MAX_BITS, or squaring them over and over would fill the memory. */
static Rat bounded(XBuild *b, Rat r) {
  enum { MAX_BITS = 1 << 16 };
  if (!(r & 1)) return r; /* inline */
  mpq_t q;
  mpq_init(q);
  rat_get(r, q);
  if (mpz_sizeinbase(mpq_numref(q), 2) + mpz_sizeinbase(mpq_denref(q), 2) > MAX_BITS) {
    b->overflow = true;
    r = RAT_0;
  }
  mpq_clear(q);
  return r;
}

Val val_rat(XBuild *b, Rat r) {
  int64_t c;
  r = bounded(b, r);
  if (rat_to_int(r, &c)) return val_int(c);
  return val_push(b, (X){.kind = X_RAT, .r = r, .group = NO_VAR});
}

Val val_inf(XBuild *b, Rat sign) { return val_push(b, (X){.kind = X_INF, .r = sign, .group = NO_VAR}); }

Val val_var(XBuild *b, VarId v) {
  IxTerm t = {v, 1};
  return (Val){0, 1, arena_copy(b->arena, &t, sizeof t), NO_X};
}

bool val_const(const XBuild *b, Val v, Rat *out) {
  if (v.n || (v.x != NO_X && b->x.at[v.x].kind != X_RAT)) return false;
  *out = rat_int(v.c);
  if (v.x != NO_X) *out = rat_add(*out, b->x.at[v.x].r);
  return true;
}

bool val_is(const XBuild *b, Val v, int64_t k) {
  Rat r;
  return val_const(b, v, &r) && r == rat_int(k);
}

bool val_range(const XBuild *b, Val v, int64_t *lo, int64_t *hi) {
  if (v.x != NO_X) return false;
  *lo = *hi = v.c;
  for (uint32_t i = 0; i < v.n; i++) {
    int64_t span, size = b->vars.at[v.t[i].var].size;
    if (size < 1 || __builtin_mul_overflow(v.t[i].coef, size - 1, &span)) return false;
    if (__builtin_add_overflow(span < 0 ? *lo : *hi, span, span < 0 ? lo : hi)) return false;
  }
  return true;
}

/* ---- Nodes ---- */

static XId *copy_ids(XBuild *b, const XId *ids, uint32_t n) { return arena_copy(b->arena, ids, n * sizeof *ids); }

static XId node(XBuild *b, X x) { return val_push(b, x).x; }

static XId rat_node(XBuild *b, Rat r) {
  return node(b, (X){.kind = X_RAT, .r = bounded(b, r), .group = NO_VAR});
}

/* Not a number for some numbers, as a quotient, a root or a logarithm: 0 times it is not 0 there. */
static bool partial(const XBuild *b, XId id, int *steps) {
  const X *x = &b->x.at[id];
  bool some = x->kind == X_INF || (x->kind == X_POW && (rat_sign(x->r) < 0 || !rat_is_int(x->r))) || --*steps < 0;
  if (x->kind == X_FN) some = some || x->name == sym("log") || x->name == sym("pow");
  if (x->kind == X_READ || x->kind == X_INDEX) return some;
  for (uint32_t i = 0; i < x->n && !some; i++) some = partial(b, x->args[i], steps);
  return some;
}

static bool vanishes(const XBuild *b, XId id) {
  int steps = 64;
  return !partial(b, id, &steps);
}

/* Sum or product of n nodes: flattens those of the same kind, folds constants (last in a sum, first in a product). */
static XId nary(XBuild *b, XKind kind, const XId *ids, uint32_t n) {
  bool add = kind == X_ADD;
  Rat k = add ? RAT_0 : RAT_1;
  size_t total = 1;
  for (uint32_t i = 0; i < n; i++) total += b->x.at[ids[i]].kind == kind ? b->x.at[ids[i]].n : 1;
  XId *out = ARENA_ARRAY(b->arena, XId, total);
  uint32_t m = add ? 0 : 1;
  for (uint32_t i = 0; i < n; i++) {
    const X *x = &b->x.at[ids[i]];
    const XId *part = x->kind == kind ? x->args : &ids[i];
    uint32_t parts = x->kind == kind ? x->n : 1;
    for (uint32_t j = 0; j < parts; j++) {
      const X *y = &b->x.at[part[j]];
      if (y->kind == X_RAT) k = bounded(b, add ? rat_add(k, y->r) : rat_mul(k, y->r));
      else out[m++] = part[j];
    }
  }
  bool zero = !add && k == RAT_0;
  for (uint32_t i = 1; i < m && zero; i++) zero = vanishes(b, out[i]);
  if (zero) return rat_node(b, RAT_0);
  if (k != (add ? RAT_0 : RAT_1)) {
    XId c = rat_node(b, k);
    if (add) out[m++] = c;
    else out[0] = c;
  } else if (!add) {
    out++, m--;
  }
  if (m == 0) return rat_node(b, k);
  if (m == 1) return out[0];
  return node(b, (X){.kind = (uint8_t)kind, .n = m, .args = out, .group = NO_VAR});
}

XId val_node(XBuild *b, Val v) {
  if (v.n == 0 && v.c == 0 && v.x != NO_X) return v.x;
  XId head;
  if (v.n) {
    Ix ix = {v.c, v.n, v.t, NO_X};
    head = node(b, (X){.kind = X_INDEX, .n = 1, .ix = arena_copy(b->arena, &ix, sizeof ix), .group = NO_VAR});
  } else {
    head = rat_node(b, rat_int(v.c));
  }
  if (v.x == NO_X) return head;
  return nary(b, X_ADD, v.n ? (XId[]){head, v.x} : (XId[]){v.x, head}, 2);
}

Ix val_ix(XBuild *b, Val v) {
  int64_t c;
  if (v.x != NO_X && b->x.at[v.x].kind == X_RAT && rat_to_int(b->x.at[v.x].r, &c)) {
    v.x = NO_X;
    v = val_add(b, v, val_int(c));
  }
  return (Ix){v.c, v.n, v.t, v.x};
}

/* ---- Arithmetic ---- */

static const IxTerm *merge(XBuild *b, Val v, Val w, uint32_t *n) {
  if (!w.n) return *n = v.n, v.t;
  if (!v.n) return *n = w.n, w.t;
  IxTerm *t = ARENA_ARRAY(b->arena, IxTerm, v.n + w.n);
  uint32_t i = 0, j = 0, m = 0;
  while (i < v.n || j < w.n) {
    if (j == w.n || (i < v.n && v.t[i].var < w.t[j].var)) {
      t[m++] = v.t[i++];
    } else if (i == v.n || w.t[j].var < v.t[i].var) {
      t[m++] = w.t[j++];
    } else {
      IxTerm s = v.t[i++];
      if (__builtin_add_overflow(s.coef, w.t[j++].coef, &s.coef)) b->overflow = true;
      if (s.coef) t[m++] = s;
    }
  }
  *n = m;
  return t;
}

Val val_add(XBuild *b, Val v, Val w) {
  Rat p, q;
  if (!v.n && !w.n && val_const(b, v, &p) && val_const(b, w, &q)) return val_rat(b, rat_add(p, q));
  Val r = {.x = v.x == NO_X ? w.x : v.x};
  if (__builtin_add_overflow(v.c, w.c, &r.c)) b->overflow = true;
  r.t = merge(b, v, w, &r.n);
  if (v.x != NO_X && w.x != NO_X) r.x = nary(b, X_ADD, (XId[]){v.x, w.x}, 2);
  return r;
}

static Val scale(XBuild *b, Val v, int64_t k) {
  if (k == 1) return v;
  if (k == 0 && (v.x == NO_X || vanishes(b, v.x))) return val_int(0);
  if (k == 0) return val_of(nary(b, X_MUL, (XId[]){rat_node(b, RAT_0), v.x}, 2));
  Val r = {.n = v.n, .x = v.x};
  if (__builtin_mul_overflow(v.c, k, &r.c)) b->overflow = true;
  IxTerm *t = ARENA_ARRAY(b->arena, IxTerm, v.n);
  for (uint32_t i = 0; i < v.n; i++) {
    t[i].var = v.t[i].var;
    if (__builtin_mul_overflow(v.t[i].coef, k, &t[i].coef)) b->overflow = true;
  }
  r.t = t;
  if (v.x != NO_X) r.x = nary(b, X_MUL, (XId[]){rat_node(b, rat_int(k)), v.x}, 2);
  return r;
}

Val val_sub(XBuild *b, Val v, Val w) { return val_add(b, v, scale(b, w, -1)); }

Val val_sum(XBuild *b, const Val *v, uint32_t n) {
  Val r = val_int(0);
  XId *ids = ARENA_ARRAY(b->arena, XId, n);
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) {
    Val w = v[i];
    if (w.x != NO_X) ids[m++] = w.x;
    w.x = NO_X;
    r = val_add(b, r, w);
  }
  if (m) r.x = nary(b, X_ADD, ids, m);
  return r;
}

Val val_mul(XBuild *b, Val v, Val w) {
  Rat k, m;
  int64_t i;
  if (val_const(b, v, &k) && val_const(b, w, &m)) return val_rat(b, rat_mul(k, m));
  if (val_const(b, v, &k) && rat_to_int(k, &i)) return scale(b, w, i);
  if (val_const(b, w, &k) && rat_to_int(k, &i)) return scale(b, v, i);
  XId ids[2] = {val_node(b, v)};
  ids[1] = val_node(b, w);
  return val_of(nary(b, X_MUL, ids, 2));
}

bool val_div(XBuild *b, Val v, Val w, Val *out) {
  Rat k, m;
  if (val_const(b, w, &k)) {
    if (!rat_sign(k)) return false;
    if (val_const(b, v, &m)) return *out = val_rat(b, rat_div(m, k)), true;
    return *out = val_mul(b, v, val_rat(b, rat_inv(k))), true;
  }
  Val p;
  val_pow(b, w, RAT_NEG1, &p);
  return *out = val_mul(b, v, p), true;
}

bool val_pow(XBuild *b, Val v, Rat r, Val *out) {
  Rat k;
  int64_t e, base;
  if (r == RAT_0) return *out = val_int(1), true;
  if (r == RAT_1) return *out = v, true;
  if (val_const(b, v, &k)) {
    if (!rat_sign(k)) return *out = val_int(0), rat_sign(r) > 0;
    if (k == RAT_1) return *out = v, true;
    bool small = rat_to_int(r, &e) && e >= -64 && e <= 64 && rat_to_int(k, &base);
    if (small) return *out = val_rat(b, rat_pow(k, e)), true;
  }
  XId x = val_node(b, v);
  *out = val_push(b, (X){.kind = X_POW, .n = 1, .args = copy_ids(b, &x, 1), .r = r, .group = NO_VAR});
  return true;
}

Val val_undefined(XBuild *b) {
  XId zero = val_node(b, val_int(0));
  return val_push(b, (X){.kind = X_POW, .n = 1, .args = copy_ids(b, &zero, 1), .r = RAT_NEG1, .group = NO_VAR});
}

Val val_fn(XBuild *b, FnId f, const Val *args) {
  uint32_t n = fn_arity(f);
  Rat k[3], r;
  bool constant = true;
  for (uint32_t i = 0; i < n; i++) constant = constant && val_const(b, args[i], &k[i]);
  if (constant && fn_fold(f, k, &r)) return val_rat(b, r);
  if ((f == FN_MOD || f == FN_FLOORDIV) && val_is(b, args[1], 1) && args[0].x == NO_X)
    return f == FN_MOD ? val_int(0) : args[0];
  if (f == FN_PROVIDED && val_is(b, args[0], 1)) return args[1];
  if (f == FN_CLAMP && val_const(b, args[0], &k[0]) && val_const(b, args[2], &k[2])) {
    int64_t lo, hi;
    if (k[0] == k[2]) return args[0];
    if (val_range(b, args[1], &lo, &hi) && rat_cmp(rat_int(lo), k[0]) >= 0 && rat_cmp(rat_int(hi), k[2]) <= 0)
      return args[1];
  }
  XId ids[3];
  for (uint32_t i = 0; i < n; i++) ids[i] = val_node(b, args[i]);
  return val_push(b, (X){.kind = X_FN, .n = n, .args = copy_ids(b, ids, n), .name = sym(fn_text(f)), .group = NO_VAR});
}

/* ---- Zeros and ones ---- */

static const char *const cmp_text[] = {"==", "!=", "<", "<=", ">", ">="};

static bool cmp_holds(CmpKind k, int c) {
  switch (k) {
    case CMP_EQ: return c == 0;
    case CMP_NE: return c != 0;
    case CMP_LT: return c < 0;
    case CMP_LE: return c <= 0;
    case CMP_GT: return c > 0;
    default: return c >= 0;
  }
}

/* Decides a comparison of d = v - w with 0 from the range of d. */
static bool decided(CmpKind k, int64_t lo, int64_t hi, bool *holds) {
  int a = lo < 0 ? -1 : lo > 0, z = hi < 0 ? -1 : hi > 0;
  if (a == z && (a || lo == hi)) return *holds = cmp_holds(k, a), true;
  switch (k) {
    case CMP_LE:
    case CMP_GT: return *holds = k == CMP_LE, hi <= 0;
    case CMP_GE:
    case CMP_LT: return *holds = k == CMP_GE, lo >= 0;
    default: return false;
  }
}

Val val_cmp(XBuild *b, CmpKind k, Val v, Val w) {
  Rat p, q;
  int64_t lo, hi;
  bool holds;
  if (val_const(b, v, &p) && val_const(b, w, &q)) return val_int(cmp_holds(k, rat_cmp(p, q)));
  if (v.x == NO_X && w.x == NO_X && val_range(b, val_sub(b, v, w), &lo, &hi) && decided(k, lo, hi, &holds))
    return val_int(holds);
  XId ids[2] = {val_node(b, v)};
  ids[1] = val_node(b, w);
  X x = {.kind = X_CMP, .n = 2, .args = copy_ids(b, ids, 2), .name = sym(cmp_text[k]), .group = NO_VAR};
  return val_push(b, x);
}

Val val_and(XBuild *b, Val v, Val w) { return val_mul(b, v, w); }

Val val_or(XBuild *b, Val v, Val w) {
  if (val_is(b, v, 1) || val_is(b, w, 0)) return v;
  if (val_is(b, w, 1) || val_is(b, v, 0)) return w;
  Val any = val_add(b, v, w), both = val_mul(b, v, w);
  return val_sub(b, any, both);
}

Val val_not(XBuild *b, Val v) {
  static const CmpKind opposite[] = {CMP_NE, CMP_EQ, CMP_GE, CMP_GT, CMP_LE, CMP_LT};
  if (v.x != NO_X && !v.n && !v.c && b->x.at[v.x].kind == X_CMP) {
    X x = b->x.at[v.x];
    for (int k = CMP_EQ; k <= CMP_GE; k++)
      if (x.name == sym(cmp_text[k])) return x.name = sym(cmp_text[opposite[k]]), val_push(b, x);
  }
  return val_sub(b, val_int(1), v);
}

Val val_select(XBuild *b, Val p, Val v, Val w) {
  Rat k;
  if (val_const(b, p, &k)) return rat_sign(k) ? v : w;
  XId ids[3] = {val_node(b, p)};
  ids[1] = val_node(b, v), ids[2] = val_node(b, w);
  return val_push(b, (X){.kind = X_SELECT, .n = 3, .args = copy_ids(b, ids, 3), .group = NO_VAR});
}

Val val_reduce(XBuild *b, XKind kind, const VarId *vars, uint32_t n, Val body) {
  if (!n) return body;
  for (uint32_t i = 0; i < n; i++)
    if (b->vars.at[vars[i]].size == 0)
      return kind == X_SUM ? val_int(0) : val_inf(b, kind == X_MAX ? RAT_NEG1 : RAT_1);
  XId x = val_node(b, body);
  return val_push(b, (X){.kind = (uint8_t)kind, .n = 1, .args = copy_ids(b, &x, 1), .n_vars = n,
                         .vars = arena_copy(b->arena, vars, n * sizeof *vars), .group = NO_VAR});
}
