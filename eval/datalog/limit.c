#include "eval/datalog/limit.h"

#include "lang/base/clock.h"

enum { MOST_ROWS = 1 << 30 };

void db_set_limits(Db *db, const DbLimits *limits) {
  db->limits = *limits;
  db->started = clock_passed();
  db->n_matches = db->n_iterations = 0;
  db->limit_reached = false;
}

bool db_limit_reached(const Db *db) { return db->limit_reached; }

typedef struct {
  uint64_t rows, bytes;
} Usage;

static Usage usage(const Db *db) {
  Usage u = {0};
  for (size_t i = 0; i < db->tables.len; i++) {
    const Table *t = db->tables.at[i];
    u.rows += t->n_live;
    u.bytes += (uint64_t)t->cap * t->stride * 4 + (t->slots ? (t->mask + 1ull) * sizeof *t->slots : 0);
    u.bytes += (t->sets.cap + t->deletes.cap) * sizeof(uint32_t);
    for (size_t k = 0; k < t->indexes.len; k++) u.bytes += colindex_bytes(t->indexes.at[k]);
  }
  u.bytes += db->classes.parent.cap * 4 + db->classes.log.cap * sizeof(UfUnion) + db->reasons.cap * 4;
  u.bytes += db->boxes.pool.cap * 4 + db->boxes.box.cap * sizeof(Box) + db->undo.log.cap * sizeof(UndoEntry);
  return u;
}

static bool reached(Db *db, const char *what, double limit) {
  db->limit_reached = true;
  return db_fail(db, (Span){0, 0, 0}, "stopped at the limit of %.15g %s", limit, what),
           db_advise(db, "bound the rules that grew most, or raise the limit");
}

void db_on_progress(Db *db, bool (*show)(void *ctx, const DbProgress *p), void *ctx) {
  db->progress.show = show;
  db->progress.ctx = ctx;
}

static bool show_progress(Db *db, double now) {
  const double pause = 0.2;
  if (now - db->progress.shown_at < pause) return true;
  db->progress.shown_at = now;
  Sym rule = db->now.rule == IR_NONE ? 0 : db->rules.at[db->now.rule]->ir.name;
  DbProgress p = {now - db->started, db->n_iterations, usage(db).rows, db->n_matches, rule};
  if (db->progress.show(db->progress.ctx, &p)) return true;
  db->limit_reached = true;
  return db_fail(db, (Span){0, 0, 0}, "interrupted");
}

/* All of it, which takes time in proportion to the number of tables. */
static bool look(Db *db) {
  const DbLimits *l = &db->limits;
  db->checked_at = db->version + 1;
  db->unchecked = 0;
  Usage u = usage(db);
  if (l->bytes && u.bytes > l->bytes) return reached(db, "bytes", (double)l->bytes);
  uint64_t most = l->rows && l->rows < MOST_ROWS ? l->rows : MOST_ROWS;
  return u.rows <= most || reached(db, "rows", (double)most);
}

bool limit_check(Db *db) {
  enum { GLANCES = 64, CHANGES = 4096, FEW = 16 }; /* between two full looks */
  const DbLimits *l = &db->limits;
  if (db->failed) return false;
  double now = l->seconds > 0 || db->progress.show ? clock_passed() : 0;
  if (l->seconds > 0 && now - db->started > l->seconds) return reached(db, "seconds", l->seconds);
  if (db->progress.show && !show_progress(db, now)) return false;
  if (l->matches && db->n_matches > l->matches) return reached(db, "matches", (double)l->matches);
  uint64_t changes = l->rows && l->rows / FEW < CHANGES ? l->rows / FEW : CHANGES;
  if (db->checked_at && db->version < db->checked_at + changes && ++db->unchecked < GLANCES) return true;
  return look(db);
}

bool limit_look(Db *db) { return limit_check(db) && ((!db->limits.rows && !db->limits.bytes) || look(db)); }

bool limit_iteration(Db *db) {
  if (!limit_look(db)) return false;
  if (db->limits.iterations && db->n_iterations >= db->limits.iterations)
    return reached(db, "iterations", (double)db->limits.iterations);
  db->n_iterations++;
  return true;
}
