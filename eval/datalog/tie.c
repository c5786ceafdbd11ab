/* Which of several cheapest terms: the one that egglog prints, as far as the order of rows tells.
 *
 * egglog finds costs by sweeps over all rows, tables in order of declaration, until nothing gets cheaper (Bellman-Ford),
 * and of the rows that cost what their class does takes the first whose arguments had their costs before the class had.
 * When a class gets its cost follows from when the arguments of its cheapest rows get theirs: in the same sweep if their
 * rows come before, else in the next.  So only classes that a printed term may consist of are looked at, once each.
 * Invariant: rows with an argument as dear as the class itself are left alone unless chosen before, so choices form no
 * cycle. */
#include "eval/datalog/extract.h"

typedef struct Tie {
  Extraction *x;
  Val class;
  bool all;           /* mentions satisfy what is asked */
  TieTime time;       /* of the row being looked at, at least */
  Vec(Val) stack;
} Tie;

static int compare_rows(TieTime a, TieTime b) {
  if (a.row.table != b.row.table) return a.row.table < b.row.table ? -1 : 1;
  return a.row.row < b.row.row ? -1 : a.row.row > b.row.row;
}

static bool is_before(TieTime a, TieTime b) {
  return a.sweep != b.sweep ? a.sweep < b.sweep : compare_rows(a, b) < 0;
}

static bool is_settled(const Extraction *x, Val class) { return x->settled[class].stamp == x->stamp; }

static void want(void *ctx, Val class) {
  Tie *t = ctx;
  if (!is_settled(t->x, class)) vec_push(&t->stack, class);
}

/* A row comes after its arguments. */
static void follow(void *ctx, Val class) {
  Tie *t = ctx;
  TieTime arg = t->x->settled[class];
  uint32_t sweep = arg.sweep + (compare_rows(arg, t->time) >= 0);
  if (sweep > t->time.sweep) t->time.sweep = sweep;
}

static void in_time(void *ctx, Val class) {
  Tie *t = ctx;
  t->all &= is_before(t->x->settled[class], t->time);
}

/* Calls `each` with the rows that cost what the class does. */
static void each_cheapest(Tie *t, Val class, void (*each)(Tie *t, Best row)) {
  Extraction *x = t->x;
  for (uint32_t l = x->members[class]; l; l = x->links.at[l - 1].next) {
    uint32_t node = x->links.at[l - 1].node;
    Best b = x->nodes.at[node];
    if (!extract_node_live(x, node)) continue;
    const Table *of = x->db->tables.at[b.table];
    if (table_row(of, b.row)[of->n_in] != class || extract_row_cost(x, of, b.row) != x->cost[class]) continue;
    bool chosen = b.table == x->best[class].table && b.row == x->best[class].row;
    if (chosen || extract_all_below(x, b, x->cost[class])) each(t, b);
  }
}

static void want_arguments(Tie *t, Best row) { extract_mentions(t->x, row, want, t); }

/* The class has its cost when the first of its cheapest rows does. */
static void note_time(Tie *t, Best row) {
  TieTime *of = &t->x->settled[t->class];
  t->time = (TieTime){.row = row, .stamp = t->x->stamp};
  extract_mentions(t->x, row, follow, t);
  if (of->stamp != t->x->stamp || is_before(t->time, *of)) *of = t->time;
}

static void choose(Tie *t, Best row) {
  Best *best = &t->x->best[t->class];
  TieTime mine = {.row = row}, had = {.row = *best};
  t->time = t->x->settled[t->class];
  t->all = true;
  extract_mentions(t->x, row, in_time, t);
  if (t->all && compare_rows(mine, had) < 0) *best = row;
}

static void settle(Tie *t, Val class) {
  Extraction *x = t->x;
  t->class = class;
  each_cheapest(t, class, note_time);
  x->settled[class].stamp = x->stamp;
  x->best[class] = x->settled[class].row;
  each_cheapest(t, class, choose);
}

static void settle_all(void *ctx, Val class) {
  Tie *t = ctx;
  Extraction *x = t->x;
  if (x->cost[class] == COST_NONE || is_settled(x, class)) return;
  vec_push(&t->stack, class);
  while (t->stack.len) {
    Val top = vec_last(&t->stack);
    size_t before = t->stack.len;
    if (!is_settled(x, top)) each_cheapest(t, top, want_arguments);
    if (t->stack.len > before) continue;
    t->stack.len--;
    if (!is_settled(x, top)) settle(t, top);
  }
}

void tie_settle(Extraction *x, SortId s, Val v) {
  Tie t = {.x = x};
  if (x->n_settled < x->n_classes) {
    x->settled = xrealloc(x->settled, x->cap * sizeof *x->settled);
    memset(x->settled + x->n_settled, 0, (x->cap - x->n_settled) * sizeof *x->settled);
    x->n_settled = x->cap;
  }
  extract_add_members(x);
  extract_value_mentions(x->db, s, v, settle_all, &t);
  vec_free(&t.stack);
}
