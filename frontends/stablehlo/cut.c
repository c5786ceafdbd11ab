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

/* The part (pre)size of an axis, next of dimension d.  Coordinates are numbered with the last axis fastest. */
static bool add_part(Cut *c, uint32_t d, Sym name, int64_t pre, int64_t size) {
  int64_t stride = 1;
  uint32_t k = c->mesh->n_axes;
  while (k-- > 0 && c->mesh->axes[k].name != name) stride *= c->mesh->axes[k].size;
  if (k == UINT32_MAX) return false;
  int64_t whole = c->mesh->axes[k].size, cut;
  if (!size) size = whole;
  if (pre < 1 || size < 1 || __builtin_mul_overflow(pre, size, &cut) || whole % cut) return false;
  if (size == 1) return true;
  if (c->n_parts == CUT_PARTS) return false;
  c->parts[c->n_parts++] = (CutPart){d, stride * (whole / cut), size};
  return true;
}

/* `{"x", "y":(1)2, ?}p1`: the axes that cut dimension d. */
static bool read_dim(Scan *s, Cut *c, uint32_t d) {
  if (!scan_try(s, '{')) return false;
  while (!scan_try(s, '}')) {
    Text axis;
    int64_t pre = 1, size = 0;
    if (scan_try(s, ',') || scan_try(s, '?')) continue;
    if (*s->p != '"' || !scan_string(s, &axis)) return false;
    if (scan_try(s, ':') && !(scan_try(s, '(') && scan_int(s, &pre) && scan_try(s, ')') && scan_int(s, &size) && size))
      return false;
    if (!add_part(c, d, sym_n(axis.at, axis.len), pre, size)) return false;
  }
  if (*s->p == 'p') /* a priority */
    for (s->p++; SCAN_IS(*s->p, SCAN_DIGIT); s->p++) {}
  return true;
}

static bool same_cut(const Cut *a, const Cut *b) {
  bool same = a->mesh == b->mesh && a->rank == b->rank && a->n_parts == b->n_parts && a->addends == b->addends;
  for (uint32_t k = 0; same && k < a->n_parts; k++)
    same = a->parts[k].dim == b->parts[k].dim && a->parts[k].stride == b->parts[k].stride &&
           a->parts[k].size == b->parts[k].size;
  return same && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

bool cut_read(Flow *f, Text t, const MlirType *whole, const Cut **out, const Mesh **mesh) {
  Scan s = f->m->scan;
  const char *at = t.len ? memchr(t.at, '<', t.len) : NULL, *end = at ? t.at + t.len : NULL;
  Text name;
  Cut c = {.rank = whole->rank};
  uint32_t d = 0;
  *out = NULL;
  if (!at) return false;
  s.p = at + 1;
  scan_space(&s);
  const char *lo = s.p++;
  if (*lo != '@' || !SCAN_IS(*s.p, SCAN_NAME) || !scan_name(&s, &name, "the name of a mesh")) return false;
  *mesh = c.mesh = mesh_of(f->m, (Text){lo, (uint32_t)(s.p - lo)});
  if (!c.mesh || !scan_try(&s, ',') || !scan_try(&s, '[')) return false;
  for (; !scan_try(&s, ']'); d++) {
    if ((d && !scan_try(&s, ',')) || d >= whole->rank) return false;
    scan_space(&s);
    if (!read_dim(&s, &c, d)) return false;
  }
  if (d != whole->rank) return false;
  if (d) memcpy(c.dims, whole->dims, d * sizeof *c.dims);
  for (uint32_t k = 0; k < c.n_parts; k++) {
    int64_t *n = &c.dims[c.parts[k].dim];
    if (*n % c.parts[k].size) return false;
    *n /= c.parts[k].size;
  }
  for (const char *p = s.p; p < end; p++)
    if (end - p > 9 && !strncmp(p, "unreduced", 9)) {
      c.addends = sym_n(p, (size_t)(end - p));
      break;
    }
  if (!c.n_parts && !c.addends) return true; /* whole on every device */
  for (size_t k = 0; k < f->cuts.len; k++)
    if (same_cut(f->cuts.at[k], &c)) return *out = f->cuts.at[k], true;
  vec_push(&f->cuts, arena_copy(f->arena, &c, sizeof c));
  *out = f->cuts.at[f->cuts.len - 1];
  return true;
}

bool cut_mesh(Flow *f, const MlirOp *op, const Mesh *mesh) {
  if (f->kind != DEVICES_UNKNOWN && f->n_devices != mesh->n_devices)
    return MLIR_ERROR(f->m, op, E_MESH, "the mesh has %lld devices, the program %lld", (long long)mesh->n_devices,
                      (long long)f->n_devices);
  if (f->m->n_partitions > 1 && f->m->n_partitions != mesh->n_devices)
    return MLIR_ERROR(f->m, op, E_MESH, "the mesh has %lld devices, the module %lld partitions",
                      (long long)mesh->n_devices, (long long)f->m->n_partitions);
  f->kind = DEVICES_PARTITIONS;
  f->n_devices = mesh->n_devices;
  f->g->mesh = mesh;
  return true;
}

/* Which block along dimension d the device at a coordinate has; *rest: the coordinate without that. */
static int64_t block_at(const Cut *c, uint32_t d, int64_t at, int64_t *rest) {
  int64_t block = 0;
  *rest = at;
  for (uint32_t k = 0; k < c->n_parts; k++) {
    const CutPart *p = &c->parts[k];
    if (p->dim != d) continue;
    int64_t digit = at / p->stride % p->size;
    block = block * p->size + digit;
    *rest -= digit * p->stride;
  }
  return block;
}

static int64_t blocks_of(const Cut *c, uint32_t d) {
  int64_t n = 1;
  for (uint32_t k = 0; k < c->n_parts; k++)
    if (c->parts[k].dim == d) n *= c->parts[k].size;
  return n;
}

/* Devices that have the blocks of dimension d of one tensor, group after group, in the order of the blocks. */
static const int64_t *groups_of(Low *l, const Cut *c, uint32_t d) {
  int64_t total = c->mesh->n_devices, n = blocks_of(c, d), groups = 0, rest;
  int64_t *out = ARENA_ARRAY(l->f->arena, int64_t, total), *group = xcalloc((size_t)total, sizeof *group);
  for (int64_t at = 0; at < total; at++) {
    int64_t block = block_at(c, d, at, &rest);
    if (rest == at) group[at] = groups++;
    out[group[rest] * n + block] = c->mesh->device_order[at];
  }
  free(group);
  return out;
}

static NodeId gathered(Low *l, const Bound *b, const MlirType *whole) {
  NodeId x = b->node;
  int64_t dims[MAX_RANK];
  memcpy(dims, b->cut->dims, whole->rank * sizeof *dims);
  for (uint32_t d = 0; d < whole->rank; d++) {
    int64_t n = blocks_of(b->cut, d), along = d;
    if (n == 1) continue;
    dims[d] *= n;
    Attr attrs[] = {{.name = sym("replica_groups"), .kind = ATTR_GROUPS, .ints = groups_of(l, b->cut, d),
                     .n = (uint32_t)b->cut->mesh->n_devices, .i = n},
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
    if (w->block == b->node && w->cut == c) return *b = (Bound){w->node, NULL}, true;
  }
  Whole w = {b->node, gathered(l, b, whole), c};
  vec_push(&f->wholes, w);
  *b = (Bound){w.node, NULL};
  return true;
}

/* The start of a device's block along dimension d, from a table by its number. */
static NodeId start_of(Low *l, const Cut *c, uint32_t d) {
  Flow *f = l->f;
  int64_t n = c->mesh->n_devices, rest, one = 1;
  Rat *starts = ARENA_ARRAY(f->arena, Rat, n);
  for (int64_t at = 0; at < n; at++)
    starts[c->mesh->device_order[at]] = rat_int(block_at(c, d, at, &rest) * c->dims[d]);
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
  if (b->cut == c) return *b = (Bound){b->node, NULL}, true;
  const Literal *lit = b->cut ? NULL : f->g->nodes.at[b->node].literal;
  if (lit && lit->kind == LIT_SPLAT) { /* every block of it is alike */
    *b = (Bound){low_constant(l, &(MlirType){whole->dtype, whole->rank, c->dims}, *lit->values), NULL};
    return true;
  }
  if (c && c->addends) return LOW_ERROR(l, E_UNSUPPORTED, "taking addends of what is none is not read");
  if (!cut_whole(l, b, whole) || !c) return b->cut == NULL;
  f->reads_devices = true;
  NodeId *args = ARENA_ARRAY(f->arena, NodeId, whole->rank + 1u), zero = NO_NODE;
  args[0] = b->node;
  for (uint32_t d = 0; d < whole->rank; d++) {
    bool moves = blocks_of(c, d) > 1;
    if (!moves && zero == NO_NODE) zero = low_constant(l, &(MlirType){DT_S32, 0, NULL}, RAT_0);
    args[d + 1] = moves ? start_of(l, c, d) : zero;
  }
  *b = (Bound){low_node(l, sym("dynamic_slice"), whole->dtype, c->dims, whole->rank, 0, args, whole->rank + 1u, NULL, 0),
               NULL};
  return true;
}
