#include "eval/datalog/claims.h"

#include "eval/datalog/reason.h"

/* ---- reading the records ---- */

static void add(Claims *c, const Table *t, uint32_t record, uint32_t op, const Val *cols, bool made) {
  for (uint32_t i = 0; i < t->n_cols; i++)
    if (cols[i] == VAL_NONE && t->sorts[i] != SORT_UNIT) return; /* of a match that was cut short */
  Claim claim = {.table = t->id, .record = record, .op = op, .cols = (uint32_t)c->pool.len, .made = made};
  vec_push(&c->all, claim);
  for (uint32_t i = 0; i < t->n_cols; i++) vec_push(&c->pool, cols[i]);
}

static void note_origin(Claims *c, const Table *t, bool fresh) {
  if (!fresh || t->kind != TABLE_CONSTRUCTOR) return;
  uint32_t *at = &c->origin[vec_last(&c->pool)];
  if (!*at) *at = (uint32_t)c->all.len;
}

/* A register of a match's record as a value of its sort, without the mark. */
static Val value_of(const Db *db, const IrBlock *b, const uint32_t *words, Reg r) {
  bool is_class = b->sorts && sort_of(db, b->sorts[r])->kind == SORT_EQ;
  return is_class && words[r] != VAL_NONE ? words[r] & ~REASON_MADE : words[r];
}

static void read_match(Claims *c, uint32_t record) {
  Db *db = c->db;
  const IrBlock *b = &db->rules.at[db->reasons.at[record]]->ir.block;
  Val *cols = xmalloc((b->widest + 2) * sizeof *cols);
  for (uint32_t k = 0; k < b->n_ops; k++) {
    const IrOp *op = &b->ops[k];
    if (op->kind != IR_MAKE && op->kind != IR_MAKE_AS && op->kind != IR_SET) continue;
    const Table *t = db->tables.at[op->op];
    const uint32_t *words = db->reasons.at + record + 1;
    for (uint32_t i = 0; i < op->n; i++) cols[i] = value_of(db, b, words, op->arg[i]);
    bool made = t->kind != TABLE_CONSTRUCTOR || (op->dst != IR_NONE && (words[op->dst] & REASON_MADE));
    if (op->kind == IR_MAKE && t->kind == TABLE_CONSTRUCTOR) {
      if (!made || op->dst == IR_NONE || words[op->dst] == VAL_NONE) continue;
      cols[op->n] = value_of(db, b, words, op->dst);
    }
    size_t before = c->all.len;
    add(c, t, record, k, cols, made);
    if (c->all.len > before) note_origin(c, t, made && op->kind == IR_MAKE);
  }
  free(cols);
}

static void read_row(Claims *c, uint32_t record) {
  const uint32_t *w = c->db->reasons.at + record;
  if (w[3] == IR_NONE) return;
  const Table *t = c->db->tables.at[w[3]];
  Val *cols = xmalloc((t->n_cols + 1) * sizeof *cols);
  if (t->n_cols) memcpy(cols, w + 4, t->n_cols * sizeof *cols);
  bool fresh = t->kind == TABLE_CONSTRUCTOR && (cols[t->n_in] & REASON_MADE);
  if (fresh) cols[t->n_in] &= ~REASON_MADE;
  add(c, t, record, IR_NONE, cols, true);
  note_origin(c, t, fresh);
  free(cols);
}

static void read_merged(Claims *c, uint32_t record) {
  const uint32_t *w = c->db->reasons.at + record;
  const Table *t = c->db->tables.at[w[1]];
  Val *cols = xmalloc((t->n_cols + 1) * sizeof *cols);
  if (t->n_in) memcpy(cols, w + 3, t->n_in * sizeof *cols);
  cols[t->n_in] = w[3 + t->n_in + t->merge->result];
  add(c, t, record, IR_NONE, cols, true);
  free(cols);
}

/* Rows of relations without ids that a top-level action made stand for themselves. */
static void read_tables(Claims *c) {
  Db *db = c->db;
  for (size_t i = 0; i < db->tables.len; i++) {
    const Table *t = db->tables.at[i];
    if (t->kind != TABLE_RELATION || t->has_ids) continue;
    for (uint32_t r = 0; r < t->n_rows; r++) {
      uint32_t reason = *table_meta(t, r) & ROW_REASON;
      if (reason && db->reasons.at[reason] == REASON_GIVEN) add(c, t, reason, IR_NONE, table_row(t, r), true);
    }
  }
}

static void read_records(Claims *c) {
  const Db *db = c->db;
  for (uint32_t at = 1; at < db->reasons.len; at += reason_length(db, at)) switch (db->reasons.at[at]) {
      case REASON_GIVEN:
      case REASON_CALL: read_row(c, at); break;
      case REASON_CONGRUENT: break;
      case REASON_MERGED: read_merged(c, at); break;
      default: read_match(c, at);
    }
}

/* ---- looking up ---- */

static uint32_t hash_now(const Claims *c, const Table *t, const Val *cols) {
  uint64_t h = t->id;
  for (uint32_t i = 0; i < t->n_in; i++) h = val_mix(h, canon(c->db, t->sorts[i], cols[i]));
  return (uint32_t)h & c->mask;
}

static void build_index(Claims *c) {
  uint32_t n = 64;
  while (n < c->all.len) n *= 2;
  c->mask = n - 1;
  c->first = xcalloc(n, sizeof *c->first);
  c->last = xcalloc(n, sizeof *c->last);
  for (uint32_t i = 0; i < c->all.len; i++) {
    uint32_t h = hash_now(c, c->db->tables.at[c->all.at[i].table], claim_cols(c, i));
    if (c->last[h]) c->all.at[c->last[h] - 1].next = i + 1;
    else c->first[h] = i + 1;
    c->last[h] = i + 1;
  }
}

static Claims *claims_new(Db *db) {
  Claims *c = xcalloc(1, sizeof *c);
  c->db = db;
  c->origin = xcalloc(db->classes.parent.len + 1, sizeof *c->origin);
  c->up_class = uf_edges(&db->classes);
  c->up_box = uf_edges(&db->boxes.uf);
  read_records(c);
  c->n_read = c->all.len;
  read_tables(c);
  build_index(c);
  return c;
}

Claims *claims_get(Db *db) {
  uint64_t now[4] = {db->version, db->reasons.len, db->classes.parent.len, db->boxes.uf.parent.len};
  if (db->claims && !memcmp(db->claimed, now, sizeof now)) return db->claims;
  claims_free(db->claims);
  memcpy(db->claimed, now, sizeof now);
  return db->claims = claims_new(db);
}

void claims_free(Claims *c) {
  if (!c) return;
  vec_free(&c->all);
  vec_free(&c->pool);
  free(c->first);
  free(c->last);
  free(c->origin);
  free(c->up_class);
  free(c->up_box);
  free(c);
}

uint32_t claims_origin(const Claims *c, Val id) { return c->origin[id] ? c->origin[id] - 1 : IR_NONE; }

static uint32_t root_at(const Uf *u, const uint32_t *up, uint32_t x, uint32_t n_unions) {
  while (up[x] && up[x] <= n_unions) x = u->log.at[up[x] - 1].winner;
  return x;
}

bool claims_equal(const Claims *c, SortId s, Val a, Val b, ClaimTime t) {
  if (a == b) return true;
  const Sort *so = sort_of(c->db, s);
  if (!so->is_id) return false;
  bool eq = so->kind == SORT_EQ;
  const Uf *u = eq ? &c->db->classes : &c->db->boxes.uf;
  const uint32_t *up = eq ? c->up_class : c->up_box, n = eq ? t.unions : t.boxes;
  return root_at(u, up, a, n) == root_at(u, up, b, n);
}

static bool fits(const Claims *c, const Claim *claim, const Val *have, const Val *cols, ClaimTime t) {
  const Table *table = c->db->tables.at[claim->table];
  if (claim->record >= t.here) return false;
  bool exact = claim->record >= t.records;
  if (exact && !claim->made) return false;
  for (uint32_t i = 0; i < table->n_cols; i++)
    if (exact ? have[i] != cols[i] : !claims_equal(c, table->sorts[i], have[i], cols[i], t)) return false;
  return true;
}

uint32_t claims_find(const Claims *c, uint32_t table, const Val *cols, ClaimTime t) {
  enum { MOST = 64 }; /* looked at for one that stands as it is, once there is one that fits */
  const Table *tab = c->db->tables.at[table];
  uint32_t found = IR_NONE, more = MOST;
  for (uint32_t i = c->first[hash_now(c, tab, cols)]; i && more; i = c->all.at[i - 1].next) {
    const Claim *claim = &c->all.at[i - 1];
    if (found != IR_NONE) more--;
    if (claim->table != table || !fits(c, claim, claim_cols(c, i - 1), cols, t)) continue;
    if (!tab->n_cols || !memcmp(claim_cols(c, i - 1), cols, tab->n_cols * sizeof *cols)) return i - 1;
    if (found == IR_NONE) found = i - 1;
  }
  return found;
}

uint32_t claims_of(const Claims *c, uint32_t record, uint32_t op) {
  size_t lo = 0, hi = c->n_read;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (c->all.at[mid].record < record) lo = mid + 1;
    else hi = mid;
  }
  for (; lo < c->n_read && c->all.at[lo].record == record; lo++)
    if (c->all.at[lo].op == op) return (uint32_t)lo;
  return IR_NONE;
}

/* ---- times ---- */

ClaimTime claims_time(const Claims *c, uint32_t unions, uint32_t records) {
  const Uf *boxes = &c->db->boxes.uf;
  size_t lo = 0, hi = boxes->log.len;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (boxes->log.at[mid].reason <= unions) lo = mid + 1;
    else hi = mid;
  }
  return (ClaimTime){unions, (uint32_t)lo, records, records};
}

static const ReasonTime *iteration_of(const Claims *c, uint32_t record) {
  const Db *db = c->db;
  size_t lo = 0, hi = db->times.len;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (db->times.at[mid].first <= record) lo = mid + 1;
    else hi = mid;
  }
  return &db->times.at[lo - 1];
}

ClaimTime claims_query_time(const Claims *c, uint32_t record) {
  const ReasonTime *t = iteration_of(c, record);
  return claims_time(c, t->unions, t->first);
}

ClaimTime claims_match_time(const Claims *c, uint32_t record) {
  const ReasonTime *t = iteration_of(c, record);
  ClaimTime time = claims_time(c, t->unions, t->first);
  time.here = t->end;
  return time;
}

ClaimTime claims_now(const Claims *c) {
  return claims_time(c, (uint32_t)c->db->classes.log.len, (uint32_t)c->db->reasons.len);
}
