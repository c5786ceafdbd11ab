/* Costs of all classes from nothing: every row is looked at once. */
#include "eval/datalog/extract.h"

typedef struct Pricing {
  Extraction *x;
  Vec(uint32_t) pending; /* by node: mentions of classes not priced yet */
  uint32_t node;         /* being looked at */
} Pricing;

static void count_mention(void *ctx, Val class) {
  Pricing *p = ctx;
  p->pending.at[p->node]++;
  p->x->first[class]++;
}

static void note_mention(void *ctx, Val class) {
  Pricing *p = ctx;
  p->x->mentions[--p->x->first[class]] = p->node;
}

static void each_mention(Pricing *p, void (*each)(void *ctx, Val class)) {
  for (p->node = 0; p->node < p->x->nodes.len; p->node++) extract_mentions(p->x, p->x->nodes.at[p->node], each, p);
}

static void collect_nodes(Pricing *p) {
  Extraction *x = p->x;
  Db *db = x->db;
  vec_clear(&x->nodes);
  vec_clear(&x->seen);
  vec_clear(&x->generation);
  for (size_t i = 0; i < db->tables.len; i++) {
    const Table *t = db->tables.at[i];
    vec_push(&x->seen, t->n_rows);
    vec_push(&x->generation, t->generation);
    for (uint32_t r = 0; extract_usable(t) && r < t->n_rows; r++) {
      if (!extract_live(t, r)) continue;
      vec_push(&x->nodes, ((Best){t->id, r}));
      vec_push(&p->pending, 0);
    }
  }
  size_t n = x->n_first = x->n_classes;
  free(x->first);
  x->first = xcalloc(n + 1, sizeof *x->first);
  each_mention(p, count_mention);
  for (size_t c = 1; c < n; c++) x->first[c] += x->first[c - 1];
  x->first[n] = n ? x->first[n - 1] : 0;
  free(x->mentions);
  x->mentions = xmalloc((x->first[n] + 1) * sizeof *x->mentions);
  /* Filled from the end of each class's part, which leaves first[c] at its beginning. */
  each_mention(p, note_mention);
}

static Val class_of(const Extraction *x, uint32_t node) {
  Best b = x->nodes.at[node];
  const Table *t = x->db->tables.at[b.table];
  return uf_find(&x->db->classes, table_row(t, b.row)[t->n_in]);
}

/* All arguments are priced.  A class that has been cannot become cheaper. */
static void offer(Extraction *x, Candidates *q, uint32_t node) {
  Best b = x->nodes.at[node];
  if (x->cost[class_of(x, node)] != COST_NONE) return;
  candidates_push(q, extract_row_cost(x, x->db->tables.at[b.table], b.row), node);
}

void price_all(Extraction *x) {
  Pricing p = {.x = x};
  Candidates q = {0};
  free(x->members);
  x->members = NULL;
  vec_clear(&x->links);
  x->n_classes = 0;
  extract_grow(x);
  collect_nodes(&p);
  for (uint32_t i = 0; i < x->nodes.len; i++)
    if (!p.pending.at[i]) offer(x, &q, i);
  uint64_t cost;
  uint32_t node;
  while (candidates_pop(&q, &cost, &node)) {
    Val class = class_of(x, node);
    if (x->cost[class] != COST_NONE) continue;
    x->cost[class] = cost;
    x->best[class] = x->nodes.at[node];
    for (uint32_t i = x->first[class + 1]; i-- > x->first[class];)
      if (!--p.pending.at[x->mentions[i]]) offer(x, &q, x->mentions[i]);
  }
  candidates_free(&q);
  vec_free(&p.pending);
  x->seen_notes = x->db->row_notes.len;
  x->seen_unions = x->db->classes.log.len;
}
