/* Function values: a table or primitive with its first arguments fixed. */
#include "eval/datalog/action.h"
#include "eval/datalog/prim.h"

#define DEFINE(name) bool prim_##name(Db *db, const Prim *p, const Val *a, uint32_t n, Val *out)

DEFINE(fn_make) {
  Val *c = xmalloc((n + 1) * sizeof *c);
  c[0] = p->data;
  if (n) memcpy(c + 1, a, n * sizeof *c);
  *out = box_make(db, p->self, c, n + 1);
  free(c);
  return true;
}

static bool apply_table(Db *db, Table *t, const Val *in, Val *out) {
  if (t->kind == TABLE_FUNCTION) {
    if (db->context == CONTEXT_PURE || db->context == CONTEXT_WRITE)
      return db_fail(db, (Span){0, 0, 0}, "a function value looks `%s` up in a rule: add :naive", sym_text(t->name));
    uint32_t r = table_find(t, in);
    if (r == ROW_NONE) return false;
    *out = table_row(t, r)[t->n_in];
    return true;
  }
  if (db->context < CONTEXT_WRITE)
    return db_fail(db, (Span){0, 0, 0}, "a function value builds terms of `%s` in a query", sym_text(t->name)),
           db_advise(db, "a query makes no terms: apply it in an action first, as in a `let`, and ask for what that made");
  *out = action_make(db, t, in, VAL_NONE);
  if (t->kind == TABLE_RELATION) *out = box_make(db, t->out, in, t->n_in);
  return true;
}

bool prim_apply(Db *db, Val fn, const Val *a, uint32_t n, Val *out) {
  uint32_t m;
  const Val *c = box_get(&db->boxes, fn, &m);
  const FnTarget *t = &db->targets.at[c[0]];
  Val *in = xmalloc((m + n) * sizeof *in);
  if (m > 1) memcpy(in, c + 1, (m - 1) * sizeof *in);
  if (n) memcpy(in + m - 1, a, n * sizeof *in);
  bool ok;
  if (t->table) {
    ok = apply_table(db, db->tables.at[t->op], in, out);
  } else {
    const Prim *p = &db->prims.at[t->op];
    ok = p->fn(db, p, in, m - 1 + n, out);
  }
  free(in);
  return ok && !db->failed;
}

DEFINE(fn_apply) {
  (void)p;
  return prim_apply(db, a[0], a + 1, n - 1, out);
}

DEFINE(vec_map) {
  uint32_t len, i = 0;
  Vec(Val) v = {0};
  (void)n;
  for (; box_get(&db->boxes, a[1], &len), i < len && !db->failed; i++) {
    Val e = box_get(&db->boxes, a[1], &len)[i], r;
    if (prim_apply(db, a[0], &e, 1, &r)) vec_push(&v, r);
  }
  if (!db->failed) *out = box_make(db, p->self, v.at, (uint32_t)v.len);
  vec_free(&v);
  return !db->failed;
}
