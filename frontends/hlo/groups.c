/* Device numbers as written: replica groups in three spellings, source-target pairs.
 *
 *   {{0,1},{2,3}}                                     lists; {} is everyone
 *   [2,4]<=[4,2]T(1,0)                                an iota of the second shape, transposed, read as groups x size
 *   mesh['x'=2,'y'=4], device_ids=(..) {'y','x':(1)2} the listed (sub-)axes vary within a group, in listed order
 *
 * What the numbers mean is decided in devices.c. */
#include "frontends/hlo/parser.h"

/* n1,n2,.. up to `close` into p->ints (cleared first). */
static bool parse_list(Parser *p, char close) {
  Scan *s = &p->s;
  vec_clear(&p->ints);
  while (!scan_try(s, close)) {
    int64_t n;
    if (p->ints.len && !scan_expect(s, ',', "between numbers")) return false;
    if (!scan_int(s, &n)) return false;
    vec_push(&p->ints, n);
  }
  return true;
}

/* Product of the sizes in p->ints; 0 and a report if it is no possible number of devices. */
static int64_t product(Parser *p, const char *lo) {
  int64_t n = 1;
  for (size_t k = 0; k < p->ints.len; k++) {
    if (p->ints.at[k] <= 0 || p->ints.at[k] > MAX_DEVICES || (n *= p->ints.at[k]) > MAX_DEVICES) {
      SCAN_ERROR(&p->s, lo, p->s.p, E_SIZE, "not a possible number of devices");
      return 0;
    }
  }
  return n;
}

/* An iota of shape p->ints, perhaps transposed by the T(..) that follows: all entries, row-major; *n of them. */
static const int64_t *parse_iota(Parser *p, const char *lo, int64_t *n) {
  Scan *s = &p->s;
  int64_t dims[MAX_RANK], stride[MAX_RANK], at[MAX_RANK] = {0};
  if (!(*n = product(p, lo))) return NULL;
  size_t rank = p->ints.len;
  if (rank > MAX_RANK) return SCAN_ERROR(s, lo, s->p, E_SIZE, "more than %d dimensions", MAX_RANK), NULL;
  int64_t step = 1;
  for (size_t k = rank; k-- > 0; step *= dims[k]) {
    dims[k] = p->ints.at[k];
    stride[k] = step;
  }
  if (scan_try(s, 'T')) {
    int64_t d[MAX_RANK], st[MAX_RANK];
    uint64_t seen = 0;
    if (!scan_expect(s, '(', "before a permutation") || !parse_list(p, ')')) return NULL;
    bool ok = p->ints.len == rank;
    for (size_t k = 0; ok && k < rank; k++) {
      int64_t q = p->ints.at[k];
      ok = q >= 0 && q < (int64_t)rank && !(seen >> q & 1);
      if (!ok) break;
      seen |= UINT64_C(1) << q;
      d[k] = dims[q];
      st[k] = stride[q];
    }
    if (!ok) return SCAN_ERROR(s, lo, s->p, E_ATTRIBUTE, "T(..) is not a permutation of the dimensions"), NULL;
    memcpy(dims, d, rank * sizeof *d);
    memcpy(stride, st, rank * sizeof *st);
  }
  int64_t *out = ARENA_ARRAY(p->arena, int64_t, *n);
  for (int64_t i = 0, v = 0; i < *n; i++) {
    out[i] = v;
    for (size_t k = rank; k-- > 0;) {
      v += stride[k];
      if (++at[k] < dims[k]) break;
      v -= stride[k] * dims[k];
      at[k] = 0;
    }
  }
  return out;
}

/* {{..},{..}} */
static bool parse_lists(Parser *p, Attr *out) {
  Scan *s = &p->s;
  const char *lo = s->p++;
  vec_clear(&p->ints);
  int64_t size = 0;
  for (size_t g = 0; !scan_try(s, '}'); g++) {
    size_t base = p->ints.len;
    if (g && !scan_expect(s, ',', "between groups")) return false;
    if (!scan_expect(s, '{', "before a group")) return false;
    for (bool first = true; !scan_try(s, '}'); first = false) {
      int64_t n;
      if (!first && !scan_expect(s, ',', "between devices")) return false;
      if (!scan_int(s, &n)) return false;
      vec_push(&p->ints, n);
    }
    int64_t len = (int64_t)(p->ints.len - base);
    if (!len) return SCAN_ERROR(s, lo, s->p, E_ATTRIBUTE, "a group is empty");
    if (g && len != size) return SCAN_ERROR(s, lo, s->p, E_UNSUPPORTED, "the groups have different sizes");
    size = len;
  }
  out->i = size;
  out->n = (uint32_t)p->ints.len;
  out->ints = arena_copy(p->arena, p->ints.at, p->ints.len * sizeof *p->ints.at);
  return true;
}

/* [groups,size]<=[dims]T(perm) */
static bool parse_tiled(Parser *p, Attr *out) {
  Scan *s = &p->s;
  const char *lo = s->p++;
  int64_t n;
  if (!parse_list(p, ']')) return false;
  if (p->ints.len != 2) return SCAN_ERROR(s, lo, s->p, E_ATTRIBUTE, "expected [groups,size]");
  int64_t groups = p->ints.at[0], size = p->ints.at[1];
  if (!product(p, lo) || !scan_expect(s, '<', "behind [groups,size]") || !scan_expect(s, '=', "behind [groups,size]"))
    return false;
  if (!scan_expect(s, '[', "before the shape of the devices") || !parse_list(p, ']')) return false;
  if (!(out->ints = parse_iota(p, lo, &n))) return false;
  if (n != groups * size) return SCAN_ERROR(s, lo, s->p, E_ATTRIBUTE, "%lld x %lld groups of %lld devices",
                                            (long long)groups, (long long)size, (long long)n);
  out->i = size;
  out->n = (uint32_t)n;
  return true;
}

typedef struct MeshAxis {
  Text name;
  int64_t size, step; /* step: row-major stride in the mesh */
} MeshAxis;

/* A run of digits of an axis: (position / step) % size. */
typedef struct Digits {
  int64_t size, step;
} Digits;

static bool parse_quoted(Parser *p, Text *out) {
  Scan *s = &p->s;
  if (!scan_expect(s, '\'', "before the name of an axis")) return false;
  const char *q = s->p;
  while (*q && *q != '\'' && *q != '\n') q++;
  *out = (Text){s->p, (uint32_t)(q - s->p)};
  s->p = q;
  return scan_expect(s, '\'', "behind the name of an axis");
}

static bool parse_mesh_axes(Parser *p, MeshAxis *axes, size_t *n) {
  Scan *s = &p->s;
  const char *lo = s->p;
  if (!scan_expect(s, '[', "behind 'mesh'")) return false;
  Vec(int64_t) sizes = {0};
  bool ok = true;
  for (*n = 0; ok && !scan_try(s, ']'); ++*n) {
    ok = (!*n || scan_expect(s, ',', "between axes")) && parse_quoted(p, &axes[*n].name) &&
         scan_expect(s, '=', "behind the name of an axis") && scan_int(s, &axes[*n].size);
    if (ok && *n + 1 == MAX_RANK) ok = SCAN_ERROR(s, lo, s->p, E_SIZE, "more than %d axes", MAX_RANK - 1);
    if (ok) vec_push(&sizes, axes[*n].size);
  }
  vec_clear(&p->ints);
  for (size_t k = 0; k < sizes.len; k++) vec_push(&p->ints, sizes.at[k]);
  vec_free(&sizes);
  if (!ok || !product(p, lo)) return false;
  int64_t step = 1;
  for (size_t k = *n; k-- > 0; step *= axes[k].size) axes[k].step = step;
  return true;
}

/* {'y','x':(1)2}: digit runs in listed order; *size their product. */
static bool parse_axis_list(Parser *p, const MeshAxis *axes, size_t n_axes, Digits *d, size_t *n, int64_t *size) {
  Scan *s = &p->s;
  *size = 1;
  if (!scan_expect(s, '{', "before the axes of the groups")) return false;
  for (*n = 0; !scan_try(s, '}'); ++*n) {
    Text name;
    const char *lo = s->p;
    if (*n == MAX_RANK) return SCAN_ERROR(s, lo, s->p, E_SIZE, "more than %d axes", MAX_RANK);
    if ((*n && !scan_expect(s, ',', "between axes")) || !parse_quoted(p, &name)) return false;
    size_t k = 0;
    while (k < n_axes && !scan_is(axes[k].name, name.at, name.len)) k++;
    if (k == n_axes) return SCAN_ERROR(s, lo, s->p, E_AXIS, "the mesh has no axis '%.*s'", (int)name.len, name.at);
    int64_t before = 1, part = axes[k].size;
    if (scan_try(s, ':') && !(scan_expect(s, '(', "before a sub-axis") && scan_int(s, &before) &&
                              scan_expect(s, ')', "within a sub-axis") && scan_int(s, &part)))
      return false;
    if (before <= 0 || part <= 0 || before > MAX_DEVICES || part > MAX_DEVICES || axes[k].size % (before * part))
      return SCAN_ERROR(s, lo, s->p, E_ATTRIBUTE, "the sub-axis does not divide axis '%.*s'", (int)name.len, name.at);
    d[*n] = (Digits){part, axes[k].step * (axes[k].size / (before * part))};
    if ((*size *= part) > MAX_DEVICES) return SCAN_ERROR(s, lo, s->p, E_SIZE, "not a possible number of devices");
  }
  return true;
}

/* mesh[..], device_ids=(..) {..}: the digits of the listed axes are the position in the group, the rest the group. */
static bool parse_mesh(Parser *p, Attr *out) {
  Scan *s = &p->s;
  const char *lo = s->p - 4;
  MeshAxis axes[MAX_RANK];
  Digits d[MAX_RANK];
  size_t n_axes, n_digits;
  int64_t size, total = 1;
  if (!parse_mesh_axes(p, axes, &n_axes)) return false;
  for (size_t k = 0; k < n_axes; k++) total *= axes[k].size;
  const int64_t *ids = NULL;
  if (scan_try(s, ',')) {
    Text word;
    int64_t n = 0;
    if (!scan_name(s, &word, "device_ids") || !scan_expect(s, '=', "behind device_ids")) return false;
    if (!scan_expect(s, '(', "behind device_ids")) return false;
    if (scan_try(s, '[')) {
      if (!parse_list(p, ']') || !(ids = parse_iota(p, lo, &n)) || !scan_expect(s, ')', "behind the devices"))
        return false;
    } else {
      if (!parse_list(p, ')')) return false;
      n = (int64_t)p->ints.len;
      ids = arena_copy(p->arena, p->ints.at, p->ints.len * sizeof *p->ints.at);
    }
    if (n != total)
      return SCAN_ERROR(s, lo, s->p, E_MESH, "%lld devices for a mesh of %lld", (long long)n, (long long)total);
  }
  if (!parse_axis_list(p, axes, n_axes, d, &n_digits, &size)) return false;
  int64_t *groups = ARENA_ARRAY(p->arena, int64_t, total), *number = ARENA_ARRAY(p->arena, int64_t, total);
  int64_t n_groups = 0;
  for (int64_t i = 0; i < total; i++) groups[i] = -1;
  for (int64_t i = 0; i < total; i++) {
    int64_t leader = i, at = 0;
    for (size_t k = 0; k < n_digits; k++) {
      int64_t digit = i / d[k].step % d[k].size;
      leader -= digit * d[k].step;
      at = at * d[k].size + digit;
    }
    bool ok = leader >= 0 && leader <= i;
    if (ok && leader == i) number[i] = n_groups++;
    ok = ok && number[leader] * size + at < total && groups[number[leader] * size + at] < 0;
    if (!ok) return SCAN_ERROR(s, lo, s->p, E_ATTRIBUTE, "the axes of the groups overlap");
    groups[number[leader] * size + at] = ids ? ids[i] : i;
  }
  *out = (Attr){.name = out->name, .kind = ATTR_GROUPS, .i = size, .n = (uint32_t)total, .ints = groups};
  return true;
}

/* How far the groups at the cursor reach: the key under which they are kept. */
static Text extent(const Scan *s) {
  Scan at = *s;
  if (*at.p == '{') {
    size_t depth = 0;
    do {
      depth += (size_t)(*at.p == '{') - (size_t)(*at.p == '}');
    } while (*at.p && *at.p++ && depth);
  } else if (*at.p == 'm') {
    while (*at.p && *at.p != '}' && *at.p != '\n') at.p++;
  } else {
    for (size_t depth = 0; *at.p && *at.p != '\n' && (depth || (*at.p != ',' && *at.p != ' ')); at.p++)
      depth += (size_t)(*at.p == '[' || *at.p == '(') - (size_t)(*at.p == ']' || *at.p == ')');
  }
  return (Text){s->p, (uint32_t)(at.p - s->p)};
}

static bool parse_groups(Parser *p, Attr *out) {
  Scan *s = &p->s;
  Text word;
  if (*s->p == 'm') return scan_name(s, &word, "replica groups") && parse_mesh(p, out);
  if (*s->p == '[') return parse_tiled(p, out);
  if (*s->p == '{') return parse_lists(p, out);
  return SCAN_ERROR(s, s->p, *s->p ? s->p + 1 : s->p, E_GRAPH_SYNTAX, "expected replica groups");
}

/* Keeps a list, after checking that no device stands in it twice on the same side. */
static const DeviceList *keep(Parser *p, const Attr *a, const char *lo) {
  Scan *s = &p->s;
  uint32_t step = a->kind == ATTR_PAIRS ? 2 : 1;
  DeviceList *list = ARENA_NEW(p->arena, DeviceList);
  *list = (DeviceList){a->ints, a->n, a->i, -1};
  p->n_group_devices += a->n;
  if (p->n_group_devices > MAX_GROUP_DEVICES)
    return SCAN_ERROR(s, lo, s->p, E_LIMIT, "the module lists more than %d devices", MAX_GROUP_DEVICES), NULL;
  p->now++;
  for (uint32_t k = 0; k < a->n; k++) {
    int64_t d = a->ints[k];
    if (d < 0 || d >= MAX_DEVICES)
      return SCAN_ERROR(s, lo, s->p, E_COLLECTIVE, "%lld is no device", (long long)d), NULL;
    if (d > list->most) list->most = d;
    while (p->stamps.len <= 2 * (size_t)d + 1) vec_push(&p->stamps, 0);
    uint32_t *stamp = &p->stamps.at[2 * d + k % step];
    if (*stamp == p->now)
      return SCAN_ERROR(s, lo, s->p, E_COLLECTIVE, "device %lld stands twice", (long long)d), NULL;
    *stamp = p->now;
  }
  return list;
}

bool groups_parse(Parser *p, Attr *out) {
  Scan *s = &p->s;
  scan_space(s);
  const char *lo = s->p;
  Text text = extent(s);
  out->kind = ATTR_GROUPS;
  const DeviceList *known = *textmap_at(&p->groups, text);
  uint32_t len = text.len + (*lo == 'm'); /* the closing brace */
  if (known) {
    *out = (Attr){.name = out->name, .kind = ATTR_GROUPS, .i = known->size, .n = known->n, .ints = known->ints};
    s->p += len;
  } else {
    if (!parse_groups(p, out) || !(known = keep(p, out, lo))) return false;
    if ((size_t)(s->p - lo) == len) *textmap_at(&p->groups, text) = known;
  }
  p->devices = known;
  return true;
}

bool pairs_parse(Parser *p, Attr *out) {
  Scan *s = &p->s;
  scan_space(s);
  const char *lo = s->p;
  if (*lo != '{') return scan_expect(s, '{', "before source-target pairs");
  if (!parse_lists(p, out)) return false;
  if (out->n && out->i != 2) return SCAN_ERROR(s, lo, s->p, E_ATTRIBUTE, "a source-target pair has two devices");
  out->kind = ATTR_PAIRS;
  out->i = 0;
  return (p->devices = keep(p, out, lo)) != NULL;
}
