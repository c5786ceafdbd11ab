/* Mesh digits: the cuts of each axis as a divisor chain, and what they can express.
 *
 * A grouping is read from its first group: the positions of its members, relative to the first, factor into runs of
 * constant stride (minor to major); a run is a digit, or several when it spans axes.  A vector is affine in digits if
 * it is a sum of functions of one axis each, and each of those is linear in runs.  Both only propose cuts: what is
 * expressed with them is checked on all devices. */
#include "eval/digits/meshdigits.h"

#include "eval/digits/intvecs.h"

enum { MAX_RUNS = 64 }; /* a run is at least 2 long, so 63 of them exceed any number of devices */

typedef struct Run {
  int64_t stride, size;
} Run;

typedef struct Position {
  bool known, regular;
  MeshList list;
} Position;

struct MeshDigits {
  const Mesh *mesh;
  bool valid;          /* device_order is a permutation; otherwise nothing is regular or affine */
  int64_t *position;   /* of each device */
  int64_t *axis_stride;
  Vec(int64_t) *cuts;  /* per axis, ascending */
  Vec(MeshDigit) digits;
  uint32_t *first, *count; /* per axis */
  IntVecs groupings;       /* group size, then the devices */
  Vec(Position) positions; /* by number of the grouping */
  IntVecs seen;            /* vectors whose cuts are made */
  Vec(bool) affine;        /* by number of the vector */
  Arena arena;
};

MeshDigits *meshdigits_new(const Mesh *m) {
  MeshDigits *md = xcalloc(1, sizeof *md);
  int64_t n = m->n_devices, stride = n;
  md->mesh = m;
  md->position = ARENA_ARRAY(&md->arena, int64_t, n);
  md->axis_stride = ARENA_ARRAY(&md->arena, int64_t, m->n_axes);
  md->cuts = arena_alloc(&md->arena, m->n_axes * sizeof *md->cuts);
  md->first = ARENA_ARRAY(&md->arena, uint32_t, m->n_axes);
  md->count = ARENA_ARRAY(&md->arena, uint32_t, m->n_axes);
  md->valid = n > 0;
  for (uint32_t a = 0; a < m->n_axes && md->valid; a++) {
    if (m->axes[a].size <= 0 || stride % m->axes[a].size) md->valid = false;
    else md->axis_stride[a] = stride /= m->axes[a].size;
  }
  if (stride != 1) md->valid = false;
  for (int64_t d = 0; d < n; d++) md->position[d] = -1;
  for (int64_t r = 0; r < n && md->valid; r++) {
    int64_t d = m->device_order[r];
    if (d < 0 || d >= n || md->position[d] >= 0) md->valid = false;
    else md->position[d] = r;
  }
  meshdigits_settle(md);
  return md;
}

void meshdigits_free(MeshDigits *md) {
  if (!md) return;
  for (uint32_t a = 0; a < md->mesh->n_axes; a++) vec_free(&md->cuts[a]);
  vec_free(&md->digits);
  vec_free(&md->positions);
  vec_free(&md->affine);
  intvecs_free(&md->groupings);
  intvecs_free(&md->seen);
  arena_free(&md->arena);
  free(md);
}

/* ---- cuts */

bool meshdigits_need_cut(MeshDigits *md, uint32_t axis, int64_t stride) {
  int64_t n = md->mesh->axes[axis].size;
  if (stride == 1 || stride == n) return true;
  if (!md->valid || stride < 1 || stride > n || n % stride) return false;
  size_t k = 0, len = md->cuts[axis].len;
  const int64_t *at = md->cuts[axis].at;
  while (k < len && at[k] < stride) k++;
  if (k < len && at[k] == stride) return true;
  if ((k > 0 && stride % at[k - 1]) || (k < len && at[k] % stride)) return false;
  vec_push(&md->cuts[axis], stride);
  for (size_t i = len; i > k; i--) md->cuts[axis].at[i] = md->cuts[axis].at[i - 1];
  md->cuts[axis].at[k] = stride;
  return true;
}

void meshdigits_settle(MeshDigits *md) {
  vec_clear(&md->digits);
  vec_clear(&md->positions);
  for (uint32_t a = 0; a < md->mesh->n_axes; a++) {
    int64_t n = md->mesh->axes[a].size;
    size_t len = md->cuts[a].len;
    md->first[a] = (uint32_t)md->digits.len;
    md->count[a] = n > 1 && md->valid ? (uint32_t)len + 1 : 0;
    for (size_t k = 0; k < md->count[a]; k++) { /* major to minor */
      int64_t lo = k == len ? 1 : md->cuts[a].at[len - 1 - k], hi = k == 0 ? n : md->cuts[a].at[len - k];
      vec_push(&md->digits, (MeshDigit){a, hi / lo, md->axis_stride[a] * lo});
    }
  }
}

/* ---- replica groups */

/* The first group as runs, minor to major; false: it is none. */
static bool group_runs(const MeshDigits *md, const Attr *groups, Run *run, int *n_runs) {
  int64_t k = groups->i, n = md->mesh->n_devices;
  *n_runs = 0;
  if (!md->valid || k < 1 || groups->n == 0 || groups->n % k || groups->n != n) return false;
  for (int64_t p = 0; p < k; p++)
    if (groups->ints[p] < 0 || groups->ints[p] >= n) return false;
  const int64_t *pos = md->position, *g = groups->ints;
  for (int64_t at = 1; at < k;) {
    int64_t stride = pos[g[at]] - pos[g[0]], len = 2;
    while (len * at < k && pos[g[len * at]] - pos[g[0]] == len * stride) len++;
    if (stride <= 0 || k % (at * len) || *n_runs == MAX_RUNS) return false;
    run[(*n_runs)++] = (Run){stride, len};
    at *= len;
  }
  return true;
}

bool meshdigits_need_groups(MeshDigits *md, const Attr *groups) {
  Run run[MAX_RUNS];
  int n_runs;
  if (!group_runs(md, groups, run, &n_runs)) return false;
  for (int i = 0; i < n_runs; i++) {
    int64_t stride = run[i].stride, left = run[i].size;
    for (uint32_t a = md->mesh->n_axes; a-- > 0 && left > 1;) {
      int64_t unit = md->axis_stride[a], size = md->mesh->axes[a].size;
      if (stride >= unit * size) continue;
      if (stride < unit || stride % unit) return false;
      int64_t lo = stride / unit, part = left < size / lo ? left : size / lo;
      if (left % part || !meshdigits_need_cut(md, a, lo) || !meshdigits_need_cut(md, a, lo * part)) return false;
      left /= part;
      stride *= part;
    }
    if (left > 1) return false;
  }
  return true;
}

/* Digits of the runs, major to minor; false: some run is no run of digits. */
static bool runs_to_digits(MeshDigits *md, const Run *run, int n_runs, MeshList *out) {
  uint32_t digit[MAX_RUNS], n = 0;
  for (int i = 0; i < n_runs; i++) {
    int64_t stride = run[i].stride, left = run[i].size;
    for (size_t d = md->digits.len; d-- > 0 && left > 1;) {
      const MeshDigit *m = &md->digits.at[d];
      if (m->stride != stride) continue;
      if (left % m->size || n == MAX_RUNS) return false;
      digit[n++] = (uint32_t)d;
      left /= m->size;
      stride *= m->size;
    }
    if (left > 1) return false;
  }
  uint32_t *list = ARENA_ARRAY(&md->arena, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) list[i] = digit[n - 1 - i];
  *out = (MeshList){n, list};
  return true;
}

static int64_t digit_at(const MeshDigits *md, uint32_t digit, int64_t position) {
  const MeshDigit *m = &md->digits.at[digit];
  return position / m->stride % m->size;
}

/* Every group in full: member p is p in the digits above the group's first device, which is 0 in all of them. */
static bool groups_agree(const MeshDigits *md, const Attr *groups, MeshList list) {
  int64_t k = groups->i, n = md->mesh->n_devices;
  int64_t *offset = xcalloc((size_t)k, sizeof *offset);
  bool *seen = xcalloc((size_t)n, sizeof *seen), ok = true;
  for (int64_t p = 0; p < k; p++) {
    int64_t rest = p;
    for (uint32_t i = list.n; i-- > 0;) {
      const MeshDigit *m = &md->digits.at[list.digit[i]];
      offset[p] += rest % m->size * m->stride;
      rest /= m->size;
    }
  }
  for (int64_t at = 0; at < n && ok; at += k) {
    int64_t base = -1;
    for (int64_t p = 0; p < k && ok; p++) {
      int64_t device = groups->ints[at + p];
      ok = device >= 0 && device < n && !seen[device];
      if (!ok) break;
      seen[device] = true;
      if (p == 0) {
        base = md->position[device];
        for (uint32_t i = 0; i < list.n; i++) ok = ok && digit_at(md, list.digit[i], base) == 0;
      }
      ok = ok && md->position[device] == base + offset[p];
    }
  }
  free(offset);
  free(seen);
  return ok;
}

bool meshdigits_position(MeshDigits *md, const Attr *groups, MeshList *out) {
  *out = (MeshList){0};
  if (!groups || groups->kind != ATTR_GROUPS) return false;
  int64_t *key = xmalloc((groups->n + 1) * sizeof *key);
  key[0] = groups->i;
  if (groups->n) memcpy(key + 1, groups->ints, groups->n * sizeof *key);
  uint32_t id = intvecs_put(&md->groupings, key, groups->n + 1);
  free(key);
  while (md->positions.len <= id) vec_push(&md->positions, (Position){0});
  Position *p = &md->positions.at[id];
  if (!p->known) {
    Run run[MAX_RUNS];
    int n_runs;
    p->known = true;
    p->regular = group_runs(md, groups, run, &n_runs) && runs_to_digits(md, run, n_runs, &p->list) &&
                 groups_agree(md, groups, p->list);
  }
  if (p->regular) *out = p->list;
  return p->regular;
}

/* ---- vectors over devices */

enum { VALUE_BITS = 61 }; /* larger values are not fitted: differences must stay exact */

static bool small_values(const MeshDigits *md, const int64_t *v) {
  const int64_t bound = INT64_C(1) << VALUE_BITS;
  for (int64_t d = 0; d < md->mesh->n_devices; d++)
    if (v[d] >= bound || v[d] <= -bound) return false;
  return true;
}

/* f(x), x < n, f(0) == 0, as runs: linear in digits of sizes run[i].size, minor to major. */
static bool function_runs(const int64_t *f, int64_t n, Run *run, int *n_runs) {
  *n_runs = 0;
  for (int64_t step = 1; step < n;) {
    int64_t w = f[step], m = 2;
    while (m * step < n && f[m * step] == (__int128)m * w) m++;
    if (n % (m * step) || *n_runs == MAX_RUNS) return false;
    run[(*n_runs)++] = (Run){step, m};
    step *= m;
  }
  for (int64_t x = 0; x < n; x++) {
    __int128 sum = 0;
    for (int i = 0; i < *n_runs; i++) sum += (__int128)(x / run[i].stride % run[i].size) * f[run[i].stride];
    if (sum != f[x]) return false;
  }
  return true;
}

/* v is v(0) plus a function of each axis alone (f, one after another). */
static bool is_separable(const MeshDigits *md, const int64_t *v, const int64_t *f) {
  const Mesh *m = md->mesh;
  int64_t v0 = v[m->device_order[0]];
  for (int64_t r = 0; r < m->n_devices; r++) {
    __int128 sum = v0;
    const int64_t *fa = f;
    for (uint32_t a = 0; a < m->n_axes; a++) {
      sum += fa[r / md->axis_stride[a] % m->axes[a].size];
      fa += m->axes[a].size;
    }
    if (sum != v[m->device_order[r]]) return false;
  }
  return true;
}

static bool cut_for(MeshDigits *md, const int64_t *v) {
  const Mesh *m = md->mesh;
  size_t total = 0, at = 0;
  for (uint32_t a = 0; a < m->n_axes; a++) total += (size_t)m->axes[a].size;
  int64_t *f = xmalloc(total * sizeof *f), v0 = v[m->device_order[0]];
  for (uint32_t a = 0; a < m->n_axes; a++)
    for (int64_t x = 0; x < m->axes[a].size; x++) f[at++] = v[m->device_order[x * md->axis_stride[a]]] - v0;
  Run run[MAX_RUNS];
  int n_runs;
  bool ok = is_separable(md, v, f);
  at = 0;
  for (uint32_t a = 0; a < m->n_axes && ok; a++) {
    ok = function_runs(f + at, m->axes[a].size, run, &n_runs);
    at += (size_t)m->axes[a].size;
  }
  at = 0;
  for (uint32_t a = 0; a < m->n_axes && ok; a++) {
    function_runs(f + at, m->axes[a].size, run, &n_runs);
    for (int i = 0; i < n_runs && ok; i++) ok = meshdigits_need_cut(md, a, run[i].stride);
    at += (size_t)m->axes[a].size;
  }
  free(f);
  return ok;
}

bool meshdigits_need_values(MeshDigits *md, const int64_t *by_device) {
  if (!md->valid) return false;
  uint32_t id = intvecs_put(&md->seen, by_device, (size_t)md->mesh->n_devices);
  if (id == md->affine.len) vec_push(&md->affine, small_values(md, by_device) && cut_for(md, by_device));
  return md->affine.at[id];
}

bool meshdigits_refit(const MeshDigits *md, const int64_t *by_device, Arena *a, MeshForm *out) {
  const Mesh *m = md->mesh;
  size_t n = md->digits.len;
  if (!md->valid || !small_values(md, by_device)) return false;
  int64_t *w = ARENA_ARRAY(a, int64_t, n), v0 = by_device[m->device_order[0]];
  for (size_t i = 0; i < n; i++) w[i] = by_device[m->device_order[md->digits.at[i].stride]] - v0;
  for (int64_t r = 0; r < m->n_devices; r++) {
    __int128 sum = v0;
    for (size_t i = 0; i < n; i++)
      if (w[i]) sum += (__int128)w[i] * digit_at(md, (uint32_t)i, r);
    if (sum != by_device[m->device_order[r]]) return false;
  }
  *out = (MeshForm){v0, w};
  return true;
}

/* ---- questions */

uint32_t meshdigits_count(const MeshDigits *md) { return (uint32_t)md->digits.len; }
const MeshDigit *meshdigits_get(const MeshDigits *md, uint32_t digit) { return &md->digits.at[digit]; }

uint32_t meshdigits_axis(const MeshDigits *md, uint32_t axis, uint32_t *first) {
  *first = md->first[axis];
  return md->count[axis];
}

int64_t meshdigits_value(const MeshDigits *md, uint32_t digit, int64_t device) {
  return digit_at(md, digit, md->position[device]);
}
