/* Primitives of multisets: contents are (element, count) pairs sorted by element. */
#include "eval/datalog/action.h"
#include "eval/datalog/prim.h"

#define DEFINE(name) bool prim_##name(Db *db, const Prim *p, const Val *a, uint32_t n, Val *out)
#define UNUSED (void)db, (void)p, (void)n, (void)a, (void)out

typedef Vec(Val) Vals;

static const Val *get(const Db *db, Val v, uint32_t *n) { return box_get(&db->boxes, v, n); }

enum { MOST = 1 << 26 };

static void put(Vals *v, Val e, uint64_t count) {
  vec_push(v, e);
  vec_push(v, count > MOST ? MOST + 1 : (Val)count);
}
/* The sum of all counts stays below MOST, so no merge of elements, here or later, lets a count overflow. */
static bool give(Db *db, const Prim *p, Vals *v, Val *out) {
  uint64_t total = 0;
  for (size_t i = 1; i < v->len; i += 2) total += v->at[i];
  if (total > MOST) {
    vec_free(v);
    return db_fail(db, (Span){0, 0, 0}, "a multiset of more than 2^26 elements");
  }
  uint32_t n = box_normalise(SORT_MULTISET, v->at, (uint32_t)v->len);
  *out = box_make(db, p->self, v->at, n);
  vec_free(v);
  return true;
}
static uint32_t count_of(const Db *db, Val box, Val e) {
  uint32_t n;
  const Val *c = get(db, box, &n);
  for (uint32_t i = 0; i < n; i += 2)
    if (c[i] == e) return c[i + 1];
  return 0;
}
/* Every (element, f(count in a, count in b)) over the elements of a, and of b too if `outer`. */
static bool combine(Db *db, const Prim *p, Val x, Val y, uint32_t (*f)(uint32_t, uint32_t), bool outer, Val *out) {
  Vals v = {0};
  uint32_t n;
  const Val *c = get(db, x, &n);
  for (uint32_t i = 0; i < n; i += 2) put(&v, c[i], f(c[i + 1], count_of(db, y, c[i])));
  c = get(db, y, &n);
  for (uint32_t i = 0; outer && i < n; i += 2)
    if (!count_of(db, x, c[i])) put(&v, c[i], f(0, c[i + 1]));
  return give(db, p, &v, out);
}
static uint32_t plus(uint32_t x, uint32_t y) { return x + y; }
static uint32_t minus(uint32_t x, uint32_t y) { return x - y; }
static uint32_t least(uint32_t x, uint32_t y) { return x < y ? x : y; }

DEFINE(multi_of) {
  Vals v = {0};
  for (uint32_t i = 0; i < n; i++) put(&v, a[i], 1);
  return give(db, p, &v, out);
}
DEFINE(multi_single) {
  UNUSED;
  int64_t count = val_get_int(&db->values, a[1]);
  if (count < 0) return false;
  Vals v = {0};
  put(&v, a[0], (uint64_t)count);
  return give(db, p, &v, out);
}
DEFINE(multi_insert) {
  UNUSED;
  Vals v = {0};
  uint32_t len;
  const Val *c = get(db, a[0], &len);
  for (uint32_t i = 0; i < len; i += 2) put(&v, c[i], c[i + 1]);
  put(&v, a[1], 1);
  return give(db, p, &v, out);
}
static bool remove_one(Db *db, const Prim *p, Val box, Val e, Val *out) {
  if (!count_of(db, box, e)) return false;
  Vals v = {0};
  uint32_t len;
  const Val *c = get(db, box, &len);
  for (uint32_t i = 0; i < len; i += 2) put(&v, c[i], c[i + 1] - (c[i] == e));
  return give(db, p, &v, out);
}
DEFINE(multi_remove) {
  UNUSED;
  return remove_one(db, p, a[0], a[1], out);
}
DEFINE(multi_remove_swapped) {
  UNUSED;
  return remove_one(db, p, a[1], a[0], out);
}
static bool subtract(Db *db, const Prim *p, Val x, Val y, Val *out) {
  uint32_t n;
  const Val *c = get(db, y, &n);
  for (uint32_t i = 0; i < n; i += 2)
    if (count_of(db, x, c[i]) < c[i + 1]) return false;
  return combine(db, p, x, y, minus, false, out);
}
DEFINE(multi_subtract) {
  UNUSED;
  return subtract(db, p, a[0], a[1], out);
}
DEFINE(multi_subtract_swapped) {
  UNUSED;
  return subtract(db, p, a[1], a[0], out);
}
DEFINE(multi_length) {
  UNUSED;
  uint32_t len;
  int64_t total = 0;
  const Val *c = get(db, a[0], &len);
  for (uint32_t i = 0; i < len; i += 2) total += c[i + 1];
  *out = val_int(&db->values, total);
  return true;
}
DEFINE(multi_count) {
  UNUSED;
  *out = val_int(&db->values, count_of(db, a[0], a[1]));
  return true;
}
DEFINE(multi_contains_swapped) {
  UNUSED;
  *out = 0;
  return count_of(db, a[1], a[0]) > 0;
}
DEFINE(multi_not_contains_swapped) {
  UNUSED;
  *out = 0;
  return !count_of(db, a[1], a[0]);
}
DEFINE(multi_sum) {
  UNUSED;
  return combine(db, p, a[0], a[1], plus, true, out);
}
DEFINE(multi_intersection) {
  UNUSED;
  return combine(db, p, a[0], a[1], least, false, out);
}
DEFINE(multi_reset) {
  UNUSED;
  Vals v = {0};
  uint32_t len;
  const Val *c = get(db, a[0], &len);
  for (uint32_t i = 0; i < len; i += 2) put(&v, c[i], 1);
  return give(db, p, &v, out);
}
static bool pick(const Db *db, Val box, bool most, Val *out) {
  uint32_t n, best = 0;
  const Val *c = get(db, box, &n);
  if (!n) return false;
  for (uint32_t i = 2; most && i < n; i += 2)
    if (c[i + 1] > c[best + 1]) best = i;
  *out = c[best];
  return true;
}
DEFINE(multi_pick) {
  UNUSED;
  return pick(db, a[0], false, out);
}
DEFINE(multi_pick_max) {
  UNUSED;
  return pick(db, a[0], true, out);
}
DEFINE(multi_union) {
  UNUSED;
  uint32_t len;
  const Val *c = get(db, a[0], &len);
  if (!len) return false;
  if (db->context < CONTEXT_WRITE)
    return db_fail(db, (Span){0, 0, 0}, "a primitive that makes unions is called in a query");
  for (uint32_t i = 2; i < len; i += 2) action_union(db, sort_of(db, p->self)->args[0], c[0], c[i]);
  *out = c[0];
  return true;
}
DEFINE(multi_sum_all) {
  UNUSED;
  Vals v = {0};
  uint32_t len, m;
  const Val *c = get(db, a[0], &len);
  for (uint32_t i = 0; i < len; i += 2) {
    const Val *d = get(db, c[i], &m);
    for (uint32_t j = 0; j < m; j += 2) put(&v, d[j], (uint64_t)d[j + 1] * c[i + 1]);
  }
  return give(db, p, &v, out);
}

/* ---- with function values; contents are read again after each call, which may move the pool ---- */
#define EACH(box, e, count)                                                                                     \
  for (uint32_t i_ = 0, n_ = 0; get(db, (box), &n_), i_ < n_; i_ += 2)                                          \
    for (Val e = get(db, (box), &n_)[i_], count = get(db, (box), &n_)[i_ + 1], once_ = 1; once_; once_ = 0)

static bool give_unless_failed(Db *db, const Prim *p, Vals *v, Val *out) {
  if (!db->failed) return give(db, p, v, out);
  vec_free(v);
  return false;
}
DEFINE(multi_map) {
  UNUSED;
  Vals v = {0};
  EACH(a[1], e, count) {
    Val r;
    if (prim_apply(db, a[0], &e, 1, &r)) put(&v, r, count);
  }
  return give_unless_failed(db, p, &v, out);
}
static bool filter(Db *db, const Prim *p, const Val *a, bool keep, Val *out) {
  Vals v = {0};
  EACH(a[1], e, count) {
    Val r;
    if (prim_apply(db, a[0], &e, 1, &r) == keep) put(&v, e, count);
  }
  return give_unless_failed(db, p, &v, out);
}
DEFINE(multi_filter) {
  UNUSED;
  return filter(db, p, a, true, out);
}
DEFINE(multi_filter_not) {
  UNUSED;
  return filter(db, p, a, false, out);
}
DEFINE(multi_reduce) {
  UNUSED;
  bool any = false;
  Val acc = a[1];
  EACH(a[2], e, count) {
    for (Val k = 0; k < count; k++) {
      const Val args[2] = {acc, e};
      if (any && !prim_apply(db, a[0], args, 2, &acc)) return false;
      if (!any) acc = e;
      any = true;
    }
  }
  *out = acc;
  return true;
}
DEFINE(multi_flat_map) {
  UNUSED;
  Vals v = {0};
  EACH(a[1], e, count) {
    Val r;
    uint32_t m;
    if (!prim_apply(db, a[0], &e, 1, &r)) {
      put(&v, e, count);
      continue;
    }
    const Val *d = get(db, r, &m);
    for (uint32_t j = 0; j < m; j += 2) put(&v, d[j], (uint64_t)d[j + 1] * count);
  }
  return give_unless_failed(db, p, &v, out);
}
/* The table behind a function value, or NULL with an error. */
static Table *table_of(Db *db, Val fn) {
  uint32_t n;
  const FnTarget *t = &db->targets.at[get(db, fn, &n)[0]];
  if (t->table && !t->n_bound && db->tables.at[t->op]->kind == TABLE_FUNCTION) return db->tables.at[t->op];
  db_fail(db, (Span){0, 0, 0}, "an index of a multiset must be a function table");
  return NULL;
}
DEFINE(multi_fill) {
  UNUSED;
  Table *t = table_of(db, a[1]);
  if (!t) return false;
  if (db->context != CONTEXT_FULL)
    return db_fail(db, (Span){0, 0, 0},
                   "unstable-multiset-fill-index reads a table: use it at top level or add :naive");
  EACH(a[0], e, count) {
    const Val row[3] = {a[0], e, val_int(&db->values, count)};
    if (table_find(t, row) == ROW_NONE) action_set(db, t, row);
  }
  *out = 0;
  return true;
}
DEFINE(multi_clear) {
  UNUSED;
  Table *t = table_of(db, a[1]);
  if (!t) return false;
  if (db->context < CONTEXT_WRITE) return db_fail(db, (Span){0, 0, 0}, "unstable-multiset-clear-index in a query");
  EACH(a[0], e, count) {
    const Val row[2] = {a[0], e};
    action_delete(db, t, row);
    (void)count;
  }
  *out = 0;
  return true;
}
