#include "eval/datalog/rebuild.h"

#include "eval/datalog/action.h"
#include "eval/datalog/extract.h"
#include "eval/datalog/limit.h"

typedef struct {
  size_t class_from, class_to, box_from, box_to; /* unions to propagate */
  uint32_t *merged; /* per sort: how many of them */
} Window;

typedef Vec(uint32_t) Rows;

/* Rows before it are not to move: a push has recorded them. */
static uint32_t settled(const Db *db, const Table *t) {
  if (!undo_active(&db->undo)) return 0;
  return t->undo_level == db->undo.marks.len ? t->undo_rows : t->n_rows;
}

/* Rows from here on may be changed where they stand: they are new in this epoch, and stay so, in no index, and no
 * extraction has seen them. */
static uint32_t movable(const Db *db, const Table *t) {
  uint32_t from = settled(db, t), since = table_since(t, db->epoch);
  if (since > from) from = since;
  for (size_t i = 0; i < t->indexes.len; i++)
    if (t->indexes.at[i]->built > from) from = t->indexes.at[i]->built;
  uint32_t priced = extract_seen(db, t);
  return priced > from ? priced : from;
}

static void rewrite_row(Db *db, Table *t, uint32_t r, uint32_t in_place) {
  const uint32_t *row = table_row(t, r);
  uint32_t meta = row[t->n_cols];
  if (meta & ROW_DEAD) return;
  Val small[16], *cols = t->n_cols <= 16 ? small : xmalloc(t->n_cols * sizeof *cols);
  bool moved = false;
  for (uint32_t c = 0; c < t->n_cols; c++) {
    cols[c] = canon(db, t->sorts[c], row[c]);
    moved |= cols[c] != row[c];
  }
  if (moved && (r < in_place || !table_rewrite(t, r, cols))) {
    db_kill(db, t, r);
    action_put(db, t, cols, meta);
  }
  db->changed |= moved;
  if (cols != small) free(cols);
}

/* Rewrites rows some at a time: where they are and where they will be in the hash is asked for before it is needed. */
static void rewrite_rows(Db *db, Table *t, const uint32_t *rows, uint32_t n) {
  enum { CHUNK = 32, LARGE = 2048 };
  uint32_t in_place = movable(db, t);
  for (uint32_t from = 0; from < n; from += CHUNK) {
    uint32_t to = from + CHUNK < n ? from + CHUNK : n;
    for (uint32_t i = from; t->n_live > LARGE && i < to; i++) {
      const uint32_t *row = table_row(t, rows[i]);
      uint64_t h = t->n_in;
      for (uint32_t c = 0; c < t->n_in; c++) h = val_mix(h, canon(db, t->sorts[c], row[c]));
      table_prefetch(t, val_hash(row, t->n_in));
      table_prefetch(t, (uint32_t)h);
    }
    for (uint32_t i = from; i < to; i++) rewrite_row(db, t, rows[i], in_place);
  }
}

/* All rows that hold a merged id, by looking at every row from `from` on. */
static void scan(Db *db, Table *t, uint32_t from, Rows *rows) {
  uint32_t few[16], *moving = t->n_cols <= 16 ? few : xmalloc(t->n_cols * sizeof *moving), n = 0;
  for (uint32_t c = 0; c < t->n_cols; c++)
    if (sort_of(db, t->sorts[c])->moves) moving[n++] = c;
  for (uint32_t r = from; r < t->n_rows; r++) {
    const uint32_t *row = table_row(t, r);
    if (row[t->n_cols] & ROW_DEAD) continue;
    bool stale = false;
    for (uint32_t i = 0; i < n; i++) {
      const Uf *uf = sort_of(db, t->sorts[moving[i]])->kind == SORT_EQ ? &db->classes : &db->boxes.uf;
      stale |= uf->parent.at[row[moving[i]]] != row[moving[i]];
    }
    if (stale) vec_push(rows, r);
  }
  if (moving != few) free(moving);
}

/* Live rows before `end` with a merged id in column c. */
static void collect(Db *db, Table *t, uint32_t c, const Window *w, uint32_t end, Rows *rows) {
  const Sort *s = sort_of(db, t->sorts[c]);
  const Uf *uf = s->kind == SORT_EQ ? &db->classes : &db->boxes.uf;
  size_t from = s->kind == SORT_EQ ? w->class_from : w->box_from, to = s->kind == SORT_EQ ? w->class_to : w->box_to;
  ColIndex *ix = table_index(t, &c, 1, end, undo_active(&db->undo));
  for (size_t i = from; i < to; i++) {
    if (uf->log.at[i].tag != t->sorts[c]) continue;
    for (uint32_t r = colindex_first(ix, t, &uf->log.at[i].loser); r; r = colindex_next(ix, r))
      if (r <= end && !(*table_meta(t, r - 1) & ROW_DEAD)) vec_push(rows, r - 1);
  }
}

static int compare_rows(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static bool may_hold_merged(const Db *db, const Table *t, uint32_t c, const Window *w) {
  return sort_of(db, t->sorts[c])->moves && w->merged[t->sorts[c]];
}

/* Rows before this one are looked up in indexes, the others looked at: adding a row to an index costs as much as looking
 * at it some times, and most new rows are not looked for as often as that. */
static uint32_t lookup_end(const Db *db, Table *t, const Window *w) {
  enum { INDEX_COST = 4 };
  uint32_t end = t->n_rows;
  for (uint32_t c = 0; c < t->n_cols; c++) {
    if (!may_hold_merged(db, t, c, w)) continue;
    uint32_t built = table_indexed(t, c);
    if (built < end) end = built;
  }
  t->looked_at += t->n_rows - end;
  if (t->looked_at <= INDEX_COST * (uint64_t)(t->n_rows - end)) return end;
  t->looked_at = 0;
  return t->n_rows;
}

static void rebuild_table(Db *db, Table *t, const Window *w, Rows *rows) {
  enum { PROBE_COST = 8 };
  size_t probes = 0;
  for (uint32_t c = 0; c < t->n_cols; c++)
    if (may_hold_merged(db, t, c, w)) probes += w->merged[t->sorts[c]];
  if (!probes || !t->n_live) return;
  rows->len = 0;
  if (probes * PROBE_COST >= t->n_rows) {
    scan(db, t, 0, rows);
  } else {
    uint32_t end = lookup_end(db, t, w);
    for (uint32_t c = 0; end && c < t->n_cols; c++)
      if (may_hold_merged(db, t, c, w)) collect(db, t, c, w, end, rows);
    if (rows->len > 1) qsort(rows->at, rows->len, sizeof *rows->at, compare_rows);
    scan(db, t, end, rows);
  }
  rewrite_rows(db, t, rows->at, (uint32_t)rows->len);
}

static void count_merged(const Uf *uf, size_t from, size_t to, uint32_t *merged) {
  for (size_t i = from; i < to; i++) merged[uf->log.at[i].tag]++;
}

bool rebuild(Db *db) {
  Uf *classes = &db->classes, *boxes = &db->boxes.uf;
  if (db->rebuilt_classes == classes->log.len && db->rebuilt_boxes == boxes->log.len) return true;
  uint32_t *merged = xmalloc(db->sorts.len * sizeof *merged);
  Rows rows = {0};
  while (db->rebuilt_classes < classes->log.len || db->rebuilt_boxes < boxes->log.len) {
    boxes_rebuild(db, db->rebuilt_classes, db->rebuilt_boxes);
    Window w = {db->rebuilt_classes, classes->log.len, db->rebuilt_boxes, boxes->log.len, merged};
    memset(merged, 0, db->sorts.len * sizeof *merged);
    count_merged(classes, w.class_from, w.class_to, merged);
    count_merged(boxes, w.box_from, w.box_to, merged);
    for (size_t i = 0; i < db->tables.len; i++)
      if (db->tables.at[i]->has_ids) rebuild_table(db, db->tables.at[i], &w, &rows);
    db->rebuilt_classes = w.class_to;
    limit_check(db);
    db->rebuilt_boxes = w.box_to;
  }
  db->version++;
  free(merged);
  vec_free(&rows);
  return !db->failed;
}

static bool mostly_dead(const Table *t, uint32_t from) {
  if (!from) return t->n_live < t->n_rows / 2;
  uint32_t dead = 0;
  for (uint32_t r = from; r < t->n_rows; r++) dead += *table_meta(t, r) >> 31;
  return dead > (t->n_rows - from) / 2;
}

void rebuild_compact(Db *db) {
  enum { FEW = 256 };
  for (size_t i = 0; i < db->tables.len; i++) {
    Table *t = db->tables.at[i];
    uint32_t from = settled(db, t);
    if (t->n_rows < from + FEW || (from && t->n_rows < t->compact_at)) continue;
    if (mostly_dead(t, from)) {
      table_compact(t, from);
      db->version++;
    }
    t->compact_at = t->n_rows + (t->n_rows - from); /* looking costs no more than what has come since */
  }
}
