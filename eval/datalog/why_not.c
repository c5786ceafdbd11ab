#include "eval/datalog/why_not.h"

#include "eval/datalog/action.h"

typedef struct {
  ColIndex *index; /* NULL: all rows */
  uint32_t at;
  uint32_t bound_from, bound_to; /* registers it binds, in Search.binds */
} Cursor;

typedef struct {
  Db *db;
  WhyNot *out;
  Val *regs;
  bool *bound; /* before each step, as planned */
  Cursor *cursors;
  Vec(Reg) binds;
  uint64_t budget;
} Search;

/* Is the row's output an argument of another fact, so that this one is better asked first? */
static bool is_argument(const Search *s, const IrBlock *b, uint32_t k) {
  const IrAtom *a = &b->atoms[k];
  if (s->db->tables.at[a->op]->kind == TABLE_RELATION) return false;
  for (uint32_t i = 0; i < b->n_atoms; i++) {
    const IrAtom *by = &b->atoms[i];
    uint32_t n_in = by->kind == IR_ROW ? s->db->tables.at[by->op]->n_in : 0;
    for (uint32_t c = 0; c < n_in && i != k; c++)
      if (by->arg[c] == a->arg[a->n - 1]) return true;
  }
  return false;
}

/* The fact to ask next: a primitive whose arguments are known; a row with a known column; one that nothing needs; any.
 */
static uint32_t choose(const Search *s, const IrBlock *b, const bool *done, const bool *known) {
  enum { COMPUTED, JOINED, ROOT, ANY, NEVER };
  uint32_t best = IR_NONE;
  int least = NEVER;
  for (uint32_t i = 0; i < b->n_atoms; i++) {
    const IrAtom *a = &b->atoms[i];
    uint32_t n_known = 0;
    for (uint32_t k = 0; k < a->n; k++) n_known += known[a->arg[k]];
    int how = a->kind == IR_ROW ? n_known ? JOINED : is_argument(s, b, i) ? ANY : ROOT : COMPUTED;
    for (uint32_t k = 0; a->kind == IR_PRIM && k + 1 < a->n; k++)
      if (!known[a->arg[k]]) how = NEVER;
    if (done[i] || how >= least) continue;
    best = i;
    least = how;
  }
  return best;
}

static void put_in_order(Search *s, const IrBlock *b) {
  WhyNot *w = s->out;
  bool *done = xcalloc(b->n_atoms + 1, sizeof *done), *known = xcalloc(b->n_regs + 1, sizeof *known);
  for (uint32_t i = 0; i < b->n_inits; i++) known[b->inits[i].reg] = true;
  for (uint32_t pick; (pick = choose(s, b, done, known)) != IR_NONE;) {
    Cursor *c = &s->cursors[w->n];
    c->bound_from = (uint32_t)s->binds.len;
    for (uint32_t k = 0; k < b->atoms[pick].n; k++) {
      Reg r = b->atoms[pick].arg[k];
      if (!known[r]) vec_push(&s->binds, r);
      known[r] = true;
    }
    c->bound_to = (uint32_t)s->binds.len;
    done[pick] = true;
    w->steps[w->n++].atom = pick;
  }
  free(done);
  free(known);
}

static void set_bound(Search *s, const Cursor *c, bool is) {
  for (uint32_t i = c->bound_from; i < c->bound_to; i++) s->bound[s->binds.at[i]] = is;
}

static void enter(Search *s, uint32_t k) {
  const IrAtom *a = &s->out->block->atoms[s->out->steps[k].atom];
  Cursor *c = &s->cursors[k];
  *c = (Cursor){.bound_from = c->bound_from, .bound_to = c->bound_to};
  if (a->kind == IR_PRIM) return;
  Table *t = s->db->tables.at[a->op];
  uint32_t *cols = xmalloc((a->n + 1) * sizeof *cols), n = 0;
  Val *key = xmalloc((a->n + 1) * sizeof *key);
  for (uint32_t i = 0; i < a->n; i++) {
    if (!s->bound[a->arg[i]]) continue;
    cols[n] = i;
    key[n++] = s->regs[a->arg[i]];
  }
  if (n) {
    c->index = table_index(t, cols, n, t->n_rows, undo_active(&s->db->undo));
    c->at = colindex_first(c->index, t, key);
  }
  free(cols);
  free(key);
}

/* The primitive once; false from then on. */
static bool compute(Search *s, const IrAtom *a, Cursor *c) {
  if (c->at++) return false;
  Val *arg = s->regs + s->out->block->n_regs, result;
  const Prim *p = &s->db->prims.at[a->op];
  for (uint32_t i = 0; i + 1 < a->n; i++) arg[i] = s->regs[a->arg[i]];
  if (!p->fn(s->db, p, arg, a->n - 1, &result)) return false;
  Reg r = a->arg[a->n - 1];
  if (s->bound[r]) return s->regs[r] == result;
  s->regs[r] = result;
  return true;
}

/* Does the row fit?  Binds what it can. */
static bool fits(Search *s, const IrAtom *a, const Cursor *c, const Table *t, uint32_t r) {
  const Val *row = table_row(t, r);
  if (row[t->n_cols] & ROW_DEAD) return false;
  bool ok = true;
  set_bound(s, c, false);
  for (uint32_t i = 0; ok && i < a->n; i++) {
    if (!s->bound[a->arg[i]]) s->regs[a->arg[i]] = row[i];
    ok = s->regs[a->arg[i]] == row[i];
    s->bound[a->arg[i]] = true;
  }
  set_bound(s, c, false);
  return ok;
}

/* The next row or result that fits. */
static bool advance(Search *s, uint32_t k) {
  WhyNotStep *step = &s->out->steps[k];
  const IrAtom *a = &s->out->block->atoms[step->atom];
  Cursor *c = &s->cursors[k];
  if (a->kind == IR_PRIM) return compute(s, a, c);
  const Table *t = s->db->tables.at[a->op];
  while (c->index ? c->at != 0 : c->at < t->n_rows) {
    uint32_t r = c->index ? c->at - 1 : c->at;
    c->at = c->index ? colindex_next(c->index, c->at) : c->at + 1;
    if (!s->budget) return false;
    s->budget--;
    if (!fits(s, a, c, t, r)) continue;
    if (!(*table_meta(t, r) & ROW_SUBSUMED)) return true;
    step->subsumed++;
  }
  return false;
}

/* The partial match that has come further than any before. */
static void keep(Search *s, uint32_t k) {
  WhyNot *w = s->out;
  w->failing = k;
  memcpy(w->regs, s->regs, w->block->n_regs * sizeof *w->regs);
  memcpy(w->bound, s->bound, w->block->n_regs * sizeof *w->bound);
}

static void search(Search *s) {
  WhyNot *w = s->out;
  keep(s, 0);
  if (!w->n) return;
  uint32_t k = 0;
  enter(s, 0);
  while (true) {
    if (advance(s, k)) {
      w->steps[k].passed++;
      set_bound(s, &s->cursors[k], true);
      if (k + 1 > w->failing) keep(s, k + 1);
      if (k + 1 < w->n) {
        enter(s, ++k);
        continue;
      }
    } else if (k-- == 0) {
      break;
    }
    set_bound(s, &s->cursors[k], false);
  }
  w->cut = !s->budget;
}

WhyNot *why_not(Db *db, const IrBlock *b, uint64_t budget) {
  WhyNot *w = xcalloc(1, sizeof *w);
  w->block = b;
  w->steps = xcalloc(b->n_atoms + 1, sizeof *w->steps);
  w->regs = xcalloc(b->n_regs + 1, sizeof *w->regs);
  w->bound = xcalloc(b->n_regs + 1, sizeof *w->bound);
  Search s = {.db = db, .out = w, .budget = budget, .regs = action_registers(db, b)};
  s.bound = xcalloc(b->n_regs + 1, sizeof *s.bound);
  s.cursors = xcalloc(b->n_atoms + 1, sizeof *s.cursors);
  for (uint32_t i = 0; i < b->n_inits; i++) s.bound[b->inits[i].reg] = true;
  db->context = CONTEXT_READ;
  put_in_order(&s, b);
  search(&s);
  free(s.regs);
  free(s.bound);
  free(s.cursors);
  vec_free(&s.binds);
  return w;
}

void why_not_free(WhyNot *w) {
  if (!w) return;
  free(w->steps);
  free(w->regs);
  free(w->bound);
  free(w);
}
