/* Collectives and the numbers of devices.
 *
 * Whether a number is a replica or a partition depends on the channel and use_global_device_ids, as in HLO.  tvr knows
 * one kind of device; a program with both is refused.  A collective over the kind there is one of stays within each
 * device, or is over all of them. */
#include "frontends/stablehlo/flow.h"

typedef enum Ids { IDS_REPLICAS, IDS_PARTITIONS, IDS_REPLICAS_OF_ALL, IDS_GLOBAL } Ids;

/* What devices are and how many, from what the module says and what the first operators ask for. */
static bool settle(Low *l, DeviceKind wanted) {
  Flow *f = l->f;
  const MlirModule *m = f->m;
  f->reads_devices = true;
  if (f->outer) return LOW_ERROR(l, E_UNSUPPORTED, "an operator outside the manual computation reads devices");
  if (f->kind != DEVICES_UNKNOWN) return true;
  if (m->n_replicas > 1 && m->n_partitions > 1)
    return LOW_ERROR(l, E_UNSUPPORTED,
                     "the program has %lld replicas of %lld partitions: tvr reads programs with one of either",
                     (long long)m->n_replicas, (long long)m->n_partitions);
  int64_t said = m->n_replicas > 1 ? m->n_replicas : m->n_partitions > 1 ? m->n_partitions : 0;
  f->kind = m->n_replicas > 1 ? DEVICES_REPLICAS : said ? DEVICES_PARTITIONS : wanted;
  f->n_devices = said ? said : f->options->n_devices;
  if (said && f->options->n_devices && f->options->n_devices != said)
    return LOW_ERROR(l, E_COLLECTIVE, "the program is for %lld devices, not %lld", (long long)said,
                     (long long)f->options->n_devices);
  return true;
}

static Ids ids_of(Low *l, bool flagged) {
  const MlirAttr *c = low_attr(l, "channel_handle", "channel_id"), *g = low_attr(l, "use_global_device_ids", NULL);
  Text v = c ? c->value : (Text){0};
  const int64_t *id;
  uint32_t n;
  if (c && *v.at == '#' && !text_field(&l->f->m->scan, c->value, "handle", &v)) v = (Text){0};
  bool channel = v.len && dense_ints(l->f->m, v, &id, &n, NULL) && n && id[0] > 0;
  bool global = g && !text_equals(g->value, "false");
  return !channel ? IDS_REPLICAS : !flagged ? IDS_PARTITIONS : global ? IDS_GLOBAL : IDS_REPLICAS_OF_ALL;
}

/* Groups over axes of a mesh: the listed axes go last, in this order; groups are read row by row. */
static bool axis_groups(Low *l, Text t, const int64_t **out, uint32_t *n, int64_t *columns) {
  const MlirModule *m = l->f->m;
  Text mesh = {0}, list = {0}, axes = {0}, v;
  int64_t size[64], order[64], total = 1, inner = 1;
  Sym name[64];
  uint32_t k = 0, n_order = 0;
  Scan s = m->scan;
  if (!text_field(&m->scan, t, "mesh", &mesh) || !text_field(&m->scan, t, "axes", &axes)) goto wrong;
  if (*mesh.at == '@') {
    Sym key = sym_n(mesh.at + 1, mesh.len - 1);
    const Mesh *known = NULL;
    for (size_t i = 0; i < m->meshes.len; i++)
      if (m->meshes.at[i].name == key) known = m->meshes.at[i].mesh;
    if (!known) goto wrong;
    for (; k < known->n_axes; k++) name[k] = known->axes[k].name, size[k] = known->axes[k].size;
    for (int64_t d = 0; d < known->n_devices; d++) if (known->device_order[d] != d) goto wrong;
  } else {
    if (!text_field(&m->scan, mesh, "axes", &list) || text_field(&m->scan, mesh, "device_ids", &v)) goto wrong;
    const char *end = list.at + list.len;
    for (s.p = list.at + 1; s.p < end && *s.p != ']' && k < 64; k++) {
      Text axis, field;
      const int64_t *number;
      uint32_t one;
      if (!text_value(&s, &axis) || !text_field(&m->scan, axis, "name", &field)) goto wrong;
      name[k] = text_unquote(field);
      if (!text_field(&m->scan, axis, "size", &field) || !dense_ints(l->f->m, field, &number, &one, NULL) || !one)
        goto wrong;
      size[k] = *number;
      scan_try(&s, ',');
      scan_space(&s);
    }
  }
  for (uint32_t i = 0; i < k; i++)
    if (size[i] < 1 || __builtin_mul_overflow(total, size[i], &total) || total > MAX_DEVICES) goto wrong;
  const char *end = axes.at + axes.len;
  for (s.p = axes.at + 1; s.p < end && *s.p != ']' && n_order < 64; n_order++) {
    Text axis, field;
    uint32_t i = 0;
    scan_space(&s);
    if (!text_value(&s, &axis) || !text_field(&m->scan, axis, "name", &field)) goto wrong;
    if (text_field(&m->scan, axis, "sub_axis_info", &v)) goto wrong;
    while (i < k && name[i] != text_unquote(field)) i++;
    if (i == k) goto wrong;
    for (uint32_t j = 0; j < n_order; j++) if (order[j] == i) goto wrong;
    order[n_order] = i;
    inner *= size[i];
    scan_try(&s, ',');
    scan_space(&s);
  }
  int64_t *ids = ARENA_ARRAY(l->f->arena, int64_t, total);
  int64_t digits[64], outer[64];
  uint32_t n_outer = 0;
  for (uint32_t i = 0; i < k; i++) {
    bool listed = false;
    for (uint32_t j = 0; j < n_order; j++) listed |= order[j] == i;
    if (!listed) outer[n_outer++] = i;
  }
  for (int64_t at = 0; at < total; at++) {
    int64_t rest = at, d = 0;
    for (uint32_t j = n_order; j-- > 0; rest /= size[order[j]]) digits[order[j]] = rest % size[order[j]];
    for (uint32_t j = n_outer; j-- > 0; rest /= size[outer[j]]) digits[outer[j]] = rest % size[outer[j]];
    for (uint32_t i = 0; i < k; i++) d = d * size[i] + digits[i];
    ids[at] = d;
  }
  *out = ids;
  *n = (uint32_t)total;
  *columns = inner;
  return true;
wrong:
  return LOW_ERROR(l, E_COLLECTIVE, "these groups over axes of a mesh are not read");
}

/* Every device at most once (of every second number, if pairs), in range. */
static bool check_numbers(Low *l, const int64_t *ids, uint32_t n, bool pairs) {
  Flow *f = l->f;
  int64_t most = -1;
  for (uint32_t k = 0; k < n; k++) {
    if (ids[k] == -1) return LOW_ERROR(l, E_UNSUPPORTED, "groups of different sizes are not read");
    if (ids[k] < 0 || ids[k] >= MAX_DEVICES || (f->n_devices && ids[k] >= f->n_devices))
      return LOW_ERROR(l, E_COLLECTIVE, "device %lld does not exist: there are %lld", (long long)ids[k],
                       (long long)f->n_devices);
    if (ids[k] > most) most = ids[k];
  }
  if (most > f->most) f->most = most;
  uint8_t *seen = xcalloc((size_t)most + 1, 1);
  bool ok = true;
  for (uint32_t k = 0; k < n && ok; k++) {
    uint8_t bit = pairs && k % 2 ? 2 : 1;
    if (seen[ids[k]] & bit) ok = LOW_ERROR(l, E_COLLECTIVE, "device %lld is listed twice", (long long)ids[k]);
    seen[ids[k]] |= bit;
  }
  free(seen);
  if (ok && !pairs && f->n_devices && n != f->n_devices)
    return LOW_ERROR(l, E_COLLECTIVE, "the groups hold %u of %lld devices", n, (long long)f->n_devices);
  if (!f->n_devices && !pairs) f->n_devices = n;
  return ok;
}

/* The attribute of device numbers: `replica_groups` or `source_target_pairs`. */
static bool numbers(Low *l, bool flagged, bool pairs) {
  const char *name = pairs ? "source_target_pairs" : "replica_groups";
  Flow *f = l->f;
  Ids ids = ids_of(l, flagged);
  const MlirAttr *a = low_attr(l, name, NULL);
  const int64_t *list = NULL;
  uint32_t n = 0;
  int64_t columns = 0, most = -1;
  if (!a) return LOW_ERROR(l, E_ATTRIBUTE, "%.*s needs the attribute '%s'", (int)l->op->op.len, l->op->op.at, name);
  bool axes = *a->value.at == '#';
  if (axes ? !axis_groups(l, a->value, &list, &n, &columns) : !dense_ints(f->m, a->value, &list, &n, &columns))
    return false;
  for (uint32_t k = 0; k < n; k++) most = list[k] > most ? list[k] : most;
  bool replicas = (ids == IDS_REPLICAS || ids == IDS_REPLICAS_OF_ALL) && most != 0;
  if (!settle(l, replicas ? DEVICES_REPLICAS : DEVICES_PARTITIONS)) return false;
  bool same = ids == IDS_GLOBAL || (f->kind == DEVICES_REPLICAS ? ids != IDS_PARTITIONS : ids == IDS_PARTITIONS);
  if (!same && most > 0)
    return LOW_ERROR(l, E_UNSUPPORTED, "the numbers are those of %s, of which the program has one",
                     f->kind == DEVICES_REPLICAS ? "partitions" : "replicas");
  if (pairs && columns != 2 && n) return LOW_ERROR(l, E_COLLECTIVE, "pairs of devices are expected");
  if (same && n) {
    if (!check_numbers(l, list, n, pairs)) return false;
  } else if (!(pairs && !n)) { /* everyone, or each on its own */
    if (!f->n_devices) return LOW_ERROR(l, E_COLLECTIVE, "the number of devices is not known");
    n = (uint32_t)(pairs ? 2 * f->n_devices : f->n_devices);
    int64_t *all = ARENA_ARRAY(f->arena, int64_t, n);
    for (uint32_t k = 0; k < n; k++) all[k] = pairs ? k / 2 : k;
    list = all;
    columns = same || ids == IDS_REPLICAS_OF_ALL ? n : 1;
  }
  low_add(l, (Attr){.name = sym(name), .kind = pairs ? ATTR_PAIRS : ATTR_GROUPS, .ints = list, .n = n,
                    .i = pairs ? 0 : columns});
  return true;
}

/* What a collective with an unknown attribute reads of other devices is not known. */
static bool nothing_left(Low *l) {
  Sym unknown = low_rest(l, true);
  return !unknown || LOW_ERROR(l, E_UNSUPPORTED, "a collective with attribute '%s' is not read", sym_text(unknown));
}

/* One node for each operand. */
static bool each(Low *l) {
  if (l->op->n_args != l->op->n_results)
    return LOW_ERROR(l, E_SHAPE, "%u operands and %u results", l->op->n_args, l->op->n_results);
  if (!nothing_left(l)) return false;
  for (uint32_t k = 0; k < l->op->n_results; k++) {
    const MlirType *t = l->op->types[k];
    low_set(l, k, low_node(l, l->what, t->dtype, t->dims, t->rank, 0, &l->args[k], 1, l->attrs, l->n_attrs));
  }
  return true;
}

static bool along(Low *l, const char *name) {
  int64_t d;
  if (!low_int(l, name, NULL, true, 0, &d)) return false;
  low_add_ints(l, "dimensions", &d, 1);
  return true;
}

bool become_collective(Low *l) {
  bool reduces = l->what == sym("all_reduce");
  return numbers(l, reduces, false) && (!reduces || region_add(l)) && each(l);
}
bool become_gather_all(Low *l) { return numbers(l, true, false) && along(l, "all_gather_dim") && each(l); }
bool become_scatter_all(Low *l) {
  return numbers(l, true, false) && along(l, "scatter_dimension") && region_add(l) && each(l);
}
bool become_permute(Low *l) { return numbers(l, false, true) && each(l); }

/* The parts of dimension `split` are exchanged and put together along `concat`: where these differ, the parts become a
 * dimension of their own, before `concat`, which is exchanged and then merged. */
bool become_exchange(Low *l) {
  int64_t split, concat, count, dims[MAX_RANK + 1], order[MAX_RANK + 1];
  if (!numbers(l, false, false)) return false;
  if (!low_int(l, "split_dimension", NULL, true, 0, &split) || !low_int(l, "split_count", NULL, true, 0, &count) ||
      !low_int(l, "concat_dimension", NULL, true, 0, &concat))
    return false;
  for (uint32_t k = 0; k < l->op->n_args; k++) {
    const MlirType *t = low_type(l, k);
    bool ok = split >= 0 && split < t->rank && concat >= 0 && concat < t->rank && count > 0 && t->rank < MAX_RANK;
    if (!ok || t->dims[split] % count)
      return LOW_ERROR(l, E_SHAPE, "the operand cannot be split into %lld parts", (long long)count);
  }
  if (count != l->attrs[0].i) return LOW_ERROR(l, E_COLLECTIVE, "split_count is not the size of the groups");
  if (split == concat) {
    low_add_ints(l, "dimensions", &split, 1);
    return each(l);
  }
  if (!nothing_left(l)) return false;
  if (l->op->n_args != l->op->n_results) return LOW_ERROR(l, E_SHAPE, "as many results as operands are expected");
  for (uint32_t k = 0; k < l->op->n_args; k++) {
    const MlirType *t = low_type(l, k), *out = l->op->types[k];
    uint32_t rank = t->rank + 1u, n = 0;
    for (int64_t d = 0; d < t->rank; d++) {
      if (d == split) dims[n++] = count;
      dims[n++] = d == split ? t->dims[d] / count : t->dims[d];
    }
    NodeId x = low_reshape(l, l->args[k], dims, rank);
    int64_t moved[MAX_RANK + 1], place = concat;
    for (int64_t d = 0, at = 0; d < t->rank; d++) { /* dimension d stands behind the parts if it is split or later */
      if (d == concat) place = at, order[at++] = split;
      order[at++] = d < split ? d : d + 1;
    }
    for (uint32_t d = 0; d < rank; d++) moved[d] = dims[order[d]];
    Attr by = {.name = sym("dimensions"), .kind = ATTR_INTS, .ints = order, .n = rank}, both[2] = {l->attrs[0], by};
    x = low_node(l, sym("transpose"), t->dtype, moved, rank, 0, &x, 1, &by, 1);
    both[1].ints = &place;
    both[1].n = 1;
    x = low_node(l, l->what, t->dtype, moved, rank, 0, &x, 1, both, 2);
    moved[place + 1] *= count;
    bool same = out->rank == t->rank;
    for (uint32_t d = 0; same && d < out->rank; d++) same = out->dims[d] == moved[d < place ? d : d + 1];
    if (!same) return LOW_ERROR(l, E_SHAPE, "the result has not the dimensions of the exchanged operand");
    low_set(l, k, low_reshape(l, x, out->dims, out->rank));
  }
  return true;
}

bool become_device(Low *l) {
  bool replica = text_equals(l->op->op, "stablehlo.replica_id");
  if (!settle(l, replica ? DEVICES_REPLICAS : DEVICES_PARTITIONS)) return false;
  if (low_out(l)->rank || !dtype_is_int(low_out(l)->dtype))
    return LOW_ERROR(l, E_SHAPE, "the number of a device is a scalar");
  if (replica == (l->f->kind == DEVICES_REPLICAS)) return low_results(l);
  low_set(l, 0, low_constant(l, low_out(l), RAT_0));
  return true;
}
