/* Column index: rows of a table by the values of some of its columns.
 *
 * A hash from key to the latest row with it; `next` chains the rows of one key from the latest to the oldest, so what is
 * new is a prefix, a row enters by its slot alone, and undo takes rows out in reverse.  Filled lazily up to `built`
 * rows; rows killed later stay in their chains and are skipped by readers.  Keys of one column whose values are not much
 * larger than the number of rows, as ids and small integers are, need no hash: `first` has the latest row by value.
 * Invariant: a key's slot holds the largest row built with that key, and chains descend. */
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
  uint32_t *first, n_first; /* NULL: hashed */
  uint32_t greatest;        /* no value of a single column is larger */
  uint32_t *next; /* row + 1 */
  uint32_t cap, built;
} ColIndex;

struct Table;

ColIndex *colindex_new(const uint32_t *cols, uint32_t n);
void colindex_free(ColIndex *ix);
void colindex_clear(ColIndex *ix);
/* Adds the rows from `built` to `end`; dead ones only if keep_dead. */
void colindex_extend(ColIndex *ix, const struct Table *t, uint32_t end, bool keep_dead);
/* Forgets the rows from n on. */
void colindex_truncate(ColIndex *ix, const struct Table *t, uint32_t n);
/* Latest row with this key, plus one; 0 if none. */
uint32_t colindex_first(const ColIndex *ix, const struct Table *t, const Val *key);
/* Bytes it takes. */
uint64_t colindex_bytes(const ColIndex *ix);
/* The next older row with the key of row r - 1, plus one; 0 at the end. */
static inline uint32_t colindex_next(const ColIndex *ix, uint32_t r) { return ix->next[r - 1]; }
#endif
