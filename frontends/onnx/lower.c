/* Binding attributes and operands, functions, and the order of lowering. */
#include "frontends/onnx/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontends/onnx/folded.h"

typedef struct Row {
  const char *domain, *op, *attrs;
  uint32_t least, most;
  OnnxHandler *handler;
  const char *text;
} Row;
static const Row rows[] = {
#define ONNX(domain, op, attrs, least, most, handler, text) {domain, op, attrs, least, most, handler, text},
#include "frontends/onnx/onnx.def"
#undef ONNX
};

bool onnx_lower_error(OnnxLower *l, DiagCode code, const char *fmt, ...) {
  char what[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  return onnx_error(l->m, l->node ? l->node->line : 0, code, "%s%s%s", l->node ? sym_text(l->node->op) : "",
                    l->node ? ": " : "", what);
}

/* ---- attributes */
static const OnnxAttr *find_attr(const OnnxAttr *at, uint32_t n, Sym name) {
  for (uint32_t k = 0; k < n; k++)
    if (at[k].name == name) return &at[k];
  return NULL;
}

const OnnxAttr *onnx_resolve(const OnnxScope *s, const OnnxAttr *a) {
  while (a && a->ref && s && s->function) {
    const OnnxAttr *given = find_attr(s->call->attrs, s->call->n_attrs, a->ref);
    if (!given) return find_attr(s->function->defaults, s->function->n_defaults, a->ref);
    a = given;
    s = s->caller;
  }
  return a && !a->ref ? a : NULL;
}

/* false: an attribute that the row does not know. */
static bool bind(OnnxLower *l, const Row *row) {
  uint32_t n = 0, used = 0, given = 0;
  for (uint32_t k = 0; k < l->node->n_attrs; k++) given += onnx_resolve(l->scope, &l->node->attrs[k]) != NULL;
  memset(l->attr, 0, sizeof l->attr);
  for (const char *p = row->attrs; *p && n < ONNX_MAX_ATTRS; n++) {
    size_t len = strcspn(p, " ");
    const OnnxAttr *a = find_attr(l->node->attrs, l->node->n_attrs, sym_n(p, len));
    if ((a = onnx_resolve(l->scope, a))) l->attr[n] = *a, used++;
    p += len + (p[len] == ' ');
  }
  l->text = row->text;
  return used == given;
}

bool onnx_attr_int(const OnnxLower *l, uint32_t k, int64_t otherwise, int64_t *out) {
  *out = onnx_has(l, k) ? l->attr[k].i : otherwise;
  return !onnx_has(l, k) || l->attr[k].kind == ONNX_INT;
}

bool onnx_attr_ints(const OnnxLower *l, uint32_t k, int64_t *out, uint32_t most, uint32_t *n) {
  *n = 0;
  if (l->attr[k].kind != ONNX_INTS || l->attr[k].n > most) return false;
  *n = l->attr[k].n;
  if (*n) memcpy(out, l->attr[k].ints, *n * sizeof *out);
  return true;
}

bool onnx_attr_word(const OnnxLower *l, uint32_t k, const char *otherwise, const char **out) {
  *out = onnx_has(l, k) ? sym_text(l->attr[k].s) : otherwise;
  return !onnx_has(l, k) || l->attr[k].kind == ONNX_STRING;
}

NodeId onnx_attr_scalar(OnnxLower *l, uint32_t k, double otherwise) {
  if (onnx_has(l, k) && l->attr[k].kind != ONNX_FLOAT) return NO_NODE;
  return onnx_scalar(l, onnx_has(l, k) ? l->attr[k].f : otherwise);
}

bool onnx_dim(int64_t d, uint32_t rank, uint32_t *out) {
  if (d < -(int64_t)rank || d >= (int64_t)rank) return false;
  *out = (uint32_t)(d < 0 ? d + rank : d);
  return true;
}

bool onnx_attr_dim(const OnnxLower *l, uint32_t k, int64_t otherwise, uint32_t rank, uint32_t *out) {
  int64_t d;
  return onnx_attr_int(l, k, otherwise, &d) && onnx_dim(d, rank, out);
}

/* ---- what nodes are stamped with */
static uint32_t frames_of(OnnxLower *l, Sym at) {
  if (!at) return 0;
  while (l->frame_of.len <= at) vec_push(&l->frame_of, 0);
  if (!l->frame_of.at[at]) {
    uint32_t n = 1, k = 0;
    for (const char *c = sym_text(at); *c; c++) n += *c == '\n';
    Sym *list = ARENA_ARRAY(&l->g->arena, Sym, n);
    for (const char *from = sym_text(at); k < n; k++) {
      size_t len = strcspn(from, "\n");
      list[k] = sym_n(from, len);
      from += len + (from[len] == '\n');
    }
    vec_push(&l->g->frames, (Frames){n, list});
    l->frame_of.at[at] = (uint32_t)l->g->frames.len - 1;
  }
  return l->frame_of.at[at];
}

static void stamp(OnnxLower *l, const OnnxNode *n) {
  Sym first = n->n_out && n->out[0] != ONNX_NONE ? l->scope->body->names[n->out[0]] : 0;
  l->c.stamp = (Node){.name = first ? first : n->name, .label = n->name, .line = n->line, .frames = frames_of(l, n->at)};
}

/* ---- operators */
/* The file may say which shapes results have; what was made must agree. */
static bool check_results(OnnxLower *l) {
  for (uint32_t k = 0; k < l->n_out; k++) {
    if (l->node->out[k] == ONNX_NONE || !l->scope->body->names[l->node->out[k]]) continue;
    const OnnxType *t = &l->scope->body->types[l->node->out[k]];
    if (l->out[k] == NO_NODE) return onnx_lower_error(l, E_SHAPE, "there is no result %u", k);
    if (onnx_is_list(l->out[k])) continue;
    const Node *n = onnx_node(l, l->out[k]);
    bool same = !t->known || n->rank == t->rank;
    for (uint32_t d = 0; t->known && same && d < t->rank; d++) same = t->dims[d] < 0 || t->dims[d] == n->dims[d];
    if (!same) return onnx_lower_error(l, E_SHAPE, "the file gives result %u another shape than its operands do", k);
  }
  return true;
}

/* The body of a function in the place of a call. */
static bool call(OnnxLower *l, const OnnxFunction *f) {
  const OnnxBody *b = &f->body;
  const OnnxNode *node = l->node;
  NodeId *out = l->out;
  OnnxScope s = {.body = b, .caller = l->scope, .function = f, .call = node, .depth = l->scope->depth + 1};
  if (s.depth > ONNX_MAX_CALLS) return onnx_lower_error(l, E_LIMIT, "functions are nested deeper than %d", ONNX_MAX_CALLS);
  if (l->n_in > b->n_inputs || l->n_out > b->n_outputs)
    return onnx_lower_error(l, E_GRAPH_SYNTAX, "the function has %u inputs and %u results", b->n_inputs, b->n_outputs);
  s.node = ARENA_ARRAY(&l->arena, NodeId, b->n_values);
  for (uint32_t k = 0; k < b->n_values; k++) s.node[k] = NO_NODE;
  for (uint32_t k = 0; k < l->n_in; k++) s.node[b->inputs[k]] = l->in[k];
  const OnnxScope *caller = l->scope;
  uint32_t n_out = l->n_out;
  bool ok = onnx_lower_body(l, &s);
  l->scope = caller;
  l->node = node;
  l->out = out;
  l->n_out = n_out;
  for (uint32_t k = 0; ok && k < n_out; k++) out[k] = b->outputs[k] == ONNX_NONE ? NO_NODE : s.node[b->outputs[k]];
  return ok;
}

static const OnnxFunction *find_function(const OnnxLower *l, const OnnxNode *n) {
  for (uint32_t k = 0; k < l->m->n_functions; k++) {
    const OnnxFunction *f = &l->m->functions[k];
    if (f->name == n->op && f->domain == n->domain && f->overload == n->overload) return f;
  }
  return NULL;
}

static const Row *find_row(const OnnxNode *n) {
  const char *op = sym_text(n->op), *domain = sym_text(n->domain);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (!strcmp(rows[k].op, op) && !strcmp(rows[k].domain, domain)) return &rows[k];
  return NULL;
}

/* Sequences are only taken apart. */
static bool check_lists(OnnxLower *l) {
  for (uint32_t k = 0; k < l->n_in; k++)
    if (l->in[k] != NO_NODE && onnx_is_list(l->in[k]) && l->node->op != sym("SequenceAt"))
      return onnx_lower_error(l, E_UNSUPPORTED, "sequences are only split and indexed");
  return true;
}

/* Every operand that is not left out has a value, and the row takes so many. */
static bool fits(const OnnxLower *l, const Row *row) {
  if (l->n_in > row->most) return false;
  for (uint32_t k = 0; k < row->least; k++)
    if (onnx_in(l, k) == NO_NODE) return false;
  return true;
}

static bool lower_operator(OnnxLower *l) {
  const Row *row = find_row(l->node);
  if (!check_lists(l)) return false;
  NodeId first = (NodeId)l->g->nodes.len;
  OnnxResult r = row && fits(l, row) && bind(l, row) ? row->handler(l) : ONNX_OPAQUE;
  if (r == ONNX_OPAQUE) {
    for (uint32_t k = 0; k < l->n_out; k++) l->out[k] = NO_NODE;
    r = onnx_opaque(l, false);
  }
  if (r == ONNX_DONE) onnx_fold(l, first);
  for (uint32_t k = 1; r == ONNX_DONE && k < l->n_out; k++) /* a name of its own */
    if (l->out[k] != NO_NODE && !onnx_is_list(l->out[k]) && l->out[k] >= first && l->node->out[k] != ONNX_NONE &&
        l->scope->body->names[l->node->out[k]])
      l->g->nodes.at[l->out[k]].name = l->scope->body->names[l->node->out[k]];
  return r == ONNX_DONE;
}

static int64_t opset_of(const OnnxLower *l, Sym domain) {
  const OnnxFunction *f = l->scope->function;
  int64_t v = f ? onnx_opset(f->opsets, f->n_opsets, domain) : 0;
  return v ? v : onnx_opset(l->m->opsets, l->m->n_opsets, domain);
}

static bool lower_node(OnnxLower *l, const OnnxScope *s, const OnnxNode *n) {
  l->scope = s;
  l->node = n;
  l->n_in = n->n_in;
  l->n_out = n->n_out;
  if (++l->n_lowered > l->m->options->max_nodes)
    return onnx_lower_error(l, E_LIMIT, "more than %lld operators (--max-nodes)", (long long)l->m->options->max_nodes);
  if (n->n_out > ONNX_MAX_OUTPUTS) return onnx_lower_error(l, E_LIMIT, "more than %d results", ONNX_MAX_OUTPUTS);
  l->in = ARENA_ARRAY(&l->arena, NodeId, n->n_in + 1);
  l->out = ARENA_ARRAY(&l->arena, NodeId, n->n_out + 1);
  for (uint32_t k = 0; k < n->n_in; k++) l->in[k] = n->in[k] == ONNX_NONE ? NO_NODE : s->node[n->in[k]];
  for (uint32_t k = 0; k <= n->n_out; k++) l->out[k] = NO_NODE;
  while (l->n_in && l->in[l->n_in - 1] == NO_NODE) l->n_in--; /* left out at the end */
  l->opset = opset_of(l, n->domain);
  stamp(l, n);
  const OnnxFunction *f = find_function(l, n);
  if (!(f ? call(l, f) : lower_operator(l)) || !check_results(l)) return false;
  for (uint32_t k = 0; k < n->n_out; k++)
    if (n->out[k] != ONNX_NONE) s->node[n->out[k]] = l->out[k];
  return true;
}

bool onnx_lower_body(OnnxLower *l, const OnnxScope *s) {
  for (uint32_t k = 0; k < s->body->n_nodes; k++)
    if (!lower_node(l, s, &s->body->nodes[k])) return false;
  return true;
}

static bool lower_model(OnnxLower *l) {
  const OnnxBody *b = &l->m->main;
  OnnxScope s = {.body = b, .node = ARENA_ARRAY(&l->arena, NodeId, b->n_values)};
  for (uint32_t k = 0; k < b->n_values; k++) s.node[k] = NO_NODE;
  l->scope = &s;
  if (!onnx_inputs(l, &s) || !onnx_lower_body(l, &s)) return false;
  l->node = NULL;
  for (uint32_t k = 0; k < b->n_outputs; k++) {
    if (s.node[b->outputs[k]] == NO_NODE || onnx_is_list(s.node[b->outputs[k]]))
      return onnx_lower_error(l, E_UNSUPPORTED, "output '%s' is not one tensor", sym_text(b->names[b->outputs[k]]));
    vec_push(&l->g->outputs, (GraphOutput){s.node[b->outputs[k]], b->names[b->outputs[k]]});
  }
  bool *keep = xcalloc(l->g->nodes.len + 1, sizeof *keep);
  graph_drop_unused(l->g, keep);
  free(keep);
  return true;
}

bool onnx_is(const Source *source) {
  size_t n = strlen(source->path);
  bool named = n > 5 && !strcmp(source->path + n - 5, ".onnx");
  return named || (source->len > 2 && source->text[0] == 0x08 && (source->text[2] == 0x12 || source->text[2] == 0x42));
}

Graph *onnx_read(Diags *diags, uint32_t source, const OnnxOptions *options) {
  OnnxModel m;
  Graph *g = NULL;
  if (onnx_model_read(&m, diags, source, options)) {
    g = graph_new();
    OnnxLower l = {.m = &m, .g = g, .c = {.g = g}};
    g->path = sym(sources_get(diags_sources(diags), source)->path);
    g->source = m.listing;
    g->n_devices = 1;
    bool ok = lower_model(&l);
    g->n_read = (uint64_t)l.n_lowered;
    g->param_values = arena_copy(&g->arena, l.weights.at, l.weights.len * sizeof *l.weights.at);
    vec_free(&l.weights);
    vec_free(&l.lists);
    vec_free(&l.frame_of);
    folded_free(l.folded);
    arena_free(&l.arena);
    if (!ok) {
      graph_free(g);
      g = NULL;
    }
  }
  onnx_model_free(&m);
  return g;
}
