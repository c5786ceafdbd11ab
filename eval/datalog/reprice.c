/* Costs after a change: only what depends on rows that came or went is looked at (Ramalingam and Reps, J. Algorithms
 * 21, 1996).
 *
 * First the increases.  A class whose chosen row went is *in doubt*.  Classes in doubt are settled cheapest first: if
 * another of its rows costs no more, and all arguments of that are cheaper than the class itself, that row is chosen;
 * else the class loses its cost, and those whose chosen rows mention it are in doubt.  A class that is cheaper has
 * been settled before, so such a row does not rest on a cost in doubt, nor on the class itself.
 * Then the decreases: new rows, and those of classes without a cost, are offered as when all are priced, and a class
 * that became cheaper offers the rows that mention it.
 * Rows are what is noted, not unions: rebuilding moves every row of a merged class. */
#include "eval/datalog/extract.h"

typedef struct Repricing {
  Extraction *x;
  Candidates doubt; /* of classes, not nodes, by their cost */
  Candidates offers;
  Vec(uint32_t) fresh, lost; /* nodes, classes */
  uint32_t node;
} Repricing;

static const Table *table_of(const Extraction *x, uint32_t node) { return x->db->tables.at[x->nodes.at[node].table]; }

static Val class_of(const Extraction *x, uint32_t node) {
  const Table *t = table_of(x, node);
  return table_row(t, x->nodes.at[node].row)[t->n_in];
}

static uint64_t node_cost(Extraction *x, uint32_t node) {
  return extract_row_cost(x, table_of(x, node), x->nodes.at[node].row);
}

static bool is_best(const Extraction *x, Val class, Best b) {
  return x->best[class].table == b.table && x->best[class].row == b.row;
}

static void link_mention(void *ctx, Val class) {
  Repricing *p = ctx;
  extract_link(p->x, &p->x->more[class], p->node);
}

static void add_node(Repricing *p, uint32_t table, uint32_t row) {
  Extraction *x = p->x;
  p->node = (uint32_t)x->nodes.len;
  vec_push(&x->nodes, ((Best){table, row}));
  extract_mentions(x, x->nodes.at[p->node], link_mention, p);
  extract_link(x, &x->members[class_of(x, p->node)], p->node);
  vec_push(&p->fresh, p->node);
}

/* ---- what has changed ---- */

static void in_doubt(Repricing *p, Val class) {
  if (p->x->cost[class] != COST_NONE) candidates_push(&p->doubt, p->x->cost[class], class);
}

/* The row of a term whose cost is said in row r of table t. */
static void cost_changed(Repricing *p, const Table *t, uint32_t r) {
  Extraction *x = p->x;
  const Table *of = x->db->tables.at[t->costs_of];
  uint32_t row = t->cost_model == x->model.costs && extract_usable(of) ? table_find(of, table_row(t, r)) : ROW_NONE;
  if (row == ROW_NONE || !extract_live(of, row)) return;
  Val class = table_row(of, row)[of->n_in];
  if (is_best(x, class, (Best){of->id, row})) in_doubt(p, class);
  add_node(p, of->id, row);
}

static void read_table(Repricing *p, const Table *t) {
  Extraction *x = p->x;
  while (x->seen.len <= t->id) {
    vec_push(&x->seen, 0);
    vec_push(&x->generation, t->generation);
  }
  for (uint32_t r = x->seen.at[t->id]; r < t->n_rows; r++) {
    if (t->costs_of != IR_NONE) cost_changed(p, t, r);
    else if (extract_usable(t) && extract_live(t, r)) add_node(p, t->id, r);
  }
  x->seen.at[t->id] = t->n_rows;
}

static void read_note(Repricing *p, RowNote n) {
  Extraction *x = p->x;
  if (n.table >= x->db->tables.len) return;
  const Table *t = x->db->tables.at[n.table];
  if (t->costs_of != IR_NONE) {
    if (n.row < t->n_rows) cost_changed(p, t, n.row);
    return;
  }
  if (n.class < x->n_classes && is_best(x, n.class, (Best){n.table, n.row})) in_doubt(p, n.class);
  if (extract_usable(t) && extract_live(t, n.row)) add_node(p, n.table, n.row);
}

static bool read_changes(Repricing *p) {
  Extraction *x = p->x;
  Db *db = x->db;
  for (size_t i = 0; i < db->tables.len && i < x->generation.len; i++)
    if (db->tables.at[i]->generation != x->generation.at[i]) return false;
  extract_grow(x);
  extract_add_members(x);
  for (; x->seen_unions < db->classes.log.len; x->seen_unions++) {
    uint32_t loser = db->classes.log.at[x->seen_unions].loser;
    x->cost[loser] = COST_NONE;
    x->best[loser] = (Best){IR_NONE, 0};
  }
  for (; x->seen_notes < db->row_notes.len; x->seen_notes++) read_note(p, db->row_notes.at[x->seen_notes]);
  for (size_t i = 0; i < db->tables.len; i++) read_table(p, db->tables.at[i]);
  return true;
}

/* ---- increases ---- */

/* Another row of the class that costs no more than the class does now. */
static bool has_other(Extraction *x, Val class) {
  uint64_t least = x->cost[class];
  bool found = false;
  for (uint32_t l = x->members[class]; l; l = x->links.at[l - 1].next) {
    uint32_t node = x->links.at[l - 1].node;
    if (!extract_node_live(x, node) || class_of(x, node) != class) continue;
    uint64_t cost = node_cost(x, node);
    if (cost == COST_NONE || cost > least || (found && cost == least)) continue;
    if (!extract_all_below(x, x->nodes.at[node], x->cost[class])) continue;
    least = cost;
    x->best[class] = x->nodes.at[node];
    found = true;
  }
  return found;
}

static void doubt_user(void *ctx, uint32_t node) {
  Repricing *p = ctx;
  Extraction *x = p->x;
  if (!extract_node_live(x, node)) return;
  Val class = class_of(x, node);
  if (is_best(x, class, x->nodes.at[node])) in_doubt(p, class);
}

static void settle_doubts(Repricing *p) {
  Extraction *x = p->x;
  uint64_t cost;
  Val class;
  while (candidates_pop(&p->doubt, &cost, &class)) {
    if (x->cost[class] == COST_NONE || has_other(x, class)) continue;
    x->cost[class] = COST_NONE;
    x->best[class] = (Best){IR_NONE, 0};
    vec_push(&p->lost, class);
    extract_each_user(x, class, doubt_user, p);
  }
}

/* ---- decreases ---- */

static void offer(void *ctx, uint32_t node) {
  Repricing *p = ctx;
  Extraction *x = p->x;
  if (!extract_node_live(x, node)) return;
  uint64_t cost = node_cost(x, node);
  if (cost < x->cost[class_of(x, node)]) candidates_push(&p->offers, cost, node);
}

static void lower(Repricing *p) {
  Extraction *x = p->x;
  for (size_t i = 0; i < p->lost.len; i++)
    for (uint32_t l = x->members[p->lost.at[i]]; l; l = x->links.at[l - 1].next) offer(p, x->links.at[l - 1].node);
  for (size_t i = 0; i < p->fresh.len; i++) offer(p, p->fresh.at[i]);
  uint64_t cost;
  uint32_t node;
  while (candidates_pop(&p->offers, &cost, &node)) {
    Val class = class_of(x, node);
    if (cost >= x->cost[class]) continue;
    x->cost[class] = cost;
    x->best[class] = x->nodes.at[node];
    extract_each_user(x, class, offer, p);
  }
}

bool reprice(Extraction *x) {
  Repricing p = {.x = x};
  bool ok = read_changes(&p);
  if (ok) {
    settle_doubts(&p);
    lower(&p);
  }
  candidates_free(&p.doubt);
  candidates_free(&p.offers);
  vec_free(&p.fresh);
  vec_free(&p.lost);
  return ok;
}
