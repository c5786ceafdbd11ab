/* Common refinement: union-find for dims that are one index, then a work-list over the remaining equations.
 *
 * Equations are spans of one pool; chains of cuts are linked cells of another; the equations that mention a dim are one
 * compressed table.  So solving allocates a handful of arrays whatever the size of the graphs. */
#include "eval/digits/cuts.h"

#include "lang/base/vec.h"

enum { MAX_BOUNDS = 64 }; /* boundaries of a list divide each other and stay below 2^63 */

typedef struct Equation {
  uint32_t at; /* in pool: n_l dims, then n_r */
  uint16_t n_l, n_r;
} Equation;

typedef struct Cell {
  int64_t cut;
  uint32_t next; /* index + 1 of the next larger; 0: end */
} Cell;

typedef struct DimPair {
  CutDim a, b;
} DimPair;

typedef struct Want {
  CutDim dim;
  int64_t cut;
} Want;

typedef struct DigitSpan {
  uint32_t first, n;
} DigitSpan;

struct Cuts {
  Vec(int64_t) size;
  Vec(bool) apart;
  Vec(CutDim) parent; /* after solving: the root */
  Vec(CutDim) pool;
  Vec(Equation) equations;
  Vec(Want) wants;
  Vec(DimPair) links;
  Vec(CutDim) seeds;
  Vec(Cell) cells;
  uint32_t *chain, *refused; /* per dim: index + 1 of its first cell */
  bool *flat;
  uint32_t *use_at, *uses; /* equations of dim a: uses[use_at[a] .. use_at[a + 1]) */
  uint32_t *queue;         /* ring of n_equations + 1 */
  bool *queued;
  size_t head, tail;
  DigitSpan *digits; /* per dim */
  Vec(int64_t) digit_size;
  Vec(uint32_t) digit_sort;
  CutStats stats;
};

Cuts *cuts_new(void) { return xcalloc(1, sizeof(Cuts)); }

/* Everything that only solving needs. */
static void free_equations(Cuts *c) {
  vec_free(&c->apart);
  vec_free(&c->parent);
  vec_free(&c->pool);
  vec_free(&c->equations);
  vec_free(&c->wants);
  vec_free(&c->links);
  vec_free(&c->seeds);
  vec_free(&c->cells);
  free(c->chain);
  free(c->refused);
  free(c->use_at);
  free(c->uses);
  free(c->queue);
  free(c->queued);
  c->chain = c->refused = c->use_at = c->uses = c->queue = NULL;
  c->queued = NULL;
}

void cuts_free(Cuts *c) {
  if (!c) return;
  free_equations(c);
  vec_free(&c->size);
  vec_free(&c->digit_size);
  vec_free(&c->digit_sort);
  free(c->flat);
  free(c->digits);
  free(c);
}

void cuts_expect(Cuts *c, size_t n) {
  vec_reserve(&c->size, n);
  vec_reserve(&c->parent, n);
  vec_reserve(&c->apart, n);
}

CutDim cuts_dim(Cuts *c, int64_t size) {
  CutDim a = (CutDim)c->size.len;
  vec_push(&c->size, size);
  vec_push(&c->parent, a);
  vec_push(&c->apart, false);
  return a;
}

void cuts_keep_apart(Cuts *c, CutDim a) { c->apart.at[a] = true; }

int64_t cuts_size(const Cuts *c, CutDim a) { return c->size.at[a]; }

/* ---- facts */

static uint32_t root_of(uint32_t *parent, uint32_t a) {
  while (parent[a] != a) a = parent[a] = parent[parent[a]];
  return a;
}

/* The smaller number becomes the root, so that results follow the order of the facts. */
static void unite(uint32_t *parent, uint32_t a, uint32_t b) {
  a = root_of(parent, a);
  b = root_of(parent, b);
  if (a < b) parent[b] = a;
  else parent[a] = b;
}

void cuts_same(Cuts *c, CutDim a, CutDim b) {
  if (c->size.at[a] == c->size.at[b]) unite(c->parent.at, a, b);
}

void cuts_want(Cuts *c, CutDim a, int64_t cut) {
  if (cut > 1 && cut < c->size.at[a]) vec_push(&c->wants, (Want){a, cut});
}

void cuts_link(Cuts *c, CutDim a, CutDim b) { vec_push(&c->links, (DimPair){a, b}); }
void cuts_flat(Cuts *c, CutDim a) { vec_push(&c->seeds, a); }

/* Pushes the dims of size > 1; their product into *product, false if it is 0 or too large. */
static bool push_dims(Cuts *c, const CutDim *l, uint32_t n, int64_t *product) {
  *product = 1;
  for (uint32_t i = 0; i < n; i++) {
    int64_t s = c->size.at[l[i]];
    if (s <= 0 || __builtin_mul_overflow(*product, s, product)) return false;
    if (s > 1) vec_push(&c->pool, l[i]);
  }
  return true;
}

void cuts_equate(Cuts *c, const CutDim *l, uint32_t n_l, const CutDim *r, uint32_t n_r) {
  size_t start = c->pool.len;
  int64_t product_l, product_r;
  bool ok = push_dims(c, l, n_l, &product_l);
  size_t middle = c->pool.len;
  ok = ok && push_dims(c, r, n_r, &product_r) && product_l == product_r;
  size_t end = c->pool.len, i = start, j = middle;
  /* Each side has at most 62 dims now, so the blocks fit above them. */
  while (ok && i < middle) {
    size_t i0 = i, j0 = j;
    int64_t pl = c->size.at[c->pool.at[i++]], pr = c->size.at[c->pool.at[j++]];
    while (pl != pr)
      if (pl < pr) pl *= c->size.at[c->pool.at[i++]];
      else pr *= c->size.at[c->pool.at[j++]];
    CutDim a = c->pool.at[i0], b = c->pool.at[j0];
    if (i - i0 == 1 && j - j0 == 1 && !c->apart.at[a] && !c->apart.at[b]) {
      unite(c->parent.at, a, b);
    } else {
      vec_push(&c->equations, (Equation){(uint32_t)c->pool.len, (uint16_t)(i - i0), (uint16_t)(j - j0)});
      vec_reserve(&c->pool, c->pool.len + (i - i0) + (j - j0));
      for (size_t k = i0; k < i; k++) vec_push(&c->pool, c->pool.at[k]);
      for (size_t k = j0; k < j; k++) vec_push(&c->pool, c->pool.at[k]);
    }
  }
  /* Close the gap: equations made here start at `end`. */
  size_t moved = c->pool.len - end;
  if (moved) memmove(c->pool.at + start, c->pool.at + end, moved * sizeof *c->pool.at);
  for (size_t k = c->equations.len; k-- > 0 && c->equations.at[k].at >= end;)
    c->equations.at[k].at -= (uint32_t)(end - start);
  c->pool.len = start + moved;
}

/* ---- solving */

static void find_roots(Cuts *c) {
  size_t n = c->size.len;
  uint32_t *parent = c->parent.at;
  for (size_t a = 0; a < n; a++) { /* roots are smaller: one pass flattens */
    parent[a] = parent[parent[a]];
    if (parent[a] == a && c->size.at[a] > 1) c->stats.n_distinct++;
  }
  for (size_t k = 0; k < c->pool.len; k++) c->pool.at[k] = parent[c->pool.at[k]];
}

static void mark_flat(Cuts *c) {
  size_t n = c->size.len;
  c->flat = xcalloc(n, sizeof *c->flat);
  if (!c->seeds.len) return;
  uint32_t *group = xmalloc(n * sizeof *group);
  memcpy(group, c->parent.at, n * sizeof *group);
  for (size_t k = 0; k < c->links.len; k++) unite(group, c->links.at[k].a, c->links.at[k].b);
  bool *hit = xcalloc(n, sizeof *hit);
  for (size_t k = 0; k < c->seeds.len; k++) hit[root_of(group, c->seeds.at[k])] = true;
  for (size_t a = 0; a < n; a++) c->flat[a] = hit[root_of(group, (uint32_t)a)];
  free(group);
  free(hit);
}

static void index_uses(Cuts *c) {
  size_t n = c->size.len, total = 0;
  c->use_at = xcalloc(n + 1, sizeof *c->use_at);
  for (size_t k = 0; k < c->equations.len; k++) {
    const Equation *e = &c->equations.at[k];
    for (uint32_t i = 0; i < (uint32_t)e->n_l + e->n_r; i++) c->use_at[c->pool.at[e->at + i] + 1]++;
  }
  for (size_t a = 0; a < n; a++) total = c->use_at[a + 1] += (uint32_t)total;
  c->uses = xmalloc(total * sizeof *c->uses);
  uint32_t *fill = xmalloc(n * sizeof *fill);
  memcpy(fill, c->use_at, n * sizeof *fill);
  for (size_t k = 0; k < c->equations.len; k++) {
    const Equation *e = &c->equations.at[k];
    for (uint32_t i = 0; i < (uint32_t)e->n_l + e->n_r; i++) c->uses[fill[c->pool.at[e->at + i]]++] = (uint32_t)k;
  }
  free(fill);
}

static void enqueue(Cuts *c, uint32_t k) {
  if (c->queued[k]) return;
  c->queued[k] = true;
  c->queue[c->tail] = k;
  c->tail = (c->tail + 1) % (c->equations.len + 1);
}

static void add_cell(Cuts *c, uint32_t *link, int64_t cut) {
  vec_push(&c->cells, (Cell){cut, *link});
  *link = (uint32_t)c->cells.len;
}

static void refuse(Cuts *c, CutDim a, int64_t cut) {
  int budget = 64;
  for (uint32_t k = c->refused[a]; k && budget > 0; k = c->cells.at[k - 1].next, budget--)
    if (c->cells.at[k - 1].cut == cut) return;
  if (budget > 0) add_cell(c, &c->refused[a], cut);
  c->stats.n_refused++;
}

/* A new cut of root `a`, if it fits; its equations are looked at again. */
static void cut_dim(Cuts *c, CutDim a, int64_t cut) {
  int64_t size = c->size.at[a], below = 1;
  if (cut <= 1 || cut >= size || c->flat[a]) return;
  uint32_t before = 0, k = c->chain[a];
  for (; k && c->cells.at[k - 1].cut <= cut; before = k, k = c->cells.at[k - 1].next) below = c->cells.at[k - 1].cut;
  if (below == cut) return;
  int64_t above = k ? c->cells.at[k - 1].cut : size;
  if (cut % below || above % cut) {
    refuse(c, a, cut);
    return;
  }
  uint32_t link = k;
  add_cell(c, &link, cut);
  if (before) c->cells.at[before - 1].next = link;
  else c->chain[a] = link;
  for (uint32_t u = c->use_at[a]; u < c->use_at[a + 1]; u++) enqueue(c, c->uses[u]);
}

/* Boundaries of a list read as one index, ascending, without 1 and the whole. */
static int bounds_of(const Cuts *c, const CutDim *l, uint32_t n, int64_t *bound) {
  int64_t base = 1;
  int k = 0;
  for (uint32_t i = n; i-- > 0;) {
    for (uint32_t cell = c->chain[l[i]]; cell; cell = c->cells.at[cell - 1].next)
      bound[k++] = base * c->cells.at[cell - 1].cut;
    base *= c->size.at[l[i]];
    if (i) bound[k++] = base;
  }
  return k;
}

static void impose(Cuts *c, const int64_t *bound, int n_bounds, const CutDim *r, uint32_t n) {
  int64_t base = 1;
  int k = 0;
  for (uint32_t i = n; i-- > 0;) {
    int64_t top = base * c->size.at[r[i]];
    for (; k < n_bounds && bound[k] <= top; k++) {
      if (bound[k] == base || bound[k] == top || c->flat[r[i]]) continue;
      if (bound[k] % base == 0) cut_dim(c, r[i], bound[k] / base);
      else refuse(c, r[i], bound[k]);
    }
    base = top;
  }
}

static void propagate(Cuts *c) {
  size_t n = c->equations.len;
  c->queue = xmalloc((n + 1) * sizeof *c->queue);
  c->queued = xcalloc(n + 1, sizeof *c->queued);
  for (size_t k = 0; k < n; k++) enqueue(c, (uint32_t)k);
  for (size_t k = 0; k < c->wants.len; k++) cut_dim(c, c->parent.at[c->wants.at[k].dim], c->wants.at[k].cut);
  while (c->head != c->tail) {
    uint32_t k = c->queue[c->head];
    c->head = (c->head + 1) % (n + 1);
    c->queued[k] = false;
    c->stats.n_steps++;
    Equation e = c->equations.at[k];
    const CutDim *l = c->pool.at + e.at, *r = l + e.n_l;
    int64_t bound[MAX_BOUNDS];
    impose(c, bound, bounds_of(c, l, e.n_l, bound), r, e.n_r);
    impose(c, bound, bounds_of(c, r, e.n_r, bound), l, e.n_l);
  }
}

static void number_digits(Cuts *c) {
  size_t n = c->size.len;
  c->digits = xcalloc(n, sizeof *c->digits);
  for (size_t a = 0; a < n; a++) {
    if (c->parent.at[a] != a) {
      c->digits[a] = c->digits[c->parent.at[a]];
      continue;
    }
    int64_t part[MAX_BOUNDS], below = 1;
    uint32_t k = 0;
    for (uint32_t cell = c->chain[a]; cell; cell = c->cells.at[cell - 1].next) {
      part[k++] = c->cells.at[cell - 1].cut / below;
      below = c->cells.at[cell - 1].cut;
    }
    if (c->size.at[a] > 1) part[k++] = c->size.at[a] / below;
    c->digits[a] = (DigitSpan){(uint32_t)c->digit_size.len, k};
    while (k-- > 0) vec_push(&c->digit_size, part[k]);
  }
}

/* Digit numbers of a list, major to minor. */
static uint32_t list_digits(const Cuts *c, const CutDim *l, uint32_t n, uint32_t *out) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < c->digits[l[i]].n; j++) out[k++] = c->digits[l[i]].first + j;
  return k;
}

static void find_sorts(Cuts *c) {
  size_t n = c->digit_size.len;
  uint32_t *parent = xmalloc(n * sizeof *parent);
  for (size_t k = 0; k < n; k++) parent[k] = (uint32_t)k;
  for (size_t k = 0; k < c->equations.len; k++) {
    Equation e = c->equations.at[k];
    uint32_t l[MAX_BOUNDS], r[MAX_BOUNDS];
    uint32_t n_l = list_digits(c, c->pool.at + e.at, e.n_l, l);
    bool equal = n_l == list_digits(c, c->pool.at + e.at + e.n_l, e.n_r, r);
    for (uint32_t i = 0; i < n_l && equal; i++) equal = c->digit_size.at[l[i]] == c->digit_size.at[r[i]];
    for (uint32_t i = 0; i < n_l && equal; i++) unite(parent, l[i], r[i]);
  }
  vec_reserve(&c->digit_sort, n);
  for (size_t k = 0; k < n; k++) {
    parent[k] = parent[parent[k]];
    vec_push(&c->digit_sort, parent[k] == k ? (uint32_t)c->stats.n_sorts++ : c->digit_sort.at[parent[k]]);
  }
  free(parent);
}

void cuts_solve(Cuts *c) {
  size_t n = c->size.len;
  c->stats = (CutStats){.n_dims = n, .n_equations = c->equations.len};
  c->chain = xcalloc(n, sizeof *c->chain);
  c->refused = xcalloc(n, sizeof *c->refused);
  find_roots(c);
  mark_flat(c);
  index_uses(c);
  propagate(c);
  number_digits(c);
  find_sorts(c);
  c->stats.n_digits = c->digit_size.len;
  free_equations(c);
}

/* ---- answers */

uint32_t cuts_digits(const Cuts *c, CutDim a, uint32_t *first) {
  *first = c->digits[a].first;
  return c->digits[a].n;
}

bool cuts_is_flat(const Cuts *c, CutDim a) { return c->flat[a]; }
const int64_t *cuts_digit_sizes(const Cuts *c) { return c->digit_size.at; }
const uint32_t *cuts_digit_sorts(const Cuts *c) { return c->digit_sort.at; }
CutStats cuts_stats(const Cuts *c) { return c->stats; }
