#include "eval/datalog/action.h"

#include "eval/datalog/lattice.h"
#include "eval/datalog/prim.h"
#include "eval/datalog/reason.h"

Val *action_registers(Db *db, const IrBlock *b) {
  Val *regs = xmalloc(action_n_registers(b) * sizeof *regs);
  for (uint32_t i = 0; i < b->n_inits; i++) {
    const IrInit *in = &b->inits[i];
    regs[in->reg] = in->global ? db_global_value(db, in->value) : in->value;
  }
  return regs;
}

void action_union(Db *db, SortId sort, Val a, Val b) {
  if (uf_find(&db->classes, a) == uf_find(&db->classes, b)) return;
  uf_union(&db->classes, a, b, reason_union(db), sort);
  db->changed = true;
}

/* The row was there with another output.  Outside of matches, whose records say so, the row that was to be made is put
 * on record, and the union follows from congruence. */
static void unite_found(Db *db, const Table *t, const Val *in, Val out, Val as) {
  if (db->now.by != BY_MATCH && uf_find(&db->classes, out) != uf_find(&db->classes, as)) {
    Val *cols = xmalloc(t->n_cols * sizeof *cols);
    memcpy(cols, in, t->n_in * sizeof *cols);
    cols[t->n_in] = as;
    reason_row(db, t, cols, false);
    free(cols);
    reason_set(db, reason_congruent(db, t, in));
  }
  action_union(db, t->out, out, as);
}

/* `r`: the row, or ROW_NONE. */
static inline Val make_at(Db *db, Table *t, const Val *in, Val as, uint32_t hash, uint32_t r) {
  if (r != ROW_NONE) {
    if (t->kind == TABLE_RELATION) return 0;
    Val out = table_row(t, r)[t->n_in];
    if (as != VAL_NONE && out != as) unite_found(db, t, in, out, as);
    return out;
  }
  Val small[16], *cols = t->n_cols <= 16 ? small : xmalloc(t->n_cols * sizeof *cols);
  for (uint32_t i = 0; i < t->n_in; i++) cols[i] = in[i];
  Val out = 0;
  if (t->kind != TABLE_RELATION) cols[t->n_in] = out = as != VAL_NONE ? as : uf_make(&db->classes);
  db_append_hashed(db, t, cols, reason_row(db, t, cols, t->kind != TABLE_RELATION && as == VAL_NONE), hash);
  db->changed = true;
  if (cols != small) free(cols);
  return out;
}

Val action_make(Db *db, Table *t, const Val *in, Val as) {
  uint32_t hash = val_hash(in, t->n_in);
  return make_at(db, t, in, as, hash, table_find_hashed(t, in, hash));
}

static void touch(Db *db, Table *t) {
  if (t->touched) return;
  t->touched = true;
  vec_push(&db->touched, t);
}

static void gather_set(Db *db, Table *t, const Val *cols) {
  touch(db, t);
  for (uint32_t i = 0; i < t->n_cols; i++) vec_push(&t->sets, cols[i]);
  vec_push(&t->sets, reason_row(db, t, cols, false));
}

void action_set(Db *db, Table *t, const Val *cols) {
  if (!lattice_absorbs(db, t, cols, val_hash(cols, t->n_in))) gather_set(db, t, cols);
}

void action_delete(Db *db, Table *t, const Val *in) {
  touch(db, t);
  vec_push(&t->deletes, table_find(t, in));
}

static void action_subsume(Db *db, Table *t, const Val *in) {
  action_make(db, t, in, VAL_NONE);
  touch(db, t);
  for (uint32_t i = 0; i < t->n_in; i++) vec_push(&t->subsumes, in[i]);
  vec_push(&t->subsumes, table_find(t, in));
}

static bool lookup(Db *db, const IrOp *op, Table *t, const Val *in, Val *out) {
  uint32_t r = table_find(t, in);
  if (r == ROW_NONE) return db_fail(db, op->at, "`%s` has no value for these arguments", sym_text(t->name)),
           db_advise(db, "set a value before it is looked up");
  *out = table_row(t, r)[t->n_in];
  return true;
}

static Table *table_of_op(const Db *db, const IrOp *op) {
  bool row = op->kind >= IR_MAKE && op->kind != IR_UNION && op->kind < IR_PANIC;
  return row ? db->tables.at[op->op] : NULL;
}

/* What the operation makes is not in its registers: it gets records of its own. */
static void by_call(Db *db, const IrBlock *b, const IrOp *op) {
  if (db->now.by != BY_MATCH) return;
  db->now.by = BY_CALL;
  db->now.op = (uint32_t)(op - b->ops);
}

static bool run_op(Db *db, const IrBlock *b, const IrOp *op, Table *t, Val *regs) {
  Val *arg = regs + b->n_regs;
  Val out = 0;
  for (uint32_t k = 0; k < op->n; k++) arg[k] = regs[op->arg[k]];
  switch (op->kind) {
  case IR_CALL: {
    const Prim *p = &db->prims.at[op->op];
    by_call(db, b, op);
    bool ok = p->fn(db, p, arg, op->n, &out);
    if (db->now.by == BY_CALL) db->now.by = BY_MATCH;
    if (!ok) {
      if (!db->failed) prim_failed(db, p, arg, op->n, op->at);
      db->failed_at = op->at;
    }
    break;
  }
  case IR_MAKE: out = action_make(db, t, arg, VAL_NONE); break;
  case IR_MAKE_AS: out = action_make(db, t, arg, arg[op->n - 1]); break;
  case IR_LOOKUP: lookup(db, op, t, arg, &out); break;
  case IR_SET: action_set(db, t, arg); break;
  case IR_UNION: action_union(db, op->op, arg[0], arg[1]); break;
  case IR_DELETE: action_delete(db, t, arg); break;
  case IR_SUBSUME:
    by_call(db, b, op);
    action_subsume(db, t, arg);
    if (db->now.by == BY_CALL) db->now.by = BY_MATCH;
    break;
  case IR_PANIC:
    db_fail(db, op->at, "%s", sym_text(op->op));
    db_advise(db, "the program itself says that this must not happen");
    break;
  }
  if (op->dst != IR_NONE) regs[op->dst] = out;
  return !db->failed;
}

bool action_run(Db *db, const IrBlock *b, Val *regs) {
  for (uint32_t i = 0; i < b->n_ops; i++) {
    if (db->now.by == BY_ACTION) {
      db->now.at = b->ops[i].at;
      db->now.reason = 0;
    }
    if (!run_op(db, b, &b->ops[i], table_of_op(db, &b->ops[i]), regs)) return false;
  }
  return true;
}

ActionBatch action_batch(const IrBlock *b, const Val *regs) {
  ActionBatch batch = {.stride = action_n_registers(b)};
  batch.regs = xmalloc(ACTION_BATCH * (size_t)batch.stride * sizeof(Val));
  for (uint32_t m = 0; m < ACTION_BATCH; m++) memcpy(batch.regs + m * (size_t)batch.stride, regs, b->n_regs * sizeof *regs);
  return batch;
}

/* Arguments and hashes of the rows that the operation looks for; slots, then the rows in them, are asked for ahead. */
static void hash_rows(const IrBlock *b, const IrOp *op, const Table *t, ActionBatch *batch) {
  enum { LARGE = 2048 };
  bool far = t->n_live > LARGE;
  for (uint32_t m = 0; m < batch->n; m++) {
    const Val *regs = batch->regs + (size_t)m * batch->stride;
    Val *arg = batch->regs + (size_t)m * batch->stride + b->n_regs;
    uint64_t h = t->n_in;
    for (uint32_t k = 0; k < op->n; k++) arg[k] = regs[op->arg[k]];
    for (uint32_t k = 0; k < t->n_in; k++) h = val_mix(h, arg[k]);
    batch->hash[m] = (uint32_t)h;
    if (far) table_prefetch(t, (uint32_t)h);
  }
  for (uint32_t m = 0; far && m < batch->n; m++) table_prefetch_row(t, batch->hash[m]);
}

/* The operations that look for rows, their arguments gathered: IR_MAKE, IR_MAKE_AS, IR_SET. */
static inline void look_up_one(Db *db, const IrBlock *b, const IrOp *op, Table *t, Val *regs, uint32_t hash) {
  const Val *in = regs + b->n_regs;
  if (op->kind == IR_SET) {
    if (!lattice_absorbs(db, t, in, hash)) gather_set(db, t, in);
    return;
  }
  Val as = op->kind == IR_MAKE ? VAL_NONE : in[op->n - 1], out;
  uint32_t r = table_find_hashed(t, in, hash);
  if (as != VAL_NONE && r != ROW_NONE && t->may_lose_rows && op->arg[op->n - 1] < b->n_body) {
    gather_set(db, t, in); /* a rewrite's row is there afterwards, whatever else the iteration deletes */
    out = table_row(t, r)[t->n_in];
  } else {
    out = make_at(db, t, in, as, hash, r);
  }
  if (op->dst != IR_NONE) regs[op->dst] = out;
}

static void cut_reasons(Db *db, const IrBlock *b, const ActionBatch *batch, uint32_t first) {
  for (uint32_t m = 0; m < batch->n; m++)
    if (batch->reason[m]) reason_cut(db, batch->reason[m], b, first);
  if (db->now.reason) reason_cut(db, db->now.reason, b, first);
}

bool action_run_batch(Db *db, const IrBlock *b, ActionBatch *batch) {
  memset(batch->reason, 0, sizeof batch->reason);
  for (uint32_t i = 0; i < b->n_ops; i++) {
    const IrOp *op = &b->ops[i];
    Table *t = table_of_op(db, op);
    bool looks_up = op->kind == IR_MAKE || op->kind == IR_MAKE_AS || (op->kind == IR_SET && lattice_may_absorb(t));
    if (looks_up) hash_rows(b, op, t, batch);
    for (uint32_t m = 0; m < batch->n; m++) {
      Val *regs = batch->regs + (size_t)m * batch->stride;
      db->now.regs = regs;
      db->now.reason = batch->reason[m];
      uint32_t n_rows = t ? t->n_rows : 0;
      if (looks_up) {
        look_up_one(db, b, op, t, regs, batch->hash[m]);
      } else if (!run_op(db, b, op, t, regs)) {
        cut_reasons(db, b, batch, i);
        return false;
      }
      uint32_t reason = batch->reason[m] = db->now.reason;
      if (reason && op->dst != IR_NONE) reason_result(db, reason, op->dst, regs[op->dst], t && t->n_rows != n_rows);
    }
  }
  return true;
}

/* Does the merge end in a call of a table?  Then equal values are left alone. */
static bool merges_by_table(const IrBlock *m) {
  for (uint32_t i = m->n_ops; i-- > 0;)
    if (m->ops[i].dst == m->result) return m->ops[i].kind != IR_CALL;
  return false;
}

/* The value that the row gets; *reason is why `new` came. */
static bool merged_value(Db *db, Table *t, const Val *in, Val old, Val new, Val *out, uint32_t *reason) {
  *out = old;
  if (db->failed) return true; /* only the consistency of the tables matters now */
  if (!t->merge) {
    if (old == new) return true;
    return db_fail(db, db->now.at, "two values for one row of `%s`, which has no merge", sym_text(t->name)),
           db_advise(db, "a merge says which of two values stays, or makes one of both");
  }
  if (t->keeps_old || (old == new && merges_by_table(t->merge))) return true;
  if (lattice_merge(db, t, old, new, out)) return true;
  Val *regs = action_registers(db, t->merge);
  regs[0] = old;
  regs[1] = new;
  Context before = db->context;
  db->context = CONTEXT_FULL;
  db->now.by = BY_MERGE;
  db->now.reason = *reason;
  bool ok = action_run(db, t->merge, regs);
  db->now.by = BY_MATCH;
  db->context = before;
  if (ok) *out = canon(db, t->out, regs[t->merge->result]);
  if (ok && *out != old && *out != new) *reason = reason_merged(db, t, in, regs);
  free(regs);
  return ok;
}

static bool put_hashed(Db *db, Table *t, const Val *cols, uint32_t meta, uint32_t hash) {
  uint32_t r = table_find_hashed(t, cols, hash);
  if (r == ROW_NONE) {
    db_append_hashed(db, t, cols, meta, hash);
    db->changed = true;
    return true;
  }
  uint32_t had = *table_meta(t, r);
  if (meta & ~had & ROW_SUBSUMED) {
    db_set_meta(db, t, r, had | ROW_SUBSUMED);
    db->changed = true;
  }
  if (t->kind == TABLE_RELATION) return true;
  Val stored = table_row(t, r)[t->n_in], old = canon(db, t->out, stored), new = canon(db, t->out, cols[t->n_in]), value;
  if (t->kind == TABLE_CONSTRUCTOR) {
    if (old != new) {
      reason_set(db, reason_congruent(db, t, cols));
      action_union(db, t->out, stored, cols[t->n_in]);
    }
    return true;
  }
  uint32_t reason = meta & ROW_REASON;
  if (!merged_value(db, t, cols, old, new, &value, &reason)) return false;
  if (value == old) return true;
  r = table_find_hashed(t, cols, hash);
  Val small[16], *row = t->n_cols <= 16 ? small : xmalloc(t->n_cols * sizeof *row);
  if (t->n_in) memcpy(row, cols, t->n_in * sizeof *row);
  row[t->n_in] = value;
  if (r != ROW_NONE) db_kill(db, t, r);
  db_append_hashed(db, t, row, reason, hash);
  db->changed = true;
  if (row != small) free(row);
  return true;
}

bool action_put(Db *db, Table *t, const Val *cols, uint32_t meta) {
  return put_hashed(db, t, cols, meta, val_hash(cols, t->n_in));
}

/* A value has been set: it counts as a row that the rule made. */
static void credit(Db *db, uint32_t reason) {
  uint32_t rule = reason ? db->reasons.at[reason] : IR_NONE;
  if (rule < db->rules.len) db->rules.at[rule]->made++;
}

/* Some at a time, so that the slots and rows they need come together. */
static bool put_sets(Db *db, Table *t) {
  enum { CHUNK = 32 };
  size_t width = t->n_cols + 1, n = t->sets.len / width;
  uint32_t hash[CHUNK];
  for (size_t from = 0; from < n; from += CHUNK) {
    size_t to = from + CHUNK < n ? from + CHUNK : n;
    for (size_t i = from; i < to; i++) table_prefetch(t, hash[i - from] = val_hash(t->sets.at + i * width, t->n_in));
    for (size_t i = from; i < to; i++) table_prefetch_row(t, hash[i - from]);
    for (size_t i = from; i < to; i++) {
      uint64_t before = db->version;
      uint32_t reason = t->sets.at[(i + 1) * width - 1];
      if (!put_hashed(db, t, t->sets.at + i * width, reason, hash[i - from])) return false;
      if (db->version != before) credit(db, reason);
    }
  }
  return true;
}

/* Marks a row; one that has been deleted in this iteration comes back for that. */
static void put_subsumed(Db *db, Table *t, const Val *in, uint32_t was) {
  uint32_t r = table_find(t, in);
  if (r == ROW_NONE) {
    Val *cols = xmalloc((t->n_cols + 1) * sizeof *cols);
    memcpy(cols, table_row(t, was), t->n_cols * sizeof *cols);
    db_append(db, t, cols, (*table_meta(t, was) & ROW_REASON) | ROW_SUBSUMED);
    free(cols);
  } else if (*table_meta(t, r) & ROW_SUBSUMED) {
    return;
  } else {
    db_set_meta(db, t, r, *table_meta(t, r) | ROW_SUBSUMED);
  }
  db->changed = true;
}

static bool merge_table(Db *db, Table *t) {
  uint32_t mine = db->acting ? t->n_rows : table_since(t, db->epoch);
  for (size_t i = 0; i < t->deletes.len; i++) {
    uint32_t r = t->deletes.at[i];
    if (r == ROW_NONE || r >= mine || (*table_meta(t, r) & ROW_DEAD)) continue;
    db_kill(db, t, r);
    db->version++;
  }
  bool ok = put_sets(db, t);
  for (size_t i = 0; ok && i < t->subsumes.len; i += t->n_in + 1)
    put_subsumed(db, t, t->subsumes.at + i, t->subsumes.at[i + t->n_in]);
  return ok;
}

void action_drop(Db *db) {
  for (size_t i = 0; i < db->touched.len; i++) {
    Table *t = db->touched.at[i];
    t->deletes.len = t->sets.len = t->subsumes.len = 0;
    t->touched = false;
  }
  db->touched.len = 0;
}

bool action_merge(Db *db) {
  bool ok = true;
  if (db->touched.len && db->boxes.n_live) boxes_rebuild(db, db->rebuilt_classes, db->rebuilt_boxes);
  for (size_t i = 0; ok && i < db->touched.len; i++) ok = merge_table(db, db->touched.at[i]);
  action_drop(db);
  return ok;
}
