/* How an atom is reached, given the registers that are bound. */
#include "eval/datalog/planner.h"
#include "eval/datalog/prim.h"

static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ---- primitives ---- */

/* Positions that the arguments of an atom, but for the k-th, need. */
static uint32_t needs(const Planner *pl, const IrAtom *a, uint32_t k) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->n; i++)
    if (i != k) n = most(n, pl->origin[a->arg[i]].n_before);
  return n;
}

static void add_forwards(Planner *pl, uint32_t i) {
  const IrAtom *a = &pl->b->atoms[i];
  Reg out = a->arg[a->n - 1];
  *pl->filter_at++ = (Filter){.atom = a, .binds = !pl->bound[out]};
  pl->done[i] = true;
  pl->n_prims--;
  if (!pl->bound[out]) planner_bind(pl, out, (Origin){NULL, UINT32_MAX, 0, needs(pl, a, a->n - 1)});
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
  planner_bind(pl, f.to, (Origin){NULL, UINT32_MAX, 0, needs(pl, a, missing)});
  return true;
}

void step_add_filters(Planner *pl, Filter **list, uint32_t *n_list) {
  *list = pl->filter_at;
  for (bool again = pl->n_prims > 0; again;) {
    again = false;
    for (uint32_t i = 0; i < pl->b->n_atoms; i++) {
      const IrAtom *a = &pl->b->atoms[i];
      uint32_t n_missing = pl->guess[i].n_free_inputs, missing = 0;
      if (pl->done[i] || a->kind != IR_PRIM || n_missing > 1) continue;
      while (n_missing && pl->bound[a->arg[missing]]) missing++;
      if (!n_missing)
        add_forwards(pl, i), again = true;
      else if (add_backwards(pl, i, missing))
        again = true;
    }
  }
  *n_list = (uint32_t)(pl->filter_at - *list);
}

/* ---- one atom ---- */

static Range range_of(const Planner *pl, uint32_t atom) {
  if (pl->focus == PLAN_NO_FOCUS) return RANGE_ALL;
  return atom == pl->focus ? RANGE_NEW : atom < pl->focus ? RANGE_OLD : RANGE_ALL;
}

/* Which bound columns to look up: all, unless one of them is so selective that an index on it alone will do. */
static void choose_key(Planner *pl, Step *s) {
  enum { FEW = 4 };
  const IrAtom *a = s->atom;
  uint32_t best = IR_NONE;
  double fewest = 0;
  for (uint32_t c = 0; c < a->n; c++) {
    if (!pl->bound[a->arg[c]]) continue;
    double n = planner_meet(pl, s->table, c, a->arg[c]);
    if (best == IR_NONE || n < fewest) best = c, fewest = n;
  }
  bool single = best != IR_NONE && fewest <= FEW;
  for (uint32_t c = 0; c < a->n; c++)
    if (pl->bound[a->arg[c]] && (!single || c == best)) *pl->pair_at++ = (ColReg){c, a->arg[c]};
}

static Access access_of(const Planner *pl, const Step *s) {
  bool inputs = true, any = false;
  for (uint32_t c = 0; c < s->atom->n; c++) {
    bool bound = pl->bound[s->atom->arg[c]];
    any |= bound;
    inputs &= bound || c >= s->table->n_in;
  }
  if (inputs || !any) return inputs ? ACCESS_GET : ACCESS_SCAN;
  /* An index costs more than a look at a few new rows. */
  return s->range == RANGE_NEW && planner_rows_in(pl, s->table, RANGE_NEW) < 16 ? ACCESS_SCAN : ACCESS_PROBE;
}

static bool occurs_before(const IrAtom *a, uint32_t c, uint32_t *first) {
  for (*first = 0; *first < c; ++*first)
    if (a->arg[*first] == a->arg[c]) return true;
  return false;
}

/* The step that reaches the atom with what is bound now. */
static void describe(Planner *pl, Step *s, uint32_t atom) {
  const IrAtom *a = &pl->b->atoms[atom];
  *s = (Step){.atom = a, .table = pl->db->tables.at[a->op], .range = range_of(pl, atom)};
  s->access = access_of(pl, s);
  s->key = pl->pair_at;
  if (s->access == ACCESS_PROBE) choose_key(pl, s);
  for (uint32_t c = 0; s->access == ACCESS_GET && c < s->table->n_in; c++) *pl->pair_at++ = (ColReg){c, a->arg[c]};
  s->n_key = (uint32_t)(pl->pair_at - s->key);
  s->check = pl->pair_at;
  for (uint32_t c = 0, k = 0; c < a->n; c++) {
    if (!pl->bound[a->arg[c]]) continue;
    s->back = most(s->back, pl->origin[a->arg[c]].n_before);
    while (k < s->n_key && s->key[k].col < c) k++;
    if (k == s->n_key || s->key[k].col != c) *pl->pair_at++ = (ColReg){c, a->arg[c]};
  }
  s->n_check = (uint32_t)(pl->pair_at - s->check);
  uint32_t first;
  s->bind = pl->pair_at;
  for (uint32_t c = 0; c < a->n; c++)
    if (!pl->bound[a->arg[c]] && !occurs_before(a, c, &first)) *pl->pair_at++ = (ColReg){c, a->arg[c]};
  s->n_bind = (uint32_t)(pl->pair_at - s->bind);
  s->same = pl->pair_at;
  for (uint32_t c = 0; c < a->n; c++)
    if (!pl->bound[a->arg[c]] && occurs_before(a, c, &first)) *pl->pair_at++ = (ColReg){c, first};
  s->n_same = (uint32_t)(pl->pair_at - s->same);
}

/* ---- groups ---- */

static bool binds(const Step *s, Reg r) {
  for (uint32_t i = 0; i < s->n_bind; i++)
    if (s->bind[i].reg == r) return true;
  return false;
}

/* Would the atom, too, bind exactly what the step binds, and is it reached through something bound? */
static bool joins(const Planner *pl, const Step *s, uint32_t i) {
  const IrAtom *a = &pl->b->atoms[i];
  uint32_t n_free = 0;
  if (!pl->guess[i].n_bound || a->n - pl->guess[i].n_bound < s->n_bind) return false;
  for (uint32_t c = 0; c < a->n; c++) {
    uint32_t first;
    if (pl->bound[a->arg[c]] || occurs_before(a, c, &first)) continue;
    if (!binds(s, a->arg[c])) return false;
    n_free++;
  }
  return n_free == s->n_bind;
}

static uint32_t *find_group(const Planner *pl, const Step *s, uint32_t first, uint32_t *n) {
  uint32_t *member = xmalloc(pl->b->n_atoms * sizeof *member);
  *n = 0;
  member[(*n)++] = first;
  for (uint32_t i = 0; s->access == ACCESS_PROBE && s->n_bind && i < pl->b->n_atoms; i++)
    if (!pl->done[i] && i != first && pl->b->atoms[i].kind == IR_ROW && joins(pl, s, i)) member[(*n)++] = i;
  return member;
}

/* Positions before k that the filters' arguments need. */
static uint32_t filters_need(const Planner *pl, const Step *s, uint32_t k) {
  uint32_t need = 0;
  for (uint32_t i = 0; i < s->n_filters; i++) {
    const IrAtom *a = s->filters[i].atom;
    for (uint32_t j = 0; j < a->n; j++) {
      uint32_t n = pl->bound[a->arg[j]] ? pl->origin[a->arg[j]].n_before : 0;
      if (n <= k) need = most(need, n);
    }
  }
  return need;
}

void step_add(Planner *pl, uint32_t first) {
  Plan *p = pl->p;
  Step *walk = pl->step_at;
  describe(pl, walk, first);
  uint32_t n, k = p->n_steps, *member = find_group(pl, walk, first, &n);
  pl->step_at += n > 1 ? 2 * n : 1;
  for (uint32_t i = 1; i < n; i++) describe(pl, walk + i, member[i]);
  for (uint32_t i = 0; i < n; i++) pl->done[member[i]] = true;
  for (uint32_t i = 0; i < walk->n_bind; i++)
    planner_bind(pl, walk->bind[i].reg, (Origin){walk->table, walk->bind[i].col, 0, k + 1});
  step_add_filters(pl, &walk->filters, &walk->n_filters);
  uint32_t need = filters_need(pl, walk, k);
  for (uint32_t i = 0; i < n; i++) {
    walk[i].filters = walk->filters;
    walk[i].n_filters = walk->n_filters;
    walk[i].back = most(walk[i].back, need);
    if (n > 1) describe(pl, walk + n + i, member[i]);
    p->group[p->n_steps] = NULL;
    p->at[p->n_steps++] = i ? walk + n + i : walk;
  }
  if (n > 1) *(p->group[k] = pl->group_at++) = (Group){n, walk, walk + n};
  free(member);
}
