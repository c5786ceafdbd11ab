#include "eval/datalog/limit.h"

#include <time.h>

enum { MOST_ROWS = 1 << 30 };

double limit_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void db_set_limits(Db *db, const DbLimits *limits) {
  db->limits = *limits;
  db->started = limit_now();
}

bool db_limit_reached(const Db *db) { return db->limit_reached; }

typedef struct {
  uint64_t rows, bytes, matches;
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
  for (size_t i = 0; i < db->rules.len; i++) u.matches += db->rules.at[i]->matches;
  return u;
}

/* Appends the names of the rules that made most rows. */
static void name_growers(const Db *db, char *buf, size_t size) {
  size_t len = strlen(buf);
  const Rule *last = NULL;
  for (int k = 0; k < 3; k++) {
    const Rule *best = NULL;
    for (size_t i = 0; i < db->rules.len; i++) {
      const Rule *r = db->rules.at[i];
      bool after = !last || r->made < last->made || (r->made == last->made && r->ir.at.lo > last->ir.at.lo);
      if (r->made && after && (!best || r->made > best->made)) best = r;
    }
    if (!best || len + 90 > size) return;
    len += (size_t)snprintf(buf + len, size - len, "%s %.50s (%llu rows)",
                            k ? "," : "; most grew:", sym_text(best->ir.name), (unsigned long long)best->made);
    last = best;
  }
}

static bool reached(Db *db, const char *what, double limit) {
  char buf[400];
  snprintf(buf, sizeof buf, "stopped at the limit of %.15g %s", limit, what);
  name_growers(db, buf, sizeof buf);
  db->limit_reached = true;
  return db_fail(db, (Span){0, 0, 0}, "%s", buf);
}

bool limit_check(Db *db) {
  const DbLimits *l = &db->limits;
  if (db->failed) return false;
  if (l->seconds > 0 && limit_now() - db->started > l->seconds) return reached(db, "seconds", l->seconds);
  if (db->version < db->checked_at + 4096 && db->checked_at) return true;
  db->checked_at = db->version + 1;
  Usage u = usage(db);
  if (l->matches && u.matches > l->matches) return reached(db, "matches", (double)l->matches);
  if (l->bytes && u.bytes > l->bytes) return reached(db, "bytes", (double)l->bytes);
  uint64_t most = l->rows && l->rows < MOST_ROWS ? l->rows : MOST_ROWS;
  return u.rows <= most || reached(db, "rows", (double)most);
}
