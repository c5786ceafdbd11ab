/* lang_format: the canonical text of a file.
 *
 * An item is first written on one line, with the places where it may be broken and how deep each lies; a line that is
 * too long is then broken at its outermost places, and its pieces again.  Parentheses are put only where precedence
 * asks for them.  Numbers keep their spelling.  A comment before an item stays before it, one behind it on its line
 * stays there, one inside moves before it.  Recursion is bounded by AST_MAX_DEPTH. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lang/lang.h"
#include "lang/printer.h"

enum { WIDTH = 120, STEP = 2 };

/* Precedence as in the grammar. */
enum { P_LOWEST, P_OR, P_AND, P_NOT, P_COMPARE, P_ADD, P_SUM, P_MUL, P_NEG, P_POW, P_ATOM };

static const struct {
  uint8_t prec;
  const char *text;
} shape[EX_N_KINDS] = {
  [EX_ERROR] = {P_ATOM, ""}, [EX_RAT] = {P_ATOM, ""}, [EX_INF] = {P_ATOM, "inf"}, [EX_STRING] = {P_ATOM, ""},
  [EX_NAME] = {P_ATOM, ""}, [EX_GROUP] = {P_ATOM, ""}, [EX_READ] = {P_ATOM, ""}, [EX_TUPLE] = {P_ATOM, ""},
  [EX_CALL] = {P_ATOM, ""}, [EX_LIST] = {P_ATOM, ""}, [EX_NODE] = {P_ATOM, ""},
  [EX_BUILTIN] = {P_ATOM, ""}, [EX_SUM] = {P_SUM, "sum"}, [EX_MAX] = {P_SUM, "max"},
  [EX_MIN] = {P_SUM, "min"}, [EX_ALL] = {P_NOT, "all"}, [EX_NEG] = {P_NEG, "-"}, [EX_NOT] = {P_NOT, "not "},
  [EX_ADD] = {P_ADD, "+"}, [EX_SUB] = {P_ADD, "-"}, [EX_MUL] = {P_MUL, "*"}, [EX_DIV] = {P_MUL, "/"},
  [EX_POW] = {P_POW, "^"}, [EX_EQ] = {P_COMPARE, "=="}, [EX_NE] = {P_COMPARE, "!="}, [EX_LT] = {P_COMPARE, "<"},
  [EX_LE] = {P_COMPARE, "<="}, [EX_GT] = {P_COMPARE, ">"}, [EX_GE] = {P_COMPARE, ">="}, [EX_IS] = {P_COMPARE, "is"},
  [EX_AND] = {P_AND, "and"}, [EX_OR] = {P_OR, "or"}, [EX_IF] = {P_LOWEST, ""}, [EX_LET] = {P_LOWEST, ""},
  [EX_NAMED] = {P_LOWEST, ""}, [EX_SAME] = {P_LOWEST, "="}, [EX_BIND] = {P_LOWEST, "let "}, [EX_DO] = {P_LOWEST, ""},
  [EX_RUN] = {P_LOWEST, ""}, [EX_SCHEDULE] = {P_LOWEST, ""},
};

static void put_n(Printer *p, const char *s, size_t n) {
  vec_reserve(&p->line, p->line.len + n);
  if (n) memcpy(p->line.at + p->line.len, s, n);
  p->line.len += n;
}

void print_text(Printer *p, const char *s) { put_n(p, s, strlen(s)); }
void print_sym(Printer *p, Sym s) { put_n(p, sym_text(s), sym_len(s)); }

void print_break(Printer *p, uint32_t level) {
  vec_push(&p->breaks, (Break){p->line.len, p->base + level, false, false, false});
  print_text(p, " ");
}

void print_fill(Printer *p, uint32_t level) {
  print_break(p, level);
  vec_last(&p->breaks).fill = true;
}

void print_string(Printer *p, Sym s) {
  print_text(p, "\"");
  const char *t = sym_text(s);
  for (size_t i = 0; i < sym_len(s); i++) {
    if (t[i] == '"' || t[i] == '\\' || t[i] == '\n' || t[i] == '\t') print_text(p, "\\");
    if (t[i] == '\n' || t[i] == '\t') print_text(p, t[i] == '\n' ? "n" : "t");
    else put_n(p, t + i, 1);
  }
  print_text(p, "\"");
}

/* ---- Expressions ---- */

static void put_expr(Printer *p, const AstExpr *e, uint32_t level, int least, int after);

static void put_args(Printer *p, AstExpr *const *args, uint32_t n, uint32_t level) {
  for (uint32_t i = 0; i < n; i++) {
    if (i) print_text(p, ","), print_fill(p, level);
    put_expr(p, args[i], level + 1, P_LOWEST, P_LOWEST);
  }
}

/* name, graph.name, or graph."name" as the source has it. */
static void put_tensor(Printer *p, const AstExpr *e) {
  if (e->graph) print_sym(p, e->graph), print_text(p, ".");
  if (e->graph && p->source[e->name_span.hi - 1] == '"') print_string(p, e->name);
  else print_sym(p, e->name);
}

static void put_index(Printer *p, const AstIndex *i, uint32_t level, bool in_pattern) {
  if (i->form == FORM_GROUP) print_text(p, "*");
  print_sym(p, i->name);
  if (i->form == FORM_OPERANDS) print_text(p, "...");
  if (!i->size) return;
  print_text(p, ": ");
  bool plain = !in_pattern || i->size->kind == EX_RAT || i->size->kind == EX_NAME;
  if (!plain) print_text(p, "(");
  put_expr(p, i->size, level, P_LOWEST, P_LOWEST);
  if (!plain) print_text(p, ")");
}

static void put_reduction(Printer *p, const AstExpr *e, uint32_t level, int after) {
  print_text(p, shape[e->kind].text);
  print_text(p, "(");
  for (uint32_t i = 0; i < e->n_binders; i++) {
    if (i) print_text(p, ", ");
    put_index(p, &e->binders[i], level + 1, false);
  }
  print_text(p, ") ");
  const AstExpr *body = e->args[0];
  bool last = after == P_LOWEST && (body->kind == EX_IF || body->kind == EX_LET);
  put_expr(p, body, level + 1, last ? P_LOWEST : shape[e->kind].prec + (e->kind != EX_ALL), after);
}

/* `a % b` is mod(a, b), written with the sign. */
static bool is_remainder(const Printer *p, const AstExpr *e) {
  return e->kind == EX_CALL && e->n_args == 2 && p->source[e->name_span.lo] == '%';
}

static int prec_of(const Printer *p, const AstExpr *e) { return is_remainder(p, e) ? P_MUL : shape[e->kind].prec; }

/* Left-associative but for powers; comparisons do not associate. */
static void put_binary(Printer *p, const AstExpr *e, uint32_t level, int after) {
  int prec = prec_of(p, e);
  const AstExpr *x = e->args[0];
  bool chain = prec != P_COMPARE && prec != P_POW;
  uint32_t left_level = chain && prec_of(p, x) == prec && x->n_args == 2 ? level : level + 1;
  put_expr(p, x, left_level, chain ? prec : prec + 1, prec);
  if (prec == P_POW) print_text(p, "^");
  else print_fill(p, level), print_text(p, is_remainder(p, e) ? "%" : shape[e->kind].text), print_text(p, " ");
  put_expr(p, e->args[1], level + 1, prec == P_POW ? prec : prec + 1, after);
}

static void put_open(Printer *p, const AstExpr *e, uint32_t level) {
  if (e->kind == EX_IF) {
    print_text(p, "if ");
    put_expr(p, e->args[0], level + 1, P_LOWEST, P_LOWEST);
    print_break(p, level), print_text(p, "then ");
    put_expr(p, e->args[1], level + 1, P_LOWEST, P_LOWEST);
    print_break(p, level), print_text(p, "else ");
    put_expr(p, e->args[2], e->args[2]->kind == EX_IF ? level : level + 1, P_LOWEST, P_LOWEST);
    return;
  }
  print_text(p, "let "), print_sym(p, e->name), print_text(p, " = ");
  put_expr(p, e->args[0], level + 1, P_LOWEST, P_LOWEST);
  print_text(p, " in"), print_break(p, level);
  put_expr(p, e->args[1], e->args[1]->kind == EX_LET ? level : level + 1, P_LOWEST, P_LOWEST);
}

/* A name, in quotes where the source has them. */
static void put_label(Printer *p, Sym name, Span at) {
  if (p->source && p->source[at.lo] == '"') print_string(p, name);
  else print_sym(p, name);
}

/* A value of a graph that is written out. */
static void put_node(Printer *p, const AstExpr *e, uint32_t level) {
  const AstExpr *call = e->args[0];
  put_label(p, e->name, e->name_span), print_text(p, ": "), print_sym(p, e->graph);
  print_text(p, "["), put_args(p, e->devices, e->n_devices, level), print_text(p, "] = ");
  put_label(p, call->name, call->name_span);
  print_text(p, "("), put_args(p, call->args, call->n_args, level), print_text(p, ")");
}

static void put_bare(Printer *p, const AstExpr *e, uint32_t level, int after) {
  switch ((AstKind)e->kind) {
    case EX_ERROR:
    case EX_N_KINDS: return;
    case EX_RAT: return put_n(p, p->source + e->span.lo, e->span.hi - e->span.lo);
    case EX_INF: return print_text(p, "inf");
    case EX_STRING: return print_string(p, e->name);
    case EX_NAME: return put_tensor(p, e);
    case EX_GROUP:
      print_text(p, "*"), print_sym(p, e->name);
      if (e->at) print_text(p, " @ "), print_sym(p, e->at);
      return;
    case EX_READ:
      put_tensor(p, e), print_text(p, "[");
      put_args(p, e->devices, e->n_devices, level);
      if (e->n_devices) print_text(p, e->n_args ? "; " : ";");
      put_args(p, e->args, e->n_args, level);
      return print_text(p, "]");
    case EX_CALL:
      if (is_remainder(p, e)) return put_binary(p, e, level, after); /* fall through */
    case EX_BUILTIN: print_sym(p, e->name); /* fall through */
    case EX_TUPLE:
      print_text(p, "("), put_args(p, e->args, e->n_args, level);
      return print_text(p, ")");
    case EX_LIST:
      print_text(p, "["), put_args(p, e->args, e->n_args, level);
      return print_text(p, "]");
    case EX_NODE: return put_node(p, e, level);
    case EX_SUM:
    case EX_MAX:
    case EX_MIN:
    case EX_ALL: return put_reduction(p, e, level, after);
    case EX_NEG:
    case EX_NOT:
      print_text(p, shape[e->kind].text);
      return put_expr(p, e->args[0], level + 1, shape[e->kind].prec, after);
    case EX_IF:
    case EX_LET: return put_open(p, e, level);
    case EX_NAMED:
    case EX_BIND:
    case EX_DO:
      if (e->kind == EX_DO && e->args[0]->kind == EX_NAMED) {
        print_sym(p, e->name), print_text(p, " "), put_expr(p, e->args[0]->args[0], level + 1, P_LOWEST, P_LOWEST);
        return print_text(p, " in "), print_sym(p, e->args[0]->name);
      }
      print_text(p, shape[e->kind].text), print_sym(p, e->name);
      print_text(p, e->kind == EX_NAMED ? ": " : e->kind == EX_BIND ? " = " : " ");
      return put_expr(p, e->args[0], level + 1, P_LOWEST, P_LOWEST);
    default: return put_binary(p, e, level, after);
  }
}

/* In parentheses if it binds looser than `least`, or if, open to the right, it would swallow an operator of precedence
 * `after` that follows.  A sum needs none as a right operand: `init + sum(k) x[k]`. */
static void put_expr(Printer *p, const AstExpr *e, uint32_t level, int least, int after) {
  int prec = prec_of(p, e);
  bool open = e->kind == EX_SUM || e->kind == EX_MAX || e->kind == EX_MIN;
  bool inside = open ? after > prec || least > P_NEG : prec < least;
  if (inside) print_text(p, "("), level++, after = P_LOWEST;
  put_bare(p, e, level, after);
  if (inside) print_text(p, ")");
}

void print_whole(Printer *p, const AstExpr *e) { put_expr(p, e, IN_BODY, P_LOWEST, P_LOWEST); }

/* ---- Signatures ---- */

static void put_pattern(Printer *p, const AstPattern *t) {
  if (t->n == 0) print_text(p, "1");
  if (t->n > 1) print_text(p, "(");
  for (uint32_t i = 0; i < t->n; i++) {
    if (i) print_text(p, ", ");
    put_index(p, &t->digit[i], IN_BODY, true);
  }
  if (t->n > 1) print_text(p, ")");
  if (t->at) print_text(p, " @ "), print_sym(p, t->at);
}

static void put_bracket(Printer *p, const AstPattern *dims, uint32_t n) {
  print_text(p, "[");
  for (uint32_t i = 0; i < n; i++) {
    if (i) print_text(p, ", ");
    put_pattern(p, &dims[i]);
  }
  print_text(p, "]");
}

static void put_params(Printer *p, const AstParam *params, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i) print_text(p, ","), print_fill(p, AT_PARAM);
    print_sym(p, params[i].name);
    if (params[i].variadic) print_text(p, "...");
    if (!params[i].bare) put_bracket(p, params[i].dims, params[i].n_dims);
  }
}

static void put_signature(Printer *p, const AstParam *params, uint32_t n, const AstAttr *attrs, uint32_t n_attrs) {
  print_text(p, "(");
  put_params(p, params, n);
  for (uint32_t i = 0; i < n_attrs; i++) {
    print_text(p, i ? "," : ";"), print_fill(p, AT_PARAM);
    print_sym(p, attrs[i].name), print_text(p, ": "), print_sym(p, attrs[i].type);
    if (attrs[i].init) print_text(p, " = "), print_whole(p, attrs[i].init);
  }
  print_text(p, ")");
}

static void put_results(Printer *p, const AstOp *op) {
  print_fill(p, AT_RESULT), print_text(p, "-> ");
  if (!op->results[0].name) return put_bracket(p, op->results[0].dims, op->results[0].n_dims);
  print_text(p, "{");
  for (uint32_t i = 0; i < op->n_results; i++) {
    const AstResult *r = &op->results[i];
    print_text(p, i ? ";" : ""), print_break(p, AT_BODY);
    print_sym(p, r->name), put_bracket(p, r->dims, r->n_dims);
    if (r->body) print_text(p, " ="), print_fill(p, AT_RESULT), print_whole(p, r->body);
  }
  print_break(p, AT_BODY), vec_last(&p->breaks).outdent = true;
  print_text(p, "}");
}

static void put_op(Printer *p, const AstItem *it) {
  const AstOp *op = &it->op;
  put_signature(p, op->params, op->n_params, op->attrs, op->n_attrs);
  if (op->over) print_fill(p, AT_RESULT), print_text(p, "over "), print_sym(p, op->over);
  put_results(p, op);
  if (op->when) print_fill(p, AT_RESULT), print_text(p, "when "), print_whole(p, op->when);
  if (op->opaque) {
    print_fill(p, AT_RESULT), print_text(p, "opaque");
    for (uint32_t i = 0; i < op->n_batch; i++) {
      print_text(p, i ? ", " : " batch ");
      put_index(p, &op->batch[i], IN_BODY, true);
    }
  } else if (!op->results[0].name) {
    print_break(p, AT_BODY), print_text(p, "= "), print_whole(p, op->results[0].body);
  }
}

/* ---- Items ---- */

static void put_list(Printer *p, const char *open, AstExpr *const *list, uint32_t n, const char *close) {
  print_text(p, open), put_args(p, list, n, IN_BODY), print_text(p, close);
}

static void put_given(Printer *p, const AstGiven *g) {
  if (g->equation) return print_whole(p, g->equation);
  put_tensor(p, g->left), print_text(p, " ~ "), put_tensor(p, g->right);
  for (uint32_t i = 0; i < g->n_layout; i++) print_fill(p, AT_RESULT), print_whole(p, g->layout[i]);
}

/* A graph that is written out: a line a value. */
static void put_written(Printer *p, const AstGraph *g) {
  if (g->n_axes) put_list(p, " over (", g->axes, g->n_axes, ")");
  print_text(p, " {");
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    const AstExpr *e = g->nodes[i];
    print_break(p, AT_BODY), vec_last(&p->breaks).always = true;
    if (e->kind == EX_NODE) print_whole(p, e), print_text(p, ";");
    else if (e->kind == EX_DO) print_sym(p, e->name), put_list(p, " ", e->args[0]->args, e->args[0]->n_args, "");
  }
  print_break(p, AT_BODY), vec_last(&p->breaks).outdent = vec_last(&p->breaks).always = true;
  print_text(p, "}");
}

static void put_mesh(Printer *p, const AstMesh *m) {
  print_text(p, "{ ");
  for (uint32_t i = 0; i < m->n_axes; i++) {
    print_text(p, i ? ", " : ""), print_sym(p, m->axes[i].name), print_text(p, " = "), print_whole(p, m->axes[i].size);
  }
  print_text(p, " }");
  if (m->n_devices) print_fill(p, AT_RESULT), put_list(p, "devices [", m->devices, m->n_devices, "]");
}

void print_one(Printer *p, const AstItem *it) {
  if (ast_is_clause(it) && it->clause.only_here) print_text(p, "private ");
  print_text(p, ast_item_text(it->kind));
  if (ast_is_clause(it)) return print_clause(p, it);
  print_text(p, " ");
  if (it->kind == ITEM_RELATION) return print_string(p, it->name);
  if (it->kind == ITEM_OP) put_label(p, it->name, it->name_span);
  else print_sym(p, it->name);
  switch ((AstItemKind)it->kind) {
    case ITEM_OP: return put_op(p, it);
    case ITEM_FN:
      print_text(p, "("), put_params(p, it->fn.params, it->fn.n_params), print_text(p, ")");
      print_break(p, AT_BODY), print_text(p, "= ");
      return print_whole(p, it->fn.body);
    case ITEM_LEMMA:
      if (it->lemma.n_params + it->lemma.n_attrs)
        put_signature(p, it->lemma.params, it->lemma.n_params, it->lemma.attrs, it->lemma.n_attrs);
      if (it->lemma.when) print_fill(p, AT_RESULT), print_text(p, "when "), print_whole(p, it->lemma.when);
      print_text(p, ":"), print_break(p, AT_BODY);
      return print_whole(p, it->lemma.equation);
    case ITEM_MESH: return put_mesh(p, &it->mesh);
    case ITEM_GRAPH:
      if (!it->graph.reader) return put_written(p, &it->graph);
      print_text(p, " = "), print_sym(p, it->graph.reader), put_list(p, "(", it->graph.paths, it->graph.n_paths, ")");
      if (it->graph.n_axes) print_fill(p, AT_RESULT), put_list(p, "over (", it->graph.axes, it->graph.n_axes, ")");
      return;
    case ITEM_GIVEN:
    case ITEM_EXPECT: return put_given(p, &it->given);
    case ITEM_SIZES: return put_args(p, it->sizes.names, it->sizes.n, IN_BODY);
    case ITEM_ASSUME:
      if (!it->assume.tensor) return put_args(p, it->assume.conditions, it->assume.n_conditions, IN_BODY);
      put_tensor(p, it->assume.tensor), print_text(p, " in "), print_whole(p, it->assume.lo);
      print_text(p, " .. ");
      return print_whole(p, it->assume.hi);
    case ITEM_CHECK:
      put_tensor(p, it->check.left), print_text(p, " "), print_sym(p, it->check.verb), print_text(p, " ");
      return put_tensor(p, it->check.right);
    default: return;
  }
}

/* ---- Lines ---- */

static void emit(Printer *p, const char *s, size_t n) {
  vec_reserve(&p->out, p->out.len + n);
  if (n) memcpy(p->out.at + p->out.len, s, n);
  p->out.len += n;
}

static void new_line(Printer *p, size_t indent) {
  emit(p, "\n", 1);
  while (indent--) emit(p, " ", 1);
}

/* Offset of the next break of a level among breaks[i, hi), or `to`. */
static size_t next_break(const Printer *p, size_t i, size_t hi, uint32_t level, size_t to) {
  while (i < hi && p->breaks.at[i].level != level) i++;
  return i < hi ? p->breaks.at[i].at : to;
}

/* Bytes [from, to) of the line, whose breaks are breaks[lo, hi), at an indentation.  Each level of recursion takes away
 * the breaks of one level. */
static void lay_out(Printer *p, size_t from, size_t to, size_t lo, size_t hi, size_t indent) {
  uint32_t level = UINT32_MAX;
  for (size_t i = lo; i < hi; i++)
    if (p->breaks.at[i].level < level) level = p->breaks.at[i].level;
  bool always = false;
  for (size_t i = lo; i < hi; i++) always |= p->breaks.at[i].always;
  if ((indent + to - from <= WIDTH && !always) || lo == hi) return emit(p, p->line.at + from, to - from);
  size_t inner = indent;
  for (size_t i = lo; i < hi; i++) {
    Break b = p->breaks.at[i];
    if (b.level != level || (b.fill && inner + next_break(p, i + 1, hi, level, to) - from <= WIDTH)) continue;
    lay_out(p, from, b.at, lo, i, inner);
    inner = indent + (b.outdent ? 0 : level == AT_PARAM ? 2 * STEP : STEP);
    new_line(p, inner);
    from = b.at + 1;
    lo = i + 1;
  }
  lay_out(p, from, to, lo, hi, inner);
}

static void print_item(Printer *p, const AstItem *it) {
  vec_clear(&p->line);
  vec_clear(&p->breaks);
  print_one(p, it);
  lay_out(p, 0, p->line.len, 0, p->breaks.len, 0);
}

static size_t newlines(const Printer *p, uint32_t from, uint32_t to) {
  size_t n = 0;
  for (uint32_t i = from; i < to; i++) n += p->source[i] == '\n';
  return n;
}

char *lang_format(Arena *arena, const AstFile *f, const Sources *sources) {
  Printer p = {.source = sources_get(sources, f->source)->text};
  uint32_t end = 0, c = 0; /* end: of what was printed last, in the source */
  for (uint32_t i = 0; i <= f->n_items; i++) {
    const AstItem *it = i < f->n_items ? f->items[i] : NULL;
    bool gap = false;
    for (; c < f->n_comments && (!it || f->comments[c].lo < it->span.hi); c++) {
      Span at = f->comments[c];
      size_t lines = newlines(&p, end, it && at.lo > it->span.lo ? it->span.lo : at.lo);
      bool behind = i && !gap && !lines && p.out.len && at.lo >= f->items[i - 1]->span.hi;
      if (p.out.len) emit(&p, behind ? "  " : lines > 1 ? "\n\n" : "\n", behind || lines > 1 ? 2 : 1);
      emit(&p, p.source + at.lo, at.hi - at.lo);
      end = at.hi > end ? at.hi : end;
      gap = true;
    }
    if (!it) break;
    if (p.out.len) emit(&p, "\n\n", end < it->span.lo && newlines(&p, end, it->span.lo) > 1 ? 2 : 1);
    print_item(&p, it);
    end = it->span.hi;
  }
  if (p.out.len) emit(&p, "\n", 1);
  char *text = arena_strdup(arena, p.out.len ? p.out.at : "", p.out.len);
  vec_free(&p.line);
  vec_free(&p.breaks);
  vec_free(&p.out);
  return text;
}
