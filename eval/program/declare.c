/* Declarations: sorts, tables, rulesets, rules. */
#include "eval/program/command.h"

#define ERROR(...) (diag_error(e->diags, __VA_ARGS__), RESULT_BAD)

static const struct {
  const char *name;
  SortKind kind;
  uint32_t n;
} presorts[] = {{"Vec", SORT_VEC, 1},           {"Set", SORT_SET, 1},   {"Map", SORT_MAP, 2},
                {"MultiSet", SORT_MULTISET, 1}, {"Pair", SORT_PAIR, 2}, {"UnstableFn", SORT_FN, 2}};

/* Sorts named in a list; false after an error. */
static bool sort_list(Program *e, const Sexp *x, uint32_t from, SortId *out) {
  for (uint32_t i = from; i < x->n; i++)
    if ((out[i - from] = name_sort(e, &x->item[i])) == IR_NONE) return false;
  return true;
}

static Result declare_container(Program *e, const Sexp *name, const Sexp *x) {
  Sym head = sexp_head(x);
  for (size_t k = 0; k < sizeof presorts / sizeof *presorts; k++) {
    if (strcmp(sym_text(head), presorts[k].name)) continue;
    if (x->n - 1 != presorts[k].n)
      return ERROR(x->at, E_ARITY, "%s takes %u arguments", presorts[k].name, presorts[k].n);
    bool fn = presorts[k].kind == SORT_FN;
    if (fn && !sexp_is_list(&x->item[1]))
      return ERROR(x->item[1].at, E_SYNTAX, "a list of input sorts is expected here");
    uint32_t n = fn ? x->item[1].n + 1 : presorts[k].n;
    SortId *args = ARENA_ARRAY(&e->scratch, SortId, n + 1);
    if (fn) {
      if (!sort_list(e, &x->item[1], 0, args) || (args[n - 1] = name_sort(e, &x->item[2])) == IR_NONE)
        return RESULT_BAD;
    } else if (!sort_list(e, x, 1, args)) {
      return RESULT_BAD;
    }
    if (!name_declare(e, name, NAME_SORT, db_n_sorts(e->db))) return RESULT_BAD;
    db_sort_container(e->db, name->sym, presorts[k].kind, args, n);
    return RESULT_OK;
  }
  diag_error(e->diags, x->at, E_UNBOUND, "there is no container `%s`", sym_text(head));
  diag_hint(e->diags, "containers are Vec, Set, Map, MultiSet, Pair and UnstableFn");
  return RESULT_BAD;
}

static Result declare_eq(Program *e, const Sexp *name) {
  if (!name_declare(e, name, NAME_SORT, db_n_sorts(e->db))) return RESULT_BAD;
  db_sort_eq(e->db, name->sym);
  return RESULT_OK;
}

Result declare_sort(Program *e, const Sexp *x) {
  static const char *const known[] = {":internal-uf1", ":internal-proof-func1", NULL};
  Options o;
  if (x->n < 2) return ERROR(x->at, E_SYNTAX, "this should read `(sort Name)`");
  bool container = x->n > 2 && sexp_is_list(&x->item[2]);
  if (!options_read(e, x, container ? 3 : 2, known, &o)) return RESULT_BAD;
  if (container) return declare_container(e, &x->item[1], &x->item[2]);
  Result r = declare_eq(e, &x->item[1]);
  const Option *uf = option_find(&o, ":internal-uf");
  if (r || !uf) return r;
  if (uf->values->kind != SEXP_SYMBOL) return ERROR(uf->at->at, E_SYNTAX, ":internal-uf needs the name of a table");
  while (e->leaders.len < db_n_sorts(e->db)) vec_push(&e->leaders, 0);
  e->leaders.at[db_n_sorts(e->db) - 1] = uf->values->sym;
  return r;
}

static bool table_options(Program *e, const Sexp *x, uint32_t from, bool merges, TableSpec *spec, const Sexp **merge,
                          bool *none) {
  static const char *const constructors[] = {
      ":cost1", ":unextractable0", ":internal-hidden0", ":internal-let0", ":internal-term-constructor1", NULL};
  static const char *const functions[] = {
      ":merge1", ":no-merge0", ":unextractable0", ":internal-hidden0", ":internal-let0", NULL};
  Options o;
  if (!options_read(e, x, from, merges ? functions : constructors, &o)) return false;
  const Option *cost = option_find(&o, ":cost"), *m = option_find(&o, ":merge");
  spec->cost = 1;
  if (cost && !option_uint(e, cost->values, &spec->cost)) return false;
  spec->unextractable = option_find(&o, ":unextractable") != NULL;
  spec->hidden = option_find(&o, ":internal-hidden") || option_find(&o, ":internal-let");
  if (!merges) return true;
  *none = option_find(&o, ":no-merge") != NULL;
  *merge = m ? m->values : NULL;
  if (!m == !*none) {
    diag_error(e->diags, x->at, E_SYNTAX,
               m ? ":merge and :no-merge exclude each other" : "a function needs :merge or :no-merge");
    diag_hint(e->diags, "`:merge expression` combines `old` and `new`; `:no-merge` stops if they differ");
    return false;
  }
  return true;
}

static Result add_table(Program *e, const Sexp *name, TableSpec *spec) {
  if (!name_declare(e, name, NAME_TABLE, db_n_tables(e->db))) return RESULT_BAD;
  spec->name = name->sym;
  db_table(e->db, spec);
  return RESULT_OK;
}

static Result add_constructor(Program *e, const Sexp *name, SortId out, const Sexp *x, uint32_t from, uint32_t to,
                              uint32_t opts) {
  TableSpec spec = {.kind = TABLE_CONSTRUCTOR, .out = out, .n_in = to - from};
  SortId *in = ARENA_ARRAY(&e->scratch, SortId, spec.n_in + 1);
  for (uint32_t i = from; i < to; i++)
    if ((in[i - from] = name_sort(e, &x->item[i])) == IR_NONE) return RESULT_BAD;
  spec.in = in;
  if (!table_options(e, x, opts, false, &spec, NULL, NULL)) return RESULT_BAD;
  return add_table(e, name, &spec);
}

static Result add_variants(Program *e, const Sexp *x, SortId sort, uint32_t from) {
  for (uint32_t i = from; i < x->n; i++) {
    const Sexp *v = &x->item[i];
    if (!sexp_head(v)) return ERROR(v->at, E_SYNTAX, "a variant is `(Name Sort ...)`");
    uint32_t end = options_start(v, 1);
    Result r = add_constructor(e, &v->item[0], sort, v, 1, end, end);
    if (r) return r;
  }
  return RESULT_OK;
}

Result declare_datatype(Program *e, const Sexp *x) {
  if (x->n < 2) return ERROR(x->at, E_SYNTAX, "this should read `(datatype Name (Variant Sort ...) ...)`");
  Result r = declare_eq(e, &x->item[1]);
  return r ? r : add_variants(e, x, name_of(e, x->item[1].sym)->id, 2);
}

Result declare_datatypes(Program *e, const Sexp *x) {
  for (int phase = 0; phase < 3; phase++)
    for (uint32_t i = 1; i < x->n; i++) {
      const Sexp *d = &x->item[i];
      if (!sexp_head(d))
        return ERROR(d->at, E_SYNTAX, "a member of datatype* is `(Name variants ...)` or `(sort ...)`");
      bool is_sort = !strcmp(sym_text(sexp_head(d)), "sort");
      Result r = RESULT_OK;
      if (is_sort && phase == 1) r = declare_sort(e, d);
      else if (!is_sort && phase == 0) r = declare_eq(e, &d->item[0]);
      else if (!is_sort && phase == 2) r = add_variants(e, d, name_of(e, d->item[0].sym)->id, 1);
      if (r) return r;
    }
  return RESULT_OK;
}

Result declare_constructor(Program *e, const Sexp *x) {
  if (x->n < 4 || !sexp_is_list(&x->item[2]))
    return ERROR(x->at, E_SYNTAX, "this should read `(constructor name (Sort ...) Sort)`");
  SortId out = name_sort(e, &x->item[3]);
  if (out == IR_NONE) return RESULT_BAD;
  if (db_sort(e->db, out)->kind != SORT_EQ) {
    diag_error(e->diags, x->item[3].at, E_SORT, "a constructor makes terms, but %s is no sort of terms",
               name_of_sort(e, out));
    diag_hint(e->diags, "use `function` for values of this sort");
    return RESULT_BAD;
  }
  TableSpec spec = {.kind = TABLE_CONSTRUCTOR, .out = out, .n_in = x->item[2].n};
  SortId *in = ARENA_ARRAY(&e->scratch, SortId, spec.n_in + 1);
  if (!sort_list(e, &x->item[2], 0, in) || !table_options(e, x, 4, false, &spec, NULL, NULL)) return RESULT_BAD;
  spec.in = in;
  return add_table(e, &x->item[1], &spec);
}

Result declare_function(Program *e, const Sexp *x) {
  if (x->n < 4 || !sexp_is_list(&x->item[2]))
    return ERROR(x->at, E_SYNTAX, "this should read `(function name (Sort ...) Sort :merge ...)`");
  TableSpec spec = {.kind = TABLE_FUNCTION, .n_in = x->item[2].n};
  SortId *in = ARENA_ARRAY(&e->scratch, SortId, spec.n_in + 1);
  const Sexp *merge;
  bool none;
  if (!sort_list(e, &x->item[2], 0, in) || (spec.out = name_sort(e, &x->item[3])) == IR_NONE) return RESULT_BAD;
  if (!table_options(e, x, 4, true, &spec, &merge, &none)) return RESULT_BAD;
  spec.in = in;
  if (none) return add_table(e, &x->item[1], &spec);
  Lower l;
  lower_init(&l, e);
  Reg value;
  SortId got;
  IrBlock block;
  bool ok = lower_parameter(&l, "old", spec.out) && lower_parameter(&l, "new", spec.out) &&
            lower_value(&l, merge, spec.out, &value, &got);
  Result r = RESULT_BAD;
  if (ok) {
    block = lower_block(&l, value);
    block.names = NULL;
    spec.merge = &block;
    r = add_table(e, &x->item[1], &spec);
  }
  lower_free(&l);
  return r;
}

Result declare_relation(Program *e, const Sexp *x) {
  if (x->n < 3 || !sexp_is_list(&x->item[2]))
    return ERROR(x->at, E_SYNTAX, "this should read `(relation name (Sort ...))`");
  TableSpec spec = {.kind = TABLE_RELATION, .n_in = x->item[2].n, .out = IR_NONE};
  SortId *in = ARENA_ARRAY(&e->scratch, SortId, spec.n_in + 1);
  if (!sort_list(e, &x->item[2], 0, in) || !table_options(e, x, 3, false, &spec, NULL, NULL)) return RESULT_BAD;
  spec.in = in;
  return add_table(e, &x->item[1], &spec);
}

/* (cost-model name [:default n]) */
Result declare_costs(Program *e, const Sexp *x) {
  static const char *const known[] = {":default1", NULL};
  Options o;
  if (x->n < 2) return ERROR(x->at, E_SYNTAX, "this should read `(cost-model name)`");
  if (!options_read(e, x, 2, known, &o)) return RESULT_BAD;
  const Option *other = option_find(&o, ":default");
  CostModel m = {.costs = x->item[1].kind == SEXP_SYMBOL ? x->item[1].sym : 0, .has_other = other != NULL};
  if (other && !option_uint(e, other->values, &m.other)) return RESULT_BAD;
  if (!name_declare(e, &x->item[1], NAME_COSTS, (uint32_t)e->models.len)) return RESULT_BAD;
  vec_push(&e->models, m);
  return RESULT_OK;
}

Result declare_ruleset(Program *e, const Sexp *x) {
  if (x->n != 2) return ERROR(x->at, E_SYNTAX, "this should read `(ruleset name)`");
  if (!name_declare(e, &x->item[1], NAME_RULESET, 0)) return RESULT_BAD;
  db_ruleset(e->db, x->item[1].sym);
  return RESULT_OK;
}

Result declare_combined(Program *e, const Sexp *x) {
  if (x->n < 2) return ERROR(x->at, E_SYNTAX, "this should read `(unstable-combined-ruleset name members ...)`");
  Sym *members = ARENA_ARRAY(&e->scratch, Sym, x->n);
  for (uint32_t i = 2; i < x->n; i++) {
    if (x->item[i].kind != SEXP_SYMBOL) return ERROR(x->item[i].at, E_SYNTAX, "the name of a ruleset is expected here");
    members[i - 2] = x->item[i].sym;
  }
  if (!name_declare(e, &x->item[1], NAME_RULESET, 0)) return RESULT_BAD;
  db_ruleset_combined(e->db, x->item[1].sym, members, x->n - 2);
  return RESULT_OK;
}

/* ---- rules ---- */

typedef struct {
  Sym name;
  const Sexp *ruleset;
  uint32_t flags;
  const Option *when;
  bool subsume;
} Header;

static bool read_header(Program *e, const Sexp *x, const Options *o, Header *h) {
  const Option *name = option_find(o, ":name"), *rs = option_find(o, ":ruleset");
  *h = (Header){.when = option_find(o, ":when"), .subsume = option_find(o, ":subsume") != NULL};
  if (name && name->values->kind != SEXP_STRING)
    return diag_error(e->diags, name->at->at, E_SYNTAX, ":name needs a string");
  if (rs && rs->values->kind != SEXP_SYMBOL) return diag_error(e->diags, rs->at->at, E_SYNTAX, ":ruleset needs a name");
  h->name = name ? name->values->sym : sexp_text(x, diags_sources(e->diags));
  h->ruleset = rs ? rs->values : NULL;
  if (option_find(o, ":naive")) h->flags |= IR_NAIVE;
  if (option_find(o, ":unsafe-seminaive")) h->flags |= IR_UNSAFE;
  if (h->flags == (IR_NAIVE | IR_UNSAFE))
    return diag_error(e->diags, x->at, E_RULE, ":naive and :unsafe-seminaive exclude each other");
  if (h->when && !sexp_is_list(h->when->values))
    return diag_error(e->diags, h->when->at->at, E_SYNTAX, ":when needs a list of facts");
  return true;
}

static Result add_rule(Program *e, const Sexp *x, const Header *h, Lower *l) {
  IrRule rule = {.name = h->name, .flags = h->flags, .at = x->at};
  rule.ruleset = db_find_ruleset(e->db, h->ruleset ? h->ruleset->sym : 0);
  if (rule.ruleset == IR_NONE) {
    db_fail(e->db, h->ruleset->at, "there is no ruleset `%s`", sym_text(h->ruleset->sym));
    const char *like = name_similar(e, h->ruleset->sym, NAME_RULESET);
    e->hint = arena_printf(&e->arena,
                           like       ? "did you mean `%s`?"
                           : e->infix ? "declare it before: `ruleset %s`"
                                      : "declare it before: `(ruleset %s)`",
                           like ? like : sym_text(h->ruleset->sym));
    return RESULT_FAILED;
  }
  rule.block = lower_block(l, 0);
  return db_rule(e->db, &rule) ? RESULT_OK : RESULT_FAILED;
}

Result declare_rule(Program *e, const Sexp *x) {
  static const char *const known[] = {
      ":ruleset1", ":name1", ":naive0", ":unsafe-seminaive0", ":no-decomp0", ":internal-include-subsumed0", NULL};
  Options o;
  Header h;
  if (x->n < 3 || !sexp_is_list(&x->item[1]) || !sexp_is_list(&x->item[2]))
    return ERROR(x->at, E_SYNTAX, "this should read `(rule (facts ...) (actions ...))`");
  if (!options_read(e, x, 3, known, &o) || !read_header(e, x, &o, &h)) return RESULT_BAD;
  Lower l;
  lower_init(&l, e);
  l.scope.may_look_up = h.flags != 0;
  bool ok = true;
  for (uint32_t i = 0; ok && i < x->item[1].n; i++) ok = lower_fact(&l, &x->item[1].item[i]);
  for (uint32_t i = 0; ok && i < x->item[2].n; i++) ok = lower_action(&l, &x->item[2].item[i]);
  ok = ok && lower_query(&l) && lower_actions(&l);
  Result r = ok ? add_rule(e, x, &h, &l) : RESULT_BAD;
  lower_free(&l);
  return r;
}

static Result one_rewrite(Program *e, const Sexp *x, const Sexp *left, const Sexp *right, const Header *h) {
  Lower l;
  lower_init(&l, e);
  l.scope.may_look_up = false;
  uint32_t v;
  bool ok = true;
  ok = ok && lower_root(&l, left, &v);
  for (uint32_t i = 0; ok && h->when && i < h->when->values->n; i++) ok = lower_fact(&l, &h->when->values->item[i]);
  ok = ok && lower_union_with(&l, v, right) && (!h->subsume || lower_subsume_root(&l, left));
  ok = ok && lower_query(&l) && lower_actions(&l);
  Result r = ok ? add_rule(e, x, h, &l) : RESULT_BAD;
  lower_free(&l);
  return r;
}

static bool rewrite_parts(Program *e, const Sexp *x, bool both, Header *h) {
  static const char *const one[] = {":when1", ":subsume0", ":ruleset1", ":name1", NULL};
  static const char *const two[] = {":when1", ":ruleset1", ":name1", NULL};
  Options o;
  if (x->n < 3)
    return diag_error(e->diags, x->at, E_SYNTAX, "this should read `(%s left right)`", sym_text(sexp_head(x)));
  return options_read(e, x, 3, both ? two : one, &o) && read_header(e, x, &o, h) &&
         (!h->when || (h->when = arena_copy(&e->scratch, h->when, sizeof *h->when)));
}

Result declare_rewrite(Program *e, const Sexp *x) {
  Header h;
  return rewrite_parts(e, x, false, &h) ? one_rewrite(e, x, &x->item[1], &x->item[2], &h) : RESULT_BAD;
}

Result declare_birewrite(Program *e, const Sexp *x) {
  Header h;
  if (!rewrite_parts(e, x, true, &h)) return RESULT_BAD;
  Sym name = h.name;
  h.name = sym(arena_printf(&e->scratch, "%s=>", sym_text(name)));
  Result r = one_rewrite(e, x, &x->item[1], &x->item[2], &h);
  if (r) return r;
  h.name = sym(arena_printf(&e->scratch, "%s<=", sym_text(name)));
  return one_rewrite(e, x, &x->item[2], &x->item[1], &h);
}
