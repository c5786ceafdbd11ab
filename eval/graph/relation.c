#include "eval/graph/relation.h"

void relation_free(Relation *r) {
  if (!r) return;
  arena_free(&r->arena);
  free(r);
}

Hull related_hull(const Related *r) {
  Hull h = {r->has_lo, r->has_hi, r->lo, r->hi};
  for (uint32_t k = 0; k < r->n_also; k++) {
    if (h.has_lo ? rat_cmp(r->also[k], h.lo) < 0 : r->only_also) h.has_lo = true, h.lo = r->also[k];
    if (h.has_hi ? rat_cmp(r->also[k], h.hi) > 0 : r->only_also) h.has_hi = true, h.hi = r->also[k];
  }
  return h;
}

bool related_whole(const Related *r) {
  bool whole = r->only_also && r->n_also;
  for (uint32_t k = 0; k < r->n_also && whole; k++) whole = rat_is_int(r->also[k]);
  return whole;
}

static bool lists(const Rat *values, uint32_t n, Rat v) {
  for (uint32_t k = 0; k < n; k++)
    if (values[k] == v) return true;
  return false;
}

static bool allows(const Related *r, Rat v) {
  if (lists(r->also, r->n_also, v)) return true;
  return !r->only_also && !(r->has_lo && rat_cmp(v, r->lo) < 0) && !(r->has_hi && rat_cmp(v, r->hi) > 0);
}

/* Leaves what `by` allows, too: of both lists what the other allows, and what is in both ranges. */
static void narrow(Related *r, const Related *by, Arena *a) {
  Rat *also = ARENA_ARRAY(a, Rat, r->n_also + by->n_also + 1);
  uint32_t n = 0;
  for (uint32_t k = 0; k < r->n_also; k++)
    if (allows(by, r->also[k])) also[n++] = r->also[k];
  for (uint32_t k = 0; k < by->n_also; k++)
    if (allows(r, by->also[k]) && !lists(also, n, by->also[k])) also[n++] = by->also[k];
  if (by->has_lo && (!r->has_lo || rat_cmp(by->lo, r->lo) > 0)) r->has_lo = true, r->lo = by->lo;
  if (by->has_hi && (!r->has_hi || rat_cmp(by->hi, r->hi) < 0)) r->has_hi = true, r->hi = by->hi;
  r->only_also |= by->only_also || (r->has_lo && r->has_hi && rat_cmp(r->lo, r->hi) > 0);
  if (r->only_also) r->has_lo = r->has_hi = false;
  r->also = also;
  r->n_also = n;
}

/* Leaves what this type holds.  A range keeps an end that it lacks, unless it is that of a truth value. */
static void narrow_to_type(Related *r, DType t) {
  if (!dtype_is_whole(t)) return;
  bool sign = dtype_kind(t) == DK_INT, truth = dtype_kind(t) == DK_BOOL;
  Rat end = rat_pow(RAT_INT(2), dtype_bits(t) - sign), least = sign ? rat_neg(end) : RAT_0, most = rat_sub(end, RAT_1);
  uint32_t n = 0;
  Rat *also = (Rat *)r->also;
  for (uint32_t k = 0; k < r->n_also; k++)
    if (dtype_holds(t, also[k])) also[n++] = also[k];
  r->n_also = n;
  if (r->only_also) return;
  if (r->has_lo || truth) r->lo = r->has_lo && rat_cmp(r->lo, least) > 0 ? rat_ceil(r->lo) : least, r->has_lo = true;
  if (r->has_hi || truth) r->hi = r->has_hi && rat_cmp(r->hi, most) < 0 ? rat_floor(r->hi) : most, r->has_hi = true;
  bool none = rat_cmp(r->has_lo ? r->lo : least, r->has_hi ? r->hi : most) > 0;
  if (none) r->only_also = true, r->has_lo = r->has_hi = false;
}

Related relation_input(const Relation *r, const Graph *seq, const Graph *dist, int64_t number, Arena *a) {
  Related all = {.scale = 1}, everything = {0};
  bool first = true;
  for (uint32_t k = 0; k < r->n_inputs; k++) {
    if (r->inputs[k].seq != number) continue;
    if (first) all = r->inputs[k];
    narrow(&all, first ? &everything : &r->inputs[k], a);
    first = false;
  }
  for (uint32_t k = 0; k < r->n_inputs; k++) {
    if (r->inputs[k].seq != number) continue;
    narrow_to_type(&all, (DType)seq->nodes.at[seq->params.at[number]].dtype);
    narrow_to_type(&all, (DType)dist->nodes.at[dist->params.at[r->inputs[k].dist]].dtype);
  }
  return all;
}

bool related_gap(const Related *r, Rat *lo, Rat *hi) {
  if (!r->has_lo || !r->has_hi) return false;
  bool below = false, above = false;
  Rat low = RAT_0, high = RAT_0; /* the nearest values outside the range */
  for (uint32_t k = 0; k < r->n_also; k++) {
    Rat x = r->also[k];
    if (rat_cmp(x, r->lo) < 0 && (!below || rat_cmp(x, low) > 0)) low = x, below = true;
    if (rat_cmp(x, r->hi) > 0 && (!above || rat_cmp(x, high) < 0)) high = x, above = true;
  }
  if (below && (!above || rat_cmp(rat_sub(r->lo, low), rat_sub(high, r->hi)) >= 0)) {
    *lo = low, *hi = r->lo;
    return true;
  }
  *lo = r->hi, *hi = high;
  return above;
}

Mesh *mesh_copy(const Mesh *m, Arena *a) {
  Mesh *c = arena_copy(a, m, sizeof *m);
  c->axes = arena_copy(a, m->axes, m->n_axes * sizeof *m->axes);
  c->device_order = arena_copy(a, m->device_order, (size_t)m->n_devices * sizeof *m->device_order);
  return c;
}

bool layout_same(const Layout *a, const Layout *b) {
  if (a->rank != b->rank || a->n_partial != b->n_partial) return false;
  for (uint32_t d = 0; d < a->rank; d++)
    if (a->dims[d].n != b->dims[d].n || memcmp(a->dims[d].axes, b->dims[d].axes, a->dims[d].n * sizeof *a->dims[d].axes))
      return false;
  return !a->n_partial || !memcmp(a->partial, b->partial, a->n_partial * sizeof *a->partial);
}

Layout layout_copy(const Layout *l, Arena *a) {
  Layout c = *l;
  c.dims = arena_copy(a, l->dims, l->rank * sizeof *l->dims);
  for (uint32_t d = 0; d < l->rank; d++)
    c.dims[d].axes = arena_copy(a, l->dims[d].axes, l->dims[d].n * sizeof *l->dims[d].axes);
  c.partial = arena_copy(a, l->partial, l->n_partial * sizeof *l->partial);
  return c;
}

void mesh_coordinate(const Mesh *m, int64_t device, int64_t *at) {
  int64_t k = device >= 0 && device < m->n_devices && m->device_order[device] == device ? device : 0;
  while (k < m->n_devices && m->device_order[k] != device) k++;
  for (uint32_t a = m->n_axes; a-- > 0; k /= m->axes[a].size) at[a] = k % m->axes[a].size;
}

int64_t mesh_device(const Mesh *m, const int64_t *at) {
  int64_t k = 0;
  for (uint32_t a = 0; a < m->n_axes; a++) k = k * m->axes[a].size + at[a];
  return m->device_order[k];
}

int64_t *mesh_groups(const Mesh *m, const uint32_t *axes, uint32_t n, Arena *a, uint32_t *size) {
  int64_t *out = ARENA_ARRAY(a, int64_t, m->n_devices), *at = ARENA_ARRAY(a, int64_t, m->n_axes);
  size_t len = 0;
  *size = 1;
  for (uint32_t k = 0; k < n; k++) *size *= (uint32_t)m->axes[axes[k]].size;
  for (int64_t d = 0; d < m->n_devices; d++) {
    mesh_coordinate(m, d, at);
    bool first = true; /* member 0 of its group */
    for (uint32_t k = 0; k < n; k++) first &= at[axes[k]] == 0;
    for (int64_t i = 0; first && i < *size; i++) {
      int64_t rest = i;
      for (uint32_t k = n; k-- > 0; rest /= m->axes[axes[k]].size) at[axes[k]] = rest % m->axes[axes[k]].size;
      out[len++] = mesh_device(m, at);
    }
  }
  return out;
}

static bool check_mesh(const Mesh *m, const Graph *seq, const Graph *dist, Diags *diags) {
  bool ok = true;
  if (dist->n_devices && dist->n_devices != m->n_devices)
    ok = diag_error(diags, (Span){0}, E_MESH, "the mesh has %lld devices, %s is for %lld", (long long)m->n_devices,
                    sym_text(dist->path), (long long)dist->n_devices);
  if (seq->n_devices > 1)
    ok = diag_error(diags, (Span){0}, E_MESH, "the sequential program %s is for %lld devices", sym_text(seq->path),
                    (long long)seq->n_devices);
  bool *seen = xcalloc((size_t)m->n_devices, sizeof *seen);
  for (int64_t k = 0; ok && k < m->n_devices; k++) {
    int64_t d = m->device_order[k];
    if (d < 0 || d >= m->n_devices || seen[d])
      ok = diag_error(diags, (Span){0}, E_MESH, "the order of devices is no permutation: %lld", (long long)d);
    else
      seen[d] = true;
  }
  free(seen);
  return ok;
}

/* Axes exist and are used once. */
static bool check_axes(const Related *r, const Mesh *m, const char *what, Diags *diags) {
  const Layout *l = &r->layout;
  uint8_t *used = xcalloc(m->n_axes, 1);
  bool ok = true;
  for (int d = -1; ok && d < l->rank; d++) {
    uint8_t n = d < 0 ? l->n_partial : l->dims[d].n;
    const uint32_t *axes = d < 0 ? l->partial : l->dims[d].axes;
    for (uint8_t k = 0; ok && k < n; k++)
      if (axes[k] >= m->n_axes || used[axes[k]]++)
        ok = diag_error(diags, r->span, E_AXIS, "%s \"%s\": an axis is not of the mesh, or used twice", what,
                        sym_text(r->name));
  }
  free(used);
  return ok;
}

/* A shape that the relation states is that of the graph. */
static bool check_said(const Related *r, const int64_t *said, const Node *n, const char *what, const char *side,
                       Diags *diags) {
  for (int k = 0; said && k < n->rank; k++)
    if (said[k] != n->dims[k])
      return diag_error(diags, r->span, E_RELATION_FIT,
                        "%s \"%s\": the relation says that dimension %d has size %lld, in the %s graph it has %lld", what,
                        sym_text(r->name), k, (long long)said[k], side, (long long)n->dims[k]);
  return true;
}

/* The distributed tensor is a block of the sequential one: ceil(size / blocks) per dimension. */
static bool check_shapes(const Related *r, const Mesh *m, const Node *s, const Node *d, const char *what,
                         Diags *diags) {
  const Layout *l = &r->layout;
  const char *name = sym_text(r->name);
  if (l->rank != s->rank || l->rank != d->rank)
    return diag_error(diags, r->span, E_RELATION_FIT,
                      "%s \"%s\": the layout has %d dimensions, the tensors have %d and %d", what,
                      name, l->rank, s->rank, d->rank);
  if (dtype_is_float(s->dtype) != dtype_is_float(d->dtype))
    return diag_error(diags, r->span, E_RELATION_FIT, "%s \"%s\": element types %s and %s", what, name,
                      dtype_text(s->dtype),
                      dtype_text(d->dtype));
  if (r->typed && r->dtype != s->dtype && r->dtype != d->dtype)
    return diag_error(diags, r->span, E_RELATION_FIT, "%s \"%s\": the relation says %s, the graphs have %s and %s", what,
                      name, dtype_text(r->dtype), dtype_text(s->dtype), dtype_text(d->dtype));
  if (!check_said(r, r->seq_shape, s, what, "sequential", diags) ||
      !check_said(r, r->dist_shape, d, what, "distributed", diags))
    return false;
  for (int k = 0; k < l->rank; k++) {
    int64_t blocks = 1, size = s->dims[k];
    for (uint8_t j = 0; j < l->dims[k].n; j++) blocks *= m->axes[l->dims[k].axes[j]].size;
    int64_t want = size / blocks + (size % blocks != 0);
    if (d->dims[k] == want) continue;
    diag_error(diags, r->span, E_RELATION_FIT,
               "%s \"%s\": dimension %d has size %lld, cut into %lld it is %lld, not %lld", what,
               name, k, (long long)size, (long long)blocks, (long long)want, (long long)d->dims[k]);
    return false;
  }
  return true;
}

/* Where devices hold tensors of different sizes, each has the piece that the layout gives it. */
static bool check_sizes(const Related *r, const Mesh *m, const Node *s, const int64_t *sizes, const bool *on,
                        const char *what, Diags *diags) {
  int64_t *at = xcalloc(m->n_axes, sizeof *at);
  bool ok = true;
  for (int64_t device = 0; ok && device < m->n_devices; device++) {
    mesh_coordinate(m, device, at);
    for (int k = 0; ok && k < r->layout.rank && (!on || on[device]); k++) {
      const struct LayoutDim *d = &r->layout.dims[k];
      int64_t blocks = 1, number = 0, size = s->dims[k], has = sizes[device * r->layout.rank + k];
      for (uint8_t j = 0; j < d->n; j++) {
        number = number * m->axes[d->axes[j]].size + at[d->axes[j]];
        blocks *= m->axes[d->axes[j]].size;
      }
      int64_t most = size / blocks + (size % blocks != 0), left = size - number * most;
      int64_t want = left < 0 ? 0 : left < most ? left : most;
      if (has != want)
        ok = diag_error(diags, r->span, E_RELATION_FIT,
                        "%s \"%s\": dimension %d has size %lld on device %lld, its piece of %lld has %lld", what,
                        sym_text(r->name), k, (long long)has, (long long)device, (long long)size, (long long)want);
    }
  }
  free(at);
  return ok;
}

/* The node an entry speaks of: a parameter or an output; NO_NODE after a report. */
static NodeId find(const Related *r, const Graph *g, bool input, int64_t number, Diags *diags) {
  int64_t n = (int64_t)(input ? g->params.len : g->outputs.len);
  if (number >= 0 && number < n) {
    NodeId id = input ? g->params.at[number] : g->outputs.at[number].node;
    if (id != NO_NODE) return id;
  }
  diag_error(diags, r->span, E_RELATION_FIT, "%s \"%s\": %s has no %s %lld", input ? "input" : "output",
             sym_text(r->name),
             sym_text(g->path), input ? "parameter" : "result", (long long)number);
  return NO_NODE;
}

/* Of no value everything holds. */
static bool none(const Related *r) { return r->only_also && !r->n_also; }

static bool check_type(const Related *e, DType t, Diags *diags) {
  Arena a = {0};
  Related all = *e;
  all.also = arena_copy(&a, e->also, e->n_also * sizeof *e->also);
  narrow_to_type(&all, t);
  arena_free(&a);
  return !none(&all) || diag_error(diags, e->span, E_RELATION, "no value of type %s is in the range of \"%s\"",
                                   dtype_text(t), sym_text(e->name));
}

/* Inputs that are one tensor of the sequential graph: some value is in all their ranges and types. */
static bool check_ranges(const Relation *r, const Graph *seq, const Graph *dist, Diags *diags) {
  bool ok = true;
  Arena a = {0};
  for (uint32_t k = r->n_inputs; k-- > 0 && ok;) {
    const Related *e = &r->inputs[k];
    Related all = relation_input(r, seq, dist, e->seq, &a);
    if (none(&all))
      ok = diag_error(diags, e->span, E_RELATION, "no value is in all ranges of \"%s\"", sym_text(e->name));
  }
  arena_free(&a);
  return ok;
}

static bool check_list(const Relation *r, bool input, const Graph *seq, const Graph *dist, Diags *diags) {
  const char *what = input ? "input" : "output";
  uint32_t n = input ? r->n_inputs : r->n_outputs;
  size_t n_dist = input ? dist->params.len : dist->outputs.len;
  bool *related = xcalloc(n_dist, sizeof *related), ok = true;
  for (uint32_t k = 0; k < n; k++) {
    const Related *e = input ? &r->inputs[k] : &r->outputs[k];
    NodeId s = find(e, seq, input, e->seq, diags), d = find(e, dist, input, e->dist, diags);
    bool fine = s != NO_NODE && d != NO_NODE && check_axes(e, &r->mesh, what, diags) &&
                check_shapes(e, &r->mesh, &seq->nodes.at[s], &dist->nodes.at[d], what, diags);
    const int64_t *const *sizes = input ? dist->param_sizes : dist->output_sizes;
    const bool *const *on = input ? dist->param_on : sizes ? dist->output_on : NULL;
    if (!input && e->dist >= dist->n_output_sizes) sizes = NULL;
    if (fine && sizes && sizes[e->dist] && !e->blocks.padded) /* else its reader has checked them */
      fine = check_sizes(e, &r->mesh, &seq->nodes.at[s], sizes[e->dist], on ? on[e->dist] : NULL, what, diags);
    if (fine && input)
      fine = check_type(e, seq->nodes.at[s].dtype, diags) && check_type(e, dist->nodes.at[d].dtype, diags);
    if (fine && input && related[e->dist])
      fine = diag_error(diags, e->span, E_RELATION_FIT, "input \"%s\": parameter %lld is related twice",
                        sym_text(e->name), (long long)e->dist);
    if (fine) related[e->dist] = true;
    ok &= fine;
  }
  for (size_t k = 0; k < dist->loops.len; k++) { /* what a loop carries may be anything */
    const Loop *l = &dist->loops.at[k];
    if (input) related[l->counter] = true;
    for (uint32_t i = 0; input && i < l->n; i++) related[l->carried[i].before] = related[l->carried[i].after] = true;
  }
  for (size_t k = 0; input && ok && k < n_dist; k++) {
    if (related[k] || dist->params.at[k] == NO_NODE) continue;
    ok = diag_error(diags, r->span, E_RELATION_FIT, "parameter %zu (%s) of %s is not related to anything", k,
                    sym_text(dist->nodes.at[dist->params.at[k]].name), sym_text(dist->path));
    if (r->span.source) diag_hint(diags, "an input with \"dist\": %zu is missing here", k);
  }
  free(related);
  return ok;
}

/* Blocks in another order are part of the sequential graph by now (blocks_apply). */
static bool check_blocks(const Relation *r, Diags *diags) {
  for (uint32_t i = 0; i < r->n_inputs + r->n_outputs; i++) {
    const Related *x = i < r->n_inputs ? &r->inputs[i] : &r->outputs[i - r->n_inputs];
    if (x->blocks.n > 1) return diag_error(diags, x->span, E_UNSUPPORTED, "blocks in another order are not read here");
  }
  return true;
}

bool relation_check(const Relation *r, const Graph *seq, const Graph *dist, Diags *diags) {
  if (!check_blocks(r, diags)) return false;
  bool mesh = check_mesh(&r->mesh, seq, dist, diags), inputs = check_list(r, true, seq, dist, diags);
  return check_list(r, false, seq, dist, diags) && mesh && inputs && check_ranges(r, seq, dist, diags);
}

char *layout_print(const Layout *l, const Mesh *m, Arena *a) {
  static const char names[] = "ijklmnopqrstuvwxyzabcdefgh";
  char *out = arena_printf(a, "[");
  for (int d = 0; d < l->rank; d++) {
    const char *open = l->dims[d].n ? "(" : "", *close = l->dims[d].n ? ")" : "";
    out = arena_printf(a, "%s%s%s", out, d ? ", " : "", open);
    for (uint8_t k = 0; k < l->dims[d].n; k++)
      out = arena_printf(a, "%s%s, ", out, sym_text(m->axes[l->dims[d].axes[k]].name));
    out = d < 26 ? arena_printf(a, "%s%c%s", out, names[d], close) : arena_printf(a, "%si%d%s", out, d, close);
  }
  out = arena_printf(a, "%s]", out);
  for (uint8_t k = 0; k < l->n_partial; k++)
    out = arena_printf(a, "%s%s%s%s", out, k ? ", " : " partial(", sym_text(m->axes[l->partial[k]].name),
                       k + 1 == l->n_partial ? ")" : "");
  return out;
}
