/* Queries: facts are typed, then flattened into atoms over *slots*, one per variable, literal and call output;
 * equations merge slots, and what is left of them become registers. */
#include "eval/program/lower.h"

typedef struct Slot {
  uint32_t up;
  const Expr *fixed; /* constant or global it equals */
  bool grounded;
  Reg reg;
  SortId sort;
  Sym name;
  const Sexp *at;
} Slot;

typedef struct {
  Lower *l;
  Vec(Slot) slots;
  Vec(uint32_t) var_slot;
} Flat;

static uint32_t slot_root(Flat *f, uint32_t s) {
  while (f->slots.at[s].up != s) s = f->slots.at[s].up = f->slots.at[f->slots.at[s].up].up;
  return s;
}

static uint32_t slot_new(Flat *f, const Expr *n, SortId sort, const Sexp *at) {
  uint32_t s = (uint32_t)f->slots.len;
  vec_push(&f->slots, (Slot){.up = s, .fixed = n, .grounded = n != NULL, .reg = IR_NONE, .sort = sort, .at = at});
  return s;
}

static void add_atom(Flat *f, IrAtomKind kind, uint32_t op, uint32_t n, const uint32_t *slots, const Sexp *at) {
  Lower *l = f->l;
  if (n > l->widest) l->widest = n;
  Reg *arg = ARENA_ARRAY(&l->program->scratch, Reg, n + 1);
  memcpy(arg, slots, n * sizeof *arg);
  vec_push(&l->atoms, (IrAtom){kind, op, n, arg, at->at});
}

static PrimId equality(Flat *f) { return db_prim_first(f->l->program->db, sym("value-eq")); }

static void slot_unify(Flat *f, uint32_t a, uint32_t b, const Sexp *at) {
  a = slot_root(f, a);
  b = slot_root(f, b);
  if (a == b) return;
  Slot *x = &f->slots.at[a], *y = &f->slots.at[b];
  if (x->fixed && y->fixed) {
    bool constants = x->fixed->kind == NODE_CONST && y->fixed->kind == NODE_CONST;
    if (constants) {
      if (x->fixed->id != y->fixed->id) f->l->never = true;
    } else if (x->fixed->kind != y->fixed->kind || x->fixed->id != y->fixed->id) {
      uint32_t args[3] = {a, b, slot_new(f, NULL, SORT_UNIT, at)};
      add_atom(f, IR_PRIM, equality(f), 3, args, at);
    }
    return;
  }
  if (y->fixed) {
    Slot *t = x;
    x = y;
    y = t;
    uint32_t k = a;
    a = b;
    b = k;
  }
  y->up = a;
  if (!x->name) x->name = y->name;
}

/* Slot of a node's value; a call that is a fact of its own needs no output. */
static uint32_t flatten(Flat *f, const Expr *n, bool is_fact) {
  Lower *l = f->l;
  Scope *sc = &l->scope;
  if (n->kind == NODE_VAR) return f->var_slot.at[n->id];
  SortId sort = type_sort(sc, n->type);
  if (n->kind == NODE_CONST || n->kind == NODE_GLOBAL) return slot_new(f, n, sort, n->at);
  uint32_t *args = ARENA_ARRAY(&l->program->scratch, uint32_t, n->n + 2);
  for (uint32_t i = 0; i < n->n; i++) args[i] = flatten(f, n->arg[i], false);
  bool relation = n->kind == NODE_TABLE && db_table_spec(l->program->db, n->id)->kind == TABLE_RELATION;
  uint32_t out = IR_NONE;
  if (!relation || !is_fact) args[n->n] = out = slot_new(f, NULL, sort, n->at);
  if (n->kind == NODE_TABLE) {
    add_atom(f, IR_ROW, n->id, n->n + !relation, args, n->at);
    if (relation && !is_fact) add_atom(f, IR_PRIM, db_prim_row(l->program->db, n->id), n->n + 1, args, n->at);
  } else {
    add_atom(f, IR_PRIM, n->id, n->n + 1, args, n->at);
  }
  return out;
}

static bool same_inputs(Flat *f, const IrAtom *a, const IrAtom *b, uint32_t n_in) {
  for (uint32_t i = 0; i < n_in; i++)
    if (slot_root(f, a->arg[i]) != slot_root(f, b->arg[i])) {
      const Expr *x = f->slots.at[slot_root(f, a->arg[i])].fixed, *y = f->slots.at[slot_root(f, b->arg[i])].fixed;
      if (!x || !y || x->kind != y->kind || x->id != y->id) return false;
    }
  return true;
}

/* Two calls with the same inputs have the same output: one of the atoms goes. */
static void share_calls(Flat *f) {
  Lower *l = f->l;
  if (l->atoms.len > 200) return;
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < l->atoms.len; i++)
      for (size_t j = i + 1; j < l->atoms.len; j++) {
        IrAtom *a = &l->atoms.at[i], *b = &l->atoms.at[j];
        if (a->kind != b->kind || a->op != b->op || a->n != b->n) continue;
        bool relation = a->kind == IR_ROW && db_table_spec(l->program->db, a->op)->kind == TABLE_RELATION;
        if (!same_inputs(f, a, b, a->n - !relation)) continue;
        if (!relation) slot_unify(f, a->arg[a->n - 1], b->arg[b->n - 1], f->slots.at[a->arg[a->n - 1]].at);
        a = &l->atoms.at[i];
        memmove(&l->atoms.at[j], &l->atoms.at[j + 1], (l->atoms.len - j - 1) * sizeof *a);
        l->atoms.len--;
        j--;
        again = true;
      }
  }
}

static bool check_grounded(Flat *f) {
  Lower *l = f->l;
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < l->atoms.len; i++) {
      const IrAtom *a = &l->atoms.at[i];
      bool all = true;
      for (uint32_t k = 0; a->kind == IR_PRIM && k + 1 < a->n; k++)
        all &= f->slots.at[slot_root(f, a->arg[k])].grounded;
      if (!all) continue;
      for (uint32_t k = a->kind == IR_PRIM ? a->n - 1 : 0; k < a->n; k++) {
        Slot *s = &f->slots.at[slot_root(f, a->arg[k])];
        again |= !s->grounded;
        s->grounded = true;
      }
    }
  }
  for (size_t i = 0; i < f->slots.len; i++) {
    const Slot *s = &f->slots.at[slot_root(f, (uint32_t)i)];
    if (s->grounded) continue;
    diag_error(l->program->diags, f->slots.at[i].at->at, E_RULE, "%s%s%s is not bound by any table of the query",
               f->slots.at[i].name ? "`" : "this", f->slots.at[i].name ? sym_text(f->slots.at[i].name) : "",
               f->slots.at[i].name ? "`" : "");
    diag_hint(l->program->diags,
              "primitives do not run backwards: bind the variable by a row, a literal or a call of known arguments");
    return false;
  }
  return true;
}

static Reg reg_of(Flat *f, uint32_t slot) {
  Lower *l = f->l;
  Slot *s = &f->slots.at[slot_root(f, slot)];
  if (s->reg != IR_NONE) return s->reg;
  if (s->fixed)
    for (size_t i = 0; i < l->inits.len; i++)
      if (l->inits.at[i].global == (s->fixed->kind == NODE_GLOBAL) && l->inits.at[i].value == s->fixed->id &&
          l->sorts.at[l->inits.at[i].reg] == s->sort)
        return s->reg = l->inits.at[i].reg;
  s->reg = (Reg)l->sorts.len;
  vec_push(&l->sorts, s->sort);
  vec_push(&l->names, s->name);
  if (s->fixed) vec_push(&l->inits, (IrInit){s->reg, s->fixed->kind == NODE_GLOBAL, s->fixed->id});
  return s->reg;
}

static void assign_registers(Flat *f) {
  Lower *l = f->l;
  for (size_t i = 0; i < l->atoms.len; i++)
    for (uint32_t k = 0; k < l->atoms.at[i].n; k++) l->atoms.at[i].arg[k] = reg_of(f, l->atoms.at[i].arg[k]);
  for (size_t v = 0; v < l->n_query; v++) l->scope.vars.at[v].reg = reg_of(f, f->var_slot.at[v]);
  l->n_body = (uint32_t)l->sorts.len;
}

static bool add_fact(Lower *l, Expr *a, Expr *b) {
  vec_push(&l->facts, a);
  vec_push(&l->facts, b);
  l->n_query = (uint32_t)l->scope.vars.len;
  return true;
}

bool lower_fact(Lower *l, const Sexp *x) {
  Program *e = l->program;
  l->scope.may_bind = l->scope.in_query = true;
  if (sexp_head(x) == sym("=")) {
    if (x->n != 3) return diag_error(e->diags, x->at, E_SYNTAX, "an equation has two sides: `(= a b)`");
    Expr *a = types_expr(&l->scope, &x->item[1]), *b = a ? types_expr(&l->scope, &x->item[2]) : NULL;
    if (!b || !type_unify(&l->scope, a->type, b->type, &x->item[2])) return false;
    return add_fact(l, a, b);
  }
  if (x->kind != SEXP_LIST || !x->n) {
    diag_error(e->diags, x->at, E_SYNTAX, "a fact is a call or an equation `(= a b)`");
    if (!e->infix) diag_hint(e->diags, "the facts of a rule stand in a list of their own: `((r x) (s x))`");
    return false;
  }
  Expr *n = types_expr(&l->scope, x);
  return n && add_fact(l, n, NULL);
}

bool lower_root(Lower *l, const Sexp *left, uint32_t *v) {
  l->scope.may_bind = l->scope.in_query = true;
  Expr *a = types_expr(&l->scope, left);
  if (!a) return false;
  *v = (uint32_t)l->scope.vars.len;
  vec_push(&l->scope.vars, (Variable){0, a->type, left, IR_NONE});
  Expr *b = ARENA_NEW(&l->program->scratch, Expr);
  *b = (Expr){.kind = NODE_VAR, .type = a->type, .id = *v, .at = left};
  return add_fact(l, b, a);
}

bool lower_query(Lower *l) {
  if (!types_solve(&l->scope)) return false;
  Flat f = {.l = l};
  for (size_t v = 0; v < l->n_query; v++) {
    const Variable *var = &l->scope.vars.at[v];
    uint32_t s = slot_new(&f, NULL, type_sort(&l->scope, var->type), var->at);
    f.slots.at[s].name = var->name;
    vec_push(&f.var_slot, s);
  }
  for (size_t i = 0; i < l->facts.len; i += 2) {
    uint32_t a = flatten(&f, l->facts.at[i], !l->facts.at[i + 1]);
    if (l->facts.at[i + 1]) slot_unify(&f, a, flatten(&f, l->facts.at[i + 1], false), l->facts.at[i]->at);
  }
  share_calls(&f);
  bool ok = check_grounded(&f);
  if (ok) assign_registers(&f);
  vec_free(&f.slots);
  vec_free(&f.var_slot);
  l->scope.may_bind = l->scope.in_query = false;
  return ok;
}
