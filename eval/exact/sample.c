/* sample: see sample.h. */
#include "eval/exact/sample.h"

#include <math.h>

#include "eval/exact/block.h"
#include "eval/exact/draw.h"
#include "eval/exact/range.h"

/* The double nearest to x that is not on the other side of it: at least x (way 1) or at most (-1). */
static double within(Rat x, int way, bool integer) {
  if (integer) x = way > 0 ? rat_ceil(x) : rat_floor(x);
  double d = rat_to_double(x);
  return isfinite(d) && rat_cmp(rat_from_double(d), x) * way < 0 ? nextafter(d, way * INFINITY) : d;
}

static bool is_integer(const Node *n) { return dtype_is_whole((DType)n->dtype); }

static double size_of(const Related *rel) { return rel && rel->scale > 1e-100 && rel->scale < 1e100 ? rel->scale : 1; }

/* Every fourth point has small numbers, and every fourth large ones: gradients that are clipped by their norm hide a factor,
 * small ones are not, and a limit that nothing reaches hides what is limited.  All numbers being large may leave gradients
 * small: of the other points, the first aside, each makes one of n inputs larger yet, beside small ones in turn. */
static double size_at(const Related *rel, uint64_t seed, int64_t input, size_t n) {
  static const double of[] = {8, 1, 1, 0.125};
  enum { LARGE = 64 };
  uint64_t turn = seed / 4 * 2 + seed % 4 / 2;
  if (seed < 4 || of[seed % 4] != 1 || !n) return size_of(rel) * of[seed % 4];
  return size_of(rel) * (turn % n == (uint64_t)input ? LARGE : turn / n % 2 ? 0.125 : 1);
}

/* Whole numbers, three if the bounds leave so many, -1 to 1 where there are none; false if they leave none. */
static bool coarse_draw(const Related *rel, uint64_t count, uint64_t stream, Draw *out) {
  enum { MOST = 3 };
  int64_t lo = -1, hi = 1;
  const int64_t most = INT64_C(1) << 50;
  bool has_lo = rel->has_lo, has_hi = rel->has_hi;
  if (has_lo && (!rat_to_int(rat_ceil(rel->lo), &lo) || lo > most || lo < -most)) return false;
  if (has_hi && (!rat_to_int(rat_floor(rel->hi), &hi) || hi > most || hi < -most)) return false;
  if (has_lo && (!has_hi || hi - lo >= MOST)) hi = lo + MOST - 1;
  if (!has_lo && has_hi) lo = hi - MOST + 1;
  if (hi < lo) return false;
  *out = draw_int(count, lo, hi - lo + 1, stream);
  return true;
}

/* The types of the parameter and of what is related to it hold these integers. */
static void keep_to_types(const ExactProblem *p, const Node *n, int64_t *lo, int64_t *hi) {
  for (uint32_t k = 0; k <= p->relation->n_inputs; k++) {
    const Related *x = k ? &p->relation->inputs[k - 1] : NULL;
    if (x && x->seq != n->param) continue;
    DType t = (DType)(x ? p->dist.graph->nodes.at[p->dist.graph->params.at[x->dist]].dtype : n->dtype);
    bool sign = dtype_kind(t) == DK_INT;
    int bits = dtype_bits(t) - sign;
    int64_t most = bits < 63 ? (INT64_C(1) << bits) - 1 : INT64_MAX, least = sign ? -most - 1 : 0;
    if (*hi > most) *hi = most;
    if (*lo < least) *lo = least;
  }
}

/* How a parameter of the sequential graph is drawn. */
static Draw draw_of_range(const ExactProblem *p, uint64_t seed, const Node *n, const Related *rel, Arena *a,
                          Notes *notes) {
  static const int far[] = {0, 1, 2, 3, 5, 8, 12, 17};
  uint64_t count = (uint64_t)node_elements(n), stream = seed * 65537 + (uint64_t)n->param;
  bool has_lo = rel->has_lo, has_hi = rel->has_hi;
  Draw coarse;
  if (seed & EXACT_COARSE && dtype_is_float((DType)n->dtype) && coarse_draw(rel, count, stream, &coarse)) return coarse;
  double low = has_lo ? within(rel->lo, 1, is_integer(n)) : 0, high = has_hi ? within(rel->hi, -1, is_integer(n)) : 0;
  if (!is_integer(n)) {
    /* A step count up to 1000 matters near 1, so odd seeds stay near the lower end. */
    if (has_lo && has_hi && seed % 2 == 1) high = fmin(high, low + 2 * size_of(rel));
    double size = size_at(rel, seed, n->param, p->seq.graph->params.len);
    Draw d = draw_real(count, size, has_lo ? &low : NULL, has_hi ? &high : NULL, stream);
    d.far = seed & EXACT_FAR && !has_lo && !has_hi;
    if (d.far) d.power = far[seed % (sizeof far / sizeof *far)];
    return d;
  }
  int64_t lo = 0, hi = 1;
  const char *why = NULL;
  range_of_input(p, n->param, &lo, &hi, &why);
  bool given = has_lo && rat_to_int(rat_from_double(low), &lo);
  if (given) hi = hi < lo ? lo < INT64_MAX - 7 ? lo + 7 : lo : hi;
  else if (low > 0) return draw_real(count, 1, &low, &low, stream); /* beyond 63 bits */
  if (has_hi && rat_to_int(rat_from_double(high), &hi)) lo = given ? lo : hi < lo ? hi - 7 : lo;
  else given = false;
  if (hi < lo || hi / 2 - lo / 2 > INT64_C(1) << 50) hi = lo < INT64_MAX - 7 ? lo + 7 : lo;
  keep_to_types(p, n, &lo, &hi);
  if (!given && notes && !rel->only_also)
    vec_push(notes, arena_printf(a, "%s: no range given, values %lld .. %lld%s%s",
                                 sym_text(rel->name ? rel->name : n->name), (long long)lo, (long long)hi,
                                 why ? ", " : "", why ? why : ""));
  return draw_int(count, lo, hi - lo + 1, stream);
}

/* The least or greatest value of the range or list that is stated; false: none is. */
static bool edge_of(const Related *rel, bool integer, bool least, double *out) {
  bool list = rel->only_also, bound = !list && (least ? rel->has_lo : rel->has_hi);
  Rat edge = bound ? (least ? rel->lo : rel->hi) : list && rel->n_also ? rel->also[0] : RAT_0;
  for (uint32_t k = 0; list && k < rel->n_also; k++)
    if ((rat_cmp(rel->also[k], edge) < 0) == least) edge = rel->also[k];
  *out = within(edge, least ? 1 : -1, integer);
  return list || bound;
}

/* Of what is stated, doubles are drawn. */
static Related stated(const ExactProblem *p, const Node *parameter, Arena *a) {
  Related r = relation_input(p->relation, p->seq.graph, p->dist.graph, parameter->param, a);
  bool integer = is_integer(parameter);
  if (r.has_lo && r.has_hi && within(r.lo, 1, integer) > within(r.hi, -1, integer)) r.only_also = true;
  Rat *also = ARENA_ARRAY(a, Rat, r.n_also + 1);
  uint32_t n = 0;
  for (uint32_t k = 0; k < r.n_also; k++)
    if (rat_from_double(rat_to_double(r.also[k])) == r.also[k]) also[n++] = r.also[k];
  r.also = also;
  r.n_also = n;
  return r;
}

static Draw draw_of(const ExactProblem *p, uint64_t seed, const Node *n, Arena *a, Notes *notes) {
  double edge, least = 1, most = 0;
  Related rel = stated(p, n, a);
  uint64_t count = (uint64_t)node_elements(n);
  if (rel.only_also && !rel.n_also) return draw_real(count, 1, &least, &most, seed);
  if (seed & (EXACT_LEAST | EXACT_MOST) && edge_of(&rel, is_integer(n), seed & EXACT_LEAST, &edge))
    return draw_real(count, 1, &edge, &edge, seed);
  Draw d = draw_of_range(p, seed, n, &rel, a, notes);
  if (!rel.n_also) return d;
  double *also = ARENA_ARRAY(a, double, rel.n_also);
  for (uint32_t k = 0; k < rel.n_also; k++) also[k] = rat_to_double(rel.also[k]);
  d.also = also;
  d.n_also = rel.n_also;
  d.only_also = rel.only_also;
  return d;
}

const char *sample_formula(const ExactProblem *p, uint64_t seed, const Node *parameter, Arena *a) {
  Draw d = draw_of(p, seed, parameter, a, NULL);
  return draw_text(&d, a);
}

static Field single(Arena *a, uint64_t n, const double *at) {
  Field f = {.n = n, .n_classes = 1};
  f.at = ARENA_ARRAY(a, const double *, 1);
  f.at[0] = at;
  return f;
}

/* Number of the addend a device holds, and how many there are. */
static int64_t addend(const Layout *l, const Mesh *m, const int64_t *at, int64_t *n) {
  int64_t k = 0;
  *n = 1;
  for (uint32_t i = 0; i < l->n_partial; i++) {
    k = k * m->axes[l->partial[i]].size + at[l->partial[i]];
    *n *= m->axes[l->partial[i]].size;
  }
  return k;
}

/* Value of addend k of n for an element worth `value`: random ones, the last makes up the sum.  Exactly: where doubles
 * would round, the first addend is everything. */
static double part(uint64_t seed, uint64_t input, uint64_t element, double value, int64_t k, int64_t n, double scale) {
  if (n == 1) return value;
  double unit = ldexp(1, ilogb(scale) - 6), rest = value, mine = 0;
  for (int64_t i = 0; i < n - 1; i++) {
    Random r = random_stream(seed, (input << 40) ^ (element << 12) ^ (uint64_t)i ^ 0x5a5a);
    double v = ((double)random_below(&r, 128) - 63.5) * unit, left = rest - v, step = left - rest;
    if ((rest - (left - step)) + (-v - step) != 0) return k == 0 ? value : 0; /* Knuth's error of a sum */
    if (i == k) mine = v;
    rest = left;
  }
  return k == n - 1 ? rest : mine;
}

/* The distributed input of `rel`, cut from the sequential values. */
static Field cut(const ExactProblem *p, const Related *rel, const Draw *d, uint64_t seed, const Node *whole,
                 const Node *block, const double *values, Arena *a) {
  const Mesh *m = &p->relation->mesh;
  uint64_t n = (uint64_t)node_elements(block);
  Field f = {.n = n};
  const size_t width = block->rank + 2;
  uint32_t *class_of = ARENA_ARRAY(a, uint32_t, m->n_devices);
  int64_t *keys = ARENA_ARRAY(a, int64_t, m->n_devices * (block->rank + 2)), *key = keys;
  int64_t *at = ARENA_ARRAY(a, int64_t, m->n_axes);
  uint64_t *positions = xcalloc(n, sizeof *positions);
  f.at = ARENA_ARRAY(a, const double *, m->n_devices);
  f.class_of = class_of;
  for (int64_t device = 0; device < m->n_devices; device++) {
    int64_t n_addends;
    block_coordinate(m, device, at);
    key = keys + f.n_classes * width;
    bool padded = false;
    for (uint32_t i = 0; i < block->rank; i++) {
      key[i] = block_number(&rel->layout, m, i, at);
      padded = padded || (key[i] + 1) * block->dims[i] > whole->dims[i];
    }
    key[block->rank] = addend(&rel->layout, m, at, &n_addends);
    key[block->rank + 1] = padded ? device : -1; /* copies may be padded differently */
    uint32_t c = 0;
    while (c < f.n_classes && memcmp(keys + c * width, key, width * sizeof *key)) c++;
    class_of[device] = c;
    if (c < f.n_classes) continue;
    double *to = ARENA_ARRAY(a, double, n + 1);
    double size = d->is_int ? 256 : size_of(rel);
    Random filler = random_stream(seed, 0xf111 + (uint64_t)rel->dist * 4096 + c);
    block_positions(&rel->layout, m, at, whole, block, positions);
    for (uint64_t i = 0; i < n; i++) {
      uint64_t e = positions[i];
      if (e == BLOCK_PADDING)
        to[i] = draw_at(d, random_below(&filler, d->q));
      else
        to[i] = part(seed, (uint64_t)rel->dist, e, values[e], key[block->rank], n_addends, size);
    }
    f.at[f.n_classes++] = to;
  }
  free(positions);
  return f;
}

static const Node *parameter(const Graph *g, int64_t number) {
  if (number < 0 || (size_t)number >= g->params.len || g->params.at[number] == NO_NODE) return NULL;
  return &g->nodes.at[g->params.at[number]];
}

void sample_inputs(const ExactProblem *p, uint64_t seed, Arena *a, Field **seq, Field **dist, Notes *notes) {
  const Graph *g = p->seq.graph, *h = p->dist.graph;
  *seq = ARENA_ARRAY(a, Field, g->params.len + 1);
  *dist = ARENA_ARRAY(a, Field, h->params.len + 1);
  Draw *draws = ARENA_ARRAY(a, Draw, g->params.len + 1);
  for (size_t i = 0; i < g->params.len; i++) {
    const Node *n = parameter(g, (int64_t)i);
    if (!n) continue;
    draws[i] = draw_of(p, seed, n, a, notes);
    uint64_t count = (uint64_t)node_elements(n);
    double *values = ARENA_ARRAY(a, double, count + 1);
    const double *given = p->given && p->given[i] ? p->given[i] : g->param_values ? g->param_values[i] : NULL;
    for (uint64_t e = 0; e < count; e++) values[e] = given ? given[e] : draw_at(&draws[i], e);
    (*seq)[i] = single(a, count, values);
  }
  for (uint32_t k = 0; k < p->relation->n_inputs; k++) {
    const Related *rel = &p->relation->inputs[k];
    const Node *whole = parameter(g, rel->seq), *block = parameter(h, rel->dist);
    if (!whole || !block || whole->rank != block->rank || rel->layout.rank != whole->rank) continue;
    (*dist)[rel->dist] = cut(p, rel, &draws[rel->seq], seed, whole, block, (*seq)[rel->seq].at[0], a);
  }
}
