#include "eval/datalog/container.h"

#include "eval/datalog/db.h"

static void table_init(Table *t, TableId id) {
  t->id = id;
  t->kind = TABLE_RELATION;
  t->n_in = t->n_cols = 2;
  t->stride = 3;
}

void boxes_init(Boxes *b) {
  vec_reserve(&b->pool, 16);
  table_init(&b->in_class, BOXES_IN_CLASS);
  table_init(&b->in_box, BOXES_IN_BOX);
}

void boxes_free(Boxes *b) {
  uf_free(&b->uf);
  vec_free(&b->box);
  vec_free(&b->pool);
  free(b->slots);
  table_free(&b->in_class);
  table_free(&b->in_box);
}

static uint32_t hash_contents(SortId sort, const Val *c, uint32_t n) { return val_hash(c, n) * 31 + sort; }

static uint32_t hash_box(const Boxes *b, Val id) {
  const Box *x = &b->box.at[id];
  return hash_contents(x->sort, b->pool.at + x->at, x->n);
}

static void slot_insert(Boxes *b, uint32_t hash, Val id) {
  if (!b->slots || b->n_live * 4 >= (b->mask + 1) * 3) {
    uint32_t n = b->slots ? (b->mask + 1) * 2 : 64;
    RowSlot *old = b->slots;
    b->slots = xcalloc(n, sizeof *b->slots);
    for (uint32_t i = 0; old && i <= b->mask; i++)
      if (old[i].row) {
        uint32_t k = old[i].hash & (n - 1);
        while (b->slots[k].row) k = (k + 1) & (n - 1);
        b->slots[k] = old[i];
      }
    free(old);
    b->mask = n - 1;
  }
  uint32_t k = hash & b->mask;
  while (b->slots[k].row) k = (k + 1) & b->mask;
  b->slots[k] = (RowSlot){hash, id + 1};
  b->n_live++;
}

static void slot_remove(Boxes *b, Val id) {
  uint32_t hole = hash_box(b, id) & b->mask;
  while (b->slots[hole].row != id + 1) hole = (hole + 1) & b->mask;
  for (uint32_t i = (hole + 1) & b->mask; b->slots[i].row; i = (i + 1) & b->mask)
    if (((i - b->slots[i].hash) & b->mask) >= ((i - hole) & b->mask)) {
      b->slots[hole] = b->slots[i];
      hole = i;
    }
  b->slots[hole].row = 0;
  b->n_live--;
}

SortId box_element_sort(const Db *db, const Box *box, uint32_t i) {
  const Sort *s = sort_of(db, box->sort);
  switch (s->kind) {
  case SORT_VEC: case SORT_SET: return s->args[0];
  case SORT_MAP: return s->args[i & 1];
  case SORT_MULTISET: return i & 1 ? IR_NONE : s->args[0];
  case SORT_PAIR: case SORT_ROW: return s->args[i];
  case SORT_FN: return i ? db->targets.at[db->boxes.pool.at[box->at]].sorts[i - 1] : IR_NONE;
  default: return IR_NONE;
  }
}

static void note_members(Db *db, Val id) {
  for (uint32_t i = 0; i < db->boxes.box.at[id].n; i++) {
    const Box *box = &db->boxes.box.at[id];
    SortId s = box_element_sort(db, box, i);
    if (s == IR_NONE || !sort_of(db, s)->moves) continue;
    Table *t = sort_of(db, s)->kind == SORT_EQ ? &db->boxes.in_class : &db->boxes.in_box;
    Val row[2] = {db->boxes.pool.at[box->at + i], id};
    if (table_find(t, row) == ROW_NONE) db_append(db, t, row, 0);
  }
}

/* The pool is full: the program ends, and an empty container is what is left of this one. */
static Val too_many(Db *db, SortId sort) {
  db->limit_reached = true;
  db_fail(db, (Span){0, 0, 0}, "stopped at the limit of 2^32 elements in containers");
  return box_make(db, sort, NULL, 0);
}

Val box_make(Db *db, SortId sort, const Val *c, uint32_t n) {
  Boxes *b = &db->boxes;
  uint32_t hash = hash_contents(sort, c, n);
  if (b->slots)
    for (uint32_t k = hash & b->mask; b->slots[k].row; k = (k + 1) & b->mask) {
      if (b->slots[k].hash != hash) continue;
      const Box *x = &b->box.at[b->slots[k].row - 1];
      if (x->sort == sort && x->n == n && (!n || !memcmp(b->pool.at + x->at, c, n * sizeof *c)))
        return b->slots[k].row - 1;
    }
  if (n > UINT32_MAX - b->pool.len) return too_many(db, sort);
  Val id = uf_make(&b->uf);
  uint32_t at = (uint32_t)b->pool.len;
  if (n) {
    bool inside = c >= b->pool.at && c < b->pool.at + b->pool.len;
    size_t offset = inside ? (size_t)(c - b->pool.at) : 0;
    vec_reserve(&b->pool, b->pool.len + n);
    memcpy(b->pool.at + at, inside ? b->pool.at + offset : c, n * sizeof *c);
    b->pool.len += n;
  }
  vec_push(&b->box, (Box){sort, at, n, false});
  slot_insert(b, hash, id);
  if (sort_of(db, sort)->moves) note_members(db, id);
  return id;
}

static int compare_one(const void *a, const void *b) {
  Val x = *(const Val *)a, y = *(const Val *)b;
  return x < y ? -1 : x > y;
}

/* Stable insertion of pairs by key: contents are mostly sorted already; long unsorted ones are merged. */
static void sort_pairs(Val *c, uint32_t n_pairs) {
  Val *tmp = xmalloc(n_pairs * 2 * sizeof *tmp + 1);
  for (uint32_t width = 1; width < n_pairs; width *= 2)
    for (uint32_t lo = 0; lo + width < n_pairs; lo += 2 * width) {
      uint32_t mid = lo + width, hi = mid + width < n_pairs ? mid + width : n_pairs, i = lo, j = mid, k = 0;
      if (c[2 * mid - 2] <= c[2 * mid]) continue;
      for (; i < mid || j < hi; k++) {
        uint32_t from = j >= hi || (i < mid && c[2 * i] <= c[2 * j]) ? i++ : j++;
        tmp[2 * k] = c[2 * from];
        tmp[2 * k + 1] = c[2 * from + 1];
      }
      memcpy(c + 2 * lo, tmp, k * 2 * sizeof *c);
    }
  free(tmp);
}

uint32_t box_normalise(SortKind kind, Val *c, uint32_t n) {
  uint32_t k = 0;
  if (kind == SORT_SET) {
    qsort(c, n, sizeof *c, compare_one);
    for (uint32_t i = 0; i < n; i++)
      if (!k || c[k - 1] != c[i]) c[k++] = c[i];
    return k;
  }
  if (kind != SORT_MAP && kind != SORT_MULTISET) return n;
  sort_pairs(c, n / 2);
  for (uint32_t i = 0; i + 1 < n; i += 2) {
    if (k && c[k - 2] == c[i]) {
      c[k - 1] = kind == SORT_MAP ? c[i + 1] : c[k - 1] + c[i + 1];
    } else {
      Val key = c[i], value = c[i + 1];
      c[k++] = key;
      c[k++] = value;
    }
    if (kind == SORT_MULTISET && !c[k - 1]) k -= 2;
  }
  return k;
}

static void make_stale(Db *db, Val id) {
  Boxes *b = &db->boxes;
  slot_remove(b, id);
  b->box.at[id].stale = true;
  if (undo_active(&db->undo)) undo_note(&db->undo, UNDO_BOX_STALE, id, 0, 0);
  const Box *box = &b->box.at[id];
  for (uint32_t i = 0; i < box->n; i++) {
    SortId s = box_element_sort(db, box, i);
    if (s == IR_NONE || !sort_of(db, s)->moves) continue;
    Table *t = sort_of(db, s)->kind == SORT_EQ ? &b->in_class : &b->in_box;
    Val row[2] = {b->pool.at[box->at + i], id};
    uint32_t r = table_find(t, row);
    if (r != ROW_NONE) db_kill(db, t, r);
  }
}

void box_revive(Boxes *b, Val id) {
  b->box.at[id].stale = false;
  slot_insert(b, hash_box(b, id), id);
}

static bool refresh(Db *db, Val id) {
  Boxes *b = &db->boxes;
  const Box box = b->box.at[id];
  if (box.stale) return false;
  Val *c = xmalloc(box.n * sizeof *c + 1);
  bool moved = false;
  for (uint32_t i = 0; i < box.n; i++) {
    SortId s = box_element_sort(db, &box, i);
    Val v = b->pool.at[box.at + i];
    c[i] = s == IR_NONE ? v : canon(db, s, v);
    moved |= c[i] != v;
  }
  if (moved) {
    uint32_t n = box_normalise(sort_of(db, box.sort)->kind, c, box.n);
    make_stale(db, id);
    Val to = box_make(db, box.sort, c, n);
    uf_link(&b->uf, id, to, (uint32_t)db->classes.log.len, box.sort); /* its reason: the unions before it */
    db->changed = true;
  }
  free(c);
  return moved;
}

static bool refresh_holders(Db *db, Table *t, const Uf *uf, size_t from, size_t to) {
  const uint32_t col = 0;
  ColIndex *ix = table_index(t, &col, 1, t->n_rows, undo_active(&db->undo));
  Vec(uint32_t) holders = {0};
  for (size_t i = from; i < to; i++) {
    for (uint32_t r = colindex_first(ix, t, &uf->log.at[i].loser); r; r = colindex_next(ix, r))
      if (!(*table_meta(t, r - 1) & ROW_DEAD)) vec_push(&holders, table_row(t, r - 1)[1]);
  }
  bool any = false;
  for (size_t i = 0; i < holders.len; i++) any |= refresh(db, holders.at[i]);
  vec_free(&holders);
  return any;
}

bool boxes_rebuild(Db *db, size_t class_from, size_t box_from) {
  Boxes *b = &db->boxes;
  bool any = false;
  if (b->in_class.n_live) any = refresh_holders(db, &b->in_class, &db->classes, class_from, db->classes.log.len);
  while (b->in_box.n_live && box_from < b->uf.log.len) {
    size_t to = b->uf.log.len;
    any |= refresh_holders(db, &b->in_box, &b->uf, box_from, to);
    box_from = to;
  }
  return any;
}

void boxes_truncate(Boxes *b, size_t n, size_t pool) {
  for (size_t id = b->box.len; id-- > n;)
    if (!b->box.at[id].stale) slot_remove(b, (Val)id);
  b->box.len = n;
  b->pool.len = pool;
}
