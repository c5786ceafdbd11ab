#include "eval/datalog/lattice.h"
#include "eval/datalog/planner.h"
#include "eval/datalog/prim.h"

static Plan *plan_alloc(const IrBlock *b) {
  size_t pairs = 0, rows = 0;
  for (uint32_t i = 0; i < b->n_atoms; i++) {
    pairs += b->atoms[i].n;
    rows += b->atoms[i].kind == IR_ROW;
  }
  Plan *p = xcalloc(1, sizeof *p);
  size_t size = 2 * rows * sizeof(Step) + rows * (sizeof(Group) + sizeof(Group *) + sizeof(Step *));
  p->memory = xcalloc(1, size + 2 * b->n_atoms * sizeof(Filter) + 2 * pairs * sizeof(ColReg) + 1);
  p->sizes = xcalloc(b->n_atoms + 1, sizeof *p->sizes);
  return p;
}

void plan_free(Plan *p) {
  if (!p) return;
  free(p->memory);
  free(p->sizes);
  free(p);
}

double planner_rows_in(const Planner *pl, Table *t, Range r) {
  if (r == RANGE_ALL) return t->n_live;
  uint32_t since = table_since(t, pl->since);
  double live = t->n_rows ? (double)t->n_live / t->n_rows : 1;
  return live * (r == RANGE_NEW ? t->n_rows - since : since);
}

double planner_meet(const Planner *pl, Table *t, uint32_t c, Reg r) {
  const Origin *s = &pl->origin[r];
  if (s->table) return sample_meet(t, c, s->table, s->col);
  return s->col == UINT32_MAX ? sample_crowd(t, c) : sample_count(t, c, s->value);
}

void planner_bind(Planner *pl, Reg r, Origin origin) {
  pl->bound[r] = true;
  pl->origin[r] = origin;
  for (uint32_t k = pl->first_use[r]; k < pl->first_use[r + 1]; k++) {
    Use u = pl->use[k];
    const IrAtom *a = &pl->b->atoms[u.atom];
    Guess *g = &pl->guess[u.atom];
    if (pl->done[u.atom]) continue;
    if (a->kind != IR_ROW) {
      g->n_free_inputs -= u.col + 1 < a->n;
      continue;
    }
    Table *t = pl->db->tables.at[a->op];
    g->n_bound++;
    if (u.col < t->n_in) g->n_free_inputs--;
    if (t->n_live) g->rows *= planner_meet(pl, t, u.col, r) / t->n_live;
  }
}

/* Notes where each register occurs. */
static void find_uses(Planner *pl) {
  const IrBlock *b = pl->b;
  uint32_t n = 0;
  pl->first_use = xcalloc(b->n_regs + 2, sizeof *pl->first_use);
  for (uint32_t i = 0; i < b->n_atoms; n += b->atoms[i++].n)
    for (uint32_t c = 0; c < b->atoms[i].n; c++) pl->first_use[b->atoms[i].arg[c] + 2]++;
  pl->use = xmalloc((n + 1) * sizeof *pl->use);
  for (uint32_t r = 2; r < b->n_regs + 2; r++) pl->first_use[r] += pl->first_use[r - 1];
  for (uint32_t i = 0; i < b->n_atoms; i++)
    for (uint32_t c = 0; c < b->atoms[i].n; c++) pl->use[pl->first_use[b->atoms[i].arg[c] + 1]++] = (Use){i, c};
}

static double expect(const Planner *pl, uint32_t i) {
  const Guess *g = &pl->guess[i];
  return g->n_free_inputs || g->rows < 1 ? g->rows : 1;
}

static void begin(Planner *pl) {
  const IrBlock *b = pl->b;
  Plan *p = pl->p;
  memset(pl->done, 0, b->n_atoms);
  memset(pl->bound, 0, b->n_regs);
  size_t rows = 0;
  pl->n_prims = 0;
  for (uint32_t i = 0; i < b->n_atoms; i++) {
    if (b->atoms[i].kind != IR_ROW) {
      pl->guess[i] = (Guess){0, 0, b->atoms[i].n - 1};
      pl->n_prims++;
      continue;
    }
    Table *t = pl->db->tables.at[b->atoms[i].op];
    Range r = pl->focus == PLAN_NO_FOCUS || i > pl->focus ? RANGE_ALL : i == pl->focus ? RANGE_NEW : RANGE_OLD;
    pl->guess[i] = (Guess){planner_rows_in(pl, t, r), 0, t->n_in};
    rows++;
  }
  pl->step_at = p->memory;
  pl->group_at = (Group *)(pl->step_at + 2 * rows);
  p->group = (Group **)(pl->group_at + rows);
  p->at = (Step **)(p->group + rows);
  pl->filter_at = (Filter *)(p->at + rows);
  pl->pair_at = (ColReg *)(pl->filter_at + 2 * b->n_atoms);
  p->n_steps = 0;
  for (uint32_t i = 0; i < b->n_inits; i++) {
    Val v = b->inits[i].global ? db_global_value(pl->db, b->inits[i].value) : b->inits[i].value;
    planner_bind(pl, b->inits[i].reg, (Origin){NULL, 0, v, 0});
  }
  step_add_filters(pl, &p->lead, &p->n_lead);
}

/* The atom that promises the fewest rows. */
static uint32_t fewest(const Planner *pl) {
  enum { APART = 8 };
  uint32_t best = IR_NONE;
  double best_score = 0;
  for (uint32_t i = 0; i < pl->b->n_atoms; i++) {
    const IrAtom *a = &pl->b->atoms[i];
    if (pl->done[i] || a->kind != IR_ROW) continue;
    const Guess *g = &pl->guess[i];
    double score = expect(pl, i);
    if (!g->n_bound && a->n && pl->p->n_steps) score = score * APART + APART; /* a product is the last resort */
    if (best != IR_NONE &&
        (score > best_score || (score == best_score && g->n_bound <= pl->guess[best].n_bound)))
      continue;
    best = i;
    best_score = score;
  }
  return best;
}

/* Plans with the atom `first`, or the one with the fewest rows, at the beginning. */
static double order(Planner *pl, uint32_t first) {
  double product = 1;
  begin(pl);
  pl->p->cost = 0;
  for (uint32_t i = first == IR_NONE ? fewest(pl) : first; i != IR_NONE; i = fewest(pl)) {
    double n = expect(pl, i);
    product *= n > 1 ? n : 1; /* guesses below one multiply up to nonsense */
    pl->p->cost += product;
    step_add(pl, i);
  }
  return pl->p->cost;
}

/* Positions that bind what the actions use, if doing them twice is the same as once; all otherwise. */
static uint32_t needed(const Planner *pl) {
  const IrBlock *b = pl->b;
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n_ops; i++) {
    const IrOp *op = &b->ops[i];
    if (op->kind == IR_SET && !lattice_idempotent(pl->db->tables.at[op->op])) return pl->p->n_steps;
    if (op->kind == IR_CALL && prim_is_higher(pl->db, &pl->db->prims.at[op->op])) return pl->p->n_steps;
    for (uint32_t k = 0; k < op->n; k++)
      if (op->arg[k] < b->n_body && pl->bound[op->arg[k]] && pl->origin[op->arg[k]].n_before > n)
        n = pl->origin[op->arg[k]].n_before;
  }
  return n;
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

static bool depends_on_order(const Planner *pl) {
  for (uint32_t i = 0; i < pl->b->n_ops; i++) {
    const IrOp *op = &pl->b->ops[i];
    const Table *t = op->kind == IR_SET ? pl->db->tables.at[op->op] : NULL;
    if (t && t->merge && t->lattice == IR_NONE) return true;
  }
  return false;
}

/* Other beginnings are tried where they may save more than trying costs: the atom with the fewest rows, then every one.
 * New rows are few and next to each other: they come first unless something else is clearly better. */
static void choose(Planner *pl) {
  enum { FEW = 16, EFFORT = 8000 };
  const IrBlock *b = pl->b;
  uint32_t best = pl->focus == PLAN_NO_FOCUS ? IR_NONE : pl->focus, last = best;
  double least = order(pl, best) * 0.8, n = pl->p->n_steps;
  if (n > 1 && best != IR_NONE && least > 4 * n + FEW) {
    double cost = order(pl, last = IR_NONE);
    if (cost < least) best = IR_NONE, least = cost;
  }
  for (uint32_t i = 0; n > 1 && i < b->n_atoms && least > EFFORT * n * n; i++) {
    if (b->atoms[i].kind != IR_ROW || i == best) continue;
    double cost = order(pl, last = i);
    if (cost < least) best = i, least = cost;
  }
  if (last != best) order(pl, best);
  pl->p->focus_first = best == pl->focus;
}

Plan *plan_make(Db *db, const IrBlock *b, uint32_t focus, uint32_t since, Plan *p) {
  if (!p) p = plan_alloc(b);
  Planner pl = {.db = db, .b = b, .p = p, .focus = focus, .since = since};
  pl.bound = xmalloc(b->n_regs + 1);
  pl.done = xmalloc(b->n_atoms + 1);
  pl.origin = xmalloc((b->n_regs + 1) * sizeof *pl.origin);
  pl.guess = xmalloc((b->n_atoms + 1) * sizeof *pl.guess);
  for (uint32_t i = 0; i < b->n_atoms; i++)
    if (b->atoms[i].kind == IR_ROW) p->sizes[i] = rows_for(db, b, i, focus, since);
  find_uses(&pl);
  choose(&pl);
  p->n_needed = needed(&pl);
  p->by_age = depends_on_order(&pl);
  free(pl.bound);
  free(pl.done);
  free(pl.origin);
  free(pl.guess);
  free(pl.use);
  free(pl.first_use);
  return p;
}
