#include "eval/datalog/extract.h"

void extraction_free(Extraction *x) {
  if (!x) return;
  free(x->cost);
  free(x->best);
  free(x->class_term);
  free(x->box_term);
  arena_free(&x->arena);
  free(x);
}

static uint64_t plus(uint64_t a, uint64_t b) {
  uint64_t s;
  if (a == COST_NONE || b == COST_NONE) return COST_NONE;
  return __builtin_add_overflow(a, b, &s) || s == COST_NONE ? COST_NONE - 1 : s;
}

uint64_t extract_value_cost(Extraction *x, SortId s, Val v) {
  Db *db = x->db;
  const Sort *so = sort_of(db, s);
  if (so->kind == SORT_EQ) return x->cost[uf_find(&db->classes, v)];
  if (!so->is_id) return 1;
  const Box *box = &db->boxes.box.at[uf_find(&db->boxes.uf, v)];
  uint64_t sum = so->kind == SORT_ROW ? db->tables.at[so->table]->cost : 0;
  for (uint32_t i = 0; i < box->n && sum != COST_NONE; i++) {
    SortId e = box_element_sort(db, box, i);
    if (e == IR_NONE) continue;
    uint64_t one = extract_value_cost(x, e, db->boxes.pool.at[box->at + i]);
    uint32_t times = so->kind == SORT_MULTISET ? db->boxes.pool.at[box->at + i + 1] : 1;
    uint64_t all;
    if (one == COST_NONE)
      sum = COST_NONE;
    else
      sum = plus(sum, __builtin_mul_overflow(one, times, &all) ? COST_NONE - 1 : all);
  }
  return sum;
}

uint64_t extract_row_cost(Extraction *x, const Table *t, const Val *row) {
  uint64_t sum = t->cost;
  for (uint32_t i = 0; i < t->n_in && sum != COST_NONE; i++) sum = plus(sum, extract_value_cost(x, t->sorts[i], row[i]));
  return sum;
}

bool extract_usable(const Table *t) { return t->kind == TABLE_CONSTRUCTOR && !t->unextractable && t->n_live; }

/* ---- pricing ---- */

typedef struct {
  uint64_t cost;
  uint32_t offered, node; /* how many were offered before */
} Candidate;

/* The rows that may be used, as nodes; for each class the nodes that mention it, once per mention. */
typedef struct {
  Extraction *x;
  Vec(Best) nodes;
  Vec(uint32_t) pending; /* by node: mentions of classes not priced yet */
  uint32_t *first, *mentions; /* mentions[first[c] .. first[c + 1]) */
  Vec(Candidate) heap;   /* least first: by cost, then those whose arguments were priced earlier */
  uint32_t n_offered;
} Pricing;

static bool before(Candidate a, Candidate b) { return a.cost != b.cost ? a.cost < b.cost : a.offered < b.offered; }

static void heap_push(Pricing *p, Candidate c) {
  vec_push(&p->heap, c);
  size_t i = p->heap.len - 1;
  for (; i && before(c, p->heap.at[(i - 1) / 2]); i = (i - 1) / 2) p->heap.at[i] = p->heap.at[(i - 1) / 2];
  p->heap.at[i] = c;
}

static Candidate heap_pop(Pricing *p) {
  Candidate top = p->heap.at[0], last = vec_pop(&p->heap);
  size_t i = 0, n = p->heap.len;
  for (size_t k; n && (k = 2 * i + 1) < n; i = k) {
    if (k + 1 < n && before(p->heap.at[k + 1], p->heap.at[k])) k++;
    if (!before(p->heap.at[k], last)) break;
    p->heap.at[i] = p->heap.at[k];
  }
  if (n) p->heap.at[i] = last;
  return top;
}

/* Calls `each` for every mention of a class in a value. */
static void mentions_of(Pricing *p, SortId s, Val v, uint32_t node, void (*each)(Pricing *p, Val class, uint32_t node)) {
  Db *db = p->x->db;
  const Sort *so = sort_of(db, s);
  if (so->kind == SORT_EQ) each(p, uf_find(&db->classes, v), node);
  if (so->kind == SORT_EQ || !so->is_id || !so->moves) return;
  const Box *box = &db->boxes.box.at[uf_find(&db->boxes.uf, v)];
  for (uint32_t i = 0; i < box->n; i++) {
    SortId e = box_element_sort(db, box, i);
    if (e != IR_NONE) mentions_of(p, e, db->boxes.pool.at[box->at + i], node, each);
  }
}

static void count_mention(Pricing *p, Val class, uint32_t node) {
  p->pending.at[node]++;
  p->first[class + 1]++;
}

static void note_mention(Pricing *p, Val class, uint32_t node) { p->mentions[--p->first[class + 1]] = node; }

static void each_mention(Pricing *p, void (*each)(Pricing *p, Val class, uint32_t node)) {
  for (uint32_t i = 0; i < p->nodes.len; i++) {
    const Table *t = p->x->db->tables.at[p->nodes.at[i].table];
    const uint32_t *row = table_row(t, p->nodes.at[i].row);
    for (uint32_t c = 0; c < t->n_in; c++) mentions_of(p, t->sorts[c], row[c], i, each);
  }
}

static void collect_nodes(Pricing *p) {
  Db *db = p->x->db;
  for (size_t i = 0; i < db->tables.len; i++) {
    const Table *t = db->tables.at[i];
    for (uint32_t r = 0; extract_usable(t) && r < t->n_rows; r++) {
      if (*table_meta(t, r) & (ROW_DEAD | ROW_SUBSUMED)) continue;
      vec_push(&p->nodes, (Best){t->id, r});
      vec_push(&p->pending, 0);
    }
  }
  size_t n = p->x->n_classes;
  p->first = xcalloc(n + 2, sizeof *p->first);
  each_mention(p, count_mention);
  for (size_t c = 0; c < n; c++) p->first[c + 1] += p->first[c];
  p->mentions = xmalloc((p->first[n] + 1) * sizeof *p->mentions);
  /* Filled from the end of each class's part, which leaves first[c + 1] at its beginning. */
  each_mention(p, note_mention);
}

static void offer(Pricing *p, uint32_t node) {
  const Table *t = p->x->db->tables.at[p->nodes.at[node].table];
  heap_push(p, (Candidate){extract_row_cost(p->x, t, table_row(t, p->nodes.at[node].row)), p->n_offered++, node});
}

static void price(Extraction *x) {
  Pricing p = {.x = x};
  collect_nodes(&p);
  size_t n_mentions = 0;
  for (uint32_t i = 0; i < p.nodes.len; i++) {
    n_mentions += p.pending.at[i];
    if (!p.pending.at[i]) offer(&p, i);
  }
  while (p.heap.len) {
    Candidate c = heap_pop(&p);
    Best b = p.nodes.at[c.node];
    const Table *t = x->db->tables.at[b.table];
    Val class = uf_find(&x->db->classes, table_row(t, b.row)[t->n_in]);
    if (x->cost[class] != COST_NONE) continue;
    x->cost[class] = c.cost;
    x->best[class] = b;
    uint32_t end = class + 1 < x->n_classes ? p.first[class + 2] : (uint32_t)n_mentions;
    for (uint32_t i = end; i-- > p.first[class + 1];)
      if (!--p.pending.at[p.mentions[i]]) offer(&p, p.mentions[i]);
  }
  vec_free(&p.nodes);
  vec_free(&p.pending);
  vec_free(&p.heap);
  free(p.first);
  free(p.mentions);
}

Extraction *db_extract(Db *db) {
  if (db->extraction && db->extracted == db->version) return db->extraction;
  extraction_free(db->extraction);
  Extraction *x = xcalloc(1, sizeof *x);
  x->db = db;
  x->n_classes = db->classes.parent.len;
  x->n_boxes = db->boxes.box.len;
  x->cost = xmalloc((x->n_classes + 1) * sizeof *x->cost);
  memset(x->cost, 0xff, x->n_classes * sizeof *x->cost);
  x->best = xmalloc((x->n_classes + 1) * sizeof *x->best);
  price(x);
  db->extraction = x;
  db->extracted = db->version;
  return x;
}

uint64_t extraction_cost(Extraction *x, SortId s, Val v) { return extract_value_cost(x, s, v); }
