/*
 * What a graph reader's test says: a text reads as these nodes, or is refused with this error on this line.
 * The test defines READ, ReaderOptions and READER_DEFAULTS before it includes this.
 */
#ifndef TVR_TESTS_UNIT_READER_H
#define TVR_TESTS_UNIT_READER_H

#include <stdarg.h>
#include <stdio.h>

#include "eval/graph/graph.h"

static int failures;

typedef struct Out {
  char *at;
  size_t len, cap;
} Out;

__attribute__((format(printf, 2, 3))) static void put(Out *o, const char *fmt, ...) {
  va_list ap;
  vec_reserve(o, o->len + 4096);
  va_start(ap, fmt);
  o->len += (size_t)vsnprintf(o->at + o->len, 4096, fmt, ap);
  va_end(ap);
}

static void put_attr(Out *o, const Attr *a) {
  char buf[64];
  put(o, " %s=", sym_text(a->name));
  if (a->kind == ATTR_SYM) put(o, "%s", sym_text(a->s));
  if (a->kind == ATTR_INT) put(o, "%lld", (long long)a->i);
  if (a->kind == ATTR_RAT) put(o, "%s", rat_print(a->r, buf, sizeof buf));
  if (a->kind == ATTR_GROUPS) put(o, "%lld:", (long long)a->i);
  for (uint32_t k = 0; k < a->n; k++) put(o, "%s%lld", k ? "," : "", (long long)a->ints[k]);
}

static void put_literal(Out *o, const Literal *l) {
  char buf[64];
  put(o, l->kind == LIT_SPLAT ? " all" : " :");
  for (uint64_t k = 0; k < (l->kind == LIT_SPLAT ? 1 : l->n); k++) {
    Rat r = l->values[k];
    put(o, " %s", r == RAT_POS_INF ? "inf" : r == RAT_NEG_INF ? "-inf" : r == RAT_NAN ? "nan" : rat_print(r, buf,
        sizeof buf));
  }
}

/* One node a line: number, result if not 0, type, operator, operands, attributes. */
static char *dump(const Graph *g) {
  Out o = {0};
  for (size_t i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    put(&o, "%zu", i);
    if (n->result) put(&o, "#%d", n->result);
    put(&o, " %s[", dtype_text(n->dtype));
    for (int d = 0; d < n->rank; d++) put(&o, "%s%lld", d ? "," : "", (long long)n->dims[d]);
    put(&o, "] %s(", sym_text(n->op));
    for (uint32_t k = 0; k < n->n_args; k++) put(&o, "%s%u", k ? "," : "", n->args[k]);
    put(&o, ")");
    for (uint32_t k = 0; k < n->n_attrs; k++) put_attr(&o, &n->attrs[k]);
    if (n->literal) put_literal(&o, n->literal);
    put(&o, "\n");
  }
  put(&o, "out");
  for (size_t k = 0; k < g->outputs.len; k++) put(&o, " %u", g->outputs.at[k].node);
  put(&o, "\n");
  return o.at;
}

static void reads_as(int line, const char *text, const char *want) {
  Sources *s = sources_new();
  Diags *d = diags_new(s);
  Graph *g = READ(d, sources_add(s, "test", text, strlen(text)), &READER_DEFAULTS);
  char *got = g ? dump(g) : NULL;
  if (!got || strcmp(got, want)) {
    failures++;
    fprintf(stderr, "line %d: read\n%sinstead of\n%s", line, got ? got : "nothing\n", want);
    diags_print(d, stderr, false);
  }
  free(got);
  graph_free(g);
  diags_free(d);
  sources_free(s);
}
#define READS(text, want) reads_as(__LINE__, text, want)

/* Refused, the first error on `at` with the given code. */
static void refused(int line, const char *text, size_t len, const ReaderOptions *options, const char *code, int at) {
  Sources *s = sources_new();
  Diags *d = diags_new(s);
  Graph *g = READ(d, sources_add(s, "t", text, len), options);
  char *out = NULL, want[64], other[64];
  size_t n = 0;
  FILE *f = open_memstream(&out, &n);
  diags_print(d, f, false);
  fclose(f);
  snprintf(want, sizeof want, "t:%d:", at);
  snprintf(other, sizeof other, "error[%s]", code);
  if (g || !strstr(out, want) || !strstr(out, other)) {
    failures++;
    fprintf(stderr, "line %d: wanted %s at line %d, got %s\n%s", line, code, at, g ? "a graph" : "", out);
  }
  free(out);
  graph_free(g);
  diags_free(d);
  sources_free(s);
}
#define REFUSES(text, code, at) refused(__LINE__, text, strlen(text), &READER_DEFAULTS, code, at)

#endif
