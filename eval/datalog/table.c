#include "eval/datalog/table.h"

void table_free(Table *t) {
  for (size_t i = 0; i < t->indexes.len; i++) colindex_free(t->indexes.at[i]);
  vec_free(&t->indexes);
  vec_free(&t->starts);
  vec_free(&t->deletes);
  vec_free(&t->sets);
  vec_free(&t->subsumes);
  free(t->rows);
  free(t->slots);
  for (uint32_t c = 0; t->samples && c < t->n_cols; c++) free(t->samples[c].at);
  free(t->samples);
}

static void hash_insert(RowSlot *slots, uint32_t mask, uint32_t hash, uint32_t r) {
  uint32_t k = hash & mask;
  while (slots[k].row) k = (k + 1) & mask;
  slots[k] = (RowSlot){hash, r + 1};
}

static void rehash(Table *t, uint32_t n) {
  RowSlot *slots = xcalloc(n, sizeof *slots);
  for (uint32_t i = 0; t->slots && i <= t->mask; i++)
    if (t->slots[i].row) hash_insert(slots, n - 1, t->slots[i].hash, t->slots[i].row - 1);
  free(t->slots);
  t->slots = slots;
  t->mask = n - 1;
}

static void hash_add(Table *t, uint32_t r, uint32_t hash) {
  if (!t->slots || t->n_live * 4 >= (t->mask + 1) * 3) rehash(t, t->slots ? (t->mask + 1) * 2 : 8);
  hash_insert(t->slots, t->mask, hash, r);
  t->n_live++;
}

static void hash_remove(Table *t, uint32_t r) {
  uint32_t hole = val_hash(table_row(t, r), t->n_in) & t->mask;
  while (t->slots[hole].row != r + 1) hole = (hole + 1) & t->mask;
  for (uint32_t i = (hole + 1) & t->mask; t->slots[i].row; i = (i + 1) & t->mask)
    if (((i - t->slots[i].hash) & t->mask) >= ((i - hole) & t->mask)) {
      t->slots[hole] = t->slots[i];
      hole = i;
    }
  t->slots[hole].row = 0;
  t->n_live--;
}

static inline bool same_inputs(const uint32_t *row, const Val *in, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (row[i] != in[i]) return false;
  return true;
}

uint32_t table_find_hashed(const Table *t, const Val *in, uint32_t hash) {
  if (!t->slots) return ROW_NONE;
  for (uint32_t k = hash & t->mask; t->slots[k].row; k = (k + 1) & t->mask)
    if (t->slots[k].hash == hash && same_inputs(table_row(t, t->slots[k].row - 1), in, t->n_in))
      return t->slots[k].row - 1;
  return ROW_NONE;
}

uint32_t table_find(const Table *t, const Val *in) {
  return t->slots ? table_find_hashed(t, in, val_hash(in, t->n_in)) : ROW_NONE;
}

uint32_t table_append(Table *t, uint32_t epoch, const Val *cols, uint32_t meta, uint32_t hash) {
  if (t->n_rows == t->cap) {
    t->cap = t->cap ? t->cap + t->cap / 2 : 4;
    t->rows = xrealloc(t->rows, (size_t)t->cap * t->stride * sizeof *t->rows);
  }
  if (!t->starts.len || vec_last(&t->starts).epoch != epoch) vec_push(&t->starts, (EpochStart){epoch, t->n_rows});
  uint32_t r = t->n_rows++, *row = table_row(t, r);
  for (uint32_t i = 0; i < t->n_cols; i++) row[i] = cols[i];
  row[t->n_cols] = meta;
  if (meta & ROW_SUBSUMED) t->n_subsumed++;
  hash_add(t, r, hash);
  return r;
}

bool table_rewrite(Table *t, uint32_t r, const Val *cols) {
  uint32_t hash = val_hash(cols, t->n_in), *row = table_row(t, r), found = table_find_hashed(t, cols, hash);
  if (found != r) {
    if (found != ROW_NONE) return false;
    hash_remove(t, r);
    hash_add(t, r, hash);
  }
  memcpy(row, cols, t->n_cols * sizeof *cols);
  return true;
}

void table_kill(Table *t, uint32_t r) {
  hash_remove(t, r);
  uint32_t *meta = table_meta(t, r);
  if (*meta & ROW_SUBSUMED) t->n_subsumed--;
  *meta |= ROW_DEAD;
}

void table_revive(Table *t, uint32_t r) {
  uint32_t *meta = table_meta(t, r);
  *meta &= ~ROW_DEAD;
  if (*meta & ROW_SUBSUMED) t->n_subsumed++;
  hash_add(t, r, val_hash(table_row(t, r), t->n_in));
}

void table_truncate(Table *t, uint32_t n) {
  for (size_t i = 0; i < t->indexes.len; i++) colindex_truncate(t->indexes.at[i], t, n);
  for (uint32_t r = t->n_rows; r-- > n;)
    if (!(*table_meta(t, r) & ROW_DEAD)) table_kill(t, r);
  t->n_rows = n;
  while (t->starts.len && vec_last(&t->starts).row >= n) t->starts.len--;
}

uint32_t table_since(const Table *t, uint32_t e) {
  size_t lo = 0, hi = t->starts.len;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (t->starts.at[mid].epoch < e)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < t->starts.len ? t->starts.at[lo].row : t->n_rows;
}

/* The slot of live row r becomes that of row `to`, where it moves. */
static void hash_move(Table *t, uint32_t r, uint32_t to) {
  uint32_t k = val_hash(table_row(t, r), t->n_in) & t->mask;
  while (t->slots[k].row != r + 1) k = (k + 1) & t->mask;
  t->slots[k].row = to + 1;
}

static void hash_all(Table *t) {
  uint32_t want = 8;
  while (t->n_rows * 4 >= want * 3) want *= 2;
  free(t->slots);
  t->slots = xcalloc(want, sizeof *t->slots);
  t->mask = want - 1;
  for (uint32_t r = 0; r < t->n_rows; r++) hash_insert(t->slots, t->mask, val_hash(table_row(t, r), t->n_in), r);
}

void table_compact(Table *t, uint32_t from) {
  t->generation++;
  for (size_t i = 0; i < t->indexes.len; i++) {
    if (from)
      colindex_truncate(t->indexes.at[i], t, from);
    else
      colindex_clear(t->indexes.at[i]);
  }
  uint32_t n = from;
  size_t s = 0;
  while (s < t->starts.len && t->starts.at[s].row < from) s++;
  size_t kept = s;
  for (uint32_t r = from; r < t->n_rows; r++) {
    for (; s < t->starts.len && t->starts.at[s].row == r; s++)
      t->starts.at[kept++] = (EpochStart){t->starts.at[s].epoch, n};
    const uint32_t *row = table_row(t, r);
    if (row[t->n_cols] & ROW_DEAD) continue;
    if (n != r) {
      if (from) hash_move(t, r, n);
      memcpy(table_row(t, n), row, t->stride * sizeof *row);
    }
    n++;
  }
  t->starts.len = kept;
  t->n_rows = n;
  if (!from) hash_all(t);
}

static ColIndex *find_index(const Table *t, const uint32_t *cols, uint32_t n) {
  for (size_t i = 0; i < t->indexes.len; i++) {
    ColIndex *ix = t->indexes.at[i];
    if (ix->n == n && !memcmp(ix->cols, cols, n * sizeof *cols)) return ix;
  }
  return NULL;
}

uint32_t table_indexed(const Table *t, uint32_t col) {
  const ColIndex *ix = find_index(t, &col, 1);
  return ix ? ix->built : 0;
}

ColIndex *table_index(Table *t, const uint32_t *cols, uint32_t n, uint32_t end, bool keep_dead) {
  ColIndex *ix = find_index(t, cols, n);
  if (!ix) {
    ix = colindex_new(cols, n);
    vec_push(&t->indexes, ix);
  }
  colindex_extend(ix, t, end, keep_dead);
  return ix;
}
