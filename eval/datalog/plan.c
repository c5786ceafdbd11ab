#include "eval/datalog/plan.h"

#include "eval/datalog/prim.h"

/* Where the values of a bound register come from. */
typedef struct Origin {
  Table *table; /* NULL: a constant, or */
  uint32_t col; /* UINT32_MAX: computed */
  Val value;
} Origin;

/* What is expected of an atom given what is bound so far. */
typedef struct Guess {
  double rows;
  uint32_t n_bound, n_free_inputs;
} Guess;

typedef struct {
  Db *db;
  const IrBlock *b;
  Plan *p;
  uint32_t focus, since;
  struct Origin *origin; /* by register */
  struct Guess *guess;   /* by atom */
  bool *bound;           /* by register */
  bool *done;            /* by atom */
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
  p->memory = xcalloc(1, rows * sizeof(Step) + 2 * b->n_atoms * sizeof(Filter) + pairs * sizeof(ColReg) + 1);
  p->sizes = xcalloc(b->n_atoms + 1, sizeof *p->sizes);
  return p;
}

void plan_free(Plan *p) {
  if (!p) return;
  free(p->memory);
  free(p->sizes);
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

/* Rows of t expected to have, in column c, the value of a bound register. */
static double meet(const Planner *pl, Table *t, uint32_t c, Reg r) {
  const Origin *s = &pl->origin[r];
  if (s->table) return sample_meet(t, c, s->table, s->col);
  return s->col == UINT32_MAX ? sample_crowd(t, c) : sample_count(t, c, s->value);
}

/* A register has been bound: the atoms that use it expect fewer rows. */
static void bind(Planner *pl, Reg r, Origin origin) {
  pl->bound[r] = true;
  pl->origin[r] = origin;
  for (uint32_t i = 0; i < pl->b->n_atoms; i++) {
    const IrAtom *a = &pl->b->atoms[i];
    if (pl->done[i] || a->kind != IR_ROW) continue;
    Table *t = pl->db->tables.at[a->op];
    for (uint32_t c = 0; c < a->n; c++) {
      if (a->arg[c] != r) continue;
      Guess *g = &pl->guess[i];
      g->n_bound++;
      if (c < t->n_in) g->n_free_inputs--;
      if (t->n_live) g->rows *= meet(pl, t, c, r) / t->n_live;
    }
  }
}

static double expect(const Planner *pl, uint32_t i) {
  const Guess *g = &pl->guess[i];
  return g->n_free_inputs || g->rows < 1 ? g->rows : 1;
}

static void add_forwards(Planner *pl, uint32_t i) {
  const IrAtom *a = &pl->b->atoms[i];
  Reg out = a->arg[a->n - 1];
  *pl->filter_at++ = (Filter){.atom = a, .binds = !pl->bound[out]};
  pl->done[i] = true;
  if (!pl->bound[out]) bind(pl, out, (Origin){NULL, UINT32_MAX, 0});
}

static bool add_backwards(Planner *pl, uint32_t i, uint32_t missing) {
  const IrAtom *a = &pl->b->atoms[i];
  Reg out = a->arg[a->n - 1];
  bool swapped;
  if (a->n != 3 || !pl->bound[out]) return false;
  Filter f = {.atom = a, .inverse = prim_inverse(&pl->db->prims.at[a->op], missing, &swapped), .to = a->arg[missing]};
  if (!f.inverse) return false;
  f.from[swapped] = out;
  f.from[!swapped] = a->arg[!missing];
  *pl->filter_at++ = f;
  bind(pl, f.to, (Origin){NULL, UINT32_MAX, 0});
  return true;
}

/* All primitives whose arguments are known, or all but one that can be computed from the result. */
static void add_filters(Planner *pl, Filter **list, uint32_t *n_list) {
  *list = pl->filter_at;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < pl->b->n_atoms; i++) {
      const IrAtom *a = &pl->b->atoms[i];
      if (pl->done[i] || a->kind != IR_PRIM) continue;
      uint32_t n_missing = 0, missing = 0;
      for (uint32_t k = 0; k + 1 < a->n; k++)
        if (!pl->bound[a->arg[k]]) n_missing++, missing = k;
      if (!n_missing)
        add_forwards(pl, i), again = true;
      else if (n_missing == 1 && add_backwards(pl, i, missing))
        again = true;
    }
  }
  *n_list = (uint32_t)(pl->filter_at - *list);
}

/* Which bound columns to look up: all, unless one of them is so selective that an index on it alone will do. */
static void choose_key(Planner *pl, Step *s, const bool *is_bound) {
  enum { FEW = 4 };
  uint32_t best = IR_NONE;
  double fewest = 0;
  for (uint32_t c = 0; c < s->atom->n; c++) {
    double n = is_bound[c] ? meet(pl, s->table, c, s->atom->arg[c]) : 0;
    if (is_bound[c] && (best == IR_NONE || n < fewest)) best = c, fewest = n;
  }
  bool single = best != IR_NONE && fewest <= FEW;
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
  pl->done[i] = true;
  bool *is_bound = xcalloc(a->n + 1, sizeof *is_bound), inputs = true;
  uint32_t n_bound = 0;
  for (uint32_t c = 0; c < a->n; c++) {
    is_bound[c] = pl->bound[a->arg[c]];
    n_bound += is_bound[c];
    if (c < t->n_in && !is_bound[c]) inputs = false;
  }
  s->access = inputs ? ACCESS_GET : n_bound ? ACCESS_PROBE : ACCESS_SCAN;
  /* An index costs more than a look at a few new rows. */
  if (s->access == ACCESS_PROBE && s->range == RANGE_NEW && rows_in(pl, t, RANGE_NEW) < 16) s->access = ACCESS_SCAN;
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
      bind(pl, a->arg[c], (Origin){t, c, 0});
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
  add_filters(pl, &s->filters, &s->n_filters);
  free(is_bound);
}

static void order(Planner *pl, bool focus_first) {
  enum { APART = 8 };
  const IrBlock *b = pl->b;
  Plan *p = pl->p;
  memset(pl->done, 0, b->n_atoms);
  memset(pl->bound, 0, b->n_regs);
  for (uint32_t i = 0; i < b->n_atoms; i++)
    if (b->atoms[i].kind == IR_ROW) {
      Table *t = pl->db->tables.at[b->atoms[i].op];
      pl->guess[i] = (Guess){rows_in(pl, t, range_of(pl, i)), 0, t->n_in};
    }
  size_t rows = 0;
  for (uint32_t i = 0; i < b->n_atoms; i++) rows += b->atoms[i].kind == IR_ROW;
  p->steps = p->memory;
  p->n_steps = 0;
  pl->filter_at = (Filter *)(p->steps + rows);
  pl->pair_at = (ColReg *)(pl->filter_at + 2 * b->n_atoms);
  for (uint32_t i = 0; i < b->n_inits; i++) {
    Val v = b->inits[i].global ? db_global_value(pl->db, b->inits[i].value) : b->inits[i].value;
    bind(pl, b->inits[i].reg, (Origin){NULL, 0, v});
  }
  add_filters(pl, &p->lead, &p->n_lead);
  double product = 1;
  p->cost = 0;
  for (size_t k = 0; k < rows; k++) {
    uint32_t best = IR_NONE;
    double best_rows = 0, best_score = 0;
    if (k == 0 && focus_first) {
      best = pl->focus;
      best_rows = expect(pl, best);
    }
    for (uint32_t i = 0; !(k == 0 && focus_first) && i < b->n_atoms; i++) {
      if (pl->done[i] || b->atoms[i].kind != IR_ROW) continue;
      double n = expect(pl, i), score = n;
      if (!pl->guess[i].n_bound && b->atoms[i].n && k) score = n * APART + APART; /* a product is the last resort */
      if (best != IR_NONE &&
          (score > best_score || (score == best_score && pl->guess[i].n_bound <= pl->guess[best].n_bound)))
        continue;
      best = i;
      best_rows = n;
      best_score = score;
    }
    product *= best_rows > 1 ? best_rows : 1; /* guesses below one multiply up to nonsense */
    p->cost += product;
    fill_step(pl, best);
  }
}

/* Rows an atom ranges over: what a plan is made for. */
static uint32_t rows_for(const Db *db, const IrBlock *b, uint32_t i, uint32_t focus, uint32_t since) {
  const Table *t = db->tables.at[b->atoms[i].op];
  if (focus == PLAN_NO_FOCUS || i > focus) return t->n_live;
  uint32_t old = table_since(t, since);
  return i == focus ? t->n_rows - old : old;
}

bool plan_fits(const Db *db, const IrBlock *b, uint32_t focus, uint32_t since, const Plan *p) {
  enum { SLACK = 8 };
  if (!p) return false;
  for (uint32_t i = 0; i < b->n_atoms; i++) {
    if (b->atoms[i].kind != IR_ROW) continue;
    uint32_t n = rows_for(db, b, i, focus, since), had = p->sizes[i];
    if (n > 2 * had + SLACK) return false;
    if (2 * n + SLACK < had && (i != focus || !p->focus_first)) return false;
  }
  return true;
}

Plan *plan_make(Db *db, const IrBlock *b, uint32_t focus, uint32_t since, Plan *p) {
  if (!p) p = plan_alloc(b);
  Planner pl = {.db = db, .b = b, .p = p, .focus = focus, .since = since};
  pl.bound = xmalloc(b->n_regs + 1);
  pl.done = xmalloc(b->n_atoms + 1);
  pl.origin = xmalloc((b->n_regs + 1) * sizeof *pl.origin);
  pl.guess = xmalloc((b->n_atoms + 1) * sizeof *pl.guess);
  p->focus_first = true;
  for (uint32_t i = 0; i < b->n_atoms; i++)
    if (b->atoms[i].kind == IR_ROW) p->sizes[i] = rows_for(db, b, i, focus, since);
  order(&pl, focus != PLAN_NO_FOCUS);
  if (focus != PLAN_NO_FOCUS && p->n_steps > 1) {
    double forced = p->cost;
    if (forced > 4 * p->n_steps + 16) {
      order(&pl, false);
      p->focus_first = p->cost > forced * 0.8;
      if (p->focus_first) order(&pl, true);
    }
  }
  free(pl.bound);
  free(pl.done);
  free(pl.origin);
  free(pl.guess);
  return p;
}
