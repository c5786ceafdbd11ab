/* The database as a whole: creation, declarations, access to values. */
#include "eval/datalog/db.h"

#include <stdarg.h>

#include "eval/datalog/claims.h"
#include "eval/datalog/extract.h"
#include "eval/datalog/lattice.h"
#include "eval/datalog/prim.h"
#include "eval/datalog/run.h"

static const char *const base_sorts[] = {"Unit", "bool", "i64", "f64", "String", "BigInt", "BigRat"};

Db *db_new(void) {
  Db *db = xcalloc(1, sizeof *db);
  for (size_t i = 0; i < sizeof base_sorts / sizeof *base_sorts; i++)
    vec_push(&db->sorts, (Sort){.name = sym(base_sorts[i]), .kind = (SortKind)i});
  boxes_init(&db->boxes);
  prim_register_base(db);
  db_ruleset(db, 0);
  db->epoch = 1;
  vec_push(&db->reasons, 0);
  return db;
}

void db_free(Db *db) {
  if (!db) return;
  extract_forget(db);
  claims_free(db->claims);
  for (size_t i = 0; i < db->tables.len; i++) table_free(db->tables.at[i]);
  for (size_t i = 0; i < db->rules.len; i++) rule_free(db->rules.at[i]);
  for (size_t i = 0; i < db->rulesets.len; i++) {
    vec_free(&db->rulesets.at[i]->rules);
    vec_free(&db->rulesets.at[i]->members);
  }
  values_free(&db->values);
  uf_free(&db->classes);
  boxes_free(&db->boxes);
  vec_free(&db->sorts);
  vec_free(&db->tables);
  vec_free(&db->specs);
  vec_free(&db->prims);
  vec_free(&db->prim_of_sym);
  vec_free(&db->targets);
  vec_free(&db->rules);
  vec_free(&db->rulesets);
  vec_free(&db->globals);
  vec_free(&db->touched);
  vec_free(&db->reasons);
  vec_free(&db->times);
  vec_free(&db->undo.log);
  vec_free(&db->undo.marks);
  free(db->error);
  arena_free(&db->arena);
  free(db);
}

bool db_fail(Db *db, Span at, const char *fmt, ...) {
  if (db->failed) return false;
  va_list ap;
  va_start(ap, fmt);
  char buf[512];
  vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  free(db->error);
  size_t n = strlen(buf) + 1;
  db->error = xmalloc(n);
  memcpy(db->error, buf, n);
  db->failed = true;
  db->failed_at = at;
  db->hint = NULL;
  return false;
}

bool db_advise(Db *db, const char *hint) {
  if (!db->hint) db->hint = hint;
  return false;
}

const char *db_error(const Db *db) { return db->error ? db->error : ""; }
const char *db_hint(const Db *db) { return db->hint; }
Span db_error_at(const Db *db) { return db->failed_at; }
void db_clear_error(Db *db) { db->failed = false; }

/* ---- declarations ---- */

SortId db_sort_eq(Db *db, Sym name) {
  vec_push(&db->sorts, (Sort){.name = name, .kind = SORT_EQ, .is_id = true, .moves = true});
  return (SortId)db->sorts.len - 1;
}

SortId db_sort_container(Db *db, Sym name, SortKind kind, const SortId *args, uint32_t n) {
  Sort s = {.name = name, .kind = kind, .is_id = true, .n_args = n, .moves = kind == SORT_FN};
  s.args = arena_copy(&db->arena, args, n * sizeof *args);
  for (uint32_t i = 0; i < n; i++) s.moves |= db->sorts.at[args[i]].moves;
  vec_push(&db->sorts, s);
  SortId id = (SortId)db->sorts.len - 1;
  if (kind != SORT_ROW) prim_register_sort(db, id);
  return id;
}

const Sort *db_sort(const Db *db, SortId s) { return &db->sorts.at[s]; }
uint32_t db_n_sorts(const Db *db) { return (uint32_t)db->sorts.len; }
uint32_t db_n_tables(const Db *db) { return (uint32_t)db->tables.len; }

static Reg *copy_regs(Db *db, const Reg *r, uint32_t n) { return n ? arena_copy(&db->arena, r, n * sizeof *r) : NULL; }

static IrBlock copy_block(Db *db, const IrBlock *b) {
  IrBlock c = *b;
  c.atoms = arena_copy(&db->arena, b->atoms, b->n_atoms * sizeof *b->atoms);
  for (uint32_t i = 0; i < b->n_atoms; i++) c.atoms[i].arg = copy_regs(db, b->atoms[i].arg, b->atoms[i].n);
  c.ops = arena_copy(&db->arena, b->ops, b->n_ops * sizeof *b->ops);
  for (uint32_t i = 0; i < b->n_ops; i++) c.ops[i].arg = copy_regs(db, b->ops[i].arg, b->ops[i].n);
  c.inits = arena_copy(&db->arena, b->inits, b->n_inits * sizeof *b->inits);
  c.names = b->names ? arena_copy(&db->arena, b->names, b->n_body * sizeof *b->names) : NULL;
  c.sorts = b->sorts ? arena_copy(&db->arena, b->sorts, b->n_regs * sizeof *b->sorts) : NULL;
  return c;
}

TableId db_table(Db *db, const TableSpec *spec) {
  Table *t = ARENA_NEW(&db->arena, Table);
  t->id = (TableId)db->tables.len;
  t->name = spec->name;
  t->kind = spec->kind;
  t->n_in = spec->n_in;
  t->n_cols = spec->n_in + (spec->kind != TABLE_RELATION);
  t->stride = t->n_cols + 1;
  t->cost = spec->cost;
  t->unextractable = spec->unextractable;
  t->hidden = spec->hidden;
  t->costs_of = IR_NONE;
  t->sorts = ARENA_ARRAY(&db->arena, SortId, t->n_cols + 1);
  if (spec->n_in) memcpy(t->sorts, spec->in, spec->n_in * sizeof *t->sorts);
  t->out = spec->out;
  if (spec->kind == TABLE_RELATION) {
    t->out = db_sort_container(db, spec->name, SORT_ROW, spec->in, spec->n_in);
    db->sorts.at[t->out].table = t->id;
  } else {
    t->sorts[t->n_in] = spec->out;
  }
  for (uint32_t i = 0; i < t->n_cols; i++) t->has_ids |= db->sorts.at[t->sorts[i]].moves;
  if (spec->merge) {
    t->merge = ARENA_NEW(&db->arena, IrBlock);
    *t->merge = copy_block(db, spec->merge);
  }
  lattice_classify(db, t);
  vec_push(&db->tables, t);
  TableSpec kept = *spec;
  kept.in = t->sorts;
  kept.out = t->out;
  kept.merge = t->merge;
  vec_push(&db->specs, kept);
  return t->id;
}

const TableSpec *db_table_spec(const Db *db, TableId t) { return &db->specs.at[t]; }

RulesetId db_ruleset(Db *db, Sym name) {
  Ruleset *rs = ARENA_NEW(&db->arena, Ruleset);
  rs->name = name;
  vec_push(&db->rulesets, rs);
  return (RulesetId)db->rulesets.len - 1;
}

RulesetId db_ruleset_combined(Db *db, Sym name, const Sym *members, uint32_t n) {
  RulesetId id = db_ruleset(db, name);
  db->rulesets.at[id]->combined = true;
  for (uint32_t i = 0; i < n; i++) vec_push(&db->rulesets.at[id]->members, members[i]);
  return id;
}

RulesetId db_find_ruleset(const Db *db, Sym name) {
  for (size_t i = 0; i < db->rulesets.len; i++)
    if (db->rulesets.at[i]->name == name) return (RulesetId)i;
  return IR_NONE;
}

bool db_rule(Db *db, const IrRule *ir) {
  Ruleset *rs = db->rulesets.at[ir->ruleset];
  if (rs->combined)
    return db_fail(db, ir->at, "`%s` is a combined ruleset: rules are added to its members", sym_text(rs->name)),
           db_advise(db, "add the rule to one of the rulesets it combines");
  for (size_t i = 0; i < rs->rules.len; i++)
    if (db->rules.at[rs->rules.at[i]]->ir.name == ir->name)
      return db_fail(db, ir->at, "the ruleset has a rule of this name or text already"),
           db_advise(db, "a rule is needed once: remove this one, or name it");
  Rule *r = xcalloc(1, sizeof *r);
  r->ir = *ir;
  r->ir.block = copy_block(db, &ir->block);
  r->plans = xcalloc(ir->block.n_atoms + 1, sizeof *r->plans);
  lattice_note_deletions(db, &r->ir.block);
  vec_push(&rs->rules, (RuleId)db->rules.len);
  vec_push(&db->rules, r);
  return true;
}

GlobalId db_global(Db *db, SortId sort, Val value) {
  vec_push(&db->globals, (Global){sort, value, VAL_NONE, 0});
  return (GlobalId)db->globals.len - 1;
}

Val db_global_value(Db *db, GlobalId g) { return canon(db, db->globals.at[g].sort, db->globals.at[g].value); }
SortId db_global_sort(const Db *db, GlobalId g) { return db->globals.at[g].sort; }
void db_set_naive(Db *db, bool naive) { db->naive = naive; }
void db_set_reasons(Db *db, bool kept) { db->no_reasons = !kept; }

/* ---- reading ---- */

uint32_t db_size(const Db *db, TableId t) { return db->tables.at[t]->n_live; }

void db_rows(Db *db, TableId id, bool (*row)(void *ctx, const Val *cols), void *ctx) {
  const Table *t = db->tables.at[id];
  for (uint32_t r = 0; r < t->n_rows; r++)
    if (!(*table_meta(t, r) & ROW_DEAD) && !row(ctx, table_row(t, r))) return;
}

bool db_is_subsumed(const Db *db, TableId id, const Val *in) {
  const Table *t = db->tables.at[id];
  uint32_t r = table_find(t, in);
  return r != ROW_NONE && *table_meta(t, r) & ROW_SUBSUMED;
}

Val db_canonical(Db *db, SortId s, Val v) { return canon(db, s, v); }
Val db_int(Db *db, int64_t x) { return val_int(&db->values, x); }
int64_t db_get_int(const Db *db, Val v) { return val_get_int(&db->values, v); }
Val db_float(Db *db, double x) { return val_float(&db->values, x); }
double db_get_float(const Db *db, Val v) { return val_get_float(&db->values, v); }
Rat db_get_rat(const Db *db, Val v) { return val_get_rat(&db->values, v); }

const Val *db_elements(const Db *db, SortId s, Val v, uint32_t *n) {
  const Val *c = box_get(&db->boxes, v, n);
  if (db->sorts.at[s].kind != SORT_FN) return c;
  --*n;
  return c + 1;
}

Sym db_function_name(const Db *db, Val v, const SortId **bound) {
  uint32_t n;
  const FnTarget *t = &db->targets.at[box_get(&db->boxes, v, &n)[0]];
  *bound = t->sorts;
  return t->table ? db->tables.at[t->op]->name : db->prims.at[t->op].name;
}
