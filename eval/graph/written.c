#include "eval/graph/written.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lang/nearest.h"

enum { MAX_RANK = 64, MAX_INTS = 1 << 20 };
#define MAX_SIZE (INT64_C(1) << 40)

/* ---- reading ---- */

typedef struct Reader {
  Graph *g;
  Diags *diags;
  const Sources *sources;
  const AstItem *item;
  Vec(NodeId) named; /* by symbol */
  uint32_t line;     /* 1-based line of text offset `at` */
  uint32_t at;
  bool failed;
} Reader;

__attribute__((format(printf, 4, 5))) static bool wrong(Reader *r, Span at, DiagCode code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char text[256];
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  r->failed = true;
  return diag_error(r->diags, at, code, "%s", text);
}

static uint32_t line_of(Reader *r, uint32_t offset) {
  const Source *s = sources_get(r->sources, r->g->source);
  for (; s && r->at < offset && r->at < s->len; r->at++) r->line += s->text[r->at] == '\n';
  return r->line;
}

static NodeId find(const Reader *r, Sym name) { return name < r->named.len ? r->named.at[name] : NO_NODE; }

static void declare(Reader *r, Sym name, NodeId id) {
  while (r->named.len <= name) vec_push(&r->named, NO_NODE);
  r->named.at[name] = id;
}

static bool operand(Reader *r, const AstExpr *e, NodeId *out) {
  if ((e->kind != EX_NAME && e->kind != EX_STRING) || e->graph)
    return wrong(r, e->span, E_KIND, "an operand is the name of a value");
  *out = find(r, e->name);
  if (*out != NO_NODE) return true;
  wrong(r, e->span, E_GRAPH_NAME, "no value before is called `%s`", sym_text(e->name));
  Nearest near = {.word = sym_text(e->name), .len = sym_len(e->name)};
  for (size_t i = 0; i < r->g->nodes.len; i++) nearest_try(&near, sym_text(r->g->nodes.at[i].name));
  if (near.best) diag_hint(r->diags, "did you mean `%s`?", near.best);
  return false;
}

/* A number, a fraction, inf, or one of these negated. */
static bool number(const AstExpr *e, Rat *out) {
  if (e->kind == EX_NEG) {
    if (!number(e->args[0], out)) return false;
    *out = *out == RAT_POS_INF ? RAT_NEG_INF : rat_is_finite(*out) ? rat_neg(*out) : RAT_NAN;
    return *out != RAT_NAN;
  }
  if (e->kind == EX_DIV && e->args[1]->kind == EX_RAT && e->args[1]->value != RAT_0 && number(e->args[0], out))
    return rat_is_finite(*out) ? *out = rat_div(*out, e->args[1]->value), true : false;
  if (e->kind == EX_NEG || (e->kind != EX_RAT && e->kind != EX_INF)) return false;
  *out = e->kind == EX_INF ? RAT_POS_INF : e->value;
  return true;
}

static bool integer(const AstExpr *e, int64_t *out) {
  Rat v;
  return number(e, &v) && rat_is_finite(v) && rat_to_int(v, out);
}

/* A list of integers, or of lists or pairs of as many integers: flat; *each: how many in one of them, 0 for integers.
 */
static bool integers(Reader *r, const AstExpr *list, Attr *out, int64_t *each) {
  bool nested = list->n_args && list->args[0]->kind != EX_RAT && list->args[0]->kind != EX_NEG;
  uint32_t n = nested ? list->args[0]->n_args : 1;
  *each = nested ? n : 0;
  if ((uint64_t)n * list->n_args > MAX_INTS) return wrong(r, list->span, E_LIMIT, "a list of more than %d", MAX_INTS);
  int64_t *ints = ARENA_ARRAY(&r->g->arena, int64_t, (size_t)n * list->n_args + 1);
  out->ints = ints;
  out->n = n * list->n_args;
  for (uint32_t i = 0; i < list->n_args; i++) {
    const AstExpr *x = list->args[i];
    bool fits = !nested || (x->kind == list->args[0]->kind && x->n_args == n);
    for (uint32_t k = 0; k < n && fits; k++) fits = integer(nested ? x->args[k] : x, &ints[i * n + k]);
    if (!fits)
      return wrong(r, x->span, E_ATTRIBUTE, "expected %s", nested ? "as many integers as before" : "an integer");
  }
  return true;
}

/* Devices of the mesh, each in one group only, or the target of one pair only. */
static bool devices(Reader *r, const AstExpr *v, const Attr *a) {
  bool pairs = a->kind == ATTR_PAIRS, ok = true;
  char *seen = xcalloc((size_t)r->g->n_devices + 1, 1);
  for (uint32_t i = 0; i < a->n && ok; i++) {
    int64_t d = a->ints[i];
    if (d < 0 || d >= r->g->n_devices)
      ok = wrong(r, v->span, E_COLLECTIVE, "there is no device %" PRId64 ": the graph runs on %" PRId64, d,
                 r->g->n_devices);
    else if (!(pairs && i % 2 == 0) && seen[d]++)
      ok = wrong(r, v->span, E_COLLECTIVE, "device %" PRId64 " is %s", d,
                 pairs ? "the target of two pairs" : "listed twice");
  }
  free(seen);
  if (ok && !pairs && a->n != r->g->n_devices)
    ok = wrong(r, v->span, E_COLLECTIVE, "the groups hold %" PRIu32 " of %" PRId64 " devices", a->n, r->g->n_devices);
  return ok;
}

static bool attribute(Reader *r, const AstExpr *e, Attr *out) {
  const AstExpr *v = e->args[0];
  *out = (Attr){.name = e->name, .kind = ATTR_SYM};
  int64_t each;
  if ((v->kind == EX_NAME && !v->graph) || v->kind == EX_STRING) return out->s = v->name, true;
  if (v->kind == EX_LIST) {
    if (!integers(r, v, out, &each)) return false;
    bool pairs = v->n_args && v->args[0]->kind == EX_TUPLE;
    out->kind = pairs ? ATTR_PAIRS : each ? ATTR_GROUPS : ATTR_INTS;
    out->i = each;
    if (pairs && each != 2) return wrong(r, v->span, E_ATTRIBUTE, "expected pairs");
    return out->kind == ATTR_INTS || devices(r, v, out);
  }
  Rat x;
  if (!number(v, &x)) return wrong(r, v->span, E_ATTRIBUTE, "expected a number, a name, a string or a list");
  out->r = x;
  out->kind = v->kind != EX_DIV && integer(v, &out->i) ? ATTR_INT : ATTR_RAT;
  return true;
}

static uint32_t add_frames(Reader *r, const AstExpr *v) {
  AstExpr *const *at = v->kind == EX_LIST ? v->args : (AstExpr *const[]){(AstExpr *)v};
  uint32_t n = v->kind == EX_LIST ? v->n_args : 1;
  Sym *places = ARENA_ARRAY(&r->g->arena, Sym, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    if (at[i]->kind != EX_STRING) return wrong(r, at[i]->span, E_KIND, "a place is a string: \"model.py:12\""), 0;
    places[i] = at[i]->name;
  }
  vec_push(&r->g->frames, (Frames){n, places});
  return (uint32_t)r->g->frames.len - 1;
}

/* `at`, `label` and `result` are of the node itself. */
static bool special(Reader *r, const AstExpr *e, Node *n) {
  const char *name = sym_text(e->name);
  const AstExpr *v = e->args[0];
  int64_t i;
  if (!strcmp(name, "at")) return n->frames = add_frames(r, v), true;
  if (!strcmp(name, "label") && v->kind == EX_STRING) return n->label = v->name, true;
  if (!strcmp(name, "result") && integer(v, &i) && i >= 0 && i < UINT16_MAX) return n->result = (uint16_t)i, true;
  return false;
}

/* The first name in an expression, or NULL. */
static const AstExpr *name_in(const AstExpr *e) {
  const AstExpr *found = e->kind == EX_NAME ? e : NULL;
  for (uint32_t i = 0; i < e->n_args && !found; i++) found = name_in(e->args[i]);
  return found;
}

static bool no_size(Reader *r, const AstExpr *e) {
  const AstExpr *name = name_in(e);
  char got[128];
  if (!name && e->kind == EX_RAT)
    return wrong(r, e->span, E_SHAPE, "a size is an integer from 0 on, not %s", rat_print(e->value, got, sizeof got));
  if (!name) return wrong(r, e->span, E_SHAPE, "a size is an integer from 0 on");
  wrong(r, name->span, E_UNBOUND, "no size is called `%s`", sym_text(name->name));
  diag_hint(r->diags, "declare it: `size %s`", sym_text(name->name));
  return false;
}

static bool shape(Reader *r, const AstExpr *e, Node *n) {
  DType type;
  if (!dtype_parse(sym_text(e->graph), sym_len(e->graph), &type))
    return wrong(r, e->span, E_KIND, "`%s` is no element type", sym_text(e->graph));
  if (e->n_devices > MAX_RANK) return wrong(r, e->span, E_LIMIT, "more than %d dimensions", MAX_RANK);
  int64_t *dims = ARENA_ARRAY(&r->g->arena, int64_t, e->n_devices + 1), elements = 1;
  for (uint32_t d = 0; d < e->n_devices; d++) {
    if (!integer(e->devices[d], &dims[d]) || dims[d] < 0)
      return no_size(r, e->devices[d]);
    if (dims[d] > MAX_SIZE || (dims[d] && elements > MAX_SIZE / dims[d]))
      return wrong(r, e->devices[d]->span, E_SIZE, "a tensor of more than 2^40 elements");
    elements *= dims[d];
  }
  n->dtype = (uint8_t)type;
  n->rank = (uint8_t)e->n_devices;
  n->dims = dims;
  return true;
}

static bool constant(Reader *r, const AstExpr *call, Node *n) {
  if (call->n_args < 1 || call->args[0]->kind == EX_NAMED)
    return wrong(r, call->span, E_ARITY, "a constant has a value, or the list of all");
  const AstExpr *v = call->args[0];
  bool all = v->kind == EX_LIST;
  if (all && v->n_args != node_elements(n))
    return wrong(r, v->span, E_SHAPE, "%" PRIu32 " values for %" PRId64 " elements", v->n_args, node_elements(n));
  uint32_t count = all ? v->n_args : 1;
  Rat *values = ARENA_ARRAY(&r->g->arena, Rat, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const AstExpr *x = all ? v->args[i] : v;
    if (x->kind == EX_NAME && !strcmp(sym_text(x->name), "nan")) values[i] = RAT_NAN;
    else if (!number(x, &values[i])) return wrong(r, x->span, E_NUMBER, "expected a number");
    if (!dtype_holds((DType)n->dtype, values[i]))
      return wrong(r, x->span, E_NUMBER, "this is no value of type %s", dtype_text((DType)n->dtype));
  }
  Literal *l = ARENA_NEW(&r->g->arena, Literal);
  *l = (Literal){.kind = all ? LIT_VALUES : LIT_SPLAT, .n = count, .values = values};
  n->literal = l;
  return true;
}

static bool parameter(Reader *r, const AstExpr *call, Node *n) {
  int64_t i;
  if (call->n_args < 1 || !integer(call->args[0], &i) || i < 0 || i >= (int64_t)r->item->graph.n_nodes) {
    wrong(r, call->span, E_ARITY, "a parameter has a number, below that of all values");
    diag_hint(r->diags, "the first input of a graph is `parameter(0)`, the next one `parameter(1)`");
    return false;
  }
  while (r->g->params.len <= (size_t)i) vec_push(&r->g->params, NO_NODE);
  if (r->g->params.at[i] != NO_NODE)
    return wrong(r, call->span, E_GRAPH_NAME, "parameter %" PRId64 " is there twice", i);
  r->g->params.at[i] = (NodeId)r->g->nodes.len;
  n->param = i;
  return true;
}

static bool node(Reader *r, const AstExpr *e) {
  const AstExpr *call = e->args[0];
  Node n = {.op = call->name, .name = e->name, .line = line_of(r, e->span.lo)};
  if (find(r, e->name) != NO_NODE)
    return wrong(r, e->name_span, E_GRAPH_NAME, "the value `%s` is there twice", sym_text(e->name));
  if (!shape(r, e, &n)) return false;
  bool is_constant = n.op == sym("constant"), is_parameter = n.op == sym("parameter"), ok = true;
  if (is_constant) ok = constant(r, call, &n);
  if (is_parameter) ok = parameter(r, call, &n);
  NodeId *args = ARENA_ARRAY(&r->g->arena, NodeId, call->n_args + 1);
  Attr *attrs = ARENA_ARRAY(&r->g->arena, Attr, call->n_args + 1);
  for (uint32_t i = is_constant || is_parameter; i < call->n_args; i++) {
    const AstExpr *x = call->args[i];
    if (x->kind != EX_NAMED) ok = operand(r, x, &args[n.n_args]) && ok, n.n_args++;
    else if (!special(r, x, &n)) ok = attribute(r, x, &attrs[n.n_attrs]) && ok, n.n_attrs++;
  }
  n.args = args;
  n.attrs = attrs;
  declare(r, n.name, (NodeId)r->g->nodes.len);
  vec_push(&r->g->nodes, n);
  return ok;
}

static bool results(Reader *r, const AstExpr *e) {
  if (strcmp(sym_text(e->name), "return") != 0)
    return wrong(r, e->name_span, E_SYNTAX, "expected `name: type[..] = operator(..)` or `return name`");
  for (uint32_t i = 0; i < e->args[0]->n_args; i++) {
    NodeId id;
    if (operand(r, e->args[0]->args[i], &id)) vec_push(&r->g->outputs, (GraphOutput){id, e->args[0]->args[i]->name});
  }
  return true;
}

Graph *written_read(const AstItem *item, uint32_t source, int64_t n_devices, const Sources *sources, Diags *diags) {
  Reader r = {.g = graph_new(), .diags = diags, .sources = sources, .item = item, .line = 1};
  const Source *s = sources_get(sources, source);
  r.g->path = s ? sym(s->path) : item->name;
  r.g->source = source;
  r.g->n_devices = n_devices;
  r.g->n_read = item->graph.n_nodes;
  for (uint32_t i = 0; i < item->graph.n_nodes; i++) {
    const AstExpr *e = item->graph.nodes[i];
    if (e->kind == EX_NODE) node(&r, e);
    else if (e->kind == EX_DO) results(&r, e);
  }
  if (!r.failed && r.g->outputs.len == 0) wrong(&r, item->span, E_GRAPH_NAME, "the graph returns nothing");
  vec_free(&r.named);
  if (!r.failed) return r.g;
  graph_free(r.g);
  return NULL;
}

/* ---- writing ---- */

static bool is_word(const char *s) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  static const char *const reserved[] = {"op",       "fn",     "lemma", "mesh", "graph", "given", "expect",
                                         "relation", "assume", "check", "over", "when",  "if",    "then",
                                         "else",     "let",    "in",    "is",   "and",   "or",    "not",
                                         "sum",      "max",    "min",   "all",  "inf"};
  if (!*s || (*s >= '0' && *s <= '9') || s[strspn(s, letters)]) return false;
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (!strcmp(s, reserved[i])) return false;
  return true;
}

static void put_string(FILE *out, const char *s) {
  fputc('"', out);
  for (; *s; s++) {
    if (strchr("\"\\\n\t", *s)) fputc('\\', out);
    fputc(*s == '\n' ? 'n' : *s == '\t' ? 't' : (unsigned char)*s < ' ' ? ' ' : *s, out);
  }
  fputc('"', out);
}

static void put_name(FILE *out, Sym name) {
  if (is_word(sym_text(name))) fputs(sym_text(name), out);
  else put_string(out, sym_text(name));
}

static void put_number(FILE *out, Rat r, bool fraction) {
  char buf[512];
  if (r == RAT_NAN) fputs("nan", out);
  else if (!rat_is_finite(r)) fputs(r == RAT_NEG_INF ? "-inf" : "inf", out);
  else fprintf(out, "%s%s", rat_print(r, buf, sizeof buf), fraction && rat_is_int(r) ? "/1" : "");
}

/* A bound has no fractions: an integer, or the shortest decimal that is the same double. */
static void put_bound(FILE *out, Rat r) {
  if (rat_is_int(r)) return put_number(out, r, false);
  char text[32];
  double v = rat_to_double(r);
  int digits = 1;
  do {
    snprintf(text, sizeof text, "%.*g", digits, v);
  } while (strtod(text, NULL) != v && ++digits <= 17);
  fputs(text, out);
}

/* Integers in brackets or parentheses. */
static void put_ints(FILE *out, const int64_t *at, uint32_t n, const char *brackets) {
  fputc(brackets[0], out);
  for (uint32_t i = 0; i < n; i++) fprintf(out, "%s%" PRId64, i ? ", " : "", at[i]);
  fputc(brackets[1], out);
}

static void put_attribute(FILE *out, const Attr *a) {
  fprintf(out, "%s: ", sym_text(a->name));
  uint32_t each = a->kind == ATTR_PAIRS ? 2 : a->kind == ATTR_GROUPS && a->i > 0 ? (uint32_t)a->i : 0;
  if (a->kind == ATTR_INT) fprintf(out, "%" PRId64, a->i);
  if (a->kind == ATTR_SYM) put_name(out, a->s);
  if (a->kind == ATTR_RAT) put_number(out, a->r, true);
  if (a->kind == ATTR_INTS || ((a->kind == ATTR_GROUPS || a->kind == ATTR_PAIRS) && !each))
    put_ints(out, a->ints, a->n, "[]");
  if (!each || a->kind == ATTR_INTS) return;
  fputc('[', out);
  for (uint32_t i = 0; i < a->n; i += each) {
    if (i) fputs(", ", out);
    put_ints(out, a->ints + i, each, a->kind == ATTR_PAIRS ? "()" : "[]");
  }
  fputc(']', out);
}

/* What stands first between the parentheses; false if nothing does. */
static bool put_operands(FILE *out, const Graph *g, const Node *n) {
  if (n->op == sym("parameter")) return fprintf(out, "%" PRId64, n->param), true;
  if (n->literal && n->literal->kind != LIT_NONE) {
    bool all = n->literal->kind == LIT_VALUES;
    if (all) fputc('[', out);
    for (uint64_t i = 0; i < (all ? n->literal->n : 1); i++) {
      if (i) fputs(", ", out);
      put_number(out, n->literal->values[i], false);
    }
    if (all) fputc(']', out);
    return true;
  }
  for (uint32_t i = 0; i < n->n_args; i++) {
    if (i) fputs(", ", out);
    put_name(out, g->nodes.at[n->args[i]].name);
  }
  return n->n_args > 0;
}

static void put_node(FILE *out, const Graph *g, const Node *n) {
  fputs("  ", out);
  put_name(out, n->name);
  fprintf(out, ": %s", dtype_text((DType)n->dtype));
  put_ints(out, n->dims, n->rank, "[]");
  fputs(" = ", out);
  put_name(out, n->op);
  fputc('(', out);
  const char *comma = put_operands(out, g, n) ? ", " : "";
  for (uint32_t i = 0; i < n->n_attrs; i++, comma = ", ") {
    fputs(comma, out);
    put_attribute(out, &n->attrs[i]);
  }
  if (n->result) fprintf(out, "%sresult: %u", comma, n->result), comma = ", ";
  const Frames *f = &g->frames.at[n->frames];
  if (f->n) fprintf(out, "%sat: %s", comma, f->n > 1 ? "[" : "");
  for (uint32_t i = 0; i < f->n; i++) {
    if (i) fputs(", ", out);
    put_string(out, sym_text(f->at[i]));
  }
  fprintf(out, "%s);\n", f->n > 1 ? "]" : "");
}

/* Axes are words. */
static void put_axis(FILE *out, const Mesh *m, uint32_t axis) {
  const char *name = sym_text(m->axes[axis].name);
  if (is_word(name)) fputs(name, out);
  else fprintf(out, "axis_%" PRIu32, axis);
}

void written_graph(FILE *out, const char *name, const Graph *g, const Mesh *over) {
  fprintf(out, "graph %s", name);
  for (uint32_t k = 0; over && k < over->n_axes; k++) {
    fputs(k ? ", " : " over (", out);
    put_axis(out, over, k);
  }
  fprintf(out, "%s {\n", over && over->n_axes ? ")" : "");
  for (size_t i = 0; i < g->nodes.len; i++) put_node(out, g, &g->nodes.at[i]);
  fputs("  return ", out);
  for (size_t i = 0; i < g->outputs.len; i++) {
    if (i) fputs(", ", out);
    put_name(out, g->nodes.at[g->outputs.at[i].node].name);
  }
  fputs("\n}\n", out);
}

void written_mesh(FILE *out, const Mesh *m) {
  bool ordered = true;
  if (!m->n_axes) return;
  fputs("mesh {", out);
  for (uint32_t k = 0; k < m->n_axes; k++) {
    fputs(k ? ", " : " ", out);
    put_axis(out, m, k);
    fprintf(out, " = %" PRId64, m->axes[k].size);
  }
  fputs(" }", out);
  for (int64_t d = 0; d < m->n_devices; d++) ordered = ordered && m->device_order[d] == d;
  if (!ordered) {
    fputs(" devices ", out);
    put_ints(out, m->device_order, (uint32_t)m->n_devices, "[]");
  }
  fputc('\n', out);
}

static void put_layout(FILE *out, const Related *r, const Mesh *m) {
  const Layout *l = &r->layout;
  for (uint32_t d = 0; d < l->rank; d++) {
    if (!l->dims[d].n) continue;
    fprintf(out, " shard(%" PRIu32, d);
    for (uint32_t k = 0; k < l->dims[d].n; k++) {
      fputs(", ", out);
      put_axis(out, m, l->dims[d].axes[k]);
    }
    fputc(')', out);
  }
  if (l->n_partial) fputs(" partial(", out);
  for (uint32_t k = 0; k < l->n_partial; k++) {
    if (k) fputs(", ", out);
    put_axis(out, m, l->partial[k]);
  }
  if (l->n_partial) fputc(')', out);
}

static void put_related(FILE *out, const char *what, const Related *r, Sym seq, Sym dist, const Mesh *m) {
  fprintf(out, "%s dist.", what);
  put_name(out, dist);
  fputs(" ~ seq.", out);
  put_name(out, seq);
  put_layout(out, r, m);
  fputc('\n', out);
}

void written_relation(FILE *out, const Relation *r, const Graph *seq, const Graph *dist) {
  for (uint32_t i = 0; i < r->n_inputs; i++) {
    const Related *x = &r->inputs[i];
    Sym name = seq->nodes.at[seq->params.at[x->seq]].name;
    put_related(out, "given", x, name, dist->nodes.at[dist->params.at[x->dist]].name, &r->mesh);
    Hull h = related_hull(x); /* values beside a range cannot be said */
    if (!h.has_lo && !h.has_hi) continue;
    fputs("assume seq.", out);
    put_name(out, name);
    fputs(" in ", out);
    if (h.has_lo) put_bound(out, h.lo);
    else fputs("-inf", out);
    fputs(" .. ", out);
    if (h.has_hi) put_bound(out, h.hi);
    else fputs("inf", out);
    fputc('\n', out);
  }
  for (uint32_t i = 0; i < r->n_outputs; i++) {
    const Related *x = &r->outputs[i];
    Sym name = seq->nodes.at[seq->outputs.at[x->seq].node].name;
    put_related(out, "expect", x, name, dist->nodes.at[dist->outputs.at[x->dist].node].name, &r->mesh);
  }
}
