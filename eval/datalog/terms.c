/* Terms of values: the chosen rows put together, depth first and without recursion, each class once. */
#include "eval/datalog/extract.h"
#include "eval/datalog/number.h"

typedef struct {
  SortId sort;
  Val value;
} Part;
typedef Vec(Part) Parts;

/* The term kept for id v, of n; empty if that of an earlier state is. */
static Term **kept(Extraction *x, KeptTerm **terms, size_t *had, Val v, size_t n) {
  if (v >= *had) {
    size_t room = n + n / 4 + 1;
    *terms = xrealloc(*terms, room * sizeof **terms);
    memset(*terms + *had, 0, (room - *had) * sizeof **terms);
    *had = room;
  }
  KeptTerm *k = *terms + v;
  if (k->stamp != x->stamp) *k = (KeptTerm){NULL, x->stamp};
  return &k->term;
}

/* Where the term of a value is remembered; NULL for base values.  Valid until the next call. */
static Term **memo_of(Extraction *x, SortId s, Val v) {
  const Sort *so = sort_of(x->db, s);
  Db *db = x->db;
  if (!so->is_id) return NULL;
  if (so->kind == SORT_EQ)
    return kept(x, &x->class_term, &x->n_class_terms, uf_find(&db->classes, v), db->classes.parent.len);
  return kept(x, &x->box_term, &x->n_box_terms, uf_find(&db->boxes.uf, v), db->boxes.box.len);
}

static void parts_of_row(const Table *t, const Val *row, Parts *out) {
  for (uint32_t i = 0; i < t->n_in; i++) vec_push(out, (Part){t->sorts[i], row[i]});
}

/* What the term of a class or container consists of. */
static void parts_of(Extraction *x, SortId s, Val v, Parts *out) {
  Db *db = x->db;
  out->len = 0;
  if (sort_of(db, s)->kind == SORT_EQ) {
    Best b = x->best[uf_find(&db->classes, v)];
    parts_of_row(db->tables.at[b.table], table_row(db->tables.at[b.table], b.row), out);
    return;
  }
  const Box *box = &db->boxes.box.at[uf_find(&db->boxes.uf, v)];
  for (uint32_t i = 0; i < box->n; i++) {
    SortId e = box_element_sort(db, box, i);
    if (e == IR_NONE) continue;
    uint32_t times = sort_of(db, s)->kind == SORT_MULTISET ? db->boxes.pool.at[box->at + i + 1] : 1;
    for (uint32_t k = 0; k < times; k++) vec_push(out, (Part){e, db->boxes.pool.at[box->at + i]});
  }
}

static Term *base_term(Extraction *x, SortId s, Val v) {
  Term *t = ARENA_NEW(&x->arena, Term);
  *t = (Term){.sort = s, .table = IR_NONE, .value = v, .size = 1};
  return t;
}

static int compare_values(const Db *db, const Term *a, const Term *b) {
  switch (sort_of(db, a->sort)->kind) {
  case SORT_I64: {
    int64_t x = val_get_int(&db->values, a->value), y = val_get_int(&db->values, b->value);
    return x < y ? -1 : x > y;
  }
  case SORT_F64: {
    double x = val_get_float(&db->values, a->value), y = val_get_float(&db->values, b->value);
    return x < y ? -1 : x > y ? 1 : (x != x) - (y != y);
  }
  case SORT_STRING: return strcmp(sym_text(a->value), sym_text(b->value));
  case SORT_BIGINT:
  case SORT_BIGRAT: { /* printed as applications to texts */
    char *x = number_rat_text(val_get_rat(&db->values, a->value)), *y = number_rat_text(val_get_rat(&db->values, b->value));
    int c = strcmp(x, y);
    free(x);
    free(y);
    return c;
  }
  default: return a->value < b->value ? -1 : a->value > b->value;
  }
}

static const char *head_of(const Db *db, const Term *t) {
  static const char *const heads[] = {"", "", "", "", "", "", "", "", "vec-of", "set-of", "map-of", "multiset-of",
                                      "pair", "unstable-fn", ""};
  if (t->table != IR_NONE) return sym_text(db->tables.at[t->table]->name);
  return heads[sort_of(db, t->sort)->kind];
}

/* Literals before applications; applications by head, number of arguments, arguments.  Very deep terms compare equal.
 */
static int compare_terms(const Db *db, const Term *a, const Term *b, uint32_t depth) {
  if (a == b || depth > 10000) return 0;
  bool la = a->table == IR_NONE && !sort_of(db, a->sort)->is_id,
       lb = b->table == IR_NONE && !sort_of(db, b->sort)->is_id;
  if (la || lb) return la && lb ? compare_values(db, a, b) : lb - la;
  int c = strcmp(head_of(db, a), head_of(db, b));
  if (c) return c;
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  for (uint32_t i = 0; !c && i < a->n; i++) c = compare_terms(db, a->arg[i], b->arg[i], depth + 1);
  return c;
}

static void sort_terms(const Db *db, Term **at, uint32_t n, uint32_t step) {
  Term **tmp = xmalloc((n + 1) * sizeof *tmp);
  for (uint32_t width = step; width < n; width *= 2)
    for (uint32_t lo = 0; lo + width < n; lo += 2 * width) {
      uint32_t mid = lo + width, hi = mid + width < n ? mid + width : n, i = lo, j = mid, k = 0;
      for (; i < mid || j < hi; k += step) {
        uint32_t *from = j >= hi || (i < mid && compare_terms(db, at[i], at[j], 0) <= 0) ? &i : &j;
        memcpy(tmp + k, at + *from, step * sizeof *tmp);
        *from += step;
      }
      memcpy(at + lo, tmp, k * sizeof *tmp);
    }
  free(tmp);
}

static Term *make_term(Extraction *x, SortId s, Val v, uint32_t table, const Parts *parts) {
  Db *db = x->db;
  Term *t = base_term(x, s, v);
  t->table = table;
  t->n = (uint32_t)parts->len;
  t->arg = ARENA_ARRAY(&x->arena, Term *, t->n + 1);
  for (uint32_t i = 0; i < t->n; i++) {
    Term **memo = memo_of(x, parts->at[i].sort, parts->at[i].value);
    t->arg[i] = memo ? *memo : base_term(x, parts->at[i].sort, parts->at[i].value);
    t->size = extract_plus(t->size, t->arg[i]->size);
  }
  SortKind k = sort_of(db, s)->kind;
  if (table == IR_NONE && (k == SORT_SET || k == SORT_MULTISET)) sort_terms(db, t->arg, t->n, 1);
  if (table == IR_NONE && k == SORT_MAP) sort_terms(db, t->arg, t->n, 2);
  return t;
}

/* Builds, depth first without recursion, the terms of all parts. */
static void build_parts(Extraction *x, const Parts *wanted) {
  Db *db = x->db;
  Parts stack = {0}, parts = {0};
  for (size_t i = 0; i < wanted->len; i++) {
    vec_push(&stack, wanted->at[i]);
    if (!x->sets) tie_settle(x, wanted->at[i].sort, wanted->at[i].value);
  }
  while (stack.len) {
    Part top = vec_last(&stack);
    Term **memo = memo_of(x, top.sort, top.value);
    if (!memo || *memo) {
      stack.len--;
      continue;
    }
    parts_of(x, top.sort, top.value, &parts);
    size_t before = stack.len;
    for (size_t i = 0; i < parts.len; i++) {
      Term **m = memo_of(x, parts.at[i].sort, parts.at[i].value);
      if (m && !*m) vec_push(&stack, parts.at[i]);
    }
    if (stack.len > before) continue;
    const Sort *so = sort_of(db, top.sort);
    uint32_t table = so->kind == SORT_EQ ? x->best[uf_find(&db->classes, top.value)].table
                     : so->kind == SORT_ROW ? so->table : IR_NONE;
    *memo = make_term(x, top.sort, top.value, table, &parts);
    stack.len--;
  }
  vec_free(&stack);
  vec_free(&parts);
}

Term *extraction_term(Extraction *x, SortId s, Val v) {
  if (extract_value_cost(x, s, v) == COST_NONE) return NULL;
  if (!sort_of(x->db, s)->is_id) return base_term(x, s, v);
  if (x->sets) dag_choose(x, s, v, NULL);
  Parts one = {0};
  vec_push(&one, (Part){s, v});
  build_parts(x, &one);
  vec_free(&one);
  return *memo_of(x, s, v);
}

typedef struct {
  uint64_t cost;
  const Table *table;
  uint32_t row;
} Variant;

static int compare_variants(const void *a, const void *b) {
  const Variant *x = a, *y = b;
  if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
  int c = strcmp(sym_text(x->table->name), sym_text(y->table->name));
  return c ? c : x->row < y->row ? -1 : x->row > y->row;
}

typedef Vec(Variant) Variants;

/* The rows of a class, some maybe twice; for dags, as the extraction of trees has them. */
static void collect_variants(Extraction *x, Val class, Variants *out) {
  Db *db = x->db;
  CostModel trees = x->model;
  trees.kind = COST_TREE;
  Extraction *nodes = x->sets ? db_extract(db, &trees) : x;
  extract_add_members(nodes);
  for (uint32_t l = nodes->members[class]; l; l = nodes->links.at[l - 1].next) {
    Best b = nodes->nodes.at[nodes->links.at[l - 1].node];
    if (!extract_node_live(nodes, nodes->links.at[l - 1].node)) continue;
    const Table *t = db->tables.at[b.table];
    if (table_row(t, b.row)[t->n_in] != class) continue;
    uint64_t c = extract_row_cost(x, t, b.row);
    if (c != COST_NONE) vec_push(out, ((Variant){c, t, b.row}));
  }
}

uint32_t extraction_variants(Extraction *x, SortId s, Val v, uint64_t n, Term **out) {
  Db *db = x->db;
  if (sort_of(db, s)->kind != SORT_EQ) {
    *out = extraction_term(x, s, v);
    return *out != NULL;
  }
  Variants all = {0};
  collect_variants(x, uf_find(&db->classes, v), &all);
  if (all.len) qsort(all.at, all.len, sizeof *all.at, compare_variants);
  size_t distinct = 0; /* a row that went and came back is two nodes */
  for (size_t i = 0; i < all.len; i++)
    if (!i || compare_variants(&all.at[i - 1], &all.at[i])) all.at[distinct++] = all.at[i];
  all.len = distinct;
  uint32_t k = 0;
  Parts parts = {0};
  for (; k < all.len && k < n; k++) {
    parts.len = 0;
    if (x->sets) dag_choose(x, s, v, &(Best){all.at[k].table->id, all.at[k].row});
    parts_of_row(all.at[k].table, table_row(all.at[k].table, all.at[k].row), &parts);
    build_parts(x, &parts);
    out[k] = make_term(x, s, v, all.at[k].table->id, &parts);
  }
  vec_free(&parts);
  vec_free(&all);
  return k;
}
