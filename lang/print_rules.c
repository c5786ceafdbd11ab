/* The canonical text of the Datalog layer. */
#include "lang/printer.h"

enum { DEEPER = 4 * AST_MAX_DEPTH }; /* levels of an item: those of the items inside it are larger */

static void put_all(Printer *p, const AstExprs *l, const char *separator, uint32_t level) {
  for (uint32_t i = 0; i < l->n; i++) {
    if (i) print_text(p, separator), print_fill(p, level);
    print_whole(p, l->at[i]);
  }
}

/* `{ a; b }` around what `inside` is. */
static void put_close(Printer *p) {
  print_break(p, AT_BODY), vec_last(&p->breaks).outdent = true;
  print_text(p, "}");
}

static void put_list(Printer *p, const AstExprs *l) {
  for (uint32_t i = 0; i < l->n; i++) {
    if (i) print_text(p, ";");
    print_break(p, AT_BODY), print_whole(p, l->at[i]);
  }
}

static void put_braced(Printer *p, const AstExprs *l) { print_text(p, "{"), put_list(p, l), put_close(p); }

/* One as it is, several in braces. */
static void put_facts(Printer *p, const AstExprs *l) {
  if (l->n == 1) print_whole(p, l->at[0]);
  else put_braced(p, l);
}

static void put_columns(Printer *p, const AstItem *it) {
  print_text(p, "("), put_all(p, &it->clause.head, ",", AT_PARAM), print_text(p, ")");
}

static void put_options(Printer *p, const AstExprs *l) {
  for (uint32_t i = 0; i < l->n; i++) {
    const AstExpr *o = l->at[i];
    print_text(p, " "), print_sym(p, o->name);
    if (o->n_args) print_text(p, " "), print_whole(p, o->args[0]);
  }
}

static void put_heading(Printer *p, const AstItem *it, const char *end) {
  bool quoted = it->name && p->source[it->name_span.lo] == '"';
  if (it->name) print_text(p, " "), quoted ? print_string(p, it->name) : print_sym(p, it->name);
  if (it->clause.ruleset) print_text(p, " in "), print_sym(p, it->clause.ruleset);
  if (it->kind == ITEM_RULE) put_options(p, &it->clause.options);
  print_text(p, it->name || it->clause.ruleset || it->kind == ITEM_RULE ? end : "");
}

static void put_sort(Printer *p, const AstItem *it) {
  print_sym(p, it->name);
  if (it->clause.head.n + it->clause.body.n) print_text(p, " = ");
  if (it->clause.body.n) put_columns(p, it), print_text(p, " -> "), print_whole(p, it->clause.body.at[0]);
  else if (it->clause.head.n) print_whole(p, it->clause.head.at[0]);
}

static void put_variants(Printer *p, const AstItem *it) {
  print_sym(p, it->name), print_text(p, " =");
  for (uint32_t i = 0; i < it->clause.n_items; i++) {
    const AstItem *v = it->clause.items[i];
    print_fill(p, AT_BODY), print_text(p, i ? "| " : ""), print_sym(p, v->name);
    if (v->clause.head.n) put_columns(p, v);
    put_options(p, &v->clause.options);
  }
}

static void put_schedule(Printer *p, const AstExpr *s) {
  if (s->kind == EX_RUN) {
    bool number = !s->name || s->value != RAT_1;
    if (s->name) print_sym(p, s->name), print_text(p, number ? " " : "");
    char text[64];
    if (number) print_text(p, rat_print(s->value, text, sizeof text));
    if (s->n_args) print_text(p, " until "), put_facts(p, &(AstExprs){s->n_args, s->args});
    return;
  }
  bool bare = s->name_span.hi == s->span.hi, counted = s->value != RAT_1 || s->name == sym("repeat");
  char text[64];
  if (!bare) print_sym(p, s->name), print_text(p, " ");
  if (counted) print_text(p, rat_print(s->value, text, sizeof text)), print_text(p, " ");
  print_text(p, "{");
  for (uint32_t i = 0; i < s->n_args; i++) {
    if (i) print_text(p, ";");
    print_fill(p, AT_BODY), put_schedule(p, s->args[i]);
  }
  put_close(p);
}

/* Items in braces, each on a line of its own. */
static void put_items(Printer *p, const AstItem *it) {
  print_text(p, "{");
  for (uint32_t i = 0; i < it->clause.n_items; i++) {
    print_break(p, AT_BODY), vec_last(&p->breaks).always = true;
    p->base += DEEPER;
    print_one(p, it->clause.items[i]);
    p->base -= DEEPER;
  }
  put_close(p), vec_last(&p->breaks).always = true;
}

static void put_rewrite(Printer *p, const AstItem *it) {
  put_heading(p, it, ":");
  print_text(p, " "), print_whole(p, it->clause.body.at[0]);
  print_fill(p, AT_BODY), print_text(p, it->clause.both ? "<=> " : "=> "), print_whole(p, it->clause.body.at[1]);
  if (it->clause.head.n) print_fill(p, AT_BODY), print_text(p, "if "), put_facts(p, &it->clause.head);
  put_options(p, &it->clause.options);
}

static void put_table(Printer *p, const AstItem *it) {
  const AstClause *c = &it->clause;
  print_sym(p, it->name), put_columns(p, it);
  if (c->body.n) print_fill(p, AT_RESULT), print_text(p, "-> "), print_whole(p, c->body.at[0]);
  if (c->body.n > 1) print_fill(p, AT_RESULT), print_text(p, "merge "), print_whole(p, c->body.at[1]);
  put_options(p, &c->options);
}

static void put_template(Printer *p, const AstItem *it) {
  print_sym(p, it->name), put_columns(p, it), print_text(p, " over {"), put_all(p, &it->clause.body, ",", AT_PARAM);
  print_text(p, "} "), put_items(p, it);
}

void print_clause(Printer *p, const AstItem *it) {
  const AstClause *c = &it->clause;
  if (it->kind == ITEM_RULE) {
    put_heading(p, it, ""), print_text(p, " {"), put_list(p, &c->head);
    print_break(p, AT_BODY), print_text(p, c->body.n ? "=> " : "=>");
    put_all(p, &c->body, ";", AT_RESULT);
    return put_close(p);
  }
  if (it->kind == ITEM_REWRITE) return put_rewrite(p, it);
  print_text(p, " ");
  switch ((AstItemKind)it->kind) {
    case ITEM_SORT: return put_sort(p, it);
    case ITEM_DATATYPE: return put_variants(p, it);
    case ITEM_GROUP:
      for (uint32_t i = 0; i < c->n_items; i++) {
        const AstItem *m = c->items[i];
        if (i) print_break(p, AT_BODY), vec_last(&p->breaks).outdent = true, print_text(p, "and ");
        if (m->kind == ITEM_SORT) print_text(p, "sort "), put_sort(p, m);
        else put_variants(p, m);
      }
      return;
    case ITEM_CONSTRUCTOR:
    case ITEM_FUNCTION:
    case ITEM_TABLE: return put_table(p, it);
    case ITEM_RULESET:
      print_sym(p, it->name), print_text(p, c->head.n ? " = " : "");
      return put_all(p, &c->head, ",", AT_BODY);
    case ITEM_DO:
      if (c->body.n == 1) return print_whole(p, c->body.at[0]);
      return put_braced(p, &c->body);
    case ITEM_LET:
      print_sym(p, it->name), print_text(p, " = ");
      return print_whole(p, c->body.at[0]);
    case ITEM_RUN: return put_schedule(p, c->body.at[0]);
    case ITEM_HOLDS:
    case ITEM_PROVE: return put_facts(p, &c->head);
    case ITEM_COSTS:
      print_sym(p, it->name);
      return put_options(p, &c->options);
    case ITEM_EXTRACT:
      put_all(p, &c->body, ",", AT_BODY), put_options(p, &c->options);
      for (uint32_t i = 0; i < c->head.n; i++) print_text(p, " "), print_whole(p, c->head.at[i]);
      return;
    case ITEM_INCLUDE:
      print_whole(p, c->head.at[0]);
      if (c->body.n) print_text(p, " as "), print_sym(p, c->body.at[0]->args[0]->name);
      return;
    case ITEM_FAIL: return print_one(p, c->items[0]);
    case ITEM_PUSH: return put_items(p, it);
    case ITEM_TEMPLATE: return put_template(p, it);
    default:
      for (uint32_t i = 0; i < c->head.n; i++) print_text(p, i ? " " : ""), print_whole(p, c->head.at[i]);
      print_text(p, c->head.n && c->body.n ? " " : "");
      return put_all(p, &c->body, ",", AT_BODY);
  }
}
