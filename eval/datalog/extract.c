#include "eval/datalog/extract.h"

static void free_one(Extraction *x) {
  dag_free(x);
  free(x->cost);
  free(x->best);
  free(x->first);
  free(x->mentions);
  free(x->more);
  free(x->members);
  free(x->settled);
  vec_free(&x->order);
  free(x->class_term);
  free(x->box_term);
  vec_free(&x->costs);
  vec_free(&x->nodes);
  vec_free(&x->links);
  vec_free(&x->seen);
  vec_free(&x->generation);
  arena_free(&x->arena);
  free(x);
}

void extract_forget(Db *db) {
  for (size_t i = 0; i < db->extractions.len; i++) free_one(db->extractions.at[i]);
  vec_free(&db->extractions);
  vec_free(&db->row_notes);
  db->extractions.len = db->row_notes.len = 0;
}

/* ---- costs ---- */

uint64_t extract_plus(uint64_t a, uint64_t b) {
  uint64_t s;
  if (a == COST_NONE || b == COST_NONE) return COST_NONE;
  return __builtin_add_overflow(a, b, &s) || s == COST_NONE ? COST_NONE - 1 : s;
}

static uint64_t times(uint64_t a, uint32_t n) {
  uint64_t all;
  return a == COST_NONE ? a : __builtin_mul_overflow(a, n, &all) || all == COST_NONE ? COST_NONE - 1 : all;
}

/* Two arguments of one term. */
static uint64_t both(const Extraction *x, uint64_t a, uint64_t b) {
  return x->model.kind == COST_DEPTH ? (a > b ? a : b) : extract_plus(a, b);
}

static uint64_t box_cost(Extraction *x, const Sort *so, const Box *box, bool classes);

/* `classes`: terms of classes count, too. */
static uint64_t value_cost(Extraction *x, SortId s, Val v, bool classes) {
  Db *db = x->db;
  const Sort *so = sort_of(db, s);
  if (so->kind == SORT_EQ) return classes ? x->cost[uf_find(&db->classes, v)] : 0;
  return so->is_id ? box_cost(x, so, &db->boxes.box.at[uf_find(&db->boxes.uf, v)], classes) : 1;
}

static uint64_t box_cost(Extraction *x, const Sort *so, const Box *box, bool classes) {
  Db *db = x->db;
  uint64_t own = so->kind == SORT_ROW ? db->tables.at[so->table]->cost : 0, sum = 0;
  for (uint32_t i = 0; i < box->n && sum != COST_NONE; i++) {
    SortId e = box_element_sort(db, box, i);
    if (e == IR_NONE) continue;
    uint64_t one = value_cost(x, e, db->boxes.pool.at[box->at + i], classes);
    bool counted = so->kind == SORT_MULTISET && x->model.kind != COST_DEPTH;
    sum = both(x, sum, counted ? times(one, db->boxes.pool.at[box->at + i + 1]) : one);
  }
  return extract_plus(own, sum);
}

uint64_t extract_own_cost(const Extraction *x, const Table *t, const Val *row) {
  TableId costs = t->id < x->costs.len ? x->costs.at[t->id] : IR_NONE;
  uint32_t r = costs == IR_NONE ? ROW_NONE : table_find(x->db->tables.at[costs], row);
  if (r != ROW_NONE) {
    const Table *c = x->db->tables.at[costs];
    int64_t cost = val_get_int(&x->db->values, table_row(c, r)[c->n_in]);
    return cost > 0 ? (uint64_t)cost : 0;
  }
  return x->model.has_other ? x->model.other : t->cost;
}

static uint64_t row_cost(Extraction *x, const Table *t, const Val *row, bool classes) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < t->n_in && sum != COST_NONE; i++)
    sum = both(x, sum, value_cost(x, t->sorts[i], row[i], classes));
  return extract_plus(extract_own_cost(x, t, row), sum);
}

uint64_t extract_value_cost(Extraction *x, SortId s, Val v) { return value_cost(x, s, v, true); }
uint64_t extract_local_cost(Extraction *x, const Table *t, const Val *row) { return row_cost(x, t, row, false); }

uint64_t extract_row_cost(Extraction *x, const Table *t, uint32_t row) {
  return x->model.kind == COST_DAG ? dag_row_cost(x, t, row) : row_cost(x, t, table_row(t, row), true);
}

bool extract_usable(const Table *t) { return t->kind == TABLE_CONSTRUCTOR && !t->unextractable && t->n_live; }

/* ---- mentions ---- */

void extract_value_mentions(Db *db, SortId s, Val v, void (*each)(void *ctx, Val class), void *ctx) {
  const Sort *so = sort_of(db, s);
  if (so->kind == SORT_EQ) each(ctx, uf_find(&db->classes, v));
  if (so->kind == SORT_EQ || !so->is_id || !so->moves) return;
  const Box *box = &db->boxes.box.at[uf_find(&db->boxes.uf, v)];
  for (uint32_t i = 0; i < box->n; i++) {
    SortId e = box_element_sort(db, box, i);
    if (e != IR_NONE) extract_value_mentions(db, e, db->boxes.pool.at[box->at + i], each, ctx);
  }
}

void extract_mentions(Extraction *x, Best b, void (*each)(void *ctx, Val class), void *ctx) {
  const Table *t = x->db->tables.at[b.table];
  const uint32_t *row = table_row(t, b.row);
  for (uint32_t c = 0; c < t->n_in; c++) extract_value_mentions(x->db, t->sorts[c], row[c], each, ctx);
}

typedef struct Bound {
  const Extraction *x;
  uint64_t most;
  bool below;
} Bound;

static void is_below(void *ctx, Val class) {
  Bound *b = ctx;
  b->below &= b->x->cost[class] < b->most;
}

bool extract_all_below(Extraction *x, Best row, uint64_t most) {
  Bound b = {x, most, true};
  extract_mentions(x, row, is_below, &b);
  return b.below;
}

bool extract_node_live(const Extraction *x, uint32_t node) {
  Best b = x->nodes.at[node];
  if (b.table >= x->db->tables.len) return false;
  const Table *t = x->db->tables.at[b.table];
  return extract_usable(t) && extract_live(t, b.row);
}

void extract_each_user(const Extraction *x, Val class, void (*each)(void *ctx, uint32_t node), void *ctx) {
  for (uint32_t i = class < x->n_first ? x->first[class + 1] : 0; class < x->n_first && i-- > x->first[class];)
    each(ctx, x->mentions[i]);
  for (uint32_t l = x->more[class]; l; l = x->links.at[l - 1].next) each(ctx, x->links.at[l - 1].node);
}

void extract_link(Extraction *x, uint32_t *head, uint32_t node) {
  vec_push(&x->links, ((Link){node, *head}));
  *head = (uint32_t)x->links.len;
}

void extract_add_members(Extraction *x) {
  if (x->members) return;
  x->members = xcalloc(x->cap + 1, sizeof *x->members);
  for (uint32_t i = (uint32_t)x->nodes.len; i-- > 0;) {
    if (!extract_node_live(x, i)) continue;
    const Table *t = x->db->tables.at[x->nodes.at[i].table];
    extract_link(x, &x->members[table_row(t, x->nodes.at[i].row)[t->n_in]], i);
  }
}

/* ---- candidates ---- */

static bool before(Candidate a, Candidate b) { return a.cost != b.cost ? a.cost < b.cost : a.offered < b.offered; }

static void heap_push(Candidates *q, Candidate c) {
  vec_push(&q->heap, c);
  size_t i = q->heap.len - 1;
  for (; i && before(c, q->heap.at[(i - 1) / 2]); i = (i - 1) / 2) q->heap.at[i] = q->heap.at[(i - 1) / 2];
  q->heap.at[i] = c;
}

static Candidate heap_pop(Candidates *q) {
  Candidate top = q->heap.at[0], last = vec_pop(&q->heap);
  size_t i = 0, n = q->heap.len;
  for (size_t k; n && (k = 2 * i + 1) < n; i = k) {
    if (k + 1 < n && before(q->heap.at[k + 1], q->heap.at[k])) k++;
    if (!before(q->heap.at[k], last)) break;
    q->heap.at[i] = q->heap.at[k];
  }
  if (n) q->heap.at[i] = last;
  return top;
}

void candidates_push(Candidates *q, uint64_t cost, uint32_t node) {
  enum { NEAR = 4096 };
  if (cost >= NEAR) {
    heap_push(q, (Candidate){cost, q->n_offered++, node});
    return;
  }
  while (q->near.len <= cost) vec_push(&q->near, (CandidateList){0, 0});
  CandidateList *l = &q->near.at[cost];
  vec_push(&q->links, ((Link){node, 0}));
  uint32_t mine = (uint32_t)q->links.len;
  if (l->first) q->links.at[l->last - 1].next = mine;
  else l->first = mine;
  l->last = mine;
  if (cost < q->at) q->at = cost;
}

bool candidates_pop(Candidates *q, uint64_t *cost, uint32_t *node) {
  while (q->at < q->near.len && !q->near.at[q->at].first) q->at++;
  if (q->at < q->near.len) {
    Link l = q->links.at[q->near.at[q->at].first - 1];
    q->near.at[q->at].first = l.next;
    *cost = q->at;
    *node = l.node;
    return true;
  }
  if (!q->heap.len) return false;
  Candidate c = heap_pop(q);
  *cost = c.cost;
  *node = c.node;
  return true;
}

void candidates_free(Candidates *q) {
  vec_free(&q->near);
  vec_free(&q->links);
  vec_free(&q->heap);
}

/* ---- extractions ---- */

void extract_grow(Extraction *x) {
  size_t n = x->db->classes.parent.len;
  if (n > x->cap) {
    x->cap = n + n / 4 + 16;
    x->cost = xrealloc(x->cost, x->cap * sizeof *x->cost);
    x->best = xrealloc(x->best, x->cap * sizeof *x->best);
    x->more = xrealloc(x->more, x->cap * sizeof *x->more);
    if (x->members) x->members = xrealloc(x->members, x->cap * sizeof *x->members);
  }
  for (; x->n_classes < n; x->n_classes++) {
    x->cost[x->n_classes] = COST_NONE;
    x->best[x->n_classes] = (Best){IR_NONE, 0};
    x->more[x->n_classes] = 0;
    if (x->members) x->members[x->n_classes] = 0;
  }
}

/* The tables of costs that belong to the model; true if others than before. */
static bool find_costs(Extraction *x) {
  size_t n = x->db->tables.len;
  Vec(TableId) before = {0};
  for (size_t i = 0; i < x->costs.len; i++) vec_push(&before, x->costs.at[i]);
  vec_clear(&x->costs);
  for (size_t i = 0; i < n; i++) vec_push(&x->costs, IR_NONE);
  for (size_t i = 0; i < n; i++) {
    const Table *t = x->db->tables.at[i];
    if (t->costs_of != IR_NONE && t->cost_model == x->model.costs) x->costs.at[t->costs_of] = t->id;
  }
  bool changed = false;
  for (size_t i = 0; i < n || i < before.len; i++)
    changed |= (i < n ? x->costs.at[i] : IR_NONE) != (i < before.len ? before.at[i] : IR_NONE);
  vec_free(&before);
  return changed;
}

static Extraction *extraction_of(Db *db, const CostModel *m) {
  for (size_t i = 0; i < db->extractions.len; i++) {
    const CostModel *o = &db->extractions.at[i]->model;
    if (o->kind == m->kind && o->costs == m->costs) return db->extractions.at[i];
  }
  Extraction *x = xcalloc(1, sizeof *x);
  x->db = db;
  x->model = *m;
  x->version = UINT64_MAX;
  vec_push(&db->extractions, x);
  return x;
}

Extraction *db_extract(Db *db, const CostModel *model) {
  static const CostModel plain = {.kind = COST_TREE};
  const CostModel *m = model ? model : &plain;
  Extraction *tree = NULL;
  if (m->kind == COST_DAG) {
    CostModel t = *m;
    t.kind = COST_TREE;
    tree = db_extract(db, &t);
  }
  Extraction *x = extraction_of(db, m);
  if (x->version == db->version) return x;
  x->stamp++;
  arena_free(&x->arena);
  x->arena = (Arena){0};
  bool other = find_costs(x);
  if (tree) {
    if (!dag_price(x, tree)) return NULL;
  } else if (x->version == UINT64_MAX || other || !reprice(x)) {
    price_all(x);
  }
  x->version = db->version;
  return x;
}

/* The least of two costs of one term. */
static PrimId least_of(const Db *db) {
  PrimId p = db_prim_first(db, sym("min"));
  while (db_prim(db, p)->in[0] != SORT_I64) p = db_prim(db, p)->next;
  return p;
}

TableId db_costs(Db *db, TableId constructor, Sym model) {
  for (size_t i = 0; i < db->tables.len; i++) {
    const Table *t = db->tables.at[i];
    if (t->costs_of == constructor && t->cost_model == model) return t->id;
  }
  const Table *of = db->tables.at[constructor];
  Reg args[] = {0, 1};
  SortId sorts[] = {SORT_I64, SORT_I64, SORT_I64};
  IrOp least = {.kind = IR_CALL, .op = least_of(db), .n = 2, .arg = args, .dst = 2};
  IrBlock merge = {.ops = &least, .n_ops = 1, .n_regs = 3, .widest = 2, .result = 2, .sorts = sorts};
  Sym name = sym(arena_printf(&db->arena, "cost of %s", sym_text(of->name)));
  TableSpec spec = {.name = name,
                    .kind = TABLE_FUNCTION,
                    .n_in = of->n_in,
                    .in = of->sorts,
                    .out = SORT_I64,
                    .hidden = true,
                    .merge = &merge};
  TableId id = db_table(db, &spec);
  db->tables.at[id]->costs_of = constructor;
  db->tables.at[id]->cost_model = model;
  return id;
}

/* ---- notes ---- */

static void note(Db *db, const Table *t, uint32_t row) {
  enum { FEW = 1 << 16 };
  size_t nodes = db->extractions.at[0]->nodes.len;
  vec_push(&db->row_notes, ((RowNote){t->id, row, table_row(t, row)[t->n_in]}));
  if (db->row_notes.len > nodes + FEW) extract_forget(db); /* from nothing is as cheap */
}

/* Are the rows terms, or costs of terms?  (Those of containers' tables are neither.) */
static bool is_watched(const Db *db, const Table *t) {
  if (!db->extractions.len || t->id >= db->tables.len || db->tables.at[t->id] != t) return false;
  return t->kind == TABLE_CONSTRUCTOR || t->costs_of != IR_NONE;
}

void extract_note(Db *db, const Table *t, uint32_t row) {
  if (is_watched(db, t)) note(db, t, row);
}

uint32_t extract_seen(const Db *db, const Table *t) {
  uint32_t most = 0;
  for (size_t i = 0; i < db->extractions.len; i++) {
    const Extraction *x = db->extractions.at[i];
    if (t->id < x->seen.len && x->seen.at[t->id] > most) most = x->seen.at[t->id];
  }
  return most;
}

void extract_note_truncate(Db *db, const Table *t, uint32_t n) {
  if (n < t->n_rows && t->costs_of != IR_NONE && is_watched(db, t)) extract_forget(db);
  for (uint32_t r = n; r < t->n_rows && is_watched(db, t); r++) note(db, t, r);
  for (size_t i = 0; i < db->extractions.len; i++) {
    Extraction *x = db->extractions.at[i];
    if (t->id < x->seen.len && x->seen.at[t->id] > n) x->seen.at[t->id] = n;
  }
}

void extract_note_pop(Db *db) {
  size_t classes = db->classes.parent.len, unions = db->classes.log.len;
  for (size_t i = 0; i < db->extractions.len; i++) {
    Extraction *x = db->extractions.at[i];
    if (x->n_classes > classes) x->n_classes = classes;
    if (x->seen_unions > unions) x->seen_unions = unions;
    x->order.len = 0;
    if (x->seen.len > db->tables.len) x->seen.len = x->generation.len = db->tables.len;
  }
}
