#include "eval/datalog/undo.h"

#include "eval/datalog/db.h"
#include "eval/datalog/extract.h"
#include "eval/datalog/prim.h"
#include "eval/datalog/run.h"

void undo_note(Undo *u, UndoKind kind, uint32_t a, uint32_t b, uint32_t c) {
  vec_push(&u->log, (UndoEntry){kind, a, b, c});
}

uint32_t db_append_hashed(Db *db, Table *t, const uint32_t *cols, uint32_t meta, uint32_t hash) {
  if (t->undo_level < db->undo.marks.len) {
    undo_note(&db->undo, UNDO_TABLE_LENGTH, t->id, t->n_rows, t->undo_level);
    t->undo_level = (uint32_t)db->undo.marks.len;
    t->undo_rows = t->compact_at = t->n_rows;
  }
  db->version++;
  return table_append(t, db->epoch, cols, meta, hash);
}

uint32_t db_append(Db *db, Table *t, const uint32_t *cols, uint32_t meta) {
  return db_append_hashed(db, t, cols, meta, val_hash(cols, t->n_in));
}

void db_kill(Db *db, Table *t, uint32_t r) {
  if (undo_active(&db->undo)) undo_note(&db->undo, UNDO_ROW_KILLED, t->id, r, 0);
  extract_note(db, t, r);
  table_kill(t, r);
}

void db_set_meta(Db *db, Table *t, uint32_t r, uint32_t meta) {
  uint32_t *at = table_meta(t, r);
  if (undo_active(&db->undo)) undo_note(&db->undo, UNDO_ROW_META, t->id, r, *at);
  t->n_subsumed += !(*at & ROW_SUBSUMED) && (meta & ROW_SUBSUMED);
  *at = meta;
  extract_note(db, t, r);
  db->version++;
}

static Table *table_of(Db *db, uint32_t id) {
  return id == BOXES_IN_CLASS ? &db->boxes.in_class : id == BOXES_IN_BOX ? &db->boxes.in_box : db->tables.at[id];
}

bool db_push(Db *db) {
  UndoMark m = {
    .log = db->undo.log.len, .sorts = db->sorts.len, .tables = db->tables.len, .prims = db->prims.len,
    .targets = db->targets.len, .rules = db->rules.len, .rulesets = db->rulesets.len, .globals = db->globals.len,
    .boxes = db->boxes.box.len, .pool = db->boxes.pool.len, .reasons = db->reasons.len, .times = db->times.len,
    .rebuilt_classes = db->rebuilt_classes, .rebuilt_boxes = db->rebuilt_boxes,
  };
  m.classes = uf_mark(&db->classes);
  m.box_uf = uf_mark(&db->boxes.uf);
  vec_push(&db->undo.marks, m);
  return true;
}

static void truncate_tables(Db *db, size_t from) {
  for (size_t i = db->undo.log.len; i-- > from;) {
    const UndoEntry *e = &db->undo.log.at[i];
    if (e->kind != UNDO_TABLE_LENGTH) continue;
    Table *t = table_of(db, e->a);
    extract_note_truncate(db, t, e->b);
    table_truncate(t, e->b);
    t->undo_level = e->c;
    t->undo_rows = t->compact_at = t->n_rows;
  }
}

static void restore(Db *db, const UndoMark *m, const UndoEntry *e) {
  Table *t = e->kind == UNDO_ROW_KILLED || e->kind == UNDO_ROW_META ? table_of(db, e->a) : NULL;
  switch ((UndoKind)e->kind) {
  case UNDO_TABLE_LENGTH: break;
  case UNDO_ROW_KILLED:
    if (e->b < t->n_rows) table_revive(t, e->b), extract_note(db, t, e->b);
    break;
  case UNDO_ROW_META:
    if (e->b >= t->n_rows) break;
    t->n_subsumed -= (*table_meta(t, e->b) & ROW_SUBSUMED) && !(e->c & ROW_SUBSUMED);
    *table_meta(t, e->b) = e->c;
    extract_note(db, t, e->b);
    break;
  case UNDO_BOX_STALE:
    if (e->a < m->boxes) box_revive(&db->boxes, e->a);
    break;
  case UNDO_RULE_LAST:
    if (e->a < m->rules) db->rules.at[e->a]->last = e->b;
    break;
  case UNDO_GLOBAL:
    if (e->a >= m->globals) break;
    db->globals.at[e->a].seen = e->b;
    db->globals.at[e->a].moved_at = e->c;
    break;
  }
}

static void drop_declarations(Db *db, const UndoMark *m) {
  while (db->tables.len > m->tables) {
    Table *t = vec_pop(&db->tables);
    table_free(t);
  }
  db->specs.len = m->tables;
  while (db->rules.len > m->rules) {
    Rule *r = vec_pop(&db->rules);
    rule_free(r);
  }
  while (db->rulesets.len > m->rulesets) {
    Ruleset *rs = vec_pop(&db->rulesets);
    vec_free(&rs->rules);
    vec_free(&rs->members);
  }
  for (size_t i = 0; i < db->rulesets.len; i++) {
    Ruleset *rs = db->rulesets.at[i];
    while (rs->rules.len && vec_last(&rs->rules) >= m->rules) rs->rules.len--;
  }
  if (db->prims.len > m->prims) prim_truncate(db, m->prims);
  db->sorts.len = m->sorts;
  db->targets.len = m->targets;
  db->globals.len = m->globals;
}

bool db_pop(Db *db) {
  if (!db->undo.marks.len) return db_fail(db, (Span){0, 0, 0}, "pop without a push");
  const UndoMark m = vec_pop(&db->undo.marks);
  truncate_tables(db, m.log);
  boxes_truncate(&db->boxes, m.boxes, m.pool);
  while (db->undo.log.len > m.log) {
    const UndoEntry e = vec_pop(&db->undo.log);
    restore(db, &m, &e);
  }
  uf_undo(&db->classes, m.classes);
  uf_undo(&db->boxes.uf, m.box_uf);
  db->rebuilt_classes = m.rebuilt_classes;
  db->rebuilt_boxes = m.rebuilt_boxes;
  drop_declarations(db, &m);
  db->reasons.len = m.reasons;
  db->times.len = m.times;
  extract_note_pop(db);
  db->version++;
  return true;
}
