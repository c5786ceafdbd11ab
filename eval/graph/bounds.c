#include "eval/graph/bounds.h"

static const Wide MOST = (Wide)1 << 100; /* what is beyond stays there */

static Wide kept(Wide x) { return x > MOST ? MOST : x < -MOST ? -MOST : x; }
static Wide mul(Wide x, Wide y) {
  Wide z;
  return __builtin_mul_overflow(x, y, &z) ? (x < 0) == (y < 0) ? MOST : -MOST : kept(z);
}
static Wide least(Wide a, Wide b) { return a < b ? a : b; }
static Wide most(Wide a, Wide b) { return a > b ? a : b; }
static Bounds between(Wide lo, Wide hi) { return (Bounds){.known = true, .lo = kept(lo), .hi = kept(hi)}; }
static const Bounds UNKNOWN = {0};

static Bounds of_type(DType t) {
  int bits = dtype_bits(t);
  if (dtype_kind(t) == DK_BOOL) return between(0, 1);
  if (dtype_kind(t) == DK_UINT) return between(0, ((Wide)1 << bits) - 1);
  return between(-((Wide)1 << (bits - 1)), ((Wide)1 << (bits - 1)) - 1);
}

bool bounds_fit(const Bounds *b, DType t) {
  Bounds all = of_type(t);
  return b->known && all.lo <= b->lo && b->hi <= all.hi;
}

/* ------------------------------------------------------------------ arithmetic */
static Bounds join(Bounds a, Bounds b) {
  return a.known && b.known ? between(least(a.lo, b.lo), most(a.hi, b.hi)) : UNKNOWN;
}

static Bounds times(Bounds a, Bounds b) {
  if (!a.known || !b.known) return UNKNOWN;
  Wide w[] = {mul(a.lo, b.lo), mul(a.lo, b.hi), mul(a.hi, b.lo), mul(a.hi, b.hi)};
  return between(least(least(w[0], w[1]), least(w[2], w[3])), most(most(w[0], w[1]), most(w[2], w[3])));
}

/* ------------------------------------------------------------------ operators */
typedef struct At {
  const Graph *g;
  const Relation *r;
  const Bounds *of;
  const Node *n;
  int side;
  bool *guessed;
} At;

static Bounds arg(const At *x, uint32_t i) { return i < x->n->n_args ? x->of[x->n->args[i]] : UNKNOWN; }
static const Node *arg_node(const At *x, uint32_t i) { return &x->g->nodes.at[x->n->args[i]]; }
/* What an operand may be that nothing is said of: any value of its type; of 64 bits, where that says little, one of 32, and
 * then the result is no bound. */
static Bounds any(const At *x, uint32_t i) {
  if (i >= x->n->n_args || arg(x, i).known) return arg(x, i);
  DType t = (DType)arg_node(x, i)->dtype;
  bool wide = dtype_bits(t) > 32;
  *x->guessed |= wide;
  return of_type(wide ? DT_S32 : t);
}

static Bounds first(const At *x) { return arg(x, 0); }
static Bounds two(const At *x) { return join(arg(x, 0), arg(x, 1)); }
static Bounds all(const At *x) {
  Bounds b = first(x);
  for (uint32_t i = 1; i < x->n->n_args; i++) b = join(b, arg(x, i));
  return b;
}
static Bounds chosen(const At *x) { return join(arg(x, 1), arg(x, 2)); }
static Bounds sent(const At *x) { return join(first(x), between(0, 0)); } /* 0 where none sends */

static Bounds converted(const At *x) {
  DType from = (DType)arg_node(x, 0)->dtype;
  Bounds all = dtype_is_int(from) && dtype_bits(from) <= 32 ? of_type(from) : UNKNOWN;
  return first(x).known || !bounds_fit(&all, (DType)x->n->dtype) ? first(x) : all;
}
static Bounds sum(const At *x) {
  Bounds a = any(x, 0), b = any(x, 1);
  return a.known && b.known ? between(a.lo + b.lo, a.hi + b.hi) : UNKNOWN;
}
static Bounds difference(const At *x) {
  Bounds a = any(x, 0), b = any(x, 1);
  return a.known && b.known ? between(a.lo - b.hi, a.hi - b.lo) : UNKNOWN;
}
static Bounds opposite(const At *x) { return times(any(x, 0), between(-1, -1)); }
static Bounds magnitude(const At *x) {
  Bounds a = any(x, 0);
  return a.known ? between(a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, most(a.hi, -a.lo)) : a;
}
static Bounds larger(const At *x) {
  Bounds a = arg(x, 0), b = arg(x, 1);
  return a.known && b.known ? between(most(a.lo, b.lo), most(a.hi, b.hi)) : UNKNOWN;
}
static Bounds smaller(const At *x) {
  Bounds a = arg(x, 0), b = arg(x, 1);
  return a.known && b.known ? between(least(a.lo, b.lo), least(a.hi, b.hi)) : UNKNOWN;
}
static Bounds within(const At *x) { /* least, value, most */
  Bounds lo = arg(x, 0), v = arg(x, 1), hi = arg(x, 2);
  if (!lo.known || !hi.known) return UNKNOWN;
  if (!v.known) return between(least(lo.lo, hi.lo), hi.hi);
  return between(least(most(v.lo, lo.lo), hi.lo), least(most(v.hi, lo.hi), hi.hi));
}
static Bounds product(const At *x) { return times(any(x, 0), any(x, 1)); }
static Bounds raised(const At *x) {
  Bounds base = any(x, 0), e = arg(x, 1), p = between(1, 1);
  Bounds all = p;
  if (!e.known || e.lo < 0 || e.hi > 64) return between(-MOST, MOST);
  for (Wide k = 0; k < e.hi; k++) p = times(p, base), all = join(all, p);
  return all;
}
static Bounds shifted(const At *x) {
  Bounds n = arg(x, 1);
  int64_t bits = dtype_bits((DType)x->n->dtype);
  bool small = n.known && n.lo >= 0 && n.hi < bits;
  if (small) return times(any(x, 0), between((Wide)1 << (int)n.lo, (Wide)1 << (int)n.hi));
  return times(any(x, 0), between(0, (Wide)1 << (bits - 1))); /* 0 where all bits are shifted out */
}

static bool one_value(Bounds b) { return b.known && b.lo == b.hi; }
static bool floors(const At *x) { return x->n->op == sym("floor_divide") || x->n->op == sym("floor_remainder"); }

static Bounds quotient(const At *x) {
  Bounds a = any(x, 0), b = arg(x, 1);
  if (!b.known || b.lo < 1) return UNKNOWN;
  if (one_value(a) && one_value(b)) {
    Wide q = a.lo / b.lo;
    q -= floors(x) && q * b.lo > a.lo;
    return between(q, q);
  }
  Wide most_of = most(a.hi, -a.lo) / b.lo;
  return between(a.lo < 0 ? -most_of - 1 : 0, a.hi < 0 ? 0 : most_of); /* rounded either way */
}
static Bounds rest(const At *x) {
  Bounds b = arg(x, 1), a = arg(x, 0);
  if (!b.known || b.lo < 1) return UNKNOWN;
  if (one_value(a) && one_value(b)) {
    Wide r = a.lo % b.lo;
    r += floors(x) && r < 0 ? b.lo : 0;
    return between(r, r);
  }
  return between(a.known && a.lo >= 0 ? 0 : 1 - b.hi, b.hi - 1);
}

/* Sums of so many elements. */
static Bounds total(Bounds a, int64_t n) {
  return n < 0 ? UNKNOWN : join(times(a, between(n, n)), between(0, 0));
}
/* Without a reducer, by a region that is none of those that have a name. */
static bool adds(const At *x) { return node_attr_sym(x->n, sym("reducer"), 0) == sym("add"); }
static bool picks(const At *x) {
  Sym by = node_attr_sym(x->n, sym("reducer"), 0);
  return by == sym("maximum") || by == sym("minimum");
}
static Bounds same_place(const At *x) { return arg(x, x->n->result); }
static Bounds reduced(const At *x) {
  int64_t left = node_elements(x->n);
  if (x->n->n_args == 4 && node_attr(x->n, sym("reducer"))) return join(arg(x, x->n->result), arg(x, x->n->result + 2u));
  if (x->n->n_args == 2 && picks(x)) return two(x);
  if (x->n->n_args != 2 || !adds(x) || !left || !arg(x, 1).known) return UNKNOWN;
  Bounds b = total(any(x, 0), node_elements(arg_node(x, 0)) / left), init = arg(x, 1);
  return b.known ? between(b.lo + init.lo, b.hi + init.hi) : b;
}
static Bounds over_devices(const At *x) {
  if (picks(x)) return first(x);
  int64_t size = x->r->mesh.n_devices;
  for (uint32_t i = 0; i < x->n->n_attrs; i++)
    if (x->n->attrs[i].kind == ATTR_GROUPS && x->n->attrs[i].i > 0) size = x->n->attrs[i].i;
  return adds(x) ? total(any(x, 0), size) : UNKNOWN;
}
static Bounds windowed(const At *x) {
  const Attr *size = node_attr(x->n, sym("window_size"));
  if (picks(x)) return two(x);
  if (!adds(x) || !size || size->kind != ATTR_INTS || !arg(x, 1).known || arg(x, 1).lo || arg(x, 1).hi) return UNKNOWN;
  int64_t n = 1;
  for (uint32_t i = 0; i < size->n; i++)
    if (__builtin_mul_overflow(n, size->ints[i], &n)) return UNKNOWN;
  return total(any(x, 0), n);
}
static Bounds contracted(const At *x) {
  const Attr *over = node_attr(x->n, sym("lhs_contracting_dims"));
  int64_t n = 1;
  if (x->n->n_args != 2 || !over || over->kind != ATTR_INTS) return UNKNOWN;
  for (uint32_t i = 0; i < over->n; i++) {
    int64_t d = over->ints[i];
    if (d < 0 || d >= arg_node(x, 0)->rank || __builtin_mul_overflow(n, arg_node(x, 0)->dims[d], &n)) return UNKNOWN;
  }
  return total(product(x), n);
}
static Bounds convolved(const At *x) {
  int64_t f = node_attr_int(x->n, sym("kernel_output_feature_dimension"), -1);
  if (x->n->n_args != 2 || f < 0 || f >= arg_node(x, 1)->rank || !arg_node(x, 1)->dims[f]) return UNKNOWN;
  return total(product(x), node_elements(arg_node(x, 1)) / arg_node(x, 1)->dims[f]);
}
static Bounds scattered(const At *x) {
  Sym by = node_attr_sym(x->n, sym("reducer"), 0);
  if (x->n->n_args != 3 || !by) return UNKNOWN;
  if (by != sym("add")) return picks(x) || by == sym("assign") ? join(first(x), arg(x, 2)) : UNKNOWN;
  Bounds a = any(x, 0), b = total(any(x, 2), node_elements(arg_node(x, 2)));
  return a.known && b.known ? between(a.lo + b.lo, a.hi + b.hi) : UNKNOWN;
}
static Bounds placed(const At *x) {
  const Node *of = arg_node(x, 0);
  return x->n->result ? between(0, of->rank ? most(of->dims[of->rank - 1] - 1, 0) : 0) : first(x);
}
static Bounds positions(const At *x) {
  int64_t d = node_attr_int(x->n, sym("iota_dimension"), -1);
  return d < 0 || d >= x->n->rank ? UNKNOWN : between(0, most(x->n->dims[d] - 1, 0));
}
static Bounds devices(const At *x) { return between(0, most(x->r->mesh.n_devices - 1, 0)); }
static Bounds bit_and(const At *x) {
  Bounds a = arg(x, 0), b = arg(x, 1);
  if (a.known && a.lo >= 0) return between(0, b.known && b.lo >= 0 ? least(a.hi, b.hi) : a.hi);
  return b.known && b.lo >= 0 ? between(0, b.hi) : UNKNOWN;
}
static Bounds shifted_down(const At *x) {
  Bounds a = any(x, 0), n = arg(x, 1);
  bool small = n.known && n.lo >= 0 && n.hi < dtype_bits((DType)x->n->dtype);
  bool sign = dtype_kind((DType)x->n->dtype) == DK_INT || x->n->op == sym("shift_right_logical");
  return a.known && a.lo >= 0 && small && sign ? between(a.lo >> (int)n.hi, a.hi >> (int)n.lo) : UNKNOWN;
}
static Bounds constant(const At *x) {
  const Literal *l = x->n->literal;
  if (!l) return UNKNOWN;
  Bounds b = UNKNOWN;
  for (uint64_t k = 0; k < (l->kind == LIT_SPLAT ? 1 : l->n); k++) {
    int64_t v;
    if (!rat_to_int(l->values[k], &v)) return UNKNOWN;
    b = k ? join(b, between(v, v)) : between(v, v);
  }
  return b;
}

/* A parameter; of addends each is anything. */
static Bounds given(const At *x) {
  for (uint32_t i = 0; i < x->r->n_inputs; i++) {
    const Related *in = &x->r->inputs[i];
    int64_t lo, hi, v;
    if ((x->side ? in->dist : in->seq) != x->n->param) continue;
    if (x->side && in->layout.n_partial) return UNKNOWN;
    bool ranged = in->has_lo && in->has_hi && rat_to_int(in->lo, &lo) && rat_to_int(in->hi, &hi);
    if (!ranged && !in->only_also) return UNKNOWN;
    Bounds b = ranged ? between(lo, hi) : UNKNOWN;
    for (uint32_t k = 0; k < in->n_also; k++) {
      if (!rat_to_int(in->also[k], &v)) return UNKNOWN;
      b = k || ranged ? join(b, between(v, v)) : between(v, v);
    }
    return b;
  }
  return UNKNOWN;
}

static const struct {
  const char *op;
  Bounds (*of)(const At *);
} RULES[] = {
    {"parameter", given}, {"constant", constant}, {"iota", positions}, {"partition_id", devices},
    /* arithmetic */
    {"add", sum}, {"subtract", difference}, {"multiply", product}, {"negate", opposite}, {"abs", magnitude},
    {"maximum", larger}, {"minimum", smaller}, {"clamp", within}, {"convert", converted}, {"select", chosen},
    {"divide", quotient}, {"floor_divide", quotient}, {"truncated_divide", quotient}, {"remainder", rest},
    {"floor_remainder", rest}, {"shift_left", shifted}, {"power", raised}, {"and", bit_and},
    {"shift_right_arithmetic", shifted_down}, {"shift_right_logical", shifted_down},
    /* sums and contractions */
    {"reduce", reduced}, {"reduce_window", windowed}, {"all_reduce", over_devices}, {"reduce_scatter", over_devices},
    {"dot", contracted}, {"convolution", convolved}, {"scatter", scattered},
    /* elements at other places */
    {"reshape", first}, {"transpose", first}, {"broadcast", first}, {"slice", first}, {"dynamic_slice", first},
    {"gather", first}, {"reverse", first}, {"copy", first}, {"opt_barrier", first}, {"all_gather", first},
    {"concatenate", all}, {"pad", two}, {"dynamic_update_slice", two}, {"collective_permute", sent}, {"all_to_all", all},
    {"topk", placed}, {"sort", same_place},
};

const Bounds *graph_bounds(const Graph *g, const Relation *r, int side, Arena *a) {
  Bounds *of = ARENA_ARRAY(a, Bounds, g->nodes.len + 1);
  bool guessed;
  enum { N = sizeof RULES / sizeof *RULES };
  Sym ops[N];
  for (size_t k = 0; k < N; k++) ops[k] = sym(RULES[k].op);
  for (size_t i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    DType t = (DType)n->dtype;
    if (!dtype_is_whole(t)) continue;
    guessed = false;
    for (size_t k = 0; k < N; k++)
      if (ops[k] == n->op) of[i] = RULES[k].of(&(At){g, r, of, n, side, &guessed});
    if (bounds_fit(&of[i], t)) {
      if (guessed) of[i] = UNKNOWN;
      continue;
    }
    bool wraps = dtype_kind(t) != DK_INT || (n->op == sym("convert") && of[i].known);
    of[i] = wraps ? of_type(t) : (Bounds){.exceeds = of[i].known};
  }
  return of;
}
