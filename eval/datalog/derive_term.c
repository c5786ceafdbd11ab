#include "eval/datalog/derive_term.h"

typedef struct {
  SortId sort;
  Val value;
} Part;
typedef Vec(Part) Parts;
typedef Vec(Term *) Args;

DerivedTerms *derive_terms_new(const Derivation *p) {
  DerivedTerms *t = xcalloc(1, sizeof *t);
  t->proof = p;
  t->of_class = xcalloc(p->db->classes.parent.len + 1, sizeof *t->of_class);
  t->of_box = xcalloc(p->db->boxes.box.len + 1, sizeof *t->of_box);
  t->mask = 255;
  t->slots = xcalloc(t->mask + 1, sizeof *t->slots);
  return t;
}

void derive_terms_free(DerivedTerms *t) {
  if (!t) return;
  arena_free(&t->arena);
  vec_free(&t->all);
  free(t->of_class);
  free(t->of_box);
  free(t->slots);
  free(t);
}

static uint32_t hash_term(const Term *t) {
  uint64_t h = val_mix(val_mix(t->sort, t->table), t->value);
  for (uint32_t i = 0; i < t->n; i++) h = val_mix(h, ((DerivedTerm *)t->arg[i])->number);
  return (uint32_t)h;
}

static bool same(const Term *a, const Term *b) {
  return a->sort == b->sort && a->table == b->table && a->value == b->value && a->n == b->n &&
         (!a->n || !memcmp(a->arg, b->arg, a->n * sizeof *a->arg));
}

static void grow(DerivedTerms *t) {
  free(t->slots);
  t->mask = t->mask * 2 + 1;
  t->slots = xcalloc(t->mask + 1ull, sizeof *t->slots);
  for (uint32_t i = 0; i < t->all.len; i++) {
    uint32_t *slot = &t->slots[hash_term(&t->all.at[i]->term) & t->mask];
    t->all.at[i]->next = *slot;
    *slot = i + 1;
  }
}

static DerivedTerm *make(DerivedTerms *t, Term term) {
  uint32_t *slot = &t->slots[hash_term(&term) & t->mask];
  for (uint32_t i = *slot; i; i = t->all.at[i - 1]->next)
    if (same(&t->all.at[i - 1]->term, &term)) return t->all.at[i - 1];
  if (t->all.len > t->mask) {
    grow(t);
    slot = &t->slots[hash_term(&term) & t->mask];
  }
  DerivedTerm *p = ARENA_NEW(&t->arena, DerivedTerm);
  p->term = term;
  p->term.arg = arena_copy(&t->arena, term.arg, term.n * sizeof *term.arg);
  p->number = (uint32_t)t->all.len;
  p->size = 1;
  for (uint32_t i = 0; i < term.n; i++) {
    uint64_t s = ((DerivedTerm *)term.arg[i])->size;
    p->size = p->size > UINT64_MAX - s ? UINT64_MAX : p->size + s;
  }
  p->next = *slot;
  *slot = p->number + 1;
  vec_push(&t->all, p);
  return p;
}

static DerivedTerm *base(DerivedTerms *t, SortId s, Val v) {
  return make(t, (Term){.sort = s, .table = IR_NONE, .value = v});
}

static DerivedTerm **memo(const DerivedTerms *t, SortId s, Val v) {
  const Sort *so = sort_of(t->proof->db, s);
  return !so->is_id ? NULL : so->kind == SORT_EQ ? &t->of_class[v] : &t->of_box[v];
}

/* What the term of a class or container is made of; false if that is not recorded. */
static bool parts_of(const DerivedTerms *t, SortId s, Val v, Parts *out) {
  enum { MOST = 1000 }; /* times an element of a multiset is repeated */
  const Db *db = t->proof->db;
  out->len = 0;
  if (sort_of(db, s)->kind == SORT_EQ) {
    uint32_t o = claims_origin(t->proof->claims, v);
    if (o == IR_NONE) return false;
    const Table *table = db->tables.at[t->proof->claims->all.at[o].table];
    const Val *cols = claim_cols(t->proof->claims, o);
    for (uint32_t i = 0; i < table->n_in; i++) vec_push(out, (Part){table->sorts[i], cols[i]});
    return true;
  }
  const Box *box = &db->boxes.box.at[v];
  for (uint32_t i = 0; i < box->n; i++) {
    SortId e = box_element_sort(db, box, i);
    if (e == IR_NONE) continue;
    uint32_t times = sort_of(db, s)->kind == SORT_MULTISET ? db->boxes.pool.at[box->at + i + 1] : 1;
    for (uint32_t k = 0; k < times && k < MOST; k++) vec_push(out, (Part){e, db->boxes.pool.at[box->at + i]});
  }
  return true;
}

static DerivedTerm *from_parts(DerivedTerms *t, Term head, const Parts *parts) {
  Args args = {0};
  for (size_t i = 0; i < parts->len; i++) {
    DerivedTerm **m = memo(t, parts->at[i].sort, parts->at[i].value);
    vec_push(&args, &(m ? *m : base(t, parts->at[i].sort, parts->at[i].value))->term);
  }
  head.n = (uint32_t)args.len;
  head.arg = args.at;
  DerivedTerm *made = make(t, head);
  vec_free(&args);
  return made;
}

/* The head of the term of a class or container. */
static Term head_of(const DerivedTerms *t, SortId s, Val v) {
  const Db *db = t->proof->db;
  const Sort *so = sort_of(db, s);
  Term head = {.sort = s, .table = IR_NONE};
  if (so->kind == SORT_EQ) head.table = t->proof->claims->all.at[claims_origin(t->proof->claims, v)].table;
  if (so->kind == SORT_ROW) head.table = so->table;
  if (so->kind == SORT_FN) head.value = v;
  return head;
}

/* Builds, depth first without recursion, the terms of all parts. */
static void build(DerivedTerms *t, const Parts *wanted) {
  Parts stack = {0}, parts = {0};
  for (size_t i = 0; i < wanted->len; i++) vec_push(&stack, wanted->at[i]);
  while (stack.len) {
    Part top = vec_last(&stack);
    DerivedTerm **m = memo(t, top.sort, top.value);
    if (!m || *m) {
      stack.len--;
      continue;
    }
    if (!parts_of(t, top.sort, top.value, &parts)) {
      char name[32];
      snprintf(name, sizeof name, "?%u", top.value);
      *m = base(t, SORT_STRING, sym(name));
      continue;
    }
    size_t before = stack.len;
    for (size_t i = 0; i < parts.len; i++) {
      DerivedTerm **part = memo(t, parts.at[i].sort, parts.at[i].value);
      if (part && !*part) vec_push(&stack, parts.at[i]);
    }
    if (stack.len == before) *m = from_parts(t, head_of(t, top.sort, top.value), &parts);
  }
  vec_free(&stack);
  vec_free(&parts);
}

DerivedTerm *derive_term(DerivedTerms *t, SortId s, Val v) {
  DerivedTerm **m = memo(t, s, v);
  if (!m) return base(t, s, v);
  Parts one = {0};
  vec_push(&one, (Part){s, v});
  build(t, &one);
  vec_free(&one);
  return *m;
}

DerivedTerm *derive_term_row(DerivedTerms *t, uint32_t table, const Val *cols) {
  const Table *tab = t->proof->db->tables.at[table];
  Parts parts = {0};
  for (uint32_t i = 0; i < tab->n_in; i++) vec_push(&parts, (Part){tab->sorts[i], cols[i]});
  build(t, &parts);
  DerivedTerm *made = from_parts(t, (Term){.sort = tab->out, .table = table}, &parts);
  vec_free(&parts);
  return made;
}

DerivedTerm *derive_term_apply(DerivedTerms *t, uint32_t table, DerivedTerm *const *args) {
  const Table *tab = t->proof->db->tables.at[table];
  Args list = {0};
  for (uint32_t i = 0; i < tab->n_in; i++) vec_push(&list, &args[i]->term);
  DerivedTerm *made = make(t, (Term){.sort = tab->out, .table = table, .n = tab->n_in, .arg = list.at});
  vec_free(&list);
  return made;
}
