/* The listing: every operator as a line of text, so that diagnostics and reports have lines to show.
 *
 *     x: f32[batch,8]
 *     w: f32[8,4] = 32 values
 *     h = MatMul(x, w)  # /layer/MatMul
 *     y = Softmax(h) {axis = -1} */
#include <stdarg.h>
#include <stdio.h>

#include "frontends/onnx/model.h"

typedef struct Listing {
  OnnxModel *m;
  Vec(char) text;
  uint32_t lines;
} Listing;

static void put_text(Listing *l, Sym text) {
  for (const char *c = sym_text(text); *c; c++) vec_push(&l->text, *c);
}

/* Short texts: numbers, signs. */
__attribute__((format(printf, 2, 3))) static void put(Listing *l, const char *fmt, ...) {
  char buf[64];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  for (int k = 0; k < n && k < (int)sizeof buf - 1; k++) vec_push(&l->text, buf[k]);
}

static void end_line(Listing *l) {
  vec_push(&l->text, '\n');
  l->lines++;
}

static void put_attr(Listing *l, const OnnxAttr *a) {
  put_text(l, a->name);
  put(l, a->ref ? " = @" : " = ");
  if (a->ref) put_text(l, a->ref);
  else if (a->kind == ONNX_INT) put(l, "%lld", (long long)a->i);
  else if (a->kind == ONNX_FLOAT) put(l, "%.9g", a->f);
  else if (a->kind == ONNX_STRING && a->s) put_text(l, a->s);
  else if (a->kind == ONNX_TENSOR && a->t) put(l, "%lld values", (long long)a->t->n);
  else if (a->kind == ONNX_INTS) {
    put(l, "[");
    for (uint32_t k = 0; k < a->n && k < 8; k++) put(l, "%s%lld", k ? ", " : "", (long long)a->ints[k]);
    put(l, a->n > 8 ? ", ..]" : "]");
  } else put(l, "..");
}

static void put_values(Listing *l, const OnnxBody *b, const uint32_t *v, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    bool none = v[k] == ONNX_NONE || !b->names[v[k]];
    put(l, "%s%s", k ? ", " : "", none ? "-" : "");
    if (!none) put_text(l, b->names[v[k]]);
  }
}

static void put_op(Listing *l, Sym domain, Sym op) {
  put_text(l, domain);
  put(l, domain ? "." : "");
  put_text(l, op);
}

static void put_nodes(Listing *l, OnnxBody *b);

/* The operators of a graph inside, behind a line that says where. */
static void put_graph(Listing *l, const OnnxBody *around, const OnnxNode *n, const OnnxAttr *a) {
  put_text(l, a->name);
  put(l, " of ");
  put_values(l, around, n->out, n->n_out);
  put(l, " (");
  put_values(l, a->g, a->g->inputs, a->g->n_inputs);
  put(l, ") -> (");
  put_values(l, a->g, a->g->outputs, a->g->n_outputs);
  put(l, ")");
  end_line(l);
  put_nodes(l, a->g);
}

static void put_nodes(Listing *l, OnnxBody *b) {
  for (uint32_t i = 0; i < b->n_nodes; i++) {
    OnnxNode *n = &b->nodes[i];
    put_values(l, b, n->out, n->n_out);
    put(l, " = ");
    put_op(l, n->domain, n->op);
    put(l, "(");
    put_values(l, b, n->in, n->n_in);
    put(l, ")");
    for (uint32_t k = 0; k < n->n_attrs; k++) {
      put(l, k ? ", " : " {");
      put_attr(l, &n->attrs[k]);
    }
    if (n->n_attrs) put(l, "}");
    if (n->name) put(l, "  # ");
    put_text(l, n->name);
    end_line(l);
    n->line = l->lines;
    for (uint32_t k = 0; k < n->n_attrs; k++)
      if (n->attrs[k].g) put_graph(l, b, n, &n->attrs[k]);
  }
}

static void put_type(Listing *l, const OnnxBody *b, uint32_t v) {
  const OnnxType *t = &b->types[v];
  const OnnxTensor *w = b->initial[v];
  put_text(l, b->names[v]);
  put(l, ": %s[", dtype_text((DType)(w ? w->dtype : t->dtype)));
  for (uint32_t d = 0; d < (w ? w->rank : t->rank); d++) {
    put(l, d ? "," : "");
    if (w || t->dims[d] >= 0) put(l, "%lld", (long long)(w ? w->dims[d] : t->dims[d]));
    else if (t->names[d]) put_text(l, t->names[d]);
    else put(l, "?");
  }
  put(l, "]");
  if (w) put(l, " = %lld values", (long long)w->n);
  end_line(l);
  b->lines[v] = l->lines;
}

void onnx_list(OnnxModel *m) {
  Listing l = {.m = m};
  for (uint32_t k = 0; k < m->n_functions; k++) {
    OnnxFunction *f = &m->functions[k];
    put(&l, "function ");
    put_op(&l, f->domain, f->name);
    put(&l, "(");
    put_values(&l, &f->body, f->body.inputs, f->body.n_inputs);
    put(&l, ") -> (");
    put_values(&l, &f->body, f->body.outputs, f->body.n_outputs);
    put(&l, ")");
    end_line(&l);
    put_nodes(&l, &f->body);
  }
  for (uint32_t v = 0; v < m->main.n_values; v++) /* inputs come first, then the other initialisers */
    if (v < m->main.n_inputs || m->main.initial[v]) put_type(&l, &m->main, v);
  put_nodes(&l, &m->main);
  Sources *sources = diags_sources(m->diags);
  m->listing = sources_add(sources, sources_get(sources, m->source)->path, l.text.at, l.text.len);
  vec_free(&l.text);
}
