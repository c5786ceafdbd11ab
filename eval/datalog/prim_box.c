/* Primitives of containers.  New contents are built in a scratch vector, put in order, and interned. */
#include "eval/datalog/action.h"
#include "eval/datalog/prim.h"

#define DEFINE(name) bool prim_##name(Db *db, const Prim *p, const Val *a, uint32_t n, Val *out)
#define UNUSED (void)db, (void)p, (void)n, (void)a, (void)out

typedef Vec(Val) Vals;

static const Val *get(const Db *db, Val v, uint32_t *n) { return box_get(&db->boxes, v, n); }

static void put_all(Vals *v, const Val *c, uint32_t n) {
  vec_reserve(v, v->len + n + 2);
  if (n) memcpy(v->at + v->len, c, n * sizeof *c);
  v->len += n;
}
static void put_box(const Db *db, Vals *v, Val box) {
  uint32_t n;
  const Val *c = get(db, box, &n);
  put_all(v, c, n);
}
/* Orders, interns as a container of p's sort and releases. */
static bool give(Db *db, const Prim *p, Vals *v, Val *out) {
  uint32_t n = box_normalise(sort_of(db, p->self)->kind, v->at, (uint32_t)v->len);
  *out = box_make(db, p->self, v->at, n);
  vec_free(v);
  return true;
}
static bool in_range(const Db *db, Val index, uint32_t n, uint32_t *at) {
  int64_t i = val_get_int(&db->values, index);
  *at = (uint32_t)i;
  return i >= 0 && i < (int64_t)n;
}
/* Position of a key among sorted records of `step` words; false: where it would go. */
static bool locate(const Val *c, uint32_t n, uint32_t step, Val key, uint32_t *at) {
  uint32_t lo = 0, hi = n / step;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (c[mid * step] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  *at = lo * step;
  return *at < n && c[*at] == key;
}
static bool has(const Db *db, Val box, uint32_t step, Val key, uint32_t *at) {
  uint32_t n;
  const Val *c = get(db, box, &n);
  return locate(c, n, step, key, at);
}

DEFINE(vec_of) {
  Vals v = {0};
  put_all(&v, a, n);
  return give(db, p, &v, out);
}
DEFINE(vec_append) {
  Vals v = {0};
  size_t total = 0;
  for (uint32_t i = 0, len; i < n; i++) get(db, a[i], &len), total += len;
  if (total > (size_t)1 << 28) return db_fail(db, (Span){0, 0, 0}, "a vec of more than 2^28 elements");
  for (uint32_t i = 0; i < n; i++) put_box(db, &v, a[i]);
  return give(db, p, &v, out);
}
DEFINE(vec_push_) {
  UNUSED;
  Vals v = {0};
  put_box(db, &v, a[0]);
  put_all(&v, a + 1, 1);
  return give(db, p, &v, out);
}
DEFINE(vec_pop_) {
  UNUSED;
  Vals v = {0};
  put_box(db, &v, a[0]);
  if (v.len) v.len--;
  return give(db, p, &v, out);
}
DEFINE(vec_get) {
  UNUSED;
  uint32_t len, i;
  const Val *c = get(db, a[0], &len);
  if (!in_range(db, a[1], len, &i)) return false;
  *out = c[i];
  return true;
}
DEFINE(vec_set) {
  UNUSED;
  Vals v = {0};
  uint32_t i;
  put_box(db, &v, a[0]);
  if (!in_range(db, a[1], (uint32_t)v.len, &i)) {
    vec_free(&v);
    return false;
  }
  v.at[i] = a[2];
  return give(db, p, &v, out);
}
DEFINE(vec_remove) {
  UNUSED;
  Vals v = {0};
  uint32_t i;
  put_box(db, &v, a[0]);
  if (!in_range(db, a[1], (uint32_t)v.len, &i)) {
    vec_free(&v);
    return false;
  }
  memmove(v.at + i, v.at + i + 1, (v.len - i - 1) * sizeof *v.at);
  v.len--;
  return give(db, p, &v, out);
}
DEFINE(vec_length) {
  UNUSED;
  uint32_t len;
  get(db, a[0], &len);
  *out = val_int(&db->values, len);
  return true;
}
static bool vec_has(const Db *db, Val box, Val e) {
  uint32_t n;
  const Val *c = get(db, box, &n);
  for (uint32_t i = 0; i < n; i++)
    if (c[i] == e) return true;
  return false;
}
DEFINE(vec_contains) {
  UNUSED;
  *out = 0;
  return vec_has(db, a[0], a[1]);
}
DEFINE(vec_not_contains) {
  UNUSED;
  *out = 0;
  return !vec_has(db, a[0], a[1]);
}
DEFINE(vec_range) {
  UNUSED;
  int64_t len = val_get_int(&db->values, a[0]);
  if (len > 1 << 28) return db_fail(db, (Span){0, 0, 0}, "a vec of %lld elements is too large", (long long)len);
  Vals v = {0};
  for (int64_t i = 0; i < len; i++) vec_push(&v, val_int(&db->values, i));
  return give(db, p, &v, out);
}
static bool may_write(Db *db) {
  if (db->context >= CONTEXT_WRITE) return true;
  return db_fail(db, (Span){0, 0, 0}, "a primitive that makes unions is called in a query");
}
DEFINE(vec_union) {
  UNUSED;
  uint32_t n0, n1;
  if (!may_write(db)) return false;
  get(db, a[0], &n0);
  get(db, a[1], &n1);
  if (n0 != n1) return false;
  SortId e = sort_of(db, p->self)->args[0];
  for (uint32_t i = 0; i < n0; i++) action_union(db, e, get(db, a[0], &n0)[i], get(db, a[1], &n1)[i]);
  *out = a[0];
  return true;
}

DEFINE(set_of) {
  Vals v = {0};
  put_all(&v, a, n);
  return give(db, p, &v, out);
}
DEFINE(set_insert) {
  UNUSED;
  uint32_t at;
  if (has(db, a[0], 1, a[1], &at)) return *out = a[0], true;
  Vals v = {0};
  put_box(db, &v, a[0]);
  memmove(v.at + at + 1, v.at + at, (v.len - at) * sizeof *v.at);
  v.at[at] = a[1];
  *out = box_make(db, p->self, v.at, (uint32_t)v.len + 1);
  vec_free(&v);
  return true;
}
DEFINE(set_remove) {
  UNUSED;
  uint32_t at;
  if (!has(db, a[0], 1, a[1], &at)) return *out = a[0], true;
  Vals v = {0};
  put_box(db, &v, a[0]);
  memmove(v.at + at, v.at + at + 1, (v.len - at - 1) * sizeof *v.at);
  v.len--;
  return give(db, p, &v, out);
}
DEFINE(set_contains) {
  UNUSED;
  uint32_t at;
  *out = 0;
  return has(db, a[0], 1, a[1], &at);
}
DEFINE(set_not_contains) {
  UNUSED;
  uint32_t at;
  *out = 0;
  return !has(db, a[0], 1, a[1], &at);
}
/* Merge of two sorted sets: keep those only in the first, in both, only in the second. */
static bool merge_sets(Db *db, const Prim *p, const Val *a, bool left, bool both, bool right, Val *out) {
  uint32_t n, m, i = 0, j = 0;
  const Val *x = get(db, a[0], &n), *y = get(db, a[1], &m);
  Vals v = {0};
  vec_reserve(&v, (size_t)n + m + 1);
  while (i < n || j < m) {
    if (j >= m || (i < n && x[i] < y[j])) {
      if (left) v.at[v.len++] = x[i];
      i++;
    } else if (i >= n || y[j] < x[i]) {
      if (right) v.at[v.len++] = y[j];
      j++;
    } else {
      if (both) v.at[v.len++] = x[i];
      i++;
      j++;
    }
  }
  *out = box_make(db, p->self, v.at, (uint32_t)v.len);
  vec_free(&v);
  return true;
}
DEFINE(set_union) {
  UNUSED;
  uint32_t m, at;
  const Val *c = get(db, a[1], &m);
  if (m == 1) {
    const Val args[2] = {a[0], c[0]};
    if (has(db, a[0], 1, c[0], &at)) return *out = a[0], true;
    return prim_set_insert(db, p, args, 2, out);
  }
  return merge_sets(db, p, a, true, true, true, out);
}
DEFINE(set_diff) {
  UNUSED;
  return merge_sets(db, p, a, true, false, false, out);
}
DEFINE(set_intersect) {
  UNUSED;
  return merge_sets(db, p, a, false, true, false, out);
}

DEFINE(map_of) {
  Vals v = {0};
  put_all(&v, a, n);
  return give(db, p, &v, out);
}
DEFINE(map_insert) {
  UNUSED;
  Vals v = {0};
  put_box(db, &v, a[0]);
  put_all(&v, a + 1, 2);
  return give(db, p, &v, out);
}
DEFINE(map_get) {
  UNUSED;
  uint32_t at, len;
  if (!has(db, a[0], 2, a[1], &at)) return false;
  *out = get(db, a[0], &len)[at + 1];
  return true;
}
DEFINE(map_remove) {
  UNUSED;
  uint32_t at;
  if (!has(db, a[0], 2, a[1], &at)) return *out = a[0], true;
  Vals v = {0};
  put_box(db, &v, a[0]);
  memmove(v.at + at, v.at + at + 2, (v.len - at - 2) * sizeof *v.at);
  v.len -= 2;
  return give(db, p, &v, out);
}
DEFINE(map_length) {
  UNUSED;
  uint32_t len;
  get(db, a[0], &len);
  *out = val_int(&db->values, len / 2);
  return true;
}
DEFINE(map_contains) {
  UNUSED;
  uint32_t at;
  *out = 0;
  return has(db, a[0], 2, a[1], &at);
}
DEFINE(map_not_contains) {
  UNUSED;
  uint32_t at;
  *out = 0;
  return !has(db, a[0], 2, a[1], &at);
}

DEFINE(pair_make) {
  UNUSED;
  *out = box_make(db, p->self, a, 2);
  return true;
}
DEFINE(pair_first) {
  UNUSED;
  uint32_t len;
  *out = get(db, a[0], &len)[0];
  return true;
}
DEFINE(pair_second) {
  UNUSED;
  uint32_t len;
  *out = get(db, a[0], &len)[1];
  return true;
}
DEFINE(row_make) {
  UNUSED;
  *out = box_make(db, p->self, a, n);
  return true;
}
