/* Quotients of random programs, whose operators take positions apart in all ways: reshapes that cross, slices and pads at
 * any offset, masks, tables, reversals, sums and maxima.  Every value of the small program is that of the large one. */
#include "frontends/base/relation.h"
#include "frontends/hlo/hlo.h"
#include "tests/unit/quotient_same.h"

enum { PROGRAMS = 1500, SEEDS = 4, N_PARAMS = 3, N_OPS = 14, MAX_VALUES = 40, MAX_DIMS = 4, MAX_SIZE = 400 };

typedef struct Tensor {
  uint32_t rank;
  int64_t dim[MAX_DIMS];
} Tensor;

typedef struct Program {
  Arena arena;
  const char *text, *relation;
  uint64_t state;
  uint32_t n;
  Tensor at[MAX_VALUES];
} Program;

static uint64_t below(Program *p, uint64_t n) {
  p->state += 0x9e3779b97f4a7c15u;
  uint64_t z = p->state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) % n;
}

static int64_t size_of(const Tensor *t) {
  int64_t n = 1;
  for (uint32_t d = 0; d < t->rank; d++) n *= t->dim[d];
  return n;
}

static const char *list(Program *p, const int64_t *at, uint32_t n) {
  const char *s = "";
  for (uint32_t i = 0; i < n; i++) s = arena_printf(&p->arena, "%s%s%lld", s, i ? "," : "", (long long)at[i]);
  return s;
}

static void put(Program *p, Tensor t, const char *op) {
  if (p->n == MAX_VALUES || size_of(&t) > MAX_SIZE) return;
  p->text = arena_printf(&p->arena, "%s  v%u = f32[%s] %s\n", p->text, p->n, list(p, t.dim, t.rank), op);
  p->at[p->n++] = t;
}

/* A line that makes no value for others. */
static void put_line(Program *p, const char *line) { p->text = arena_printf(&p->arena, "%s  %s\n", p->text, line); }

static Tensor any_shape(Program *p) {
  static const int64_t sizes[] = {2, 3, 4, 6, 8, 12};
  Tensor t = {.rank = (uint32_t)below(p, 3) + 1};
  for (uint32_t d = 0; d < t.rank; d++) t.dim[d] = sizes[below(p, 6)];
  while (size_of(&t) > MAX_SIZE) t.rank--;
  return t;
}

/* The same elements in other dimensions. */
static Tensor reshaped(Program *p, const Tensor *from) {
  int64_t left = size_of(from);
  Tensor t = {0};
  while (left > 1 && t.rank + 1 < MAX_DIMS) {
    int64_t d = (int64_t)below(p, (uint64_t)left) + 1;
    while (left % d) d--;
    if (d == 1) continue;
    t.dim[t.rank++] = d;
    left /= d;
  }
  if (left > 1 || !t.rank) t.dim[t.rank++] = left;
  return t;
}

static bool same_shape(const Tensor *a, const Tensor *b) {
  return a->rank == b->rank && !memcmp(a->dim, b->dim, a->rank * sizeof *a->dim);
}

static void add_slice(Program *p, uint32_t x) {
  Tensor t = p->at[x];
  const char *at = "";
  for (uint32_t d = 0; d < t.rank; d++) {
    int64_t lo = (int64_t)below(p, (uint64_t)t.dim[d]), hi = lo + 1 + (int64_t)below(p, (uint64_t)(t.dim[d] - lo));
    if (below(p, 2)) lo = 0, hi = t.dim[d];
    if (below(p, 3) == 0 && t.dim[d] % 2 == 0) lo = below(p, 2) ? t.dim[d] / 2 : 0, hi = lo + t.dim[d] / 2;
    int64_t step = below(p, 4) ? 1 : 2;
    at = arena_printf(&p->arena, "%s%s[%lld:%lld:%lld]", at, d ? ", " : "", (long long)lo, (long long)hi, (long long)step);
    t.dim[d] = (hi - lo + step - 1) / step;
  }
  put(p, t, arena_printf(&p->arena, "slice(v%u), slice={%s}", x, at));
}

static void add_pad(Program *p, uint32_t x) {
  Tensor t = p->at[x];
  const char *at = "";
  for (uint32_t d = 0; d < t.rank; d++) {
    int64_t lo = (int64_t)below(p, 3), hi = below(p, 3) ? (int64_t)below(p, 3) : t.dim[d] - lo;
    if (hi < 0) hi = 0;
    at = arena_printf(&p->arena, "%s%s%lld_%lld", at, d ? "x" : "", (long long)lo, (long long)hi);
    t.dim[d] += lo + hi;
  }
  put(p, t, arena_printf(&p->arena, "pad(v%u, half), padding=%s", x, at));
}

static void add_broadcast(Program *p, uint32_t x) {
  Tensor t = p->at[x], to = {0};
  int64_t dims[MAX_DIMS];
  uint32_t at = (uint32_t)below(p, t.rank + 1u);
  if (t.rank == MAX_DIMS) return;
  for (uint32_t d = 0; d < t.rank; d++) {
    if (d == at) to.dim[to.rank++] = 2 + (int64_t)below(p, 5);
    dims[d] = to.rank;
    to.dim[to.rank++] = t.dim[d];
  }
  if (at == t.rank) to.dim[to.rank++] = 2 + (int64_t)below(p, 5);
  put(p, to, arena_printf(&p->arena, "broadcast(v%u), dimensions={%s}", x, list(p, dims, t.rank)));
}

static void add_transpose(Program *p, uint32_t x) {
  Tensor t = p->at[x], to = {.rank = t.rank};
  int64_t order[MAX_DIMS];
  for (uint32_t d = 0; d < t.rank; d++) order[d] = d;
  for (uint32_t d = t.rank; d-- > 1;) {
    uint64_t k = below(p, d + 1u);
    int64_t swap = order[d];
    order[d] = order[k], order[k] = swap;
  }
  for (uint32_t d = 0; d < t.rank; d++) to.dim[d] = t.dim[order[d]];
  put(p, to, arena_printf(&p->arena, "transpose(v%u), dimensions={%s}", x, list(p, order, t.rank)));
}

static void add_reduce(Program *p, uint32_t x) {
  Tensor t = p->at[x], to = {0};
  int64_t dims[MAX_DIMS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < t.rank; d++) {
    if (below(p, 2)) dims[n++] = d;
    else to.dim[to.rank++] = t.dim[d];
  }
  bool most = below(p, 2);
  const char *by = most ? "most" : "plus";
  put(p, to, arena_printf(&p->arena, "reduce(v%u, half), dimensions={%s}, to_apply=%s", x, list(p, dims, n), by));
}

static void add_dot(Program *p, uint32_t x, uint32_t y) {
  const Tensor a = p->at[x], b = p->at[y];
  for (uint32_t i = 0; i < a.rank; i++)
    for (uint32_t j = 0; j < b.rank; j++) {
      if (a.dim[i] != b.dim[j] || a.rank + b.rank - 2 > MAX_DIMS) continue;
      Tensor to = {0};
      for (uint32_t d = 0; d < a.rank; d++)
        if (d != i) to.dim[to.rank++] = a.dim[d];
      for (uint32_t d = 0; d < b.rank; d++)
        if (d != j) to.dim[to.rank++] = b.dim[d];
      return put(p, to, arena_printf(&p->arena, "dot(v%u, v%u), lhs_contracting_dims={%u}, rhs_contracting_dims={%u}", x,
                                     y, i, j));
    }
}

/* A mask by position, of scores or of a factor that is 0. */
static void add_mask(Program *p, uint32_t x) {
  static const char *const directions[] = {"LT", "GE", "EQ", "NE"};
  Tensor t = p->at[x];
  const char *shape = list(p, t.dim, t.rank);
  uint32_t k = p->n;
  if (!t.rank) return;
  put_line(p, arena_printf(&p->arena, "i%u = f32[%s] iota(), iota_dimension=%u", k, shape, (uint32_t)below(p, t.rank)));
  uint32_t d = (uint32_t)below(p, t.rank);
  put_line(p, below(p, 2) ? arena_printf(&p->arena, "j%u = f32[%s] iota(), iota_dimension=%u", k, shape, d)
                          : arena_printf(&p->arena, "j%u = f32[%s] broadcast(two), dimensions={}", k, shape));
  const char *direction = directions[below(p, 4)];
  put_line(p, arena_printf(&p->arena, "m%u = pred[%s] compare(i%u, j%u), direction=%s", k, shape, k, k, direction));
  put_line(p, arena_printf(&p->arena, "h%u = f32[%s] broadcast(half), dimensions={}", k, shape));
  put(p, t, arena_printf(&p->arena, "select(m%u, v%u, h%u)", k, x, k));
}

static void add_table(Program *p) {
  Tensor t = {.rank = 1, .dim = {2 + (int64_t)below(p, 7)}};
  const char *s = "";
  for (int64_t i = 0; i < t.dim[0]; i++) s = arena_printf(&p->arena, "%s%s%lld", s, i ? ", " : "", (long long)below(p, 5));
  put(p, t, arena_printf(&p->arena, "constant({%s})", s));
}

static void add_concatenate(Program *p, uint32_t x) {
  Tensor t = p->at[x];
  if (!t.rank) return;
  uint32_t d = (uint32_t)below(p, t.rank);
  for (uint32_t y = 0; y < p->n; y++) {
    Tensor u = p->at[y];
    if (u.rank != t.rank || below(p, 3) == 0) continue;
    int64_t size = u.dim[d];
    u.dim[d] = t.dim[d];
    if (!same_shape(&u, &t)) continue;
    t.dim[d] += size;
    return put(p, t, arena_printf(&p->arena, "concatenate(v%u, v%u), dimensions={%u}", x, y, d));
  }
}

static void add_binary(Program *p, uint32_t x) {
  static const char *const ops[] = {"add", "multiply", "maximum", "subtract"};
  for (uint32_t y = p->n; y-- > 0;)
    if (same_shape(&p->at[x], &p->at[y]) && below(p, 2))
      return put(p, p->at[x], arena_printf(&p->arena, "%s(v%u, v%u)", ops[below(p, 4)], x, y));
}

/* Attention under a mask, and what has a mean for it or none. */
static void add_attention(Program *p) {
  int64_t n = p->at[0].dim[0], k = p->at[0].dim[1];
  Tensor square = {.rank = 2, .dim = {n, n}}, tall = {.rank = 2, .dim = {n, k}}, row = {.rank = 1, .dim = {k}};
  Tensor column = {.rank = 1, .dim = {n}}, small = {.rank = 2, .dim = {k, k}};
  uint32_t first = p->n;
  if (first + 18 > MAX_VALUES) return;
  const char *shape = list(p, square.dim, 2), *line = list(p, &n, 1);
  uint32_t x = 0, q = first;
  const char *inner = "lhs_contracting_dims={1}, rhs_contracting_dims={1}";
  put_line(p, arena_printf(&p->arena, "a%u = f32[%s] dot(v%u, v%u), %s", q, shape, x, x, inner));
  put_line(p, arena_printf(&p->arena, "i%u = f32[%s] iota(), iota_dimension=0", q, shape));
  put_line(p, arena_printf(&p->arena, "j%u = f32[%s] iota(), iota_dimension=1", q, shape));
  put_line(p, arena_printf(&p->arena, "m%u = pred[%s] compare(i%u, j%u), direction=GE", q, shape, q, q));
  put_line(p, arena_printf(&p->arena, "h%u = f32[%s] broadcast(half), dimensions={}", q, shape));
  put_line(p, arena_printf(&p->arena, "w%u = f32[%s] select(m%u, a%u, h%u)", q, shape, q, q, q));
  put_line(p, arena_printf(&p->arena, "e%u = f32[%s] exponential(w%u)", q, shape, q));
  put_line(p, arena_printf(&p->arena, "s%u = f32[%s] reduce(e%u, none), dimensions={1}, to_apply=plus", q, line, q));
  const char *along = below(p, 4) ? "0" : "1"; /* the sum of a row for a column: then they do not add up to 1 */
  put_line(p, arena_printf(&p->arena, "b%u = f32[%s] broadcast(s%u), dimensions={%s}", q, shape, q, along));
  put(p, square, arena_printf(&p->arena, "divide(e%u, b%u)", q, q));
  put(p, tall, arena_printf(&p->arena, "dot(v%u, v%u), lhs_contracting_dims={1}, rhs_contracting_dims={0}", q, x));
  put(p, tall, arena_printf(&p->arena, "dot(v%u, v%u), lhs_contracting_dims={0}, rhs_contracting_dims={0}", q, x));
  uint32_t means = q + 2;
  put(p, square, arena_printf(&p->arena, "transpose(v%u), dimensions={1,0}", q));
  put(p, square, arena_printf(&p->arena, "multiply(v%u, v%u)", q, q + 3));
  put(p, square, arena_printf(&p->arena, "multiply(v%u, v%u)", q, q));
  const char *by = below(p, 3) ? "plus" : "most";
  put(p, row, arena_printf(&p->arena, "reduce(v%u, half), dimensions={0}, to_apply=%s", means, by));
  put(p, small, arena_printf(&p->arena, "dot(v%u, v%u), lhs_contracting_dims={0}, rhs_contracting_dims={0}", means, x));
  put(p, small, arena_printf(&p->arena, "dot(v%u, v%u), lhs_contracting_dims={0}, rhs_contracting_dims={0}", means, means));
  put(p, tall, arena_printf(&p->arena, "tanh(v%u)", means));
  put(p, tall, arena_printf(&p->arena, "dot(v%u, v%u), lhs_contracting_dims={0}, rhs_contracting_dims={0}", q, means));
  put(p, tall, arena_printf(&p->arena, "dot(v%u, v%u), lhs_contracting_dims={1}, rhs_contracting_dims={0}", q, means));
  put(p, tall, arena_printf(&p->arena, "add(v%u, v%u)", means, x));
  put(p, column, arena_printf(&p->arena, "reduce(v%u, none), dimensions={1}, to_apply=plus", means));
  put(p, square, arena_printf(&p->arena, "dot(v%u, v%u), lhs_contracting_dims={1}, rhs_contracting_dims={1}", means, x));
}

/* Rows that add up to 1. */
static void add_softmax(Program *p, uint32_t x) {
  Tensor t = p->at[x], left = {0};
  int64_t dims[MAX_DIMS];
  uint32_t d = t.rank ? (uint32_t)below(p, t.rank) : 0, k = p->n;
  if (!t.rank) return;
  for (uint32_t i = 0; i < t.rank; i++)
    if (i != d) dims[left.rank] = i, left.dim[left.rank++] = t.dim[i];
  const char *shape = list(p, t.dim, t.rank), *row = list(p, left.dim, left.rank), *to = list(p, dims, left.rank);
  put_line(p, arena_printf(&p->arena, "t%u = f32[%s] tanh(v%u)", k, shape, x));
  put_line(p, arena_printf(&p->arena, "e%u = f32[%s] exponential(t%u)", k, shape, k));
  put_line(p, arena_printf(&p->arena, "s%u = f32[%s] reduce(e%u, none), dimensions={%u}, to_apply=plus", k, row, k, d));
  put_line(p, arena_printf(&p->arena, "b%u = f32[%s] broadcast(s%u), dimensions={%s}", k, shape, k, to));
  put(p, t, arena_printf(&p->arena, "divide(e%u, b%u)", k, k));
}

static void add_reverse(Program *p, uint32_t x) {
  Tensor t = p->at[x];
  if (t.rank) put(p, t, arena_printf(&p->arena, "reverse(v%u), dimensions={%u}", x, (uint32_t)below(p, t.rank)));
}

static void add_any(Program *p) {
  uint32_t x = (uint32_t)below(p, p->n);
  Tensor t = p->at[x], to;
  switch (below(p, 18)) {
    case 0:
    case 1: to = reshaped(p, &t); return put(p, to, arena_printf(&p->arena, "reshape(v%u)", x));
    case 2: return add_transpose(p, x);
    case 3: return add_broadcast(p, x);
    case 4: return add_reduce(p, x);
    case 5:
    case 6: return add_dot(p, x, (uint32_t)below(p, p->n));
    case 7: return add_slice(p, x);
    case 8: return add_pad(p, x);
    case 9: return add_mask(p, x);
    case 10: return add_table(p);
    case 11: return add_concatenate(p, x);
    case 12: return put(p, t, arena_printf(&p->arena, "%s(v%u)", below(p, 2) ? "tanh" : "cosine", x));
    case 13: return add_reverse(p, x);
    case 14: return add_softmax(p, x);
    case 15: return add_softmax(p, p->n - 1);
    case 16: return add_dot(p, p->n - 1, (uint32_t)below(p, p->n));
    default: return add_binary(p, x);
  }
}

static const char *with_related(Program *p, const char *list_of, const char *name, uint32_t i, const char *spec) {
  return arena_printf(&p->arena, "%s%s{\"name\": \"%s%u\", \"seq\": %u, \"dist\": %u, \"spec\": [%s], \"partial\": []}",
                      list_of, *list_of ? ", " : "", name, i, i, i, spec);
}

static void make(Program *p, uint64_t seed) {
  *p = (Program){.state = seed * 7919};
  p->text = "HloModule random\n"
            "plus { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
            "most { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b) }\n"
            "ENTRY main {\n  half = f32[] constant(0.5)\n  two = f32[] constant(2)\n  none = f32[] constant(0)\n";
  const char *inputs = "", *outputs = "", *roots = "", *types = "";
  for (uint32_t i = 0; i < N_PARAMS; i++) {
    Tensor t = any_shape(p);
    if (!i && seed % 4 == 0) t = (Tensor){.rank = 2, .dim = {4 + (int64_t)below(p, 6), 2 + (int64_t)below(p, 3)}};
    put(p, t, arena_printf(&p->arena, "parameter(%u)", i));
    const char *spec = t.rank == 1 ? "[]" : t.rank == 2 ? "[],[]" : "[],[],[]";
    inputs = with_related(p, inputs, "x", i, spec);
  }
  put(p, (Tensor){.rank = 1, .dim = {4}}, "constant({0, 0, 0, 0})");
  if (seed % 4 == 0) add_attention(p);
  for (int i = 0; i < N_OPS; i++) add_any(p);
  for (uint32_t i = N_PARAMS; i < p->n; i++) {
    const char *spec = "";
    for (uint32_t d = 0; d < p->at[i].rank; d++) spec = arena_printf(&p->arena, "%s%s[]", spec, d ? "," : "");
    const char *sep = i > N_PARAMS ? ", " : "";
    outputs = with_related(p, outputs, "y", i - N_PARAMS, spec);
    roots = arena_printf(&p->arena, "%s%sv%u", roots, sep, i);
    types = arena_printf(&p->arena, "%s%sf32[%s]", types, sep, list(p, p->at[i].dim, p->at[i].rank));
  }
  p->text = arena_printf(&p->arena, "%s  ROOT all = (%s) tuple(%s)\n}\n", p->text, types, roots);
  const char *mesh = "{\"axes\": [], \"device_order\": [0]}";
  p->relation = arena_printf(&p->arena, "{\"mesh\": %s, \"inputs\": [%s], \"outputs\": [%s]}", mesh, inputs, outputs);
}

int main(int argc, char **argv) {
  uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : PROGRAMS;
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Library *library = library_load(NULL, diags);
  for (uint64_t i = 1; i <= n && failures < 20; i++) {
    Program p;
    make(&p, i);
    HloOptions options = HLO_OPTIONS;
    uint32_t text = sources_add(sources, "random.hlo", p.text, strlen(p.text));
    Graph *seq = hlo_read(diags, text, &options), *dist = hlo_read(diags, text, &options);
    Relation *relation = relation_read(diags, sources_add(sources, "relation.json", p.relation, strlen(p.relation)));
    Pair pair = {0};
    int before = failures;
    bool good = seq && dist && relation && pair_make(&pair, library, seq, dist, relation, diags);
    if (!good) failures++, diags_print(diags, stdout, false);
    for (uint64_t seed = 1; seed <= SEEDS && good; seed++) test_quotient(&pair.problem, "random", i * SEEDS + seed);
    cases++;
    if (failures > before) printf("program %llu\n%s", (unsigned long long)i, p.text);
    pair_free(&pair);
    graph_free(seq);
    graph_free(dist);
    relation_free(relation);
    arena_free(&p.arena);
  }
  library_free(library);
  diags_free(diags);
  sources_free(sources);
  printf("%d programs, %d quotients, %llu values shrunk, %llu zero, %llu means, %llu vague, %llu elements compared, "
         "%d failures\n",
         cases, quotients, (unsigned long long)shrunk, (unsigned long long)n_zero, (unsigned long long)n_means,
         (unsigned long long)vague, (unsigned long long)compared, failures);
  return failures > 0 || shrunk == 0 || n_zero == 0 || n_means == 0 || vague == 0;
}
