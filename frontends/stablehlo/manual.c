/* sdy.manual_computation: from whole tensors to the blocks of one device and back.
 *
 *     %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[..] manual_axes={"x"}
 *         (%b: ..) {..}
 * Outside, the graph holds blocks already: a parameter of main becomes the block the first computation takes of it, and
 * a result of one computation may enter another only under the sharding it left with.  Nothing is computed outside. */
#include "frontends/stablehlo/flow.h"

static const Mesh *mesh_of(const MlirModule *m, Text name) {
  Sym key = name.len > 1 ? sym_n(name.at + 1, name.len - 1) : 0;
  for (size_t k = 0; k < m->meshes.len; k++)
    if (m->meshes.at[k].name == key) return m->meshes.at[k].mesh;
  return NULL;
}

/* How a tensor is cut: the sizes of a block, the axes per dimension as a text, and the mesh. */
typedef struct Cut {
  int64_t dims[MAX_RANK];
  const Mesh *mesh;
  char axes[1024];
  size_t len;
} Cut;

static bool put(Cut *c, const char *s, size_t n) {
  if (c->len + n >= sizeof c->axes) return false;
  memcpy(c->axes + c->len, s, n);
  c->len += n;
  return true;
}

/* Number of blocks that `{"x", "y":(1)2, ?}p1` cuts a dimension into; 0 if it is not read. */
static int64_t blocks(Scan *s, Cut *c) {
  int64_t n = 1;
  if (!scan_try(s, '{')) return 0;
  while (!scan_try(s, '}')) {
    Text axis;
    if (scan_try(s, ',') || scan_try(s, '?')) continue;
    if (*s->p != '"' || !scan_string(s, &axis)) return 0;
    const char *lo = axis.at - 1;
    Sym name = sym_n(axis.at, axis.len);
    int64_t size = 0, skip;
    for (uint32_t k = 0; k < c->mesh->n_axes; k++)
      if (c->mesh->axes[k].name == name) size = c->mesh->axes[k].size;
    bool sub = scan_try(s, ':');
    if (sub && !(scan_try(s, '(') && scan_int(s, &skip) && scan_try(s, ')') && scan_int(s, &size))) return 0;
    if (size < 1 || __builtin_mul_overflow(n, size, &n)) return 0;
    if (size > 1 && !put(c, lo, (size_t)(s->p - lo))) return 0;
  }
  if (*s->p == 'p') /* a priority */
    for (s->p++; SCAN_IS(*s->p, SCAN_DIGIT); s->p++) {}
  return put(c, "|", 1) ? n : 0;
}

/* The cut `<@mesh, [{"x"}, {}], ..>` (or #sdy.sharding<..>) makes of a tensor; false if it is not read. */
static bool cut_of(const MlirModule *m, Text t, const MlirType *whole, Cut *out) {
  Scan s = m->scan;
  const char *at = t.len ? memchr(t.at, '<', t.len) : NULL, *end = at ? t.at + t.len : NULL;
  Text name;
  out->len = 0;
  if (!at) return false;
  s.p = at + 1;
  scan_space(&s);
  const char *lo = s.p++;
  if (*lo != '@' || !SCAN_IS(*s.p, SCAN_NAME) || !scan_name(&s, &name, "the name of a mesh")) return false;
  out->mesh = mesh_of(m, (Text){lo, (uint32_t)(s.p - lo)});
  if (!out->mesh || !scan_try(&s, ',') || !scan_try(&s, '[')) return false;
  uint32_t d = 0;
  for (; !scan_try(&s, ']'); d++) {
    if (d && !scan_try(&s, ',')) return false;
    scan_space(&s);
    int64_t n = d < whole->rank ? blocks(&s, out) : 0;
    if (!n || whole->dims[d] % n) return false;
    out->dims[d] = whole->dims[d] / n;
  }
  for (const char *p = s.p; p < end; p++) /* addends are no blocks */
    if (end - p > 9 && !strncmp(p, "unreduced", 9) && !put(out, p, (size_t)(end - p))) return false;
  return d == whole->rank;
}

static Sym layout_of(const Cut *c) { return sym_n(c->axes, c->len); }

static bool same_block(const MlirType *t, const int64_t *dims, const MlirType *whole) {
  return t->dtype == whole->dtype && t->rank == whole->rank && !memcmp(t->dims, dims, t->rank * sizeof *dims);
}

/* Entries of `[<..>, <..>]`. */
static bool shardings(Low *l, const char *name, uint32_t n, Text *out) {
  const MlirAttr *a = low_attr(l, name, NULL);
  if (!a) return LOW_ERROR(l, E_ATTRIBUTE, "a manual computation needs %s", name);
  Scan s = l->f->m->scan;
  const char *at = memchr(a->value.at, '[', a->value.len);
  uint32_t k = 0;
  s.p = at ? at + 1 : s.p;
  for (; at && k < n && !scan_try(&s, ']'); k++) {
    if (k) scan_try(&s, ',');
    if (!text_value(&s, &out[k])) return false;
    if (!out[k].len) break;
  }
  if (k == n && (n == 0 || scan_try(&s, ']'))) return true;
  return LOW_ERROR(l, E_ATTRIBUTE, "%s has not %u entries", name, n);
}

/* The mesh is the program's, and every axis that cuts is manual. */
static bool check_mesh(Low *l, const Mesh *mesh) {
  Flow *f = l->f;
  if (f->kind != DEVICES_UNKNOWN && f->n_devices != mesh->n_devices)
    return LOW_ERROR(l, E_MESH, "the mesh has %lld devices, the program %lld", (long long)mesh->n_devices,
                     (long long)f->n_devices);
  if (f->m->n_partitions > 1 && f->m->n_partitions != mesh->n_devices)
    return LOW_ERROR(l, E_MESH, "the mesh has %lld devices, the module %lld partitions", (long long)mesh->n_devices,
                     (long long)f->m->n_partitions);
  f->kind = DEVICES_PARTITIONS;
  f->n_devices = mesh->n_devices;
  f->g->mesh = mesh;
  return true;
}

static bool check_axes(Low *l, const Mesh *mesh) {
  const MlirAttr *a = low_attr(l, "manual_axes", NULL);
  if (!a) return LOW_ERROR(l, E_ATTRIBUTE, "a manual computation needs manual_axes");
  Text v = a->value;
  for (uint32_t k = 0; k < mesh->n_axes; k++) {
    bool found = mesh->axes[k].size == 1;
    const char *end = v.at + v.len;
    for (const char *p = v.at; !found && p && p < end && (p = memchr(p, '"', (size_t)(end - p)));) {
      const char *q = memchr(p + 1, '"', (size_t)(end - p - 1));
      if (!q) break;
      found = sym_n(p + 1, (size_t)(q - p - 1)) == mesh->axes[k].name;
      p = q + 1;
    }
    if (!found)
      return LOW_ERROR(l, E_UNSUPPORTED, "axis \"%s\" is not manual: the program is only partly one of single devices",
                       sym_text(mesh->axes[k].name));
  }
  return true;
}

/* Binds an operand as the block that enters; `layout` stands for its sharding. */
static bool enter(Low *l, uint32_t k, Sym layout, const MlirType *block, Bound *out) {
  Flow *f = l->f;
  Bound b = f->values.at[l->base + l->op->args[k]];
  Node *x = &f->g->nodes.at[b.node];
  bool settled = false;
  if (!b.layout && x->op == sym("parameter")) {
    Sym *known = &f->param_layout.at[x->param];
    if (!*known) {
      *known = layout;
      x->dims = block->dims;
    }
    settled = *known == layout;
  } else if (!b.layout && x->literal && x->literal->kind == LIT_SPLAT) { /* every block of it is alike */
    b.node = low_constant(l, block, *x->literal->values);
    settled = true;
  } else {
    settled = b.layout == layout;
  }
  *out = (Bound){b.node, 0};
  return settled || LOW_ERROR(l, E_UNSUPPORTED, "operand %u is sharded in another way than where it comes from", k);
}

bool become_manual(Low *l) {
  Flow *f = l->f;
  const MlirOp *op = l->op;
  const MlirRegion *body = op->regions;
  const Mesh *mesh = NULL;
  Cut cut;
  Text *in = ARENA_ARRAY(f->arena, Text, op->n_args + 1), *out = ARENA_ARRAY(f->arena, Text, op->n_results + 1);
  Bound *args = ARENA_ARRAY(f->arena, Bound, op->n_args + 1);
  if (!f->outer) return LOW_ERROR(l, E_UNSUPPORTED, "a manual computation within another is not read");
  if (op->n_regions != 1 || body->n_params != op->n_args)
    return LOW_ERROR(l, E_SHAPE, "a manual computation needs a region with a parameter for each operand");
  if (!shardings(l, "in_shardings", op->n_args, in) || !shardings(l, "out_shardings", op->n_results, out)) return false;
  for (uint32_t k = 0; k < op->n_args; k++) {
    const MlirType *block = l->fn->types[body->param + k], *whole = low_type(l, k);
    if (!cut_of(f->m, in[k], whole, &cut) || !same_block(block, cut.dims, whole))
      return LOW_ERROR(l, E_SHAPE, "in_shardings: parameter %u is not the block of its operand", k);
    mesh = cut.mesh;
    if (!check_mesh(l, mesh) || !enter(l, k, layout_of(&cut), block, &args[k])) return false;
  }
  for (uint32_t k = 0; k < op->n_results; k++) {
    if (!cut_of(f->m, out[k], op->types[k], &cut))
      return LOW_ERROR(l, E_SHAPE, "out_shardings: what cuts result %u is not read", k);
    if (!check_mesh(l, mesh = cut.mesh)) return false;
  }
  if (!mesh) return LOW_ERROR(l, E_MESH, "a manual computation of nothing");
  if (!check_axes(l, mesh)) return false;
  size_t returned = f->returned.len;
  f->outer = false;
  bool ok = flow_region(f, l->fn, body, l->base, args, op->n_args);
  f->outer = true;
  if (!ok) return false;
  if (f->returned.len - returned != op->n_results)
    return LOW_ERROR(l, E_SHAPE, "the region does not return %u values", op->n_results);
  for (uint32_t k = 0; k < op->n_results; k++) {
    Bound *b = &f->returned.at[returned + k];
    const Node *x = &f->g->nodes.at[b->node];
    MlirType t = {x->dtype, x->rank, x->dims};
    cut_of(f->m, out[k], op->types[k], &cut);
    if (!same_block(&t, cut.dims, op->types[k]))
      return LOW_ERROR(l, E_SHAPE, "out_shardings: what is returned is not the block of result %u", k);
    b->layout = layout_of(&cut);
  }
  return flow_take(l, op->n_results);
}

bool manual_block(const MlirModule *m, Text attrs, const MlirType *whole, const int64_t **dims, Sym *layout, Arena *a) {
  Text t;
  Cut cut;
  *layout = 0;
  if (!attrs.len || !text_field(&m->scan, attrs, "sdy.sharding", &t)) return true; /* it does not say */
  if (!cut_of(m, t, whole, &cut)) return false;
  *dims = arena_copy(a, cut.dims, whole->rank * sizeof *cut.dims);
  *layout = layout_of(&cut);
  return true;
}
