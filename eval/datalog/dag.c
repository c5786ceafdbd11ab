/* Dags: terms in which equal subterms cost once.
 *
 * The least dag is hard to find (set cover); this is the greedy approximation that e-graph extractors use: every class
 * keeps one dag, as the classes in it, each with the row chosen for it there; a row's dag is the union of those of its
 * arguments, the first one's rows where two have one class.  Classes start with their cheapest trees, and a class whose
 * dag got better offers the rows that mention it, until none gets better.  So the result is never dearer than the
 * cheapest tree is as a dag.
 * Better means less, or as much for fewer classes.
 * Invariant: a dag has every class that a chosen row of it mentions, and its rows form no cycle: a row is not used if
 * its class is in the union, and what a union adds to its first part does not change that part. */
#include "eval/datalog/extract.h"
#include "eval/datalog/limit.h"

enum { DAG_ENTRIES = 1 << 24, ROUNDS = 32, GLANCE = 4096 };

typedef struct DagEntry {
  uint64_t own;
  Val class;
  Best row;
} DagEntry;

struct DagSet {
  uint64_t total;
  uint32_t n; /* 0: none */
  DagEntry *at;
};

typedef struct Dag {
  Extraction *x, *tree;
  uint32_t *stamp; /* by class: in `set` if it is `now` */
  uint32_t now;
  Vec(DagEntry) set;
  bool unknown; /* a class without a dag has been met */
  Vec(Val) stack;
  uint64_t kept; /* entries of all dags */
  bool *queued;  /* by node */
  Vec(uint32_t) queue;
} Dag;

void dag_free(Extraction *x) {
  for (size_t i = 0; x->sets && i < x->n_classes; i++) free(x->sets[i].at);
  free(x->sets);
  x->sets = NULL;
}

static void add_class(void *ctx, Val class) {
  Dag *d = ctx;
  const DagSet *s = &d->x->sets[class];
  d->unknown |= !s->n;
  for (uint32_t i = 0; i < s->n; i++) {
    DagEntry e = s->at[i];
    if (d->stamp[e.class] == d->now) continue;
    d->stamp[e.class] = d->now;
    vec_push(&d->set, e);
  }
}

/* The union of the dags that a row mentions, in `set`; its cost, or COST_NONE. */
static uint64_t unite(Dag *d, const Table *t, uint32_t row) {
  d->now++;
  vec_clear(&d->set);
  d->unknown = false;
  extract_mentions(d->x, (Best){t->id, row}, add_class, d);
  uint64_t sum = d->unknown ? COST_NONE : 0;
  for (size_t i = 0; i < d->set.len; i++) sum = extract_plus(sum, d->set.at[i].own);
  return sum;
}

/* Gives the row's dag to its class if it is better; true if it was. */
static bool improve(Dag *d, Best b) {
  const Table *t = d->x->db->tables.at[b.table];
  Val class = table_row(t, b.row)[t->n_in];
  DagSet *s = &d->x->sets[class];
  uint64_t sum = unite(d, t, b.row);
  if (sum == COST_NONE || d->stamp[class] == d->now) return false;
  uint64_t own = extract_local_cost(d->x, t, table_row(t, b.row)), total = extract_plus(own, sum);
  uint32_t n = (uint32_t)d->set.len + 1;
  if (s->n && (total > s->total || (total == s->total && n >= s->n))) return false;
  vec_push(&d->set, ((DagEntry){own, class, b}));
  d->kept = d->kept + n - s->n;
  s->at = xrealloc(s->at, n * sizeof *s->at);
  memcpy(s->at, d->set.at, n * sizeof *s->at);
  s->n = n;
  s->total = d->x->cost[class] = total;
  return true;
}

static bool fits(Dag *d) {
  Db *db = d->x->db;
  uint64_t most = db->limits.dag_entries ? db->limits.dag_entries : DAG_ENTRIES;
  if (d->kept <= most) return true;
  db->limit_reached = true;
  return db_fail(db, (Span){0, 0, 0}, "stopped at the limit of %llu classes in dags", (unsigned long long)most);
}

/* ---- from trees ---- */

static void want(void *ctx, Val class) {
  Dag *d = ctx;
  if (!d->x->sets[class].n) vec_push(&d->stack, class);
}

/* Every class gets the dag of its cheapest tree, arguments first. */
static bool start(Dag *d) {
  for (Val c = 0; c < d->tree->n_classes; c++) {
    if (d->tree->cost[c] == COST_NONE || d->x->sets[c].n) continue;
    vec_push(&d->stack, c);
    while (d->stack.len) {
      Val top = vec_last(&d->stack);
      size_t before = d->stack.len;
      if (!d->x->sets[top].n) extract_mentions(d->x, d->tree->best[top], want, d);
      if (d->stack.len > before) continue;
      d->stack.len--;
      if (!d->x->sets[top].n) improve(d, d->tree->best[top]);
      if (!fits(d)) return false;
    }
  }
  return true;
}

/* ---- and better ---- */

static void enqueue(void *ctx, uint32_t node) {
  Dag *d = ctx;
  if (d->queued[node]) return;
  d->queued[node] = true;
  vec_push(&d->queue, node);
}

static bool settle(Dag *d) {
  Extraction *tree = d->tree;
  size_t n = tree->nodes.len;
  for (uint32_t i = 0; i < n; i++) enqueue(d, i);
  for (size_t i = 0; i < d->queue.len && i / ROUNDS < n; i++) {
    uint32_t node = d->queue.at[i];
    d->queued[node] = false;
    if (i % GLANCE == 0 && !limit_check(tree->db)) return false;
    if (!extract_node_live(tree, node) || !improve(d, tree->nodes.at[node])) continue;
    if (!fits(d)) return false;
    const Table *t = tree->db->tables.at[tree->nodes.at[node].table];
    extract_each_user(tree, table_row(t, tree->nodes.at[node].row)[t->n_in], enqueue, d);
  }
  return true;
}

bool dag_price(Extraction *x, Extraction *tree) {
  dag_free(x);
  x->n_classes = 0;
  extract_grow(x);
  x->sets = xcalloc(x->n_classes + 1, sizeof *x->sets);
  Dag d = {.x = x, .tree = tree};
  d.stamp = xcalloc(x->n_classes + 1, sizeof *d.stamp);
  d.queued = xcalloc(tree->nodes.len + 1, sizeof *d.queued);
  bool ok = start(&d) && settle(&d);
  free(d.stamp);
  free(d.queued);
  vec_free(&d.set);
  vec_free(&d.stack);
  vec_free(&d.queue);
  return ok;
}

uint64_t dag_row_cost(Extraction *x, const Table *t, uint32_t row) {
  Dag d = {.x = x, .stamp = xcalloc(x->n_classes + 1, sizeof *d.stamp)};
  uint64_t sum = unite(&d, t, row);
  free(d.stamp);
  vec_free(&d.set);
  return extract_plus(extract_local_cost(x, t, table_row(t, row)), sum);
}

void dag_choose(Extraction *x, SortId s, Val v, const Best *row) {
  Dag d = {.x = x, .stamp = xcalloc(x->n_classes + 1, sizeof *d.stamp), .now = 1};
  if (row) extract_mentions(x, *row, add_class, &d);
  else extract_value_mentions(x->db, s, v, add_class, &d);
  for (size_t i = 0; i < d.set.len; i++) x->best[d.set.at[i].class] = d.set.at[i].row;
  x->stamp++;
  free(d.stamp);
  vec_free(&d.set);
}
