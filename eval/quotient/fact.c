#include "eval/quotient/fact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "eval/meaning/fn.h"

#define MOST_WHOLE 0x1p53

enum { MAX_GUARDS = 8, MAX_DEPTH = 64 };

const Fact FACT_NONE = {.lo = -INFINITY, .hi = INFINITY};
const Fact FACT_ZERO = {.has = true};

static Fact between(double lo, double hi) { return (Fact){.lo = lo, .hi = hi, .has = true, .nonzero = lo > 0 || hi < 0}; }
static Fact any_number(void) { return between(-INFINITY, INFINITY); }

/* An index form of the equation lies between these where a condition holds. */
typedef struct Guard {
  const Ix *ix;
  double lo, hi;
} Guard;

typedef struct Facts {
  const FactContext *c;
  Fact *memo;
  bool *known;
  Guard guard[MAX_GUARDS];
  uint32_t n_guards, depth;
} Facts;

static Fact fact(Facts *f, XId id);

static uint64_t some_of(const Fact *f) { return fact_is_number(f) ? UINT64_MAX : f->some; }
static uint64_t some_nonzero_of(const Fact *f) { return f->nonzero ? UINT64_MAX : f->some_nonzero; }
static uint64_t bit(uint32_t i) { return i < 64 ? UINT64_C(1) << i : 0; }

/* ---- arithmetic */

static Fact join(Fact a, Fact b) {
  return (Fact){.lo = fmin(a.lo, b.lo),
                .hi = fmax(a.hi, b.hi),
                .has = a.has && b.has,
                .down = a.down || b.down,
                .up = a.up || b.up,
                .nonzero = a.nonzero && b.nonzero};
}

/* A number leaves an infinity what it is. */
static Fact sum(Fact a, Fact b) {
  if (fact_is_zero(&a)) return b;
  if (fact_is_zero(&b)) return a;
  if (!a.has || !b.has || (!fact_is_number(&a) && !fact_is_number(&b))) return FACT_NONE;
  Fact s = between(a.lo + b.lo, a.hi + b.hi);
  if (!fact_is_number(&a) || !fact_is_number(&b)) {
    const Fact *infinite = fact_is_number(&a) ? &b : &a;
    s = (Fact){.lo = -INFINITY, .hi = INFINITY, .has = true, .some = infinite->some};
    s.down = infinite->down, s.up = infinite->up;
  }
  s.nonzero |= (a.lo >= 0 && b.lo >= 0 && (a.nonzero || b.nonzero)) || (a.hi <= 0 && b.hi <= 0 && (a.nonzero || b.nonzero));
  return s;
}

/* The sign is never lost. */
static double times(double a, double b) {
  if (a == 0 || b == 0) return 0;
  double r = a * b;
  return r != 0 ? r : (a < 0) != (b < 0) ? -DBL_TRUE_MIN : DBL_TRUE_MIN;
}

/* What may be infinite, times a number of known sign. */
static Fact scaled(Fact a, Fact by) {
  if (!a.has || !fact_is_number(&by) || !by.nonzero || (by.lo < 0 && by.hi > 0)) return FACT_NONE;
  bool same = by.lo >= 0;
  return (Fact){.lo = -INFINITY, .hi = INFINITY, .has = true, .down = same ? a.down : a.up, .up = same ? a.up : a.down,
                .some = a.some};
}

static bool is_one(const Fact *f) { return fact_is_number(f) && f->lo == 1 && f->hi == 1; }

static Fact product(Fact a, Fact b) {
  if (is_one(&a)) return b;
  if (is_one(&b)) return a;
  if (!fact_is_number(&a)) return scaled(a, b);
  if (!fact_is_number(&b)) return scaled(b, a);
  double w[] = {times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)};
  Fact p = between(fmin(fmin(w[0], w[1]), fmin(w[2], w[3])), fmax(fmax(w[0], w[1]), fmax(w[2], w[3])));
  p.nonzero = a.nonzero && b.nonzero;
  return p;
}

static Fact power(Fact a, Rat r) {
  bool whole = rat_is_int(r), falls = rat_sign(r) < 0;
  if (r == RAT_1) return a;
  if (!fact_is_number(&a) || (falls && !a.nonzero) || (!whole && a.lo < 0)) return FACT_NONE;
  if (r == RAT_0) return between(1, 1);
  if (a.lo == 0 && a.hi == 0) return FACT_ZERO;
  bool even = whole && rat_is_int(rat_div(r, rat_int(2)));
  Fact p = between(a.lo >= 0 || even ? 0 : -INFINITY, a.hi <= 0 && !even ? 0 : INFINITY);
  p.nonzero = a.nonzero;
  return p;
}

static Fact larger(Fact a, Fact b) {
  Fact m = {.lo = fmax(a.lo, b.lo), .hi = fmax(a.hi, b.hi), .has = a.has && b.has, .down = a.down && b.down,
            .up = a.up || b.up};
  m.nonzero = m.lo > 0 || m.hi < 0 || (a.nonzero && a.lo >= 0) || (b.nonzero && b.lo >= 0);
  if (!m.up) m.some = some_of(&a) | some_of(&b);
  return m;
}

static Fact smaller(Fact a, Fact b) {
  Fact m = {.lo = fmin(a.lo, b.lo), .hi = fmin(a.hi, b.hi), .has = a.has && b.has, .down = a.down || b.down,
            .up = a.up && b.up};
  m.nonzero = m.lo > 0 || m.hi < 0 || (a.nonzero && a.hi <= 0) || (b.nonzero && b.hi <= 0);
  return m;
}

static bool is_whole(double x) { return fabs(x) < MOST_WHOLE && x == floor(x); }

/* 1, 0, or not known (-1). */
static int decided(Sym name, Fact a, Fact b) {
  const char *op = sym_text(name);
  if (!is_whole(a.lo) || !is_whole(a.hi) || !is_whole(b.lo) || !is_whole(b.hi)) return -1;
  bool less = a.hi < b.lo, more = a.lo > b.hi, most = a.hi <= b.lo, least = a.lo >= b.hi;
  if (op[0] == '<') return op[1] == '=' ? (most ? 1 : more ? 0 : -1) : less ? 1 : least ? 0 : -1;
  if (op[0] == '>') return op[1] == '=' ? (least ? 1 : less ? 0 : -1) : more ? 1 : most ? 0 : -1;
  bool apart = less || more, same = a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
  return apart ? op[0] == '!' : same ? op[0] == '=' : -1;
}

static Fact compared(Sym name, Fact a, Fact b) {
  if (!a.has || !b.has) return FACT_NONE;
  int is = a.down || a.up || b.down || b.up ? -1 : decided(name, a, b);
  return is < 0 ? between(0, 1) : between(is, is);
}

/* Odd, and 0 at 0 alone. */
static Fact odd(Fact a, double most) {
  Fact r = between(a.lo < 0 ? -most : 0, a.hi > 0 ? most : 0);
  r.nonzero = a.nonzero;
  return r;
}

static Fact function(FnId fn, const Fact *a, uint32_t n) {
  if (fn == FN_MAXIMUM) return larger(a[0], a[1]);
  if (fn == FN_MINIMUM) return smaller(a[0], a[1]);
  if (fn == FN_CLAMP) return smaller(larger(a[1], a[0]), a[2]);
  Fact r;
  if (fn == FN_EXP && a->has && !a->up) {
    r = between(0, INFINITY), r.nonzero = !a->down, r.some_nonzero = some_of(a);
    return r;
  }
  for (uint32_t k = 0; k < n; k++)
    if (!fact_is_number(&a[k])) return FACT_NONE;
  switch (fn) {
    case FN_LOG: return a->lo >= 0 && a->nonzero ? any_number() : FACT_NONE;
    case FN_TANH:
    case FN_ERF:
    case FN_SIGN: return odd(*a, 1);
    case FN_SIN: return a->lo == 0 && a->hi == 0 ? FACT_ZERO : between(-1, 1);
    case FN_COS: return between(-1, 1);
    case FN_POW:
      if (a->lo < 0 || !a->nonzero) return FACT_NONE;
      r = between(0, INFINITY), r.nonzero = true;
      return r;
    case FN_ABS:
      r = between(a->lo > 0 ? a->lo : a->hi < 0 ? -a->hi : 0, fmax(a->hi, -a->lo));
      r.nonzero = a->nonzero;
      return r;
    case FN_FLOOR: return between(floor(a->lo), floor(a->hi));
    case FN_CEIL: return between(ceil(a->lo), ceil(a->hi));
    case FN_TRUNC:
    case FN_ROUND_EVEN:
    case FN_ROUND_AFZ: return between(floor(a->lo), ceil(a->hi));
    case FN_FLOORDIV:
    case FN_TRUNCDIV: return a[1].nonzero ? between(a[0].lo >= 0 && a[1].lo >= 0 ? 0 : -INFINITY, INFINITY) : FACT_NONE;
    case FN_REM:
    case FN_MOD:
      if (!a[1].nonzero) return FACT_NONE;
      return a[1].lo > 0 && (fn == FN_MOD || a[0].lo >= 0) ? between(0, a[1].hi) : any_number();
    case FN_PROVIDED: return a[0].lo > 0 ? a[1] : FACT_NONE;
    case FN_BAND:
    case FN_BOR:
    case FN_BXOR: {
      bool truth = a[0].lo >= 0 && a[0].hi <= 1 && a[1].lo >= 0 && a[1].hi <= 1;
      return truth ? between(0, 1) : FACT_NONE;
    }
    default: return FACT_NONE;
  }
}

/* ---- indices */

static bool same_terms(const Ix *a, const Ix *b) {
  if (a->n_terms != b->n_terms || a->dyn != b->dyn) return false;
  for (uint32_t t = 0; t < a->n_terms; t++)
    if (a->terms[t].var != b->terms[t].var || a->terms[t].coef != b->terms[t].coef) return false;
  return true;
}

static Fact index_fact(Facts *f, const Ix *ix) {
  double lo = (double)ix->constant, hi = lo;
  for (uint32_t t = 0; t < ix->n_terms; t++) {
    double reach = (double)ix->terms[t].coef * (double)(f->c->in->vars[ix->terms[t].var].size - 1);
    if (reach < 0) lo += reach;
    else hi += reach;
  }
  Fact r = between(lo, hi);
  if (ix->dyn != NO_X) r = sum(r, fact(f, ix->dyn));
  else if (ix->n_terms == 1 && ix->terms->coef == 1 && !ix->constant) r.position = ix->terms->var + 1;
  return r;
}

static bool in_range(Facts *f, const Ix *ix, int64_t size) {
  Fact at = index_fact(f, ix);
  for (uint32_t k = 0; k < f->n_guards; k++) {
    const Guard *g = &f->guard[k];
    if (!same_terms(g->ix, ix)) continue;
    at.lo = fmax(at.lo, g->lo + (double)ix->constant - (double)g->ix->constant);
    at.hi = fmin(at.hi, g->hi + (double)ix->constant - (double)g->ix->constant);
  }
  return fact_is_number(&at) && at.lo >= 0 && at.hi <= (double)(size - 1);
}

/* The variable that runs over all of an operand's dimension, and over nothing else; NO_VAR: none does. */
static VarId whole_read(const Facts *f, const X *x, uint32_t d, int64_t size, int64_t stride) {
  const Ix *ix = &x->ix[x->mode == READ_FLAT ? 0 : d];
  if (ix->constant || ix->dyn != NO_X) return NO_VAR;
  if (x->mode == READ_AT)
    return ix->n_terms == 1 && ix->terms->coef == 1 && f->c->in->vars[ix->terms->var].size == size ? ix->terms->var : NO_VAR;
  VarId found = NO_VAR;
  int64_t below = 0; /* what indices of less stride reach: not the next place along the dimension */
  for (uint32_t t = 0; t < ix->n_terms; t++) {
    int64_t coef = ix->terms[t].coef, n = f->c->in->vars[ix->terms[t].var].size;
    if (coef == stride && n == size && found == NO_VAR) found = ix->terms[t].var;
    else if (coef > 0 && coef < stride) below += coef * (n - 1);
    else if (n > 1 && coef % (stride * size)) return NO_VAR;
  }
  return below < stride ? found : NO_VAR;
}

static Fact read_fact(Facts *f, const X *x) {
  const FactContext *c = f->c;
  if (x->operand >= c->node->n_args) return FACT_NONE;
  NodeId arg = c->node->args[x->operand];
  const Node *n = &c->g->nodes.at[arg];
  Fact r = c->of[arg];
  bool inside = x->mode == READ_FLAT ? x->n == 1 && in_range(f, &x->ix[0], node_elements(n)) : x->n == n->rank;
  for (uint32_t d = 0; d < x->n && inside && x->mode == READ_AT; d++) inside = in_range(f, &x->ix[d], n->dims[d]);
  if (!inside) return FACT_NONE;
  uint64_t some = r.some, some_nonzero = r.some_nonzero;
  uint32_t position = r.position;
  r.some = r.some_nonzero = r.position = 0;
  if (x->permuted) return join(r, FACT_ZERO);
  int64_t stride = 1;
  for (uint32_t d = n->rank; d-- > 0;) {
    VarId v = whole_read(f, x, d, n->dims[d], stride);
    if (v != NO_VAR && some & bit(d)) r.some |= bit(v);
    if (v != NO_VAR && some_nonzero & bit(d)) r.some_nonzero |= bit(v);
    if (v != NO_VAR && position == d + 1) r.position = v + 1;
    stride *= n->dims[d];
  }
  return r;
}

/* The same element of the same tensor. */
static bool same_read(const Facts *f, XId i, XId j) {
  const X *a = &f->c->in->x[i], *b = &f->c->in->x[j];
  if (i == j) return true;
  if (a->kind != X_READ || b->kind != X_READ || a->mode != b->mode || a->n != b->n) return false;
  if (a->permuted || b->permuted) return false;
  if (a->group != b->group || a->operand >= f->c->node->n_args || b->operand >= f->c->node->n_args) return false;
  bool same = f->c->node->args[a->operand] == f->c->node->args[b->operand];
  for (uint32_t d = 0; d < a->n && same; d++)
    same = a->ix[d].constant == b->ix[d].constant && same_terms(&a->ix[d], &b->ix[d]);
  return same;
}

/* ---- guards */

static void add_guard(Facts *f, const Ix *ix, double lo, double hi) {
  if (f->n_guards < MAX_GUARDS) f->guard[f->n_guards++] = (Guard){ix, lo, hi};
}

static void read_guards(Facts *f, XId id) {
  const X *x = &f->c->in->x[id];
  if (x->kind == X_MUL)
    for (uint32_t k = 0; k < x->n; k++) read_guards(f, x->args[k]);
  if (x->kind != X_CMP || x->n != 2) return;
  for (int side = 0; side < 2; side++) {
    const X *a = &f->c->in->x[x->args[side]];
    if (a->kind != X_INDEX) continue;
    Fact b = fact(f, x->args[1 - side]);
    const char *op = sym_text(x->name);
    if (!fact_is_number(&b) || op[0] == '!') continue;
    bool below = (op[0] == '<') == (side == 0);
    double strict = op[1] == '=' ? 0 : 1;
    if (op[0] == '=') add_guard(f, &a->ix[0], b.lo, b.hi);
    else if (below) add_guard(f, &a->ix[0], -INFINITY, b.hi - strict);
    else add_guard(f, &a->ix[0], b.lo + strict, INFINITY);
  }
}

/* An index form where one of its variables is at the first or the last place. */
static Fact index_at(Facts *f, const Ix *ix, VarId v, bool last) {
  Fact r = index_fact(f, ix);
  for (uint32_t t = 0; t < ix->n_terms; t++) {
    if (ix->terms[t].var != v) continue;
    double reach = (double)ix->terms[t].coef * (double)(f->c->in->vars[v].size - 1);
    if (last == (reach > 0)) r.lo += fabs(reach);
    else r.hi -= fabs(reach);
  }
  return r;
}

/* Variables along which a comparison of positions is `want` somewhere, whatever the others are. */
static uint64_t somewhere(Facts *f, XId id, int want) {
  const X *x = &f->c->in->x[id];
  uint64_t found = 0;
  if (x->kind != X_CMP || x->n != 2) return 0;
  for (uint32_t k = 0; k < 2 * f->c->in->n_vars; k++) {
    Fact side[2];
    for (int i = 0; i < 2; i++) {
      const X *y = &f->c->in->x[x->args[i]];
      side[i] = y->kind == X_INDEX ? index_at(f, &y->ix[0], k / 2, k % 2) : fact(f, x->args[i]);
    }
    Fact is = compared(x->name, side[0], side[1]);
    if (is.has && is.lo == want && is.hi == want) found |= bit(k / 2);
  }
  return found;
}

static Fact select_fact(Facts *f, const X *x) {
  Fact c = fact(f, x->args[0]);
  if (!fact_is_number(&c)) return FACT_NONE;
  if (c.hi == 0) return fact(f, x->args[2]);
  uint32_t had = f->n_guards;
  Fact then = fact(f, x->args[1]);
  if (!then.has) {
    read_guards(f, x->args[0]);
    if (f->n_guards > had) then = fact(f, x->args[1]);
    f->n_guards = had;
  }
  if (c.nonzero) return then;
  Fact otherwise = fact(f, x->args[2]), any = join(then, otherwise);
  bool one = fact_is_number(&then), other = fact_is_number(&otherwise);
  if (one != other) any.some = somewhere(f, x->args[0], one);
  return any;
}

/* ---- expressions */

static bool fact_is_zero_here(Facts *f, XId id) {
  Fact r = fact(f, id);
  return fact_is_zero(&r);
}

/* Is what is summed 0 but at one place of a variable: has it a factor [v == w]? */
static bool is_pinned(Facts *f, XId id, VarId v) {
  const X *x = &f->c->in->x[id];
  bool pinned = false;
  if (x->kind == X_SELECT && fact_is_zero_here(f, x->args[2])) return is_pinned(f, x->args[0], v);
  for (uint32_t k = 0; k < x->n && x->kind == X_MUL && !pinned; k++) pinned = is_pinned(f, x->args[k], v);
  if (x->kind != X_CMP || x->n != 2 || strcmp(sym_text(x->name), "==")) return pinned;
  uint32_t a = fact(f, x->args[0]).position, b = fact(f, x->args[1]).position;
  return a && b && a != b && (a == v + 1 || b == v + 1);
}

static Fact reduction_fact(Facts *f, const X *x) {
  double count = 1;
  for (uint32_t k = 0; k < x->n_vars; k++) {
    bool pinned = x->kind == X_SUM && is_pinned(f, x->args[0], x->vars[k]) && f->c->in->vars[x->vars[k]].size > 0;
    count *= pinned ? 1 : (double)f->c->in->vars[x->vars[k]].size;
  }
  Fact body = fact(f, x->args[0]);
  uint64_t over = 0;
  for (uint32_t k = 0; k < x->n_vars; k++) over |= bit(x->vars[k]);
  if (x->kind != X_SUM) {
    if (count == 0) return FACT_NONE;
    if (x->kind == X_MAX && !body.up && body.some & over) body.down = false;
    if (x->kind == X_MIN && !body.down && body.some & over) body.up = false;
    body.some &= ~over;
    body.some_nonzero = 0;
    return body;
  }
  if (count == 0) return FACT_ZERO;
  if (!fact_is_number(&body)) return FACT_NONE;
  Fact s = between(times(body.lo, count), times(body.hi, count));
  s.nonzero = (body.nonzero || some_nonzero_of(&body) & over) && (body.lo >= 0 || body.hi <= 0);
  return s;
}

static Fact product_fact(Facts *f, const X *x) {
  Fact p = between(1, 1);
  for (uint32_t k = 0; k < x->n; k++) {
    bool square = k + 1 < x->n && same_read(f, x->args[k], x->args[k + 1]);
    p = product(p, square ? power(fact(f, x->args[k]), rat_int(2)) : fact(f, x->args[k]));
    k += square;
  }
  return p;
}

/* The number between two others stays. */
static bool is_within(const Fact *a) {
  return fact_is_number(&a[0]) && fact_is_number(&a[1]) && fact_is_number(&a[2]) && a[1].lo >= a[0].hi && a[1].hi <= a[2].lo;
}

static Fact fact_here(Facts *f, XId id) {
  const X *x = &f->c->in->x[id];
  Fact s = FACT_ZERO, args[3];
  switch (x->kind) {
    case X_RAT: return between(rat_to_double(x->r), rat_to_double(x->r));
    case X_INF:
      s = rat_sign(x->r) < 0 ? between(-INFINITY, -INFINITY) : between(INFINITY, INFINITY);
      s.down = rat_sign(x->r) < 0, s.up = !s.down;
      return s;
    case X_INDEX: return index_fact(f, &x->ix[0]);
    case X_READ: return read_fact(f, x);
    case X_ADD:
      for (uint32_t k = 0; k < x->n; k++) s = sum(s, fact(f, x->args[k]));
      return s;
    case X_MUL: return product_fact(f, x);
    case X_POW: return power(fact(f, x->args[0]), x->r);
    case X_FN:
      if (x->n > 3 || fn_find(x->name) == FN_COUNT || fn_arity(fn_find(x->name)) != x->n) return FACT_NONE;
      for (uint32_t k = 0; k < x->n; k++) args[k] = fact(f, x->args[k]);
      if (fn_find(x->name) == FN_CLAMP && is_within(args)) return args[1];
      return function(fn_find(x->name), args, x->n);
    case X_CMP: return compared(x->name, fact(f, x->args[0]), fact(f, x->args[1]));
    case X_SELECT: return select_fact(f, x);
    case X_SUM:
    case X_MAX:
    case X_MIN: return reduction_fact(f, x);
    case X_COORD: return between(0, (double)(f->c->n_devices > 0 ? f->c->n_devices - 1 : 0));
    default: return FACT_NONE;
  }
}

static Fact fact(Facts *f, XId id) {
  if (!f->n_guards && f->known[id]) return f->memo[id];
  if (f->depth >= MAX_DEPTH) return FACT_NONE;
  f->depth++;
  Fact r = fact_here(f, id);
  f->depth--;
  if (!f->n_guards) f->memo[id] = r, f->known[id] = true;
  return r;
}

/* By dimension what is known by variable. */
static uint64_t by_dimension(const Instance *in, uint64_t of) {
  uint64_t dims = 0;
  for (uint32_t d = 0; d < in->n_out; d++)
    if (in->out[d].n == 1 && of & bit(in->out[d].vars[0])) dims |= bit(d);
  return dims;
}

void fact_expressions(const FactContext *c, Fact *out) {
  bool few[256] = {false}, *known = c->in->n_x <= 256 ? few : xcalloc(c->in->n_x, sizeof *known);
  Facts f = {.c = c, .memo = out, .known = known};
  for (XId i = 0; i < c->in->n_x; i++) fact(&f, i);
  if (known != few) free(known);
}

/* ---- nodes */

Fact fact_of_node(const Node *n, const Instance *in, Fact body, const Bounds *bounds) {
  body.some = by_dimension(in, body.some);
  body.some_nonzero = by_dimension(in, body.some_nonzero);
  uint32_t position = body.position;
  body.position = 0;
  for (uint32_t d = 0; d < in->n_out && position; d++)
    if (in->out[d].n == 1 && in->out[d].vars[0] == position - 1) body.position = d + 1;
  if (!dtype_is_whole((DType)n->dtype)) return body;
  if (bounds && bounds->known) {
    body.lo = fmax(body.lo, (double)bounds->lo);
    body.hi = fmin(body.hi, (double)bounds->hi);
    body.nonzero |= body.lo > 0 || body.hi < 0;
  } else {
    int bits = dtype_bits((DType)n->dtype) - (dtype_kind((DType)n->dtype) == DK_INT);
    double most = dtype_kind((DType)n->dtype) == DK_BOOL ? 1 : ldexp(1, bits) - 1;
    double least = dtype_kind((DType)n->dtype) == DK_INT ? -most - 1 : 0;
    if (!(body.lo >= least && body.hi <= most)) return FACT_NONE; /* one that its type does not hold is none */
  }
  return body;
}

Fact fact_of_literal(const Literal *l) {
  Fact all = FACT_NONE;
  for (uint64_t i = 0; l && i < (l->kind == LIT_SPLAT ? 1 : l->n); i++) {
    Rat r = l->values[i];
    if (r == RAT_NAN) return FACT_NONE;
    double x = r == RAT_POS_INF ? INFINITY : r == RAT_NEG_INF ? -INFINITY : rat_to_double(r);
    Fact one = between(x, x);
    one.down = r == RAT_NEG_INF, one.up = r == RAT_POS_INF;
    all = i ? join(all, one) : one;
  }
  return all;
}

Fact fact_of_parameter(const Related *r, const Node *n) {
  Fact f = any_number();
  if (!r || r->layout.n_partial || r->only_also || r->n_also) return dtype_is_whole((DType)n->dtype) ? FACT_NONE : f;
  if (r->has_lo) f.lo = rat_to_double(r->lo);
  if (r->has_hi) f.hi = rat_to_double(r->hi);
  f.nonzero = f.lo > 0 || f.hi < 0;
  return f;
}
