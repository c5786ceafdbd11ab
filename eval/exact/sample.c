/* sample: see sample.h. */
#include "eval/exact/sample.h"

#include <math.h>

#include "eval/exact/block.h"
#include "eval/exact/range.h"

/* splitmix64: a generator whose state is its counter, so streams are started anywhere. */
typedef struct Random {
  uint64_t state;
} Random;

static uint64_t next(Random *r) {
  uint64_t z = r->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static uint64_t below(Random *r, uint64_t n) { return n ? next(r) % n : 0; }
static Random stream(uint64_t seed, uint64_t which) {
  Random r = {seed * 0xd1342543de82ef95u + which * 0x2545f4914f6cdd1du};
  next(&r);
  return r;
}

/* ---- values ---- */

/* How the elements of one input are drawn. */
typedef struct Draw {
  bool is_int;
  int64_t lo, span;   /* integers: lo .. lo + span - 1 */
  double scale;       /* reals: up to this size .. */
  bool has_lo, has_hi;
  double low, high;   /* .. and within these */
} Draw;

/* n different odd numbers below 2^bits, in random order (with repeats once there are too few). */
static void odd_numbers(Random *r, int bits, uint64_t n, double *out) {
  uint64_t range = 1ull << (bits - 1), step = below(r, range) | 1, at = below(r, range);
  for (uint64_t i = 0; i < n; i++) {
    out[i] = (double)(2 * at + 1);
    at = (at + step) % range;
  }
  for (uint64_t i = n; i > 1; i--) {
    uint64_t j = below(r, i);
    double t = out[i - 1];
    out[i - 1] = out[j];
    out[j] = t;
  }
}

/* x rounded to 30 bits below the bounds' size, so that sums of a few numbers stay exact; within the bounds. */
static double on_grid(double x, const Draw *d) {
  double size = fmax(fmax(fabs(d->has_lo ? d->low : 0), fabs(d->has_hi ? d->high : 0)), fabs(x));
  if (size == 0) return x;
  int shift = 30 - ilogb(size);
  double y = ldexp(ceil(ldexp(x, shift)), -shift);
  if (d->has_hi && y > d->high) y = d->high;
  return d->has_lo && y < d->low ? d->low : y;
}

static void draw(const Draw *d, Random *r, uint64_t n, double *out) {
  if (d->is_int) {
    for (uint64_t i = 0; i < n; i++) out[i] = (double)(d->lo + (int64_t)below(r, (uint64_t)d->span));
    return;
  }
  int bits = 5;
  while (bits < 20 && (1ull << (bits - 2)) < n) bits++;
  odd_numbers(r, bits, n, out);
  if (d->has_lo && d->has_hi) {
    for (uint64_t i = 0; i < n; i++) out[i] = on_grid(d->low + (d->high - d->low) * ldexp(out[i], -bits), d);
    return;
  }
  double unit = ldexp(1, (int)floor(log2(1.5 * d->scale)) - bits + 1);
  for (uint64_t i = 0; i < n; i++) {
    out[i] *= unit;
    if (d->has_lo) out[i] = on_grid(d->low + out[i], d);
    else if (d->has_hi) out[i] = on_grid(d->high - out[i], d);
    else if (next(r) & 1) out[i] = -out[i];
  }
}

static Draw draw_of(const ExactProblem *p, const Node *n, const Related *rel, Arena *a, Notes *notes) {
  Draw d = {.scale = rel && rel->scale > 0 && rel->scale < 1e100 ? rel->scale : 1};
  d.has_lo = rel && rel->has_lo;
  d.has_hi = rel && rel->has_hi;
  DKind kind = dtype_kind((DType)n->dtype);
  d.is_int = kind == DK_INT || kind == DK_UINT || kind == DK_BOOL;
  if (d.has_lo) d.low = rat_to_double(rel->lo);
  if (d.has_hi) d.high = rat_to_double(rel->hi);
  if (!d.is_int) return d;
  int64_t lo = 0, hi = 1;
  const char *why = NULL;
  if (kind != DK_BOOL) range_of_input(p, n->param, &lo, &hi, &why);
  bool given = true;
  if (d.has_lo && rat_to_int(rat_ceil(rel->lo), &lo)) hi = hi < lo ? lo + 7 : hi;
  else given = false;
  if (d.has_hi && rat_to_int(rat_floor(rel->hi), &hi)) lo = given ? lo : hi < lo ? hi - 7 : lo;
  else given = false;
  if (hi < lo || hi - lo > INT64_C(1) << 52) hi = lo + 7;
  d.lo = lo;
  d.span = hi - lo + 1;
  if (!given && notes && kind != DK_BOOL)
    vec_push(notes, arena_printf(a, "%s: no range given, values %lld .. %lld%s%s",
                                 sym_text(rel && rel->name ? rel->name : n->name), (long long)lo, (long long)hi,
                                 why ? ", " : "", why ? why : ""));
  return d;
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
    Random r = stream(seed, (input << 40) ^ (element << 12) ^ (uint64_t)i ^ 0x5a5a);
    double v = ((double)below(&r, 128) - 63.5) * unit, left = rest - v, step = left - rest;
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
    double size = d->is_int ? 256 : d->scale;
    Random filler = stream(seed, 0xf111 + (uint64_t)rel->dist * 4096 + c);
    block_positions(&rel->layout, m, at, whole, block, positions);
    for (uint64_t i = 0; i < n; i++) {
      uint64_t e = positions[i];
      if (e == BLOCK_PADDING) draw(d, &filler, 1, to + i);
      else to[i] = part(seed, (uint64_t)rel->dist, e, values[e], key[block->rank], n_addends, size);
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
    const Related *rel = NULL;
    for (uint32_t k = 0; k < p->relation->n_inputs && !rel; k++)
      if (p->relation->inputs[k].seq == (int64_t)i) rel = &p->relation->inputs[k];
    draws[i] = draw_of(p, n, rel, a, notes);
    uint64_t count = (uint64_t)node_elements(n);
    double *values = ARENA_ARRAY(a, double, count + 1);
    Random r = stream(seed, i + 1);
    draw(&draws[i], &r, count, values);
    (*seq)[i] = single(a, count, values);
  }
  for (uint32_t k = 0; k < p->relation->n_inputs; k++) {
    const Related *rel = &p->relation->inputs[k];
    const Node *whole = parameter(g, rel->seq), *block = parameter(h, rel->dist);
    if (!whole || !block || whole->rank != block->rank || rel->layout.rank != whole->rank) continue;
    (*dist)[rel->dist] = cut(p, rel, &draws[rel->seq], seed, whole, block, (*seq)[rel->seq].at[0], a);
  }
}
