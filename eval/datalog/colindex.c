#include "eval/datalog/colindex.h"

#include "eval/datalog/table.h"

ColIndex *colindex_new(const uint32_t *cols, uint32_t n) {
  ColIndex *ix = xcalloc(1, sizeof *ix);
  ix->n = n;
  ix->cols = xmalloc(n * sizeof *cols + 1);
  memcpy(ix->cols, cols, n * sizeof *cols);
  return ix;
}

void colindex_clear(ColIndex *ix) {
  free(ix->slots);
  free(ix->first);
  free(ix->next);
  ix->slots = NULL;
  ix->first = ix->next = NULL;
  ix->mask = ix->n_keys = ix->n_first = ix->greatest = ix->cap = ix->built = 0;
}

void colindex_free(ColIndex *ix) {
  colindex_clear(ix);
  free(ix->cols);
  free(ix);
}

/* Of one column the slot keeps the value itself, which decides equality without a look at the row. */
static uint32_t tag_of(const ColIndex *ix, const uint32_t *row) {
  if (ix->n == 1) return row[ix->cols[0]];
  uint64_t h = ix->n;
  for (uint32_t i = 0; i < ix->n; i++) h = val_mix(h, row[ix->cols[i]]);
  return (uint32_t)h;
}

static inline uint32_t home(const ColIndex *ix, uint32_t tag, uint32_t mask) {
  return (ix->n == 1 ? (uint32_t)val_mix(1, tag) : tag) & mask;
}

static bool same_key(const ColIndex *ix, const uint32_t *a, const uint32_t *b) {
  for (uint32_t i = 0; ix->n > 1 && i < ix->n; i++)
    if (a[ix->cols[i]] != b[ix->cols[i]]) return false;
  return true;
}

/* Makes room for so many keys. */
static void reserve(ColIndex *ix, uint32_t n_keys) {
  uint32_t n = ix->slots ? ix->mask + 1 : 16;
  while ((uint64_t)n_keys * 4 >= (uint64_t)n * 3) n *= 2;
  if (ix->slots && n == ix->mask + 1) return;
  RowSlot *slots = xcalloc(n, sizeof *slots);
  for (uint32_t i = 0; ix->slots && i <= ix->mask; i++)
    if (ix->slots[i].row) {
      uint32_t k = home(ix, ix->slots[i].hash, n - 1);
      while (slots[k].row) k = (k + 1) & (n - 1);
      slots[k] = ix->slots[i];
    }
  free(ix->slots);
  ix->slots = slots;
  ix->mask = n - 1;
}

/* Slot of the key of `row`, or the free slot where it belongs. */
static RowSlot *slot_of(const ColIndex *ix, const Table *t, const uint32_t *row, uint32_t hash) {
  uint32_t k = home(ix, hash, ix->mask);
  while (ix->slots[k].row && (ix->slots[k].hash != hash || !same_key(ix, table_row(t, ix->slots[k].row - 1), row)))
    k = (k + 1) & ix->mask;
  return &ix->slots[k];
}

/* Puts row r in front of the chain of its key. */
static inline void link_row(ColIndex *ix, RowSlot *s, uint32_t tag, uint32_t r) {
  ix->n_keys += !s->row;
  ix->next[r] = s->row;
  *s = (RowSlot){tag, r + 1};
}

/* ---- by value ---- */

/* Makes room for the value. */
static void reach(ColIndex *ix, uint32_t value) {
  uint32_t n = value + 1 > ix->n_first + ix->n_first / 2 ? value + 1 : ix->n_first + ix->n_first / 2;
  ix->first = xrealloc(ix->first, (size_t)n * sizeof *ix->first);
  memset(ix->first + ix->n_first, 0, (size_t)(n - ix->n_first) * sizeof *ix->first);
  ix->n_first = n;
}

static void hash_to_first(ColIndex *ix, uint32_t greatest) {
  reach(ix, greatest);
  for (uint32_t i = 0; ix->slots && i <= ix->mask; i++)
    if (ix->slots[i].row) ix->first[ix->slots[i].hash] = ix->slots[i].row;
  free(ix->slots);
  ix->slots = NULL;
  ix->mask = 0;
}

static void first_to_hash(ColIndex *ix) {
  reserve(ix, ix->n_keys + 16);
  for (uint32_t v = 0; v < ix->n_first; v++) {
    if (!ix->first[v]) continue;
    uint32_t k = home(ix, v, ix->mask);
    while (ix->slots[k].row) k = (k + 1) & ix->mask;
    ix->slots[k] = (RowSlot){v, ix->first[v]};
  }
  free(ix->first);
  ix->first = NULL;
  ix->n_first = 0;
}

/* Hash or not, for the rows from `built` to `end` and those before. */
static void choose_form(ColIndex *ix, const Table *t, uint32_t end) {
  enum { SPARSE = 4 };
  if (ix->n != 1) return;
  uint32_t greatest = ix->greatest;
  const uint32_t *value = table_row(t, ix->built) + ix->cols[0];
  for (uint32_t r = ix->built; r < end; r++, value += t->stride)
    if (*value > greatest) greatest = *value;
  ix->greatest = greatest;
  bool dense = greatest < (uint64_t)end * SPARSE * (ix->first ? 2 : 1);
  if (dense && !ix->first)
    hash_to_first(ix, greatest);
  else if (!dense && ix->first)
    first_to_hash(ix);
  else if (dense && greatest >= ix->n_first)
    reach(ix, greatest);
}

static void extend_first(ColIndex *ix, const Table *t, uint32_t end, uint32_t skip) {
  enum { AHEAD = 12 };
  const uint32_t col = ix->cols[0], stride = t->stride, n_cols = t->n_cols, *row = table_row(t, ix->built);
  for (uint32_t r = ix->built; r < end; r++, row += stride) {
    if (r + AHEAD < end) __builtin_prefetch(&ix->first[row[AHEAD * stride + col]], 1);
    if (row[n_cols] & skip) continue;
    uint32_t *first = &ix->first[row[col]];
    ix->n_keys += !*first;
    ix->next[r] = *first;
    *first = r + 1;
  }
}

/* ---- both ---- */

static void extend_slots(ColIndex *ix, const Table *t, uint32_t end, uint32_t skip) {
  enum { AHEAD = 12 }; /* slots are far apart: ask for them some rows before */
  const uint32_t col = ix->cols[0], stride = t->stride, n_cols = t->n_cols, *row = table_row(t, ix->built);
  for (uint32_t r = ix->built; r < end; r++, row += stride) {
    if (row[n_cols] & skip) continue;
    if (!ix->slots || ix->n_keys * 4 >= (ix->mask + 1) * 3) {
      uint32_t rest = end - r;
      reserve(ix, ix->n_keys + (rest < ix->n_keys ? rest : ix->n_keys) + 16);
    }
    if (ix->n == 1) {
      if (r + AHEAD < end) __builtin_prefetch(&ix->slots[home(ix, row[AHEAD * stride + col], ix->mask)], 1);
      uint32_t tag = row[col], k = home(ix, tag, ix->mask);
      while (ix->slots[k].row && ix->slots[k].hash != tag) k = (k + 1) & ix->mask;
      link_row(ix, &ix->slots[k], tag, r);
    } else {
      uint32_t tag = tag_of(ix, row);
      link_row(ix, slot_of(ix, t, row, tag), tag, r);
    }
  }
}

void colindex_extend(ColIndex *ix, const Table *t, uint32_t end, bool keep_dead) {
  if (ix->built >= end) return;
  if (ix->cap < end) {
    ix->cap = ix->cap && end < ix->cap + ix->cap / 2 ? ix->cap + ix->cap / 2 : end;
    ix->next = xrealloc(ix->next, (size_t)ix->cap * sizeof *ix->next);
  }
  choose_form(ix, t, end);
  if (ix->first)
    extend_first(ix, t, end, keep_dead ? 0 : ROW_DEAD);
  else
    extend_slots(ix, t, end, keep_dead ? 0 : ROW_DEAD);
  ix->built = end;
}

/* Removes a slot, closing the gap it leaves in its probe sequence. */
static void remove_slot(ColIndex *ix, uint32_t k) {
  RowSlot *slots = ix->slots;
  uint32_t hole = k, mask = ix->mask;
  for (uint32_t i = (k + 1) & mask; slots[i].row; i = (i + 1) & mask)
    if (((i - home(ix, slots[i].hash, mask)) & mask) >= ((i - hole) & mask)) {
      slots[hole] = slots[i];
      hole = i;
    }
  slots[hole].row = 0;
}

void colindex_truncate(ColIndex *ix, const Table *t, uint32_t n) {
  for (; ix->built > n; ix->built--) {
    uint32_t r = ix->built - 1;
    if (ix->first) {
      uint32_t *first = &ix->first[table_row(t, r)[ix->cols[0]]];
      if (*first != r + 1) continue;
      *first = ix->next[r];
      ix->n_keys -= !*first;
      continue;
    }
    if (!ix->slots) continue;
    RowSlot *s = slot_of(ix, t, table_row(t, r), tag_of(ix, table_row(t, r)));
    if (s->row != r + 1) continue;
    s->row = ix->next[r];
    if (s->row) continue;
    remove_slot(ix, (uint32_t)(s - ix->slots));
    ix->n_keys--;
  }
}

uint32_t colindex_first(const ColIndex *ix, const Table *t, const Val *key) {
  if (ix->first) return key[0] < ix->n_first ? ix->first[key[0]] : 0;
  if (!ix->slots) return 0;
  uint32_t tag = ix->n == 1 ? key[0] : val_hash(key, ix->n);
  for (uint32_t k = home(ix, tag, ix->mask); ix->slots[k].row; k = (k + 1) & ix->mask) {
    if (ix->slots[k].hash != tag) continue;
    if (ix->n == 1) return ix->slots[k].row;
    const uint32_t *row = table_row(t, ix->slots[k].row - 1);
    uint32_t i = 0;
    while (i < ix->n && row[ix->cols[i]] == key[i]) i++;
    if (i == ix->n) return ix->slots[k].row;
  }
  return 0;
}

uint64_t colindex_bytes(const ColIndex *ix) {
  return ix->cap * 4ull + ix->n_first * 4ull + (ix->slots ? (ix->mask + 1ull) * sizeof *ix->slots : 0);
}
