#include "eval/verdict/explain.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "eval/blame/blame_words.h"
#include "eval/blame/counterpart.h"
#include "lang/nearest.h"

enum { DEPTH = 8 };

static const char *const graph_text[SIDE_COUNT] = {"seq", "dist"};

static NodeId find_in(const Graph *g, const char *name) {
  if (*name == '#') {
    char *end;
    unsigned long long n = strtoull(name + 1, &end, 10);
    return end != name + 1 && !*end && n < g->nodes.len ? (NodeId)n : NO_NODE;
  }
  for (size_t i = 0; i < g->nodes.len; i++)
    if (!strcmp(sym_text(g->nodes.at[i].name), name)) return (NodeId)i;
  return NO_NODE;
}

/* What the relation calls so: inputs first. */
static NodeId find_related(const Problem *p, Side side, const char *name) {
  const Relation *r = p->relation;
  const Graph *g = p->graph[side];
  for (uint32_t k = 0; k < r->n_inputs + r->n_outputs; k++) {
    bool input = k < r->n_inputs;
    const Related *x = input ? &r->inputs[k] : &r->outputs[k - r->n_inputs];
    int64_t at = side == SIDE_SEQ ? x->seq : x->dist;
    if (!x->name || strcmp(sym_text(x->name), name) || at < 0) continue;
    if (input && (size_t)at < g->params.len && g->params.at[at] != NO_NODE) return g->params.at[at];
    if (!input && (size_t)at < g->outputs.len) return g->outputs.at[at].node;
  }
  return NO_NODE;
}

static void suggest(const Problem *p, const char *word, Diags *diags) {
  Nearest near = {.word = word, .len = strlen(word)};
  const Relation *r = p->relation;
  for (int side = 0; side < SIDE_COUNT; side++)
    for (size_t i = 0; i < p->graph[side]->nodes.len && i < 10000; i++)
      nearest_try(&near, sym_text(p->graph[side]->nodes.at[i].name));
  for (uint32_t k = 0; k < r->n_inputs + r->n_outputs; k++) {
    Sym name = k < r->n_inputs ? r->inputs[k].name : r->outputs[k - r->n_inputs].name;
    if (name) nearest_try(&near, sym_text(name));
  }
  if (near.best) diag_hint(diags, "did you mean `%s`?", near.best);
  else diag_hint(diags, "tvr show prints the values of a graph");
}

bool explain_find(const Problem *p, const char *text, ExplainAt *out, Diags *diags) {
  const char *word = text;
  for (int related = 0; related < 2; related++) {
    uint32_t found = 0;
    for (int side = 0; side < SIDE_COUNT; side++) {
      size_t n = strlen(graph_text[side]);
      bool prefixed = !strncmp(text, graph_text[side], n) && text[n] == '.';
      const char *name = prefixed ? text + n + 1 : text;
      if (prefixed) word = name;
      NodeId id = related ? find_related(p, (Side)side, name) : find_in(p->graph[side], name);
      if (id == NO_NODE) continue;
      *out = (ExplainAt){(Side)side, id};
      if (prefixed) return true;
      found++;
    }
    if (found == 1) return true;
    if (!found) continue;
    diag_error(diags, (Span){0}, E_KIND, "both graphs have a value `%s`", text);
    diag_hint(diags, "write dist.%s or seq.%s", text, text);
    return false;
  }
  diag_error(diags, (Span){0}, E_UNBOUND, "no graph has a value `%s`", text);
  suggest(p, word, diags);
  return false;
}

static void print_one(Proof *p, ExplainAt x, Arena *a, FILE *out) {
  const Graph *g = p->problem.graph[x.side];
  const Node *n = &g->nodes.at[x.node];
  const Frames *f = &g->frames.at[n->frames];
  fprintf(out, "%s.%s: %s %s[", graph_text[x.side], sym_text(n->name), sym_text(n->op), dtype_text((DType)n->dtype));
  for (uint32_t d = 0; d < n->rank; d++) fprintf(out, "%s%" PRId64, d ? ", " : "", n->dims[d]);
  fprintf(out, "]\n");
  for (uint32_t i = 0; i < f->n; i++) fprintf(out, "  %s %s\n", i ? "called from" : "at", sym_text(f->at[i]));
  if (p->build.why_opaque[x.side][x.node])
    fprintf(out, "  an unknown function of its operands: %s\n", p->build.why_opaque[x.side][x.node]);
  fprintf(out, "  = %s\n", blame_term(p, p->build.value[x.side][x.node], DEPTH, a));
  Counterpart c = counterpart_find(p, x.side, x.node, a);
  if (c.node == NO_NODE) fprintf(out, "  nothing in the other graph equals it\n");
  else fprintf(out, "  %s\n", c.equation);
}

/* What two values are to each other; the first lines of *first and *second differ, if these are set. */
static const char *compared(Proof *p, ExplainAt x, ExplainAt y, Arena *a, const char **first, const char **second) {
  Value v = p->build.value[x.side][x.node], w = p->build.value[y.side][y.node];
  if (value_same(v, w)) return "they are equal: both have this normal form";
  if (!value_is_num(v) && !value_is_num(w) && v.k == w.k && value_class(p->calc, v) == value_class(p->calc, w))
    return "they are equal up to the order of their indices: both are the same field";
  Diff d;
  calculus_scope(p->calc);
  calc_diff(p->calc, w, v, a, &d);
  const char *what = blame_difference(p, &d, a);
  if (d.n_path > 1) *first = blame_term(p, d.have, DEPTH, a), *second = blame_term(p, d.want, DEPTH, a);
  return arena_printf(a, "they differ: %s", what ? what : "in form");
}

static json_t *json_one(Proof *p, ExplainAt x, Arena *a) {
  const Graph *g = p->problem.graph[x.side];
  const Node *n = &g->nodes.at[x.node];
  const Frames *f = &g->frames.at[n->frames];
  json_t *shape = json_array(), *at = json_array();
  for (uint32_t d = 0; d < n->rank; d++) json_array_append_new(shape, json_integer(n->dims[d]));
  for (uint32_t i = 0; i < f->n; i++) json_array_append_new(at, json_string_nocheck(sym_text(f->at[i])));
  const char *opaque = p->build.why_opaque[x.side][x.node];
  Counterpart c = counterpart_find(p, x.side, x.node, a);
  const char *name = arena_printf(a, "%s.%s", graph_text[x.side], sym_text(n->name));
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s?, s:s, s:s?}", "name", name, "operator", sym_text(n->op), "dtype",
                   dtype_text((DType)n->dtype), "shape", shape, "at", at, "unknown", opaque, "term",
                   blame_term(p, p->build.value[x.side][x.node], DEPTH, a), "equals",
                   c.node == NO_NODE ? NULL : c.equation);
}

void explain_values_json(Proof *p, const ExplainAt *at, uint32_t n, FILE *out) {
  Arena a = {0};
  json_t *values = json_array(), *o = json_pack("{s:b, s:o}", "limited", p->limited, "values", values);
  for (uint32_t i = 0; i < n; i++) json_array_append_new(values, json_one(p, at[i], &a));
  const char *first = NULL, *second = NULL, *pair = n == 2 ? compared(p, at[0], at[1], &a, &first, &second) : NULL;
  if (pair) json_object_set_new(o, "pair", json_pack("{s:s, s:s?, s:s?}", "says", pair, "first", first, "second", second));
  json_dumpf(o, out, JSON_INDENT(1) | JSON_ENSURE_ASCII);
  fputc('\n', out);
  json_decref(o);
  arena_free(&a);
}

static void print_two(Proof *p, ExplainAt x, ExplainAt y, Arena *a, FILE *out) {
  const char *first = NULL, *second = NULL;
  fprintf(out, "%s\n", compared(p, x, y, a, &first, &second));
  if (first) fprintf(out, "  first   %s\n  second  %s\n", first, second);
}

void explain_print(Proof *p, const ExplainAt *at, uint32_t n, FILE *out) {
  Arena a = {0};
  if (p->limited) fprintf(out, "a limit was reached: values may be missing\n");
  for (uint32_t i = 0; i < n; i++) print_one(p, at[i], &a, out);
  if (n == 2) print_two(p, at[0], at[1], &a, out);
  arena_free(&a);
}
