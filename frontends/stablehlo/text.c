/* Pieces of text: balanced brackets, attribute values, fields of dictionaries and of `#dialect.name<..>`.
 *
 * Nothing recurses: brackets of all kinds count alike, since a value's text is read again by whoever knows its form. */
#include <stdlib.h>

#include "frontends/stablehlo/module.h"

bool mlir_type_equal(const MlirType *a, const MlirType *b) {
  return a == b || (a->dtype == b->dtype && a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}

Span mlir_span(const MlirModule *m, Text t) { return scan_span(&m->scan, t.at, t.at + t.len); }

Span mlir_op_span(const MlirModule *m, const MlirOp *op) {
  const char *lo = m->text + op->at, *hi = strchr(lo, '\n');
  return scan_span(&m->scan, lo, hi ? hi : lo + strlen(lo));
}

bool text_equals(Text a, const char *b) { return scan_is(a, b, strlen(b)); }

/* At a quote: behind the one that closes it, or NULL. */
static const char *string_end(const char *p) {
  for (p++; *p && *p != '"'; p++)
    if (*p == '\\' && p[1]) p++;
  return *p ? p + 1 : NULL;
}

/* To a delimiter outside all brackets (stop), or behind the bracket that closes the first one; NULL: there is none. */
static const char *walk(const char *p, bool stop) {
  size_t depth = 0;
  while (*p) {
    switch (*p) {
      case '{': case '(': case '[': case '<': depth++; break;
      case '}': case ')': case ']': case '>':
        if (stop && !depth) return p;
        if (--depth == 0 && !stop) return p + 1;
        break;
      case ',':
        if (stop && !depth) return p;
        break;
      case '-':
        if (p[1] == '>') p++;
        break;
      case '"':
        if (!(p = string_end(p))) return NULL;
        continue;
      default: break;
    }
    p++;
  }
  return stop && !depth ? p : NULL;
}

bool text_skip(Scan *s) {
  const char *q = walk(s->p, false);
  if (!q) return SCAN_ERROR(s, s->p, s->p + 1, E_GRAPH_SYNTAX, "this '%c' is never closed", *s->p);
  s->p = q;
  return true;
}

bool text_value(Scan *s, Text *out) {
  scan_space(s);
  const char *lo = s->p, *q = walk(lo, true);
  if (!q) return SCAN_ERROR(s, lo, *lo ? lo + 1 : lo, E_GRAPH_SYNTAX, "this value is never closed");
  s->p = q;
  while (q > lo && SCAN_IS(q[-1], SCAN_SPACE)) q--;
  *out = (Text){lo, (uint32_t)(q - lo)};
  return true;
}

bool text_field(const Scan *base, Text of, const char *name, Text *out) {
  Scan s = *base;
  const char *end = of.at + of.len;
  for (s.p = of.at; s.p < end && *s.p != '{' && *s.p != '<'; s.p++) {}
  if (s.p < end && *s.p++ == '<' && *s.p == '{') s.p++; /* properties: <{..}> */
  while (s.p < end) {
    Text key, value = {0};
    while (s.p < end && (SCAN_IS(*s.p, SCAN_SPACE) || *s.p == ',')) s.p++;
    if (s.p >= end || *s.p == '}' || *s.p == '>') return false;
    if (*s.p == '"' ? !scan_string(&s, &key) : !scan_name(&s, &key, "a name")) return false;
    value.at = key.at;
    if (scan_try(&s, '=') && !text_value(&s, &value)) return false;
    if (text_equals(key, name)) return *out = value, true;
  }
  return false;
}

Sym text_unquote(Text t) {
  if (t.len < 2 || *t.at != '"') return sym_n(t.at, t.len);
  t = (Text){t.at + 1, t.len - 2};
  if (!memchr(t.at, '\\', t.len)) return sym_n(t.at, t.len);
  char *buf = xmalloc(t.len);
  size_t n = 0;
  for (uint32_t i = 0; i < t.len; i++) {
    if (t.at[i] == '\\' && i + 1 < t.len) i++;
    buf[n++] = t.at[i];
  }
  Sym out = sym_n(buf, n);
  free(buf);
  return out;
}

Sym text_squeeze(Arena *a, Text t) {
  ArenaMark mark = arena_mark(a);
  char *buf = arena_alloc(a, t.len + 1);
  size_t n = 0;
  bool quoted = false;
  for (uint32_t i = 0; i < t.len; i++) {
    if (t.at[i] == '"' && (!i || t.at[i - 1] != '\\')) quoted = !quoted;
    if (quoted || !SCAN_IS(t.at[i], SCAN_SPACE)) buf[n++] = t.at[i];
  }
  Sym out = sym_n(buf, n);
  arena_reset(a, mark);
  return out;
}
