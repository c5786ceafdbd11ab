#include "eval/program/types.h"

void scope_init(Scope *s, Program *e) { *s = (Scope){.program = e, .may_look_up = true}; }

void scope_leave(Scope *s) {
  for (size_t i = 0; i < s->vars.len; i++)
    if (s->vars.at[i].name) name_of(s->program, s->vars.at[i].name)->var = 0;
  vec_clear(&s->vars);
}

void scope_free(Scope *s) {
  scope_leave(s);
  vec_free(&s->up);
  vec_free(&s->sort);
  vec_free(&s->vars);
  vec_free(&s->open);
}

uint32_t type_new(Scope *s, SortId sort) {
  uint32_t t = (uint32_t)s->up.len;
  vec_push(&s->up, t);
  vec_push(&s->sort, sort);
  return t;
}

static uint32_t root_of(Scope *s, uint32_t t) {
  while (s->up.at[t] != t) t = s->up.at[t] = s->up.at[s->up.at[t]];
  return t;
}

SortId type_sort(Scope *s, uint32_t type) { return s->sort.at[root_of(s, type)]; }

static bool mismatch(Scope *s, SortId want, SortId got, const Sexp *at) {
  diag_error(s->program->diags, at->at, E_SORT, "this is of sort %s, but %s is needed here", name_of_sort(s->program, got),
             name_of_sort(s->program, want));
  diag_hint(s->program->diags, "there are no conversions between sorts");
  return false;
}

bool type_unify(Scope *s, uint32_t a, uint32_t b, const Sexp *at) {
  a = root_of(s, a);
  b = root_of(s, b);
  if (a == b) return true;
  SortId x = s->sort.at[a], y = s->sort.at[b];
  if (x != IR_NONE && y != IR_NONE && x != y) return mismatch(s, x, y, at);
  s->up.at[b] = a;
  if (x == IR_NONE) s->sort.at[a] = y;
  return true;
}

static bool type_fix(Scope *s, uint32_t t, SortId sort, const Sexp *at) {
  uint32_t r = root_of(s, t);
  if (s->sort.at[r] == IR_NONE) s->sort.at[r] = sort;
  return s->sort.at[r] == sort || mismatch(s, sort, s->sort.at[r], at);
}

static Expr *node_new(Scope *s, NodeKind kind, const Sexp *x, uint32_t id, uint32_t type) {
  Expr *n = ARENA_NEW(&s->program->scratch, Expr);
  *n = (Expr){.kind = kind, .type = type, .id = id, .at = x};
  return n;
}

uint32_t types_variable(Scope *s, const Sexp *x, bool local) {
  Program *e = s->program;
  if (x->kind != SEXP_SYMBOL) return diag_error(e->diags, x->at, E_SYNTAX, "a variable is expected here"), UINT32_MAX;
  const char *text = sym_text(x->sym);
  bool wild = !strcmp(text, "_") && !local;
  if (!wild) {
    const Name *n = name_of(e, x->sym);
    if (*text == '@') return diag_error(e->diags, x->at, E_KIND, "names starting with @ are reserved"), UINT32_MAX;
    bool built_in = n->kind == NAME_SORT && n->id < SORT_EQ;
    bool given = !x->at.source; /* `old` and `new` of a merge mean the values, whatever else has the name */
    bool taken = !given && (n->kind == NAME_GLOBAL || (n->kind && !built_in && !e->infix));
    if (taken || (n->shadows && !given) || n->var) {
      diag_error(e->diags, x->at, E_DUPLICATE, "`%s` cannot be a variable here: %s", text,
                 n->var                   ? "it is bound already"
                 : n->shadows             ? "there is a global of this name with $"
                 : n->kind == NAME_GLOBAL ? "it is a global"
                 : n->kind == NAME_SORT   ? "it is a sort"
                 : n->kind == NAME_TABLE  ? "it is a table"
                 : n->kind == NAME_COSTS  ? "it is a cost model"
                                          : "it is a ruleset");
      diag_hint(e->diags, "choose another name for the variable");
      return UINT32_MAX;
    }
  }
  uint32_t v = (uint32_t)s->vars.len;
  vec_push(&s->vars, (Variable){wild ? 0 : x->sym, type_new(s, IR_NONE), x, IR_NONE});
  if (!wild) name_of(e, x->sym)->var = v + 1;
  return v;
}

static Expr *symbol_node(Scope *s, const Sexp *x) {
  Program *e = s->program;
  Name *n = name_of(e, x->sym);
  if (n->var) return node_new(s, NODE_VAR, x, n->var - 1, s->vars.at[n->var - 1].type);
  if (n->kind == NAME_GLOBAL) return node_new(s, NODE_GLOBAL, x, n->id, type_new(s, db_global_sort(e->db, n->id)));
  if (s->may_bind || !strcmp(sym_text(x->sym), "_")) {
    if (!s->may_bind) return diag_error(e->diags, x->at, E_UNBOUND, "`_` has no value here"), NULL;
    uint32_t v = types_variable(s, x, false);
    return v == UINT32_MAX ? NULL : node_new(s, NODE_VAR, x, v, s->vars.at[v].type);
  }
  diag_error(e->diags, x->at, E_UNBOUND, "the variable `%s` is not bound", sym_text(x->sym));
  const char *like = name_similar(e, x->sym, NAME_GLOBAL);
  if (n->kind == NAME_TABLE)
    diag_hint(e->diags, e->infix ? "`%s` is a table; call it: `%s(..)`" : "`%s` is a table; call it: `(%s ...)`",
              sym_text(x->sym), sym_text(x->sym));
  else if (like) diag_hint(e->diags, "did you mean `%s`?", like);
  else diag_hint(e->diags, "variables are bound by the query or by an earlier `let`");
  return NULL;
}

static Expr *literal(Scope *s, const Sexp *x) {
  Db *db = s->program->db;
  switch (x->kind) {
    case SEXP_INT: return node_new(s, NODE_CONST, x, db_int(db, x->i), type_new(s, SORT_I64));
    case SEXP_FLOAT: return node_new(s, NODE_CONST, x, db_float(db, x->f), type_new(s, SORT_F64));
    case SEXP_BOOL: return node_new(s, NODE_CONST, x, x->b, type_new(s, SORT_BOOL));
    case SEXP_STRING: return node_new(s, NODE_CONST, x, x->sym, type_new(s, SORT_STRING));
    default: return node_new(s, NODE_CONST, x, 0, type_new(s, SORT_UNIT));
  }
}

/* ---- calls ---- */

static bool fits(Scope *s, uint32_t type, SortId want) {
  SortId have = type_sort(s, type);
  return want == SORT_ANY || have == IR_NONE || have == want;
}

/* Sort of the i-th of n arguments of a primitive. */
static SortId prim_argument(const Prim *p, uint32_t i) {
  return i < p->n_in ? p->in[i] : p->in[p->n_in - p->n_repeat + (i - p->n_in) % p->n_repeat];
}

static bool prim_takes(const Prim *p, uint32_t n) {
  if (!p->n_repeat) return n == p->n_in;
  uint32_t least = p->n_in - p->n_repeat;
  return n >= least && (n - least) % p->n_repeat == 0;
}

static bool candidate(Scope *s, const Expr *n, const Prim *p) {
  if (!prim_takes(p, n->n) || !fits(s, n->type, p->out)) return false;
  for (uint32_t i = 0; i < n->n; i++)
    if (!fits(s, n->arg[i]->type, prim_argument(p, i))) return false;
  return true;
}

static bool settle_prim(Scope *s, Expr *n, PrimId id) {
  const Prim *p = db_prim(s->program->db, id);
  uint32_t any = UINT32_MAX;
  bool ok = true;
  n->id = id;
  for (uint32_t i = 0; ok && i <= n->n; i++) {
    SortId want = i < n->n ? prim_argument(p, i) : p->out;
    uint32_t type = i < n->n ? n->arg[i]->type : n->type;
    const Sexp *at = i < n->n ? n->arg[i]->at : n->at;
    if (want != SORT_ANY) {
      ok = type_fix(s, type, want, at);
    } else if (any == UINT32_MAX) {
      any = type;
    } else {
      ok = type_unify(s, any, type, at);
    }
  }
  return ok;
}

/* Does the named table or primitive, its first arguments fixed, fit a function sort?  Sets what it is. */
static bool fn_fits(Scope *s, const Expr *n, SortId f, bool *table, uint32_t *op) {
  Db *db = s->program->db;
  const Sort *so = db_sort(db, f);
  if (so->kind != SORT_FN || !fits(s, n->type, f)) return false;
  uint32_t n_rest = so->n_args - 1, total = n->n + n_rest;
  const Name *name = name_of(s->program, n->name);
  PrimId p = name->kind == NAME_TABLE ? IR_NONE : db_prim_first(db, n->name);
  *table = name->kind == NAME_TABLE;
  for (bool first = true; first ? (*table || p != IR_NONE) : p != IR_NONE; first = false) {
    const TableSpec *spec = *table ? db_table_spec(db, name->id) : NULL;
    const Prim *prim = *table ? NULL : db_prim(db, p);
    SortId out = *table ? spec->out : prim->out, any = IR_NONE;
    bool ok = *table ? spec->n_in == total : prim_takes(prim, total);
    for (uint32_t i = 0; ok && i <= total; i++) {
      SortId want = i == total ? out : *table ? spec->in[i] : prim_argument(prim, i);
      SortId have = i < n->n ? type_sort(s, n->arg[i]->type) : so->args[i - n->n];
      if (want == SORT_ANY && any == IR_NONE) any = have;
      if (want == SORT_ANY) want = any;
      ok = have == IR_NONE || want == IR_NONE || have == want;
    }
    *op = *table ? name->id : p;
    if (ok) return true;
    if (*table) return false;
    p = prim->next;
  }
  return false;
}

/* 0: none fits, 1: resolved, 2: still several; -1: error reported. */
static int resolve_fn(Scope *s, Expr *n) {
  Db *db = s->program->db;
  SortId found = IR_NONE;
  bool table = false, t;
  uint32_t op = 0, o;
  for (SortId f = 0; f < db_n_sorts(db); f++)
    if (fn_fits(s, n, f, &t, &o)) {
      if (found != IR_NONE) return 2;
      found = f;
      table = t;
      op = o;
    }
  if (found == IR_NONE) return 0;
  if (!type_fix(s, n->type, found, n->at)) return -1;
  for (uint32_t i = 0; i < n->n; i++) {
    SortId want = table ? db_table_spec(db, op)->in[i] : prim_argument(db_prim(db, op), i);
    if (want != SORT_ANY && !type_fix(s, n->arg[i]->type, want, n->arg[i]->at)) return -1;
    if (type_sort(s, n->arg[i]->type) == IR_NONE) return 2;
  }
  n->id = db_prim_function(db, found, table, op, n->n);
  return 1;
}

static int resolve(Scope *s, Expr *n) {
  if (n->kind == NODE_FN) return resolve_fn(s, n);
  Db *db = s->program->db;
  PrimId found = IR_NONE;
  for (PrimId p = db_prim_first(db, n->name); p != IR_NONE; p = db_prim(db, p)->next)
    if (candidate(s, n, db_prim(db, p))) {
      if (found != IR_NONE) return 2;
      found = p;
    }
  if (found == IR_NONE) return 0;
  return settle_prim(s, n, found) ? 1 : -1;
}

/* What the primitive does take, if that is one thing. */
static void hint_signature(Program *e, const Expr *n) {
  PrimId id = db_prim_first(e->db, n->name);
  const Prim *p = id == IR_NONE ? NULL : db_prim(e->db, id);
  if (!p) return;
  if (p->next != IR_NONE) {
    diag_hint(e->diags, "there are no conversions: its arguments are of one sort, or of those it is declared for");
    return;
  }
  char takes[200] = "";
  size_t len = 0;
  for (uint32_t i = 0; i < p->n_in && len < sizeof takes - 40; i++)
    len += (size_t)snprintf(takes + len, sizeof takes - len, "%s%.30s", i ? ", " : "",
                            p->in[i] == SORT_ANY ? "_" : name_of_sort(e, p->in[i]));
  diag_hint(e->diags, "it takes (%s%s)", takes, p->n_repeat ? " .." : "");
}

static bool no_candidate(Scope *s, const Expr *n) {
  Program *e = s->program;
  char have[256] = "";
  size_t len = 0;
  for (uint32_t i = 0; i < n->n && len < sizeof have - 40; i++) {
    SortId so = type_sort(s, n->arg[i]->type);
    len += (size_t)snprintf(have + len, sizeof have - len, "%s%.30s", i ? ", " : "",
                            so == IR_NONE ? "_" : name_of_sort(e, so));
  }
  SortId out = type_sort(s, n->type);
  const char *what = arena_printf(&e->scratch, "`%s` cannot take (%s)%s%s", sym_text(n->name), have,
                                  out == IR_NONE ? "" : " and give ", out == IR_NONE ? "" : name_of_sort(e, out));
  diag_error(e->diags, n->at->at, E_SORT, "%s", names_shown(e, what));
  if (n->kind == NODE_FN)
    diag_hint(e->diags, "no declared function sort fits this table or primitive with these arguments");
  else hint_signature(e, n);
  return false;
}

bool types_solve(Scope *s) {
  for (bool again = true; again && s->open.len;) {
    again = false;
    size_t kept = 0;
    for (size_t i = 0; i < s->open.len; i++) {
      Expr *n = s->open.at[i];
      int r = resolve(s, n);
      if (r < 0) return false;
      if (r == 0) return no_candidate(s, n);
      if (r == 1) again = true;
      else s->open.at[kept++] = n;
    }
    s->open.len = kept;
  }
  if (s->open.len) {
    Expr *n = s->open.at[0];
    diag_error(s->program->diags, n->at->at, E_SORT, "the sort of this call of `%s` cannot be inferred", sym_text(n->name));
    diag_hint(s->program->diags, "several sorts fit: use the result where only one does");
    return false;
  }
  for (size_t i = 0; i < s->vars.len; i++)
    if (type_sort(s, s->vars.at[i].type) == IR_NONE) {
      diag_error(s->program->diags, s->vars.at[i].at->at, E_SORT, "the sort of this variable cannot be inferred");
      return false;
    }
  return true;
}

static Expr *call_node(Scope *s, const Sexp *x, NodeKind kind, uint32_t id, Sym name, uint32_t skip) {
  Expr *n = node_new(s, kind, x, id, type_new(s, IR_NONE));
  n->name = name;
  n->n = x->n - skip;
  n->arg = ARENA_ARRAY(&s->program->scratch, Expr *, n->n + 1);
  for (uint32_t i = 0; i < n->n; i++)
    if (!(n->arg[i] = types_expr(s, &x->item[i + skip]))) return NULL;
  return n;
}

static void wrong_arity(Program *e, const Sexp *x, const TableSpec *spec) {
  char takes[200] = "";
  size_t len = 0;
  for (uint32_t i = 0; i < spec->n_in && len < sizeof takes - 40; i++)
    len += (size_t)snprintf(takes + len, sizeof takes - len, "%s%.30s", i ? ", " : "", name_of_sort(e, spec->in[i]));
  diag_error(e->diags, x->at, E_ARITY, "`%s` takes %u argument%s, not %u", sym_text(spec->name), spec->n_in,
             spec->n_in == 1 ? "" : "s", x->n - 1);
  if (spec->n_in) diag_hint(e->diags, "its columns are (%s)", takes);
}

static Expr *table_call(Scope *s, const Sexp *x, TableId id) {
  Program *e = s->program;
  const TableSpec *spec = db_table_spec(e->db, id);
  if (spec->kind == TABLE_FUNCTION && !s->in_query && !s->may_look_up) {
    diag_error(e->diags, x->at, E_RULE, "the value of the function `%s` is looked up in an action",
               sym_text(spec->name));
    diag_hint(e->diags,
              e->infix ? "ask for it before the `=>`: `v = %s(..)`" : "ask for it in the query: `(= v (%s ...))`",
              sym_text(spec->name));
    return NULL;
  }
  if (x->n - 1 != spec->n_in) return wrong_arity(e, x, spec), NULL;
  Expr *n = call_node(s, x, NODE_TABLE, id, spec->name, 1);
  for (uint32_t i = 0; n && i < n->n; i++)
    if (!type_fix(s, n->arg[i]->type, spec->in[i], n->arg[i]->at)) return NULL;
  return n && type_fix(s, n->type, spec->out, x) ? n : NULL;
}

Expr *types_unbound(Scope *s, const Sexp *x, Sym head) {
  Program *e = s->program;
  diag_error(e->diags, x->item[0].at, E_UNBOUND, "there is no function `%s`", sym_text(head));
  const char *like = name_similar(e, head, NAME_TABLE);
  if (like) diag_hint(e->diags, "did you mean `%s`?", like);
  else if (db_prim_reserved(e->db, head))
    diag_hint(e->diags, "this primitive exists once a sort for its container has been declared");
  else diag_hint(e->diags, "declare it before, as a constructor, function or relation");
  return NULL;
}

Expr *types_expr(Scope *s, const Sexp *x) {
  Program *e = s->program;
  if (x->kind == SEXP_SYMBOL) return symbol_node(s, x);
  if (x->kind != SEXP_LIST || !x->n) return literal(s, x);
  Sym head = sexp_head(x);
  if (!head) return diag_error(e->diags, x->at, E_SYNTAX, "a call starts with a name"), NULL;
  if (name_of(e, head)->kind == NAME_TABLE) return table_call(s, x, name_of(e, head)->id);
  NodeKind kind = NODE_PRIM;
  Expr *n;
  if (!strcmp(sym_text(head), "unstable-fn")) {
    if (x->n < 2 || x->item[1].kind != SEXP_STRING)
      return diag_error(e->diags, x->at, E_SYNTAX, "unstable-fn needs the name of a table or primitive, as a string"),
             NULL;
    kind = NODE_FN;
    Sym name = x->item[1].sym;
    if (name_of(e, name)->kind != NAME_TABLE && db_prim_first(e->db, name) == IR_NONE)
      return types_unbound(s, x, name);
    n = call_node(s, x, kind, 0, name, 2);
  } else {
    if (db_prim_first(e->db, head) == IR_NONE) return types_unbound(s, x, head);
    n = call_node(s, x, kind, 0, head, 1);
  }
  if (!n) return NULL;
  int r = resolve(s, n);
  if (r == 0) no_candidate(s, n);
  if (r <= 0) return NULL;
  if (r == 2) vec_push(&s->open, n);
  return n;
}
