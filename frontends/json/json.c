#include "frontends/json/json.h"

#include <string.h>

static const char *text_of(const JsonDoc *doc) {
  return doc->shorter ? doc->shorter : sources_get(diags_sources(doc->diags), doc->source)->text;
}

static Span span_of(const JsonDoc *doc, const char *lo, const char *hi) {
  size_t from = lo ? json_gaps_place(&doc->gaps, (size_t)(lo - text_of(doc))) : 0;
  return (Span){doc->source, (uint32_t)from, (uint32_t)(lo ? from + (size_t)(hi - lo) : 0)};
}

static bool parse(JsonDoc *doc, Diags *diags, uint32_t source, size_t len) {
  json_error_t e;
  doc->diags = diags, doc->source = source;
  doc->root = json_loadb(text_of(doc), len, JSON_REJECT_DUPLICATES, &e);
  if (doc->root) return true;
  size_t at = e.position < 0 ? 0 : (size_t)e.position;
  if (at > len) at = len;
  at = json_gaps_place(&doc->gaps, at);
  size_t lo = at ? at - 1 : 0;
  DiagCode code = json_error_code(&e) == json_error_stack_overflow ? E_NESTING : E_JSON;
  if (code == E_NESTING || json_error_code(&e) == json_error_invalid_utf8) e.text[strcspn(e.text, "\n")] = 0;
  return diag_error(diags, (Span){source, (uint32_t)lo, (uint32_t)at}, code, "%s", e.text);
}

bool json_doc_read(JsonDoc *doc, Diags *diags, uint32_t source) {
  *doc = (JsonDoc){0};
  return parse(doc, diags, source, sources_get(diags_sources(diags), source)->len);
}

bool json_doc_read_alike(JsonDoc *doc, Diags *diags, uint32_t source, const char *list, const char *inner) {
  const Source *src = sources_get(diags_sources(diags), source);
  size_t len = src->len;
  *doc = (JsonDoc){0};
  doc->shorter = json_leave_out_alike(src->text, src->len, list, inner, &len, &doc->gaps);
  bool ok = parse(doc, diags, source, len);
  if (!ok) json_doc_free(doc);
  return ok;
}

void json_doc_free(JsonDoc *doc) {
  json_decref(doc->root);
  free(doc->shorter);
  vec_free(&doc->gaps);
  *doc = (JsonDoc){0};
}

/* Values of the tree before `value`, in the order of the text; *n counts on.  jansson bounds the depth. */
static bool position(const json_t *at, const json_t *value, size_t *n) {
  if (at == value) return true;
  ++*n;
  if (json_is_array(at)) {
    for (size_t k = 0; k < json_array_size(at); k++)
      if (position(json_array_get(at, k), value, n)) return true;
  } else if (json_is_object(at)) {
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)at, key, member) if (position(member, value, n)) return true;
  }
  return false;
}

const char *json_skip_string(const char *p) {
  for (p++; *(p += strcspn(p, "\"\\")) == '\\';) p += p[1] ? 2 : 1;
  return *p ? p + 1 : p;
}

bool json_has_key(const char *text, const char *key) {
  size_t len = strlen(key), depth = 0;
  for (const char *p = text; *p;) {
    if (*p != '"') {
      depth += (*p == '{' || *p == '[') - (size_t)(*p == '}' || *p == ']');
      p++;
      continue;
    }
    const char *end = json_skip_string(p);
    if (depth == 1 && (size_t)(end - p) == len + 2 && !memcmp(p + 1, key, len) && end[strspn(end, " \t\r\n")] == ':')
      return true;
    p = end;
  }
  return false;
}

/* Over the value that starts at or behind *p, or into it if it is a list or an object; its first byte, or NULL. */
static const char *next_value(const char **p) {
  for (;;) {
    *p += strspn(*p, " \t\r\n,:]}");
    const char *lo = *p;
    if (!*lo) return NULL;
    if (*lo == '"') {
      *p = json_skip_string(lo);
      if ((*p)[strspn(*p, " \t\r\n")] == ':') continue; /* a key */
    } else if (*lo == '[' || *lo == '{') {
      ++*p;
    } else {
      *p += strcspn(lo, " \t\r\n,:]}");
    }
    return lo;
  }
}

/* The text of a value from its first byte to *end, or NULL. */
static const char *find_value(const JsonDoc *doc, const json_t *value, const char **end) {
  size_t n = 0;
  const char *lo;
  if (!value || !position(doc->root, value, &n)) return *end = NULL;
  *end = text_of(doc);
  while ((lo = next_value(end)) && n) n--;
  return lo;
}

Span json_doc_span(const JsonDoc *doc, const json_t *value) {
  const char *hi, *lo = find_value(doc, value, &hi);
  return span_of(doc, lo, hi);
}

/* Values in a tree, itself included. */
static size_t count(const json_t *at) {
  size_t n = 0;
  position(at, NULL, &n);
  return n;
}

void json_doc_elements(const JsonDoc *doc, const json_t *array, Span *out) {
  const char *p;
  find_value(doc, array, &p);
  for (size_t k = 0; k < json_array_size(array); k++) {
    const char *lo = next_value(&p);
    out[k] = span_of(doc, lo, p);
    for (size_t n = count(json_array_get(array, k)); n > 1; n--) next_value(&p);
  }
}

bool json_doc_rat(const json_t *value, Rat *out) {
  if (json_is_integer(value)) return *out = rat_int(json_integer_value(value)), true;
  if (!json_is_real(value)) return false;
  return rat_shortest(json_real_value(value), out);
}
