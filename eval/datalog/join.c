#include "eval/datalog/join.h"

#include "eval/datalog/limit.h"

static bool apply_filters(Join *j, const Filter *f, uint32_t n) {
  Val *arg = j->regs + j->block->n_regs;
  for (; n; n--, f++) {
    const IrAtom *a = f->atom;
    const Prim *p = &j->db->prims.at[a->op];
    if (f->inverse) {
      arg[0] = j->regs[f->from[0]];
      arg[1] = j->regs[f->from[1]];
      if (!f->inverse(j->db, p, arg, 2, &j->regs[f->to])) return false;
      continue;
    }
    for (uint32_t k = 0; k + 1 < a->n; k++) arg[k] = j->regs[a->arg[k]];
    Val out;
    if (!p->fn(j->db, p, arg, a->n - 1, &out)) {
      if (j->db->failed) j->db->failed_at = a->at;
      return false;
    }
    Reg r = a->arg[a->n - 1];
    if (f->binds)
      j->regs[r] = out;
    else if (j->regs[r] != out)
      return false;
  }
  return true;
}

/* Binds a row that satisfies the step. */
static inline bool accept(Join *j, const Step *s, uint32_t r) {
  if (!(++j->visited & 1023) && !limit_check(j->db)) return false;
  const uint32_t *row = table_row(s->table, r);
  if (row[s->table->n_cols] & (j->see_subsumed ? ROW_DEAD : ROW_DEAD | ROW_SUBSUMED)) return false;
  Val *regs = j->regs;
  for (uint32_t i = 0; i < s->n_check; i++)
    if (row[s->check[i].col] != regs[s->check[i].reg]) return false;
  for (uint32_t i = 0; i < s->n_same; i++)
    if (row[s->same[i].col] != row[s->same[i].reg]) return false;
  for (uint32_t i = 0; i < s->n_bind; i++) regs[s->bind[i].reg] = row[s->bind[i].col];
  return !s->n_filters || apply_filters(j, s->filters, s->n_filters);
}

static void enter(Join *j, Step *s) {
  if (s->access == ACCESS_SCAN) {
    s->at = s->lo;
    return;
  }
  Val *key = j->regs + j->block->n_regs;
  for (uint32_t i = 0; i < s->n_key; i++) key[i] = j->regs[s->key[i].reg];
  if (s->access == ACCESS_PROBE) {
    s->at = colindex_first(s->index, s->table, key);
  } else {
    s->at = table_find(s->table, key);
  }
}

/* Moves the cursor to the next row that fits; false at the end. */
static bool advance(Join *j, Step *s) {
  if (s->access == ACCESS_PROBE) {
    while (s->at > s->lo && !j->db->failed) {
      uint32_t r = s->at - 1;
      s->at = colindex_next(s->index, s->at);
      if (r < s->hi && accept(j, s, r)) return true;
    }
    return false;
  }
  if (s->access == ACCESS_GET) {
    uint32_t r = s->at;
    s->at = ROW_NONE;
    return r != ROW_NONE && r >= s->lo && r < s->hi && accept(j, s, r);
  }
  while (s->at < s->hi && !j->db->failed)
    if (accept(j, s, s->at++)) return true;
  return false;
}

static bool prepare(Join *j) {
  for (uint32_t i = 0; i < j->plan->n_steps; i++) {
    Step *s = &j->plan->steps[i];
    Table *t = s->table;
    uint32_t since = table_since(t, j->since);
    s->lo = s->range == RANGE_NEW ? since : 0;
    s->hi = s->range == RANGE_OLD ? since : table_since(t, j->until);
    if (s->lo >= s->hi) return false;
    if (s->access != ACCESS_PROBE) continue;
    uint32_t cols[64], *list = s->n_key <= 64 ? cols : xmalloc(s->n_key * sizeof *cols);
    for (uint32_t k = 0; k < s->n_key; k++) list[k] = s->key[k].col;
    s->index = table_index(t, list, s->n_key, s->hi, undo_active(&j->db->undo));
    if (list != cols) free(list);
  }
  return true;
}

bool join_run(Join *j) {
  if (!prepare(j)) return true;
  Plan *p = j->plan;
  if (!apply_filters(j, p->lead, p->n_lead)) return !j->db->failed;
  if (!p->n_steps) return j->match(j);
  uint32_t k = 0, last = p->n_steps - 1;
  enter(j, p->steps);
  while (true) {
    if (advance(j, &p->steps[k])) {
      if (k < last)
        enter(j, &p->steps[++k]);
      else if (!j->match(j))
        return false;
    } else if (j->db->failed) {
      return false;
    } else if (k-- == 0) {
      return true;
    }
  }
}
