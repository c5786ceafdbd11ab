#include "eval/datalog/plan.h"

typedef struct {
  Db *db;
  const IrBlock *b;
  Plan *p;
  uint32_t focus, since;
  bool *bound;   /* by register */
  bool *done;    /* by atom */
  Filter *filter_at;
  ColReg *pair_at;
} Planner;

static Plan *plan_alloc(const IrBlock *b) {
  size_t pairs = 0, rows = 0;
  for (uint32_t i = 0; i < b->n_atoms; i++) {
    pairs += b->atoms[i].n;
    rows += b->atoms[i].kind == IR_ROW;
  }
  Plan *p = xcalloc(1, sizeof *p);
  p->memory = xcalloc(1, rows * sizeof(Step) + b->n_atoms * sizeof(Filter) + pairs * sizeof(ColReg) + 1);
  return p;
}

void plan_free(Plan *p) {
  if (!p) return;
  free(p->memory);
  free(p);
}

static Range range_of(const Planner *pl, uint32_t atom) {
  if (pl->focus == PLAN_NO_FOCUS) return RANGE_ALL;
  return atom == pl->focus ? RANGE_NEW : atom < pl->focus ? RANGE_OLD : RANGE_ALL;
}

static double rows_in(const Planner *pl, Table *t, Range r) {
  if (r == RANGE_ALL) return t->n_live;
  uint32_t since = table_since(t, pl->since);
  double live = t->n_rows ? (double)t->n_live / t->n_rows : 1;
  return live * (r == RANGE_NEW ? t->n_rows - since : since);
}

/* Expected rows of an atom given what is bound. */
static double expect(const Planner *pl, uint32_t i, uint32_t *n_bound) {
  const IrAtom *a = &pl->b->atoms[i];
  Table *t = pl->db->tables.at[a->op];
  bool inputs = true;
  double n = rows_in(pl, t, range_of(pl, i));
  *n_bound = 0;
  for (uint32_t c = 0; c < a->n; c++) {
    if (!pl->bound[a->arg[c]]) {
      if (c < t->n_in) inputs = false;
      continue;
    }
    ++*n_bound;
    n /= table_distinct(t, c);
  }
  if (inputs) return n < 1 ? n : 1;
  return n;
}

static void add_filters(Planner *pl, Filter **list, uint32_t *n_list) {
  *list = pl->filter_at;
  *n_list = 0;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < pl->b->n_atoms; i++) {
      const IrAtom *a = &pl->b->atoms[i];
      if (pl->done[i] || a->kind != IR_PRIM) continue;
      bool ready = true;
      for (uint32_t k = 0; ready && k + 1 < a->n; k++) ready = pl->bound[a->arg[k]];
      if (!ready) continue;
      Reg out = a->arg[a->n - 1];
      *pl->filter_at++ = (Filter){a, !pl->bound[out]};
      ++*n_list;
      pl->done[i] = pl->bound[out] = again = true;
    }
  }
}

/* Which bound columns to look up: all, unless one of them is so selective that an index on it alone will do. */
static void choose_key(Planner *pl, Step *s, const bool *is_bound) {
  enum { FEW = 6 };
  Table *t = s->table;
  uint32_t best = IR_NONE, best_distinct = 0;
  for (uint32_t c = 0; c < s->atom->n; c++)
    if (is_bound[c] && table_distinct(t, c) > best_distinct) best = c, best_distinct = table_distinct(t, c);
  bool single = best != IR_NONE && (double)t->n_live / best_distinct <= FEW;
  s->key = pl->pair_at;
  for (uint32_t c = 0; c < s->atom->n; c++)
    if (is_bound[c] && (!single || c == best)) *pl->pair_at++ = (ColReg){c, s->atom->arg[c]};
  s->n_key = (uint32_t)(pl->pair_at - s->key);
}

static void fill_step(Planner *pl, uint32_t i) {
  Step *s = &pl->p->steps[pl->p->n_steps++];
  const IrAtom *a = &pl->b->atoms[i];
  Table *t = pl->db->tables.at[a->op];
  *s = (Step){.atom = a, .table = t, .range = range_of(pl, i)};
  bool *is_bound = xcalloc(a->n + 1, sizeof *is_bound), inputs = true;
  uint32_t n_bound = 0;
  for (uint32_t c = 0; c < a->n; c++) {
    is_bound[c] = pl->bound[a->arg[c]];
    n_bound += is_bound[c];
    if (c < t->n_in && !is_bound[c]) inputs = false;
  }
  s->access = inputs ? ACCESS_GET : n_bound ? ACCESS_PROBE : ACCESS_SCAN;
  if (n_bound && s->range == RANGE_NEW && !inputs && rows_in(pl, t, RANGE_NEW) < 16) s->access = ACCESS_SCAN;
  if (s->access == ACCESS_PROBE) {
    choose_key(pl, s, is_bound);
  } else if (s->access == ACCESS_GET) {
    s->key = pl->pair_at;
    for (uint32_t c = 0; c < t->n_in; c++) *pl->pair_at++ = (ColReg){c, a->arg[c]};
    s->n_key = t->n_in;
  }
  s->check = pl->pair_at;
  for (uint32_t c = 0, k = 0; c < a->n; c++) {
    if (!is_bound[c]) continue;
    while (k < s->n_key && s->key[k].col < c) k++;
    if (k == s->n_key || s->key[k].col != c) *pl->pair_at++ = (ColReg){c, a->arg[c]};
  }
  s->n_check = (uint32_t)(pl->pair_at - s->check);
  s->bind = pl->pair_at;
  for (uint32_t c = 0; c < a->n; c++)
    if (!pl->bound[a->arg[c]]) {
      *pl->pair_at++ = (ColReg){c, a->arg[c]};
      pl->bound[a->arg[c]] = true;
      is_bound[c] = true;
    }
  s->n_bind = (uint32_t)(pl->pair_at - s->bind);
  s->same = pl->pair_at;
  for (uint32_t c = 0; c < a->n; c++)
    if (!is_bound[c])
      for (uint32_t d = 0; d < c; d++)
        if (a->arg[d] == a->arg[c]) {
          *pl->pair_at++ = (ColReg){c, d};
          break;
        }
  s->n_same = (uint32_t)(pl->pair_at - s->same);
  pl->done[i] = true;
  add_filters(pl, &s->filters, &s->n_filters);
  free(is_bound);
}

static void order(Planner *pl, bool focus_first) {
  const IrBlock *b = pl->b;
  Plan *p = pl->p;
  memset(pl->done, 0, b->n_atoms);
  memset(pl->bound, 0, b->n_regs);
  for (uint32_t i = 0; i < b->n_inits; i++) pl->bound[b->inits[i].reg] = true;
  size_t rows = 0;
  for (uint32_t i = 0; i < b->n_atoms; i++) rows += b->atoms[i].kind == IR_ROW;
  p->steps = p->memory;
  p->n_steps = 0;
  pl->filter_at = (Filter *)(p->steps + rows);
  pl->pair_at = (ColReg *)(pl->filter_at + b->n_atoms);
  add_filters(pl, &p->lead, &p->n_lead);
  double product = 1;
  p->cost = 0;
  for (size_t k = 0; k < rows; k++) {
    uint32_t best = IR_NONE, best_bound = 0, n_bound;
    double best_rows = 0;
    if (k == 0 && focus_first) {
      best = pl->focus;
      best_rows = expect(pl, best, &n_bound);
    } else {
      for (uint32_t i = 0; i < b->n_atoms; i++) {
        if (pl->done[i] || b->atoms[i].kind != IR_ROW) continue;
        double n = expect(pl, i, &n_bound);
        if (best == IR_NONE || n < best_rows * 0.999 || (n <= best_rows && n_bound > best_bound))
          best = i, best_rows = n, best_bound = n_bound;
      }
    }
    product *= best_rows;
    p->cost += product;
    fill_step(pl, best);
  }
}

Plan *plan_make(Db *db, const IrBlock *b, uint32_t focus, uint32_t since, Plan *p) {
  if (!p) p = plan_alloc(b);
  Planner pl = {.db = db, .b = b, .p = p, .focus = focus, .since = since};
  pl.bound = xmalloc(b->n_regs + 1);
  pl.done = xmalloc(b->n_atoms + 1);
  order(&pl, focus != PLAN_NO_FOCUS);
  if (focus != PLAN_NO_FOCUS && p->n_steps > 1) {
    double forced = p->cost;
    if (forced > 4 * p->n_steps + 16) {
      order(&pl, false);
      if (p->cost > forced * 0.8) order(&pl, true);
    }
  }
  free(pl.bound);
  free(pl.done);
  return p;
}
