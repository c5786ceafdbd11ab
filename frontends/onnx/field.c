/* Fields: names, lists of numbers, and what is wrong with a message. */
#include <stdarg.h>
#include <stdio.h>

#include "frontends/base/scan.h"
#include "frontends/onnx/model.h"

bool onnx_error(OnnxModel *m, uint32_t line, DiagCode code, const char *fmt, ...) {
  char what[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  const Source *s = sources_get(diags_sources(m->diags), m->source);
  if (!m->listing || !line) return diag_error(m->diags, (Span){0}, code, "%s: %s", s->path, what);
  Graph place = {.source = m->listing}; /* what node_span asks of a graph */
  vec_push(&place.nodes, (Node){.line = line});
  Span at = node_span(&place, diags_sources(m->diags), 0);
  vec_free(&place.nodes);
  return diag_error(m->diags, at, code, "%s", what);
}

/* Reports that a message is malformed at a byte of the file. */
static bool onnx_malformed(OnnxModel *m, const uint8_t *at, const char *what) {
  const Source *s = sources_get(diags_sources(m->diags), m->source);
  return onnx_error(m, 0, E_GRAPH_SYNTAX, "byte %zu: %s", (size_t)(at - (const uint8_t *)s->text), what);
}

bool onnx_whole(OnnxModel *m, const Wire *w) { return !w->wrong || onnx_malformed(m, w->rest.at, w->wrong); }

bool onnx_plain(Bytes b) {
  size_t at;
  bool plain = scan_valid((const char *)b.at, b.len, &at);
  for (size_t k = 0; plain && k < b.len; k++) plain = b.at[k] >= ' ' && b.at[k] != 0x7f;
  return plain;
}

bool onnx_name(OnnxModel *m, Bytes b, Sym *out) {
  bool plain = onnx_plain(b);
  *out = b.len && plain ? sym_n((const char *)b.at, b.len) : 0;
  return plain || onnx_malformed(m, b.at, "a name is not UTF-8, or has control characters");
}

size_t onnx_count(Bytes message, uint32_t field) {
  Wire w = {message, NULL};
  WireField f;
  size_t n = 0;
  while (wire_next(&w, &f)) n += f.number == field;
  return n;
}

bool onnx_numbers(OnnxModel *m, Bytes message, uint32_t field, WireType type, const uint64_t **out, size_t *n) {
  Vec(uint64_t) all = {0};
  Wire w = {message, NULL};
  WireField f;
  uint64_t v;
  bool ok = true;
  while (ok && wire_next(&w, &f)) {
    if (f.number != field) continue;
    if (f.type == type) vec_push(&all, f.value);
    else if (f.type == WIRE_BYTES)
      while (f.bytes.len && ok) {
        ok = wire_packed(&f.bytes, type, &v) || onnx_malformed(m, f.bytes.at, "a list of numbers is cut off");
        if (ok) vec_push(&all, v);
      }
    else ok = onnx_malformed(m, w.rest.at, "a number is of another kind than its field");
  }
  ok = ok && onnx_whole(m, &w);
  *n = all.len;
  *out = ok ? arena_copy(&m->arena, all.at, all.len * sizeof *all.at) : NULL;
  vec_free(&all);
  return ok;
}
