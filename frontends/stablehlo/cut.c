/* How `sdy.sharding` cuts a tensor into blocks, and from blocks to the whole and back.
 *
 *     #sdy.sharding<@mesh, [{"x", "y":(1)2}, {?}]>
 *
 * Axes of a dimension go from major to minor; "y":(1)2 is the part of y of size 2 behind one of size 1.  A program on
 * whole tensors means the same however they are cut: every device puts a whole together (all_gather) where it computes
 * with it, and takes its block (a slice at a place that a table has for each device) where a block is asked for. */
#include "frontends/stablehlo/flow.h"

const Cut CUT_OPEN;

static const Mesh *mesh_of(const MlirModule *m, Text name) {
  Sym key = name.len > 1 ? sym_n(name.at + 1, name.len - 1) : 0;
  for (size_t k = 0; k < m->meshes.len; k++)
    if (m->meshes.at[k].name == key) return m->meshes.at[k].mesh;
  return NULL;
}

/* Part of a dimension's cut: a digit of the device's coordinate. */
typedef struct Part {
  uint32_t dim;
  int64_t stride, size;
} Part;
enum { MAX_PARTS = 64 };

typedef struct Parts {
  const Mesh *mesh;
  uint32_t n;
  Part at[MAX_PARTS];
} Parts;

/* The part (pre)size of an axis, next of dimension d.  Coordinates are numbered with the last axis fastest. */
static bool add_part(Parts *p, uint32_t d, Sym name, int64_t pre, int64_t size) {
  int64_t stride = 1;
  uint32_t k = p->mesh->n_axes;
  while (k-- > 0 && p->mesh->axes[k].name != name) stride *= p->mesh->axes[k].size;
  if (k == UINT32_MAX) return false;
  int64_t whole = p->mesh->axes[k].size, cut;
  if (!size) size = whole;
  if (pre < 1 || size < 1 || __builtin_mul_overflow(pre, size, &cut) || whole % cut) return false;
  if (size == 1) return true;
  if (p->n == MAX_PARTS) return false;
  p->at[p->n++] = (Part){d, stride * (whole / cut), size};
  return true;
}

/* `{"x", "y":(1)2, ?}p1`: the axes that cut dimension d. */
static bool read_dim(Scan *s, Parts *p, uint32_t d) {
  if (!scan_try(s, '{')) return false;
  while (!scan_try(s, '}')) {
    Text axis;
    int64_t pre = 1, size = 0;
    if (scan_try(s, ',') || scan_try(s, '?')) continue;
    if (*s->p != '"' || !scan_string(s, &axis)) return false;
    if (scan_try(s, ':') && !(scan_try(s, '(') && scan_int(s, &pre) && scan_try(s, ')') && scan_int(s, &size) && size))
      return false;
    if (!add_part(p, d, sym_n(axis.at, axis.len), pre, size)) return false;
  }
  if (*s->p == 'p') /* a priority */
    for (s->p++; SCAN_IS(*s->p, SCAN_DIGIT); s->p++) {}
  return true;
}

static bool same_cut(const Cut *a, const Cut *b) {
  if (a->mesh != b->mesh || a->rank != b->rank || a->addends != b->addends || a->n_devices != b->n_devices) return false;
  size_t dims = a->rank * sizeof *a->dims, devices = (size_t)a->n_devices * sizeof *a->order;
  return !memcmp(a->dims, b->dims, dims) && !memcmp(a->tiles, b->tiles, dims) && !memcmp(a->order, b->order, devices);
}

const Cut *cut_of_tiles(Flow *f, const MlirType *whole, const int64_t *tiles, const int64_t *tile, const int64_t *devices,
                        int64_t n_devices, const Mesh *mesh, Sym addends) {
  int64_t dims[MAX_RANK], n = 1;
  for (uint32_t d = 0; d < whole->rank; d++) {
    if (tiles[d] < 1 || whole->dims[d] % tiles[d] || __builtin_mul_overflow(n, tiles[d], &n) || n > n_devices) return NULL;
    dims[d] = whole->dims[d] / tiles[d];
  }
  if (n_devices % n) return NULL;
  int64_t reps = n_devices / n, *order = ARENA_ARRAY(f->arena, int64_t, n_devices);
  int64_t *have = xcalloc((size_t)n, sizeof *have);
  bool ok = true;
  for (int64_t k = 0; k < n_devices && ok; k++) {
    int64_t d = devices[k];
    ok = have[tile[d]] < reps;
    if (ok) order[tile[d] * reps + have[tile[d]]++] = d;
  }
  free(have);
  if (!ok) return NULL;
  size_t bytes = whole->rank * sizeof *dims;
  Cut c = {whole->rank, addends, n_devices, reps, mesh, arena_copy(f->arena, dims, bytes),
           arena_copy(f->arena, tiles, bytes), order};
  for (size_t k = 0; k < f->cuts.len; k++)
    if (same_cut(f->cuts.at[k], &c)) return f->cuts.at[k];
  vec_push(&f->cuts, arena_copy(f->arena, &c, sizeof c));
  return f->cuts.at[f->cuts.len - 1];
}

bool cut_read(Flow *f, Text t, const MlirType *whole, const Cut **out, const Mesh **mesh) {
  Scan s = f->m->scan;
  const char *at = t.len ? memchr(t.at, '<', t.len) : NULL, *end = at ? t.at + t.len : NULL;
  Text name;
  Parts parts = {0};
  Sym addends = 0;
  uint32_t d = 0;
  int64_t tiles[MAX_RANK];
  *out = NULL;
  if (!at) return false;
  s.p = at + 1;
  scan_space(&s);
  const char *lo = s.p++;
  if (*lo != '@' || !SCAN_IS(*s.p, SCAN_NAME) || !scan_name(&s, &name, "the name of a mesh")) return false;
  *mesh = parts.mesh = mesh_of(f->m, (Text){lo, (uint32_t)(s.p - lo)});
  if (!*mesh || !scan_try(&s, ',') || !scan_try(&s, '[')) return false;
  for (; !scan_try(&s, ']'); d++) {
    if ((d && !scan_try(&s, ',')) || d >= whole->rank) return false;
    scan_space(&s);
    tiles[d] = 1;
    if (!read_dim(&s, &parts, d)) return false;
  }
  if (d != whole->rank) return false;
  for (const char *p = s.p; p < end && !addends; p++)
    if (end - p > 9 && !strncmp(p, "unreduced", 9)) addends = sym_n(p, (size_t)(end - p));
  if (!parts.n && !addends) return true; /* whole on every device */
  int64_t n = (*mesh)->n_devices, *tile = ARENA_ARRAY(f->arena, int64_t, n);
  for (uint32_t k = 0; k < parts.n; k++)
    if (__builtin_mul_overflow(tiles[parts.at[k].dim], parts.at[k].size, &tiles[parts.at[k].dim])) return false;
  for (int64_t c = 0; c < n; c++) {
    int64_t *to = &tile[(*mesh)->device_order[c]];
    *to = 0;
    for (d = 0; d < whole->rank; d++) {
      int64_t block = 0;
      for (uint32_t k = 0; k < parts.n; k++)
        if (parts.at[k].dim == d) block = block * parts.at[k].size + c / parts.at[k].stride % parts.at[k].size;
      *to = *to * tiles[d] + block;
    }
  }
  return (*out = cut_of_tiles(f, whole, tiles, tile, (*mesh)->device_order, n, *mesh, addends)) != NULL;
}

bool cut_devices(Flow *f, const MlirOp *op, const Mesh *mesh, int64_t n) {
  if (f->kind != DEVICES_UNKNOWN && f->n_devices != n)
    return MLIR_ERROR(f->m, op, E_MESH, "the mesh has %lld devices, the program %lld", (long long)n,
                      (long long)f->n_devices);
  if (f->m->n_partitions > 1 && f->m->n_partitions != n)
    return MLIR_ERROR(f->m, op, E_MESH, "the mesh has %lld devices, the module %lld partitions", (long long)n,
                      (long long)f->m->n_partitions);
  f->kind = DEVICES_PARTITIONS;
  f->n_devices = n;
  if (mesh) f->g->mesh = mesh;
  return true;
}

/* How far apart neighbours along dimension d stand among the tiles. */
static int64_t stride_of(const Cut *c, uint32_t d) {
  int64_t stride = 1;
  for (uint32_t k = d + 1; k < c->rank; k++) stride *= c->tiles[k];
  return stride;
}

/* Devices that have the blocks along dimension d of one tensor, group after group, in the order of the blocks. */
static const int64_t *groups_of(Low *l, const Cut *c, uint32_t d) {
  int64_t *out = ARENA_ARRAY(l->f->arena, int64_t, c->n_devices), n = 0, stride = stride_of(c, d);
  for (int64_t tile = 0; tile * c->reps < c->n_devices; tile++) {
    if (tile / stride % c->tiles[d]) continue;
    for (int64_t r = 0; r < c->reps; r++)
      for (int64_t k = 0; k < c->tiles[d]; k++) out[n++] = c->order[(tile + k * stride) * c->reps + r];
  }
  return out;
}

static NodeId gathered(Low *l, const Bound *b, const MlirType *whole) {
  const Cut *c = b->cut;
  NodeId x = b->node;
  int64_t dims[MAX_RANK];
  if (whole->rank) memcpy(dims, c->dims, whole->rank * sizeof *dims);
  for (uint32_t d = 0; d < whole->rank; d++) {
    int64_t along = d;
    if (c->tiles[d] == 1) continue;
    dims[d] *= c->tiles[d];
    Attr attrs[] = {{.name = sym("replica_groups"), .kind = ATTR_GROUPS, .ints = groups_of(l, c, d),
                     .n = (uint32_t)c->n_devices, .i = c->tiles[d]},
                    {.name = sym("dimensions"), .kind = ATTR_INTS, .n = 1,
                     .ints = arena_copy(l->f->arena, &along, sizeof along)}};
    x = low_node(l, sym("all_gather"), whole->dtype, arena_copy(l->f->arena, dims, whole->rank * sizeof *dims),
                 whole->rank, 0, &x, 1, arena_copy(l->f->arena, attrs, sizeof attrs), 2);
  }
  return x;
}

bool cut_whole(Low *l, Bound *b, const MlirType *whole) {
  Flow *f = l->f;
  const Cut *c = b->cut;
  if (!c) return true;
  if (c == &CUT_OPEN) { /* of a parameter whose annotation does not say: what is first asked for */
    ParamCut *p = &f->param_cut.at[f->g->nodes.at[b->node].param];
    p->settled = true;
    b->cut = c = p->cut;
    if (!c) return true;
  }
  if (c->addends) return LOW_ERROR(l, E_UNSUPPORTED, "computing with addends outside a manual computation is not read");
  for (size_t k = 0; k < f->wholes.len; k++) {
    const Whole *w = &f->wholes.at[k];
    if (w->block == b->node && w->cut == c) return *b = (Bound){.node = w->node}, true;
  }
  Whole w = {b->node, gathered(l, b, whole), c};
  vec_push(&f->wholes, w);
  *b = (Bound){.node = w.node};
  return true;
}

/* The start of a device's block along dimension d, from a table by its number. */
static NodeId start_of(Low *l, const Cut *c, uint32_t d) {
  Flow *f = l->f;
  int64_t n = c->n_devices, one = 1, stride = stride_of(c, d);
  Rat *starts = ARENA_ARRAY(f->arena, Rat, n);
  for (int64_t at = 0; at < n; at++) starts[c->order[at]] = rat_int(at / c->reps / stride % c->tiles[d] * c->dims[d]);
  const int64_t *dims = arena_copy(f->arena, &n, sizeof n), *ones = arena_copy(f->arena, &one, sizeof one);
  NodeId table = low_node(l, sym("constant"), DT_S32, dims, 1, 0, NULL, 0, NULL, 0);
  Literal *lit = ARENA_NEW(f->arena, Literal);
  *lit = (Literal){LIT_VALUES, (uint64_t)n, starts};
  f->g->nodes.at[table].literal = lit;
  NodeId device = low_node(l, sym("partition_id"), DT_U32, NULL, 0, 0, NULL, 0, NULL, 0);
  NodeId args[] = {table, device};
  return low_reshape(l, low_node(l, sym("dynamic_slice"), DT_S32, ones, 1, 0, args, 2, NULL, 0), NULL, 0);
}

bool cut_block(Low *l, Bound *b, const MlirType *whole, const Cut *c) {
  Flow *f = l->f;
  if (b->cut == &CUT_OPEN) {
    Node *x = &f->g->nodes.at[b->node];
    ParamCut *p = &f->param_cut.at[x->param];
    if (!p->settled && c) x->dims = c->dims;
    if (!p->settled) *p = (ParamCut){c, true};
    b->cut = p->cut;
  }
  if (b->cut == c) return *b = (Bound){.node = b->node}, true;
  const Literal *lit = b->cut ? NULL : f->g->nodes.at[b->node].literal;
  if (lit && lit->kind == LIT_SPLAT) { /* every block of it is alike */
    *b = (Bound){.node = low_constant(l, &(MlirType){whole->dtype, whole->rank, c->dims}, *lit->values)};
    return true;
  }
  if (c && c->addends) return LOW_ERROR(l, E_UNSUPPORTED, "taking addends of what is none is not read");
  if (!cut_whole(l, b, whole) || !c) return b->cut == NULL;
  f->reads_devices = true;
  NodeId *args = ARENA_ARRAY(f->arena, NodeId, whole->rank + 1u), zero = NO_NODE;
  args[0] = b->node;
  for (uint32_t d = 0; d < whole->rank; d++) {
    bool moves = c->tiles[d] > 1;
    if (!moves && zero == NO_NODE) zero = low_constant(l, &(MlirType){DT_S32, 0, NULL}, RAT_0);
    args[d + 1] = moves ? start_of(l, c, d) : zero;
  }
  *b = (Bound){.node = low_node(l, sym("dynamic_slice"), whole->dtype, c->dims, whole->rank, 0, args, whole->rank + 1u,
                                NULL, 0)};
  return true;
}
