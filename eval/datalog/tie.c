/* Which of several cheapest terms: the one that egglog prints, as far as the order of rows tells.
 *
 * egglog finds costs by sweeps over all rows until nothing gets cheaper (Bellman-Ford).  Tables come in the order in
 * which sorts are reached from those asked for, and as they were declared within one.  Of the rows that cost what their
 * class does, it takes the first whose arguments had their costs before the class had.
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

static uint32_t place_of(const Extraction *x, Best row) {
  return row.table < x->order.len ? x->order.at[row.table] : row.table;
}

static int compare_rows(const Extraction *x, Best a, Best b) {
  if (a.table == b.table) return a.row < b.row ? -1 : a.row > b.row;
  return place_of(x, a) < place_of(x, b) ? -1 : 1;
}

static bool is_before(const Extraction *x, TieTime a, TieTime b) {
  return a.sweep != b.sweep ? a.sweep < b.sweep : compare_rows(x, a.row, b.row) < 0;
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
  uint32_t sweep = arg.sweep + (compare_rows(t->x, arg.row, t->time.row) >= 0);
  if (sweep > t->time.sweep) t->time.sweep = sweep;
}

static void in_time(void *ctx, Val class) {
  Tie *t = ctx;
  t->all &= is_before(t->x, t->x->settled[class], t->time);
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
  if (of->stamp != t->x->stamp || is_before(t->x, t->time, *of)) *of = t->time;
}

static void choose(Tie *t, Best row) {
  Best *best = &t->x->best[t->class];
  t->time = t->x->settled[t->class];
  t->all = true;
  extract_mentions(t->x, row, in_time, t);
  if (t->all && compare_rows(t->x, row, *best) < 0) *best = row;
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

/* ---- the order of tables ---- */

typedef struct Reached {
  Db *db;
  Vec(SortId) sorts;
  bool *seen; /* by sort */
} Reached;

static void reach(Reached *r, SortId s) {
  if (s >= r->db->sorts.len || r->seen[s]) return;
  r->seen[s] = true;
  vec_push(&r->sorts, s);
}

void extraction_ask_for(Extraction *x, const SortId *roots, uint32_t n) {
  enum { REST = 1 << 30 };
  Db *db = x->db;
  if (n == 1 && x->asked == roots[0] && x->order.len == db->tables.len) return;
  x->asked = n == 1 ? roots[0] : IR_NONE;
  Reached r = {.db = db, .seen = xcalloc(db->sorts.len + 1, sizeof *r.seen)};
  for (uint32_t i = 0; i < n; i++) reach(&r, roots[i]);
  Vec(uint32_t) order = {0};
  for (size_t i = 0; i < db->tables.len; i++) vec_push(&order, REST + (uint32_t)i);
  uint32_t next = 0;
  for (size_t i = 0; i < r.sorts.len; i++) {
    const Sort *so = sort_of(db, r.sorts.at[i]);
    for (uint32_t k = 0; k < so->n_args; k++) reach(&r, so->args[k]);
    for (size_t k = 0; so->kind == SORT_EQ && k < db->tables.len; k++) {
      const Table *t = db->tables.at[k];
      if (t->kind != TABLE_CONSTRUCTOR || t->out != r.sorts.at[i]) continue;
      order.at[k] = next++;
      for (uint32_t c = 0; c < t->n_in; c++) reach(&r, t->sorts[c]);
    }
  }
  bool same = order.len == x->order.len;
  for (size_t i = 0; same && i < order.len; i++) same = order.at[i] == x->order.at[i];
  if (!same) {
    x->stamp++;
    vec_clear(&x->order);
    for (size_t i = 0; i < order.len; i++) vec_push(&x->order, order.at[i]);
  }
  vec_free(&order);
  vec_free(&r.sorts);
  free(r.seen);
}
