/* Column index: rows of a table by the values of some of its columns.
 *
 * A hash from key to the latest row with it; `next` chains the rows of one key, latest first, so rows older or newer than
 * a mark are a prefix or suffix of the chain.  Filled lazily up to `built` rows; rows killed later stay in their
 * chains and are skipped by readers.
 * Invariant: next[r] < r; a key's slot holds the largest row built with that key. */
#ifndef TVR_DATALOG_COLINDEX_H
#define TVR_DATALOG_COLINDEX_H
#include <stdbool.h>
#include <stdint.h>

#include "eval/datalog/value.h"

typedef struct RowSlot {
  uint32_t hash, row; /* row + 1; 0: free */
} RowSlot;

typedef struct ColIndex {
  uint32_t n;
  uint32_t *cols;
  RowSlot *slots;
  uint32_t mask, n_keys;
  uint32_t *next; /* row + 1; 0: end */
  uint32_t cap, built;
} ColIndex;

struct Table;

ColIndex *colindex_new(const uint32_t *cols, uint32_t n);
void colindex_free(ColIndex *ix);
void colindex_clear(ColIndex *ix);
/* Adds the rows from `built` to the table's end; dead ones only if keep_dead. */
void colindex_extend(ColIndex *ix, const struct Table *t, bool keep_dead);
/* Forgets the rows from n on. */
void colindex_truncate(ColIndex *ix, const struct Table *t, uint32_t n);
/* Latest row with this key, plus one; 0 if none. */
uint32_t colindex_first(const ColIndex *ix, const struct Table *t, const Val *key);
#endif
