/* Push and pop: what was appended since a push is cut off, what was overwritten is restored from a log.
 *
 * The log is kept only while something is pushed.  A table's length is recorded when it is first appended to after a
 * push, so the cost of a push and a pop is proportional to what changed in between. */
#ifndef TVR_DATALOG_UNDO_H
#define TVR_DATALOG_UNDO_H
#include "eval/datalog/uf.h"

typedef enum UndoKind {
  UNDO_TABLE_LENGTH, /* a = table, b = rows before, c = undo level before */
  UNDO_ROW_KILLED,   /* a = table, b = row */
  UNDO_ROW_META,     /* a = table, b = row, c = meta before */
  UNDO_BOX_STALE,    /* a = container */
  UNDO_RULE_LAST,    /* a = rule, b = epoch before */
  UNDO_GLOBAL        /* a = global, b = seen before, c = moved_at before */
} UndoKind;

typedef struct UndoEntry {
  uint32_t kind, a, b, c;
} UndoEntry;

typedef struct UndoMark {
  size_t log, sorts, tables, prims, targets, rules, rulesets, globals, boxes, pool, reasons, times;
  size_t rebuilt_classes, rebuilt_boxes;
  UfMark classes, box_uf;
} UndoMark;

typedef struct Undo {
  Vec(UndoEntry) log;
  Vec(UndoMark) marks;
} Undo;

typedef struct Db Db;
struct Table;

/* The ways to change data that undo must hear of. */
uint32_t db_append(Db *db, struct Table *t, const uint32_t *cols, uint32_t meta);
uint32_t db_append_hashed(Db *db, struct Table *t, const uint32_t *cols, uint32_t meta, uint32_t hash);
void db_kill(Db *db, struct Table *t, uint32_t row);
void db_set_meta(Db *db, struct Table *t, uint32_t row, uint32_t meta);
static inline bool undo_active(const Undo *u) { return u->marks.len > 0; }
void undo_note(Undo *u, UndoKind kind, uint32_t a, uint32_t b, uint32_t c);
#endif
