/* Functional collectives.  They work along dimension 0.  Sends and receives are in threads.c. */
#include <string.h>

#include "frontends/base/along.h"
#include "frontends/torch/lower.h"

enum { MAX_PARTS = 4096, MAX_PLACES = 1 << 24 };

/* The group of an argument, as replica groups of all devices. */
const TorchGroup *lower_group(Lower *l, const TorchArg *a, Attr *out) {
  if (!a || a->kind != TA_GROUP || a->ranks) return NULL;
  const TorchGroup *g = &l->p->groups[a->i];
  if ((int64_t)g->n * g->size != l->p->n_ranks) return NULL;
  *out = (Attr){.name = sym("replica_groups"), .kind = ATTR_GROUPS, .i = g->size, .ints = g->ranks, .n = g->n * g->size};
  return g;
}

/* What the operator says of the size of its group. */
static bool fits_group(Lower *l, const TorchArg *a, const TorchGroup *g) {
  int64_t n;
  return (arg_int(a, g->size, &n) && n == g->size) ||
         lower_error(l, E_COLLECTIVE, "the group has %u members, and not as many as is said here", g->size);
}

static const char *reducer_of(const TorchArg *a, bool *average) {
  static const char *const table[][2] = {{"sum", "add"}, {"avg", "add"}, {"max", "maximum"}, {"min", "minimum"},
                                         {"product", "multiply"}};
  const char *s = a && a->kind == TA_STRING && !a->ranks ? sym_text(a->s) : "";
  *average = !strcmp(s, "avg");
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (!strcmp(table[k][0], s)) return table[k][1];
  return NULL;
}

static NodeId reduced(Lower *l, NodeId y, bool average, uint32_t n) {
  if (!average || y == NO_NODE) return y;
  Node t = *node_of(l, y);
  return make_binary(l, "divide", y, make_splat(l, t.dtype, t.rank, t.dims, rat_int(n)));
}

/* Every part of a buffer: its first dimension `fewer` times shorter, and put together again. */
static LowerResult part_by_part(Lower *l, const char *op, NodeId *parts, uint32_t n, int64_t fewer, const Attr *a,
                                uint32_t n_attrs, uint32_t divisor) {
  for (uint32_t k = 0; k < n; k++) {
    const Node p = *node_of(l, parts[k]);
    int64_t dims[TORCH_MAX_RANK + 2];
    memcpy(dims, p.dims, p.rank * sizeof *dims);
    dims[0] /= fewer;
    parts[k] = reduced(l, make(l, op, p.dtype, p.rank, dims, &parts[k], 1, a, n_attrs), divisor > 0, divisor);
  }
  return done(l, packed_whole(l, parts, n));
}

LowerResult lower_all_reduce(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), parts[MAX_PARTS];
  Attr a[2];
  bool average;
  const char *op = reducer_of(l->arg[1], &average);
  const TorchGroup *g = lower_group(l, l->arg[2], &a[0]);
  if (!g || !op) return LOWER_OPAQUE;
  a[1] = attr_sym("reducer", op);
  uint32_t n = packed_parts(l, x, parts, MAX_PARTS);
  if (n) return part_by_part(l, "all_reduce", parts, n, 1, a, 2, average ? g->size : 0);
  return done(l, reduced(l, make_out(l, 0, "all_reduce", &x, 1, a, 2), average, g->size));
}

LowerResult lower_all_gather(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  Attr a[] = {{0}, attr_dim(l, "dimensions", 0)};
  const TorchGroup *g = lower_group(l, l->arg[2], &a[0]);
  if (!g || x == NO_NODE) return LOWER_OPAQUE;
  if (!fits_group(l, l->arg[1], g)) return LOWER_FAILED;
  int64_t one = 1;
  NodeId packed = packed_gather(l, x, g->size, a, 2);
  if (packed != NO_NODE) return done(l, packed);
  if (!node_of(l, x)->rank) x = make_reshape(l, x, 1, &one);
  return done(l, make_out(l, 0, "all_gather", &x, 1, a, 2));
}

LowerResult lower_reduce_scatter(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), parts[MAX_PARTS];
  Attr a[] = {{0}, attr_dim(l, "dimensions", 0), {0}};
  bool average;
  const char *op = reducer_of(l->arg[1], &average);
  const TorchGroup *g = lower_group(l, l->arg[3], &a[0]);
  if (!g || !op) return LOWER_OPAQUE;
  if (!fits_group(l, l->arg[2], g)) return LOWER_FAILED;
  a[2] = attr_sym("reducer", op);
  uint32_t n = packed_rows(l, x, g->size, parts, MAX_PARTS);
  if (n) return part_by_part(l, "reduce_scatter", parts, n, g->size, a, 3, average ? g->size : 0);
  return done(l, reduced(l, make_out(l, 0, "reduce_scatter", &x, 1, a, 3), average, g->size));
}

LowerResult lower_broadcast_from(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  Attr a[2];
  int64_t source;
  const TorchGroup *g = lower_group(l, l->arg[2], &a[0]);
  if (!g || !arg_int(l->arg[1], 0, &source)) return LOWER_OPAQUE;
  if (source < 0 || source >= g->size)
    return lower_error(l, E_COLLECTIVE, "the group has no member %lld", (long long)source), LOWER_FAILED;
  a[1] = attr_int("source", source);
  return done(l, make_out(l, 0, "broadcast_from", &x, 1, a, 2));
}

/* ---- exchanges */
/* Size of piece k of a list of sizes on a rank, or -1. */
static int64_t size_at(const TorchArg *a, int64_t rank, uint32_t k) {
  if (a->ranks) a = &a->ranks[rank];
  int64_t v;
  return a->kind == TA_LIST && k < a->n && arg_int_at(&a->list[k], rank, 0, &v) && v >= 0 ? v : -1;
}

typedef struct Exchange {
  const TorchGroup *g;
  const bool *member; /* ranks that take part; NULL: all */
  bool equal;     /* all pieces have one size */
  bool ring;      /* everyone sends all it has to one member */
  int64_t *pairs; /* then: source, target of every device */
} Exchange;

/* What member i sends to j, j must expect. */
static bool read_exchange(Lower *l, const TorchArg *out, const TorchArg *in, int64_t rows, Exchange *e) {
  const TorchGroup *g = e->g;
  int64_t first = size_at(in, g->ranks[0], 0);
  e->equal = e->ring = true;
  e->pairs = ARENA_ARRAY(&l->arena, int64_t, 2 * l->p->n_ranks);
  for (uint32_t k = 0; k < g->n; k++)
    for (uint32_t i = 0; i < g->size; i++) {
      int64_t from = g->ranks[k * g->size + i], sent = 0, *pair = &e->pairs[2 * (k * g->size + i)];
      if (e->member && !e->member[from]) continue;
      pair[0] = from;
      for (uint32_t j = 0; j < g->size; j++) {
        int64_t to = g->ranks[k * g->size + j], size = size_at(in, from, j);
        if (size < 0)
          return lower_error(l, E_COLLECTIVE, "rank %lld says no size of the piece for member %u", (long long)from, j);
        if (size_at(out, to, i) != size)
          return lower_error(l, E_COLLECTIVE, "rank %lld sends %lld rows to rank %lld, which expects %lld",
                             (long long)from,
                             (long long)size, (long long)to, (long long)size_at(out, to, i));
        e->equal &= size == first;
        if (size) pair[1] = to, sent += size == rows ? 1 : 2;
      }
      e->ring &= sent == 1;
    }
  return true;
}

/* Pieces of different sizes: of the rows of all members each takes those that are sent to it, one member after the other.
 * NO_NODE: ranks have different numbers of rows. */
static NodeId unequal_exchange(Lower *l, NodeId x, const Attr *gather, const Exchange *e) {
  const TorchGroup *g = e->g;
  const TorchType *t = &l->node->outs[0];
  const Node in = *node_of(l, x);
  int64_t rows = in.dims[0], n = t->rank ? t->dims[0] : 0, dims[TORCH_MAX_RANK + 1], table[] = {l->p->n_ranks, n};
  if (rows > ALONG_MAX || n > ALONG_MAX || n * l->p->n_ranks > MAX_PLACES) return NO_NODE;
  Rat *from = ARENA_ARRAY(&l->arena, Rat, n * l->p->n_ranks + 1);
  for (uint32_t k = 0; k < g->n; k++) {
    const int64_t *member = g->ranks + k * g->size;
    int64_t *arrived = ARENA_ARRAY(&l->arena, int64_t, g->size);
    for (uint32_t i = 0; i < g->size; i++) {
      int64_t row = 0;
      for (uint32_t j = 0; j < g->size; j++)
        for (int64_t size = size_at(l->arg[2], member[i], j); size; size--, row++) {
          if (arrived[j] == n) return NO_NODE;
          from[member[j] * n + arrived[j]++] = rat_int(i * rows + row);
        }
      if (row != rows) return NO_NODE;
    }
    for (uint32_t j = 0; j < g->size; j++)
      if (arrived[j] != n) return NO_NODE;
  }
  memcpy(dims, in.dims, in.rank * sizeof *dims);
  dims[0] = rows * g->size;
  NodeId every = make(l, "all_gather", in.dtype, in.rank, dims, &x, 1, gather, 2);
  NodeId places = compose_table(make_composer(l), DT_S64, 2, table, from);
  places = make_reshape(l, make_dynamic_slice(l, places, 0, make_partition_id(l), 1), 1, &n);
  Attr a[] = {attr_dim(l, "first", 0), attr_dim(l, "index_dims", 0)};
  return every == NO_NODE || places == NO_NODE ? NO_NODE : make_out(l, 0, "take_1", (NodeId[]){every, places}, 2, a, 2);
}

/* What member i of every group sends, on all ranks.  NO_NODE: groups have rows of different shapes. */
static NodeId rows_of_member(Lower *l, const Exchange *e, const Attr *group, uint32_t i) {
  Uneven *u = l->uneven;
  const TorchGroup *g = e->g;
  NodeId x = NO_NODE;
  if (u->all[i] != NO_NODE) return u->all[i];
  for (uint32_t k = 0; k < g->n; k++) {
    const int64_t *members = g->ranks + k * g->size;
    if (!u->member[members[i]]) continue;
    NodeId y = u->operand[members[i]];
    bool *on = ARENA_ARRAY(&l->arena, bool, l->p->n_ranks);
    for (uint32_t j = 0; j < g->size; j++) on[members[j]] = true;
    x = x == NO_NODE ? y : make_on(l, on, y, x);
    if (x == NO_NODE) return NO_NODE;
  }
  if (x == NO_NODE) return NO_NODE;
  const Node t = *node_of(l, x);
  Attr a[] = {*group, attr_int("source", i)};
  return u->all[i] = make(l, "broadcast_from", t.dtype, t.rank, t.dims, &x, 1, a, 2);
}

/* What ranks get of member i of their group: its rows, those from start[r] on, size[r] of them. */
typedef struct Share {
  NodeId rows;
  Rat *start;
  int64_t *size;
} Share;

static bool share_of(Lower *l, const Exchange *e, const Attr *group, uint32_t i, Share *out) {
  const TorchGroup *g = e->g;
  *out = (Share){rows_of_member(l, e, group, i), ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks),
                 ARENA_ARRAY(&l->arena, int64_t, l->p->n_ranks)};
  if (out->rows == NO_NODE) return lower_error(l, E_UNSUPPORTED, "an exchange of different numbers of rows in every group");
  for (uint32_t k = 0; k < g->n; k++) {
    const int64_t *members = g->ranks + k * g->size;
    int64_t from = members[i], at = 0, all = e->member[from] ? node_of(l, l->uneven->operand[from])->dims[0] : 0;
    for (uint32_t j = 0; j < g->size; j++) {
      out->start[members[j]] = rat_int(at);
      at += out->size[members[j]] = e->member[from] ? size_at(&l->uneven->in, from, j) : 0;
    }
    if (at != all)
      return lower_error(l, E_COLLECTIVE, "the pieces of rank %lld do not add up to the %lld rows there are",
                         (long long)from, (long long)all);
  }
  return true;
}

static bool gets_as_many(const Share *of, uint32_t n, int64_t r, int64_t q) {
  bool same = true;
  for (uint32_t i = 0; i < n; i++) same &= of[i].size[r] == of[i].size[q];
  return same;
}

/* What arrives at ranks `on`, which all get as many rows of every member. */
static NodeId arrived(Lower *l, const Share *of, uint32_t members, const bool *on) {
  const TorchType *t = &l->node->outs[0];
  NodeId *parts = ARENA_ARRAY(&l->arena, NodeId, members);
  int64_t first = 0, total = 0, at, dims[TORCH_MAX_RANK + 1];
  uint32_t n = 0, rank = out_dims(l, 0, dims);
  while (!on[first]) first++;
  for (uint32_t i = 0; i < members; i++) {
    int64_t size = of[i].size[first];
    bool same = true;
    for (int64_t r = 0; r < l->p->n_ranks; r++) same &= !on[r] || of[i].start[r] == of[i].start[first];
    if (!size) continue;
    if (!same) parts[n++] = make_dynamic_slice(l, of[i].rows, 0, make_by_rank(l, DT_S64, of[i].start), size);
    else if (rat_to_int(of[i].start[first], &at)) parts[n++] = make_slice(l, of[i].rows, 0, at, size, 1);
    total += size;
  }
  if (!t->rank || total != t->dims[0]) {
    lower_error(l, E_COLLECTIVE, "rank %lld gets %lld rows, and not as many as is said here", (long long)first,
                (long long)total);
    return NO_NODE;
  }
  Attr along = attr_dim(l, "dimensions", 0);
  if (n == 1) return parts[0];
  if (!n) return make_splat(l, real_type(t->dtype), rank, dims, RAT_0);
  return make_out(l, 0, "concatenate", parts, n, &along, 1);
}

/* The result of the set that is run: a piece of each member's rows. */
static LowerResult uneven_exchange(Lower *l, const Attr *group, Exchange *e) {
  uint32_t size = e->g->size;
  int64_t n = l->p->n_ranks;
  Uneven *u = l->uneven;
  Share *of = ARENA_ARRAY(&l->arena, Share, size);
  bool *done_with = ARENA_ARRAY(&l->arena, bool, n);
  NodeId y = NO_NODE;
  e->member = u->member;
  if (!u->all) {
    u->all = ARENA_ARRAY(&l->arena, NodeId, size);
    for (uint32_t i = 0; i < size; i++) u->all[i] = NO_NODE;
  }
  if (!read_exchange(l, &u->out, &u->in, -1, e)) return LOWER_FAILED;
  for (uint32_t i = 0; i < size; i++)
    if (!share_of(l, e, group, i, &of[i])) return LOWER_FAILED;
  for (int64_t r = 0; r < n; r++) {
    if (!l->member[r] || done_with[r]) continue;
    bool *on = ARENA_ARRAY(&l->arena, bool, n);
    for (int64_t q = r; q < n; q++)
      on[q] = l->member[q] && !done_with[q] && gets_as_many(of, size, r, q), done_with[q] |= on[q];
    NodeId x = arrived(l, of, size, on);
    if (x == NO_NODE) return LOWER_FAILED;
    y = y == NO_NODE ? x : make_on(l, on, x, y);
  }
  return done(l, y);
}

LowerResult lower_all_to_all(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  Attr a[] = {{0}, attr_dim(l, "dimensions", 0)};
  Exchange e = {.g = lower_group(l, l->arg[3], &a[0])};
  if (!e.g || x == NO_NODE || !node_of(l, x)->rank || !l->arg[1] || !l->arg[2]) return LOWER_OPAQUE;
  if (l->uneven) return uneven_exchange(l, a, &e);
  if (!read_exchange(l, l->arg[1], l->arg[2], node_of(l, x)->dims[0], &e)) return LOWER_FAILED;
  if (e.equal && size_at(l->arg[2], e.g->ranks[0], 0) * e.g->size != node_of(l, x)->dims[0]) {
    lower_error(l, E_COLLECTIVE, "the pieces do not add up to the %lld rows there are", (long long)node_of(l, x)->dims[0]);
    return LOWER_FAILED;
  }
  if (e.equal) return done(l, make_out(l, 0, "all_to_all", &x, 1, a, 2));
  if (!e.ring || node_elements(node_of(l, x)) == 0) {
    NodeId y = unequal_exchange(l, x, a, &e);
    if (y == NO_NODE) lower_error(l, E_UNSUPPORTED, "an exchange after which ranks have different numbers of rows");
    return y == NO_NODE ? LOWER_FAILED : done(l, y);
  }
  Attr pairs = {.name = sym("source_target_pairs"), .kind = ATTR_PAIRS, .ints = e.pairs,
                .n = (uint32_t)(2 * l->p->n_ranks)};
  return done(l, make_out(l, 0, "collective_permute", &x, 1, &pairs, 1));
}
