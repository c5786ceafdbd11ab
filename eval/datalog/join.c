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
      j->stop |= j->db->failed;
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

static void look_up_later(Join *j) {
  enum { OFTEN = 1024 };
  j->look_up_at = j->visited + OFTEN;
  if (j->most > j->visited && j->most < j->look_up_at) j->look_up_at = j->most;
}

/* Every so many rows: is all well, and does it still pay? */
static __attribute__((noinline)) void look_up(Join *j) {
  j->gave_up = j->most && j->visited >= j->most && !j->matched;
  if (j->gave_up || !limit_check(j->db)) j->stop = true;
  look_up_later(j);
}

/* Binds a row that satisfies the step. */
static inline __attribute__((always_inline)) bool accept(Join *j, const Step *s, uint32_t r) {
  if (++j->visited >= j->look_up_at) {
    look_up(j);
    if (j->stop) return false;
  }
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

static void look_up_index(Join *j, Step *s) {
  uint32_t cols[32] = {0}, *list = s->n_key <= 32 ? cols : xmalloc(s->n_key * sizeof *cols);
  for (uint32_t k = 0; k < s->n_key; k++) list[k] = s->key[k].col;
  s->index = table_index(s->table, list, s->n_key, s->hi, undo_active(&j->db->undo));
  if (list != cols) free(list);
}

static uint32_t chain_of(Join *j, const Step *s) {
  Val *key = j->regs + j->block->n_regs;
  for (uint32_t i = 0; i < s->n_key; i++) key[i] = j->regs[s->key[i].reg];
  return colindex_first(s->index, s->table, key);
}

/* Which of a group to walk: the one whose chain ends first when all are followed together, which costs no more than
 * walking it.  The others are looked up. */
static void arrange(Join *j, const Group *g, Step **at) {
  enum { SHORT = 4 };
  uint32_t best = 0, end = chain_of(j, g->walk);
  for (uint32_t k = 0; k < SHORT && end > g->walk->lo; k++) end = colindex_next(g->walk->index, end);
  bool over = end <= g->walk->lo;
  for (uint32_t i = 0; !over && i < g->n; i++) {
    if (!g->walk[i].index) look_up_index(j, &g->walk[i]);
    g->walk[i].at = chain_of(j, &g->walk[i]);
  }
  while (!over)
    for (uint32_t i = 0; !over && i < g->n; i++) {
      Step *s = &g->walk[i];
      over = s->at <= s->lo;
      if (over)
        best = i;
      else
        s->at = colindex_next(s->index, s->at);
    }
  *at++ = &g->walk[best];
  for (uint32_t i = 0; i < g->n; i++)
    if (i != best) *at++ = &g->get[i];
}

/* Rows of a chain, oldest last, at the end of the list of pending rows. */
static void list_chain(Join *j, Step *s) {
  for (uint32_t r = chain_of(j, s); r > s->lo; r = colindex_next(s->index, r))
    if (r <= s->hi) vec_push(&j->pending, r - 1);
  s->at = (uint32_t)j->pending.len;
}

static void enter(Join *j, uint32_t k) {
  const Plan *p = j->plan;
  if (p->group[k]) arrange(j, p->group[k], p->at + k);
  Step *s = p->at[k];
  s->any = false;
  s->base = (uint32_t)j->pending.len;
  if (s->access == ACCESS_SCAN) {
    s->at = s->lo;
  } else if (s->access == ACCESS_GET) {
    Val *key = j->regs + j->block->n_regs;
    for (uint32_t i = 0; i < s->n_key; i++) key[i] = j->regs[s->key[i].reg];
    s->at = table_find(s->table, key);
  } else if (p->by_age) {
    list_chain(j, s);
  } else {
    s->at = chain_of(j, s);
  }
}

/* Moves the cursor to the next row that fits; false at the end. */
static bool advance(Join *j, Step *s) {
  if (s->access == ACCESS_PROBE && !j->plan->by_age) {
    while (s->at > s->lo && !j->stop) {
      uint32_t r = s->at - 1;
      s->at = colindex_next(s->index, s->at);
      if (r < s->hi && accept(j, s, r)) return true;
    }
    return false;
  }
  if (s->access == ACCESS_PROBE) {
    while (s->at > s->base && !j->stop)
      if (accept(j, s, j->pending.at[--s->at])) return true;
    return false;
  }
  if (s->access == ACCESS_GET) {
    uint32_t r = s->at;
    s->at = ROW_NONE;
    return r != ROW_NONE && r >= s->lo && r < s->hi && accept(j, s, r);
  }
  while (s->at < s->hi && !j->stop)
    if (accept(j, s, s->at++)) return true;
  return false;
}

/* False if the step has no rows to look at. */
static bool set_range(const Join *j, Step *s) {
  uint32_t since = table_since(s->table, j->since);
  s->lo = s->range == RANGE_NEW ? since : 0;
  s->hi = s->range == RANGE_OLD ? since : table_since(s->table, j->until);
  s->index = NULL;
  return s->lo < s->hi;
}

static bool prepare(Join *j) {
  const Plan *p = j->plan;
  for (uint32_t k = 0; k < p->n_steps; k++) {
    const Group *g = p->group[k];
    if (g) p->at[k] = g->walk;
    for (uint32_t i = 0; g && i < g->n; i++)
      if (!set_range(j, &g->walk[i]) || !set_range(j, &g->get[i])) return false;
    if (!set_range(j, p->at[k])) return false;
  }
  for (uint32_t k = 0; k < p->n_steps; k++)
    if (p->at[k]->access == ACCESS_PROBE) look_up_index(j, p->at[k]);
  return true;
}

static inline bool emit(Join *j) {
  j->matched = true;
  return j->match(j);
}

/* Where a step has no row at all, only a step that it depends on can change that; after a match, only one that binds
 * what the actions use can lead to another that matters. */
static bool search(Join *j) {
  const Plan *p = j->plan;
  uint32_t k = 0, last = p->n_steps - 1;
  enter(j, 0);
  while (true) {
    Step *s = p->at[k];
    uint32_t n;
    bool found = advance(j, s);
    s->any |= found;
    if (found && k < last) {
      enter(j, ++k);
      continue;
    }
    for (; found && p->n_needed > last; found = advance(j, s))
      if (!emit(j)) return false;
    if (found) {
      if (!emit(j)) return false;
      n = p->n_needed;
    } else {
      n = s->any ? k : s->back;
    }
    if (j->stop) return false;
    if (!n) return true;
    k = n - 1;
    if (k < last) j->pending.len = p->at[n]->base;
  }
}

bool join_run(Join *j) {
  j->stop = j->db->failed;
  if (j->look_up_at <= j->visited) look_up_later(j);
  if (!prepare(j)) return true;
  const Plan *p = j->plan;
  if (!apply_filters(j, p->lead, p->n_lead)) return !j->db->failed;
  if (!p->n_steps) return emit(j);
  bool ok = search(j);
  vec_free(&j->pending);
  return ok;
}
