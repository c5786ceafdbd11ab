#include "eval/datalog/reason.h"

static uint32_t *begin(Db *db, uint32_t n) {
  size_t at = db->reasons.len;
  if (db->no_reasons || at + n > ROW_REASON) return NULL;
  vec_reserve(&db->reasons, at + n);
  db->reasons.len += n;
  return db->reasons.at + at;
}

static uint32_t offset(const Db *db, const uint32_t *record) { return (uint32_t)(record - db->reasons.at); }

/* Reason of what the match under way does, recorded when first asked for. */
static uint32_t reason_match(Db *db) {
  if (db->now.reason || db->now.rule == IR_NONE) return db->now.reason;
  uint32_t *words = begin(db, db->now.n_regs + 1);
  if (!words) return 0;
  words[0] = db->now.rule;
  memcpy(words + 1, db->now.regs, db->now.n_regs * sizeof *words);
  return db->now.reason = offset(db, words);
}

/* Does a row say by itself what it was when it was made? */
static bool says_itself(const Table *t) { return t->kind == TABLE_RELATION && !t->has_ids; }

/* A record of four words, and the row's columns. */
static uint32_t explicit_row(Db *db, uint32_t kind, uint32_t a, uint32_t b, const Table *t, const Val *cols,
                             bool fresh) {
  uint32_t *words = begin(db, 4 + (t ? t->n_cols : 0));
  if (!words) return 0;
  words[0] = kind;
  words[1] = a;
  words[2] = b;
  words[3] = t ? t->id : IR_NONE;
  if (t && t->n_cols) memcpy(words + 4, cols, t->n_cols * sizeof *words);
  if (fresh) words[3 + t->n_cols] |= REASON_MADE;
  return offset(db, words);
}

uint32_t reason_row(Db *db, const Table *t, const Val *cols, bool fresh) {
  uint32_t parent;
  switch (db->now.by) {
    case BY_MATCH: return reason_match(db);
    case BY_CALL:
      parent = reason_match(db);
      return parent ? explicit_row(db, REASON_CALL, parent, db->now.op, t, cols, fresh) : 0;
    case BY_MERGE: return explicit_row(db, REASON_CALL, db->now.reason, IR_NONE, t, cols, fresh);
    case BY_ACTION: break;
  }
  if (says_itself(t)) return reason_union(db);
  return explicit_row(db, REASON_GIVEN, db->now.at.source, db->now.at.lo, t, cols, fresh);
}

uint32_t reason_union(Db *db) {
  uint32_t parent;
  switch (db->now.by) {
    case BY_MATCH: return reason_match(db);
    case BY_CALL:
      parent = reason_match(db);
      return parent ? explicit_row(db, REASON_CALL, parent, db->now.op, NULL, NULL, false) : 0;
    case BY_MERGE: return explicit_row(db, REASON_CALL, db->now.reason, IR_NONE, NULL, NULL, false);
    case BY_ACTION: break;
  }
  if (db->now.reason) return db->now.reason;
  return db->now.reason = explicit_row(db, REASON_GIVEN, db->now.at.source, db->now.at.lo, NULL, NULL, false);
}

uint32_t reason_congruent(Db *db, const Table *t, const Val *in) {
  uint32_t *words = begin(db, 2 + t->n_in);
  if (!words) return 0;
  words[0] = REASON_CONGRUENT;
  words[1] = t->id;
  if (t->n_in) memcpy(words + 2, in, t->n_in * sizeof *words);
  return offset(db, words);
}

uint32_t reason_merged(Db *db, const Table *t, const Val *in, const Val *regs) {
  uint32_t *words = begin(db, 3 + t->n_in + t->merge->n_regs);
  if (!words) return 0;
  words[0] = REASON_MERGED;
  words[1] = t->id;
  words[2] = (uint32_t)db->classes.log.len;
  if (t->n_in) memcpy(words + 3, in, t->n_in * sizeof *words);
  memcpy(words + 3 + t->n_in, regs, t->merge->n_regs * sizeof *words);
  return offset(db, words);
}

void reason_cut(Db *db, uint32_t reason, const IrBlock *b, uint32_t first) {
  for (uint32_t i = first; i < b->n_ops; i++)
    if (b->ops[i].dst != IR_NONE) db->reasons.at[reason + 1 + b->ops[i].dst] = VAL_NONE;
}

void reason_begin_epoch(Db *db) {
  uint32_t at = (uint32_t)db->reasons.len;
  if (db->times.len && vec_last(&db->times).first == at) db->times.len--;
  vec_push(&db->times, (ReasonTime){at, UINT32_MAX, (uint32_t)db->classes.log.len});
}

void reason_end_search(Db *db) {
  if (db->times.len && vec_last(&db->times).end == UINT32_MAX) vec_last(&db->times).end = (uint32_t)db->reasons.len;
}

uint32_t reason_length(const Db *db, uint32_t at) {
  const uint32_t *w = db->reasons.at + at;
  switch (w[0]) {
    case REASON_GIVEN:
    case REASON_CALL: return 4 + (w[3] == IR_NONE ? 0 : db->tables.at[w[3]]->n_cols);
    case REASON_CONGRUENT: return 2 + db->tables.at[w[1]]->n_in;
    case REASON_MERGED: return 3 + db->tables.at[w[1]]->n_in + db->tables.at[w[1]]->merge->n_regs;
    default: return 1 + db->rules.at[w[0]]->ir.block.n_regs;
  }
}
