#include "eval/datalog/reason.h"

static uint32_t begin(Db *db, uint32_t n) {
  uint32_t at = (uint32_t)db->reasons.len;
  if ((size_t)at + n > ROW_REASON) return 0;
  vec_reserve(&db->reasons, db->reasons.len + n);
  return at;
}

uint32_t reason_now(Db *db) {
  if (db->now.reason) return db->now.reason;
  bool given = db->now.rule == IR_NONE;
  uint32_t n = given ? 3 : db->now.n_regs + 1, at = begin(db, n);
  if (!at) return 0;
  uint32_t *words = db->reasons.at + at;
  words[0] = given ? REASON_GIVEN : db->now.rule;
  if (given) {
    words[1] = db->now.at.source;
    words[2] = db->now.at.lo;
  } else {
    memcpy(words + 1, db->now.regs, db->now.n_regs * sizeof *words);
  }
  db->reasons.len += n;
  return db->now.reason = at;
}

uint32_t reason_congruent(Db *db, const Table *t, const Val *a, const Val *b) {
  uint32_t n = 2 + 2 * t->n_cols, at = begin(db, n);
  if (!at) return 0;
  uint32_t *words = db->reasons.at + at;
  words[0] = REASON_CONGRUENT;
  words[1] = t->id;
  memcpy(words + 2, a, t->n_cols * sizeof *words);
  memcpy(words + 2 + t->n_cols, b, t->n_cols * sizeof *words);
  db->reasons.len += n;
  return at;
}
