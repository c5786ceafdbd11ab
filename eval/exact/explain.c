/* explain: how an output that is not as declared would be: summed over more axes, times a factor, its blocks on other
 * devices, its dimensions in another order.  Found in doubles at one point: a hint for people, not a proof. */
#include <math.h>

#include "eval/exact/compare.h"

#define MAX_FREE_AXES 5
#define MAX_WORK 3e8 /* elements looked at for one output */

/* A small fraction within 1e-7 of x, in lowest terms. */
static bool simple_fraction(double x, Rat *out) {
  for (int64_t d = 1; d <= 64; d++) {
    double n = round(x * (double)d);
    if (n == 0 || fabs(n) > 4096 || fabs(x - n / (double)d) > 1e-7 * fabs(x)) continue;
    *out = rat_frac((int64_t)n, d);
    return true;
  }
  return false;
}

/* Projection of the sums over `sums` on the sequential value, over the block of the first device. */
static double projection(const ExactRun *r, const Related *o, const bool *sums) {
  NodeId seq, dist;
  if (!compare_nodes(r, o, &seq, &dist)) return NAN;
  const Mesh *m = &r->problem.relation->mesh;
  const Node *whole = &r->problem.seq.graph->nodes.at[seq], *block = &r->problem.dist.graph->nodes.at[dist];
  const double *want = field_at(&r->seq.fields[seq], 0);
  uint64_t n = (uint64_t)node_elements(block);
  Arena scratch = {0};
  int64_t *at = ARENA_ARRAY(&scratch, int64_t, m->n_axes + 1);
  int64_t *devices = ARENA_ARRAY(&scratch, int64_t, r->dist.n_devices);
  uint64_t *positions = ARENA_ARRAY(&scratch, uint64_t, n + 1);
  int64_t n_addends = block_addends(m, at, sums, devices);
  block_positions(&o->layout, m, at, whole, block, positions);
  double ab = 0, aa = 0;
  for (uint64_t i = 0; want && i < n; i++) {
    if (positions[i] == BLOCK_PADDING) continue;
    double a = want[positions[i]];
    ab += a * compare_sum(r, dist, devices, n_addends, i);
    aa += a * a;
  }
  arena_free(&scratch);
  return aa > 0 ? ab / aa : NAN;
}

static bool good(const Comparison *c, double tolerance) {
  return !c->misfit && c->n_known > 0 && c->n_unknown == 0 && c->difference <= tolerance;
}

/* Sums over the declared axes and `more`, perhaps times a factor. */
static bool try_sums(const ExactRun *r, const Related *o, const bool *sums, double tolerance, ExactHolds *holds) {
  Rat factor = RAT_1;
  Comparison c = compare_output(r, o, sums, 1);
  if (!good(&c, tolerance)) {
    double k = projection(r, o, sums);
    if (isnan(k) || fabs(k) < 1e-3 || fabs(k - 1) < 1e-2 || !simple_fraction(k, &factor)) return false;
    c = compare_output(r, o, sums, rat_to_double(factor));
    if (!good(&c, tolerance * fmax(1, fabs(k)))) return false;
  }
  holds->found = true;
  holds->factor = factor;
  return true;
}

static double largest_magnitude(const double *at, int64_t n) {
  double top = 1e-12;
  for (int64_t i = 0; at && i < n; i++)
    if (isfinite(at[i])) top = fmax(top, fabs(at[i]));
  return top;
}

/* The blocks that an output is declared to have, one device after the other. */
typedef struct Declared {
  const Mesh *mesh;
  const Layout *layout;
  const Node *whole, *block;
  const double *want;
  const Field *got;
  double slack;       /* between values that are the same */
  uint64_t n;         /* elements of a block */
  uint64_t *position; /* of each in `want`: those of the device that was asked for last */
  int64_t *at;
} Declared;

static bool declared_of(const ExactRun *r, const Related *o, double tolerance, Arena *a, Declared *b) {
  NodeId seq, dist;
  if (!compare_nodes(r, o, &seq, &dist) || o->layout.n_partial) return false;
  const Mesh *m = &r->problem.relation->mesh;
  const Node *whole = &r->problem.seq.graph->nodes.at[seq], *block = &r->problem.dist.graph->nodes.at[dist];
  uint64_t n = (uint64_t)node_elements(block);
  const double *want = field_at(&r->seq.fields[seq], 0);
  *b = (Declared){m, &o->layout, whole, block, want, &r->dist.fields[dist], 0, n};
  b->slack = tolerance * largest_magnitude(want, node_elements(whole));
  b->position = ARENA_ARRAY(a, uint64_t, n + 1);
  b->at = ARENA_ARRAY(a, int64_t, m->n_axes + 1);
  return want != NULL;
}

static void declare_block(Declared *b, int64_t device) {
  block_coordinate(b->mesh, device, b->at);
  block_positions(b->layout, b->mesh, b->at, b->whole, b->block, b->position);
}

/* x is what element i of the block is to be. */
static bool is_element(const Declared *b, double x, uint64_t i) {
  return b->position[i] != BLOCK_PADDING && fabs(x - b->want[b->position[i]]) <= b->slack;
}

/* Whether the value of every device is the block of some device. */
static bool has_blocks(Declared *b) {
  for (int64_t d = 0; d < b->mesh->n_devices; d++) {
    const double *got = field_at(b->got, d);
    bool found = false;
    for (int64_t e = 0; e < b->mesh->n_devices && !found && got; e++) {
      declare_block(b, (d + e) % b->mesh->n_devices); /* its own first */
      found = true;
      for (uint64_t i = 0; i < b->n && found; i++) found = is_element(b, got[i], i);
    }
    if (!found) return false;
  }
  return true;
}

/* Whether all blocks are right with dimensions p and q, of equal size, exchanged. */
static bool is_transposed(Declared *b, uint32_t p, uint32_t q, Arena *scratch) {
  int64_t *index = ARENA_ARRAY(scratch, int64_t, b->block->rank);
  for (int64_t d = 0; d < b->mesh->n_devices; d++) {
    const double *got = field_at(b->got, d);
    if (!got) return false;
    declare_block(b, d);
    for (uint64_t i = 0; i < b->n; i++) {
      block_index(b->block, i, index);
      int64_t t = index[p];
      index[p] = index[q];
      index[q] = t;
      uint64_t j = 0;
      for (uint32_t k = 0; k < b->block->rank; k++) j = j * (uint64_t)b->block->dims[k] + (uint64_t)index[k];
      if (!is_element(b, got[j], i)) return false;
    }
  }
  return true;
}

/* Whether chunk c of n along dimension d of every block is chunk order[c] of the right one. */
static bool is_ordered(Declared *b, uint32_t d, int64_t n, int64_t *order) {
  uint64_t inner = 1;
  for (uint32_t k = d + 1; k < b->block->rank; k++) inner *= (uint64_t)b->block->dims[k];
  uint64_t chunk = inner * (uint64_t)(b->block->dims[d] / n), outer = b->n / (chunk * (uint64_t)n);
  for (int64_t c = 0; c < n; c++) order[c] = -1;
  for (int64_t device = 0; device < b->mesh->n_devices; device++) {
    const double *got = field_at(b->got, device);
    if (!got) return false;
    declare_block(b, device);
    for (int64_t c = 0; c < n; c++) {
      bool same = false;
      for (int64_t e = order[c] < 0 ? 0 : order[c]; e < n && !same && (order[c] < 0 || e == order[c]); e++) {
        same = true;
        for (uint64_t i = 0; i < outer * chunk && same; i++) {
          uint64_t row = i / chunk * chunk * (uint64_t)n + i % chunk;
          same = is_element(b, got[row + (uint64_t)c * chunk], row + (uint64_t)e * chunk);
        }
        if (same) order[c] = e;
      }
      if (!same) return false;
    }
  }
  return true;
}

/* The right values in other places: on other devices, two dimensions exchanged, or the parts of one in another order, as
 * a gather over reordered groups leaves them.  NULL if they are not. */
static const char *rearranged(const ExactRun *r, const Related *o, double tolerance, Arena *a, Arena *scratch) {
  Declared b;
  if (!declared_of(r, o, tolerance, scratch, &b)) return NULL;
  if (has_blocks(&b)) return "the right blocks, on the wrong devices";
  const int64_t *dims = b.block->dims;
  for (uint32_t p = 0; p < b.block->rank; p++)
    for (uint32_t q = p + 1; q < b.block->rank; q++)
      if (dims[p] == dims[q] && dims[p] > 1 && is_transposed(&b, p, q, scratch))
        return "the right values, with two dimensions exchanged";
  for (uint32_t d = 0; d < b.block->rank; d++)
    for (uint32_t x = 0; x < b.mesh->n_axes; x++) {
      int64_t n = b.mesh->axes[x].size, *order = ARENA_ARRAY(scratch, int64_t, n);
      if (n < 2 || n > 64 || dims[d] == 0 || dims[d] % n || !is_ordered(&b, d, n, order)) continue;
      const char *text = arena_printf(a, "the right values, with the %lld parts of dimension %u in the order",
                                      (long long)n, d);
      for (int64_t c = 0; c < n; c++) text = arena_printf(a, "%s %lld", text, (long long)order[c]);
      return text;
    }
  return NULL;
}

static const char *describe(const ExactHolds *h, const Mesh *m, bool more, Arena *a) {
  const char *text = "";
  if (more) {
    text = "a partial sum over ";
    for (uint32_t i = 0; i < h->n_partial; i++)
      text = arena_printf(a, "%s%s%s", text, i ? ", " : "", sym_text(m->axes[h->partial[i]].name));
  }
  if (h->factor != RAT_1) {
    char buffer[64];
    text = arena_printf(a, "%s%s%s times the sequential value", text, more ? ", " : "",
                        rat_print(h->factor, buffer, sizeof buffer));
  }
  return text;
}

/* Copies of 1/n of the value on n devices add up to it: over which of the axes, as words to add. */
static const char *as_sum_of_copies(const ExactHolds *h, const Mesh *m, const uint32_t *axes, uint32_t n, Arena *a) {
  for (uint32_t set = 1; set < 1u << n; set++) {
    int64_t devices = 1;
    const char *text = "a partial sum over", *sep = " ";
    for (uint32_t k = 0; k < n; k++) {
      if (!(set >> k & 1)) continue;
      devices *= m->axes[axes[k]].size;
      text = arena_printf(a, "%s%s%s", text, sep, sym_text(m->axes[axes[k]].name));
      sep = ", ";
    }
    if (h->factor == rat_frac(1, devices)) return arena_printf(a, "%s, or %s", h->text, text);
  }
  return h->text;
}

void compare_explain(const ExactRun *r, const Related *o, double tolerance, Arena *a, ExactHolds *holds) {
  const Mesh *m = &r->problem.relation->mesh;
  *holds = (ExactHolds){.factor = RAT_1};
  NodeId seq, dist;
  if (!compare_nodes(r, o, &seq, &dist)) return;
  Arena scratch = {0};
  bool *sums = ARENA_ARRAY(&scratch, bool, m->n_axes + 1), *cut = ARENA_ARRAY(&scratch, bool, m->n_axes + 1);
  uint32_t free_axes[MAX_FREE_AXES], n_free = 0;
  for (uint32_t d = 0; d < o->layout.rank; d++)
    for (uint32_t k = 0; k < o->layout.dims[d].n; k++) cut[o->layout.dims[d].axes[k]] = true;
  for (uint32_t k = 0; k < o->layout.n_partial; k++) cut[o->layout.partial[k]] = true;
  for (uint32_t x = 0; x < m->n_axes; x++)
    if (!cut[x] && m->axes[x].size > 1 && n_free < MAX_FREE_AXES) free_axes[n_free++] = x;
  double work = (double)r->dist.fields[dist].n * (double)r->dist.n_devices;
  while (n_free > 0 && ldexp(work, (int)n_free) > MAX_WORK) n_free--;
  for (uint32_t size = 0; size <= n_free && !holds->found; size++)
    for (uint32_t set = 0; set < 1u << n_free && !holds->found; set++) {
      if ((uint32_t)__builtin_popcount(set) != size) continue;
      memset(sums, 0, (m->n_axes + 1) * sizeof *sums);
      for (uint32_t k = 0; k < o->layout.n_partial; k++) sums[o->layout.partial[k]] = true;
      for (uint32_t k = 0; k < n_free; k++)
        if (set >> k & 1) sums[free_axes[k]] = true;
      if (!try_sums(r, o, sums, tolerance, holds)) continue;
      uint32_t *partial = ARENA_ARRAY(a, uint32_t, m->n_axes + 1);
      for (uint32_t x = 0; x < m->n_axes; x++)
        if (sums[x]) partial[holds->n_partial++] = x;
      holds->partial = partial;
      holds->text = describe(holds, m, size > 0, a);
      if (size == 0 && !o->layout.n_partial) holds->text = as_sum_of_copies(holds, m, free_axes, n_free, a);
    }
  if (!holds->found && work * (double)r->dist.n_devices <= MAX_WORK) {
    holds->text = rearranged(r, o, tolerance, a, &scratch);
    holds->found = holds->text != NULL;
  }
  arena_free(&scratch);
}
