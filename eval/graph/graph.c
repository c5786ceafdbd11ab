#include "eval/graph/graph.h"

#include <string.h>

static const struct {
  const char *text;
  DKind kind;
  int bits;
} dtypes[] = {
#define DTYPE(id, text, kind, bits) {text, kind, bits},
#include "eval/graph/dtype.def"
#undef DTYPE
};

DKind dtype_kind(DType t) { return dtypes[t].kind; }
const char *dtype_text(DType t) { return dtypes[t].text; }
int dtype_bits(DType t) { return dtypes[t].bits; }

bool dtype_holds(DType t, Rat v) {
  DKind kind = dtype_kind(t);
  if (kind != DK_INT && kind != DK_UINT && kind != DK_BOOL) return true;
  if (!rat_is_finite(v) || !rat_is_int(v)) return false;
  Rat end = rat_pow(RAT_INT(2), dtype_bits(t) - (kind == DK_INT));
  return rat_cmp(v, kind == DK_INT ? rat_neg(end) : RAT_0) >= 0 && rat_cmp(v, end) < 0;
}

bool dtype_parse(const char *s, size_t len, DType *out) {
  for (int i = 0; i < DT_COUNT; i++)
    if (strlen(dtypes[i].text) == len && !memcmp(dtypes[i].text, s, len)) return *out = (DType)i, true;
  return false;
}

Graph *graph_new(void) {
  Graph *g = xcalloc(1, sizeof *g);
  vec_push(&g->frames, (Frames){0});
  return g;
}

void graph_free(Graph *g) {
  if (!g) return;
  vec_free(&g->nodes);
  vec_free(&g->params);
  vec_free(&g->outputs);
  vec_free(&g->frames);
  vec_free(&g->loops);
  vec_free(&g->passages);
  vec_free(&g->oddities);
  vec_free(&g->readings);
  arena_free(&g->arena);
  free(g);
}

size_t graph_n_results(const Graph *g) {
  size_t n = g->outputs.len;
  for (size_t i = 0; i < g->loops.len; i++) n -= 2 * g->loops.at[i].n;
  return n;
}

NodeId graph_add(Graph *g, const Node *n) {
  Node c = *n;
  c.dims = arena_copy(&g->arena, n->dims, n->rank * sizeof *n->dims);
  c.args = arena_copy(&g->arena, n->args, n->n_args * sizeof *n->args);
  Attr *attrs = arena_copy(&g->arena, n->attrs, n->n_attrs * sizeof *n->attrs);
  for (uint32_t i = 0; i < n->n_attrs; i++)
    attrs[i].ints = arena_copy(&g->arena, attrs[i].ints, attrs[i].n * sizeof *attrs[i].ints);
  c.attrs = attrs;
  if (n->literal) {
    Literal *l = arena_copy(&g->arena, n->literal, sizeof *l);
    l->values = arena_copy(&g->arena, l->values, (l->kind == LIT_SPLAT ? 1 : l->n) * sizeof *l->values);
    c.literal = l;
  }
  vec_push(&g->nodes, c);
  return (NodeId)g->nodes.len - 1;
}

void graph_drop_unused(Graph *g, const bool *keep) {
  size_t n = g->nodes.len, kept = 0;
  bool *needed = xcalloc(n + 1, sizeof *needed);
  if (n) memcpy(needed, keep, n * sizeof *needed);
  NodeId *moved = xcalloc(n + 1, sizeof *moved);
  for (size_t k = 0; k < g->outputs.len; k++) needed[g->outputs.at[k].node] = true;
  for (size_t k = 0; k < g->params.len; k++)
    if (g->params.at[k] != NO_NODE) needed[g->params.at[k]] = true;
  for (size_t k = n; k-- > 0;)
    for (uint32_t i = 0; needed[k] && i < g->nodes.at[k].n_args; i++) needed[g->nodes.at[k].args[i]] = true;
  for (size_t k = 0; k < n; k++) {
    if (!needed[k]) continue;
    Node x = g->nodes.at[k];
    NodeId *args = ARENA_ARRAY(&g->arena, NodeId, x.n_args);
    for (uint32_t i = 0; i < x.n_args; i++) args[i] = moved[x.args[i]];
    x.args = args;
    moved[k] = (NodeId)kept;
    g->nodes.at[kept++] = x;
  }
  g->nodes.len = kept;
  for (size_t k = 0; k < g->outputs.len; k++) g->outputs.at[k].node = moved[g->outputs.at[k].node];
  for (size_t k = 0; k < g->params.len; k++)
    if (g->params.at[k] != NO_NODE) g->params.at[k] = moved[g->params.at[k]];
  kept = 0;
  for (size_t k = 0; k < g->passages.len; k++) {
    Passage x = g->passages.at[k];
    if (!needed[x.node]) continue;
    x.node = moved[x.node];
    g->passages.at[kept++] = x;
  }
  g->passages.len = kept;
  kept = 0;
  for (size_t k = 0; k < g->oddities.len; k++) {
    Oddity x = g->oddities.at[k];
    if (needed[x.node]) g->oddities.at[kept++] = (Oddity){moved[x.node], x.why};
  }
  g->oddities.len = kept;
  free(needed);
  free(moved);
}

const Attr *node_attr(const Node *n, Sym name) {
  for (uint32_t i = 0; i < n->n_attrs; i++)
    if (n->attrs[i].name == name) return &n->attrs[i];
  return NULL;
}

int64_t node_attr_int(const Node *n, Sym name, int64_t otherwise) {
  const Attr *a = node_attr(n, name);
  return a && a->kind == ATTR_INT ? a->i : otherwise;
}

Sym node_attr_sym(const Node *n, Sym name, Sym otherwise) {
  const Attr *a = node_attr(n, name);
  return a && a->kind == ATTR_SYM ? a->s : otherwise;
}

int64_t node_elements(const Node *n) {
  int64_t e = 1;
  for (int i = 0; i < n->rank; i++) e *= n->dims[i];
  return e;
}

Sym node_at(const Graph *g, NodeId id) {
  const Frames *f = &g->frames.at[g->nodes.at[id].frames];
  return f->n ? f->at[0] : 0;
}

Span node_span(const Graph *g, const Sources *sources, NodeId id) {
  const Source *s = sources_get(sources, g->source);
  uint32_t line = g->nodes.at[id].line;
  if (!s || !line) return (Span){0};
  const char *p = s->text, *end = s->text + s->len;
  for (uint32_t n = 1; n < line && p < end; n++) {
    const char *q = memchr(p, '\n', (size_t)(end - p));
    p = q ? q + 1 : end;
  }
  const char *q = memchr(p, '\n', (size_t)(end - p));
  while (p < end && *p == ' ') p++;
  return (Span){g->source, (uint32_t)(p - s->text), (uint32_t)((q ? q : end) - s->text)};
}
