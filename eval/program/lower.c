#include "eval/program/lower.h"

#define NO_REG IR_NONE

void lower_init(Lower *l, Program *e) {
  *l = (Lower){.program = e};
  scope_init(&l->scope, e);
}

void lower_free(Lower *l) {
  scope_free(&l->scope);
  vec_free(&l->facts);
  vec_free(&l->acts);
  vec_free(&l->atoms);
  vec_free(&l->ops);
  vec_free(&l->inits);
  vec_free(&l->sorts);
  vec_free(&l->names);
}

static Reg new_reg(Lower *l, SortId sort) {
  vec_push(&l->sorts, sort);
  return (Reg)l->sorts.len - 1;
}

static Reg *arg_array(Lower *l, uint32_t n) {
  if (n > l->widest) l->widest = n;
  return ARENA_ARRAY(&l->program->scratch, Reg, n + 1);
}

static Reg constant(Lower *l, const Expr *n) {
  bool global = n->kind == NODE_GLOBAL;
  enum { NEAR = 32 }; /* a constant may have several registers: only the latest are looked through */
  for (size_t i = l->inits.len > NEAR ? l->inits.len - NEAR : 0; i < l->inits.len; i++)
    if (l->inits.at[i].global == global && l->inits.at[i].value == n->id &&
        (global || l->sorts.at[l->inits.at[i].reg] == type_sort(&l->scope, n->type)))
      return l->inits.at[i].reg;
  Reg r = new_reg(l, type_sort(&l->scope, n->type));
  vec_push(&l->inits, (IrInit){r, global, n->id});
  return r;
}

static void emit(Lower *l, IrOpKind kind, uint32_t op, uint32_t n, Reg *arg, Reg dst, const Sexp *at) {
  vec_push(&l->ops, (IrOp){kind, op, n, arg, dst, at->at});
}

/* Evaluates a node.  With `as`, a constructor call is made equal to that register instead of getting an id. */
static Reg eval(Lower *l, Expr *n, Reg as) {
  if (n->kind == NODE_VAR) return l->scope.vars.at[n->id].reg;
  if (n->kind == NODE_CONST || n->kind == NODE_GLOBAL) return constant(l, n);
  Reg *arg = arg_array(l, n->n + 1);
  for (uint32_t i = 0; i < n->n; i++) arg[i] = eval(l, n->arg[i], NO_REG);
  Reg dst = new_reg(l, type_sort(&l->scope, n->type));
  if (n->kind != NODE_TABLE) {
    emit(l, IR_CALL, n->id, n->n, arg, dst, n->at);
    return dst;
  }
  const TableSpec *spec = db_table_spec(l->program->db, n->id);
  if (spec->kind == TABLE_CONSTRUCTOR && as != NO_REG) {
    arg[n->n] = as;
    emit(l, IR_MAKE_AS, n->id, n->n + 1, arg, dst, n->at);
  } else {
    emit(l, spec->kind == TABLE_FUNCTION ? IR_LOOKUP : IR_MAKE, n->id, n->n, arg, dst, n->at);
  }
  if (spec->kind != TABLE_RELATION) return dst;
  l->ops.at[l->ops.len - 1].dst = IR_NONE;
  emit(l, IR_CALL, db_prim_row(l->program->db, n->id), n->n, arg, dst, n->at);
  return dst;
}

/* The same for a value nobody reads. */
static void run_node(Lower *l, Expr *n) {
  if (n->kind != NODE_TABLE || db_table_spec(l->program->db, n->id)->kind != TABLE_RELATION) {
    eval(l, n, NO_REG);
    return;
  }
  Reg *arg = arg_array(l, n->n);
  for (uint32_t i = 0; i < n->n; i++) arg[i] = eval(l, n->arg[i], NO_REG);
  emit(l, IR_MAKE, n->id, n->n, arg, IR_NONE, n->at);
}

static Expr *typed(Lower *l, const Sexp *x) {
  l->scope.may_bind = l->scope.in_query = false;
  return types_expr(&l->scope, x);
}

bool lower_value(Lower *l, const Sexp *x, SortId want, Reg *reg, SortId *sort) {
  Expr *n = typed(l, x);
  if (!n) return false;
  if (want != IR_NONE && !type_unify(&l->scope, type_new(&l->scope, want), n->type, x)) return false;
  if (!types_solve(&l->scope)) return false;
  *reg = eval(l, n, NO_REG);
  *sort = type_sort(&l->scope, n->type);
  return true;
}

bool lower_parameter(Lower *l, const char *name, SortId sort) {
  Sexp *x = ARENA_NEW(&l->program->scratch, Sexp);
  *x = (Sexp){.kind = SEXP_SYMBOL, .sym = sym(name)};
  uint32_t v = types_variable(&l->scope, x, true);
  if (v == UINT32_MAX) return false;
  l->scope.vars.at[v].reg = new_reg(l, sort);
  return type_unify(&l->scope, l->scope.vars.at[v].type, type_new(&l->scope, sort), x);
}

/* ---- actions ---- */

static bool wants(Lower *l, const Sexp *x, uint32_t n, const char *form) {
  return x->n == n || diag_error(l->program->diags, x->at, E_SYNTAX, "this should read `%s`", form);
}

static bool add_act(Lower *l, IrOpKind kind, uint32_t op, Expr *a, Expr *b, const Sexp *at) {
  vec_push(&l->acts, (Act){kind, op, a, b, at});
  return true;
}

static bool action_let(Lower *l, const Sexp *x) {
  if (!wants(l, x, 3, "(let name expression)")) return false;
  Expr *n = typed(l, &x->item[2]);
  uint32_t v = n ? types_variable(&l->scope, &x->item[1], true) : UINT32_MAX;
  if (v == UINT32_MAX || !type_unify(&l->scope, l->scope.vars.at[v].type, n->type, x)) return false;
  return add_act(l, IR_CALL, v, n, NULL, x);
}

/* The table call `x` of a row to set, delete or subsume. */
static Expr *row_node(Lower *l, const Sexp *x, const char *verb, bool functions, bool others) {
  Program *e = l->program;
  Sym head = sexp_head(x);
  if (head && name_of(e, head)->kind == NAME_NONE && db_prim_first(e->db, head) == IR_NONE)
    return types_unbound(&l->scope, x, head);
  if (!head || name_of(e, head)->kind != NAME_TABLE) {
    diag_error(e->diags, x->at, E_RULE, "%s needs a row of a table: `%s`", verb,
               e->infix ? "table(..)" : "(table arguments ...)");
    return NULL;
  }
  bool is_function = db_table_spec(e->db, name_of(e, head)->id)->kind == TABLE_FUNCTION;
  if (is_function ? !functions : !others) {
    diag_error(e->diags, x->at, E_SORT, "%s works on %s, but `%s` is a %s", verb,
               functions ? "functions" : "constructors and relations", sym_text(head),
               is_function ? "function" : "constructor or relation");
    if (!strcmp(verb, "set"))
      diag_hint(e->diags, e->infix ? "a row is written by itself: `%s(..)`" : "use `(union (%s ...) value)`",
                sym_text(head));
    return NULL;
  }
  bool before = l->scope.may_look_up;
  l->scope.may_look_up = true;
  l->scope.may_bind = l->scope.in_query = false;
  Expr *n = NULL;
  const TableSpec *spec = db_table_spec(e->db, name_of(e, head)->id);
  if (x->n - 1 != spec->n_in) {
    diag_error(e->diags, x->at, E_ARITY, "`%s` takes %u arguments, not %u", sym_text(head), spec->n_in, x->n - 1);
  } else {
    n = ARENA_NEW(&e->scratch, Expr);
    *n = (Expr){.kind = NODE_TABLE, .id = name_of(e, head)->id, .n = x->n - 1, .at = x};
    n->arg = ARENA_ARRAY(&e->scratch, Expr *, x->n);
  }
  l->scope.may_look_up = before;
  for (uint32_t i = 0; n && i < n->n; i++) {
    n->arg[i] = typed(l, &x->item[i + 1]);
    if (!n->arg[i] || !type_unify(&l->scope, type_new(&l->scope, spec->in[i]), n->arg[i]->type, n->arg[i]->at))
      return NULL;
  }
  return n;
}

static bool action_set(Lower *l, const Sexp *x) {
  if (!wants(l, x, 3, "(set (function arguments ...) value)")) return false;
  Expr *row = row_node(l, &x->item[1], "set", true, false);
  Expr *value = row ? typed(l, &x->item[2]) : NULL;
  if (!value) return false;
  SortId out = db_table_spec(l->program->db, row->id)->out;
  return type_unify(&l->scope, type_new(&l->scope, out), value->type, value->at) &&
         add_act(l, IR_SET, row->id, row, value, x);
}

/* The cost model of an option `:model name`, at the end of a form; its costs' name through *model. */
static bool model_option(Lower *l, const Sexp *x, Sym *model) {
  Program *e = l->program;
  *model = 0;
  if (x->n == 3) return true;
  const Sexp *option = &x->item[3], *name = &x->item[x->n - 1];
  if (x->n != 5 || option->kind != SEXP_SYMBOL || strcmp(sym_text(option->sym), ":model") != 0)
    return diag_error(e->diags, option->at, E_SYNTAX, "`:model name` is expected here");
  if (name->kind == SEXP_SYMBOL && name_of(e, name->sym)->kind == NAME_COSTS) return *model = name->sym, true;
  diag_error(e->diags, name->at, E_UNBOUND, "there is no cost model of this name");
  diag_hint(e->diags, e->infix ? "declare it before: `costs name`" : "declare it before: `(cost-model name)`");
  return false;
}

/* `x >= 0`, a primitive that stops the program if it is not so. */
static const Sexp *at_least_0(Lower *l, const Sexp *x) {
  Sexp form[] = {{.kind = SEXP_SYMBOL, .at = x->at, .sym = sym(">=")}, *x, {.kind = SEXP_INT, .at = x->at}};
  Sexp *all = ARENA_NEW(&l->program->scratch, Sexp);
  *all = (Sexp){.kind = SEXP_LIST, .at = x->at, .n = 3, .item = arena_copy(&l->program->scratch, form, sizeof form)};
  return all;
}

/* (set-cost (constructor arguments ...) cost [:model name]): a row of the table of its costs. */
static bool action_cost(Lower *l, const Sexp *x) {
  Program *e = l->program;
  Sym model;
  if (x->n < 3) return wants(l, x, 3, "(set-cost (constructor arguments ...) cost)");
  if (!model_option(l, x, &model)) return false;
  Expr *row = row_node(l, &x->item[1], e->infix ? "cost" : "set-cost", false, true);
  Expr *value = row ? typed(l, &x->item[2]) : NULL;
  if (!value) return false;
  if (db_table_spec(e->db, row->id)->kind != TABLE_CONSTRUCTOR)
    return diag_error(e->diags, x->item[1].at, E_SORT, "terms have costs, but rows of a relation have none");
  if (!type_unify(&l->scope, type_new(&l->scope, SORT_I64), value->type, value->at)) return false;
  Expr *natural = typed(l, at_least_0(l, &x->item[2]));
  return natural && add_act(l, IR_CALL, IR_NONE, natural, NULL, x) &&
         add_act(l, IR_SET, db_costs(e->db, row->id, model), row, value, x);
}

static bool action_row(Lower *l, const Sexp *x, IrOpKind kind, const char *verb) {
  Expr *row = row_node(l, x, verb, kind == IR_DELETE, true);
  return row && add_act(l, kind, row->id, row, NULL, x);
}

bool lower_subsume_root(Lower *l, const Sexp *x) {
  Expr *row = l->facts.at[1];
  if (row->kind != NODE_TABLE || db_table_spec(l->program->db, row->id)->kind == TABLE_FUNCTION) {
    diag_error(l->program->diags, x->at, E_RULE, ":subsume needs a constructor or relation on the left side");
    return false;
  }
  return add_act(l, IR_SUBSUME, row->id, row, NULL, x);
}

static bool is_constructor_call(const Lower *l, const Expr *n) {
  return n->kind == NODE_TABLE && db_table_spec(l->program->db, n->id)->kind == TABLE_CONSTRUCTOR;
}

static bool emit_union(Lower *l, Expr *a, Expr *b, const Sexp *x) {
  SortId s = type_sort(&l->scope, a->type);
  if (db_sort(l->program->db, s)->kind != SORT_EQ) {
    bool row = db_sort(l->program->db, s)->kind == SORT_ROW;
    diag_error(l->program->diags, x->at, E_SORT,
               row ? "rows of a relation cannot be equated" : "values of sort %s cannot be unioned",
               name_of_sort(l->program, s));
    diag_hint(l->program->diags, row ? "a rule adds rows: `(rule ((r x)) ((s x)))`"
                                 : "only user-declared sorts have classes of equal terms");
    return false;
  }
  if (!is_constructor_call(l, b) && is_constructor_call(l, a)) {
    Expr *t = a;
    a = b;
    b = t;
  }
  Reg ra = eval(l, a, NO_REG);
  if (is_constructor_call(l, b)) {
    eval(l, b, ra);
    return true;
  }
  Reg *arg = arg_array(l, 2);
  arg[0] = ra;
  arg[1] = eval(l, b, NO_REG);
  emit(l, IR_UNION, s, 2, arg, IR_NONE, x);
  return true;
}

/* The row's arguments, and a value. */
static void emit_row(Lower *l, const Act *act) {
  const Expr *row = act->a;
  uint32_t n = row->n + (act->b != NULL);
  Reg *arg = arg_array(l, n);
  for (uint32_t i = 0; i < row->n; i++) arg[i] = eval(l, row->arg[i], NO_REG);
  if (act->b) arg[row->n] = eval(l, act->b, NO_REG);
  emit(l, act->kind, act->op, n, arg, IR_NONE, act->at);
}

bool lower_actions(Lower *l) {
  bool ok = types_solve(&l->scope);
  for (size_t i = 0; ok && i < l->acts.len; i++) {
    const Act *act = &l->acts.at[i];
    if (act->kind == IR_UNION) {
      ok = emit_union(l, act->a, act->b, act->at);
    } else if (act->kind == IR_PANIC) {
      emit(l, IR_PANIC, act->op, 0, NULL, IR_NONE, act->at);
    } else if (act->kind != IR_CALL) {
      emit_row(l, act);
    } else if (act->op == IR_NONE) {
      run_node(l, act->a);
    } else {
      Reg r = eval(l, act->a, NO_REG);
      l->scope.vars.at[act->op].reg = r;
    }
  }
  return ok;
}

static bool add_union(Lower *l, Expr *a, Expr *b, const Sexp *x) {
  return type_unify(&l->scope, a->type, b->type, b->at) && add_act(l, IR_UNION, IR_NONE, a, b, x);
}

bool lower_union_with(Lower *l, uint32_t v, const Sexp *x) {
  Expr *b = typed(l, x);
  if (!b) return false;
  Expr *a = ARENA_NEW(&l->program->scratch, Expr);
  *a = (Expr){.kind = NODE_VAR, .type = l->scope.vars.at[v].type, .id = v, .at = x};
  return add_union(l, a, b, x);
}

bool lower_action(Lower *l, const Sexp *x) {
  Program *e = l->program;
  Sym head = sexp_head(x);
  const char *h = sym_text(head);
  if (!head) {
    diag_error(e->diags, x->at, E_SYNTAX,
               "an action is a list: a call, `set`, `union`, `let`, `delete`, `subsume` or `panic`");
    if (!e->infix) diag_hint(e->diags, "the actions of a rule stand in a list of their own: `((r x) (union x y))`");
    return false;
  }
  if (!strcmp(h, "let")) return action_let(l, x);
  if (!strcmp(h, "set")) return action_set(l, x);
  if (!strcmp(h, "set-cost")) return action_cost(l, x);
  if (!strcmp(h, "delete"))
    return wants(l, x, 2, "(delete (table arguments ...))") && action_row(l, &x->item[1], IR_DELETE, h);
  if (!strcmp(h, "subsume"))
    return wants(l, x, 2, "(subsume (table arguments ...))") && action_row(l, &x->item[1], IR_SUBSUME, h);
  if (!strcmp(h, "panic")) {
    if (!wants(l, x, 2, "(panic \"message\")")) return false;
    if (x->item[1].kind != SEXP_STRING) return diag_error(e->diags, x->at, E_SYNTAX, "panic needs a string");
    return add_act(l, IR_PANIC, x->item[1].sym, NULL, NULL, x);
  }
  if (!strcmp(h, "union")) {
    if (!wants(l, x, 3, "(union a b)")) return false;
    Expr *a = typed(l, &x->item[1]), *b = a ? typed(l, &x->item[2]) : NULL;
    return b && add_union(l, a, b, x);
  }
  Expr *n = typed(l, x);
  return n && add_act(l, IR_CALL, IR_NONE, n, NULL, x);
}

IrBlock lower_block(Lower *l, Reg result) {
  return (IrBlock){
      .atoms = l->atoms.at,
      .ops = l->ops.at,
      .inits = l->inits.at,
      .n_atoms = (uint32_t)l->atoms.len,
      .n_ops = (uint32_t)l->ops.len,
      .n_inits = (uint32_t)l->inits.len,
      .n_body = l->n_body,
      .n_regs = (uint32_t)l->sorts.len,
      .widest = l->widest,
      .result = result,
      .never = l->never,
      .names = l->names.at,
      .sorts = l->sorts.at,
  };
}
