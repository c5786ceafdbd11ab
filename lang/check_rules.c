/* The form of the items of the Datalog layer: which expressions are terms, facts and actions, which words are options
 * and schedules.  What names stand for and of which sort they are is known only when the items run, one after another. */
#include "lang/check.h"

static bool wrong(Check *c, const AstExpr *e, const char *what) {
  return diag_error(c->diags, e->span, E_RULE, "%s", what);
}

static void check_term(Check *c, const AstExpr *e) {
  switch ((AstKind)e->kind) {
    case EX_ERROR: return;
    case EX_RAT: case EX_INF: case EX_STRING: break;
    case EX_NAME:
      if (e->graph) wrong(c, e, "a tensor of a graph is no term of a rule");
      break;
    case EX_CALL: case EX_BUILTIN: case EX_NEG: case EX_NOT: case EX_ADD: case EX_SUB: case EX_MUL: case EX_DIV:
    case EX_POW: case EX_EQ: case EX_NE: case EX_LT: case EX_LE: case EX_GT: case EX_GE: case EX_AND: case EX_OR: break;
    case EX_TUPLE:
      if (e->n_args != 2) wrong(c, e, "a pair has two parts");
      break;
    default:
      wrong(c, e, "this has no meaning in a rule");
      diag_hint(c->diags, "terms are names, numbers, strings, calls and arithmetic");
      return;
  }
  for (uint32_t i = 0; i < e->n_args; i++) {
    const AstExpr *x = e->args[i];
    bool named = x->kind == EX_NAMED && (e->kind == EX_CALL || e->kind == EX_BUILTIN);
    if (named && i + 1 < e->n_args && e->args[i + 1]->kind != EX_NAMED)
      wrong(c, e->args[i + 1], "an argument without a name follows one with a name");
    check_term(c, named ? x->args[0] : x);
  }
}

static void check_fact(Check *c, const AstExpr *e) {
  if (e->kind == EX_AND || e->kind == EX_SAME) {
    for (uint32_t i = 0; i < 2; i++) e->kind == EX_AND ? check_fact(c, e->args[i]) : check_term(c, e->args[i]);
    return;
  }
  check_term(c, e);
  if (e->kind == EX_EQ) wrong(c, e, "a fact says `=`"), diag_hint(c->diags, "write `a = b`");
  bool asks = e->kind == EX_CALL || e->kind == EX_BUILTIN || (e->kind >= EX_NOT && e->kind <= EX_OR);
  if (e->kind != EX_ERROR && !asks) {
    wrong(c, e, "this asks nothing");
    diag_hint(c->diags, "a fact is a row `table(a, b)`, an equation `a = b` or a comparison");
  }
}

static void check_action(Check *c, const AstExpr *e) {
  static const char *const verbs[] = {"delete", "subsume", "panic", "cost"};
  if (e->kind == EX_SAME || e->kind == EX_BIND) {
    for (uint32_t i = 0; i < e->n_args; i++) check_term(c, e->args[i]);
    return;
  }
  if (e->kind == EX_DO) {
    bool known = false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) known |= !strcmp(sym_text(e->name), verbs[i]);
    bool panic = !strcmp(sym_text(e->name), "panic"), cost = !strcmp(sym_text(e->name), "cost");
    const AstExpr *what = e->args[0]->kind == EX_NAMED ? e->args[0]->args[0] : e->args[0];
    if (!known) {
      diag_error(c->diags, e->name_span, E_RULE, "`%s` is no action", sym_text(e->name));
      diag_hint(c->diags, "there are `delete row`, `subsume row`, `cost term = number` and `panic \"why\"`");
    } else if (cost != (what->kind == EX_SAME)) {
      wrong(c, e->args[0], cost ? "a cost is set: `cost f(x) = 3`" : "nothing is set here");
    } else if (panic != (e->args[0]->kind == EX_STRING)) {
      wrong(c, e->args[0], panic ? "panic needs a string" : "a row is expected here");
    }
    for (uint32_t i = 0; what->kind == EX_SAME && i < 2; i++) check_term(c, what->args[i]);
    if (what->kind != EX_SAME) check_term(c, what);
    return;
  }
  check_term(c, e);
  if (e->kind == EX_CALL || e->kind == EX_BUILTIN || e->kind == EX_ERROR) return;
  wrong(c, e, "this does nothing");
  diag_hint(c->diags, "an action is a row `table(a, b)`, an equation `a = b`, `let`, `delete`, `subsume` or `panic`");
}

static bool is_natural(const AstExpr *e) {
  int64_t n;
  return e->kind == EX_RAT && rat_to_int(e->value, &n) && n >= 0;
}

static void check_options(Check *c, const AstItem *it) {
  const AstClause *k = &it->clause;
  for (uint32_t i = 0; i < k->options.n; i++) {
    const AstExpr *o = k->options.at[i];
    const char *t = sym_text(o->name);
    bool table = it->kind == ITEM_CONSTRUCTOR, cost = !strcmp(t, "cost");
    bool known = table ? cost || !strcmp(t, "unextractable") : it->kind == ITEM_REWRITE && !strcmp(t, "subsume");
    if (it->kind == ITEM_COSTS) known = cost = !strcmp(t, "default");
    if (it->kind == ITEM_EXTRACT) known = !strcmp(t, "by");
    if (it->kind == ITEM_RULE) known = !strcmp(t, "naive") || !strcmp(t, "unsafe");
    if (!known) {
      diag_error(c->diags, o->span, E_RULE, "`%s` is not expected here", t);
      diag_hint(c->diags, table ? "there are `cost N` and `unextractable`"
                                : it->kind == ITEM_COSTS ? "a cost model may have `default N`"
                                : it->kind == ITEM_EXTRACT ? "a cost model follows `by`"
                                : it->kind == ITEM_RULE ? "a rule may be `naive` or `unsafe`"
                                : it->kind == ITEM_REWRITE ? "a rewrite may `subsume` its left side"
                                : "a function may have `merge expression`");
    } else if (cost != (o->n_args == 1) || (cost && !is_natural(o->args[0]))) {
      diag_error(c->diags, o->span, E_RULE, cost ? "a cost is a natural number" : "`%s` stands by itself", t);
    }
    if (it->kind == ITEM_REWRITE && k->both)
      diag_error(c->diags, o->span, E_RULE, "a rewrite both ways cannot subsume");
  }
}

static void check_schedule(Check *c, const AstExpr *s) {
  if (s->kind != EX_SCHEDULE && s->kind != EX_RUN) return;
  AstExpr times = {.kind = EX_RAT, .value = s->value};
  if (!is_natural(&times)) diag_error(c->diags, s->span, E_RULE, "something runs a whole number of times");
  for (uint32_t i = 0; i < s->n_args; i++)
    s->kind == EX_RUN ? check_fact(c, s->args[i]) : check_schedule(c, s->args[i]);
  if (s->kind == EX_RUN) return;
  const char *t = sym_text(s->name);
  if (!strcmp(t, "seq") || !strcmp(t, "saturate") || !strcmp(t, "repeat") || !strcmp(t, "backoff")) return;
  diag_error(c->diags, s->name_span, E_RULE, "`%s` is no schedule", t);
  diag_hint(c->diags, "there are `seq { .. }`, `saturate { .. }`, `repeat N { .. }` and `backoff N { .. }`");
}

static void check_family(Check *c, const AstItem *it) {
  const AstClause *k = &it->clause;
  for (uint32_t i = 0; i < k->body.n; i++) {
    const AstExpr *m = k->body.at[i];
    uint32_t n = m->kind == EX_TUPLE ? m->n_args : 1;
    if (n != k->head.n)
      diag_error(c->diags, m->span, E_ARITY, "the template has %u parameter%s, and this is %u", k->head.n,
                 k->head.n == 1 ? "" : "s", n);
    for (uint32_t j = 0; j < n; j++) {
      const AstExpr *x = m->kind == EX_TUPLE ? m->args[j] : m;
      if (x->kind != EX_NAME && x->kind != EX_RAT && x->kind != EX_STRING)
        wrong(c, x, "a member of a family is a name, a number or a string");
    }
  }
}

/* Names of modules are made of names of this file. */
static void check_module(Check *c, const AstItem *it) {
  const AstClause *k = &it->clause;
  bool declares = (it->kind >= ITEM_SORT && it->kind <= ITEM_RULESET) || it->kind == ITEM_LET ||
                  (it->kind == ITEM_INCLUDE && k->body.n);
  if (k->only_here && !declares) {
    diag_error(c->diags, it->span, E_RULE, "`%s` declares nothing that could be private", ast_item_text(it->kind));
    diag_hint(c->diags, "private are sorts, tables, rulesets, globals and modules");
  }
  if (it->kind == ITEM_INCLUDE && k->body.n && k->body.at[0]->name != sym("as")) {
    diag_error(c->diags, k->body.at[0]->name_span, E_RULE, "`%s` has no meaning here", sym_text(k->body.at[0]->name));
    diag_hint(c->diags, "write `include \"file.tvr\" as %s`", sym_text(k->body.at[0]->args[0]->name));
  }
}

void check_clause(Check *c, const AstItem *it) {
  const AstClause *k = &it->clause;
  check_module(c, it);
  if (it->kind == ITEM_REWRITE || it->kind == ITEM_RULE || it->kind == ITEM_HOLDS || it->kind == ITEM_PROVE)
    for (uint32_t i = 0; i < k->head.n; i++) check_fact(c, k->head.at[i]);
  for (uint32_t i = 0; i < k->body.n; i++) {
    if (it->kind == ITEM_RUN) check_schedule(c, k->body.at[i]);
    else if (it->kind == ITEM_RULE || it->kind == ITEM_DO) check_action(c, k->body.at[i]);
    else if (it->kind != ITEM_TEMPLATE && it->kind != ITEM_INCLUDE) check_term(c, k->body.at[i]);
  }
  for (uint32_t i = 0; it->kind == ITEM_DO && i < k->body.n; i++)
    if (k->body.at[i]->kind == EX_BIND) wrong(c, k->body.at[i], "outside a rule `let` stands by itself");
  if (it->kind == ITEM_TEMPLATE) check_family(c, it);
  const AstItem *failing = it->kind == ITEM_FAIL ? k->items[0] : NULL;
  if (failing && (!ast_is_clause(failing) || failing->clause.n_items ||
                  (failing->kind == ITEM_DO && failing->clause.body.n > 1)))
    diag_error(c->diags, it->span, E_RULE, "one command by itself can be expected to fail");
  check_options(c, it);
  for (uint32_t i = 0; i < k->n_items; i++) {
    const AstItem *in = k->items[i];
    if (ast_is_clause(in)) check_clause(c, in);
    else diag_error(c->diags, in->span, E_RULE, "`%s` stands by itself", ast_item_text(in->kind));
  }
}
