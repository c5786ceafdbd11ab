/* Extraction: after every change of a random e-graph the maintained costs are those of a plain fixed point over all
 * rows, and chosen rows form no cycle; a dag is never dearer than the cheapest tree is as a dag. */
#include <stdio.h>
#include <stdlib.h>

#include "eval/datalog/extract.h"

static int failures;
#define CHECK(x) \
  if (!(x))      \
  failures++, fprintf(stderr, "line %d, seed %llu, step %d: %s\n", __LINE__, (unsigned long long)start, now, #x)

static uint64_t seed, start;
static int now;
static uint32_t pick(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

enum { TABLES = 6, MOST = 60 };
typedef struct World {
  Db *db;
  SortId term, terms;
  TableId table[TABLES];
  Val made[400]; /* ids, maybe stale */
  uint32_t n_made, at_push[8], n_push;
} World;

static void act(World *w, IrOpKind kind, uint32_t op, uint32_t n, const Val *args, const SortId *sorts) {
  Reg regs[8];
  IrInit inits[8];
  for (uint32_t i = 0; i < n; i++) regs[i] = i, inits[i] = (IrInit){i, false, args[i]};
  IrOp o = {.kind = kind, .op = op, .n = n, .arg = regs, .dst = kind == IR_MAKE ? n : IR_NONE};
  SortId all[9];
  for (uint32_t i = 0; i < n; i++) all[i] = sorts[i];
  all[n] = w->term;
  IrBlock b = {
      .ops = &o, .n_ops = 1, .inits = inits, .n_inits = n, .n_regs = n + 1, .widest = n, .result = n, .sorts = all};
  Val out = 0;
  db_act(w->db, &b, kind == IR_MAKE ? &out : NULL);
  if (kind == IR_MAKE && w->n_made < 400) w->made[w->n_made++] = out;
}

static Val any(World *w) { return db_canonical(w->db, w->term, w->made[pick(w->n_made)]); }

/* Arguments of some row of table k. */
static uint32_t arguments(World *w, uint32_t k, Val *out) {
  const TableSpec *s = db_table_spec(w->db, w->table[k]);
  for (uint32_t i = 0; i < s->n_in; i++) {
    Val elements[] = {any(w), any(w)};
    out[i] = s->in[i] == SORT_I64  ? db_int(w->db, pick(5))
             : s->in[i] == w->term ? any(w)
                                   : db_canonical(w->db, w->terms, db_vec(w->db, w->terms, elements, 1 + pick(2)));
  }
  return s->n_in;
}

static void change(World *w) {
  Val args[8];
  uint32_t k = pick(TABLES), what = pick(20);
  const TableSpec *s = db_table_spec(w->db, w->table[k]);
  uint32_t n = arguments(w, k, args);
  if (what < 8) {
    act(w, IR_MAKE, w->table[k], n, args, s->in);
  } else if (what < 11) {
    Val two[] = {any(w), any(w)};
    SortId sorts[] = {w->term, w->term};
    act(w, IR_UNION, w->term, 2, two, sorts);
  } else if (what < 14) {
    if (k) act(w, what < 13 ? IR_DELETE : IR_SUBSUME, w->table[k], n, args, s->in);
  } else if (what < 16) {
    SortId sorts[8];
    for (uint32_t i = 0; i < n; i++) sorts[i] = s->in[i];
    args[n] = db_int(w->db, pick(7));
    sorts[n] = SORT_I64;
    act(w, IR_SET, db_costs(w->db, w->table[k], 0), n + 1, args, sorts);
  } else if (what < 18 && w->n_push < 8) {
    w->at_push[w->n_push++] = w->n_made;
    db_push(w->db);
  } else if (w->n_push) {
    w->n_made = w->at_push[--w->n_push];
    db_pop(w->db);
  }
}

/* ---- what the costs must be ---- */

static uint64_t plain_value(World *w, const uint64_t *cost, bool depth, SortId s, Val v) {
  if (s == SORT_I64) return 1;
  if (s == w->term) return cost[db_canonical(w->db, s, v)];
  uint32_t n;
  uint64_t sum = 0;
  const Val *at = db_elements(w->db, s, v, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t one = plain_value(w, cost, depth, w->term, at[i]);
    if (one == COST_NONE) return one;
    sum = depth ? (one > sum ? one : sum) : sum + one;
  }
  return sum;
}

static uint64_t *plain_costs(World *w, Extraction *x, bool depth) {
  Db *db = w->db;
  uint64_t *cost = malloc((x->n_classes + 1) * sizeof *cost);
  for (size_t i = 0; i < x->n_classes; i++) cost[i] = COST_NONE;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < TABLES; k++) {
      const Table *t = db->tables.at[w->table[k]];
      for (uint32_t r = 0; r < t->n_rows; r++) {
        if (!extract_live(t, r)) continue;
        const Val *row = table_row(t, r);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < t->n_in && sum != COST_NONE; i++) {
          uint64_t one = plain_value(w, cost, depth, t->sorts[i], row[i]);
          sum = one == COST_NONE ? one : depth ? (one > sum ? one : sum) : sum + one;
        }
        if (sum == COST_NONE) continue;
        sum += extract_own_cost(x, t, row);
        if (sum < cost[row[t->n_in]]) cost[row[t->n_in]] = sum, more = true;
      }
    }
  }
  return cost;
}

/* ---- chosen rows ---- */

typedef struct Walk {
  Extraction *x;
  uint8_t *state; /* by class: 1 above, 2 done */
  uint64_t sum;   /* of what each class below costs by itself */
  bool cyclic;
} Walk;

static void walk(void *ctx, Val class) {
  Walk *k = ctx;
  k->cyclic |= k->state[class] == 1 || k->x->best[class].table == IR_NONE;
  if (k->state[class] || k->cyclic) return;
  k->state[class] = 1;
  Best b = k->x->best[class];
  const Table *t = k->x->db->tables.at[b.table];
  k->cyclic |= !extract_live(t, b.row) || table_row(t, b.row)[t->n_in] != class;
  if (k->cyclic) return;
  k->sum += extract_local_cost(k->x, t, table_row(t, b.row));
  extract_mentions(k->x, b, walk, k);
  k->state[class] = 2;
}

static uint64_t dag_cost(Extraction *x, Val class) {
  Walk k = {.x = x, .state = calloc(x->n_classes + 1, 1)};
  walk(&k, class);
  CHECK(!k.cyclic);
  free(k.state);
  return k.sum;
}

static void compare(World *w) {
  for (uint32_t depth = 0; depth < 2; depth++) {
    CostModel m = {.kind = depth ? COST_DEPTH : COST_TREE};
    Extraction *x = db_extract(w->db, &m);
    uint64_t *cost = plain_costs(w, x, depth);
    for (Val c = 0; c < x->n_classes; c++) {
      if (db_canonical(w->db, w->term, c) != c) continue;
      CHECK(x->cost[c] == cost[c]);
      if (cost[c] != COST_NONE && x->cost[c] == cost[c]) dag_cost(x, c);
    }
    free(cost);
  }
  CostModel trees = {.kind = COST_TREE}, dags = {.kind = COST_DAG};
  Extraction *dag = db_extract(w->db, &dags), *tree = db_extract(w->db, &trees);
  for (Val c = 0; c < tree->n_classes; c++) {
    if (db_canonical(w->db, w->term, c) != c) continue;
    CHECK((dag->cost[c] == COST_NONE) == (tree->cost[c] == COST_NONE));
    if (tree->cost[c] == COST_NONE || dag->cost[c] == COST_NONE) continue;
    CHECK(dag->cost[c] <= dag_cost(tree, c));
    dag_choose(dag, w->term, c, NULL);
    CHECK(dag_cost(dag, c) <= dag->cost[c]);
  }
}

static void campaign(uint64_t s) {
  World w = {.db = db_new()};
  seed = start = s;
  w.term = db_sort_eq(w.db, sym("T"));
  w.terms = db_sort_container(w.db, sym("Ts"), SORT_VEC, &w.term, 1);
  SortId in[TABLES][3] = {{SORT_I64}, {w.term, w.term},   {w.term},
                          {w.terms},  {w.term, SORT_I64}, {w.term, w.term, w.terms}};
  static const uint32_t n_in[TABLES] = {1, 2, 1, 1, 2, 3}, cost[TABLES] = {3, 1, 0, 2, 1, 0};
  for (uint32_t k = 0; k < TABLES; k++) {
    char name[] = {'f', (char)('0' + k), 0};
    TableSpec spec = {
        .name = sym(name), .kind = TABLE_CONSTRUCTOR, .n_in = n_in[k], .in = in[k], .out = w.term, .cost = cost[k]};
    w.table[k] = db_table(w.db, &spec);
  }
  for (uint32_t i = 0; i < 4; i++) {
    Val v = db_int(w.db, i);
    act(&w, IR_MAKE, w.table[0], 1, &v, in[0]);
  }
  for (now = 0; now < MOST && !failures; now++) {
    for (uint32_t i = pick(4); i < 4; i++) change(&w);
    if (pick(3)) compare(&w);
  }
  db_free(w.db);
}

int main(int argc, char **argv) {
  uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, n = argc > 2 ? strtoull(argv[2], NULL, 10) : 300;
  for (uint64_t s = from; s < from + n && !failures; s++) campaign(s);
  return failures ? 1 : 0;
}
