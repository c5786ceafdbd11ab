#include "eval/datalog/prim.h"

static PrimId prim_add(Db *db, Prim p) {
  PrimId id = (PrimId)db->prims.len;
  while (db->prim_of_sym.len <= p.name) vec_push(&db->prim_of_sym, 0);
  p.next = IR_NONE;
  vec_push(&db->prims, p);
  uint32_t first = db->prim_of_sym.at[p.name];
  if (!first) {
    db->prim_of_sym.at[p.name] = id + 1;
    return id;
  }
  PrimId last = first - 1;
  while (db->prims.at[last].next != IR_NONE) last = db->prims.at[last].next;
  db->prims.at[last].next = id;
  return id;
}

void prim_truncate(Db *db, size_t n) {
  for (size_t s = 0; s < db->prim_of_sym.len; s++) {
    uint32_t first = db->prim_of_sym.at[s];
    if (!first) continue;
    if (first - 1 >= n) {
      db->prim_of_sym.at[s] = 0;
      continue;
    }
    PrimId p = first - 1;
    while (db->prims.at[p].next != IR_NONE && db->prims.at[p].next < n) p = db->prims.at[p].next;
    db->prims.at[p].next = IR_NONE;
  }
  db->prims.len = n;
}

static SortId sort_of_code(const Db *db, char code, SortId self) {
  static const char base[] = "ubifszq";
  const char *at = strchr(base, code);
  if (at) return (SortId)(at - base);
  if (code == 'T') return SORT_ANY;
  if (code == 'C') return self;
  return sort_of(db, self)->args[code == 'V'];
}

static void add_signature(Db *db, const char *name, const char *sig, PrimFn *fn, SortId self) {
  uint32_t n = 0, repeat = 0;
  SortId *in = ARENA_ARRAY(&db->arena, SortId, 4);
  const char *p = sig;
  for (; *p != ':'; p++) {
    if (*p == '*')
      repeat = n;
    else
      in[n++] = sort_of_code(db, *p, self);
  }
  prim_add(db, (Prim){sym(name), n, repeat, in, sort_of_code(db, p[1], self), self, 0, fn, IR_NONE});
}

void prim_register_base(Db *db) {
#define PRIM(name, sig, fn) add_signature(db, name, sig, prim_##fn, IR_NONE);
#include "eval/datalog/prim.def"
}

static void add(Db *db, const char *name, PrimFn *fn, SortId self, SortId out, uint32_t n, const SortId *in,
                uint32_t repeat) {
  prim_add(db, (Prim){sym(name), n, repeat, arena_copy(&db->arena, in, n * sizeof *in), out, self, 0, fn, IR_NONE});
}

/* Does the function sort take exactly these and give `out`? */
static bool is_function(const Db *db, SortId f, uint32_t n, const SortId *in, SortId out) {
  const Sort *s = sort_of(db, f);
  if (s->kind != SORT_FN || s->n_args != n + 1 || (out != IR_NONE && s->args[n] != out)) return false;
  for (uint32_t i = 0; i < n; i++)
    if (s->args[i] != in[i]) return false;
  return true;
}

/* Higher-order primitives over a function sort and one or two container sorts, all declared. */
static void add_higher(Db *db, SortId f, SortId c, SortId d) {
  const Sort *sc = sort_of(db, c), *sd = sort_of(db, d);
  SortId e = sc->args[0], pair[2] = {e, e}, with[2] = {c, e};
  SortId map[2] = {f, c}, reduce[3] = {f, e, c}, fill[2] = {c, f};
  if (sc->kind == SORT_VEC && sd->kind == SORT_VEC && is_function(db, f, 1, &e, sd->args[0]))
    add(db, "unstable-vec-map", prim_vec_map, d, d, 2, map, 0);
  if (sc->kind != SORT_MULTISET || sd->kind != SORT_MULTISET) return;
  if (is_function(db, f, 1, &e, sd->args[0])) add(db, "unstable-multiset-map", prim_multi_map, d, d, 2, map, 0);
  if (c != d) return;
  if (is_function(db, f, 1, &e, SORT_UNIT)) {
    add(db, "unstable-multiset-filter", prim_multi_filter, c, c, 2, map, 0);
    add(db, "unstable-multiset-filter-not", prim_multi_filter_not, c, c, 2, map, 0);
  }
  if (is_function(db, f, 2, pair, e)) add(db, "unstable-multiset-reduce", prim_multi_reduce, c, e, 3, reduce, 0);
  if (is_function(db, f, 1, &e, c)) add(db, "unstable-multiset-flat-map", prim_multi_flat_map, c, c, 2, map, 0);
  if (is_function(db, f, 2, with, SORT_I64)) {
    add(db, "unstable-multiset-fill-index", prim_multi_fill, c, SORT_UNIT, 2, fill, 0);
    add(db, "unstable-multiset-clear-index", prim_multi_clear, c, SORT_UNIT, 2, fill, 0);
  }
}

static bool holds_many(const Db *db, SortId s) {
  return sort_of(db, s)->kind == SORT_VEC || sort_of(db, s)->kind == SORT_MULTISET;
}

void prim_register_sort(Db *db, SortId self) {
  const Sort s = *sort_of(db, self);
#define BOX(k, name, sig, fn)                                                                  \
  if (s.kind == k && (prim_##fn != prim_vec_range || s.args[0] == SORT_I64) &&                \
      ((prim_##fn != prim_vec_union && prim_##fn != prim_multi_union) || sort_of(db, s.args[0])->kind == SORT_EQ)) \
    add_signature(db, name, sig, prim_##fn, self);
#include "eval/datalog/prim.def"
  SortId n = (SortId)db->sorts.len;
  if (s.kind == SORT_FN) {
    SortId *in = ARENA_ARRAY(&db->arena, SortId, s.n_args);
    in[0] = self;
    for (uint32_t i = 0; i + 1 < s.n_args; i++) in[i + 1] = s.args[i];
    add(db, "unstable-app", prim_fn_apply, self, s.args[s.n_args - 1], s.n_args, in, 0);
  }
  if (s.kind == SORT_MULTISET)
    for (SortId o = 0; o < n; o++) {
      if (sort_of(db, o)->kind != SORT_MULTISET) continue;
      if (s.args[0] == o) add(db, "multiset-sum-multisets", prim_multi_sum_all, o, o, 1, &self, 0);
    }
  for (SortId f = 0; f < n; f++) {
    if (sort_of(db, f)->kind != SORT_FN || sort_of(db, f)->n_args > 3) continue;
    for (SortId c = 0; c < n; c++)
      for (SortId d = 0; holds_many(db, c) && d < n; d++)
        if (holds_many(db, d) && (f == self || c == self || d == self)) add_higher(db, f, c, d);
  }
}

PrimId db_prim_first(const Db *db, Sym name) {
  return name < db->prim_of_sym.len && db->prim_of_sym.at[name] ? db->prim_of_sym.at[name] - 1 : IR_NONE;
}

const Prim *db_prim(const Db *db, PrimId p) { return &db->prims.at[p]; }

bool db_prim_reserved(const Db *db, Sym name) {
  static const char *const others[] = {
#define BOX(kind, name, sig, fn) name,
#include "eval/datalog/prim.def"
    "unstable-app", "unstable-fn", "unstable-vec-map", "unstable-multiset-map", "unstable-multiset-filter",
    "unstable-multiset-filter-not", "unstable-multiset-reduce", "unstable-multiset-flat-map",
    "unstable-multiset-fill-index", "unstable-multiset-clear-index", "multiset-sum-multisets",
  };
  if (db_prim_first(db, name) != IR_NONE) return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strcmp(others[i], sym_text(name))) return true;
  return false;
}

PrimId db_prim_function(Db *db, SortId fn, bool table, uint32_t op, uint32_t n_bound) {
  const SortId *in = table ? db->specs.at[op].in : db->prims.at[op].in;
  SortId *bound = ARENA_ARRAY(&db->arena, SortId, n_bound + 1);
  for (uint32_t i = 0; i < n_bound; i++) {
    const Prim *p = table ? NULL : &db->prims.at[op];
    bound[i] = p && i >= p->n_in ? p->in[p->n_in - p->n_repeat + (i - p->n_in) % p->n_repeat] : in[i];
  }
  uint32_t target = IR_NONE;
  for (size_t i = 0; i < db->targets.len && target == IR_NONE; i++) {
    const FnTarget *t = &db->targets.at[i];
    if (t->table == table && t->op == op && t->n_bound == n_bound && t->self == fn &&
        !memcmp(t->sorts, bound, n_bound * sizeof *bound))
      target = (uint32_t)i;
  }
  if (target == IR_NONE) {
    target = (uint32_t)db->targets.len;
    vec_push(&db->targets, (FnTarget){table, op, n_bound, bound, fn});
    if (table) db->tables.at[op]->may_lose_rows = true; /* multiset-clear-index may be given it */
  }
  return prim_add(db, (Prim){sym("unstable-fn"), n_bound, 0, bound, fn, fn, target, prim_fn_make, IR_NONE});
}

PrimId db_prim_row(Db *db, TableId relation) {
  const Table *t = db->tables.at[relation];
  return prim_add(db, (Prim){sym("@row"), t->n_in, 0, t->sorts, t->out, t->out, relation, prim_row_make, IR_NONE});
}

PrimFn *prim_inverse(const Prim *p, uint32_t k, bool *swapped) {
  static const struct { PrimFn *fn, *inverse[2]; bool swapped[2]; } table[] = {
    {prim_int_add, {prim_int_sub, prim_int_sub}, {false, false}},
    {prim_int_sub, {prim_int_add, prim_int_sub}, {false, true}},
    {prim_int_xor, {prim_int_xor, prim_int_xor}, {false, false}},
    {prim_rat_plus, {prim_rat_minus, prim_rat_minus}, {false, false}},
    {prim_rat_minus, {prim_rat_plus, prim_rat_minus}, {false, true}},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (p->fn == table[i].fn && k < 2) {
      *swapped = table[i].swapped[k];
      return table[i].inverse[k];
    }
  return NULL;
}

bool prim_is_lattice(const Prim *p) {
  static PrimFn *const all[] = {prim_int_min, prim_int_max, prim_float_min, prim_float_max,
                                prim_rat_min, prim_rat_max, prim_bool_and,  prim_bool_or};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (p->fn == all[i]) return true;
  return false;
}

static bool is_function_sort(const Db *db, SortId s) { return s != SORT_ANY && sort_of(db, s)->kind == SORT_FN; }

bool prim_is_higher(const Db *db, const Prim *p) {
  bool any = is_function_sort(db, p->out);
  for (uint32_t i = 0; i < p->n_in; i++) any |= is_function_sort(db, p->in[i]);
  return any;
}

bool prim_failed(Db *db, const Prim *p, const Val *arg, uint32_t n, Span at) {
  char text[160] = "";
  size_t len = 0;
  for (uint32_t i = 0; i < n && len < sizeof text - 50; i++) {
    SortId s = i < p->n_in ? p->in[i] : p->n_repeat ? p->in[p->n_in - 1] : SORT_ANY;
    char *to = text + len;
    size_t left = sizeof text - len;
    const char *comma = i ? ", " : " on ";
    if (s == SORT_I64)
      len += (size_t)snprintf(to, left, "%s%lld", comma, (long long)val_get_int(&db->values, arg[i]));
    else if (s == SORT_F64)
      len += (size_t)snprintf(to, left, "%s%.17g", comma, val_get_float(&db->values, arg[i]));
    else if (s == SORT_STRING)
      len += (size_t)snprintf(to, left, "%s\"%.30s\"", comma, sym_text(arg[i]));
    else if (s == SORT_ANY)
      len += (size_t)snprintf(to, left, "%s_", comma);
    else
      len += (size_t)snprintf(to, left, "%sa %.30s", comma, sym_text(sort_of(db, s)->name));
  }
  return db_fail(db, at, "the primitive `%s` failed%s", sym_text(p->name), text),
           db_advise(db, "in a query a primitive that fails only drops the match: ask there first");
}
