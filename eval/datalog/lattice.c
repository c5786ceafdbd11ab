#include "eval/datalog/lattice.h"

#include "eval/datalog/prim.h"

void lattice_classify(Db *db, Table *t) {
  const IrBlock *m = t->merge;
  t->lattice = IR_NONE;
  t->keeps_old = m && !m->n_ops && m->result == 0;
  t->takes_new = m && !m->n_ops && m->result == 1;
  if (!m || m->n_ops != 1 || m->ops[0].kind != IR_CALL || m->ops[0].dst != m->result || m->ops[0].n != 2) return;
  const Reg *arg = m->ops[0].arg;
  if (arg[0] + arg[1] == 1 && prim_is_lattice(&db->prims.at[m->ops[0].op])) t->lattice = m->ops[0].op;
}

void lattice_note_deletions(Db *db, const IrBlock *b) {
  for (uint32_t i = 0; i < b->n_ops; i++)
    if (b->ops[i].kind == IR_DELETE) db->tables.at[b->ops[i].op]->may_lose_rows = true;
}

bool lattice_merge(Db *db, const Table *t, Val old, Val new, Val *out) {
  if (t->lattice == IR_NONE) return false;
  const Prim *p = &db->prims.at[t->lattice];
  const Val both[2] = {old, new};
  return p->fn(db, p, both, 2, out);
}

bool lattice_absorbs(Db *db, const Table *t, const Val *cols, uint32_t hash) {
  if (!lattice_may_absorb(t)) return false;
  uint32_t r = table_find_hashed(t, cols, hash);
  if (r == ROW_NONE) return false;
  Val old = table_row(t, r)[t->n_in], out;
  return t->keeps_old || old == cols[t->n_in] || (lattice_merge(db, t, old, cols[t->n_in], &out) && out == old);
}

bool lattice_idempotent(const Table *t) {
  return !t->merge || t->keeps_old || t->takes_new || t->lattice != IR_NONE;
}
