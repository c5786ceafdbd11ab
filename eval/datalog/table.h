/* Tables: the rows of one constructor, function or relation.
 *
 * A row is `n_cols` values and a meta word, stored together: a join that reaches a row reads all of it, one cache line.
 *     [ inputs ... | output | dead 1, subsumed 1, reason 30 ]
 * Rows are only appended; a changed row is killed and appended anew.  So rows are in order of time, "new since epoch e"
 * is a range of rows, and undo is truncation plus revival.  Dead rows are squeezed out by table_compact.
 * A hash of the live rows by their inputs finds a row; column indexes (colindex.h) find rows by any other columns.
 * Invariant: the hash holds exactly the live rows; epochs in `starts` and their rows increase. */
#ifndef TVR_DATALOG_TABLE_H
#define TVR_DATALOG_TABLE_H
#include "eval/datalog/colindex.h"
#include "eval/datalog/ir.h"
#include "eval/datalog/sample.h"

#define ROW_DEAD 0x80000000u
#define ROW_SUBSUMED 0x40000000u
#define ROW_REASON 0x3fffffffu
#define ROW_NONE UINT32_MAX

typedef struct EpochStart {
  uint32_t epoch, row;
} EpochStart;

typedef struct Table {
  Sym name;
  TableId id;
  TableKind kind;
  uint32_t n_in, n_cols, stride;
  SortId *sorts;      /* of the columns */
  SortId out;         /* sort of the term: the last column's, or the relation's SORT_ROW */
  uint64_t cost;
  bool unextractable, hidden;
  bool has_ids;       /* some column may move when classes merge */
  IrBlock *merge;     /* NULL: none */
  PrimId lattice;     /* the merge is this least or greatest of both; or IR_NONE (lattice.h) */
  bool keeps_old, takes_new, may_lose_rows;
  uint32_t *rows;
  uint32_t n_rows, cap, n_live, n_subsumed;
  RowSlot *slots;
  uint32_t mask;      /* slots - 1; 0 slots: NULL */
  Vec(EpochStart) starts;
  Vec(ColIndex *) indexes;
  Vec(uint32_t) deletes, sets, subsumes; /* gathered by the iteration under way: flat keys, rows with reason, keys */
  bool touched;       /* one of these is not empty */
  uint32_t undo_level; /* latest push that has recorded this table's length, */
  uint32_t undo_rows;  /* which was this or less */
  uint64_t looked_at;  /* rows looked at one by one for merged ids since an index was last extended for that */
  uint32_t compact_at; /* number of rows at which to look for dead ones again */
  Sample *samples;     /* by column; NULL: none taken */
  uint32_t generation; /* grows when rows change their numbers */
  TableId costs_of;    /* the constructor whose terms' costs the rows are; IR_NONE: none */
  Sym cost_model;      /* in this cost model */
} Table;

static inline uint32_t *table_row(const Table *t, uint32_t r) { return t->rows + (size_t)r * t->stride; }
static inline uint32_t *table_meta(const Table *t, uint32_t r) { return t->rows + (size_t)r * t->stride + t->n_cols; }

void table_free(Table *t);
/* The live row with these inputs, or ROW_NONE. */
uint32_t table_find(const Table *t, const Val *in);
/* The same with their hash given: val_hash(in, t->n_in). */
uint32_t table_find_hashed(const Table *t, const Val *in, uint32_t hash);
/* Will soon be looked for. */
static inline void table_prefetch(const Table *t, uint32_t hash) {
  if (t->slots) __builtin_prefetch(&t->slots[hash & t->mask]);
}
/* The slot has come: so will the row it names. */
static inline void table_prefetch_row(const Table *t, uint32_t hash) {
  if (!t->slots) return;
  const RowSlot *s = &t->slots[hash & t->mask];
  if (s->row) __builtin_prefetch(table_row(t, s->row - 1));
}
/* Appends a row; its inputs, with that hash, must not be there.  `meta` without ROW_DEAD. */
uint32_t table_append(Table *t, uint32_t epoch, const Val *cols, uint32_t meta, uint32_t hash);
/* Gives live row r, which no index has, other columns; false if another row has these inputs. */
bool table_rewrite(Table *t, uint32_t r, const Val *cols);
/* Takes a live row out of the hash and marks it dead. */
void table_kill(Table *t, uint32_t r);
/* The reverse, for undo. */
void table_revive(Table *t, uint32_t r);
/* Forgets the rows from n on, for undo. */
void table_truncate(Table *t, uint32_t n);
/* First row of epoch `e` or later. */
uint32_t table_since(const Table *t, uint32_t e);
/* Drops the dead rows from row `from` on; row numbers change, order does not. */
void table_compact(Table *t, uint32_t from);
/* Index on the columns given (ascending), with at least the rows before `end`. */
ColIndex *table_index(Table *t, const uint32_t *cols, uint32_t n, uint32_t end, bool keep_dead);
/* Rows before this one are in the index on the column. */
uint32_t table_indexed(const Table *t, uint32_t col);
#endif
